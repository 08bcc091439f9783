/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of a law that a fit varies, and the values that it starts from. */
#ifndef MASING_ANALYSES_IDENTIFY_FIT_PARAMETERS_H
#define MASING_ANALYSES_IDENTIFY_FIT_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/identify.h"

/* Sizes that occur in the data; starts are made of them. */
struct fit_sizes {
    double force, displacement, stiffness; /* largest ones */
    double time;                           /* 1 / omega, s */
};

/*
 * A parameter p and its unknown q: p = size q, or p = size e^q where the range
 * is open at zero, so that stiffnesses of any size are equally far.
 */
struct fit_parameter {
    char name[64], unit[24];
    size_t offset;    /* of a `double` in the parameter struct */
    double low, high; /* range */
    int open_ends;    /* MASING_OPEN_* */
    bool is_logarithmic;
    double size;     /* natural size, above zero */
    double start;    /* given by the caller, else NAN */
    double fallback; /* the law's default, else NAN */
    int power;       /* "1/m^n": index of the parameter `n`, else -1 */
    double length;   /* m, what such a power is taken of */
};

enum { FIT_MOST_PARAMETERS = 40 };

struct fit_parameters {
    int n;
    struct fit_parameter list[FIT_MOST_PARAMETERS];
};

/* Parameters held at their defaults because the data do not determine them. */
struct fit_held {
    int n;
    char names[FIT_MOST_PARAMETERS][64];
    bool is_silent[FIT_MOST_PARAMETERS];
};

/* Index of a name among them, or -1. */
int fit_held_find(const struct fit_held *held, const char *name);

/*
 * Fill a parameter struct with what is fixed and with the first start, and list what varies.
 * MASING_INVALID with a reason where a name, a value or the whole is wrong.
 */
enum masing_status fit_parameters_choose(const struct masing_fit_request *request,
                                         const struct fit_sizes *sizes,
                                         const struct fit_held *held, void *parameters,
                                         struct fit_parameters *varied,
                                         struct masing_error *error);

/*
 * The parameters of a struct that holds values already: those named vary, or else what
 * the law requires and what was given without being a default.
 */
enum masing_status fit_parameters_adopt(const struct masing_fit_request *request,
                                        void *parameters, struct fit_parameters *varied,
                                        struct masing_error *error);

/* Unknowns of a start; those whose unit depends on another go with it. */
void fit_parameters_start(const struct fit_parameters *varied, int trial, double *unknowns);

/* What belongs to these unknowns. */
void fit_parameters_store(const struct fit_parameters *varied, const double *unknowns,
                          void *parameters);

/* Whether a unit has a power of time, as "N s/m": what carries it needs velocities. */
bool fit_unit_has_time(const char *unit);

double fit_parameter_unknown(const struct fit_parameter *parameter, double value);
double fit_parameter_value(const struct fit_parameter *parameter, double unknown);
/* dp/dq */
double fit_parameter_slope(const struct fit_parameter *parameter, double unknown);
/* Bounds of q, slightly inside where an end is open. */
void fit_parameter_bounds(const struct fit_parameter *parameter, double *lower, double *upper);

#endif
