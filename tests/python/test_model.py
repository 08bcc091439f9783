# SPDX-License-Identifier: GPL-2.0-or-later
"""Analyses by the package give the rows of the program, its sentences and its warnings."""

import io
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np

import masing
from support import DAMPER, EXAMPLES, TestCase, program, table

MODES = EXAMPLES / "three_masses_iwan.yaml"


def csv_of(*arguments):
    status, output, message = program(*arguments, "--quiet")
    assert status == 0, message
    return table(output)


class Rows(TestCase):
    """To the last bit: numbers with 17 digits give every double back."""

    def setUp(self):
        warnings.simplefilter("ignore", masing.AnalysisWarning)

    def test_frf(self):
        model = masing.Model(DAMPER)
        found = model.set("damper.preload", 20).frf(at=[21.5], columns=["energy", "joints"])
        wanted = csv_of("frf", DAMPER, "--set", "damper.preload=20", "--at", "21.5",
                        "--columns", "harmonics,energy,joints")
        self.same_rows(found, wanted)
        self.assertIn("at", found["event"])
        self.assertEqual(found.peak.max, max(found["m2_max"]))
        self.assertTrue(found.is_complete)

    def test_a_study(self):
        values = [10, 30, 100]
        found = masing.Model(DAMPER).study("damper.preload", values, loops=True)
        with tempfile.TemporaryDirectory() as folder:
            program("study", DAMPER, "--vary", "damper.preload=10,30,100", "-o",
                    f"{folder}/x.csv", "--columns", "harmonics", "--quiet")
            for name, rows in [("x", found), ("x.peaks", found.peaks),
                               ("x.loops", found.loops)]:
                with open(f"{folder}/{name}.csv", encoding="utf-8") as stream:
                    self.same_rows(rows, table(stream.read()))
        self.assertEqual([c.parameters["damper.preload"] for c in found.curves], values)
        for value, curve in zip(values, found.curves):
            one = masing.Model(DAMPER).set("damper.preload", value).frf()
            self.same_values(curve["m2_max"], one["m2_max"])
            np.testing.assert_array_equal(curve.coefficients("m1"), one.coefficients("m1"))
            self.assertEqual(curve.peak.frequency_hz, one.peak.frequency_hz)
            self.assertTrue(np.shares_memory(curve["m2_max"], found["m2_max"]))

    def same_values(self, found, wanted):
        np.testing.assert_array_equal(found, wanted)

    def test_a_study_of_words(self):
        found = masing.Model(DAMPER).study("forces", ["exact", "sampled"])
        self.assertEqual(list(found.peaks["forces"]), ["exact", "sampled"])
        exact, sampled = (curve.peak.max for curve in found.curves)
        self.assertNotEqual(exact, sampled)
        self.assertAlmostEqual(exact, sampled, delta=1e-3 * exact)

    def test_the_peak(self):
        found = masing.Model(DAMPER).peak("damper.preload", (5, 300), minimize=True)
        wanted = csv_of("peak", DAMPER, "--vary", "damper.preload=5:300", "--minimize")
        self.same_rows(found, wanted)
        self.assertTrue(found.optimum.is_found)
        lowest = found["m2_max"][found["event"] == "minimum"]
        self.assertEqual(lowest, [found.optimum.peak])

    def test_along(self):
        found = masing.Model(DAMPER).along("damper.preload", (5, 300), 21.7, at=[50])
        self.same_rows(found, csv_of("frf", DAMPER, "--along", "damper.preload=5:300",
                                     "--frequency", "21.7", "--at", "50", "--columns",
                                     "harmonics"))

    def test_a_mode(self):
        found = masing.Model(MODES).mode(columns="energy")
        self.same_rows(found, csv_of("mode", MODES, "--columns", "harmonics,energy"))
        first = found.coefficients("m1")[:, list(found.harmonics).index(1)]
        np.testing.assert_allclose(abs(first), found["m1_h1"], rtol=1e-14)

    def test_time(self):
        model = masing.Model(DAMPER)
        self.same_rows(model.integrate(21.7), csv_of("integrate", DAMPER, "--frequency",
                                                     "21.7"))
        self.same_rows(model.compare([20, 24]), csv_of("compare", DAMPER, "--frequency",
                                                       "20,24"))
        self.same_rows(masing.Model(MODES).ringdown(), csv_of("ringdown", MODES))

    def test_loops(self):
        found = masing.Model(DAMPER).loop("damper", [2e-4, 1e-3], motion={1: 1, 3: (0.2, 0)})
        self.same_rows(found, csv_of("loop", DAMPER, "--joint", "damper", "--amplitude",
                                     "2e-4,1e-3", "--motion", "1:1,3:0.2"))
        alone = masing.Model(EXAMPLES / "rough_interface.yaml")
        name = next(iter(alone.joints))
        self.assertEqual(alone.loop(name, [1e-6]).measures.n_rows, 1)
        circle = masing.Model(EXAMPLES / "contact_circle.yaml")
        self.assertIn("force_2", circle.loop(amplitudes=[1e-4], path="circle"))

    def test_a_check(self):
        found = masing.Model(DAMPER).check()
        self.same_rows(found, csv_of("check", DAMPER, "--csv"))
        self.assertEqual((found.n_dofs, found.n_rigid, found.axes), (2, 0, ["damper"]))
        # by hand: masses of 1 kg, springs to the ground and between them
        for stiffness, column in ((0.0, "free_hz"), (40000.0, "stuck_hz")):
            k = np.array([[41339 + 41328 + stiffness, -41328], [-41328, 41328]])
            hertz = np.sqrt(np.linalg.eigvalsh(k)) / (2 * np.pi)
            np.testing.assert_allclose(found[column], hertz, rtol=1e-12)
        most = np.maximum(abs(found["m1_free"]), abs(found["m2_free"]))
        np.testing.assert_allclose(abs(found.free_motion[:, 0]), abs(found["m1_free"]) / most,
                                   rtol=1e-12)
        contacts = masing.Model(EXAMPLES / "contact_circle.yaml").check()
        self.assertEqual(contacts.contacts, ["sticks"])
        self.assertEqual(len(contacts.axes), contacts.free_motion.shape[1])


