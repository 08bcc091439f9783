# SPDX-License-Identifier: GPL-2.0-or-later
"""tap.py FILE: runs the unittest cases of a file and tells TAP what came of them."""

import importlib.util
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(os.environ["MASING_SOURCE_ROOT"])


class Tap(unittest.TestResult):
    """One line per test; what went wrong as comments below it."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def tell(self, test, is_good, comment="", directive=""):
        self.count += 1
        name = test.id().split(".", 1)[-1]
        print(f"{'' if is_good else 'not '}ok {self.count} - {name}{directive}")
        print("".join(f"# {line}\n" for line in comment.splitlines()), end="", flush=True)

    def addSuccess(self, test):
        self.tell(test, True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.tell(test, False, self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.tell(test, False, self.errors[-1][1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.tell(test, True, directive=f" # SKIP {reason}")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.tell(subtest, False, "".join(text for _, text in
                                              (self.failures + self.errors)[-1:]))


def main():
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("1..0 # SKIP NumPy is missing (Debian: python3-numpy)")
        return 0
    file = pathlib.Path(sys.argv[1])
    sys.path[:0] = [str(ROOT / "python"), str(file.parent)]
    os.environ["PYTHONPATH"] = str(ROOT / "python")  # of processes of its own
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    except unittest.SkipTest as reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    result = Tap()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    print(f"1..{result.count}")
    return 0 if result.wasSuccessful() and result.count else 1


if __name__ == "__main__":
    sys.exit(main())
