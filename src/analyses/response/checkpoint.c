/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a long curve stands. At points of fixed numbers all that solves the balance is made
 * anew, and takes over a few numbers alone: so a run that goes on from what was saved at one of
 * them computes the same bits. The clock only decides which of them are saved.
 */
#include <stdlib.h>

#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/journal.h"
#include "base/memory.h"

/* Curves of fewer unknowns, and joints that are evaluated in a shorter time (us, roughly), take
 * some seconds at most. */
static const double LONG_EVALUATION = 1000.0;

static bool may_be_renewed(const struct response_curve *curve)
{
    const struct masing_response_options *options = curve->settings.options;
    const struct balance *balance = curve->balance;
    bool is_long = balance->n_unknowns >= CURVE_MANY_UNKNOWNS ||
                   balance->evaluation_cost[1] >= LONG_EVALUATION;
    bool has_more = curve->settings.is_for_peaks || curve->settings.point || options->fields;
    return is_long && !has_more;
}

const struct masing_progress *response_checkpoint_progress(struct response_curve *curve)
{
    const struct masing_progress *given = curve->settings.options->progress;
    return curve->settings.saver ? kept_log_begin(&curve->log, given) : given;
}

/* ---- what is carried on ---- */

static void pack_doubles(struct packing *packing, double *values, int n)
{
    packing_bytes(packing, values, (size_t)n * sizeof *values);
}

/* By what solves the balance. */
static void pack_core(struct response_curve *curve, struct packing *packing)
{
    balance_pack(curve->balance, packing);
    pack_doubles(packing, curve->weight, curve->balance->n_unknowns);
    curve_driver_pack(curve->driver, packing);
    if (curve->levels) {
        harmonic_levels_pack(curve->levels, packing);
    }
}

/* By what is noted of the points so far. */
static void pack_notes(struct response_curve *curve, struct packing *packing)
{
    struct curve_solution *best = &curve->best;
    struct response_trace *trace = &curve->trace;
    int n_points = packing_count(packing, (int)trace->n, sizeof *trace->points);
    if (packing->is_taking) {
        free(trace->points);
        trace->points = NULL;
        trace->n = trace->capacity = (size_t)n_points;
    }
    packing_array(packing, (void **)&trace->points, n_points, sizeof *trace->points);
    pack_doubles(packing, best->y, curve->balance->n_unknowns);
    PACK(packing, best->omega);
    PACK(packing, best->measure);
    PACK(packing, best->is_marked);
    PACK(packing, best->is_unstable);
    pack_doubles(packing, curve->group_limit, curve->model->spec.n_groups);
    packing_bytes(packing, curve->contact_states, (size_t)curve->model->spec.n_joints);
    packing_bytes(packing, curve->energy_limits->entries,
                  (size_t)curve->energy_limits->n * sizeof *curve->energy_limits->entries);
    packing_bytes(packing, curve->blades,
                  (size_t)curve->model->spec.n_blades * sizeof *curve->blades);
    PACK(packing, curve->fold);
    PACK(packing, curve->previous_omega);
    PACK(packing, curve->drift);
    PACK(packing, curve->drift_hz);
    saved_points_pack(&curve->saved, packing);
    response_summary_pack(packing, curve->summary);
    kept_log_pack(&curve->log, packing);
}

/* ---- saving ---- */

static void save(struct response_curve *curve, struct packing *core)
{
    const struct response_saver *saver = curve->settings.saver;
    struct packing all = {0};
    packing_part(&all, core);
    pack_notes(curve, &all);
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        packing_part(&all, &saver->rows[t].packing);
    }
    journal_put_checkpoint(saver->journal, saver->task, &all);
    packing_clear(&all);
}

static enum masing_status take_core(struct response_curve *curve, struct packing *core,
                                    struct masing_error *error)
{
    core->is_taking = true;
    pack_core(curve, core);
    return packing_end(core, error);
}

enum masing_status response_checkpoint_pause(struct response_curve *curve,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct response_saver *saver = curve->settings.saver;
    struct packing core = {0};
    if (!may_be_renewed(curve)) {
        return MASING_OK;
    }
    pack_core(curve, &core);
    TRY(packing_end(&core, error));
    if (saver && journal_is_checkpoint_due(saver->journal, &curve->saved_at)) {
        save(curve, &core);
    }
    TRY(response_curve_renew(curve, error));
    status = take_core(curve, &core, error);
done:
    packing_clear(&core);
    return status;
}

static enum masing_status take_all(struct response_curve *curve, struct packing *all,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct response_saver *saver = curve->settings.saver;
    struct packing part = {0};
    packing_part(all, &part);
    TRY(packing_end(all, error));
    TRY(take_core(curve, &part, error));
    pack_notes(curve, all);
    TRY(packing_end(all, error));
    for (int t = 0; t < RESPONSE_N_TABLES; t++) {
        packing_clear(&part);
        packing_part(all, &part);
        TRY(packing_end(all, error));
        TRY(part.n > 0 ? task_rows_refill(&saver->rows[t], &part, error) : MASING_OK);
    }
done:
    packing_clear(&part);
    return status;
}

enum masing_status response_checkpoint_restore(struct response_curve *curve, bool *is_found,
                                               struct masing_error *error)
{
    const struct response_saver *saver = curve->settings.saver;
    struct packing all = {0};
    *is_found = false;
    if (!saver) {
        return MASING_OK;
    }
    journal_is_checkpoint_due(saver->journal, &curve->saved_at); /* from now on */
    enum masing_status status =
        journal_find_checkpoint(saver->journal, saver->task, &all, is_found, error);
    status = status == MASING_OK && *is_found ? take_all(curve, &all, error) : status;
    packing_clear(&all);
    return status;
}
