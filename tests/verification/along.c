/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The response at one frequency along a number of the model is what frequency responses with
 * that number say there, through folds as well.
 */
#include "example.h"
#include "law_paths.h"
#include "masing/along.h"

struct curve {
    struct table rows;
    struct masing_along_summary summary;
    struct masing_error error;
    enum masing_status status;
};

static struct masing_document *open_example(const char *name)
{
    char file[4096];
    const char *root = getenv("MASING_SOURCE_ROOT");
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    snprintf(file, sizeof file, "%s/examples/%s", root ? root : ".", name);
    CHECK(masing_document_read(file, &document, &error) == MASING_OK);
    return document;
}

/* The document is destroyed. */
static void follow_document(struct masing_document *document,
                            const struct masing_along_request *question, struct curve *curve)
{
    struct masing_along_request request = *question;
    const struct masing_response_options options = {.columns = MASING_COLUMNS_ENERGY};
    struct masing_sink sink = table_sink(&curve->rows);
    request.document = document;
    memset(&curve->error, 0, sizeof curve->error);
    curve->summary = (struct masing_along_summary){0};
    curve->status = masing_along(&request, &options, &sink, &curve->summary, &curve->error);
    if (curve->status != MASING_OK) {
        printf("# %s\n", curve->error.message);
    }
    masing_document_destroy(document);
}

static void follow_at(const char *example, const struct masing_override *overrides,
                      int n_overrides, const char *parameter, double from, double to, double hz,
                      const double *at, int n_at, struct curve *curve)
{
    const struct masing_along_request request = {.overrides = overrides,
                                                 .n_overrides = n_overrides,
                                                 .parameter = parameter,
                                                 .from = from,
                                                 .to = to,
                                                 .frequency_hz = hz,
                                                 .n_at = n_at,
                                                 .at = at};
    follow_document(open_example(example), &request, curve);
}

static void follow(const char *example, const struct masing_override *overrides,
                   int n_overrides, const char *parameter, double from, double to, double hz,
                   struct curve *curve)
{
    follow_at(example, overrides, n_overrides, parameter, from, to, hz, NULL, 0, curve);
}

/* The passes of a sweep through a frequency: the one that is closest to a value. */
static double closest(const char *example, const char *parameter, double at, double hz,
                      const char *column, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", at);
    /* a hardening resonance must not leave the range before it folds back */
    const struct masing_override overrides[] = {{parameter, text}, {"frequency.1", "120"}};
    bool is_hardening = strcmp(example, "duffing.yaml") == 0;
    struct masing_model *model = example_open(example, overrides, is_hardening ? 2 : 1);
    const struct masing_response_options options = {
        .n_at = 1, .at_hz = &hz, .stability = MASING_STABILITY_NONE};
    struct masing_response_summary summary = {0};
    struct masing_error error = {0};
    struct table rows;
    struct masing_sink sink = table_sink(&rows);
    CHECK(masing_frf(model, &options, &sink, NULL, &summary, &error) == MASING_OK);
    double best = INFINITY;
    for (int r = 0; r < rows.n_rows; r++) {
        double here = table_get(&rows, r, column);
        bool is_at = fabs(table_get(&rows, r, "frequency_hz") / hz - 1.0) < 1e-14;
        if (is_at && fabs(here - value) < fabs(best - value)) {
            best = here;
        }
    }
    masing_response_summary_clear(&summary);
    table_clear(&rows);
    masing_model_destroy(model);
    return best;
}

