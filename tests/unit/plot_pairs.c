/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of pairs: from where they are seen, what is drawn and what is named. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "masing/table.h"
#include "scratch.h"
#include "tap.h"

static const struct masing_column columns[] = {
    {"joint", MASING_COLUMN_TEXT},    {"node", MASING_COLUMN_INTEGER},
    {"role", MASING_COLUMN_TEXT},     {"x", MASING_COLUMN_REAL},
    {"y", MASING_COLUMN_REAL},        {"z", MASING_COLUMN_REAL},
    {"normal_x", MASING_COLUMN_REAL}, {"normal_y", MASING_COLUMN_REAL},
    {"normal_z", MASING_COLUMN_REAL}, {"pressure", MASING_COLUMN_REAL},
    {"status", MASING_COLUMN_TEXT},
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

static void send_pressed(const struct masing_sink *sink, const char *joint, int node,
                         const char *role, const double at[3], const double normal[3],
                         double pressure, const char *status)
{
    struct masing_cell cells[N_COLUMNS] = {{.text = joint}, {.number = node}, {.text = role}};
    for (int d = 0; d < 3; d++) {
        cells[3 + d].number = at[d];
        cells[6 + d].number = normal ? normal[d] : NAN;
    }
    cells[9].number = pressure;
    cells[10].text = status;
    CHECK(sink->row(sink->context, cells, NULL) == MASING_OK);
}

static void send(const struct masing_sink *sink, const char *joint, int node, const char *role,
                 const double at[3], const double normal[3])
{
    send_pressed(sink, joint, node, role, at, normal, NAN, "");
}

/* Two by four nodes in the plane of two vectors, a pair each; then one node that found none. */
static void send_plane(const struct masing_sink *sink, const char *joint, const double along[3],
                       const double across[3], const double normal[3])
{
    double at[3];
    for (int i = 0; i < 9; i++) {
        for (int d = 0; d < 3; d++) {
            at[d] = 0.1 * (i % 2) * across[d] + 0.1 * (double)(i / 2) * along[d];
        }
        send(sink, joint, 100 + i, i < 8 ? "from" : "unmatched", at, i < 8 ? normal : NULL);
        if (i < 8) {
            send(sink, joint, 200 + i, "to", at, NULL);
        }
    }
}

static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};

static char *draw(void (*fill)(const struct masing_sink *))
{
    const struct masing_plot_settings settings = {.kind = MASING_PLOT_PAIRS, .title = "Pads"};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];
    struct masing_sink sink;
    struct masing_error error = {0};
    char *text = NULL;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.svg", folder);
    if (CHECK(masing_plot_create(file, &settings, &sink, &error) == MASING_OK)) {
        CHECK(sink.open(sink.context, columns, N_COLUMNS, &error) == MASING_OK);
        fill(&sink);
        CHECK(sink.finish(sink.context, &error) == MASING_OK);
        sink.destroy(sink.context);
        text = scratch_read(file, NULL);
    }
    remove(file);
    rmdir(folder);
    return text;
}

/* In this order: the axis across the sheet, the upright one, nodes, the caption, the legend. */
static void check_words(void (*fill)(const struct masing_sink *), const char *const *words)
{
    char *text = draw(fill);
    const char *at = text;
    if (CHECK(text != NULL)) {
        CHECK(!strstr(text, "nan") && !strstr(text, "inf"));
        for (; at && *words; words++) {
            at = strstr(at, *words);
            if (!CHECK(at != NULL)) {
                printf("# lacks %s\n", *words);
            }
        }
    }
    free(text);
}

static void flat(const struct masing_sink *sink)
{
    static const double down[3] = {0, 0, -1};
    send_plane(sink, "pad", x, y, down);
}

static void standing(const struct masing_sink *sink)
{
    send_plane(sink, "wall", z, x, y);
}

static void tilted(const struct masing_sink *sink)
{
    static const double along[3] = {0.8, 0, -0.6}, normal[3] = {0.6, 0, 0.8};
    send_plane(sink, "ramp", along, y, normal);
}

