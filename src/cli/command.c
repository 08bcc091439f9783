/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands, their help, and the way from arguments to settings and to an exit status. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/processes.h"
#include "cli/single_run.h"
#include "masing/suggest.h"

const struct command *const *command_list(void)
{
    static const struct command *const list[] = {
        &command_check,     &command_frf,         &command_study,
        &command_sample,    &command_peak,        &command_mode,
        &command_integrate, &command_compare,     &command_ringdown,
        &command_loop,      &command_identify,    &command_law,
        &command_reduce,    &command_merge_parts, NULL};
    return list;
}

/* ---- messages ---- */

void command_say(const struct command *command, const char *format, ...)
{
    va_list arguments;
    char text[MASING_MESSAGE_LENGTH];
    struct masing_error line = {0}; /* in which nothing is left that a terminal obeys */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    masing_error_set(&line, MASING_INVALID, "%s", text);
    fprintf(stderr, command ? "masing %s: %s\n" : "masing: %s%s\n",
            command ? command->name : "", line.message);
}

enum masing_status command_refuse(const struct call *call, struct masing_error *error,
                                  const char *format, ...)
{
    char what[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return masing_error_set(error, MASING_INVALID, "masing %s: %s", call->command->name, what);
}

enum masing_status command_choose(const struct call *call, const char *option, const char *word,
                                  const char *const *words, int *index,
                                  struct masing_error *error)
{
    const char *list = words[0];
    int found = word ? option_index(word, words) : *index;
    if (found >= 0) {
        *index = found;
        return MASING_OK;
    }
    for (int i = 1; words[i]; i++) {
        list = pool_format(call->pool, "%s, %s", list, words[i]);
    }
    return command_refuse(call, error, "%s: '%.40s' is none of %s", option, word, list);
}

enum exit_status command_report(const struct call *call, enum masing_status status,
                                const struct masing_error *error, bool has_results)
{
    if (status == MASING_OK) {
        return EXIT_DONE;
    }
    const char *message = error->message[0] ? error->message : masing_status_name(status);
    if (status == MASING_INVALID) {
        fprintf(stderr, "%s\n",
                message); /* FILE:LINE:COLUMN stands first, as editors like it */
    } else if (status == MASING_STOPPED || status > 0) {
        command_say(call->command, "stopped early: %s", message);
    } else {
        command_say(call->command, "%s", message);
    }
    bool is_input_wrong =
        status == MASING_INVALID || status == MASING_UNSUPPORTED || status == MASING_IO;
    return is_input_wrong && !has_results ? EXIT_WRONG : EXIT_STOPPED;
}

/* ---- help, made from the tables ---- */

enum { HELP_COLUMN = 28, COMMAND_COLUMN = 12 };

void command_help(void)
{
    printf("masing %s: frequency responses of structures with friction joints\n\n"
           "usage: masing COMMAND MODEL.yaml [OPTIONS]\n\ncommands:\n",
           masing_version());
    for (const struct command *const *command = command_list(); *command; command++) {
        printf("  %-*s %s\n", COMMAND_COLUMN, (*command)->name, (*command)->summary);
    }
    puts("\n'masing COMMAND --help' lists the options of a command.\n\n"
         "Exit status: 0 done; 1 the analysis stopped early (what was computed is kept);\n"
         "2 the command line, the model or a data file is wrong, and nothing was computed.");
}

static void print_option(const struct option *option)
{
    char left[80];
    if (!option->help) {
        return;
    }
    snprintf(left, sizeof left, "%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    printf("  %-*s", HELP_COLUMN, left);
    const char *line = option->help;
    if (strlen(left) >= HELP_COLUMN) {
        printf("\n  %*s", HELP_COLUMN, "");
    }
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        printf("%.*s\n  %*s", (int)(end - line), line, HELP_COLUMN, "");
    }
    puts(line);
}

static void help_command(const struct command *command)
{
    printf("usage: masing %s %s [OPTIONS]\n\n%s\n", command->name, command->operands,
           command->summary);
    if (command->details) {
        printf("\n%s\n", command->details);
    }
    puts("\noptions:");
    for (int i = 0; i < MOST_OPTION_TABLES && command->options[i]; i++) {
        for (const struct option *option = command->options[i]; option->name; option++) {
            print_option(option);
        }
    }
    if (command->steps && command->steps->is_shared) {
        printf("  %-*sdo not share the work with processes of mpirun\n", HELP_COLUMN,
               PROCESSES_NONE);
    }
    printf("  %-*sprint this\n", HELP_COLUMN, "--help, -h");
}

/* ---- arguments ---- */

static const struct option *find_option(const struct command *command, const char *name,
                                        size_t length)
{
    for (int i = 0; i < MOST_OPTION_TABLES && command->options[i]; i++) {
        for (const struct option *option = command->options[i]; option->name; option++) {
            if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) {
                return option;
            }
        }
    }
    return NULL;
}

