/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/jobs.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "linalg/one_thread.h"

enum { MAX_THREADS = 256 };

struct crew;

/* A job as its thread and those who ask for progress see it. */
struct part {
    struct crew *crew;
    double fraction;
    int points;
    bool is_done;
};

struct crew {
    const struct jobs *jobs;
    struct part *parts;
    /* the progress has a lock of its own, which nobody holds for long */
    pthread_mutex_t lock, progress_lock;
    int next, next_to_hand_over;
    bool is_handing_over;
    enum masing_status status; /* of handing over */
    struct masing_error *error;
};

static void report(void *context, double fraction, int points)
{
    struct part *part = context;
    struct crew *crew = part->crew;
    const struct masing_progress *whole = crew->jobs->progress;
    double sum = 0.0;
    int n_points = 0;
    pthread_mutex_lock(&crew->progress_lock);
    part->fraction = fraction;
    part->points = points;
    for (int i = 0; i < crew->jobs->n; i++) {
        sum += crew->parts[i].fraction;
        n_points += crew->parts[i].points;
    }
    whole->report(whole->context, sum / crew->jobs->n, n_points);
    pthread_mutex_unlock(&crew->progress_lock);
}

static void log_line(void *context, const char *line)
{
    struct crew *crew = ((struct part *)context)->crew;
    pthread_mutex_lock(&crew->progress_lock);
    crew->jobs->progress->log(crew->jobs->progress->context, line);
    pthread_mutex_unlock(&crew->progress_lock);
}

static bool is_cancelled(void *context)
{
    struct crew *crew = ((struct part *)context)->crew;
    pthread_mutex_lock(&crew->progress_lock);
    bool is_over = progress_is_cancelled(crew->jobs->progress);
    pthread_mutex_unlock(&crew->progress_lock);
    return is_over;
}

/* Not under the lock, so that the others go on meanwhile; they leave theirs to this thread. */
static void hand_over_finished(struct crew *crew)
{
    const struct jobs *jobs = crew->jobs;
    while (!crew->is_handing_over && crew->status == MASING_OK &&
           crew->next_to_hand_over < jobs->n && crew->parts[crew->next_to_hand_over].is_done) {
        crew->is_handing_over = true;
        pthread_mutex_unlock(&crew->lock);
        enum masing_status status =
            jobs->hand_over(jobs->context, crew->next_to_hand_over, crew->error);
        pthread_mutex_lock(&crew->lock);
        crew->status = status;
        crew->is_handing_over = false;
        crew->next_to_hand_over++;
    }
}

static void work(void *context, int worker)
{
    struct crew *crew = context;
    const struct jobs *jobs = crew->jobs;
    const struct masing_progress *whole = jobs->progress;
    (void)worker;
    pthread_mutex_lock(&crew->lock);
    while (crew->next < jobs->n && crew->status == MASING_OK &&
           !is_cancelled(&crew->parts[crew->next])) {
        int index = crew->next++;
        struct part *part = &crew->parts[index];
        const struct masing_progress progress = {
            .context = part,
            .report = whole && whole->report ? report : NULL,
            .log = whole && whole->log ? log_line : NULL,
            .is_cancelled = whole && whole->is_cancelled ? is_cancelled : NULL};
        pthread_mutex_unlock(&crew->lock);
        enum masing_status status = jobs->compute(jobs->context, index, &progress);
        if (progress.report) {
            report(part, 1.0, part->points);
        }
        pthread_mutex_lock(&crew->lock);
        part->is_done = true;
        crew->next = status < 0 ? jobs->n : crew->next;
        hand_over_finished(crew);
    }
    pthread_mutex_unlock(&crew->lock);
}

int jobs_threads(int wanted)
{
    return wanted <= 0 ? thread_pool_processors() : wanted < MAX_THREADS ? wanted : MAX_THREADS;
}

enum masing_status jobs_run(const struct jobs *jobs, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct crew crew = {.jobs = jobs, .error = error};
    struct thread_pool *pool = NULL;
    int n_threads = jobs_threads(jobs->n_threads);
    pthread_mutex_init(&crew.lock, NULL);
    pthread_mutex_init(&crew.progress_lock, NULL);
    crew.parts = memory_array((size_t)jobs->n, sizeof *crew.parts);
    TRY_ALLOCATED(crew.parts);
    for (int i = 0; i < jobs->n; i++) {
        crew.parts[i].crew = &crew;
    }
    TRY(thread_pool_create(blas_most_threads(n_threads < jobs->n ? n_threads : jobs->n), &pool,
                           error));
    thread_pool_run(pool, work, &crew);
    status = crew.status;
done:
    thread_pool_destroy(pool);
    free(crew.parts);
    pthread_mutex_destroy(&crew.lock);
    pthread_mutex_destroy(&crew.progress_lock);
    return status;
}
