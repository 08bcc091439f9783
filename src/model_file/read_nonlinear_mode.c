/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `mode:`, the nonlinear mode that is followed. */
#include "base/check.h"
#include "model_file/reader.h"

enum { MAX_MODE = 100000 };

static enum masing_status read_amplitudes(struct reader *reader, struct tree_node *node,
                                          double ends[2])
{
    enum masing_status status = MASING_OK;
    if (node->kind != TREE_SEQUENCE || node->count != 2) {
        TRY(reader_fail(reader, node, "amplitude: expected [from, to]"));
    }
    for (int i = 0; i < 2; i++) {
        struct tree_node *end = tree_at(node, i);
        TRY(reader_number(reader, end, "amplitude", &ends[i]));
        if (ends[i] <= 0.0) {
            TRY(reader_fail(reader, end, "amplitude: must be greater than 0, found %g",
                            ends[i]));
        }
    }
    if (ends[0] >= ends[1]) {
        TRY(reader_fail(reader, node,
                        "amplitude: from %g to %g, expected the smaller one first: a mode is "
                        "followed from where the joints stick",
                        ends[0], ends[1]));
    }
done:
    return status;
}

enum masing_status read_nonlinear_mode(struct reader *reader)
{
    static const char *const keys[] = {"number", "amplitude", NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *section = tree_find(reader->tree->root, "mode"), *number, *amplitude;
    struct masing_mode_settings *mode = &reader->spec->mode;
    double ends[2];
    if (!section) {
        return MASING_OK;
    }
    TRY(reader_keys(reader, section, keys, NULL));
    TRY(reader_required(reader, section, "number", &number));
    TRY(reader_integer(reader, number, "number", 1, MAX_MODE, &mode->number));
    TRY(reader_required(reader, section, "amplitude", &amplitude));
    TRY(read_amplitudes(reader, amplitude, ends));
    mode->amplitude_from = ends[0];
    mode->amplitude_to = ends[1];
    mode->place = section->place;
    mode->number_place = number->place;
done:
    return status;
}
