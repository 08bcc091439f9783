/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every listed law promises about energy, rate, scales, and Masing's rules. */
#include "law_cases.h"

#include <ctype.h>

enum { N_CASES = 100, N = 1024 };

/* Work per cycle, by the rule that is spectrally accurate for smooth integrands. */
static double loss(const struct law_case *test, const struct law_run *run, double *scale)
{
    double x[N], v[N], work = 0.0;
    test_path_sample(&test->path, N, 0.0, 1.0, x, v);
    for (int i = 0; i < N; i++) {
        work += run->f[i] * v[i] * TEST_TWO_PI / N;
    }
    *scale = case_largest(run->f, N) * case_largest(v, N) * TEST_TWO_PI;
    return work;
}

static void check_loss(struct law_case *test)
{
    static struct law_run run;
    double scale;
    case_steady(test, N, 0.0, &run);
    double work = loss(test, &run, &scale);
    if (!test->law->may_create_energy) {
        CHECK(work >= -2e-5 * scale);
    }
    bool is_spring =
        test->law->family == &masing_family_memoryless && !test->law->needs_velocity;
    if (is_spring) {
        CHECK(work <= 2e-5 * scale);
    }
}

static void no_cycle_gains_energy(void)
{
    for_each_case(N_CASES, check_loss);
}

/* Some cycle of a law that is no spring loses energy: the sign of the force is right. Laws with
 * parameters of both signs do either. */
static double total_loss;

static void add_loss(struct law_case *test)
{
    static struct law_run run;
    double scale = 0.0;
    case_steady(test, N, 0.0, &run);
    double work = loss(test, &run, &scale);
    work = test->law->gain_is_meant ? fabs(work) : work;
    total_loss += scale > 0.0 ? work / scale : 0.0;
}

static void dissipative_laws_dissipate(void)
{
    for (int l = 0; masing_laws()[l]; l++) {
        const struct masing_law *law = masing_laws()[l];
        bool is_spring = law->family == &masing_family_memoryless && !law->needs_velocity;
        total_loss = 0.0;
        for (int i = 0; i < 20 && law->n_axes == 1; i++) {
            struct law_case test;
            if (case_create(&test, law, i)) {
                add_loss(&test);
            }
            case_destroy(&test);
        }
        CHECK(law->n_axes > 1 || is_spring == (total_loss < 0.01));
    }
}

static void check_rate(struct law_case *test)
{
    static struct law_run run, other;
    double x[N], v[N];
    if (test->law->needs_velocity) {
        return;
    }
    case_steady(test, N, 0.0, &run);
    test_path_sample(&test->path, N, 0.0, 1.0, x, v);
    struct masing_path path = {
        .n_samples = N, .n_axes = 1, .is_periodic = true, .x = x, .origin = &test->origin};
    CHECK(case_march(test, &path, NULL, test->law->family->has_tangents, &other) == MASING_OK);
    CHECK(memcmp(run.f, other.f, sizeof run.f) == 0);
    CHECK(case_largest(run.fv, N) == 0.0);
}

static void forces_of_rate_independent_laws_need_no_velocity(void)
{
    for_each_case(N_CASES, check_rate);
}

/* What stands for an exponent: a number, p for `power` or the law's exponent, or the name of
 * another field. */
static double exponent_of(const char *text, const struct law_case *test, int power)
{
    int own = masing_field_find(test->law->fields, test->law->n_fields, "exponent");
    if (*text == 'p' && own < 0) {
        return power;
    }
    char name[2] = {*text, 0};
    int field =
        *text == 'p' ? own : masing_field_find(test->law->fields, test->law->n_fields, name);
    return field >= 0 ? masing_field_value(&test->law->fields[field], test->given) : atoi(text);
}

/* Exponent of metres in a unit such as "N s^2/m^2", "1/m" or "1/m^n". */
static double metres(const char *unit, const struct law_case *test, int power)
{
    double exponent = 0;
    bool is_below = false;
    for (const char *c = unit; *c; c++) {
        if (*c == '/') {
            is_below = true;
        }
        if (c[0] == 'P' && c[1] == 'a') {
            exponent += is_below ? 2 : -2; /* N/m^2 */
        }
        if (*c != 'm' || isalpha((unsigned char)c[1])) {
            continue;
        }
        double value = 1;
        if (c[1] == '^') {
            value = exponent_of(c + 2, test, power);
        }
        exponent += is_below ? -value : value;
    }
    return exponent;
}