static void refuse_option(const struct call *call, const char *name)
{
    char text[MASING_SUGGESTION_LENGTH];
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    masing_suggest_consider(&suggestion, "--help");
    for (int i = 0; i < MOST_OPTION_TABLES && call->command->options[i]; i++) {
        const struct option *option = call->command->options[i];
        for (; option->name; option++) {
            masing_suggest_consider(&suggestion, option->name);
        }
    }
    command_say(call->command, "unknown option '%.80s'%s; 'masing %s --help' lists the options",
                name, masing_suggest_text(&suggestion, text, sizeof text), call->command->name);
}

struct parser {
    struct call *call;
    unsigned char *settings;
    int n_arguments, next;
    char **arguments;
};

/* One option and, if it takes one, its argument: "--at X", "--at=X", "-o X", "-oX". */
static bool parse_option(struct parser *parser)
{
    const char *word = parser->arguments[parser->next++];
    bool is_long = word[1] == '-';
    const char *sign = is_long ? strchr(word, '=') : NULL;
    size_t length = sign ? (size_t)(sign - word) : is_long ? strlen(word) : 2;
    const struct command *command = parser->call->command;
    const struct option *option = find_option(command, word, length);
    if (!option || (!option->argument && word[length] && !is_long)) {
        refuse_option(parser->call, pool_format(parser->call->pool, "%.*s",
                                                is_long ? (int)length : 80, word));
        return false;
    }
    const char *text = sign ? sign + 1 : word[length] ? word + length : NULL;
    if (!option->argument && text) {
        command_say(command, "%s takes no value, but '%.80s' was given", option->name, text);
        return false;
    }
    if (option->argument && !text) {
        if (parser->next == parser->n_arguments) {
            command_say(command, "%s needs a value: %s %s", option->name, option->name,
                        option->argument);
            return false;
        }
        text = parser->arguments[parser->next++];
    }
    struct masing_error error = {0};
    if (option->store(parser->call->pool, text, parser->settings + option->offset, &error)) {
        command_say(command, "%s: %s", option->name, error.message);
        return false;
    }
    option_store_texts(parser->call->pool, option->name, &parser->call->options, NULL);
    option_store_texts(parser->call->pool, text ? text : "", &parser->call->values, NULL);
    return true;
}

static bool parse(struct parser *parser)
{
    struct call *call = parser->call;
    bool are_options_over = false;
    while (parser->next < parser->n_arguments) {
        const char *word = parser->arguments[parser->next];
        if (!are_options_over && strcmp(word, "--") == 0) {
            are_options_over = true;
            parser->next++;
        } else if (!are_options_over && word[0] == '-' && word[1]) {
            if (!parse_option(parser)) {
                return false;
            }
        } else {
            option_store_texts(call->pool, word, &call->operands, NULL);
            parser->next++;
        }
    }
    const struct command *command = call->command;
    int most = command->max_operands > 0 ? command->max_operands : 1;
    if (call->operands.count == 0 && command->operands[0] != '[') {
        command_say(command, "%s is missing; usage: masing %s %s [OPTIONS]", command->operands,
                    command->name, command->operands);
        return false;
    }
    if (call->operands.count > most) {
        command_say(command, "'%.80s' is one argument too many; usage: masing %s %s [OPTIONS]",
                    call->operands.values[most], command->name, command->operands);
        return false;
    }
    return true;
}

