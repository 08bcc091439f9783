/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Specifications built by a program are those that a model file gives; tables in memory. */
#include "masing/build.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "masing/response.h"
#include "masing/result.h"
#include "spec_equal.h"
#include "tap.h"

static const char text[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m1: 1.5, m2: 2.5}\n"
    "  springs:\n"
    "    - {from: ground, to: m1, stiffness: 41339}\n"
    "    - {from: m1, to: m2, stiffness: 41328}\n"
    "  dampers: [{from: m1, to: m2, damping: 3}]\n"
    "  damping: {modal_ratio: 0.02}\n"
    "joints:\n"
    "  - {name: damper.1, law: jenkins, from: ground, to: m1, stiffness: 40000,\n"
    "     friction: 0.5, preload: 30}\n"
    "  - {name: spring, law: polynomial_spring, from: m1, to: m2, coefficients: [10, 0, 2e9]}\n"
    "loads:\n"
    "  - {name: shaker, dof: m2, amplitude: 10, phase: 90, harmonic: 2}\n"
    "  - {dof: m1, amplitude: 3}\n"
    "static_loads: [{dof: m1, force: 4}]\n"
    "load_factor: 2\n"
    "frequency: [18, 28]\n"
    "harmonics: 5\n"
    "samples: 512\n"
    "outputs: [m2, {name: gap, from: m1, to: m2, quantity: velocity}]\n"
    "mode: {number: 1, amplitude: [1e-4, 1e-2]}\n"
    "solver: {tolerance: 1e-9, max_points: 500, step: {max: 0.1}}\n"
    "integration: {method: hht, steps_per_cycle: 128}\n";

static struct masing_error error;

static void expect_done(enum masing_status status)
{
    if (!CHECK(status == MASING_OK)) {
        printf("# %s\n", error.message);
    }
}

static void set(struct masing_spec *spec, const char *path, double value)
{
    expect_done(masing_spec_set(spec, path, value, &error));
}

/* A buffer that is overwritten: texts are copied. */
static const char *volatile_text(const char *given)
{
    static char buffer[64];
    snprintf(buffer, sizeof buffer, "%s", given);
    return buffer;
}

static void add_parts(struct masing_spec *spec)
{
    const struct masing_law *jenkins = masing_law_find("jenkins");
    const struct masing_law *polynomial = masing_law_find("polynomial_spring");
    expect_done(masing_spec_add_mass(spec, volatile_text("m1"), 1.5, &error));
    expect_done(masing_spec_add_spring(spec, "ground", "m1", 41339, &error));
    /* loads that are there already get a place for the next mass */
    expect_done(masing_spec_add_static_load(spec, "m1", 4, &error));
    expect_done(masing_spec_add_mass(spec, volatile_text("m2"), 2.5, &error));
    expect_done(masing_spec_add_spring(spec, "m1", "m2", 41328, &error));
    expect_done(masing_spec_add_damper(spec, "m1", "m2", 3, &error));
    expect_done(masing_spec_add_joint(spec, volatile_text("damper.1"), jenkins, "ground", "m1",
                                      &error));
    expect_done(masing_spec_add_joint(spec, "spring", polynomial, "m1", "m2", &error));
    expect_done(masing_spec_add_load(spec, volatile_text("shaker"), "m2", 1, &error));
    expect_done(masing_spec_add_load(spec, NULL, "m1", 3, &error));
    expect_done(masing_spec_add_output(spec, volatile_text("m2"), NULL, NULL,
                                       MASING_DISPLACEMENT, &error));
    expect_done(masing_spec_add_output(spec, "gap", "m1", "m2", MASING_VELOCITY, &error));
    volatile_text("something else");
}

static void set_numbers(struct masing_spec *spec)
{
    set(spec, "structure.damping.modal_ratio", 0.02);
    set(spec, "damper.1.stiffness", 40000);
    set(spec, "joints.0.friction", 0.5);
    set(spec, "joints.damper.1.preload", 30);
    set(spec, "spring.coefficients.0", 10);
    set(spec, "spring.coefficients.1", 0);
    set(spec, "spring.coefficients.2", 2e9);
    set(spec, "shaker.amplitude", 10);
    set(spec, "loads.0.phase", 90);
    set(spec, "loads.shaker.harmonic", 2);
    set(spec, "load_factor", 2);
    set(spec, "frequency.0", 18);
    set(spec, "frequency.1", 28);
    set(spec, "harmonics", 5);
    set(spec, "samples", 512);
    set(spec, "mode.number", 1);
    set(spec, "mode.amplitude.0", 1e-4);
    set(spec, "mode.amplitude.1", 1e-2);
    set(spec, "solver.tolerance", 1e-9);
    set(spec, "solver.max_points", 500);
    set(spec, "solver.step.max", 0.1);
    set(spec, "integration.method", MASING_INTEGRATION_HHT);
    set(spec, "integration.steps_per_cycle", 128);
}

