/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Around the tuning of a modal Iwan model: linear modes, values, rows. */
#include "analyses/identify/iwan_mode.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/pi.h"
#include "base/sink.h"
#include "linalg/one_thread.h"
#include "masing/modal_iwan.h"
#include "model/stuck_modes.h"

enum masing_status masing_modal_ends_of(const struct masing_model *model, int mode,
                                        struct masing_modal_ends *ends,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct stuck_modes *modes = NULL;
    struct masing_error own;
    error = entry_begin(error, &own);
    hold_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(entry_need(ends, "ends", error));
    TRY(stuck_modes_create(model, &modes, error));
    TRY(stuck_modes_check(modes, model, mode, (struct masing_place){0}, "mode", error));
    int index = modes->n_rigid + mode - 1;
    *ends = (struct masing_modal_ends){
        .stuck_hz = modes->omega[index] / TWO_PI,
        .free_hz = modes->free[index] / TWO_PI,
        .damping_ratio = stuck_modes_damping(modes, model, index),
    };
done:
    release_blas();
    stuck_modes_destroy(modes);
    return status;
}

static enum masing_status open_mode(const struct masing_modal_iwan *modal,
                                    struct iwan_mode **mode, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(iwan_mode_create(mode, error));
    (*mode)->spring = modal->spring;
    (*mode)->dashpot = 2.0 * modal->damping_ratio * TWO_PI * modal->stuck_hz;
    (*mode)->is_printed = modal->is_printed;
    *(*mode)->stiffness = modal->stiffness;
    *(*mode)->number[IWAN_SLIP_FORCE] = modal->slip_force;
    *(*mode)->number[IWAN_CHI] = modal->chi;
    *(*mode)->number[IWAN_BETA] = modal->beta;
    TRY(iwan_mode_derive(*mode, error));
done:
    return status;
}

enum masing_status masing_modal_iwan_at(const struct masing_modal_iwan *modal, double amplitude,
                                        struct masing_modal_point *point,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct iwan_mode *mode = NULL;
    double omega;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(modal, "modal", error));
    TRY(entry_need(point, "point", error));
    TRY(open_mode(modal, &mode, error));
    point->amplitude = amplitude;
    iwan_mode_at(mode, amplitude, &omega, &point->damping_ratio);
    point->frequency_hz = omega / TWO_PI;
done:
    iwan_mode_destroy(mode);
    return status;
}

enum masing_status masing_modal_iwan_rows(const struct masing_modal_iwan_request *request,
                                          const struct masing_modal_iwan *modal,
                                          const struct masing_sink *rows,
                                          struct masing_error *error)
{
    static const struct masing_column columns[] = {
        {"amplitude", MASING_COLUMN_REAL},
        {"frequency_hz", MASING_COLUMN_REAL},
        {"damping_ratio", MASING_COLUMN_REAL},
        {"frequency_fitted_hz", MASING_COLUMN_REAL},
        {"damping_ratio_fitted", MASING_COLUMN_REAL},
        {"used", MASING_COLUMN_INTEGER},
    };
    enum masing_status status = MASING_OK;
    struct iwan_mode *mode = NULL;
    bool is_open = false;
    struct masing_error own;
    struct masing_modal_iwan_request asked;
    error = entry_begin(error, &own);
    TRY(entry_need(request, "request", error));
    TRY(entry_need(modal, "modal", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need_array(asked.n_points, asked.points, "request.points", error));
    TRY(open_mode(modal, &mode, error));
    TRY(sink_open(rows, columns, sizeof columns / sizeof *columns, error));
    is_open = true;
    for (int i = 0; i < asked.n_points; i++) {
        const struct masing_modal_point *point = &asked.points[i];
        double omega, zeta, a = point->amplitude;
        iwan_mode_at(mode, a, &omega, &zeta);
        const struct masing_cell cells[] = {
            {.number = a},
            {.number = point->frequency_hz},
            {.number = point->damping_ratio},
            {.number = omega / TWO_PI},
            {.number = zeta},
            {.number = !(a >= modal->left_out_from && a <= modal->left_out_to)},
        };
        TRY(sink_row(rows, cells, error));
    }
    is_open = false;
    TRY(sink_finish(rows, error));
done:
    if (is_open) {
        sink_abandon(rows);
    }
    iwan_mode_destroy(mode);
    return status;
}
