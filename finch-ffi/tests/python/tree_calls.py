"""Dendrograms and trees by the functions of finch.h, for what tests them from Python."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_size_t, c_void_p

import numpy as np
from finch._arrays import Samples
from finch._errors import check
from finch._header import Matrix, Options
from finch._library import lib
from finch._names import LINKAGES
from finch._options import default_options

FORMATS = {"newick": 0, "json": 1, "dot": 2}

PROTOTYPES = {
    "finch_hierarchy_dendrogram": (
        c_int32,
        [c_void_p, POINTER(Matrix), POINTER(Options), c_size_t, c_void_p],
    ),
    "finch_dendrogram_free": (None, [c_void_p]),
    "finch_dendrogram_start_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_merge_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_sample_count": (c_size_t, [c_void_p]),
    "finch_dendrogram_cut": (c_int32, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "finch_tree_of_hierarchy": (c_int32, [c_void_p, c_void_p]),
    "finch_tree_of_dendrogram": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "finch_tree_free": (None, [c_void_p]),
    "finch_tree_leaf_count": (c_size_t, [c_void_p]),
    "finch_tree_linkage": (c_int32, [c_void_p, c_void_p, c_size_t]),
    "finch_tree_text": (
        c_int32,
        [c_void_p, c_int32, c_void_p, c_size_t, POINTER(c_char_p), POINTER(c_size_t)],
    ),
}
for name, (result, arguments) in PROTOTYPES.items():
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments


class Dendrogram:
    """Merges of the clusters of a hierarchy's partition, down to `clusters`."""

    def __init__(self, hierarchy, X, clusters=1, linkage="neighbor", from_partition=-1):
        samples = Samples(X)
        options = default_options(linkage=LINKAGES.index(linkage), from_=from_partition)
        self.handle = c_void_p()
        arguments = (hierarchy._handle, byref(samples.matrix), byref(options), clusters)
        check(lib.finch_hierarchy_dendrogram(*arguments, byref(self.handle)))
        self.start = lib.finch_dendrogram_start_count(self.handle)
        self.merges = lib.finch_dendrogram_merge_count(self.handle)

    def __del__(self):
        lib.finch_dendrogram_free(self.handle)

    def cut(self, clusters):
        labels = np.empty(lib.finch_dendrogram_sample_count(self.handle), np.int32)
        check(lib.finch_dendrogram_cut(self.handle, clusters, labels.ctypes.data, labels.size))
        return labels


class Tree:
    """A tree of a hierarchy; of a dendrogram, with its hierarchy or without."""

    def __init__(self, hierarchy=None, dendrogram=None):
        self.handle = c_void_p()
        of_hierarchy = hierarchy._handle if hierarchy is not None else None
        if dendrogram is None:
            check(lib.finch_tree_of_hierarchy(of_hierarchy, byref(self.handle)))
        else:
            arguments = (dendrogram.handle, of_hierarchy, byref(self.handle))
            check(lib.finch_tree_of_dendrogram(*arguments))
        self.leaves = lib.finch_tree_leaf_count(self.handle)

    def __del__(self):
        lib.finch_tree_free(self.handle)

    def linkage(self):
        rows = np.empty((self.leaves - 1, 4))
        check(lib.finch_tree_linkage(self.handle, rows.ctypes.data, rows.size))
        return rows

    def text(self, format, names=None):
        text, length = c_char_p(), c_size_t()
        given = None
        if names is not None:
            given = (c_char_p * len(names))(*(name.encode() for name in names))
        check(
            lib.finch_tree_text(
                self.handle,
                FORMATS[format],
                ctypes.cast(given, c_void_p) if given else None,
                len(names or ()),
                byref(text),
                byref(length),
            )
        )
        assert len(text.value) == length.value
        return text.value.decode()


def numbered(labels):
    """The same clusters, numbered by first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse]