static struct masing_spec *build(void)
{
    struct masing_spec *spec = NULL;
    expect_done(masing_spec_create(&spec, &error));
    add_parts(spec);
    set_numbers(spec);
    return spec;
}

/* Sealed, because the reader derives constants of the laws already. */
static void what_is_built_is_what_a_file_says(void)
{
    struct masing_document *document = NULL;
    struct masing_model *read = NULL, *built = NULL;
    struct masing_spec *spec = build();
    expect_done(masing_document_parse(text, strlen(text), "m.yaml", &document, &error));
    expect_done(masing_document_model(document, NULL, 0, &read, &error));
    expect_done(masing_model_create(spec, &built, &error));
    CHECK(read && built && spec_same(masing_model_spec(read), masing_model_spec(built)));
    CHECK(masing_model_n_warnings(built) == 0);
    masing_model_destroy(read);
    masing_model_destroy(built);
    masing_spec_destroy(spec);
    masing_document_destroy(document);
}

static void other_kinds_of_numbers(void)
{
    struct masing_spec *spec = build();
    set(spec, "structure.damping.rayleigh.0", 3);
    set(spec, "structure.damping.rayleigh.1", 4);
    CHECK(spec->structure.form.kind == MASING_DAMPING_RAYLEIGH);
    CHECK(spec->structure.form.alpha == 3 && spec->structure.form.beta == 4);
    set(spec, "structure.damping.structural", 0.1);
    CHECK(spec->structure.form.kind == MASING_DAMPING_STRUCTURAL);
    CHECK(spec->structure.form.loss_factor == 0.1);
    spec->loads[1].kind = MASING_LOAD_IMBALANCE;
    set(spec, "loads.1.imbalance", 7);
    CHECK(spec->loads[1].amplitude == 7);
    spec->loads[1].kind = MASING_LOAD_BASE_ACCELERATION;
    set(spec, "loads.1.base_acceleration", 8);
    CHECK(spec->loads[1].amplitude == 8);
    masing_spec_destroy(spec);
}

static void refused(enum masing_status status, const char *words)
{
    if (!CHECK(status == MASING_INVALID && strstr(error.message, words))) {
        printf("# %d '%s' has not '%s'\n", status, error.message, words);
    }
}

/* A slip force takes the place of friction and preload; NAN takes it away. */
static void a_number_takes_the_place_of_others(void)
{
    struct masing_model *model = NULL;
    struct masing_spec *spec = build();
    set(spec, "damper.1.slip_force", 12);
    set(spec, "damper.1.friction", 0.5);
    refused(masing_model_create(spec, &model, &error), "preload");
    masing_spec_destroy(spec);
    spec = build();
    set(spec, "damper.1.slip_force", 12);
    set(spec, "damper.1.slip_force", NAN);
    refused(masing_model_create(spec, &model, &error), "slip_force");
    masing_spec_destroy(spec);
    spec = build();
    set(spec, "damper.1.slip_force", 12);
    expect_done(masing_model_create(spec, &model, &error));
    masing_model_destroy(model);
    masing_spec_destroy(spec);
}

