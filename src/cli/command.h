/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a subcommand is. A file holds one command, or two that share a run; command.c lists
 * them. */
#ifndef MASING_CLI_COMMAND_H
#define MASING_CLI_COMMAND_H

#include <stdbool.h>

#include "cli/option.h"

enum exit_status {
    EXIT_DONE = 0,
    EXIT_STOPPED = 1, /* ended early; what was computed is kept */
    EXIT_WRONG = 2,   /* command line, model or data file; nothing was computed */
};

struct command;
struct single_steps;
struct masing_journal;
struct processes;

/* A file that is read, and as what: "MODEL", "--record". */
struct input_file {
    const char *what, *file;
};

struct input_list {
    int count;
    struct input_file *values;
};

/* Logs of parts of a run that are put together. */
struct merged_parts {
    const char *name;               /* of the first one */
    const char *header;             /* see parts_header */
    struct input_list inputs;       /* the parts and their logs */
    struct masing_journal *journal; /* of all */
};

/* One call of a command. */
struct call {
    const struct command *command;
    struct pool *pool;
    struct text_list operands;
    struct text_list arguments;       /* everything after the program's name, for the record */
    struct text_list options;         /* names of those that were given */
    struct text_list values;          /* of these, in the same order; "" for a flag */
    const struct merged_parts *parts; /* NULL: it is a run of its own */
    struct processes *processes;      /* that share its tasks; or NULL */
};

enum { MOST_OPTION_TABLES = 4 };

struct command {
    const char *name;
    const char *operands;                             /* "MODEL"; "[NAME]" may be left out */
    int max_operands;                                 /* 0: one */
    const char *summary;                              /* one line */
    const char *details;                              /* more lines for its --help, or NULL */
    const struct option *options[MOST_OPTION_TABLES]; /* tables, NULL after the last */
    size_t settings_size;                             /* what their offsets refer to */
    const struct single_steps *steps;                 /* of its one analysis, or ... */
    enum exit_status (*run)(const struct call *call, const void *settings);
};

extern const struct command command_check, command_compare, command_frf, command_identify,
    command_integrate, command_law, command_loop, command_merge_parts, command_mode,
    command_peak, command_reduce, command_ringdown, command_sample, command_study;

/* All commands, in the order of `masing --help`; NULL-terminated. */
const struct command *const *command_list(void);

/* Parse the arguments behind the command's name and run it. */
enum exit_status command_call(const struct command *command, int n_arguments, char **arguments);

/* The same run put together from parts; @p arguments are those that the record has. */
enum exit_status command_merge(const struct command *command, int n_arguments, char **arguments,
                               const struct merged_parts *parts,
                               const struct text_list *recorded);

/* The lines of a header that are the same for all parts of a run; *shard, unless NULL: which
 * part, as the option has it, or NULL. */
const char *parts_header(struct pool *pool, const char *header, const char **shard);
/* run_log.c: the text that a value in a line of the header stands for. */
const char *run_log_text(struct pool *pool, const char *line);

/* `masing --help` */
void command_help(void);

/* "masing: ..." or "masing frf: ..." on standard error. */
void command_say(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The first of some options, "--a --b", that the call has; NULL: none of them. */
const char *command_given(const struct call *call, const char *options);

/* MASING_INVALID "masing frf: ..." */
enum masing_status command_refuse(const struct call *call, struct masing_error *error,
                                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The index of an option's word, or a refusal that names them all; NULL: *index stays. */
enum masing_status command_choose(const struct call *call, const char *option, const char *word,
                                  const char *const *words, int *index,
                                  struct masing_error *error);

/* Print what went wrong, if anything did. has_results: something had been computed and written
 * before. */
enum exit_status command_report(const struct call *call, enum masing_status status,
                                const struct masing_error *error, bool has_results);

#endif
