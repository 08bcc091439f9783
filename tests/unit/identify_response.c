/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fits of joints to frequency responses: derivatives against differences, known parameters. */
#include <stdlib.h>

#include "analyses/identify/response_fit.h"
#include "measured.h"

enum { POINTS = 9 };

struct bench {
    struct masing_document *document;
    struct masing_spec spec;
    struct masing_measured_response responses[2];
    struct masing_response_fit_request request;
    struct fit_parameters varied;
    struct response_fit fit;
    void *given;
};

static const char head[] = "masing: 1\n"
                           "structure:\n"
                           "  masses: {m1: 1.0, m2: 1.0}\n"
                           "  springs:\n"
                           "    - {from: ground, to: m1, stiffness: 41339}\n"
                           "    - {from: m1, to: m2, stiffness: 41328}\n"
                           "  damping: {modal_ratio: 0.02}\n"
                           "loads: [{dof: m2, amplitude: 10}]\n"
                           "frequency: [18, 28]\n"
                           "solver: {tolerance: 1e-12}\n"
                           "harmonics: 7\n";

static const char duffing[] = "masing: 1\n"
                              "structure:\n"
                              "  masses: {x: 1.0}\n"
                              "  springs: [{from: ground, to: x, stiffness: 15791}]\n"
                              "  damping: {modal_ratio: 0.01}\n"
                              "joints:\n"
                              "  - {name: j, law: cubic_spring, from: ground, to: x,\n"
                              "     coefficient: 3e7}\n"
                              "loads: [{dof: x, amplitude: 5}]\n"
                              "solver: {tolerance: 1e-12}\n"
                              "frequency: [15, 32]\n"
                              "harmonics: [1, 3, 5]\n"
                              "outputs: [x]\n";

