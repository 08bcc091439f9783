/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every listed law of several axes promises, over random parameters and motions. */
#include "contact_paths.h"

#include <string.h>

enum { N_CASES = 200, N = 128, N_COLUMNS = 4, MOST_AXES = MASING_MAX_AXES };

static void fill_numbers(struct contact_case *test)
{
    const struct masing_law *law = test->law;
    uint64_t *seed = &test->seed;
    bool is_falling = test_uniform(seed, 0, 1) < 0.4, is_gap = test_uniform(seed, 0, 1) < 0.3;
    contact_set(law, test->given, "normal_stiffness", 0, exp(test_uniform(seed, -1, 1)));
    contact_set(law, test->given, "tangential_stiffness", 0, exp(test_uniform(seed, -1, 1)));
    if (!is_falling) {
        contact_set(law, test->given, "friction", 0, test_uniform(seed, 0.1, 0.9));
    } else {
        contact_set(law, test->given, "friction.static", 0, test_uniform(seed, 0.5, 0.9));
        if (test_uniform(seed, 0, 1) < 0.5) {
            contact_set(law, test->given, "friction.hyperbolic_decay", 0,
                        exp(test_uniform(seed, -2, 0)));
        } else {
            contact_set(law, test->given, "friction.kinetic", 0, test_uniform(seed, 0.2, 0.4));
            contact_set(law, test->given, "friction.decay", 0, exp(test_uniform(seed, -2, 0)));
        }
    }
    if (is_gap) {
        contact_set(law, test->given, "gap", 0, test_uniform(seed, 0.0, 0.3));
    } else {
        contact_set(law, test->given, "preload", 0, exp(test_uniform(seed, -1, 1)));
    }
    if (test_uniform(seed, 0, 1) < 0.5) {
        contact_set(law, test->given, "roughness", 0, exp(test_uniform(seed, -1, 1)));
    }
    if (masing_field_find(law->fields, law->n_fields, "elements") >= 0) {
        for (int i = 0; i < 2; i++) {
            contact_set(law, test->given, "size", i, exp(test_uniform(seed, -1, 1)));
            contact_set(law, test->given, "elements", i, floor(test_uniform(seed, 1, 5)));
            contact_set(law, test->given, "preload_moment", i,
                        is_gap ? 0.0 : 0.05 * test_uniform(seed, -1, 1));
        }
    }
}

/* A plain contact has its normal axis and one or two others; a patch any of its six. */
static unsigned random_axes(const struct masing_law *law, uint64_t *seed)
{
    return law->n_axes == 3 ? (test_uniform(seed, 0, 1) < 0.5 ? 3u : 7u)
                            : 1u + (unsigned)test_uniform(seed, 0, 63);
}

static bool create(struct contact_case *test, const struct masing_law *law, int index)
{
    *test = (struct contact_case){.law = law,
                                  .seed = (uint64_t)(7919 * index + 17),
                                  .parameters = calloc(1, law->parameters_size),
                                  .given = calloc(1, law->parameters_size)};
    test_uniform(&test->seed, 0, 1);
    test->axes = random_axes(law, &test->seed);
    test->n_axes = contact_count_axes(test->axes);
    masing_fields_reset(law->fields, law->n_fields, test->given);
    fill_numbers(test);
    law->choose_axes(test->given, test->axes);
    memcpy(test->parameters, test->given, law->parameters_size);
    if (law->check(test->parameters, NULL) != MASING_OK) {
        return false;
    }
    test->omega = exp(test_uniform(&test->seed, -1, 1));
    double size = exp(test_uniform(&test->seed, -2, 1));
    for (int a = 0; a < test->n_axes; a++) {
        test_path_random(&test->path[a], &test->seed, size);
        test->origin[a] = size * test_uniform(&test->seed, -0.3, 0.3);
    }
    return true;
}

static void for_each(void (*check)(struct contact_case *test))
{
    int n_cases = N_CASES;
#if defined __SANITIZE_ADDRESS__
    n_cases = N_CASES / 10; /* numbers are judged without sanitizers */
#endif
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        for (int i = 0, done = 0; (*law)->n_axes > 1 && done < n_cases; i++) {
            struct contact_case test;
            int failures = tap_failures;
            if (create(&test, *law, i)) {
                check(&test);
                done++;
            }
            if (tap_failures > failures && tap_failures < TAP_SHOWN) {
                printf("# ^ %s, case %d\n", (*law)->name, i);
            }
            contact_case_clear(&test);
        }
    }
}

/* x, v [n][n_axes] from an angle on */
static void sample(const struct contact_case *test, int n, double start, double *x, double *v)
{
    double xs[N], vs[N];
    for (int a = 0; a < test->n_axes; a++) {
        test_path_sample(&test->path[a], n, start, test->omega, xs, vs);
        for (int i = 0; i < n; i++) {
            x[i * test->n_axes + a] = xs[i];
            v[i * test->n_axes + a] = vs[i];
        }
    }
}

