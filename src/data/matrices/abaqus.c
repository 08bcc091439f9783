/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/abaqus.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "base/memory.h"
#include "data/matrices/matrix_format.h"

enum { MOST_NODES = 2000000000 };
/* Abaqus puts 1e36 on the diagonal of a DOF that a boundary condition holds. */
static const double HELD = 1e35;

struct abaqus {
    struct text_lines lines;
    struct node_table *table;
    struct node_matrix *matrix;
    bool is_mass;
    struct masing_error *error;
};

/* ---- entries by node or row ---- */

/* The fields of a line between commas, or between blanks where it has none; exactly n. */
static enum masing_status split(const struct text_lines *lines, const char *layout, int n,
                                struct text_word *fields)
{
    bool has_commas = memchr(lines->line, ',', lines->length) != NULL;
    struct text_word more;
    size_t position = 0;
    for (int i = 0; i < n; i++) {
        bool is_there = has_commas ? text_lines_field(lines, &position, &fields[i])
                                   : text_lines_word(lines, &position, &fields[i]);
        if (!is_there || fields[i].length == 0) {
            return text_lines_fail(lines, (int)lines->length + 1,
                                   "expected '%s'; the line ends after %d of %d", layout, i, n);
        }
    }
    bool is_longer = has_commas ? text_lines_field(lines, &position, &more) && more.length > 0
                                : text_lines_word(lines, &position, &more);
    return is_longer ? text_lines_fail(lines, more.column,
                                       "expected '%s' and nothing more, found '%.*s'", layout,
                                       text_word_shown(&more), more.text)
                     : MASING_OK;
}

/* A direction that no structure here has, such as a pressure */
static enum masing_status take_direction(const struct text_lines *lines,
                                         const struct text_word *word, int *direction)
{
    NEED(text_lines_integer(lines, word, "direction", 1, 1000000, direction));
    return *direction <= 6
               ? MASING_OK
               : text_lines_fail(lines, word->column,
                                 "direction %d is neither a displacement (1-3) nor a rotation "
                                 "(4-6): warping, pressures, temperatures and generalised "
                                 "coordinates are not supported",
                                 *direction);
}

static enum masing_status add_entry(struct abaqus *abaqus, const struct node_dof *dofs,
                                    double value)
{
    struct node_table *table = abaqus->table;
    int at[2];
    for (int i = 0; i < 2; i++) {
        NEED(node_table_add(table, dofs[i], &at[i], abaqus->error));
    }
    if (!abaqus->is_mass && at[0] == at[1] && value >= HELD) {
        table->is_held[at[0]] = true;
    }
    return entry_list_add(&abaqus->matrix->list, at[0], at[1], value, abaqus->lines.number,
                          abaqus->error);
}

/* node,direction,node,direction,value */
static enum masing_status read_node_line(struct abaqus *abaqus)
{
    const struct text_lines *lines = &abaqus->lines;
    struct text_word fields[5];
    struct node_dof dofs[2];
    double value;
    NEED(split(lines, "node,direction,node,direction,value", 5, fields));
    for (int i = 0; i < 2; i++) {
        NEED(text_lines_integer(lines, &fields[2 * i], "node", -MOST_NODES, MOST_NODES,
                                &dofs[i].node));
        if (dofs[i].node == 0) {
            return text_lines_fail(lines, fields[2 * i].column, "there is no node 0");
        }
        NEED(take_direction(lines, &fields[2 * i + 1], &dofs[i].direction));
    }
    NEED(text_lines_number(lines, &fields[4], "value", &value));
    return add_entry(abaqus, dofs, value);
}

