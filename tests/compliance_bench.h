/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compliance at ports against a dense complex solution of K (1 + i eta) + s C + s^2 M. */
#ifndef MASING_TESTS_COMPLIANCE_BENCH_H
#define MASING_TESTS_COMPLIANCE_BENCH_H

#include "harmonic/compliance/compliance.h"

#include <complex.h>
#include <stdio.h>

#include "harmonic/recovery/modal_motion.h"
#include "linalg/symmetric.h"
#include "linalg/lu.h"
#include "model/model.h"
#include "specimen.h"
#include "tap.h"

enum { N_IN = 2, N_OUT = 3, N_PORT = N_IN * N_OUT, N_HARMONICS = 4, N_ALL = 64 };
static const int harmonics[N_HARMONICS] = {0, 1, 3, 7};

/* A structure, the matrices it was made of, its ports and what the compliance says */
struct bench {
    int n;
    double *mass, *stiffness, *damping; /* damping may be NULL */
    double eta;
    struct masing_model *model;
    double *in, *out;
    struct arena arena;
    struct compliance_ports in_ports, out_ports;
    struct compliance *compliance;
    double re[N_HARMONICS * N_PORT], im[N_HARMONICS * N_PORT];
    double d_re[N_HARMONICS * N_PORT], d_im[N_HARMONICS * N_PORT];
};

static inline double *copy(int n, const double *a)
{
    double *b = specimen_array((size_t)n * (size_t)n, sizeof *b);
    if (a) {
        memcpy(b, a, (size_t)n * (size_t)n * sizeof *b);
    }
    return b;
}

/* A chain with scattered stiffnesses, masses and a few cross links, held at both ends or not */
static inline void scattered(struct masing_spec *spec, int n, bool is_held, uint64_t seed)
{
    specimen_init(spec, n);
    for (int i = 0; i < n; i++) {
        specimen_mass(spec, i, 2 + specimen_draw(&seed));
        if (i + 1 < n) {
            specimen_spring(spec, i, i + 1, 4e4 * (2 + specimen_draw(&seed)));
        }
        if (i + 3 < n) {
            specimen_spring(spec, i, i + 3, 2e3 * (2 + specimen_draw(&seed)));
        }
    }
    if (is_held) {
        specimen_spring(spec, MASING_GROUND, 0, 3e4);
        specimen_spring(spec, n - 1, MASING_GROUND, 1e4);
    }
    spec->omega_from = 20;
    spec->omega_to = 60;
}

static inline void fill_ports(struct bench *bench, uint64_t seed)
{
    size_t n = (size_t)bench->n;
    bench->in = specimen_array(n * N_IN, sizeof(double));
    bench->out = specimen_array(n * N_OUT, sizeof(double));
    for (size_t i = 0; i < n * N_IN; i++) {
        bench->in[i] = i % n < 3 || i / n ? specimen_draw(&seed) : 0;
    }
    for (size_t i = 0; i < n * N_OUT; i++) {
        bench->out[i] = specimen_draw(&seed);
    }
}

/* Of patterns [n * n_ports] */
static inline struct compliance_ports ports_of(struct bench *bench, int n_ports,
                                               const double *patterns)
{
    struct compliance_ports ports;
    size_t n = (size_t)bench->n, count = compliance_ports_count(n * (size_t)n_ports, patterns);
    CHECK(compliance_ports_create(n_ports, count, &bench->arena, &ports, NULL) == MASING_OK);
    for (int p = 0; p < n_ports; p++) {
        compliance_ports_add(&ports, p, n, patterns + (size_t)p * n);
    }
    return ports;
}

