/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A structure with its damping and the modes with its joints, about zero displacement. */
#ifndef MASING_TESTS_COUPLED_STRUCTURE_H
#define MASING_TESTS_COUPLED_STRUCTURE_H

#include "model/model.h"

static inline enum masing_status coupled_structure_create(const struct masing_spec *spec,
                                                          struct structure **structure,
                                                          struct masing_error *error)
{
    enum masing_status status = structure_create(spec, structure, error);
    if (status == MASING_OK) {
        status = structure_couple(spec, NULL, *structure, error);
    }
    if (status != MASING_OK) {
        structure_destroy(*structure);
        *structure = NULL;
    }
    return status;
}

#endif