static void check_curve(const char *example, const char *parameter, double from, double to,
                        double hz, const char *column, int n_folds)
{
    struct curve curve;
    uint64_t seed = 4711;
    follow(example, NULL, 0, parameter, from, to, hz, &curve);
    CHECK(curve.status == MASING_OK && curve.summary.is_complete);
    CHECK(curve.summary.n_folds == n_folds);
    CHECK(curve.summary.energy_mismatch < 1e-6);
    int n = curve.rows.n_rows;
    CHECK(n >= 10 && table_get(&curve.rows, 0, parameter) == from &&
          table_get(&curve.rows, n - 1, parameter) == to);
    for (int i = 0; i < tap_most(6, 1); i++) {
        int r = (int)test_uniform(&seed, 0, n);
        double value = table_get(&curve.rows, r, column);
        double at = table_get(&curve.rows, r, parameter);
        CHECK(table_get(&curve.rows, r, "frequency_hz") == hz);
        CHECK_RELATIVE(value, closest(example, parameter, at, hz, column, value), 1e-8);
    }
    table_clear(&curve.rows);
}

static void preload_of_a_damper(void)
{
    check_curve("two_mass_damper.yaml", "damper.preload", 5.0, 300.0, 22.0, "m2_h1", 0);
}

static void stiffness_of_a_damper(void)
{
    check_curve("two_mass_damper.yaml", "damper.stiffness", 80000.0, 20000.0, 24.0, "m2_h1", 0);
}

static void preload_of_a_contact_with_folds(void)
{
    check_curve("normal_motion.yaml", "contact.preload", 15.0, 100.0, 24.0, "m2y_h1", 2);
}

static void force_on_a_duffing_oscillator(void)
{
    check_curve("duffing.yaml", "loads.0.amplitude", 0.05, 6.0, 25.0, "x_h1", 2);
}

/* One number of the file may be many of the model: preload changes stiffness, limit and slip
 * displacement of a rough interface together, and it may stand in several joints. */
static void numbers_that_change_much(void)
{
    check_curve("rough_block.yaml", "shaker.amplitude", 2.0, 8.0, 65.0, "block_h1", 0);
    check_curve("two_mass_damper.yaml", "load_factor", 0.3, 3.0, 22.0, "m2_h1", 0);
}

/* Between the folds a value is passed three times; it is exactly what was asked for. */
static void rows_at_values(void)
{
    static const double at[] = {60.0, 30.0, 15.0, 33.3};
    static const int passes[] = {1, 3, 1, 3};
    struct curve curve;
    follow_at("normal_motion.yaml", NULL, 0, "contact.preload", 15.0, 100.0, 24.0, at, 4,
              &curve);
    CHECK(curve.status == MASING_OK && curve.summary.is_complete);
    for (int i = 0; i < 4; i++) {
        int n = 0;
        for (int r = 0; r < curve.rows.n_rows; r++) {
            if (table_get(&curve.rows, r, "contact.preload") == at[i]) {
                double value = table_get(&curve.rows, r, "m2y_h1");
                CHECK(strstr(curve.rows.events[r], "at") != NULL);
                CHECK_RELATIVE(value,
                               closest("normal_motion.yaml", "contact.preload", at[i], 24.0,
                                       "m2y_h1", value),
                               1e-8);
                n++;
            }
        }
        CHECK(n == passes[i]);
    }
    table_clear(&curve.rows);
    follow_at("normal_motion.yaml", NULL, 0, "contact.preload", 15.0, 100.0, 24.0,
              (const double[]){100.5}, 1, &curve);
    CHECK(curve.status == MASING_INVALID &&
          strstr(curve.error.message, "contact.preload = 100.5 lies outside"));
}

static void follow_text(const char *text, const char *parameter, double from, double to,
                        double hz, struct curve *curve)
{
    const struct masing_along_request request = {
        .parameter = parameter, .from = from, .to = to, .frequency_hz = hz};
    struct masing_document *document = NULL;
    CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, NULL) ==
          MASING_OK);
    follow_document(document, &request, curve);
}

