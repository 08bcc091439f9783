/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real structure of a nodal diameter, with cosines and sines, as a specification. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "model/cyclic.h"

struct cyclic_angle cyclic_angle_of(const struct cyclic *cyclic, int number)
{
    int n = cyclic->n_sectors;
    double half = PI * number / n, sine = sin(half);
    bool is_half = 2 * number == n;
    struct cyclic_angle angle = {.versine = 2.0 * sine * sine, .sine = 2.0 * sine * cos(half)};
    angle.sine = is_half || number == 0 ? 0.0 : angle.sine;
    angle.versine = is_half ? 2.0 : angle.versine;
    angle.cosine = 1.0 - angle.versine;
    return angle;
}

/* [c, d] of K_0 + K_1 e^(-i theta) + K_1^T e^(i theta), from its mean K_0 + K_1 + K_1^T */
static void fill_matrix(size_t n, struct cyclic_angle angle, bool is_pair, const double *mean,
                        const double *coupling, double *matrix)
{
    size_t rows = is_pair ? 2 * n : n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double there = coupling ? coupling[i + j * n] : 0.0;
            double back = coupling ? coupling[j + i * n] : 0.0;
            double even = mean[i + j * n] - angle.versine * (there + back);
            double odd = angle.sine * (there - back);
            matrix[i + j * rows] = even;
            if (is_pair) {
                matrix[n + i + (n + j) * rows] = even;
                matrix[i + (n + j) * rows] = odd;
                matrix[n + i + j * rows] = -odd;
            }
        }
    }
}

static double *make_matrix(const struct masing_model *model, int number, const double *mean,
                           const double *coupling, struct arena *arena)
{
    size_t n = (size_t)model->spec.structure.n_dofs;
    bool is_pair = cyclic_is_pair(model->cyclic, number);
    double *matrix = mean ? arena_doubles(arena, (is_pair ? 4 : 1) * n * n) : NULL;
    if (matrix) {
        fill_matrix(n, cyclic_angle_of(model->cyclic, number), is_pair, mean, coupling, matrix);
    }
    return matrix;
}

struct masing_combination cyclic_project(const struct masing_model *model, int number,
                                         bool is_sine, const struct masing_combination *sum,
                                         struct masing_term *terms)
{
    return cyclic_project_over(model->cyclic, model->spec.structure.n_dofs, number, is_sine,
                               sum, terms);
}

struct masing_combination cyclic_project_over(const struct cyclic *cyclic, int n, int number,
                                              bool is_sine,
                                              const struct masing_combination *sum,
                                              struct masing_term *terms)
{
    struct masing_combination made = {0, terms};
    struct cyclic_angle angle = cyclic_angle_of(cyclic, number);
    bool is_pair = cyclic_is_pair(cyclic, number);
    int own = is_sine ? n : 0, other = is_sine ? 0 : n;
    for (int t = 0; t < sum->n_terms; t++) {
        int dof = sum->terms[t].dof;
        double weight = sum->terms[t].weight;
        if (dof < n) {
            terms[made.n_terms++] = (struct masing_term){dof + own, weight};
            continue;
        }
        terms[made.n_terms++] = (struct masing_term){dof - n + own, weight * angle.cosine};
        if (is_pair) {
            terms[made.n_terms++] = (struct masing_term){
                dof - n + other, weight * (is_sine ? -angle.sine : angle.sine)};
        }
    }
    return made;
}

double cyclic_motion(const struct cyclic *cyclic, int number, bool is_sine, int n_dofs, int dof,
                     const double *shape)
{
    struct cyclic_angle angle = cyclic_angle_of(cyclic, number);
    int own = is_sine ? n_dofs : 0, other = is_sine ? 0 : n_dofs;
    if (dof < n_dofs) {
        return shape[dof + own];
    }
    double motion = angle.cosine * shape[dof - n_dofs + own];
    return cyclic_is_pair(cyclic, number)
               ? motion + (is_sine ? -angle.sine : angle.sine) * shape[dof - n_dofs + other]
               : motion;
}

