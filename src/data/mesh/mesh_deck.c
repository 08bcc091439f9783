/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decks of CalculiX and Abaqus, flat ones: keyword lines with *, comments with **, data lines
 * below a keyword. What is no geometry is passed over, but for what it says of nodes that are
 * not free.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/mesh/mesh_builder.h"
#include "data/mesh/mesh_numbers.h"

enum {
    KEYWORD_LENGTH = 1024,
    MOST_PARAMETERS = 24,
    MOST_INCLUDES = 16, /* within each other */
    NAME_LENGTH = 256,
    EQUATION_MOST = 100000
};
static const size_t LARGEST_FILE = (size_t)16 << 30;

struct deck_parameter {
    struct text_word key, value;
};

/* A keyword line, with its continuations */
struct deck_keyword {
    char name[NAME_LENGTH]; /* without blanks */
    char text[KEYWORD_LENGTH];
    int n;
    struct deck_parameter parameters[MOST_PARAMETERS];
};

struct deck;
typedef enum masing_status deck_line(struct deck *deck);

struct deck {
    struct mesh_builder *builder;
    struct masing_error *error;
    struct text_lines *lines; /* of the file that is being read */
    int depth;
    struct deck_keyword keyword;
    deck_line *take; /* what becomes of data lines; NULL: nothing */
    int set;         /* that what is read belongs to too, -1: none */
    bool is_generated, is_of_nodes;
    int label; /* of states */
    enum mesh_shape shape;
    int n_wanted, n_read; /* numbers of the element being read, or entries of an equation */
    int numbers[1 + MESH_ELEMENT_NODES];
};

/* --- keyword lines ------------------------------------------------------------------------ */

static bool is_blank_line(const struct text_lines *lines)
{
    struct text_word word;
    size_t position = 0;
    return !text_lines_word(lines, &position, &word);
}

static bool is_comment(const struct text_lines *lines)
{
    return lines->length >= 2 && lines->line[0] == '*' && lines->line[1] == '*';
}

/* The next line that is neither empty nor a comment. */
static bool next_line(struct text_lines *lines)
{
    while (text_lines_next(lines)) {
        if (!is_comment(lines) && !is_blank_line(lines)) {
            return true;
        }
    }
    return false;
}

static const struct text_word *find(const struct deck_keyword *keyword, const char *key)
{
    for (int i = 0; i < keyword->n; i++) {
        if (text_word_equals(&keyword->parameters[i].key, key, true)) {
            return &keyword->parameters[i].value;
        }
    }
    return NULL;
}

static bool is_keyword(const struct deck *deck, const char *name)
{
    return strcasecmp(deck->keyword.name, name) == 0;
}

/* One more line; whether it goes on behind a comma. */
static enum masing_status append_line(struct deck *deck, size_t *used, bool *goes_on)
{
    const struct text_lines *lines = deck->lines;
    struct text_word line = {lines->line, lines->length, 1};
    text_word_trim(&line);
    if (*used + line.length + 1 >= KEYWORD_LENGTH) {
        return text_lines_fail(lines, 1, "a keyword line of more than %d characters",
                               KEYWORD_LENGTH);
    }
    memcpy(deck->keyword.text + *used, line.text, line.length);
    *used += line.length;
    *goes_on = line.length > 0 && line.text[line.length - 1] == ',';
    return MASING_OK;
}

static void unquote(struct text_word *word)
{
    if (word->length >= 2 && word->text[0] == '"' && word->text[word->length - 1] == '"') {
        word->text++;
        word->length -= 2;
        text_word_trim(word);
    }
}

static void cut_parameter(struct text_word field, struct deck_parameter *parameter)
{
    const char *equals = memchr(field.text, '=', field.length);
    size_t length = equals ? (size_t)(equals - field.text) : field.length;
    size_t behind = equals ? length + 1 : length;
    parameter->key = (struct text_word){field.text, length, 1};
    parameter->value = (struct text_word){field.text + behind, field.length - behind, 1};
    text_word_trim(&parameter->key);
    text_word_trim(&parameter->value);
    unquote(&parameter->value);
}

