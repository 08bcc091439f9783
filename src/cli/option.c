/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/option.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "masing/response.h"
#include "masing/suggest.h"

/* ---- memory ---- */

struct pool_block {
    struct pool_block *previous;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *pool_take(struct pool *pool, size_t count, size_t size)
{
    struct pool_block *block = NULL;
    if (size == 0 || count <= (SIZE_MAX - sizeof *block) / size) {
        block = calloc(1, sizeof *block + count * size);
    }
    if (!block) {
        fputs("masing: out of memory\n", stderr);
        exit(1);
    }
    block->previous = pool->last;
    pool->last = block;
    return block->bytes;
}

char *pool_format(struct pool *pool, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = pool_take(pool, length < 0 ? 1 : (size_t)length + 1, 1);
    if (length > 0) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    return text;
}

void pool_release(struct pool *pool)
{
    while (pool->last) {
        struct pool_block *block = pool->last;
        pool->last = block->previous;
        free(block);
    }
}

/* ---- numbers and words ---- */

enum { MOST_VALUES = 100000 };

enum masing_status option_read_real(const char *text, double *number,
                                    struct masing_error *error)
{
    char *end;
    bool is_plain = text[0] && strspn(text, "+-.0123456789eE") == strlen(text);
    double value = is_plain ? strtod(text, &end) : NAN;
    if (!is_plain || *end || !isfinite(value)) {
        return masing_error_set(error, MASING_INVALID, "'%.80s' is not a number", text);
    }
    *number = value;
    return MASING_OK;
}

enum masing_status option_store_count(struct pool *pool, const char *text, void *target,
                                      struct masing_error *error)
{
    (void)pool;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < 1 || value > INT_MAX) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s' is not a whole number of at least 1", text);
    }
    *(int *)target = (int)value;
    return MASING_OK;
}

enum masing_status option_store_seed(struct pool *pool, const char *text, void *target,
                                     struct masing_error *error)
{
    char *end;
    (void)pool;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s' is not a whole number from 0 to 18446744073709551615",
                                text);
    }
    *(unsigned long long *)target = value;
    return MASING_OK;
}

enum masing_status option_store_flag(struct pool *pool, const char *text, void *target,
                                     struct masing_error *error)
{
    (void)pool, (void)text, (void)error;
    *(bool *)target = true;
    return MASING_OK;
}

enum masing_status option_store_text(struct pool *pool, const char *text, void *target,
                                     struct masing_error *error)
{
    (void)pool, (void)error;
    *(const char **)target = text;
    return MASING_OK;
}

enum masing_status option_store_given(struct pool *pool, const char *text, void *target,
                                      struct masing_error *error)
{
    (void)pool;
    struct given_real *given = target;
    given->is_given = true;
    return option_read_real(text, &given->value, error);
}

enum masing_status option_store_positive(struct pool *pool, const char *text, void *target,
                                         struct masing_error *error)
{
    (void)pool;
    double value = 1;
    NEED(option_read_real(text, &value, error));
    if (!(value > 0)) {
        return masing_error_set(error, MASING_INVALID, "%s is not above zero", text);
    }
    *(double *)target = value;
    return MASING_OK;
}

void *option_grow(struct pool *pool, void *values, int count, size_t size)
{
    if (count & (count - 1)) {
        return values; /* there is room up to the next power of two */
    }
    void *larger = pool_take(pool, count > 0 ? 2 * (size_t)count : 1, size);
    if (count > 0) {
        memcpy(larger, values, (size_t)count * size);
    }
    return larger;
}

enum masing_status option_store_texts(struct pool *pool, const char *text, void *target,
                                      struct masing_error *error)
{
    (void)error;
    struct text_list *list = target;
    list->values = option_grow(pool, list->values, list->count, sizeof *list->values);
    list->values[list->count++] = text;
    return MASING_OK;
}

struct text_list option_split(struct pool *pool, const char *text, char separator)
{
    int n = 1;
    for (const char *c = text; *c; c++) {
        n += *c == separator;
    }
    struct text_list list = {n, pool_take(pool, (size_t)n, sizeof *list.values)};
    size_t size = strlen(text) + 1;
    char *piece = memcpy(pool_take(pool, size, 1), text, size);
    for (int i = 0; i < n; i++) {
        list.values[i] = piece;
        char *end = strchr(piece, separator);
        if (end) {
            *end = '\0';
            piece = end + 1;
        }
    }
    return list;
}

