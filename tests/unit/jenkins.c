/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The elastic-Coulomb element against its closed forms. */
#include "law_paths.h"
#include "masing/law.h"
#include "tap.h"

#include <stdlib.h>

enum { N = 4096 };

static void *make(double stiffness, double slip_force)
{
    const struct masing_law *law = masing_law_find("jenkins");
    void *parameters = calloc(1, law->parameters_size);
    const char *names[] = {"stiffness", "slip_force"};
    double values[] = {stiffness, slip_force};
    masing_fields_reset(law->fields, law->n_fields, parameters);
    for (int i = 0; i < 2; i++) {
        int field = masing_field_find(law->fields, law->n_fields, names[i]);
        CHECK(masing_field_store(&law->fields[field], values[i], parameters, NULL) ==
              MASING_OK);
    }
    CHECK(masing_law_check(law, parameters, NULL) == MASING_OK);
    return parameters;
}

/* Forces of the steady state at n samples. */
static double march(const void *parameters, const double *x, int n, double origin, double *f)
{
    const struct masing_law *law = masing_law_find("jenkins");
    struct masing_path path = {
        .n_samples = n, .n_axes = 1, .is_periodic = true, .x = x, .origin = &origin};
    struct masing_forces forces = {.f = f};
    double *workspace = calloc(law->family->workspace_size(law, n, 0, 0), sizeof(double));
    CHECK(masing_law_march(law, parameters, &path, NULL, &forces, NULL, workspace) ==
          MASING_OK);
    free(workspace);
    return forces.slip_share;
}

/* x = A cos theta: equivalent stiffness and damping of the first harmonic (LAWS: Masing). */
static void first_harmonic_of_sampled_forces(void)
{
    static double x[N], f[N];
    const double k = 4e4, limit = 15.0;
    void *parameters = make(k, limit);
    for (int j = 0; j < 6; j++) {
        double amplitude = limit / k * (1.1 + j), a = 0.0, b = 0.0, loss = 0.0;
        for (int i = 0; i < N; i++) {
            x[i] = amplitude * cos(TEST_TWO_PI * (i + 0.3) / N);
        }
        double share = march(parameters, x, N, 0.0, f);
        for (int i = 0; i < N; i++) {
            double angle = TEST_TWO_PI * (i + 0.3) / N;
            a += 2.0 / N * f[i] * cos(angle);
            b += 2.0 / N * f[i] * sin(angle);
            loss -= TEST_TWO_PI / N * f[i] * amplitude * sin(angle);
        }
        double reach = limit / k, star = acos(1.0 - 2.0 * reach / amplitude);
        double stiffness = k * (star - 0.5 * sin(2.0 * star)) / (0.5 * TEST_TWO_PI);
        double damping = 8.0 * limit / TEST_TWO_PI / amplitude * (1.0 - reach / amplitude);
        CHECK_SCALED(a / amplitude, stiffness, k, 2e-6);
        CHECK_SCALED(-b / amplitude, damping, k, 2e-6);
        CHECK_SCALED(loss, 4.0 * limit * (amplitude - reach), limit * amplitude, 1e-5);
        CHECK_SCALED(share, 1.0 - 2.0 * star / TEST_TWO_PI, 1.0, 1e-6);
    }
    free(parameters);
}

/* Phases of a path; returns how many. */
static int phases_of(const void *parameters, struct test_path *path, double origin,
                     struct masing_smooth_path *smooth, struct masing_phase *phases)
{
    *smooth = test_path_smooth(path, origin);
    return masing_law_find("jenkins")->phases(parameters, NULL, smooth, phases,
                                              2 * TEST_EXTREMA);
}

