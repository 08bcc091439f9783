/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The value of the parameter with the lowest peak. At a peak the measure does not change with
 * the frequency, so that its total derivative by the parameter is the one at a fixed frequency;
 * the optimum is its root. Where two maxima cross it may be a kink.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/peak/history.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/bracket.h"

/* The lowest point of the followed curve about a point. */

/* Derivative by u that is none, in parts of the measure. */
static const double ROOT = 1e-9;
/* Without derivatives: parts of the range of u. */
static const double BRACKET = 1e-5;
enum { MAX_STEPS = 60 };

static double coordinate(const struct peak_history *history, const struct peak_state *state)
{
    return peak_problem_coordinate(history->problem, state->p);
}

/* Derivative of the measure by u, which the state keeps; NAN: unknown. */
static enum masing_status find_slope(struct peak_history *history, struct peak_state *state,
                                     double *slope, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_problem *problem = history->problem;
    *slope = NAN;
    if (!problem->moving || history->is_swept || state->is_corner ||
        state->n != problem->solver->n) {
        return MASING_OK;
    }
    if (isnan(state->slope)) {
        TRY(peak_problem_set(problem, state->p, error));
        TRY(recovery_evaluate(problem->recovery, state->point, state->point[state->n]));
        status = peak_problem_slope(problem, state->point, &state->slope);
        if (status > 0) { /* a fold of the response: no derivative */
            state->slope = NAN;
            status = MASING_OK;
        }
    }
    *slope = state->slope * (history->problem->is_log ? state->p : 1.0);
done:
    return status;
}

static enum masing_status slope_of(void *context, struct peak_history *history,
                                   struct peak_state *state, double *value,
                                   struct masing_error *error)
{
    (void)context;
    enum masing_status status = find_slope(history, state, value, error);
    return status == MASING_OK && isnan(*value) ? MASING_NOT_CONVERGED : status;
}

/* Is there a point k, and a peak at it within the frequency range? */
static bool has_peak(const struct peak_history *history, int k)
{
    return k >= 0 && k < history->n_points && !history->points[k].state.is_at_limit;
}

/* The points about k between which values may be solved for: of its branch. */
static void neighbours(const struct peak_history *history, int k, int *before, int *after)
{
    const struct history_point *points = history->points;
    *before = has_peak(history, k - 1) && points[k - 1].branch == points[k].branch ? k - 1 : k;
    *after = has_peak(history, k + 1) && points[k + 1].branch == points[k].branch ? k + 1 : k;
}

/* On the side of point k where u lies. */
static enum masing_status measure_at(struct peak_history *history, int k, double u,
                                     struct peak_state *state, struct masing_error *error)
{
    const struct history_point *points = history->points;
    int before, after;
    neighbours(history, k, &before, &after);
    double here = coordinate(history, &points[k].state);
    double side = coordinate(history, &points[before].state) - here;
    int other = (u - here) * side > 0.0 ? before : after;
    return peak_between(history->problem, &points[k].state, &points[other].state,
                        peak_problem_value(history->problem, u), state, error);
}

/* Golden section between the neighbours of point k. */
static enum masing_status search(struct peak_history *history, int k, struct peak_state *state,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state trial = {0};
    int before, after;
    neighbours(history, k, &before, &after);
    struct history_point *points = history->points;
    TRY(peak_state_copy(state, &points[k].state, error));
    struct golden_section section = golden_section_of(
        coordinate(history, &points[before].state), coordinate(history, state), state->measure,
        coordinate(history, &points[after].state));
    for (int i = 0; i < MAX_STEPS && golden_section_next(&section, BRACKET * history->range);
         i++) {
        TRY(measure_at(history, k, section.x, &trial, error));
        if (golden_section_set(&section, trial.measure)) {
            TRY(peak_state_copy(state, &trial, error));
        }
    }
done:
    peak_state_clear(&trial);
    return status;
}

