/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Natural frequencies as lines, with those of the engine orders: over the nodal diameters of a
 * disk at one speed of its shaft, or over the speed. In a disk of N sectors engine order k
 * excites nodal diameter n alone, where k is n or -n up to a multiple of N: at a speed its
 * frequency runs to and fro over the diameters as k rises.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/check/part.h"
#include "analyses/curve/row_table.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/pi.h"
#include "linalg/one_thread.h"
#include "masing/check.h"

enum { N_SPEEDS = 61 };
/* What is shown beyond the ends of the range. */
static const double MARGIN = 1.25;

struct line_row {
    const char *family; /* see masing/check.h */
    int line;
    const char *label;
    double x, hertz;
};

struct lines {
    const struct masing_model *model;
    struct row_sink table;
    struct line_row row; /* of the line at hand */
    double low, high;    /* rad/s, the range */
    double top;          /* Hz */
};

static void walk(struct row_table *table, const void *context)
{
    const struct line_row *row = context;
    ROW_TEXT(table, row->family, "family");
    ROW_INTEGER(table, row->line, "line");
    ROW_TEXT(table, row->label, "label");
    ROW_REAL(table, row->x, "x");
    ROW_REAL(table, row->hertz, "frequency_hz");
}

static void begin_line(struct lines *lines, const char *family, const char *label)
{
    lines->row =
        (struct line_row){.family = family, .line = lines->row.line + 1, .label = label};
}

static enum masing_status put(struct lines *lines, double x, double omega,
                              struct masing_error *error)
{
    lines->row.x = x;
    lines->row.hertz = omega / TWO_PI;
    return row_sink_write(&lines->table, &lines->row, error);
}

static enum masing_status frequencies(const struct check_part *part, enum joint_state state,
                                      double speed, double *omega, struct masing_error *error)
{
    const struct joint_spin spin = {.stiffness = speed * speed};
    return joint_frequencies_spinning(part->spec, part->structure, part->at, state, &spin,
                                      omega, error);
}

/* --- over nodal diameters ----------------------------------------------------------------- */

/* The shaft's speed at a frequency of the range; 0: no load says it. */
static double speed_of(const struct masing_model *model, double omega)
{
    const struct masing_spec *spec = &model->spec;
    for (int l = 0; l < spec->n_loads; l++) {
        int order = abs(spec->loads[l].engine_order);
        if (order != 0) {
            return spec->is_of_shaft ? omega : omega * spec->loads[l].harmonic / order;
        }
    }
    return 0.0;
}

/* Branches that begin below what is excited are seen whole, up to so many times that. */
static const double MOST_ABOVE = 3.0;

static void raise_top(struct lines *lines, int n_parts, const int *counts, const int *copies,
                      const double *omega, size_t most)
{
    double top = TWO_PI * lines->top, raised = top;
    for (int k = 0; k < counts[0]; k++) {
        double least = INFINITY, largest = 0.0;
        for (int i = 0; i < n_parts && k < counts[i]; i++) {
            double own = omega[most * (size_t)i + (size_t)k * (size_t)copies[i]];
            least = fmin(least, own);
            largest = fmax(largest, own);
        }
        raised = least < top ? fmax(raised, fmin(1.05 * largest, MOST_ABOVE * top)) : raised;
    }
    lines->top = raised / TWO_PI;
}

/* One line for each branch, over the diameters; is_drawn: else it is only made room for. */
static enum masing_status put_diameters(struct lines *lines, enum joint_state state,
                                        bool is_drawn, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = lines->model;
    int n_parts = check_part_count(model), n_rows = 0;
    struct check_part part = {.number = 0};
    size_t most = 2 * (size_t)model->structure->n_dofs;
    struct arena arena = {0};
    double *omega = arena_doubles(&arena, most * (size_t)n_parts);
    int *copies = arena_array(&arena, (size_t)n_parts, sizeof *copies);
    int *counts = arena_array(&arena, (size_t)n_parts, sizeof *counts);
    TRY_ALLOCATED(!arena.has_failed);
    for (int i = 0; i < n_parts; i++) {
        TRY(check_part_create(model, i, &part, error));
        TRY(frequencies(&part, state, 0.0, omega + most * (size_t)i, error));
        copies[i] = part.copies;
        counts[i] = part.n_rows;
        n_rows = part.n_rows > n_rows ? part.n_rows : n_rows;
        check_part_clear(&part);
    }
    if (!is_drawn) {
        raise_top(lines, n_parts, counts, copies, omega, most);
    }
    for (int k = 0; k < n_rows && is_drawn; k++) {
        begin_line(lines, state == JOINT_STUCK ? "stuck" : "free", "");
        for (int i = 0; i < n_parts; i++) {
            size_t mode = (size_t)k * (size_t)copies[i];
            TRY(k < counts[i] ? put(lines, i, omega[most * (size_t)i + mode], error)
                              : MASING_OK);
        }
    }
done:
    check_part_clear(&part);
    arena_clear(&arena);
    return status;
}

