/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads: amplitudes and phases over frequency, and their patterns over the DOFs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/message.h"
#include "model/model.h"
#include "model/seal.h"

/* --- amplitudes --------------------------------------------------------------------------- */

/*
 * Amplitude and phase between two rows, of the segment that holds (or lies next to) the
 * frequency, are linear in frequency, the phase going the shorter way round. slopes are by
 * Omega.
 */
static void interpolate(const struct load *load, double omega, double values[2],
                        double slopes[2])
{
    double frequency_hz = omega / TWO_PI;
    int low = 0, high = load->n_table - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (load->table[3 * middle] <= frequency_hz) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double *from = load->table + (size_t)3 * (size_t)low, *to = from + 3;
    double width = to[0] - from[0], part = (frequency_hz - from[0]) / width;
    double turn = remainder(to[2] - from[2], 360);
    values[0] = from[1] + part * (to[1] - from[1]);
    values[1] = (from[2] + part * turn) * PI / 180;
    slopes[0] = (to[1] - from[1]) / (width * 2 * PI);
    slopes[1] = turn * PI / 180 / (width * 2 * PI);
}

void load_amplitude(const struct load *load, double omega, double amplitude[2],
                    double derivative[2])
{
    double size = load->amplitude, phase = load->phase, d_size = 0, d_phase = 0;
    if (load->kind == MASING_LOAD_IMBALANCE) {
        d_size = 2 * omega * size;
        size *= omega * omega;
    } else if (load->kind == MASING_LOAD_TABLE) {
        double values[2], slopes[2];
        interpolate(load, omega, values, slopes);
        d_size = size * slopes[0];
        size *= values[0];
        phase += values[1];
        d_phase = slopes[1];
    }
    double c = cos(phase), s = sin(phase);
    amplitude[0] = size * c;
    amplitude[1] = size * s;
    derivative[0] = d_size * c - size * s * d_phase;
    derivative[1] = d_size * s + size * c * d_phase;
}

/* --- loads of a specification ------------------------------------------------------------- */

/* The load as what is checked; text: for its name. */
static struct subject load_subject(const struct masing_spec *spec, int index, char text[128],
                                   struct masing_error *error)
{
    const struct masing_load_spec *load = &spec->loads[index];
    if (load->name) {
        snprintf(text, 128, "load '%.100s'", load->name);
    } else {
        snprintf(text, 128, "load %d", index + 1);
    }
    return (struct subject){spec, model_part(load->place, "loads.%d", index), text, error};
}

/* Is it among the harmonics, which the text, "0, 1, 3", lists? */
static bool has_harmonic(const struct masing_spec *spec, int harmonic, char text[160])
{
    size_t used = 0, size = 160;
    bool is_there = false;
    for (int i = 0; i < spec->n_harmonics; i++) {
        is_there = is_there || spec->harmonics[i] == harmonic;
        used += used >= size - 24 ? 0
                                  : (size_t)snprintf(text + used, size - used, "%s%d",
                                                     i ? ", " : "", spec->harmonics[i]);
    }
    return is_there;
}

static enum masing_status check_pattern(const struct subject *subject, const double *real,
                                        const double *imaginary)
{
    bool is_zero = true;
    for (int i = 0; real && i < subject->spec->structure.n_dofs; i++) {
        double b = imaginary ? imaginary[i] : 0;
        if (!isfinite(real[i]) || !isfinite(b)) {
            return model_refuse_subject(subject, "",
                                        "not finite at DOF %s, expected finite numbers",
                                        model_dof_text(subject->spec, i).text);
        }
        is_zero = is_zero && real[i] == 0 && b == 0;
    }
    return is_zero
               ? model_refuse_subject(
                     subject, "", "acts on no DOF, expected at least one weight that is not 0")
               : MASING_OK;
}

/* Ends of the table this near to those of the range, relatively, are the same. */
static const double SAME_FREQUENCY = 1e-9;

static enum masing_status check_table(const struct subject *subject,
                                      const struct masing_load_spec *load)
{
    const struct masing_spec *spec = subject->spec;
    if (load->n_table < 2 || !load->table) {
        return model_refuse_subject(subject, "table",
                                    "the table has %d row%s, expected at least two",
                                    load->n_table, load->n_table == 1 ? "" : "s");
    }
    for (int i = 0; i < load->n_table; i++) {
        const double *row = load->table + (size_t)3 * (size_t)i;
        char key[24];
        snprintf(key, sizeof key, "table.%d", i);
        if (!isfinite(row[0]) || !isfinite(row[1]) || !isfinite(row[2])) {
            return model_refuse_subject(subject, key, "row %d of the table is not finite",
                                        i + 1);
        }
        if (row[0] < 0.0) {
            return model_refuse_subject(
                subject, key, "frequency %g Hz in the table, expected none below 0", row[0]);
        }
        if (i > 0 && row[0] <= row[-3]) {
            return model_refuse_subject(subject, key,
                                        "frequency %g Hz follows %g Hz in the table, expected "
                                        "ascending frequencies",
                                        row[0], row[-3]);
        }
    }
    double low = fmin(spec->omega_from, spec->omega_to) / TWO_PI;
    double high = fmax(spec->omega_from, spec->omega_to) / TWO_PI;
    double first = load->table[0], last = load->table[3 * (size_t)(load->n_table - 1)];
    bool is_swept = high > 0.0;
    bool is_covered =
        low >= first - SAME_FREQUENCY * low && high <= last + SAME_FREQUENCY * high;
    return !is_swept || is_covered
               ? MASING_OK
               : model_refuse_subject(subject, "table",
                                      "the table covers %.6g to %.6g Hz, expected the whole "
                                      "frequency range %.6g to %.6g Hz",
                                      first, last, low, high);
}

