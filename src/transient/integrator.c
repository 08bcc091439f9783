/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/integrator.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* Fewer steps than this for one period of a load are no integration. */
enum { MIN_STEPS_PER_LOAD_PERIOD = 8 };

static const double two_pi = 6.28318530717958647692;

/* A law that may feel velocity, with parameters by which it does. */
static bool feels_velocity(const struct joint *joint)
{
    const struct masing_law *law = joint->law;
    double f, fx, fv = 1.0;
    if (law->is_piecewise_linear && law->force) {
        law->force(joint->parameters, 0.0, 0.0, &f, &fx, &fv);
    }
    return joint_needs_velocity(joint) && fv != 0.0;
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

/* A table of a load says nothing outside its frequencies. */
static enum masing_status check_table(const struct load *load, int index, double omega,
                                      struct masing_error *error)
{
    double hz = omega / two_pi, rounding = 1e-12 * hz;
    if (load->kind != MASING_LOAD_TABLE) {
        return MASING_OK;
    }
    double low = load->table[0], high = load->table[3 * (load->n_table - 1)];
    if (hz < low - rounding || hz > high + rounding) {
        return masing_error_set(error, MASING_INVALID,
                                "load %d: its table covers %g to %g Hz, not %g Hz", index + 1,
                                low, high, hz);
    }
    return MASING_OK;
}

/* Squares of energies are of the fourth power. */
static bool has_range(double omega, double fastest)
{
    double low = omega * omega * omega * omega, ratio = two_pi * (1.0 + fastest) / omega;
    return isnormal(low) && isfinite(ratio * ratio * ratio * ratio);
}

static enum masing_status check_frequency(const struct masing_model *model, double omega,
                                          struct masing_error *error)
{
    double fastest = 0.0;
    if (!(omega > 0.0) || !isfinite(omega)) {
        return masing_error_set(error, MASING_INVALID,
                                "the frequency must be a finite number > 0");
    }
    for (int k = 0; k < model->structure->n_modes; k++) {
        fastest = fmax(fastest, model->structure->omega[k]);
    }
    if (!has_range(omega, fastest)) {
        return masing_error_set(
            error, MASING_INVALID,
            "a frequency of %g Hz is out of the range of numbers that can be "
            "integrated with",
            omega / two_pi);
    }
    return MASING_OK;
}

static enum masing_status check_arguments(const struct masing_model *model, double omega,
                                          int n_steps, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(check_frequency(model, omega, error));
    for (int i = 0; i < model->spec.n_loads; i++) {
        int needed = MIN_STEPS_PER_LOAD_PERIOD * model->loads[i].harmonic;
        if (n_steps < needed) {
            return masing_error_set(error, MASING_INVALID,
                                    "%d steps per cycle are too few for a load of harmonic %d: "
                                    "at least %d are needed",
                                    n_steps, model->loads[i].harmonic, needed);
        }
        TRY(check_table(&model->loads[i], i, omega, error));
    }
done:
    return status;
}

static void fill_compliance(struct integrator *integrator)
{
    const struct ports *ports = integrator->ports;
    size_t n = (size_t)ports->n_axes, n_ports = (size_t)ports->n_ports;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double flexible = ports->flexibility ? ports->flexibility[j * n_ports + i] : 0.0;
            integrator->compliance[i * n + j] =
                integrator->newmark->compliance[i * n + j] + flexible;
        }
    }
}

/* What steps in place of the rule, if anything does. */
static enum masing_status build_solver(struct integrator *integrator, int method,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = integrator->model;
    const struct flow_solver_parts parts = {.model = model,
                                            .ports = integrator->ports,
                                            .forcing = integrator->forcing,
                                            .newmark = integrator->newmark,
                                            .joints = integrator->joints,
                                            .omega = integrator->omega,
                                            .accuracy = model->spec.integration.accuracy};
    if (method == MASING_INTEGRATION_ACCURATE) {
        TRY(flow_solver_create(&parts, &integrator->flow, error));
    }
    if (method == MASING_INTEGRATION_EXACT) {
        TRY(exact_solver_create(&parts, &integrator->exact, error));
    }
done:
    return status;
}

