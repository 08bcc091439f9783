/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/periodic/periodic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "masing/integrate.h"
#include "transient/integrator.h"
#include "transient/periodic/shooting.h"
#include "transient/rigid_body.h"

/*
 * Has a motion become periodic? The state at the end of a period is compared with that at its
 * beginning, in the energy norm of the modal coordinates,
 *   |dq|^2 = sum dv^2 + max(omega^2, Omega^2) dq^2,
 * relative to the largest speed sqrt(sum v^2) of the period. From how this change shrinks over
 * the periods follows how far the periodic motion still is: change / (1 - shrinkage).
 *
 * The same holds for the change over 2 to 32 periods and its shrinkage over as many. Where it
 * says that a motion of m periods is near, the order is the smallest divisor d of m over which
 * the state does not change by more than that distance explains: a free vibration that dies out
 * at a simple ratio to the load's frequency repeats nearly after m periods, but the change over
 * one period dies out with it. Where the change over d periods still is more than the
 * tolerance, it is too early to tell.
 */

enum { STEADY_MEMORY = 5, STEADY_MOST_PERIODS = 32 };

struct steady {
    struct arena arena;
    double tolerance;
    double *q, *v;                 /* [n_modes] at the beginning of the period */
    double speed;                  /* largest squared speed seen in the period */
    double changes[STEADY_MEMORY]; /* of the last periods, newest first */
    bool is_linear;                /* such motions have the load's period only */
    int n_periods;                 /* that have been compared */
    int n_good;                    /* consecutive ones within the tolerance */
    double distance;               /* estimated, relative, from the periodic motion */
    double *past;                  /* [STEADY_MOST_PERIODS][2 n_modes] states, a ring */
    double (*over)[STEADY_MOST_PERIODS + 1]; /* [STEADY_MOST_PERIODS + 1] changes over m
                                                periods, a ring over the periods, rows m */
    int n_near[STEADY_MOST_PERIODS + 1];     /* periods in a row near a motion of m periods */
    int order;                               /* periods after which it repeats; 0: none */
};

/* Consecutive good periods that make a motion periodic. */
enum { GOOD_PERIODS = 2 };

/* A change over d periods that is so many times the distance from a motion of m is no part of
 * it: that motion does not repeat after d. Twice would be the most if the norm saw all
 * directions of the state alike. */
static const double ORDER_MARGIN = 100.0;

/* Slow is what shrinks by less than this. */
static const double SLOW_SHRINKAGE = 0.1;

/* Round-off of one period relative to the state's norm, and the SLOWEST_SHRINKAGE shrinkage
 * believed. */
static const double STATE_ROUNDING = 1e-13, SLOWEST_SHRINKAGE = 1e-4;

static void steady_destroy(struct steady *steady)
{
    if (steady) {
        arena_clear(&steady->arena);
        free(steady);
    }
}

static enum masing_status steady_create(const struct integrator *integrator, double tolerance,
                                        struct steady **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n_modes = (size_t)integrator->ports->n_modes;
    struct steady *steady = memory_array(1, sizeof *steady);
    TRY_ALLOCATED(steady);
    steady->tolerance = tolerance;
    steady->q = arena_doubles(&steady->arena, n_modes);
    steady->v = arena_doubles(&steady->arena, n_modes);
    steady->past = arena_doubles(&steady->arena, 2 * STEADY_MOST_PERIODS * n_modes);
    steady->over = arena_array(&steady->arena, STEADY_MOST_PERIODS + 1, sizeof *steady->over);
    TRY_ALLOCATED(!steady->arena.has_failed);
    steady->is_linear = integrator->ports->n_axes == 0;
done:
    if (status != MASING_OK) {
        steady_destroy(steady);
        steady = NULL;
    }
    *created = steady;
    return status;
}

/* Sample the speed now; some dozen times per period are enough. */
static void steady_sample(struct steady *steady, const struct integrator *integrator)
{
    steady->speed = fmax(steady->speed, integrator_squared_speed(integrator, steady->speed));
}

/* A period begins with the integrator's present state. */
static void steady_begin(struct steady *steady, const struct integrator *integrator)
{
    size_t n_modes = (size_t)integrator->ports->n_modes;
    const struct modal_state *modal = integrator_modal(integrator);
    memcpy(steady->q, modal->q, n_modes * sizeof(double));
    memcpy(steady->v, modal->v, n_modes * sizeof(double));
    steady->speed = 0.0;
    steady_sample(steady, integrator);
}

