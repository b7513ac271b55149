"""Binary trees, for SciPy and for programs that draw trees."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Sequence
from ctypes import byref, c_char_p, c_size_t, c_void_p, string_at
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._c.errors import Error, check
from ._c.handle import Handle
from ._c.library import lib
from ._c.names import TREE_FORMATS
from ._c.repr import html_table


class Tree:
    """A binary tree of L leaves, as `Hierarchy.tree` and `Dendrogram.tree` make it.

    Nodes are numbered as in SciPy, leaves first, then joins in their order. Heights are finite and
    never fall from join to join.

    names, which methods take, are L names of leaves, quoted as the format asks for; None names
    leaves by their numbers.
    """

    def __init__(self, handle: Handle | None, rows: NDArray[np.float64] | None = None) -> None:
        self._handle = handle
        # The linkage matrix of a tree out of a pickle, which has no memory of the library.
        self._rows = np.empty((0, 4)) if rows is None else rows
        # A text is the tree's until its next text.
        self._text_is_lent = Lock()

    def __reduce__(self) -> Any:
        return Tree, (None, self.linkage())

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, memo: Any) -> Tree:
        # A tree never changes.
        return self

    @property
    def n_leaves(self) -> int:
        """The number of leaves, L."""
        if self._handle is None:
            return len(self._rows) + 1
        return int(lib.finch_tree_leaf_count(self._handle))

    @property
    def depth(self) -> int:
        """The most joins between a leaf and the root: L - 1 in a chain, as samples in a row make it.

        json.loads, SciPy's dendrogram and other programs that call themselves at each join end in a
        RecursionError where this is a thousand or more. `linkage` and `plot.dendrogram` do not; a
        `Dendrogram.tree` without the hierarchy has clusters as leaves, and is less deep; and
        sys.setrecursionlimit(4 * tree.depth + 1000) lets SciPy go on.
        """
        if self._handle is None:
            return _depth(self._rows)
        return int(lib.finch_tree_depth(self._handle))

    def __repr__(self) -> str:
        return f"<finch_clustering.Tree: {self.n_leaves} leaves>"

    def _repr_html_(self) -> str:
        return html_table(repr(self), ("leaves", "depth"), [(self.n_leaves, self.depth)])

    def linkage(self) -> NDArray[np.float64]:
        """SciPy's linkage matrix, (L - 1) x 4: for each join the two nodes, the smaller number
        first, the height, and the number of leaves below."""
        if self._handle is None:
            return self._rows.copy()
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
        if self._handle is None:
            return _written(self._rows, form, None if names is None else list(names))
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


def _depth(rows: NDArray[np.float64]) -> int:
    """The most joins between a leaf and the root."""
    depths = [0] * (2 * len(rows) + 1)
    for join, (a, b) in enumerate(rows[:, :2].astype(int).tolist(), len(rows) + 1):
        depths[join] = 1 + max(depths[a], depths[b])
    return depths[-1]


def _written(rows: NDArray[np.float64], form: str, names: list[str] | None) -> str:
    """The text of a linkage matrix, as the library writes it: `finch-core/src/hierarchy/tree/text.rs`."""
    leaves = len(rows) + 1
    if names is not None and len(names) != leaves:
        raise Error(
            f"{len(names)} names were given for the {leaves} leaves of the tree", "FINCH_SAMPLE_COUNT"
        )
    joins = rows[:, :2].astype(int).tolist()
    heights = [0.0] * leaves + rows[:, 2].tolist()
    labels = [str(leaf) for leaf in range(leaves)] if names is None else names
    if form == "dot":
        quoted = [name.translate(_DOT) for name in labels]
        lines = [f'  {leaf} [label="{name}"];' for leaf, name in enumerate(quoted)]
        for node, (a, b) in enumerate(joins, leaves):
            lines.append(f'  {node} [label="{_number(heights[node])}"]; {node} -- {a}; {node} -- {b};')
        return "\n".join(["graph tree {", "  node [shape=plaintext];", *lines, "}"])
    counts = [1] * leaves + rows[:, 3].astype(int).tolist()
    pieces = []
    for step, node, parent in _walk(joins, leaves):
        length = "" if parent is None else f":{_number(heights[parent] - heights[node])}"
        if form == "newick":
            leaf = "" if node >= leaves else labels[node] if names is None else _newick(labels[node])
            pieces.append({"leaf": leaf + length, "down": "(", "between": ",", "up": f"){length}"}[step])
        elif step == "leaf":
            name = json.dumps(labels[node], ensure_ascii=False)
            # The library writes these two by their numbers.
            name = name.replace("\\b", "\\u0008").replace("\\f", "\\u000c")
            pieces.append(f'{{"name":{name},"height":0,"count":1}}')
        else:
            down = f'{{"height":{_number(heights[node])},"count":{counts[node]},"children":['
            pieces.append({"down": down, "between": ",", "up": "]}"}[step])
    return "".join(pieces) + ";" * (form == "newick")


def _walk(joins: list[list[int]], leaves: int) -> Iterator[tuple[str, int, int | None]]:
    """Each step down and up through a tree from its root, the node, and its parent."""
    ahead: list[tuple[str, int, int | None]] = [("down", 2 * (leaves - 1), None)]
    while ahead:
        step, node, parent = ahead.pop()
        if step == "down" and node < leaves:
            yield "leaf", node, parent
            continue
        if step == "down":
            a, b = joins[node - leaves]
            ahead.append(("up", node, parent))
            ahead.append(("down", b, node))
            ahead.append(("between", node, parent))
            ahead.append(("down", a, node))
        yield step, node, parent


_PLAIN = set(string.ascii_letters + string.digits + ".-+")
_DOT = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "&": "&amp;"})


def _newick(name: str) -> str:
    """A name as a label of Newick, in quotes where a character may mean something else to a reader."""
    return name if set(name) <= _PLAIN else "'" + name.replace("'", "''") + "'"


def _number(number: float) -> str:
    """A number in the fewest digits that read back as the same number, as the library writes it."""
    if number == 0 or 1e-5 <= abs(number) < 1e16:
        return str(np.format_float_positional(number, trim="-"))
    mantissa, exponent = f"{np.format_float_scientific(number, trim='-')}".split("e")
    return f"{mantissa}e{int(exponent)}"
