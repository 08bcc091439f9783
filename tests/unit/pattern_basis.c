/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Oscillators of a pattern of joints against the exponential of the matrix of rates.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/exponential.h"
#include "tap.h"
#include "transient/pattern/pattern_basis.h"

enum { N = 4, ROWS = 2 * N, N_AXES = 2 };

struct specimen {
    const char *name;
    double omega[N], damping[N], matrix[N * N];
    int n_uncoupled;
    double axes[N_AXES * N], k[N_AXES], c[N_AXES];
    double coupling[N_AXES * N_AXES]; /* column-major, in place of k where that is 0 */
    int n_coupled;                    /* as it has to come out; -1: no basis */
    bool is_real;
};

static struct modal_state modal_of(struct specimen *specimen, double *stiffness)
{
    for (int i = 0; i < N; i++) {
        stiffness[i] = specimen->omega[i] * specimen->omega[i];
    }
    return (struct modal_state){.n_modes = N,
                                .n_axes = N_AXES,
                                .axes = specimen->axes,
                                .damping = specimen->damping,
                                .matrix = specimen->n_uncoupled < N ? specimen->matrix : NULL,
                                .n_uncoupled = specimen->n_uncoupled,
                                .stiffness = stiffness};
}

/* exp of the rates of (q, q') times a time. */
static void expected_map(const struct specimen *specimen, double time, double *a)
{
    static double scratch[4 * ROWS * ROWS];
    int pivots[ROWS];
    memset(a, 0, ROWS * ROWS * sizeof *a);
    for (int i = 0; i < N; i++) {
        a[i + (N + i) * ROWS] = time;
        a[N + i + i * ROWS] = -time * specimen->omega[i] * specimen->omega[i];
        for (int j = 0; j < N; j++) {
            bool is_mixed = i >= specimen->n_uncoupled && j >= specimen->n_uncoupled;
            double d =
                is_mixed ? specimen->matrix[i * N + j] : (i == j ? specimen->damping[i] : 0.0);
            double k = 0.0;
            for (int axis = 0; axis < N_AXES; axis++) {
                double shapes = specimen->axes[axis * N + i] * specimen->axes[axis * N + j];
                k += specimen->k[axis] * shapes;
                d += specimen->c[axis] * shapes;
                for (int b = 0; b < N_AXES; b++) {
                    k += specimen->coupling[axis + b * N_AXES] * specimen->axes[axis * N + i] *
                         specimen->axes[b * N + j];
                }
            }
            a[N + i + j * ROWS] -= time * k;
            a[N + i + (N + j) * ROWS] -= time * d;
        }
    }
    CHECK(matrix_exponential(ROWS, a, scratch, pivots) == MASING_OK);
}

/* Energy-like sizes: displacements by the largest frequency are velocities. */
static double largest_difference(const double *map, const double *expected, double scale)
{
    double largest = 0.0;
    for (int i = 0; i < ROWS * ROWS; i++) {
        double unit = (i % ROWS < N ? scale : 1.0) / (i / ROWS < N ? scale : 1.0);
        largest = fmax(largest, unit * fabs(map[i] - expected[i]));
    }
    return largest;
}

