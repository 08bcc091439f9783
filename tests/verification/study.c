/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of a study against the two linear models that a friction damper has, stuck and
 * removed, in closed form; and between them against the row of the peak.
 */
#include "response.h"
#include "two_masses.h"

static const double TWO_PI = 6.28318530717958647692;
static const double k1 = 41339.0, k2 = 41328.0, held = 4e4, load = 10.0;
static const double ratios[2] = {0.02, 0.01};

enum { MOST_VALUES = 4 };

struct study {
    struct table rows, peaks;
    struct masing_response_summary summaries[MOST_VALUES];
    int n;
};

static void run_study(struct study *study, const char *outputs, const char *joints,
                      const char *range, const double *values, int n)
{
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {m1: 1, m2: 1}\n"
                         "  springs:\n"
                         "    - {from: ground, to: m1, stiffness: %.17g}\n"
                         "    - {from: m1, to: m2, stiffness: %.17g}\n"
                         "  damping: {modal_ratio: [%.17g, %.17g]}\n"
                         "joints:\n"
                         "  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                         "     stiffness: %.17g, slip_force: 15}\n%s"
                         "loads: [{dof: m2, amplitude: %.17g}]\n"
                         "frequency: %s\nharmonics: [0, 1, 2, 3, 5, 7]\nsamples: 1024\n"
                         "outputs: %s\n",
                         k1, k2, ratios[0], ratios[1], held, joints, load, range, outputs);
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    const struct masing_response_options options = {.columns = MASING_COLUMNS_HARMONICS,
                                                    .n_threads = 1,
                                                    .stability = MASING_STABILITY_NONE};
    struct masing_sink rows = table_sink(&study->rows), peaks = table_sink(&study->peaks);
    study->n = n;
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    const struct masing_study_request request = {.document = document,
                                                 .parameter = "damper.slip_force",
                                                 .n_values = n,
                                                 .values = values};
    memset(study->summaries, 0, sizeof study->summaries);
    if (!CHECK(masing_study(&request, &options, &rows, &peaks, NULL, study->summaries,
                            &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    CHECK(study->peaks.n_rows == n);
    masing_document_destroy(document);
    free(text);
}

static void clear_study(struct study *study)
{
    for (int i = 0; i < study->n; i++) {
        masing_response_summary_clear(&study->summaries[i]);
    }
    table_clear(&study->rows);
    table_clear(&study->peaks);
}

/* ---- closed forms ---- */

struct linear {
    double hz, m1, m2, damping_ratio;
};

/* Size of an output of m2 by its quantity, and all of what is asked at a frequency. */
static double linear_at(double spring, int quantity, double hz, struct linear *at)
{
    double damping[2][2], omega = TWO_PI * hz, loss = 0.0;
    double complex x[2];
    two_masses_damping(k1, k2, ratios, damping);
    two_masses_respond(k1, k2, spring, damping, omega, load, x);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            loss += 0.5 * TWO_PI * omega * damping[i][j] * creal(conj(x[i]) * x[j]);
        }
    }
    double m1 = cabs(x[0]), m2 = cabs(x[1]);
    double energy = 0.5 * omega * omega * (m1 * m1 + m2 * m2);
    *at = (struct linear){hz, m1, m2, loss / (2.0 * TWO_PI * energy)};
    return m2 * pow(omega, quantity);
}

/* The peak of m2 between two frequencies by golden section. */
static struct linear linear_peak(double spring, int quantity, double low, double high)
{
    const double golden = 0.38196601125010515;
    struct linear peak;
    for (int i = 0; i < 100; i++) {
        double a = low + golden * (high - low), b = high - golden * (high - low);
        bool keep_low =
            linear_at(spring, quantity, a, &peak) > linear_at(spring, quantity, b, &peak);
        *(keep_low ? &high : &low) = keep_low ? b : a;
    }
    linear_at(spring, quantity, 0.5 * (low + high), &peak);
    return peak;
}

/* ---- the table ---- */

static double peak_cell(const struct study *study, int index, const char *name)
{
    return table_get(&study->peaks, index, name);
}

/* Without slip: a linear model's peak in every column. */
static void check_linear(const struct study *study, int index, const struct linear *linear,
                         double slip_share)
{
    CHECK_RELATIVE(peak_cell(study, index, "frequency_hz"), linear->hz, 1e-6);
    static const char *const measures[] = {"max", "amp", "h1"};
    for (int m = 0; m < 3; m++) {
        char name[32];
        snprintf(name, sizeof name, "m2_%s", measures[m]);
        CHECK_RELATIVE(peak_cell(study, index, name), linear->m2, 1e-9);
        snprintf(name, sizeof name, "m1_%s", measures[m]);
        CHECK_RELATIVE(peak_cell(study, index, name), linear->m1, 1e-5); /* no extremum */
    }
    CHECK_SCALED(peak_cell(study, index, "slip_share"), slip_share, 1.0, 1e-9);
    CHECK_RELATIVE(peak_cell(study, index, "equivalent_damping_ratio"), linear->damping_ratio,
                   1e-6);
    CHECK_SCALED(study->summaries[index].third_to_first, 0.0, 1.0, 1e-9);
}

