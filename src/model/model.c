/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "linalg/symmetric.h"
#include "model/cyclic.h"
#include "model/joints.h"
#include "model/structure/reduced_coordinates.h"
#include "model/seal.h"
#include "model/structure/sparse_structure.h"
#include "model/structure/spinning.h"
#include "model/message.h"

/* --- warnings ----------------------------------------------------------------------------- */

/*
 * What the laws say about parameters that they accept: the same sentence once for all joints.
 * And what more elements of beams than are of use cost.
 */

enum { MAX_CAUTIONS = 16 };

/* Structures of so many DOFs take a while; elements so many times more than are of use. */
enum { MANY_DOFS = 1000, TOO_MANY = 4 };

/* Relative error of frequencies that is of no use to lower, (beta h)^4 / 1440. */
static const double FINE_ENOUGH = 1e-6;

struct caution {
    const char *joint; /* the first */
    int n_joints;
    struct masing_warning sentence;
};

/* The elements of a structure are all short enough, by a factor, for its highest harmonic. */
static enum masing_status caution_of_elements(const struct masing_spec *spec,
                                              const struct warning_list *warnings,
                                              struct masing_error *error)
{
    const struct masing_structure_spec *structure = &spec->structure;
    double omega = fmax(spec->omega_from, spec->omega_to), longest = 0.0;
    for (int i = 0; i < spec->n_harmonics; i++) {
        omega = fmax(omega, spec->harmonics[i] * fmax(spec->omega_from, spec->omega_to));
    }
    for (int i = 0; i < structure->n_beam_elements; i++) {
        const struct masing_beam_element *e = &structure->beam_elements[i];
        double beta4 = e->mass_per_length * omega * omega / e->bending_stiffness;
        longest = fmax(longest, e->length * pow(beta4, 0.25));
    }
    double enough = structure->n_beam_elements * longest / pow(1440.0 * FINE_ENOUGH, 0.25);
    if (spec->sweep == MASING_SWEEP_NONE || structure->n_dofs < MANY_DOFS ||
        structure->n_beam_elements == 0 || structure->n_beam_elements < TOO_MANY * enough) {
        return MASING_OK;
    }
    return warning_add(warnings, error,
                       "%d beam elements: the time goes with the third power of their number; "
                       "%.0f follow frequencies up to %.4g Hz, the highest harmonic, to %.0e",
                       structure->n_beam_elements, ceil(fmax(enough, 1.0)), omega / TWO_PI,
                       FINE_ENOUGH);
}

/* Decks are mostly in mm, N and t: what is hundreds of units long is rarely meant in metres,
 * and 1 g is 9810 mm/s^2 then. */
static const double LONG_MESH = 100.0, LEAST_G = 9.7, MOST_G = 9.9, SLOW_BASE = 100.0;

static enum masing_status caution_of_units(const struct masing_spec *spec,
                                           const struct warning_list *warnings,
                                           struct masing_error *error)
{
    double extent = spec->structure.mesh_extent, gravity = 0.0, base = 0.0;
    for (int i = 0; i < spec->n_static_loads; i++) {
        double a = fabs(spec->static_loads[i].acceleration);
        gravity = a >= LEAST_G && a <= MOST_G ? a : gravity; /* also where it is a force now */
    }
    for (int i = 0; i < spec->n_loads; i++) {
        double a = fabs(spec->loads[i].amplitude);
        bool is_base = spec->loads[i].kind == MASING_LOAD_BASE_ACCELERATION;
        base = is_base && a > 0.0 && a < SLOW_BASE ? a : base;
    }
    if (extent < LONG_MESH || (gravity == 0.0 && base == 0.0)) {
        return MASING_OK;
    }
    return warning_add(warnings, error,
                       "the mesh is %.4g units long and %s is %.4g: nothing is converted, and "
                       "where the deck is in mm, N and t accelerations are in mm/s^2 (1 g is "
                       "9810)",
                       extent, gravity > 0.0 ? "a static acceleration" : "a base acceleration",
                       gravity > 0.0 ? gravity : base);
}

static enum masing_status caution_of_mesh(const struct masing_spec *spec,
                                          const struct warning_list *warnings,
                                          struct masing_error *error)
{
    int node = spec->structure.unexplained_node;
    NEED(node > 0 ? warning_add(warnings, error,
                                "DOFs that the matrices do not have, as those of node %d, are "
                                "taken as fixed: the mesh does not say whether they are "
                                "constrained or depend on others",
                                node)
                  : MASING_OK);
    return caution_of_units(spec, warnings, error);
}