static void check(struct specimen *specimen)
{
    double stiffness[N], map[ROWS * ROWS], expected[ROWS * ROWS], scratch[12 * N];
    struct modal_state modal = modal_of(specimen, stiffness);
    struct pattern_builder *builder = NULL;
    struct pattern_basis basis = {0};
    struct arena arena = {0};
    struct masing_error error = {0};
    CHECK(pattern_builder_create(&modal, &builder, &error) == MASING_OK);
    CHECK(pattern_basis_create(N, &arena, &basis, &error) == MASING_OK);
    bool are_coupled = !dense_is_zero(N_AXES * N_AXES, specimen->coupling);
    enum masing_status status =
        are_coupled
            ? pattern_basis_build_coupled(builder, specimen->coupling, specimen->c, &basis)
            : pattern_basis_build(builder, specimen->k, specimen->c, &basis);
    CHECK(status == (specimen->n_coupled < 0 ? MASING_UNSUPPORTED : MASING_OK));
    if (status == MASING_OK) {
        CHECK(basis.n_coupled == specimen->n_coupled && basis.is_real == specimen->is_real);
        double worst = 0.0, k = 100.0 + specimen->k[0] + specimen->k[1];
        for (double time = 1e-3; time < 10.0; time *= 5.0) {
            pattern_basis_map(&basis, time, map, scratch);
            expected_map(specimen, time, expected);
            /* what squaring adds up in the exponential itself */
            worst = fmax(worst, largest_difference(map, expected, 10.0) / (1.0 + time * k));
        }
        printf("# %s: %.1e\n", specimen->name, worst);
        CHECK(worst < 1e-14);
    }
    pattern_builder_destroy(builder);
    arena_clear(&arena);
}

static void maps(void)
{
    struct specimen specimens[] = {
        {.name = "slip, with a rigid body",
         .omega = {0, 3, 5, 8},
         .damping = {0, 0.2, 0.3, 0.4},
         .n_uncoupled = N,
         .axes = {1, 0.5, -0.3, 0.2},
         .is_real = true},
        {.name = "stuck, with a rigid body of another joint",
         .omega = {0, 3, 5, 8},
         .n_uncoupled = N,
         .axes = {0, 0.5, -0.3, 0.2, 1, 0.2, 0.1, 0.4},
         .k = {30, 0},
         .n_coupled = 3,
         .is_real = true},
        {.name = "a rigid body caught",
         .omega = {0, 3, 5, 8},
         .damping = {0.1, 0.1, 0.1, 0.1},
         .n_uncoupled = N,
         .axes = {1, 0.5, -0.3, 0.2, 1, 0.2, 0.1, 0.4},
         .k = {30, 2000},
         .n_coupled = 4,
         .is_real = true},
        {.name = "modal ratios, stuck",
         .omega = {2, 3, 5, 8},
         .damping = {0.08, 0.12, 0.2, 0.32},
         .n_uncoupled = N,
         .axes = {1, 0.5, 0, 0.2, 0.3, 0.2, 0, 0.4},
         .k = {30, 1e4},
         .n_coupled = 3},
        {.name = "dashpots between DOFs",
         .omega = {2, 3, 5, 8},
         .matrix = {0.5, 0.1, 0, 0.2, 0.1, 0.6, 0.3, 0, 0, 0.3, 0.9, 0.1, 0.2, 0, 0.1, 0.4},
         .damping = {0.5, 0.6, 0.9, 0.4},
         .axes = {1, 0.5, 0, 0.2, 0.3, 0.2, 0, 0.4},
         .n_coupled = 4},
        {.name = "damping that couples the last modes only",
         .omega = {0, 3, 5, 8},
         .matrix = {[10] = 0.9, [11] = 0.2, [14] = 0.2, [15] = 0.4},
         .damping = {0, 0.1, 0.9, 0.4},
         .n_uncoupled = 2,
         .n_coupled = 2},
        {.name = "a joint's dashpot, hardly vibrating",
         .omega = {2, 3, 5, 8},
         .damping = {0.08, 0.12, 0.2, 0.32},
         .n_uncoupled = N,
         .axes = {1, 0.5, 0.6, 0.2, 0.3, 0.2, 0, 0.4},
         .k = {3, 0},
         .c = {0, 70},
         .n_coupled = 4},
        {.name = "a rigid body on a dashpot",
         .omega = {0, 3, 5, 8},
         .damping = {0, 0.12, 0.2, 0.32},
         .n_uncoupled = N,
         .axes = {1, 0.5, 0.6, 0.2},
         .c = {2, 0},
         .n_coupled = 4},
        {.name = "critically damped for itself",
         .omega = {2, 3, 5, 8},
         .damping = {4, 0.1, 0.1, 0.1},
         .n_uncoupled = N,
         .axes = {0, 0.5, 0.6, 0.2},
         .k = {3, 0},
         .n_coupled = 3,
         .is_real = true},
        {.name = "critically damped in a pair",
         .omega = {2, 3, 5, 8},
         .damping = {4, 0.1, 0.1, 0.1},
         .n_uncoupled = N,
         .axes = {1e-9, 0.5, 0.6, 0.2},
         .k = {3, 0},
         .n_coupled = -1},
        {.name = "a negative tangent",
         .omega = {2, 3, 5, 8},
         .n_uncoupled = N,
         .axes = {1, 0.5, 0.6, 0.2},
         .k = {-1, 0},
         .n_coupled = -1},
        {.name = "a motion that grows",
         .omega = {2, 3, 5, 8},
         .damping = {-0.1, 0, 0, 0},
         .n_uncoupled = N,
         .axes = {1, 0.5, 0.6, 0.2},
         .k = {1, 0},
         .n_coupled = -1},
    };
    for (size_t i = 0; i < sizeof specimens / sizeof *specimens; i++) {
        check(&specimens[i]);
    }
}

