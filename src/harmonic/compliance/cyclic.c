/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compliance of one sector in a travelling wave: every harmonic in the structure of its nodal
 * diameter, where a port is there twice, as a cosine and a sine over the sectors. A force f on
 * the cosine goes with -i f on the sine, and with i f where the wave runs against the nodal
 * diameter; the motion of the sector is that of the cosine.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "harmonic/compliance/compliance.h"
#include "model/cyclic.h"

/* The harmonics of one nodal diameter. */
struct part {
    int number; /* nodal diameter */
    bool is_pair;
    struct cyclic_diameter own; /* made for this; without structure: the model has it */
    const struct structure *structure;
    const struct condensed_structure *condensed; /* what it was, or NULL */
    struct compliance_ports in, out;             /* [n_in], of a pair [2 n_in]; [n_out] */
    struct compliance *compliance;
    int n_harmonics;
    int *harmonics;  /* [n_harmonics] ascending */
    int *index;      /* [n_harmonics] of the whole list */
    double *turning; /* [n_harmonics] -1: sines take -i f, 1: i f */
    double *force;   /* [n_harmonics][n_in or 2 n_in][2] */
};

struct cyclic_compliance {
    struct compliance base;
    int n_parts;
    struct part *parts; /* [n_harmonics] room */
};

static struct cyclic_compliance *cyclic_of(struct compliance *compliance)
{
    return (struct cyclic_compliance *)compliance;
}

/* --- creation ----------------------------------------------------------------------------- */

static struct part *find_part(struct cyclic_compliance *made, int number)
{
    for (int i = 0; i < made->n_parts; i++) {
        if (made->parts[i].number == number) {
            return &made->parts[i];
        }
    }
    return NULL;
}

static enum masing_status begin_part(const struct masing_model *model, int number, int most,
                                     struct cyclic_compliance *made, struct part **begun,
                                     struct masing_error *error)
{
    struct arena *arena = &made->base.arena;
    struct part *part = *begun = &made->parts[made->n_parts++];
    part->number = number;
    part->is_pair = cyclic_is_pair(model->cyclic, number);
    part->structure = cyclic_structure(model, number);
    part->harmonics = arena_array(arena, (size_t)most, sizeof(int));
    part->index = arena_array(arena, (size_t)most, sizeof(int));
    part->turning = arena_doubles(arena, (size_t)most);
    NEED_ALLOCATED(!arena->has_failed);
    part->condensed = cyclic_condensed(model, number);
    if (!part->structure) {
        NEED(cyclic_diameter_create(model, number, 0, &part->own, error));
        part->structure = part->own.structure;
        part->condensed = part->own.modal.structure.condensed;
    }
    return MASING_OK;
}

static enum masing_status divide_harmonics(const struct compliance_settings *settings,
                                           struct cyclic_compliance *made,
                                           struct masing_error *error)
{
    const struct masing_model *model = settings->cyclic;
    size_t n = (size_t)settings->n_harmonics;
    NEED_ALLOCATED(made->parts = arena_array(&made->base.arena, n, sizeof *made->parts));
    for (int k = 0; k < settings->n_harmonics; k++) {
        bool is_reversed;
        int number = cyclic_diameter_of(model->cyclic, settings->harmonics[k], &is_reversed);
        struct part *part = find_part(made, number);
        NEED(part ? MASING_OK
                  : begin_part(model, number, settings->n_harmonics, made, &part, error));
        part->harmonics[part->n_harmonics] = settings->harmonics[k];
        part->index[part->n_harmonics] = k;
        part->turning[part->n_harmonics++] = is_reversed ? 1.0 : -1.0;
    }
    return MASING_OK;
}

