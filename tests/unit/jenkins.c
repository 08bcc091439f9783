/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The elastic-Coulomb element against its closed forms. */
#include "law_paths.h"
#include "masing/law.h"
#include "tap.h"

#include <stdlib.h>

enum { N = 4096 };

static void *make(double stiffness, double slip_force)
{
    const struct masing_law *law = masing_law_find("jenkins");
    void *parameters = calloc(1, law->parameters_size);
    const char *names[] = {"stiffness", "slip_force"};
    double values[] = {stiffness, slip_force};
    masing_fields_reset(law->fields, law->n_fields, parameters);
    for (int i = 0; i < 2; i++) {
        int field = masing_field_find(law->fields, law->n_fields, names[i]);
        CHECK(masing_field_store(&law->fields[field], values[i], parameters, NULL) ==
              MASING_OK);
    }
    CHECK(law->check(parameters, NULL) == MASING_OK);
    return parameters;
}

/* Forces of the steady state at n samples. */
static double march(const void *parameters, const double *x, int n, double origin, double *f)
{
    const struct masing_law *law = masing_law_find("jenkins");
    struct masing_path path = {
        .n_samples = n, .n_axes = 1, .is_periodic = true, .x = x, .origin = &origin};
    struct masing_forces forces = {.f = f};
    double *workspace = calloc(law->family->workspace_size(law, n, 0), sizeof(double));
    CHECK(law->family->march(law, parameters, &path, NULL, &forces, NULL, workspace) ==
          MASING_OK);
    free(workspace);
    return forces.slip_share;
}

/* x = A cos theta: equivalent stiffness and damping of the first harmonic (LAWS: Masing). */
static void first_harmonic_of_sampled_forces(void)
{
    static double x[N], f[N];
    const double k = 4e4, limit = 15.0;
    void *parameters = make(k, limit);
    for (int j = 0; j < 6; j++) {
        double amplitude = limit / k * (1.1 + j), a = 0.0, b = 0.0, loss = 0.0;
        for (int i = 0; i < N; i++) {
            x[i] = amplitude * cos(TEST_TWO_PI * (i + 0.3) / N);
        }
        double share = march(parameters, x, N, 0.0, f);
        for (int i = 0; i < N; i++) {
            double angle = TEST_TWO_PI * (i + 0.3) / N;
            a += 2.0 / N * f[i] * cos(angle);
            b += 2.0 / N * f[i] * sin(angle);
            loss -= TEST_TWO_PI / N * f[i] * amplitude * sin(angle);
        }
        double reach = limit / k, star = acos(1.0 - 2.0 * reach / amplitude);
        double stiffness = k * (star - 0.5 * sin(2.0 * star)) / (0.5 * TEST_TWO_PI);
        double damping = 8.0 * limit / TEST_TWO_PI / amplitude * (1.0 - reach / amplitude);
        CHECK_SCALED(a / amplitude, stiffness, k, 2e-6);
        CHECK_SCALED(-b / amplitude, damping, k, 2e-6);
        CHECK_SCALED(loss, 4.0 * limit * (amplitude - reach), limit * amplitude, 1e-5);
        CHECK_SCALED(share, 1.0 - 2.0 * star / TEST_TWO_PI, 1.0, 1e-6);
    }
    free(parameters);
}

static const struct tap_test tests[] = {
    {"the first harmonic of sampled forces is the closed form",
     first_harmonic_of_sampled_forces},
};

TAP_MAIN(tests)
