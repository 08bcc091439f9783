/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/text.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/printable.h"
#include "base/result_file.h"

size_t masing_text_next(const char *text, size_t length, unsigned *code)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned first = bytes[0];
    size_t count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0x80 ? 2 : 1;
    unsigned found = count == 1 ? first : first & (0xFFu >> (count + 1));
    bool is_good = first < 0x80 || (first >= 0xC2 && first <= 0xF4 && count <= length);
    for (size_t i = 1; is_good && i < count; i++) {
        is_good = (bytes[i] & 0xC0) == 0x80;
        found = found << 6 | (bytes[i] & 0x3Fu);
    }
    static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    is_good = is_good && found >= smallest[count] && found <= 0x10FFFF &&
              !(found >= 0xD800 && found <= 0xDFFF);
    *code = is_good ? found : MASING_TEXT_NOT_UTF8;
    return is_good ? count : 1;
}

bool masing_text_is_printable(unsigned code)
{
    bool is_control =
        (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code < 0xA0);
    return !is_control && code != 0xFFFE && code != 0xFFFF && code != MASING_TEXT_NOT_UTF8;
}

size_t printable_put(const char *text, size_t length, char *shown, size_t size)
{
    size_t whole = 0, step;
    for (size_t i = 0; i < length; i += step) {
        unsigned code;
        char piece[8];
        step = masing_text_next(text + i, length - i, &code);
        if (masing_text_is_printable(code)) {
            memcpy(piece, text + i, step);
            piece[step] = '\0';
        } else if (step == 1) {
            snprintf(piece, sizeof piece, "\\x%02x", (unsigned)(unsigned char)text[i]);
        } else {
            snprintf(piece, sizeof piece, "\\u%04x", code & 0xFFFFu);
        }
        size_t n = strlen(piece);
        if (whole + n < size) {
            memcpy(shown + whole, piece, n + 1);
        } else if (whole < size) {
            shown[whole] = '\0';
            size = whole; /* no later, shorter piece either */
        }
        whole += n;
    }
    if (length == 0 && size > 0) {
        shown[0] = '\0';
    }
    return whole;
}

enum masing_status masing_text_write(const char *file, const char *text,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct result_file result = {0};
    struct masing_error own;
    error = entry_begin(error, &own);
    TRY(entry_need(file, "file", error));
    TRY(entry_need(text, "text", error));
    TRY(result_file_open(file, &result, error));
    if (fputs(text, result.stream) < 0 || fflush(result.stream) != 0) {
        TRY(result_file_fail(file, error));
    }
    TRY(result_file_keep(file, &result, error));
done:
    result_file_drop(&result);
    return status;
}
