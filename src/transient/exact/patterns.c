/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transient/exact/patterns.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/dense.h"

/* Patterns that are kept. */
static const struct pattern_limits LIMITS = {.fewest = 4, .most = 16, .doubles = 1 << 24};
/* A load this near to what it drives, in parts of the squares of frequencies, drives it without
 * bounds; oscillators below this part of the loads' frequency do not rest within a period. */
static const double RESONANCE = 1e-6, SLOWEST = 1e-3;
/* What loads would do in the long run may be this much larger than the motion so far: it is
 * taken from the motion at first. */
static const double LONGEST_RUN = 1e3;
/* Steps that differ from the whole one by this part are whole. */
static const double STEP_ROUNDING = 1e-9;

static void allocate_kept(struct patterns *patterns, struct contact_pattern *kept)
{
    struct arena *arena = patterns->parts->arena;
    size_t rows = 2 * patterns->n_modes, n_axes = patterns->n_axes, n_terms = patterns->n_terms;
    size_t n_rows = PATTERN_ORDERS * patterns->n_ports;
    kept->factors = arena_doubles(arena, 2 * rows);
    kept->rows = arena_doubles(arena, n_rows * rows);
    kept->cosine = arena_doubles(arena, n_terms * rows);
    kept->sine = arena_doubles(arena, n_terms * rows);
    kept->part = arena_doubles(arena, 2 * n_terms * n_rows);
    kept->rest = arena_doubles(arena, (1 + n_axes) * rows);
    kept->drifts = arena_array(arena, 1 + n_axes, sizeof *kept->drifts);
    kept->work_cos = arena_doubles(arena, n_terms * rows);
    kept->work_sin = arena_doubles(arena, n_terms * rows);
    kept->shares = arena_doubles(arena, 4 * n_terms * n_terms);
}

static enum masing_status allocate(struct patterns *patterns, struct masing_error *error)
{
    struct arena *arena = patterns->parts->arena;
    size_t rows = 2 * patterns->n_modes, n_seen = PATTERN_ORDERS * patterns->n_axes;
    double **of_modes[] = {&patterns->p, &patterns->p_before, &patterns->held, &patterns->state,
                           &patterns->full};
    for (size_t i = 0; i < sizeof of_modes / sizeof *of_modes; i++) {
        *of_modes[i] = arena_doubles(arena, rows);
    }
    patterns->factors = arena_doubles(arena, 2 * rows);
    patterns->scratch = arena_doubles(arena, 3 * rows);
    patterns->key = arena_doubles(arena, 2 * patterns->n_axes);
    patterns->seen = arena_doubles(arena, n_seen);
    patterns->seen_before = arena_doubles(arena, n_seen);
    patterns->held_ports = arena_doubles(arena, patterns->n_ports);
    patterns->bends = arena_doubles(arena, 2 * patterns->n_axes);
    patterns->sizes = arena_doubles(arena, 2 * patterns->n_axes);
    patterns->cosines = arena_doubles(arena, patterns->n_terms);
    patterns->sines = arena_doubles(arena, patterns->n_terms);
    NEED(pattern_table_create(patterns->parts->modal, 2 * patterns->n_axes, &LIMITS, arena,
                              &patterns->table, error));
    size_t n_kept = (size_t)patterns->table.n_kept;
    patterns->kept = arena_array(arena, n_kept, sizeof *patterns->kept);
    for (size_t i = 0; i < n_kept && !arena->has_failed; i++) {
        patterns->kept[i].entry = &patterns->table.kept[i];
        patterns->kept[i].basis = &patterns->table.kept[i].basis;
        allocate_kept(patterns, &patterns->kept[i]);
    }
    NEED_ALLOCATED(!arena->has_failed);
    return MASING_OK;
}

enum masing_status patterns_create(const struct stepper_parts *parts,
                                   const struct masing_flow_line *lines,
                                   struct patterns **created, struct masing_error *error)
{
    const struct ports *ports = parts->ports;
    if (ports->flexibility) {
        return MASING_OK;
    }
    struct patterns *patterns = *created = arena_array(parts->arena, 1, sizeof *patterns);
    NEED_ALLOCATED(patterns);
    *patterns = (struct patterns){.parts = parts,
                                  .lines = lines,
                                  .n_modes = (size_t)ports->n_modes,
                                  .n_axes = (size_t)ports->n_axes,
                                  .n_ports = (size_t)ports->n_ports,
                                  .n_terms = (size_t)parts->forcing->n_terms};
    NEED(allocate(patterns, error));
    patterns->enough_series = pattern_builder_cost(patterns->table.builder);
    return MASING_OK;
}

