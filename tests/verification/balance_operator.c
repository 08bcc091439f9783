/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Jacobian as an operator against the Jacobian as a matrix, with compliances as matrices
 * and without, over forms of damping, kinds of joints and structures; its preconditioner
 * against the Jacobian with stuck joints, and by how many iterations it leaves.
 */
#include "grid_model.h"

#include "example.h"
#include "harmonic/balance/balance_operator.h"
#include "law_paths.h"
#include "linalg/block_lu.h"
#include "linalg/dense.h"
#include "linalg/symmetric.h"
#include "pad_model.h"

enum { MOST_ITERATIONS = 60 };

/* Of one balance and one point */
struct bench {
    struct balance *balance;
    int n;
    double omega;
    double *y, *x, *residual, *by_omega, *product, *jacobian;
};

static void bench_create(const struct masing_model *model, bool is_matrix_free,
                         struct bench *bench)
{
    const struct balance_settings settings = {.n_threads = 1, .is_matrix_free = is_matrix_free};
    struct masing_error error = {0};
    if (!CHECK(balance_create(model, &settings, &bench->balance, &error) == MASING_OK &&
               balance_operator_create(bench->balance, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    CHECK(bench->balance->compliance->has_matrices == !is_matrix_free);
    bench->n = bench->balance->n_unknowns;
    size_t n = (size_t)bench->n, matrix = is_matrix_free ? 0 : n * n;
    bench->y = specimen_array(5 * n + matrix, sizeof(double));
    bench->x = bench->y + n;
    bench->residual = bench->x + n;
    bench->by_omega = bench->residual + n;
    bench->product = bench->by_omega + n;
    bench->jacobian = bench->product + n;
}

static void bench_clear(struct bench *bench)
{
    balance_destroy(bench->balance);
    free(bench->y);
}

static void check_close(int n, const double *found, const double *expected, double tolerance,
                        const char *what)
{
    double size = dense_max_norm((size_t)n, expected), worst = 0.0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(found[i] - expected[i]));
    }
    if (!CHECK(isfinite(size) && worst <= tolerance * size)) {
        printf("# %s: %.3g of %.3g\n", what, worst, size);
    }
}

/* A motion of the size of the linear response with the joints stuck, and times more */
static void take_motion(struct bench *bench, double times, uint64_t *seed)
{
    double *guesses = NULL;
    int n_guesses = 0, n = bench->n;
    CHECK(balance_guess(bench->balance, bench->omega, &guesses, &n_guesses, NULL) == MASING_OK);
    double size = dense_max_norm((size_t)n, guesses);
    for (int i = 0; i < n; i++) {
        double noise = 0.02 * size * test_uniform(seed, -1.0, 1.0);
        bench->y[i] = times * (guesses[i] + noise);
        bench->x[i] = test_uniform(seed, -1.0, 1.0);
    }
    free(guesses);
}

/* Residual, its slope and the product with x as matrices have them, and as the operator has. */
static void compare_products(struct bench *dense, struct bench *sides[2],
                             enum balance_joints joints, uint64_t *seed)
{
    size_t n = (size_t)dense->n;
    CHECK(balance_evaluate(dense->balance, joints, dense->y, dense->omega, dense->residual,
                           dense->jacobian, dense->by_omega) == MASING_OK);
    dense_multiply_vector(dense->n, dense->n, false, dense->jacobian, dense->x, dense->product);
    double *found = specimen_array(4 * n, sizeof *found), *by_omega = found + n;
    double *product = by_omega + n, *moved = product + n;
    for (int s = 0; s < 2; s++) {
        struct balance *balance = sides[s]->balance;
        CHECK(balance_linearize(balance, joints, dense->y, dense->omega, found, by_omega) ==
              MASING_OK);
        check_close(dense->n, found, dense->residual, 1e-12, "residual");
        check_close(dense->n, by_omega, dense->by_omega, 1e-12, "slope");
        for (size_t i = 0; i < n; i++) { /* what comes between plays no part */
            moved[i] = dense->y[i] * test_uniform(seed, 0.5, 3.0);
        }
        CHECK(balance_evaluate(balance, BALANCE_LAWS, moved, 1.02 * dense->omega, found, NULL,
                               by_omega) == MASING_OK);
        CHECK(balance_apply(balance, dense->x, product) == MASING_OK);
        check_close(dense->n, product, dense->product, 1e-12, "product");
    }
    free(found);
}

/* P^-1 (J x) is x where the joints are stuck. */
static void compare_stuck(struct bench *bench, const double *x, double omega, double tolerance)
{
    CHECK(balance_linearize(bench->balance, BALANCE_STUCK, bench->y, omega, bench->residual,
                            bench->by_omega) == MASING_OK);
    CHECK(balance_apply(bench->balance, x, bench->product) == MASING_OK);
    CHECK(balance_precondition(bench->balance, bench->product) == MASING_OK);
    check_close(bench->n, bench->product, x, tolerance, "stuck");
}

/* A mode without damping, to which the preconditioner gives some. */
static bool has_undamped_mode(const struct structure *structure)
{
    bool has = false;
    for (int j = 0; j < structure->n_modes && structure->loss_factor == 0.0; j++) {
        has = has || structure->modal_damping[j] == 0.0;
    }
    return has;
}

/* What the preconditioner leaves out: how far from 1 that may be. */
static double stuck_tolerance(const struct structure *structure)
{
    return structure->n_far > 0                                     ? 0.15
           : has_undamped_mode(structure)                           ? 1e-3
           : structure->flexibility && structure->loss_factor != 0. ? 0.05
           : structure->n_modes > 100                               ? 1e-3
                                                                    : 1e-10;
}

/* The first guess, joints stuck, without a matrix and with it. */
static void compare_guesses(const struct bench *dense, const struct bench *without)
{
    double *expected = NULL, *found = NULL;
    int n_expected = 0, n_found = 0;
    CHECK(balance_guess(dense->balance, dense->omega, &expected, &n_expected, NULL) ==
          MASING_OK);
    CHECK(balance_guess(without->balance, dense->omega, &found, &n_found, NULL) == MASING_OK);
    CHECK(n_expected == 3 && n_found == 2);
    check_close(dense->n, found, expected, 1e-9, "guess");
    free(expected);
    free(found);
}

static void compare_model(const char *name, struct masing_model *model)
{
    struct bench dense, without;
    uint64_t seed = 7;
    int before = tap_failures;
    const struct masing_spec *spec = &model->spec;
    bench_create(model, false, &dense);
    bench_create(model, true, &without);
    CHECK(dense.n == without.n);
    struct bench *sides[2] = {&dense, &without};
    for (int trial = 0; trial < 3; trial++) {
        double share = test_uniform(&seed, 0.05, 0.95);
        dense.omega = spec->omega_from + share * (spec->omega_to - spec->omega_from);
        take_motion(&dense, trial == 0 ? 1e-3 : 2.0 * trial, &seed);
        compare_products(&dense, sides, BALANCE_LAWS, &seed);
        compare_products(&dense, sides, BALANCE_STUCK, &seed);
        compare_products(&dense, sides, BALANCE_FREE, &seed);
        compare_guesses(&dense, &without);
        for (int s = 0; s < 2; s++) {
            compare_stuck(sides[s], dense.x, dense.omega, stuck_tolerance(model->structure));
        }
    }
    printf("# %s: %d unknowns, %d of modes%s\n", name, dense.n, dense.balance->n_modes,
           tap_failures > before ? " FAILED" : "");
    bench_clear(&dense);
    bench_clear(&without);
    masing_model_destroy(model);
}

/* ---- models ---- */

static struct masing_model *open_grid(bool is_held, int light, const char *damping,
                                      const char *rest, bool is_sparse)
{
    char *text = grid_text(is_held, light, damping, rest);
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_spec spec;
    struct masing_error error = {0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), "m", &document, &error);
    if (status == MASING_OK) {
        status = masing_document_spec(document, NULL, 0, &spec, &error);
    }
    if (status == MASING_OK && is_sparse) {
        make_structure_sparse(&spec.structure);
    }
    if (status == MASING_OK) {
        status = masing_model_create(&spec, &model, &error);
    }
    if (!CHECK(status == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    free(text);
    return model;
}

static const char joints[] =
    "joints:\n"
    "  - {name: j, law: jenkins, from: m8, to: m35, stiffness: 3e4, slip_force: 0.5}\n"
    "  - {name: k, law: jenkins, from: ground, to: m53, stiffness: 2e4, slip_force: 0.7}\n"
    "  - {name: v, law: quadratic_damper, from: m3, to: m40, coefficient: 20}\n"
    "  - {name: l, law: unilateral_spring, from: ground, to: m20, stiffness: 1e4, gap: 1e-5}\n"
    "loads:\n  - {dof: m26, amplitude: 5}\n  - {dof: m11, amplitude: 2, harmonic: 2}\n"
    "static_loads: [{dof: m35, force: 0.7}]\n"
    "frequency: [2, 9]\n"
    "harmonics: [0, 1, 2, 3, 5]\n"
    "outputs: [{name: a, dof: m26}]\n";
static const char dampers[] =
    "joints:\n"
    "  - {name: j, law: jenkins, from: m8, to: m35, stiffness: 3e4, slip_force: 0.5}\n"
    "  - {name: k, law: jenkins, from: ground, to: m53, stiffness: 2e4, slip_force: 0.7}\n"
    "loads:\n  - {dof: m26, amplitude: 5}\n"
    "frequency: [2, 9]\n"
    "harmonics: [1, 3, 5]\n"
    "outputs: [{name: a, dof: m26}]\n";

static void forms_of_damping(void)
{
    static const char *const forms[] = {"modal_ratio: 0", "modal_ratio: 0.01",
                                        "rayleigh: [1.5, 2e-4]", "structural: 0.03"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
            char name[64];
            snprintf(name, sizeof name, "%s%s", forms[i], is_sparse ? ", sparse" : "");
            compare_model(name, open_grid(true, -1, forms[i], joints, is_sparse));
        }
    }
}

static void dampers_that_couple(void)
{
    char rest[2048];
    snprintf(rest, sizeof rest,
             "  dampers: [{from: m3, to: m40, damping: 20}, "
             "{from: ground, to: m30, damping: 5}]\n%s",
             dampers);
    static const char *const forms[] = {"modal_ratio: 0.01", "structural: 0.03"};
    for (int i = 0; i < 2; i++) {
        compare_model(forms[i], open_grid(true, -1, forms[i], rest, false));
    }
}

static void floating_structures(void)
{
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        compare_model("free", open_grid(false, -1, "rayleigh: [0, 2e-4]", joints, is_sparse));
    }
    compare_model("free, undamped", open_grid(false, -1, "modal_ratio: 0", joints, false));
}

