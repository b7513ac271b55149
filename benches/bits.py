"""First neighbours of packed bits under Hamming beside FAISS's IndexBinaryFlat, in one run.

`PYTHONPATH=python python benches/bits.py [samples] [rounds]` takes faiss-cpu. Codes are the signs
of 256 random projections of a mixture of 1,000 Gaussians in 64 dimensions, and random bits. Both take turns,
on all cores. FAISS searches a part of the samples among all, of which the time for all follows, since
its time is that of the pairs; finch all among all, and approximately, too. Seconds are those of all cores,
and by the clock.
"""

import os
import sys
import time

import faiss
import finch_clustering as finch
import numpy as np

BITS, ASKED = 256, 10_000


def made(kind, samples):
    rng = np.random.default_rng(0)
    if kind == "random":
        return rng.integers(256, size=(samples, BITS // 8), dtype=np.uint8)
    axes, centers = rng.normal(size=(64, BITS)), rng.normal(size=(1000, 64))
    parts = []
    for _ in range(0, samples, 10_000):
        points = centers[rng.integers(1000, size=10_000)] + 0.6 * rng.normal(size=(10_000, 64))
        parts.append(np.packbits(points @ axes > 0, axis=1))
    return np.concatenate(parts)[:samples]


def timed(call):
    before, clock = os.times(), time.perf_counter()
    found = call()
    after = os.times()
    return found, after.user + after.system - before.user - before.system, time.perf_counter() - clock


def by_finch(codes, search):
    return finch.nearest_neighbors(finch.Bits(codes), 1, metric="hamming", search=search)


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    asked = min(ASKED, samples)
    for kind in ("mixture", "random"):
        codes = made(kind, samples)
        index = faiss.IndexBinaryFlat(BITS)
        index.add(codes)
        for _ in range(rounds):
            (far, near), *of_faiss = timed(lambda: index.search(codes[:asked], 2))
            of_faiss = [seconds * samples / asked for seconds in of_faiss]
            (first, distance), *of_finch = timed(lambda: by_finch(codes, "blocked"))
            own = np.arange(asked)
            least = np.where(near[:, 0] == own, far[:, 1], far[:, 0])
            same = np.array_equal(least, np.rint(distance[:asked, 0] * BITS).astype(int))
            (guess, _), *of_guess = timed(lambda: by_finch(codes, "approximate"))
            recall = float(np.mean(guess == first))
            print(
                f"{kind}, {samples} x {BITS}: FAISS {of_faiss[0]:.1f} s ({of_faiss[1]:.1f} by the clock),"
                f" finch {of_finch[0]:.1f} ({of_finch[1]:.1f}), ratio {of_faiss[0] / of_finch[0]:.1f}"
                f" ({of_faiss[1] / of_finch[1]:.1f}), distances {'equal' if same else 'DIFFERENT'};"
                f" approximate {of_guess[0]:.1f} ({of_guess[1]:.1f}), same neighbour {recall:.4f}",
                flush=True,
            )


main()
