/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `beams:` as DOFs, mass and stiffness. The DOFs are called BEAM.NODE.w and BEAM.NODE.r; those
 * that a support holds do not exist. Masses beside beams that are no DOF of theirs are DOFs of
 * their own, after the beams'.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model_file/beams.h"
#include "model/beam_element.h"

enum { MOST_NODES = 5000, NAME = 512 };

static const char *const dof_letters[BEAM_NODE_DOFS] = {"w", "r"};

struct beam_list {
    int n, n_nodes, n_dofs;
    struct beam *beams;
};

static enum masing_status read_name(struct reader *reader, const struct beam_list *list,
                                    struct beam *beam)
{
    enum masing_status status = MASING_OK;
    struct tree_node *node;
    const char *fault;
    TRY(reader_required(reader, beam->entry, "name", &node));
    TRY(reader_text(reader, node, "name", &beam->name));
    fault = names_fault(beam->name);
    fault = !fault && strchr(beam->name, '.') ? "expected no dot" : fault;
    if (fault) {
        TRY(reader_fail(reader, node, "'%.60s' cannot name a beam: %s", beam->name, fault));
    }
    for (int i = 0; i < list->n; i++) {
        if (strcmp(list->beams[i].name, beam->name) == 0) {
            TRY(reader_fail(reader, node, "there is a beam '%.60s' already (line %d)",
                            beam->name, list->beams[i].entry->place.line));
        }
    }
done:
    return status;
}

/* Joined nodes have their numbers from the beam that they are joined to. */
static void number_dofs(struct beam_list *list, struct beam *beam)
{
    for (int i = 0; i < beam->n_nodes; i++) {
        for (int k = 0; k < BEAM_NODE_DOFS && !beam->nodes[i].joined; k++) {
            if (beam->nodes[i].dofs[k] != BEAM_NODE_HELD) {
                beam->nodes[i].dofs[k] = list->n_dofs++;
            }
        }
    }
}

static enum masing_status read_beam(struct reader *reader, struct tree_node *entry,
                                    struct beam_list *list)
{
    static const char *const keys[] = {"name",           "bending_stiffness",
                                       "youngs_modulus", "second_moment",
                                       "section",        "mass_per_length",
                                       "density",        "area",
                                       "length",         "elements",
                                       "nodes",          "supports",
                                       "join",           NULL};
    enum masing_status status = MASING_OK;
    struct beam *beam = &list->beams[list->n];
    beam->entry = entry;
    TRY(reader_keys(reader, entry, keys, NULL));
    TRY(read_name(reader, list, beam));
    TRY(read_beam_section(reader, beam));
    TRY(read_beam_nodes(reader, beam, MOST_NODES));
    list->n_nodes += beam->n_nodes;
    if (list->n_nodes > MOST_NODES) {
        TRY(reader_fail(reader, entry, "beams: expected at most %d nodes in all", MOST_NODES));
    }
    TRY(read_beam_ends(reader, beam, list->beams, list->n));
    number_dofs(list, beam);
    list->n++;
done:
    return status;
}

/* --- names ------------------------------------------------------------------------------- */

static const char *dof_name(struct reader *reader, const char *beam, const char *node, int k)
{
    char text[NAME];
    int length = snprintf(text, sizeof text, "%.200s.%.200s.%s", beam, node, dof_letters[k]);
    return arena_text(&reader->tree->arena, text, (size_t)length);
}

/* The text to say of a name that is no DOF but could be taken for one. */
static enum masing_status note_absent(struct reader *reader, const struct beam *beam,
                                      const struct beam_node *node, int k)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct reader_absent *absent = arena_allocate(&reader->tree->arena, sizeof *reader->absent);
    char why[2 * NAME] = "is held by a support: expected a DOF that can move, or ground";
    TRY_ALLOCATED(absent);
    if (node->joined) {
        snprintf(why, sizeof why, "is joined to another beam and called '%.200s.%.200s.%s'",
                 node->joined->name, node->joined_name, dof_letters[k]);
    }
    absent->name = dof_name(reader, beam->name, node->name, k);
    absent->why = arena_text(&reader->tree->arena, why, strlen(why));
    TRY_ALLOCATED(absent->name);
    TRY_ALLOCATED(absent->why);
    absent->next = reader->absent;
    reader->absent = absent;
done:
    return status;
}

static enum masing_status name_beam(struct reader *reader, const struct beam *beam,
                                    struct dof_entry *entries)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    for (int i = 0; i < beam->n_nodes; i++) {
        const struct beam_node *node = &beam->nodes[i];
        for (int k = 0; k < BEAM_NODE_DOFS; k++) {
            if (node->joined || node->dofs[k] < 0) {
                TRY(note_absent(reader, beam, node, k));
                continue;
            }
            struct dof_entry *own = &entries[node->dofs[k]];
            own->at = node->at;
            own->name = dof_name(reader, beam->name, node->name, k);
            TRY_ALLOCATED(own->name);
        }
    }
