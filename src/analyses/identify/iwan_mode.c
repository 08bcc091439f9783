/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loss of a cycle of amplitude a, with R, phi_max, phi_bar of the law:
 *   D = 4 R a^(chi+3) / ((chi+2)(chi+3)) up to phi_max, 4 F_S (a - phi_bar) beyond.
 * Stiffness: that of the first harmonic of the steady loop from a to -a,
 *   F = B(a) - 2 B(a (1 - cos theta) / 2),  K = 2/(pi a) int_0^pi F cos theta dtheta.
 * The paper prints (8), the secant with chi+1 in place of chi+2 and none beyond phi_max, and in
 * (9) a loss of 4 F_S a there; `is_printed` selects these.
 */
#include "analyses/identify/iwan_mode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/curve/row_table.h"
#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "masing/modal_iwan.h"

/* Intervals of each part of a loop, for Simpson's rule. */
enum { INTERVALS = 128 };

static double *field_of(const struct masing_law *law, void *parameters, const char *name)
{
    int index = masing_field_find(law->fields, law->n_fields, name);
    return (double *)(void *)((char *)parameters + law->fields[index].offset);
}

static double constant_of(const struct masing_law *law, const void *parameters,
                          const char *name)
{
    int index = 0;
    while (strcmp(law->constants[index].name, name) != 0) {
        index++;
    }
    return *(const double *)(const void *)((const char *)parameters +
                                           law->constants[index].offset);
}

enum masing_status iwan_mode_create(struct iwan_mode *mode, struct masing_error *error)
{
    const struct masing_law *law = masing_law_find("iwan4");
    *mode = (struct iwan_mode){.law = law};
    mode->parameters = memory_array(1, law->parameters_size);
    mode->tangent = memory_array(1, law->parameters_size);
    NEED_ALLOCATED(mode->parameters && mode->tangent);
    masing_fields_reset(law->fields, law->n_fields, mode->parameters);
    mode->parameter[IWAN_SLIP_FORCE] = field_of(law, mode->parameters, "slip_force");
    mode->parameter[IWAN_CHI] = field_of(law, mode->parameters, "chi");
    mode->parameter[IWAN_BETA] = field_of(law, mode->parameters, "beta");
    mode->stiffness = field_of(law, mode->parameters, "stiffness");
    return MASING_OK;
}

void iwan_mode_clear(struct iwan_mode *mode)
{
    free(mode->parameters);
    free(mode->tangent);
}

enum masing_status iwan_mode_derive(struct iwan_mode *mode, struct masing_error *error)
{
    static const char *const constants[N_IWAN_CONSTANTS] = {"phi_max", "R", "phi_bar"};
    const struct masing_law *law = mode->law;
    NEED(masing_law_check(law, mode->parameters, error));
    for (int c = 0; c < N_IWAN_CONSTANTS; c++) {
        mode->constant[c] = constant_of(law, mode->parameters, constants[c]);
    }
    for (int k = 0; k < N_IWAN_PARAMETERS; k++) {
        ptrdiff_t place = (char *)mode->parameter[k] - (char *)mode->parameters;
        memset(mode->tangent, 0, law->parameters_size);
        *(double *)(void *)((char *)mode->tangent + place) = 1.0;
        law->derive(mode->parameters, mode->tangent);
        for (int c = 0; c < N_IWAN_CONSTANTS; c++) {
            mode->change[c][k] = constant_of(law, mode->tangent, constants[c]);
        }
    }
    return MASING_OK;
}

double iwan_mode_microslip(const struct iwan_mode *mode, double amplitude, double *change)
{
    double chi = *mode->parameter[IWAN_CHI], power = pow(amplitude, chi + 3.0);
    double factor = 4.0 * power / ((chi + 2.0) * (chi + 3.0));
    for (int k = 0; change && k < N_IWAN_PARAMETERS; k++) {
        change[k] = factor * mode->change[IWAN_DENSITY][k];
        if (k == IWAN_CHI) {
            change[k] += factor * mode->constant[IWAN_DENSITY] *
                         (log(amplitude) - 1.0 / (chi + 2.0) - 1.0 / (chi + 3.0));
        }
    }
    return factor * mode->constant[IWAN_DENSITY];
}

double iwan_mode_macroslip(const struct iwan_mode *mode, double amplitude, double *change)
{
    double force = *mode->parameter[IWAN_SLIP_FORCE];
    double less = mode->is_printed ? 0.0 : mode->constant[IWAN_MEAN_REACH];
    for (int k = 0; change && k < N_IWAN_PARAMETERS; k++) {
        double change_less = mode->is_printed ? 0.0 : mode->change[IWAN_MEAN_REACH][k];
        change[k] = -4.0 * force * change_less;
        if (k == IWAN_SLIP_FORCE) {
            change[k] += 4.0 * (amplitude - less);
        }
    }
    return 4.0 * force * (amplitude - less);
}

/* Simpson's rule over a part of the loop. */
static double integrate(const struct iwan_mode *mode, double amplitude, double top, double from,
                        double to)
{
    double step = (to - from) / INTERVALS, sum = 0.0;
    for (int i = 0; i <= INTERVALS; i++) {
        double weight = i == 0 || i == INTERVALS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        double b, db, theta = from + i * step, half = sin(0.5 * theta);
        mode->law->backbone(mode->parameters, amplitude * half * half, &b, &db);
        sum += weight * ((top - 2.0 * b) * cos(theta));
    }
    return sum * step / 3.0;
}

