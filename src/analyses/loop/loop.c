/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each amplitude: the steady cycle is solved for, then the joint is marched from its virgin
 * state until it is there. What is marched and what is solved for check each other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/energy_limits.h"
#include "analyses/curve/row_table.h"
#include "analyses/loop/cycle.h"
#include "base/check.h"
#include "base/progress.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/processor_time.h"
#include "data/table_csv.h"
#include "linalg/dense.h"
#include "linalg/one_thread.h"
#include "masing/loop.h"

/*
 * ---- the equivalent Bouc-Wen element of a rough interface ----
 *
 * A restatement of its steady loop under one harmonic, whose coefficients depend on the
 * amplitude: Jamshidi and Koochakinejad (2021), eqs 44, 46-48 and appendix B:
 *   Q = k_l x + K_T z,  dz/dx = [A - B sign(x' z) |z|] h,
 *   A = Lambda_1 (Gamma_1 + Gamma_2) / (2 K_T) - Lambda_0 / K_T
 *       - sign(x') Lambda_0 Omega x / (2 K_T x_L),  B = Omega / (2 x_L),
 *   Gamma_1 = (1 + exp(-Omega x_o / x_L)) H(x_L - x_o),
 *   Gamma_2 = (1 + exp(-Omega) + Lambda_0 Omega (1 - x_o / x_L) / Lambda_1) H(x_o - x_L),
 *   h = H(2 x_L - x_o - x sign(x')).
 * Gamma_1 is printed without its step function, with which alone the two states of motion
 * exclude each other as appendix B has them. For a given direction the equation is linear:
 * y = z + Lambda_0 x / K_T obeys dy/dx = growth - sign(x') B y.
 */
struct bouc_wen {
    double linear_stiffness;     /* k_l, N/m */
    double hysteretic_stiffness; /* k_h = K_T, N/m */
    double growth;               /* Lambda_1 (Gamma_1 + Gamma_2) / (2 K_T) */
    double slope;                /* Lambda_0 / K_T */
    double decay;                /* Omega / (2 x_L), 1/m */
    double bound;                /* sign x beyond which z rests, m */
    double x, z;                 /* now, m */
};

static double constant(const struct masing_law *law, const void *parameters, const char *name)
{
    for (int i = 0; i < law->n_constants; i++) {
        if (strcmp(law->constants[i].name, name) == 0) {
            const char *place = (const char *)parameters + law->constants[i].offset;
            return *(const double *)(const void *)place;
        }
    }
    return NAN;
}

/* From the constants of a law of rough interfaces, at rest at zero. MASING_INVALID for others.
 */
static enum masing_status bouc_wen_create(const struct masing_law *law, const void *parameters,
                                          double amplitude, struct bouc_wen *element,
                                          struct masing_error *error)
{
    double stiffness = constant(law, parameters, "stiffness");
    double x_l = constant(law, parameters, "slip_displacement");
    double omega = constant(law, parameters, "Omega");
    double lambda_0 = constant(law, parameters, "Lambda_0");
    double lambda_1 = constant(law, parameters, "Lambda_1");
    int spring = masing_field_find(law->fields, law->n_fields, "parallel_stiffness");
    if (!(lambda_1 > 0.0 && lambda_0 > 0.0 && omega > 0.0 && x_l > 0.0) || spring < 0) {
        return masing_error_set(error, MASING_INVALID,
                                "the equivalent Bouc-Wen element belongs to a rough_interface "
                                "with Omega > 0 (q < 1/2) and a slip force above zero");
    }
    double ratio = amplitude / x_l;
    double gamma = ratio <= 1.0
                       ? 1.0 + exp(-omega * ratio)
                       : 1.0 + exp(-omega) + lambda_0 * omega / lambda_1 * (1.0 - ratio);
    *element = (struct bouc_wen){
        .linear_stiffness = masing_field_value(&law->fields[spring], parameters),
        .hysteretic_stiffness = stiffness,
        .growth = lambda_1 * gamma / (2.0 * stiffness),
        .slope = lambda_0 / stiffness,
        .decay = omega / (2.0 * x_l),
        .bound = 2.0 * x_l - amplitude,
    };
    return MASING_OK;
}

