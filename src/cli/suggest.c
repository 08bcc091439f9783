/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/suggest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = 40 };

/* Levenshtein distance: insertions, deletions and replacements. */
static int edit_distance(const char *a, const char *b)
{
    int row[LONGEST_WORD + 1];
    size_t n_a = strlen(a), n_b = strlen(b);
    if (n_a > LONGEST_WORD || n_b > LONGEST_WORD) {
        return INT_MAX;
    }
    for (size_t j = 0; j <= n_b; j++) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= n_b; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n_b];
}

struct suggestion suggestion_begin(const char *wanted)
{
    return (struct suggestion){wanted, NULL, INT_MAX};
}

void suggestion_consider(struct suggestion *suggestion, const char *candidate)
{
    int distance = edit_distance(suggestion->wanted, candidate);
    /* about a third of the letters may be wrong */
    if (distance < suggestion->distance && 3 * distance <= (int)strlen(candidate) + 2) {
        suggestion->distance = distance;
        suggestion->nearest = candidate;
    }
}

const char *suggestion_text(const struct suggestion *suggestion, char text[SUGGESTION_TEXT])
{
    text[0] = '\0';
    if (suggestion->nearest) {
        snprintf(text, SUGGESTION_TEXT, " (did you mean '%s'?)", suggestion->nearest);
    }
    return text;
}
