/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compliance at ports against a dense complex solution of K (1 + i eta) + s C + s^2 M. */
#include "compliance_bench.h"

static void modal_ratios(void)
{
    struct masing_spec spec;
    scattered(&spec, 12, true, 1);
    specimen_ratio(&spec, 0.03);
    compare_all(&spec, NULL, 1e-12);
}

static void modal_ratios_of_stuck_modes(void)
{
    struct masing_spec spec;
    scattered(&spec, 12, true, 2);
    specimen_ratio(&spec, 0.02);
    spec.structure.form.modes_are_stuck = true;
    struct masing_joint_spec *joint = specimen_joint(&spec, "slider", "jenkins", 2, 7);
    specimen_field(joint, "stiffness", 5e4);
    specimen_field(joint, "slip_force", 1);
    compare_all(&spec, NULL, 1e-12);
}

static void rayleigh_damping(void)
{
    struct masing_spec spec;
    scattered(&spec, 12, true, 3);
    spec.structure.form = (struct masing_damping_spec){
        .kind = MASING_DAMPING_RAYLEIGH, .alpha = 0.7, .beta = 3e-5};
    double *damping = copy(12, NULL);
    for (int i = 0; i < 144; i++) {
        damping[i] = 0.7 * spec.structure.mass[i] + 3e-5 * spec.structure.stiffness[i];
    }
    compare_all(&spec, damping, 1e-12);
    free(damping);
}

static void structural_damping(void)
{
    struct masing_spec spec;
    scattered(&spec, 12, true, 4);
    spec.structure.form =
        (struct masing_damping_spec){.kind = MASING_DAMPING_STRUCTURAL, .loss_factor = 0.01};
    double *damping = copy(12, NULL);
    compare_all(&spec, damping, 1e-12);
    free(damping);
}

static void one_damper(struct masing_spec *spec, double damping)
{
    scattered(spec, 12, true, 5);
    specimen_damper(spec, 3, 5, damping);
}

static void discrete_dampers(void)
{
    static const double sizes[] = {1e-3, 5, 1e3, 1e6};
    for (int i = 0; i < 4; i++) {
        struct masing_spec spec;
        one_damper(&spec, sizes[i]);
        specimen_damper(&spec, MASING_GROUND, 0, 0.5);
        double *damping = copy(12, spec.structure.damping);
        /* the weak damper is known to the rounding of the strong one only */
        compare_all(&spec, damping, sizes[i] < 1e5 ? 1e-12 : 1e-10);
        free(damping);
    }
}

static void structural_damping_with_a_damper(void)
{
    struct masing_spec spec;
    one_damper(&spec, 12);
    spec.structure.form =
        (struct masing_damping_spec){.kind = MASING_DAMPING_STRUCTURAL, .loss_factor = 0.02};
    double *damping = copy(12, spec.structure.damping);
    compare_all(&spec, damping, 1e-12);
    free(damping);
}

/* Far modes as a series, near ones one by one: many modes, most of them high */
static void large_structures(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct masing_spec spec;
        scattered(&spec, N_ALL, true, 6);
        if (kind < 3) {
            specimen_ratio(&spec, kind ? 0.02 : 0);
        } else {
            specimen_damper(&spec, 10, 50, 4);
        }
        if (kind == 2) {
            struct masing_joint_spec *joint = specimen_joint(&spec, "slider", "jenkins", 5, 40);
            specimen_field(joint, "stiffness", 1e7);
            specimen_field(joint, "slip_force", 1);
            spec.structure.form.modes_are_stuck = true;
        }
        for (int i = 0; i < N_ALL * N_ALL; i++) {
            spec.structure.stiffness[i] *= 400;
        }
        if (kind == 0) {
            struct bench bench;
            double *none = copy(N_ALL, NULL);
            bench_init(&bench, &spec);
            compare(&bench, none, 23.4, 1e-11);
            compare_slopes(&bench, 41.3);
            free(none);
            bench_clear(&bench);
        } else {
            compare_all(&spec, NULL, 1e-12);
        }
    }
}

static void floating_structures(void)
{
    struct masing_spec spec;
    scattered(&spec, 12, false, 7);
    specimen_damper(&spec, 3, 5, 2);
    double *damping = copy(12, spec.structure.damping);
    compare_all(&spec, damping, 1e-12);
    free(damping);
}

static const struct tap_test tests[] = {
    {"modal ratios", modal_ratios},
    {"modal ratios of the stuck modes", modal_ratios_of_stuck_modes},
    {"Rayleigh damping", rayleigh_damping},
    {"structural damping", structural_damping},
    {"discrete dampers, weak to nearly rigid", discrete_dampers},
    {"structural damping with a discrete damper", structural_damping_with_a_damper},
    {"large structures with most modes as a series", large_structures},
    {"floating structures", floating_structures},
};

TAP_MAIN(tests)
