/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/axis.h"
#include "masing/table.h"
#include "scratch.h"
#include "tap.h"

static const struct masing_column columns[] = {
    {"preload", MASING_COLUMN_REAL},
    {"frequency_hz", MASING_COLUMN_REAL},
    {"m2_max", MASING_COLUMN_REAL},
    {"event", MASING_COLUMN_TEXT},
};

static const struct masing_plot_settings settings = {
    .kind = MASING_PLOT_CURVES,
    .title = "Tom & Jerry's <damper> \"A\"",
    .x_column = "frequency_hz",
    .y_column = "m2_max",
    .group_column = "preload",
    .x_label = "Frequency (Hz)",
    .y_label = "m2, largest displacement (m)",
    .group_label = "preload (N)",
    .event_column = "event",
};

static const unsigned SLIP_AND_PEAK =
    MASING_EVENT_BIT(MASING_EVENT_SLIP_ONSET) | MASING_EVENT_BIT(MASING_EVENT_PEAK);

/* n_groups resonance curves of 40 points, each with a peak; some cells are not available */
static void send_curves(const struct masing_sink *sink, int n_groups, double scale,
                        struct masing_error *error)
{
    for (int i = 0; i < n_groups; i++) {
        for (int j = 0; j <= 40; j++) {
            double frequency = 18 + 0.25 * j, r = frequency / (20 + 0.1 * i);
            double y = scale / hypot(1 - r * r, 0.04 * r);
            struct masing_cell cells[] = {
                {.number = 10.0 * i},
                {.number = frequency},
                {.number = j == 30 ? NAN : y},
                {.text = "a peak or a minimum", .events = j == 8 ? SLIP_AND_PEAK : 0}};
            CHECK(sink->row(sink->context, cells, error) == MASING_OK);
        }
    }
}

static char *draw(const char *ending, const struct masing_plot_settings *wanted, int n_groups,
                  double scale, size_t *length)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_sink sink;
    struct masing_error error = {0};
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x%s", folder, ending);
    CHECK(masing_plot_create(file, wanted, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 4, &error) == MASING_OK);
    send_curves(&sink, n_groups, scale, &error);
    CHECK(sink.finish(sink.context, &error) == MASING_OK);
    sink.destroy(sink.context);
    if (error.status != MASING_OK) {
        printf("# %s\n", error.message);
    }
    char *text = scratch_read(file, length);
    remove(file);
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

/* Tags close in the order in which they were opened, attributes are quoted, no bare `&`. */
static bool is_well_formed(const char *text)
{
    const char *names[32];
    size_t lengths[32];
    int depth = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '&' && !strchr("aglq", c[1])) {
            return false;
        }
        if (*c != '<') {
            continue;
        }
        const char *name = c + 1, *end = name;
        bool is_quoted = false;
        for (; *end && (is_quoted || *end != '>'); end++) {
            is_quoted ^= *end == '"';
            if (*end == '<') {
                return false;
            }
        }
        if (!*end) {
            return false;
        }
        if (*name == '/') {
            if (depth == 0 || strncmp(names[depth - 1], name + 1, lengths[depth - 1]) != 0 ||
                name[1 + lengths[depth - 1]] != '>') {
                return false;
            }
            depth--;
        } else if (*name != '?' && end[-1] != '/') {
            names[depth] = name;
            lengths[depth] = strcspn(name, " >");
            if (++depth == 32) {
                return false;
            }
        }
        c = end;
    }
    return depth == 0;
}

static void an_svg_is_well_formed_and_shows_what_it_was_given(void)
{
    size_t length;
    char *text = draw(".svg", &settings, 8, 1e-3, &length);
    if (CHECK(text != NULL)) {
        CHECK(is_well_formed(text));
        CHECK(strstr(text, "Tom &amp; Jerry's &lt;damper&gt; &quot;A&quot;") != NULL);
        CHECK(strstr(text, ">Frequency (Hz)<") != NULL);
        CHECK(strstr(text, ">preload (N)<") != NULL);
        CHECK(strstr(text, ">70<") != NULL);         /* the last entry of the legend */
        CHECK(count(text, "Z\" fill=\"#") == 2 * 8); /* each peak: a ring and a disc */
        CHECK(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
    }
    free(text);
}

static void a_png_has_its_signature_and_size(void)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    size_t length = 0;
    unsigned char *bytes = (unsigned char *)draw(".png", &settings, 8, 1e-3, &length);
    if (CHECK(bytes && length > 5000)) {
        CHECK(memcmp(bytes, signature, sizeof signature) == 0);
        CHECK(bytes[18] * 256 + bytes[19] == 1800 && bytes[22] * 256 + bytes[23] == 1125);
        CHECK(memcmp(bytes + length - 8, "IEND", 4) == 0);
    }
    free(bytes);
}

static void pictures_are_the_same_every_time(void)
{
    size_t length_a, length_b;
    char *a = draw(".svg", &settings, 3, 1e-3, &length_a);
    char *b = draw(".svg", &settings, 3, 1e-3, &length_b);
    CHECK(a && b && length_a == length_b && memcmp(a, b, length_a) == 0);
    free(a);
    free(b);
}

