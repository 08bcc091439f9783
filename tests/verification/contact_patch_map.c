/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A patch of contact elements that tilts, lifts off and slips in all directions, against a
 * return map of its own: the motion of the balance is put into it step by step, and its forces
 * into the equations of motion.
 *
 * The map projects the elastic force of each element back onto the friction circle at the end
 * of a step. Its error is of first order in the step, which two step lengths remove. And it has
 * to be followed for long: where normal forces vary, sliders creep to their steady places over
 * dozens of periods (shakedown), and a map that is left after three has a mean force left over
 * that no shorter step removes.
 */
#include <complex.h>

#include "response.h"

enum { N_DOFS = 6, HIGHEST = 5, SIDE = 4, N_ELEMENTS = SIDE * SIDE };

static const double PI_2 = 6.283185307179586477;
static const double NORMAL = 60000.0, TANGENTIAL = 40000.0, FRICTION = 0.5;
static const double PRELOAD = 50.0, MOMENT = 1.0, WIDTH = 0.1;
static const double hz = 28.0;
static const char *const names[N_DOFS] = {"b.x", "b.y", "b.z", "b.rx", "b.ry", "b.rz"};
static const double masses[N_DOFS] = {1.3, 1.0, 1.2, 2e-3, 2.5e-3, 3e-3};
static const double stiffnesses[N_DOFS] = {60000.0, 20000.0, 30000.0, 40.0, 60.0, 50.0};
static const double dampings[N_DOFS] = {6.0, 4.0, 5.0, 0.01, 0.012, 0.011};

struct loads {
    const char *name;
    double size[N_DOFS], phase[N_DOFS]; /* degrees */
};

static char *model_text(const struct loads *loads, int n_samples)
{
    static char text[4096];
    int at = snprintf(text, sizeof text, "masing: 1\nstructure:\n  masses: {");
    for (int d = 0; d < N_DOFS; d++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%s: %g%s", names[d], masses[d],
                       d + 1 < N_DOFS ? ", " : "}\n  springs:\n");
    }
    for (int d = 0; d < N_DOFS; d++) {
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "    - {from: ground, to: %s, stiffness: %g}\n", names[d], stiffnesses[d]);
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "  dampers:\n");
    for (int d = 0; d < N_DOFS; d++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "    - {from: ground, to: %s, damping: %g}\n", names[d], dampings[d]);
    }
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "joints:\n  - {name: p, law: contact_patch, from: ground, to: b,\n"
                   "     normal_stiffness: %g, tangential_stiffness: %g, friction: %g,\n"
                   "     preload: %g, preload_moment: [%g, 0], size: [%g, %g],\n"
                   "     elements: [%d, %d]}\nloads:\n",
                   NORMAL, TANGENTIAL, FRICTION, PRELOAD, MOMENT, WIDTH, WIDTH, SIDE, SIDE);
    for (int d = 0; d < N_DOFS; d++) {
        if (loads->size[d] > 0.0) {
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "  - {name: l%d, dof: %s, amplitude: %g, phase: %g}\n", d, names[d],
                           loads->size[d], loads->phase[d]);
        }
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "frequency: [%g, %g]\nharmonics: %d\nsamples: %d\n"
             "outputs: [b.x, b.y, b.z, b.rx, b.ry, b.rz]\n",
             hz, hz + 0.001, HIGHEST, n_samples);
    return text;
}

/* x = Re sum motion[d][h] e^(i h omega t) of the first row. */
static void read_motion(const struct table *rows, double complex motion[N_DOFS][HIGHEST + 1])
{
    char name[64];
    for (int d = 0; d < N_DOFS; d++) {
        snprintf(name, sizeof name, "%s_mean", names[d]);
        motion[d][0] = table_get(rows, 0, name);
        for (int h = 1; h <= HIGHEST; h++) {
            snprintf(name, sizeof name, "%s_h%d", names[d], h);
            double size = table_get(rows, 0, name);
            snprintf(name, sizeof name, "%s_h%d_phase_deg", names[d], h);
            motion[d][h] = size * cexp(I * PI_2 / 360.0 * table_get(rows, 0, name));
        }
    }
}