/* A root of the slope between point k and its neighbour. Positive: not enclosed. */
static enum masing_status descend(struct peak_history *history, int k, int end,
                                  struct peak_state *state, struct masing_error *error)
{
    struct peak_state *here = &history->points[k].state, *there = &history->points[end].state;
    const struct peak_function function = {NULL, slope_of, ROOT};
    double values[2];
    NEED(find_slope(history, here, &values[0], error));
    NEED(find_slope(history, there, &values[1], error));
    if (values[0] * values[1] > 0.0 && there->measure <= (1.0 + PEAK_RIPPLE) * here->measure) {
        return peak_state_copy(state, here, error); /* it goes on as flat as here */
    }
    return peak_root(history, &function, here, there, values, state, error);
}

/* The lowest point about point k, in the direction in which the peak falls, if that is known;
 * *at: where it belongs in the list, -1: it is point k. */
static enum masing_status refine(struct peak_history *history, int k, struct peak_state *state,
                                 int *at, bool *is_solved, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state *here = &history->points[k].state;
    bool is_inside = k > 0 && k + 1 < history->n_points;
    bool is_upwards = history->request->to > history->request->from;
    double slope;
    int before, after;
    *at = -1;
    *is_solved = !history->is_swept || !is_inside;
    TRY(peak_state_copy(state, here, error));
    if (history->is_swept) { /* no peak in between is known to be the same */
        return MASING_OK;
    }
    TRY(find_slope(history, here, &slope, error));
    neighbours(history, k, &before, &after);
    int end = isnan(slope) || slope == 0.0 ? k : (slope < 0.0) == is_upwards ? after : before;
    if (end == k && !(isnan(slope) && is_inside)) {
        goto done;
    }
    status = end == k ? MASING_NOT_CONVERGED : descend(history, k, end, state, error);
    status = status > 0 ? search(history, k, state, error) : status;
    if (status > 0) {
        *is_solved = false;
        status = peak_state_copy(state, here, error);
    }
    bool is_behind = (state->p > here->p) == is_upwards;
    *at = state->p == here->p ? -1 : is_behind ? k + 1 : k;
done:
    return status;
}

/* How far from the optimum the peak is still nearly as low. */

/* Distance to a level that is none, in parts of the measure. */
static const double LEVEL = 1e-10;
static const double LEVELS[2] = {1.01, 1.05};

static enum masing_status beyond(void *context, struct peak_history *history,
                                 struct peak_state *state, double *value,
                                 struct masing_error *error)
{
    (void)history, (void)error;
    *value = state->measure - *(const double *)context;
    return MASING_OK;
}

/* Between two points; NAN, and a warning, where that fails. */
static enum masing_status solve(struct peak_history *history, const struct history_point *near,
                                const struct history_point *far, double level, double *value,
                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state state = {0};
    const struct peak_function function = {&level, beyond, LEVEL};
    const double values[2] = {near->state.measure - level, far->state.measure - level};
    status =
        near->branch != far->branch || history->is_swept
            ? MASING_NOT_CONVERGED
            : peak_root(history, &function, &near->state, &far->state, values, &state, error);
    *value = status == MASING_OK ? state.p : NAN;
    TRY(status > 0 ? warning_add(&history->warnings, error,
                                 "where the peak exceeds %.6g is not solved for: it is %.6g at "
                                 "%s = %.7g and %.6g at %.7g",
                                 level, near->state.measure, history->request->parameter,
                                 near->state.p, far->state.measure, far->state.p)
                   : status);
done:
    peak_state_clear(&state);
    return status;
}

/* First place beyond which the peak is higher than a level, from a point on. */
static enum masing_status reach(struct peak_history *history, int k, int direction,
                                double level, double *value, bool *is_open,
                                struct masing_error *error)
{
    const struct history_point *points = history->points;
    int j = k + direction;
    while (has_peak(history, j) && points[j].state.measure <= level) {
        j += direction;
    }
    *is_open = !has_peak(history, j);
    *value = points[j - direction].state.p;
    bool is_exact =
        *is_open || points[j].state.p == *value || points[j - direction].state.measure == level;
    return is_exact ? MASING_OK
                    : solve(history, &points[j - direction], &points[j], level, value, error);
}

