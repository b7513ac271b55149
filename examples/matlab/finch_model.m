function model = finch_model(data, varargin)
% FINCH_MODEL  A clustering to save, to predict the clusters of new samples by, and to extend.
%
%   model = finch_model(data, 'Name', value, ...)
%
% INPUTS
%   data            N x d, as in FINCH.
%   'KeepSamples'   true (default) to keep the samples and predict by the nearest one; false for a
%                   smaller model, which predicts by the nearest mean.
%   'Refined'       N x R: further labellings to keep, such as those of 'ReqClust', or of
%                   finch_noise: -1 is noise, which has no mean.
%   Also the options of FINCH: Metric, LinkBound, Neighbors, Recall, TimeLimit, Seed, Threads,
%   Weights.
%
% OUTPUT, a struct with the fields
%   bytes           The model as finch_save writes it: a row of uint8. Nothing needs to be freed.
%   c               N x L: the labellings, from 1, -1 for noise, one a column: the P partitions, then those refined
%   numClust        1 x L: the number of clusters of each
%
% ERRORS are those of FINCH.
%
% See also FINCH_PREDICT, FINCH_EXTEND, FINCH_SAVE, FINCH_LOAD.

  if nargin < 1
    error('finch:invalidInput', 'finch_model needs data: see help finch_model');
  end
  at = find(strcmpi('Refined', varargin(1:2:end)));
  for k = 2 * at
    if k <= numel(varargin) && isnumeric(varargin{k})
      varargin{k} = double(varargin{k});
    end
  end
  [bytes, c, num_clust] = finch_call('model', data, varargin{:});
  model = struct('bytes', bytes, 'c', c, 'numClust', num_clust);
end