static void odd_data_are_drawn_too(void)
{
    static const double scales[] = {0, 1e-300, 1e300, -1e-3, 1e-3};
    for (int kind = MASING_PLOT_CURVES; kind <= MASING_PLOT_LOOPS; kind++) {
        for (int is_log = 0; is_log < 2; is_log++) {
            for (int i = 0; i < 5; i++) {
                struct masing_plot_settings odd = settings;
                odd.kind = (enum masing_plot_kind)kind;
                odd.is_log_y = is_log != 0;
                char *text = draw(".svg", &odd, i == 4 ? 40 : i, scales[i], NULL);
                CHECK(text && is_well_formed(text));
                CHECK(text && !strstr(text, "nan") && !strstr(text, "inf"));
                free(text);
            }
        }
    }
}

static void a_text_that_is_not_utf8_is_mended(void)
{
    struct masing_plot_settings odd = settings;
    odd.title = "a\x01 b\xff c\xc3\xa9 d\xe2\x82";
    char *text = draw(".svg", &odd, 1, 1, NULL);
    CHECK(text && strstr(text, "a? b? c\xc3\xa9 d??") != NULL);
    free(text);
}

/* Three cycles of a group; only of the first group the last one is steady. */
static void send_loops(const struct masing_sink *sink, struct masing_error *error)
{
    for (int row = 0; row < 2 * 3 * 5; row++) {
        int group = row / 15, cycle = row / 5 % 3, j = row % 5;
        double x = (group + 1) * sin(1.5707963267948966 * j);
        double y = (cycle + 1) * cos(1.5707963267948966 * j);
        struct masing_cell cells[] = {{.number = group},
                                      {.number = cycle},
                                      {.number = x},
                                      {.number = y},
                                      {.number = group == 0 && cycle == 2}};
        CHECK(sink->row(sink->context, cells, error) == MASING_OK);
    }
}

static void cycles_before_the_last_are_thin(void)
{
    static const struct masing_column loop_columns[] = {{"amplitude", MASING_COLUMN_REAL},
                                                        {"cycle", MASING_COLUMN_INTEGER},
                                                        {"x", MASING_COLUMN_REAL},
                                                        {"y", MASING_COLUMN_REAL},
                                                        {"steady", MASING_COLUMN_INTEGER}};
    const struct masing_plot_settings loops = {.kind = MASING_PLOT_LOOPS,
                                               .x_column = "x",
                                               .y_column = "y",
                                               .group_column = "amplitude",
                                               .segment_column = "cycle",
                                               .closed_column = "steady"};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_sink sink;
    struct masing_error error = {0};
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.svg", folder);
    CHECK(masing_plot_create(file, &loops, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, loop_columns, 5, &error) == MASING_OK);
    send_loops(&sink, &error);
    CHECK(sink.finish(sink.context, &error) == MASING_OK);
    sink.destroy(sink.context);
    char *text = scratch_read(file, NULL);
    if (CHECK(text != NULL)) {
        CHECK(count(text, "stroke-width=\"1.12\"") == 4);
        CHECK(count(text, "stroke-width=\"1.6\"") == 2);
        CHECK(count(text, "Z\" fill=\"none\"") == 2); /* the steady loop and the frame */
    }
    free(text);
    remove(file);
    rmdir(folder);
}

/* Stable, an event, unstable, an event, stable: three stretches that follow the line that is
 * drawn where nothing is known of stability, and a word on what dashes mean. */
static void unstable_stretches_are_dashed(void)
{
    static const struct masing_column stable_columns[] = {{"x", MASING_COLUMN_REAL},
                                                          {"y", MASING_COLUMN_REAL},
                                                          {"event", MASING_COLUMN_TEXT},
                                                          {"stable", MASING_COLUMN_INTEGER}};
    static const unsigned events[] = {[2] = MASING_EVENT_BIT(MASING_EVENT_FOLD),
                                      [4] = MASING_EVENT_BIT(MASING_EVENT_PEAK),
                                      [5] = MASING_EVENT_BIT(MASING_EVENT_PERIOD_DOUBLING),
                                      [6] = 0};
    static const double stable[2][7] = {{1, 1, 0, 0, 0, 1, 1}, {NAN, 1, 1, NAN, 1, NAN, 1}};
    const struct masing_plot_settings shown = {.kind = MASING_PLOT_CURVES,
                                               .x_column = "x",
                                               .y_column = "y",
                                               .event_column = "event",
                                               .stable_column = "stable"};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32], *text[2], whole[512] = "";
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.svg", folder);
    for (int k = 0; k < 2; k++) {
        struct masing_sink sink;
        struct masing_error error = {0};
        CHECK(masing_plot_create(file, &shown, &sink, &error) == MASING_OK);
        CHECK(sink.open(sink.context, stable_columns, 4, &error) == MASING_OK);
        for (int i = 0; i < 7; i++) {
            const struct masing_cell cells[] = {{.number = i},
                                                {.number = sin(i)},
                                                {.events = events[i]},
                                                {.number = stable[k][i]}};
            CHECK(sink.row(sink.context, cells, &error) == MASING_OK);
        }
        CHECK(sink.finish(sink.context, &error) == MASING_OK);
        sink.destroy(sink.context);
        text[k] = scratch_read(file, NULL);
    }
    if (CHECK(text[0] && text[1])) {
        CHECK(is_well_formed(text[0]));
        CHECK(count(text[0], "stroke-dasharray") == 2 && count(text[0], ">unstable<") == 1);
        CHECK(count(text[1], "stroke-dasharray") == 0 && !strstr(text[1], "unstable"));
        /* the curves of the stretches are those of the whole line */
        const char *path = strchr(strstr(text[1], "<g clip-path="), 'C');
        CHECK(sscanf(path, "%511[^\"]", whole) == 1);
        for (char *piece = strtok(whole, "C"); piece; piece = strtok(NULL, "C")) {
            CHECK(strstr(text[0], piece) != NULL);
        }
    }
    free(text[0]);
    free(text[1]);
    remove(file);
    rmdir(folder);
}

