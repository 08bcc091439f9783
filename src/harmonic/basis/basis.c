/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/basis/basis.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pair.h"
#include "base/pi.h"

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

void basis_lock_planner(void)
{
    pthread_mutex_lock(&planner);
}

void basis_unlock_planner(void)
{
    pthread_mutex_unlock(&planner);
}

static void place_coefficients(struct basis *basis)
{
    int position = 0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        basis->position[k] = position;
        position += basis_sides(basis, k);
    }
    basis->n_coefficients = position;
    basis->highest = basis->harmonics[basis->n_harmonics - 1];
    basis->n_spectrum = 2 * basis->highest + 1;
}

static enum masing_status allocate_workspaces(struct basis *basis, struct masing_error *error)
{
    basis->signal = fftw_alloc_real((size_t)basis->n_samples);
    basis->spectrum = fftw_alloc_complex((size_t)basis->n_samples / 2 + 1);
    NEED_ALLOCATED(basis->signal && basis->spectrum);
    return MASING_OK;
}

enum masing_status basis_plan(struct basis *basis, struct masing_error *error)
{
    if (basis->synthesis && basis->analysis) {
        return MASING_OK;
    }
    NEED(allocate_workspaces(basis, error));
    basis_lock_planner();
    basis->synthesis =
        fftw_plan_dft_c2r_1d(basis->n_samples, basis->spectrum, basis->signal, FFTW_ESTIMATE);
    basis->analysis =
        fftw_plan_dft_r2c_1d(basis->n_samples, basis->signal, basis->spectrum, FFTW_ESTIMATE);
    basis_unlock_planner();
    NEED_ALLOCATED(basis->synthesis && basis->analysis);
    return MASING_OK;
}

enum masing_status basis_create_unplanned(const int *harmonics, int n_harmonics, int n_samples,
                                          struct basis **basis, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct basis *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    made->n_harmonics = n_harmonics;
    made->n_samples = n_samples;
    made->harmonics = memory_copy(harmonics, (size_t)n_harmonics, sizeof *harmonics);
    made->position = memory_array((size_t)n_harmonics, sizeof *made->position);
    TRY_ALLOCATED(made->harmonics && made->position);
    place_coefficients(made);
    *basis = made;
    made = NULL;
done:
    basis_destroy(made);
    return status;
}

enum masing_status basis_create(const int *harmonics, int n_harmonics, int n_samples,
                                struct basis **basis, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct basis *made = NULL;
    TRY(basis_create_unplanned(harmonics, n_harmonics, n_samples, &made, error));
    TRY(basis_plan(made, error));
    *basis = made;
    made = NULL;
done:
    basis_destroy(made);
    return status;
}

enum masing_status basis_share(const struct basis *original, struct basis **basis,
                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct basis *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    *made = *original;
    made->is_shared = true;
    made->signal = NULL;
    made->spectrum = NULL;
    if (original->synthesis) {
        TRY(allocate_workspaces(made, error));
    }
    *basis = made;
    made = NULL;
done:
    basis_destroy(made);
    return status;
}

void basis_destroy(struct basis *basis)
{
    if (!basis) {
        return;
    }
    fftw_free(basis->signal);
    fftw_free(basis->spectrum);
    if (!basis->is_shared) {
        basis_lock_planner();
        fftw_destroy_plan(basis->synthesis);
        fftw_destroy_plan(basis->analysis);
        basis_unlock_planner();
        free(basis->harmonics);
        free(basis->position);
    }
    free(basis);
}

/* Harmonics less than so many below the highest one are the last: one of a symmetric motion is
 * not 0. */
enum { LAST_HARMONICS = 2 };

int basis_count_first(const struct basis *basis)
{
    int k = basis->n_harmonics;
    while (k > 0 && basis->harmonics[k - 1] > basis->highest - LAST_HARMONICS) {
        k--;
    }
    return k > 0 && basis->harmonics[k - 1] > 0 ? basis->position[k - 1] + 2 : 0;
}

void basis_synthesise(struct basis *basis, const double *coefficients, int order,
                      double *samples)
{
    memset(basis->spectrum, 0, sizeof(fftw_complex) * ((size_t)basis->n_samples / 2 + 1));
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        const double *c = coefficients + basis->position[k];
        double *line = basis->spectrum[h];
        if (h == 0) {
            line[0] = order == 0 ? c[0] : 0.0;
        } else {
            /* a cos + b sin = Re((a - i b) e^(i h theta)); each derivative multiplies by i h */
            double scale = 0.5 * (order == 0 ? 1.0 : order == 1 ? h : -(double)h * h);
            line[0] = scale * (order == 1 ? c[1] : c[0]);
            line[1] = scale * (order == 1 ? c[0] : -c[1]);
        }
    }
    fftw_execute_dft_c2r(basis->synthesis, basis->spectrum, basis->signal);
    memcpy(samples, basis->signal, sizeof *samples * (size_t)basis->n_samples);
}

static void transform(struct basis *basis, const double *samples)
{
    memcpy(basis->signal, samples, sizeof *samples * (size_t)basis->n_samples);
    fftw_execute_dft_r2c(basis->analysis, basis->signal, basis->spectrum);
}

void basis_analyse(struct basis *basis, const double *samples, double *coefficients)
{
    transform(basis, samples);
    double scale = 2.0 / basis->n_samples;
    for (int k = 0; k < basis->n_harmonics; k++) {
        const double *line = basis->spectrum[basis->harmonics[k]];
        double *c = coefficients + basis->position[k];
        if (basis->harmonics[k] == 0) {
            c[0] = 0.5 * scale * line[0];
        } else {
            c[0] = scale * line[0];
            c[1] = -scale * line[1];
        }
    }
}

