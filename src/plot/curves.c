/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture of curves or loops: the columns that it shows, kept row by row; one panel or two
 * above each other; a legend beside the frame, never over a curve.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/panel.h"
#include "plot/picture.h"

#define SHEET_WIDTH 720.0
static const double sheet_height = 450, two_panels_height = 640;

struct curves_point {
    double x, y;
    double second; /* of the panel below */
    bool is_start; /* the pen is lifted before it */
    bool is_peak;
    bool is_open;  /* its loop does not close */
    bool is_faint; /* behind what is prominent */
    bool is_dot;   /* stands by itself */
    bool is_unstable;
};

struct curves_curve {
    char *label;
    double value; /* of the group; NAN for a text */
    int n_points;
    size_t capacity;
    struct curves_point *points;
    bool has_prominent; /* points that are not faint */
};

struct curves {
    int n_curves;
    size_t capacity;
    struct curves_curve *curves;
    bool has_unstable; /* points */
    double segment;    /* of the row before */
    bool has_row;
};

struct curves_view {
    struct panel panel;
    const struct curves *curves;
    const struct masing_plot_settings *settings;
    bool is_second;   /* the panel below another one */
    const int *ranks; /* [n_curves] by value, so that colours are ordered whatever the order */
    double band[2];   /* on the sheet, ends of the range that is close to the lowest */
    bool has_band;
};

/* ---- rows ---- */

enum column {
    COLUMN_X,
    COLUMN_Y,
    COLUMN_GROUP,
    COLUMN_SEGMENT,
    COLUMN_EVENT,
    COLUMN_CLOSED,
    COLUMN_DOTS,
    COLUMN_SECOND,
    COLUMN_STABLE,
};

static void name_columns(const struct masing_plot_settings *settings,
                         const char *names[PICTURE_COLUMNS])
{
    names[COLUMN_X] = settings->x_column;
    names[COLUMN_Y] = settings->y_column;
    names[COLUMN_GROUP] = settings->group_column;
    names[COLUMN_SEGMENT] = settings->segment_column;
    names[COLUMN_EVENT] = settings->event_column;
    names[COLUMN_CLOSED] = settings->closed_column;
    names[COLUMN_DOTS] = settings->dots_column;
    names[COLUMN_SECOND] = settings->second_column;
    names[COLUMN_STABLE] = settings->stable_column;
}

/* The curve that a row belongs to, a new one if need be; NULL where there is no memory. */
static struct curves_curve *curve_of_row(struct curves *curves, const struct picture_row *row)
{
    bool is_text = !picture_has(row, COLUMN_GROUP) ||
                   row->columns[COLUMN_GROUP].type == MASING_COLUMN_TEXT;
    double value = is_text ? NAN : picture_number(row, COLUMN_GROUP);
    char *label =
        is_text ? memory_text(picture_text(row, COLUMN_GROUP)) : memory_format("%.6g", value);
    struct curves_curve *found = NULL;
    picture_make_printable(label);
    for (int i = curves->n_curves - 1; label && !found && i >= 0; i--) {
        struct curves_curve *curve = &curves->curves[i];
        bool is_same = is_text ? strcmp(curve->label, label) == 0
                               : curve->value == value || (isnan(value) && isnan(curve->value));
        found = is_same ? curve : NULL;
    }
    if (label && !found &&
        memory_grow((void **)&curves->curves, (size_t)curves->n_curves + 1, &curves->capacity,
                    sizeof *curves->curves)) {
        found = &curves->curves[curves->n_curves++];
        *found = (struct curves_curve){.label = label, .value = value};
        return found;
    }
    free(label);
    return found;
}

/* Kinds of events that are marked. */
static const unsigned MARKED =
    MASING_EVENT_BIT(MASING_EVENT_PEAK) | MASING_EVENT_BIT(MASING_EVENT_MINIMUM);

