function [labels, info] = finch_predict(model, data, varargin)
% FINCH_PREDICT  The clusters of new samples.
%
%   [labels, info] = finch_predict(model, data, 'Name', value, ...)
%
% INPUTS
%   model         From finch_model, finch_load or finch_extend.
%   data          M x d new samples, of the class of the model's samples or a narrower one.
%   'Labelling'   The column of model.c that predicts. Default: 1, the finest partition.
%   'Neighbors'   'auto' (default), 'brute' or 'blocked', which are exact, or 'approximate', which
%                 finds most of the nearest of millions.
%   'Recall', 'Seed', 'Threads'   As in FINCH.
%
% OUTPUTS
%   labels        M x 1: the cluster of the nearest sample or, without samples, of the nearest mean;
%                 -1 where that sample is noise.
%   info          A struct with the fields
%     neighbor        M x 1: the number of the nearest sample or mean
%     distance        M x 1: its distance
%     otherDistance   M x 1: the distance of the nearest of another cluster; Inf without another
%     confidence      M x 1: about the share of such labels that are right, from 0.5 to 1; this and
%                     otherDistance are [] after an approximate search among samples
%     recall          The share of the nearest that was found: 1 after an exact search
%
% ERRORS are those of FINCH, and finch:featureCount, finch:noSuchPartition, finch:damaged.
%
% WARNINGS, for warning('off', id) to silence
%   finch:lowRecall       an approximate search found fewer neighbours than 'Recall' asks for
%   finch:nothingNear     nothing in the model is near new samples, since zeros have no direction under
%                         'cosine': their labels mean nothing
%
% See also FINCH_MODEL.

  [labels, neighbor, distance, other, confidence, recall] = ...
    finch_call('predict', model, data, varargin{:});
  info = struct('neighbor', neighbor, 'distance', distance, 'otherDistance', other, ...
                'confidence', confidence, 'recall', recall);
end