enum masing_status seal_cautions(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = {&model->warnings, &model->n_warnings,
                                          &model->numbered};
    int n = 0;
    struct caution *cautions = memory_array(MAX_CAUTIONS, sizeof *cautions);
    TRY_ALLOCATED(cautions);
    TRY(caution_of_elements(&model->spec, &warnings, error));
    TRY(caution_of_mesh(&model->spec, &warnings, error));
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        struct masing_warning sentence = {0};
        bool has_one = joint->law->caution && joint->law->caution(joint->parameters, &sentence);
        int i = has_one ? 0 : MAX_CAUTIONS;
        while (i < n && (strcmp(cautions[i].sentence.pattern, sentence.pattern) != 0 ||
                         memcmp(cautions[i].sentence.values, sentence.values,
                                sizeof sentence.values) != 0)) {
            i++;
        }
        if (i < n) {
            cautions[i].n_joints++;
        } else if (i < MAX_CAUTIONS) {
            cautions[n++] = (struct caution){joint->name, 1, sentence};
        }
    }
    for (int i = 0; i < n; i++) {
        struct warning_text warning = {.n_values = 0};
        int n_others = cautions[i].n_joints - 1;
        warning_put(&warning, "joint '%s'", cautions[i].joint);
        if (n_others > 0) {
            warning_put(&warning, " and %d other%s", n_others, n_others == 1 ? "" : "s");
        }
        warning_put(&warning, ": ");
        warning_put_sentence(&warning, &cautions[i].sentence);
        TRY(warning_end(&warnings, &warning, error));
    }
done:
    free(cautions);
    return status;
}

/* --- the model ---------------------------------------------------------------------------- */

/* Does any axis of this joint move in any mode, or by the flexibility of a massless DOF? */
static bool can_move(const struct masing_model *model, const struct joint *joint)
{
    const struct structure *structure = model->structure;
    size_t n = (size_t)structure->n_dofs;
    if (model->cyclic) {
        return true; /* in another nodal diameter where in no mean */
    }
    for (int a = joint->first_axis; a < joint->first_axis + joint->n_axes; a++) {
        const struct masing_combination *axis = &model->axes[a];
        for (size_t k = 0; k < (size_t)structure->n_modes; k++) {
            if (axis_value(axis, structure->shapes + k * n) != 0) {
                return true;
            }
        }
        for (int t = 0; structure->flexibility && t < axis->n_terms; t++) {
            size_t dof = (size_t)axis->terms[t].dof;
            if (structure->flexibility[symmetric_place(n, dof, dof)] != 0) {
                return true;
            }
        }
    }
    return false;
}

static enum masing_status collect_warnings(struct masing_model *model,
                                           struct masing_error *error)
{
    const struct warning_list warnings = {&model->warnings, &model->n_warnings,
                                          &model->numbered};
    if (model->structure->n_nearly_rigid > 0) {
        NEED(warning_add(&warnings, error,
                         "%d of %d rigid-body modes have a little stiffness, taken as rounding "
                         "of the stiffness matrix and set to zero",
                         model->structure->n_nearly_rigid, model->structure->n_rigid));
    }
    NEED(seal_cautions(model, error));
    struct name_list resting = {0};
    for (int j = 0; j < model->spec.n_joints; j++) {
        if (!can_move(model, &model->joints[j])) {
            name_list_add(&resting, model->joints[j].name);
        }
    }
    if (resting.n > 0) {
        const char *names = name_list_text(&resting);
        NEED(resting.n == 1 ? warning_add(&warnings, error,
                                          "joint %s moves in no mode of the structure", names)
                            : warning_add(&warnings, error,
                                          "%d joints move in no mode of the structure: %s",
                                          resting.n, names));
    }
    return MASING_OK;
}

/* Where no frequency is given: from below the first mode to above the lowest ones. */
static void choose_range(struct masing_spec *spec, const struct structure *structure)
{
    enum { LOWEST_MODES = 12 };
    int n = structure->n_modes - structure->n_rigid, most = n < LOWEST_MODES ? n : LOWEST_MODES;
    const double *omega = structure->omega + structure->n_rigid;
    spec->omega_from = n > 0 ? 0.5 * omega[0] : 1.0;
    spec->omega_to = n > 0 ? 2.0 * omega[most - 1] : 10.0;
}

