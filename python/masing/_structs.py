# SPDX-License-Identifier: GPL-2.0-or-later
"""The structs of the public headers, as ctypes sees them.

Each is a copy of the struct of the same name in include/masing/; a test has the C compiler
compare them. Structs that begin with `size` may be shorter than those of a newer library.
`_counts_` says how many members of an array are in use.
"""

from __future__ import annotations

from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_long,
                    c_size_t, c_uint, c_void_p, sizeof)

MESSAGE_LENGTH = 1024
PART_LENGTH = 160
COLUMN_NAME = 96
MAX_JUMPS = 8
MAX_PLACES = 8
MAX_OTHER_PEAKS = 3
MAX_UPDATES = 32
WARNING_VALUES = 8
N_STRATEGIES = 9

double_p = POINTER(c_double)
int_p = POINTER(c_int)
text_p = POINTER(c_char_p)


def _of(kind, names: str) -> list:
    return [(name, kind) for name in names.split()]


def _doubles(names: str) -> list:
    return _of(c_double, names)


def _ints(names: str) -> list:
    return _of(c_int, names)


class Sized(Structure):
    """Begins with its size, which is filled in."""

    def __init__(self, **members):
        super().__init__(size=sizeof(type(self)), **members)


_SIZE = [("size", c_size_t)]
_REASON = [("reason", c_char * MESSAGE_LENGTH)]
_WARNINGS = [("n_warnings", c_int), ("warnings", text_p)]


class Error(Structure):
    _name_ = "masing_error"
    _fields_ = [("status", c_int), ("message", c_char * MESSAGE_LENGTH),
                ("part", c_char * PART_LENGTH)]


class Warning(Structure):
    _name_ = "masing_warning"
    _fields_ = [("pattern", c_char_p), ("values", c_double * WARNING_VALUES)]


class Override(Structure):
    _name_ = "masing_override"
    _fields_ = [("path", c_char_p), ("value", c_char_p)]


class Progress(Structure):
    _name_ = "masing_progress"
    _fields_ = _of(c_void_p, "context report log is_cancelled")


class JointSpec(Structure):
    """The beginning, which stays where it is."""

    _name_ = "masing_joint_spec"
    _fields_ = [("name", c_char_p), ("law", c_void_p), ("parameters", c_void_p)]


class Places(Structure):
    _name_ = "masing_places"
    _fields_ = [("n", c_int), ("at", c_double * MAX_PLACES)]
    _counts_ = {"at": "n"}


class StabilitySummary(Structure):
    _name_ = "masing_stability_summary"
    _fields_ = [*_ints("n_points n_unstable n_undecided n_ranges"),
                ("from", c_double * MAX_PLACES), ("to", c_double * MAX_PLACES),
                *_doubles("largest largest_at error"), ("period_doublings", Places),
                ("neimark_sackers", Places), ("diameters", c_int * MAX_PLACES), *_REASON]
    _counts_ = {"from": "n_ranges", "to": "n_ranges", "diameters": "n_ranges"}


class ResponseOptions(Sized):
    _name_ = "masing_response_options"
    _fields_ = [*_SIZE, ("n_at", c_int), ("at_hz", double_p), ("columns", c_uint),
                ("n_threads", c_int), ("progress", c_void_p), ("contacts", c_void_p),
                ("check_tolerance", c_double), ("check", c_void_p), ("n_starts", c_int),
                ("stability", c_int), ("max_branches", c_int), ("fields", c_void_p)]


class Peak(Structure):
    _name_ = "masing_peak"
    _fields_ = [*_doubles("frequency_hz max amp h1"), ("is_at_limit", c_bool),
                ("is_extremum", c_bool)]


class HarmonicsCheck(Structure):
    _name_ = "masing_harmonics_check"
    _fields_ = [("tolerance", c_double),
                *_ints("n_points n_unsolved n_unsettled harmonics samples"),
                *_doubles("peak_error peak_hz worst_error worst_hz"),
                *_ints("worst_output n_outputs"), ("errors", double_p)]
    _counts_ = {"errors": "n_outputs"}


