/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "coupled_structure.h"
#include "linalg/symmetric.h"
#include "model/model.h"
#include "specimen.h"
#include "tap.h"

static const double PI = 3.14159265358979323846;

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

/* Largest |phi^T A phi - diagonal| beside the diagonals */
static double worst_offset(const struct structure *s, const double *a, const double *diagonal)
{
    size_t n = (size_t)s->n_dofs;
    double worst = 0;
    for (size_t k = 0; k < (size_t)s->n_modes; k++) {
        for (size_t l = 0; l < (size_t)s->n_modes; l++) {
            double sum = k == l ? -diagonal[k] : 0;
            for (size_t i = 0; i < n; i++) {
                for (size_t j = 0; j < n; j++) {
                    sum += s->shapes[i + k * n] * a[i + j * n] * s->shapes[j + l * n];
                }
            }
            worst = fmax(worst, fabs(sum) / sqrt(diagonal[k] * diagonal[l]));
        }
    }
    return worst;
}

/* The chain between two walls: omega_k = 2 sqrt(k / m) sin(k pi / (2 (n + 1))) */
static void chains_have_their_known_frequencies(void)
{
    static const int sizes[] = {1, 2, 5, 40, 150};
    for (int c = 0; c < 5; c++) {
        int n = sizes[c];
        struct masing_spec spec;
        specimen_chain(&spec, n, 0.25, 4e6, true);
        struct structure *s = create(&spec);
        CHECK(s->n_modes == n && s->n_rigid == 0);
        for (int k = 0; k < n; k++) {
            CHECK_RELATIVE(s->omega[k], 8000 * sin((k + 1) * PI / (2 * (n + 1))), 1e-12);
        }
        done(&spec, s);
    }
}

/* Without walls: omega_k = 2 sqrt(k / m) sin(k pi / (2 n)), the first one exactly zero */
static void free_chains_have_one_rigid_mode(void)
{
    static const int sizes[] = {1, 2, 5, 40, 150};
    for (int c = 0; c < 5; c++) {
        int n = sizes[c];
        struct masing_spec spec;
        specimen_chain(&spec, n, 0.25, 4e6, false);
        struct structure *s = create(&spec);
        CHECK(s->n_rigid == 1 && s->n_nearly_rigid == 0);
        CHECK(s->omega[0] == 0);
        for (int i = 0; i < n; i++) {
            CHECK_RELATIVE(fabs(s->shapes[i]), 1 / sqrt(0.25 * n), 1e-10);
        }
        for (int k = 1; k < n; k++) {
            CHECK_RELATIVE(s->omega[k], 8000 * sin(k * PI / (2 * n)), 1e-12);
        }
        done(&spec, s);
    }
}

/* A matrix printed with ten digits leaves a free chain a little stiffness, of either sign. */
static void rounded_matrices_keep_their_rigid_modes(void)
{
    enum { N = 12 };
    for (int sign = -1; sign <= 1; sign += 2) {
        struct masing_spec spec;
        specimen_chain(&spec, N, 0.25, 4e6, false);
        spec.structure.stiffness[(N + 1) * 4] *= 1 + sign * 1e-10;
        struct structure *s = create(&spec);
        CHECK(s->n_rigid == 1 && s->n_nearly_rigid == 1);
        CHECK(s->omega[0] == 0);
        done(&spec, s);
    }
}

/* Soft is not rigid: eight decades between suspension and structure */
static void soft_suspensions_are_not_rigid(void)
{
    struct masing_spec spec;
    specimen_chain(&spec, 2, 1, 1e6, false);
    specimen_spring(&spec, MASING_GROUND, 0, 0.01);
    struct structure *s = create(&spec);
    CHECK(s->n_rigid == 0);
    CHECK_RELATIVE(s->omega[0], sqrt(0.005), 1e-7);
    done(&spec, s);
}

static void separate_pieces_are_each_rigid(void)
{
    struct masing_spec spec;
    specimen_init(&spec, 7);
    for (int i = 0; i < 7; i++) {
        specimen_mass(&spec, i, 1 + i);
    }
    specimen_spring(&spec, 0, 1, 1e3);
    specimen_spring(&spec, 2, 3, 1e7);
    specimen_spring(&spec, 3, 4, 2e-3);
    specimen_spring(&spec, 5, MASING_GROUND, 30);
    struct structure *s = create(&spec);
    CHECK(s->n_rigid == 3);
    CHECK(s->omega[2] == 0 && s->omega[3] > 0);
    done(&spec, s);
}

