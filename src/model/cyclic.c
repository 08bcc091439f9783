/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/cyclic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/sparse.h"
#include "model/message.h"
#include "model/seal.h"
#include "model/structure/spinning.h"

/* --- the wave ----------------------------------------------------------------------------- */

/* (a b) mod n, 0 to n - 1 */
static int turn(long long a, long long b, int n)
{
    return (int)(((a % n) * (b % n) % n + n) % n);
}

/* Whether a load asks for this delay. */
static bool has_delay(const struct masing_spec *spec, int load, int delay)
{
    int n = spec->structure.cyclic.n_sectors;
    const struct masing_load_spec *given = &spec->loads[load];
    return turn(given->harmonic, delay, n) == turn(given->engine_order, 1, n);
}

/* The least delay of two loads, of which the second may be -1: none; -1: there is none. */
static int common_delay(const struct masing_spec *spec, int first, int second)
{
    for (int r = 0; r < spec->structure.cyclic.n_sectors; r++) {
        if (has_delay(spec, first, r) && (second < 0 || has_delay(spec, second, r))) {
            return r;
        }
    }
    return -1;
}

static const char *load_text(const struct masing_spec *spec, int load, char text[100])
{
    const char *name = spec->loads[load].name;
    if (name) {
        snprintf(text, 100, "load '%.80s'", name);
    } else {
        snprintf(text, 100, "load %d", load + 1);
    }
    return text;
}

static enum masing_status refuse_load(const struct masing_spec *spec, int load,
                                      struct masing_error *error)
{
    char text[100];
    const struct masing_load_spec *given = &spec->loads[load];
    int n = spec->structure.cyclic.n_sectors;
    struct model_part part = model_part(given->place, "loads.%d.engine_order", load);
    return model_refuse_part(spec, &part, error,
                             "%s: engine order %d in harmonic %d is no travelling wave of %d "
                             "sectors, expected harmonic * r, up to multiples of %d, with an "
                             "integer r; 'unroll: true' takes any",
                             load_text(spec, load, text), given->engine_order, given->harmonic,
                             n, n);
}

/* Of a shaft's frequency, in a specification that no file made. */
static enum masing_status refuse_order(const struct masing_spec *spec, int load,
                                       struct masing_error *error)
{
    char text[100];
    const struct masing_load_spec *given = &spec->loads[load];
    struct model_part part = model_part(given->place, "loads.%d.engine_order", load);
    return model_refuse_part(spec, &part, error,
                             "%s: engine order %d in harmonic %d, expected the same number: "
                             "the frequency is that of the shaft",
                             load_text(spec, load, text), given->engine_order, given->harmonic);
}

/* A load that shares no delay with those before it, of which one contradicts it by itself or
 * the first one stands for them. */
static enum masing_status refuse_pair(const struct masing_spec *spec, int load,
                                      struct masing_error *error)
{
    char text[100], other_text[100];
    const struct masing_load_spec *given = &spec->loads[load];
    int other = 0;
    for (int l = load - 1; l >= 0; l--) {
        other = common_delay(spec, l, load) < 0 ? l : other;
    }
    struct model_part part = model_part(given->place, "loads.%d.engine_order", load);
    return model_refuse_part(
        spec, &part, error,
        "%s (harmonic %d, engine order %d) and %s (harmonic %d, engine order %d) share no "
        "travelling wave, expected engine orders that are harmonic * r, up to multiples of %d, "
        "with one integer r; 'unroll: true' takes any",
        load_text(spec, other, other_text), spec->loads[other].harmonic,
        spec->loads[other].engine_order, load_text(spec, load, text), given->harmonic,
        given->engine_order, spec->structure.cyclic.n_sectors);
}

enum masing_status cyclic_find_delay(const struct masing_spec *spec, int *delay,
                                     struct masing_error *error)
{
    int n = spec->structure.cyclic.n_sectors, furthest = 0;
    int first = spec->is_of_shaft ? 1 : 0, end = spec->is_of_shaft ? 2 : n;
    *delay = first;
    for (int r = first; r < end; r++) {
        int l = 0;
        while (l < spec->n_loads && has_delay(spec, l, r)) {
            l++;
        }
        if (l == spec->n_loads) {
            *delay = r;
            return MASING_OK;
        }
        furthest = l > furthest ? l : furthest;
    }
    if (spec->is_of_shaft) {
        return refuse_order(spec, furthest, error);
    }
    return common_delay(spec, furthest, -1) < 0 ? refuse_load(spec, furthest, error)
                                                : refuse_pair(spec, furthest, error);
}

