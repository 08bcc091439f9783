/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `damping:` as a form: modal_ratio, rayleigh or structural. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/reader.h"

static enum masing_status refuse_negative(struct reader *reader, const struct tree_node *node,
                                          const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i] < 0.0) {
            const struct tree_node *at = tree_at(node, i);
            return reader_fail(reader, at ? at : node, "%s: cannot be negative, found %g",
                               node->key, values[i]);
        }
    }
    return MASING_OK;
}

static enum masing_status read_modal(struct reader *reader, struct tree_node *map,
                                     struct tree_node *node, struct masing_damping_spec *form)
{
    static const char *const choices[] = {"free", "stuck", NULL};
    enum masing_status status = MASING_OK;
    int choice = 0;
    form->kind = MASING_DAMPING_MODAL;
    TRY(reader_numbers(reader, node, "modal_ratio", &form->n_ratios, &form->ratios));
    if (!form->n_ratios) {
        TRY(reader_fail(reader, node, "modal_ratio: expected one number or one for each mode"));
    }
    TRY(refuse_negative(reader, node, form->ratios, form->n_ratios));
    TRY(reader_optional_choice(reader, map, "modes", choices, &choice));
    form->modes_are_stuck = choice == 1;
done:
    return status;
}

static enum masing_status read_rayleigh(struct reader *reader, struct tree_node *node,
                                        struct masing_damping_spec *form)
{
    enum masing_status status = MASING_OK;
    double *values = NULL;
    int count;
    form->kind = MASING_DAMPING_RAYLEIGH;
    TRY(reader_numbers(reader, node, "rayleigh", &count, &values));
    if (count != 2) {
        TRY(reader_fail(reader, node,
                        "rayleigh: expected [alpha, beta] (alpha M + beta K), found %d numbers",
                        count));
    }
    TRY(refuse_negative(reader, node, values, count));
    form->alpha = values[0];
    form->beta = values[1];
done:
    free(values);
    return status;
}

static enum masing_status read_structural(struct reader *reader, struct tree_node *node,
                                          struct masing_damping_spec *form)
{
    enum masing_status status = MASING_OK;
    form->kind = MASING_DAMPING_STRUCTURAL;
    TRY(reader_number(reader, node, "structural", &form->loss_factor));
    TRY(refuse_negative(reader, node, &form->loss_factor, 1));
done:
    return status;
}

enum masing_status read_damping_form(struct reader *reader, struct tree_node *map)
{
    static const char *const keys[] = {"modal_ratio", "rayleigh", "structural", "modes", NULL};
    struct masing_damping_spec *form = &reader->spec->structure.form;
    enum masing_status status = MASING_OK;
    struct tree_node *modal = tree_find(map, "modal_ratio");
    struct tree_node *rayleigh = tree_find(map, "rayleigh");
    struct tree_node *structural = tree_find(map, "structural");
    TRY(reader_keys(reader, map, keys, NULL));
    form->place = map->place;
    if ((modal != NULL) + (rayleigh != NULL) + (structural != NULL) != 1) {
        TRY(reader_fail(reader, map,
                        "damping: expected one of modal_ratio, rayleigh and structural"));
    }
    if (!modal && tree_find(map, "modes")) {
        TRY(reader_fail(reader, tree_find(map, "modes"), "modes: goes with modal_ratio only"));
    }
    if (modal) {
        TRY(read_modal(reader, map, modal, form));
    } else if (rayleigh) {
        TRY(read_rayleigh(reader, rayleigh, form));
    } else {
        TRY(read_structural(reader, structural, form));
    }
done:
    return status;
}
