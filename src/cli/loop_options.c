/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/loop_options.h"

#include <math.h>
#include <string.h>

/* H:SINE[:COSINE] */
static enum masing_status read_term(struct pool *pool, const char *text,
                                    struct masing_motion_term *term, struct masing_error *error)
{
    struct text_list pieces = option_split(pool, text, ':');
    double numbers[3] = {0.0, 0.0, 0.0};
    if (pieces.count < 2 || pieces.count > 3) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s' is not HARMONIC:SINE or HARMONIC:SINE:COSINE", text);
    }
    for (int i = 0; i < pieces.count; i++) {
        enum masing_status status = option_read_real(pieces.values[i], &numbers[i], error);
        if (status != MASING_OK) {
            return status;
        }
    }
    if (!(numbers[0] >= 0.0 && numbers[0] <= MASING_MOTION_HARMONIC) ||
        numbers[0] != floor(numbers[0])) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s': the harmonic is a whole number from 0 to %d", text,
                                MASING_MOTION_HARMONIC);
    }
    *term = (struct masing_motion_term){(int)numbers[0], numbers[1], numbers[2]};
    return MASING_OK;
}

static enum masing_status store_motion(struct pool *pool, const char *text, void *target,
                                       struct masing_error *error)
{
    struct motion *motion = target;
    struct text_list pieces = option_split(pool, text, ',');
    bool moves = false;
    motion->terms = pool_take(pool, (size_t)pieces.count, sizeof *motion->terms);
    motion->n_terms = pieces.count;
    for (int i = 0; i < pieces.count; i++) {
        struct masing_motion_term *term = &motion->terms[i];
        enum masing_status status = read_term(pool, pieces.values[i], term, error);
        for (int j = 0; status == MASING_OK && j < i; j++) {
            if (motion->terms[j].harmonic == term->harmonic) {
                status = masing_error_set(error, MASING_INVALID, "harmonic %d stands twice",
                                          term->harmonic);
            }
        }
        if (status != MASING_OK) {
            return status;
        }
        moves = moves || (term->harmonic > 0 && (term->sine != 0.0 || term->cosine != 0.0));
    }
    return moves ? MASING_OK
                 : masing_error_set(error, MASING_INVALID, "'%.80s' does not move the joint",
                                    text);
}

/* circle, or line:DEGREES */
static enum masing_status store_path(struct pool *pool, const char *text, void *target,
                                     struct masing_error *error)
{
    struct loop_settings *settings =
        (struct loop_settings *)((char *)target - offsetof(struct loop_settings, path));
    struct text_list pieces = option_split(pool, text, ':');
    settings->has_path = true;
    if (pieces.count == 1 && strcmp(pieces.values[0], "circle") == 0) {
        settings->path = (struct masing_loop_path){.is_circle = true};
        return MASING_OK;
    }
    if (pieces.count == 2 && strcmp(pieces.values[0], "line") == 0) {
        settings->path.is_circle = false;
        return option_read_real(pieces.values[1], &settings->path.degrees, error);
    }
    return masing_error_set(error, MASING_INVALID,
                            "'%.80s' is no path, expected circle or line:DEGREES", text);
}

#define AT(member) offsetof(struct loop_settings, member)

const struct option loop_options[] = {
    {"--joint", "NAME", "the joint that is moved", option_store_text, AT(common.joint)},
    {"--amplitude", "SPEC",
     "amplitudes in metres, each a loop from the virgin joint\n"
     "on: v1,v2,v3 | from:to:count | from:to:count:log",
     option_store_values, AT(amplitudes)},
    {"--motion", "H:SIN[:COS],...",
     "shape of the motion: weights of its harmonics, times\n"
     "the amplitude (default: 1:1, a sine)",
     store_motion, AT(motion)},
    {"--points", "FILE",
     "instead of amplitudes a path from a CSV file with the\n"
     "column displacement (and time), followed once",
     option_store_text, AT(points)},
    {"--path", "FORM",
     "contacts: line:DEGREES from the first tangential axis\n"
     "towards the second, or circle, the normal force being\n"
     "held at the preload (default: line:0)",
     store_path, AT(path)},
    {"--frequency", "HZ", "frequency of the motion, where the rate matters (default: 1)",
     option_store_positive, AT(frequency_hz)},
    {"--cycles", "N",
     "exactly N cycles from the virgin joint on (default: as\n"
     "many as it takes to be steady, at most 200)",
     option_store_count, AT(n_cycles)},
    {"--samples", "N", "rows per cycle, a multiple of 4 (default: 512)", option_store_count,
     AT(n_rows)},
    {"--equivalent-bouc-wen", NULL,
     "law rough_interface: a column with the force of the\n"
     "Bouc-Wen element that restates its steady loop",
     option_store_flag, AT(has_equivalent_bouc_wen)},
    {0},
};