/* Move straight to x; the force there. */
static double bouc_wen_move(struct bouc_wen *element, double x)
{
    double sign = x > element->x ? 1.0 : -1.0;
    double end = sign * fmin(sign * x, element->bound); /* z rests from there on */
    double travel = sign * (end - element->x);
    if (travel > 0.0) {
        double decay = exp(-element->decay * travel);
        double y = element->z + element->slope * element->x;
        y = decay * y +
            sign * element->growth * -expm1(-element->decay * travel) / element->decay;
        element->z = y - element->slope * end;
    }
    element->x = x;
    return element->linear_stiffness * x + element->hysteretic_stiffness * element->z;
}

/* The state from which a cycle along x [n + 1], x[0] = x[n], leads back to itself. */
static void bouc_wen_settle(struct bouc_wen *element, const double *x, int n, int stride)
{
    double scale = fabs(element->bound) + fabs(x[n / 4]); /* the map is affine: any will do */
    double after[2];
    for (int k = 0; k < 2; k++) {
        element->x = x[0];
        element->z = k * scale;
        for (int i = stride; i <= n; i += stride) {
            bouc_wen_move(element, x[i]);
        }
        after[k] = element->z;
    }
    element->x = x[0];
    element->z = after[0] / (1.0 - (after[1] - after[0]) / scale);
}

/* ---- loops ---- */

/* Rows per cycle; cycles that are marched before the steady one is written as it is. */
enum { DEFAULT_ROWS = 512, MOST_ROWS = 16384, MOST_CYCLES = 200 };

/* Distance from the steady cycle, over the largest force, unless the options set it. */
static const double default_tolerance = 1e-6;

/* Over the largest force: distance from which two cycles are different solutions; change from
 * cycle to cycle that is round-off. */
static const double different_cycle = 1e-3, standing_change = 1e-11;

/* Energy gained per cycle, over force times displacement, that is more than round-off; change
 * by the last doubling of the samples that is worth a warning. */
static const double notable_gain = 1e-12, notable_uncertainty = 1e-7;

struct run {
    const struct masing_law *law;
    const void *parameters;
    const struct masing_loop_options *options;
    struct loop_motion motion;
    double omega, tolerance;
    int n_rows;
    struct loop_march march;
    struct row_sink rows, measures;
    struct bouc_wen equivalent; /* of the present amplitude, if wanted */
    struct masing_loop_summary *summary;
    struct warning_list warnings; /* of the summary */
};

void masing_loop_summary_clear(struct masing_loop_summary *summary)
{
    if (summary) {
        warnings_clear(&(struct warning_list){&summary->warnings, &summary->n_warnings, NULL});
        free(summary->loops);
        entry_zero(summary, sizeof *summary);
    }
}

static enum masing_status check_cancelled(const struct run *run, struct masing_error *error)
{
    return progress_is_cancelled(run->options->progress)
               ? masing_error_set(error, MASING_STOPPED, "interrupted")
               : MASING_OK;
}

/* ---- input ---- */

static enum masing_status check_motion(const struct masing_loop_options *options,
                                       const struct loop_motion *motion,
                                       struct masing_error *error)
{
    bool moves = false;
    if (options->n_amplitudes < 1) {
        return masing_error_set(error, MASING_INVALID, "no amplitudes, expected at least one");
    }
    for (int i = 0; i < options->n_amplitudes; i++) {
        double amplitude = options->amplitudes[i];
        if (!(amplitude > 0.0 && isfinite(amplitude))) {
            return masing_error_set(error, MASING_INVALID,
                                    "amplitude %g, expected a finite number above zero",
                                    amplitude);
        }
    }
    for (int i = 0; i < motion->n_terms; i++) {
        const struct masing_motion_term *term = &motion->terms[i];
        if (term->harmonic < 0 || term->harmonic > MASING_MOTION_HARMONIC) {
            return masing_error_set(error, MASING_INVALID,
                                    "harmonic %d of the motion, expected 0 to %d",
                                    term->harmonic, MASING_MOTION_HARMONIC);
        }
        if (!isfinite(term->sine) || !isfinite(term->cosine)) {
            return masing_error_set(error, MASING_INVALID,
                                    "harmonic %d of the motion: expected finite numbers",
                                    term->harmonic);
        }
        moves = moves || (term->harmonic > 0 && (term->sine != 0.0 || term->cosine != 0.0));
    }
    return moves ? MASING_OK
                 : masing_error_set(error, MASING_INVALID,
                                    "the motion is none: expected a harmonic from 1 on with a "
                                    "weight that is not zero");
}

