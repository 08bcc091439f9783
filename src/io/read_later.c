/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ringdown:` is the business of an analysis of its own; here it is checked, so that a misspelt
 * key is found in any analysis.
 */
#include <stdlib.h>

#include "base/check.h"
#include "io/reader.h"

enum { MAX_MODE = 100000, MAX_STEPS = 2000000000 };

static enum masing_status check_positive(struct reader *reader, struct tree_node *node,
                                         const char *what)
{
    double value;
    enum masing_status status = MASING_OK;
    TRY(reader_number(reader, node, what, &value));
    if (value <= 0.0) {
        TRY(reader_fail(reader, node, "%s: must be greater than 0, found %g", what, value));
    }
done:
    return status;
}

static enum masing_status check_impulse(struct reader *reader, struct tree_node *impulse)
{
    static const char *const of_dof[] = {"dof", "amplitude", "frequency", NULL};
    static const char *const of_mode[] = {"mode", "amplitude", "frequency", NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *mode = tree_find(impulse, "mode"), *dof, *amplitude;
    struct tree_node *frequency = tree_find(impulse, "frequency");
    double value;
    int number;
    TRY(reader_keys(reader, impulse, mode ? of_mode : of_dof, NULL));
    if (mode) {
        TRY(reader_integer(reader, mode, "mode", 1, MAX_MODE, &number));
    } else {
        TRY(reader_required(reader, impulse, "dof", &dof));
        TRY(reader_dof(reader, dof, "dof", false, &number));
        TRY(reader_required(reader, impulse, "frequency", &frequency));
    }
    TRY(reader_required(reader, impulse, "amplitude", &amplitude));
    TRY(reader_number(reader, amplitude, "amplitude", &value));
    TRY(frequency ? check_positive(reader, frequency, "frequency") : MASING_OK);
done:
    return status;
}

static enum masing_status check_initial(struct reader *reader, struct tree_node *initial)
{
    static const char *const keys[] = {"displacements", "velocities", NULL};
    enum masing_status status = MASING_OK;
    struct masing_combination unused = {0};
    TRY(reader_keys(reader, initial, keys, NULL));
    if (!initial->count) {
        TRY(reader_fail(reader, initial, "initial: expected displacements or velocities"));
    }
    for (struct tree_node *child = initial->first; child; child = child->next) {
        TRY(reader_weights(reader, child, &unused));
        free(unused.terms);
        unused = (struct masing_combination){0};
    }
done:
    free(unused.terms);
    return status;
}

static enum masing_status check_start(struct reader *reader, struct tree_node *section)
{
    struct tree_node *impulse = tree_find(section, "impulse");
    struct tree_node *initial = tree_find(section, "initial");
    if ((impulse != NULL) + (initial != NULL) != 1) {
        return reader_fail(reader, section, "ringdown: expected one of impulse and initial");
    }
    return impulse ? check_impulse(reader, impulse) : check_initial(reader, initial);
}

static enum masing_status check_mode_list(struct reader *reader, struct tree_node *list)
{
    enum masing_status status = MASING_OK;
    int number;
    TRY(reader_sequence(reader, list));
    for (struct tree_node *child = list->first; child; child = child->next) {
        TRY(reader_integer(reader, child, "modes", 1, MAX_MODE, &number));
    }
done:
    return status;
}

static enum masing_status check_ringdown(struct reader *reader, struct tree_node *section)
{
    static const char *const keys[] = {"impulse",  "initial", "step", "steps",
                                       "segments", "modes",   NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *step = tree_find(section, "step");
    struct tree_node *steps = tree_find(section, "steps");
    struct tree_node *segments = tree_find(section, "segments");
    struct tree_node *modes = tree_find(section, "modes");
    int number;
    TRY(reader_keys(reader, section, keys, NULL));
    TRY(check_start(reader, section));
    TRY(step ? check_positive(reader, step, "step") : MASING_OK);
    TRY(steps ? reader_integer(reader, steps, "steps", 1, MAX_STEPS, &number) : MASING_OK);
    TRY(segments ? reader_integer(reader, segments, "segments", 1, MAX_STEPS, &number)
                 : MASING_OK);
    TRY(modes ? check_mode_list(reader, modes) : MASING_OK);
done:
    return status;
}

enum masing_status read_later(struct reader *reader)
{
    enum masing_status status = MASING_OK;
    struct tree_node *ringdown = tree_find(reader->tree->root, "ringdown");
    TRY(ringdown ? check_ringdown(reader, ringdown) : MASING_OK);
done:
    return status;
}
