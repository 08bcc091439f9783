/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `surfaces:` of a contact: pairs of what is opposite in a mesh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/mesh/mesh_patch.h"
#include "model_file/reader_mesh.h"

/* A joint's `surfaces:`, and what of its entry goes with it. */
struct surfaces {
    struct reader *reader;
    struct tree_node *from_node, *to_node, *area_node, *normal_node;
    const char *from_name, *to_name;
    bool is_on_ground;
    double match, area, normal[3];
    struct mesh_patch from, to;
};

static const struct reader_key surface_keys[] = {
    {.name = "from"}, {.name = "to"},     {.name = "match"},
    {.name = "area"}, {.name = "normal"}, {0},
};

/* A key that may stand in `surfaces` or in the joint's entry; NULL: it is in neither. */
static enum masing_status find_either(struct reader *reader, const struct tree_node *surfaces,
                                      const struct tree_node *joint, const char *key,
                                      struct tree_node **node)
{
    struct tree_node *outer = tree_find(joint, key);
    *node = tree_find(surfaces, key);
    NEED(outer && *node ? reader_fail(reader, outer, "%s: stands in 'surfaces' already", key)
                        : MASING_OK);
    *node = *node ? *node : outer;
    return MASING_OK;
}

static enum masing_status read_keys(struct surfaces *own, const struct tree_node *joint)
{
    struct reader *reader = own->reader;
    struct tree_node *section = tree_find(joint, "surfaces");
    struct tree_node *match = tree_find(section, "match");
    struct tree_node *tangential = tree_find(joint, "tangential");
    NEED(reader_check_keys(reader, section, surface_keys, 0, NULL));
    NEED(reader_refuse(reader, tangential, tangential,
                       "tangential: 'surfaces' gives the directions already"));
    NEED(reader_required(reader, section, "from", &own->from_node));
    NEED(reader_required(reader, section, "to", &own->to_node));
    NEED(reader_text(reader, own->from_node, "from", &own->from_name));
    NEED(reader_text(reader, own->to_node, "to", &own->to_name));
    NEED(reader_refuse(reader, strcmp(own->from_name, "ground") == 0, own->from_node,
                       "from: the ground has no nodes, expected a surface or a node set"));
    own->is_on_ground = strcmp(own->to_name, "ground") == 0;
    if (!own->is_on_ground) {
        NEED(reader_required(reader, section, "match", &match));
    }
    NEED(match ? reader_positive(reader, match, "match", &own->match) : MASING_OK);
    NEED(find_either(reader, section, joint, "area", &own->area_node));
    NEED(find_either(reader, section, joint, "normal", &own->normal_node));
    NEED(own->area_node ? reader_positive(reader, own->area_node, "area", &own->area)
                        : MASING_OK);
    return own->normal_node ? reader_direction(reader, own->normal_node, own->normal)
                            : MASING_OK;
}

static enum masing_status make_patch(struct surfaces *own, const struct tree_node *node,
                                     const char *name, struct mesh_patch *patch)
{
    struct masing_error inner = {0};
    enum masing_status status = mesh_patch_create(own->reader->mesh, name, patch, &inner);
    return status == MASING_INVALID
               ? reader_fail(own->reader, node, "%s: %s", node->key, inner.message)
           : status ? masing_error_set(own->reader->error, status, "%s", inner.message)
                    : MASING_OK;
}

/* Nodes on nodes or faces; on the ground each by itself. */
static enum masing_status match(struct surfaces *own, int *n, struct mesh_pair *pairs,
                                int *n_unmatched, int *unmatched)
{
    struct reader *reader = own->reader;
    const struct mesh *mesh = reader->mesh;
    if (own->is_on_ground) {
        for (*n = 0; *n < own->from.n_nodes; ++*n) {
            pairs[*n].place = *n;
        }
        return MASING_OK;
    }
    NEED(make_patch(own, own->to_node, own->to_name, &own->to));
    NEED(mesh_patch_match(&own->from, &own->to, own->match, n, pairs, n_unmatched, unmatched,
                          reader->error));
    for (int i = 0; i < *n; i++) {
        int node = own->from.nodes[pairs[i].place];
        for (int k = 0; k < pairs[i].n_to; k++) {
            NEED(
                reader_refuse(reader, pairs[i].to[k] == node, own->to_node,
                              "to: node %d is of both '%.60s' and '%.60s': where they meet the "
                              "bodies need nodes of their own",
                              mesh->node_numbers[node], own->from_name, own->to_name));
        }
    }
    return reader_refuse(reader, *n == 0, own->to_node,
                         "to: no node of '%.60s' finds one of '%.60s' within %g",
                         own->from_name, own->to_name, own->match);
}