/* Takes the specification; the matrices are kept for the direct solution. */
static inline void bench_init(struct bench *bench, struct masing_spec *spec)
{
    struct masing_error error = {0};
    int n = spec->structure.n_dofs;
    *bench = (struct bench){.n = n};
    bench->mass = copy(n, spec->structure.mass);
    bench->stiffness = copy(n, spec->structure.stiffness);
    bench->damping = spec->structure.damping ? copy(n, spec->structure.damping) : NULL;
    double top = fmax(spec->omega_from, spec->omega_to);
    if (!CHECK(masing_model_create(spec, &bench->model, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
        exit(1);
    }
    bench->eta = bench->model->structure->loss_factor;
    fill_ports(bench, 99);
    bench->in_ports = ports_of(bench, N_IN, bench->in);
    bench->out_ports = ports_of(bench, N_OUT, bench->out);
    struct compliance_settings settings = {.n_in = N_IN,
                                           .n_out = N_OUT,
                                           .in = bench->in_ports,
                                           .out = bench->out_ports,
                                           .n_harmonics = N_HARMONICS,
                                           .harmonics = harmonics,
                                           .omega_max = top};
    CHECK(compliance_create(bench->model->structure, &settings, &bench->compliance, &error) ==
          MASING_OK);
}

static inline void bench_clear(struct bench *bench)
{
    compliance_destroy(bench->compliance);
    masing_model_destroy(bench->model);
    free(bench->mass);
    free(bench->stiffness);
    free(bench->damping);
    arena_clear(&bench->arena);
    free(bench->in);
    free(bench->out);
}

/* All of the structure's damping in physical coordinates: M phi (phi^T C phi) phi^T M */
static inline double *physical_damping(const struct bench *bench)
{
    const struct structure *s = bench->model->structure;
    size_t n = (size_t)bench->n, m = (size_t)s->n_modes;
    double *left = specimen_array(n * m, sizeof *left), *c = copy(bench->n, NULL);
    for (size_t k = 0; k < m; k++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                left[i + k * n] += bench->mass[i + j * n] * s->shapes[j + k * n];
            }
        }
    }
    for (size_t k = 0; k < m; k++) {
        for (size_t l = 0; l < m; l++) {
            double entry = s->damping_matrix ? s->damping_matrix[k + l * m]
                           : k == l          ? s->modal_damping[k]
                                             : 0;
            for (size_t i = 0; i < n && entry != 0; i++) {
                for (size_t j = 0; j < n; j++) {
                    c[i + j * n] += left[i + k * n] * entry * left[j + l * n];
                }
            }
        }
    }
    free(left);
    return c;
}

/* M times rigid-body mode r at DOF i */
static inline double rigid_inertia(const struct bench *bench, size_t i, size_t r)
{
    size_t n = (size_t)bench->n;
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        sum += bench->mass[i + j * n] * bench->model->structure->shapes[j + r * n];
    }
    return sum;
}

/*
 * X [n * N_IN] = (K (1 + i eta) + i q C - q^2 M)^-1 in. Statically rigid-body motion is left
 * out: K x + M R l = in, R^T M x = 0.
 */
static inline void direct(const struct bench *bench, const double *damping, double q,
                          double complex *x)
{
    size_t n = (size_t)bench->n;
    size_t n_rigid = q == 0 ? (size_t)bench->model->structure->n_rigid : 0, m = n + n_rigid;
    double complex *z = specimen_array(m * m, sizeof *z);
    double complex *y = specimen_array(m * N_IN, sizeof *y);
    int *pivots = specimen_array(m, sizeof *pivots);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            size_t from = i + j * n;
            z[i + j * m] = bench->stiffness[from] * (1 + (q > 0 ? I * bench->eta : 0)) +
                           I * q * damping[from] - q * q * bench->mass[from];
        }
        for (size_t r = 0; r < n_rigid; r++) {
            z[j + (n + r) * m] = z[n + r + j * m] = rigid_inertia(bench, j, r);
        }
        for (size_t i = 0; i < N_IN; i++) {
            y[j + i * m] = bench->in[j + i * n];
        }
    }
    CHECK(lu_factor_complex((int)m, z, pivots) == MASING_OK);
    lu_solve_complex((int)m, z, pivots, y, N_IN);
    for (size_t i = 0; i < N_IN; i++) {
        memcpy(x + i * n, y + i * m, n * sizeof *x);
    }
    free(z);
    free(y);
    free(pivots);
}

static inline void evaluate(struct bench *bench, double omega)
{
    const struct compliance *compliance = bench->compliance;
    CHECK(compliance_evaluate(bench->compliance, omega, true) == MASING_OK);
    memcpy(bench->re, compliance->real, sizeof bench->re);
    memcpy(bench->im, compliance->imaginary, sizeof bench->im);
    memcpy(bench->d_re, compliance->d_real, sizeof bench->d_re);
    memcpy(bench->d_im, compliance->d_imaginary, sizeof bench->d_im);
}

