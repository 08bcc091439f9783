/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `beams:` as DOFs, mass and stiffness. The DOFs are called BEAM.NODE.w and BEAM.NODE.r; those
 * that a support holds do not exist. Masses beside beams that are no DOF of theirs are DOFs of
 * their own, after the beams'. What is read lives in the tree's memory.
 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/suggest.h"
#include "model/structure/beam_element.h"
#include "model_file/reader.h"

enum { MOST_NODES = 5000, NAME = 512 };

enum { BEAM_W, BEAM_R, BEAM_NODE_DOFS };

enum { BEAM_NODE_FREE = -1, BEAM_NODE_HELD = -2 };

struct beam_node {
    const char *name;
    const struct tree_node *at; /* where messages about it point to */
    double position;            /* m from the start */
    int dofs[BEAM_NODE_DOFS];   /* index, HELD, or FREE: not numbered yet */
    const struct beam *beam;
    const struct beam_node *joined; /* to this node of another beam, or NULL */
};

struct beam {
    const char *name;
    struct tree_node *entry;
    double bending_stiffness, youngs_modulus,
        second_moment;                     /* N m^2, N/m^2, m^4; 0: not given */
    double mass_per_length, density, area; /* kg/m, kg/m^3, m^2 */
    double width, height; /* m, of a rectangle; height in the plane of bending */
    double length;        /* m */
    int n_elements;
    int n_nodes;
    struct beam_node *nodes; /* from start to end */
};

/* --- section ------------------------------------------------------------------------------ */

/* A beam's bending stiffness, mass per length and length, each in one of several ways. */

static const char *const stiffness_ways =
    "give bending_stiffness, or youngs_modulus with second_moment or section";
static const char *const mass_ways = "give mass_per_length, or density with area or section";

static enum masing_status refuse_both(struct reader *reader, const struct beam *beam,
                                      const char *key, const char *other, const char *ways)
{
    const struct tree_node *node = tree_find(beam->entry, key);
    if (!node || !tree_find(beam->entry, other)) {
        return MASING_OK;
    }
    return reader_fail_key(reader, node, "beam '%.60s': '%s' does not go with '%s'; %s",
                           beam->name, key, other, ways);
}

static enum masing_status refuse_contradictions(struct reader *reader, const struct beam *beam)
{
    NEED(refuse_both(reader, beam, "youngs_modulus", "bending_stiffness", stiffness_ways));
    NEED(refuse_both(reader, beam, "second_moment", "bending_stiffness", stiffness_ways));
    NEED(refuse_both(reader, beam, "second_moment", "section", stiffness_ways));
    NEED(refuse_both(reader, beam, "density", "mass_per_length", mass_ways));
    NEED(refuse_both(reader, beam, "area", "mass_per_length", mass_ways));
    NEED(refuse_both(reader, beam, "area", "section", mass_ways));
    if (tree_find(beam->entry, "mass_per_length")) {
        NEED(refuse_both(reader, beam, "section", "bending_stiffness",
                         "beside mass_per_length it has no use"));
    }
    return MASING_OK;
}

#define BEAM(member) offsetof(struct beam, member)

static const struct reader_key rectangle_keys[] = {
    KEY("width", BEAM(width), KEY_POSITIVE, .is_required = true),
    KEY("height", BEAM(height), KEY_POSITIVE, .is_required = true),
    {0},
};

/* Read in two steps; those without a kind are read by themselves. */
enum { OF_SECTION = 1, OF_LENGTH = 2 };

static const struct reader_key beam_keys[] = {
    {.name = "name"},
    KEY("section", 0, KEY_SECTION, .variants = OF_SECTION, .keys = rectangle_keys),
    KEY("bending_stiffness", BEAM(bending_stiffness), KEY_POSITIVE, .variants = OF_SECTION),
    KEY("youngs_modulus", BEAM(youngs_modulus), KEY_POSITIVE, .variants = OF_SECTION),
    KEY("second_moment", BEAM(second_moment), KEY_POSITIVE, .variants = OF_SECTION),
    KEY("mass_per_length", BEAM(mass_per_length), KEY_POSITIVE, .variants = OF_SECTION),
    KEY("density", BEAM(density), KEY_POSITIVE, .variants = OF_SECTION),
    KEY("area", BEAM(area), KEY_POSITIVE, .variants = OF_SECTION),
    KEY("length", BEAM(length), KEY_POSITIVE, .variants = OF_LENGTH, .is_required = true),
    KEY("elements", BEAM(n_elements), KEY_INTEGER, .variants = OF_LENGTH, .is_required = true,
        .minimum = 1, .maximum = MOST_NODES),
    {.name = "nodes"},
    {.name = "supports"},
    {.name = "join"},
    {0},
};

