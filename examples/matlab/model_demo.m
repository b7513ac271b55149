% MODEL_DEMO  Keep a clustering: how many clusters, the clusters of new samples, a tree, and the sample
% in the middle of each cluster. Numbers are printed from 0, as by the examples in other languages.

addpath(fileparts(mfilename('fullpath')));
x = [0 0; 0 1; 1 0; 1 1.2; 8 8; 8 9; 9 8; 9 9.1; 20 0; 20 1; 21 0; 21 1.1];
new_x = [0.4 0.4; 20.4 0.6];

[labels, clusters] = finch_suggest(x);
fprintf('suggested: %d\n', clusters);
fprintf('labels:%s\n', sprintf(' %d', labels - 1));

% The suggested clusters are the labelling after the partitions.
model = finch_model(x, 'Refined', labels);
predicted = finch_predict(model, new_x, 'Labelling', size(model.c, 2));
fprintf('predicted:%s\n', sprintf(' %d', predicted - 1));

[~, newick] = finch_tree(x);
fprintf('newick: %s\n', newick);

description = finch_describe(x, labels);
fprintf('medoids:%s\n', sprintf(' %d', description.medoids - 1));
