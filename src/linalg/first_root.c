/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "linalg/first_root.h"

#include <math.h>
#include <string.h>

#include "linalg/bracket.h"

enum { ROOM = FIRST_ROOT_MOST_DEGREE + 1, MOST_HALVINGS = 50 };

static double value_at(int degree, const double *a, double s)
{
    double sum = 0.0;
    for (int k = degree; k >= 0; k--) {
        sum = sum * s + a[k];
    }
    return sum;
}

/* The only root between a place where the polynomial is positive and one where it is negative,
 * from the far side. */
static double bracketed_root(int degree, const double *a, double low, double high)
{
    double at_low = value_at(degree, a, low), at_high = value_at(degree, a, high);
    struct bracket bracket = bracket_of(low, at_low, high, at_high);
    while (at_low > 0.0 && at_high < 0.0 && bracket_next(&bracket, 0.0)) {
        bracket_set(&bracket, value_at(degree, a, bracket.x));
    }
    return bracket.end[1].x;
}

/* b_i = sum over j of C(i, j)/C(n, j) a_j: values from leading differences. */
static void to_bernstein(int degree, const double *a, double *b)
{
    double differences[ROOM], binomial = 1.0;
    for (int j = 0; j <= degree; j++) {
        differences[j] = a[j] / binomial;
        binomial *= (double)(degree - j) / (j + 1);
    }
    for (int i = 0; i <= degree; i++) {
        b[i] = differences[0];
        for (int j = 0; j < degree - i; j++) {
            differences[j] += differences[j + 1];
        }
    }
}

/* Both halves of the interval (de Casteljau's rule). */
static void halve(int degree, const double *b, double *left, double *right)
{
    memcpy(right, b, (size_t)(degree + 1) * sizeof(double));
    for (int i = 0; i <= degree; i++) {
        left[i] = right[0];
        for (int j = 0; j < degree - i; j++) {
            right[j] = 0.5 * (right[j] + right[j + 1]);
        }
    }
}

static int sign_changes(int degree, const double *b)
{
    int n = 0;
    double last = 1.0;
    for (int i = 0; i <= degree; i++) {
        if (b[i] != 0.0) {
            n += (b[i] > 0.0) != (last > 0.0);
            last = b[i];
        }
    }
    return n;
}

static double search(int degree, const double *a, const double *b, double low, double high,
                     int halvings)
{
    int n_changes = sign_changes(degree, b);
    if (b[0] < 0.0) {
        return low;
    }
    if (n_changes == 0) {
        return INFINITY;
    }
    if (n_changes == 1) {
        return bracketed_root(degree, a, low, high);
    }
    if (halvings == 0) {
        return b[degree] < 0.0 ? high : INFINITY;
    }
    double left[ROOM], right[ROOM], middle = 0.5 * (low + high);
    halve(degree, b, left, right);
    double root = search(degree, a, left, low, middle, halvings - 1);
    return isfinite(root) ? root : search(degree, a, right, middle, high, halvings - 1);
}

double first_root(int degree, const double *a)
{
    if (a[0] <= 0.0) {
        do {
            a++;
            degree--;
        } while (degree >= 0 && *a == 0.0);
        if (degree < 0) {
            return INFINITY;
        }
        if (*a < 0.0) {
            return 0.0;
        }
    }
    double others = 0.0, b[ROOM];
    for (int k = 1; k <= degree; k++) {
        others += fabs(a[k]);
    }
    if (a[0] > others) {
        return INFINITY;
    }
    to_bernstein(degree, a, b);
    return search(degree, a, b, 0.0, 1.0, MOST_HALVINGS);
}