/* Sliders that start in a static state would move with one that depends on the speed. */
static enum masing_status check_start(const struct masing_model *model,
                                      struct masing_error *error)
{
    bool is_static = model->spec.start == MASING_START_STATIC;
    for (int a = 0; a < model->n_axes && is_static && model->is_speed_dependent; a++) {
        NEED(model->static_displacement[a] != 0.0
                 ? speed_refuse(
                       model, "sliders that start in a static state (start: static) are", error)
                 : MASING_OK);
    }
    return MASING_OK;
}

enum masing_status speed_refuse(const struct masing_model *model, const char *what,
                                struct masing_error *error)
{
    return model->is_speed_dependent
               ? masing_error_set(
                     error, MASING_UNSUPPORTED,
                     "%s: %s not supported where stiffness or preloads go with the "
                     "frequency; 'structure: spin_hz' is a speed of its own",
                     model->spec.file ? model->spec.file : "model", what)
               : MASING_OK;
}

/* The tuned sector of a mistuned disk, unless its loads share no wave; of another whole disk,
 * which can do without, if it can be made. */
static enum masing_status create_tuned(struct masing_model *model, struct masing_error *error)
{
    struct masing_error refusal = {0};
    if (!model->spec.tuned) {
        return MASING_OK;
    }
    enum masing_status status = masing_model_create(model->spec.tuned, &model->tuned, &refusal);
    free(model->spec.tuned);
    model->spec.tuned = NULL;
    bool is_needed = model->spec.n_blades > 0 && status != MASING_INVALID;
    return status == MASING_OK || (!is_needed && status != MASING_NO_MEMORY)
               ? MASING_OK
               : masing_error_set(error, status, "%s", refusal.message);
}

enum masing_status masing_model_create(struct masing_spec *spec, struct masing_model **result,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_model *model = NULL;
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(result, "model", error));
    *result = NULL;
    TRY(entry_need(spec, "spec", error));
    TRY_ALLOCATED(model = memory_array(1, sizeof *model));
    model->spec = *spec;
    *spec = (struct masing_spec){0};
    TRY(cyclic_begin(model, error));
    TRY(seal_settings(&model->spec, error));
    TRY(seal_names(&model->spec, error));
    TRY(seal_joints(model, error));
    TRY(seal_outputs(&model->spec, error));
    TRY(spinning_check(&model->spec, error));
    TRY(blas_need_buffer(error));
    TRY(cyclic_fold(model, error));
    TRY(reduced_coordinates_take(&model->spec, error));
    TRY(sparse_structure_condense(&model->spec, error));
    TRY(seal_axes(model, error));
    TRY(structure_create(&model->spec, &model->structure, error));
    TRY(seal_loads(model, error));
    if (model->spec.sweep == MASING_SWEEP_NONE) {
        choose_range(&model->spec, model->structure);
    }
    TRY(seal_static_state(model, error));
    TRY(check_start(model, error));
    TRY(structure_couple(&model->spec, model->static_displacement, model->structure, error));
    TRY(spinning_cross(&model->spec, model->static_displacement,
                       model->cyclic ? 0 : model->order, model->structure, error));
    TRY(cyclic_couple(model, error));
    TRY(collect_warnings(model, error));
    TRY(create_tuned(model, error));
done:
    release_blas();
    if (status != MASING_OK) {
        masing_spec_clear(spec);
        masing_model_destroy(model);
        return masing_error_set(error, status > 0 ? MASING_INTERNAL : status,
                                "the model cannot be sealed: %s", masing_status_name(status));
    }
    model->spec.locator = NULL;
    *result = model;
    return status;
}

void masing_model_destroy(struct masing_model *model)
{
    if (!model) {
        return;
    }
    warnings_clear(
        &(struct warning_list){&model->warnings, &model->n_warnings, &model->numbered});
    arena_clear(&model->arena);
    structure_destroy(model->structure);
    masing_model_destroy(model->tuned);
    cyclic_destroy(model->cyclic);
    masing_spec_clear(&model->spec);
    free(model);
}

const struct masing_spec *masing_model_spec(const struct masing_model *model)
{
    return model ? &model->spec : NULL;
}

int masing_model_n_warnings(const struct masing_model *model)
{
    return model ? model->n_warnings : 0;
}

const char *masing_model_warning(const struct masing_model *model, int index)
{
    return model && index >= 0 && index < model->n_warnings ? model->warnings[index] : NULL;
}
