/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/forcing.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"

void forcing_add_term(struct forcing *forcing, int harmonic)
{
    forcing->harmonics[forcing->n_terms++] = harmonic;
}

/* Add factor times a pattern over the DOFs to one row of modal forces and displacements. */
static void add_pattern(const struct masing_model *model, const struct ports *ports,
                        const double *pattern, double factor, double *scratch, double *row)
{
    int n_flexible = ports->flexibility ? ports->n_ports : 0;
    ports_modal_force(model, pattern, scratch);
    if (n_flexible > 0) {
        ports_flexible(model, ports, pattern, scratch + ports->n_modes);
    }
    for (int i = 0; i < ports->n_modes + n_flexible; i++) {
        row[i] += factor * scratch[i];
    }
}

/* re((a_r + i a_i) (p_r + i p_i) e^(i theta)): cosine part a_r p_r - a_i p_i, sine part
 * -(a_r p_i + a_i p_r). */
static void add_load(const struct masing_model *model, const struct ports *ports,
                     const struct load *load, double omega, double *scratch,
                     struct forcing *forcing)
{
    double a[2], derivative[2];
    load_amplitude(load, omega, a, derivative);
    size_t width = (size_t)(forcing->n_modes + forcing->n_ports);
    size_t term = 0;
    while (term < (size_t)forcing->n_terms && forcing->harmonics[term] != load->harmonic) {
        term++;
    }
    if (term == (size_t)forcing->n_terms) {
        forcing_add_term(forcing, load->harmonic);
    }
    double *cosine = forcing->cosine + term * width, *sine = forcing->sine + term * width;
    add_pattern(model, ports, load->real, a[0], scratch, cosine);
    add_pattern(model, ports, load->real, -a[1], scratch, sine);
    if (load->imaginary) {
        add_pattern(model, ports, load->imaginary, -a[1], scratch, cosine);
        add_pattern(model, ports, load->imaginary, -a[0], scratch, sine);
    }
}

enum masing_status forcing_create(const struct masing_model *model, const struct ports *ports,
                                  int n_loads, double omega, int n_steps, struct arena *arena,
                                  struct forcing **created, struct masing_error *error)
{
    size_t room = n_loads > 0 ? (size_t)n_loads : 1;
    double *scratch = arena_doubles(arena, (size_t)(ports->n_modes + ports->n_ports));
    struct forcing *forcing = arena_array(arena, 1, sizeof *forcing);
    NEED_ALLOCATED(forcing);
    forcing->n_modes = ports->n_modes;
    forcing->n_ports = ports->flexibility ? ports->n_ports : 0;
    forcing->n_steps = n_steps;
    size_t width = (size_t)(forcing->n_modes + forcing->n_ports);
    forcing->cosines = arena_doubles(arena, (size_t)n_steps);
    forcing->sines = arena_doubles(arena, (size_t)n_steps);
    forcing->harmonics = arena_array(arena, room, sizeof(int));
    forcing->constant = arena_doubles(arena, width);
    forcing->cosine = arena_doubles(arena, room * width);
    forcing->sine = arena_doubles(arena, room * width);
    NEED_ALLOCATED(!arena->has_failed);
    for (int j = 0; j < n_steps; j++) {
        forcing->cosines[j] = cos(TWO_PI * j / n_steps);
        forcing->sines[j] = sin(TWO_PI * j / n_steps);
    }
    if (model->static_force) {
        add_pattern(model, ports, model->static_force, 1.0, scratch, forcing->constant);
    }
    for (int i = 0; i < n_loads; i++) {
        add_load(model, ports, &model->loads[i], omega, scratch, forcing);
    }
    *created = forcing;
    return MASING_OK;
}

/* Add a term to the force, or, the first, to the constant one. */
static inline void add_term(const struct forcing *forcing, int term, double c, double s,
                            bool is_first, double *restrict force)
{
    int width = forcing->n_modes + forcing->n_ports;
    const double *restrict constant = forcing->constant;
    const double *restrict cosine = forcing->cosine + (size_t)term * (size_t)width;
    const double *restrict sine = forcing->sine + (size_t)term * (size_t)width;
    for (int i = 0; i < width; i++) {
        force[i] = (is_first ? constant[i] : force[i]) + (c * cosine[i] + s * sine[i]);
    }
}

static void set_constant(const struct forcing *forcing, double *force)
{
    memcpy(force, forcing->constant,
           (size_t)(forcing->n_modes + forcing->n_ports) * sizeof(double));
}

void forcing_evaluate(const struct forcing *forcing, int step, double *force)
{
    for (int term = 0; term < forcing->n_terms; term++) {
        long long turns = (long long)forcing->harmonics[term] * step;
        long long j = turns < forcing->n_steps ? turns : turns % forcing->n_steps;
        add_term(forcing, term, forcing->cosines[j], forcing->sines[j], term == 0, force);
    }
    if (forcing->n_terms == 0) {
        set_constant(forcing, force);
    }
}

void forcing_at(const struct forcing *forcing, double phase, double *force)
{
    set_constant(forcing, force);
    for (int term = 0; term < forcing->n_terms; term++) {
        double angle = forcing->harmonics[term] * phase;
        add_term(forcing, term, cos(angle), sin(angle), false, force);
    }
}

/* cos and sin give -sin and cos, and so on. */
void forcing_derivative(const struct forcing *forcing, double omega, double phase, int order,
                        double *force)
{
    memset(force, 0, (size_t)(forcing->n_modes + forcing->n_ports) * sizeof(double));
    for (int term = 0; term < forcing->n_terms; term++) {
        double angle = forcing->harmonics[term] * phase, c = cos(angle), s = sin(angle);
        for (int i = 0; i < order; i++) {
            double factor = omega * forcing->harmonics[term], c_before = c;
            c = -factor * s;
            s = factor * c_before;
        }
        add_term(forcing, term, c, s, false, force);
    }
}