/* Terms of a polynomial in x and v: unit "N/m^(1+power)", less one for each v. */
static void scale_records(const struct masing_records *records, double factor, char *record)
{
    double *coefficient = NULL, *rate = NULL;
    int power = 0, velocity = 0;
    for (int i = 0; i < records->n_fields; i++) {
        const struct masing_field *field = &records->fields[i];
        double *real = (double *)(void *)(record + field->offset);
        coefficient = strcmp(field->name, "coefficient") == 0 ? real : coefficient;
        rate = strcmp(field->unit, "1/m") == 0 ? real : rate;
        power = strcmp(field->name, "power") == 0 ? *(int *)(void *)real : power;
        if (field->type == MASING_FIELD_CHOICE) {
            const char *choice = field->choices[*(int *)(void *)real];
            velocity = strcmp(choice, "linear") == 0 || strcmp(choice, "abs") == 0 ? 1
                       : strcmp(choice, "square") == 0                             ? 2
                       : strcmp(choice, "cube") == 0                               ? 3
                                                                                   : 0;
        }
    }
    if (CHECK(coefficient && rate)) {
        *coefficient *= pow(factor, -1 - power - velocity);
        *rate /= factor;
    }
}

static void scale_parameters(const struct law_case *test, double factor, void *parameters)
{
    memcpy(parameters, test->given, test->law->parameters_size);
    for (int i = 0; i < test->law->n_fields; i++) {
        const struct masing_field *field = &test->law->fields[i];
        char *target = (char *)parameters + field->offset;
        if (field->type == MASING_FIELD_REAL) {
            double *real = (double *)(void *)target;
            *real *= pow(factor, metres(field->unit, test, 1));
        } else if (field->type == MASING_FIELD_LIST) {
            struct masing_list *list = (struct masing_list *)(void *)target;
            for (int k = 0; k < list->count; k++) {
                list->values[k] *= pow(factor, metres(field->unit, test, k + 1));
            }
        } else if (field->type == MASING_FIELD_RECORDS) {
            const struct masing_records *records = field->records;
            for (int k = 0; k < *(int *)(void *)target; k++) {
                scale_records(records, factor,
                              target + records->first_offset +
                                  (size_t)k * records->record_size);
            }
        } else if (field->type == MASING_FIELD_POINTS) {
            struct masing_points *points = (struct masing_points *)(void *)target;
            for (int k = 0; k < points->count; k++) {
                points->x[k] *= factor; /* displacement, force */
            }
        }
    }
    CHECK(masing_law_check(test->law, parameters, NULL) == MASING_OK);
}

/* The same joint with lengths in other units: forces are the same, tangents follow. */
static void check_scaling(struct law_case *test)
{
    static struct law_run run, scaled;
    case_steady(test, N, 0.0, &run);
    for (int sign = -1; sign <= 1; sign += 2) {
        double factor = pow(10.0, 6 * sign);
        struct law_case other = *test;
        other.parameters = malloc(test->law->parameters_size);
        scale_parameters(test, factor, other.parameters);
        other.origin *= factor;
        for (int c = 0; c < TEST_COEFFICIENTS; c++) {
            other.path.c[c] *= factor;
        }
        case_steady(&other, N, 0.0, &scaled);
        double force = case_largest(run.f, N);
        for (int i = 0; i < N; i++) {
            CHECK_SCALED(scaled.f[i], run.f[i], force, test->law->evolution ? 1e-6 : 1e-12);
        }
        CHECK(isnan(run.slip_share) || fabs(run.slip_share - scaled.slip_share) < 1e-9);
        if (test->law->stuck_stiffness(test->parameters) != 0.0) {
            CHECK_RELATIVE(test->law->stuck_stiffness(other.parameters),
                           test->law->stuck_stiffness(test->parameters) / factor, 1e-12);
        }
        free(other.parameters);
    }
}

static void units_of_length_do_not_matter(void)
{
    for_each_case(N_CASES, check_scaling);
}

/*
 * Masing's two rules, the second in the form of sliders: a concave backbone is a sum of
 * elastic-Coulomb elements in parallel, which need no memory rules at all.
 */
enum { SLIDERS = 2000, STEPS = 60 };

static void slider_bank(const struct law_case *test, double largest, double *stiffness,
                        double *limit)
{
    const struct masing_law *law = test->law;
    double step = largest / SLIDERS, slope_before = 0.0, b_before = 0.0, db;
    for (int j = 0; j <= SLIDERS; j++) {
        double b = b_before, slope = 0.0;
        if (j < SLIDERS) {
            law->backbone(test->parameters, (j + 1) * step, &b, &db);
            slope = (b - b_before) / step;
        }
        if (j > 0) {
            stiffness[j - 1] = slope_before - slope;
            limit[j - 1] = j * step;
        }
        slope_before = slope;
        b_before = b;
    }
}

