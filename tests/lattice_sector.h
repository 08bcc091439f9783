/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sector of a disk as a lattice of bars between nodes of a grid, about any axis: its mesh and
 * its matrices as files, and the whole disk of copies turned about the axis, along the axes of
 * the mesh. Nodes of the inner rim are held. Bars and masses of both boundaries are there with
 * half of what they have.
 */
#ifndef MASING_TESTS_LATTICE_SECTOR_H
#define MASING_TESTS_LATTICE_SECTOR_H

#include <math.h>
#include <stdbool.h>

#include "scratch.h"

struct lattice {
    int n_sectors, n_r, n_t, n_z; /* bars along each direction */
    char folder[SCRATCH_PATH];
};

static const double lattice_point[3] = {0.3, -0.2, 0.1};
/* Along and across the axis. */
static const double lattice_frame[3][3] = {
    {1.0 / 3, 2.0 / 3, 2.0 / 3}, {2.0 / 3, 1.0 / 3, -2.0 / 3}, {-2.0 / 3, 2.0 / 3, -1.0 / 3}};

static inline int lattice_nodes(const struct lattice *l)
{
    return (l->n_r + 1) * (l->n_t + 1) * (l->n_z + 1);
}

static inline int lattice_node(const struct lattice *l, int i, int j, int k)
{
    return (i * (l->n_t + 1) + j) * (l->n_z + 1) + k;
}

static inline void lattice_grid(const struct lattice *l, int node, int at[3])
{
    at[2] = node % (l->n_z + 1);
    at[1] = node / (l->n_z + 1) % (l->n_t + 1);
    at[0] = node / (l->n_z + 1) / (l->n_t + 1);
}

/* v turned by so many sectors */
static inline void lattice_turn(const struct lattice *l, int sectors, const double v[3],
                                double turned[3])
{
    double angle = 4.0 * acos(0.0) * sectors / l->n_sectors, part[3];
    const double(*f)[3] = lattice_frame;
    for (int a = 0; a < 3; a++) {
        part[a] = f[a][0] * v[0] + f[a][1] * v[1] + f[a][2] * v[2];
    }
    double y = cos(angle) * part[1] - sin(angle) * part[2];
    double z = sin(angle) * part[1] + cos(angle) * part[2];
    for (int k = 0; k < 3; k++) {
        turned[k] = f[0][k] * part[0] + f[1][k] * y + f[2][k] * z;
    }
}

/* From a point of the axis. The boundaries are curved, and the same. */
static inline void lattice_place(const struct lattice *l, int node, double place[3])
{
    int at[3];
    lattice_grid(l, node, at);
    bool is_inside = at[1] > 0 && at[1] < l->n_t;
    double ripple = is_inside ? sin(5.0 * at[0] + 3.0 * at[1] + 7.0 * at[2]) : 0.0;
    double angle = 4.0 * acos(0.0) / l->n_sectors *
                   ((double)at[1] / l->n_t + 0.05 * sin(2.0 * at[0] + at[2]) + 0.04 * ripple);
    double r = 1.0 + 0.4 * at[0] + 0.05 * cos(3.0 * at[2]) + 0.03 * ripple;
    double along = 0.3 * at[2] + 0.05 * sin(4.0 * at[0]) + 0.02 * ripple;
    for (int k = 0; k < 3; k++) {
        place[k] = along * lattice_frame[0][k] + r * cos(angle) * lattice_frame[1][k] +
                   r * sin(angle) * lattice_frame[2][k];
    }
}

/* DOF of a node of a sector among those of the disk, or of the sector alone (n_sectors 0 of
 * `whole`); -1: held. */
static inline int lattice_dof(const struct lattice *l, bool is_whole, int sector, int node,
                              int direction)
{
    int at[3], per_line = l->n_z + 1;
    lattice_grid(l, node, at);
    if (at[0] == 0) {
        return -1;
    }
    if (!is_whole) {
        return 3 * (node - (l->n_t + 1) * per_line) + direction;
    }
    sector = (sector + (at[1] == l->n_t)) % l->n_sectors;
    int own = ((at[0] - 1) * l->n_t + at[1] % l->n_t) * per_line + at[2];
    return 3 * (sector * l->n_r * l->n_t * per_line + own) + direction;
}

static inline int lattice_dofs(const struct lattice *l, bool is_whole)
{
    return 3 * l->n_r * (l->n_z + 1) * (is_whole ? l->n_sectors * l->n_t : l->n_t + 1);
}

/* Both of a boundary? */
static inline double lattice_share(const struct lattice *l, const int a[3], const int b[3])
{
    return a[1] == b[1] && (a[1] == 0 || a[1] == l->n_t) ? 0.5 : 1.0;
}

static inline void lattice_add_bar(const struct lattice *l, bool is_whole, int sector, int from,
                                   int to, double *stiffness)
{
    int a[3], b[3];
    size_t n = (size_t)lattice_dofs(l, is_whole);
    double x[3], y[3], along[3], length = 0.0;
    lattice_grid(l, from, a);
    lattice_grid(l, to, b);
    lattice_place(l, from, x);
    lattice_place(l, to, y);
    for (int k = 0; k < 3; k++) {
        x[k] = y[k] - x[k];
        length = hypot(length, x[k]);
    }
    lattice_turn(l, sector, x, along);
    bool is_shared = lattice_share(l, a, b) < 1.0;
    double variety = sin(3.0 * a[0] + 5.0 * a[2] + 7.0 * b[0] + (is_shared ? 0 : 13.0 * a[1]));
    double value = 1e5 * (1.0 + 0.3 * variety) * lattice_share(l, a, b) / pow(length, 3.0);
    for (int e = 0; e < 36; e++) {
        int i = e % 6, j = e / 6;
        int row = lattice_dof(l, is_whole, sector, i < 3 ? from : to, i % 3);
        int column = lattice_dof(l, is_whole, sector, j < 3 ? from : to, j % 3);
        double sign = (i < 3) == (j < 3) ? 1.0 : -1.0;
        if (row >= 0 && column >= 0) {
            stiffness[(size_t)row + (size_t)column * n] +=
                sign * value * along[i % 3] * along[j % 3];
        }
    }
}

