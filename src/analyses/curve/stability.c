/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/curve/stability.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/balance_solver.h"
#include "base/check.h"
#include "base/memory.h"
#include "masing/event.h"

/* Nearer to the unit circle than this part of the estimated error, which is a range, nothing is
 * certain but by a verdict. */
static const double UNCERTAIN_PART = 0.5;
/* How near to zero the factor has to be that makes a product vanish: where states change from
 * sample to sample multipliers jump a little from point to point. */
static const double VANISHING_FACTOR = 0.05;
/* Smaller multipliers are none. */
static const double NEGLIGIBLE_MULTIPLIER = 1e-12;
/* An imaginary part below this part of a multiplier is the eigenvalue solver's rounding. */
static const double REAL_MULTIPLIER = 1e-9;

/* Farther from 1 a multiplier at a fold is another one; how many times the error measured there
 * a modulus must be away from 1. */
static const double FARTHEST_AT_FOLD = 0.2, ERRORS_FROM_CIRCLE = 2.0;

/* A solution with more harmonics that is farther than this part away is another one. */
static const double SAME_SOLUTION = 0.1;
/* So often it may tell nothing until it is not asked any more often. */
enum { MOST_VAIN = 7 };

/* Kinds at which a multiplier is 1; kinds that do not change stability. */
static const unsigned AT_ONE =
    MASING_EVENT_BIT(MASING_EVENT_FOLD) | MASING_EVENT_BIT(MASING_EVENT_BRANCH_POINT);
static const unsigned UNCHANGING =
    MASING_EVENT_BIT(MASING_EVENT_PEAK) | MASING_EVENT_BIT(MASING_EVENT_AT);

enum masing_status curve_stability_create(const struct curve_stability_settings *settings,
                                          struct masing_stability_summary *summary,
                                          struct curve_stability **stability,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error reason = {0};
    struct curve_stability *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->settings = *settings;
    made->summary = summary;
    made->undecided = made->last = NAN;
    *summary =
        (struct masing_stability_summary){.largest = NAN, .largest_at = NAN, .error = NAN};
    made->y = memory_array((size_t)settings->balance->n_unknowns + 1, sizeof(double));
    made->on_circle = memory_array((size_t)settings->balance->n_unknowns, sizeof(double));
    TRY_ALLOCATED(made->y && made->on_circle);
    if (settings->method != MASING_STABILITY_NONE) {
        status =
            stability_create(settings->balance, settings->method, &made->stability, &reason);
        memcpy(summary->reason, reason.message, sizeof summary->reason);
    }
    if (status == MASING_UNSUPPORTED) {
        status = MASING_OK;
    } else if (status != MASING_OK) {
        masing_error_set(error, status, "%s", reason.message);
        goto done;
    }
    *stability = made;
    made = NULL;
done:
    curve_stability_destroy(made);
    return status;
}

void curve_stability_destroy(struct curve_stability *stability)
{
    if (stability) {
        stability_destroy(stability->stability);
        stability_destroy(stability->finer_stability);
        refinement_destroy(stability->finer);
        free(stability->guess);
        free(stability->on_circle);
        free(stability->y);
        free(stability);
    }
}

static const struct stability_result *evaluate(struct curve_stability *s, const double *y,
                                               double lambda)
{
    const struct balance *balance = s->settings.balance;
    size_t bytes = (size_t)balance->n_unknowns * sizeof *y;
    if (s->is_evaluated && s->lambda == lambda && memcmp(s->y, y, bytes) == 0) {
        return s->result;
    }
    memcpy(s->y, y, bytes);
    s->y[balance->n_unknowns] = s->lambda = lambda;
    s->is_evaluated = true;
    enum masing_status status = s->settings.settle(s->settings.context, y, lambda, &s->omega);
    status = status ? status : stability_evaluate(s->stability, balance, s->omega, &s->result);
    s->result = status == MASING_OK ? s->result : NULL;
    return s->result;
}

static struct point_stability point_of(const struct stability_result *result)
{
    return (struct point_stability){
        .stable = result->verdict < 0 ? (double)NAN : (double)result->verdict,
        .modulus = result->largest,
        .error = result->error,
        .angle = result->n > 0 ? fabs(atan2(result->imaginary[0], result->real[0])) : NAN};
}

