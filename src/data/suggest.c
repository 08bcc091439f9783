/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Restricted Damerau-Levenshtein distance, e.g. Navarro (2001), ACM Comput. Surv. 33, 31. */
#include "data/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 63, EDIT = 2 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int replacement(char a, char b)
{
    if (a == b) {
        return 0;
    }
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : EDIT;
}

int suggest_distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];
    size_t n_a = strlen(a), n_b = strlen(b);
    if (n_a > LONGEST || n_b > LONGEST) {
        return INT_MAX;
    }
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n_b; j++) {
        row[j] = before[j] = EDIT * (int)j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        int *oldest = before;
        before = last;
        last = row;
        row = oldest;
        row[0] = EDIT * (int)i;
        for (size_t j = 1; j <= n_b; j++) {
            int best = smaller(last[j], row[j - 1]) + EDIT;
            best = smaller(best, last[j - 1] + replacement(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                best = smaller(best, before[j - 2] + EDIT);
            }
            row[j] = best;
        }
    }
    return row[n_b];
}

struct masing_suggestion masing_suggest_begin(const char *wanted)
{
    struct masing_suggestion suggestion = {wanted, NULL, INT_MAX};
    return suggestion;
}

void masing_suggest_consider(struct masing_suggestion *suggestion, const char *candidate)
{
    int length = (int)strlen(suggestion->wanted), other = (int)strlen(candidate);
    /* two letters of five may be wrong, so that x is not taken for y */
    int most = EDIT * (2 * length + 1) / 5;
    if (abs(length - other) * EDIT > most) {
        return;
    }
    int distance = suggest_distance(suggestion->wanted, candidate);
    if (distance < suggestion->distance && distance <= most) {
        suggestion->distance = distance;
        suggestion->nearest = candidate;
    }
}

const char *masing_suggest_text(const struct masing_suggestion *suggestion, char *text,
                                size_t size)
{
    text[0] = 0;
    if (suggestion->nearest) {
        snprintf(text, size, " (did you mean '%.80s'?)", suggestion->nearest);
    }
    return text;
}

void suggest_consider_all(struct masing_suggestion *suggestion, const char *const *keys)
{
    for (; keys && *keys; keys++) {
        masing_suggest_consider(suggestion, *keys);
    }
}

void suggest_list(const char *const *choices, char *list, size_t size)
{
    for (; choices && *choices; choices++) {
        size_t length = strlen(list);
        snprintf(list + length, size - length, "%s%s", length ? ", " : "", *choices);
    }
}
