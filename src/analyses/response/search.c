/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts of the search for motions that lie on no curve so far: at its frequency, Fourier
 * coefficients by chance, from far smaller than the largest motion so far to far larger. With
 * options.n_search they are spread over the range; else a handful at both of its ends, where
 * another motion would be left out without a word, unless it is certain that there is none.
 */
#include "analyses/response/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/philox.h"
#include "base/pi.h"

/* At each end, unasked; and what that may cost: in parts of the curve's own Jacobians, and
 * roughly in us, where the cube of as many unknowns is factored in one. */
enum { STARTS_AT_END = 10, MOST_UNKNOWNS = 1000 };
static const double MOST_PART = 0.1, MOST_TIME = 5e4, FACTORED_IN_ONE = 10.0;

/* Decades of the size of a motion by that of the largest so far. Where motions are localised,
 * some joints move by a part of what the others do. */
static const double SMALLEST = -1.5, LARGEST = 1.5, SMALL = 0.1;
/* A harmonic that no load has, by its distance from one that has. */
static const double FADING = 0.5;

/* ---- which starts ---- */

/* The force of each joint grows with displacement or velocity and remembers no more than
 * sliders in parallel do: the difference of two motions under the same loads then loses energy
 * until nothing is left of it but places where sliders rest. */
static bool has_one_motion(const struct balance *balance)
{
    bool is_certain = !balance->model->spec.structure.is_active;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        const struct masing_law *law = joint->law;
        bool takes = !law->energy_limit || isinf(law->energy_limit(joint->parameters));
        is_certain = is_certain && law->is_monotone && takes;
    }
    return is_certain;
}

/* Sliders that stick may rest at several places, each of which is a motion of its own for the
 * search: nobody is told of these unasked. */
static bool has_sliders(const struct balance *balance)
{
    bool has = false;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint *joint = balance->joints[j]->joint;
        has = has || masing_law_state_size(joint->law, joint->parameters) > 0;
    }
    return has;
}

/* Whether the ends of the range are looked at although nobody has asked. */
static bool looks_at_ends(const struct response_curve *curve)
{
    const struct masing_spec *spec = &curve->model->spec;
    return spec->omega_from != spec->omega_to && spec->start != MASING_START_PREVIOUS &&
           curve->balance->compliance->has_matrices &&
           curve->balance->n_unknowns <= MOST_UNKNOWNS && curve->settings.looks_at_ends &&
           !has_sliders(curve->balance) && !has_one_motion(curve->balance);
}

enum masing_status response_search_plan(struct response_curve *curve, struct arena *arena,
                                        struct response_starts *plan,
                                        struct masing_error *error)
{
    const struct masing_spec *spec = &curve->model->spec;
    int n_asked = curve->settings.options->n_search;
    if (n_asked > 0 && spec->start == MASING_START_PREVIOUS) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "other motions are not searched for where sliders carry over "
                                "from point to point (start: previous): they depend on the way "
                                "there");
    }
    *plan = (struct response_starts){.is_asked = n_asked > 0};
    plan->n = n_asked > 0                            ? n_asked
              : n_asked == 0 && looks_at_ends(curve) ? 2 * STARTS_AT_END
                                                     : 0;
    if (n_asked <= 0) {
        double one = curve->balance->evaluation_cost[1] +
                     pow(curve->balance->n_unknowns / FACTORED_IN_ONE, 3.0);
        plan->most = MOST_TIME / one;
        plan->most_part = MOST_PART;
    }
    NEED_ALLOCATED(plan->omega = arena_doubles(arena, (size_t)plan->n));
    for (int i = 0; i < plan->n; i++) {
        double part = n_asked <= 0  ? (double)(i % 2)
                      : n_asked > 1 ? (double)i / (n_asked - 1)
                                    : 0.0;
        plan->omega[i] = part == 1.0
                             ? spec->omega_to
                             : spec->omega_from + part * (spec->omega_to - spec->omega_from);
    }
    return MASING_OK;
}

/* ---- a start ---- */

/* Between -1 and 1. */
static double chance(const struct response_curve *curve, int index, int what, int which)
{
    const struct philox counter = {{(uint32_t)index, (uint32_t)what, (uint32_t)which, 0}};
    return 2.0 * philox_uniform(curve->settings.options->seed, counter) - 1.0;
}

/* What is drawn. */
enum { SIZE, EVENNESS, FIRST_GROUP };

/* By how far a harmonic is from those of the loads. */
static double fade(const struct balance *balance, int k)
{
    int harmonic = balance->basis->harmonics[k], nearest = harmonic;
    for (int l = 0; l < balance->model->spec.n_loads; l++) {
        int away = abs(balance->model->loads[l].harmonic - harmonic);
        nearest = l == 0 || away < nearest ? away : nearest;
    }
    return pow(FADING, nearest);
}

static void fill_joints(const struct response_curve *curve, int index, double size, double *y)
{
    const struct balance *balance = curve->balance;
    const struct basis *basis = balance->basis;
    bool is_uneven = chance(curve, index, EVENNESS, 0) > 0.0;
    for (int a = 0; a < balance->n_axes; a++) {
        bool is_small = is_uneven && chance(curve, index, EVENNESS, 1 + a) > 0.0;
        double own = size * balance->largest[a] * (is_small ? SMALL : 1.0);
        for (int k = 0; k < basis->n_harmonics; k++) {
            double faded = own * fade(balance, k);
            for (int side = 0; side < basis_sides(basis, k); side++) {
                int c = basis->position[k] + side;
                y[c * balance->n_axes + a] = faded * chance(curve, index, FIRST_GROUP + a, c);
            }
        }
    }
}

static void fill_modes(const struct response_curve *curve, int index, double size, double *y)
{
    const struct balance *balance = curve->balance;
    for (int m = 0; m < balance->n_modes; m++) {
        const struct balance_mode *mode = &balance->modes[m];
        double own = size * balance->largest[balance->n_axes + 1 + m];
        own *= mode->is_idle ? 0.0 : fade(balance, mode->harmonic_index);
        for (int side = 0; side < basis_sides(balance->basis, mode->harmonic_index); side++) {
            y[mode->position + side] =
                own * chance(curve, index, FIRST_GROUP + balance->n_axes + m, side);
        }
    }
}

enum masing_status response_search_start(void *context, int index, double omega, double *y)
{
    struct response_curve *curve = context;
    double middle = 0.5 * (SMALLEST + LARGEST), width = 0.5 * (LARGEST - SMALLEST);
    double size = pow(10.0, middle + width * chance(curve, index, SIZE, 0));
    if (progress_is_cancelled(curve->settings.options->progress)) {
        return MASING_NOT_CONVERGED;
    }
    memset(y, 0, sizeof *y * (size_t)curve->balance->n_unknowns);
    fill_joints(curve, index, size, y);
    fill_modes(curve, index, size, y);
    (void)omega;
    return MASING_OK;
}

/* ---- what is the same motion ---- */

static int common_divisor(int a, int b)
{
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A motion later by the k-th part of the period over which all loads repeat. */
bool response_search_image(void *context, int k, const double *y, double *image)
{
    const struct response_curve *curve = context;
    const struct balance *balance = curve->balance;
    int repeats = 0;
    for (int l = 0; l < balance->model->spec.n_loads; l++) {
        repeats = common_divisor(balance->model->loads[l].harmonic, repeats);
    }
    if (k >= repeats) {
        return false;
    }
    balance_shift(balance, TWO_PI * k / repeats, y, image);
    return true;
}
