function [labels, clusters, partition, scores, clustered, best, persistence, rivals, ambiguity] = ...
    finch_suggest(data, varargin)
% FINCH_SUGGEST  The number of clusters that fits best, and these clusters.
%
%   [labels, clusters, partition, scores, clustered, best, persistence, rivals, ambiguity] = ...
%     finch_suggest(data, 'Name', value, ...)
%
% cuts the merges of neighbour linkage where the similarity of the merging clusters drops most. Samples then move,
% as in FINCH with ReqClust, so that labels need not be a cut of FINCH_DENDROGRAM. They are those of FINCH with
% 'ReqClust', clusters, 'Linkage', 'neighbor'; by 'auto' FINCH may take means, and give others. Data without
% clusters gets a number, too; clustered tells such data apart.
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
%   clustered   'yes' if the data has clusters, 'no' if it is one cluster or noise, or
%               'too few to tell'.
%   best        1 x B, B from 1 to 3: the numbers of clusters that fit best, the suggested one first, each
%               more than 1.5 times as large or as small as those before.
%   persistence K x 1: how stable each cluster is, from 0 to 1: the Jaccard index to expect of it and the
%               cluster found in its place among other samples of the same kind.
%   rivals      1 x R, R from 0 to 3: the numbers of clusters that fit almost as well, of 88 % of the score or
%               more, and more than 1.2 times as large or as small. With a few samples more or fewer one of
%               them might be suggested.
%   ambiguity   The rivals in a sentence; '' if there are none.
%
% ERRORS are those of FINCH.
%
% See also FINCH, FINCH_DENDROGRAM.

  [labels, clusters, partition, scores, clustered, best, persistence, rivals, ambiguity] = ...
    finch_call('suggest', data, varargin{:});
end
