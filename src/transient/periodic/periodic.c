/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/periodic/periodic.h"

#include <math.h>

#include "base/check.h"
#include "masing/integrate.h"
#include "transient/rigid_body.h"
#include "transient/periodic/shooting.h"
#include "transient/periodic/steady.h"

/* What steps to a tolerance are in doubt by over a period, in parts of that tolerance: two
 * periods never agree better. */
static const double NOISE = 100.0, ROUND_OFF = 1e-15;

/* How far beside an unstable motion another begins; how well a motion has to repeat before it
 * is shot for, at first, and by what part better each time that this was not enough. */
static const double BESIDE = 1e-3, ROUGH = 1e-3, FINER = 0.1;

/* How well states agree that are called the same, in tolerances. */
static const double SAME = 10.0;

/* Periods to march at first where Newton steps did not help, and by what they become more; how
 * often an unstable motion is left before it is taken for an answer. */
enum { FIRST_MARCH = 256, MORE_MARCH = 4, MOST_LEFT = 3 };

/* A search for a periodic motion by shooting. */
struct search {
    struct integrator *integrator;
    const struct settle_observer *observer;
    struct settle_result *result;
    double tolerance;
    double rough;   /* how well a motion has to repeat before it is shot for */
    int max_cycles; /* in all */
    int to_march;   /* periods at most before the next Newton steps */
    int order;      /* periods that are shot for */
    int n_left;     /* unstable motions so far */
};

double periodic_tolerance(const struct integrator *integrator, double tolerance)
{
    if (integrator->stepper.type->has_step_error || !(tolerance > 0.0)) {
        return tolerance;
    }
    return fmax(tolerance, NOISE * fmax(integrator->stepper.accuracy, ROUND_OFF));
}

static bool is_at_end(const struct search *search)
{
    return search->result->is_cancelled || search->result->cycles >= search->max_cycles;
}

static enum masing_status shoot(struct search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct shooting *shooting = NULL;
    search->result->n_history = search->result->n_updates = 0;
    search->result->is_steady = false;
    search->result->largest_multiplier = NAN;
    TRY(shooting_create(search->integrator, search->order, &shooting, error));
    status = shooting_run(shooting, search->tolerance, search->max_cycles, search->observer,
                          search->result);
done:
    shooting_destroy(shooting);
    return status;
}

/* March up to so many periods until the motion repeats roughly: after how many is shot for
 * next. What repeats as well as is asked for is steady. */
static enum masing_status march(struct search *search, int cycles, struct masing_error *error)
{
    struct settle_result marched, *result = search->result;
    double tolerance = fmax(search->tolerance, search->rough);
    enum masing_status status =
        settle_run(search->integrator, tolerance, cycles, search->observer, &marched, error);
    result->cycles += marched.cycles;
    result->n_history = result->n_updates = 0;
    result->largest_multiplier = NAN;
    result->is_cancelled = marched.is_cancelled;
    result->distance = marched.distance;
    result->most_order =
        marched.most_order > result->most_order ? marched.most_order : result->most_order;
    search->order = marched.is_steady ? marched.order : 1;
    result->is_steady = marched.is_steady && tolerance <= search->tolerance;
    result->order = result->is_steady ? marched.order : 0;
    return status;
}

/* A motion of several periods may repeat after fewer of them: follow it once to see. */
static enum masing_status find_divisor(struct search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct steady *steady = NULL;
    const struct settle_observer *observer = search->observer;
    struct settle_result *result = search->result;
    struct integrator *integrator = search->integrator;
    TRY(steady_create(integrator, SAME * search->tolerance, &steady, error));
    steady_begin(steady, integrator);
    for (int i = 1; i <= search->order * integrator->n_steps; i++) {
        result->is_cancelled = result->is_cancelled || settle_is_over(observer, i);
        if (result->is_cancelled) {
            goto done;
        }
        TRY(integrator_step(integrator));
        steady_sample(steady, integrator);
        if (i % integrator->n_steps == 0) {
            steady_end(steady, integrator);
            result->cycles++;
        }
    }
    search->order = steady_least_order(steady, search->order);
done:
    steady_destroy(steady);
    return status;
}

/* Shoot for a motion of several periods, and again for that of fewer which it turns out to be.
 */
static enum masing_status shoot_for_least(struct search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int order;
    do {
        order = search->order;
        TRY(shoot(search, error));
        if (order > 1 && search->result->is_steady) {
            TRY(find_divisor(search, error));
        }
    } while (search->order < order && !is_at_end(search));
done:
    return status;
}

/* What was found is unstable: nobody would see it. Start beside it. */
static void leave(struct search *search)
{
    struct modal_state *modal = search->integrator->modal;
    for (int k = 0; k < modal->n_modes; k++) {
        modal->v[k] *= 1.0 + BESIDE;
    }
    integrator_begin(search->integrator);
    search->result->is_steady = false;
    search->result->distance = INFINITY;
    search->n_left++;
}

/* Shoot; where that fails, or finds what is unstable, see by marching where the motion goes,
 * and shoot for what repeats there, after several periods perhaps. */
static enum masing_status find(struct search *search, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct settle_result *result = search->result;
    for (;;) {
        TRY(shoot_for_least(search, error));
        bool is_unstable =
            result->is_steady && result->largest_multiplier > 1.0 + MASING_NEUTRAL_MULTIPLIER;
        if (is_at_end(search) ||
            (result->is_steady && (!is_unstable || search->n_left == MOST_LEFT))) {
            break;
        }
        int left = search->max_cycles - result->cycles;
        if (is_unstable) {
            leave(search);
        } else if (search->to_march < left) {
            left = search->to_march;
            search->to_march *= MORE_MARCH;
        }
        TRY(march(search, left, error));
        if (is_at_end(search) || result->is_steady) {
            break;
        }
        search->rough *= FINER;
    }
done:
    return status;
}

/* A whole history goes on as it is. */
static enum masing_status centre(struct integrator *integrator,
                                 const struct settle_observer *observer,
                                 const struct settle_result *result, struct masing_error *error)
{
    return result->is_steady && !observer->step
               ? rigid_body_centre(integrator, result->order, error)
               : MASING_OK;
}

enum masing_status periodic_run(struct integrator *integrator, double tolerance, int max_cycles,
                                const struct settle_observer *observer,
                                struct settle_result *result, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    tolerance = periodic_tolerance(integrator, tolerance);
    if (integrator->model->spec.integration.steady == MASING_STEADY_MARCHING ||
        observer->step || !(tolerance > 0.0)) {
        TRY(settle_run(integrator, tolerance, max_cycles, observer, result, error));
        TRY(centre(integrator, observer, result, error));
        goto done;
    }
    *result =
        (struct settle_result){.distance = NAN, .largest_multiplier = NAN, .most_order = 1};
    struct search search = {.integrator = integrator,
                            .observer = observer,
                            .result = result,
                            .tolerance = tolerance,
                            .rough = ROUGH,
                            .max_cycles = max_cycles,
                            .to_march = FIRST_MARCH,
                            .order = 1};
    TRY(find(&search, error));
    TRY(centre(integrator, observer, result, error));
done:
    return status;
}
