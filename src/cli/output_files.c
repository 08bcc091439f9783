/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of files that results go to, and what must not be among them. */
#include "cli/single_run.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Of the folder that a file is in; false where there is none, or its name is too long. */
static bool find_folder(const char *file, struct stat *folder)
{
    char path[4096];
    const char *slash = strrchr(file, '/');
    int length = slash ? (int)(slash - file) + 1 : 0;
    int n = snprintf(path, sizeof path, "%.*s.", length, file);
    return n > 0 && (size_t)n < sizeof path && stat(path, folder) == 0;
}

static const char *name_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

bool output_is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (strcmp(a, b) == 0) {
        return true;
    }
    if (stat(a, &of_a) == 0 && stat(b, &of_b) == 0) {
        return is_same(&of_a, &of_b) && S_ISREG(of_a.st_mode);
    }
    return strcmp(name_of(a), name_of(b)) == 0 && find_folder(a, &of_a) &&
           find_folder(b, &of_b) && is_same(&of_a, &of_b);
}

enum ending_kind { ENDING_CSV, ENDING_PICTURE, ENDING_FIELD, ENDING_REPORT };

static const struct {
    const char *ending;
    enum ending_kind kind;
} endings[] = {
    {".csv", ENDING_CSV},      {".svg", ENDING_PICTURE}, {".png", ENDING_PICTURE},
    {".vtkhdf", ENDING_FIELD}, {".pvd", ENDING_FIELD},   {".h5", ENDING_REPORT},
    {".mat", ENDING_REPORT},   {".html", ENDING_REPORT},
};

/* Why a file of that kind is not written; NULL: it is. */
static const char *why_not(enum ending_kind kind, unsigned kinds)
{
    switch (kind) {
    case ENDING_PICTURE:
        return kinds & OUTPUT_HAS_PICTURES ? NULL : "there is no picture of these results";
    case ENDING_FIELD:
        return kinds & OUTPUT_HAS_FIELDS ? NULL : "there are no fields of these results";
    case ENDING_CSV:
    case ENDING_REPORT:
        break;
    }
    return NULL;
}

static enum masing_status parse_file(const char *file, unsigned kinds, struct output *output,
                                     struct masing_error *error)
{
    static const enum output_format formats[] = {[ENDING_PICTURE] = OUTPUT_PICTURE,
                                                 [ENDING_FIELD] = OUTPUT_FIELD,
                                                 [ENDING_REPORT] = OUTPUT_REPORT};
    const char *ending = strrchr(name_of(file), '.');
    const char *why = "the ending does not name a format";
    *output = (struct output){.file = file, .ending = ending};
    if (strcmp(file, "-") == 0) {
        output->ending = "";
        return MASING_OK;
    }
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++) {
        if (strcmp(ending, endings[i].ending) == 0) {
            output->format = formats[endings[i].kind];
            why = why_not(endings[i].kind, kinds);
        }
    }
    return !why ? MASING_OK
                : masing_error_set(error, MASING_UNSUPPORTED,
                                   "-o %s: %s; known endings: .csv%s%s, .h5, .mat, .html", file,
                                   why, kinds & OUTPUT_HAS_PICTURES ? ", .svg, .png" : "",
                                   kinds & OUTPUT_HAS_FIELDS ? ", .vtkhdf, .pvd" : "");
}

const char *output_file_of_part(struct pool *pool, const struct output *output,
                                const char *part)
{
    return pool_format(pool, "%.*s.%s%s", (int)(output->ending - output->file), output->file,
                       part, output->ending);
}

static const char *const parts[] = {"check", "contacts", "loops", "peaks", "summary"};

enum { N_PARTS = sizeof parts / sizeof *parts, MOST_MODES = 99 };

/* The file of that number among those that may be written for one of -o: itself, its log, its
 * record, its parts, pictures of single modes; NULL behind the last. */
