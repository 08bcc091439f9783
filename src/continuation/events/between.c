/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The step from `here` to `next`: cut where the range ends, where the curve closes and between
 * two folds, then reported with the points in between.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "continuation/curve.h"
#include "continuation/metric.h"
#include "linalg/bracket.h"

/* ---- values of lambda ---- */

/*
 * Where lambda passes given values between two points, each time, in the order of the curve.
 * Lambda is a cubic there and is cut into monotonic pieces, so that the points' own lambda
 * decide exactly: none is missed or met twice from step to step. A piece holds its end and not
 * its beginning.
 */
struct crossings {
    struct predictor_segment segment; /* the step */
    const double *values;             /* [n_values] ascending; lent */
    int n_values;
    int n_breaks, piece;      /* 2 to 4 breaks, with the turning points of lambda */
    double arc[4], lambda[4]; /* ends of the pieces */
    int index, met; /* of the next value in this piece, and of the last that was met */
};

/* Zeros of lambda' within the segment: a quadratic in x = arc / length. */
static int turning_points(const struct predictor_segment *s, double x[2])
{
    int n = s->size - 1;
    double difference = (s->to[n] - s->from[n]) / s->length;
    double slope_0 = s->from_tangent[n];
    double slope_1 = s->to_tangent[n];
    double a = 3.0 * (slope_0 + slope_1 - 2.0 * difference);
    double b = 2.0 * (3.0 * difference - 2.0 * slope_0 - slope_1);
    double discriminant = b * b - 4.0 * a * slope_0;
    if (discriminant < 0.0) {
        return 0;
    }
    double q = -0.5 * (b + copysign(sqrt(discriminant), b));
    double roots[2] = {q / a, slope_0 / q};
    int count = 0;
    for (int i = 0; i < 2; i++) {
        if (roots[i] > 0.0 && roots[i] < 1.0) {
            x[count++] = roots[i];
        }
    }
    if (count == 2 && x[0] > x[1]) {
        double swap = x[0];
        x[0] = x[1];
        x[1] = swap;
    }
    return count;
}

static void enter_piece(struct crossings *c)
{
    double from = c->lambda[c->piece];
    bool is_rising = c->lambda[c->piece + 1] > from;
    int i = is_rising ? 0 : c->n_values - 1;
    while (i >= 0 && i < c->n_values &&
           (is_rising ? c->values[i] <= from : c->values[i] >= from)) {
        i += is_rising ? 1 : -1;
    }
    c->index = i;
}

static struct crossings crossings_on(const struct continuation *curve, const double *values,
                                     int n_values)
{
    struct crossings crossings = {
        .segment = curve_step_segment(curve), .values = values, .n_values = n_values};
    struct crossings *c = &crossings;
    const struct predictor_segment *segment = &c->segment;
    int n = segment->size - 1;
    double x[2];
    int n_turning = turning_points(segment, x);
    c->lambda[0] = segment->from[n];
    for (int i = 0; i < n_turning; i++) {
        c->arc[i + 1] = x[i] * segment->length;
        c->lambda[i + 1] = predictor_hermite_component(segment, n, c->arc[i + 1]);
    }
    c->n_breaks = n_turning + 2;
    c->arc[c->n_breaks - 1] = segment->length;
    c->lambda[c->n_breaks - 1] = segment->to[n];
    enter_piece(c);
    return crossings;
}

/* Arc where the monotonic piece under way takes a value. */
static double arc_at(const struct crossings *c, double value)
{
    double low = c->arc[c->piece];
    double high = c->arc[c->piece + 1];
    if (value == c->lambda[c->piece + 1]) {
        return high;
    }
    struct bracket bracket =
        bracket_of(low, c->lambda[c->piece] - value, high, c->lambda[c->piece + 1] - value);
    while (bracket_next(&bracket, 0.0)) {
        double lambda =
            predictor_hermite_component(&c->segment, c->segment.size - 1, bracket.x);
        bracket_set(&bracket, lambda - value);
    }
    return bracket_root(&bracket);
}

