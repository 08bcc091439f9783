# SPDX-License-Identifier: GPL-2.0-or-later
"""The tutorial notebook prints what it says, and its pictures are drawn."""

import base64
import importlib.machinery
import importlib.util
import unittest
import warnings

from support import IS_SANITIZED, ROOT, TestCase

NOTEBOOK = ROOT / "python/damper.ipynb"
loader = importlib.machinery.SourceFileLoader("notebook", str(ROOT / "tools/notebook"))
spec = importlib.util.spec_from_loader("notebook", loader)
notebook = importlib.util.module_from_spec(spec)
loader.exec_module(notebook)


def pictures_of(cell):
    return [base64.b64decode(output["data"]["image/png"]) for output in cell["outputs"]
            if output["output_type"] == "display_data"]


@unittest.skipIf(IS_SANITIZED, "the notebook is the same without sanitizers")
class Notebook(TestCase):
    @classmethod
    def setUpClass(cls):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cls.book, cls.found = notebook.execute(NOTEBOOK)

    def test_what_it_prints(self):
        self.assertGreater(len(self.found), 8)
        for number, (cell, text, _) in enumerate(self.found, 1):
            with self.subTest(cell=number):
                self.assertEqual(cell["execution_count"], number)
                if text is not None:
                    self.assertEqual(text, notebook.printed(cell))

    @unittest.skipUnless(notebook.has_matplotlib(),
                         "matplotlib is missing (Debian: python3-matplotlib): no picture drawn")
    def test_its_pictures(self):
        drawn = [(cell, pictures) for cell, _, pictures in self.found if pictures]
        self.assertEqual(len(drawn), 4)
        for cell, pictures in drawn:
            self.assertEqual(len(pictures), len(pictures_of(cell)))

    def test_it_has_its_pictures(self):
        stored = [picture for cell, _, _ in self.found for picture in pictures_of(cell)]
        self.assertEqual(len(stored), 4)
        self.assertTrue(all(picture.startswith(b"\x89PNG") for picture in stored))


if __name__ == "__main__":
    unittest.main()
