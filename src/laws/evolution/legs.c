/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the rate of a law depends on z and the direction alone, z at the end of a leg is a map
 * of its travel, and that of a leg in pieces is that of the whole. The steady state is found
 * from the ends of the legs, which are the turning points, sample 0 and, for some laws, x = 0;
 * each sample follows from the beginning of its leg:
 *   dz = rate (dx - dx_leg) + kept dz_leg .
 */
#include "laws/evolution/legs.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "laws/evolution/period.h"
#include "laws/evolution/segment.h"

/* Where a leg begins; it ends where the next one begins, the last at sample 0. */
struct node {
    double x;                /* from the origin */
    int sample, first;       /* weights begin at sample - 1; first sample of the leg */
    double weights[STENCIL]; /* of x by the samples; none of a place that is fixed */
    struct masing_leg leg;
    struct masing_travel end; /* of the leg */
    double shift;             /* over the leg, of the state or, with a lag, z - E x */
};

struct cycle {
    const struct masing_law *law;
    const void *parameters;
    const struct masing_path *path;
    struct node *nodes; /* [max_nodes + 1]: sample 0 once more at the end */
    int n_nodes, max_nodes;
    bool has_maps;
    double elastic;               /* E of laws with a lag, else 0 */
    struct masing_travel *places; /* [n_samples] */
    double *rows; /* [4][n_directions + n_parameters] changes of x and z at two nodes */
};

enum { ROW_X, ROW_Z, ROW_NEXT_X, N_ROWS };

bool legs_serve(const struct masing_law *law, const struct masing_path *path)
{
    const struct masing_evolution *evolution = law->evolution;
    return evolution->begin && (path->n_parameters == 0 || evolution->travel_change);
}

static size_t lay_out(int n_samples, int n_columns, double *workspace, struct cycle *cycle)
{
    struct memory_room room = {workspace, 0};
    cycle->max_nodes = n_samples;
    cycle->nodes = memory_take(&room, (size_t)n_samples + 1, sizeof *cycle->nodes);
    cycle->places = memory_take(&room, (size_t)n_samples, sizeof *cycle->places);
    cycle->rows = memory_take(&room, N_ROWS * (size_t)n_columns, sizeof(double));
    return room.size;
}

size_t legs_workspace_size(int n_samples, int n_directions, int n_parameters)
{
    struct cycle cycle;
    return lay_out(n_samples, n_directions + n_parameters, NULL, &cycle);
}

/* The next node, where there is room: with fewer samples than that a path means nothing, and
 * goes the way without maps. */
static struct node *add_node(struct cycle *cycle, double sign, double x, int first)
{
    if (cycle->n_nodes == cycle->max_nodes) {
        cycle->has_maps = false;
        return NULL;
    }
    struct node *node = &cycle->nodes[cycle->n_nodes++];
    *node = (struct node){.x = x, .first = first, .sample = first};
    node->leg.sign = sign;
    node->leg.half = copysign(1.0, x != 0.0 ? x : sign);
    return node;
}

/* A node at x = 0 where that lies between the last node and x. */
static void cross(struct cycle *cycle, double x, int first)
{
    const struct masing_leg leg = cycle->nodes[cycle->n_nodes - 1].leg;
    if (cycle->law->evolution->has_kink_at_origin && leg.half * x < 0.0) {
        add_node(cycle, leg.sign, 0.0, first);
    }
}