/* row column value */
static enum masing_status read_row_line(struct abaqus *abaqus)
{
    const struct text_lines *lines = &abaqus->lines;
    struct text_word fields[3];
    struct node_dof dofs[2] = {{0, 0}, {0, 0}};
    double value;
    NEED(split(lines, "row column value", 3, fields));
    for (int i = 0; i < 2; i++) {
        NEED(text_lines_integer(lines, &fields[i], i ? "column" : "row", -MOST_NODES,
                                MOST_NODES, &dofs[i].node));
        if (dofs[i].node < 1) {
            return text_lines_fail(lines, fields[i].column,
                                   "%s %d is that of a node within an element; write "
                                   "FORMAT=MATRIX INPUT, which names nodes",
                                   i ? "column" : "row", dofs[i].node);
        }
    }
    NEED(text_lines_number(lines, &fields[2], "value", &value));
    return add_entry(abaqus, dofs, value);
}

static enum masing_status read_entries(struct abaqus *abaqus, bool has_nodes)
{
    struct text_lines *lines = &abaqus->lines;
    while (text_lines_next_data(lines)) {
        bool is_comment = lines->length > 1 && !strncmp(lines->line, "**", 2);
        if (is_comment) {
            continue;
        }
        if (lines->line[0] == '*') {
            return text_lines_fail(lines, 1, "expected entries only, found a keyword");
        }
        NEED(has_nodes ? read_node_line(abaqus) : read_row_line(abaqus));
    }
    return MASING_OK;
}

/* ---- substructures ---- */

struct integers {
    int n;
    size_t capacity;
    int *list;
};

static enum masing_status push(struct integers *integers, int value, struct masing_error *error)
{
    NEED_ALLOCATED(memory_grow((void **)&integers->list, (size_t)integers->n + 1,
                               &integers->capacity, sizeof *integers->list));
    integers->list[integers->n++] = value;
    return MASING_OK;
}

/* Where a keyword's line has NAME, blanks and case aside; the text behind it, else NULL. */
static const char *find_option(const struct text_lines *lines, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < lines->length; i++) {
        size_t at = i, same = 0;
        while (at < lines->length && same < n &&
               (isblank((unsigned char)lines->line[at]) ||
                toupper((unsigned char)lines->line[at]) == name[same])) {
            same += !isblank((unsigned char)lines->line[at]);
            at++;
        }
        if (same == n) {
            return lines->line + at;
        }
    }
    return NULL;
}

struct substructure {
    struct integers nodes;      /* of each position */
    struct integers rows;       /* DOF of each row: index into the table */
    int n_nodes;                /* as the keyword says */
    int position;               /* the last one that has directions, from 1; 0: none yet */
    struct integers directions; /* of that one */
};

static bool is_list_of_nodes(const struct text_lines *lines)
{
    for (size_t i = 2; i < lines->length; i++) {
        if (!strchr("0123456789, \t", lines->line[i])) {
            return false;
        }
    }
    return true;
}

/* Numbers of a comment */
static enum masing_status take_nodes(struct abaqus *abaqus, struct substructure *structure)
{
    struct text_lines line = abaqus->lines;
    struct text_word field;
    size_t position = 0;
    line.line += 2;
    line.length -= 2;
    while (text_lines_field(&line, &position, &field)) {
        int node;
        if (field.length == 0) {
            continue;
        }
        field.column += 2;
        NEED(text_lines_integer(&line, &field, "node", 1, MOST_NODES, &node));
        NEED(push(&structure->nodes, node, abaqus->error));
    }
    return MASING_OK;
}

/* The directions hold from their position up to the next one that has others. */
static enum masing_status add_rows(struct abaqus *abaqus, struct substructure *structure,
                                   int end)
{
    for (int p = structure->position; p > 0 && p < end; p++) {
        if (p > structure->nodes.n) {
            return text_lines_fail(&abaqus->lines, 1,
                                   "position %d of %d nodes in the comments below ** ELEMENT "
                                   "NODES",
                                   p, structure->nodes.n);
        }
        for (int d = 0; d < structure->directions.n; d++) {
            struct node_dof dof = {structure->nodes.list[p - 1], structure->directions.list[d]};
            int index, before = abaqus->table->n;
            char text[NODE_DOF_TEXT];
            NEED(node_table_add(abaqus->table, dof, &index, abaqus->error));
            for (int r = 0; index < before && r < structure->rows.n; r++) {
                if (structure->rows.list[r] == index) {
                    return text_lines_fail(&abaqus->lines, 1, "DOF %s stands here twice",
                                           node_dof_text(dof, text));
                }
            }
            NEED(push(&structure->rows, index, abaqus->error));
        }
    }
    return MASING_OK;
}