static enum masing_status read_keyword(struct deck *deck)
{
    struct deck_keyword *keyword = &deck->keyword;
    struct text_lines fields = {.line = keyword->text};
    struct text_word field;
    size_t used = 0, position = 0, n = 0;
    bool goes_on = false;
    int line = deck->lines->number;
    NEED(append_line(deck, &used, &goes_on));
    while (goes_on && next_line(deck->lines)) {
        NEED(append_line(deck, &used, &goes_on));
    }
    fields.length = used;
    keyword->n = 0;
    text_lines_field(&fields, &position, &field);
    for (size_t i = 1; i < field.length && n + 1 < NAME_LENGTH; i++) {
        if (field.text[i] != ' ' && field.text[i] != '\t') {
            keyword->name[n++] = field.text[i];
        }
    }
    keyword->name[n] = '\0';
    while (text_lines_field(&fields, &position, &field)) {
        if (field.length > 0 && keyword->n == MOST_PARAMETERS) {
            return text_lines_fail(deck->lines, 1, "a keyword with more than %d parameters",
                                   MOST_PARAMETERS);
        }
        if (field.length > 0) {
            cut_parameter(field, &keyword->parameters[keyword->n++]);
        }
    }
    deck->builder->line = line;
    return MASING_OK;
}

/* Where what the keyword begins belongs to. */
static enum masing_status name_set(struct deck *deck, enum mesh_kind kind, const char *key,
                                   bool is_required, int *set)
{
    const struct text_word *name = find(&deck->keyword, key);
    *set = -1;
    if (name && name->length > 0 && name->length < NAME_LENGTH) {
        return mesh_builder_collection(deck->builder, kind, name->text, name->length, set);
    }
    if (name || is_required) {
        return text_lines_fail(deck->lines, 1, "*%.40s: expected %s=NAME", deck->keyword.name,
                               key);
    }
    return MASING_OK;
}

/* --- data lines: nodes and elements ------------------------------------------------------- */

static enum masing_status take_node(struct deck *deck)
{
    struct text_word field;
    size_t position = 0;
    int number = 0;
    double point[3] = {0.0};
    text_lines_field(deck->lines, &position, &field);
    NEED(mesh_integer(deck->lines, &field, "node", 1, &number));
    for (int k = 0; k < 3 && text_lines_field(deck->lines, &position, &field); k++) {
        if (field.length > 0) {
            NEED(mesh_number(deck->lines, &field, "coordinate", &point[k]));
        }
    }
    NEED(mesh_builder_node(deck->builder, number, point));
    return deck->set >= 0 ? mesh_builder_add(deck->builder, deck->set, number, number, 1, 0)
                          : MASING_OK;
}

static enum masing_status end_element(struct deck *deck)
{
    int number = deck->numbers[0];
    deck->n_read = 0;
    NEED(mesh_builder_element(deck->builder, number, deck->shape, deck->numbers + 1));
    return deck->set >= 0 ? mesh_builder_add(deck->builder, deck->set, number, number, 1, 0)
                          : MASING_OK;
}

/* One of a type that is not known: its number; it goes on behind a comma. */
static enum masing_status take_other(struct deck *deck)
{
    const struct text_lines *lines = deck->lines;
    struct text_word line = {lines->line, lines->length, 1}, field;
    size_t position = 0;
    bool is_first = deck->n_read == 0;
    text_word_trim(&line);
    deck->n_read = line.text[line.length - 1] == ',' ? 1 : 0;
    if (!is_first) {
        return MASING_OK;
    }
    text_lines_field(lines, &position, &field);
    NEED(mesh_integer(lines, &field, "element", 1, &deck->numbers[0]));
    int goes_on = deck->n_read;
    NEED(end_element(deck));
    deck->n_read = goes_on;
    return MASING_OK;
}

