/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/reduce.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/reduce/basis.h"
#include "analyses/reduce/component.h"
#include "analyses/reduce/needs.h"
#include "analyses/reduce/reduction.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/reduced_file.h"
#include "linalg/dense.h"
#include "linalg/one_thread.h"
#include "linalg/sparse.h"
#include "model/cyclic.h"
#include "model/message.h"
#include "model/model.h"
#include "model/structure/sparse_structure.h"

/* Modes where nobody says: up to so many times the highest harmonic, and so many at least. */
static const double ENOUGH = 3.0;
enum { LEAST_MODES = 60 };

struct reducing {
    const struct masing_reduce_options *options;
    struct masing_spec spec; /* of the document, its matrices sparse */
    struct needs needs;
    struct reduction_basis basis;
    double *patterns; /* [n_dofs * needs.n] forces */
    double top;       /* highest harmonic, rad/s */
    struct full_axes axes;
    struct masing_reduction *reduction;
};

/* --- the structure ------------------------------------------------------------------------ */

/* Dense matrices, whose lower triangle counts, become sparse ones. */
static enum masing_status make_sparse(int n, double **dense, struct masing_sparse *sparse,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t count = 0, rows = (size_t)n;
    struct sparse_entry *entries = memory_array(rows * (rows + 1) / 2, sizeof *entries);
    TRY_ALLOCATED(entries);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double value = (*dense)[(size_t)i + (size_t)j * rows];
            if (value != 0.0) {
                entries[count++] = (struct sparse_entry){i, j, value};
            }
        }
    }
    TRY(sparse_create(n, count, entries, sparse, error));
    free(*dense);
    *dense = NULL;
done:
    free(entries);
    return status;
}

static enum masing_status take_structure(struct reducing *r, struct masing_error *error)
{
    struct masing_spec *spec = &r->spec;
    struct masing_structure_spec *structure = &spec->structure;
    if (structure->reduced || structure->n_modes > 0) {
        return model_refuse(spec, structure->place, error,
                            "structure: %s: expected masses, beams, matrices or finite "
                            "elements to reduce",
                            structure->reduced ? "it is a reduced one"
                                               : "it is given by its modes");
    }
    NEED(cyclic_refuse(spec, "a reduction is", error));
    if (structure->mass) {
        NEED(make_sparse(structure->n_dofs, &structure->mass, &structure->sparse_mass, error));
        NEED(make_sparse(structure->n_dofs, &structure->stiffness, &structure->sparse_stiffness,
                         error));
    }
    return sparse_structure_check(spec, error);
}

/* Forces of what acts over many DOFs; of a direction its inertia. */
static enum masing_status make_patterns(struct reducing *r, struct masing_error *error)
{
    size_t n = (size_t)r->needs.n_dofs;
    r->patterns = memory_array(n * (size_t)r->needs.n, sizeof *r->patterns);
    NEED_ALLOCATED(r->patterns);
    for (size_t c = 0; c < (size_t)r->needs.n; c++) {
        const double *from = r->needs.combinations + c * n;
        if (r->needs.are_directions[c]) {
            sparse_multiply(&r->spec.structure.sparse_mass, 1, from, r->patterns + c * n);
        } else {
            memcpy(r->patterns + c * n, from, n * sizeof *from);
        }
    }
    return MASING_OK;
}

static enum masing_status refuse_singular(const struct reducing *r, struct masing_error *error)
{
    const struct masing_spec *spec = &r->spec;
    int weak = r->basis.weak;
    if (r->basis.has_all) {
        return masing_error_set(error, MASING_INVALID,
                                "--basis free: the %d modes hold all that DOF %s can do, which "
                                "leaves no coordinate for it: expected fewer modes, or --basis "
                                "fixed",
                                r->basis.n_modes, model_dof_text(spec, weak).text);
    }
    return model_refuse(spec, spec->structure.stiffness_place, error,
                        "the stiffness is not positive semidefinite%s%s, or a DOF has neither "
                        "mass nor stiffness: expected one or the other at each DOF",
                        weak >= 0 ? " at DOF " : "",
                        weak >= 0 ? model_dof_text(spec, weak).text : "");
}

