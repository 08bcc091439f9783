/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of a law that a fit varies, and the values that it starts from. */
#ifndef MASING_ANALYSES_IDENTIFY_FIT_NUMBERS_H
#define MASING_ANALYSES_IDENTIFY_FIT_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/identify.h"

/* Sizes that occur in the data: what a start can be made of. */
struct fit_sizes {
    double force, displacement, stiffness; /* largest ones */
    double time;                           /* 1 / omega, s */
};

/*
 * A number p and the unknown q that stands for it: p = size q, or p = size e^q where the range
 * is open at zero, so that stiffnesses of any size are equally far.
 */
struct fit_number {
    char name[64], unit[24];
    size_t offset;    /* of a `double` in the parameter struct */
    double low, high; /* range */
    int open_ends;    /* MASING_OPEN_* */
    bool is_logarithmic;
    double size;     /* natural size, above zero */
    double start;    /* given by the caller, else NAN */
    double fallback; /* the law's default, else NAN */
    int power;       /* "1/m^n": index of the number `n`, else -1 */
    double length;   /* m, what such a power is taken of */
};

enum { FIT_MOST_NUMBERS = 40 };

struct fit_numbers {
    int n;
    struct fit_number list[FIT_MOST_NUMBERS];
};

/* Numbers with a default that turned out not to matter. */
struct fit_held {
    int n;
    char names[FIT_MOST_NUMBERS][64];
    bool is_silent[FIT_MOST_NUMBERS];
};

/*
 * Fill a parameter struct with what is fixed and with the first start, and list what varies.
 * MASING_INVALID with a reason where a name, a value or the whole is wrong.
 */
enum masing_status fit_numbers_choose(const struct masing_fit_request *request,
                                      const struct fit_sizes *sizes,
                                      const struct fit_held *held, void *parameters,
                                      struct fit_numbers *numbers, struct masing_error *error);

/*
 * The numbers of a parameter struct that holds values already: those named vary, or else what
 * the law requires and what was given without being a default.
 */
enum masing_status fit_numbers_adopt(const struct masing_fit_request *request, void *parameters,
                                     struct fit_numbers *numbers, struct masing_error *error);

/* Values of all numbers in a start; those whose unit depends on another go with it. */
void fit_numbers_start(const struct fit_numbers *numbers, int trial, double *values);

double fit_number_unknown(const struct fit_number *number, double value);
double fit_number_value(const struct fit_number *number, double unknown);
/* dp/dq */
double fit_number_slope(const struct fit_number *number, double unknown);
/* Bounds of q, a hair inside where an end is open. */
void fit_number_bounds(const struct fit_number *number, double *lower, double *upper);

void fit_number_store(const struct fit_number *number, double value, void *parameters);

#endif
