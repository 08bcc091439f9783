/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laws of several axes along paths, for tests: random parameters, random motions, marches. */
#ifndef MASING_TESTS_CONTACT_PATHS_H
#define MASING_TESTS_CONTACT_PATHS_H

#include <stdlib.h>

#include "law_cases.h"

/* A law with the axes of a mask and checked parameters. */
struct contact_case {
    const struct masing_law *law;
    uint64_t seed;
    unsigned axes;
    int n_axes;
    void *parameters, *given; /* given: before check */
    struct test_path path[MASING_MAX_AXES];
    double origin[MASING_MAX_AXES];
    double omega;
};

static inline int contact_count_axes(unsigned axes)
{
    int n = 0;
    for (; axes; axes >>= 1) {
        n += (int)(axes & 1u);
    }
    return n;
}

static inline void contact_case_clear(struct contact_case *test)
{
    free(test->parameters);
    free(test->given);
}

/* Store a number of a field by its name; lists: the entry. */
static inline void contact_set(const struct masing_law *law, void *parameters, const char *name,
                               int entry, double value)
{
    int f = masing_field_find(law->fields, law->n_fields, name);
    char *at = (char *)parameters + law->fields[f].offset;
    if (law->fields[f].type == MASING_FIELD_LIST) {
        struct masing_list *list = (struct masing_list *)(void *)at;
        list->count = entry >= list->count ? entry + 1 : list->count;
        list->values[entry] = value;
    } else {
        masing_field_store(&law->fields[f], value, parameters, NULL);
    }
}

/* Forces [n][n_axes]; df, dfp as masing_forces has them; state may be NULL. */
static inline enum masing_status contact_march(const struct contact_case *test,
                                               const struct masing_path *path, double *state,
                                               struct masing_forces *forces)
{
    const struct masing_family *family = test->law->family;
    double *workspace = malloc(sizeof(double) *
                               (family->workspace_size(test->law, path->n_samples,
                                                       path->n_directions, path->n_parameters) +
                                1));
    enum masing_status status =
        masing_law_march(test->law, test->parameters, path, state, forces, NULL, workspace);
    free(workspace);
    return status;
}

/* Energy lost over a closed polygon of samples: sum of mean force times displacement. */
static inline double contact_loss(int n, int n_axes, const double *x, const double *f)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % n;
        for (int a = 0; a < n_axes; a++) {
            sum += 0.5 * (f[i * n_axes + a] + f[j * n_axes + a]) *
                   (x[j * n_axes + a] - x[i * n_axes + a]);
        }
    }
    return sum;
}

#endif
