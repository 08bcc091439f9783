/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The force of a rate-independent law is a function of the displacement from one turning point
 * to the next. Its integral is taken by adaptive Simpson's rule over each step between samples
 * and turning points, so that the place of a corner (the onset of slip) is closed in on.
 */
#include "analyses/loop/energy.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"

enum { MOST_HALVINGS = 40 };

/* A straight step; forces in it follow from the state at its start. */
struct step {
    struct loop_march *march;
    double start;
    double tolerance; /* J */
    enum masing_status status;
};

/* One side of Simpson's rule. */
struct piece {
    double a, b, fa, fm, fb;
};

/* The force at x, with march->scratch as the state there. */
static double force_at(struct step *step, double x)
{
    double f = NAN;
    enum masing_status status = loop_march_step(step->march, step->start, x, &f);
    step->status = step->status == MASING_OK ? status : step->status;
    return f;
}

static double simpson(const struct piece *piece)
{
    return (piece->b - piece->a) * (piece->fa + 4.0 * piece->fm + piece->fb) / 6.0;
}

static double integrate(struct step *step, const struct piece *piece, int halvings)
{
    double middle = 0.5 * (piece->a + piece->b), whole = simpson(piece);
    struct piece left = {piece->a, middle, piece->fa, force_at(step, 0.5 * (piece->a + middle)),
                         piece->fm};
    struct piece right = {middle, piece->b, piece->fm,
                          force_at(step, 0.5 * (middle + piece->b)), piece->fb};
    double halves = simpson(&left) + simpson(&right);
    if (!(fabs(halves - whole) > step->tolerance) || halvings == 0 ||
        step->status != MASING_OK) {
        return halves + (halves - whole) / 15.0;
    }
    return integrate(step, &left, halvings - 1) + integrate(step, &right, halvings - 1);
}

struct sums {
    double work, max_force, largest, force_at_largest;
};

/* From where the march's state stands to x; f is the force there before and after. */
static enum masing_status take(struct step *step, double x, double *f, struct sums *sums)
{
    struct loop_march *march = step->march;
    if (x != step->start && sums) {
        struct piece piece = {step->start, x, *f, force_at(step, 0.5 * (step->start + x)),
                              force_at(step, x)};
        sums->work += integrate(step, &piece, MOST_HALVINGS);
        sums->max_force = fmax(sums->max_force, fmax(fabs(piece.fm), fabs(piece.fb)));
    }
    *f = force_at(step, x);
    memcpy(march->state, march->scratch, march->state_size * sizeof(double));
    step->start = x;
    if (sums && fabs(x) > fabs(sums->largest)) {
        sums->largest = x;
        sums->force_at_largest = *f;
    }
    return step->status;
}

/* Displacements of one period at rows and turning points. */
struct places {
    const struct loop_cycle *cycle;
    int n_turnings;
    double turnings[LOOP_MOTION_TURNINGS];
};

static enum masing_status go_round(const struct places *places, struct step *step, double *f,
                                   struct sums *sums)
{
    enum masing_status status = MASING_OK;
    const struct loop_cycle *cycle = places->cycle;
    int stride = cycle->n_samples / cycle->n_rows, k = 0;
    for (int i = 1; i <= cycle->n_rows; i++) {
        double angle = TWO_PI * i / cycle->n_rows, shape;
        for (; k < places->n_turnings && places->turnings[k] <= angle + 1e-12; k++) {
            if (places->turnings[k] < angle - 1e-12) {
                loop_motion_at(cycle->motion, places->turnings[k], &shape, NULL);
                TRY(take(step, cycle->amplitude * shape, f, sums));
            }
        }
        TRY(take(step, cycle->march->x[i * stride], f, sums));
    }
done:
    return status;
}

enum masing_status loop_energy_refine(struct loop_cycle *cycle)
{
    enum masing_status status = MASING_OK;
    struct loop_march *march = cycle->march;
    struct masing_loop_measures *measures = cycle->measures;
    struct places places = {.cycle = cycle};
    double scale = measures->max_force * measures->largest_displacement, f = 0.0;
    struct step step = {march, march->x[0],
                        fmax(1e-13 * fabs(measures->energy_lost), 1e-17 * scale), MASING_OK};
    struct sums sums = {0};
    places.n_turnings = loop_motion_turnings(cycle->motion, places.turnings);
    memcpy(march->state, march->found, march->state_size * sizeof(double));
    TRY(go_round(&places, &step, &f, NULL)); /* turns where the motion does, to round-off */
    TRY(go_round(&places, &step, &f, &sums));
    measures->energy_lost = sums.work;
    measures->max_force = sums.max_force;
    measures->largest_displacement = fabs(sums.largest);
    measures->secant_stiffness = sums.force_at_largest / sums.largest;
done:
    return status;
}
