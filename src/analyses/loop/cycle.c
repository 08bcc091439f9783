/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loss is the integral of f dx/dt over a period by the trapezoidal rule, which converges
 * faster than any power of the step where all is smooth. At corners of the force (the onset of
 * slip) its error falls with the square of the step: samples are doubled until nothing that
 * matters changes.
 */
#include "analyses/loop/cycle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/bracket.h"
#include "linalg/dense.h"

/* ---- the joint's march along samples of its motion ---- */

/* Axes of a contact, see masing_contact. */
enum { AXIS_NORMAL, AXIS_Y, AXIS_Z };

static const double origin[MASING_MAX_AXES];

/* Cosine and sine, exact at quarter turns. */
static void direction(double degrees, double *cosine, double *sine)
{
    const double radians = PI / 180.0;
    double quarters = degrees / 90.0;
    double rest = quarters - round(quarters);
    int turns = (int)(fmod(round(quarters), 4.0) + 4.0) % 4;
    double c = cos(90.0 * rest * radians), s = sin(90.0 * rest * radians);
    const double cosines[] = {c, -s, -c, s}, sines[] = {s, c, -s, -c};
    *cosine = cosines[turns];
    *sine = sines[turns];
}

static enum masing_status choose_plane(const struct masing_law *law, const void *parameters,
                                       const struct masing_loop_path *path,
                                       struct loop_plane *plane, struct masing_error *error)
{
    double degrees = path ? path->degrees : 0.0;
    int index[MASING_MAX_AXES]; /* among the axes that are there, -1: it is fixed */
    *plane = (struct loop_plane){.is_circle = path && path->is_circle};
    if (!law->contact && law->n_axes == 2) { /* a plane of its own */
        plane->n_axes = 2;
        direction(plane->is_circle ? 0.0 : degrees, &plane->first[0], &plane->first[1]);
        plane->second[1] = plane->is_circle ? 1.0 : 0.0;
        return MASING_OK;
    }
    if (!law->contact) {
        plane->n_axes = 1;
        plane->first[0] = 1.0;
        return law->n_axes != 1
                   ? masing_error_set(error, MASING_UNSUPPORTED,
                                      "loops of law '%s', which has several axes and is no "
                                      "contact, are not supported",
                                      law->name)
               : path ? masing_error_set(error, MASING_INVALID,
                                         "a path in the tangential plane belongs to contacts; "
                                         "law '%s' has one axis",
                                         law->name)
                      : MASING_OK;
    }
    unsigned axes = law->contact->axes(parameters);
    for (int a = 0; a < MASING_MAX_AXES; a++) {
        index[a] = axes >> a & 1u ? plane->n_axes++ : -1;
    }
    int y = index[AXIS_Y], z = index[AXIS_Z], only = y >= 0 ? y : z;
    if (only < 0) {
        return masing_error_set(error, MASING_INVALID,
                                "the joint has no tangential direction to be moved in");
    }
    if (y >= 0 && z >= 0) {
        direction(plane->is_circle ? 0.0 : degrees, &plane->first[y], &plane->first[z]);
        plane->second[z] = plane->is_circle ? 1.0 : 0.0;
        return MASING_OK;
    }
    plane->first[only] = fmod(degrees, 360.0) == 0.0 ? 1.0 : -1.0;
    return !plane->is_circle && fmod(degrees, 180.0) == 0.0
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "the path leaves the only tangential direction that the "
                                  "joint has, '%s', expected line:0 or line:180",
                                  law->axis_names[y >= 0 ? AXIS_Y : AXIS_Z]);
}

enum masing_status loop_march_create(const struct masing_law *law, const void *parameters,
                                     const struct masing_loop_path *path,
                                     struct loop_march *march, struct masing_error *error)
{
    *march = (struct loop_march){.law = law, .parameters = parameters};
    NEED(choose_plane(law, parameters, path, &march->plane, error));
    march->state_size = masing_law_state_size(law, parameters);
    NEED_ALLOCATED(march->state = memory_array(3 * march->state_size, sizeof(double)));
    march->found = march->state + march->state_size;
    march->scratch = march->found + march->state_size;
    return MASING_OK;
}

void loop_march_clear(struct loop_march *march)
{
    free(march->samples);
    free(march->state);
}

