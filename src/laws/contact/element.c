/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/contact/element.h"

#include <math.h>

/* What one approach b >= 0 gives per unit of stiffness: normal g = N/(k_N R), tangential
 * h = k/k_T, and m = (N/k)/(k_N R/k_T), over q = b/R (Voldrich 2009, eqs 1, 2). Without
 * roughness R is 1 m and g = m = q, h = 1. */
struct shape {
    double g, g_q, h, h_q, m, m_q;
};

static struct shape shape_of(double q, enum contact_piece piece)
{
    if (piece == CONTACT_LINEAR) {
        return (struct shape){q, 1.0, 1.0, 0.0, q, 1.0};
    }
    if (piece == CONTACT_FLAT) {
        return (struct shape){q - 0.5, 1.0, 1.0, 0.0, q - 0.5, 1.0};
    }
    double part = 3.0 - 2.0 * q;
    return (struct shape){.g = q * q * q * (1.0 - 0.5 * q),
                          .g_q = q * q * part,
                          .h = q * q * part,
                          .h_q = 6.0 * q * (1.0 - q),
                          .m = q * (1.0 - 0.5 * q) / part,
                          .m_q = (3.0 - 3.0 * q + q * q) / (part * part)};
}

static enum contact_piece piece_at(double q, bool is_rough)
{
    return !is_rough ? CONTACT_LINEAR : q < 1.0 ? CONTACT_ROUGH : CONTACT_FLAT;
}

/* Coefficient of friction at a speed and its slope. */
static double friction(const struct masing_contact_element *e, double speed, double *slope)
{
    if (e->hyperbolic_decay > 0.0) {
        double part = 1.0 / (1.0 + e->hyperbolic_decay * speed);
        *slope = -e->friction_static * e->hyperbolic_decay * part * part;
        return e->friction_static * part;
    }
    double drop = e->friction_static - e->friction_kinetic, part = exp(-e->decay * speed);
    *slope = -drop * e->decay * part;
    return e->friction_kinetic + drop * part;
}

static double friction_change(const struct masing_contact_element *e,
                              const struct masing_contact_element *change, double speed)
{
    if (e->hyperbolic_decay > 0.0) {
        double part = 1.0 / (1.0 + e->hyperbolic_decay * speed);
        return change->friction_static * part -
               e->friction_static * part * part * speed * change->hyperbolic_decay;
    }
    double part = exp(-e->decay * speed);
    return change->friction_kinetic * (1.0 - part) + change->friction_static * part -
           (e->friction_static - e->friction_kinetic) * part * speed * change->decay;
}

bool contact_has_friction(const struct masing_contact_element *e)
{
    return e->friction_static > 0.0 || e->friction_kinetic > 0.0;
}

bool contact_is_rate_dependent(const struct masing_contact_element *e)
{
    return e->hyperbolic_decay > 0.0 ||
           (e->decay > 0.0 && e->friction_static != e->friction_kinetic);
}

/* The approach that counts: c where it is positive, rounded off over the smoothing. */
static double approach(double c, double smoothing, double *slope)
{
    if (smoothing > 0.0) {
        double root = sqrt(c * c + smoothing * smoothing);
        *slope = 0.5 * (1.0 + c / root);
        return c < 0.0 ? 0.5 * smoothing * smoothing / (root - c) : 0.5 * (c + root);
    }
    *slope = c > 0.0 ? 1.0 : 0.0;
    return c > 0.0 ? c : 0.0;
}

static double speed_of(const double *velocity)
{
    return velocity ? hypot(velocity[0], velocity[1]) : 0.0;
}

/* At the approach b that counts, which changes with c by the slope. */
static void set_local(const struct masing_contact_element *e, enum contact_piece piece,
                      double b, double slope, double speed, struct contact_local *local)
{
    double size = piece == CONTACT_LINEAR ? 1.0 : e->roughness, mu_w;
    struct shape shape = shape_of(b / size, piece);
    double mu = friction(e, speed, &mu_w);
    double ratio = e->normal_stiffness / e->tangential_stiffness;
    local->is_open = !(b > 0.0);
    local->force = e->normal_stiffness * size * shape.g;
    local->force_c = e->normal_stiffness * shape.g_q * slope;
    local->stiffness = e->tangential_stiffness * shape.h;
    local->stiffness_c = e->tangential_stiffness * shape.h_q / size * slope;
    local->reach = mu * ratio * size * shape.m;
    local->reach_c = mu * ratio * shape.m_q * slope;
    local->reach_w = mu_w * ratio * size * shape.m;
    local->heading[0] = local->heading[1] = 0.0;
}