/* By the number of nodes, wherever the lines are broken */
static enum masing_status take_element(struct deck *deck)
{
    struct text_word field;
    size_t position = 0;
    if (deck->shape == MESH_OTHER) {
        return take_other(deck);
    }
    if (deck->n_read == 0) {
        deck->builder->line = deck->lines->number;
    }
    while (text_lines_field(deck->lines, &position, &field)) {
        if (field.length == 0) {
            continue;
        }
        if (deck->n_read == deck->n_wanted) {
            return text_lines_fail(deck->lines, field.column,
                                   "element %d: more than its %d nodes", deck->numbers[0],
                                   deck->n_wanted - 1);
        }
        NEED(mesh_integer(deck->lines, &field, deck->n_read ? "node" : "element", 1,
                          &deck->numbers[deck->n_read]));
        deck->n_read++;
    }
    return deck->n_read == deck->n_wanted ? end_element(deck) : MASING_OK;
}

/* C3D8R is a hexahedron of 8 nodes, CPS6 and S6 are triangles of 6. */
static enum mesh_shape shape_of(const struct text_word *type)
{
    static const struct {
        const char *stem;
        int n_nodes;
        enum mesh_shape shape;
    } known[] = {
        {"C3D", 4, MESH_TETRAHEDRON_4}, {"C3D", 6, MESH_WEDGE_6},
        {"C3D", 8, MESH_HEXAHEDRON_8},  {"C3D", 10, MESH_TETRAHEDRON_10},
        {"C3D", 15, MESH_WEDGE_15},     {"C3D", 20, MESH_HEXAHEDRON_20},
        {"CPS", 3, MESH_TRIANGLE_3},    {"CPS", 4, MESH_QUADRANGLE_4},
        {"CPS", 6, MESH_TRIANGLE_6},    {"CPS", 8, MESH_QUADRANGLE_8},
        {"CPE", 3, MESH_TRIANGLE_3},    {"CPE", 4, MESH_QUADRANGLE_4},
        {"CPE", 6, MESH_TRIANGLE_6},    {"CPE", 8, MESH_QUADRANGLE_8},
        {"S", 3, MESH_TRIANGLE_3},      {"S", 4, MESH_QUADRANGLE_4},
        {"S", 6, MESH_TRIANGLE_6},      {"S", 8, MESH_QUADRANGLE_8},
        {"M3D", 3, MESH_TRIANGLE_3},    {"M3D", 4, MESH_QUADRANGLE_4},
        {"M3D", 6, MESH_TRIANGLE_6},    {"M3D", 8, MESH_QUADRANGLE_8},
        {"SFM3D", 3, MESH_TRIANGLE_3},  {"SFM3D", 4, MESH_QUADRANGLE_4},
        {"SFM3D", 6, MESH_TRIANGLE_6},  {"SFM3D", 8, MESH_QUADRANGLE_8},
        {"STRI", 3, MESH_TRIANGLE_3},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].stem), digits = length;
        int n_nodes = 0;
        if (type->length <= length || strncasecmp(type->text, known[i].stem, length) != 0) {
            continue;
        }
        for (; digits < type->length && digits < length + 3 && type->text[digits] >= '0' &&
               type->text[digits] <= '9';
             digits++) {
            n_nodes = 10 * n_nodes + (type->text[digits] - '0');
        }
        if (n_nodes == known[i].n_nodes) {
            return known[i].shape;
        }
    }
    return MESH_OTHER;
}

/* --- data lines: sets and surfaces -------------------------------------------------------- */

static bool begins_number(const struct text_word *field)
{
    return field->length > 0 && ((field->text[0] >= '0' && field->text[0] <= '9') ||
                                 field->text[0] == '-' || field->text[0] == '+');
}

/* A number, or the name of a set that stands above: *step is 0 then, and *first the set. */
static enum masing_status read_member(struct deck *deck, struct text_word field,
                                      enum mesh_kind kind, int *first, int *step)
{
    *step = 1;
    if (begins_number(&field)) {
        return mesh_integer(deck->lines, &field, kind == MESH_NODE_SET ? "node" : "element", 1,
                            first);
    }
    *step = 0;
    unquote(&field);
    *first = mesh_builder_find(deck->builder, kind, field.text, field.length);
    return *first >= 0 ? MASING_OK
                       : text_lines_fail(deck->lines, field.column,
                                         "no %s set '%.*s' stands above this line",
                                         kind == MESH_NODE_SET ? "node" : "element",
                                         text_word_shown(&field), field.text);
}