static void masses_that_vanish(void)
{
    static const char *const forms[] = {"modal_ratio: 0.01", "structural: 0.03"};
    for (int i = 0; i < 2; i++) {
        compare_model(forms[i], open_grid(true, 20, forms[i], joints, false));
    }
}

static void example_models(void)
{
    static const char *const names[] = {"two_mass_damper.yaml",
                                        "contact_patch.yaml",
                                        "contact_circle.yaml",
                                        "contact_pairs.yaml",
                                        "friction_beam.yaml",
                                        "friction_oscillator.yaml",
                                        "underplatform_damper.yaml",
                                        "lift_off.yaml",
                                        "rub.yaml",
                                        "rough_block.yaml",
                                        "rough_damper.yaml",
                                        "imbalance.yaml",
                                        "lap_joint.yaml",
                                        "three_mass_chain.yaml",
                                        "normal_motion.yaml",
                                        "three_masses_iwan.yaml",
                                        "leaf_springs.yaml",
                                        "symmetry_breaking.yaml"};
    const struct masing_override harmonics = {"harmonics", "3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        compare_model(names[i], example_open(names[i], &harmonics, 1));
    }
}

/* ---- iterations ---- */

/* GMRES without restart: iterations until the preconditioned residual of J x = r has fallen to
 * `tolerance`, at most MOST_ITERATIONS; by modified Gram-Schmidt and Givens rotations. */
