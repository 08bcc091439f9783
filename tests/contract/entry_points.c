/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds of every public function that can fail: what may be NULL is left out, what must
 * not be is refused, an error record tells of its last call, structs of another size are
 * understood, and OpenBLAS has as many threads afterwards as before.
 */
#include <cblas.h>
#include <stdint.h>

#include "masing/along.h"
#include "masing/check.h"
#include "masing/compare.h"
#include "masing/identify.h"
#include "masing/integrate.h"
#include "masing/journal.h"
#include "masing/loop.h"
#include "masing/modal_iwan.h"
#include "masing/mode.h"
#include "masing/peak.h"
#include "masing/reduce.h"
#include "masing/ringdown.h"
#include "masing/text.h"
#include "response.h"

static const char text[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m1: 1.0, m2: 1.0}\n"
    "  springs:\n"
    "    - {from: ground, to: m1, stiffness: 41339}\n"
    "    - {from: m1, to: m2, stiffness: 41328}\n"
    "  damping: {modal_ratio: 0.02}\n"
    "joints:\n"
    "  - {name: damper, law: iwan4, from: ground, to: m1, slip_force: 15, stiffness: 4000,\n"
    "     chi: -0.5, beta: 1}\n"
    "loads: [{dof: m2, amplitude: 10}]\n"
    "frequency: [20, 22]\n"
    "harmonics: 1\n"
    "outputs: [m2]\n"
    "integration: {steps_per_cycle: 128}\n"
    "mode: {number: 1, amplitude: [1.0e-3, 2.0e-3]}\n"
    "ringdown: {impulse: {dof: m2, amplitude: 30, frequency: 20}, steps: 9000, segments: 8, "
    "modes: [1]}\n";

/* --- what the calls are about --- */

enum { N_SAMPLES = 1024, N_LOOP = 200, N_MODAL = 6 };

static struct masing_document *document;
static struct masing_model *model;
static double loop_x[N_LOOP], loop_force[N_LOOP], samples[N_SAMPLES];
static double response_hz[] = {20.4, 20.8, 21.2}, response_amplitude[] = {2e-3, 2.5e-3, 3e-3};
static struct masing_modal_point modal_points[N_MODAL];

static char loop_name[] = "loop", channel[] = "a", *channels[] = {channel};

static struct masing_measurement measured = {
    .name = loop_name, .n_samples = N_LOOP, .displacement = loop_x, .force = loop_force};
static struct masing_record record = {.n_samples = N_SAMPLES,
                                      .n_channels = 1,
                                      .step = 0.02,
                                      .names = channels,
                                      .samples = samples};
static const struct masing_measured_response response = {.name = loop_name,
                                                         .load_factor = 1,
                                                         .n_points = 3,
                                                         .frequency_hz = response_hz,
                                                         .amplitude = response_amplitude};

