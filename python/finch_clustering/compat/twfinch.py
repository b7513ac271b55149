"""FINCH as the folder TW-FINCH/python of the authors has it, where time counts by default.

    from finch_clustering.compat.twfinch import FINCH  # was: from twfinch import FINCH, or from finch
"""

from __future__ import annotations

from typing import Any

from ._finch_clust import FINCH as _FINCH


def FINCH(
    data: Any,
    initial_rank: Any = None,
    req_clust: Any = None,
    distance: Any = "cosine",
    tw_finch: bool = True,
    ensure_early_exit: bool = False,
    verbose: bool = True,
) -> tuple[Any, ...]:
    """Clusters the rows of data, N x d, the frames of a video: (c, num_clust, req_c).

    The arguments are those of `finch_clustering.compat.FINCH`, in the order that this folder has. With
    tw_finch nothing is printed, as in the folder.
    """
    return _FINCH(
        data,
        req_clust,
        initial_rank,
        distance,
        ensure_early_exit,
        verbose=verbose and not tw_finch,
        tw_finch=bool(tw_finch),
    )
