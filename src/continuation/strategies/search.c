/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Curves beside those that were followed. Newton's method leads from each start to a solution
 * at its lambda, or nowhere. A solution is known where it lies on a curve that was followed,
 * which is tried rather than guessed: the plane through it across a piece of curve close by is
 * solved from that piece. Each other one is followed, first to where its curve begins, without
 * a word, then all along it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "continuation/curve.h"
#include "continuation/metric.h"

/* A segment in the memory: its ends, tangents there and length. */
enum { FROM, FROM_TANGENT, TO, TO_TANGENT, N_VECTORS };
static size_t segment_size(const struct continuation *c)
{
    return (size_t)N_VECTORS * (size_t)c->size + 1;
}

static const double *segment_part(const struct continuation *c, size_t index, int part)
{
    return c->search.segments + index * segment_size(c) + (size_t)part * (size_t)c->size;
}

/* Room for the first segments, so that short curves need no more. */
enum { FIRST_SEGMENTS = 8 };

static enum masing_status make_room(struct continuation *c, size_t n)
{
    struct curve_search *s = &c->search;
    return memory_grow((void **)&s->segments, n, &s->capacity,
                       segment_size(c) * sizeof *s->segments)
               ? MASING_OK
               : MASING_NO_MEMORY;
}

enum masing_status curve_create_search(struct continuation *c, struct masing_error *error)
{
    struct curve_search *s = &c->search;
    size_t size = (size_t)c->size, n = (size_t)c->settings.n_starts;
    if (n == 0) {
        return MASING_OK;
    }
    s->starts = arena_doubles(&c->arena, n);
    s->u = arena_doubles(&c->arena, size);
    s->image = arena_doubles(&c->arena, size);
    s->point = arena_doubles(&c->arena, size);
    s->arrivals = arena_doubles(&c->arena, CURVE_MOST_ARRIVALS * size);
    NEED_ALLOCATED(!c->arena.has_failed && make_room(c, FIRST_SEGMENTS) == MASING_OK);
    memcpy(s->starts, c->settings.starts, n * sizeof *s->starts);
    c->settings.starts = s->starts;
    return MASING_OK;
}

void curve_destroy_search(struct continuation *c)
{
    free(c->search.segments);
}

void curve_pack_search(struct continuation *c, struct packing *packing)
{
    struct curve_search *s = &c->search;
    size_t bytes = segment_size(c) * sizeof *s->segments;
    int n = packing_count(packing, (int)s->n, bytes);
    if (packing->is_taking && make_room(c, (size_t)n) != MASING_OK) {
        packing->status = MASING_NO_MEMORY;
        return;
    }
    s->n = (size_t)n;
    packing_bytes(packing, s->segments, s->n * bytes);
}

/* ---- what is known ---- */

/* In parts of a step: how far beyond its ends a piece of curve is looked at, how far from it.
 */
static const double BEYOND = 0.2, ASIDE = 0.3;
/* So near two solutions are one, by arc length. */
static const double SAME = 1e-5;

/* Whether a start lies at a lambda that the segment passes, or nearly so. */
static bool is_near_start(const struct continuation *c)
{
    double from = c->here.u[c->n], to = c->next.u[c->n], margin = BEYOND * fabs(to - from);
    double low = fmin(from, to) - margin, high = fmax(from, to) + margin;
    for (int i = 0; i < c->settings.n_starts; i++) {
        if (c->search.starts[i] >= low && c->search.starts[i] <= high) {
            return true;
        }
    }
    return false;
}

static enum masing_status add_segment(struct continuation *c, const struct curve_point *from,
                                      const struct curve_point *to, double length)
{
    size_t bytes = (size_t)c->size * sizeof(double);
    const double *parts[N_VECTORS] = {from->u, from->tangent, to->u, to->tangent_in};
    enum masing_status status = make_room(c, c->search.n + 1);
    if (status != MASING_OK) {
        return masing_error_set(c->error, status, "out of memory");
    }
    double *at = c->search.segments + c->search.n++ * segment_size(c);
    for (int k = 0; k < N_VECTORS; k++) {
        memcpy(at + (size_t)k * (size_t)c->size, parts[k], bytes);
    }
    at[(size_t)N_VECTORS * (size_t)c->size] = length;
    return MASING_OK;
}

enum masing_status curve_note_segment(struct continuation *c)
{
    bool is_wanted = c->settings.n_starts > 0 && !c->search.is_dry && !c->begins_anew;
    return is_wanted && is_near_start(c)
               ? add_segment(c, &c->here, &c->next, c->next.arc - c->here.arc)
               : MASING_OK;
}