/* False when there are no more. arc: from the segment's first point. */
static bool crossings_next(struct crossings *c, double *arc, double *value)
{
    while (c->piece + 1 < c->n_breaks) {
        double to = c->lambda[c->piece + 1];
        bool is_rising = to > c->lambda[c->piece];
        int i = c->index;
        if (i >= 0 && i < c->n_values &&
            (is_rising ? c->values[i] <= to : c->values[i] >= to)) {
            *value = c->values[i];
            *arc = arc_at(c, *value);
            c->met = i;
            c->index += is_rising ? 1 : -1;
            return true;
        }
        if (++c->piece + 1 < c->n_breaks) {
            enter_piece(c);
        }
    }
    return false;
}

/* ---- landings, the ends of the range, pairs of folds ---- */

/* A landing is on this piece of curve, not somewhere else at the same lambda. */
static const double FARTHEST_LANDING = 0.35;
/* From the chord of a step over many corners. */
static const double FARTHEST_FROM_CHORD = 1.0;

/* Tangent where lambda was given: close to a fold the factors at hand have none. */
static enum masing_status tangent_at_landing(struct continuation *c, const double *u,
                                             double *tangent)
{
    enum masing_status status = bordered_tangent(&c->bordered, tangent);
    if (status > 0) {
        return curve_exact_tangent(c, u, c->normal, tangent);
    }
    if (metric_dot(c->size, c->metric, tangent, c->normal) < 0.0) {
        curve_turn_round(c, tangent);
    }
    return status;
}

/* Where the chord of the step has that lambda: among many corners its ends' tangents mislead.
 */
static void guess_on_chord(struct continuation *c, double lambda, struct curve_point *point)
{
    double from = c->here.u[c->n], to = c->next.u[c->n];
    double part = from != to ? (lambda - from) / (to - from) : 0.5;
    part = fmin(fmax(part, 0.0), 1.0);
    for (int i = 0; i < c->size; i++) {
        c->normal[i] = c->next.u[i] - c->here.u[i];
        point->u[i] = c->here.u[i] + part * c->normal[i];
    }
}

/* From an arc length behind the first point of a segment, or from the chord of the step. */
static enum masing_status land_from(struct continuation *c,
                                    const struct predictor_segment *segment, double lambda,
                                    double arc, bool is_on_chord, struct curve_point *point)
{
    predictor_hermite(segment, arc, point->u, c->normal);
    double farthest = is_on_chord ? FARTHEST_FROM_CHORD : FARTHEST_LANDING;
    if (is_on_chord) {
        guess_on_chord(c, lambda, point);
    }
    point->u[c->n] = lambda;
    bordered_fix_lambda(&c->bordered, lambda);
    struct corrector_request request = {.limit = farthest * segment->length +
                                                 10.0 * c->settings.tolerance,
                                        .max_iterations = c->settings.max_iterations,
                                        .is_exact = c->bordered.keeps_factors};
    struct corrector_result result;
    NEED(is_on_chord ? curve_solve_by(c, CURVE_SMOOTHING, point->u, &result)
                     : corrector_solve(c->corrector, &request, point->u, &result));
    if (result.correction > request.limit) {
        return MASING_NOT_CONVERGED;
    }
    NEED(tangent_at_landing(c, point->u, point->tangent));
    memcpy(point->tangent_in, point->tangent, (size_t)c->size * sizeof *point->tangent);
    point->residual = result.residual;
    point->iterations = result.iterations;
    return MASING_OK;
}

static enum masing_status land(struct continuation *c, const struct predictor_segment *segment,
                               double lambda, double arc, struct curve_point *point)
{
    enum masing_status status = land_from(c, segment, lambda, arc, false, point);
    if (status > 0 && c->settings.has_hidden_corners) {
        status = land_from(c, segment, lambda, arc, true, point);
    }
    return status;
}