/* [n_dofs * n_dofs] each, of zeros */
static inline void lattice_fill(const struct lattice *l, bool is_whole, double *mass,
                                double *stiffness)
{
    size_t n = (size_t)lattice_dofs(l, is_whole);
    int count = lattice_nodes(l);
    for (int s = 0; s < (is_whole ? l->n_sectors : 1); s++) {
        for (int from = 0; from < count; from++) {
            int a[3], b[3];
            lattice_grid(l, from, a);
            for (int k = 0; k < 3; k++) {
                int dof = lattice_dof(l, is_whole, s, from, k);
                if (dof >= 0) {
                    mass[(size_t)dof * (n + 1)] +=
                        lattice_share(l, a, a) * (0.5 + 0.1 * sin(a[0] + 2.0 * a[2]));
                }
            }
            for (int to = from + 1; to < count; to++) {
                lattice_grid(l, to, b);
                if (abs(a[0] - b[0]) <= 1 && abs(a[1] - b[1]) <= 1 && abs(a[2] - b[2]) <= 1) {
                    lattice_add_bar(l, is_whole, s, from, to, stiffness);
                }
            }
        }
    }
}

static inline FILE *lattice_open(const struct lattice *l, const char *name)
{
    char path[SCRATCH_PATH + 40];
    snprintf(path, sizeof path, "%s/%s", l->folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(99);
    }
    return file;
}

static inline void lattice_write_matrix(const struct lattice *l, const char *name, size_t n,
                                        const double *a)
{
    FILE *file = lattice_open(l, name);
    size_t count = 0;
    for (size_t e = 0; e < n * n; e++) {
        count += a[e] != 0.0 && e % n >= e / n;
    }
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%zu %zu %zu\n", n, n,
            count);
    for (size_t e = 0; e < n * n; e++) {
        if (a[e] != 0.0 && e % n >= e / n) {
            fprintf(file, "%zu %zu %.17g\n", e % n + 1, e / n + 1, a[e]);
        }
    }
    fclose(file);
}

/* NAME_mass.mtx, NAME_stiffness.mtx, NAME_dofs.txt: "7.x" of a sector, "s2.7.x" of the disk,
 * where nodes are those of sectors without their second boundary */
static inline void lattice_write_structure(const struct lattice *l, bool is_whole)
{
    size_t n = (size_t)lattice_dofs(l, is_whole);
    double *mass = calloc(n * n, sizeof *mass), *stiffness = calloc(n * n, sizeof *mass);
    FILE *names = lattice_open(l, is_whole ? "whole_dofs.txt" : "sector_dofs.txt");
    lattice_fill(l, is_whole, mass, stiffness);
    lattice_write_matrix(l, is_whole ? "whole_mass.mtx" : "sector_mass.mtx", n, mass);
    lattice_write_matrix(l, is_whole ? "whole_stiffness.mtx" : "sector_stiffness.mtx", n,
                         stiffness);
    for (size_t d = 0; d < n; d++) {
        fprintf(names, "d%zu\n", d);
    }
    fclose(names);
    free(mass);
    free(stiffness);
}

static inline void lattice_write_set(const struct lattice *l, FILE *file, const char *name,
                                     int j)
{
    fprintf(file, "*NSET,NSET=%s\n", name);
    for (int i = 0; i <= l->n_r; i++) {
        for (int k = 0; k <= l->n_z; k++) {
            fprintf(file, "%d\n", lattice_node(l, i, j, k) + 1);
        }
    }
}

/* sector.inp, and names of its DOFs by node */
static inline void lattice_write_mesh(const struct lattice *l)
{
    FILE *file = lattice_open(l, "sector.inp");
    FILE *names = lattice_open(l, "sector_dofs.txt");
    fprintf(file, "*NODE\n");
    for (int node = 0; node < lattice_nodes(l); node++) {
        double x[3];
        lattice_place(l, node, x);
        fprintf(file, "%d,%.15g,%.15g,%.15g\n", node + 1, x[0] + lattice_point[0],
                x[1] + lattice_point[1], x[2] + lattice_point[2]);
        for (int k = 0; k < 3 && lattice_dof(l, false, 0, node, k) >= 0; k++) {
            fprintf(names, "%d.%c\n", node + 1, "xyz"[k]);
        }
    }
    lattice_write_set(l, file, "LOW", 0);
    lattice_write_set(l, file, "HIGH", l->n_t);
    fprintf(file, "*NSET,NSET=RIM\n");
    for (int j = 0; j <= l->n_t; j++) {
        fprintf(file, "%d\n", lattice_node(l, l->n_r, j, 0) + 1);
    }
    fprintf(file, "*BOUNDARY\n");
    for (int j = 0; j <= l->n_t; j++) {
        for (int k = 0; k <= l->n_z; k++) {
            fprintf(file, "%d,1,3\n", lattice_node(l, 0, j, k) + 1);
        }
    }
    fclose(file);
    fclose(names);
}

#endif