/* Free modes leave a motion to each DOF that is kept. */
static struct mode_choice choose_modes(const struct reducing *r)
{
    const struct masing_reduce_options *options = r->options;
    int left = r->needs.n_dofs - r->needs.n_kept - r->needs.n;
    if (options->n_modes > 0 || options->up_to_hz > 0.0) {
        return (struct mode_choice){TWO_PI * options->up_to_hz, options->n_modes, INT_MAX};
    }
    return (struct mode_choice){.up_to = ENOUGH * r->top,
                                .least = LEAST_MODES,
                                .most = options->basis == MASING_BASIS_FIXED ? INT_MAX
                                        : left > 0                           ? left
                                                                             : 0};
}

static enum masing_status make_basis(struct reducing *r, struct masing_error *error)
{
    const struct masing_reduce_options *options = r->options;
    const struct masing_structure_spec *structure = &r->spec.structure;
    struct reduction_basis_request request = {.stiffness = &structure->sparse_stiffness,
                                              .mass = &structure->sparse_mass,
                                              .is_kept = r->needs.is_kept,
                                              .n_patterns = r->needs.n,
                                              .patterns = r->patterns,
                                              .is_free = options->basis == MASING_BASIS_FREE};
    request.choice = choose_modes(r);
    if (r->needs.n_kept == 0) {
        return model_refuse(&r->spec, structure->place, error,
                            "nothing of the structure is kept: expected joints, loads or "
                            "outputs, or DOFs to keep (--keep)");
    }
    enum masing_status status = reduction_basis_create(&request, &r->basis, error);
    return status == MASING_SINGULAR ? refuse_singular(r, error) : status;
}

/* --- the reduced structure ---------------------------------------------------------------- */

static enum masing_status copy_names(int n, char *const *from, char ***to,
                                     struct masing_error *error)
{
    NEED_ALLOCATED(*to = memory_array((size_t)n, sizeof **to));
    for (int i = 0; i < n; i++) {
        NEED_ALLOCATED((*to)[i] = memory_text(from[i]));
    }
    return MASING_OK;
}

/* Whether a DOF of the structure has a name of modes. */
static bool has_prefix(const struct masing_structure_spec *structure, const char *prefix)
{
    size_t length = strlen(prefix);
    bool has = false;
    for (int i = 0; i < structure->n_dofs; i++) {
        const char *name = structure->dof_names[i];
        has = has || (strncmp(name, prefix, length) == 0 && name[length] == '.');
    }
    return has;
}

/* Those of DOFs are their own, modes are numbered. */
static enum masing_status name_coordinates(const struct masing_structure_spec *structure,
                                           struct masing_reduced_structure *reduced,
                                           struct masing_error *error)
{
    char prefix[32] = "modal";
    while (has_prefix(structure, prefix) && strlen(prefix) + 1 < sizeof prefix) {
        prefix[strlen(prefix)] = '_'; /* zeros follow */
    }
    NEED_ALLOCATED(reduced->names = memory_array((size_t)reduced->n, sizeof *reduced->names));
    for (int k = 0, n_modes = 0; k < reduced->n; k++) {
        int dof = reduced->dofs[k];
        reduced->names[k] = dof >= 0 ? memory_text(structure->dof_names[dof])
                                     : memory_format("%s.%d", prefix, ++n_modes);
        NEED_ALLOCATED(reduced->names[k]);
    }
    return MASING_OK;
}