/* The angle at which slip begins, one for each way. */
static void one_harmonic_has_four_phases(void)
{
    struct masing_phase phases[2 * TEST_EXTREMA];
    struct masing_smooth_path smooth;
    const double k = 4e4, limit = 15.0, amplitude = 1e-3;
    void *parameters = make(k, limit);
    double star = acos(1.0 - 2.0 * limit / (k * amplitude));
    for (double angle = 0.1; angle < TEST_TWO_PI; angle += 0.5) {
        struct test_path path = {.n_harmonics = 1};
        path.c[0] = 0.7e-3;
        path.c[1] = amplitude * cos(angle);
        path.c[2] = amplitude * sin(angle);
        int n = phases_of(parameters, &path, 0.0, &smooth, phases);
        CHECK(n == 4);
        CHECK_SCALED(phases[0].start, angle, 1.0, 1e-7);
        for (int p = 0; p < n; p++) {
            bool sticks = p % 2 == 0;
            double length = sticks ? star : 0.5 * TEST_TWO_PI - star;
            CHECK_SCALED(phases[p].end - phases[p].start, length, 1.0, 1e-7);
            CHECK(phases[p].is_slip == !sticks && phases[p].tangent == (sticks ? k : 0.0));
            CHECK(sticks || phases[p].level == (p == 1 ? -limit : limit));
        }
    }
    free(parameters);
}

/* A long stick phase that many small turning points lie in, and one that wraps round. */
static void small_turning_points_do_not_end_stick(void)
{
    struct masing_phase phases[2 * TEST_EXTREMA];
    struct masing_smooth_path smooth;
    void *parameters = make(1.0, 10.0);
    struct test_path path = {.n_harmonics = 7};
    path.c[1] = cos(0.3);
    path.c[2] = sin(0.3);
    path.c[13] = 0.9 * cos(2.1);
    path.c[14] = 0.9 * sin(2.1);
    int n = phases_of(parameters, &path, 0.0, &smooth, phases);
    CHECK(smooth.n_extrema == 14 && n == 1);
    CHECK(phases[0].tangent == 1.0 && phases[0].level == 0.0 && phases[0].extremum == -1);
    n = phases_of(parameters, &path, -12.0, &smooth, phases);
    CHECK(n == 1 && phases[0].extremum >= 0);
    CHECK_SCALED(phases[0].level, 10.0 - 1.9, 1.0, 1e-7); /* dragged to the highest point */
    n = phases_of(parameters, &path, 12.0, &smooth, phases);
    CHECK_SCALED(phases[0].level, -10.0 + 1.9, 1.0, 1e-7);
    free(parameters);
    parameters = make(1.0, 1.2);
    n = phases_of(parameters, &path, 0.0, &smooth, phases);
    CHECK(n > 2 && n < 14);
    free(parameters);
}

static void no_slip_force_is_no_force(void)
{
    struct masing_phase phases[2 * TEST_EXTREMA];
    struct masing_smooth_path smooth;
    static double x[N], f[N];
    void *parameters = make(4e4, 0.0);
    struct test_path path = {.n_harmonics = 3, .c = {1.0, 2.0, 0.5, 0.0, 1.0, 0.3, 0.3}};
    int n = phases_of(parameters, &path, 0.5, &smooth, phases);
    CHECK(n == 1 && phases[0].tangent == 0.0 && phases[0].level == 0.0 && phases[0].is_slip);
    test_path_sample(&path, N, 0.0, 1.0, x, NULL);
    CHECK_SCALED(march(parameters, x, N, 0.5, f), 1.0, 1.0, 1e-12);
    for (int i = 0; i < N; i++) {
        CHECK(f[i] == 0.0);
    }
    path.n_harmonics = 0;
    n = phases_of(parameters, &path, 0.5, &smooth, phases);
    CHECK(n == 1 && phases[0].tangent == 0.0 && phases[0].level == 0.0);
    free(parameters);
}

