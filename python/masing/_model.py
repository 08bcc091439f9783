# SPDX-License-Identifier: GPL-2.0-or-later
"""Models, and the analyses of them."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import byref, c_char_p, c_int, c_void_p
from typing import Any

import numpy as np

from . import _library as library
from . import _structs as structs
from ._arguments import (COLUMNS, Numbers, columns_of_names, doubles, index, ints, range_of,
                         text_of)
from ._library import Error, Handle, decode, encode
from ._results import (Check, Comparison, Curves, Loops, Memory, Mode, Motion, PeakCurve,
                       Record, Response, Ringdown, Study, Summaries, Table, columns_of, plain,
                       slices_of)
from ._run import run
from ._warnings import of_study, warn

_STABILITY = ["auto", "none", "floquet", "hill"]
_MEASURES = ["max", "amp", "h1"]
_CONTACTS = {-1: "none", 0: "sticks", 1: "slips", 3: "open"}

Progress = Callable[[float, int], Any]


class _Rows(Handle):
    """A table of the library that an analysis fills."""

    __slots__ = ()

    def __init__(self):
        super().__init__("masing_result_create", "masing_result_destroy")

    @property
    def sink(self):
        return library.load().masing_result_sink(self.pointer)

    def table(self) -> Table:
        return Table(columns_of(self))


class Model:
    """A model file and what is set of it.

    Parameters
    ----------
    file : str or path
        the YAML file; ``-`` is standard input
    text : str, optional
        its text, where it is not to be read; files that it names are sought beside `file`

    The file is read once. Wrong input raises `Error` here, in `set`, or, where only the whole
    model tells, in the analysis. A model may be used by several threads at once; ``set`` does
    not touch analyses that are under way. A pickled model takes the text, the absolute path
    and what is set with it.
    """

    def __init__(self, file: str | os.PathLike, *, text: str | bytes | None = None):
        self._file = os.fsdecode(file)
        if text is None and self._file == "-":
            text = sys.stdin.buffer.read()
        elif text is None:
            try:
                with open(self._file, "rb") as stream:
                    text = stream.read()
            except (OSError, ValueError):  # the sentence is the library's
                Handle("masing_document_read", "masing_document_destroy",
                       encode(self._file))
                raise
        self._text = text.encode() if isinstance(text, str) else bytes(text)
        self._overrides: dict[str, str] = {}
        self._begin()
        self._read(self._overrides)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._sealed: Handle | None = None
        self._document = Handle("masing_document_parse", "masing_document_destroy",
                                self._text, len(self._text), encode(self._file))

    # ---- what it is ----

    @property
    def file(self) -> str:
        """The file, as it was given."""
        return self._file

    @property
    def overrides(self) -> dict[str, str]:
        """What is set, as texts."""
        return dict(self._overrides)

    def set(self, name: str | Mapping[str, Any], value: Any = None) -> Model:
        """Set a number, a word or a list by its path, as ``--set`` does; returns the model.

        ``m.set("damper.preload", 30)``; several that only go together at once:
        ``m.set({"damper.law": "dahl", "damper.exponent": 1})``. None takes a setting back.
        What is refused is not set.
        """
        items = name if isinstance(name, Mapping) else {name: value}
        overrides = dict(self._overrides)
        for path, given in items.items():
            overrides.pop(path, None)
            if given is not None:
                overrides[path] = text_of(given, path)
        self._read(overrides)
        with self._lock:
            self._overrides, self._sealed = overrides, None
        return self

    def copy(self, settings: Mapping[str, Any] | None = None) -> Model:
        """A model of the same text with these settings as well."""
        other = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        other._file = self._file
        other._document = self._document  # it is never changed
        return other.set(settings) if settings else other

    def __getstate__(self) -> dict:
        return {"file": os.path.abspath(self._file), "text": self._text,
                "overrides": dict(self._overrides)}

    def __setstate__(self, state: dict) -> None:
        self._file, self._text = state["file"], state["text"]
        self._overrides = dict(state["overrides"])
        self._begin()

    def __copy__(self) -> Model:
        return self.copy()

    def __deepcopy__(self, memo: dict) -> Model:
        return self.copy()

    def __repr__(self) -> str:
        settings = "".join(f", {name}={text}" for name, text in self._overrides.items())
        return f"<masing.Model {self._file}{settings}>"

    @property
    def resolved(self) -> str:
        """The model as resolved, parameters and defaults filled in: YAML that can be read."""
        lib = library.load()
        of_joints = lib.masing_document_is_of_joints(self._document.pointer)
        text = c_void_p()
        library.call("masing_document_joints_resolved" if of_joints else
                     "masing_document_resolved", *self._source(self._overrides), byref(text))
        try:
            return decode(ctypes.string_at(text.value))
        finally:
            _free(text)

    @property
    def joints(self) -> dict[str, list[str]]:
        """The joints and the names of their axes; ``[""]`` where a law has but one."""
        lib = library.load()
        joints: dict[str, list[str]] = {}
        spec = self._read(self._overrides)
        for joint in _joints_of(spec.pointer):
            joints[decode(joint.contents.name)] = [
                decode(lib.masing_joint_spec_axis_name(joint, a))
                for a in range(lib.masing_joint_spec_axes(joint))]
        return joints

    # ---- documents and models of the library ----

    def _source(self, overrides: Mapping[str, str]) -> tuple:
        """Document and overrides, as functions of documents take them."""
        items = [structs.Override(encode(path), encode(text))
                 for path, text in overrides.items()]
        return self._document.pointer, (structs.Override * len(items))(*items), len(items)

    def _read(self, overrides: Mapping[str, str], joints_only: bool | None = None) -> Handle:
        """The specification: what the file says, checked as far as reading goes."""
        if joints_only is None:
            joints_only = library.load().masing_document_is_of_joints(self._document.pointer)
        spec = Handle("masing_spec_create", "masing_spec_destroy")
        library.load().masing_spec_clear(spec.pointer)  # it is filled from nothing
        library.call("masing_document_joints" if joints_only else "masing_document_spec",
                     *self._source(overrides), spec.pointer)
        return spec

    def _model(self) -> Handle:
        """The sealed model, made once for what is set."""
        with self._lock:
            overrides, sealed = self._overrides, self._sealed
        if sealed is None:
            sealed = Handle("masing_document_model", "masing_model_destroy",
                            *self._source(overrides))
            with self._lock:
                if self._overrides is overrides:
                    self._sealed = sealed
        return sealed

    # ---- analyses ----

    def check(self) -> Check:
        """What the model is: natural frequencies with joints free and stuck, static state."""
        model, rows, found = self._model(), _Rows(), structs.CheckResult()
        try:
            library.call("masing_check", model.pointer, rows.sink, byref(found))
            return _check_of(model, rows, found)
        finally:
            library.load().masing_check_clear(byref(found))

    def frf(self, *, at: Numbers = (), columns: Iterable[str] = (), threads: int = 0,
            stability: str = "auto", branches: int = 0, check_harmonics: float = 0.0,
            starts: int = 0, loops: bool = False, contacts: bool = False,
            progress: Progress | None = None) -> Response:
        """Frequency response by harmonic balance; the options are those of ``masing frf``.

        Parameters
        ----------
        at : frequencies in Hz that get rows of their own
        columns : ``"energy"``, ``"joints"``, ``"slopes"``, ``"stability"``, ``"forces"``;
            harmonics are always there
        threads : at most so many; 0: as many as there are processors
        stability : ``"auto"``, ``"none"``, ``"floquet"``, ``"hill"``
        branches : follow at most so many curves that cross
        check_harmonics : tolerance, solve again with more harmonics; 0: do not
        starts : try so many states of the sliders at the peak
        loops, contacts : whether these tables are wanted
        progress : called now and then with the part done (0 to 1) and the number of points;
            what it raises ends the analysis
        """
        model = self._model()
        tables = {name: _Rows() for name, wanted in
                  (("loops", loops), ("contacts", contacts), ("check", check_harmonics > 0))
                  if wanted}
        options = self._response_options(at, columns, threads, stability, branches, tables,
                                         check_harmonics, starts)

        def solve(rows, summary, hooks):
            options.progress = hooks
            return ("masing_frf", model.pointer, byref(options), rows, _sink(tables, "loops"),
                    summary)

        return self._run(solve, Response, structs.ResponseSummary,
                         "masing_response_summary_clear", progress, _given(tables), model)

    def study(self, name: str, values: Sequence[float] | Sequence[str] | np.ndarray, *,
              at: Numbers = (), columns: Iterable[str] = (), threads: int = 0,
              stability: str = "auto", branches: int = 0, check_harmonics: float = 0.0,
              starts: int = 0, loops: bool = False, contacts: bool = False,
              progress: Progress | None = None) -> Study:
        """One frequency response per value of a number, or of a word; options as `frf` has."""
        words = [str(v) for v in values] if any(isinstance(v, str) for v in values) else None
        listed = list(words if words else np.asarray(values, dtype=float).ravel())
        seen: set = set()
        for value in listed:
            if value in seen:
                raise Error(f"{name}: the value {value} stands twice")
            seen.add(value)
        numbers, n = doubles(np.zeros(len(listed)) if words else listed)
        source = self._source(self._overrides)
        request = structs.StudyRequest()
        request.document, request.overrides, request.n_overrides = source
        request.parameter, request.n_values, request.values = encode(name), n, numbers
        if words:
            request.words = (c_char_p * n)(*map(encode, words))
        tables = {key: _Rows() for key, wanted in
                  (("loops", loops), ("contacts", contacts), ("check", check_harmonics > 0),
                   ("peaks", True)) if wanted}
        options = self._response_options(at, columns, threads, stability, branches, tables,
                                         check_harmonics, starts)
        summaries = Summaries(n)

        def solve(rows, _, hooks):
            options.progress = hooks
            return ("masing_study", byref(request), byref(options), rows,
                    _sink(tables, "peaks"), _sink(tables, "loops"), summaries.array)

        def finish(study):
            study.parameter = name
            _finish_study(study, listed, summaries, tables)

        return self._run(solve, Study, None, None, progress, finish)

    def along(self, name: str, limits: Numbers, frequency_hz: float, *, at: Numbers = (),
              columns: Iterable[str] = (), stability: str = "auto", branches: int = 0,
              progress: Progress | None = None) -> Response:
        """The response at one frequency while a number of joints or loads varies.

        `limits` are the ends of its range, `at` values that get rows of their own.
        """
        request = structs.AlongRequest(frequency_hz=frequency_hz)
        source = self._source(self._overrides)
        request.document, request.overrides, request.n_overrides = source
        request.parameter = encode(name)
        first, last = range_of(limits, name)
        setattr(request, "from", first)
        request.to = last
        request.at, request.n_at = doubles(at)
        options = self._response_options((), columns, 0, stability, branches, {}, 0.0, 0)

        def solve(rows, summary, hooks):
            options.progress = hooks
            return "masing_along", byref(request), byref(options), rows, summary

        def finish(curve):
            curve.warnings += [curve.summary.missing] if curve.summary.missing else []

        return self._run(solve, Response, structs.AlongSummary, None, progress, finish)

    def peak(self, name: str, limits: Numbers, *, minimize: bool = False,
             values: Numbers | None = None, other: str | None = None,
             others: Numbers | None = None, guards: int = 0,
             numbers: Sequence[int] | None = None, measure: str | None = None,
             linear: bool = False, threads: int = 0, columns: Iterable[str] = (),
             progress: Progress | None = None) -> PeakCurve:
        """Follow the resonance peak while a number varies; options as ``masing peak`` has.

        Parameters
        ----------
        name, limits : path of the number, and the ends of its range
        minimize : solve for the value with the lowest peak, `PeakCurve.optimum`
        values : rows exactly at these values instead of at steps that are chosen
        other, others : a second number and its values; the peak is followed for each
        guards : so many whole responses guard the curve; 0: four
        numbers : follow the peaks with these numbers, counted from 1
        measure : ``"max"``, ``"amp"``, ``"h1"``; None: as the model has it
        linear : steps of the number itself, not of its logarithm
        """
        request = structs.PeakRequest(n_guards=guards, is_minimized=minimize, is_linear=linear)
        source = self._source(self._overrides)
        request.document, request.overrides, request.n_overrides = source
        request.parameter = encode(name)
        first, last = range_of(limits, name)
        setattr(request, "from", first)
        request.to = last
        request.values, request.n_values = doubles(values)
        request.others, request.n_others = doubles(others)
        request.numbers, request.n_numbers = ints(numbers)
        if other is not None:
            request.other = encode(other)
        if measure is not None:
            request.measure = (c_int * 1)(index(_MEASURES, measure, "measure"))
        options = structs.ResponseOptions(n_threads=threads, columns=columns_of_names(columns))

        def solve(rows, summary, hooks):
            options.progress = hooks
            return "masing_peak_follow", byref(request), byref(options), rows, summary

        return self._run(solve, PeakCurve, structs.PeakSummary, "masing_peak_summary_clear",
                         progress)

    def mode(self, *, at: Numbers = (), columns: Iterable[str] = (), branches: int = 0,
             progress: Progress | None = None) -> Mode:
        """Follow the nonlinear mode of the model's section ``mode``.

        `at` are amplitudes that get rows of their own; `columns` are ``"energy"``,
        ``"joints"``; harmonics and their phases are always there.
        """
        model = self._model()
        options = structs.ModeOptions(max_branches=branches,
                                      columns=columns_of_names(columns) | COLUMNS["harmonics"])
        options.at, options.n_at = doubles(at)

        def solve(rows, summary, hooks):
            options.progress = hooks
            return "masing_mode", model.pointer, byref(options), rows, summary

        return self._run(solve, Mode, structs.ModeSummary, "masing_mode_summary_clear",
                         progress, keep=model)

    def integrate(self, frequency_hz: float, *, whole: bool = False,
                  columns: Iterable[str] = (), progress: Progress | None = None) -> Motion:
        """Direct time integration to the steady state at a frequency.

        Rows are those of the last period, or of the `whole` history.
        """
        model = self._model()
        options = structs.IntegrateOptions(all_history=whole, columns=columns_of_names(columns))

        def solve(rows, summary, hooks):
            options.progress = hooks
            return ("masing_integrate", model.pointer, float(frequency_hz), byref(options),
                    rows, summary)

        return self._run(solve, Motion, structs.IntegrateSummary,
                         "masing_integrate_summary_clear", progress, keep=model)

    def compare(self, frequencies_hz: Numbers | None = None, *, points: int = 0,
                cold: bool = False, errors: bool = False, tolerance: float = 0.0,
                loops: bool = False, progress: Progress | None = None) -> Comparison:
        """Harmonic balance against time integration, point by point.

        At these frequencies, or at so many `points` of the curve (0: ten).
        """
        model, tables = self._model(), {"loops": _Rows()} if loops else {}
        options = structs.CompareOptions(n_points=points, is_cold=cold, has_errors=errors,
                                         tolerance=tolerance, loops=_sink(tables, "loops"))
        options.frequencies_hz, options.n_frequencies = doubles(frequencies_hz)

        def solve(rows, summary, hooks):
            options.progress = hooks
            return "masing_compare", model.pointer, byref(options), rows, summary

        return self._run(solve, Comparison, structs.CompareSummary,
                         "masing_compare_summary_clear", progress, _given(tables), model)

    def ringdown(self, *, amplitudes: Numbers | None = None, history: bool = False,
                 progress: Progress | None = None) -> Ringdown:
        """Free decay as the model's section ``ringdown`` says; see ``masing ringdown``."""
        model, tables = self._model(), {"history": _Rows()} if history else {}
        options = structs.RingdownOptions(history=_sink(tables, "history"))
        options.amplitudes, options.n_amplitudes = doubles(amplitudes)

        def solve(rows, summary, hooks):
            options.progress = hooks
            return "masing_ringdown", model.pointer, byref(options), rows, summary

        return self._run(solve, Ringdown, structs.RingdownSummary,
                         "masing_ringdown_summary_clear", progress, _given(tables), model)

    def loop(self, joint: str | None = None, amplitudes: Numbers = (), *,
             frequency_hz: float = 0.0, cycles: int = 0, samples: int = 0,
             motion: Mapping[int, Any] | None = None, path: str | float | None = None,
             progress: Progress | None = None) -> Loops:
        """Hysteresis loops of a joint under prescribed motion; see ``masing loop``.

        Parameters
        ----------
        joint : its name; may be left out where there is but one
        amplitudes : in metres, one loop each
        frequency_hz : matters where the rate does; 0: 1 Hz
        cycles : exactly so many from the virgin joint on; 0: until it is steady
        samples : rows per cycle, a multiple of 4; 0: 512
        motion : weights of harmonics, ``{1: 1.0, 3: (0.2, 0.1)}``, sine or (sine, cosine)
        path : contacts: ``"circle"``, or the direction of a line in degrees
        """
        spec = self._read(self._overrides, joints_only=True)
        found = _joint_of(spec, joint, self._file)
        options = structs.LoopOptions(frequency_hz=frequency_hz, n_cycles=cycles,
                                      n_rows=samples)
        options.amplitudes, options.n_amplitudes = doubles(amplitudes)
        terms = [structs.MotionTerm(h, *np.atleast_1d(w)) for h, w in (motion or {}).items()]
        options.terms, options.n_terms = (structs.MotionTerm * len(terms))(*terms), len(terms)
        if path is not None:
            options.path = ctypes.pointer(
                structs.LoopPath(True, 0.0) if path == "circle" else
                structs.LoopPath(False, float(path)))
        measures = _Rows()

        def solve(rows, summary, hooks):
            options.progress = hooks
            return ("masing_loop", found.law, found.parameters, byref(options), rows,
                    measures.sink, summary)

        return self._run(solve, Loops, structs.LoopSummary, "masing_loop_summary_clear",
                         progress, _given({"measures": measures}), spec)

    # ---- what they have in common ----

    def _response_options(self, at, columns, threads, stability, branches, tables,
                          check_tolerance, starts) -> structs.ResponseOptions:
        options = structs.ResponseOptions(
            n_threads=threads, columns=columns_of_names(columns) | COLUMNS["harmonics"],
            max_branches=branches, check_tolerance=check_tolerance, n_starts=starts,
            stability=index(_STABILITY, stability, "stability"),
            contacts=_sink(tables, "contacts"), check=_sink(tables, "check"))
        options.at_hz, options.n_at = doubles(at)
        return options

    def _run(self, solve, kind, summary_kind, clear, progress, finish=None, keep=None):
        """Run an analysis and make its result.

        `solve` gives the function's name and its arguments, being handed the sink of the
        rows, the summary and the progress; `finish` completes the result; `keep` lives as
        long as the analysis.
        """
        rows = _Rows()
        summary = summary_kind() if summary_kind else None

        def compute(hooks):
            given = byref(summary) if summary is not None else None
            return library.call(*solve(rows.sink, given, hooks), may_stop=True)

        def result_of(reason):
            try:
                numbers = plain(summary) if summary is not None else Record()
                made = kind(columns_of(rows), numbers, getattr(numbers, "warnings", []),
                            reason)
                if finish:
                    finish(made)
            finally:
                if clear:
                    getattr(library.load(), clear)(byref(summary))
            return made

        result = run(compute, result_of, progress, (keep, self._document))
        warn(result)
        return result


