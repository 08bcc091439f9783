/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/tasks.h"

#include <pthread.h>
#include <stdlib.h>

#include "analyses/curve/jobs.h"
#include "base/check.h"
#include "base/journal.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/sink.h"
#include "base/team.h"
#include "base/thread_pool.h"
#include "linalg/one_thread.h"
#include "model/message.h"

/* ---- rows ---- */

static enum masing_status take_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct task_rows *rows = context;
    if (rows->is_logged) {
        packing_row(&rows->packing, (struct masing_cell *)(void *)cells, rows->n_columns);
        NEED(packing_end(&rows->packing, error));
    }
    return sink_row(rows->through ? rows->through : &rows->part, cells, error);
}

static enum masing_status open_through(void *context, const struct masing_column *columns,
                                       int n_columns, struct masing_error *error)
{
    struct task_rows *rows = context;
    rows->n_columns = n_columns;
    return sink_open(rows->through, columns, n_columns, error);
}

static enum masing_status finish_through(void *context, struct masing_error *error)
{
    return sink_finish(((struct task_rows *)context)->through, error);
}

static void abandon_through(void *context)
{
    sink_abandon(((struct task_rows *)context)->through);
}

void task_rows_through(struct task_rows *rows, const struct masing_sink *table, bool is_logged)
{
    *rows = (struct task_rows){.through = table, .is_logged = is_logged};
    rows->sink = (struct masing_sink){.context = rows,
                                      .open = open_through,
                                      .row = take_row,
                                      .finish = finish_through,
                                      .abandon = abandon_through};
}

enum masing_status task_rows_begin(struct task_rows *rows, const struct masing_sink *table,
                                   int n_columns, bool is_logged, struct masing_error *error)
{
    *rows = (struct task_rows){.n_columns = n_columns, .is_logged = is_logged};
    rows->sink = (struct masing_sink){.context = rows, .row = take_row};
    return sink_fork(table, n_columns, &rows->part, error);
}

/* The rows that were taken go on to the part. */
static enum masing_status put_rows(struct task_rows *rows, const struct masing_sink *to,
                                   struct packing *packing, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_cell *cells = memory_array((size_t)rows->n_columns, sizeof *cells);
    TRY_ALLOCATED(cells);
    while (packing->at < packing->n) {
        packing_row(packing, cells, rows->n_columns);
        TRY(packing_end(packing, error));
        TRY(sink_row(to, cells, error));
    }
done:
    free(cells);
    return status;
}

/* What the log has of a table that is wanted now. */
static enum masing_status take_rows(struct task_rows *rows, const struct masing_sink *table,
                                    int n_columns, bool is_same, bool has_rows,
                                    struct packing *packing, struct masing_error *error)
{
    if (!is_same) {
        return masing_error_set(error, MASING_INVALID,
                                "the log lacks a table, or has other columns: it was written "
                                "for other files; parts are to be computed with all kinds of "
                                "files (-o) that the whole has");
    }
    NEED(has_rows ? task_rows_begin(rows, table, n_columns, false, error) : MASING_OK);
    return has_rows ? put_rows(rows, &rows->part, packing, error) : MASING_OK;
}

enum masing_status task_rows_refill(struct task_rows *rows, struct packing *packing,
                                    struct masing_error *error)
{
    return put_rows(rows, &rows->sink, packing, error);
}

enum masing_status task_rows_keep(struct task_rows *rows, const struct masing_sink *table,
                                  int n_columns, struct packing *packing,
                                  struct masing_error *error)
{
    struct packing bytes = rows->packing;
    unsigned char is_wanted = table != NULL, has_rows = rows->part.context != NULL;
    int n = n_columns;
    rows->packing = (struct packing){0};
    PACK(packing, is_wanted);
    PACK(packing, has_rows);
    PACK(packing, n);
    packing_part(packing, &bytes);
    enum masing_status status = packing_end(packing, error);
    if (packing->is_taking && status == MASING_OK && table) {
        status = take_rows(rows, table, n_columns, is_wanted && n == n_columns, has_rows,
                           &bytes, error);
    }
    packing_clear(&bytes);
    return status;
}

void task_rows_clear(struct task_rows *rows)
{
    sink_destroy(&rows->part);
    packing_clear(&rows->packing);
    *rows = (struct task_rows){0};
}

/* ---- other parts ---- */

void task_pack_error(struct packing *packing, enum masing_status *status,
                     struct masing_error *error)
{
    PACK(packing, *status);
    PACK(packing, error->status);
    packing_string(packing, error->message, sizeof error->message);
    packing_string(packing, error->part, sizeof error->part);
}

