/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time integration with joints on DOFs without mass: against closed forms of series
 * connections, against each other, against Newmark's rule and small masses, and against the
 * balance.
 */
#include <math.h>

#include "masing/compare.h"
#include "masing/integrate.h"

#include "response.h"

/* What a model is, beside a mass m of 1 kg on 400 N/m with 4 per cent of damping. */
struct parts {
    const char *masses, *springs, *joints, *loads, *outputs;
};

static struct masing_model *model_of(const struct parts *parts, const char *integration)
{
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {m: 1%s}\n"
                         "  springs:\n"
                         "    - {from: ground, to: m, stiffness: 400}\n"
                         "%s"
                         "  damping: {modal_ratio: 0.04}\n"
                         "joints: [%s]\n"
                         "loads: [%s]\n"
                         "frequency: [1, 5]\n"
                         "harmonics: 61\n"
                         "samples: 4096\n"
                         "integration: {%s}\n"
                         "outputs: [%s]\n",
                         parts->masses, parts->springs, parts->joints, parts->loads,
                         integration, parts->outputs);
    return model_of_text(text);
}

enum { FREQUENCY = 3 };

static struct masing_integrate_summary run(const struct parts *parts, const char *integration,
                                           enum masing_status expected,
                                           struct masing_error *error)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error own = {0};
    struct masing_model *model = model_of(parts, integration);
    enum masing_status status =
        model ? masing_integrate(model, FREQUENCY, NULL, NULL, &summary, error ? error : &own)
              : MASING_INTERNAL;
    if (!CHECK(status == expected)) {
        printf("# %s\n", (error ? error : &own)->message);
    }
    masing_model_destroy(model);
    return summary;
}

#define STEPS "steps_per_cycle: 400, "
#define STEADY STEPS "steady: shooting, tolerance: 1e-12, "
static const char exactly[] = STEADY "method: exact";
static const char accurately[] =
    STEPS "steady: shooting, tolerance: 1e-10, method: accurate, accuracy: 1e-11";

/* Outputs and losses, where there are any, of two runs, relative to the first; both are
 * cleared.
 */
static double distance(struct masing_integrate_summary *first,
                       struct masing_integrate_summary *second)
{
    bool has_loss = first->energy_joints > 1e-3 * first->energy_in;
    double worst = has_loss ? fabs(second->energy_joints / first->energy_joints - 1.0) : 0.0;
    CHECK(first->n_outputs > 0 && first->n_outputs <= second->n_outputs);
    for (int i = 0; i < first->n_outputs; i++) {
        const struct masing_output_measures *a = &first->outputs[i], *b = &second->outputs[i];
        worst = fmax(worst, fabs(b->max / a->max - 1.0));
        worst = fmax(worst, fabs(b->h1 / a->h1 - 1.0));
        worst = fmax(worst, fabs(b->h1_phase - a->h1_phase));
        worst = fmax(worst, fabs(b->mean - a->mean) / a->max);
    }
    masing_integrate_summary_clear(first);
    masing_integrate_summary_clear(second);
    return worst;
}

static void check_same(const char *name, const struct parts *a, const char *how_a,
                       const struct parts *b, const char *how_b, double bound)
{
    struct masing_integrate_summary first = run(a, how_a, MASING_OK, NULL);
    struct masing_integrate_summary second = run(b, how_b, MASING_OK, NULL);
    double worst = distance(&first, &second);
    printf("# %s: off by %.1e\n", name, worst);
    CHECK(worst <= bound);
}

static const char slider[] =
    "{name: j, from: ground, to: n, law: jenkins, stiffness: 3000, slip_force: 2}";
#define LOAD "{dof: m, amplitude: 8}"
#define NODE_SPRING "    - {from: m, to: n, stiffness: 2000}\n"

