/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture of the elements of contacts at each peak: one panel of the loss beside one of the
 * states. Loss: by colour where the places of the elements are known, else by height in bars.
 * States: each element is divided from left to right (bars: from below) into its shares of the
 * period. The three colours are blue, orange and a light grey (Okabe and Ito 2008), different
 * in brightness too.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "plot/panel.h"
#include "plot/picture.h"

enum { STATE_STICK, STATE_SLIP, STATE_OPEN, N_STATES };

static const struct {
    const char *name;
    struct colour colour;
} states[N_STATES] = {
    [STATE_STICK] = {"stick", {0.0, 0.447, 0.698}},
    [STATE_SLIP] = {"slip", {0.902, 0.624, 0.0}},
    [STATE_OPEN] = {"open", {0.85, 0.85, 0.85}},
};

struct element {
    double y, z, area;       /* m, m^2; NAN where not known */
    double shares[N_STATES]; /* of the period */
    double loss;             /* J per cycle */
};

/* The elements of one joint at one frequency. */
struct joint {
    char *name;
    bool is_peak;
    double hertz, value; /* value of the parameter */
    int n_elements;
    size_t capacity;
    struct element *elements;
};

struct contacts {
    int n_joints;
    size_t capacity;
    struct joint *joints;
};

/* ---- rows ---- */

enum column {
    COLUMN_HERTZ,
    COLUMN_EVENT,
    COLUMN_JOINT,
    COLUMN_Y,
    COLUMN_Z,
    COLUMN_AREA,
    COLUMN_OPEN,
    COLUMN_STICK,
    COLUMN_SLIP,
    COLUMN_LOSS,
    COLUMN_GROUP,
};

static void name_columns(const struct masing_plot_settings *settings,
                         const char *names[PICTURE_COLUMNS])
{
    names[COLUMN_HERTZ] = "frequency_hz";
    names[COLUMN_EVENT] = "event";
    names[COLUMN_JOINT] = "joint";
    names[COLUMN_Y] = "y";
    names[COLUMN_Z] = "z";
    names[COLUMN_AREA] = "area";
    names[COLUMN_OPEN] = "open";
    names[COLUMN_STICK] = "stick";
    names[COLUMN_SLIP] = "slip";
    names[COLUMN_LOSS] = "loss";
    names[COLUMN_GROUP] = settings->group_column;
}

static void clear_joint(struct joint *joint)
{
    free(joint->elements);
    free(joint->name);
}