/* The point of a segment next to u goes to `trial`, the derivative by arc there to `normal`;
 * false: it is farther away than the curve can be. */
static bool find_nearest(struct continuation *c, size_t index, const double *u)
{
    enum { ITERATIONS = 4 };
    const struct predictor_segment segment = {
        c->size,
        segment_part(c, index, FROM),
        segment_part(c, index, FROM_TANGENT),
        segment_part(c, index, TO),
        segment_part(c, index, TO_TANGENT),
        *segment_part(c, index, N_VECTORS),
    };
    double length = segment.length, low = -BEYOND * length, high = length - low;
    double first = segment.from[c->n], last = segment.to[c->n];
    double margin = (BEYOND + ASIDE) * length * c->range;
    if (u[c->n] < fmin(first, last) - margin || u[c->n] > fmax(first, last) + margin) {
        return false;
    }
    double chord = metric_distance(c->size, c->metric, segment.from, segment.to);
    for (int i = 0; i < c->size; i++) {
        c->normal[i] = segment.to[i] - segment.from[i];
    }
    double arc = chord > 0.0 ? length / (chord * chord) *
                                   metric_along(c->size, c->metric, segment.from, u, c->normal)
                             : 0.0;
    for (int i = 0; i < ITERATIONS; i++) {
        arc = fmin(fmax(arc, low), high);
        predictor_hermite(&segment, arc, c->trial.u, c->normal);
        double along = metric_along(c->size, c->metric, c->trial.u, u, c->normal);
        double square = metric_dot(c->size, c->metric, c->normal, c->normal);
        arc += square > 0.0 ? along / square : 0.0;
    }
    return metric_distance(c->size, c->metric, c->trial.u, u) <= ASIDE * chord + SAME;
}

/* Whether the curve through the point in `trial`, along `normal`, goes through u. */
static bool leads_through(struct continuation *c, const double *u)
{
    double away = metric_distance(c->size, c->metric, c->trial.u, u);
    if (away <= SAME) {
        return true;
    }
    metric_normalise(c->size, c->metric, c->normal);
    bordered_set_plane(&c->bordered, u, c->normal);
    const struct corrector_request request = {.limit = INFINITY, .max_iterations = 10};
    struct corrector_result result;
    return corrector_solve(c->corrector, &request, c->trial.u, &result) == MASING_OK &&
           metric_distance(c->size, c->metric, c->trial.u, u) <= SAME;
}

static bool is_on_curves(struct continuation *c, const double *u)
{
    for (size_t k = c->search.n; k-- > 0;) {
        if (find_nearest(c, k, u) && leads_through(c, u)) {
            return true;
        }
    }
    return false;
}

/* Whether the solution or one of its images is known. */
static bool is_known(struct continuation *c, const double *u)
{
    const struct continuation_problem *p = &c->problem;
    double *image = c->search.image;
    bool is_found = is_on_curves(c, u);
    image[c->n] = u[c->n];
    for (int k = 1; !is_found && p->image && p->image(p->context, k, u, image); k++) {
        is_found = is_on_curves(c, image);
    }
    return is_found;
}

/* ---- what hangs together ---- */

static int root_of(const struct continuation *c, int curve)
{
    while (c->search.root[curve] != curve) {
        curve = c->search.root[curve];
    }
    return curve;
}

void curve_join(struct continuation *c, int curve)
{
    int one = root_of(c, curve), other = root_of(c, c->search.curve);
    c->search.root[one > other ? one : other] = one > other ? other : one;
}

static void count_apart(struct continuation *c)
{
    c->counts.search.apart = 0;
    for (int k = 1; k <= c->counts.search.found; k++) {
        c->counts.search.apart += root_of(c, k) == k;
    }
}

/* ---- a curve that was found ---- */

/* A piece begins at u with a tangent towards lambda_to, or with the one given. */
static enum masing_status begin_at(struct continuation *c, const double *u,
                                   const double *tangent, bool is_turned)
{
    size_t bytes = (size_t)c->size * sizeof *u;
    curve_begin_piece(c, c->last.arc);
    c->is_on_side_branch = true;
    memcpy(c->next.u, u, bytes);
    if (tangent) {
        NEED(curve_renew_metric(c, u));
        memcpy(c->next.tangent, tangent, bytes);
        metric_normalise(c->size, c->metric, c->next.tangent);
    } else {
        NEED(curve_start_tangent(c));
    }
    if (is_turned) {
        curve_turn_round(c, c->next.tangent);
    }
    memcpy(c->next.tangent_in, c->next.tangent, bytes);
    c->next.iterations = 0;
    NEED(bordered_evaluate(&c->bordered, u, false, c->work, &c->next.residual));
    NEED(curve_start_functions(c));
    if (curve_is_value(c, u[c->n])) {
        curve_add_event(c, CONTINUATION_AT, -1);
    }
    return curve_begin(c);
}