static const char *written_file(struct pool *pool, const struct output *output, int index)
{
    enum { N_WITH_ENDINGS = 3 };
    if (strcmp(output->file, "-") == 0) {
        return index == 0 ? "/dev/stdout" : NULL;
    }
    if (index < N_WITH_ENDINGS) {
        const char *const endings_behind[N_WITH_ENDINGS] = {"", ".log", ".run.yaml"};
        return index == 0 ? output->file
                          : pool_format(pool, "%s%s", output->file, endings_behind[index]);
    }
    index -= N_WITH_ENDINGS;
    if (output->format == OUTPUT_REPORT) {
        return index == 0 && strcmp(output->ending, ".mat") == 0
                   ? output_report_beside(pool, output)
                   : NULL;
    }
    if (index < N_PARTS) {
        return output_file_of_part(pool, output, parts[index]);
    }
    int mode = index - N_PARTS + 1;
    return output->format == OUTPUT_PICTURE && mode <= MOST_MODES
               ? output_file_of_part(pool, output, pool_format(pool, "mode%d", mode))
               : NULL;
}

const char *output_written_file(struct pool *pool, const char *file, int index)
{
    struct output output;
    struct masing_error unknown_ending = {0};
    bool is_known = parse_file(file, OUTPUT_HAS_PICTURES | OUTPUT_HAS_FIELDS, &output,
                               &unknown_ending) == MASING_OK;
    return is_known ? written_file(pool, &output, index) : index == 0 ? file : NULL;
}

/* Fields go to NAME_peak.vtkhdf, NAME_24.5hz_2.vtkhdf, NAME_peak_0001.vtu and so on: how often
 * a curve passes a frequency is not known before. */
static bool is_field(const struct output *output, const char *file, size_t stem)
{
    const char *ending = strrchr(file, '.');
    return output->format == OUTPUT_FIELD && ending && file[stem] == '_' &&
           (strcmp(ending, output->ending) == 0 ||
            (strcmp(output->ending, ".pvd") == 0 && strcmp(ending, ".vtu") == 0));
}

static const char unfinished[] = ".unfinished-";

/* Where a task under way stands: "NAME.csv.log-12"; rows that are not all there yet. */
static bool is_of_run(const struct output *output, const char *file, size_t stem)
{
    static const char log[] = ".log-";
    const char *name = name_of(output->file);
    size_t n = strlen(name);
    bool is_place = strncmp(file, name, n) == 0 && strncmp(file + n, log, sizeof log - 1) == 0;
    return is_place || (file[stem] == '.' && strstr(file + stem, unfinished));
}

/* Of the files that are there the first with such a name that is the one that is read; NULL:
 * none. */
static const char *find_numbered(struct pool *pool, const struct output *output,
                                 const char *read)
{
    const char *name = name_of(output->file), *found = NULL;
    int folder = (int)(name - output->file);
    size_t stem = (size_t)(output->ending - name);
    DIR *files = opendir(folder > 0 ? pool_format(pool, "%.*s", folder, output->file) : ".");
    for (const struct dirent *file; files && !found && (file = readdir(files)) != NULL;) {
        bool is_derived =
            strncmp(file->d_name, name, stem) == 0 &&
            (is_field(output, file->d_name, stem) || is_of_run(output, file->d_name, stem));
        const char *path =
            is_derived ? pool_format(pool, "%.*s%s", folder, output->file, file->d_name) : NULL;
        found = path && output_is_same_file(path, read) ? path : NULL;
    }
    if (files) {
        closedir(files);
    }
    return found;
}

/* Nobody has waited for it yet: it is in the list, and does nothing any more. */
static bool is_zombie(long process)
{
    char file[64], state = '?';
    snprintf(file, sizeof file, "/proc/%ld/stat", process);
    FILE *stream = fopen(file, "r");
    if (stream) {
        bool is_read = fscanf(stream, "%*d (%*[^)]) %c", &state) == 1; /* "7 (masing) Z ..." */
        state = is_read ? state : '?';
        fclose(stream);
    }
    return state == 'Z' || state == 'X';
}

/* Whether a name is that of rows of a process that has ended: "NAME.unfinished-PROCESS-1". */
static bool is_left_over(const char *name)
{
    const char *found = strstr(name, unfinished);
    long process = found ? strtol(found + sizeof unfinished - 1, NULL, 10) : 0;
    bool is_gone = process > 1 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
    return is_gone || (process > 1 && is_zombie(process));
}

void output_remove_left_over(const struct output_list *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        const struct output *output = &outputs->values[i];
        const char *name = name_of(output->file);
        int folder = (int)(name - output->file);
        size_t stem = (size_t)(output->ending - name);
        const char *path =
            folder > 0 ? pool_format(outputs->pool, "%.*s", folder, output->file) : "";
        DIR *files = opendir(*path ? path : ".");
        for (const struct dirent *file; files && (file = readdir(files)) != NULL;) {
            if (strncmp(file->d_name, name, stem) == 0 && file->d_name[stem] == '.' &&
                is_left_over(file->d_name)) {
                unlink(pool_format(outputs->pool, "%s%s", path, file->d_name));
            }
        }
        if (files) {
            closedir(files);
        }
    }
}

