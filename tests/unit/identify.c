/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fits of laws to loops of known parameters. */
#include "analyses/identify/fit_search.h"
#include "measured.h"

struct fit {
    struct masing_measurement loops[3];
    struct masing_fit_request request;
    struct masing_identification result;
    struct masing_error error;
};

static const struct masing_law *find(const char *name)
{
    return masing_law_find(name);
}

/* Checked parameters of a law from pairs of names and values. */
static void *make(const struct masing_law *law, const struct masing_override *given, int n)
{
    void *parameters = calloc(1, law->parameters_size);
    masing_fields_reset(law->fields, law->n_fields, parameters);
    for (int i = 0; i < n; i++) {
        int index = masing_field_find(law->fields, law->n_fields, given[i].path);
        CHECK(index >= 0 &&
              masing_field_store(&law->fields[index], strtod(given[i].value, NULL), parameters,
                                 NULL) == MASING_OK);
    }
    CHECK(masing_law_check(law, parameters, NULL) == MASING_OK);
    return parameters;
}

static const struct masing_override jenkins_truth[] = {{"stiffness", "4e4"},
                                                       {"slip_force", "15"}};

static void begin(struct fit *fit, const char *law, int n_loops)
{
    memset(fit, 0, sizeof *fit);
    fit->request = (struct masing_fit_request){
        .data = {.n_loops = n_loops, .loops = fit->loops}, .law = find(law)};
}

static void end(struct fit *fit)
{
    masing_identification_clear(&fit->result);
    for (int i = 0; i < fit->request.data.n_loops; i++) {
        masing_measurement_clear(&fit->loops[i]);
    }
}

static enum masing_status run(struct fit *fit)
{
    fit->result = (struct masing_identification){0};
    return masing_identify_law(&fit->request, &fit->result, &fit->error);
}

static void add_jenkins(struct fit *fit, int index, int n, double amplitude, bool is_steady,
                        double sigma, uint64_t *seed)
{
    const struct masing_law *law = find("jenkins");
    void *parameters = make(law, jenkins_truth, 2);
    struct masing_measurement *m = &fit->loops[index];
    measured_create(n, m);
    measured_sine(m, amplitude, is_steady ? 1.0 : 0.8, is_steady ? 0.3 : 0.0);
    measured_forces(law, parameters, is_steady, m);
    measured_disturb(m, sigma, seed);
    free(parameters);
}

static void expect_jenkins(const struct fit *fit, double tolerance)
{
    CHECK(fit->result.n_estimates == 2);
    for (int i = 0; i < 2; i++) {
        const struct masing_estimate *estimate =
            measured_find(&fit->result, jenkins_truth[i].path);
        if (CHECK(estimate)) {
            CHECK_RELATIVE(estimate->value, strtod(jenkins_truth[i].value, NULL), tolerance);
        }
    }
}

static void exact_loops_give_exact_parameters(void)
{
    for (int is_steady = 0; is_steady < 2; is_steady++) {
        struct fit fit;
        uint64_t seed = 1;
        begin(&fit, "jenkins", 1);
        add_jenkins(&fit, 0, 200, 1e-3, is_steady, 0.0, &seed);
        CHECK(run(&fit) == MASING_OK);
        CHECK(fit.result.is_steady[0] == (bool)is_steady);
        expect_jenkins(&fit, 1e-10);
        CHECK(fit.result.relative_rms < 1e-12);
        CHECK(fit.result.n_agreeing >= 2);
        CHECK(fit.result.n_warnings == 0);
        for (int j = 0; j < 200; j++) {
            CHECK_SCALED(fit.result.fitted[0][j], fit.loops[0].force[j], 15.0, 1e-10);
        }
        end(&fit);
    }
}

