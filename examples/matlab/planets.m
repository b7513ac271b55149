% PLANETS  Cluster the planets and the Moon by fifteen attributes, as in Fig. 1 of the paper.

here = fileparts(mfilename('fullpath'));
addpath(here);
lines = strsplit(strtrim(fileread(fullfile(here, '..', 'data', 'planets.csv'))), '\n');
table = cellfun(@(line) strsplit(line, ','), lines(2:end), 'UniformOutput', false);
table = vertcat(table{:});
names = table(:, 1);
data = str2double(table(:, 2:end));

[c, num_clust] = FINCH(data);
fprintf('%d clusters\n', num_clust(1));
for cluster = 1:num_clust(1)
  fprintf('  %s\n', strjoin(names(c(:, 1) == cluster)', ', '));
end
