/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Response of the linear structure at its ports, for a fixed list of harmonics:
 *   x_out(h) = H(i h Omega) f_in(h),   H = out^T (K + s C + s^2 M)^-1 in.
 *
 * Structural damping makes K (1 + i eta) at harmonics above 0; statically K stays real.
 * Complex numbers follow x(t) = Re(X e^(i h Omega t)), X = a - i b for a cos + b sin.
 *
 * Callers use the functions of this header alone. How the matrices of H come about is the
 * matter of a kind: a table of functions. Two exist for a structure, both from its modes: with
 * damping that is diagonal in them, and with damping that couples them. Without matrices there
 * is one way for both (modal.c), whose memory is linear in the number of ports. A third has one
 * of these for each nodal diameter of a sector (cyclic.c): there H is no longer symmetric. A
 * fourth has a stiffness that goes with the shaft's speed, which is Omega (spinning.c).
 */
#ifndef MASING_HARMONIC_COMPLIANCE_COMPLIANCE_H
#define MASING_HARMONIC_COMPLIANCE_COMPLIANCE_H

#include <complex.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/thread_pool.h"
#include "model/model.h"

/* A mode that is left out at one harmonic, because it is an unknown of its own there
 * (rigid-body modes at harmonic 0; a hardly damped pole inside the range). Only where damping
 * is diagonal, or at harmonic 0. */
struct compliance_exclusion {
    int harmonic_index; /* into the list of harmonics */
    int mode;
};

/* What ports are at the DOFs, force patterns or weights of displacements: the entries of port p
 * are first[p] to first[p + 1] - 1. */
struct compliance_ports {
    size_t *first; /* [n_ports + 1] */
    int *dofs;
    double *weights;
};

struct compliance_settings {
    int n_in, n_out;
    struct compliance_ports in, out; /* lent, as long as the compliance lives */
    int n_harmonics;
    const int *harmonics; /* ascending, >= 0 */
    double omega_max;     /* largest Omega of interest, rad/s; well beyond it accuracy fades */
    int n_exclusions;
    const struct compliance_exclusion *exclusions; /* rigid modes at harmonic 0 are always
                                                      excluded and need not be listed */
    bool is_matrix_free;                           /* no memory for matrices */
    /* the model where it is one of many sectors, whose ports may contain DOFs of the following
     * one (cyclic.h), and the structure that of their mean; there is no way without matrices,
     * and exclusions are modes of the nodal diameter of their harmonic */
    const struct masing_model *cyclic;
    struct thread_pool *pool; /* lent, for products without matrices; may be NULL */
};

struct compliance;

struct compliance_view;

/* What a kind does. Arrays and units are those of the functions below. */
struct compliance_kind {
    size_t size; /* bytes of its objects, which begin with a struct compliance */
    /* The part of its own, in the arena; may set is_applied. Only with matrices. */
    enum masing_status (*create)(struct compliance *compliance,
                                 const struct compliance_settings *settings,
                                 struct masing_error *error);
    void (*destroy)(struct compliance *compliance); /* what is not in the arena; or NULL */
    /* Fill real and imaginary and, with_slopes, d_real and d_imaginary. */
    enum masing_status (*evaluate)(struct compliance *compliance, double omega,
                                   bool with_slopes);
    double (*loss)(struct compliance *compliance, double omega, const double *force);
    /* see compliance_push_modes; NULL: all harmonics are those of the structure */
    const struct structure *(*push_modes)(const struct compliance *compliance, int index,
                                          const double *force, double complex *q, int *copies);
    /* likewise, see compliance_view */
    struct compliance_view (*view)(const struct compliance *compliance, int index,
                                   const double *force);
};

struct compliance_modal;

/* Of one thread, which may have a pool: workspaces are inside. */
struct compliance {
    struct arena arena; /* of all arrays */
    const struct compliance_kind *kind;
    const struct structure *structure; /* lent */
    int n_in, n_out, n_harmonics;
    int *harmonics;    /* [n_harmonics] */
    bool has_matrices; /* false: H is there as its products and single entries */
    bool is_applied;   /* compliance_apply does without matrices: that takes less time */
    /* H at `omega` after compliance_evaluate, and its derivative by Omega:
     * [n_harmonics][n_in][n_out], n_out fastest */
    double *real, *imaginary, *d_real, *d_imaginary;
    double omega;
    bool is_evaluated, has_slopes;
    /* of the kinds: ports in the modal coordinates, and what they have of massless DOFs */
    bool *is_excluded; /* [n_harmonics][n_modes], rigid-body modes at harmonic 0 too */
    double *in, *out;  /* [n_modes * n_in], [n_modes * n_out] */
    struct compliance_ports in_ports, out_ports; /* lent */
    struct compliance_modal *modal;              /* to do without matrices, or NULL */
    /* with matrices: */
    double *residual;    /* [n_in][n_out] flexibility of massless DOFs between them, or NULL */
    double *residual_in; /* [n_in][n_in] likewise, or NULL */
};