def _free(text: c_void_p) -> None:
    """Release what the library hands over for good."""
    free = ctypes.CDLL(None).free
    free.argtypes, free.restype = [c_void_p], None
    free(text)


def _sink(tables: Mapping[str, _Rows], name: str):
    return tables[name].sink if name in tables else None


def _given(tables: Mapping[str, _Rows]):
    """Hands tables over to a result."""

    def finish(result):
        for name, rows in tables.items():
            setattr(result, name, rows.table())

    return finish


def _joints_of(spec: c_void_p) -> Iterable:
    lib, index = library.load(), 0
    while joint := lib.masing_spec_joint(spec, index):
        yield joint
        index += 1


def _joint_of(spec: Handle, name: str | None, file: str) -> structs.JointSpec:
    joints = [joint.contents for joint in _joints_of(spec.pointer)]
    names = [decode(joint.name) for joint in joints]
    listed = ", ".join(names[:16]) + (f" and {len(names) - 16} more" if len(names) > 16
                                      else "") or "none"
    if name is None and len(joints) != 1:
        raise Error(f"{file}: which joint? the joints are: {listed}")
    if name is not None and name not in names:
        raise Error(f"{file}: there is no joint {name!r}; the joints are: {listed}")
    return joints[names.index(name) if name is not None else 0]