/* `1, 2, 3` of the first node, then `POSITION, 1, 2, 3` */
static enum masing_status take_directions(struct abaqus *abaqus, struct substructure *structure)
{
    const struct text_lines *lines = &abaqus->lines;
    struct text_word field;
    size_t at = 0;
    int position = 1, direction;
    bool is_first = structure->position == 0;
    if (!is_first) {
        text_lines_field(lines, &at, &field);
        NEED(text_lines_integer(lines, &field, "position", structure->position + 1,
                                structure->n_nodes, &position));
        NEED(add_rows(abaqus, structure, position));
    }
    structure->position = position;
    structure->directions.n = 0;
    while (text_lines_field(lines, &at, &field)) {
        if (field.length > 0) {
            NEED(take_direction(lines, &field, &direction));
            NEED(push(&structure->directions, direction, abaqus->error));
        }
    }
    return MASING_OK;
}

/* *USER ELEMENT, NODES=..., LINEAR */
static enum masing_status take_keyword(const struct text_lines *lines, int *n_nodes)
{
    const char *number = find_option(lines, "NODES=");
    const char *end = lines->line + lines->length;
    if (!number || find_option(lines, "UNSYMM")) {
        return text_lines_fail(lines, 1,
                               "expected *USER ELEMENT, NODES=..., LINEAR with symmetric "
                               "matrices");
    }
    struct text_word word = {number, 0, (int)(number - lines->line) + 1};
    while (word.text + word.length < end && word.text[word.length] != ',') {
        word.length++;
    }
    text_word_trim(&word);
    return text_lines_integer(lines, &word, "NODES", 1, 10000000, n_nodes);
}

/* All up to the first *MATRIX, at whose line it ends. */
static enum masing_status read_element(struct abaqus *abaqus, struct substructure *structure)
{
    struct text_lines *lines = &abaqus->lines;
    bool has_element = false, is_list = false;
    while (text_lines_next_data(lines)) {
        bool is_comment = lines->length > 1 && !strncmp(lines->line, "**", 2);
        if (is_comment && find_option(lines, "ELEMENTNODES")) {
            is_list = true;
        } else if (is_comment && is_list && !has_element) {
            return text_lines_fail(lines, 1, "expected *USER ELEMENT before its nodes");
        } else if (is_comment && is_list) {
            is_list = is_list_of_nodes(lines);
            NEED(is_list ? take_nodes(abaqus, structure) : MASING_OK);
        } else if (is_comment) {
            continue;
        } else if (find_option(lines, "*USERELEMENT")) {
            has_element = true;
            NEED(take_keyword(lines, &structure->n_nodes));
        } else if (find_option(lines, "*MATRIX")) {
            break;
        } else {
            is_list = false;
            NEED(has_element ? take_directions(abaqus, structure)
                             : text_lines_fail(lines, 1, "expected *USER ELEMENT"));
        }
    }
    return MASING_OK;
}

/* Which rows of a column the file holds: upper triangle, lower, all. */
enum substructure_form { FORM_UPPER, FORM_LOWER, FORM_FULL, N_FORMS };

static size_t column_length(enum substructure_form form, size_t n, size_t column)
{
    return form == FORM_UPPER ? column + 1 : form == FORM_LOWER ? n - column : n;
}

struct values {
    size_t n, capacity, n_lines, line_capacity;
    double *list;  /* [n] */
    int *numbers;  /* [n_lines] number of a line ... */
    size_t *first; /* ... and its first value */
    size_t first_capacity;
};

/* Whether each column begins a line. */
static bool fits(const struct values *values, size_t n, enum substructure_form form)
{
    size_t at = 0, line = 0;
    for (size_t column = 0; column < n; column++) {
        while (line < values->n_lines && values->first[line] < at) {
            line++;
        }
        if (line == values->n_lines || values->first[line] != at) {
            return false;
        }
        at += column_length(form, n, column);
    }
    return at == values->n;
}