static enum masing_status refuse_input(const struct call *call, const char *option,
                                       const char *output, const char *beside,
                                       const struct input_file *input,
                                       struct masing_error *error)
{
    return command_refuse(call, error, "%s %s%s%s%s would be written over %s %s", option,
                          output, beside ? ": " : "", beside ? beside : "",
                          beside ? " beside it" : "", input->what, input->file);
}

enum masing_status output_check_inputs(const struct call *call, const char *option,
                                       const struct output_list *outputs,
                                       const struct input_list *inputs,
                                       struct masing_error *error)
{
    for (int i = 0; i < outputs->count * inputs->count; i++) {
        const struct output *output = &outputs->values[i / inputs->count];
        const struct input_file *input = &inputs->values[i % inputs->count];
        const char *file;
        for (int k = 0; (file = written_file(call->pool, output, k)) != NULL; k++) {
            if (output_is_same_file(file, input->file)) {
                return refuse_input(call, option, output->file, k > 0 ? file : NULL, input,
                                    error);
            }
        }
        file = strcmp(output->file, "-") != 0 ? find_numbered(call->pool, output, input->file)
                                              : NULL;
        if (file) {
            return refuse_input(call, option, output->file, file, input, error);
        }
    }
    return MASING_OK;
}

/* Whether two files of a command line would be one, or one the companion of the other. */
static enum masing_status check_pair(struct pool *pool, const struct output *a,
                                     const struct output *b, struct masing_error *error)
{
    if (output_is_same_file(a->file, b->file)) {
        return masing_error_set(error, MASING_INVALID, "-o %s stands twice", a->file);
    }
    for (int i = 0; i < N_PARTS; i++) {
        if (output_is_same_file(output_file_of_part(pool, a, parts[i]), b->file)) {
            return masing_error_set(error, MASING_INVALID, "-o %s is written beside -o %s",
                                    b->file, a->file);
        }
    }
    return MASING_OK;
}

enum masing_status output_parse(struct pool *pool, const struct text_list *files,
                                unsigned kinds, struct output_list *outputs,
                                struct masing_error *error)
{
    *outputs = (struct output_list){
        .pool = pool,
        .count = files->count > 0 ? files->count : 1,
        .values = pool_take(pool, (size_t)files->count + 1, sizeof *outputs->values),
        .sinks = pool_take(pool, 1, sizeof *outputs->sinks),
    };
    outputs->values[0] = (struct output){.file = "-", .ending = ""};
    for (int i = 0; i < files->count; i++) {
        struct output *output = &outputs->values[i];
        NEED(parse_file(files->values[i], kinds, output, error));
        if (output->format == OUTPUT_REPORT && !outputs->report) {
            NEED(masing_report_create(&outputs->report, error));
        }
        for (int j = 0; j < i; j++) {
            NEED(check_pair(pool, output, &outputs->values[j], error));
            NEED(check_pair(pool, &outputs->values[j], output, error));
        }
    }
    return MASING_OK;
}

enum masing_status output_parse_others(struct pool *pool, const struct text_list *files,
                                       const char *const *known, struct output_list *outputs,
                                       struct masing_error *error)
{
    const char *list = known[0];
    for (int i = 1; known[i]; i++) {
        list = pool_format(pool, "%s, %s", list, known[i]);
    }
    *outputs = (struct output_list){
        .pool = pool,
        .count = files->count,
        .values = pool_take(pool, (size_t)files->count + 1, sizeof *outputs->values),
        .sinks = pool_take(pool, 1, sizeof *outputs->sinks),
    };
    for (int i = 0; i < files->count; i++) {
        const char *file = files->values[i], *ending = strrchr(name_of(file), '.');
        outputs->values[i] = (struct output){.file = file, .ending = ending};
        if (!ending || option_index(ending, known) < 0) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "-o %s: the ending does not name a format; known endings: "
                                    "%s",
                                    file, list);
        }
        for (int j = 0; j < i; j++) {
            NEED(check_pair(pool, &outputs->values[i], &outputs->values[j], error));
        }
    }
    return MASING_OK;
}
