/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "masing/model.h"

enum { N_DEFAULT_HARMONICS = 8 };

enum masing_status masing_spec_init(struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    masing_error_clear(error);
    TRY(entry_need(spec, "spec", error));
    *spec = (struct masing_spec){.load_factor = 1};
    spec->harmonics = memory_array(N_DEFAULT_HARMONICS, sizeof *spec->harmonics);
    TRY_ALLOCATED(spec->harmonics);
    spec->n_harmonics = N_DEFAULT_HARMONICS;
    for (int h = 0; h < N_DEFAULT_HARMONICS; h++) {
        spec->harmonics[h] = h;
    }
    masing_fields_reset(masing_solver_fields, masing_n_solver_fields, &spec->solver);
    masing_fields_reset(masing_integration_fields, masing_n_integration_fields,
                        &spec->integration);
done:
    return status;
}

static void clear_structure(struct masing_structure_spec *structure)
{
    for (int i = 0; structure->dof_names && i < structure->n_dofs; i++) {
        free(structure->dof_names[i]);
    }
    free(structure->dof_names);
    free(structure->mass);
    free(structure->stiffness);
    free(structure->damping);
    free(structure->beam_elements);
    free(structure->omega_modes);
    free(structure->mode_shapes);
    free(structure->form.ratios);
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

static void clear_joint(struct masing_joint_spec *joint)
{
    for (int a = 0; joint->axes && joint->law && a < masing_joint_spec_axes(joint); a++) {
        free(joint->axes[a].terms);
    }
    free(joint->axes);
    free(joint->parameters);
    free(joint->name);
}

static void clear_load(struct masing_load_spec *load)
{
    free(load->name);
    free(load->pattern);
    free(load->pattern_imaginary);
    free(load->table);
}

void masing_spec_clear(struct masing_spec *spec)
{
    if (!spec) {
        return;
    }
    free(spec->file);
    free(spec->title);
    clear_structure(&spec->structure);
    for (int i = 0; spec->joints && i < spec->n_joints; i++) {
        clear_joint(&spec->joints[i]);
    }
    for (int i = 0; spec->groups && i < spec->n_groups; i++) {
        free(spec->groups[i].name);
    }
    for (int i = 0; spec->loads && i < spec->n_loads; i++) {
        clear_load(&spec->loads[i]);
    }
    for (int i = 0; spec->static_loads && i < spec->n_static_loads; i++) {
        free(spec->static_loads[i].pattern);
    }
    for (int i = 0; spec->outputs && i < spec->n_outputs; i++) {
        free(spec->outputs[i].name);
        free(spec->outputs[i].combination.terms);
    }
    free(spec->ringdown.displacements.terms);
    free(spec->ringdown.velocities.terms);
    free(spec->ringdown.modes);
    free(spec->joints);
    free(spec->groups);
    free(spec->loads);
    free(spec->static_loads);
    free(spec->outputs);
    free(spec->harmonics);
    *spec = (struct masing_spec){0};
}