static void shapes_are_orthogonal(void)
{
    enum { N = 30 };
    struct masing_spec spec;
    uint64_t seed = 4;
    double square[N], ones[N];
    specimen_chain(&spec, N, 0, 1e5, true);
    for (int i = 0; i < N; i++) {
        specimen_mass(&spec, i, pow(10, 2 * specimen_draw(&seed)));
        if (i > 0) {
            /* a consistent mass: part of it moves with both neighbours */
            spec.structure.mass[i + N * (i - 1)] = spec.structure.mass[i - 1 + N * i] = 2e-3;
        }
    }
    struct structure *s = create(&spec);
    for (int k = 0; k < N; k++) {
        square[k] = s->omega[k] * s->omega[k];
        ones[k] = 1;
        CHECK(k == 0 || s->omega[k] >= s->omega[k - 1]);
    }
    /* round-off falls on the fastest modes, (omega_max / omega_1)^2 times */
    CHECK(worst_offset(s, spec.structure.mass, ones) < 1e-11);
    CHECK(worst_offset(s, spec.structure.stiffness, square) < 1e-12);
    done(&spec, s);
}

/* A mass of 1e-12 kg beside 1 kg takes no digit from the slow mode. */
static void tiny_masses_do_no_harm(void)
{
    static const double tiny[] = {1e-6, 1e-9, 1e-12, 1e-15, 1e-20};
    for (int c = 0; c < 5; c++) {
        struct masing_spec spec;
        specimen_init(&spec, 2);
        specimen_mass(&spec, 0, tiny[c]);
        specimen_mass(&spec, 1, 1);
        specimen_spring(&spec, MASING_GROUND, 0, 300);
        specimen_spring(&spec, 0, 1, 200);
        struct structure *s = create(&spec);
        CHECK(s->n_modes == 2);
        /* Rayleigh's quotient of the static shape is exact to the first order in the mass */
        CHECK_RELATIVE(s->omega[0] * s->omega[0], 120 / (1 + 0.16 * tiny[c]), 1e-12);
        done(&spec, s);
    }
}

/* omega^2 = k1 k2 / (k1 + k2) / m; between the springs x = k2 / (k1 + k2) */
static void massless_dofs_are_condensed(void)
{
    struct masing_spec spec;
    specimen_init(&spec, 4);
    specimen_mass(&spec, 1, 2);
    specimen_spring(&spec, MASING_GROUND, 0, 300);
    specimen_spring(&spec, 0, 1, 200);
    specimen_spring(&spec, 1, 2, 50);
    specimen_spring(&spec, 2, 3, 70);
    struct structure *s = create(&spec);
    CHECK(s->n_modes == 1);
    CHECK_RELATIVE(s->omega[0], sqrt(120.0 / 2), 1e-14);
    CHECK_RELATIVE(fabs(s->shapes[1]), 1 / sqrt(2), 1e-14);
    CHECK_RELATIVE(s->shapes[0] / s->shapes[1], 0.4, 1e-14);
    CHECK_RELATIVE(s->shapes[2] / s->shapes[1], 1, 1e-14);
    CHECK_RELATIVE(s->shapes[3] / s->shapes[1], 1, 1e-14);
    double flexibility[16];
    symmetric_expand(4, s->flexibility, flexibility);
    CHECK_RELATIVE(flexibility[0], 1.0 / 500, 1e-14);
    CHECK_RELATIVE(flexibility[2 + 4 * 2], 1.0 / 50, 1e-14);
    CHECK_RELATIVE(flexibility[3 + 4 * 3], 1.0 / 50 + 1.0 / 70, 1e-14);
    CHECK_RELATIVE(flexibility[2 + 4 * 3], 1.0 / 50, 1e-14);
    CHECK(flexibility[1 + 4 * 1] == 0 && flexibility[0 + 4 * 3] == 0);
    done(&spec, s);
}

