/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/integrator.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/output.h"

/* Fewer steps than this for one period of a load are no integration. */
enum { MIN_STEPS_PER_LOAD_PERIOD = 8 };

/* A law that may feel velocity, with parameters by which it does. */
static bool feels_velocity(const struct joint *joint)
{
    const struct masing_law *law = joint->law;
    const struct masing_branch_point rest = {0};
    struct masing_rate force = {.v = 1.0};
    if (law->is_piecewise_linear && law->force) {
        law->force(joint->parameters, 1, &rest, &force);
    }
    return joint_needs_velocity(joint) && force.v != 0.0;
}

/* Massless DOFs have displacements but, with forces that have corners, no velocities. */
static enum masing_status check_massless(const struct integrator *integrator,
                                         struct masing_error *error)
{
    const struct masing_model *model = integrator->model;
    const struct ports *ports = integrator->ports;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        for (int i = 0; i < joint->n_axes && feels_velocity(joint); i++) {
            if (ports->is_massless[joint->first_axis + i]) {
                return masing_error_set(error, MASING_UNSUPPORTED,
                                        "joint '%s' acts on a DOF without mass and depends on "
                                        "velocity: time integration does not support this yet",
                                        joint->name);
            }
        }
    }
    for (int i = 0; i < ports->n_outputs; i++) {
        const struct masing_output_spec *output = &model->spec.outputs[i];
        if (output->quantity != MASING_DISPLACEMENT && ports->is_massless[ports->n_axes + i]) {
            return masing_error_set(
                error, MASING_UNSUPPORTED,
                "output '%s' is a velocity or acceleration of a DOF without "
                "mass: time integration does not support this yet",
                output->name);
        }
    }
    return MASING_OK;
}

/* With 255 axes of contacts a period of 1024 steps takes some 2 s, with 399 sliders 0.6 s; the
 * time grows with the cube of their number where they change, with its square where not. */
enum { MOST_AXES = 1000 };

enum masing_status integrator_check_size(const struct masing_model *model,
                                         struct masing_error *error)
{
    enum masing_integration_method method = model->spec.integration.method;
    bool is_rule = method == MASING_INTEGRATION_NEWMARK || method == MASING_INTEGRATION_HHT;
    return !is_rule || model->n_axes <= MOST_AXES
               ? MASING_OK
               : masing_error_set(error, MASING_UNSUPPORTED,
                                  "time integration with %d joint axes would take hours, since "
                                  "its steps factor a dense matrix of all of them: expected at "
                                  "most %d, so integrate a coarser interface",
                                  model->n_axes, MOST_AXES);
}

/* Squares of energies are of the fourth power. */
static enum masing_status check_frequency(const struct masing_model *model, double omega,
                                          struct masing_error *error)
{
    double fastest = 0.0, low = omega * omega * omega * omega;
    if (!(omega > 0.0) || !isfinite(omega)) {
        return masing_error_set(error, MASING_INVALID,
                                "the frequency must be a finite number > 0");
    }
    for (int k = 0; k < model->structure->n_modes; k++) {
        fastest = fmax(fastest, model->structure->omega[k]);
    }
    double ratio = TWO_PI * (1.0 + fastest) / omega;
    if (!isnormal(low) || !isfinite(ratio * ratio * ratio * ratio)) {
        return masing_error_set(
            error, MASING_INVALID,
            "a frequency of %g Hz is out of the range of numbers that can be "
            "integrated with",
            omega / TWO_PI);
    }
    return MASING_OK;
}

