/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/turning.h"

#include <math.h>

static double sample(const double *x, int n, int i)
{
    return x[((i % n) + n) % n];
}

/* Where the cubic of a step has its extremum of the kind looked for; false if nowhere in it. */
static bool locate(const double *x, int n, int step, struct turning *turning)
{
    double left = sample(x, n, step);
    double d0 = sample(x, n, step - 1) - left, d2 = sample(x, n, step + 1) - left;
    double d3 = sample(x, n, step + 2) - left;
    /* x - left = a t + b t^2 + c t^3 */
    double a = d2 - d0 / 3.0 - d3 / 6.0;
    double b = 0.5 * (d0 + d2);
    double c = (d3 - d0) / 6.0 - 0.5 * d2;
    double discriminant = b * b - 3.0 * a * c;
    if (!(discriminant > 0.0)) {
        return false;
    }
    /* the root of a + 2 b t + 3 c t^2 with the second derivative's sign of the kind */
    double root = sqrt(discriminant);
    double t = a / (turning->is_maximum ? root - b : -root - b);
    if (!(t >= 0.0 && t <= 1.0)) {
        return false;
    }
    double value = left + t * (a + t * (b + t * c));
    if (turning->is_maximum ? value <= turning->x : value >= turning->x) {
        return false;
    }
    turning->step = step;
    turning->fraction = t;
    turning->x = value;
    return true;
}

/* The turning point beside sample `at`, where the samples change direction; `until` is the
 * last of the equal samples that begin there. */
static struct turning turning_near(const double *x, int n, int at, int until, bool is_maximum)
{
    struct turning turning = {.step = at, .is_maximum = is_maximum, .x = sample(x, n, at)};
    if (until - at < 2) {
        /* both may be true only where the samples are too few for the path: take the farther */
        locate(x, n, at - 1, &turning);
        locate(x, n, at, &turning);
    }
    return turning;
}

/* The last sample that differs from the one before it, and in which direction. */
static int last_change(const double *x, int n, bool *rises)
{
    for (int i = n - 1; i >= 0; i--) {
        double before = x[i > 0 ? i - 1 : n - 1];
        if (x[i] != before) {
            *rises = x[i] > before;
            return i;
        }
    }
    return n;
}

/* The next sample from i on that does not go on as the one before it did, n: none. */
static int next_change(const double *x, int n, int i, bool rises)
{
    if (rises) {
        for (; i < n && x[i] > x[i - 1]; i++) {
        }
    } else {
        for (; i < n && x[i] < x[i - 1]; i++) {
        }
    }
    return i;
}

int turning_find(const double *x, int n, struct turning *turnings)
{
    int count = 0;
    bool rises = false;
    int reached = last_change(x, n, &rises); /* first of the samples equal to the present one */
    if (reached == n) {
        return 0;
    }
    reached -= n;
    for (int i = 0; i < n; i++) {
        int passed = i > 0 ? next_change(x, n, i, rises) : 0;
        reached = passed > i ? passed - 1 : reached;
        i = passed;
        double before = x[i > 0 ? i - 1 : n - 1];
        if (i == n || x[i] == before) {
            continue;
        }
        if ((x[i] > before) != rises) {
            turnings[count++] = turning_near(x, n, reached, i - 1, rises);
            rises = !rises;
        }
        reached = i;
    }
    return count;
}