/* first, last, step */
static enum masing_status take_range(struct deck *deck)
{
    struct text_word field;
    size_t position = 0;
    int range[3] = {0, 0, 1}, n = 0;
    while (n < 3 && text_lines_field(deck->lines, &position, &field)) {
        if (field.length > 0) {
            NEED(mesh_integer(deck->lines, &field, "GENERATE", 1, &range[n++]));
        }
    }
    if (n < 2 || range[1] < range[0]) {
        return text_lines_fail(deck->lines, 1,
                               "GENERATE: expected 'first, last, step', first below last");
    }
    return mesh_builder_add(deck->builder, deck->set, range[0], range[1], range[2], 0);
}

static enum masing_status take_members(struct deck *deck)
{
    enum mesh_kind kind = deck->is_of_nodes ? MESH_NODE_SET : MESH_ELEMENT_SET;
    struct text_word field;
    size_t position = 0;
    int first = 0, step;
    deck->builder->line = deck->lines->number;
    if (deck->is_generated) {
        return take_range(deck);
    }
    while (text_lines_field(deck->lines, &position, &field)) {
        if (field.length > 0) {
            NEED(read_member(deck, field, kind, &first, &step));
            NEED(mesh_builder_add(deck->builder, deck->set, first, first, step, 0));
        }
    }
    return MASING_OK;
}

/* S1 to S6; SPOS and the like of plane elements; nothing */
static enum masing_status read_label(struct deck *deck, const struct text_word *field,
                                     int *label)
{
    *label = field->length == 0 ? MESH_NO_FACE : MESH_PLANE_SIDE;
    bool is_side = field->length > 0 && (field->text[0] == 'S' || field->text[0] == 's');
    if (field->length == 0 || (is_side && field->length > 1 && field->text[1] > '9')) {
        return MASING_OK;
    }
    if (!is_side || field->length != 2 || field->text[1] < '1' || field->text[1] > '6') {
        return text_lines_fail(deck->lines, field->column,
                               "expected a face S1 to S6, found '%.*s'", text_word_shown(field),
                               field->text);
    }
    *label = field->text[1] - '1';
    return MASING_OK;
}

static enum masing_status take_surface(struct deck *deck)
{
    enum mesh_kind kind = deck->is_of_nodes ? MESH_NODE_SET : MESH_ELEMENT_SET;
    struct text_word member, face = {0};
    size_t position = 0;
    int first = 0, step, label = 0;
    deck->builder->line = deck->lines->number;
    text_lines_field(deck->lines, &position, &member);
    text_lines_field(deck->lines, &position, &face);
    NEED(read_member(deck, member, kind, &first, &step));
    NEED(deck->is_of_nodes ? MASING_OK : read_label(deck, &face, &label));
    return mesh_builder_add(deck->builder, deck->set, first, first, step, label);
}

/* --- data lines: nodes that are not free -------------------------------------------------- */

static enum masing_status add_state(struct deck *deck, int first, int step, int label)
{
    int states;
    NEED(mesh_builder_collection(deck->builder, MESH_STATES, "", 0, &states));
    return mesh_builder_add(deck->builder, states, first, first, step, label);
}

static int bits(int first, int last)
{
    return ((1 << last) - 1) & ~((1 << (first - 1)) - 1);
}

/* Conditions that Abaqus has names for; CalculiX knows none of them. */
static int bits_of_name(const struct text_word *name)
{
    static const struct {
        const char *name;
        int bits;
    } known[] = {{"ENCASTRE", 63}, {"PINNED", 7},  {"XSYMM", 49},  {"YSYMM", 42},
                 {"ZSYMM", 28},    {"XASYMM", 14}, {"YASYMM", 21}, {"ZASYMM", 35}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (text_word_equals(name, known[i].name, true)) {
            return known[i].bits;
        }
    }
    return 0;
}

