/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of a nonlinear mode with its picture: nothing is allocated between the first row and
 * the last, and each of the library's allocations fails once in turn.
 */
#include <stdlib.h>
#include <string.h>

#include "counted_rows.h"
#include "masing/mode.h"
#include "scratch.h"
#include "tap.h"

static const char text[] = "masing: 1\n"
                           "structure:\n"
                           "  masses: {m1: 1.0, m2: 1.0}\n"
                           "  springs:\n"
                           "    - {from: ground, to: m1, stiffness: 41339}\n"
                           "    - {from: m1, to: m2, stiffness: 41328}\n"
                           "  damping: {modal_ratio: 0.02}\n"
                           "joints:\n"
                           "  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                           "     stiffness: 40000, friction: 0.5, preload: 30}\n"
                           "  - {name: stop, law: unilateral_spring, from: ground, to: m2,\n"
                           "     stiffness: 1000, gap: 0.001}\n"
                           "static_loads: [{dof: m1, force: 1}]\n"
                           "loads: [{dof: m2, amplitude: 1}]\n"
                           "frequency: [20, 24]\n"
                           "harmonics: 2\n"
                           "outputs: [m2, m1]\n"
                           "mode: {number: 1, amplitude: [1.0e-4, 1.0e-2]}\n";

static enum masing_status follow_to(const struct masing_sink *rows, struct masing_error *error)
{
    const double at[] = {1e-3};
    const struct masing_mode_options options = {
        .n_at = 1, .at = at, .columns = MASING_COLUMNS_ENERGY};
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_mode_summary summary = {0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, error);
    if (status == MASING_OK) {
        status = masing_document_model(document, NULL, 0, &model, error);
    }
    if (status == MASING_OK) {
        status = masing_mode(model, &options, rows, &summary, error);
    }
    masing_mode_summary_clear(&summary);
    masing_model_destroy(model);
    masing_document_destroy(document);
    return status;
}

static enum masing_status respond(struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_mode_response_summary summary = {0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, error);
    if (status == MASING_OK) {
        status = masing_document_model(document, NULL, 0, &model, error);
    }
    if (status == MASING_OK) {
        status = masing_mode_response(model, NULL, &sink, &summary, error);
    }
    masing_mode_response_summary_clear(&summary);
    masing_model_destroy(model);
    masing_document_destroy(document);
    return status;
}

static enum masing_status follow(struct masing_error *error)
{
    static const struct masing_plot_settings settings = {.kind = MASING_PLOT_CURVES,
                                                         .title = "Mode",
                                                         .x_column = "amplitude",
                                                         .y_column = "frequency_hz",
                                                         .second_column = "damping_ratio",
                                                         .second_label = "Damping ratio",
                                                         .is_log_x = true};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];
    struct masing_sink picture;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.svg", folder);
    enum masing_status status = masing_plot_create(file, &settings, &picture, error);
    if (status == MASING_OK) {
        status = follow_to(&picture, error);
        picture.destroy(picture.context);
    }
    remove(file);
    rmdir(folder);
    return status;
}

static void nothing_is_allocated_on_the_way(void)
{
    struct masing_error error = {0};
    n_allocations = fails_at = 0;
    CHECK(follow_to(&sink, &error) == MASING_OK);
    CHECK(n_rows > 20 && first_count > 0);
    CHECK(last_count == first_count);
}

static void each_allocation_fails(void)
{
    sweep(follow, 1);
}

static void each_allocation_of_a_response_fails(void)
{
    sweep(respond, tap_most(3, 9));
}

static const struct tap_test tests[] = {
    {"nothing is allocated between the first row and the last",
     nothing_is_allocated_on_the_way},
    {"each allocation fails once", each_allocation_fails},
    {"allocations of a response of the mode fail", each_allocation_of_a_response_fails},
};

TAP_MAIN(tests)
