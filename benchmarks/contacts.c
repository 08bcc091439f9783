/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many contacts of three directions, H = 5: what evaluating them costs by threads, what the
 * compliance between them costs with and without its matrix, and how a whole accepted point of
 * the frequency response grows. Wall time where there are threads, the least of several.
 * benchmark_contacts [--quick]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/memory.h"
#include "base/processor_time.h"
#include "harmonic/balance/balance_joints.h"
#include "harmonic/balance/balance_operator.h"
#include "harmonic/balance/balance_rows.h"
#include "linalg/dense.h"
#include "linalg/symmetric.h"
#include "masing/response.h"

enum { N_AXES = 3, WIDTH = 5, HEIGHT = 4, N_KINDS = 3, N_MODES = WIDTH * HEIGHT * N_KINDS };

static const double PI = 3.141592653589793238462643383280;
static const double MASS = 20.0, THICKNESS = 0.02, LENGTH = 1.0, BREADTH = 0.6; /* of a plate */
static const double STIFFNESS = 2e7, PRELOAD = 4000.0, FRICTION = 0.03; /* of all contacts */
static const double LOAD = 40.0, FROM = 245.0, TO = 300.0;              /* N, Hz */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void require(bool is_good, const char *what, const struct masing_error *error)
{
    if (!is_good) {
        fprintf(stderr, "benchmark_contacts: %s: %s\n", what, error ? error->message : "");
        exit(EXIT_FAILURE);
    }
}

/* --- a plate on contacts --- */

/* Nodes in rows over the plate; so many that the last row may be shorter. */
static void place(int n_nodes, int node, double *x, double *y)
{
    int n_x = (int)ceil(sqrt(n_nodes * LENGTH / BREADTH)), n_y = (n_nodes + n_x - 1) / n_x;
    *x = (node % n_x + 0.5) / n_x * LENGTH;
    *y = (node / n_x + 0.5) / n_y * BREADTH;
}

/* Normal and tangential displacement of the lower side in a mode: bending of a supported plate
 * (the side moves along as the plate turns), or stretching in one of two directions. */
static void shape(int mode, double x, double y, double node[N_AXES])
{
    int kind = mode % N_KINDS, p = mode / N_KINDS % WIDTH + 1, q = mode / N_KINDS / WIDTH + 1;
    double a = p * PI / LENGTH, b = q * PI / BREADTH, size = 2.0 / sqrt(MASS);
    double wave = size * sin(a * x) * sin(b * y);
    node[0] = kind == 0 ? wave : 0.0;
    node[1] = kind == 0   ? 0.5 * THICKNESS * a * size * cos(a * x) * sin(b * y)
              : kind == 1 ? wave
                          : 0.0;
    node[2] = kind == 0   ? 0.5 * THICKNESS * b * size * sin(a * x) * cos(b * y)
              : kind == 2 ? wave
                          : 0.0;
}

static double mode_frequency(int mode)
{
    double p = mode / N_KINDS % WIDTH + 1, q = mode / N_KINDS / WIDTH + 1;
    double square = p * p + q * q;
    return mode % N_KINDS == 0 ? 50.0 * square : 150.0 * sqrt(square); /* Hz */
}

static void fill_structure(struct masing_structure_spec *structure, int n_nodes)
{
    static const double ratio = 0.01;
    size_t n_dofs = (size_t)n_nodes * N_AXES;
    structure->n_dofs = (int)n_dofs;
    structure->n_modes = N_MODES;
    structure->dof_names = memory_array(n_dofs, sizeof(char *));
    structure->omega_modes = memory_array(N_MODES, sizeof(double));
    structure->mode_shapes = memory_array(n_dofs * N_MODES, sizeof(double));
    for (size_t d = 0; d < n_dofs; d++) {
        structure->dof_names[d] = memory_format("n%zu.%c", d / N_AXES, "xyz"[d % N_AXES]);
    }
    for (int k = 0; k < N_MODES; k++) {
        structure->omega_modes[k] = 2 * PI * mode_frequency(k);
        for (int i = 0; i < n_nodes; i++) {
            double x, y;
            place(n_nodes, i, &x, &y);
            shape(k, x, y, structure->mode_shapes + (size_t)k * n_dofs + N_AXES * i);
        }
    }
    structure->form.kind = MASING_DAMPING_MODAL;
    structure->form.n_ratios = 1;
    structure->form.ratios = memory_copy(&ratio, 1, sizeof ratio);
}

