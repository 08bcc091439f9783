/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/integrate/resolution.h"

#include <math.h>

#include "base/pi.h"
#include "model/joints.h"
#include "transient/periodic/periodic.h"

/* Steps per period below which an oscillation is distorted. */
static const double ENOUGH_STEPS = 10.0;

/* Steps per period of a joint's vibration when it sticks: the displacement per force over one
 * step, S, is that of a mass m = h^2/(4 S), so that omega h/2 = sqrt(k S). */
static double contact_steps(const struct integrator *integrator, const struct joint *joint)
{
    double tangent[MASING_MAX_AXES * MASING_MAX_AXES], stiffest = 0.0;
    int n_axes = integrator->ports->n_axes;
    joint_stiffness(joint, true, tangent);
    for (int a = 0; a < joint->n_axes; a++) {
        int axis = joint->first_axis + a;
        double s = integrator->stepper.compliance[axis * n_axes + axis];
        stiffest = fmax(stiffest, tangent[a * (joint->n_axes + 1)] * s);
    }
    return stiffest > 0.0 ? PI / sqrt(stiffest) : INFINITY;
}

/* Steps to a tolerance say themselves how well two periods can agree. */
static enum masing_status warn_tolerance(const struct integrator *integrator,
                                         const struct warning_list *list,
                                         struct masing_error *error)
{
    const struct masing_integration_settings *settings = &integrator->model->spec.integration;
    double used = periodic_tolerance(integrator, settings->tolerance);
    if (!(used > settings->tolerance)) {
        return MASING_OK;
    }
    if (integrator->stepper.accuracy > 0.0) {
        return warning_add(list, error,
                           "integration.tolerance: %g is finer than an integration.accuracy of "
                           "%g can tell; it was taken for %g, %g times that",
                           settings->tolerance, settings->accuracy, used,
                           used / settings->accuracy);
    }
    return warning_add(
        list, error,
        "integration.tolerance: %g is finer than round-off lets periods agree; it "
        "was taken for %g",
        settings->tolerance, used);
}

enum masing_status resolution_warn(const struct integrator *integrator,
                                   const struct warning_list *list, struct masing_error *error)
{
    const struct masing_model *model = integrator->model;
    const struct joint *worst = NULL;
    double fewest = ENOUGH_STEPS;
    if (!integrator->stepper.compliance) {
        return warn_tolerance(integrator, list, error);
    }
    for (int j = 0; j < model->spec.n_joints; j++) {
        double steps = contact_steps(integrator, &model->joints[j]);
        if (steps < fewest) {
            fewest = steps;
            worst = &model->joints[j];
        }
    }
    if (!worst) {
        return MASING_OK;
    }
    double hz = integrator->n_steps / (integrator->period * fewest);
    return warning_add(
        list, error,
        "joint '%s': its vibration when it sticks (about %.3g Hz) has %.2g steps "
        "per period, which do not show it; integration.steps_per_cycle: %.0f "
        "would give %g",
        worst->name, hz, fewest, ceil(integrator->n_steps * ENOUGH_STEPS / fewest),
        ENOUGH_STEPS);
}
