/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/structure/sparse_structure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "base/shared_array.h"
#include "linalg/dense.h"
#include "linalg/sparse.h"
#include "linalg/sparse_factor.h"
#include "linalg/sparse_modes.h"
#include "linalg/symmetric.h"
#include "model/structure/condensed_structure.h"
#include "model/message.h"
#include "model/structure/modes.h"
#include "model/structure/residual_series.h"
#include "model/structure/sparse_ports.h"
#include "model/structure/structure_cache.h"

/* Structures of so few DOFs are handled as dense ones. */
enum { FEW_ROWS = 50 };
/* Those that need all modes, or have many ports, up to so many; ports of others at most. */
enum { MOST_DENSE = 5000, MANY_PORTS = 3000, MOST_PORTS = 12000 };
/* Modes at first and at most; terms of the series at most. */
enum { FEWEST_MODES = 24, MOST_MODES = 1000, MOST_TERMS = 48 };
/* With many ports a term costs more than the modes that spare it: one mode for so many ports,
 * but no more than these. */
enum { PORTS_PER_MODE = 12, MANY_MODES = 150 };
/* Modes are wanted up to so many times the highest harmonic, and are enough from the second
 * number on. */
static const double MODES_WANTED = 3.0, MODES_ENOUGH = 1.5;
/* What the series may leave out, relative to its first term; with so many ports that a term is
 * hundreds of megabytes and seconds of a response. */
static const double LEFT_OUT = 1e-12, LEFT_OUT_MANY = 1e-8;
enum { PORTS_OF_LARGE_TERMS = 2000 };
/* Part of the square of the highest frequency that K is shifted by. */
static const double SHIFT_SHARE = 0.1;
/* More modes, where one was missed. */
enum { EXTRA_MODES = 12 };
/* The range is widened by this part, as receptances are. */
static const double RANGE_MARGIN = 1.05;

/* --- modes and series --------------------------------------------------------------------- */

/* Numbers at the beginning of a result. */
enum { RESULT_NUMBERS = 5 };

struct condensation {
    struct masing_spec *spec;
    int n_ports;
    const struct masing_combination *ports;       /* [n_ports] */
    const struct masing_sparse *mass, *stiffness; /* of the specification */
    struct sparse_factor *factor;
    struct sparse_modes modes;
    double top, shift; /* rad/s, rad^2/s^2 */
    bool wants_all;    /* modes, more than are found of a sparse structure */
    int n_terms;
    int n_modes, n_rigid;
    double *result; /* top, shift, n_modes, n_terms, n_rigid; squares [n_modes]; modal [n_ports
                     * n_modes] */
    double *far;    /* [n_terms] triangles of n_ports rows, shared */
};

static size_t result_size(int n_ports, int n_modes)
{
    return RESULT_NUMBERS + ((size_t)n_ports + 1) * (size_t)n_modes;
}

static double *squares_of(const struct condensation *c)
{
    return c->result + RESULT_NUMBERS;
}

static double *modal_of(const struct condensation *c)
{
    return squares_of(c) + c->n_modes;
}

double sparse_structure_highest(const struct masing_spec *spec)
{
    double omega = fmax(spec->omega_from, spec->omega_to);
    int highest = 1;
    for (int i = 0; i < spec->n_harmonics; i++) {
        highest = spec->harmonics[i] > highest ? spec->harmonics[i] : highest;
    }
    return spec->sweep == MASING_SWEEP_NONE ? 0.0 : RANGE_MARGIN * omega * highest;
}

double sparse_structure_shift(const struct masing_sparse *stiffness,
                              const struct masing_sparse *mass)
{
    double stiff = 0.0, heavy = 0.0;
    for (int64_t j = 0; j < mass->n; j++) {
        for (int64_t e = mass->start[j]; e < mass->start[j + 1]; e++) {
            heavy += mass->rows[e] == j ? mass->values[e] : 0.0;
        }
        for (int64_t e = stiffness->start[j]; e < stiffness->start[j + 1]; e++) {
            stiff += stiffness->rows[e] == j ? stiffness->values[e] : 0.0;
        }
    }
    return heavy > 0.0 ? stiff / heavy / pow((double)mass->n, 4.0 / 3.0) : 1.0;
}

