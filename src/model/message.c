/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/model.h"

static enum masing_status refuse(const struct masing_spec *spec, const struct model_part *part,
                                 struct masing_error *error, const char *format,
                                 va_list arguments)
{
    char where[MASING_MESSAGE_LENGTH / 2], what[MASING_MESSAGE_LENGTH];
    const struct masing_locator *locator = part->path[0] ? spec->locator : NULL;
    vsnprintf(what, sizeof what, format, arguments);
    if (locator && locator->find(locator, part->path, where, sizeof where)) {
        return masing_error_refuse(error, part->path, "%s: %s", where, what);
    }
    const char *file = spec->file ? spec->file : "model";
    const struct masing_place place = part->place;
    return place.line > 0 ? masing_error_refuse(error, part->path, "%s:%d:%d: %s", file,
                                                place.line, place.column, what)
                          : masing_error_refuse(error, part->path, "%s: %s", file, what);
}

struct model_part model_part(struct masing_place place, const char *path, ...)
{
    struct model_part part = {.place = place};
    va_list arguments;
    va_start(arguments, path);
    vsnprintf(part.path, sizeof part.path, path, arguments);
    va_end(arguments);
    return part;
}

struct model_part model_part_of(const struct model_part *whole, const char *key)
{
    struct model_part part = *whole;
    size_t length = strlen(part.path);
    snprintf(part.path + length, sizeof part.path - length, "%s%s", *key ? "." : "", key);
    return part;
}

enum masing_status model_refuse_part(const struct masing_spec *spec,
                                     const struct model_part *part, struct masing_error *error,
                                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum masing_status status = refuse(spec, part, error, format, arguments);
    va_end(arguments);
    return status;
}

enum masing_status model_refuse(const struct masing_spec *spec, struct masing_place place,
                                struct masing_error *error, const char *format, ...)
{
    struct model_part part = {.place = place};
    va_list arguments;
    va_start(arguments, format);
    enum masing_status status = refuse(spec, &part, error, format, arguments);
    va_end(arguments);
    return status;
}

enum masing_status model_refuse_subject(const struct subject *subject, const char *key,
                                        const char *format, ...)
{
    char text[MASING_MESSAGE_LENGTH / 2];
    struct model_part part = model_part_of(&subject->part, key);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return model_refuse_part(subject->spec, &part, subject->error, "%s: %s", subject->what,
                             text);
}

struct dof_text model_dof_text(const struct masing_spec *spec, int dof)
{
    struct dof_text text;
    int n = spec->structure.n_dofs;
    const char *next = dof >= n ? "next." : "";
    int own = dof >= n ? dof - n : dof;
    const char *name = spec->structure.dof_names ? spec->structure.dof_names[own] : NULL;
    if (name) {
        snprintf(text.text, sizeof text.text, "'%s%s'", next, name);
    } else {
        snprintf(text.text, sizeof text.text, "%s%d", next, own + 1);
    }
    return text;
}

struct motion_text model_motion_text(const struct masing_spec *spec, const double *motion)
{
    enum { MOST = 3 };
    static const double MUCH = 0.5; /* of the largest */
    struct motion_text names = {""};
    double largest = 0;
    int n_named = 0;
    for (int i = 0; i < spec->structure.n_dofs; i++) {
        largest = fmax(largest, fabs(motion[i]));
    }
    for (int i = 0; i < spec->structure.n_dofs && n_named <= MOST; i++) {
        if (fabs(motion[i]) >= MUCH * largest) {
            size_t length = strlen(names.text);
            snprintf(names.text + length, sizeof names.text - length, "%s%s",
                     n_named == 0     ? ""
                     : n_named < MOST ? ", "
                                      : " and others",
                     n_named < MOST ? model_dof_text(spec, i).text : "");
            n_named++;
        }
    }
    return names;
}

enum masing_status model_need_outputs(const struct masing_spec *spec,
                                      struct masing_error *error)
{
    return spec->n_outputs > 0
               ? MASING_OK
               : model_refuse(spec, (struct masing_place){1, 1}, error,
                              "missing key 'outputs', which tells what to look at, as in "
                              "'outputs: [m1]' or 'outputs: all'");
}

enum masing_status model_need_sweep(const struct masing_spec *spec, bool needs_range,
                                    struct masing_error *error)
{
    if (spec->sweep == MASING_SWEEP_NONE) {
        return model_refuse(spec, (struct masing_place){1, 1}, error,
                            "missing key 'frequency', which tells where to look, as in "
                            "'frequency: [18, 28]'%s",
                            needs_range ? "" : " or 'frequency: 25'");
    }
    return !needs_range || spec->sweep == MASING_SWEEP_RANGE
               ? MASING_OK
               : model_refuse(spec, spec->frequency_place, error,
                              "frequency: expected a range, [from, to], found a single one");
}

enum masing_status model_need_loads(const struct masing_spec *spec, struct masing_error *error)
{
    return spec->n_loads > 0
               ? MASING_OK
               : model_refuse(spec, (struct masing_place){0}, error,
                              "the model has no loads, expected at least one under 'loads:': "
                              "nothing drives it");
}

/* --- warnings ----------------------------------------------------------------------------- */

/* As it is, or a plain text. */
static void append(struct warning_text *warning, const char *piece, bool is_plain)
{
    size_t n = strlen(warning->pattern);
    for (; *piece && n + 2 < sizeof warning->pattern; piece++) {
        warning->pattern[n++] = *piece;
        if (is_plain && *piece == '%') {
            warning->pattern[n++] = '%';
        }
    }
    warning->pattern[n] = '\0';
}