static struct masing_document *parse(const char *first, const char *second)
{
    char text[4000];
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    int length = snprintf(text, sizeof text, "%s%s", first, second);
    if (!CHECK(masing_document_parse(text, (size_t)length, "model.yaml", &document, &error) ==
               MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return document;
}

static void fill_response(struct masing_measured_response *response, double load_factor,
                          double from, double to, bool has_phase)
{
    *response = (struct masing_measured_response){
        .name = malloc(16), .load_factor = load_factor, .n_points = POINTS};
    strcpy(response->name, "response.csv");
    response->frequency_hz = calloc(POINTS, sizeof(double));
    response->amplitude = calloc(POINTS, sizeof(double));
    response->phase_deg = has_phase ? calloc(POINTS, sizeof(double)) : NULL;
    for (int j = 0; j < POINTS; j++) {
        response->frequency_hz[j] = from + (to - from) * j / (POINTS - 1);
        response->amplitude[j] = 1e-3;
    }
}

static void begin(struct bench *bench, const char *first, const char *second, bool has_phase)
{
    *bench = (struct bench){.document = parse(first, second)};
    CHECK(masing_document_spec(bench->document, NULL, 0, &bench->spec, NULL) == MASING_OK);
    double from = bench->spec.omega_from / TEST_TWO_PI, to = bench->spec.omega_to / TEST_TWO_PI;
    fill_response(&bench->responses[0], 1.0, from + 0.7, to - 1.3, has_phase);
    fill_response(&bench->responses[1], 2.0, from + 0.9, to - 1.1, has_phase);
    bench->request = (struct masing_response_fit_request){.document = bench->document,
                                                          .n_responses = 2,
                                                          .responses = bench->responses,
                                                          .measure = MASING_MEASURE_H1};
}

static void prepare(struct bench *bench)
{
    const struct masing_joint_spec *joint = &bench->spec.joints[0];
    const struct masing_fit_request choice = {.law = joint->law};
    bench->given = malloc(joint->law->parameters_size);
    memcpy(bench->given, joint->parameters, joint->law->parameters_size);
    CHECK(fit_parameters_adopt(&choice, bench->given, &bench->varied, NULL) == MASING_OK);
    CHECK(response_fit_create(&bench->request, joint->law, 0, &bench->varied, bench->given,
                              &bench->fit, NULL) == MASING_OK);
}

static void end(struct bench *bench)
{
    response_fit_clear(&bench->fit);
    free(bench->given);
    for (int i = 0; i < 2; i++) {
        masing_measured_response_clear(&bench->responses[i]);
    }
    masing_spec_clear(&bench->spec);
    masing_document_destroy(bench->document);
}

static bool evaluate(struct bench *bench, const double *unknowns, double *r, double *jacobian)
{
    bool is_good =
        CHECK(response_fit_evaluate(&bench->fit, unknowns, r, jacobian) == MASING_OK);
    if (!is_good) {
        printf("# %s\n", bench->fit.reason.message);
    }
    return is_good;
}

/* Central differences of the whole chain, solutions included. */
static void compare_derivatives(struct bench *bench, double tolerance)
{
    enum { MOST = 4 * POINTS };
    static double r[MOST], jacobian[MOST * 8], plus[MOST], minus[MOST];
    double unknowns[8];
    prepare(bench);
    int n = bench->varied.n, m = bench->fit.n_data;
    for (int k = 0; k < n; k++) {
        const struct fit_parameter *parameter = &bench->varied.list[k];
        unknowns[k] = fit_parameter_unknown(parameter, parameter->start);
    }
    CHECK(n > 0 && evaluate(bench, unknowns, r, jacobian));
    for (int k = 0; k < n; k++) {
        double step = 1e-5, kept = unknowns[k], scale = 0.0;
        unknowns[k] = kept + step;
        bool done = evaluate(bench, unknowns, plus, NULL);
        unknowns[k] = kept - step;
        done = done && evaluate(bench, unknowns, minus, NULL);
        unknowns[k] = kept;
        for (int i = 0; i < m && done; i++) {
            scale = fmax(scale, fabs(plus[i] - minus[i]) / (2 * step));
        }
        CHECK(scale > 1e-3);
        for (int i = 0; i < m && done; i++) {
            double quotient = (plus[i] - minus[i]) / (2 * step);
            CHECK_SCALED(jacobian[k * m + i], quotient, scale, tolerance);
        }
    }
}

static const char jenkins[] =
    "joints: [{name: j, law: jenkins, from: ground, to: m1, stiffness: 4e4, slip_force: 15}]\n";
static const char iwan[] =
    "joints: [{name: j, law: iwan4, from: ground, to: m1, slip_force: 15,\n"
    "  stiffness: 4e4, chi: -0.5, beta: 0.3}]\n";
static const char damper[] =
    "joints: [{name: j, law: quadratic_damper, from: ground, to: m1, coefficient: 100}]\n";

static void derivatives_agree_with_differences(void)
{
    static const struct {
        const char *joint, *more;
        double tolerance;
    } cases[] = {
        {jenkins, "outputs: [m2]\n", 1e-6},
        {jenkins, "outputs: [{name: v, dof: m1, quantity: velocity}]\nforces: sampled\n", 1e-4},
        {iwan, "outputs: [m1]\n", 1e-5},
        {damper, "outputs: [{name: a, dof: m2, quantity: acceleration}]\n", 1e-6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int kind = 0; kind < 4; kind++) {
            struct bench bench;
            char text[1000];
            snprintf(text, sizeof text, "%s%s", cases[i].joint, cases[i].more);
            begin(&bench, head, text, kind == 3);
            bench.request.measure = kind == 1   ? MASING_MEASURE_AMP
                                    : kind == 2 ? MASING_MEASURE_MAX
                                                : MASING_MEASURE_H1;
            int failures = tap_failures;
            compare_derivatives(&bench, cases[i].tolerance);
            if (tap_failures > failures) {
                printf("# case %zu, kind %d\n", i, kind);
            }
            end(&bench);
        }
    }
}

/* Measure the model's own responses, then start elsewhere. */
static void measure_own(struct bench *bench)
{
    double unknowns[8];
    static double r[4 * POINTS];
    prepare(bench);
    for (int k = 0; k < bench->varied.n; k++) {
        unknowns[k] =
            fit_parameter_unknown(&bench->varied.list[k], bench->varied.list[k].start);
    }
    if (!evaluate(bench, unknowns, r, NULL)) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct masing_measured_response *response = &bench->responses[i];
        for (int j = 0; j < POINTS; j++) {
            response->amplitude[j] = bench->fit.amplitude[i][j];
            if (response->phase_deg) {
                response->phase_deg[j] = bench->fit.phase[i][j];
            }
        }
    }
}

static void find_again(const char *first, const char *second, bool has_phase,
                       const struct masing_override *starts, int n_starts, double tolerance)
{
    struct bench bench;
    struct masing_identification result = {0};
    struct masing_error error = {0};
    begin(&bench, first, second, has_phase);
    measure_own(&bench);
    bench.request.n_starts = n_starts;
    bench.request.starts = starts;
    if (!CHECK(masing_identify_response(&bench.request, &result, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    CHECK(result.n_estimates == bench.varied.n);
    for (int k = 0; k < result.n_estimates && k < bench.varied.n; k++) {
        CHECK_RELATIVE(result.estimates[k].value, bench.varied.list[k].start, tolerance);
    }
    CHECK(result.relative_rms < 1e-8);
    masing_identification_clear(&result);
    end(&bench);
}

static void friction_is_found_from_two_levels(void)
{
    const struct masing_override starts[] = {{"stiffness", "6e4"}, {"slip_force", "9"}};
    char text[1000];
    snprintf(text, sizeof text, "%soutputs: [m2]\n", jenkins);
    find_again(head, text, false, starts, 2, 1e-7);
    find_again(head, text, true, starts, 2, 1e-7);
}

static void microslip_is_found_from_two_levels(void)
{
    const struct masing_override starts[] = {
        {"slip_force", "20"}, {"stiffness", "5e4"}, {"chi", "-0.3"}, {"beta", "1"}};
    char text[1000];
    snprintf(text, sizeof text, "%soutputs: [m2]\n", iwan);
    find_again(head, text, true, starts, 4, 1e-4);
}

/* The curve bends over: of three motions at a frequency the measured one is taken. */
static void the_measured_branch_is_taken(void)
{
    const struct masing_override start = {"coefficient", "2.5e7"};
    struct bench bench;
    struct masing_identification result = {0};
    static double r[4 * POINTS];
    double unknown;
    begin(&bench, duffing, "", false);
    prepare(&bench);
    unknown = fit_parameter_unknown(&bench.varied.list[0], 3e7);
    double low[2][POINTS];
    int n_apart = 0;
    for (int branch = 0; branch < 2; branch++) { /* nearest to nothing, nearest to much */
        for (int i = 0; i < 2 * POINTS; i++) {
            bench.responses[i / POINTS].amplitude[i % POINTS] = branch ? 1.0 : 1e-9;
        }
        CHECK(evaluate(&bench, &unknown, r, NULL));
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < POINTS; j++) {
                bench.responses[i].amplitude[j] = bench.fit.amplitude[i][j];
                n_apart += branch && bench.fit.amplitude[i][j] > 2 * low[i][j];
                low[i][j] = bench.fit.amplitude[i][j];
            }
        }
        bench.request.n_starts = 1;
        bench.request.starts = &start;
        CHECK(masing_identify_response(&bench.request, &result, NULL) == MASING_OK);
        if (CHECK(result.n_estimates == 1)) {
            CHECK_RELATIVE(result.estimates[0].value, 3e7, 1e-6);
        }
        masing_identification_clear(&result);
    }
    printf("# %d points have another motion\n", n_apart);
    CHECK(n_apart >= 3);
    end(&bench);
}

static void wrong_requests_are_refused(void)
{
    struct bench bench;
    struct masing_identification result = {0};
    struct masing_error error = {0};
    char text[1000];
    const char *const varied[] = {"nothing"};
    snprintf(text, sizeof text, "%soutputs: [m2]\n", jenkins);
    begin(&bench, head, text, false);
    bench.request.joint = "k";
    CHECK(masing_identify_response(&bench.request, &result, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "there is no joint 'k'; there are: j"));
    masing_identification_clear(&result);
    error = (struct masing_error){0};
    bench.request.joint = "j";
    bench.request.n_varied = 1;
    bench.request.varied = varied;
    CHECK(masing_identify_response(&bench.request, &result, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "no parameter 'nothing'"));
    masing_identification_clear(&result);
    end(&bench);
}

static const struct tap_test tests[] = {
    {"derivatives agree with differences", derivatives_agree_with_differences},
    {"friction is found from two levels", friction_is_found_from_two_levels},
    {"microslip is found from two levels", microslip_is_found_from_two_levels},
    {"the measured branch is taken", the_measured_branch_is_taken},
    {"wrong requests are refused", wrong_requests_are_refused},
};

TAP_MAIN(tests)