/* Shapes by rows, and what acts over many DOFs. */
static enum masing_status fill_coordinates(struct reducing *r,
                                           struct masing_reduced_structure *reduced,
                                           struct masing_error *error)
{
    const struct reduction_basis *basis = &r->basis;
    size_t n = (size_t)basis->n, n_dofs = (size_t)basis->n_dofs, n_sums = (size_t)r->needs.n;
    reduced->n = basis->n;
    reduced->n_rigid = basis->n_rigid;
    reduced->dofs = memory_array(n, sizeof(int));
    reduced->shapes = memory_array(n * n_dofs, sizeof(double));
    reduced->n_combinations = r->needs.n;
    reduced->combinations = memory_copy(r->needs.combinations, n_sums * n_dofs, sizeof(double));
    reduced->are_directions = memory_copy(r->needs.are_directions, n_sums, sizeof(int));
    reduced->inertias = memory_array(n_sums * n, sizeof(double));
    NEED_ALLOCATED(reduced->dofs && reduced->shapes && reduced->inertias &&
                   (n_sums == 0 || (reduced->combinations && reduced->are_directions)));
    for (size_t k = 0; k < n; k++) {
        reduced->dofs[k] = k < (size_t)basis->n_kept ? basis->kept[k] : -1;
        for (size_t i = 0; i < n_dofs; i++) {
            reduced->shapes[i * n + k] = basis->shapes[i + k * n_dofs];
        }
    }
    for (size_t c = 0; c < n_sums; c++) {
        if (reduced->are_directions[c]) {
            dense_multiply_vector((int)n_dofs, (int)n, true, basis->shapes,
                                  r->patterns + c * n_dofs, reduced->inertias + c * n);
        }
    }
    return MASING_OK;
}

/* shapes^T C shapes, C [n_dofs * n_dofs] */
static enum masing_status reduce_damping(const struct reducing *r, double **damping,
                                         struct masing_error *error)
{
    const struct reduction_basis *basis = &r->basis;
    size_t n = (size_t)basis->n, n_dofs = (size_t)basis->n_dofs;
    double *product = memory_array(n_dofs * n, sizeof *product);
    *damping = memory_array(n * n, sizeof **damping);
    if (product && *damping) {
        dense_multiply((int)n_dofs, (int)n, (int)n_dofs, r->spec.structure.damping,
                       basis->shapes, product);
        dense_multiply_transposed((int)n, (int)n, (int)n_dofs, basis->shapes, product,
                                  *damping);
    }
    for (size_t at = 0; product && *damping && at < n * n; at++) {
        size_t i = at % n, j = at / n;
        if (i < j) {
            (*damping)[at] = (*damping)[j + i * n] =
                0.5 * ((*damping)[at] + (*damping)[j + i * n]);
        }
    }
    NEED_ALLOCATED(product);
    free(product);
    NEED_ALLOCATED(*damping);
    return MASING_OK;
}

static enum masing_status make_structure(struct reducing *r, struct masing_error *error)
{
    struct masing_structure_spec *to = &r->reduction->spec.structure;
    to->n_dofs = r->spec.structure.n_dofs;
    NEED(copy_names(to->n_dofs, r->spec.structure.dof_names, &to->dof_names, error));
    NEED_ALLOCATED(to->reduced = memory_array(1, sizeof *to->reduced));
    NEED(fill_coordinates(r, to->reduced, error));
    NEED(name_coordinates(to, to->reduced, error));
    to->mass = r->basis.mass;
    to->stiffness = r->basis.stiffness;
    r->basis.mass = r->basis.stiffness = NULL;
    NEED(r->spec.structure.damping ? reduce_damping(r, &to->damping, error) : MASING_OK);
    free(r->basis.shapes);
    r->basis.shapes = NULL;
    return MASING_OK;
}

/* --- the model with it -------------------------------------------------------------------- */

/* The sums of DOFs of all axes, before the model has those of the coordinates. */
static enum masing_status copy_axes(struct reducing *r, struct masing_error *error)
{
    const struct masing_spec *spec = &r->spec;
    int n = 0;
    for (int j = 0; j < spec->n_joints; j++) {
        n += masing_joint_spec_axes(&spec->joints[j]);
    }
    NEED_ALLOCATED(r->axes.axes = memory_array((size_t)n, sizeof *r->axes.axes));
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            const struct masing_combination *from = &spec->joints[j].axes[a];
            struct masing_combination *to = &r->axes.axes[r->axes.n++];
            to->n_terms = from->n_terms;
            to->terms = memory_copy(from->terms, (size_t)from->n_terms, sizeof *to->terms);
            NEED_ALLOCATED(to->terms || from->n_terms == 0);
        }
    }
    return MASING_OK;
}