static void clear(void *content)
{
    struct contacts *contacts = content;
    for (int i = 0; i < contacts->n_joints; i++) {
        clear_joint(&contacts->joints[i]);
    }
    free(contacts->joints);
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool are_of_one_point(const struct joint *a, const struct joint *b)
{
    return a->is_peak == b->is_peak && is_same(a->hertz, b->hertz) &&
           is_same(a->value, b->value);
}

static enum masing_status add_row(void *content, const struct picture_row *row,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct contacts *contacts = content;
    const size_t n = (size_t)contacts->n_joints;
    struct joint *joint = n > 0 ? &contacts->joints[n - 1] : NULL;
    struct joint found = {
        .name = memory_text(picture_text(row, COLUMN_JOINT)),
        .is_peak = masing_events_have(picture_events(row, COLUMN_EVENT), MASING_EVENT_PEAK),
        .hertz = picture_number(row, COLUMN_HERTZ),
        .value = picture_number(row, COLUMN_GROUP)};
    TRY_ALLOCATED(found.name);
    picture_make_printable(found.name);
    if (!joint || strcmp(joint->name, found.name) != 0 || !are_of_one_point(joint, &found)) {
        TRY_ALLOCATED(memory_grow((void **)&contacts->joints, n + 1, &contacts->capacity,
                                  sizeof *contacts->joints));
        joint = &contacts->joints[contacts->n_joints++];
        *joint = found;
        found.name = NULL;
    }
    TRY_ALLOCATED(memory_grow((void **)&joint->elements, (size_t)joint->n_elements + 1,
                              &joint->capacity, sizeof *joint->elements));
    joint->elements[joint->n_elements++] = (struct element){
        .y = picture_number(row, COLUMN_Y),
        .z = picture_number(row, COLUMN_Z),
        .area = picture_number(row, COLUMN_AREA),
        .shares = {[STATE_STICK] = picture_number(row, COLUMN_STICK),
                   [STATE_SLIP] = picture_number(row, COLUMN_SLIP),
                   [STATE_OPEN] = picture_number(row, COLUMN_OPEN)},
        .loss = picture_number(row, COLUMN_LOSS),
    };
done:
    free(found.name);
    return status;
}

/* Peaks, where there are any: frequencies that were asked for are in the table. */
static void keep_peaks(struct contacts *contacts)
{
    bool has_peaks = false;
    int n = 0;
    for (int i = 0; i < contacts->n_joints; i++) {
        has_peaks = has_peaks || contacts->joints[i].is_peak;
    }
    for (int i = 0; i < contacts->n_joints; i++) {
        if (!has_peaks || contacts->joints[i].is_peak) {
            contacts->joints[n++] = contacts->joints[i];
        } else {
            clear_joint(&contacts->joints[i]);
        }
    }
    contacts->n_joints = n;
}

/* ---- what is drawn together ---- */

/* The elements of one joint, or joints of one element each at the same point of a curve. */
struct group {
    const struct joint *joints;
    int n_joints, n_elements;
    double loss, largest; /* J per cycle: of all, of one */
};

static const struct element *element_at(const struct group *group, int index)
{
    return group->n_joints > 1 ? &group->joints[index].elements[0]
                               : &group->joints[0].elements[index];
}

static struct group group_at(const struct contacts *contacts, int first)
{
    const struct joint *joint = &contacts->joints[first];
    struct group group = {.joints = joint, .n_joints = 1, .n_elements = joint->n_elements};
    for (int i = first + 1; i < contacts->n_joints && joint->n_elements == 1; i++) {
        const struct joint *next = &contacts->joints[i];
        if (next->n_elements != 1 || !are_of_one_point(joint, next)) {
            break;
        }
        group.n_joints++;
        group.n_elements++;
    }
    for (int i = 0; i < group.n_elements; i++) {
        double loss = element_at(&group, i)->loss;
        group.loss += loss;
        group.largest = fmax(group.largest, loss);
    }
    return group;
}

/* ---- where the elements of a patch lie, found from their places ---- */

struct grid {
    bool is_map;            /* false: the elements stand side by side */
    double low[2], high[2]; /* m, edges of the patch along y and z */
    double size[2];         /* m, of an element */
};

static double place(const struct element *element, int axis)
{
    return axis == 0 ? element->y : element->z;
}

static struct grid find_grid(const struct group *group)
{
    struct grid grid = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    for (int i = 0; i < group->n_elements; i++) {
        for (int axis = 0; axis < 2; axis++) {
            double at = place(element_at(group, i), axis);
            if (!isfinite(at)) {
                return grid;
            }
            grid.low[axis] = fmin(grid.low[axis], at);
            grid.high[axis] = fmax(grid.high[axis], at);
        }
    }
    if (group->n_joints > 1 || group->n_elements < 2) {
        return grid;
    }
    double area = element_at(group, 0)->area;
    for (int axis = 0; axis < 2; axis++) {
        /* the smallest distance that counts as one; 0: all stand alike */
        const double alike = 1e-6 * (grid.high[axis] - grid.low[axis]);
        double smallest = INFINITY, at = place(element_at(group, 0), axis);
        for (int i = 1; i < group->n_elements; i++) {
            double distance = fabs(place(element_at(group, i), axis) - at);
            smallest = distance > alike ? fmin(smallest, distance) : smallest;
        }
        grid.size[axis] = isfinite(smallest) ? smallest : 0.0;
    }
    for (int axis = 0; axis < 2; axis++) {
        double other = grid.size[1 - axis];
        if (grid.size[axis] == 0.0) { /* one row: its width is what the area leaves */
            grid.size[axis] = area > 0.0 ? area / other : other;
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        grid.low[axis] -= 0.5 * grid.size[axis];
        grid.high[axis] += 0.5 * grid.size[axis];
        grid.is_map = grid.size[0] > 0.0 && grid.size[1] > 0.0;
    }
    return grid;
}

/* ---- panels ---- */

#define SHEET_WIDTH 760.0
static const double panel_width = 0.5 * SHEET_WIDTH;
static const double left = 78, right = 92, above = 44, below = 62; /* of a frame */
static const double most_frame_height = 208;
static const double least_scale = 120; /* height of the colour scale */

enum { MOST_NAMES = 6 };

struct view {
    struct panel panel;
    const struct group *group;
    double x, y; /* of the panel on the sheet */
    struct grid grid;
    const char *names[MOST_NAMES];
};

/* The largest frame of the patch's shape in the room of a panel, in its upper left corner. */
static struct rectangle frame_of(const struct grid *grid, double x, double y)
{
    struct rectangle frame = {x + left, y + above, panel_width - left - right,
                              most_frame_height};
    if (grid->is_map) {
        const double least = 40; /* so that something of a strip is seen */
        double wide = grid->high[0] - grid->low[0], high = grid->high[1] - grid->low[1];
        double scale = fmin(frame.width / wide, frame.height / high);
        frame.width = fmax(scale * wide, least);
        frame.height = fmax(scale * high, least);
    }
    return frame;
}

static double group_height(const struct group *group)
{
    const struct grid grid = find_grid(group);
    return above + fmax(frame_of(&grid, 0, 0).height, least_scale - 30) + below;
}

/* Bars: one for each element, named where they are few contacts of one element. */
static void begin_bars(struct view *view, double high, const char *y_label)
{
    const struct group *group = view->group;
    struct panel *panel = &view->panel;
    bool are_singles = group->n_joints > 1 || group->n_elements == 1;
    axis_fit(&panel->x, 0.5, group->n_elements + 0.5, false, true);
    axis_use_whole_steps(&panel->x);
    axis_fit(&panel->y, 0, high, false, true);
    panel->y_label = y_label;
    panel->x_label = are_singles ? "contact" : "element";
    if (are_singles && group->n_elements <= MOST_NAMES) {
        for (int i = 0; i < group->n_elements; i++) {
            view->names[i] = group->joints[i].name;
        }
        panel->x_label = NULL;
        panel->x_names = view->names;
        panel->n_x_names = group->n_elements;
    }
}

static struct rectangle cell_of(const struct view *view, int index)
{
    const struct element *element = element_at(view->group, index);
    const struct grid *grid = &view->grid;
    const struct rectangle *frame = &view->panel.frame;
    const struct axis *x = &view->panel.x, *y = &view->panel.y;
    double from, to, top = frame->y, bottom = frame->y + frame->height;
    if (grid->is_map) {
        from = axis_place(x, element->y - 0.5 * grid->size[0]);
        to = axis_place(x, element->y + 0.5 * grid->size[0]);
        bottom = axis_place(y, element->z - 0.5 * grid->size[1]);
        top = axis_place(y, element->z + 0.5 * grid->size[1]);
    } else {
        double half_width = view->group->n_elements > 60 ? 0.5 : 0.4; /* of a bar */
        from = axis_place(x, index + 1 - half_width);
        to = axis_place(x, index + 1 + half_width);
    }
    return (struct rectangle){from, top, to - from, bottom - top};
}

static void draw_losses(const struct view *view)
{
    const struct group *group = view->group;
    for (int i = 0; i < group->n_elements; i++) {
        struct rectangle cell = cell_of(view, i);
        double loss = fmax(0, element_at(group, i)->loss), share = 0.35;
        if (view->grid.is_map) {
            share = group->largest > 0 ? loss / group->largest : 0;
        } else {
            double top = axis_place(&view->panel.y, loss);
            cell.height += cell.y - top;
            cell.y = top;
        }
        canvas_fill_rectangle(view->panel.canvas, &cell, canvas_shade(share));
    }
}

static void draw_states(const struct view *view)
{
    for (int i = 0; i < view->group->n_elements; i++) {
        const struct rectangle cell = cell_of(view, i);
        double done = 0;
        for (int s = 0; s < N_STATES; s++) {
            double share = element_at(view->group, i)->shares[s];
            struct rectangle part = cell;
            if (view->grid.is_map) {
                part.x += done * cell.width;
                part.width *= share;
            } else {
                part.y += (1 - done - share) * cell.height;
                part.height *= share;
            }
            canvas_fill_rectangle(view->panel.canvas, &part, states[s].colour);
            done += share;
        }
    }
}

/* Borders between the elements of a map, as long as they leave something of them. */
static void draw_borders(const struct view *view)
{
    for (int i = 0; view->grid.is_map && i < view->group->n_elements; i++) {
        struct rectangle cell = cell_of(view, i);
        if (cell.width >= 6 && cell.height >= 6) {
            canvas_outline(view->panel.canvas, &cell, canvas_paper, 1.4);
        }
    }
}

static void draw_state_legend(const struct panel *panel)
{
    const struct canvas *canvas = panel->canvas;
    double x = panel->frame.x + panel->frame.width + 14, y = panel->frame.y + 14;
    for (int s = 0; s < N_STATES; s++, y += 20) {
        struct rectangle sample = {x, y - 11, 14, 12};
        canvas_fill_rectangle(canvas, &sample, states[s].colour);
        canvas_outline(canvas, &sample, canvas_ink, 0.5);
        panel_text(canvas, x + 20, y, ANCHOR_START, false, states[s].name);
    }
}

/* Losses on the left of the sheet, states on its right. */
static void draw_panel(struct view *view, bool are_states)
{
    static const char loss_label[] = "Loss per cycle (J)";
    struct panel *panel = &view->panel;
    const struct grid *grid = &view->grid;
    const double largest = view->group->largest;
    char caption[AXIS_LABEL];
    struct axis scale;
    axis_fit(&scale, 0, largest > 0 ? largest : 1, false, true);
    if (grid->is_map) {
        axis_fit(&panel->x, grid->low[0], grid->high[0], false, true);
        axis_fit(&panel->y, grid->low[1], grid->high[1], false, true);
        panel->x_label = "y (m)";
        panel->y_label = "z (m)";
    } else if (are_states) {
        begin_bars(view, 100, "Share of the period (%)");
    } else {
        begin_bars(view, largest > 0 ? 1.06 * largest : 1, loss_label);
        panel->has_lines[1] = true;
    }
    axis_label(grid->is_map ? &scale : &panel->y, loss_label, caption);
    panel->caption = are_states ? grid->is_map ? "Shares of the period, each element" : "States"
                     : largest > 0 ? caption
                                   : "No loss";
    panel_place(panel, frame_of(grid, view->x, view->y), panel_left(panel));
    panel_draw_axes(panel);
    (are_states ? draw_states : draw_losses)(view);
    draw_borders(view);
    panel_draw_frame(panel);
    if (are_states) {
        draw_state_legend(panel);
    } else if (grid->is_map && largest > 0) {
        panel_draw_scale(panel, scale, fmax(panel->frame.height, least_scale), false);
    }
}

/* ---- the picture ---- */

enum { MOST_GROUPS = 12, TOP = 44, BOTTOM = 30 };

/* "patch at the peak, 20.31 Hz, preload (N) = 50: loss 0.00123 J per cycle" */
static void draw_heading(const struct group *group, const struct masing_plot_settings *settings,
                         const struct canvas *canvas, double top)
{
    const struct joint *joint = group->joints;
    char value[160] = "", text[512];
    if (settings->group_column && settings->group_label) {
        snprintf(value, sizeof value, ", %s = %.6g", settings->group_label, joint->value);
    }
    snprintf(text, sizeof text, "%s %s %.6g Hz%s: loss %.4g J per cycle",
             group->n_joints > 1 ? "Contacts" : joint->name,
             joint->is_peak ? "at the peak," : "at", joint->hertz, value, group->loss);
    panel_text(canvas, 20, top + 12, ANCHOR_START, false, text);
}

static double lay_out(void *content, const struct masing_plot_settings *settings)
{
    struct contacts *contacts = content;
    double height = TOP + BOTTOM;
    (void)settings;
    keep_peaks(contacts);
    for (int i = 0, shown = 0; i < contacts->n_joints && shown < MOST_GROUPS; shown++) {
        const struct group group = group_at(contacts, i);
        height += group_height(&group);
        i += group.n_joints;
    }
    return height;
}

static enum masing_status draw(const void *content, const struct masing_plot_settings *settings,
                               const struct canvas *canvas, struct masing_error *error)
{
    const struct contacts *contacts = content;
    int n = 0;
    double top = TOP;
    char text[80] = "no contacts";
    (void)error;
    panel_title(canvas, SHEET_WIDTH / 2, settings->title);
    for (int i = 0; i < contacts->n_joints; n++) {
        const struct group group = group_at(contacts, i);
        if (n < MOST_GROUPS) {
            draw_heading(&group, settings, canvas, top);
            for (int column = 0; column < 2; column++) {
                struct view view = {.panel = {.canvas = canvas},
                                    .group = &group,
                                    .x = column * panel_width,
                                    .y = top,
                                    .grid = find_grid(&group)};
                draw_panel(&view, column == 1);
            }
            top += group_height(&group);
        }
        i += group.n_joints;
    }
    if (n > MOST_GROUPS) {
        snprintf(text, sizeof text, "and %d more, which the table has", n - MOST_GROUPS);
    }
    if (n > MOST_GROUPS || n == 0) {
        panel_text(canvas, 20, top + 10, ANCHOR_START, false, text);
    }
    return MASING_OK;
}

const struct picture_kind contacts_picture = {
    .size = sizeof(struct contacts),
    .width = SHEET_WIDTH,
    .name_columns = name_columns,
    .row = add_row,
    .lay_out = lay_out,
    .draw = draw,
    .clear = clear,
};
