/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every way in which a time integration ends, and what is kept then. */
#include <math.h>
#include <string.h>

#include "integrated.h"

/* A sink that counts, and fails where it is told to. */
struct counter {
    int n_columns, n_rows, n_finished, n_abandoned, fails_at_row;
    double last_time, last_value;
    char names[16][MASING_COLUMN_NAME];
};

static enum masing_status count_open(void *context, const struct masing_column *columns,
                                     int n_columns, struct masing_error *error)
{
    (void)error;
    struct counter *counter = context;
    counter->n_columns = n_columns;
    for (int i = 0; i < n_columns && i < 16; i++) {
        memcpy(counter->names[i], columns[i].name, MASING_COLUMN_NAME);
    }
    return MASING_OK;
}

static enum masing_status count_row(void *context, const struct masing_cell *cells,
                                    struct masing_error *error)
{
    struct counter *counter = context;
    counter->n_rows++;
    CHECK(counter->n_rows == 1 || cells[0].number > counter->last_time);
    counter->last_time = cells[0].number;
    counter->last_value = cells[1].number;
    CHECK(isfinite(cells[1].number));
    return counter->n_rows == counter->fails_at_row
               ? masing_error_set(error, MASING_IO, "the disk is full")
               : MASING_OK;
}

static enum masing_status count_finish(void *context, struct masing_error *error)
{
    (void)error;
    ((struct counter *)context)->n_finished++;
    return MASING_OK;
}

static void count_abandon(void *context)
{
    ((struct counter *)context)->n_abandoned++;
}

static struct masing_sink count_into(struct counter *counter)
{
    return (struct masing_sink){.context = counter,
                                .open = count_open,
                                .row = count_row,
                                .finish = count_finish,
                                .abandon = count_abandon};
}

static struct masing_model *oscillator(double cubic, int cycles)
{
    struct masing_spec spec;
    double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 100.0);
    specimen_ratio(&spec, 0.01);
    struct masing_joint_spec *joint =
        specimen_joint(&spec, "spring", "cubic_spring", MASING_GROUND, 0);
    specimen_field(joint, "coefficient", cubic);
    specimen_load(&spec, 0, 5.0);
    spec.integration.steps_per_cycle = 64;
    spec.integration.cycles = cycles;
    return integrated_seal(&spec);
}

