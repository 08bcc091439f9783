/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops against closed forms, rows against what they promise, bad input. */
#include "masing/loop.h"

#include <stdlib.h>
#include <string.h>

#include "masing/model.h"
#include "tap.h"

static const double two_pi = 6.283185307179586476925286766559;

/* ---- a joint from a few lines, rows kept ---- */

enum { MOST_ROWS = 20000, MOST_COLUMNS = 12 };

struct kept {
    int n_columns, n_rows;
    char names[MOST_COLUMNS][32];
    double cells[MOST_ROWS][MOST_COLUMNS];
};

static struct kept rows, measures;

static enum masing_status keep_open(void *context, const struct masing_column *columns,
                                    int n_columns, struct masing_error *error)
{
    struct kept *kept = context;
    (void)error;
    kept->n_columns = n_columns;
    kept->n_rows = 0;
    for (int i = 0; i < n_columns; i++) {
        snprintf(kept->names[i], sizeof kept->names[i], "%.31s", columns[i].name);
    }
    return MASING_OK;
}

static enum masing_status keep_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct kept *kept = context;
    (void)error;
    for (int i = 0; i < kept->n_columns && kept->n_rows < MOST_ROWS; i++) {
        kept->cells[kept->n_rows][i] = cells[i].number;
    }
    kept->n_rows += kept->n_rows < MOST_ROWS;
    return MASING_OK;
}

static enum masing_status keep_finish(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK;
}

static void keep_nothing(void *context)
{
    (void)context;
}

static double cell(const struct kept *kept, int row, const char *name)
{
    for (int i = 0; i < kept->n_columns; i++) {
        if (strcmp(kept->names[i], name) == 0) {
            return kept->cells[row][i];
        }
    }
    return NAN;
}

/* A loop of the law whose keys stand in `keys`; clear the summary afterwards. */
static enum masing_status follow(const char *keys, const struct masing_loop_options *options,
                                 struct masing_loop_summary *summary,
                                 struct masing_error *error)
{
    const struct masing_sink row_sink = {.context = &rows,
                                         .open = keep_open,
                                         .row = keep_row,
                                         .finish = keep_finish,
                                         .abandon = keep_nothing,
                                         .destroy = keep_nothing};
    const struct masing_sink measure_sink = {.context = &measures,
                                             .open = keep_open,
                                             .row = keep_row,
                                             .finish = keep_finish,
                                             .abandon = keep_nothing,
                                             .destroy = keep_nothing};
    struct masing_document *document = NULL;
    struct masing_spec spec = {0};
    char text[1024];
    snprintf(text, sizeof text, "masing: 1\njoints:\n  - {name: j, %s}\n", keys);
    memset(summary, 0, sizeof *summary);
    enum masing_status status =
        masing_document_parse(text, strlen(text), "m.yaml", &document, error);
    status = status ? status : masing_document_joints(document, NULL, 0, &spec, error);
    if (CHECK(status == MASING_OK)) {
        status = masing_loop(spec.joints[0].law, spec.joints[0].parameters, options, &row_sink,
                             &measure_sink, summary, error);
    } else {
        printf("# %s\n", error->message);
    }
    masing_spec_clear(&spec);
    masing_document_destroy(document);
    return status;
}

/* Likewise for one loop that succeeds. */
static struct masing_loop_measures one(const char *keys,
                                       const struct masing_loop_options *options)
{
    struct masing_loop_summary summary = {0};
    struct masing_error error = {0};
    struct masing_loop_measures result = {0};
    if (CHECK(follow(keys, options, &summary, &error) == MASING_OK && summary.n_loops == 1)) {
        result = summary.loops[0];
    } else {
        printf("# %s\n", error.message);
    }
    masing_loop_summary_clear(&summary);
    return result;
}

static const char jenkins[] = "law: jenkins, stiffness: 4e4, slip_force: 15";

/* ---- closed forms ---- */