static enum masing_status check_options(const struct run *run, struct masing_error *error)
{
    const struct masing_loop_options *options = run->options;
    bool is_sine = !options->points && options->n_terms == 0;
    struct bouc_wen element;
    if (options->path && options->path->is_circle && !is_sine) {
        return masing_error_set(error, MASING_INVALID,
                                "a circle is a motion of its own, expected amplitudes alone");
    }
    if (run->n_rows < 8 || run->n_rows > MOST_ROWS || run->n_rows % 4 != 0) {
        return masing_error_set(error, MASING_INVALID,
                                "%d rows per cycle, expected a multiple of 4 from 8 to %d",
                                run->n_rows, MOST_ROWS);
    }
    if (options->has_equivalent_bouc_wen && !is_sine) {
        return masing_error_set(error, MASING_INVALID,
                                "the equivalent Bouc-Wen element belongs to a sine, expected "
                                "amplitudes alone");
    }
    NEED(options->has_equivalent_bouc_wen
             ? bouc_wen_create(run->law, run->parameters, 1.0, &element, error)
             : MASING_OK);
    if (options->points && masing_law_needs_velocity(run->law, run->parameters) &&
        !options->points->time) {
        return masing_error_set(error, MASING_INVALID,
                                "law '%s' depends on the velocity: expected a column 'time' "
                                "beside the displacements",
                                run->law->name);
    }
    return options->points ? MASING_OK : check_motion(options, &run->motion, error);
}

/* ---- tables: points of the loops, and what was measured on each ---- */

struct row {
    const struct run *run;
    const struct masing_loop_measures
        *measures; /* of a row of the second table; then nothing */
    double amplitude;
    int cycle;
    double displacement, force;
    double is_steady; /* 1 or 0; NAN: not a cycle */
    double equivalent, displacement_2, force_2;
    double degrees, time; /* of the motion's first harmonic, 0 to 360; s, of a path in time */
};

static void walk_row(struct row_table *table, const void *context)
{
    const struct row *row = context;
    ROW_REAL(table, row->amplitude, "amplitude");
    ROW_INTEGER(table, row->cycle, "cycle");
    ROW_REAL(table, row->displacement, "displacement");
    ROW_REAL(table, row->force, "force");
    ROW_INTEGER(table, row->is_steady, "steady");
    if (row->run->options->has_equivalent_bouc_wen) {
        ROW_REAL(table, row->equivalent, "equivalent_bouc_wen");
    }
    if (row->run->march.plane.is_circle) {
        ROW_REAL(table, row->displacement_2, "displacement_2");
        ROW_REAL(table, row->force_2, "force_2");
    }
    if (!row->run->options->points) {
        ROW_REAL(table, row->degrees, "angle_deg");
    } else if (row->run->options->points->time) {
        ROW_REAL(table, row->time, "time");
    }
}

static void walk_measures(struct row_table *table, const void *context)
{
    const struct row *row = context;
    const struct masing_loop_measures *measures = row->measures;
    ROW_REAL(table, measures->amplitude, "amplitude");
    ROW_REAL(table, measures->max_force, "max_force");
    ROW_REAL(table, measures->secant_stiffness, "secant_stiffness");
    ROW_REAL(table, measures->energy_lost, "energy_lost");
    ROW_REAL(table, measures->first_harmonic_stiffness, "first_harmonic_stiffness");
    ROW_REAL(table, measures->first_harmonic_damping, "first_harmonic_damping");
    ROW_REAL(table, measures->loss_factor, "loss_factor");
    ROW_REAL(table, measures->slip_share, "slip_share");
    ROW_INTEGER(table, measures->cycles, "cycles");
    ROW_REAL(table, measures->distance, "distance");
    if (row->run->options->points) {
        ROW_REAL(table, measures->work, "work");
    }
}

/* ---- points of a path from a CSV file ---- */

enum { DISPLACEMENT, TIME, FORCE, N_COLUMNS };

static const struct csv_column columns[N_COLUMNS] = {
    [DISPLACEMENT] = {.name = "displacement", .is_required = true},
    [TIME] = {.name = "time", .fallback = NAN},
    [FORCE] = {.name = "force", .fallback = NAN},
};

