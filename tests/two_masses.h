/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Closed forms for two masses of 1 kg in a row, ground -- k1 -- m1 -- k2 -- m2, whose modes
 * have given damping ratios.
 */
#ifndef MASING_TESTS_TWO_MASSES_H
#define MASING_TESTS_TWO_MASSES_H

#include <complex.h>
#include <math.h>

/* Natural frequencies (rad/s), the lower one first, and modes of unit length by rows. */
static inline void two_masses_modes(double k1, double k2, double omega[2], double shape[2][2])
{
    for (int i = 0; i < 2; i++) { /* of [k1 + k2, -k2; -k2, k2] */
        double square = 0.5 * k1 + k2 + (i == 0 ? -1.0 : 1.0) * hypot(0.5 * k1, k2);
        double length = hypot(k2, k1 + k2 - square);
        omega[i] = sqrt(square);
        shape[i][0] = k2 / length;
        shape[i][1] = (k1 + k2 - square) / length;
    }
}

/* The damping matrix, N s/m */
static inline void two_masses_damping(double k1, double k2, const double ratios[2],
                                      double damping[2][2])
{
    double omega[2], shape[2][2];
    two_masses_modes(k1, k2, omega, shape);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            damping[i][j] = 0.0;
            for (int k = 0; k < 2; k++) {
                damping[i][j] += 2.0 * ratios[k] * omega[k] * shape[k][i] * shape[k][j];
            }
        }
    }
}

/* Linear response [2] to a force on m2, with a spring `held` more between ground and m1. */
static inline void two_masses_respond(double k1, double k2, double held, double damping[2][2],
                                      double omega, double force, double complex x[2])
{
    double square = omega * omega;
    double complex a = k1 + k2 + held - square + I * omega * damping[0][0];
    double complex b = -k2 + I * omega * damping[0][1];
    double complex d = k2 - square + I * omega * damping[1][1];
    double complex determinant = a * d - b * b;
    x[0] = -b * force / determinant;
    x[1] = a * force / determinant;
}

#endif
