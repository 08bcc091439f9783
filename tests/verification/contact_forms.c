/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contacts against closed forms: lines, circles, imposed normal motion, patches at rest. */
#include "contact_paths.h"

#include "tap.h"

static const double PI = 3.1415926535897932385;

enum { N = 4096 };

static struct contact_case open_contact(double k_n, double k_t, double mu, double preload)
{
    struct contact_case test = {.law = masing_law_find("contact"), .axes = 7u, .n_axes = 3};
    test.parameters = calloc(1, test.law->parameters_size);
    masing_fields_reset(test.law->fields, test.law->n_fields, test.parameters);
    contact_set(test.law, test.parameters, "normal_stiffness", 0, k_n);
    contact_set(test.law, test.parameters, "tangential_stiffness", 0, k_t);
    contact_set(test.law, test.parameters, "friction", 0, mu);
    contact_set(test.law, test.parameters, "preload", 0, preload);
    CHECK(masing_law_check(test.law, test.parameters, NULL) == MASING_OK);
    return test;
}

static void march(const struct contact_case *test, int n, const double *x, double *f,
                  struct masing_forces *forces)
{
    const struct masing_path path = {.n_samples = n,
                                     .n_axes = test->n_axes,
                                     .is_periodic = true,
                                     .time_step = 1.0 / n,
                                     .x = x,
                                     .origin = test->origin};
    *forces = (struct masing_forces){.f = f};
    CHECK(contact_march(test, &path, NULL, forces) == MASING_OK);
}

static void a_line_at_any_angle_loses_the_same(void)
{
    static double x[3 * N], f[3 * N];
    struct contact_case test = open_contact(1e5, 2e4, 0.4, 50.0);
    double reach = 0.4 * 50.0 / 2e4, amplitude = 3.7 * reach;
    struct masing_forces forces;
    for (int degrees = 0; degrees < 360; degrees += 15) {
        double c = cos(degrees * PI / 180), s = sin(degrees * PI / 180);
        for (int i = 0; i < N; i++) {
            double v = amplitude * cos(2.0 * PI * i / N);
            x[3 * i] = 0.0;
            x[3 * i + 1] = c * v;
            x[3 * i + 2] = s * v;
        }
        march(&test, N, x, f, &forces);
        CHECK_RELATIVE(contact_loss(N, 3, x, f), 4.0 * 20.0 * (amplitude - reach), 2e-6);
        CHECK(forces.open_share == 0.0 && forces.slip_share > 0.5 && forces.slip_margin > 0.0);
    }
    contact_case_clear(&test);
}

static void a_circle_loses_what_its_radius_says(void)
{
    static double x[3 * N], f[3 * N];
    struct contact_case test = open_contact(1e5, 2e4, 0.4, 50.0);
    double reach = 0.4 * 50.0 / 2e4;
    for (double radius = 1.01 * reach; radius < 100.0 * reach; radius *= 1.5) {
        struct masing_forces forces;
        for (int i = 0; i < N; i++) {
            x[3 * i] = 0.0;
            x[3 * i + 1] = radius * cos(2.0 * PI * i / N);
            x[3 * i + 2] = radius * sin(2.0 * PI * i / N);
        }
        march(&test, N, x, f, &forces);
        double expected = 2.0 * PI * 20.0 * sqrt(radius * radius - reach * reach);
        CHECK_RELATIVE(contact_loss(N, 3, x, f), expected, 3e-5);
        CHECK(forces.slip_share == 1.0);
        for (int i = 0; i < N; i += 100) {
            CHECK_RELATIVE(hypot(f[3 * i + 1], f[3 * i + 2]), 20.0, 1e-12);
        }
    }
    contact_case_clear(&test);
}

/* The polygon of the samples is all that is wrong with a circle: second order. */
static void a_circle_converges_by_second_order(void)
{
    static double x[3 * N], f[3 * N];
    struct contact_case test = open_contact(1e5, 2e4, 0.4, 50.0);
    double reach = 0.4 * 50.0 / 2e4, radius = 2.0 * reach, errors[2];
    for (int k = 0; k < 2; k++) {
        int n = 256 << k;
        struct masing_forces forces;
        for (int i = 0; i < n; i++) {
            x[3 * i] = 0.0;
            x[3 * i + 1] = radius * cos(2.0 * PI * i / n);
            x[3 * i + 2] = radius * sin(2.0 * PI * i / n);
        }
        march(&test, n, x, f, &forces);
        errors[k] =
            contact_loss(n, 3, x, f) - 2.0 * PI * 20.0 * sqrt(radius * radius - reach * reach);
    }
    CHECK_RELATIVE(errors[0] / errors[1], 4.0, 0.02);
    contact_case_clear(&test);
}

/* u = 2 u_0 cos theta is open where cos theta < -1/2: one third of the period. The mean of
 * max(0, 1 + 2 cos theta) is (2/3 + sqrt(3)/pi) = 1.2180. */