/* Rows follow the state: r z = r' p, and rates p' are those of z. */
static void rows(void)
{
    struct specimen specimen = {.omega = {2, 3, 5, 8},
                                .damping = {0.08, 0.12, 0.2, 0.32},
                                .n_uncoupled = N,
                                .axes = {1, 0.5, 0, 0.2, 0.3, 0.2, 0, 0.4},
                                .k = {30, 1e4}};
    double stiffness[N], scratch[4 * N], p[ROWS], back[ROWS], of_p[ROWS], sum = 0.0, want = 0.0;
    double z[ROWS] = {1, -2, 0.5, 0.3, 3, 1, -1, 2}, row[ROWS] = {0, 1, 2, -1, 0.5, 0, 1, 3};
    struct modal_state modal = modal_of(&specimen, stiffness);
    struct pattern_builder *builder = NULL;
    struct pattern_basis basis = {0};
    struct arena arena = {0};
    struct masing_error error = {0};
    CHECK(pattern_builder_create(&modal, &builder, &error) == MASING_OK &&
          pattern_basis_create(N, &arena, &basis, &error) == MASING_OK &&
          pattern_basis_build(builder, specimen.k, specimen.c, &basis) == MASING_OK);
    pattern_basis_enter(&basis, z, p, scratch);
    pattern_basis_row(&basis, row, of_p, scratch);
    for (int i = 0; i < ROWS; i++) {
        sum += of_p[i] * p[i];
        want += row[i] * z[i];
    }
    CHECK_SCALED(sum, want, 10.0, 1e-13);
    pattern_basis_differentiate(&basis, p);
    pattern_basis_leave(&basis, p, back, scratch);
    for (int i = 0; i < N; i++) {
        CHECK_SCALED(back[i], z[N + i], 3.0, 1e-12);
    }
    pattern_builder_destroy(builder);
    arena_clear(&arena);
}

/* Stiffnesses between axes, as of friction under a normal force that follows the motion. */
static void couplings(void)
{
    struct specimen specimens[] = {
        {.name = "springs",
         .omega = {2, 3, 5, 8},
         .damping = {0.1, 0.1, 0.1, 0.1},
         .n_uncoupled = N,
         .axes = {1, 0.5, 0, 0.2, 0.3, 0.2, 0, 0.4},
         .coupling = {30, 0, 0, 8},
         .n_coupled = 3,
         .is_real = true},
        {.name = "a force of one axis by the other",
         .omega = {2, 3, 5, 8},
         .damping = {0.1, 0.2, 0.3, 0.4},
         .n_uncoupled = N,
         .axes = {1, 0, 0, 0, 0, 0.2, 0, 0.4},
         .coupling = {0, 0, 3, 0},
         .n_coupled = 3},
        {.name = "a motion that grows, and one that creeps",
         .omega = {2, 3, 5, 8},
         .damping = {0.1, 0.2, 30, 0.4},
         .n_uncoupled = N,
         .axes = {1, 0.5, 0, 0.2, 0.3, 0.2, 1, 0.4},
         .coupling = {20, -15, 9, 30},
         .n_coupled = N},
    };
    for (size_t i = 0; i < sizeof specimens / sizeof *specimens; i++) {
        check(&specimens[i]);
    }
}

