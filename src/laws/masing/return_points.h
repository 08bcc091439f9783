/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return-point memory of a Masing law at one time, for paths that are straight from one
 * displacement to the next. It is the state of an open path and lies in the caller's doubles.
 *
 * Reversals alternate and are nested: each loop lies inside the one before. Passing the second
 * from the top closes the innermost loop; passing the mirror image of the only one leads back
 * to the virgin curve.
 */
#ifndef MASING_LAWS_MASING_RETURN_POINTS_H
#define MASING_LAWS_MASING_RETURN_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/law.h"

/* Enough for steady motion of many harmonics; a long decay has more reversals than any fixed
 * number, see return_points_move. */
enum { RETURN_POINTS_CAPACITY = 126 };

struct reversal {
    double x, force;
    double turning; /* index among the turning points of this march; -1: older */
};

struct return_points {
    double x, force; /* now */
    double origin;   /* of the virgin curve */
    double count;
    struct reversal reversals[RETURN_POINTS_CAPACITY];
};

/* Where a displacement leads. */
struct return_points_value {
    double tangent;
    bool turned; /* a reversal was recorded where the motion came from */
};

/*
 * Travel up to which two reversals are no loop, m, by the reach and the largest excursion from
 * the origin: round-off would otherwise pile them up.
 */
double return_points_tolerance(double reach, double excursion);

/* Whether the present displacement along the backbone is beyond where the joint slips. */
bool return_points_are_beyond(const struct return_points *memory, double onset);

/* Displacement along the backbone from which on the joint slips, m. */
double return_points_slip_onset(const struct masing_law *law, const void *parameters);

void return_points_rest(struct return_points *memory, double origin);

/* Doubles of the memory that are in use. */
static inline size_t return_points_used(const struct return_points *memory)
{
    return (offsetof(struct return_points, reversals) +
            (size_t)memory->count * sizeof(struct reversal)) /
           sizeof(double);
}

void return_points_copy(const struct return_points *from, struct return_points *to);

/*
 * Move straight to x; memory->force is the force there. `turning` is kept with the reversal,
 * if the motion turns. When the memory is full, the loop is forgotten that differs least from
 * the one around it.
 * @param change NULL, or what is differentiated along the way: rows of the memory's doubles.
 * Those of counts and indices are carried along with them.
 */
struct return_points_value return_points_move(struct return_points *memory,
                                              const struct masing_law *law,
                                              const void *parameters, double x, double turning,
                                              const struct masing_step *change);

/* The motion goes on in this direction, +-1: where that is back, record that it turned. */
void return_points_face(struct return_points *memory, const struct masing_law *law,
                        const void *parameters, double direction);

/* Where the present branch closes its loop and where it begins to slip, going in a direction;
 * infinite where it does not, or does already. */
void return_points_limits(const struct return_points *memory, const struct masing_law *law,
                          const void *parameters, double direction, double *closes,
                          double *slips);

/* Whether it slips already. */
bool return_points_slip(const struct return_points *memory, const struct masing_law *law,
                        const void *parameters, double direction);

/* The present branch in a direction, +-1, of a law that is piecewise linear: sticking, or
 * slipping with the constant force at the reach. Sets stiffness and level. */
void return_points_line(const struct return_points *memory, const struct masing_law *law,
                        const void *parameters, double direction, bool slips,
                        struct masing_flow_line *line);

/* The turning point that the present branch starts from, -1: older or the virgin curve. */
int return_points_branch(const struct return_points *memory);

/*
 * Slip along a curve of solutions, by the amplitude relative to its onset and by the largest
 * excursion from where the slider started.
 */
enum { N_SLIP_EVENTS = 2 };
extern const struct masing_law_event slip_events[N_SLIP_EVENTS];

/* Where a slider that started at range->origin stands after such motion. */
double slip_events_settle(const struct masing_law *law, const void *parameters,
                          const struct masing_range *range);

#endif