/* A product of two where it was not given by itself. */
static enum masing_status refuse_missing(struct reader *reader, const struct beam *beam,
                                         double first, double second, const char *whole,
                                         const char *other, const char *ways)
{
    return reader_refuse(reader, !(first > 0.0 && second > 0.0), beam->entry,
                         "beam '%.60s': %s is missing; %s", beam->name,
                         first > 0.0 ? other : whole, ways);
}

static enum masing_status read_section(struct reader *reader, struct beam *beam)
{
    NEED(refuse_contradictions(reader, beam));
    NEED(reader_read_keys(reader, beam->entry, beam_keys, OF_SECTION, beam));
    if (beam->width > 0.0) {
        beam->area = beam->width * beam->height;
        beam->second_moment = beam->width * beam->height * beam->height * beam->height / 12.0;
    }
    if (!(beam->bending_stiffness > 0.0)) {
        NEED(refuse_missing(reader, beam, beam->youngs_modulus, beam->second_moment,
                            "bending_stiffness", "second_moment", stiffness_ways));
        beam->bending_stiffness = beam->youngs_modulus * beam->second_moment;
    }
    if (!(beam->mass_per_length > 0.0)) {
        NEED(refuse_missing(reader, beam, beam->density, beam->area, "mass_per_length", "area",
                            mass_ways));
        beam->mass_per_length = beam->density * beam->area;
    }
    return reader_read_keys(reader, beam->entry, beam_keys, OF_LENGTH, beam);
}

/* --- nodes -------------------------------------------------------------------------------- */

/*
 * Where a beam's nodes are: `elements` of one length, counted from 0 to `elements`, and named
 * nodes, which take a counted one's place or stand between two. A named node changes no other
 * one's name. The ends are called `start` and `end`.
 */

/* Nodes nearer to each other than this part of the beam's length are one. */
static const double SAME_NODE = 1e-9;
/* Others are this part of an element's length apart at least: very short elements spoil the
 * frequencies of all others. */
static const double LEAST_ELEMENT = 1e-2;

static struct beam_node *find_node(const struct beam *beam, const char *name)
{
    for (int i = 0; i < beam->n_nodes; i++) {
        if (strcmp(beam->nodes[i].name, name) == 0) {
            return &beam->nodes[i];
        }
    }
    return NULL;
}

static enum masing_status place_elements(struct reader *reader, struct beam *beam)
{
    int n_elements = beam->n_elements;
    struct masing_error *error = reader->error;
    char text[20];
    for (int i = 0; i <= n_elements; i++) {
        int length = snprintf(text, sizeof text, "%d", i);
        struct beam_node *node = &beam->nodes[i];
        *node = (struct beam_node){.beam = beam,
                                   .at = beam->entry,
                                   .position = beam->length * i / n_elements,
                                   .dofs = {BEAM_NODE_FREE, BEAM_NODE_FREE}};
        NEED_ALLOCATED(node->name = i == 0            ? "start"
                                    : i == n_elements ? "end"
                                                      : arena_text(&reader->tree->arena, text,
                                                                   (size_t)length));
    }
    beam->n_nodes = n_elements + 1;
    return MASING_OK;
}

/* Names of nodes that have none */
static bool is_count(const char *name)
{
    return name[strspn(name, "0123456789")] == '\0';
}

/* NULL where a beam or node can have this name */
static const char *name_fault(const char *name)
{
    const char *fault = names_fault(name);
    return fault ? fault : strchr(name, '.') ? "expected no dot" : NULL;
}

static const char *node_name_fault(const char *name)
{
    const char *fault = name_fault(name);
    bool is_end = strcmp(name, "start") == 0 || strcmp(name, "end") == 0;
    return fault            ? fault
           : is_end         ? "it is the name of one of the ends"
           : is_count(name) ? "nodes without a name are numbered"
                            : NULL;
}

