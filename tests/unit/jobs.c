/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "analyses/curve/jobs.h"
#include "tap.h"

enum { N_JOBS = 200, N_THREADS = 3, NONE = -1 };

/* Jobs that note when they are begun and handed over. */
struct run {
    pthread_mutex_t lock;
    int n_begun, n_handed_over, n_out_of_order;
    int most_ahead;               /* begun and not handed over */
    int slow, failing, unwritten; /* jobs that take a while, cannot be computed, handed over */
    double fraction;
    int points, n_falls; /* of the fraction reported */
    bool is_cancelled;
};

static enum masing_status compute(void *context, int index,
                                  const struct masing_progress *progress)
{
    struct run *run = context;
    pthread_mutex_lock(&run->lock);
    int ahead = ++run->n_begun - run->n_handed_over;
    run->most_ahead = ahead > run->most_ahead ? ahead : run->most_ahead;
    pthread_mutex_unlock(&run->lock);
    if (index == run->slow) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    if (progress->report) {
        progress->report(progress->context, 0.5, 1);
        progress->report(progress->context, 0.7, 2);
    }
    return index == run->failing ? MASING_INVALID : MASING_OK;
}

static enum masing_status hand_over(void *context, int index, struct masing_error *error)
{
    struct run *run = context;
    pthread_mutex_lock(&run->lock);
    run->n_out_of_order += index != run->n_handed_over;
    run->n_handed_over++;
    pthread_mutex_unlock(&run->lock);
    return index == run->unwritten ? masing_error_set(error, MASING_IO, "no room") : MASING_OK;
}

static void report(void *context, double fraction, int points)
{
    struct run *run = context;
    run->n_falls += fraction < run->fraction - 1e-12;
    run->fraction = fraction;
    run->points = points;
}

static bool is_cancelled(void *context)
{
    struct run *run = context;
    pthread_mutex_lock(&run->lock);
    bool is_over = run->is_cancelled && run->n_begun >= N_JOBS / 4;
    pthread_mutex_unlock(&run->lock);
    return is_over;
}

static struct run new_run(void)
{
    return (struct run){PTHREAD_MUTEX_INITIALIZER, .slow = NONE, .failing = NONE,
                        .unwritten = NONE};
}

static enum masing_status run_all(struct run *run, struct masing_error *error)
{
    const struct masing_progress progress = {run, report, NULL, is_cancelled};
    return jobs_run(&(struct jobs){N_JOBS, N_THREADS, &progress, run, compute, hand_over, 0},
                    error);
}

static void all_are_handed_over_in_their_order(void)
{
    struct run run = new_run();
    struct masing_error error = {0};
    CHECK(run_all(&run, &error) == MASING_OK);
    CHECK(run.n_begun == N_JOBS && run.n_handed_over == N_JOBS && run.n_out_of_order == 0);
    CHECK(run.n_falls == 0 && run.points == 2 * N_JOBS);
    CHECK(fabs(run.fraction - 1.0) < 1e-12);
}

/* What waits behind a slow one is bounded, and the others go on once it is done. */
static void few_run_ahead_of_a_slow_one(void)
{
    struct run run = new_run();
    struct masing_error error = {0};
    run.slow = 10;
    CHECK(run_all(&run, &error) == MASING_OK);
    CHECK(run.n_handed_over == N_JOBS && run.n_out_of_order == 0);
    CHECK(run.most_ahead >= N_THREADS && run.most_ahead < N_JOBS / 2);
}

static void none_begins_behind_a_failure(void)
{
    struct run failing = new_run(), unwritten = new_run(), over = new_run();
    struct masing_error error = {0};
    failing.failing = failing.slow = 20;
    CHECK(run_all(&failing, &error) == MASING_OK); /* whose status is the job's own matter */
    CHECK(failing.n_begun < N_JOBS && failing.n_handed_over == failing.n_begun);
    unwritten.unwritten = unwritten.slow = 20;
    CHECK(run_all(&unwritten, &error) == MASING_IO && strcmp(error.message, "no room") == 0);
    CHECK(unwritten.n_begun < N_JOBS && unwritten.n_handed_over == 21);
    over.is_cancelled = true;
    over.slow = 10;
    CHECK(run_all(&over, &error) == MASING_OK);
    CHECK(over.n_begun < N_JOBS && over.n_handed_over == over.n_begun);
}

static const struct tap_test tests[] = {
    {"all are handed over in their order", all_are_handed_over_in_their_order},
    {"few run ahead of a slow one", few_run_ahead_of_a_slow_one},
    {"none begins behind a failure", none_begins_behind_a_failure},
};

TAP_MAIN(tests)