/* Nodes from sample 0 on. */
static void find_nodes(struct cycle *cycle, const struct turning *turnings, int n_turnings)
{
    const struct masing_path *path = cycle->path;
    int n = path->n_samples, k = 0;
    double origin = path->origin[0];
    struct node *node =
        add_node(cycle, turnings[0].is_maximum ? 1.0 : -1.0, path->x[0] - origin, 1);
    node->sample = 0;
    node->weights[1] = 1.0;
    for (int i = 1; i <= n; i++) {
        for (; k < n_turnings && turnings[k].step == i - 1; k++) {
            double x = turnings[k].x - origin;
            cross(cycle, x, i);
            node = add_node(cycle, turnings[k].is_maximum ? -1.0 : 1.0, x, i);
            if (node) {
                node->sample = i - 1;
                turning_weights(turnings[k].fraction, node->weights);
            }
        }
        cross(cycle, path->x[i % n] - origin, i);
    }
    cycle->nodes[cycle->n_nodes] = cycle->nodes[0];
    cycle->nodes[cycle->n_nodes].first = n + 1;
}

static double way(const struct node *node, double x)
{
    return fmax(node->leg.sign * (x - node->x), 0.0);
}

/* The leg of a node from state z. */
static bool follow_leg(const struct cycle *cycle, struct node *node, double z)
{
    const struct masing_evolution *evolution = cycle->law->evolution;
    double length = way(node, node[1].x);
    node->leg.z = z;
    if (!evolution->begin(cycle->parameters, &node->leg)) {
        return false;
    }
    evolution->travel(cycle->parameters, &node->leg, length, &node->end);
    node->shift = evolution->lag ? evolution->shift(cycle->parameters, &node->leg, length)
                                 : node->end.z - z;
    return true;
}

static double period_decay(const struct cycle *cycle)
{
    double decay = 0.0;
    for (int k = 0; k < cycle->n_nodes; k++) {
        decay += (1.0 - decay) * cycle->nodes[k].end.faded;
    }
    return decay;
}

static enum masing_status go_round(void *context, double z, bool is_last,
                                   struct period_end *end)
{
    struct cycle *cycle = context;
    double shifted = 0.0;
    (void)is_last;
    *end = (struct period_end){.z = z};
    for (int k = 0; k < cycle->n_nodes; k++) {
        struct node *node = &cycle->nodes[k];
        if (!follow_leg(cycle, node, end->z)) {
            cycle->has_maps = false;
            return MASING_NOT_FINITE;
        }
        end->z = node->end.z;
        end->growth += node->shift;
        shifted += fabs(node->shift);
        end->size = fmax(end->size, fabs(end->z));
    }
    end->decay = period_decay(cycle);
    end->round_off = 8.0 * DBL_EPSILON * (cycle->law->evolution->lag ? shifted : end->size);
    return MASING_OK;
}

/* dx of a node along the path's directions */
static void node_directions(const struct cycle *cycle, const struct node *node,
                            double *restrict dx)
{
    const struct masing_path *path = cycle->path;
    size_t n = (size_t)path->n_directions;
    memset(dx, 0, sizeof(double) * n);
    for (int m = 0; m < STENCIL; m++) {
        int sample = node->sample - 1 + m;
        sample += sample < 0                  ? path->n_samples
                  : sample >= path->n_samples ? -path->n_samples
                                              : 0;
        const double *row = path->dx + (size_t)sample * n;
        for (size_t d = 0; node->weights[m] != 0.0 && d < n; d++) {
            dx[d] += node->weights[m] * row[d];
        }
    }
}

static double *row_of(const struct cycle *cycle, int row)
{
    const struct masing_path *path = cycle->path;
    return cycle->rows + (size_t)row * (size_t)(path->n_directions + path->n_parameters);
}

/* The change of z at sample 0 that comes back, through y = z - E x. */
static void start_directions(const struct cycle *cycle)
{
    double *dx = row_of(cycle, ROW_X), *dy = row_of(cycle, ROW_Z);
    double *next = row_of(cycle, ROW_NEXT_X);
    size_t n = (size_t)cycle->path->n_directions;
    memset(dy, 0, sizeof(double) * n);
    node_directions(cycle, cycle->nodes, dx);
    for (int k = 0; k < cycle->n_nodes; k++) {
        const struct masing_travel *end = &cycle->nodes[k].end;
        double excess = cycle->law->evolution->lag ? -end->lag : end->rate;
        double faded = end->faded * cycle->elastic;
        node_directions(cycle, &cycle->nodes[k + 1], next);
        for (size_t d = 0; d < n; d++) {
            dy[d] = end->kept * dy[d] - faded * dx[d] + excess * (next[d] - dx[d]);
        }
        memcpy(dx, next, sizeof(double) * n);
    }
    period_close_change(period_decay(cycle), dy, n);
    for (size_t d = 0; d < n; d++) { /* dx is that of sample 0 again */
        dy[d] += cycle->elastic * dx[d];
    }
}

