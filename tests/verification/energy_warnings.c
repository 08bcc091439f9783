/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A joint that can create energy, and one that has something to say about its parameters: every
 * analysis warns, with numbers that a mass on a spring gives in closed form. */
#include <string.h>

#include "masing/compare.h"
#include "masing/integrate.h"
#include "masing/response.h"
#include "specimen.h"
#include "tap.h"

static const double two_pi = 6.28318530717958647692;

/* f = c v (1 - (x/limit)^2): dissipates within the limit, drives beyond it. */
struct driven {
    double damping, limit;
};

static const struct masing_field fields[] = {
    {.name = "damping",
     .unit = "N s/m",
     .type = MASING_FIELD_REAL,
     .maximum = INFINITY,
     .help = "damping at zero displacement",
     .offset = offsetof(struct driven, damping)},
    {.name = "limit",
     .unit = "m",
     .type = MASING_FIELD_REAL,
     .maximum = INFINITY,
     .help = "displacement beyond which it drives",
     .offset = offsetof(struct driven, limit)},
};

static enum masing_status check(void *parameters, struct masing_error *error)
{
    (void)parameters;
    (void)error;
    return MASING_OK;
}

static bool caution(const void *parameters, struct masing_warning *warning)
{
    const struct driven *p = parameters;
    *warning = (struct masing_warning){"drives beyond %g m", {p->limit}};
    return true;
}

static double energy_limit(const void *parameters)
{
    const struct driven *p = parameters;
    return p->limit;
}

static void force(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force)
{
    const struct driven *p = parameters;
    for (int i = 0; i < n; i++) {
        double ratio = at[i].x / p->limit;
        force[i] = (struct masing_rate){.value = p->damping * at[i].v * (1.0 - ratio * ratio),
                                        .x = -2.0 * p->damping * at[i].v * ratio / p->limit,
                                        .v = p->damping * (1.0 - ratio * ratio)};
    }
}

static const struct masing_law law = {
    .name = "driven",
    .summary = "",
    .family = &masing_family_memoryless,
    .n_axes = 1,
    .needs_velocity = true,
    .may_create_energy = true,
    .parameters_size = sizeof(struct driven),
    .fields = fields,
    .n_fields = 2,
    .check = check,
    .caution = caution,
    .energy_limit = energy_limit,
    .stuck_stiffness = masing_law_zero_stiffness,
    .free_stiffness = masing_law_zero_stiffness,
    .force = force,
};

static void add_joint(struct masing_spec *spec, const char *name, double damping, double limit)
{
    struct masing_joint_spec *joint = specimen_joint(spec, name, "linear", MASING_GROUND, 0);
    free(joint->parameters);
    joint->law = &law;
    struct driven *p = specimen_array(1, sizeof *p);
    p->damping = damping;
    p->limit = limit;
    joint->parameters = p;
}

