/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/contact/stuck.h"

#include <math.h>
#include <string.h>

/* Out of reach by less than this part of the reach is rounding. */
static const double ROUND_OFF = 1e-12;

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static bool is_within(const double z[2], const double *v, const double *reach, int i)
{
    return distance(z, v + 2 * i) <= reach[i] * (1.0 + ROUND_OFF);
}

/* On a line: between the highest of the lower bounds and the lowest of the upper ones. */
static bool find_on_line(int n, const double *v, const double *reach, double origin,
                         struct contact_stuck *stuck)
{
    int low = 0, high = 0;
    for (int i = 1; i < n; i++) {
        low = v[2 * i] - reach[i] > v[2 * low] - reach[low] ? i : low;
        high = v[2 * i] + reach[i] < v[2 * high] + reach[high] ? i : high;
    }
    double from = v[2 * low] - reach[low], to = v[2 * high] + reach[high];
    *stuck = (struct contact_stuck){.z = {fmin(fmax(origin, from), to), 0.0}};
    if (origin < from || origin > to) {
        stuck->n_active = 1;
        stuck->active[0] = origin < from ? low : high;
    }
    return from <= to;
}

/* Closest place of one disc. */
static void on_disc(const double *v, const double *reach, const double origin[2], int i,
                    double z[2])
{
    const double *centre = v + 2 * i;
    double away = distance(origin, centre), part = away > reach[i] ? reach[i] / away : 1.0;
    for (int a = 0; a < 2; a++) {
        z[a] = centre[a] + part * (origin[a] - centre[a]);
    }
}

/* Where the rims of two discs cross, on one side or the other; false: nowhere. */
static bool on_two_rims(const double *v, const double *reach, int i, int j, double side,
                        double z[2])
{
    const double *p = v + 2 * i, *q = v + 2 * j;
    double apart = distance(p, q);
    if (!(apart > 0.0)) {
        return false;
    }
    double e[2] = {(q[0] - p[0]) / apart, (q[1] - p[1]) / apart};
    double along = 0.5 * (apart + (reach[i] - reach[j]) * (reach[i] + reach[j]) / apart);
    double square = (reach[i] - along) * (reach[i] + along);
    if (square < -ROUND_OFF * reach[i] * reach[i]) {
        return false;
    }
    double across = side * sqrt(fmax(square, 0.0));
    z[0] = p[0] + along * e[0] - across * e[1];
    z[1] = p[1] + along * e[1] + across * e[0];
    return true;
}

struct search {
    const double *v, *reach, *origin;
    int set[3], n_set; /* discs that count at present */
    struct contact_stuck best;
    double best_distance; /* INFINITY: none yet */
};

static void consider(struct search *search, const double z[2], int n_active, int i, int j)
{
    for (int k = 0; k < search->n_set; k++) {
        if (!is_within(z, search->v, search->reach, search->set[k])) {
            return;
        }
    }
    double away = distance(z, search->origin);
    if (away < search->best_distance) {
        search->best_distance = away;
        search->best = (struct contact_stuck){{z[0], z[1]}, n_active, {i, j}};
    }
}

/* The closest place within at most three discs: on one of them or where two cross. */
static bool solve_few(struct search *search)
{
    double z[2];
    search->best_distance = INFINITY;
    for (int a = 0; a < search->n_set; a++) {
        int i = search->set[a];
        on_disc(search->v, search->reach, search->origin, i, z);
        consider(search, z, 1, i, i);
        for (int b = 0; b < a; b++) {
            for (int side = -1; side <= 1; side += 2) {
                if (on_two_rims(search->v, search->reach, i, search->set[b], side, z)) {
                    consider(search, z, 2, i, search->set[b]);
                }
            }
        }
    }
    return search->best_distance < INFINITY;
}

static int worst(int n, const double *v, const double *reach, const double z[2])
{
    int found = -1;
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double beyond = distance(z, v + 2 * i) - reach[i];
        if (beyond > most && !is_within(z, v, reach, i)) {
            most = beyond;
            found = i;
        }
    }
    return found;
}

