/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DMIG entries: `DMIG NAME GJ CJ - G1 C1 A1 B1`, continued by `G2 C2 A2 B2` and so on; fields
 * of 8 columns, of 16 (a * in the first one), or between commas. Fields run together, so that
 * they are cut by column. Entries of other kinds are passed over.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "data/matrices/nastran.h"
#include "data/matrices/nastran_field.h"

enum { MOST_FIELDS = 8, GROUP = 4, MOST_NODES = 2000000000 };

/* The fields of one line behind its first one, in groups of four. */
struct card {
    struct text_word first, fields[MOST_FIELDS];
    int n_groups;
};

static void cut_free(const struct text_lines *lines, struct card *card)
{
    size_t position = 0;
    int n = 0;
    text_lines_field(lines, &position, &card->first);
    bool is_large = card->first.length > 0 && memchr(card->first.text, '*', card->first.length);
    int most = is_large ? GROUP : MOST_FIELDS;
    while (n < most && text_lines_field(lines, &position, &card->fields[n])) {
        n++;
    }
    for (; n < most; n++) {
        card->fields[n] =
            (struct text_word){lines->line + lines->length, 0, (int)lines->length + 1};
    }
    card->n_groups = most / GROUP;
}

static void cut(const struct text_lines *lines, struct card *card)
{
    if (memchr(lines->line, ',', lines->length)) {
        cut_free(lines, card);
        return;
    }
    card->first = nastran_field(lines, 0, 8);
    bool is_large = card->first.length > 0 && memchr(card->first.text, '*', card->first.length);
    int most = is_large ? GROUP : MOST_FIELDS;
    size_t width = is_large ? 16 : 8;
    for (int i = 0; i < most; i++) {
        card->fields[i] = nastran_field(lines, 8 + (size_t)i * width, width);
    }
    card->n_groups = most / GROUP;
}

struct dmig {
    struct nastran *nastran;
    bool is_wanted, is_header; /* of the entry under way */
    int group;                 /* of the entry so far */
    int column;                /* index into the table */
    bool has_header;           /* of the matrix that is wanted */
};

/* A node and a direction; none of a scalar point. */
static enum masing_status take_dof(struct dmig *dmig, const struct text_word *fields,
                                   int *index)
{
    struct nastran *nastran = dmig->nastran;
    struct node_dof dof = {0, 0};
    NEED(text_lines_integer(&nastran->lines, &fields[0], "node", 1, MOST_NODES, &dof.node));
    NEED(fields[1].length == 0 ? MASING_OK
                               : text_lines_integer(&nastran->lines, &fields[1], "direction", 0,
                                                    6, &dof.direction));
    return node_table_add(nastran->table, dof, index, nastran->error);
}

static enum masing_status take_header(struct dmig *dmig, const struct text_word *fields)
{
    struct nastran *nastran = dmig->nastran;
    int form, type = 0;
    NEED(text_lines_integer(&nastran->lines, &fields[2], "form", 1, 9, &form));
    NEED(fields[3].length == 0
             ? MASING_OK
             : text_lines_integer(&nastran->lines, &fields[3], "type", 0, 4, &type));
    if (type > 2) {
        return text_lines_fail(&nastran->lines, fields[3].column,
                               "matrix %s is complex (type %d), expected a real one",
                               nastran->first, type);
    }
    if (form != 1 && form != 6) {
        return text_lines_fail(&nastran->lines, fields[2].column,
                               "matrix %s is of form %d, expected a square (1) or symmetric "
                               "one (6)",
                               nastran->first, form);
    }
    if (dmig->has_header) {
        return text_lines_fail(&nastran->lines, 1, "a second header of matrix %s",
                               nastran->first);
    }
    dmig->has_header = true;
    nastran->matrix->list.triangles = form == 6 ? ENTRIES_ONE_TRIANGLE : ENTRIES_BOTH;
    return MASING_OK;
}

/* NAME, GJ, CJ and nothing, or NAME, 0, form, type */
static enum masing_status begin_entry(struct dmig *dmig, const struct card *card)
{
    const struct text_word *fields = card->fields;
    struct nastran *nastran = dmig->nastran;
    dmig->is_wanted = dmig->is_header = false;
    dmig->group = 0;
    if (card->first.length < 4 || strncasecmp(card->first.text, "DMIG", 4) != 0 ||
        (card->first.length > 4 && isalpha((unsigned char)card->first.text[4]))) {
        return MASING_OK;
    }
    if (fields[0].length == 0) {
        return text_lines_fail(&nastran->lines, fields[0].column, "expected a matrix's name");
    }
    NEED(nastran_is_wanted(nastran, &fields[0], &dmig->is_wanted));
    if (!dmig->is_wanted) {
        return MASING_OK;
    }
    dmig->is_header = text_word_equals(&fields[1], "0", false);
    return dmig->is_header ? take_header(dmig, fields)
                           : take_dof(dmig, &fields[1], &dmig->column);
}

/* G, C, A, B */
static enum masing_status take_group(struct dmig *dmig, const struct text_word *fields)
{
    struct nastran *nastran = dmig->nastran;
    const struct text_lines *lines = &nastran->lines;
    double value, imaginary = 0.0;
    int row;
    if (fields[0].length + fields[1].length + fields[2].length + fields[3].length == 0) {
        return MASING_OK;
    }
    NEED(take_dof(dmig, fields, &row));
    NEED(nastran_number(lines, &fields[2], "value", &value));
    NEED(fields[3].length == 0
             ? MASING_OK
             : nastran_number(lines, &fields[3], "imaginary part", &imaginary));
    return imaginary != 0.0 ? text_lines_fail(lines, fields[3].column, "expected a real value")
                            : entry_list_add(&nastran->matrix->list, row, dmig->column, value,
                                             lines->number, nastran->error);
}

static bool is_continued(const struct card *card)
{
    return card->first.length == 0 || card->first.text[0] == '+' || card->first.text[0] == '*';
}

enum masing_status nastran_read_dmig(struct nastran *nastran)
{
    struct dmig dmig = {.nastran = nastran};
    nastran->matrix->list.triangles = ENTRIES_EITHER;
    while (text_lines_next_data(&nastran->lines)) {
        struct card card;
        cut(&nastran->lines, &card);
        NEED(is_continued(&card) ? MASING_OK : begin_entry(&dmig, &card));
        for (int g = 0; g < card.n_groups; g++, dmig.group++) {
            if (dmig.is_wanted && !dmig.is_header && dmig.group > 0) {
                NEED(take_group(&dmig, &card.fields[g * GROUP]));
            }
        }
    }
    return MASING_OK;
}