/* Change from an earlier state relative to the speed, less what round-off explains. */
static double relative_change(const struct steady *steady, const struct integrator *integrator,
                              const double *q, const double *v)
{
    const struct modal_state *modal = integrator_modal(integrator);
    double change = 0.0, norm = 0.0, omega2 = integrator->omega * integrator->omega;
    for (int k = 0; k < modal->n_modes; k++) {
        double weight = fmax(modal->stiffness[k], omega2);
        double dq = modal->q[k] - q[k], dv = modal->v[k] - v[k];
        change += dv * dv + weight * dq * dq;
        norm += modal->v[k] * modal->v[k] + weight * modal->q[k] * modal->q[k];
    }
    if (!isfinite(change + norm)) {
        return INFINITY; /* the squares of what grows without end are no numbers first */
    }
    double excess = sqrt(change) - STATE_ROUNDING * sqrt(norm);
    if (!(excess > 0.0)) {
        return 0.0;
    }
    return steady->speed > 0.0 ? excess / sqrt(steady->speed) : INFINITY;
}

/* Shrinkage per period, the geometric mean over the periods that are remembered. */
static double shrinkage(const struct steady *steady)
{
    int last = steady->n_periods < STEADY_MEMORY ? steady->n_periods - 1 : STEADY_MEMORY - 1;
    if (last < 1 || !(steady->changes[last] > 0.0)) {
        return last < 1 ? 1.0 : 0.0;
    }
    return pow(steady->changes[0] / steady->changes[last], 1.0 / last);
}

/* A ring over the periods: the change that was found so many periods ago. */
static double *change_over(struct steady *steady, int m, int ago)
{
    return &steady->over[m][(steady->n_periods - ago) % (STEADY_MOST_PERIODS + 1)];
}

/* Whole times m periods, over which the shrinkage is measured: not fewer than for one. */
static int span(int m)
{
    return m * ((STEADY_MEMORY - 2) / m + 1);
}

/* What the change over m periods, now and so many periods ago, has lost in m periods. */
static double lost(struct steady *steady, int m, int periods)
{
    double change = *change_over(steady, m, 0), before = *change_over(steady, m, periods);
    return before > 0.0 ? 1.0 - pow(change / before, (double)m / periods) : 0.0;
}

/* Estimated distance from a motion of m periods. What hardly shrinks is measured over many
 * periods, in which it shrinks by more than round-off changes it. */
static double distance_from(struct steady *steady, int m)
{
    int most = STEADY_MOST_PERIODS / m * m;
    double change = *change_over(steady, m, 0);
    if (steady->n_periods < m + span(m)) {
        return INFINITY;
    }
    if (change == 0.0) {
        return 0.0;
    }
    double left = lost(steady, m, span(m));
    if (left < SLOW_SHRINKAGE && steady->n_periods >= m + most) {
        left = lost(steady, m, most);
    }
    return change / fmax(left, m * SLOWEST_SHRINKAGE);
}

/* Near a motion of m periods: the fewest over which it changes by no more than this. */
static int least_order(struct steady *steady, int m, double most_change)
{
    int d = 1;
    while (d < m && (m % d != 0 || *change_over(steady, d, 0) > most_change)) {
        d++;
    }
    return d;
}

/* Near a motion of m periods: after how many does it repeat? 0: too early to tell. A change
 * over these is at most twice the distance. */
static int order_within(struct steady *steady, int m, double distance)
{
    int d = least_order(steady, m, fmax(steady->tolerance, ORDER_MARGIN * distance));
    double change = *change_over(steady, d, 0);
    if (change > steady->tolerance || (d > 1 && steady->is_linear)) {
        return 0;
    }
    steady->distance = fmax(distance, 0.5 * change);
    return d;
}

/* Near a motion of several periods for twice as many. */
static int find_order(struct steady *steady)
{
    int order = 0;
    for (int m = 2; m <= STEADY_MOST_PERIODS; m++) {
        double distance = distance_from(steady, m);
        steady->n_near[m] = distance <= steady->tolerance ? steady->n_near[m] + 1 : 0;
        if (order == 0 && steady->n_near[m] >= GOOD_PERIODS * m) {
            order = order_within(steady, m, distance);
        }
    }
    return order;
}

