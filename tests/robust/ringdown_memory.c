/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of decays, records and modal Iwan models: nothing is allocated while a decay is
 * integrated, and each of the library's allocations fails once in turn.
 */
#include <stdlib.h>
#include <string.h>

#include "counted_rows.h"
#include "masing/modal_iwan.h"
#include "masing/ringdown.h"
#include "scratch.h"
#include "tap.h"

static const char text[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m1: 10, m2: 10}\n"
    "  springs: [{from: ground, to: m1, stiffness: 9}, {from: m1, to: m2, stiffness: 9}]\n"
    "  damping: {modal_ratio: 0.001, modes: stuck}\n"
    "joints:\n"
    "  - {name: joint, law: iwan4, from: m1, to: m2, slip_force: 10, stiffness: 1, chi: -0.5,\n"
    "     beta: 5}\n"
    "frequency: [0.05, 0.3]\n"
    "harmonics: 1\n"
    "outputs: [m1, m2]\n"
    "mode: {number: 2, amplitude: [0.1, 1.0e+3]}\n"
    "ringdown: {impulse: {dof: m2, amplitude: 3, frequency: 0.2}, step: 0.3, steps: 1200,\n"
    "  segments: 8, modes: [1, 2]}\n";

static enum masing_status open_model(struct masing_model **model, struct masing_error *error)
{
    struct masing_document *document = NULL;
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, error);
    if (status == MASING_OK) {
        status = masing_document_model(document, NULL, 0, model, error);
    }
    masing_document_destroy(document);
    return status;
}

static enum masing_status decay(struct masing_error *error)
{
    static const double amplitudes[] = {3, 10};
    struct masing_model *model = NULL;
    struct masing_ringdown_summary summary = {0};
    enum masing_status status = open_model(&model, error);
    if (status == MASING_OK) {
        const struct masing_modal_model modal = {2, model};
        const struct masing_ringdown_options options = {.n_amplitudes = 2,
                                                        .amplitudes = amplitudes,
                                                        .n_modal_models = 1,
                                                        .modal_models = &modal,
                                                        .history = &sink};
        /* FFTW may allocate when it transforms */
        status = masing_ringdown(model, &options, &quiet, &summary, error);
    }
    masing_ringdown_summary_clear(&summary);
    masing_model_destroy(model);
    return status;
}

enum { N_SAMPLES = 600 };

static void write_record(const char *file)
{
    FILE *stream = fopen(file, "w");
    fputs("time,m1,m2\n", stream);
    for (int i = 0; i < N_SAMPLES; i++) {
        double t = 0.5 * i, q = exp(-0.003 * t) * cos(0.586 * t);
        fprintf(stream, "%g,%g,%g\n", t, q, 1.6 * q + 0.01 * cos(1.55 * t));
    }
    fclose(stream);
}

/* From the file to the rows, with the shapes of the model. */
static enum masing_status read_record(struct masing_error *error)
{
    static const int first[] = {1};
    const struct masing_record_options options = {
        .quantity = MASING_DISPLACEMENT, .segments = 6, .n_modes = 1, .modes = first};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];
    struct masing_model *model = NULL;
    struct masing_record record = {0};
    struct masing_record_shapes shapes = {0};
    struct masing_ringdown_summary summary = {0};
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.csv", folder);
    write_record(file);
    enum masing_status status = open_model(&model, error);
    status = status ? status : masing_record_read(file, &record, error);
    status = status ? status : masing_record_shapes_of(model, &record, &shapes, error);
    status = status
                 ? status
                 : masing_ringdown_record(&record, &shapes, &options, &sink, &summary, error);
    masing_ringdown_summary_clear(&summary);
    masing_record_shapes_clear(&shapes);
    masing_record_clear(&record);
    masing_model_destroy(model);
    remove(file);
    rmdir(folder);
    return status;
}

static void write_points(const char *file)
{
    FILE *stream = fopen(file, "w");
    fputs("mode,amplitude,frequency_hz,damping_ratio,event\n", stream);
    for (int i = 0; i < 40; i++) {
        double a = 0.01 * pow(10, 0.1 * i);
        fprintf(stream, "2,%g,%g,%g,\n", a, 0.193, 1e-4 + 1e-4 * sqrt(a));
    }
    fclose(stream);
}

/* From the file to a model file. */
static enum masing_status identify(struct masing_error *error)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16], *made = NULL;
    struct masing_modal_point *points = NULL;
    struct masing_modal_iwan modal;
    struct masing_modal_iwan_request request = {
        .ends = {.stuck_hz = 0.1935, .free_hz = 0.1883, .damping_ratio = 1e-4},
        .left_out_from = NAN,
        .left_out_to = NAN};
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.csv", folder);
    write_points(file);
    enum masing_status status =
        masing_modal_points_read(file, 2, &points, &request.n_points, NULL, error);
    request.points = points;
    status = status ? status : masing_identify_modal_iwan(&request, &modal, error);
    status = status ? status : masing_modal_iwan_text(&modal, 2, 0.01, 100, &made, error);
    status = status ? status : masing_modal_iwan_rows(&request, &modal, &sink, error);
    free(made);
    free(points);
    remove(file);
    rmdir(folder);
    return status;
}

static void nothing_is_allocated_on_the_way(void)
{
    struct masing_error error = {0};
    n_allocations = fails_at = 0;
    if (!CHECK(decay(&error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    CHECK(n_rows == 1201 && first_count > 0);
    CHECK(last_count == first_count);
}

static void each_of_a_decay_fails(void)
{
    sweep(decay, tap_most(1, 7));
}

static void each_of_a_record_fails(void)
{
    sweep(read_record, tap_most(1, 3));
}

static void each_of_an_identification_fails(void)
{
    sweep(identify, 1);
}

static const struct tap_test tests[] = {
    {"nothing is allocated while a decay is integrated", nothing_is_allocated_on_the_way},
    {"each allocation of a decay fails once", each_of_a_decay_fails},
    {"each allocation of a record fails once", each_of_a_record_fails},
    {"each allocation of an identification fails once", each_of_an_identification_fails},
};

TAP_MAIN(tests)
