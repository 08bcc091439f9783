/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/output.h"

#include <string.h>

#include "cli/same_file.h"
#include "masing/suggest.h"

enum ending_kind { ENDING_CSV, ENDING_PICTURE, ENDING_PLANNED };

static const struct {
    const char *ending;
    enum ending_kind kind;
} endings[] = {
    {".csv", ENDING_CSV},    {".svg", ENDING_PICTURE},  {".png", ENDING_PICTURE},
    {".h5", ENDING_PLANNED}, {".html", ENDING_PLANNED},
};

static enum masing_status refuse(const char *file, bool has_pictures, const char *why,
                                 struct masing_error *error)
{
    return masing_error_set(error, MASING_UNSUPPORTED, "-o %s: %s; known endings: %s", file,
                            why, has_pictures ? ".csv, .svg, .png" : ".csv");
}

static enum masing_status parse_file(const char *file, bool has_pictures, struct output *output,
                                     struct masing_error *error)
{
    const char *slash = strrchr(file, '/');
    const char *ending = strrchr(slash ? slash + 1 : file, '.');
    *output = (struct output){.file = file, .ending = ending};
    if (strcmp(file, "-") == 0) {
        output->ending = "";
        return MASING_OK;
    }
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++) {
        if (strcmp(ending, endings[i].ending) == 0) {
            bool is_picture = endings[i].kind == ENDING_PICTURE;
            output->format = is_picture ? OUTPUT_PICTURE : OUTPUT_CSV;
            if (endings[i].kind == ENDING_PLANNED) {
                return refuse(file, has_pictures, "not supported yet", error);
            }
            return is_picture && !has_pictures
                       ? refuse(file, false, "there is no picture of these results", error)
                       : MASING_OK;
        }
    }
    return refuse(file, has_pictures, "the ending does not name a format", error);
}

const char *output_file_of_part(struct pool *pool, const struct output *output,
                                const char *part)
{
    return pool_format(pool, "%.*s.%s%s", (int)(output->ending - output->file), output->file,
                       part, output->ending);
}

/* Whether two files of a command line would be one, or one the companion of the other. */
static enum masing_status check_pair(struct pool *pool, const struct output *a,
                                     const struct output *b, struct masing_error *error)
{
    static const char *const parts[] = {"contacts", "loops", "peaks", "summary"};
    if (same_file(a->file, b->file)) {
        return masing_error_set(error, MASING_INVALID, "-o %s stands twice", a->file);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (same_file(output_file_of_part(pool, a, parts[i]), b->file)) {
            return masing_error_set(error, MASING_INVALID, "-o %s is written beside -o %s",
                                    b->file, a->file);
        }
    }
    return MASING_OK;
}

enum masing_status output_parse(struct pool *pool, const struct text_list *files,
                                bool has_pictures, struct output_list *outputs,
                                struct masing_error *error)
{
    outputs->values = pool_take(pool, (size_t)files->count + 1, sizeof *outputs->values);
    outputs->count = files->count;
    for (int i = 0; i < files->count; i++) {
        enum masing_status status =
            parse_file(files->values[i], has_pictures, &outputs->values[i], error);
        for (int j = 0; status == MASING_OK && j < i; j++) {
            status = check_pair(pool, &outputs->values[i], &outputs->values[j], error);
            status = status ? status
                            : check_pair(pool, &outputs->values[j], &outputs->values[i], error);
        }
        if (status != MASING_OK) {
            return status;
        }
    }
    if (files->count == 0) {
        outputs->count = 1;
        outputs->values[0] = (struct output){.file = "-", .ending = ""};
    }
    return MASING_OK;
}