void patterns_destroy(struct patterns *patterns)
{
    if (patterns) {
        pattern_table_clear(&patterns->table);
    }
}

void patterns_forget(struct patterns *patterns)
{
    for (int i = 0; i < patterns->table.n_kept; i++) {
        patterns->kept[i].has_loads = false;
    }
    memset(patterns->sizes, 0, 2 * patterns->n_axes * sizeof(double));
    patterns->present = NULL;
    patterns->is_in = false;
}

/* ---- what is known of a pattern ---- */

/* A row of the state, whose part of displacements or of velocities is a port's shape. */
static void set_row(struct patterns *patterns, const struct contact_pattern *kept,
                    const double *shape, bool of_velocity, double *row)
{
    size_t n = patterns->n_modes;
    memset(patterns->state, 0, 2 * n * sizeof(double));
    memcpy(patterns->state + (of_velocity ? n : 0), shape, n * sizeof(double));
    pattern_basis_row(kept->basis, patterns->state, row, patterns->scratch);
}

static void set_rows(struct patterns *patterns, struct contact_pattern *kept)
{
    size_t n = patterns->n_modes;
    const struct pattern_basis *basis = kept->basis;
    for (size_t port = 0; port < patterns->n_ports; port++) {
        const double *shape = patterns->parts->ports->shapes + port * n;
        double *displacement = kept->rows + port * PATTERN_ORDERS * 2 * n;
        double *velocity = displacement + 2 * n, *acceleration = velocity + 2 * n;
        set_row(patterns, kept, shape, false, displacement);
        set_row(patterns, kept, shape, true, velocity);
        for (size_t i = 0; i < n; i++) {
            acceleration[i] = -basis->square[i] * velocity[n + i];
            acceleration[n + i] = velocity[i] - basis->damping[i] * velocity[n + i];
        }
    }
}

/* Motion under one harmonic in the long run: (i w - G) p = b, G the rates of an oscillator. */
static bool find_long_run(struct patterns *patterns, struct contact_pattern *kept, size_t term)
{
    size_t n = patterns->n_modes;
    const struct pattern_basis *basis = kept->basis;
    const struct forcing *forcing = patterns->parts->forcing;
    double w = patterns->parts->omega * forcing->harmonics[term];
    double *by_cos = kept->cosine + term * 2 * n, *by_sin = kept->sine + term * 2 * n;
    size_t at = term * (size_t)(forcing->n_modes + forcing->n_ports);
    bool has_bounds = true;
    memset(patterns->state, 0, n * sizeof(double));
    memcpy(patterns->state + n, forcing->cosine + at, n * sizeof(double));
    pattern_basis_enter(basis, patterns->state, by_cos, patterns->scratch);
    memcpy(patterns->state + n, forcing->sine + at, n * sizeof(double));
    pattern_basis_enter(basis, patterns->state, by_sin, patterns->scratch);
    double largest = fmax(dense_max_norm(n, by_cos + n), dense_max_norm(n, by_sin + n));
    for (size_t i = 0; i < n; i++) {
        double square = basis->square[i], d = basis->damping[i];
        double complex b = by_cos[i] - I * by_sin[i], c = by_cos[n + i] - I * by_sin[n + i];
        double complex divisor = square - w * w + I * w * d;
        bool is_driven = pattern_basis_is_driven(cabs(c), largest);
        bool is_near = cabs(divisor) <= RESONANCE * (square + w * w);
        has_bounds = has_bounds && !(is_driven && is_near);
        double complex x = is_near ? 0.0 : ((I * w + d) * b + c) / divisor;
        double complex v = is_near ? 0.0 : (I * w * c - square * b) / divisor;
        by_cos[i] = creal(x);
        by_sin[i] = -cimag(x);
        by_cos[n + i] = creal(v);
        by_sin[n + i] = -cimag(v);
    }
    return has_bounds;
}

