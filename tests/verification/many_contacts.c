/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many contacts that change their state at nearly the same place: the curve has hundreds of
 * small corners there, and steps over them.
 */
#include "pad_model.h"

enum { N_RANGES = 2 };
static const char *const ranges[N_RANGES] = {"[480, 640]", "[640, 480]"};

static void run_file(const char *file, const struct masing_override *overrides, int n_overrides,
                     const double *at_hz, int n_at, struct run *run)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    const struct masing_response_options options = {
        .n_at = n_at,
        .at_hz = at_hz,
        .columns = MASING_COLUMNS_HARMONICS | MASING_COLUMNS_ENERGY | MASING_COLUMNS_JOINTS,
        .stability = MASING_STABILITY_NONE};
    struct masing_sink sink = table_sink(&run->rows);
    memset(&run->summary, 0, sizeof run->summary);
    memset(&run->error, 0, sizeof run->error);
    run->status = masing_document_read(file, &document, &run->error);
    if (run->status == MASING_OK) {
        run->status =
            masing_document_model(document, overrides, n_overrides, &model, &run->error);
    }
    if (run->status == MASING_OK) {
        run->status = masing_frf(model, &options, &sink, NULL, &run->summary, &run->error);
    }
    if (run->status != MASING_OK) {
        printf("# %s: %s\n", masing_status_name(run->status), run->error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
}

static void run_pad(int n, int range, const char *harmonics, const double *at_hz, int n_at,
                    struct run *run)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    const struct masing_override overrides[] = {{"frequency", ranges[range]},
                                                {"harmonics", harmonics}};
    scratch_make(folder);
    pad_write(folder, n);
    snprintf(file, sizeof file, "%s/pad.yaml", folder);
    run_file(file, overrides, 2, at_hz, n_at, run);
    static const char *const files[] = {"pad.yaml", "stiffness.mtx", "mass.mtx",
                                        "load.mtx", "dofs.txt",      "pairs.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, files[i]);
        remove(file);
    }
    rmdir(folder);
}

/* Complete, and followed all the way: nothing guessed by other means. */
static bool is_followed(const struct run *run)
{
    return run->status == MASING_OK && run->summary.is_complete &&
           run->summary.strategies[MASING_STRATEGY_RESTART] == 0;
}

/* The number of contacts is a matter of the mesh. */
static void points_do_not_grow_with_contacts(void)
{
    static const int sizes[] = {2, 4, 6};
    int least = 1000000, most = 0;
    for (int i = 0; i < tap_most(3, 2); i++) {
        for (int range = 0; range < N_RANGES; range++) {
            struct run run;
            run_pad(sizes[i], range, "[0, 1]", NULL, 0, &run);
            CHECK(is_followed(&run));
            least = run.rows.n_rows < least ? run.rows.n_rows : least;
            most = run.rows.n_rows > most ? run.rows.n_rows : most;
            printf("# %d contacts: %d points\n", sizes[i] * sizes[i], run.rows.n_rows);
            run_clear(&run);
        }
    }
    CHECK(most <= 2 * least);
}

/* Where the motion is unique, both directions find it. */
static void both_directions_find_the_same(void)
{
    static const double at_hz[] = {500, 520, 533, 535, 537, 540, 545, 560, 580, 600, 620, 635};
    enum { N_AT = sizeof at_hz / sizeof *at_hz };
    double largest[N_RANGES][N_AT], mean[N_RANGES][N_AT];
    for (int range = 0; range < N_RANGES; range++) {
        struct run run;
        run_pad(3, range, "[0, 1, 2, 3, 4, 5]", at_hz, N_AT, &run);
        CHECK(is_followed(&run));
        for (int i = 0; i < N_AT; i++) {
            int row = table_find(&run.rows, "at", at_hz[i]);
            largest[range][i] = CHECK(row >= 0) ? table_get(&run.rows, row, "top_max") : NAN;
            mean[range][i] = row >= 0 ? table_get(&run.rows, row, "top_mean") : NAN;
        }
        run_clear(&run);
    }
    for (int i = 0; i < N_AT; i++) {
        CHECK_RELATIVE(largest[1][i], largest[0][i], 1e-7);
        CHECK_SCALED(mean[1][i], mean[0][i], largest[0][i], 1e-7);
    }
}

/* 24 blades with a damper each, in a travelling wave: all dampers slip at one place. Values:
 * one blade with its damper in the wave's frame, by describing function. */
