# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads, processes, Ctrl-C and progress."""

import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import threading
import time
import unittest
import warnings

import numpy as np

import masing
from support import DAMPER, EXAMPLES, TestCase

VALUES = np.linspace(5, 200, 5000)  # takes minutes


def long_study(model, **options):
    return model.copy({"harmonics": 60}).study("damper.preload", VALUES, **options)


class Parallel(TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", masing.AnalysisWarning)
        self.models = [masing.Model(DAMPER).set("damper.preload", n) for n in (10, 20, 40, 80)]
        self.models += [masing.Model(EXAMPLES / "duffing.yaml")]
        self.wanted = [model.frf(threads=1) for model in self.models]

    def same(self, found):
        for one, other in zip(found, self.wanted):
            self.assertEqual(list(one), list(other))
            for name in other:
                np.testing.assert_array_equal(one[name], other[name])
            self.assertEqual(repr(one.peak), repr(other.peak))
        self.assertEqual(len(found), len(self.wanted))

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for _ in range(5):
                self.same(list(pool.map(masing.Model.frf, self.models)))
            shared = list(pool.map(lambda _: self.models[0].frf(), range(10)))
        for found in shared:
            np.testing.assert_array_equal(found["m2_max"], self.wanted[0]["m2_max"])

    def test_a_model_that_is_set_meanwhile(self):
        model, errors = masing.Model(DAMPER), []

        def solve():
            for _ in range(20):
                peak = model.frf().peak.max
                if peak not in allowed:
                    errors.append(peak)

        allowed = {self.models[k].frf().peak.max for k in (0, 1)}
        model.set("damper.preload", 10)
        threads = [threading.Thread(target=solve) for _ in range(2)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            for value in (10, 20):
                model.set("damper.preload", value)
        self.assertEqual(errors, [])

    def test_others_run_while_the_library_computes(self):
        stop, count = threading.Event(), 0

        def watch(fraction, points):
            if stop.is_set():
                raise RuntimeError("enough")

        thread = threading.Thread(target=self.assertRaises, args=(
            RuntimeError, lambda: long_study(self.models[0], threads=1, progress=watch)))
        thread.start()
        end = time.monotonic() + 0.5
        while time.monotonic() < end and thread.is_alive():
            time.sleep(0.001)
            count += 1
        self.assertTrue(thread.is_alive())
        stop.set()
        thread.join()
        self.assertGreater(count, 50)

    def processes(self, method):
        context = multiprocessing.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            self.same(list(pool.map(masing.Model.frf, self.models)))

    def test_processes_that_are_spawned(self):
        self.processes("spawn")

    def test_processes_that_are_forked(self):
        self.processes("fork")

    def test_pickles(self):
        study = masing.Model(DAMPER).study("damper.preload", [10, 30], loops=True)
        copy = pickle.loads(pickle.dumps(study))
        self.assertEqual(list(copy), list(study))
        np.testing.assert_array_equal(copy["event"], study["event"])
        np.testing.assert_array_equal(copy.coefficients("m2"), study.coefficients("m2"))
        self.assertEqual(repr(copy.curves[1].summary), repr(study.curves[1].summary))
        self.assertEqual((copy.warnings, copy.parameter), (study.warnings, study.parameter))
        np.testing.assert_array_equal(copy.loops["force"], study.loops["force"])
        error = pickle.loads(pickle.dumps(masing.Error("what", "unsupported", "joints.0")))
        self.assertEqual((str(error), error.status, error.part),
                         ("what", "unsupported", "joints.0"))
        folder = os.getcwd()
        try:  # another folder than that to which the file's path belongs
            os.chdir(EXAMPLES)
            text = pickle.dumps(masing.Model("cantilever.yaml"))
            os.chdir("/")
            self.assertTrue(pickle.loads(text).check().n_dofs > 0)
        finally:
            os.chdir(folder)


class Interruptions(TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", masing.AnalysisWarning)
        self.model = masing.Model(DAMPER)

    def test_an_interrupt(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        pressed = []

        def press(fraction, points):
            if points > 1000 and not pressed:
                pressed.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)

        try:
            with self.assertRaises(KeyboardInterrupt) as raised:
                long_study(self.model, progress=press)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertLess(time.monotonic() - pressed[0], 10)
        self.assertIsInstance(raised.exception, masing.Interrupted)
        found = raised.exception.result
        self.assertFalse(found.is_complete)
        self.assertIn("interrupted", found.reason)
        self.assertGreater(found.n_rows, 10)
        done = [curve for curve in found.curves if curve.is_complete]
        self.assertTrue(0 < len(done) < len(VALUES))
        one = self.model.copy({"harmonics": 60, "damper.preload": VALUES[0]}).frf()
        np.testing.assert_array_equal(done[0]["m2_max"], one["m2_max"])

    def test_progress(self):
        told = []
        found = self.model.study("damper.preload", range(5, 105), threads=1,
                                 progress=lambda *what: told.append(what))
        self.assertTrue(told)
        self.assertTrue(all(0 <= fraction <= 1 for fraction, _ in told))
        self.assertEqual(len(found.curves), 100)

    def test_progress_that_raises(self):
        def enough(fraction, points):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            long_study(self.model, progress=enough)
        self.assertTrue(self.model.frf().is_complete)


if __name__ == "__main__":
    unittest.main()