void masing_loop_points_clear(struct masing_loop_points *points)
{
    if (points) {
        free(points->displacement);
        free(points->time);
        *points = (struct masing_loop_points){0};
    }
}

enum masing_status masing_loop_points_read(const char *file, struct masing_loop_points *points,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct csv_table table = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(points, "points", error));
    *points = (struct masing_loop_points){0};
    TRY(entry_need(file, "file", error));
    TRY(csv_table_read(file, columns, N_COLUMNS, CSV_OTHERS_REFUSED, &table, error));
    int n = table.n_rows;
    TRY(n >= 2 ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%.400s:%d:1: %d points, expected at least 2", file,
                                  n > 0 ? table.lines[0] : 1, n));
    for (int i = 1; i < n; i++) {
        double before = csv_table_number(&table, i - 1, TIME);
        double time = csv_table_number(&table, i, TIME);
        TRY(!(time <= before)
                ? MASING_OK
                : masing_error_set(error, MASING_INVALID,
                                   "%.400s:%d:1: time %g does not come after %g, the one "
                                   "before, expected ascending times",
                                   file, table.lines[i], time, before));
    }
    TRY(csv_table_copy(&table, 0, n, DISPLACEMENT, &points->displacement, error));
    if (!isnan(csv_table_number(&table, 0, TIME))) {
        TRY(csv_table_copy(&table, 0, n, TIME, &points->time, error));
    }
    points->n_points = n;
done:
    csv_table_clear(&table);
    if (status != MASING_OK) {
        masing_loop_points_clear(points);
    }
    return status;
}