/* node or set, first direction, last one; the value does not matter */
static enum masing_status take_boundary(struct deck *deck)
{
    struct text_word field;
    size_t position = 0;
    int node = 0, step, from = 0, to;
    text_lines_field(deck->lines, &position, &field);
    NEED(read_member(deck, field, MESH_NODE_SET, &node, &step));
    if (!text_lines_field(deck->lines, &position, &field) || field.length == 0) {
        return text_lines_fail(deck->lines, 1, "*BOUNDARY: expected 'node, first, last'");
    }
    if (!begins_number(&field)) {
        return add_state(deck, node, step, bits_of_name(&field));
    }
    NEED(mesh_integer(deck->lines, &field, "first direction", 1, &from));
    to = from;
    if (text_lines_field(deck->lines, &position, &field) && field.length > 0) {
        NEED(mesh_integer(deck->lines, &field, "last direction", 1, &to));
    }
    /* 11 and the like are temperatures */
    return from > 6 || to < from ? MASING_OK
                                 : add_state(deck, node, step, bits(from, to > 6 ? 6 : to));
}

/* The number of terms, then terms `node, direction, coefficient`: the first is the dependent
 * one. */
static enum masing_status take_equation(struct deck *deck)
{
    struct text_word field;
    size_t position = 0;
    while (text_lines_field(deck->lines, &position, &field)) {
        if (field.length == 0) {
            continue;
        }
        if (deck->n_wanted == 0) {
            int n = 0;
            NEED(mesh_integer(deck->lines, &field, "number of terms", 1, &n));
            deck->n_wanted = n < EQUATION_MOST ? 3 * n : 3 * EQUATION_MOST;
            deck->n_read = 0;
            continue;
        }
        if (deck->n_read == 0) {
            NEED(read_member(deck, field, MESH_NODE_SET, &deck->numbers[0], &deck->numbers[1]));
        } else if (deck->n_read == 1) {
            int direction = 0;
            NEED(mesh_integer(deck->lines, &field, "direction", 1, &direction));
            NEED(direction > 6 ? MASING_OK
                               : add_state(deck, deck->numbers[0], deck->numbers[1],
                                           bits(direction, direction) << MESH_DEPENDENT_SHIFT));
        }
        deck->n_wanted = ++deck->n_read == deck->n_wanted ? 0 : deck->n_wanted;
    }
    return MASING_OK;
}

/* dependent surface, other surface */
static enum masing_status take_tie(struct deck *deck)
{
    struct text_word field;
    size_t position = 0;
    text_lines_field(deck->lines, &position, &field);
    unquote(&field);
    for (int kind = MESH_SURFACE; kind <= MESH_NODE_SURFACE; kind++) {
        int surface =
            mesh_builder_find(deck->builder, (enum mesh_kind)kind, field.text, field.length);
        if (surface >= 0) {
            return add_state(deck, surface, 0, 7 << MESH_DEPENDENT_SHIFT);
        }
    }
    return MASING_OK;
}

/* --- keywords ----------------------------------------------------------------------------- */

static enum masing_status begin_nodes(struct deck *deck)
{
    const struct text_word *system = find(&deck->keyword, "SYSTEM");
    if (system && !text_word_equals(system, "R", true)) {
        return text_lines_fail(deck->lines, 1,
                               "*NODE: coordinates that are not rectangular are not supported");
    }
    deck->take = take_node;
    return name_set(deck, MESH_NODE_SET, "NSET", false, &deck->set);
}

static enum masing_status begin_elements(struct deck *deck)
{
    const struct text_word *type = find(&deck->keyword, "TYPE");
    if (!type || type->length == 0) {
        return text_lines_fail(deck->lines, 1, "*ELEMENT: expected TYPE=NAME");
    }
    deck->shape = shape_of(type);
    deck->n_wanted = 1 + mesh_form(deck->shape)->n_nodes;
    deck->take = take_element;
    return name_set(deck, MESH_ELEMENT_SET, "ELSET", false, &deck->set);
}

