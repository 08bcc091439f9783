/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gmsh's .msh files of the formats 2.2 and 4.1 in ASCII: nodes, elements, and physical groups
 * as sets of nodes and of elements. A group without a name is called as gmsh calls it in other
 * formats, PhysicalSurface12.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/mesh/mesh_builder.h"
#include "data/mesh/mesh_numbers.h"

enum { GROUP_NAME = 256, MOST_NODES = 216 };

/* A physical group */
struct group {
    int dimension, tag;
    char name[GROUP_NAME];
    int nodes, elements; /* collections; -1: not made yet */
};

/* Which groups an entity of the geometry belongs to */
struct membership {
    int dimension, entity, group;
};

struct gmsh {
    struct mesh_builder *builder;
    struct masing_error *error;
    struct text_lines lines;
    size_t position; /* in the line */
    bool is_new;     /* format 4.1 */
    int n_groups;
    size_t group_capacity;
    struct group *groups;
    size_t n_memberships, membership_capacity;
    struct membership *memberships;
    size_t tag_capacity;
    int *tags; /* of the nodes of a block */
};

/* --- words over lines --------------------------------------------------------------------- */

static enum masing_status next_word(struct gmsh *gmsh, const char *what, struct text_word *word)
{
    while (!text_lines_word(&gmsh->lines, &gmsh->position, word)) {
        gmsh->position = 0;
        if (!text_lines_next(&gmsh->lines)) {
            gmsh->lines.length = 0;
            return text_lines_fail(&gmsh->lines, 1, "expected %s: the file is cut short", what);
        }
    }
    return MASING_OK;
}

static enum masing_status next_integer(struct gmsh *gmsh, const char *what, int minimum,
                                       int *value)
{
    struct text_word word;
    NEED(next_word(gmsh, what, &word));
    return mesh_integer(&gmsh->lines, &word, what, minimum, value);
}

static enum masing_status next_number(struct gmsh *gmsh, const char *what, double *value)
{
    struct text_word word;
    NEED(next_word(gmsh, what, &word));
    return mesh_number(&gmsh->lines, &word, what, value);
}

static void end_line(struct gmsh *gmsh)
{
    gmsh->position = gmsh->lines.length;
}

/* --- types of elements -------------------------------------------------------------------- */

struct gmsh_type {
    int n_nodes, dimension;
    enum mesh_shape shape;
    const signed char *order; /* [n_nodes] where our nodes stand in gmsh's list, or NULL */
};

