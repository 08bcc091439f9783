# SPDX-License-Identifier: GPL-2.0-or-later
"""The structs of the package are those of the headers, as the C compiler has them."""

import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from masing import _arguments, _model, _structs
from masing import __version__, version
from support import ROOT, TestCase, environment

STRUCTS = [kind for kind in vars(_structs).values() if hasattr(kind, "_name_")]


def compiled(lines):
    """What a C program of these statements prints, a number a line."""
    headers = "".join(f"#include <masing/{header.name}>\n"
                      for header in sorted((ROOT / "include/masing").glob("*.h")))
    text = (f"{headers}#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{{\n"
            + "".join(f'    printf("%ld\\n", (long)({line}));\n' for line in lines)
            + "    return 0;\n}\n")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "layout.c"
        source.write_text(text, encoding="utf-8")
        subprocess.run([*os.environ["CC"].split(), f"-I{ROOT}/include", "-o",
                        f"{folder}/layout", str(source)], env=environment(), check=True)
        done = subprocess.run([f"{folder}/layout"], env=environment(), check=True,
                              capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


class Layout(TestCase):
    def test_members(self):
        lines, wanted = [], []
        for kind in STRUCTS:
            for name, _ in kind._fields_:
                member = getattr(kind, name)
                lines += [f"offsetof(struct {kind._name_}, {name})",
                          f"sizeof ((struct {kind._name_} *)0)->{name}"]
                wanted += [member.offset, member.size]
        self.assertGreater(len(lines), 500)
        found = dict(zip(lines, compiled(lines)))
        self.assertEqual(found, dict(zip(lines, wanted)))

    def test_sizes(self):
        """Structs that begin with their size may have grown; others must not."""
        sizes = compiled([f"sizeof(struct {kind._name_})" for kind in STRUCTS])
        for kind, size in zip(STRUCTS, sizes):
            grows = issubclass(kind, _structs.Sized) or kind is _structs.JointSpec
            with self.subTest(kind._name_):
                own = ctypes.sizeof(kind)
                self.assertTrue(own <= size if grows else own == size, (own, size))

    def test_choices(self):
        names = {f"MASING_COLUMNS_{name.upper()}": bit
                 for name, bit in _arguments.COLUMNS.items()}
        names |= {f"MASING_STABILITY_{name.upper()}": k
                  for k, name in enumerate(_model._STABILITY)}
        names |= {f"MASING_MEASURE_{name.upper()}": k
                  for k, name in enumerate(_model._MEASURES)}
        names |= {f"MASING_CONTACT_{name.upper()}": k for k, name in _model._CONTACTS.items()}
        names |= {"MASING_STOPPED": 4}
        self.assertEqual(dict(zip(names, compiled(names))), names)

    def test_versions(self):
        project = (ROOT / "meson.build").read_text(encoding="utf-8")
        of_project = re.search(r"version: '([0-9.]+)'", project)[1]
        package = (ROOT / "python/pyproject.toml").read_text(encoding="utf-8")
        of_package = re.search(r'^version = "(.*)"', package, re.M)[1]
        debian = (ROOT / "debian/changelog").read_text(encoding="utf-8")
        of_debian = re.match(r"masing \((.*?)\)", debian)[1]
        self.assertEqual({version(), of_project, of_package, of_debian}, {__version__})


if __name__ == "__main__":
    unittest.main()
