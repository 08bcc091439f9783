/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forces from samples of any law with any number of axes: the law differentiates itself along
 * one direction per displacement coefficient (and one for the frequency where it needs
 * velocity), and each derivative is transformed like a force.
 */
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/ordered_work.h"
#include "harmonic/joints/joint_scratch.h"
#include "linalg/dense.h"

/* Elements are marched so many together, in at most so many parts. */
enum { ELEMENTS_OF_PART = 4, MOST_PARTS = 16 };

static int count_elements(const struct joint *joint)
{
    return joint->law->n_elements ? joint->law->n_elements(joint->parameters) : 1;
}

static int count_parts(const struct joint *joint)
{
    int n =
        joint->law->family->has_parts ? (count_elements(joint) - 1) / ELEMENTS_OF_PART + 1 : 1;
    return n < MOST_PARTS ? n : MOST_PARTS;
}

enum masing_status joint_directions_create(struct joint_response *response,
                                           struct joint_shared *shared,
                                           struct masing_error *error)
{
    const struct joint *joint = response->joint;
    struct arena *arena = &response->arena;
    size_t n = (size_t)response->n_axes * (size_t)response->basis->n_coefficients;
    size_t n_state = masing_law_state_size(joint->law, joint->parameters);
    NEED(joint_shared_seeds(shared, response->n_axes, joint_needs_velocity(joint),
                            &response->seeds, error));
    response->n_state = n_state;
    response->n_parts = count_parts(joint);
    response->block = arena_doubles(arena, (n + 1) * n);
    response->state = arena_doubles(arena, n_state);
    response->carried = arena_doubles(arena, n_state);
    NEED_ALLOCATED(!arena->has_failed);
    response->omega_derivative = response->block + n * n;
    for (size_t i = 0; i < n_state; i++) {
        response->state[i] = NAN; /* nothing is known yet */
    }
    return MASING_OK;
}

/* us of a sample of an axis, of that for each direction, of all else. */
static const double SAMPLE_COST = 0.2, DIRECTION_COST = 0.008, OTHER_COST = 4.0;
/* What parts must cost together that waking threads, some 10 us, is worth while. */
static const double WORTH_SHARING = 100.0;

double joint_response_cost(const struct joint_response *response, bool with_derivative)
{
    double cost = OTHER_COST;
    if (response->method == JOINT_DIRECTIONS) {
        double n_directions = with_derivative ? response->seeds->n_directions : 0.0;
        cost += count_elements(response->joint) * response->basis->n_samples *
                response->n_axes * (SAMPLE_COST + DIRECTION_COST * n_directions);
    }
    return cost;
}

/* dv = omega times the slope of each direction; the last direction is the frequency itself. All
 * but the last are the same for all joints with these seeds. */
static void fill_velocity_seeds(struct joint_scratch *scratch, const struct joint_seeds *seeds,
                                size_t n_axes, double omega)
{
    size_t rows = (size_t)scratch->basis->n_samples * n_axes;
    size_t n = (size_t)seeds->n_directions;
    if (scratch->dv_seeds != seeds || scratch->dv_omega != omega) {
        for (size_t i = 0; i < rows * n; i++) {
            scratch->dv[i] = omega * seeds->slopes[i];
        }
        scratch->dv_seeds = seeds;
        scratch->dv_omega = omega;
    }
    for (size_t i = 0; i < rows; i++) {
        scratch->dv[i * n + n - 1] = scratch->v[i] / omega;
    }
}

/*
 * All columns of an axis at once, as a product with the few functions that are wanted; the
 * column of the frequency comes to lie behind the block. Fast transforms column by column take
 * twice as long: they find all frequencies.
 */
static void gather_derivatives(struct joint_response *response,
                               const struct joint_scratch *scratch)
{
    int n_c = response->basis->n_coefficients, n_samples = response->basis->n_samples;
    int n_axes = response->n_axes, n_directions = response->seeds->n_directions;
    for (int a = 0; a < n_axes; a++) {
        dense_multiply_by_transposed(n_c, n_directions, n_samples, scratch->shared->analysis,
                                     n_c, scratch->df + a * n_directions, n_axes * n_directions,
                                     response->block + a * n_c, n_axes * n_c);
    }
}

/* ---- elements by parts ---- */

/*
 * The elements of a large joint are divided in the same way whatever the number of threads;
 * each part is summed up by itself, and the parts are added in their order. So the bits do not
 * depend on the threads.
 */
struct joint_march {
    struct joint_response *response;
    struct joint_scratch *scratch;
    const struct masing_path *path;
    struct masing_forces *forces; /* of all */
    enum masing_status status;    /* of the first part that failed */
};