static void set_field(struct masing_joint_spec *joint, const char *name, double value)
{
    const struct masing_law *law = joint->law;
    int f = masing_field_find(law->fields, law->n_fields, name);
    require(f >= 0 && masing_field_store(&law->fields[f], value, joint->parameters, NULL) ==
                          MASING_OK,
            name, NULL);
}

static struct masing_combination one_dof(int dof)
{
    struct masing_combination combination = {1, memory_array(1, sizeof(struct masing_term))};
    combination.terms[0] = (struct masing_term){dof, 1.0};
    return combination;
}

static void fill_joints(struct masing_spec *spec, int n_nodes)
{
    spec->n_joints = n_nodes;
    spec->joints = memory_array((size_t)n_nodes, sizeof *spec->joints);
    for (int j = 0; j < n_nodes; j++) {
        struct masing_joint_spec *joint = &spec->joints[j];
        joint->name = memory_format("contact.%d", j + 1);
        joint->law = masing_law_find("contact");
        joint->parameters = memory_array(1, joint->law->parameters_size);
        masing_fields_reset(joint->law->fields, joint->law->n_fields, joint->parameters);
        set_field(joint, "normal_stiffness", STIFFNESS / n_nodes);
        set_field(joint, "tangential_stiffness", STIFFNESS / n_nodes);
        set_field(joint, "preload", PRELOAD / n_nodes);
        set_field(joint, "friction", FRICTION);
        joint->axes = memory_array(N_AXES, sizeof *joint->axes);
        for (int a = 0; a < N_AXES; a++) {
            joint->axes[a] = one_dof(N_AXES * j + a);
        }
    }
    spec->n_groups = 1;
    spec->groups = memory_array(1, sizeof *spec->groups);
    spec->groups[0] =
        (struct masing_joint_group){.name = memory_text("contact"), .n_joints = n_nodes};
}

static struct masing_model *plate(int n_nodes, int max_points)
{
    struct masing_spec spec;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    static const int harmonics[] = {0, 1, 2, 3, 4, 5};
    require(masing_spec_init(&spec, &error) == MASING_OK, "model", &error);
    fill_structure(&spec.structure, n_nodes);
    fill_joints(&spec, n_nodes);
    spec.n_loads = spec.n_outputs = 1;
    spec.loads = memory_array(1, sizeof *spec.loads);
    spec.loads[0] = (struct masing_load_spec){
        .harmonic = 1,
        .amplitude = LOAD,
        .pattern = memory_array((size_t)n_nodes * N_AXES, sizeof(double))};
    for (int i = 0; i < N_AXES * n_nodes; i++) {
        spec.loads[0].pattern[i] = 1.0 / n_nodes;
    }
    spec.outputs = memory_array(1, sizeof *spec.outputs);
    spec.outputs[0].name = memory_text("middle");
    spec.outputs[0].combination = one_dof(N_AXES * (n_nodes / 2));
    spec.omega_from = 2 * PI * FROM;
    spec.omega_to = 2 * PI * TO;
    free(spec.harmonics);
    spec.harmonics = memory_copy(harmonics, 6, sizeof *harmonics);
    spec.n_harmonics = 6;
    spec.n_samples = 256;
    spec.solver.max_points = max_points;
    require(masing_model_create(&spec, &model, &error) == MASING_OK, "model", &error);
    return model;
}

/* --- a thousand contacts, by threads --- */

/* A motion in which contacts slip all around and some of them open. */
static void move(const struct balance *balance, double *y)
{
    double approach = PRELOAD / STIFFNESS;
    for (int a = 0; a < balance->n_axes; a++) {
        double size = a % N_AXES == 0 ? approach * (0.6 + 0.001 * (a % 997)) : 2 * FRICTION;
        for (int c = 1; c < balance->n_coefficients; c++) {
            int h = (c + 1) / 2;
            y[c * balance->n_axes + a] =
                (a % N_AXES == 0 ? size : size * approach) * cos(0.7 * a + 1.3 * c) / (h * h);
        }
    }
}

enum task { FORCES, FORCES_AND_BLOCKS, RESIDUAL, N_TASKS };

