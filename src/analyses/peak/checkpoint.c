/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a long history of peaks stands: behind points of fixed numbers all that solves for
 * maxima is made anew, as response/checkpoint.c has it for curves; the maxima, the points so
 * far and what is counted are saved there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/peak/history.h"
#include "base/check.h"
#include "base/journal.h"
#include "base/memory.h"

/* ---- what a history has come to ---- */

/* Lent by a field of a law: taken, by the first that has the same. */
static void pack_unit(struct packing *packing, const char **unit)
{
    char text[64] = "";
    snprintf(text, sizeof text, "%s", packing->is_taking || !*unit ? "" : *unit);
    packing_string(packing, text, sizeof text);
    if (!packing->is_taking) {
        return;
    }
    *unit = "";
    for (const struct masing_law *const *law = masing_laws(); *law && !**unit; law++) {
        for (int f = 0; f < (*law)->n_fields && !**unit; f++) {
            bool is_it = strcmp((*law)->fields[f].unit, text) == 0;
            *unit = is_it ? (*law)->fields[f].unit : *unit;
        }
    }
}

static void pack_optimum(struct packing *packing, struct masing_peak_optimum *optimum)
{
    int n = packing_count(packing, optimum->n_sensitivities, sizeof(double));
    struct masing_peak_optimum plain = *optimum;
    plain.sensitivities = NULL;
    plain.n_sensitivities = 0;
    PACK(packing, plain);
    if (packing->is_taking) {
        *optimum = plain;
        optimum->sensitivities = memory_array((size_t)n, sizeof *optimum->sensitivities);
        n = optimum->sensitivities ? n : 0;
        optimum->n_sensitivities = n;
    }
    for (int i = 0; i < n; i++) {
        struct masing_peak_sensitivity *entry = &optimum->sensitivities[i];
        packing_text(packing, &entry->joint);
        packing_text(packing, &entry->number);
        pack_unit(packing, &entry->unit);
        PACK(packing, entry->value);
        PACK(packing, entry->sensitivity);
    }
}