static bool has_help_option(int n_arguments, char **arguments)
{
    for (int i = 0; i < n_arguments && strcmp(arguments[i], "--") != 0; i++) {
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

const char *command_given(const struct call *call, const char *options)
{
    const struct text_list list = option_split(call->pool, options, ' ');
    for (int i = 0; i < list.count; i++) {
        for (int j = 0; j < call->options.count; j++) {
            if (strcmp(list.values[i], call->options.values[j]) == 0) {
                return list.values[i];
            }
        }
    }
    return NULL;
}

/* Processes share the processors of their machine. */
static void share_processors(const struct processes *processes, void *settings)
{
    struct common_settings *common = settings;
    if (processes && common->n_threads == 0) {
        common->n_threads = masing_team_threads(processes->team);
    }
}

static enum exit_status run_call(const struct command *command, int n_arguments,
                                 char **arguments, const struct merged_parts *parts,
                                 const struct text_list *recorded, struct processes *processes)
{
    struct pool pool = {NULL};
    struct call call = {.command = command,
                        .pool = &pool,
                        .parts = parts,
                        .processes = processes && processes->team ? processes : NULL};
    for (int i = 0; recorded && i < recorded->count; i++) {
        option_store_texts(&pool, recorded->values[i], &call.arguments, NULL);
    }
    struct parser parser = {
        .call = &call,
        .settings = pool_take(&pool, 1, command->settings_size),
        .n_arguments = n_arguments,
        .arguments = arguments,
    };
    enum exit_status result = EXIT_WRONG;
    if (parse(&parser)) {
        share_processors(call.processes, parser.settings);
        result = command->run ? command->run(&call, parser.settings)
                              : single_run(&call, parser.settings, command->steps, NULL);
    }
    pool_release(&pool);
    return result;
}

enum exit_status command_merge(const struct command *command, int n_arguments, char **arguments,
                               const struct merged_parts *parts,
                               const struct text_list *recorded)
{
    return run_call(command, n_arguments, arguments, parts, recorded, NULL);
}

/* Taken from among the options of any command; how many arguments are left. */
static int take_no_mpi(int n_arguments, char **arguments, bool *is_given)
{
    int n = 0;
    bool are_options_over = false;
    *is_given = false;
    for (int i = 0; i < n_arguments; i++) {
        bool is_it = !are_options_over && strcmp(arguments[i], PROCESSES_NONE) == 0;
        are_options_over = are_options_over || strcmp(arguments[i], "--") == 0;
        *is_given = *is_given || is_it;
        arguments[n] = arguments[i];
        n += !is_it;
    }
    return n;
}

enum exit_status command_call(const struct command *command, int n_arguments, char **arguments)
{
    bool is_alone;
    struct processes processes = {0};
    if (has_help_option(n_arguments, arguments)) {
        help_command(command);
        return EXIT_DONE;
    }
    n_arguments = take_no_mpi(n_arguments, arguments, &is_alone);
    if (!is_alone && !processes_join(command, &processes)) {
        return EXIT_WRONG;
    }
    struct pool pool = {NULL};
    struct text_list recorded = {0};
    option_store_texts(&pool, command->name, &recorded, NULL);
    for (int i = 0; i < n_arguments; i++) {
        if (strcmp(arguments[i], "--resume") != 0) { /* the record is that of one run */
            option_store_texts(&pool, arguments[i], &recorded, NULL);
        }
    }
    enum exit_status result =
        run_call(command, n_arguments, arguments, NULL, &recorded, &processes);
    pool_release(&pool);
    bool is_first = processes_are_led(&processes);
    processes_leave(&processes);
    return is_first ? result : EXIT_DONE;
}