/* Reach 4e-10 of an amplitude of 1: nearly rigid Coulomb friction. */
static void very_stiff_joints_slip_nearly_always(void)
{
    struct masing_phase phases[2 * TEST_EXTREMA];
    struct masing_smooth_path smooth;
    static double x[N], f[N];
    const double k = 4e10, limit = 15.0;
    void *parameters = make(k, limit);
    struct test_path path = {.n_harmonics = 3, .c = {0.2, 1.0, 0.5, 0.0, 0.3, 0.6, 0.3}};
    int n = phases_of(parameters, &path, 0.0, &smooth, phases);
    CHECK(n == 2 * smooth.n_extrema);
    double slip = 0.0, loss = 0.0, travel = 0.0;
    for (int p = 0; p < n; p++) {
        double from = test_path_value(&path, phases[p].start, 0);
        double to = test_path_value(&path, phases[p].end, 0);
        slip += phases[p].is_slip ? (phases[p].end - phases[p].start) / TEST_TWO_PI : 0.0;
        loss +=
            0.5 * phases[p].tangent * (to * to - from * from) + phases[p].level * (to - from);
    }
    for (int i = 0; i < smooth.n_extrema; i++) {
        travel += fabs(path.extrema[i].x - path.extrema[(i + 1) % smooth.n_extrema].x);
    }
    CHECK(slip > 0.9999 && slip < 1.0);
    CHECK_SCALED(loss, limit * travel, limit * travel, 1e-6);
    test_path_sample(&path, N, 0.0, 1.0, x, NULL);
    CHECK(march(parameters, x, N, 0.0, f) > 0.999);
    for (int i = 0; i < N; i++) {
        CHECK(fabs(f[i]) <= limit * (1.0 + 1e-12));
    }
    free(parameters);
}

/* The events are positive exactly where the phases slip, and where the slider leaves. */
static void events_follow_the_phases(void)
{
    struct masing_phase phases[2 * TEST_EXTREMA];
    struct masing_smooth_path smooth;
    const struct masing_law *law = masing_law_find("jenkins");
    void *parameters = make(1.0, 1.0);
    uint64_t seed = 5;
    for (int i = 0; i < 500; i++) {
        struct test_path path;
        test_path_random(&path, &seed, 2.0);
        double origin = test_uniform(&seed, -1.0, 1.0);
        int n = phases_of(parameters, &path, origin, &smooth, phases);
        struct masing_range range = test_path_range(&smooth);
        bool slips = law->events[0].value(law, parameters, &range) > 0.0;
        bool shifted = law->events[1].value(law, parameters, &range) > 0.0;
        CHECK(slips == (n > 1));
        CHECK(shifted == (n > 1 || phases[0].extremum >= 0));
        double settled = law->settle(law, parameters, &range);
        CHECK(slips || settled - range.maximum >= -1.0 - 1e-12);
        CHECK(slips || settled - range.minimum <= 1.0 + 1e-12);
        CHECK(slips || shifted == (settled != origin));
        CHECK(!slips || settled == 0.5 * (range.maximum + range.minimum));
    }
    struct masing_range symmetric = {.maximum = 2.0, .minimum = -2.0}, still = {.maximum = 0.0};
    CHECK(law->events[0].value(law, parameters, &symmetric) == 1.0);
    CHECK(law->events[1].value(law, parameters, &symmetric) < 0.0); /* one event, not two */
    CHECK(law->events[0].value(law, parameters, &still) == -1.0);
    free(parameters);
    parameters = make(1.0, 0.0);
    CHECK(law->events[0].value(law, parameters, &still) > 0.0); /* never an event */
    CHECK(law->events[0].value(law, parameters, &symmetric) > 0.0);
    free(parameters);
}

static const struct tap_test tests[] = {
    {"the first harmonic of sampled forces is the closed form",
     first_harmonic_of_sampled_forces},
    {"one harmonic has four phases", one_harmonic_has_four_phases},
    {"small turning points do not end stick", small_turning_points_do_not_end_stick},
    {"no slip force is no force", no_slip_force_is_no_force},
    {"very stiff joints slip nearly always", very_stiff_joints_slip_nearly_always},
    {"events follow the phases", events_follow_the_phases},
};

TAP_MAIN(tests)
