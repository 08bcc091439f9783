/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of the number with the lowest peak. At a peak the measure does not change with the
 * frequency, so that its total derivative by the number is the one at a fixed frequency; the
 * optimum is its root. Where two maxima cross it may be a kink.
 */
#include <math.h>

#include "analyses/peak_root.h"
#include "base/check.h"

static const double TWO_PI = 6.283185307179586476925286766559;
/* Derivative by u that is none, and distance to a level: parts of the measure. */
static const double ROOT = 1e-9, LEVEL = 1e-10;
/* Without derivatives: parts of the range of u. */
static const double BRACKET = 1e-5;
static const double LEVELS[2] = {1.01, 1.05};
/* What the samples of friction make of a peak that is the same, relative. */
static const double RIPPLE = 2e-5;
enum { MAX_STEPS = 60, MAX_TRIALS = 4 };

static double coordinate(const struct peak_course *course, const struct peak_state *state)
{
    return peak_coordinate(course->is_log, state->p);
}

static enum masing_status slope_of(void *context, struct peak_course *course,
                                   struct peak_state *state, double *value,
                                   struct masing_error *error)
{
    (void)context;
    enum masing_status status = peak_state_slope(course, state, value, error);
    return status == MASING_OK && isnan(*value) ? MASING_NOT_CONVERGED : status;
}

static enum masing_status beyond(void *context, struct peak_course *course,
                                 struct peak_state *state, double *value,
                                 struct masing_error *error)
{
    (void)course, (void)error;
    *value = state->measure - *(const double *)context;
    return MASING_OK;
}

/* The stations about k between which values may be solved for: of its branch. */
static void neighbours(const struct peak_course *course, int k, int *before, int *after)
{
    const struct peak_station *stations = course->stations;
    *before = k > 0 && stations[k - 1].branch == stations[k].branch ? k - 1 : k;
    *after =
        k + 1 < course->n_stations && stations[k + 1].branch == stations[k].branch ? k + 1 : k;
}

static enum masing_status measure_at(struct peak_course *course, int k, double u,
                                     struct peak_state *state, struct masing_error *error)
{
    /* k is the middle station of an interval of two */
    double middle = coordinate(course, &course->stations[k].state);
    double to = peak_coordinate(course->is_log, course->request->to);
    double from = peak_coordinate(course->is_log, course->request->from);
    bool is_behind = (u - middle) * (to - from) >= 0.0;
    int before, after;
    neighbours(course, k, &before, &after);
    return peak_station_between(course, is_behind && after > k ? k : before,
                                peak_value(course->is_log, u), state, error);
}

/* Golden section between the neighbours of station k where there are no derivatives. */
static enum masing_status search(struct peak_course *course, int k, struct peak_state *state,
                                 struct masing_error *error)
{
    static const double PART = 0.38196601125010515;
    enum masing_status status = MASING_OK;
    struct peak_state trial = {0};
    int before, after;
    neighbours(course, k, &before, &after);
    double a = coordinate(course, &course->stations[before].state);
    double b = coordinate(course, &course->stations[after].state);
    double u = coordinate(course, &course->stations[k].state);
    TRY(peak_state_create(state->n, state->n_cells, &trial, error));
    peak_state_copy(state, &course->stations[k].state);
    for (int i = 0; i < MAX_STEPS && fabs(b - a) > BRACKET * course->range; i++) {
        bool is_right = fabs(b - u) > fabs(u - a);
        double next = u + PART * ((is_right ? b : a) - u);
        TRY(measure_at(course, k, next, &trial, error));
        if (trial.measure < state->measure) {
            *(is_right ? &a : &b) = u;
            u = next;
            peak_state_copy(state, &trial);
        } else {
            *(is_right ? &b : &a) = next;
        }
    }
done:
    peak_state_clear(&trial);
    return status;
}

/* The lowest point about station k; *at: where it belongs in the list, -1 where it is station k
 * itself. */
static enum masing_status refine(struct peak_course *course, int k, struct peak_state *state,
                                 int *at, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_station *stations = course->stations;
    double slope, other;
    int before, after;
    *at = -1;
    neighbours(course, k, &before, &after);
    peak_state_copy(state, &stations[k].state);
    TRY(peak_state_slope(course, &stations[k].state, &slope, error));
    if (isnan(slope)) {
        if (before < k && after > k) {
            status = search(course, k, state, error);
            bool is_behind = (state->p - stations[k].state.p) *
                                 (course->request->to - course->request->from) >
                             0.0;
            *at = status != MASING_OK || state->p == stations[k].state.p ? -1
                  : is_behind                                            ? k + 1
                                                                         : k;
        }
    } else {
        bool is_upwards = course->request->to > course->request->from;
        bool is_behind = is_upwards ? slope < 0.0 : slope > 0.0;
        int end = is_behind ? after : before, first = is_behind ? k : before;
        if (end == k || slope == 0.0) {
            goto done;
        }
        TRY(peak_state_slope(course, &stations[end].state, &other, error));
        if (slope * other < 0.0) {
            const struct peak_function function = {NULL, slope_of, ROOT};
            const double values[2] = {slope, other};
            status = peak_root(course, &function, &stations[k].state, &stations[end].state,
                               values, state, error);
            *at = status == MASING_OK ? first + 1 : -1;
        }
    }
    if (status > 0) {
        peak_state_copy(state, &stations[k].state);
        status = MASING_OK;
    }
done:
    return status;
}

