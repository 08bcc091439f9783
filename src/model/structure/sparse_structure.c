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
#include "model/structure/structure_cache.h"

/* Patterns of more DOFs than these are ports of their own. */
enum { FEW_DOFS = 6 };
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
/* What the series may leave out, relative to its first term. */
static const double LEFT_OUT = 1e-12;
/* Part of the square of the highest frequency that K is shifted by. */
static const double SHIFT_SHARE = 0.1;
/* More modes, where one was missed. */
enum { EXTRA_MODES = 12 };
/* The range is widened by this part, as receptances are. */
static const double RANGE_MARGIN = 1.05;

/* --- ports -------------------------------------------------------------------------------- */

/* A weighted sum of DOFs, most often of one. */
struct port {
    struct masing_combination over; /* in the arena */
    char *name;                     /* owned until the specification has it */
};

struct ports {
    struct masing_spec *spec;
    struct arena arena;
    int n, n_dofs;
    size_t capacity;
    struct port *list;
    int *of_dof; /* [n_dofs] the port that is this DOF alone, or -1 */
};

/* terms are copied; name is owned by the port then, NULL: none was to be had. */
static enum masing_status add_port(struct ports *ports, int n_terms,
                                   const struct masing_term *terms, char *name, int *index,
                                   struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct port port = {.over.n_terms = n_terms, .name = name};
    port.over.terms = arena_array(&ports->arena, (size_t)n_terms, sizeof *terms);
    TRY_ALLOCATED(name && port.over.terms);
    TRY_ALLOCATED(memory_grow((void **)&ports->list, (size_t)ports->n + 1, &ports->capacity,
                              sizeof *ports->list));
    memcpy(port.over.terms, terms, (size_t)n_terms * sizeof *terms);
    *index = ports->n;
    ports->list[ports->n++] = port;
    name = NULL;
done:
    free(name);
    return status;
}

static enum masing_status add_dof(struct ports *ports, int dof, struct masing_error *error)
{
    char *const *names = ports->spec->structure.dof_names;
    const struct masing_term term = {dof, 1.0};
    return ports->of_dof[dof] >= 0
               ? MASING_OK
               : add_port(ports, 1, &term,
                          names ? memory_text(names[dof]) : memory_format("%d", dof + 1),
                          &ports->of_dof[dof], error);
}

/* DOFs of a combination become ports; one of more than so many DOFs becomes one port, of
 * weight 1. */
static enum masing_status take_combination(struct ports *ports, int most,
                                           struct masing_combination *combination,
                                           const char *what, int number,
                                           struct masing_error *error)
{
    int n = combination->n_terms;
    struct masing_term *terms = combination->terms;
    for (int t = 0; n <= most && t < n; t++) {
        NEED(add_dof(ports, terms[t].dof, error));
        terms[t].dof = ports->of_dof[terms[t].dof];
    }
    if (n > most) {
        NEED(add_port(ports, n, terms, memory_format("%s %d", what, number), &terms[0].dof,
                      error));
        terms[0].weight = 1.0;
        combination->n_terms = 1;
    }
    return MASING_OK;
}

/* A pattern of forces, which becomes one over the ports when all of them are known. */
struct force {
    double **place;                 /* in the specification */
    struct masing_combination over; /* ports, in the arena */
    bool is_none;
};

static enum masing_status take_force(struct ports *ports, double **place, const double *pattern,
                                     const char *what, int number, struct force *force,
                                     struct masing_error *error)
{
    int count = 0;
    *force = (struct force){.place = place, .is_none = !pattern};
    for (int i = 0; pattern && i < ports->n_dofs; i++) {
        count += pattern[i] != 0.0;
    }
    struct masing_term *terms = arena_array(&ports->arena, (size_t)count, sizeof *terms);
    NEED_ALLOCATED(terms);
    force->over.terms = terms;
    for (int i = 0; pattern && i < ports->n_dofs; i++) {
        if (pattern[i] != 0.0) {
            terms[force->over.n_terms++] = (struct masing_term){i, pattern[i]};
        }
    }
    return take_combination(ports, FEW_DOFS, &force->over, what, number, error);
}

/* --- loads -------------------------------------------------------------------------------- */

/* What of the loads are forces; loads that move the base keep their direction beside it. */
struct forces {
    int n;
    struct force *list;
};

