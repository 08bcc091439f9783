/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each allocation of sealing a model and of setting up a compliance fails once: the answer is
 * "no memory", nothing leaks (a sanitizer looks), and nothing crashes. Linked with
 * --wrap=calloc, so that it works with sanitizers as well.
 */
#include <stdio.h>

#include "harmonic/compliance/compliance.h"
#include "model/model.h"
#include "specimen.h"
#include "tap.h"

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

static long n_allocations, fails_at;

void *__wrap_calloc(size_t count, size_t size)
{
    return ++n_allocations == fails_at ? NULL : __real_calloc(count, size);
}

enum { N = 9, N_KINDS = 5, LIMIT = 1000 };

/* Structures that take different ways: see the switch */
static void fill(struct masing_spec *spec, int kind)
{
    specimen_chain(spec, N, 1, 4e4, kind != 2);
    specimen_load(spec, 0, 1)->kind = MASING_LOAD_BASE_ACCELERATION;
    struct masing_joint_spec *joint =
        specimen_joint(spec, "slider", "jenkins", MASING_GROUND, 3);
    specimen_field(joint, "stiffness", 5e4);
    specimen_field(joint, "slip_force", 10);
    specimen_static_load(spec, 4, 3);
    switch (kind) {
    case 0: /* coupled damping from the stuck modes */
        specimen_ratio(spec, 0.01);
        spec->structure.form.modes_are_stuck = true;
        break;
    case 1: /* massless DOFs */
        spec->structure.mass[0] = 0;
        spec->structure.mass[(N + 1) * 5] = 0;
        specimen_ratio(spec, 0.01);
        break;
    case 2: /* rigid-body motion and a damper */
        specimen_damper(spec, 1, 2, 3);
        break;
    case 4: /* one sector of seven in a wave */
        spec->structure.cyclic.n_sectors = 7;
        spec->structure.cyclic.stiffness = specimen_array(N * N, sizeof(double));
        spec->structure.cyclic.stiffness[2] = -1e3;
        spec->structure.stiffness[0] += 1e3;
        spec->structure.stiffness[2 * N + 2] += 1e3;
        spec->loads[0].kind = MASING_LOAD_FORCE;
        spec->loads[0].engine_order = 2;
        joint->axes[0].terms[0].dof += N; /* of the following sector */
        specimen_ratio(spec, 0.01);
        break;
    default: /* modal data */
        free(spec->structure.mass);
        free(spec->structure.stiffness);
        spec->structure.mass = spec->structure.stiffness = NULL;
        spec->structure.n_modes = N;
        spec->structure.omega_modes = specimen_array(N, sizeof(double));
        spec->structure.mode_shapes = specimen_array(N * N, sizeof(double));
        for (int k = 0; k < N; k++) {
            spec->structure.omega_modes[k] = 3 + 40 * k;
            spec->structure.mode_shapes[k + N * k] = 1;
        }
        break;
    }
}

static struct masing_model *sealed(int kind)
{
    struct masing_spec spec;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    fill(&spec, kind);
    if (!CHECK(masing_model_create(&spec, &model, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return model;
}

static void sealing(void)
{
    for (int kind = 0; kind < N_KINDS; kind++) {
        enum masing_status status = MASING_NO_MEMORY;
        long fails = 1;
        for (; fails < LIMIT && status != MASING_OK; fails++) {
            struct masing_spec spec;
            struct masing_model *model = NULL;
            struct masing_error error = {0};
            fails_at = 0;
            fill(&spec, kind);
            n_allocations = 0;
            fails_at = fails;
            status = masing_model_create(&spec, &model, &error);
            fails_at = 0;
            CHECK(status == MASING_OK || status == MASING_NO_MEMORY);
            CHECK((model != NULL) == (status == MASING_OK));
            CHECK(error.status == status);
            masing_model_destroy(model);
        }
        CHECK(status == MASING_OK && fails > 20);
    }
}

static void compliances(void)
{
    static const int harmonics[] = {0, 1, 3};
    for (int kind = 0; kind < N_KINDS; kind++) {
        enum masing_status status = MASING_NO_MEMORY;
        long fails = 1;
        size_t first[] = {0, 1, 2};
        int dofs[] = {0}, out_dofs[] = {3, 7};
        double weights[] = {1, 1};
        struct masing_model *model = sealed(kind);
        struct compliance_settings settings = {.n_in = 1,
                                               .n_out = 2,
                                               .in = {first, dofs, weights},
                                               .out = {first, out_dofs, weights},
                                               .n_harmonics = 3,
                                               .harmonics = harmonics,
                                               .omega_max = 2,
                                               .cyclic = model->cyclic ? model : NULL};
        for (; fails < LIMIT && status != MASING_OK; fails++) {
            struct compliance *compliance = NULL;
            struct masing_error error = {0};
            n_allocations = 0;
            fails_at = fails;
            status = compliance_create(model->structure, &settings, &compliance, &error);
            fails_at = 0;
            CHECK(status == MASING_OK || status == MASING_NO_MEMORY);
            CHECK((compliance != NULL) == (status == MASING_OK));
            compliance_destroy(compliance);
        }
        /* every allocation that the last one made has failed once */
        CHECK(status == MASING_OK && fails - 2 == n_allocations && n_allocations > 2);
        masing_model_destroy(model);
    }
}

/* Evaluation takes no memory at all. */
static void evaluation(void)
{
    static const int harmonics[] = {0, 1, 3};
    for (int kind = 0; kind < N_KINDS; kind++) {
        size_t first[] = {0, 1};
        int dof = 0;
        double unit = 1;
        const struct compliance_ports port = {first, &dof, &unit};
        double force[6] = {1, 1, 2, 2, 3, 3};
        struct masing_model *model = sealed(kind);
        struct compliance *compliance = NULL;
        struct compliance_settings settings = {.n_in = 1,
                                               .n_out = 1,
                                               .in = port,
                                               .out = port,
                                               .n_harmonics = 3,
                                               .harmonics = harmonics,
                                               .omega_max = 2,
                                               .cyclic = model->cyclic ? model : NULL};
        CHECK(compliance_create(model->structure, &settings, &compliance, NULL) == MASING_OK);
        n_allocations = 0;
        CHECK(compliance_evaluate(compliance, 1.5, true) == MASING_OK);
        CHECK(isfinite(compliance_loss(compliance, 1.5, force)));
        CHECK(n_allocations == 0);
        compliance_destroy(compliance);
        masing_model_destroy(model);
    }
}

static const struct tap_test tests[] = {
    {"sealing survives each allocation that fails", sealing},
    {"compliances survive each allocation that fails", compliances},
    {"evaluation takes no memory", evaluation},
};

TAP_MAIN(tests)