static void wrong_parts_are_refused(void)
{
    struct masing_spec *spec = build();
    const struct masing_law *law = masing_law_find("jenkins");
    const char *const missing = "there is no DOF 'm3'";
    refused(masing_spec_add_mass(spec, "m1", 1, &error), "taken");
    refused(masing_spec_add_mass(spec, "ground", 1, &error), "fixed frame");
    refused(masing_spec_add_mass(spec, "", 1, &error), "empty");
    refused(masing_spec_add_mass(spec, NULL, 1, &error), "NULL");
    refused(masing_spec_add_mass(spec, "m3", -1, &error), "-1");
    refused(masing_spec_add_mass(spec, "m3", NAN, &error), "finite");
    refused(masing_spec_add_spring(spec, "m1", "m3", 1, &error), missing);
    refused(masing_spec_add_spring(spec, "m1", "m1", 1, &error), "different");
    refused(masing_spec_add_spring(spec, "m1", NULL, 1, &error), "NULL");
    refused(masing_spec_add_spring(spec, "m1", "m2", INFINITY, &error), "finite");
    refused(masing_spec_add_damper(spec, "m1", "m2", -1, &error), ">= 0");
    refused(masing_spec_add_joint(spec, "spring", law, "m1", "m2", &error), "taken");
    refused(masing_spec_add_joint(spec, "a,b", law, "m1", "m2", &error), "cannot name");
    refused(masing_spec_add_joint(spec, "j", masing_law_find("jenkin"), "m1", "m2", &error),
            "masing_law_find");
    refused(masing_spec_add_joint(spec, "j", law, "m1", "m3", &error), missing);
    CHECK(masing_spec_add_joint(spec, "j", masing_law_find("contact"), "m1", "m2", &error) ==
          MASING_UNSUPPORTED);
    refused(masing_spec_add_load(spec, "shaker", "m1", 1, &error), "taken");
    refused(masing_spec_add_load(spec, "x", "ground", 1, &error), "does not move");
    refused(masing_spec_add_load(spec, "x", "m1", NAN, &error), "finite");
    refused(masing_spec_add_static_load(spec, "m3", 1, &error), missing);
    refused(masing_spec_add_output(spec, "m2", NULL, NULL, MASING_DISPLACEMENT, &error),
            "taken");
    refused(masing_spec_add_output(spec, "m3", NULL, NULL, MASING_DISPLACEMENT, &error),
            missing);
    refused(masing_spec_add_output(spec, "m1", NULL, NULL, (enum masing_quantity)7, &error),
            "7");
    CHECK(spec->structure.n_dofs == 2 && spec->n_joints == 2 && spec->n_loads == 2);
    CHECK(spec->n_static_loads == 1 && spec->n_outputs == 2);
    masing_spec_destroy(spec);
}

static void wrong_paths_are_refused(void)
{
    static const struct {
        const char *path;
        double value;
        const char *words;
    } wrong[] = {
        {"damper.1.stifness", 1, "there are stiffness"},
        {"damper.1.stiffness", -1, "> 0"},
        {"damper.1.stiffness", NAN, "needed"},
        {"damper.1", 1, "no such number"},
        {"joints.2.stiffness", 1, "no such member"},
        {"joints.other.stiffness", 1, "no such member"},
        {"spring.coefficients.5", 1, "list"},
        {"spring.coefficients.x", 1, "list"},
        {"shaker.imbalance", 1, "of this load"},
        {"shaker.harmonic", 0, "integer"},
        {"shaker.amplitude", INFINITY, "finite"},
        {"loads.7.amplitude", 1, "no such member"},
        {"frequency", 1, "no such number"},
        {"frequency.2", 1, "frequency.0"},
        {"frequency.0", -1, "> 0"},
        {"harmonics", 2.5, "integer"},
        {"harmonics", 0, "integer"},
        {"samples", 0.5, "integer"},
        {"load_factor", NAN, "finite"},
        {"structure.damping.modal_ratio", -1, ">= 0"},
        {"structure.damping.ratio", 1, "modal_ratio"},
        {"structure.masses.m1", 1, "no such number"},
        {"solver.tol", 1, "tolerance"},
        {"solver.tolerance", 1, "'tolerance' must be"},
        {"integration.method", 9, "words"},
        {"", 1, "no such number"},
    };
    struct masing_spec *spec = build();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refused(masing_spec_set(spec, wrong[i].path, wrong[i].value, &error), wrong[i].words);
        CHECK(strncmp(error.message, wrong[i].path, strlen(wrong[i].path)) == 0);
    }
    expect_done(masing_spec_add_load(spec, "spring", "m1", 1, &error));
    refused(masing_spec_set(spec, "spring.amplitude", 1, &error), "used twice");
    set(spec, "loads.spring.amplitude", 2);
    CHECK(spec->loads[2].amplitude == 2);
    refused(masing_spec_set(NULL, "load_factor", 1, &error), "NULL");
    refused(masing_spec_set(spec, NULL, 1, &error), "NULL");
    refused(masing_spec_create(NULL, &error), "NULL");
    masing_spec_destroy(spec);
    masing_spec_destroy(NULL);
}

/* --- tables in memory --- */

static const unsigned fold = MASING_EVENT_BIT(MASING_EVENT_FOLD);

