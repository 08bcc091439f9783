/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What draws say about a distribution, with intervals that hold for the way they were drawn. */
#ifndef MASING_ANALYSES_SAMPLE_STATISTICS_H
#define MASING_ANALYSES_SAMPLE_STATISTICS_H

#include "masing/sample.h"

/* values [n] ascending, linear between them */
double statistics_quantile(const double *values, int n, double p);

/*
 * Mean, deviation and quantiles. values [n] in the order of the draws, NAN where there is none;
 * replicates [n]: which hypercube each is of; n_replicates: less than two, there are none.
 */
enum masing_status statistics_estimate(const double *values, const int *replicates, int n,
                                       int n_replicates, struct masing_sample_summary *summary,
                                       struct masing_error *error);

/* Spearman's coefficient; ties have their mean rank; pairs without a value are left out. */
enum masing_status statistics_rank_correlation(const double *a, const double *b, int n,
                                               double *correlation, struct masing_error *error);

/*
 * Sobol's indices by pick and freeze: of first order by Saltelli et al. (2010), total by Jansen
 * (1999), errors by the jackknife. values [n_sets][n_numbers + 2]: of A, of B, of A with one
 * number of B; sets with a NAN are left out. Gives the number of sets used.
 */
int statistics_sobol(const double *values, int n_sets, int n_numbers,
                     struct masing_sample_influence *influences);

#endif
