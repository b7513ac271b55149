% The forms of the call, and what comes out.

rand('twister', 1);
data = rand(300, 5);
[c, num_clust, req_c, info] = FINCH(data);

% Everything is double and numbered from 1.
assert(cellfun(@class, {c, num_clust, req_c, info.firstNeighbors, info.distances}, ...
               'UniformOutput', false), repmat({'double'}, 1, 5));
assert(size(c), [300, numel(num_clust)]);
assert(size(num_clust, 1), 1);
assert(max(c), num_clust);
assert(min(c), ones(size(num_clust)));
assert(isempty(req_c));

% First neighbours are the nearest other samples.
for i = 1:300
  distances = sqrt(sum((data - data(i, :)).^2, 2));
  distances(i) = Inf;
  [least, nearest] = min(distances);
  assert(info.firstNeighbors(i), nearest);
  assert(info.distances(i), least, 1e-14);
end
assert(any(strcmp(info.search, {'brute', 'kd-tree', 'blocked'})));

% Given first neighbours, in any class and orientation, and changed ones.
given = info.firstNeighbors;
for initial_rank = {given, given', single(given), int32(given), uint64(given)}
  [c2, num_clust2, ~, info2] = FINCH(data, initial_rank{1});
  assert(c2, c);
  assert(num_clust2, num_clust);
  assert(info2.firstNeighbors, given);
  assert(info2.distances, info.distances, 1e-14);
  assert(info2.search, 'given');
end
pairs = [2 1 4 3 6 5]';
assert(FINCH(rand(6, 2), pairs)(:, 1), [1 1 2 2 3 3]');

% Sparse data gives what full data gives.
thin = data .* (rand(300, 5) < 0.4);
thin([7 200], :) = 0;
for metric = {'euclidean', 'cosine', 'cityblock'}
  options = {'Metric', metric{1}, 'ReqClust', 4};
  [c2, num_clust2, req_c2, info2] = FINCH(thin, options{:});
  [c3, num_clust3, req_c3, info3] = FINCH(sparse(thin), options{:});
  assert({c3, num_clust3, req_c3, info3.firstNeighbors, info3.distances}, ...
         {c2, num_clust2, req_c2, info2.firstNeighbors, info2.distances});
  [index2, distance2] = finch_neighbors(thin, 3, 'Metric', metric{1});
  [index3, distance3] = finch_neighbors(sparse(thin), 3, 'Metric', metric{1});
  assert({index3, distance3}, {index2, distance2});
end
assert(FINCH(sparse(300, 5)), FINCH(zeros(300, 5)));
% Sets: sparse logicals, sparse numbers and full ones.
sets = mod((1:60)' * (1:9) + (1:60)' .^ 2, 7) < 2;
for metric = {'jaccard', 'hamming'}
  of_sets = FINCH(sets, 'Metric', metric{1});
  assert(FINCH(sparse(sets), 'Metric', metric{1}), of_sets);
  assert(FINCH(sparse(double(sets)), 'Metric', metric{1}), of_sets);
end
full_rows = finch_describe(thin, c3(:, 1));
sparse_rows = finch_describe(sparse(thin), c3(:, 1));
assert(issparse(sparse_rows.means));
sparse_rows.means = full(sparse_rows.means);
assert(isequaln(sparse_rows, full_rows));

% Data of 0 and 1, of any class.
bits = rand(12, 40)(mod(0:99, 12) + 1, :) + 0.3 * rand(100, 40) > 0.65;
for metric = {'hamming', 'jaccard'}
  [c2, num_clust2, req_c2, info2] = FINCH(bits, 'Metric', metric{1}, 'ReqClust', 3);
  [c3, num_clust3, req_c3, info3] = FINCH(double(bits), 'Metric', metric{1}, 'ReqClust', 3);
  assert({c3, num_clust3, req_c3, info3.distances}, {c2, num_clust2, req_c2, info2.distances});
end
assert(info2.distances(1), 1 - sum(bits(1, :) & bits(info2.firstNeighbors(1), :)) ...
                             / sum(bits(1, :) | bits(info2.firstNeighbors(1), :)), 1e-14);

% Where options may stand, in which case, and which do not change the result.
assert(FINCH(data, []), c);
assert(FINCH(data, [], false), c);
assert(FINCH(data, [], 0, 'Metric', 'euclidean'), c);
assert(FINCH(data, given, 'linkbound', 'NONE'), c);
assert(FINCH(data, 'ReqClust', [], 'From', [], 'Threads', []), c);
for search = {'auto', 'brute', 'kd-tree', 'blocked'}
  [c2, ~, ~, info2] = FINCH(data, 'Neighbors', search{1}, 'Threads', 2);
  assert(c2, c);
  assert(strcmp(search{1}, 'auto') || strcmp(info2.search, search{1}));
end
wide = [data, 2 * data];
[c2, ~, ~, info2] = FINCH(wide, 'Neighbors', 'projected');
assert(c2, FINCH(wide));
assert(info2.search, 'projected');
assert(info2.recall, 1);
[c2, ~, ~, info2] = FINCH(wide, 'Neighbors', 'approximate', 'Recall', 1);
assert(c2, FINCH(wide));
assert(info2.search, 'approximate');
assert(info2.recall > 0.9 && info2.recall <= 1);
% Fewer found, but the same ones for the same seed.
[c2, ~, ~, info2] = FINCH(wide, 'Neighbors', 'approximate', 'Recall', 0.5, 'Seed', 3);
assert(c2, FINCH(wide, 'Neighbors', 'approximate', 'Recall', 0.5, 'Seed', 3));
assert(info2.search, 'approximate');
assert(info2.recall >= 0.4 && info2.recall <= 1);
assert(strncmp(info2.explanation, 'approximate search, as asked for; recall', 40));
[c2, ~, ~, info2] = FINCH(data, 'TimeLimit', 60);
assert(c2, c);
assert(info2.recall, 1);
assert(FINCH(data, 'Metric', 'cityblock'), FINCH(data, 'Metric', 'manhattan'));
assert(! isequal(FINCH(data, 'Metric', 'cosine'), c));

% Printing.
lines = sprintf('Partition %d: %d clusters\n', [1:numel(num_clust); num_clust]);
assert(evalc('FINCH(data, [], true);'), lines);
assert(evalc('FINCH(data, [], 1);'), lines);
assert(evalc('FINCH(data, ''Verbose'', true);'), lines);
assert(evalc('FINCH(data, given, false); FINCH(data);'), '');

% Exactly K.
[c2, ~, req_c] = FINCH(data, [], false, 'ReqClust', 7, 'Linkage', 'ward');
assert(c2, c);
assert(size(req_c), [300, 1]);
assert(unique(req_c)', 1:7);
[~, ~, req_c] = FINCH(data, 'ReqClust', num_clust(1), 'From', 1);
assert(req_c, c(:, 1));
% By default by neighbour linkage from the finest partition, and nested if asked for.
[~, ~, req_c] = FINCH(data, 'ReqClust', 7);
[~, ~, req_c2] = FINCH(data, 'ReqClust', 7, 'Linkage', 'Neighbor', 'From', 1);
assert(req_c, req_c2);
% By means each sample is nearest to the mean of its own cluster.
[~, ~, req_c] = FINCH(data, 'ReqClust', 7, 'Linkage', 'means');
means = cell2mat(arrayfun(@(k) mean(data(req_c == k, :), 1), (1:7)', 'UniformOutput', false));
apart = sum(data .^ 2, 2) - 2 * data * means' + sum(means .^ 2, 2)';
[~, nearest] = min(apart, [], 2);
assert(nearest, double(req_c));
[~, ~, req_c2] = FINCH(data, 'ReqClust', 7, 'Nested', true);
[~, ~, req_c] = FINCH(data, 'ReqClust', 4, 'Nested', true);
assert(rows(unique([req_c, req_c2], 'rows')), 7);

% Matrices that Octave keeps in forms of its own, parts of others, and the smallest.
assert(FINCH(eye(4)), FINCH(full(eye(4) + 0)));
assert(FINCH((1:9)'), FINCH([1 2 3 4 5 6 7 8 9]'));
assert(FINCH(1:9), 1);
wide = [zeros(300, 2), data, zeros(300, 2)];
assert(FINCH(wide(:, 3:7)), c);
assert(FINCH(wide(end:-1:1, 3:7)(end:-1:1, :)), c);
[c, num_clust, req_c, info] = FINCH(42, 'ReqClust', 1);
assert({c, num_clust, req_c}, {1, 1, 1});
assert(isempty(info.firstNeighbors) && isempty(info.distances));

assert(! isempty(strfind(evalc('help FINCH'), 'OPTIONS')));

% Rules for exactly K clusters.
points = [0 1 10 11 20 21]';
[~, ~, req_c] = FINCH(points, 'ReqClust', 2, 'MustLink', [1 5], 'CannotLink', [3 4]);
assert(req_c, [1 1 1 2 1 1]');
[~, ~, req_c] = FINCH(points, 'ReqClust', 2, 'MinSize', 2, 'MaxSize', 4, 'CannotLink', [2 3; 1 6]);
assert(req_c, [1 1 2 2 2 2]');
far = abs(points - points');
[~, ~, req_c] = finch_cluster_distances(far, 'ReqClust', 3, 'MustLink', [1 2; 3 4; 5 6]);
assert(req_c, [1 1 2 2 3 3]');
pairs = randi(300, 40, 2);
pairs = pairs(pairs(:, 1) != pairs(:, 2), :);
data = rand(300, 5);
[~, ~, req_c] = FINCH(data, 'ReqClust', 6, 'CannotLink', pairs(1:9, :), 'MinSize', 20);
assert(all(req_c(pairs(1:9, 1)) != req_c(pairs(1:9, 2))));
assert(all(sum(req_c == 1:6) >= 20));

% Times: two things take turns.
turns = [0 0.3 9 9.3 0.1 0.15]';
assert(FINCH(turns)(:, 1), [1 1 2 2 1 1]');
assert(FINCH(turns, 'Times', 1:6)(:, 1), [1 1 2 2 3 3]');
[c, ~, req_c] = FINCH(turns, 'Times', [6 5 4 3 2 1], 'Contiguous', true, 'ReqClust', 2);
assert(c(:, 1), [1 1 2 2 3 3]');
assert(sum(diff(req_c) != 0), 1);

% An approximate search that finds less than was asked for warns, and does not fail.
noise = reshape(mod((1:10000 * 64) .* 0.6180339887498949, 1), 10000, 64);
noise = mod(noise .* 1e4 .* (1 + noise), 1);
lastwarn('', '');
[c, num_clust] = FINCH(noise, 'Neighbors', 'approximate', 'TimeLimit', 1e-9);
[message, id] = lastwarn();
assert(id, 'finch:lowRecall');
assert(! isempty(strfind(message, '99 % were asked for')), message);

% Zero rows are a cluster of their own under cosine, and a warning counts them as the language does.
lastwarn('', '');
c = FINCH([5 0; 5 0.1; 0 5; 0.1 5; 0 0], 'Metric', 'cosine');
assert(c(:, 1), [1 1 2 2 3]');
[message, id] = lastwarn();
assert(id, 'finch:zeroRows');
assert(! isempty(strfind(message, 'sample 5 is all zeros')), message);
lastwarn('', '');
FINCH(noise);
assert(lastwarn(), '');
finch_neighbors(noise, 3, 'Neighbors', 'approximate', 'TimeLimit', 1e-9);
[message, id] = lastwarn();
assert(id, 'finch:lowRecall');
assert(! isempty(strfind(message, '99 % were asked for')), message);
