/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/matrices/matrix_format.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"
#include "data/matrices/nastran_field.h"
#include "data/number.h"

/* Lines that are looked at before a text counts as unknown. */
enum { MOST_LINES = 2000 };

/* What it is, and what to do with it. */
static const char *const meanings[][2] = {
    [MATRIX_UNKNOWN] = {"of no known format", ""},
    [MATRIX_MARKET] = {"a Matrix Market file",
                       "give it as mass or stiffness of the structure itself"},
    [MATRIX_MATLAB] = {"a file of MATLAB",
                       "give it as mass or stiffness of the structure itself, with a "
                       "name that ends in .mat"},
    [MATRIX_COORDINATE] = {"a list of 'row column value'", "give it as structure.abaqus, or as "
                                                           "structure.calculix with its .dof"},
    [MATRIX_NODES] = {"a list of 'node,direction,node,direction,value'",
                      "give it as structure.abaqus"},
    [MATRIX_SUBSTRUCTURE] = {"a substructure (*USER ELEMENT)", "give it as structure.abaqus"},
    [MATRIX_DMIG] = {"a file of Nastran's DMIG entries", "give it as structure.nastran"},
    [MATRIX_OUTPUT4] = {"Nastran's OUTPUT4 as text", "give it as structure.nastran"},
    [MATRIX_CALCULIX_DOFS] = {"CalculiX's list of DOFs (.dof)",
                              "it goes with .sti and .mas: structure.calculix"},
    [MATRIX_DECK] = {"an input deck",
                     "the program that takes it has to write the matrices first"},
    [MATRIX_BINARY_OUTPUT4] = {"Nastran's OUTPUT4 in binary form",
                               "write it as text: ASSIGN OUTPUT4='k.op4',UNIT=31,FORMATTED"},
    [MATRIX_OUTPUT2] = {"a binary file of a Fortran program, such as Nastran's OUTPUT2",
                        "write DMIG (PARAM,EXTOUT,DMIGPCH) or OUTPUT4 as text"},
    [MATRIX_MATLAB_4] = {"a file of MATLAB's version 4, or of Octave's option -v4",
                         "write it with save -v7"},
    [MATRIX_OCTAVE] = {"a file of Octave's own format", "write it with save -v7"},
    [MATRIX_UNIVERSAL] = {"a universal file (.unv, .uff), which is not read",
                          "write the matrices as Matrix Market or as a .mat file"},
    [MATRIX_HARWELL_BOEING] = {"a Harwell-Boeing file, which is not read",
                               "write Matrix Market (Ansys: *SMAT and *EXPORT, MMF)"},
    [MATRIX_GMSH] = {"a mesh of Gmsh", "it holds no matrices"},
    [MATRIX_HDF5] = {"an HDF5 file that MATLAB has not written",
                     "write a .mat file (Octave: save -v7) or Matrix Market"},
    [MATRIX_COMPRESSED] = {"a compressed file", "unpack it first"},
};

static const struct {
    const char *ending, *what;
} unreadable[] = {
    {".eig", "CalculiX's memory of a *FREQUENCY step, which depends on its version; write the "
             "matrices with *FREQUENCY, SOLVER=MATRIXSTORAGE"},
    {".odb", "Abaqus's output database, which only Abaqus reads; write text with *MATRIX "
             "GENERATE and *MATRIX OUTPUT"},
    {".sim", "Abaqus's SIM database, which only Abaqus reads; write text with *MATRIX GENERATE "
             "and *MATRIX OUTPUT"},
    {".op2", "Nastran's OUTPUT2, which is not read; write DMIG (PARAM,EXTOUT,DMIGPCH) or "
             "OUTPUT4 as text"},
    {".frd", "CalculiX's results, which hold no matrices; write them with *FREQUENCY, "
             "SOLVER=MATRIXSTORAGE"},
    {".rst", "Ansys's results, which hold no matrices; write them with *SMAT and *EXPORT, MMF "
             "as Matrix Market"},
    {".sub", "Ansys's superelement in binary form, which is not read; write its matrices with "
             "*DMAT and *EXPORT, MMF as Matrix Market"},
    {".full", "Ansys's binary file, which is not read; write its matrices with *SMAT and "
              "*EXPORT, MMF as Matrix Market"},
};

/* ---- binary ---- */

/* Length of the first record of a Fortran program, in either order of bytes. */
static bool begins_record(const unsigned char *bytes, unsigned length)
{
    return (bytes[0] == length && !bytes[1] && !bytes[2] && !bytes[3]) ||
           (bytes[3] == length && !bytes[0] && !bytes[1] && !bytes[2]);
}