static void prepare(void)
{
    struct masing_error error = {0};
    const double turn = 6.28318530717958647692;
    double z = 0;
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    if (!CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    for (int i = 0; i < N_LOOP; i++) {
        loop_x[i] = 1e-3 * sin(turn * i / 50);
        z = fmin(fmax(z, loop_x[i] - 4e-4), loop_x[i] + 4e-4);
        loop_force[i] = 4e4 * (loop_x[i] - z);
    }
    for (int i = 0; i < N_SAMPLES; i++) {
        samples[i] = exp(-0.1 * i * 0.02) * cos(turn * 10 * i * 0.02);
    }
    for (int i = 0; i < N_MODAL; i++) {
        modal_points[i] =
            (struct masing_modal_point){1e-3 * (i + 1), 20.6 - 0.01 * i, 0.02 + 2e-4 * i};
    }
}

/* --- a call with more or less of what may be NULL --- */

enum part {
    OPTIONS = 1,
    SUMMARY = 2,
    ROWS = 4,  /* the first table */
    OTHERS = 8 /* the other ones */
};

enum { ALL = OPTIONS | SUMMARY | ROWS | OTHERS, N_SINKS = 4 };

struct parts {
    unsigned given;
    struct table tables[N_SINKS];
    struct masing_sink sinks[N_SINKS];
};

static const struct masing_sink *sink(const struct parts *parts, int index)
{
    return parts->given & (index ? OTHERS : ROWS) ? &parts->sinks[index] : NULL;
}

static void *pick(const struct parts *parts, enum part part, const void *given)
{
    return parts->given & part ? (void *)(uintptr_t)given : NULL;
}

#define GIVEN(part, pointer) pick(parts, part, pointer)

static enum masing_status call_check(const struct parts *parts, struct masing_error *error)
{
    struct masing_check_result result = {.size = sizeof result};
    enum masing_status status =
        masing_check(model, sink(parts, 0), GIVEN(SUMMARY, &result), error);
    masing_check_clear(GIVEN(SUMMARY, &result));
    return status;
}

static enum masing_status call_frf(const struct parts *parts, struct masing_error *error)
{
    struct masing_response_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_response_options options = {.size = sizeof options,
                                              .progress = &progress,
                                              .contacts = sink(parts, 2),
                                              .check_tolerance = 1e-3,
                                              .check = sink(parts, 3)};
    enum masing_status status = masing_frf(model, GIVEN(OPTIONS, &options), sink(parts, 0),
                                           sink(parts, 1), GIVEN(SUMMARY, &summary), error);
    masing_response_summary_clear(GIVEN(SUMMARY, &summary));
    return status;
}

static enum masing_status call_study(const struct parts *parts, struct masing_error *error)
{
    static const double values[] = {3900, 4100};
    struct masing_response_summary summaries[2] = {{.size = sizeof *summaries},
                                                   {.size = sizeof *summaries}};
    struct masing_progress progress = {0};
    struct masing_response_options options = {.progress = &progress,
                                              .contacts = sink(parts, 3)};
    struct masing_study_request request = {.size = sizeof request,
                                           .document = document,
                                           .parameter = "damper.stiffness",
                                           .n_values = 2,
                                           .values = values};
    enum masing_status status =
        masing_study(&request, GIVEN(OPTIONS, &options), sink(parts, 0), sink(parts, 1),
                     sink(parts, 2), GIVEN(SUMMARY, summaries), error);
    CHECK(!(parts->given & SUMMARY) || status ||
          (summaries[0].points > 0 && summaries[1].points > 0));
    masing_response_summary_clear(GIVEN(SUMMARY, &summaries[0]));
    masing_response_summary_clear(GIVEN(SUMMARY, &summaries[1]));
    return status;
}

static enum masing_status call_along(const struct parts *parts, struct masing_error *error)
{
    struct masing_along_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_response_options options = {.progress = &progress};
    struct masing_along_request request = {.size = sizeof request,
                                           .document = document,
                                           .parameter = "damper.slip_force",
                                           .from = 14,
                                           .to = 15,
                                           .frequency_hz = 21};
    return masing_along(&request, GIVEN(OPTIONS, &options), sink(parts, 0),
                        GIVEN(SUMMARY, &summary), error);
}

static enum masing_status call_peak(const struct parts *parts, struct masing_error *error)
{
    struct masing_peak_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_response_options options = {.progress = &progress};
    struct masing_peak_request request = {.size = sizeof request,
                                          .document = document,
                                          .parameter = "damper.slip_force",
                                          .from = 14,
                                          .to = 15};
    enum masing_status status = masing_peak_follow(
        &request, GIVEN(OPTIONS, &options), sink(parts, 0), GIVEN(SUMMARY, &summary), error);
    masing_peak_summary_clear(GIVEN(SUMMARY, &summary));
    return status;
}

static enum masing_status call_mode(const struct parts *parts, struct masing_error *error)
{
    struct masing_mode_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_mode_options options = {.size = sizeof options, .progress = &progress};
    enum masing_status status = masing_mode(model, GIVEN(OPTIONS, &options), sink(parts, 0),
                                            GIVEN(SUMMARY, &summary), error);
    masing_mode_summary_clear(GIVEN(SUMMARY, &summary));
    return status;
}

static enum masing_status call_mode_response(const struct parts *parts,
                                             struct masing_error *error)
{
    struct masing_mode_response_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_mode_response_options options = {.size = sizeof options,
                                                   .progress = &progress};
    enum masing_status status = masing_mode_response(
        model, GIVEN(OPTIONS, &options), sink(parts, 0), GIVEN(SUMMARY, &summary), error);
    masing_mode_response_summary_clear(GIVEN(SUMMARY, &summary));
    return status;
}

static enum masing_status call_integrate(const struct parts *parts, struct masing_error *error)
{
    struct masing_integrate_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_integrate_options options = {.size = sizeof options, .progress = &progress};
    enum masing_status status = masing_integrate(
        model, 21, GIVEN(OPTIONS, &options), sink(parts, 0), GIVEN(SUMMARY, &summary), error);
    masing_integrate_summary_clear(GIVEN(SUMMARY, &summary));
    return status;
}

static enum masing_status call_compare(const struct parts *parts, struct masing_error *error)
{
    static const double hz[] = {20.5};
    struct masing_compare_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_compare_options options = {.size = sizeof options,
                                             .n_frequencies = 1,
                                             .frequencies_hz = hz,
                                             .progress = &progress,
                                             .loops = sink(parts, 1),
                                             .curve = sink(parts, 2)};
    enum masing_status status = masing_compare(model, GIVEN(OPTIONS, &options), sink(parts, 0),
                                               GIVEN(SUMMARY, &summary), error);
    masing_compare_summary_clear(GIVEN(SUMMARY, &summary));
    return status;
}

static enum masing_status call_ringdown(const struct parts *parts, struct masing_error *error)
{
    struct masing_ringdown_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_ringdown_options options = {
        .size = sizeof options, .progress = &progress, .history = sink(parts, 1)};
    enum masing_status status = masing_ringdown(model, GIVEN(OPTIONS, &options), sink(parts, 0),
                                                GIVEN(SUMMARY, &summary), error);
    masing_ringdown_summary_clear(GIVEN(SUMMARY, &summary));
    return status;
}

static enum masing_status call_record(const struct parts *parts, struct masing_error *error)
{
    struct masing_ringdown_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_record_options options = {.size = sizeof options, .progress = &progress};
    enum masing_status status =
        masing_ringdown_record(&record, NULL, GIVEN(OPTIONS, &options), sink(parts, 0),
                               GIVEN(SUMMARY, &summary), error);
    masing_ringdown_summary_clear(GIVEN(SUMMARY, &summary));
    return status;
}

/* Without options there are no amplitudes: a wrong input, not a crash. */
static enum masing_status call_loop(const struct parts *parts, struct masing_error *error)
{
    static const double amplitudes[] = {1e-3};
    const struct masing_joint_spec *joint = masing_model_spec(model)->joints;
    struct masing_loop_summary summary = {.size = sizeof summary};
    struct masing_progress progress = {0};
    struct masing_loop_options options = {.size = sizeof options,
                                          .n_amplitudes = 1,
                                          .amplitudes = amplitudes,
                                          .progress = &progress};
    enum masing_status status =
        masing_loop(joint->law, joint->parameters, GIVEN(OPTIONS, &options), sink(parts, 0),
                    sink(parts, 1), GIVEN(SUMMARY, &summary), error);
    masing_loop_summary_clear(GIVEN(SUMMARY, &summary));
    return parts->given & OPTIONS || status != MASING_INVALID ? status : MASING_OK;
}

static enum masing_status call_identify_law(const struct parts *parts,
                                            struct masing_error *error)
{
    struct masing_identification result = {.size = sizeof result};
    struct masing_fit_request request = {.size = sizeof request,
                                         .data = {.n_loops = 1, .loops = &measured},
                                         .law = masing_law_find("jenkins")};
    enum masing_status status = masing_identify_law(&request, &result, error);
    if (status == MASING_OK) {
        status = masing_identification_rows(&request.data, &result, sink(parts, 0), error);
    }
    masing_identification_clear(&result);
    return status;
}

static enum masing_status call_identify_valanis(const struct parts *parts,
                                                struct masing_error *error)
{
    static const struct masing_valanis_term term = {.power = 1};
    struct masing_identification result = {.size = sizeof result};
    struct masing_valanis_request request = {.size = sizeof request,
                                             .data = {.n_loops = 1, .loops = &measured},
                                             .n_terms = 1,
                                             .terms = &term,
                                             .end_share = 0.02};
    enum masing_status status = masing_identify_valanis(&request, &result, error);
    if (status == MASING_OK) {
        status = masing_identification_rows(&request.data, &result, sink(parts, 0), error);
    }
    masing_identification_clear(&result);
    return status;
}

static enum masing_status call_identify_response(const struct parts *parts,
                                                 struct masing_error *error)
{
    static const char *const varied[] = {"stiffness"};
    struct masing_identification result = {.size = sizeof result};
    struct masing_response_fit_request request = {.size = sizeof request,
                                                  .document = document,
                                                  .n_responses = 1,
                                                  .responses = &response,
                                                  .n_varied = 1,
                                                  .varied = varied};
    enum masing_status status = masing_identify_response(&request, &result, error);
    if (status == MASING_OK) {
        status = masing_response_fit_rows(&request, &result, sink(parts, 0), error);
    }
    masing_identification_clear(&result);
    return status;
}

static enum masing_status call_modal_iwan(const struct parts *parts, struct masing_error *error)
{
    struct masing_modal_iwan modal = {.spring = 1.5e4,
                                      .damping_ratio = 0.01,
                                      .stuck_hz = 20.6,
                                      .stiffness = 500,
                                      .slip_force = 1,
                                      .chi = -0.5,
                                      .beta = 1};
    struct masing_modal_iwan_request request = {
        .size = sizeof request, .n_points = N_MODAL, .points = modal_points};
    return masing_modal_iwan_rows(&request, &modal, sink(parts, 0), error);
}

static const struct call {
    const char *name;
    enum masing_status (*run)(const struct parts *parts, struct masing_error *error);
} calls[] = {
    {"check", call_check},
    {"frf", call_frf},
    {"study", call_study},
    {"along", call_along},
    {"peak_follow", call_peak},
    {"mode", call_mode},
    {"mode_response", call_mode_response},
    {"integrate", call_integrate},
    {"compare", call_compare},
    {"ringdown", call_ringdown},
    {"ringdown_record", call_record},
    {"loop", call_loop},
    {"identify_law", call_identify_law},
    {"identify_valanis", call_identify_valanis},
    {"identify_response", call_identify_response},
    {"modal_iwan_rows", call_modal_iwan},
};

enum { N_CALLS = sizeof calls / sizeof *calls };

static void begin(struct parts *parts, unsigned given)
{
    *parts = (struct parts){.given = given};
    for (int i = 0; i < N_SINKS; i++) {
        parts->sinks[i] = table_sink(&parts->tables[i]);
    }
}

static void end(struct parts *parts)
{
    for (int i = 0; i < N_SINKS; i++) {
        table_clear(&parts->tables[i]);
    }
}

static void expect_good(int call, const struct parts *parts, struct masing_error *error)
{
    enum masing_status status = calls[call].run(parts, error);
    if (!CHECK(status == MASING_OK)) {
        printf("# %s with parts %#x: %s: %s\n", calls[call].name, parts->given,
               masing_status_name(status), error ? error->message : "");
    }
}

/* --- the tests --- */

static void what_may_be_null_is_left_out(void)
{
    static const unsigned left_out[] = {0, OPTIONS, SUMMARY, ROWS, OTHERS, ALL};
    for (int c = 0; c < N_CALLS; c++) {
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
            struct masing_error error = {0};
            struct parts parts;
            begin(&parts, ALL & ~left_out[i]);
            expect_good(c, &parts, left_out[i] == ALL ? NULL : &error);
            bool has_none = calls[c].run == call_loop && left_out[i] & OPTIONS;
            CHECK((parts.tables[0].n_rows > 0) == !(has_none || left_out[i] & ROWS));
            end(&parts);
        }
    }
}