static void several_loops_are_fitted_together(void)
{
    struct fit fit;
    uint64_t seed = 5;
    begin(&fit, "jenkins", 3);
    add_jenkins(&fit, 0, 100, 2e-4, true, 0.1, &seed); /* sticks all the time */
    add_jenkins(&fit, 1, 150, 8e-4, true, 0.1, &seed);
    add_jenkins(&fit, 2, 120, 2e-3, false, 0.1, &seed);
    CHECK(run(&fit) == MASING_OK);
    CHECK(fit.result.n_data == 370);
    CHECK_RELATIVE(fit.result.rms, 0.1, 0.1);
    expect_jenkins(&fit, 5e-3);
    end(&fit);
}

/* Of 200 repeats 190 +- 3 are expected; 4 sigma are 12. */
static void intervals_hold_the_truth_as_often_as_they_say(void)
{
    uint64_t seed = 20260101;
    int covered[2] = {0, 0};
    for (int repeat = 0; repeat < 200; repeat++) {
        struct fit fit;
        begin(&fit, "jenkins", 1);
        fit.request.n_trials = 2;
        add_jenkins(&fit, 0, 100, 1e-3, true, 0.3, &seed);
        CHECK(run(&fit) == MASING_OK);
        for (int i = 0; i < 2 && fit.result.n_estimates == 2; i++) {
            const struct masing_estimate *estimate = &fit.result.estimates[i];
            double truth = strtod(jenkins_truth[i].value, NULL);
            covered[i] += fabs(estimate->value - truth) <= estimate->interval;
        }
        end(&fit);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(covered[i] >= 178 && covered[i] <= 200);
        printf("# %s: %d of 200\n", jenkins_truth[i].path, covered[i]);
    }
}

/* Laws with curved backbones, from two noisy steady cycles and a virgin one. */
static void curved_laws_are_identified(void)
{
    static const struct {
        const char *law;
        double amplitudes[3], sigma;
        int n;
        struct masing_override truth[4];
    } cases[] = {
        {"iwan4",
         {3, 9, 20},
         0.02,
         4,
         {{"slip_force", "10"}, {"stiffness", "1"}, {"chi", "-0.5"}, {"beta", "5"}}},
        {"mindlin",
         {3e-7, 6e-7, 1e-6},
         0.02,
         2,
         {{"slip_force", "15"}, {"slip_displacement", "8e-7"}}},
        {"rough_interface",
         {2e-7, 4e-7, 8e-7},
         0.02,
         3,
         {{"stiffness", "8e7"}, {"slip_force", "15"}, {"slip_displacement", "5.3e-7"}}},
        {"ramberg_osgood",
         {3e-6, 6e-6, 1e-5},
         0.2,
         3,
         {{"stiffness", "4e7"}, {"yield_force", "120"}, {"exponent", "4"}}},
    };
    uint64_t seed = 77;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fit fit;
        begin(&fit, cases[i].law, 3);
        void *parameters = make(fit.request.law, cases[i].truth, cases[i].n);
        for (int k = 0; k < 3; k++) {
            measured_create(160, &fit.loops[k]);
            measured_sine(&fit.loops[k], cases[i].amplitudes[k], k < 2 ? 1.0 : 1.6, k < 2);
            measured_forces(fit.request.law, parameters, k < 2, &fit.loops[k]);
            measured_disturb(&fit.loops[k], cases[i].sigma, &seed);
        }
        CHECK(run(&fit) == MASING_OK);
        for (int k = 0; k < cases[i].n; k++) {
            const struct masing_estimate *estimate =
                measured_find(&fit.result, cases[i].truth[k].path);
            double truth = strtod(cases[i].truth[k].value, NULL);
            if (CHECK(estimate)) {
                CHECK(fabs(estimate->value - truth) <= 2 * estimate->interval);
                CHECK(estimate->interval < 0.2 * fabs(truth));
            }
        }
        CHECK(!measured_find(&fit.result, "topography.cutoff"));
        CHECK_RELATIVE(fit.result.rms, cases[i].sigma, 0.1);
        free(parameters);
        end(&fit);
    }
}

