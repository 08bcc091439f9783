/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations of the library fail once in turn, on the whole way from a model file to
 * results. The status must say so; the sanitizers of a build for tests see what leaks or is
 * used uninitialised. Allocations of foreign libraries are not touched.
 */
#include <stdlib.h>
#include <string.h>

#include "masing/check.h"
#include "masing/compare.h"
#include "masing/integrate.h"
#include "masing/loop.h"
#include "masing/response.h"
#include "scratch.h"
#include "wrapped_memory.h"

static const char model_text[] = "masing: 1\n"
                                 "title: Two masses, a slider and a cubic spring\n"
                                 "parameters: {N: 30}\n"
                                 "structure:\n"
                                 "  masses: {m1: 1.0, m2: 1.0}\n"
                                 "  springs:\n"
                                 "    - {from: ground, to: m1, stiffness: 41339}\n"
                                 "    - {from: m1, to: m2, stiffness: 41328}\n"
                                 "  damping: {modal_ratio: 0.02}\n"
                                 "joints:\n"
                                 "  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                                 "     stiffness: 40000, friction: 0.5, preload: $N}\n"
                                 "  - {name: spring, law: cubic_spring, from: m1, to: m2,\n"
                                 "     coefficient: 1e8}\n"
                                 "loads:\n"
                                 "  - {name: shaker, dof: m2, amplitude: 10}\n"
                                 "static_loads:\n"
                                 "  - {dof: m1, force: 0.1}\n"
                                 "frequency: [20.8, 21.6]\n"
                                 "harmonics: [0, 1, 3]\n"
                                 "samples: 32\n"
                                 "outputs: [m2, {name: gap, from: m1, to: m2}]\n"
                                 "integration: {steps_per_cycle: 32, tolerance: 1e-3}\n";

/* A joint on a DOF without mass, for the solvers that step in place of a rule. */
static const char massless_text[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m: 1, n: 0}\n"
    "  springs:\n"
    "    - {from: ground, to: m, stiffness: 40000}\n"
    "    - {from: m, to: n, stiffness: 20000}\n"
    "  damping: {modal_ratio: 0.1}\n"
    "joints:\n"
    "  - {name: j, law: jenkins, from: ground, to: n, stiffness: 10000, slip_force: 1}\n"
    "loads: [{dof: n, amplitude: 5}]\n"
    "frequency: [10, 30]\n"
    "outputs: [m, n]\n"
    "integration: {steps_per_cycle: 32, tolerance: 1e-3, steady: shooting}\n";

struct bench {
    char folder[SCRATCH_PATH];
    struct masing_document *document;
    struct masing_model *model;
    struct masing_sink sinks[3];
    int n_sinks;
    struct masing_error error;
};

static void bench_clear(struct bench *bench)
{
    for (int i = 0; i < bench->n_sinks; i++) {
        bench->sinks[i].destroy(bench->sinks[i].context);
    }
    masing_model_destroy(bench->model);
    masing_document_destroy(bench->document);
    bench->n_sinks = 0;
    bench->model = NULL;
    bench->document = NULL;
}

static enum masing_status prepare(struct bench *bench)
{
    enum masing_status status = masing_document_parse(
        model_text, sizeof model_text - 1, "model.yaml", &bench->document, &bench->error);
    return status
               ? status
               : masing_document_model(bench->document, NULL, 0, &bench->model, &bench->error);
}

static enum masing_status add_csv(struct bench *bench, const char *name)
{
    char file[SCRATCH_PATH + 32];
    snprintf(file, sizeof file, "%s/%s", bench->folder, name);
    enum masing_status status =
        masing_csv_create(file, &bench->sinks[bench->n_sinks], &bench->error);
    bench->n_sinks += status == MASING_OK;
    return status;
}

