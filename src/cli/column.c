/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the numbers in the columns of results are measured in. */
#include <ctype.h>
#include <string.h>

#include "cli/single_run.h"
#include "cli/summary.h"
#include "cli/unit.h"

/*
 * Every column that a command writes, as doc/results.md calls it: OUT stands for an output,
 * JOINT for an entry under joints or one of its directions, K for a harmonic; where OUT_max is
 * followed by more, it may be another measure. Units are those of displacements; OUT: that of
 * the output. A test compares them with those of the page.
 */
static const struct {
    const char *unit, *columns; /* columns: parted by blanks */
    const char *command;        /* whose column it is alone; NULL: any */
} rows[] = {
    {"m √kg", "amplitude", "mode"},
    {"m √kg", "amplitude", "ringdown"},
    {"m", "amplitude", "loop"},
    {"",
     "point branch slip_JOINT open_JOINT stable event iterations share_structure share_JOINT "
     "energy_mismatch multiplier multiplier_error at_limit slip_share open_share "
     "equivalent_damping_ratio complete points joint element open stick slip harmonics "
     "samples OUT_max_error number damping_ratio curve mode impulse model_damping_ratio "
     "damping_interval loop sample used response load_factor damping_ratio_fitted "
     "relative_difference relative_difference_cold measure cycles settled_on settled_on_cold "
     "settled_point settled_point_cold period_multiple period_multiple_cold passed "
     "joint_loss_difference OUT_max_difference OUT_mean_difference OUT_hK_difference "
     "error_hb error_ti steps_equal shown method is_dot cycle steady loss_factor distance "
     "draws_without_peak draws_at_limit quantile",
     NULL},
    {"Hz",
     "frequency_hz peakK_frequency_hz half_power_bandwidth_hz refined_hz model_frequency_hz "
     "frequency_interval_hz frequency_fitted_hz free_hz stuck_hz",
     NULL},
    {"OUT",
     "OUT_max OUT_amp OUT_mean OUT_hK peakK_OUT_max peakK_OUT_amp peakK_OUT_hK "
     "OUT_max_refined OUT OUT_max_hb OUT_max_ti OUT_max_cold "
     "OUT_mean_hb OUT_mean_ti OUT_max_mean OUT_max_q50 OUT_max_q95 OUT_max_q95_low "
     "OUT_max_q95_high",
     NULL},
    {"degrees",
     "OUT_hK_phase_deg force_JOINT_hK_phase_deg multiplier_angle_deg angle_deg phase_deg "
     "phase_fitted_deg",
     NULL},
    {"J",
     "energy_lost energy_in loss_structure loss_JOINT loss joint_loss_hb joint_loss_ti "
     "work_JOINT",
     NULL},
    {"W", "power_structure power_JOINT", NULL},
    {"m",
     "slip_distance_JOINT JOINT_displacement_amp JOINT_displacement_mean displacement y z "
     "displacement_JOINT displacement_2",
     NULL},
    {"N",
     "JOINT_force_h1 JOINT_force_mean force_JOINT_hK force_JOINT_mean force force_JOINT "
     "force_2 equivalent_bouc_wen max_force force_fitted residual",
     NULL},
    {"N/m",
     "JOINT_equivalent_stiffness secant_stiffness first_harmonic_stiffness "
     "first_harmonic_damping",
     NULL},
    {"N s/m", "JOINT_equivalent_damping", NULL},
    {"OUT/Hz", "OUT_max_slope_in OUT_max_slope_out", NULL},
    {"s", "seconds time seconds_hb seconds_ti seconds_cold seconds_equal", NULL},
    {"1/√kg", "OUT_free OUT_stuck", NULL},
    {"m²", "area", NULL},
};

/* What stood for OUT and JOINT. */
struct found {
    const struct masing_output_spec *output;
    const struct masing_joint_spec *joint;
    const char *axis; /* of several */
};

static bool is_match(const char *pattern, const char *name, const struct masing_spec *spec,
                     struct found *found);

