"""Progress, callbacks that stop or raise, Ctrl-C and other signals."""

import gc
import signal
import sys
import time
import unittest
import weakref

import numpy as np
from common import finch, interrupt_soon, long_run, noise


class Progress(unittest.TestCase):
    def setUp(self):
        self.X = np.random.default_rng(5).normal(size=(2000, 20))
        self.dropped = []
        hook, sys.unraisablehook = sys.unraisablehook, self.dropped.append
        self.addCleanup(setattr, sys, "unraisablehook", hook)
        self.addCleanup(lambda: self.assertEqual(self.dropped, [], "exceptions were dropped"))

    def runs(self):
        """Every function that takes a callback."""
        hierarchy = finch.cluster(self.X)
        keeping = finch.cluster(self.X, refinable=True)
        index, key = np.full(2000, -1, np.int32), np.zeros(2000)
        nearest = finch.nearest_neighbors(self.X, 3)
        model = finch.Model(hierarchy, self.X)
        return [
            lambda told: finch.cluster(self.X, progress=told),
            lambda told: finch.first_neighbors(self.X, progress=told),
            lambda told: finch.update_neighbors(self.X, 0, self.X, 0, index, key, progress=told),
            lambda told: hierarchy.refine(self.X, 2, progress=told),
            lambda told: keeping.refine(self.X, 2, progress=told),
            lambda told: hierarchy.refine(
                self.X, 2, linkage="ward", from_partition=0, progress=told
            ),
            lambda told: hierarchy.suggest(self.X, progress=told),
            lambda told: keeping.dendrogram(self.X, progress=told),
            lambda told: hierarchy.outlier_scores(self.X, progress=told),
            lambda told: hierarchy.extend(self.X, progress=told),
            lambda told: finch.cluster_neighbors(*nearest, self.X, progress=told),
            lambda told: finch.nearest_neighbors(self.X, 3, progress=told),
            lambda told: finch.describe(self.X, hierarchy[1], progress=told),
            lambda told: model.predict(self.X, progress=told),
            lambda told: model.extend(self.X[:50], progress=told),
        ]

    def test_is_told_from_0_to_1(self):
        search = ["neighbors"]
        stages = [search, search, search, [*search, "link"], ["link"], ["merge"]]
        stages += [[*search, "link"], ["link"], [*search, "describe"], search, search, search]
        stages += [["describe"], ["predict"], search]
        for run, expected in zip(self.runs(), stages):
            seen = []
            run(seen.append)
            self.assertEqual((seen[0].fraction, seen[-1].fraction), (0.0, 1.0))
            self.assertEqual(list(dict.fromkeys(told.stage for told in seen)), expected)
            for before, now in zip(seen, seen[1:]):
                if before.stage == now.stage:
                    self.assertLessEqual(before[1:], now[1:], "neither level nor fraction falls")

    def test_a_true_value_stops(self):
        for run in self.runs():
            with self.assertRaises(finch.Cancelled) as caught:
                run(lambda told: "stop")
            self.assertEqual(caught.exception.status, "FINCH_CANCELLED")
        calls = []
        with self.assertRaises(finch.Cancelled):
            finch.cluster(self.X, progress=lambda told: calls.append(told) or told.level == 1)
        self.assertEqual(calls[-1].level, 1)

    def test_exceptions_pass_through(self):
        for exception in (
            KeyError("mine"),
            SystemExit(3),
            StopIteration(),
            GeneratorExit(),
            KeyboardInterrupt(),
        ):

            def fail(told, exception=exception):
                raise exception

            for run in self.runs():
                with self.assertRaises(type(exception)) as caught:
                    run(fail)
                self.assertIs(caught.exception, exception)
        self.assertEqual(finch.cluster(self.X).n_samples, 2000)

    def test_an_exception_keeps_nothing_alive(self):
        X = self.X.copy()
        alive = weakref.ref(X)
        gc.disable()
        self.addCleanup(gc.enable)
        try:
            finch.cluster(X, progress=lambda told: 1 / 0)
        except ZeroDivisionError:
            pass
        del X
        self.assertIsNone(alive())

    def test_the_callback_may_call_finch(self):
        inner = []
        finch.cluster(self.X, progress=lambda told: inner.append(finch.cluster(self.X[:50])))
        expected = finch.cluster(self.X[:50]).labels
        self.assertGreater(len(inner), 1)
        for hierarchy in inner:
            np.testing.assert_array_equal(hierarchy.labels, expected)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "signals of POSIX")
    def test_control_c_stops_a_long_run(self):
        for options in ({}, {"progress": lambda told: None}, {"threads": 1}):
            sent = interrupt_soon()
            with self.assertRaises(KeyboardInterrupt):
                long_run(**options)
            self.assertLess(time.monotonic() - sent[0], 1.0)
        self.assertEqual(finch.cluster(self.X).n_samples, 2000)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "signals of POSIX")
    def test_what_a_signal_handler_raises_stops_a_long_run(self):
        def late(number, frame):
            raise TimeoutError("late")

        before = signal.signal(signal.SIGALRM, late)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        sent = interrupt_soon(signal.SIGALRM)
        with self.assertRaisesRegex(TimeoutError, "late"):
            long_run()
        self.assertLess(time.monotonic() - sent[0], 1.0)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "signals of POSIX")
    def test_a_handler_that_returns_stops_nothing(self):
        handled = []
        before = signal.signal(signal.SIGINT, lambda number, frame: handled.append(number))
        self.addCleanup(signal.signal, signal.SIGINT, before)
        interrupt_soon(after=0.1)
        X = noise()
        while not handled:
            finch.cluster(X)
