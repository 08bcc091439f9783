/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* of sched.h, Linux alone */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/journal.h"
#include "base/memory.h"
#include "base/team_link.h"
#include "base/thread_pool.h"

enum message {
    MESSAGE_HELLO,  /* of another process: its threads, or why it has none */
    MESSAGE_TASK,   /* to a place, with where the task stood */
    MESSAGE_STATE,  /* where a task stands */
    MESSAGE_ANSWER, /* what it has found */
    MESSAGE_OVER,   /* to all: no further task */
    MESSAGE_BYE,    /* of another process: no further message */
    MESSAGE_END,    /* to all: there is nothing to wait for */
};

enum place_state {
    PLACE_FREE,
    PLACE_ASKED,    /* first process: to be sent; others: its thread has it */
    PLACE_SENT,     /* first process: waits for the answer */
    PLACE_ANSWERED, /* first process: has come; others: to be sent */
    PLACE_LOST,     /* first process: nobody waits any more, an answer may come yet */
};

/* A thread of another process, as that and the first one see it. */
struct place {
    int process, thread;
    bool is_taken; /* by a thread of the first process */
    enum place_state state;
    int task;
    struct packing given, answer, saved; /* where the task stood; where it stands */
};

struct member {
    bool has_come, is_gone;
    int n_threads;
    enum masing_status status;
    char *text, *kernels; /* header, or what went wrong */
};

struct masing_team {
    struct team_link *link;
    int rank, size;
    char *header, *kernels;
    const char *other_kernels;
    struct member *members;     /* [size] in the first process */
    pthread_mutex_t lock;       /* of all below */
    pthread_cond_t moved_on;    /* a place has changed, or it is over */
    struct place *places;       /* [n_places] */
    int n_places, n_here;       /* ... and threads of the first process that are free */
    int n_open;                 /* other process: threads that have not ended */
    bool is_over, is_told;      /* ... to the others */
    bool are_closed;            /* nobody computes any more */
    bool has_greeted, has_left; /* another process: what it has said */
    struct masing_journal *journal;
};

/* ---- who there is ---- */

static int number_of(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? atoi(text) : -1;
}

bool masing_team_is_called(int *rank, int *size)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    int own = -1, all = number_of("OMPI_COMM_WORLD_SIZE");
    bool is_called = all >= 0;
    for (int i = 0; i < 3; i++) {
        int found = number_of(ranks[i]);
        own = own < 0 ? found : own;
        is_called = is_called || (i > 0 && found >= 0);
    }
    all = all < 0 ? number_of("PMI_SIZE") : all;
    if (rank) {
        *rank = own > 0 ? own : 0;
    }
    if (size) {
        *size = all > 0 ? all : 0;
    }
    return is_called;
}

enum masing_status masing_team_join(struct masing_team **team, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_team *made = NULL;
    error = entry_begin(error, &own);
    TRY(entry_need(team, "team", error));
    *team = NULL;
    TRY_ALLOCATED(made = memory_array(1, sizeof *made));
    TRY(team_link_open(&made->link, error));
    made->rank = team_link_rank(made->link);
    made->size = team_link_size(made->link);
    TRY_ALLOCATED(made->members = memory_array((size_t)made->size, sizeof *made->members));
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->moved_on, NULL);
    *team = made;
    made = NULL;
done:
    if (made) {
        team_link_close(made->link);
    }
    free(made);
    return status;
}

int masing_team_rank(const struct masing_team *team)
{
    return team->rank;
}

int masing_team_size(const struct masing_team *team)
{
    return team->size;
}

/* Processors that this process is bound to, as mpirun does. */
static int bound_processors(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return CPU_COUNT(&set);
    }
#endif
    return thread_pool_processors();
}

int masing_team_threads(const struct masing_team *team)
{
    int n = thread_pool_processors() / team_link_beside(team->link);
    int n_bound = bound_processors();
    n = n < n_bound ? n : n_bound;
    return n > 1 ? n : 1;
}

const char *masing_team_other_kernels(const struct masing_team *team)
{
    return team->other_kernels;
}

bool team_is_first(const struct masing_team *team)
{
    return team->rank == 0;
}