/* Where the curve leaves the range between `here` and `next`, put `next` on the end. */
enum masing_status curve_stop_at_bounds(struct continuation *c)
{
    double bounds[2] = {fmin(c->settings.lambda_from, c->settings.lambda_to),
                        fmax(c->settings.lambda_from, c->settings.lambda_to)};
    double lambda = c->next.u[c->n];
    double arc, bound;
    struct crossings crossings = crossings_on(c, bounds, 2);
    if (!crossings_next(&crossings, &arc, &bound)) {
        bool is_inside = lambda >= bounds[0] && lambda <= bounds[1];
        return is_inside ? MASING_OK : MASING_NOT_CONVERGED;
    }
    if (arc >= crossings.segment.length && bound == lambda) {
        return MASING_OK;
    }
    NEED(land(c, &crossings.segment, bound, arc, &c->trial));
    c->trial.arc = c->here.arc + arc;
    curve_copy_point(c, &c->next, &c->trial);
    c->outcome.length = arc;
    return MASING_OK;
}

/*
 * Lambda' has the same sign at both points, but their cubic turns round twice in between.
 * Either there are two folds, which would be missed: `next` is put between them. Or, if lambda
 * went against its own slope, `next` lies on another piece of the curve, as where the end of a
 * sharp resonance all but meets its beginning.
 */
enum masing_status curve_part_folds(struct continuation *c)
{
    struct crossings crossings = crossings_on(c, NULL, 0);
    if (crossings.n_breaks < 4) {
        return MASING_OK;
    }
    double slope = c->here.tangent[c->n];
    double middle = 0.5 * (crossings.arc[1] + crossings.arc[2]);
    c->bordered.cost = &c->locating;
    enum masing_status status = curve_solve_between(
        c, &c->here, &c->next, middle / crossings.segment.length, CURVE_EXACT, &c->trial);
    c->bordered.cost = &c->following;
    if (status != MASING_OK) {
        return status;
    }
    if (c->trial.tangent[c->n] * slope < 0.0) {
        curve_copy_point(c, &c->next, &c->trial);
        c->outcome.length = middle;
        c->closes = false;
        return MASING_OK;
    }
    bool is_elsewhere = (c->next.u[c->n] - c->here.u[c->n]) * slope < 0.0;
    return is_elsewhere ? MASING_NOT_CONVERGED : MASING_OK;
}

/* ---- corners and marks of one function that are passed twice ---- */

/* In parts of the step: over what a function's slope is taken at its ends. */
static const double SLOPE_PART = 1e-4;
/* A function whose values may fall to less than this part of those at the ends is looked at. */
static const double NEARLY_TOUCHED = 0.1;

static bool is_crossed_twice(const struct continuation *c, int i, double value)
{
    const struct curve_function *f = &c->functions[i];
    return value * f->sign < 0.0 && c->next.value[i] * f->sign > 0.0;
}

/* Values of the corner functions at an arc length from a point along its tangent. */
static void evaluate_corners_aside(struct continuation *c, const struct curve_point *from,
                                   const double *tangent, double arc, double *values)
{
    predictor_line(c->size, from->u, tangent, arc, c->guess);
    for (int i = 0; i < c->n_functions; i++) {
        bool is_corner = c->functions[i].event.type == CONTINUATION_KINK;
        values[i] = is_corner ? curve_function_value(c, i, c->guess, tangent) : 0.0;
    }
}

/* Where the step's cubic has the value of a corner function with the other sign than at both
 * ends; as far as the cubic of its values and slopes tells where to look. 0: nowhere. */
static double arc_of_other_sign(struct continuation *c, int i, double ahead, double behind)
{
    const struct curve_function *f = &c->functions[i];
    struct predictor_segment step = curve_step_segment(c);
    double from = c->here.value[i], to = c->next.value[i], x[2];
    double slopes[2] = {(ahead - from) / (SLOPE_PART * step.length),
                        (to - behind) / (SLOPE_PART * step.length)};
    const struct predictor_segment values = {1,   &from,      &slopes[0],
                                             &to, &slopes[1], step.length};
    double least = NEARLY_TOUCHED * fmin(fabs(from), fabs(to));
    if (f->event.type != CONTINUATION_KINK || from * f->sign < 0.0 || to * f->sign <= 0.0) {
        return 0.0;
    }
    for (int k = turning_points(&values, x) - 1; k >= 0; k--) {
        double arc = x[k] * step.length;
        if (predictor_hermite_component(&values, 0, arc) * f->sign < least) {
            predictor_hermite(&step, arc, c->guess, c->normal);
            double value = curve_function_value(c, i, c->guess, c->normal);
            if (is_crossed_twice(c, i, value)) {
                return arc;
            }
        }
    }
    return 0.0;
}

