# SPDX-License-Identifier: GPL-2.0-or-later
"""Steady vibrations of structures with friction joints, by harmonic balance.

    import masing
    m = masing.Model("damper.yaml")
    m.set("damper.preload", 30)
    r = m.frf()
    r["m2_max"].max(), r.frequency_hz, r.coefficients("m2")

The C library computes; it is found by the environment variable MASING_LIBRARY, or as the
loader does. doc/python.md has the whole story.
"""

from ._files import read
from ._library import Error, version
from ._model import Model
from ._results import (Check, Comparison, Loops, Mode, Motion, PeakCurve, Periodic, Record,
                       Response, Result, Ringdown, Study, Table)
from ._run import Interrupted
from ._warnings import AnalysisWarning, IncompleteWarning

__version__ = "0.1.0"

__all__ = ["AnalysisWarning", "Check", "Comparison", "Error", "IncompleteWarning",
           "Interrupted", "Loops", "Mode", "Model", "Motion", "PeakCurve", "Periodic",
           "Record", "Response", "Result", "Ringdown", "Study", "Table", "read", "version"]
