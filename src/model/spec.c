/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `solver:` and `integration:` of the model file, and the life of a specification. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/shared_array.h"
#include "linalg/sparse.h"
#include "masing/model.h"
#include "model/structure/condensed_structure.h"
#include "model/structure/reduced_coordinates.h"
#include "model/structure/structure_cache.h"

static const char *const methods[] = {"newmark", "accurate", "hht", "exact", NULL};
static const char *const mode_choices[] = {"auto", "fewer", "all", NULL};
static const char *const linear_choices[] = {"auto", "dense", "krylov", NULL};
static const char *const ways[] = {"marching", "shooting", NULL};

#define SOLVER(member) offsetof(struct masing_solver_settings, member)
#define INTEGRATION(member) offsetof(struct masing_integration_settings, member)

const struct masing_field masing_solver_fields[] = {
    MASING_REAL("tolerance", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 1e-3),
                MASING_DEFAULT(1e-10),
                "largest residual of an accepted point, relative to the load",
                SOLVER(tolerance)),
    MASING_REAL("step.initial", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 1),
                MASING_DEFAULT(0.01), "first step, in parts of the frequency range",
                SOLVER(step_initial)),
    MASING_REAL("step.min", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 1),
                MASING_DEFAULT(1e-9),
                "step below which the curve is given up, in parts of the frequency range",
                SOLVER(step_min)),
    MASING_REAL("step.max", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 1),
                MASING_DEFAULT(0.15), "longest step, in parts of the frequency range",
                SOLVER(step_max)),
    MASING_INTEGER("max_points", "", MASING_BETWEEN(2, 1e7), MASING_DEFAULT(20000),
                   "points after which a curve is given up", SOLVER(max_points)),
    MASING_CHOICE("linear", linear_choices, 0,
                  "how linear systems of the balance are solved. dense: the Jacobian is a "
                  "matrix; krylov: no matrix is formed, and systems are solved by iteration, "
                  "for joints with very many axes; auto: krylov where there are many unknowns",
                  SOLVER(linear)),
    MASING_REAL("krylov_tolerance", "", MASING_BETWEEN_OPEN(MASING_OPEN_MINIMUM, 0, 0.1),
                MASING_DEFAULT(1e-10),
                "krylov: error of the curve's tangents, relative; points are as exact as "
                "tolerance has it in any case",
                SOLVER(krylov_tolerance)),
    MASING_INTEGER("landed_contacts", "", MASING_BETWEEN(1, 1e6), MASING_DEFAULT(1),
                   "contacts of a group (pairs, surfaces) at most for which each change of "
                   "state of each of them is a point of the curve, with an event",
                   SOLVER(landed_contacts)),
};
const int masing_n_solver_fields = sizeof masing_solver_fields / sizeof *masing_solver_fields;

const struct masing_field masing_integration_fields[] = {
    MASING_CHOICE(
        "method", methods, 0,
        "newmark: average acceleration, joints by exact return mapping; hht: the same "
        "with numerical damping; accurate: differential equations to a tolerance, begun "
        "anew at every event of a joint; exact: joints that are linear between events, "
        "without any error of steps. Of ring-downs also, hht excepted",
        INTEGRATION(method)),
    MASING_CHOICE("steady", ways, 0,
                  "how the periodic motion is found. marching: period after period; shooting: "
                  "Newton's method on what a period does to the state",
                  INTEGRATION(steady)),
    MASING_INTEGER("steps_per_cycle", "", MASING_BETWEEN(16, 1e6), MASING_DEFAULT(1024),
                   "time steps per period of the fundamental", INTEGRATION(steps_per_cycle)),
    MASING_INTEGER("cycles", "", MASING_BETWEEN(1, 1e8), MASING_DEFAULT(10000),
                   "periods at most until the motion is steady", INTEGRATION(cycles)),
    MASING_REAL(
        "tolerance", "", MASING_BETWEEN_OPEN(MASING_OPEN_BOTH, 0, 1), MASING_DEFAULT(1e-7),
        "distance from the periodic motion, relative, at which it counts as steady; with "
        "accurate not less than 100 times accuracy",
        INTEGRATION(tolerance)),
    MASING_REAL("accuracy", "", MASING_BETWEEN(1e-13, 1e-3), MASING_DEFAULT(1e-10),
                "accurate: error of one step, relative to the motion", INTEGRATION(accuracy)),
    MASING_REAL("alpha", "", MASING_BETWEEN(-1.0 / 3.0, 0.0), MASING_DEFAULT(-0.05),
                "hht: numerical damping of what has few steps per period; 0: none",
                INTEGRATION(alpha)),
    MASING_CHOICE(
        "modes", mode_choices, 0,
        "of the structure, for integrate and compare. fewer: the lowest, and residual modes "
        "for the others, so many that joints and outputs respond alike to harmonic forces, "
        "within ten times the tolerance; auto: so where there are more than 64 and it is "
        "cheaper. Joints with more than 32 axes together keep all",
        INTEGRATION(modes)),
};
const int masing_n_integration_fields =
    sizeof masing_integration_fields / sizeof *masing_integration_fields;

