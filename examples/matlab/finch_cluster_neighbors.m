function [c, num_clust, req_c] = finch_cluster_neighbors(data, index, distance, varargin)
% FINCH_CLUSTER_NEIGHBORS  Cluster by nearest neighbours that you have.
%
%   [c, num_clust, req_c] = finch_cluster_neighbors(data, index, distance, 'Name', value, ...)
%
% INPUTS
%   data        N x d, as in FINCH; [] where you have none: then the distance of two clusters is the
%               mean of the known distances between their samples.
%   index       N x k: the numbers of other samples that are near, from 1; 0 for none.
%   distance    N x k: how far they are.
%   Options are those of FINCH: ReqClust, Linkage, From, Metric, LinkBound, Threads,
%   MustLink, CannotLink, MinSize, MaxSize.
%
% OUTPUTS are those of FINCH.
%
% ERRORS are those of FINCH, and finch:invalidDistance.
%
% See also FINCH_NEIGHBORS, FINCH_CLUSTER_DISTANCES.

  [c, num_clust, req_c] = finch_call('given_neighbors', data, double(index), double(distance), ...
                                     varargin{:});
end