/* dz += what a leg changes it by with the parameters, over so long a way */
static void add_parameters(const struct cycle *cycle, const struct node *node, double length,
                           double *dz)
{
    const struct masing_path *path = cycle->path;
    for (int p = 0; p < path->n_parameters; p++) {
        dz[p] += cycle->law->evolution->travel_change(cycle->parameters, path->dp[p],
                                                      &node->leg, length);
    }
}

static void start_parameters(const struct cycle *cycle)
{
    size_t n = (size_t)cycle->path->n_parameters;
    double *dz = row_of(cycle, ROW_Z) + cycle->path->n_directions;
    memset(dz, 0, sizeof(double) * n);
    for (int k = 0; k < cycle->n_nodes; k++) {
        const struct node *node = &cycle->nodes[k];
        for (size_t p = 0; p < n; p++) {
            dz[p] *= node->end.kept;
        }
        add_parameters(cycle, node, way(node, node[1].x), dz);
    }
    period_close_change(period_decay(cycle), dz, n);
}

/* df of a sample from the changes at the beginning of its leg */
static void put_directions(const struct cycle *cycle, size_t i,
                           const struct masing_travel *here, const struct masing_rate *force,
                           double *restrict df)
{
    size_t n = (size_t)cycle->path->n_directions;
    const double *restrict dx = cycle->path->dx + i * n;
    const double *restrict leg_x = row_of(cycle, ROW_X), *restrict leg_z = row_of(cycle, ROW_Z);
    double along = force->z * here->rate, total = force->x + along,
           kept = force->z * here->kept;
    for (size_t d = 0; d < n; d++) {
        df[i * n + d] = total * dx[d] - along * leg_x[d] + kept * leg_z[d];
    }
}

static void put_parameters(const struct cycle *cycle, int i, const struct node *node,
                           double length, const struct masing_travel *here,
                           const struct masing_rate *force, double *dfp)
{
    const struct masing_path *path = cycle->path;
    const struct masing_evolution *evolution = cycle->law->evolution;
    size_t n = (size_t)path->n_parameters;
    const double *leg_z = row_of(cycle, ROW_Z) + path->n_directions;
    const struct masing_branch_point at = {
        .sign = 1.0, .x = path->x[i] - path->origin[0], .z = here->z};
    for (size_t p = 0; p < n; p++) {
        double by_itself = evolution->force_change
                               ? evolution->force_change(cycle->parameters, path->dp[p], &at)
                               : 0.0;
        double by_leg =
            evolution->travel_change(cycle->parameters, path->dp[p], &node->leg, length);
        dfp[(size_t)i * n + p] = force->z * (here->kept * leg_z[p] + by_leg) + by_itself;
    }
}

/* By itself, so that a processor works on the maps of several samples at a time. */
static void place_sample(const struct cycle *cycle, int i, const struct node *node)
{
    double x = cycle->path->x[i] - cycle->path->origin[0];
    cycle->law->evolution->travel(cycle->parameters, &node->leg, way(node, x),
                                  &cycle->places[i]);
}

