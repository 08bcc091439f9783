/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every law promises about the derivative of its steps: chained along a path it is that of
 * forces and states by the whole path, the place of the start included.
 */
#include "contact_cases.h"

enum { N_STEPS = 40, MOST_STEPS = 150, N_WAYS = 2, N_SIZES = 4 };

/* More directions than any law takes at a time; column k varies along way k % N_WAYS. */
enum { N_COLUMNS = 30 };

static const double STEP = 2e-5;

/* A law on an open path from rest, and ways to vary it. */
struct walk {
    const struct masing_law *law;
    const void *parameters;
    int n_axes, n_steps;
    size_t n_state;
    double size;
    double origin[MOST_AXES], x[MOST_STEPS * MOST_AXES], v[MOST_STEPS * MOST_AXES];
    double d_origin[N_WAYS][MOST_AXES];
    double dx[N_WAYS][MOST_STEPS * MOST_AXES], dv[N_WAYS][MOST_STEPS * MOST_AXES];
};

/* Forces and states at all steps. */
struct record {
    double f[MOST_STEPS * MOST_AXES];
    double *states; /* [n_steps][n_state] */
    size_t used[MOST_STEPS];
    bool is_finite;
};

/* Everything moves by itself, or all by the same amount with a change of speed. */
static void choose_ways(struct walk *walk, uint64_t seed)
{
    for (int i = 0; i < walk->n_steps * walk->n_axes; i++) {
        walk->dx[0][i] = walk->size * test_uniform(&seed, -1.0, 1.0);
        walk->dv[0][i] = test_uniform(&seed, -1.0, 1.0);
        walk->dx[1][i] = walk->size;
        walk->dv[1][i] = 1.0;
    }
    for (int a = 0; a < walk->n_axes; a++) {
        walk->d_origin[0][a] = walk->size * test_uniform(&seed, -1.0, 1.0);
        walk->d_origin[1][a] = walk->size * test_uniform(&seed, -1.0, 1.0);
    }
}

/* step along the path varied by `size` along a way */
static void follow(const struct walk *walk, int way, double size, struct record *record)
{
    double origin[MOST_AXES], x[MOST_AXES], v[MOST_AXES];
    double fx[MOST_AXES * MOST_AXES], fv[MOST_AXES * MOST_AXES];
    double *state = calloc(walk->n_state + 1, sizeof(double));
    int n = walk->n_axes;
    record->states = calloc((size_t)walk->n_steps * walk->n_state + 1, sizeof(double));
    record->is_finite = true;
    for (int a = 0; a < n; a++) {
        origin[a] = walk->origin[a] + size * walk->d_origin[way][a];
    }
    masing_law_rest(walk->law, walk->parameters, origin, state);
    for (int i = 0; i < walk->n_steps && record->is_finite; i++) {
        for (int a = 0; a < n; a++) {
            x[a] = walk->x[i * n + a] + size * walk->dx[way][i * n + a];
            v[a] = walk->v[i * n + a] + size * walk->dv[way][i * n + a];
        }
        record->is_finite = masing_law_step(walk->law, walk->parameters, x, v, state, state,
                                            record->f + i * n, fx, fv) == MASING_OK &&
                            contact_largest(record->f + i * n, n) < 1e6;
        record->used[i] = masing_law_state_used(walk->law, walk->parameters, state);
        memcpy(record->states + (size_t)i * walk->n_state, state,
               sizeof(double) * record->used[i]);
    }
    free(state);
}

/* rest is linear in the origin */
static void start_changes(const struct walk *walk, double *dstate)
{
    double zero[MOST_AXES] = {0.0};
    double *at_zero = calloc(walk->n_state + 1, sizeof(double));
    double *state = calloc(walk->n_state + 1, sizeof(double));
    masing_law_rest(walk->law, walk->parameters, zero, at_zero);
    for (int k = 0; k < N_COLUMNS; k++) {
        masing_law_rest(walk->law, walk->parameters, walk->d_origin[k % N_WAYS], state);
        size_t used = masing_law_state_used(walk->law, walk->parameters, state);
        for (size_t s = 0; s < used; s++) {
            dstate[s * N_COLUMNS + (size_t)k] = state[s] - at_zero[s];
        }
    }
    free(at_zero);
    free(state);
}