static int rows_of_value(const struct study *study, double value, int *peak)
{
    int n = 0;
    *peak = -1;
    for (int r = 0; r < study->rows.n_rows; r++) {
        if (table_get(&study->rows, r, "damper.slip_force") == value) {
            n++;
            *peak = strstr(study->rows.events[r], "peak") ? r : *peak;
        }
    }
    return n;
}

/* Where it slips the columns are those of the peak's row. */
static void check_row(const struct study *study, int index, double value)
{
    static const char *const names[] = {"frequency_hz", "m2_max", "m2_amp", "m2_h1",
                                        "m1_max",       "m1_amp", "m1_h1"};
    int row, n = rows_of_value(study, value, &row);
    const struct table *rows = &study->rows;
    CHECK(peak_cell(study, index, "points") == n && study->summaries[index].points == n);
    if (!CHECK(row >= 0)) {
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_RELATIVE(peak_cell(study, index, names[i]), table_get(rows, row, names[i]),
                       1e-12);
    }
    double omega = TWO_PI * table_get(rows, row, "frequency_hz");
    double m1 = table_get(rows, row, "m1_h1"), m2 = table_get(rows, row, "m2_h1");
    double energy = 0.5 * omega * omega * (m1 * m1 + m2 * m2);
    CHECK_RELATIVE(peak_cell(study, index, "equivalent_damping_ratio"),
                   table_get(rows, row, "energy_lost") / (2.0 * TWO_PI * energy), 1e-9);
    CHECK_RELATIVE(study->summaries[index].third_to_first, table_get(rows, row, "m2_h3") / m2,
                   1e-9);
    CHECK_RELATIVE(peak_cell(study, index, "slip_share"), table_get(rows, row, "slip_damper"),
                   1e-12);
}

static const double values[] = {1e4, 0.0, 15.0};
enum { STUCK, REMOVED, SLIPPING, N_VALUES };

static void columns_are_those_of_linear_models(void)
{
    const struct linear stuck = linear_peak(held, 0, 18.0, 28.0);
    const struct linear removed = linear_peak(0.0, 0, 18.0, 28.0);
    struct study study;
    run_study(&study, "[m2, m1]", "", "[18, 28]", values, N_VALUES);
    for (int i = 0; i < N_VALUES; i++) {
        const struct masing_response_summary *summary = &study.summaries[i];
        CHECK(peak_cell(&study, i, "damper.slip_force") == values[i]);
        CHECK_RELATIVE(summary->stuck_peak, stuck.m2, 1e-9);
        CHECK_RELATIVE(summary->stuck_peak_hz, stuck.hz, 1e-6);
        CHECK_RELATIVE(summary->free_peak, removed.m2, 1e-9);
        CHECK_RELATIVE(summary->free_peak_hz, removed.hz, 1e-6);
        CHECK(peak_cell(&study, i, "at_limit") == 0.0 &&
              peak_cell(&study, i, "complete") == 1.0);
        CHECK(peak_cell(&study, i, "seconds") > 0.0);
        CHECK(summary->n_jumps_up == 0 && summary->n_jumps_down == 0);
        check_row(&study, i, values[i]);
    }
    check_linear(&study, STUCK, &stuck, 0.0);
    check_linear(&study, REMOVED, &removed, 1.0);
    CHECK(peak_cell(&study, SLIPPING, "m2_max") < 0.5 * fmin(stuck.m2, removed.m2));
    CHECK(peak_cell(&study, SLIPPING, "slip_share") > 0.1);
    CHECK(study.summaries[SLIPPING].third_to_first > 1e-3);
    clear_study(&study);
}

/* Both modes in the range, the second one smaller; or the first one cut off by its end. */
static void other_peaks_are_those_of_linear_models(void)
{
    static const char *const ranges[] = {"[18, 65]", "[65, 18]", "[22, 65]", "[18, 28]"};
    static const double springs[] = {4e4, 0.0}, above_zero[] = {56.0, 47.0};
    for (int r = 0; r < 4; r++) {
        struct study study;
        run_study(&study, "[m2, m1]", "", ranges[r], values, 2);
        for (int i = 0; i < 2; i++) {
            const struct masing_response_summary *summary = &study.summaries[i];
            const struct linear second = linear_peak(springs[i], 0, above_zero[i], 64.0);
            CHECK(summary->n_other_peaks == (r < 3 ? 1 : 0));
            CHECK(peak_cell(&study, i, "at_limit") == (r == 2 && i == 1 ? 1.0 : 0.0));
            CHECK(isnan(peak_cell(&study, i, "peak3_frequency_hz")) &&
                  isnan(peak_cell(&study, i, "peak3_m2_max")));
            if (r < 3) {
                CHECK_RELATIVE(peak_cell(&study, i, "peak2_frequency_hz"), second.hz, 1e-6);
                CHECK_RELATIVE(peak_cell(&study, i, "peak2_m2_max"), second.m2, 1e-9);
                CHECK_RELATIVE(summary->other_peaks[0].size, second.m2, 1e-9);
            } else {
                CHECK(isnan(peak_cell(&study, i, "peak2_frequency_hz")));
            }
        }
        clear_study(&study);
    }
}