static int count_iterations(struct balance *balance, const double *r, double tolerance,
                            bool is_preconditioned)
{
    size_t n = (size_t)balance->n_unknowns;
    double *basis = specimen_array((MOST_ITERATIONS + 1) * n, sizeof *basis);
    double rotation[MOST_ITERATIONS][2], column[MOST_ITERATIONS + 2], left = 1.0;
    int k = 0;
    memcpy(basis, r, n * sizeof *basis);
    CHECK(!is_preconditioned || balance_precondition(balance, basis) == MASING_OK);
    double size = sqrt(dense_dot((int)n, basis, basis));
    for (size_t i = 0; i < n; i++) {
        basis[i] /= size;
    }
    for (; k < MOST_ITERATIONS && left > tolerance; k++) {
        double *next = basis + (size_t)(k + 1) * n;
        CHECK(balance_apply(balance, next - n, next) == MASING_OK);
        CHECK(!is_preconditioned || balance_precondition(balance, next) == MASING_OK);
        for (int j = 0; j <= k; j++) {
            const double *v = basis + (size_t)j * n;
            column[j] = dense_dot((int)n, v, next);
            for (size_t i = 0; i < n; i++) {
                next[i] -= column[j] * v[i];
            }
        }
        column[k + 1] = sqrt(dense_dot((int)n, next, next));
        for (size_t i = 0; i < n; i++) {
            next[i] /= column[k + 1];
        }
        for (int j = 0; j < k; j++) {
            double a = column[j], b = column[j + 1];
            column[j] = rotation[j][0] * a + rotation[j][1] * b;
            column[j + 1] = rotation[j][0] * b - rotation[j][1] * a;
        }
        double length = hypot(column[k], column[k + 1]);
        rotation[k][0] = column[k] / length;
        rotation[k][1] = column[k + 1] / length;
        left *= fabs(rotation[k][1]);
    }
    free(basis);
    return k;
}

