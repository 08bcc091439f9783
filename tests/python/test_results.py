# SPDX-License-Identifier: GPL-2.0-or-later
"""What results hold: coefficients, memory, columns."""

import ctypes
import gc
import unittest
import warnings
import weakref

import numpy as np

import masing
from support import DAMPER, EXAMPLES, IS_SANITIZED, TestCase


class Coefficients(TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", masing.AnalysisWarning)

    def test_the_motion_is_their_sum(self):
        for name, output in [(DAMPER, "m2"), (EXAMPLES / "lift_off.yaml", "x")]:
            found = masing.Model(name).frf()
            c, h = found.coefficients(output), found.harmonics
            self.assertEqual(c.shape, (found.n_rows, len(h)))
            self.assertEqual(c.dtype, complex)
            angle = np.linspace(0, 2 * np.pi, 4096, endpoint=False)
            x = (c @ np.exp(1j * np.outer(h, angle))).real
            np.testing.assert_allclose(abs(x).max(axis=1), found[f"{output}_max"], rtol=1e-4)
            np.testing.assert_allclose(np.ptp(x, axis=1) / 2, found[f"{output}_amp"],
                                       rtol=1e-4)
            np.testing.assert_allclose(x.mean(axis=1), found[f"{output}_mean"], rtol=1e-9,
                                       atol=1e-9 * abs(x).max())

    def test_time_integration_has_the_same(self):
        model = masing.Model(DAMPER).set({"harmonics": 31, "integration.steps_per_cycle": 4096})
        response, motion = model.frf(at=[21.0]), model.integrate(21.0)
        row = int(np.flatnonzero(response["event"] == "at")[0])
        spectrum = np.fft.rfft(motion["m2"]) / motion.n_rows
        time = motion["time"][0]
        for k, h in enumerate(response.harmonics):
            # the record begins at a whole number of periods, or its phase tells
            wanted = spectrum[h] * (2 if h else 1) * np.exp(-2j * np.pi * 21.0 * h * time)
            found = response.coefficients("m2")[row, k]
            self.assertLess(abs(found - wanted), 2e-5 * abs(spectrum[1]))

    def test_what_is_not_there(self):
        found = masing.Model(DAMPER).set("harmonics", [1, 3, 5]).frf()
        self.assertTrue((found.coefficients("m2")[:, 0] == 0).all())
        self.assertEqual(list(found.harmonics), [0, 1, 3, 5])
        with self.assertRaisesRegex(KeyError, "did you mean 'm2'"):
            found.coefficients("m22")
        automatic = masing.Model(DAMPER).set("harmonics", "auto").frf()
        self.assertTrue(np.isfinite(automatic.coefficients("m2")).all())


class Memory(TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", masing.AnalysisWarning)

    def test_arrays_outlive_their_result(self):
        model = masing.Model(DAMPER)
        found = model.frf()
        column, texts = found["m2_max"], found["event"]
        kept, part = column.copy(), column[3:7]
        gone = weakref.ref(found)
        del found
        gc.collect()
        self.assertIsNone(gone())
        for n in range(5, 50):  # what was freed would be used again
            model.set("damper.preload", n).frf()
        np.testing.assert_array_equal(column, kept)
        del column
        gc.collect()
        model.frf()
        np.testing.assert_array_equal(part, kept[3:7])
        self.assertEqual(len(texts), len(kept))

    def test_there_is_no_copy(self):
        found = masing.Model(DAMPER).frf()
        column = found["m2_max"]
        self.assertIs(found.m2_max, column)
        self.assertFalse(column.flags.owndata)
        with self.assertRaises(ValueError):
            column[0] = 1

    def test_memory_is_released(self):
        owners = []
        for _ in range(3):
            found = masing.Model(DAMPER).frf()
            base = found["m2_max"]
            while isinstance(base, np.ndarray):
                base = base.base
            owners.append(weakref.ref(base.owner))
            del found, base
        gc.collect()
        self.assertEqual([owner() for owner in owners], [None] * 3)


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena ordblks smblks hblks hblkhd usmblks fsmblks in_use fordblks keepcost").split()]


@unittest.skipIf(IS_SANITIZED, "sanitizers have a malloc of their own")
@unittest.skipUnless(hasattr(ctypes.CDLL(None), "mallinfo2"), "this C library has no mallinfo2")
class Leaks(TestCase):
    """Bytes that C has in use, after many calls as after few."""

    def in_use(self):
        gc.collect()
        mallinfo = ctypes.CDLL(None).mallinfo2
        mallinfo.restype = Mallinfo
        found = mallinfo()
        return found.in_use + found.hblkhd

    def grows(self, call, n):
        for _ in range(n // 4):
            call()
        before = self.in_use()
        for _ in range(n):
            call()
        return self.in_use() - before

    def test_calls_leave_nothing(self):
        warnings.simplefilter("ignore", masing.AnalysisWarning)
        model = masing.Model(DAMPER).set("damper.preload", 600)
        mode = masing.Model(EXAMPLES / "three_masses_iwan.yaml")
        contact = masing.Model(EXAMPLES / "contact_circle.yaml")
        for name, call, n in [
                ("set", lambda: model.set("damper.preload", 600), 2000),
                ("copy", model.copy, 500), ("resolved", lambda: model.resolved, 500),
                ("frf", lambda: model.frf(loops=True), 400), ("check", contact.check, 200),
                ("study", lambda: model.study("damper.preload", [500, 600]).curves[1], 400),
                ("peak", lambda: model.peak("damper.preload", (20, 50), minimize=True), 40),
                ("integrate", lambda: model.integrate(21.7), 40),
                ("mode", mode.mode, 20), ("loop", lambda: model.loop("damper", [1e-3]), 200),
                ("refused", lambda: self.assertRaises(masing.Error, model.set, "no.no", 1),
                 500)]:
            with self.subTest(name):
                self.assertLess(self.grows(call, n), 6000 + 16 * n, f"bytes in {n} calls")


class Columns(TestCase):
    def test_a_table(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = masing.Model(DAMPER).frf()
        self.assertEqual(list(found), found.columns)
        self.assertEqual(len(dict(found)), len(found))
        self.assertIn("frequency_hz", dir(found))
        self.assertEqual(found["event"].dtype.kind, "U")
        self.assertIn("40 rows", repr(found))
        with self.assertRaisesRegex(KeyError, "did you mean 'm2_max'"):
            found["m2_maxx"]
        with self.assertRaises(AttributeError):
            found.nothing


if __name__ == "__main__":
    unittest.main()
