/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `structure.cyclic:` one of equal sectors, how its matrices go on in the following one, and
 * what a load of an engine order is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/seal.h"
#include "model_file/reader_cyclic.h"

enum { LEAST_SECTORS = 3, MOST_SECTORS = 100000, MOST_ORDER = 1000000 };

/* --- the section -------------------------------------------------------------------------- */

static const char *const switches[] = {"false", "true", NULL};

#define CYCLIC(member) offsetof(struct reader_cyclic, member)

static const struct reader_key cyclic_keys[] = {
    KEY("sectors", CYCLIC(n_sectors), KEY_INTEGER, .is_required = true,
        .minimum = LEAST_SECTORS, .maximum = MOST_SECTORS),
    KEY("unroll", CYCLIC(is_unrolled), KEY_SWITCH, .has_default = true, .choices = switches),
    {.name = "mistuning", .read = read_mistuning},
    {.name = "low"}, /* with the matrices, whose DOFs they name */
    {.name = "high"},
    {.name = "axis"}, /* with the nodes of both */
    {.name = "match"},
    {0},
};

enum masing_status read_cyclic(struct reader *reader, struct tree_node *section,
                               enum cyclic_form form)
{
    struct masing_cyclic_spec *cyclic = &reader->spec->structure.cyclic;
    struct tree_node *boundary = tree_find(section, "low");
    boundary = boundary ? boundary : tree_find(section, "high");
    NEED(reader_refuse(reader, form == CYCLIC_OTHER, section,
                       "cyclic: expected a structure of masses and springs, or of matrices "
                       "(dofs, mass and stiffness, or calculix, abaqus or nastran); other "
                       "sectors are not supported yet"));
    NEED(reader_section(reader, section, cyclic_keys, 0, &reader->cyclic));
    NEED(
        reader_refuse(reader, reader->cyclic.mistuning && !reader->cyclic.is_unrolled,
                      tree_find(section, "mistuning"),
                      "mistuning: expected 'unroll: true' beside it, since sectors that differ "
                      "share no travelling wave"));
    NEED(reader_refuse(reader, form == CYCLIC_LUMPED && boundary, boundary,
                       "%s: belongs to matrices; masses of the following sector are "
                       "'next.NAME'",
                       boundary ? boundary->key : ""));
    cyclic->n_sectors = reader->cyclic.n_sectors;
    cyclic->place = section->place;
    return MASING_OK;
}

/* What stands still acts k times a turn on all that passes it: engine order and harmonic are
 * one number, and either gives it. */
static enum masing_status read_order_of_shaft(struct reader *reader, struct tree_node *map,
                                              struct masing_load_spec *load)
{
    struct tree_node *order = tree_find(map, "engine_order");
    struct tree_node *harmonic = tree_find(map, "harmonic"), *node = order ? order : harmonic;
    int number = 0;
    if (!node) {
        return reader->spec->structure.cyclic.n_sectors > 0
                   ? reader_required(reader, map, "engine_order", &node)
                   : MASING_OK;
    }
    NEED(reader_integer(reader, node, node->key, 1, MAX_HARMONIC, &load->harmonic));
    load->engine_order = load->harmonic;
    NEED(order && harmonic
             ? reader_integer(reader, harmonic, "harmonic", 1, MAX_HARMONIC, &number)
             : MASING_OK);
    return reader_refuse(reader, number && number != load->harmonic, harmonic,
                         "harmonic: %d beside engine order %d, expected the same number or "
                         "none: the frequency is that of the shaft",
                         number, load->harmonic);
}

