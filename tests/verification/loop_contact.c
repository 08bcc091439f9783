/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops of contacts in their tangential plane against closed forms. */
#include "masing/loop.h"

#include <string.h>

#include "contact_paths.h"
#include "response.h"
#include "tap.h"

static const double PI = 3.1415926535897932385;
static const double STIFFNESS = 2e4, FRICTION = 0.4, PRELOAD = 50.0;

static void set_surface(const struct contact_case *test)
{
    const struct masing_law *law = test->law;
    contact_set(law, test->parameters, "normal_stiffness", 0, 1e5);
    contact_set(law, test->parameters, "tangential_stiffness", 0, STIFFNESS);
    contact_set(law, test->parameters, "friction", 0, FRICTION);
    contact_set(law, test->parameters, "preload", 0, PRELOAD);
}

static struct contact_case open_case(const char *name, unsigned axes)
{
    struct contact_case test = {.law = masing_law_find(name), .axes = axes};
    test.parameters = calloc(1, test.law->parameters_size);
    masing_fields_reset(test.law->fields, test.law->n_fields, test.parameters);
    set_surface(&test);
    test.law->choose_axes(test.parameters, axes);
    if (strcmp(name, "contact_patch") == 0) {
        for (int i = 0; i < 2; i++) {
            contact_set(test.law, test.parameters, "size", i, 0.1);
            contact_set(test.law, test.parameters, "elements", i, 3 + i);
        }
    }
    CHECK(masing_law_check(test.law, test.parameters, NULL) == MASING_OK);
    return test;
}

struct loops {
    struct table rows, measures;
    struct masing_loop_summary summary;
    struct masing_error error;
    enum masing_status status;
};

static void move(struct loops *loops, const struct contact_case *test,
                 const struct masing_loop_options *options)
{
    struct masing_sink rows = table_sink(&loops->rows);
    struct masing_sink measures = table_sink(&loops->measures);
    memset(&loops->error, 0, sizeof loops->error);
    loops->summary = (struct masing_loop_summary){0};
    loops->status = masing_loop(test->law, test->parameters, options, &rows, &measures,
                                &loops->summary, &loops->error);
}

static void clear(struct loops *loops)
{
    table_clear(&loops->rows);
    table_clear(&loops->measures);
    masing_loop_summary_clear(&loops->summary);
}

/* Friction and reach of the whole joint. */
static const double FORCE = 20.0, REACH = 1e-3;

static void check_lines(const char *law, unsigned axes, double step, double tolerance)
{
    static const double amplitudes[] = {1.05e-3, 2e-3, 37e-3};
    struct contact_case test = open_case(law, axes);
    for (double degrees = -360.0; degrees <= 720.0; degrees += tap_most(1, 5) * step) {
        const struct masing_loop_path path = {.degrees = degrees};
        const struct masing_loop_options options = {
            .n_amplitudes = 3, .amplitudes = amplitudes, .path = &path};
        struct loops loops;
        move(&loops, &test, &options);
        if (!CHECK(loops.status == MASING_OK && loops.summary.n_loops == 3)) {
            printf("# %s\n", loops.error.message);
        }
        for (int i = 0; i < loops.summary.n_loops; i++) {
            const struct masing_loop_measures *m = &loops.summary.loops[i];
            CHECK_RELATIVE(m->energy_lost, 4.0 * FORCE * (amplitudes[i] - REACH), tolerance);
            CHECK_RELATIVE(m->max_force, FORCE, tolerance);
            CHECK_RELATIVE(m->secant_stiffness, FORCE / amplitudes[i], tolerance);
            CHECK(m->cycles <= 3);
        }
        CHECK(loops.rows.n_columns == 6);
        clear(&loops);
    }
    contact_case_clear(&test);
}

static void a_line_at_any_angle_loses_the_same(void)
{
    check_lines("contact", 7u, 61.0, 1e-9);
}

static void a_patch_moved_along_a_line_is_one_contact(void)
{
    check_lines("contact_patch", 63u, 695.0, 1e-9);
    check_lines("contact_patch", 6u, 550.0, 1e-9);
}

static void a_circle_loses_what_its_radius_says(void)
{
    static const double radii[] = {1.01e-3, 1.5e-3, 3e-3, 0.1};
    const struct masing_loop_path path = {.is_circle = true};
    static const struct {
        const char *law;
        unsigned axes;
        int first, n_radii; /* of elements of a patch each takes its time */
    } cases[] = {{"contact", 7u, 0, 4}, {"contact_patch", 63u, 1, 2}};
    for (int c = 0; c < 2; c++) {
        const struct masing_loop_options options = {.n_amplitudes = cases[c].n_radii,
                                                    .amplitudes = radii + cases[c].first,
                                                    .path = &path};
        struct contact_case test = open_case(cases[c].law, cases[c].axes);
        struct loops loops;
        move(&loops, &test, &options);
        if (!CHECK(loops.status == MASING_OK && loops.summary.n_loops == cases[c].n_radii)) {
            printf("# %s\n", loops.error.message);
        }
        for (int i = 0; i < loops.summary.n_loops; i++) {
            const struct masing_loop_measures *m = &loops.summary.loops[i];
            double r = options.amplitudes[i];
            double loss = 2.0 * PI * FORCE * sqrt(r * r - REACH * REACH);
            CHECK_RELATIVE(m->energy_lost, loss, 1e-6);
            CHECK_RELATIVE(m->max_force, FORCE, 1e-9);
            /* the force leads by the angle whose sine is what the loss says */
            double sine = loss / (2.0 * PI * FORCE * r), cosine = sqrt(1.0 - sine * sine);
            CHECK_RELATIVE(m->secant_stiffness, FORCE * cosine / r, 1e-6 / cosine);
            CHECK_RELATIVE(m->first_harmonic_stiffness, m->secant_stiffness, 1e-6);
            CHECK_RELATIVE(m->first_harmonic_damping, loss / (2.0 * PI * r * r), 1e-6);
            CHECK(m->slip_share == 1.0 && m->largest_displacement == r);
        }
        clear(&loops);
        contact_case_clear(&test);
    }
}

