function [Z, text] = finch_tree(data, varargin)
% FINCH_TREE  The clusters as a binary tree of samples.
%
%   [Z, text] = finch_tree(data, 'Name', value, ...)
%
% INPUTS
%   data        N x d, as in FINCH.
%   'Of'        'hierarchy' (default; cut at height p, the tree gives partition p) or 'dendrogram'
%               (all merges of FINCH_DENDROGRAM, by Linkage and From).
%   'Format'    'newick' (default), 'json' or 'dot', for text.
%   'Names'     N texts, a cell array, for text. Default: numbers from 0.
%   Also the options of FINCH: Linkage, From, Metric, LinkBound, Neighbors, Recall, TimeLimit, Seed,
%   Threads, Weights.
%
% OUTPUTS
%   Z           (N - 1) x 3: the linkage matrix that the functions dendrogram and cluster of MATLAB
%               take: two nodes, from 1, and the height.
%   text        The tree for other programs.
%
% EXAMPLE
%   dendrogram(finch_tree(randn(20, 2)))
%
% ERRORS are those of FINCH.
%
% See also FINCH_DENDROGRAM.

  [Z, text] = finch_call('tree', data, varargin{:});
end
