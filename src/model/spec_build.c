/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A specification grows piece by piece. Nothing is added before all memory for it is there. */
#include "masing/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "model/names.h"

enum masing_status masing_spec_create(struct masing_spec **spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    masing_error_clear(error);
    TRY(entry_need(spec, "spec", error));
    TRY_ALLOCATED(*spec = memory_array(1, sizeof **spec));
    status = masing_spec_init(*spec, error);
    if (status != MASING_OK) {
        free(*spec);
        *spec = NULL;
    }
done:
    return status;
}

void masing_spec_destroy(struct masing_spec *spec)
{
    masing_spec_clear(spec);
    free(spec);
}

/* --- what is handed over --- */

static enum masing_status begin(const struct masing_spec *spec, struct masing_error *error)
{
    masing_error_clear(error);
    return entry_need(spec, "spec", error);
}

static enum masing_status check_number(const char *what, double value, bool may_be_negative,
                                       struct masing_error *error)
{
    return isfinite(value) && (may_be_negative || value >= 0)
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID, "%s: %g, expected a finite number%s",
                                  what, value, may_be_negative ? "" : " >= 0");
}

/* A fitting name that none of the things [n] has, which begin with their names as
 * names_create() takes them. */
static enum masing_status check_name(const char *name, const char *what, const void *things,
                                     int n, size_t size, struct masing_error *error)
{
    const char *fault = name ? names_fault(name) : "NULL was given";
    if (fault) {
        return masing_error_set(error, MASING_INVALID, "'%.60s' cannot name a %s: %s",
                                name ? name : "", what, fault);
    }
    return names_search(things, n, size, name) < 0
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "%s '%.63s': the name is taken already, expected another",
                                  strcmp(what, "DOF") == 0 ? "mass" : what, name);
}

static enum masing_status look_up(const struct masing_spec *spec, const char *name, int *dof,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(entry_need(name, "the name of a DOF", error));
    *dof = names_search(spec->structure.dof_names, spec->structure.n_dofs, sizeof(char *),
                        name); /* none: MASING_GROUND */
    if (*dof < 0 && strcmp(name, "ground") != 0) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "there is no DOF '%.63s'; masing_spec_add_mass adds one", name));
    }
done:
    return status;
}

/* Displacement of `to` less that of `from`. Owned by the caller. */
static enum masing_status make_axis(const struct masing_spec *spec, const char *from,
                                    const char *to, struct masing_combination *axis,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int ends[2];
    TRY(look_up(spec, from, &ends[0], error));
    TRY(look_up(spec, to, &ends[1], error));
    if (ends[0] == ends[1]) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "from and to are both '%.63s', expected different ends", to));
    }
    axis->terms = memory_array(2, sizeof *axis->terms);
    TRY_ALLOCATED(axis->terms);
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0) {
            axis->terms[axis->n_terms++] = (struct masing_term){ends[i], i ? 1 : -1};
        }
    }
done:
    return status;
}

/* Room for one more; the list stays as it is where there is none. */
static enum masing_status grow(void *list, int n, size_t size, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    void *old, *larger;
    memcpy(&old, list, sizeof old);
    larger = realloc(old, ((size_t)n + 1) * size);
    TRY_ALLOCATED(larger);
    memset((char *)larger + (size_t)n * size, 0, size);
    memcpy(list, &larger, sizeof larger);
done:
    return status;
}

/* --- masses, springs, dampers --- */

/* A copy [n + 1][n + 1] of a matrix [n][n], or zeros */
static double *widened(const double *matrix, size_t n)
{
    double *wide = memory_array((n + 1) * (n + 1), sizeof *wide);
    for (size_t j = 0; wide && matrix && j < n; j++) {
        memcpy(wide + j * (n + 1), matrix + j * n, n * sizeof *wide);
    }
    return wide;
}

/* Patterns of loads get a zero at the new DOF. */
static enum masing_status widen_patterns(struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = spec->structure.n_dofs;
    for (int i = 0; i < spec->n_loads; i++) {
        struct masing_load_spec *load = &spec->loads[i];
        TRY(load->pattern ? grow(&load->pattern, n, sizeof(double), error) : MASING_OK);
        TRY(load->pattern_imaginary ? grow(&load->pattern_imaginary, n, sizeof(double), error)
                                    : MASING_OK);
    }
    for (int i = 0; i < spec->n_static_loads; i++) {
        TRY(grow(&spec->static_loads[i].pattern, n, sizeof(double), error));
    }
done:
    return status;
}

