/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance/compliance.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/symmetric.h"

/* The range of frequencies, widened by this part. */
static const double RANGE_MARGIN = 1.05;

static enum masing_status check_settings(const struct structure *structure,
                                         const struct compliance_settings *settings,
                                         struct masing_error *error)
{
    if (settings->n_harmonics < 1) {
        return masing_error_set(error, MASING_INTERNAL, "compliance without harmonics");
    }
    if ((settings->cyclic || structure->stiffening) && settings->is_matrix_free) {
        return masing_error_set(
            error, MASING_INTERNAL,
            "the compliance of a sector, and one that depends on the speed, "
            "has matrices");
    }
    for (int e = 0; e < settings->n_exclusions && !settings->cyclic; e++) {
        struct compliance_exclusion exclusion = settings->exclusions[e];
        if (exclusion.mode < 0 || exclusion.mode >= structure->n_modes ||
            exclusion.harmonic_index < 0 || exclusion.harmonic_index >= settings->n_harmonics) {
            return masing_error_set(error, MASING_INTERNAL, "no such mode to exclude");
        }
        if ((structure->damping_matrix || structure->stiffening) &&
            settings->harmonics[exclusion.harmonic_index] > 0) {
            return masing_error_set(error, MASING_INTERNAL,
                                    "a mode that is coupled to others cannot be excluded");
        }
    }
    return MASING_OK;
}

size_t compliance_ports_count(size_t n, const double *pattern)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += pattern[i] != 0;
    }
    return count;
}

