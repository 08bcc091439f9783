/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compliances of structures with massless DOFs, of modes left out, and next to poles. */
#include "compliance_bench.h"

/* Forces at DOFs without mass, too, with each kind of damping that may stand beside them */
static void massless_dofs(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct masing_spec spec;
        scattered(&spec, 12, true, 8);
        for (int i = 0; i < 12; i += 4) {
            spec.structure.mass[13 * i] = 0;
        }
        if (kind == 1 || kind == 3) {
            specimen_damper(&spec, 3, 5, 2);
        }
        if (kind == 0) {
            specimen_ratio(&spec, 0.02);
        } else if (kind > 1) {
            spec.structure.form = (struct masing_damping_spec){
                .kind = MASING_DAMPING_STRUCTURAL, .loss_factor = 0.03};
        }
        double *damping = copy(12, spec.structure.damping);
        compare_all(&spec, kind == 0 ? NULL : damping, 1e-12);
        free(damping);
    }
}

/* What is left out of one harmonic is the mode's own share. */
static void excluded_modes(void)
{
    enum { MODE = 4, INDEX = 2 };
    struct masing_spec spec;
    struct bench bench;
    scattered(&spec, 12, true, 9);
    specimen_ratio(&spec, 0.02);
    bench_init(&bench, &spec);
    const struct structure *s = bench.model->structure;
    struct compliance_exclusion exclusion = {INDEX, MODE};
    struct compliance_settings settings = {.n_in = N_IN,
                                           .n_out = N_OUT,
                                           .in = bench.in_ports,
                                           .out = bench.out_ports,
                                           .n_harmonics = N_HARMONICS,
                                           .harmonics = harmonics,
                                           .omega_max = 60,
                                           .n_exclusions = 1,
                                           .exclusions = &exclusion};
    struct compliance *without = NULL;
    double omega = 33, largest = 0;
    CHECK(compliance_create(s, &settings, &without, NULL) == MASING_OK);
    CHECK(compliance_evaluate(without, omega, false) == MASING_OK);
    const double *re = without->real, *im = without->imaginary;
    evaluate(&bench, omega);
    for (int p = 0; p < N_HARMONICS * N_PORT; p++) {
        largest = fmax(largest, hypot(bench.re[p], bench.im[p]));
    }
    for (int h = 0; h < N_HARMONICS; h++) {
        double q = harmonics[h] * omega;
        double complex factor =
            1 / (s->omega[MODE] * s->omega[MODE] - q * q + I * q * s->modal_damping[MODE]);
        for (int p = 0; p < N_PORT; p++) {
            double in = 0, out = 0;
            for (int i = 0; i < bench.n; i++) {
                in += bench.in[p / N_OUT * bench.n + i] * s->shapes[MODE * bench.n + i];
                out += bench.out[p % N_OUT * bench.n + i] * s->shapes[MODE * bench.n + i];
            }
            double complex share = h == INDEX ? factor * in * out : 0;
            int entry = h * N_PORT + p;
            CHECK_SCALED(re[entry] + creal(share), bench.re[entry], largest, 1e-12);
            CHECK_SCALED(im[entry] + cimag(share), bench.im[entry], largest, 1e-12);
        }
    }
    compliance_destroy(without);
    bench_clear(&bench);
}

/* An undamped oscillator of 2 rad/s: exactly there nothing can be said, next to it much. */
static void undamped_poles(void)
{
    static const int one = 1;
    size_t first[] = {0, 1};
    int dof = 0;
    double unit = 1;
    const struct compliance_ports port = {first, &dof, &unit};
    struct masing_spec spec;
    struct masing_model *model = NULL;
    struct compliance *compliance = NULL;
    double near = 2 * (1 - 1e-13);
    specimen_init(&spec, 1);
    specimen_mass(&spec, 0, 1);
    specimen_spring(&spec, 0, MASING_GROUND, 4);
    CHECK(masing_model_create(&spec, &model, NULL) == MASING_OK);
    struct compliance_settings settings = {.n_in = 1,
                                           .n_out = 1,
                                           .in = port,
                                           .out = port,
                                           .n_harmonics = 1,
                                           .harmonics = &one,
                                           .omega_max = 3};
    CHECK(compliance_create(model->structure, &settings, &compliance, NULL) == MASING_OK);
    CHECK(compliance_evaluate(compliance, 2, true) == MASING_SINGULAR);
    CHECK(compliance_evaluate(compliance, near, true) == MASING_OK);
    CHECK_RELATIVE(compliance->real[0], 1 / ((2 - near) * (2 + near)), 1e-15);
    compliance_destroy(compliance);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"massless DOFs", massless_dofs},
    {"excluded modes", excluded_modes},
    {"undamped poles", undamped_poles},
};

TAP_MAIN(tests)
