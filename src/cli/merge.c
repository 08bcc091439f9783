/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a study, a sample or a map, computed by --shard, become the files of one run: the
 * same command once more, with all that its tasks have found taken from the logs of the parts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/single_run.h"
#include "masing/journal.h"

struct merging {
    const struct call *call;
    int n; /* parts */
    const struct text_list *files;
    struct masing_journal **logs; /* [n] in the order of the parts; NULL: not there yet */
    struct merged_parts parts;
    const char *unread; /* why the first log could not be read that could not; or NULL */
};

/* "option NAME: VALUE" and the like: what stands behind, or NULL. */
static const char *behind(const char *line, const char *start)
{
    size_t n = strlen(start);
    return strncmp(line, start, n) == 0 ? line + n : NULL;
}

const char *parts_header(struct pool *pool, const char *header, const char **shard)
{
    const struct text_list lines = option_split(pool, header, '\n');
    const char *common = "";
    for (int i = 0; i < lines.count - 1; i++) {
        const char *part = behind(lines.values[i], "option --shard: ");
        if (part && shard) {
            *shard = part;
        } else if (!part && !behind(lines.values[i], "option -o: ")) {
            common = pool_format(pool, "%s%s\n", common, lines.values[i]);
        }
    }
    return common;
}

static enum masing_status refuse_part(const struct merging *merging, const char *file,
                                      const char *what, struct masing_error *error)
{
    return command_refuse(merging->call, error, "%s: %s", file, what);
}

/* A log takes its place among the parts; it is closed where it has none. */
static enum masing_status place_log(struct merging *merging, const char *file,
                                    struct masing_journal *log, struct masing_error *error)
{
    struct pool *pool = merging->call->pool;
    const char *text = NULL;
    const char *header = parts_header(pool, masing_journal_header(log), &text);
    struct shard shard = {0};
    struct masing_error reason = {0};
    if (!text || option_store_shard(pool, text, &shard, &reason) != MASING_OK) {
        return refuse_part(merging, file, "it is no part: it was not computed with --shard",
                           error);
    }
    if (!merging->logs) {
        merging->n = shard.n;
        merging->logs = pool_take(pool, (size_t)shard.n, sizeof(struct masing_journal *));
        merging->parts.name = file;
        merging->parts.header = header;
    }
    if (shard.n != merging->n) {
        return refuse_part(
            merging, file,
            pool_format(pool, "it is part %s, the others are of %d", text, merging->n), error);
    }
    if (merging->logs[shard.k - 1]) {
        return refuse_part(merging, file, pool_format(pool, "part %s stands twice", text),
                           error);
    }
    if (masing_journal_compare(merging->parts.name, merging->parts.header, header, &reason)) {
        return refuse_part(merging, file, reason.message, error);
    }
    if (!masing_journal_finished(log)) {
        return refuse_part(
            merging, file,
            pool_format(pool, "part %s is not finished: --resume goes on with it", text),
            error);
    }
    merging->logs[shard.k - 1] = log;
    return MASING_OK;
}

static void note_input(struct merging *merging, const char *file)
{
    struct input_list *inputs = &merging->parts.inputs;
    inputs->values =
        option_grow(merging->call->pool, inputs->values, inputs->count, sizeof *inputs->values);
    inputs->values[inputs->count++] = (struct input_file){"the part", file};
}

static enum masing_status read_parts(struct merging *merging, struct masing_error *error)
{
    struct pool *pool = merging->call->pool;
    for (int i = 0; i < merging->files->count; i++) {
        const char *file = merging->files->values[i];
        const char *name = pool_format(pool, "%s.log", file);
        struct masing_journal *log = NULL;
        struct masing_error reason = {0};
        enum masing_status read = masing_journal_read(name, &log, &reason);
        if (read == MASING_IO) { /* the part that is missing has a number */
            const char *message = pool_format(pool, "%s", reason.message);
            merging->unread = merging->unread ? merging->unread : message;
            continue;
        }
        NEED(read ? command_refuse(merging->call, error, "%s", reason.message) : MASING_OK);
        const char *of_part = file;
        for (int k = 1; of_part; k++) { /* its log and its tables among them */
            note_input(merging, of_part);
            of_part = output_written_file(pool, file, k);
        }
        enum masing_status status = place_log(merging, file, log, error);
        if (status != MASING_OK) {
            masing_journal_close(log);
            return status;
        }
    }
    for (int k = 0; k < merging->n; k++) {
        if (!merging->logs[k]) {
            return command_refuse(merging->call, error, "part %d/%d is missing%s%s", k + 1,
                                  merging->n, merging->unread ? ": " : "",
                                  merging->unread ? merging->unread : "");
        }
    }
    return merging->n > 0 ? MASING_OK
                          : command_refuse(merging->call, error, "%s", merging->unread);
}

