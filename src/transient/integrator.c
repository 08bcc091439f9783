/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/integrator.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/check.h"

static const double two_pi = 6.28318530717958647692;

/* of a step that is left where a force ends; the force is nearly zero there */
static const double shortest_part = 1e-6;

void integrator_begin(struct integrator *integrator)
{
    integrator->phase = 0;
    integrator->count = 0;
    integrator->is_fresh = true;
    coupling_reset(integrator->coupling);
    forcing_evaluate(integrator->forcing, 0, integrator->force);
    newmark_accelerate(integrator->newmark, integrator->force, integrator->joints->f);
}

enum masing_status integrator_restart(struct integrator *integrator)
{
    enum masing_status status = MASING_OK;
    if (!integrator_has_rule(integrator)) {
        TRY(integrator_joint_states(integrator, integrator->joints->next));
        memcpy(integrator->joints->state, integrator->joints->next,
               integrator->joints->state_start[integrator->joints->n_joints] * sizeof(double));
        integrator_begin(integrator);
    }
done:
    return status;
}

/* Displacements and, where a law wants them, velocities of the axes without new joint forces.
 */
static void project_axes(struct integrator *integrator)
{
    const struct ports *ports = integrator->ports;
    const struct newmark *newmark = integrator->newmark;
    newmark_project(ports->n_axes, ports->n_modes, ports->shapes, newmark->q,
                    integrator->x_free);
    if (ports->flexibility) {
        for (int i = 0; i < ports->n_axes; i++) {
            integrator->x_free[i] += integrator->force[ports->n_modes + i];
        }
    }
    if (integrator->joints->needs_velocity) {
        newmark_project(ports->n_axes, ports->n_modes, ports->shapes, newmark->v,
                        integrator->v_free);
    }
}

/* Squares, of which energies are made, overflow first. */
static bool is_finite(const struct newmark *newmark)
{
    double sum = 0.0;
    for (int k = 0; k < newmark->n_modes; k++) {
        sum += newmark->q[k] * newmark->q[k] + newmark->v[k] * newmark->v[k];
    }
    return isfinite(sum);
}

/* One step of the rule to this phase, whose loads are known. */
static enum masing_status make_step(struct integrator *integrator)
{
    enum masing_status status = MASING_OK;
    newmark_predict(integrator->newmark, integrator->force);
    if (integrator->ports->n_axes > 0) {
        project_axes(integrator);
        TRY(coupling_solve(integrator->coupling, integrator->x_free, integrator->v_free));
        newmark_correct(integrator->newmark, integrator->joints->f);
    }
done:
    return status;
}

/* To a time by one of the solvers. */
static enum masing_status flow_to(struct integrator *integrator, double time)
{
    enum masing_status status = MASING_OK;
    if (integrator->is_fresh) {
        TRY(integrator->flow ? flow_solver_begin(integrator->flow)
                             : exact_solver_begin(integrator->exact));
        integrator->is_fresh = false;
    }
    TRY(integrator->flow ? flow_solver_advance(integrator->flow, time)
                         : exact_solver_advance(integrator->exact, time));
done:
    return status;
}

/* The same distance as a step of the rule. */
static enum masing_status flow_on(struct integrator *integrator)
{
    enum masing_status status = MASING_OK;
    TRY(flow_to(integrator,
                (double)(integrator->count + 1) * integrator->period / integrator->n_steps));
    if (integrator->exact) {
        newmark_accelerate(integrator->newmark, integrator->force, integrator->joints->f);
    }
done:
    return status;
}

enum masing_status integrator_end_force(struct integrator *integrator, double time)
{
    enum masing_status status = MASING_OK;
    struct forcing *forcing = integrator->forcing;
    /* not at the very end of the step, from where the solver would have nowhere to go */
    double end = integrator_time(integrator) + integrator->step;
    time = fmin(time, end - shortest_part * integrator->step);
    TRY(flow_to(integrator, time));
    memset(forcing->sine, 0, (size_t)forcing->n_modes * sizeof(double));
    if (integrator->flow) {
        TRY(flow_solver_restart(integrator->flow, time));
    }
done:
    return status;
}

enum masing_status integrator_step(struct integrator *integrator)
{
    enum masing_status status = MASING_OK;
    int phase = integrator->phase + 1 < integrator->n_steps ? integrator->phase + 1 : 0;
    if (integrator->is_unloaded && !integrator_has_rule(integrator)) {
        forcing_at(integrator->forcing,
                   integrator->omega * (double)(integrator->count + 1) * integrator->period,
                   integrator->force);
    } else {
        forcing_evaluate(integrator->forcing, phase, integrator->force);
    }
    TRY(integrator_has_rule(integrator) ? make_step(integrator) : flow_on(integrator));
    if (!is_finite(integrator->newmark)) {
        status = MASING_NOT_FINITE;
        goto done;
    }
    integrator->phase = phase;
    integrator->count++;
done:
    return status;
}