static int n_compared, n_total;

/* By extrapolated differences; where these do not agree or bend there is a change of state. */
static void compare(const double plain, const double values[N_SIZES], double actual,
                    double scale)
{
    double coarse = (values[0] - values[1]) / (2.0 * STEP);
    double fine = (values[2] - values[3]) / STEP;
    double corner = (values[2] - 2.0 * plain + values[3]) / STEP;
    n_total++;
    if (fabs(coarse - fine) <= 1e-7 * scale && fabs(corner) <= 1e-4 * scale) {
        n_compared++;
        CHECK_SCALED(actual, (4.0 * fine - coarse) / 3.0, scale, 1e-6);
    }
}

static double largest_of(const double *row, double scale)
{
    return fmax(contact_largest(row, N_COLUMNS), scale);
}

static void compare_step(const struct walk *walk, int i, const struct record *plain,
                         struct record varied[N_WAYS][N_SIZES], const double *df,
                         const double *dstate, double scale)
{
    for (int way = 0; way < N_WAYS; way++) {
        double values[N_SIZES];
        bool has_states = true;
        for (int a = 0; a < walk->n_axes; a++) {
            for (int k = 0; k < N_SIZES; k++) {
                values[k] = varied[way][k].f[i * walk->n_axes + a];
                has_states = has_states && varied[way][k].used[i] == plain->used[i];
            }
            const double *row = df + a * N_COLUMNS;
            compare(plain->f[i * walk->n_axes + a], values, row[way], largest_of(row, scale));
        }
        for (size_t s = 0; has_states && s < plain->used[i]; s++) {
            size_t at = (size_t)i * walk->n_state + s;
            for (int k = 0; k < N_SIZES; k++) {
                values[k] = varied[way][k].states[at];
            }
            const double *row = dstate + s * N_COLUMNS;
            compare(plain->states[at], values, row[way], largest_of(row, scale));
        }
    }
}

/* Columns along the same way are the same. */
static void check_columns(const double *rows, size_t n_rows)
{
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t k = N_WAYS; k < N_COLUMNS; k++) {
            CHECK(rows[r * N_COLUMNS + k] == rows[r * N_COLUMNS + k % N_WAYS]);
        }
    }
}

static void spread(int n_axes, const double *ways, size_t step, size_t stride, double *out)
{
    for (int a = 0; a < n_axes; a++) {
        for (int k = 0; k < N_COLUMNS; k++) {
            out[a * N_COLUMNS + k] =
                ways[(size_t)(k % N_WAYS) * stride + step * (size_t)n_axes + (size_t)a];
        }
    }
}

/* steps along the path, in place, against the records */
static void check_changes(const struct walk *walk, const struct record *plain,
                          struct record varied[N_WAYS][N_SIZES])
{
    double dx[MOST_AXES * N_COLUMNS], dv[MOST_AXES * N_COLUMNS], df[MOST_AXES * N_COLUMNS];
    double f[MOST_AXES];
    double *state = calloc(walk->n_state + 1, sizeof(double));
    double *dstate = malloc((walk->n_state + 1) * N_COLUMNS * sizeof(double));
    memset(dstate, 0xff, (walk->n_state + 1) * N_COLUMNS * sizeof(double)); /* NAN */
    masing_law_rest(walk->law, walk->parameters, walk->origin, state);
    start_changes(walk, dstate);
    double scale = contact_largest(plain->f, walk->n_steps * walk->n_axes) + walk->size;
    for (int i = 0; i < walk->n_steps; i++) {
        memset(df, 0xff, sizeof df);
        spread(walk->n_axes, walk->dx[0], (size_t)i, MOST_STEPS * MOST_AXES, dx);
        spread(walk->n_axes, walk->dv[0], (size_t)i, MOST_STEPS * MOST_AXES, dv);
        const struct masing_step step = {.law = walk->law,
                                         .parameters = walk->parameters,
                                         .x = walk->x + i * walk->n_axes,
                                         .v = walk->v + i * walk->n_axes,
                                         .state = state,
                                         .next_state = state,
                                         .f = f,
                                         .n = N_COLUMNS,
                                         .dx = dx,
                                         .dv = dv,
                                         .dstate = dstate,
                                         .df = df};
        CHECK(masing_law_take(&step) == MASING_OK);
        CHECK(memcmp(f, plain->f + i * walk->n_axes, sizeof(double) * (size_t)walk->n_axes) ==
              0);
        size_t used = masing_law_state_used(walk->law, walk->parameters, state);
        CHECK(used == plain->used[i]);
        CHECK(memcmp(state, plain->states + (size_t)i * walk->n_state,
                     sizeof(double) * plain->used[i]) == 0);
        check_columns(df, (size_t)walk->n_axes);
        check_columns(dstate, used);
        compare_step(walk, i, plain, varied, df, dstate, scale);
    }
    free(state);
    free(dstate);
}

