/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A peak that is followed is the peak of each whole response, and the lowest is the lowest of
 * an independent search.
 */
#include "peak_question.h"

enum { MOST = 16 };

/* Peaks of whole responses. */
static void sweep(const struct question *question, int n, const double *values,
                  struct table *peaks)
{
    struct masing_document *document = open_example(question->example);
    const struct masing_study_request request = {.document = document,
                                                 .overrides = question->overrides,
                                                 .n_overrides = question->n_overrides,
                                                 .parameter = question->parameter,
                                                 .n_values = n,
                                                 .values = values};
    const struct masing_response_options options = {.n_threads = 1};
    struct masing_response_summary summaries[MOST] = {{0}};
    struct masing_error error = {0};
    struct masing_sink sink = table_sink(peaks);
    CHECK(masing_study(&request, &options, NULL, &sink, NULL, summaries, &error) == MASING_OK);
    for (int i = 0; i < n; i++) {
        masing_response_summary_clear(&summaries[i]);
    }
    masing_document_destroy(document);
}

/* At values of the question's range, in its direction: the same as a study. */
static void check_values(struct question question, int n, const char *column, double tolerance)
{
    double values[MOST];
    struct curve curve;
    struct table peaks;
    for (int i = 0; i < n; i++) {
        double part = (double)i / (n - 1);
        bool is_log = question.from > 0.0 && question.to > 0.0;
        values[i] = is_log ? question.from * pow(question.to / question.from, part)
                           : question.from + part * (question.to - question.from);
    }
    values[n - 1] = question.to;
    question.n_values = n;
    question.values = values;
    follow(&question, &curve);
    CHECK(curve.status == MASING_OK && curve.summary.is_complete);
    sweep(&question, n, values, &peaks);
    for (int r = 0, i = 0; r < curve.rows.n_rows; r++) {
        double at = table_get(&curve.rows, r, question.parameter);
        if (i < n && at == values[i]) {
            CHECK_RELATIVE(table_get(&curve.rows, r, column), table_get(&peaks, i, column),
                           tolerance);
            CHECK_RELATIVE(table_get(&curve.rows, r, "frequency_hz"),
                           table_get(&peaks, i, "frequency_hz"), 100.0 * tolerance);
            i++;
        }
        CHECK(r + 1 < curve.rows.n_rows || i == n);
    }
    clear(&curve);
    table_clear(&peaks);
}

static void two_masses_at_many_values(void)
{
    struct question question = {.example = "two_mass_damper.yaml",
                                .parameter = "damper.preload",
                                .from = 5.0,
                                .to = 300.0};
    check_values(question, tap_most(12, 5), "m2_max", 1e-8);
    question.from = 1000.0; /* from where it sticks */
    question.to = 20.0;
    check_values(question, tap_most(6, 3), "m2_max", 1e-8);
}

/* Close values: each peak is predicted so well that it takes two matrices, and its frequency is
 * that of a solver that is a thousand times as exact, as near as the value asks for. */
static void close_values(void)
{
    enum { N = 400 };
    double values[N], iterations = 0.0;
    struct masing_override overrides[] = {
        {"forces", "exact"}, {"harmonics", "7"}, {"solver.tolerance", "1e-12"}};
    struct question question = {.example = "two_mass_damper.yaml",
                                .overrides = overrides,
                                .n_overrides = 2,
                                .parameter = "damper.preload",
                                .from = 5.0,
                                .to = 300.0,
                                .n_values = N,
                                .values = values};
    struct curve curve, exact;
    for (int i = 0; i < N; i++) {
        values[i] = 5.0 * pow(60.0, (double)i / (N - 1));
    }
    values[N - 1] = 300.0;
    follow(&question, &curve);
    question.n_overrides = 3;
    follow(&question, &exact);
    CHECK(curve.rows.n_rows == N && exact.rows.n_rows == N);
    for (int r = 0; r < N && r < curve.rows.n_rows && r < exact.rows.n_rows; r++) {
        iterations += table_get(&curve.rows, r, "iterations") / N;
        CHECK_RELATIVE(table_get(&curve.rows, r, "frequency_hz"),
                       table_get(&exact.rows, r, "frequency_hz"), 5e-7);
        CHECK_RELATIVE(table_get(&curve.rows, r, "m2_max"), table_get(&exact.rows, r, "m2_max"),
                       5e-9);
    }
    CHECK(iterations < 2.2);
    clear(&curve);
    clear(&exact);
}

