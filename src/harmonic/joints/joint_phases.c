/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forces phase by phase: where a law has its stick and slip phases in closed form, the
 * Fourier integrals over each phase are closed forms too and there is no sampling error.
 *
 * With I_m = (1/2 pi) int e^(-i m theta) over a phase, the force f = tangent x + level has the
 * spectrum of (sum tangent I) times x plus sum level I. Phase boundaries do not contribute to
 * the derivative because the force is continuous there; a level that belongs to a turning point
 * does, by one dyad: d level = -tangent phi(theta_r) . dx.
 */
#include <math.h>
#include <string.h>

#include "base/pair.h"
#include "base/pi.h"
#include "harmonic/joints/joint_scratch.h"
#include "harmonic/basis/basis.h"

/*
 * integrals[m] = I_m = e^(-i m middle) sin(m length / 2) / (pi m), interleaved. The difference
 * of the powers at both ends would lose all digits of a short phase, and a stiff contact
 * multiplies what is left by a large stiffness. Over a whole period all but the mean vanish: a
 * joint that sticks throughout is a spring to the last bit, and couples no harmonics.
 */
static void integrate(double start, double end, int n, double *integrals)
{
    double length = end - start, middle = start + 0.5 * length;
    if (length == TWO_PI) {
        memset(integrals, 0, sizeof *integrals * 2 * (size_t)n);
        integrals[0] = 1.0;
        return;
    }
    const pair c1 = {cos(middle), cos(0.5 * length)}, s1 = {-sin(middle), sin(0.5 * length)};
    pair c = c1, s = s1;
    integrals[0] = length / TWO_PI;
    integrals[1] = 0.0;
    for (int m = 1; m < n; m++) {
        double size = 2.0 * s[1] / (TWO_PI * m);
        integrals[2 * m] = size * c[0];
        integrals[2 * m + 1] = size * s[0];
        pair next = c * c1 - s * s1;
        s = s * c1 + c * s1;
        c = next;
    }
}

/* out += factor times the coefficients of the indicator with these integrals. */
static void add_indicator(const struct basis *basis, const double *integrals, double factor,
                          double *out)
{
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        double *c = out + basis->position[k];
        if (h == 0) {
            c[0] += factor * integrals[0];
        } else {
            c[0] += 2.0 * factor * integrals[2 * h];
            c[1] -= 2.0 * factor * integrals[2 * h + 1];
        }
    }
}

static void add_tangent(struct structured_derivative *derivative, const double *integrals,
                        double tangent, int n)
{
    for (int m = 0; m < n; m++) {
        derivative->cosine[m] += tangent * integrals[2 * m];
        derivative->sine[m] -= tangent * integrals[2 * m + 1];
    }
}

/* One dyad per phase whose level belongs to a turning point. */
static void add_dyad(struct joint_response *response, const double *integrals,
                     const struct masing_phase *phase)
{
    struct structured_derivative *derivative = &response->derivative;
    int n = response->basis->n_coefficients;
    size_t at = (size_t)derivative->n_dyads * (size_t)n;
    memset(derivative->left + at, 0, sizeof(double) * (size_t)n);
    add_indicator(response->basis, integrals, -phase->tangent, derivative->left + at);
    basis_functions(response->basis, response->path->extrema[phase->extremum].angle,
                    derivative->right + at);
    derivative->n_dyads++;
}

static void start_over(struct joint_response *response)
{
    struct structured_derivative *derivative = &response->derivative;
    size_t lines = (size_t)response->basis->n_spectrum;
    memset(derivative->cosine, 0, sizeof(double) * lines);
    memset(derivative->sine, 0, sizeof(double) * lines);
    derivative->n_dyads = 0;
    memset(response->f, 0, sizeof(double) * (size_t)response->basis->n_coefficients);
    /* only a law that saturates can slip */
    bool can_slip = response->joint->law->reach != NULL;
    response->slip_share = response->slip_distance = can_slip ? 0.0 : NAN;
}

/* How far a joint slides in a phase, between two turning points and so one way: from where the
 * force before, tangent x + level, has come to its limit. */
static double slid(const struct masing_smooth_path *path, const struct masing_phase *before,
                   const struct masing_phase *slip)
{
    bool is_known =
        before && before->end == slip->start && before->tangent != 0.0 && slip->tangent == 0.0;
    double start = is_known ? (slip->level - before->level) / before->tangent
                            : path->value(path->context, slip->start);
    return fabs(path->value(path->context, slip->end) - start);
}

enum masing_status joint_phases_evaluate(struct joint_response *response,
                                         struct joint_scratch *scratch)
{
    const struct joint *joint = response->joint;
    const struct basis *basis = response->basis;
    const struct masing_smooth_path *path = &response->path->smooth;
    int n = basis->n_spectrum;
    int n_phases =
        joint->law->phases(joint->parameters, NULL, path, scratch->phases, scratch->max_phases);
    if (n_phases < 1) {
        return MASING_NOT_FINITE;
    }
    start_over(response);
    double *integrals = scratch->integrals;
    for (int p = 0; p < n_phases; p++) {
        const struct masing_phase *phase = &scratch->phases[p];
        bool has_tangent = phase->tangent != 0.0;
        integrate(phase->start, phase->end, has_tangent ? n : basis->highest + 1, integrals);
        if (has_tangent) {
            add_tangent(&response->derivative, integrals, phase->tangent, n);
        }
        add_indicator(basis, integrals, phase->level, response->f);
        if (phase->extremum >= 0 && has_tangent) {
            add_dyad(response, integrals, phase);
        }
        if (phase->is_slip) {
            response->slip_share += integrals[0];
            response->slip_distance += slid(path, p > 0 ? phase - 1 : NULL, phase);
        }
    }
    multiplication_apply(basis, response->derivative.cosine, response->derivative.sine,
                         response->x, response->f);
    return MASING_OK;
}

/* The same integrals with the changes of tangents and levels; phases' ends do not contribute.
 */
enum masing_status joint_phases_parameter(struct joint_response *response,
                                          struct joint_scratch *scratch, const void *tangent,
                                          double *change)
{
    const struct joint *joint = response->joint;
    const struct basis *basis = response->basis;
    struct structured_derivative *spectrum = &scratch->spectrum;
    size_t lines = (size_t)basis->n_spectrum;
    int n_phases = joint->law->phases(joint->parameters, tangent, &response->path->smooth,
                                      scratch->phases, scratch->max_phases);
    if (n_phases < 1) {
        return MASING_NOT_FINITE;
    }
    memset(spectrum->cosine, 0, sizeof(double) * lines);
    memset(spectrum->sine, 0, sizeof(double) * lines);
    memset(change, 0, sizeof(double) * (size_t)basis->n_coefficients);
    for (int p = 0; p < n_phases; p++) {
        const struct masing_phase *phase = &scratch->phases[p];
        integrate(phase->start, phase->end, basis->n_spectrum, scratch->integrals);
        add_tangent(spectrum, scratch->integrals, phase->tangent_change, basis->n_spectrum);
        add_indicator(basis, scratch->integrals, phase->level_change, change);
    }
    multiplication_apply(basis, spectrum->cosine, spectrum->sine, response->x, change);
    return MASING_OK;
}