/* Order k at a speed, over the diameters as far as the picture goes. */
static enum masing_status put_zigzag(struct lines *lines, double speed,
                                     struct masing_error *error)
{
    int n = lines->model->cyclic->n_sectors;
    char label[48];
    snprintf(label, sizeof label, "%.6g Hz", speed / TWO_PI);
    begin_line(lines, "speed", label);
    for (int k = 0; (k - 1) * speed < TWO_PI * lines->top; k++) {
        int rest = k % n, diameter = 2 * rest <= n ? rest : n - rest;
        NEED(put(lines, diameter, k * speed, error));
        bool is_turn = n % 2 == 1 && 2 * rest == n - 1;
        NEED(is_turn ? put(lines, 0.5 * n, (k + 0.5) * speed, error) : MASING_OK);
    }
    return MASING_OK;
}

/* What a load sweeps over in its diameter. */
static enum masing_status put_swept(struct lines *lines, int load, struct masing_error *error)
{
    const struct masing_model *model = lines->model;
    const struct masing_load_spec *given = &model->spec.loads[load];
    bool is_reversed;
    int diameter = cyclic_diameter_of(model->cyclic, given->harmonic, &is_reversed);
    char label[48];
    snprintf(label, sizeof label, "order %d", given->engine_order);
    begin_line(lines, "excited", label);
    NEED(put(lines, diameter, given->harmonic * lines->low, error));
    return put(lines, diameter, given->harmonic * lines->high, error);
}

static enum masing_status put_disk(struct lines *lines, struct masing_error *error)
{
    const struct masing_model *model = lines->model;
    double low = speed_of(model, lines->low), high = speed_of(model, lines->high);
    bool is_swept = model->spec.sweep != MASING_SWEEP_NONE && low > 0.0;
    NEED(is_swept ? put_zigzag(lines, low, error) : MASING_OK);
    NEED(is_swept && high > low ? put_zigzag(lines, high, error) : MASING_OK);
    NEED(put_diameters(lines, JOINT_FREE, true, error));
    NEED(put_diameters(lines, JOINT_STUCK, true, error));
    for (int l = 0; l < model->spec.n_loads && is_swept; l++) {
        NEED(put_swept(lines, l, error));
    }
    return MASING_OK;
}

/* --- over the speed ----------------------------------------------------------------------- */

static double speed_at(const struct lines *lines, int i)
{
    return MARGIN * lines->high * i / (N_SPEEDS - 1);
}

/* Whether an engine order of the loads excites a nodal diameter, or there are none. */
static bool is_excited(const struct masing_model *model, int number)
{
    bool is_excited = !model->cyclic;
    for (int l = 0; l < model->spec.n_loads && model->cyclic; l++) {
        bool is_reversed;
        int own =
            cyclic_diameter_of(model->cyclic, model->spec.loads[l].harmonic, &is_reversed);
        is_excited = is_excited || own == number;
    }
    return is_excited;
}

/* Where an order's line passes a mode between two speeds, by the chord, which a frequency
 * hardly leaves between so many speeds. */
static enum masing_status put_meeting(struct lines *lines, int order, int i,
                                      const double ends[2], struct masing_error *error)
{
    double a = speed_at(lines, i), b = speed_at(lines, i + 1);
    double before = ends[0] - order * a, after = ends[1] - order * b;
    if (!(before >= 0.0) || !(after < 0.0)) {
        return MASING_OK;
    }
    double part = before / (before - after), speed = a + part * (b - a);
    begin_line(lines, "meets", "");
    return put(lines, speed / TWO_PI, order * speed, error);
}

static enum masing_status put_meetings(struct lines *lines, int number, int i,
                                       const double ends[2], struct masing_error *error)
{
    const struct masing_model *model = lines->model;
    for (int l = 0; l < model->spec.n_loads; l++) {
        int order = model->spec.loads[l].harmonic;
        bool is_reversed, is_new = true;
        int own = model->cyclic ? cyclic_diameter_of(model->cyclic, order, &is_reversed) : 0;
        for (int m = 0; m < l; m++) {
            is_new = is_new && model->spec.loads[m].harmonic != order;
        }
        NEED(is_new && own == number ? put_meeting(lines, order, i, ends, error) : MASING_OK);
    }
    return MASING_OK;
}

