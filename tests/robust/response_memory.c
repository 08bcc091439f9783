/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of a frequency response. Nothing is allocated between the first row and the last; and
 * many of the library's own allocations (linked through a wrapper) fail once each, in reading,
 * sealing, following and studying: no crash, no leak, and MASING_NO_MEMORY is what is said.
 */
#include <stdlib.h>
#include <string.h>

#include "counted_rows.h"
#include "masing/response.h"
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
                           "loads: [{dof: m2, amplitude: 10}]\n"
                           "static_loads: [{dof: m1, force: 1}]\n"
                           "frequency: [20, 24]\n"
                           "harmonics: 3\n"
                           "outputs: [m2, m1]\n";

/* A contact and a patch, with the table of their elements, which is drawn. */
static const char contact_text[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {n.x: 1.0, n.y: 1.0}\n"
    "  springs:\n"
    "    - {from: ground, to: n.x, stiffness: 30000}\n"
    "    - {from: ground, to: n.y, stiffness: 20000}\n"
    "    - {from: n.x, to: n.y, stiffness: 5000}\n"
    "  damping: {modal_ratio: 0.05}\n"
    "joints:\n"
    "  - {name: pad, law: contact, normal: {from: ground, to: n.x},\n"
    "     tangential: [{from: ground, to: n.y}], normal_stiffness: 1000,\n"
    "     tangential_stiffness: 1000, friction: 0.5, preload: 1}\n"
    "  - {name: patch, law: contact_patch, from: ground, to: n, normal_stiffness: 1000,\n"
    "     tangential_stiffness: 1000, friction: 0.5, preload: 1, size: [1, 1],\n"
    "     elements: [2, 1]}\n"
    "loads: [{dof: n.y, amplitude: 1}]\n"
    "frequency: [20, 21]\n"
    "harmonics: 1\n"
    "samples: 16\n"
    "outputs: [n.y]\n";

/* So many joints that threads evaluate them. */
enum { N_MANY = 120 };

static const char many_head[] = "masing: 1\n"
                                "structure:\n"
                                "  masses: {m1: 1.0, m2: 1.0}\n"
                                "  springs:\n"
                                "    - {from: ground, to: m1, stiffness: 41339}\n"
                                "    - {from: m1, to: m2, stiffness: 41328}\n"
                                "  damping: {modal_ratio: 0.02}\n"
                                "loads: [{dof: m2, amplitude: 10}]\n"
                                "frequency: [20, 24]\n"
                                "harmonics: [1]\n"
                                "samples: 64\n"
                                "outputs: [m2, m1]\n"
                                "joints:\n";

static const char *many_joints(void)
{
    static char made[sizeof many_head + 128 * N_MANY];
    int used = snprintf(made, sizeof made, "%s", many_head);
    for (int j = 0; j < N_MANY; j++) {
        used += snprintf(made + used, sizeof made - (size_t)used,
                         "  - {name: j%d, law: tanh_friction, from: ground, to: m1,\n"
                         "     slip_force: 0.05, regularization: 0.1}\n",
                         j);
    }
    return made;
}

static enum masing_status respond_to(const char *model_text,
                                     const struct masing_response_options *options,
                                     struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_response_summary summary = {0};
    enum masing_status status =
        masing_document_parse(model_text, strlen(model_text), "model.yaml", &document, error);
    if (status == MASING_OK) {
        status = masing_document_model(document, NULL, 0, &model, error);
    }
    if (status == MASING_OK) {
        status = masing_frf(model, options, &sink, &sink, &summary, error);
    }
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
    masing_document_destroy(document);
    return status;
}

static enum masing_status respond(struct masing_error *error)
{
    const double at[] = {21.0, 22.0};
    const struct masing_response_options options = {.n_at = 2, .at_hz = at, .max_branches = 1};
    return respond_to(text, &options, error);
}

static enum masing_status respond_with_contacts(struct masing_error *error)
{
    static const struct masing_plot_settings settings = {.kind = MASING_PLOT_CONTACTS,
                                                         .title = "Contacts"};
    const double at[] = {20.5};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];
    struct masing_sink picture;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.svg", folder);
    enum masing_status status = masing_plot_create(file, &settings, &picture, error);
    if (status == MASING_OK) {
        const struct masing_response_options options = {.n_at = 1,
                                                        .at_hz = at,
                                                        .n_threads = 1,
                                                        .contacts = &picture,
                                                        .stability = MASING_STABILITY_NONE};
        status = respond_to(contact_text, &options, error);
        picture.destroy(picture.context);
    }
    remove(file);
    rmdir(folder);
    return status;
}

static enum masing_status respond_checked(struct masing_error *error)
{
    const struct masing_response_options options = {.n_threads = 1,
                                                    .check_tolerance = 0.5,
                                                    .check = &sink,
                                                    .n_starts = 2,
                                                    .stability = MASING_STABILITY_NONE};
    return respond_to(contact_text, &options, error);
}

static const char chosen_text[] = "masing: 1\n"
                                  "structure:\n"
                                  "  masses: {m: 1.0}\n"
                                  "  springs: [{from: ground, to: m, stiffness: 41339}]\n"
                                  "  damping: {modal_ratio: 0.02}\n"
                                  "joints: [{name: j, law: jenkins, from: ground, to: m,\n"
                                  "  stiffness: 40000, slip_force: 5}]\n"
                                  "loads: [{dof: m, amplitude: 10}]\n"
                                  "frequency: [30, 38]\n"
                                  "harmonics: {max: 5}\n"
                                  "outputs: [m]\n";

