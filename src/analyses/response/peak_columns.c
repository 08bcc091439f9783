/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/peak_columns.h"

#include <math.h>

void peak_columns_walk(struct row_table *table, const struct peak_columns *peak)
{
    const struct masing_spec *spec = &peak->model->spec;
    const struct masing_response_summary *summary = peak->summary;
    ROW_REAL(table, peak->is_known ? summary->peak.frequency_hz : NAN, "frequency_hz");
    for (int o = 0; o < spec->n_outputs; o++) {
        const char *name = spec->outputs[o].name;
        ROW_REAL(table, peak->is_known ? peak->measures[o].max : NAN, "%s_max", name);
        ROW_REAL(table, peak->is_known ? peak->measures[o].amp : NAN, "%s_amp", name);
        ROW_REAL(table, peak->is_known ? peak->measures[o].h1 : NAN, "%s_h1", name);
    }
    ROW_INTEGER(table, peak->is_known ? (double)summary->peak.is_at_limit : NAN, "at_limit");
    ROW_REAL(table, summary->slip_share, "slip_share");
    if (response_rows_can_open(peak->model, 0, spec->n_joints)) {
        ROW_REAL(table, summary->open_share, "open_share");
    }
    ROW_REAL(table, summary->equivalent_damping_ratio, "equivalent_damping_ratio");
    ROW_REAL(table, summary->half_power_to_hz - summary->half_power_from_hz,
             "half_power_bandwidth_hz");
    const char *peak_output = spec->outputs[spec->peak_output].name;
    for (int i = 0; i < MASING_MAX_OTHER_PEAKS; i++) {
        const struct masing_other_peak *other =
            i < summary->n_other_peaks ? &summary->other_peaks[i] : NULL;
        ROW_REAL(table, other ? other->frequency_hz : NAN, "peak%d_frequency_hz", i + 2);
        ROW_REAL(table, other ? other->size : NAN, "peak%d_%s_%s", i + 2, peak_output,
                 response_rows_measure(spec));
    }
    if (spec->n_blades > 0) {
        const struct masing_blades *blades = &summary->blades;
        ROW_REAL(table, blades->largest, "blade_largest");
        ROW_REAL(table, blades->largest_hz, "blade_largest_hz");
        ROW_INTEGER(table, blades->largest_sector, "blade_largest_sector");
        ROW_REAL(table, blades->smallest, "blade_smallest");
        ROW_INTEGER(table, blades->smallest_sector, "blade_smallest_sector");
        ROW_REAL(table, blades->amplification, "amplification");
    }
    ROW_INTEGER(table, (double)summary->is_complete, "complete");
    ROW_INTEGER(table, summary->points, "points");
}
