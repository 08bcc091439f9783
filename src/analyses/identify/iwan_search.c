/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the fit of a modal Iwan model begins: the best places of a grid over all bounds. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analyses/identify/iwan_fit.h"
#include "base/check.h"

/* phi_max per decade of amplitude, and at most; starts; points that a place is judged by */
enum { PER_DECADE = 6, MOST_REACHES = 160, N_STARTS = 8, JUDGES = 64 };

/* phi_max as much outside of the amplitudes of the data. */
static const double MARGIN = 10.0;

/* Misfits are counted up to here: of one point, and of one that will be left out, about which
 * nothing is promised. */
static const double MOST = 4.0, MOST_LEFT_OUT = 0.05;

static const double chis[] = {-0.95, -0.8, -0.65, -0.5, -0.35, -0.2, -0.05};
static const double betas[] = {0.02, 0.1, 0.3, 1.0, 3.0, 10.0, 50.0};
static const double shares[] = {0.999, 0.99, 0.95, 0.8, 0.5, 0.1, 1e-4};

enum { N_CHIS = sizeof chis / sizeof *chis, N_BETAS = sizeof betas / sizeof *betas };
enum { N_SHARES = sizeof shares / sizeof *shares };

struct place {
    double cost;
    double unknowns[N_IWAN_UNKNOWNS];
};

/* Mean square over every step-th point. */
static double cost_of(const struct iwan_fit *fit, int step)
{
    int n = 0;
    double sum = 0.0;
    for (int i = 0; i < fit->n; i += step) {
        const struct iwan_point *point = &fit->points[i];
        bool is_left_out = point->part == IWAN_LEFT_OUT;
        if (is_left_out && !fit->chooses) {
            continue;
        }
        double residual = iwan_fit_residual(fit, point, NULL);
        sum += fmin(residual * residual, is_left_out ? MOST_LEFT_OUT : MOST);
        n++;
    }
    return n > 0 ? sum / n : INFINITY;
}

static void judge(struct iwan_fit *fit, struct place *best)
{
    double cost = cost_of(fit, (fit->n + JUDGES - 1) / JUDGES);
    if (cost < best->cost) {
        best->cost = cost;
        memcpy(best->unknowns, fit->unknowns, sizeof best->unknowns);
    }
}

/* The shares of the structure, at one element. */
static void try_structures(struct iwan_fit *fit, struct place *best)
{
    bool is_held = fit->is_held[IWAN_STRUCTURE];
    for (int i = 0; i < (is_held ? 1 : N_SHARES); i++) {
        if (!is_held) {
            fit->unknowns[IWAN_STRUCTURE] = log(shares[i] * fit->least_damping);
            fit->mode->dashpot = 2.0 * exp(fit->unknowns[IWAN_STRUCTURE]) * fit->omega_stuck;
        }
        judge(fit, best);
    }
}

/* All elements that slip as a whole at `reach`: the best of them. */
static void try_elements(struct iwan_fit *fit, double reach, struct place *best)
{
    const double held[N_IWAN_UNKNOWNS] = {0.0, fit->unknowns[IWAN_CHI],
                                          fit->unknowns[IWAN_BETA], 0.0};
    struct masing_error ignored = {0};
    for (int c = 0; c < (fit->is_held[IWAN_CHI] ? 1 : N_CHIS); c++) {
        double chi = fit->is_held[IWAN_CHI] ? held[IWAN_CHI] : chis[c];
        for (int b = 0; b < (fit->is_held[IWAN_BETA] ? 1 : N_BETAS); b++) {
            double beta = fit->is_held[IWAN_BETA] ? exp(held[IWAN_BETA]) : betas[b];
            double shape = (beta + (chi + 1.0) / (chi + 2.0)) / (1.0 + beta);
            fit->unknowns[IWAN_SLIP_FORCE] = log(*fit->mode->stiffness * reach * shape);
            fit->unknowns[IWAN_CHI] = chi;
            fit->unknowns[IWAN_BETA] = log(beta);
            if (iwan_fit_apply(fit, &ignored) == MASING_OK) {
                iwan_fit_divide(fit);
                try_structures(fit, best);
            }
        }
    }
    fit->unknowns[IWAN_CHI] = held[IWAN_CHI];
    fit->unknowns[IWAN_BETA] = held[IWAN_BETA];
}

/* Keep the N_STARTS best, by insertion. */
static void keep(struct place *starts, const struct place *place)
{
    int k = N_STARTS;
    while (k > 0 && place->cost < starts[k - 1].cost) {
        if (k < N_STARTS) {
            starts[k] = starts[k - 1];
        }
        k--;
    }
    if (k < N_STARTS) {
        starts[k] = *place;
    }
}

static void find_starts(struct iwan_fit *fit, struct place *starts)
{
    double from = log(fit->points[0].amplitude / MARGIN);
    double span = log(fit->points[fit->n - 1].amplitude * MARGIN) - from;
    int n = (int)fmin(MOST_REACHES, PER_DECADE * span / log(10.0) + 2.0);
    for (int i = 0; i < N_STARTS; i++) {
        starts[i].cost = INFINITY;
    }
    memcpy(starts[0].unknowns, fit->unknowns, sizeof fit->unknowns); /* where there is none */
    for (int i = 0; i < n; i++) {
        struct place place = {.cost = INFINITY};
        try_elements(fit, exp(from + span * i / (n - 1)), &place);
        keep(starts, &place);
    }
}

enum masing_status iwan_fit_search(struct iwan_fit *fit, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_error first = {0};
    struct place starts[N_STARTS], best = {.cost = INFINITY};
    find_starts(fit, starts);
    for (int i = 0; i < N_STARTS && (i == 0 || isfinite(starts[i].cost)); i++) {
        memcpy(fit->unknowns, starts[i].unknowns, sizeof fit->unknowns);
        enum masing_status tried = iwan_fit_descend(fit, &first);
        if (tried == MASING_NO_MEMORY) {
            TRY(masing_error_set(error, tried, "out of memory"));
        }
        /* a few points alone are always followed: those left out count as well */
        double cost = cost_of(fit, 1);
        if (tried == MASING_OK && cost < best.cost) {
            best.cost = cost;
            memcpy(best.unknowns, fit->unknowns, sizeof best.unknowns);
        }
    }
    if (!isfinite(best.cost)) {
        TRY(masing_error_set(
            error, first.message[0] ? first.status : MASING_NOT_CONVERGED, "%s",
            first.message[0] ? first.message : "no modal Iwan model comes near the data"));
    }
    memcpy(fit->unknowns, best.unknowns, sizeof fit->unknowns);
    TRY(iwan_fit_descend(fit, error));
done:
    return status;
}