static enum masing_status respond_with_chosen_harmonics(struct masing_error *error)
{
    const struct masing_response_options options = {.n_threads = 1,
                                                    .stability = MASING_STABILITY_NONE};
    return respond_to(chosen_text, &options, error);
}

/* The operator, its preconditioner with stuck and free joints, and what solves with it. */
static enum masing_status respond_by_iteration_to(const char *head, const char *body,
                                                  struct masing_error *error)
{
    static char made[2048];
    const double at[] = {21.0, 22.0};
    const struct masing_response_options options = {.n_at = 2,
                                                    .at_hz = at,
                                                    .n_threads = 1,
                                                    .check_tolerance = 0.5,
                                                    .stability = MASING_STABILITY_NONE};
    snprintf(made, sizeof made, "%s%s", head, body);
    return respond_to(made, &options, error);
}

static const char by_iteration[] = "solver: {linear: krylov}\n";

static enum masing_status respond_by_iteration(struct masing_error *error)
{
    return respond_by_iteration_to(text, by_iteration, error);
}

static enum masing_status respond_with_chosen_harmonics_by_iteration(struct masing_error *error)
{
    return respond_by_iteration_to(chosen_text, by_iteration, error);
}

static enum masing_status respond_in_threads(struct masing_error *error)
{
    const struct masing_response_options options = {.n_threads = 2,
                                                    .stability = MASING_STABILITY_NONE};
    return respond_to(many_joints(), &options, error);
}

static enum masing_status study(struct masing_error *error)
{
    const double values[] = {10.0, 30.0};
    struct masing_document *document = NULL;
    struct masing_response_summary summaries[2] = {{0}};
    struct masing_response_options options = {.n_threads = 1,
                                              .stability = MASING_STABILITY_NONE};
    struct masing_study_request request = {
        .parameter = "damper.preload", .n_values = 2, .values = values};
    memset(summaries, 0, sizeof summaries);
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, error);
    if (status == MASING_OK) {
        request.document = document;
        status = masing_study(&request, &options, &sink, &sink, &sink, summaries, error);
    }
    masing_response_summary_clear(&summaries[0]);
    masing_response_summary_clear(&summaries[1]);
    masing_document_destroy(document);
    return status;
}

static void check_the_way(const char *model_text, int n_threads)
{
    struct masing_error error = {0};
    fails_at = 0;
    first_count = last_count = 0;
    n_allocations = 0;
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_response_summary summary = {0};
    struct masing_response_options options = {.n_threads = n_threads};
    CHECK(masing_document_parse(model_text, strlen(model_text), "model.yaml", &document,
                                &error) == MASING_OK);
    CHECK(masing_document_model(document, NULL, 0, &model, &error) == MASING_OK);
    CHECK(masing_frf(model, &options, &sink, NULL, &summary, &error) == MASING_OK);
    CHECK(n_rows > 20);
    CHECK(first_count > 0);
    CHECK(last_count == first_count);
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
    masing_document_destroy(document);
}

static void nothing_is_allocated_on_the_way(void)
{
    struct masing_error error = {0};
    fails_at = 0;
    CHECK(respond(&error) == MASING_OK);
    check_the_way(text, 1);
    check_the_way(many_joints(), 2);
}

static void each_allocation_of_a_response_fails(void)
{
    sweep(respond, tap_most(1, 3));
}

static void each_allocation_of_contacts_fails(void)
{
    sweep(respond_with_contacts, tap_most(1, 4));
}

static void each_allocation_of_a_check_fails(void)
{
    sweep(respond_checked, tap_most(1, 4));
}

static void allocations_of_chosen_harmonics_fail(void)
{
    check_the_way(chosen_text, 1);
    sweep(respond_with_chosen_harmonics, tap_most(1, 4));
}

static void each_allocation_by_iteration_fails(void)
{
    char made[2048];
    snprintf(made, sizeof made, "%s%s", text, by_iteration);
    check_the_way(made, 1);
    sweep(respond_by_iteration, tap_most(1, 3));
    sweep(respond_with_chosen_harmonics_by_iteration, tap_most(3, 11));
}

static void allocations_of_threads_fail(void)
{
    sweep(respond_in_threads, tap_most(61, 307));
}

static void allocations_of_a_study_fail(void)
{
    sweep(study, tap_most(5, 17));
}

static const struct tap_test tests[] = {
    {"nothing is allocated between the first row and the last",
     nothing_is_allocated_on_the_way},
    {"each allocation of a response fails once", each_allocation_of_a_response_fails},
    {"each allocation of a response with contacts fails once",
     each_allocation_of_contacts_fails},
    {"each allocation of a check of harmonics fails once", each_allocation_of_a_check_fails},
    {"allocations of a response with chosen harmonics fail",
     allocations_of_chosen_harmonics_fail},
    {"each allocation of a response by iteration fails once",
     each_allocation_by_iteration_fails},
    {"allocations of a response in threads fail", allocations_of_threads_fail},
    {"allocations of a study fail", allocations_of_a_study_fail},
};

TAP_MAIN(tests)