/* Entries that a pattern [n] needs. */
size_t compliance_ports_count(size_t n, const double *pattern);

/* Room for so many ports with so many entries, in the arena; there are none yet. */
enum masing_status compliance_ports_create(int n_ports, size_t n_entries, struct arena *arena,
                                           struct compliance_ports *ports,
                                           struct masing_error *error);
/* Port `port`, behind those that there are: what is not zero of a pattern [n], a weighted sum
 * of DOFs, or a port of others. */
void compliance_ports_add(struct compliance_ports *ports, int port, size_t n,
                          const double *pattern);
void compliance_ports_add_sum(struct compliance_ports *ports, int port,
                              const struct masing_combination *sum);
void compliance_ports_copy(struct compliance_ports *ports, int port,
                           const struct compliance_ports *from, int which);

/* Sum of a port's weights times values [n_dofs]. */
static inline double compliance_ports_value(const struct compliance_ports *ports, int port,
                                            const double *values)
{
    double sum = 0.0;
    for (size_t e = ports->first[port]; e < ports->first[port + 1]; e++) {
        sum += ports->weights[e] * values[ports->dofs[e]];
    }
    return sum;
}

enum masing_status compliance_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     struct compliance **compliance,
                                     struct masing_error *error);
void compliance_destroy(struct compliance *compliance);

/*
 * H at all harmonics, as matrices; no work where this was done last. No allocation.
 * MASING_SINGULAR where a frequency hits an undamped pole exactly; MASING_INTERNAL without
 * has_matrices.
 */
enum masing_status compliance_evaluate(struct compliance *compliance, double omega,
                                       bool with_slopes);

/*
 * motion [n_harmonics][n_out][2] (real, imaginary) = H force under port forces
 * [n_harmonics][n_in][2]. No allocation. compliance_apply takes the shorter way, for one vector
 * at one frequency; compliance_multiply takes the matrices where there are any, which
 * compliance_differentiate takes as well: both agree to the last bit.
 */
enum masing_status compliance_apply(struct compliance *compliance, double omega,
                                    const double *force, double *motion);
enum masing_status compliance_multiply(struct compliance *compliance, double omega,
                                       const double *force, double *motion);

/* motion = H force, unless it is NULL, and its change d_motion = d_omega H' force + H d_force,
 * by matrices where there are any. */
enum masing_status compliance_differentiate(struct compliance *compliance, double omega,
                                            double d_omega, const double *force,
                                            const double *d_force, double *motion,
                                            double *d_motion);

/* motion = most of H force, where compliance_has_near: terms of the structure's series that are
 * less than a thousandth of the first one at their harmonic are left out, which saves most of
 * the time. Without matrices. */
bool compliance_has_near(const struct compliance *compliance);
enum masing_status compliance_multiply_near(struct compliance *compliance, double omega,
                                            const double *force, double *motion);

/* One entry at one harmonic. */
enum masing_status compliance_entry(struct compliance *compliance, double omega, int index,
                                    int in, int out, double value[2]);

/*
 * Energy per cycle lost in the structure's damping, J, summed over the harmonics, when port
 * forces act, [n_harmonics][n_in][2]: -pi h f^H Im(in^T Z^-1 in) f, whose real part takes no
 * part, so that what is lost is not a difference of what is exchanged. Excluded modes do not
 * take part either. NAN on an undamped pole.
 */
double compliance_loss(struct compliance *compliance, double omega, const double *force);

/*
 * The structure in which a harmonic of the list moves, and q [its modes, unless it is NULL]:
 * forces on them when port forces act, [n_in][2]. *copies: how many times it holds what the
 * ports belong to, and the energies with it.
 */
const struct structure *compliance_push_modes(const struct compliance *compliance, int index,
                                              const double *force, double complex *q,
                                              int *copies);