/* Lines of values up to the next keyword, at whose line it ends, or the file's end; the current
 * line is the *MATRIX. */
static enum masing_status read_values(struct abaqus *abaqus, struct values *values,
                                      bool *has_next)
{
    struct text_lines *lines = &abaqus->lines;
    struct masing_error *error = abaqus->error;
    *has_next = false;
    values->n = values->n_lines = 0;
    while (!*has_next && text_lines_next_data(lines)) {
        struct text_word field;
        size_t position = 0;
        if (lines->line[0] == '*') {
            *has_next = lines->length < 2 || lines->line[1] != '*';
            continue;
        }
        NEED_ALLOCATED(memory_grow((void **)&values->numbers, values->n_lines + 1,
                                   &values->line_capacity, sizeof *values->numbers));
        NEED_ALLOCATED(memory_grow((void **)&values->first, values->n_lines + 1,
                                   &values->first_capacity, sizeof *values->first));
        values->numbers[values->n_lines] = lines->number;
        values->first[values->n_lines++] = values->n;
        while (text_lines_field(lines, &position, &field)) {
            if (field.length == 0 && position > lines->length) {
                continue; /* behind the comma that ends a line */
            }
            NEED_ALLOCATED(memory_grow((void **)&values->list, values->n + 1, &values->capacity,
                                       sizeof *values->list));
            NEED(text_lines_number(lines, &field, "value", &values->list[values->n]));
            values->n++;
        }
    }
    return MASING_OK;
}

static enum masing_status add_values(struct abaqus *abaqus,
                                     const struct substructure *structure,
                                     const struct values *values, enum substructure_form form)
{
    size_t n = (size_t)structure->rows.n, at = 0, line = 0;
    for (size_t column = 0; column < n; column++) {
        size_t from = form == FORM_LOWER ? column : 0;
        size_t to = form == FORM_UPPER ? column + 1 : n;
        for (size_t row = from; row < to; row++, at++) {
            while (line + 1 < values->n_lines && values->first[line + 1] <= at) {
                line++;
            }
            NEED(entry_list_add(&abaqus->matrix->list, structure->rows.list[row],
                                structure->rows.list[column], values->list[at],
                                values->numbers[line], abaqus->error));
        }
    }
    abaqus->matrix->n_rows = (int)n;
    return MASING_OK;
}

/* The values that stand below a *MATRIX of line @p number */
static enum masing_status take_matrix(struct abaqus *abaqus,
                                      const struct substructure *structure,
                                      const struct values *values, int number)
{
    size_t n = (size_t)structure->rows.n, half = n * (n + 1) / 2;
    for (enum substructure_form form = FORM_UPPER; form < N_FORMS; form++) {
        if (fits(values, n, form)) {
            return add_values(abaqus, structure, values, form);
        }
    }
    bool is_complete = values->n == half || values->n == n * n;
    return masing_error_set(
        abaqus->error, MASING_INVALID,
        is_complete ? "%.400s:%d:1: a line does not begin with each of the %zu "
                      "columns, so that they cannot be told apart (%zu values)"
                    : "%.400s:%d:1: the matrix of %zu rows has %zu values, expected "
                      "one triangle or all",
        abaqus->lines.file, number, n, values->n);
}

static enum masing_status read_matrices(struct abaqus *abaqus,
                                        const struct substructure *structure,
                                        struct values *values)
{
    struct text_lines *lines = &abaqus->lines;
    bool has_next = true, is_found = false;
    const char *wanted = abaqus->is_mass ? "TYPE=MASS" : "TYPE=STIFFNESS";
    while (has_next) {
        bool is_wanted = find_option(lines, "*MATRIX") && find_option(lines, wanted);
        int number = lines->number;
        NEED(read_values(abaqus, values, &has_next));
        if (is_wanted && is_found) {
            return masing_error_set(abaqus->error, MASING_INVALID,
                                    "%.400s:%d:1: a second *MATRIX, %s", lines->file, number,
                                    wanted);
        }
        NEED(is_wanted ? take_matrix(abaqus, structure, values, number) : MASING_OK);
        is_found = is_found || is_wanted;
    }
    return is_found
               ? MASING_OK
               : masing_error_set(
                     abaqus->error, MASING_INVALID,
                     "%.400s: the substructure has no *MATRIX, %s%s", lines->file, wanted,
                     abaqus->is_mass ? ": without a mass nothing vibrates (CalculiX writes "
                                       "none; use structure.calculix, or give mass: "
                                       "another file)"
                                     : "");
}

