/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "did you mean ...?" for the words of the command line. */
#ifndef MASING_CLI_SUGGEST_H
#define MASING_CLI_SUGGEST_H

struct suggestion {
    const char *wanted;
    const char *nearest; /* NULL as long as nothing is near */
    int distance;
};

struct suggestion suggestion_begin(const char *wanted);
void suggestion_consider(struct suggestion *suggestion, const char *candidate);

enum { SUGGESTION_TEXT = 128 };

/* " (did you mean 'x'?)", or "" */
const char *suggestion_text(const struct suggestion *suggestion, char text[SUGGESTION_TEXT]);

#endif
