"""A model to keep: a number of clusters is suggested, new samples get their labels, and the tree goes
to other programs.

pip install ./python; python examples/python/model.py
"""

import tempfile
from pathlib import Path

import finch_clustering as finch

samples = [
    [0, 0], [0, 1], [1, 0], [1, 1.2],
    [8, 8], [8, 9], [9, 8], [9, 9.1],
    [20, 0], [20, 1], [21, 0], [21, 1.1],
]  # fmt: skip
new_samples = [[0.4, 0.4], [20.4, 0.6]]

hierarchy = finch.cluster(samples)
cut = hierarchy.suggest(samples)
print("suggested:", cut.n_clusters)
print("labels:", *cut.labels)

model = finch.Model(hierarchy, samples, keep_samples=True, refined=[cut.labels])
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "points.finch")
    model.save(path)
    model = finch.Model.load(path)
print("predicted:", *model.predict(new_samples, labelling=-1).labels)
print("newick:", hierarchy.tree().newick())
print("medoids:", *finch.describe(samples, cut.labels).medoids)
