/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Voldrich (2009), figs. 9 and 10: contacts whose normal force varies, and a patch under a
 * moment, against solutions by shooting and with exact events.
 */
#include "example.h"

static const double PI = 3.14159265358979323846;

/* Energy in and out agree at every accepted point. */
static void check_energy(const struct run *run)
{
    CHECK(run->status == MASING_OK && run->summary.is_complete);
    CHECK(run->summary.energy_mismatch <= 1e-6);
    CHECK(run->rows.n_rows > 20);
    for (int r = 0; r < run->rows.n_rows; r++) {
        double in = table_get(&run->rows, r, "energy_in");
        CHECK_SCALED(table_get(&run->rows, r, "energy_lost"), in, in, 1e-6);
    }
}

static void run_normal_motion(const char *preload, const char *roughness, bool is_downwards,
                              struct run *run)
{
    const struct masing_override overrides[] = {
        {"contact.preload", preload},
        {"contact.roughness", roughness},
        {"frequency.0", is_downwards ? "30" : "18"},
        {"frequency.1", is_downwards ? "18" : "30"},
        {"samples", strcmp(roughness, "0") == 0 ? "512" : "256"},
    };
    example_run("normal_motion.yaml", overrides, 5, run);
    check_energy(run);
}

/* The curve has points close enough to its largest first harmonic, where it is flat. */
static double largest_h1(const struct run *run)
{
    double best = 0.0;
    for (int r = 0; r < run->rows.n_rows; r++) {
        best = fmax(best, table_get(&run->rows, r, "m2y_h1"));
    }
    return best;
}

static void peaks_of_rough_contacts(void)
{
    FILE *file = open_reference("normal_motion_peaks_rough.csv");
    char line[256], preload[32], last[32] = "", measure[64];
    double position, hz, size;
    int n_checked = 0;
    struct run run = {0};
    while (n_checked < tap_most(18, 2) && file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "B,%31[^,],%lf,%63[^,],%lf,%lf", preload, &position, measure, &hz,
                   &size) != 5) {
            continue;
        }
        if (strcmp(preload, last) != 0) { /* both measures of a preload follow each other */
            run_clear(&run);
            run_normal_motion(preload, "0.001", false, &run);
            strcpy(last, preload);
        }
        if (strcmp(measure, "max_abs_x2") == 0) {
            CHECK_RELATIVE(run.summary.peak.max, size, 1e-3);
            CHECK_RELATIVE(run.summary.peak.frequency_hz, hz, 1e-3);
        } else {
            CHECK_RELATIVE(largest_h1(&run), size, 1e-3);
        }
        n_checked++;
    }
    run_clear(&run);
    CHECK(n_checked == tap_most(18, 2));
    if (file) {
        fclose(file);
    }
}

/* Jumps of sweeps in both directions, found by curves in both directions. */
static void jumps_of_rough_contacts(void)
{
    FILE *file = open_reference("normal_motion_folds_rough.csv");
    char line[512], preload[32];
    double down, max_down, h1_down, up;
    int n_checked = 0;
    while (n_checked < tap_most(4, 1) && file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "B,%31[^,],%lf,%lf,%lf,%lf", preload, &down, &max_down, &h1_down,
                   &up) != 5) {
            continue;
        }
        for (int direction = 0; direction < 2; direction++) {
            struct run run;
            run_normal_motion(preload, "0.001", direction == 1, &run);
            const struct masing_response_summary *summary = &run.summary;
            if (CHECK(summary->n_jumps_up == 1 && summary->n_jumps_down == 1)) {
                CHECK_SCALED(summary->jump_up_hz[0], up, 1.0, 2e-3);
                CHECK_SCALED(summary->jump_down_hz[0], down, 1.0, 2e-3);
            }
            int n_folds = 0;
            for (int r = 0; r < run.rows.n_rows; r++) {
                n_folds += strstr(run.rows.events[r], "fold") != NULL;
            }
            CHECK(n_folds == 2);
            run_clear(&run);
        }
        n_checked++;
    }
    CHECK(n_checked == tap_most(4, 1));
    if (file) {
        fclose(file);
    }
}

static void other_preloads_have_no_jumps(void)
{
    const char *preloads[] = {"0", "10", "100", "200", "600"};
    for (int i = 0; i < tap_most(5, 1); i++) {
        for (int rough = 0; rough < 2; rough++) {
            struct run run;
            run_normal_motion(preloads[i], rough ? "0.001" : "0", false, &run);
            CHECK(run.summary.n_jumps_up == 0 && run.summary.n_jumps_down == 0);
            run_clear(&run);
        }
    }
}

/* The paper's jumps are there without roughness, too. */
static void linear_contacts_jump_at_the_same_preloads(void)
{
    const char *preloads[] = {"25", "30", "50"};
    for (int i = 0; i < tap_most(3, 1); i++) {
        struct run run;
        run_normal_motion(preloads[i], "0", false, &run);
        CHECK(run.summary.n_jumps_up == 1 && run.summary.n_jumps_down == 1);
        CHECK(run.summary.jump_up_hz[0] > run.summary.jump_down_hz[0] + 0.3);
        run_clear(&run);
    }
}

