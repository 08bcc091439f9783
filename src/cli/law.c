/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The joint laws, described from their own tables: a list, or one of them in full. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/law_text.h"
#include "cli/text_table.h"
#include "masing/model.h"

struct law_settings {
    bool is_markdown;
};

/* ---- the example that a law carries ---- */

/* Where the joint of an example acts. */
static const char *place_of(const struct masing_law *law)
{
    if (!law->axis_names) {
        return "    from: ground\n    to: m1\n";
    }
    return strcmp(law->axis_names[0], "normal") == 0
               ? "    normal: {from: ground, to: node.x}\n"
                 "    tangential: [{from: ground, to: node.y}, {from: ground, to: node.z}]\n"
               : "    from: ground\n    to: node\n";
}

/* Each line of a text by four places further in. */
static const char *indented(struct pool *pool, const char *text)
{
    const char *all = "";
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        all = pool_format(pool, "%s    %.*s\n", all, (int)length, line);
        line += length + (line[length] == '\n');
    }
    return all;
}

/* "  - name: joint", "    law: ..." and the example's own lines. */
static const char *example_entry(struct pool *pool, const struct masing_law *law)
{
    return pool_format(pool, "  - name: joint\n    law: %s\n%s%s", law->name, place_of(law),
                       indented(pool, law->example ? law->example : ""));
}

/* The example as the reader of models understands it: its parameters, checked; they belong to
 * @p spec. NULL where it cannot be read. */
static const void *read_example(struct pool *pool, const struct masing_law *law,
                                struct masing_spec *spec)
{
    struct masing_document *document = NULL;
    const char *text = pool_format(pool, "masing: 1\njoints:\n%s", example_entry(pool, law));
    bool is_good =
        masing_document_parse(text, strlen(text), law->name, &document, NULL) == MASING_OK &&
        masing_document_joints(document, NULL, 0, spec, NULL) == MASING_OK;
    masing_document_destroy(document);
    return is_good ? spec->joints[0].parameters : NULL;
}

/* ---- one law in full ---- */

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

/* A table to standard output, its first row being the heads. */
static void print_table(const struct text_table *table, bool is_markdown)
{
    int n = table->n_columns;
    if (!is_markdown) {
        text_table_print(table, stdout);
        return;
    }
    for (int i = 0; i < table->cells.count; i++) {
        printf("| %s %s", table->cells.values[i], i % n == n - 1 ? "|\n" : "");
        for (int j = 0; i == n - 1 && j < n; j++) {
            printf("| --- %s", j == n - 1 ? "|\n" : "");
        }
    }
}

static void print_fields(struct pool *pool, const struct masing_field *fields, int n_fields,
                         bool is_markdown)
{
    struct text_table table = {.pool = pool, .n_columns = 5};
    text_table_add(&table, "parameter\tunit\trange\tdefault\tmeaning");
    for (int i = 0; i < n_fields; i++) {
        const struct masing_field *field = &fields[i];
        text_table_add(&table, is_markdown ? "`%s`" : "%s", field->name);
        text_table_add(&table, "%s\t%s\t%s\t%s", *field->unit ? field->unit : "-",
                       range_of(pool, field), default_of(pool, field), field->help);
    }
    print_table(&table, is_markdown);
}

/* What a list of mappings consists of, once for all fields that hold such lists: "each mapping
 * of terms, loading.terms". */
static void print_records(struct pool *pool, const struct masing_law *law, bool is_markdown)
{
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_records *records = law->fields[i].records;
        const char *names = "";
        bool is_first = law->fields[i].type == MASING_FIELD_RECORDS;
        for (int j = 0; is_first && j < law->n_fields; j++) {
            if (law->fields[j].type == MASING_FIELD_RECORDS &&
                law->fields[j].records == records) {
                is_first = j >= i;
                names = pool_format(pool, is_markdown ? "%s%s`%s`" : "%s%s%s", names,
                                    *names ? ", " : "", law->fields[j].name);
            }
        }
        if (is_first) {
            printf("\neach mapping of %s:\n\n", names);
            print_fields(pool, records->fields, records->n_fields, is_markdown);
        }
    }
}