enum { MAX_TRIALS = 4 };

/* A lowest point of the curve, from those about its points. */
struct lowest {
    struct peak_state state;
    int index, at; /* place in the list; at -1: it is the point itself */
    int unsolved;  /* point about which it is not solved for and that is the lowest such */
    bool is_found; /* there is a peak at a point at least */
};

/* Two maxima cross at points k and k + 1, and the peak rises to either side. */
static enum masing_status note_kink(struct peak_history *history, int k,
                                    struct masing_error *error)
{
    struct masing_peak_optimum *optimum = &history->summary->optimum;
    bool is_upwards = history->request->to > history->request->from;
    struct peak_state *a = &history->points[is_upwards ? k : k + 1].state;
    struct peak_state *b = &history->points[is_upwards ? k + 1 : k].state;
    double slope_a, slope_b, factor = (history->problem->is_log ? 1.0 : a->p) / a->measure;
    NEED(find_slope(history, a, &slope_a, error));
    NEED(find_slope(history, b, &slope_b, error));
    optimum->is_kink = true;
    optimum->other_hz = b->point[b->n] / TWO_PI;
    optimum->frequency_hz = a->point[a->n] / TWO_PI;
    optimum->slope_before = slope_a * factor;
    optimum->slope_after = slope_b * factor;
    return MASING_OK;
}

/* Is the crossing at points k and k + 1 lower than what is on both its sides? */
static bool is_lowest_crossing(const struct peak_history *history, int k)
{
    const struct history_point *points = history->points;
    double here = points[k].state.measure;
    return has_peak(history, k) && has_peak(history, k + 1) &&
           points[k + 1].state.p == points[k].state.p &&
           points[k].branch != points[k + 1].branch &&
           (k == 0 || points[k - 1].state.measure > here) &&
           (k + 2 >= history->n_points || points[k + 2].state.measure > here);
}

/* Of all local minima of the points the one that is lowest when solved for. */
static enum masing_status find(struct peak_history *history, struct lowest *lowest,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct history_point *points = history->points;
    struct peak_state trial = {0};
    bool is_solved;
    lowest->is_found = false;
    for (int k = 0; k < history->n_points; k++) {
        double here = points[k].state.measure;
        bool is_low = has_peak(history, k) &&
                      (!has_peak(history, k - 1) || points[k - 1].state.measure >= here) &&
                      (!has_peak(history, k + 1) || points[k + 1].state.measure >= here);
        int at;
        if (!is_low) {
            continue;
        }
        TRY(refine(history, k, &trial, &at, &is_solved, error));
        if (!is_solved &&
            (lowest->unsolved < 0 || here < points[lowest->unsolved].state.measure)) {
            lowest->unsolved = k;
        }
        if (!lowest->is_found || trial.measure < lowest->state.measure) {
            TRY(peak_state_copy(&lowest->state, &trial, error));
            lowest->index = k;
            lowest->at = at;
            lowest->is_found = true;
        }
    }
done:
    peak_state_clear(&trial);
    return status;
}

/* Solve for the lowest peak and make it a point. */
static enum masing_status settle(struct peak_history *history, struct lowest *lowest,
                                 struct masing_error *error)
{
    lowest->at = lowest->unsolved = -1;
    NEED(find(history, lowest, error));
    if (!lowest->is_found) {
        return MASING_OK;
    }
    int k = lowest->index;
    if (k > 0 && lowest->at < 0 && is_lowest_crossing(history, k - 1)) {
        lowest->index--;
    }
    if (lowest->at >= 0) {
        NEED(peak_history_insert(history, lowest->at, &lowest->state, history->points[k].branch,
                                 0, error));
        lowest->unsolved += lowest->unsolved >= lowest->at;
        lowest->index = lowest->at;
    }
    return MASING_OK;
}