/* What stands behind the beginning of a text; NULL: it begins otherwise. */
static const char *behind(const char *text, const char *start)
{
    for (; *start; start++, text++) {
        if (*text != *start) {
            return NULL;
        }
    }
    return text;
}

static bool is_joint(const char *pattern, const char *name, const struct masing_spec *spec,
                     struct found *found)
{
    for (int g = 0; g < spec->n_groups; g++) {
        const char *rest = behind(name, spec->groups[g].name);
        found->joint = &spec->joints[spec->groups[g].first];
        found->axis = "";
        if (rest && is_match(pattern, rest, spec, found)) {
            return true;
        }
        for (int a = 0; rest && *rest == '_' && a < masing_joint_spec_axes(found->joint); a++) {
            found->axis = masing_joint_spec_axis_name(found->joint, a);
            const char *end = *found->axis ? behind(rest + 1, found->axis) : NULL;
            if (end && is_match(pattern, end, spec, found)) {
                return true;
            }
        }
    }
    found->joint = NULL;
    return false;
}

static bool is_match(const char *pattern, const char *name, const struct masing_spec *spec,
                     struct found *found)
{
    static const char *const measures[] = {"max_", "amp_", "h1_"};
    const char *rest;
    if ((rest = behind(pattern, "OUT")) != NULL) {
        for (int o = 0; o < spec->n_outputs; o++) {
            const char *end = behind(name, spec->outputs[o].name);
            found->output = &spec->outputs[o];
            if (end && is_match(rest, end, spec, found)) {
                return true;
            }
        }
        return false;
    }
    if ((rest = behind(pattern, "JOINT")) != NULL) {
        return is_joint(rest, name, spec, found);
    }
    if ((rest = behind(pattern, "max_")) != NULL) {
        for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
            const char *end = behind(name, measures[i]);
            if (end && is_match(rest, end, spec, found)) {
                return true;
            }
        }
        return false;
    }
    if (*pattern == 'K' && isdigit((unsigned char)*name)) {
        return is_match(pattern + 1, name + strspn(name, "0123456789"), spec, found);
    }
    return !*pattern || *pattern == ' '
               ? !*name
               : *pattern == *name && is_match(pattern + 1, name + 1, spec, found);
}

/* Whether it is a number of the model that an option of the call varies, NAME=VALUES. */
static bool is_varied(const struct call *call, const char *name)
{
    bool is_one = false;
    for (int i = 0; i < call->values.count; i++) {
        const char *end = behind(call->values.values[i], name);
        is_one = is_one || (end && *end == '=');
    }
    return is_one;
}

static bool is_uncertain(const struct masing_spec *spec, const char *name)
{
    bool is_one = false;
    for (int i = 0; i < spec->uncertain.n; i++) {
        is_one = is_one || strcmp(spec->uncertain.numbers[i].path, name) == 0;
    }
    return is_one;
}

const char *column_unit(const struct single_run *single, const char *name)
{
    static const struct masing_spec nothing;
    const struct masing_spec *spec = single->input.spec ? single->input.spec : &nothing;
    const char *command = single->call->command->name;
    if (is_varied(single->call, name) || is_uncertain(spec, name)) {
        return model_input_unit(spec, name);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *column = rows[i].columns;
        struct found found = {0};
        while (column && !is_match(column, name, spec, &found)) {
            const char *blank = strchr(column, ' ');
            column = blank ? blank + 1 : NULL;
        }
        if (!column || (rows[i].command && strcmp(rows[i].command, command) != 0)) {
            continue;
        }
        const char *rest = behind(rows[i].unit, "OUT");
        bool turns = found.joint ? unit_joint_turns(spec, found.joint) ||
                                       (found.axis[0] == 'r' && strlen(found.axis) == 2)
                                 : unit_joints_turn(spec, single->settings->joint);
        return rest ? pool_format(single->call->pool, "%s%s",
                                  summary_output_unit(spec, found.output), rest)
                    : unit_of(rows[i].unit, turns);
    }
    return NULL;
}
