function [probabilities, shares] = finch_membership(data, labels, varargin)
% FINCH_MEMBERSHIP  How surely each sample belongs to its cluster, and to others.
%
%   [probabilities, shares] = finch_membership(data, labels, 'Name', value, ...)
%
% INPUTS
%   data, labels  N x d, as in FINCH, and the cluster of each sample, from 1 to C, or -1 for noise.
%   Also the options of FINCH: Metric, LinkBound, Neighbors, Recall, TimeLimit, Seed, Threads, Weights.
%
% OUTPUTS
%   probabilities N x 1: the share of the nearest neighbours of each sample, ceil(log2(N)) of them and
%                 fewer below 1024 samples, that are in its own cluster; 0 for noise.
%   shares        N x C, sparse: the share of each cluster. Neighbours that are noise do not count. A row
%                 adds up to 1: where all neighbours are noise by 1 for the own cluster, and that of noise
%                 is then empty.
%
% ERRORS are those of FINCH.
%
% See also FINCH_NOISE, FINCH_PREDICT.

  [probabilities, shares] = finch_call('membership', data, double(labels), varargin{:});
end