/*
 * Is it the largest value of a whole response? Else that is followed from there to both sides,
 * and the curve has another lowest point.
 */
static enum masing_status verify(struct peak_history *history, const struct lowest *lowest,
                                 bool *is_right, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_state *best = &lowest->state;
    int k = lowest->index;
    struct peak_state largest = {0};
    *is_right = true;
    if (history->is_swept || history->number > 0) {
        return MASING_OK;
    }
    struct masing_error inner = {0};
    bool is_missing = false;
    status = peak_guard_largest(history, best->p, &largest, &inner);
    TRY(peak_guard_missing(history, best->p, status, &inner, &is_missing, error));
    if (is_missing) {
        goto done;
    }
    *is_right = largest.measure <= (1.0 + PEAK_RIPPLE) * best->measure;
    if (!*is_right && largest.n == best->n) {
        const struct peak_found found = {.state = &largest,
                                         .number = ++history->n_numbers,
                                         .index = k,
                                         .old = best,
                                         .old_number = history->points[k].branch,
                                         .until = NAN,
                                         .is_short = true};
        struct history_point *point = &history->points[k];
        TRY(peak_state_copy(&point->state, &largest, error));
        point->branch = found.number;
        TRY(peak_trace(history, &found, 1, error));
        TRY(peak_trace(history, &found, -1, error));
    } else if (!*is_right) { /* of other unknowns: nothing is followed from there */
        *is_right = true;
        TRY(warning_add(&history->warnings, error,
                        "the lowest peak, %.6g at %s = %.7g, is not that of a whole response, "
                        "whose largest value is %.6g there",
                        best->measure, history->request->parameter, best->p, largest.measure));
    }
done:
    peak_state_clear(&largest);
    return status;
}

/* Beside point k the largest peak is another one, and not as large: it jumps in between. */
static enum masing_status note_jump(struct peak_history *history, int k,
                                    struct masing_error *error)
{
    const struct history_point *points = history->points, *here = &points[k];
    for (int i = k - 1; i <= k + 1; i += 2) {
        if (has_peak(history, i) && points[i].branch != here->branch &&
            points[i].state.p != here->state.p && points[i].state.n == here->state.n) {
            history->summary->optimum.is_jump = true;
            return warning_add(&history->warnings, error,
                               "the lowest peak, %.6g at %s = %.6g, is beside a jump: at %.6g "
                               "the largest peak is %.6g",
                               here->state.measure, history->request->parameter, here->state.p,
                               points[i].state.p, points[i].state.measure);
        }
    }
    return MASING_OK;
}

/* Beside the lowest peak there is none within the frequency range: it has left that. */
static enum masing_status note_limit(struct peak_history *history, int k,
                                     struct masing_error *error)
{
    const struct history_point *points = history->points;
    for (int i = k - 1; i <= k + 1; i += 2) {
        if (i >= 0 && i < history->n_points && !has_peak(history, i)) {
            const struct peak_state *limit = &points[i].state;
            return warning_add(&history->warnings, error,
                               "the lowest peak, %.6g at %s = %.6g, is beside values without "
                               "one in the frequency range: extend that beyond %.6g Hz",
                               points[k].state.measure, history->request->parameter,
                               points[k].state.p, limit->point[limit->n] / TWO_PI);
        }
    }
    return MASING_OK;
}

/* About a point the lowest peak is that of the points, none in between. */
static enum masing_status note_unsolved(struct peak_history *history, int k,
                                        struct masing_error *error)
{
    const struct history_point *points = history->points;
    if (k < 0) {
        return MASING_OK;
    }
    return warning_add(&history->warnings, error,
                       "the lowest peak is not solved for between %s = %.7g and %.7g: %.6g at "
                       "%.7g is the lowest value that was computed there",
                       history->request->parameter, points[k > 0 ? k - 1 : 0].state.p,
                       points[k + 1 < history->n_points ? k + 1 : k].state.p,
                       points[k].state.measure, points[k].state.p);
}