static enum masing_status put_part(struct lines *lines, const struct check_part *part,
                                   enum joint_state state, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    size_t n = (size_t)part->structure->n_modes;
    char label[32] = "";
    struct arena arena = {0};
    double *omega = arena_doubles(&arena, n * N_SPEEDS);
    TRY_ALLOCATED(omega);
    if (lines->model->cyclic) {
        snprintf(label, sizeof label, "ND %d", part->number);
    }
    for (int i = 0; i < N_SPEEDS; i++) {
        TRY(frequencies(part, state, speed_at(lines, i), omega + n * (size_t)i, error));
    }
    for (size_t k = 0; k < (size_t)part->n_rows; k++) {
        const double *own = omega + k * (size_t)part->copies;
        begin_line(lines, state == JOINT_STUCK ? "stuck" : "free", label);
        for (size_t i = 0; i < N_SPEEDS; i++) {
            TRY(put(lines, speed_at(lines, (int)i) / TWO_PI, own[i * n], error));
        }
    }
    for (size_t k = 0; k < (size_t)part->n_rows; k++) {
        const double *own = omega + k * (size_t)part->copies;
        for (size_t i = 0; i + 1 < N_SPEEDS; i++) {
            const double ends[2] = {own[i * n], own[(i + 1) * n]};
            TRY(put_meetings(lines, part->number, (int)i, ends, error));
        }
    }
done:
    arena_clear(&arena);
    return status;
}

static enum masing_status put_orders(struct lines *lines, struct masing_error *error)
{
    const struct masing_model *model = lines->model;
    double end = MARGIN * lines->high;
    for (int l = 0; l < model->spec.n_loads; l++) {
        int order = model->spec.loads[l].harmonic;
        char label[32];
        snprintf(label, sizeof label, "EO %d", order);
        begin_line(lines, "speed", label);
        NEED(put(lines, 0.0, 0.0, error));
        NEED(put(lines, end / TWO_PI, order * end, error));
        begin_line(lines, "excited", label);
        NEED(put(lines, lines->low / TWO_PI, order * lines->low, error));
        NEED(put(lines, lines->high / TWO_PI, order * lines->high, error));
    }
    return MASING_OK;
}

static enum masing_status put_speeds(struct lines *lines, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_model *model = lines->model;
    struct check_part part = {.number = 0};
    TRY(put_orders(lines, error));
    for (int i = 0; i < check_part_count(model); i++) {
        if (is_excited(model, i)) {
            TRY(check_part_create(model, i, &part, error));
            TRY(put_part(lines, &part, JOINT_FREE, error));
            TRY(put_part(lines, &part, JOINT_STUCK, error));
            check_part_clear(&part);
        }
    }
done:
    check_part_clear(&part);
    return status;
}

/* --- all of it ---------------------------------------------------------------------------- */

/* So much that the loads' frequencies end well below, and at least the lowest modes are seen.
 */
static double choose_top(const struct masing_model *model)
{
    const struct masing_spec *spec = &model->spec;
    const struct structure *structure = model_structure_at(model, model->order);
    double high = fmax(spec->omega_from, spec->omega_to), top = 0.0;
    bool is_swept = spec->sweep != MASING_SWEEP_NONE;
    for (int l = 0; l < spec->n_loads && is_swept; l++) {
        top = fmax(top, spec->loads[l].harmonic * high);
    }
    int first = structure->n_modes - 1;
    while (first > 0 && structure->omega_stuck[first - 1] > 0.0) {
        first--;
    }
    top = fmax(top, structure->omega_stuck[first]);
    return MARGIN * (is_swept ? top : high) / TWO_PI;
}

enum masing_lines masing_check_lines_of(const struct masing_model *model)
{
    bool has_speed = model && model->spec.is_of_shaft && !model->spec.structure.has_spin &&
                     model->spec.sweep != MASING_SWEEP_NONE;
    return !model          ? MASING_LINES_NONE
           : has_speed     ? MASING_LINES_OVER_SPEED
           : model->cyclic ? MASING_LINES_OVER_DIAMETERS
                           : MASING_LINES_NONE;
}

enum masing_status masing_check_lines(const struct masing_model *model,
                                      const struct masing_sink *rows,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error own;
    struct lines lines = {.model = model};
    error = entry_begin(error, &own);
    limit_blas_to_one_thread();
    TRY(entry_need(model, "model", error));
    TRY(entry_need(rows, "rows", error));
    enum masing_lines kind = masing_check_lines_of(model);
    TRY(kind == MASING_LINES_NONE
            ? masing_error_set(error, MASING_UNSUPPORTED,
                               "frequencies are lines over the nodal diameters of a disk, or "
                               "over the speed with 'frequency_of: shaft' and a range")
            : MASING_OK);
    lines.low = fmin(model->spec.omega_from, model->spec.omega_to);
    lines.high = fmax(model->spec.omega_from, model->spec.omega_to);
    lines.top = choose_top(model);
    TRY(row_sink_begin(&lines.table, rows, walk, &lines.row, error));
    bool is_over_speed = kind == MASING_LINES_OVER_SPEED;
    TRY(is_over_speed ? MASING_OK : put_diameters(&lines, JOINT_STUCK, false, error));
    begin_line(&lines, "range", "");
    TRY(put(&lines, 0.0, 0.0, error));
    TRY(put(&lines,
            is_over_speed ? MARGIN * lines.high / TWO_PI : 0.5 * model->cyclic->n_sectors,
            TWO_PI * lines.top, error));
    TRY(is_over_speed ? put_speeds(&lines, error) : put_disk(&lines, error));
done:
    release_blas();
    return row_sink_end(&lines.table, status, error);
}
