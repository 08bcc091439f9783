/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log beside the result: what it says the run is, and what of it an earlier run has done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/processes.h"
#include "cli/single_run.h"
#include "masing/journal.h"

/* Options that change no result. */
static const char *const of_no_result[] = {"--resume", "--threads", "--quiet", NULL};

/* One line: a line feed as "\n", a backslash as two. */
static const char *line_of(struct pool *pool, const char *text)
{
    char *line = pool_take(pool, 2 * strlen(text) + 1, 1), *at = line;
    for (const char *c = text; *c; c++) {
        if (*c == '\n' || *c == '\\') {
            *at++ = '\\';
        }
        *at++ = *c == '\n' ? 'n' : *c;
    }
    return line;
}

const char *run_log_text(struct pool *pool, const char *line)
{
    char *text = pool_take(pool, strlen(line) + 1, 1), *at = text;
    for (const char *c = line; *c; c++) {
        bool is_pair = *c == '\\' && c[1];
        *at++ = !is_pair ? *c : c[1] == 'n' ? '\n' : c[1];
        c += is_pair;
    }
    return text;
}

/* By their names; those of one name stay in their order. */
static const char *list_options(const struct call *call)
{
    struct pool *pool = call->pool;
    int n = call->options.count;
    bool *is_listed = pool_take(pool, (size_t)n + 1, sizeof *is_listed);
    const char *lines = "";
    for (int k = 0; k < n; k++) {
        int next = -1;
        for (int i = 0; i < n; i++) {
            const char *name = call->options.values[i];
            bool is_before = next < 0 || strcmp(name, call->options.values[next]) < 0;
            next = !is_listed[i] && is_before ? i : next;
        }
        is_listed[next] = true;
        if (option_index(call->options.values[next], of_no_result) < 0) {
            lines = pool_format(pool, "%soption %s: %s\n", lines, call->options.values[next],
                                line_of(pool, call->values.values[next]));
        }
    }
    return lines;
}

/* The model as it is resolved, where it came from standard input. */
static enum masing_status sum_model(const struct single_run *single, unsigned long long *sum,
                                    struct masing_error *error)
{
    char *text = NULL;
    const struct override_list *overrides = single->input.overrides;
    NEED(masing_document_resolved(single->input.document, overrides->values, overrides->count,
                                  &text, error));
    *sum = masing_checksum(text, strlen(text), 0);
    free(text);
    return MASING_OK;
}

/* All that results depend on, a line each. */
static enum masing_status describe(const struct single_run *single, const char **header,
                                   struct masing_error *error)
{
    const struct call *call = single->call;
    struct pool *pool = call->pool;
    unsigned long long sum = 0;
    const char *lines = pool_format(pool, "version: %s\ncommand: %s\n%s", masing_version(),
                                    call->command->name, list_options(call));
    if (strcmp(call->operands.values[0], "-") == 0) {
        NEED(sum_model(single, &sum, error));
        lines = pool_format(pool, "%sstandard input: %016llx\n", lines, sum);
    }
    for (int i = 0; i < single->inputs.count; i++) {
        const struct input_file *input = &single->inputs.values[i];
        NEED(masing_file_checksum(input->file, &sum, error));
        lines = pool_format(pool, "%sfile %s %s: %016llx\n", lines, input->what,
                            line_of(pool, input->file), sum);
    }
    *header = lines;
    return MASING_OK;
}

/* A device, a pipe: nothing is left of them to go on with. */
static bool can_have_log(const char *file)
{
    struct stat state;
    return strcmp(file, "-") != 0 && (stat(file, &state) != 0 || S_ISREG(state.st_mode));
}

/* The text of a file; NULL: there is none. */
static char *read_text(struct pool *pool, const char *file)
{
    struct stat state;
    FILE *stream = stat(file, &state) == 0 && S_ISREG(state.st_mode) ? fopen(file, "rb") : NULL;
    char *text = stream ? pool_take(pool, (size_t)state.st_size + 1, 1) : NULL;
    if (stream) {
        text[fread(text, 1, (size_t)state.st_size, stream)] = '\0';
        fclose(stream);
    }
    return text;
}