/* Both components stand in the rows; their work round the steady cycle is the loss. */
static void rows_of_a_circle_have_both_components(void)
{
    static const double radius = 2e-3;
    const struct masing_loop_path path = {.is_circle = true};
    const struct masing_loop_options options = {
        .n_amplitudes = 1, .amplitudes = &radius, .path = &path, .n_rows = 4096};
    struct contact_case test = open_case("contact", 7u);
    struct loops loops;
    move(&loops, &test, &options);
    double work = 0.0;
    const struct table *rows = &loops.rows;
    for (int i = 0; i < rows->n_rows; i++) {
        double x = table_get(rows, i, "displacement"), y = table_get(rows, i, "displacement_2");
        CHECK_RELATIVE(hypot(x, y), radius, 1e-15);
        if (i > 0 && table_get(rows, i, "steady") == 1 &&
            table_get(rows, i - 1, "steady") == 1) {
            double dx = x - table_get(rows, i - 1, "displacement");
            double dy = y - table_get(rows, i - 1, "displacement_2");
            work +=
                0.5 * (table_get(rows, i, "force") + table_get(rows, i - 1, "force")) * dx +
                0.5 * (table_get(rows, i, "force_2") + table_get(rows, i - 1, "force_2")) * dy;
        }
    }
    CHECK_RELATIVE(work, loops.summary.loops[0].energy_lost, 1e-5);
    clear(&loops);
    contact_case_clear(&test);
}

/* Stuck: no loss, one cycle. */
static void below_the_limit_it_is_a_spring(void)
{
    static const double amplitude = 0.9e-3;
    for (int c = 0; c < 2; c++) {
        const struct masing_loop_path path = {.is_circle = c == 1, .degrees = 30};
        const struct masing_loop_options options = {
            .n_amplitudes = 1, .amplitudes = &amplitude, .path = &path};
        struct contact_case test = open_case("contact", 7u);
        struct loops loops;
        move(&loops, &test, &options);
        const struct masing_loop_measures *m = &loops.summary.loops[0];
        CHECK(loops.status == MASING_OK);
        CHECK_SCALED(m->energy_lost, 0.0, STIFFNESS * amplitude * amplitude, 1e-12);
        CHECK_RELATIVE(m->secant_stiffness, STIFFNESS, 1e-12);
        CHECK(m->slip_share == 0.0 && m->cycles == 1);
        clear(&loops);
        contact_case_clear(&test);
    }
}

static void refuse(const char *law, unsigned axes, const struct masing_loop_options *options,
                   const char *reason)
{
    struct contact_case test = open_case(law, axes);
    struct loops loops;
    move(&loops, &test, options);
    CHECK(loops.status == MASING_INVALID);
    if (!CHECK(strstr(loops.error.message, reason) != NULL)) {
        printf("# %s\n", loops.error.message);
    }
    clear(&loops);
    contact_case_clear(&test);
}

static void paths_that_a_joint_cannot_take_are_refused(void)
{
    static const double amplitude = 1e-3;
    static const struct masing_motion_term third = {3, 1.0, 0.0};
    struct masing_loop_path path = {.is_circle = true};
    struct masing_loop_options options = {
        .n_amplitudes = 1, .amplitudes = &amplitude, .path = &path};
    refuse("contact", 3u, &options, "the only tangential direction");
    refuse("contact_patch", 5u, &options, "'z'");
    refuse("contact_patch", 1u, &options, "no tangential direction");
    options.n_terms = 1;
    options.terms = &third;
    refuse("contact", 7u, &options, "a circle is a motion of its own");
    options.n_terms = 0;
    path = (struct masing_loop_path){.degrees = 45.0};
    refuse("contact", 3u, &options, "expected line:0 or line:180");
    path.degrees = -180.0;
    struct contact_case test = open_case("contact", 3u);
    struct loops loops;
    move(&loops, &test, &options);
    CHECK(loops.status == MASING_OK);
    clear(&loops);
    contact_case_clear(&test);
}

static const struct tap_test tests[] = {
    {"a line at any angle loses the same", a_line_at_any_angle_loses_the_same},
    {"a patch moved along a line is one contact", a_patch_moved_along_a_line_is_one_contact},
    {"a circle loses what its radius says", a_circle_loses_what_its_radius_says},
    {"rows of a circle have both components", rows_of_a_circle_have_both_components},
    {"below the limit it is a spring", below_the_limit_it_is_a_spring},
    {"paths that a joint cannot take are refused", paths_that_a_joint_cannot_take_are_refused},
};

TAP_MAIN(tests)