/* Stiffnesses of 2000 and 3000 N/m in series are one of 1200 N/m; limits and gaps stay. */
static void a_series_is_one_joint(void)
{
    static const char *const laws[] = {
        "law: jenkins, slip_force: 2", "law: unilateral_spring, gap: 0.02",
        "law: unilateral_spring, gap: 0.015, two_sided: true", "law: linear, damping: 0"};
    for (int i = 0; i < tap_most(4, 2); i++) {
        char *node = text_of("{name: j, from: ground, to: n, stiffness: 3000, %s}", laws[i]);
        char *own = text_of("{name: j, from: ground, to: m, stiffness: 1200, %s}", laws[i]);
        const struct parts series = {", n: 0", NODE_SPRING, node, LOAD, "m"};
        const struct parts one = {"", "", own, LOAD, "m"};
        const char *name = strchr(laws[i], ' ');
        check_same(name, &one, exactly, &series, exactly, 1e-10);
        check_same(name, &one, exactly, &series, accurately, 1e-8);
        free(node);
        free(own);
    }
}

/*
 * Two sliders side by side behind a spring are a piecewise linear backbone: the first slips at
 * x = f1/k1, the second at f2/k2, and the spring adds F/k.
 */
static void two_joints_share_a_dof(void)
{
    static const double k = 2000.0, k1 = 3000.0, f1 = 1.5, k2 = 1000.0, f2 = 1.2;
    double x1 = f1 / k1, x2 = f2 / k2, one = (k1 + k2) * x1, both = f1 + f2;
    char *backbone = text_of("{name: j, from: ground, to: m, law: backbone_table, "
                             "file: [[0, 0], [%.17g, %.17g], [%.17g, %.17g]]}",
                             x1 + one / k, one, x2 + both / k, both);
    const struct parts table = {"", "", backbone, LOAD, "m"};
    const struct parts pair = {", n: 0", NODE_SPRING,
                               "{name: j1, from: ground, to: n, law: jenkins, "
                               "stiffness: 3000, slip_force: 1.5}, "
                               "{name: j2, from: ground, to: n, law: jenkins, "
                               "stiffness: 1000, slip_force: 1.2}",
                               LOAD, "m"};
    check_same("exactly", &table, accurately, &pair, exactly, 1e-8);
    check_same("accurately", &table, accurately, &pair, accurately, 1e-8);
    free(backbone);
}

/* n rests while the slider beside it slips, and turns at once when that sticks. */
static const struct parts chain = {
    ", n: 0", "    - {from: ground, to: n, stiffness: 2000}\n",
    "{name: a, from: n, to: m, law: jenkins, stiffness: 3000, slip_force: 2}, "
    "{name: b, from: ground, to: n, law: jenkins, stiffness: 2500, slip_force: 0.5}",
    LOAD, "m, n"};

static void a_dof_that_rests_turns_at_once(void)
{
    const struct parts stop = {
        ", n: 0", chain.springs,
        "{name: a, from: n, to: m, law: jenkins, stiffness: 3000, slip_force: 2}, "
        "{name: b, from: ground, to: n, law: unilateral_spring, stiffness: 2500, gap: 1e-4}",
        LOAD, "m, n"};
    check_same("sliders", &chain, exactly, &chain, accurately, 1e-8);
    check_same("stop", &stop, exactly, &stop, accurately, 1e-8);
    struct masing_integrate_summary exact =
        run(&chain, "steps_per_cycle: 8000, steady: shooting, method: exact", MASING_OK, NULL);
    struct masing_integrate_summary rule =
        run(&chain, "steps_per_cycle: 8000, steady: shooting", MASING_OK, NULL);
    double worst = distance(&exact, &rule);
    printf("# Newmark's rule: off by %.1e\n", worst);
    CHECK(worst <= 2e-6);
}

