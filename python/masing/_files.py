# SPDX-License-Identifier: GPL-2.0-or-later
"""Result files of the program: CSV and HDF5."""

from __future__ import annotations

import csv
import os

import numpy as np

from ._library import Error, decode
from ._results import Periodic, Response, Study, Table


def read(file: str | os.PathLike) -> Table:
    """Read what the program has written with ``-o x.csv`` or ``-o x.h5``.

    A CSV file gives a `Table`; one with outputs (of ``frf``, ``study``, ``mode``) has
    `Response.coefficients` for the harmonics that its columns hold (``--columns harmonics``
    for all). An HDF5 file gives a `Response`, or a `Study` where there are several curves;
    tables beside the curves (``peaks``, ``loops``, ...) are attributes. It needs h5py.
    """
    name = os.fspath(file)
    ending = os.path.splitext(name)[1].lower()
    if ending == ".csv":
        return _read_csv(name)
    if ending in (".h5", ".hdf5"):
        return _read_hdf5(name)
    raise Error(f"{name}: expected a file .csv or .h5")


# ---- CSV ----

def _column(texts: list[str]) -> np.ndarray:
    """Numbers where all fields are some or empty."""
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        return np.array(texts, dtype=str)


def _read_csv(name: str) -> Table:
    try:
        with open(name, encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream, strict=True))
    except OSError as failure:
        raise Error(f"{name}: cannot read: {failure.strerror}", "input or output") from None
    except (csv.Error, UnicodeDecodeError) as failure:
        raise Error(f"{name}: is no CSV file: {failure}") from None
    if not rows:
        raise Error(f"{name}: is empty, expected a line with the names of the columns")
    head, body = rows[0], rows[1:]
    for number, row in enumerate(body, 2):
        if len(row) != len(head):
            raise Error(f"{name}:{number}: {len(row)} fields, expected {len(head)}")
    if len(set(head)) < len(head):
        raise Error(f"{name}:1: a column stands twice")
    columns = {key: _column([row[i] for row in body]) for i, key in enumerate(head)}
    if "event" in columns and columns["event"].dtype == float:
        columns["event"] = np.full(len(body), "", dtype=str)
    has_outputs = any(key.endswith("_h1") for key in head) and "frequency_hz" in columns
    return Response(columns) if has_outputs else Table(columns)


# ---- HDF5 ----

def _read_hdf5(name: str) -> Table:
    try:
        import h5py
    except ImportError:
        raise Error(f"{name}: reading HDF5 files needs h5py (package python3-h5py, or "
                    "pip install h5py)", "unsupported") from None
    try:
        with h5py.File(name, "r") as file:
            return _results_of(name, file, h5py)
    except OSError as failure:
        raise Error(f"{name}: cannot read: {failure}", "input or output") from None


def _plain(value):
    """An attribute or an entry of a dataset as Python has it."""
    if isinstance(value, bytes):
        return decode(value)
    if isinstance(value, np.ndarray) and value.size == 1:
        return _plain(value.reshape(-1)[0])
    return value.item() if isinstance(value, np.generic) else value


def _array(dataset) -> np.ndarray:
    values = dataset[()]
    if values.dtype.kind in "OS":
        return np.array([_plain(value) for value in values.ravel()], dtype=str)
    return values.astype(float) if values.dtype.kind in "iufb" else values


def _table_of(group, h5py) -> Table:
    return Table({key: _array(item) for key, item in group.items()
                  if isinstance(item, h5py.Dataset)})


def _beside(table: Table, group, h5py, known: tuple[str, ...] = ()) -> None:
    """Groups of a group become tables, attributes of what it became."""
    for key, item in group.items():
        if key in known or not isinstance(item, h5py.Group):
            continue
        inner = list(item.values())
        is_table = inner and all(isinstance(part, h5py.Dataset) for part in inner)
        name = "measures" if key == "summary" else key  # of loops, as Loops has it
        setattr(table, name, _table_of(item, h5py) if is_table else
                {part: _table_of(item[part], h5py) for part in item
                 if isinstance(item[part], h5py.Group)})


