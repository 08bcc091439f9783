/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stability along a curve: of its points, and the events that follow from multipliers. */
#ifndef MASING_ANALYSES_CURVE_STABILITY_H
#define MASING_ANALYSES_CURVE_STABILITY_H

#include "base/packing.h"
#include "model/message.h"
#include "continuation/continuation.h"
#include "masing/stability.h"
#include "stability/stability.h"

enum { CURVE_STABILITY_EVENTS = 2 };

struct curve_stability_settings {
    const struct balance *balance; /* lent */
    enum masing_stability_method method;
    double unit; /* of lambda in what is shown */
    /* Settles the balance at a point of the curve and gives the frequency there. */
    enum masing_status (*settle)(void *context, const double *y, double lambda, double *omega);
    void *context;
};

/* A multiplier reaches the circle: a real one at -1, or a complex pair. */
struct stability_event {
    struct curve_stability *stability;
    bool is_real;
};

/* NAN: not known. */
struct point_stability {
    double stable;                /* 1, 0 */
    double modulus, angle, error; /* of the largest multiplier; rad, 0 to pi */
};

struct curve_stability {
    struct curve_stability_settings settings;
    struct stability *stability; /* NULL: not wanted, or not to be had */
    /* where `result` belongs to */
    double *y; /* [n + 1] with lambda */
    double lambda, omega;
    bool is_evaluated;
    const struct stability_result *result; /* NULL: it could not be evaluated there */
    /* what the curve itself says of the accuracy of multipliers */
    double floor;    /* error of those near the circle, measured where one has to be on it */
    double last;     /* the last verdict, 1 or 0; NAN: none yet */
    bool may_change; /* something happened since, at which it may have changed */
    bool is_doubted; /* the last point's verdict had no reason to change */
    /* the unstable piece under way */
    bool is_unstable;
    double undecided; /* lambda of the last point, where that was not decided; else NAN */
    struct masing_stability_summary *summary;
    struct stability_event events[CURVE_STABILITY_EVENTS];
    /* the balance with more harmonics and samples, for verdicts alone that are not had without:
     * NULL until it is needed; how often in a row it told nothing new, points at which it is
     * not asked again then, and those of them that passed */
    struct refinement *finer;
    struct stability *finer_stability;
    double *guess;
    double *on_circle; /* [n] the last point with a multiplier on the circle; zero: none yet */
    int n_vain, n_idle, n_passed;
};

/* Where stability is not to be had the summary has the reason, and there is no event. */
enum masing_status curve_stability_create(const struct curve_stability_settings *settings,
                                          struct masing_stability_summary *summary,
                                          struct curve_stability **stability,
                                          struct masing_error *error);
void curve_stability_destroy(struct curve_stability *stability);

/* CURVE_STABILITY_EVENTS of them, or none; returns how many. */
int curve_stability_events(struct curve_stability *stability, struct continuation_event *out);

/* At a solution; evaluated once only for the same one. */
struct point_stability curve_stability_at(struct curve_stability *stability, const double *y,
                                          double lambda);

/*
 * Add an accepted point, at which curve_stability_at was asked last, to the summary; `events`:
 * the kinds that happen there, a set of MASING_EVENT_BIT; `begins`: no curve leads to it from
 * the last one. What the curve tells goes before what was computed at the point alone: where a
 * multiplier is on the circle, and near it, there is no verdict, nor at a single point that
 * differs from its neighbours without a reason. Where lambda is the frequency, a point without
 * a verdict that is no event gets that of the solution with more harmonics and samples, if that
 * is farther from the circle than from what was found without them.
 */
void curve_stability_note(struct curve_stability *stability, double lambda, unsigned events,
                          struct point_stability *point, bool begins);

/* What verdicts of later points depend on, and the summary so far: put, or taken. */
void curve_stability_pack(struct curve_stability *stability, struct packing *packing);

/* A place more, unless the very same is listed already; only the first ones are kept. */
void curve_places_add(struct masing_places *places, double at);

/* If it was asked for by name and is not to be had. */
enum masing_status curve_stability_warn(const struct curve_stability *stability,
                                        const struct warning_list *list,
                                        struct masing_error *error);

#endif