static enum masing_status add_row(void *content, const struct picture_row *row,
                                  struct masing_error *error)
{
    struct curves *curves = content;
    const unsigned events = picture_events(row, COLUMN_EVENT);
    struct curves_curve *curve = curve_of_row(curves, row);
    NEED_ALLOCATED(curve);
    NEED_ALLOCATED(memory_grow((void **)&curve->points, (size_t)curve->n_points + 1,
                               &curve->capacity, sizeof *curve->points));
    struct curves_point *point = &curve->points[curve->n_points++];
    *point = (struct curves_point){.x = picture_number(row, COLUMN_X),
                                   .y = picture_number(row, COLUMN_Y),
                                   .second = picture_number(row, COLUMN_SECOND),
                                   .is_peak = events & MARKED};
    if (picture_has(row, COLUMN_SEGMENT)) {
        double segment = picture_number(row, COLUMN_SEGMENT);
        point->is_start = curves->has_row && segment != curves->segment;
        curves->segment = segment;
    }
    if (picture_has(row, COLUMN_STABLE) && !(events & MASING_EVENTS_ON_CIRCLE)) {
        point->is_unstable = picture_number(row, COLUMN_STABLE) == 0;
        curves->has_unstable = curves->has_unstable || point->is_unstable;
    }
    if (picture_has(row, COLUMN_CLOSED)) {
        double closed = picture_number(row, COLUMN_CLOSED);
        point->is_open = closed != 1;
        point->is_faint = closed == 0;
        curve->has_prominent = curve->has_prominent || !point->is_faint;
    }
    if (picture_has(row, COLUMN_DOTS)) {
        point->is_dot = picture_number(row, COLUMN_DOTS) != 0;
    }
    curves->has_row = true;
    return MASING_OK;
}

/* Where all of a curve is faint, its last segment is not. */
static void show_last(struct curves_curve *curve)
{
    int i = curve->n_points - 1;
    bool goes_on = !curve->has_prominent && i >= 0 && curve->points[i].is_faint;
    for (; goes_on && i >= 0; i--) {
        curve->points[i].is_faint = false;
        goes_on = !curve->points[i].is_start;
    }
}

/* ---- what a panel shows ---- */

static double value_of(const struct curves_view *view, const struct curves_point *point)
{
    return view->is_second ? point->second : point->y;
}

/* Of two panels the lower one may be logarithmic. */
static bool has_log_y(const struct curves_view *view)
{
    return view->settings->is_log_y && (view->is_second || !view->settings->second_column);
}

static bool can_show(const struct curves_view *view, const struct curves_point *point)
{
    double y = value_of(view, point);
    return isfinite(point->x) && isfinite(y) && (!has_log_y(view) || y > 0) &&
           (!view->settings->is_log_x || point->x > 0);
}

static int *curve_ranks(const struct curves *curves)
{
    int *ranks = memory_array((size_t)curves->n_curves, sizeof *ranks);
    for (int i = 0; ranks && i < curves->n_curves; i++) {
        double value = curves->curves[i].value;
        for (int j = 0; j < curves->n_curves; j++) {
            double other = curves->curves[j].value;
            bool comes_first =
                other == value || isnan(value) || isnan(other) ? j < i : other < value;
            ranks[i] += comes_first;
        }
    }
    return ranks;
}

static struct colour colour_of(const struct curves_view *view, int index)
{
    int n = view->curves->n_curves;
    return canvas_shade(n > 1 ? (double)view->ranks[index] / (n - 1) : 0.3);
}