enum masing_status read_engine_order(struct reader *reader, struct tree_node *map,
                                     struct masing_load_spec *load)
{
    struct tree_node *node = tree_find(map, "engine_order");
    if (reader->spec->is_of_shaft) {
        return read_order_of_shaft(reader, map, load);
    }
    if (reader->spec->structure.cyclic.n_sectors == 0) {
        return reader_refuse(reader, node, node,
                             "engine_order: expected a structure with 'cyclic', or "
                             "'frequency_of: shaft'");
    }
    if (!node && load->kind == MASING_LOAD_BASE_ACCELERATION) {
        return MASING_OK; /* 0: it moves all sectors alike */
    }
    NEED(reader_refuse(reader, !node, map,
                       "missing key 'engine_order' of a load on a cyclic structure: expected a "
                       "whole number k, with which the load of sector s lags by 360 k s/%d "
                       "degrees",
                       reader->spec->structure.cyclic.n_sectors));
    return reader_integer(reader, node, "engine_order", -MOST_ORDER, MOST_ORDER,
                          &load->engine_order);
}

/* --- displacements of the following sector ------------------------------------------------ */

static const char next_prefix[] = "next.";

bool reader_is_next(const struct reader *reader, const char *name)
{
    return reader->spec->structure.cyclic.n_sectors > 0 &&
           strncmp(name, next_prefix, sizeof next_prefix - 1) == 0;
}

/* DOF "3.NAME" of a whole disk, which outputs and motions to start from may speak of; -1: there
 * is none. */
static int find_in_disk(const struct reader *reader, const char *name)
{
    const struct masing_structure_spec *structure = &reader->spec->structure;
    size_t n_digits = strspn(name, "0123456789");
    bool is_numbered =
        reader->cyclic.is_unrolled && n_digits > 0 && n_digits < 7 && name[n_digits] == '.';
    int dof = is_numbered ? names_find(&reader->dofs, name + n_digits + 1) : -1;
    int sector = is_numbered ? (int)strtol(name, NULL, 10) : 0;
    return dof >= 0 && sector < structure->cyclic.n_sectors ? sector * structure->n_dofs + dof
                                                            : -1;
}

const char *reader_own_name(const struct reader *reader, const char *name, char *prefix,
                            size_t size)
{
    size_t n_digits = strspn(name, "0123456789"), length = 0;
    if (reader_is_next(reader, name)) {
        length = sizeof next_prefix - 1;
    } else if (reader->cyclic.n_sectors > 0 && n_digits > 0 && name[n_digits] == '.') {
        const char *rest = name + n_digits + 1; /* no direction of a node */
        length = !reader->has_nodes || strchr(rest, '.') ? n_digits + 1 : 0;
    }
    snprintf(prefix, size, "%.*s", (int)length, name);
    return name + length;
}

int reader_find_dof(const struct reader *reader, const char *name)
{
    const struct masing_structure_spec *structure = &reader->spec->structure;
    bool is_next = reader_is_next(reader, name);
    const char *own = is_next ? name + sizeof next_prefix - 1 : name;
    int dof = names_find(&reader->dofs, own);
    for (int i = 0; dof < 0 && !is_next && i < reader->cyclic.n_high; i++) {
        if (strcmp(reader->cyclic.high_names[i], name) == 0) {
            dof = reader->cyclic.low[i];
            is_next = true;
        }
    }
    return dof < 0 ? find_in_disk(reader, name) : is_next ? dof + structure->n_dofs : dof;
}

int cyclic_reach(const struct reader *reader)
{
    return reader->cyclic.n_high > 0 ? 2 : 1;
}

bool cyclic_is_high(const struct reader *reader, int dof)
{
    for (int i = 0; i < reader->cyclic.n_high; i++) {
        if (reader->cyclic.low[i] + reader->spec->structure.n_dofs == dof) {
            return true;
        }
    }
    return false;
}