int cyclic_diameter_of(const struct cyclic *cyclic, int harmonic, bool *is_reversed)
{
    int n = turn(harmonic, cyclic->delay, cyclic->n_sectors);
    *is_reversed = 2 * n > cyclic->n_sectors;
    return *is_reversed ? cyclic->n_sectors - n : n;
}

/* --- the sector's mean -------------------------------------------------------------------- */

/* matrix [n * n] += coupling + coupling^T */
static void fold_matrix(size_t n, const double *coupling, double *matrix)
{
    for (size_t i = 0; coupling && i < n * n; i++) {
        matrix[i] += coupling[i] + coupling[i % n * n + i / n];
    }
}

/* A sum of weights up to this part of its terms is what rounding leaves of 0. */
static const double CANCELLED = 1e-14;

/* The terms go to @p whole; what is left is their sum where both sectors move alike. */
static enum masing_status fold_sum(int n_dofs, struct masing_combination *sum,
                                   struct masing_combination *whole, struct masing_error *error)
{
    *whole = *sum;
    *sum = (struct masing_combination){0};
    sum->terms = memory_array((size_t)whole->n_terms, sizeof *sum->terms);
    NEED_ALLOCATED(sum->terms);
    for (int t = 0; t < whole->n_terms; t++) {
        int dof = whole->terms[t].dof % n_dofs;
        double weight = 0.0, gross = 0.0;
        bool is_first = true;
        for (int i = 0; i < whole->n_terms; i++) {
            if (whole->terms[i].dof % n_dofs == dof) {
                is_first = is_first && i >= t;
                weight += whole->terms[i].weight;
                gross += fabs(whole->terms[i].weight);
            }
        }
        if (is_first && fabs(weight) > CANCELLED * gross) {
            sum->terms[sum->n_terms++] = (struct masing_term){dof, weight};
        }
    }
    return MASING_OK;
}

static enum masing_status fold_sums(struct masing_model *model, struct masing_error *error)
{
    struct masing_spec *spec = &model->spec;
    struct cyclic *cyclic = model->cyclic;
    int n_dofs = spec->structure.n_dofs;
    size_t n_outputs = (size_t)spec->n_outputs;
    cyclic->axes = memory_array((size_t)model->n_axes, sizeof *cyclic->axes);
    cyclic->outputs = memory_array(n_outputs, sizeof *cyclic->outputs);
    NEED_ALLOCATED(cyclic->axes && cyclic->outputs);
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            NEED(fold_sum(n_dofs, &spec->joints[j].axes[a], &cyclic->axes[cyclic->n_axes++],
                          error));
        }
    }
    for (int o = 0; o < spec->n_outputs; o++) {
        NEED(fold_sum(n_dofs, &spec->outputs[o].combination,
                      &cyclic->outputs[cyclic->n_outputs++], error));
    }
    return MASING_OK;
}

enum masing_status cyclic_check_base(const struct masing_spec *spec, int index,
                                     struct masing_error *error)
{
    const struct masing_load_spec *load = &spec->loads[index];
    struct model_part part = model_part(load->place, "loads.%d.engine_order", index);
    return load->kind != MASING_LOAD_BASE_ACCELERATION ||
                   turn(load->engine_order, 1, spec->structure.cyclic.n_sectors) == 0
               ? MASING_OK
               : model_refuse_part(spec, &part, error,
                                   "base_acceleration: engine order %d, expected 0: the base "
                                   "moves all sectors alike",
                                   load->engine_order);
}

/* What a program may have filled in that no file can say. */
static enum masing_status check(const struct masing_spec *spec, struct masing_error *error)
{
    const struct masing_structure_spec *structure = &spec->structure;
    int n = structure->cyclic.n_sectors;
    struct masing_place place = structure->cyclic.place;
    if (n < 3) {
        return model_refuse(spec, place, error, "cyclic: %d sectors, expected at least three",
                            n);
    }
    if ((!structure->mass && structure->sparse_mass.n == 0) || structure->reduced ||
        structure->n_beam_elements > 0) {
        return model_refuse(spec, place, error,
                            "cyclic: expected mass and stiffness of a sector");
    }
    for (int l = 0; l < spec->n_loads; l++) {
        NEED(cyclic_check_base(spec, l, error));
    }
    return MASING_OK;
}