static enum masing_status begin_set(struct deck *deck)
{
    deck->is_of_nodes = is_keyword(deck, "NSET");
    deck->is_generated = find(&deck->keyword, "GENERATE") != NULL;
    deck->take = take_members;
    NEED(name_set(deck, deck->is_of_nodes ? MESH_NODE_SET : MESH_ELEMENT_SET,
                  deck->is_of_nodes ? "NSET" : "ELSET", true, &deck->set));
    const struct text_word *elements = deck->is_of_nodes ? find(&deck->keyword, "ELSET") : NULL;
    if (!elements) {
        return MASING_OK;
    }
    int other =
        mesh_builder_find(deck->builder, MESH_ELEMENT_SET, elements->text, elements->length);
    return other >= 0
               ? mesh_builder_add(deck->builder, deck->set, other, other, 0, 0)
               : text_lines_fail(deck->lines, 1, "no element set '%.*s' stands above this line",
                                 text_word_shown(elements), elements->text);
}

static enum masing_status begin_surface(struct deck *deck)
{
    const struct text_word *type = find(&deck->keyword, "TYPE");
    deck->is_of_nodes = type && text_word_equals(type, "NODE", true);
    if (type && !deck->is_of_nodes && !text_word_equals(type, "ELEMENT", true)) {
        return MASING_OK; /* a surface of geometry: not known when it is named */
    }
    deck->take = take_surface;
    return name_set(deck, deck->is_of_nodes ? MESH_NODE_SURFACE : MESH_SURFACE, "NAME", true,
                    &deck->set);
}

static enum masing_status begin_boundary(struct deck *deck)
{
    deck->take = take_boundary;
    return MASING_OK;
}

static enum masing_status begin_equation(struct deck *deck)
{
    deck->take = take_equation;
    return MASING_OK;
}

static enum masing_status begin_tie(struct deck *deck)
{
    deck->take = take_tie;
    return MASING_OK;
}

/* Nodes of a set, of `*RIGID BODY` or `*TRANSFORM` */
static enum masing_status mark_set(struct deck *deck, const char *key, enum mesh_kind kind,
                                   int label)
{
    const struct text_word *name = find(&deck->keyword, key);
    int set = name ? mesh_builder_find(deck->builder, kind, name->text, name->length) : -1;
    return set >= 0 ? add_state(deck, set, 0, label) : MASING_OK;
}

static enum masing_status begin_rigid_body(struct deck *deck)
{
    const int label = 7 << MESH_DEPENDENT_SHIFT;
    NEED(mark_set(deck, "NSET", MESH_NODE_SET, label));
    return mark_set(deck, "ELSET", MESH_ELEMENT_SET, label);
}

static enum masing_status begin_transform(struct deck *deck)
{
    return mark_set(deck, "NSET", MESH_NODE_SET, MESH_TURNED);
}

static enum masing_status refuse(struct deck *deck, const char *why)
{
    return masing_error_set(deck->error, MASING_UNSUPPORTED, "%.400s:%d:1: *%.40s: %s",
                            deck->lines->file, deck->builder->line, deck->keyword.name, why);
}

static enum masing_status refuse_assembly(struct deck *deck)
{
    return refuse(deck, "decks of parts and assemblies are not supported: write a flat one "
                        "(Abaqus: the model attribute noPartsInputFile)");
}

static enum masing_status refuse_generated(struct deck *deck)
{
    return refuse(deck, "nodes and elements that the program generates are not supported: "
                        "write them out");
}

static const struct {
    const char *name;
    deck_line *begin;
} keywords[] = {
    {"NODE", begin_nodes},
    {"ELEMENT", begin_elements},
    {"NSET", begin_set},
    {"ELSET", begin_set},
    {"SURFACE", begin_surface},
    {"BOUNDARY", begin_boundary},
    {"EQUATION", begin_equation},
    {"TIE", begin_tie},
    {"RIGIDBODY", begin_rigid_body},
    {"TRANSFORM", begin_transform},
    {"PART", refuse_assembly},
    {"ASSEMBLY", refuse_assembly},
    {"INSTANCE", refuse_assembly},
    {"NGEN", refuse_generated},
    {"NFILL", refuse_generated},
    {"NCOPY", refuse_generated},
    {"ELGEN", refuse_generated},
    {"ELCOPY", refuse_generated},
    {"NMAP", refuse_generated},
    {"SYSTEM", refuse_generated},
};