static uint32_t integer_at(const unsigned char *bytes, bool is_swapped)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value = value << 8 | bytes[is_swapped ? i : 3 - i];
    }
    return value;
}

/* Five integers, the first of which tells machine, storage and kind, and a name. */
static bool is_matlab_4(const unsigned char *bytes, size_t length)
{
    enum { HEAD = 20, BIG_ENDIAN_MACHINE = 1000, KINDS = 53, LONGEST_NAME = 64 };
    for (int swapped = 0; length > HEAD && swapped < 2; swapped++) {
        uint32_t head[5];
        for (int i = 0; i < 5; i++) {
            head[i] = integer_at(bytes + 4 * i, swapped);
        }
        uint32_t kind = head[0] - (swapped ? BIG_ENDIAN_MACHINE : 0);
        bool is_head = kind < KINDS && kind % 10 < 3 && head[1] > 0 && head[2] > 0 &&
                       head[3] <= 1 && head[4] > 1 && head[4] <= LONGEST_NAME;
        if (is_head && HEAD + head[4] <= length && isalpha(bytes[HEAD]) &&
            bytes[HEAD + head[4] - 1] == 0) {
            return true;
        }
    }
    return false;
}

static enum matrix_format binary_format(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    static const struct {
        const char *begin;
        enum matrix_format format;
    } signatures[] = {
        {"MATLAB 5.0 MAT-file", MATRIX_MATLAB},
        {"MATLAB 7.3 MAT-file", MATRIX_MATLAB},
        {"%%MatrixMarket", MATRIX_MARKET},
        {"$MeshFormat", MATRIX_GMSH},
        {"Octave-1-", MATRIX_OCTAVE},
        {"# Created by Octave", MATRIX_OCTAVE},
        {"\x89HDF\r\n\x1a\n", MATRIX_HDF5},
        {"\x1f\x8b", MATRIX_COMPRESSED},
        {"PK\x03\x04", MATRIX_COMPRESSED},
        {"BZh", MATRIX_COMPRESSED},
        {"\xFD"
         "7zXZ",
         MATRIX_COMPRESSED},
    };
    for (size_t s = 0; s < sizeof signatures / sizeof *signatures; s++) {
        size_t n = strlen(signatures[s].begin);
        if (length >= n && !strncasecmp(text, signatures[s].begin, n)) {
            return signatures[s].format;
        }
    }
    if (is_matlab_4(bytes, length)) {
        return MATRIX_MATLAB_4;
    }
    if (length >= 16 && (begins_record(bytes, 24) || begins_record(bytes, 48))) {
        return MATRIX_BINARY_OUTPUT4;
    }
    return length >= 16 && (begins_record(bytes, 4) || begins_record(bytes, 8))
               ? MATRIX_OUTPUT2
               : MATRIX_UNKNOWN;
}

/* ---- text ---- */

static bool begins_with(const struct text_lines *lines, size_t at, const char *word)
{
    size_t n = strlen(word);
    return lines->length >= at + n && !strncasecmp(lines->line + at, word, n);
}

/* Four integers and a name, cut by column. */
static bool is_output4(const struct text_lines *lines)
{
    for (size_t width = 8; width <= 16; width += 8) {
        int number, i = 0;
        while (i < 4 && nastran_integer(lines, (size_t)i * width, width, &number)) {
            i++;
        }
        if (i == 4 && lines->length > 4 * width &&
            isalpha((unsigned char)lines->line[4 * width])) {
            return true;
        }
    }
    return false;
}

static bool is_number(const struct text_word *word)
{
    double value;
    char text[64];
    if (word->length == 0 || word->length >= sizeof text) {
        return false;
    }
    memcpy(text, word->text, word->length);
    text[word->length] = 0;
    return !number_parse(text, &value);
}

/* Blocks begin and end with a line of -1 alone. */
static bool is_universal(const struct text_lines *lines)
{
    struct text_word word;
    size_t position = 0;
    return text_lines_word(lines, &position, &word) && word.length == 2 &&
           !strncmp(word.text, "-1", 2) && !text_lines_word(lines, &position, &word);
}

static enum matrix_format format_of_numbers(const struct text_lines *lines)
{
    if (is_universal(lines)) {
        return MATRIX_UNIVERSAL;
    }
    bool has_commas = memchr(lines->line, ',', lines->length) != NULL;
    struct text_word word;
    size_t position = 0;
    int n = 0, n_numbers = 0;
    while (n < 8 && (has_commas ? text_lines_field(lines, &position, &word)
                                : text_lines_word(lines, &position, &word))) {
        n_numbers += is_number(&word);
        n++;
    }
    if (n != n_numbers) {
        return MATRIX_UNKNOWN;
    }
    return n == 5               ? MATRIX_NODES
           : n == 3             ? MATRIX_COORDINATE
           : n == 1 && position ? MATRIX_CALCULIX_DOFS
                                : MATRIX_UNKNOWN;
}

