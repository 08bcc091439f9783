/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "plot/plot_map.h"

struct corner {
    double x, y, value; /* place on the sheet */
};

/* Where the level lies on the edge between two corners. */
static bool cut(const struct corner *a, const struct corner *b, double level, double place[2])
{
    bool is_between = (a->value < level) != (b->value < level);
    if (is_between) {
        double part = (level - a->value) / (b->value - a->value);
        place[0] = a->x + part * (b->x - a->x);
        place[1] = a->y + part * (b->y - a->y);
    }
    return is_between;
}

/* A triangle has one piece or none, so that saddles need no decision. */
static void draw_triangle(const struct corner *corners[3], double level,
                          const struct canvas *canvas)
{
    double places[3][2];
    int n = 0;
    for (int i = 0; i < 3; i++) {
        n += cut(corners[i], corners[(i + 1) % 3], level, places[n]);
    }
    if (n == 2) {
        canvas->move(canvas->context, places[0][0], places[0][1]);
        canvas->line(canvas->context, places[1][0], places[1][1]);
    }
}

void plot_contour_draw(const struct plot_map_grid *grid, const struct plot_axis *x,
                       const struct plot_axis *y, double level, const struct canvas *canvas)
{
    for (int j = 0; j + 1 < grid->n_y; j++) {
        for (int i = 0; i + 1 < grid->n_x; i++) {
            struct corner corners[5]; /* about the cell, then its middle */
            double sum[3] = {0.0, 0.0, 0.0};
            for (int c = 0; c < 4; c++) {
                int column = i + (c == 1 || c == 2), row = j + (c >= 2);
                corners[c] = (struct corner){plot_axis_place(x, grid->x[column]),
                                             plot_axis_place(y, grid->y[row]),
                                             grid->values[row * grid->n_x + column]};
                sum[0] += corners[c].x;
                sum[1] += corners[c].y;
                sum[2] += corners[c].value;
            }
            corners[4] = (struct corner){0.25 * sum[0], 0.25 * sum[1], 0.25 * sum[2]};
            for (int c = 0; c < 4 && isfinite(sum[2]); c++) {
                const struct corner *three[3] = {&corners[c], &corners[(c + 1) % 4],
                                                 &corners[4]};
                draw_triangle(three, level, canvas);
            }
        }
    }
}
