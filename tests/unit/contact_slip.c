/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slider of a contact over one step: what is out of its reach is drawn back. */
#include "laws/contact/motion.h"
#include "tap.h"

#include <math.h>

/* Sliders that somebody put out of reach by a little, and a step that hardly leads inwards. */
static void a_slider_out_of_reach_is_drawn_back(void)
{
    static const double steps[] = {0.0, 1e-19, 1e-12};
    double reach = 2.5e-4;
    for (int i = 0; i < 3; i++) {
        for (double angle = 0.1; angle < 6.2; angle += 0.7) {
            double e[2] = {cos(angle), sin(angle)}, out = reach * (1.0 + 1e-7);
            double r0[2] = {out * e[0], out * e[1]};
            double dv[2] = {-steps[i] * e[0] + 0.3 * steps[i] * e[1],
                            -steps[i] * e[1] - 0.3 * steps[i] * e[0]};
            struct contact_slip slip;
            contact_slip(2, r0, dv, reach, reach, true, &slip);
            CHECK(slip.is_slip);
            CHECK_SCALED(slip.r[0], reach * e[0], reach, 1e-8);
            CHECK_SCALED(slip.r[1], reach * e[1], reach, 1e-8);
        }
    }
}

/* What moves inside of the circle and meets it at the far side goes on from there. */
static void a_chord_ends_at_the_far_side(void)
{
    double r0[2] = {1.0, 0.0}, dv[2] = {-1.5, 1.5};
    struct contact_slip slip;
    contact_slip(2, r0, dv, 1.0, 1.0, true, &slip);
    /* it leaves at 0, 1 and turns towards (-1, 1) from there */
    CHECK(slip.is_slip);
    CHECK_RELATIVE(hypot(slip.r[0], slip.r[1]), 1.0, 1e-14);
    CHECK(slip.r[0] < -0.1 && slip.r[0] > -sqrt(0.5) && slip.r[1] > sqrt(0.5));
}

/* What sticks does so wherever the slider started: 1e-9 m to and fro, 5e-4 m from there. */
static void a_contact_sticks_far_from_where_it_started(void)
{
    enum { N = 32 };
    const double size = 1e-9, reach = size * (1.0 + 1e-8), origin[2] = {0.0, 0.0};
    const struct contact_path path = {.n_samples = N, .n_tangential = 2};
    for (double angle = 0.1; angle < 6.2; angle += 0.1) {
        struct contact_sample samples[N] = {0};
        struct contact_cycle cycle;
        double scratch[3 * N];
        for (int i = 0; i < N; i++) {
            double along = size * cos(2.0 * acos(-1.0) * i / N);
            samples[i].v[0] = -5e-4 + along * cos(angle);
            samples[i].v[1] = 4e-6 + along * sin(angle);
            samples[i].local.reach = reach;
        }
        CHECK(contact_cycle_find(&path, origin, NULL, samples, scratch, &cycle) == MASING_OK);
        CHECK(cycle.is_stuck);
    }
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"a slider out of reach is drawn back", a_slider_out_of_reach_is_drawn_back},
        {"a chord ends at the far side", a_chord_ends_at_the_far_side},
        {"a contact sticks far from where it started",
         a_contact_sticks_far_from_where_it_started},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
