/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two-mass damper of the examples costs in plain C, written for nothing else: the
 * floor that a general program is measured against. By harmonic balance: exact phases of a
 * slider that slips twice a period, exact Jacobian, own LU, the curve followed by arc length
 * with two Newton steps a point. By integration: average acceleration (Newmark, 1959), the
 * slider solved for in closed form.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "benchmarks.h"

enum { MOST = 15, MOST_N = 2 * MOST + 2, N_TURNS = 2, N_POINTS = 20 };

static const double PI = 3.141592653589793238462643383280;
static const double TO_GROUND = 41339, BETWEEN = 41328, LOAD = 10; /* N/m, N */
static const double STIFFNESS = 40000, SLIP_FORCE = 15;            /* of the damper at 30 N */
static const double FROM = 21, FIRST_STEP = 0.05; /* Hz; it slips from there on */

/* Modes of two masses of 1 kg. */
struct structure {
    double omega[2], shape[2][2], ratio; /* shape[mode][mass] */
};

static struct structure two_masses(double ratio)
{
    double a = TO_GROUND + BETWEEN, half = 0.5 * (a + BETWEEN);
    double root = sqrt(half * half - (a * BETWEEN - BETWEEN * BETWEEN));
    struct structure made = {.ratio = ratio};
    for (int k = 0; k < 2; k++) {
        double square = half + (k == 0 ? -root : root);
        double length = hypot(BETWEEN, a - square);
        made.omega[k] = sqrt(square);
        made.shape[k][0] = BETWEEN / length;
        made.shape[k][1] = (a - square) / length;
    }
    return made;
}

/* Displacement of one mass by a force of 1 on another, real and imaginary part, then its
 * derivative by omega. */
static void compliance(const struct structure *s, int i, int j, double omega, double g[4])
{
    memset(g, 0, 4 * sizeof *g);
    for (int k = 0; k < 2; k++) {
        double twice = 2 * s->ratio * s->omega[k], part = s->shape[k][i] * s->shape[k][j];
        double real = s->omega[k] * s->omega[k] - omega * omega, imaginary = twice * omega;
        double size = 1 / (real * real + imaginary * imaginary);
        double c = real * size, d = -imaginary * size; /* 1 / (real + i imaginary) */
        double cc = c * c - d * d, cd = 2 * c * d;
        g[0] += part * c;
        g[1] += part * d;
        g[2] += part * (2 * omega * cc + twice * cd);
        g[3] += part * (2 * omega * cd - twice * cc);
    }
}

/* --- harmonic balance --- */

/* Coefficients are in the order mean, cosine and sine of 1, 2, ... */
struct balance {
    struct structure structure;
    int highest, n; /* of the unknowns: coefficients and omega */
    double q[MOST_N], f[MOST_N], residual[MOST_N], jacobian[MOST_N][MOST_N];
    double along[MOST_N], predicted[MOST_N];
    double turn[N_TURNS], slip[N_TURNS]; /* angles: maximum, minimum; where slip begins after */
};

static void multiples(double angle, int n, double c[], double s[])
{
    c[0] = 1;
    s[0] = 0;
    c[1] = cos(angle);
    s[1] = sin(angle);
    for (int m = 2; m <= n; m++) {
        c[m] = c[m - 1] * c[1] - s[m - 1] * s[1];
        s[m] = s[m - 1] * c[1] + c[m - 1] * s[1];
    }
}

/* Displacement and its first two derivatives by the angle. */
static void motion(const struct balance *b, double angle, double value[3])
{
    double c[MOST + 1], s[MOST + 1];
    multiples(angle, b->highest, c, s);
    value[0] = b->q[0];
    value[1] = value[2] = 0;
    for (int h = 1; h <= b->highest; h++) {
        double even = b->q[2 * h - 1] * c[h] + b->q[2 * h] * s[h];
        value[0] += even;
        value[1] += h * (b->q[2 * h] * c[h] - b->q[2 * h - 1] * s[h]);
        value[2] -= h * h * even;
    }
}

/* Newton from the angle that was the root last time; d 0: of the displacement, 1: of its slope.
 */
static double root(const struct balance *b, int d, double level, double angle)
{
    double value[3], step = 1;
    for (int i = 0; i < 8 && fabs(step) > 1e-9; i++) {
        motion(b, angle, value);
        step = (value[d] - level) / value[d + 1];
        angle -= step;
    }
    return angle;
}

