/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers computed from parameters: `$N`, `$N*1300`, `$N/4`, `-($A + 2*$B)`.
 *
 *   sum = product {("+" | "-") product},  product = factor {("*" | "/") factor},
 *   factor = ["+" | "-"] (number | "$" name | "(" sum ")")
 */
#ifndef MASING_MODEL_FILE_EXPRESSION_H
#define MASING_MODEL_FILE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

struct parameter {
    const char *name;
    double value;
    bool is_used;
};

struct expression_fault {
    char message[240];
};

/* A text with a `$` is an expression; anything else must be a number. */
bool expression_is(const char *text);

/* A parameter's name: a letter or _, then letters, digits and _. */
bool expression_is_name(const char *text);

/* True and *value where the text can be evaluated, else false and a message. Marks the
 * parameters that were used. */
bool expression_evaluate(const char *text, struct parameter *parameters, int n_parameters,
                         double *value, struct expression_fault *fault);

#endif