enum masing_status compliance_ports_create(int n_ports, size_t n_entries, struct arena *arena,
                                           struct compliance_ports *ports,
                                           struct masing_error *error)
{
    ports->first = arena_array(arena, (size_t)n_ports + 1, sizeof *ports->first);
    ports->dofs = arena_array(arena, n_entries, sizeof *ports->dofs);
    ports->weights = arena_doubles(arena, n_entries);
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

static void add_entry(struct compliance_ports *ports, int port, int dof, double weight)
{
    size_t at = ports->first[port + 1]++;
    ports->dofs[at] = dof;
    ports->weights[at] = weight;
}

void compliance_ports_add(struct compliance_ports *ports, int port, size_t n,
                          const double *pattern)
{
    ports->first[port + 1] = ports->first[port];
    for (size_t d = 0; d < n; d++) {
        if (pattern[d] != 0.0) {
            add_entry(ports, port, (int)d, pattern[d]);
        }
    }
}

void compliance_ports_add_sum(struct compliance_ports *ports, int port,
                              const struct masing_combination *sum)
{
    ports->first[port + 1] = ports->first[port];
    for (int t = 0; t < sum->n_terms; t++) {
        add_entry(ports, port, sum->terms[t].dof, sum->terms[t].weight);
    }
}

void compliance_ports_copy(struct compliance_ports *ports, int port,
                           const struct compliance_ports *from, int which)
{
    ports->first[port + 1] = ports->first[port];
    for (size_t e = from->first[which]; e < from->first[which + 1]; e++) {
        add_entry(ports, port, from->dofs[e], from->weights[e]);
    }
}

/* modal [n_modes * n_ports] = shapes^T patterns; most ports touch a few DOFs only */
static void project(const struct structure *structure, int n_ports,
                    const struct compliance_ports *ports, double *modal)
{
    size_t n = (size_t)structure->n_dofs, n_modes = (size_t)structure->n_modes;
    for (size_t p = 0; p < (size_t)n_ports; p++) {
        for (size_t k = 0; k < n_modes; k++) {
            modal[p * n_modes + k] =
                compliance_ports_value(ports, (int)p, structure->shapes + k * n);
        }
    }
}

static void exclude(const struct compliance_settings *settings, struct compliance *made)
{
    size_t n_modes = (size_t)made->structure->n_modes;
    for (int e = 0; e < settings->n_exclusions; e++) {
        struct compliance_exclusion exclusion = settings->exclusions[e];
        size_t row = (size_t)exclusion.harmonic_index * n_modes;
        made->is_excluded[row + (size_t)exclusion.mode] = true;
    }
    for (size_t h = 0; h < (size_t)settings->n_harmonics; h++) {
        for (int k = 0; settings->harmonics[h] == 0 && k < made->structure->n_rigid; k++) {
            made->is_excluded[h * n_modes + (size_t)k] = true;
        }
    }
}

void compliance_between(int n_dofs, const double *matrix, const struct compliance_ports *in,
                        int n_in, const struct compliance_ports *out, int n_out, double *reach,
                        double *entries)
{
    size_t n = (size_t)n_dofs;
    for (int i = 0; i < n_in; i++) {
        memset(reach, 0, sizeof *reach * n);
        for (size_t e = in->first[i]; e < in->first[i + 1]; e++) {
            symmetric_add_column(n, matrix, (size_t)in->dofs[e], in->weights[e], reach);
        }
        for (int o = 0; o < n_out; o++) {
            *entries++ = compliance_ports_value(out, o, reach);
        }
    }
}

/* Static flexibility of massless DOFs between the ports */
static enum masing_status create_residual(const struct compliance_settings *settings,
                                          struct compliance *made, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = made->structure->n_dofs, n_in = settings->n_in, n_out = settings->n_out;
    struct arena scratch = {0};
    double *reach = arena_doubles(&scratch, (size_t)n);
    made->residual = arena_doubles(&made->arena, (size_t)n_in * (size_t)n_out);
    made->residual_in = arena_doubles(&made->arena, (size_t)n_in * (size_t)n_in);
    TRY_ALLOCATED(reach && !made->arena.has_failed);
    compliance_between(n, made->structure->flexibility, &settings->in, n_in, &settings->out,
                       n_out, reach, made->residual);
    compliance_between(n, made->structure->flexibility, &settings->in, n_in, &settings->in,
                       n_in, reach, made->residual_in);
done:
    arena_clear(&scratch);
    return status;
}

static enum masing_status create_ports(const struct compliance_settings *settings,
                                       struct compliance *made, struct masing_error *error)
{
    const struct structure *structure = made->structure;
    size_t n = (size_t)structure->n_modes, n_harmonics = (size_t)settings->n_harmonics;
    made->is_excluded = arena_array(&made->arena, n_harmonics * n, sizeof(bool));
    made->in = arena_doubles(&made->arena, n * (size_t)settings->n_in);
    made->out = arena_doubles(&made->arena, n * (size_t)settings->n_out);
    NEED_ALLOCATED(!made->arena.has_failed);
    exclude(settings, made);
    made->in_ports = settings->in;
    made->out_ports = settings->out;
    project(structure, settings->n_in, &settings->in, made->in);
    project(structure, settings->n_out, &settings->out, made->out);
    return structure->flexibility && made->has_matrices ? create_residual(settings, made, error)
                                                        : MASING_OK;
}

enum masing_status compliance_create(const struct structure *structure,
                                     const struct compliance_settings *settings,
                                     struct compliance **compliance, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct compliance_kind *kind = settings->cyclic            ? &compliance_cyclic
                                         : structure->stiffening     ? &compliance_spinning
                                         : structure->damping_matrix ? &compliance_coupled
                                                                     : &compliance_diagonal;
    struct compliance *made = NULL;
    *compliance = NULL;
    TRY(check_settings(structure, settings, error));
    made = memory_array(1, kind->size);
    TRY_ALLOCATED(made);
    made->kind = kind;
    made->structure = structure;
    made->n_in = settings->n_in;
    made->n_out = settings->n_out;
    made->n_harmonics = settings->n_harmonics;
    made->harmonics =
        arena_array(&made->arena, (size_t)settings->n_harmonics, sizeof *made->harmonics);
    TRY_ALLOCATED(made->harmonics);
    memcpy(made->harmonics, settings->harmonics,
           (size_t)settings->n_harmonics * sizeof *made->harmonics);
    made->has_matrices = !settings->is_matrix_free;
    made->is_applied = settings->is_matrix_free;
    TRY(settings->cyclic ? MASING_OK : create_ports(settings, made, error));
    TRY(made->has_matrices ? kind->create(made, settings, error)
                           : compliance_modal_create(made, settings, error));
    size_t n_matrices = (size_t)(made->n_harmonics * made->n_in) * (size_t)made->n_out;
    double **matrices[] = {&made->real, &made->imaginary, &made->d_real, &made->d_imaginary};
    for (size_t m = 0; made->has_matrices && m < 4; m++) {
        *matrices[m] = arena_doubles(&made->arena, n_matrices);
    }
    TRY_ALLOCATED(!made->arena.has_failed);
    *compliance = made;
    made = NULL;
done:
    compliance_destroy(made);
    return status;
}

void compliance_destroy(struct compliance *compliance)
{
    if (compliance) {
        if (compliance->kind->destroy) {
            compliance->kind->destroy(compliance);
        }
        arena_clear(&compliance->arena);
        free(compliance);
    }
}

enum masing_status compliance_evaluate(struct compliance *compliance, double omega,
                                       bool with_slopes)
{
    if (!compliance->has_matrices) {
        return MASING_INTERNAL;
    }
    if (compliance->is_evaluated && compliance->omega == omega &&
        (compliance->has_slopes || !with_slopes)) {
        return MASING_OK;
    }
    enum masing_status status = compliance->kind->evaluate(compliance, omega, with_slopes);
    compliance->is_evaluated = status == MASING_OK;
    compliance->has_slopes = with_slopes;
    compliance->omega = omega;
    return status;
}

static size_t motion_size(const struct compliance *compliance)
{
    return 2 * (size_t)compliance->n_harmonics * (size_t)compliance->n_out;
}

/* motion [n_out] += (real + i imaginary) (f + i g), interleaved */
static inline void add_column(size_t n_out, const double *restrict real,
                              const double *restrict imaginary, double f, double g,
                              double *restrict motion)
{
    for (size_t out = 0; (f != 0.0 || g != 0.0) && out < n_out; out++) {
        motion[2 * out] += real[out] * f - imaginary[out] * g;
        motion[2 * out + 1] += real[out] * g + imaginary[out] * f;
    }
}

/* motion += H force. */
static inline void add_columns(const struct compliance *compliance, size_t n_out,
                               const double *force, double *motion)
{
    size_t n_in = (size_t)compliance->n_in;
    const double *real = compliance->real, *imaginary = compliance->imaginary;
    for (int k = 0; k < compliance->n_harmonics; k++, motion += 2 * n_out) {
        for (size_t in = 0; in < n_in; in++, force += 2, real += n_out, imaginary += n_out) {
            add_column(n_out, real, imaginary, force[0], force[1], motion);
        }
    }
}

/* The same, with few ports known to the compiler; where most forces are zero, as those of a
 * load in harmonics that it does not have. */
static void add_product(const struct compliance *compliance, const double *force,
                        double *motion)
{
    switch (compliance->n_out) {
    case 1:
        add_columns(compliance, 1, force, motion);
        break;
    case 2:
        add_columns(compliance, 2, force, motion);
        break;
    case 3:
        add_columns(compliance, 3, force, motion);
        break;
    default:
        add_columns(compliance, (size_t)compliance->n_out, force, motion);
    }
}

enum masing_status compliance_multiply(struct compliance *compliance, double omega,
                                       const double *force, double *motion)
{
    if (!compliance->has_matrices) {
        return compliance_modal_apply(compliance, omega, 0.0, force, NULL, motion, NULL);
    }
    enum masing_status status = compliance_evaluate(compliance, omega, false);
    if (status == MASING_OK) {
        memset(motion, 0, sizeof *motion * motion_size(compliance));
        add_product(compliance, force, motion);
    }
    return status;
}

enum masing_status compliance_apply(struct compliance *compliance, double omega,
                                    const double *force, double *motion)
{
    return compliance->is_applied
               ? compliance_modal_apply(compliance, omega, 0.0, force, NULL, motion, NULL)
               : compliance_multiply(compliance, omega, force, motion);
}

bool compliance_has_near(const struct compliance *compliance)
{
    return !compliance->has_matrices && compliance_modal_has_near(compliance);
}

enum masing_status compliance_multiply_near(struct compliance *compliance, double omega,
                                            const double *force, double *motion)
{
    return compliance_modal_apply_near(compliance, omega, force, motion);
}

struct change {
    double d_omega;
    const double *force, *d_force;
    double *motion, *d_motion; /* motion may be NULL */
};

/* Of one input: motion += H force, d_motion += H d_force + d_omega H' force. */
static inline void add_change(const struct compliance *compliance, size_t n_out, size_t column,
                              size_t row, const struct change *change)
{
    const double *restrict real = compliance->real + column * n_out;
    const double *restrict imaginary = compliance->imaginary + column * n_out;
    const double *restrict d_real = compliance->d_real + column * n_out;
    const double *restrict d_imaginary = compliance->d_imaginary + column * n_out;
    const double f = change->force[2 * column], g = change->force[2 * column + 1];
    const double df = change->d_force[2 * column], dg = change->d_force[2 * column + 1];
    const double fw = change->d_omega * f, gw = change->d_omega * g;
    double *restrict d = change->d_motion + 2 * row * n_out;
    if (f == 0.0 && g == 0.0 && df == 0.0 && dg == 0.0) {
        return;
    }
    for (size_t out = 0; out < n_out; out++) {
        d[2 * out] +=
            real[out] * df - imaginary[out] * dg + d_real[out] * fw - d_imaginary[out] * gw;
        d[2 * out + 1] +=
            real[out] * dg + imaginary[out] * df + d_real[out] * gw + d_imaginary[out] * fw;
    }
    if (change->motion) {
        add_column(n_out, real, imaginary, f, g, change->motion + 2 * row * n_out);
    }
}

static inline void add_changes(const struct compliance *compliance, size_t n_out,
                               const struct change *change)
{
    size_t n_in = (size_t)compliance->n_in, column = 0;
    for (size_t k = 0; k < (size_t)compliance->n_harmonics; k++) {
        for (size_t in = 0; in < n_in; in++) {
            add_change(compliance, n_out, column++, k, change);
        }
    }
}

enum masing_status compliance_differentiate(struct compliance *compliance, double omega,
                                            double d_omega, const double *force,
                                            const double *d_force, double *motion,
                                            double *d_motion)
{
    const struct change change = {d_omega, force, d_force, motion, d_motion};
    size_t size = motion_size(compliance);
    if (!compliance->has_matrices) {
        return compliance_modal_apply(compliance, omega, d_omega, force, d_force, motion,
                                      d_motion);
    }
    NEED(compliance_evaluate(compliance, omega, true));
    memset(d_motion, 0, sizeof *d_motion * size);
    if (motion) {
        memset(motion, 0, sizeof *motion * size);
    }
    switch (compliance->n_out) { /* few ports are known to the compiler */
    case 1:
        add_changes(compliance, 1, &change);
        break;
    case 2:
        add_changes(compliance, 2, &change);
        break;
    case 3:
        add_changes(compliance, 3, &change);
        break;
    default:
        add_changes(compliance, (size_t)compliance->n_out, &change);
    }
    return MASING_OK;
}

enum masing_status compliance_entry(struct compliance *compliance, double omega, int index,
                                    int in, int out, double value[2])
{
    if (!compliance->has_matrices) {
        return compliance_modal_entry(compliance, omega, index, in, out, value);
    }
    enum masing_status status = compliance_evaluate(compliance, omega, false);
    size_t row = (size_t)index * (size_t)compliance->n_in + (size_t)in;
    size_t at = row * (size_t)compliance->n_out + (size_t)out;
    value[0] = compliance->real[at];
    value[1] = compliance->imaginary[at];
    return status;
}

double compliance_loss(struct compliance *compliance, double omega, const double *force)
{
    return compliance->has_matrices ? compliance->kind->loss(compliance, omega, force)
                                    : compliance_modal_loss(compliance, omega, force);
}

const struct structure *compliance_push_modes(const struct compliance *compliance, int index,
                                              const double *force, double complex *q,
                                              int *copies)
{
    if (compliance->kind->push_modes) {
        return compliance->kind->push_modes(compliance, index, force, q, copies);
    }
    const struct structure *structure = compliance->structure;
    size_t n = (size_t)structure->n_modes, n_in = (size_t)compliance->n_in;
    *copies = 1;
    for (size_t m = 0; q && m < n; m++) {
        q[m] = 0.0;
        for (size_t in = 0; in < n_in; in++) {
            q[m] += compliance->in[in * n + m] * (force[2 * in] + I * force[2 * in + 1]);
        }
    }
    return structure;
}

struct compliance_view compliance_view(const struct compliance *compliance, int index,
                                       const double *force)
{
    return compliance->kind->view ? compliance->kind->view(compliance, index, force)
                                  : (struct compliance_view){compliance, index, force, NULL};
}

double compliance_top(const struct compliance_settings *settings)
{
    int highest = settings->harmonics[settings->n_harmonics - 1];
    return RANGE_MARGIN * settings->omega_max * (highest > 0 ? highest : 1);
}

double compliance_form(size_t n, const double *matrix, const double *force)
{
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        const double *row = matrix + i * n, *f = force + 2 * i;
        for (size_t k = 0; k < n; k++) {
            total += row[k] * (f[0] * force[2 * k] + f[1] * force[2 * k + 1]);
        }
    }
    return total;
}
