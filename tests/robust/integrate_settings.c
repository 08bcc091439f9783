/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of a time integration that do not go together, or do not do what they seem to. */
#include <math.h>
#include <string.h>

#include "integrated.h"

/* What shooting tries is no history. */
static void a_whole_history_of_shooting_is_refused(void)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_integrate_options options = {.all_history = true};
    struct masing_spec spec;
    double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 100.0);
    specimen_load(&spec, 0, 5.0);
    spec.integration.steady = MASING_STEADY_SHOOTING;
    struct masing_model *model = integrated_seal(&spec);
    CHECK(masing_integrate(model, 1.0, &options, NULL, &summary, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "integration.steady") != NULL);
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A tolerance that cannot be met is not met in silence; without the rule's steps there is no
 * step that a vibration would need more of. */
static void a_tolerance_beyond_reach_is_pointed_out(void)
{
    static const double tolerances[] = {1e-12, 1e-15, 1e-7};
    static const int ways[] = {MASING_INTEGRATION_ACCURATE, MASING_INTEGRATION_EXACT,
                               MASING_INTEGRATION_EXACT};
    static const char *const words[] = {"1e-08", "1e-13", NULL};
    for (int i = 0; i < 3; i++) {
        struct masing_integrate_summary summary = {0};
        struct masing_error error = {0};
        struct masing_spec spec;
        double mass = 1.0;
        integrated_begin(&spec, 1, &mass);
        specimen_spring(&spec, MASING_GROUND, 0, 100.0);
        specimen_ratio(&spec, 0.2);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "slider", "jenkins", MASING_GROUND, 0);
        specimen_field(joint, "stiffness", 1e6);
        specimen_field(joint, "slip_force", 0.5);
        specimen_load(&spec, 0, 5.0);
        spec.integration.method = ways[i];
        spec.integration.tolerance = tolerances[i];
        spec.integration.steps_per_cycle = 32;
        spec.integration.cycles = 100;
        struct masing_model *model = integrated_seal(&spec);
        masing_integrate(model, 3.0, NULL, NULL, &summary, &error);
        CHECK(summary.n_warnings == (words[i] != NULL));
        CHECK(!words[i] || (summary.n_warnings == 1 &&
                            strstr(summary.warnings[0], "integration.tolerance") &&
                            strstr(summary.warnings[0], words[i])));
        masing_integrate_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

/* m = 1 kg on a slider of 1e6 N/m: 159 Hz; 3 Hz and 1000 steps give 18.8 steps per period. */
static void steps_that_are_too_long_are_pointed_out(void)
{
    for (int coarse = 0; coarse < 2; coarse++) {
        struct masing_integrate_summary summary = {0};
        struct masing_spec spec;
        double mass = 1.0;
        integrated_begin(&spec, 1, &mass);
        specimen_spring(&spec, MASING_GROUND, 0, 100.0);
        specimen_ratio(&spec, 0.05);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "slider", "jenkins", MASING_GROUND, 0);
        specimen_field(joint, "stiffness", 1e6);
        specimen_field(joint, "slip_force", 0.5);
        specimen_load(&spec, 0, 5.0);
        spec.integration.steps_per_cycle = coarse ? 200 : 1000;
        struct masing_model *model = integrated_seal(&spec);
        CHECK(masing_integrate(model, 3.0, NULL, NULL, &summary, NULL) == MASING_OK);
        CHECK(summary.n_warnings == coarse);
        if (summary.n_warnings == 1) {
            CHECK(strstr(summary.warnings[0], "'slider'") != NULL);
            CHECK(strstr(summary.warnings[0], "159 Hz") != NULL);
            CHECK(strstr(summary.warnings[0], "3.8 steps") != NULL);
        }
        masing_integrate_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

static const struct tap_test tests[] = {
    {"a whole history of shooting is refused", a_whole_history_of_shooting_is_refused},
    {"a tolerance beyond reach is pointed out", a_tolerance_beyond_reach_is_pointed_out},
    {"steps that are too long are pointed out", steps_that_are_too_long_are_pointed_out},
};

TAP_MAIN(tests)