enum masing_status loop_march_reserve(struct loop_march *march, int n_samples,
                                      struct masing_error *error)
{
    const struct masing_law *law = march->law;
    double **const plain[] = {&march->x, &march->v, &march->f, &march->steady};
    double **const circle[] = {&march->x2, &march->v2, &march->f2, &march->steady2};
    double **const joint[] = {&march->joint_x, &march->joint_v, &march->joint_f};
    size_t n = (size_t)n_samples + 1, n_axes = (size_t)march->plane.n_axes;
    size_t n_circle = march->plane.is_circle ? n : 0, n_joint = n_axes > 1 ? n * n_axes : 0;
    size_t n_workspace = law->family->workspace_size(law, n_samples + 1, 0, 0);
    if (n_samples <= march->capacity) {
        return MASING_OK;
    }
    free(march->samples);
    march->samples =
        memory_array(4 * n + 4 * n_circle + 3 * n_joint + n_workspace, sizeof(double));
    march->capacity = march->samples ? n_samples : 0;
    NEED_ALLOCATED(march->samples);
    double *rest = march->samples;
    for (int i = 0; i < 4; i++) {
        *plain[i] = memory_part(&rest, n);
        *circle[i] = memory_part(&rest, n_circle);
    }
    for (int i = 0; i < 3; i++) {
        *joint[i] = memory_part(&rest, n_joint);
    }
    march->workspace = rest;
    return MASING_OK;
}

void loop_march_rest(struct loop_march *march)
{
    masing_law_rest(march->law, march->parameters, origin, march->state);
}

/* Joint axes from displacements, or velocities, along the path. */
static void spread(const struct loop_plane *plane, const double *along, const double *ahead,
                   int count, double *joint)
{
    size_t n_axes = (size_t)plane->n_axes;
    for (size_t i = 0; i < (size_t)count; i++) {
        for (size_t a = 0; a < n_axes; a++) {
            joint[i * n_axes + a] =
                plane->first[a] * along[i] + (ahead ? plane->second[a] * ahead[i] : 0.0);
        }
    }
}

static void project(const struct loop_plane *plane, const double *direction,
                    const double *joint, int count, double *along)
{
    size_t n_axes = (size_t)plane->n_axes;
    for (size_t i = 0; i < (size_t)count; i++) {
        along[i] = 0.0;
        for (size_t a = 0; a < n_axes; a++) {
            along[i] += direction[a] * joint[i * n_axes + a];
        }
    }
}

/* Samples of the march from `first` on; forces along the path go to force and force2. */
static enum masing_status follow(struct loop_march *march, struct masing_path path, int first,
                                 double *state, double *force, double *force2,
                                 double *slip_share)
{
    const struct loop_plane *plane = &march->plane;
    bool is_plain = plane->n_axes == 1;
    struct masing_forces forces = {.f = is_plain ? force : march->joint_f};
    path.n_axes = plane->n_axes;
    path.origin = origin;
    path.x = is_plain ? march->x + first : march->joint_x;
    path.v = is_plain ? march->v + first : march->joint_v;
    if (!is_plain) {
        bool is_circle = plane->is_circle;
        spread(plane, march->x + first, is_circle ? march->x2 + first : NULL, path.n_samples,
               march->joint_x);
        spread(plane, march->v + first, is_circle ? march->v2 + first : NULL, path.n_samples,
               march->joint_v);
    }
    enum masing_status status = masing_law_march(march->law, march->parameters, &path, state,
                                                 &forces, NULL, march->workspace);
    if (!is_plain) {
        project(plane, plane->first, march->joint_f, path.n_samples, force);
    }
    if (plane->is_circle) {
        project(plane, plane->second, march->joint_f, path.n_samples, force2);
    }
    *slip_share = forces.slip_share;
    return status;
}

enum masing_status loop_march_open(struct loop_march *march, int first, int count,
                                   double time_step, double *slip_share)
{
    const struct masing_path path = {.n_samples = count, .time_step = time_step};
    double *force2 = march->plane.is_circle ? march->f2 + first : NULL;
    return follow(march, path, first, march->state, march->f + first, force2, slip_share);
}

/* One straight step from march->state, along a line or of a joint of one axis: the force at x,
 * and in march->scratch the state there. */
static enum masing_status march_step(struct loop_march *march, double x, double *force)
{
    const struct loop_plane *plane = &march->plane;
    const double still[MASING_MAX_AXES] = {0.0};
    double end[MASING_MAX_AXES], f[MASING_MAX_AXES];
    const struct masing_step step = {.law = march->law,
                                     .parameters = march->parameters,
                                     .x = end,
                                     .v = still,
                                     .state = march->state,
                                     .next_state = march->scratch,
                                     .f = f};
    spread(plane, &x, NULL, 1, end);
    enum masing_status status = masing_law_take(&step);
    project(plane, plane->first, f, 1, force);
    return status;
}