enum masing_status team_describe(struct masing_team *team, const char *header,
                                 const char *kernels, struct masing_error *error)
{
    free(team->header);
    free(team->kernels);
    team->header = memory_text(header);
    team->kernels = memory_text(kernels ? kernels : "unknown");
    NEED_ALLOCATED(team->header && team->kernels);
    return MASING_OK;
}

/* ---- what both sides do ---- */

static void send_to(struct masing_team *team, int to, enum message kind, const struct place *of,
                    const struct packing *body)
{
    struct team_head head = {.kind = (int)kind};
    head.place = of ? of->thread : 0;
    head.task = of ? of->task : 0;
    if (!team_link_send(team->link, to, head, body)) {
        team->is_over = true;
        pthread_cond_broadcast(&team->moved_on);
    }
}

static void send_to_all(struct masing_team *team, enum message kind)
{
    for (int r = 1; r < team->size; r++) {
        send_to(team, r, kind, NULL, NULL);
    }
}

/* Longer and longer where nothing happens. */
static void wait_a_while(bool has_moved, long *pause)
{
    const long shortest = 50000, longest = 2000000; /* ns */
    *pause = has_moved || *pause == 0 ? shortest : *pause < longest ? 2 * *pause : longest;
    if (!has_moved) {
        nanosleep(&(struct timespec){.tv_nsec = *pause}, NULL);
    }
}

bool team_is_over(struct masing_team *team)
{
    pthread_mutex_lock(&team->lock);
    bool is_over = team->is_over;
    pthread_mutex_unlock(&team->lock);
    return is_over;
}

/* Under the lock. */
static void stop(struct masing_team *team)
{
    team->is_over = true;
    for (int p = 0; p < team->n_places && team->rank == 0; p++) {
        struct place *place = &team->places[p];
        bool is_waited_for = place->state == PLACE_ASKED || place->state == PLACE_SENT;
        place->state = is_waited_for ? PLACE_LOST : place->state;
    }
    pthread_cond_broadcast(&team->moved_on);
}

void team_stop(struct masing_team *team)
{
    pthread_mutex_lock(&team->lock);
    stop(team);
    pthread_mutex_unlock(&team->lock);
}

static void clear_places(struct masing_team *team)
{
    for (int p = 0; p < team->n_places; p++) {
        packing_clear(&team->places[p].given);
        packing_clear(&team->places[p].answer);
        packing_clear(&team->places[p].saved);
    }
    free(team->places);
    team->places = NULL;
    team->n_places = 0;
}

/* ---- the first process ---- */

static void note_hello(struct member *member, const struct team_head *head,
                       struct packing *body)
{
    member->has_come = true;
    member->n_threads = head->place;
    PACK(body, member->status);
    packing_text(body, &member->text);
    packing_text(body, &member->kernels);
}

static void note_answer(struct masing_team *team, int from, const struct team_head *head,
                        struct packing *body)
{
    for (int p = 0; p < team->n_places; p++) {
        struct place *place = &team->places[p];
        if (place->process == from && place->thread == head->place &&
            place->state == PLACE_SENT) {
            place->answer = *body;
            *body = (struct packing){0};
            place->state = PLACE_ANSWERED;
            pthread_cond_broadcast(&team->moved_on);
        }
    }
}

/* Whether a message was there. */
static bool receive_first(struct masing_team *team)
{
    int from;
    struct team_head head;
    struct packing body = {0};
    if (!team_link_receive(team->link, &from, &head, &body)) {
        return false;
    }
    switch (head.kind) {
    case MESSAGE_HELLO:
        note_hello(&team->members[from], &head, &body);
        break;
    case MESSAGE_STATE:
        if (team->journal) {
            journal_put_checkpoint(team->journal, (int)head.task, &body);
        }
        break;
    case MESSAGE_ANSWER:
        note_answer(team, from, &head, &body);
        break;
    case MESSAGE_BYE:
        team->members[from].is_gone = true;
        break;
    default:
        break;
    }
    packing_clear(&body);
    return true;
}