static void check_walk(const struct walk *walk)
{
    static const double sizes[N_SIZES] = {1.0, -1.0, 0.5, -0.5};
    static struct record plain, varied[N_WAYS][N_SIZES];
    follow(walk, 0, 0.0, &plain);
    bool is_finite = plain.is_finite;
    for (int way = 0; way < N_WAYS; way++) {
        for (int k = 0; k < N_SIZES; k++) {
            follow(walk, way, STEP * sizes[k], &varied[way][k]);
            is_finite = is_finite && varied[way][k].is_finite;
        }
    }
    if (is_finite) {
        check_changes(walk, &plain, varied);
    }
    for (int way = 0; way < N_WAYS; way++) {
        for (int k = 0; k < N_SIZES; k++) {
            free(varied[way][k].states);
        }
    }
    free(plain.states);
}

/* A random walk that turns at every other step. */
static void check_single(struct law_case *test)
{
    static struct walk walk;
    uint64_t seed = test->seed;
    walk = (struct walk){.law = test->law,
                         .parameters = test->parameters,
                         .n_axes = 1,
                         .n_steps = N_STEPS,
                         .n_state = masing_law_state_size(test->law, test->parameters),
                         .size = test->amplitude,
                         .origin = {test->origin}};
    double at = test->origin;
    for (int i = 0; i < N_STEPS; i++) {
        walk.v[i] = test_uniform(&seed, -1.0, 1.0);
        at += 0.5 * test->amplitude * walk.v[i];
        walk.x[i] = at;
    }
    choose_ways(&walk, seed);
    check_walk(&walk);
}

static void laws_of_one_axis(void)
{
    n_compared = n_total = 0;
    for_each_case(20, check_single);
    CHECK(n_compared > 0.9 * n_total);
}

/* Some six periods of a motion that slips, lifts off and closes again. */
static void check_contact(struct contact_case *test)
{
    static struct walk walk;
    walk = (struct walk){.law = test->law,
                         .parameters = test->parameters,
                         .n_axes = test->n_axes,
                         .n_steps = N_STEPS,
                         .n_state = masing_law_state_size(test->law, test->parameters)};
    double x[N * MOST_AXES], v[N * MOST_AXES];
    contact_sample(test, N, 0.0, x, v);
    for (int i = 0; i < N_STEPS; i++) {
        for (int a = 0; a < test->n_axes; a++) {
            walk.x[i * test->n_axes + a] = x[(19 * i + 5) % N * test->n_axes + a];
            walk.v[i * test->n_axes + a] = v[(19 * i + 5) % N * test->n_axes + a];
        }
    }
    memcpy(walk.origin, test->origin, sizeof walk.origin);
    walk.size = contact_largest(walk.x, N_STEPS * test->n_axes);
    choose_ways(&walk, test->seed);
    check_walk(&walk);
}

