function [index, distance] = finch_neighbors(data, k, varargin)
% FINCH_NEIGHBORS  The k nearest other samples of each sample.
%
%   [index, distance] = finch_neighbors(data, k, 'Name', value, ...)
%
% INPUTS
%   data        N x d, as in FINCH.
%   k           From 1 to N - 1.
%   Options are those of FINCH: Metric, Neighbors, Recall, TimeLimit, Seed, Threads.
%
% OUTPUTS
%   index       N x k: the numbers of the nearest samples, from 1, nearest first; 0 where a sample has
%               fewer, as beside rows of zeros under 'cosine', which are near to each other alone.
%   distance    N x k: their distances, Inf where there is none.
%
% ERRORS are those of FINCH, and finch:invalidValue for k.
%
% See also FINCH_CLUSTER_NEIGHBORS.

  [index, distance] = finch_call('neighbors', data, k, varargin{:});
end