/* The named node takes the place of the counted one there, or is inserted. */
static enum masing_status place_named(struct reader *reader, struct beam *beam,
                                      struct tree_node *child, double element)
{
    double position;
    int after = 0;
    const char *fault = node_name_fault(child->key);
    if (fault) {
        return reader_fail_key(reader, child, "'%.60s' cannot name a node: %s", child->key,
                               fault);
    }
    NEED(reader_number(reader, child, child->key, &position));
    NEED(reader_refuse(reader, !(position > 0.0 && position < beam->length), child,
                       "%.60s: expected a place between the ends, 0 and %g m (which are "
                       "called start and end), found %g",
                       child->key, beam->length, position));
    while (beam->nodes[after].position <= position) {
        after++;
    }
    struct beam_node *next = &beam->nodes[after], *last = next - 1;
    struct beam_node *near =
        position - last->position < next->position - position ? last : next;
    double gap = fabs(position - near->position);
    if (gap > SAME_NODE * beam->length ? gap < LEAST_ELEMENT * element
                                       : !is_count(near->name)) {
        return reader_fail(reader, child,
                           "%.60s: %.9g m is at the node '%.60s' (%.9g m) or too near to it; "
                           "expected a node of its own",
                           child->key, position, near->name, near->position);
    }
    if (gap > SAME_NODE * beam->length) {
        memmove(next + 1, next, (size_t)(beam->n_nodes - after) * sizeof *next);
        beam->n_nodes++;
        *next = (struct beam_node){
            .beam = beam, .position = position, .dofs = {BEAM_NODE_FREE, BEAM_NODE_FREE}};
        near = next;
    }
    near->name = child->key;
    near->at = child;
    return MASING_OK;
}

static enum masing_status read_nodes(struct reader *reader, struct beam *beam)
{
    struct masing_error *error = reader->error;
    struct tree_node *named = tree_find(beam->entry, "nodes");
    if (named) {
        NEED(reader_open_mapping(reader, named));
    }
    size_t room = (size_t)beam->n_elements + 1 + (size_t)(named ? named->count : 0);
    NEED_ALLOCATED(beam->nodes =
                       arena_allocate(&reader->tree->arena, room * sizeof *beam->nodes));
    NEED(place_elements(reader, beam));
    for (struct tree_node *child = named ? named->first : NULL; child; child = child->next) {
        NEED(place_named(reader, beam, child, beam->length / beam->n_elements));
    }
    return MASING_OK;
}

/* --- supports and joins ------------------------------------------------------------------- */

/* How a beam's nodes are held (`supports`) and joined to nodes of other beams (`join`). */

static enum masing_status find_named(struct reader *reader, const struct beam *beam,
                                     const struct tree_node *child, struct beam_node **node)
{
    char hint[100];
    struct masing_suggestion suggestion = masing_suggest_begin(child->key);
    *node = find_node(beam, child->key);
    if (*node) {
        return MASING_OK;
    }
    for (int i = 0; i < beam->n_nodes; i++) {
        masing_suggest_consider(&suggestion, beam->nodes[i].name);
    }
    return reader_fail_key(reader, child, "beam '%.60s' has no node '%.60s'%s", beam->name,
                           child->key, masing_suggest_text(&suggestion, hint, sizeof hint));
}

static enum masing_status read_supports(struct reader *reader, struct beam *beam,
                                        const struct tree_node *supports)
{
    static const char *const choices[] = {"free", "pinned", "guided", "clamped", NULL};
    enum { PINNED = 1, GUIDED = 2 }; /* and both: clamped */
    struct beam_node *node;
    int choice;
    NEED(reader_open_mapping(reader, supports));
    for (struct tree_node *child = supports->first; child; child = child->next) {
        NEED(find_named(reader, beam, child, &node));
        NEED(reader_choice(reader, child, child->key, choices, &choice));
        node->dofs[BEAM_W] = choice & PINNED ? BEAM_NODE_HELD : BEAM_NODE_FREE;
        node->dofs[BEAM_R] = choice & GUIDED ? BEAM_NODE_HELD : BEAM_NODE_FREE;
    }
    return MASING_OK;
}

/* BEAM.NODE of an earlier beam. */
static enum masing_status find_other(struct reader *reader, const struct tree_node *child,
                                     const struct beam *before, int n_before,
                                     const struct beam_node **node)
{
    const char *text = NULL;
    NEED(reader_text(reader, child, child->key, &text));
    const char *dot = strchr(text, '.');
    size_t length = dot ? (size_t)(dot - text) : 0;
    *node = NULL;
    for (int i = 0; i < n_before && !*node; i++) {
        if (strlen(before[i].name) == length && !strncmp(before[i].name, text, length)) {
            *node = find_node(&before[i], dot + 1);
        }
    }
    return reader_refuse(reader, !*node, child,
                         "%s: expected BEAM.NODE, a node of a beam that stands before this "
                         "one, found '%.60s'",
                         child->key, text);
}

