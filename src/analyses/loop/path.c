/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path is straight from zero to the first point and from each point to the next, at
 * constant velocity where there are times. Its work is summed over parts of each stretch, which
 * are halved until the sum holds.
 */
#include "analyses/loop/path.h"

#include <math.h>

#include "base/check.h"

static const double precision = 1e-9;

/* Parts of a stretch: even. Samples: of all the path in the first and in the finest pass. */
enum {
    FEWEST_PARTS = 64,
    MOST_PARTS = 1 << 14,
    FIRST_SAMPLES = 1 << 20,
    MOST_SAMPLES = 1 << 24
};

struct follower {
    struct loop_march *march;
    const struct masing_loop_points *points;
    struct masing_loop_measures *measures;
    struct loop_table *table; /* NULL: only measure */
    const struct masing_progress *progress;
};

/* From point i - 1 to point i in equal parts; the time between two samples. */
static double lay_stretch(struct loop_march *march, const struct masing_loop_points *points,
                          int i, int n_parts)
{
    double from = i > 0 ? points->displacement[i - 1] : 0.0, to = points->displacement[i];
    int begin = points->time && i == 0 ? 1 : i;
    double duration = points->time ? points->time[begin] - points->time[begin - 1] : 0.0;
    double travel = i > 0 ? to - from : points->displacement[1] - to;
    for (int k = 0; k <= n_parts; k++) {
        march->x[k] = k == n_parts ? to : from + (to - from) * k / n_parts;
        march->v[k] = points->time ? travel / duration : 0.0;
    }
    return duration / n_parts;
}

static void measure_stretch(const struct loop_march *march, int n_parts,
                            struct masing_loop_measures *measures)
{
    const double *x = march->x, *f = march->f;
    for (int k = 2; k <= n_parts; k += 2) { /* Simpson's rule */
        measures->work += (f[k] + 4.0 * f[k - 1] + f[k - 2]) * (x[k] - x[k - 2]) / 6.0;
    }
    for (int k = 1; k <= n_parts; k++) {
        measures->max_force = fmax(measures->max_force, fabs(f[k]));
    }
    if (fabs(x[n_parts]) > measures->largest_displacement) {
        measures->largest_displacement = fabs(x[n_parts]);
        measures->secant_stiffness = f[n_parts] / x[n_parts];
    }
}

static bool is_cancelled(const struct follower *follower)
{
    const struct masing_progress *progress = follower->progress;
    return progress && progress->is_cancelled && progress->is_cancelled(progress->context);
}

/* All of the path with so many parts per stretch, the virgin joint's way to the first point
 * included. */
static enum masing_status follow(const struct follower *follower, int n_parts,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct loop_march *march = follower->march;
    const struct masing_loop_points *points = follower->points;
    struct masing_loop_measures *m = follower->measures;
    double slipping = 0.0, slip_share;
    *m = (struct masing_loop_measures){.secant_stiffness = NAN, .cycles = 1};
    loop_march_rest(march);
    march->f[n_parts] = 0.0;
    for (int i = 0; i < points->n_points; i++) {
        if (is_cancelled(follower)) {
            TRY(masing_error_set(error, MASING_STOPPED, "interrupted"));
        }
        double step = lay_stretch(march, points, i, n_parts);
        march->f[0] = march->f[n_parts];
        TRY(loop_march_open(march, 1, n_parts, step, &slip_share));
        measure_stretch(march, n_parts, m);
        slipping += i > 0 ? slip_share : 0.0;
        if (!isfinite(march->f[n_parts])) {
            TRY(MASING_NOT_FINITE);
        }
        const struct loop_row row = {.amplitude = NAN,
                                     .cycle = 1,
                                     .displacement = march->x[n_parts],
                                     .force = march->f[n_parts],
                                     .is_steady = NAN};
        TRY(follower->table ? loop_table_row(follower->table, &row, error) : MASING_OK);
    }
    m->slip_share = slipping / (points->n_points - 1);
    m->amplitude = m->energy_lost = m->first_harmonic_stiffness = NAN;
    m->first_harmonic_damping = m->loss_factor = m->distance = NAN;
done:
    return status;
}

enum masing_status loop_path_follow(struct loop_march *march,
                                    const struct masing_loop_points *points,
                                    const struct masing_progress *progress,
                                    struct masing_loop_measures *measures,
                                    struct loop_table *table, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct follower follower = {march, points, measures, NULL, progress};
    int n = FEWEST_PARTS;
    double work = INFINITY, change = INFINITY;
    while (n > 2 && n > FIRST_SAMPLES / points->n_points) {
        n /= 2;
    }
    int used = n;
    for (; change > precision && n <= MOST_PARTS &&
           (n == used || n <= MOST_SAMPLES / points->n_points);
         n *= 2) {
        used = n;
        TRY(loop_march_reserve(march, n, error));
        TRY(follow(&follower, n, error));
        double scale =
            fmax(measures->max_force * measures->largest_displacement, fabs(measures->work));
        change = fabs(measures->work - work) / (scale > 0.0 ? scale : 1.0);
        work = measures->work;
    }
    follower.table = table;
    TRY(follow(&follower, used, error));
done:
    if (status > 0 && status != MASING_STOPPED) {
        status = masing_error_set(error, MASING_STOPPED,
                                  "the joint's force could not be followed: %s",
                                  masing_status_name(status));
    }
    return status;
}