static enum masing_status factorise(struct condensation *c, struct masing_error *error)
{
    const struct masing_spec *spec = c->spec;
    int weak;
    c->shift = c->top > 0.0 ? SHIFT_SHARE * c->top * c->top
                            : sparse_structure_shift(c->stiffness, c->mass);
    enum masing_status status =
        sparse_factor_create(c->stiffness, c->mass, c->shift, &c->factor, &weak, error);
    return status != MASING_SINGULAR
               ? status
               : model_refuse(spec, spec->structure.stiffness_place, error,
                              "stiffness + %.4g mass is not positive definite at DOF %s: "
                              "expected a positive semidefinite stiffness, and a mass or a "
                              "stiffness at each DOF",
                              c->shift, model_dof_text(spec, weak).text);
}

/* What is left of a series of this ratio after n terms is the part ratio^n / (1 - ratio) of its
 * first term. */
static int terms_of(int n_ports, double ratio)
{
    double left_out = n_ports > PORTS_OF_LARGE_TERMS ? LEFT_OUT_MANY : LEFT_OUT;
    double n = ceil(log(left_out * (1.0 - ratio)) / log(ratio));
    return (int)fmin(fmax(n, 1.0), MOST_TERMS);
}

static enum masing_status solve_modes(struct condensation *c, int n, struct masing_error *error)
{
    struct masing_error inner = {0};
    const struct masing_spec *spec = c->spec;
    enum masing_status status =
        sparse_modes_create(c->stiffness, c->mass, c->shift, c->factor, n, &c->modes, &inner);
    if (status == MASING_OK || status == MASING_NO_MEMORY) {
        return status == MASING_OK ? MASING_OK
                                   : masing_error_set(error, status, "%s", inner.message);
    }
    c->wants_all = status == MASING_NOT_CONVERGED && c->mass->n <= MOST_DENSE;
    return c->wants_all
               ? MASING_UNSUPPORTED
               : model_refuse(
                     spec, spec->structure.mass_place, error,
                     "structure: %s: expected a mass that is positive semidefinite and not "
                     "zero, parts that hold together, and no more than some hundred modes "
                     "below %.4g Hz, the highest harmonic (else fewer harmonics, lower "
                     "frequencies, or a reduced structure, masing reduce)",
                     *inner.message ? inner.message : "its modes were not found",
                     c->top / TWO_PI);
}

static int first_modes(const struct condensation *c)
{
    int n = c->n_ports / PORTS_PER_MODE;
    return n < FEWEST_MODES ? FEWEST_MODES : n > MANY_MODES ? MANY_MODES : n;
}

/* Modes up to what is wanted beyond the highest frequency; as many as there may be at most.
 * Where these are not enough, wants_all, and refused where the structure is large. */
static enum masing_status find_modes(struct condensation *c, int fewest,
                                     struct masing_error *error)
{
    const struct masing_spec *spec = c->spec;
    int n_dofs = c->mass->n, most = n_dofs / 2 < MOST_MODES ? n_dofs / 2 : MOST_MODES;
    double wanted = MODES_WANTED * c->top, last = 0.0;
    for (int n = fewest < most ? fewest : most;;) {
        sparse_modes_clear(&c->modes);
        NEED(solve_modes(c, n, error));
        last = sqrt(fmax(c->modes.omega_squared[n - 1], 0.0));
        if (last >= wanted || n == most) {
            break;
        }
        double more = n * pow(wanted / fmax(last, 0.1 * wanted), 1.5);
        n = more < most ? (int)fmin(fmax(more, n + 8.0), 4.0 * n) : most;
        n = n < most ? n : most;
    }
    if (c->top == 0.0) {
        c->top = last / MODES_WANTED;
    }
    c->wants_all = last < MODES_ENOUGH * c->top;
    return !c->wants_all          ? MASING_OK
           : n_dofs <= MOST_DENSE ? MASING_UNSUPPORTED
                                  : model_refuse(spec, spec->structure.place, error,
                                                 "the structure's lowest %d modes end at %.4g "
                                                 "Hz, below %.4g Hz, %.1f times the highest "
                                                 "harmonic: expected fewer harmonics, lower "
                                                 "frequencies, or a reduced structure (masing "
                                                 "reduce)",
                                                 c->modes.n, last / TWO_PI,
                                                 MODES_ENOUGH * c->top / TWO_PI, MODES_ENOUGH);
}

static enum masing_status fill_far(struct condensation *c, struct masing_error *error)
{
    const struct residual_series series = {.mass = c->mass,
                                           .factor = c->factor,
                                           .modes = &c->modes,
                                           .scale = c->top * c->top + c->shift,
                                           .shift = c->shift,
                                           .n_ports = c->n_ports,
                                           .n_terms = c->n_terms,
                                           .ports = c->ports};
    return residual_series_fill(&series, c->far, error);
}

