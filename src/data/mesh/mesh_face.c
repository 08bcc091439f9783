/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faces of elements: shares of their area, and the point that is nearest to another. */
#include <math.h>
#include <string.h>

#include "data/mesh/mesh_patch.h"

/* --- areas -------------------------------------------------------------------------------- */

static void cross(const double a[3], const double b[3], double product[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        product[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_share(int node, double share, const double vector[3], double areas[],
                      double vectors[])
{
    areas[node] += share * sqrt(dot(vector, vector));
    for (int k = 0; k < 3; k++) {
        vectors[3 * node + k] += share * vector[k];
    }
}

static void share_triangle(const double *points, int a, int b, int c, double areas[],
                           double vectors[])
{
    double ab[3], ac[3], vector[3];
    const int nodes[] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        ab[k] = points[3 * b + k] - points[3 * a + k];
        ac[k] = points[3 * c + k] - points[3 * a + k];
    }
    cross(ab, ac, vector);
    for (int i = 0; i < 3; i++) {
        add_share(nodes[i], 0.5 / 3.0, vector, areas, vectors);
    }
}

/* By two Gauss points in each direction, which are exact where the face is flat. */
static void share_quadrangle(const double *points, const int nodes[4], double areas[],
                             double vectors[])
{
    static const double gauss = 0.57735026918962576451; /* 1 / sqrt(3) */
    static const double r[] = {-1, 1, 1, -1}, s[] = {-1, -1, 1, 1};
    for (int g = 0; g < 4; g++) {
        double u = gauss * r[g], v = gauss * s[g], along_r[3] = {0}, along_s[3] = {0};
        double vector[3];
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 3; k++) {
                along_r[k] += 0.25 * r[i] * (1.0 + s[i] * v) * points[3 * nodes[i] + k];
                along_s[k] += 0.25 * s[i] * (1.0 + r[i] * u) * points[3 * nodes[i] + k];
            }
        }
        cross(along_r, along_s, vector);
        for (int i = 0; i < 4; i++) {
            double share = 0.25 * (1.0 + r[i] * u) * (1.0 + s[i] * v);
            add_share(nodes[i], share, vector, areas, vectors);
        }
    }
}

void mesh_face_shares(enum mesh_shape shape, const double *points,
                      double areas[MESH_FACE_NODES], double vectors[3 * MESH_FACE_NODES])
{
    static const int whole[] = {0, 1, 2, 3}, middle[] = {4, 5, 6, 7};
    memset(areas, 0, MESH_FACE_NODES * sizeof *areas);
    memset(vectors, 0, 3 * MESH_FACE_NODES * sizeof *vectors);
    switch (shape) {
    case MESH_TRIANGLE_3:
        share_triangle(points, 0, 1, 2, areas, vectors);
        break;
    case MESH_QUADRANGLE_4:
        share_quadrangle(points, whole, areas, vectors);
        break;
    case MESH_TRIANGLE_6:
        share_triangle(points, 0, 3, 5, areas, vectors);
        share_triangle(points, 3, 1, 4, areas, vectors);
        share_triangle(points, 4, 2, 5, areas, vectors);
        share_triangle(points, 3, 4, 5, areas, vectors);
        break;
    case MESH_QUADRANGLE_8: /* four triangles at the corners, and what is left */
        for (int i = 0; i < 4; i++) {
            share_triangle(points, i, 4 + i, 4 + (i + 3) % 4, areas, vectors);
        }
        share_quadrangle(points, middle, areas, vectors);
        break;
    default:
        break;
    }
}

/* --- the nearest point -------------------------------------------------------------------- */

/* Shape functions and their derivatives at r, s: in triangles r, s >= 0 and r + s <= 1, in
 * quadrangles -1 <= r, s <= 1. */
struct local {
    double value[MESH_FACE_NODES], by_r[MESH_FACE_NODES], by_s[MESH_FACE_NODES];
};

