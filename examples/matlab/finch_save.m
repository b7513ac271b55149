function finch_save(model, file)
% FINCH_SAVE  Save a model in a file, which finch in every language loads.
%
%   finch_save(model, file)
%
% The file is written beside and renamed when complete, so that a failure leaves what was there.
%
% ERRORS are finch:io, finch:damaged, finch:invalidInput.
%
% See also FINCH_MODEL, FINCH_LOAD.

  saved = finch_call('save', model, file); %#ok<NASGU>
end
