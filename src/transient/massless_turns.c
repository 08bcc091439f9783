/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Directions of joints on DOFs without mass, whose velocities jump at events. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "transient/massless_parts.h"

/* Joints that turn at one event. */
enum { MOST_TURNS = 1000 };
/* Below this part of the tolerance of velocities a joint may still be at rest. */
static const double REST = 1e-3;

/* The first guard of a joint, were it to move forwards: positive in a stretch forwards. */
static double direction_of(const struct massless *massless, int j, const double *y)
{
    const struct flow_solver *solver = massless->solver;
    const struct joint *joint = &solver->parts.model->joints[j];
    struct masing_flow_point point = flow_solver_point(solver, j, y);
    const double forwards = 1.0;
    double *value = massless->guards;
    point.v = &forwards;
    joint->law->family->flow->guards(joint->law, joint->parameters, massless_state(massless, j),
                                     solver->regime + solver->r_start[j], &point, value);
    return value[0] > 0.0 ? 1.0 : -1.0;
}

static bool has_reversals(const struct massless *massless, int j)
{
    return massless->solver->parts.model->joints[j].law->family->flow->first_is_reversal;
}

/* A reversal does not depend on the tangent of the joint itself: what was slowing down goes
 * back. */
void massless_accelerate(struct massless *massless, double time, const int *roots)
{
    struct flow_solver *solver = massless->solver;
    flexible_add_loads(massless->flexible, massless->solver->parts.omega * time, 2, solver->a);
    flexible_follow(massless->flexible, solver->a);
    for (int i = 0; i < massless->flexible->n && roots; i++) {
        int j = massless->flexible->joints[i];
        if (has_reversals(massless, j) && roots[solver->g_start[j]]) {
            solver->a[massless->flexible->axes[i]] =
                -direction_of(massless, j, N_VGetArrayPointer(solver->y));
        }
    }
}

/* Speed at which a joint may still be at rest. */
static double rest_speed(const struct massless *massless)
{
    const struct flow_solver *solver = massless->solver;
    const struct forcing *forcing = solver->parts.forcing;
    size_t n = (size_t)solver->n_modes, width = n + (size_t)forcing->n_ports;
    double speed = 0.0;
    for (int i = 0; i < massless->flexible->n; i++) {
        size_t axis = (size_t)massless->flexible->axes[i];
        double sum = 0.0;
        for (size_t k = 0; k < n; k++) {
            sum += fabs(solver->parts.ports->shapes[axis * n + k]) * solver->size[n + k];
        }
        for (size_t term = 0; term < (size_t)forcing->n_terms; term++) {
            size_t at = term * width + n + axis;
            sum += solver->parts.omega * forcing->harmonics[term] *
                   hypot(forcing->cosine[at], forcing->sine[at]);
        }
        speed = fmax(speed, sum);
    }
    return REST * solver->parts.accuracy * speed;
}

void massless_loosen(const struct massless *massless, double *guards)
{
    double speed = rest_speed(massless);
    for (int i = 0; i < massless->flexible->n; i++) {
        int j = massless->flexible->joints[i];
        guards[massless->solver->g_start[j]] += has_reversals(massless, j) ? speed : 0.0;
    }
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
static bool is_over(const struct massless *massless, int j, const double *y, bool passed,
                    double speed)
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
        is_over = is_over || (is_reversal ? value[g] < -speed : passed && value[g] < 0.0);
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
    double speed = rest_speed(massless);
    int n_turns = 0, n = massless->flexible->n;
    newmark_project(solver->n_axes, solver->n_modes, shapes, y, solver->x);
    newmark_project(solver->n_axes, solver->n_modes, shapes, y + solver->n_modes, solver->v);
    TRY(massless_follow(massless, time, y));
    for (int i = 0; i < n; i++) {
        if (is_over(massless, massless->flexible->joints[i], y, n_turns < n, speed)) {
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
