/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of contacts: what is drawn for patches, groups and single contacts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "masing/table.h"
#include "scratch.h"
#include "tap.h"

static const struct masing_column columns[] = {
    {"preload", MASING_COLUMN_REAL},    {"frequency_hz", MASING_COLUMN_REAL},
    {"event", MASING_COLUMN_TEXT},      {"joint", MASING_COLUMN_TEXT},
    {"element", MASING_COLUMN_INTEGER}, {"y", MASING_COLUMN_REAL},
    {"z", MASING_COLUMN_REAL},          {"area", MASING_COLUMN_REAL},
    {"open", MASING_COLUMN_REAL},       {"stick", MASING_COLUMN_REAL},
    {"slip", MASING_COLUMN_REAL},       {"loss", MASING_COLUMN_REAL},
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

static const struct masing_plot_settings settings = {
    .kind = MASING_PLOT_CONTACTS,
    .title = "A patch",
    .group_column = "preload",
    .group_label = "preload (N)",
};

static void send(const struct masing_sink *sink, double preload, enum masing_event event,
                 const char *joint, int element, double y, double z, double loss)
{
    double open = 0.1 * fmod(element, 5), slip = 0.3 + 0.02 * element;
    slip = fmin(slip, 1 - open);
    const struct masing_cell cells[N_COLUMNS] = {
        {.number = preload},
        {.number = 20.3},
        {.events = MASING_EVENT_BIT(event)},
        {.text = joint},
        {.number = element},
        {.number = y},
        {.number = z},
        {.number = 2e-4},
        {.number = open},
        {.number = 1 - open - slip},
        {.number = slip},
        {.number = loss},
    };
    CHECK(sink->row(sink->context, cells, NULL) == MASING_OK);
}

static void send_patch(const struct masing_sink *sink, double preload, enum masing_event event,
                       int n_y, int n_z)
{
    for (int i = 0; i < n_y; i++) {
        for (int j = 0; j < n_z; j++) {
            double y = 0.02 * (i - 0.5 * (n_y - 1)), z = 0.01 * (j - 0.5 * (n_z - 1));
            send(sink, preload, event, "patch", i * n_z + j + 1, y, z,
                 1e-5 * (1 + i + 0.5 * j));
        }
    }
}

static void send_many(const struct masing_sink *sink, int n)
{
    for (int i = 0; i < n; i++) {
        send(sink, 5, MASING_EVENT_PEAK, "face", i + 1, NAN, NAN, 1e-3 * (2 + sin(0.1 * i)));
    }
}

static void send_singles(const struct masing_sink *sink)
{
    send(sink, 5, MASING_EVENT_PEAK, "left", 1, NAN, NAN, 0.5);
    send(sink, 5, MASING_EVENT_PEAK, "right", 1, 0, 0, 0.2);
}

static void send_nothing(const struct masing_sink *sink)
{
    (void)sink;
}

static void two_patches(const struct masing_sink *sink)
{
    send_patch(sink, 5, MASING_EVENT_AT, 4, 3);
    send_patch(sink, 5, MASING_EVENT_PEAK, 4, 3);
    send_patch(sink, 10, MASING_EVENT_PEAK, 4, 3);
}

static void one_asked_for(const struct masing_sink *sink)
{
    send_patch(sink, 5, MASING_EVENT_AT, 6, 1);
}

static void two_hundred(const struct masing_sink *sink)
{
    send_many(sink, 200);
}

static void twenty_patches(const struct masing_sink *sink)
{
    for (int i = 0; i < 20; i++) {
        send_patch(sink, i, MASING_EVENT_PEAK, 2, 2);
    }
}

/* The file as text; kept in $MASING_TEST_PICTURES, where somebody wants to look at it. */
static char *draw(const char *name, void (*fill)(const struct masing_sink *), size_t *length)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 64];
    const char *kept = getenv("MASING_TEST_PICTURES");
    struct masing_sink sink;
    struct masing_error error = {0};
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/%s", kept ? kept : folder, name);
    CHECK(masing_plot_create(file, &settings, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, N_COLUMNS, &error) == MASING_OK);
    fill(&sink);
    if (!CHECK(sink.finish(sink.context, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    sink.destroy(sink.context);
    char *text = scratch_read(file, length);
    if (!kept) {
        remove(file);
    }
    rmdir(folder);
    return text;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)) != NULL; text++) {
        n++;
    }
    return n;
}