static void triangle_6(double r, double s, struct local *n)
{
    double l = 1.0 - r - s;
    const double value[] = {l * (2 * l - 1), r * (2 * r - 1), s * (2 * s - 1),
                            4 * l * r,       4 * r * s,       4 * s * l};
    const double by_r[] = {1 - 4 * l, 4 * r - 1, 0, 4 * (l - r), 4 * s, -4 * s};
    const double by_s[] = {1 - 4 * l, 0, 4 * s - 1, -4 * r, 4 * r, 4 * (l - s)};
    memcpy(n->value, value, sizeof value);
    memcpy(n->by_r, by_r, sizeof by_r);
    memcpy(n->by_s, by_s, sizeof by_s);
}

static const double corner_r[] = {-1, 1, 1, -1}, corner_s[] = {-1, -1, 1, 1};

static void quadrangle_4(double r, double s, struct local *n)
{
    for (int i = 0; i < 4; i++) {
        double u = corner_r[i], v = corner_s[i];
        n->value[i] = 0.25 * (1 + u * r) * (1 + v * s);
        n->by_r[i] = 0.25 * u * (1 + v * s);
        n->by_s[i] = 0.25 * v * (1 + u * r);
    }
}

static void quadrangle_8(double r, double s, struct local *n)
{
    static const double middle_r[] = {0, 1, 0, -1}, middle_s[] = {-1, 0, 1, 0};
    for (int i = 0; i < 4; i++) {
        double u = corner_r[i], v = corner_s[i];
        n->value[i] = 0.25 * (1 + u * r) * (1 + v * s) * (u * r + v * s - 1);
        n->by_r[i] = 0.25 * u * (1 + v * s) * (2 * u * r + v * s);
        n->by_s[i] = 0.25 * v * (1 + u * r) * (u * r + 2 * v * s);
    }
    for (int i = 0; i < 4; i++) {
        double u = middle_r[i], v = middle_s[i];
        bool is_along_r = i % 2 == 0; /* the middle of an edge along r */
        n->value[4 + i] =
            is_along_r ? 0.5 * (1 - r * r) * (1 + v * s) : 0.5 * (1 - s * s) * (1 + u * r);
        n->by_r[4 + i] = is_along_r ? -r * (1 + v * s) : 0.5 * u * (1 - s * s);
        n->by_s[4 + i] = is_along_r ? 0.5 * v * (1 - r * r) : -s * (1 + u * r);
    }
}

static void evaluate(enum mesh_shape shape, double r, double s, struct local *n)
{
    if (shape == MESH_TRIANGLE_3) {
        *n = (struct local){{1 - r - s, r, s}, {-1, 1, 0}, {-1, 0, 1}};
    } else if (shape == MESH_TRIANGLE_6) {
        triangle_6(r, s, n);
    } else if (shape == MESH_QUADRANGLE_4) {
        quadrangle_4(r, s, n);
    } else {
        quadrangle_8(r, s, n);
    }
}

/* What is left of the way to the point, and the tangents; the square of the distance. */
static double place(enum mesh_shape shape, const double *points, const double point[3],
                    const double at[2], struct local *n, double left[3], double tangents[2][3])
{
    evaluate(shape, at[0], at[1], n);
    for (int k = 0; k < 3; k++) {
        left[k] = point[k];
        tangents[0][k] = tangents[1][k] = 0.0;
        for (int i = 0; i < mesh_form(shape)->n_nodes; i++) {
            left[k] -= n->value[i] * points[3 * i + k];
            tangents[0][k] += n->by_r[i] * points[3 * i + k];
            tangents[1][k] += n->by_s[i] * points[3 * i + k];
        }
    }
    return dot(left, left);
}

/* Steps of the Gauss-Newton method, which a flat face needs one or a few of; a parameter is
 * settled once a step is at most so large. */