/* Force and derivatives of a sample on the leg of a node. */
static void put_sample(const struct cycle *cycle, int i, const struct node *node,
                       struct masing_forces *forces)
{
    const struct masing_path *path = cycle->path;
    const struct masing_travel *here = &cycle->places[i];
    struct masing_rate force;
    double x = path->x[i] - path->origin[0];
    state_force(cycle->law, cycle->parameters, x, 0.0, here->z, NULL, &force);
    forces->f[i] = force.value;
    if (path->n_directions > 0) {
        put_directions(cycle, (size_t)i, here, &force, forces->df);
    }
    if (path->n_parameters > 0) {
        put_parameters(cycle, i, node, way(node, x), here, &force, forces->dfp);
    }
}

/* The changes at the end of a leg, in place of those at its beginning. */
static void advance(const struct cycle *cycle, const struct node *node)
{
    const struct masing_path *path = cycle->path;
    size_t n = (size_t)path->n_directions;
    double *dx = row_of(cycle, ROW_X), *dz = row_of(cycle, ROW_Z);
    double *next = row_of(cycle, ROW_NEXT_X);
    node_directions(cycle, node + 1, next);
    for (size_t d = 0; d < n; d++) {
        dz[d] = node->end.kept * dz[d] + node->end.rate * (next[d] - dx[d]);
        dx[d] = next[d];
    }
    for (int p = 0; p < path->n_parameters; p++) {
        dz[n + (size_t)p] *= node->end.kept;
    }
    add_parameters(cycle, node, way(node, node[1].x), dz + n);
}

static void put_forces(const struct cycle *cycle, struct masing_forces *forces)
{
    int n = cycle->path->n_samples;
    start_directions(cycle);
    start_parameters(cycle);
    for (int k = 0; k < cycle->n_nodes; k++) {
        const struct node *node = &cycle->nodes[k];
        for (int i = node->first; i < node[1].first; i++) {
            place_sample(cycle, i < n ? i : 0, node);
        }
        for (int i = node->first; i < node[1].first; i++) {
            put_sample(cycle, i < n ? i : 0, node, forces);
        }
        advance(cycle, node);
    }
}

/* Nothing moves: the joint was brought here from rest, as on a virgin curve. */
static enum masing_status stand_still(struct cycle *cycle, struct masing_forces *forces)
{
    const struct masing_path *path = cycle->path;
    struct node node = {.leg.sign = 1.0};
    memset(cycle->rows, 0,
           sizeof(double) * N_ROWS * (size_t)(path->n_directions + path->n_parameters));
    for (int i = 0; i < path->n_samples; i++) {
        node.leg.sign = node.leg.half = copysign(1.0, path->x[i] - path->origin[0]);
        if (!cycle->law->evolution->begin(cycle->parameters, &node.leg)) {
            cycle->has_maps = false;
            return MASING_NOT_FINITE;
        }
        place_sample(cycle, i, &node);
        put_sample(cycle, i, &node, forces);
    }
    return MASING_OK;
}

enum masing_status legs_follow(const struct masing_law *law, const void *parameters,
                               const struct masing_path *path, const struct turning *turnings,
                               int n_turnings, double *guess, struct masing_forces *forces,
                               double *workspace, bool *has_maps)
{
    const struct masing_evolution *evolution = law->evolution;
    struct cycle cycle = {.law = law, .parameters = parameters, .path = path, .has_maps = true};
    lay_out(path->n_samples, path->n_directions + path->n_parameters, workspace, &cycle);
    cycle.elastic = evolution->lag ? evolution->elastic_rate(parameters) : 0.0;
    enum masing_status status = MASING_NOT_FINITE;
    if (n_turnings == 0) {
        status = stand_still(&cycle, forces);
    } else {
        double limit = evolution->limit ? evolution->limit(parameters) : (double)INFINITY;
        find_nodes(&cycle, turnings, n_turnings);
        status = cycle.has_maps ? period_close(go_round, &cycle, false, limit, guess) : status;
        if (status == MASING_OK) {
            put_forces(&cycle, forces);
        }
    }
    forces->slip_share = forces->slip_distance = NAN;
    *has_maps = cycle.has_maps;
    return status;
}