/* Displacement of each port in the long run, and its rates. */
static void set_parts(struct patterns *patterns, struct contact_pattern *kept)
{
    size_t n_terms = patterns->n_terms, rows = 2 * patterns->n_modes;
    for (size_t at = 0; at < patterns->n_ports * n_terms; at++) {
        size_t port = at / n_terms, term = at % n_terms;
        double w = patterns->parts->omega * patterns->parts->forcing->harmonics[term];
        const double *row = kept->rows + port * PATTERN_ORDERS * rows;
        double by_cos = dense_dot((int)rows, row, kept->cosine + term * rows);
        double by_sin = dense_dot((int)rows, row, kept->sine + term * rows);
        for (size_t order = 0; order < PATTERN_ORDERS; order++) {
            double *part =
                kept->part + (port * PATTERN_ORDERS + order) * 2 * n_terms + 2 * term;
            part[0] = by_cos;
            part[1] = by_sin;
            by_cos = w * part[1];
            by_sin = -w * part[0];
        }
    }
}

/* Power of a load on the free part: g e^(i w t) p with g (G + i w) = its row, G the rates. */
static void set_power(struct patterns *patterns, struct contact_pattern *kept, size_t term)
{
    size_t n = patterns->n_modes;
    const struct pattern_basis *basis = kept->basis;
    const struct forcing *forcing = patterns->parts->forcing;
    double w = patterns->parts->omega * forcing->harmonics[term];
    double *by_cos = kept->work_cos + term * 2 * n, *by_sin = kept->work_sin + term * 2 * n;
    size_t at = term * (size_t)(forcing->n_modes + forcing->n_ports);
    set_row(patterns, kept, forcing->cosine + at, true, by_cos);
    set_row(patterns, kept, forcing->sine + at, true, by_sin);
    for (size_t i = 0; i < n; i++) {
        double square = basis->square[i], d = basis->damping[i];
        double complex x = by_cos[i] - I * by_sin[i], v = by_cos[n + i] - I * by_sin[n + i];
        double complex divisor = square - w * w - I * w * d;
        bool is_near = cabs(divisor) <= RESONANCE * (square + w * w);
        double complex of_x = is_near ? 0.0 : ((I * w - d) * x + square * v) / divisor;
        double complex of_v = is_near ? 0.0 : (I * w * v - x) / divisor;
        by_cos[i] = creal(of_x);
        by_sin[i] = -cimag(of_x);
        by_cos[n + i] = creal(of_v);
        by_sin[n + i] = -cimag(of_v);
    }
}

/* cos, sin of a load times cos, sin of the displacements in the long run. */
static void set_shares(struct patterns *patterns, struct contact_pattern *kept)
{
    const struct forcing *forcing = patterns->parts->forcing;
    size_t n = patterns->n_modes, n_terms = patterns->n_terms;
    size_t width = (size_t)(forcing->n_modes + forcing->n_ports);
    for (size_t at = 0; at < 2 * n_terms; at++) {
        size_t term = at / 2, kind = at % 2;
        const double *run = (kind == 0 ? kept->cosine : kept->sine) + term * 2 * n;
        pattern_basis_leave(kept->basis, run, patterns->state, patterns->scratch);
        for (size_t load = 0; load < n_terms; load++) {
            double *shares = kept->shares + (load * n_terms + term) * 4;
            const double *cosine = forcing->cosine + load * width;
            const double *sine = forcing->sine + load * width;
            shares[kind] = dense_dot((int)n, cosine, patterns->state);
            shares[2 + kind] = dense_dot((int)n, sine, patterns->state);
        }
    }
}

static void set_loads(struct patterns *patterns, struct contact_pattern *kept)
{
    size_t n = patterns->n_modes;
    const struct stepper_parts *parts = patterns->parts;
    double slow = SLOWEST * parts->omega;
    kept->has_loads = true;
    kept->is_resonant = false;
    kept->drifts[0] = !pattern_basis_rest(kept->basis, parts->forcing->constant, 1.0, slow,
                                          kept->rest, patterns->scratch);
    for (size_t axis = 0; axis < patterns->n_axes; axis++) {
        kept->drifts[1 + axis] =
            !pattern_basis_rest(kept->basis, parts->ports->shapes + axis * n, -1.0, slow,
                                kept->rest + (1 + axis) * 2 * n, patterns->scratch);
    }
    for (size_t term = 0; term < patterns->n_terms; term++) {
        bool has_bounds = find_long_run(patterns, kept, term);
        kept->is_resonant = kept->is_resonant || !has_bounds;
        set_power(patterns, kept, term);
    }
    set_parts(patterns, kept);
    set_shares(patterns, kept);
}

