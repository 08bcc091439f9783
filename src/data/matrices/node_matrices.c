/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/node_matrices.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"

enum { MOST_DOFS = 100000000 };

void node_matrices_clear(struct node_matrices *matrices)
{
    free(matrices->dofs);
    free(matrices->held);
    sparse_clear(&matrices->stiffness);
    sparse_clear(&matrices->mass);
    *matrices = (struct node_matrices){0};
}

/* ---- the table ---- */

static size_t slot_of(const struct node_table *table, struct node_dof dof)
{
    uint64_t hash = (uint64_t)(uint32_t)dof.node * 8 + (uint64_t)(uint32_t)dof.direction;
    hash *= 0x9E3779B97F4A7C15u;
    size_t slot = (size_t)(hash >> 20) % table->n_slots;
    while (table->slots[slot]) {
        const struct node_dof *there = &table->dofs[table->slots[slot] - 1];
        if (there->node == dof.node && there->direction == dof.direction) {
            break;
        }
        slot = slot + 1 < table->n_slots ? slot + 1 : 0;
    }
    return slot;
}

/* At most half of the slots are taken. */
static enum masing_status make_slots(struct node_table *table, struct masing_error *error)
{
    if ((size_t)table->n * 2 < table->n_slots) {
        return MASING_OK;
    }
    size_t n_slots = table->n_slots ? 4 * table->n_slots : 1024;
    int *slots = memory_array(n_slots, sizeof *slots);
    NEED_ALLOCATED(slots);
    free(table->slots);
    table->slots = slots;
    table->n_slots = n_slots;
    for (int i = 0; i < table->n; i++) {
        slots[slot_of(table, table->dofs[i])] = i + 1;
    }
    return MASING_OK;
}

enum masing_status node_table_add(struct node_table *table, struct node_dof dof, int *index,
                                  struct masing_error *error)
{
    NEED(make_slots(table, error));
    size_t slot = slot_of(table, dof), needed = (size_t)table->n + 1;
    if (!table->slots[slot]) {
        if (table->n >= MOST_DOFS) {
            return masing_error_set(error, MASING_INVALID, "there are more than %d DOFs",
                                    MOST_DOFS);
        }
        NEED_ALLOCATED(
            memory_grow((void **)&table->dofs, needed, &table->capacity, sizeof *table->dofs));
        NEED_ALLOCATED(memory_grow((void **)&table->is_held, needed, &table->held_capacity,
                                   sizeof *table->is_held));
        table->dofs[table->n] = dof;
        table->is_held[table->n] = false;
        table->slots[slot] = ++table->n;
    }
    *index = table->slots[slot] - 1;
    return MASING_OK;
}

void node_table_clear(struct node_table *table)
{
    free(table->dofs);
    free(table->is_held);
    free(table->slots);
    *table = (struct node_table){0};
}

/* ---- their order ---- */

struct place_of_dof {
    struct node_dof dof;
    int index;
};

/* Internal nodes come last. */
static int compare_dofs(const void *first, const void *second)
{
    const struct node_dof *a = &((const struct place_of_dof *)first)->dof;
    const struct node_dof *b = &((const struct place_of_dof *)second)->dof;
    if ((a->node < 0) != (b->node < 0)) {
        return a->node < 0 ? 1 : -1;
    }
    if (a->node != b->node) {
        return (abs(a->node) > abs(b->node)) - (abs(a->node) < abs(b->node));
    }
    return (a->direction > b->direction) - (a->direction < b->direction);
}

/* places [n] of the table's DOFs among those that stay, -1 of those that are held. */
static enum masing_status order_dofs(const struct node_table *table,
                                     struct node_matrices *matrices, int *places,
                                     struct masing_error *error)
{
    size_t n = (size_t)table->n;
    struct place_of_dof *sorted = memory_array(n, sizeof *sorted);
    NEED_ALLOCATED(sorted);
    for (int i = 0; i < table->n; i++) {
        sorted[i] = (struct place_of_dof){table->dofs[i], i};
    }
    qsort(sorted, n, sizeof *sorted, compare_dofs);
    for (int s = 0; s < table->n; s++) {
        int i = sorted[s].index;
        if (table->is_held[i]) {
            matrices->held[matrices->n_held++] = sorted[s].dof;
        } else {
            matrices->dofs[matrices->n] = sorted[s].dof;
        }
        places[i] = table->is_held[i] ? -1 : matrices->n++;
    }
    free(sorted);
    return MASING_OK;
}