static void run(struct balance *balance, enum task task, const double *y, double *residual)
{
    const double omega = 2 * PI * FROM;
    enum masing_status status =
        task == RESIDUAL
            ? balance_evaluate(balance, BALANCE_LAWS, y, omega, residual, NULL, NULL)
            : balance_joints_evaluate(balance, BALANCE_LAWS, y, omega,
                                      task == FORCES_AND_BLOCKS);
    require(status == MASING_OK, "evaluation", NULL);
}

static void measure_threads(const struct masing_model *model, int n_threads, int repetitions,
                            double best[N_TASKS])
{
    const struct balance_settings settings = {.n_threads = n_threads, .is_matrix_free = true};
    struct balance *balance = NULL;
    struct masing_error error = {0};
    require(balance_create(model, &settings, &balance, &error) == MASING_OK, "balance", &error);
    double *y = memory_array(2 * (size_t)balance->n_unknowns, sizeof *y);
    require(y != NULL, "memory", NULL);
    move(balance, y);
    for (int task = 0; task < N_TASKS; task++) {
        best[task] = INFINITY;
        for (int r = 0; r < repetitions; r++) {
            double start = seconds();
            run(balance, (enum task)task, y, y + balance->n_unknowns);
            best[task] = fmin(best[task], seconds() - start);
        }
    }
    free(y);
    balance_destroy(balance);
}

static void by_threads(int n_nodes, int repetitions)
{
    static const char *const names[] = {"forces", "forces and their derivatives",
                                        "whole residual"};
    static const int counts[] = {1, 2, 4};
    double best[3][N_TASKS];
    struct masing_model *model = plate(n_nodes, 2);
    for (int t = 0; t < 3; t++) {
        measure_threads(model, counts[t], repetitions, best[t]);
    }
    printf(
        "\n%d contacts, %d unknowns, ms      1 thread  2 threads  4 threads   us a contact\n",
        n_nodes, n_nodes * N_AXES * 11 + 2);
    for (int task = 0; task < N_TASKS; task++) {
        printf("%-36s", names[task]);
        for (int t = 0; t < 3; t++) {
            printf(" %10.2f", 1e3 * best[t][task]);
        }
        printf(" %13.1f\n", 1e6 * best[0][task] / n_nodes);
    }
    masing_model_destroy(model);
}

/* --- transforms of a contact's derivative, two ways --- */

static double one_by_one(struct joint_scratch *scratch, int n_columns, double *coefficients)
{
    double start = seconds();
    for (int c = 0; c < n_columns; c++) {
        joint_scratch_analyse(scratch, scratch->df, n_columns, c,
                              coefficients + c * scratch->basis->n_coefficients);
    }
    return seconds() - start;
}

static double by_product(const struct joint_scratch *scratch, int n_columns,
                         double *coefficients)
{
    int n_c = scratch->basis->n_coefficients;
    double start = seconds();
    dense_multiply_by_transposed(n_c, n_columns, scratch->basis->n_samples,
                                 scratch->shared->analysis, n_c, scratch->df, n_columns,
                                 coefficients, n_c);
    return seconds() - start;
}

static void transforms(int repetitions)
{
    struct masing_model *model = plate(1, 2);
    const struct balance_settings settings = {.n_threads = 1};
    struct balance *balance = NULL;
    double best[2] = {INFINITY, INFINITY}, largest = 0.0;
    require(balance_create(model, &settings, &balance, NULL) == MASING_OK, "balance", NULL);
    struct joint_scratch *scratch = balance->scratch[0];
    int n_columns = N_AXES * balance->joints[0]->seeds->n_directions;
    int n = n_columns * balance->n_coefficients;
    double *results = memory_array(2 * (size_t)n, sizeof *results);
    for (int i = 0; i < n_columns * balance->basis->n_samples; i++) {
        scratch->df[i] = sin(0.37 * i * i);
    }
    for (int r = 0; r < 20 * repetitions; r++) {
        best[0] = fmin(best[0], one_by_one(scratch, n_columns, results));
        best[1] = fmin(best[1], by_product(scratch, n_columns, results + n));
    }
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(results[i] - results[n + i]));
    }
    require(largest < 1e-13, "the two transforms differ", NULL);
    printf("\n%d columns of %d samples, us: transformed one by one %.1f, by one product %.1f\n",
           n_columns, balance->basis->n_samples, 1e6 * best[0], 1e6 * best[1]);
    free(results);
    balance_destroy(balance);
    masing_model_destroy(model);
}

