/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Energies of time integration: with few steps against a reference, of elastic joints against
 * none, of DOFs without mass against their own balance, and in comparisons.
 */
#include <math.h>
#include <string.h>

#include "masing/compare.h"
#include "masing/integrate.h"

#include "measured.h"
#include "response.h"

static const double pi = 3.14159265358979323846;

static const char friction[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {v: 1}\n"
    "  springs: [{from: ground, to: v, stiffness: 1}]\n"
    "  dampers: [{from: ground, to: v, damping: 0.1}]\n"
    "joints: [{name: k, law: jenkins, from: ground, to: v, stiffness: 100, slip_force: 0.5}]\n"
    "loads: [{dof: v, amplitude: 1, phase: -90}]\n"
    "frequency: [0.02, 0.2]\n"
    "outputs: [v]\n"
    "integration: {method: %s, steady: shooting, tolerance: 1e-10, steps_per_cycle: %d}\n";

/* On a stop with a gap: hardens on one side and loses nothing there. */
static const char elastic[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {x: 1.0}\n"
    "  springs: [{from: ground, to: x, stiffness: 16000}]\n"
    "  damping: {modal_ratio: 0.005}\n"
    "joints: [{name: s, law: unilateral_spring, from: ground, to: x, stiffness: 30000,\n"
    "  gap: 1e-4}]\n"
    "loads: [{dof: x, amplitude: 30}]\n"
    "frequency: [12, 15]\n"
    "harmonics: 25\n"
    "outputs: [x]\n"
    "integration: {method: %s, steady: shooting, tolerance: 1e-12, steps_per_cycle: %d}\n";

/* Loads and a slider on a DOF without mass. */
static const char bracket[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m: 1, b: 0}\n"
    "  springs: [{from: ground, to: m, stiffness: 400}, {from: m, to: b, stiffness: 900}]\n"
    "  damping: {modal_ratio: 0.04}\n"
    "joints: [{name: k, law: jenkins, from: ground, to: b, stiffness: 500, slip_force: 2}]\n"
    "loads: [{dof: b, amplitude: 3}, {dof: m, amplitude: 5, phase: 40},\n"
    "  {dof: b, amplitude: 2, harmonic: 2}]\n"
    "frequency: [1, 5]\n"
    "outputs: [m]\n"
    "integration: {method: %s, steady: shooting, tolerance: 1e-9, steps_per_cycle: %d}\n";

static struct masing_model *model_of(const char *form, const char *method, int n_steps)
{
    char *text = text_of(form, method, n_steps);
    return model_of_text(text);
}

static struct masing_integrate_summary run(const char *form, const char *method, int n_steps,
                                           double hz)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = model_of(form, method, n_steps);
    if (!CHECK(model &&
               masing_integrate(model, hz, NULL, NULL, &summary, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    masing_model_destroy(model);
    return summary;
}

/* The work of sin is -pi times the cosine coefficient of the displacement. */
static void friction_takes_what_the_reference_takes(void)
{
    char line[256];
    FILE *file = open_reference("friction_oscillator_1dof_fourier.csv");
    double eta, cosine;
    int k, n = 0;
    CHECK(file && fgets(line, sizeof line, file));
    while (file && fscanf(file, "%lf,%d,%lf,%*[^\n]", &eta, &k, &cosine) == 3) {
        for (int i = 0; i < 4 && k == 1; i++) {
            bool is_exact = i % 2 == 0;
            struct masing_integrate_summary summary = run(
                friction, is_exact ? "exact" : "accurate", i < 2 ? 16 : 23, eta / (2.0 * pi));
            double bound = is_exact ? 1e-9 : 1e-7;
            printf("# eta %g: off by %.1e, balance %.1e\n", eta,
                   summary.energy_in / (-pi * cosine) - 1.0,
                   summary.energy_lost / summary.energy_in - 1.0);
            CHECK_RELATIVE(summary.energy_in, -pi * cosine, bound);
            CHECK_RELATIVE(summary.energy_lost, summary.energy_in, bound);
            n++;
            masing_integrate_summary_clear(&summary);
        }
    }
    CHECK(n == 16);
    if (file) {
        fclose(file);
    }
}

static void elastic_joints_take_nothing(void)
{
    const char *const methods[] = {"exact", "accurate"};
    for (int i = 0; i < 2; i++) {
        struct masing_integrate_summary summary = run(elastic, methods[i], 16, 14.0);
        printf("# %s: %.1e of %.3g\n", methods[i], summary.energy_joints, summary.energy_in);
        CHECK(summary.energy_in > 1e-3);
        CHECK(fabs(summary.energy_joints) < (i == 0 ? 1e-9 : 1e-5) * summary.energy_in);
        CHECK_RELATIVE(summary.energy_lost, summary.energy_in, i == 0 ? 1e-8 : 1e-5);
        masing_integrate_summary_clear(&summary);
    }
}

static void joints_without_mass_take_what_loads_give(void)
{
    struct masing_integrate_summary fine = run(bracket, "newmark", 8192, 3.0);
    const char *const methods[] = {"exact", "accurate"};
    for (int i = 0; i < 2; i++) {
        struct masing_integrate_summary summary = run(bracket, methods[i], 16, 3.0);
        printf("# %s: balance %.1e, rule off by %.1e\n", methods[i],
               summary.energy_lost / summary.energy_in - 1.0,
               fine.energy_joints / summary.energy_joints - 1.0);
        CHECK(summary.energy_joints > 0.1 * summary.energy_in);
        CHECK_RELATIVE(summary.energy_lost, summary.energy_in, i == 0 ? 1e-8 : 1e-6);
        CHECK_RELATIVE(fine.energy_joints, summary.energy_joints, 1e-4);
        CHECK_RELATIVE(fine.energy_in, summary.energy_in, 1e-4);
        masing_integrate_summary_clear(&summary);
    }
    masing_integrate_summary_clear(&fine);
}

/* Corners between the steps look like losses, fewer with more steps. */
static void no_loss_is_no_difference(void)
{
    const char *const methods[] = {"exact", "accurate", "newmark"};
    const double hz = 14.0;
    for (int i = 0; i < 3; i++) {
        struct masing_model *model = model_of(elastic, methods[i], 1024);
        struct masing_compare_summary summary = {0};
        struct masing_error error = {0};
        const struct masing_compare_options options = {
            .n_frequencies = 1, .frequencies_hz = &hz, .tolerance = 1e-3};
        if (!CHECK(masing_compare(model, &options, NULL, &summary, &error) == MASING_OK)) {
            printf("# %s: %s\n", methods[i], error.message);
        }
        CHECK(summary.n_passed == 1);
        masing_compare_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

static const struct tap_test tests[] = {
    {"friction takes what the reference takes", friction_takes_what_the_reference_takes},
    {"elastic joints take nothing", elastic_joints_take_nothing},
    {"joints without mass take what loads give", joints_without_mass_take_what_loads_give},
    {"no loss is no difference", no_loss_is_no_difference},
};

TAP_MAIN(tests)