static void what_sticks_does_not_tell_its_slip_force(void)
{
    struct fit fit;
    uint64_t seed = 3;
    begin(&fit, "jenkins", 1);
    add_jenkins(&fit, 0, 100, 2e-4, true, 0.01, &seed);
    CHECK(run(&fit) == MASING_OK);
    const struct masing_estimate *stiffness = measured_find(&fit.result, "stiffness");
    const struct masing_estimate *slip_force = measured_find(&fit.result, "slip_force");
    if (CHECK(stiffness && slip_force)) {
        CHECK_RELATIVE(stiffness->value, 4e4, 5e-3);
        CHECK(isfinite(stiffness->interval) && isinf(slip_force->interval));
    }
    CHECK(measured_warns(&fit.result, "do not determine slip_force"));
    end(&fit);
}

static void numbers_can_be_held_started_and_chosen(void)
{
    const struct masing_override friction = {"friction", "0.5"}, start = {"slip_force", "9"},
                                 held = {"stiffness", "4e4"};
    const char *const varied[] = {"slip_force"};
    uint64_t seed = 11;
    struct fit fit;
    begin(&fit, "jenkins", 1);
    add_jenkins(&fit, 0, 100, 1e-3, true, 0.0, &seed);
    fit.request.n_fixed = 1;
    fit.request.fixed = &friction;
    CHECK(run(&fit) == MASING_OK);
    const struct masing_estimate *preload = measured_find(&fit.result, "preload");
    CHECK(preload && fabs(preload->value - 30) < 1e-8);
    CHECK(!measured_find(&fit.result, "slip_force"));
    masing_identification_clear(&fit.result);

    fit.request.fixed = &held;
    fit.request.n_starts = 1;
    fit.request.starts = &start;
    fit.request.n_varied = 1;
    fit.request.varied = varied;
    CHECK(run(&fit) == MASING_OK);
    CHECK(fit.result.n_estimates == 1);
    if (fit.result.n_estimates == 1) {
        CHECK_RELATIVE(fit.result.estimates[0].value, 15.0, 1e-10);
    }
    end(&fit);
}

/* Forces of laws side by side along a motion, a constant force and noise added. */
static void add_sum(struct fit *fit, int index, int n_laws, const char *const *names,
                    const struct masing_override truth[][2], const int *n_truth, double offset,
                    double n_cycles)
{
    struct masing_measurement *m = &fit->loops[index];
    measured_create(300, m);
    measured_sine(m, 4e-4, n_cycles, n_cycles == 1.0 ? 0.3 : 0.0);
    double sum[300] = {0};
    for (int i = 0; i < n_laws; i++) {
        const struct masing_law *law = find(names[i]);
        void *parameters = make(law, truth[i], n_truth[i]);
        measured_forces(law, parameters, n_cycles == 1.0, m);
        for (int j = 0; j < 300; j++) {
            sum[j] += m->force[j];
        }
        free(parameters);
    }
    for (int j = 0; j < 300; j++) {
        m->force[j] = sum[j] + offset;
    }
}

static void expect(const struct fit *fit, const char *name, double truth, double tolerance)
{
    const struct masing_estimate *estimate = measured_find(&fit->result, name);
    if (!CHECK(estimate)) {
        printf("# no %s\n", name);
        return;
    }
    CHECK_RELATIVE(estimate->value, truth, tolerance);
}