static enum masing_status fill(struct condensation *c, struct masing_error *error)
{
    size_t n = (size_t)c->n_ports, n_modes = (size_t)c->modes.n;
    double last = c->modes.omega_squared[n_modes - 1] + c->shift;
    double ratio = (c->top * c->top + c->shift) / last;
    c->n_terms = terms_of(c->n_ports, ratio);
    c->n_modes = (int)n_modes;
    c->result = memory_array(result_size(c->n_ports, c->n_modes), sizeof *c->result);
    c->far = shared_array_create((size_t)c->n_terms * symmetric_size(n));
    NEED_ALLOCATED(c->result && c->far);
    c->result[0] = c->top;
    c->result[1] = c->shift;
    c->result[2] = c->n_modes;
    c->result[3] = c->n_terms;
    c->result[4] = c->n_rigid;
    for (size_t k = 0; k < n_modes; k++) {
        double square = c->modes.omega_squared[k];
        squares_of(c)[k] = k < (size_t)c->n_rigid ? square : fmax(square, 0.0);
    }
    for (size_t at = 0; at < n * n_modes; at++) {
        modal_of(c)[at] = residual_series_port(&c->ports[at % n],
                                               c->modes.shapes + at / n * (size_t)c->mass->n);
    }
    return fill_far(c, error);
}

/* --- the specification afterwards --------------------------------------------------------- */

static double gross_stiffness(const void *context, int mode)
{
    const struct condensation *c = context;
    return sparse_gross(c->stiffness, c->modes.shapes + (size_t)mode * (size_t)c->mass->n);
}

/* Of rigid-body modes, squares that rounding of the matrices explains stay: a response is that
 * of the matrices as they are given. Larger ones would spoil it and go. */
static void count_rigid(struct condensation *c)
{
    int n_nearly;
    c->n_rigid =
        modes_count_rigid(c->modes.n, c->modes.omega_squared, gross_stiffness, c, &n_nearly);
    for (int k = 0; n_nearly > 0 && k < c->n_rigid; k++) {
        c->modes.omega_squared[k] = 0.0;
    }
}

/* What it was before, taken over from the specification where it is to be kept. */
static enum masing_status keep_full(struct condensation *c, struct masing_error *error)
{
    struct masing_structure_spec *structure = &c->spec->structure;
    size_t n = (size_t)c->n_ports;
    if (!structure->keeps_motion) {
        memory_free_texts(structure->dof_names, structure->n_dofs);
        structure->dof_names = NULL;
        sparse_clear(&structure->sparse_mass);
        sparse_clear(&structure->sparse_stiffness);
        return MASING_OK;
    }
    struct condensed_structure *full = memory_array(1, sizeof *full);
    NEED_ALLOCATED(full);
    *full = (struct condensed_structure){.n_dofs = structure->n_dofs,
                                         .dof_names = structure->dof_names,
                                         .mass = structure->sparse_mass,
                                         .stiffness = structure->sparse_stiffness,
                                         .n_ports = c->n_ports,
                                         .ports = memory_array(n, sizeof *full->ports),
                                         .shift = c->shift,
                                         .scale = c->top * c->top + c->shift,
                                         .n_modes = c->n_modes,
                                         .n_terms = c->n_terms};
    structure->condensed = full;
    structure->dof_names = NULL;
    structure->sparse_mass = structure->sparse_stiffness = (struct masing_sparse){0};
    NEED_ALLOCATED(full->ports);
    for (size_t p = 0; p < n; p++) {
        const struct masing_combination *over = &c->ports[p];
        full->ports[p].terms =
            memory_copy(over->terms, (size_t)over->n_terms, sizeof *over->terms);
        full->ports[p].n_terms = over->n_terms;
        NEED_ALLOCATED(full->ports[p].terms);
    }
    return MASING_OK;
}

