/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random cases of any single-axis law: parameters drawn from its field table, a motion of the
 * size that matters to it, and marches with their own memory. For contract tests.
 */
#ifndef MASING_TESTS_LAW_CASES_H
#define MASING_TESTS_LAW_CASES_H

#include <stdlib.h>

#include "law_paths.h"
#include "tap.h"

enum { CASE_MAX_SAMPLES = 1024, CASE_MAX_DIRECTIONS = 4, CASE_MAX_NUMBERS = 128 };

/* Of the shaft, rad^2/s^2. */
static const double CASE_SPEED_SQUARED = 1.7;

struct law_case {
    const struct masing_law *law;
    uint64_t seed;
    void *parameters; /* [law->parameters_size] */
    void *given;      /* the same before check derived anything */
    struct test_path path;
    double origin, omega;
    double amplitude;   /* of the motion, roughly */
    double force_scale; /* largest |f| along the path */
};

/* Everything a march returns. */
struct law_run {
    double f[CASE_MAX_SAMPLES];
    double df[CASE_MAX_SAMPLES * CASE_MAX_DIRECTIONS];
    double dfp[CASE_MAX_SAMPLES]; /* one parameter at most */
    double fx[CASE_MAX_SAMPLES], fv[CASE_MAX_SAMPLES];
    int branch[CASE_MAX_SAMPLES];
    struct masing_turning turnings[CASE_MAX_SAMPLES];
    int n_turnings;
    double slip_share;
};

/* A number from the range of a field, of order one where the range has no end. */
static inline double case_number(const struct masing_field *field, uint64_t *seed)
{
    bool has_minimum = field->minimum > -INFINITY, has_maximum = field->maximum < INFINITY;
    if (has_minimum && has_maximum) {
        return test_uniform(seed, field->minimum, field->maximum);
    }
    if (has_minimum) {
        return field->minimum + exp(test_uniform(seed, -1.5, 1.5));
    }
    if (has_maximum) {
        return field->maximum - exp(test_uniform(seed, -1.5, 1.5));
    }
    return test_uniform(seed, -2.0, 2.0);
}

/* A concave curve from the origin. */
static inline void case_fill_points(uint64_t *seed, struct masing_points *points)
{
    double x = 0.0, y = 0.0, slope = exp(test_uniform(seed, -1.0, 1.0));
    points->count = 2 + (int)test_uniform(seed, 0.0, 8.0);
    for (int i = 0; i < points->count; i++) {
        points->x[i] = x;
        points->y[i] = y;
        double step = test_uniform(seed, 0.1, 1.0);
        x += step;
        y += slope * step;
        slope *= test_uniform(seed, 0.2, 0.95);
    }
}

static inline void case_fill_field(const struct masing_field *field, uint64_t *seed,
                                   void *parameters)
{
    char *target = (char *)parameters + field->offset;
    struct masing_list *list = (struct masing_list *)(void *)target;
    int n_choices = 0;
    switch (field->type) {
    case MASING_FIELD_REAL:
        masing_field_store(field, case_number(field, seed), parameters, NULL);
        break;
    case MASING_FIELD_INTEGER:
        masing_field_store(field, floor(case_number(field, seed)), parameters, NULL);
        break;
    case MASING_FIELD_BOOLEAN:
        masing_field_store(field, test_uniform(seed, 0.0, 1.0) < 0.5, parameters, NULL);
        break;
    case MASING_FIELD_CHOICE:
        while (field->choices[n_choices]) {
            n_choices++;
        }
        *(int *)(void *)target = (int)test_uniform(seed, 0.0, n_choices);
        break;
    case MASING_FIELD_LIST:
        list->count =
            1 + (int)test_uniform(seed, 0.0, field->max_count ? field->max_count : 4.0);
        for (int i = 0; i < list->count; i++) {
            list->values[i] = case_number(field, seed);
        }
        break;
    case MASING_FIELD_RECORDS:
        *(int *)(void *)target =
            1 + (int)test_uniform(seed, 0.0, fmin(3.0, field->records->max_count));
        for (int i = 0; i < *(int *)(void *)target; i++) {
            char *record =
                target + field->records->first_offset + (size_t)i * field->records->record_size;
            masing_fields_reset(field->records->fields, field->records->n_fields, record);
            for (int k = 0; k < field->records->n_fields; k++) {
                case_fill_field(&field->records->fields[k], seed, record);
            }
        }
        break;
    case MASING_FIELD_POINTS:
        case_fill_points(seed, (struct masing_points *)(void *)target);
        break;
    }
}