/* A contact that lifts off, where no step leads on: a motion integrated in time does. */
static void restart_from_time_integration(void)
{
    struct curve curve;
    follow_text("masing: 1\n"
                "structure:\n"
                "  modes:\n"
                "    frequencies: [19.99845754, 52.35352651]\n"
                "    shapes: {x: [0.46531, 0], y: [0.46531, -0.8507],\n"
                "      out: [0.752975, 0.5257]}\n"
                "    damping_ratio: 0.005\n"
                "joints:\n"
                "  - {name: pad, law: contact, normal: {from: ground, to: x},\n"
                "     tangential: [{from: ground, to: y}], normal_stiffness: 200000,\n"
                "     tangential_stiffness: 40000, friction: 0.5, preload: 50}\n"
                "loads: [{dof: out, amplitude: 10}]\n"
                "frequency: [15, 35]\n"
                "harmonics: 7\n"
                "outputs: [out]\n",
                "pad.preload", 60.0, 20.0, 28.0, &curve);
    int n = curve.rows.n_rows;
    CHECK(curve.status == MASING_OK && curve.summary.is_complete);
    CHECK(curve.summary.strategies[MASING_STRATEGY_RESTART] >= 1);
    CHECK(curve.summary.residual < 1e-8);
    CHECK(n > 0 && table_get(&curve.rows, n - 1, "pad.preload") == 20.0);
    CHECK(n > 0 && table_get(&curve.rows, n - 1, "branch") > 1.0);
    table_clear(&curve.rows);
}

/* A stiff stop, from rest: its transition is rounded off less and less. */
static void smoothing_of_transitions(void)
{
    struct curve curve;
    follow_text("masing: 1\n"
                "structure:\n"
                "  masses: {m1: 1, m2: 1}\n"
                "  springs: [{from: ground, to: m1, stiffness: 10000},\n"
                "    {from: m1, to: m2, stiffness: 15000}]\n"
                "  damping: {modal_ratio: 0.01}\n"
                "joints: [{name: stop, law: unilateral_spring, from: m2, to: ground,\n"
                "  stiffness: 1.0e+6, gap: 1.0e-3}]\n"
                "loads: [{dof: m1, amplitude: 10}]\n"
                "frequency: [10, 35]\n"
                "harmonics: 7\n"
                "outputs: [m1]\n",
                "stop.gap", 1e-4, 1e-2, 28.0, &curve);
    CHECK(curve.status == MASING_OK && curve.summary.is_complete);
    CHECK(curve.summary.strategies[MASING_STRATEGY_SMOOTHING] >= 1);
    CHECK(curve.summary.residual < 1e-8);
    table_clear(&curve.rows);
}

static void refusals(void)
{
    struct curve curve;
    follow("two_mass_damper.yaml", NULL, 0, "structure.springs.0.stiffness", 4e4, 5e4, 22.0,
           &curve);
    CHECK(curve.status == MASING_UNSUPPORTED && strstr(curve.error.message, "structure"));
    follow("two_mass_damper.yaml", NULL, 0, "damper.preload", 5.0, 5.0, 22.0, &curve);
    CHECK(curve.status == MASING_INVALID);
    follow("two_mass_damper.yaml", NULL, 0, "damper.preload", -5.0, 5.0, 22.0, &curve);
    CHECK(curve.status == MASING_INVALID && strstr(curve.error.message, "preload"));
    follow("two_mass_damper.yaml", NULL, 0, "damper.prelod", 1.0, 5.0, 22.0, &curve);
    CHECK(curve.status == MASING_INVALID && strstr(curve.error.message, "preload"));
    follow("two_mass_damper.yaml", NULL, 0, "harmonics", 1.0, 5.0, 22.0, &curve);
    CHECK(curve.status == MASING_UNSUPPORTED && strstr(curve.error.message, "setting"));
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"along the preload of a damper", preload_of_a_damper},
        {"along the stiffness of a damper", stiffness_of_a_damper},
        {"along the preload of a contact, with folds", preload_of_a_contact_with_folds},
        {"along the force on a Duffing oscillator", force_on_a_duffing_oscillator},
        {"along numbers that change much", numbers_that_change_much},
        {"rows at values that were asked for", rows_at_values},
        {"restart from time integration", restart_from_time_integration},
        {"smoothing of transitions", smoothing_of_transitions},
        {"what cannot vary is refused", refusals},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
