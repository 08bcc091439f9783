/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help made from the tables. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "masing/status.h"

enum { HELP_COLUMN = 28, COMMAND_COLUMN = 12 };

void help_program(void)
{
    printf("masing %s: frequency responses of structures with friction joints\n\n"
           "usage: masing COMMAND MODEL.yaml [OPTIONS]\n\ncommands:\n",
           masing_version());
    for (const struct command *const *command = commands(); *command; command++) {
        printf("  %-*s %s\n", COMMAND_COLUMN, (*command)->name, (*command)->summary);
    }
    puts("\n'masing COMMAND --help' lists the options of a command.\n\n"
         "Exit status: 0 done; 1 the analysis stopped early (what was computed is kept);\n"
         "2 the command line, the model or a data file is wrong, and nothing was computed.");
}

static void print_option(const struct option *option)
{
    char left[80];
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

void help_command(const struct command *command)
{
    printf("usage: masing %s%s%s [OPTIONS]\n\n%s\n", command->name,
           *command->operands ? " " : "", command->operands, command->summary);
    if (command->details) {
        printf("\n%s\n", command->details);
    }
    puts("\noptions:");
    for (int i = 0; i < MOST_OPTION_TABLES && command->options[i]; i++) {
        for (const struct option *option = command->options[i]; option->name; option++) {
            print_option(option);
        }
    }
    printf("  %-*sprint this\n", HELP_COLUMN, "--help");
}
