/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fourier coefficients as columns: amplitudes and phases are those of the plain columns, which
 * are found in another way, and the motion of all DOFs has that of the outputs in it. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "example.h"
#include "masing/result.h"
#include "tap.h"

static struct masing_result *run_model(const struct masing_model *model, unsigned columns)
{
    struct masing_result *result = NULL;
    struct masing_error error = {0};
    const struct masing_response_options options = {
        .columns = columns | MASING_COLUMNS_COEFFICIENTS, .stability = MASING_STABILITY_NONE};
    CHECK(masing_result_create(&result, &error) == MASING_OK);
    CHECK(masing_frf(model, &options, masing_result_sink(result), NULL, NULL, &error) ==
          MASING_OK);
    return result;
}

static double complex coefficient(const struct masing_result *result, const char *name, int row,
                                  int k)
{
    char column[MASING_COLUMN_NAME];
    int n = 0;
    snprintf(column, sizeof column, MASING_COLUMN_COEFFICIENTS "%s", name);
    const double *values = masing_result_values(result, column, row, &n);
    return CHECK(values && 2 * k + 1 < n) ? values[2 * k] + I * values[2 * k + 1] : NAN;
}

static const double *plain(const struct masing_result *result, const char *output,
                           const char *rest, int harmonic)
{
    char column[MASING_COLUMN_NAME];
    if (harmonic > 0) {
        snprintf(column, sizeof column, "%s_h%d%s", output, harmonic, rest);
    } else {
        snprintf(column, sizeof column, "%s_mean", output);
    }
    return masing_result_column(result, column);
}

static void check_output(const struct masing_result *result, const char *output)
{
    int n = 0, n_rows = masing_result_n_rows(result);
    for (int row = 0; row < n_rows; row += 5) {
        const double *orders = masing_result_values(result, MASING_COLUMN_ORDERS, row, &n);
        double scale = plain(result, output, "", 1)[row];
        for (int k = 0; k < n; k++) {
            int h = (int)orders[k];
            double complex c = coefficient(result, output, row, k);
            if (h == 0) {
                CHECK(cimag(c) == 0.0);
                CHECK_SCALED(creal(c), plain(result, output, "", 0)[row], scale, 1e-15);
                continue;
            }
            double amplitude = plain(result, output, "", h)[row];
            double phase = plain(result, output, "_phase_deg", h)[row];
            CHECK_SCALED(cabs(c), amplitude, scale, 1e-14);
            if (amplitude > 1e-9 * scale) {
                double angle = phase * acos(-1.0) / 180.0;
                CHECK_SCALED(creal(c), amplitude * cos(angle), amplitude, 1e-9);
                CHECK_SCALED(cimag(c), amplitude * sin(angle), amplitude, 1e-9);
            }
        }
    }
}

static void they_are_the_harmonics_of_the_rows(void)
{
    static const char *const examples[][2] = {
        {"two_mass_damper.yaml", "m2"}, {"duffing.yaml", "x"}, {"normal_motion.yaml", NULL}};
    for (int i = 0; i < 3; i++) {
        struct masing_model *model = example_open(examples[i][0], NULL, 0);
        struct masing_result *result = run_model(model, MASING_COLUMNS_HARMONICS);
        const char *output =
            examples[i][1] ? examples[i][1] : masing_model_spec(model)->outputs[0].name;
        check_output(result, output);
        masing_result_destroy(result);
        masing_model_destroy(model);
    }
}

static void compare_dofs(const char *example, const struct masing_override *override,
                         const char *output)
{
    struct masing_model *model = example_open(example, override, override ? 1 : 0);
    struct masing_result *outputs = run_model(model, 0);
    struct masing_result *dofs = run_model(model, MASING_COLUMNS_DOFS);
    int n_rows = masing_result_n_rows(outputs), n = 0;
    CHECK(n_rows > 0 && n_rows == masing_result_n_rows(dofs));
    masing_result_values(dofs, MASING_COLUMN_ORDERS, 0, &n);
    for (int row = 0; row < n_rows; row++) {
        double scale = cabs(coefficient(outputs, output, row, 1));
        for (int k = 0; k < n; k++) {
            double complex a = coefficient(outputs, output, row, k);
            double complex b = coefficient(dofs, output, row, k);
            CHECK_SCALED(cabs(a - b), 0.0, scale, 1e-12);
        }
    }
    masing_result_destroy(outputs);
    masing_result_destroy(dofs);
    masing_model_destroy(model);
}

static void all_dofs_have_the_outputs_in_them(void)
{
    static const struct masing_override hardly_damped = {"structure.damping.modal_ratio",
                                                         "5e-6"};
    compare_dofs("two_mass_damper.yaml", NULL, "m2");
    compare_dofs("ring_damper.yaml", NULL, "tip");
    compare_dofs("ring_damper.yaml", &hardly_damped, "tip");
}

static const struct tap_test tests[] = {
    {"they are the harmonics of the rows", they_are_the_harmonics_of_the_rows},
    {"all DOFs have the outputs in them", all_dofs_have_the_outputs_in_them},
};

TAP_MAIN(tests)
