/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The residual of a nonlinear mode: Jacobian and derivative by the parameter against
 * differences for all kinds of joints and damping, and the linear mode as its solution.
 */
#include "harmonic/balance/modal_balance.h"

#include <stdlib.h>

#include "base/pi.h"
#include "response.h"

enum { MOST = 200 };

static struct masing_model *model_of(const char *text, struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    if (masing_document_parse(text, strlen(text), "model.yaml", &document, error) ==
        MASING_OK) {
        masing_document_model(document, NULL, 0, &model, error);
    }
    masing_document_destroy(document);
    return model;
}

#define HEAD                                                                                   \
    "masing: 1\nstructure:\n  masses: {n.x: 1.0, n.y: 1.3, m: 0.7}\n  springs:\n"              \
    "    - {from: ground, to: n.x, stiffness: 3}\n"                                            \
    "    - {from: ground, to: n.y, stiffness: 2}\n"                                            \
    "    - {from: n.x, to: n.y, stiffness: 1}\n"                                               \
    "    - {from: n.y, to: m, stiffness: 2.5}\n"
#define TAIL                                                                                   \
    "frequency: [0.1, 0.5]\noutputs: [m]\nsamples: 256\n"                                      \
    "mode: {number: 2, amplitude: [0.1, 1]}\n"

/* Twelve masses in a row: more modes than any harmonic comes near. */
#define CHAIN                                                                                  \
    "masing: 1\nstructure:\n  masses: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, " \
    "j: 1, k: 1, m: 1.5}\n  springs:\n"                                                        \
    "    - {from: ground, to: a, stiffness: 300}\n"                                            \
    "    - {from: a, to: b, stiffness: 310}\n    - {from: b, to: c, stiffness: 300}\n"         \
    "    - {from: c, to: d, stiffness: 320}\n    - {from: d, to: e, stiffness: 300}\n"         \
    "    - {from: e, to: f, stiffness: 330}\n    - {from: f, to: g, stiffness: 300}\n"         \
    "    - {from: g, to: h, stiffness: 340}\n    - {from: h, to: i, stiffness: 300}\n"         \
    "    - {from: i, to: j, stiffness: 350}\n    - {from: j, to: k, stiffness: 300}\n"         \
    "    - {from: k, to: m, stiffness: 360}\n"

struct case_ {
    const char *name, *text;
    bool has_axes; /* whether the modes are more than the equations need */
};

static const struct case_ cases[] = {
    {"slider and spring, modal damping",
     HEAD "  damping: {modal_ratio: 0.02}\n"
          "joints:\n"
          "  - {name: a, law: jenkins, from: ground, to: n.x, stiffness: 2, slip_force: 0.3}\n"
          "  - {name: b, law: cubic_spring, from: n.y, to: m, coefficient: 0.4}\n"
          "harmonics: [1, 3]\n" TAIL,
     false},
    {"velocities, static load, dashpot between masses",
     HEAD "  dampers: [{from: n.x, to: m, damping: 0.2}]\n"
          "joints:\n"
          "  - {name: a, law: lugre, from: n.x, to: m, sigma0: 3,\n"
          "     sigma1: 0.05, sigma2: 0.02, coulomb_force: 0.3,\n"
          "     static_force: 0.4, stribeck_velocity: 0.5}\n"
          "static_loads: [{dof: n.y, force: 0.3}]\n"
          "harmonics: 3\n" TAIL,
     true},
    {"contact in two directions, structural damping",
     HEAD "  damping: {structural: 0.03}\n"
          "joints:\n"
          "  - {name: pad, law: contact, normal: {from: ground, to: n.x},\n"
          "     tangential: [{from: ground, to: n.y}], normal_stiffness: 3,\n"
          "     tangential_stiffness: 2, friction: 0.5, preload: 1}\n"
          "harmonics: 2\n" TAIL,
     false},
    {"many modes, structural damping, static load",
     CHAIN "  damping: {structural: 0.03}\n"
           "joints:\n"
           "  - {name: a, law: jenkins, from: a, to: d, stiffness: 40, slip_force: 3}\n"
           "  - {name: b, law: cubic_spring, from: ground, to: m, coefficient: 2}\n"
           "static_loads: [{dof: g, force: 3}]\n"
           "harmonics: 4\n" TAIL,
     true},
    {"many modes coupled by dashpots, velocities",
     CHAIN "  dampers: [{from: b, to: m, damping: 0.4}, {from: ground, to: h, damping: 0.2}]\n"
           "joints:\n"
           "  - {name: a, law: lugre, from: c, to: m, sigma0: 30,\n"
           "     sigma1: 0.05, sigma2: 0.02, coulomb_force: 1,\n"
           "     static_force: 1.4, stribeck_velocity: 0.5}\n"
           "harmonics: [0, 1, 2, 3, 5]\n" TAIL,
     true},
};

