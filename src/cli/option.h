/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option tables. A row says how an option is spelt, what it takes, what it means, and how its
 * text is stored; the parser, `--help` and the tests all go by the table.
 */
#ifndef MASING_CLI_OPTION_H
#define MASING_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/model.h"
#include "masing/stability.h"

/* Return what fails: whatever a command takes is released when it ends. */
#define NEED(expression)                                                                       \
    do {                                                                                       \
        enum masing_status needed_status = (expression);                                       \
        if (needed_status != MASING_OK) {                                                      \
            return needed_status;                                                              \
        }                                                                                      \
    } while (0)

/* Memory that lives as long as one command: taken piece by piece, released at once. */
struct pool {
    struct pool_block *last;
};

/* Zeroed memory; ends the program with status 1 where there is none. */
void *pool_take(struct pool *pool, size_t count, size_t size);
char *pool_format(struct pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void pool_release(struct pool *pool);

/* Store the text of an option at @p target; the message needs no mention of the option. */
typedef enum masing_status option_store(struct pool *pool, const char *text, void *target,
                                        struct masing_error *error);

struct option {
    const char *name;     /* "--at", "-o"; NULL ends a table */
    const char *argument; /* "HZ,HZ,..."; NULL for a flag */
    const char *help;     /* one line, or lines parted by "\n"; NULL: known, but not listed */
    option_store *store;
    size_t offset; /* into the settings of the command */
};

/* Values that options store. */
struct text_list {
    int count;
    const char **values;
};

struct real_list {
    int count;
    double *values;
};

/* A number without a default: every value may be given. */
struct given_real {
    bool is_given;
    double value;
};

struct override_list {
    int count;
    struct masing_override *values;
};

/* N,M,... */
struct count_list {
    int count;
    int *values;
};

/* NAME=FROM:TO, or NAME=SPEC with values */
struct parameter_range {
    const char *name;
    double from, to;          /* of `peak` and --along */
    struct real_list values;  /* of `peak` monotonic; none: steps are chosen */
    const char *const *words; /* [values.count] of --vary in their place, or NULL */
    bool is_log;              /* by SPEC */
};

/* K/N, from 1; n 0: all */
struct shard {
    int k, n;
};

/* of `peak`, at most two */
struct parameter_ranges {
    int count;
    struct parameter_range values[2];
};

/* A whole text that is one finite decimal number. */
enum masing_status option_read_real(const char *text, double *number,
                                    struct masing_error *error);
/* The pieces between separators; a copy of @p text is cut up. */
struct text_list option_split(struct pool *pool, const char *text, char separator);
/* Which of a NULL-terminated list of words; -1: none. */
int option_index(const char *text, const char *const *words);
/* So many values, both ends among them exactly. */
struct real_list option_range(struct pool *pool, double from, double to, int count,
                              bool is_log);

/* words of the bits of masing_extra_columns, the lowest first, NULL at the end */
extern const char *const option_groups[];
extern const char *const option_measures[]; /* words of enum masing_measure, NULL at the end */

/* An array that grows one by one, with room for one more. */
void *option_grow(struct pool *pool, void *values, int count, size_t size);

option_store option_store_flag;     /* bool */
option_store option_store_text;     /* const char * */
option_store option_store_texts;    /* struct text_list, repeatable */
option_store option_store_count;    /* int, at least 1 */
option_store option_store_seed;     /* unsigned long long */
option_store option_store_given;    /* struct given_real */
option_store option_store_positive; /* double, above 0 */
option_store option_store_reals;    /* struct real_list, repeatable; numbers above 0 */
option_store option_store_values;   /* struct real_list, SPEC of numbers above 0 */
option_store option_store_override; /* struct override_list, repeatable */
option_store option_store_vary;     /* struct parameter_range, SPEC alone */
option_store option_store_span;     /* struct parameter_range, FROM:TO alone */
option_store option_store_ranges;   /* struct parameter_ranges, repeatable */
option_store option_store_counts;   /* struct count_list, repeatable */
option_store option_store_columns;  /* unsigned, masing_extra_columns */
option_store option_store_shard;    /* struct shard */

/* Options that several commands share; their settings begin with a struct common_settings. */
struct common_settings {
    struct override_list overrides; /* --set */
    struct text_list outputs;       /* -o */
    bool is_quiet;
    bool is_resumed;    /* --resume */
    struct shard shard; /* --shard */
    /* responses only */
    struct real_list at; /* frequencies, amplitudes, values of what varies */
    unsigned columns;
    int n_threads; /* 0: as many as there are processors */
    bool is_log_y;
    bool is_checked;        /* --check-harmonics */
    double check_tolerance; /* 0: the default */
    int n_starts;
    enum masing_stability_method stability;
    bool has_branches; /* --branches */
    const char *joint; /* whose loops a picture shows */
};

/* Whether values between the ends are better spread by ratios. */
bool option_spans_ratios(const struct parameter_range *range);

/* Leave a part of the values, dealt out one after another; MASING_INVALID where there are fewer
 * than parts. */
enum masing_status option_take_shard(struct pool *pool, const struct shard *shard,
                                     struct parameter_range *range, struct masing_error *error);

/* Rows for commands that keep a log, and for those whose values can be dealt out. */
#define OPTION_RESUME                                                                          \
    {                                                                                          \
        "--resume", NULL,                                                                      \
            "go on where an interrupted or killed run of the same\n"                           \
            "command has ended, by the log beside its result,\n"                               \
            "FILE.log; the files are those of one run",                                        \
            option_store_flag, offsetof(struct common_settings, is_resumed)                    \
    }

#define OPTION_SHARD                                                                           \
    {                                                                                          \
        "--shard", "K/N",                                                                      \
            "compute the K-th of N parts of the values, to be put\n"                           \
            "together by masing merge",                                                        \
            option_store_shard, offsetof(struct common_settings, shard)                        \
    }

extern const struct option model_options[];    /* --set */
extern const struct option output_options[];   /* -o, --quiet */
extern const struct option single_options[];   /* --columns, --threads of other analyses */
extern const struct option response_options[]; /* --at, --columns, --threads, pictures */

/* The most branches to follow. */
int option_branches(const struct common_settings *settings);

#endif