int option_index(const char *text, const char *const *words)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}

const char *const option_measures[] = {[MASING_MEASURE_MAX] = "max",
                                       [MASING_MEASURE_AMP] = "amp",
                                       [MASING_MEASURE_H1] = "h1",
                                       NULL};

static enum masing_status read_reals(struct pool *pool, const char *text,
                                     struct real_list *list, struct masing_error *error)
{
    struct text_list pieces = option_split(pool, text, ',');
    if (pieces.count > MOST_VALUES) {
        return masing_error_set(error, MASING_INVALID, "more than %d values", MOST_VALUES);
    }
    list->count = pieces.count;
    list->values = pool_take(pool, (size_t)pieces.count, sizeof *list->values);
    for (int i = 0; i < pieces.count; i++) {
        NEED(option_read_real(pieces.values[i], &list->values[i], error));
    }
    return MASING_OK;
}

/* NAME=REST; both parts must be there. */
static enum masing_status read_assignment(struct pool *pool, const char *text,
                                          const char **name, const char **rest,
                                          struct masing_error *error)
{
    const char *sign = strchr(text, '=');
    if (!sign || sign == text || !sign[1]) {
        return masing_error_set(error, MASING_INVALID, "'%.80s' is not NAME=VALUE", text);
    }
    *name = pool_format(pool, "%.*s", (int)(sign - text), text);
    *rest = sign + 1;
    return MASING_OK;
}

enum masing_status option_store_override(struct pool *pool, const char *text, void *target,
                                         struct masing_error *error)
{
    struct override_list *list = target;
    struct masing_override override;
    NEED(read_assignment(pool, text, &override.path, &override.value, error));
    list->values = option_grow(pool, list->values, list->count, sizeof *list->values);
    list->values[list->count++] = override;
    return MASING_OK;
}

struct real_list option_range(struct pool *pool, double from, double to, int count, bool is_log)
{
    struct real_list list = {count, pool_take(pool, (size_t)count, sizeof *list.values)};
    for (int i = 0; i < count; i++) {
        double share = (double)i / (count - 1);
        list.values[i] = is_log ? from * pow(to / from, share) : from + share * (to - from);
    }
    list.values[count - 1] = to;
    return list;
}

/* from:to:count or from:to:count:log, ends included exactly */
static enum masing_status read_range(struct pool *pool, const char *text,
                                     struct real_list *list, struct masing_error *error)
{
    struct text_list pieces = option_split(pool, text, ':');
    double from = 0, to = 0;
    int count = 0;
    bool is_log = pieces.count == 4 && strcmp(pieces.values[3], "log") == 0;
    if (pieces.count < 3 || pieces.count > 4 || (pieces.count == 4 && !is_log)) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s' is none of v1,v2,v3 | from:to:count | "
                                "from:to:count:log",
                                text);
    }
    NEED(option_read_real(pieces.values[0], &from, error));
    NEED(option_read_real(pieces.values[1], &to, error));
    NEED(option_store_count(pool, pieces.values[2], &count, error));
    if (count < 2 || count > MOST_VALUES) {
        return masing_error_set(error, MASING_INVALID, "a range has 2 to %d values, not %d",
                                MOST_VALUES, count);
    }
    if (is_log && !(from > 0 && to > 0)) {
        return masing_error_set(error, MASING_INVALID,
                                "a logarithmic range has ends above zero, not %g and %g", from,
                                to);
    }
    *list = option_range(pool, from, to, count, is_log);
    return MASING_OK;
}

/* v1,v2,v3 or a range */
static enum masing_status read_list(struct pool *pool, const char *text, bool are_positive,
                                    bool are_different, struct real_list *list,
                                    struct masing_error *error)
{
    NEED(strchr(text, ':') ? read_range(pool, text, list, error)
                           : read_reals(pool, text, list, error));
    for (int i = 0; i < list->count; i++) {
        const double value = list->values[i];
        if (are_positive && !(value > 0)) {
            return masing_error_set(error, MASING_INVALID, "%g is not above zero", value);
        }
        for (int j = 0; are_different && j < i; j++) {
            if (value == list->values[j]) {
                return masing_error_set(error, MASING_INVALID, "the value %g stands twice",
                                        value);
            }
        }
    }
    return MASING_OK;
}