static void lose(struct masing_sink *sink, int function)
{
    switch (function) {
    case 0:
        sink->open = NULL;
        sink->row = NULL;
        break; /* rows need their columns */
    case 1:
        sink->row = NULL;
        break;
    case 2:
        sink->finish = NULL;
        break;
    case 3:
        sink->abandon = NULL;
        break;
    default:
        *sink = (struct masing_sink){0};
    }
}

static void a_sink_may_lack_functions(void)
{
    for (int c = 0; c < N_CALLS; c++) {
        for (int function = 0; function <= 4; function++) {
            struct masing_error error = {0};
            struct parts parts;
            begin(&parts, ALL);
            for (int i = 0; i < N_SINKS; i++) {
                lose(&parts.sinks[i], function);
            }
            expect_good(c, &parts, &error);
            end(&parts);
        }
    }
}

static enum masing_status refuse_row(void *context, const struct masing_cell *cells,
                                     struct masing_error *error)
{
    (void)context;
    (void)cells;
    return masing_error_set(error, MASING_IO, "no room");
}

/* A row that fails ends the analysis, also where nothing is there to be told of it. */
static void a_failing_row_ends_it_without_abandon(void)
{
    for (int c = 0; c < N_CALLS; c++) {
        struct masing_error error = {0};
        struct parts parts;
        begin(&parts, ALL);
        parts.sinks[0] = (struct masing_sink){.row = refuse_row};
        if (!CHECK(calls[c].run(&parts, &error) == MASING_IO &&
                   strcmp(error.message, "no room") == 0)) {
            printf("# %s: %s\n", calls[c].name, error.message);
        }
        end(&parts);
    }
}

