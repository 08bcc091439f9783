# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python of the manual runs as it stands, in order, from the folder of the project."""

import contextlib
import importlib.util
import io
import os
import re
import unittest
import warnings

from support import ROOT, TestCase

PAGE = ROOT / "doc/python.md"


def blocks():
    """Each block with the line at which it begins; those that say no-run are left out."""
    text = PAGE.read_text(encoding="utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        yield text.count("\n", 0, found.start()) + 2, found[1]


class Manual(TestCase):
    def run_blocks(self, is_wanted):
        names, folder = {"__name__": "__main__"}, os.getcwd()
        os.chdir(ROOT)
        self.addCleanup(os.chdir, folder)
        printed, count = io.StringIO(), 0
        with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.simplefilter("ignore")
            for line, text in blocks():
                if is_wanted(text):
                    count += 1
                    code = compile("\n" * (line - 1) + text, str(PAGE), "exec")
                    exec(code, names)
        return count, printed.getvalue()

    def test_its_code(self):
        count, printed = self.run_blocks(lambda text: "pandas" not in text)
        self.assertGreater(count, 4)
        self.assertIn("(40, 10) [0 1 2 3 4 5 6 7 8 9]", printed)
        self.assertIn("did you mean damper.preload?", printed)
        peaks = re.findall(r"^\[0\.00.*\]$", printed, re.M)
        self.assertEqual(len(peaks), 2)  # by threads and by processes
        self.assertEqual(peaks[0], peaks[1])

    @unittest.skipUnless(importlib.util.find_spec("pandas"),
                         "pandas is missing (Debian: python3-pandas)")
    def test_its_pandas(self):
        count, _ = self.run_blocks(lambda text: "pandas" in text or "masing.Model(" in text)
        self.assertGreaterEqual(count, 2)


if __name__ == "__main__":
    unittest.main()