static enum masing_status take_inertia(struct ports *ports, const double *direction,
                                       const double **force, struct masing_error *error)
{
    double *product = arena_doubles(&ports->arena, (size_t)ports->n_dofs);
    NEED_ALLOCATED(product);
    sparse_multiply(&ports->spec->structure.sparse_mass, 1, direction, product);
    *force = product;
    return MASING_OK;
}

static enum masing_status take_loads(struct ports *ports, struct forces *forces,
                                     struct masing_error *error)
{
    struct masing_spec *spec = ports->spec;
    const double *inertia = NULL;
    forces->list =
        arena_array(&ports->arena, 2 * (size_t)spec->n_loads + (size_t)spec->n_static_loads,
                    sizeof *forces->list);
    NEED_ALLOCATED(forces->list);
    for (int l = 0; l < spec->n_loads; l++) {
        struct masing_load_spec *load = &spec->loads[l];
        struct force *force = &forces->list[forces->n];
        if (load->kind == MASING_LOAD_BASE_ACCELERATION) {
            NEED(take_inertia(ports, load->pattern, &inertia, error));
            NEED(
                take_force(ports, &load->inertia, inertia, "base motion", l + 1, force, error));
            forces->n++;
            continue;
        }
        NEED(take_force(ports, &load->pattern, load->pattern, "load", l + 1, force, error));
        NEED(take_force(ports, &load->pattern_imaginary, load->pattern_imaginary,
                        "imaginary part of load", l + 1, force + 1, error));
        forces->n += 2;
    }
    for (int l = 0; l < spec->n_static_loads; l++) {
        struct masing_static_load_spec *load = &spec->static_loads[l];
        inertia = load->pattern;
        if (load->is_acceleration) {
            NEED(take_inertia(ports, load->pattern, &inertia, error));
        }
        NEED(take_force(ports, &load->pattern, inertia, "static load", l + 1,
                        &forces->list[forces->n++], error));
    }
    return MASING_OK;
}

static enum masing_status take_combinations(struct ports *ports, struct masing_error *error)
{
    struct masing_spec *spec = ports->spec;
    int n_axes = 0;
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            NEED(take_combination(ports, 1, &spec->joints[j].axes[a], "axis of joint", ++n_axes,
                                  error));
        }
    }
    for (int o = 0; o < spec->n_outputs; o++) {
        NEED(take_combination(ports, FEW_DOFS, &spec->outputs[o].combination, "output", o + 1,
                              error));
    }
    return take_combination(ports, FEW_DOFS, &spec->ringdown.hit, "impulse", 1, error);
}

/* What take_combination did, undone. */
static void give_back(const struct ports *ports, struct masing_combination *combination)
{
    const struct masing_combination *over =
        combination->n_terms > 0 ? &ports->list[combination->terms[0].dof].over : NULL;
    if (over && over->n_terms > 1) {
        combination->n_terms = over->n_terms;
        memcpy(combination->terms, over->terms,
               (size_t)over->n_terms * sizeof *combination->terms);
        return;
    }
    for (int t = 0; t < combination->n_terms; t++) {
        struct masing_term *term = &combination->terms[t];
        term->dof = ports->list[term->dof].over.terms[0].dof;
    }
}

static void give_back_combinations(const struct ports *ports)
{
    struct masing_spec *spec = ports->spec;
    for (int j = 0; j < spec->n_joints; j++) {
        for (int a = 0; a < masing_joint_spec_axes(&spec->joints[j]); a++) {
            give_back(ports, &spec->joints[j].axes[a]);
        }
    }
    for (int o = 0; o < spec->n_outputs; o++) {
        give_back(ports, &spec->outputs[o].combination);
    }
}

/* --- modes and series --------------------------------------------------------------------- */

/* Numbers at the beginning of a result. */
enum { RESULT_NUMBERS = 5 };