struct element {
    double y, z, preload;
    double force[2], last[2]; /* y, z: friction; displacement at the end of the last step */
};

/* All elements are closed at rest: their preload follows a plane. */
static void place_elements(struct element elements[N_ELEMENTS])
{
    double square = 0.0;
    for (int i = 0; i < N_ELEMENTS; i++) {
        elements[i] = (struct element){.y = WIDTH * (i / SIDE - 1.5) / SIDE,
                                       .z = WIDTH * (i % SIDE - 1.5) / SIDE};
        square += elements[i].z * elements[i].z;
    }
    for (int i = 0; i < N_ELEMENTS; i++) {
        elements[i].preload = PRELOAD / N_ELEMENTS + MOMENT * elements[i].z / square;
        CHECK(elements[i].preload > 0.0);
    }
}

/* A step to the displacements x: adds the element's change of force since rest. */
static void step(struct element *e, const double x[N_DOFS], double f[N_DOFS])
{
    double normal = e->preload + NORMAL / N_ELEMENTS * (x[0] + e->z * x[4] - e->y * x[5]);
    double now[2] = {x[1] - e->z * x[3], x[2] + e->y * x[3]};
    normal = fmax(normal, 0.0);
    for (int a = 0; a < 2; a++) {
        e->force[a] += TANGENTIAL / N_ELEMENTS * (now[a] - e->last[a]);
        e->last[a] = now[a];
    }
    double size = hypot(e->force[0], e->force[1]), limit = FRICTION * normal;
    for (int a = 0; a < 2 && size > limit; a++) {
        e->force[a] *= limit / size;
    }
    f[0] += normal - e->preload;
    f[1] += e->force[0];
    f[2] += e->force[1];
    f[3] += e->y * e->force[1] - e->z * e->force[0];
    f[4] += e->z * (normal - e->preload);
    f[5] -= e->y * (normal - e->preload);
}

/* Displacements [n_steps + 1][N_DOFS] over a period. */
static double *path_of(double complex motion[N_DOFS][HIGHEST + 1], int n_steps)
{
    double *path = calloc((size_t)(n_steps + 1) * N_DOFS, sizeof *path);
    for (int i = 0; path && i <= n_steps; i++) {
        for (int d = 0; d < N_DOFS; d++) {
            for (int h = 0; h <= HIGHEST; h++) {
                double angle = PI_2 * (h * i % n_steps) / n_steps;
                path[i * N_DOFS + d] +=
                    creal(motion[d][h]) * cos(angle) - cimag(motion[d][h]) * sin(angle);
            }
        }
    }
    return path;
}

/* Harmonics of the map's forces in the last of so many periods from rest. */
static void follow(double complex motion[N_DOFS][HIGHEST + 1], int n_steps, int n_periods,
                   double complex forces[N_DOFS][HIGHEST + 1])
{
    struct element elements[N_ELEMENTS];
    double *path = path_of(motion, n_steps);
    CHECK(path != NULL);
    place_elements(elements);
    memset(forces, 0, sizeof(double complex) * N_DOFS * (HIGHEST + 1));
    for (int i = 1; path && i <= n_periods * n_steps; i++) {
        double f[N_DOFS] = {0.0};
        int at = i % n_steps;
        for (int e = 0; e < N_ELEMENTS; e++) {
            step(&elements[e], path + at * N_DOFS, f);
        }
        for (int h = 0; h <= HIGHEST && i > (n_periods - 1) * n_steps; h++) {
            double angle = PI_2 * (h * at % n_steps) / n_steps;
            for (int d = 0; d < N_DOFS; d++) {
                forces[d][h] +=
                    (h > 0 ? 2.0 : 1.0) / n_steps * f[d] * (cos(angle) - I * sin(angle));
            }
        }
    }
    free(path);
}