def _finish_study(study: Study, values: list, summaries: Summaries, tables) -> None:
    name = study.parameter
    study.values = np.array(values)
    _given(tables)(study)
    study.warnings = of_study(name, values, summaries.array)
    column = study[name] if name in study else np.empty(0)
    study.curves = Curves(study, slices_of(column, values), summaries)


def _check_of(model: Handle, rows: _Rows, found: structs.CheckResult) -> Check:
    lib = library.load()
    check = Check(columns_of(rows))
    check.n_dofs, check.n_rigid = found.n_given, found.n_rigid
    check.axes = []
    for joint in _joints_of(lib.masing_model_spec(model.pointer)):
        joint_name, n = decode(joint.contents.name), lib.masing_joint_spec_axes(joint)
        names = [decode(lib.masing_joint_spec_axis_name(joint, a)) for a in range(n)]
        check.axes += [joint_name] if n == 1 else [f"{joint_name}.{axis}" for axis in names]
    shape = (found.n_modes, found.n_axes)
    for name in ("free_motion", "stuck_motion", "stuck_energy"):
        setattr(check, name, _copied(getattr(found, name), shape))
    for name in ("static_displacement", "static_force"):
        setattr(check, name, _copied(getattr(found, name), (found.n_axes,)))
    check.contacts = [_CONTACTS.get(found.contacts[j].status, "")
                      for j in range(found.n_joints)]
    check.warnings = [decode(lib.masing_model_warning(model.pointer, i))
                      for i in range(lib.masing_model_n_warnings(model.pointer))]
    return check


def _copied(pointer, shape: tuple[int, ...]) -> np.ndarray:
    if not pointer or 0 in shape:
        return np.empty(shape)
    address = ctypes.cast(pointer, c_void_p).value
    return np.array(Memory(address, shape, None))
