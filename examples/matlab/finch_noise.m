function noisy = finch_noise(data, labels, varargin)
% FINCH_NOISE  Labels in which outliers and small clusters are noise.
%
%   noisy = finch_noise(data, labels, 'Name', value, ...)
%
% gives N x 1 labels: the clusters from 1, by first appearance, and -1 for samples that are in none, as
% dbscan has it. First outliers become noise, then clusters that are left too small.
%
% INPUTS
%   data          N x d, as in FINCH.
%   labels        N numbers: the cluster of each sample; -1 is noise, and stays so.
%   'MinClusterSize'    The least size of a cluster, in samples, or in the sum of weights. Default: 0.
%   'Small'       'noise' (default): smaller clusters are noise; 'join': the smallest first joins the
%                 cluster that most links of its samples to their nearest neighbours lead to.
%   'Outliers'    The share of samples that are outliers, those with the largest scores of
%                 FINCH_OUTLIERS, from 0 (default) to below 1; fewer, rather than some of equal scores.
%   'OutlierThreshold'  The score above which samples are outliers; 0 (default) for none.
%   Also the options of FINCH: Metric, LinkBound, Neighbors, Recall, TimeLimit, Seed, Threads, Weights.
%
% ERRORS are those of FINCH, and finch:invalidConstraint for clusters that join others under a
% MinClusterSize above N.
%
% See also FINCH_OUTLIERS, FINCH_MEMBERSHIP.

  noisy = finch_call('noise', data, double(labels), varargin{:});
end