/* The same of a mark, whose function depends on the curve's tangent: of some places of the
 * cubic the first. */
enum { MARK_LOOKS = 4 };

static double glance(struct continuation *c, int i)
{
    const struct continuation_event *event = &c->functions[i].event;
    return event->glance ? event->glance(event->context, c->guess, c->guess[c->n], c->normal,
                                         c->normal[c->n])
                         : curve_function_value(c, i, c->guess, c->normal);
}

static double arc_of_other_mark(struct continuation *c, int i)
{
    const struct curve_function *f = &c->functions[i];
    const struct predictor_segment step = curve_step_segment(c);
    bool is_looked_at = f->event.type == CONTINUATION_MARK && !curve_is_costly(f) &&
                        c->here.value[i] * f->sign >= 0.0 && c->next.value[i] * f->sign > 0.0;
    for (int k = 1; is_looked_at && k < MARK_LOOKS; k++) {
        double arc = k * step.length / MARK_LOOKS;
        predictor_hermite(&step, arc, c->guess, c->normal);
        if (is_crossed_twice(c, i, glance(c, i))) {
            return arc;
        }
    }
    return 0.0;
}

static enum masing_status part_corners_once(struct continuation *c, bool *is_cut)
{
    double length = c->next.arc - c->here.arc, *ahead = c->low.value, *behind = c->high.value;
    evaluate_corners_aside(c, &c->here, c->here.tangent, SLOPE_PART * length, ahead);
    evaluate_corners_aside(c, &c->next, c->next.tangent_in, -SLOPE_PART * length, behind);
    *is_cut = false;
    for (int i = 0; i < c->n_functions && !*is_cut; i++) {
        double arc =
            fmax(arc_of_other_sign(c, i, ahead[i], behind[i]), arc_of_other_mark(c, i));
        if (arc > 0.0) {
            NEED(curve_solve_between(c, &c->here, &c->next, arc / length, CURVE_EXACT,
                                     &c->trial));
            double value = curve_function_value(c, i, c->trial.u, c->trial.tangent_in);
            *is_cut = is_crossed_twice(c, i, value);
        }
    }
    if (*is_cut) {
        curve_copy_point(c, &c->next, &c->trial);
        curve_evaluate_functions(c, false, &c->next);
        curve_note_orientation(c);
        c->outcome.length = c->next.arc - c->here.arc;
        c->closes = false;
    }
    return MASING_OK;
}

enum masing_status curve_part_corners(struct continuation *c)
{
    bool is_cut = c->has_many && c->approached < 0;
    while (is_cut) {
        NEED(part_corners_once(c, &is_cut));
    }
    return MASING_OK;
}

/* ---- narrow peaks, which both ends of a step may know nothing of ---- */

/* A peak is there where the solution is off the step's cubic by more than this part of the
 * larger end; what is less, but not as little as this, may be the foot of one close by. */
static const double PEAK = 0.01, FOOT = 1e-4;
/* So close, in parts of the step; and part of the way to a peak that the next step leaves. */
static const double CLOSE_BY = 0.1, WAY_LEFT = 0.25;
enum { MOST_LOOKS = 5 };

static double size_of(const struct continuation *c, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        sum += c->metric[i] * u[i] * u[i];
    }
    return sqrt(sum);
}

/* What `trial` has beside the cubic, d, grows like r / (pole - lambda) towards a pole, so that
 * the way there is d / (dd / dlambda). */
static double way_to_pole(const struct continuation *c)
{
    double square = 0.0, slope = 0.0;
    for (int i = 0; i < c->n; i++) {
        double d = c->trial.u[i] - c->guess[i];
        square += c->metric[i] * d * d;
        slope +=
            c->metric[i] * d *
            (c->trial.tangent[i] / c->trial.tangent[c->n] - c->normal[i] / c->normal[c->n]);
    }
    return square / slope;
}

/* A look at lambda: `trial` becomes the solution, `guess` what the cubic has there, with its
 * derivative in `normal`. Positive: there is none on this piece of curve. */
