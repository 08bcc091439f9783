/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `ringdown:`, a free decay and what is made of it. */
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/reader.h"

enum { MAX_MODE = 100000, MAX_STEPS = 2000000000, MIN_SEGMENTS = 3, MAX_SEGMENTS = 100000 };

static enum masing_status read_positive(struct reader *reader, struct tree_node *node,
                                        const char *what, double *value)
{
    enum masing_status status = MASING_OK;
    TRY(reader_number(reader, node, what, value));
    if (*value <= 0.0) {
        TRY(reader_fail(reader, node, "%s: must be greater than 0, found %g", what, *value));
    }
done:
    return status;
}

static enum masing_status read_shape(struct reader *reader, struct tree_node *impulse,
                                     struct tree_node *mode,
                                     struct masing_ringdown_settings *ringdown)
{
    static const char *const shapes[] = {"stuck", "free", NULL};
    enum masing_status status = MASING_OK;
    int shape = 0;
    ringdown->start = MASING_DECAY_MODE;
    ringdown->mode_place = mode->place;
    TRY(reader_integer(reader, mode, "mode", 1, MAX_MODE, &ringdown->mode));
    TRY(reader_optional_choice(reader, impulse, "shape", shapes, &shape));
    ringdown->is_free_shape = shape == 1;
done:
    return status;
}

static enum masing_status read_impulse(struct reader *reader, struct tree_node *impulse,
                                       struct masing_ringdown_settings *ringdown)
{
    static const char *const of_dof[] = {"dof", "amplitude", "frequency", NULL};
    static const char *const of_mode[] = {"mode", "amplitude", "frequency", "shape", NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *mode = tree_find(impulse, "mode"), *dof, *amplitude;
    struct tree_node *frequency = tree_find(impulse, "frequency");
    TRY(reader_keys(reader, impulse, mode ? of_mode : of_dof, NULL));
    if (mode) {
        TRY(read_shape(reader, impulse, mode, ringdown));
    } else {
        ringdown->start = MASING_DECAY_DOF;
        TRY(reader_required(reader, impulse, "dof", &dof));
        TRY(reader_dof(reader, dof, "dof", false, &ringdown->dof));
        TRY(reader_required(reader, impulse, "frequency", &frequency));
    }
    TRY(reader_required(reader, impulse, "amplitude", &amplitude));
    TRY(reader_number(reader, amplitude, "amplitude", &ringdown->amplitude));
    if (frequency) {
        TRY(read_positive(reader, frequency, "frequency", &ringdown->impulse_hz));
    }
done:
    return status;
}

static enum masing_status read_initial(struct reader *reader, struct tree_node *initial,
                                       struct masing_ringdown_settings *ringdown)
{
    static const char *const keys[] = {"displacements", "velocities", NULL};
    enum masing_status status = MASING_OK;
    TRY(reader_keys(reader, initial, keys, NULL));
    if (!initial->count) {
        TRY(reader_fail(reader, initial, "initial: expected displacements or velocities"));
    }
    ringdown->start = MASING_DECAY_INITIAL;
    struct tree_node *displacements = tree_find(initial, "displacements");
    struct tree_node *velocities = tree_find(initial, "velocities");
    if (displacements) {
        TRY(reader_weights(reader, displacements, &ringdown->displacements));
    }
    if (velocities) {
        TRY(reader_weights(reader, velocities, &ringdown->velocities));
    }
done:
    return status;
}

static enum masing_status read_start(struct reader *reader, struct tree_node *section,
                                     struct masing_ringdown_settings *ringdown)
{
    struct tree_node *impulse = tree_find(section, "impulse");
    struct tree_node *initial = tree_find(section, "initial");
    if ((impulse != NULL) + (initial != NULL) != 1) {
        return reader_fail(reader, section, "ringdown: expected one of impulse and initial");
    }
    return impulse ? read_impulse(reader, impulse, ringdown)
                   : read_initial(reader, initial, ringdown);
}

static enum masing_status read_mode_list(struct reader *reader, struct tree_node *list,
                                         struct masing_ringdown_settings *ringdown)
{
    enum masing_status status = MASING_OK;
    TRY(reader_sequence(reader, list));
    if (!list->count) {
        TRY(reader_fail(reader, list, "modes: expected at least one number"));
    }
    ringdown->modes = memory_array((size_t)list->count, sizeof *ringdown->modes);
    struct masing_error *error = reader->error;
    TRY_ALLOCATED(ringdown->modes);
    ringdown->modes_place = list->place;
    for (struct tree_node *child = list->first; child; child = child->next) {
        int *mode = &ringdown->modes[ringdown->n_modes];
        TRY(reader_integer(reader, child, "modes", 1, MAX_MODE, mode));
        for (int i = 0; i < ringdown->n_modes; i++) {
            if (ringdown->modes[i] == *mode) {
                TRY(reader_fail(reader, child, "modes: %d stands here twice", *mode));
            }
        }
        ringdown->n_modes++;
    }
done:
    return status;
}

enum masing_status read_ringdown(struct reader *reader)
{
    static const char *const keys[] = {"impulse",  "initial", "step", "steps",
                                       "segments", "modes",   NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *section = tree_find(reader->tree->root, "ringdown");
    struct masing_ringdown_settings *ringdown = &reader->spec->ringdown;
    if (!section) {
        return MASING_OK;
    }
    struct tree_node *step = tree_find(section, "step");
    struct tree_node *steps = tree_find(section, "steps");
    struct tree_node *modes = tree_find(section, "modes");
    ringdown->place = section->place;
    ringdown->segments = 20;
    TRY(reader_keys(reader, section, keys, NULL));
    TRY(read_start(reader, section, ringdown));
    TRY(step ? read_positive(reader, step, "step", &ringdown->step) : MASING_OK);
    TRY(steps ? reader_integer(reader, steps, "steps", 1, MAX_STEPS, &ringdown->steps)
              : MASING_OK);
    TRY(reader_optional_integer(reader, section, "segments", MIN_SEGMENTS, MAX_SEGMENTS,
                                &ringdown->segments));
    TRY(modes ? read_mode_list(reader, modes, ringdown) : MASING_OK);
done:
    return status;
}