static struct masing_path path_of(const struct contact_case *test, int n, const double *x,
                                  const double *v)
{
    return (struct masing_path){.n_samples = n,
                                .n_axes = test->n_axes,
                                .is_periodic = true,
                                .time_step = TEST_TWO_PI / (test->omega * n),
                                .x = x,
                                .v = v,
                                .origin = test->origin};
}

static void steady(const struct contact_case *test, double start, double *f,
                   struct masing_forces *forces)
{
    double x[N * MOST_AXES], v[N * MOST_AXES];
    sample(test, N, start, x, v);
    const struct masing_path path = path_of(test, N, x, v);
    *forces = (struct masing_forces){.f = f};
    CHECK(contact_march(test, &path, NULL, forces) == MASING_OK);
}

static double largest(const double *f, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(f[i]));
    }
    return most;
}

static long n_all, n_agreeing;

/* Where two differences agree no sample changed its state in between. */
static void compare(const double *df, int stride, int column, int n, double runs[4][N * 6],
                    double step, double scale)
{
    for (int i = 0; i < n; i++) {
        double coarse = (runs[0][i] - runs[1][i]) / (2.0 * step);
        double fine = (runs[2][i] - runs[3][i]) / step;
        n_all++;
        if (fabs(coarse - fine) <= 1e-7 * scale) {
            n_agreeing++;
            CHECK_SCALED(df[i * stride + column], (4.0 * fine - coarse) / 3.0, scale, 1e-6);
        }
    }
}

static const double STEP = 1e-5;
static const double SIZES[4] = {1.0, -1.0, 0.5, -0.5};

/* Directions: two changes of the path, the frequency. */
static void check_directions(struct contact_case *test)
{
    enum { D = 3 };
    static double dx[N * MOST_AXES * D], dv[N * MOST_AXES * D], df[N * MOST_AXES * D];
    static double runs[4][N * 6];
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES], g[N * MOST_AXES];
    struct test_path change[2][MOST_AXES];
    int rows = N * test->n_axes;
    sample(test, N, 0.0, x, v);
    for (int d = 0; d < 2; d++) {
        struct contact_case along = *test;
        double cx[N * MOST_AXES], cv[N * MOST_AXES];
        for (int a = 0; a < test->n_axes; a++) {
            test_path_random(&change[d][a], &test->seed, 1.0);
            along.path[a] = change[d][a];
        }
        sample(&along, N, 0.0, cx, cv);
        for (int i = 0; i < rows; i++) {
            dx[i * D + d] = cx[i];
            dv[i * D + d] = cv[i];
        }
    }
    for (int i = 0; i < rows; i++) {
        dx[i * D + 2] = 0.0;
        dv[i * D + 2] = v[i] / test->omega;
    }
    struct masing_path path = path_of(test, N, x, v);
    path.n_directions = D;
    path.dx = dx;
    path.dv = dv;
    struct masing_forces forces = {.f = f, .df = df}, plain;
    CHECK(contact_march(test, &path, NULL, &forces) == MASING_OK);
    steady(test, 0.0, g, &plain);
    CHECK(memcmp(f, g, sizeof *f * (size_t)rows) == 0);
    for (int d = 0; d < D; d++) {
        double scale = largest(f, rows);
        for (int k = 0; k < 4; k++) {
            struct contact_case other = *test;
            struct masing_forces unused;
            for (int a = 0; a < test->n_axes && d < 2; a++) {
                int most = other.path[a].n_harmonics > change[d][a].n_harmonics
                               ? other.path[a].n_harmonics
                               : change[d][a].n_harmonics;
                other.path[a].n_harmonics = most;
                for (int c = 0; c < TEST_COEFFICIENTS; c++) {
                    other.path[a].c[c] += STEP * SIZES[k] * change[d][a].c[c];
                }
            }
            other.omega += d == 2 ? STEP * SIZES[k] : 0.0;
            steady(&other, 0.0, runs[k], &unused);
        }
        for (int i = 0; i < rows; i++) {
            scale = fmax(scale, fabs(df[i * D + d]));
        }
        compare(df, D, d, rows, runs, STEP, scale);
    }
}

static void directions(void)
{
    n_all = n_agreeing = 0;
    for_each(check_directions);
    CHECK((double)n_agreeing > 0.8 * (double)n_all);
}