/* Steps for each load; a table of one says nothing outside its frequencies. */
static enum masing_status check_loads(const struct masing_model *model, double omega,
                                      int n_steps, struct masing_error *error)
{
    double hz = omega / TWO_PI, rounding = 1e-12 * hz;
    for (int i = 0; i < model->spec.n_loads; i++) {
        const struct load *load = &model->loads[i];
        int needed = MIN_STEPS_PER_LOAD_PERIOD * load->harmonic;
        if (n_steps < needed) {
            return masing_error_set(error, MASING_INVALID,
                                    "%d steps per cycle are too few for a load of harmonic %d: "
                                    "at least %d are needed",
                                    n_steps, load->harmonic, needed);
        }
        bool has_table = load->kind == MASING_LOAD_TABLE;
        double low = has_table ? load->table[0] : hz;
        double high = has_table ? load->table[3 * (load->n_table - 1)] : hz;
        if (hz < low - rounding || hz > high + rounding) {
            return masing_error_set(error, MASING_INVALID,
                                    "load %d: its table covers %g to %g Hz, not %g Hz", i + 1,
                                    low, high, hz);
        }
    }
    return MASING_OK;
}

/* A new integrator, given what is set of it. */
static enum masing_status build(const struct integrator *given, int n_loads, double step,
                                struct integrator **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = given->model;
    struct integrator *integrator = memory_copy(given, 1, sizeof *given);
    TRY_ALLOCATED(integrator);
    TRY(integrator_check_size(model, error));
    struct arena *arena = &integrator->arena;
    TRY(ports_create(model, arena, &integrator->ports, error));
    const struct ports *ports = integrator->ports;
    TRY(forcing_create(model, ports, n_loads, integrator->omega, integrator->n_steps, arena,
                       &integrator->forcing, error));
    if (integrator->is_unloaded) {
        forcing_add_term(integrator->forcing, 1);
    }
    TRY(modal_state_create(model->structure, model->structure->n_modes, ports->n_axes,
                           ports->shapes, arena, &integrator->modal, error));
    TRY(joints_create(model, arena, &integrator->joints, error));
    integrator->force = arena_doubles(arena, (size_t)(ports->n_modes + ports->n_ports));
    integrator->x = arena_doubles(arena, (size_t)ports->n_axes);
    integrator->v = arena_doubles(arena, (size_t)ports->n_axes);
    TRY_ALLOCATED(!arena->has_failed);
    TRY(check_massless(integrator, error));
    const struct stepper_parts parts = {.arena = arena,
                                        .model = model,
                                        .ports = ports,
                                        .forcing = integrator->forcing,
                                        .modal = integrator->modal,
                                        .joints = integrator->joints,
                                        .force = integrator->force,
                                        .omega = integrator->omega,
                                        .step = step,
                                        .n_steps = integrator->n_steps,
                                        .is_free = integrator->is_unloaded};
    TRY(stepper_create(stepper_type(model->spec.integration.method), &parts,
                       &integrator->stepper, error));
    integrator->is_fresh = true;
done:
    if (status != MASING_OK) {
        integrator_destroy(integrator);
        integrator = NULL;
    }
    *created = integrator;
    return status;
}

enum masing_status integrator_create(const struct masing_model *model, double omega,
                                     int n_steps, struct integrator **created,
                                     struct masing_error *error)
{
    enum masing_status status = check_frequency(model, omega, error);
    const struct integrator given = {
        .model = model, .omega = omega, .n_steps = n_steps, .period = TWO_PI / omega};
    *created = NULL;
    status = status ? status : check_loads(model, omega, n_steps, error);
    return status ? status
                  : build(&given, model->spec.n_loads, given.period / n_steps, created, error);
}

/* Every step is a period of its own, whose loads are the constant ones. */
enum masing_status integrator_create_unloaded(const struct masing_model *model, double step,
                                              double omega, struct integrator **created,
                                              struct masing_error *error)
{
    const struct integrator given = {.model = model,
                                     .omega = omega > 0.0 ? omega : TWO_PI / step,
                                     .n_steps = 1,
                                     .period = step,
                                     .is_unloaded = true};
    return build(&given, 0, step, created, error);
}

void integrator_destroy(struct integrator *integrator)
{
    if (integrator) {
        stepper_destroy(&integrator->stepper);
        arena_clear(&integrator->arena);
        free(integrator);
    }
}

/* of a step that is left where a force ends; the force is nearly zero there */
static const double SHORTEST_PART = 1e-6;