/* Laws side by side: each keeps its numbers, in either order, steady or from rest. */
static void forces_of_laws_add_up(void)
{
    static const struct {
        const char *laws[2];
        struct masing_override truth[2][2];
        int n_truth[2];
        double offset;
    } cases[] = {
        {{"jenkins", "linear"},
         {{{"stiffness", "2e6"}, {"slip_force", "120"}}, {{"stiffness", "1.5e5"}}},
         {2, 1},
         0.0},
        {{"linear", "jenkins"},
         {{{"stiffness", "1.5e5"}}, {{"stiffness", "2e6"}, {"slip_force", "120"}}},
         {1, 2},
         35.0},
        {{"cubic_spring", "mindlin"},
         {{{"coefficient", "1e12"}}, {{"slip_force", "40"}, {"slip_displacement", "1e-4"}}},
         {1, 2},
         -7.0},
        {{"jenkins", "jenkins"},
         {{{"stiffness", "2e6"}, {"slip_force", "120"}},
          {{"stiffness", "3e5"}, {"slip_force", "60"}}},
         {2, 2},
         0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int is_open = 0; is_open < 2; is_open++) {
            struct fit fit;
            char name[64];
            const struct masing_law *added = find(cases[i].laws[1]);
            bool are_alike = !strcmp(cases[i].laws[0], cases[i].laws[1]);
            begin(&fit, cases[i].laws[0], 1);
            fit.request.n_added = 1;
            fit.request.added = &added;
            add_sum(&fit, 0, 2, cases[i].laws, cases[i].truth, cases[i].n_truth,
                    cases[i].offset, is_open ? 1.3 : 1.0);
            CHECK(run(&fit) == MASING_OK);
            CHECK(fit.result.n_added == 1 && fit.result.added[0].law == added);
            CHECK(fit.result.law == find(cases[i].laws[0]) && fit.result.parameters);
            CHECK(fit.result.relative_rms < 1e-7);
            for (int k = 0; k < 2 && !are_alike; k++) {
                for (int j = 0; j < cases[i].n_truth[k]; j++) {
                    snprintf(name, sizeof name, "%s.%s", cases[i].laws[k],
                             cases[i].truth[k][j].path);
                    expect(&fit, name, strtod(cases[i].truth[k][j].value, NULL), 1e-5);
                }
            }
            if (are_alike) { /* which of them is the first does not matter */
                const struct masing_estimate *a = measured_find(&fit.result,
                                                                "jenkins.slip_force"),
                                             *b = measured_find(&fit.result,
                                                                "jenkins2.slip_force");
                if (CHECK(a && b)) {
                    CHECK_RELATIVE(fmax(a->value, b->value), 120.0, 1e-5);
                    CHECK_RELATIVE(fmin(a->value, b->value), 60.0, 1e-5);
                }
            }
            CHECK(fabs(fit.result.offset - cases[i].offset) < 1e-4);
            CHECK(!measured_find(&fit.result, "offset") == (cases[i].offset == 0.0));
            end(&fit);
        }
    }
}

/* A constant force is found beside one law, told with its interval, and can be held. */
static void an_offset_of_the_force_is_found(void)
{
    const struct masing_override none = {"offset", "0"}, start = {"offset", "1"};
    uint64_t seed = 8;
    struct fit fit;
    begin(&fit, "jenkins", 1);
    add_jenkins(&fit, 0, 200, 1e-3, true, 0.1, &seed);
    for (int j = 0; j < 200; j++) {
        fit.loops[0].force[j] += 4.0;
    }
    CHECK(run(&fit) == MASING_OK);
    expect(&fit, "stiffness", 4e4, 0.01);
    expect(&fit, "slip_force", 15.0, 0.01);
    const struct masing_estimate *offset = measured_find(&fit.result, "offset");
    if (CHECK(offset)) {
        CHECK(fabs(offset->value - 4.0) < 2 * offset->interval && offset->interval < 0.05);
        CHECK(fit.result.offset == offset->value && !strcmp(offset->unit, "N"));
    }
    masing_identification_clear(&fit.result);
    fit.request.n_fixed = 1;
    fit.request.fixed = &none;
    CHECK(run(&fit) == MASING_OK);
    CHECK(!measured_find(&fit.result, "offset") && fit.result.rms > 1.0);
    masing_identification_clear(&fit.result);
    fit.request.n_fixed = 0;
    fit.request.n_starts = 1;
    fit.request.starts = &start;
    for (int j = 0; j < 200; j++) {
        fit.loops[0].force[j] -= 4.0;
    }
    CHECK(run(&fit) == MASING_OK);
    offset = measured_find(&fit.result, "offset");
    CHECK(offset && fabs(offset->value) < 2 * offset->interval);
    end(&fit);
}

