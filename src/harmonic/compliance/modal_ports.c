/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harmonic/compliance/modal_ports.h"

#include "base/check.h"
#include "linalg/dense.h"

/* The range of frequencies, widened by this part. */
static const double RANGE_MARGIN = 1.05;

static size_t count_entries(size_t n, const double *pattern)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += pattern[i] != 0;
    }
    return count;
}

/* modal [n_modes] = shapes^T pattern; most patterns touch a few DOFs only */
static void project(const struct structure *structure, const double *pattern, double *modal)
{
    size_t n = (size_t)structure->n_dofs, n_modes = (size_t)structure->n_modes;
    if (8 * count_entries(n, pattern) > n) {
        dense_multiply_transposed((int)n_modes, 1, (int)n, structure->shapes, pattern, modal);
        return;
    }
    for (size_t d = 0; d < n; d++) {
        for (size_t k = 0; pattern[d] != 0 && k < n_modes; k++) {
            modal[k] += pattern[d] * structure->shapes[d + k * n];
        }
    }
}

static void project_all(const struct structure *structure, int n_ports, const double *patterns,
                        double *modal)
{
    for (size_t p = 0; p < (size_t)n_ports; p++) {
        project(structure, patterns + p * (size_t)structure->n_dofs,
                modal + p * (size_t)structure->n_modes);
    }
}

static void exclude(const struct compliance_settings *settings, struct modal_ports *ports)
{
    size_t n_modes = (size_t)ports->structure->n_modes;
    for (int e = 0; e < settings->n_exclusions; e++) {
        struct compliance_exclusion exclusion = settings->exclusions[e];
        size_t row = (size_t)exclusion.harmonic_index * n_modes;
        ports->is_excluded[row + (size_t)exclusion.mode] = true;
    }
    for (size_t h = 0; h < (size_t)settings->n_harmonics; h++) {
        for (int k = 0; settings->harmonics[h] == 0 && k < ports->structure->n_rigid; k++) {
            ports->is_excluded[h * n_modes + (size_t)k] = true;
        }
    }
}

/* Static flexibility of massless DOFs */
static enum masing_status create_residual(const struct compliance_settings *settings,
                                          struct modal_ports *ports, struct arena *arena,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = ports->structure->n_dofs, n_in = settings->n_in, n_out = settings->n_out;
    size_t columns = (size_t)n_in;
    ports->reach = arena_doubles(arena, (size_t)n * columns);
    ports->residual = arena_doubles(arena, columns * (size_t)n_out);
    ports->residual_in = arena_doubles(arena, columns * columns);
    TRY_ALLOCATED(!arena->has_failed);
    dense_multiply(n, n_in, n, ports->structure->flexibility, settings->in, ports->reach);
    dense_multiply_transposed(n_out, n_in, n, settings->out, ports->reach, ports->residual);
    dense_multiply_transposed(n_in, n_in, n, settings->in, ports->reach, ports->residual_in);
done:
    return status;
}

enum masing_status modal_ports_create(struct modal_ports *ports,
                                      const struct structure *structure,
                                      const struct compliance_settings *settings,
                                      struct arena *arena, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)structure->n_modes, n_harmonics = (size_t)settings->n_harmonics;
    ports->structure = structure;
    ports->n_in = settings->n_in;
    ports->n_out = settings->n_out;
    ports->is_excluded = arena_array(arena, n_harmonics * n, sizeof(bool));
    ports->in = arena_doubles(arena, n * (size_t)settings->n_in);
    ports->out = arena_doubles(arena, n * (size_t)settings->n_out);
    ports->modal = arena_array(arena, n, sizeof(double complex));
    TRY_ALLOCATED(!arena->has_failed);
    exclude(settings, ports);
    project_all(structure, settings->n_in, settings->in, ports->in);
    project_all(structure, settings->n_out, settings->out, ports->out);
    TRY(structure->flexibility ? create_residual(settings, ports, arena, error) : MASING_OK);
done:
    return status;
}

double modal_ports_top(const struct compliance_settings *settings)
{
    return RANGE_MARGIN * settings->omega_max * settings->harmonics[settings->n_harmonics - 1];
}

void modal_ports_forces(const struct modal_ports *ports, const double complex *force,
                        double complex *modal)
{
    size_t n = (size_t)ports->structure->n_modes;
    for (size_t k = 0; k < n; k++) {
        modal[k] = 0;
        for (size_t i = 0; i < (size_t)ports->n_in; i++) {
            modal[k] += ports->in[k + i * n] * force[i];
        }
    }
}

void modal_ports_displace(const struct modal_ports *ports, double eta,
                          const double complex *force, const double complex *modal,
                          double *real, double *imaginary)
{
    const struct structure *structure = ports->structure;
    size_t n_dofs = (size_t)structure->n_dofs;
    for (size_t k = 0; k < (size_t)structure->n_modes; k++) {
        for (size_t d = 0; d < n_dofs; d++) {
            real[d] += structure->shapes[d + k * n_dofs] * creal(modal[k]);
            imaginary[d] += structure->shapes[d + k * n_dofs] * cimag(modal[k]);
        }
    }
    for (size_t i = 0; ports->reach && i < (size_t)ports->n_in; i++) {
        double complex load = force[i] / (1 + I * eta);
        for (size_t d = 0; d < n_dofs; d++) {
            real[d] += ports->reach[d + i * n_dofs] * creal(load);
            imaginary[d] += ports->reach[d + i * n_dofs] * cimag(load);
        }
    }
}
