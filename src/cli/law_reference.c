/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/law_reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/law_example.h"
#include "cli/law_text.h"

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

void law_reference_table(const struct text_table *table, bool is_markdown)
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

static const char *const heads[] = {"parameter", "unit", "range", "default", "meaning"};

static void print_fields(struct pool *pool, const struct masing_field *fields, int n_fields,
                         bool is_markdown)
{
    struct text_table table = {.pool = pool, .n_columns = 5};
    for (int i = 0; i < 5; i++) {
        text_table_add(&table, "%s", heads[i]);
    }
    for (int i = 0; i < n_fields; i++) {
        const struct masing_field *field = &fields[i];
        text_table_add(&table, is_markdown ? "`%s`" : "%s", field->name);
        text_table_add(&table, "%s", *field->unit ? field->unit : "-");
        text_table_add(&table, "%s", range_of(pool, field));
        text_table_add(&table, "%s", default_of(pool, field));
        text_table_add(&table, "%s", field->help);
    }
    law_reference_table(&table, is_markdown);
}

/* "terms, loading.terms" of all fields that hold the same records */
static const char *names_of(struct pool *pool, const struct masing_law *law,
                            const struct masing_records *records, bool is_markdown)
{
    const char *names = "";
    for (int i = 0; i < law->n_fields; i++) {
        if (law->fields[i].type == MASING_FIELD_RECORDS && law->fields[i].records == records) {
            names = pool_format(pool, is_markdown ? "%s%s`%s`" : "%s%s%s", names,
                                *names ? ", " : "", law->fields[i].name);
        }
    }
    return names;
}

static bool is_first_with(const struct masing_law *law, int index)
{
    for (int i = 0; i < index; i++) {
        if (law->fields[i].type == MASING_FIELD_RECORDS &&
            law->fields[i].records == law->fields[index].records) {
            return false;
        }
    }
    return true;
}

/* What a list of mappings consists of, once for all fields that hold such lists. */
static void print_records(struct pool *pool, const struct masing_law *law, bool is_markdown)
{
    for (int i = 0; i < law->n_fields; i++) {
        const struct masing_field *field = &law->fields[i];
        if (field->type == MASING_FIELD_RECORDS && is_first_with(law, i)) {
            printf("\neach mapping of %s:\n\n",
                   names_of(pool, law, field->records, is_markdown));
            print_fields(pool, field->records->fields, field->records->n_fields, is_markdown);
        }
    }
}

static void print_constants(struct pool *pool, const struct masing_law *law,
                            const void *parameters, bool is_markdown)
{
    struct text_table table = {.pool = pool, .n_columns = 4};
    text_table_add(&table, "derived constant");
    text_table_add(&table, "unit");
    text_table_add(&table, "in the example");
    text_table_add(&table, "meaning");
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
        law_reference_table(&table, is_markdown);
    }
}

static void print_example(struct pool *pool, const struct masing_law *law,
                          const void *parameters, bool is_markdown)
{
    char energy[80], caution[400];
    const char *sentence =
        parameters && law->caution ? law->caution(parameters, caution, sizeof caution) : NULL;
    const char *where =
        parameters ? law_text_energy(law, parameters, energy, sizeof energy) : NULL;
    printf("\nexample:\n\n%sjoints:\n%s%s", is_markdown ? "```yaml\n" : "",
           law_example_entry(pool, law), is_markdown ? "```\n" : "");
    if (where) {
        printf("\nThe example can create energy %s.\n", where);
    }
    if (sentence) {
        printf("\nThe example's warning: %s\n", sentence);
    }
}

static const char *rate_of(const struct masing_law *law)
{
    if (law->needs_velocity && law->is_rate_dependent) {
        return "rate dependent with some parameters";
    }
    return law->needs_velocity ? "rate dependent" : "rate independent";
}

static void print_remarks(const struct masing_law *law)
{
    printf("%s%s%s\n", rate_of(law), law->phases ? "; exact phases (forces: exact)" : "",
           law->may_create_energy ? "; may create energy" : "");
}

/* "axes: normal, tangential, tangential_2" */
static void print_axes(const struct masing_law *law, bool is_markdown)
{
    for (int a = 0; law->axis_names && a < law->n_axes; a++) {
        printf("%s%s", a > 0 ? ", " : is_markdown ? "- axes: " : "axes: ", law->axis_names[a]);
    }
    fputs(law->axis_names ? "\n" : "", stdout);
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

void law_reference_print(struct pool *pool, const struct masing_law *law, bool is_markdown)
{
    struct law_example example = law_example_open(pool, law);
    printf("%s%s\n%s%s\n\n", is_markdown ? "### " : "", law->name, is_markdown ? "\n" : "",
           law->summary);
    print_indented(law->equation);
    printf("\n%sfamily: %s (%s)\n", is_markdown ? "- " : "", law->family->name,
           law->family->summary);
    printf("%ssource: %s\n", is_markdown ? "- " : "", law->source);
    print_axes(law, is_markdown);
    fputs(is_markdown ? "- " : "", stdout);
    print_remarks(law);
    puts("");
    print_fields(pool, law->fields, law->n_fields, is_markdown);
    print_records(pool, law, is_markdown);
    print_example(pool, law, example.parameters, is_markdown);
    print_constants(pool, law, example.parameters, is_markdown);
    law_example_close(&example);
}