/* The periodic solution over samples 0 .. n - 1 and once more the first; searched for from
 * @p guess, which receives what was found. @p force is march->f or march->steady. */
static enum masing_status march_periodic(struct loop_march *march, int n_samples,
                                         double time_step, double *guess, double *force,
                                         double *slip_share)
{
    const struct masing_path path = {
        .n_samples = n_samples, .is_periodic = true, .time_step = time_step};
    double *force2 = force == march->f ? march->f2 : march->steady2;
    enum masing_status status = follow(march, path, 0, guess, force, force2, slip_share);
    force[n_samples] = force[0];
    if (march->plane.is_circle) {
        force2[n_samples] = force2[0];
    }
    return status;
}

/* ---- the prescribed motion: amplitude sum_h s_h sin(h t) + c_h cos(h t) ---- */

enum { MOST_TURNINGS = 2 * MASING_MOTION_HARMONIC };

/* Relative difference of displacements that is round-off. */
static const double same_displacement = 1e-14;

/* Sine of 2 pi index / n, n a multiple of 4, symmetric to the last bit. */
static double sine_at(long index, int n)
{
    long quarter = n / 4, i = index % n;
    i = i < 0 ? i + n : i;
    double sign = i < 2 * quarter ? 1.0 : -1.0;
    i = i % (2 * quarter);
    i = i > quarter ? 2 * quarter - i : i; /* in the first quarter */
    return sign * (2 * i > quarter ? cos(TWO_PI * (double)(quarter - i) / n)
                                   : sin(TWO_PI * (double)i / n));
}

/* The motion at an amplitude of one, and its derivative by the angle. */
struct shape {
    double x, slope;
};

static void add(struct shape *shape, const struct masing_motion_term *term, double sine,
                double cosine)
{
    shape->x += term->sine * sine + term->cosine * cosine;
    shape->slope += term->harmonic * (term->sine * cosine - term->cosine * sine);
}

static struct shape shape_at(const struct loop_motion *motion, double angle)
{
    struct shape shape = {0.0, 0.0};
    for (int t = 0; t < motion->n_terms; t++) {
        double at = motion->terms[t].harmonic * angle;
        add(&shape, &motion->terms[t], sin(at), cos(at));
    }
    return shape;
}

/*
 * Fill x and v of the march with n + 1 samples of one period from the angle @p phase, the last
 * one the first again. From phase 0 those of a sine are exactly antisymmetric; n is a multiple
 * of 4.
 */
static void sample_motion(const struct loop_cycle *cycle, double phase, int n)
{
    const struct loop_motion *motion = cycle->motion;
    for (int i = 0; i <= n; i++) {
        struct shape shape = {0.0, 0.0};
        for (int t = 0; t < motion->n_terms && phase == 0.0; t++) {
            long index = (long)motion->terms[t].harmonic * i;
            add(&shape, &motion->terms[t], sine_at(index, n), sine_at(index + n / 4, n));
        }
        if (phase != 0.0) {
            shape = shape_at(motion, phase + TWO_PI * (i % n) / n);
        }
        cycle->march->x[i] = cycle->amplitude * shape.x;
        cycle->march->v[i] = cycle->amplitude * shape.slope * cycle->omega;
    }
}

static int highest_harmonic(const struct loop_motion *motion)
{
    int highest = 1;
    for (int t = 0; t < motion->n_terms; t++) {
        int harmonic = motion->terms[t].harmonic;
        highest = harmonic > highest ? harmonic : highest;
    }
    return highest;
}

/* Angles in [0, 2 pi), ascending, at which the motion turns; returns how many. */
static int find_turnings(const struct loop_motion *motion, double angles[MOST_TURNINGS])
{
    enum { PER_HARMONIC = 64 };
    int n = PER_HARMONIC * highest_harmonic(motion), count = 0;
    double before = shape_at(motion, 0.0).slope;
    for (int i = 0; i < n && count < MOST_TURNINGS; i++) {
        double from = TWO_PI * i / n, to = TWO_PI * (i + 1) / n;
        double after = shape_at(motion, to).slope;
        if ((before > 0.0) != (after > 0.0)) {
            struct bracket bracket = bracket_of(from, before, to, after);
            while (bracket_next(&bracket, 0.0)) {
                bracket_set(&bracket, shape_at(motion, bracket.x).slope);
            }
            angles[count++] = bracket_root(&bracket);
        }
        before = after;
    }
    return count;
}