/* Signs of the four phases: stick after the maximum, slip, stick after the minimum, slip. */
static void put_forces(struct balance *b)
{
    int top = 2 * b->highest, n = b->n - 1;
    double c[5][2 * MOST + 1], s[5][2 * MOST + 1], whole[2][2 * MOST + 1];
    double part[4][MOST_N], value[3], angles[5];
    for (int p = 0; p < N_TURNS; p++) {
        b->turn[p] = root(b, 1, 0, b->turn[p]);
        motion(b, b->turn[p], value);
        b->slip[p] =
            root(b, 0, value[0] + (p == 0 ? -2 : 2) * SLIP_FORCE / STIFFNESS, b->slip[p]);
        angles[2 * p] = b->turn[p];
        angles[2 * p + 1] = b->slip[p];
    }
    for (int i = 0; i < 4; i++) {
        multiples(angles[i], top, c[i], s[i]);
    }
    memcpy(c[4], c[0], sizeof c[0]);
    memcpy(s[4], s[0], sizeof s[0]);
    angles[4] = angles[0] + 2 * PI;
    whole[0][0] = angles[1] - angles[0] + angles[3] - angles[2];
    whole[1][0] = 0;
    for (int m = 1; m <= top; m++) { /* of cosine and sine over both sticks */
        whole[0][m] = (s[1][m] - s[0][m] + s[3][m] - s[2][m]) / m;
        whole[1][m] = -(c[1][m] - c[0][m] + c[3][m] - c[2][m]) / m;
    }
    for (int i = 0; i < 4; i++) {
        part[i][0] = 0.5 * (angles[i + 1] - angles[i]); /* the mean has half the weight */
        for (int m = 1; m <= b->highest; m++) {
            part[i][2 * m - 1] = (s[i + 1][m] - s[i][m]) / m;
            part[i][2 * m] = -(c[i + 1][m] - c[i][m]) / m;
        }
    }
    for (int row = 0; row < n; row++) {
        int m = (row + 1) / 2;
        bool is_sine = row > 0 && row % 2 == 0;
        double scale = STIFFNESS / PI * (row == 0 ? 0.5 : 1), *out = b->jacobian[row];
        double first = STIFFNESS / PI * part[0][row], second = STIFFNESS / PI * part[2][row];
        out[0] = scale * whole[is_sine][m] - first - second;
        for (int j = 1; j <= b->highest; j++) {
            int less = j > m ? j - m : m - j, more = j + m;
            double sign = j > m ? 1 : -1; /* the integral of a sine is odd */
            double even = is_sine ? whole[1][more] - sign * whole[1][less]
                                  : whole[0][more] + whole[0][less];
            double odd = is_sine ? whole[0][less] - whole[0][more]
                                 : whole[1][more] + sign * whole[1][less];
            out[2 * j - 1] = 0.5 * scale * even - first * c[0][j] - second * c[2][j];
            out[2 * j] = 0.5 * scale * odd - first * s[0][j] - second * s[2][j];
        }
        b->f[row] =
            SLIP_FORCE / PI * (part[0][row] - part[1][row] - part[2][row] + part[3][row]);
        for (int j = 0; j < n; j++) {
            b->f[row] += out[j] * b->q[j];
        }
    }
}

/* q - G_load P + G f and its derivative, and the equation of the arc length. */
static void put_rows(struct balance *b)
{
    double g[4], load[4], omega = b->q[b->n - 1];
    compliance(&b->structure, 0, 0, 0, g);
    b->residual[0] = b->q[0] + g[0] * b->f[0];
    for (int j = 0; j < b->n - 1; j++) {
        b->jacobian[0][j] *= g[0];
    }
    b->jacobian[0][b->n - 1] = 0;
    compliance(&b->structure, 0, 1, omega, load);
    for (int h = 1; h <= b->highest; h++) {
        int r = 2 * h - 1;
        double a = b->f[r], d = b->f[r + 1], size = h == 1 ? LOAD : 0;
        double *even = b->jacobian[r], *odd = b->jacobian[r + 1];
        compliance(&b->structure, 0, 0, h * omega, g);
        b->residual[r] = b->q[r] + g[0] * a + g[1] * d - load[0] * size;
        b->residual[r + 1] = b->q[r + 1] + g[0] * d - g[1] * a + load[1] * size;
        for (int j = 0; j < b->n - 1; j++) {
            double cosine = even[j], sine = odd[j];
            even[j] = g[0] * cosine + g[1] * sine;
            odd[j] = g[0] * sine - g[1] * cosine;
        }
        even[b->n - 1] = h * (g[2] * a + g[3] * d) - load[2] * size;
        odd[b->n - 1] = h * (g[2] * d - g[3] * a) + load[3] * size;
    }
    b->residual[b->n - 1] = 0;
    for (int j = 0; j < b->n; j++) {
        b->jacobian[b->n - 1][j] = b->along[j];
        b->residual[b->n - 1] += b->along[j] * (b->q[j] - b->predicted[j]);
        b->jacobian[j][j] += j < b->n - 1;
    }
}