/* The direction in which `to` moves relative to `from` when the contact closes: into `from`. */
static enum masing_status put_normal(const struct surfaces *own, int place, double normal[3])
{
    const double *out = own->normal_node ? own->normal : own->from.normals + 3 * (size_t)place;
    const struct mesh *mesh = own->reader->mesh;
    for (int k = 0; k < 3; k++) {
        normal[k] = 0.0 - out[k]; /* no negative zero */
    }
    return reader_refuse(own->reader, out[0] == 0.0 && out[1] == 0.0 && out[2] == 0.0,
                         own->from_node,
                         "from: no face says where the normal points at node %d of '%.60s', "
                         "give 'normal: [x, y, z]' out of its body",
                         mesh->node_numbers[own->from.nodes[place]], own->from_name);
}

static enum masing_status put_pair(const struct surfaces *own, const struct mesh_pair *pair,
                                   struct masing_surface_pair *contact)
{
    const struct mesh *mesh = own->reader->mesh;
    int node = own->from.nodes[pair->place];
    contact->from = mesh->node_numbers[node];
    contact->n_to = pair->n_to;
    for (int k = 0; k < pair->n_to; k++) {
        contact->to[k] = mesh->node_numbers[pair->to[k]];
        contact->weights[k] = pair->weights[k];
    }
    memcpy(contact->point, mesh->points + 3 * (size_t)node, sizeof contact->point);
    contact->area = own->from.has_areas ? own->from.areas[pair->place]
                    : own->area_node    ? own->area / own->from.n_nodes
                                        : 0.0;
    return put_normal(own, pair->place, contact->normal);
}

/* Whether a node has no DOF, and the deck does not say that it depends on others. */
static bool is_fixed(const struct reader *reader, int node)
{
    char name[32];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%d.%s", reader->mesh->node_numbers[node],
                 mesh_directions[k]);
        if (names_find(&reader->dofs, name) >= 0) {
            return false;
        }
    }
    return !(reader->mesh->states[node].dependent & 7);
}

/* Between nodes that are fixed there is no contact. */
static bool can_move(const struct surfaces *own, const struct mesh_pair *pair)
{
    bool is_moving = !is_fixed(own->reader, own->from.nodes[pair->place]);
    for (int k = 0; k < pair->n_to; k++) {
        is_moving = is_moving || !is_fixed(own->reader, pair->to[k]);
    }
    return is_moving;
}

static enum masing_status fill(struct surfaces *own, struct mesh_pair *pairs,
                               struct surface_contacts *contacts)
{
    struct masing_error *error = own->reader->error;
    size_t most = (size_t)own->from.n_nodes;
    int n = 0;
    NEED_ALLOCATED(contacts->unmatched = memory_array(most, sizeof *contacts->unmatched));
    NEED_ALLOCATED(contacts->pairs = memory_array(most, sizeof *contacts->pairs));
    NEED(match(own, &n, pairs, &contacts->n_unmatched, contacts->unmatched));
    for (int i = 0; i < contacts->n_unmatched; i++) {
        int node = own->from.nodes[contacts->unmatched[i]];
        contacts->unmatched[i] = own->reader->mesh->node_numbers[node];
    }
    contacts->has_areas = own->from.has_areas || own->area_node;
    for (int i = 0; i < n; i++) {
        if (can_move(own, &pairs[i])) {
            NEED(put_pair(own, &pairs[i], &contacts->pairs[contacts->n++]));
        }
    }
    return reader_refuse(own->reader, contacts->n == 0, own->from_node,
                         "from: all nodes of '%.60s' and what they meet are fixed",
                         own->from_name);
}

enum masing_status read_surfaces(struct reader *reader, struct tree_node *joint,
                                 struct surface_contacts *contacts)
{
    enum masing_status status = MASING_OK;
    struct masing_error *error = reader->error;
    struct surfaces own = {.reader = reader};
    struct mesh_pair *pairs = NULL;
    TRY(read_keys(&own, joint));
    TRY(reader_refuse(reader, !reader->mesh, tree_find(joint, "surfaces"),
                      "surfaces: are those of a mesh, expected 'structure: mesh'"));
    TRY(make_patch(&own, own.from_node, own.from_name, &own.from));
    TRY(reader_refuse(reader, own.from.has_areas && own.area_node, own.area_node,
                      "area: '%.60s' has faces, whose areas are taken", own.from_name));
    TRY_ALLOCATED(pairs = memory_array((size_t)own.from.n_nodes, sizeof *pairs));
    TRY(fill(&own, pairs, contacts));
done:
    free(pairs);
    mesh_patch_clear(&own.from);
    mesh_patch_clear(&own.to);
    return status;
}