/* First place beyond which the peak is higher than a level, from a station on. */
static enum masing_status reach(struct peak_course *course, int k, int direction, double level,
                                double *value, bool *is_open, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_station *stations = course->stations;
    struct peak_state state = {0};
    int n = course->n_stations, j = k + direction;
    while (j >= 0 && j < n && stations[j].state.measure <= level) {
        j += direction;
    }
    *is_open = j < 0 || j >= n;
    *value = stations[*is_open ? (j < 0 ? 0 : n - 1) : j].state.p;
    if (*is_open) {
        return MASING_OK;
    }
    const struct peak_station *near = &stations[j - direction], *far = &stations[j];
    const double values[2] = {near->state.measure - level, far->state.measure - level};
    *value = near->state.p; /* at a jump, or where only whole responses tell */
    if (near->branch != far->branch || course->is_swept || values[0] == 0.0) {
        return MASING_OK;
    }
    const struct peak_function function = {&level, beyond, LEVEL};
    TRY(peak_state_create(near->state.n, near->state.n_cells, &state, error));
    status = peak_root(course, &function, &near->state, &far->state, values, &state, error);
    if (status == MASING_OK) {
        *value = state.p;
    } else if (status > 0) {
        status = MASING_OK;
    }
done:
    peak_state_clear(&state);
    return status;
}

static enum masing_status note_ranges(struct peak_course *course, int k,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_optimum *optimum = &course->summary->optimum;
    bool is_upwards = course->request->to > course->request->from;
    for (int i = 0; i < 2; i++) {
        double level = LEVELS[i] * optimum->peak;
        TRY(reach(course, k, is_upwards ? -1 : 1, level, &optimum->low[i],
                  &optimum->is_low_open[i], error));
        TRY(reach(course, k, is_upwards ? 1 : -1, level, &optimum->high[i],
                  &optimum->is_high_open[i], error));
    }
done:
    return status;
}

/* Two maxima cross at stations k and k + 1, and the peak rises to either side. */
static enum masing_status note_kink(struct peak_course *course, int k,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_optimum *optimum = &course->summary->optimum;
    bool is_upwards = course->request->to > course->request->from;
    struct peak_state *a = &course->stations[is_upwards ? k : k + 1].state;
    struct peak_state *b = &course->stations[is_upwards ? k + 1 : k].state;
    double slope_a, slope_b, factor = (course->is_log ? 1.0 : a->p) / a->measure;
    TRY(peak_state_slope(course, a, &slope_a, error));
    TRY(peak_state_slope(course, b, &slope_b, error));
    optimum->is_kink = true;
    optimum->other_hz = b->point[b->n] / TWO_PI;
    optimum->frequency_hz = a->point[a->n] / TWO_PI;
    optimum->slope_before = slope_a * factor;
    optimum->slope_after = slope_b * factor;
done:
    return status;
}

/* Is the crossing at stations k and k + 1 lower than what is on both its sides? */
static bool is_lowest_crossing(const struct peak_course *course, int k)
{
    const struct peak_station *stations = course->stations;
    double here = stations[k].state.measure;
    return k + 1 < course->n_stations && stations[k + 1].state.p == stations[k].state.p &&
           stations[k].branch != stations[k + 1].branch &&
           (k == 0 || stations[k - 1].state.measure > here) &&
           (k + 2 >= course->n_stations || stations[k + 2].state.measure > here);
}

static int lowest_station(const struct peak_course *course)
{
    int lowest = 0;
    for (int i = 1; i < course->n_stations; i++) {
        if (course->stations[i].state.measure < course->stations[lowest].state.measure) {
            lowest = i;
        }
    }
    return lowest;
}