static void imposed_normal_motion_opens_a_third_of_the_period(void)
{
    static double x[3 * N], f[3 * N];
    struct contact_case test = open_contact(4e4, 4e4, 0.5, 20.0);
    struct masing_forces forces;
    for (int i = 0; i < N; i++) {
        x[3 * i] = 2.0 * 20.0 / 4e4 * cos(2.0 * PI * i / N);
        x[3 * i + 1] = 1e-2 * sin(2.0 * PI * i / N);
        x[3 * i + 2] = 3e-3 * cos(2.0 * PI * i / N);
    }
    march(&test, N, x, f, &forces);
    double mean = 0.0;
    for (int i = 0; i < N; i++) {
        double normal = f[3 * i] + 20.0;
        mean += normal / N;
        CHECK(normal >= 0.0);
        CHECK(hypot(f[3 * i + 1], f[3 * i + 2]) <= 0.5 * normal + 1e-12 * 20.0);
    }
    CHECK_RELATIVE(mean, 20.0 * (2.0 / 3.0 + sqrt(3.0) / PI), 1e-6);
    CHECK_RELATIVE(mean, 20.0 * 1.2180, 1e-4);
    CHECK_SCALED(forces.open_share, 1.0 / 3.0, 1.0, 1.0 / N);
    contact_case_clear(&test);
}

static void rotated_axes_change_nothing(void)
{
    static double x[3 * N], f[3 * N], y[3 * N], g[3 * N];
    struct contact_case test = open_contact(4e4, 3e4, 0.5, 20.0);
    uint64_t seed = 7;
    enum { FEW = 256 };
    for (int trial = 0; trial < 50; trial++) {
        double angle = test_uniform(&seed, 0.0, 2.0 * PI), c = cos(angle), s = sin(angle);
        struct test_path paths[3];
        struct masing_forces forces, other;
        for (int a = 0; a < 3; a++) {
            test_path_random(&paths[a], &seed, a == 0 ? 8e-4 : 2e-3);
            for (int i = 0; i < FEW; i++) {
                x[3 * i + a] = test_path_value(&paths[a], 2.0 * PI * i / FEW, 0);
            }
        }
        for (int i = 0; i < FEW; i++) {
            y[3 * i] = x[3 * i];
            y[3 * i + 1] = c * x[3 * i + 1] - s * x[3 * i + 2];
            y[3 * i + 2] = s * x[3 * i + 1] + c * x[3 * i + 2];
        }
        march(&test, FEW, x, f, &forces);
        march(&test, FEW, y, g, &other);
        for (int i = 0; i < FEW; i++) {
            CHECK_SCALED(g[3 * i + 1], c * f[3 * i + 1] - s * f[3 * i + 2], 10.0, 1e-9);
            CHECK_SCALED(g[3 * i + 2], s * f[3 * i + 1] + c * f[3 * i + 2], 10.0, 1e-9);
        }
        CHECK(forces.slip_share == other.slip_share);
    }
    contact_case_clear(&test);
}

static void rough_contacts_follow_their_curves(void)
{
    struct contact_case test = {.law = masing_law_find("contact"), .axes = 7u, .n_axes = 3};
    for (double preload = 0.0; preload < 100.0; preload += 3.0) {
        double tangent[9];
        test.parameters = calloc(1, test.law->parameters_size);
        masing_fields_reset(test.law->fields, test.law->n_fields, test.parameters);
        contact_set(test.law, test.parameters, "normal_stiffness", 0, 4e4);
        contact_set(test.law, test.parameters, "tangential_stiffness", 0, 3e4);
        contact_set(test.law, test.parameters, "friction", 0, 0.5);
        contact_set(test.law, test.parameters, "preload", 0, preload);
        contact_set(test.law, test.parameters, "roughness", 0, 1e-3);
        CHECK(masing_law_check(test.law, test.parameters, NULL) == MASING_OK);
        masing_law_stiffness(test.law, test.parameters, NULL, true, tangent);
        double x[3] = {0.0, 0.0, 0.0}, f[3];
        struct masing_forces forces;
        march(&test, 1, x, f, &forces);
        CHECK_SCALED(f[0], 0.0, 1.0 + preload, 1e-12);
        /* u* from Voldrich's eq. 2 by bisection */
        double low = 0.0, high = 10.0, g = preload / 40.0;
        for (int i = 0; i < 80; i++) {
            double u = 0.5 * (low + high);
            double curve = u < 1.0 ? u * u * u - 0.5 * u * u * u * u : u - 0.5;
            *(curve < g ? &low : &high) = u;
        }
        double h = low < 1.0 ? 3.0 * low * low - 2.0 * low * low * low : 1.0;
        CHECK_SCALED(tangent[0], 4e4 * h, 4e4, 1e-9);
        CHECK_SCALED(tangent[4], 3e4 * h, 3e4, 1e-9);
        CHECK(tangent[8] == tangent[4]);
        free(test.parameters);
    }
}

