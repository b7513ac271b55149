"""Photos of people, some of whom a user has named: new photos come, names stay, and the rest regroups.

pip install ./python; python examples/python/people.py

Made vectors stand for those that a network gives for faces.
"""

import finch_clustering as finch
import numpy as np

random = np.random.default_rng(1)
faces = random.normal(size=(5, 128))


def photos(person, count):
    return faces[person] + 0.7 * random.normal(size=(count, 128))


# The first day: clusters without names.
X = np.concatenate([photos(person, 20) for person in (0, 1, 2)])
hierarchy = finch.cluster(X, metric="cosine")
labels = hierarchy.suggest(X).labels
print("clusters:", np.bincount(labels).tolist())

# A user names the first two. Ten photos of the second that lay in another album join her cluster by hand.
album = photos(1, 10)
people = {int(labels[0]): "Ada", int(labels[20]): "Grace"}
X, labels = np.concatenate([X, album]), np.append(labels, np.full(10, labels[20]))

# The next day: photos of Ada, of the third, who has no name yet, and of two whom nobody has seen.
X = np.concatenate([X, photos(0, 5), photos(2, 5), photos(3, 8), photos(4, 8)])
grown = finch.regroup(hierarchy, X, labels, named=list(people))
for cluster, fate in zip(dict.fromkeys(grown.labels.tolist()), grown.fates):
    name = people.get(cluster, f"person {cluster}")
    print(f"{name}: {(grown.labels == cluster).sum()} photos, {fate}")

# Another year, without the old photos: their means are enough.
names = finch.ClusterNames.of(X, grown.labels, metric="cosine")
X = np.concatenate([photos(4, 6), photos(1, 6)])
kept = finch.keep_labels_by_means(names, finch.cluster(X, metric="cosine").suggest(X).labels, X)
print("seen again:", [people.get(name, f"person {name}") for name in kept.cluster_names.tolist()])