static enum masing_status add_picture(struct bench *bench, const char *name)
{
    static const struct masing_plot_settings settings = {
        .kind = MASING_PLOT_LOOPS,
        .title = "Loops",
        .x_column = "displacement",
        .y_column = "force",
        .group_column = "joint",
        .x_label = "Displacement (m)",
        .y_label = "Force (N)",
        .group_label = "Joint",
    };
    char file[SCRATCH_PATH + 32];
    snprintf(file, sizeof file, "%s/%s", bench->folder, name);
    enum masing_status status =
        masing_plot_create(file, &settings, &bench->sinks[bench->n_sinks], &bench->error);
    bench->n_sinks += status == MASING_OK;
    return status;
}

static enum masing_status run_check(struct bench *bench)
{
    struct masing_check_result result = {0};
    enum masing_status status = prepare(bench);
    status = status ? status : add_csv(bench, "modes.csv");
    status =
        status ? status : masing_check(bench->model, &bench->sinks[0], &result, &bench->error);
    masing_check_clear(&result);
    return status;
}

static enum masing_status run_resolved(struct bench *bench)
{
    static const struct masing_override override = {"damper.preload", "20"};
    char *text = NULL;
    enum masing_status status = prepare(bench);
    status =
        status ? status
               : masing_document_resolved(bench->document, &override, 1, &text, &bench->error);
    free(text);
    return status;
}

static enum masing_status run_frf(struct bench *bench)
{
    static const double at_hz[] = {21};
    static const struct masing_response_options options = {
        .n_at = 1, .at_hz = at_hz, .columns = 7};
    struct masing_response_summary summary = {0};
    enum masing_status status = prepare(bench);
    status = status ? status : add_csv(bench, "curve.csv");
    status = status ? status : add_picture(bench, "loops.svg");
    status = status ? status
                    : masing_frf(bench->model, &options, &bench->sinks[0], &bench->sinks[1],
                                 &summary, &bench->error);
    masing_response_summary_clear(&summary);
    return status;
}

static enum masing_status run_study(struct bench *bench)
{
    static const double values[] = {0, 30};
    static const struct masing_response_options options = {.n_threads = 1,
                                                           .stability = MASING_STABILITY_NONE};
    struct masing_response_summary summaries[2] = {{.points = 0}};
    enum masing_status status = prepare(bench);
    struct masing_study_request request = {
        .document = bench->document, .parameter = "N", .n_values = 2, .values = values};
    status = status ? status : add_csv(bench, "curves.csv");
    status = status ? status : add_csv(bench, "peaks.csv");
    status = status ? status
                    : masing_study(&request, &options, &bench->sinks[0], &bench->sinks[1], NULL,
                                   summaries, &bench->error);
    masing_response_summary_clear(&summaries[0]);
    masing_response_summary_clear(&summaries[1]);
    return status;
}

static enum masing_status run_integrate(struct bench *bench)
{
    struct masing_integrate_summary summary = {0};
    enum masing_status status = prepare(bench);
    status = status ? status : add_csv(bench, "motion.csv");
    status = status ? status
                    : masing_integrate(bench->model, 21, NULL, &bench->sinks[0], &summary,
                                       &bench->error);
    masing_integrate_summary_clear(&summary);
    return status;
}

static enum masing_status integrate_massless(struct bench *bench, const char *method)
{
    const struct masing_override overrides[] = {{"integration.method", method}};
    struct masing_integrate_summary summary = {0};
    enum masing_status status = masing_document_parse(
        massless_text, sizeof massless_text - 1, "model.yaml", &bench->document, &bench->error);
    status = status ? status
                    : masing_document_model(bench->document, overrides, 1, &bench->model,
                                            &bench->error);
    status = status ? status
                    : masing_integrate(bench->model, 21, NULL, NULL, &summary, &bench->error);
    masing_integrate_summary_clear(&summary);
    return status;
}

static enum masing_status run_accurately(struct bench *bench)
{
    return integrate_massless(bench, "accurate");
}

static enum masing_status run_exactly(struct bench *bench)
{
    return integrate_massless(bench, "exact");
}

