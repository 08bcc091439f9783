/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A curve that pauses at a point and goes on in another continuation of the same problem: all
 * that later points depend on is what is packed here. Factors, what the corrector has learnt
 * and workspaces are not: they begin anew.
 */
#include "continuation/continuation.h"
#include "continuation/curve.h"

static void pack_vector(struct packing *packing, double *vector, int n)
{
    packing_bytes(packing, vector, (size_t)n * sizeof *vector);
}

static void pack_point(struct continuation *c, struct packing *packing,
                       struct curve_point *point)
{
    pack_vector(packing, point->u, c->size);
    pack_vector(packing, point->tangent_in, c->size);
    pack_vector(packing, point->tangent, c->size);
    pack_vector(packing, point->value, c->n_functions);
    PACK(packing, point->arc);
    PACK(packing, point->residual);
    PACK(packing, point->iterations);
}

static void pack_function(struct packing *packing, struct curve_function *f)
{
    PACK(packing, f->scale);
    PACK(packing, f->largest);
    PACK(packing, f->steepness);
    PACK(packing, f->sign);
    PACK(packing, f->sign_kept);
    PACK(packing, f->was_hit);
    PACK(packing, f->is_hit);
}

/* How the last step went, and what was counted. */
static void pack_step(struct continuation *c, struct packing *packing)
{
    PACK(packing, c->spotted);
    PACK(packing, c->solution_size);
    PACK(packing, c->bordered.n_left);
    PACK(packing, c->following);
    PACK(packing, c->locating);
    PACK(packing, c->counts);
    PACK(packing, c->heading);
    PACK(packing, c->secant_votes);
    PACK(packing, c->is_hidden_corner);
    PACK(packing, c->correction);
    PACK(packing, c->has_before);
    PACK(packing, c->length_before);
    PACK(packing, c->approached);
    PACK(packing, c->is_corner);
    PACK(packing, c->corner_step);
    PACK(packing, c->is_restarted);
    PACK(packing, c->step);
    PACK(packing, c->advised);
    PACK(packing, c->outcome);
    PACK(packing, c->good_length);
    PACK(packing, c->has_converged);
    PACK(packing, c->is_rescued);
    PACK(packing, c->begins_anew);
}

/* Branches that are followed once the curve has ended. */
static void pack_junctions(struct continuation *c, struct packing *packing)
{
    PACK(packing, c->n_junctions);
    for (int k = 0; k < c->n_junctions && k < c->most_junctions; k++) {
        struct curve_junction *junction = &c->junctions[k];
        pack_vector(packing, junction->u, c->size);
        pack_vector(packing, junction->null, c->size);
        PACK(packing, junction->is_settled);
        PACK(packing, junction->residual);
        PACK(packing, junction->curve);
    }
}

/* Where the curve is on its way. */
static void pack_progress(struct continuation *c, struct packing *packing)
{
    PACK(packing, c->closes);
    PACK(packing, c->reach);
    PACK(packing, c->last_gap);
    PACK(packing, c->farthest);
    PACK(packing, c->n_steps);
    PACK(packing, c->watched_arc);
    PACK(packing, c->is_held_up);
    PACK(packing, c->turns);
    PACK(packing, c->rescues);
    PACK(packing, c->orientation);
    PACK(packing, c->orientation_next);
    PACK(packing, c->orientation_out);
    PACK(packing, c->has_motion);
    PACK(packing, c->next.arc);
}

void continuation_pack(struct continuation *c, struct packing *packing)
{
    struct curve_point *points[] = {&c->before, &c->here, &c->first, &c->last};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        pack_point(c, packing, points[i]);
    }
    pack_vector(packing, c->metric, c->size);
    pack_vector(packing, c->weight, c->n);
    pack_vector(packing, c->secant, c->size);
    for (int i = 0; i < c->n_functions; i++) {
        pack_function(packing, &c->functions[i]);
    }
    pack_junctions(c, packing);
    pack_step(c, packing);
    pack_progress(c, packing);
    curve_pack_search(c, packing);
}
