/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/entry.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "masing/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/row_table.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "model/joints.h"
#include "model/model.h"

void masing_check_clear(struct masing_check_result *result)
{
    if (result) {
        free(result->free_hz);
        free(result->stuck_hz);
        free(result->free_motion);
        free(result->stuck_motion);
        free(result->stuck_energy);
        free(result->static_displacement);
        free(result->static_force);
        entry_zero(result, sizeof *result);
    }
}

/* Scratch for one state of the joints. */
struct modes_at_joints {
    struct arena arena;    /* of all arrays */
    double *omega_squared; /* [n_modes] */
    double *modal_shapes;  /* [n_modes * n_modes] */
    double *shapes;        /* [n_dofs * n_modes] */
    double *axes;          /* [n_dofs * n_axes] */
    double *motion;        /* [n_axes * n_modes] */
    double *stiffness;     /* [n_axes * n_axes] */
    double *compliance;    /* [n_axes * n_axes] */
    double *matrix;        /* [n_axes * n_axes] scratch */
    double *product;       /* [n_dofs * n_axes] */
    int *pivots;           /* [n_axes] */
};

static enum masing_status modes_at_joints_create(const struct masing_model *model,
                                                 struct modes_at_joints *m,
                                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_dofs = (size_t)model->structure->n_dofs, n_axes = (size_t)model->n_axes;
    size_t n_modes = (size_t)model->structure->n_modes;
    m->omega_squared = arena_doubles(&m->arena, n_modes);
    m->modal_shapes = arena_doubles(&m->arena, n_modes * n_modes);
    m->shapes = arena_doubles(&m->arena, n_dofs * n_modes);
    m->axes = arena_doubles(&m->arena, n_dofs * n_axes);
    m->motion = arena_doubles(&m->arena, n_axes * n_modes);
    m->stiffness = arena_doubles(&m->arena, n_axes * n_axes);
    m->compliance = arena_doubles(&m->arena, n_axes * n_axes);
    m->matrix = arena_doubles(&m->arena, n_axes * n_axes);
    m->product = arena_doubles(&m->arena, n_dofs * n_axes);
    m->pivots = arena_array(&m->arena, n_axes, sizeof(int));
    TRY_ALLOCATED(!m->arena.has_failed);
    for (size_t a = 0; a < n_axes; a++) {
        const struct masing_combination *axis = &model->axes[a];
        for (int t = 0; t < axis->n_terms; t++) {
            m->axes[(size_t)axis->terms[t].dof + a * n_dofs] += axis->terms[t].weight;
        }
    }
done:
    return status;
}

/* Massless DOFs give way under the joints' own forces: w = B^T q - R k w, R their flexibility
 * between the axes. */
static enum masing_status relax_massless(const struct masing_model *model,
                                         struct modes_at_joints *m)
{
    const struct structure *structure = model->structure;
    int n_axes = model->n_axes, n_dofs = structure->n_dofs;
    if (!structure->flexibility) {
        return MASING_OK;
    }
    dense_multiply(n_dofs, n_axes, n_dofs, structure->flexibility, m->axes, m->product);
    dense_multiply_transposed(n_axes, n_axes, n_dofs, m->axes, m->product, m->compliance);
    dense_multiply(n_axes, n_axes, n_axes, m->compliance, m->stiffness, m->matrix);
    for (int j = 0; j < n_axes; j++) {
        m->matrix[j + j * n_axes] += 1;
    }
    enum masing_status status = lu_factor(n_axes, m->matrix, m->pivots);
    if (status == MASING_OK) {
        lu_solve(n_axes, m->matrix, m->pivots, m->motion, structure->n_modes);
    }
    return status;
}

/* Motion of the joints in each mode, relative to the largest DOF of the mode; energy: k w^2 /
 * omega^2 of the mass-normalised mode, or NULL. */