/* The lowest peak, from a scan of whole responses about it. */
static void two_masses_lowest(void)
{
    struct question question = {.example = "two_mass_damper.yaml",
                                .parameter = "damper.preload",
                                .from = 5.0,
                                .to = 300.0,
                                .is_minimized = true};
    struct curve curve;
    struct table peaks;
    follow(&question, &curve);
    const struct masing_peak_optimum *optimum = &curve.summary.optimum;
    CHECK(curve.status == MASING_OK && optimum->is_found && !optimum->is_kink &&
          !optimum->is_at_end);
    const double step = 0.02;
    double values[3] = {optimum->value * (1.0 - step), optimum->value,
                        optimum->value * (1.0 + step)};
    sweep(&question, 3, values, &peaks);
    double a = table_get(&peaks, 0, "m2_max"), b = table_get(&peaks, 1, "m2_max");
    double c = table_get(&peaks, 2, "m2_max");
    CHECK_RELATIVE(b, optimum->peak, 1e-9);
    CHECK(a > b && c > b);
    /* the vertex of the parabola through the three, in parts of the value */
    CHECK(fabs(0.5 * step * (a - c) / (a - 2.0 * b + c)) < 1e-3);
    table_clear(&peaks);
    double ends[4] = {optimum->low[1], optimum->low[0], optimum->high[0], optimum->high[1]};
    sweep(&question, 4, ends, &peaks);
    for (int i = 0; i < 4; i++) {
        CHECK_RELATIVE(table_get(&peaks, i, "m2_max"),
                       (i == 1 || i == 2 ? 1.01 : 1.05) * optimum->peak, 1e-8);
    }
    table_clear(&peaks);
    clear(&curve);
}

/* More harmonics move it by what they change of the response. */
static void check_harmonics(struct question question)
{
    static const char *const harmonics[] = {"9", "15", "25"};
    double value[3], peak[3];
    question.is_minimized = true;
    for (int i = 0; i < 3; i++) {
        const struct masing_override override = {"harmonics", harmonics[i]};
        struct curve curve;
        question.overrides = &override;
        question.n_overrides = 1;
        follow(&question, &curve);
        CHECK(curve.status == MASING_OK && curve.summary.optimum.is_found);
        value[i] = curve.summary.optimum.value;
        peak[i] = curve.summary.optimum.peak;
        clear(&curve);
    }
    CHECK_RELATIVE(value[0], value[2], 2e-4);
    CHECK_RELATIVE(value[1], value[2], 5e-5);
    CHECK_RELATIVE(peak[0], peak[2], 2e-4);
    CHECK_RELATIVE(peak[1], peak[2], 5e-5);
}

static void lowest_with_harmonics(void)
{
    check_harmonics((struct question){.example = "two_mass_damper.yaml",
                                      .parameter = "damper.preload",
                                      .from = 28.0,
                                      .to = 42.0});
    check_harmonics((struct question){
        .example = "rough_damper.yaml", .parameter = "pad.preload", .from = 45.0, .to = 56.0});
}

/* Sensitivities of the lowest peak to numbers that are not varied: differences of peaks. */
static void what_the_peak_depends_on(void)
{
    struct question question = {.example = "two_mass_damper.yaml",
                                .parameter = "damper.preload",
                                .from = 20.0,
                                .to = 60.0,
                                .is_minimized = true};
    struct curve curve;
    struct table peaks;
    char text[32];
    follow(&question, &curve);
    const struct masing_peak_optimum *optimum = &curve.summary.optimum;
    snprintf(text, sizeof text, "%.17g", optimum->value);
    const struct masing_override override = {"damper.preload", text};
    const double stiffness[2] = {40000.0 * (1.0 - 1e-3), 40000.0 * (1.0 + 1e-3)};
    question.parameter = "damper.stiffness";
    question.overrides = &override;
    question.n_overrides = 1;
    sweep(&question, 2, stiffness, &peaks);
    double change = log(table_get(&peaks, 1, "m2_max") / table_get(&peaks, 0, "m2_max")) / 2e-3;
    CHECK(optimum->n_sensitivities == 3);
    for (int i = 0; i < optimum->n_sensitivities; i++) {
        const struct masing_peak_sensitivity *entry = &optimum->sensitivities[i];
        CHECK(strcmp(entry->joint, "damper") == 0);
        if (strcmp(entry->number, "stiffness") == 0) {
            CHECK_RELATIVE(entry->sensitivity, change, 1e-5);
        } else {
            CHECK(fabs(entry->sensitivity) < 1e-7);
        }
    }
    table_clear(&peaks);
    clear(&curve);
}

/* The lowest peak against whole responses on both sides of it and at it: the vertex of the
 * parabola through the three lies no farther off than a part of the value. */