static void a_jenkins_loop_has_its_closed_form(void)
{
    const double k = 4e4, limit = 15, factors[] = {1.0001, 1.01, 1.3, 2, 10, 1000};
    for (int i = 0; i < 6; i++) {
        double a = factors[i] * limit / k, angle = acos(1 - 2 * limit / (k * a));
        const struct masing_loop_options options = {.n_amplitudes = 1, .amplitudes = &a};
        struct masing_loop_measures m = one(jenkins, &options);
        double loss = 4 * limit * (a - limit / k);
        CHECK_RELATIVE(m.energy_lost, loss, 1e-9);
        CHECK_RELATIVE(m.max_force, limit, 1e-14);
        CHECK_RELATIVE(m.secant_stiffness, limit / a, 1e-14);
        CHECK_RELATIVE(m.first_harmonic_stiffness,
                       k * (angle - 0.5 * sin(2 * angle)) / (0.5 * two_pi), 1e-6);
        CHECK_SCALED(m.first_harmonic_damping, loss / (0.5 * two_pi * a * a), k, 1e-8);
        CHECK_RELATIVE(m.loss_factor, m.first_harmonic_damping / m.first_harmonic_stiffness,
                       1e-14);
        /* each half cycle slips from where the force reaches the limit to the turning point */
        CHECK_SCALED(m.slip_share, 1 - 2 * angle / two_pi, 1, 1e-6);
        CHECK(m.cycles == 2 && m.distance <= 1e-9);
    }
}

static void a_joint_that_sticks_is_a_spring(void)
{
    const double a = 1e-4;
    const struct masing_loop_options options = {.n_amplitudes = 1, .amplitudes = &a};
    struct masing_loop_measures m = one(jenkins, &options);
    CHECK(m.energy_lost == 0.0);
    CHECK_RELATIVE(m.first_harmonic_stiffness, 4e4, 1e-12);
    CHECK(m.cycles == 1 && m.slip_share == 0.0);
}

static void a_damper_loses_pi_c_omega_a_squared(void)
{
    const double a = 2e-3, k = 300, c = 5, hz = 7, omega = two_pi * hz;
    const struct masing_loop_options options = {
        .n_amplitudes = 1, .amplitudes = &a, .frequency_hz = hz};
    struct masing_loop_measures m = one("law: linear, stiffness: 300, damping: 5", &options);
    CHECK_RELATIVE(m.energy_lost, 0.5 * two_pi * c * omega * a * a, 1e-12);
    CHECK_RELATIVE(m.first_harmonic_stiffness, k, 1e-12);
    CHECK_RELATIVE(m.first_harmonic_damping, c * omega, 1e-12);
    CHECK_RELATIVE(m.secant_stiffness, k, 1e-12);
    CHECK_RELATIVE(m.max_force, a * hypot(k, c * omega), 1e-12);
    CHECK(isnan(m.slip_share));
}

static void a_quadratic_damper_follows_the_frequency(void)
{
    /* c v |v| under A sin: D = 8/3 c omega^2 A^3 */
    const double a = 0.1, c = 3, hz = 0.5, omega = two_pi * hz;
    const struct masing_loop_options options = {
        .n_amplitudes = 1, .amplitudes = &a, .frequency_hz = hz};
    struct masing_loop_measures m = one("law: quadratic_damper, coefficient: 3", &options);
    CHECK_RELATIVE(m.energy_lost, 8.0 / 3 * c * omega * omega * a * a * a, 1e-9);
    CHECK_RELATIVE(m.max_force, c * omega * omega * a * a, 1e-12);
    CHECK(isnan(m.loss_factor)); /* it has no stiffness */
}

/* P = 0.5 sin t + 0.5 sin 3t passes, from its largest excursion X = 0.7698.. on, X, m, -m, -X:
 * nested loops close within, so that a Jenkins element loses 4 F (X - u) on the outer loop and
 * 4 F (w/2 - u) on each of the two inner ones, where w is their width and u the reach. */
