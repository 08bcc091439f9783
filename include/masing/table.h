/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Rows with named columns, and the sinks that take them. A sink is independent of the analysis.
 */
#ifndef MASING_TABLE_H
#define MASING_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/event.h"
#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum masing_column_type {
    MASING_COLUMN_REAL,
    MASING_COLUMN_INTEGER,
    MASING_COLUMN_TEXT,
    MASING_COLUMN_LIST,    /**< several numbers in a cell; CSV leaves such columns out */
    MASING_COLUMN_COMPLEX, /**< likewise, complex ones */
};

enum { MASING_COLUMN_NAME = 96 };

struct masing_column {
    char name[MASING_COLUMN_NAME];
    enum masing_column_type type;
};

/** Whether a cell of the column holds one number or one text, as tables do. */
static inline bool masing_column_is_plain(const struct masing_column *column)
{
    return column->type != MASING_COLUMN_LIST && column->type != MASING_COLUMN_COMPLEX;
}

/** A cell: NAN or a NULL text is "not available" and is written as an empty field. */
struct masing_cell {
    double number;
    const char *text;
    /** Of the column `event`, whose text is for people: the kinds, a set of bits
     * MASING_EVENT_BIT(kind), and the index of the joint of the model
     * whose contact changes, the first one where several do; -1: none. */
    unsigned events;
    int joint;
    /** Of the columns with several numbers, else NULL: as many as `number` says, of a complex
     * number first the real part and then the imaginary one. */
    const double *values;
};

/**
 * Where rows go. `open` once, then `row` any number of times, then either `finish` or
 * `abandon`; `destroy` last, by whoever made the sink. Every function but `abandon` and
 * `destroy` can fail. A function that is NULL has nothing to do: an analysis leaves it out.
 */
struct masing_sink {
    void *context;
    enum masing_status (*open)(void *context, const struct masing_column *columns,
                               int n_columns, struct masing_error *error);
    enum masing_status (*row)(void *context, const struct masing_cell *cells,
                              struct masing_error *error);
    enum masing_status (*finish)(void *context, struct masing_error *error);
    void (*abandon)(void *context);
    void (*destroy)(void *context);
    /** Both or none: rows made ready by several threads. `fork` makes a sink with `row` and
     * `destroy` alone for rows that come later. Any thread may call it after `open`, and its
     * `row`, also while others do the same and rows are taken here. `join` takes the rows of
     * such a part as if each had come by `row`; the part is then destroyed by who has it. Where
     * there is none, rows are kept until their turn comes and handed to `row`. */
    enum masing_status (*fork)(void *context, struct masing_sink *part,
                               struct masing_error *error);
    enum masing_status (*join)(void *context, const struct masing_sink *part,
                               struct masing_error *error);
};

/**
 * CSV file, numbers with 17 significant digits; "-" is standard output. A row is on disk when
 * `row` returns, unless rows come faster than one a millisecond: then they are sent together.
 * The rows are under a name of their own in the same folder (FILE.unfinished-...) until
 * `finish` or `abandon` puts them in the place of an earlier file, which is as it was until
 * then. `abandon` keeps all rows; where there are none the earlier file stays.
 */
MASING_API enum masing_status masing_csv_create(const char *file, struct masing_sink *sink,
                                                struct masing_error *error);

enum masing_plot_kind {
    MASING_PLOT_CURVES, /**< y over x, one curve per group, peaks marked */
    MASING_PLOT_LOOPS,  /**< closed loops y over x, one per group */
    /** Of the rows of masing_response_options.contacts: for each joint at each peak a map of
     * the loss and one of the shares of stick, slip and opening over its elements. Of the
     * settings title, group_column and group_label are used. */
    MASING_PLOT_CONTACTS,
    /** A value in colours and contour lines over x and y, of rows on a grid; the lowest is
     * marked. Of the settings title, the columns x, y, value with their labels, is_log_x,
     * is_log_y and event_column are used: rows with the event crossing, fold or minimum may lie
     * between the lines of the grid, and are then not shown. */
    MASING_PLOT_MAP,
    /** Of the rows of masing_mesh_pairs: for each joint its nodes as they are seen along the
     * mean normal, with lines to those opposite; those that found none are named. Of the
     * settings only the title is used. */
    MASING_PLOT_PAIRS,
    /** Of the rows of masing_check_lines. Of the settings title and labels of x and y are used,
     * and is_coarse: x counts nodal diameters, where the points of modes are marked. */
    MASING_PLOT_FREQUENCIES,
};

/** What a plot shows of the rows that it is handed. Texts are copied. */
struct masing_plot_settings {
    size_t size; /**< sizeof this struct, see masing/status.h */
    enum masing_plot_kind kind;
    const char *title;
    const char *x_column, *y_column;
    const char *group_column; /**< one curve per value, in an ordered colour scale; or NULL */
    const char *x_label, *y_label, *group_label; /**< with units */
    const char *segment_column; /**< the pen is lifted where it changes; or NULL */
    /** Loops: 1 closes a loop and makes it prominent among those with 0, which are drawn thin
     * behind it (but the last of a group, where there is none with 1); NULL: all are closed. */
    const char *closed_column;
    const char *event_column; /**< rows with the event peak or minimum are marked; or NULL */
    bool is_log_x, is_log_y;
    bool is_coarse;          /**< straight lines: too few points to show how the curve bends */
    const char *dots_column; /**< rows where it is not zero are dots, not joined; or NULL */
    bool are_dots_above;     /**< the lines, not below */
    /** Curves only: a second panel below with this column over the same x, to which is_log_y
     * then applies; or NULL. */
    const char *second_column, *second_label;
    bool is_second_cropped; /**< the lower panel shows how little it changes, not the upper one
                             */
    /** Curves only: shade the range of x in which y is within this part above the lowest of the
     * marked rows; 0: none. */
    double band;
    /** Maps only: what the colours are of. */
    const char *value_column, *value_label;
    /** Curves only: stretches where it is 0 are dashed, which the picture explains; or NULL. */
    const char *stable_column;
};

/**
 * Picture file by its ending: .svg or .png. `open` tries whether a file can be made, so that a
 * folder that is not there is noticed early; the picture is drawn by `finish` and takes the
 * place of an earlier one when it is whole. `abandon` leaves the earlier one.
 */
MASING_API enum masing_status masing_plot_create(const char *file,
                                                 const struct masing_plot_settings *settings,
                                                 struct masing_sink *sink,
                                                 struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