/* The structure itself: modal data. names [n_ports] are its DOFs', or NULL. */
static enum masing_status set_structure(struct condensation *c, char **names,
                                        struct masing_error *error)
{
    struct masing_structure_spec *structure = &c->spec->structure;
    size_t n = (size_t)c->n_ports, n_modes = (size_t)c->n_modes;
    char **own = NULL;
    if (names && structure->dof_names) {
        NEED_ALLOCATED(own = memory_array(n, sizeof *own));
        memcpy(own, names, n * sizeof *own);
        memset(names, 0, n * sizeof *names);
    }
    enum masing_status status = keep_full(c, error);
    structure->dof_names = own;
    structure->n_given = structure->n_dofs;
    structure->n_dofs = (int)n;
    NEED(status);
    structure->n_modes = c->n_modes;
    structure->omega_modes = memory_array(n_modes, sizeof(double));
    structure->rest = memory_array(n_modes, sizeof(double));
    structure->mode_shapes = memory_copy(modal_of(c), n * n_modes, sizeof(double));
    structure->far = shared_array_hold(c->far);
    structure->n_far = c->n_terms;
    structure->far_shift = c->shift;
    structure->far_scale = c->top * c->top + c->shift;
    NEED_ALLOCATED(structure->omega_modes && structure->rest && structure->mode_shapes &&
                   structure->far);
    for (size_t k = 0; k < n_modes; k++) {
        bool is_rigid = k < (size_t)c->n_rigid;
        structure->omega_modes[k] = is_rigid ? 0.0 : sqrt(squares_of(c)[k]);
        structure->rest[k] = is_rigid ? squares_of(c)[k] : 0.0;
    }
    return MASING_OK;
}

static void clear(struct condensation *c)
{
    free(c->result);
    shared_array_release(c->far);
    sparse_modes_clear(&c->modes);
    sparse_factor_destroy(c->factor);
}

enum masing_status sparse_structure_expand(struct masing_sparse *sparse, double **dense,
                                           struct masing_error *error)
{
    size_t n = (size_t)sparse->n;
    NEED_ALLOCATED(*dense = memory_array(n * n, sizeof **dense));
    sparse_expand(sparse, *dense);
    sparse_clear(sparse);
    return MASING_OK;
}

/* At most: several axes may share DOFs. */
static int count_ports(const struct masing_spec *spec)
{
    int n = spec->n_outputs + 2 * spec->n_loads + spec->n_static_loads;
    for (int j = 0; j < spec->n_joints; j++) {
        n += masing_joint_spec_axes(&spec->joints[j]);
    }
    return n;
}

bool sparse_structure_needs_all(const struct masing_spec *spec)
{
    const struct masing_damping_spec *form = &spec->structure.form;
    return spec->mode.number > 0 || spec->ringdown.start != MASING_DECAY_NONE ||
           spec->initial.displacements.n_terms > 0 || spec->initial.velocities.n_terms > 0 ||
           spec->structure.per_speed_squared || form->modes_are_stuck || form->n_ratios > 1;
}

/* What is asked for needs all modes, or would make a port of nearly every DOF. */
static bool is_better_dense(const struct masing_spec *spec)
{
    return spec->structure.n_dofs <= FEW_ROWS ||
           (spec->structure.n_dofs <= MOST_DENSE &&
            (sparse_structure_needs_all(spec) || count_ports(spec) > MANY_PORTS));
}

enum masing_status sparse_structure_refuse_large(const struct masing_spec *spec, int most,
                                                 int copies, struct masing_error *error)
{
    const struct masing_structure_spec *structure = &spec->structure;
    double n = (double)copies * count_ports(spec);
    if (sparse_structure_needs_all(spec)) {
        return model_refuse(spec, structure->place, error,
                            "structure: of %d DOFs only the lowest modes are found, which is "
                            "not enough for modes, ring-downs, initial states, "
                            "per_speed_squared, lists of modal ratios and ratios of stuck "
                            "modes; expected at most %d DOFs for these",
                            structure->n_dofs, most);
    }
    return n <= MOST_PORTS
               ? MASING_OK
               : model_refuse(spec, structure->place, error,
                              "structure: %.0f axes, loads and outputs act on it, whose "
                              "flexibility takes %.3g GB several times; expected at most %d, "
                              "%.3g GB",
                              n / copies, 8e-9 * n * n, MOST_PORTS / copies,
                              8e-9 * (double)MOST_PORTS * MOST_PORTS);
}

static enum masing_status expand(struct masing_structure_spec *structure,
                                 struct masing_error *error)
{
    NEED(sparse_structure_expand(&structure->sparse_mass, &structure->mass, error));
    return sparse_structure_expand(&structure->sparse_stiffness, &structure->stiffness, error);
}

