/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a decay does not tell, and why. */
#include <math.h>

#include "analyses/ringdown/rows.h"
#include "base/check.h"

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static const char *longer(const struct ringdown_rows *rows)
{
    return rows->is_record ? "a longer record or fewer segments"
                           : "more 'ringdown.steps' or fewer 'ringdown.segments'";
}

static enum masing_status warn_silence(const struct ringdown_rows *rows,
                                       const struct masing_ringdown_mode *mode,
                                       struct masing_error *error)
{
    if (mode->n_silent == 0) {
        return MASING_OK;
    }
    if (mode->n_rows > 0) {
        return warning_add(&rows->warnings, error,
                           "mode %d: %d segment%s left out in which it has died out",
                           mode->number, mode->n_silent, plural(mode->n_silent));
    }
    return warning_add(&rows->warnings, error,
                       "mode %d: it does not move, or has died out before the first segment "
                       "that counts",
                       mode->number);
}

static enum masing_status warn_noise(const struct ringdown_rows *rows,
                                     const struct masing_ringdown_mode *mode,
                                     struct masing_error *error)
{
    if (!isnan(mode->noise_from)) {
        return warning_add(&rows->warnings, error,
                           "mode %d: from %.4g s on the record shows noise, hum or another "
                           "motion: %d segment%s left out",
                           mode->number, mode->noise_from, mode->n_noisy,
                           plural(mode->n_noisy));
    }
    return mode->n_noisy > 0
               ? warning_add(&rows->warnings, error,
                             "mode %d: %d segment%s left out in which phase and amplitude "
                             "scatter as those of noise or of several motions do",
                             mode->number, mode->n_noisy, plural(mode->n_noisy))
               : MASING_OK;
}

static enum masing_status warn_crowding(const struct ringdown_rows *rows,
                                        const struct masing_ringdown_mode *mode,
                                        struct masing_error *error)
{
    char needed[64];
    snprintf(needed, sizeof needed,
             rows->is_record ? "a record of %.3g s" : "'ringdown.steps: %.0f'",
             rows->is_record ? mode->parted_by : ceil(mode->parted_by / rows->summary->step));
    if (mode->n_crowded > 0) {
        return warning_add(&rows->warnings, error,
                           "mode %d: %d segment%s left out, as mode %d is too near to be "
                           "parted from it in this time and moves in its coordinate; %s would "
                           "part them",
                           mode->number, mode->n_crowded, plural(mode->n_crowded),
                           mode->crowded_by, needed);
    }
    return mode->crowding > DECAY_NOTED_CROWDING
               ? warning_add(&rows->warnings, error,
                             "mode %d: damping ratios may be off by %.1g %%, as mode %d is too "
                             "near to be parted from it in this time; %s would part them",
                             mode->number, 100 * mode->crowding, mode->crowded_by, needed)
               : MASING_OK;
}

static enum masing_status warn_segments(const struct ringdown_rows *rows,
                                        const struct masing_ringdown_mode *mode,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (mode->n_rows == 0 && mode->n_overshadowed > 0) {
        char where[32] = "every segment";
        if (mode->n_bent + mode->n_silent + mode->n_noisy + mode->n_short > 0) {
            snprintf(where, sizeof where, "%d segment%s", mode->n_overshadowed,
                     plural(mode->n_overshadowed));
        }
        TRY(warning_add(
            &rows->warnings, error,
            "mode %d: in %s other motions are larger in its coordinate than its own",
            mode->number, where));
    }
    if (mode->n_bent > 0) {
        TRY(warning_add(
            &rows->warnings, error,
            "mode %d: %d segment%s left out in which its amplitude falls too unevenly; "
            "shorter segments follow damping that changes fast, longer ones average noise",
            mode->number, mode->n_bent, plural(mode->n_bent)));
    }
    if (mode->n_short > 0) {
        TRY(warning_add(&rows->warnings, error,
                        "mode %d: %d segment%s left out in which it is so slow that fewer than "
                        "%d periods pass: %s",
                        mode->number, mode->n_short, plural(mode->n_short),
                        DECAY_FEWEST_PERIODS, longer(rows)));
    }
    if (mode->n_growing > 0) {
        TRY(warning_add(&rows->warnings, error,
                        "mode %d: in %d row%s its amplitude does not fall (damping ratio not "
                        "above 0): other motions feed it, or noise",
                        mode->number, mode->n_growing, plural(mode->n_growing)));
    }
done:
    return status;
}

enum masing_status ringdown_rows_warn(const struct ringdown_rows *rows,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < rows->summary->n_modes; i++) {
        const struct masing_ringdown_mode *mode = &rows->summary->modes[i];
        TRY(warn_segments(rows, mode, error));
        TRY(warn_silence(rows, mode, error));
        TRY(warn_noise(rows, mode, error));
        TRY(warn_crowding(rows, mode, error));
    }
done:
    return status;
}