/* ---- the list ---- */

struct task {
    char **log; /* lines of the progress, told when the task is handed over */
    int n_lines;
    size_t capacity;
    bool has_failed; /* no memory for a line */
    bool is_lost;    /* another process had it, and was interrupted */
};

struct list {
    const struct tasks *tasks;
    struct masing_team *team; /* that shares the tasks, or NULL */
    int n_threads;            /* of this process */
    int n_places;             /* threads of the others, in the first process */
    enum masing_status ended; /* of handing over, likewise */
    struct masing_error *error;
    pthread_mutex_t handing;      /* over, in another process than the first */
    pthread_mutex_t lock;         /* of the progress, which one thread at a time calls */
    struct task *each;            /* [n] */
    enum masing_status *failures; /* [n] of taking a task from the log, or of keeping it */
    struct masing_error *errors;  /* [n] */
};

/* ---- the progress of all, while another thread hands over ---- */

static void report_all(void *context, double fraction, int points)
{
    struct list *list = context;
    const struct masing_progress *progress = list->tasks->progress;
    pthread_mutex_lock(&list->lock);
    progress->report(progress->context, fraction, points);
    pthread_mutex_unlock(&list->lock);
}

static void log_all(void *context, const char *line)
{
    struct list *list = context;
    const struct masing_progress *progress = list->tasks->progress;
    pthread_mutex_lock(&list->lock);
    progress->log(progress->context, line);
    pthread_mutex_unlock(&list->lock);
}

static bool is_all_cancelled(void *context)
{
    struct list *list = context;
    pthread_mutex_lock(&list->lock);
    bool is_over = progress_is_cancelled(list->tasks->progress);
    pthread_mutex_unlock(&list->lock);
    return is_over || (list->team && team_is_over(list->team));
}

static struct masing_progress progress_of_all(struct list *list)
{
    const struct masing_progress *given = list->tasks->progress;
    bool may_end = list->team || (given && given->is_cancelled);
    return (struct masing_progress){.context = list,
                                    .report = given && given->report ? report_all : NULL,
                                    .log = given && given->log ? log_all : NULL,
                                    .is_cancelled = may_end ? is_all_cancelled : NULL};
}

/* ---- a task ---- */

/* Among those of all lists. */
static int number_of(const struct list *list, int index)
{
    return list->tasks->first + index;
}

/* The progress of a task keeps what it logs. */
struct task_progress {
    const struct masing_progress *progress;
    struct task *task;
};

static void report(void *context, double fraction, int points)
{
    const struct masing_progress *progress = ((struct task_progress *)context)->progress;
    progress->report(progress->context, fraction, points);
}

static bool is_cancelled(void *context)
{
    return progress_is_cancelled(((struct task_progress *)context)->progress);
}

static void keep_line(void *context, const char *line)
{
    struct task *task = ((struct task_progress *)context)->task;
    char *copy = memory_text(line);
    if (copy && memory_grow((void **)&task->log, (size_t)task->n_lines + 1, &task->capacity,
                            sizeof *task->log)) {
        task->log[task->n_lines++] = copy;
    } else {
        task->has_failed = true;
        free(copy);
    }
}

static enum masing_status compute_task(struct list *list, int index,
                                       const struct masing_progress *progress)
{
    const struct tasks *tasks = list->tasks;
    struct task_progress own = {progress, &list->each[index]};
    const struct masing_progress kept = {
        .context = &own,
        .report = progress && progress->report ? report : NULL,
        .log = progress && progress->log ? keep_line : NULL,
        .is_cancelled = progress && progress->is_cancelled ? is_cancelled : NULL};
    return tasks->compute(tasks->context, index, progress ? &kept : NULL);
}

static enum masing_status keep(struct list *list, int index, struct packing *packing,
                               struct masing_error *error)
{
    struct task *task = &list->each[index];
    warnings_pack(packing, &(struct warning_list){&task->log, &task->n_lines, NULL});
    NEED(packing_end(packing, error));
    return list->tasks->keep(list->tasks->context, index, packing, error);
}

/* What a task that was interrupted has found is not all of it. */
static bool is_whole(enum masing_status ended, const struct masing_progress *progress)
{
    return ended == MASING_OK || (ended > 0 && !progress_is_cancelled(progress));
}

static enum masing_status log_task(struct list *list, int index, struct masing_error *error)
{
    struct packing packing = {0};
    enum masing_status status = keep(list, index, &packing, error);
    if (status == MASING_OK) {
        journal_add(list->tasks->journal, number_of(list, index), &packing);
    }
    packing_clear(&packing);
    return status;
}