static void build(struct patterns *patterns, struct contact_pattern *kept)
{
    struct pattern_entry *entry = kept->entry;
    enum masing_status status = pattern_basis_build(
        patterns->table.builder, entry->key, entry->key + patterns->n_axes, &entry->basis);
    entry->state = status == MASING_OK ? PATTERN_SOUND : PATTERN_REFUSED;
    if (status == MASING_OK) {
        pattern_basis_factors(kept->basis, patterns->parts->step, kept->factors);
        set_rows(patterns, kept);
    }
}

/* That of the lines, which may be new. */
static struct contact_pattern *find(struct patterns *patterns)
{
    long n_new = patterns->table.n_new, since = patterns->table.n_used;
    for (size_t axis = 0; axis < patterns->n_axes; axis++) {
        patterns->key[axis] = patterns->lines[axis].stiffness;
        patterns->key[patterns->n_axes + axis] = patterns->lines[axis].damping;
    }
    struct contact_pattern *kept =
        &patterns->kept[pattern_table_find(&patterns->table, patterns->key, since)];
    if (patterns->table.n_new > n_new) {
        kept->has_loads = false;
        kept->n_series = 0;
    }
    return kept;
}

/* ---- the state in a basis ---- */

/* cos and sin of the loads, and what the axes do. */
static void see(struct patterns *patterns)
{
    const struct contact_pattern *kept = patterns->present;
    size_t n_seen = PATTERN_ORDERS * patterns->n_axes, n_terms = patterns->n_terms;
    double phase = series_phase(patterns->parts, patterns->time), *seen = patterns->seen;
    for (size_t term = 0; term < n_terms; term++) {
        double angle = patterns->parts->forcing->harmonics[term] * phase;
        patterns->cosines[term] = cos(angle);
        patterns->sines[term] = sin(angle);
    }
    ports_project((int)n_seen, 2 * (int)patterns->n_modes, kept->rows, patterns->p, seen);
    for (size_t row = 0; row < n_seen; row++) {
        const double *part = kept->part + row * 2 * n_terms;
        seen[row] +=
            row % PATTERN_ORDERS == 0 ? patterns->held_ports[row / PATTERN_ORDERS] : 0.0;
        for (size_t term = 0; term < n_terms; term++) {
            seen[row] += patterns->cosines[term] * part[2 * term] +
                         patterns->sines[term] * part[2 * term + 1];
        }
    }
}

/* Where constant loads and levels hold the oscillators; false: nowhere. */
static bool hold(struct patterns *patterns, const struct contact_pattern *kept)
{
    size_t rows = 2 * patterns->n_modes;
    bool rests = !kept->drifts[0];
    memcpy(patterns->held, kept->rest, rows * sizeof(double));
    for (size_t axis = 0; axis < patterns->n_axes; axis++) {
        double level = patterns->lines[axis].level;
        rests = rests && !(kept->drifts[1 + axis] && level != 0.0);
        for (size_t i = 0; level != 0.0 && i < rows; i++) {
            patterns->held[i] += level * kept->rest[(1 + axis) * rows + i];
        }
    }
    for (size_t port = 0; port < patterns->n_ports; port++) {
        patterns->held_ports[port] =
            dense_dot((int)rows, kept->rows + port * PATTERN_ORDERS * rows, patterns->held);
    }
    return rests;
}

/* The axes do not go so much less far than the loads would make them that digits are lost. */
static bool goes_far(const struct patterns *patterns)
{
    const struct contact_pattern *kept = patterns->present;
    size_t n_terms = patterns->n_terms;
    bool is_so = true;
    for (size_t at = 0; is_so && at < 2 * patterns->n_axes; at++) {
        size_t axis = at / 2, order = at % 2;
        const double *part = kept->part + (axis * PATTERN_ORDERS + order) * 2 * n_terms;
        double size = order == 0 ? fabs(patterns->held_ports[axis]) : 0.0;
        for (size_t term = 0; term < n_terms; term++) {
            size += hypot(part[2 * term], part[2 * term + 1]);
        }
        is_so = size <= LONGEST_RUN * patterns->sizes[at];
    }
    return is_so;
}