static struct joint_part *part_at(const struct joint_march *march, int index, int n_places)
{
    return &march->scratch->crew.parts[index % n_places];
}

static int count_places(const struct joint_scratch *scratch)
{
    return scratch->crew.pool && !scratch->is_shared ? scratch->crew.n_parts : 1;
}

/* All parts are marched even where one fails: states do not depend on the threads either. */
static bool march_part(void *context, int index, int worker)
{
    struct joint_march *march = context;
    const struct joint *joint = march->response->joint;
    struct joint_part *part = part_at(march, index, count_places(march->scratch));
    struct masing_path path = *march->path;
    int n = count_elements(joint), n_parts = march->response->n_parts;
    struct masing_forces forces = *march->forces;
    if (index > 0) {
        forces.f = part->forces.f;
        forces.df = part->forces.df;
    }
    path.first_element = index * n / n_parts;
    path.n_elements = (index + 1) * n / n_parts - path.first_element;
    part->status =
        masing_law_march(joint->law, joint->parameters, &path, march->response->state, &forces,
                         NULL, march->scratch->crew.workspaces[worker]);
    part->forces.slip_share = forces.slip_share;
    part->forces.open_share = forces.open_share;
    part->forces.slip_distance = forces.slip_distance;
    part->forces.slip_margin = forces.slip_margin;
    return true;
}

static void add(size_t n, const double *values, double *sum)
{
    for (size_t i = 0; i < n; i++) {
        sum[i] += values[i];
    }
}

static bool add_part(void *context, int index)
{
    struct joint_march *march = context;
    struct masing_forces *sum = march->forces;
    const struct joint_part *part = part_at(march, index, count_places(march->scratch));
    const struct masing_forces *forces = &part->forces;
    size_t n = (size_t)march->path->n_samples * (size_t)march->path->n_axes;
    march->status = march->status == MASING_OK ? part->status : march->status;
    if (index == 0) {
        sum->slip_share = sum->open_share = sum->slip_distance = 0.0;
        sum->slip_margin = forces->slip_margin;
    } else {
        add(n, forces->f, sum->f);
        add(n * (size_t)march->path->n_directions, forces->df, sum->df);
    }
    sum->slip_share += forces->slip_share;
    sum->open_share += forces->open_share;
    sum->slip_distance += forces->slip_distance;
    sum->slip_margin = fmax(sum->slip_margin, forces->slip_margin);
    return true;
}

static enum masing_status march_all(struct joint_response *response,
                                    struct joint_scratch *scratch,
                                    const struct masing_path *path,
                                    struct masing_forces *forces)
{
    const struct joint *joint = response->joint;
    if (response->n_parts <= 1) {
        return masing_law_march(joint->law, joint->parameters, path, response->state, forces,
                                NULL, scratch->workspace);
    }
    struct joint_march march = {response, scratch, path, forces, MASING_OK};
    const struct ordered_work work = {
        response->n_parts, count_places(scratch), &march, NULL, march_part, add_part};
    bool is_worth = joint_response_cost(response, path->n_directions > 0) >= WORTH_SHARING;
    ordered_work_run(is_worth && !scratch->is_shared ? scratch->crew.pool : NULL, &work);
    return march.status;
}

enum masing_status joint_directions_evaluate(struct joint_response *response,
                                             struct joint_scratch *scratch,
                                             const double *origin, bool with_derivative)
{
    const struct basis *basis = response->basis;
    const struct joint_seeds *seeds = response->seeds;
    struct masing_path path = joint_scratch_path(scratch, response, origin);
    path.n_directions = with_derivative ? seeds->n_directions : 0;
    path.dx = seeds->dx;
    joint_scratch_sample(scratch, response);
    if (seeds->slopes && with_derivative) {
        fill_velocity_seeds(scratch, seeds, (size_t)response->n_axes, response->omega);
        path.dv = scratch->dv;
    }
    struct masing_forces forces = {.f = scratch->f,
                                   .df = scratch->df,
                                   .slip_share = NAN,
                                   .open_share = NAN,
                                   .slip_margin = NAN,
                                   .nearest_margin = NAN,
                                   .slip_distance = NAN};
    NEED(march_all(response, scratch, &path, &forces));
    response->slip_share = forces.slip_share;
    response->slip_distance = forces.slip_distance;
    response->open_share = forces.open_share;
    response->range[0].slip_margin = forces.slip_margin;
    response->range[0].nearest_margin = forces.nearest_margin;
    for (int a = 0; a < response->n_axes; a++) {
        joint_scratch_analyse(scratch, scratch->f, response->n_axes, a,
                              response->f + a * basis->n_coefficients);
    }
    if (with_derivative) {
        gather_derivatives(response, scratch);
    }
    return MASING_OK;
}
