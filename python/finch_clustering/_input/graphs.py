"""Graphs of networkx and igraph as sparse matrices of distances. Neither is imported here."""

from __future__ import annotations

from typing import Any

import numpy as np


def matrix_of_graph(graph: Any, weight: str = "weight") -> Any:
    """A sparse matrix, N x N, of the distances that edges have in an attribute; anything else as it is.

    Samples are nodes in the order of `graph.nodes` or `graph.vs`. An edge without direction counts for both
    of its nodes, and of edges between two nodes the shortest.

    Errors: a ValueError for an edge without the attribute.
    """
    if hasattr(graph, "number_of_nodes") and hasattr(graph, "edges"):
        place = {node: number for number, node in enumerate(graph.nodes)}
        edges = [(place[a], place[b], data.get(weight)) for a, b, data in graph.edges(data=True)]
        size, directed = len(place), graph.is_directed()
    elif hasattr(graph, "vcount") and hasattr(graph, "get_edgelist"):
        known = weight in graph.es.attributes()
        values = graph.es[weight] if known else [None] * graph.ecount()
        edges = [(a, b, value) for (a, b), value in zip(graph.get_edgelist(), values)]
        size, directed = graph.vcount(), graph.is_directed()
    else:
        return graph
    missing = next((number for number, edge in enumerate(edges) if edge[2] is None), None)
    if missing is not None:
        raise ValueError(
            f"edge {missing} of the graph, from node {edges[missing][0]} to {edges[missing][1]}, has no"
            f" {weight!r}: give each edge the distance of its nodes there"
        )
    shortest: dict[tuple[int, int], float] = {}
    for a, b, value in edges:
        for pair in ((a, b),) if directed else ((a, b), (b, a)):
            shortest[pair] = min(float(value), shortest.get(pair, np.inf))
    from scipy.sparse import csr_array

    places = np.array(list(shortest), np.int64).reshape(-1, 2)
    return csr_array((np.array(list(shortest.values()), float), places.T), shape=(size, size))