/*
 * ---- energy and largest force of a rate-independent law, to nearly round-off ----
 *
 * The force is a function of the displacement from one turning point to the next. Its integral
 * is taken by adaptive Simpson's rule over each step between samples and turning points, so
 * that the place of a corner (the onset of slip) is closed in on.
 */

/* Halvings of a step at a corner of the force. */
enum { MOST_HALVINGS = 40 };

/* Error of the integral over a step: of the loss, and of force times displacement. */
static const double loss_tolerance = 1e-13, energy_tolerance = 1e-17;

/* Angles nearer than this are the same, rad. */
static const double same_angle = 1e-12;

/* A straight step; forces in it follow from the state at its start. */
struct step {
    struct loop_march *march;
    double start;
    double tolerance; /* J */
    enum masing_status status;
};

/* One side of Simpson's rule. */
struct piece {
    double a, b, fa, fm, fb;
};

/* The force at x, with march->scratch as the state there. */
static double force_at(struct step *step, double x)
{
    double f = NAN;
    enum masing_status status = march_step(step->march, x, &f);
    step->status = step->status == MASING_OK ? status : step->status;
    return f;
}

static double simpson(const struct piece *piece)
{
    return (piece->b - piece->a) * (piece->fa + 4.0 * piece->fm + piece->fb) / 6.0;
}

static double integrate(struct step *step, const struct piece *piece, int halvings)
{
    double middle = 0.5 * (piece->a + piece->b), whole = simpson(piece);
    struct piece left = {piece->a, middle, piece->fa, force_at(step, 0.5 * (piece->a + middle)),
                         piece->fm};
    struct piece right = {middle, piece->b, piece->fm,
                          force_at(step, 0.5 * (middle + piece->b)), piece->fb};
    double halves = simpson(&left) + simpson(&right);
    if (!(fabs(halves - whole) > step->tolerance) || halvings == 0 ||
        step->status != MASING_OK) {
        return halves + (halves - whole) / 15.0;
    }
    return integrate(step, &left, halvings - 1) + integrate(step, &right, halvings - 1);
}

struct sums {
    double work, max_force, largest, force_at_largest;
};

/* From where the march's state stands to x; f is the force there before and after. */
static enum masing_status step_to(struct step *step, double x, double *f, struct sums *sums)
{
    struct loop_march *march = step->march;
    if (x != step->start && sums) {
        struct piece piece = {step->start, x, *f, force_at(step, 0.5 * (step->start + x)),
                              force_at(step, x)};
        sums->work += integrate(step, &piece, MOST_HALVINGS);
        sums->max_force = fmax(sums->max_force, fmax(fabs(piece.fm), fabs(piece.fb)));
    }
    *f = force_at(step, x);
    memcpy(march->state, march->scratch, march->state_size * sizeof(double));
    step->start = x;
    if (sums && fabs(x) > fabs(sums->largest)) {
        sums->largest = x;
        sums->force_at_largest = *f;
    }
    return step->status;
}

/* One period, with stops where the motion turns. */
static enum masing_status step_through_period(const struct loop_cycle *cycle, int n_turnings,
                                              const double *turnings, struct step *step,
                                              double *f, struct sums *sums)
{
    int stride = cycle->n_samples / cycle->n_rows, k = 0;
    for (int i = 1; i <= cycle->n_rows; i++) {
        double angle = TWO_PI * i / cycle->n_rows;
        for (; k < n_turnings && turnings[k] <= angle + same_angle; k++) {
            if (turnings[k] < angle - same_angle) {
                double x = shape_at(cycle->motion, turnings[k]).x;
                NEED(step_to(step, cycle->amplitude * x, f, sums));
            }
        }
        NEED(step_to(step, cycle->march->x[i * stride], f, sums));
    }
    return MASING_OK;
}

