/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of modal Iwan models: found from data of any element, within intervals that hold,
 * and not found where the data do not tell them.
 */
#include "masing/modal_iwan.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tap.h"

static const double two_pi = 6.28318530717958647692;

enum { MOST_POINTS = 40 };

/* A made-up mode: its element, its points from `from` to `to` times phi_max, and what is asked.
 */
struct made {
    struct masing_modal_iwan modal, found;
    struct masing_modal_point points[MOST_POINTS];
    struct masing_modal_iwan_request request;
    struct masing_error error;
};

/* Uniform in [0, 1) (Knuth's MMIX). */
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static struct masing_modal_point point_of(const struct masing_modal_iwan *modal,
                                          double amplitude)
{
    struct masing_modal_point point = {0};
    struct masing_error error = {0};
    CHECK(masing_modal_iwan_at(modal, amplitude, &point, &error) == MASING_OK);
    return point;
}

static void make(struct made *made, double chi, double beta, double from, double to)
{
    double e = chi + 1.0;
    *made = (struct made){.modal = {.spring = 2.0,
                                    .stiffness = 1.0,
                                    .slip_force = 1.0,
                                    .chi = chi,
                                    .beta = beta,
                                    .damping_ratio = 1e-3,
                                    .stuck_hz = sqrt(3.0) / two_pi}};
    double reach = (1.0 + beta) / (beta + e / (e + 1.0));
    for (int i = 0; i < MOST_POINTS; i++) {
        double share = i / (MOST_POINTS - 1.0);
        made->points[i] = point_of(&made->modal, reach * from * pow(to / from, share));
    }
    made->request = (struct masing_modal_iwan_request){
        .n_points = MOST_POINTS,
        .points = made->points,
        .ends = {made->modal.stuck_hz, sqrt(2.0) / two_pi, 1e-3},
        .left_out_from = NAN,
        .left_out_to = NAN};
}

/* Equation (9) as printed, at the points' own frequencies. */
static void print_macroslip(struct made *made)
{
    double e = made->modal.chi + 1.0, beta = made->modal.beta;
    double reach = (1.0 + beta) / (beta + e / (e + 1.0));
    made->request.is_printed = true;
    for (int i = 0; i < MOST_POINTS; i++) {
        struct masing_modal_point *p = &made->points[i];
        double omega = two_pi * p->frequency_hz;
        if (p->amplitude >= reach) {
            p->damping_ratio =
                1e-3 * sqrt(3.0) / omega + 4.0 / (two_pi * omega * omega * p->amplitude);
        }
    }
}

static enum masing_status identify(struct made *made)
{
    return masing_identify_modal_iwan(&made->request, &made->found, &made->error);
}

static void exact_data_give_exact_numbers(void)
{
    uint64_t state = 1;
    for (int k = 0; k < tap_most(24, 6); k++) {
        struct made made;
        double chi = k == 0 ? -0.8 : -0.9 + 0.9 * draw(&state);
        double beta = k == 0 ? 0.1 : 0.05 * pow(200.0, draw(&state));
        make(&made, chi, beta, 1e-4, k % 3 == 2 ? 2.0 : 1e3); /* or hardly beyond the onset */
        if (k % 4 >= 2 && k % 3 != 2) {
            print_macroslip(&made);
        }
        made.request.ends.damping_ratio = k % 2 == 0 ? NAN : 1e-3;
        CHECK(identify(&made) == MASING_OK);
        CHECK_RELATIVE(made.found.slip_force, 1.0, 1e-7);
        CHECK(fabs(made.found.chi - chi) < 1e-7);
        CHECK_RELATIVE(made.found.beta, beta, 1e-6);
        CHECK_RELATIVE(made.found.damping_ratio, 1e-3, 1e-7);
        CHECK(made.found.beta_interval < 1e-5 * beta && made.found.rms < 1e-8);
    }
}

/* 95 % intervals; of so few draws one may lie at twice the width. */
static bool is_within(double found, double truth, double interval)
{
    return fabs(found - truth) <= 2.0 * interval;
}

static void noise_stays_within_the_intervals(void)
{
    uint64_t state = 7;
    for (int k = 0; k < tap_most(16, 4); k++) {
        struct made made;
        double chi = -0.9 + 0.9 * draw(&state), beta = 0.05 * pow(200.0, draw(&state));
        make(&made, chi, beta, 1e-4, 1e3);
        if (k % 2 == 1) {
            print_macroslip(&made);
        }
        for (int i = 0; i < MOST_POINTS; i++) {
            double noise = draw(&state) + draw(&state) + draw(&state) - 1.5; /* sigma 1/2 */
            made.points[i].damping_ratio *= 1.0 + 0.1 * noise;
        }
        CHECK(identify(&made) == MASING_OK && made.found.rms < 0.08);
        CHECK(is_within(made.found.slip_force, 1.0, made.found.slip_force_interval));
        CHECK(is_within(made.found.chi, chi, made.found.chi_interval));
        /* the interval is one of ln beta */
        CHECK(is_within(log(made.found.beta), log(beta),
                        made.found.beta_interval / made.found.beta));
        CHECK(isfinite(made.found.slip_force + made.found.phi_max));
    }
}

