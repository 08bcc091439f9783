/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/newmark/newmark.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/dense.h"
#include "linalg/cholesky.h"
#include "transient/coupling.h"

/* x := (I + (1 + alpha) (gamma h D + beta h^2 diag(omega^2)))^-1 x of the modes that damping
 * couples */
static void solve_coupled(const struct newmark *newmark, double *x)
{
    int first = newmark->modal->n_uncoupled;
    if (newmark->factor) {
        cholesky_solve(newmark->modal->n_modes - first, newmark->factor, x + first, 1);
    }
}

/* Modes that damping couples, given what is left of the modal forces [n_modes]. */
static void predict_coupled(struct newmark *newmark, const double *force)
{
    struct modal_state *modal = newmark->modal;
    const struct newmark_weights w = newmark->weights;
    int first = modal->n_uncoupled, n = modal->n_modes;
    double *q = modal->q, *v = modal->v, *a = newmark->a;
    for (int k = first; k < n; k++) {
        q[k] += w.step * v[k] + w.q_of_old * a[k];
        v[k] += w.v_of_old * a[k];
    }
    modal_state_coupled_damping(modal, v, modal->damping_force);
    for (int k = first; k < n; k++) {
        a[k] = (1.0 + newmark->alpha) *
               (force[k] - modal->damping_force[k] - modal->stiffness[k] * q[k]);
    }
    solve_coupled(newmark, a);
    for (int k = first; k < n; k++) {
        q[k] += w.q_of_new * a[k];
        v[k] += w.v_of_new * a[k];
    }
}

/* Modes that damping does not couple: one pass over all that a step needs of them. */
static inline void predict(const struct newmark *newmark, const double *restrict force,
                           const double *restrict stiffness, const double *restrict from_v,
                           const double *restrict from_a, const double *restrict inverse,
                           double *restrict q, double *restrict v, double *restrict a)
{
    const struct newmark_weights w = newmark->weights;
    for (int k = 0, n = newmark->modal->n_uncoupled; k < n; k++) {
        double left = force[k] - stiffness[k] * q[k] - (from_v[k] * v[k] + from_a[k] * a[k]);
        double next = inverse[k] * left;
        q[k] = (q[k] + (w.step * v[k] + w.q_of_old * a[k])) + w.q_of_new * next;
        v[k] = (v[k] + w.v_of_old * a[k]) + w.v_of_new * next;
        a[k] = next;
    }
}

/* Of the damped rule: modal forces less the part of the last balance. */
static const double *lessen(struct newmark *newmark, const double *force)
{
    double part = newmark->alpha / (1.0 + newmark->alpha);
    for (int k = 0; k < newmark->modal->n_modes; k++) {
        newmark->scratch[k] = force[k] - part * newmark->modal->a[k];
    }
    return newmark->scratch;
}

/* The balance that its acceleration belongs to. */
static void set_balance(struct newmark *newmark)
{
    double *r = newmark->modal->a, alpha = newmark->alpha;
    for (int k = 0; k < newmark->modal->n_modes; k++) {
        r[k] = (newmark->a[k] + alpha * r[k]) / (1.0 + alpha);
    }
}

void newmark_predict(struct newmark *newmark, const double *force)
{
    struct modal_state *modal = newmark->modal;
    force = newmark->alpha != 0.0 ? lessen(newmark, force) : force;
    predict(newmark, force, modal->stiffness, newmark->from_v, newmark->from_a,
            newmark->inverse, modal->q, modal->v, newmark->a);
    if (newmark->factor) {
        predict_coupled(newmark, force);
    }
    if (newmark->alpha != 0.0) {
        set_balance(newmark);
    }
}

/* The same for the effect of forces. */
static inline void correct(const struct newmark *newmark, const double *restrict joint_force,
                           const double *restrict response, double *restrict change,
                           double *restrict q, double *restrict v, double *restrict a)
{
    const struct newmark_weights w = newmark->weights;
    int n = newmark->modal->n_modes, n_axes = newmark->modal->n_axes;
    for (int axis = 0; axis + 1 < n_axes; axis++, response += n, joint_force++) {
        for (int k = 0; k < n; k++) {
            change[k] = (axis > 0 ? change[k] : 0.0) + response[k] * *joint_force;
        }
    }
    for (int k = 0; k < n; k++) {
        double last = (n_axes > 1 ? change[k] : 0.0) + response[k] * *joint_force;
        a[k] -= last;
        v[k] -= w.v_of_new * last;
        q[k] -= w.q_of_new * last;
        change[k] = last;
    }
}

