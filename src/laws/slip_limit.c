/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/slip_limit.h"

#include "base/check.h"
#include "laws/laws.h"

const char *const slip_limit_force_alternatives[] = {"friction", "preload",
                                                     "preload_per_speed_squared", NULL};
const char *const slip_limit_pair_alternatives[] = {"slip_force", NULL};

const char *slip_limit_key(const struct slip_limit *limit)
{
    const struct law_number pair[] = {{"friction", limit->friction},
                                      {"preload", limit->pressed}};
    return isnan(limit->slip_force) ? law_extreme(pair, 2) : "slip_force";
}

enum masing_status slip_limit_check(struct slip_limit *limit, struct masing_error *error)
{
    bool has_force = !isnan(limit->slip_force);
    bool has_friction = !isnan(limit->friction), has_own = !isnan(limit->preload);
    bool has_speed = !isnan(limit->per_speed_squared), has_preload = has_own || has_speed;
    double from_speed = has_speed ? limit->per_speed_squared * limit->speed_squared : 0.0;
    limit->pressed = has_preload ? (has_own ? limit->preload : 0.0) + from_speed : NAN;
    if (has_force && (has_friction || has_preload)) {
        return masing_error_refuse(error, "slip_force",
                                   "'slip_force' and '%s' are both given; give either "
                                   "'slip_force' or 'friction' and 'preload'",
                                   has_friction ? "friction"
                                   : has_own    ? "preload"
                                                : "preload_per_speed_squared");
    }
    if (!has_force && !has_friction && !has_preload) {
        return masing_error_refuse(error, "slip_force",
                                   "the slip force is missing; give either 'slip_force' or "
                                   "'friction' and 'preload'");
    }
    if (!has_force && has_friction != has_preload) {
        const char *given = has_friction ? "friction"
                            : has_own    ? "preload"
                                         : "preload_per_speed_squared";
        return masing_error_refuse(error, given, "'%s' is missing beside '%s'",
                                   has_friction ? "preload" : "friction", given);
    }
    limit->resolved = has_force ? limit->slip_force : limit->friction * limit->pressed;
    if (!isfinite(limit->resolved)) {
        return masing_error_refuse(error, slip_limit_key(limit),
                                   "friction * preload = %g * %g is not a finite force",
                                   limit->friction, limit->pressed);
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
    bool has_speed = !isnan(limit->per_speed_squared);
    tangent->pressed =
        tangent->preload + (has_speed ? tangent->per_speed_squared * limit->speed_squared +
                                            limit->per_speed_squared * tangent->speed_squared
                                      : 0.0);
    tangent->resolved = !isnan(limit->slip_force) ? tangent->slip_force
                                                  : tangent->friction * limit->pressed +
                                                        limit->friction * tangent->pressed;
}