/* Some motion that is no solution, with friction in it. */
static void fill(const struct modal_balance *balance, double *y)
{
    for (int i = 0; i < balance->n_unknowns; i++) {
        y[i] = 0.2 * sin(1.7 * i + 0.4);
    }
    y[balance->omega_position] = 0.93;
    y[balance->omega_position + 1] = 0.04;
}

/* Column of the Jacobian (column < n) or the derivative by lambda against differences. */
static void check_column(struct modal_balance *balance, const double *y, double lambda,
                         int column, const double *derivative)
{
    static double sides[2][MOST], moved[MOST];
    const double step = 1e-6;
    int n = balance->n_unknowns;
    for (int s = 0; s < 2; s++) {
        double d = s == 0 ? -step : step;
        memcpy(moved, y, sizeof(double) * (size_t)n);
        if (column < n) {
            moved[column] += d;
        }
        CHECK(modal_balance_evaluate(balance, moved, column < n ? lambda : lambda + d, sides[s],
                                     NULL, NULL) == MASING_OK);
    }
    for (int r = 0; r < n; r++) {
        double difference = (sides[1][r] - sides[0][r]) / (2.0 * step);
        if (!CHECK(fabs(difference - derivative[r]) < 2e-6)) {
            printf("# row %d, column %d of %d: %g, difference %g\n", r, column, n,
                   derivative[r], difference);
        }
    }
}

static void derivatives(void)
{
    static double y[MOST], residual[MOST], by_lambda[MOST], jacobian[MOST * MOST];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct masing_error error = {0};
        struct modal_balance *balance = NULL;
        struct masing_model *model = model_of(cases[c].text, &error);
        if (!CHECK(model && modal_balance_create(model, 2, &balance, &error) == MASING_OK &&
                   balance->n_unknowns < MOST)) {
            printf("# %s: %s\n", cases[c].name, error.message);
            masing_model_destroy(model);
            continue;
        }
        int n = balance->n_unknowns;
        printf("# %s: %d unknowns\n", cases[c].name, n);
        CHECK(balance->has_axes == cases[c].has_axes);
        fill(balance, y);
        CHECK(modal_balance_evaluate(balance, y, 0.1, residual, jacobian, by_lambda) ==
              MASING_OK);
        for (int column = 0; column <= n; column++) {
            check_column(balance, y, 0.1, column,
                         column < n ? jacobian + (size_t)column * (size_t)n : by_lambda);
        }
        modal_balance_destroy(balance);
        masing_model_destroy(model);
    }
}

/* With a linear joint the mode of the stuck structure is the solution at every amplitude. */
static void a_linear_mode(void)
{
    static double y[MOST], residual[MOST];
    const char *text = HEAD "  damping: {modal_ratio: 0.02, modes: stuck}\n"
                            "joints: [{name: a, law: linear, from: n.x, to: m, stiffness: 2}]\n"
                            "harmonics: 3\n" TAIL;
    struct masing_error error = {0};
    struct modal_balance *balance = NULL;
    struct masing_model *model = model_of(text, &error);
    CHECK(model && modal_balance_create(model, 2, &balance, &error) == MASING_OK);
    for (int i = 0; balance && i < 3; i++) {
        double lambda = 4.0 * i - 4.0, largest = 0.0;
        modal_balance_linear_mode(balance, lambda, false, y);
        CHECK_RELATIVE(y[balance->omega_position + 1], 0.02, 1e-12);
        CHECK(modal_balance_evaluate(balance, y, lambda, residual, NULL, NULL) == MASING_OK);
        for (int r = 0; r < balance->n_unknowns; r++) {
            largest = fmax(largest, fabs(residual[r]));
        }
        CHECK(largest < 1e-13);
        CHECK_RELATIVE(balance->zeta * modal_balance_energy_scale(balance),
                       modal_balance_structure_loss(balance), 1e-12);
    }
    modal_balance_destroy(balance);
    masing_model_destroy(model);
}

/* Square of the amplitude of a harmonic of a DOF, less that of another one (-1: ground). */
static double square_between(const struct modal_balance *balance, int k, int dof, int other)
{
    const struct structure *structure = balance->model->structure;
    double square = 0.0;
    for (int side = 0; side < 2; side++) {
        const double *p =
            balance->motion + (balance->basis->position[k] + side) * balance->n_modes;
        double u = 0.0;
        for (int mode = 0; mode < balance->n_modes; mode++) {
            const double *shape = structure->shapes + mode * structure->n_dofs;
            u += p[mode] * (shape[dof] - (other < 0 ? 0.0 : shape[other]));
        }
        square += u * u;
    }
    return square;
}