static enum masing_status read_substructure(struct abaqus *abaqus)
{
    enum masing_status status = MASING_OK;
    struct substructure structure = {.n_nodes = 0};
    struct values values = {0};
    TRY(read_element(abaqus, &structure));
    if (structure.n_nodes != structure.nodes.n || structure.position == 0) {
        TRY(text_lines_fail(&abaqus->lines, 1,
                            "the substructure has %d nodes in the comments below ** ELEMENT "
                            "NODES%s, expected %d (NODES=)",
                            structure.nodes.n,
                            structure.position ? "" : " and no line with directions",
                            structure.n_nodes));
    }
    TRY(add_rows(abaqus, &structure, structure.n_nodes + 1));
    TRY(read_matrices(abaqus, &structure, &values));
done:
    free(structure.nodes.list);
    free(structure.rows.list);
    free(structure.directions.list);
    free(values.list);
    free(values.numbers);
    free(values.first);
    return status;
}

/* ---- files ---- */

static enum masing_status read_file(struct abaqus *abaqus, const char *file)
{
    enum masing_status status = MASING_OK;
    char *text = NULL;
    size_t length;
    abaqus->matrix->list.file = file;
    abaqus->matrix->list.triangles = ENTRIES_EITHER;
    TRY(matrix_text_begin(&abaqus->lines, file, '#', &text, &length, abaqus->error));
    enum matrix_format format = matrix_format_of(text, length);
    if (format == MATRIX_SUBSTRUCTURE) {
        TRY(read_substructure(abaqus));
    } else if (format == MATRIX_NODES || format == MATRIX_COORDINATE) {
        TRY(read_entries(abaqus, format == MATRIX_NODES));
    } else {
        TRY(matrix_format_fail(file, format,
                               "what *MATRIX OUTPUT or *SUBSTRUCTURE MATRIX OUTPUT writes",
                               abaqus->error));
    }
done:
    free(text);
    return status;
}

/* Rows without names and directions of nodes do not go together. */
static enum masing_status check_kinds(const struct node_table *table,
                                      const char *stiffness_file, const char *mass_file,
                                      struct masing_error *error)
{
    int n_rows = 0;
    for (int i = 0; i < table->n; i++) {
        n_rows += table->dofs[i].direction == 0;
    }
    return n_rows == 0 || n_rows == table->n
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s: has nodes where '%.300s' has numbers of rows, or "
                                  "the other way round: expected one format for both",
                                  mass_file, stiffness_file);
}

enum masing_status abaqus_read(const char *stiffness_file, const char *mass_file,
                               struct node_matrices *matrices, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct node_table table = {0};
    struct node_matrix stiffness = {.n_rows = 0}, mass = {.n_rows = 0};
    struct abaqus abaqus = {.table = &table, .matrix = &stiffness, .error = error};
    *matrices = (struct node_matrices){0};
    TRY(read_file(&abaqus, stiffness_file));
    abaqus.matrix = &mass;
    abaqus.is_mass = true;
    TRY(read_file(&abaqus, mass_file));
    TRY(check_kinds(&table, stiffness_file, mass_file, error));
    TRY(node_matrices_make(&table, &stiffness, &mass, matrices, error));
    TRY(node_matrices_check(matrices, stiffness_file, mass_file, error));
done:
    node_table_clear(&table);
    entry_list_clear(&stiffness.list);
    entry_list_clear(&mass.list);
    if (status != MASING_OK) {
        node_matrices_clear(matrices);
    }
    return status;
}