/* --- displacements under forces, two ways --- */

/* The rows of the residual once the joints are evaluated, processor time. */
static double measure_rows(struct balance *balance, bool is_applied, int repetitions)
{
    const double omega = 2 * PI * FROM;
    double best = INFINITY, *y = memory_array(2 * (size_t)balance->n_unknowns, sizeof *y);
    require(y != NULL, "memory", NULL);
    for (int r = 0; r < repetitions; r++) {
        balance->compliance->is_applied = is_applied;
        balance->compliance->is_evaluated = false;
        double start = processor_time();
        enum masing_status status =
            balance_rows_fill(balance, y, omega, y + balance->n_unknowns, NULL);
        best = fmin(best, processor_time() - start);
        require(status == MASING_OK, "compliance", NULL);
    }
    free(y);
    return best;
}

static void by_ports(int most, int repetitions)
{
    static const int counts[] = {1, 3, 10, 30, 100};
    printf("\nResidual beside the joints, %d modes, us   with matrix  without  chosen\n",
           N_MODES);
    for (int i = 0; i < 5 && counts[i] <= most; i++) {
        const struct balance_settings settings = {.n_threads = 1};
        struct masing_model *model = plate(counts[i], 2);
        struct balance *balance = NULL;
        require(balance_create(model, &settings, &balance, NULL) == MASING_OK, "balance", NULL);
        bool is_applied = balance->compliance->is_applied;
        double with = measure_rows(balance, false, repetitions);
        double without = measure_rows(balance, true, repetitions);
        printf("%4d axes %44.1f %8.1f  %s\n", N_AXES * counts[i], 1e6 * with, 1e6 * without,
               is_applied ? "without" : "with");
        balance_destroy(balance);
        masing_model_destroy(model);
    }
}

/* --- the Jacobian as an operator --- */

static double largest_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

/* Local compliance of a node of its own size beside its contact's, and how far it reaches, m.
 */
static const double LOCAL = 10.0, REACH = 0.05;

/* What modes that are not there add, as condensing a large structure leaves it: local motions,
 * in the three directions alike. */
static void add_far(struct structure *structure, int n_nodes, int n_far)
{
    size_t n = (size_t)n_nodes, n_dofs = n * N_AXES, triangle = symmetric_size(n_dofs);
    double top = 2 * PI * TO * 5.0, size = LOCAL * n_nodes / STIFFNESS;
    double *far = arena_doubles(&structure->arena, (size_t)n_far * triangle);
    require(!structure->arena.has_failed, "memory", NULL);
    for (size_t t = 0; t < (size_t)n_far; t++, size *= 0.1) {
        for (size_t p = 0; p < n * n; p++) { /* nodes in pairs, each once */
            double x, y, other_x, other_y;
            place(n_nodes, (int)(p / n), &x, &y);
            place(n_nodes, (int)(p % n), &other_x, &other_y);
            double value = size * exp(-hypot(x - other_x, y - other_y) / REACH);
            for (size_t a = 0; p / n <= p % n && a < N_AXES; a++) {
                symmetric_add_entry(n_dofs, far + t * triangle, p / n * N_AXES + a,
                                    p % n * N_AXES + a, value);
            }
        }
    }
    if (n_far > 0) {
        structure->n_far = n_far;
        structure->far = structure->flexibility = far;
        structure->far_shift = 0.1 * top * top;
        structure->far_scale = 1.1 * top * top;
    }
}

enum operation { LINEARIZE, APPLY, PRECONDITION, PRECONDITION_AGAIN, N_OPERATIONS };

/* y and x [n], and then [2 n] of results; y is another one in each repetition. */
static void operate(struct balance *balance, enum operation operation, int repetition,
                    double *y)
{
    size_t n = (size_t)balance->n_unknowns;
    double *x = y + n, omega = 2 * PI * (FROM + repetition);
    enum masing_status status;
    if (operation == LINEARIZE) {
        status = balance_linearize(balance, BALANCE_LAWS, y, omega, x + n, x + 2 * n);
    } else {
        status = operation == APPLY ? balance_apply(balance, x, x + n)
                                    : balance_precondition(balance, x);
    }
    require(status == MASING_OK, "operation", NULL);
}