static enum masing_status read_join(struct reader *reader, struct beam *beam,
                                    const struct tree_node *join, const struct beam *before,
                                    int n_before)
{
    struct beam_node *node;
    const struct beam_node *other;
    NEED(reader_open_mapping(reader, join));
    for (const struct tree_node *child = join->first; child; child = child->next) {
        NEED(find_named(reader, beam, child, &node));
        NEED(find_other(reader, child, before, n_before, &other));
        bool is_held =
            node->dofs[BEAM_W] == BEAM_NODE_HELD || node->dofs[BEAM_R] == BEAM_NODE_HELD;
        NEED(reader_refuse(reader, is_held, child,
                           "%s: is joined to another beam's node and cannot have a support "
                           "here; give it there",
                           child->key));
        node->joined = other->joined ? other->joined : other;
        memcpy(node->dofs, other->dofs, sizeof node->dofs);
    }
    return MASING_OK;
}

/* --- beams -------------------------------------------------------------------------------- */

static const char *const dof_letters[BEAM_NODE_DOFS] = {"w", "r"};

struct beam_list {
    int n, n_nodes, n_dofs;
    struct beam *beams;
};

static enum masing_status read_name(struct reader *reader, const struct beam_list *list,
                                    struct beam *beam)
{
    struct tree_node *node;
    const char *fault;
    NEED(reader_required(reader, beam->entry, "name", &node));
    NEED(reader_text(reader, node, "name", &beam->name));
    if ((fault = name_fault(beam->name)) != NULL) {
        return reader_fail(reader, node, "'%.60s' cannot name a beam: %s", beam->name, fault);
    }
    for (int i = 0; i < list->n; i++) {
        NEED(reader_refuse(reader, strcmp(list->beams[i].name, beam->name) == 0, node,
                           "there is a beam '%.60s' already (line %d)", beam->name,
                           list->beams[i].entry->place.line));
    }
    return MASING_OK;
}

static enum masing_status read_beam(struct reader *reader, struct tree_node *entry,
                                    struct beam_list *list)
{
    struct beam *beam = &list->beams[list->n];
    const struct tree_node *supports = tree_find(entry, "supports");
    const struct tree_node *join = tree_find(entry, "join");
    beam->entry = entry;
    NEED(reader_check_keys(reader, entry, beam_keys, 0, NULL));
    NEED(read_name(reader, list, beam));
    NEED(read_section(reader, beam));
    NEED(read_nodes(reader, beam));
    list->n_nodes += beam->n_nodes;
    NEED(reader_refuse(reader, list->n_nodes > MOST_NODES, entry,
                       "beams: expected at most %d nodes in all", MOST_NODES));
    NEED(supports ? read_supports(reader, beam, supports) : MASING_OK);
    NEED(join ? read_join(reader, beam, join, list->beams, list->n) : MASING_OK);
    for (int i = 0; i < beam->n_nodes; i++) { /* joined nodes have their numbers already */
        for (int k = 0; k < BEAM_NODE_DOFS && !beam->nodes[i].joined; k++) {
            if (beam->nodes[i].dofs[k] != BEAM_NODE_HELD) {
                beam->nodes[i].dofs[k] = list->n_dofs++;
            }
        }
    }
    list->n++;
    return MASING_OK;
}

/* --- names -------------------------------------------------------------------------------- */

static const char *dof_name(struct reader *reader, const struct beam_node *node, int k)
{
    char text[NAME];
    int length = snprintf(text, sizeof text, "%.200s.%.200s.%s", node->beam->name, node->name,
                          dof_letters[k]);
    return arena_text(&reader->tree->arena, text, (size_t)length);
}

/* The text to say of a name that is no DOF but could be taken for one. */
static enum masing_status note_absent(struct reader *reader, const struct beam_node *node,
                                      int k)
{
    struct masing_error *error = reader->error;
    struct reader_absent *absent = arena_allocate(&reader->tree->arena, sizeof *reader->absent);
    char why[2 * NAME] = "is held by a support: expected a DOF that can move, or ground";
    NEED_ALLOCATED(absent);
    if (node->joined) {
        snprintf(why, sizeof why, "is joined to another beam and called '%.200s.%.200s.%s'",
                 node->joined->beam->name, node->joined->name, dof_letters[k]);
    }
    NEED_ALLOCATED(absent->name = dof_name(reader, node, k));
    NEED_ALLOCATED(absent->why = arena_text(&reader->tree->arena, why, strlen(why)));
    absent->next = reader->absent;
    reader->absent = absent;
    return MASING_OK;
}

static enum masing_status name_beam(struct reader *reader, const struct beam *beam,
                                    struct dof_entry *entries)
{
    struct masing_error *error = reader->error;
    for (int i = 0; i < beam->n_nodes; i++) {
        const struct beam_node *node = &beam->nodes[i];
        for (int k = 0; k < BEAM_NODE_DOFS; k++) {
            if (node->joined || node->dofs[k] < 0) {
                NEED(note_absent(reader, node, k));
                continue;
            }
            struct dof_entry *own = &entries[node->dofs[k]];
            own->at = node->at;
            NEED_ALLOCATED(own->name = dof_name(reader, node, k));
        }
    }
    return MASING_OK;
}

