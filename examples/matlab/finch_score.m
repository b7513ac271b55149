function scores = finch_score(labels, truth, weights)
% FINCH_SCORE  Compare clusters with known classes.
%
%   scores = finch_score(labels, truth)
%   scores = finch_score(labels, truth, weights)
%
% labels and truth have N whole numbers, weights N numbers above 0. Samples of label -1 are noise, and
% left out. scores is a struct of fractions, 1
% for full agreement: nmi, nmiArithmetic, accuracy (NaN where the best matching would take too long),
% purity, ari, pairwisePrecision, pairwiseRecall, pairwiseF, bcubedPrecision, bcubedRecall, bcubedF;
% and noise, the share of the samples, or of their weight, that are left out.
%
% ERRORS are finch:sampleCount, finch:invalidWeight, finch:invalidValue.
%
% See also FINCH.

  if nargin < 3
    weights = [];
  end
  scores = finch_call('score', double(labels), double(truth), weights);
end