static void check_lowest(struct question question, const char *column, double same, double off)
{
    struct curve curve;
    struct table peaks;
    question.is_minimized = true;
    follow(&question, &curve);
    const struct masing_peak_optimum *optimum = &curve.summary.optimum;
    CHECK(curve.status == MASING_OK && optimum->is_found && !optimum->is_at_end);
    const double step = 0.1;
    const double values[3] = {optimum->value * (1.0 - step), optimum->value,
                              optimum->value * (1.0 + step)};
    sweep(&question, 3, values, &peaks);
    double a = table_get(&peaks, 0, column), b = table_get(&peaks, 1, column);
    double c = table_get(&peaks, 2, column);
    CHECK_RELATIVE(b, optimum->peak, same);
    CHECK(a > b && c > b);
    CHECK(fabs(0.5 * step * (a - c) / (a - 2.0 * b + c)) < off);
    table_clear(&peaks);
    clear(&curve);
}

/* Preload changes stiffness, limit and slip displacement together. */
static void rough_interface(void)
{
    struct question question = {
        .example = "rough_damper.yaml", .parameter = "pad.preload", .from = 10.0, .to = 200.0};
    check_values(question, tap_most(5, 3), "m2_max", 1e-6);
    check_lowest(question, "m2_max", 1e-6, 1e-2);
}

/* Numbers that four joints share. Forces are sampled: the response has ripples. */
static void bolted_beams(void)
{
    const struct masing_override less[] = {
        {"samples", "128"}, {"harmonics", "1"}, {"frequency.0", "108"}, {"frequency.1", "118"}};
    const struct question question = {.example = "bolted_beams.yaml",
                                      .parameter = "F_S",
                                      .from = 50.0,
                                      .to = 80.0,
                                      .overrides = less,
                                      .n_overrides = 4};
    check_values(question, 2, "p1_max", 1e-4);
    check_lowest(question, "p1_max", 1e-4, 2e-2);
}

/* A number that moves slip force and stiffness together; where damping is given for the modes
 * with the joints stuck it moves the structure as well. */
#define TORQUE(damping)                                                                        \
    "masing: 1\n"                                                                              \
    "parameters: {torque: 1}\n"                                                                \
    "structure: {masses: {a: 1}, springs: [{from: ground, to: a, stiffness: 20000}],\n"        \
    "  damping: " damping "}\n"                                                                \
    "joints: [{name: j, law: iwan4, from: ground, to: a, chi: -0.3, beta: 0.7,\n"              \
    "  stiffness: $torque*20000, slip_force: $torque*8}]\n"                                    \
    "loads: [{dof: a, amplitude: 5}]\n"                                                        \
    "frequency: [15, 40]\nharmonics: [1, 3]\nsamples: 1024\noutputs: [a]\n"

static void torque(void)
{
    struct question question = {.example = TORQUE("{modal_ratio: 0.01, modes: stuck}"),
                                .parameter = "torque",
                                .from = 0.3,
                                .to = 3.0};
    check_values(question, 4, "a_max", 3e-5);
    question.example = TORQUE("{modal_ratio: 0.01}");
    check_values(question, 4, "a_max", 3e-5);
}

#define TWO_ABSORBERS(output)                                                                  \
    "masing: 1\n"                                                                              \
    "structure:\n"                                                                             \
    "  masses: {a: 1.0, b: 1.0}\n"                                                             \
    "  springs:\n"                                                                             \
    "    - {from: ground, to: a, stiffness: 16000}\n"                                          \
    "    - {from: ground, to: b, stiffness: 40000}\n"                                          \
    "    - {from: a, to: b, stiffness: 3000}\n"                                                \
    "  damping: {modal_ratio: 0.02}\n"                                                         \
    "joints:\n"                                                                                \
    "  - {name: damper, law: jenkins, from: ground, to: a, stiffness: 20000, slip_force: 3}\n" \
    "loads:\n"                                                                                 \
    "  - {name: one, dof: a, amplitude: 2}\n"                                                  \
    "  - {name: other, dof: b, amplitude: 3}\n"                                                \
    "frequency: [15, 40]\n"                                                                    \
    "harmonics: [1, 3, 5]\n"                                                                   \
    "outputs: [" output "]\n"

