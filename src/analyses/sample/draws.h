/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws of the uncertain numbers, and the response of each. */
#ifndef MASING_ANALYSES_SAMPLE_DRAWS_H
#define MASING_ANALYSES_SAMPLE_DRAWS_H

#include "analyses/response/curve.h"
#include "analyses/sample/design.h"
#include "analyses/sample/numbers.h"

/* What all of them share. */
struct draws {
    const struct masing_sample_request *request;
    const struct masing_response_options *options;
    struct masing_model *model; /* with the file's own numbers: columns are of it; owned */
    const struct masing_uncertainty *uncertain;
    double *factor; /* of the correlation; NULL: there is none */
    struct design design;
    double *omega; /* [request->n_band] rad/s of the band; NULL: there is none */
};

/* Refuses what the model does not have, or does not take. */
enum masing_status draws_create(const struct masing_sample_request *request,
                                const struct masing_response_options *options,
                                struct draws *draws, struct masing_error *error);
void draws_clear(struct draws *draws);

struct numbers draws_numbers_of(const struct draws *draws);

/* The numbers of a draw, or of a response behind all of them, for Sobol's indices. scratch
 * [2 * n_numbers] */
void draws_find(const struct draws *draws, int index, double *scratch, double *numbers);

/* Smallest and largest value of each number, [n_numbers], among the first n responses, of which
 * every step-th one from `first`. */
enum masing_status draws_ends(const struct draws *draws, int first, int step, int n,
                              double *low, double *high, struct masing_error *error);

/* One more number of the model at a value; or an uncertain one, every draw of which is scaled.
 */
struct draw_value {
    const char *path;
    int number; /* of the uncertain ones; -1: another one */
    double value, scale;
};

/* A response that was computed and not handed over yet. */
struct draw {
    struct masing_response_summary summary;
    struct output_measures *measures; /* [n_outputs] at the peak, or NULL */
    double *band;                     /* [n_band] the largest values there, or NULL */
    enum masing_status status;
    struct masing_error error;
    bool is_refused; /* there is no such model, as `error` says */
};

/* The response of a draw to *draw, NULL without memory; value: or NULL. The status is the
 * draw's, too. */
enum masing_status draw_compute(const struct draws *draws, int index,
                                const struct draw_value *value, struct draw **draw,
                                const struct masing_progress *progress);
/* Puts one into a packing, or takes a new one out. */
enum masing_status draw_keep(const struct draws *draws, struct draw **draw,
                             struct packing *packing, struct masing_error *error);
void draw_destroy(struct draw *draw);

/* Of the peak, in the measure of the model; NAN: there is none. */
double draw_size(const struct draws *draws, const struct draw *draw);

/* Whether it was interrupted, and is none yet. */
bool draw_is_interrupted(const struct draw *draw);

/* What it adds to the summary of all. is_draw: not one for Sobol's indices. */
void draw_count(const struct draws *draws, const struct draw *draw, bool is_draw,
                struct masing_sample_summary *summary);

#endif
