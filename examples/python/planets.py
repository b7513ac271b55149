"""Clusters the rows of a table: a header, then lines of a name and numbers, separated by commas.

pip install ./python; python examples/python/planets.py examples/data/planets.csv
"""

import csv
import sys

import finch_clustering as finch


def read_table(path):
    with open(path, newline="") as file:
        rows = [row for row in list(csv.reader(file))[1:] if row]
    return [row[0] for row in rows], [[float(field) for field in row[1:]] for row in rows]


names, values = read_table(sys.argv[1] if len(sys.argv) > 1 else "examples/data/planets.csv")
hierarchy = finch.cluster(values)
labels = hierarchy[0]
print(hierarchy.n_clusters[0], "clusters")
for cluster in range(hierarchy.n_clusters[0]):
    print("  " + ", ".join(name for name, label in zip(names, labels) if label == cluster))
