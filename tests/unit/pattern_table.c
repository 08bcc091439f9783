/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns kept by their keys: which place each has, who makes room and who stays.
 */
#include <math.h>

#include "tap.h"
#include "transient/pattern/pattern_table.h"

enum { N = 2, KEY = 3 };

static const double stiffness[N] = {4, 9}, damping[N] = {0.1, 0.1}, axes[N] = {1, 1};
static const struct modal_state modal = {.n_modes = N,
                                         .n_axes = 1,
                                         .axes = axes,
                                         .damping = damping,
                                         .n_uncoupled = N,
                                         .stiffness = (double *)stiffness};

static struct pattern_table table;

static void begin(struct arena *arena, const struct pattern_limits *limits)
{
    struct masing_error error = {0};
    CHECK(pattern_table_create(&modal, KEY, limits, arena, &table, &error) == MASING_OK);
}

static void end(struct arena *arena)
{
    pattern_table_clear(&table);
    arena_clear(arena);
}

/* Keys that differ in their last number only. */
static int find(double last, long since)
{
    const double key[KEY] = {0.0, INFINITY, last};
    return pattern_table_find(&table, key, since);
}

static void makes_room(void)
{
    struct arena arena = {0};
    begin(&arena, &(struct pattern_limits){.fewest = 3, .most = 3, .doubles = 1000});
    int a = find(1.0, 0), b = find(2.0, 0), c = find(3.0, 0);
    CHECK(table.n_kept == 3 && a != b && b != c && a != c && table.n_new == 3);
    table.kept[a].state = table.kept[c].state = PATTERN_SOUND;
    CHECK(find(1.0, table.n_used) == a && table.kept[a].state == PATTERN_SOUND);
    CHECK(find(4.0, table.n_used) == b); /* that was used longest ago */
    CHECK(find(5.0, table.n_used) == c && table.kept[c].state == PATTERN_NEW);
    CHECK(find(1.0, table.n_used) == a && table.kept[a].state == PATTERN_SOUND);
    CHECK(table.n_new == 5);
    end(&arena);
}

/* While some are in use the others make room. */
static void stays(void)
{
    struct arena arena = {0};
    begin(&arena, &(struct pattern_limits){.fewest = 2, .most = 2, .doubles = 1000});
    int a = find(1.0, 0), b = find(2.0, 0);
    long since = table.n_used;
    CHECK(find(1.0, since) == a && find(3.0, since) == b);
    CHECK(find(4.0, since) == -1 && table.n_new == 3);
    CHECK(find(1.0, since) == a && find(3.0, since) == b);
    CHECK(find(4.0, table.n_used) == a);
    end(&arena);
}

/* A basis of two modes takes two matrices of 4 x 4. */
static void limits(void)
{
    static const struct {
        size_t doubles;
        int n;
    } cases[] = {{10, 2}, {200, 6}, {100000, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        begin(&arena, &(struct pattern_limits){2, 7, cases[i].doubles});
        CHECK(table.n_kept == cases[i].n);
        end(&arena);
    }
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"the pattern that was used longest ago makes room", makes_room},
        {"patterns in use stay", stays},
        {"as many as there is room for", limits},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