class Starts(Structure):
    _name_ = "masing_starts"
    _fields_ = [*_ints("n n_solved"), *_doubles("lowest highest")]


class OtherPeak(Structure):
    _name_ = "masing_other_peak"
    _fields_ = _doubles("frequency_hz size")


class ContactChanges(Structure):
    _name_ = "masing_contact_changes"
    _fields_ = _ints("slip stick open close")


class Blades(Structure):
    _name_ = "masing_blades"
    _fields_ = [*_ints("n largest_sector smallest_sector"),
                *_doubles("largest largest_hz smallest smallest_hz tuned tuned_hz "
                          "amplification")]


class ResponseSummary(Sized):
    _name_ = "masing_response_summary"
    _fields_ = [*_SIZE, ("peak", Peak),
                *_doubles("stuck_peak_hz stuck_peak free_peak_hz free_peak "
                          "equivalent_damping_ratio slip_share open_share third_to_first"),
                *_ints("n_jumps_up n_jumps_down"), ("jump_up_hz", c_double * MAX_JUMPS),
                ("jump_down_hz", c_double * MAX_JUMPS), ("points", c_int),
                *_doubles("seconds energy_mismatch residual"),
                *_of(c_long, "residuals jacobians factorisations event_residuals"),
                ("strategies", c_int * N_STRATEGIES), ("is_complete", c_bool),
                *_of(c_char_p, "start forces"), *_REASON,
                *_ints("harmonics_low harmonics_high"), ("check", HarmonicsCheck),
                ("starts", Starts), ("stability", StabilitySummary),
                ("branch_points", Places), ("n_branches", c_int), *_WARNINGS,
                *_of(c_bool, "has_stuck_peak has_free_peak"),
                *_doubles("half_power_from_hz half_power_to_hz"), ("numbered", c_void_p),
                ("n_other_peaks", c_int), ("other_peaks", OtherPeak * MAX_OTHER_PEAKS),
                *_of(c_long, "krylov_solves krylov_iterations"),
                ("contact_changes", ContactChanges), ("blades", Blades)]
    _counts_ = {"jump_up_hz": "n_jumps_up", "jump_down_hz": "n_jumps_down",
                "warnings": "n_warnings", "other_peaks": "n_other_peaks"}


_REQUEST = [("document", c_void_p), ("overrides", POINTER(Override)), ("n_overrides", c_int),
            ("parameter", c_char_p)]


class StudyRequest(Sized):
    _name_ = "masing_study_request"
    _fields_ = [*_SIZE, *_REQUEST, ("n_values", c_int), ("values", double_p),
                ("words", text_p)]


class AlongRequest(Sized):
    _name_ = "masing_along_request"
    _fields_ = [*_SIZE, *_REQUEST, *_doubles("from to frequency_hz"), ("n_at", c_int),
                ("at", double_p)]


class AlongSummary(Sized):
    _name_ = "masing_along_summary"
    _fields_ = [*_SIZE, *_doubles("least least_at most most_at"), ("n_folds", c_int),
                ("fold_at", c_double * MAX_JUMPS), ("points", c_int),
                *_doubles("seconds energy_mismatch residual"),
                ("stability", StabilitySummary), ("branch_points", Places),
                ("n_branches", c_int), ("is_complete", c_bool),
                ("strategies", c_int * N_STRATEGIES), ("start", c_char_p), *_REASON,
                ("missing", c_char * MESSAGE_LENGTH),
                *_of(c_long, "krylov_solves krylov_iterations")]
    _counts_ = {"fold_at": "n_folds"}


class PeakRequest(Sized):
    _name_ = "masing_peak_request"
    _fields_ = [*_SIZE, *_REQUEST, *_doubles("from to"), ("n_values", c_int),
                ("values", double_p), ("is_linear", c_bool), ("other", c_char_p),
                ("n_others", c_int), ("others", double_p), ("measure", int_p),
                ("n_guards", c_int), ("is_minimized", c_bool), ("n_numbers", c_int),
                ("numbers", int_p)]


class PeakSensitivity(Structure):
    _name_ = "masing_peak_sensitivity"
    _fields_ = [*_of(c_char_p, "joint number unit"), *_doubles("value sensitivity")]