/* The largest order that would have been recognised in so many periods; 1: none but the load's.
 */
static int steady_most_order(const struct steady *steady)
{
    int m = 1;
    while (!steady->is_linear && m < STEADY_MOST_PERIODS &&
           steady->n_periods >= (m + 1) * (1 + GOOD_PERIODS) + span(m + 1) - 1) {
        m++;
    }
    return m;
}

/* A period has ended and the next begins. True if the motion is periodic: with the period of
 * the load, or with a multiple of it, see order. */
static bool steady_end(struct steady *steady, const struct integrator *integrator)
{
    steady_sample(steady, integrator);
    memmove(steady->changes + 1, steady->changes, (STEADY_MEMORY - 1) * sizeof(double));
    steady->changes[0] = relative_change(steady, integrator, steady->q, steady->v);
    /* the state at which the period began is one more of the past */
    size_t n = (size_t)integrator->ports->n_modes;
    double *q = steady->past + (size_t)(steady->n_periods % STEADY_MOST_PERIODS) * 2 * n;
    memcpy(q, steady->q, n * sizeof(double));
    memcpy(q + n, steady->v, n * sizeof(double));
    steady->n_periods++;
    *change_over(steady, 1, 0) = steady->changes[0];
    for (int m = 2; m <= STEADY_MOST_PERIODS && m <= steady->n_periods; m++) {
        q = steady->past + (size_t)((steady->n_periods - m) % STEADY_MOST_PERIODS) * 2 * n;
        *change_over(steady, m, 0) = relative_change(steady, integrator, q, q + n);
    }
    double left = fmax(1.0 - shrinkage(steady), SLOWEST_SHRINKAGE);
    steady->distance = steady->changes[0] == 0.0 ? 0.0 : steady->changes[0] / left;
    if (left < SLOW_SHRINKAGE && steady->n_periods > STEADY_MOST_PERIODS) {
        steady->distance = distance_from(steady, 1);
    }
    steady->n_good = steady->distance <= steady->tolerance ? steady->n_good + 1 : 0;
    steady->order = steady->n_good >= GOOD_PERIODS ? 1 : find_order(steady);
    steady_begin(steady, integrator);
    return steady->order > 0;
}

/* Samples of the speed in a period. */
enum { SAMPLES_PER_PERIOD = 64 };

static enum masing_status run_period(struct integrator *integrator, struct steady *steady,
                                     const struct periodic_observer *observer,
                                     bool *is_cancelled, struct masing_error *error)
{
    int stride = integrator->n_steps / SAMPLES_PER_PERIOD + 1;
    for (int i = 0; i < integrator->n_steps; i++) {
        if (periodic_is_over(observer, i)) {
            *is_cancelled = true;
            break;
        }
        NEED(integrator_step(integrator));
        if (i % stride == 0) {
            steady_sample(steady, integrator);
        }
        if (observer->step) {
            NEED(observer->step(observer->context, integrator, error));
        }
    }
    return MASING_OK;
}

enum masing_status periodic_march(struct integrator *integrator, double tolerance,
                                  int max_cycles, const struct periodic_observer *observer,
                                  struct periodic_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct steady *steady = NULL;
    *result = (struct periodic_result){.distance = NAN, .largest_multiplier = NAN};
    TRY(steady_create(integrator, tolerance, &steady, error));
    steady_begin(steady, integrator);
    while (!result->is_steady && !result->is_cancelled && result->cycles < max_cycles) {
        TRY(run_period(integrator, steady, observer, &result->is_cancelled, error));
        if (result->is_cancelled) {
            break;
        }
        bool is_periodic = steady_end(steady, integrator);
        result->cycles++;
        result->distance = steady->distance;
        result->most_order = steady_most_order(steady);
        result->is_steady = is_periodic && tolerance > 0.0;
        result->order = result->is_steady ? steady->order : 0;
        result->is_cancelled =
            observer->period &&
            observer->period(observer->context, result->cycles, result->distance);
    }
done:
    steady_destroy(steady);
    return status;
}

