/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a long curve of a mode stands, as response/checkpoint.c has it. */
#include "analyses/mode/mode.h"
#include "base/check.h"
#include "base/journal.h"

static bool may_be_renewed(const struct mode_curve *curve)
{
    return curve->balance->n_unknowns >= CURVE_MANY_UNKNOWNS && !curve->observer &&
           !curve->options->fields;
}

/* By what solves the balance. */
static void pack_core(struct mode_curve *curve, struct packing *packing)
{
    modal_balance_pack(curve->balance, packing);
    curve_driver_pack(curve->driver, packing);
}

/* By what is noted of the points so far; warnings come before the first one, and behind the
 * last. */
static void pack_notes(struct mode_curve *curve, struct packing *packing)
{
    struct masing_mode_summary *summary = curve->summary, plain = *summary;
    PACK(packing, plain);
    if (packing->is_taking) {
        plain.warnings = summary->warnings;
        plain.n_warnings = summary->n_warnings;
        *summary = plain;
    }
    PACK(packing, curve->last_harmonic_at);
    packing_bytes(packing, curve->energy_limits->entries,
                  (size_t)curve->energy_limits->n * sizeof *curve->energy_limits->entries);
    kept_log_pack(&curve->log, packing);
}

static enum masing_status take_core(struct mode_curve *curve, struct packing *core,
                                    struct masing_error *error)
{
    core->is_taking = true;
    pack_core(curve, core);
    return packing_end(core, error);
}

enum masing_status mode_checkpoint_pause(struct mode_curve *curve, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_journal *journal = curve->options->journal;
    struct packing core = {0}, all = {0};
    if (!may_be_renewed(curve)) {
        return MASING_OK;
    }
    pack_core(curve, &core);
    TRY(packing_end(&core, error));
    if (journal && journal_is_checkpoint_due(journal, &curve->saved_at)) {
        packing_part(&all, &core);
        pack_notes(curve, &all);
        packing_part(&all, &curve->rows.packing);
        journal_put_checkpoint(journal, 0, &all);
    }
    TRY(mode_curve_renew(curve, error));
    status = take_core(curve, &core, error);
done:
    packing_clear(&all);
    packing_clear(&core);
    return status;
}

static enum masing_status take_all(struct mode_curve *curve, struct packing *all,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct packing part = {0};
    packing_part(all, &part);
    TRY(packing_end(all, error));
    TRY(take_core(curve, &part, error));
    pack_notes(curve, all);
    TRY(packing_end(all, error));
    packing_clear(&part);
    packing_part(all, &part);
    TRY(packing_end(all, error));
    status = part.n > 0 ? task_rows_refill(&curve->rows, &part, error) : MASING_OK;
done:
    packing_clear(&part);
    return status;
}

enum masing_status mode_checkpoint_restore(struct mode_curve *curve, bool *is_found,
                                           struct masing_error *error)
{
    struct masing_journal *journal = curve->options->journal;
    struct packing all = {0};
    *is_found = false;
    if (!journal) {
        return MASING_OK;
    }
    journal_is_checkpoint_due(journal, &curve->saved_at); /* from now on */
    enum masing_status status = journal_find_checkpoint(journal, 0, &all, is_found, error);
    status = status == MASING_OK && *is_found ? take_all(curve, &all, error) : status;
    packing_clear(&all);
    return status;
}
