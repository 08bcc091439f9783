/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "masing/table.h"

enum { MOST_SHOWN = 12, END_TEXT = MASING_PAIR_NODES * 48 };

void pairs_print(const struct masing_joint_group *entry, int width)
{
    int n = entry->n_unmatched;
    if (!entry->pairs) {
        return;
    }
    printf("  %-*s %d pairs\n", width, "surfaces", entry->n_joints);
    if (n > 0) {
        printf("  %-*s %d node%s that found none:", width, "", n, n == 1 ? "" : "s");
        for (int i = 0; i < n && i < MOST_SHOWN; i++) {
            printf(" %d", entry->unmatched[i]);
        }
        printf(n > MOST_SHOWN ? " and %d more\n" : "\n", n - MOST_SHOWN);
    }
}

bool pairs_are_there(const struct masing_spec *spec)
{
    bool are_there = false;
    for (int g = 0; g < spec->n_groups; g++) {
        are_there = are_there || spec->groups[g].pairs;
    }
    return are_there;
}

/* A joint's name as a part of a file's name */
static const char *part_of(struct pool *pool, const char *name)
{
    char *part = pool_format(pool, "%s", name);
    for (char *slash = strchr(part, '/'); slash; slash = strchr(slash, '/')) {
        *slash = '_';
    }
    return part;
}

enum masing_status pairs_note_files(struct single_run *single, const char *file,
                                    struct masing_error *error)
{
    struct pool *pool = single->call->pool;
    const struct masing_spec *spec = single->input.spec;
    struct output_list *files = &single->others;
    size_t length = strlen(file);
    if (length < 5 || strcmp(file + length - 4, ".csv") != 0) {
        return command_refuse(single->call, error, "--pairs: expected FILE.csv, found '%.80s'",
                              file);
    }
    const struct output whole = {.file = file, .ending = file + length - 4};
    files->values = pool_take(pool, (size_t)spec->n_groups + 1, sizeof *files->values);
    for (int g = 0; g < spec->n_groups; g++) {
        if (spec->groups[g].pairs) {
            const char *part = part_of(pool, spec->groups[g].name);
            const char *own = output_file_of_part(pool, &whole, part);
            files->values[files->count++] =
                (struct output){.file = own, .ending = own + strlen(own) - 4};
        }
    }
    if (files->count == 0) {
        return command_refuse(single->call, error,
                              "--pairs: no joint has 'surfaces', whose pairs could be written");
    }
    if (files->count == 1) {
        files->values[0] = whole;
    }
    single->others_option = "--pairs";
    for (int i = 0; i < files->count * single->outputs.count; i++) {
        const char *output = single->outputs.values[i % single->outputs.count].file;
        const char *other = files->values[i / single->outputs.count].file;
        if (output_is_same_file(output, other)) {
            return command_refuse(single->call, error, "-o %s would be written over --pairs %s",
                                  output, other);
        }
    }
    return MASING_OK;
}

static const struct masing_column columns[] = {
    {"from", MASING_COLUMN_TEXT},     {"to", MASING_COLUMN_TEXT},
    {"normal_x", MASING_COLUMN_REAL}, {"normal_y", MASING_COLUMN_REAL},
    {"normal_z", MASING_COLUMN_REAL}, {"area", MASING_COLUMN_REAL},
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* A weight that reads back as the same number */
static const char *put_end(const struct masing_surface_pair *pair, char text[END_TEXT])
{
    size_t n = 0;
    if (pair->n_to == 0) {
        return "ground";
    }
    for (int k = 0; k < pair->n_to; k++) {
        n += (size_t)snprintf(text + n, END_TEXT - n, "%s%d", k ? " " : "", pair->to[k]);
        if (pair->n_to > 1) {
            n += (size_t)snprintf(text + n, END_TEXT - n, ":%.17g", pair->weights[k]);
        }
    }
    return text;
}

static enum masing_status write_entry(const struct masing_joint_group *entry,
                                      const struct masing_sink *sink,
                                      struct masing_error *error)
{
    int n_columns = entry->pairs[0].area > 0.0 ? N_COLUMNS : N_COLUMNS - 1;
    NEED(sink->open(sink->context, columns, n_columns, error));
    for (int i = 0; i < entry->n_joints; i++) {
        const struct masing_surface_pair *pair = &entry->pairs[i];
        char from[16], to[END_TEXT];
        snprintf(from, sizeof from, "%d", pair->from);
        const struct masing_cell cells[N_COLUMNS] = {
            {.number = NAN, .text = from}, {.number = NAN, .text = put_end(pair, to)},
            {.number = pair->normal[0]},   {.number = pair->normal[1]},
            {.number = pair->normal[2]},   {.number = pair->area},
        };
        NEED(sink->row(sink->context, cells, error));
    }
    return sink->finish(sink->context, error);
}

enum masing_status pairs_write(const struct single_run *single, struct masing_error *error)
{
    const struct masing_spec *spec = single->input.spec;
    enum masing_status status = MASING_OK;
    for (int g = 0, i = 0; g < spec->n_groups && i < single->others.count && !status; g++) {
        struct masing_sink sink = {0};
        if (spec->groups[g].pairs) {
            status = masing_csv_create(single->others.values[i++].file, &sink, error);
            status = status ? status : write_entry(&spec->groups[g], &sink, error);
            if (sink.destroy) {
                sink.destroy(sink.context);
            }
        }
    }
    return status;
}
