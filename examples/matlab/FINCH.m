function [c, num_clust, req_c, info] = FINCH(data, varargin)
% FINCH  Cluster without a parameter, by first neighbours.
%
%   [c, num_clust] = FINCH(data)
%   [c, num_clust] = FINCH(data, initial_rank, verbose)
%   [c, num_clust, req_c, info] = FINCH(..., 'Name', value, ...)
%
% links each sample to its first neighbour, the sample nearest to it. Linked samples form a cluster.
% FINCH then links the means of the clusters in the same way, until one cluster would be left. The
% result is a hierarchy of P partitions, from fine to coarse.
%
% THE CLUSTERS THAT YOU WANT
%   Suggestion   You do not know how many: labels = finch_suggest(data) takes the number that fits best,
%                and says if the data has no clusters at all.
%   Exactly K    You know how many: [~, ~, labels] = FINCH(data, 'ReqClust', K) merges the clusters that
%                share the most neighbours until K are left.
%   Partition    You want levels of detail: c(:, 1) is the finest, c(:, end) the coarsest. The data
%                decides how many clusters each has.
%
% TIES
%   Of equally near samples the one of the smallest number is the first neighbour. If such ties are many,
%   as of whole or rounded numbers, clusters depend on the order of the rows, and the warning finch:ties
%   says so.
%
% THE AUTHORS' CODE has the same call and other defaults, the cosine distance and bounded links:
%   FINCH(data, [], 1, 'Metric', 'cosine', 'LinkBound', 'joined-pair')
% Its req_numclust(c(:, p), data, K) is here 'ReqClust', K, 'From', p, 'Linkage', 'centroid'.
%
% INPUTS
%   data           N x d matrix of double, single, uint8, int8 or logical, real: one row a
%                  sample. FINCH reads it where it is, without a copy. Or a sparse matrix, double or
%                  logical, whose values FINCH copies, row by row; the results are those of full(data).
%   initial_rank   The first neighbour of each sample, N numbers from 1 to N, or 0 for none, where you
%                  have them from elsewhere; [] (default) to search them.
%   verbose        true to print the number of clusters of each partition, at the end. Default:
%                  false.
%
% OUTPUTS
%   c              N x P: the cluster of each sample, from 1, one column a partition, the finest
%                  first. Clusters are numbered by first appearance. Double, as are all outputs.
%   num_clust      1 x P: the number of clusters of each partition.
%   req_c          N x 1: the clusters that 'ReqClust' asks for; [] without it.
%   info           A struct with the fields
%     firstNeighbors   N x 1: the first neighbour of each sample, from 1; empty for a single sample
%     distances        N x 1: its distance
%     search           the search that found it: 'brute', 'kd-tree', 'blocked', 'projected',
%                      'approximate', or 'given'
%     recall           the part of the true first neighbours that was found: 1, for 'approximate'
%                      measured on at most 1024 samples, for 'given' -1
%     explanation      the search, the reason for it, and the evidence in the data; '' for 'given'
%     linkage          the linkage that made req_c: by 'auto' it is 'neighbor' or 'means', with Times
%                      'centroid'; '' without ReqClust
%
% OPTIONS, after the data or after the inputs above; [] is the default
%   'Metric'       'euclidean' (default), 'cosine' (1 - cos), 'cityblock' or 'manhattan' (the same);
%                  for data of 0 and 1, such as a logical matrix, 'hamming' or 'jaccard'.
%   'ReqClust'     K, from 1 to N: make exactly K clusters as well.
%   'Linkage'      For ReqClust, the two clusters that merge first:
%                  'auto'       (default) 'neighbor', or 'means' where means are nearer than
%                               neighbours, and clusters by means come back more surely. info.linkage
%                               tells which. Below 500 samples, with Weights, constraints, From, Nested
%                               or TimeLimit it is 'neighbor'
%                  'neighbor'   those whose samples share the most nearest neighbours
%                  'means'      as 'ward'; then each sample moves to the nearest mean (k-means)
%                  'centroid'   those with the closest means, as in the paper
%                  'ward'       those whose merging adds least to the squared distances of samples to
%                               their means
%   'From'         For ReqClust, the partition that is merged, from 1. Default: for 'auto' and
%                  'neighbor' the finest; for the others the coarsest that has at least K clusters.
%   'Nested'       For ReqClust by 'auto', 'neighbor' or 'means': true for results that are nested over
%                  all K. By default samples move after the last merge: by 'neighbor' to the cluster that
%                  most of their nearest neighbours are in, in data of more than three dimensions; by
%                  'means' to the nearest mean.
%   'LinkBound'    From the second partition on, drop links that are longer than
%                  'none'            nothing (default): all links count, as the paper lists;
%                  'first-neighbor'  all first-neighbour distances between samples;
%                  'joined-pair'     all distances of samples that are first neighbours, or have the
%                                    same one: the bound of the authors' MATLAB code.
%                  The tables of the paper were made with a bound: both give its Table 8.
%   'Neighbors'    The search for first neighbours: 'auto' (default), 'brute', 'kd-tree', 'blocked',
%                  'projected' (for at least 8 features; not for Manhattan) or 'approximate' (not for
%                  Jaccard). All but the last are exact: they differ in time alone. 'auto' is
%                  approximate if the others would take more than about twenty seconds on one core,
%                  and much longer.
%   'Recall'       The share of first neighbours that 'approximate' is to find, above 0 and at most 1.
%                  Default: 0.99.
%   'TimeLimit'    Seconds that searching may take, all levels together; [] for as many as it needs.
%                  'auto' is then exact if that fits, and else approximate. At the deadline the search
%                  stops with the neighbours that it has; finch:lowRecall warns if these are too few.
%   'Seed'         For the random choices of 'approximate'. Default: 0.
%   'Threads'      The number of threads. Default: 0, one per core, which all calls share. No result
%                  depends on it.
%   'Weights'      N numbers above 0, double: a sample of weight w counts as w equal samples. Not
%                  beside initial_rank.
%   'Times'        N time stamps in any unit and order, double: such as (1:N)' for the frames of a
%                  video. A distance counts times the time between the two samples; for clusters,
%                  between their means and mean times (TW-FINCH, CVPR 2021, which takes the metric
%                  'cosine'). ReqClust merges by these distances, 'centroid' unless 'ward'. Not beside
%                  Weights or initial_rank.
%   'Contiguous'   true to make each cluster a contiguous segment of Times. Default: false.
%   'MustLink'     Constraints on the clusters of ReqClust: pairs of samples that must be in one
%                  cluster, M x 2 numbers from 1; for finch_cluster_neighbors and
%                  finch_cluster_distances, too. The clusters keep all constraints, or there is an error.
%   'CannotLink'   Pairs of samples that must be in two clusters.
%   'MinSize', 'MaxSize'    The least and the greatest number of samples, or sum of weights, of one
%                  of these clusters.
%   'Verbose'      As verbose.
%
% EXAMPLES
%   x = [randn(100, 2); randn(100, 2) + 8; randn(100, 2) - 8];
%   [c, num_clust] = FINCH(x);
%   scatter(x(:, 1), x(:, 2), 20, c(:, end));     % the coarsest partition
%   [c, num_clust, req_c] = FINCH(x, 'ReqClust', 3);
%   [~, ~, ~, info] = FINCH(x);
%   c = FINCH(x, info.firstNeighbors);            % the same without a search
%
% ERRORS have identifiers, such as
%   finch:invalidInput, finch:noSamples, finch:noFeatures     data is no matrix of samples
%   finch:nonFinite, finch:valueTooLarge, finch:valuesTooSmall    data has a value that it may not have
%   finch:unknownOption, finch:invalidValue                   the message lists the possible ones
%   finch:clusterCount                                        ReqClust is not from 1 to N
%   finch:noSuchPartition, finch:tooCoarse                    From does not fit
%   finch:neighborCount, finch:invalidNeighbor                initial_rank does not fit
%   finch:invalidWeight, finch:sampleCount                    Weights does not fit
%   finch:invalidConstraint                                   a pair or size cannot be kept
%   finch:invalidTimes                                        a time stamp is not finite
%   finch:unsupportedSearch                                   Neighbors does not fit the data
%   finch:outOfMemory                                         the message says how many bytes
%   finch:cancelled                                           Ctrl-C
%
% WARNINGS, for warning('off', id) to silence
%   finch:lowRecall       an approximate search found fewer neighbours than 'Recall' asks for
%   finch:ties            more than a quarter of the first neighbours are ties, of which the row of the
%                         smallest number counts: clusters depend on the order of the rows
%   finch:zeroRows        zero rows, which have no direction under 'cosine', are a cluster of their own in
%                         every partition
%
% REFERENCE
%   M. S. Sarfraz, V. Sharma, R. Stiefelhagen: Efficient Parameter-free Clustering Using First
%   Neighbor Relations. CVPR 2019.
%
% See also FINCH_SUGGEST, FINCH_DENDROGRAM, FINCH_TREE, FINCH_NEIGHBORS, FINCH_MODEL, FINCH_PREDICT,
% FINCH_EXTEND, FINCH_SAVE, FINCH_LOAD, FINCH_KEEP_LABELS, FINCH_SCORE, FINCH_DESCRIBE,
% FINCH_OUTLIERS, FINCH_NOISE, FINCH_MEMBERSHIP, FINCH_CLUSTER_NEIGHBORS,
% FINCH_CLUSTER_DISTANCES, MAKE, PLANETS, MODEL_DEMO.

  if nargin < 1
    error('finch:invalidInput', 'FINCH needs data: see help FINCH');
  end
  is_text = @(x) ischar(x) || isstring(x);
  inputs = varargin(1:min([2, numel(varargin), find(cellfun(is_text, varargin), 1) - 1]));
  options = varargin(numel(inputs) + 1:end);
  strings = cellfun(@isstring, options);
  options(strings) = cellfun(@char, options(strings), 'UniformOutput', false);
  initial_rank = [];
  if numel(inputs) >= 1
    initial_rank = inputs{1};
  end
  if numel(inputs) == 2
    options = [{'Verbose', inputs{2}}, options];
  end
  if isnumeric(initial_rank)
    initial_rank = double(initial_rank);
  end

  [c, num_clust, req_c, neighbors, distances, search, recall, explanation, linkage] = ...
    finch_mex('cluster', data, initial_rank, options{:});
  info = struct('firstNeighbors', neighbors, 'distances', distances, 'search', search, ...
                'recall', recall, 'explanation', explanation, 'linkage', linkage);
end