/* Pairs around a shaft along z look in all directions. */
static void round_a_shaft(const struct masing_sink *sink)
{
    for (int i = 0; i < 8; i++) {
        double angle = 0.25 * acos(-1.0) * i, normal[3] = {cos(angle), sin(angle), 0};
        double at[3] = {0.5 * normal[0], 0.5 * normal[1], 0.1 * (i % 2)};
        send(sink, "bush", i + 1, "from", at, normal);
    }
}

static void one_alone(const struct masing_sink *sink)
{
    send(sink, "pin", 7, "from", x, x);
}

static void many(const struct masing_sink *sink)
{
    char name[16];
    for (int i = 0; i < 11; i++) {
        snprintf(name, sizeof name, "pad %d", i);
        send_plane(sink, name, x, y, z);
    }
}

/* A pressure that rises along x, from none at the first two. */
static void pressed(const struct masing_sink *sink)
{
    for (int i = 0; i < 8; i++) {
        const double at[3] = {0.1 * (double)(i / 2), 0.1 * (i % 2), 0};
        send_pressed(sink, "pad", i + 1, "from", at, z, 1e6 * (double)(i / 2),
                     i < 2 ? "open" : "sticks");
    }
}

static void evenly_pressed(const struct masing_sink *sink)
{
    for (int i = 0; i < 8; i++) {
        const double at[3] = {0.1 * (double)(i / 2), 0.1 * (i % 2), 0};
        send_pressed(sink, "pad", i + 1, "from", at, z, 5e6, "sticks");
    }
}

static void nothing(const struct masing_sink *sink)
{
    (void)sink;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; at && (at = strstr(at, what)) != NULL; at++) {
        n++;
    }
    return n;
}

/* Discs have the colours of their pressures: those of none the first one, open ones grey. */
static void pressure_is_a_colour(void)
{
    static const char *const of_pressed[] = {">pad: 8 pairs, static pressure (10⁶ Pa)<",
                                             ">2 open<", ">3.0<", NULL};
    static const char *const of_even[] = {">pad: 8 pairs<", ">8 of 'from'<", NULL};
    check_words(pressed, of_pressed);
    check_words(evenly_pressed, of_even);
    char *text = draw(pressed), *even = draw(evenly_pressed);
    CHECK(text && count(text, "#d9d9d9") == 3); /* two and one in the legend */
    CHECK(even && count(even, "#d9d9d9") == 0 && !strstr(even, "pressure"));
    free(text);
    free(even);
}

static void seen_along_the_normal(void)
{
    static const char *const of_flat[] = {
        ">x (m)<",       ">y (m)<",        ">108<", ">pad: 8 pairs<",
        ">8 of 'from'<", ">1 found none<", NULL,
    };
    static const char *const of_standing[] = {">z (m)<", ">x (m)<", ">wall: 8 pairs<", NULL};
    static const char *const of_tilted[] = {">along (0.8, 0, -0.6) (m)<", ">y (m)<", NULL};
    static const char *const of_shaft[] = {">x (m)<", ">y (m)<", ">bush: 8 pairs<", NULL};
    check_words(flat, of_flat);
    check_words(standing, of_standing);
    check_words(tilted, of_tilted);
    check_words(round_a_shaft, of_shaft);
}

static void few_and_many(void)
{
    static const char *const of_one[] = {">pin: 1 pair<", NULL};
    static const char *const of_many[] = {">pad 7: 8 pairs<", ">and 3 more joints<", NULL};
    static const char *const of_none[] = {">no pairs<", NULL};
    check_words(one_alone, of_one);
    check_words(many, of_many);
    check_words(nothing, of_none);
}

static const struct tap_test tests[] = {
    {"pairs are seen along their normal", seen_along_the_normal},
    {"one pair, many joints, none", few_and_many},
    {"pressure is a colour", pressure_is_a_colour},
};

TAP_MAIN(tests)