/* Offsets of all `double`s that the fields hold: a law can be differentiated by each. */
static inline int case_field_numbers(const struct masing_field *fields, int n_fields,
                                     const void *object, size_t base, size_t *offsets)
{
    int n = 0;
    for (int i = 0; i < n_fields; i++) {
        const struct masing_field *field = &fields[i];
        size_t at = base + field->offset;
        const char *here = (const char *)object + at;
        if (field->type == MASING_FIELD_REAL) {
            offsets[n++] = at;
        } else if (field->type == MASING_FIELD_LIST) {
            const struct masing_list *list = (const struct masing_list *)(const void *)here;
            for (int k = 0; k < list->count; k++) {
                offsets[n++] =
                    at + offsetof(struct masing_list, values) + (size_t)k * sizeof(double);
            }
        } else if (field->type == MASING_FIELD_RECORDS) {
            const struct masing_records *records = field->records;
            for (int k = 0; k < *(const int *)(const void *)here; k++) {
                n += case_field_numbers(
                    records->fields, records->n_fields, object,
                    at + records->first_offset + (size_t)k * records->record_size, offsets + n);
            }
        }
    }
    return n;
}

static inline int case_numbers(const struct masing_law *law, const void *parameters,
                               size_t *offsets)
{
    return case_field_numbers(law->fields, law->n_fields, parameters, 0, offsets);
}

/* Of the mapping that a field such as `topography.area` belongs to, with its dot; 0: none. */
static inline size_t case_stem_length(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot ? (size_t)(dot + 1 - name) : 0;
}

/*
 * Whether a field is given. Fields of one mapping stand together: most often all or none of
 * them is given; `previous` is the field before, and whether it was.
 */
static inline bool case_takes(const struct masing_law *law, int field, bool previous,
                              uint64_t *seed)
{
    const char *name = law->fields[field].name;
    size_t stem = case_stem_length(name);
    bool continues = field > 0 && stem > 0 && !strncmp(law->fields[field - 1].name, name, stem);
    double chance = continues ? (previous ? 0.95 : 0.05) : 0.5;
    return law->fields[field].is_required || test_uniform(seed, 0.0, 1.0) < chance;
}

static inline bool case_is_of_speed(const struct masing_field *field)
{
    return strcmp(field->name, "preload_per_speed_squared") == 0;
}

/* What goes with the speed of a shaft, where there is a preload. */
static inline void case_fill_speed(const struct masing_law *law, uint64_t seed,
                                   void *parameters)
{
    int preload = masing_field_find(law->fields, law->n_fields, "preload");
    if (law->speed_offset > 0 && seed % 3 == 0 &&
        !isnan(masing_field_value(&law->fields[preload], parameters))) {
        int own = masing_field_find(law->fields, law->n_fields, "preload_per_speed_squared");
        *(double *)(void *)((char *)parameters + law->speed_offset) = CASE_SPEED_SQUARED;
        masing_field_store(&law->fields[own], 0.3, parameters, NULL);
    }
}

/* Required fields always, the others by chance, until the law accepts the combination. */
static inline bool case_fill_parameters(const struct masing_law *law, uint64_t *seed,
                                        void *parameters, void *given)
{
    for (int attempt = 0; attempt < 2000; attempt++) {
        memset(parameters, 0, law->parameters_size);
        masing_fields_reset(law->fields, law->n_fields, parameters);
        bool takes = false;
        for (int i = 0; i < law->n_fields; i++) {
            takes = !case_is_of_speed(&law->fields[i]) && case_takes(law, i, takes, seed);
            if (takes) {
                case_fill_field(&law->fields[i], seed, parameters);
            }
        }
        case_fill_speed(law, *seed, parameters);
        memcpy(given, parameters, law->parameters_size);
        if (masing_law_check(law, parameters, NULL) == MASING_OK) {
            return true;
        }
    }
    return false;
}

static inline void case_destroy(struct law_case *test)
{
    free(test->parameters);
    free(test->given);
}

/* March any path of the case's law; returns its status. `tangents`: also in structured form. */
static inline enum masing_status case_march(const struct law_case *test,
                                            const struct masing_path *path, double *state,
                                            bool with_tangents, struct law_run *run)
{
    const struct masing_family *family = test->law->family;
    size_t size = family->workspace_size(test->law, path->n_samples, path->n_directions,
                                         path->n_parameters);
    double *workspace = malloc((size + 1) * sizeof(double));
    memset(workspace, 0xff, (size + 1) * sizeof(double)); /* no march may rely on zeros */
    struct masing_forces forces = {.f = run->f, .df = run->df, .dfp = run->dfp};
    struct masing_tangents tangents = {.fx = run->fx,
                                       .fv = run->fv,
                                       .branch = run->branch,
                                       .turnings = run->turnings,
                                       .max_turnings = path->n_samples};
    enum masing_status status =
        masing_law_march(test->law, test->parameters, path, state, &forces,
                         with_tangents ? &tangents : NULL, workspace);
    run->n_turnings = tangents.n_turnings;
    run->slip_share = forces.slip_share;
    free(workspace);
    return status;
}

/* Steady state at n samples from angle `start` on. */
static inline void case_steady(const struct law_case *test, int n, double start,
                               struct law_run *run)
{
    double x[CASE_MAX_SAMPLES], v[CASE_MAX_SAMPLES];
    test_path_sample(&test->path, n, start, test->omega, x, v);
    struct masing_path path = {.n_samples = n,
                               .n_axes = 1,
                               .is_periodic = true,
                               .time_step = TEST_TWO_PI / (n * test->omega),
                               .x = x,
                               .v = v,
                               .origin = &test->origin};
    CHECK(case_march(test, &path, NULL, test->law->family->has_tangents, run) == MASING_OK);
}

