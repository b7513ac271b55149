"""Binary trees, for SciPy and for programs that draw trees."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref, c_char_p, c_size_t, c_void_p, string_at
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._c.errors import check
from ._c.handle import Handle
from ._c.library import lib
from ._c.names import TREE_FORMATS


class Tree:
    """A binary tree of L leaves, as `Hierarchy.tree` and `Dendrogram.tree` make it.

    Nodes are numbered as in SciPy, leaves first, then joins in their order. Heights are finite and
    never fall from join to join.

    names, which methods take, are L names of leaves, quoted as the format asks for; None names
    leaves by their numbers.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        # A text is the tree's until its next text.
        self._text_is_lent = Lock()

    @property
    def n_leaves(self) -> int:
        """The number of leaves, L."""
        return int(lib.finch_tree_leaf_count(self._handle))

    @property
    def depth(self) -> int:
        """The most joins between a leaf and the root: L - 1 in a chain, as samples in a row make it.

        json.loads, SciPy's dendrogram and other programs that call themselves at each join end in a
        RecursionError where this is a thousand or more. `linkage` and `plot.dendrogram` do not; a
        `Dendrogram.tree` without the hierarchy has clusters as leaves, and is less deep; and
        sys.setrecursionlimit(4 * tree.depth + 1000) lets SciPy go on.
        """
        return int(lib.finch_tree_depth(self._handle))

    def __repr__(self) -> str:
        return f"<finch_clustering.Tree: {self.n_leaves} leaves>"

    def __reduce__(self) -> Any:
        raise TypeError(
            "a finch_clustering.Tree can be neither copied nor pickled: keep its .linkage()"
        )

    def linkage(self) -> NDArray[np.float64]:
        """SciPy's linkage matrix, (L - 1) x 4: for each join the two nodes, the smaller number
        first, the height, and the number of leaves below."""
        rows = np.empty((self.n_leaves - 1, 4))
        check(lib.finch_tree_linkage(self._handle, rows.ctypes.data, rows.size))
        return rows

    def newick(self, names: Sequence[str] | None = None) -> str:
        """The tree in Newick format, with the lengths of branches."""
        return self._text("newick", names)

    def json(self, names: Sequence[str] | None = None) -> str:
        """The tree in JSON: nested nodes, as d3-hierarchy takes them; `depth` levels of them."""
        return self._text("json", names)

    def dot(self, names: Sequence[str] | None = None) -> str:
        """The tree as a graph in DOT, the language of Graphviz."""
        return self._text("dot", names)

    def _text(self, form: str, names: Sequence[str] | None) -> str:
        text, length = c_void_p(), c_size_t()
        given = None if names is None else _strings(names)
        arguments = (given, 0 if given is None else len(given), byref(text), byref(length))
        with self._text_is_lent:
            check(lib.finch_tree_text(self._handle, TREE_FORMATS.index(form), *arguments))
            return string_at(text.value or 0, length.value).decode()


def _strings(names: Sequence[str]) -> Any:
    """Names as C takes them."""
    if isinstance(names, str):
        raise TypeError("names is a string: give a name for each leaf")
    encoded = []
    for leaf, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"the name of leaf {leaf} is {name!r}: give strings")
        if "\0" in name:
            raise ValueError(f"the name of leaf {leaf}, {name!r}, has a zero character")
        encoded.append(name.encode())
    return (c_char_p * len(encoded))(*encoded)
