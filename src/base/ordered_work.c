/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ordered_work.h"

#include <pthread.h>

struct queue {
    const struct ordered_work *work;
    pthread_mutex_t lock;
    pthread_cond_t moved_on; /* a piece was taken, or none will begin any more */
    int next, next_to_take, end;
    bool is_taking, has_failed;
    bool is_done[ORDERED_WORK_AHEAD]; /* [most_ahead] */
};

/* Not under the lock, so that the others go on meanwhile; they leave theirs to this thread. */
static void take_finished(struct queue *queue)
{
    const struct ordered_work *work = queue->work;
    while (!queue->is_taking && !queue->has_failed && queue->next_to_take < queue->next &&
           queue->is_done[queue->next_to_take % work->most_ahead]) {
        queue->is_taking = true;
        pthread_mutex_unlock(&queue->lock);
        bool is_good = work->take(work->context, queue->next_to_take);
        pthread_mutex_lock(&queue->lock);
        queue->is_done[queue->next_to_take % work->most_ahead] = false;
        queue->next_to_take++;
        queue->is_taking = false;
        queue->has_failed = !is_good;
        queue->end = is_good ? queue->end : queue->next;
        pthread_cond_broadcast(&queue->moved_on);
    }
}

/* Wait until so few pieces are ahead that another one may begin; false: none is to begin. */
static bool may_begin(struct queue *queue)
{
    const struct ordered_work *work = queue->work;
    while (queue->next < queue->end && queue->next - queue->next_to_take >= work->most_ahead) {
        pthread_cond_wait(&queue->moved_on, &queue->lock);
    }
    return queue->next < queue->end &&
           (!work->may_begin || work->may_begin(work->context, queue->next));
}

static void serve(void *context, int worker)
{
    struct queue *queue = context;
    const struct ordered_work *work = queue->work;
    pthread_mutex_lock(&queue->lock);
    while (may_begin(queue)) {
        int index = queue->next++;
        pthread_mutex_unlock(&queue->lock);
        bool goes_on = work->compute(work->context, index, worker);
        pthread_mutex_lock(&queue->lock);
        queue->is_done[index % work->most_ahead] = true;
        if (!goes_on) {
            queue->end = queue->next;
            pthread_cond_broadcast(&queue->moved_on);
        }
        take_finished(queue);
    }
    pthread_mutex_unlock(&queue->lock);
}

void ordered_work_run(struct thread_pool *pool, const struct ordered_work *work)
{
    struct queue queue;
    queue.work = work;
    queue.next = queue.next_to_take = 0;
    queue.end = work->n;
    queue.is_taking = queue.has_failed = false;
    for (int i = 0; i < work->most_ahead; i++) {
        queue.is_done[i] = false;
    }
    pthread_mutex_init(&queue.lock, NULL);
    pthread_cond_init(&queue.moved_on, NULL);
    thread_pool_run(pool, serve, &queue);
    pthread_cond_destroy(&queue.moved_on);
    pthread_mutex_destroy(&queue.lock);
}