static struct masing_model *open_pad(int n)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    scratch_make(folder);
    pad_write(folder, n);
    snprintf(file, sizeof file, "%s/pad.yaml", folder);
    CHECK(masing_document_read(file, &document, &error) == MASING_OK &&
          masing_document_model(document, NULL, 0, &model, &error) == MASING_OK);
    masing_document_destroy(document);
    static const char *const files[] = {"pad.yaml", "stiffness.mtx", "mass.mtx",
                                        "load.mtx", "dofs.txt",      "pairs.csv"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(file, sizeof file, "%s/%s", folder, files[i]);
        remove(file);
    }
    rmdir(folder);
    return model;
}

static void pads(void)
{
    for (int n = 2; n <= tap_most(5, 3); n++) {
        char name[32];
        snprintf(name, sizeof name, "%d contacts", n * n);
        compare_model(name, open_pad(n));
    }
}

/* Near a resonance with the joints stuck, slipping more and more. */
static void few_iterations(void)
{
    static const double times[] = {0.3, 1.0, 3.0, 10.0};
    struct masing_model *model = open_pad(6);
    struct bench bench;
    uint64_t seed = 3;
    bench_create(model, false, &bench);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct balance *balance = bench.balance;
        double slip = 0.0;
        bench.omega = 0.5 * (model->spec.omega_from + model->spec.omega_to);
        take_motion(&bench, times[i], &seed);
        CHECK(balance_linearize(balance, BALANCE_LAWS, bench.y, bench.omega, bench.residual,
                                bench.by_omega) == MASING_OK);
        for (int j = 0; j < balance->n_joints; j++) {
            slip += balance->joints[j]->slip_share / balance->n_joints;
        }
        int with = count_iterations(balance, bench.residual, 1e-3, true);
        int without = count_iterations(balance, bench.residual, 1e-3, false);
        printf("# %.0f %% slip: %d iterations, %d without preconditioner\n", 100.0 * slip, with,
               without);
        CHECK(slip > 0.8 || with <= 15);
    }
    bench_clear(&bench);
    masing_model_destroy(model);
}

/* Residual, slope, product, its preconditioned one and the nearer product, zero where there is
 * none, behind another in results [5 n]. */