/* By a thread of this process. *ended: the task's own status. */
static enum masing_status compute_here(struct list *list, int index,
                                       const struct masing_progress *progress,
                                       enum masing_status *ended)
{
    *ended = compute_task(list, index, progress);
    bool is_logged = list->tasks->journal && is_whole(*ended, progress);
    return is_logged ? log_task(list, index, &list->errors[index]) : MASING_OK;
}

/* What an answer holds beside what was kept. */
struct answer {
    enum masing_status ended, kept; /* of the task, of keeping it */
    struct masing_error error;      /* of the latter */
    unsigned char is_cancelled;
};

static void pack_answer(struct packing *packing, struct answer *answer, struct packing *entry)
{
    PACK(packing, answer->ended);
    PACK(packing, answer->is_cancelled);
    task_pack_error(packing, &answer->kept, &answer->error);
    packing_part(packing, entry);
}

/* What another process has to know: where the task stood before, or what it is. */
static enum masing_status find_state(struct list *list, int index, struct packing *state,
                                     struct masing_error *error)
{
    const struct tasks *tasks = list->tasks;
    bool is_found;
    if (!tasks->tell) {
        return journal_find_checkpoint(tasks->journal, number_of(list, index), state, &is_found,
                                       error);
    }
    tasks->tell(tasks->context, index, state);
    return packing_end(state, error);
}

/* By a thread of another process. */
static enum masing_status compute_elsewhere(struct list *list, int index, int place,
                                            enum masing_status *ended)
{
    enum masing_status status = MASING_OK;
    struct masing_journal *journal = list->tasks->journal;
    struct masing_error *error = &list->errors[index];
    struct packing state = {0}, packing = {0}, entry = {0};
    struct answer answer = {.is_cancelled = true};
    *ended = MASING_STOPPED;
    TRY(find_state(list, index, &state, error));
    if (team_compute(list->team, place, number_of(list, index), &state, &packing)) {
        pack_answer(&packing, &answer, &entry);
        TRY(packing_end(&packing, error));
    }
    if (answer.is_cancelled) {
        list->each[index].is_lost = true;
        team_stop(list->team);
        goto done;
    }
    *ended = answer.ended;
    TRY(answer.kept ? masing_error_set(error, answer.kept, "%s", answer.error.message)
                    : MASING_OK);
    TRY(keep(list, index, &entry, error));
    if (*ended >= 0) {
        journal_add(journal, number_of(list, index), &entry);
    }
done:
    packing_clear(&state);
    packing_clear(&packing);
    packing_clear(&entry);
    return status;
}

static enum masing_status compute(void *context, int index,
                                  const struct masing_progress *progress)
{
    struct list *list = context;
    struct masing_journal *journal = list->tasks->journal;
    struct masing_error *error = &list->errors[index];
    struct packing entry = {0};
    bool is_found = false;
    enum masing_status ended = MASING_OK;
    enum masing_status status =
        journal ? journal_find(journal, number_of(list, index), &entry, &is_found, error)
                : MASING_OK;
    if (status == MASING_OK && is_found) {
        status = keep(list, index, &entry, error);
    } else if (status == MASING_OK) {
        int place = list->n_places > 0 ? team_take_place(list->team) : -1;
        status = place < 0 ? compute_here(list, index, progress, &ended)
                           : compute_elsewhere(list, index, place, &ended);
        if (list->n_places > 0) {
            team_give_place(list->team, place);
        }
    }
    packing_clear(&entry);
    list->failures[index] = status;
    return status ? status : ended;
}

static enum masing_status hand_over(void *context, int index, struct masing_error *error)
{
    struct list *list = context;
    const struct tasks *tasks = list->tasks;
    struct task *task = &list->each[index];
    if (list->failures[index] != MASING_OK) {
        return masing_error_set(error, list->failures[index], "%s",
                                list->errors[index].message);
    }
    NEED_ALLOCATED(!task->has_failed);
    if (task->is_lost) {
        return MASING_OK;
    }
    for (int i = 0; i < task->n_lines && tasks->progress && tasks->progress->log; i++) {
        log_all(list, task->log[i]);
    }
    memory_free_texts(task->log, task->n_lines);
    *task = (struct task){0};
    return tasks->hand_over(tasks->context, index, error);
}

/* ---- shared among processes ---- */