static enum masing_status send(const struct masing_sink *sink, int n)
{
    static const struct masing_column columns[] = {
        {"x", MASING_COLUMN_REAL}, {"event", MASING_COLUMN_TEXT}, {"n", MASING_COLUMN_INTEGER}};
    enum masing_status status = sink->open(sink->context, columns, 3, &error);
    for (int i = 0; i < n && status == MASING_OK; i++) {
        const struct masing_cell cells[] = {
            {.number = 0.5 * i},
            {.text = i % 3 ? NULL : volatile_text("fold"), .events = i % 3 ? 0u : fold},
            {.number = i}};
        status = sink->row(sink->context, cells, &error);
    }
    return status;
}

static void a_table_is_arrays(void)
{
    struct masing_result *result = NULL;
    expect_done(masing_result_create(&result, &error));
    CHECK(masing_result_n_rows(result) == 0 && !masing_result_column(result, "x"));
    for (int n = 500; n > 0; n -= 499) { /* the second time it begins anew */
        expect_done(send(masing_result_sink(result), n));
        volatile_text("something else");
        CHECK(masing_result_n_rows(result) == n && masing_result_n_columns(result) == 3);
        const double *x = masing_result_column(result, "x");
        const double *counts = masing_result_column(result, "n");
        const char *const *events = masing_result_texts(result, "event");
        const unsigned *kinds = masing_result_events(result);
        if (!CHECK(x && counts && events && kinds)) {
            break;
        }
        for (int i = 0; i < n; i++) {
            CHECK(x[i] == 0.5 * i && counts[i] == i && kinds[i] == (i % 3 ? 0u : fold));
            CHECK(i % 3 ? !events[i] : events[i] && strcmp(events[i], "fold") == 0);
        }
        CHECK(isnan(masing_result_column(result, "event")[0]));
    }
    CHECK(strcmp(masing_result_name(result, 1), "event") == 0);
    CHECK(!masing_result_name(result, 3) && !masing_result_name(result, -1));
    CHECK(!masing_result_column(result, "y") && !masing_result_texts(result, "x"));
    CHECK(!masing_result_column(result, NULL) && !masing_result_column(NULL, "x"));
    masing_result_destroy(result);
}

/* What programs take that know neither struct nor callbacks of C. */
static void joints_and_flags_are_found(void)
{
    struct masing_document *document = NULL;
    struct masing_spec *spec = NULL;
    volatile sig_atomic_t flag = 0;
    expect_done(masing_spec_create(&spec, &error));
    CHECK(!masing_spec_joint(NULL, 0) && !masing_spec_joint(spec, 0));
    masing_spec_clear(spec); /* what a document fills begins with nothing */
    expect_done(masing_document_parse(text, strlen(text), "text.yaml", &document, &error));
    expect_done(masing_document_spec(document, NULL, 0, spec, &error));
    const struct masing_joint_spec *first = masing_spec_joint(spec, 0);
    const struct masing_joint_spec *last = masing_spec_joint(spec, 1);
    CHECK(first && strcmp(first->name, "damper.1") == 0);
    CHECK(last && strcmp(last->law->name, "polynomial_spring") == 0);
    CHECK(!masing_spec_joint(spec, 2) && !masing_spec_joint(spec, -1));
    masing_spec_destroy(spec);
    masing_document_destroy(document);
    CHECK(!masing_cancelled_by_flag(NULL) && !masing_cancelled_by_flag((void *)&flag));
    flag = 1;
    CHECK(masing_cancelled_by_flag((void *)&flag));
}

static void no_table_is_no_crash(void)
{
    refused(masing_result_create(NULL, &error), "NULL");
    CHECK(!masing_result_sink(NULL) && masing_result_n_rows(NULL) == 0);
    CHECK(masing_result_n_columns(NULL) == 0 && !masing_result_name(NULL, 0));
    CHECK(!masing_result_texts(NULL, "x") && !masing_result_events(NULL));
    masing_result_destroy(NULL);
}

static const struct tap_test tests[] = {
    {"what is built is what a file says", what_is_built_is_what_a_file_says},
    {"other kinds of numbers", other_kinds_of_numbers},
    {"a number takes the place of others", a_number_takes_the_place_of_others},
    {"wrong parts are refused", wrong_parts_are_refused},
    {"wrong paths are refused", wrong_paths_are_refused},
    {"a table is arrays", a_table_is_arrays},
    {"joints and flags are found", joints_and_flags_are_found},
    {"no table is no crash", no_table_is_no_crash},
};

TAP_MAIN(tests)
