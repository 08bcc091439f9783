/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/field.h"

#include <string.h>

#include "tap.h"

struct thing {
    double real;
    int integer;
    bool boolean;
    int choice;
    struct masing_list list;
    double absent;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct masing_field fields[] = {
    {.name = "real",
     .unit = "N/m",
     .type = MASING_FIELD_REAL,
     .open_ends = MASING_OPEN_MAXIMUM,
     .minimum = 0.0,
     .maximum = 1.0,
     .fallback = 0.25,
     .help = "",
     .offset = offsetof(struct thing, real)},
    {.name = "integer",
     .unit = "",
     .type = MASING_FIELD_INTEGER,
     .minimum = 1.0,
     .maximum = INFINITY,
     .fallback = 7.0,
     .help = "",
     .offset = offsetof(struct thing, integer)},
    {.name = "boolean",
     .unit = "",
     .type = MASING_FIELD_BOOLEAN,
     .minimum = 0.0,
     .maximum = 1.0,
     .fallback = 1.0,
     .help = "",
     .offset = offsetof(struct thing, boolean)},
    {.name = "choice",
     .unit = "",
     .type = MASING_FIELD_CHOICE,
     .minimum = 0.0,
     .maximum = 2.0,
     .fallback = 2.0,
     .choices = colours,
     .help = "",
     .offset = offsetof(struct thing, choice)},
    {.name = "list",
     .unit = "m",
     .type = MASING_FIELD_LIST,
     .minimum = -INFINITY,
     .maximum = INFINITY,
     .fallback = NAN,
     .help = "",
     .offset = offsetof(struct thing, list)},
    {.name = "absent",
     .unit = "",
     .type = MASING_FIELD_REAL,
     .open_ends = MASING_OPEN_MINIMUM,
     .minimum = -INFINITY,
     .maximum = -1.0,
     .fallback = NAN,
     .help = "",
     .offset = offsetof(struct thing, absent)},
};

enum { N_FIELDS = sizeof fields / sizeof *fields };

static void reset_sets_fallbacks(void)
{
    struct thing thing;
    memset(&thing, 0x55, sizeof thing);
    masing_fields_reset(fields, N_FIELDS, &thing);
    CHECK(thing.real == 0.25 && thing.integer == 7 && thing.boolean && thing.choice == 2);
    CHECK(thing.list.count == 0 && isnan(thing.absent));
    for (int i = 0; i < 4; i++) {
        CHECK(masing_field_value(&fields[i], &thing) == fields[i].fallback);
    }
    CHECK(isnan(masing_field_value(&fields[4], &thing)));
}

static void fields_are_found_by_their_whole_name(void)
{
    CHECK(masing_field_find(fields, N_FIELDS, "choice") == 3);
    CHECK(masing_field_find(fields, N_FIELDS, "choic") == -1);
    CHECK(masing_field_find(fields, N_FIELDS, "") == -1);
}

static void ranges_read_well(void)
{
    char text[64];
    CHECK(strcmp(masing_field_range(&fields[0], text, sizeof text), "in [0, 1)") == 0);
    CHECK(strcmp(masing_field_range(&fields[1], text, sizeof text), ">= 1") == 0);
    CHECK(strcmp(masing_field_range(&fields[2], text, sizeof text), "true or false") == 0);
    CHECK(strcmp(masing_field_range(&fields[3], text, sizeof text),
                 "one of red, green, blue") == 0);
    struct masing_field list = fields[4];
    CHECK(strcmp(masing_field_range(&list, text, sizeof text), "1 to 16 finite numbers") == 0);
    list.max_count = 2;
    list.minimum = 0.0;
    list.open_ends = MASING_OPEN_MINIMUM;
    CHECK(strcmp(masing_field_range(&list, text, sizeof text), "1 or 2 numbers, each > 0") ==
          0);
    list.max_count = 1;
    CHECK(strcmp(masing_field_range(&list, text, sizeof text), "1 number > 0") == 0);
    CHECK(strcmp(masing_field_range(&fields[5], text, sizeof text), "<= -1") == 0);
    CHECK(strcmp(masing_field_range(&fields[3], text, 10), "one of re") == 0);
}

static bool refuses(int index, double value, const char *message)
{
    struct thing thing;
    masing_fields_reset(fields, N_FIELDS, &thing);
    struct thing before = thing;
    struct masing_error error = {0};
    enum masing_status status = masing_field_store(&fields[index], value, &thing, &error);
    bool good = status == MASING_INVALID && strcmp(error.message, message) == 0;
    if (!good) {
        printf("# status %d, message: %s\n", status, error.message);
    }
    return good && memcmp(&before, &thing, sizeof thing) == 0;
}

static void wrong_values_are_refused(void)
{
    CHECK(refuses(0, 1.0, "'real' must be in [0, 1) N/m, not 1"));
    CHECK(refuses(0, -1e-9, "'real' must be in [0, 1) N/m, not -1e-09"));
    CHECK(refuses(0, NAN, "'real' must be a finite number, not nan"));
    CHECK(refuses(1, INFINITY, "'integer' must be a finite number, not inf"));
    CHECK(refuses(1, 1.5, "'integer' must be an integer, not 1.5"));
    CHECK(refuses(1, 1e12, "'integer' must be an integer, not 1e+12"));
    CHECK(refuses(1, 0.0, "'integer' must be >= 1, not 0"));
    CHECK(refuses(2, 0.5, "'boolean' must be true or false, not 0.5"));
    CHECK(refuses(3, 1.0, "'choice' must be a word, not 1"));
    CHECK(refuses(4, 1.0, "'list' must be a list, not 1"));
    CHECK(refuses(5, 0.0, "'absent' must be <= -1, not 0"));
}

static void right_values_are_stored(void)
{
    struct thing thing;
    masing_fields_reset(fields, N_FIELDS, &thing);
    CHECK(masing_field_store(&fields[0], 0.0, &thing, NULL) == MASING_OK && thing.real == 0.0);
    CHECK(masing_field_store(&fields[1], 3.0, &thing, NULL) == MASING_OK && thing.integer == 3);
    CHECK(masing_field_store(&fields[2], 0.0, &thing, NULL) == MASING_OK && !thing.boolean);
    CHECK(masing_field_store(&fields[5], -2.0, &thing, NULL) == MASING_OK &&
          thing.absent == -2.0);
}

/* An open end does not belong to the range, a closed one does. */
static void ends_of_ranges(void)
{
    for (int ends = 0; ends < 4; ends++) {
        struct masing_field field = fields[0];
        struct thing thing;
        field.minimum = 0.5;
        field.maximum = 2.0;
        field.open_ends = ends;
        bool is_open_below = ends & MASING_OPEN_MINIMUM,
             is_open_above = ends & MASING_OPEN_MAXIMUM;
        CHECK((masing_field_store(&field, 0.5, &thing, NULL) == MASING_INVALID) ==
              is_open_below);
        CHECK((masing_field_store(&field, 2.0, &thing, NULL) == MASING_INVALID) ==
              is_open_above);
        CHECK(masing_field_store(&field, 1.0, &thing, NULL) == MASING_OK);
    }
}

static const struct tap_test tests[] = {
    {"reset sets every field to its fallback", reset_sets_fallbacks},
    {"fields are found by their whole name", fields_are_found_by_their_whole_name},
    {"ranges read well", ranges_read_well},
    {"ends of ranges", ends_of_ranges},
    {"wrong values are refused and change nothing", wrong_values_are_refused},
    {"right values are stored", right_values_are_stored},
};

TAP_MAIN(tests)