static void a_record_tells_of_its_last_call(void)
{
    for (int c = 0; c < N_CALLS; c++) {
        struct masing_error error = {.status = MASING_IO, .message = "an old sentence"};
        struct parts parts;
        begin(&parts, ALL);
        expect_good(c, &parts, &error);
        CHECK(error.status == MASING_OK && error.message[0] == '\0');
        masing_error_set(&error, MASING_NO_MEMORY, "another old sentence");
        end(&parts);
        begin(&parts, ALL);
        parts.sinks[0].row = refuse_row;
        CHECK(calls[c].run(&parts, &error) == MASING_IO);
        CHECK(error.status == MASING_IO && strcmp(error.message, "no room") == 0);
        end(&parts);
    }
    struct masing_error error = {.status = MASING_IO, .message = "old"};
    masing_error_clear(&error);
    CHECK(error.status == MASING_OK && error.message[0] == '\0');
    masing_error_clear(NULL);
}

static void openblas_keeps_its_threads(void)
{
    openblas_set_num_threads(2);
    int before = openblas_get_num_threads();
    for (int c = 0; c < N_CALLS; c++) {
        struct masing_error error = {0};
        struct masing_model *again = NULL;
        struct parts parts;
        begin(&parts, ALL);
        expect_good(c, &parts, &error);
        CHECK(openblas_get_num_threads() == before);
        end(&parts);
        begin(&parts, ALL);
        parts.sinks[0].row = refuse_row;
        CHECK(calls[c].run(&parts, &error) == MASING_IO);
        CHECK(openblas_get_num_threads() == before);
        CHECK(masing_document_model(document, NULL, 0, &again, &error) == MASING_OK);
        CHECK(openblas_get_num_threads() == before);
        masing_model_destroy(again);
        end(&parts);
    }
    openblas_set_num_threads(1);
}