static void fit_axes(struct curves_view *view)
{
    const struct masing_plot_settings *settings = view->settings;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < view->curves->n_curves; i++) {
        for (int j = 0; j < view->curves->curves[i].n_points; j++) {
            const struct curves_point *point = &view->curves->curves[i].points[j];
            if (can_show(view, point)) {
                low[0] = fmin(low[0], point->x), high[0] = fmax(high[0], point->x);
                double y = value_of(view, point);
                low[1] = fmin(low[1], y), high[1] = fmax(high[1], y);
            }
        }
    }
    if (!(low[0] <= high[0])) { /* nothing to show: an empty frame */
        low[0] = settings->is_log_x ? 0.1 : 0, high[0] = 1;
        low[1] = has_log_y(view) ? 0.1 : 0, high[1] = 1;
    }
    bool are_curves = settings->kind == MASING_PLOT_CURVES;
    /* one of two panels shows how little it changes */
    bool is_cropped = settings->second_column && view->is_second == settings->is_second_cropped;
    if (are_curves && !has_log_y(view) && !is_cropped && low[1] > 0) {
        low[1] = 0;
    }
    axis_fit(&view->panel.x, low[0], high[0], settings->is_log_x, are_curves);
    axis_fit(&view->panel.y, low[1], high[1], has_log_y(view), false);
}

/* ---- the range of x in which a curve stays close to its lowest marked point ---- */

static const struct colour band_shade = {0.90, 0.94, 0.90};

/* From the lowest point on in one direction, to where the level is passed: a straight line on
 * the axis between two points. */
static double reach(const struct axis *x, const struct curves_curve *curve, int from,
                    int direction, double level)
{
    int i = from;
    const struct curves_point *points = curve->points;
    while (i + direction >= 0 && i + direction < curve->n_points &&
           points[i + direction].y <= level) {
        i += direction;
    }
    if (i + direction < 0 || i + direction >= curve->n_points) {
        return axis_place(x, points[i].x);
    }
    /* close to the lowest a parabola about it says more than a chord */
    double low = points[from].y, a = points[i].y - low, b = points[i + direction].y - low;
    double root_a = sqrt(fmax(a, 0.0)), root_b = sqrt(fmax(b, 0.0));
    double part = root_b > root_a ? (sqrt(level - low) - root_a) / (root_b - root_a) : 0.0;
    double start = axis_place(x, points[i].x);
    return start + part * (axis_place(x, points[i + direction].x) - start);
}

static void find_band(struct curves_view *view)
{
    const struct curves *curves = view->curves;
    const struct curves_curve *on = NULL;
    int lowest = -1;
    for (int i = 0; view->settings->band > 0.0 && i < curves->n_curves; i++) {
        const struct curves_curve *curve = &curves->curves[i];
        for (int j = 0; j < curve->n_points; j++) {
            const struct curves_point *point = &curve->points[j];
            if (isfinite(point->x) && point->is_peak &&
                (!on || point->y < on->points[lowest].y)) {
                on = curve;
                lowest = j;
            }
        }
    }
    view->has_band = on && on->points[lowest].y > 0.0;
    for (int side = 0; view->has_band && side < 2; side++) {
        double level = (1.0 + view->settings->band) * on->points[lowest].y;
        view->band[side] = reach(&view->panel.x, on, lowest, side == 0 ? -1 : 1, level);
    }
}

/* Under the lines of the ticks its area, with @p has_label above them a word on it. */
static void draw_band(const struct curves_view *view, bool has_label)
{
    const struct canvas *canvas = view->panel.canvas;
    const struct rectangle *frame = &view->panel.frame;
    const double *ends = view->band;
    char text[64];
    if (view->has_band && has_label) {
        snprintf(text, sizeof text, "within %g\u202f%% of the lowest",
                 100.0 * view->settings->band);
        double half = 0.5 * canvas_text_width(text, PANEL_TEXT_SIZE) + 4;
        double middle = fmin(fmax(0.5 * (ends[0] + ends[1]), frame->x + half),
                             frame->x + frame->width - half);
        panel_text(canvas, middle, frame->y + PANEL_TEXT_SIZE + 4, ANCHOR_MIDDLE, false, text);
    } else if (view->has_band) {
        const struct rectangle area = {fmin(ends[0], ends[1]), frame->y,
                                       fabs(ends[1] - ends[0]), frame->height};
        canvas_fill_rectangle(canvas, &area, band_shade);
    }
}

/* ---- lines, dots and marks of peaks ---- */