static void check_parameter(struct contact_case *test, const struct masing_field *field,
                            size_t offset)
{
    static double runs[4][N * 6];
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES], dfp[N * MOST_AXES];
    int rows = N * test->n_axes;
    double value;
    memcpy(&value, (const char *)test->given + offset, sizeof value);
    if (isnan(value) || value == 0.0) {
        return;
    }
    void *tangent = calloc(1, test->law->parameters_size);
    masing_law_tangent(test->law, test->parameters, offset, tangent);
    sample(test, N, 0.0, x, v);
    struct masing_path path = path_of(test, N, x, v);
    const void *tangents[] = {tangent};
    path.n_parameters = 1;
    path.dp = tangents;
    struct masing_forces forces = {.f = f, .dfp = dfp};
    CHECK(contact_march(test, &path, NULL, &forces) == MASING_OK);
    double step = STEP * fabs(value), scale = largest(f, rows) / fabs(value);
    bool is_good = true;
    for (int k = 0; k < 4; k++) {
        struct contact_case other = *test;
        struct masing_forces unused;
        double moved = value + step * SIZES[k];
        other.parameters = malloc(test->law->parameters_size);
        memcpy(other.parameters, test->given, test->law->parameters_size);
        memcpy((char *)other.parameters + offset, &moved, sizeof moved);
        is_good = test->law->check(other.parameters, NULL) == MASING_OK && is_good;
        if (is_good) {
            steady(&other, 0.0, runs[k], &unused);
        }
        free(other.parameters);
    }
    if (is_good) {
        int failures = tap_failures;
        scale = fmax(scale, largest(dfp, rows));
        compare(dfp, 1, 0, rows, runs, step, scale);
        if (tap_failures > failures) {
            printf("# ^ %s %zu\n", field->name, offset);
        }
    }
    free(tangent);
}

static void check_parameters(struct contact_case *test)
{
    for (int k = 0; k < test->law->n_fields; k++) {
        const struct masing_field *field = &test->law->fields[k];
        if (field->type == MASING_FIELD_REAL) {
            check_parameter(test, field, field->offset);
        } else if (strcmp(field->name, "elements") != 0) {
            size_t first = field->offset + offsetof(struct masing_list, values);
            check_parameter(test, field, first);
            check_parameter(test, field, first + sizeof(double));
        }
    }
}

static void parameters(void)
{
    n_all = n_agreeing = 0;
    for_each(check_parameters);
    CHECK((double)n_agreeing > 0.8 * (double)n_all);
}

/* Periods followed from rest end in what the periodic march found, where it does not depend on
 * the start: as soon as it slips or opens. A rest that is admissible is one of many. */
static void check_long_run(struct contact_case *test)
{
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES], g[N * MOST_AXES];
    int rows = N * test->n_axes;
    struct masing_forces forces, open = {.f = g};
    steady(test, 0.0, f, &forces);
    sample(test, N, 0.0, x, v);
    struct masing_path path = path_of(test, N, x, v);
    path.is_periodic = false;
    double *state =
        calloc(test->law->family->state_size(test->law, test->parameters) + 1, sizeof *state);
    test->law->family->rest(test->law, test->parameters, test->origin, state);
    for (int period = 0; period < 400; period++) {
        CHECK(contact_march(test, &path, state, &open) == MASING_OK);
    }
    bool is_one_element =
        !test->law->n_elements || test->law->n_elements(test->parameters) == 1;
    if (is_one_element && forces.slip_share + forces.open_share > 0.1) {
        double scale = largest(f, rows);
        for (int i = 0; i < rows; i++) {
            CHECK_SCALED(g[i], f[i], scale, 1e-6);
        }
        n_all++;
    }
    free(state);
}

static void long_runs(void)
{
    n_all = 0;
    for_each(check_long_run);
    CHECK(n_all > N_CASES / 20);
}

static void check_shift(struct contact_case *test)
{
    double f[N * MOST_AXES], g[N * MOST_AXES];
    struct masing_forces forces, shifted;
    int n_axes = test->n_axes, by = 37;
    steady(test, 0.0, f, &forces);
    steady(test, TEST_TWO_PI * by / N, g, &shifted);
    double scale = largest(f, N * n_axes);
    for (int i = 0; i < N * n_axes; i++) {
        CHECK_SCALED(g[i], f[(i + by * n_axes) % (N * n_axes)], scale, 1e-8);
    }
    CHECK_SCALED(forces.slip_margin, shifted.slip_margin, 1.0, 1e-8);
}

static void a_shifted_start_changes_nothing(void)
{
    for_each(check_shift);
}

