/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `static_loads:` forces and accelerations that act before and during vibration. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/reader.h"

static enum masing_status read_acceleration(struct reader *reader, struct tree_node *map,
                                            struct masing_static_load_spec *load)
{
    static const char *const keys[] = {"acceleration", "direction", NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *value, *direction;
    load->is_acceleration = true;
    TRY(reader_keys(reader, map, keys, NULL));
    TRY(reader_required(reader, map, "acceleration", &value));
    TRY(reader_number(reader, value, "acceleration", &load->acceleration));
    TRY(reader_required(reader, map, "direction", &direction));
    TRY(reader_pattern(reader, direction, &load->pattern));
done:
    return status;
}

static enum masing_status read_force(struct reader *reader, struct tree_node *map,
                                     struct masing_static_load_spec *load)
{
    static const char *const keys[] = {"dof", "force", NULL};
    enum masing_status status = MASING_OK;
    struct tree_node *dof, *value;
    double force;
    TRY(reader_keys(reader, map, keys, NULL));
    TRY(reader_required(reader, map, "dof", &dof));
    TRY(reader_required(reader, map, "force", &value));
    TRY(reader_unit_pattern(reader, dof, &load->pattern));
    TRY(reader_number(reader, value, "force", &force));
    for (int i = 0; i < reader->spec->structure.n_dofs; i++) {
        load->pattern[i] *= force;
    }
done:
    return status;
}

static enum masing_status read_static_load(struct reader *reader, struct tree_node *map,
                                           struct masing_static_load_spec *load)
{
    load->place = map->place;
    bool is_acceleration = tree_find(map, "acceleration") || tree_find(map, "direction");
    return is_acceleration ? read_acceleration(reader, map, load)
                           : read_force(reader, map, load);
}

/* A force of zero, e.g. the first value of a study, is no load. */
static void drop_zero_force(struct reader *reader, struct tree_node *node,
                            struct masing_static_load_spec *load)
{
    for (int i = 0; i < reader->spec->structure.n_dofs; i++) {
        if (load->is_acceleration || load->pattern[i] != 0.0) {
            return;
        }
    }
    node->is_left_out = true;
    free(load->pattern);
    memset(load, 0, sizeof *load);
    reader->spec->n_static_loads--;
}

enum masing_status read_static_loads(struct reader *reader)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *list = tree_find(reader->tree->root, "static_loads");
    if (!list || tree_is_null(list)) {
        return MASING_OK;
    }
    TRY(reader_sequence(reader, list));
    spec->static_loads = memory_array((size_t)list->count, sizeof *spec->static_loads);
    TRY_ALLOCATED(spec->static_loads);
    for (struct tree_node *node = list->first; node; node = node->next) {
        struct masing_static_load_spec *load = &spec->static_loads[spec->n_static_loads++];
        TRY(read_static_load(reader, node, load));
        drop_zero_force(reader, node, load);
    }
done:
    return status;
}
