/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/energy_limits.h"

#include <math.h>
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

/* Unless its law says of these parameters that no motion can gain anything. */
static bool is_watched(const struct joint *joint)
{
    const struct masing_law *law = joint->law;
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
    made->entries = memory_array((size_t)n_joints, sizeof *made->entries);
    TRY_ALLOCATED(made->entries);
    for (int j = 0; j < n_joints; j++) {
        if (is_watched(&model->joints[j])) {
            made->entries[made->n++] = (struct energy_limit){
                .joint = j,
                .limit = energy_limit_of(model->joints[j].law, model->joints[j].parameters),
                .first_at = NAN,
                .worst_size = NAN};
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
    if (-loss > NEGLIGIBLE_GAIN * scale && -loss > limit->gain) {
        limit->gain_at = at;
        limit->gain = -loss;
    }
}

static enum masing_status warn_beyond(const struct energy_limits *limits,
                                      const struct energy_limit *limit, const char *unit,
                                      const struct warning_list *list,
                                      struct masing_error *error)
{
    const struct joint *joint = &limits->model->joints[limit->joint];
    if (limit->first_at == limit->worst_at) {
        return warning_add(
            list, error,
            "joint '%s': law '%s' can create energy beyond |x| = %.4g m; at %.6g %s the motion "
            "reaches %.4g m, %.3g times that",
            joint->name, joint->law->name, limit->limit, limit->worst_at, unit,
            limit->worst_size, limit->worst_size / limit->limit);
    }
    return warning_add(
        list, error,
        "joint '%s': law '%s' can create energy beyond |x| = %.4g m; the motion passes it "
        "first "
        "at %.6g %s (%.4g m) and goes furthest at %.6g %s (%.4g m, %.3g times the limit)",
        joint->name, joint->law->name, limit->limit, limit->first_at, unit, limit->first_size,
        limit->worst_at, unit, limit->worst_size, limit->worst_size / limit->limit);
}

static enum masing_status warn_gain(const struct energy_limits *limits,
                                    const struct energy_limit *limit, const char *unit,
                                    const struct warning_list *list, struct masing_error *error)
{
    const struct joint *joint = &limits->model->joints[limit->joint];
    return warning_add(
        list, error, "joint '%s': law '%s' creates energy, up to %.4g J per cycle (at %.6g %s)",
        joint->name, joint->law->name, limit->gain, limit->gain_at, unit);
}

enum masing_status energy_limits_warn(const struct energy_limits *limits, const char *unit,
                                      const struct warning_list *list,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < limits->n; i++) {
        const struct energy_limit *limit = &limits->entries[i];
        TRY(isnan(limit->worst_size) ? MASING_OK
                                     : warn_beyond(limits, limit, unit, list, error));
        TRY(limit->gain > 0.0 ? warn_gain(limits, limit, unit, list, error) : MASING_OK);
    }
done:
    return status;
}