static void permuting_dofs_changes_nothing(void)
{
    enum { N = 9 };
    static const int order[N] = {4, 0, 8, 2, 6, 1, 7, 3, 5};
    struct masing_spec one, two;
    specimen_init(&one, N);
    specimen_init(&two, N);
    for (int i = 0; i < N; i++) {
        specimen_mass(&one, i, i == 3 ? 0 : 1 + i);
        specimen_mass(&two, order[i], i == 3 ? 0 : 1 + i);
        specimen_spring(&one, i, (i + 1) % N, 10 + i * i);
        specimen_spring(&two, order[i], order[(i + 1) % N], 10 + i * i);
        specimen_spring(&one, i, i < 5 ? MASING_GROUND : (i + 4) % N, 3);
        specimen_spring(&two, order[i], i < 5 ? MASING_GROUND : order[(i + 4) % N], 3);
    }
    struct structure *s = create(&one), *t = create(&two);
    for (int k = 0; k < N - 1; k++) {
        CHECK_RELATIVE(t->omega[k], s->omega[k], 1e-13);
        for (int i = 0; i < N; i++) {
            CHECK_SCALED(fabs(t->shapes[order[i] + N * k]), fabs(s->shapes[i + N * k]), 1,
                         1e-11);
        }
    }
    done(&one, s);
    done(&two, t);
}

/* A joint as a spring against the spring itself, ends with and without mass */
static void joints_stuck_are_springs(void)
{
    for (int to = 2; to <= 5; to += 3) {
        struct masing_spec joined, sprung;
        struct masing_spec *both[] = {&joined, &sprung};
        for (int i = 0; i < 2; i++) {
            specimen_chain(both[i], 6, 1, 100, true);
            both[i]->structure.mass[5 + 6 * 5] = 0;
        }
        struct masing_joint_spec *joint = specimen_joint(&joined, "j", "jenkins", 0, to);
        specimen_field(joint, "stiffness", 370);
        specimen_field(joint, "slip_force", 1);
        CHECK(masing_law_check(joint->law, joint->parameters, NULL) == MASING_OK);
        specimen_spring(&sprung, 0, to, 370);
        struct structure *s = create(&joined), *t = create(&sprung);
        for (int k = 0; k < 5; k++) {
            CHECK_RELATIVE(s->omega_stuck[k], t->omega[k], 1e-13);
            CHECK_RELATIVE(s->omega_free[k], s->omega[k], 1e-13);
        }
        done(&joined, s);
        done(&sprung, t);
    }
}

/* An unconnected mass between joints is a rigid-body mode until they stick. */
static void joints_can_hold_rigid_modes(void)
{
    struct masing_spec spec;
    specimen_init(&spec, 1);
    specimen_mass(&spec, 0, 4);
    struct masing_joint_spec *joint = specimen_joint(&spec, "j", "jenkins", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 100);
    specimen_field(joint, "slip_force", 1);
    CHECK(masing_law_check(joint->law, joint->parameters, NULL) == MASING_OK);
    struct structure *s = create(&spec);
    CHECK(s->n_rigid == 1);
    CHECK_RELATIVE(s->omega_stuck[0], 5, 1e-14);
    CHECK(s->omega_free[0] == 0);
    done(&spec, s);
}

static void modal_data_are_sorted(void)
{
    static const double omega[] = {30, 0, 10};
    static const double shapes[] = {1, 2, 3, 4, 5, 7, 7, 8, 10};
    struct masing_spec spec;
    struct masing_error error = {0};
    double direction[3], force[3];
    specimen_init(&spec, 3);
    free(spec.structure.mass);
    free(spec.structure.stiffness);
    spec.structure.mass = spec.structure.stiffness = NULL;
    spec.structure.n_modes = 3;
    spec.structure.omega_modes = specimen_array(3, sizeof(double));
    spec.structure.mode_shapes = specimen_array(9, sizeof(double));
    memcpy(spec.structure.omega_modes, omega, sizeof omega);
    memcpy(spec.structure.mode_shapes, shapes, sizeof shapes);
    struct structure *s = create(&spec);
    CHECK(s->n_rigid == 1);
    CHECK(s->omega[0] == 0 && s->omega[1] == 10 && s->omega[2] == 30);
    CHECK(memcmp(s->shapes, shapes + 3, 6 * sizeof(double)) == 0);
    CHECK(memcmp(s->shapes + 6, shapes, 3 * sizeof(double)) == 0);
    /* phi^T M phi = 1 gives the mass: M phi_k is orthogonal to the other modes */
    memcpy(direction, shapes + 6, sizeof direction);
    CHECK(structure_inertia(s, direction, force, &error) == MASING_OK);
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += shapes[i + 3 * k] * force[i];
        }
        CHECK_SCALED(sum, k == 2 ? 1 : 0, 1, 1e-12);
    }
    structure_destroy(s);
    spec.structure.n_modes = 2;
    s = create(&spec);
    CHECK(structure_inertia(s, direction, force, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "mass matrix") != NULL);
    done(&spec, s);
}