/* A record that begins while the joint slides: what its past left is no constant force. */
static void a_past_is_no_offset(void)
{
    enum { WHOLE = 400, FIRST = 200 };
    const struct masing_override start = {"offset", "0.1"};
    struct fit fit;
    begin(&fit, "jenkins", 1);
    struct masing_measurement *m = &fit.loops[0];
    void *parameters = make(find("jenkins"), jenkins_truth, 2);
    measured_create(WHOLE, m);
    measured_sine(m, 1e-3, 1.0, 0.0);
    measured_forces(find("jenkins"), parameters, false, m);
    m->n_samples -= FIRST;
    memmove(m->displacement, m->displacement + FIRST, (WHOLE - FIRST) * sizeof(double));
    memmove(m->force, m->force + FIRST, (WHOLE - FIRST) * sizeof(double));
    CHECK(fabs(m->displacement[0]) < 1e-5 && m->force[0] < -14.9);
    CHECK(run(&fit) == MASING_OK);
    CHECK(fit.result.offset == 0.0 && !measured_find(&fit.result, "offset"));
    CHECK(measured_warns(&fit.result, "its past is taken for none"));
    double without = fit.result.rms;
    masing_identification_clear(&fit.result);
    fit.request.n_starts = 1; /* where it is asked for, it is fitted, and explains a little */
    fit.request.starts = &start;
    CHECK(run(&fit) == MASING_OK);
    const struct masing_estimate *offset = measured_find(&fit.result, "offset");
    CHECK(offset && fabs(offset->value) > 2 * offset->interval);
    CHECK(fit.result.rms < without && fit.result.rms > 0.25 * without);
    free(parameters);
    end(&fit);
}

static void wrong_requests_are_refused(void)
{
    static const struct {
        struct masing_override fixed;
        const char *message;
    } bad[] = {
        {{"stifness", "1"}, "no parameter 'stifness'; there are stiffness"},
        {{"stiffness", "-1"}, "must be > 0 N/m"},
        {{"stiffness", "x"}, "'x' is not a number"},
    };
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fit fit;
        begin(&fit, "jenkins", 1);
        add_jenkins(&fit, 0, 20, 1e-3, true, 0.0, &seed);
        fit.request.n_fixed = 1;
        fit.request.fixed = &bad[i].fixed;
        CHECK(run(&fit) == MASING_INVALID);
        if (!CHECK(strstr(fit.error.message, bad[i].message))) {
            printf("# %s\n", fit.error.message);
        }
        end(&fit);
    }
}

static void fewer_samples_than_numbers_are_refused(void)
{
    const struct masing_override start = {"coefficients", "1,1,1,1,1,1,1,1,1"};
    uint64_t seed = 1;
    struct fit fit;
    begin(&fit, "polynomial_spring", 1);
    add_jenkins(&fit, 0, 8, 1e-3, true, 0.0, &seed);
    fit.request.n_starts = 1;
    fit.request.starts = &start;
    CHECK(run(&fit) == MASING_INVALID);
    CHECK(strstr(fit.error.message, "8 samples do not determine 9 numbers"));
    end(&fit);
}

static void lists_vary_number_by_number(void)
{
    const struct masing_override start = {"coefficients", "1,1,1"};
    struct fit fit;
    begin(&fit, "polynomial_spring", 1);
    measured_create(60, &fit.loops[0]);
    measured_sine(&fit.loops[0], 2e-3, 1.0, 0.0);
    for (int i = 0; i < 60; i++) {
        double x = fit.loops[0].displacement[i];
        fit.loops[0].force[i] = (5e4 + (1e6 + 3e9 * x) * x) * x;
    }
    fit.request.n_starts = 1;
    fit.request.starts = &start;
    CHECK(run(&fit) == MASING_OK);
    const double truth[] = {5e4, 1e6, 3e9};
    const char *const units[] = {"N/m", "N/m^2", "N/m^3"};
    for (int i = 0; i < 3 && fit.result.n_estimates == 3; i++) {
        CHECK_RELATIVE(fit.result.estimates[i].value, truth[i], 1e-8);
        CHECK(strcmp(fit.result.estimates[i].unit, units[i]) == 0);
    }
    CHECK(fit.result.n_estimates == 3);
    end(&fit);
}