static void a_motion_of_two_harmonics_has_nested_loops(void)
{
    const double a = 1, reach = 0.2, limit = 5 * reach;
    const struct masing_motion_term terms[] = {{1, 0.5, 0}, {3, 0.5, 0}};
    const struct masing_loop_options options = {
        .n_amplitudes = 1, .amplitudes = &a, .n_terms = 2, .terms = terms};
    struct masing_loop_measures m = one("law: jenkins, stiffness: 5, slip_force: 1", &options);
    /* sin t + sin 3t = 2 sin 2t cos t; turning where cos t + 3 cos 3t = 0: cos^2 t = 2/3, or
     * t = pi/2, where the motion is at 0 */
    double t = acos(sqrt(2.0 / 3)), largest = sin(2 * t) * cos(t);
    double outer = 4 * limit * (largest - reach), inner = 4 * limit * (0.5 * largest - reach);
    CHECK_RELATIVE(m.largest_displacement, largest, 1e-14);
    CHECK_RELATIVE(m.secant_stiffness, limit / largest, 1e-13);
    CHECK_RELATIVE(m.energy_lost, outer + 2 * inner, 1e-9);
    CHECK(m.cycles == 2);
}

static void an_offset_and_a_phase_change_no_loss(void)
{
    const double a = 1e-3;
    const struct masing_motion_term terms[] = {{0, 0, 0.3}, {1, 0.6, 0.8}};
    const struct masing_loop_options plain = {.n_amplitudes = 1, .amplitudes = &a};
    const struct masing_loop_options moved = {
        .n_amplitudes = 1, .amplitudes = &a, .n_terms = 2, .terms = terms};
    struct masing_loop_measures m = one(jenkins, &plain), n = one(jenkins, &moved);
    CHECK_RELATIVE(n.energy_lost, m.energy_lost, 1e-11);
    CHECK_RELATIVE(n.first_harmonic_stiffness, m.first_harmonic_stiffness, 1e-7);
    CHECK_RELATIVE(n.first_harmonic_damping, m.first_harmonic_damping, 1e-7);
    CHECK_RELATIVE(n.largest_displacement, 1.3e-3, 1e-12);
}

/* ---- rows ---- */

static void rows_lead_from_the_virgin_state_to_a_closed_cycle(void)
{
    const double amplitudes[] = {1e-3, 5e-4};
    const struct masing_loop_options options = {
        .n_amplitudes = 2, .amplitudes = amplitudes, .n_rows = 64};
    struct masing_loop_summary summary = {0};
    struct masing_error error = {0};
    CHECK(follow(jenkins, &options, &summary, &error) == MASING_OK && summary.n_loops == 2);
    CHECK(rows.n_rows == 4 * 65 && measures.n_rows == 2);
    for (int i = 0; i < rows.n_rows; i++) {
        int cycle = i / 65 % 2, sample = i % 65;
        double a = amplitudes[i / 130];
        CHECK(cell(&rows, i, "amplitude") == a && cell(&rows, i, "cycle") == cycle + 1);
        CHECK(cell(&rows, i, "steady") == cycle);
        CHECK_SCALED(cell(&rows, i, "displacement"), a * sin(two_pi * sample / 64), a, 1e-15);
        /* the virgin curve up to the first turning point */
        if (cycle == 0 && sample <= 16) {
            double x = cell(&rows, i, "displacement");
            CHECK_SCALED(cell(&rows, i, "force"), fmin(4e4 * x, 15), 15, 1e-12);
        }
    }
    for (int end = 65; end < rows.n_rows; end += 65) {
        bool same = end % 130 != 0; /* one cycle begins where the one before ends */
        CHECK(!same || fabs(cell(&rows, end, "force") - cell(&rows, end - 1, "force")) < 1e-8);
    }
    CHECK(cell(&rows, 65, "force") == cell(&rows, 129, "force"));
    CHECK(cell(&measures, 1, "amplitude") == 5e-4 && cell(&measures, 1, "cycles") == 2);
    CHECK(cell(&measures, 1, "energy_lost") == summary.loops[1].energy_lost);
    masing_loop_summary_clear(&summary);
}

static void a_number_of_cycles_is_kept(void)
{
    const double a = 1e-3;
    const struct masing_loop_options five = {
        .n_amplitudes = 1, .amplitudes = &a, .n_cycles = 5, .n_rows = 8};
    struct masing_loop_measures m = one(jenkins, &five);
    CHECK(m.cycles == 5 && rows.n_rows == 45);
    CHECK(cell(&rows, 35, "steady") == 0 && cell(&rows, 36, "steady") == 1);
    const struct masing_loop_options first = {
        .n_amplitudes = 1, .amplitudes = &a, .n_cycles = 1, .n_rows = 8};
    m = one(jenkins, &first);
    CHECK(m.cycles == 1 && rows.n_rows == 9 && cell(&rows, 8, "steady") == 0);
    CHECK_RELATIVE(m.energy_lost, 4 * 15 * (a - 15 / 4e4), 1e-9); /* of the steady cycle */
    CHECK_RELATIVE(m.distance, 1, 1e-2); /* at the start: 0 instead of -15 N */
}