/* From basis to basis through the state; a constant force and what it moves to rest there. */
static void transfers(void)
{
    struct specimen specimen = {.omega = {2, 3, 5, 8},
                                .damping = {0.1, 0.2, 30, 0.4},
                                .n_uncoupled = N,
                                .axes = {1, 0.5, 0, 0.2, 0.3, 0.2, 1, 0.4},
                                .k = {30, 0}};
    const double coupling[N_AXES * N_AXES] = {20, -15, 9, 30}, force[N] = {1, -2, 0.5, 3};
    double stiffness[N], scratch[6 * N], transfer[ROWS * ROWS], moved[ROWS], want[ROWS];
    double z[ROWS] = {1, -2, 0.5, 0.3, 3, 1, -1, 2}, p[ROWS], rest[ROWS];
    struct modal_state modal = modal_of(&specimen, stiffness);
    struct pattern_builder *builder = NULL;
    struct pattern_basis from = {0}, to = {0};
    struct arena arena = {0};
    struct masing_error error = {0};
    CHECK(pattern_builder_create(&modal, &builder, &error) == MASING_OK &&
          pattern_basis_create(N, &arena, &from, &error) == MASING_OK &&
          pattern_basis_create(N, &arena, &to, &error) == MASING_OK &&
          pattern_basis_build(builder, specimen.k, specimen.c, &from) == MASING_OK &&
          pattern_basis_build_coupled(builder, coupling, specimen.c, &to) == MASING_OK);
    pattern_basis_transfer(&from, &to, transfer, scratch);
    pattern_basis_enter(&from, z, p, scratch);
    pattern_basis_enter(&to, z, want, scratch);
    dense_multiply_vector(ROWS, ROWS, false, transfer, p, moved);
    for (int i = 0; i < ROWS; i++) {
        CHECK_SCALED(moved[i], want[i], 10.0, 1e-12);
    }
    pattern_basis_transfer(&to, &to, transfer, scratch);
    for (int i = 0; i < ROWS * ROWS; i++) {
        CHECK_SCALED(transfer[i], i % (ROWS + 1) == 0 ? 1.0 : 0.0, 1.0, 1e-12);
    }
    CHECK(pattern_basis_rest(&to, force, 2.0, 1e-3, rest, scratch));
    pattern_basis_leave(&to, rest, z, scratch);
    for (int i = 0; i < N; i++) {
        double sum = stiffness[i] * z[i] - 2.0 * force[i];
        for (int at = 0; at < N_AXES * N_AXES; at++) {
            double other = dense_dot(N, specimen.axes + at / N_AXES * N, z);
            sum += specimen.axes[at % N_AXES * N + i] * coupling[at] * other;
        }
        CHECK_SCALED(sum, 0.0, 10.0, 1e-12);
        CHECK_SCALED(z[N + i], 0.0, 1.0, 1e-12);
    }
    CHECK(!pattern_basis_rest(&to, force, 2.0, 1e3, rest, scratch));
    pattern_builder_destroy(builder);
    arena_clear(&arena);
}

/* Of many modes those of a pattern are found from those without joints. */
enum { MANY = 40, N_REST = 3 };

