/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A specification grows piece by piece. Nothing is added before all memory for it is there.
 * Its numbers are set by the paths that `--set` has.
 */
#include "masing/build.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/names.h"
#include "model/seal.h"

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
    NEED(entry_need(name, "the name of a DOF", error));
    *dof = names_search(spec->structure.dof_names, spec->structure.n_dofs, sizeof(char *),
                        name); /* none: MASING_GROUND */
    if (*dof < 0 && strcmp(name, "ground") != 0) {
        return masing_error_set(error, MASING_INVALID,
                                "there is no DOF '%.63s'; masing_spec_add_mass adds one", name);
    }
    return MASING_OK;
}

/* Displacement of `to` less that of `from`. Owned by the caller. */
static enum masing_status make_axis(const struct masing_spec *spec, const char *from,
                                    const char *to, struct masing_combination *axis,
                                    struct masing_error *error)
{
    int ends[2];
    NEED(look_up(spec, from, &ends[0], error));
    NEED(look_up(spec, to, &ends[1], error));
    if (ends[0] == ends[1]) {
        return masing_error_set(error, MASING_INVALID,
                                "from and to are both '%.63s', expected different ends", to);
    }
    NEED_ALLOCATED(axis->terms = memory_array(2, sizeof *axis->terms));
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0) {
            axis->terms[axis->n_terms++] = (struct masing_term){ends[i], i ? 1 : -1};
        }
    }
    return MASING_OK;
}

/* Room for one more; the list stays as it is where there is none. */
static enum masing_status grow(void *list, int n, size_t size, struct masing_error *error)
{
    void *old, *larger;
    memcpy(&old, list, sizeof old);
    larger = realloc(old, ((size_t)n + 1) * size);
    NEED_ALLOCATED(larger);
    memset((char *)larger + (size_t)n * size, 0, size);
    memcpy(list, &larger, sizeof larger);
    return MASING_OK;
}

/* --- masses, springs, dampers --- */