class PeakOptimum(Structure):
    _name_ = "masing_peak_optimum"
    _fields_ = [*_of(c_bool, "is_found is_at_end is_kink is_jump"),
                *_doubles("value other peak frequency_hz other_hz slope_before slope_after"),
                ("low", c_double * 2), ("high", c_double * 2), ("is_low_open", c_bool * 2),
                ("is_high_open", c_bool * 2), ("is_damping_held", c_bool),
                ("n_sensitivities", c_int), ("sensitivities", POINTER(PeakSensitivity))]
    _counts_ = {"sensitivities": "n_sensitivities"}


class PeakSummary(Sized):
    _name_ = "masing_peak_summary"
    _fields_ = [*_SIZE, ("measure", c_int),
                *_doubles("lowest lowest_at lowest_other highest highest_at"),
                *_ints("n_crossings n_jumps n_folds n_sweeps n_swept"),
                *_of(c_bool, "has_derivatives is_log"), ("points", c_int),
                *_doubles("seconds energy_mismatch residual"), ("is_complete", c_bool),
                *_REASON, ("optimum", PeakOptimum), *_WARNINGS]
    _counts_ = {"warnings": "n_warnings"}


class ModeOptions(Sized):
    _name_ = "masing_mode_options"
    _fields_ = [*_SIZE, ("n_at", c_int), ("at", double_p), ("columns", c_uint),
                ("progress", c_void_p), ("max_branches", c_int), ("fields", c_void_p),
                ("journal", c_void_p)]


class ModePoint(Structure):
    _name_ = "masing_mode_point"
    _fields_ = _doubles("amplitude frequency_hz damping_ratio")


class ModeSummary(Sized):
    _name_ = "masing_mode_summary"
    _fields_ = [*_SIZE, *_doubles("stuck_hz stuck_damping"),
                *_of(ModePoint, "first last most_damped first_event"),
                ("event", c_char * MESSAGE_LENGTH), *_ints("points n_folds"),
                *_doubles("energy_mismatch residual last_harmonic seconds"),
                ("branch_points", Places), ("n_branches", c_int),
                ("strategies", c_int * N_STRATEGIES), ("is_complete", c_bool), *_REASON,
                *_WARNINGS]
    _counts_ = {"warnings": "n_warnings"}


class IntegrateOptions(Sized):
    _name_ = "masing_integrate_options"
    _fields_ = [*_SIZE, ("all_history", c_bool), ("progress", c_void_p), ("columns", c_uint)]


class OutputMeasures(Structure):
    _name_ = "masing_output_measures"
    _fields_ = _doubles("max amp mean h1 h1_phase")


class IntegrateSummary(Sized):
    _name_ = "masing_integrate_summary"
    _fields_ = [*_SIZE, ("is_steady", c_bool), ("cycles", c_int), ("steps", c_long),
                ("distance", c_double), *_ints("order n_updates"),
                ("updates", c_double * MAX_UPDATES), ("largest_multiplier", c_double),
                *_ints("n_structure_modes n_modes n_residual_modes"),
                ("modes_error", c_double), ("n_outputs", c_int),
                ("outputs", POINTER(OutputMeasures)), ("n_joints", c_int),
                ("offsets", int_p),
                *_doubles("energy_in energy_lost energy_joints seconds"), *_REASON,
                *_WARNINGS]
    _counts_ = {"updates": "n_updates", "outputs": "n_outputs", "offsets": "n_joints",
                "warnings": "n_warnings"}


class CompareOptions(Sized):
    _name_ = "masing_compare_options"
    _fields_ = [*_SIZE, ("n_frequencies", c_int), ("frequencies_hz", double_p),
                ("n_points", c_int), ("is_cold", c_bool), ("progress", c_void_p),
                ("tolerance", c_double), ("has_errors", c_bool), ("loops", c_void_p),
                ("curve", c_void_p)]


