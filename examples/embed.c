/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two masses and a friction damper (two_mass_damper.yaml) built and computed by a program:
 *
 *     cc embed.c -o embed $(pkg-config --cflags --libs masing) && ./embed
 *
 * Prints the response, Hz and m, and in its last line the peak. doc/embedding.md explains it.
 */
#include <stdio.h>

#include <masing/build.h>
#include <masing/response.h>
#include <masing/result.h>

static enum masing_status add_structure(struct masing_spec *spec, struct masing_error *error)
{
    if (masing_spec_add_mass(spec, "m1", 1.0, error) ||
        masing_spec_add_mass(spec, "m2", 1.0, error) ||
        masing_spec_add_spring(spec, "ground", "m1", 41339, error) ||
        masing_spec_add_spring(spec, "m1", "m2", 41328, error)) {
        return error->status;
    }
    return masing_spec_set(spec, "structure.damping.modal_ratio", 0.02, error);
}

static enum masing_status add_damper(struct masing_spec *spec, double preload,
                                     struct masing_error *error)
{
    const struct masing_law *law = masing_law_find("jenkins");
    if (masing_spec_add_joint(spec, "damper", law, "ground", "m1", error) ||
        masing_spec_set(spec, "damper.stiffness", 40000, error) ||
        masing_spec_set(spec, "damper.friction", 0.5, error)) {
        return error->status;
    }
    return masing_spec_set(spec, "damper.preload", preload, error);
}

static enum masing_status ask(struct masing_spec *spec, struct masing_error *error)
{
    if (masing_spec_add_load(spec, "shaker", "m2", 10, error) ||
        masing_spec_add_output(spec, "m2", NULL, NULL, MASING_DISPLACEMENT, error) ||
        masing_spec_set(spec, "frequency.0", 18, error) ||
        masing_spec_set(spec, "frequency.1", 28, error)) {
        return error->status;
    }
    return masing_spec_set(spec, "harmonics", 7, error);
}

static void print_rows(const struct masing_result *rows)
{
    const double *hz = masing_result_column(rows, "frequency_hz");
    const double *most = masing_result_column(rows, "m2_max");
    const char *const *events = masing_result_texts(rows, "event");
    for (int i = 0; i < masing_result_n_rows(rows); i++) {
        printf("%.6f %.6e %s\n", hz[i], most[i], events[i] ? events[i] : "");
    }
}

static enum masing_status run(double preload, struct masing_error *error)
{
    struct masing_spec *spec = NULL;
    struct masing_model *model = NULL;
    struct masing_result *rows = NULL;
    struct masing_response_summary summary = {.size = sizeof summary};
    if (masing_spec_create(&spec, error) == MASING_OK &&
        add_structure(spec, error) == MASING_OK &&
        add_damper(spec, preload, error) == MASING_OK && ask(spec, error) == MASING_OK &&
        masing_model_create(spec, &model, error) == MASING_OK &&
        masing_result_create(&rows, error) == MASING_OK &&
        masing_frf(model, NULL, masing_result_sink(rows), NULL, &summary, error) == MASING_OK) {
        print_rows(rows);
        printf("peak %.12g %.12g\n", summary.peak.frequency_hz, summary.peak.max);
    }
    masing_response_summary_clear(&summary);
    masing_result_destroy(rows);
    masing_model_destroy(model);
    masing_spec_destroy(spec);
    return error->status;
}

int main(void)
{
    struct masing_error error = {.status = MASING_OK};
    if (run(30, &error) != MASING_OK) {
        fprintf(stderr, "embed: %s\n", error.message);
        return 1;
    }
    return 0;
}