/* One structure's compliance in which a harmonic moves, and the forces on its ports. */
struct compliance_view {
    const struct compliance *compliance;
    int index;           /* of the harmonic there */
    const double *force; /* [n_in][2] of that compliance, until the next view */
    const struct condensed_structure *condensed; /* what the structure was, or NULL */
};
/* When port forces act, [n_in][2]. The sines of a nodal diameter are behind the cosines. */
struct compliance_view compliance_view(const struct compliance *compliance, int index,
                                       const double *force);

/* ---- of the kinds ---- */

extern const struct compliance_kind compliance_diagonal; /* damping diagonal in the modes */
extern const struct compliance_kind compliance_coupled;  /* damping couples the modes */
extern const struct compliance_kind compliance_cyclic;   /* one of many sectors */
extern const struct compliance_kind compliance_spinning; /* stiffness goes with the speed */

/* entries [n_in][n_out] of a symmetric matrix [n_dofs * n_dofs] between ports; reach [n_dofs]
 * is scratch. */
void compliance_between(int n_dofs, const double *matrix, const struct compliance_ports *in,
                        int n_in, const struct compliance_ports *out, int n_out, double *reach,
                        double *entries);

/* Without matrices; d_force is NULL where no change is asked for. */
enum masing_status compliance_modal_create(struct compliance *compliance,
                                           const struct compliance_settings *settings,
                                           struct masing_error *error);
enum masing_status compliance_modal_apply(struct compliance *compliance, double omega,
                                          double d_omega, const double *force,
                                          const double *d_force, double *motion,
                                          double *d_motion);
bool compliance_modal_has_near(const struct compliance *compliance);
enum masing_status compliance_modal_apply_near(struct compliance *compliance, double omega,
                                               const double *force, double *motion);
enum masing_status compliance_modal_entry(struct compliance *compliance, double omega,
                                          int index, int in, int out, double value[2]);
double compliance_modal_loss(struct compliance *compliance, double omega, const double *force);

/* d = 1 / (omega^2 (1 + i eta) - q^2 + i c q) of a mode alone, its damping coupling it to none,
 * at harmonic h, an index of the list, q = h Omega; 0 where the mode is excluded. Statically
 * the stiffness is real. False on an undamped pole. */
static inline bool compliance_mode(const struct compliance *compliance, int index, double q,
                                   size_t mode, double d[2])
{
    const struct structure *structure = compliance->structure;
    double omega = structure->omega[mode];
    double eta = compliance->harmonics[index] > 0 ? structure->loss_factor : 0;
    double re = (omega - q) * (omega + q) + structure_rest(structure, mode);
    double im = q * structure->modal_damping[mode] + eta * omega * omega;
    double square = re * re + im * im;
    bool is_out = compliance->is_excluded[(size_t)index * (size_t)structure->n_modes + mode];
    d[0] = is_out ? 0 : re / square;
    d[1] = is_out ? 0 : -im / square;
    return is_out || square != 0;
}

/*
 * (w / scale)^t / k of modes that are not there, with their damping alpha M + beta K and
 * structural one, at harmonic h, q = h Omega: k = 1 + i (eta + beta q),
 * w = (q^2 - i alpha q) / k; statically the stiffness is real. With one modal ratio
 * what far_ratio.h says. Real and imaginary parts, and their derivatives by Omega, of the
 * structure's terms each.
 */
void compliance_far_terms(const struct structure *structure, int h, double q, double *re,
                          double *im, double *d_re, double *d_im);
/* The same polynomial by the powers about the shift, of which solves with K + shift M give the
 * moments. */
void compliance_far_moments(const struct structure *structure, int h, double q, double *re,
                            double *im, double *d_re, double *d_im);

/* Series of far modes in powers of s: room for terms, how many in a row have to be negligible
 * at the end, and what is negligible beside the first term: below the last bit of a sum. */
enum { COMPLIANCE_SERIES_ROOM = 64, COMPLIANCE_SERIES_TAIL = 4 };
#define COMPLIANCE_NEGLIGIBLE 1e-17

/* i^j is this times 1 or i. */
static inline double compliance_sign_of_power(int j)
{
    return j / 2 % 2 ? -1 : 1;
}

/* Highest frequency that the response is needed at, rad/s: highest harmonic times omega_max and
 * a margin, since searches step a little beyond the range. Series in s converge up to there. */
double compliance_top(const struct compliance_settings *settings);

/* f^H A f of port forces [n][2] at one harmonic, A [n][n] real and symmetric. */
double compliance_form(size_t n, const double *matrix, const double *force);

#endif
