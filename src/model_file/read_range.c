/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `frequency`, `frequency_unit`, `harmonics` and `samples`. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/number.h"
#include "model_file/reader.h"

enum { MAX_HARMONIC = 2000, MAX_SAMPLES = 1 << 20 };

/* `harmonics: auto` */
enum { AUTOMATIC_HIGHEST = 31 };
static const double AUTOMATIC_TOLERANCE = 1e-3;

static enum masing_status read_frequency(struct reader *reader)
{
    static const char *const units[] = {"hz", "rad_s", NULL};
    struct tree_node *root = reader->tree->root, *node = tree_find(root, "frequency");
    enum masing_status status = MASING_OK;
    double ends[2] = {0.0, 0.0};
    int unit = 0;
    TRY(reader_optional_choice(reader, root, "frequency_unit", units, &unit));
    if (!node) {
        return MASING_OK; /* what is wrong elsewhere is said first */
    }
    reader->spec->frequency_place = node->place;
    if (node->kind != TREE_SEQUENCE || node->count != 2) {
        TRY(reader_fail(reader, node, "frequency: expected [from, to]"));
    }
    for (int i = 0; i < 2; i++) {
        struct tree_node *end = tree_at(node, i);
        TRY(reader_number(reader, end, "frequency", &ends[i]));
        if (ends[i] <= 0.0) {
            TRY(reader_fail(reader, end, "frequency: must be greater than 0, found %g",
                            ends[i]));
        }
    }
    if (ends[0] == ends[1]) {
        TRY(reader_fail(reader, node, "frequency: the range is empty, both ends are %g",
                        ends[0]));
    }
    reader->spec->omega_from = unit == 0 ? ends[0] * TWO_PI : ends[0];
    reader->spec->omega_to = unit == 0 ? ends[1] * TWO_PI : ends[1];
done:
    return status;
}

static int compare(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

/* `auto`, or `{tolerance: ..., max: ...}`. */
static enum masing_status read_automatic(struct reader *reader, struct tree_node *node,
                                         int *highest)
{
    static const char *const keys[] = {"tolerance", "max", NULL};
    enum masing_status status = MASING_OK;
    double tolerance = AUTOMATIC_TOLERANCE;
    *highest = AUTOMATIC_HIGHEST;
    if (node->kind == TREE_MAPPING) {
        TRY(reader_keys(reader, node, keys, NULL));
        TRY(reader_optional_number(reader, node, "tolerance", &tolerance));
        TRY(reader_optional_integer(reader, node, "max", 1, MAX_HARMONIC, highest));
    }
    if (!(tolerance > 0.0 && tolerance < 1.0)) {
        TRY(reader_fail(reader, tree_find(node, "tolerance"),
                        "tolerance: expected a part between 0 and 1, found %g", tolerance));
    }
    reader->spec->harmonics_tolerance = tolerance;
done:
    return status;
}

static bool is_automatic(const struct tree_node *node)
{
    return node->kind == TREE_MAPPING ||
           (node->kind == TREE_SCALAR && strcmp(node->text, "auto") == 0);
}

static enum masing_status take_harmonics(struct reader *reader, struct tree_node *node,
                                         int *harmonics, int *n)
{
    enum masing_status status = MASING_OK;
    if (node->kind == TREE_SEQUENCE) {
        for (struct tree_node *child = node->first; child; child = child->next) {
            TRY(reader_integer(reader, child, "harmonics", 0, MAX_HARMONIC,
                               &harmonics[(*n)++]));
        }
        qsort(harmonics, (size_t)*n, sizeof *harmonics, compare);
    } else {
        int highest;
        TRY(is_automatic(node)
                ? read_automatic(reader, node, &highest)
                : reader_integer(reader, node, "harmonics", 1, MAX_HARMONIC, &highest));
        for (int h = 0; h <= highest; h++) {
            harmonics[(*n)++] = h;
        }
    }
    for (int i = 1; i < *n; i++) {
        if (harmonics[i] == harmonics[i - 1]) {
            TRY(reader_fail(reader, node, "harmonics: %d stands here twice", harmonics[i]));
        }
    }
    if (*n == 0 || harmonics[*n - 1] == 0) {
        TRY(reader_fail(reader, node, "harmonics: expected at least one from 1"));
    }
done:
    return status;
}

static enum masing_status default_harmonics(struct reader *reader)
{
    char text[NUMBER_TEXT];
    const struct masing_spec *spec = reader->spec;
    double highest = spec->n_harmonics ? spec->harmonics[spec->n_harmonics - 1] : 0.0;
    return reader_default(reader, reader->tree->root, "harmonics", number_print(highest, text));
}

static enum masing_status read_harmonics(struct reader *reader)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    enum masing_status status = MASING_OK;
    struct tree_node *node = tree_find(reader->tree->root, "harmonics");
    if (!node) {
        return default_harmonics(reader);
    }
    spec->harmonics_place = node->place;
    int limit = node->count > MAX_HARMONIC ? node->count : MAX_HARMONIC;
    int *harmonics = memory_array((size_t)limit + 1, sizeof *harmonics), n = 0;
    TRY_ALLOCATED(harmonics);
    TRY(take_harmonics(reader, node, harmonics, &n));
    free(spec->harmonics);
    spec->n_harmonics = 0;
    spec->harmonics = memory_copy(harmonics, (size_t)n, sizeof *harmonics);
    TRY_ALLOCATED(spec->harmonics);
    spec->n_harmonics = n;
done:
    free(harmonics);
    return status;
}

static enum masing_status read_samples(struct reader *reader)
{
    struct masing_spec *spec = reader->spec;
    struct tree_node *node = tree_find(reader->tree->root, "samples");
    enum masing_status status = MASING_OK;
    int samples;
    if (!node) {
        return MASING_OK;
    }
    spec->samples_place = node->place;
    TRY(reader_integer(reader, node, "samples", 4, MAX_SAMPLES, &samples));
    if (samples & (samples - 1)) {
        TRY(reader_fail(reader, node, "samples: expected a power of two, found %d", samples));
    }
    int highest = spec->n_harmonics ? spec->harmonics[spec->n_harmonics - 1] : 0;
    if (samples < 4 * highest) {
        TRY(reader_fail(reader, node,
                        "samples: %d are too few samples for harmonic %d; expected at least %d",
                        samples, highest, 4 * highest));
    }
    spec->n_samples = samples;
done:
    return status;
}

enum masing_status read_range(struct reader *reader)
{
    enum masing_status status = MASING_OK;
    TRY(read_frequency(reader));
    TRY(read_harmonics(reader));
    TRY(read_samples(reader));
done:
    return status;
}
