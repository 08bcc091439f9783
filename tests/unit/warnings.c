/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of warnings that hardly any run leads to: what they are told from is set by hand. */
#include "analyses/peak/history.h"
#include "analyses/response/curve.h"
#include "analyses/ringdown/rows.h"
#include "example.h"

/* One text at least, and the last one is this. */
static void expect_last(int n, char *const *texts, const char *expected)
{
    if (!CHECK(n > 0 && strcmp(texts[n - 1], expected) == 0)) {
        printf("# %s\n", n > 0 ? texts[n - 1] : "no warning");
    }
}

/* ---- ring-downs ---- */

/* What is said of a mode alone; nothing where expected is NULL. */
static void expect_of_mode(struct masing_ringdown_mode mode, bool is_record,
                           const char *expected)
{
    struct masing_error error = {0};
    struct masing_ringdown_summary summary = {.n_modes = 1, .modes = &mode};
    const struct ringdown_rows rows = {
        .is_record = is_record,
        .summary = &summary,
        .warnings = {&summary.warnings, &summary.n_warnings, NULL}};
    CHECK(ringdown_rows_warn(&rows, &error) == MASING_OK);
    CHECK(summary.n_warnings == (expected ? 1 : 0));
    if (expected) {
        expect_last(summary.n_warnings, summary.warnings, expected);
    }
    warnings_clear(&rows.warnings);
}

static struct masing_ringdown_mode mode_of(int number)
{
    return (struct masing_ringdown_mode){
        .number = number, .n_rows = 5, .parted_by = NAN, .noise_from = NAN};
}

static void a_mode_that_dies_out(void)
{
    struct masing_ringdown_mode mode = mode_of(2);
    expect_of_mode(mode, false, NULL);
    mode.n_silent = 1;
    expect_of_mode(mode, false, "mode 2: 1 segment left out in which it has died out");
    mode.n_silent = 3;
    expect_of_mode(mode, false, "mode 2: 3 segments left out in which it has died out");
    mode.n_rows = 0;
    expect_of_mode(mode, false,
                   "mode 2: it does not move, or has died out before the first segment that "
                   "counts");
}

static void a_mode_in_noise(void)
{
    struct masing_ringdown_mode mode = mode_of(1);
    mode.n_noisy = 2;
    expect_of_mode(mode, true,
                   "mode 1: 2 segments left out in which phase and amplitude scatter as those "
                   "of noise or of several motions do");
    mode.noise_from = 12.5;
    expect_of_mode(mode, true,
                   "mode 1: from 12.5 s on the record shows noise, hum or another motion: 2 "
                   "segments left out");
}

static void a_mode_beside_another(void)
{
    struct masing_ringdown_mode mode = mode_of(1);
    mode.crowded_by = 3;
    mode.parted_by = 40.0;
    mode.crowding = 0.015;
    expect_of_mode(mode, true,
                   "mode 1: damping ratios may be off by 2 %, as mode 3 is too near to be "
                   "parted from it in this time; a record of 40 s would part them");
    mode.n_crowded = 1;
    expect_of_mode(mode, true,
                   "mode 1: 1 segment left out, as mode 3 is too near to be parted from it in "
                   "this time and moves in its coordinate; a record of 40 s would part them");
    mode.parted_by = INFINITY; /* their ranges of frequency overlap */
    for (int is_record = 0; is_record < 2; is_record++) {
        expect_of_mode(mode, is_record,
                       "mode 1: 1 segment left out, as mode 3 is too near to be parted from it "
                       "in this time and moves in its coordinate; no time would part them");
    }
}

static void segments_that_do_not_count(void)
{
    struct masing_ringdown_mode mode = mode_of(4);
    mode.n_rows = 0;
    mode.n_overshadowed = 2;
    expect_of_mode(mode, false,
                   "mode 4: in every segment other motions are larger in its coordinate than "
                   "its own");
    mode = mode_of(4);
    mode.n_bent = 2;
    expect_of_mode(mode, false,
                   "mode 4: 2 segments left out in which its amplitude falls too unevenly; "
                   "shorter segments follow damping that changes fast, longer ones average "
                   "noise");
    mode = mode_of(4);
    mode.n_short = 1;
    expect_of_mode(mode, false,
                   "mode 4: 1 segment left out in which it is so slow that fewer than 3 "
                   "periods pass: more 'ringdown.steps' or fewer 'ringdown.segments'");
    expect_of_mode(mode, true,
                   "mode 4: 1 segment left out in which it is so slow that fewer than 3 "
                   "periods pass: a longer record or fewer segments");
    mode = mode_of(4);
    mode.n_growing = 1;
    expect_of_mode(mode, false,
                   "mode 4: in 1 row its amplitude does not fall (damping ratio not above 0): "
                   "other motions feed it, or noise");
}

/* ---- frequency responses ---- */

struct response {
    struct masing_model *model;
    struct masing_response_options options;
    struct masing_response_summary summary;
    struct response_curve *curve;
};

/* A complete curve with its peak at 20 Hz, which was not followed. */
static bool begin(struct response *response, const char *text)
{
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    *response = (struct response){.options.stability = MASING_STABILITY_NONE};
    CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
              MASING_OK &&
          masing_document_model(document, NULL, 0, &response->model, &error) == MASING_OK);
    masing_document_destroy(document);
    const struct response_curve_settings settings = {.model = response->model,
                                                     .options = &response->options};
    if (!CHECK(response->model &&
               response_curve_create(&settings, &response->summary, &response->curve, &error) ==
                   MASING_OK)) {
        printf("# %s\n", error.message);
        return false;
    }
    response->summary.is_complete = true;
    response->summary.peak.frequency_hz = 20.0;
    response->curve->last_to_first = response->curve->third_to_first = NAN;
    return true;
}