/* More loops inside each other than any memory holds, and back through those that are left. */
static void check_decay(struct law_case *test)
{
    static struct walk walk;
    if (test->law->family != &masing_family_masing) {
        return;
    }
    walk = (struct walk){.law = test->law,
                         .parameters = test->parameters,
                         .n_axes = 1,
                         .n_steps = MOST_STEPS,
                         .n_state = masing_law_state_size(test->law, test->parameters),
                         .size = test->amplitude};
    for (int i = 0; i < MOST_STEPS; i++) {
        double size = i < MOST_STEPS - 10 ? exp(-0.02 * i) : exp(-0.187 * (MOST_STEPS - i));
        walk.x[i] = test->amplitude * (i % 2 == 0 ? size : -size);
    }
    choose_ways(&walk, test->seed);
    check_walk(&walk);
}

static void memories_that_are_full(void)
{
    n_compared = n_total = 0;
    for_each_case(1, check_decay);
    CHECK(n_compared > 0.9 * n_total);
}

static int n_contacts;

/* Some of the cases. */
static void check_some_contacts(struct contact_case *test)
{
    if (n_contacts++ % tap_most(8, 2) == 0) {
        check_contact(test);
    }
}

static void contacts(void)
{
    n_compared = n_total = n_contacts = 0;
    contact_for_each(check_some_contacts);
    CHECK(n_compared > 0.9 * n_total);
}

/*
 * The state that a periodic march leaves at sample 0, where families have to search for one:
 * steps from there repeat the period, but for the path being straight between samples.
 */
static void check_onward(const struct masing_law *law, const void *parameters,
                         const struct masing_path *path, const double *periodic, double *state)
{
    double f[MOST_AXES], fx[MOST_AXES * MOST_AXES], fv[MOST_AXES * MOST_AXES];
    int n = path->n_samples, n_axes = path->n_axes;
    double scale = contact_largest(periodic, n * n_axes);
    for (int i = 1; i <= n; i++) {
        const double *v = path->v + i % n * n_axes;
        CHECK(masing_law_step(law, parameters, path->x + i % n * n_axes, v, state, state, f, fx,
                              fv) == MASING_OK);
        for (int a = 0; a < n_axes; a++) {
            CHECK_SCALED(f[a], periodic[i % n * n_axes + a], scale, 0.02);
        }
    }
}

static double *unknown_state(const struct masing_law *law, const void *parameters)
{
    size_t size = masing_law_state_size(law, parameters);
    double *state = malloc(size * sizeof(double));
    for (size_t i = 0; i < size; i++) {
        state[i] = NAN;
    }
    return state;
}

static void check_single_onward(struct law_case *test)
{
    static struct law_run run;
    static double x[CASE_MAX_SAMPLES], v[CASE_MAX_SAMPLES];
    if (test->law->family->settling_periods >= 0) {
        return;
    }
    test_path_sample(&test->path, CASE_MAX_SAMPLES, 0.0, test->omega, x, v);
    struct masing_path path = {.n_samples = CASE_MAX_SAMPLES,
                               .n_axes = 1,
                               .is_periodic = true,
                               .x = x,
                               .v = v,
                               .origin = &test->origin};
    double *state = unknown_state(test->law, test->parameters);
    if (CHECK(case_march(test, &path, state, false, &run) == MASING_OK)) {
        check_onward(test->law, test->parameters, &path, run.f, state);
    }
    free(state);
}

static void check_contact_onward(struct contact_case *test)
{
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES];
    if (n_contacts++ % 20 != 0) {
        return;
    }
    contact_sample(test, N, 0.0, x, v);
    const struct masing_path path = contact_path_of(test, N, x, v);
    struct masing_forces forces = {.f = f};
    double *state = unknown_state(test->law, test->parameters);
    if (CHECK(contact_march(test, &path, state, &forces) == MASING_OK)) {
        check_onward(test->law, test->parameters, &path, f, state);
    }
    free(state);
}

static void steps_go_on_from_a_periodic_march(void)
{
    n_contacts = 0;
    for_each_case(10, check_single_onward);
    contact_for_each(check_contact_onward);
}

static const struct tap_test tests[] = {
    {"chained changes of one axis are those of differences", laws_of_one_axis},
    {"likewise where the memory is full", memories_that_are_full},
    {"chained changes of contacts are those of differences", contacts},
    {"steps go on from a periodic march", steps_go_on_from_a_periodic_march},
};

TAP_MAIN(tests)