static enum masing_status append(struct pool *pool, const char *text, bool are_positive,
                                 struct real_list *list, struct masing_error *error)
{
    struct real_list more;
    NEED(read_list(pool, text, are_positive, false, &more, error));
    for (int i = 0; i < more.count; i++) {
        list->values = option_grow(pool, list->values, list->count, sizeof *list->values);
        list->values[list->count++] = more.values[i];
    }
    return MASING_OK;
}

static enum masing_status store_numbers(struct pool *pool, const char *text, void *target,
                                        struct masing_error *error)
{
    return append(pool, text, false, target, error);
}

enum masing_status option_store_reals(struct pool *pool, const char *text, void *target,
                                      struct masing_error *error)
{
    return append(pool, text, true, target, error);
}

enum masing_status option_store_values(struct pool *pool, const char *text, void *target,
                                       struct masing_error *error)
{
    const struct real_list *list = target;
    return list->count > 0 ? masing_error_set(error, MASING_INVALID, "is given twice")
                           : read_list(pool, text, true, true, target, error);
}

/* w1,w2,w3; no word twice */
static enum masing_status read_words(struct pool *pool, const char *text,
                                     struct parameter_range *variation,
                                     struct masing_error *error)
{
    struct text_list words = option_split(pool, text, ',');
    for (int i = 0; i < words.count; i++) {
        for (int j = 0; j <= i; j++) {
            if (!*words.values[i] || (j < i && strcmp(words.values[i], words.values[j]) == 0)) {
                return masing_error_set(error, MASING_INVALID, "'%.80s' %s", words.values[i],
                                        j < i ? "stands twice" : "is no value");
            }
        }
    }
    variation->words = words.values;
    variation->values =
        (struct real_list){words.count, pool_take(pool, (size_t)words.count, sizeof(double))};
    return MASING_OK;
}

/* Whether a piece begins like a word: what begins like a number is to be one. */
static bool has_word(const char *text)
{
    bool has_one = false;
    for (const char *piece = text; piece; piece = strchr(piece, ',')) {
        piece += *piece == ',';
        has_one = has_one || isalpha((unsigned char)*piece);
    }
    return has_one && !strchr(text, ':');
}

/* FROM:TO of the option's whole text */
static enum masing_status read_ends(struct pool *pool, const char *text, const char *ends,
                                    struct parameter_range *range, struct masing_error *error)
{
    struct text_list pieces = option_split(pool, ends, ':');
    if (pieces.count != 2) {
        return masing_error_set(error, MASING_INVALID, "'%.80s': expected NAME=FROM:TO", text);
    }
    NEED(option_read_real(pieces.values[0], &range->from, error));
    NEED(option_read_real(pieces.values[1], &range->to, error));
    if (range->from == range->to) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s': both ends are %g, expected two different numbers",
                                text, range->from);
    }
    return MASING_OK;
}

enum masing_status option_store_vary(struct pool *pool, const char *text, void *target,
                                     struct masing_error *error)
{
    struct parameter_range *variation = target;
    const char *spec = NULL;
    if (variation->name) {
        return masing_error_set(error, MASING_INVALID, "one number can vary at a time");
    }
    NEED(read_assignment(pool, text, &variation->name, &spec, error));
    return has_word(spec) ? read_words(pool, spec, variation, error)
                          : read_list(pool, spec, false, true, &variation->values, error);
}

enum masing_status option_store_span(struct pool *pool, const char *text, void *target,
                                     struct masing_error *error)
{
    struct parameter_range *span = target;
    const char *ends = NULL;
    NEED(read_assignment(pool, text, &span->name, &ends, error));
    return read_ends(pool, text, ends, span, error);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum masing_status option_store_ranges(struct pool *pool, const char *text, void *target,
                                       struct masing_error *error)
{
    struct parameter_ranges *list = target;
    const char *spec = NULL;
    if (list->count == (int)(sizeof list->values / sizeof *list->values)) {
        return masing_error_set(error, MASING_INVALID, "two numbers can vary at a time");
    }
    struct parameter_range *range = &list->values[list->count];
    struct real_list *values = &range->values;
    NEED(read_assignment(pool, text, &range->name, &spec, error));
    if (list->count == 1 && strcmp(range->name, list->values[0].name) == 0) {
        return masing_error_set(error, MASING_INVALID, "%s is given twice", range->name);
    }
    list->count++;
    if (option_split(pool, spec, ':').count == 2) {
        return read_ends(pool, text, spec, range, error);
    }
    NEED(read_list(pool, spec, false, true, values, error));
    if (values->count < 2) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s': expected NAME=FROM:TO, or more values than one",
                                text);
    }
    range->is_log = strstr(spec, ":log") != NULL;
    if (!strchr(spec, ':')) {
        qsort(values->values, (size_t)values->count, sizeof *values->values, compare);
    }
    range->from = values->values[0];
    range->to = values->values[values->count - 1];
    return MASING_OK;
}

