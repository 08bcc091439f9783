# SPDX-License-Identifier: GPL-2.0-or-later
"""What analyses give: tables whose columns are NumPy arrays, and numbers for people."""

from __future__ import annotations

import ctypes
import difflib
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace

import numpy as np

from . import _library as library
from . import _structs as structs
from ._library import Error, decode


class Record(SimpleNamespace):
    """Numbers under names, those of the struct that the headers describe."""


def plain(value):
    """A struct of C as a Record, with all that it points to copied."""
    counts = getattr(value, "_counts_", {})
    members = {}
    for name, kind in value._fields_:
        if name == "size" or kind is ctypes.c_void_p:
            continue
        member = getattr(value, name)
        if name in counts:
            n = getattr(value, counts[name])
            n = min(n, len(member)) if isinstance(member, ctypes.Array) else n
            member = [_plain_member(member[i]) for i in range(n)] if member else []
        members[name + "_" * keyword.iskeyword(name)] = _plain_member(member)
    return Record(**members)


def _plain_member(member):
    if isinstance(member, ctypes.Structure):
        return plain(member)
    if isinstance(member, bytes) or member is None:
        return decode(member)
    return list(member) if isinstance(member, ctypes.Array) else member


class Memory:
    """Doubles of the library's as a NumPy array without a copy, which keeps their owner."""

    def __init__(self, address: int, shape: tuple[int, ...], owner):
        self.owner = owner
        self.__array_interface__ = {"data": (address, True), "shape": shape, "version": 3,
                                    "typestr": np.dtype(float).str}


class _Texts:
    """A column of texts, made when somebody looks at it."""

    def __init__(self, pointer, n: int, owner):
        self.pointer, self.n, self.owner = pointer, n, owner

    def array(self) -> np.ndarray:
        return np.array([decode(text) for text in self.pointer[:self.n]], dtype=str)


def columns_of(rows: library.Handle) -> dict:
    """The columns of a struct masing_result."""
    lib = library.load()
    n = lib.masing_result_n_rows(rows.pointer)
    columns: dict = {}
    for i in range(lib.masing_result_n_columns(rows.pointer)):
        name = lib.masing_result_name(rows.pointer, i)
        texts = lib.masing_result_texts(rows.pointer, name)
        if texts:
            columns[decode(name)] = _Texts(texts, n, rows)
        elif n == 0:
            columns[decode(name)] = np.empty(0)
        else:
            address = lib.masing_result_column(rows.pointer, name)
            columns[decode(name)] = np.asarray(Memory(address, (n,), rows))
    return columns


