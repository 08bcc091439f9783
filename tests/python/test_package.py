# SPDX-License-Identifier: GPL-2.0-or-later
"""Installed by pip into an environment of its own, and how the library is found."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import DAMPER, IS_SANITIZED, ROOT, TestCase

MISSING = [package for module, package in
           [("setuptools", "python3-setuptools"), ("wheel", "python3-wheel"),
            ("ensurepip", "python3-venv")] if not importlib.util.find_spec(module)]


def run(*command, **changes):
    """Ends with what it printed, and whether it went well."""
    environment = {key: value for key, value in {**os.environ, **changes}.items() if value}
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True,
                          text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr


@unittest.skipIf(IS_SANITIZED, "pip is the same without sanitizers")
@unittest.skipIf(MISSING, f"missing: {', '.join(MISSING)}")
class Installation(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.python = cls.folder / "venv/bin/python"
        shutil.copytree(ROOT / "python", cls.folder / "python")
        cls.outcome = run(sys.executable, "-m", "venv", "--system-site-packages",
                          cls.folder / "venv", PYTHONPATH="")
        if cls.outcome[0]:
            cls.outcome = run(cls.python, "-m", "pip", "install", "--no-build-isolation",
                              "--no-index", cls.folder / "python", PYTHONPATH="")

    def code(self, text, **changes):
        return run(self.python, "-c", text, PYTHONPATH="", **changes)

    def test_pip_installs_it(self):
        self.assertTrue(self.outcome[0], self.outcome[1])
        is_good, text = self.code(
            "import masing, pathlib\n"
            f"print(masing.Model({str(DAMPER)!r}).frf().peak.frequency_hz)\n"
            "print(pathlib.Path(masing.__file__).with_name('py.typed').exists())\n"
            "print(masing.__file__)")
        self.assertTrue(is_good, text)
        hertz, is_typed, file = text.split("\n")[:3]
        self.assertAlmostEqual(float(hertz), 21.688, delta=1e-2)
        self.assertEqual(is_typed, "True")
        self.assertTrue(file.startswith(str(self.folder / "venv")), file)

    def test_the_loader_finds_the_library(self):
        path = pathlib.Path(os.environ["MASING_LIBRARY"]).parent
        is_good, text = self.code("import masing; print(masing.version())",
                                  MASING_LIBRARY="", LD_LIBRARY_PATH=str(path))
        self.assertTrue(is_good, text)

    def test_a_library_that_is_not_there(self):
        is_good, text = self.code("import masing; masing.version()",
                                  MASING_LIBRARY="/nowhere/libmasing.so")
        self.assertFalse(is_good)
        self.assertIn("masing", text)
        self.assertIn("cannot be loaded: /nowhere/libmasing.so", text)
        is_good, text = self.code("import masing; masing.read('absent.csv')",
                                  MASING_LIBRARY="/nowhere/libmasing.so")
        self.assertIn("absent.csv: cannot read", text)  # files need no library


if __name__ == "__main__":
    unittest.main()
