/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/identify/law_sum.h"

#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "analyses/identify/fit_parameters.h"
#include "base/check.h"
#include "base/memory.h"

/* What stands before the parameters of the parts. */
struct head {
    const struct law_sum *sum;
    double constant; /* N */
};

static const struct law_sum *sum_of(const struct masing_law *law)
{
    return (const struct law_sum *)(const void *)law;
}

static const struct head *head_of(const void *parameters)
{
    return parameters;
}

static const void *part_of(const struct law_part *part, const void *parameters)
{
    return (const char *)parameters + part->offset;
}

/* ---- the engine: forces of the parts added up ---- */

static size_t state_size_of_part(const struct law_part *part, const void *parameters)
{
    return part->law->family->state_size(part->law, part_of(part, parameters));
}

static size_t state_size(const struct masing_law *law, const void *parameters)
{
    const struct law_sum *sum = sum_of(law);
    size_t size = 0;
    for (int i = 0; i < sum->n_parts; i++) {
        size += state_size_of_part(&sum->parts[i], parameters);
    }
    return size;
}

static void rest(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state)
{
    const struct law_sum *sum = sum_of(law);
    for (int i = 0; i < sum->n_parts; i++) {
        const struct law_part *part = &sum->parts[i];
        part->law->family->rest(part->law, part_of(part, parameters), origin, state);
        state += state_size_of_part(part, parameters);
    }
}

/* Forces and changes of one part, and what the largest of the parts needs. */
static size_t workspace_size(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters)
{
    const struct law_sum *sum = sum_of(law);
    size_t most = 0;
    for (int i = 0; i < sum->n_parts; i++) {
        const struct masing_law *part = sum->parts[i].law;
        size_t size = part->family->workspace_size(part, n_samples, n_directions, n_parameters);
        most = size > most ? size : most;
    }
    return (size_t)n_samples * (1 + (size_t)n_parameters) + most;
}

/* Forces of a part along the path, added to those of the others. */
static enum masing_status add_part(const struct law_part *part, const void *parameters,
                                   const struct masing_path *path, double *state,
                                   struct masing_forces *forces, double *workspace)
{
    const void *tangents[FIT_MOST_PARAMETERS];
    size_t n = (size_t)path->n_samples, n_changes = n * (size_t)path->n_parameters;
    struct masing_forces own = {.f = workspace, .dfp = workspace + n};
    struct masing_path motion = *path;
    motion.v = part->law->needs_velocity ? path->v : NULL;
    motion.dp = tangents;
    for (int k = 0; k < path->n_parameters; k++) {
        tangents[k] = part_of(part, path->dp[k]);
    }
    enum masing_status status =
        part->law->family->march(part->law, part_of(part, parameters), &motion, state, &own,
                                 NULL, workspace + n + n_changes);
    for (size_t i = 0; status == MASING_OK && i < n; i++) {
        forces->f[i] += own.f[i];
    }
    for (size_t i = 0; status == MASING_OK && i < n_changes; i++) {
        forces->dfp[i] += own.dfp[i];
    }
    return status;
}

static enum masing_status march(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace)
{
    enum masing_status status = MASING_OK;
    const struct law_sum *sum = sum_of(law);
    (void)tangents; /* has_tangents is false */
    for (int i = 0; i < path->n_samples; i++) {
        forces->f[i] = head_of(parameters)->constant;
        for (int k = 0; k < path->n_parameters; k++) {
            forces->dfp[i * path->n_parameters + k] = head_of(path->dp[k])->constant;
        }
    }
    for (int i = 0; status == MASING_OK && i < sum->n_parts; i++) {
        const struct law_part *part = &sum->parts[i];
        status = add_part(part, parameters, path, state, forces, workspace);
        state = state ? state + state_size_of_part(part, parameters) : NULL;
    }
    return status;
}

/* A fit marches and does nothing else. */
static const struct masing_family family = {
    .name = "sum",
    .summary = "laws side by side",
    .state_size = state_size,
    .workspace_size = workspace_size,
    .rest = rest,
    .march = march,
};

/* ---- the parameters ---- */

static enum masing_status check(void *parameters, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct law_sum *sum = head_of(parameters)->sum;
    for (int i = 0; status == MASING_OK && i < sum->n_parts; i++) {
        status = masing_law_check(sum->parts[i].law, (char *)parameters + sum->parts[i].offset,
                                  error);
    }
    return status;
}

static void derive(const void *parameters, void *tangent)
{
    const struct law_sum *sum = head_of(parameters)->sum;
    for (int i = 0; i < sum->n_parts; i++) {
        const struct law_part *part = &sum->parts[i];
        if (part->law->derive) {
            part->law->derive(part_of(part, parameters), (char *)tangent + part->offset);
        }
    }
}

/* Whether a velocity has an influence: of laws that do not say it where a number with time in
 * its unit is not zero, or there is none. */
