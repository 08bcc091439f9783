/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure.h"

#include <string.h>

#include "model/model.h"
#include "specimen.h"
#include "tap.h"

static const double PI = 3.14159265358979323846;

static struct masing_model *seal(struct masing_spec *spec)
{
    struct masing_error error = {0};
    struct masing_model *model = NULL;
    if (!CHECK(masing_model_create(spec, &model, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return model;
}

/* The chain ground - m - m - ... - m - ground: omega_k = 2 sqrt(k/m) sin(k pi / (2 (n + 1))) */
static void chains_have_their_known_frequencies(void)
{
    enum { N = 40 };
    struct masing_spec spec;
    specimen_init(&spec, N);
    for (int i = 0; i <= N; i++) {
        specimen_spring(&spec, i - 1, i < N ? i : MASING_GROUND, 4e6);
    }
    for (int i = 0; i < N; i++) {
        specimen_mass(&spec, i, 0.25);
    }
    struct masing_model *model = seal(&spec);
    const struct structure *s = model->structure;
    CHECK(s->n_modes == N);
    CHECK(s->n_rigid == 0);
    for (int k = 0; k < N; k++) {
        CHECK_RELATIVE(s->omega[k], 8000 * sin((k + 1) * PI / (2 * (N + 1))), 1e-13);
    }
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"chains have their known frequencies", chains_have_their_known_frequencies},
};

TAP_MAIN(tests)
