function model = finch_extend(model, data, varargin)
% FINCH_EXTEND  Cluster more samples with those of a model.
%
%   model = finch_extend(model, data, 'Name', value, ...)
%
% gives the model of the old samples followed by the new ones, as finch_model makes it of all of them
% with the same options, but does not compare the old samples again. Refined labellings are not kept.
%
% INPUTS
%   model       With samples; it stays as it is.
%   data        M x d new samples of the same class.
%   'Weights'   Those of the new samples, M numbers. Default: 1, if the old ones have weights.
%   Also the options of FINCH: LinkBound, Neighbors, Recall, TimeLimit, Seed, Threads. The metric is
%   the model's.
%
% ERRORS are those of FINCH, and finch:needsSamples, finch:featureCount, finch:damaged.
%
% See also FINCH_MODEL, FINCH_KEEP_LABELS.

  [bytes, c, num_clust] = finch_call('extend', model, data, varargin{:});
  model = struct('bytes', bytes, 'c', c, 'numClust', num_clust);
end
