/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"

struct member {
    struct crew *crew;
    int worker;
    pthread_t thread;
};

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t start, finish;
    /* under the lock */
    crew_task *task;
    void *context;
    unsigned long round; /* of work; a member does each once */
    int n_busy;
    bool is_over;
    /* constant once created */
    int n_members; /* beside the caller */
    struct member *members;
};

static void *serve(void *context)
{
    const struct member *member = context;
    struct crew *crew = member->crew;
    unsigned long done = 0;
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (crew->round == done && !crew->is_over) {
            pthread_cond_wait(&crew->start, &crew->lock);
        }
        if (crew->is_over) {
            break;
        }
        done = crew->round;
        crew_task *task = crew->task;
        void *work = crew->context;
        pthread_mutex_unlock(&crew->lock);
        task(work, member->worker);
        pthread_mutex_lock(&crew->lock);
        if (--crew->n_busy == 0) {
            pthread_cond_signal(&crew->finish);
        }
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

enum masing_status crew_create(int n_workers, struct crew **crew, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct crew *made = memory_array(1, sizeof *made);
    *crew = NULL;
    TRY_ALLOCATED(made);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->start, NULL);
    pthread_cond_init(&made->finish, NULL);
    *crew = made;
    made->members =
        memory_array((size_t)(n_workers > 1 ? n_workers - 1 : 0), sizeof *made->members);
    TRY_ALLOCATED(made->members);
    for (int worker = 1; worker < n_workers; worker++) {
        struct member *member = &made->members[made->n_members];
        *member = (struct member){.crew = made, .worker = worker};
        if (pthread_create(&member->thread, NULL, serve, member) != 0) {
            break;
        }
        made->n_members++;
    }
done:
    if (status != MASING_OK) {
        crew_destroy(*crew);
        *crew = NULL;
    }
    return status;
}

void crew_destroy(struct crew *crew)
{
    if (!crew) {
        return;
    }
    pthread_mutex_lock(&crew->lock);
    crew->is_over = true;
    pthread_cond_broadcast(&crew->start);
    pthread_mutex_unlock(&crew->lock);
    for (int m = 0; m < crew->n_members; m++) {
        pthread_join(crew->members[m].thread, NULL);
    }
    pthread_cond_destroy(&crew->start);
    pthread_cond_destroy(&crew->finish);
    pthread_mutex_destroy(&crew->lock);
    free(crew->members);
    free(crew);
}

int crew_size(const struct crew *crew)
{
    return crew ? crew->n_members + 1 : 1;
}

void crew_run(struct crew *crew, crew_task *task, void *context)
{
    if (!crew || crew->n_members == 0) {
        task(context, 0);
        return;
    }
    pthread_mutex_lock(&crew->lock);
    crew->task = task;
    crew->context = context;
    crew->n_busy = crew->n_members;
    crew->round++;
    pthread_cond_broadcast(&crew->start);
    pthread_mutex_unlock(&crew->lock);
    task(context, 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->n_busy > 0) {
        pthread_cond_wait(&crew->finish, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

int crew_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 256 ? 256 : (int)n;
}