/* 1 kg on 100 N/m with a damping ratio of 5 %, its peak near 0.1 m */
static struct masing_model *oscillator(double limit, int n_others)
{
    static const char *const others[] = {"d", "e", "f", "g"};
    struct masing_spec spec;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    specimen_init(&spec, 1);
    specimen_mass(&spec, 0, 1.0);
    specimen_spring(&spec, MASING_GROUND, 0, 100.0);
    specimen_ratio(&spec, 0.05);
    add_joint(&spec, "a", 0.02, limit);
    add_joint(&spec, "b", 0.02, limit);
    add_joint(&spec, "c", 0.02, 10.0);
    for (int i = 0; i < n_others; i++) {
        add_joint(&spec, others[i], 0.001, limit);
    }
    specimen_load(&spec, 0, 1.0);
    spec.outputs = specimen_array(1, sizeof *spec.outputs);
    spec.n_outputs = 1;
    spec.outputs[0].name = specimen_text("x");
    spec.outputs[0].combination = specimen_axis(MASING_GROUND, 0);
    spec.omega_from = 5.0;
    spec.omega_to = 15.0;
    if (!CHECK(masing_model_create(&spec, &model, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return model;
}

static int count_with(int n, char *const *warnings, const char *text)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        count += strstr(warnings[i], text) != NULL;
    }
    return count;
}

/* The sentence of two joints stands there once. */
static void check_cautions(int n, char *const *warnings)
{
    CHECK(count_with(n, warnings, "joint 'a' and 1 other: drives beyond 0.03 m") == 1);
    CHECK(count_with(n, warnings, "joint 'c': drives beyond 10 m") == 1);
    CHECK(count_with(n, warnings, "drives beyond") == 2);
}

/* Amplitude far from the resonance, where the joint hardly matters. */
static double linear_amplitude(double hz)
{
    double omega = two_pi * hz;
    return 1.0 / hypot(100.0 - omega * omega, 2.0 * 0.05 * 10.0 * omega);
}

static void a_frequency_response_says_where_and_how_far(void)
{
    struct masing_model *model = oscillator(0.03, 0);
    struct masing_response_summary summary = {0};
    CHECK(masing_frf(model, &(struct masing_response_options){0}, NULL, NULL, &summary, NULL) ==
          MASING_OK);
    check_cautions(summary.n_warnings, summary.warnings);
    const char *begin = "joint 'a': law 'driven' can create energy beyond |x| = 0.03 m; the "
                        "motion passes it first at ";
    CHECK(count_with(summary.n_warnings, summary.warnings, begin) == 1);
    CHECK(count_with(summary.n_warnings, summary.warnings, "joint 'c': law") == 0);
    CHECK(count_with(summary.n_warnings, summary.warnings,
                     "joint 'b': law 'driven' creates energy, up to ") == 1);
    for (int i = 0; i < summary.n_warnings; i++) {
        double first = 0, size = 0, worst = 0, largest = 0;
        size_t length = strlen(begin);
        if (!strncmp(summary.warnings[i], begin, length) &&
            CHECK(sscanf(summary.warnings[i] + length,
                         "%lf Hz (%lf m) and goes furthest at %lf Hz (%lf m", &first, &size,
                         &worst, &largest) == 4)) {
            CHECK(size > 0.03 && size < 0.06);
            CHECK_RELATIVE(linear_amplitude(first), size, 0.05);
            CHECK_RELATIVE(largest, summary.peak.max, 1e-3);
            CHECK_RELATIVE(worst, summary.peak.frequency_hz, 1e-3);
        }
    }
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
}

/* Of many joints of one law the one that is worst stands for all. */
static void many_joints_are_told_of_once(void)
{
    struct masing_model *model = oscillator(0.03, 4);
    struct masing_response_summary summary = {0};
    CHECK(masing_frf(model, &(struct masing_response_options){0}, NULL, NULL, &summary, NULL) ==
          MASING_OK);
    CHECK(count_with(summary.n_warnings, summary.warnings,
                     "6 joints, 'a', 'b', 'd' and 3 more: law 'driven' can create energy "
                     "beyond |x| = 0.03 m; the motion passes it first at ") == 1);
    CHECK(count_with(summary.n_warnings, summary.warnings,
                     "6 joints, 'a', 'b', 'd' and 3 more: law 'driven' creates energy, up "
                     "to ") == 1);
    CHECK(count_with(summary.n_warnings, summary.warnings, "law 'driven'") == 2);
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
}

static void no_limit_is_passed_by_a_small_motion(void)
{
    struct masing_model *model = oscillator(0.3, 0);
    struct masing_response_summary summary = {0};
    CHECK(masing_frf(model, &(struct masing_response_options){0}, NULL, NULL, &summary, NULL) ==
          MASING_OK);
    CHECK(count_with(summary.n_warnings, summary.warnings, "energy") == 0);
    CHECK(count_with(summary.n_warnings, summary.warnings, "drives beyond") == 2);
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
}

static void an_integration_says_how_far(void)
{
    struct masing_model *model = oscillator(0.03, 0);
    struct masing_integrate_summary summary = {0};
    CHECK(masing_integrate(model, 10.0 / two_pi, NULL, NULL, &summary, NULL) == MASING_OK);
    check_cautions(summary.n_warnings, summary.warnings);
    const char *begin = "joint 'a': law 'driven' can create energy beyond |x| = 0.03 m; at "
                        "1.59155 Hz the motion reaches ";
    CHECK(count_with(summary.n_warnings, summary.warnings, begin) == 1);
    for (int i = 0; i < summary.n_warnings; i++) {
        if (!strncmp(summary.warnings[i], begin, strlen(begin))) {
            double size = strtod(summary.warnings[i] + strlen(begin), NULL);
            CHECK_RELATIVE(size, summary.outputs[0].max, 1e-3);
        }
    }
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

static void a_comparison_warns_as_well(void)
{
    struct masing_model *model = oscillator(0.03, 0);
    struct masing_compare_summary summary = {0};
    const struct masing_compare_options options = {.n_points = 2};
    CHECK(masing_compare(model, &options, NULL, &summary, NULL) == MASING_OK);
    check_cautions(summary.n_warnings, summary.warnings);
    CHECK(count_with(summary.n_warnings, summary.warnings,
                     "joint 'a': law 'driven' can create energy beyond") == 1);
    masing_compare_summary_clear(&summary);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"a frequency response says where and how far",
     a_frequency_response_says_where_and_how_far},
    {"many joints are told of once", many_joints_are_told_of_once},
    {"no limit is passed by a small motion", no_limit_is_passed_by_a_small_motion},
    {"an integration says how far", an_integration_says_how_far},
    {"a comparison warns as well", a_comparison_warns_as_well},
};

TAP_MAIN(tests)