/* What the reduction has, once more for a model of its own. */
static enum masing_status copy_structure(const struct masing_structure_spec *from,
                                         struct masing_structure_spec *to,
                                         struct masing_error *error)
{
    const struct masing_reduced_structure *given = from->reduced;
    size_t n = (size_t)given->n, n_dofs = (size_t)from->n_dofs;
    size_t n_sums = (size_t)given->n_combinations;
    free(to->damping);
    to->mass = memory_copy(from->mass, n * n, sizeof(double));
    to->stiffness = memory_copy(from->stiffness, n * n, sizeof(double));
    to->damping = memory_copy(from->damping, n * n, sizeof(double));
    NEED_ALLOCATED(to->reduced = memory_array(1, sizeof *to->reduced));
    *to->reduced = *given;
    to->reduced->names = NULL;
    to->reduced->dofs = memory_copy(given->dofs, n, sizeof(int));
    to->reduced->shapes = memory_copy(given->shapes, n * n_dofs, sizeof(double));
    to->reduced->combinations =
        memory_copy(given->combinations, n_sums * n_dofs, sizeof(double));
    to->reduced->are_directions = memory_copy(given->are_directions, n_sums, sizeof(int));
    to->reduced->inertias = memory_copy(given->inertias, n_sums * n, sizeof(double));
    NEED(copy_names(given->n, given->names, &to->reduced->names, error));
    bool has_sums = to->reduced->combinations && to->reduced->are_directions;
    NEED_ALLOCATED(to->mass && to->stiffness && (to->damping || !from->damping) &&
                   to->reduced->dofs && to->reduced->shapes && to->reduced->inertias &&
                   (has_sums || n_sums == 0));
    return MASING_OK;
}

static enum masing_status compare(struct reducing *r, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_structure_spec *own = &r->spec.structure;
    struct masing_sparse mass = own->sparse_mass, stiffness = own->sparse_stiffness;
    struct masing_model *model = NULL;
    own->sparse_mass = own->sparse_stiffness = (struct masing_sparse){0};
    free(own->beam_elements);
    own->beam_elements = NULL;
    own->n_beam_elements = 0;
    TRY(copy_axes(r, error));
    TRY(copy_structure(&r->reduction->spec.structure, own, error));
    TRY(masing_model_create(&r->spec, &model, error));
    limit_blas_to_one_thread();
    status = compare_frequencies(model, &stiffness, &mass, &r->axes, r->top, r->basis.last,
                                 &r->reduction->summary, error);
    release_blas();
done:
    masing_model_destroy(model);
    sparse_clear(&mass);
    sparse_clear(&stiffness);
    return status;
}

/* That fewer are there, or found, than were asked for. */
static enum masing_status warn_of_modes(const struct reducing *r,
                                        const struct warning_list *warnings,
                                        struct masing_error *error)
{
    const struct reduction_basis *basis = &r->basis;
    int most = component_most_modes(basis->n_dofs);
    bool is_at_most = most < basis->n_dofs && basis->n_modes == most;
    double highest = r->reduction->summary.highest_hz;
    if (is_at_most && r->options->n_modes > basis->n_modes) {
        return warning_add(warnings, error,
                           "%d modes were asked for, of %d DOFs %d are found at most",
                           r->options->n_modes, basis->n_dofs, most);
    }
    if (is_at_most && r->options->up_to_hz > highest) {
        return warning_add(warnings, error,
                           "modes up to %g Hz were asked for, of %d DOFs %d are found at most, "
                           "up to %.6g Hz",
                           r->options->up_to_hz, basis->n_dofs, most, highest);
    }
    return r->options->n_modes > basis->n_modes
               ? warning_add(warnings, error, "%d modes were asked for, there are %d",
                             r->options->n_modes, basis->n_modes)
               : MASING_OK;
}

/* --- all of it ---------------------------------------------------------------------------- */

static enum masing_status warn(const struct reducing *r, struct masing_error *error)
{
    struct masing_reduction_summary *summary = &r->reduction->summary;
    const struct warning_list warnings = {&summary->warnings, &summary->n_warnings, NULL};
    const struct reduction_basis *basis = &r->basis;
    if (basis->n_movable > 0) {
        NEED(
            warning_add(&warnings, error,
                        "with the kept DOFs held the structure can still move in %d rigid-body "
                        "motion%s, one of them largest at DOF %s: kept as modes without "
                        "stiffness; with --keep %s it would be held there",
                        basis->n_movable, basis->n_movable == 1 ? "" : "s",
                        model_dof_text(&r->spec, basis->movable_dof).text,
                        r->spec.structure.dof_names[basis->movable_dof]));
    }
    return warn_of_modes(r, &warnings, error);
}