static void velocity_needs_time(void)
{
    struct fit fit;
    begin(&fit, "quadratic_damper", 1);
    measured_create(200, &fit.loops[0]);
    measured_sine(&fit.loops[0], 2e-3, 1.0, 0.4);
    double omega = TEST_TWO_PI * 5;
    for (int i = 0; i < 200; i++) {
        double v = 2e-3 * omega * cos(TEST_TWO_PI * i / 200 + 0.4);
        fit.loops[0].force[i] = 70 * v * fabs(v);
    }
    CHECK(run(&fit) == MASING_INVALID);
    CHECK(strstr(fit.error.message, "column 'time' is needed"));
    masing_identification_clear(&fit.result);
    fit.request.data.frequency_hz = 5;
    CHECK(run(&fit) == MASING_OK);
    if (CHECK(fit.result.n_estimates == 1)) {
        CHECK_RELATIVE(fit.result.estimates[0].value, 70.0, 1e-6);
    }
    end(&fit);
}

static void an_entry_reads_as_in_a_model(void)
{
    const struct masing_law *law = find("jenkins");
    void *parameters = make(law, jenkins_truth, 2);
    const struct masing_joint_place place = {.name = "damper", .from = "ground", .to = "m2"};
    char *text = NULL;
    CHECK(masing_joint_entry(law, parameters, &place, &text, NULL) == MASING_OK);
    CHECK(text && strcmp(text, "joints:\n  - name: damper\n    law: jenkins\n    from: ground\n"
                               "    to: m2\n    stiffness: 40000\n    slip_force: 15\n") == 0);
    free(text);
    free(parameters);
}

static void terms_are_read(void)
{
    struct masing_valanis_term terms[MASING_MOST_TERMS];
    int n;
    struct masing_error error = {0};
    CHECK(masing_valanis_terms_parse(
              "x, x^2*sgn(v),exp(-1.5*x)*v*x, 1, abs(v), exp(x), v^2, x*v^3", terms, &n,
              &error) == MASING_OK);
    CHECK(n == 8);
    CHECK(terms[0].power == 1 && terms[0].velocity == MASING_TERM_NONE && terms[0].rate == 0);
    CHECK(terms[1].power == 2 && terms[1].velocity == MASING_TERM_SIGN);
    CHECK(terms[2].power == 1 && terms[2].velocity == MASING_TERM_LINEAR &&
          terms[2].rate == -1.5);
    CHECK(terms[3].power == 0 && terms[4].velocity == MASING_TERM_ABS && terms[5].rate == 1);
    CHECK(terms[6].velocity == MASING_TERM_SQUARE && terms[6].power == 0);
    CHECK(terms[7].velocity == MASING_TERM_CUBE && terms[7].power == 1);
    static const char *const bad[] = {"",     "x,",  "y",   "x^0",     "x^1.5",
                                      "x^99", "v*v", "x,x", "exp(2x)", "x sgn(v)",
                                      "v^4",  "2*x", "x*"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error = (struct masing_error){0};
        if (!CHECK(masing_valanis_terms_parse(bad[i], terms, &n, &error) == MASING_INVALID)) {
            printf("# '%s' was accepted\n", bad[i]);
        }
        CHECK(error.message[0]);
    }
}

/* ---- few data ---- */

/* Half the widths of Student's 95 % intervals for 1, 2, ... degrees of freedom */
static const double student[] = {12.706204736432095, 4.302652729911275, 3.182446305284263,
                                 2.776445105197793,  2.570581835636314, 2.446911848791681,
                                 2.364624251592785,  2.306004135204166, 2.262157162798205};