void integrator_begin(struct integrator *integrator)
{
    integrator->phase = 0;
    integrator->count = 0;
    integrator->is_fresh = true;
    forcing_evaluate(integrator->forcing, 0, integrator->force);
    modal_state_accelerate(integrator->modal, integrator->force, integrator->joints->f);
}

enum masing_status integrator_displace(struct integrator *integrator, const double *q,
                                       const double *v)
{
    const struct ports *ports = integrator->ports;
    struct modal_state *modal = integrator_modal(integrator);
    for (int k = 0; k < modal->n_modes; k++) {
        modal->q[k] += q[k];
        modal->v[k] += v[k];
    }
    if (ports->n_axes > 0) {
        ports_project(ports->n_axes, ports->n_modes, ports->shapes, modal->q, integrator->x);
        ports_project(ports->n_axes, ports->n_modes, ports->shapes, modal->v, integrator->v);
        NEED(joints_evaluate(integrator->joints, integrator->x, integrator->v));
        joints_accept(integrator->joints, integrator->x);
    }
    integrator_begin(integrator);
    return MASING_OK;
}

enum masing_status integrator_restart(struct integrator *integrator)
{
    if (integrator->stepper.type->keeps_state) {
        NEED(integrator_joint_states(integrator, integrator->joints->next));
        memcpy(integrator->joints->state, integrator->joints->next,
               joints_state_size(integrator->joints) * sizeof(double));
        integrator_begin(integrator);
    }
    return MASING_OK;
}

static enum masing_status begin_if_fresh(struct integrator *integrator)
{
    const struct stepper *stepper = &integrator->stepper;
    enum masing_status status =
        integrator->is_fresh ? stepper->type->begin(stepper->self) : MASING_OK;
    integrator->is_fresh = integrator->is_fresh && status != MASING_OK;
    return status;
}

enum masing_status integrator_end_force(struct integrator *integrator, double time)
{
    struct forcing *forcing = integrator->forcing;
    const struct stepper *stepper = &integrator->stepper;
    if (stepper->type->corner) {
        /* not at the very end of the step, from where there would be nowhere to go */
        double end = integrator_time(integrator) + stepper->step;
        NEED(begin_if_fresh(integrator));
        NEED(stepper->type->corner(stepper->self,
                                   fmin(time, end - SHORTEST_PART * stepper->step)));
    }
    memset(forcing->sine, 0, (size_t)forcing->n_modes * sizeof(double));
    return MASING_OK;
}

enum masing_status integrator_step(struct integrator *integrator)
{
    const struct stepper *stepper = &integrator->stepper;
    int phase = integrator->phase + 1 < integrator->n_steps ? integrator->phase + 1 : 0;
    if (integrator->is_unloaded) {
        forcing_at(integrator->forcing,
                   integrator->omega * (double)(integrator->count + 1) * integrator->period,
                   integrator->force);
    } else {
        forcing_evaluate(integrator->forcing, phase, integrator->force);
    }
    NEED(begin_if_fresh(integrator));
    NEED(stepper->type->advance(stepper->self, (double)(integrator->count + 1) *
                                                   integrator->period / integrator->n_steps));
    bool is_finite = stepper->type->complete || modal_state_is_finite(integrator->modal);
    NEED(is_finite ? MASING_OK : MASING_NOT_FINITE);
    integrator->phase = phase;
    integrator->count++;
    return MASING_OK;
}

struct modal_state *integrator_modal(const struct integrator *integrator)
{
    const struct stepper *stepper = &integrator->stepper;
    if (stepper->type->complete && !integrator->is_fresh) {
        stepper->type->complete(stepper->self);
    }
    return integrator->modal;
}

double integrator_squared_speed(const struct integrator *integrator, double least)
{
    const struct stepper *stepper = &integrator->stepper;
    double speed = NAN;
    if (stepper->type->squared_speed && !integrator->is_fresh) {
        speed = stepper->type->squared_speed(stepper->self, least);
    }
    return isnan(speed) ? modal_state_squared_speed(integrator_modal(integrator)) : speed;
}

