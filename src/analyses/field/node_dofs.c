/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/field/node_dofs.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

/* NODE.x and the like, of several sectors SECTOR.NODE.x; -1: another name. */
static int read_name(const char *name, int n_sectors, int *sector, int *direction)
{
    char *end;
    long number = strtol(name, &end, 10);
    bool is_counted = n_sectors > 1 && end > name && *end == '.';
    *sector = is_counted && number >= 0 && number < n_sectors ? (int)number : 0;
    if (is_counted) {
        name = end + 1;
        number = strtol(name, &end, 10);
    }
    bool is_node = end > name && end[0] == '.' && end[1] >= 'x' && end[1] <= 'z' && !end[2] &&
                   number > 0 && number <= MESH_LARGEST_NUMBER;
    *direction = is_node ? end[1] - 'x' : 0;
    return is_node ? (int)number : -1;
}

enum masing_status node_dofs_find(const struct mesh *mesh, int n_sectors, int n_dofs,
                                  char *const *names, int **dofs, struct masing_error *error)
{
    size_t n = (size_t)mesh->n_nodes;
    *dofs = memory_array(3 * n * (size_t)n_sectors, sizeof **dofs);
    NEED_ALLOCATED(*dofs);
    for (size_t i = 0; i < 3 * n * (size_t)n_sectors; i++) {
        const struct mesh_node_state *state = &mesh->states[i / 3 % n];
        bool is_held = mesh_holds(state, (int)(i % 3)) && !(state->dependent & (1 << i % 3));
        (*dofs)[i] = is_held ? NODE_HELD : NODE_UNKNOWN;
    }
    for (int d = 0; names && d < n_dofs; d++) {
        int direction, sector, number = read_name(names[d], n_sectors, &sector, &direction);
        int node = number > 0 ? mesh_find_node(mesh, number) : -1;
        if (node >= 0) {
            (*dofs)[3 * ((size_t)sector * n + (size_t)node) + (size_t)direction] = d;
        }
    }
    return MASING_OK;
}