static enum masing_status run_compare(struct bench *bench)
{
    static const double hz[] = {21};
    const struct masing_compare_options options = {.n_frequencies = 1,
                                                   .frequencies_hz = hz,
                                                   .has_errors = true,
                                                   .loops = &bench->sinks[1],
                                                   .curve = &bench->sinks[2]};
    struct masing_compare_summary summary = {0};
    enum masing_status status = prepare(bench);
    status = status ? status : add_csv(bench, "comparison.csv");
    status = status ? status : add_csv(bench, "both_loops.csv");
    status = status ? status : add_csv(bench, "course.csv");
    status = status ? status
                    : masing_compare(bench->model, &options, &bench->sinks[0], &summary,
                                     &bench->error);
    masing_compare_summary_clear(&summary);
    return status;
}

static enum masing_status run_loop(struct bench *bench)
{
    static const double amplitudes[] = {1e-4, 1e-3};
    const struct masing_loop_options options = {.n_amplitudes = 2, .amplitudes = amplitudes};
    struct masing_loop_summary summary = {0};
    struct masing_spec spec = {0};
    char *resolved = NULL;
    enum masing_status status = prepare(bench);
    status = status ? status
                    : masing_document_joints(bench->document, NULL, 0, &spec, &bench->error);
    status = status ? status
                    : masing_document_joints_resolved(bench->document, NULL, 0, &resolved,
                                                      &bench->error);
    status = status ? status : add_csv(bench, "loop.csv");
    status = status ? status
                    : masing_loop(spec.joints[0].law, spec.joints[0].parameters, &options,
                                  &bench->sinks[0], NULL, &summary, &bench->error);
    masing_loop_summary_clear(&summary);
    masing_spec_clear(&spec);
    free(resolved);
    return status;
}

static void remove_files(const struct bench *bench)
{
    static const char *const names[] = {
        "modes.csv",  "curve.csv",      "loops.svg",      "curves.csv", "peaks.csv",
        "motion.csv", "comparison.csv", "both_loops.csv", "course.csv", "loop.csv"};
    char file[SCRATCH_PATH + 32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s/%s", bench->folder, names[i]);
        remove(file);
    }
    rmdir(bench->folder);
}

/* Count the allocations of a run, then let each fail, or one in so many. */
static void survives(enum masing_status (*run)(struct bench *bench), long step)
{
    struct bench bench = {.n_sinks = 0};
    scratch_make(bench.folder);
    n_allocations = fails_at = 0;
    if (!CHECK(run(&bench) == MASING_OK)) {
        printf("# %s\n", bench.error.message);
    }
    bench_clear(&bench);
    long n = n_allocations;
    CHECK(n > 10);
    for (long i = 1; i <= n; i += step) {
        n_allocations = 0;
        fails_at = i;
        bench.error = (struct masing_error){0};
        enum masing_status status = run(&bench);
        if (!CHECK(status == MASING_NO_MEMORY)) {
            printf("# allocation %ld of %ld: status %d, %s\n", i, n, status,
                   bench.error.message);
        }
        bench_clear(&bench);
    }
    fails_at = 0;
    printf("# %ld allocations\n", n);
    remove_files(&bench);
}

static void check_survives(void)
{
    survives(run_check, 1);
}

static void the_resolved_model_survives(void)
{
    survives(run_resolved, 1);
}

static void frf_survives(void)
{
    survives(run_frf, 3); /* each place that allocates for rows does so more often */
}

static void study_survives(void)
{
    survives(run_study, tap_most(3, 7));
}

static void integrate_survives(void)
{
    survives(run_integrate, 1);
}

static void integrate_by_solvers_survives(void)
{
    survives(run_accurately, tap_most(1, 3));
    survives(run_exactly, tap_most(1, 3));
}

static void compare_survives(void)
{
    survives(run_compare, tap_most(3, 11));
}

static void loop_survives(void)
{
    survives(run_loop, 1);
}

static const struct tap_test tests[] = {
    {"check survives every failed allocation", check_survives},
    {"the resolved model survives every failed allocation", the_resolved_model_survives},
    {"frf survives failed allocations", frf_survives},
    {"study survives failed allocations", study_survives},
    {"integrate survives every failed allocation", integrate_survives},
    {"integrate by solvers survives failed allocations", integrate_by_solvers_survives},
    {"compare survives failed allocations", compare_survives},
    {"loop survives every failed allocation", loop_survives},
};

TAP_MAIN(tests)