static void operate(const struct masing_model *model, int n_threads, double *results)
{
    const struct balance_settings settings = {.n_threads = n_threads, .is_matrix_free = true};
    struct balance *balance = NULL;
    uint64_t seed = 5;
    CHECK(balance_create(model, &settings, &balance, NULL) == MASING_OK);
    CHECK(thread_pool_size(balance->pool) == n_threads);
    CHECK(balance_operator_create(balance, NULL) == MASING_OK);
    size_t n = (size_t)balance->n_unknowns;
    double *y = specimen_array(2 * n, sizeof *y), *x = y + n, omega = model->spec.omega_from;
    for (size_t i = 0; i < n; i++) {
        y[i] = test_uniform(&seed, -1e-5, 1e-5);
        x[i] = test_uniform(&seed, -1.0, 1.0);
    }
    CHECK(balance_linearize(balance, BALANCE_LAWS, y, omega, results, results + n) ==
          MASING_OK);
    CHECK(balance_apply(balance, x, results + 2 * n) == MASING_OK);
    memcpy(results + 3 * n, results + 2 * n, n * sizeof *results);
    CHECK(balance_precondition(balance, results + 3 * n) == MASING_OK);
    memset(results + 4 * n, 0, n * sizeof *results);
    CHECK(!balance_has_near(balance) ||
          balance_apply_near(balance, x, results + 4 * n) == MASING_OK);
    free(y);
    balance_destroy(balance);
}

/* As if modes were missing, whose matrices, of one term or of a series, are there instead:
 * freed by the caller. */
static double *miss_modes(struct masing_model *model, int n_terms)
{
    struct structure *structure = model->structure;
    size_t n = (size_t)structure->n_dofs, size = symmetric_size(n);
    double *far = specimen_array((size_t)n_terms * size, sizeof *far);
    for (size_t t = 0; t < (size_t)n_terms; t++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++) {
                double value = 1e-6 * exp(-0.1 * (1.0 + (double)t) * (double)(i - j));
                symmetric_add_entry(n, far + t * size, i, j, value);
            }
        }
    }
    double top = 40.0 * model->spec.omega_from;
    structure->flexibility = structure->far = far;
    structure->n_far = n_terms > 1 ? n_terms : 0;
    structure->far_scale = top * top;
    return far;
}

/* Joints, the structure's matrices and the solves are shared out. */
static void same_bits_for_any_threads(void)
{
    struct masing_model *model = open_pad(8);
    size_t one = (size_t)(3 * 64 * 11 + 2), n = 5 * one;
    double *first = specimen_array(2 * n, sizeof *first), *flexibility = miss_modes(model, 1);
    operate(model, 1, first);
    CHECK(dense_is_finite(n, first) && !dense_is_zero(one, first + 2 * one));
    CHECK(dense_is_zero(one, first + 4 * one));
    for (int n_threads = 2; n_threads < 4; n_threads++) {
        operate(model, n_threads, first + n);
        CHECK(memcmp(first, first + n, n * sizeof *first) == 0);
    }
    free(first);
    free(flexibility);
    masing_model_destroy(model);
}

/* Two of three terms are left out at the first harmonics; with any number of threads. */
static void near_products_are_near(void)
{
    struct masing_model *model = open_pad(8);
    size_t one = (size_t)(3 * 64 * 11 + 2), n = 5 * one;
    double *first = specimen_array(2 * n, sizeof *first), *far = miss_modes(model, 3);
    operate(model, 1, first);
    const double *product = first + 2 * one, *near = first + 4 * one;
    double size = 0.0, off = 0.0;
    for (size_t i = 0; i < one; i++) {
        size = fmax(size, fabs(product[i]));
        off = fmax(off, fabs(product[i] - near[i]));
    }
    printf("# off by %.2g\n", off / size);
    CHECK(off > 1e-6 * size && off < 1e-3 * size);
    for (int n_threads = 2; n_threads < 4; n_threads++) {
        operate(model, n_threads, first + n);
        CHECK(memcmp(first, first + n, n * sizeof *first) == 0);
    }
    free(first);
    free(far);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"forms of damping", forms_of_damping},
    {"dampers that couple the modes", dampers_that_couple},
    {"floating structures", floating_structures},
    {"masses that vanish", masses_that_vanish},
    {"examples", example_models},
    {"elastic pads on contacts", pads},
    {"few iterations", few_iterations},
    {"the same bits for any number of threads", same_bits_for_any_threads},
    {"near products are near", near_products_are_near},
};

TAP_MAIN(tests)
