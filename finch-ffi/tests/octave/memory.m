% Neither calls that succeed nor calls that fail leave memory behind. One kept hierarchy takes
% about 60 kB.

function bytes = resident()
  pages = sscanf(fileread('/proc/self/statm'), '%d');
  bytes = 4096 * pages(2);
end

function fail(id, varargin)
  try
    if is_function_handle(varargin{1})
      varargin{1}(varargin{2:end});
    else
      FINCH(varargin{:});
    end
    error('passed');
  catch caught
    assert(caught.identifier, id);
  end
end

function calls(data, bad, times)
  for k = 1:times
    FINCH(data, 'ReqClust', 5);
    fail('finch:nonFinite', bad);
    % These fail beside a hierarchy.
    fail('finch:noSuchPartition', data, 'ReqClust', 2, 'From', 100);
    fail('finch:tooCoarse', data, 'ReqClust', 1000, 'From', 2);
    % And these beside given first neighbours.
    fail('finch:neighborCount', data, [2, ones(1, 2998)]);
    if mod(k, 10) == 0
      % A hierarchy, a dendrogram, a tree, a model and a description, with and without a failure.
      part = data(1:1000, :);
      model = finch_model(part);
      finch_extend(model, part(1:50, :));
      finch_tree(part, 'Of', 'dendrogram');
      finch_describe(part, model.c(:, 1));
      fail('finch:noSuchCut', @finch_dendrogram, part, 'Cuts', 1001);
      fail('finch:sampleCount', @finch_tree, part, 'Names', {'one'});
      fail('finch:nonFinite', @finch_predict, model, bad);
    end
  end
end

rand('twister', 1);
data = rand(3000, 3);
bad = data;
bad(end) = NaN;
calls(data, bad, 100);
before = resident();
calls(data, bad, 400);
grown = resident() - before;
assert(grown < 4e6, 'memory grew by %d bytes', grown);