/* What a condensation is made of. */
static struct structure_key key_of(const struct condensation *c)
{
    struct structure_key key = {{0}};
    const struct masing_sparse *matrices[] = {c->mass, c->stiffness};
    for (int m = 0; m < 2; m++) {
        size_t n = (size_t)matrices[m]->n, count = (size_t)matrices[m]->start[n];
        structure_key_add(&key, matrices[m]->start, (n + 1) * sizeof *matrices[m]->start);
        structure_key_add(&key, matrices[m]->rows, count * sizeof *matrices[m]->rows);
        structure_key_add(&key, matrices[m]->values, count * sizeof *matrices[m]->values);
    }
    for (int p = 0; p < c->n_ports; p++) {
        const struct masing_combination *port = &c->ports[p];
        structure_key_add(&key, &port->n_terms, sizeof port->n_terms);
        for (int t = 0; t < port->n_terms; t++) {
            structure_key_add(&key, &port->terms[t].dof, sizeof port->terms[t].dof);
            structure_key_add(&key, &port->terms[t].weight, sizeof port->terms[t].weight);
        }
    }
    structure_key_add(&key, &c->top, sizeof c->top);
    return key;
}

/* Modes and series, of which the shapes are needed no more. */
static enum masing_status solve(struct condensation *c, struct masing_error *error)
{
    bool is_missed = true;
    NEED(factorise(c, error));
    for (int attempt = 0; is_missed && attempt < 3; attempt++) {
        NEED(find_modes(c, attempt ? c->modes.n + EXTRA_MODES : first_modes(c), error));
        NEED(sparse_modes_find_missed(c->stiffness, c->mass, c->shift, c->factor, &c->modes,
                                      &is_missed, error));
    }
    if (is_missed) {
        return masing_error_set(error, MASING_NOT_CONVERGED,
                                "modes of the structure below %.6g Hz were missed",
                                sqrt(c->modes.omega_squared[c->modes.n - 1]) / TWO_PI);
    }
    count_rigid(c);
    NEED(fill(c, error));
    sparse_modes_clear(&c->modes);
    sparse_factor_destroy(c->factor);
    c->factor = NULL;
    return MASING_OK;
}

static enum masing_status solve_or_recall(struct condensation *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct structure_cache *cache = c->spec->structure.cache;
    const struct structure_key key = key_of(c);
    structure_cache_lock(cache);
    c->result = structure_cache_find(cache, &key, &c->far);
    if (!c->result) {
        TRY(solve(c, error));
        structure_cache_keep(cache, &key, c->result, result_size(c->n_ports, c->n_modes),
                             c->far);
    }
    c->top = c->result[0];
    c->shift = c->result[1];
    c->n_modes = (int)c->result[2];
    c->n_terms = (int)c->result[3];
    c->n_rigid = (int)c->result[4];
done:
    structure_cache_unlock(cache);
    return status;
}

enum masing_status sparse_structure_condense_to(struct masing_spec *spec, int n_ports,
                                                const struct masing_combination *ports,
                                                char **names, bool *wants_all,
                                                struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct condensation c = {.spec = spec,
                             .n_ports = n_ports,
                             .ports = ports,
                             .mass = &spec->structure.sparse_mass,
                             .stiffness = &spec->structure.sparse_stiffness,
                             .top = sparse_structure_highest(spec)};
    status = solve_or_recall(&c, error);
    *wants_all = c.wants_all;
    TRY(status);
    TRY(set_structure(&c, names, error));
done:
    clear(&c);
    return status;
}

enum masing_status sparse_structure_condense(struct masing_spec *spec,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_structure_spec *structure = &spec->structure;
    struct sparse_ports ports = {.n = 0};
    bool wants_all = false;
    if (structure->sparse_mass.n == 0) {
        return MASING_OK;
    }
    NEED(sparse_structure_check(spec, error));
    if (is_better_dense(spec)) {
        return expand(structure, error);
    }
    NEED(sparse_structure_refuse_large(spec, MOST_DENSE, 1, error));
    TRY(sparse_ports_take(spec, structure->n_dofs, &ports, error));
    status =
        sparse_structure_condense_to(spec, ports.n, ports.list, ports.names, &wants_all, error);
    if (status != MASING_OK && wants_all && structure->n_dofs <= MOST_DENSE) {
        sparse_ports_give_back(&ports);
        status = expand(structure, error);
        goto done;
    }
    TRY(status);
    TRY(sparse_ports_set_loads(&ports, error));
done:
    sparse_ports_clear(&ports);
    return status;
}