/* Largest residual of a translation over all harmonics, in parts of the largest load. */
static double residual(const struct loads *loads, double complex motion[N_DOFS][HIGHEST + 1],
                       int n_steps, int n_periods)
{
    double complex coarse[N_DOFS][HIGHEST + 1], fine[N_DOFS][HIGHEST + 1];
    double largest = 0.0, size = fmax(fmax(loads->size[0], loads->size[1]), loads->size[2]);
    follow(motion, n_steps, n_periods, coarse);
    follow(motion, 2 * n_steps, n_periods, fine);
    for (int d = 0; d < 3; d++) {
        for (int h = 0; h <= HIGHEST; h++) {
            double complex rate = I * (h * PI_2 * hz);
            double complex load =
                h == 1 ? loads->size[d] * cexp(I * PI_2 / 360.0 * loads->phase[d]) : 0.0;
            double complex sum =
                (masses[d] * rate * rate + dampings[d] * rate + stiffnesses[d]) * motion[d][h];
            sum += 2.0 * fine[d][h] - coarse[d][h] - load;
            largest = fmax(largest, cabs(sum) / size);
        }
    }
    return largest;
}

static const struct loads cases[] = {
    {"friction under a normal force that varies", {30, 20, 10}, {20, 0, 60}},
    {"and tilting and turning", {40, 20, 10, 0.3, 1, 0.6}, {20, 0, 60, 10, -40, 100}},
};
enum { N_CASES = sizeof cases / sizeof *cases, N_STEPS = 1024, SETTLED = 120 };

static void solve(const struct loads *loads, int n_samples,
                  double complex motion[N_DOFS][HIGHEST + 1])
{
    struct run run = {0};

    run_text(&run, model_text(loads, n_samples), NULL, 0);
    if (CHECK(run.status == MASING_OK && run.rows.n_rows > 0)) {
        read_motion(&run.rows, motion);
    }
    run_clear(&run);
}

static void the_map_agrees(void)
{
    double complex motion[N_DOFS][HIGHEST + 1] = {{0.0}};
    for (int c = 0; c < tap_most(N_CASES, 1); c++) {
        double coarse = 0.0, fine = 0.0;
        solve(&cases[c], 256, motion);
        coarse = residual(&cases[c], motion, N_STEPS, SETTLED);
        solve(&cases[c], 1024, motion);
        fine = residual(&cases[c], motion, N_STEPS, SETTLED);
        printf("# %s: residual %.2g of the load with 256 samples, %.2g with 1024\n",
               cases[c].name, coarse, fine);
        CHECK(coarse < 3e-4);
        CHECK(fine < 1e-5 && fine < 0.2 * coarse);
    }
}

/* Three periods are too few where the normal force varies, whatever the steps. */
static void the_map_settles_slowly(void)
{
    double complex motion[N_DOFS][HIGHEST + 1] = {{0.0}};
    solve(&cases[0], 1024, motion);
    if (tap_most(0, 1)) {
        return; /* what comes is the map's alone */
    }
    double short_steps = residual(&cases[0], motion, 8 * N_STEPS, 3);
    double soon = residual(&cases[0], motion, N_STEPS, 3);
    double settled = residual(&cases[0], motion, N_STEPS, SETTLED);
    printf("# residual %.2g after 3 periods, %.2g with shorter steps, %.2g settled\n", soon,
           short_steps, settled);
    CHECK(soon > 1e-3);
    CHECK_RELATIVE(short_steps, soon, 0.1);
    CHECK(settled < 0.02 * soon);
}

static const struct tap_test tests[] = {
    {"the return map agrees in all directions", the_map_agrees},
    {"it has to be followed for long", the_map_settles_slowly},
};

TAP_MAIN(tests)
