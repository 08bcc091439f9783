/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mode loses per cycle, and what the artificial damping gives back. */
#include <string.h>

#include "base/pi.h"
#include "harmonic/modal_balance_parts.h"

double modal_balance_structure_loss(struct modal_balance *balance)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    double eta = balance->model->structure->loss_factor, loss = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double h = basis->harmonics[k];
        for (int side = 0; h > 0.0 && side < 2; side++) {
            const double *p =
                modal_balance_coefficient(balance->p, balance, basis->position[k] + side);
            double *force = balance->product;
            memset(force, 0, sizeof(double) * (size_t)n);
            modal_balance_multiply(n, balance->damping, p, PI * h * h * balance->omega, force);
            modal_balance_multiply(n, balance->stiffness, p, PI * h * eta, force);
            for (int i = 0; i < n; i++) {
                loss += force[i] * p[i];
            }
        }
    }
    return loss;
}

void modal_balance_joint_losses(const struct modal_balance *balance, double *losses)
{
    const struct basis *basis = balance->basis;
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        losses[j] = 0.0;
        for (int a = 0; a < response->n_axes; a++) {
            const double *x = response->x + a * balance->n_coefficients;
            const double *f = response->f + a * balance->n_coefficients;
            for (int k = 0; k < basis->n_harmonics; k++) {
                int c = basis->position[k];
                if (basis->harmonics[k] > 0) {
                    losses[j] += PI * basis->harmonics[k] * (f[c] * x[c + 1] - f[c + 1] * x[c]);
                }
            }
        }
    }
}

double modal_balance_energy_scale(const struct modal_balance *balance)
{
    const struct basis *basis = balance->basis;
    int n = balance->n_modes;
    double sum = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        double h = basis->harmonics[k];
        const double *p = balance->p + (size_t)basis->position[k] * (size_t)n;
        for (int i = 0; h > 0.0 && i < 2 * n; i++) {
            sum += h * h * p[i] * p[i];
        }
    }
    return 2.0 * PI * balance->omega * balance->omega * sum;
}