static void wrong_matrices_are_refused(void)
{
    struct masing_spec spec;
    specimen_chain(&spec, 5, 1, 100, true);
    spec.file = specimen_text("m.yaml");
    spec.structure.stiffness_place = (struct masing_place){7, 3};
    spec.structure.stiffness[1 + 5 * 4] = 3;
    spec.structure.stiffness[4 + 5 * 1] = 4;
    refused(&spec,
            "m.yaml:7:3: stiffness: expected a symmetric matrix: entry (2,5) is 3, (5,2) "
            "is 4");
    specimen_chain(&spec, 5, 1, 100, true);
    spec.structure.mass[2 + 5 * 2] = NAN;
    refused(&spec, "mass: entry (3,3) is nan");
    specimen_chain(&spec, 5, 1, 100, true);
    spec.structure.mass[2 + 5 * 2] = -1;
    refused(&spec, "not positive definite at DOF 3");
    specimen_chain(&spec, 5, 1, 100, true);
    spec.structure.mass[2 + 5 * 3] = spec.structure.mass[3 + 5 * 2] = 1.01;
    refused(&spec, "not positive definite at DOF 4");
    specimen_chain(&spec, 5, 1, 100, true);
    specimen_spring(&spec, 1, MASING_GROUND, -300);
    refused(&spec, "stiffness: negative (eigenvalue -");
    specimen_chain(&spec, 5, 0, 100, true);
    refused(&spec, "no DOF has mass");
    specimen_chain(&spec, 5, 1, 100, true);
    spec.structure.damping = specimen_array(25, sizeof(double));
    spec.structure.damping[0] = -1;
    refused(&spec, "expected damping that takes energy out");
    specimen_chain(&spec, 5, 1, 100, true);
    spec.structure.damping = specimen_array(25, sizeof(double));
    spec.structure.damping[5] = 1;
    refused(&spec, "damping: expected a symmetric matrix: entry (1,2) is 1, (2,1) is 0");
}

static void unusable_massless_dofs_are_refused(void)
{
    struct masing_spec spec;
    specimen_init(&spec, 3);
    specimen_mass(&spec, 0, 1);
    specimen_spring(&spec, 0, MASING_GROUND, 10);
    specimen_spring(&spec, 1, 2, 10);
    refused(&spec, "neither mass nor a stiffness that holds it");
    specimen_chain(&spec, 3, 1, 10, true);
    spec.structure.mass[1 + 3 * 1] = 0;
    specimen_damper(&spec, 1, MASING_GROUND, 1);
    refused(&spec, "damping acts on DOF 2, which has no mass");
    specimen_chain(&spec, 3, 1, 10, true);
    spec.structure.mass[1 + 3 * 1] = 0;
    spec.structure.form =
        (struct masing_damping_spec){.kind = MASING_DAMPING_RAYLEIGH, .beta = 1e-3};
    refused(&spec, "beta");
}

static const struct tap_test tests[] = {
    {"chains have their known frequencies", chains_have_their_known_frequencies},
    {"free chains have one rigid mode", free_chains_have_one_rigid_mode},
    {"rounded matrices keep their rigid modes", rounded_matrices_keep_their_rigid_modes},
    {"soft suspensions are not rigid", soft_suspensions_are_not_rigid},
    {"separate pieces are each rigid", separate_pieces_are_each_rigid},
    {"shapes are orthogonal", shapes_are_orthogonal},
    {"tiny masses do no harm", tiny_masses_do_no_harm},
    {"massless DOFs are condensed", massless_dofs_are_condensed},
    {"permuting DOFs changes nothing", permuting_dofs_changes_nothing},
    {"joints stuck are springs", joints_stuck_are_springs},
    {"joints can hold rigid modes", joints_can_hold_rigid_modes},
    {"modal data are sorted", modal_data_are_sorted},
    {"wrong matrices are refused", wrong_matrices_are_refused},
    {"unusable massless DOFs are refused", unusable_massless_dofs_are_refused},
};

TAP_MAIN(tests)