enum { N_DEFAULT_HARMONICS = 8 };

enum masing_status masing_spec_init(struct masing_spec *spec, struct masing_error *error)
{
    masing_error_clear(error);
    NEED(entry_need(spec, "spec", error));
    *spec = (struct masing_spec){.load_factor = 1};
    spec->harmonics = memory_array(N_DEFAULT_HARMONICS, sizeof *spec->harmonics);
    NEED_ALLOCATED(spec->harmonics);
    spec->n_harmonics = N_DEFAULT_HARMONICS;
    for (int h = 0; h < N_DEFAULT_HARMONICS; h++) {
        spec->harmonics[h] = h;
    }
    masing_fields_reset(masing_solver_fields, masing_n_solver_fields, &spec->solver);
    masing_fields_reset(masing_integration_fields, masing_n_integration_fields,
                        &spec->integration);
    return MASING_OK;
}

const struct masing_joint_spec *masing_spec_joint(const struct masing_spec *spec, int index)
{
    return spec && index >= 0 && index < spec->n_joints ? &spec->joints[index] : NULL;
}

int masing_joint_spec_axes(const struct masing_joint_spec *joint)
{
    return joint->n_axes > 0 ? joint->n_axes : joint->law->n_axes;
}

const char *masing_joint_spec_axis_name(const struct masing_joint_spec *joint, int axis)
{
    const struct masing_law *law = joint->law;
    unsigned present = joint->present ? joint->present : ~0u;
    for (int a = 0; law->axis_names && a < law->n_axes; a++) {
        if ((present >> a & 1u) && axis-- == 0) {
            return law->axis_names[a];
        }
    }
    return "";
}

static void clear_joints(struct masing_spec *spec)
{
    for (int j = 0; spec->joints && j < spec->n_joints; j++) {
        struct masing_joint_spec *joint = &spec->joints[j];
        for (int a = 0; joint->axes && joint->law && a < masing_joint_spec_axes(joint); a++) {
            free(joint->axes[a].terms);
        }
        free(joint->axes);
        free(joint->parameters);
        free(joint->name);
    }
    for (int i = 0; spec->groups && i < spec->n_groups; i++) {
        free(spec->groups[i].name);
        free(spec->groups[i].pairs);
        free(spec->groups[i].unmatched);
    }
    free(spec->joints);
    free(spec->groups);
}

static void clear_loads(struct masing_spec *spec)
{
    for (int i = 0; spec->loads && i < spec->n_loads; i++) {
        free(spec->loads[i].name);
        free(spec->loads[i].pattern);
        free(spec->loads[i].pattern_imaginary);
        free(spec->loads[i].inertia);
        free(spec->loads[i].table);
    }
    for (int i = 0; spec->static_loads && i < spec->n_static_loads; i++) {
        free(spec->static_loads[i].pattern);
    }
    free(spec->loads);
    free(spec->static_loads);
}

static void clear_structure(struct masing_structure_spec *structure)
{
    memory_free_texts(structure->dof_names, structure->n_dofs);
    free(structure->mass);
    free(structure->stiffness);
    free(structure->damping);
    free(structure->per_speed_squared);
    free(structure->beam_elements);
    free(structure->omega_modes);
    free(structure->rest);
    free(structure->mode_shapes);
    shared_array_release(structure->far);
    sparse_clear(&structure->sparse_mass);
    sparse_clear(&structure->sparse_stiffness);
    reduced_coordinates_destroy(structure->reduced);
    condensed_structure_destroy(structure->condensed);
    free(structure->cyclic.mass);
    free(structure->cyclic.stiffness);
    free(structure->cyclic.damping);
    free(structure->cyclic.per_speed_squared);
    free(structure->turned.partners);
    structure_cache_release(structure->cache);
    free(structure->form.ratios);
}

void masing_spec_clear(struct masing_spec *spec)
{
    if (!spec) {
        return;
    }
    clear_structure(&spec->structure);
    clear_joints(spec);
    clear_loads(spec);
    for (int i = 0; spec->outputs && i < spec->n_outputs; i++) {
        free(spec->outputs[i].name);
        free(spec->outputs[i].combination.terms);
    }
    free(spec->outputs);
    free(spec->blades);
    masing_spec_clear(spec->tuned);
    free(spec->tuned);
    free(spec->file);
    free(spec->title);
    free(spec->ringdown.hit.terms);
    free(spec->ringdown.displacements.terms);
    free(spec->ringdown.velocities.terms);
    free(spec->initial.displacements.terms);
    free(spec->initial.velocities.terms);
    free(spec->ringdown.modes);
    for (int i = 0; spec->uncertain.numbers && i < spec->uncertain.n; i++) {
        free(spec->uncertain.numbers[i].path);
    }
    free(spec->uncertain.numbers);
    free(spec->uncertain.correlation);
    free(spec->harmonics);
    memory_free_texts(spec->files, spec->n_files);
    *spec = (struct masing_spec){0};
}
