/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/energy_limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

/* A gain below this part of the work exchanged is rounding or the balance's own mismatch. */
static const double NEGLIGIBLE_GAIN = 1e-6;

double energy_limit_of(const struct masing_law *law, const void *parameters)
{
    double limit = law->energy_limit ? law->energy_limit(parameters) : INFINITY;
    return limit > 0.0 ? limit : INFINITY;
}

/* Unless its law says of these parameters that no motion can gain anything, or that gaining is
 * what it is there for. */
static bool may_gain_unmeant(const struct joint *joint)
{
    const struct masing_law *law = joint->law;
    if (law->gain_is_meant) {
        return false;
    }
    return law->energy_limit ? isfinite(law->energy_limit(joint->parameters))
                             : law->may_create_energy;
}

enum masing_status energy_limits_create(const struct masing_model *model,
                                        struct energy_limits **limits,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n_joints = model->spec.n_joints;
    *limits = NULL;
    struct energy_limits *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->model = model;
    TRY_ALLOCATED(made->entries = memory_array((size_t)n_joints, sizeof *made->entries));
    for (int j = 0; j < n_joints; j++) {
        const struct masing_law *law = model->joints[j].law;
        bool may_gain = may_gain_unmeant(&model->joints[j]);
        if (may_gain || law->known_range) {
            struct energy_limit *entry = &made->entries[made->n++];
            *entry = (struct energy_limit){
                .joint = j,
                .may_gain = may_gain,
                .from = -INFINITY,
                .to = INFINITY,
                .limit = energy_limit_of(law, model->joints[j].parameters),
                .first_at = NAN,
                .worst_size = NAN};
            if (law->known_range) {
                law->known_range(model->joints[j].parameters, &entry->from, &entry->to);
            }
        }
    }
    *limits = made;
    made = NULL;
done:
    energy_limits_destroy(made);
    return status;
}

void energy_limits_destroy(struct energy_limits *limits)
{
    if (limits) {
        free(limits->entries);
        free(limits);
    }
}

void energy_limit_note(struct energy_limit *limit, double at, double size, double loss,
                       double scale)
{
    if (size > limit->limit && isnan(limit->first_at)) {
        limit->first_at = at;
        limit->first_size = size;
    }
    if (size > limit->limit && !(size <= limit->worst_size)) {
        limit->worst_at = at;
        limit->worst_size = size;
    }
    if (limit->may_gain && -loss > NEGLIGIBLE_GAIN * scale && -loss > limit->gain) {
        limit->gain_at = at;
        limit->gain = -loss;
    }
}

void energy_limit_note_range(struct energy_limit *limit, double at, double low, double high)
{
    double beyond = fmax(limit->from - low, high - limit->to);
    if (beyond > limit->outside) {
        limit->outside_at = at;
        limit->outside_x = limit->from - low > high - limit->to ? low : high;
        limit->outside = beyond;
    }
}

void energy_limits_note_instant(struct energy_limits *limits, double at, const double *x)
{
    for (int i = 0; i < limits->n; i++) {
        double here = x[limits->model->joints[limits->entries[i].joint].first_axis];
        energy_limit_note_range(&limits->entries[i], at, here, here);
    }
}

/* The joint that goes farthest beyond stands for all. */
static enum masing_status warn_outside(const struct energy_limits *limits, const char *unit,
                                       const struct warning_list *list,
                                       struct masing_error *error)
{
    const struct energy_limit *worst = NULL;
    char others[60] = "";
    int n = 0;
    for (int i = 0; i < limits->n; i++) {
        const struct energy_limit *entry = &limits->entries[i];
        n += entry->outside > 0.0;
        worst = entry->outside > (worst ? worst->outside : 0.0) ? entry : worst;
    }
    if (!worst) {
        return MASING_OK;
    }
    if (n > 1) {
        snprintf(others, sizeof others, ", and %d more joints go beyond theirs", n - 1);
    }
    const struct joint *joint = &limits->model->joints[worst->joint];
    return warning_add(list, error,
                       "joint %s: law '%s' is known from %.4g to %.4g m; at %.6g %s the motion "
                       "reaches %.4g m, where the force goes on straight%s",
                       joint->name, joint->law->name, worst->from, worst->to, worst->outside_at,
                       unit, worst->outside_x, others);
}