void contact_local_set(const struct masing_contact_element *e, double smoothing, double u,
                       const double *velocity, struct contact_local *local)
{
    bool is_rough = e->roughness > 0.0;
    double slope, speed = speed_of(velocity);
    local->c = e->position + u;
    double b = approach(local->c, smoothing, &slope);
    enum contact_piece piece = piece_at(is_rough ? b / e->roughness : b, is_rough);
    set_local(e, piece, b, slope, speed, local);
    for (int a = 0; a < 2; a++) {
        local->heading[a] = speed > 0.0 ? velocity[a] / speed : 0.0;
    }
}

void contact_local_continue(const struct masing_contact_element *e, enum contact_piece piece,
                            double c, double speed, struct contact_local *local)
{
    local->c = c;
    set_local(e, piece, c, 1.0, speed, local);
}

void contact_local_change(const struct masing_contact_element *e,
                          const struct masing_contact_element *change, double smoothing,
                          double u, const double *velocity, struct contact_change *local)
{
    bool is_rough = e->roughness > 0.0;
    double size = is_rough ? e->roughness : 1.0;
    double slope, mu_w, speed = speed_of(velocity);
    double b = approach(e->position + u, smoothing, &slope), q = b / size;
    struct shape shape = shape_of(q, piece_at(q, is_rough));
    double mu = friction(e, speed, &mu_w), mu_change = friction_change(e, change, speed);
    double k_n = e->normal_stiffness, k_t = e->tangential_stiffness, ratio = k_n / k_t;
    double ratio_change =
        ratio * (change->normal_stiffness / k_n - change->tangential_stiffness / k_t);
    double rough = is_rough ? change->roughness : 0.0;
    local->force =
        change->normal_stiffness * size * shape.g + k_n * (shape.g - q * shape.g_q) * rough;
    local->stiffness =
        change->tangential_stiffness * shape.h - k_t * shape.h_q * q / size * rough;
    local->reach = (mu_change * ratio + mu * ratio_change) * size * shape.m +
                   mu * ratio * (shape.m - q * shape.m_q) * rough;
}

/* q with q^3 - q^4/2 = g, 0 <= g < 1/2: Newton's method from above, where the curve is steep
 * enough; it rises and is convex up to q = 1. */
static double rough_approach(double g)
{
    enum { MAX_ITERATIONS = 60 };
    static const double LAST_DIGIT = 1e-16;
    double q = fmin(1.0, cbrt(2.0 * g)); /* q^3 >= g, as q^3 - q^4/2 >= q^3/2 */
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        struct shape shape = shape_of(q, piece_at(q, true));
        double step = (shape.g - g) / shape.g_q;
        q -= step;
        if (!(fabs(step) > LAST_DIGIT * q)) {
            break;
        }
    }
    return q;
}

double contact_position(double force, double normal_stiffness, double roughness,
                        double slopes[3])
{
    if (!(roughness > 0.0)) {
        double position = force / normal_stiffness;
        slopes[0] = 1.0 / normal_stiffness;
        slopes[1] = -position / normal_stiffness;
        slopes[2] = 0.0;
        return position;
    }
    double g = force / (normal_stiffness * roughness);
    if (!(force > 0.0)) { /* the curve is flat there: it is where the surfaces touch */
        slopes[0] = slopes[1] = slopes[2] = 0.0;
        return 0.0;
    }
    double q = g >= 0.5 ? g + 0.5 : rough_approach(g);
    double q_g = 1.0 / shape_of(q, piece_at(q, true)).g_q;
    slopes[0] = q_g / normal_stiffness;
    slopes[1] = -q_g * g * roughness / normal_stiffness;
    slopes[2] = q - q_g * g;
    return q * roughness;
}