void periodic_describe(const struct periodic_result *result, int cycles, double tolerance,
                       char *text, size_t size)
{
    char distance[96] = "", orders[64] = "";
    if (result->distance < PERIODIC_FAR) {
        snprintf(distance, sizeof distance,
                 ": still about %.2g from it (integration.tolerance is %g)", result->distance,
                 tolerance);
    } else if (result->cycles > 1) {
        snprintf(distance, sizeof distance, ": still far from one");
    }
    if (result->most_order == 2) {
        snprintf(orders, sizeof orders, ", and nothing that repeats after 2 of them");
    } else if (result->most_order > 2) {
        snprintf(orders, sizeof orders, ", and nothing that repeats after 2 to %d of them",
                 result->most_order);
    }
    snprintf(text, size, "no steady state within %d cycle%s%s%s", cycles,
             cycles == 1 ? "" : "s", distance, orders);
}

/* What steps to a tolerance are in doubt by over a period, in parts of that tolerance: two
 * periods never agree better. */
static const double PERIOD_NOISE = 100.0, STEP_ROUNDING = 1e-15;

/* How far beside an unstable motion another begins; how well a motion has to repeat before it
 * is shot for, at first, and by what part better each time that this was not enough. */
static const double LEAVING_STEP = 1e-3, FIRST_ROUGHNESS = 1e-3, ROUGHNESS_FACTOR = 0.1;

/* How well states agree that are called the same, in tolerances. */
static const double SAME_STATE = 10.0;

/* Periods to march at first, or where Newton steps did not help, and by what they become more;
 * how often an unstable motion is left before it is taken for an answer. */
enum { FIRST_MARCH = 256, MORE_MARCH = 4, MOST_LEFT = 3 };

/* A search for a periodic motion by shooting. */
struct search {
    struct integrator *integrator;
    const struct periodic_observer *observer;
    struct periodic_result *result;
    double tolerance;
    double rough;   /* how well a motion has to repeat before it is shot for */
    int max_cycles; /* in all */
    int to_march;   /* periods at most before the next Newton steps */
    int order;      /* periods that are shot for */
    int n_left;     /* unstable motions so far */
};

double periodic_tolerance(const struct integrator *integrator, double tolerance)
{
    if (integrator->stepper.type->has_step_error || !(tolerance > 0.0)) {
        return tolerance;
    }
    return fmax(tolerance, PERIOD_NOISE * fmax(integrator->stepper.accuracy, STEP_ROUNDING));
}

static bool is_at_end(const struct search *search)
{
    return search->result->is_cancelled || search->result->cycles >= search->max_cycles;
}

static enum masing_status shoot(struct search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct shooting *shooting = NULL;
    search->result->n_history = search->result->n_updates = 0;
    search->result->is_steady = false;
    search->result->largest_multiplier = NAN;
    TRY(shooting_create(search->integrator, search->order, &shooting, error));
    status = shooting_run(shooting, search->tolerance, search->max_cycles, search->observer,
                          search->result);
done:
    shooting_destroy(shooting);
    return status;
}

/* March up to so many periods until the motion repeats roughly: after how many is shot for
 * next. What repeats within the tolerance is steady. */
static enum masing_status march(struct search *search, int cycles, struct masing_error *error)
{
    struct periodic_result marched, *result = search->result;
    double tolerance = fmax(search->tolerance, search->rough);
    enum masing_status status = periodic_march(search->integrator, tolerance, cycles,
                                               search->observer, &marched, error);
    result->cycles += marched.cycles;
    result->n_history = result->n_updates = 0;
    result->largest_multiplier = NAN;
    result->is_cancelled = marched.is_cancelled;
    result->distance = marched.distance;
    result->most_order =
        marched.most_order > result->most_order ? marched.most_order : result->most_order;
    search->order = marched.is_steady ? marched.order : 1;
    result->is_steady = marched.is_steady && tolerance <= search->tolerance;
    result->order = result->is_steady ? marched.order : 0;
    return status;
}

/* A motion of several periods may repeat after fewer of them: follow it once to see. */
static enum masing_status find_divisor(struct search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct steady *steady = NULL;
    const struct periodic_observer *observer = search->observer;
    struct periodic_result *result = search->result;
    struct integrator *integrator = search->integrator;
    TRY(steady_create(integrator, SAME_STATE * search->tolerance, &steady, error));
    steady_begin(steady, integrator);
    for (int i = 1; i <= search->order * integrator->n_steps; i++) {
        result->is_cancelled = result->is_cancelled || periodic_is_over(observer, i);
        if (result->is_cancelled) {
            goto done;
        }
        TRY(integrator_step(integrator));
        steady_sample(steady, integrator);
        if (i % integrator->n_steps == 0) {
            steady_end(steady, integrator);
            result->cycles++;
        }
    }
    search->order = least_order(steady, search->order, steady->tolerance);
done:
    steady_destroy(steady);
    return status;
}

