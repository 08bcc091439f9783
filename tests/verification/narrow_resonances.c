/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resonances far narrower than steps: with damping ratios down to 1e-8 every peak of a chain
 * of masses is where the dynamic stiffness has it, upwards and downwards, also where a joint
 * sticks; those of higher harmonics are met, or named where nothing damps them.
 */
#include <complex.h>

#include "peak_question.h"

static const double two_pi = 6.28318530717958647692;
static const double stiffness = 4e4;
enum { MOST = 10 };

/* ---- a chain of equal masses of 1 kg from the ground, its third held by a spring ---- */

struct chain {
    int n;
    double ratio, spring;
    long double damping[MOST][MOST];
};

/* C = sum 2 zeta w phi phi^T over the modes without that spring. */
static void make_chain(struct chain *chain, int n, double ratio, double spring)
{
    *chain = (struct chain){.n = n, .ratio = ratio, .spring = spring};
    for (int j = 0; j < n; j++) {
        long double angle = (2 * j + 1) * acosl(-1.0L) / (2 * n + 1);
        long double omega = 2.0L * sqrtl(stiffness) * sinl(0.5L * angle), square = 0.0L;
        for (int i = 1; i <= n; i++) {
            square += sinl(i * angle) * sinl(i * angle);
        }
        for (int i = 0; i < n * n; i++) {
            chain->damping[i / n][i % n] += 2.0L * ratio * omega * sinl((i / n + 1) * angle) *
                                            sinl((i % n + 1) * angle) / square;
        }
    }
}

static long double diagonal(const struct chain *chain, int i)
{
    return (i + 1 < chain->n ? 2.0L : 1.0L) * stiffness + (i == 2 ? chain->spring : 0.0);
}

/* How many natural frequencies lie below omega: negative pivots of K - omega^2 M. */
static int count_below(const struct chain *chain, long double omega)
{
    int count = 0;
    long double pivot = 1.0L;
    for (int i = 0; i < chain->n; i++) {
        pivot =
            diagonal(chain, i) - omega * omega - (i > 0 ? stiffness * stiffness / pivot : 0.0L);
        count += pivot < 0.0L;
    }
    return count;
}

static long double natural_frequency(const struct chain *chain, int mode)
{
    long double low = 0.0L, high = 4.0L * sqrtl(stiffness);
    while (high - low > 1e-17L * high) {
        long double middle = 0.5L * (low + high);
        if (middle == low || middle == high) {
            break;
        }
        *(count_below(chain, middle) > mode ? &high : &low) = middle;
    }
    return low;
}

/* Amplitude of the last mass under a load of 1 N there. */
static long double amplitude(const struct chain *chain, long double omega)
{
    int n = chain->n;
    long double complex a[MOST][MOST], x = 1.0L;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            a[i][k] = I * omega * chain->damping[i][k];
            a[i][k] += i == k ? diagonal(chain, i) - omega * omega : 0.0L;
            a[i][k] -= i == k + 1 || k == i + 1 ? stiffness : 0.0L;
        }
    }
    for (int i = 0; i + 1 < n; i++) { /* the load has no part but in the last row */
        for (int k = i + 1; k < n; k++) {
            long double complex factor = a[k][i] / a[i][i];
            for (int j = i; j < n; j++) {
                a[k][j] -= factor * a[i][j];
            }
        }
    }
    return cabsl(x / a[n - 1][n - 1]);
}

/* The maximum next to a natural frequency. */
static long double find_peak(const struct chain *chain, int mode, long double *omega)
{
    long double natural = natural_frequency(chain, mode), width = 5.0L * chain->ratio * natural;
    long double low = natural - width, high = natural + width;
    while (high - low > 1e-6L * width) {
        long double third = (high - low) / 3.0L;
        *(amplitude(chain, low + third) < amplitude(chain, high - third) ? &low : &high) +=
            amplitude(chain, low + third) < amplitude(chain, high - third) ? third : -third;
    }
    *omega = 0.5L * (low + high);
    return amplitude(chain, *omega);
}

static char *chain_text(const struct chain *chain, bool is_downwards, const char *joint)
{
    char masses[256] = "m1: 1", springs[1024] = "{from: ground, to: m1, stiffness: 4e4}";
    for (int i = 2; i <= chain->n; i++) {
        snprintf(masses + strlen(masses), sizeof masses - strlen(masses), ", m%d: 1", i);
        snprintf(springs + strlen(springs), sizeof springs - strlen(springs),
                 ", {from: m%d, to: m%d, stiffness: 4e4}", i - 1, i);
    }
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {%s}\n"
                   "  springs: [%s]\n"
                   "  damping: {modal_ratio: %g}\n"
                   "joints: [%s]\n"
                   "loads: [{dof: m%d, amplitude: 1}]\n"
                   "frequency: %s\n"
                   "harmonics: 1\n"
                   "outputs: [m%d]\n",
                   masses, springs, chain->ratio, joint, chain->n,
                   is_downwards ? "[90, 1]" : "[1, 90]", chain->n);
}

