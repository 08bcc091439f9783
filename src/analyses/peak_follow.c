/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "analyses/peak_course.h"
#include "base/check.h"
#include "base/memory.h"

static const double TWO_PI = 6.283185307179586476925286766559;

/* Steps that the range is divided into at least and at most, and the shortest step by which a
 * branch is followed before it counts as ended, in parts of the range. */
static const double FEWEST_STEPS = 40.0, MOST_STEPS = 400.0, SHORTEST = 1e-5;
/* Both ends of a range of logarithmic steps are apart by this factor. */
static const double WIDE = 4.0;
/* Stations after which a whole response is computed. */
enum { GUARDED = 32 };
/* Larger by this part is larger, not rounding. */
static const double LARGER = 1e-9;

enum masing_status peak_course_create(const struct masing_peak_request *request,
                                      const struct masing_response_options *options, int wanted,
                                      struct masing_peak_summary *summary,
                                      struct peak_course **course, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_course *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    const struct moving_model_request moving = {request->document,    request->overrides,
                                                request->n_overrides, request->parameter,
                                                request->from,        request->to};
    made->request = request;
    made->options = options;
    made->summary = summary;
    made->wanted = wanted;
    made->warnings = (struct warning_list){&summary->warnings, &summary->n_warnings};
    made->fraction_part = 1.0;
    made->main = -1;
    double low = fmin(request->from, request->to), high = fmax(request->from, request->to);
    made->is_log = !request->is_linear && low > 0.0 && high >= WIDE * low;
    made->range =
        fabs(peak_coordinate(made->is_log, high) - peak_coordinate(made->is_log, low));
    TRY(peak_site_create(&moving, request->measure, &made->site, error));
    made->is_swept = made->site->model->spec.start == MASING_START_PREVIOUS;
    *course = made;
    made = NULL;
done:
    peak_course_destroy(made);
    return status;
}

void peak_course_destroy(struct peak_course *course)
{
    if (!course) {
        return;
    }
    for (int i = 0; i < course->n_branches; i++) {
        peak_branch_destroy(course->branches[i]);
    }
    for (int i = 0; i < course->n_stations; i++) {
        peak_state_clear(&course->stations[i].state);
    }
    free(course->stations);
    peak_site_destroy(course->site);
    free(course);
}

static enum masing_status append(struct peak_course *course, const struct peak_state *state,
                                 int branch, const char *event, struct masing_error *error)
{
    return peak_station_insert(course, course->n_stations, state, branch, event, error);
}

/* Put the crossing of an old branch and a new one at this place of the list. */
static enum masing_status add_crossing(struct peak_course *course, int at,
                                       const struct peak_state old[2], int old_number,
                                       const struct peak_state new[2], int new_number,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_state a = {0}, b = {0};
    TRY(peak_state_create(old[0].n, old[0].n_cells, &a, error));
    TRY(peak_state_create(new[0].n, new[0].n_cells, &b, error));
    status = peak_crossing(course, old, new, &a, &b, error);
    if (status == MASING_OK) {
        TRY(peak_station_insert(course, at, &b, new_number, "crossing", error));
        TRY(peak_station_insert(course, at, &a, old_number, "crossing", error));
        course->summary->n_crossings++;
    } else if (status > 0) { /* the curve merely jumps between two stations */
        course->summary->n_jumps++;
        status = MASING_OK;
    }
done:
    peak_state_clear(&a);
    peak_state_clear(&b);
    return status;
}

/*
 * A maximum that was not seen before is the largest: since when? Follow it back over the
 * stations for as long as it is larger than what was taken there.
 */
static enum masing_status trace_back(struct peak_course *course,
                                     const struct peak_branch *found,
                                     const struct peak_branch *old, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_state *start = &found->past[0];
    struct peak_branch *branch = NULL;
    struct peak_state new[2] = {{0}}, was[2] = {{0}};
    bool has_old = old && old->is_alive;
    int number = old ? old->number : 0;
    TRY(peak_branch_create(start, course->is_log, 0.01 * course->range, found->number, &branch,
                           error));
    for (int i = 0; i < 2; i++) {
        TRY(peak_state_create(start->n, start->n_cells, &new[i], error));
        TRY(peak_state_create(start->n, start->n_cells, &was[i], error));
    }
    peak_state_copy(&new[1], start);
    if (has_old && old->past[0].n == start->n) {
        peak_state_copy(&was[1], &old->past[0]);
    }
    for (int k = course->n_stations - 1; k >= 0; k--) {
        struct peak_station *station = &course->stations[k];
        status = peak_branch_advance(branch, course->site, station->state.p,
                                     SHORTEST * course->range, error);
        if (status != MASING_OK || station->state.n != start->n) {
            status = status > 0 ? MASING_OK : status;
            course->summary->n_jumps++;
            break;
        }
        peak_state_copy(&new[0], &branch->past[0]);
        peak_state_copy(&was[0], &station->state);
        if (!(new[0].measure > (1.0 + LARGER) * was[0].measure)) {
            if (has_old && was[0].p != was[1].p) {
                TRY(add_crossing(course, k + 1, was, number, new, found->number, error));
            }
            break;
        }
        peak_state_copy(&new[1], &new[0]);
        peak_state_copy(&was[1], &was[0]);
        peak_state_copy(&station->state, &new[0]);
        number = station->branch;
        station->branch = found->number;
        station->event = "";
        has_old = true;
    }
done:
    peak_branch_destroy(branch);
    for (int i = 0; i < 2; i++) {
        peak_state_clear(&new[i]);
        peak_state_clear(&was[i]);
    }
    return status;
}

