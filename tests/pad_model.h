/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An elastic block of n x n x 3 nodes that lies on n x n contacts of three directions. Mass,
 * load, preload and the stiffness of all contacts together are the same for every n.
 */
#ifndef MASING_TESTS_PAD_MODEL_H
#define MASING_TESTS_PAD_MODEL_H

#include "response.h"
#include "scratch.h"

enum { PAD_LAYERS = 3 };

/* How contacts differ from each other, and what presses them beside their preload. */
struct pad_form {
    double spread; /* of preloads to both sides, in parts of their mean */
    double gap;    /* m, of every fourth contact */
    double push;   /* N, static, along x and, less, away from the contacts */
};

static inline int pad_node(int n, const int place[3])
{
    return place[0] + n * place[1] + n * n * place[2];
}

static inline FILE *pad_file(const char *folder, const char *name)
{
    char path[SCRATCH_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(99);
    }
    return file;
}

/* The end of a spring along an axis from the node at a place; false: there is none. */
static inline bool pad_neighbour(int n, const int place[3], int axis, int direction,
                                 int other[3])
{
    memcpy(other, place, 3 * sizeof *other);
    other[axis] += direction;
    return other[axis] >= 0 && other[axis] < (axis == 2 ? PAD_LAYERS : n);
}

/* Springs between neighbours, and soft ones that hold the upper layer; lower triangle. */
static inline void pad_node_stiffness(FILE *file, int n, const int place[3])
{
    static const double along = 1e8, across = 4e7, ground[3] = {1e6, 2.1e6, 3.7e6};
    double uneven = 1.0 + (0.225 * place[0] + 0.075 * place[1]) / (n - 1);
    int node = pad_node(n, place), other[3];
    for (int c = 0; c < 3; c++) {
        double diagonal = place[2] == PAD_LAYERS - 1 ? ground[c] * uneven / (n * n) : 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double stiffness = axis == c ? along : across;
            diagonal += pad_neighbour(n, place, axis, -1, other) ? stiffness : 0.0;
            if (pad_neighbour(n, place, axis, 1, other)) {
                diagonal += stiffness;
                fprintf(file, "%d %d %.17g\n", 3 * pad_node(n, other) + c + 1, 3 * node + c + 1,
                        -stiffness);
            }
        }
        fprintf(file, "%d %d %.17g\n", 3 * node + c + 1, 3 * node + c + 1, diagonal);
    }
}

static inline void pad_write_stiffness(const char *folder, int n)
{
    int n_dofs = 3 * PAD_LAYERS * n * n;
    int n_springs = PAD_LAYERS * 2 * n * (n - 1) + (PAD_LAYERS - 1) * n * n;
    FILE *file = pad_file(folder, "stiffness.mtx");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n_dofs,
            n_dofs, n_dofs + 3 * n_springs);
    for (int k = 0; k < PAD_LAYERS; k++) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                pad_node_stiffness(file, n, (const int[3]){i, j, k});
            }
        }
    }
    fclose(file);
}

static inline void pad_write_mass(const char *folder, int n)
{
    int n_dofs = 3 * PAD_LAYERS * n * n;
    FILE *file = pad_file(folder, "mass.mtx");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n_dofs,
            n_dofs, n_dofs);
    for (int i = 1; i <= n_dofs; i++) {
        fprintf(file, "%d %d %.17g\n", i, i, 6.0 / n_dofs);
    }
    fclose(file);
}

/* On the upper layer, along x and, less, along z. */
static inline void pad_write_load(const char *folder, int n)
{
    int n_nodes = n * n;
    FILE *file = pad_file(folder, "load.mtx");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d 1 %d\n",
            3 * PAD_LAYERS * n_nodes, 2 * n_nodes);
    for (int p = 2 * n_nodes; p < 3 * n_nodes; p++) {
        fprintf(file, "%d 1 %.17g\n%d 1 %.17g\n", 3 * p + 1, 1.0 / n_nodes, 3 * p + 3,
                0.3 / n_nodes);
    }
    fclose(file);
}

static inline void pad_write_names(const char *folder, int n)
{
    FILE *file = pad_file(folder, "dofs.txt");
    for (int p = 1; p <= PAD_LAYERS * n * n; p++) {
        fprintf(file, "n%d.x\nn%d.y\nn%d.z\n", p, p, p);
    }
    fclose(file);
}

static inline void pad_write_pairs(const char *folder, int n, struct pad_form form)
{
    int n_contacts = n * n;
    double mean = 512.0 / n_contacts;
    FILE *file = pad_file(folder, "pairs.csv");
    fprintf(file, "from, to, normal_x, normal_y, normal_z, preload, gap\n");
    for (int p = 1; p <= n_contacts; p++) {
        double place = 2.0 * (7 * p % n_contacts) / (n_contacts - 1) - 1.0; /* -1 to 1 */
        fprintf(file, "ground, n%d, 0, 0, -1, ", p);
        if (form.gap > 0.0 && p % 4 == 1) {
            fprintf(file, ", %.17g\n", form.gap);
        } else {
            fprintf(file, "%.17g, \n", mean * (1.0 + form.spread * place));
        }
    }
    fclose(file);
}

/* Files of the pad in the folder. The output of its model is `top`. */
static inline void pad_write_form(const char *folder, int n, struct pad_form form)
{
    int n_contacts = n * n, top = PAD_LAYERS * n_contacts;
    pad_write_stiffness(folder, n);
    pad_write_mass(folder, n);
    pad_write_load(folder, n);
    pad_write_names(folder, n);
    pad_write_pairs(folder, n, form);
    FILE *file = pad_file(folder, "pad.yaml");
    fprintf(file,
            "masing: 1\n"
            "structure: {dofs: dofs.txt, stiffness: stiffness.mtx, mass: mass.mtx,\n"
            "  damping: {rayleigh: [6, 2.0e-6]}}\n"
            "joints:\n"
            "  - {name: pad, law: contact, pairs: pairs.csv, friction: 0.3,\n"
            "     normal_stiffness: %.17g, tangential_stiffness: %.17g}\n"
            "loads: [{pattern: load.mtx, amplitude: 40.0}]\n"
            "frequency: [480, 640]\n"
            "harmonics: [0, 1, 2, 3, 4, 5]\n"
            "samples: 128\n"
            "outputs: [{name: top, from: ground, to: n%d.x}]\n",
            4e7 / n_contacts, 3e7 / n_contacts, top);
    if (form.push != 0.0) {
        fprintf(file,
                "static_loads: [{dof: n%d.x, force: %.17g}, {dof: n%d.z, force: %.17g}]\n", top,
                form.push, top - 1, 0.3 * form.push);
    }
    fclose(file);
}

/* All contacts alike. */
static inline void pad_write(const char *folder, int n)
{
    pad_write_form(folder, n, (struct pad_form){0});
}

#endif
