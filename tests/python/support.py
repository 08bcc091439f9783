# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the package share."""

import csv
import os
import pathlib
import subprocess
import unittest

import numpy as np

from masing import _library

ROOT = pathlib.Path(os.environ["MASING_SOURCE_ROOT"])
EXAMPLES = ROOT / "examples"
DAMPER = EXAMPLES / "two_mass_damper.yaml"
IS_SANITIZED = bool(os.environ.get("MASING_SANITIZED"))


def environment():
    """That of other programs: the sanitizers' library only where they are linked with it, and
    OpenBLAS's kernels those that it has in this process, so that bits are the same."""
    kept = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    return {**kept, "OPENBLAS_CORETYPE": _library.load().masing_blas_kernels().decode()}


def program(*arguments, cwd=None):
    """Run the command; its exit status, output and messages."""
    done = subprocess.run([os.environ["MASING_PROGRAM"], *map(str, arguments)], cwd=cwd,
                          env=environment(), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def table(text):
    """Columns of a CSV text as lists of texts."""
    rows = list(csv.reader(text.splitlines()))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


class TestCase(unittest.TestCase):
    """With comparisons of what the package and the program say."""

    def same_column(self, name, found, texts):
        """A column of the package is one of a CSV file, to the last bit."""
        if found.dtype.kind == "U":
            self.assertEqual(list(found), texts, name)
        else:
            wanted = [float(text) if text else np.nan for text in texts]
            np.testing.assert_array_equal(found, wanted, name)

    def same_rows(self, found, wanted, without=("seconds",)):
        self.assertEqual(list(found), list(wanted))
        for name in wanted:
            if not name.startswith(without):
                self.same_column(name, found[name], wanted[name])