/* All peaks in both directions, by no more points than so many a mode. */
static void check_chain(const struct chain *chain, const char *joint, int most_points)
{
    for (int way = 0; way < 2; way++) {
        struct run run;
        char *text = chain_text(chain, way == 1, joint), output[16];
        int n_peaks = 0;
        snprintf(output, sizeof output, "m%d_max", chain->n);
        run_text(&run, text, NULL, 0);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        CHECK(run.rows.n_rows <= most_points * chain->n);
        for (int r = 0; r < run.rows.n_rows; r++) {
            if (!strstr(run.rows.events[r], "peak")) {
                continue;
            }
            long double omega;
            int mode = way == 1 ? chain->n - 1 - n_peaks : n_peaks;
            if (!CHECK(n_peaks++ < chain->n)) {
                break;
            }
            long double size = find_peak(chain, mode, &omega);
            CHECK_RELATIVE(table_get(&run.rows, r, output), (double)size, 1e-8);
            CHECK_RELATIVE(two_pi * table_get(&run.rows, r, "frequency_hz"), (double)omega,
                           1e-8);
        }
        if (!CHECK(n_peaks == chain->n)) {
            printf("# damping ratio %g: %d of %d peaks\n", chain->ratio, n_peaks, chain->n);
        }
        run_clear(&run);
        free(text);
    }
}

static const double ratios[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8};
enum { N_RATIOS = sizeof ratios / sizeof *ratios };

static void two_masses(void)
{
    for (int i = 0; i < N_RATIOS; i++) {
        struct chain chain;
        make_chain(&chain, 2, ratios[i], 0.0);
        check_chain(&chain, "", 170);
        check_chain(&chain, "{name: j, law: linear, from: ground, to: m1, stiffness: 0}", 170);
    }
}

static void ten_modes_with_a_stuck_damper(void)
{
    for (int i = 1; i < N_RATIOS; i++) {
        struct chain chain;
        make_chain(&chain, 10, ratios[i], 2e4);
        check_chain(&chain,
                    "{name: j, law: jenkins, from: ground, to: m3, stiffness: 2e4, "
                    "slip_force: 1e12}",
                    100);
    }
}

/* ---- the third harmonic meets the second mode, 52.35 Hz ---- */

static char *third_text(double ratio, const char *range, const char *harmonics)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m1: 1, m2: 1}\n"
                   "  springs:\n"
                   "    - {from: ground, to: m1, stiffness: 41339}\n"
                   "    - {from: m1, to: m2, stiffness: 41328}\n"
                   "  damping: {modal_ratio: %g}\n"
                   "joints: [{name: s, law: cubic_spring, from: ground, to: m1, "
                   "coefficient: 1e6}]\n"
                   "loads: [{dof: m2, amplitude: 20}]\n"
                   "frequency: %s\n"
                   "outputs: [m2]\n"
                   "harmonics: %s\n",
                   ratio, range, harmonics);
}

/* Size and frequency of the only peak. */
static void find_third(double ratio, const char *range, const char *harmonics, double peak[2])
{
    struct run run;
    char *text = third_text(ratio, range, harmonics);
    int n = 0;
    peak[0] = peak[1] = NAN;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK && run.summary.is_complete);
    CHECK(run.rows.n_rows < 200 || strstr(harmonics, "step"));
    for (int r = 0; r < run.rows.n_rows; r++) {
        if (strstr(run.rows.events[r], "peak")) {
            peak[0] = table_get(&run.rows, r, "m2_max");
            peak[1] = table_get(&run.rows, r, "frequency_hz");
            n++;
        }
    }
    CHECK(n == 1);
    run_clear(&run);
    free(text);
}

static const char odd[] = "[1, 3, 5]";

/* Seen from afar upwards and downwards as by short steps nearby. */
static void higher_harmonics(void)
{
    static const double thirds[] = {1e-5, 3e-6, 1e-6};
    for (int i = 0; i < 3; i++) {
        double up[2], down[2], near[2];
        find_third(thirds[i], "[8, 19]", odd, up);
        find_third(thirds[i], "[19, 8]", odd, down);
        find_third(thirds[i], "[17.445, 17.46]", "[1, 3, 5]\nsolver: {step: {max: 0.02}}",
                   near);
        for (int k = 0; k < 2; k++) {
            CHECK_RELATIVE(up[k], near[k], 1e-9);
            CHECK_RELATIVE(down[k], near[k], 1e-9);
        }
    }
}