static enum masing_status refine_energy(struct loop_cycle *cycle)
{
    struct loop_march *march = cycle->march;
    struct masing_loop_measures *measures = cycle->measures;
    double scale = measures->max_force * measures->largest_displacement, f = 0.0;
    double turnings[MOST_TURNINGS];
    struct step step = {
        march, march->x[0],
        fmax(loss_tolerance * fabs(measures->energy_lost), energy_tolerance * scale),
        MASING_OK};
    struct sums sums = {0};
    int n = find_turnings(cycle->motion, turnings);
    memcpy(march->state, march->found, march->state_size * sizeof(double));
    /* first until it turns where the motion does, to round-off */
    NEED(step_through_period(cycle, n, turnings, &step, &f, NULL));
    NEED(step_through_period(cycle, n, turnings, &step, &f, &sums));
    measures->energy_lost = sums.work;
    measures->max_force = sums.max_force;
    measures->largest_displacement = fabs(sums.largest);
    measures->secant_stiffness = sums.force_at_largest / sums.largest;
    return MASING_OK;
}

/* ---- samples and measures of the cycle ---- */

/* Energies below this part of force times displacement are none. */
static const double round_off = 1e-15;

/* Relative change by the last doubling at which loss and largest force hold. */
static const double precision = 1e-8;

/* The same where what follows does better than the samples, see complete_measures. */
static const double rough_precision = 1e-6;

/* Samples per period: at least, at most, and for each harmonic of the motion; samples times
 * elements of a law at most. */
enum {
    FEWEST_SAMPLES = 4096,
    MOST_SAMPLES = 1 << 18,
    PER_HARMONIC = 1024,
    MOST_ELEMENT_SAMPLES = 1 << 24
};

/* Samples and cycles that lead near the steady state. */
enum { FEWEST_GUESSED = 256, PER_HARMONIC_GUESSED = 64, MOST_GUESSED = 32 };

double loop_cycle_step(const struct loop_cycle *cycle)
{
    return TWO_PI / (cycle->omega * cycle->n_samples);
}

static enum masing_status sample(struct loop_cycle *cycle, int n_samples,
                                 struct masing_error *error)
{
    struct loop_march *march = cycle->march;
    enum masing_status status = loop_march_reserve(march, n_samples, error);
    if (status == MASING_OK) {
        sample_motion(cycle, 0.0, n_samples);
        for (int i = 0; i <= n_samples && march->plane.is_circle; i++) {
            int ahead = (i + n_samples / 4) % n_samples;
            march->x2[i] = march->x[ahead];
            march->v2[i] = march->v[ahead];
        }
        cycle->n_samples = n_samples;
    }
    return status;
}

/* The state in march->found after some cycles from the virgin state, where the search for the
 * periodic solution begins: of several solutions it is the one that the virgin joint comes to.
 */
static enum masing_status guess(struct loop_cycle *cycle, struct masing_error *error)
{
    struct loop_march *march = cycle->march;
    int n = FEWEST_GUESSED;
    double slip_share, before = INFINITY;
    while (n < PER_HARMONIC_GUESSED * highest_harmonic(cycle->motion)) {
        n *= 2;
    }
    NEED(sample(cycle, n, error));
    loop_march_rest(march);
    NEED(loop_march_open(march, 0, 1, loop_cycle_step(cycle), &slip_share));
    for (int i = 0; i < MOST_GUESSED && march->f[n] != before; i++) {
        before = march->f[n];
        NEED(loop_march_open(march, 1, n, loop_cycle_step(cycle), &slip_share));
    }
    memcpy(march->found, march->state, march->state_size * sizeof(double));
    return MASING_OK;
}

static void measure_first_harmonic(const struct loop_cycle *cycle,
                                   struct masing_loop_measures *measures)
{
    const struct loop_march *march = cycle->march;
    int n = cycle->n_samples, n_directions = march->plane.is_circle ? 2 : 1;
    double square = 0.0, in_phase = 0.0, ahead = 0.0, x_sine = 0.0, x_cosine = 0.0;
    for (int t = 0; t < cycle->motion->n_terms; t++) {
        const struct masing_motion_term *term = &cycle->motion->terms[t];
        x_sine += term->harmonic == 1 ? term->sine : 0.0;
        x_cosine += term->harmonic == 1 ? term->cosine : 0.0;
    }
    x_sine *= cycle->amplitude;
    x_cosine *= cycle->amplitude;
    for (int d = 0; d < n_directions; d++) {
        const double *f = d == 0 ? march->steady : march->steady2;
        double sine = 0.0, cosine = 0.0;
        for (int i = 0; i < n; i++) {
            sine += f[i] * sine_at(i, n) * 2.0 / n;
            cosine += f[i] * sine_at(i + (long)n / 4, n) * 2.0 / n;
        }
        square += x_sine * x_sine + x_cosine * x_cosine;
        in_phase += cosine * x_cosine + sine * x_sine;
        ahead += cosine * x_sine - sine * x_cosine;
        double before = x_sine; /* of sin(t + pi/2) = cos t, cos(t + pi/2) = -sin t */
        x_sine = -x_cosine;
        x_cosine = before;
    }
    bool has_first = square > 0.0;
    /* (F_c - i F_s) / (X_c - i X_s), complex amplitudes of exp(i theta) */
    measures->first_harmonic_stiffness = has_first ? in_phase / square : NAN;
    measures->first_harmonic_damping = has_first ? ahead / square : NAN;
    measures->loss_factor =
        measures->first_harmonic_damping / measures->first_harmonic_stiffness;
    if (!(fabs(measures->first_harmonic_stiffness) >
          1e-12 * fabs(measures->first_harmonic_damping))) {
        measures->loss_factor = NAN; /* no stiffness to refer to, but for round-off */
    }
}