/* A direction names a DOF of both boundaries once, or twice with one number. */
static enum masing_status fold_direction(struct reader *reader, const struct tree_node *node,
                                         double *own, const double *next)
{
    for (int i = 0; i < reader->cyclic.n_high; i++) {
        int dof = reader->cyclic.low[i];
        NEED(reader_refuse(reader, next[dof] != 0.0 && own[dof] != 0.0 && next[dof] != own[dof],
                           node,
                           "direction: '%s' and '%s', which is '%s' of the following sector, "
                           "expected the same number, since all sectors move alike",
                           reader->spec->structure.dof_names[dof], reader->cyclic.high_names[i],
                           reader->spec->structure.dof_names[dof]));
        own[dof] = next[dof] != 0.0 ? next[dof] : own[dof];
    }
    return MASING_OK;
}

enum masing_status cyclic_fold_pattern(struct reader *reader, const struct tree_node *node,
                                       bool is_motion, int order, double *pattern,
                                       double **imaginary)
{
    size_t n = (size_t)reader->spec->structure.n_dofs;
    if (reader->cyclic.n_high == 0 || !pattern) {
        return MASING_OK;
    }
    if (is_motion) {
        return fold_direction(reader, node, pattern, pattern + n);
    }
    double angle = TWO_PI * (order % reader->cyclic.n_sectors) / reader->cyclic.n_sectors;
    for (size_t i = 0; i < n; i++) { /* the sector before acts, an angle earlier */
        double force = pattern[n + i];
        if (force != 0.0 && imaginary && !*imaginary) {
            NEED(reader_matrix(reader, 1, imaginary));
        }
        pattern[i] += force * cos(angle);
        if (force != 0.0 && imaginary) {
            (*imaginary)[i] += force * sin(angle);
        }
    }
    return MASING_OK;
}

enum masing_status cyclic_check(struct reader *reader, const struct tree_node *node, int n,
                                const struct masing_combination *sums)
{
    const struct masing_structure_spec *structure = &reader->spec->structure;
    for (int i = 0; i < n; i++) {
        for (int t = 0; t < sums[i].n_terms; t++) {
            int dof = sums[i].terms[t].dof;
            NEED(reader_refuse(reader, dof >= 2 * structure->n_dofs, node,
                               "'%d.%s' names one sector, expected DOFs of any one and, with "
                               "'next.', of the following one",
                               dof / structure->n_dofs,
                               structure->dof_names[dof % structure->n_dofs]));
        }
    }
    return MASING_OK;
}

enum masing_status cyclic_add(struct reader *reader, int row, int column, double value,
                              double *own, double **coupling)
{
    struct masing_error *error = reader->error;
    int n = reader->spec->structure.n_dofs;
    size_t rows = (size_t)n;
    if ((row < n) != (column < n)) {
        if (row < n) { /* the other one is its transpose */
            NEED(*coupling ? MASING_OK : reader_matrix(reader, n, coupling));
            (*coupling)[(size_t)row + (size_t)(column - n) * rows] += value;
        }
        return MASING_OK;
    }
    NEED_ALLOCATED(own);
    own[(size_t)(row % n) + (size_t)(column % n) * rows] += value;
    return MASING_OK;
}

/* --- matrices of a sector with both of its boundaries ------------------------------------- */

/* Names of DOFs of a boundary; joined [n_dofs]. */
static enum masing_status read_boundary(struct reader *reader, struct tree_node *section,
                                        const char *key, int **dofs, int *n)
{
    struct masing_error *error = reader->error;
    struct tree_node *list;
    NEED(reader_required(reader, section, key, &list));
    NEED(reader_sequence(reader, list));
    NEED(reader_refuse(reader, list->count == 0, list, "%s: expected at least one DOF", key));
    NEED_ALLOCATED(*dofs = arena_array(&reader->tree->arena, (size_t)list->count, sizeof(int)));
    *n = 0;
    for (struct tree_node *node = list->first; node; node = node->next) {
        int *dof = &(*dofs)[*n];
        NEED(reader_dof(reader, node, key, false, dof));
        NEED(
            reader_refuse(reader, *dof >= reader->spec->structure.n_dofs, node,
                          "%s: '%s' is of the following sector, expected a DOF of the matrices",
                          key, node->text));
        for (int i = 0; i < *n; i++) {
            NEED(reader_refuse(reader, (*dofs)[i] == *dof, node, "%s: '%s' stands here twice",
                               key, node->text));
        }
        ++*n;
    }
    return MASING_OK;
}