static void warn_and_end(struct response *response, const char *expected)
{
    struct masing_error error = {0};
    CHECK(response_warnings_add(response->curve, &error) == MASING_OK);
    CHECK(response->summary.n_warnings == (expected ? 1 : 0));
    if (expected) {
        expect_last(response->summary.n_warnings, response->summary.warnings, expected);
    }
    response_curve_destroy(response->curve);
    masing_response_summary_clear(&response->summary);
    masing_model_destroy(response->model);
}

static const char linear[] = "masing: 1\n"
                             "structure:\n"
                             "  masses: {x: 1}\n"
                             "  springs: [{from: ground, to: x, stiffness: 16000}]\n"
                             "  damping: {modal_ratio: 0.01}\n"
                             "loads: [{dof: x, amplitude: 1}]\n"
                             "frequency: [10, 30]\n"
                             "harmonics: auto\n"
                             "outputs: [x]\n";

static void a_curve_with_gaps(void)
{
    struct response response;
    if (begin(&response, linear)) {
        warn_and_end(&response, NULL);
    }
    if (begin(&response, linear)) {
        response.summary.strategies[MASING_STRATEGY_RESTART] = 2;
        warn_and_end(&response,
                     "the curve could not be followed everywhere: 2 of its points come from "
                     "time integration (see the log), and what lies before each is not known");
    }
}

static void a_peak_that_is_unstable(void)
{
    struct response response;
    if (begin(&response, linear)) {
        response.curve->best.is_unstable = true;
        warn_and_end(&response,
                     "the peak at 20 Hz is unstable: the motion leaves it for another");
    }
}

static void harmonics_that_lead_nowhere(void)
{
    struct response response;
    if (begin(&response, linear) && CHECK(response.curve->levels != NULL)) {
        response.curve->levels->worst_error = 0.025;
        response.curve->levels->worst_omega = 2.0 * 3.14159265358979323846 * 15.0;
        warn_and_end(&response,
                     "more harmonics would change the outputs by 2.5 % at 15 Hz, but no "
                     "solution with them was found close by");
    }
}

/* ---- peaks ---- */

static void a_guard_that_failed(void)
{
    struct masing_error error = {0};
    const struct masing_error reason = {.status = MASING_STOPPED,
                                        .message = "no step converged"};
    struct masing_peak_summary summary = {0};
    const struct masing_peak_request request = {.parameter = "damper.preload"};
    const struct masing_response_options options = {0};
    struct peak_history history = {.request = &request,
                                   .options = &options,
                                   .warnings = {&summary.warnings, &summary.n_warnings, NULL}};
    bool is_missing = true;
    CHECK(peak_guard_missing(&history, 30.0, MASING_OK, &reason, &is_missing, &error) ==
          MASING_OK);
    CHECK(!is_missing && summary.n_warnings == 0);
    CHECK(peak_guard_missing(&history, 30.0, MASING_STOPPED, &reason, &is_missing, &error) ==
          MASING_OK);
    CHECK(is_missing);
    expect_last(summary.n_warnings, summary.warnings,
                "the whole response at damper.preload = 30 ended early: the peak that was "
                "followed is not compared with it");
    CHECK(peak_guard_missing(&history, 30.0, MASING_NO_MEMORY, &reason, &is_missing, &error) ==
          MASING_NO_MEMORY);
    CHECK(!is_missing && summary.n_warnings == 1);
    warnings_clear(&history.warnings);
}

/* ---- numbers ---- */

/* Names and numbers that are names are part of the pattern, whatever they look like. */
static void a_warning_keeps_its_numbers(void)
{
    struct masing_error error = {0};
    char **texts = NULL;
    int n = 0;
    struct masing_warning *told = NULL;
    const struct warning_list list = {&texts, &n, &told};
    CHECK(warning_add(&list, &error, "joint '%s': %.3g %% at %d points meet mode %i (%+.1e)",
                      "7 %d '3'", 12.345, 4, 2, -0.5) == MASING_OK);
    expect_last(n, texts, "joint '7 %d '3'': 12.3 % at 4 points meet mode 2 (-5.0e-01)");
    CHECK(strcmp(told[0].pattern,
                 "joint '7 %%d '3'': %.3g %% at %.0f points meet mode 2 (%+.1e)") == 0);
    CHECK(told[0].values[0] == 12.345 && told[0].values[1] == 4.0 && told[0].values[2] == -0.5);
    struct masing_warning other = told[0];
    const struct masing_warning *alike[] = {told, &other};
    char text[200];
    other.values[0] = 3.0;
    masing_warning_text(alike, 2, text, sizeof text);
    CHECK(strcmp(text, "joint '7 %d '3'': 3 to 12.3 % at 4 points meet mode 2 (-5.0e-01)") ==
          0);
    masing_warning_text(alike, 2, text, 9);
    CHECK(strcmp(text, "joint '7") == 0);
    warnings_clear(&list);
    CHECK(n == 0 && !texts && !told);
}

static const struct tap_test tests[] = {
    {"a mode that dies out", a_mode_that_dies_out},
    {"a mode in noise", a_mode_in_noise},
    {"a mode beside another one", a_mode_beside_another},
    {"segments that do not count", segments_that_do_not_count},
    {"a curve with gaps", a_curve_with_gaps},
    {"a peak that is unstable", a_peak_that_is_unstable},
    {"harmonics that lead nowhere", harmonics_that_lead_nowhere},
    {"a guard that failed", a_guard_that_failed},
    {"a warning keeps its numbers", a_warning_keeps_its_numbers},
};
TAP_MAIN(tests)