/* Refused where it was started with something else: the first line that differs. */
static enum masing_status compare_headers(const char *name, const char *theirs, const char *own,
                                          struct masing_error *error)
{
    while (*theirs && *own) {
        size_t n = strcspn(theirs, "\n"), m = strcspn(own, "\n");
        if (n != m || strncmp(theirs, own, n) != 0) {
            break;
        }
        theirs += n + (theirs[n] == '\n');
        own += m + (own[m] == '\n');
    }
    return !*theirs && !*own
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID, "%s has '%.*s', the first one '%.*s'",
                                  name, (int)strcspn(theirs, "\n"), theirs,
                                  (int)strcspn(own, "\n"), own);
}

static enum masing_status check_member(struct masing_team *team, int r,
                                       struct masing_error *error)
{
    char name[40];
    const struct member *member = &team->members[r];
    snprintf(name, sizeof name, "process %d of %d", r + 1, team->size);
    if (member->status != MASING_OK || !member->text || !member->kernels) {
        return masing_error_set(error, MASING_INVALID, "%s: %s", name,
                                member->text ? member->text : "out of memory");
    }
    bool is_same = strcmp(team->kernels, member->kernels) == 0;
    team->other_kernels = is_same ? team->other_kernels : member->kernels;
    return compare_headers(name, member->text, team->header, error);
}

static bool have_all_come(const struct masing_team *team)
{
    bool have = true;
    for (int r = 1; r < team->size; r++) {
        have = have && team->members[r].has_come;
    }
    return have;
}

/* More threads that wait are of no use. */
enum { MOST_PLACES = 2048 };

enum masing_status team_begin(struct masing_team *team, const struct masing_progress *progress,
                              int *n_places, struct masing_error *error)
{
    int n = 0;
    long pause = 0;
    *n_places = 0;
    if (team->is_told || team->places) {
        *n_places = team->n_places;
        return MASING_OK;
    }
    while (!have_all_come(team) && !progress_is_cancelled(progress)) {
        wait_a_while(receive_first(team), &pause);
    }
    if (!have_all_come(team)) {
        team->is_over = true;
        return MASING_OK;
    }
    for (int r = 1; r < team->size; r++) {
        NEED(check_member(team, r, error));
        n += team->members[r].n_threads;
    }
    NEED_ALLOCATED(team->places = memory_array((size_t)n, sizeof *team->places));
    for (int r = 1; r < team->size; r++) {
        for (int t = 0; t < team->members[r].n_threads && team->n_places < MOST_PLACES; t++) {
            team->places[team->n_places++] = (struct place){.process = r, .thread = t};
        }
    }
    *n_places = team->n_places;
    return MASING_OK;
}

void team_open_places(struct masing_team *team, int n_here)
{
    team->n_here = n_here;
    team->are_closed = false;
}

int team_take_place(struct masing_team *team)
{
    int found = -1;
    pthread_mutex_lock(&team->lock);
    if (team->n_here > 0) {
        team->n_here--;
    } else {
        for (int p = 0; p < team->n_places && found < 0; p++) {
            found = team->places[p].is_taken ? -1 : p;
        }
        if (found >= 0) {
            team->places[found].is_taken = true;
        }
    }
    pthread_mutex_unlock(&team->lock);
    return found;
}

void team_give_place(struct masing_team *team, int place)
{
    pthread_mutex_lock(&team->lock);
    if (place < 0) {
        team->n_here++;
    } else {
        team->places[place].is_taken = false;
    }
    pthread_mutex_unlock(&team->lock);
}

bool team_compute(struct masing_team *team, int index, int task, const struct packing *state,
                  struct packing *answer)
{
    struct place *place = &team->places[index];
    pthread_mutex_lock(&team->lock);
    place->task = task;
    place->given = *state; /* lent */
    place->state = team->is_over ? PLACE_LOST : PLACE_ASKED;
    while (place->state != PLACE_ANSWERED && place->state != PLACE_LOST) {
        pthread_cond_wait(&team->moved_on, &team->lock);
    }
    bool is_there = place->state == PLACE_ANSWERED;
    place->given = (struct packing){0};
    *answer = place->answer;
    place->answer = (struct packing){0};
    place->state = is_there ? PLACE_FREE : PLACE_LOST;
    pthread_mutex_unlock(&team->lock);
    return is_there;
}