static inline double case_largest(const double *values, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(values[i]));
    }
    return largest;
}

/* New state at rest; free it. */
static inline double *case_state(const struct law_case *test)
{
    double *state =
        calloc(masing_law_state_size(test->law, test->parameters) + 1, sizeof(double));
    masing_law_rest(test->law, test->parameters, &test->origin, state);
    return state;
}

/* Where a law has a size the motion is from a third of it to several times it. */
static inline void case_set_motion(struct law_case *test, int number)
{
    const struct masing_law *law = test->law;
    double (*reach_of)(const void *) = law->slip_onset ? law->slip_onset : law->reach;
    double own = reach_of         ? reach_of(test->parameters)
                 : law->evolution ? law->evolution->length(test->parameters)
                                  : 1.0;
    double size = own > 0.0 && own < INFINITY ? own : 1.0;
    test->amplitude = size * exp(test_uniform(&test->seed, -1.0, 1.5));
    test->origin = size * (number % 3 == 0 ? 0.0 : test_uniform(&test->seed, -1.5, 1.5));
    test->omega = exp(test_uniform(&test->seed, -1.0, 1.0));
    test_path_random(&test->path, &test->seed, test->amplitude);
}

/* What creates energy may grow without end; such motions tell nothing. */
static inline bool case_is_finite_at(const struct law_case *test, int n, double start)
{
    static struct law_run run;
    static double x[CASE_MAX_SAMPLES], v[CASE_MAX_SAMPLES];
    double *state = case_state(test);
    bool finite = true;
    test_path_sample(&test->path, n, start, test->omega, x, v);
    for (int k = 0; k < 3 && finite; k++) {
        struct masing_path path = {.n_samples = n,
                                   .n_axes = 1,
                                   .is_periodic = k == 2,
                                   .time_step = TEST_TWO_PI / (n * test->omega),
                                   .x = x,
                                   .v = v,
                                   .origin = &test->origin};
        finite = case_march(test, &path, k == 2 ? NULL : state, false, &run) == MASING_OK &&
                 case_largest(run.f, n) < 1e6;
    }
    free(state);
    return finite;
}

static inline bool case_is_finite(const struct law_case *test)
{
    bool is_finite = case_is_finite_at(test, 64, 0.0) && case_is_finite_at(test, 256, 0.3) &&
                     case_is_finite_at(test, CASE_MAX_SAMPLES, 1.0);
    for (int shift = 1; shift < 256 && is_finite; shift += 37) {
        is_finite = case_is_finite_at(test, 256, TEST_TWO_PI * shift / 256);
    }
    return is_finite;
}

static inline bool case_may_grow(const struct law_case *test)
{
    const struct masing_law *law = test->law;
    double farthest = fabs(test->origin);
    for (int c = 0; c < TEST_COEFFICIENTS; c++) {
        farthest += fabs(test->path.c[c]);
    }
    return law->may_create_energy &&
           !(law->energy_limit && law->energy_limit(test->parameters) > farthest);
}

static inline bool case_create(struct law_case *test, const struct masing_law *law, int number)
{
    memset(test, 0, sizeof *test);
    test->law = law;
    test->seed = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(number + 1);
    for (const char *c = law->name; *c; c++) {
        test->seed = test->seed * 31 + (uint64_t)*c;
    }
    test->parameters = calloc(1, law->parameters_size);
    test->given = calloc(1, law->parameters_size);
    for (int attempt = 0; attempt < 20; attempt++) {
        if (!CHECK(test->parameters && test->given &&
                   case_fill_parameters(law, &test->seed, test->parameters, test->given))) {
            return false;
        }
        case_set_motion(test, number);
        if (!case_may_grow(test) || case_is_finite(test)) {
            return true;
        }
    }
    return CHECK(!"no motion stays finite");
}

/* Rates that are integrated cost fifty times a branch of a hysteresis: two cases of five. */
static inline int case_count(const struct masing_law *law, int n_cases)
{
    n_cases = law->evolution ? 2 * n_cases / 5 : n_cases;
    return tap_most(n_cases, (n_cases + 4) / 5);
}

/* Run a check over many cases of every listed law of one axis. */
static inline void for_each_case(int n_cases, void (*check)(struct law_case *test))
{
    for (int l = 0; masing_laws()[l]; l++) {
        const struct masing_law *law = masing_laws()[l];
        for (int i = 0; i < case_count(law, n_cases) && law->n_axes == 1; i++) {
            struct law_case test;
            int failures = tap_failures;
            if (case_create(&test, law, i)) {
                check(&test);
            }
            if (tap_failures > failures && tap_failures < TAP_SHOWN) {
                printf("# ^ %s, case %d\n", law->name, i);
            }
            case_destroy(&test);
        }
    }
}

#endif