static double first_harmonic(const struct iwan_mode *mode, double amplitude)
{
    double top, slope, slip = PI;
    mode->law->backbone(mode->parameters, amplitude, &top, &slope);
    if (amplitude > mode->constant[IWAN_REACH]) {
        slip = 2.0 * asin(sqrt(mode->constant[IWAN_REACH] / amplitude));
    }
    double sum = integrate(mode, amplitude, top, 0.0, slip);
    if (slip < PI) {
        sum += integrate(mode, amplitude, top, slip, PI);
    }
    return 2.0 * sum / (PI * amplitude);
}

static double printed_stiffness(const struct iwan_mode *mode, double amplitude)
{
    double e = *mode->parameter[IWAN_CHI] + 1.0, beta = *mode->parameter[IWAN_BETA];
    if (amplitude >= mode->constant[IWAN_REACH]) {
        return 0.0;
    }
    /* as printed it may fall below zero */
    double left = 1.0 - pow(amplitude / mode->constant[IWAN_REACH], e) / (e * (beta + 1.0));
    return *mode->stiffness * fmax(0.0, left);
}

/* ---- what a model makes of an amplitude ---- */

static enum masing_status open_mode(const struct masing_modal_iwan *modal,
                                    struct iwan_mode *mode, struct masing_error *error)
{
    NEED(iwan_mode_create(mode, error));
    mode->spring = modal->spring;
    mode->dashpot = 2.0 * modal->damping_ratio * TWO_PI * modal->stuck_hz;
    mode->is_printed = modal->is_printed;
    *mode->stiffness = modal->stiffness;
    *mode->parameter[IWAN_SLIP_FORCE] = modal->slip_force;
    *mode->parameter[IWAN_CHI] = modal->chi;
    *mode->parameter[IWAN_BETA] = modal->beta;
    return iwan_mode_derive(mode, error);
}

static struct masing_modal_point point_at(const struct iwan_mode *mode, double amplitude)
{
    double stiffness = mode->spring + (mode->is_printed ? printed_stiffness(mode, amplitude)
                                                        : first_harmonic(mode, amplitude));
    double loss = amplitude < mode->constant[IWAN_REACH]
                      ? iwan_mode_microslip(mode, amplitude, NULL)
                      : iwan_mode_macroslip(mode, amplitude, NULL);
    double omega = sqrt(stiffness);
    return (struct masing_modal_point){
        .amplitude = amplitude,
        .frequency_hz = omega / TWO_PI,
        .damping_ratio = mode->dashpot / (2.0 * omega) +
                         loss / (2.0 * PI * stiffness * amplitude * amplitude)};
}

enum masing_status masing_modal_iwan_at(const struct masing_modal_iwan *modal, double amplitude,
                                        struct masing_modal_point *point,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct iwan_mode mode = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(modal, "modal", error));
    TRY(entry_need(point, "point", error));
    TRY(open_mode(modal, &mode, error));
    *point = point_at(&mode, amplitude);
done:
    iwan_mode_clear(&mode);
    return status;
}

struct fitted_point {
    struct masing_modal_point measured, fitted;
    bool is_used;
};

static void walk_point(struct row_table *table, const void *context)
{
    const struct fitted_point *point = context;
    ROW_REAL(table, point->measured.amplitude, "amplitude");
    ROW_REAL(table, point->measured.frequency_hz, "frequency_hz");
    ROW_REAL(table, point->measured.damping_ratio, "damping_ratio");
    ROW_REAL(table, point->fitted.frequency_hz, "frequency_fitted_hz");
    ROW_REAL(table, point->fitted.damping_ratio, "damping_ratio_fitted");
    ROW_INTEGER(table, point->is_used, "used");
}

enum masing_status masing_modal_iwan_rows(const struct masing_modal_iwan_request *request,
                                          const struct masing_modal_iwan *modal,
                                          const struct masing_sink *rows,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct iwan_mode mode = {0};
    struct row_sink table = {0};
    struct masing_error own;
    struct masing_modal_iwan_request asked;
    error = entry_begin(error, &own);
    TRY(entry_need(request, "request", error));
    TRY(entry_need(modal, "modal", error));
    TRY(entry_read(request, "request", &asked, sizeof asked, error));
    TRY(entry_need_array(asked.n_points, asked.points, "request.points", error));
    TRY(open_mode(modal, &mode, error));
    TRY(row_sink_begin(&table, rows, walk_point, &(struct fitted_point){0}, error));
    for (int i = 0; i < asked.n_points; i++) {
        double a = asked.points[i].amplitude;
        const struct fitted_point point = {
            .measured = asked.points[i],
            .fitted = point_at(&mode, a),
            .is_used = !(a >= modal->left_out_from && a <= modal->left_out_to)};
        TRY(row_sink_write(&table, &point, error));
    }
done:
    iwan_mode_clear(&mode);
    return row_sink_end(&table, status, error);
}