struct point_stability curve_stability_at(struct curve_stability *s, const double *y,
                                          double lambda)
{
    const struct stability_result *result = s->stability ? evaluate(s, y, lambda) : NULL;
    return result ? point_of(result) : (struct point_stability){NAN, NAN, NAN, NAN};
}

static double complex multiplier(const struct stability_result *result, int i)
{
    return result->real[i] + I * result->imaginary[i];
}

/* A real one that is negative, or one of a complex pair, as the event has it. */
static bool is_of_kind(const struct stability_result *result, int i, bool is_real)
{
    double size = fabs(result->real[i]) + fabs(result->imaginary[i]);
    bool looks_real = fabs(result->imaginary[i]) <= REAL_MULTIPLIER * size;
    return is_real ? looks_real && result->real[i] < 0.0 : !looks_real;
}

/* Distance from the circle of the nearest multiplier of a kind. */
static double distance(const struct stability_result *result, bool is_real)
{
    double least = INFINITY;
    for (int i = 0; i < result->n; i++) {
        if (is_of_kind(result, i, is_real)) {
            least = fmin(least, fabs(cabs(multiplier(result, i)) - 1.0));
        }
    }
    return least;
}

/* Of the larger ones only: smaller multipliers change no product. */
static int count_multipliers(const struct stability_result *result)
{
    int n = 0;
    while (n < result->n && cabs(multiplier(result, n)) > NEGLIGIBLE_MULTIPLIER) {
        n++;
    }
    return n;
}

/*
 * Products of 1 + m over all multipliers, of 1 - m m' over all pairs: smooth along the curve,
 * whichever multipliers meet and part; above zero as long as all are within the circle, and
 * zero where one is -1, or where a complex pair lies on it. Zero as well where one of that kind
 * may lie on either side of the circle.
 */
static double product_value(void *context, const double *y, double lambda, const double *dy,
                            double dlambda)
{
    const struct stability_event *event = context;
    const struct stability_result *result = evaluate(event->stability, y, lambda);
    double complex product = 1.0;
    (void)dy;
    (void)dlambda;
    if (!result) {
        return NAN;
    }
    if (result->verdict != 1 &&
        distance(result, event->is_real) <= UNCERTAIN_PART * result->error) {
        return 0.0;
    }
    for (int i = 0; event->is_real && i < result->n; i++) {
        product *= 1.0 + multiplier(result, i);
    }
    int n = event->is_real ? 0 : count_multipliers(result);
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            product *= 1.0 - multiplier(result, i) * multiplier(result, j);
        }
    }
    return creal(product);
}

/* The factor that vanishes is of a multiplier about -1, so that no value has merely jumped; or
 * of a complex pair, not of two real ones m and 1 / m. */
static bool confirm(void *context, const double *y, double lambda)
{
    const struct stability_event *event = context;
    const struct stability_result *result = evaluate(event->stability, y, lambda);
    double least = INFINITY;
    bool is_of = event->is_real;
    for (int i = 0; event->is_real && result && i < result->n; i++) {
        least = fmin(least, cabs(1.0 + multiplier(result, i)));
    }
    int n = event->is_real || !result ? 0 : count_multipliers(result);
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < result->n; j++) {
            double size = cabs(1.0 - multiplier(result, i) * multiplier(result, j));
            is_of = size < least ? is_of_kind(result, i, false) : is_of;
            least = fmin(least, size);
        }
    }
    return is_of && least <= VANISHING_FACTOR;
}

int curve_stability_events(struct curve_stability *stability, struct continuation_event *out)
{
    if (!stability->stability) {
        return 0;
    }
    for (int i = 0; i < CURVE_STABILITY_EVENTS; i++) {
        int kind = i == 0 ? MASING_EVENT_PERIOD_DOUBLING : MASING_EVENT_NEIMARK_SACKER;
        stability->events[i] = (struct stability_event){stability, i == 0};
        out[i] = (struct continuation_event){.rising = kind,
                                             .falling = kind,
                                             .type = CONTINUATION_MARK,
                                             .context = &stability->events[i],
                                             .value = product_value,
                                             .confirm = confirm};
    }
    return CURVE_STABILITY_EVENTS;
}