enum masing_status masing_spec_add_mass(struct masing_spec *spec, const char *name, double mass,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    enum { N_MATRICES = 3 };
    double *wide[N_MATRICES] = {NULL};
    char *copy = NULL;
    TRY(begin(spec, error));
    struct masing_structure_spec *structure = &spec->structure;
    double **matrices[] = {&structure->mass, &structure->stiffness, &structure->damping};
    size_t n = (size_t)structure->n_dofs;
    TRY(check_name(name, "DOF", structure->dof_names, structure->n_dofs,
                   sizeof *structure->dof_names, error));
    TRY(check_number("mass", mass, false, error));
    if (n > 0 && (!structure->dof_names || !structure->mass || !structure->stiffness)) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "mass '%.63s': the structure has DOFs without names or matrices",
                             name));
    }
    TRY_ALLOCATED(copy = memory_text(name));
    for (int i = 0; i < N_MATRICES; i++) {
        bool is_needed = i < 2 || structure->damping;
        wide[i] = is_needed ? widened(*matrices[i], n) : NULL;
        TRY_ALLOCATED(wide[i] || !is_needed);
    }
    TRY(grow(&structure->dof_names, (int)n, sizeof *structure->dof_names, error));
    TRY(widen_patterns(spec, error));
    for (int i = 0; i < N_MATRICES; i++) {
        double *old = *matrices[i];
        *matrices[i] = wide[i];
        wide[i] = old;
    }
    structure->mass[n * (n + 2)] = mass;
    structure->dof_names[n] = copy;
    structure->n_dofs++;
    copy = NULL;
done:
    free(copy);
    for (int i = 0; i < N_MATRICES; i++) {
        free(wide[i]);
    }
    return status;
}

/* matrix += value b b^T of a spring or a damper between two DOFs */
static enum masing_status add_element(struct masing_spec *spec, bool is_spring,
                                      const char *from, const char *to, double value,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_combination b = {0};
    TRY(begin(spec, error));
    TRY(check_number(is_spring ? "stiffness" : "damping", value, is_spring, error));
    double **matrix = is_spring ? &spec->structure.stiffness : &spec->structure.damping;
    size_t n = (size_t)spec->structure.n_dofs;
    TRY(make_axis(spec, from, to, &b, error));
    if (!*matrix) {
        *matrix = memory_array(n * n, sizeof **matrix);
        TRY_ALLOCATED(*matrix);
    }
    for (int i = 0; i < b.n_terms; i++) {
        for (int j = 0; j < b.n_terms; j++) {
            (*matrix)[(size_t)b.terms[i].dof + n * (size_t)b.terms[j].dof] +=
                value * b.terms[i].weight * b.terms[j].weight;
        }
    }
done:
    free(b.terms);
    return status;
}

enum masing_status masing_spec_add_spring(struct masing_spec *spec, const char *from,
                                          const char *to, double stiffness,
                                          struct masing_error *error)
{
    return add_element(spec, true, from, to, stiffness, error);
}

enum masing_status masing_spec_add_damper(struct masing_spec *spec, const char *from,
                                          const char *to, double damping,
                                          struct masing_error *error)
{
    return add_element(spec, false, from, to, damping, error);
}

/* --- joints --- */

static enum masing_status check_joint(const struct masing_spec *spec, const char *name,
                                      const struct masing_law *law, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(check_name(name, "joint", spec->joints, spec->n_joints, sizeof *spec->joints, error));
    if (!law) {
        TRY(masing_error_set(error, MASING_INVALID,
                             "joint '%.63s': NULL was given for its law; masing_law_find knows "
                             "those of masing_laws",
                             name));
    }
    if (law->n_axes != 1) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED,
                             "joint '%.63s': law '%s' has several axes, which are filled in "
                             "struct masing_joint_spec",
                             name, law->name));
    }
done:
    return status;
}