static void dampers_of_a_travelling_wave(void)
{
    static const double at_hz[] = {186, 189, 189.5, 190, 192};
    static const double right[] = {NAN, 3.8280e-4, 5.9302e-4, 2.64285e-4, 6.36588e-5};
    static const struct {
        const char *limit;
        double peak, peak_hz;
    } cases[] = {{"3", 7.42e-4, 189.32}, {"1", NAN, 189.304}};
    const char *root = getenv("MASING_SOURCE_ROOT");
    char file[4096];
    snprintf(file, sizeof file, "%s/tests/reference/field/blisk.yaml", root ? root : ".");
    for (int i = 0; i < 4; i++) {
        const struct masing_override limit = {"lim", cases[i / 2].limit};
        struct run run;
        run_file(file, &limit, 1, at_hz, i % 2 == 0 ? 0 : 5, &run);
        CHECK(is_followed(&run));
        CHECK_SCALED(run.summary.peak.frequency_hz, cases[i / 2].peak_hz, 1.0, 5e-3);
        if (i < 2) {
            CHECK_RELATIVE(run.summary.peak.max, cases[i / 2].peak, 1e-3);
        }
        for (int a = 1; i == 1 && a < 5; a++) {
            int row = table_find(&run.rows, "at", at_hz[a]);
            CHECK(row >= 0);
            CHECK_RELATIVE(row < 0 ? NAN : table_get(&run.rows, row, "b0_h1"), right[a], 2e-5);
        }
        run_clear(&run);
    }
}

/* The motions of the gravity contact at 26 Hz, whichever piece of the curve they are on. */
static void check_three_motions(const struct table *rows)
{
    static const double right[] = {8.01034527e-5, 1.636884979e-4, 3.94110942e-4};
    int n_found[] = {0, 0, 0}, n_rows = 0;
    for (int r = 0; r < rows->n_rows; r++) {
        if (!strstr(rows->events[r], "at")) {
            continue;
        }
        n_rows++;
        for (int i = 0; i < 3; i++) {
            n_found[i] += fabs(table_get(rows, r, "x_max") - right[i]) <= 1e-8 * right[i];
        }
    }
    CHECK(n_rows == 3 && n_found[0] == 1 && n_found[1] == 1 && n_found[2] == 1);
}

static bool has_warning(const struct run *run, const char *part)
{
    bool has = false;
    for (int i = 0; i < run->summary.n_warnings; i++) {
        has = has || strstr(run->summary.warnings[i], part) != NULL;
    }
    return has;
}

/* A contact with a gap under its own weight: three motions between the folds at 22.9 and
 * 28.8 Hz. A range from end to end has one curve through all of them; one that begins between
 * the folds has a curve that comes back, and the other end is reached all the same. */
static void the_rest_of_the_range_is_followed_from_its_end(void)
{
    static const struct {
        const char *text;
        double from, to, n_branches, peak_hz;
    } cases[] = {{"[15, 45]", 15.0, 45.0, 1.0, 28.113},
                 {"[45, 15]", 45.0, 15.0, 1.0, 28.113},
                 {"[25, 45]", 25.0, 45.0, 2.0, 28.112}};
    static const double at_hz[] = {26};
    const char *root = getenv("MASING_SOURCE_ROOT");
    char file[4096];
    snprintf(file, sizeof file, "%s/tests/reference/field/gravity_contact.yaml",
             root ? root : ".");
    for (int i = tap_most(0, 2); i < 3; i++) {
        const struct masing_override overrides = {"frequency", cases[i].text};
        struct run run;
        run_file(file, &overrides, 1, at_hz, 1, &run);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        CHECK_RELATIVE(run.summary.peak.max, .000940424, 2e-6);
        CHECK_SCALED(run.summary.peak.frequency_hz, cases[i].peak_hz, 1.0, 1e-3);
        check_three_motions(&run.rows);
        CHECK(table_find(&run.rows, "", cases[i].to) >= 0);
        int last = run.rows.n_rows - 1;
        bool comes_back = cases[i].n_branches > 1.0;
        CHECK(last > 0 && table_get(&run.rows, 0, "frequency_hz") == cases[i].from);
        CHECK(last > 0 && table_get(&run.rows, last, "branch") == cases[i].n_branches);
        CHECK(last > 0 && table_get(&run.rows, last, "frequency_hz") ==
                              (comes_back ? cases[i].from : cases[i].to));
        CHECK(has_warning(&run, "comes back") == comes_back);
        run_clear(&run);
    }
}

/* Two blades and a wedge that lifts off in their resonance: between the folds at 307.69 and
 * 311.44 Hz no motion repeats with the load (10,000 periods of time integration settle on none
 * at 308 to 312 Hz), and the curve behind each fold turns round without an end. Both ends are
 * reached, each up to its fold; given as a preload the same force gives the same motion. */
static void what_winds_is_left_for_the_other_end(void)
{
    static const struct masing_override cases[][5] = {
        {{"load_factor", "15"}, {"frequency", "[250, 5000]"}},
        {{"load_factor", "15"}, {"frequency", "[5000, 250]"}},
        {{"load_factor", "15"},
         {"frequency", "[250, 5000]"},
         {"parameters.FC", "0"},
         {"left.preload", "70.710678"},
         {"right.preload", "70.710678"}},
    };
    static const int n_overrides[] = {2, 2, 5};
    const char *root = getenv("MASING_SOURCE_ROOT");
    char file[4096];
    double first_peak = NAN;
    snprintf(file, sizeof file, "%s/tests/reference/field/wedge_static_normal.yaml",
             root ? root : ".");
    for (int i = 0; i < tap_most(3, 1); i++) {
        struct run run;
        run_file(file, cases[i], n_overrides[i], NULL, 0, &run);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        CHECK(run.rows.n_rows < 1500);
        CHECK(has_warning(&run, "nothing was followed between 307.6") &&
              has_warning(&run, "and 311.4"));
        int last = run.rows.n_rows - 1, far = last;
        double peak = 0.0, from = i == 1 ? 5000.0 : 250.0;
        for (int row = 0; row <= last; row++) {
            peak = fmax(peak, table_get(&run.rows, row, "b1_amp"));
        }
        while (far > 0 && table_get(&run.rows, far - 1, "branch") ==
                              table_get(&run.rows, last, "branch")) {
            far--;
        }
        first_peak = i == 0 ? peak : first_peak;
        CHECK_RELATIVE(peak, first_peak, 1e-3);
        if (CHECK(far > 1 && far < last)) {
            CHECK(table_get(&run.rows, 0, "frequency_hz") == from);
            CHECK(table_get(&run.rows, far, "frequency_hz") == 5250.0 - from);
        }
        run_clear(&run);
    }
}