/* ---- how much the peak depends on each number of each joint ---- */

struct sensitivity_run {
    struct peak_history *history;
    struct sensitivity *sensitivity;
    const struct peak_state *state;
    void *tangent;
};

/* A number of a law's parameters: a field that is one, or an element of a list. */
struct place {
    const struct masing_field *field;
    int element; /* -1: the field is no list */
    size_t offset;
};

static struct place place_of(const struct masing_field *field, int element)
{
    bool is_list = field->type == MASING_FIELD_LIST;
    size_t inside = offsetof(struct masing_list, values) + (size_t)element * sizeof(double);
    return (struct place){field, is_list ? element : -1,
                          field->offset + (is_list ? inside : 0)};
}

static double number_at(const struct joint *joint, const struct place *place)
{
    double value;
    memcpy(&value, (const char *)joint->parameters + place->offset, sizeof value);
    return value;
}

static enum masing_status keep(struct peak_history *history, const char *joint,
                               const struct place *place, double value, double part,
                               struct masing_error *error)
{
    struct masing_peak_optimum *optimum = &history->summary->optimum;
    size_t n = (size_t)optimum->n_sensitivities, capacity = n;
    NEED_ALLOCATED(memory_grow((void **)&optimum->sensitivities, n + 1, &capacity,
                               sizeof *optimum->sensitivities));
    struct masing_peak_sensitivity *more = optimum->sensitivities;
    more[n] = (struct masing_peak_sensitivity){
        .unit = place->field->unit, .value = value, .sensitivity = part};
    more[n].joint = memory_text(joint);
    more[n].number = place->element > 0
                         ? memory_format("%s.%d", place->field->name, place->element)
                         : memory_text(place->field->name);
    optimum->n_sensitivities++;
    NEED_ALLOCATED(more[n].joint && more[n].number);
    return MASING_OK;
}

/* d(measure) of a number of a group of joints, whose laws are the same: of all together. */
static enum masing_status of_place(struct sensitivity_run *run,
                                   const struct masing_joint_group *group,
                                   const struct place *place, struct masing_error *error)
{
    const struct peak_problem *problem = run->history->problem;
    const struct masing_spec *spec = &problem->model->spec;
    const struct joint *joints = problem->model->joints;
    const double *coefficients =
        problem->recovery->point.coefficients +
        (size_t)spec->peak_output * (size_t)problem->balance->n_coefficients;
    double value = number_at(&joints[group->first], place), change = 0.0;
    if (!isfinite(value) || value == 0.0) {
        return MASING_OK;
    }
    for (int j = group->first; j < group->first + group->n_joints; j++) {
        masing_law_tangent(joints[j].law, problem->balance->joints[j]->joint->parameters,
                           place->offset, run->tangent);
        NEED(sensitivity_output(run->sensitivity, j, run->tangent,
                                run->state->point[run->state->n], spec->peak_output,
                                problem->slope));
        change += number_at(&joints[j], place) *
                  recovery_measure_slope(problem->recovery, coefficients, problem->slope,
                                         spec->peak_measure);
    }
    return keep(run->history, group->name, place, value, change / run->state->measure, error);
}

static enum masing_status of_group(struct sensitivity_run *run,
                                   const struct masing_joint_group *group,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *first = &run->history->problem->model->joints[group->first];
    const struct masing_law *law = first->law;
    TRY_ALLOCATED(run->tangent = memory_array(1, law->parameters_size));
    for (int f = 0; f < law->n_fields; f++) {
        const struct masing_field *field = &law->fields[f];
        int n = field->type == MASING_FIELD_REAL ? 1 : 0;
        if (field->type == MASING_FIELD_LIST) {
            memcpy(&n, (const char *)first->parameters + field->offset, sizeof n);
        }
        for (int e = 0; e < n; e++) {
            const struct place place = place_of(field, e);
            TRY(of_place(run, group, &place, error));
        }
    }
done:
    free(run->tangent);
    run->tangent = NULL;
    return status;
}