/* LU with partial pivoting; the residual becomes the step, which is taken. */
static void newton_step(struct balance *b)
{
    int n = b->n;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = fabs(b->jacobian[i][k]) > fabs(b->jacobian[pivot][k]) ? i : pivot;
        }
        for (int j = k; pivot != k && j < n; j++) {
            double entry = b->jacobian[k][j];
            b->jacobian[k][j] = b->jacobian[pivot][j];
            b->jacobian[pivot][j] = entry;
        }
        double right = b->residual[pivot];
        b->residual[pivot] = b->residual[k];
        b->residual[k] = right;
        for (int i = k + 1; i < n; i++) {
            double factor = b->jacobian[i][k] / b->jacobian[k][k];
            for (int j = k + 1; j < n; j++) {
                b->jacobian[i][j] -= factor * b->jacobian[k][j];
            }
            b->residual[i] -= factor * right;
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            b->residual[i] -= b->jacobian[i][j] * b->residual[j];
        }
        b->residual[i] /= b->jacobian[i][i];
        b->q[i] -= b->residual[i];
    }
}

static void solve(struct balance *b, int n_steps)
{
    for (int i = 0; i < n_steps; i++) {
        put_forces(b);
        put_rows(b);
        newton_step(b);
    }
}

/* On along the secant, by its length: displacements in mm, omega in 100 rad/s. */
static void step_on(struct balance *b, double before[])
{
    for (int j = 0; j < b->n; j++) {
        double change = b->q[j] - before[j], scale = j == b->n - 1 ? 1e-2 : 1e3;
        before[j] = b->q[j];
        b->along[j] = change * scale * scale;
        b->q[j] = b->predicted[j] = b->q[j] + change;
    }
    solve(b, 2);
}

/* A cosine of this size, and where the slider slips in it. */
static struct balance cosine(int highest, double size, double angle)
{
    double after = acos(1 - 2 * SLIP_FORCE / STIFFNESS / size);
    return (struct balance){.structure = two_masses(0.02),
                            .highest = highest,
                            .n = 2 * highest + 2,
                            .q = {0, size * cos(angle), size * sin(angle)},
                            .turn = {angle, angle + PI},
                            .slip = {angle + after, angle + PI + after}};
}

static void solve_at(struct balance *b, double hz)
{
    memset(b->along, 0, sizeof b->along);
    b->along[b->n - 1] = 1;
    b->q[b->n - 1] = b->predicted[b->n - 1] = 2 * PI * hz;
    solve(b, 10);
}

/* Where the curve begins: what the first harmonic of the slider's force lets m1 do, in a fixed
 * point that half a step approaches, then Newton. */
static struct balance begin(int highest)
{
    static const double FIRST = 2e-3; /* m */
    double g[4], load[4], size = FIRST, angle = 0;
    for (int i = 0; i < 50; i++) {
        struct balance b = cosine(1, size, 0);
        put_forces(&b);
        compliance(&b.structure, 0, 0, 2 * PI * FROM, g);
        compliance(&b.structure, 0, 1, 2 * PI * FROM, load);
        double even = b.f[1] / size, odd = b.f[2] / size;
        double real = 1 + g[0] * even + g[1] * odd, imaginary = g[1] * even - g[0] * odd;
        size = 0.5 * (size + LOAD * hypot(load[0], load[1]) / hypot(real, imaginary));
        angle = atan2(imaginary, real) - atan2(load[1], load[0]);
    }
    struct balance b = cosine(highest, size, angle);
    solve_at(&b, FROM);
    return b;
}

static struct floor_cost follow(int highest)
{
    enum { REPETITIONS = 100 };
    struct balance first = begin(highest), second = first, b = first;
    solve_at(&second, FROM + FIRST_STEP);
    double start = processor_seconds();
    for (int r = 0; r < REPETITIONS; r++) {
        double before[MOST_N];
        memcpy(before, first.q, sizeof before);
        b = second;
        for (int i = 0; i < N_POINTS; i++) {
            step_on(&b, before);
        }
    }
    double seconds = (processor_seconds() - start) / (REPETITIONS * N_POINTS);
    double g[4], own[4], omega = b.q[b.n - 1];
    put_forces(&b);
    compliance(&b.structure, 1, 0, omega, g);
    compliance(&b.structure, 1, 1, omega, own);
    return (struct floor_cost){seconds, omega / (2 * PI),
                               hypot(own[0] * LOAD - g[0] * b.f[1] - g[1] * b.f[2],
                                     own[1] * LOAD - g[1] * b.f[1] + g[0] * b.f[2])};
}