struct chord {
    double length, x, y; /* direction of length 1 */
};

static struct chord chord_between(const double a[2], const double b[2])
{
    double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
    return length > 0 ? (struct chord){length, x / length, y / length}
                      : (struct chord){0, 0, 0};
}

/* Tangents just before and just after a point between two chords. */
static void tangents_at(const struct chord *before, const struct chord *after, double corner,
                        double incoming[2], double outgoing[2])
{
    double cosine = before->x * after->x + before->y * after->y;
    double sum = before->length + after->length;
    if (cosine < cos(corner) || !(before->length > 0) || !(after->length > 0)) {
        incoming[0] = before->x, incoming[1] = before->y;
        outgoing[0] = after->x, outgoing[1] = after->y;
        return;
    }
    double share = before->length / sum;
    incoming[0] = outgoing[0] = share * after->x + (1 - share) * before->x;
    incoming[1] = outgoing[1] = share * after->y + (1 - share) * before->y;
}

/* Directions just after a point and just before the next one. */
static void tangents_of(const double (*points)[2], int n, double corner, int i, double start[2],
                        double end[2])
{
    struct chord chord = chord_between(points[i], points[i + 1]);
    double other[2];
    start[0] = end[0] = chord.x, start[1] = end[1] = chord.y;
    if (i > 0) {
        struct chord before = chord_between(points[i - 1], points[i]);
        tangents_at(&before, &chord, corner, other, start);
    }
    if (i + 2 < n) {
        struct chord after = chord_between(points[i + 1], points[i + 2]);
        tangents_at(&chord, &after, corner, end, other);
    }
}

/* The part between two of the points of a smooth line through all of them, [n][2]; corners
 * sharper than @p corner (rad between neighbouring chords) stay corners. The line is cubic
 * Hermite, its tangents those of the parabola through three neighbours (Bessel) over chord
 * length. */
static void draw_part(const struct canvas *canvas, const double (*points)[2], int n,
                      double corner, int from, int to)
{
    canvas->move(canvas->context, points[from][0], points[from][1]);
    if (n == 1) {
        canvas->line(canvas->context, points[0][0], points[0][1]);
    }
    for (int i = from; i < to; i++) {
        const double *a = points[i], *b = points[i + 1];
        double start[2], end[2], third = hypot(b[0] - a[0], b[1] - a[1]) / 3;
        tangents_of(points, n, corner, i, start, end);
        double handles[4] = {a[0] + third * start[0], a[1] + third * start[1],
                             b[0] - third * end[0], b[1] - third * end[1]};
        canvas->curve(canvas->context, handles, b[0], b[1]);
    }
}

static struct colour paler(struct colour colour)
{
    const double share = 0.45;
    return (struct colour){1 - share * (1 - colour.red), 1 - share * (1 - colour.green),
                           1 - share * (1 - colour.blue)};
}

/* One stroke of the pen through n points: its solid and its dashed intervals in turn, parts of
 * the same smooth line. Between a point and the next one motions are unstable where they are at
 * one of the ends; points that part the stable from the unstable ones are neither. Whether the
 * line is closed and faint stands in its last point. */
static void draw_stroke(const struct curves_view *view, const struct curves_point *first, int n,
                        const double (*places)[2], struct colour colour)
{
    const struct canvas *canvas = view->panel.canvas;
    const struct curves_point *last = &first[n - 1];
    const double width = view->curves->n_curves > 12 ? 1.1 : 1.6;
    bool are_loops = view->settings->kind == MASING_PLOT_LOOPS;
    double corner = view->settings->is_coarse ? 0.0
                    : are_loops               ? 0.25 /* loops have true corners */
                                              : 2.5;
    int from = 0;
    do {
        int to = from;
        bool is_dashed = n > 1 && (first[from].is_unstable || first[from + 1].is_unstable);
        do {
            to += n > 1;
        } while (to < n - 1 &&
                 (first[to].is_unstable || first[to + 1].is_unstable) == is_dashed);
        draw_part(canvas, places, n, corner, from, to);
        if (are_loops && !last->is_open) {
            canvas->close(canvas->context);
        }
        canvas->stroke(canvas->context, last->is_faint ? paler(colour) : colour,
                       last->is_faint ? 0.7 * width : width, is_dashed ? width : 0);
        from = to;
    } while (from < n - 1);
}