static void wrong_wishes_are_refused(void)
{
    struct masing_sink sink;
    struct masing_error ending = {0}, column = {0}, folder = {0};
    CHECK(masing_plot_create("x.gif", &settings, &sink, &ending) == MASING_INVALID);
    CHECK(strstr(ending.message, "x.gif") != NULL);

    struct masing_plot_settings odd = settings;
    odd.kind = (enum masing_plot_kind)17;
    CHECK(masing_plot_create("x.svg", &odd, &sink, &column) == MASING_INVALID);
    CHECK(strstr(column.message, "17") != NULL);
    odd = settings;
    odd.y_column = "m3_max";
    CHECK(masing_plot_create("x.svg", &odd, &sink, &column) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 4, &column) == MASING_INVALID);
    CHECK(strstr(column.message, "m3_max") != NULL);
    sink.abandon(sink.context);
    sink.destroy(sink.context);

    CHECK(masing_plot_create("/no/such/folder/x.svg", &settings, &sink, &folder) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 4, &folder) == MASING_IO);
    sink.abandon(sink.context);
    sink.destroy(sink.context);
}

/* The same x axis below both panels, named once; a column that is not there is refused. */
static void two_panels_share_an_axis(void)
{
    struct masing_plot_settings two = settings;
    two.group_column = NULL;
    two.second_column = "preload";
    two.second_label = "Second label";
    two.is_log_x = true;
    char *one = draw(".svg", &settings, 1, 1, NULL), *text = draw(".svg", &two, 3, 1, NULL);
    if (CHECK(one && text)) {
        CHECK(is_well_formed(text));
        CHECK(count(text, two.x_label) == 1 && count(text, two.y_label) == 1);
        CHECK(count(text, "Second label") == 1 && !strstr(one, "Second label"));
        CHECK(count(text, "clip-path=") == 2 * count(one, "clip-path="));
    }
    free(one);
    free(text);
}

/* From 18 to 28 there is one of 1, 2, 5 times a power of ten. */
static void narrow_logarithmic_axes_have_labels(void)
{
    struct masing_plot_settings narrow = settings;
    narrow.is_log_x = true;
    char *text = draw(".svg", &narrow, 1, 1, NULL);
    if (CHECK(text)) {
        CHECK(strstr(text, ">18<") && strstr(text, ">20<") && strstr(text, ">28<"));
    }
    free(text);
}

/* Equal quotients are equally far apart on a logarithmic axis, equal differences on another. */
static void places_on_axes(void)
{
    for (int is_log = 0; is_log < 2; is_log++) {
        struct axis axis;
        axis_fit(&axis, 2.0, 50.0, is_log, false);
        axis.from = 30.0;
        axis.to = 330.0;
        double middle = is_log ? 10.0 : 26.0;
        CHECK_RELATIVE(axis_place(&axis, axis.low), 30.0, 1e-12);
        CHECK_RELATIVE(axis_place(&axis, axis.high), 330.0, 1e-12);
        CHECK_RELATIVE(axis_place(&axis, middle) - axis_place(&axis, 2.0),
                       axis_place(&axis, 50.0) - axis_place(&axis, middle), 1e-12);
    }
}

static const struct tap_test tests[] = {
    {"an SVG is well formed and shows what it was given",
     an_svg_is_well_formed_and_shows_what_it_was_given},
    {"a PNG has its signature and size", a_png_has_its_signature_and_size},
    {"pictures are the same every time", pictures_are_the_same_every_time},
    {"odd data are drawn too", odd_data_are_drawn_too},
    {"a text that is not UTF-8 is mended", a_text_that_is_not_utf8_is_mended},
    {"cycles before the last are thin", cycles_before_the_last_are_thin},
    {"places on axes", places_on_axes},
    {"two panels share an axis", two_panels_share_an_axis},
    {"narrow logarithmic axes have labels", narrow_logarithmic_axes_have_labels},
    {"unstable stretches are dashed", unstable_stretches_are_dashed},
    {"wrong wishes are refused", wrong_wishes_are_refused},
};

TAP_MAIN(tests)