/* --- sizes --- */

static void structs_of_another_size(void)
{
    struct masing_error error = {0};
    struct {
        struct masing_response_options options;
        double unknown;
    } newer = {.options = {.size = sizeof newer}};
    struct {
        struct masing_response_summary summary;
        double unknown;
    } longer = {.summary = {.size = sizeof longer}, .unknown = 3};
    CHECK(masing_frf(model, &newer.options, NULL, NULL, &longer.summary, &error) == MASING_OK);
    CHECK(longer.summary.points > 0 && longer.unknown == 0 &&
          longer.summary.size == sizeof longer);
    masing_response_summary_clear(&longer.summary);
    newer.unknown = 1;
    CHECK(masing_frf(model, &newer.options, NULL, NULL, NULL, &error) == MASING_UNSUPPORTED);

    struct masing_response_summary shorter = {
        .size = offsetof(struct masing_response_summary, points)};
    shorter.points = -7;
    CHECK(masing_frf(model, NULL, NULL, NULL, &shorter, &error) == MASING_OK);
    CHECK(shorter.peak.frequency_hz > 20 && shorter.points == -7);

    struct masing_response_options garbage = {.size = (size_t)-3};
    CHECK(masing_frf(model, &garbage, NULL, NULL, NULL, &error) == MASING_INVALID);
    struct masing_response_summary lost = {.size = 3, .points = -7};
    CHECK(masing_frf(model, NULL, NULL, NULL, &lost, &error) == MASING_INVALID);
    CHECK(lost.points == -7);
}

