% What there is beside FINCH: each function, with results that are known, and what it refuses.

x = [0 0; 0 1; 1 0; 1 1.2; 8 8; 8 9; 9 8; 9 9.1; 20 0; 20 1; 21 0; 21 1.1];
new_x = [0.4 0.4; 20.4 0.6];
three = kron([1; 2; 3], ones(4, 1));
[c, num_clust] = FINCH(x);

% Weights: equal weights of 2 make every sample a cluster, as its copy does.
assert(FINCH(x, 'Weights', ones(12, 1)), c);
[~, counts] = FINCH(x, 'Weights', 2 * ones(12, 1));
assert(counts(1), 12);

% How many, and where it is cut.
[labels, clusters, partition, scores, clustered, best, persistence, rivals, ambiguity] = finch_suggest(x);
assert(size(rivals, 1) == 1 && isempty(rivals) == isempty(ambiguity));
[~, ~, ~, info] = FINCH(x, 'ReqClust', 3);
assert(info.linkage, 'neighbor');
[~, ~, ~, info] = FINCH(x, 'ReqClust', 3, 'Linkage', 'ward');
assert(info.linkage, 'ward');
[~, ~, ~, info] = FINCH(x, 'ReqClust', 3, 'Times', 1:12);
assert(info.linkage, 'centroid');
[~, ~, ~, info] = FINCH(x);
assert(info.linkage, '');
assert(size(persistence), [clusters, 1]); assert(all(persistence > 0 & persistence <= 1));
assert(clustered, 'yes');
[~, ~, ~, ~, clustered] = finch_suggest(x(1:4, :));
assert(clustered, 'too few to tell');
wave = sin((1:400)' * [1 2]) + [20 * (mod(1:400, 2))', zeros(400, 1)];
[~, ~, ~, ~, clustered] = finch_suggest(wave);
assert(clustered, 'yes');
assert(labels, three);
assert(clusters, 3);
assert(best(1), 3);
assert(partition >= 1 && partition <= numel(num_clust));
assert(! isempty(scores) && size(scores, 1) == 1);
[merges, heights, start, cuts] = finch_dendrogram(x, 'Linkage', 'ward', 'From', 1, 'Cuts', [2 3]);
assert(start, c(:, 1));
assert(size(merges), [num_clust(1) - 1, 2]);
assert(size(heights), [num_clust(1) - 1, 1]);
assert(issorted(heights) && all(merges(:, 1) < merges(:, 2)) && min(merges(:)) == 1);
for k = 2:3
  [~, ~, exactly] = FINCH(x, 'ReqClust', k, 'Linkage', 'ward', 'From', 1);
  assert(cuts(:, k - 1), exactly);
end
assert(rows(finch_dendrogram(x, 'ReqClust', 2)), num_clust(1) - 2);