/* Of an output by the modes: displacement, velocity or acceleration. */
static double output_value(const struct integrator *integrator, int output, int order)
{
    const struct stepper *stepper = &integrator->stepper;
    const struct ports *ports = integrator->ports;
    size_t port = (size_t)(ports->n_axes + output), n = (size_t)ports->n_modes;
    double value = NAN;
    if (stepper->type->output && !integrator->is_fresh) {
        value = stepper->type->output(stepper->self, output, order);
    }
    if (isnan(value)) {
        const struct modal_state *modal = integrator_modal(integrator);
        const double *motion[] = {modal->q, modal->v, modal->a};
        ports_project(1, ports->n_modes, ports->shapes + port * n, motion[order], &value);
    }
    return value;
}

void integrator_outputs(const struct integrator *integrator, double *value, double *rate)
{
    const struct ports *ports = integrator->ports;
    for (int i = 0; i < ports->n_outputs; i++) {
        int port = ports->n_axes + i;
        int order = output_order(&integrator->model->spec.outputs[i]);
        double scale = output_scale(integrator->model, i);
        double angle = TWO_PI * integrator->phase / integrator->n_steps;
        value[i] = output_value(integrator, i, order) +
                   output_base_value(integrator->model, i, integrator->omega, angle, order);
        rate[i] = NAN;
        if (order == 0) {
            value[i] += ports_flexible_value(ports, port, integrator->force + ports->n_modes,
                                             integrator->joints->f);
        }
        if (order == 1 || (order == 0 && !ports->is_massless[port])) {
            rate[i] =
                output_value(integrator, i, order + 1) +
                output_base_value(integrator->model, i, integrator->omega, angle, order + 1);
        }
        value[i] *= scale;
        rate[i] *= scale;
    }
}

enum masing_status integrator_measure(struct integrator *integrator)
{
    return integrator->stepper.type->measure(integrator->stepper.self);
}

struct work integrator_work(const struct integrator *integrator)
{
    return integrator->is_fresh ? (struct work){0}
                                : integrator->stepper.type->work(integrator->stepper.self);
}

struct stepper_rates integrator_rates(const struct integrator *integrator, int harmonic)
{
    const struct stepper *stepper = &integrator->stepper;
    double w = harmonic * integrator->omega;
    return stepper->type->rates
               ? stepper->type->rates(stepper->self, harmonic)
               : (struct stepper_rates){.velocity = I * w, .acceleration = -w * w};
}

enum masing_status integrator_joint_states(const struct integrator *integrator, double *states)
{
    struct joints *joints = integrator->joints;
    enum masing_status status = joints_catch_up(joints);
    if (status == MASING_OK && !integrator->is_fresh) {
        status = integrator->stepper.type->state(integrator->stepper.self, states, NULL);
    } else if (status == MASING_OK) {
        memcpy(states, joints->state, joints_state_size(joints) * sizeof(double));
    }
    return status;
}

const char *integrator_trouble(const struct integrator *integrator, enum masing_status status)
{
    if (status == MASING_NOT_FINITE) {
        return "the motion is not finite any more; is the structure unstable?";
    }
    const struct stepper *stepper = &integrator->stepper;
    const char *trouble = stepper->type->trouble ? stepper->type->trouble(stepper->self) : NULL;
    if (!trouble && integrator->is_unloaded) {
        return "the joints' equations have no solution that was found: a smaller ringdown.step "
               "may help";
    }
    return trouble ? trouble
                   : "the joints' equations have no solution that was found: the motion may "
                     "have no bounds, or integration.steps_per_cycle may be too few";
}

void integrator_joint_velocities(const struct integrator *integrator, double *v)
{
    const struct ports *ports = integrator->ports;
    if (integrator->is_fresh) {
        ports_project(ports->n_axes, ports->n_modes, ports->shapes, integrator->modal->v, v);
    } else {
        integrator->stepper.type->state(integrator->stepper.self, NULL, v);
    }
}

double integrator_time(const struct integrator *integrator)
{
    return (double)integrator->count * integrator->period / integrator->n_steps;
}
