function [labels, clusters, partition, scores] = finch_suggest(data, varargin)
% FINCH_SUGGEST  How many clusters, where you name no number.
%
%   [labels, clusters, partition, scores] = finch_suggest(data, 'Name', value, ...)
%
% cuts the merges of neighbour linkage where the similarity of what merges drops most. Some number is
% always recommended, also for data without clusters.
%
% INPUTS
%   data        N x d, as in FINCH. Options are those of FINCH: Metric, LinkBound, Neighbors, Recall,
%               TimeLimit, Seed, Threads, Weights.
%
% OUTPUTS
%   labels      N x 1: the cluster of each sample, from 1.
%   clusters    The number of clusters.
%   partition   The partition of FINCH(data) that agrees best with the labels, from 1.
%   scores      The score of each number of clusters considered: that of K at K - 1.
%
% ERRORS are those of FINCH.
%
% See also FINCH, FINCH_DENDROGRAM.

  [labels, clusters, partition, scores] = finch_call('suggest', data, varargin{:});
end
