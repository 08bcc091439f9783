/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Newmark's rule for the modes, with the joints' equations at the end of each step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "transient/coupling.h"
#include "transient/newmark/newmark.h"

static const double two_pi = 6.28318530717958647692;

/* What work is added up from, step by step. */
struct measurement {
    bool is_on;
    int n_steps;                   /* since it is */
    struct work work;              /* its doubt: what twice the step adds up otherwise */
    double *force;                 /* [n_modes + n_ports] loads one step ago */
    double *joint_force, *joint_x; /* [n_axes] one step ago */
    double *early_force, *early_x; /* [n_axes] where the last pair of steps began */
    double *pair;                  /* [n_axes] work of its first step */
    double *velocity;              /* [n_modes] scratch: mean over the step */
    double *damping_force;         /* [n_modes] scratch */
};

struct rule {
    struct stepper_parts parts;
    struct newmark *newmark;
    struct coupling *coupling;
    double *compliance; /* [n_axes][n_axes] of the modes over a step and of massless DOFs */
    double *x_free, *v_free; /* [n_axes] */
    struct measurement measured;
};

static size_t n_loads(const struct rule *rule)
{
    return (size_t)(rule->parts.ports->n_modes + rule->parts.ports->n_ports);
}

static enum masing_status begin(void *self)
{
    struct rule *rule = self;
    coupling_reset(rule->coupling);
    newmark_begin(rule->newmark);
    return MASING_OK;
}

/* Displacements and, where a law wants them, velocities of the axes without new joint forces.
 */
static void project_axes(struct rule *rule)
{
    const struct ports *ports = rule->parts.ports;
    const struct modal_state *modal = rule->parts.modal;
    ports_project(ports->n_axes, ports->n_modes, ports->shapes, modal->q, rule->x_free);
    if (ports->flexibility) {
        for (int i = 0; i < ports->n_axes; i++) {
            rule->x_free[i] += rule->parts.force[ports->n_modes + i];
        }
    }
    if (rule->parts.joints->needs_velocity) {
        ports_project(ports->n_axes, ports->n_modes, ports->shapes, modal->v, rule->v_free);
    }
}

/* What is now, for the next step. */
static void remember(struct rule *rule)
{
    struct measurement *measured = &rule->measured;
    const struct joints *joints = rule->parts.joints;
    size_t size = (size_t)joints->n_axes * sizeof(double);
    memcpy(measured->force, rule->parts.force, n_loads(rule) * sizeof(double));
    memcpy(measured->joint_force, joints->f, size);
    memcpy(measured->joint_x, joints->x, size);
}

/* Mean force times displacement over the step: with this the energy balance of the undamped
 * rule is an identity, whatever the step; of the damped one the difference is its own loss.
 * Loads on massless DOFs: -p^T F dg, equal to theirs over a period.
 */
static void add_work(struct rule *rule)
{
    struct measurement *measured = &rule->measured;
    const struct newmark *newmark = rule->newmark;
    const struct modal_state *modal = rule->parts.modal;
    const struct ports *ports = rule->parts.ports;
    const double *force = rule->parts.force;
    int n_modes = modal->n_modes;
    for (int k = 0; k < n_modes; k++) {
        measured->velocity[k] = newmark->alpha == 0.0
                                    ? 0.5 * (newmark->v_old[k] + modal->v[k])
                                    : (modal->q[k] - newmark->q_old[k]) / newmark->step;
    }
    modal_state_damping(modal, measured->velocity, measured->damping_force);
    for (int k = 0; k < n_modes; k++) {
        double dq = newmark->step * measured->velocity[k];
        measured->work.loads += 0.5 * (measured->force[k] + force[k]) * dq;
        measured->work.damping += measured->damping_force[k] * dq;
    }
    for (int i = 0; ports->flexibility && i < ports->n_axes; i++) {
        double flexible = measured->force[n_modes + i] + force[n_modes + i];
        measured->work.loads -=
            0.5 * flexible * (rule->parts.joints->f[i] - measured->joint_force[i]);
    }
}

/* Work on the joints by the steps, and by pairs of them: what that differs by is what corners
 * between the steps may hide. */
static void add_joint_work(struct rule *rule)
{
    struct measurement *measured = &rule->measured;
    const double *f = rule->parts.joints->f, *x = rule->parts.joints->x;
    bool is_pair = measured->n_steps % 2 == 0;
    double sum = 0.0;
    for (int i = 0; i < rule->parts.joints->n_axes; i++) {
        double work = 0.5 * (f[i] + measured->joint_force[i]) * (x[i] - measured->joint_x[i]);
        sum += work;
        if (is_pair) {
            double coarse =
                0.5 * (f[i] + measured->early_force[i]) * (x[i] - measured->early_x[i]);
            measured->work.doubt += fabs(coarse - measured->pair[i] - work);
            measured->early_force[i] = f[i];
            measured->early_x[i] = x[i];
        }
        measured->pair[i] = work;
    }
    measured->work.joints += sum;
}

static enum masing_status advance(void *self, double time)
{
    enum masing_status status = MASING_OK;
    struct rule *rule = self;
    (void)time;
    newmark_predict(rule->newmark, rule->parts.force);
    if (rule->parts.ports->n_axes > 0) {
        project_axes(rule);
        TRY(coupling_solve(rule->coupling, rule->x_free, rule->v_free));
        newmark_correct(rule->newmark, rule->parts.joints->f);
    }
    if (rule->measured.is_on) {
        rule->measured.n_steps++;
        add_joint_work(rule);
        add_work(rule);
        remember(rule);
    }
done:
    return status;
}