enum masing_status option_store_counts(struct pool *pool, const char *text, void *target,
                                       struct masing_error *error)
{
    struct count_list *list = target;
    struct text_list pieces = option_split(pool, text, ',');
    for (int i = 0; i < pieces.count; i++) {
        int count = 0;
        NEED(option_store_count(pool, pieces.values[i], &count, error));
        for (int j = 0; j < list->count; j++) {
            if (list->values[j] == count) {
                return masing_error_set(error, MASING_INVALID, "%d stands twice", count);
            }
        }
        list->values = option_grow(pool, list->values, list->count, sizeof *list->values);
        list->values[list->count++] = count;
    }
    return MASING_OK;
}

enum masing_status option_store_shard(struct pool *pool, const char *text, void *target,
                                      struct masing_error *error)
{
    struct shard *shard = target;
    struct text_list pieces = option_split(pool, text, '/');
    if (pieces.count != 2 ||
        option_store_count(pool, pieces.values[0], &shard->k, NULL) != MASING_OK ||
        option_store_count(pool, pieces.values[1], &shard->n, NULL) != MASING_OK ||
        shard->k > shard->n) {
        return masing_error_set(error, MASING_INVALID,
                                "'%.80s': expected K/N, the K-th of N parts, as in 2/3", text);
    }
    return MASING_OK;
}

bool option_spans_ratios(const struct parameter_range *range)
{
    double low = range->from < range->to ? range->from : range->to;
    double high = range->from < range->to ? range->to : range->from;
    return low > 0.0 && high >= 4.0 * low;
}

enum masing_status option_take_shard(struct pool *pool, const struct shard *shard,
                                     struct parameter_range *range, struct masing_error *error)
{
    const struct parameter_range all = *range;
    int n = 0;
    if (shard->n == 0) {
        return MASING_OK;
    }
    if (shard->n > all.values.count) {
        return masing_error_set(error, MASING_INVALID,
                                "--shard %d/%d: %s has %d values, expected at most as many "
                                "parts",
                                shard->k, shard->n, all.name, all.values.count);
    }
    const char **words = pool_take(pool, (size_t)all.values.count, sizeof *words);
    range->values.values =
        pool_take(pool, (size_t)all.values.count, sizeof *range->values.values);
    for (int i = shard->k - 1; i < all.values.count; i += shard->n, n++) {
        range->values.values[n] = all.values.values ? all.values.values[i] : 0.0;
        words[n] = all.words ? all.words[i] : NULL;
    }
    range->values.count = n;
    range->words = all.words ? words : NULL;
    return MASING_OK;
}

const char *const option_groups[] = {"harmonics", "energy", "joints", "slopes",
                                     "stability", "forces", "dofs",   NULL};

