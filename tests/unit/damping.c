/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damping of a structure in modal coordinates. */
#include <string.h>

#include "coupled_structure.h"
#include "specimen.h"
#include "tap.h"

static struct structure *create(struct masing_spec *spec)
{
    struct masing_error error = {0};
    struct structure *structure = NULL;
    if (!CHECK(coupled_structure_create(spec, &structure, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
        abort();
    }
    return structure;
}

static void done(struct masing_spec *spec, struct structure *structure)
{
    structure_destroy(structure);
    masing_spec_clear(spec);
}

/* Must be refused with a message that holds @p text. */
static void refused(struct masing_spec *spec, const char *text)
{
    struct masing_error error = {0};
    struct structure *structure = NULL;
    CHECK(coupled_structure_create(spec, &structure, &error) == MASING_INVALID);
    if (!CHECK(strstr(error.message, text) != NULL)) {
        printf("# message: %s\n", error.message);
    }
    CHECK(structure == NULL);
    masing_spec_clear(spec);
}

static void set_ratios(struct masing_spec *spec, int n, const double *ratios)
{
    specimen_ratio(spec, 0);
    free(spec->structure.form.ratios);
    spec->structure.form.ratios = specimen_array((size_t)n, sizeof(double));
    memcpy(spec->structure.form.ratios, ratios, (size_t)n * sizeof(double));
    spec->structure.form.n_ratios = n;
}

static void proportional_damping_is_used_mode_by_mode(void)
{
    enum { N = 20 };
    struct masing_spec spec;
    specimen_chain(&spec, N, 3, 1e6, true);
    spec.structure.damping = specimen_array(N * N, sizeof(double));
    for (int i = 0; i < N * N; i++) {
        spec.structure.damping[i] =
            0.3 * spec.structure.mass[i] + 2e-4 * spec.structure.stiffness[i];
    }
    spec.structure.form = (struct masing_damping_spec){
        .kind = MASING_DAMPING_RAYLEIGH, .alpha = 0.2, .beta = 1e-4};
    struct structure *s = create(&spec);
    CHECK(s->damping_matrix == NULL);
    for (int k = 0; k < N; k++) {
        CHECK_RELATIVE(s->modal_damping[k], 0.5 + 3e-4 * s->omega[k] * s->omega[k], 1e-11);
    }
    done(&spec, s);
}

static void ratios_belong_to_modes(void)
{
    static const double ratios[] = {0.01, 0.02, 0.03, 0.04};
    struct masing_spec spec;
    specimen_chain(&spec, 4, 1, 100, true);
    set_ratios(&spec, 4, ratios);
    struct structure *s = create(&spec);
    for (int k = 0; k < 4; k++) {
        CHECK_RELATIVE(s->modal_damping[k], 2 * ratios[k] * s->omega[k], 1e-14);
    }
    done(&spec, s);
    specimen_chain(&spec, 5, 1, 100, false);
    set_ratios(&spec, 4, ratios);
    s = create(&spec);
    CHECK(s->modal_damping[0] == 0);
    CHECK_RELATIVE(s->modal_damping[4], 2 * 0.04 * s->omega[4], 1e-14);
    done(&spec, s);
    specimen_chain(&spec, 5, 1, 100, true);
    set_ratios(&spec, 4, ratios);
    refused(&spec, "4 ratios, expected one for all modes or 5 (one per mode)");
}

/* With the joint as a spring the stuck ratios are those of the modes, and nothing is coupled.
 */
static void stuck_ratios_belong_to_stuck_modes(void)
{
    static const double ratios[] = {0.01, 0.02, 0.03, 0.04};
    struct masing_spec joined, sprung;
    specimen_chain(&joined, 4, 1, 100, true);
    specimen_chain(&sprung, 4, 1, 100, true);
    specimen_spring(&sprung, 0, 2, 80);
    set_ratios(&joined, 4, ratios);
    set_ratios(&sprung, 4, ratios);
    joined.structure.form.modes_are_stuck = true;
    struct masing_joint_spec *joint = specimen_joint(&joined, "j", "linear", 0, 2);
    specimen_field(joint, "stiffness", 80);
    CHECK(masing_law_check(joint->law, joint->parameters, NULL) == MASING_OK);
    struct structure *s = create(&joined), *t = create(&sprung);
    CHECK(s->damping_matrix != NULL && t->damping_matrix == NULL);
    /* both as C = M phi (phi^T C phi) phi^T M with M = 1 */
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double c = 0, d = 0;
            for (int k = 0; k < 4; k++) {
                d += t->shapes[i + 4 * k] * t->modal_damping[k] * t->shapes[j + 4 * k];
                for (int l = 0; l < 4; l++) {
                    c += s->shapes[i + 4 * k] * s->damping_matrix[k + 4 * l] *
                         s->shapes[j + 4 * l];
                }
            }
            CHECK_SCALED(c, d, 1, 1e-13);
        }
    }
    done(&joined, s);
    done(&sprung, t);
}

static const struct tap_test tests[] = {
    {"proportional damping is used mode by mode", proportional_damping_is_used_mode_by_mode},
    {"ratios belong to modes", ratios_belong_to_modes},
    {"stuck ratios belong to stuck modes", stuck_ratios_belong_to_stuck_modes},
};

TAP_MAIN(tests)