/*
 * The place is decided by at most two discs, and where three have no place in common there is
 * none (Helly). The disc that is most out of reach comes in, those that do not decide
 * go out; the distance from the origin grows, so that this ends.
 */
static bool find_in_plane(int n, const double *v, const double *reach, const double origin[2],
                          struct contact_stuck *stuck)
{
    struct search search = {.v = v, .reach = reach, .origin = origin};
    *stuck = (struct contact_stuck){.z = {origin[0], origin[1]}};
    for (int step = 0; step < 4 * n; step++) {
        int next = worst(n, v, reach, stuck->z);
        if (next < 0) {
            return true;
        }
        memcpy(search.set, stuck->active, sizeof stuck->active);
        search.set[stuck->n_active] = next;
        search.n_set = stuck->n_active + 1;
        if (!solve_few(&search)) {
            return false;
        }
        *stuck = search.best;
    }
    return false;
}

bool contact_stuck_find(int n_axes, int n, const double *v, const double *reach,
                        const double origin[2], struct contact_stuck *stuck)
{
    return n_axes == 1 ? find_on_line(n, v, reach, origin[0], stuck)
                       : find_in_plane(n, v, reach, origin, stuck);
}

static void differentiate_one(int n_axes, const double *v, const double *reach,
                              const double origin[2], const struct contact_stuck *stuck,
                              double by_v[2][2], double by_reach[2], double by_origin[2][2])
{
    int i = stuck->active[0];
    double e[2] = {origin[0] - v[2 * i], n_axes > 1 ? origin[1] - v[2 * i + 1] : 0.0};
    double away = hypot(e[0], e[1]);
    e[0] /= away;
    e[1] /= away;
    for (int a = 0; a < 2; a++) {
        by_reach[a] = e[a];
        for (int b = 0; b < 2; b++) { /* z = v + d e, e = (o - v)/|o - v| */
            double unit = a == b ? 1.0 : 0.0;
            by_origin[a][b] = n_axes > 1 ? reach[i] / away * (unit - e[a] * e[b]) : 0.0;
            by_v[a][b] = unit - by_origin[a][b];
        }
    }
}

/* (z - v_k) . (dz - dv_k) = d_k dd_k for both */
static void differentiate_two(const double *v, const double *reach,
                              const struct contact_stuck *stuck, double by_v[2][2][2],
                              double by_reach[2][2])
{
    double g[2][2];
    for (int k = 0; k < 2; k++) {
        for (int a = 0; a < 2; a++) {
            g[k][a] = stuck->z[a] - v[2 * stuck->active[k] + a];
        }
    }
    double determinant = g[0][0] * g[1][1] - g[0][1] * g[1][0];
    if (determinant ==
        0.0) { /* the rims touch: both push the same way, or there is one place */
        determinant = INFINITY;
    }
    for (int k = 0; k < 2; k++) {
        const double *other = g[1 - k];
        double sign = (k == 0 ? 1.0 : -1.0) / determinant;
        double inverse[2] = {sign * other[1], -sign * other[0]};
        for (int a = 0; a < 2; a++) {
            by_reach[k][a] = inverse[a] * reach[stuck->active[k]];
            for (int b = 0; b < 2; b++) {
                by_v[k][a][b] = inverse[a] * g[k][b];
            }
        }
    }
}

void contact_stuck_differentiate(int n_axes, const double *v, const double *reach,
                                 const double origin[2], const struct contact_stuck *stuck,
                                 double by_v[2][2][2], double by_reach[2][2],
                                 double by_origin[2][2])
{
    bool is_free = stuck->n_active == 0;
    by_origin[0][0] = by_origin[1][1] = is_free ? 1.0 : 0.0;
    by_origin[0][1] = by_origin[1][0] = 0.0;
    if (stuck->n_active == 1) {
        differentiate_one(n_axes, v, reach, origin, stuck, by_v[0], by_reach[0], by_origin);
    } else if (stuck->n_active == 2) {
        differentiate_two(v, reach, stuck, by_v, by_reach);
    }
}