static double student_tolerance(int n_free)
{
    return n_free < 3 ? 1e-6 : n_free < 5 ? 5e-3 : 3e-4;
}

/* One number p, f = p x^3: the interval is t sqrt(S / (m - 1)) / sqrt(sum x^6). */
static void few_samples_have_wide_intervals(void)
{
    static const double x[] = {1e-3,   -0.9e-3, 0.4e-3, 0.8e-3,  -0.6e-3,
                               0.7e-3, -1e-3,   0.2e-3, 0.95e-3, -0.5e-3};
    static const double misfit[] = {0.03, 0.02,  -0.05, -0.04, 0.01,
                                    0.05, -0.02, 0.04,  -0.03, 0.02};
    int n_done = 0;
    for (int m = 2; m <= 10; m++) {
        struct fit fit;
        double by_force = 0.0, square = 0.0, sum = 0.0;
        begin(&fit, "cubic_spring", 1);
        measured_create(m, &fit.loops[0]);
        for (int i = 0; i < m; i++) {
            double cube = pow(x[i], 3);
            fit.loops[0].displacement[i] = x[i];
            fit.loops[0].force[i] = 2e9 * cube + misfit[i];
            by_force += cube * fit.loops[0].force[i];
            square += cube * cube;
        }
        for (int i = 0; i < m; i++) {
            sum += pow(fit.loops[0].force[i] - by_force / square * pow(x[i], 3), 2);
        }
        if (run(&fit) == MASING_OK) {
            const struct masing_estimate *p = measured_find(&fit.result, "coefficient");
            double expected = student[m - 2] * sqrt(sum / (m - 1) / square);
            if (CHECK(p && fit.result.n_data == m)) {
                CHECK_RELATIVE(p->value, by_force / square, 1e-8);
                CHECK_RELATIVE(p->interval, expected, student_tolerance(m - 1));
            }
            n_done++;
        } else {
            printf("# %d samples: %s\n", m, fit.error.message);
        }
        end(&fit);
    }
    CHECK(n_done >= 6);
}

/* What a fit of a line through m points left: an offset and, by its logarithm, a slope; before
 * them, where asked for, a number that stands at its limit. */
enum { MOST_POINTS = 7 };
static const double line_misfit[MOST_POINTS] = {0.02, -0.05, 0.04, 0.01, -0.03, 0.02, -0.01};

struct line {
    struct fit_parameters varied;
    int m;
    const double *misfit;
    double unknowns[3], jacobian[3 * MOST_POINTS];
    struct masing_identification result;
};

static enum masing_status evaluate_line(void *context, const double *unknowns,
                                        double *residuals, double *jacobian)
{
    const struct line *line = context;
    size_t m = (size_t)line->m;
    (void)unknowns;
    memcpy(residuals, line->misfit, m * sizeof *residuals);
    memcpy(jacobian, line->jacobian, m * (size_t)line->varied.n * sizeof *jacobian);
    return MASING_OK;
}

static void add_parameter(struct line *line, int m, double unknown, bool is_logarithmic,
                          double by_point, double constant)
{
    int k = line->varied.n++;
    line->unknowns[k] = unknown;
    line->varied.list[k] =
        (struct fit_parameter){.low = is_logarithmic || unknown == 0.0 ? 0.0 : -INFINITY,
                               .high = INFINITY,
                               .open_ends = is_logarithmic ? MASING_OPEN_MINIMUM : 0,
                               .is_logarithmic = is_logarithmic,
                               .size = is_logarithmic ? 5.0 : 1.0,
                               .start = 1.0,
                               .fallback = NAN,
                               .power = -1};
    for (int i = 0; i < m; i++) {
        line->jacobian[k * m + i] = constant + by_point * i;
    }
}