/* One maximum falls while another one rises: the lowest peak is where both are as large. */
static void crossing_of_maxima(void)
{
    struct question question = {.example = TWO_ABSORBERS("{name: sum, weights: {a: 1, b: 1}}"),
                                .parameter = "damper.slip_force",
                                .from = 0.2,
                                .to = 60.0,
                                .is_minimized = true};
    struct curve curve;
    struct table peaks;
    follow(&question, &curve);
    const struct masing_peak_optimum *optimum = &curve.summary.optimum;
    CHECK(curve.status == MASING_OK && optimum->is_kink && curve.summary.n_crossings == 2);
    CHECK(optimum->slope_before < 0.0 && optimum->slope_after > 0.0);
    CHECK(optimum->other_hz < optimum->frequency_hz - 1.0 ||
          optimum->other_hz > optimum->frequency_hz + 1.0);
    const double step = 1e-4;
    const double values[3] = {optimum->value * (1.0 - step), optimum->value,
                              optimum->value * (1.0 + step)};
    sweep(&question, 3, values, &peaks);
    double before = table_get(&peaks, 0, "sum_max"), after = table_get(&peaks, 2, "sum_max");
    CHECK_RELATIVE(table_get(&peaks, 1, "sum_max"), optimum->peak, 1e-8);
    CHECK_RELATIVE(log(optimum->peak / before) / step, optimum->slope_before, 1e-2);
    CHECK_RELATIVE(log(after / optimum->peak) / step, optimum->slope_after, 1e-2);
    CHECK_RELATIVE(table_get(&peaks, 0, "frequency_hz"), optimum->frequency_hz, 1e-4);
    CHECK_RELATIVE(table_get(&peaks, 2, "frequency_hz"), optimum->other_hz, 1e-4);
    table_clear(&peaks);
    clear(&curve);
    question.is_minimized = false;
    check_values(question, tap_most(8, 4), "sum_max", 1e-7);
}

/* Maxima that lie at corners of the response, beside smooth ones. */
static void maxima_at_corners(void)
{
    const struct question question = {.example = TWO_ABSORBERS("b"),
                                      .parameter = "damper.slip_force",
                                      .from = 7.0,
                                      .to = 50.0};
    check_values(question, tap_most(9, 4), "b_max", 1e-7);
}

/* The largest value may lie at an end of the range of frequencies. */
static void ends_of_the_range(void)
{
    const struct masing_override range[] = {{"frequency.0", "22"}, {"frequency.1", "24"}};
    const struct question question = {.example = "two_mass_damper.yaml",
                                      .parameter = "damper.preload",
                                      .from = 600.0,
                                      .to = 5.0,
                                      .overrides = range,
                                      .n_overrides = 2};
    check_values(question, tap_most(9, 4), "m2_max", 1e-8);
}

/* A number of the structure: nothing moves, the model is made anew for each value. */
static void numbers_of_the_structure(void)
{
    struct question question = {.example = "two_mass_damper.yaml",
                                .parameter = "structure.springs.0.stiffness",
                                .from = 2e4,
                                .to = 6e4,
                                .is_minimized = true};
    struct curve curve;
    check_values(question, tap_most(5, 3), "m2_max", 1e-8);
    follow(&question, &curve);
    CHECK(curve.status == MASING_OK && !curve.summary.has_derivatives);
    CHECK(curve.summary.optimum.is_at_end && curve.summary.n_warnings == 1);
    clear(&curve);
}

/* Sliders that are carried along the curve: each value takes a response of its own. */
static void sliders_carried_along(void)
{
    const struct masing_override start = {"start", "previous"};
    const struct question question = {.example = "two_mass_damper.yaml",
                                      .parameter = "damper.preload",
                                      .from = 20.0,
                                      .to = 60.0,
                                      .overrides = &start,
                                      .n_overrides = 1};
    check_values(question, 3, "m2_max", 1e-12);
}

static void refusals(void)
{
    const enum masing_measure h1 = MASING_MEASURE_H1;
    struct question question = {.example = "two_mass_damper.yaml",
                                .parameter = "damper.preload",
                                .from = 5.0,
                                .to = 5.0,
                                .measure = &h1};
    struct curve curve = {0};
    follow(&question, &curve);
    CHECK(curve.status == MASING_INVALID && strstr(curve.error.message, "two different"));
    clear(&curve);
    question.to = -5.0;
    follow(&question, &curve);
    CHECK(curve.status == MASING_INVALID && strstr(curve.error.message, "preload"));
    clear(&curve);
    question.parameter = "damper.prelod";
    question.to = 10.0;
    follow(&question, &curve);
    CHECK(curve.status == MASING_INVALID && strstr(curve.error.message, "preload"));
    clear(&curve);
    question.parameter = "harmonics";
    follow(&question, &curve);
    CHECK(curve.status == MASING_INVALID && strstr(curve.error.message, "harmonics"));
    clear(&curve);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"two masses at many values", two_masses_at_many_values},
        {"close values", close_values},
        {"the lowest peak of two masses", two_masses_lowest},
        {"the lowest peak with more harmonics", lowest_with_harmonics},
        {"what the lowest peak depends on", what_the_peak_depends_on},
        {"a rough interface", rough_interface},
        {"bolted beams", bolted_beams},
        {"one number for slip force and stiffness", torque},
        {"a crossing of maxima", crossing_of_maxima},
        {"maxima at corners", maxima_at_corners},
        {"ends of the range", ends_of_the_range},
        {"numbers of the structure", numbers_of_the_structure},
        {"sliders carried along", sliders_carried_along},
        {"what is refused", refusals},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
