/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model_file/expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/number.h"
#include "data/suggest.h"
#include "masing/status.h"

enum { MAX_DEPTH = 32, LONGEST_NAME = 63 };

struct evaluation {
    const char *rest;
    struct parameter *parameters;
    int n_parameters;
    int depth;
    bool has_failed;
    struct expression_fault *fault;
};

static size_t name_length(const char *text)
{
    bool is_digit = *text >= '0' && *text <= '9';
    return is_digit ? 0
                    : strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                   "0123456789");
}

bool expression_is(const char *text)
{
    return strchr(text, '$') != NULL;
}

bool expression_is_name(const char *text)
{
    size_t length = name_length(text);
    return length && length <= LONGEST_NAME && !text[length];
}

static double fail(struct evaluation *evaluation, const char *format, ...) MASING_PRINTF(2, 3);

static double fail(struct evaluation *evaluation, const char *format, ...)
{
    va_list arguments;
    if (!evaluation->has_failed) {
        evaluation->has_failed = true;
        va_start(arguments, format);
        vsnprintf(evaluation->fault->message, sizeof evaluation->fault->message, format,
                  arguments);
        va_end(arguments);
    }
    return 0.0;
}

static char peek(struct evaluation *evaluation)
{
    while (*evaluation->rest == ' ' || *evaluation->rest == '\t') {
        evaluation->rest++;
    }
    return *evaluation->rest;
}

static double fail_unexpected(struct evaluation *evaluation, const char *expected)
{
    return peek(evaluation)
               ? fail(evaluation, "expected %s at '%.40s'", expected, evaluation->rest)
               : fail(evaluation, "expected %s at its end", expected);
}

static double take_parameter(struct evaluation *evaluation)
{
    char name[LONGEST_NAME + 1], hint[100];
    size_t length = name_length(evaluation->rest);
    if (!length || length > LONGEST_NAME) {
        return fail_unexpected(evaluation, "a parameter's name");
    }
    memcpy(name, evaluation->rest, length);
    name[length] = 0;
    evaluation->rest += length;
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < evaluation->n_parameters; i++) {
        if (strcmp(evaluation->parameters[i].name, name) == 0) {
            evaluation->parameters[i].is_used = true;
            return evaluation->parameters[i].value;
        }
        masing_suggest_consider(&suggestion, evaluation->parameters[i].name);
    }
    return fail(evaluation, "unknown parameter '%.60s'%s", name,
                masing_suggest_text(&suggestion, hint, sizeof hint));
}

static double take_number(struct evaluation *evaluation)
{
    char text[64];
    double value = 0.0;
    size_t length = number_length(evaluation->rest);
    if (!length || length >= sizeof text) {
        return fail_unexpected(evaluation, "a number, a $parameter or a bracket");
    }
    memcpy(text, evaluation->rest, length);
    text[length] = 0;
    evaluation->rest += length;
    const char *reason = number_parse(text, &value);
    return reason ? fail(evaluation, "%s", reason) : value;
}

static double take_sum(struct evaluation *evaluation);

static double take_factor(struct evaluation *evaluation)
{
    double sign = 1.0, value;
    char next = peek(evaluation);
    if (next == '+' || next == '-') {
        sign = next == '-' ? -1.0 : 1.0;
        evaluation->rest++;
        next = peek(evaluation);
    }
    if (next == '$') {
        evaluation->rest++;
        value = take_parameter(evaluation);
    } else if (next == '(') {
        if (++evaluation->depth > MAX_DEPTH) {
            return fail(evaluation, "too many brackets");
        }
        evaluation->rest++;
        value = take_sum(evaluation);
        evaluation->depth--;
        if (peek(evaluation) != ')') {
            return fail_unexpected(evaluation, "')'");
        }
        evaluation->rest++;
    } else if (next == '+' || next == '-') {
        return fail_unexpected(evaluation, "a number, a $parameter or a bracket");
    } else {
        value = take_number(evaluation);
    }
    return sign * value;
}

static double take_product(struct evaluation *evaluation)
{
    double value = take_factor(evaluation);
    char sign = peek(evaluation);
    for (; !evaluation->has_failed && (sign == '*' || sign == '/'); sign = peek(evaluation)) {
        evaluation->rest++;
        double factor = take_factor(evaluation);
        if (sign == '/' && factor == 0.0) {
            return fail(evaluation, "it divides by zero");
        }
        value = sign == '*' ? value * factor : value / factor;
    }
    return value;
}

static double take_sum(struct evaluation *evaluation)
{
    double value = take_product(evaluation);
    char sign = peek(evaluation);
    for (; !evaluation->has_failed && (sign == '+' || sign == '-'); sign = peek(evaluation)) {
        evaluation->rest++;
        double term = take_product(evaluation);
        value = sign == '+' ? value + term : value - term;
    }
    return value;
}

bool expression_evaluate(const char *text, struct parameter *parameters, int n_parameters,
                         double *value, struct expression_fault *fault)
{
    struct evaluation evaluation = {text, parameters, n_parameters, .fault = fault};
    double result = take_sum(&evaluation);
    if (!evaluation.has_failed && peek(&evaluation)) {
        fail_unexpected(&evaluation, "an operator (+ - * /)");
    }
    if (!evaluation.has_failed && !isfinite(result)) {
        fail(&evaluation, "its value is not finite");
    }
    if (evaluation.has_failed) {
        return false;
    }
    *value = result;
    return true;
}