/* z' of z = (q, q') */
static void rates_of(const struct modal_state *modal, const double *k, const double *z,
                     double *rate)
{
    for (int i = 0; i < MANY; i++) {
        rate[i] = z[MANY + i];
        rate[MANY + i] = -modal->stiffness[i] * z[i];
        for (int j = 0; j < MANY; j++) {
            bool is_mixed = i >= modal->n_uncoupled && j >= modal->n_uncoupled;
            double d = is_mixed ? modal->matrix[i * MANY + j]
                       : i == j ? modal->damping[i]
                                : 0.0;
            double sum = 0.0;
            for (int axis = 0; axis < N_AXES; axis++) {
                sum += k[axis] * modal->axes[axis * MANY + i] * modal->axes[axis * MANY + j];
            }
            rate[MANY + i] -= d * z[MANY + j] + sum * z[j];
        }
    }
}

static void many(void)
{
    static double axes[N_AXES * MANY], damping[MANY], matrix[MANY * MANY], stiffness[MANY];
    double z[2 * MANY], p[2 * MANY], back[2 * MANY], rate[2 * MANY], scratch[4 * MANY];
    double speed = 0.0;
    const double k[N_AXES] = {3e3, 40}, c[N_AXES] = {0};
    const struct modal_state modal = {.n_modes = MANY,
                                      .n_axes = N_AXES,
                                      .axes = axes,
                                      .damping = damping,
                                      .matrix = matrix,
                                      .n_uncoupled = MANY - N_REST,
                                      .stiffness = stiffness};
    struct pattern_builder *builder = NULL;
    struct pattern_basis basis = {0};
    struct arena arena = {0};
    struct masing_error error = {0};
    for (int i = 0; i < MANY; i++) {
        double w = 3.0 * (i + 1);
        stiffness[i] = w * w;
        damping[i] = 0.04 * w;
        axes[i] = sin(0.7 * (i + 1));
        axes[MANY + i] = i % 7 == 0 ? 0.0 : sin(1.9 * (i + 1));
        z[i] = cos(3.0 * i) / w;
        z[MANY + i] = cos(5.0 * i);
        for (int j = MANY - N_REST; i >= MANY - N_REST && j < MANY; j++) {
            matrix[i * MANY + j] = i == j ? 4.0 : 0.5;
        }
    }
    CHECK(pattern_builder_create(&modal, &builder, &error) == MASING_OK &&
          pattern_basis_create(MANY, &arena, &basis, &error) == MASING_OK &&
          pattern_basis_build(builder, k, c, &basis) == MASING_OK);
    CHECK(!basis.is_real && basis.n_coupled == MANY);
    rates_of(&modal, k, z, rate);
    pattern_basis_enter(&basis, z, p, scratch);
    pattern_basis_leave(&basis, p, back, scratch);
    for (int i = 0; i < 2 * MANY; i++) {
        CHECK_SCALED(back[i], z[i], i < MANY ? 0.01 : 1.0, 1e-12);
    }
    for (int i = 0; i < MANY; i++) {
        speed += z[MANY + i] * z[MANY + i];
    }
    CHECK_RELATIVE(pattern_basis_squared_speed(&basis, p, 0.99 * speed, scratch), speed, 1e-12);
    CHECK(pattern_basis_squared_speed(&basis, p, 1e3 * speed, scratch) == 1e3 * speed);
    pattern_basis_differentiate(&basis, p);
    pattern_basis_leave(&basis, p, back, scratch);
    for (int i = 0; i < 2 * MANY; i++) {
        CHECK_SCALED(back[i], rate[i], i < MANY ? 1.0 : 120.0, 1e-12);
    }
    pattern_builder_destroy(builder);
    arena_clear(&arena);
}

static const struct tap_test tests[] = {
    {"a basis advances as the exponential does", maps},
    {"stiffnesses between axes", couplings},
    {"transfers between bases and places of rest", transfers},
    {"rows and rates follow the state", rows},
    {"oscillators of many modes under few springs", many},
};

TAP_MAIN(tests)