struct condensation {
    struct ports ports;
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
    const struct masing_spec *spec = c->ports.spec;
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
static int terms_of(double ratio)
{
    double n = ceil(log(LEFT_OUT * (1.0 - ratio)) / log(ratio));
    return (int)fmin(fmax(n, 1.0), MOST_TERMS);
}

static enum masing_status solve_modes(struct condensation *c, int n, struct masing_error *error)
{
    struct masing_error inner = {0};
    const struct masing_spec *spec = c->ports.spec;
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
    int n = c->ports.n / PORTS_PER_MODE;
    return n < FEWEST_MODES ? FEWEST_MODES : n > MANY_MODES ? MANY_MODES : n;
}

/* Modes up to what is wanted beyond the highest frequency; as many as there may be at most.
 * Where these are not enough, wants_all, and refused where the structure is large. */
static enum masing_status find_modes(struct condensation *c, int fewest,
                                     struct masing_error *error)
{
    const struct masing_spec *spec = c->ports.spec;
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
    const struct ports *ports = &c->ports;
    struct arena scratch = {0};
    struct masing_combination *over = arena_array(&scratch, (size_t)ports->n, sizeof *over);
    enum masing_status status = MASING_OK;
    TRY_ALLOCATED(over);
    for (int p = 0; p < ports->n; p++) {
        over[p] = ports->list[p].over;
    }
    const struct residual_series series = {.mass = c->mass,
                                           .factor = c->factor,
                                           .modes = &c->modes,
                                           .scale = c->top * c->top + c->shift,
                                           .shift = c->shift,
                                           .n_ports = ports->n,
                                           .n_terms = c->n_terms,
                                           .ports = over};
    TRY(residual_series_fill(&series, c->far, error));
done:
    arena_clear(&scratch);
    return status;
}

static enum masing_status fill(struct condensation *c, struct masing_error *error)
{
    const struct ports *ports = &c->ports;
    size_t n = (size_t)ports->n, n_modes = (size_t)c->modes.n;
    double last = c->modes.omega_squared[n_modes - 1] + c->shift;
    double ratio = (c->top * c->top + c->shift) / last;
    c->n_terms = terms_of(ratio);
    c->n_modes = (int)n_modes;
    c->result = memory_array(result_size(ports->n, c->n_modes), sizeof *c->result);
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
        modal_of(c)[at] = residual_series_port(
            &ports->list[at % n].over, c->modes.shapes + at / n * (size_t)ports->n_dofs);
    }
    return fill_far(c, error);
}

/* --- the specification afterwards --------------------------------------------------------- */

/* Owned by the specification: what a pattern is over the ports. */
static enum masing_status set_pattern(const struct ports *ports, const struct force *force,
                                      struct masing_error *error)
{
    double *pattern = force->is_none ? NULL : memory_array((size_t)ports->n, sizeof *pattern);
    NEED_ALLOCATED(pattern || force->is_none);
    for (int t = 0; pattern && t < force->over.n_terms; t++) {
        pattern[force->over.terms[t].dof] += force->over.terms[t].weight;
    }
    free(*force->place);
    *force->place = pattern;
    return MASING_OK;
}

/* The direction of the base over the ports. */
static enum masing_status set_direction(const struct ports *ports, double **direction,
                                        struct masing_error *error)
{
    double *values = memory_array((size_t)ports->n, sizeof *values);
    NEED_ALLOCATED(values);
    for (int p = 0; p < ports->n; p++) {
        values[p] = residual_series_port(&ports->list[p].over, *direction);
    }
    free(*direction);
    *direction = values;
    return MASING_OK;
}

static enum masing_status set_loads(struct condensation *c, const struct forces *forces,
                                    struct masing_error *error)
{
    struct masing_spec *spec = c->ports.spec;
    for (int l = 0; l < spec->n_loads; l++) {
        if (spec->loads[l].kind == MASING_LOAD_BASE_ACCELERATION) {
            NEED(set_direction(&c->ports, &spec->loads[l].pattern, error));
        }
    }
    for (int f = 0; f < forces->n; f++) {
        NEED(set_pattern(&c->ports, &forces->list[f], error));
    }
    for (int l = 0; l < spec->n_static_loads; l++) { /* forces now */
        struct masing_static_load_spec *load = &spec->static_loads[l];
        for (int p = 0; load->is_acceleration && p < c->ports.n; p++) {
            load->pattern[p] *= load->acceleration;
        }
        load->is_acceleration = false;
    }
    return MASING_OK;
}

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
    struct masing_structure_spec *structure = &c->ports.spec->structure;
    size_t n = (size_t)c->ports.n;
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
                                         .n_ports = c->ports.n,
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
        const struct masing_combination *over = &c->ports.list[p].over;
        full->ports[p].terms =
            memory_copy(over->terms, (size_t)over->n_terms, sizeof *over->terms);
        full->ports[p].n_terms = over->n_terms;
        NEED_ALLOCATED(full->ports[p].terms);
    }
    return MASING_OK;
}

