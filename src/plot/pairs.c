/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture of the pairs of nodes that are contacts: for each joint its nodes, as they are
 * seen along the mean normal. A disc in a ring is a node of `from` on one of `to`; where they
 * lie apart a line joins them. A cross is a node that found none.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/panel.h"
#include "plot/picture.h"

enum { ROLE_FROM, ROLE_TO, ROLE_UNMATCHED, N_ROLES };

static const struct {
    const char *name, *text;
    struct colour colour; /* Okabe and Ito 2008 */
} roles[N_ROLES] = {
    [ROLE_FROM] = {"from", "of 'from'", {0.0, 0.447, 0.698}},
    [ROLE_TO] = {"to", "of 'to'", {0.902, 0.624, 0.0}},
    [ROLE_UNMATCHED] = {"unmatched", "found none", {0.835, 0.369, 0.0}},
};

struct node {
    int role, number;
    bool is_open;
    double pressure; /* Pa; NAN: not known, or not of `from` */
    double at[3];    /* m */
    double seen[2];  /* of it along the axes of the panel */
};

/* The nodes of one joint; behind one of `from` stand those that it meets. */
struct joint {
    char *name;
    double normal[3]; /* sum of the pairs' */
    double axes[2][3];
    int counts[N_ROLES]; /* rows; a node of `to` may have several */
    int n_nodes;
    size_t capacity;
    struct node *nodes;
    double pressure[2]; /* smallest and largest */
    int n_open;
};

struct pairs {
    int n_joints;
    size_t capacity;
    struct joint *joints;
};

/* ---- rows ---- */

enum column {
    COLUMN_JOINT,
    COLUMN_NODE,
    COLUMN_ROLE,
    COLUMN_X,
    COLUMN_NORMAL = COLUMN_X + 3,
    COLUMN_PRESSURE = COLUMN_NORMAL + 3,
    COLUMN_STATUS,
    N_COLUMNS
};

static void name_columns(const struct masing_plot_settings *settings,
                         const char *names[PICTURE_COLUMNS])
{
    static const char *const all[N_COLUMNS] = {"joint",    "node",     "role",     "x",
                                               "y",        "z",        "normal_x", "normal_y",
                                               "normal_z", "pressure", "status"};
    (void)settings;
    memcpy(names, all, sizeof all);
}

static void clear(void *content)
{
    struct pairs *pairs = content;
    for (int i = 0; i < pairs->n_joints; i++) {
        free(pairs->joints[i].name);
        free(pairs->joints[i].nodes);
    }
    free(pairs->joints);
}

static int role_of(const char *name)
{
    int role = 0;
    while (role < N_ROLES - 1 && strcmp(name, roles[role].name) != 0) {
        role++;
    }
    return role;
}

static enum masing_status add_row(void *content, const struct picture_row *row,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct pairs *pairs = content;
    size_t n = (size_t)pairs->n_joints;
    struct joint *joint = n > 0 ? &pairs->joints[n - 1] : NULL;
    struct node node = {.role = role_of(picture_text(row, COLUMN_ROLE)),
                        .number = (int)picture_number(row, COLUMN_NODE),
                        .is_open = strcmp(picture_text(row, COLUMN_STATUS), "open") == 0,
                        .pressure = picture_number(row, COLUMN_PRESSURE)};
    char *name = memory_text(picture_text(row, COLUMN_JOINT));
    TRY_ALLOCATED(name);
    picture_make_printable(name);
    if (!joint || strcmp(joint->name, name) != 0) {
        TRY_ALLOCATED(memory_grow((void **)&pairs->joints, n + 1, &pairs->capacity,
                                  sizeof *pairs->joints));
        joint = &pairs->joints[pairs->n_joints++];
        *joint = (struct joint){.name = name, .pressure = {INFINITY, -INFINITY}};
        name = NULL;
    }
    TRY_ALLOCATED(memory_grow((void **)&joint->nodes, (size_t)joint->n_nodes + 1,
                              &joint->capacity, sizeof *joint->nodes));
    for (int d = 0; d < 3; d++) {
        node.at[d] = picture_number(row, COLUMN_X + d);
        joint->normal[d] +=
            node.role == ROLE_FROM ? picture_number(row, COLUMN_NORMAL + d) : 0.0;
    }
    joint->pressure[0] = fmin(joint->pressure[0], node.pressure);
    joint->pressure[1] = fmax(joint->pressure[1], node.pressure);
    joint->n_open += node.is_open;
    joint->counts[node.role]++;
    joint->nodes[joint->n_nodes++] = node;
done:
    free(name);
    return status;
}