static void a_patch_is_a_map_of_loss_and_one_of_states(void)
{
    char *text = draw("patch.svg", two_patches, NULL);
    CHECK(count(text, "patch at the peak, 20.3 Hz, preload (N) = 5: loss") == 1);
    CHECK(count(text, "patch at the peak, 20.3 Hz, preload (N) = 10: loss") == 1);
    CHECK(count(text, " at 20.3 Hz") == 0); /* there are peaks: they are what is shown */
    CHECK(count(text, ">stick<") == 2 && count(text, ">slip<") == 2 &&
          count(text, ">open<") == 2);
    CHECK(count(text, "Loss per cycle (10") == 2);
    /* every element of both maps has a border */
    CHECK(count(text, "stroke=\"#ffffff\"") == 2 * 2 * 12);
    /* stick, slip and (but where element is a multiple of five) open; and the legend */
    CHECK(count(text, "fill=\"#0072b2\"") == 2 * 12 + 2);
    CHECK(count(text, "fill=\"#e69f00\"") == 2 * 12 + 2);
    CHECK(count(text, "fill=\"#d9d9d9\"") == 2 * 10 + 2);
    free(text);
}

static void frequencies_asked_for_are_shown_where_there_is_no_peak(void)
{
    char *text = draw("strip.svg", one_asked_for, NULL);
    CHECK(count(text, "patch at 20.3 Hz, preload (N) = 5: loss") == 1);
    free(text);
}

static void contacts_without_places_are_bars(void)
{
    char *text = draw("pairs.svg", two_hundred, NULL);
    CHECK(count(text, "face at the peak") == 1);
    CHECK(count(text, ">element<") == 2);
    CHECK(count(text, "Share of the period (%)") == 1);
    CHECK(count(text, "fill=\"#e69f00\"") == 200 + 1);
    free(text);
}

static void single_contacts_share_a_picture(void)
{
    char *text = draw("singles.svg", send_singles, NULL);
    CHECK(count(text, "Contacts at the peak, 20.3 Hz") == 1);
    CHECK(count(text, "loss 0.7 J per cycle") == 1);
    CHECK(count(text, ">left<") == 2 && count(text, ">right<") == 2);
    free(text);
}

static void a_long_study_is_cut_and_says_so(void)
{
    char *text = draw("many.svg", twenty_patches, NULL);
    CHECK(count(text, "patch at the peak") == 12);
    CHECK(count(text, "and 8 more, which the table has") == 1);
    free(text);
    text = draw("none.svg", send_nothing, NULL);
    CHECK(count(text, "no contacts") == 1);
    free(text);
}

static void png_has_its_signature(void)
{
    size_t length = 0;
    char *text = draw("patch.png", two_patches, &length);
    CHECK(length > 1000 && memcmp(text, "\x89PNG", 4) == 0);
    free(text);
    free(draw("pairs.png", two_hundred, NULL));
    free(draw("singles.png", send_singles, NULL));
    free(draw("strip.png", one_asked_for, NULL));
}

static const struct tap_test tests[] = {
    {"a patch is a map of loss and one of states", a_patch_is_a_map_of_loss_and_one_of_states},
    {"frequencies asked for are shown where there is no peak",
     frequencies_asked_for_are_shown_where_there_is_no_peak},
    {"contacts without places are bars", contacts_without_places_are_bars},
    {"single contacts share a picture", single_contacts_share_a_picture},
    {"a long study is cut and says so", a_long_study_is_cut_and_says_so},
    {"PNG has its signature", png_has_its_signature},
};

TAP_MAIN(tests)