enum masing_status masing_spec_add_joint(struct masing_spec *spec, const char *name,
                                         const struct masing_law *law, const char *from,
                                         const char *to, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_joint_spec joint = {.law = law, .n_axes = 1, .present = 1};
    struct masing_combination axis = {0};
    char *group = NULL;
    TRY(begin(spec, error));
    TRY(check_joint(spec, name, law, error));
    TRY(make_axis(spec, from, to, &axis, error));
    joint.name = memory_text(name);
    joint.parameters = memory_array(1, law->parameters_size);
    joint.axes = memory_array(1, sizeof *joint.axes);
    TRY_ALLOCATED(joint.name && joint.parameters && joint.axes);
    TRY(grow(&spec->joints, spec->n_joints, sizeof *spec->joints, error));
    if (spec->n_groups > 0) { /* where joints have groups, it is one of its own */
        TRY(grow(&spec->groups, spec->n_groups, sizeof *spec->groups, error));
        TRY_ALLOCATED(group = memory_text(name));
        spec->groups[spec->n_groups++] = (struct masing_joint_group){group, spec->n_joints, 1};
    }
    masing_fields_reset(law->fields, law->n_fields, joint.parameters);
    *joint.axes = axis;
    spec->joints[spec->n_joints++] = joint;
    return MASING_OK;
done:
    free(axis.terms);
    free(joint.name);
    free(joint.parameters);
    free(joint.axes);
    return status;
}

/* --- loads and outputs --- */

/* 1 at one DOF, else 0; owned by the caller. */
static enum masing_status unit_pattern(const struct masing_spec *spec, const char *dof,
                                       double value, double **pattern,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int index = 0;
    TRY(look_up(spec, dof, &index, error));
    if (index < 0) {
        TRY(masing_error_set(error, MASING_INVALID, "the ground does not move"));
    }
    *pattern = memory_array((size_t)spec->structure.n_dofs, sizeof **pattern);
    TRY_ALLOCATED(*pattern);
    (*pattern)[index] = value;
done:
    return status;
}

enum masing_status masing_spec_add_load(struct masing_spec *spec, const char *name,
                                        const char *dof, double amplitude,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_load_spec load = {.harmonic = 1, .amplitude = amplitude};
    TRY(begin(spec, error));
    TRY(name ? check_name(name, "load", spec->loads, spec->n_loads, sizeof *spec->loads, error)
             : MASING_OK);
    TRY(check_number("amplitude", amplitude, true, error));
    TRY(unit_pattern(spec, dof, 1, &load.pattern, error));
    load.name = memory_text(name);
    TRY_ALLOCATED(load.name || !name);
    TRY(grow(&spec->loads, spec->n_loads, sizeof *spec->loads, error));
    spec->loads[spec->n_loads++] = load;
    return MASING_OK;
done:
    free(load.name);
    free(load.pattern);
    return status;
}

enum masing_status masing_spec_add_static_load(struct masing_spec *spec, const char *dof,
                                               double force, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_static_load_spec load = {0};
    TRY(begin(spec, error));
    TRY(check_number("force", force, true, error));
    TRY(unit_pattern(spec, dof, force, &load.pattern, error));
    TRY(grow(&spec->static_loads, spec->n_static_loads, sizeof *spec->static_loads, error));
    spec->static_loads[spec->n_static_loads++] = load;
    return MASING_OK;
done:
    free(load.pattern);
    return status;
}

enum masing_status masing_spec_add_output(struct masing_spec *spec, const char *name,
                                          const char *from, const char *to,
                                          enum masing_quantity quantity,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_output_spec output = {.quantity = quantity};
    TRY(begin(spec, error));
    TRY(check_name(name, "output", spec->outputs, spec->n_outputs, sizeof *spec->outputs,
                   error));
    if ((unsigned)quantity > MASING_TRANSMISSIBILITY) {
        TRY(masing_error_set(error, MASING_INVALID, "output '%.63s': quantity %d is none", name,
                             (int)quantity));
    }
    TRY(make_axis(spec, from ? from : "ground", to ? to : name, &output.combination, error));
    output.name = memory_text(name);
    TRY_ALLOCATED(output.name);
    TRY(grow(&spec->outputs, spec->n_outputs, sizeof *spec->outputs, error));
    spec->outputs[spec->n_outputs++] = output;
    return MASING_OK;
done:
    free(output.name);
    free(output.combination.terms);
    return status;
}