void newmark_correct(struct newmark *newmark, const double *joint_force)
{
    struct modal_state *modal = newmark->modal;
    correct(newmark, joint_force, newmark->response, newmark->scratch, modal->q, modal->v,
            newmark->a);
    for (int k = 0; newmark->alpha != 0.0 && k < modal->n_modes; k++) {
        modal->a[k] -= newmark->scratch[k] / (1.0 + newmark->alpha);
    }
}

void newmark_begin(struct newmark *newmark)
{
    memmove(newmark->a, newmark->modal->a, (size_t)newmark->modal->n_modes * sizeof(double));
}

/* The rule's own motions of which so many radians pass in a step: with their rates in place of
 * the equation's own ones it is solved exactly. By inserting motions z^n of displacement x,
 * velocity v and acceleration a, of which the equation sees a/weight. */
static struct stepper_rates rates_at(double alpha, double step, double angle)
{
    double beta = 0.25 * (1.0 - alpha) * (1.0 - alpha), gamma = 0.5 - alpha;
    double complex z = cexp(I * angle), d = z - 1.0, weight = 1.0 + alpha - alpha / z;
    double complex v_of_a = step * (1.0 - gamma + gamma * z) / d;
    double complex x_of_v = (step + step * step * (0.5 - beta + beta * z) / v_of_a) / d;
    double complex acceleration = 1.0 / (weight * v_of_a * x_of_v);
    double complex behind = alpha * (cexp(-I * angle) - 1.0);
    return (struct stepper_rates){.velocity = 1.0 / x_of_v,
                                  .acceleration = acceleration,
                                  .lag = behind * acceleration,
                                  .lag_q = step * step * (0.5 - gamma + beta),
                                  .lag_v = step * (1.0 - gamma)};
}

static enum masing_status factorise(struct newmark *newmark, struct masing_error *error)
{
    const struct modal_state *modal = newmark->modal;
    size_t n = (size_t)modal->n_modes, first = (size_t)modal->n_uncoupled, m = n - first;
    const struct newmark_weights w = newmark->weights;
    double weight = 1.0 + newmark->alpha, for_v = weight * w.v_of_new;
    double for_q = weight * w.q_of_new;
    bool is_possible = true;
    for (size_t k = 0; k < first; k++) {
        double d = modal->damping[k], stiffness = modal->stiffness[k];
        newmark->inverse[k] = weight / (1.0 + for_v * d + for_q * stiffness);
        newmark->from_v[k] = d + w.step * stiffness;
        newmark->from_a[k] = w.v_of_old * d + w.q_of_old * stiffness;
        is_possible = is_possible && newmark->inverse[k] > 0.0;
    }
    for (size_t j = 0; j < m; j++) { /* modes that damping couples */
        for (size_t i = 0; i < m; i++) {
            newmark->factor[j * m + i] = for_v * modal->matrix[(first + j) * n + first + i];
        }
        newmark->factor[j * (m + 1)] += 1.0 + for_q * modal->stiffness[first + j];
    }
    is_possible = is_possible && (m == 0 || cholesky_weak_row((int)m, newmark->factor, 0.0,
                                                              newmark->scratch) < 0);
    return is_possible
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "the damping matrix feeds so much energy into the structure "
                                  "that no time step of this length exists");
}

