/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/identification.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/row_table.h"
#include "model/message.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"

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

/* Noise of the velocities, over their mean, that is worth a warning. */
static const double noisy_velocity = 0.02;

enum masing_status identification_smooth(struct measured_path *paths,
                                         struct masing_identification *result,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct warning_list warnings = {&result->warnings, &result->n_warnings};
    for (int i = 0; i < result->n_loops; i++) {
        TRY(measured_path_smooth(&paths[i], error));
        if (paths[i].velocity_noise > noisy_velocity) {
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
    free(result->estimates);
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

struct sample {
    const struct masing_measurement *loop;
    int index;
    double fitted;
};

static void walk_sample(struct row_table *table, const void *context)
{
    const struct sample *sample = context;
    const struct masing_measurement *loop = sample->loop;
    int j = sample->index;
    ROW_TEXT(table, loop->name, "loop");
    ROW_INTEGER(table, j, "sample");
    ROW_REAL(table, loop->time ? loop->time[j] : NAN, "time");
    ROW_REAL(table, loop->displacement[j], "displacement");
    ROW_REAL(table, loop->force[j], "force");
    ROW_REAL(table, sample->fitted, "force_fitted");
    ROW_REAL(table, loop->force[j] - sample->fitted, "residual");
}

enum masing_status masing_identification_rows(const struct masing_measurements *data,
                                              const struct masing_identification *result,
                                              const struct masing_sink *rows,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct row_sink table = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(data, "data", error));
    TRY(identification_check(data, result, error));
    if (result->n_loops < data->n_loops || (data->n_loops > 0 && !result->fitted)) {
        TRY(masing_error_set(error, MASING_INVALID, "result: fits %d loops, expected %d",
                             result->n_loops, data->n_loops));
    }
    TRY(row_sink_begin(&table, rows, walk_sample, &(struct sample){0}, error));
    for (int i = 0; i < data->n_loops; i++) {
        for (int j = 0; j < data->loops[i].n_samples; j++) {
            const struct sample sample = {&data->loops[i], j, result->fitted[i][j]};
            TRY(row_sink_write(&table, &sample, error));
        }
    }
done:
    return row_sink_end(&table, status, error);
}