/* ---- what is seen ---- */

/* Of the pairs' normals: less than this of them in sum has no direction, as around a shaft. */
static const double NO_DIRECTION = 1e-3;
/* An axis this near to a coordinate axis has its name. */
static const double PARALLEL = 1e-3;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The direction in which the nodes extend least. */
static int thinnest(const struct joint *joint)
{
    int best = 0;
    double least = INFINITY;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < joint->n_nodes; i++) {
            low = fmin(low, joint->nodes[i].at[d]);
            high = fmax(high, joint->nodes[i].at[d]);
        }
        if (high - low < least) {
            best = d;
            least = high - low;
        }
    }
    return best;
}

/* Unit vectors across the normal: the coordinate axis that is most so, the first of equals, and
 * across both, towards its positive side. */
static void find_axes(struct joint *joint)
{
    double normal[3] = {0}, size = sqrt(dot(joint->normal, joint->normal));
    double *x = joint->axes[0], *y = joint->axes[1];
    bool has_direction = size > NO_DIRECTION * joint->counts[ROLE_FROM];
    int most = 0, largest = 0;
    normal[has_direction ? 0 : thinnest(joint)] = 1.0;
    for (int d = 0; d < 3 && has_direction; d++) {
        normal[d] = joint->normal[d] / size;
    }
    for (int d = 1; d < 3; d++) {
        most = fabs(normal[d]) < fabs(normal[most]) - PARALLEL ? d : most;
    }
    size = sqrt(1.0 - normal[most] * normal[most]);
    for (int d = 0; d < 3; d++) {
        x[d] = ((d == most) - normal[most] * normal[d]) / size;
    }
    for (int d = 0; d < 3; d++) {
        y[d] = normal[(d + 1) % 3] * x[(d + 2) % 3] - normal[(d + 2) % 3] * x[(d + 1) % 3];
        largest = fabs(y[d]) > fabs(y[largest]) ? d : largest;
    }
    for (int d = 0, is_negative = y[largest] < 0.0; d < 3; d++) {
        y[d] = is_negative ? -y[d] : y[d];
    }
}

/* Where the nodes are along the axes; the longer extent lies across the sheet. */
static void look(struct joint *joint)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < joint->n_nodes; i++) {
        struct node *node = &joint->nodes[i];
        for (int d = 0; d < 2; d++) {
            node->seen[d] = dot(node->at, joint->axes[d]);
            low[d] = fmin(low[d], node->seen[d]);
            high[d] = fmax(high[d], node->seen[d]);
        }
    }
    if (high[1] - low[1] > (1.0 + PARALLEL) * (high[0] - low[0])) {
        for (int d = 0; d < 3; d++) {
            double swapped = joint->axes[0][d];
            joint->axes[0][d] = joint->axes[1][d];
            joint->axes[1][d] = swapped;
        }
        for (int i = 0; i < joint->n_nodes; i++) {
            double *seen = joint->nodes[i].seen, swapped = seen[0];
            seen[0] = seen[1];
            seen[1] = swapped;
        }
    }
}

/* "x (m)", or "along (0.6, 0, 0.8) (m)" */
static void name_axis(const double axis[3], char text[AXIS_LABEL])
{
    static const char names[] = "xyz";
    double rounded[3];
    for (int d = 0; d < 3; d++) {
        if (axis[d] > 1.0 - PARALLEL * PARALLEL) {
            snprintf(text, AXIS_LABEL, "%c (m)", names[d]);
            return;
        }
        rounded[d] = fabs(axis[d]) < PARALLEL ? 0.0 : axis[d];
    }
    snprintf(text, AXIS_LABEL, "along (%.3g, %.3g, %.3g) (m)", rounded[0], rounded[1],
             rounded[2]);
}

/* ---- panels ---- */

#define SHEET_WIDTH 760.0
static const double left = 84, right = 150, above = 30, below = 62; /* of a frame */
static const double most_height = 420, least_height = 90;
static const double beside_scale = 64; /* of the legend, right of a scale of colours */
static const double margin = 0.06;     /* of the extents, around the nodes */
static const double disc = 2.2, ring = 4.4, hole = 3.2, cross = 4.0;
enum { MOST_NAMED = 40, MOST_PANELS = 8, TOP = 40, BOTTOM = 12 };

/* Of discs with the colour of a pressure; differences below this part of it are rounding. */
static const double large_disc = 5.0, SAME_PRESSURE = 1e-6;
static const struct colour open_colour = {0.85, 0.85, 0.85};

static bool has_pressures(const struct joint *joint)
{
    return joint->pressure[1] - joint->pressure[0] > SAME_PRESSURE * fabs(joint->pressure[1]);
}