/* Of the last chain at the last evaluation: what its dashpots lose, and what dashpots from the
 * ground to each mass, one for each unit of mass, would. */
static void find_losses(const struct modal_balance *balance, double *dashpots, double *masses)
{
    enum { B = 1, H = 7, M = 11 };
    *dashpots = *masses = 0.0;
    for (int k = 1; k < balance->basis->n_harmonics; k++) {
        int h = balance->basis->harmonics[k];
        double factor = PI * h * h * balance->omega;
        *dashpots += factor * (0.4 * square_between(balance, k, B, M) +
                               0.2 * square_between(balance, k, H, -1));
        for (int dof = 0; dof <= M; dof++) {
            *masses += factor * (dof == M ? 1.5 : 1.0) * square_between(balance, k, dof, -1);
        }
    }
}

/* The energies come from the motion of the DOFs and the joints, not from the residual: they do
 * not agree where the motion is no solution. */
static void energies(void)
{
    static double y[MOST], residual[MOST];
    struct masing_error error = {0};
    struct modal_balance *balance = NULL;
    struct masing_model *model = model_of(cases[4].text, &error);
    CHECK(model && modal_balance_create(model, 2, &balance, &error) == MASING_OK);
    if (balance) {
        double dashpots, masses, joint = 0.0;
        fill(balance, y);
        CHECK(modal_balance_evaluate(balance, y, 0.1, residual, NULL, NULL) == MASING_OK);
        find_losses(balance, &dashpots, &masses);
        double unit = modal_balance_energy_scale(balance), put_in = balance->zeta * unit;
        CHECK_RELATIVE(modal_balance_structure_loss(balance), dashpots, 1e-10);
        CHECK_RELATIVE(unit, 2.0 * balance->omega * masses, 1e-10);
        modal_balance_joint_losses(balance, &joint);
        CHECK(joint > 0.0 && fabs(put_in - dashpots - joint) > 0.01 * put_in);
    }
    modal_balance_destroy(balance);
    masing_model_destroy(model);
}

/* A harmonic keeps the modes it comes near; the rest of a longer chain costs no unknowns. */
static void unknowns(void)
{
    struct masing_error error = {0};
    struct modal_balance *balance = NULL;
    struct masing_model *model = model_of(cases[4].text, &error);
    CHECK(model && modal_balance_create(model, 1, &balance, &error) == MASING_OK);
    if (balance) {
        printf("# %d unknowns, %d with all modes\n", balance->n_unknowns,
               balance->n_modes * balance->n_coefficients);
        CHECK(3 * balance->n_unknowns < balance->n_modes * balance->n_coefficients);
    }
    modal_balance_destroy(balance);
    masing_model_destroy(model);
}

static void refuse(const char *text, int number, enum masing_status expected,
                   const char *message)
{
    struct masing_error error = {0};
    struct modal_balance *balance = NULL;
    struct masing_model *model = model_of(text, &error);
    CHECK(model && modal_balance_create(model, number, &balance, &error) == expected);
    if (!CHECK(strstr(error.message, message) != NULL)) {
        printf("# %s\n", error.message);
    }
    modal_balance_destroy(balance);
    masing_model_destroy(model);
}

static void refusals(void)
{
    refuse(cases[0].text, 4, MASING_INVALID,
           "model.yaml:17:16: mode.number: 4, expected 1 to 3");
    refuse(HEAD "harmonics: [2, 3]\n" TAIL, 1, MASING_INVALID,
           "model.yaml:9:12: harmonics: a nonlinear mode needs harmonic 1");
    refuse("masing: 1\nstructure:\n  masses: {a: 1, b: 0}\n  springs:\n"
           "    - {from: ground, to: a, stiffness: 3}\n"
           "    - {from: a, to: b, stiffness: 2}\n"
           "    - {from: ground, to: b, stiffness: 2}\n"
           "frequency: [0.1, 0.5]\noutputs: [a]\n",
           1, MASING_UNSUPPORTED, "massless DOFs");
}

static const struct tap_test tests[] = {
    {"derivatives agree with differences", derivatives},
    {"the linear mode solves where joints are linear", a_linear_mode},
    {"energies are those of the motion", energies},
    {"modes that no harmonic comes near are no unknowns", unknowns},
    {"what cannot be followed is refused", refusals},
};

TAP_MAIN(tests)
