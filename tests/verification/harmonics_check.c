/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is the estimated error of a response the difference to one with many more harmonics? */
#include "checked.h"

static const double TOLERANCE = 1e-4;

/* Of what is needed for the estimate to be this good, few times the tolerance is left. */
static const double LEFT = 5e-4;

/* Everything but the harmonics and samples, %s. */
static const char slider[] = "masing: 1\n"
                             "structure:\n"
                             "  masses: {m: 1}\n"
                             "  springs: [{from: ground, to: m, stiffness: 4e4}]\n"
                             "  dampers: [{from: ground, to: m, damping: 2}]\n"
                             "joints: [{name: pad, law: jenkins, from: ground, to: m,\n"
                             "  stiffness: 8e4, slip_force: 15}]\n"
                             "loads: [{dof: m, amplitude: 20}]\n"
                             "frequency: [25, 70]\n"
                             "%s"
                             "outputs: [m]\n";

/* Not symmetric: even harmonics and a mean, which the list may lack. */
static const char stop[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m: 1}\n"
    "  springs: [{from: ground, to: m, stiffness: 4e4}]\n"
    "  dampers: [{from: ground, to: m, damping: 10}]\n"
    "joints: [{name: stop, law: polynomial_spring, from: ground, to: m,\n"
    "  coefficients: [0, 8e5, 1e8]}]\n"
    "loads: [{dof: m, amplitude: 20}]\n"
    "frequency: [25, 40]\n"
    "%s"
    "outputs: [m]\n";

/* A rigid-body mode, which stays an unknown of its own. */
static const char chain[] = "masing: 1\n"
                            "structure:\n"
                            "  masses: {a: 1, b: 2}\n"
                            "  springs: [{from: a, to: b, stiffness: 4e4}]\n"
                            "  dampers: [{from: a, to: b, damping: 3}]\n"
                            "joints: [{name: pad, law: jenkins, from: a, to: b,\n"
                            "  stiffness: 4e4, slip_force: 10}]\n"
                            "loads: [{dof: a, amplitude: 20}]\n"
                            "frequency: [30, 70]\n"
                            "%s"
                            "outputs: [b, a]\n";

/* Its peak stands beside a fold. */
static const char duffing[] = "masing: 1\n"
                              "structure:\n"
                              "  masses: {m: 1}\n"
                              "  springs: [{from: ground, to: m, stiffness: 1.6e4}]\n"
                              "  dampers: [{from: ground, to: m, damping: 0.5}]\n"
                              "joints: [{name: cubic, law: cubic_spring, from: ground, to: m,\n"
                              "  coefficient: 1e9}]\n"
                              "loads: [{dof: m, amplitude: 0.4}]\n"
                              "frequency: [15, 35]\n"
                              "%s"
                              "outputs: [m]\n";

static char *with(const char *model, const char *settings)
{
    char *text = malloc(8192);
    const char *rest = strstr(model, "%s");
    snprintf(text, 8192, "%.*s%s%s", (int)(rest - model), model, settings, rest + 2);
    return text;
}

/* The refined values against a response with many harmonics; largest difference to `coarse`. */
static double compare(const struct checked *coarse, const char *model, const char *fine,
                      const char *output)
{
    char *text = with(model, fine), name[3][64];
    double hz[16], worst = 0.0;
    int n = coarse->points.n_rows < 16 ? coarse->points.n_rows : 16;
    static const char *const kinds[] = {"", "_refined", "_error"};
    for (int k = 0; k < 3; k++) {
        snprintf(name[k], sizeof name[k], "%s_max%s", output, kinds[k]);
    }
    for (int r = 1; r < n; r++) {
        hz[r - 1] = table_get(&coarse->points, r, "frequency_hz");
    }
    struct run run;
    run_text(&run, text, hz, n - 1);
    CHECK(run.status == MASING_OK);
    for (int r = 1; r < n; r++) {
        double value = table_get(&coarse->points, r, name[0]), nearest = INFINITY;
        double refined = table_get(&coarse->points, r, name[1]);
        if (fabs(table_get(&coarse->points, r, "refined_hz") - hz[r - 1]) > 1e-9) {
            continue; /* beyond a fold */
        }
        for (int i = 0; i < run.rows.n_rows; i++) { /* a curve may pass there three times */
            if (fabs(table_get(&run.rows, i, "frequency_hz") - hz[r - 1]) <= 1e-9) {
                double at = table_get(&run.rows, i, name[0]);
                nearest = fabs(at - refined) < fabs(nearest - refined) ? at : nearest;
            }
        }
        CHECK_RELATIVE(refined, nearest, LEFT);
        CHECK_SCALED(table_get(&coarse->points, r, name[2]), fabs(value / nearest - 1.0), 1.0,
                     LEFT);
        worst = fmax(worst, fabs(value / nearest - 1.0));
    }
    const struct masing_peak *peak = &run.summary.peak;
    CHECK_RELATIVE(table_get(&coarse->points, 0, name[1]), peak->max, LEFT);
    CHECK_RELATIVE(table_get(&coarse->points, 0, "refined_hz"), peak->frequency_hz, LEFT);
    CHECK_SCALED(coarse->summary.check.peak_error,
                 fabs(coarse->summary.peak.max / peak->max - 1.0), 1.0, LEFT);
    CHECK_RELATIVE(coarse->summary.check.peak_hz, peak->frequency_hz, LEFT);
    run_clear(&run);
    free(text);
    return worst;
}

