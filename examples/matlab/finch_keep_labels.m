function [labels, fates] = finch_keep_labels(old_labels, new_labels)
% FINCH_KEEP_LABELS  Name new clusters after the old ones that they mostly consist of.
%
%   [labels, fates] = finch_keep_labels(old_labels, new_labels)
%
% INPUTS
%   old_labels  N whole numbers, the clusters of the samples that there were.
%   new_labels  M >= N whole numbers, the clusters of these samples, and of more.
%
% OUTPUTS
%   labels      M x 1: the number of an old cluster, by first appearance from 1, or a number above
%               all of these for a new cluster; -1, noise, stays -1.
%   fates       For each new cluster, by first appearance: 'kept', 'grew', 'merged', 'split' or
%               'appeared'; a cell array.
%
% ERRORS are finch:sampleCount, finch:invalidValue.
%
% See also FINCH_EXTEND.

  [labels, fates] = finch_call('keep_labels', double(old_labels), double(new_labels));
end
