# SPDX-License-Identifier: GPL-2.0-or-later
"""What callers hand over, as C takes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ctypes import c_double, c_int
from typing import Any

import numpy as np

from ._library import Error

Numbers = Sequence[float]

COLUMNS = {"harmonics": 1, "energy": 2, "joints": 4, "slopes": 8, "stability": 16,
           "forces": 32}


def doubles(values: Iterable[float] | float | None):
    """A C array of numbers and how many they are."""
    numbers = np.atleast_1d(np.asarray([] if values is None else values, dtype=float)).ravel()
    return (c_double * len(numbers))(*numbers), len(numbers)


def ints(values: Iterable[int] | None):
    numbers = [int(value) for value in values or []]
    return (c_int * len(numbers))(*numbers), len(numbers)


def columns_of_names(names: Iterable[str] | str) -> int:
    bits = 0
    for name in names.split(",") if isinstance(names, str) else names:
        if name.strip() not in COLUMNS:
            raise Error(f"there are no columns {name!r}; there are {', '.join(COLUMNS)}")
        bits |= COLUMNS[name.strip()]
    return bits


def index(words: list[str], word: str, what: str) -> int:
    if word not in words:
        raise Error(f"{what} is one of {', '.join(words)}, not {word!r}")
    return words.index(word)


def range_of(limits: Numbers, what: str) -> tuple[float, float]:
    ends = np.asarray(limits, dtype=float).ravel()
    if len(ends) != 2:
        raise Error(f"{what}: expected two numbers, from and to, got {len(ends)}")
    return float(ends[0]), float(ends[1])


def text_of(value: Any, name: str) -> str:
    """A value as it would stand in the file."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(text_of(item, name) for item in value) + "]"
    raise TypeError(f"{name}: a number, a word or a list of these, not {type(value).__name__}")