static enum masing_status check_load(const struct subject *subject,
                                     const struct masing_load_spec *load)
{
    char harmonics[160];
    struct model_part part = model_part_of(&subject->part, "harmonic");
    if (load->harmonic < 1) {
        return model_refuse_subject(subject, "harmonic",
                                    "harmonic %d, expected a number >= 1 (static loads stand "
                                    "under 'static_loads')",
                                    load->harmonic);
    }
    if (!has_harmonic(subject->spec, load->harmonic, harmonics)) {
        return model_refuse_part(subject->spec, &part, subject->error,
                                 "harmonic: %d is not among the harmonics of the model, %s",
                                 load->harmonic, harmonics);
    }
    if (!isfinite(load->amplitude) || !isfinite(load->phase)) {
        return model_refuse_subject(subject, "",
                                    "amplitude or phase is not finite, expected numbers");
    }
    NEED(check_pattern(subject, load->pattern, load->pattern_imaginary));
    if (load->kind == MASING_LOAD_TABLE) {
        NEED(check_table(subject, load));
    }
    return MASING_OK;
}

enum masing_status seal_check_load(const struct masing_spec *spec, int index,
                                   struct masing_error *error)
{
    char text[128];
    const struct subject subject = load_subject(spec, index, text, error);
    return check_load(&subject, &spec->loads[index]);
}

/* force = factor M direction; the message of an unknown mass gets the load's place */
static enum masing_status inertia(const struct subject *subject,
                                  const struct structure *structure, const double *direction,
                                  double factor, double *force)
{
    struct masing_error inner = {0};
    if (structure_inertia(structure, direction, force, &inner) != MASING_OK) {
        return model_refuse_subject(subject, "", "%s", inner.message);
    }
    for (int i = 0; i < structure->n_dofs; i++) {
        force[i] *= factor;
    }
    return MASING_OK;
}

static enum masing_status seal_load(struct masing_model *model, int index,
                                    struct masing_error *error)
{
    const struct masing_load_spec *given = &model->spec.loads[index];
    char text[128];
    const struct subject subject = load_subject(&model->spec, index, text, error);
    NEED(check_load(&subject, given));
    model->loads[index] = (struct load){.kind = given->kind,
                                        .harmonic = given->harmonic,
                                        .amplitude = given->amplitude * model->spec.load_factor,
                                        .phase = given->phase,
                                        .real = given->pattern,
                                        .imaginary = given->pattern_imaginary,
                                        .n_table = given->n_table,
                                        .table = given->table};
    if (given->kind == MASING_LOAD_BASE_ACCELERATION) {
        double *force = arena_doubles(&model->arena, (size_t)model->structure->n_dofs);
        NEED_ALLOCATED(force);
        model->loads[index].real = force;
        model->loads[index].imaginary = NULL;
        if (given->inertia) {
            for (int i = 0; i < model->structure->n_dofs; i++) {
                force[i] = -given->inertia[i];
            }
            return MASING_OK;
        }
        NEED(inertia(&subject, model->structure, given->pattern, -1, force));
    }
    return MASING_OK;
}

static enum masing_status add_static_load(struct masing_model *model, int index, double *force,
                                          struct masing_error *error)
{
    const struct masing_static_load_spec *given = &model->spec.static_loads[index];
    char what[32];
    const struct subject subject = {
        &model->spec, model_part(given->place, "static_loads.%d", index), what, error};
    snprintf(what, sizeof what, "static load %d", index + 1);
    NEED(check_pattern(&subject, given->pattern, NULL));
    if (!given->is_acceleration) {
        memcpy(force, given->pattern, (size_t)model->structure->n_dofs * sizeof *force);
    } else if (!isfinite(given->acceleration)) {
        return model_refuse_subject(&subject, "", "acceleration %g, expected a finite number",
                                    given->acceleration);
    } else {
        NEED(inertia(&subject, model->structure, given->pattern, given->acceleration, force));
    }
    for (int i = 0; i < model->structure->n_dofs; i++) {
        model->static_force[i] += force[i];
    }
    return MASING_OK;
}

enum masing_status seal_loads(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &model->spec;
    size_t n = (size_t)spec->n_loads, n_dofs = (size_t)model->structure->n_dofs;
    double *force = memory_array(n_dofs, sizeof *force);
    model->loads = arena_array(&model->arena, n, sizeof *model->loads);
    model->static_force = arena_doubles(&model->arena, n_dofs);
    TRY_ALLOCATED(force && !model->arena.has_failed);
    for (int i = 0; i < spec->n_loads; i++) {
        TRY(seal_load(model, i, error));
    }
    model->order = spec->is_of_shaft && n > 0 ? spec->loads[0].harmonic : 1;
    for (size_t i = 0; i < n && spec->is_of_shaft; i++) {
        int harmonic = spec->loads[i].harmonic;
        model->order = harmonic < model->order ? harmonic : model->order;
    }
    for (int i = 0; i < spec->n_static_loads; i++) {
        TRY(add_static_load(model, i, force, error));
    }
    char harmonics[160];
    if (spec->n_static_loads > 0 && !has_harmonic(spec, 0, harmonics)) {
        struct model_part part = model_part(spec->harmonics_place, "harmonics");
        TRY(model_refuse_part(spec, &part, error, "harmonics: 0 is loaded but the list has %s",
                              harmonics));
    }
done:
    free(force);
    return status;
}
