/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to what follows joints on DOFs without mass. */
#ifndef MASING_TRANSIENT_MASSLESS_PARTS_H
#define MASING_TRANSIENT_MASSLESS_PARTS_H

#include "transient/coupling.h"
#include "transient/flexible.h"
#include "transient/flow_solver_parts.h"
#include "transient/massless.h"

struct massless {
    struct flow_solver *solver; /* lent */
    struct flexible *flexible;
    struct coupling *coupling;
    const double *y;               /* lent for the time of a solve */
    double *x_free, *v_free;       /* [n_axes] */
    double *partial, *along;       /* [n_axes] tangents, see masing_flow_tangent */
    double *last_free, *last_x;    /* [n_axes] the solution before, if there is one */
    double *last_f;                /* [n_axes] */
    double *before, *last_partial; /* [n_axes] there with the states of now */
    double *step, *gone;           /* [n_axes] scratch */
    double *guards;                /* [guards of all joints] scratch */
    double reach;                  /* largest displacement so far */
    bool has_last;
    const char *trouble;
};

static inline double *massless_state(const struct massless *massless, int j)
{
    const struct joints *joints = massless->solver->parts.joints;
    return joints->state + joints->state_start[j];
}

/* Force and tangents of the joint on the i-th axis at displacements of the joints. */
void massless_evaluate(struct massless *massless, int i, const double *x);

#endif