/* Index of a word, or -1 and an error with a suggestion. */
static int read_word(const char *text, const char *const *words, const char *what,
                     struct masing_error *error)
{
    char nearest[MASING_SUGGESTION_LENGTH], known[256] = "";
    struct masing_suggestion suggestion = masing_suggest_begin(text);
    for (int i = 0; words[i]; i++) {
        size_t length = strlen(known);
        masing_suggest_consider(&suggestion, words[i]);
        snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    int index = option_index(text, words);
    if (index < 0) {
        masing_error_set(error, MASING_INVALID, "unknown %s '%.80s'%s; known: %s", what, text,
                         masing_suggest_text(&suggestion, nearest, sizeof nearest), known);
    }
    return index;
}

enum masing_status option_store_columns(struct pool *pool, const char *text, void *target,
                                        struct masing_error *error)
{
    struct text_list pieces = option_split(pool, text, ',');
    for (int i = 0; i < pieces.count; i++) {
        int index = read_word(pieces.values[i], option_groups, "columns", error);
        if (index < 0) {
            return MASING_INVALID;
        }
        *(unsigned *)target |= 1u << index;
    }
    return MASING_OK;
}

static enum masing_status store_stability(struct pool *pool, const char *text, void *target,
                                          struct masing_error *error)
{
    static const char *const names[] = {[MASING_STABILITY_AUTO] = "auto",
                                        [MASING_STABILITY_NONE] = "none",
                                        [MASING_STABILITY_FLOQUET] = "floquet",
                                        [MASING_STABILITY_HILL] = "hill",
                                        NULL};
    (void)pool;
    int index = read_word(text, names, "method", error);
    if (index < 0) {
        return MASING_INVALID;
    }
    *(enum masing_stability_method *)target = (enum masing_stability_method)index;
    return MASING_OK;
}

/* ---- options that several commands share ---- */

#define AT(member) offsetof(struct common_settings, member)

const struct option model_options[] = {
    {"--set", "NAME=VALUE",
     "override a number of the model by its path, e.g.\n"
     "damper.preload=30, shaker.amplitude=5, load_factor=2,\n"
     "structure.damping.modal_ratio=0.01; repeatable",
     option_store_override, AT(overrides)},
    {0},
};

const struct option output_options[] = {
    {"-o", "FILE",
     "write results; the ending picks the format: .csv,\n"
     ".svg, .png (pictures), .h5, .mat (all tables, with\n"
     "Fourier coefficients), .html (a page for a browser);\n"
     "repeatable. Without it, CSV goes to standard output.\n"
     "Beside it: FILE.run.yaml. An earlier file stays until\n"
     "the new one is whole",
     option_store_texts, AT(outputs)},
    {"--quiet", NULL, "no summary and no progress; warnings and errors stay", option_store_flag,
     AT(is_quiet)},
    {0},
};

const struct option single_options[] = {
    {"--columns", "GROUP,GROUP,...", NULL, option_store_columns, AT(columns)},
    {"--threads", "N", "taken for every analysis; this one computes in one thread",
     option_store_count, AT(n_threads)},
    {0},
};

const struct option response_options[] = {
    {"--at", "HZ,HZ,...",
     "rows exactly at these frequencies too, one for each\n"
     "time the curve passes them; also from:to:count[:log]",
     store_numbers, AT(at)},
    {"--columns", "GROUP,GROUP,...",
     "more columns: harmonics, energy, joints, slopes,\n"
     "stability, forces (of joints, every harmonic); dofs (in\n"
     ".h5 and .mat: coefficients of all DOFs, not of outputs)",
     option_store_columns, AT(columns)},
    {"--threads", "N",
     "curves, or joints of a single one, computed at the same\n"
     "time; the results are the same bits for any number\n"
     "(default: all processors)",
     option_store_count, AT(n_threads)},
    {"--check-harmonics", NULL,
     "solve the peak and a sample of points again with more\n"
     "harmonics and samples, and tell how wrong the outputs\n"
     "are; the points go to x.check.csv",
     option_store_flag, AT(is_checked)},
    {"--check-tolerance", "PART",
     "likewise; more harmonics are taken until no output\n"
     "changes by more than this part of it, and larger errors\n"
     "are warned about (default: 1e-3)",
     option_store_positive, AT(check_tolerance)},
    {"--starts", "N",
     "solve the response at the peak's frequency for N states\n"
     "that the sliders may have been left in, and tell its\n"
     "range; two of them are the extremes",
     option_store_count, AT(n_starts)},
    {"--stability", "METHOD",
     "of each point: auto (Floquet multipliers where they are\n"
     "quick to find; the default), floquet, hill (smooth laws)\n"
     "or none",
     store_stability, AT(stability)},
    {"--branches", NULL,
     "follow also the curves that branch off at branch points,\n"
     "20 at most, each with a number of its own",
     option_store_flag, AT(has_branches)},
    {"--log-y", NULL, "pictures: logarithmic response axis", option_store_flag, AT(is_log_y)},
    {"--joint", "NAME",
     "pictures: the joint whose loops are shown (default: the\n"
     "first one)",
     option_store_text, AT(joint)},
    {0},
};

int option_branches(const struct common_settings *settings)
{
    enum { MOST_BRANCHES = 20 };
    return settings->has_branches ? MOST_BRANCHES : 0;
}