/* A curve that turns round and runs back on its own path is followed again with shorter steps.
 * With solver.step.max 0.03 from the start these models never turned round. */
static void what_runs_back_is_followed_again(void)
{
    static const struct {
        const char *file;
        struct masing_override override;
        double to_hz;
    } cases[] = {
        {"tests/reference/field/came_back_4dofs.yaml", {"harmonics", "7"}, 8.91651387320708},
        {"tests/reference/field/came_back_7dofs.yaml", {"harmonics", "7"}, 1.4131107905107505},
        {"examples/two_mass_damper.yaml", {"damper.preload", "22.731792"}, 28.0},
        {"examples/two_mass_damper.yaml", {"damper.preload", "22.731816"}, 28.0},
    };
    const char *root = getenv("MASING_SOURCE_ROOT");
    for (int i = 0; i < 4; i++) {
        char file[4096];
        struct run run;
        snprintf(file, sizeof file, "%s/%s", root ? root : ".", cases[i].file);
        run_file(file, &cases[i].override, 1, NULL, 0, &run);
        int last = run.rows.n_rows - 1;
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        CHECK(last > 0);
        CHECK_RELATIVE(table_get(&run.rows, last, "frequency_hz"), cases[i].to_hz, 1e-12);
        bool is_again = table_get(&run.rows, last, "branch") > 1.0;
        CHECK(!is_again || run.summary.n_warnings > 0);
        run_clear(&run);
    }
}

/* A flat peak, 4e-13 m above what lies 1e-5 of the frequency beside it, against the parabola
 * through rows on a grid. */
static void a_flat_peak_is_where_the_rows_about_it_are_highest(void)
{
    enum { N = 41 };
    const double first_hz = 2.46409, step_hz = 1e-5;
    /* rows are as exact as the parabola through them is to be */
    const struct masing_override overrides[] = {{"harmonics", "7"},
                                                {"solver.tolerance", "1e-13"}};
    const char *root = getenv("MASING_SOURCE_ROOT");
    double at_hz[N], value[N];
    int peak = -1, highest = 0;
    char file[4096];
    struct run run;
    for (int i = 0; i < N; i++) {
        at_hz[i] = first_hz + i * step_hz;
    }
    snprintf(file, sizeof file, "%s/tests/reference/field/came_back_4dofs.yaml",
             root ? root : ".");
    run_file(file, overrides, 2, at_hz, N, &run);
    for (int row = 0, next = 0; row < run.rows.n_rows && next < N; row++) {
        double hz = table_get(&run.rows, row, "frequency_hz");
        bool is_inside = next > 0 && hz < at_hz[N - 1];
        peak = is_inside && strstr(run.rows.events[row], "peak") ? row : peak;
        if (hz == at_hz[next]) {
            value[next] = table_get(&run.rows, row, "m1_max");
            highest = value[next] > value[highest] ? next : highest;
            next++;
        }
    }
    if (CHECK(peak >= 0 && highest > 0 && highest < N - 1)) {
        const double *v = value + highest;
        double difference = 0.5 * (v[1] - v[-1]), curvature = v[1] - 2.0 * v[0] + v[-1];
        double hz = at_hz[highest] - difference / curvature * step_hz;
        CHECK_SCALED(table_get(&run.rows, peak, "frequency_hz"), hz, 1.0, 0.1 * step_hz);
        CHECK_RELATIVE(table_get(&run.rows, peak, "m1_max"),
                       v[0] - 0.5 * difference * difference / curvature, 1e-11);
    }
    run_clear(&run);
}

static const struct tap_test tests[] = {
    {"points do not grow with contacts", points_do_not_grow_with_contacts},
    {"both directions find the same", both_directions_find_the_same},
    {"dampers of a travelling wave", dampers_of_a_travelling_wave},
    {"the rest of the range is followed from its end",
     the_rest_of_the_range_is_followed_from_its_end},
    {"what runs back is followed again", what_runs_back_is_followed_again},
    {"a flat peak is where the rows about it are highest",
     a_flat_peak_is_where_the_rows_about_it_are_highest},
    {"what winds is left for the other end", what_winds_is_left_for_the_other_end},
};

TAP_MAIN(tests)
