/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Poles of an undamped structure that joints cannot hold. Near the frequency of an undamped
 * mode its coordinate q obeys z q = p f, with z(omega) through zero: where the joints' force in
 * p f is bounded and smaller than the load, q grows beyond all limits on both sides.
 */
#include "harmonic/balance/balance_pole.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "harmonic/balance/balance_joints.h"
#include "harmonic/balance/balance_rows.h"

/* Relative distance from a pole at which there is no doubt any more, and least part of the load
 * that the mode's own stiffness then carries: on a bounded curve next to none. */
static const double NEAR = 1e-4, LEAST_SHARE = 0.05;
/* A motion so many times larger, at which joints must resist no more than this part of it. */
static const double FAR = 1e6, MOST_RESISTANCE = 0.999;

/* Whether the mode's motion at y is that of a pole close by, under the load. */
static bool is_on_flank(const struct balance *balance, const struct balance_mode *mode,
                        const double *y, double omega, const double load[2])
{
    double z[2], slope[2];
    balance_mode_stiffness(balance, mode, omega, z, slope);
    double carried = fabs(z[0]) * hypot(y[mode->position], y[mode->position + 1]);
    double size = hypot(load[0], load[1]);
    return z[1] == 0.0 && size > 0.0 && carried >= LEAST_SHARE * size;
}

/* Whether the joints fail to hold a motion that is far larger. */
static bool is_unheld(struct balance *balance, const struct balance_mode *mode, const double *y,
                      double omega, const double load[2])
{
    double resistance[2];
    for (int i = 0; i < balance->n_unknowns; i++) {
        balance->last_y[i] = FAR * y[i];
    }
    balance->has_last = false;
    if (balance_joints_evaluate(balance, BALANCE_LAWS, balance->last_y, omega, false) !=
        MASING_OK) {
        return false;
    }
    balance_modal_force(balance, mode, balance->force, 0, balance->n_axes, resistance);
    return hypot(resistance[0], resistance[1]) <= MOST_RESISTANCE * hypot(load[0], load[1]);
}

bool balance_find_pole(struct balance *balance, const double *y, double omega,
                       struct balance_pole *pole)
{
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int h = balance_harmonic(balance, mode->harmonic_index);
        double at = h > 0 ? balance->structure->omega[mode->mode] / h : 0.0, load[2];
        if (h == 0 || mode->is_idle || fabs(omega - at) > NEAR * at) {
            continue;
        }
        balance_load_forces(balance, omega, balance->force, balance->d_force);
        balance_modal_force(balance, mode, balance->force, balance->n_axes, balance->n_in,
                            load);
        if (is_on_flank(balance, mode, y, omega, load) &&
            is_unheld(balance, mode, y, omega, load)) {
            *pole = (struct balance_pole){at, atan2(load[1], load[0]) / h};
            return true;
        }
    }
    return false;
}

/* -x_h becomes -conj(x_h) e^(2 i h phase), x_h = a - i b. */
static void mirror_pair(int h, double phase, double *a, double *b)
{
    double c = cos(2.0 * h * phase), s = sin(2.0 * h * phase), real = *a, imaginary = -*b;
    *a = real * c + imaginary * s;
    *b = -(real * s - imaginary * c);
}

void balance_mirror(const struct balance *balance, const struct balance_pole *pole,
                    const double *y, double *mirrored)
{
    const struct basis *basis = balance->basis;
    for (int i = 0; i < balance->n_unknowns; i++) {
        mirrored[i] = -y[i];
    }
    for (int k = 0; k < basis->n_harmonics; k++) {
        for (int out = 0; out < balance->n_out && basis->harmonics[k] > 0; out++) {
            int row = balance->row[k * balance->n_out + out];
            if (row >= 0) {
                mirror_pair(basis->harmonics[k], pole->phase, mirrored + row,
                            mirrored + row + (out < balance->n_axes ? balance->n_axes : 1));
            }
        }
    }
    for (int e = 0; e < balance->n_modes; e++) {
        const struct balance_mode *mode = &balance->modes[e];
        int h = basis->harmonics[mode->harmonic_index];
        if (h > 0) {
            mirror_pair(h, pole->phase, mirrored + mode->position,
                        mirrored + mode->position + 1);
        }
    }
}