/* high becomes low of the following sector, as DOFs are named, in their order. */
static enum masing_status join_lists(struct reader *reader, struct tree_node *section,
                                     struct joined_dof *joined)
{
    struct masing_error *error = reader->error;
    struct reader_cyclic *cyclic = &reader->cyclic;
    struct arena *arena = &reader->tree->arena;
    char **names = reader->spec->structure.dof_names;
    int *high, n_low = 0, n_high = 0;
    NEED(read_boundary(reader, section, "low", &cyclic->low, &n_low));
    NEED(read_boundary(reader, section, "high", &high, &n_high));
    NEED(reader_refuse(reader, n_low != n_high, tree_find(section, "high"),
                       "high: %d DOFs, expected %d, one for each of 'low' in the same order",
                       n_high, n_low));
    cyclic->high_names = arena_array(arena, (size_t)n_high, sizeof *cyclic->high_names);
    NEED_ALLOCATED(cyclic->high_names);
    for (int i = 0; i < n_high; i++) {
        const char *name = names[high[i]];
        joined[high[i]] = (struct joined_dof){1, {cyclic->low[i]}, {1.0}, true};
        NEED_ALLOCATED(cyclic->high_names[i] = arena_text(arena, name, strlen(name)));
    }
    for (int i = 0; i < n_low; i++) {
        NEED(reader_refuse(reader, joined[cyclic->low[i]].is_next, tree_find(section, "low"),
                           "low: '%s' stands in 'high' as well, expected boundaries apart",
                           names[cyclic->low[i]]));
    }
    cyclic->n_high = n_high;
    return MASING_OK;
}

/* A name of a set of nodes, a list of DOFs, or nothing. */
static bool is_set(const struct tree_node *section, const char *key)
{
    const struct tree_node *node = tree_find(section, key);
    return node && node->kind == TREE_SCALAR;
}

enum masing_status join_boundaries(struct reader *reader, struct tree_node *section)
{
    struct masing_error *error = reader->error;
    struct reader_cyclic *cyclic = &reader->cyclic;
    size_t n = (size_t)reader->spec->structure.n_dofs;
    bool are_sets = is_set(section, "low") || is_set(section, "high");
    struct tree_node *axis = tree_find(section, "axis"), *match = tree_find(section, "match");
    struct joined_dof *joined = arena_array(&reader->tree->arena, n, sizeof *joined);
    NEED_ALLOCATED(joined);
    axis = axis ? axis : match;
    NEED(reader_refuse(reader, axis && !are_sets, axis,
                       "%s: goes with sets of nodes in 'low' and 'high'; listed DOFs are those "
                       "of each sector's own axes",
                       axis ? axis->key : ""));
    if (are_sets) {
        NEED(match_boundaries(reader, section, joined));
    } else {
        NEED(join_lists(reader, section, joined));
    }
    if (reader->mesh) { /* which names DOFs of both boundaries until everything is read */
        cyclic->joined = joined;
        cyclic->n_high = 0;
        return MASING_OK;
    }
    NEED(join_structure(reader, joined));
    for (int i = 0; i < cyclic->n_high; i++) {
        cyclic->low[i] = joined[cyclic->low[i]].dofs[0];
    }
    return names_create(reader->spec->structure.dof_names, reader->spec->structure.n_dofs,
                        sizeof *reader->spec->structure.dof_names, &reader->dofs, error);
}

enum masing_status join_at_end(struct reader *reader)
{
    struct joined_dof *joined = reader->cyclic.joined;
    int n = reader->spec->structure.n_dofs;
    if (!joined) {
        return MASING_OK;
    }
    NEED(join_structure(reader, joined));
    return join_the_rest(reader, joined, n);
}