/* names: of all joints of the same law of which this entry tells. */
static enum masing_status warn(const struct energy_limits *limits,
                               const struct energy_limit *limit, bool is_gain,
                               struct name_list *names, const char *unit,
                               const struct warning_list *list, struct masing_error *error)
{
    const char *law = limits->model->joints[limit->joint].law->name;
    char joints[300];
    if (names->n == 1) {
        snprintf(joints, sizeof joints, "joint %s", name_list_text(names));
    } else {
        snprintf(joints, sizeof joints, "%d joints, %s", names->n, name_list_text(names));
    }
    if (is_gain) {
        return warning_add(list, error,
                           "%s: law '%s' creates energy, up to %.4g J per cycle (at %.6g %s)",
                           joints, law, limit->gain, limit->gain_at, unit);
    }
    if (limit->first_at == limit->worst_at) {
        return warning_add(
            list, error,
            "%s: law '%s' can create energy beyond |x| = %.4g m; at %.6g %s the motion "
            "reaches %.4g m, %.3g times that",
            joints, law, limit->limit, limit->worst_at, unit, limit->worst_size,
            limit->worst_size / limit->limit);
    }
    return warning_add(
        list, error,
        "%s: law '%s' can create energy beyond |x| = %.4g m; the motion passes it first "
        "at %.6g %s (%.4g m) and goes furthest at %.6g %s (%.4g m, %.3g times the limit)",
        joints, law, limit->limit, limit->first_at, unit, limit->first_size, limit->worst_at,
        unit, limit->worst_size, limit->worst_size / limit->limit);
}

/* How far a joint is beyond what its law may do: its limit, or by what it creates; 0: not. */
static double excess(const struct energy_limit *limit, bool is_gain)
{
    return is_gain ? limit->gain
                   : (isnan(limit->worst_size) ? 0.0 : limit->worst_size / limit->limit);
}

/* Few joints of a law have each their own numbers told, of many the worst stands for all: the
 * entries of the law of one of them that go too far, and the worst of them. */
static struct name_list find_alike(const struct energy_limits *limits, int first, bool is_gain,
                                   int *worst)
{
    struct name_list names = {0};
    const struct masing_law *law = limits->model->joints[limits->entries[first].joint].law;
    *worst = -1;
    for (int i = 0; i < limits->n; i++) {
        const struct joint *joint = &limits->model->joints[limits->entries[i].joint];
        double size = excess(&limits->entries[i], is_gain);
        if (joint->law == law && size > 0.0) {
            name_list_add(&names, joint->name);
            *worst =
                *worst < 0 || size > excess(&limits->entries[*worst], is_gain) ? i : *worst;
        }
    }
    return names;
}

static enum masing_status warn_entry(const struct energy_limits *limits, int index,
                                     bool is_gain, const char *unit,
                                     const struct warning_list *list,
                                     struct masing_error *error)
{
    int worst;
    if (!(excess(&limits->entries[index], is_gain) > 0.0)) {
        return MASING_OK;
    }
    struct name_list names = find_alike(limits, index, is_gain, &worst);
    if (names.n > NAMES_TOLD && index != worst) {
        return MASING_OK; /* told with the worst one */
    }
    if (names.n <= NAMES_TOLD) {
        names = (struct name_list){0};
        name_list_add(&names, limits->model->joints[limits->entries[index].joint].name);
    }
    return warn(limits, &limits->entries[index], is_gain, &names, unit, list, error);
}

enum masing_status energy_limits_warn(const struct energy_limits *limits, const char *unit,
                                      const struct warning_list *list,
                                      struct masing_error *error)
{
    for (int i = 0; i < limits->n; i++) {
        NEED(warn_entry(limits, i, false, unit, list, error));
        NEED(warn_entry(limits, i, true, unit, list, error));
    }
    return warn_outside(limits, unit, list, error);
}
