/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "base/memory.h"

struct worker {
    struct thread_pool *pool;
    int index; /* from 1 */
    pthread_t thread;
};

struct thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t start, finish;
    /* under the lock */
    thread_pool_task *task;
    void *context;
    unsigned long round; /* of work; each worker does a round once */
    int n_busy;
    bool is_over;
    /* constant once created */
    int n_threads; /* beside the caller */
    struct worker *workers;
};

static void *serve(void *context)
{
    const struct worker *worker = context;
    struct thread_pool *pool = worker->pool;
    unsigned long done = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == done && !pool->is_over) {
            pthread_cond_wait(&pool->start, &pool->lock);
        }
        if (pool->is_over) {
            break;
        }
        done = pool->round;
        thread_pool_task *task = pool->task;
        void *work = pool->context;
        pthread_mutex_unlock(&pool->lock);
        task(work, worker->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->n_busy == 0) {
            pthread_cond_signal(&pool->finish);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

enum masing_status thread_pool_create(int n_workers, struct thread_pool **pool,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct thread_pool *made = memory_array(1, sizeof *made);
    *pool = NULL;
    TRY_ALLOCATED(made);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->start, NULL);
    pthread_cond_init(&made->finish, NULL);
    *pool = made;
    made->workers =
        memory_array((size_t)(n_workers > 1 ? n_workers - 1 : 0), sizeof *made->workers);
    TRY_ALLOCATED(made->workers);
    for (int index = 1; index < n_workers; index++) {
        struct worker *worker = &made->workers[made->n_threads];
        *worker = (struct worker){.pool = made, .index = index};
        if (pthread_create(&worker->thread, NULL, serve, worker) != 0) {
            break;
        }
        made->n_threads++;
    }
done:
    if (status != MASING_OK) {
        thread_pool_destroy(*pool);
        *pool = NULL;
    }
    return status;
}

void thread_pool_destroy(struct thread_pool *pool)
{
    if (!pool) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->is_over = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (int m = 0; m < pool->n_threads; m++) {
        pthread_join(pool->workers[m].thread, NULL);
    }
    pthread_cond_destroy(&pool->start);
    pthread_cond_destroy(&pool->finish);
    pthread_mutex_destroy(&pool->lock);
    free(pool->workers);
    free(pool);
}

int thread_pool_size(const struct thread_pool *pool)
{
    return pool ? pool->n_threads + 1 : 1;
}

void thread_pool_run(struct thread_pool *pool, thread_pool_task *task, void *context)
{
    if (!pool || pool->n_threads == 0) {
        task(context, 0);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->n_busy = pool->n_threads;
    pool->round++;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    task(context, 0);
    pthread_mutex_lock(&pool->lock);
    while (pool->n_busy > 0) {
        pthread_cond_wait(&pool->finish, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

struct distribution {
    thread_pool_piece *work;
    void *context;
    int n_pieces, portion;
    atomic_int next;
};

static void take_portions(void *context, int worker)
{
    struct distribution *distribution = context;
    int n = distribution->n_pieces, portion = distribution->portion;
    for (;;) {
        int first = atomic_fetch_add(&distribution->next, portion);
        int end = first + portion < n ? first + portion : n;
        if (first >= n) {
            return;
        }
        for (int p = first; p < end; p++) {
            distribution->work(distribution->context, p, worker);
        }
    }
}

void thread_pool_share(struct thread_pool *pool, int n_pieces, int portion,
                       thread_pool_piece *work, void *context)
{
    struct distribution distribution = {
        .work = work, .context = context, .n_pieces = n_pieces, .portion = portion};
    atomic_init(&distribution.next, 0);
    thread_pool_run(pool, take_portions, &distribution);
}

int thread_pool_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 256 ? 256 : (int)n;
}
