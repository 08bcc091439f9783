/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds model specifications for tests. Memory that runs out ends the test program. */
#ifndef MASING_TESTS_SPECIMEN_H
#define MASING_TESTS_SPECIMEN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "masing/model.h"

static inline void *specimen_array(size_t count, size_t size)
{
    void *array = calloc(count ? count : 1, size);
    if (!array) {
        abort();
    }
    return array;
}

static inline char *specimen_text(const char *text)
{
    char *copy = specimen_array(strlen(text) + 1, 1);
    memcpy(copy, text, strlen(text) + 1);
    return copy;
}

/* Numbers in [-1, 1), the same in every run (Knuth's 64-bit linear congruential generator) */
static inline double specimen_draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) * 0x1p-52 - 1;
}

/* n DOFs without mass and stiffness, 1 to 2 rad/s */
static inline void specimen_init(struct masing_spec *spec, int n)
{
    size_t square = (size_t)n * (size_t)n;
    if (masing_spec_init(spec, NULL) != MASING_OK) {
        abort();
    }
    spec->structure.n_dofs = n;
    spec->structure.mass = specimen_array(square, sizeof(double));
    spec->structure.stiffness = specimen_array(square, sizeof(double));
    spec->omega_from = 1;
    spec->omega_to = 2;
}

static inline void specimen_mass(struct masing_spec *spec, int dof, double mass)
{
    spec->structure.mass[(size_t)dof * (size_t)(spec->structure.n_dofs + 1)] += mass;
}

static inline void specimen_add_between(int n, double *matrix, int from, int to, double value)
{
    size_t order = (size_t)n;
    if (from >= 0) {
        matrix[(size_t)from * (order + 1)] += value;
    }
    if (to >= 0) {
        matrix[(size_t)to * (order + 1)] += value;
    }
    if (from >= 0 && to >= 0) {
        matrix[(size_t)from + order * (size_t)to] -= value;
        matrix[(size_t)to + order * (size_t)from] -= value;
    }
}

/* from, to: DOF or MASING_GROUND */
static inline void specimen_spring(struct masing_spec *spec, int from, int to, double stiffness)
{
    specimen_add_between(spec->structure.n_dofs, spec->structure.stiffness, from, to,
                         stiffness);
}

/* n equal masses in a row, springs between them and to the ground where it is held */
static inline void specimen_chain(struct masing_spec *spec, int n, double mass,
                                  double stiffness, bool is_held)
{
    specimen_init(spec, n);
    for (int i = 0; i < n; i++) {
        specimen_mass(spec, i, mass);
        if (i + 1 < n) {
            specimen_spring(spec, i, i + 1, stiffness);
        }
    }
    if (is_held) {
        specimen_spring(spec, MASING_GROUND, 0, stiffness);
        specimen_spring(spec, n - 1, MASING_GROUND, stiffness);
    }
}

static inline void specimen_damper(struct masing_spec *spec, int from, int to, double damping)
{
    size_t n = (size_t)spec->structure.n_dofs;
    if (!spec->structure.damping) {
        spec->structure.damping = specimen_array(n * n, sizeof(double));
    }
    specimen_add_between((int)n, spec->structure.damping, from, to, damping);
}

static inline void specimen_ratio(struct masing_spec *spec, double ratio)
{
    spec->structure.form.kind = MASING_DAMPING_MODAL;
    spec->structure.form.n_ratios = 1;
    spec->structure.form.ratios = specimen_array(1, sizeof(double));
    spec->structure.form.ratios[0] = ratio;
}

static inline struct masing_combination specimen_axis(int from, int to)
{
    struct masing_combination axis = {.terms = specimen_array(2, sizeof *axis.terms)};
    if (from >= 0) {
        axis.terms[axis.n_terms++] = (struct masing_term){from, -1};
    }
    if (to >= 0) {
        axis.terms[axis.n_terms++] = (struct masing_term){to, 1};
    }
    return axis;
}

/* A joint of a law with one axis; its fields are set by specimen_field. */
static inline struct masing_joint_spec *
specimen_joint(struct masing_spec *spec, const char *name, const char *law, int from, int to)
{
    spec->joints = realloc(spec->joints, (size_t)(spec->n_joints + 1) * sizeof *spec->joints);
    if (!spec->joints) {
        abort();
    }
    struct masing_joint_spec *joint = &spec->joints[spec->n_joints++];
    *joint =
        (struct masing_joint_spec){.name = specimen_text(name), .law = masing_law_find(law)};
    if (!joint->law) {
        abort();
    }
    joint->parameters = specimen_array(1, joint->law->parameters_size);
    masing_fields_reset(joint->law->fields, joint->law->n_fields, joint->parameters);
    joint->axes = specimen_array(1, sizeof *joint->axes);
    joint->axes[0] = specimen_axis(from, to);
    return joint;
}

static inline void specimen_field(struct masing_joint_spec *joint, const char *name,
                                  double value)
{
    int field = masing_field_find(joint->law->fields, joint->law->n_fields, name);
    if (field < 0 || masing_field_store(&joint->law->fields[field], value, joint->parameters,
                                        NULL) != MASING_OK) {
        abort();
    }
}

/* A harmonic load of unit pattern on one DOF */
static inline struct masing_load_spec *specimen_load(struct masing_spec *spec, int dof,
                                                     double amplitude)
{
    spec->loads = realloc(spec->loads, (size_t)(spec->n_loads + 1) * sizeof *spec->loads);
    if (!spec->loads) {
        abort();
    }
    struct masing_load_spec *load = &spec->loads[spec->n_loads++];
    *load = (struct masing_load_spec){.harmonic = 1, .amplitude = amplitude};
    load->pattern = specimen_array((size_t)spec->structure.n_dofs, sizeof(double));
    load->pattern[dof] = 1;
    return load;
}

static inline struct masing_static_load_spec *specimen_static_load(struct masing_spec *spec,
                                                                   int dof, double force)
{
    spec->static_loads = realloc(spec->static_loads, (size_t)(spec->n_static_loads + 1) *
                                                         sizeof *spec->static_loads);
    if (!spec->static_loads) {
        abort();
    }
    struct masing_static_load_spec *load = &spec->static_loads[spec->n_static_loads++];
    *load = (struct masing_static_load_spec){0};
    load->pattern = specimen_array((size_t)spec->structure.n_dofs, sizeof(double));
    load->pattern[dof] = force;
    return load;
}

#endif
