/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/jobs.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
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
    bool is_done;
};

struct job_queue {
    const struct jobs *jobs;
    struct part *parts;
    /* the progress has a lock of its own, which nobody holds for long */
    pthread_mutex_t lock, progress_lock;
    pthread_cond_t moved_on; /* a job was handed over, or none will be any more */
    double fraction;         /* sums over all parts, under the progress' lock */
    int points;
    int most_ahead; /* begun jobs before the next one to hand over */
    int next, next_to_hand_over;
    bool is_handing_over;
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

/* Not under the lock, so that the others go on meanwhile; they leave theirs to this thread. */
static void hand_over_finished(struct job_queue *queue)
{
    const struct jobs *jobs = queue->jobs;
    while (!queue->is_handing_over && queue->status == MASING_OK &&
           queue->next_to_hand_over < jobs->n &&
           queue->parts[queue->next_to_hand_over].is_done) {
        queue->is_handing_over = true;
        pthread_mutex_unlock(&queue->lock);
        enum masing_status status =
            jobs->hand_over(jobs->context, queue->next_to_hand_over, queue->error);
        pthread_mutex_lock(&queue->lock);
        queue->status = status;
        queue->is_handing_over = false;
        queue->next_to_hand_over++;
        pthread_cond_broadcast(&queue->moved_on);
    }
}

/* Wait until so few jobs are ahead that another one may begin; false: none is to begin. */
static bool may_begin(struct job_queue *queue)
{
    const struct jobs *jobs = queue->jobs;
    while (queue->next < jobs->n && queue->status == MASING_OK &&
           queue->next - queue->next_to_hand_over >= queue->most_ahead) {
        pthread_cond_wait(&queue->moved_on, &queue->lock);
    }
    return queue->next < jobs->n && queue->status == MASING_OK &&
           !is_cancelled(&queue->parts[queue->next]);
}

static void work(void *context, int worker)
{
    struct job_queue *queue = context;
    const struct jobs *jobs = queue->jobs;
    const struct masing_progress *whole = jobs->progress;
    (void)worker;
    pthread_mutex_lock(&queue->lock);
    while (may_begin(queue)) {
        int index = queue->next++;
        struct part *part = &queue->parts[index];
        const struct masing_progress progress = {
            .context = part,
            .report = whole && whole->report ? report : NULL,
            .log = whole && whole->log ? log_line : NULL,
            .is_cancelled = whole && whole->is_cancelled ? is_cancelled : NULL};
        pthread_mutex_unlock(&queue->lock);
        enum masing_status status = jobs->compute(jobs->context, index, &progress);
        if (progress.report) {
            report(part, 1.0, part->points);
        }
        pthread_mutex_lock(&queue->lock);
        part->is_done = true;
        if (status < 0) {
            queue->next = jobs->n;
            pthread_cond_broadcast(&queue->moved_on);
        }
        hand_over_finished(queue);
    }
    pthread_mutex_unlock(&queue->lock);
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
    pthread_mutex_init(&queue.lock, NULL);
    pthread_mutex_init(&queue.progress_lock, NULL);
    pthread_cond_init(&queue.moved_on, NULL);
    queue.parts = memory_array((size_t)jobs->n, sizeof *queue.parts);
    TRY_ALLOCATED(queue.parts);
    for (int i = 0; i < jobs->n; i++) {
        queue.parts[i].queue = &queue;
    }
    TRY(thread_pool_create(blas_most_threads(n_threads < jobs->n ? n_threads : jobs->n), &pool,
                           error));
    queue.most_ahead = WAITING_PER_THREAD * thread_pool_size(pool);
    thread_pool_run(pool, work, &queue);
    status = queue.status;
done:
    thread_pool_destroy(pool);
    free(queue.parts);
    pthread_mutex_destroy(&queue.lock);
    pthread_mutex_destroy(&queue.progress_lock);
    pthread_cond_destroy(&queue.moved_on);
    return status;
}