static enum masing_status joint_motion(const struct masing_model *model, enum joint_state state,
                                       double *motion, double *energy,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    int n_modes = structure->n_modes, n_axes = model->n_axes, n_dofs = structure->n_dofs;
    double shift = fmax(model->spec.omega_from, model->spec.omega_to);
    struct modes_at_joints m = {0};
    TRY(modes_at_joints_create(model, &m, error));
    TRY(joint_modes(&model->spec, structure, model->static_displacement, state, shift * shift,
                    m.omega_squared, m.modal_shapes, error));
    dense_multiply(n_dofs, n_modes, n_modes, structure->shapes, m.modal_shapes, m.shapes);
    dense_multiply_transposed(n_axes, n_modes, n_dofs, m.axes, m.shapes, m.motion);
    joint_stiffness_matrix(&model->spec, model->static_displacement, state == JOINT_STUCK,
                           n_axes, m.stiffness);
    TRY(relax_massless(model, &m));
    for (int k = 0; k < n_modes; k++) {
        double largest = 0;
        for (int i = 0; i < n_dofs; i++) {
            largest = fmax(largest, fabs(m.shapes[i + k * n_dofs]));
        }
        for (int a = 0; a < n_axes; a++) {
            double w = m.motion[a + k * n_axes];
            motion[a + k * n_axes] = w / largest;
            if (energy) {
                double force = dense_dot(n_axes, m.stiffness + (size_t)a * (size_t)n_axes,
                                         m.motion + k * n_axes);
                double share = w * force / m.omega_squared[k];
                energy[a + k * n_axes] = m.omega_squared[k] > 0 ? share : 0;
            }
        }
    }
done:
    arena_clear(&m.arena);
    return status;
}

static enum masing_status allocate(const struct masing_model *model,
                                   struct masing_check_result *result,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    size_t n_modes = (size_t)structure->n_modes, n_axes = (size_t)model->n_axes;
    size_t n_both = n_modes * n_axes;
    *result = (struct masing_check_result){.n_dofs = structure->n_dofs,
                                           .n_modes = structure->n_modes,
                                           .n_rigid = structure->n_rigid,
                                           .n_axes = model->n_axes};
    TRY_ALLOCATED(result->free_hz = memory_array(n_modes, sizeof(double)));
    TRY_ALLOCATED(result->stuck_hz = memory_array(n_modes, sizeof(double)));
    TRY_ALLOCATED(result->free_motion = memory_array(n_both, sizeof(double)));
    TRY_ALLOCATED(result->stuck_motion = memory_array(n_both, sizeof(double)));
    TRY_ALLOCATED(result->stuck_energy = memory_array(n_both, sizeof(double)));
    TRY_ALLOCATED(result->static_displacement = memory_array(n_axes, sizeof(double)));
    TRY_ALLOCATED(result->static_force = memory_array(n_axes, sizeof(double)));
done:
    return status;
}

struct mode_row {
    int mode;
    double free_hz, stuck_hz;
};

static void walk_mode(struct row_table *table, const void *context)
{
    const struct mode_row *row = context;
    ROW_INTEGER(table, row->mode, "mode");
    ROW_REAL(table, row->free_hz, "free_hz");
    ROW_REAL(table, row->stuck_hz, "stuck_hz");
}

static enum masing_status send_rows(const struct masing_check_result *result,
                                    const struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct row_sink rows = {0};
    TRY(row_sink_begin(&rows, sink, walk_mode, &(struct mode_row){0}, error));
    for (int k = 0; k < result->n_modes; k++) {
        const struct mode_row row = {k + 1, result->free_hz[k], result->stuck_hz[k]};
        TRY(row_sink_write(&rows, &row, error));
    }
done:
    return row_sink_end(&rows, status, error);
}

static enum masing_status check(const struct masing_model *model,
                                const struct masing_sink *rows,
                                struct masing_check_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct structure *structure = model->structure;
    TRY(allocate(model, result, error));
    for (int k = 0; k < structure->n_modes; k++) {
        result->free_hz[k] = structure->omega_free[k] / TWO_PI;
        result->stuck_hz[k] = structure->omega_stuck[k] / TWO_PI;
    }
    if (model->n_axes > 0) {
        TRY(joint_motion(model, JOINT_FREE, result->free_motion, NULL, error));
        TRY(joint_motion(model, JOINT_STUCK, result->stuck_motion, result->stuck_energy,
                         error));
    }
    size_t n_axes = (size_t)model->n_axes;
    memcpy(result->static_displacement, model->static_displacement, n_axes * sizeof(double));
    memcpy(result->static_force, model->static_reaction, n_axes * sizeof(double));
    if (rows) {
        TRY(send_rows(result, rows, error));
    }
done:
    return status;
}

enum masing_status masing_check(const struct masing_model *model,
                                const struct masing_sink *rows,
                                struct masing_check_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_check_result found = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(entry_check(result, "result", error));
    status = check(model, rows, &found, error);
done:
    release_blas();
    if (!entry_write(result, &found, sizeof found)) {
        masing_check_clear(&found);
    }
    return status;
}
