/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * After how many periods of the load a motion repeats, by marching and by shooting: the orders
 * of a mass that bounces on a stop, and linear structures, which have none, whatever the ratio
 * of their free vibration to the load.
 */
#include <math.h>
#include <string.h>

#include "masing/integrate.h"
#include "response.h"

static const double two_pi = 6.28318530717958647692;

static struct masing_integrate_summary integrate(const char *text, double hz,
                                                 struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_integrate_summary summary = {0};
    *error = (struct masing_error){0};
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, error) == MASING_OK &&
          masing_document_model(document, NULL, 0, &model, error) == MASING_OK);
    if (model) {
        enum masing_status status = masing_integrate(model, hz, NULL, NULL, &summary, error);
        CHECK(status == (summary.is_steady ? MASING_OK : MASING_STOPPED));
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
    return summary;
}

static struct masing_integrate_summary bounce(const char *steady, int cycles, double hz,
                                              struct masing_error *error)
{
    char text[1024];
    snprintf(text, sizeof text,
             "masing: 1\n"
             "structure:\n"
             "  masses: {x: 1}\n"
             "  springs: [{from: ground, to: x, stiffness: 4000}]\n"
             "  damping: {modal_ratio: 0.03}\n"
             "joints: [{name: stop, law: unilateral_spring, from: ground, to: x,\n"
             "  stiffness: 200000, gap: 0}]\n"
             "static_loads: [{dof: x, force: 9.81}]\n"
             "loads: [{dof: x, amplitude: 40}]\n"
             "frequency: [10, 110]\n"
             "harmonics: 25\n"
             "outputs: [x]\n"
             "integration: {method: exact, steady: %s, cycles: %d, steps_per_cycle: 128}\n",
             steady, cycles);
    return integrate(text, hz, error);
}

struct repeating {
    double hz, max;
    int order;
};

static bool is_same(const struct masing_integrate_summary *summary,
                    const struct repeating *known)
{
    return summary->order == known->order &&
           fabs(summary->outputs[0].max / known->max - 1.0) < 1e-5;
}

/* The orders are those of Runge and Kutta's method of fourth order after 2500 periods: the
 * fewest after which the state is the same to 1e-6. Free vibrations beside these motions die
 * out in rotations, so that twice and three times as many periods are near sooner. At 30 Hz
 * there are two such motions, and either will do. */
static void a_bouncing_mass(void)
{
    static const struct repeating known[] = {{30, 0.0063879692, 3}, {34, 0.0057449166, 4},
                                             {44, 0.0055138474, 2}, {50, 0.0028685812, 2},
                                             {56, 0.001817373, 2},  {62, 0.0023153978, 4},
                                             {70, 0.0038361933, 3}, {80, 0.0021383381, 3}};
    static const struct repeating other = {30, 0.0047289283, 2};
    struct masing_error error;
    for (int i = 0; i < 8; i += tap_most(1, 3)) {
        for (int k = 0; k < 2; k++) {
            struct masing_integrate_summary summary =
                bounce(k == 0 ? "marching" : "shooting", 3000, known[i].hz, &error);
            if (!CHECK(is_same(&summary, &known[i]) || (i == 0 && is_same(&summary, &other)))) {
                printf("# %g Hz: order %d, not %d; largest %.9g\n", known[i].hz, summary.order,
                       known[i].order, summary.outputs[0].max);
            }
            CHECK(k == 0 || summary.largest_multiplier < 1.0);
            masing_integrate_summary_clear(&summary);
        }
    }
}

/* Nothing repeats here: said without a distance of something else, and of the orders that there
 * were periods enough to see. */
static void a_motion_that_never_repeats(void)
{
    static const char *const ways[] = {"marching", "shooting"};
    struct masing_error error;
    for (int k = 0; k < 2; k++) {
        struct masing_integrate_summary summary = bounce(ways[k], 400, 38.0, &error);
        CHECK(!summary.is_steady && summary.order == 0);
        CHECK(!(summary.distance <= 1e-3));
        CHECK(strstr(error.message, "2 to 32") != NULL);
        CHECK(strstr(error.message, "nan") == NULL && strstr(error.message, "inf") == NULL);
        masing_integrate_summary_clear(&summary);
    }
    struct masing_integrate_summary summary = bounce("marching", 12, 38.0, &error);
    CHECK(!summary.is_steady && strstr(error.message, "2 to 2 ") == NULL);
    CHECK(strstr(error.message, "2 to 32") == NULL);
    masing_integrate_summary_clear(&summary);
}

/* Natural frequency 30 Hz: the free vibration is in the load's rhythm after two periods at
 * 20 Hz, after one at 15 Hz, after eleven at 22 Hz. It dies out like exp(-zeta omega t). */
static void linear_structures_have_no_sub_harmonics(void)
{
    static const double frequencies[] = {20.0, 15.0, 22.0};
    struct masing_error error;
    for (int i = 0; i < tap_most(6, 3); i++) {
        double zeta = i < 3 ? 2e-3 : 2e-4, hz = frequencies[i % 3];
        char text[512];
        snprintf(
            text, sizeof text,
            "masing: 1\n"
            "structure: {modes: {frequencies: [30], shapes: {x: [1]}, damping_ratio: %g}}\n"
            "loads: [{dof: x, amplitude: 10}]\n"
            "frequency: [12, 25]\n"
            "harmonics: 3\n"
            "outputs: [x]\n"
            "integration: {method: exact, cycles: 100000, steps_per_cycle: 16}\n",
            zeta);
        struct masing_integrate_summary summary = integrate(text, hz, &error);
        double w = two_pi * 30.0, o = two_pi * hz;
        double exact = 10.0 / hypot(w * w - o * o, 2.0 * zeta * w * o);
        double left = exp(-zeta * w * summary.cycles / hz);
        CHECK(summary.is_steady && summary.order == 1);
        CHECK_RELATIVE(summary.outputs[0].h1, exact, 2e-7);
        if (!CHECK(summary.distance > 0.2 * left && summary.distance < 20.0 * left)) {
            printf("# %g Hz: %.2g from it, estimated %.2g\n", hz, left, summary.distance);
        }
        masing_integrate_summary_clear(&summary);
    }
}

/* Without damping the free vibration stays for ever: no steady state, of no order. */
static void undamped_linear_structures_neither(void)
{
    struct masing_error error;
    struct masing_integrate_summary summary =
        integrate("masing: 1\n"
                  "structure: {modes: {frequencies: [30], shapes: {x: [1]}}}\n"
                  "loads: [{dof: x, amplitude: 10}]\n"
                  "frequency: [12, 25]\n"
                  "harmonics: 3\n"
                  "outputs: [x]\n"
                  "integration: {method: exact, cycles: 300, steps_per_cycle: 16}\n",
                  20.0, &error);
    CHECK(!summary.is_steady && summary.order == 0);
    CHECK(strstr(error.message, "repeats") == NULL);
    masing_integrate_summary_clear(&summary);
}

static const struct tap_test tests[] = {
    {"a bouncing mass", a_bouncing_mass},
    {"a motion that never repeats", a_motion_that_never_repeats},
    {"linear structures have no sub-harmonics", linear_structures_have_no_sub_harmonics},
    {"undamped linear structures neither", undamped_linear_structures_neither},
};

TAP_MAIN(tests)
