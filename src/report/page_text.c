/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "masing/text.h"
#include "report/page.h"

/* U+FFFD stands for what is not UTF-8 and for control characters, which no page may hold. */
static const char replacement[] = "\xEF\xBF\xBD";

void page_text(FILE *stream, const char *text)
{
    size_t left = text ? strlen(text) : 0, step;
    for (const char *c = text; left > 0; c += step, left -= step) {
        unsigned code;
        step = masing_text_next(c, left, &code);
        const char *instead = code == '&'                       ? "&amp;"
                              : code == '<'                     ? "&lt;"
                              : code == '>'                     ? "&gt;"
                              : code == '"'                     ? "&quot;"
                              : code == '\''                    ? "&#39;"
                              : !masing_text_is_printable(code) ? replacement
                                                                : NULL;
        if (instead) {
            fputs(instead, stream);
        } else {
            fwrite(c, 1, step, stream);
        }
    }
}

void page_quoted(FILE *stream, const char *text)
{
    size_t left = text ? strlen(text) : 0, step;
    if (!text) {
        fputs("null", stream);
        return;
    }
    fputc('"', stream);
    for (const char *c = text; left > 0; c += step, left -= step) {
        unsigned code;
        step = masing_text_next(c, left, &code);
        bool is_special = code < 0x20 || strchr("\"\\<>&'", (int)(code & 0x7F)) != NULL;
        if (code == MASING_TEXT_NOT_UTF8) {
            fputs(replacement, stream);
        } else if ((code < 0x80 && is_special) || code == 0x2028 || code == 0x2029) {
            fprintf(stream, "\\u%04x", code);
        } else {
            fwrite(c, 1, step, stream);
        }
    }
    fputc('"', stream);
}

void page_number(FILE *stream, double number)
{
    if (isfinite(number)) {
        fprintf(stream, "%.8g", number);
    } else {
        fputs("null", stream);
    }
}