static enum masing_status look_at(struct continuation *c,
                                  const struct predictor_segment *segment, double lambda,
                                  double arc, double *off)
{
    double rate = corrector_rate(c->corrector);
    enum masing_status status = land(c, segment, lambda, arc, &c->trial);
    corrector_set_rate(c->corrector, rate);
    predictor_hermite(segment, arc, c->guess, c->normal);
    c->guess[c->n] = lambda;
    *off = metric_distance(c->size, c->metric, c->guess, c->trial.u) /
           fmax(size_of(c, c->here.u), size_of(c, c->next.u));
    return status;
}

/* What a look finds where a peak may be. */
enum sight {
    SIGHT_NOTHING,
    SIGHT_UNKNOWN, /* no solution, or one that asks for more harmonics: perhaps a peak */
    SIGHT_PEAK,    /* a solution far off the piece of curve */
};

/* Whether the curve has a peak at lambda, or close by where its foot shows the way; lambda and
 * arc become those of the peak. */
static enum masing_status find_peak(struct continuation *c,
                                    const struct predictor_segment *segment, double *lambda,
                                    double *arc, enum sight *sight)
{
    double from = c->here.u[c->n], range = c->next.u[c->n] - from, off;
    for (int i = 0; i < MOST_LOOKS; i++) {
        enum masing_status status = look_at(c, segment, *lambda, *arc, &off);
        bool is_unknown =
            status > 0 || (status == MASING_OK && c->problem.has_more &&
                           c->problem.has_more(c->problem.context, c->trial.u, *lambda));
        *sight = status == MASING_OK && off > PEAK ? SIGHT_PEAK
                 : is_unknown                      ? SIGHT_UNKNOWN
                                                   : SIGHT_NOTHING;
        if (status < 0 || *sight || off < FOOT) {
            return status < 0 ? status : MASING_OK;
        }
        status = curve_exact_tangent(c, c->trial.u, c->normal, c->trial.tangent);
        if (status != MASING_OK) {
            return status < 0 ? status : MASING_OK;
        }
        double way = way_to_pole(c), part = (*lambda + way - from) / range;
        if (!(fabs(way) < CLOSE_BY * fabs(range)) || !(part > 0.0 && part < 1.0)) {
            return MASING_OK;
        }
        *lambda += way;
        *arc = fmin(fmax(*arc + way / range * segment->length, 0.0), segment->length);
    }
    return MASING_OK;
}

/* Whether the solution that was looked at last is larger than those on both sides. */
static bool rises(const struct continuation *c)
{
    return size_of(c, c->trial.u) >
           (1.0 + PEAK) * fmax(size_of(c, c->here.u), size_of(c, c->next.u));
}

/* A peak that the step to `next` passes: seen, or refused. A rescue leads over trouble of
 * another kind, and no cubic says what lies between: what is there has to rise above it. */
static enum masing_status pass_peak(struct continuation *c, struct continuation_peak peak,
                                    double arc, enum curve_passing passing)
{
    struct predictor_segment segment = curve_step_segment(c);
    double length = fabs(c->next.u[c->n] - c->here.u[c->n]);
    double listed = peak.lambda;
    enum sight sight = SIGHT_NOTHING;
    if (length <= CURVE_PEAK_WIDTHS * peak.width) {
        return MASING_OK;
    }
    c->bordered.cost = &c->locating;
    enum masing_status status = find_peak(c, &segment, &peak.lambda, &arc, &sight);
    c->bordered.cost = &c->following;
    NEED(status);
    bool is_seen = sight == SIGHT_PEAK && rises(c);
    if (passing == PASS_RESCUED ? !is_seen : sight == SIGHT_NOTHING) {
        return MASING_OK;
    }
    if (passing != PASS_CLEAR || peak.is_skipped) {
        c->counts.hidden = c->counts.unseen++ == 0 ? peak.lambda : c->counts.hidden;
        curve_log(c, "at %.10g%s: a peak is too narrow to be followed",
                  curve_shown(c, peak.lambda), curve_unit(c));
        return MASING_OK;
    }
    if (peak.lambda != listed) {
        c->spotted = peak;
    }
    c->advised = (1.0 - WAY_LEFT) * arc / segment.length;
    return MASING_NOT_CONVERGED;
}