/* Of Abaqus and CalculiX; the line is a keyword. */
static enum matrix_format format_of_keyword(const struct text_lines *lines)
{
    return begins_with(lines, 0, "*USER ELEMENT") || begins_with(lines, 0, "*USERELEMENT") ||
                   begins_with(lines, 0, "*MATRIX")
               ? MATRIX_SUBSTRUCTURE
               : MATRIX_DECK;
}

/* A file of Nastran's has other entries before. */
static bool holds_dmig(struct text_lines lines)
{
    do {
        if (begins_with(&lines, 0, "DMIG")) {
            return true;
        }
    } while (text_lines_next(&lines));
    return false;
}

/* Of Nastran's input */
static enum matrix_format format_of_word(const struct text_lines *lines)
{
    static const char *const words[] = {"NASTRAN", "ASSIGN", "INIT",       "SOL ", "CEND",
                                        "ID ",     "GRID",   "BEGIN BULK", "PARAM"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (begins_with(lines, 0, words[w])) {
            return MATRIX_DECK;
        }
    }
    return MATRIX_UNKNOWN;
}

/* The third line begins with a type, as RSA, and eleven blanks. */
static bool is_harwell_boeing(const char *text)
{
    static const char *const letters[] = {"RCP", "SUHZR", "AE"};
    for (int i = 0; i < 2 && text; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    for (int i = 0; i < 3 && text; i++) {
        bool is_one = *text && strchr(letters[i], toupper((unsigned char)*text));
        text = is_one ? text + 1 : NULL;
    }
    return text && strspn(text, " ") >= 11;
}

enum matrix_format matrix_format_of(const char *text, size_t length)
{
    struct text_lines lines;
    enum matrix_format format = binary_format(text, length);
    if (format == MATRIX_UNKNOWN && is_harwell_boeing(text)) {
        return MATRIX_HARWELL_BOEING;
    }
    text_lines_begin(&lines, "", text, length, '$', NULL);
    for (int i = 0; format == MATRIX_UNKNOWN && i < MOST_LINES && text_lines_next_data(&lines);
         i++) {
        char first = lines.line[0];
        if (begins_with(&lines, 0, "**") || first == '#') {
            continue;
        }
        if (first == '*' && isalpha((unsigned char)lines.line[1])) {
            return format_of_keyword(&lines);
        }
        if (is_output4(&lines)) {
            return MATRIX_OUTPUT4;
        }
        if (isalpha((unsigned char)first) || first == '*') {
            return holds_dmig(lines) ? MATRIX_DMIG : format_of_word(&lines);
        }
        return format_of_numbers(&lines);
    }
    return format;
}

/* ---- messages ---- */

enum masing_status matrix_format_refuse(const char *file, const char *text, size_t length,
                                        struct masing_error *error)
{
    size_t name = strlen(file);
    if (text) {
        enum matrix_format format = binary_format(text, length);
        return format > MATRIX_DECK ? matrix_format_fail(file, format, NULL, error) : MASING_OK;
    }
    for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++) {
        size_t n = strlen(unreadable[i].ending);
        if (name > n && !strcasecmp(file + name - n, unreadable[i].ending)) {
            return masing_error_set(error, MASING_INVALID, "%.400s: is %s", file,
                                    unreadable[i].what);
        }
    }
    return MASING_OK;
}

enum masing_status matrix_format_fail(const char *file, enum matrix_format format,
                                      const char *expected, struct masing_error *error)
{
    const char *advice = meanings[format][1];
    return masing_error_set(error, MASING_INVALID, "%.400s: is %s%s%s%s%s", file,
                            meanings[format][0], expected ? "; expected " : "",
                            expected ? expected : "", *advice ? "; " : "", advice);
}

enum masing_status matrix_text_begin(struct text_lines *lines, const char *file, char comment,
                                     char **text, size_t *length, struct masing_error *error)
{
    NEED(matrix_format_refuse(file, NULL, 0, error));
    NEED(text_file_read(file, MATRIX_TEXT_LIMIT, text, length, error));
    NEED(matrix_format_refuse(file, *text, *length, error));
    if (binary_format(*text, *length) != MATRIX_MATLAB) { /* which a message names later */
        NEED(text_check(*text, *length, false, file, error));
    }
    text_lines_begin(lines, file, *text, *length, comment, error);
    return (*text)[*length - 1] == '\n' || binary_format(*text, *length) == MATRIX_MATLAB
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s: the last line has no end: the file is cut short",
                                  file);
}
