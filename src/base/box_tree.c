/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/box_tree.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"

enum { LEAF = 4 }; /* things at most */

static double center(const struct box *box, int axis)
{
    return 0.5 * box->low[axis] + 0.5 * box->high[axis];
}

static struct box around(const struct box_tree *tree, int begin, int end)
{
    struct box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = begin; i < end; i++) {
        const struct box *one = &tree->boxes[tree->items[i]];
        for (int k = 0; k < 3; k++) {
            box.low[k] = fmin(box.low[k], one->low[k]);
            box.high[k] = fmax(box.high[k], one->high[k]);
        }
    }
    return box;
}

/* Order along an axis, equal centres by index: the tree does not depend on how it is sorted. */
static bool is_before(const struct box_tree *tree, int axis, int a, int b)
{
    double left = center(&tree->boxes[a], axis), right = center(&tree->boxes[b], axis);
    return left < right || (left == right && a < b);
}

/* Items of which the middle one has its place, lower ones before and higher ones behind it. */
static void part_at(const struct box_tree *tree, int axis, int begin, int end, int middle)
{
    int *items = tree->items;
    while (end - begin > 1) {
        int pivot = items[begin + (end - begin) / 2], i = begin, j = end - 1;
        while (i <= j) {
            while (is_before(tree, axis, items[i], pivot)) {
                i++;
            }
            while (is_before(tree, axis, pivot, items[j])) {
                j--;
            }
            if (i <= j) {
                int swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (middle <= j) {
            end = j + 1;
        } else if (middle >= i) {
            begin = i;
        } else {
            return;
        }
    }
}

static void build(struct box_tree *tree, size_t node, int begin, int end)
{
    struct box *box = &tree->nodes[node];
    int axis = 0, middle = begin + (end - begin) / 2;
    *box = around(tree, begin, end);
    if (end - begin <= LEAF) {
        return;
    }
    for (int k = 1; k < 3; k++) {
        bool is_longer = box->high[k] - box->low[k] > box->high[axis] - box->low[axis];
        axis = is_longer ? k : axis;
    }
    part_at(tree, axis, begin, end, middle);
    build(tree, 2 * node + 1, begin, middle);
    build(tree, 2 * node + 2, middle, end);
}

bool box_tree_create(const struct box *boxes, int n, struct box_tree *tree)
{
    size_t n_nodes = 1;
    for (int most = n; most > LEAF; most = (most + 1) / 2) {
        n_nodes = 2 * n_nodes + 1;
    }
    *tree = (struct box_tree){.n = n, .boxes = boxes};
    tree->items = memory_array((size_t)n, sizeof *tree->items);
    tree->nodes = memory_array(n_nodes, sizeof *tree->nodes);
    if (!tree->items || !tree->nodes) {
        box_tree_clear(tree);
        return false;
    }
    for (int i = 0; i < n; i++) {
        tree->items[i] = i;
    }
    build(tree, 0, 0, n);
    return true;
}

void box_tree_clear(struct box_tree *tree)
{
    free(tree->items);
    free(tree->nodes);
    *tree = (struct box_tree){0};
}

struct search {
    const struct box_tree *tree;
    const double *point;
    box_tree_distance *distance;
    const void *context;
    int nearest;
    double square;
};

static double square_to_box(const struct box *box, const double point[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double beyond = fmax(fmax(box->low[k] - point[k], point[k] - box->high[k]), 0.0);
        square += beyond * beyond;
    }
    return square;
}

static void look_at(struct search *search, int item)
{
    double square = search->distance(search->context, item, search->point);
    bool is_nearer =
        square < search->square ||
        (square == search->square && (search->nearest < 0 || item < search->nearest));
    if (is_nearer) {
        search->square = square;
        search->nearest = item;
    }
}

/* The part that is nearer is looked at first. */
static void descend(struct search *search, size_t node, int begin, int end)
{
    const struct box_tree *tree = search->tree;
    int middle = begin + (end - begin) / 2;
    if (end - begin <= LEAF) {
        for (int i = begin; i < end; i++) {
            look_at(search, tree->items[i]);
        }
        return;
    }
    double squares[] = {square_to_box(&tree->nodes[2 * node + 1], search->point),
                        square_to_box(&tree->nodes[2 * node + 2], search->point)};
    int first = squares[1] < squares[0] ? 1 : 0;
    for (int k = 0; k < 2; k++) {
        int side = k == 0 ? first : 1 - first;
        if (squares[side] <= search->square) {
            descend(search, 2 * node + 1 + (size_t)side, side ? middle : begin,
                    side ? end : middle);
        }
    }
}

int box_tree_nearest(const struct box_tree *tree, const double point[3],
                     box_tree_distance *distance, const void *context, double *square)
{
    struct search search = {tree, point, distance, context, -1, *square};
    if (tree->n > 0) {
        descend(&search, 0, 0, tree->n);
    }
    *square = search.square;
    return search.nearest;
}
