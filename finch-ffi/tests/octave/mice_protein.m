% Mice Protein against the labels of the Rust library, and the counts and purities of the paper.
% Arguments: the folder with data and labels, and the file of golden numbers.

places = argv();
folder = places{1};
golden = jsondecode(fileread(places{2}));

function numbers = load_numbers(folder, name, class, rows)
  file = fopen(fullfile(folder, name));
  assert(file >= 0, name);
  numbers = fread(file, [rows, Inf], ['*' class]);
  fclose(file);
end

% The library numbers from 0.
function labels = load_labels(folder, name, rows)
  labels = double(load_numbers(folder, name, 'int32', rows)) + 1;
end

function percent = purity(labels, truth)
  table = accumarray([labels, truth], 1);
  percent = 100 * sum(max(table, [], 2)) / numel(labels);
end

[N, d] = deal(1077, 77);
truth = load_labels(folder, 'y', N);
compared = 0;
for class = {'double', 'single', 'uint8'}
  data = load_numbers(folder, class{1}, class{1}, d)';
  assert(size(data), [N, d]);
  assert(isa(data, class{1}));
  for metric = {'euclidean', 'cosine', 'manhattan'}
    name = [class{1} '-' metric{1} '-'];
    for bound = {'none', 'first-neighbor', 'joined-pair'}
      [c, num_clust] = FINCH(data, 'Metric', metric{1}, 'LinkBound', bound{1});
      assert(c, load_labels(folder, [name bound{1}], N));
      assert(num_clust, max(c));
      key = ['mice_protein_' metric{1} '_' strrep(bound{1}, '-', '_')];
      if strcmp(class{1}, 'double') && isfield(golden, key)
        assert(num_clust', golden.(key).clusters);
        for k = 1:columns(c)
          assert(purity(c(:, k), truth), golden.(key).purity(k), 6e-5);
        end
        compared = compared + 1;
      end
    end
    for linkage = {'neighbor', 'centroid', 'ward'}
      for K = [1, 8, 30, 351, 400, 1077]
        [~, ~, req_c] = FINCH(data, 'Metric', metric{1}, 'ReqClust', K, 'Linkage', linkage{1});
        assert(req_c, load_labels(folder, sprintf('%s%s-%d', name, linkage{1}, K), N));
        assert(numel(unique(req_c)), K);
      end
      [~, ~, req_c] = FINCH(data, 'Metric', metric{1}, 'ReqClust', 8, 'From', 2, ...
                            'Linkage', linkage{1});
      assert(req_c, load_labels(folder, [name linkage{1} '-8-from-2'], N));
    end
  end
end
assert(compared, sum(strncmp(fieldnames(golden), 'mice_protein_', 13)));