enum masing_status newmark_create(struct modal_state *modal, double step, double alpha,
                                  struct arena *arena, struct newmark **created,
                                  struct masing_error *error)
{
    size_t n = (size_t)modal->n_modes, n_axes = (size_t)modal->n_axes;
    size_t n_coupled = n - (size_t)modal->n_uncoupled;
    struct newmark *newmark = arena_array(arena, 1, sizeof *newmark);
    NEED_ALLOCATED(newmark);
    double beta = 0.25 * (1.0 - alpha) * (1.0 - alpha), gamma = 0.5 - alpha;
    *newmark = (struct newmark){.modal = modal,
                                .alpha = alpha,
                                .weights = {.step = step,
                                            .q_of_old = (0.5 - beta) * step * step,
                                            .q_of_new = beta * step * step,
                                            .v_of_old = (1.0 - gamma) * step,
                                            .v_of_new = gamma * step},
                                .inverse = arena_doubles(arena, n),
                                .from_v = arena_doubles(arena, n),
                                .from_a = arena_doubles(arena, n),
                                .a = alpha == 0.0 ? modal->a : arena_doubles(arena, n),
                                .scratch = arena_doubles(arena, n),
                                .response = arena_doubles(arena, n_axes * n),
                                .compliance = arena_doubles(arena, n_axes * n_axes)};
    newmark->factor = n_coupled > 0 ? arena_doubles(arena, n_coupled * n_coupled) : NULL;
    NEED_ALLOCATED(!arena->has_failed);
    NEED(factorise(newmark, error));
    for (size_t j = 0; j < n_axes; j++) {
        double *response = newmark->response + j * n;
        for (size_t k = 0; k < n; k++) {
            double inverse = k < n - n_coupled ? newmark->inverse[k] : 1.0 + alpha;
            response[k] = inverse * modal->axes[j * n + k];
        }
        solve_coupled(newmark, response);
        for (size_t i = 0; i < n_axes; i++) {
            newmark->compliance[i * n_axes + j] =
                newmark->weights.q_of_new *
                dense_dot(modal->n_modes, modal->axes + i * n, response);
        }
    }
    *created = newmark;
    return MASING_OK;
}

/* ---- the stepper: the rule for the modes, the joints' equations at the end of each step ----
 */