static void warn_kernels(const struct merging *merging)
{
    const char *first = masing_journal_kernels(merging->logs[0]);
    for (int k = 1; k < merging->n; k++) {
        const char *other = masing_journal_kernels(merging->logs[k]);
        if (strcmp(first, other) != 0) {
            fprintf(stderr,
                    "warning: parts 1/%d and %d/%d come from different numerical kernels (%s; "
                    "%s): last digits may differ from those of one run\n",
                    merging->n, k + 1, merging->n, first, other);
            return;
        }
    }
}

/* The command line of the whole run; its command. */
static const struct command *restore(const struct merging *merging,
                                     const struct common_settings *settings,
                                     struct text_list *arguments)
{
    struct pool *pool = merging->call->pool;
    const struct text_list lines = option_split(pool, merging->parts.header, '\n');
    const struct command *found = NULL;
    const char *model = NULL;
    for (int i = 0; i < lines.count - 1; i++) {
        const char *line = lines.values[i], *rest;
        const char *end = strrchr(line, ':');
        if ((rest = behind(line, "command: ")) != NULL) {
            for (const struct command *const *command = command_list(); *command; command++) {
                found = strcmp((*command)->name, rest) == 0 ? *command : found;
            }
        } else if ((rest = behind(line, "file MODEL ")) != NULL && end > rest) {
            model = run_log_text(pool, pool_format(pool, "%.*s", (int)(end - rest), rest));
        } else if ((rest = behind(line, "option ")) != NULL) {
            const char *line_of_value = strstr(rest, ": ") + 2;
            const char *value = run_log_text(pool, line_of_value);
            int length = (int)(line_of_value - rest) - 2;
            option_store_texts(
                pool, pool_format(pool, *value ? "%.*s=%s" : "%.*s", length, rest, value),
                arguments, NULL);
        }
    }
    option_store_texts(pool, model ? model : "-", arguments, NULL);
    for (int i = 0; i < settings->outputs.count; i++) {
        option_store_texts(pool, "-o", arguments, NULL);
        option_store_texts(pool, settings->outputs.values[i], arguments, NULL);
    }
    if (settings->is_quiet) {
        option_store_texts(pool, "--quiet", arguments, NULL);
    }
    return found;
}

static bool reads_standard_input(const struct merging *merging)
{
    return strstr(merging->parts.header, "\nstandard input: ") != NULL;
}

static enum masing_status merge(struct merging *merging, const struct common_settings *settings,
                                enum exit_status *result, struct masing_error *error)
{
    struct text_list arguments = {0};
    NEED(read_parts(merging, error));
    warn_kernels(merging);
    const struct command *command = restore(merging, settings, &arguments);
    if (!command || reads_standard_input(merging)) {
        return command_refuse(merging->call, error,
                              "parts of a model from standard input cannot be put together: "
                              "expected a file");
    }
    struct masing_journal **logs = merging->logs;
    merging->logs = NULL;
    NEED(masing_journal_join(logs, merging->n, &merging->parts.journal, error));
    *result = command_merge(command, arguments.count, (char **)(void *)arguments.values,
                            &merging->parts, &merging->call->arguments);
    masing_journal_close(merging->parts.journal);
    return MASING_OK;
}

static enum exit_status run(const struct call *call, const void *given)
{
    const struct common_settings *settings = given;
    struct masing_error error = {0};
    enum exit_status result = EXIT_DONE;
    struct merging merging = {.call = call, .files = &call->operands};
    enum masing_status status =
        settings->outputs.count > 0
            ? merge(&merging, settings, &result, &error)
            : command_refuse(call, &error, "-o FILE is missing: where the whole goes");
    for (int k = 0; merging.logs && k < merging.n; k++) {
        masing_journal_close(merging.logs[k]);
    }
    return status == MASING_OK ? result : command_report(call, status, &error, false);
}

enum { MOST_PARTS = 100000 };

const struct command command_merge_parts = {
    .name = "merge",
    .operands = "PARTS",
    .max_operands = MOST_PARTS,
    .summary = "put parts of a study, a sample or a map (--shard) together",
    .details = "PARTS are the first files of -o of each part, beside which their logs stand.",
    .options = {output_options},
    .settings_size = sizeof(struct common_settings),
    .run = run,
};