/* Processor time of one thread; the preconditioner's first use factors the modes' equations. */
static void operators(int n_nodes, int n_far, int repetitions)
{
    const struct balance_settings settings = {.n_threads = 1, .is_matrix_free = true};
    double best[N_OPERATIONS] = {INFINITY, INFINITY, INFINITY, INFINITY};
    struct balance *balance = NULL;
    struct masing_error error = {0};
    struct masing_model *model = plate(n_nodes, 2);
    add_far(model->structure, n_nodes, n_far);
    double before = largest_memory(), start = processor_time();
    require(balance_create(model, &settings, &balance, &error) == MASING_OK &&
                balance_operator_create(balance, &error) == MASING_OK,
            "balance", &error);
    double creation = processor_time() - start;
    double *y = memory_array(4 * (size_t)balance->n_unknowns, sizeof *y);
    require(y != NULL, "memory", NULL);
    move(balance, y);
    memcpy(y + balance->n_unknowns, y, (size_t)balance->n_unknowns * sizeof *y);
    for (int r = 0; r < repetitions; r++) {
        for (int operation = 0; operation < N_OPERATIONS; operation++) {
            start = processor_time();
            operate(balance, (enum operation)operation, r, y);
            best[operation] = fmin(best[operation], processor_time() - start);
        }
    }
    printf("%8d %9d %5d %9.2f %9.2f %9.2f %9.2f %9.2f %9.0f %9.0f\n", n_nodes,
           balance->n_unknowns, n_far, creation, 1e3 * best[LINEARIZE], 1e3 * best[APPLY],
           1e3 * best[PRECONDITION], 1e3 * best[PRECONDITION_AGAIN], before, largest_memory());
    free(y);
    balance_destroy(balance);
    masing_model_destroy(model);
}

/* Processor time of one thread of a product with the compliance, s */
static double compliance_product(int n_nodes, int n_far)
{
    const struct balance_settings settings = {.n_threads = 1, .is_matrix_free = true};
    struct balance *balance = NULL;
    struct masing_error error = {0};
    struct masing_model *model = plate(n_nodes, 2);
    add_far(model->structure, n_nodes, n_far);
    require(balance_create(model, &settings, &balance, &error) == MASING_OK, "balance", &error);
    struct compliance *compliance = balance->compliance;
    size_t n_in = 2 * (size_t)balance->basis->n_harmonics * (size_t)compliance->n_in;
    size_t n_out = 2 * (size_t)balance->basis->n_harmonics * (size_t)compliance->n_out;
    double *force = memory_array(n_in + n_out, sizeof *force), best = INFINITY;
    require(force != NULL, "memory", NULL);
    for (size_t i = 0; i < n_in; i++) {
        force[i] = cos(0.7 * (double)i);
    }
    for (int repetition = 0; repetition < 5; repetition++) {
        double start = processor_time();
        require(compliance_modal_apply(compliance, 2 * PI * FROM, 0.0, force, NULL,
                                       force + n_in, NULL) == MASING_OK,
                "product", NULL);
        best = fmin(best, processor_time() - start);
    }
    free(force);
    balance_destroy(balance);
    masing_model_destroy(model);
    return best;
}

/* --- whole points of a frequency response --- */

static const char *const linear_names[] = {
    [MASING_LINEAR_DENSE] = "dense", [MASING_LINEAR_KRYLOV] = "krylov"};

/* Processor time of one thread, s a point; products: with the Jacobian, a point. */
static double whole_points(int n_nodes, enum masing_linear_choice linear, int n_far,
                           int max_points, double *products)
{
    const struct masing_response_options options = {.n_threads = 1};
    struct masing_response_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = plate(n_nodes, max_points);
    model->spec.solver.linear = linear;
    add_far(model->structure, n_nodes, n_far);
    enum masing_status status = masing_frf(model, &options, NULL, NULL, &summary, &error);
    /* a curve may be longer than is measured */
    require(status == MASING_OK || status == MASING_STOPPED, "response", &error);
    double points = fmax(summary.points, 1), cost = summary.seconds / points;
    *products = (double)(summary.krylov_iterations + summary.residuals) / points;
    printf("%8d %9d %7s %5d %7d %7.2f %7.2f %7.2f %7.1f %11.2f %9.0f\n", n_nodes,
           n_nodes * N_AXES * 11 + 2, linear_names[linear], n_far, summary.points,
           (double)summary.residuals / points, (double)summary.jacobians / points,
           (double)summary.factorisations / points, (double)summary.krylov_iterations / points,
           1e3 * cost, largest_memory());
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
    return cost;
}