static void print_constants(struct pool *pool, const struct masing_law *law,
                            const void *parameters, bool is_markdown)
{
    struct text_table table = {.pool = pool, .n_columns = 4};
    text_table_add(&table, "derived constant\tunit\tin the example\tmeaning");
    for (int i = 0; i < law->n_constants; i++) {
        const struct masing_constant *constant = &law->constants[i];
        const void *place = parameters ? (const char *)parameters + constant->offset : NULL;
        text_table_add(&table, is_markdown ? "`%s`" : "%s", constant->name);
        text_table_add(&table, "%s", *constant->unit ? constant->unit : "-");
        text_table_number(&table, "%.6g", place ? *(const double *)place : NAN);
        text_table_add(&table, "%s", constant->help);
    }
    if (law->n_constants > 0) {
        puts("");
        print_table(&table, is_markdown);
    }
}

static void print_example(struct pool *pool, const struct masing_law *law,
                          const void *parameters, bool is_markdown)
{
    char energy[80], text[400];
    struct masing_warning caution;
    const struct masing_warning *one = &caution;
    const char *where =
        parameters ? law_text_energy(law, parameters, false, energy, sizeof energy) : NULL;
    printf("\nexample:\n\n%sjoints:\n%s%s", is_markdown ? "```yaml\n" : "",
           example_entry(pool, law), is_markdown ? "```\n" : "");
    if (where) {
        printf("\nThe example can create energy %s.\n", where);
    }
    if (parameters && law->caution && law->caution(parameters, &caution)) {
        printf("\nThe example's warning: %s\n",
               masing_warning_text(&one, 1, text, sizeof text));
    }
}

/* Everything about one law. */
static void print_law(struct pool *pool, const struct masing_law *law, bool is_markdown)
{
    struct masing_spec spec = {0};
    const void *parameters = read_example(pool, law, &spec);
    const char *item = is_markdown ? "- " : "";
    printf("%s%s\n%s%s\n\n%s", is_markdown ? "### " : "", law->name, is_markdown ? "\n" : "",
           law->summary, indented(pool, law->equation));
    printf("\n%sfamily: %s (%s)\n", item, law->family->name, law->family->summary);
    printf("%ssource: %s\n", item, law->source);
    for (int a = 0; law->axis_names && a < law->n_axes; a++) {
        printf("%s%s%s", a > 0 ? "" : item, a > 0 ? ", " : "axes: ", law->axis_names[a]);
    }
    const char *rate = !law->needs_velocity     ? "rate independent"
                       : law->is_rate_dependent ? "rate dependent with some parameters"
                                                : "rate dependent";
    printf("%s%s%s%s%s\n\n", law->axis_names ? "\n" : "", item, rate,
           law->phases ? "; exact phases (forces: exact)" : "",
           law->gain_is_meant       ? "; may put energy in"
           : law->may_create_energy ? "; may create energy"
                                    : "");
    print_fields(pool, law->fields, law->n_fields, is_markdown);
    print_records(pool, law, is_markdown);
    print_example(pool, law, parameters, is_markdown);
    print_constants(pool, law, parameters, is_markdown);
    masing_spec_clear(&spec);
}

/* ---- the command ---- */

static void list_laws(struct pool *pool, bool is_markdown)
{
    struct text_table table = {.pool = pool, .n_columns = 3};
    text_table_add(&table, "law\tfamily\tsummary");
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        text_table_add(&table, is_markdown ? "`%s`" : "%s", (*law)->name);
        text_table_add(&table, "%s\t%s", (*law)->family->name, (*law)->summary);
    }
    print_table(&table, is_markdown);
    for (const struct masing_law *const *law = masing_laws(); is_markdown && *law; law++) {
        puts("");
        print_law(pool, *law, true);
    }
}

static enum exit_status run_law(const struct call *call, const void *settings)
{
    const struct law_settings *given = settings;
    if (call->operands.count == 0) {
        list_laws(call->pool, given->is_markdown);
        return EXIT_DONE;
    }
    struct masing_error error = {0};
    const struct masing_law *law = law_text_find(call->operands.values[0], &error);
    if (!law) {
        command_say(call->command, "%s", error.message);
        return EXIT_WRONG;
    }
    print_law(call->pool, law, given->is_markdown);
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
    .summary = "list the joint laws, or one law's parameters, units, ranges and source",
    .options = {law_options},
    .settings_size = sizeof(struct law_settings),
    .run = run_law,
};