/* The faint or the other points of a curve. */
static void draw_curve(const struct curves_view *view, const struct curves_curve *curve,
                       bool draws_faint, struct colour colour, double (*places)[2])
{
    int n = 0;
    for (int j = 0; j <= curve->n_points; j++) {
        const struct curves_point *point = j < curve->n_points ? &curve->points[j] : NULL;
        bool is_faint = point && point->is_faint;
        bool is_shown =
            point && can_show(view, point) && !point->is_dot && is_faint == draws_faint;
        if (n > 0 && (!is_shown || point->is_start)) {
            draw_stroke(view, &curve->points[j - n], n, (const double(*)[2])places, colour);
            n = 0;
        }
        if (is_shown) {
            places[n][0] = axis_place(&view->panel.x, point->x);
            places[n][1] = axis_place(&view->panel.y, value_of(view, point));
            n++;
        }
    }
}

/* Peaks, or dots. Peaks, and dots above lines, have a rim of paper; dots of later curves lie
 * within those of earlier ones. */
static void draw_marks(const struct curves_view *view, int index, bool are_peaks)
{
    const struct curves_curve *curve = &view->curves->curves[index];
    const struct colour colour = colour_of(view, index);
    const bool is_ringed = are_peaks || view->settings->are_dots_above;
    double radius = curve->n_points > 300 ? 1.5 : 2.2;
    if (are_peaks) {
        radius = view->curves->n_curves > 12 ? 2.2 : 3.2;
    } else if (is_ringed) {
        radius += 0.8 + 2.4 * (view->curves->n_curves - 1 - index);
    }
    for (int j = 0; j < curve->n_points; j++) {
        const struct curves_point *point = &curve->points[j];
        if ((are_peaks ? point->is_peak : point->is_dot) && can_show(view, point)) {
            double x = axis_place(&view->panel.x, point->x);
            double y = axis_place(&view->panel.y, value_of(view, point));
            if (is_ringed) {
                canvas_disc(view->panel.canvas, x, y, radius + 1, canvas_paper);
            }
            canvas_disc(view->panel.canvas, x, y, radius, colour);
        }
    }
}

static enum masing_status draw_lines(const struct curves_view *view, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct curves *curves = view->curves;
    const struct canvas *canvas = view->panel.canvas;
    int most = 1;
    for (int i = 0; i < curves->n_curves; i++) {
        most = curves->curves[i].n_points > most ? curves->curves[i].n_points : most;
    }
    double(*places)[2] = memory_array((size_t)most, sizeof *places);
    TRY_ALLOCATED(places);
    canvas->clip(canvas->context, &view->panel.frame);
    for (int i = 0; i < curves->n_curves && !view->settings->are_dots_above; i++) {
        draw_marks(view, i, false);
    }
    for (int i = 0; i < 2 * curves->n_curves; i++) {
        int index = i % curves->n_curves;
        draw_curve(view, &curves->curves[index], i < curves->n_curves, colour_of(view, index),
                   places);
    }
    canvas->unclip(canvas->context);
    for (int i = 0; i < curves->n_curves && view->settings->are_dots_above; i++) {
        draw_marks(view, i, false);
    }
    for (int i = 0; i < curves->n_curves; i++) {
        draw_marks(view, i, true);
    }
done:
    free(places);
    return status;
}

/* ---- the legend ---- */

enum { MOST_LEGEND_ROWS = 18 };

static const double row_height = 18, sample_width = 22;

