/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of the number with the lowest peak. At a peak the measure does not change with the
 * frequency, so that its total derivative by the number is the one at a fixed frequency; the
 * optimum is its root. Where two maxima cross it may be a kink.
 */
#include <math.h>

#include "analyses/peak/course.h"
#include "base/check.h"
#include "base/pi.h"

enum { MAX_TRIALS = 4 };

/* A lowest point of the curve, from those about its stations. */
struct lowest {
    struct peak_state state;
    int station, at; /* place in the list; at -1: it is the station itself */
    int unsolved;    /* station about which it is not solved for and that is the lowest such */
};

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
static enum masing_status find(struct peak_course *course, struct lowest *lowest,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_station *stations = course->stations;
    struct peak_state trial = {0};
    int n = course->n_stations;
    bool is_found = false, is_solved;
    TRY(peak_state_create(lowest->state.n, lowest->state.n_cells, &trial, error));
    for (int k = 0; k < n; k++) {
        double here = stations[k].state.measure;
        bool is_low = (k == 0 || stations[k - 1].state.measure >= here) &&
                      (k == n - 1 || stations[k + 1].state.measure >= here);
        int at;
        if (!is_low || stations[k].state.n != lowest->state.n) {
            continue;
        }
        TRY(peak_refine(course, k, &trial, &at, &is_solved, error));
        if (!is_solved &&
            (lowest->unsolved < 0 || here < stations[lowest->unsolved].state.measure)) {
            lowest->unsolved = k;
        }
        if (!is_found || trial.measure < lowest->state.measure) {
            peak_state_copy(&lowest->state, &trial);
            lowest->station = k;
            lowest->at = at;
            is_found = true;
        }
    }
done:
    peak_state_clear(&trial);
    return status;
}

/* Solve for the lowest peak and make it a station. */
static enum masing_status settle(struct peak_course *course, struct lowest *lowest,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int k = lowest_station(course);
    const struct peak_state *first = &course->stations[k].state;
    peak_state_clear(&lowest->state);
    lowest->station = k;
    lowest->at = lowest->unsolved = -1;
    TRY(peak_state_create(first->n, first->n_cells, &lowest->state, error));
    TRY(find(course, lowest, error));
    k = lowest->station;
    if (k > 0 && lowest->at < 0 && is_lowest_crossing(course, k - 1)) {
        lowest->station--;
    }
    if (lowest->at >= 0) {
        TRY(peak_station_insert(course, lowest->at, &lowest->state, course->stations[k].branch,
                                0, error));
        lowest->unsolved += lowest->unsolved >= lowest->at;
        lowest->station = lowest->at;
    }
done:
    return status;
}

/*
 * Is it the largest value of a whole response? Else that is followed from there to both sides,
 * and the curve has another lowest point.
 */
static enum masing_status verify(struct peak_course *course, const struct lowest *lowest,
                                 bool *is_right, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_state *best = &lowest->state;
    int k = lowest->station;
    struct peak_state largest = {0};
    *is_right = true;
    if (course->is_swept || course->wanted > 0) {
        return MASING_OK;
    }
    struct masing_error inner = {0};
    bool is_missing = false;
    status = peak_guard_largest(course, best->p, &largest, &inner);
    TRY(peak_guard_missing(course, best->p, status, &inner, &is_missing, error));
    if (is_missing) {
        goto done;
    }
    *is_right = largest.measure <= (1.0 + PEAK_RIPPLE) * best->measure;
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
    } else if (!*is_right) { /* of other unknowns: nothing is followed from there */
        *is_right = true;
        TRY(warning_add(&course->warnings, error,
                        "the lowest peak, %.6g at %s = %.7g, is not that of a whole response, "
                        "whose largest value is %.6g there",
                        best->measure, course->request->parameter, best->p, largest.measure));
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

/* About a station the lowest peak is that of the stations, none in between. */
static enum masing_status note_unsolved(struct peak_course *course, int k,
                                        struct masing_error *error)
{
    const struct peak_station *stations = course->stations;
    if (k < 0) {
        return MASING_OK;
    }
    return warning_add(&course->warnings, error,
                       "the lowest peak is not solved for between %s = %.7g and %.7g: %.6g at "
                       "%.7g is the lowest value that was computed there",
                       course->request->parameter, stations[k > 0 ? k - 1 : 0].state.p,
                       stations[k + 1 < course->n_stations ? k + 1 : k].state.p,
                       stations[k].state.measure, stations[k].state.p);
}

static enum masing_status describe(struct peak_course *course, const struct lowest *lowest,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_peak_optimum *optimum = &course->summary->optimum;
    const struct peak_state *best = &lowest->state;
    int k = lowest->station;
    bool is_crossing = is_lowest_crossing(course, k);
    course->stations[k].events = MASING_EVENT_BIT(MASING_EVENT_MINIMUM) |
                                 (is_crossing ? MASING_EVENT_BIT(MASING_EVENT_CROSSING) : 0);
    optimum->is_found = true;
    optimum->value = best->p;
    optimum->peak = best->measure;
    optimum->frequency_hz = best->point[best->n] / TWO_PI;
    optimum->is_at_end = best->p == course->request->from || best->p == course->request->to;
    TRY(is_crossing ? note_kink(course, k, error) : note_jump(course, k, error));
    TRY(note_unsolved(course, lowest->unsolved, error));
    TRY(peak_ranges(course, k, error));
    TRY(peak_sensitivities(course, best, error));
done:
    return status;
}

enum masing_status peak_minimize(struct peak_course *course, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct lowest lowest = {0};
    bool is_right = false;
    for (int i = 0; i < MAX_TRIALS && !is_right; i++) {
        TRY(settle(course, &lowest, error));
        TRY(verify(course, &lowest, &is_right, error));
    }
    if (!is_right) {
        TRY(settle(course, &lowest, error));
        TRY(warning_add(&course->warnings, error,
                        "the lowest peak, %.6g at %s = %.7g, is not compared with a whole "
                        "response: %d that were had larger values",
                        lowest.state.measure, course->request->parameter, lowest.state.p,
                        MAX_TRIALS));
    }
    TRY(describe(course, &lowest, error));
done:
    peak_state_clear(&lowest.state);
    return status;
}
