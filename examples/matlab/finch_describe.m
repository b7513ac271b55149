function description = finch_describe(data, labels, varargin)
% FINCH_DESCRIBE  The content of each cluster.
%
%   description = finch_describe(data, labels, 'Name', value, ...)
%
% INPUTS
%   data          N x d, as in FINCH.
%   labels        N numbers: the cluster of each sample, from 1 to C; -1 is noise, which is not described.
%   'Exemplars'   The number of exemplars of each cluster. Default: 1.
%   'NeighborIndex'  N x k: the nearest neighbours of each sample, from 1, as FINCH_NEIGHBORS gives
%                 them; 0 for none. For modularities.
%   Also the options of FINCH: Metric, Seed, Threads, Weights.
%
% OUTPUT, a struct with the fields
%   sizes         C x 1: the number of samples, or the sum of weights
%   means         C x d; sparse of sparse data
%   medoids       C x 1: the sample in the middle, from 1
%   exemplars     C x Exemplars: samples that stand for the cluster; 0 where there are fewer
%   spreads       C x 1: the distance of samples from the mean
%   silhouettes   C x 1: the separation of the cluster, from -1 to 1
%   modularities  C x 1: the share of links to neighbours that stay within the cluster, beyond the share
%                 that chance gives, from -1 to 1; [] without NeighborIndex
%   sampled       C x 1: true if a part of the samples of a large cluster chose its medoid
%
% ERRORS are those of FINCH.
%
% See also FINCH_OUTLIERS.

  [sizes, means, medoids, exemplars, spreads, silhouettes, modularities, sampled] = ...
    finch_call('describe', data, double(labels), varargin{:});
  description = struct('sizes', sizes, 'means', means, 'medoids', medoids, 'exemplars', exemplars, ...
                       'spreads', spreads, 'silhouettes', silhouettes, ...
                       'modularities', modularities, 'sampled', sampled);
end