/* A piece that is unstable begins and ends at points that are undecided, if there are such. */
static void note_range(struct curve_stability *s, double at, double stable)
{
    struct masing_stability_summary *summary = s->summary;
    bool was_unstable = s->is_unstable;
    s->is_unstable = stable == 0.0;
    summary->n_ranges += s->is_unstable && !was_unstable;
    int i = summary->n_ranges - 1;
    if (s->is_unstable && !was_unstable && i < MASING_MAX_PLACES) {
        summary->diameters[i] = stability_diameter(s->stability, s->omega);
        summary->from[i] = summary->to[i] = isnan(s->undecided) ? at : s->undecided;
    }
    if ((s->is_unstable || (was_unstable && isnan(stable))) && i < MASING_MAX_PLACES) {
        summary->from[i] = fmin(summary->from[i], at);
        summary->to[i] = fmax(summary->to[i], at);
    }
    s->undecided = isnan(stable) ? at : NAN;
}

static enum masing_status create_finer(struct curve_stability *s, struct masing_error *error)
{
    const struct balance *balance = s->settings.balance;
    NEED(refinement_create(balance->model, 1, balance->progress, &s->finer, error));
    NEED(stability_create(s->finer->balance, s->settings.method, &s->finer_stability, error));
    s->guess = memory_array((size_t)s->finer->balance->n_unknowns, sizeof(double));
    NEED_ALLOCATED(s->guess);
    return MASING_OK;
}

/* How far a solution may move with more harmonics, squared, not to be another one: less than
 * the point is away from one on the circle, which may move as far and past it. */
static double farthest_move(const struct curve_stability *s)
{
    double size = 0.0, distance = 0.0;
    for (int i = 0; i < s->settings.balance->n_unknowns; i++) {
        double step = s->y[i] - s->on_circle[i];
        size += s->y[i] * s->y[i];
        distance += step * step;
    }
    return fmin(SAME_SOLUTION * SAME_SOLUTION * size, distance);
}

/* The same solution with more harmonics and samples: MASING_STOPPED where another was found. */
static enum masing_status solve_finer(struct curve_stability *s)
{
    const struct balance *balance = s->settings.balance;
    struct balance *fine = s->finer->balance;
    struct point_solver *solver = s->finer->solver;
    double moved = 0.0;
    refinement_pad(balance, s->y, fine, solver->point);
    memcpy(fine->origin, balance->origin, (size_t)fine->n_axes * sizeof(double));
    memcpy(s->guess, solver->point, (size_t)fine->n_unknowns * sizeof(double));
    fine->has_last = false;
    point_solver_fix_lambda(solver);
    NEED(point_solver_solve(solver, 0.0));
    for (int i = 0; i < fine->n_unknowns; i++) {
        double step = solver->point[i] - s->guess[i];
        moved += step * step;
    }
    NEED(moved <= farthest_move(s) ? MASING_OK : MASING_STOPPED);
    return balance_settle(fine, solver->point, s->omega, false);
}

/* A verdict for a point that has none. What the modulus differs by from that with fewer
 * harmonics is an error of either. */
static void refine(struct curve_stability *s, struct point_stability *point)
{
    const struct stability_result *result = NULL;
    struct masing_error unused = {0};
    if (s->omega != s->lambda || isnan(point->modulus) || s->n_passed++ < s->n_idle) {
        return;
    }
    enum masing_status status = s->finer_stability ? MASING_OK : create_finer(s, &unused);
    if (!s->finer_stability) {
        s->n_idle = INT_MAX; /* it is not to be had */
        return;
    }
    status = status ? status : solve_finer(s);
    status = status
                 ? status
                 : stability_evaluate(s->finer_stability, s->finer->balance, s->omega, &result);
    double error =
        result ? fmax(result->error, fabs(result->largest - point->modulus)) : INFINITY;
    bool is_new = status == MASING_OK && fabs(result->largest - 1.0) > error;
    s->n_vain = is_new ? 0 : s->n_vain < MOST_VAIN ? s->n_vain + 1 : MOST_VAIN;
    s->n_idle = (1 << s->n_vain) / 2 - (s->n_vain > 0); /* 0, 0, 1, 3, 7 */
    s->n_passed = 0;
    if (is_new) {
        *point = point_of(result);
        point->stable = result->largest < 1.0;
        point->error = error;
    }
}