/* alpha: of the rule */
static enum masing_status build(struct integrator *integrator, int n_loads, int method,
                                double alpha, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = integrator->model;
    TRY(ports_create(model, &integrator->ports, error));
    const struct ports *ports = integrator->ports;
    size_t n_axes = (size_t)ports->n_axes;
    TRY(forcing_create(model, ports, n_loads, integrator->omega, integrator->n_steps,
                       &integrator->forcing, error));
    if (integrator->is_unloaded && !integrator_method_is_rule(method)) {
        forcing_add_term(integrator->forcing, 1);
    }
    TRY(newmark_create(model->structure, ports->n_axes, ports->shapes, integrator->step, alpha,
                       &integrator->newmark, error));
    TRY(joints_create(model, &integrator->joints, error));
    integrator->force = memory_array((size_t)(ports->n_modes + ports->n_ports), sizeof(double));
    integrator->x_free = memory_array(n_axes, sizeof(double));
    integrator->v_free = memory_array(n_axes, sizeof(double));
    integrator->compliance = memory_array(n_axes * n_axes, sizeof(double));
    TRY_ALLOCATED(integrator->force);
    TRY_ALLOCATED(integrator->x_free);
    TRY_ALLOCATED(integrator->v_free);
    TRY_ALLOCATED(integrator->compliance);
    fill_compliance(integrator);
    TRY(coupling_create(integrator->joints, integrator->compliance,
                        newmark_velocity_rate(integrator->newmark), &integrator->coupling,
                        error));
    TRY(check_massless(integrator, error));
    TRY(build_solver(integrator, method, error));
done:
    return status;
}

bool integrator_method_is_rule(int method)
{
    return method == MASING_INTEGRATION_NEWMARK || method == MASING_INTEGRATION_HHT;
}

enum masing_status integrator_create(const struct masing_model *model, double omega,
                                     int n_steps, struct integrator **created,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct integrator *integrator = memory_array(1, sizeof *integrator);
    TRY_ALLOCATED(integrator);
    TRY(check_arguments(model, omega, n_steps, error));
    integrator->model = model;
    integrator->omega = omega;
    integrator->n_steps = n_steps;
    integrator->period = two_pi / omega;
    int method = model->spec.integration.method;
    double alpha = method == MASING_INTEGRATION_HHT ? model->spec.integration.alpha : 0.0;
    bool is_rule = method == MASING_INTEGRATION_NEWMARK || method == MASING_INTEGRATION_HHT;
    integrator->step =
        is_rule ? newmark_prewarped_step(alpha, omega, n_steps) : integrator->period / n_steps;
    TRY(build(integrator, model->spec.n_loads, method, alpha, error));
done:
    if (status != MASING_OK) {
        integrator_destroy(integrator);
        integrator = NULL;
    }
    *created = integrator;
    return status;
}

/* Every step is a period of its own, whose loads are the constant ones. */
enum masing_status integrator_create_unloaded(const struct masing_model *model, double step,
                                              double omega, struct integrator **created,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct integrator *integrator = memory_array(1, sizeof *integrator);
    TRY_ALLOCATED(integrator);
    integrator->model = model;
    integrator->omega = omega > 0.0 ? omega : two_pi / step;
    integrator->n_steps = 1;
    integrator->period = integrator->step = step;
    integrator->is_unloaded = true;
    int method = model->spec.integration.method;
    TRY(build(integrator, 0,
              integrator_method_is_rule(method) ? MASING_INTEGRATION_NEWMARK : method, 0.0,
              error));
done:
    if (status != MASING_OK) {
        integrator_destroy(integrator);
        integrator = NULL;
    }
    *created = integrator;
    return status;
}

void integrator_destroy(struct integrator *integrator)
{
    if (integrator) {
        flow_solver_destroy(integrator->flow);
        exact_solver_destroy(integrator->exact);
        coupling_destroy(integrator->coupling);
        joints_destroy(integrator->joints);
        newmark_destroy(integrator->newmark);
        forcing_destroy(integrator->forcing);
        ports_destroy(integrator->ports);
        free(integrator->compliance);
        free(integrator->force);
        free(integrator->x_free);
        free(integrator->v_free);
        free(integrator);
    }
}

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