/* One conversion; its argument is taken. */
static void put_conversion(struct warning_text *warning, const char *conversion, char kind,
                           va_list *arguments)
{
    char piece[MASING_MESSAGE_LENGTH];
    if (kind == 's') {
        snprintf(piece, sizeof piece, conversion, va_arg(*arguments, const char *));
    } else if (kind == 'i') {
        snprintf(piece, sizeof piece, conversion, va_arg(*arguments, int));
    } else {
        double value = kind == 'd' ? va_arg(*arguments, int) : va_arg(*arguments, double);
        conversion = kind == 'd' ? "%.0f" : conversion;
        snprintf(piece, sizeof piece, conversion, value);
        if (warning->n_values < MASING_WARNING_VALUES) {
            warning->values[warning->n_values++] = value;
            append(warning, conversion, false);
            return;
        }
    }
    append(warning, piece, true);
}

static void put(struct warning_text *warning, const char *format, va_list *arguments)
{
    while (*format) {
        char piece[MASING_MESSAGE_LENGTH];
        bool is_conversion = format[0] == '%' && format[1] != '%';
        size_t length = is_conversion      ? strcspn(format, "sidgef") + 1
                        : format[0] == '%' ? 2
                                           : strcspn(format, "%");
        snprintf(piece, sizeof piece, "%.*s", (int)length, format);
        if (is_conversion) {
            put_conversion(warning, piece, format[length - 1], arguments);
        } else {
            append(warning, piece, false);
        }
        format += length;
    }
}

void warning_put(struct warning_text *warning, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(warning, format, &arguments);
    va_end(arguments);
}

void warning_put_sentence(struct warning_text *warning, const struct masing_warning *sentence)
{
    int k = 0;
    for (const char *c = sentence->pattern; (c = strchr(c, '%')) != NULL; c++) {
        if (c[1] == '%') {
            c++;
        } else if (warning->n_values < MASING_WARNING_VALUES && k < MASING_WARNING_VALUES) {
            warning->values[warning->n_values++] = sentence->values[k++];
        }
    }
    append(warning, sentence->pattern, false);
}

enum masing_status warning_end(const struct warning_list *list,
                               const struct warning_text *warning, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const size_t n = (size_t)*list->count;
    char buffer[MASING_MESSAGE_LENGTH];
    struct masing_warning numbered = {.pattern = warning->pattern};
    memcpy(numbered.values, warning->values, sizeof numbered.values);
    const struct masing_warning *one = &numbered;
    char *text = memory_text(masing_warning_text(&one, 1, buffer, sizeof buffer));
    char *pattern = memory_text(warning->pattern);
    TRY_ALLOCATED(text && pattern);
    char **texts = realloc(*list->texts, sizeof *texts * (n + 1));
    TRY_ALLOCATED(texts);
    *list->texts = texts;
    if (list->numbered) {
        struct masing_warning *longer = realloc(*list->numbered, sizeof *longer * (n + 1));
        TRY_ALLOCATED(longer);
        *list->numbered = longer;
        numbered.pattern = pattern;
        longer[n] = numbered;
        pattern = NULL;
    }
    texts[n] = text;
    text = NULL;
    ++*list->count;
done:
    free(text);
    free(pattern);
    return status;
}

enum masing_status warning_add(const struct warning_list *list, struct masing_error *error,
                               const char *format, ...)
{
    struct warning_text warning = {.n_values = 0};
    va_list arguments;
    va_start(arguments, format);
    put(&warning, format, &arguments);
    va_end(arguments);
    return warning_end(list, &warning, error);
}

void name_list_add(struct name_list *list, const char *name)
{
    size_t length = strlen(list->text);
    if (list->n++ < NAMES_TOLD) {
        snprintf(list->text + length, sizeof list->text - length, "%s'%.60s'",
                 length > 0 ? ", " : "", name);
    }
}

const char *name_list_text(struct name_list *list)
{
    size_t length = strlen(list->text);
    if (list->n > NAMES_TOLD) {
        snprintf(list->text + length, sizeof list->text - length, " and %d more",
                 list->n - NAMES_TOLD);
    }
    return list->text;
}

enum masing_status warnings_add_model(const struct warning_list *list,
                                      const struct masing_model *model,
                                      struct masing_error *error)
{
    for (int w = 0; w < model->n_warnings; w++) {
        struct warning_text warning = {.n_values = 0};
        warning_put_sentence(&warning, &model->numbered[w]);
        NEED(warning_end(list, &warning, error));
    }
    return MASING_OK;
}

void warnings_pack(struct packing *packing, const struct warning_list *list)
{
    int n = packing_count(packing, *list->count, sizeof(size_t));
    if (packing->is_taking) {
        *list->texts = memory_array((size_t)n, sizeof **list->texts);
        if (list->numbered) {
            *list->numbered = memory_array((size_t)n, sizeof **list->numbered);
        }
        if (!*list->texts || (list->numbered && !*list->numbered)) {
            packing->status = packing->status ? packing->status : MASING_NO_MEMORY;
            return;
        }
        *list->count = n;
    }
    for (int i = 0; i < n; i++) {
        packing_text(packing, &(*list->texts)[i]);
        if (list->numbered) {
            struct masing_warning *numbered = &(*list->numbered)[i];
            char *pattern = (char *)numbered->pattern;
            packing_text(packing, &pattern);
            numbered->pattern = pattern;
            PACK(packing, numbered->values);
        }
    }
}

void warnings_clear(const struct warning_list *list)
{
    for (int i = 0; i < *list->count; i++) {
        free((*list->texts)[i]);
        if (list->numbered) {
            free((void *)(*list->numbered)[i].pattern);
        }
    }
    free(*list->texts);
    *list->texts = NULL;
    if (list->numbered) {
        free(*list->numbered);
        *list->numbered = NULL;
    }
    *list->count = 0;
}