/* Against the range to where the curve through u begins, which goes to search.point with the
 * tangent in `ahead`; *is_end: at an end of the range. */
static enum masing_status find_beginning(struct continuation *c, const double *u, bool *is_end)
{
    struct curve_search *s = &c->search;
    size_t bytes = (size_t)c->size * sizeof *u;
    const struct continuation_counts kept = c->counts;
    int n_pieces = c->n_pieces;
    s->is_dry = true;
    s->n_dry = 0;
    enum masing_status status = begin_at(c, u, NULL, true);
    status = status ? status : curve_follow_on(c);
    s->is_dry = false;
    c->counts = kept;
    c->n_pieces = n_pieces;
    *is_end = c->end == CONTINUATION_REACHED || c->end == CONTINUATION_RETURNED;
    memcpy(s->point, c->end == CONTINUATION_CLOSED ? u : c->last.u, bytes);
    memcpy(c->ahead, c->last.tangent, bytes);
    return status;
}

/* All along the curve from where it begins. */
static enum masing_status follow_along(struct continuation *c, const double *u)
{
    struct curve_search *s = &c->search;
    const struct continuation_settings *settings = &c->settings;
    bool is_end = u[c->n] == settings->lambda_from || u[c->n] == settings->lambda_to;
    const double *tangent = NULL;
    memcpy(s->point, u, (size_t)c->size * sizeof *u);
    if (!is_end) {
        NEED(find_beginning(c, u, &is_end));
        tangent = is_end || c->end == CONTINUATION_CLOSED ? NULL : c->ahead;
    }
    bool is_turned = is_end && s->point[c->n] == settings->lambda_to;
    if (is_turned) {
        curve_turn_range(c);
    }
    c->n_pieces++;
    enum masing_status status = begin_at(c, s->point, tangent, tangent != NULL);
    status = status ? status : curve_follow_on(c);
    if (is_turned) {
        curve_turn_range(c);
    }
    return status;
}

static void note_end(struct continuation *c)
{
    struct continuation_search *found = &c->counts.search;
    bool is_whole = c->end == CONTINUATION_REACHED || c->end == CONTINUATION_RETURNED ||
                    c->end == CONTINUATION_CLOSED;
    if (!is_whole && found->broken++ == 0) {
        found->broken_at = c->last.u[c->n];
    }
    curve_log(c, "another curve was found, branch %d: %s", 1 + c->n_pieces, c->reason);
}

/* The solution in search.u is on no curve that is known. */
static enum masing_status follow_found(struct continuation *c)
{
    struct curve_search *s = &c->search;
    s->curve = ++c->counts.search.found;
    s->is_found = true;
    s->root[s->curve] = s->curve;
    enum masing_status status = follow_along(c, s->u);
    if (status > 0) { /* no tangent, or no residual: nothing to follow */
        curve_stop(c, CONTINUATION_STEP_LIMIT, "it could not be followed: %s",
                   masing_status_name(status));
        c->end = CONTINUATION_STEP_LIMIT;
        status = MASING_OK;
    }
    NEED(status);
    note_end(c);
    struct curve_point itself = {.u = s->u, .tangent = s->u, .tangent_in = s->u};
    NEED(add_segment(c, &itself, &itself, 0.0));
    s->is_found = false;
    return c->settings.max_branches > 0 ? curve_follow_branches(c) : MASING_OK;
}

/* ---- starts ---- */

/* Residuals of one start, at most, and what its two solvers may take. */
enum { START_RESIDUALS = 200, NEWTON_ITERATIONS = 12, LINE_SEARCH_ITERATIONS = 30 };