% Trees, whose joins are numbered after the leaves.
[Z, text] = finch_tree(x);
assert(size(Z), [11, 3]);
assert(sort(Z(:, 1:2)(:))', 1:22);
assert(issorted(Z(:, 3)));
assert(text(end), ';');
assert(Z(end, 3), numel(num_clust) + double(num_clust(end) > 1));
[~, text] = finch_tree(x, 'Format', 'json', 'Names', cellstr(char(96 + (1:12)'))');
assert(! isempty(strfind(text, '"l"')));
[Z, text] = finch_tree(x, 'Of', 'dendrogram', 'Linkage', 'ward', 'Format', 'dot');
assert(size(Z), [11, 3]);
assert(! isempty(strfind(text, 'graph')));

% Neighbours, by their definition.
[index, distance] = finch_neighbors(x, 3);
pairs = sqrt((x(:, 1) - x(:, 1)').^2 + (x(:, 2) - x(:, 2)').^2);
for i = 1:12
  others = pairs(i, :);
  others(i) = Inf;
  [least, nearest] = sort(others);
  assert(index(i, :), nearest(1:3));
  assert(distance(i, :), least(1:3), 1e-14);
end

% Brought by the caller, with samples and without.
assert(finch_cluster_neighbors(x, index, distance), c);
assert(finch_cluster_neighbors([], int32(index), distance)(:, 1), c(:, 1));
assert(finch_cluster_neighbors(x, [index, zeros(12, 1)], [distance, zeros(12, 1)])(:, 1), c(:, 1));
% Rows of any length: as a matrix with zeros, and as cells. Sample 1 is alone.
short = index;
short(1, :) = 0;
short(short == 1) = 0;
short(2, 2:3) = 0;
ragged = finch_cluster_neighbors([], short, distance);
assert(sum(ragged(:, 1) == ragged(1, 1)), 1);
cells = arrayfun(@(i) short(i, short(i, :) > 0), 1:12, 'UniformOutput', false)';
lengths = arrayfun(@(i) distance(i, short(i, :) > 0), 1:12, 'UniformOutput', false)';
assert(finch_cluster_neighbors([], cells, lengths), ragged);
[c2, counts, exactly] = finch_cluster_distances(pairs, 'ReqClust', 3);
assert(c2(:, 1), c(:, 1));
assert(max(c2), counts);
assert(exactly, three);

% What is in clusters.
d = finch_describe(x, three, 'Exemplars', 2);
assert(d.sizes, [4; 4; 4]);
for k = 1:3
  assert(d.means(k, :), mean(x(three == k, :)), 1e-12);
  [~, first] = min(sum(pairs(three == k, three == k)));
  assert(d.medoids(k), 4 * (k - 1) + first);
end
assert(d.exemplars(:, 1), d.medoids);
assert(three(d.exemplars(:, 2)), [1; 2; 3]);
assert(all(d.silhouettes > 0.8) && all(d.spreads < 1) && ! any(d.sampled));
assert(class(d.sampled), 'logical');
assert(isempty(d.modularities));
% All links stay within, and chance has a third of them stay.
index = finch_neighbors(x, 3);
assert(finch_describe(x, three, 'NeighborIndex', index).modularities, [2; 2; 2] / 3, 1e-12);
assert(finch_describe(x, three, 'NeighborIndex', [index, zeros(12, 1)]).modularities, [2; 2; 2] / 3, 1e-12);
assert(finch_describe(x, int32(three), 'Weights', 2 * ones(12, 1)).sizes, [8; 8; 8]);
assert(finch_describe(x(1:3, :), [1 1 2], 'Exemplars', 2).exemplars(2, :), [3 0]);
out = finch_outliers([x; 14 30]);
assert(size(out), [13, 1]);
[most, who] = max(out);
assert(who, 13);
assert(most > 0.5 && most <= 1 && min(out) >= 0);
far = [x; 14 30];
copies = [1; 1; 1; (2:13)'; 13];
out = finch_outliers(far, 'Weights', [3; ones(11, 1); 2]);
assert(out(copies), finch_outliers(far(copies, :)));

% Noise: 13 is far out.
far = [x; 14 300];
labels = [three; 3];
assert(finch_noise(far, labels), labels);
assert(finch_noise(far, labels, 'Outliers', 0.1), [three; -1]);
assert(finch_noise(far, labels, 'OutlierThreshold', 0.9), [three; -1]);
assert(finch_noise(far, [three; 4], 'MinClusterSize', 2), [three; -1]);
assert(min(finch_noise(far, [three; 4], 'MinClusterSize', 2, 'Small', 'JOIN')), 1);
assert(finch_noise(far, [three; -1], 'MinClusterSize', 2), [three; -1]);
[probabilities, shares] = finch_membership(x, three);
assert(issparse(shares) && isequal(size(shares), [12, 3]));
assert(full(sum(shares, 2)), ones(12, 1), 1e-12);
assert(probabilities, full(shares(sub2ind([12, 3], (1:12)', three))));
[probabilities, shares] = finch_membership(far, [three; -1]);
assert(probabilities(13), 0);
d = finch_describe(far, [three; -1]);
assert(d.sizes, [4; 4; 4]);
assert(d.means, finch_describe(x, three).means);
found = finch_score([1 1 2 -1], [7 7 5 5]);
assert([found.ari, found.noise], [1, 0.25]);
assert(finch_keep_labels([1 1 2], [4 -1 5 -1]), [1; -1; 2; -1]);
for keep = [true false]
  noisy = finch_model(far, 'Refined', [three; -1], 'KeepSamples', keep);
  assert(noisy.c(:, end), [three; -1]);
  assert(noisy.numClust(end), 3);
  found = finch_predict(noisy, [14 299; 8 8], 'Labelling', numel(noisy.numClust));
  if keep
    assert(found, [-1; 2]);
  else
    assert(found(1) > 0 && found(2) == 2);
  end
end

% Scores.
assert(finch_score([1 1 2 2], [7 7 5 5]).ari, 1);
assert(finch_score([1 1 1], [1 2 2], [1 1 2]).purity, 0.75);

% Models.
model = finch_model(x, 'Refined', int32(three));
assert(class(model.bytes), 'uint8');
assert(model.c, [c, three]);
assert(model.numClust, [num_clust, 3]);
[labels, info] = finch_predict(model, new_x, 'Labelling', numel(model.numClust));
assert(labels, [1; 3]);
assert(info.neighbor, [1; 10]);
assert(info.distance, [sqrt(0.32); sqrt(0.32)], 1e-12);
assert(info.confidence, 1 ./ (1 + (info.distance ./ info.otherDistance).^8), 1e-12);
assert(finch_predict(model, x), c(:, 1));
assert(info.recall, 1);
[near, of_near] = finch_predict(model, new_x, 'Labelling', numel(model.numClust), 'Neighbors', 'approximate');
assert(near, labels);
assert(of_near.neighbor, info.neighbor);
assert(of_near.recall, 1);
assert(isempty(of_near.confidence) && isempty(of_near.otherDistance));
file = [tempname() '.finch'];
finch_save(model, file);
assert(finch_load(file), model);
% What was said of a clustering is said of the model that is loaded.
for doubtful = {(1:40)', [5 0; 5 0.1; 0 5; 0.1 5; 0 0]}
  zero = size(doubtful{1}, 2) == 2;
  finch_save(finch_model(doubtful{1}, 'Metric', {'euclidean', 'cosine'}{1 + zero}), file);
  lastwarn('', '');
  finch_load(file);
  [message, id] = lastwarn();
  assert(id, {'finch:ties', 'finch:zeroRows'}{1 + zero});
  assert(! isempty(strfind(message, {'are ties', 'sample 5 is all zeros'}{1 + zero})), message);
end
% New samples that nothing is near.
lastwarn('', '');
finch_predict(finch_model([5 0; 5 0.1; 0 5; 0.1 5], 'Metric', 'cosine'), [1 0; 0 0]);
[message, id] = lastwarn();
assert(id, 'finch:nothingNear');
assert(! isempty(strfind(message, 'near new sample 2, since')), message);
small = finch_model(x, 'KeepSamples', false);
assert(numel(small.bytes) < numel(model.bytes));
assert(size(finch_predict(small, new_x)), [2, 1]);
unlink(file);

% More samples, in every class.
for class_of = {@double, @single, @uint8, @int8}
  all_x = class_of{1}([x; new_x]);
  more = finch_extend(finch_model(all_x(1:12, :)), all_x(13:14, :));
  assert(more, finch_model(all_x));
end
weighted = finch_extend(finch_model(x), new_x, 'Weights', [2; 3]);
assert(weighted, finch_model([x; new_x], 'Weights', [ones(12, 1); 2; 3]));
[labels, fates] = finch_keep_labels([1 1 2 3 3], [9 9 8 7 7 9 6]);
assert(labels', [1 1 2 3 3 1 4]);
assert(fates, {'grew', 'kept', 'kept', 'appeared'});
[~, fates] = finch_keep_labels([1 1 2 3], [1 2 3 3]);
assert(fates, {'split', 'split', 'merged'});

damaged = model;
damaged.bytes(end) = 255 - damaged.bytes(end);
one = x;
one(3, 2) = NaN;
bad = pairs;
bad(1, 2) = -1;
cases = {
  @() FINCH(x, 'Weights', [ones(1, 11), 0]),          'finch:invalidWeight',   'sample 12 is 0'
  @() FINCH(x, 'Weights', ones(11, 1)),               'finch:sampleCount',     '11'
  @() FINCH(x, 'Weights', 'text'),                    'finch:invalidInput',    'Weights'
  @() FINCH(x, [2 1 1 1 6 5 5 5 10 9 9 9], 'Weights', ones(12, 1)), 'finch:invalidInput', 'initial_rank'
  @() finch_suggest(one),                             'finch:nonFinite',       'row 3, column 2'
  @() finch_suggest(x, 'ReqClust', 2),                'finch:unknownOption',   'Metric'
  @() finch_dendrogram(x, 'Cuts', 13),                'finch:noSuchCut',       '13'
  @() finch_dendrogram(x, 'Cuts', 0),                 'finch:noSuchCut',       '0'
  @() finch_tree(x, 'Format', 'xml'),                 'finch:invalidValue',    'newick, json, dot'
  @() finch_tree(x, 'Names', {'a'}),                  'finch:sampleCount',     '1'
  @() finch_tree(x, 'Names', num2cell(1:12)),         'finch:invalidInput',    'Names'
  @() finch_neighbors(x, 0),                          'finch:invalidValue',    'k'
  @() finch_neighbors(x, 12),                         'finch:',                '12'
  @() finch_cluster_neighbors(x, index + 12, distance), 'finch:invalidNeighbor', 'sample 1'
  @() finch_cluster_neighbors(x, index, distance'),   'finch:invalidInput',    'distance'
  @() finch_cluster_neighbors(x, num2cell(index, 2), distance), 'finch:invalidInput', 'cells'
  @() finch_cluster_distances(bad),                   'finch:invalidDistance', ''
  @() finch_cluster_distances(pairs, 'ReqClust', 2, 'Linkage', 'ward'), 'finch:needsSamples', ''
  @() finch_cluster_distances(x),                     'finch:invalidInput',    'square'
  @() finch_describe(x, three - 1),                   'finch:invalidValue',    'begin at 1'
  @() finch_describe(x, three(1:5)),                  'finch:sampleCount',     '5'
  @() finch_describe(x, three, 'NeighborIndex', index(1:5, :)), 'finch:sampleCount', '5'
  @() finch_describe(x, three, 'NeighborIndex', 13 + index), 'finch:invalidNeighbor', 'sample 1 '
  @() finch_outliers('text'),                         'finch:invalidInput',    'char'
  @() finch_noise(x, three, 'MinClusterSize', 13, 'Small', 'join'), 'finch:invalidConstraint', '13 cannot be'
  @() finch_noise(x, three, 'Outliers', 1),           'finch:invalidValue',    'share of outliers'
  @() finch_noise(x, three, 'Small', 'drop'),         'finch:invalidValue',    'noise, join'
  @() finch_noise(x, three(1:5)),                     'finch:sampleCount',     '5'
  @() finch_membership(x, three - 1),                 'finch:invalidValue',    'noise is -1'
  @() finch_membership(x, three(1:5)),                'finch:sampleCount',     '5'
  @() finch_describe(x, -ones(12, 1)),                'finch:noSamples',       'noise'
  @() finch_model(x, 'Refined', -ones(12, 1)),        'finch:noSamples',       'noise'
  @() finch_score([1 2], 1),                          'finch:sampleCount',     '2'
  @() finch_score([1 2.5], [1 1]),                    'finch:invalidValue',    '2.5'
  @() finch_keep_labels([1 2], 1),                    'finch:sampleCount',     ''
  @() finch_model(x, 'Refined', [1 2]),               'finch:sampleCount',     'Refined'
  @() finch_predict(model, new_x, 'Labelling', 99),   'finch:noSuchPartition', 'labelling 99'
  @() finch_predict(model, [1 2 3]),                  'finch:featureCount',    '3'
  @() finch_predict(damaged, new_x),                  'finch:damaged',         ''
  @() finch_predict(7, new_x),                        'finch:invalidInput',    'finch_model'
  @() finch_load('/nowhere/model'),                   'finch:io',              'nowhere'
  @() finch_save(model, '/nowhere/model'),            'finch:io',              'nowhere'
  @() finch_extend(small, new_x),                     'finch:needsSamples',    'KeepSamples'
  @() finch_extend(model, single(new_x)),             'finch:invalidInput',    'class'
  @() finch_extend(model, [1 2 3]),                   'finch:featureCount',    '3'
};
for k = 1:rows(cases)
  [run, id, text] = cases{k, :};
  try
    run();
    caught = struct('identifier', 'none', 'message', func2str(run));
  catch caught
  end
  assert(strncmp(caught.identifier, id, numel(id)), '%d: %s %s', k, caught.identifier, caught.message);
  assert(isempty(text) || ! isempty(regexp(caught.message, text, 'once')), caught.message);
end

for name = {'suggest', 'dendrogram', 'tree', 'neighbors', 'cluster_neighbors', 'cluster_distances', ...
            'describe', 'outliers', 'noise', 'membership', 'score', 'keep_labels', 'model', 'predict', 'extend', 'save', 'load'}
  assert(! isempty(strfind(evalc(['help finch_' name{1}]), 'ERRORS')));
end
