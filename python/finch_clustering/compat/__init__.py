"""FINCH as other packages have it, for programs that were written for them.

    from finch_clustering.compat import FINCH           # was: from finch import FINCH  (finch-clust)
    from finch_clustering.compat.twfinch import FINCH   # was: from twfinch import FINCH  (TW-FINCH)
    from finch_clustering.compat.finchpy import FINCH   # was: from finch import FINCH  (finchpy)

The first takes calls of all three: those of finchpy have no samples, and make an object with `fit`; those
of TW-FINCH say tw_finch=True, which the second has by default. docs/coming-from.md has the calls side by
side.

Labels are those of finch-clust 0.2.3 wherever no two distances are equal or nearly equal. Otherwise:

- Both take float32 samples. finch-clust computes distances in float32, by a formula that cancels
  digits, so that nearly equal distances may come in another order. Here distances are exact, and of
  equally near rows the first is the neighbour.
- Where two pairs of clusters are equally near, finch-clust may merge both in one step, and return
  fewer clusters than `req_clust`. Here they are exactly as many.
- Rows of zeros have no direction: under cosine they are at distance 1 from all rows in finch-clust, which
  links them to the first row, and here they are a cluster of their own.
- Above `ann_threshold` rows both may search approximately, and each misses other neighbours.
"""

from ._finch_clust import FINCH

__all__ = ["FINCH"]