static enum masing_status state(const void *self, double *memory, double *velocities)
{
    const struct rule *rule = self;
    const struct joints *joints = rule->parts.joints;
    const struct ports *ports = rule->parts.ports;
    if (memory) {
        memcpy(memory, joints->state, joints->state_start[joints->n_joints] * sizeof(double));
    }
    if (velocities) {
        ports_project(ports->n_axes, ports->n_modes, ports->shapes, rule->parts.modal->v,
                      velocities);
    }
    return MASING_OK;
}

static enum masing_status measure(void *self)
{
    struct rule *rule = self;
    struct measurement *measured = &rule->measured;
    size_t size = (size_t)rule->parts.joints->n_axes * sizeof(double);
    measured->is_on = true;
    measured->n_steps = 0;
    measured->work = (struct work){0};
    remember(rule);
    memcpy(measured->early_force, measured->joint_force, size);
    memcpy(measured->early_x, measured->joint_x, size);
    return MASING_OK;
}

static struct work work(const void *self)
{
    const struct rule *rule = self;
    return rule->measured.work;
}

static struct stepper_rates rates(const void *self, int harmonic)
{
    const struct rule *rule = self;
    return newmark_rates(rule->newmark->alpha, rule->newmark->step,
                         two_pi * harmonic / rule->parts.n_steps);
}

static const char *trouble(const void *self)
{
    (void)self;
    return NULL;
}

static void fill_compliance(struct rule *rule)
{
    const struct ports *ports = rule->parts.ports;
    size_t n = (size_t)ports->n_axes, n_ports = (size_t)ports->n_ports;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double flexible = ports->flexibility ? ports->flexibility[j * n_ports + i] : 0.0;
            rule->compliance[i * n + j] = rule->newmark->compliance[i * n + j] + flexible;
        }
    }
}

static enum masing_status allocate(struct rule *rule, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct measurement *measured = &rule->measured;
    size_t n_modes = (size_t)rule->parts.ports->n_modes;
    size_t n_axes = (size_t)rule->parts.ports->n_axes;
    struct {
        double **array;
        size_t count;
    } arrays[] = {{&rule->compliance, n_axes * n_axes},
                  {&rule->x_free, n_axes},
                  {&rule->v_free, n_axes},
                  {&measured->force, n_loads(rule)},
                  {&measured->joint_force, n_axes},
                  {&measured->joint_x, n_axes},
                  {&measured->early_force, n_axes},
                  {&measured->early_x, n_axes},
                  {&measured->pair, n_axes},
                  {&measured->velocity, n_modes},
                  {&measured->damping_force, n_modes}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i].array = memory_array(arrays[i].count, sizeof(double));
        TRY_ALLOCATED(*arrays[i].array);
    }
done:
    return status;
}

static void destroy(void *self)
{
    struct rule *rule = self;
    if (rule) {
        double *owned[] = {rule->compliance,
                           rule->x_free,
                           rule->v_free,
                           rule->measured.force,
                           rule->measured.joint_force,
                           rule->measured.joint_x,
                           rule->measured.early_force,
                           rule->measured.early_x,
                           rule->measured.pair,
                           rule->measured.velocity,
                           rule->measured.damping_force};
        for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
            free(owned[i]);
        }
        coupling_destroy(rule->coupling);
        newmark_destroy(rule->newmark);
        free(rule);
    }
}

static enum masing_status create(const struct stepper_parts *parts, double alpha,
                                 struct stepper *stepper, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct rule *rule = memory_array(1, sizeof *rule);
    TRY_ALLOCATED(rule);
    stepper->self = rule;
    rule->parts = *parts;
    if (!parts->is_free) {
        stepper->step = newmark_prewarped_step(alpha, parts->omega, parts->n_steps);
    }
    TRY(newmark_create(parts->modal, stepper->step, alpha, &rule->newmark, error));
    stepper->compliance = rule->newmark->compliance;
    TRY(allocate(rule, error));
    fill_compliance(rule);
    TRY(coupling_create(parts->joints, rule->compliance, newmark_velocity_rate(rule->newmark),
                        &rule->coupling, error));
done:
    return status;
}

static enum masing_status create_undamped(const struct stepper_parts *parts,
                                          struct stepper *stepper, struct masing_error *error)
{
    return create(parts, 0.0, stepper, error);
}

static enum masing_status create_damped(const struct stepper_parts *parts,
                                        struct stepper *stepper, struct masing_error *error)
{
    return create(parts, parts->is_free ? 0.0 : parts->model->spec.integration.alpha, stepper,
                  error);
}

long newmark_stepper_iterations(const struct stepper *stepper)
{
    const struct rule *rule = stepper->self;
    return rule->coupling->iterations;
}

const struct stepper_type newmark_stepper = {
    .has_step_error = true,
    .create = create_undamped,
    .destroy = destroy,
    .begin = begin,
    .advance = advance,
    .state = state,
    .measure = measure,
    .work = work,
    .rates = rates,
    .trouble = trouble,
};

const struct stepper_type hht_stepper = {
    .has_step_error = true,
    .is_damped = true,
    .create = create_damped,
    .destroy = destroy,
    .begin = begin,
    .advance = advance,
    .state = state,
    .measure = measure,
    .work = work,
    .rates = rates,
    .trouble = trouble,
};