/* Jamshidi and Koochakinejad (2021), section 4: where it is steady it is the same loop. */
static void the_equivalent_bouc_wen_element_restates_the_steady_loop(void)
{
    const double x_l = 5e-7, amplitudes[] = {0.2 * x_l, x_l, 1.5 * x_l, 4 * x_l};
    const struct masing_loop_options options = {.n_amplitudes = 4,
                                                .amplitudes = amplitudes,
                                                .n_rows = 64,
                                                .has_equivalent_bouc_wen = true};
    const char keys[] = "law: rough_interface, stiffness: 8e7, slip_force: 15, "
                        "slip_displacement: 5e-7, parallel_stiffness: 1e7";
    struct masing_loop_summary summary = {0};
    struct masing_error error = {0};
    CHECK(follow(keys, &options, &summary, &error) == MASING_OK && summary.n_loops == 4);
    double before = 0;
    for (int i = 0; i < rows.n_rows; i++) {
        double force = cell(&rows, i, "force"), other = cell(&rows, i, "equivalent_bouc_wen");
        if (cell(&rows, i, "steady") == 1) {
            CHECK_SCALED(other, force, 15, 1e-12);
        } else {
            before = fmax(before, fabs(other - force));
        }
    }
    CHECK(rows.n_rows > 0 &&
          before > 1.0); /* on the virgin curve they have nothing in common */
    masing_loop_summary_clear(&summary);
    CHECK(follow(jenkins, &options, &summary, &error) == MASING_INVALID);
    masing_loop_summary_clear(&summary);
}

/* ---- paths of points ---- */

static void a_path_of_points_is_followed_once(void)
{
    double x[] = {1e-4, 1e-3, -5e-4, 8e-4}, expected[] = {4, 15, -15, 15};
    const struct masing_loop_points points = {4, x, NULL};
    const struct masing_loop_options options = {.points = &points};
    struct masing_loop_measures m = one(jenkins, &options);
    CHECK(rows.n_rows == 4 && isnan(cell(&rows, 0, "amplitude")));
    for (int i = 0; i < 4; i++) {
        CHECK(cell(&rows, i, "displacement") == x[i] && cell(&rows, i, "cycle") == 1);
        CHECK_RELATIVE(cell(&rows, i, "force"), expected[i], 1e-12);
    }
    double u = 15 / 4e4; /* reach; each turn unloads over 2 u without work in all */
    double work = 15 * (1e-3 - 0.5 * u) + 15 * (1.5e-3 - 2 * u) + 15 * (1.3e-3 - 2 * u);
    CHECK_RELATIVE(m.work, work, 1e-8);
    CHECK(m.max_force == 15 && isnan(m.energy_lost) && isnan(m.amplitude) && m.cycles == 1);
    CHECK_RELATIVE(m.secant_stiffness, 15 / 1e-3, 1e-12);
}

static void times_give_the_velocity(void)
{
    double x[] = {0, 1, 0}, time[] = {0, 2, 2.5};
    struct masing_loop_points points = {3, x, time};
    const struct masing_loop_options options = {.points = &points};
    struct masing_loop_measures m = one("law: linear, damping: 4", &options);
    CHECK_RELATIVE(cell(&rows, 1, "force"), 4 * 0.5, 1e-12);
    CHECK_RELATIVE(cell(&rows, 2, "force"), 4 * -2.0, 1e-12);
    CHECK_RELATIVE(m.work, 4 * 0.5 * 1 + 4 * 2.0 * 1, 1e-3); /* the corner is one part wide */
    struct masing_loop_summary summary = {0};
    struct masing_error error = {0};
    points.time = NULL;
    CHECK(follow("law: linear, damping: 4", &options, &summary, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "column 'time'") != NULL);
    masing_loop_summary_clear(&summary);
}

/* ---- what is refused ---- */

