# SPDX-License-Identifier: GPL-2.0-or-later
"""Analyses that can be interrupted.

Python handles signals in its main thread, between instructions of its own, while an analysis
is one long call. So the main thread has a second one compute and waits; Ctrl-C sets a flag
that the library looks at between points. No function of Python is called while the library
computes, unless progress is wanted.
"""

from __future__ import annotations

import threading
from ctypes import CFUNCTYPE, addressof, c_double, c_int, c_void_p, cast

from . import _library as library
from . import _structs as structs

_REPORT = CFUNCTYPE(None, c_void_p, c_double, c_int)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during an analysis; `result` holds what was computed before.

    ``result`` is None where there is nothing.
    """

    def __init__(self, result=None):
        super().__init__("interrupted; what was computed is in the exception's `result`")
        self.result = result


class _Analysis:
    """One call: what it needs lives as long as the thread that computes."""

    def __init__(self, compute, progress, keep):
        self.compute, self.progress, self.keep = compute, progress, keep
        self.flag = c_int(0)
        self.reason = ""
        self.failure: BaseException | None = None
        self.raised: BaseException | None = None  # by the caller's progress
        self.is_done = threading.Event()
        self.report = _REPORT(self._report)  # a callback must outlive the call
        self.hooks = structs.Progress(
            context=addressof(self.flag),
            report=cast(self.report, c_void_p).value if progress else None,
            is_cancelled=cast(library.load().masing_cancelled_by_flag, c_void_p).value)

    def _report(self, _, fraction, points):
        try:
            if self.raised is None:
                self.progress(fraction, points)
        except BaseException as raised:  # not into C
            self.raised = raised
            self.flag.value = 1

    def work(self):
        try:
            self.reason = self.compute(addressof(self.hooks))
        except BaseException as failure:
            self.failure = failure
        finally:
            self.is_done.set()

    def work_beside(self) -> bool:
        """Work in a thread and wait for it; whether Ctrl-C was pressed meanwhile."""
        is_interrupted = False
        try:
            threading.Thread(target=self.work, name="masing", daemon=True).start()
        except BaseException:  # before anybody waits: it ends soon, should it have begun
            self.flag.value = 1
            raise
        while not self.is_done.is_set():
            try:
                self.is_done.wait()
            except KeyboardInterrupt:
                if is_interrupted:  # the second time: the thread is left alone
                    raise
                is_interrupted = True
                self.flag.value = 1
        return is_interrupted


def run(compute, result_of, progress=None, keep=None):
    """Compute, and make a result of what the reason is for which it ended early.

    `compute` is handed the address of the progress hooks. `result_of` is called in any case
    in which there is something to release.
    """
    analysis = _Analysis(compute, progress, keep)
    is_interrupted = False
    if threading.current_thread() is threading.main_thread():
        is_interrupted = analysis.work_beside()
    else:
        analysis.work()
    result = result_of(analysis.reason)
    if is_interrupted:
        raise Interrupted(None if analysis.failure else result) from None
    if analysis.raised or analysis.failure:
        raise analysis.raised or analysis.failure
    return result