/* From rest: the DOF without mass stands elsewhere at once. */
static void loads_on_it_are_followed(void)
{
    const struct parts loaded = {
        ", n: 0", NODE_SPRING, slider,
        LOAD ", {dof: n, amplitude: 3, phase: 20}, {dof: n, amplitude: 1.5, harmonic: 3}",
        "m, n"};
    check_same("steady", &loaded, exactly, &loaded, accurately, 1e-8);
    static const char *const methods[] = {
        "steps_per_cycle: 8000, method: exact",
        "steps_per_cycle: 8000, method: accurate, accuracy: 1e-11",
        "steps_per_cycle: 4000, method: newmark", "steps_per_cycle: 8000, method: newmark"};
    struct masing_integrate_summary ends[4] = {{0}};
    for (int i = 0; i < 4; i++) {
        char *how = text_of("cycles: 1, tolerance: 1e-14, %s", methods[i]);
        ends[i] = run(&loaded, how, MASING_STOPPED, NULL);
        free(how);
    }
    if (ends[0].n_outputs == 2) {
        for (int i = 0; i < 2; i++) {
            CHECK_RELATIVE(ends[1].outputs[i].max, ends[0].outputs[i].max, 1e-8);
            CHECK_RELATIVE(ends[1].outputs[i].h1, ends[0].outputs[i].h1, 1e-8);
        }
        /* the rule's first acceleration is that before, an error of first order */
        double limit = 2.0 * ends[3].outputs[0].max - ends[2].outputs[0].max;
        printf("# Newmark's rule: off by %.1e\n", limit / ends[0].outputs[0].max - 1.0);
        CHECK_RELATIVE(limit, ends[0].outputs[0].max, 1e-6);
    }
    for (int i = 0; i < 4; i++) {
        masing_integrate_summary_clear(&ends[i]);
    }
}

/* The limit of ever smaller masses, whose distance shrinks with the mass. */
static void a_small_mass_comes_close(void)
{
    static const char *const masses[] = {", n: 0", ", n: 1e-3", ", n: 1e-4"};
    double h1[3] = {0.0};
    for (int i = 0; i < 3; i++) {
        const struct parts parts = {masses[i], NODE_SPRING, slider, LOAD, "m"};
        struct masing_integrate_summary summary = run(
            &parts, "steps_per_cycle: 400, tolerance: 1e-8, method: exact", MASING_OK, NULL);
        h1[i] = summary.n_outputs ? summary.outputs[0].h1 : NAN;
        masing_integrate_summary_clear(&summary);
    }
    double large = h1[1] / h1[0] - 1.0, small = h1[2] / h1[0] - 1.0;
    printf("# off by %.1e, %.1e\n", large, small);
    CHECK(fabs(small) < 1e-3);
    CHECK_RELATIVE(small / large, 0.1, 0.1);
}

/* Laws with curved branches and with states of their own. */
static void curved_laws_are_the_limit_of_small_steps(void)
{
    static const char *const laws[] = {
        "law: iwan4, slip_force: 2, stiffness: 3000, chi: -0.3, beta: 0.5",
        "law: dahl, stiffness: 3000, slip_force: 2, exponent: 1.5",
        "law: cubic_spring, coefficient: 3e6"};
    for (int i = 0; i < tap_most(3, 1); i++) {
        char *joint = text_of("{name: j, from: ground, to: n, %s}", laws[i]);
        const struct parts parts = {", n: 0", NODE_SPRING, joint, LOAD, "m"};
        double h1[3];
        for (int k = 0; k < 3; k++) {
            static const char *const how[] = {
                accurately, "steps_per_cycle: 400, steady: shooting, tolerance: 1e-9",
                "steps_per_cycle: 2500, steady: shooting, tolerance: 1e-9"};
            struct masing_integrate_summary summary = run(&parts, how[k], MASING_OK, NULL);
            h1[k] = summary.n_outputs ? summary.outputs[0].h1 : NAN;
            masing_integrate_summary_clear(&summary);
        }
        double coarse = fabs(h1[1] / h1[0] - 1.0), fine = fabs(h1[2] / h1[0] - 1.0);
        printf("# %.14s: off by %.1e, %.1e\n", laws[i], coarse, fine);
        CHECK(fine < 3e-6 && fine < 0.2 * coarse);
        free(joint);
    }
}