static void run_patch(const char *preload, const char *moment, bool is_one_mode,
                      struct run *run)
{
    /* with one mode the second is far away and so stiff that it does not move */
    const struct masing_override overrides[] = {{"patch.preload", preload},
                                                {"patch.preload_moment.0", moment},
                                                {"samples", "256"},
                                                {"structure.modes.frequencies.1", "1e7"}};
    example_run("contact_patch.yaml", overrides, is_one_mode ? 4 : 3, run);
    check_energy(run);
}

static void patches_under_a_moment(void)
{
    FILE *file = open_reference("contact_patch_peaks.csv");
    char line[256], reading[64], preload[32];
    double hz, size, hz_h1, size_h1;
    int n_modes, n_checked = 0;
    while (n_checked < tap_most(5, 1) && file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%d,%63[^,],%31[^,],%lf,%lf,%lf,%lf", &n_modes, reading, preload, &hz,
                   &size, &hz_h1, &size_h1) != 7) {
            continue;
        }
        struct run run;
        run_patch(preload, strcmp(reading, "equilibrium") == 0 ? "1" : "0", n_modes == 1, &run);
        CHECK_RELATIVE(run.summary.peak.max, size, 1e-3);
        CHECK_RELATIVE(run.summary.peak.frequency_hz, hz, 1e-3);
        n_checked++;
        run_clear(&run);
    }
    CHECK(n_checked == tap_most(5, 1));
    if (file) {
        fclose(file);
    }
}

static void a_moment_raises_the_response_at_50_n(void)
{
    struct run with, without;
    run_patch("50", "1", false, &with);
    run_patch("50", "0", false, &without);
    CHECK(with.summary.peak.max > 1.2 * without.summary.peak.max);
    run_clear(&with);
    run_clear(&without);
}

/* On a circle of radius R the contact loses 2 pi mu N sqrt(R^2 - (mu N/k)^2) per cycle. */
static void check_circle(const struct masing_override *overrides, int n_overrides,
                         double preload, double stiffness, int samples)
{
    struct run run;
    double friction = 0.3 * preload, reach = friction / stiffness;
    int n_slipping = 0;
    example_run("contact_circle.yaml", overrides, n_overrides, &run);
    check_energy(&run);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double radius = table_get(&run.rows, r, "n.y_h1");
        double loss = table_get(&run.rows, r, "loss_foot");
        CHECK_RELATIVE(table_get(&run.rows, r, "n.z_h1"), radius, 1e-9);
        if (radius > reach * (samples < 1024 ? 1.01 : 1.001)) {
            double expected = 2.0 * PI * friction * sqrt(radius * radius - reach * reach);
            CHECK_SCALED(loss, expected, 2.0 * PI * friction * radius,
                         samples < 1024 ? 5e-4 : 1e-4);
            CHECK(table_get(&run.rows, r, "slip_foot") == 1.0);
            n_slipping++;
        } else if (radius < reach * 0.999) {
            CHECK_SCALED(loss, 0.0, friction * reach, 1e-9);
        }
    }
    CHECK(n_slipping > 10);
    run_clear(&run);
}

/* Where the circle becomes as small as the reach the slip ends as a square root does; the curve
 * must get past that whatever the numbers are. */
static void a_circling_node_loses_what_its_radius_says(void)
{
    static const struct {
        const char *preload, *stiffness, *harmonics, *samples;
    } cases[] = {{"40", "30000", "3", "1024"}, {"40", "30000", "3", "256"},
                 {"40", "30000", "9", "512"},  {"41", "30000", "7", "256"},
                 {"50", "30000", "7", "256"},  {"40", "25000", "7", "256"},
                 {"20", "30000", "5", "256"}};
    for (int i = tap_most(0, 5); i < 7; i++) {
        const struct masing_override overrides[] = {
            {"foot.preload", cases[i].preload},
            {"foot.tangential_stiffness", cases[i].stiffness},
            {"harmonics", cases[i].harmonics},
            {"samples", cases[i].samples}};
        check_circle(overrides, 4, atof(cases[i].preload), atof(cases[i].stiffness),
                     atoi(cases[i].samples));
    }
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"peaks of rough contacts", peaks_of_rough_contacts},
        {"jumps of rough contacts", jumps_of_rough_contacts},
        {"other preloads have no jumps", other_preloads_have_no_jumps},
        {"linear contacts jump, too", linear_contacts_jump_at_the_same_preloads},
        {"patches under a moment", patches_under_a_moment},
        {"a moment raises the response at 50 N", a_moment_raises_the_response_at_50_n},
        {"a circling node loses what its radius says",
         a_circling_node_loses_what_its_radius_says},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