static void wrong_options_are_refused(void)
{
    const double good = 1, bad[] = {0, -1, NAN, INFINITY};
    struct masing_loop_summary summary = {0};
    struct masing_error error;
    for (int i = 0; i < 4; i++) {
        const struct masing_loop_options options = {.n_amplitudes = 1, .amplitudes = &bad[i]};
        error = (struct masing_error){0};
        CHECK(follow(jenkins, &options, &summary, &error) == MASING_INVALID);
        CHECK(strstr(error.message, "expected a finite number above zero") != NULL);
        masing_loop_summary_clear(&summary);
    }
    const struct masing_motion_term terms[] = {
        {-1, 1, 0}, {MASING_MOTION_HARMONIC + 1, 1, 0}, {1, NAN, 0}, {0, 1, 1}, {2, 0, 0}};
    for (int i = 0; i < 5; i++) {
        const struct masing_loop_options options = {
            .n_amplitudes = 1, .amplitudes = &good, .n_terms = 1, .terms = &terms[i]};
        CHECK(follow(jenkins, &options, &summary, &error) == MASING_INVALID);
        masing_loop_summary_clear(&summary);
    }
    const struct masing_loop_options none = {0};
    CHECK(follow(jenkins, &none, &summary, &error) == MASING_INVALID);
    masing_loop_summary_clear(&summary);
    const struct masing_loop_options odd = {
        .n_amplitudes = 1, .amplitudes = &good, .n_rows = 10};
    CHECK(follow(jenkins, &odd, &summary, &error) == MASING_INVALID);
    masing_loop_summary_clear(&summary);
}

static bool cancel(void *context)
{
    return --*(int *)context < 0;
}

static void an_interrupted_loop_keeps_what_it_has(void)
{
    const double amplitudes[] = {1e-3, 2e-3};
    int left = 3;
    const struct masing_progress progress = {.context = &left, .is_cancelled = cancel};
    const struct masing_loop_options options = {
        .n_amplitudes = 2, .amplitudes = amplitudes, .n_rows = 8, .progress = &progress};
    struct masing_loop_summary summary = {0};
    struct masing_error error = {0};
    CHECK(follow(jenkins, &options, &summary, &error) == MASING_STOPPED);
    CHECK(strcmp(summary.reason, "interrupted") == 0);
    CHECK(summary.n_loops == 1 && measures.n_rows == 1 && rows.n_rows == 27);
    masing_loop_summary_clear(&summary);
}

static int many_elements(const void *parameters)
{
    (void)parameters;
    return 1 << 14;
}

/* With many elements a law's samples are doubled once alone; friction with a steep transition
 * needs more of them. */
static void samples_that_are_too_few_are_warned_of(void)
{
    static const double amplitude[] = {1e-2};
    struct masing_law law = *masing_law_find("tanh_friction");
    void *parameters = calloc(1, law.parameters_size);
    const struct masing_loop_options options = {.n_amplitudes = 1, .amplitudes = amplitude};
    struct masing_loop_summary summary = {0};
    struct masing_error error = {0};
    const char *expected = "amplitude 0.01: energy and force still change by ";
    masing_fields_reset(law.fields, law.n_fields, parameters);
    const struct {
        const char *name;
        double value;
    } given[] = {{"slip_force", 2.0}, {"regularization", 1e-6}};
    for (int i = 0; i < 2; i++) {
        int index = masing_field_find(law.fields, law.n_fields, given[i].name);
        CHECK(masing_field_store(&law.fields[index], given[i].value, parameters, &error) ==
              MASING_OK);
    }
    CHECK(masing_law_check(&law, parameters, &error) == MASING_OK);
    CHECK(masing_loop(&law, parameters, &options, NULL, NULL, &summary, &error) == MASING_OK);
    CHECK(summary.n_warnings == 0);
    masing_loop_summary_clear(&summary);
    law.n_elements = many_elements;
    CHECK(masing_loop(&law, parameters, &options, NULL, NULL, &summary, &error) == MASING_OK);
    if (CHECK(summary.n_warnings == 1)) {
        const char *text = summary.warnings[0];
        if (!CHECK(strncmp(text, expected, strlen(expected)) == 0 &&
                   strstr(text, " when the samples are doubled to 8192"))) {
            printf("# %s\n", text);
        }
    }
    masing_loop_summary_clear(&summary);
    free(parameters);
}

