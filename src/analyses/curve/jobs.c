/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/jobs.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/ordered_work.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "linalg/one_thread.h"

/* Jobs of each thread that may be done before their turn comes: what they found is kept. */
enum { MAX_THREADS = 256, WAITING_PER_THREAD = 16 };

struct job_queue;

/* A job as its thread and those who ask for progress see it. */
struct part {
    struct job_queue *queue;
    double fraction;
    int points;
};

struct job_queue {
    const struct jobs *jobs;
    struct part *parts;
    pthread_mutex_t progress_lock; /* of the sums over all parts; nobody holds it for long */
    double fraction;
    int points;
    enum masing_status status; /* of handing over */
    struct masing_error *error;
};

static void report(void *context, double fraction, int points)
{
    struct part *part = context;
    struct job_queue *queue = part->queue;
    const struct masing_progress *whole = queue->jobs->progress;
    pthread_mutex_lock(&queue->progress_lock);
    queue->fraction += fraction - part->fraction;
    queue->points += points - part->points;
    part->fraction = fraction;
    part->points = points;
    whole->report(whole->context, fmin(queue->fraction / queue->jobs->n, 1.0), queue->points);
    pthread_mutex_unlock(&queue->progress_lock);
}

static void log_line(void *context, const char *line)
{
    struct job_queue *queue = ((struct part *)context)->queue;
    pthread_mutex_lock(&queue->progress_lock);
    queue->jobs->progress->log(queue->jobs->progress->context, line);
    pthread_mutex_unlock(&queue->progress_lock);
}

static bool is_cancelled(void *context)
{
    struct job_queue *queue = ((struct part *)context)->queue;
    pthread_mutex_lock(&queue->progress_lock);
    bool is_over = progress_is_cancelled(queue->jobs->progress);
    pthread_mutex_unlock(&queue->progress_lock);
    return is_over;
}

static bool may_begin(void *context, int index)
{
    struct job_queue *queue = context;
    return !is_cancelled(&queue->parts[index]);
}

static bool compute(void *context, int index, int worker)
{
    struct job_queue *queue = context;
    const struct jobs *jobs = queue->jobs;
    const struct masing_progress *whole = jobs->progress;
    struct part *part = &queue->parts[index];
    const struct masing_progress progress = {
        .context = part,
        .report = whole && whole->report ? report : NULL,
        .log = whole && whole->log ? log_line : NULL,
        .is_cancelled = whole && whole->is_cancelled ? is_cancelled : NULL};
    (void)worker;
    enum masing_status status = jobs->compute(jobs->context, index, &progress);
    if (progress.report) {
        report(part, 1.0, part->points);
    }
    return status >= 0;
}

static bool hand_over(void *context, int index)
{
    struct job_queue *queue = context;
    const struct jobs *jobs = queue->jobs;
    queue->status = jobs->hand_over(jobs->context, index, queue->error);
    return queue->status == MASING_OK;
}

int jobs_threads(int wanted)
{
    return wanted <= 0 ? thread_pool_processors() : wanted < MAX_THREADS ? wanted : MAX_THREADS;
}

enum masing_status jobs_run(const struct jobs *jobs, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct job_queue queue = {.jobs = jobs, .error = error};
    struct thread_pool *pool = NULL;
    int n_threads = jobs_threads(jobs->n_threads);
    int n_here = blas_most_threads(n_threads < jobs->n ? n_threads : jobs->n);
    int n_all = n_here + jobs->n_waiting;
    pthread_mutex_init(&queue.progress_lock, NULL);
    queue.parts = memory_array((size_t)jobs->n, sizeof *queue.parts);
    TRY_ALLOCATED(queue.parts);
    for (int i = 0; i < jobs->n; i++) {
        queue.parts[i].queue = &queue;
    }
    TRY(thread_pool_create(n_all < jobs->n || n_all == n_here ? n_all : jobs->n, &pool, error));
    int most_ahead = WAITING_PER_THREAD * thread_pool_size(pool);
    most_ahead = most_ahead < ORDERED_WORK_AHEAD ? most_ahead : ORDERED_WORK_AHEAD;
    ordered_work_run(pool, &(struct ordered_work){jobs->n, most_ahead, &queue, may_begin,
                                                  compute, hand_over});
    status = queue.status;
done:
    thread_pool_destroy(pool);
    free(queue.parts);
    pthread_mutex_destroy(&queue.progress_lock);
    return status;
}