static void the_last_period_is_written(void)
{
    struct counter counter = {0};
    struct masing_sink sink = count_into(&counter);
    struct masing_integrate_summary summary = {0};
    struct masing_model *model = oscillator(1e-3, 10000);
    CHECK(masing_integrate(model, 1.5, NULL, &sink, &summary, NULL) == MASING_OK);
    CHECK(counter.n_rows == 64 && counter.n_finished == 1 && counter.n_abandoned == 0);
    CHECK(counter.n_columns == 4);
    CHECK(strcmp(counter.names[0], "time") == 0 && strcmp(counter.names[1], "m1") == 0);
    CHECK(strcmp(counter.names[2], "force_spring") == 0);
    CHECK(strcmp(counter.names[3], "displacement_spring") == 0);
    CHECK(summary.is_steady && summary.steps == 64L * summary.cycles);
    CHECK_RELATIVE(counter.last_time, (summary.cycles - 1.0 / 64.0) / 1.5, 1e-12);
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

static void the_whole_history_is_written(void)
{
    struct counter counter = {0};
    struct masing_sink sink = count_into(&counter);
    struct masing_integrate_summary summary = {0};
    struct masing_integrate_options options = {.all_history = true};
    struct masing_model *model = oscillator(1e-3, 10000);
    CHECK(masing_integrate(model, 1.5, &options, &sink, &summary, NULL) == MASING_OK);
    CHECK(counter.n_rows == summary.steps + 1 && counter.n_finished == 1);
    CHECK_RELATIVE(counter.last_time, summary.cycles / 1.5, 1e-12);
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

static void too_few_cycles_stop_with_the_last_period(void)
{
    struct counter counter = {0};
    struct masing_sink sink = count_into(&counter);
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = oscillator(1e-3, 5);
    CHECK(masing_integrate(model, 1.5, NULL, &sink, &summary, &error) == MASING_STOPPED);
    CHECK(strstr(error.message, "no steady state within 5 cycles") != NULL);
    CHECK(strcmp(error.message, summary.reason) == 0);
    CHECK(counter.n_rows == 64 && counter.n_finished == 1 && counter.n_abandoned == 0);
    CHECK(!summary.is_steady && summary.cycles == 5 && summary.outputs[0].max > 0.0);
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A spring that softens without end lets go of the mass. */
static void a_motion_without_bounds_stops_with_its_history(void)
{
    for (int all = 0; all < 2; all++) {
        struct counter counter = {0};
        struct masing_sink sink = count_into(&counter);
        struct masing_integrate_summary summary = {0};
        struct masing_error error = {0};
        struct masing_integrate_options options = {.all_history = all};
        struct masing_model *model = oscillator(-20000.0, 10000);
        CHECK(masing_integrate(model, 1.5, &options, &sink, &summary, &error) ==
              MASING_STOPPED);
        CHECK(strstr(error.message, "stopped at time") != NULL);
        CHECK(counter.n_rows > 1 && counter.n_finished == 1);
        CHECK(isnan(summary.outputs[0].max) && isnan(summary.energy_in));
        CHECK(!summary.is_steady && summary.reason[0]);
        /* beyond the unstable equilibrium at 0.0707 m */
        CHECK(fabs(counter.last_value) > 0.08);
        masing_integrate_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

static const int methods[] = {MASING_INTEGRATION_NEWMARK, MASING_INTEGRATION_HHT,
                              MASING_INTEGRATION_ACCURATE, MASING_INTEGRATION_EXACT};

/* Integrate to a failure; its rows and message are kept. */
static void expect_stop(struct masing_spec *spec, int steady, double hz, const char *words)
{
    struct counter counter = {0};
    struct masing_sink sink = count_into(&counter);
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    spec->integration.steady = steady;
    struct masing_model *model = integrated_seal(spec);
    CHECK(masing_integrate(model, hz, NULL, &sink, &summary, &error) == MASING_STOPPED);
    if (!CHECK(strstr(error.message, "stopped at time") && strstr(error.message, words))) {
        printf("# %s\n", error.message);
    }
    CHECK(counter.n_rows > 0 && counter.n_finished == 1);
    CHECK(!summary.is_steady && strcmp(summary.reason, error.message) == 0);
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A joint that feeds energy in, or a spring that pushes away: the motion grows until no number
 * holds it, by every method. */
static void energy_from_nowhere_stops_it(void)
{
    const struct masing_law *linear = masing_law_find("linear");
    struct masing_field fields[2];
    struct masing_law law = *linear;
    memcpy(fields, linear->fields, sizeof fields);
    fields[1].minimum = -INFINITY;
    law.fields = fields;
    for (int i = 0; i < tap_most(8, 4); i++) {
        struct masing_spec spec;
        double mass = 1.0;
        integrated_begin(&spec, 1, &mass);
        specimen_spring(&spec, MASING_GROUND, 0, 100.0);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "source", "linear", MASING_GROUND, 0);
        joint->law = &law;
        specimen_field(joint, "stiffness", i < 4 ? 1.0 : -5000.0);
        specimen_field(joint, "damping", i < 4 ? -60.0 : 0.0);
        specimen_load(&spec, 0, 5.0);
        spec.integration.steps_per_cycle = 128;
        spec.integration.method = methods[i % 4];
        expect_stop(&spec, MASING_STEADY_MARCHING, 1.5,
                    i % 4 == 2 ? "the motion" : "not finite");
    }
}

/* A light mass that a slow load throws to and fro between hard stops, more often than anybody
 * wants to know in a step. */
static void chatter_stops_it(void)
{
    for (int i = 2; i < 4; i++) {
        struct masing_spec spec;
        double mass = 1e-3;
        integrated_begin(&spec, 1, &mass);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "stops", "unilateral_spring", MASING_GROUND, 0);
        specimen_field(joint, "stiffness", 1e7);
        specimen_field(joint, "gap", 1e-4);
        specimen_field(joint, "two_sided", 1.0);
        specimen_load(&spec, 0, 1.0);
        spec.integration.steps_per_cycle = 16;
        spec.integration.method = methods[i];
        spec.integration.accuracy = 1e-4;
        expect_stop(&spec, i == 2 ? MASING_STEADY_SHOOTING : MASING_STEADY_MARCHING, 1e-3,
                    "chatter");
    }
}

/* What the exact method cannot do is said before anything is computed. */
static void laws_that_are_curved_are_refused(void)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_spec spec;
    double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 100.0);
    struct masing_joint_spec *joint =
        specimen_joint(&spec, "curved", "cubic_spring", MASING_GROUND, 0);
    specimen_field(joint, "coefficient", 1.0);
    specimen_load(&spec, 0, 5.0);
    spec.integration.method = MASING_INTEGRATION_EXACT;
    struct masing_model *model = integrated_seal(&spec);
    CHECK(masing_integrate(model, 1.0, NULL, NULL, &summary, &error) == MASING_UNSUPPORTED);
    CHECK(strstr(error.message, "'curved'") && strstr(error.message, "cubic_spring"));
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);

    const double masses[] = {1.0, 0.0};
    memset(&error, 0, sizeof error);
    integrated_begin(&spec, 2, masses);
    specimen_spring(&spec, MASING_GROUND, 0, 100.0);
    specimen_spring(&spec, 0, 1, 100.0);
    specimen_load(&spec, 0, 5.0);
    spec.outputs[1].quantity = MASING_VELOCITY;
    spec.integration.method = MASING_INTEGRATION_EXACT;
    model = integrated_seal(&spec);
    CHECK(masing_integrate(model, 1.0, NULL, NULL, &summary, &error) == MASING_UNSUPPORTED);
    CHECK(strstr(error.message, "without mass") != NULL);
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

static void a_full_disk_ends_it(void)
{
    for (int all = 0; all < 2; all++) {
        struct counter counter = {.fails_at_row = 7};
        struct masing_sink sink = count_into(&counter);
        struct masing_integrate_summary summary = {0};
        struct masing_error error = {0};
        struct masing_integrate_options options = {.all_history = all};
        struct masing_model *model = oscillator(1e-3, 10000);
        CHECK(masing_integrate(model, 1.5, &options, &sink, &summary, &error) == MASING_IO);
        CHECK(counter.n_rows == 7 && counter.n_finished == 0 && counter.n_abandoned == 1);
        CHECK(strcmp(error.message, "the disk is full") == 0);
        masing_integrate_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

static bool is_cancelled(void *context)
{
    return ++*(int *)context >= 3;
}

/* Interrupted in the first period, it completes that and gives the next. */
static void a_user_interrupts_it(void)
{
    int n_asked = 0;
    const struct masing_progress progress = {.context = &n_asked, .is_cancelled = is_cancelled};
    struct counter counter = {0};
    struct masing_sink sink = count_into(&counter);
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_integrate_options options = {.progress = &progress};
    struct masing_model *model = oscillator(1e-3, 10000);
    CHECK(masing_integrate(model, 1.5, &options, &sink, &summary, &error) == MASING_STOPPED);
    CHECK(strstr(error.message, "interrupted; the last period") != NULL);
    CHECK(summary.cycles == 2 && counter.n_rows == 64 && counter.n_finished == 1);
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

/* Periods of a million steps to a tolerance take many seconds each: it does not wait for one.
 */
static void a_user_interrupts_it_within_a_period(void)
{
    for (int shoots = 0; shoots < 2; shoots++) {
        int n_asked = 0;
        const struct masing_progress progress = {.context = &n_asked,
                                                 .is_cancelled = is_cancelled};
        struct counter counter = {0};
        struct masing_sink sink = count_into(&counter);
        struct masing_integrate_summary summary = {0};
        struct masing_error error = {0};
        struct masing_integrate_options options = {.progress = &progress};
        struct masing_spec spec;
        double mass = 1.0;
        integrated_begin(&spec, 1, &mass);
        specimen_spring(&spec, MASING_GROUND, 0, 100.0);
        specimen_field(specimen_joint(&spec, "spring", "cubic_spring", MASING_GROUND, 0),
                       "coefficient", 1e-3);
        specimen_load(&spec, 0, 5.0);
        spec.integration.method = MASING_INTEGRATION_ACCURATE;
        spec.integration.steady = shoots ? MASING_STEADY_SHOOTING : MASING_STEADY_MARCHING;
        spec.integration.steps_per_cycle = 1000000;
        struct masing_model *model = integrated_seal(&spec);
        CHECK(masing_integrate(model, 1.5, &options, &sink, &summary, &error) ==
              MASING_STOPPED);
        CHECK(strstr(error.message, "interrupted in cycle 1, at time 0.") != NULL);
        CHECK(summary.cycles == 0 && isnan(summary.outputs[0].max) && isnan(summary.energy_in));
        CHECK(counter.n_columns > 0 && counter.n_rows == 0 && counter.n_finished == 1);
        CHECK(summary.seconds < 5.0);
        masing_integrate_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

static void wrong_input_is_refused(void)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = oscillator(1e-3, 100);
    const double wrong[] = {0.0, -3.0, NAN, INFINITY, 1e-308, 1e-90, 1e90};
    for (int i = 0; i < 7; i++) {
        struct counter counter = {0};
        struct masing_sink sink = count_into(&counter);
        CHECK(masing_integrate(model, wrong[i], NULL, &sink, &summary, NULL) == MASING_INVALID);
        CHECK(counter.n_columns == 0 && counter.n_finished == 0 && counter.n_abandoned == 0);
        masing_integrate_summary_clear(&summary);
    }
    masing_model_destroy(model);

    struct masing_spec spec;
    double mass = 1.0;
    integrated_begin(&spec, 1, &mass);
    specimen_spring(&spec, MASING_GROUND, 0, 100.0);
    spec.structure.form.kind = MASING_DAMPING_STRUCTURAL;
    spec.structure.form.loss_factor = 0.01;
    specimen_load(&spec, 0, 1.0);
    model = integrated_seal(&spec);
    CHECK(masing_integrate(model, 1.0, NULL, NULL, &summary, &error) == MASING_UNSUPPORTED);
    CHECK(strstr(error.message, "structural damping") != NULL);
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"the last period is written", the_last_period_is_written},
    {"the whole history is written", the_whole_history_is_written},
    {"too few cycles stop with the last period", too_few_cycles_stop_with_the_last_period},
    {"a motion without bounds stops with its history",
     a_motion_without_bounds_stops_with_its_history},
    {"energy from nowhere stops it", energy_from_nowhere_stops_it},
    {"chatter stops it", chatter_stops_it},
    {"laws that are curved are refused", laws_that_are_curved_are_refused},
    {"a full disk ends it", a_full_disk_ends_it},
    {"a user interrupts it", a_user_interrupts_it},
    {"a user interrupts it within a period", a_user_interrupts_it_within_a_period},
    {"wrong input is refused", wrong_input_is_refused},
};

TAP_MAIN(tests)