/*
 * Largest absolute value of the force. Between samples it is that of a parabola, where the
 * force is smooth there: at a corner, and beside one, third differences are as large as second.
 */
static double largest_force(const double *f, int n)
{
    int at = dense_largest(n, f);
    double near[5], sign = copysign(1.0, f[at]), value = fabs(f[at]);
    for (int m = 0; m < 5; m++) {
        near[m] = sign * f[(at - 2 + m + n) % n];
    }
    double curvature = 2.0 * near[2] - near[1] - near[3], slope = near[3] - near[1];
    double third = fmax(fabs(near[3] - 3.0 * near[2] + 3.0 * near[1] - near[0]),
                        fabs(near[4] - 3.0 * near[3] + 3.0 * near[2] - near[1]));
    bool is_smooth = curvature > 1e-14 * value && third < 0.2 * curvature;
    return is_smooth ? value + slope * slope / (8.0 * curvature) : value;
}

static void measure(const struct loop_cycle *cycle, struct masing_loop_measures *measures)
{
    const struct loop_march *march = cycle->march;
    int n = cycle->n_samples, largest = dense_largest(cycle->n_samples, cycle->march->x);
    double work = 0.0;
    for (int i = 0; i < n; i++) {
        work += march->steady[i] * march->v[i];
    }
    measures->energy_lost = work * loop_cycle_step(cycle);
    measures->max_force = isfinite(work) ? largest_force(march->steady, n) : NAN;
    measures->largest_displacement = fabs(march->x[largest]);
    measures->secant_stiffness = march->steady[largest] / march->x[largest];
    measure_first_harmonic(cycle, measures);
    if (!march->plane.is_circle) {
        return;
    }
    /* largest length of the force, and its part along the displacement over that */
    double along = march->steady[0] * march->x[0] + march->steady2[0] * march->x2[0];
    double square = march->x[0] * march->x[0] + march->x2[0] * march->x2[0];
    measures->max_force = 0.0;
    for (int i = 0; i < n; i++) {
        measures->energy_lost += march->steady2[i] * march->v2[i] * loop_cycle_step(cycle);
        measures->max_force =
            fmax(measures->max_force, hypot(march->steady[i], march->steady2[i]));
    }
    measures->largest_displacement = sqrt(square);
    measures->secant_stiffness = along / square;
}

/* Where the largest displacement falls between two samples: once more with samples from there
 * on, searched for from the state that the steady cycle has nearby. */
static enum masing_status measure_extremum(struct loop_cycle *cycle, struct masing_error *error)
{
    struct loop_march *march = cycle->march;
    struct masing_loop_measures *measures = cycle->measures;
    int n = cycle->n_samples;
    double angles[MOST_TURNINGS], angle = 0.0, size = -1.0, slip_share;
    int n_turnings = find_turnings(cycle->motion, angles);
    for (int i = 0; i < n_turnings; i++) {
        double x = fabs(shape_at(cycle->motion, angles[i]).x);
        if (x > size * (1.0 + same_displacement)) {
            size = x;
            angle = angles[i];
        }
    }
    double largest = cycle->amplitude * shape_at(cycle->motion, angle).x;
    if (fabs(largest) <= measures->largest_displacement * (1.0 + same_displacement)) {
        return MASING_OK;
    }
    memcpy(march->state, march->found, march->state_size * sizeof(double));
    int near = dense_largest(cycle->n_samples, cycle->march->x);
    NEED(near > 0 ? loop_march_open(march, 1, near, loop_cycle_step(cycle), &slip_share)
                  : MASING_OK);
    sample_motion(cycle, angle, n);
    NEED(march_periodic(march, n, loop_cycle_step(cycle), march->state, march->f, &slip_share));
    measures->largest_displacement = fabs(largest);
    measures->secant_stiffness = march->f[0] / largest;
    measures->max_force = fmax(measures->max_force, fabs(march->f[0]));
    return sample(cycle, n, error);
}