void basis_spectrum(struct basis *basis, const double *samples, double *cosine, double *sine)
{
    transform(basis, samples);
    double scale = 1.0 / basis->n_samples;
    for (int m = 0; m < basis->n_spectrum; m++) {
        cosine[m] = scale * basis->spectrum[m][0];
        sine[m] = -scale * basis->spectrum[m][1];
    }
}

void basis_differentiate(const struct basis *basis, const double *coefficients, double *out)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        const double *c = coefficients + basis->position[k];
        double *d = out + basis->position[k];
        if (h == 0) {
            d[0] = 0.0;
        } else {
            double a = c[0], b = c[1];
            d[0] = h * b;
            d[1] = -h * a;
        }
    }
}

double basis_work(const struct basis *basis, const double *force, const double *x,
                  double *scale)
{
    double sum = 0.0, sum_of_sizes = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        const double *f = force + basis->position[k], *u = x + basis->position[k];
        if (h > 0) {
            sum += h * (f[0] * u[1] - f[1] * u[0]);
            sum_of_sizes += scale ? h * hypot(f[0], f[1]) * hypot(u[0], u[1]) : 0.0;
        }
    }
    if (scale) {
        *scale = PI * sum_of_sizes;
    }
    return PI * sum;
}

void basis_functions(const struct basis *basis, double angle, double *values)
{
    double c1 = cos(angle), s1 = sin(angle), c = 1.0, s = 0.0;
    int reached = 0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        double *v = values + basis->position[k];
        for (; reached < h; reached++) { /* one rotation further */
            double next = c * c1 - s * s1;
            s = s * c1 + c * s1;
            c = next;
        }
        v[0] = c;
        if (h > 0) {
            v[1] = s;
        }
    }
}

/* ---- multiplication by a periodic function ---- */

/*
 * The block of harmonics (h, j), from 2 mean(t cos h cos j) and its like:
 *   d a_h/d a_j = C(h-j) + C(h+j)    d a_h/d b_j = S(h+j) - S(h-j)
 *   d b_h/d a_j = S(h+j) + S(h-j)    d b_h/d b_j = C(h-j) - C(h+j)
 * with C even and S odd; the row of h = 0 is half of it. As pairs T = (C, S) the columns are
 * T(h-j) + T(h+j), and T(h-j) - T(h+j) turned by a right angle.
 */
struct lines {
    const double *cosine, *sine;
};

static inline pair line_of(struct lines lines, int m)
{
    return m >= 0 ? (pair){lines.cosine[m], lines.sine[m]}
                  : (pair){lines.cosine[-m], -lines.sine[-m]};
}

/* Row and column of harmonic 0, where there is one. */
static void add_mean(const struct basis *basis, struct lines lines, double *matrix)
{
    size_t n = (size_t)basis->n_coefficients;
    matrix[0] += lines.cosine[0];
    for (int k = 1; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        size_t at = (size_t)basis->position[k];
        matrix[at] += 2.0 * lines.cosine[h];
        matrix[at + 1] += 2.0 * lines.sine[h];
        matrix[at * n] += lines.cosine[h];
        matrix[(at + 1) * n] += lines.sine[h];
    }
}

void multiplication_add(const struct basis *basis, const double *cosine, const double *sine,
                        double *matrix)
{
    const struct lines lines = {cosine, sine};
    size_t n = (size_t)basis->n_coefficients;
    int from = basis->harmonics[0] == 0 ? 1 : 0;
    if (from > 0) {
        add_mean(basis, lines, matrix);
    }
    for (int l = from; l < basis->n_harmonics; l++) {
        int j = basis->harmonics[l];
        double *restrict a = matrix + n * (size_t)basis->position[l], *restrict b = a + n;
        for (int k = from; k < basis->n_harmonics; k++) {
            int h = basis->harmonics[k], row = basis->position[k];
            pair near = line_of(lines, h - j), far = line_of(lines, h + j);
            pair sum = near + far, difference = near - far;
            a[row] += sum[0];
            a[row + 1] += sum[1];
            b[row] -= difference[1];
            b[row + 1] += difference[0];
        }
    }
}

/* Row h > 0 without the column of harmonic 0: from the harmonics from, from + 1, ... */
static void apply_row(const struct basis *basis, struct lines lines, const double *x, int from,
                      int h, double out[2])
{
    pair a = {0.0, 0.0}, b = a;
    for (int l = from; l < basis->n_harmonics; l++) {
        int j = basis->harmonics[l];
        const double *c = x + basis->position[l];
        pair near = line_of(lines, h - j), far = line_of(lines, h + j);
        a += (near + far) * (pair){c[0], c[0]};
        b += (near - far) * (pair){c[1], c[1]};
    }
    out[0] += a[0] - b[1];
    out[1] += a[1] + b[0];
}

void multiplication_apply(const struct basis *basis, const double *cosine, const double *sine,
                          const double *x, double *out)
{
    const struct lines lines = {cosine, sine};
    int from = basis->harmonics[0] == 0 ? 1 : 0;
    for (int k = from; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        double *row = out + basis->position[k];
        if (from > 0) {
            row[0] += 2.0 * cosine[h] * x[0];
            row[1] += 2.0 * sine[h] * x[0];
        }
        apply_row(basis, lines, x, from, h, row);
    }
    if (from > 0) { /* harmonic 0 */
        double mean = cosine[0] * x[0];
        for (int l = 1; l < basis->n_harmonics; l++) {
            int j = basis->harmonics[l];
            const double *c = x + basis->position[l];
            mean += cosine[j] * c[0] + sine[j] * c[1];
        }
        out[0] += mean;
    }
}