static enum masing_status name_dofs(struct reader *reader, const struct tree_node *node,
                                    const struct tree_node *masses,
                                    const struct beam_list *list)
{
    struct masing_error *error = reader->error;
    int n = list->n_dofs;
    size_t room = (size_t)n + (size_t)(masses ? masses->count : 0);
    struct dof_entry *entries = arena_allocate(&reader->tree->arena, room * sizeof *entries);
    NEED_ALLOCATED(entries);
    for (int i = 0; i < list->n; i++) {
        NEED(name_beam(reader, &list->beams[i], entries));
    }
    for (struct tree_node *child = masses ? masses->first : NULL; child; child = child->next) {
        if (!strchr(child->key, '.')) { /* else it is a mass on a beam's node */
            entries[n++] = (struct dof_entry){.name = child->key, .at = child};
        }
    }
    NEED(reader_refuse(reader, n > MAX_DENSE_DOFS, node, "%s: expected 1 to %d DOFs, found %d",
                       node->key, MAX_DENSE_DOFS, n));
    return read_dof_list(reader, node, entries, n);
}

/* --- matrices ----------------------------------------------------------------------------- */

/* Elements whose entries, or omega^2 of whose own motion, are no numbers of full precision. */
static enum masing_status check_element(struct reader *reader, const struct beam *beam,
                                        const struct masing_beam_element *element)
{
    struct beam_element matrices = beam_element(element);
    double fastest = matrices.stiffness[1][1] / matrices.mass[1][1];
    bool is_normal = isnormal(matrices.stiffness[0][0]) && isnormal(matrices.stiffness[1][1]) &&
                     isnormal(matrices.mass[0][0]) && isnormal(matrices.mass[1][1]) &&
                     isnormal(fastest);
    return reader_refuse(reader, !is_normal, beam->entry,
                         "beam '%.60s': an element of length %.6g m with bending stiffness "
                         "%.6g N m^2 and mass per length %.6g kg/m is out of range: expected "
                         "stiffnesses, masses and frequencies between %.0e and %.0e",
                         beam->name, element->length, element->bending_stiffness,
                         element->mass_per_length, DBL_MIN, DBL_MAX);
}

static enum masing_status add_beam(struct reader *reader, const struct beam *beam)
{
    enum masing_status status = MASING_OK;
    struct masing_structure_spec *structure = &reader->spec->structure;
    for (int n = 0; n + 1 < beam->n_nodes && !status; n++) {
        const struct beam_node *nodes = &beam->nodes[n];
        struct masing_beam_element element = {.bending_stiffness = beam->bending_stiffness,
                                              .mass_per_length = beam->mass_per_length,
                                              .length = nodes[1].position - nodes[0].position};
        for (int i = 0; i < BEAM_ELEMENT_DOFS; i++) {
            int dof = nodes[i / BEAM_NODE_DOFS].dofs[i % BEAM_NODE_DOFS];
            element.dofs[i] = dof >= 0 ? dof : -1;
        }
        status = check_element(reader, beam, &element);
        beam_element_add(&element, structure->n_dofs, structure->mass, structure->stiffness);
        structure->beam_elements[structure->n_beam_elements++] = element;
    }
    return status;
}

enum masing_status read_beams(struct reader *reader, struct tree_node *node,
                              const struct tree_node *masses)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    struct masing_error *error = reader->error;
    struct beam_list list = {0};
    NEED(reader_sequence(reader, node));
    NEED(reader_refuse(reader, !node->count, node, "beams: expected at least one"));
    NEED_ALLOCATED(list.beams = arena_array(&reader->tree->arena, (size_t)node->count,
                                            sizeof *list.beams));
    for (struct tree_node *child = node->first; child; child = child->next) {
        NEED(read_beam(reader, child, &list));
    }
    NEED(name_dofs(reader, node, masses, &list));
    NEED(reader_matrix(reader, structure->n_dofs, &structure->mass));
    NEED(reader_matrix(reader, structure->n_dofs, &structure->stiffness));
    NEED_ALLOCATED(structure->beam_elements =
                       memory_array((size_t)list.n_nodes, sizeof *structure->beam_elements));
    for (int i = 0; i < list.n; i++) {
        NEED(add_beam(reader, &list.beams[i]));
    }
    return MASING_OK;
}
