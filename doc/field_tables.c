/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the field table of a section of the model file as Markdown: field_tables SECTION. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "masing/model.h"

static void print_fallback(const struct masing_field *field)
{
    if (field->is_required) {
        printf("required");
    } else if (isnan(field->fallback)) {
        printf("none");
    } else if (field->type == MASING_FIELD_CHOICE) {
        printf("`%s`", field->choices[(int)field->fallback]);
    } else {
        printf("%g", field->fallback);
    }
}

static void print_range(const struct masing_field *field)
{
    char text[128];
    if (field->type != MASING_FIELD_CHOICE) {
        printf("%s", masing_field_range(field, text, sizeof text));
        return;
    }
    for (int i = 0; field->choices[i]; i++) {
        printf("%s`%s`", i > 0 ? ", " : "", field->choices[i]);
    }
}

static void print_table(const struct masing_field *fields, int n_fields)
{
    printf("| key | unit | range | default | meaning |\n| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < n_fields; i++) {
        printf("| `%s` | %s | ", fields[i].name, *fields[i].unit ? fields[i].unit : "-");
        print_range(&fields[i]);
        printf(" | ");
        print_fallback(&fields[i]);
        printf(" | %s |\n", fields[i].help);
    }
}

int main(int n_arguments, char **arguments)
{
    const char *section = n_arguments == 2 ? arguments[1] : "";
    if (strcmp(section, "solver") == 0) {
        print_table(masing_solver_fields, masing_n_solver_fields);
    } else if (strcmp(section, "integration") == 0) {
        print_table(masing_integration_fields, masing_n_integration_fields);
    } else {
        fprintf(stderr, "field_tables: solver or integration, not '%s'\n", section);
        return 2;
    }
    return ferror(stdout) ? 1 : 0;
}