/* --- how a point grows --- */

enum { N_GROWTH = 4 };

/* values = a N + b N^2 with the least relative errors */
static void fit_growth(int n, const double *counts, const double *values, double *a, double *b)
{
    double sums[2][3] = {{0.0}};
    for (int i = 0; i < n; i++) {
        double u = counts[i] / values[i], v = counts[i] * u;
        sums[0][0] += u * u;
        sums[0][1] += u * v;
        sums[1][1] += v * v;
        sums[0][2] += u;
        sums[1][2] += v;
    }
    double determinant = sums[0][0] * sums[1][1] - sums[0][1] * sums[0][1];
    *a = (sums[0][2] * sums[1][1] - sums[1][2] * sums[0][1]) / determinant;
    *b = (sums[1][2] * sums[0][0] - sums[0][2] * sums[0][1]) / determinant;
}

/* A point by iteration, and the products with the compliance alone that are in it, s. */
static void growth(int n, const int *counts, int n_far, int max_points)
{
    double sizes[N_GROWTH], points[N_GROWTH], alone[N_GROWTH], a, b;
    for (int i = 0; i < n; i++) {
        double n_products;
        sizes[i] = counts[i];
        points[i] =
            whole_points(counts[i], MASING_LINEAR_KRYLOV, n_far, max_points, &n_products);
        alone[i] = n_products * compliance_product(counts[i], n_far);
    }
    fit_growth(n, sizes, points, &a, &b);
    printf("a point:               %9.3g N + %9.3g N^2 s\n", a, b);
    fit_growth(n, sizes, alone, &a, &b);
    printf("its compliance alone:  %9.3g N + %9.3g N^2 s\n", a, b);
}

int main(int n_arguments, char **arguments)
{
    bool is_quick = n_arguments == 2 && strcmp(arguments[1], "--quick") == 0;
    if (n_arguments > 2 || (n_arguments == 2 && !is_quick)) {
        fprintf(stderr, "usage: benchmark_contacts [--quick]\n");
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    int repetitions = is_quick ? 1 : 30;
    printf(
        "Contacts of three directions, H = 5, 256 samples: wall time, the least of several\n");
    transforms(repetitions);
    by_threads(is_quick ? 100 : 1000, repetitions);
    by_ports(is_quick ? 10 : 100, repetitions);
    printf("\nThe Jacobian as an operator, ms of one thread\n"
           "%8s %9s %5s %9s %9s %9s %9s %9s %9s %9s\n",
           "contacts", "unknowns", "terms", "create s", "linearize", "apply", "first P", "P",
           "model MB", "most MB");
    operators(10, 2, repetitions);
    for (int i = 0; !is_quick && i < 6; i++) {
        static const int counts[] = {100, 300, 1000};
        operators(counts[i / 2], i % 2 * 8, 5);
    }
    printf("\nWhole accepted points of the response\n"
           "%8s %9s %7s %5s %7s %7s %7s %7s %7s %11s %9s\n",
           "contacts", "unknowns", "linear", "terms", "points", "resid.", "Jacob.", "LU",
           "Krylov", "ms", "most MB");
    for (int i = 0; i < (is_quick ? 2 : 4); i++) {
        static const int counts[] = {3, 10, 30, 100}, points[] = {40, 40, 40, 8};
        double unused;
        int most = is_quick ? 3 : points[i];
        whole_points(counts[i], MASING_LINEAR_KRYLOV, 0, most, &unused);
        whole_points(counts[i], MASING_LINEAR_DENSE, 0, most, &unused);
    }
    static const int small[] = {5, 10}, large[N_GROWTH] = {100, 300, 1000, 3000};
    growth(is_quick ? 2 : N_GROWTH, is_quick ? small : large, 2, is_quick ? 3 : 6);
    return EXIT_SUCCESS;
}