/* Rows without directions, as the file says or up to the largest one. */
static int count_rows(const struct node_table *table, const struct node_matrix *stiffness)
{
    int n_rows = 0;
    for (int i = 0; i < table->n; i++) {
        if (table->dofs[i].direction != 0) {
            return 0;
        }
        n_rows = table->dofs[i].node > n_rows ? table->dofs[i].node : n_rows;
    }
    return stiffness->n_rows ? stiffness->n_rows : n_rows;
}

/* Entries by place; those of held DOFs fall away. */
static void renumber(struct entry_list *list, const int *places)
{
    size_t n = 0;
    for (size_t e = 0; e < list->n; e++) {
        struct sparse_entry entry = list->entries[e];
        entry.row = places[entry.row];
        entry.column = places[entry.column];
        if (entry.row >= 0 && entry.column >= 0) {
            list->entries[n] = entry;
            if (list->lines) {
                list->lines[n] = list->lines[e];
            }
            n++;
        }
    }
    list->n = n;
}

/* ---- whether they belong together ---- */

static enum masing_status check_sizes(const struct node_matrix *stiffness,
                                      const struct node_matrix *mass,
                                      struct masing_error *error)
{
    const struct node_matrix *both[] = {stiffness, mass};
    for (int m = 0; m < 2; m++) {
        if (both[m]->list.n == 0) {
            return masing_error_set(error, MASING_INVALID, "%.400s: the %s has no entry",
                                    both[m]->list.file, m ? "mass" : "stiffness");
        }
    }
    return stiffness->n_rows == mass->n_rows || !stiffness->n_rows || !mass->n_rows
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s: the mass has %d rows, the stiffness (%.300s) has "
                                  "%d: the files are not of one model",
                                  mass->list.file, mass->n_rows, stiffness->list.file,
                                  stiffness->n_rows);
}

/* A free mass has no stiffness, but an element's mass does not come alone. */
static enum masing_status check_union(const struct node_matrices *matrices,
                                      const struct node_matrix *stiffness,
                                      const struct node_matrix *mass, bool *is_stiff,
                                      struct masing_error *error)
{
    const struct entry_list *lists[] = {&stiffness->list, &mass->list};
    for (size_t e = 0; e < lists[0]->n; e++) {
        is_stiff[lists[0]->entries[e].row] = is_stiff[lists[0]->entries[e].column] = true;
    }
    for (size_t e = 0; e < lists[1]->n; e++) {
        const struct sparse_entry *entry = &lists[1]->entries[e];
        const struct node_dof *dofs = matrices->dofs;
        int alone = is_stiff[entry->row] ? entry->column : entry->row;
        char text[NODE_DOF_TEXT];
        if (!is_stiff[alone] && dofs[entry->row].node != dofs[entry->column].node &&
            entry->value != 0.0) {
            return masing_error_set(error, MASING_INVALID,
                                    "%.400s:%d:1: DOF %s shares its mass with another node, "
                                    "but has no stiffness in '%.300s': the files are not of "
                                    "one model",
                                    lists[1]->file, lists[1]->lines ? lists[1]->lines[e] : 1,
                                    node_dof_text(dofs[alone], text), lists[0]->file);
        }
    }
    return MASING_OK;
}

enum masing_status node_matrices_make(struct node_table *table, struct node_matrix *stiffness,
                                      struct node_matrix *mass, struct node_matrices *matrices,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)table->n;
    int *places = memory_array(n, sizeof *places);
    bool *is_stiff = memory_array(n, sizeof *is_stiff);
    *matrices = (struct node_matrices){0};
    matrices->dofs = memory_array(n, sizeof *matrices->dofs);
    matrices->held = memory_array(n, sizeof *matrices->held);
    TRY_ALLOCATED(places && is_stiff && matrices->dofs && matrices->held);
    TRY(check_sizes(stiffness, mass, error));
    TRY(order_dofs(table, matrices, places, error));
    matrices->n_rows = count_rows(table, stiffness);
    renumber(&stiffness->list, places);
    renumber(&mass->list, places);
    TRY(check_sizes(stiffness, mass, error));
    TRY(check_union(matrices, stiffness, mass, is_stiff, error));
    TRY(entry_list_fold(&stiffness->list, matrices->n, matrices->dofs, &matrices->stiffness,
                        error));
    TRY(entry_list_fold(&mass->list, matrices->n, matrices->dofs, &matrices->mass, error));
done:
    free(places);
    free(is_stiff);
    if (status != MASING_OK) {
        node_matrices_clear(matrices);
    }
    return status;
}