enum masing_status curve_see_peaks(struct continuation *c, enum curve_passing passing)
{
    struct crossings crossings = crossings_on(c, c->peak_values, c->settings.n_peaks);
    double arc, lambda, from = c->here.u[c->n], to = c->next.u[c->n];
    double spotted = (c->spotted.lambda - from) / (to - from);
    while (crossings_next(&crossings, &arc, &lambda)) {
        if (arc < crossings.segment.length) {
            NEED(pass_peak(c, c->peaks[crossings.met], arc, passing));
        }
    }
    return spotted > 0.0 && spotted < 1.0
               ? pass_peak(c, c->spotted, spotted * crossings.segment.length, passing)
               : MASING_OK;
}

/* ---- a closed curve passes its first point again, in the same direction ---- */

/* in parts of the step: how near the first point must be to be looked at, and to be met */
static const double NEAR_FIRST = 0.2;
static const double ON_FIRST = 1e-6;
enum { LEAST_POINTS = 4 };

/* Signed distance from the hyperplane through the first point. */
static double height(const struct continuation *c, const double *u)
{
    return metric_along(c->size, c->metric, c->first.u, u, c->first.tangent);
}

enum masing_status curve_close(struct continuation *c)
{
    double here = height(c, c->here.u);
    double next = height(c, c->next.u);
    double length = c->next.arc - c->here.arc;
    if (c->counts.points < LEAST_POINTS || here >= 0.0 || next < 0.0 ||
        next - here > 2.0 * length) {
        return MASING_OK;
    }
    struct predictor_segment segment = curve_step_segment(c);
    double arc = length * here / (here - next);
    predictor_hermite(&segment, arc, c->trial.u, c->normal);
    if (metric_dot(c->size, c->metric, c->normal, c->first.tangent) <= 0.0 ||
        metric_distance(c->size, c->metric, c->trial.u, c->first.u) > NEAR_FIRST * length) {
        return MASING_OK;
    }
    bordered_set_plane(&c->bordered, c->first.u, c->first.tangent);
    NEED(curve_correct(c, length, CURVE_TANGENT, &c->trial));
    double noise = 100.0 * c->settings.tolerance;
    if (metric_distance(c->size, c->metric, c->trial.u, c->first.u) >
        ON_FIRST * length + noise) {
        return MASING_OK;
    }
    c->trial.arc = c->here.arc + arc;
    curve_copy_point(c, &c->next, &c->trial);
    c->closes = true;
    return MASING_OK;
}

/* ---- extra points: marks, given values, and what a corner needs ---- */

/* Nearer than this part of the step, arc lengths do not give the order. */
static const double UNORDERED = 0.05;

/* A curve that bends like arc^(3/2) on one side of a corner does so on the way to it, too, and
 * no step control can foresee it. Halve what is left until the interpolation is good. */
enum masing_status curve_refine_corner(struct continuation *c)
{
    const struct curve_point *from = &c->here;
    bool is_due = c->is_corner && c->next.arc > c->here.arc;
    for (int i = 0; is_due && i < CURVE_REFINEMENTS; i++) {
        struct curve_extra *extra = &c->extras[c->n_extras];
        NEED(curve_solve_between(c, from, &c->next, 0.5, CURVE_TANGENT, &extra->point));
        if (c->correction <= CURVE_REFINED * c->settings.predictor_tolerance) {
            break;
        }
        extra->met = (struct continuation_met){0};
        c->n_extras++;
        from = &extra->point;
    }
    return MASING_OK;
}

static bool is_before(const struct continuation *c, const struct curve_point *a,
                      const struct curve_point *b)
{
    double step = c->next.arc - c->here.arc;
    if (fabs(a->arc - b->arc) > UNORDERED * step) {
        return a->arc < b->arc;
    }
    return metric_along(c->size, c->metric, b->u, a->u, b->tangent_in) < 0.0;
}