/* An element that is cut off by a keyword or by the end */
static enum masing_status end_data(struct deck *deck, int line)
{
    if (deck->take == take_element && deck->shape != MESH_OTHER && deck->n_read > 0) {
        return masing_error_set(
            deck->error, MASING_INVALID, "%.400s:%d:1: element %d: expected %d nodes, found %d",
            deck->lines->file, line, deck->numbers[0], deck->n_wanted - 1, deck->n_read - 1);
    }
    return MASING_OK;
}

static enum masing_status read_file(struct deck *deck, const char *file);

static enum masing_status include(struct deck *deck)
{
    struct masing_error *error = deck->error;
    struct text_lines *lines = deck->lines;
    const struct text_word *input = find(&deck->keyword, "INPUT");
    int own_file = deck->builder->file, line = deck->builder->line;
    if (!input || input->length == 0) {
        return text_lines_fail(lines, 1, "*INCLUDE: expected INPUT=FILE");
    }
    if (deck->depth == MOST_INCLUDES) {
        return text_lines_fail(lines, 1, "*INCLUDE: more than %d files within each other",
                               MOST_INCLUDES);
    }
    char *name = memory_format("%.*s", (int)input->length, input->text);
    char *file = name ? text_file_beside(lines->file, name) : NULL;
    free(name);
    NEED_ALLOCATED(file);
    enum masing_status status = read_file(deck, file);
    deck->lines = lines;
    deck->builder->file = own_file;
    if (status == MASING_IO) { /* why it was to be read */
        char reason[MASING_MESSAGE_LENGTH];
        snprintf(reason, sizeof reason, "%s", error ? error->message : "");
        masing_error_clear(error);
        status = masing_error_set(error, MASING_IO, "%.400s:%d:1: *INCLUDE: %s", lines->file,
                                  line, reason);
    }
    free(file);
    return status;
}

static enum masing_status begin_keyword(struct deck *deck)
{
    NEED(read_keyword(deck));
    if (is_keyword(deck, "INCLUDE")) {
        return include(deck); /* what it holds may go on with the data above it */
    }
    NEED(end_data(deck, deck->builder->line));
    deck->take = NULL;
    deck->set = -1;
    deck->n_read = deck->n_wanted = 0;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (is_keyword(deck, keywords[i].name)) {
            return keywords[i].begin(deck);
        }
    }
    return MASING_OK;
}

static enum masing_status take_lines(struct deck *deck)
{
    enum masing_status status = MASING_OK;
    while (!status && next_line(deck->lines)) {
        if (deck->lines->line[0] == '*') {
            status = begin_keyword(deck);
        } else if (deck->take) {
            deck->builder->line = deck->lines->number;
            status = deck->take(deck);
        }
    }
    return status;
}

static enum masing_status read_text(struct deck *deck, const char *text, size_t length,
                                    const char *file)
{
    struct text_lines lines;
    NEED(mesh_builder_file(deck->builder, file));
    NEED(text_check(text, length, false, file, deck->error));
    text_lines_begin(&lines, deck->builder->files[deck->builder->file], text, length, '\0',
                     deck->error);
    deck->lines = &lines;
    deck->depth++;
    enum masing_status status = take_lines(deck);
    if (status == MASING_OK && deck->depth == 1) {
        status = end_data(deck, lines.number);
    }
    deck->depth--;
    return status;
}

static enum masing_status read_file(struct deck *deck, const char *file)
{
    char *text = NULL;
    size_t length;
    enum masing_status status = text_file_read(file, LARGEST_FILE, &text, &length, deck->error);
    status = status ? status : read_text(deck, text, length, file);
    free(text);
    return status;
}

enum masing_status mesh_deck_read(struct mesh_builder *builder, const char *text, size_t length,
                                  const char *file)
{
    struct deck *deck = memory_array(1, sizeof *deck);
    struct masing_error *error = builder->error;
    NEED_ALLOCATED(deck);
    deck->builder = builder;
    deck->error = error;
    deck->set = -1;
    enum masing_status status = read_text(deck, text, length, file);
    free(deck);
    return status;
}
