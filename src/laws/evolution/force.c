/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/force.h"

/* Where nothing moves the direction does not matter: rates are multiplied by v. */
static double direction(double v)
{
    return v < 0.0 ? -1.0 : 1.0;
}

void force_of_state(const struct masing_law *law, const void *parameters, double x, double v,
                    double z, struct masing_rate *force)
{
    *force = (struct masing_rate){.value = z, .z = 1.0};
    if (law->evolution->force) {
        law->evolution->force(parameters, direction(v), x, v, z, force);
    }
}

static double velocity(const struct sequence *sequence, int i)
{
    const struct masing_path *path = sequence->path;
    return sequence->law->needs_velocity && path->v ? path->v[i] : 0.0;
}

void force_at(const struct sequence *sequence, int i, struct masing_rate *force)
{
    force_of_state(sequence->law, sequence->parameters, sequence->path->x[i] - sequence->origin,
                   velocity(sequence, i), sequence->z[i], force);
}

double force_change_at(const struct sequence *sequence, int i, const void *tangent)
{
    const struct masing_evolution *evolution = sequence->law->evolution;
    double v = velocity(sequence, i);
    if (!evolution->force_change) {
        return 0.0;
    }
    return evolution->force_change(sequence->parameters, tangent, direction(v),
                                   sequence->path->x[i] - sequence->origin, v, sequence->z[i]);
}
