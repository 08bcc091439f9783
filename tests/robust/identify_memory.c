/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every allocation of an identification fails once in turn: said so, nothing lost, no crash. */
#include "analyses/identify/valanis_regression.h"
#include "measured.h"
#include "scratch.h"
#include "wrapped_memory.h"

/* --- what is run --- */

static char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];

static void write_loops(void)
{
    FILE *stream = fopen(file, "w");
    if (!CHECK(stream)) {
        return;
    }
    fputs("amplitude,cycle,displacement,force,steady\n", stream);
    for (int loop = 1; loop <= 2; loop++) {
        double z = 0.0;
        for (int i = 0; i < 120; i++) {
            double x = loop * sin(TEST_TWO_PI * i / 40);
            z = fmin(fmax(z, x - 0.4), x + 0.4);
            fprintf(stream, "%d,%d,%.17g,%.17g,%d\n", loop, i / 40, x, 5 * (x - z), i >= 80);
        }
    }
    CHECK(fclose(stream) == 0);
}

static enum masing_status fit(struct masing_error *error)
{
    struct masing_measurement *loops = NULL;
    struct masing_identification result = {0};
    struct masing_fit_request request = {.law = masing_law_find("rough_interface"),
                                         .n_trials = 2};
    const struct masing_joint_place place = {.name = "j", .from = "ground", .to = "m1"};
    char *text = NULL;
    int n = 0;
    enum masing_status status = masing_measurements_read(file, &loops, &n, error);
    request.data = (struct masing_measurements){.n_loops = n, .loops = loops};
    if (status == MASING_OK) {
        status = masing_identify_law(&request, &result, error);
    }
    if (status == MASING_OK) {
        status = masing_joint_entry(request.law, result.parameters, &place, &text, error);
    }
    free(text);
    masing_identification_clear(&result);
    masing_measurements_free(loops, n);
    return status;
}

static enum masing_status regress(struct masing_error *error)
{
    struct masing_measurement *loops = NULL;
    struct measured_path paths[2] = {{0}};
    struct valanis_regression result;
    double fitted[2][64], *rows[2] = {fitted[0], fitted[1]};
    const struct masing_valanis_term term = {.power = 1};
    struct masing_valanis_request request = {
        .n_terms = 1, .terms = &term, .end_share = 0.02, .tikhonov = NAN};
    int n = 0;
    enum masing_status status = masing_measurements_read(file, &loops, &n, error);
    request.data = (struct masing_measurements){.n_loops = n, .loops = loops};
    for (int i = 0; status == MASING_OK && i < n; i++) {
        status = measured_path_create(&request.data, i, &paths[i], error);
    }
    if (status == MASING_OK) {
        status = valanis_regression_run(&request, paths, &result, rows, error);
    }
    for (int i = 0; i < 2; i++) {
        measured_path_clear(&paths[i]);
    }
    masing_measurements_free(loops, n);
    return status;
}

static enum masing_status respond(struct masing_error *error)
{
    static const char text[] = "masing: 1\n"
                               "structure: {masses: {x: 1}, springs: [{from: ground, to: x,\n"
                               "  stiffness: 15791}], damping: {modal_ratio: 0.05}}\n"
                               "joints: [{name: j, law: cubic_spring, from: ground, to: x,\n"
                               "  coefficient: 2e6}]\n"
                               "loads: [{dof: x, amplitude: 5}]\n"
                               "frequency: [17, 18]\nharmonics: [1]\noutputs: [x]\n";
    double hertz[] = {17.2, 17.5, 17.8}, amplitude[] = {1.1e-3, 1.3e-3, 1.4e-3};
    const struct masing_measured_response response = {"r", 1.0, 3, hertz, amplitude, NULL};
    struct masing_response_fit_request request = {
        .n_responses = 1, .responses = &response, .measure = MASING_MEASURE_H1};
    struct masing_document *document = NULL;
    struct masing_identification result = {0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), "m.yaml", &document, error);
    request.document = document;
    if (status == MASING_OK) {
        status = masing_identify_response(&request, &result, error);
    }
    masing_identification_clear(&result);
    masing_document_destroy(document);
    return status;
}

static void a_fit_says_that_memory_ran_out(void)
{
    sweep(fit, 1);
}

static void a_regression_says_that_memory_ran_out(void)
{
    sweep(regress, 1);
}

static void a_response_fit_says_that_memory_ran_out(void)
{
    sweep(respond, 7);
}

static const struct tap_test tests[] = {
    {"a fit says that memory ran out", a_fit_says_that_memory_ran_out},
    {"a regression says that memory ran out", a_regression_says_that_memory_ran_out},
    {"a response fit says that memory ran out", a_response_fit_says_that_memory_ran_out},
};

int main(void)
{
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/loops.csv", folder);
    write_loops();
    int status = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    remove(file);
    rmdir(folder);
    return status;
}