void peak_summary_pack(struct packing *packing, struct masing_peak_summary *summary)
{
    struct masing_peak_summary plain = *summary;
    plain.warnings = NULL;
    plain.n_warnings = 0;
    plain.optimum = (struct masing_peak_optimum){0};
    PACK(packing, plain);
    if (packing->is_taking) {
        *summary = plain;
    }
    pack_optimum(packing, &summary->optimum);
    warnings_pack(packing,
                  &(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
}

/* ---- what is carried on ---- */

static void pack_state(struct packing *packing, struct peak_state *state)
{
    struct peak_state plain = *state;
    int n = state->point ? 2 * (state->n + 1) + state->n_cells : 0;
    plain.point = plain.tangent = plain.cells = NULL;
    PACK(packing, plain);
    n = packing_count(packing, n, sizeof *state->point);
    if (!packing->is_taking) {
        packing_bytes(packing, state->point, (size_t)n * sizeof *state->point);
        return;
    }
    peak_state_clear(state);
    if (n > 0 && n == 2 * (plain.n + 1) + plain.n_cells) {
        packing_array(packing, (void **)&plain.point, n, sizeof *plain.point);
        plain.tangent = plain.point ? plain.point + plain.n + 1 : NULL;
        plain.cells = plain.point ? plain.tangent + plain.n + 1 : NULL;
        *state = plain;
    }
}

static void pack_branch(struct packing *packing, struct peak_branch *branch)
{
    for (int i = 0; i < PEAK_PAST; i++) {
        pack_state(packing, &branch->past[i]);
    }
    pack_state(packing, &branch->before);
    PACK(packing, branch->number);
    PACK(packing, branch->n_past);
    PACK(packing, branch->n_states);
    PACK(packing, branch->step);
    PACK(packing, branch->is_alive);
    PACK(packing, branch->has_before);
    PACK(packing, branch->is_new);
}

/* A new one has room for as many unknowns as the state that it begins with. */
static enum masing_status pack_branches(struct peak_history *history, struct packing *packing,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state first = {0};
    int n = packing_count(packing, history->n_branches, 1);
    for (int i = 0; i < n && i < PEAK_BRANCHES; i++) {
        struct peak_branch **branch = &history->branches[i];
        if (!packing->is_taking) {
            pack_state(packing, &(*branch)->past[0]);
        } else {
            pack_state(packing, &first);
            TRY(packing_end(packing, error));
            TRY(peak_branch_create(&first, 0.0, 0, branch, error));
            history->n_branches = i + 1;
        }
        pack_branch(packing, *branch);
    }
done:
    peak_state_clear(&first);
    return status ? status : packing_end(packing, error);
}

static enum masing_status pack_points(struct peak_history *history, struct packing *packing,
                                      struct masing_error *error)
{
    int n = packing_count(packing, history->n_points, 1);
    if (packing->is_taking) {
        NEED_ALLOCATED(memory_grow((void **)&history->points, (size_t)n + 1, &history->capacity,
                                   sizeof *history->points));
    }
    for (int i = 0; i < n; i++) {
        struct history_point *point = &history->points[i];
        if (packing->is_taking) {
            *point = (struct history_point){0};
            history->n_points = i + 1;
        }
        pack_state(packing, &point->state);
        PACK(packing, point->branch);
        PACK(packing, point->events);
        PACK(packing, point->is_wanted);
    }
    return packing_end(packing, error);
}

/* By what solves for maxima. */
static void pack_core(struct peak_history *history, struct packing *packing)
{
    balance_pack(history->problem->balance, packing);
}

static enum masing_status pack_notes(struct peak_history *history, struct packing *packing,
                                     struct masing_error *error)
{
    NEED(pack_branches(history, packing, error));
    NEED(pack_points(history, packing, error));
    PACK(packing, history->n_numbers);
    PACK(packing, history->main);
    PACK(packing, history->guarded_at);
    PACK(packing, history->has_none);
    PACK(packing, history->mark);
    PACK(packing, history->at);
    if (packing->is_taking) {
        masing_peak_summary_clear(history->summary);
    }
    peak_summary_pack(packing, history->summary);
    kept_log_pack(history->saver->log, packing);
    return packing_end(packing, error);
}

/* ---- saving ---- */

static enum masing_status save(struct peak_history *history, struct packing *core,
                               struct masing_error *error)
{
    struct packing all = {0};
    double at = history->problem->p;
    PACK(&all, at);
    packing_part(&all, core);
    enum masing_status status = pack_notes(history, &all, error);
    if (status == MASING_OK) {
        journal_put_checkpoint(history->saver->journal, history->saver->task, &all);
    }
    packing_clear(&all);
    return status;
}

/* The problem once more, at a value. */
static enum masing_status take_core(struct peak_history *history, double p,
                                    struct packing *core, struct masing_error *error)
{
    enum masing_status status = peak_problem_set(history->problem, p, error);
    if (status != MASING_OK) {
        return masing_error_set(error, MASING_INTERNAL, "no model where there was one");
    }
    core->is_taking = true;
    pack_core(history, core);
    return packing_end(core, error);
}

enum masing_status peak_checkpoint_pause(struct peak_history *history,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_saver *saver = history->saver;
    struct packing core = {0};
    double p = history->problem->p;
    if (history->problem->balance->n_unknowns < CURVE_MANY_UNKNOWNS) {
        return MASING_OK;
    }
    pack_core(history, &core);
    TRY(packing_end(&core, error));
    if (saver && journal_is_checkpoint_due(saver->journal, &history->saved_at)) {
        TRY(save(history, &core, error));
    }
    TRY(peak_history_renew(history, error));
    status = take_core(history, p, &core, error);
done:
    packing_clear(&core);
    return status;
}

enum masing_status peak_checkpoint_restore(struct peak_history *history, bool *is_found,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_saver *saver = history->saver;
    struct packing all = {0}, core = {0};
    double at = 0.0;
    *is_found = false;
    if (!saver) {
        return MASING_OK;
    }
    journal_is_checkpoint_due(saver->journal, &history->saved_at); /* from now on */
    TRY(journal_find_checkpoint(saver->journal, saver->task, &all, is_found, error));
    if (*is_found) {
        PACK(&all, at);
        packing_part(&all, &core);
        TRY(packing_end(&all, error));
        TRY(take_core(history, at, &core, error));
        status = pack_notes(history, &all, error);
    }
done:
    packing_clear(&core);
    packing_clear(&all);
    return status;
}
