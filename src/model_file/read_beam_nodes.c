/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a beam's nodes are: `elements` of one length, counted from 0 to `elements`, and named
 * nodes, which take a counted one's place or stand between two. A named node changes no other
 * one's name. The ends are called `start` and `end`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "model_file/beams.h"

/* Nodes nearer to each other than SAME of the beam's length are one; nodes that are not one
 * lie APART of an element's length from each other at least: very short elements spoil the
 * frequencies of all others. */
static const double SAME = 1e-9, APART = 1e-2;

struct beam_node *beam_find_node(const struct beam *beam, const char *name)
{
    for (int i = 0; i < beam->n_nodes; i++) {
        if (strcmp(beam->nodes[i].name, name) == 0) {
            return &beam->nodes[i];
        }
    }
    return NULL;
}

static enum masing_status place_elements(struct reader *reader, struct beam *beam,
                                         int n_elements)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    char text[20];
    for (int i = 0; i <= n_elements; i++) {
        int length = snprintf(text, sizeof text, "%d", i);
        struct beam_node *node = &beam->nodes[i];
        *node = (struct beam_node){.at = beam->entry,
                                   .position = beam->length * i / n_elements,
                                   .dofs = {BEAM_NODE_FREE, BEAM_NODE_FREE}};
        node->name = i == 0            ? "start"
                     : i == n_elements ? "end"
                                       : arena_text(&reader->tree->arena, text, (size_t)length);
        TRY_ALLOCATED(node->name);
    }
    beam->n_nodes = n_elements + 1;
done:
    return status;
}

static enum masing_status check_name(struct reader *reader, const struct tree_node *child)
{
    struct tree_node at_key = *child;
    at_key.place = child->key_place;
    const char *name = child->key, *fault = names_fault(name);
    if (fault) {
        return reader_fail(reader, &at_key, "'%.60s' cannot name a node: %s", name, fault);
    }
    if (strchr(name, '.')) {
        return reader_fail(reader, &at_key, "'%.60s' cannot name a node: expected no dot",
                           name);
    }
    if (strcmp(name, "start") == 0 || strcmp(name, "end") == 0) {
        return reader_fail(reader, &at_key,
                           "'%.60s' cannot name a node: it is the name of one of the ends",
                           name);
    }
    if (name[strspn(name, "0123456789")] == '\0') {
        return reader_fail(reader, &at_key,
                           "'%.60s' cannot name a node: nodes without a name are numbered",
                           name);
    }
    return MASING_OK;
}

static enum masing_status fail_near(struct reader *reader, const struct tree_node *child,
                                    double position, const struct beam_node *near)
{
    return reader_fail(reader, child,
                       "%.60s: %.9g m is at the node '%.60s' (%.9g m) or too near to it; "
                       "expected a node of its own",
                       child->key, position, near->name, near->position);
}

/* The named node takes the place of the counted one there, or is inserted. */
static enum masing_status place_named(struct reader *reader, struct beam *beam,
                                      struct tree_node *child, double element)
{
    enum masing_status status = MASING_OK;
    double position;
    int after = 0;
    TRY(check_name(reader, child));
    TRY(reader_number(reader, child, child->key, &position));
    if (!(position > 0.0 && position < beam->length)) {
        TRY(reader_fail(reader, child,
                        "%.60s: expected a place between the ends, 0 and %g m (which are "
                        "called start and end), found %g",
                        child->key, beam->length, position));
    }
    while (beam->nodes[after].position <= position) {
        after++;
    }
    struct beam_node *next = &beam->nodes[after], *last = next - 1;
    struct beam_node *near =
        position - last->position < next->position - position ? last : next;
    double gap = fabs(position - near->position);
    bool is_counted = near->name[strspn(near->name, "0123456789")] == '\0';
    if (gap > SAME * beam->length ? gap < APART * element : !is_counted) {
        TRY(fail_near(reader, child, position, near));
    }
    if (gap > SAME * beam->length) {
        memmove(next + 1, next, (size_t)(beam->n_nodes - after) * sizeof *next);
        beam->n_nodes++;
        *next =
            (struct beam_node){.position = position, .dofs = {BEAM_NODE_FREE, BEAM_NODE_FREE}};
        near = next;
    }
    near->name = child->key;
    near->at = child;
done:
    return status;
}

enum masing_status read_beam_nodes(struct reader *reader, struct beam *beam, int most)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *elements, *named = tree_find(beam->entry, "nodes");
    int n_elements;
    TRY(reader_required(reader, beam->entry, "elements", &elements));
    TRY(reader_integer(reader, elements, "elements", 1, most, &n_elements));
    if (named) {
        TRY(reader_open_mapping(reader, named));
    }
    size_t room = (size_t)n_elements + 1 + (size_t)(named ? named->count : 0);
    beam->nodes = arena_allocate(&reader->tree->arena, room * sizeof *beam->nodes);
    TRY_ALLOCATED(beam->nodes);
    TRY(place_elements(reader, beam, n_elements));
    for (struct tree_node *child = named ? named->first : NULL; child; child = child->next) {
        TRY(place_named(reader, beam, child, beam->length / n_elements));
    }
done:
    return status;
}
