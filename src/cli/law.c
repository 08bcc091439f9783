/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The joint laws, from their own tables; reference for people (text) and manual (Markdown). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/suggest.h"
#include "cli/text_table.h"
#include "masing/law.h"

struct law_settings {
    bool is_markdown;
};

static const char *default_of(struct pool *pool, const struct masing_field *field)
{
    if (field->is_required) {
        return "required";
    }
    if (isnan(field->fallback)) {
        return "optional";
    }
    if (field->type == MASING_FIELD_BOOLEAN) {
        return field->fallback != 0 ? "true" : "false";
    }
    if (field->type == MASING_FIELD_CHOICE) {
        return field->choices[(int)field->fallback];
    }
    return pool_format(pool, "%g", field->fallback);
}

static const char *range_of(struct pool *pool, const struct masing_field *field)
{
    char text[128];
    if (field->type == MASING_FIELD_CHOICE) {
        const char *all = field->choices[0];
        for (int i = 1; field->choices[i]; i++) {
            all = pool_format(pool, "%s, %s", all, field->choices[i]);
        }
        return all;
    }
    if (field->type == MASING_FIELD_BOOLEAN) {
        return "true, false";
    }
    return pool_format(pool, "%s", masing_field_range(field, text, sizeof text));
}

static void print_table(const struct text_table *table, bool is_markdown)
{
    int n = table->n_columns;
    if (!is_markdown) {
        text_table_print(table, stdout);
        return;
    }
    for (int i = 0; i < table->n_cells; i++) {
        printf("| %s %s", table->cells[i], i % n == n - 1 ? "|\n" : "");
        for (int j = 0; i == n - 1 && j < n; j++) {
            printf("| --- %s", j == n - 1 ? "|\n" : "");
        }
    }
}

static void print_parameters(struct pool *pool, const struct masing_law *law, bool is_markdown)
{
    static const char *const heads[] = {"parameter", "unit", "range", "default", "meaning"};
    struct text_table table = {.pool = pool, .n_columns = 5};
    for (int i = 0; i < 5; i++) {
        text_table_add(&table, "%s", heads[i]);
    }
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        text_table_add(&table, is_markdown ? "`%s`" : "%s", field->name);
        text_table_add(&table, "%s", *field->unit ? field->unit : "-");
        text_table_add(&table, "%s", range_of(pool, field));
        text_table_add(&table, "%s", default_of(pool, field));
        text_table_add(&table, "%s", field->help);
    }
    print_table(&table, is_markdown);
}

static void print_constants(struct pool *pool, const struct masing_law *law, bool is_markdown)
{
    struct text_table table = {.pool = pool, .n_columns = 3};
    text_table_add(&table, "derived constant");
    text_table_add(&table, "unit");
    text_table_add(&table, "meaning");
    for (int i = 0; i < law->n_constants; i++) {
        text_table_add(&table, is_markdown ? "`%s`" : "%s", law->constants[i].name);
        text_table_add(&table, "%s", *law->constants[i].unit ? law->constants[i].unit : "-");
        text_table_add(&table, "%s", law->constants[i].help);
    }
    if (law->n_constants > 0) {
        puts("");
        print_table(&table, is_markdown);
    }
}

static void print_remarks(const struct masing_law *law)
{
    printf("%s%s%s\n", law->needs_velocity ? "rate dependent" : "rate independent",
           law->phases ? "; exact phases (forces: exact)" : "",
           law->may_create_energy ? "; may create energy" : "");
}

/* Each line of an equation stands by itself. */
static void print_indented(const char *text)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        printf("    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static void print_law(struct pool *pool, const struct masing_law *law, bool is_markdown)
{
    const char *mark = is_markdown ? "### " : "";
    printf("%s%s\n%s%s\n\n", mark, law->name, is_markdown ? "\n" : "", law->summary);
    print_indented(law->equation);
    printf("\n%sfamily: %s (%s)\n", is_markdown ? "- " : "", law->family->name,
           law->family->summary);
    printf("%ssource: %s\n", is_markdown ? "- " : "", law->source);
    fputs(is_markdown ? "- " : "", stdout);
    print_remarks(law);
    puts("");
    print_parameters(pool, law, is_markdown);
    print_constants(pool, law, is_markdown);
}

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
    print_table(&table, is_markdown);
    for (const struct masing_law *const *law = masing_laws(); is_markdown && *law; law++) {
        puts("");
        print_law(pool, *law, true);
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
        char text[SUGGESTION_TEXT];
        struct suggestion suggestion = suggestion_begin(name);
        for (const struct masing_law *const *known = masing_laws(); *known; known++) {
            suggestion_consider(&suggestion, (*known)->name);
        }
        say(call->command, "unknown law '%.80s'%s; 'masing law' lists the laws", name,
            suggestion_text(&suggestion, text));
        return EXIT_WRONG;
    }
    print_law(call->pool, law, wanted->is_markdown);
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
