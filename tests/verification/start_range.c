/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a response depends on where sliders stood before. A stuck slider carries a mean force
 * between -(F - k a) and F - k a, a being the amplitude of its motion, and the spring beside it
 * the rest of the static load:
 *   mean = (P - f) / K.
 */
#include "checked.h"

static const double K = 4e4, CONTACT = 2e4, LIMIT = 15.0, STATIC = 40.0;

static char *model(const char *axes, const char *joint, double force)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {n.x: 1, n.y: 1}\n"
                   "  springs: [{from: ground, to: n.y, stiffness: %.17g},\n"
                   "    {from: ground, to: n.x, stiffness: 1e6}]\n"
                   "  dampers: [{from: ground, to: n.y, damping: 20},\n"
                   "    {from: ground, to: n.x, damping: 20}]\n"
                   "joints: [{name: pad, %s, %s}]\n"
                   "loads: [{dof: n.y, amplitude: %.17g}]\n"
                   "static_loads: [{dof: n.y, force: %.17g}]\n"
                   "frequency: [30, 45]\n"
                   "harmonics: 3\n"
                   "outputs: [n.y]\n",
                   K, axes, joint, force, STATIC);
}

static const char axis[] = "from: ground, to: n.y";
static const char axes[] =
    "normal: {from: ground, to: n.x}, tangential: [{from: ground, to: n.y}]";
static const char jenkins[] = "law: jenkins, stiffness: 2e4, slip_force: 15";
static const char contact[] = "law: contact, normal_stiffness: 1e5, tangential_stiffness: 2e4, "
                              "friction: 0.5, preload: 30";

/* Both ends of the range are known, and nothing lies outside. */
static void check_stuck(const char *text, double precision)
{
    struct checked checked;
    checked_run(&checked, text, 0.0, 2);
    const struct masing_starts *starts = &checked.summary.starts;
    double amplitude = checked.summary.peak.amp;
    double mean_force = LIMIT - CONTACT * amplitude;
    CHECK(mean_force > 0.2 * LIMIT && starts->n == 2 && starts->n_solved == 2);
    CHECK_RELATIVE(starts->lowest, (STATIC - mean_force) / K + amplitude, precision);
    CHECK_RELATIVE(starts->highest, (STATIC + mean_force) / K + amplitude, precision);
    double low = starts->lowest, high = starts->highest;
    checked_clear(&checked);

    struct checked more;
    checked_run(&more, text, 0.0, 20);
    starts = &more.summary.starts;
    CHECK(starts->n == 20 && starts->n_solved == 20);
    CHECK_RELATIVE(starts->lowest, low, 1e-8);
    CHECK_RELATIVE(starts->highest, high, 1e-8);
    checked_clear(&more);
}

static void a_stuck_slider(void)
{
    char *text = model(axis, jenkins, 2.0);
    check_stuck(text, 1e-8);
    free(text);
}

static void a_stuck_contact(void)
{
    char *text = model(axes, contact, 2.0);
    check_stuck(text, 1e-6); /* of samples, the largest of which is not the largest */
    free(text);
}

/* Full slip forgets. */
static void a_slipping_slider(void)
{
    char *text = model(axis, jenkins, 200.0);
    struct checked checked;
    checked_run(&checked, text, 0.0, 6);
    const struct masing_starts *starts = &checked.summary.starts;
    CHECK(checked.summary.slip_share > 0.5);
    CHECK(starts->n == 6 && starts->n_solved == 6);
    CHECK_RELATIVE(starts->lowest, checked.summary.peak.max, 1e-8);
    CHECK_RELATIVE(starts->highest, checked.summary.peak.max, 1e-8);
    checked_clear(&checked);
    free(text);
}

static void nothing_to_remember(void)
{
    char *text = model(axis, "law: cubic_spring, coefficient: 1e6", 2.0);
    struct checked checked;
    checked_run(&checked, text, 0.0, 6);
    CHECK(checked.summary.starts.n == 0);
    checked_clear(&checked);
    free(text);
}

/* The same model twice: the same states. */
static void the_same_every_time(void)
{
    double ends[2][2];
    for (int i = 0; i < 2; i++) {
        char *text = model(axis, jenkins, 2.0);
        struct checked checked;
        checked_run(&checked, text, 0.0, 7);
        ends[i][0] = checked.summary.starts.lowest;
        ends[i][1] = checked.summary.starts.highest;
        checked_clear(&checked);
        free(text);
    }
    CHECK(ends[0][0] == ends[1][0] && ends[0][1] == ends[1][1]);
}

static const struct tap_test tests[] = {
    {"a stuck slider", a_stuck_slider},           {"a stuck contact", a_stuck_contact},
    {"a slipping slider", a_slipping_slider},     {"nothing to remember", nothing_to_remember},
    {"the same every time", the_same_every_time},
};

TAP_MAIN(tests)
