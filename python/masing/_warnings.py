# SPDX-License-Identifier: GPL-2.0-or-later
"""Warnings of analyses: sentences with numbers, issued through Python's `warnings`."""

from __future__ import annotations

import ctypes
import sys
import warnings
from ctypes import POINTER, c_char_p, cast, create_string_buffer

from . import _library as library
from . import _structs as structs
from ._library import decode

_MOST_NAMED = 8


class AnalysisWarning(UserWarning):
    """A warning of an analysis: the peak lies at the end of the range, ..."""


class IncompleteWarning(AnalysisWarning):
    """An analysis ended early; what was computed is in the result."""


def warn(result) -> None:
    """Issue the warnings of a result in the line that called the package."""
    level = 2  # of warnings.warn: 1 is here
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        level += 1
        frame = frame.f_back
    for text in result.warnings:
        warnings.warn(text, AnalysisWarning, stacklevel=level)
    if not result.is_complete:
        warnings.warn(result.reason, IncompleteWarning, stacklevel=level)


def _text(alike: list) -> str:
    """The text of sentences that differ by their numbers, as ranges of these."""
    text = create_string_buffer(structs.MESSAGE_LENGTH)
    pointers = (POINTER(structs.Warning) * len(alike))(*map(ctypes.pointer, alike))
    function = library.load().masing_warning_text
    return decode(function(pointers, len(alike), text, len(text)))


def of_study(name: str, values: list, summaries) -> list[str]:
    """The warnings of a study: each condition once, with the values that it holds for."""
    groups: dict[bytes, list] = {}
    for value, summary in zip(values, summaries):
        numbered = cast(summary.numbered, POINTER(structs.Warning))
        seen = set()
        for i in range(summary.n_warnings):
            pattern = cast(numbered[i].pattern, c_char_p).value
            if pattern not in seen:
                groups.setdefault(pattern, []).append((value, numbered[i]))
            seen.add(pattern)
    return [f"{name} = {_named([value for value, _ in group], len(values))}: "
            f"{_text([warning for _, warning in group])}" for group in groups.values()]


def _named(values: list, n_values: int) -> str:
    if len(values) > _MOST_NAMED and not isinstance(values[0], str):
        return f"{min(values):.6g} to {max(values):.6g}, {len(values)} of {n_values} values"
    return ", ".join(v if isinstance(v, str) else f"{v:.6g}" for v in values)