static double port_value(const struct integrator *integrator, int port, const double *x)
{
    const struct ports *ports = integrator->ports;
    double value = 0.0;
    newmark_project(1, ports->n_modes, ports->shapes + (size_t)port * (size_t)ports->n_modes, x,
                    &value);
    return value;
}

/* Displacement of a port through massless DOFs. */
static double flexible_value(const struct integrator *integrator, int port)
{
    const struct ports *ports = integrator->ports;
    if (!ports->flexibility) {
        return 0.0;
    }
    double value = integrator->force[ports->n_modes + port];
    for (int axis = 0; axis < ports->n_axes; axis++) {
        value -= ports->flexibility[(size_t)axis * (size_t)ports->n_ports + (size_t)port] *
                 integrator->joints->f[axis];
    }
    return value;
}

void integrator_outputs(const struct integrator *integrator, double *value, double *rate)
{
    const struct newmark *newmark = integrator->newmark;
    for (int i = 0; i < integrator->ports->n_outputs; i++) {
        int port = integrator->ports->n_axes + i;
        switch (integrator->model->spec.outputs[i].quantity) {
        case MASING_DISPLACEMENT:
            value[i] =
                port_value(integrator, port, newmark->q) + flexible_value(integrator, port);
            rate[i] = integrator->ports->is_massless[port]
                          ? NAN
                          : port_value(integrator, port, newmark->v);
            break;
        case MASING_VELOCITY:
            value[i] = port_value(integrator, port, newmark->v);
            rate[i] = port_value(integrator, port, newmark->balance);
            break;
        case MASING_ACCELERATION:
            value[i] = port_value(integrator, port, newmark->balance);
            rate[i] = NAN;
            break;
        }
    }
}

bool integrator_has_rule(const struct integrator *integrator)
{
    return !integrator->flow && !integrator->exact;
}

enum masing_status integrator_measure(struct integrator *integrator)
{
    if (integrator->exact) {
        exact_solver_measure(integrator->exact, &integrator->work);
    }
    return integrator->flow ? flow_solver_measure(integrator->flow) : MASING_OK;
}

struct work integrator_work(const struct integrator *integrator)
{
    bool has_flow = integrator->flow && !integrator->is_fresh;
    return has_flow ? flow_solver_work(integrator->flow) : integrator->work;
}

struct newmark_rates integrator_rates(const struct integrator *integrator, int harmonic)
{
    double w = harmonic * integrator->omega;
    if (!integrator_has_rule(integrator)) {
        return (struct newmark_rates){.velocity = I * w, .acceleration = -w * w};
    }
    return newmark_rates(integrator->newmark->alpha, integrator->step,
                         two_pi * harmonic / integrator->n_steps);
}

enum masing_status integrator_joint_states(const struct integrator *integrator, double *states)
{
    const struct joints *joints = integrator->joints;
    if (integrator->flow && !integrator->is_fresh) {
        return flow_solver_state(integrator->flow, states);
    }
    if (integrator->exact && !integrator->is_fresh) {
        return exact_solver_state(integrator->exact, states);
    }
    memcpy(states, joints->state, joints->state_start[joints->n_joints] * sizeof(double));
    return MASING_OK;
}

const char *integrator_trouble(const struct integrator *integrator, enum masing_status status)
{
    const char *trouble = NULL;
    if (status == MASING_NOT_FINITE) {
        return "the motion is not finite any more; is the structure unstable?";
    }
    if (integrator->flow) {
        trouble = flow_solver_trouble(integrator->flow);
    } else if (integrator->exact) {
        trouble = exact_solver_trouble(integrator->exact);
    }
    return trouble ? trouble
                   : "the joints' equations have no solution that was found: the motion may "
                     "have no bounds, or integration.steps_per_cycle may be too few";
}

void integrator_joint_velocities(const struct integrator *integrator, double *v)
{
    const struct ports *ports = integrator->ports;
    if (integrator_has_rule(integrator) || integrator->is_fresh) {
        newmark_project(ports->n_axes, ports->n_modes, ports->shapes, integrator->newmark->v,
                        v);
    } else {
        memcpy(v,
               integrator->flow ? flow_solver_velocities(integrator->flow)
                                : exact_solver_velocities(integrator->exact),
               (size_t)ports->n_axes * sizeof(double));
    }
}

double integrator_time(const struct integrator *integrator)
{
    return (double)integrator->count * integrator->period / integrator->n_steps;
}
