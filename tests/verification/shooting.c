/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periodic motions by shooting and to a tolerance, against references that were computed with
 * exact events, and against marching.
 */
#include "example.h"
#include "integrated.h"

static FILE *reference(const char *name)
{
    char line[512];
    FILE *file = open_reference(name);
    if (file && !fgets(line, sizeof line, file)) {
        CHECK(false);
    }
    return file;
}

/* The example with numbers overridden, integrated at a frequency. */
static struct masing_integrate_summary integrate(const char *example,
                                                 const struct masing_override *overrides,
                                                 int n_overrides, double hz, struct table *rows)
{
    struct masing_model *model = example_open(example, overrides, n_overrides);
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_sink sink = {0};
    if (rows) {
        sink = table_sink(rows);
    }
    if (!CHECK(masing_integrate(model, hz, NULL, rows ? &sink : NULL, &summary, &error) ==
               MASING_OK)) {
        printf("# %g Hz: %s\n", hz, error.message);
    }
    masing_model_destroy(model);
    return summary;
}

/* How often per period the joint's force is off its limit: stick intervals. */
static int intervals_below(const struct table *rows, const char *column, double limit)
{
    int n = 0;
    bool was_below = fabs(table_get(rows, rows->n_rows - 1, column)) < limit * (1.0 - 1e-9);
    for (int r = 0; r < rows->n_rows; r++) {
        bool is_below = fabs(table_get(rows, r, column)) < limit * (1.0 - 1e-9);
        n += is_below && !was_below;
        was_below = is_below;
    }
    return n;
}

static void friction_oscillator(void)
{
    static const struct masing_override overrides[] = {
        {"integration.method", "accurate"}, {"integration.steady", "shooting"},
        {"integration.tolerance", "1e-8"},  {"integration.steps_per_cycle", "2048"},
        {"integration.accuracy", "1e-11"},
    };
    FILE *file = reference("friction_oscillator_1dof.csv");
    double eta, max, rate, share, first;
    int n_stick;
    while (file && fscanf(file, "%lf,%lf,%lf,%d,%lf,%lf,%*[^\n]", &eta, &max, &rate, &n_stick,
                          &share, &first) == 6) {
        struct table rows;
        struct masing_integrate_summary summary = integrate(
            "friction_oscillator.yaml", overrides, 5, eta / 6.28318530717958647692, &rows);
        CHECK_RELATIVE(summary.outputs[0].max, max, 1e-6);
        CHECK_RELATIVE(summary.outputs[0].h1, first, 1e-6);
        CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-5);
        CHECK(intervals_below(&rows, "force_contact", 0.5) == n_stick);
        printf("# eta %g: %d cycles\n", eta, summary.cycles);
        CHECK(summary.cycles <= 20);
        table_clear(&rows);
        masing_integrate_summary_clear(&summary);
    }
    if (file) {
        fclose(file);
    }
}

static void two_mass_damper(void)
{
    FILE *file = reference("two_mass_damper_response.csv");
    char line[512];
    double worst = 0.0;
    int n = 0, n_cycles = 0, stride = tap_most(1, 12);
    for (int row = 0; file && fgets(line, sizeof line, file); row++) {
        double preload, f, max2, h2, max1, h1;
        if (row % stride != 0 || sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &preload, &f, &max2,
                                        &h2, &max1, &h1) != 6) {
            continue;
        }
        char text[32];
        snprintf(text, sizeof text, "%.17g", preload);
        const struct masing_override overrides[] = {
            {"damper.preload", text},           {"integration.method", "accurate"},
            {"integration.steady", "shooting"}, {"integration.steps_per_cycle", "128"},
            {"integration.tolerance", "1e-8"},  {"integration.accuracy", "1e-11"},
        };
        struct masing_integrate_summary summary =
            integrate("two_mass_damper.yaml", overrides, 6, f, NULL);
        double off = fabs(summary.outputs[0].h1 / h2 - 1.0);
        /* a joint that does not slip keeps an arbitrary offset: no maxima then */
        if (summary.energy_joints > 1e-6 * summary.energy_in) {
            off = fmax(off, fabs(summary.outputs[0].max / max2 - 1.0));
            off = fmax(off, fabs(summary.outputs[1].max / max1 - 1.0));
        }
        if (!CHECK(off < 1e-6)) {
            printf("# %g N, %g Hz: off by %.2g\n", preload, f, off);
        }
        worst = fmax(worst, off);
        n++;
        n_cycles += summary.cycles;
        masing_integrate_summary_clear(&summary);
    }
    printf("# %d frequencies: off by at most %.2g; %.1f periods each\n", n, worst,
           (double)n_cycles / (n > 0 ? n : 1));
    CHECK(n >= 20);
    if (file) {
        fclose(file);
    }
}

/* Between the frequencies at which a multiplier passes -1 the motion of one period is unstable:
 * both ways lead to that of two, and say so. */
static void sub_harmonic(void)
{
    static const char *const ways[] = {"marching", "shooting"};
    struct masing_integrate_summary found[2] = {{0}};
    for (int k = 0; k < 2; k++) {
        const struct masing_override overrides[] = {{"integration.steady", ways[k]},
                                                    {"integration.cycles", "1000"}};
        struct table rows;
        found[k] = integrate("period_doubling.yaml", overrides, 2, 60.0, &rows);
        CHECK(found[k].order == 2);
        CHECK(rows.n_rows == 2 * 1024);
        /* the second half of the rows is not the first again */
        double first = table_get(&rows, 0, "x"), second = table_get(&rows, 1024, "x");
        CHECK(fabs(first - second) > 0.1 * found[k].outputs[0].amp);
        CHECK_RELATIVE(found[k].energy_lost, found[k].energy_in, 1e-6);
        table_clear(&rows);
    }
    CHECK_RELATIVE(found[1].outputs[0].max, found[0].outputs[0].max, 1e-6);
    CHECK(found[1].largest_multiplier < 1.0);
    CHECK(found[1].n_updates > 0 && found[1].cycles < found[0].cycles);
    masing_integrate_summary_clear(&found[0]);
    masing_integrate_summary_clear(&found[1]);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"the friction oscillator, its stick intervals", friction_oscillator},
        {"a motion of two periods", sub_harmonic},
        {"the two-mass damper at frequencies of the reference", two_mass_damper},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