/* Peaks of velocities and accelerations, at their own frequencies. */
static void quantities_have_peaks_of_their_own(void)
{
    static const char *const names[] = {"velocity", "acceleration"};
    for (int q = 1; q <= 2; q++) {
        const struct linear stuck = linear_peak(held, q, 18.0, 28.0);
        const struct linear removed = linear_peak(0.0, q, 18.0, 28.0);
        double stuck_size = stuck.m2 * pow(TWO_PI * stuck.hz, q);
        double removed_size = removed.m2 * pow(TWO_PI * removed.hz, q);
        char *outputs = text_of("[{name: o, dof: m2, quantity: %s}, m1]", names[q - 1]);
        struct study study;
        run_study(&study, outputs, "", "[18, 28]", values, N_VALUES);
        for (int i = 0; i < N_VALUES; i++) {
            CHECK_RELATIVE(study.summaries[i].stuck_peak, stuck_size, 1e-9);
            CHECK_RELATIVE(study.summaries[i].stuck_peak_hz, stuck.hz, 1e-6);
            CHECK_RELATIVE(study.summaries[i].free_peak, removed_size, 1e-9);
            CHECK_RELATIVE(study.summaries[i].free_peak_hz, removed.hz, 1e-6);
        }
        CHECK_RELATIVE(peak_cell(&study, STUCK, "o_max"), stuck_size, 1e-9);
        CHECK_RELATIVE(peak_cell(&study, STUCK, "frequency_hz"), stuck.hz, 1e-6);
        CHECK_RELATIVE(peak_cell(&study, REMOVED, "o_h1"), removed_size, 1e-9);
        CHECK_RELATIVE(peak_cell(&study, REMOVED, "equivalent_damping_ratio"),
                       removed.damping_ratio, 1e-6);
        clear_study(&study);
        free(outputs);
    }
}

/* Ranges beside the resonance of the joint that is removed, which end or begin nearest to it.
 */
static void peaks_at_the_ends_of_the_range(void)
{
    static const char *const ranges[] = {"[18, 19]", "[22, 28]", "[28, 22]"};
    static const double hz[] = {19.0, 22.0, 22.0};
    for (int i = 0; i < 3; i++) {
        struct study study;
        struct linear end;
        run_study(&study, "[m2, m1]", "", ranges[i], values, N_VALUES);
        linear_at(0.0, 0, hz[i], &end);
        CHECK(peak_cell(&study, REMOVED, "at_limit") == 1.0);
        CHECK(peak_cell(&study, REMOVED, "frequency_hz") == hz[i]);
        CHECK_RELATIVE(peak_cell(&study, REMOVED, "m2_max"), end.m2, 1e-9);
        CHECK_RELATIVE(study.summaries[REMOVED].free_peak, end.m2, 1e-9);
        clear_study(&study);
    }
}

/* With a pad that lifts off there is a column more, and each stays with its number. */
static void shares_of_slip_and_of_open_contact(void)
{
    struct study study;
    int row;
    run_study(&study, "[m2, m1]",
              "  - {name: pad, law: contact, normal: {from: ground, to: m2},\n"
              "     tangential: [{from: ground, to: m1}], normal_stiffness: 3000,\n"
              "     tangential_stiffness: 100, friction: 0.3, preload: 2}\n",
              "[18, 30]", values + SLIPPING, 1);
    check_row(&study, 0, values[SLIPPING]);
    rows_of_value(&study, values[SLIPPING], &row);
    if (CHECK(row >= 0)) {
        double open = table_get(&study.rows, row, "open_pad");
        CHECK_RELATIVE(peak_cell(&study, 0, "open_share"), open, 1e-12);
        CHECK(open > 0.1 && open < 1.0 && open != peak_cell(&study, 0, "slip_share"));
    }
    clear_study(&study);
}

static const struct tap_test tests[] = {
    {"columns are those of linear models", columns_are_those_of_linear_models},
    {"other peaks are those of linear models", other_peaks_are_those_of_linear_models},
    {"quantities have peaks of their own", quantities_have_peaks_of_their_own},
    {"peaks at the ends of the range", peaks_at_the_ends_of_the_range},
    {"shares of slip and of open contact", shares_of_slip_and_of_open_contact},
};

TAP_MAIN(tests)