/* Of all local minima of the stations the one that is lowest when solved for. */
static enum masing_status find(struct peak_course *course, struct peak_state *best,
                               int *station, int *at, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_station *stations = course->stations;
    struct peak_state trial = {0};
    int n = course->n_stations;
    double lowest = stations[lowest_station(course)].state.measure;
    bool is_found = false;
    TRY(peak_state_create(best->n, best->n_cells, &trial, error));
    for (int k = 0; k < n; k++) {
        bool is_low =
            (k == 0 || stations[k - 1].state.measure >= stations[k].state.measure) &&
            (k == n - 1 || stations[k + 1].state.measure >= stations[k].state.measure);
        int where;
        if (!is_low || stations[k].state.measure > LEVELS[1] * lowest ||
            stations[k].state.n != best->n) {
            continue;
        }
        TRY(refine(course, k, &trial, &where, error));
        if (!is_found || trial.measure < best->measure) {
            peak_state_copy(best, &trial);
            *station = k;
            *at = where;
            is_found = true;
        }
    }
done:
    peak_state_clear(&trial);
    return status;
}

/* Solve for the lowest peak and make it a station. */
static enum masing_status settle(struct peak_course *course, struct peak_state *best,
                                 int *station, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int k = lowest_station(course), at = -1;
    const struct peak_state *first = &course->stations[k].state;
    peak_state_clear(best);
    TRY(peak_state_create(first->n, first->n_cells, best, error));
    TRY(find(course, best, &k, &at, error));
    if (k > 0 && at < 0 && is_lowest_crossing(course, k - 1)) {
        k--;
    }
    if (at >= 0) {
        TRY(peak_station_insert(course, at, best, course->stations[k].branch, "", error));
        k = at;
    }
    *station = k;
done:
    return status;
}

/*
 * Is it the largest value of a whole response? Else that is followed from there to both sides,
 * and the curve has another lowest point.
 */
static enum masing_status verify(struct peak_course *course, const struct peak_state *best,
                                 int k, bool *is_right, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state largest = {0};
    *is_right = true;
    if (course->is_swept || course->wanted > 0) {
        return MASING_OK;
    }
    struct masing_error inner = {0};
    status = peak_guard_largest(course, best->p, &largest, &inner);
    if (peak_guard_is_missing(course, best->p, status)) {
        return MASING_OK;
    }
    TRY(status ? masing_error_set(error, status, "%s", inner.message) : MASING_OK);
    *is_right = largest.measure <= (1.0 + RIPPLE) * best->measure;
    if (!*is_right && largest.n == best->n) {
        const struct peak_found found = {.state = &largest,
                                         .number = ++course->n_numbers,
                                         .station = k,
                                         .old = best,
                                         .old_number = course->stations[k].branch,
                                         .until = NAN,
                                         .is_short = true};
        struct peak_station *station = &course->stations[k];
        peak_state_copy(&station->state, &largest);
        station->branch = found.number;
        TRY(peak_trace(course, &found, 1, error));
        TRY(peak_trace(course, &found, -1, error));
    }
done:
    peak_state_clear(&largest);
    return status;
}

/* Beside station k the largest peak is another one, and not as large: it jumps in between. */
static enum masing_status note_jump(struct peak_course *course, int k,
                                    struct masing_error *error)
{
    const struct peak_station *stations = course->stations, *here = &stations[k];
    for (int i = k - 1; i <= k + 1; i += 2) {
        if (i >= 0 && i < course->n_stations && stations[i].branch != here->branch &&
            stations[i].state.p != here->state.p && stations[i].state.n == here->state.n) {
            course->summary->optimum.is_jump = true;
            return warning_add(&course->warnings, error,
                               "the lowest peak, %.6g at %s = %.6g, is beside a jump: at %.6g "
                               "the largest peak is %.6g",
                               here->state.measure, course->request->parameter, here->state.p,
                               stations[i].state.p, stations[i].state.measure);
        }
    }
    return MASING_OK;
}

static enum masing_status describe(struct peak_course *course, const struct peak_state *best,
                                   int k, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_optimum *optimum = &course->summary->optimum;
    bool is_crossing = is_lowest_crossing(course, k);
    course->stations[k].event = is_crossing ? "minimum; crossing" : "minimum";
    optimum->is_found = true;
    optimum->value = best->p;
    optimum->peak = best->measure;
    optimum->frequency_hz = best->point[best->n] / TWO_PI;
    optimum->is_at_end = best->p == course->request->from || best->p == course->request->to;
    TRY(is_crossing ? note_kink(course, k, error) : note_jump(course, k, error));
    TRY(note_ranges(course, k, error));
    TRY(peak_sensitivities(course, best, error));
done:
    return status;
}

enum masing_status peak_minimize(struct peak_course *course, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state best = {0};
    bool is_right = false;
    int k = 0;
    for (int i = 0; i < MAX_TRIALS && !is_right; i++) {
        TRY(settle(course, &best, &k, error));
        TRY(verify(course, &best, k, &is_right, error));
    }
    if (!is_right) {
        TRY(settle(course, &best, &k, error));
    }
    TRY(describe(course, &best, k, error));
done:
    peak_state_clear(&best);
    return status;
}