/* The lines of a key's list, as put_list writes them, one behind the other. */
static const char *list_of(struct pool *pool, const char *record, const char *key)
{
    const char *end, *line = strstr(record, pool_format(pool, "\n%s:\n", key));
    const char *lines = "";
    line = line ? line + strlen(key) + 3 : "";
    for (; strncmp(line, "  - \"", 5) == 0 && (end = strchr(line, '\n')); line = end + 1) {
        lines = pool_format(pool, "%s%.*s\n", lines, (int)(end - line) - 6, line + 5);
    }
    return lines;
}

static bool are_files_there(const struct single_run *single)
{
    struct stat state;
    bool are = true;
    for (int i = 0; i < single->outputs.count; i++) {
        const struct output *output = &single->outputs.values[i];
        are = are && (output->format == OUTPUT_FIELD || stat(output->file, &state) == 0);
    }
    for (const struct output_sink *sink = output_first(&single->outputs); sink;
         sink = sink->next) {
        const char *file;
        for (int i = 0; (file = output_sink_file(sink, i)) != NULL; i++) {
            are = are && stat(file, &state) == 0;
        }
    }
    return are;
}

/* With the lines of this run, as the record would have them. */
static enum masing_status compare(const struct single_run *single, const char *name,
                                  const char *then, struct masing_error *error)
{
    struct pool *pool = single->call->pool;
    struct masing_error reason = {0};
    const struct text_list lines = option_split(pool, single->header, '\n');
    const char *now = "";
    for (int i = 0; i < lines.count - 1; i++) {
        const char *quoted = record_quoted(pool, lines.values[i]);
        now = pool_format(pool, "%s%.*s\n", now, (int)strlen(quoted) - 2, quoted + 1);
    }
    return masing_journal_compare(name, then, now, &reason) == MASING_OK
               ? MASING_OK
               : command_refuse(single->call, error, "--resume: %s", reason.message);
}

/* Where there is no log the record says what the files are of. */
static enum masing_status look_at_record(const struct single_run *single, bool *is_done,
                                         struct masing_error *error)
{
    struct pool *pool = single->call->pool;
    const char *name = pool_format(pool, "%s.run.yaml", single->outputs.values[0].file);
    const char *record = read_text(pool, name);
    const char *then = record ? list_of(pool, record, RECORD_DEPENDS) : "";
    if (!*then) {
        return MASING_OK;
    }
    NEED(compare(single, name, then, error));
    *is_done = strstr(record, "\n" RECORD_COMPLETE "\n") && are_files_there(single);
    return MASING_OK;
}

static void tell_done(const struct single_run *single, const char *first)
{
    if (!single->settings->is_quiet) {
        command_say(single->call->command, "nothing is left to do: %s is %s", first,
                    single->earlier == EXIT_DONE ? "complete" : "all that is to be had");
    }
}

/* What the parts were made of is what there is now. */
static enum masing_status compare_parts(const struct single_run *single,
                                        struct masing_error *error)
{
    const struct merged_parts *parts = single->call->parts;
    struct masing_error reason = {0};
    const char *now = parts_header(single->call->pool, single->header, NULL);
    enum masing_status status =
        output_check_inputs(single->call, "-o", &single->outputs, &parts->inputs, error);
    NEED(status);
    return masing_journal_compare(parts->name, parts->header, now, &reason) == MASING_OK
               ? MASING_OK
               : command_refuse(single->call, error, "%s", reason.message);
}

static void tell(const struct single_run *single, const char *file)
{
    const char *kernels = masing_journal_other_kernels(single->journal);
    int n = masing_journal_tasks(single->journal);
    if (n > 0 && !single->settings->is_quiet) {
        command_say(single->call->command, "%s has %d finished %s; the rest is computed", file,
                    n,
                    single->parameter ? "curves"
                    : n == 1          ? "part"
                                      : "parts");
    }
    if (kernels) {
        fprintf(stderr,
                "warning: %s was begun with other numerical kernels (%s): last digits may "
                "differ from those of one run\n",
                file, kernels);
    }
}

static double checkpoint_seconds(void)
{
    const char *seconds = getenv("MASING_CHECKPOINT_SECONDS"); /* for tests */
    return seconds ? strtod(seconds, NULL) : 0.0;
}