/* The scale of a joint's pressures, from none on. */
static struct axis pressures_of(const struct joint *joint)
{
    struct axis scale;
    axis_fit(&scale, fmin(0.0, joint->pressure[0]), joint->pressure[1], false, true);
    return scale;
}

static void mark_pressure(const struct canvas *canvas, const struct axis *scale,
                          const struct node *node, double x, double y)
{
    double share = (node->pressure - scale->low) / (scale->high - scale->low);
    canvas_disc(canvas, x, y, large_disc, node->is_open ? open_colour : canvas_shade(share));
}

struct window {
    double low[2], high[2];
    double width, height; /* of the frame, equal lengths alike where it is no strip */
};

static struct window window_of(const struct joint *joint)
{
    struct window window = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    double extent = 0;
    for (int i = 0; i < joint->n_nodes; i++) {
        for (int d = 0; d < 2; d++) {
            window.low[d] = fmin(window.low[d], joint->nodes[i].seen[d]);
            window.high[d] = fmax(window.high[d], joint->nodes[i].seen[d]);
        }
    }
    for (int d = 0; d < 2; d++) {
        extent = fmax(extent, window.high[d] - window.low[d]);
    }
    extent = extent > 0 ? extent : 1.0; /* one node */
    for (int d = 0; d < 2; d++) {
        window.low[d] -= margin * extent;
        window.high[d] += margin * extent;
    }
    double wide = window.high[0] - window.low[0], high = window.high[1] - window.low[1];
    double room = SHEET_WIDTH - left - right - (has_pressures(joint) ? beside_scale : 0.0);
    double scale = fmin(room / wide, most_height / high);
    window.width = fmax(scale * wide, least_height);
    window.height = fmax(scale * high, least_height);
    return window;
}

static double height_of(const struct joint *joint)
{
    return above + window_of(joint).height + below;
}

static void mark(const struct canvas *canvas, int role, double x, double y)
{
    const struct colour colour = roles[role].colour;
    if (role == ROLE_UNMATCHED) {
        canvas_line(canvas, x - cross, y - cross, x + cross, y + cross, colour, 1.8);
        canvas_line(canvas, x - cross, y + cross, x + cross, y - cross, colour, 1.8);
        return;
    }
    canvas_disc(canvas, x, y, role == ROLE_TO ? ring : disc, colour);
    if (role == ROLE_TO) {
        canvas_disc(canvas, x, y, hole, canvas_paper);
    }
}

static void draw_lines(const struct panel *panel, const struct joint *joint)
{
    const struct node *from = NULL;
    for (int i = 0; i < joint->n_nodes; i++) {
        const struct node *node = &joint->nodes[i];
        from = node->role == ROLE_FROM ? node : from;
        if (node->role == ROLE_TO && from) {
            canvas_line(panel->canvas, axis_place(&panel->x, from->seen[0]),
                        axis_place(&panel->y, from->seen[1]),
                        axis_place(&panel->x, node->seen[0]),
                        axis_place(&panel->y, node->seen[1]), canvas_ink, 0.8);
        }
    }
}

/* Beside a node that found none, towards the middle of the frame. */
static void write_number(const struct panel *panel, int number, double x, double y)
{
    bool is_right = x > panel->frame.x + 0.5 * panel->frame.width;
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    panel_text(panel->canvas, is_right ? x - 7 : x + 7, y - 5,
               is_right ? ANCHOR_END : ANCHOR_START, false, text);
}

/* Rings below, discs on them; where few found none, these have their numbers. */
static void draw_nodes(const struct panel *panel, const struct joint *joint)
{
    static const int order[N_ROLES] = {ROLE_TO, ROLE_FROM, ROLE_UNMATCHED};
    bool are_named = joint->counts[ROLE_UNMATCHED] <= MOST_NAMED;
    bool are_coloured = has_pressures(joint);
    const struct axis scale = are_coloured ? pressures_of(joint) : (struct axis){0};
    for (int k = 0; k < N_ROLES; k++) {
        for (int i = 0; i < joint->n_nodes; i++) {
            const struct node *node = &joint->nodes[i];
            if (node->role == order[k]) {
                double x = axis_place(&panel->x, node->seen[0]);
                double y = axis_place(&panel->y, node->seen[1]);
                if (are_coloured && node->role == ROLE_FROM) {
                    mark_pressure(panel->canvas, &scale, node, x, y);
                } else {
                    mark(panel->canvas, node->role, x, y);
                }
                if (node->role == ROLE_UNMATCHED && are_named) {
                    write_number(panel, node->number, x, y);
                }
            }
        }
    }
}