static enum masing_status find_sensitivities(struct peak_history *history,
                                             const struct peak_state *state,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_problem *problem = history->problem;
    double omega = state->point[state->n];
    if (history->is_swept || state->is_corner) {
        return MASING_OK;
    }
    TRY(peak_problem_set(problem, state->p, error));
    if (state->n != problem->solver->n) {
        return MASING_OK;
    }
    const struct masing_damping_spec *damping = &problem->model->spec.structure.form;
    history->summary->optimum.is_damping_held =
        damping->kind == MASING_DAMPING_MODAL && damping->modes_are_stuck;
    struct sensitivity_run run = {
        .history = history, .sensitivity = problem->sensitivity, .state = state};
    TRY(recovery_evaluate(problem->recovery, state->point, omega));
    TRY(sensitivity_factor(problem->sensitivity, state->point, omega));
    for (int g = 0; g < problem->model->spec.n_groups; g++) {
        TRY(of_group(&run, &problem->model->spec.groups[g], error));
    }
done:
    return status > 0 ? MASING_OK : status; /* a fold: the peak has no derivatives */
}

/* ---- the optimum ---- */

static enum masing_status describe(struct peak_history *history, const struct lowest *lowest,
                                   struct masing_error *error)
{
    struct masing_peak_optimum *optimum = &history->summary->optimum;
    const struct peak_state *best = &lowest->state;
    int k = lowest->index;
    bool is_crossing = is_lowest_crossing(history, k);
    bool is_upwards = history->request->to > history->request->from;
    history->points[k].events = MASING_EVENT_BIT(MASING_EVENT_MINIMUM) |
                                (is_crossing ? MASING_EVENT_BIT(MASING_EVENT_CROSSING) : 0);
    optimum->is_found = true;
    optimum->value = best->p;
    optimum->peak = best->measure;
    optimum->frequency_hz = best->point[best->n] / TWO_PI;
    optimum->is_at_end = best->p == history->request->from || best->p == history->request->to;
    NEED(is_crossing ? note_kink(history, k, error) : note_jump(history, k, error));
    NEED(note_limit(history, k, error));
    NEED(note_unsolved(history, lowest->unsolved, error));
    for (int i = 0; i < 2; i++) {
        double level = LEVELS[i] * optimum->peak;
        NEED(reach(history, k, is_upwards ? -1 : 1, level, &optimum->low[i],
                   &optimum->is_low_open[i], error));
        NEED(reach(history, k, is_upwards ? 1 : -1, level, &optimum->high[i],
                   &optimum->is_high_open[i], error));
    }
    return find_sensitivities(history, best, error);
}

enum masing_status peak_minimize(struct peak_history *history, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct lowest lowest = {0};
    bool is_right = false;
    for (int i = 0; i < MAX_TRIALS && !is_right; i++) {
        TRY(settle(history, &lowest, error));
        is_right = !lowest.is_found;
        TRY(is_right ? MASING_OK : verify(history, &lowest, &is_right, error));
    }
    if (!is_right) {
        TRY(settle(history, &lowest, error));
    }
    if (!lowest.is_found) {
        goto done; /* no peak in the frequency range, whatever the value */
    }
    if (!is_right) {
        TRY(warning_add(&history->warnings, error,
                        "the lowest peak, %.6g at %s = %.7g, is not compared with a whole "
                        "response: %d that were had larger values",
                        lowest.state.measure, history->request->parameter, lowest.state.p,
                        MAX_TRIALS));
    }
    TRY(describe(history, &lowest, error));
done:
    peak_state_clear(&lowest.state);
    return status;
}
