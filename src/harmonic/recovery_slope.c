/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a measure of an output changes along the curve: zero at a peak. */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "harmonic/recovery_parts.h"

/* Part of a unit of arc length by which joints are evaluated beside a corner, and the mismatch
 * of tangent and forces from which on that is tried. */
static const double SIDE_STEP = 1e-7, SIDE_TOLERANCE = 1e-2;

/* Change of all port forces along the tangent: recovery->along [n_harmonics][n_in][2]. */
static void forces_along(struct recovery *recovery, const double *dy, double d_omega)
{
    struct balance *balance = recovery->balance;
    const struct basis *basis = balance->basis;
    int n = balance->n_coefficients;
    for (int k = 0; k < basis->n_harmonics; k++) {
        for (int in = balance->n_axes; in < balance->n_in; in++) {
            size_t at = 2 * recovery_input(balance, k, in);
            recovery->along[at] = d_omega * balance->d_force[at];
            recovery->along[at + 1] = d_omega * balance->d_force[at + 1];
        }
    }
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        const struct joint *joint = response->joint;
        for (int a = 0; a < joint->n_axes; a++) {
            for (int c = 0; c < n; c++) {
                recovery->change[a * n + c] = dy[c * balance->n_axes + joint->first_axis + a];
            }
        }
        joint_response_apply(response, recovery->change, d_omega, recovery->d_force);
        for (int a = 0; a < joint->n_axes; a++) {
            for (int k = 0; k < basis->n_harmonics; k++) {
                const double *c = recovery->d_force + a * n + basis->position[k];
                size_t at = 2 * recovery_input(balance, k, joint->first_axis + a);
                bool is_kept = k < balance->n_kept;
                recovery->along[at] = is_kept ? -c[0] : 0.0;
                recovery->along[at + 1] = is_kept && basis->harmonics[k] > 0 ? c[1] : 0.0;
            }
        }
    }
}

/* Coefficients of an output and of its derivative along the tangent, in its quantity. */
static void output_along(struct recovery *recovery, const double *y, const double *dy,
                         double omega, double d_omega, int output, double *value, double *slope)
{
    const struct balance *balance = recovery->balance;
    const struct basis *basis = balance->basis;
    size_t n = (size_t)balance->n_coefficients;
    const double *pattern =
        recovery->patterns + (size_t)output * (size_t)balance->structure->n_dofs;
    enum masing_quantity quantity = balance->model->spec.outputs[output].quantity;
    memset(value, 0, sizeof(double) * n);
    memset(slope, 0, sizeof(double) * n);
    recovery_add_row(recovery, recovery->d_real, recovery->d_imaginary, balance->force, output,
                     slope);
    for (size_t c = 0; c < n; c++) {
        slope[c] *= d_omega;
    }
    recovery_add_row(recovery, recovery->real, recovery->imaginary, recovery->along, output,
                     slope);
    recovery_add_modes(recovery, dy, pattern, slope);
    recovery_add_row(recovery, recovery->real, recovery->imaginary, balance->force, output,
                     value);
    recovery_add_modes(recovery, y, pattern, value);
    recovery_to_quantity(basis, quantity, omega, value);
    recovery_to_quantity(basis, quantity, omega, slope);
    for (size_t c = 0; c < n; c++) { /* omega^p is a factor of the value, too */
        slope[c] += (double)(int)quantity * d_omega / omega * value[c];
    }
}

/* Derivative of the polynomial's value at a fixed angle: that of an extremum, too. */
static double slope_at(struct recovery *recovery, const double *slope, double angle)
{
    const struct basis *basis = recovery->balance->basis;
    double sum = 0.0;
    basis_functions(basis, angle, recovery->d_force);
    for (int c = 0; c < basis->n_coefficients; c++) {
        sum += recovery->d_force[c] * slope[c];
    }
    return sum;
}

static double measure_slope(struct recovery *recovery, const double *value, const double *slope,
                            enum masing_measure measure)
{
    const struct basis *basis = recovery->balance->basis;
    struct trigonometric_path *path = recovery->path;
    if (measure == MASING_MEASURE_H1) {
        int one = recovery_first_harmonic(basis);
        double size = one < 0 ? 0.0 : hypot(value[one], value[one + 1]);
        return size > 0.0 ? (value[one] * slope[one] + value[one + 1] * slope[one + 1]) / size
                          : 0.0;
    }
    trigonometric_path_set(path, value, 0.0);
    double high = path->smooth.constant, low = high, high_angle = 0.0, low_angle = 0.0;
    for (int i = 0; i < path->n_extrema; i++) {
        if (path->extrema[i].x > high) {
            high = path->extrema[i].x;
            high_angle = path->extrema[i].angle;
        }
        if (path->extrema[i].x < low) {
            low = path->extrema[i].x;
            low_angle = path->extrema[i].angle;
        }
    }
    if (measure == MASING_MEASURE_AMP) {
        return 0.5 *
               (slope_at(recovery, slope, high_angle) - slope_at(recovery, slope, low_angle));
    }
    return fabs(high) >= fabs(low) ? copysign(1.0, high) * slope_at(recovery, slope, high_angle)
                                   : copysign(1.0, low) * slope_at(recovery, slope, low_angle);
}