static enum masing_status open_log(struct single_run *single, const char *file,
                                   struct masing_error *error)
{
    char kernels[256];
    struct masing_error reason = {0};
    const struct masing_journal_request request = {
        .size = sizeof request,
        .file = file,
        .header = single->header,
        .kernels = masing_kernels(kernels, sizeof kernels),
        .is_resumed = single->settings->is_resumed,
        .checkpoint_seconds = checkpoint_seconds(),
    };
    enum masing_status status = masing_journal_open(&request, &single->journal, &reason);
    if (status == MASING_IO && !request.is_resumed) {
        fprintf(stderr, "warning: %s: the run cannot be resumed\n", reason.message);
        return MASING_OK;
    }
    return status ? command_refuse(single->call, error, "%s%s",
                                   request.is_resumed ? "--resume: " : "", reason.message)
                  : MASING_OK;
}

static enum masing_status open_own(struct single_run *single, bool *is_done,
                                   struct masing_error *error)
{
    struct pool *pool = single->call->pool;
    struct stat state;
    const char *first = single->outputs.values[0].file;
    const char *file = pool_format(pool, "%s.log", first);
    bool is_resumed = single->settings->is_resumed;
    if (single->call->parts) {
        single->journal = single->call->parts->journal;
        NEED(describe(single, &single->header, error));
        return compare_parts(single, error);
    }
    if (!can_have_log(first)) {
        return is_resumed ? command_refuse(single->call, error,
                                           "--resume: there is no log beside %s: -o FILE names "
                                           "the result",
                                           strcmp(first, "-") == 0 ? "standard output" : first)
                          : MASING_OK;
    }
    NEED(describe(single, &single->header, error));
    if (is_resumed && stat(file, &state) != 0) {
        NEED(look_at_record(single, is_done, error));
    }
    if (*is_done) {
        tell_done(single, first);
        return MASING_OK;
    }
    NEED(open_log(single, file, error));
    const char *finished = single->journal ? masing_journal_finished(single->journal) : NULL;
    if (finished && are_files_there(single)) {
        *is_done = true;
        single->earlier = *finished == '0' ? EXIT_DONE : EXIT_STOPPED;
        tell_done(single, first);
        return MASING_OK;
    }
    if (is_resumed) {
        tell(single, file);
        output_remove_left_over(&single->outputs);
    }
    return MASING_OK;
}

/* Its tasks go to all processes, of which the first one alone has a log. */
static enum masing_status share(struct single_run *single, struct masing_error *error)
{
    char kernels[256];
    struct masing_team *team = single->call->processes->team;
    NEED(single->header ? MASING_OK : describe(single, &single->header, error));
    return masing_team_share(team, single->header, masing_kernels(kernels, sizeof kernels),
                             checkpoint_seconds(), &single->journal, error);
}

enum masing_status run_log_open(struct single_run *single, bool *is_done,
                                struct masing_error *error)
{
    const struct processes *processes = single->call->processes;
    if (processes_are_led(processes)) {
        NEED(open_own(single, is_done, error));
    }
    return processes && !*is_done ? share(single, error) : MASING_OK;
}

static void warn_kernels(const struct single_run *single)
{
    const struct processes *processes = single->call->processes;
    const char *kernels = processes ? masing_team_other_kernels(processes->team) : NULL;
    if (kernels) {
        fprintf(stderr,
                "warning: a process has other numerical kernels (%s): last digits may differ "
                "from those of one machine\n",
                kernels);
    }
}

/* That of a part stays, with the status that it ended with. */
void run_log_finish(struct single_run *single, enum masing_status status,
                    enum exit_status result)
{
    warn_kernels(single);
    bool is_part = single->settings->shard.n > 0;
    bool is_all = status == MASING_OK || (status > 0 && !single_run_is_interrupted());
    if (!single->journal || single->call->parts) {
        return;
    }
    is_all = is_all && single->outputs.failures.count == 0;
    if (is_part && is_all) {
        masing_journal_finish(single->journal, result == EXIT_DONE ? "0" : "1", NULL);
    } else if ((!is_part && result == EXIT_DONE) ||
               masing_journal_tasks(single->journal) == 0) { /* there is nothing in it */
        masing_journal_finish(single->journal, NULL, NULL);
    }
}

void run_log_close(struct single_run *single)
{
    struct masing_error reason = {0};
    if (single->call->parts) {
        return; /* they stay with who lent them */
    }
    if (single->journal && masing_journal_check(single->journal, &reason) != MASING_OK) {
        fprintf(stderr, "warning: %s: the run cannot be resumed from here\n", reason.message);
    }
    masing_journal_close(single->journal);
    single->journal = NULL;
}