enum masing_status cyclic_begin(struct masing_model *model, struct masing_error *error)
{
    const struct masing_spec *spec = &model->spec;
    size_t n = (size_t)spec->n_joints;
    if (spec->structure.cyclic.n_sectors == 0) {
        return MASING_OK;
    }
    NEED_ALLOCATED(model->cyclic = memory_array(1, sizeof *model->cyclic));
    model->cyclic->parameters = memory_array(n, sizeof *model->cyclic->parameters);
    NEED_ALLOCATED(model->cyclic->parameters);
    for (size_t j = 0; j < n; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        bool is_given = joint->law && joint->parameters; /* else it is refused later */
        void **kept = &model->cyclic->parameters[model->cyclic->n_joints++];
        NEED_ALLOCATED(!is_given || (*kept = memory_copy(joint->parameters, 1,
                                                         joint->law->parameters_size)));
    }
    return MASING_OK;
}

enum masing_status cyclic_fold(struct masing_model *model, struct masing_error *error)
{
    struct masing_structure_spec *structure = &model->spec.structure;
    const struct masing_cyclic_spec *given = &structure->cyclic;
    if (given->n_sectors == 0) {
        return MASING_OK;
    }
    NEED(check(&model->spec, error));
    model->cyclic->n_sectors = given->n_sectors;
    NEED(cyclic_find_delay(&model->spec, &model->cyclic->delay, error));
    NEED(cyclic_take_sparse(model, error));
    size_t n = (size_t)structure->n_dofs;
    if (given->damping && !structure->damping) {
        NEED_ALLOCATED(structure->damping = memory_array(n * n, sizeof *structure->damping));
    }
    fold_matrix(n, given->mass, structure->mass);
    fold_matrix(n, given->stiffness, structure->stiffness);
    fold_matrix(n, given->damping, structure->damping);
    if (given->per_speed_squared && !structure->per_speed_squared) {
        structure->per_speed_squared =
            memory_array(n * n, sizeof *structure->per_speed_squared);
        NEED_ALLOCATED(structure->per_speed_squared);
    }
    fold_matrix(n, given->per_speed_squared, structure->per_speed_squared);
    return fold_sums(model, error);
}

/* --- the other nodal diameters ------------------------------------------------------------ */

/* Over a condensed sector's ports. */
static enum masing_status take_modal_data(const struct masing_model *model, int number,
                                          struct cyclic_diameter *diameter,
                                          struct masing_structure_spec *structure,
                                          struct masing_error *error)
{
    const struct masing_structure_spec *made = &diameter->modal.structure;
    NEED(cyclic_condense(model, number, &diameter->modal, error));
    structure->n_modes = made->n_modes;
    structure->omega_modes = made->omega_modes;
    structure->mode_shapes = made->mode_shapes;
    structure->rest = made->rest;
    structure->n_far = made->n_far;
    structure->far_shift = made->far_shift;
    structure->far_scale = made->far_scale;
    structure->far = made->far;
    return MASING_OK;
}

enum masing_status cyclic_diameter_create(const struct masing_model *model, int number,
                                          int harmonic, struct cyclic_diameter *diameter,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena arena = {0};
    struct cyclic_spec made = {.at = NULL};
    *diameter = (struct cyclic_diameter){.number = number};
    TRY(cyclic_spec_create(model, number, &arena, &made, error));
    TRY(cyclic_is_condensed(model->cyclic)
            ? take_modal_data(model, number, diameter, &made.spec.structure, error)
            : MASING_OK);
    TRY(structure_create(&made.spec, &diameter->structure, error));
    TRY(structure_couple(&made.spec, made.at, diameter->structure, error));
    TRY(spinning_cross(&made.spec, made.at, harmonic, diameter->structure, error));
done:
    if (status != MASING_OK) {
        cyclic_diameter_clear(diameter);
    }
    arena_clear(&arena);
    return status;
}

void cyclic_diameter_clear(struct cyclic_diameter *diameter)
{
    structure_destroy(diameter->structure);
    masing_spec_clear(&diameter->modal);
    *diameter = (struct cyclic_diameter){0};
}