/* The extra points up to another, or all (NULL), in order. */
static enum masing_status report_extras(struct continuation *c, const struct curve_point *until)
{
    while (!c->has_ended && c->n_extras > 0) {
        struct curve_extra *first = &c->extras[0];
        struct curve_extra *last = &c->extras[c->n_extras - 1];
        for (struct curve_extra *extra = first + 1; extra <= last; extra++) {
            first = is_before(c, &extra->point, &first->point) ? extra : first;
        }
        if (until && !is_before(c, &first->point, until)) {
            break;
        }
        curve_measure_arc(c, &first->point);
        NEED(curve_report(c, &first->point, &first->met, first->met.kind != 0));
        struct curve_extra done = *first;
        *first = *last;
        *last = done;
        c->n_extras--;
    }
    return MASING_OK;
}

/* Halvings of the step on the way to a value that cannot be landed on from its ends. */
enum { MOST_HALVINGS = 12 };

/* Where lambda is passed between the two, by solutions in between. */
static enum masing_status land_within(struct continuation *c, double lambda)
{
    enum masing_status status = MASING_NOT_CONVERGED;
    struct curve_point *low = &c->low, *high = &c->high, *middle = &c->beyond;
    curve_copy_point(c, low, &c->here);
    curve_copy_point(c, high, &c->next);
    for (int i = 0; i < MOST_HALVINGS && status > 0; i++) {
        double below = low->u[c->n] - lambda, above = high->u[c->n] - lambda;
        if (below * above > 0.0) {
            return MASING_NOT_CONVERGED;
        }
        NEED(curve_solve_between(c, low, high, 0.5, CURVE_EXACT, middle));
        curve_copy_point(c, below * (middle->u[c->n] - lambda) > 0.0 ? low : high, middle);
        struct predictor_segment segment = curve_segment(c, low, high, high->arc - low->arc);
        double share = (lambda - low->u[c->n]) / (high->u[c->n] - low->u[c->n]);
        status = land(c, &segment, lambda, share * segment.length, &c->trial);
        c->trial.arc = low->arc + share * segment.length;
    }
    return status;
}

static enum masing_status land_on_value(struct continuation *c, double lambda, double arc)
{
    struct predictor_segment segment = curve_step_segment(c);
    enum masing_status status = land(c, &segment, lambda, arc, &c->trial);
    c->trial.arc = c->here.arc + arc;
    return status > 0 ? land_within(c, lambda) : status;
}

/* Nothing that the curve itself depends on is left changed. */
static enum masing_status report_value(struct continuation *c, double lambda, double arc)
{
    static const struct continuation_met value = {CONTINUATION_AT, -1};
    double rate = corrector_rate(c->corrector);
    enum masing_status status = land_on_value(c, lambda, arc);
    corrector_set_rate(c->corrector, rate);
    if (status > 0) {
        curve_log(c, "value %.10g%s could not be landed on", curve_shown(c, lambda),
                  curve_unit(c));
        bool is_passed = (c->here.u[c->n] - lambda) * (c->next.u[c->n] - lambda) < 0.0;
        if (is_passed && c->observer && c->observer->missed) {
            c->observer->missed(c->observer->context, lambda);
        }
        return MASING_OK;
    }
    NEED(status);
    NEED(report_extras(c, &c->trial));
    if (c->has_ended) {
        return MASING_OK;
    }
    curve_measure_arc(c, &c->trial);
    curve_copy_point(c, &c->low, &c->last);
    NEED(curve_report(c, &c->trial, &value, 1));
    curve_copy_point(c, &c->last, &c->low);
    return MASING_OK;
}

enum masing_status curve_report_between(struct continuation *c, bool *is_next_a_value)
{
    enum masing_status status = MASING_OK;
    struct crossings crossings = crossings_on(c, c->values, c->settings.n_values);
    double arc, lambda;
    *is_next_a_value = false;
    c->bordered.cost = &c->locating;
    while (!c->has_ended && crossings_next(&crossings, &arc, &lambda)) {
        if (arc >= crossings.segment.length && lambda == c->next.u[c->n]) {
            *is_next_a_value = true;
            continue;
        }
        TRY(report_value(c, lambda, arc));
    }
    TRY(report_extras(c, NULL));
done:
    c->bordered.cost = &c->following;
    return status;
}
