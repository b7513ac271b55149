% The compiled file stays where worker threads sleep in it, whatever is cleared.

rand('twister', 1);
x = rand(3000, 30);
c = FINCH(x);
assert(mislocked('finch_mex'));
for how = {'mex', 'functions', '-f', 'finch_mex', 'FINCH'}
  clear(how{1});
  assert(mislocked('finch_mex'));
  assert(FINCH(x), c);
end
clear all
assert(mislocked('finch_mex'));
rand('twister', 1);
[c, num_clust] = FINCH(rand(3000, 30));
assert(max(c), num_clust);
clear all
