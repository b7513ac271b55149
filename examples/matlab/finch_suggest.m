function [labels, clusters, partition, scores, clustered] = finch_suggest(data, varargin)
% FINCH_SUGGEST  How many clusters, where you name no number.
%
%   [labels, clusters, partition, scores, clustered] = finch_suggest(data, 'Name', value, ...)
%
% cuts the merges of neighbour linkage where the similarity of what merges drops most. Some number is
% always recommended, also for data without clusters, which the last output tells.
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
%   clustered   Whether the data has clusters at all: 'yes', 'no' (it is one, or noise) or
%               'too few to tell'.
%
% ERRORS are those of FINCH.
%
% See also FINCH, FINCH_DENDROGRAM.

  [labels, clusters, partition, scores, clustered] = finch_call('suggest', data, varargin{:});
end
