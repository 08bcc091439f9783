/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derivatives that every listed law of several axes promises. */
#include "contact_cases.h"

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
    contact_sample(test, N, 0.0, x, v);
    for (int d = 0; d < 2; d++) {
        struct contact_case along = *test;
        double cx[N * MOST_AXES], cv[N * MOST_AXES];
        for (int a = 0; a < test->n_axes; a++) {
            test_path_random(&change[d][a], &test->seed, 1.0);
            along.path[a] = change[d][a];
        }
        contact_sample(&along, N, 0.0, cx, cv);
        for (int i = 0; i < rows; i++) {
            dx[i * D + d] = cx[i];
            dv[i * D + d] = cv[i];
        }
    }
    for (int i = 0; i < rows; i++) {
        dx[i * D + 2] = 0.0;
        dv[i * D + 2] = v[i] / test->omega;
    }
    struct masing_path path = contact_path_of(test, N, x, v);
    path.n_directions = D;
    path.dx = dx;
    path.dv = dv;
    struct masing_forces forces = {.f = f, .df = df}, plain;
    CHECK(contact_march(test, &path, NULL, &forces) == MASING_OK);
    contact_steady(test, 0.0, g, &plain);
    CHECK(memcmp(f, g, sizeof *f * (size_t)rows) == 0);
    for (int d = 0; d < D; d++) {
        double scale = contact_largest(f, rows);
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
            contact_steady(&other, 0.0, runs[k], &unused);
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
    contact_for_each(check_directions);
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
    contact_sample(test, N, 0.0, x, v);
    struct masing_path path = contact_path_of(test, N, x, v);
    const void *tangents[] = {tangent};
    path.n_parameters = 1;
    path.dp = tangents;
    struct masing_forces forces = {.f = f, .dfp = dfp};
    CHECK(contact_march(test, &path, NULL, &forces) == MASING_OK);
    double step = STEP * fabs(value), scale = contact_largest(f, rows) / fabs(value);
    bool is_good = true;
    for (int k = 0; k < 4; k++) {
        struct contact_case other = *test;
        struct masing_forces unused;
        double moved = value + step * SIZES[k];
        other.parameters = malloc(test->law->parameters_size);
        memcpy(other.parameters, test->given, test->law->parameters_size);
        memcpy((char *)other.parameters + offset, &moved, sizeof moved);
        is_good = masing_law_check(test->law, other.parameters, NULL) == MASING_OK && is_good;
        if (is_good) {
            contact_steady(&other, 0.0, runs[k], &unused);
        }
        free(other.parameters);
    }
    if (is_good) {
        int failures = tap_failures;
        scale = fmax(scale, contact_largest(dfp, rows));
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
    contact_for_each(check_parameters);
    CHECK((double)n_agreeing > 0.8 * (double)n_all);
}

/* One step equals a path of one sample; its tangents are those of differences. */
static void check_step(struct contact_case *test)
{
    int n = test->n_axes;
    size_t size = masing_law_state_size(test->law, test->parameters) + 1;
    double *state = calloc(size, sizeof *state), *next = calloc(size, sizeof *next);
    double x[N * MOST_AXES], v[N * MOST_AXES], f[6], fx[36], fv[36], marched[6];
    contact_sample(test, N, 0.0, x, v);
    masing_law_rest(test->law, test->parameters, test->origin, state);
    for (int i = 0; i < 40; i++) {
        const double *to = x + i * n, *speed = v + i * n;
        CHECK(masing_law_step(test->law, test->parameters, to, speed, state, next, f, fx, fv) ==
              MASING_OK);
        struct masing_path path = contact_path_of(test, 1, to, speed);
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
                masing_law_step(test->law, test->parameters, moved[0], moved[1], state, copy,
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
    }
    free(state);
    free(next);
}

static void steps(void)
{
    n_all = n_agreeing = 0;
    contact_for_each(check_step);
    CHECK((double)n_agreeing > 0.9 * (double)n_all);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"derivatives are those of differences", directions},
        {"parameter derivatives are those of differences", parameters},
        {"steps are paths, tangents are differences", steps},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