static void draw_legend(const struct panel *panel, const struct joint *joint)
{
    bool are_coloured = has_pressures(joint);
    double x = panel->frame.x + panel->frame.width + 22 + (are_coloured ? beside_scale : 0.0);
    double y = panel->frame.y + 14;
    for (int role = 0; role < N_ROLES; role++) {
        char text[64];
        snprintf(text, sizeof text, "%d %s", joint->counts[role], roles[role].text);
        if (role == ROLE_TO) {
            snprintf(text, sizeof text, "%s", roles[role].text);
        }
        if (joint->counts[role] > 0 && (role != ROLE_FROM || !are_coloured)) {
            mark(panel->canvas, role, x, y - 4);
            panel_text(panel->canvas, x + 12, y, ANCHOR_START, false, text);
            y += 20;
        }
    }
    if (joint->n_open > 0 && are_coloured) {
        char text[64];
        snprintf(text, sizeof text, "%d open", joint->n_open);
        canvas_disc(panel->canvas, x, y - 4, large_disc, open_colour);
        panel_text(panel->canvas, x + 12, y, ANCHOR_START, false, text);
    }
}

/* "lap: 69 pairs", and what their colours are. */
static void write_caption(const struct joint *joint, char caption[AXIS_LABEL])
{
    int n = joint->counts[ROLE_FROM];
    bool are_coloured = has_pressures(joint);
    char text[AXIS_LABEL];
    snprintf(text, sizeof text, "%.100s: %d pair%s%s", joint->name, n, n == 1 ? "" : "s",
             are_coloured ? ", static pressure (Pa)" : "");
    memcpy(caption, text, sizeof text);
    if (are_coloured) {
        const struct axis scale = pressures_of(joint);
        axis_label(&scale, text, caption);
    }
}

static void draw_joint(const struct joint *joint, const struct canvas *canvas, double top)
{
    const struct window window = window_of(joint);
    char labels[2][AXIS_LABEL], caption[AXIS_LABEL];
    write_caption(joint, caption);
    name_axis(joint->axes[0], labels[0]);
    name_axis(joint->axes[1], labels[1]);
    struct panel panel = {
        .canvas = canvas, .x_label = labels[0], .y_label = labels[1], .caption = caption};
    axis_fit(&panel.x, window.low[0], window.high[0], false, true);
    axis_fit(&panel.y, window.low[1], window.high[1], false, true);
    panel_place(&panel, (struct rectangle){left, top + above, window.width, window.height},
                panel_left(&panel));
    panel_draw_axes(&panel);
    draw_lines(&panel, joint);
    draw_nodes(&panel, joint);
    panel_draw_frame(&panel);
    draw_legend(&panel, joint);
    if (has_pressures(joint)) {
        panel_draw_scale(&panel, pressures_of(joint), window.height, false);
    }
}

/* ---- the picture ---- */

static double lay_out(void *content, const struct masing_plot_settings *settings)
{
    struct pairs *pairs = content;
    double height = TOP + BOTTOM + (pairs->n_joints > MOST_PANELS ? 20 : 0);
    (void)settings;
    for (int i = 0; i < pairs->n_joints; i++) {
        find_axes(&pairs->joints[i]);
        look(&pairs->joints[i]);
        height += i < MOST_PANELS ? height_of(&pairs->joints[i]) : 0;
    }
    return height;
}

static enum masing_status draw(const void *content, const struct masing_plot_settings *settings,
                               const struct canvas *canvas, struct masing_error *error)
{
    const struct pairs *pairs = content;
    double top = TOP;
    char text[80] = "no pairs";
    (void)error;
    panel_title(canvas, SHEET_WIDTH / 2, settings->title);
    for (int i = 0; i < pairs->n_joints && i < MOST_PANELS; i++) {
        draw_joint(&pairs->joints[i], canvas, top);
        top += height_of(&pairs->joints[i]);
    }
    if (pairs->n_joints > MOST_PANELS) {
        snprintf(text, sizeof text, "and %d more joints", pairs->n_joints - MOST_PANELS);
    }
    if (pairs->n_joints == 0 || pairs->n_joints > MOST_PANELS) {
        panel_text(canvas, 20, top + 12, ANCHOR_START, false, text);
    }
    return MASING_OK;
}

const struct picture_kind pairs_picture = {
    .size = sizeof(struct pairs),
    .width = SHEET_WIDTH,
    .name_columns = name_columns,
    .row = add_row,
    .lay_out = lay_out,
    .draw = draw,
    .clear = clear,
};