static struct contact_case open_patch(unsigned axes, double preload, double m_y, double m_z,
                                      double roughness, struct masing_error *error,
                                      enum masing_status *status)
{
    struct contact_case test = {.law = masing_law_find("contact_patch"),
                                .axes = axes,
                                .n_axes = contact_count_axes(axes)};
    test.parameters = calloc(1, test.law->parameters_size);
    masing_fields_reset(test.law->fields, test.law->n_fields, test.parameters);
    const char *names[] = {"normal_stiffness", "tangential_stiffness", "friction", "preload",
                           "roughness"};
    const double values[] = {4e4, 4e4, 0.5, preload, roughness};
    for (int i = 0; i < 5; i++) {
        contact_set(test.law, test.parameters, names[i], 0, values[i]);
    }
    for (int i = 0; i < 2; i++) {
        contact_set(test.law, test.parameters, "size", i, 0.1);
        contact_set(test.law, test.parameters, "elements", i, 4.0);
        contact_set(test.law, test.parameters, "preload_moment", i, i == 0 ? m_y : m_z);
    }
    test.law->choose_axes(test.parameters, axes);
    *status = masing_law_check(test.law, test.parameters, error);
    return test;
}

/* What the elements carry at rest is what was put on them. */
static void patches_carry_their_preload(void)
{
    uint64_t seed = 5;
    for (int trial = 0; trial < 200; trial++) {
        enum masing_status status;
        struct masing_error error = {0};
        double preload = test_uniform(&seed, 1.0, 100.0), limit = 0.0375 * preload;
        double m_y = limit * test_uniform(&seed, -1.2, 1.2);
        double m_z = limit * test_uniform(&seed, -1.2, 1.2);
        double roughness = trial % 2 ? 1e-3 : 0.0;
        struct contact_case test =
            open_patch(63u, preload, m_y, m_z, roughness, &error, &status);
        bool exists = fabs(m_y) < limit && fabs(m_z) < limit;
        CHECK((status == MASING_OK) == exists);
        if (exists && status == MASING_OK) {
            double sum[3] = {0.0, 0.0, 0.0};
            for (int e = 0; e < 16; e++) {
                struct masing_contact_element element;
                test.law->contact->element(test.parameters, NULL, e, &element);
                CHECK(element.preload >= 0.0);
                CHECK((element.preload == 0.0) == (element.position <= 0.0));
                sum[0] += element.preload;
                sum[1] += element.z * element.preload;
                sum[2] -= element.y * element.preload;
            }
            CHECK_RELATIVE(sum[0], preload, 1e-9);
            CHECK_SCALED(sum[1], m_y, limit, 1e-9);
            CHECK_SCALED(sum[2], m_z, limit, 1e-9);
        }
        contact_case_clear(&test);
    }
}

/* 50 N and 1 N m on 4 x 4 elements: 3.125 N + {-3, -1, 1, 3} N. */
static void a_pressed_patch_is_linear(void)
{
    enum masing_status status;
    struct contact_case test = open_patch(2u, 50.0, 1.0, 0.0, 0.0, NULL, &status);
    CHECK(status == MASING_OK);
    for (int e = 0; e < 16; e++) {
        struct masing_contact_element element;
        test.law->contact->element(test.parameters, NULL, e, &element);
        CHECK_RELATIVE(element.preload, 3.125 + (e % 4 * 2 - 3), 1e-10);
    }
    contact_case_clear(&test);
}

/* Elements of one patch that move alike are one contact. */
static void a_patch_without_rotation_is_a_contact(void)
{
    enum { FEW = 128 };
    static double x[3 * FEW], f[3 * FEW], g[3 * FEW];
    enum masing_status status;
    struct contact_case patch = open_patch(7u, 30.0, 0.0, 0.0, 0.0, NULL, &status);
    struct contact_case point = open_contact(4e4, 4e4, 0.5, 30.0);
    struct masing_forces forces, other;
    uint64_t seed = 11;
    for (int a = 0; a < 3; a++) {
        struct test_path path;
        test_path_random(&path, &seed, 1e-3);
        for (int i = 0; i < FEW; i++) {
            x[3 * i + a] = test_path_value(&path, 2.0 * PI * i / FEW, 0);
        }
    }
    march(&patch, FEW, x, f, &forces);
    march(&point, FEW, x, g, &other);
    for (int i = 0; i < 3 * FEW; i++) {
        CHECK_SCALED(f[i], g[i], 30.0, 1e-12);
    }
    CHECK_SCALED(forces.slip_share, other.slip_share, 1.0, 1e-12);
    CHECK_SCALED(forces.open_share, other.open_share, 1.0, 1e-12);
    contact_case_clear(&patch);
    contact_case_clear(&point);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"a line at any angle loses the same", a_line_at_any_angle_loses_the_same},
        {"a circle loses what its radius says", a_circle_loses_what_its_radius_says},
        {"a circle converges by second order", a_circle_converges_by_second_order},
        {"imposed normal motion opens a third",
         imposed_normal_motion_opens_a_third_of_the_period},
        {"rotated axes change nothing", rotated_axes_change_nothing},
        {"rough contacts follow their curves", rough_contacts_follow_their_curves},
        {"patches carry their preload", patches_carry_their_preload},
        {"a pressed patch is linear", a_pressed_patch_is_linear},
        {"a patch without rotation is a contact", a_patch_without_rotation_is_a_contact},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
