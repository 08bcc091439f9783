/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/reduce/reduction.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/sparse.h"
#include "model/joints.h"
#include "model/message.h"

/* Elastic modes that are compared at most; part of the basis' highest frequency below which. */
enum { MOST_COMPARED = 15 };
static const double COMPARED = 2.0 / 3.0;
/* A larger difference is warned about. */
static const double LARGE_DIFFERENCE = 1e-3;

/* stiffness and the tangents [n_axes * n_axes] of the joints, block by block */
static enum masing_status add_joints(const struct masing_sparse *stiffness,
                                     const struct full_axes *axes, const double *tangents,
                                     struct masing_sparse *sum, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t count = (size_t)stiffness->start[stiffness->n], capacity = 0, n = 0;
    struct sparse_entry *entries = NULL;
    TRY_ALLOCATED(memory_grow((void **)&entries, count + 1, &capacity, sizeof *entries));
    for (int64_t j = 0; j < stiffness->n; j++) {
        for (int64_t e = stiffness->start[j]; e < stiffness->start[j + 1]; e++) {
            entries[n++] =
                (struct sparse_entry){(int)stiffness->rows[e], (int)j, stiffness->values[e]};
        }
    }
    for (int at = 0; at < axes->n * axes->n; at++) {
        const struct masing_combination *row = &axes->axes[at % axes->n];
        const struct masing_combination *column = &axes->axes[at / axes->n];
        int n_terms = tangents[at] != 0.0 ? row->n_terms * column->n_terms : 0;
        TRY_ALLOCATED(memory_grow((void **)&entries, n + (size_t)n_terms + 1, &capacity,
                                  sizeof *entries));
        for (int t = 0; t < n_terms; t++) {
            struct masing_term a = row->terms[t % row->n_terms];
            struct masing_term b = column->terms[t / row->n_terms];
            if (a.dof >= b.dof) { /* the other triangle holds the same */
                entries[n++] =
                    (struct sparse_entry){a.dof, b.dof, tangents[at] * a.weight * b.weight};
            }
        }
    }
    TRY(sparse_create(stiffness->n, n, entries, sum, error));
done:
    free(entries);
    return status;
}

/* The first n frequencies of the full structure with these tangents; *hz NULL: they were not
 * found. */
static enum masing_status find_full(const struct masing_sparse *stiffness,
                                    const struct masing_sparse *mass, int n, double **hz,
                                    struct masing_error *error)
{
    struct component whole = {0};
    struct masing_error inner = {0};
    int weak;
    const struct mode_choice choice = {.least = n, .most = INT_MAX};
    enum masing_status status = component_create(stiffness, mass, NULL, &whole, &inner);
    status = status ? status : component_find_modes(&whole, &choice, &weak, &inner);
    if (status == MASING_OK && whole.modes.n >= n) {
        *hz = memory_array((size_t)n, sizeof **hz);
        for (int k = 0; *hz && k < n; k++) {
            (*hz)[k] = sqrt(fmax(whole.modes.omega_squared[k], 0.0)) / TWO_PI;
        }
        status = *hz ? MASING_OK : MASING_NO_MEMORY;
    }
    component_clear(&whole);
    return status == MASING_NO_MEMORY ? masing_error_set(error, status, "out of memory")
                                      : MASING_OK;
}

/* Motions of a rigid body with the joints free. */
static int count_rigid(const struct structure *structure)
{
    int n = 0;
    while (n < structure->n_modes && structure->omega_free[n] == 0.0) {
        n++;
    }
    return n;
}

/* Modes to compare: those well below the ones that the basis leaves out. */
static int choose_number(const struct structure *structure, int n_rigid, double top, double cut)
{
    double limit = cut > 0.0 ? COMPARED * cut : top;
    int n = 0, most = n_rigid + MOST_COMPARED;
    while (n < structure->n_modes && structure->omega_free[n] <= limit) {
        n++;
    }
    n = n > n_rigid ? n : n_rigid + 1;
    n = n < most ? n : most;
    return n < structure->n_modes ? n : structure->n_modes;
}

static void find_worst(double top, struct masing_reduction_summary *summary)
{
    summary->limit_hz = top / TWO_PI;
    for (int state = 0; state < 2; state++) {
        const double *full = summary->full_hz[state], *own = summary->reduced_hz[state];
        for (int k = 0; full && k < summary->n_compared; k++) {
            bool is_in = top == 0.0 || full[k] <= summary->limit_hz || summary->worst_mode == 0;
            double difference = full[k] > 0.0 ? fabs(own[k] - full[k]) / full[k] : 0.0;
            if (full[k] > 0.0 && own[k] > 0.0 && is_in &&
                (summary->worst_mode == 0 || difference > summary->difference)) {
                summary->difference = difference;
                summary->worst_mode = k + 1;
                summary->worst_is_stuck = state == 1;
            }
        }
    }
}

static enum masing_status warn(struct masing_reduction_summary *summary,
                               struct masing_error *error)
{
    static const char *const states[] = {"free", "stuck"};
    const struct warning_list warnings = {&summary->warnings, &summary->n_warnings, NULL};
    for (int state = 0; state < 2; state++) {
        if (!summary->full_hz[state]) {
            NEED(warning_add(&warnings, error,
                             "the full structure's frequencies with the joints %s were not "
                             "found and are not compared",
                             states[state]));
        }
    }
    return summary->difference <= LARGE_DIFFERENCE
               ? MASING_OK
               : warning_add(&warnings, error,
                             "mode %i with the joints %s is %.2g %% off the full structure's: "
                             "give more modes (--modes, --up-to)",
                             summary->worst_mode, states[summary->worst_is_stuck],
                             100.0 * summary->difference);
}

enum masing_status compare_frequencies(const struct masing_model *model,
                                       const struct masing_sparse *stiffness,
                                       const struct masing_sparse *mass,
                                       const struct full_axes *axes, double top, double cut,
                                       struct masing_reduction_summary *summary,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    struct masing_sparse sum = {0};
    double *tangents = memory_array((size_t)axes->n * (size_t)axes->n, sizeof *tangents);
    TRY_ALLOCATED(tangents);
    summary->n_rigid = count_rigid(structure);
    summary->n_compared = choose_number(structure, summary->n_rigid, top, cut);
    for (int state = 0; state < 2; state++) {
        const double *omega = state ? structure->omega_stuck : structure->omega_free;
        double **own = &summary->reduced_hz[state];
        joint_stiffness_matrix(&model->spec, model->static_displacement, state == 1, axes->n,
                               tangents);
        TRY(add_joints(stiffness, axes, tangents, &sum, error));
        TRY(find_full(&sum, mass, summary->n_compared, &summary->full_hz[state], error));
        sparse_clear(&sum);
        TRY_ALLOCATED(*own = memory_array((size_t)summary->n_compared, sizeof **own));
        for (int k = 0; k < summary->n_compared; k++) {
            (*own)[k] = omega[k] / TWO_PI;
        }
    }
    find_worst(top, summary);
    TRY(warn(summary, error));
done:
    sparse_clear(&sum);
    free(tangents);
    return status;
}
