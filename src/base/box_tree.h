/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lies nearest to a point among many things in space: a tree of boxes around them. */
#ifndef MASING_BASE_BOX_TREE_H
#define MASING_BASE_BOX_TREE_H

#include <stdbool.h>

struct box {
    double low[3], high[3];
};

/* Zero-initialised is empty. */
struct box_tree {
    int n;                   /* things */
    int *items;              /* [n] in the order of the leaves */
    const struct box *boxes; /* [n] of the things, lent */
    struct box *nodes;       /* of the tree: node k has 2 k + 1 and 2 k + 2 below it */
};

/* Square of the distance of a thing from a point. */
typedef double box_tree_distance(const void *context, int item, const double point[3]);

/* False without memory. */
bool box_tree_create(const struct box *boxes, int n, struct box_tree *tree);
void box_tree_clear(struct box_tree *tree);

/*
 * The nearest thing at a squared distance of at most *square, which becomes its own; of several
 * the one with the lowest index. -1: there is none.
 */
int box_tree_nearest(const struct box_tree *tree, const double point[3],
                     box_tree_distance *distance, const void *context, double *square);

#endif