/* Add the loads' and constant forces' part, or take it away. */
static void add_forced(const struct patterns *patterns, double factor, double *p)
{
    const struct contact_pattern *kept = patterns->present;
    size_t rows = 2 * patterns->n_modes;
    for (size_t i = 0; i < rows; i++) {
        p[i] += factor * patterns->held[i];
    }
    for (size_t term = 0; term < patterns->n_terms; term++) {
        double by_cos = factor * patterns->cosines[term];
        double by_sin = factor * patterns->sines[term];
        for (size_t i = 0; i < rows; i++) {
            p[i] +=
                by_cos * kept->cosine[term * rows + i] + by_sin * kept->sine[term * rows + i];
        }
    }
}

/* Whether the basis of the lines may be used from here on; it is found if it is worth it. */
static bool is_ready(struct patterns *patterns)
{
    struct contact_pattern *kept = patterns->present;
    bool has_dampers = false;
    if (!kept) {
        kept = patterns->present = find(patterns);
    }
    if (kept->entry->state == PATTERN_NEW && kept->n_series++ >= patterns->enough_series) {
        build(patterns, kept);
    }
    if (kept->entry->state != PATTERN_SOUND) {
        return false;
    }
    if (!kept->has_loads) {
        set_loads(patterns, kept);
    }
    for (size_t axis = 0; axis < patterns->n_axes; axis++) {
        has_dampers = has_dampers || patterns->lines[axis].damping != 0.0;
    }
    /* what dampers in joints take is not told from what the structure's take */
    return !kept->is_resonant && !(has_dampers && patterns->work);
}

bool patterns_enter(struct patterns *patterns, double time, const double *q, const double *v,
                    const double *x, const double *w)
{
    size_t n = patterns->n_modes;
    for (size_t axis = 0; axis < patterns->n_axes; axis++) {
        patterns->sizes[2 * axis] = fmax(patterns->sizes[2 * axis], fabs(x[axis]));
        patterns->sizes[2 * axis + 1] = fmax(patterns->sizes[2 * axis + 1], fabs(w[axis]));
    }
    if (!is_ready(patterns) || !hold(patterns, patterns->present) || !goes_far(patterns)) {
        return false;
    }
    memcpy(patterns->state, q, n * sizeof(double));
    memcpy(patterns->state + n, v, n * sizeof(double));
    pattern_basis_enter(patterns->present->basis, patterns->state, patterns->p,
                        patterns->scratch);
    patterns->time = time;
    see(patterns); /* first for the loads */
    add_forced(patterns, -1.0, patterns->p);
    see(patterns);
    patterns_bound(patterns);
    patterns->is_in = true;
    patterns_measure(patterns, patterns->work);
    return true;
}

void patterns_state(const struct patterns *patterns, double *q, double *v)
{
    size_t n = patterns->n_modes;
    memcpy(patterns->full, patterns->p, 2 * n * sizeof(double));
    add_forced(patterns, 1.0, patterns->full);
    pattern_basis_leave(patterns->present->basis, patterns->full, patterns->state,
                        patterns->scratch);
    memcpy(q, patterns->state, n * sizeof(double));
    memcpy(v, patterns->state + n, n * sizeof(double));
}

double patterns_squared_speed(const struct patterns *patterns, double least)
{
    memcpy(patterns->full, patterns->p, 2 * patterns->n_modes * sizeof(double));
    add_forced(patterns, 1.0, patterns->full);
    return pattern_basis_squared_speed(patterns->present->basis, patterns->full, least,
                                       patterns->scratch);
}

void patterns_leave(struct patterns *patterns, double *q, double *v)
{
    patterns_add_work(patterns);
    patterns_state(patterns, q, v);
    patterns->is_in = false;
}

