/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model_file/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/number.h"
#include "data/suggest.h"

enum { MAX_DEPTH = 32, LONGEST_NAME = 63 };

struct evaluation {
    const char *rest;
    struct parameter *parameters;
    int n_parameters;
    int depth;
    bool has_failed;
    struct expression_fault *fault;
};

static bool is_name_character(char c, bool is_first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!is_first && c >= '0' && c <= '9');
}

static size_t name_length(const char *text)
{
    size_t n = 0;
    while (is_name_character(text[n], n == 0)) {
        n++;
    }
    return n;
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

static double fail(struct evaluation *evaluation, const char *what)
{
    if (!evaluation->has_failed) {
        evaluation->has_failed = true;
        snprintf(evaluation->fault->message, sizeof evaluation->fault->message, "%s", what);
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
    char text[120];
    if (peek(evaluation)) {
        snprintf(text, sizeof text, "expected %s at '%.40s'", expected, evaluation->rest);
    } else {
        snprintf(text, sizeof text, "expected %s at its end", expected);
    }
    return fail(evaluation, text);
}

static double fail_unknown(struct evaluation *evaluation, const char *name)
{
    char text[200], hint[100];
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (int i = 0; i < evaluation->n_parameters; i++) {
        masing_suggest_consider(&suggestion, evaluation->parameters[i].name);
    }
    snprintf(text, sizeof text, "unknown parameter '%.60s'%s", name,
             masing_suggest_text(&suggestion, hint, sizeof hint));
    return fail(evaluation, text);
}

static double take_parameter(struct evaluation *evaluation)
{
    char name[LONGEST_NAME + 1];
    size_t length = name_length(evaluation->rest);
    if (!length || length > LONGEST_NAME) {
        return fail_unexpected(evaluation, "a parameter's name");
    }
    memcpy(name, evaluation->rest, length);
    name[length] = 0;
    evaluation->rest += length;
    for (int i = 0; i < evaluation->n_parameters; i++) {
        if (strcmp(evaluation->parameters[i].name, name) == 0) {
            evaluation->parameters[i].is_used = true;
            return evaluation->parameters[i].value;
        }
    }
    return fail_unknown(evaluation, name);
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
    return reason ? fail(evaluation, reason) : value;
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
