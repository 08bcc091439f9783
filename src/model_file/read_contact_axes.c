/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directions of a contact. The circular slip limit is that of a plane: it means something
 * only where the two tangential axes measure the components of one displacement, that is, where
 * they are orthogonal and of one scale.
 */
#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "base/pi.h"
#include "model_file/joint_axes.h"

/* sines of angles below which directions count as parallel, and as orthogonal */
static const double PARALLEL = 1e-9;
static const double ORTHOGONAL = 1e-6;

static double weight_of(const struct masing_combination *axis, int dof)
{
    double sum = 0.0;
    for (int t = 0; t < axis->n_terms; t++) {
        sum += axis->terms[t].dof == dof ? axis->terms[t].weight : 0.0;
    }
    return sum;
}

static double product(const struct masing_combination *a, const struct masing_combination *b)
{
    double sum = 0.0;
    for (int t = 0; t < a->n_terms; t++) {
        sum += a->terms[t].weight * weight_of(b, a->terms[t].dof);
    }
    return sum;
}

static double length(const struct masing_combination *axis)
{
    return sqrt(product(axis, axis));
}

/* What b has beside a multiple of a, in parts of b: the sine of the angle between them. */
static double sine(const struct masing_combination *a, const struct masing_combination *b)
{
    double multiple = product(a, b) / product(a, a), sum = 0.0;
    for (int t = 0; t < b->n_terms; t++) {
        double rest = b->terms[t].weight - multiple * weight_of(a, b->terms[t].dof);
        sum += rest * rest;
    }
    for (int t = 0; t < a->n_terms; t++) {
        if (weight_of(b, a->terms[t].dof) == 0.0) {
            sum += pow(multiple * a->terms[t].weight, 2);
        }
    }
    return sqrt(sum) / length(b);
}

/* Tangential axes must be components of one displacement. */
static const char *tangential_fault(const struct masing_combination *first,
                                    const struct masing_combination *second, bool are_from_to,
                                    char text[CONTACT_FAULT])
{
    const double degrees = 180.0 / PI;
    double lengths = length(first) * length(second), dot = product(first, second);
    if (sine(first, second) <= PARALLEL) {
        return "the two directions are parallel to each other, expected orthogonal ones";
    }
    if (fabs(dot) > ORTHOGONAL * lengths) {
        snprintf(text, CONTACT_FAULT,
                 "the two directions are at %.6g degrees, expected 90: the slip limit is a "
                 "circle, which means nothing where they are not orthogonal",
                 degrees * acos(dot / lengths));
        return text;
    }
    if (!are_from_to && fabs(length(first) - length(second)) > ORTHOGONAL * length(first)) {
        snprintf(text, CONTACT_FAULT,
                 "the weights of the two directions have the lengths %.6g and %.6g, expected "
                 "equal ones: the slip limit is a circle, which means nothing where they do "
                 "not measure on one scale",
                 length(first), length(second));
        return text;
    }
    return NULL;
}

const char *contact_axes_fault(const struct masing_joint_spec *joint, bool are_from_to,
                               int *axis, char text[CONTACT_FAULT])
{
    for (*axis = 1; *axis < joint->n_axes; ++*axis) {
        if (sine(&joint->axes[0], &joint->axes[*axis]) <= PARALLEL) {
            return "the direction is parallel to the normal, expected one across it";
        }
    }
    *axis = joint->n_axes - 1;
    return joint->n_axes == 3
               ? tangential_fault(&joint->axes[1], &joint->axes[2], are_from_to, text)
               : NULL;
}

static enum masing_status find_directions(struct reader *reader, const struct tree_node *node,
                                          struct tree_node *directions[3], int *n)
{
    enum masing_status status = MASING_OK;
    struct tree_node *tangential;
    TRY(reader_required(reader, node, "normal", &directions[0]));
    TRY(reader_required(reader, node, "tangential", &tangential));
    TRY(reader_sequence(reader, tangential));
    if (tangential->count < 1 || tangential->count > 2) {
        TRY(reader_fail(reader, tangential,
                        "tangential: expected one or two directions, "
                        "found %d",
                        tangential->count));
    }
    directions[1] = tangential->first;
    directions[2] = tangential->first->next;
    *n = 1 + tangential->count;
done:
    return status;
}

enum masing_status read_contact_axes(struct reader *reader, struct tree_node *node,
                                     struct masing_joint_spec *joint)
{
    enum masing_status status = MASING_OK;
    struct tree_node *directions[3];
    struct tree_node *per_area = tree_find(node, "per_area");
    bool has_structure = reader->spec->structure.n_dofs > 0, are_from_to = true;
    char text[CONTACT_FAULT];
    int n, axis;
    if (!has_structure && !tree_find(node, "normal") && !tree_find(node, "tangential")) {
        return joint_axes_create(reader, 7U, joint); /* nothing that the directions lead to */
    }
    if (per_area) {
        TRY(reader_fail(reader, per_area, "per_area: belongs to 'pairs', which has the areas"));
    }
    TRY(find_directions(reader, node, directions, &n));
    TRY(joint_axes_create(reader, (1U << n) - 1U, joint));
    for (int a = 0; a < n; a++) {
        TRY(has_structure ? read_axis(reader, directions[a], &joint->axes[a])
                          : check_axis(reader, directions[a]));
        are_from_to = are_from_to && (a == 0 || read_axis_is_from_to(directions[a]));
    }
    const char *fault =
        has_structure ? contact_axes_fault(joint, are_from_to, &axis, text) : NULL;
    if (fault) {
        TRY(reader_fail(reader, directions[axis], "joint '%s': tangential: %s", joint->name,
                        fault));
    }
done:
    return status;
}
