function [merges, heights, start, labels] = finch_dendrogram(data, varargin)
% FINCH_DENDROGRAM  Merge clusters pair by pair, from which every smaller number of clusters follows.
%
%   [merges, heights, start, labels] = finch_dendrogram(data, 'Name', value, ...)
%
% INPUTS
%   data        N x d, as in FINCH.
%   'Linkage'   As in FINCH, as are From, Metric, LinkBound, Neighbors, Recall, TimeLimit, Seed,
%               Threads and Weights.
%   'ReqClust'  Merge until so many clusters are left. Default: 1.
%   'Cuts'      Numbers of clusters, for labels.
%
% OUTPUTS
%   merges      M x 2: the two clusters of each merge, by their numbers in start. The merged cluster
%               keeps the smaller number.
%   heights     M x 1: the distance of the two clusters; Inf if no link joined them.
%   start       N x 1: the clusters that merging began with, from 1.
%   labels      N x numel(Cuts): the clusters of each cut, one column a cut.
%
% ERRORS are those of FINCH, and finch:noSuchCut.
%
% See also FINCH_TREE, FINCH_SUGGEST.

  [merges, heights, start, labels] = finch_call('dendrogram', data, varargin{:});
end
