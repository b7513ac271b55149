function [c, num_clust, req_c] = finch_cluster_distances(distances, varargin)
% FINCH_CLUSTER_DISTANCES  Cluster by the distances of all pairs of samples.
%
%   [c, num_clust, req_c] = finch_cluster_distances(distances, 'Name', value, ...)
%
% INPUTS
%   distances   N x N, double, symmetric, with a diagonal of zeros, such as squareform(pdist(x)); but for
%               rounding: 1e-12 of the largest distance, or 1e-6 where all values are of single precision.
%   Options are those of FINCH: ReqClust, Linkage ('neighbor' alone), From, LinkBound,
%   Threads, MustLink, CannotLink, MinSize, MaxSize.
%
% OUTPUTS are those of FINCH.
%
% ERRORS are those of FINCH, and finch:invalidDistance.
%
% See also FINCH_CLUSTER_NEIGHBORS.

  [c, num_clust, req_c] = finch_call('given_distances', distances, varargin{:});
end