_ORDERED = ("point", "branch", "frequency_hz")


def _curve_of(group, signals: list[str], h5py) -> Response:
    special = ("harmonics", "coefficients")
    columns = {key: _array(item) for key, item in group.items()
               if isinstance(item, h5py.Dataset) and key not in special}
    parameters = {key: _plain(value) for key, value in group.attrs.items()}
    n = len(next(iter(columns.values()))) if columns else 0
    varied = {key: columns.pop(key, np.full(n, value)) for key, value in parameters.items()
              if isinstance(value, (int, float, str))}
    first = {key: columns.pop(key) for key in _ORDERED if key in columns}
    curve = Response({**varied, **first, **columns})
    curve.parameters = parameters
    if "coefficients" in group:
        _take_coefficients(curve, group, signals)
    _beside(curve, group, h5py)
    return curve


def _take_coefficients(curve: Periodic, group, signals: list[str]) -> None:
    values = group["coefficients"][()]
    if values.dtype.names == ("r", "i"):
        values = values["r"] + 1j * values["i"]
    curve._orders = np.asarray(group["harmonics"][()], dtype=int)
    is_told = len(signals) == values.shape[1]
    curve._outputs = signals if is_told else _names_of(curve, values)
    curve._stored = values


def _names_of(curve: Periodic, values: np.ndarray) -> list[str]:
    """Whose coefficients they are where the file does not say: whose first harmonic it is.

    Columns of a file have no order of their own.
    """
    first = np.flatnonzero(curve._orders == 1)
    names = [str(number) for number in range(1, values.shape[1] + 1)]
    for output in curve._names if len(first) else []:
        phase = np.deg2rad(np.nan_to_num(curve[f"{output}_h1_phase_deg"]))
        wanted = np.nan_to_num(curve[f"{output}_h1"]) * np.exp(1j * phase)
        far = abs(values[:, :, first[0]] - wanted[:, None]).max(axis=0, initial=0.0)
        far[[not name.isdigit() for name in names]] = np.inf
        if far.min(initial=np.inf) <= 1e-9 * abs(wanted).max(initial=0.0):
            names[int(np.argmin(far))] = output
    return names


def _joined(curves: list[Response]) -> dict:
    """The columns of all curves, one behind the other, as a CSV file has them."""
    keys = list(dict.fromkeys(key for curve in curves for key in curve))
    columns = {}
    for key in keys:
        is_text = any(key in curve and curve[key].dtype.kind == "U" for curve in curves)
        empty = "" if is_text else np.nan
        columns[key] = np.concatenate([
            curve[key] if key in curve else np.full(curve.n_rows, empty) for curve in curves])
    return columns


def _results_of(name: str, file, h5py) -> Table:
    if "curves" not in file:
        raise Error(f"{name}: has no group /curves: it is no result of masing")
    signals = list(_array(file["signals"])) if "signals" in file else []
    curves = [_curve_of(file["curves"][key], list(map(str, signals)), h5py)
              for key in sorted(file["curves"])]
    if len(curves) == 1:
        result: Periodic = curves[0]
    else:
        result = Study(_joined(curves))
        result.curves = curves
        result.parameter = next(iter(curves[0].parameters), "") if curves else ""
        result.values = np.array([curve.parameters.get(result.parameter) for curve in curves])
        shapes = {curve._stored.shape[1:] for curve in curves if curve._stored is not None}
        if len(shapes) == 1 and all(curve._stored is not None for curve in curves):
            result._stored = np.concatenate([curve._stored for curve in curves])
            result._orders = curves[0]._orders
            result._outputs = curves[0]._names
    _beside(result, file, h5py, ("curves",))
    ended = _plain(file.attrs.get("ended", "done"))
    result.is_complete, result.reason = ended == "done", "" if ended == "done" else ended
    result.masing = _plain(file.attrs.get("masing", ""))
    result.command = _plain(file.attrs.get("command", ""))
    result.model = _plain(file.attrs.get("model", ""))
    return result