/* Which maximum is the largest from now on, and how it came to be. */
static enum masing_status change_main(struct peak_course *course, const char **event,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int largest = peak_largest(course);
    struct peak_branch *old = course->main < 0 ? NULL : course->branches[course->main];
    struct peak_branch *new = course->branches[largest];
    course->main = largest;
    if (course->n_stations == 0 || new == old ||
        new->number == course->stations[course->n_stations - 1].branch) {
        return MASING_OK;
    }
    if (!new->has_before) {
        TRY(trace_back(course, new, old, error));
    } else if (old && old->is_alive && old->has_before) {
        const struct peak_state was[2] = {old->before, old->past[0]};
        const struct peak_state is[2] = {new->before, new->past[0]};
        TRY(add_crossing(course, course->n_stations, was, old->number, is, new->number, error));
    } else {
        course->summary->n_jumps++;
        *event = "jump";
    }
done:
    return status;
}

/* The largest peak ended on the way: its last point is a station where nothing is larger. */
static enum masing_status note_end(struct peak_course *course, const struct peak_branch *ended,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct peak_station *last = &course->stations[course->n_stations - 1];
    const struct peak_state *state = &ended->past[0];
    for (int i = 0; i < course->n_branches; i++) {
        const struct peak_branch *other = course->branches[i];
        if (other->is_alive && other != ended &&
            fmax(other->past[0].measure, other->before.measure) >= state->measure) {
            return MASING_OK;
        }
    }
    course->summary->n_folds++;
    if (state->p != last->state.p && last->branch == ended->number) {
        TRY(append(course, state, ended->number, "fold", error));
    }
    TRY(warning_add(&course->warnings, error,
                    "the peak at %.6g Hz turns back at %s = %.7g: from there on the largest "
                    "one that is left is followed",
                    state->point[state->n] / TWO_PI, course->request->parameter, state->p));
done:
    return status;
}

static enum masing_status advance_all(struct peak_course *course, double p, bool *has_failed,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    *has_failed = false;
    for (int i = 0; i < course->n_branches; i++) {
        struct peak_branch *branch = course->branches[i];
        if (!branch->is_alive) {
            continue;
        }
        status = peak_branch_advance(branch, course->site, p, SHORTEST * course->range, error);
        if (status < 0) {
            return status;
        }
        if (status > 0) {
            branch->is_alive = false;
            *has_failed = *has_failed || i == course->main;
        }
    }
    return MASING_OK;
}

static enum masing_status record(struct peak_course *course, const char *event,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct peak_branch *main = course->branches[course->main];
    TRY(append(course, &main->past[0], main->number, event, error));
    course->summary->n_swept += main->past[0].is_swept;
    for (int i = 0; i < course->n_branches; i++) {
        struct peak_branch *branch = course->branches[i];
        branch->has_before = branch->is_alive;
        if (branch->is_alive) {
            peak_state_copy(&branch->before, &branch->past[0]);
        }
    }
done:
    return status;
}

/* One more station. */
static enum masing_status step_to(struct peak_course *course, double p, bool is_guarded,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    bool has_failed = false;
    const char *event = "";
    if (course->is_swept) { /* nothing is followed: each response says what there is */
        for (int i = 0; i < course->n_branches; i++) {
            course->branches[i]->is_alive = false;
        }
    } else {
        TRY(advance_all(course, p, &has_failed, error));
    }
    if (is_guarded || has_failed || course->is_swept) {
        TRY(peak_guard(course, p, error));
    }
    if (has_failed && !course->branches[course->main]->is_alive) {
        TRY(note_end(course, course->branches[course->main], error));
    }
    if (peak_largest(course) < 0) {
        TRY(masing_error_set(error, MASING_STOPPED, "the peak is not found at %s = %.10g",
                             course->request->parameter, p));
    }
    TRY(change_main(course, &event, error));
    TRY(record(course, event, error));
done:
    return status;
}

/* The value of the next station. */
static double next_value(const struct peak_course *course, int index)
{
    const struct masing_peak_request *request = course->request;
    if (request->n_values > 0) {
        return request->values[index];
    }
    const struct peak_state *last = &course->stations[course->n_stations - 1].state;
    double u = peak_coordinate(course->is_log, last->p);
    double left = peak_coordinate(course->is_log, request->to) - u;
    double step = course->range / FEWEST_STEPS;
    step = fmin(step, course->branches[course->main]->step);
    step = fmax(step, course->range / MOST_STEPS);
    double count = ceil(fabs(left) / step * (1.0 - 1e-9));
    return count <= 1.0 ? request->to : peak_value(course->is_log, u + left / count);
}

static enum masing_status tell(const struct peak_course *course, double p,
                               struct masing_error *error)
{
    const struct masing_progress *progress = course->options->progress;
    double from = peak_coordinate(course->is_log, course->request->from);
    double done = fabs(peak_coordinate(course->is_log, p) - from) / course->range;
    if (progress && progress->report) {
        progress->report(progress->context,
                         course->fraction_from + course->fraction_part * done,
                         course->n_stations);
    }
    if (progress && progress->is_cancelled && progress->is_cancelled(progress->context)) {
        return masing_error_set(error, MASING_STOPPED, "interrupted");
    }
    return MASING_OK;
}

enum masing_status peak_course_start(struct peak_course *course, struct masing_error *error)
{
    return step_to(course, course->request->from, true, error);
}

enum masing_status peak_course_follow(struct peak_course *course, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_peak_request *request = course->request;
    double p = request->from;
    int since = 0;
    for (int index = 1; p != request->to; index++) {
        TRY(tell(course, p, error));
        p = next_value(course, index);
        bool is_due = p == request->to || since >= GUARDED;
        TRY(step_to(course, p, is_due && course->wanted == 0, error));
        since = is_due ? 0 : since + 1;
    }
done:
    return status;
}
