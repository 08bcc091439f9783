/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Directions of joints on DOFs without mass, whose velocities jump at events. */
#include <string.h>

#include "base/check.h"
#include "transient/massless_parts.h"

/* Joints that turn at one event. */
enum { MOST_TURNS = 1000 };
void massless_accelerate(struct massless *massless, double time)
{
    struct flow_solver *solver = massless->solver;
    flexible_add_loads(massless->flexible, massless->solver->parts.omega * time, 2, solver->a);
    flexible_follow(massless->flexible, solver->a);
}

/* The stretch of a joint ends here and goes on as its velocity says. */
static enum masing_status begin_anew(struct massless *massless, int j, double *y)
{
    struct flow_solver *solver = massless->solver;
    const struct joint *joint = &solver->parts.model->joints[j];
    const struct masing_flow *flow = joint->law->family->flow;
    struct masing_flow_point point = flow_solver_point(solver, j, y);
    double *z = y + 2 * solver->n_modes + solver->z_start[j];
    double *regime = solver->regime + solver->r_start[j];
    enum masing_status status =
        flow->leave(joint->law, joint->parameters, regime, &point, massless_state(massless, j));
    if (status == MASING_OK) {
        point.a = point.v;
        flow->enter(joint->law, joint->parameters, &point, NULL, massless_state(massless, j),
                    regime, z);
    }
    return status;
}

/* Whether a joint's motion is not that of its stretch: its direction is not, or, where wanted,
 * it has passed another end. */
static bool is_over(const struct massless *massless, int j, const double *y, bool passed)
{
    const struct flow_solver *solver = massless->solver;
    const struct joint *joint = &solver->parts.model->joints[j];
    const struct masing_flow *flow = joint->law->family->flow;
    const struct masing_flow_point point = flow_solver_point(solver, j, y);
    double *value = massless->guards;
    bool is_over = false;
    flow->guards(joint->law, joint->parameters, massless_state(massless, j),
                 solver->regime + solver->r_start[j], &point, value);
    for (int g = 0; g < solver->g_start[j + 1] - solver->g_start[j]; g++) {
        bool is_reversal = g == 0 && flow->first_is_reversal;
        is_over =
            is_over || (is_reversal ? value[g] < -solver->rest[j] : passed && value[g] < 0.0);
    }
    return is_over;
}

/* The joint on the i-th axis begins anew: velocities jump, displacements do not. Tangents of
 * the others stay, for at a corner the last digit of a displacement decides about them. */
static enum masing_status turn(struct massless *massless, int i, double *y)
{
    enum masing_status status = MASING_OK;
    struct flow_solver *solver = massless->solver;
    TRY(begin_anew(massless, massless->flexible->joints[i], y));
    massless_evaluate(massless, i, massless->coupling->x);
    memcpy(solver->v, massless->v_free, (size_t)solver->n_axes * sizeof(double));
    if (!flexible_set(massless->flexible, massless->along)) {
        massless->trouble = FLEXIBLE_JUMPS;
        status = MASING_NOT_CONVERGED;
        goto done;
    }
    flexible_follow(massless->flexible, solver->v);
done:
    return status;
}

/* Turning always the first that goes the wrong way ends, see the exact solver. */
enum masing_status massless_settle(struct massless *massless, double time, double *y)
{
    enum masing_status status = MASING_OK;
    struct flow_solver *solver = massless->solver;
    const double *shapes = solver->parts.ports->shapes;
    int n_turns = 0, n = massless->flexible->n;
    newmark_project(solver->n_axes, solver->n_modes, shapes, y, solver->x);
    newmark_project(solver->n_axes, solver->n_modes, shapes, y + solver->n_modes, solver->v);
    TRY(massless_follow(massless, time, y));
    for (int i = 0; i < n; i++) {
        if (is_over(massless, massless->flexible->joints[i], y, n_turns < n)) {
            if (n_turns++ == MOST_TURNS) {
                massless->trouble = FLEXIBLE_JUMPS;
                status = MASING_NOT_CONVERGED;
                goto done;
            }
            TRY(turn(massless, i, y));
            i = -1; /* from the first again */
        }
    }
done:
    return status;
}