/* What work is added up from, step by step. */
struct measurement {
    bool is_on;
    int n_steps;                   /* since it is */
    struct work work;              /* its doubt: what twice the step adds up otherwise */
    double *force;                 /* [n_modes + n_ports] loads one step ago */
    double *joint_force, *joint_x; /* [n_axes] one step ago */
    double *early_force, *early_x; /* [n_axes] where the last pair of steps began */
    double *pair;                  /* [n_axes] work of its first step */
    double *q, *v;                 /* [n_modes] one step ago */
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

static enum masing_status begin(void *self)
{
    struct rule *rule = self;
    coupling_reset(rule->coupling);
    newmark_begin(rule->newmark);
    return MASING_OK;
}

/* What is now, for the next step. */
static void remember(struct rule *rule)
{
    struct measurement *measured = &rule->measured;
    const struct joints *joints = rule->parts.joints;
    const struct ports *ports = rule->parts.ports;
    size_t size = (size_t)joints->n_axes * sizeof(double);
    size_t modal_size = (size_t)ports->n_modes * sizeof(double);
    memcpy(measured->q, rule->parts.modal->q, modal_size);
    memcpy(measured->v, rule->parts.modal->v, modal_size);
    memcpy(measured->force, rule->parts.force,
           (size_t)(ports->n_modes + ports->n_ports) * sizeof(double));
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
                                    ? 0.5 * (measured->v[k] + modal->v[k])
                                    : (modal->q[k] - measured->q[k]) / newmark->weights.step;
    }
    modal_state_damping(modal, measured->velocity, measured->damping_force);
    for (int k = 0; k < n_modes; k++) {
        double dq = newmark->weights.step * measured->velocity[k];
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
    struct rule *rule = self;
    const struct ports *ports = rule->parts.ports;
    const struct modal_state *modal = rule->parts.modal;
    (void)time;
    newmark_predict(rule->newmark, rule->parts.force);
    if (ports->n_axes > 0) { /* the axes' motion without new forces */
        ports_project(ports->n_axes, ports->n_modes, ports->shapes, modal->q, rule->x_free);
        for (int i = 0; ports->flexibility && i < ports->n_axes; i++) {
            rule->x_free[i] += rule->parts.force[ports->n_modes + i];
        }
        if (rule->parts.joints->needs_velocity) {
            ports_project(ports->n_axes, ports->n_modes, ports->shapes, modal->v, rule->v_free);
        }
        NEED(coupling_solve(rule->coupling, rule->x_free, rule->v_free));
        newmark_correct(rule->newmark, rule->parts.joints->f);
    }
    if (rule->measured.is_on) {
        rule->measured.n_steps++;
        add_joint_work(rule);
        add_work(rule);
        remember(rule);
    }
    return MASING_OK;
}

static enum masing_status state(const void *self, double *memory, double *velocities)
{
    const struct rule *rule = self;
    const struct joints *joints = rule->parts.joints;
    const struct ports *ports = rule->parts.ports;
    if (memory) {
        memcpy(memory, joints->state, joints_state_size(joints) * sizeof(double));
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
    return rates_at(rule->newmark->alpha, rule->newmark->weights.step,
                    TWO_PI * harmonic / rule->parts.n_steps);
}

static enum masing_status allocate_rule(struct rule *rule, struct masing_error *error)
{
    struct arena *arena = rule->parts.arena;
    struct measurement *measured = &rule->measured;
    const struct ports *ports = rule->parts.ports;
    size_t n_modes = (size_t)ports->n_modes, n_axes = (size_t)ports->n_axes;
    size_t n_ports = (size_t)ports->n_ports;
    double **of_axes[] = {&rule->x_free,          &rule->v_free,      &measured->pair,
                          &measured->joint_force, &measured->joint_x, &measured->early_force,
                          &measured->early_x};
    for (size_t i = 0; i < sizeof of_axes / sizeof *of_axes; i++) {
        *of_axes[i] = arena_doubles(arena, n_axes);
    }
    rule->compliance = arena_doubles(arena, n_axes * n_axes);
    measured->force = arena_doubles(arena, n_modes + n_ports);
    measured->q = arena_doubles(arena, n_modes);
    measured->v = arena_doubles(arena, n_modes);
    measured->velocity = arena_doubles(arena, n_modes);
    measured->damping_force = arena_doubles(arena, n_modes);
    NEED_ALLOCATED(!arena->has_failed);
    for (size_t i = 0; i < n_axes; i++) {
        for (size_t j = 0; j < n_axes; j++) {
            double flexible = ports->flexibility ? ports->flexibility[j * n_ports + i] : 0.0;
            rule->compliance[i * n_axes + j] =
                rule->newmark->compliance[i * n_axes + j] + flexible;
        }
    }
    return MASING_OK;
}

static enum masing_status create(const struct stepper_parts *parts, struct stepper *stepper,
                                 struct masing_error *error)
{
    const struct masing_integration_settings *settings = &parts->model->spec.integration;
    bool is_damped = settings->method == MASING_INTEGRATION_HHT && !parts->is_free;
    double alpha = is_damped ? settings->alpha : 0.0;
    struct rule *rule = arena_array(parts->arena, 1, sizeof *rule);
    NEED_ALLOCATED(rule);
    stepper->self = rule;
    rule->parts = *parts;
    if (!parts->is_free) { /* prewarped, see integrator.h */
        double square = -creal(rates_at(alpha, 1.0, TWO_PI / parts->n_steps).acceleration);
        stepper->step = alpha == 0.0 ? 2.0 / parts->omega * tan(PI / parts->n_steps)
                                     : sqrt(square) / parts->omega;
    }
    NEED(newmark_create(parts->modal, stepper->step, alpha, parts->arena, &rule->newmark,
                        error));
    const struct newmark *newmark = rule->newmark;
    stepper->compliance = newmark->compliance;
    NEED(allocate_rule(rule, error));
    return coupling_create(parts->joints, rule->compliance,
                           newmark->weights.v_of_new / newmark->weights.q_of_new, parts->arena,
                           &rule->coupling, error);
}

long newmark_stepper_iterations(const struct stepper *stepper)
{
    const struct rule *rule = stepper->self;
    return rule->coupling->iterations;
}

const struct stepper_type newmark_stepper = {
    .has_step_error = true,
    .create = create,
    .begin = begin,
    .advance = advance,
    .state = state,
    .measure = measure,
    .work = work,
    .rates = rates,
};