static void check_one(const char *model, const char *coarse, const char *fine,
                      const char *output, double least, double most)
{
    char *text = with(model, coarse);
    struct checked checked;
    checked_run(&checked, text, TOLERANCE, 0);
    const struct masing_harmonics_check *check = &checked.summary.check;
    CHECK(check->tolerance == TOLERANCE && check->n_unsolved == 0 && check->n_unsettled == 0);
    CHECK(checked.points.n_rows == check->n_points && check->n_points > 5);
    CHECK(strcmp(checked.points.events[0], "peak") == 0);
    double worst = compare(&checked, model, fine, output);
    if (!CHECK(worst >= least && worst <= most)) {
        printf("# %s with %s: %g\n", output, coarse, worst);
    }
    CHECK(check->worst_error >= worst - LEFT);
    CHECK(checked_warns(&checked, "is wrong by about") == (check->worst_error > TOLERANCE));
    checked_clear(&checked);
    free(text);
}

static void one_harmonic_of_a_slider_is_off(void)
{
    check_one(slider, "harmonics: 1\n", "harmonics: 63\nsamples: 4096\n", "m", 0.01, 1.0);
    check_one(slider, "harmonics: [1]\nforces: sampled\n", "harmonics: 63\nsamples: 4096\n",
              "m", 0.01, 1.0);
    check_one(slider, "harmonics: 3\n", "harmonics: 63\nsamples: 4096\n", "m", 1e-4, 0.1);
}

static void what_the_list_lacks_is_seen(void)
{
    check_one(stop, "harmonics: [1]\n", "harmonics: 31\n", "m", 0.01, 1.0);
    check_one(stop, "harmonics: [0, 1, 3]\n", "harmonics: 31\n", "m", 1e-3, 1.0);
}

static void rigid_bodies_go_along(void)
{
    check_one(chain, "harmonics: [1, 3]\n", "harmonics: 63\nsamples: 4096\n", "b", 1e-4, 0.1);
}

static void a_peak_beside_a_fold(void)
{
    check_one(duffing, "harmonics: 1\n", "harmonics: 15\n", "m", 1e-3, 0.2);
}

static void enough_is_enough(void)
{
    char *text = with(duffing, "harmonics: 15\n");
    struct checked checked;
    checked_run(&checked, text, 1e-3, 0);
    const struct masing_harmonics_check *check = &checked.summary.check;
    CHECK(check->n_points == 11 && check->n_unsolved == 0 && check->harmonics == 31);
    CHECK(check->worst_error < 1e-9 && check->errors[0] < 1e-9);
    CHECK(!checked_warns(&checked, "harmonics up to"));
    checked_clear(&checked);
    checked_run(&checked, text, 0.0, 0);
    CHECK(checked.summary.check.tolerance == 0.0 && checked.points.n_rows == 0);
    checked_clear(&checked);
    free(text);
}

struct patience {
    int n_asked, most;
};

static bool is_out(void *context)
{
    struct patience *patience = context;
    return ++patience->n_asked > patience->most;
}

/* Interrupted at the first of the points that are checked: no error is known, not one of 0. */
static void what_was_not_solved_has_no_error(void)
{
    char *text = with(duffing, "harmonics: 15\n");
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_OK);
    struct patience patience = {.most = 1000000};
    const struct masing_progress progress = {.context = &patience, .is_cancelled = is_out};
    struct masing_response_options options = {.progress = &progress, .n_threads = 1};
    CHECK(masing_frf(model, &options, NULL, NULL, NULL, &error) == MASING_OK);
    int n_curve = patience.n_asked, n_unsolved = 0;
    options.check_tolerance = 1e-3;
    for (int more = 0; more < 10; more++) {
        struct masing_response_summary summary = {0};
        patience = (struct patience){.most = n_curve + more};
        CHECK(masing_frf(model, &options, NULL, NULL, &summary, &error) == MASING_STOPPED);
        const struct masing_harmonics_check *check = &summary.check;
        if (check->n_points > 0 && check->n_points == check->n_unsolved) {
            n_unsolved++;
            CHECK(isnan(check->errors[0]) && isnan(check->peak_error));
        }
        masing_response_summary_clear(&summary);
    }
    CHECK(n_unsolved > 0);
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(text);
}

static const struct tap_test tests[] = {
    {"one harmonic of a slider is off", one_harmonic_of_a_slider_is_off},
    {"what the list lacks is seen", what_the_list_lacks_is_seen},
    {"rigid bodies go along", rigid_bodies_go_along},
    {"a peak beside a fold", a_peak_beside_a_fold},
    {"enough is enough", enough_is_enough},
    {"what was not solved has no error", what_was_not_solved_has_no_error},
};

TAP_MAIN(tests)