static bool part_depends_on_rate(const struct masing_law *law, const void *parameters)
{
    bool has_rates = false;
    for (int i = 0; law->needs_velocity && !law->is_rate_dependent && i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        if (field->type == MASING_FIELD_REAL && fit_unit_has_time(field->unit)) {
            double value = masing_field_value(field, parameters);
            has_rates = true;
            if (!isnan(value) && value != 0.0) {
                return true;
            }
        }
    }
    return !has_rates && masing_law_needs_velocity(law, parameters);
}

static bool is_rate_dependent(const void *parameters)
{
    const struct law_sum *sum = head_of(parameters)->sum;
    bool depends = false;
    for (int i = 0; i < sum->n_parts; i++) {
        const struct law_part *part = &sum->parts[i];
        depends = depends || part_depends_on_rate(part->law, part_of(part, parameters));
    }
    return depends;
}

static size_t aligned(size_t size)
{
    size_t step = alignof(max_align_t);
    return (size + step - 1) / step * step;
}

/* "jenkins+linear" */
static const char *name_of(struct law_sum *sum)
{
    char name[400] = "";
    for (int i = 0; i < sum->n_parts; i++) {
        size_t used = strlen(name);
        snprintf(name + used, sizeof name - used, "%s%s", i > 0 ? "+" : "",
                 sum->parts[i].law->name);
    }
    return arena_text(&sum->arena, name, strlen(name));
}

/* What stands before the names of a part's parameters. */
static void prefix_of(const struct law_sum *sum, int part, char *prefix, size_t size)
{
    int turn = 1;
    for (int i = 0; i < part; i++) {
        turn += sum->parts[i].law == sum->parts[part].law;
    }
    char count[16] = "";
    if (turn > 1) {
        snprintf(count, sizeof count, "%d", turn);
    }
    snprintf(prefix, size, "%s%s.", sum->parts[part].law->name, count);
}

static enum masing_status add_fields(struct law_sum *sum, int part, struct masing_field *fields,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = sum->parts[part].law;
    char prefix[80] = "", name[160];
    if (sum->n_parts > 1) {
        prefix_of(sum, part, prefix, sizeof prefix);
    }
    for (int i = 0; i < law->n_fields; i++) {
        struct masing_field *field = &fields[sum->law.n_fields++];
        *field = law->fields[i];
        field->offset += sum->parts[part].offset;
        field->alternatives = NULL; /* would be names without the prefix */
        snprintf(name, sizeof name, "%s%s", prefix, field->name);
        field->name = arena_text(&sum->arena, name, strlen(name));
        TRY_ALLOCATED(field->name);
    }
done:
    return status;
}

enum masing_status law_sum_create(int n_laws, const struct masing_law *const *laws,
                                  struct law_sum *sum, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    static const struct masing_field constant =
        MASING_REAL(LAW_SUM_OFFSET, "N", MASING_ANY_NUMBER, MASING_DEFAULT(0.0),
                    "constant force beside the laws", offsetof(struct head, constant));
    size_t n_fields = 1, size = aligned(sizeof(struct head));
    *sum = (struct law_sum){.n_parts = n_laws, .constant = offsetof(struct head, constant)};
    sum->law = (struct masing_law){
        .family = &family,
        .n_axes = 1,
        .check = check,
        .derive = derive,
        .is_rate_dependent = is_rate_dependent,
        .summary = "",
    };
    sum->parts = arena_allocate(&sum->arena, (size_t)n_laws * sizeof *sum->parts);
    TRY_ALLOCATED(sum->parts);
    for (int i = 0; i < n_laws; i++) {
        sum->parts[i] = (struct law_part){laws[i], size};
        sum->law.needs_velocity = sum->law.needs_velocity || laws[i]->needs_velocity;
        size += aligned(laws[i]->parameters_size);
        n_fields += (size_t)laws[i]->n_fields;
    }
    sum->law.parameters_size = size;
    sum->law.name = name_of(sum);
    struct masing_field *fields = arena_allocate(&sum->arena, n_fields * sizeof *fields);
    TRY_ALLOCATED(sum->law.name && fields);
    sum->law.fields = fields;
    for (int i = 0; i < n_laws; i++) {
        TRY(add_fields(sum, i, fields, error));
    }
    fields[sum->law.n_fields++] = constant;
done:
    return status;
}

void law_sum_clear(struct law_sum *sum)
{
    arena_clear(&sum->arena);
    *sum = (struct law_sum){0};
}

void law_sum_begin(const struct law_sum *sum, void *parameters)
{
    ((struct head *)parameters)->sum = sum;
}

void *law_sum_take(const struct law_sum *sum, const void *parameters, int part)
{
    const struct law_part *from = &sum->parts[part];
    return memory_copy(part_of(from, parameters), 1, from->law->parameters_size);
}