/* Numbers that few points tell, each of them given so many times, one set after the other. */
static struct masing_modal_iwan few_points(int m, int times)
{
    const double reach = 2.0 / (1.0 + 1.0 / 3.0); /* of chi = -0.5, beta = 1 */
    struct made made;
    make(&made, -0.5, 1.0, 1e-2, 1e2);
    made.request.n_points = times * m;
    for (int i = 0; i < times * m; i++) {
        int k = i % m;
        double misfit = 0.003 * (k % 2 == 0 ? 1.0 : -1.0) * (1.0 + 0.1 * k);
        double share = k / (m - 1.0);
        made.points[i] = point_of(&made.modal, 0.013 * reach * pow(1e4, share));
        made.points[i].damping_ratio *= exp(misfit);
    }
    made.request.left_out_from = made.request.left_out_to = reach;
    if (!CHECK(identify(&made) == MASING_OK)) {
        printf("# %d points: %s\n", m, made.error.message);
    }
    CHECK(made.found.n_used == times * m);
    CHECK(!made.found.chi_is_assumed && !made.found.beta_is_assumed);
    return made.found;
}

/* Neighbours that are alike count as fewer. */
static double alike_factor(const struct masing_modal_iwan *found)
{
    double alike = fmax(found->misfit_correlation, 0.0);
    return sqrt((1.0 + alike) / (1.0 - alike));
}

/*
 * Half an interval is t(m - 3) sqrt(S / (m - 3)) sqrt(c) for three numbers, t Student's
 * quantile. Each point given twice, S is doubled, c halved: what is left is
 * t(2 m - 3) / t(m - 3) sqrt((m - 3) / (2 m - 3)).
 */
static void few_points_have_wide_intervals(void)
{
    static const struct {
        int m;
        double few, twice; /* Student's quantiles of m - 3, 2 m - 3 */
    } cases[] = {{6, 3.182446305284263, 2.262157162798205},
                 {7, 2.776445105197793, 2.200985160091638},
                 {8, 2.570581835636314, 2.160368656462791}};
    for (int i = 0; i < 3; i++) {
        int m = cases[i].m;
        struct masing_modal_iwan few = few_points(m, 1), twice = few_points(m, 2);
        double ratio = cases[i].twice / cases[i].few * sqrt((m - 3.0) / (2.0 * m - 3.0)) *
                       alike_factor(&twice) / alike_factor(&few);
        CHECK_RELATIVE(twice.slip_force, few.slip_force, 1e-6);
        CHECK_RELATIVE(twice.slip_force_interval / few.slip_force_interval, ratio, 6e-3);
        CHECK_RELATIVE(twice.chi_interval / few.chi_interval, ratio, 6e-3);
        CHECK_RELATIVE(twice.beta_interval / few.beta_interval, ratio, 6e-3);
    }
}

static void what_the_data_do_not_hold_is_not_found(void)
{
    struct made macro, micro, sloppy;
    make(&macro, -0.3, 8.0, 20.0, 1e3);
    CHECK(identify(&macro) == MASING_OK && !macro.found.has_microslip);
    CHECK_RELATIVE(macro.found.slip_force, 1.0, 1e-9);
    CHECK(macro.found.slip_force_interval < 1e-6 && isinf(macro.found.chi_interval) &&
          isinf(macro.found.beta_interval));
    make(&micro, -0.3, 20.0, 1e-4, 0.1);
    CHECK(identify(&micro) == MASING_OK && !micro.found.has_macroslip);
    CHECK(fabs(micro.found.chi + 0.3) < 1e-7 && micro.found.chi_interval < 1e-6);
    CHECK(isinf(micro.found.slip_force_interval) && isinf(micro.found.beta_interval));
    CHECK(micro.found.beta_is_assumed && micro.found.beta == 1.0 && micro.found.rms < 1e-8);
    /* what noise of 2 % hides: how far the sliders reach */
    make(&sloppy, -0.3, 8.0, 20.0, 1e3);
    for (int i = 0; i < MOST_POINTS; i++) {
        sloppy.points[i].damping_ratio *= i % 2 == 0 ? 1.02 : 0.98;
    }
    CHECK(identify(&sloppy) == MASING_OK && isinf(sloppy.found.chi_interval));
    CHECK(sloppy.found.chi_is_assumed && sloppy.found.beta_is_assumed);
    CHECK(is_within(sloppy.found.slip_force, 1.0, sloppy.found.slip_force_interval) &&
          sloppy.found.slip_force_interval < 0.1);
}

static void what_says_nothing_is_refused(void)
{
    static const double cycle[] = {0.01, 0.003, 0.02, 0.005};
    struct made made, damped, equal;
    make(&made, -0.5, 1.0, 1e-2, 1e2);
    for (int i = 0; i < MOST_POINTS; i++) {
        made.points[i].damping_ratio = cycle[i % 4];
    }
    CHECK(identify(&made) == MASING_NOT_CONVERGED &&
          strstr(made.error.message, "no modal Iwan model follows these data"));
    make(&damped, -0.5, 1.0, 1e-2, 1e2);
    damped.request.ends.damping_ratio = 0.5;
    CHECK(identify(&damped) == MASING_INVALID &&
          strstr(damped.error.message, "nothing is left for the joints"));
    make(&equal, -0.5, 1.0, 1.0, 1.0);
    CHECK(identify(&equal) == MASING_INVALID &&
          strstr(equal.error.message, "all amplitudes lie between"));
    make(&equal, -0.5, 1.0, 1e-2, 1e2);
    equal.points[5].amplitude = 1e-200;
    CHECK(identify(&equal) == MASING_INVALID && strstr(equal.error.message, "point 6"));
}

static const struct tap_test tests[] = {
    {"exact data give exact numbers", exact_data_give_exact_numbers},
    {"noise stays within the intervals", noise_stays_within_the_intervals},
    {"few points have wide intervals", few_points_have_wide_intervals},
    {"what the data do not hold is not found", what_the_data_do_not_hold_is_not_found},
    {"what says nothing is refused", what_says_nothing_is_refused},
};

TAP_MAIN(tests)