static void summarise(const struct reducing *r)
{
    struct masing_reduction_summary *summary = &r->reduction->summary;
    summary->n_dofs = r->basis.n_dofs;
    summary->n_coordinates = r->basis.n;
    summary->n_kept = r->basis.n_kept;
    summary->n_modes = r->basis.n_modes;
    summary->n_residual = r->basis.n_residual;
    summary->highest_hz = r->basis.last / TWO_PI;
}

static enum masing_status reduce(struct reducing *r, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    limit_blas_to_one_thread();
    TRY(blas_need_buffer(error));
    TRY(take_structure(r, error));
    r->top = sparse_structure_highest(&r->spec);
    TRY(needs_create(&r->spec, r->options, &r->needs, error));
    TRY(make_patterns(r, error));
    TRY(make_basis(r, error));
    summarise(r);
    TRY(warn(r, error));
    TRY(make_structure(r, error));
done:
    release_blas();
    return status ? status : compare(r, error);
}

static void clear(struct reducing *r)
{
    for (int a = 0; a < r->axes.n; a++) {
        free(r->axes.axes[a].terms);
    }
    free(r->axes.axes);
    free(r->patterns);
    needs_clear(&r->needs);
    reduction_basis_clear(&r->basis);
    masing_spec_clear(&r->spec);
}

enum masing_status masing_reduce(const struct masing_document *document,
                                 const struct masing_override *overrides, int n_overrides,
                                 const struct masing_reduce_options *given,
                                 struct masing_reduction **reduction,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_reduce_options options;
    struct reducing r = {.options = &options};
    error = entry_begin(error, &own);
    TRY(entry_need(reduction, "reduction", error));
    *reduction = NULL;
    TRY(entry_read(given, "options", &options, sizeof options, error));
    TRY(entry_need_array(options.n_keep, options.keep, "options: keep", error));
    TRY(masing_document_spec(document, overrides, n_overrides, &r.spec, error));
    TRY_ALLOCATED(r.reduction = memory_array(1, sizeof *r.reduction));
    r.reduction->basis = options.basis;
    TRY_ALLOCATED(r.reduction->spec.file = memory_text(r.spec.file));
    TRY(reduce(&r, error));
    *reduction = r.reduction;
    r.reduction = NULL;
done:
    masing_reduction_destroy(r.reduction);
    clear(&r);
    return status == MASING_OK
               ? status
               : masing_error_set(error, status, "the structure cannot be reduced: %s",
                                  masing_status_name(status));
}

void masing_reduction_destroy(struct masing_reduction *reduction)
{
    if (reduction) {
        struct masing_reduction_summary *summary = &reduction->summary;
        for (int state = 0; state < 2; state++) {
            free(summary->full_hz[state]);
            free(summary->reduced_hz[state]);
        }
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
        masing_spec_clear(&reduction->spec);
        free(reduction);
    }
}

const struct masing_reduction_summary *
masing_reduction_summary(const struct masing_reduction *reduction)
{
    return reduction ? &reduction->summary : NULL;
}

enum masing_status masing_reduction_write(const struct masing_reduction *reduction,
                                          const char *file, const char *command,
                                          struct masing_error *error)
{
    static const char *const bases[] = {"fixed", "free"};
    enum masing_status status = MASING_OK;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(reduction, "reduction", error));
    TRY(entry_need(file, "file", error));
    const struct reduced_file_text text = {.command = command ? command : "",
                                           .source = reduction->spec.file,
                                           .basis = bases[reduction->basis]};
    const char *ending = strrchr(file, '.');
    if (ending && strcmp(ending, ".h5") == 0) {
        status = reduced_file_write(file, &reduction->spec.structure, &text, error);
    } else if (ending && strcmp(ending, ".mtx") == 0) {
        status = reduced_file_write_matrices(file, &reduction->spec.structure, error);
    } else {
        status = masing_error_set(error, MASING_UNSUPPORTED,
                                  "%s: the ending does not name a format; expected .h5 or .mtx",
                                  file);
    }
done:
    return status;
}
