/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Terms of P(x, v) as text: "x, x^2*sgn(v), exp(1.5*x)*v". */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "masing/identify.h"

enum { HIGHEST_POWER = 12, MOST_TEXT = 400 };

static const struct {
    const char *word;
    enum masing_valanis_velocity velocity;
} velocities[] = {
    /* longer words first */
    {"v^2", MASING_TERM_SQUARE},   {"v^3", MASING_TERM_CUBE}, {"v", MASING_TERM_LINEAR},
    {"abs(v)", MASING_TERM_ABS},   {"|v|", MASING_TERM_ABS},  {"sgn(v)", MASING_TERM_SIGN},
    {"sign(v)", MASING_TERM_SIGN},
};

/* A decimal number at the beginning; false where there is none. */
static bool take_number(const char **at, double *value)
{
    char *end;
    size_t length = strspn(*at, "+-.0123456789eE");
    *value = length > 0 ? strtod(*at, &end) : NAN;
    if (length == 0 || end == *at || !isfinite(*value)) {
        return false;
    }
    *at = end;
    return true;
}

static bool take(const char **at, const char *word)
{
    size_t length = strlen(word);
    bool is_there = strncmp(*at, word, length) == 0;
    *at += is_there ? length : 0;
    return is_there;
}

/* What follows "x": a power. */
static bool take_power(const char **at, struct masing_valanis_term *term)
{
    double power = 1.0;
    if (take(at, "^") && !take_number(at, &power)) {
        return false;
    }
    bool is_good = power >= 1 && power <= HIGHEST_POWER && power == floor(power) &&
                   term->power + power <= HIGHEST_POWER;
    term->power += is_good ? (int)power : 0;
    return is_good;
}

/* What follows "exp(": "A*x)", "x)" or "-x)". */
static bool take_rate(const char **at, struct masing_valanis_term *term)
{
    double rate = 1.0;
    if (**at == '-' && (*at)[1] == 'x') {
        rate = -1.0;
        ++*at;
    } else if (**at != 'x' && !(take_number(at, &rate) && take(at, "*"))) {
        return false;
    }
    term->rate += rate;
    return take(at, "x)");
}

static bool take_velocity(const char **at, struct masing_valanis_term *term)
{
    for (size_t i = 0; i < sizeof velocities / sizeof *velocities; i++) {
        if (take(at, velocities[i].word)) {
            bool is_first = term->velocity == MASING_TERM_NONE;
            term->velocity = velocities[i].velocity;
            return is_first;
        }
    }
    return false;
}

/* Factors up to a comma or the end. */
static bool take_term(const char **at, struct masing_valanis_term *term)
{
    *term = (struct masing_valanis_term){0};
    do {
        bool is_good = take(at, "exp(") ? take_rate(at, term)
                       : take(at, "x")  ? take_power(at, term)
                       : take(at, "1")  ? true
                                        : take_velocity(at, term);
        if (!is_good) {
            return false;
        }
    } while (take(at, "*"));
    return **at == ',' || !**at;
}

static bool is_same(const struct masing_valanis_term *a, const struct masing_valanis_term *b)
{
    return a->power == b->power && a->velocity == b->velocity && a->rate == b->rate;
}

/* Without blanks. */
static bool squeeze(const char *text, char squeezed[MOST_TEXT])
{
    size_t n = 0;
    for (; *text && n + 1 < MOST_TEXT; text++) {
        if (!isspace((unsigned char)*text)) {
            squeezed[n++] = *text;
        }
    }
    squeezed[n] = '\0';
    return !*text;
}

enum masing_status masing_valanis_terms_parse(const char *text,
                                              struct masing_valanis_term *terms, int *n_terms,
                                              struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    char squeezed[MOST_TEXT];
    const char *at = squeezed;
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(text, "text", error));
    TRY(entry_need(terms, "terms", error));
    TRY(entry_need(n_terms, "n_terms", error));
    *n_terms = 0;
    bool is_whole = squeeze(text, squeezed);
    do {
        const char *begin = at;
        struct masing_valanis_term term;
        if (!is_whole || *n_terms == MASING_MOST_TERMS || !take_term(&at, &term)) {
            TRY(masing_error_set(
                error, MASING_INVALID,
                "'%.40s' is no term: expected up to %d terms parted by commas, "
                "products of 1, x, x^N (N up to %d), exp(A*x) and one of v, "
                "abs(v), sgn(v), v^2, v^3",
                begin, MASING_MOST_TERMS, HIGHEST_POWER));
        }
        for (int i = 0; i < *n_terms; i++) {
            if (is_same(&terms[i], &term)) {
                TRY(masing_error_set(error, MASING_INVALID, "the term at '%.40s' stands twice",
                                     begin));
            }
        }
        terms[(*n_terms)++] = term;
    } while (take(&at, ","));
done:
    return status;
}