static enum masing_status run_here(struct list *list, struct masing_error *error)
{
    const struct tasks *tasks = list->tasks;
    const struct masing_progress progress = progress_of_all(list);
    return jobs_run(&(struct jobs){tasks->n, list->n_threads,
                                   tasks->progress || list->team ? &progress : NULL, list,
                                   compute, hand_over, list->n_places},
                    error);
}

/* One thread sends and receives while the others compute, or wait for those that do. */
static void share(void *context, int worker)
{
    struct list *list = context;
    if (worker == 0) {
        team_serve(list->team, list->tasks->journal, list->tasks->progress,
                   list->tasks->may_have_more);
    } else {
        list->ended = run_here(list, list->error);
        team_close_places(list->team);
    }
}

/* What the first process tells of a task. */
static void be_told(struct list *list, int number, int index)
{
    struct packing packing = {0};
    bool is_found = false;
    if (list->tasks->tell) {
        team_find_state(list->team, number, &packing, &is_found);
        packing.is_taking = true;
        list->tasks->tell(list->tasks->context, index, &packing);
        packing_clear(&packing);
    }
}

/* A task for the first process, which has what it has found; nothing stays here. */
static void compute_for_first(struct list *list, int number, int thread)
{
    int index = number % list->tasks->n;
    struct packing packing = {0}, entry = {0};
    struct answer answer = {0};
    struct masing_error ignored = {0};
    const struct masing_progress progress = progress_of_all(list);
    be_told(list, number, index);
    answer.ended = compute_task(list, index, &progress);
    answer.is_cancelled = answer.ended >= 0 && !is_whole(answer.ended, &progress);
    answer.kept = keep(list, index, &entry, &answer.error);
    pack_answer(&packing, &answer, &entry);
    packing_clear(&entry);
    team_answer(list->team, thread, &packing);
    pthread_mutex_lock(&list->handing);
    hand_over(list, index, &ignored);
    pthread_mutex_unlock(&list->handing);
}

static void help(void *context, int worker)
{
    struct list *list = context;
    int number;
    if (worker == 0) {
        team_attend(list->team, list->n_threads);
        return;
    }
    while (team_next(list->team, worker - 1, &number)) {
        compute_for_first(list, number, worker - 1);
    }
}

static enum masing_status run_beside(struct list *list, thread_pool_task *task, int n_threads,
                                     struct masing_error *error)
{
    struct thread_pool *pool = NULL;
    NEED(thread_pool_create(n_threads + 1, &pool, error));
    int n_started = thread_pool_size(pool) - 1;
    list->n_threads = n_started < list->n_threads && task == help ? n_started : list->n_threads;
    if (n_started > 0) {
        thread_pool_run(pool, task, list);
    }
    thread_pool_destroy(pool);
    return n_started > 0
               ? MASING_OK
               : masing_error_set(error, MASING_NO_MEMORY, "no thread can be started");
}

/* The first process goes on with the results, the others have done what they can. */
static enum masing_status run_shared(struct list *list, struct masing_error *error)
{
    const struct tasks *tasks = list->tasks;
    int n = list->n_threads < tasks->n ? list->n_threads : tasks->n;
    if (!team_is_first(list->team)) {
        list->n_threads = n = blas_most_threads(n);
        NEED(run_beside(list, help, n, error));
        return masing_error_set(error, MASING_STOPPED, "the first process has the results");
    }
    NEED(team_begin(list->team, tasks->progress, &list->n_places, error));
    team_open_places(list->team, list->n_threads);
    if (list->n_places == 0) {
        return run_here(list, error);
    }
    list->error = error;
    NEED(run_beside(list, share, 1, error));
    return list->ended;
}

enum masing_status tasks_run(const struct tasks *tasks, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct list list = {.tasks = tasks,
                        .team = journal_team(tasks->journal),
                        .n_threads = jobs_threads(tasks->n_threads)};
    pthread_mutex_init(&list.lock, NULL);
    pthread_mutex_init(&list.handing, NULL);
    TRY_ALLOCATED(list.each = memory_array((size_t)tasks->n, sizeof *list.each));
    TRY_ALLOCATED(list.failures = memory_array((size_t)tasks->n, sizeof *list.failures));
    TRY_ALLOCATED(list.errors = memory_array((size_t)tasks->n, sizeof *list.errors));
    status = list.team ? run_shared(&list, error) : run_here(&list, error);
done:
    for (int i = 0; list.each && i < tasks->n; i++) {
        memory_free_texts(list.each[i].log, list.each[i].n_lines);
    }
    free(list.each);
    free(list.failures);
    free(list.errors);
    pthread_mutex_destroy(&list.handing);
    pthread_mutex_destroy(&list.lock);
    return status;
}
