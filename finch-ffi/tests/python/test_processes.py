"""Several threads at once, and forked processes."""

import os
import signal
import threading
import time
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from common import finch, noise


class Processes(unittest.TestCase):
    def test_from_four_threads_at_once(self):
        sets = [np.random.default_rng(i).normal(size=(1500, 8 + i)) for i in range(4)]
        expected = [finch.cluster(X).labels for X in sets]

        def work(i):
            for _ in range(5):
                np.testing.assert_array_equal(finch.cluster(sets[i]).labels, expected[i])
                bad = sets[i].copy()
                bad[i, i] = np.nan
                with self.assertRaisesRegex(finch.Error, f"row {i}, column {i} "):
                    finch.cluster(bad)
            return i

        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(work, range(4))), [0, 1, 2, 3])

    def test_other_threads_run_meanwhile(self):
        ticks = []
        stop = threading.Event()

        def tick():
            while not stop.wait(0.005):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        began = time.monotonic()
        finch.cluster(noise())
        ended = time.monotonic()
        stop.set()
        thread.join()
        self.assertGreater(sum(began < at < ended for at in ticks), 5)

    def test_one_hierarchy_in_many_threads(self):
        X = np.random.default_rng(8).normal(size=(1000, 6))
        hierarchy = finch.cluster(X)
        expected = hierarchy.refine(X, 9).tolist()
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: hierarchy.refine(X, 9).tolist(), range(8)))
        self.assertEqual(found, [expected] * 8)

    @unittest.skipUnless(hasattr(os, "fork"), "fork of POSIX")
    def test_after_fork(self):
        X = np.random.default_rng(9).normal(size=(1500, 12))
        hierarchy = finch.cluster(X)
        expected = hierarchy.labels
        with warnings.catch_warnings():
            # Python 3.12 warns of what is tested here.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            try:
                same = np.array_equal(finch.cluster(X).labels, expected)
                same &= np.array_equal(hierarchy.labels, expected)
                same &= finch.first_neighbors(X).index.size == 1500
                same &= hierarchy.refine(X, 5).max() == 4
                same &= hierarchy.means(0, X).shape == (hierarchy.n_clusters[0], X.shape[1])
                os._exit(0 if same else 1)
            finally:
                os._exit(2)
        self.assertEqual(self.wait(child), 0)
        np.testing.assert_array_equal(finch.cluster(X).labels, expected)

    def wait(self, child):
        """How a child ended, which may hang."""
        for _ in range(600):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        self.fail("the child hung")
