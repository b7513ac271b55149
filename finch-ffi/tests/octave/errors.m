% What is refused: the arguments, the identifier, and what the message has to say.

data = [1 2; 3 4; 5 6; 7 9];
bad = single(data);
bad(2, 1) = NaN;
hole = data;
hole(4, 2) = -Inf;
huge = data;
huge(3, 2) = -1e200;
huge(2, 1) = 1e150;
three = [0 0; 0 1; 9 9; 9 8; 5 0; 5 1];
cases = {
  {},                             'finch:invalidInput',    'help FINCH'
  {[]},                           'finch:noSamples',       'no rows'
  {zeros(0, 3)},                  'finch:noSamples',       'no rows'
  {zeros(3, 0)},                  'finch:noFeatures',      'no columns'
  {bad},                          'finch:nonFinite',       'row 2, column 1 is NaN'
  {hole},                         'finch:nonFinite',       'row 4, column 2 is infinite'
  {huge},                         'finch:valueTooLarge',   'row 3, column 2'
  {data * 1e-200},                'finch:valuesTooSmall',  'rescale'
  {sparse(bad)},                  'finch:nonFinite',       'row 2, column 1 is NaN'
  {sparse(hole)},                 'finch:nonFinite',       'row 4, column 2 is infinite'
  {sparse(huge)},                 'finch:valueTooLarge',   'row 3, column 2'
  {sparse(0, 3)},                 'finch:noSamples',       'no rows'
  {sparse(complex(data, 1))},     'finch:invalidInput',    'complex'
  {complex(data, 0)},             'finch:invalidInput',    'complex'
  {num2cell(data)},               'finch:invalidInput',    'class cell'
  {data, 'Metric', 'jaccard'},    'finch:notBinary',       'takes samples of 0 and 1, and row 1, column 2 is 2'
  {sparse(data), 'Metric', 'jaccard'}, 'finch:notBinary',  'takes samples of 0 and 1, and row 1, column 2 is 2'
  {int16(data)},                  'finch:invalidInput',    'class int16'
  {'text'},                       'finch:invalidInput',    'class char'
  {int32(data)},                  'finch:invalidInput',    'class int32'
  {struct('a', 1)},               'finch:invalidInput',    'class struct'
  {@sin},                         'finch:invalidInput',    'class function_handle'
  {zeros(2, 2, 2)},               'finch:invalidInput',    'dimensions'
  {data, [2 1 4]},                'finch:neighborCount',   '3 first neighbours'
  {data, [2 1 4 3 1]},            'finch:neighborCount',   '5 first neighbours'
  {data, [2 1 4 4]},              'finch:invalidNeighbor', 'sample 4 was given 4 .*from 1 to 4'
  {data, [2 1 4 -1]},             'finch:invalidNeighbor', 'sample 4 was given -1'
  {data, [5 1 4 3]},              'finch:invalidNeighbor', 'sample 1 was given 5'
  {data, [2 1.5 4 3]},            'finch:invalidNeighbor', 'sample 2 was given 1.5'
  {data, [2 NaN 4 3]},            'finch:invalidNeighbor', 'sample 2 was given nan'
  {data, -int8([2 1 4 3])},       'finch:invalidNeighbor', 'sample 1 was given -2'
  {data, complex([2 1 4 3], 1)},  'finch:invalidInput',    'initial_rank'
  {data, sparse([2 1 4 3])},      'finch:invalidInput',    'initial_rank'
  {data, {2, 1, 4, 3}},           'finch:invalidInput',    'initial_rank'
  {data, [], 1.5},                 'finch:invalidValue',    'Verbose'
  {data, [], 0, 0},               'finch:invalidInput',    'a name followed by a value'
  {data, 'Metric'},               'finch:invalidInput',    'a name followed by a value'
  {data, 'Metrics', 'cosine'},    'finch:unknownOption',   'Metrics.*Metric, ReqClust, .*Verbose$'
  {data, [], 0, 5, 6},            'finch:unknownOption',   'Metric, ReqClust'
  {data, 'Metric', 'cos'},        'finch:invalidValue',    'cosine, cityblock, manhattan, hamming, jaccard$'
  {data, 'Metric', ''},           'finch:invalidValue',    'euclidean, cosine'
  {data, 'Metric', 1},            'finch:invalidValue',    'euclidean, cosine'
  {data, 'Linkage', 'single'},    'finch:invalidValue',    'auto, neighbor, means, centroid, ward$'
  {data, 'LinkBound', 'some'},    'finch:invalidValue',    'none, first-neighbor, joined-pair$'
  {data, 'Neighbors', 'flann'},   'finch:invalidValue',    'auto, brute, kd-tree, blocked, projected, approximate$'
  {data, 'Recall', 0},            'finch:invalidValue',    'recall'
  {data, 'Recall', 'all'},        'finch:invalidValue',    'Recall'
  {data, 'TimeLimit', -1},        'finch:invalidValue',    'time limit'
  {data, 'Seed', -1},             'finch:invalidValue',    'Seed'
  {data, 'ReqClust', 0},          'finch:clusterCount',    'ask for 1 to 4'
  {data, 'ReqClust', 5},          'finch:clusterCount',    'ask for 1 to 4'
  {data, 'ReqClust', -1},         'finch:invalidValue',    'ReqClust'
  {data, 'ReqClust', 1.5},        'finch:invalidValue',    'ReqClust'
  {data, 'ReqClust', NaN},        'finch:invalidValue',    'ReqClust'
  {data, 'ReqClust', [1 2]},      'finch:invalidValue',    'ReqClust'
  {data, 'ReqClust', '2'},        'finch:invalidValue',    'ReqClust'
  {data, 'ReqClust', {2}},        'finch:invalidValue',    'ReqClust'
  {[], 'ReqClust', 1},            'finch:noSamples',       'no rows'
  {data, 'ReqClust', 2, 'MustLink', [1 5]}, 'finch:invalidConstraint', 'pair 1 of MustLink names sample 5: .*from 1 to 4'
  {data, 'ReqClust', 2, 'CannotLink', [1 2; 0 1]}, 'finch:invalidConstraint', 'pair 2 of CannotLink names sample 0'
  {data, 'ReqClust', 2, 'CannotLink', [3 3]}, 'finch:invalidConstraint', 'pair of samples 3 and 3 is one sample'
  {data, 'ReqClust', 2, 'MustLink', [1 2; 2 4], 'CannotLink', [4 1]}, 'finch:invalidConstraint', 'cannot-link pair of samples 4 and 1 is together'
  {data, 'ReqClust', 2, 'MinSize', 3}, 'finch:invalidConstraint', '3 cannot be the least size'
  {data, 'ReqClust', 2, 'MaxSize', 1}, 'finch:invalidConstraint', '1 cannot be the greatest size'
  {data, 'ReqClust', 2, 'MustLink', [1 2 3]}, 'finch:invalidValue', '3 columns'
  {data, 'MinSize', 2},           'finch:invalidInput',    'give ReqClust'
  {data, 'Times', [1 NaN 3 4]},   'finch:invalidTimes',    'sample 2 has the time stamp nan'
  {data, 'Times', 1:3},           'finch:sampleCount',     'times has 3 numbers for 4 samples'
  {data, 'Times', 1:4, 'Weights', [1 1 1 1]}, 'finch:invalidInput', 'neither Weights'
  {data, 'Contiguous', true},     'finch:invalidInput',    'give Times'
  {data, 'From', 0},              'finch:invalidValue',    'From'
  {three, 'ReqClust', 2, 'From', 9}, 'finch:noSuchPartition', 'no partition 9'
  {data, 'Threads', -1},          'finch:invalidValue',    'Threads'
  {rand(9, 7), 'Neighbors', 'projected'}, 'finch:unsupportedSearch', 'projected'
  {rand(9, 8), 'Metric', 'manhattan', 'Neighbors', 'projected'}, 'finch:unsupportedSearch', 'projected'
};
for k = 1:rows(cases)
  [given, id, text] = cases{k, :};
  try
    FINCH(given{:});
    caught = struct('identifier', 'none', 'message', '');
  catch caught
  end
  assert(caught.identifier, id);
  assert(! isempty(regexp(caught.message, text, 'once')), caught.message);
  assert(isempty(regexp(caught.message, '(\(|ed )from 0')), caught.message);
end

% A partition that is coarser than the clusters asked for.
rand('twister', 1);
many = rand(500, 2);
[~, num_clust] = FINCH(many);
try
  FINCH(many, 'ReqClust', num_clust(2) + 1, 'From', 2);
  error('passed');
catch caught
  assert(caught.identifier, 'finch:tooCoarse');
  assert(! isempty(strfind(caught.message, 'partition 2')), caught.message);
end

% The gateway itself, without FINCH.m.
try
  finch_mex(data, []);
  error('passed');
catch caught
  assert(caught.identifier, 'finch:invalidInput');
end

% After all this it works.
assert(FINCH(three)(:, 1), [1 1 2 2 3 3]');
