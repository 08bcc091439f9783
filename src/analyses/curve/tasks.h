/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of tasks, each a function of its index and of the model alone: curves of a study,
 * lines of a map. What a task has found is logged when it is done, and taken from the log of an
 * earlier run where that has it; results are handed over in the order of the index, so that
 * they are the same bytes whichever tasks an earlier run had done, and for any number of
 * threads.
 */
#ifndef MASING_ANALYSES_CURVE_TASKS_H
#define MASING_ANALYSES_CURVE_TASKS_H

#include "base/packing.h"
#include "masing/response.h"

struct tasks {
    int n;
    int n_threads;                          /* at most; 0: one for each processor */
    const struct masing_progress *progress; /* of all together, or NULL */
    struct masing_journal *journal;         /* NULL: nothing is logged */
    void *context;
    /* In any thread; after a negative status no further one begins. Its status is a result, as
     * everything that hand_over looks at. MASING_OK: nothing of it was cut short, also where
     * the progress is cancelled by now. */
    enum masing_status (*compute)(void *context, int index,
                                  const struct masing_progress *progress);
    /* Puts these results into a packing, or takes them out; in any thread. */
    enum masing_status (*keep)(void *context, int index, struct packing *packing,
                               struct masing_error *error);
    /* Of each that is done, one at a time; after a failure no further one is. */
    enum masing_status (*hand_over)(void *context, int index, struct masing_error *error);
    /*
     * Lists of which the results say what the next one is: `first` tasks were in those before,
     * and processes that share them wait for a next one where there may be one. Another process
     * knows the first list alone: to it, task i of all is task i % n of that, and what differs
     * is told, put into a packing or taken out of it by what computes the task. NULL: nothing
     * is told.
     */
    int first;
    bool may_have_more;
    void (*tell)(void *context, int index, struct packing *packing);
};

/* Fails where threads cannot be started, the log holds something else, or a task cannot be
 * handed over. */
enum masing_status tasks_run(const struct tasks *tasks, struct masing_error *error);

/* ---- rows of a task ---- */

/* A part of a table's sink, and the same rows as bytes for the log. */
struct task_rows {
    struct masing_sink part;           /* made by sink_fork; no context: there is none */
    struct masing_sink sink;           /* takes the rows of the task; lent by this struct */
    const struct masing_sink *through; /* takes them in place of a part; or NULL */
    struct packing packing;            /* of the rows, where they are logged */
    int n_columns;
    bool is_logged;
};

/* For rows that come to rows->sink; @p table is the sink that the part is of, not NULL. */
enum masing_status task_rows_begin(struct task_rows *rows, const struct masing_sink *table,
                                   int n_columns, bool is_logged, struct masing_error *error);
/* Puts the rows into a packing; or begins, and takes them out. Nothing where table is NULL. */
enum masing_status task_rows_keep(struct task_rows *rows, const struct masing_sink *table,
                                  int n_columns, struct packing *packing,
                                  struct masing_error *error);
/* For rows that go on to the table's own sink as they come, with all of its functions. */
void task_rows_through(struct task_rows *rows, const struct masing_sink *table, bool is_logged);
/* The rows that an earlier run has logged of a task under way come first. */
enum masing_status task_rows_refill(struct task_rows *rows, struct packing *packing,
                                    struct masing_error *error);
void task_rows_clear(struct task_rows *rows);

/* A status and its sentence. */
void task_pack_error(struct packing *packing, enum masing_status *status,
                     struct masing_error *error);

#endif
