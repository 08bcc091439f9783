/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/slip_limit.h"

enum masing_status slip_limit_check(struct slip_limit *limit, struct masing_error *error)
{
    bool has_force = !isnan(limit->slip_force);
    bool has_friction = !isnan(limit->friction), has_preload = !isnan(limit->preload);
    if (has_force && (has_friction || has_preload)) {
        return masing_error_set(error, MASING_INVALID,
                                "'slip_force' and '%s' are both given; give either "
                                "'slip_force' or 'friction' and 'preload'",
                                has_friction ? "friction" : "preload");
    }
    if (!has_force && !has_friction && !has_preload) {
        return masing_error_set(error, MASING_INVALID,
                                "the slip force is missing; give either 'slip_force' or "
                                "'friction' and 'preload'");
    }
    if (!has_force && has_friction != has_preload) {
        return masing_error_set(error, MASING_INVALID, "'%s' is missing beside '%s'",
                                has_friction ? "preload" : "friction",
                                has_friction ? "friction" : "preload");
    }
    limit->resolved = has_force ? limit->slip_force : limit->friction * limit->preload;
    if (!isfinite(limit->resolved)) {
        return masing_error_set(error, MASING_INVALID,
                                "friction * preload = %g * %g is not a finite force",
                                limit->friction, limit->preload);
    }
    return MASING_OK;
}

enum masing_status slip_limit_reach(struct slip_limit *limit, double stiffness, double *reach,
                                    struct masing_error *error)
{
    enum masing_status status = slip_limit_check(limit, error);
    if (status != MASING_OK) {
        return status;
    }
    *reach = limit->resolved / stiffness;
    if (!isfinite(*reach) || (*reach == 0.0 && limit->resolved > 0.0)) {
        return masing_error_set(error, MASING_INVALID,
                                "slip force / stiffness = %g / %g is out of range",
                                limit->resolved, stiffness);
    }
    return MASING_OK;
}

void slip_limit_derive(const struct slip_limit *limit, struct slip_limit *tangent)
{
    tangent->resolved = !isnan(limit->slip_force) ? tangent->slip_force
                                                  : tangent->friction * limit->preload +
                                                        limit->friction * tangent->preload;
}
