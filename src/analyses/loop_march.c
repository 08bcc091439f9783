/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/loop_march.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"

static const double origin = 0.0;

enum masing_status loop_march_create(const struct masing_law *law, const void *parameters,
                                     struct loop_march **created, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct loop_march *march = memory_array(1, sizeof *march);
    TRY_ALLOCATED(march);
    march->law = law;
    march->parameters = parameters;
    march->state_size = law->family->state_size(law, parameters);
    march->state = memory_array(march->state_size, sizeof(double));
    march->found = memory_array(march->state_size, sizeof(double));
    march->scratch = memory_array(march->state_size, sizeof(double));
    TRY_ALLOCATED(march->state);
    TRY_ALLOCATED(march->found);
    TRY_ALLOCATED(march->scratch);
done:
    if (status != MASING_OK) {
        loop_march_destroy(march);
        march = NULL;
    }
    *created = march;
    return status;
}

static void release_samples(struct loop_march *march)
{
    free(march->x);
    free(march->v);
    free(march->f);
    free(march->steady);
    free(march->workspace);
    march->x = march->v = march->f = march->steady = march->workspace = NULL;
    march->capacity = 0;
}

void loop_march_destroy(struct loop_march *march)
{
    if (march) {
        release_samples(march);
        free(march->state);
        free(march->found);
        free(march->scratch);
        free(march);
    }
}

enum masing_status loop_march_reserve(struct loop_march *march, int n_samples,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = march->law;
    size_t n = (size_t)n_samples + 1;
    if (n_samples <= march->capacity) {
        return MASING_OK;
    }
    release_samples(march);
    march->x = memory_array(n, sizeof(double));
    march->v = memory_array(n, sizeof(double));
    march->f = memory_array(n, sizeof(double));
    march->steady = memory_array(n, sizeof(double));
    march->workspace =
        memory_array(law->family->workspace_size(law, n_samples + 1, 0, 0), sizeof(double));
    TRY_ALLOCATED(march->x);
    TRY_ALLOCATED(march->v);
    TRY_ALLOCATED(march->f);
    TRY_ALLOCATED(march->steady);
    TRY_ALLOCATED(march->workspace);
    march->capacity = n_samples;
done:
    return status;
}

void loop_march_rest(struct loop_march *march)
{
    march->law->family->rest(march->law, march->parameters, &origin, march->state);
}

static enum masing_status follow(struct loop_march *march, const struct masing_path *path,
                                 double *state, double *force, double *slip_share)
{
    struct masing_forces forces = {.f = force};
    enum masing_status status = march->law->family->march(
        march->law, march->parameters, path, state, &forces, NULL, march->workspace);
    *slip_share = forces.slip_share;
    return status;
}

enum masing_status loop_march_open(struct loop_march *march, int first, int count,
                                   double time_step, double *slip_share)
{
    const struct masing_path path = {
        .n_samples = count,
        .n_axes = 1,
        .time_step = time_step,
        .x = march->x + first,
        .v = march->v + first,
        .origin = &origin,
    };
    return follow(march, &path, march->state, march->f + first, slip_share);
}

enum masing_status loop_march_periodic(struct loop_march *march, int n_samples,
                                       double time_step, double *guess, double *force,
                                       double *slip_share)
{
    const struct masing_path path = {
        .n_samples = n_samples,
        .n_axes = 1,
        .is_periodic = true,
        .time_step = time_step,
        .x = march->x,
        .v = march->v,
        .origin = &origin,
    };
    enum masing_status status = follow(march, &path, guess, force, slip_share);
    force[n_samples] = force[0];
    return status;
}