struct floor_cost measure_floor(int highest, bool is_quick)
{
    struct floor_cost best = follow(highest);
    for (int i = 1; i < (is_quick ? 1 : 50); i++) {
        struct floor_cost cost = follow(highest);
        best = cost.seconds < best.seconds ? cost : best;
    }
    return best;
}

/* --- integration --- */

/* One mode of the structure in time: displacement, velocity, acceleration. */
struct mode {
    double damping, stiffness, effective, shape[2], u, v, a;
};

double plain_newmark(double ratio, double hz, int n, int n_cycles)
{
    enum { MOST_STEPS = 16384 };
    static double load[2][MOST_STEPS]; /* cosine and sine of a period */
    struct structure s = two_masses(ratio);
    struct mode modes[2];
    double dt = 1 / (hz * n), half = 0.5 * dt, quarter = half * half, compliance_of = 0;
    double slider = 0, even = 0, odd = 0;
    for (int i = 0; i < n && n <= MOST_STEPS; i++) {
        load[0][i] = cos(2 * PI * (i + 1) / n);
        load[1][i] = sin(2 * PI * (i + 1) / n);
    }
    for (int k = 0; k < 2; k++) {
        struct mode *m = &modes[k];
        *m = (struct mode){.damping = 2 * s.ratio * s.omega[k],
                           .stiffness = s.omega[k] * s.omega[k],
                           .shape = {s.shape[k][0], s.shape[k][1]},
                           .a = s.shape[k][1] * LOAD};
        m->effective = 1 / (1 + half * m->damping + quarter * m->stiffness);
        compliance_of += quarter * m->effective * m->shape[0] * m->shape[0];
    }
    double limit = SLIP_FORCE, secant = STIFFNESS / (1 + STIFFNESS * compliance_of);
    for (int cycle = 0; cycle < n_cycles; cycle++) {
        even = odd = 0;
        for (int i = 0; i < n; i++) {
            double x = 0, out = 0;
            for (int k = 0; k < 2; k++) { /* without the slider's force */
                struct mode *m = &modes[k];
                m->u += dt * m->v + quarter * m->a;
                m->v += half * m->a;
                m->a = m->effective * (m->shape[1] * LOAD * load[0][i] - m->damping * m->v -
                                       m->stiffness * m->u);
                x += m->shape[0] * (m->u + quarter * m->a);
            }
            double force = secant * (x - slider); /* at x - compliance_of * force */
            force = force > limit ? limit : force < -limit ? -limit : force;
            slider = x - (compliance_of + 1 / STIFFNESS) * force;
            for (int k = 0; k < 2; k++) {
                struct mode *m = &modes[k];
                m->a -= m->effective * m->shape[0] * force;
                m->u += quarter * m->a;
                m->v += half * m->a;
                out += m->shape[1] * m->u;
            }
            even += out * load[0][i];
            odd += out * load[1][i];
        }
    }
    return 2 * hypot(even, odd) / n;
}

/* --- the table --- */

/* What is not right is no floor. */
static void check(const struct benchmark_settings *settings, int highest,
                  const struct floor_cost *cost)
{
    static const double CLOSE = 1e-6; /* two Newton steps leave that much */
    char file[4096], harmonics[16];
    struct masing_override overrides[] = {{"harmonics", harmonics}, {"forces", "exact"}};
    double h1 = 0;
    snprintf(harmonics, sizeof harmonics, "%d", highest);
    snprintf(file, sizeof file, "%s/two_mass_damper.yaml", settings->examples);
    struct masing_model *model = model_of(file, NULL, overrides, 2);
    first_harmonics(model, &cost->hz, 1, &h1);
    masing_model_destroy(model);
    struct masing_error error = {.message = "it differs from the response"};
    require(fabs(cost->h1 - h1) <= CLOSE * h1 ? MASING_OK : MASING_INTERNAL, "floor", &error);
}

void benchmark_floor(const struct benchmark_settings *settings)
{
    static const int highest[] = {1, 3, 7, 15};
    enum { STEPS = 1024, CYCLES = 20 };
    volatile double sink = 0; /* nothing of it may be left out */
    double best = INFINITY;
    printf("\nThe damper in plain C, all harmonics, us a point\n");
    for (size_t i = 0; i < sizeof highest / sizeof *highest; i++) {
        struct floor_cost cost = measure_floor(highest[i], settings->is_quick);
        check(settings, highest[i], &cost);
        printf("floor, H = %-2d %19.2f\n", highest[i], 1e6 * cost.seconds);
    }
    for (int i = 0; i < (settings->is_quick ? 1 : 50); i++) {
        double start = processor_seconds();
        sink += plain_newmark(0.02, 22, STEPS, CYCLES);
        best = fmin(best, (processor_seconds() - start) / (STEPS * CYCLES));
    }
    printf("its step in time, ns %13.1f\n", 1e9 * best);
}