/* Largest relative change of what is refined; round-off counts as none. */
static double change_of(const struct masing_loop_measures *before,
                        const struct masing_loop_measures *now)
{
    double lost = fabs(now->energy_lost - before->energy_lost);
    double force = fabs(now->max_force - before->max_force);
    double scale = now->max_force * now->largest_displacement;
    return fmax(lost <= 1e-13 * scale ? 0.0 : lost / fabs(now->energy_lost),
                force <= 0.0 ? 0.0 : force / fabs(now->max_force));
}

/* Round a circle all is smooth: the error of the polygon that the samples are falls with the
 * square of the step, and is known from the last two. */
static void extrapolate_circle(const struct masing_loop_measures *before,
                               struct masing_loop_measures *now)
{
    const double earlier[] = {before->energy_lost, before->secant_stiffness,
                              before->first_harmonic_stiffness, before->first_harmonic_damping};
    double *const values[] = {&now->energy_lost, &now->secant_stiffness,
                              &now->first_harmonic_stiffness, &now->first_harmonic_damping};
    for (int i = 0; i < 4; i++) {
        *values[i] += (*values[i] - earlier[i]) / 3.0;
    }
    now->loss_factor = now->first_harmonic_damping / now->first_harmonic_stiffness;
}

/* Make good what the samples leave open. */
static enum masing_status complete_measures(struct loop_cycle *cycle,
                                            const struct masing_loop_measures *before,
                                            struct masing_error *error)
{
    const struct loop_march *march = cycle->march;
    struct masing_loop_measures *measures = cycle->measures;
    bool is_rate_free = !masing_law_needs_velocity(march->law, march->parameters);
    if (march->plane.is_circle) {
        extrapolate_circle(before, measures);
        cycle->uncertainty *= cycle->uncertainty;
    } else if (is_rate_free) {
        NEED(refine_energy(cycle));
        cycle->uncertainty = march->law->contact ? 0.0 : cycle->uncertainty;
    } else {
        NEED(measure_extremum(cycle, error));
    }
    if (fabs(measures->energy_lost) <=
        round_off * measures->max_force * measures->largest_displacement) {
        measures->energy_lost = 0.0;
    }
    return MASING_OK;
}

enum masing_status loop_cycle_solve(struct loop_cycle *cycle, struct masing_error *error)
{
    struct loop_march *march = cycle->march;
    struct masing_loop_measures *measures = cycle->measures, before = *measures;
    bool is_refined =
        march->plane.is_circle || !masing_law_needs_velocity(march->law, march->parameters);
    double wanted = march->law->contact && is_refined ? rough_precision : precision;
    int n_elements = march->law->n_elements ? march->law->n_elements(march->parameters) : 1;
    int most = MOST_ELEMENT_SAMPLES / (n_elements > 0 ? n_elements : 1), n_passes = 0;
    int fewest = PER_HARMONIC * highest_harmonic(cycle->motion), n = cycle->n_rows;
    most = most < MOST_SAMPLES ? most : MOST_SAMPLES;
    fewest = fewest > FEWEST_SAMPLES ? fewest : FEWEST_SAMPLES;
    while (n < fewest) {
        n *= 2;
    }
    NEED(guess(cycle, error));
    cycle->uncertainty = INFINITY;
    for (; cycle->uncertainty > wanted && (n <= most || n_passes < 2); n *= 2) {
        before = *measures;
        NEED(sample(cycle, n, error));
        NEED(march_periodic(march, n, loop_cycle_step(cycle), march->found, march->steady,
                            &measures->slip_share));
        measure(cycle, measures);
        if (!isfinite(measures->energy_lost)) {
            NEED(MASING_NOT_FINITE);
        }
        cycle->uncertainty = n_passes++ == 0 ? INFINITY : change_of(&before, measures);
    }
    return complete_measures(cycle, &before, error);
}