/* gmsh counts the middles of edges by the corner that they begin at. */
static const signed char order_tetrahedron[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const signed char order_hexahedron[] = {0,  1, 2,  3,  4,  5,  6,  7,  8,  11,
                                               13, 9, 16, 18, 19, 17, 10, 12, 14, 15};
static const signed char order_wedge[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11};

static const struct gmsh_type types[] = {
    [1] = {2, 1, MESH_OTHER, NULL},
    [2] = {3, 2, MESH_TRIANGLE_3, NULL},
    [3] = {4, 2, MESH_QUADRANGLE_4, NULL},
    [4] = {4, 3, MESH_TETRAHEDRON_4, NULL},
    [5] = {8, 3, MESH_HEXAHEDRON_8, NULL},
    [6] = {6, 3, MESH_WEDGE_6, NULL},
    [7] = {5, 3, MESH_OTHER, NULL},
    [8] = {3, 1, MESH_OTHER, NULL},
    [9] = {6, 2, MESH_TRIANGLE_6, NULL},
    [10] = {9, 2, MESH_OTHER, NULL},
    [11] = {10, 3, MESH_TETRAHEDRON_10, order_tetrahedron},
    [12] = {27, 3, MESH_OTHER, NULL},
    [13] = {18, 3, MESH_OTHER, NULL},
    [14] = {14, 3, MESH_OTHER, NULL},
    [15] = {1, 0, MESH_OTHER, NULL},
    [16] = {8, 2, MESH_QUADRANGLE_8, NULL},
    [17] = {20, 3, MESH_HEXAHEDRON_20, order_hexahedron},
    [18] = {15, 3, MESH_WEDGE_15, order_wedge},
    [19] = {13, 3, MESH_OTHER, NULL},
};

static const struct gmsh_type *type_of(int number)
{
    const int n = (int)(sizeof types / sizeof *types);
    return number > 0 && number < n && types[number].n_nodes > 0 ? &types[number] : NULL;
}

/* --- physical groups ---------------------------------------------------------------------- */

static enum masing_status find_group(struct gmsh *gmsh, int dimension, int tag, int *group)
{
    static const char *const kinds[] = {"Point", "Line", "Surface", "Volume"};
    struct masing_error *error = gmsh->error;
    for (*group = 0; *group < gmsh->n_groups; ++*group) {
        if (gmsh->groups[*group].dimension == dimension && gmsh->groups[*group].tag == tag) {
            return MASING_OK;
        }
    }
    NEED_ALLOCATED(memory_grow((void **)&gmsh->groups, (size_t)gmsh->n_groups + 1,
                               &gmsh->group_capacity, sizeof *gmsh->groups));
    struct group *one = &gmsh->groups[gmsh->n_groups++];
    *one = (struct group){dimension, tag, "", -1, -1};
    snprintf(one->name, sizeof one->name, "Physical%s%d", kinds[dimension & 3], tag);
    return MASING_OK;
}

/* dimension tag "name" */
static enum masing_status read_name(struct gmsh *gmsh)
{
    int dimension = 0, tag = 0, group;
    NEED(next_integer(gmsh, "the dimension of a group", 0, &dimension));
    NEED(next_integer(gmsh, "the number of a group", 0, &tag));
    const char *line = gmsh->lines.line, *end = line + gmsh->lines.length;
    const char *first = memchr(line, '"', gmsh->lines.length), *last = end;
    while (last > line && last[-1] != '"') {
        last--;
    }
    if (!first || last < first + 3 || last - first - 2 >= GROUP_NAME || dimension > 3) {
        return text_lines_fail(&gmsh->lines, 1,
                               "expected 'dimension number \"name\"' of a physical group");
    }
    NEED(find_group(gmsh, dimension, tag, &group));
    snprintf(gmsh->groups[group].name, GROUP_NAME, "%.*s", (int)(last - first - 2), first + 1);
    end_line(gmsh);
    return MASING_OK;
}

static enum masing_status read_names(struct gmsh *gmsh)
{
    int n = 0;
    NEED(next_integer(gmsh, "the number of physical groups", 0, &n));
    for (int i = 0; i < n; i++) {
        NEED(read_name(gmsh));
    }
    return MASING_OK;
}

/* An element belongs to a group, and its nodes do: where they are not kept with the element,
 * one by one. */
static enum masing_status add_to_group(struct gmsh *gmsh, int index, int element,
                                       const struct gmsh_type *type, const int *nodes)
{
    struct group *group = &gmsh->groups[index];
    struct mesh_builder *builder = gmsh->builder;
    size_t length = strlen(group->name);
    if (group->nodes < 0) {
        NEED(mesh_builder_collection(builder, MESH_NODE_SET, group->name, length,
                                     &group->nodes));
        NEED(mesh_builder_collection(builder, MESH_ELEMENT_SET, group->name, length,
                                     &group->elements));
        NEED(mesh_builder_add(builder, group->nodes, group->elements, 0, 0, 0));
    }
    NEED(mesh_builder_add(builder, group->elements, element, element, 1, 0));
    for (int k = 0; type->shape == MESH_OTHER && k < type->n_nodes; k++) {
        NEED(mesh_builder_add(builder, group->nodes, nodes[k], nodes[k], 1, 0));
    }
    return MASING_OK;
}

/* --- nodes and elements ------------------------------------------------------------------- */

static enum masing_status read_point(struct gmsh *gmsh, int number)
{
    double point[3] = {0.0};
    for (int k = 0; k < 3; k++) {
        NEED(next_number(gmsh, "a coordinate", &point[k]));
    }
    gmsh->builder->line = gmsh->lines.number;
    return mesh_builder_node(gmsh->builder, number, point);
}

static enum masing_status read_element(struct gmsh *gmsh, int number,
                                       const struct gmsh_type *type, int nodes[MOST_NODES])
{
    int ordered[MESH_ELEMENT_NODES];
    for (int k = 0; k < type->n_nodes; k++) {
        NEED(next_integer(gmsh, "a node of an element", 1, &nodes[k]));
    }
    for (int k = 0; type->shape != MESH_OTHER && k < type->n_nodes; k++) {
        ordered[k] = nodes[type->order ? type->order[k] : k];
    }
    gmsh->builder->line = gmsh->lines.number;
    return mesh_builder_element(gmsh->builder, number, type->shape, ordered);
}

static enum masing_status next_type(struct gmsh *gmsh, const struct gmsh_type **type)
{
    int number = 0;
    NEED(next_integer(gmsh, "the type of an element", 1, &number));
    *type = type_of(number);
    return *type ? MASING_OK
                 : text_lines_fail(&gmsh->lines, 1,
                                   "elements of gmsh's type %d are not supported: expected "
                                   "first or second order",
                                   number);
}

/* Format 2.2: number x y z */
static enum masing_status read_old_nodes(struct gmsh *gmsh)
{
    int n = 0, number = 0;
    NEED(next_integer(gmsh, "the number of nodes", 0, &n));
    for (int i = 0; i < n; i++) {
        NEED(next_integer(gmsh, "the number of a node", 1, &number));
        NEED(read_point(gmsh, number));
    }
    return MASING_OK;
}

/* Format 2.2: number type n_tags tags nodes; the first tag is the physical group, 0: none */
static enum masing_status read_old_elements(struct gmsh *gmsh)
{
    const struct gmsh_type *type = NULL;
    int n = 0, number = 0, n_tags = 0, tag = 0, physical, group, nodes[MOST_NODES];
    struct text_word word;
    NEED(next_integer(gmsh, "the number of elements", 0, &n));
    for (int i = 0; i < n; i++) {
        physical = 0;
        NEED(next_integer(gmsh, "the number of an element", 1, &number));
        NEED(next_type(gmsh, &type));
        NEED(next_integer(gmsh, "the number of tags", 0, &n_tags));
        for (int k = 0; k < n_tags; k++) {
            if (k == 0) {
                NEED(next_integer(gmsh, "a tag", 0, &tag));
                physical = tag;
            } else {
                NEED(next_word(gmsh, "a tag", &word));
            }
        }
        NEED(read_element(gmsh, number, type, nodes));
        if (physical > 0) {
            NEED(find_group(gmsh, type->dimension, physical, &group));
            NEED(add_to_group(gmsh, group, number, type, nodes));
        }
    }
    return MASING_OK;
}

/* Format 4.1: tag, box (a point has none but its place), physical groups, boundary */
static enum masing_status read_entity(struct gmsh *gmsh, int dimension)
{
    struct masing_error *error = gmsh->error;
    struct membership membership = {.dimension = dimension};
    int n = 0, physical = 0;
    double number;
    struct text_word word;
    NEED(next_word(gmsh, "the number of an entity", &word));
    NEED(text_lines_integer(&gmsh->lines, &word, "entity", INT_MIN, INT_MAX,
                            &membership.entity));
    for (int k = 0; k < (dimension == 0 ? 3 : 6); k++) {
        NEED(next_number(gmsh, "a place of an entity", &number));
    }
    NEED(next_integer(gmsh, "the number of groups of an entity", 0, &n));
    for (int k = 0; k < n; k++) {
        NEED(next_word(gmsh, "a group of an entity", &word));
        NEED(text_lines_integer(&gmsh->lines, &word, "group", INT_MIN + 1, INT_MAX, &physical));
        NEED(find_group(gmsh, dimension, abs(physical), &membership.group));
        NEED_ALLOCATED(memory_grow((void **)&gmsh->memberships, gmsh->n_memberships + 1,
                                   &gmsh->membership_capacity, sizeof *gmsh->memberships));
        gmsh->memberships[gmsh->n_memberships++] = membership;
    }
    if (dimension > 0) {
        NEED(next_integer(gmsh, "the number of parts of a boundary", 0, &n));
        for (int k = 0; k < n; k++) {
            NEED(next_word(gmsh, "a part of a boundary", &word));
        }
    }
    return MASING_OK;
}

static enum masing_status read_entities(struct gmsh *gmsh)
{
    int n[4] = {0};
    for (int dimension = 0; dimension < 4; dimension++) {
        NEED(next_integer(gmsh, "the number of entities", 0, &n[dimension]));
    }
    for (int dimension = 0; dimension < 4; dimension++) {
        for (int i = 0; i < n[dimension]; i++) {
            NEED(read_entity(gmsh, dimension));
        }
    }
    return MASING_OK;
}

/* Dimension and number of the entity that a block of format 4.1 belongs to */
static enum masing_status read_block(struct gmsh *gmsh, int *dimension, int *entity)
{
    struct text_word word;
    NEED(next_integer(gmsh, "the dimension of a block", 0, dimension));
    NEED(next_word(gmsh, "the entity of a block", &word));
    return text_lines_integer(&gmsh->lines, &word, "entity", INT_MIN, INT_MAX, entity);
}

/* How many blocks there are; three numbers more */
static enum masing_status read_totals(struct gmsh *gmsh, int *n_blocks)
{
    int total = 0;
    NEED(next_integer(gmsh, "the number of blocks", 0, n_blocks));
    for (int k = 0; k < 3; k++) {
        NEED(next_integer(gmsh, "a number of nodes or elements", 0, &total));
    }
    return MASING_OK;
}

/* Numbers of all nodes of the block, then their coordinates and parameters */
static enum masing_status read_node_block(struct gmsh *gmsh)
{
    struct masing_error *error = gmsh->error;
    int dimension = 0, entity, is_parametric = 0, n = 0;
    double parameter;
    NEED(read_block(gmsh, &dimension, &entity));
    NEED(next_integer(gmsh, "whether nodes have parameters", 0, &is_parametric));
    NEED(next_integer(gmsh, "the number of nodes of a block", 0, &n));
    for (int i = 0; i < n; i++) {
        NEED_ALLOCATED(memory_grow((void **)&gmsh->tags, (size_t)i + 1, &gmsh->tag_capacity,
                                   sizeof *gmsh->tags));
        NEED(next_integer(gmsh, "the number of a node", 1, &gmsh->tags[i]));
    }
    for (int i = 0; i < n; i++) {
        NEED(read_point(gmsh, gmsh->tags[i]));
        for (int k = 0; is_parametric && k < dimension; k++) {
            NEED(next_number(gmsh, "a parameter of a node", &parameter));
        }
    }
    return MASING_OK;
}

static enum masing_status read_new_nodes(struct gmsh *gmsh)
{
    int n_blocks = 0;
    NEED(read_totals(gmsh, &n_blocks));
    for (int i = 0; i < n_blocks; i++) {
        NEED(read_node_block(gmsh));
    }
    return MASING_OK;
}

static enum masing_status read_element_block(struct gmsh *gmsh)
{
    const struct gmsh_type *type = NULL;
    int dimension = 0, entity = 0, n = 0, number = 0, nodes[MOST_NODES];
    NEED(read_block(gmsh, &dimension, &entity));
    NEED(next_type(gmsh, &type));
    NEED(next_integer(gmsh, "the number of elements of a block", 0, &n));
    for (int i = 0; i < n; i++) {
        NEED(next_integer(gmsh, "the number of an element", 1, &number));
        NEED(read_element(gmsh, number, type, nodes));
        for (size_t k = 0; k < gmsh->n_memberships; k++) {
            const struct membership *one = &gmsh->memberships[k];
            if (one->dimension == dimension && one->entity == entity) {
                NEED(add_to_group(gmsh, one->group, number, type, nodes));
            }
        }
    }
    return MASING_OK;
}

static enum masing_status read_new_elements(struct gmsh *gmsh)
{
    int n_blocks = 0;
    NEED(read_totals(gmsh, &n_blocks));
    for (int i = 0; i < n_blocks; i++) {
        NEED(read_element_block(gmsh));
    }
    return MASING_OK;
}

/* --- sections ----------------------------------------------------------------------------- */

/* version file_type data_size */
static enum masing_status read_format(struct gmsh *gmsh)
{
    struct text_word version;
    int is_binary = 0;
    NEED(next_word(gmsh, "the version of the format", &version));
    NEED(next_integer(gmsh, "the type of the file", 0, &is_binary));
    gmsh->is_new = text_word_equals(&version, "4.1", false);
    if (is_binary || (!gmsh->is_new && !text_word_equals(&version, "2.2", false))) {
        return masing_error_set(gmsh->error, MASING_UNSUPPORTED,
                                "%.400s:%d:1: gmsh's format %.*s%s is not supported: expected "
                                "2.2 or 4.1 in ASCII",
                                gmsh->lines.file, gmsh->lines.number, text_word_shown(&version),
                                version.text, is_binary ? " in binary" : "");
    }
    end_line(gmsh);
    return MASING_OK;
}

static enum masing_status skip_section(struct gmsh *gmsh)
{
    while (text_lines_next(&gmsh->lines)) {
        if (gmsh->lines.length >= 4 && memcmp(gmsh->lines.line, "$End", 4) == 0) {
            break;
        }
    }
    end_line(gmsh);
    return MASING_OK;
}

static enum masing_status read_section(struct gmsh *gmsh)
{
    struct text_word name, end = {0};
    NEED(next_word(gmsh, "a section", &name));
    end_line(gmsh);
    enum masing_status (*read)(struct gmsh *) =
        text_word_equals(&name, "$MeshFormat", false)      ? read_format
        : text_word_equals(&name, "$PhysicalNames", false) ? read_names
        : text_word_equals(&name, "$Entities", false)      ? read_entities
        : text_word_equals(&name, "$Nodes", false)
            ? (gmsh->is_new ? read_new_nodes : read_old_nodes)
        : text_word_equals(&name, "$Elements", false)
            ? (gmsh->is_new ? read_new_elements : read_old_elements)
            : NULL;
    if (!read) {
        return name.text[0] == '$' ? skip_section(gmsh)
                                   : text_lines_fail(&gmsh->lines, name.column,
                                                     "expected a section ($...), found '%.*s'",
                                                     text_word_shown(&name), name.text);
    }
    NEED(read(gmsh));
    NEED(next_word(gmsh, "the end of a section", &end));
    if (end.length < 4 || memcmp(end.text, "$End", 4) != 0) {
        return text_lines_fail(
            &gmsh->lines, end.column, "expected the end of section %.*s, found '%.*s'",
            text_word_shown(&name), name.text, text_word_shown(&end), end.text);
    }
    end_line(gmsh);
    return MASING_OK;
}

/* Whether there is one more word, which is not taken */
static bool has_more(struct gmsh *gmsh)
{
    struct gmsh ahead = *gmsh;
    struct text_word word;
    while (!text_lines_word(&ahead.lines, &ahead.position, &word)) {
        ahead.position = 0;
        if (!text_lines_next(&ahead.lines)) {
            return false;
        }
    }
    return true;
}

enum masing_status mesh_gmsh_read(struct mesh_builder *builder, const char *text, size_t length,
                                  const char *file)
{
    enum masing_status status = MASING_OK;
    struct gmsh gmsh = {.builder = builder, .error = builder->error};
    TRY(mesh_builder_file(builder, file));
    TRY(text_check(text, length, false, file, builder->error));
    text_lines_begin(&gmsh.lines, file, text, length, '\0', builder->error);
    gmsh.lines.number = 0;
    while (has_more(&gmsh)) {
        TRY(read_section(&gmsh));
    }
done:
    free(gmsh.groups);
    free(gmsh.memberships);
    free(gmsh.tags);
    return status;
}