static const char *heading_of_legend(const struct curves_view *view)
{
    const struct masing_plot_settings *settings = view->settings;
    return settings->group_column && view->curves->n_curves > 0 ? settings->group_label : NULL;
}

static double legend_width(const struct curves_view *view)
{
    const struct curves *curves = view->curves;
    const char *heading = heading_of_legend(view);
    if (!heading) {
        return 0;
    }
    double widest = 0;
    for (int i = 0; i < curves->n_curves; i++) {
        widest = fmax(widest, canvas_text_width(curves->curves[i].label, PANEL_TEXT_SIZE));
    }
    widest += sample_width + 8;
    return fmin(fmax(widest, canvas_text_width(heading, PANEL_TEXT_SIZE)), 220) + 14;
}

static void draw_legend_rows(const struct curves_view *view, double x, double y)
{
    const struct curves *curves = view->curves;
    const struct canvas *canvas = view->panel.canvas;
    int n = curves->n_curves;
    int shown = n > MOST_LEGEND_ROWS ? MOST_LEGEND_ROWS - 1 : n;
    for (int i = 0; i < shown; i++, y += row_height) {
        const struct curves_curve *curve = &curves->curves[i];
        if (curve->n_points > 0 && curve->points[0].is_dot) {
            canvas_disc(canvas, x + sample_width / 2, y - 4, 2.5, colour_of(view, i));
        } else {
            canvas_line(canvas, x, y - 4, x + sample_width, y - 4, colour_of(view, i), 2.2);
        }
        panel_text(canvas, x + sample_width + 8, y, ANCHOR_START, false, curve->label);
    }
    if (shown < n) {
        char text[AXIS_TICK_LABEL];
        snprintf(text, sizeof text, "and %d more", n - shown);
        panel_text(canvas, x, y, ANCHOR_START, false, text);
    }
}

/* Many numeric groups: their colours from the lowest to the highest value, some labelled. */
static void draw_colour_bar(const struct curves_view *view, double x, double y)
{
    const struct curves *curves = view->curves;
    const struct canvas *canvas = view->panel.canvas;
    double height = view->panel.frame.y + view->panel.frame.height - y;
    int n = curves->n_curves, labels = 8;
    double cell = height / n;
    for (int i = 0; i < n; i++) {
        int rank = view->ranks[i];
        double bottom = y + height - rank * cell;
        struct rectangle area = {x, bottom - cell - 0.3, sample_width, cell + 0.3};
        canvas_fill_rectangle(canvas, &area, colour_of(view, i));
        bool is_next = rank * labels / (n - 1) != (rank - 1) * labels / (n - 1);
        if (is_next || rank == 0) {
            panel_text(canvas, x + sample_width + 8, bottom - cell / 2 + 0.36 * PANEL_TEXT_SIZE,
                       ANCHOR_START, false, curves->curves[i].label);
        }
    }
}

/* Above the frame, at its right end: what dashes mean, where there are any. */
static void draw_meaning(const struct curves_view *view)
{
    static const char meaning[] = "unstable";
    const double width = 1.6;
    const struct canvas *canvas = view->panel.canvas;
    const struct rectangle *frame = &view->panel.frame;
    double right = frame->x + frame->width, y = frame->y - 6;
    double left = right - canvas_text_width(meaning, PANEL_TEXT_SIZE) - 6;
    canvas->move(canvas->context, left - sample_width, y - 4);
    canvas->line(canvas->context, left, y - 4);
    canvas->stroke(canvas->context, canvas_ink, width, width);
    panel_text(canvas, right, y, ANCHOR_END, false, meaning);
}

static void draw_legend(const struct curves_view *view)
{
    const struct rectangle *frame = &view->panel.frame;
    const char *heading = heading_of_legend(view);
    if (view->curves->has_unstable) {
        draw_meaning(view);
    }
    if (!heading) {
        return;
    }
    double x = frame->x + frame->width + 16, y = frame->y + 10;
    panel_text(view->panel.canvas, x, y, ANCHOR_START, false, heading);
    bool is_numeric = true;
    for (int i = 0; i < view->curves->n_curves; i++) {
        is_numeric = is_numeric && !isnan(view->curves->curves[i].value);
    }
    if (view->curves->n_curves > MOST_LEGEND_ROWS && is_numeric) {
        draw_colour_bar(view, x, y + 12);
    } else {
        draw_legend_rows(view, x, y + row_height + 2);
    }
}

