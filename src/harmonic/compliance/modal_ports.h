/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ports of a compliance in the modal coordinates of the structure. */
#ifndef MASING_HARMONIC_COMPLIANCE_MODAL_PORTS_H
#define MASING_HARMONIC_COMPLIANCE_MODAL_PORTS_H

#include <complex.h>
#include <stdbool.h>

#include "harmonic/compliance/compliance.h"

struct modal_ports {
    const struct structure *structure; /* lent */
    int n_in, n_out;
    bool *is_excluded;     /* [n_harmonics][n_modes], rigid-body modes at harmonic 0 too */
    double *in, *out;      /* [n_modes * n_in], [n_modes * n_out] */
    double *reach;         /* [n_dofs * n_in] flexibility of massless DOFs times in, or NULL */
    double *residual;      /* [n_in][n_out] the same between the ports, or NULL */
    double *residual_in;   /* [n_in][n_in] likewise, or NULL */
    double complex *modal; /* [n_modes] scratch of a recovery */
};

enum masing_status modal_ports_create(struct modal_ports *ports,
                                      const struct structure *structure,
                                      const struct compliance_settings *settings,
                                      struct arena *arena, struct masing_error *error);

/* d = 1 / (omega^2 (1 + i eta) - q^2 + i c q) of a mode alone, its damping coupling it to none,
 * at harmonic h, an index of the list, q = h Omega; 0 where the mode is excluded. Statically
 * the stiffness is real. False on an undamped pole. */
static inline bool modal_ports_mode(const struct modal_ports *ports, int index, int h, double q,
                                    size_t mode, double d[2])
{
    const struct structure *structure = ports->structure;
    double omega = structure->omega[mode];
    double re = (omega - q) * (omega + q);
    double im = q * structure->modal_damping[mode] +
                (h > 0 ? structure->loss_factor : 0) * omega * omega;
    double square = re * re + im * im;
    bool is_out = ports->is_excluded[(size_t)index * (size_t)structure->n_modes + mode];
    d[0] = is_out ? 0 : re / square;
    d[1] = is_out ? 0 : -im / square;
    return is_out || square != 0;
}

/* Series of far modes in powers of s: room for terms, how many in a row have to be negligible
 * at the end, and what is negligible beside the first term: below the last bit of a sum. */
enum { MODAL_SERIES_ROOM = 64, MODAL_SERIES_TAIL = 4 };
#define MODAL_SERIES_NEGLIGIBLE 1e-17

/* i^j is this times 1 or i. */
static inline double modal_sign_of_power(int j)
{
    return j / 2 % 2 ? -1 : 1;
}

/* Highest frequency that the response is needed at, rad/s: highest harmonic times omega_max and
 * a margin, since searches step a little beyond the range. Series in s converge up to there. */
double modal_ports_top(const struct compliance_settings *settings);

/* modal [n_modes] = in^T force */
void modal_ports_forces(const struct modal_ports *ports, const double complex *force,
                        double complex *modal);

/* real, imaginary [n_dofs] += displacements of modal coordinates and, with the loss factor eta,
 * of massless DOFs under the forces */
void modal_ports_displace(const struct modal_ports *ports, double eta,
                          const double complex *force, const double complex *modal,
                          double *real, double *imaginary);

#endif
