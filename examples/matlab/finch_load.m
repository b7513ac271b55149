function model = finch_load(file)
% FINCH_LOAD  Load a model from a file that finch_save, or finch in another language, has saved.
%
%   model = finch_load(file)
%
% WARNINGS are those of the clustering that the model is of, such as finch:ties: see help FINCH.
%
% ERRORS are finch:io, finch:damaged, finch:modelVersion.
%
% See also FINCH_MODEL, FINCH_SAVE.

  [bytes, c, num_clust] = finch_call('load', file);
  model = struct('bytes', bytes, 'c', c, 'numClust', num_clust);
end
