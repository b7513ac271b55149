function scores = finch_outliers(data, varargin)
% FINCH_OUTLIERS  The outlier score of each sample.
%
%   scores = finch_outliers(data, 'Name', value, ...)
%
% gives N x 1 numbers, near 0 amid a cluster, and up to 1. At 0.5 the nearest neighbours of a sample are
% twice as far as those of the samples in the densest places around. Whole Weights give the scores of
% repeated rows. data and the options
% Metric, LinkBound, Neighbors, Recall, TimeLimit, Seed, Threads and Weights are those of FINCH.
%
% ERRORS are those of FINCH.
%
% See also FINCH_DESCRIBE.

  scores = finch_call('outliers', data, varargin{:});
end
