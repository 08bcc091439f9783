# SPDX-License-Identifier: GPL-2.0-or-later
"""The C library: found, loaded when it is first needed, and called."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import functools
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_void_p

from . import _structs as structs

SONAME = "libmasing.so.0"
STOPPED = 4
"""MASING_STOPPED: ended early, what was computed is kept."""

_STATUS = {1: "not converged", 2: "not finite", 3: "singular", 4: "stopped", -1: "invalid",
           -2: "no memory", -3: "input or output", -4: "unsupported", -5: "internal"}


class Error(Exception):
    """What went wrong, in the sentence that the program prints.

    Attributes
    ----------
    status : str
        ``"invalid"`` (the input is wrong), ``"unsupported"``, ``"input or output"``, ...
    part : str
        which part of the model is wrong (``"joints.0.preload"``), ``""`` where it is no
        single one
    """

    def __init__(self, message: str, status: str = "invalid", part: str = ""):
        super().__init__(message)
        self.status = status
        self.part = part

    def __reduce__(self):
        return type(self), (str(self), self.status, self.part)


def encode(text: str) -> bytes:
    """A text for C."""
    if "\0" in text:
        raise Error(f"{text!r}: has a zero byte, which no name or number has")
    return text.encode("utf-8", "surrogateescape")


def decode(text: bytes | None) -> str:
    """A text from C; messages may be cut within a character."""
    return "" if text is None else text.decode("utf-8", "replace")


# (name, result, arguments but the error record that every function with a status takes last);
# "status" is enum masing_status
_P = c_void_p
_FUNCTIONS = [
    ("masing_version", c_char_p, []),
    ("masing_blas_kernels", c_char_p, []),
    ("masing_warning_text", c_char_p,
     [POINTER(POINTER(structs.Warning)), c_int, c_char_p, c_size_t]),
    ("masing_cancelled_by_flag", c_bool, [_P]),
    ("masing_document_parse", "status", [c_char_p, c_size_t, c_char_p, POINTER(_P)]),
    ("masing_document_read", "status", [c_char_p, POINTER(_P)]),
    ("masing_document_destroy", None, [_P]),
    ("masing_document_is_of_joints", c_bool, [_P]),
    ("masing_document_spec", "status", [_P, POINTER(structs.Override), c_int, _P]),
    ("masing_document_joints", "status", [_P, POINTER(structs.Override), c_int, _P]),
    ("masing_document_model", "status",
     [_P, POINTER(structs.Override), c_int, POINTER(_P)]),
    ("masing_document_resolved", "status",
     [_P, POINTER(structs.Override), c_int, POINTER(_P)]),
    ("masing_document_joints_resolved", "status",
     [_P, POINTER(structs.Override), c_int, POINTER(_P)]),
    ("masing_spec_create", "status", [POINTER(_P)]),
    ("masing_spec_clear", None, [_P]),
    ("masing_spec_destroy", None, [_P]),
    ("masing_spec_joint", POINTER(structs.JointSpec), [_P, c_int]),
    ("masing_joint_spec_axes", c_int, [POINTER(structs.JointSpec)]),
    ("masing_joint_spec_axis_name", c_char_p, [POINTER(structs.JointSpec), c_int]),
    ("masing_model_destroy", None, [_P]),
    ("masing_model_spec", _P, [_P]),
    ("masing_model_n_warnings", c_int, [_P]),
    ("masing_model_warning", c_char_p, [_P, c_int]),
    ("masing_result_create", "status", [POINTER(_P)]),
    ("masing_result_destroy", None, [_P]),
    ("masing_result_sink", _P, [_P]),
    ("masing_result_n_rows", c_int, [_P]),
    ("masing_result_n_columns", c_int, [_P]),
    ("masing_result_name", c_char_p, [_P, c_int]),
    ("masing_result_column", c_void_p, [_P, c_char_p]),
    ("masing_result_texts", POINTER(c_char_p), [_P, c_char_p]),
    ("masing_frf", "status", [_P] * 5),
    ("masing_study", "status", [_P] * 6),
    ("masing_along", "status", [_P] * 4),
    ("masing_peak_follow", "status", [_P] * 4),
    ("masing_mode", "status", [_P] * 4),
    ("masing_integrate", "status", [_P, c_double] + [_P] * 3),
    ("masing_compare", "status", [_P] * 4),
    ("masing_ringdown", "status", [_P] * 4),
    ("masing_loop", "status", [_P] * 6),
    ("masing_check", "status", [_P] * 3),
    ("masing_check_clear", None, [_P]),
    ("masing_response_summary_clear", None, [_P]),
    ("masing_peak_summary_clear", None, [_P]),
    ("masing_mode_summary_clear", None, [_P]),
    ("masing_integrate_summary_clear", None, [_P]),
    ("masing_compare_summary_clear", None, [_P]),
    ("masing_ringdown_summary_clear", None, [_P]),
    ("masing_loop_summary_clear", None, [_P]),
]


@contextlib.contextmanager
def _kernels():
    """While OpenBLAS is loaded it takes the kernels that the program has it take.

    It takes those for SSE3 on processors newer than itself. Where NumPy has loaded the same
    OpenBLAS before, it has chosen already.
    """
    name = "OPENBLAS_CORETYPE"
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as stream:
            flags = next((set(line.split()) for line in stream if line.startswith("flags")),
                         set())
    except OSError:
        flags = set()
    is_mine = name not in os.environ and {"avx2", "fma"} <= flags
    if is_mine:
        os.environ[name] = "Haswell"
    try:
        yield
    finally:
        if is_mine:
            del os.environ[name]


def _open() -> ctypes.CDLL:
    wanted = os.environ.get("MASING_LIBRARY")
    names = [wanted] if wanted else [SONAME, ctypes.util.find_library("masing")]
    reason = ""
    for name in filter(None, names):
        try:
            with _kernels():
                return ctypes.CDLL(name)
        except OSError as failure:
            reason = reason or str(failure)
    hint = ("MASING_LIBRARY names it" if wanted else
            "set MASING_LIBRARY to its path (build/libmasing.so), or install it and run "
            "ldconfig")
    raise Error(f"the library libmasing cannot be loaded: {reason}; {hint}",
                "input or output")


@functools.lru_cache(maxsize=None)
def load() -> ctypes.CDLL:
    """The library with its functions declared."""
    library = _open()
    for name, result, arguments in _FUNCTIONS:
        try:
            function = getattr(library, name)
        except AttributeError:
            raise Error(f"{library._name}: there is no function {name}: the library is older "
                        "than this package", "unsupported") from None
        has_status = result == "status"
        function.restype = c_int if has_status else result
        function.argtypes = [*arguments, POINTER(structs.Error)] if has_status else arguments
    return library


def call(name: str, *arguments, may_stop: bool = False) -> str:
    """Call a function that returns a status; ctypes releases the GIL meanwhile.

    Returns "" or, where `may_stop`, the reason for which it ended early.
    """
    error = structs.Error()
    status = getattr(load(), name)(*arguments, byref(error))
    if status == 0:
        return ""
    message = decode(error.message) or _STATUS.get(status, "failed")
    if status == STOPPED and may_stop:
        return message
    raise Error(message, _STATUS.get(status, "internal"), decode(error.part))


class Handle:
    """Owns an object of the library; whoever needs its memory keeps the handle."""

    __slots__ = ("pointer", "_destroy", "__weakref__")

    def __init__(self, create: str, destroy: str, *arguments):
        self._destroy = None
        self.pointer = c_void_p()
        call(create, *arguments, byref(self.pointer))
        self._destroy = getattr(load(), destroy)

    def __del__(self):
        if self._destroy is not None:
            self._destroy(self.pointer)


def version() -> str:
    """``"MAJOR.MINOR.PATCH"`` of the library that is loaded."""
    return decode(load().masing_version())