/* Ports of a nodal diameter: those given, of a pair's inputs the sines behind them. */
static enum masing_status project_ports(const struct masing_model *model, int number, int n,
                                        int n_copies, const struct compliance_ports *ports,
                                        struct arena *arena, struct compliance_ports *made,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    size_t count = 2 * ports->first[n];
    struct masing_term *own = arena_array(&scratch, ports->first[n], sizeof *own);
    struct masing_term *terms = arena_array(&scratch, count, sizeof *terms);
    TRY_ALLOCATED(!scratch.has_failed);
    TRY(compliance_ports_create(n * n_copies, count * (size_t)n_copies, arena, made, error));
    for (int p = 0; p < n * n_copies; p++) {
        size_t first = ports->first[p % n], n_terms = ports->first[p % n + 1] - first;
        const struct masing_combination port = {(int)n_terms, own};
        for (size_t t = 0; t < n_terms; t++) {
            own[t] = (struct masing_term){ports->dofs[first + t], ports->weights[first + t]};
        }
        struct masing_combination sum = cyclic_project(model, number, p >= n, &port, terms);
        compliance_ports_add_sum(made, p, &sum);
    }
done:
    arena_clear(&scratch);
    return status;
}

/* Those of the part's harmonics, by its own list of them. */
static int take_exclusions(const struct compliance_settings *settings, const struct part *part,
                           struct compliance_exclusion *exclusions)
{
    int n = 0;
    for (int e = 0; e < settings->n_exclusions; e++) {
        for (int k = 0; k < part->n_harmonics; k++) {
            if (part->index[k] == settings->exclusions[e].harmonic_index) {
                exclusions[n++] =
                    (struct compliance_exclusion){k, settings->exclusions[e].mode};
            }
        }
    }
    return n;
}

static enum masing_status create_part(const struct compliance_settings *settings,
                                      struct arena *arena, struct part *part,
                                      struct masing_error *error)
{
    const struct masing_model *model = settings->cyclic;
    int n_copies = part->is_pair ? 2 : 1;
    NEED(project_ports(model, part->number, settings->n_in, n_copies, &settings->in, arena,
                       &part->in, error));
    NEED(project_ports(model, part->number, settings->n_out, 1, &settings->out, arena,
                       &part->out, error));
    struct compliance_exclusion *exclusions =
        arena_array(arena, (size_t)settings->n_exclusions, sizeof *exclusions);
    NEED_ALLOCATED(exclusions);
    const struct compliance_settings own = {
        .n_in = settings->n_in * n_copies,
        .n_out = settings->n_out,
        .in = part->in,
        .out = part->out,
        .n_harmonics = part->n_harmonics,
        .harmonics = part->harmonics,
        .omega_max = settings->omega_max,
        .n_exclusions = take_exclusions(settings, part, exclusions),
        .exclusions = exclusions,
    };
    NEED(compliance_create(part->structure, &own, &part->compliance, error));
    part->force = arena_doubles(arena, 2 * (size_t)(own.n_harmonics * own.n_in));
    NEED_ALLOCATED(part->force);
    return MASING_OK;
}

static enum masing_status create(struct compliance *compliance,
                                 const struct compliance_settings *settings,
                                 struct masing_error *error)
{
    struct cyclic_compliance *made = cyclic_of(compliance);
    NEED(divide_harmonics(settings, made, error));
    for (int i = 0; i < made->n_parts; i++) {
        NEED(create_part(settings, &compliance->arena, &made->parts[i], error));
    }
    return MASING_OK;
}

static void destroy(struct compliance *compliance)
{
    struct cyclic_compliance *made = cyclic_of(compliance);
    for (int i = 0; i < made->n_parts; i++) {
        compliance_destroy(made->parts[i].compliance);
        cyclic_diameter_clear(&made->parts[i].own);
    }
}

/* --- evaluation --------------------------------------------------------------------------- */

/* real + i imaginary [n] = C + i t S of the cosines' and sines' [n] each, S NULL: C alone */
static void combine(size_t n, double t, const double *c_real, const double *c_imaginary,
                    const double *s_real, const double *s_imaginary, double *real,
                    double *imaginary)
{
    for (size_t i = 0; i < n; i++) {
        real[i] = c_real[i] - (s_real ? t * s_imaginary[i] : 0.0);
        imaginary[i] = c_imaginary[i] + (s_real ? t * s_real[i] : 0.0);
    }
}