done:
    return status;
}

static bool is_own_mass(const struct tree_node *entry)
{
    return !strchr(entry->key, '.');
}

static int count_own_masses(const struct tree_node *masses)
{
    int n = 0;
    for (const struct tree_node *child = masses ? masses->first : NULL; child;
         child = child->next) {
        n += is_own_mass(child);
    }
    return n;
}

static enum masing_status name_dofs(struct reader *reader, const struct tree_node *node,
                                    const struct tree_node *masses,
                                    const struct beam_list *list)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    int n = list->n_dofs, n_all = n + count_own_masses(masses);
    struct dof_entry *entries =
        arena_allocate(&reader->tree->arena, ((size_t)n_all + 1) * sizeof *entries);
    TRY_ALLOCATED(entries);
    for (int i = 0; i < list->n; i++) {
        TRY(name_beam(reader, &list->beams[i], entries));
    }
    for (struct tree_node *child = masses ? masses->first : NULL; child; child = child->next) {
        if (is_own_mass(child)) {
            entries[n++] = (struct dof_entry){child->key, child};
        }
    }
    TRY(read_dof_list(reader, node, entries, n));
done:
    return status;
}

/* --- matrices ---------------------------------------------------------------------------- */

static struct masing_beam_element element_of(const struct beam *beam, int first)
{
    const struct beam_node *nodes = &beam->nodes[first];
    struct masing_beam_element element = {.bending_stiffness = beam->bending_stiffness,
                                          .mass_per_length = beam->mass_per_length,
                                          .length = nodes[1].position - nodes[0].position};
    for (int i = 0; i < BEAM_ELEMENT_DOFS; i++) {
        int dof = nodes[i / BEAM_NODE_DOFS].dofs[i % BEAM_NODE_DOFS];
        element.dofs[i] = dof >= 0 ? dof : -1;
    }
    return element;
}

/* Elements whose entries, or omega^2 of whose own motion, are no numbers of full precision. */
static enum masing_status check_element(struct reader *reader, const struct beam *beam,
                                        const struct masing_beam_element *element)
{
    struct beam_element matrices = beam_element(element);
    double fastest = matrices.stiffness[1][1] / matrices.mass[1][1];
    const double values[] = {matrices.stiffness[0][0], matrices.stiffness[1][1],
                             matrices.mass[0][0], matrices.mass[1][1], fastest};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (!isnormal(values[i])) {
            return reader_fail(reader, beam->entry,
                               "beam '%.60s': an element of length %.6g m with bending "
                               "stiffness %.6g N m^2 and mass per length %.6g kg/m is out of "
                               "range: expected stiffnesses, masses and frequencies between "
                               "%.0e and %.0e",
                               beam->name, element->length, element->bending_stiffness,
                               element->mass_per_length, DBL_MIN, DBL_MAX);
        }
    }
    return MASING_OK;
}

static enum masing_status add_beam(struct reader *reader, const struct beam *beam)
{
    enum masing_status status = MASING_OK;
    struct masing_structure_spec *structure = &reader->spec->structure;
    for (int k = 0; k + 1 < beam->n_nodes; k++) {
        struct masing_beam_element element = element_of(beam, k);
        TRY(check_element(reader, beam, &element));
        beam_element_add(&element, structure->n_dofs, structure->mass, structure->stiffness);
        structure->beam_elements[structure->n_beam_elements++] = element;
    }
done:
    return status;
}

static enum masing_status read_list(struct reader *reader, const struct tree_node *node,
                                    struct beam_list *list)
{
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    TRY(reader_sequence(reader, node));
    if (!node->count) {
        TRY(reader_fail(reader, node, "beams: expected at least one"));
    }
    list->beams =
        arena_allocate(&reader->tree->arena, (size_t)node->count * sizeof *list->beams);
    TRY_ALLOCATED(list->beams);
    for (struct tree_node *child = node->first; child; child = child->next) {
        TRY(read_beam(reader, child, list));
    }
done:
    return status;
}

enum masing_status read_beams(struct reader *reader, const struct tree_node *node,
                              const struct tree_node *masses)
{
    struct masing_structure_spec *structure = &reader->spec->structure;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct beam_list list = {0};
    TRY(read_list(reader, node, &list));
    TRY(name_dofs(reader, node, masses, &list));
    size_t n = (size_t)structure->n_dofs;
    structure->mass = memory_array(n * n, sizeof *structure->mass);
    structure->stiffness = memory_array(n * n, sizeof *structure->stiffness);
    TRY_ALLOCATED(structure->mass);
    TRY_ALLOCATED(structure->stiffness);
    structure->beam_elements =
        memory_array((size_t)list.n_nodes, sizeof *structure->beam_elements);
    TRY_ALLOCATED(structure->beam_elements);
    for (int i = 0; i < list.n; i++) {
        TRY(add_beam(reader, &list.beams[i]));
    }
done:
    return status;
}