/* ---- panels ---- */

/* Only the lower one of two panels has the name of the common axis. */
static void begin_panel(struct curves_view *view, const struct canvas *canvas)
{
    const struct masing_plot_settings *settings = view->settings;
    bool is_upper = settings->second_column && !view->is_second;
    const char *y_label = view->is_second ? settings->second_label : settings->y_label;
    view->panel = (struct panel){
        .canvas = canvas,
        .has_lines = {true, true},
        .x_label = is_upper            ? NULL
                   : settings->x_label ? settings->x_label
                                       : "",
        .y_label = y_label ? y_label : "",
    };
    fit_axes(view);
}

/* Only the upper one of two panels has the title. */
static void place_panel(struct curves_view *view, double left, double top, double height)
{
    struct panel *panel = &view->panel;
    const char *title = view->settings->title;
    bool has_title = title && *title && !view->is_second;
    double above = has_title ? 40 : 18, below = panel->x_label ? 52 : 26;
    double right = 22 + legend_width(view);
    const struct rectangle frame = {left, top + above, SHEET_WIDTH - left - right,
                                    height - above - below};
    panel_place(panel, frame, left);
    find_band(view);
}

static enum masing_status draw_panel(const struct curves_view *view, struct masing_error *error)
{
    const struct rectangle *frame = &view->panel.frame;
    draw_band(view, false);
    panel_draw_axes(&view->panel);
    if (!view->is_second) {
        panel_title(view->panel.canvas, frame->x + frame->width / 2, view->settings->title);
        draw_band(view, true);
    }
    NEED(draw_lines(view, error));
    panel_draw_frame(&view->panel);
    return MASING_OK;
}

/* ---- the picture ---- */

static double lay_out(void *content, const struct masing_plot_settings *settings)
{
    struct curves *curves = content;
    for (int i = 0; i < curves->n_curves; i++) {
        show_last(&curves->curves[i]);
    }
    return settings->second_column ? two_panels_height : sheet_height;
}

static enum masing_status draw(const void *content, const struct masing_plot_settings *settings,
                               const struct canvas *canvas, struct masing_error *error)
{
    const struct curves *curves = content;
    enum masing_status status = MASING_OK;
    struct curves_view views[2];
    const int n_views = settings->second_column ? 2 : 1;
    const double height =
        (settings->second_column ? two_panels_height : sheet_height) / n_views;
    double left = 0;
    int *ranks = curve_ranks(curves);
    TRY_ALLOCATED(ranks);
    for (int i = 0; i < n_views; i++) {
        views[i] = (struct curves_view){
            .curves = curves, .settings = settings, .is_second = i == 1, .ranks = ranks};
        begin_panel(&views[i], canvas);
        left = fmax(left, panel_left(&views[i].panel));
    }
    for (int i = 0; i < n_views; i++) {
        place_panel(&views[i], left, i * height, height);
        TRY(draw_panel(&views[i], error));
    }
    draw_legend(&views[0]);
done:
    free(ranks);
    return status;
}

static void clear(void *content)
{
    struct curves *curves = content;
    for (int i = 0; i < curves->n_curves; i++) {
        free(curves->curves[i].label);
        free(curves->curves[i].points);
    }
    free(curves->curves);
}

const struct picture_kind curves_picture = {
    .size = sizeof(struct curves),
    .width = SHEET_WIDTH,
    .name_columns = name_columns,
    .n_required = 2,
    .requirement = "a picture needs two columns",
    .row = add_row,
    .lay_out = lay_out,
    .draw = draw,
    .clear = clear,
};
