# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files: what the program writes as CSV, and HDF5 in the layout of doc/results.md."""

import pathlib
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np

import masing
from support import DAMPER, EXAMPLES, TestCase, program

try:
    import h5py
except ImportError:
    h5py = None


class Files(TestCase):
    def setUp(self):
        warnings.simplefilter("ignore", masing.AnalysisWarning)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def same_table(self, found, wanted):
        self.assertEqual(list(found), list(wanted))
        for name in wanted:
            np.testing.assert_array_equal(found[name], wanted[name], name)


class Csv(Files):
    def test_a_response(self):
        file = self.folder / "x.csv"
        program("frf", DAMPER, "--columns", "harmonics", "-o", file, "--quiet")
        found, wanted = masing.read(file), masing.Model(DAMPER).frf()
        self.same_table(found, wanted)
        self.assertEqual(found.outputs, ["m2", "m1"])
        np.testing.assert_array_equal(found.coefficients("m1"), wanted.coefficients("m1"))
        loops = masing.read(self.folder / "x.loops.csv")
        self.assertEqual(loops["joint"][0], "damper")
        self.assertIsInstance(loops, masing.Table)

    def test_texts_and_empty_fields(self):
        file = self.folder / "x.csv"
        file.write_text('a,"b, c",event\n1,"x ""y"", z",\n,text,\n', encoding="utf-8")
        found = masing.read(file)
        np.testing.assert_array_equal(found["a"], [1, np.nan])
        self.assertEqual(list(found["b, c"]), ['x "y", z', "text"])
        self.assertEqual(list(found["event"]), ["", ""])

    def test_wrong_files(self):
        for text, words in [("", "is empty"), ("a,b\n1\n", "x.csv:2: 1 fields, expected 2"),
                            ("a,a\n1,2\n", "twice"), ('a,b\n"1,2\n', "is no CSV file")]:
            file = self.folder / "x.csv"
            file.write_text(text, encoding="utf-8")
            with self.subTest(words), self.assertRaisesRegex(masing.Error, words):
                masing.read(file)
        with self.assertRaisesRegex(masing.Error, "absent.csv: cannot read: No such file"):
            masing.read(self.folder / "absent.csv")
        with self.assertRaisesRegex(masing.Error, "expected a file .csv or .h5"):
            masing.read("x.txt")


@unittest.skipUnless(h5py, "h5py is missing (Debian: python3-h5py)")
class Hdf5(Files):
    def write(self, study, name="damper.preload", has_signals=True):
        """In the layout that the manual promises."""
        file = self.folder / "x.h5"
        text = h5py.string_dtype("utf-8")
        with h5py.File(file, "w") as h5:
            h5.attrs["masing"] = masing.__version__
            h5.attrs["command"] = "masing study"
            h5.attrs["model"] = DAMPER.read_text(encoding="utf-8")
            h5.attrs["ended"] = "done"
            if has_signals:
                h5.create_dataset("signals", data=study.outputs, dtype=text)
            for k, curve in enumerate(study.curves):
                group = h5.create_group(f"curves/{k:04d}")
                if name:
                    group.attrs[name] = curve.parameters[name]
                for key in curve:
                    values = curve[key]
                    if values.dtype.kind == "U":
                        values = np.array(values, dtype=object)
                        group.create_dataset(key, data=values, dtype=text)
                    else:
                        group[key] = values
                group["harmonics"] = curve.harmonics
                group["coefficients"] = np.stack(
                    [curve.coefficients(output) for output in curve.outputs], axis=1)
            for key in study.peaks:
                h5[f"peaks/{key}"] = study.peaks[key]
        return file

    def test_a_study(self):
        wanted = masing.Model(DAMPER).study("damper.preload", [10, 30, 100])
        found = masing.read(self.write(wanted))
        self.assertIsInstance(found, masing.Study)
        self.assertEqual(found.parameter, "damper.preload")
        np.testing.assert_array_equal(found.values, [10, 30, 100])
        self.assertEqual(set(found), set(wanted))
        for name in wanted:
            np.testing.assert_array_equal(found[name], wanted[name], name)
        for one, other in zip(found.curves, wanted.curves):
            np.testing.assert_array_equal(one.coefficients("m1"), other.coefficients("m1"))
            self.assertEqual(one.parameters, other.parameters)
        np.testing.assert_array_equal(found.coefficients("m2"), wanted.coefficients("m2"))
        self.assertEqual(set(found.peaks), set(wanted.peaks))
        np.testing.assert_array_equal(found.peaks["m2_max"], wanted.peaks["m2_max"])
        self.assertEqual(found.masing, masing.__version__)
        again = masing.Model("damper.yaml", text=found.model)
        self.assertEqual(again.set("damper.preload", 10).frf().peak.max,
                         wanted.curves[0].peak.max)

    def test_a_response(self):
        study = masing.Model(DAMPER).study("damper.preload", [30])
        found = masing.read(self.write(study, None, has_signals=False))
        self.assertIsInstance(found, masing.Response)
        self.assertTrue(found.is_complete)
        for output in ("m1", "m2"):  # which is which follows from their first harmonics
            np.testing.assert_array_equal(found.coefficients(output),
                                          study.coefficients(output))
        self.assertEqual(list(found.harmonics), list(range(10)))
        np.testing.assert_array_equal(found["event"], study["event"])

    def test_an_early_end(self):
        file = self.write(masing.Model(DAMPER).study("damper.preload", [30]), None)
        with h5py.File(file, "a") as h5:
            h5.attrs["ended"] = "early: interrupted"
        found = masing.read(file)
        self.assertEqual((found.is_complete, found.reason), (False, "early: interrupted"))

    def test_what_the_program_writes(self):
        file = self.folder / "x.h5"
        status, _, message = program("study", DAMPER, "--vary", "damper.preload=10,30",
                                     "-o", file, "--quiet")
        if status == 2 and "h5" in message:
            self.skipTest("the program does not write .h5")
        self.assertEqual(status, 0, message)
        found = masing.read(file)
        wanted = masing.Model(DAMPER).study("damper.preload", [10, 30], loops=True)
        self.assertLess(set(), set(found) & set(wanted))
        for name in found:
            np.testing.assert_array_equal(found[name], wanted[name], name)
        for output in ("m1", "m2"):
            np.testing.assert_allclose(found.coefficients(output),
                                       wanted.coefficients(output), rtol=0, atol=1e-17)
        np.testing.assert_array_equal(found.peaks["m2_max"], wanted.peaks["m2_max"])
        np.testing.assert_array_equal(found.loops["force"], wanted.loops["force"])
        np.testing.assert_array_equal(found.values, [10, 30])

    def test_wrong_files(self):
        file = self.folder / "x.h5"
        file.write_text("no HDF5", encoding="utf-8")
        with self.assertRaisesRegex(masing.Error, "x.h5: cannot read"):
            masing.read(file)
        with self.assertRaisesRegex(masing.Error, "no group /curves"):
            masing.read(EXAMPLES / "overlap_reduced.h5")

    def test_without_h5py(self):
        with unittest.mock.patch.dict("sys.modules", {"h5py": None}):
            with self.assertRaisesRegex(masing.Error, "needs h5py"):
                masing.read("x.h5")


if __name__ == "__main__":
    unittest.main()