/* Patterns of loads get a zero at the new DOF. */
static enum masing_status widen_patterns(struct masing_spec *spec, struct masing_error *error)
{
    int n = spec->structure.n_dofs;
    for (int i = 0; i < spec->n_loads; i++) {
        struct masing_load_spec *load = &spec->loads[i];
        NEED(load->pattern ? grow(&load->pattern, n, sizeof(double), error) : MASING_OK);
        NEED(load->pattern_imaginary ? grow(&load->pattern_imaginary, n, sizeof(double), error)
                                     : MASING_OK);
    }
    for (int i = 0; i < spec->n_static_loads; i++) {
        NEED(grow(&spec->static_loads[i].pattern, n, sizeof(double), error));
    }
    return MASING_OK;
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
    for (int i = 0; i < (structure->damping ? 3 : 2); i++) {
        TRY_ALLOCATED(wide[i] = memory_array((n + 1) * (n + 1), sizeof *wide[i]));
        for (size_t j = 0; j < n; j++) {
            memcpy(wide[i] + j * (n + 1), *matrices[i] + j * n, n * sizeof *wide[i]);
        }
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
    TRY(check_number(is_spring ? "stiffness" : "damping", value,
                     is_spring || spec->structure.is_active, error));
    double **matrix = is_spring ? &spec->structure.stiffness : &spec->structure.damping;
    size_t n = (size_t)spec->structure.n_dofs;
    TRY(make_axis(spec, from, to, &b, error));
    if (!*matrix) {
        TRY_ALLOCATED(*matrix = memory_array(n * n, sizeof **matrix));
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

enum masing_status masing_spec_add_joint(struct masing_spec *spec, const char *name,
                                         const struct masing_law *law, const char *from,
                                         const char *to, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_joint_spec joint = {.law = law, .n_axes = 1, .present = 1};
    struct masing_combination axis = {0};
    char *group = NULL;
    TRY(begin(spec, error));
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
    TRY(make_axis(spec, from, to, &axis, error));
    joint.name = memory_text(name);
    joint.parameters = memory_array(1, law->parameters_size);
    joint.axes = memory_array(1, sizeof *joint.axes);
    TRY_ALLOCATED(joint.name && joint.parameters && joint.axes);
    TRY(grow(&spec->joints, spec->n_joints, sizeof *spec->joints, error));
    if (spec->n_groups > 0) { /* where joints have groups, it is one of its own */
        TRY(grow(&spec->groups, spec->n_groups, sizeof *spec->groups, error));
        TRY_ALLOCATED(group = memory_text(name));
        spec->groups[spec->n_groups++] =
            (struct masing_joint_group){.name = group, .first = spec->n_joints, .n_joints = 1};
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
    int index = 0;
    NEED(look_up(spec, dof, &index, error));
    if (index < 0) {
        return masing_error_set(error, MASING_INVALID, "the ground does not move");
    }
    NEED_ALLOCATED(*pattern = memory_array((size_t)spec->structure.n_dofs, sizeof **pattern));
    (*pattern)[index] = value;
    return MASING_OK;
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
    TRY_ALLOCATED(output.name = memory_text(name));
    TRY(grow(&spec->outputs, spec->n_outputs, sizeof *spec->outputs, error));
    spec->outputs[spec->n_outputs++] = output;
    return MASING_OK;
done:
    free(output.name);
    free(output.combination.terms);
    return status;
}

/* --- numbers by their paths --- */

#define MEMBER(member) offsetof(struct masing_spec, member)

/* Members that stand in the specification as they are; masing_model_create judges them. */
static const struct masing_field members[] = {
    MASING_REAL("load_factor", "", MASING_ANY_NUMBER, MASING_OPTIONAL, "", MEMBER(load_factor)),
    MASING_INTEGER("samples", "", MASING_BETWEEN(0, MAX_SAMPLES), MASING_OPTIONAL, "",
                   MEMBER(n_samples)),
    MASING_INTEGER("mode.number", "", MASING_BETWEEN(1, INT_MAX), MASING_OPTIONAL, "",
                   MEMBER(mode.number)),
    MASING_REAL("mode.amplitude.0", "", MASING_ANY_NUMBER, MASING_OPTIONAL, "",
                MEMBER(mode.amplitude_from)),
    MASING_REAL("mode.amplitude.1", "", MASING_ANY_NUMBER, MASING_OPTIONAL, "",
                MEMBER(mode.amplitude_to)),
};

enum { N_MEMBERS = sizeof members / sizeof *members };

/* What is to be stored, and for messages the whole path. */
struct assignment {
    struct masing_spec *spec;
    const char *path;
    double value;
    struct masing_error *error;
};

static enum masing_status refuse(const struct assignment *set, const char *what)
{
    return masing_error_set(set->error, MASING_INVALID, "%.200s: %s", set->path, what);
}

static enum masing_status refuse_value(const struct assignment *set, const char *expected)
{
    return masing_error_set(set->error, MASING_INVALID, "%.200s: %g, expected %s", set->path,
                            set->value, expected);
}

/* What is left of a path behind a name and a point; NULL where it begins otherwise. */
static const char *behind(const char *path, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    return length && strncmp(path, name, length) == 0 && path[length] == '.' ? path + length + 1
                                                                             : NULL;
}

/* --- fields --- */

static bool is_index(double value, int n)
{
    return value >= 0 && value < n && value == floor(value);
}

static enum masing_status store(const struct assignment *set, const struct masing_field *field,
                                void *object)
{
    struct masing_error inner = {0};
    if (isnan(set->value)) {
        if (field->is_required) {
            return refuse(set, "this number is needed");
        }
        masing_fields_reset(field, 1, object);
        return MASING_OK;
    }
    if (field->type == MASING_FIELD_CHOICE) {
        int n = 0;
        while (field->choices[n]) {
            n++;
        }
        if (!is_index(set->value, n)) {
            return refuse_value(set, "the index of one of the words, from 0");
        }
        *(int *)(void *)((char *)object + field->offset) = (int)set->value;
        return MASING_OK;
    }
    enum masing_status status = masing_field_store(field, set->value, object, &inner);
    return status == MASING_OK ? status : refuse(set, inner.message);
}

/* "0", "1", ... and what ends it; -1: no number */
static int read_index(const char *text, char end)
{
    size_t length = strspn(text, "0123456789");
    return length > 0 && length < 9 && text[length] == end ? atoi(text) : -1;
}

/* "NAME.2" of a list: a member that is there, or the first that is not */
static enum masing_status store_member(const struct assignment *set,
                                       const struct masing_field *field, const char *rest,
                                       void *object)
{
    struct masing_list *list = (void *)((char *)object + field->offset);
    int most = field->max_count > 0 ? field->max_count : MASING_LIST_LENGTH;
    int index = read_index(rest, '\0');
    if (index < 0 || index > list->count || index >= most) {
        return refuse(set, "no member of the list, nor the next one (they are counted from 0)");
    }
    if (!isfinite(set->value)) {
        return refuse_value(set, "a finite number");
    }
    list->values[index] = set->value;
    list->count += index == list->count;
    return MASING_OK;
}

static enum masing_status set_field(const struct assignment *set,
                                    const struct masing_field *fields, int n_fields,
                                    const char *key, void *object)
{
    char list[400] = "";
    int index = masing_field_find(fields, n_fields, key);
    if (index >= 0) {
        return store(set, &fields[index], object);
    }
    for (int i = 0; i < n_fields; i++) {
        const char *member = behind(key, fields[i].name);
        if (fields[i].type == MASING_FIELD_LIST && member) {
            return store_member(set, &fields[i], member, object);
        }
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, fields[i].name, sizeof list - strlen(list) - 1);
    }
    return masing_error_set(set->error, MASING_INVALID, "%.200s: no such number; there are %s",
                            set->path, list);
}

/* --- joints and loads --- */

static enum masing_status set_joint(const struct assignment *set, int index, const char *key)
{
    const struct masing_joint_spec *joint = &set->spec->joints[index];
    if (!joint->law || !joint->parameters) {
        return refuse(set, "the joint has no law");
    }
    const struct masing_law *law = joint->law;
    NEED(set_field(set, law->fields, law->n_fields, key, joint->parameters));
    /* of keys that stand for each other, what is given now replaces what was given before */
    int place = masing_field_find(law->fields, law->n_fields, key);
    const char *const *alternative = place >= 0 ? law->fields[place].alternatives : NULL;
    for (; !isnan(set->value) && alternative && *alternative; alternative++) {
        int other = masing_field_find(law->fields, law->n_fields, *alternative);
        if (other >= 0) {
            masing_fields_reset(&law->fields[other], 1, joint->parameters);
        }
    }
    return MASING_OK;
}

static enum masing_status set_load(const struct assignment *set, int index, const char *key)
{
    static const struct {
        const char *key;
        enum masing_load_kind kind;
    } amplitudes[] = {{"amplitude", MASING_LOAD_FORCE},
                      {"imbalance", MASING_LOAD_IMBALANCE},
                      {"base_acceleration", MASING_LOAD_BASE_ACCELERATION}};
    struct masing_load_spec *load = &set->spec->loads[index];
    if (!isfinite(set->value)) {
        return refuse_value(set, "a finite number");
    }
    for (size_t i = 0; i < sizeof amplitudes / sizeof *amplitudes; i++) {
        if (load->kind == amplitudes[i].kind && strcmp(key, amplitudes[i].key) == 0) {
            load->amplitude = set->value;
            return MASING_OK;
        }
    }
    if (strcmp(key, "phase") == 0) {
        load->phase = set->value / 360 * TWO_PI;
        return MASING_OK;
    }
    if (strcmp(key, "harmonic") == 0) {
        if (set->value < 1 || !is_index(set->value, MAX_HARMONIC + 1)) {
            return refuse_value(set, "an integer from 1 to 2000");
        }
        load->harmonic = (int)set->value;
        return MASING_OK;
    }
    return refuse(set, "no such number of this load");
}

/* A list of things that begin with their name: "NAME.KEY", names may have points themselves;
 * or "LIST.N.KEY" */
struct named_list {
    const char *list;
    const void *things;
    int n;
    size_t size; /* of a thing */
    enum masing_status (*set)(const struct assignment *set, int index, const char *key);
};

struct found {
    const struct named_list *list;
    int index;
    const char *key;
    bool is_ambiguous;
};

/* The longest name of a list that the path begins with, if it is longer than what was found */
static void find_name(const struct named_list *list, const char *path, struct found *found)
{
    for (int i = 0; i < list->n; i++) {
        const char *key = behind(path, names_at(list->things, list->size, i));
        if (key && (!found->key || key >= found->key)) {
            *found = (struct found){list, i, key, key == found->key};
        }
    }
}

/* --- the rest --- */

static enum masing_status set_frequency(const struct assignment *set, const char *end)
{
    double *omega = strcmp(end, "0") == 0   ? &set->spec->omega_from
                    : strcmp(end, "1") == 0 ? &set->spec->omega_to
                                            : NULL;
    if (!(set->value > 0) || !isfinite(set->value)) {
        return refuse_value(set, "a number > 0, Hz");
    }
    if (!omega) {
        return refuse(set, "no such number; there are frequency.0 and frequency.1");
    }
    *omega = TWO_PI * set->value;
    return MASING_OK;
}

static enum masing_status set_harmonics(const struct assignment *set)
{
    if (set->value < 1 || !is_index(set->value, MAX_HARMONIC + 1)) {
        return refuse_value(set, "an integer from 1 to 2000");
    }
    int n = (int)set->value + 1;
    int *list = memory_array((size_t)n, sizeof *list);
    if (!list) {
        return masing_error_set(set->error, MASING_NO_MEMORY, "out of memory");
    }
    for (int h = 0; h < n; h++) {
        list[h] = h;
    }
    free(set->spec->harmonics);
    set->spec->harmonics = list;
    set->spec->n_harmonics = n;
    set->spec->harmonics_tolerance = 0;
    return MASING_OK;
}

static enum masing_status set_damping(const struct assignment *set, const char *key)
{
    struct masing_damping_spec *form = &set->spec->structure.form;
    bool is_active = set->spec->structure.is_active;
    if (!isfinite(set->value) || (set->value < 0 && !is_active)) {
        return refuse_value(set, is_active ? "a finite number" : "a finite number >= 0");
    }
    if (strcmp(key, "modal_ratio") == 0) {
        double *ratios = memory_copy(&set->value, 1, sizeof *ratios);
        if (!ratios) {
            return masing_error_set(set->error, MASING_NO_MEMORY, "out of memory");
        }
        free(form->ratios);
        form->ratios = ratios;
        form->n_ratios = 1;
        form->kind = MASING_DAMPING_MODAL;
        return MASING_OK;
    }
    const struct {
        const char *key;
        enum masing_damping_kind kind;
        double *target;
    } numbers[] = {{"structural", MASING_DAMPING_STRUCTURAL, &form->loss_factor},
                   {"rayleigh.0", MASING_DAMPING_RAYLEIGH, &form->alpha},
                   {"rayleigh.1", MASING_DAMPING_RAYLEIGH, &form->beta}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(key, numbers[i].key) == 0) {
            form->kind = numbers[i].kind;
            *numbers[i].target = set->value;
            return MASING_OK;
        }
    }
    return refuse(set, "no such number; there are modal_ratio, structural, rayleigh.0 and "
                       "rayleigh.1");
}

static enum masing_status set_in_section(const struct assignment *set)
{
    struct masing_spec *spec = set->spec;
    const char *key = NULL;
    if (strcmp(set->path, "harmonics") == 0) {
        return set_harmonics(set);
    }
    if ((key = behind(set->path, "frequency")) != NULL) {
        return set_frequency(set, key);
    }
    if ((key = behind(set->path, "structure.damping")) != NULL) {
        return set_damping(set, key);
    }
    if ((key = behind(set->path, "solver")) != NULL) {
        return set_field(set, masing_solver_fields, masing_n_solver_fields, key, &spec->solver);
    }
    if ((key = behind(set->path, "integration")) != NULL) {
        return set_field(set, masing_integration_fields, masing_n_integration_fields, key,
                         &spec->integration);
    }
    int index = masing_field_find(members, N_MEMBERS, set->path);
    if (index < 0) {
        return refuse(set, "no such number: expected one of a joint or a load, frequency.0, "
                           "frequency.1, harmonics, structure.damping.KEY, load_factor, "
                           "samples, mode.KEY, solver.KEY or integration.KEY");
    }
    return isnan(set->value) ? refuse_value(set, "a finite number")
                             : store(set, &members[index], spec);
}

enum masing_status masing_spec_set(struct masing_spec *spec, const char *path, double value,
                                   struct masing_error *error)
{
    NEED(begin(spec, error));
    NEED(entry_need(path, "path", error));
    const struct assignment set = {spec, path, value, error};
    const struct named_list lists[] = {
        {"joints", spec->joints, spec->n_joints, sizeof *spec->joints, set_joint},
        {"loads", spec->loads, spec->n_loads, sizeof *spec->loads, set_load}};
    struct found found = {0};
    find_name(&lists[0], path, &found);
    find_name(&lists[1], path, &found);
    if (found.is_ambiguous) {
        NEED(refuse(&set, "the name is used twice; write joints.NAME... or loads.NAME..."));
    }
    for (int l = 0; l < 2 && !found.key; l++) { /* "joints.N.KEY", "joints.NAME.KEY" */
        const char *rest = behind(path, lists[l].list);
        int index = rest ? read_index(rest, '.') : -1;
        if (index >= 0) {
            return index < lists[l].n
                       ? lists[l].set(&set, index, strchr(rest, '.') + 1)
                       : refuse(&set, "no such member (they are counted from 0)");
        }
        if (rest) {
            find_name(&lists[l], rest, &found);
            NEED(found.key ? MASING_OK : refuse(&set, "no such member"));
        }
    }
    return found.key ? found.list->set(&set, found.index, found.key) : set_in_section(&set);
}