class CompareSummary(Sized):
    _name_ = "masing_compare_summary"
    _fields_ = [*_SIZE, *_ints("n_points n_steady n_stuck n_multiple n_steady_cold "
                               "n_multiple_cold n_left n_passed n_failed"),
                *_doubles("worst_difference worst_hz worst_difference_cold seconds_hb "
                          "seconds_ti largest_difference largest_hz"),
                ("largest_name", c_char * COLUMN_NAME), *_doubles("error_hb error_ti"),
                ("n_equal", c_int), ("seconds_equal", c_double), ("is_complete", c_bool),
                *_REASON, *_WARNINGS]
    _counts_ = {"warnings": "n_warnings"}


class RingdownOptions(Sized):
    _name_ = "masing_ringdown_options"
    _fields_ = [*_SIZE, ("n_amplitudes", c_int), ("amplitudes", double_p),
                ("keeps_period_error", c_bool), ("n_modal_models", c_int),
                ("modal_models", c_void_p), ("history", c_void_p), ("progress", c_void_p)]


class RingdownMode(Structure):
    _name_ = "masing_ringdown_mode"
    _fields_ = [("number", c_int), *_doubles("stuck_hz free_hz stuck_damping"),
                *_ints("n_rows n_overshadowed n_bent n_silent n_noisy n_short n_crowded "
                       "n_growing crowded_by"),
                *_doubles("crowding parted_by noise_from amplitude_from amplitude_to "
                          "frequency_from frequency_to damping_from damping_to damping_most "
                          "damping_most_at worst_frequency worst_damping mean_damping "
                          "worst_damping_at"), ("n_compared", c_int),
                *_doubles("record_frequency record_damping record_frequency_interval "
                          "record_damping_interval")]


class RingdownSummary(Sized):
    _name_ = "masing_ringdown_summary"
    _fields_ = [*_SIZE, ("n_modes", c_int), ("modes", POINTER(RingdownMode)),
                ("step", c_double), ("steps", c_long), ("duration", c_double),
                ("segments", c_int), ("seconds", c_double), ("is_complete", c_bool),
                *_REASON, *_WARNINGS]
    _counts_ = {"modes": "n_modes", "warnings": "n_warnings"}


class MotionTerm(Structure):
    _name_ = "masing_motion_term"
    _fields_ = [("harmonic", c_int), *_doubles("sine cosine")]


class LoopPath(Structure):
    _name_ = "masing_loop_path"
    _fields_ = [("is_circle", c_bool), ("degrees", c_double)]


class LoopOptions(Sized):
    _name_ = "masing_loop_options"
    _fields_ = [*_SIZE, ("n_amplitudes", c_int), ("amplitudes", double_p),
                ("n_terms", c_int), ("terms", POINTER(MotionTerm)), ("points", c_void_p),
                ("path", POINTER(LoopPath)), ("frequency_hz", c_double),
                *_ints("n_cycles n_rows"), ("tolerance", c_double),
                ("has_equivalent_bouc_wen", c_bool), ("progress", c_void_p)]


class LoopMeasures(Structure):
    _name_ = "masing_loop_measures"
    _fields_ = [*_doubles("amplitude max_force secant_stiffness energy_lost "
                          "first_harmonic_stiffness first_harmonic_damping loss_factor "
                          "slip_share work largest_displacement"), ("cycles", c_int),
                ("distance", c_double)]


class LoopSummary(Sized):
    _name_ = "masing_loop_summary"
    _fields_ = [*_SIZE, ("n_loops", c_int), ("loops", POINTER(LoopMeasures)),
                ("seconds", c_double), *_REASON, *_WARNINGS]
    _counts_ = {"loops": "n_loops", "warnings": "n_warnings"}


class StaticContact(Structure):
    _name_ = "masing_static_contact"
    _fields_ = [("status", c_int), *_doubles("normal_force tangential_force approach")]


class CheckResult(Sized):
    _name_ = "masing_check_result"
    _fields_ = [*_SIZE, *_ints("n_dofs n_modes n_rigid n_axes"),
                *_of(double_p, "free_hz stuck_hz free_motion stuck_motion stuck_energy "
                               "static_displacement static_force free_shapes stuck_shapes"),
                *_ints("n_given n_joints"), ("contacts", POINTER(StaticContact)),
                ("n_sectors", c_int), ("nodal_diameters", POINTER(c_int))]
