/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/identification.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/warning_list.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/sink.h"

enum masing_status identification_begin(const struct masing_measurements *data,
                                        const struct masing_law *law,
                                        struct measured_path **paths,
                                        struct masing_identification *result,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)data->n_loops;
    result->law = law;
    result->parameters = memory_array(1, law->parameters_size);
    result->is_steady = memory_array(n, sizeof *result->is_steady);
    result->fitted = memory_array(n, sizeof *result->fitted);
    *paths = memory_array(n, sizeof **paths);
    TRY_ALLOCATED(result->parameters && result->is_steady && result->fitted && *paths);
    result->n_loops = data->n_loops;
    for (int i = 0; i < data->n_loops; i++) {
        result->fitted[i] =
            memory_array((size_t)data->loops[i].n_samples, sizeof *result->fitted[i]);
        TRY_ALLOCATED(result->fitted[i]);
        TRY(measured_path_create(data, i, &(*paths)[i], error));
        result->is_steady[i] = (*paths)[i].is_steady;
    }
done:
    return status;
}

enum masing_status identification_smooth(struct measured_path *paths,
                                         struct masing_identification *result,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    for (int i = 0; i < result->n_loops; i++) {
        TRY(measured_path_smooth(&paths[i], error));
        if (paths[i].velocity_noise > 0.02) {
            TRY(warning_add(&warnings, error,
                            "%s: velocities come from differences of displacements and are "
                            "noisy, %.0f %% of their mean: smooth the displacements before, or "
                            "take whole steady cycles",
                            paths[i].source->name, 100 * paths[i].velocity_noise));
        }
    }
done:
    return status;
}

void measured_paths_free(struct measured_path *paths, int n_loops)
{
    for (int i = 0; paths && i < n_loops; i++) {
        measured_path_clear(&paths[i]);
    }
    free(paths);
}

void masing_identification_clear(struct masing_identification *result)
{
    if (!result) {
        return;
    }
    for (int i = 0; result->fitted && i < result->n_loops; i++) {
        free(result->fitted[i]);
    }
    for (int i = 0; result->fitted_phase_deg && i < result->n_loops; i++) {
        free(result->fitted_phase_deg[i]);
    }
    free(result->fitted);
    free(result->fitted_phase_deg);
    free(result->is_steady);
    free(result->numbers);
    free(result->parameters);
    warnings_clear(&(const struct warning_list){&result->warnings, &result->n_warnings});
    entry_zero(result, sizeof *result);
}

enum masing_status identification_check(const struct masing_measurements *data,
                                        const struct masing_identification *result,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(entry_need_array(data->n_loops, data->loops, "data.loops", error));
    for (int i = 0; i < data->n_loops; i++) {
        const struct masing_measurement *loop = &data->loops[i];
        TRY(entry_need_array(loop->n_samples, loop->displacement, "data.loops.displacement",
                             error));
        TRY(entry_need_array(loop->n_samples, loop->force, "data.loops.force", error));
    }
    TRY(entry_need(result, "result", error));
    TRY(entry_check(result, "result", error));
done:
    return status;
}

static const struct masing_column columns[] = {
    {"loop", MASING_COLUMN_TEXT},     {"sample", MASING_COLUMN_INTEGER},
    {"time", MASING_COLUMN_REAL},     {"displacement", MASING_COLUMN_REAL},
    {"force", MASING_COLUMN_REAL},    {"force_fitted", MASING_COLUMN_REAL},
    {"residual", MASING_COLUMN_REAL},
};

static enum masing_status write_loop(const struct masing_measurement *loop,
                                     const double *fitted, const struct masing_sink *rows,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int j = 0; status == MASING_OK && j < loop->n_samples; j++) {
        const struct masing_cell cells[] = {
            {.text = loop->name},
            {.number = j},
            {.number = loop->time ? loop->time[j] : NAN},
            {.number = loop->displacement[j]},
            {.number = loop->force[j]},
            {.number = fitted[j]},
            {.number = loop->force[j] - fitted[j]},
        };
        status = sink_row(rows, cells, error);
    }
    return status;
}

enum masing_status masing_identification_rows(const struct masing_measurements *data,
                                              const struct masing_identification *result,
                                              const struct masing_sink *rows,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool is_open = false;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(data, "data", error));
    TRY(identification_check(data, result, error));
    if (result->n_loops < data->n_loops || (data->n_loops > 0 && !result->fitted)) {
        TRY(masing_error_set(error, MASING_INVALID, "result: fits %d loops, expected %d",
                             result->n_loops, data->n_loops));
    }
    TRY(sink_open(rows, columns, (int)(sizeof columns / sizeof *columns), error));
    is_open = true;
    for (int i = 0; i < data->n_loops; i++) {
        TRY(write_loop(&data->loops[i], result->fitted[i], rows, error));
    }
    is_open = false;
    TRY(sink_finish(rows, error));
done:
    if (is_open) {
        sink_abandon(rows);
    }
    return status;
}