static void judge_line(struct line *line, int m, const double *misfit, bool has_limit)
{
    struct fit_redundant redundant;
    struct masing_error error = {0};
    *line = (struct line){.m = m, .misfit = misfit, .result = {.law = find("jenkins")}};
    if (has_limit) {
        add_parameter(line, m, 0.0, false, 3.0, 7.0);
    }
    add_parameter(line, m, 1.5, false, 0.0, 1.0);
    add_parameter(line, m, log(2.0), true, 1.0, 0.0);
    struct fit_search search = {.varied = &line->varied,
                                .n_residuals = m,
                                .scale = 1.0,
                                .context = line,
                                .evaluate = evaluate_line};
    if (!CHECK(fit_confidence(&search, line->unknowns, &redundant, &line->result, &error) ==
               MASING_OK)) {
        printf("# %s\n", error.message);
    }
    fit_search_clear(&search);
}

/* A number at its limit is no unknown any more: the others' intervals are those without it. */
static void numbers_at_limits_are_not_counted(void)
{
    for (int m = 4; m <= MOST_POINTS; m++) {
        double mean = 0.5 * (m - 1.0), square = m * (m * m - 1.0) / 12.0, sum = 0.0;
        for (int i = 0; i < m; i++) {
            sum += line_misfit[i] * line_misfit[i];
        }
        double factor = student[m - 3] * sqrt(sum / (m - 2));
        for (int first = 0; first < 2; first++) {
            struct line line;
            judge_line(&line, m, line_misfit, first == 1);
            const struct masing_estimate *estimates = line.result.estimates;
            CHECK(first == 0 || (estimates[0].is_at_limit && isnan(estimates[0].interval)));
            CHECK(!estimates[first].is_at_limit && !estimates[first + 1].is_at_limit);
            CHECK_RELATIVE(estimates[first + 1].value, 10.0, 1e-12);
            CHECK_RELATIVE(estimates[first].interval,
                           factor * sqrt(1.0 / m + mean * mean / square),
                           student_tolerance(m - 2));
            CHECK_RELATIVE(estimates[first + 1].interval, 10.0 * factor / sqrt(square),
                           student_tolerance(m - 2));
            masing_identification_clear(&line.result);
        }
    }
}

/* As many samples as numbers: the misfit is zero, and no degree of freedom is left. */
static void no_sample_left_leaves_intervals_open(void)
{
    const double none[2] = {0.0, 0.0};
    struct line line;
    judge_line(&line, 2, none, false);
    CHECK(isinf(line.result.estimates[0].interval) && isinf(line.result.estimates[1].interval));
    CHECK_RELATIVE(line.result.estimates[1].value, 10.0, 1e-12);
    masing_identification_clear(&line.result);
}

static const struct tap_test tests[] = {
    {"exact loops give exact parameters", exact_loops_give_exact_parameters},
    {"several loops are fitted together", several_loops_are_fitted_together},
    {"intervals hold the truth as often as they say",
     intervals_hold_the_truth_as_often_as_they_say},
    {"curved laws are identified", curved_laws_are_identified},
    {"what sticks does not tell its slip force", what_sticks_does_not_tell_its_slip_force},
    {"numbers can be held, started and chosen", numbers_can_be_held_started_and_chosen},
    {"forces of laws add up", forces_of_laws_add_up},
    {"an offset of the force is found", an_offset_of_the_force_is_found},
    {"a past is no offset", a_past_is_no_offset},
    {"wrong requests are refused", wrong_requests_are_refused},
    {"fewer samples than numbers are refused", fewer_samples_than_numbers_are_refused},
    {"lists vary number by number", lists_vary_number_by_number},
    {"velocity needs time", velocity_needs_time},
    {"an entry reads as in a model", an_entry_reads_as_in_a_model},
    {"terms are read", terms_are_read},
    {"few samples have wide intervals", few_samples_have_wide_intervals},
    {"numbers at limits are not counted", numbers_at_limits_are_not_counted},
    {"no sample left leaves intervals open", no_sample_left_leaves_intervals_open},
};

TAP_MAIN(tests)
