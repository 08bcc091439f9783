/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The joint laws: a list, or one of them in full. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/law_reference.h"
#include "masing/suggest.h"

struct law_settings {
    bool is_markdown;
};

static void list_laws(struct pool *pool, bool is_markdown)
{
    struct text_table table = {.pool = pool, .n_columns = 3};
    text_table_add(&table, "law");
    text_table_add(&table, "family");
    text_table_add(&table, "summary");
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        text_table_add(&table, is_markdown ? "`%s`" : "%s", (*law)->name);
        text_table_add(&table, "%s", (*law)->family->name);
        text_table_add(&table, "%s", (*law)->summary);
    }
    law_reference_table(&table, is_markdown);
    for (const struct masing_law *const *law = masing_laws(); is_markdown && *law; law++) {
        puts("");
        law_reference_print(pool, *law, true);
    }
}

static enum exit_status run_law(const struct call *call, const void *settings)
{
    const struct law_settings *wanted = settings;
    if (call->operands.count == 0) {
        list_laws(call->pool, wanted->is_markdown);
        return EXIT_DONE;
    }
    const char *name = call->operands.values[0];
    const struct masing_law *law = masing_law_find(name);
    if (!law) {
        char text[MASING_SUGGESTION_LENGTH];
        struct masing_suggestion suggestion = masing_suggest_begin(name);
        for (const struct masing_law *const *known = masing_laws(); *known; known++) {
            masing_suggest_consider(&suggestion, (*known)->name);
        }
        say(call->command, "unknown law '%.80s'%s; 'masing law' lists the laws", name,
            masing_suggest_text(&suggestion, text, sizeof text));
        return EXIT_WRONG;
    }
    law_reference_print(call->pool, law, wanted->is_markdown);
    return EXIT_DONE;
}

static const struct option law_options[] = {
    {"--markdown", NULL, "as Markdown; without NAME every law in full", option_store_flag,
     offsetof(struct law_settings, is_markdown)},
    {0},
};

const struct command command_law = {
    .name = "law",
    .operands = "[NAME]",
    .max_operands = 1,
    .summary = "list the joint laws, or one law's parameters, units, ranges and source",
    .options = {law_options},
    .settings_size = sizeof(struct law_settings),
    .run = run_law,
};