static void check_sliders(struct law_case *test)
{
    static double stiffness[SLIDERS], limit[SLIDERS], slider[SLIDERS];
    if (test->law->family != &masing_family_masing) {
        return;
    }
    double reach = test->law->reach(test->parameters);
    double largest = reach < INFINITY ? reach : 20.0 * test->amplitude;
    double step = largest / SLIDERS;
    slider_bank(test, largest, stiffness, limit);
    for (int j = 0; j < SLIDERS; j++) {
        slider[j] = test->origin;
    }
    double *state = case_state(test), scale = 0.0;
    for (int i = 0; i < STEPS; i++) {
        /* half of every travel is a multiple of the sliders' spacing: there they are exact */
        double next = test->amplitude * test_uniform(&test->seed, -1.0, 1.0);
        next = test->origin + 2.0 * step * round(0.5 * next / step);
        double f, fx, fv, sum = 0.0;
        for (int j = 0; j < SLIDERS; j++) {
            slider[j] = fmin(fmax(slider[j], next - limit[j]), next + limit[j]);
            sum += stiffness[j] * (next - slider[j]);
        }
        masing_law_step(test->law, test->parameters, &next, NULL, state, state, &f, &fx, &fv);
        scale = fmax(scale, fabs(f));
        CHECK_SCALED(f, sum, scale, 1e-9);
    }
    free(state);
}

static void masing_laws_are_banks_of_sliders(void)
{
    for_each_case(N_CASES, check_sliders);
}

/* Masing's first rule: both branches of the steady loop are the backbone, doubled. */
static void check_loop(struct law_case *test)
{
    static struct law_run run;
    if (test->law->family != &masing_family_masing) {
        return;
    }
    double amplitude = test->amplitude, tip, b, db;
    test->origin = 0.0;
    memset(&test->path, 0, sizeof test->path);
    test->path.n_harmonics = 1;
    test->path.c[1] = amplitude;
    case_steady(test, N, 0.0, &run);
    test->law->backbone(test->parameters, amplitude, &tip, &db);
    for (int i = 0; i < N; i++) {
        double x = test_path_value(&test->path, TEST_TWO_PI * i / N, 0);
        double sign = 2 * i <= N ? 1.0 : -1.0;
        test->law->backbone(test->parameters, 0.5 * (amplitude - sign * x), &b, &db);
        CHECK_SCALED(run.f[i], sign * (tip - 2.0 * b), tip, 1e-12);
    }
}

static void steady_loops_are_doubled_backbones(void)
{
    for_each_case(N_CASES, check_loop);
}

/* The backbone of a Masing law is concave and constant from its reach on. */
static void check_backbone(struct law_case *test)
{
    if (test->law->family != &masing_family_masing) {
        return;
    }
    double reach = test->law->reach(test->parameters), b_before = 0.0, top;
    double end = 1.5 * (reach < INFINITY ? reach : test->amplitude);
    double slope_before = test->law->stuck_stiffness(test->parameters);
    test->law->backbone(test->parameters, reach < INFINITY ? reach : end, &top, &(double){0.0});
    for (int j = 0; j <= 300; j++) {
        double b, slope, u = end * j / 300;
        test->law->backbone(test->parameters, u, &b, &slope);
        CHECK(b >= b_before - 1e-14 * top && slope >= 0.0 && slope <= slope_before);
        CHECK(u < reach || (slope == 0.0 && fabs(b - top) <= 1e-14 * top));
        b_before = b;
        slope_before = slope;
    }
}

static void backbones_are_concave_and_saturate(void)
{
    for_each_case(N_CASES, check_backbone);
}

static const struct tap_test tests[] = {
    {"no cycle gains energy, springs lose none", no_cycle_gains_energy},
    {"dissipative laws dissipate", dissipative_laws_dissipate},
    {"rate-independent laws need no velocity",
     forces_of_rate_independent_laws_need_no_velocity},
    {"units of length do not matter", units_of_length_do_not_matter},
    {"Masing laws are banks of sliders", masing_laws_are_banks_of_sliders},
    {"steady loops are doubled backbones", steady_loops_are_doubled_backbones},
    {"backbones are concave and saturate", backbones_are_concave_and_saturate},
};

TAP_MAIN(tests)