void team_serve(struct masing_team *team, struct masing_journal *journal,
                const struct masing_progress *progress, bool may_have_more)
{
    long pause = 0;
    bool are_closed = false;
    team->journal = journal;
    while (!are_closed) {
        bool is_cancelled = progress_is_cancelled(progress);
        pthread_mutex_lock(&team->lock);
        bool has_moved = receive_first(team);
        if (is_cancelled && !team->is_over) {
            stop(team);
        }
        for (int p = 0; p < team->n_places; p++) {
            struct place *place = &team->places[p];
            if (place->state == PLACE_ASKED) {
                send_to(team, place->process, MESSAGE_TASK, place, &place->given);
                place->state = PLACE_SENT;
                has_moved = true;
            }
        }
        if (team->is_over && !team->is_told) {
            stop(team);
            team->is_told = true;
            send_to_all(team, MESSAGE_OVER);
        }
        are_closed = team->are_closed;
        pthread_mutex_unlock(&team->lock);
        wait_a_while(has_moved, &pause);
    }
    team->journal = NULL;
    if (may_have_more && !team->is_told) {
        return;
    }
    if (!team->is_told) {
        team->is_told = true;
        send_to_all(team, MESSAGE_OVER);
    }
    clear_places(team);
}

void team_close_places(struct masing_team *team)
{
    pthread_mutex_lock(&team->lock);
    team->are_closed = true;
    pthread_mutex_unlock(&team->lock);
}

/* ---- another process ---- */

static void say_hello(struct masing_team *team, int n_threads, const char *failure)
{
    struct packing body = {0};
    struct place own = {.thread = n_threads};
    enum masing_status status = failure ? MASING_INVALID : MASING_OK;
    char *text = (char *)(failure ? failure : team->header);
    PACK(&body, status);
    packing_text(&body, &text);
    packing_text(&body, &team->kernels);
    send_to(team, 0, MESSAGE_HELLO, &own, &body);
    packing_clear(&body);
    team->has_greeted = true;
}

static void say_bye(struct masing_team *team)
{
    send_to(team, 0, MESSAGE_BYE, NULL, NULL);
    team->has_left = true;
}

/* Whether a message was there; under the lock. */
static bool receive_other(struct masing_team *team, bool *is_end)
{
    int from;
    struct team_head head;
    struct packing body = {0};
    if (!team_link_receive(team->link, &from, &head, &body)) {
        return false;
    }
    if (head.kind == MESSAGE_TASK && head.place < team->n_places) {
        struct place *place = &team->places[head.place];
        place->task = (int)head.task;
        packing_clear(&place->given);
        place->given = body;
        body = (struct packing){0};
        place->state = PLACE_ASKED;
    }
    team->is_over = team->is_over || head.kind == MESSAGE_OVER || head.kind == MESSAGE_END;
    *is_end = *is_end || head.kind == MESSAGE_END;
    packing_clear(&body);
    pthread_cond_broadcast(&team->moved_on);
    return true;
}

/* What threads have left to be sent. */
static bool send_answers(struct masing_team *team)
{
    bool has_any = false;
    for (int p = 0; p < team->n_places; p++) {
        struct place *place = &team->places[p];
        if (place->saved.n > 0) {
            send_to(team, 0, MESSAGE_STATE, place, &place->saved);
            packing_clear(&place->saved);
            has_any = true;
        }
        if (place->state == PLACE_ANSWERED) {
            send_to(team, 0, MESSAGE_ANSWER, place, &place->answer);
            packing_clear(&place->answer);
            place->state = PLACE_FREE;
            has_any = true;
        }
    }
    return has_any;
}