static enum masing_status evaluate(struct compliance *compliance, double omega,
                                   bool with_slopes)
{
    struct cyclic_compliance *made = cyclic_of(compliance);
    size_t size = (size_t)compliance->n_in * (size_t)compliance->n_out;
    for (int i = 0; i < made->n_parts; i++) {
        const struct part *part = &made->parts[i];
        const struct compliance *own = part->compliance;
        NEED(compliance_evaluate(part->compliance, omega, with_slopes));
        for (int k = 0; k < part->n_harmonics; k++) {
            size_t from = (size_t)k * size * (part->is_pair ? 2 : 1), sine = from + size;
            size_t to = (size_t)part->index[k] * size;
            bool is_pair = part->is_pair;
            combine(size, part->turning[k], own->real + from, own->imaginary + from,
                    is_pair ? own->real + sine : NULL, is_pair ? own->imaginary + sine : NULL,
                    compliance->real + to, compliance->imaginary + to);
            if (with_slopes) {
                combine(size, part->turning[k], own->d_real + from, own->d_imaginary + from,
                        is_pair ? own->d_real + sine : NULL,
                        is_pair ? own->d_imaginary + sine : NULL, compliance->d_real + to,
                        compliance->d_imaginary + to);
            }
        }
    }
    return MASING_OK;
}

/* Forces of the ports at a harmonic of a part, f [n_in][2], as those of the part's. */
static double *take_force(const struct part *part, int k, size_t n_in, const double *f)
{
    size_t size = 2 * n_in * (part->is_pair ? 2 : 1);
    double *to = part->force + (size_t)k * size, *sine = to + 2 * n_in;
    double t = part->turning[k];
    memcpy(to, f, 2 * n_in * sizeof *to);
    for (size_t i = 0; part->is_pair && i < n_in; i++) {
        sine[2 * i] = -t * f[2 * i + 1];
        sine[2 * i + 1] = t * f[2 * i];
    }
    return to;
}

/* Cosine and sine lose as much as two sectors. */
static double loss(struct compliance *compliance, double omega, const double *force)
{
    struct cyclic_compliance *made = cyclic_of(compliance);
    double total = 0.0;
    size_t n_in = (size_t)compliance->n_in;
    for (int i = 0; i < made->n_parts; i++) {
        const struct part *part = &made->parts[i];
        for (int k = 0; k < part->n_harmonics; k++) {
            take_force(part, k, n_in, force + 2 * n_in * (size_t)part->index[k]);
        }
        total +=
            (part->is_pair ? 0.5 : 1.0) * compliance_loss(part->compliance, omega, part->force);
    }
    return total;
}

/* The part of a harmonic of the whole list, its index there. */
static const struct part *part_of(const struct cyclic_compliance *made, int index, int *at)
{
    for (int i = 0; i < made->n_parts; i++) {
        for (int k = 0; k < made->parts[i].n_harmonics; k++) {
            if (made->parts[i].index[k] == index) {
                *at = k;
                return &made->parts[i];
            }
        }
    }
    return NULL;
}

static const struct structure *push_modes(const struct compliance *compliance, int index,
                                          const double *force, double complex *q, int *copies)
{
    int k = 0;
    const struct part *part = part_of((const struct cyclic_compliance *)compliance, index, &k);
    const double *own = take_force(part, k, (size_t)compliance->n_in, force);
    compliance_push_modes(part->compliance, k, own, q, copies);
    *copies = part->is_pair ? 2 : 1;
    return part->structure;
}

static struct compliance_view view(const struct compliance *compliance, int index,
                                   const double *force)
{
    int k = 0;
    const struct part *part = part_of((const struct cyclic_compliance *)compliance, index, &k);
    return (struct compliance_view){part->compliance, k,
                                    take_force(part, k, (size_t)compliance->n_in, force),
                                    part->condensed};
}

const struct compliance_kind compliance_cyclic = {
    .size = sizeof(struct cyclic_compliance),
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .loss = loss,
    .push_modes = push_modes,
    .view = view,
};
