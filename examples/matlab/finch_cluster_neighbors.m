function [c, num_clust, req_c] = finch_cluster_neighbors(data, index, distance, varargin)
% FINCH_CLUSTER_NEIGHBORS  Cluster by nearest neighbours that you have.
%
%   [c, num_clust, req_c] = finch_cluster_neighbors(data, index, distance, 'Name', value, ...)
%
% INPUTS
%   data        N x d, as in FINCH; or [] without samples: then the distance of two clusters is the mean
%               of the known distances between their samples.
%   index       N x k: the numbers of the nearest neighbours, from 1; 0 for none. Or N cells of rows of
%               any length, as rangesearch gives them. A sample without neighbours is a cluster of its
%               own in the first partition, unless it is the first neighbour of another.
%   distance    As index: their distances. A neighbour at Inf or NaN is none.
%   Options are those of FINCH: ReqClust, Linkage, From, Metric, LinkBound, Threads,
%   MustLink, CannotLink, MinSize, MaxSize.
%
% OUTPUTS are those of FINCH.
%
% ERRORS are those of FINCH, and finch:invalidDistance.
%
% See also FINCH_NEIGHBORS, FINCH_CLUSTER_DISTANCES.

  if iscell(index) || iscell(distance)
    [index, distance] = rows_of(index, distance);
  end
  [c, num_clust, req_c] = finch_call('given_neighbors', data, double(index), double(distance), ...
                                     varargin{:});
end

function [table, lengths] = rows_of(index, distance)
% Rows of any length as matrices, 0 and Inf behind the last neighbour of each row.
  if ~iscell(index) || ~iscell(distance) || ~isequal(numel(index), numel(distance)) || ...
     ~isequal(cellfun(@numel, index(:)), cellfun(@numel, distance(:)))
    error('finch:invalidInput', 'index and distance are no cells of rows of the same lengths');
  end
  longest = max([cellfun(@numel, index(:)); 0]);
  table = zeros(numel(index), longest);
  lengths = inf(numel(index), longest);
  for i = 1:numel(index)
    table(i, 1:numel(index{i})) = index{i};
    lengths(i, 1:numel(index{i})) = distance{i};
  end
end