/* --- what must not be NULL --- */

#define REFUSED(call)                                                                          \
    do {                                                                                       \
        masing_error_clear(&error);                                                            \
        CHECK((call) == MASING_INVALID && strstr(error.message, "NULL"));                      \
    } while (0)

static void models_and_requests_are_needed(void)
{
    struct masing_error error = {0};
    struct masing_study_request study = {.n_values = 1};
    struct masing_along_request along = {.frequency_hz = 1};
    struct masing_peak_request peak = {.to = 1};
    struct masing_response_options options = {.n_at = 2};
    struct masing_motion_field_files *files = NULL;
    REFUSED(masing_check(NULL, NULL, NULL, &error));
    REFUSED(masing_frf(NULL, NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_frf(model, &options, NULL, NULL, NULL, &error));
    REFUSED(masing_study(NULL, NULL, NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_study(&study, NULL, NULL, NULL, NULL, NULL, &error));
    study.document = document;
    REFUSED(masing_study(&study, NULL, NULL, NULL, NULL, NULL, &error));
    study.parameter = "damper.stiffness";
    REFUSED(masing_study(&study, NULL, NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_along(NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_along(&along, NULL, NULL, NULL, &error));
    REFUSED(masing_peak_follow(NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_peak_follow(&peak, NULL, NULL, NULL, &error));
    REFUSED(masing_mode(NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_motion_field_files_create(NULL, "x.vtkhdf", 0, NULL, &error));
    REFUSED(masing_motion_field_files_create(NULL, "x.vtkhdf", 0, &files, &error));
    REFUSED(
        masing_motion_field_files_create(masing_model_spec(model), NULL, 0, &files, &error));
    REFUSED(masing_mesh_write(NULL, "x.vtkhdf", &error));
    REFUSED(masing_mesh_write(model, NULL, &error));
    REFUSED(masing_mode_response(NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_integrate(NULL, 1, NULL, NULL, NULL, &error));
    REFUSED(masing_compare(NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_ringdown(NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_ringdown_record(NULL, NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_loop(NULL, NULL, NULL, NULL, NULL, NULL, &error));
    REFUSED(masing_loop(masing_law_find("jenkins"), NULL, NULL, NULL, NULL, NULL, &error));
}

static void data_and_results_are_needed(void)
{
    struct masing_error error = {0};
    struct masing_fit_request fit = {.data = {.n_loops = 1}};
    struct masing_valanis_request valanis = {.data = {.n_loops = 1}};
    struct masing_response_fit_request response_fit = {.n_responses = 1};
    struct masing_modal_iwan_request iwan = {.n_points = 1};
    struct masing_modal_iwan modal = {0};
    struct masing_identification result = {0};
    struct masing_modal_point point;
    char *written = NULL;
    int n = 0;
    REFUSED(masing_identify_law(NULL, &result, &error));
    REFUSED(masing_identify_law(&fit, &result, &error));
    fit.law = masing_law_find("jenkins");
    REFUSED(masing_identify_law(&fit, &result, &error));
    fit.data.loops = &measured;
    REFUSED(masing_identify_law(&fit, NULL, &error));
    struct masing_measurement hollow = {.name = loop_name, .n_samples = 9};
    fit.data.loops = &hollow;
    REFUSED(masing_identify_law(&fit, &result, &error));
    hollow.displacement = loop_x;
    REFUSED(masing_identify_law(&fit, &result, &error));
    struct masing_record empty = {.n_channels = 1, .n_samples = N_SAMPLES, .step = 1};
    REFUSED(masing_ringdown_record(&empty, NULL, NULL, NULL, NULL, &error));
    struct masing_loop_points nowhere = {.n_points = 9};
    struct masing_loop_options along_points = {.points = &nowhere};
    const struct masing_joint_spec *joint = masing_model_spec(model)->joints;
    REFUSED(
        masing_loop(joint->law, joint->parameters, &along_points, NULL, NULL, NULL, &error));
    REFUSED(masing_identify_valanis(NULL, &result, &error));
    REFUSED(masing_identify_valanis(&valanis, &result, &error));
    REFUSED(masing_identify_response(NULL, &result, &error));
    REFUSED(masing_identify_response(&response_fit, &result, &error));
    REFUSED(masing_identification_rows(NULL, &result, NULL, &error));
    REFUSED(masing_response_fit_rows(NULL, &result, NULL, &error));
    REFUSED(masing_identify_modal_iwan(NULL, &modal, &error));
    REFUSED(masing_identify_modal_iwan(&iwan, &modal, &error));
    REFUSED(masing_identify_modal_iwan(&iwan, NULL, &error));
    REFUSED(masing_modal_iwan_at(NULL, 1, &point, &error));
    REFUSED(masing_modal_iwan_at(&modal, 1, NULL, &error));
    REFUSED(masing_modal_iwan_text(NULL, 1, 1, 2, &written, &error));
    REFUSED(masing_modal_iwan_text(&modal, 1, 1, 2, NULL, &error));
    REFUSED(masing_modal_iwan_rows(NULL, &modal, NULL, &error));
    REFUSED(masing_modal_ends_of(NULL, 1, NULL, &error));
    REFUSED(masing_joint_entry(NULL, NULL, NULL, &written, &error));
    REFUSED(masing_valanis_terms_parse(NULL, NULL, &n, &error));
    REFUSED(masing_record_shapes_of(model, &record, NULL, &error));
}

static void files_and_places_are_needed(void)
{
    struct masing_error error = {0};
    struct masing_document *read = NULL;
    struct masing_model *made = NULL;
    struct masing_spec spec;
    struct masing_sink to;
    struct masing_record found = {0};
    struct masing_record_shapes shapes = {0};
    struct masing_measured_response points = {0};
    struct masing_measurement *loops = NULL;
    struct masing_loop_points path = {0};
    struct masing_reduction *reduction = NULL;
    const struct masing_override none = {"damper.stiffness", NULL};
    char *written = NULL;
    int n = 0;
    REFUSED(masing_document_read(NULL, &read, &error));
    REFUSED(masing_document_read("m.yaml", NULL, &error));
    REFUSED(masing_document_parse(NULL, 0, NULL, &read, &error));
    REFUSED(masing_document_spec(NULL, NULL, 0, &spec, &error));
    REFUSED(masing_document_spec(document, NULL, 0, NULL, &error));
    REFUSED(masing_document_spec(document, NULL, 1, &spec, &error));
    REFUSED(masing_document_spec(document, &none, 1, &spec, &error));
    REFUSED(masing_document_joints(NULL, NULL, 0, &spec, &error));
    REFUSED(masing_document_model(NULL, NULL, 0, &made, &error));
    REFUSED(masing_document_model(document, NULL, 0, NULL, &error));
    REFUSED(masing_document_resolved(document, NULL, 0, NULL, &error));
    REFUSED(masing_document_joints_resolved(NULL, NULL, 0, &written, &error));
    REFUSED(masing_reduce(NULL, NULL, 0, NULL, &reduction, &error));
    REFUSED(masing_reduce(document, NULL, 0, NULL, NULL, &error));
    REFUSED(masing_reduction_write(NULL, "x.h5", NULL, &error));
    REFUSED(masing_spec_init(NULL, &error));
    REFUSED(masing_model_create(NULL, &made, &error));
    REFUSED(masing_csv_create(NULL, &to, &error));
    REFUSED(masing_csv_create("x.csv", NULL, &error));
    REFUSED(masing_plot_create("x.svg", NULL, &to, &error));
    REFUSED(masing_journal_open(NULL, &(struct masing_journal *){NULL}, &error));
    REFUSED(masing_journal_open(&(struct masing_journal_request){.header = ""},
                                &(struct masing_journal *){NULL}, &error));
    REFUSED(masing_journal_open(&(struct masing_journal_request){.file = "x.log"},
                                &(struct masing_journal *){NULL}, &error));
    REFUSED(masing_journal_finish(NULL, "", &error));
    REFUSED(masing_journal_check(NULL, &error));
    REFUSED(masing_journal_compare(NULL, "", "", &error));
    REFUSED(masing_file_checksum(NULL, &(unsigned long long){0}, &error));
    REFUSED(masing_text_write(NULL, "", &error));
    REFUSED(masing_text_write("x.txt", NULL, &error));
    REFUSED(masing_record_read(NULL, &found, &error));
    REFUSED(masing_record_shapes_read(NULL, &shapes, &error));
    REFUSED(masing_measured_response_read(NULL, 1, &points, &error));
    REFUSED(masing_measurements_read(NULL, &loops, &n, &error));
    REFUSED(masing_loop_points_read(NULL, &path, &error));
    REFUSED(masing_modal_points_read(NULL, 1, NULL, &n, NULL, &error));
}

static void clearing_takes_null(void)
{
    masing_spec_clear(NULL);
    masing_model_destroy(NULL);
    masing_document_destroy(NULL);
    masing_check_clear(NULL);
    masing_response_summary_clear(NULL);
    masing_compare_summary_clear(NULL);
    masing_integrate_summary_clear(NULL);
    masing_loop_summary_clear(NULL);
    masing_loop_points_clear(NULL);
    masing_mode_summary_clear(NULL);
    masing_mode_response_summary_clear(NULL);
    masing_peak_summary_clear(NULL);
    masing_reduction_destroy(NULL);
    CHECK(masing_reduction_summary(NULL) == NULL);
    masing_ringdown_summary_clear(NULL);
    masing_record_clear(NULL);
    masing_record_shapes_clear(NULL);
    masing_measurement_clear(NULL);
    masing_measurements_free(NULL, 2);
    masing_measured_response_clear(NULL);
    masing_identification_clear(NULL);
    CHECK(!masing_model_spec(NULL) && !masing_model_warning(NULL, 0));
    CHECK(masing_model_n_warnings(NULL) == 0 && !masing_document_is_of_joints(NULL));
    CHECK(!masing_law_find(NULL));
}

static const struct tap_test tests[] = {
    {"the model is there", prepare},
    {"what may be NULL is left out", what_may_be_null_is_left_out},
    {"a sink may lack functions", a_sink_may_lack_functions},
    {"a failing row ends it without abandon", a_failing_row_ends_it_without_abandon},
    {"a record tells of its last call", a_record_tells_of_its_last_call},
    {"OpenBLAS keeps its threads", openblas_keeps_its_threads},
    {"structs of another size", structs_of_another_size},
    {"models and requests are needed", models_and_requests_are_needed},
    {"data and results are needed", data_and_results_are_needed},
    {"files and places are needed", files_and_places_are_needed},
    {"clearing takes NULL", clearing_takes_null},
};

int main(void)
{
    int status = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    masing_model_destroy(model);
    masing_document_destroy(document);
    return status;
}