/* A nodal diameter that the model has, or NULL. */
static const struct cyclic_diameter *find_diameter(const struct cyclic *cyclic, int number)
{
    const struct cyclic_diameter *found = NULL;
    for (int i = 0; i < cyclic->n_diameters; i++) {
        found = cyclic->diameters[i].number == number ? &cyclic->diameters[i] : found;
    }
    return found;
}

const struct structure *cyclic_structure(const struct masing_model *model, int number)
{
    const struct cyclic_diameter *diameter = find_diameter(model->cyclic, number);
    return diameter ? diameter->structure : number == 0 ? model->structure : NULL;
}

const struct condensed_structure *cyclic_condensed(const struct masing_model *model, int number)
{
    const struct cyclic_diameter *diameter = find_diameter(model->cyclic, number);
    return diameter      ? diameter->modal.structure.condensed
           : number == 0 ? model->spec.structure.condensed
                         : NULL;
}

const struct structure *model_structure_at(const struct masing_model *model, int harmonic)
{
    bool is_reversed;
    if (!model->cyclic) {
        return model->structure;
    }
    int number = cyclic_diameter_of(model->cyclic, harmonic, &is_reversed);
    const struct structure *found = cyclic_structure(model, number);
    return found ? found : model->structure;
}

enum masing_status cyclic_couple(struct masing_model *model, struct masing_error *error)
{
    struct cyclic *cyclic = model->cyclic;
    const struct masing_spec *spec = &model->spec;
    if (!cyclic) {
        return MASING_OK;
    }
    const struct masing_damping_spec *form = &spec->structure.form;
    int n_modes = model->structure->n_modes;
    if (form->n_ratios > 1 && form->n_ratios != n_modes) {
        return model_refuse(
            spec, form->place, error,
            "damping: %d ratios, expected one for all modes or %d (one per mode "
            "of a nodal diameter)",
            form->n_ratios, n_modes);
    }
    cyclic->diameters = memory_array((size_t)spec->n_harmonics, sizeof *cyclic->diameters);
    NEED_ALLOCATED(cyclic->diameters);
    for (int k = 0; k < spec->n_harmonics; k++) {
        bool is_reversed;
        int number = cyclic_diameter_of(cyclic, spec->harmonics[k], &is_reversed);
        int order = spec->harmonics[k];
        if (number == 0) {
            NEED(spinning_cross(spec, model->static_displacement, order, model->structure,
                                error));
        }
        if (!cyclic_structure(model, number)) {
            struct cyclic_diameter *diameter = &cyclic->diameters[cyclic->n_diameters];
            NEED(cyclic_diameter_create(model, number, order, diameter, error));
            cyclic->n_diameters++;
        }
    }
    return MASING_OK;
}

void cyclic_destroy(struct cyclic *cyclic)
{
    if (!cyclic) {
        return;
    }
    for (int i = 0; i < cyclic->n_diameters; i++) {
        cyclic_diameter_clear(&cyclic->diameters[i]);
    }
    for (int a = 0; a < cyclic->n_axes; a++) {
        free(cyclic->axes[a].terms);
    }
    for (int o = 0; o < cyclic->n_outputs; o++) {
        free(cyclic->outputs[o].terms);
    }
    for (int p = 0; cyclic->ports && p < cyclic->n_ports; p++) {
        free(cyclic->ports[p].terms);
    }
    sparse_clear(&cyclic->mass);
    sparse_clear(&cyclic->stiffness);
    free(cyclic->ports);
    for (int j = 0; j < cyclic->n_joints; j++) {
        free(cyclic->parameters[j]);
    }
    free(cyclic->parameters);
    free(cyclic->diameters);
    free(cyclic->axes);
    free(cyclic->outputs);
    free(cyclic);
}

enum masing_status cyclic_refuse(const struct masing_spec *spec, const char *what,
                                 struct masing_error *error)
{
    struct masing_place place = spec->structure.cyclic.place;
    char line[40] = "";
    if (spec->structure.cyclic.n_sectors == 0) {
        return MASING_OK;
    }
    if (place.line > 0) {
        snprintf(line, sizeof line, ":%d:%d", place.line, place.column);
    }
    return masing_error_set(error, MASING_UNSUPPORTED,
                            "%s%s: cyclic: %s not supported for one sector yet; 'unroll: true' "
                            "makes the whole disk",
                            spec->file ? spec->file : "model", line, what);
}
