/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "analyses/curve/row_table.h"
#include "analyses/curve/static_contacts.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "data/mesh/mesh.h"
#include "masing/motion_field.h"

/* A node, and what it is in the contacts of an entry. */
struct node_row {
    const struct mesh *mesh;
    const char *joint, *role;
    int node;             /* its number */
    const double *normal; /* NULL: not of this role */
    double pressure;      /* Pa, NAN likewise */
    const char *status;   /* "" likewise */
};

static const char *status_text(enum masing_contact_status status)
{
    return status == MASING_CONTACT_OPEN     ? "open"
           : status == MASING_CONTACT_SLIPS  ? "slips"
           : status == MASING_CONTACT_STICKS ? "sticks"
                                             : "";
}

static void walk_node(struct row_table *table, const void *context)
{
    static const char *const directions[] = {"x", "y", "z"};
    const struct node_row *row = context;
    int node = row->mesh ? mesh_find_node(row->mesh, row->node) : -1;
    ROW_TEXT(table, row->joint, "joint");
    ROW_INTEGER(table, (double)row->node, "node");
    ROW_TEXT(table, row->role, "role");
    for (size_t d = 0; d < 3; d++) {
        double at = node >= 0 ? row->mesh->points[3 * (size_t)node + d] : NAN;
        ROW_REAL(table, at, "%s", directions[d]);
    }
    for (size_t d = 0; d < 3; d++) {
        ROW_REAL(table, row->normal ? row->normal[d] : NAN, "normal_%s", directions[d]);
    }
    ROW_REAL(table, row->pressure, "pressure");
    ROW_TEXT(table, row->status, "status");
}

static enum masing_status write_group(const struct mesh *mesh,
                                      const struct masing_joint_group *group,
                                      const struct masing_static_contact *contacts,
                                      struct row_sink *rows, struct masing_error *error)
{
    for (int j = 0; group->pairs && j < group->n_joints; j++) {
        const struct masing_surface_pair *pair = &group->pairs[j];
        const struct masing_static_contact *contact = &contacts[group->first + j];
        double pressure = pair->area > 0.0 ? contact->normal_force / pair->area : NAN;
        struct node_row row = {mesh,
                               group->name,
                               "from",
                               pair->from,
                               pair->normal,
                               pressure,
                               status_text(contact->status)};
        NEED(row_sink_write(rows, &row, error));
        for (int k = 0; k < pair->n_to; k++) {
            row = (struct node_row){mesh, group->name, "to", pair->to[k], NULL, NAN, ""};
            NEED(row_sink_write(rows, &row, error));
        }
    }
    for (int i = 0; i < group->n_unmatched; i++) {
        const struct node_row row = {mesh, group->name, "unmatched", group->unmatched[i],
                                     NULL, NAN,         ""};
        NEED(row_sink_write(rows, &row, error));
    }
    return MASING_OK;
}

enum masing_status masing_mesh_pairs(const struct masing_model *model,
                                     const struct masing_sink *sink, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct row_sink rows = {0};
    struct masing_static_contact *contacts = NULL;
    const struct node_row none = {NULL, "", "", 0, NULL, NAN, ""};
    error = entry_begin(error, &own);
    TRY(entry_need(model, "model", error));
    TRY(entry_need(sink, "sink", error));
    const struct masing_spec *spec = &model->spec;
    TRY_ALLOCATED(contacts = memory_array((size_t)spec->n_joints, sizeof *contacts));
    TRY(static_contacts_fill(model, contacts, error));
    TRY(row_sink_begin(&rows, sink, walk_node, &none, error));
    for (int g = 0; g < spec->n_groups; g++) {
        TRY(write_group(spec->structure.mesh, &spec->groups[g], contacts, &rows, error));
    }
done:
    free(contacts);
    return row_sink_end(&rows, status, error);
}