void patterns_change(struct patterns *patterns)
{
    patterns->present = NULL;
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

void patterns_advance(struct patterns *patterns, double length)
{
    const struct contact_pattern *kept = patterns->present;
    double step = patterns->parts->step;
    const double *factors = kept->factors;
    if (fabs(length - step) > STEP_ROUNDING * step) {
        pattern_basis_factors(kept->basis, length, patterns->factors);
        factors = patterns->factors;
    }
    swap(&patterns->p, &patterns->p_before);
    swap(&patterns->seen, &patterns->seen_before);
    patterns->time_before = patterns->time;
    pattern_basis_advance(kept->basis, factors, patterns->p_before, patterns->p);
    patterns->time += length;
    see(patterns);
}

void patterns_retreat(struct patterns *patterns)
{
    swap(&patterns->p, &patterns->p_before);
    patterns->time = patterns->time_before;
    see(patterns);
}

/* What displacements and velocities of the axes are sums of. */
static void note_sizes(const struct patterns *patterns, struct series *series)
{
    const struct contact_pattern *kept = patterns->present;
    size_t rows = 2 * patterns->n_modes;
    for (size_t axis = 0; axis < patterns->n_axes; axis++) {
        const double *of_x = kept->rows + axis * PATTERN_ORDERS * rows, *of_w = of_x + rows;
        double reach = fabs(patterns->seen[axis * PATTERN_ORDERS]), size = 0.0;
        for (size_t i = 0; i < rows; i++) {
            reach += fabs(of_x[i] * patterns->p[i]);
            size += fabs(of_w[i] * patterns->p[i]);
        }
        series->fastest[axis] = fmax(series->fastest[axis], size);
        series->farthest[axis] = fmax(series->farthest[axis], reach);
    }
}

/* cos' = -w sin, sin' = w cos */
static void differentiate_loads(const struct patterns *patterns, double *cosines, double *sines)
{
    for (size_t term = 0; term < patterns->n_terms; term++) {
        double w = patterns->parts->omega * patterns->parts->forcing->harmonics[term];
        double cosine = cosines[term];
        cosines[term] = -w * sines[term];
        sines[term] = w * cosine;
    }
}

void patterns_expand(struct patterns *patterns, struct series *series)
{
    const struct contact_pattern *kept = patterns->present;
    size_t rows = 2 * patterns->n_modes, n_terms = patterns->n_terms;
    double factor = 1.0, *p = patterns->full;
    memcpy(p, patterns->p, rows * sizeof(double));
    memcpy(series->cosines, patterns->cosines, n_terms * sizeof(double));
    memcpy(series->sines, patterns->sines, n_terms * sizeof(double));
    note_sizes(patterns, series);
    for (int k = 0; k <= series->order + 1; k++) {
        dense_multiply_vector_part((int)rows, (int)patterns->n_axes, true, kept->rows,
                                   PATTERN_ORDERS * (int)rows, p, series->column);
        for (size_t axis = 0; axis < patterns->n_axes; axis++) {
            const double *part = kept->part + axis * PATTERN_ORDERS * 2 * n_terms;
            double sum = series->column[axis] + (k == 0 ? patterns->held_ports[axis] : 0.0);
            for (size_t i = 0; i < n_terms; i++) {
                sum += part[2 * i] * series->cosines[i] + part[2 * i + 1] * series->sines[i];
            }
            if (k <= series->order) {
                series->terms_x[axis * SERIES_ROOM + (size_t)k] = factor * sum;
            }
            if (k > 0) {
                series->terms_w[axis * SERIES_ROOM + (size_t)k - 1] =
                    factor * sum * k / series->length;
            }
        }
        pattern_basis_differentiate(kept->basis, p);
        differentiate_loads(patterns, series->cosines, series->sines);
        factor *= series->length / (k + 1);
    }
}

/* Energies of the oscillators' fourth derivatives do not grow. */
void patterns_bound(struct patterns *patterns)
{
    const struct contact_pattern *kept = patterns->present;
    const struct pattern_basis *basis = kept->basis;
    size_t n = patterns->n_modes, rows = 2 * n, n_terms = patterns->n_terms;
    double *p = patterns->full;
    memcpy(p, patterns->p, rows * sizeof(double));
    for (int k = 0; k < 4; k++) {
        pattern_basis_differentiate(basis, p);
    }
    for (size_t i = 0; i < n; i++) { /* the most that p and p' become */
        double w = sqrt(basis->square[i]), v = w > 0.0 ? hypot(w * p[i], p[n + i]) : p[n + i];
        p[i] = w > 0.0 ? v / w : fabs(p[i]);
        p[n + i] = fabs(v);
    }
    for (size_t at = 0; at < 2 * patterns->n_axes; at++) {
        size_t row = at / 2 * PATTERN_ORDERS + at % 2;
        double sum = 0.0;
        for (size_t i = 0; i < rows; i++) {
            sum += fabs(kept->rows[row * rows + i]) * p[i];
        }
        for (size_t term = 0; term < n_terms; term++) {
            const double *part = kept->part + row * 2 * n_terms + 2 * term;
            double w = patterns->parts->omega * patterns->parts->forcing->harmonics[term];
            sum += w * w * w * w * hypot(part[0], part[1]);
        }
        patterns->bends[at] = sum;
    }
}

double patterns_port(const struct patterns *patterns, int port, int order)
{
    const struct contact_pattern *kept = patterns->present;
    size_t rows = 2 * patterns->n_modes, n_terms = patterns->n_terms;
    size_t row = (size_t)port * PATTERN_ORDERS + (size_t)order;
    double sum = dense_dot((int)rows, kept->rows + row * rows, patterns->p);
    for (size_t term = 0; term < n_terms; term++) {
        const double *part = kept->part + row * 2 * n_terms + 2 * term;
        sum += part[0] * patterns->cosines[term] + part[1] * patterns->sines[term];
    }
    return sum + (order == 0 ? patterns->held_ports[port] : 0.0);
}

/* ---- work ---- */

/* Integral of the power of harmonic a on velocities of harmonic b by the phase. */
static double periodic_work(double a, double b, double phase, const double *share)
{
    double sum = a + b, gap = a - b;
    double cos_sum = cos(sum * phase) / sum, sin_sum = sin(sum * phase) / sum;
    double cos_gap = gap != 0.0 ? cos(gap * phase) / gap : 0.0;
    double sin_gap = gap != 0.0 ? sin(gap * phase) / gap : 0.0;
    return 0.5 * b *
           (share[0] * (cos_sum - cos_gap) + share[1] * (sin_gap + sin_sum) -
            share[2] * (sin_gap - sin_sum) - share[3] * (cos_sum + cos_gap));
}

/* Functions whose change is the loads' work and that on the joints; the structure's energy. */
static struct work potentials(struct patterns *patterns, double *energy)
{
    const struct contact_pattern *kept = patterns->present;
    const struct stepper_parts *parts = patterns->parts;
    size_t n = patterns->n_modes, rows = 2 * n, n_terms = patterns->n_terms;
    double *q = patterns->factors, *v = q + n, phase = series_phase(parts, patterns->time);
    struct work work = {0};
    patterns_state(patterns, q, v);
    *energy = 0.0;
    for (size_t i = 0; i < n; i++) {
        *energy += 0.5 * (v[i] * v[i] + parts->modal->stiffness[i] * q[i] * q[i]);
        work.loads += parts->forcing->constant[i] * q[i];
    }
    for (size_t term = 0; term < n_terms; term++) {
        double a = parts->forcing->harmonics[term];
        work.loads += patterns->cosines[term] *
                          dense_dot((int)rows, kept->work_cos + term * rows, patterns->p) +
                      patterns->sines[term] *
                          dense_dot((int)rows, kept->work_sin + term * rows, patterns->p);
        for (size_t other = 0; other < n_terms; other++) {
            const double *share = kept->shares + (term * n_terms + other) * 4;
            double b = parts->forcing->harmonics[other];
            double secular = a == b ? 0.5 * b * parts->omega * (share[1] - share[2]) : 0.0;
            work.loads += periodic_work(a, b, phase, share) +
                          secular * (patterns->time - patterns->begin_time);
        }
    }
    for (size_t axis = 0; axis < patterns->n_axes; axis++) {
        double x = patterns->seen[axis * PATTERN_ORDERS];
        const struct masing_flow_line *line = &patterns->lines[axis];
        work.joints += (0.5 * line->stiffness * x + line->level) * x;
    }
    return work;
}

void patterns_measure(struct patterns *patterns, struct work *work)
{
    patterns->work = work;
    if (work && patterns->is_in) {
        patterns->begin_time = patterns->time;
        patterns->begin = potentials(patterns, &patterns->begin_energy);
    }
}

/* Damping has taken what is neither in the joints nor in the structure. */
void patterns_add_work(struct patterns *patterns)
{
    double energy;
    if (patterns->work && patterns->is_in) {
        const struct work now = potentials(patterns, &energy);
        double loads = now.loads - patterns->begin.loads;
        double joints = now.joints - patterns->begin.joints;
        patterns->work->loads += loads;
        patterns->work->joints += joints;
        patterns->work->damping += loads - joints - (energy - patterns->begin_energy);
        patterns_measure(patterns, patterns->work);
    }
}