/* Shoot for a motion of several periods, and again for that of fewer which it turns out to be.
 */
static enum masing_status shoot_for_least(struct search *search, struct masing_error *error)
{
    int order;
    do {
        order = search->order;
        NEED(shoot(search, error));
        if (order > 1 && search->result->is_steady) {
            NEED(find_divisor(search, error));
        }
    } while (search->order < order && !is_at_end(search));
    return MASING_OK;
}

/* What was found is unstable. Start beside it. */
static void leave(struct search *search)
{
    struct modal_state *modal = integrator_modal(search->integrator);
    for (int k = 0; k < modal->n_modes; k++) {
        modal->v[k] *= 1.0 + LEAVING_STEP;
    }
    integrator_begin(search->integrator);
    search->result->is_steady = false;
    search->result->distance = INFINITY;
    search->n_left++;
}

/* Shoot; where that fails, or finds what is unstable, see by marching where the motion goes,
 * and shoot for what repeats there, after several periods perhaps. */
static enum masing_status find(struct search *search, struct masing_error *error)
{
    struct periodic_result *result = search->result;
    for (;;) {
        NEED(shoot_for_least(search, error));
        bool is_unstable =
            result->is_steady && result->largest_multiplier > 1.0 + MASING_NEUTRAL_MULTIPLIER;
        if (is_at_end(search) ||
            (result->is_steady && (!is_unstable || search->n_left == MOST_LEFT))) {
            break;
        }
        int left = search->max_cycles - result->cycles;
        if (is_unstable) {
            leave(search);
        } else if (search->to_march < left) {
            left = search->to_march;
            search->to_march *= MORE_MARCH;
        }
        NEED(march(search, left, error));
        if (is_at_end(search) || result->is_steady) {
            break;
        }
        search->rough *= ROUGHNESS_FACTOR;
    }
    return MASING_OK;
}

/* March; shoot where that takes long, and march on where there is nothing to shoot with. */
static enum masing_status march_or_shoot(struct search *search, struct masing_error *error)
{
    struct periodic_result *result = search->result;
    struct masing_error unsupported = {0};
    int most = search->max_cycles, first = most < FIRST_MARCH ? most : FIRST_MARCH;
    NEED(periodic_march(search->integrator, search->tolerance, first, search->observer, result,
                        error));
    if (result->is_steady || result->is_cancelled || result->cycles >= most) {
        return MASING_OK;
    }
    enum masing_status status = find(search, &unsupported);
    if (status == MASING_UNSUPPORTED) {
        NEED(periodic_march(search->integrator, search->tolerance, most - first,
                            search->observer, result, error));
        result->cycles += first;
        return MASING_OK;
    }
    return status < 0 ? masing_error_set(error, status, "%s", unsupported.message) : status;
}

enum masing_status periodic_run(struct integrator *integrator, double tolerance, int max_cycles,
                                bool may_shoot, const struct periodic_observer *observer,
                                struct periodic_result *result, struct masing_error *error)
{
    bool is_marching = integrator->model->spec.integration.steady == MASING_STEADY_MARCHING;
    struct search search = {.integrator = integrator,
                            .observer = observer,
                            .result = result,
                            .tolerance = periodic_tolerance(integrator, tolerance),
                            .rough = FIRST_ROUGHNESS,
                            .max_cycles = max_cycles,
                            .to_march = FIRST_MARCH,
                            .order = 1};
    *result =
        (struct periodic_result){.distance = NAN, .largest_multiplier = NAN, .most_order = 1};
    if (observer->step || !(search.tolerance > 0.0) || (is_marching && !may_shoot)) {
        NEED(periodic_march(integrator, search.tolerance, max_cycles, observer, result, error));
    } else {
        NEED(is_marching ? march_or_shoot(&search, error) : find(&search, error));
    }
    if (result->is_steady && !observer->step) { /* a whole history goes on as it is */
        NEED(rigid_body_centre(integrator, result->order, error));
    }
    return MASING_OK;
}
