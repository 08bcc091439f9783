/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a compliance is made of; for its own two files. */
#ifndef MASING_HARMONIC_COMPLIANCE_TYPE_H
#define MASING_HARMONIC_COMPLIANCE_TYPE_H

#include "harmonic/compliance.h"
#include "harmonic/coupled_sum.h"
#include "harmonic/modal_product.h"
#include "harmonic/modal_sum.h"

struct compliance {
    const struct structure *structure; /* lent */
    struct modal_sum *modal;           /* damping diagonal in the modes, or */
    struct coupled_sum *coupled;       /* not */
    struct modal_product *product;     /* the first without its matrix, or NULL */
    int n_in, n_harmonics, *harmonics;
    bool *is_excluded; /* [n_harmonics][n_modes] rigid-body modes at 0 too */
    double *in;        /* [n_modes * n_in] ports in modal coordinates */
    double *reach;     /* [n_dofs * n_in] flexibility of massless DOFs times ports, or NULL */
};

#endif