static enum masing_status project_joint(const struct masing_model *model, int number,
                                        const struct joint *joint, bool is_sine,
                                        struct arena *arena, struct masing_joint_spec *made,
                                        struct masing_error *error)
{
    *made = *joint->spec;
    made->axes = arena_array(arena, (size_t)joint->n_axes, sizeof *made->axes);
    NEED_ALLOCATED(made->axes);
    for (int a = 0; a < joint->n_axes; a++) {
        const struct masing_combination *axis = model_axis(model, joint->first_axis + a);
        struct masing_term *terms =
            arena_array(arena, 2 * (size_t)axis->n_terms, sizeof *terms);
        NEED_ALLOCATED(terms);
        made->axes[a] = cyclic_project(model, number, is_sine, axis, terms);
    }
    return MASING_OK;
}

static enum masing_status project_joints(const struct masing_model *model, int number,
                                         struct arena *arena, struct cyclic_spec *made,
                                         struct masing_error *error)
{
    int n = model->spec.n_joints, n_copies = cyclic_is_pair(model->cyclic, number) ? 2 : 1;
    size_t n_axes = (size_t)model->n_axes, copies = (size_t)n_copies;
    struct masing_joint_spec *joints = arena_array(arena, (size_t)n * copies, sizeof *joints);
    made->at = arena_doubles(arena, n_axes * copies);
    NEED_ALLOCATED(joints && made->at);
    for (int j = 0; j < n * n_copies; j++) {
        NEED(project_joint(model, number, &model->joints[j % n], j >= n, arena, &joints[j],
                           error));
    }
    for (size_t c = 0; c < copies && model->static_displacement; c++) {
        memcpy(made->at + c * n_axes, model->static_displacement, n_axes * sizeof *made->at);
    }
    made->spec.joints = joints;
    made->spec.n_joints = n * n_copies;
    return MASING_OK;
}

/* Both modes of a pair have its ratio, both DOFs their name. */
static enum masing_status double_lists(const struct masing_model *model, struct arena *arena,
                                       struct masing_structure_spec *structure,
                                       struct masing_error *error)
{
    const struct masing_structure_spec *given = &model->spec.structure;
    int n = given->n_dofs, n_ratios = given->form.n_ratios;
    if (n_ratios > 1) {
        double *ratios = arena_doubles(arena, 2 * (size_t)n_ratios);
        NEED_ALLOCATED(ratios);
        for (int i = 0; i < 2 * n_ratios; i++) {
            ratios[i] = given->form.ratios[i / 2];
        }
        structure->form.ratios = ratios;
        structure->form.n_ratios = 2 * n_ratios;
    }
    if (given->dof_names) {
        char **names = arena_array(arena, 2 * (size_t)n, sizeof *names);
        NEED_ALLOCATED(names);
        for (int i = 0; i < 2 * n; i++) {
            names[i] = given->dof_names[i % n];
        }
        structure->dof_names = names;
    }
    structure->n_dofs = 2 * n;
    return MASING_OK;
}

enum masing_status cyclic_spec_create(const struct masing_model *model, int number,
                                      struct arena *arena, struct cyclic_spec *made,
                                      struct masing_error *error)
{
    const struct masing_structure_spec *given = &model->spec.structure;
    struct masing_structure_spec *structure = &made->spec.structure;
    made->spec = model->spec;
    structure->mass = make_matrix(model, number, given->mass, given->cyclic.mass, arena);
    structure->stiffness =
        make_matrix(model, number, given->stiffness, given->cyclic.stiffness, arena);
    structure->damping =
        make_matrix(model, number, given->damping, given->cyclic.damping, arena);
    structure->per_speed_squared = make_matrix(model, number, given->per_speed_squared,
                                               given->cyclic.per_speed_squared, arena);
    structure->cyclic = (struct masing_cyclic_spec){0};
    if (cyclic_is_condensed(model->cyclic)) { /* the mean's stays with the model */
        structure->n_modes = structure->n_far = 0;
        structure->omega_modes = structure->mode_shapes = structure->rest = NULL;
        structure->far = NULL;
        structure->condensed = NULL;
    }
    structure->n_rigid = number == 0 ? given->n_rigid : 0;
    NEED_ALLOCATED(!arena->has_failed);
    NEED(cyclic_is_pair(model->cyclic, number) ? double_lists(model, arena, structure, error)
                                               : MASING_OK);
    return project_joints(model, number, arena, made, error);
}
