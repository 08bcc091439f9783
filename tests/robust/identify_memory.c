/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every allocation of an identification fails once in turn: said so, nothing lost, no crash. */
#include "failing_memory.h"

#include "analyses/valanis_regression.h"
#include "measured.h"
#include "scratch.h"

enum { MOST_ALLOCATIONS = 5000 };

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

static void sweep(enum masing_status (*run)(struct masing_error *error))
{
    int n_failures = 0, n_unnoticed = 0;
    for (long good = 0; good < MOST_ALLOCATIONS; good++) {
        struct masing_error error = {0};
        failing_memory_arm(good);
        enum masing_status status = run(&error);
        if (!failing_memory_disarm()) {
            CHECK(status == MASING_OK);
            break;
        }
        n_failures++;
        if (status == MASING_OK) {
            n_unnoticed++; /* the C library reads a file without a buffer */
            continue;
        }
        if (!CHECK(status == MASING_NO_MEMORY && error.message[0])) {
            printf("# allocation %ld: %s: %s\n", good, masing_status_name(status),
                   error.message);
        }
    }
    printf("# %d allocations failed\n", n_failures);
    CHECK(n_unnoticed <= 1);
    CHECK(n_failures > 20 && n_failures < MOST_ALLOCATIONS - 1);
}

static void a_fit_says_that_memory_ran_out(void)
{
    sweep(fit);
}

static void a_regression_says_that_memory_ran_out(void)
{
    sweep(regress);
}

static const struct tap_test tests[] = {
    {"a fit says that memory ran out", a_fit_says_that_memory_ran_out},
    {"a regression says that memory ran out", a_regression_says_that_memory_ran_out},
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