/* The structure itself: modal data. */
static enum masing_status set_structure(struct condensation *c, struct masing_error *error)
{
    struct masing_structure_spec *structure = &c->ports.spec->structure;
    size_t n = (size_t)c->ports.n, n_modes = (size_t)c->n_modes;
    bool has_names = structure->dof_names != NULL;
    NEED(keep_full(c, error));
    char **names = has_names ? memory_array(n, sizeof *names) : NULL;
    NEED_ALLOCATED(names || !has_names);
    for (size_t p = 0; names && p < n; p++) {
        names[p] = c->ports.list[p].name;
        c->ports.list[p].name = NULL;
    }
    structure->dof_names = names;
    structure->n_given = structure->n_dofs;
    structure->n_dofs = (int)n;
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
    for (int p = 0; p < c->ports.n; p++) {
        free(c->ports.list[p].name);
    }
    free(c->ports.list);
    free(c->result);
    shared_array_release(c->far);
    sparse_modes_clear(&c->modes);
    sparse_factor_destroy(c->factor);
    arena_clear(&c->ports.arena);
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

static bool needs_all_modes(const struct masing_spec *spec)
{
    const struct masing_damping_spec *form = &spec->structure.form;
    return spec->mode.number > 0 || spec->ringdown.start != MASING_DECAY_NONE ||
           spec->initial.displacements.n_terms > 0 || spec->initial.velocities.n_terms > 0 ||
           form->modes_are_stuck || form->n_ratios > 1;
}

/* What is asked for needs all modes, or would make a port of nearly every DOF. */
static bool is_better_dense(const struct masing_spec *spec)
{
    return spec->structure.n_dofs <= FEW_ROWS ||
           (spec->structure.n_dofs <= MOST_DENSE &&
            (needs_all_modes(spec) || count_ports(spec) > MANY_PORTS));
}

static enum masing_status refuse_large(const struct masing_spec *spec,
                                       struct masing_error *error)
{
    const struct masing_structure_spec *structure = &spec->structure;
    double n = count_ports(spec);
    if (needs_all_modes(spec)) {
        return model_refuse(spec, structure->place, error,
                            "structure: of %d DOFs only the lowest modes are found, which is "
                            "not enough for modes, ring-downs, initial states, lists of modal "
                            "ratios and ratios of stuck modes; expected at most %d DOFs for "
                            "these",
                            structure->n_dofs, MOST_DENSE);
    }
    return n <= MOST_PORTS
               ? MASING_OK
               : model_refuse(spec, structure->place, error,
                              "structure: %.0f axes, loads and outputs act on it, whose "
                              "flexibility takes %.3g GB several times; expected at most %d, "
                              "%.3g GB",
                              n, 8e-9 * n * n, MOST_PORTS,
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
    for (int p = 0; p < c->ports.n; p++) {
        const struct masing_combination *port = &c->ports.list[p].over;
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
    struct structure_cache *cache = c->ports.spec->structure.cache;
    const struct structure_key key = key_of(c);
    structure_cache_lock(cache);
    c->result = structure_cache_find(cache, &key, &c->far);
    if (!c->result) {
        TRY(solve(c, error));
        structure_cache_keep(cache, &key, c->result, result_size(c->ports.n, c->n_modes),
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

enum masing_status sparse_structure_condense(struct masing_spec *spec,
                                             struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_structure_spec *structure = &spec->structure;
    struct condensation c = {.mass = &structure->sparse_mass,
                             .stiffness = &structure->sparse_stiffness,
                             .top = sparse_structure_highest(spec)};
    struct ports *ports = &c.ports;
    struct forces forces = {0};
    if (structure->sparse_mass.n == 0) {
        return MASING_OK;
    }
    NEED(sparse_structure_check(spec, error));
    if (is_better_dense(spec)) {
        return expand(&spec->structure, error);
    }
    NEED(refuse_large(spec, error));
    *ports = (struct ports){.spec = spec, .n_dofs = structure->n_dofs};
    ports->of_dof = arena_array(&ports->arena, (size_t)ports->n_dofs, sizeof(int));
    TRY_ALLOCATED(ports->of_dof);
    for (int i = 0; i < ports->n_dofs; i++) {
        ports->of_dof[i] = -1;
    }
    TRY(take_combinations(ports, error));
    TRY(take_loads(ports, &forces, error));
    if (ports->n == 0) {
        TRY(add_dof(ports, 0, error));
    }
    status = solve_or_recall(&c, error);
    if (c.wants_all && structure->n_dofs <= MOST_DENSE) {
        give_back_combinations(ports);
        status = expand(&spec->structure, error);
        goto done;
    }
    TRY(status);
    TRY(set_loads(&c, &forces, error));
    TRY(set_structure(&c, error));
done:
    clear(&c);
    return status;
}