static void judge(struct curve_stability *s, unsigned events, struct point_stability *point)
{
    bool is_on_circle = events & MASING_EVENTS_ON_CIRCLE;
    /* At folds and branch points a multiplier is 1: how far the nearest real one is off tells
     * how well those near the circle are known, the error of the solution itself included. */
    const struct stability_result *result = events & AT_ONE ? s->result : NULL;
    double off = INFINITY;
    for (int i = 0; result && i < result->n; i++) {
        if (fabs(result->imaginary[i]) <= REAL_MULTIPLIER * fabs(result->real[i])) {
            off = fmin(off, fabs(result->real[i] - 1.0));
        }
    }
    s->floor = off <= FARTHEST_AT_FOLD ? fmax(s->floor, off) : s->floor;
    s->may_change = s->may_change || (events & ~UNCHANGING);
    point->error = isnan(point->modulus) ? (double)NAN : fmax(point->error, s->floor);
    if (is_on_circle || fabs(point->modulus - 1.0) <= ERRORS_FROM_CIRCLE * s->floor) {
        point->stable = NAN;
    }
    if (is_on_circle) {
        memcpy(s->on_circle, s->y, (size_t)s->settings.balance->n_unknowns * sizeof(double));
    } else if (isnan(point->stable)) {
        refine(s, point);
    }
    bool differs = !isnan(point->stable) && !isnan(s->last) && point->stable != s->last;
    if (differs && !s->may_change && !s->is_doubted) {
        s->is_doubted = true;
        point->stable = NAN;
        return;
    }
    s->is_doubted = false;
    if (!isnan(point->stable)) {
        s->last = point->stable;
        s->may_change = false;
    }
}

void curve_places_add(struct masing_places *places, double at)
{
    for (int i = 0; i < places->n && i < MASING_MAX_PLACES; i++) {
        if (places->at[i] == at) {
            return;
        }
    }
    if (places->n < MASING_MAX_PLACES) {
        places->at[places->n] = at;
    }
    places->n++;
}

void curve_stability_note(struct curve_stability *s, double lambda, unsigned events,
                          struct point_stability *point, bool begins)
{
    struct masing_stability_summary *summary = s->summary;
    double at = lambda / s->settings.unit;
    if (!s->stability) {
        return;
    }
    if (begins) {
        s->is_unstable = false;
        s->undecided = NAN;
        s->last = NAN;
        s->may_change = s->is_doubted = false;
    }
    judge(s, events, point);
    summary->n_points += !isnan(point->modulus);
    summary->n_unstable += point->stable == 0.0;
    summary->n_undecided += isnan(point->stable);
    note_range(s, at, events & MASING_EVENTS_ON_CIRCLE ? NAN : point->stable);
    if (!(point->modulus <= summary->largest) && !isnan(point->modulus)) {
        summary->largest = point->modulus;
        summary->largest_at = at;
    }
    if (!isnan(point->stable)) {
        summary->error = fmax(summary->error, point->error / fmax(1.0, point->modulus));
    }
    if (masing_events_have(events, MASING_EVENT_PERIOD_DOUBLING)) {
        curve_places_add(&summary->period_doublings, at);
    }
    if (masing_events_have(events, MASING_EVENT_NEIMARK_SACKER)) {
        curve_places_add(&summary->neimark_sackers, at);
    }
}

void curve_stability_pack(struct curve_stability *s, struct packing *packing)
{
    size_t n = (size_t)s->settings.balance->n_unknowns;
    packing_bytes(packing, s->on_circle, n * sizeof *s->on_circle);
    PACK(packing, s->floor);
    PACK(packing, s->last);
    PACK(packing, s->may_change);
    PACK(packing, s->is_doubted);
    PACK(packing, s->is_unstable);
    PACK(packing, s->undecided);
    PACK(packing, s->n_vain);
    PACK(packing, s->n_idle);
    PACK(packing, s->n_passed);
    PACK(packing, *s->summary);
}

enum masing_status curve_stability_warn(const struct curve_stability *s,
                                        const struct warning_list *list,
                                        struct masing_error *error)
{
    const char *reason = s->summary->reason;
    if (!*reason || s->settings.method == MASING_STABILITY_AUTO) {
        return MASING_OK;
    }
    return warning_add(list, error, "stability is not determined: %s", reason);
}