/* Compares one frequency, harmonic by harmonic. */
static inline void compare(struct bench *bench, const double *damping, double omega,
                           double tolerance)
{
    size_t n = (size_t)bench->n;
    double complex *x = specimen_array(n * N_IN, sizeof *x);
    evaluate(bench, omega);
    for (int h = 0; h < N_HARMONICS; h++) {
        double largest = 0;
        direct(bench, damping, harmonics[h] * omega, x);
        for (int p = 0; p < N_PORT; p++) {
            largest =
                fmax(largest, hypot(bench->re[h * N_PORT + p], bench->im[h * N_PORT + p]));
        }
        for (size_t i = 0; i < N_IN; i++) {
            for (size_t o = 0; o < N_OUT; o++) {
                double complex expected = 0;
                for (size_t k = 0; k < n; k++) {
                    expected += bench->out[k + o * n] * x[k + i * n];
                }
                size_t p = (size_t)h * N_PORT + i * N_OUT + o;
                CHECK_SCALED(bench->re[p], creal(expected), largest, tolerance);
                CHECK_SCALED(bench->im[p], cimag(expected), largest, tolerance);
            }
        }
    }
    free(x);
}

/* Fourth-order central difference */
static inline void compare_slopes(struct bench *bench, double omega)
{
    static const double weights[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
    double d_re[N_HARMONICS * N_PORT] = {0}, d_im[N_HARMONICS * N_PORT] = {0};
    double step = 5e-5 * omega, largest[N_HARMONICS] = {0};
    for (int i = 0; i < 5; i++) {
        evaluate(bench, omega + (i - 2) * step);
        for (int p = 0; p < N_HARMONICS * N_PORT; p++) {
            d_re[p] += weights[i] * bench->re[p] / step;
            d_im[p] += weights[i] * bench->im[p] / step;
        }
    }
    evaluate(bench, omega);
    for (int p = 0; p < N_HARMONICS * N_PORT; p++) {
        double change =
            fmax(hypot(d_re[p], d_im[p]), hypot(bench->re[p], bench->im[p]) / omega);
        largest[p / N_PORT] = fmax(largest[p / N_PORT], change);
    }
    for (int p = 0; p < N_HARMONICS * N_PORT; p++) {
        CHECK_SCALED(bench->d_re[p], d_re[p], largest[p / N_PORT], 1e-7);
        CHECK_SCALED(bench->d_im[p], d_im[p], largest[p / N_PORT], 1e-7);
    }
}

static inline struct compliance *create_matrix_free(const struct bench *bench)
{
    struct compliance *compliance = NULL;
    struct compliance_settings settings = {.n_in = N_IN,
                                           .n_out = N_OUT,
                                           .in = bench->in_ports,
                                           .out = bench->out_ports,
                                           .n_harmonics = N_HARMONICS,
                                           .harmonics = harmonics,
                                           .omega_max = 60,
                                           .is_matrix_free = true};
    CHECK(compliance_create(bench->model->structure, &settings, &compliance, NULL) ==
          MASING_OK);
    return compliance;
}

/* The change of a product along the frequency and the forces, with matrices and without. */
static inline void compare_changes(struct compliance *with, struct compliance *without,
                                   double omega, const double *force, double tolerance)
{
    enum { N_MOTION = N_HARMONICS * N_OUT * 2 };
    double d_force[N_HARMONICS * N_IN * 2], scales[2] = {0};
    double expected[2 * N_MOTION], found[2 * N_MOTION];
    uint64_t seed = 9;
    for (int i = 0; i < N_HARMONICS * N_IN * 2; i++) {
        d_force[i] = specimen_draw(&seed);
    }
    CHECK(compliance_differentiate(with, omega, 0.7, force, d_force, expected,
                                   expected + N_MOTION) == MASING_OK);
    CHECK(compliance_differentiate(without, omega, 0.7, force, d_force, found,
                                   found + N_MOTION) == MASING_OK);
    for (int i = 0; i < 2 * N_MOTION; i++) {
        scales[i / N_MOTION] = fmax(scales[i / N_MOTION], fabs(expected[i]));
    }
    for (int i = 0; i < 2 * N_MOTION; i++) {
        CHECK_SCALED(found[i], expected[i], scales[i / N_MOTION], tolerance);
    }
}

/* The product without a matrix against that with it, and entries one by one. */
static inline void compare_product(struct bench *bench, double omega, double tolerance)
{
    double force[N_HARMONICS * N_IN * 2], motion[N_HARMONICS * N_OUT * 2];
    double largest[N_HARMONICS] = {0};
    uint64_t seed = 7;
    const struct structure *structure = bench->model->structure;
    CHECK(bench->compliance->has_matrices);
    CHECK(!bench->compliance->is_applied ||
          !(structure->damping_matrix || structure->flexibility));
    struct compliance *compliance = create_matrix_free(bench);
    CHECK(!compliance->has_matrices && compliance->is_applied);
    CHECK(compliance_evaluate(compliance, omega, false) == MASING_INTERNAL);
    for (int i = 0; i < N_HARMONICS * N_IN * 2; i++) {
        force[i] = specimen_draw(&seed);
    }
    evaluate(bench, omega);
    CHECK(compliance_apply(compliance, omega, force, motion) == MASING_OK);
    for (int r = 0; r < N_HARMONICS * N_OUT; r++) {
        double size = hypot(motion[2 * r], motion[2 * r + 1]);
        largest[r / N_OUT] = fmax(largest[r / N_OUT], size);
    }
    for (int r = 0; r < N_HARMONICS * N_OUT; r++) {
        double complex expected = 0;
        for (int i = 0; i < N_IN; i++) {
            int from = r / N_OUT * N_IN + i, entry = from * N_OUT + r % N_OUT;
            double complex h = bench->re[entry] + I * bench->im[entry];
            double value[2], size = largest[r / N_OUT];
            expected += h * (force[2 * from] + I * force[2 * from + 1]);
            CHECK(compliance_entry(compliance, omega, r / N_OUT, i, r % N_OUT, value) ==
                  MASING_OK);
            CHECK_SCALED(value[0], creal(h), size, tolerance);
            CHECK_SCALED(value[1], cimag(h), size, tolerance);
        }
        CHECK_SCALED(motion[2 * r], creal(expected), largest[r / N_OUT], tolerance);
        CHECK_SCALED(motion[2 * r + 1], cimag(expected), largest[r / N_OUT], tolerance);
    }
    compare_changes(bench->compliance, compliance, omega, force, tolerance);
    compliance_destroy(compliance);
}

/* Matrices at another frequency are no longer those of this one; the change of a motion along
 * the frequency and the forces is that of the motion. */
static inline void compare_change(struct bench *bench, double omega)
{
    enum { N_FORCE = N_HARMONICS * N_IN * 2, N_MOTION = N_HARMONICS * N_OUT * 2 };
    double force[N_FORCE], d_force[N_FORCE], moved[N_FORCE];
    double motion[N_MOTION], change[N_MOTION], after[N_MOTION], before[N_MOTION];
    double step = 1e-5, d_omega = 0.7, largest = 0;
    uint64_t seed = 8;
    for (int i = 0; i < N_FORCE; i++) {
        force[i] = specimen_draw(&seed);
        d_force[i] = specimen_draw(&seed);
    }
    for (int side = 0; side < 2; side++) {
        double along = side ? step : -step;
        for (int i = 0; i < N_FORCE; i++) {
            moved[i] = force[i] + along * d_force[i];
        }
        CHECK(compliance_apply(bench->compliance, omega + along * d_omega, moved,
                               side ? after : before) == MASING_OK);
    }
    CHECK(compliance_differentiate(bench->compliance, omega, d_omega, force, d_force, motion,
                                   change) == MASING_OK);
    for (int i = 0; i < N_MOTION; i++) {
        largest = fmax(largest, fmax(fabs(change[i]), fabs(motion[i])));
    }
    for (int i = 0; i < N_MOTION; i++) {
        CHECK_SCALED(0.5 * (after[i] + before[i]), motion[i], largest, 1e-8);
        CHECK_SCALED(0.5 * (after[i] - before[i]) / step, change[i], largest, 1e-7);
    }
}

/* Modal coordinates at one harmonic under port forces [N_IN]; free() */
static inline double complex *modal_coordinates(const struct bench *bench, double omega, int h,
                                                const double complex *force)
{
    const struct structure *structure = bench->model->structure;
    int n = bench->n, n_modes = structure->n_modes;
    double complex *q = specimen_array((size_t)n_modes, sizeof *q);
    for (int k = 0; k < n_modes; k++) {
        for (int i = 0; i < n * N_IN; i++) {
            q[k] += structure->shapes[k * n + i % n] * bench->in[i] * force[i / n];
        }
    }
    CHECK(modal_motion_respond(structure, h * omega, omega, q, NULL) == MASING_OK);
    return q;
}

/* Displacements [n] of massless DOFs at one harmonic beside the modes */
static inline void displace_massless(const struct bench *bench, int h,
                                     const double complex *force, double complex *displacement)
{
    const struct structure *structure = bench->model->structure;
    int n = bench->n;
    double complex loss = 1 + I * (h > 0 ? structure->loss_factor : 0);
    for (int p = 0; structure->flexibility && p < n * n * N_IN; p++) {
        int d = p % n, i = p / n;
        displacement[d] +=
            structure->flexibility[symmetric_place((size_t)n, (size_t)(i % n), (size_t)d)] *
            bench->in[i] * force[i / n] / loss;
    }
}

/* Loss per cycle over pi at one harmonic, from the modal coordinates and the massless DOFs */
static inline double modal_loss(const struct bench *bench, double omega, int h,
                                const double complex *force)
{
    const struct structure *structure = bench->model->structure;
    int n = bench->n, n_modes = structure->n_modes;
    double complex *q = modal_coordinates(bench, omega, h, force);
    double complex *massless = specimen_array((size_t)n, sizeof *massless);
    double sum = 0;
    displace_massless(bench, h, force, massless);
    for (int k = 0; k < n_modes; k++) {
        double own = structure->omega[k], size = cabs(q[k]);
        sum += (structure->loss_factor * own * own +
                (structure->damping_matrix ? 0 : h * omega * structure->modal_damping[k])) *
               size * size;
        for (int j = 0; structure->damping_matrix && j < n_modes; j++) {
            sum += h * omega * structure->damping_matrix[k * n_modes + j] *
                   creal(conj(q[j]) * q[k]);
        }
    }
    for (int i = 0; i < n * N_IN; i++) {
        sum -= bench->in[i] * cimag(conj(force[i / n]) * massless[i % n]);
    }
    free(massless);
    free(q);
    return h * sum;
}

/* Loss against that of the modes, and the work of the port forces, which needs out == in. */
static inline void compare_loss(struct bench *bench, double omega, double tolerance)
{
    struct masing_error error = {0};
    struct compliance *square = NULL;
    double force[N_HARMONICS * N_IN * 2], work = 0, modal = 0;
    uint64_t seed = 5;
    struct compliance_settings settings = {.n_in = N_IN,
                                           .n_out = N_IN,
                                           .in = bench->in_ports,
                                           .out = bench->in_ports,
                                           .n_harmonics = N_HARMONICS,
                                           .harmonics = harmonics,
                                           .omega_max = omega};
    CHECK(compliance_create(bench->model->structure, &settings, &square, &error) == MASING_OK);
    CHECK(compliance_evaluate(square, omega, false) == MASING_OK);
    const double *re = square->real, *im = square->imaginary;
    for (int i = 0; i < N_HARMONICS * N_IN * 2; i++) {
        force[i] = specimen_draw(&seed);
    }
    for (int h = 0; h < N_HARMONICS; h++) {
        double complex f[N_IN];
        for (int i = 0; i < N_IN; i++) {
            f[i] = force[2 * (h * N_IN + i)] + I * force[2 * (h * N_IN + i) + 1];
        }
        modal += 3.14159265358979323846 * modal_loss(bench, omega, harmonics[h], f);
        for (int i = 0; i < N_IN; i++) {
            for (int o = 0; o < N_IN; o++) {
                int p = (h * N_IN + i) * N_IN + o;
                /* work per period of x = Re(X e^(i h Omega t)): -pi h Im(conj(F) X) */
                work -= 3.14159265358979323846 * harmonics[h] *
                        cimag(conj(f[o]) * (re[p] + I * im[p]) * f[i]);
            }
        }
    }
    CHECK(work > 0);
    CHECK_RELATIVE(modal, work, tolerance);
    CHECK_RELATIVE(compliance_loss(square, omega, force), work, tolerance);
    compliance_destroy(square);
    settings.is_matrix_free = true; /* the loss is that of each mode then */
    CHECK(compliance_create(bench->model->structure, &settings, &square, &error) == MASING_OK);
    CHECK(!square->has_matrices && square->is_applied);
    CHECK_RELATIVE(compliance_loss(square, omega, force), work, tolerance);
    compliance_destroy(square);
}

/* All DOFs against a compliance that has them as ports */
static inline void compare_recovery(struct bench *bench, double omega, double tolerance)
{
    size_t n = (size_t)bench->n, size = N_HARMONICS * n;
    const struct structure *structure = bench->model->structure;
    double *unit = copy(bench->n, NULL), largest = 0;
    double complex *motion = specimen_array(size, sizeof *motion), force[N_HARMONICS * N_IN];
    uint64_t seed = 6;
    for (size_t i = 0; i < n; i++) {
        unit[i * (n + 1)] = 1;
    }
    for (int i = 0; i < N_HARMONICS * N_IN; i++) {
        double real = specimen_draw(&seed);
        force[i] = real + I * specimen_draw(&seed);
    }
    struct compliance *all = NULL;
    struct compliance_settings settings = {.n_in = N_IN,
                                           .n_out = bench->n,
                                           .in = bench->in_ports,
                                           .out = ports_of(bench, bench->n, unit),
                                           .n_harmonics = N_HARMONICS,
                                           .harmonics = harmonics,
                                           .omega_max = omega};
    CHECK(compliance_create(bench->model->structure, &settings, &all, NULL) == MASING_OK);
    CHECK(compliance_evaluate(all, omega, false) == MASING_OK);
    const double *re = all->real, *im = all->imaginary;
    for (size_t h = 0; h < N_HARMONICS; h++) {
        double complex *q = modal_coordinates(bench, omega, harmonics[h], force + h * N_IN);
        for (size_t i = 0; i < n * (size_t)structure->n_modes; i++) {
            motion[h * n + i % n] += structure->shapes[i] * q[i / n];
        }
        displace_massless(bench, harmonics[h], force + h * N_IN, motion + h * n);
        free(q);
    }
    for (size_t p = 0; p < size; p++) {
        largest = fmax(largest, cabs(motion[p]));
    }
    for (size_t p = 0; p < size; p++) {
        double complex expected = 0;
        for (size_t i = 0; i < N_IN; i++) {
            size_t from = p / n * N_IN + i, entry = from * n + p % n;
            expected += (re[entry] + I * im[entry]) * force[from];
        }
        CHECK_SCALED(creal(motion[p]), creal(expected), largest, tolerance);
        CHECK_SCALED(cimag(motion[p]), cimag(expected), largest, tolerance);
    }
    compliance_destroy(all);
    free(unit);
    free(motion);
}

/* The whole comparison at some frequencies of the range */
static inline void compare_all(struct masing_spec *spec, const double *given_damping,
                               double tolerance)
{
    struct bench bench;
    bench_init(&bench, spec);
    double *damping = given_damping ? copy(bench.n, given_damping) : physical_damping(&bench);
    static const double omegas[] = {20, 31.4159, 47.11, 60};
    for (int i = 0; i < 4; i++) {
        compare(&bench, damping, omegas[i], tolerance);
    }
    compare_slopes(&bench, 41.3);
    compare_product(&bench, 33.3, 10 * tolerance);
    compare_change(&bench, 36.1);
    compare_loss(&bench, 52.7, 100 * tolerance);
    compare_recovery(&bench, 39.9, tolerance);
    free(damping);
    bench_clear(&bench);
}

#endif
