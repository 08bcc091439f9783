/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/slip_limit.h"

#include "base/check.h"
#include "laws/laws.h"

const char *const slip_limit_force_alternatives[] = {"friction", "preload", NULL};
const char *const slip_limit_pair_alternatives[] = {"slip_force", NULL};

const char *slip_limit_key(const struct slip_limit *limit)
{
    const struct law_number pair[] = {{"friction", limit->friction},
                                      {"preload", limit->preload}};
    return isnan(limit->slip_force) ? law_extreme(pair, 2) : "slip_force";
}

enum masing_status slip_limit_check(struct slip_limit *limit, struct masing_error *error)
{
    bool has_force = !isnan(limit->slip_force);
    bool has_friction = !isnan(limit->friction), has_preload = !isnan(limit->preload);
    if (has_force && (has_friction || has_preload)) {
        return masing_error_refuse(error, "slip_force",
                                   "'slip_force' and '%s' are both given; give either "
                                   "'slip_force' or 'friction' and 'preload'",
                                   has_friction ? "friction" : "preload");
    }
    if (!has_force && !has_friction && !has_preload) {
        return masing_error_refuse(error, "slip_force",
                                   "the slip force is missing; give either 'slip_force' or "
                                   "'friction' and 'preload'");
    }
    if (!has_force && has_friction != has_preload) {
        const char *given = has_friction ? "friction" : "preload";
        return masing_error_refuse(error, given, "'%s' is missing beside '%s'",
                                   has_friction ? "preload" : "friction", given);
    }
    limit->resolved = has_force ? limit->slip_force : limit->friction * limit->preload;
    if (!isfinite(limit->resolved)) {
        return masing_error_refuse(error, slip_limit_key(limit),
                                   "friction * preload = %g * %g is not a finite force",
                                   limit->friction, limit->preload);
    }
    return MASING_OK;
}

enum masing_status slip_limit_reach(struct slip_limit *limit, double stiffness, double *reach,
                                    struct masing_error *error)
{
    NEED(slip_limit_check(limit, error));
    *reach = limit->resolved / stiffness;
    if (!isfinite(*reach) || (*reach == 0.0 && limit->resolved > 0.0)) {
        const struct law_number numbers[] = {{"stiffness", stiffness},
                                             {slip_limit_key(limit), limit->resolved}};
        return masing_error_refuse(error, law_extreme(numbers, 2),
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