/* Whether displacements [n] of what is named lie where the law is known. */
static enum masing_status warn_of_range(struct run *run, const char *name, const double *x,
                                        int n, struct masing_error *error)
{
    double from = -INFINITY, to = INFINITY, low = x[0], high = x[0];
    if (run->law->known_range) {
        run->law->known_range(run->parameters, &from, &to);
    }
    for (int i = 1; i < n; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    return low < from || high > to
               ? warning_add(&run->warnings, error,
                             "%s: the law is known from %g to %g m, this motion reaches %g m, "
                             "where the force goes on straight",
                             name, from, to, from - low > high - to ? low : high)
               : MASING_OK;
}

/*
 * ---- a path of points ----
 *
 * The path is straight from zero to the first point and from each point to the next, at
 * constant velocity where there are times. Its work is summed over parts of each interval,
 * which are halved until the sum holds.
 */

/* Relative change of the work by the last halving at which it holds. */
static const double path_precision = 1e-9;

/* Parts of an interval: even. Samples: of all the path in the first and in the finest pass. */
enum {
    FEWEST_PARTS = 64,
    MOST_PARTS = 1 << 14,
    FIRST_SAMPLES = 1 << 20,
    MOST_SAMPLES = 1 << 24
};

/* From point i - 1 to point i in equal parts; the time between two samples. */
static double lay_interval(struct loop_march *march, const struct masing_loop_points *points,
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

static void measure_interval(const struct loop_march *march, int n_parts,
                             struct masing_loop_measures *measures)
{
    const double *x = march->x, *f = march->f;
    for (int k = 2; k <= n_parts; k += 2) { /* Simpson's rule */
        measures->work += (f[k] + 4.0 * f[k - 1] + f[k - 2]) * (x[k] - x[k - 2]) / 6.0;
    }
    measures->max_force = fmax(measures->max_force, dense_max_norm((size_t)n_parts, f + 1));
    if (fabs(x[n_parts]) > measures->largest_displacement) {
        measures->largest_displacement = fabs(x[n_parts]);
        measures->secant_stiffness = f[n_parts] / x[n_parts];
    }
}

/* All of the path with so many parts per interval, the virgin joint's way to the first point
 * included. */
static enum masing_status follow_parts(struct run *run, int n_parts, bool writes_rows,
                                       struct masing_error *error)
{
    struct loop_march *march = &run->march;
    const struct masing_loop_points *points = run->options->points;
    struct masing_loop_measures *m = run->summary->loops;
    double slipping = 0.0, slip_share;
    *m = (struct masing_loop_measures){.secant_stiffness = NAN, .cycles = 1};
    loop_march_rest(march);
    march->f[n_parts] = 0.0;
    for (int i = 0; i < points->n_points; i++) {
        NEED(check_cancelled(run, error));
        double step = lay_interval(march, points, i, n_parts);
        march->f[0] = march->f[n_parts];
        NEED(loop_march_open(march, 1, n_parts, step, &slip_share));
        measure_interval(march, n_parts, m);
        slipping += i > 0 ? slip_share : 0.0;
        if (!isfinite(march->f[n_parts])) {
            NEED(MASING_NOT_FINITE);
        }
        const struct row row = {.run = run,
                                .amplitude = NAN,
                                .cycle = 1,
                                .displacement = march->x[n_parts],
                                .force = march->f[n_parts],
                                .is_steady = NAN,
                                .time = points->time ? points->time[i] : NAN};
        NEED(writes_rows ? row_sink_write(&run->rows, &row, error) : MASING_OK);
    }
    m->slip_share = slipping / (points->n_points - 1);
    m->amplitude = m->energy_lost = m->first_harmonic_stiffness = NAN;
    m->first_harmonic_damping = m->loss_factor = m->distance = NAN;
    return MASING_OK;
}

static enum masing_status follow_path(struct run *run, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_loop_measures *measures = run->summary->loops;
    int n = FEWEST_PARTS, n_points = run->options->points->n_points;
    double work = INFINITY, change = INFINITY;
    while (n > 2 && n > FIRST_SAMPLES / n_points) {
        n /= 2;
    }
    int used = n;
    for (; change > path_precision && n <= MOST_PARTS &&
           (n == used || n <= MOST_SAMPLES / n_points);
         n *= 2) {
        used = n;
        TRY(loop_march_reserve(&run->march, n, error));
        TRY(follow_parts(run, n, false, error));
        double scale =
            fmax(measures->max_force * measures->largest_displacement, fabs(measures->work));
        change = fabs(measures->work - work) / (scale > 0.0 ? scale : 1.0);
        work = measures->work;
    }
    TRY(follow_parts(run, used, true, error));
    TRY(row_sink_write(&run->measures, &(struct row){.run = run, .measures = measures}, error));
    TRY(warn_of_range(run, "the path", run->options->points->displacement, n_points, error));
    run->summary->n_loops = 1;
done:
    if (status > 0 && status != MASING_STOPPED) {
        status = masing_error_set(error, MASING_STOPPED,
                                  "the joint's force could not be followed: %s",
                                  masing_status_name(status));
    }
    return status;
}

/* ---- one amplitude ---- */

/* Rows of one cycle: the start, and the end of each part. */
static enum masing_status write_cycle(struct run *run, const struct loop_cycle *cycle,
                                      int number, bool is_steady, struct masing_error *error)
{
    const double *x = run->march.x, *force = is_steady ? run->march.steady : run->march.f;
    const double *second = is_steady ? run->march.steady2 : run->march.f2;
    int n = cycle->n_samples, stride = n / cycle->n_rows;
    bool has_equivalent = run->options->has_equivalent_bouc_wen;
    if (is_steady && has_equivalent) {
        bouc_wen_settle(&run->equivalent, x, n, stride);
    }
    for (int i = 0; i <= n; i += stride) {
        const struct row row = {
            .run = run,
            .amplitude = cycle->amplitude,
            .cycle = number,
            .displacement = x[i],
            .force = force[i],
            .is_steady = is_steady,
            .equivalent = has_equivalent ? bouc_wen_move(&run->equivalent, x[i]) : NAN,
            .displacement_2 = second ? run->march.x2[i] : NAN,
            .force_2 = second ? second[i] : NAN,
            .degrees = 360.0 * i / n,
        };
        NEED(row_sink_write(&run->rows, &row, error));
    }
    return MASING_OK;
}

/* March one more cycle from where the last one ended, or from the virgin state: the change from
 * its begin to its end, and the largest difference from the steady cycle. */
static enum masing_status march_cycle(struct loop_cycle *cycle, int marched, double *change)
{
    struct loop_march *march = cycle->march;
    double scale = cycle->measures->max_force, largest = 0.0, slip_share;
    bool is_circle = march->plane.is_circle;
    int n = cycle->n_samples, first = marched == 0 ? 0 : 1;
    march->f[0] = march->f[n];
    if (is_circle) {
        march->f2[0] = march->f2[n];
    }
    if (marched == 0) {
        loop_march_rest(march);
    }
    enum masing_status status =
        loop_march_open(march, first, n + 1 - first, loop_cycle_step(cycle), &slip_share);
    for (int i = 0; i <= n; i++) {
        double second = is_circle ? march->f2[i] - march->steady2[i] : 0.0;
        largest = fmax(largest, hypot(march->f[i] - march->steady[i], second));
    }
    scale = scale > 0.0 ? scale : 1.0;
    double change2 = is_circle ? march->f2[n] - march->f2[0] : 0.0;
    *change = marched == 0 ? INFINITY : hypot(march->f[n] - march->f[0], change2) / scale;
    cycle->measures->distance = largest / scale;
    return status;
}

/* The cycles from the virgin state; the last one is the steady one, unless the number of
 * cycles is given and they do not lead there. */
static enum masing_status march_cycles(struct run *run, struct loop_cycle *cycle,
                                       double fraction, struct masing_error *error)
{
    int wanted = run->options->n_cycles, most = wanted > 0 ? wanted : MOST_CYCLES;
    const struct masing_progress *progress = run->options->progress;
    struct masing_loop_measures *measures = cycle->measures;
    double change = INFINITY;
    bool is_steady = false;
    for (int i = 0; i < most && !is_steady; i++) {
        if (progress && progress->report) {
            progress->report(progress->context, fraction, i);
        }
        NEED(check_cancelled(run, error));
        NEED(march_cycle(cycle, i, &change));
        is_steady = measures->distance <= run->tolerance && (wanted == 0 || i + 1 == wanted);
        measures->cycles = i + 1;
        NEED(write_cycle(run, cycle, i + 1, is_steady, error));
        if (wanted == 0 && !is_steady && change < standing_change) {
            if (measures->distance > different_cycle) {
                return masing_error_set(
                    error, MASING_STOPPED,
                    "amplitude %g: the motion from the virgin state repeats "
                    "itself, but not as the periodic solution that was "
                    "found; they differ by %.2g of the largest force",
                    cycle->amplitude, measures->distance);
            }
            break; /* as near as straight steps and smooth ones come to each other */
        }
    }
    if (wanted == 0 && !is_steady) {
        int n = measures->cycles;
        NEED(warning_add(&run->warnings, error,
                         "amplitude %g: the motion from the virgin state is still %.2g of the "
                         "largest force from the steady cycle after %d cycles; the last cycle "
                         "written, %d, is the steady one itself",
                         cycle->amplitude, measures->distance, n, n + 1));
        measures->cycles = n + 1;
        NEED(write_cycle(run, cycle, n + 1, true, error));
    }
    return MASING_OK;
}

static enum masing_status warn_of_measures(struct run *run, const struct loop_cycle *cycle,
                                           struct masing_error *error)
{
    const struct masing_loop_measures *m = cycle->measures;
    double limit = energy_limit_of(run->law, run->parameters);
    char name[40];
    if (!run->law->gain_is_meant &&
        m->energy_lost < -notable_gain * m->max_force * m->largest_displacement) {
        NEED(warning_add(&run->warnings, error,
                         "amplitude %g: the steady cycle creates energy, %.4g J per cycle",
                         m->amplitude, -m->energy_lost));
    }
    if (!run->law->gain_is_meant && m->largest_displacement > limit) {
        NEED(warning_add(
            &run->warnings, error,
            "amplitude %g: the law can create energy beyond a displacement of %g m, "
            "this motion reaches %g m",
            m->amplitude, limit, m->largest_displacement));
    }
    snprintf(name, sizeof name, "amplitude %g", m->amplitude);
    NEED(warn_of_range(run, name, run->march.x, cycle->n_samples, error));
    if (cycle->uncertainty > notable_uncertainty) {
        NEED(warning_add(&run->warnings, error,
                         "amplitude %g: energy and force still change by %.1g when the samples "
                         "are doubled to %d",
                         m->amplitude, cycle->uncertainty, cycle->n_samples));
    }
    return MASING_OK;
}

static enum masing_status run_amplitude(struct run *run, int index, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    double amplitude = run->options->amplitudes[index];
    struct masing_loop_measures *measures = &run->summary->loops[index];
    struct loop_cycle cycle = {.march = &run->march,
                               .motion = &run->motion,
                               .amplitude = amplitude,
                               .omega = run->omega,
                               .n_rows = run->n_rows,
                               .measures = measures};
    *measures = (struct masing_loop_measures){.amplitude = amplitude, .work = NAN};
    TRY(run->options->has_equivalent_bouc_wen
            ? bouc_wen_create(run->law, run->parameters, amplitude, &run->equivalent, error)
            : MASING_OK);
    TRY(loop_cycle_solve(&cycle, error));
    TRY(march_cycles(run, &cycle, (double)index / run->options->n_amplitudes, error));
    TRY(row_sink_write(&run->measures, &(struct row){.run = run, .measures = measures}, error));
    TRY(warn_of_measures(run, &cycle, error));
    run->summary->n_loops++;
done:
    return status <= 0 || status == MASING_STOPPED
               ? status
               : masing_error_set(error, MASING_STOPPED,
                                  "amplitude %g: the joint's force could not be followed: %s",
                                  amplitude, masing_status_name(status));
}

/* ---- all of it ---- */

static enum masing_status follow(const struct masing_law *law, const void *parameters,
                                 const struct masing_loop_options *options,
                                 const struct masing_sink *rows,
                                 const struct masing_sink *measures,
                                 struct masing_loop_summary *summary,
                                 struct masing_error *error)
{
    static const struct masing_motion_term sine = {1, 1.0, 0.0};
    enum masing_status status = MASING_OK;
    double began = processor_time();
    struct run run = {
        .law = law,
        .parameters = parameters,
        .options = options,
        .motion = {options->n_terms > 0 ? options->n_terms : 1,
                   options->n_terms > 0 ? options->terms : &sine},
        .omega = TWO_PI * (options->frequency_hz > 0.0 ? options->frequency_hz : 1.0),
        .tolerance = options->tolerance > 0.0 ? options->tolerance : default_tolerance,
        .n_rows = options->n_rows > 0 ? options->n_rows : DEFAULT_ROWS,
        .summary = summary,
        .warnings = {&summary->warnings, &summary->n_warnings, NULL},
    };
    TRY(check_options(&run, error));
    TRY(loop_march_create(law, parameters, options->path, &run.march, error));
    int n_loops = options->points ? 1 : options->n_amplitudes;
    TRY_ALLOCATED(summary->loops = memory_array((size_t)n_loops, sizeof *summary->loops));
    struct masing_warning caution = {0};
    if (law->caution && law->caution(parameters, &caution)) {
        struct warning_text warning = {.n_values = 0};
        warning_put_sentence(&warning, &caution);
        TRY(warning_end(&run.warnings, &warning, error));
    }
    TRY(row_sink_begin(&run.rows, rows, walk_row, &(struct row){.run = &run}, error));
    TRY(row_sink_begin(&run.measures, measures, walk_measures, &(struct row){.run = &run},
                       error));
    TRY(options->points ? follow_path(&run, error) : MASING_OK);
    for (int i = 0; !options->points && i < options->n_amplitudes; i++) {
        TRY(run_amplitude(&run, i, error));
    }
done:
    status = row_sink_end(&run.rows, status, error);
    status = row_sink_end(&run.measures, status, error);
    if (status == MASING_STOPPED) {
        snprintf(summary->reason, sizeof summary->reason, "%s", error->message);
    }
    summary->seconds = processor_time() - began;
    loop_march_clear(&run.march);
    return status;
}

enum masing_status masing_loop(const struct masing_law *law, const void *parameters,
                               const struct masing_loop_options *options,
                               const struct masing_sink *rows,
                               const struct masing_sink *measures,
                               struct masing_loop_summary *summary, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct masing_loop_options chosen;
    struct masing_loop_summary found = {0};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(law, "law", error));
    TRY(entry_need(parameters, "parameters", error));
    TRY(entry_read(options, "options", &chosen, sizeof chosen, error));
    TRY(entry_need_array(chosen.n_amplitudes, chosen.amplitudes, "options.amplitudes", error));
    TRY(entry_need_array(chosen.n_terms, chosen.terms, "options.terms", error));
    if (chosen.points) {
        TRY(entry_need_array(chosen.points->n_points, chosen.points->displacement,
                             "options.points.displacement", error));
    }
    TRY(entry_check(summary, "summary", error));
    status = follow(law, parameters, &chosen, rows, measures, &found, error);
done:
    release_blas();
    if (!entry_write(summary, &found, sizeof found)) {
        masing_loop_summary_clear(&found);
    }
    return status;
}