static void check_pieces(struct contact_case *test)
{
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES], g[N * MOST_AXES];
    int n_axes = test->n_axes, cut = 41, rows = N * n_axes;
    size_t size = test->law->family->state_size(test->law, test->parameters) + 1;
    double *state = calloc(size, sizeof *state), *other = calloc(size, sizeof *other);
    sample(test, N, 0.0, x, v);
    struct masing_path path = path_of(test, N, x, v), part = path;
    struct masing_forces forces = {.f = f}, piece = {.f = g};
    path.is_periodic = part.is_periodic = false;
    test->law->family->rest(test->law, test->parameters, test->origin, state);
    memcpy(other, state, sizeof *state * size);
    CHECK(contact_march(test, &path, state, &forces) == MASING_OK);
    part.n_samples = cut;
    CHECK(contact_march(test, &part, other, &piece) == MASING_OK);
    part.n_samples = N - cut;
    part.x += cut * n_axes;
    part.v += cut * n_axes;
    piece.f += cut * n_axes;
    CHECK(contact_march(test, &part, other, &piece) == MASING_OK);
    CHECK(memcmp(f, g, sizeof *f * (size_t)rows) == 0);
    CHECK(memcmp(state, other, sizeof *state * size) == 0);
    free(state);
    free(other);
}

static void a_path_in_pieces_is_the_path(void)
{
    for_each(check_pieces);
}

/* One step equals a path of one sample; its tangents are those of differences. */
static void check_step(struct contact_case *test)
{
    const struct masing_family *family = test->law->family;
    int n = test->n_axes;
    size_t size = family->state_size(test->law, test->parameters) + 1;
    double *state = calloc(size, sizeof *state), *next = calloc(size, sizeof *next);
    double x[N * MOST_AXES], v[N * MOST_AXES], f[6], fx[36], fv[36], marched[6];
    sample(test, N, 0.0, x, v);
    family->rest(test->law, test->parameters, test->origin, state);
    const double *from = test->origin;
    for (int i = 0; i < 40; i++) {
        const double *to = x + i * n, *speed = v + i * n;
        CHECK(family->step(test->law, test->parameters, from, to, speed, state, next, f, fx,
                           fv) == MASING_OK);
        struct masing_path path = path_of(test, 1, to, speed);
        struct masing_forces forces = {.f = marched};
        double *copy = malloc(sizeof *copy * size);
        memcpy(copy, state, sizeof *copy * size);
        path.is_periodic = false;
        CHECK(contact_march(test, &path, copy, &forces) == MASING_OK);
        double scale = 1e-3;
        for (int a = 0; a < n; a++) {
            scale = fmax(scale, fabs(f[a]));
        }
        for (int a = 0; a < n; a++) {
            CHECK_SCALED(f[a], marched[a], scale, 1e-12);
        }
        for (int b = 0; b < 2 * n; b++) {
            double moved[2][6], runs[4][6], unused[36];
            for (int k = 0; k < 4; k++) {
                memcpy(moved[0], to, sizeof *to * (size_t)n);
                memcpy(moved[1], speed, sizeof *to * (size_t)n);
                moved[b / n][b % n] += STEP * SIZES[k];
                family->step(test->law, test->parameters, from, moved[0], moved[1], state, copy,
                             runs[k], unused, unused);
            }
            for (int a = 0; a < n; a++) {
                double coarse = (runs[0][a] - runs[1][a]) / (2.0 * STEP);
                double fine = (runs[2][a] - runs[3][a]) / STEP;
                double tangent = b < n ? fx[a * n + b] : fv[a * n + b % n];
                double size_of = scale + fabs(tangent);
                n_all++;
                if (fabs(coarse - fine) <= 1e-7 * size_of) {
                    n_agreeing++;
                    CHECK_SCALED(tangent, (4.0 * fine - coarse) / 3.0, size_of, 1e-6);
                }
            }
        }
        free(copy);
        double *kept = state;
        state = next;
        next = kept;
        from = to;
    }
    free(state);
    free(next);
}

static void steps(void)
{
    n_all = n_agreeing = 0;
    for_each(check_step);
    CHECK((double)n_agreeing > 0.9 * (double)n_all);
}

/* A steady cycle never gains energy up to the known limit of its motion. */
static void check_energy(struct contact_case *test)
{
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES];
    struct masing_forces forces;
    if (!(test->law->energy_limit(test->parameters) > 0.0)) {
        return;
    }
    steady(test, 0.0, f, &forces);
    sample(test, N, 0.0, x, v);
    double loss = contact_loss(N, test->n_axes, x, f);
    CHECK(loss >= -1e-2 * largest(f, N * test->n_axes) * largest(x, N * test->n_axes));
    n_all++;
}

static void energy(void)
{
    n_all = 0;
    for_each(check_energy);
    CHECK(n_all > N_CASES / 20);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"derivatives are those of differences", directions},
        {"parameter derivatives are those of differences", parameters},
        {"steps are paths, tangents are differences", steps},
        {"long runs end in the steady state", long_runs},
        {"a shifted start changes nothing", a_shifted_start_changes_nothing},
        {"a path in pieces is the path", a_path_in_pieces_is_the_path},
        {"a steady cycle gains no energy", energy},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