class Settings(TestCase):
    def test_what_is_set(self):
        model = masing.Model(DAMPER)
        model.set("damper.preload", np.float64(20)).set({"harmonics": [0, 1, 3], "samples": 64})
        self.assertEqual(model.overrides, {"damper.preload": "20.0", "harmonics": "[0, 1, 3]",
                                           "samples": "64"})
        self.assertEqual(list(model.frf().harmonics), [0, 1, 3])
        self.assertIn("preload: 20", model.resolved)
        other = model.copy({"damper.preload": 40})
        self.assertIn("preload: 20", model.resolved)
        self.assertIn("preload: 40", other.resolved)
        model.set("damper.preload", None)
        self.assertIn("preload: 30", model.resolved)
        with self.assertRaises(TypeError):
            model.set("damper.preload", object())

    def test_a_text(self):
        text = DAMPER.read_text(encoding="utf-8")
        model = masing.Model("other.yaml", text=text)
        self.assertEqual(model.frf().peak.max, masing.Model(DAMPER).frf().peak.max)
        stream = io.TextIOWrapper(io.BytesIO(text.encode()))
        with unittest.mock.patch("sys.stdin", stream):
            self.assertIn("preload: 30", masing.Model("-").resolved)
        self.assertEqual(masing.Model(bytes(DAMPER)).file, str(DAMPER))
        with self.assertRaisesRegex(masing.Error, "^other.yaml:1:"):
            masing.Model("other.yaml", text="masing: 2\n")


class Errors(TestCase):
    def refused(self, call, *arguments):
        """The sentence is that of the program."""
        with self.assertRaises(masing.Error) as raised:
            call()
        status, _, message = program(*arguments)
        self.assertEqual(status, 2)
        first = message.split("\n")[0].removeprefix(f"masing {arguments[0]}: ")
        self.assertEqual(first, str(raised.exception))
        return raised.exception

    def test_wrong_files(self):
        error = self.refused(lambda: masing.Model("absent.yaml"), "frf", "absent.yaml")
        self.assertEqual(error.status, "input or output")
        with tempfile.TemporaryDirectory() as folder:
            wrong = DAMPER.read_text(encoding="utf-8").replace("preload:", "prelaod:")
            path = f"{folder}/typo.yaml"
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(wrong)
            error = self.refused(lambda: masing.Model(path), "frf", path)
            self.assertIn("did you mean 'preload'", str(error))

    def test_wrong_numbers(self):
        model = masing.Model(DAMPER)
        self.refused(lambda: model.set("damper.prelaod", 3), "frf", DAMPER, "--set",
                     "damper.prelaod=3")
        self.refused(lambda: model.set("damper.stiffness", -1), "frf", DAMPER, "--set",
                     "damper.stiffness=-1")
        self.assertEqual(model.overrides, {})
        self.refused(model.mode, "mode", DAMPER)
        self.refused(model.ringdown, "ringdown", DAMPER)
        self.refused(lambda: model.peak("damper.preload", (-5, 3)), "peak", DAMPER, "--vary",
                     "damper.preload=-5:3")
        self.assertTrue(model.frf().is_complete)

    def test_wrong_arguments(self):
        model = masing.Model(DAMPER)
        for call, words in [
                (lambda: model.frf(columns=["energies"]), "there are harmonics, energy"),
                (lambda: model.frf(stability="maybe"), "one of auto"),
                (lambda: model.loop("dampr", [1e-3]), "the joints are: damper"),
                (lambda: model.loop("damper"), "amplitude"),
                (lambda: model.peak("damper.preload", (5,)), "two numbers"),
                (lambda: model.study("damper.preload", [5, 5]), "twice"),
                (lambda: model.integrate(-1), "frequency")]:
            with self.subTest(words), self.assertRaisesRegex(masing.Error, words):
                call()

    def test_warnings(self):
        model = masing.Model(DAMPER).set("damper.preload", 600)
        with self.assertWarnsRegex(masing.AnalysisWarning, "'damper' never slips") as seen:
            found = model.frf()
        self.assertEqual(seen.filename, __file__)  # the line that called
        _, _, message = program("frf", DAMPER, "--set", "damper.preload=600")
        told = [line[9:] for line in message.split("\n") if line.startswith("warning: ")]
        self.assertEqual(found.warnings, told)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            study = masing.Model(DAMPER).study("damper.preload", [500, 550, 600])
        _, _, message = program("study", DAMPER, "--vary", "damper.preload=500,550,600")
        told = [line[9:].replace("):", ":", 1) for line in message.split("\n")
                if line.startswith("warning (")]
        self.assertEqual(study.warnings, told)
        self.assertTrue(told)

    def test_what_ends_early_is_kept(self):
        model = masing.Model(DAMPER).set("solver.max_points", 12)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = model.frf()
        self.assertIn(masing.IncompleteWarning, [one.category for one in told])
        self.assertFalse(found.is_complete)
        self.assertIn("12", found.reason)
        self.assertEqual(found.n_rows, 12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", masing.IncompleteWarning)
            self.assertRaises(masing.IncompleteWarning, model.frf)


if __name__ == "__main__":
    unittest.main()