class Table(Mapping):
    """Rows with named columns: ``table["m2_max"]``, ``table.frequency_hz``, ``dict(table)``.

    Columns of numbers are arrays of float, NaN where a number is not available; columns of
    texts (``event``) are arrays of str, ``""`` where there is none. Arrays of an analysis are
    the library's memory and read-only; each keeps what it needs, so that it outlives the table.
    """

    def __init__(self, columns: dict):
        self._columns = columns

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            column = self._columns[name]
        except KeyError:
            near = difflib.get_close_matches(str(name), self._columns, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise KeyError(f"there is no column {name!r}{hint}") from None
        if isinstance(column, _Texts):
            column = self._columns[name] = column.array()
        return column

    def __getattr__(self, name: str) -> np.ndarray:
        if not name.startswith("_") and name in self._columns:
            return self[name]
        raise AttributeError(f"{type(self).__name__} has no attribute or column {name!r}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __dir__(self):
        return [*super().__dir__(), *filter(str.isidentifier, self._columns)]

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_columns": dict(self)}

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in their order."""
        return list(self._columns)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        for name in self._columns:
            return len(self[name])
        return 0

    def __repr__(self) -> str:
        names = ", ".join(self.columns[:8]) + (", ..." if len(self) > 8 else "")
        return f"<{type(self).__name__}: {self.n_rows} rows of {len(self)} columns: {names}>"


class Result(Table):
    """The rows of an analysis.

    Attributes
    ----------
    summary : Record
        what an engineer reads first; the members are those of the analysis' summary in the
        headers (``masing_response_summary``, ...), without their size
    warnings : list of str
        the sentences that the program prints; they are issued as `AnalysisWarning` as well
    is_complete : bool
        False where the analysis ended early; the rows are those that were computed before
    reason : str
        why it did, else ``""``
    """

    def __init__(self, columns: dict, summary: Record | None = None,
                 warnings: list[str] | None = None, reason: str = "",
                 is_complete: bool | None = None):
        super().__init__(columns)
        self.summary = summary if summary is not None else Record()
        self.warnings = list(warnings or [])
        self.reason = reason
        self.is_complete = not reason if is_complete is None else is_complete


class Periodic(Result):
    """Rows that are periodic motions: points of a response or of a mode."""

    _stored: np.ndarray | None = None  # [points][outputs][harmonics]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, the one of the peak first as a rule."""
        return self._names

    @property
    def _names(self) -> list[str]:
        found = self.__dict__.get("_outputs")
        if found is None:
            ends = "_h1_phase_deg"
            found = [name[:-len(ends)] for name in self._columns if name.endswith(ends)
                     and name[:-len(ends)] + "_h1" in self._columns
                     and not name.startswith("force_")]
            self._outputs = found
        return list(found)

    @property
    def harmonics(self) -> np.ndarray:
        """Orders of the harmonics of `coefficients`."""
        if self._stored is not None:
            return self._orders
        if not self._names:
            return np.empty(0, dtype=int)
        pattern = re.compile(re.escape(self._names[0]) + r"_h(\d+)_phase_deg")
        found = {int(m[1]) for m in map(pattern.fullmatch, self._columns) if m}
        return np.array(sorted(found | ({0} if f"{self._names[0]}_mean" in self else set())))

    def coefficients(self, output: str) -> np.ndarray:
        """Complex Fourier coefficients c_h of an output, points x `harmonics`.

        x(t) = Re sum c_h exp(i h Omega t), c_0 the mean, in the output's own quantity. Zero
        for harmonics that a point does not have (``harmonics: auto``).
        """
        if output not in self._names:
            near = difflib.get_close_matches(str(output), self._names, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise KeyError(f"there is no output {output!r}{hint}; the outputs are "
                           f"{', '.join(self._names) or 'none'}")
        if self._stored is not None:
            return self._stored[:, self._names.index(output), :]
        values = np.zeros((self.n_rows, len(self.harmonics)), dtype=complex)
        for k, h in enumerate(self.harmonics):
            if h == 0:
                values[:, k] = self[f"{output}_mean"]
            else:  # no phase where the amplitude is zero
                phase = np.deg2rad(np.nan_to_num(self[f"{output}_h{h}_phase_deg"]))
                amplitude = np.nan_to_num(self[f"{output}_h{h}"])
                values[:, k] = amplitude * np.exp(1j * phase)
        return values


class Response(Periodic):
    """A frequency response: one row per point, in the order in which the curve was followed.

    Attributes
    ----------
    peak : Record
        ``frequency_hz``, ``max``, ``amp``, ``h1``, ``is_at_limit`` of the refined peak
    loops, contacts, check : Table or None
        loops of the joints at the peak and at the frequencies of ``at``, what each contact
        element does there, and the points checked with more harmonics, where asked for
    parameters : dict
        of a curve of a study: the number that varies and its value
    """

    loops: Table | None = None
    contacts: Table | None = None
    check: Table | None = None
    parameters: dict = {}

    @property
    def peak(self) -> Record:
        return self.summary.peak


class Study(Periodic):
    """One response per value; the rows are those of all curves, the number's column first.

    Attributes
    ----------
    parameter : str
        path of the number that varies
    values : numpy.ndarray
        its values
    peaks : Table
        one row per value, as ``NAME.peaks.csv``
    curves : sequence of Response
        one per value, parts of the same arrays
    """

    parameter: str = ""
    values: np.ndarray = np.empty(0)
    peaks: Table = Table({})
    curves: Sequence[Response] = ()
    loops: Table | None = None
    contacts: Table | None = None
    check: Table | None = None


class PeakCurve(Result):
    """The followed peak; `optimum` is the lowest one, with ``minimize=True``."""

    @property
    def optimum(self) -> Record:
        return self.summary.optimum


class Mode(Periodic):
    """A nonlinear mode: amplitude, frequency and damping ratio, harmonics of the outputs."""


class Motion(Result):
    """A motion in time."""


class Comparison(Result):
    """Harmonic balance beside time integration; `loops` of the joints where asked for."""

    loops: Table | None = None


class Ringdown(Result):
    """A free decay; `history` of the outputs where asked for."""

    history: Table | None = None


class Loops(Result):
    """Hysteresis loops; `measures` has one row per loop, as ``NAME.summary.csv``."""

    measures: Table = Table({})


class Check(Table):
    """What a model is: columns ``mode``, ``free_hz``, ``stuck_hz`` and the outputs' shapes.

    Attributes
    ----------
    n_dofs, n_rigid : int
        DOFs as given, rigid-body modes
    axes : list of str
        the joints' axes: ``JOINT``, or ``JOINT.AXIS`` of those with several
    free_motion, stuck_motion : numpy.ndarray
        modes x axes: displacement of the joint over that of the DOF that moves most
    stuck_energy : numpy.ndarray
        modes x axes: share of the strain energy
    static_displacement, static_force : numpy.ndarray
        of the axes under static loads
    contacts : list of str
        what each joint does in the static state: ``"none"`` (it cannot open), ``"sticks"``,
        ``"slips"``, ``"open"``
    warnings : list of str
    """

    warnings: list[str]


def slices_of(column: np.ndarray, values) -> list[slice]:
    """The rows of each value, which follow each other; no value stands twice."""
    found, first = [], 0
    for value in values:
        last = first
        while last < len(column) and column[last] == value:
            last += 1
        found.append(slice(first, last))
        first = last
    return found


class Summaries:
    """Those of a study's curves, as the library has them."""

    def __init__(self, n: int):
        self.array = (structs.ResponseSummary * n)()
        self._clear = library.load().masing_response_summary_clear
        for summary in self.array:
            summary.size = ctypes.sizeof(summary)

    def __del__(self):
        for summary in self.array:
            self._clear(ctypes.byref(summary))


class Curves(Sequence):
    """The curves of a study, each made when somebody looks at it; parts of its arrays."""

    def __init__(self, study: Study, rows: list[slice], summaries: Summaries):
        self._columns = study._columns  # not the study, which has these curves
        self._parameter, self._values = study.parameter, study.values
        self._rows, self._summaries = rows, summaries

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        table, rows = Table(self._columns), self._rows[index]
        numbers = plain(self._summaries.array[index])
        curve = Response({name: table[name][rows] for name in table}, numbers,
                         numbers.warnings, numbers.reason, numbers.is_complete)
        curve.parameters = {self._parameter: self._values[index].item()}
        return curve

    def __reduce__(self):
        return list, (list(self),)


__all__ = ["Check", "Comparison", "Error", "Loops", "Mode", "Motion", "PeakCurve", "Periodic",
           "Record", "Response", "Result", "Ringdown", "Study", "Table"]