/* Along a line a ring is a spring behind a gap; around a circle, from y to x, friction drives:
 * -2 pi A mu k (A - gap). */
static void a_ring_drives_what_goes_backwards(void)
{
    static const char keys[] =
        "law: annular_contact, from: ground, to: d, stiffness: 10, gap: 0.5, friction: 0.2";
    const double amplitude = 1.5, pi = 3.14159265358979323846;
    const struct masing_loop_path line = {.degrees = 30.0}, circle = {.is_circle = true};
    struct masing_loop_options options = {
        .n_amplitudes = 1, .amplitudes = &amplitude, .path = &line};
    struct masing_loop_measures m = one(keys, &options);
    CHECK_RELATIVE(m.max_force, 10.0, 1e-12);
    CHECK_SCALED(m.energy_lost, 0.0, 15.0, 1e-12);
    options.path = &circle;
    m = one(keys, &options);
    CHECK_RELATIVE(m.max_force, 10.0 * hypot(1.0, 0.2), 1e-9);
    CHECK_RELATIVE(m.energy_lost, -2.0 * pi * amplitude * 0.2 * 10.0, 1e-8);
    CHECK_RELATIVE(m.first_harmonic_stiffness, 10.0 / 1.5, 1e-8);
}

/* Beyond one end of a table, though not as far as the other. */
static void a_motion_beyond_a_table_is_told(void)
{
    static const char keys[] = "law: elastic_table, file: [[-1, -3], [0, 0], [5, 4]]";
    const double amplitudes[] = {0.9, 1.5}, way[] = {0.0, 4.9, -1.1};
    const struct masing_loop_options options = {.n_amplitudes = 2, .amplitudes = amplitudes};
    const struct masing_loop_points points = {.n_points = 3, .displacement = (double *)way};
    const struct masing_loop_options along = {.points = &points};
    struct masing_loop_summary summary;
    struct masing_error error = {0};
    CHECK(follow(keys, &options, &summary, &error) == MASING_OK);
    CHECK(summary.n_warnings == 1 &&
          strcmp(summary.warnings[0], "amplitude 1.5: the law is known from -1 to 5 m, this "
                                      "motion reaches -1.5 m, where the force goes on "
                                      "straight") == 0);
    masing_loop_summary_clear(&summary);
    CHECK(follow(keys, &along, &summary, &error) == MASING_OK);
    CHECK(summary.n_warnings == 1 &&
          strstr(summary.warnings[0], "the path: the law is known from -1 to 5 m"));
    masing_loop_summary_clear(&summary);
}

static const struct tap_test tests[] = {
    {"a Jenkins loop has its closed form", a_jenkins_loop_has_its_closed_form},
    {"a joint that sticks is a spring", a_joint_that_sticks_is_a_spring},
    {"a damper loses pi c omega A^2", a_damper_loses_pi_c_omega_a_squared},
    {"a quadratic damper follows the frequency", a_quadratic_damper_follows_the_frequency},
    {"a motion of two harmonics has nested loops", a_motion_of_two_harmonics_has_nested_loops},
    {"an offset and a phase change no loss", an_offset_and_a_phase_change_no_loss},
    {"rows lead from the virgin state to a closed cycle",
     rows_lead_from_the_virgin_state_to_a_closed_cycle},
    {"a number of cycles is kept", a_number_of_cycles_is_kept},
    {"the equivalent Bouc-Wen element restates the steady loop",
     the_equivalent_bouc_wen_element_restates_the_steady_loop},
    {"a path of points is followed once", a_path_of_points_is_followed_once},
    {"times give the velocity", times_give_the_velocity},
    {"wrong options are refused", wrong_options_are_refused},
    {"an interrupted loop keeps what it has", an_interrupted_loop_keeps_what_it_has},
    {"samples that are too few are warned of", samples_that_are_too_few_are_warned_of},
    {"a ring drives what goes backwards", a_ring_drives_what_goes_backwards},
    {"a motion beyond a table is told", a_motion_beyond_a_table_is_told},
};

TAP_MAIN(tests)