void team_attend(struct masing_team *team, int n_threads)
{
    bool is_end = false;
    long pause = 0;
    pthread_mutex_lock(&team->lock);
    team->places = memory_array((size_t)n_threads, sizeof *team->places);
    team->n_places = team->n_open = team->places ? n_threads : 0;
    for (int t = 0; t < team->n_places; t++) {
        team->places[t].thread = t;
    }
    say_hello(team, team->n_places, team->places ? NULL : "out of memory");
    team->is_over = team->is_over || !team->places;
    pthread_cond_broadcast(&team->moved_on);
    while (team->n_open > 0) {
        bool has_moved = receive_other(team, &is_end);
        has_moved = send_answers(team) || has_moved;
        pthread_mutex_unlock(&team->lock);
        wait_a_while(has_moved, &pause);
        pthread_mutex_lock(&team->lock);
    }
    send_answers(team);
    say_bye(team);
    clear_places(team);
    pthread_mutex_unlock(&team->lock);
}

bool team_next(struct masing_team *team, int thread, int *task)
{
    pthread_mutex_lock(&team->lock);
    while (!team->is_over && (!team->places || team->places[thread].state != PLACE_ASKED)) {
        pthread_cond_wait(&team->moved_on, &team->lock);
    }
    bool is_there = !team->is_over;
    *task = is_there ? team->places[thread].task : -1;
    team->n_open -= !is_there;
    pthread_mutex_unlock(&team->lock);
    return is_there;
}

void team_answer(struct masing_team *team, int thread, struct packing *answer)
{
    struct place *place = &team->places[thread];
    pthread_mutex_lock(&team->lock);
    place->answer = *answer;
    place->state = PLACE_ANSWERED;
    packing_clear(&place->given);
    pthread_mutex_unlock(&team->lock);
    *answer = (struct packing){0};
}

static struct place *place_of(struct masing_team *team, int task)
{
    struct place *found = NULL;
    for (int p = 0; p < team->n_places; p++) {
        struct place *place = &team->places[p];
        found = place->state == PLACE_ASKED && place->task == task ? place : found;
    }
    return found;
}

static void copy(const struct packing *from, struct packing *to)
{
    packing_clear(to);
    packing_bytes(to, from->bytes, from->n);
}

void team_put_state(struct masing_team *team, int task, const struct packing *state)
{
    pthread_mutex_lock(&team->lock);
    struct place *place = place_of(team, task);
    if (place && state->status == MASING_OK) {
        copy(state, &place->saved);
    }
    pthread_mutex_unlock(&team->lock);
}

void team_find_state(struct masing_team *team, int task, struct packing *state, bool *is_found)
{
    pthread_mutex_lock(&team->lock);
    struct place *place = place_of(team, task);
    *state = (struct packing){0};
    *is_found = place && place->given.n > 0;
    if (*is_found) {
        *state = place->given;
        place->given = (struct packing){0};
    }
    pthread_mutex_unlock(&team->lock);
}

/* ---- the end ---- */

static void dismiss(struct masing_team *team)
{
    long pause = 0;
    bool are_gone = false;
    if (!team->is_told) {
        send_to_all(team, MESSAGE_OVER);
    }
    while (!are_gone) {
        bool has_moved = receive_first(team);
        are_gone = true;
        for (int r = 1; r < team->size; r++) {
            are_gone = are_gone && team->members[r].is_gone;
        }
        wait_a_while(has_moved || are_gone, &pause);
    }
    send_to_all(team, MESSAGE_END);
}

static void take_leave(struct masing_team *team, const char *failure)
{
    long pause = 0;
    bool is_end = false;
    if (!team->has_greeted) {
        say_hello(team, 0, failure ? failure : "it has ended");
    }
    if (!team->has_left) {
        say_bye(team);
    }
    while (!is_end) {
        wait_a_while(receive_other(team, &is_end), &pause);
    }
}

void masing_team_leave(struct masing_team *team, const char *failure)
{
    if (!team) {
        return;
    }
    if (team->rank == 0) {
        dismiss(team);
    } else {
        take_leave(team, failure);
    }
    team_link_close(team->link);
    clear_places(team);
    for (int r = 0; r < team->size; r++) {
        free(team->members[r].text);
        free(team->members[r].kernels);
    }
    free(team->members);
    free(team->header);
    free(team->kernels);
    pthread_cond_destroy(&team->moved_on);
    pthread_mutex_destroy(&team->lock);
    free(team);
}