/* Away from them one harmonic is enough. */
static void harmonics_that_are_chosen(void)
{
    double all[2], chosen[2];
    find_third(1e-6, "[8, 19]", "5", all);
    for (int way = 0; way < 2; way++) {
        find_third(1e-6, way == 0 ? "[8, 19]" : "[19, 8]", "auto", chosen);
        CHECK_RELATIVE(chosen[0], all[0], 1e-4);
        CHECK_RELATIVE(chosen[1], all[1], 1e-6);
    }
}

static bool is_warned(const struct masing_response_summary *summary, const char *part)
{
    bool is_warned = false;
    for (int i = 0; i < summary->n_warnings; i++) {
        is_warned = is_warned || strstr(summary->warnings[i], part);
    }
    return is_warned;
}

static void what_nothing_damps_is_named(void)
{
    static const double dampings[] = {0.0, 1e-6};
    for (int i = 0; i < 2; i++) {
        struct run run;
        char *text = third_text(dampings[i], "[8, 19]", odd);
        run_text(&run, text, NULL, 0);
        CHECK(run.status == MASING_OK && run.summary.is_complete);
        CHECK(is_warned(&run.summary, "a resonance at 17.4511755 Hz that is too narrow") ==
              (dampings[i] == 0.0));
        run_clear(&run);
        free(text);
    }
}

/* ---- what starts from a response ---- */

/* The second of two peaks alone is within the range. */
static const char second[] = "[25, 90]";

static void check_second(const struct chain *chain, const struct table *rows, int row)
{
    long double omega, size = find_peak(chain, 1, &omega);
    CHECK_RELATIVE(table_get(rows, row, "m2_max"), (double)size, 1e-8);
    CHECK_RELATIVE(two_pi * table_get(rows, row, "frequency_hz"), (double)omega, 1e-8);
}

static void studies_see_them(void)
{
    static const double values[] = {1e-4, 1e-6, 1e-8};
    const struct masing_response_options options = {.n_threads = 1,
                                                    .stability = MASING_STABILITY_NONE};
    const struct masing_override range = {"frequency", second};
    struct masing_response_summary summaries[3] = {{0}};
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    struct table rows, peaks;
    struct masing_sink sinks[2] = {table_sink(&rows), table_sink(&peaks)};
    struct chain chain;
    make_chain(&chain, 2, 1e-4, 0.0);
    char *text = chain_text(&chain, false, "");
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    const struct masing_study_request request = {.document = document,
                                                 .overrides = &range,
                                                 .n_overrides = 1,
                                                 .parameter = "structure.damping.modal_ratio",
                                                 .n_values = 3,
                                                 .values = values};
    CHECK(masing_study(&request, &options, &sinks[0], &sinks[1], NULL, summaries, &error) ==
          MASING_OK);
    for (int i = 0; CHECK(peaks.n_rows == 3) && i < 3; i++) {
        make_chain(&chain, 2, values[i], 0.0);
        check_second(&chain, &peaks, i);
        masing_response_summary_clear(&summaries[i]);
    }
    table_clear(&rows);
    table_clear(&peaks);
    masing_document_destroy(document);
    free(text);
}

static void peaks_are_followed_from_them(void)
{
    struct chain chain;
    make_chain(&chain, 2, 1e-6, 0.0);
    const struct masing_override range = {"frequency", second};
    char *text = chain_text(&chain, false, "");
    const struct question question = {.example = text,
                                      .parameter = "structure.damping.modal_ratio",
                                      .from = 1e-6,
                                      .to = 1e-5,
                                      .overrides = &range,
                                      .n_overrides = 1};
    struct curve curve;
    follow(&question, &curve);
    CHECK(curve.status == MASING_OK && curve.rows.n_rows > 2);
    for (int r = 0; r < curve.rows.n_rows; r++) {
        make_chain(&chain, 2, table_get(&curve.rows, r, question.parameter), 0.0);
        check_second(&chain, &curve.rows, r);
    }
    clear(&curve);
    free(text);
}

static const struct tap_test tests[] = {
    {"two masses", two_masses},
    {"ten modes with a stuck damper", ten_modes_with_a_stuck_damper},
    {"higher harmonics", higher_harmonics},
    {"harmonics that are chosen", harmonics_that_are_chosen},
    {"what nothing damps is named", what_nothing_damps_is_named},
    {"studies see them", studies_see_them},
    {"peaks are followed from them", peaks_are_followed_from_them},
};

TAP_MAIN(tests)