/* The uncondensed modes move a port beside the compliance: add their part to (re, im). */
static void add_mode_motion(const struct balance *balance, const double *dy, int k, int out,
                            double *re, double *im)
{
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        if (mode->harmonic_index == k) {
            double share = mode->participation[balance->n_in + out];
            *re += share * dy[mode->position];
            *im -= balance->basis->harmonics[k] > 0 ? share * dy[mode->position + 1] : 0.0;
        }
    }
}

/*
 * How well the change of the joint forces just evaluated goes with the tangent: the largest
 * violation of d W = d(H f) over the ports' rows, relative to d W. At a corner of the curve a
 * tangent belongs to one side, and the joints may have been evaluated on the other.
 */
static double mismatch(const struct recovery *recovery, const double *dy, double d_omega)
{
    const struct balance *balance = recovery->balance;
    double worst = 0.0, size = 0.0;
    for (int k = 0; k < balance->basis->n_harmonics; k++) {
        for (int out = 0; out < balance->n_axes; out++) {
            int row = balance->row[k * balance->n_out + out];
            double re = 0.0, im = 0.0, factor = balance->row_factor[k * balance->n_out + out];
            for (int in = 0; in < balance->n_in; in++) {
                size_t at = recovery_input(balance, k, in);
                size_t h = at * (size_t)balance->n_out + (size_t)out;
                const double *f = balance->force + 2 * at, *df = recovery->along + 2 * at;
                re += d_omega * (balance->d_real[h] * f[0] - balance->d_imaginary[h] * f[1]) +
                      balance->real[h] * df[0] - balance->imaginary[h] * df[1];
                im += d_omega * (balance->d_real[h] * f[1] + balance->d_imaginary[h] * f[0]) +
                      balance->real[h] * df[1] + balance->imaginary[h] * df[0];
            }
            bool is_pair = balance->basis->harmonics[k] > 0;
            add_mode_motion(balance, dy, k, out, &re, &im);
            double a = dy[row], b = is_pair ? dy[row + balance->n_axes] : 0.0;
            worst = fmax(worst, factor * hypot(a - re, is_pair ? b + im : 0.0));
            size = fmax(size, factor * hypot(a, b));
        }
    }
    return size > 0.0 ? worst / size : 0.0;
}

/* Change of the forces along the tangent, the joints evaluated at y + shift dy. */
static enum masing_status forces_beside(struct recovery *recovery, const double *y,
                                        double omega, const double *dy, double d_omega,
                                        double shift)
{
    struct balance *balance = recovery->balance;
    const double *at = y;
    if (shift != 0.0) {
        for (int i = 0; i < balance->n_unknowns; i++) {
            recovery->beside[i] = y[i] + shift * dy[i];
        }
        at = recovery->beside;
    }
    enum masing_status status = balance_settle(balance, at, omega, true);
    if (status == MASING_OK) {
        forces_along(recovery, dy, d_omega);
    }
    return status;
}

/* The same on the side to which the tangent belongs. */
static enum masing_status forces_on_side(struct recovery *recovery, const double *y,
                                         double omega, const double *dy, double d_omega)
{
    static const double shifts[] = {0.0, SIDE_STEP, -SIDE_STEP};
    enum masing_status status = MASING_OK;
    struct balance *balance = recovery->balance;
    double best = INFINITY, best_shift = 0.0;
    TRY(compliance_evaluate(balance->ports, omega, balance->real, balance->imaginary,
                            balance->d_real, balance->d_imaginary));
    for (int s = 0; s < 3 && best > SIDE_TOLERANCE; s++) {
        TRY(forces_beside(recovery, y, omega, dy, d_omega, shifts[s]));
        double wrong = mismatch(recovery, dy, d_omega);
        if (wrong < best) {
            best = wrong;
            best_shift = shifts[s];
        }
    }
    TRY(forces_beside(recovery, y, omega, dy, d_omega, best_shift));
done:
    return status;
}

enum masing_status recovery_slope(struct recovery *recovery, const double *y, double omega,
                                  const double *dy, double d_omega, int output,
                                  enum masing_measure measure, double *slope)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)recovery->balance->n_coefficients;
    TRY(forces_on_side(recovery, y, omega, dy, d_omega));
    TRY(compliance_evaluate(recovery->ports, omega, recovery->real, recovery->imaginary,
                            recovery->d_real, recovery->d_imaginary));
    double *value = recovery->point.slopes, *along = value + n;
    output_along(recovery, y, dy, omega, d_omega, output, value, along);
    *slope = measure_slope(recovery, value, along, measure);
done:
    return status;
}