/* A solution at the lambda of a start, in search.u; positive: it leads nowhere. */
static enum masing_status solve(struct continuation *c, int index)
{
    const struct corrector_request requests[] = {
        {.limit = INFINITY, .max_iterations = NEWTON_ITERATIONS},
        {.limit = INFINITY,
         .max_iterations = LINE_SEARCH_ITERATIONS,
         .is_line_search = true,
         .steps_to_halve = CORRECTOR_STEPS_TO_HALVE},
    };
    struct curve_search *s = &c->search;
    struct corrector_result result;
    enum masing_status status = MASING_NOT_CONVERGED;
    double lambda = s->starts[index];
    NEED(c->problem.start(c->problem.context, index, lambda, s->point));
    s->point[c->n] = lambda;
    bordered_fix_lambda(&c->bordered, lambda);
    for (size_t i = 0; i < sizeof requests / sizeof *requests && status > 0; i++) {
        memcpy(s->u, s->point, (size_t)c->size * sizeof *s->u);
        status = corrector_solve(c->corrector, &requests[i], s->u, &result);
    }
    return status;
}

/* The solution in search.u may be one of a curve that is to be followed. */
static enum masing_status consider(struct continuation *c)
{
    bool is_new = !is_known(c, c->search.u);
    c->bordered.cost = &c->following;
    enum masing_status status = is_new ? follow_found(c) : MASING_OK;
    c->bordered.cost = &c->locating;
    return status;
}

static enum masing_status try_start(struct continuation *c, int index)
{
    long all = c->bordered.n_left;
    c->bordered.n_left = START_RESIDUALS;
    corrector_reset(c->corrector);
    enum masing_status status = solve(c, index);
    c->bordered.n_left = all;
    struct continuation_search *found = &c->counts.search;
    int before = found->found;
    found->starts++;
    if (status != MASING_OK) {
        return status < 0 ? status : MASING_OK;
    }
    found->solved++;
    status = consider(c);
    found->fresh += found->found - before;
    return status;
}

/* Solutions at an end of the range along the path of the homotopy from y = 0, which passes
 * several where one is reached from another under larger loads. */
static enum masing_status try_path(struct continuation *c, double lambda)
{
    struct curve_search *s = &c->search;
    struct corrector_result result;
    int n = 0;
    NEED(curve_homotopy_beyond(c, lambda, CURVE_MOST_ARRIVALS, s->arrivals, &n));
    for (int i = 0; i < n && !curve_is_over(c->end); i++) {
        memcpy(s->u, s->arrivals + (size_t)i * (size_t)c->n, (size_t)c->n * sizeof *s->u);
        s->u[c->n] = lambda;
        bordered_fix_lambda(&c->bordered, lambda);
        enum masing_status status =
            corrector_solve(c->corrector, &corrector_newton, s->u, &result);
        NEED(status == MASING_OK ? consider(c) : status < 0 ? status : MASING_OK);
    }
    return MASING_OK;
}

static bool costs_too_much(const struct continuation *c, const struct bordered_cost *before)
{
    const struct continuation_settings *settings = &c->settings;
    double spent = (double)(c->locating.jacobians - before->jacobians);
    double allowed = fmax(settings->most_search,
                          settings->most_search_part * (double)c->following.jacobians);
    return allowed > 0.0 && spent > allowed;
}

static enum masing_status try_all(struct continuation *c)
{
    const struct bordered_cost before = c->locating;
    const double ends[] = {c->settings.lambda_from, c->settings.lambda_to};
    struct continuation_search *found = &c->counts.search;
    c->bordered.cost = &c->locating;
    for (int i = 0; i < 2 + c->settings.n_starts; i++) {
        found->is_interrupted = curve_is_over(c->end) || found->found == CURVE_MOST_FOUND ||
                                costs_too_much(c, &before);
        if (found->is_interrupted) {
            break;
        }
        NEED(i < 2 ? try_path(c, ends[i]) : try_start(c, i - 2));
    }
    c->bordered.cost = &c->following;
    return MASING_OK;
}

/* The end remains that of the curve itself, unless an observer has asked to stop. */
enum masing_status curve_search_others(struct continuation *c)
{
    enum continuation_end end = c->end;
    char reason[sizeof c->reason];
    bool is_good = end == CONTINUATION_REACHED || end == CONTINUATION_CLOSED;
    if (c->settings.n_starts == 0 || c->is_inner || !is_good) {
        return MASING_OK;
    }
    memcpy(reason, c->reason, sizeof reason);
    c->counts.search = (struct continuation_search){0};
    c->search.root[0] = c->search.curve = 0;
    NEED(try_all(c));
    count_apart(c);
    if (c->end != CONTINUATION_ASKED) {
        c->end = end;
        memcpy(c->reason, reason, sizeof reason);
    }
    c->has_ended = true;
    return MASING_OK;
}