enum { MOST_STEPS = 30 };
static const double SETTLED = 1e-14;
/* A point is within a face up to this part of its size. */
static const double EDGE = 1e-9;

static bool is_within(enum mesh_shape shape, const double at[2])
{
    bool is_triangle = shape == MESH_TRIANGLE_3 || shape == MESH_TRIANGLE_6;
    return is_triangle ? at[0] >= -EDGE && at[1] >= -EDGE && at[0] + at[1] <= 1 + EDGE
                       : fabs(at[0]) <= 1 + EDGE && fabs(at[1]) <= 1 + EDGE;
}

/* The foot of the perpendicular, where it lies within the face. */
static bool find_foot(enum mesh_shape shape, const double *points, const double point[3],
                      double at[2])
{
    bool is_triangle = shape == MESH_TRIANGLE_3 || shape == MESH_TRIANGLE_6;
    struct local n;
    double left[3], tangents[2][3], size = 1.0;
    at[0] = at[1] = is_triangle ? 1.0 / 3.0 : 0.0;
    for (int step = 0; step < MOST_STEPS && size > SETTLED; step++) {
        place(shape, points, point, at, &n, left, tangents);
        double rr = dot(tangents[0], tangents[0]), ss = dot(tangents[1], tangents[1]);
        double rs = dot(tangents[0], tangents[1]), determinant = rr * ss - rs * rs;
        double r = dot(tangents[0], left), s = dot(tangents[1], left);
        double by_r = (ss * r - rs * s) / determinant, by_s = (rr * s - rs * r) / determinant;
        at[0] += by_r;
        at[1] += by_s;
        size = fabs(by_r) + fabs(by_s);
        if (!(size < 1e3)) {
            return false;
        }
    }
    return is_within(shape, at);
}

/* The nearest point of an edge from one corner to another. */
static void find_on_edge(enum mesh_shape shape, const double *points, const double point[3],
                         const double from[2], const double to[2], double at[2])
{
    struct local n;
    double left[3], tangents[2][3], along[3], t = 0.5;
    const double by_t[2] = {to[0] - from[0], to[1] - from[1]};
    for (int step = 0; step < MOST_STEPS; step++) {
        at[0] = from[0] + t * by_t[0];
        at[1] = from[1] + t * by_t[1];
        place(shape, points, point, at, &n, left, tangents);
        for (int k = 0; k < 3; k++) {
            along[k] = tangents[0][k] * by_t[0] + tangents[1][k] * by_t[1];
        }
        double length = dot(along, along), before = t;
        t = length > 0.0 ? fmin(fmax(t + dot(along, left) / length, 0.0), 1.0) : t;
        if (fabs(t - before) <= SETTLED) {
            break;
        }
    }
    at[0] = from[0] + t * by_t[0];
    at[1] = from[1] + t * by_t[1];
}

double mesh_face_nearest(enum mesh_shape shape, const double *points, const double point[3],
                         double weights[MESH_FACE_NODES])
{
    static const double triangle[][2] = {{0, 0}, {1, 0}, {0, 1}};
    static const double quadrangle[][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    int n_corners = mesh_form(shape)->n_corners;
    const double(*corners)[2] = n_corners == 3 ? triangle : quadrangle;
    struct local n;
    double at[2], left[3], tangents[2][3], nearest = INFINITY;
    if (find_foot(shape, points, point, at)) {
        nearest = place(shape, points, point, at, &n, left, tangents);
        memcpy(weights, n.value, MESH_FACE_NODES * sizeof *weights);
        return nearest;
    }
    for (int i = 0; i < n_corners; i++) {
        find_on_edge(shape, points, point, corners[i], corners[(i + 1) % n_corners], at);
        double square = place(shape, points, point, at, &n, left, tangents);
        if (square < nearest) {
            nearest = square;
            memcpy(weights, n.value, MESH_FACE_NODES * sizeof *weights);
        }
    }
    return nearest;
}