/* Its partial tangent is negative, and so is that in slip. */
static void a_law_with_a_state_may_fall(void)
{
    const struct parts parts = {", n: 0", NODE_SPRING,
                                "{name: j, from: ground, to: n, law: valanis, "
                                "initial_stiffness: 3000, slip_stiffness: -100, "
                                "stick_limit: 2, transition: 0.3}",
                                LOAD, "m"};
    check_same("valanis", &parts, accurately, &parts,
               STEPS "steady: shooting, tolerance: 1e-9, method: accurate, accuracy: 1e-9",
               1e-6);
}

/* The series connection again: what the balance misses are harmonics. */
static void the_balance_agrees(void)
{
    const struct parts series = {", n: 0", NODE_SPRING, slider, LOAD, "m"};
    const double hz = FREQUENCY;
    struct masing_compare_options options = {.n_frequencies = 1, .frequencies_hz = &hz};
    struct masing_compare_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = model_of(&series, exactly);
    CHECK(model && masing_compare(model, &options, NULL, &summary, &error) == MASING_OK);
    printf("# largest difference %.1e\n", summary.largest_difference);
    CHECK(summary.n_steady == 1 && summary.n_left == 0 && summary.worst_difference < 1e-4);
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A force that falls by up to 320 N/m: a softer spring than that lets the DOF jump. */
static void a_dof_that_would_jump_ends_it(void)
{
    static const char fall[] = "{name: j, from: ground, to: n, law: polynomial_spring, "
                               "coefficients: [400, 0, -8e5, 0, 4e8]}";
    for (int accuracy = 3; accuracy <= 11; accuracy += 8) {
        char *how =
            text_of(STEPS "method: accurate, accuracy: 1e-%d, tolerance: 1e-4", accuracy);
        struct masing_error error = {0};
        struct parts parts = {", n: 0", "    - {from: m, to: n, stiffness: 330}\n", fall, LOAD,
                              "m"};
        struct masing_integrate_summary summary = run(&parts, how, MASING_OK, NULL);
        masing_integrate_summary_clear(&summary);
        parts.springs = "    - {from: m, to: n, stiffness: 310}\n";
        summary = run(&parts, how, MASING_STOPPED, &error);
        CHECK(strstr(error.message, "falls faster with displacement"));
        masing_integrate_summary_clear(&summary);
        free(how);
    }
    for (int is_soft = 0; is_soft < 2; is_soft++) {
        struct masing_error error = {0};
        struct parts parts = {", n: 0", NODE_SPRING,
                              is_soft ? "{name: j, from: ground, to: n, law: linear, "
                                        "stiffness: -2100, damping: 0}"
                                      : "{name: j, from: ground, to: n, law: linear, "
                                        "stiffness: -100, damping: 0}",
                              LOAD, "m"};
        struct masing_integrate_summary summary =
            run(&parts, exactly, is_soft ? MASING_STOPPED : MASING_OK, &error);
        CHECK(!is_soft || strstr(error.message, "falls faster with displacement"));
        masing_integrate_summary_clear(&summary);
    }
}

static const struct tap_test tests[] = {
    {"a series is one joint", a_series_is_one_joint},
    {"two joints share a DOF", two_joints_share_a_dof},
    {"a DOF that rests turns at once", a_dof_that_rests_turns_at_once},
    {"loads on it are followed", loads_on_it_are_followed},
    {"a small mass comes close", a_small_mass_comes_close},
    {"curved laws are the limit of small steps", curved_laws_are_the_limit_of_small_steps},
    {"a law with a state may fall", a_law_with_a_state_may_fall},
    {"the balance agrees", the_balance_agrees},
    {"a DOF that would jump ends it", a_dof_that_would_jump_ends_it},
};

TAP_MAIN(tests)
