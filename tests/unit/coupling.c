/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The joints' equations at the end of a time step, with laws made to be hard for Newton. */
#include "transient/coupling.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { MAX_AXES = 6 };

static double random_in(uint64_t *seed, double from, double to)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* Parameters of the laws of this test: a force that saturates. */
struct saturation {
    double limit, stiffness;
    bool hides_tangent; /* says 0 instead of the tangent */
};

/* f = clamp(k x, -F, F) */
static enum masing_status step(const struct masing_step *step)
{
    const struct saturation *saturation = step->parameters;
    double stuck = saturation->stiffness * step->x[0];
    bool is_stuck = fabs(stuck) < saturation->limit;
    double tangent = is_stuck && !saturation->hides_tangent ? saturation->stiffness : 0.0;
    step->f[0] = is_stuck ? stuck : copysign(saturation->limit, step->x[0]);
    for (int k = 0; k < step->n; k++) {
        step->df[k] = tangent * step->dx[k];
    }
    return MASING_OK;
}

static const struct masing_family family = {.name = "saturation", .step = step};
static const struct masing_law law = {.name = "saturation", .family = &family, .n_axes = 1};

/* n joints with these parameters, and a coupling through S [n][n]. */
struct fixture {
    struct arena arena;
    struct masing_model model;
    struct joint joint[MAX_AXES];
    struct saturation parameters[MAX_AXES];
    double compliance[MAX_AXES * MAX_AXES];
    struct joints *joints;
    struct coupling *coupling;
};

static void fixture_create(struct fixture *fixture, int n)
{
    double zero[MAX_AXES] = {0};
    memset(&fixture->model, 0, sizeof fixture->model);
    fixture->model.spec.n_joints = fixture->model.n_axes = n;
    fixture->model.joints = fixture->joint;
    for (int i = 0; i < n; i++) {
        fixture->joint[i] = (struct joint){.name = "joint",
                                           .law = &law,
                                           .parameters = &fixture->parameters[i],
                                           .first_axis = i,
                                           .n_axes = 1};
    }
    fixture->arena = (struct arena){0};
    CHECK(joints_create(&fixture->model, &fixture->arena, &fixture->joints, NULL) == MASING_OK);
    CHECK(coupling_create(fixture->joints, fixture->compliance, 2.0, &fixture->arena,
                          &fixture->coupling, NULL) == MASING_OK);
    joints_rest(fixture->joints, zero);
    coupling_reset(fixture->coupling);
}

static void fixture_destroy(struct fixture *fixture)
{
    arena_clear(&fixture->arena);
}

/* |x - x_free + S g| relative to its largest term, 0.01 at least, with this test's own force.
 */
static double mismatch(const struct fixture *fixture, const double *x_free)
{
    int n = fixture->model.n_axes;
    double worst = 0.0, scale = 1e-2;
    for (int i = 0; i < n; i++) {
        double r = fixture->coupling->x[i] - x_free[i];
        for (int j = 0; j < n; j++) {
            const struct saturation *p = &fixture->parameters[j];
            double f = p->stiffness * fixture->coupling->x[j];
            f = fmax(-p->limit, fmin(p->limit, f));
            r += fixture->compliance[i * n + j] * f;
            scale = fmax(scale, fabs(fixture->compliance[i * n + j] * f));
        }
        scale = fmax(scale, fmax(fabs(x_free[i]), fabs(fixture->coupling->x[i])));
        worst = fmax(worst, fabs(r));
    }
    return worst / scale;
}

static void one_axis_without_tangent_is_bisected(void)
{
    struct fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    double zero[1] = {0};
    fixture.parameters[0] = (struct saturation){10.0, 1e6, true};
    fixture.compliance[0] = 1e-3;
    fixture_create(&fixture, 1);
    for (int i = -20; i <= 20; i++) {
        double x_free[1] = {1e-3 * i};
        CHECK(coupling_solve(fixture.coupling, x_free, zero) == MASING_OK);
        CHECK(mismatch(&fixture, x_free) < 1e-6);
        /* beyond 10 N * 1e-3 m/N + 10 N / 1e6 N/m the joint slips, before it holds */
        double expected = abs(i) <= 10 ? x_free[0] / 1001.0 : x_free[0] - copysign(0.01, i);
        CHECK_SCALED(fixture.coupling->x[0], expected, 1e-2, 1e-9);
    }
    CHECK(fixture.coupling->searches > 0);
    fixture_destroy(&fixture);
}

static void many_coupled_axes_are_solved_from_anywhere(void)
{
    uint64_t seed = 1;
    double zero[MAX_AXES] = {0};
    for (int trial = 0; trial < 300; trial++) {
        struct fixture fixture;
        memset(&fixture, 0, sizeof fixture);
        int n = 2 + trial % (MAX_AXES - 1);
        double modes[2 * MAX_AXES * MAX_AXES];
        /* S = modes modes^T: positive semidefinite, of rank 2 only in every third trial */
        int rank = trial % 3 == 0 ? 2 : 2 * n;
        for (int i = 0; i < n * rank; i++) {
            modes[i] = random_in(&seed, -1.0, 1.0);
        }
        for (int i = 0; i < n; i++) {
            fixture.parameters[i] =
                (struct saturation){pow(10.0, random_in(&seed, -2.0, 2.0)),
                                    pow(10.0, random_in(&seed, 0.0, 8.0)), false};
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < rank; k++) {
                    fixture.compliance[i * n + j] +=
                        1e-3 * modes[i * rank + k] * modes[j * rank + k];
                }
            }
        }
        fixture_create(&fixture, n);
        for (int jump = 0; jump < 20; jump++) {
            double x_free[MAX_AXES];
            for (int i = 0; i < n; i++) {
                x_free[i] = random_in(&seed, -0.1, 0.1);
            }
            CHECK(coupling_solve(fixture.coupling, x_free, zero) == MASING_OK);
            CHECK(mismatch(&fixture, x_free) < 1e-9);
        }
        fixture_destroy(&fixture);
    }
}

static void numbers_that_are_not_finite_are_refused(void)
{
    struct fixture fixture;
    memset(&fixture, 0, sizeof fixture);
    double bad[1] = {NAN}, infinite[1] = {INFINITY}, zero[1] = {0};
    fixture.parameters[0] = (struct saturation){10.0, 1e6, false};
    fixture.compliance[0] = 1e-3;
    fixture_create(&fixture, 1);
    CHECK(coupling_solve(fixture.coupling, bad, zero) == MASING_NOT_FINITE);
    CHECK(coupling_solve(fixture.coupling, infinite, zero) == MASING_NOT_FINITE);
    CHECK(coupling_solve(fixture.coupling, zero, zero) == MASING_OK);
    CHECK(fixture.coupling->x[0] == 0.0);
    fixture_destroy(&fixture);
}

static const struct tap_test tests[] = {
    {"one axis without tangent is bisected", one_axis_without_tangent_is_bisected},
    {"many coupled axes are solved from anywhere", many_coupled_axes_are_solved_from_anywhere},
    {"numbers that are not finite are refused", numbers_that_are_not_finite_are_refused},
};

TAP_MAIN(tests)
