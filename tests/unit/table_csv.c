/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of numbers and lists of names. */
#include <stdlib.h>
#include <string.h>

#include "data/table_csv.h"
#include "scratch.h"
#include "tap.h"

static const struct csv_column columns[] = {{.name = "frequency_hz", .is_required = true},
                                            {.name = "amplitude", .is_required = true},
                                            {.name = "phase_deg", .fallback = 90.0}};

static char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];

static void write_file(const char *text)
{
    FILE *stream = fopen(file, "wb");
    if (!stream || fputs(text, stream) < 0 || fclose(stream)) {
        perror(file);
        exit(99);
    }
}

static void columns_are_found_by_name(void)
{
    struct csv_table table;
    write_file(
        "# a comment\namplitude, frequency_hz\r\n1.5 , 10\r\n\r\n# more\n2,20\n-3e1,\t30");
    CHECK(csv_table_read(file, columns, 3, CSV_OTHERS_REFUSED, &table, NULL) == MASING_OK);
    if (CHECK(table.n_rows == 3)) {
        const double *rows = table.values;
        CHECK(rows[0] == 10 && rows[1] == 1.5 && rows[2] == 90);
        CHECK(rows[6] == 30 && rows[7] == -30 && rows[8] == 90);
        CHECK(table.lines[0] == 3 && table.lines[1] == 6 && table.lines[2] == 7);
    }
    csv_table_clear(&table);
}

static void words_stand_beside_numbers(void)
{
    static const struct csv_column mixed[] = {{.name = "from", .is_text = true},
                                              {.name = "to", .is_text = true},
                                              {.name = "area", .fallback = 0.5}};
    struct csv_table table;
    write_file("area, to\n2, n1.x\n , ground\n3,\n");
    CHECK(csv_table_read(file, mixed, 3, CSV_OTHERS_REFUSED, &table, NULL) == MASING_OK);
    if (CHECK(table.n_rows == 3 && table.n_columns == 3)) {
        CHECK(!table.is_present[0] && table.is_present[1] && table.is_present[2]);
        CHECK(!strcmp(table.texts[1], "n1.x") && !strcmp(table.texts[4], "ground"));
        CHECK(!strcmp(table.texts[0], "") && !strcmp(table.texts[7], ""));
        CHECK(table.values[2] == 2 && table.values[5] == 0.5 && table.values[8] == 3);
        CHECK(table.lines[0] == 2 && table.lines[2] == 4);
        CHECK(table.places[1] == 4 && table.places[5] == 0 && table.places[7] == 0);
    }
    csv_table_clear(&table);
}

static void other_columns_are_read_or_ignored(void)
{
    struct csv_table table;
    write_file("b,phase_deg,a,amplitude,frequency_hz\n1,2,3,4,5\n6,,7,8,9\n");
    CHECK(csv_table_read(file, columns, 3, CSV_OTHERS_NUMBERS, &table, NULL) == MASING_OK);
    if (CHECK(table.n_rows == 2 && table.n_columns == 5)) {
        CHECK(!strcmp(table.names[3], "b") && csv_table_find(&table, "a") == 4);
        CHECK(csv_table_find(&table, "amplitude") == 1 && csv_table_find(&table, "c") == -1);
        CHECK(csv_table_number(&table, 0, 3) == 1 && csv_table_number(&table, 1, 4) == 7);
        CHECK(csv_table_number(&table, 0, 2) == 2 && csv_table_number(&table, 1, 2) == 90);
        double *copied;
        CHECK(csv_table_copy(&table, 0, 2, 0, &copied, NULL) == MASING_OK);
        CHECK(copied && copied[0] == 5 && copied[1] == 9);
        free(copied);
    }
    csv_table_clear(&table);
    write_file("x,amplitude,x,frequency_hz\nword,4,other,5\n");
    CHECK(csv_table_read(file, columns, 3, CSV_OTHERS_IGNORED, &table, NULL) == MASING_OK);
    if (CHECK(table.n_rows == 1 && table.n_columns == 3)) {
        CHECK(csv_table_number(&table, 0, 0) == 5 && csv_table_number(&table, 0, 1) == 4);
    }
    csv_table_clear(&table);
}

static void wrong_tables_are_refused_where_they_are_wrong(void)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", ":1:1: the file is empty"},
        {"# only\n", ":1:1: a header line"},
        {"frequency_hz\n1\n", ":1:1: column 'amplitude' is missing"},
        {"frequency_hz,amplitud\n",
         ":1:14: unknown column 'amplitud' (did you mean 'amplitude'"},
        {"frequency_hz,amplitude,amplitude\n", ":1:24: column 'amplitude' stands here twice"},
        {"frequency_hz;amplitude\n", ":1:1: unknown column 'frequency_hz;amplitude'"},
        {"frequency_hz,amplitude\n1\n", ":2:2: expected 2 fields as in the header, found 1"},
        {"frequency_hz,amplitude\n1,0,5\n", ":2:5: more fields than the 2 of the header"},
        {"frequency_hz,amplitude\n1,x\n", ":2:3: amplitude: 'x' is not a number"},
        {"frequency_hz,amplitude\n1,\n", ":2:3: amplitude: '' is not a number"},
        {"frequency_hz,amplitude\n1,nan\n",
         ":2:3: amplitude: 'nan' is not a number: expected a f"},
        {"frequency_hz,amplitude\n1,\"2\"\n", ":2:3: amplitude: '\"2\"' is not a number"},
        {"frequency_hz,amplitude\n1,2\x01\n", ":2:4: not a text file"},
        {"frequency_hz,amplitude\n1,\xC3\n", ":2:3: not a text file: not UTF-8 (byte 0xC3)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct masing_error error = {0};
        struct csv_table table;
        write_file(bad[i].text);
        bool is_refused = CHECK(csv_table_read(file, columns, 3, CSV_OTHERS_REFUSED, &table,
                                               &error) == MASING_INVALID);
        const char *place = error.message + strlen(file);
        bool says_why = CHECK(strlen(error.message) > strlen(file) &&
                              !strncmp(place, bad[i].message, strlen(bad[i].message)));
        if (!is_refused || !says_why) {
            printf("# %s# %s\n", bad[i].text, error.message);
        }
        csv_table_clear(&table);
        CHECK(!table.values && !table.lines);
    }
}

static void names_stand_on_lines(void)
{
    struct csv_table names;
    write_file("\xEF\xBB\xBF"
               "w1\r\n  r1 \n\n# comment\nü x");
    CHECK(csv_table_read_names(file, &names, NULL) == MASING_OK);
    if (CHECK(names.n_rows == 3)) {
        CHECK(!strcmp(names.texts[0], "w1") && !strcmp(names.texts[1], "r1") &&
              !strcmp(names.texts[2], "ü x"));
        CHECK(names.lines[0] == 1 && names.lines[1] == 2 && names.lines[2] == 5);
    }
    csv_table_clear(&names);
}

static const struct tap_test tests[] = {
    {"columns are found by name", columns_are_found_by_name},
    {"words stand beside numbers", words_stand_beside_numbers},
    {"other columns are read or ignored", other_columns_are_read_or_ignored},
    {"wrong tables are refused where they are wrong",
     wrong_tables_are_refused_where_they_are_wrong},
    {"names stand on lines", names_stand_on_lines},
};

int main(void)
{
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/t", folder);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    remove(file);
    rmdir(folder);
    return result;
}
