/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each joint and the structure's damping take per cycle, and how far sliders go. */
#include "contact_paths.h"
#include "response.h"
#include "tap.h"

static const double PI = 3.1415926535897932385;
static const double STIFFNESS = 4e4, LIMIT = 15.0;

/* One mass on a spring and a damper with a slider; %s: harmonics and the joint. */
static char *oscillator(const char *settings, const char *joint)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  masses: {m: 1}\n"
                   "  springs: [{from: ground, to: m, stiffness: 4e4}]\n"
                   "  dampers: [{from: ground, to: m, damping: 4}]\n"
                   "joints: [{name: pad, from: ground, to: m, %s}]\n"
                   "loads: [{dof: m, amplitude: 20}]\n"
                   "frequency: [25, 60]\n"
                   "%s"
                   "outputs: [m]\n",
                   joint, settings);
}

static double get(const struct run *run, int row, const char *name)
{
    return table_get(&run->rows, row, name);
}

static void check_sums(const struct run *run, int r)
{
    double lost = get(run, r, "energy_lost"), hz = get(run, r, "frequency_hz");
    CHECK_RELATIVE(get(run, r, "loss_structure") + get(run, r, "loss_pad"), lost, 1e-12);
    CHECK_RELATIVE(get(run, r, "share_structure") + get(run, r, "share_pad"), 1.0, 1e-12);
    CHECK_SCALED(get(run, r, "share_pad"), get(run, r, "loss_pad") / lost, 1.0, 1e-12);
    CHECK_SCALED(get(run, r, "power_pad"), hz * get(run, r, "loss_pad"), hz * lost, 1e-12);
    /* c (Omega h X_h)^2 / 2, of the first harmonic and more */
    double x = get(run, r, "m_h1"), omega = 2.0 * PI * hz;
    CHECK(get(run, r, "power_structure") >= (1.0 - 1e-9) * 0.5 * 4.0 * pow(omega * x, 2.0));
}

/* The whole loss is the limit times the way, and the way 4 (X - F/k). */
static void a_slider_goes_as_far_as_it_loses(void)
{
    static const char *const settings[] = {"forces: exact\nharmonics: 7\n",
                                           "forces: sampled\nharmonics: 7\nsamples: 1024\n"};
    static const double precision[] = {1e-9, 1e-3};
    for (int s = 0; s < 2; s++) {
        char *text = oscillator(settings[s], "law: jenkins, stiffness: 4e4, slip_force: 15");
        struct run run;
        int n_slipping = 0;
        run_text(&run, text, NULL, 0);
        CHECK(run.status == MASING_OK && run.summary.energy_mismatch < 1e-6);
        for (int r = 0; r < run.rows.n_rows; r++) {
            double x = get(&run, r, "pad_displacement_amp"), reach = LIMIT / STIFFNESS;
            double way = get(&run, r, "slip_distance_pad");
            check_sums(&run, r);
            CHECK_SCALED(way, 4.0 * fmax(0.0, x - reach), x, s == 0 ? 1e-9 : 1e-5);
            CHECK_SCALED(get(&run, r, "loss_pad"), LIMIT * way, LIMIT * x, precision[s]);
            n_slipping += x > 2.0 * reach;
        }
        CHECK(n_slipping > 5);
        run_clear(&run);
        free(text);
    }
}

/* Of one harmonic the spring and the damper are known in closed form. */
static void equivalents_are_the_closed_form(void)
{
    char *text = oscillator("harmonics: [1]\n", "law: jenkins, stiffness: 4e4, slip_force: 15");
    struct run run;
    int n_slipping = 0, n_stuck = 0;
    run_text(&run, text, NULL, 0);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double x = get(&run, r, "pad_displacement_amp"), reach = LIMIT / STIFFNESS;
        double omega = 2.0 * PI * get(&run, r, "frequency_hz");
        double star = x > reach ? acos(1.0 - 2.0 * reach / x) : PI;
        double stiffness = STIFFNESS * (star - 0.5 * sin(2.0 * star)) / PI;
        double damping = x > reach ? 4.0 * LIMIT / (PI * x) * (1.0 - reach / x) : 0.0;
        CHECK_SCALED(get(&run, r, "pad_equivalent_stiffness"), stiffness, STIFFNESS, 1e-9);
        CHECK_SCALED(omega * get(&run, r, "pad_equivalent_damping"), damping, STIFFNESS, 1e-9);
        n_slipping += x > 1.5 * reach;
        n_stuck += x < 0.9 * reach;
    }
    CHECK(n_slipping > 5 && n_stuck > 0);
    run_clear(&run);
    free(text);
}

/* Outputs and joints differ by what the solver's tolerance leaves. */
static const double NEAR = 1e-8;

/*
 * A linear spring and damper beside a slider, under two harmonics: F_h = (k + i h Omega c)
 * X_h of the pad; of both joints the loss is pi sum h |F_h| |X_h| sin(phase of F - phase of X).
 */
static void forces_of_joints_are_the_closed_form(void)
{
    static const int harmonics[] = {1, 2, 3, 5};
    static const char *const joints[] = {"pad", "stop"};
    const double degree = PI / 180.0, k = 2e4, c = 12.0;
    struct run run;
    run_text(
        &run,
        "masing: 1\n"
        "structure:\n"
        "  masses: {m: 1}\n"
        "  springs: [{from: ground, to: m, stiffness: 4e4}]\n"
        "  dampers: [{from: ground, to: m, damping: 4}]\n"
        "joints:\n"
        "  - {name: pad, law: linear, from: m, to: ground, stiffness: 2e4, damping: 12}\n"
        "  - {name: stop, law: jenkins, from: ground, to: m, stiffness: 4e4, "
        "slip_force: 15}\n"
        "loads: [{dof: m, amplitude: 20, phase: 25}, {dof: m, amplitude: 8, harmonic: 2}]\n"
        "static_loads: [{dof: m, force: 3}]\n"
        "frequency: [25, 60]\n"
        "harmonics: [0, 1, 2, 3, 5]\n"
        "forces: auto\n"
        "outputs: [m]\n",
        NULL, 0);
    CHECK(run.status == MASING_OK && run.rows.n_rows > 10);
    for (int r = 0; r < run.rows.n_rows; r++) {
        double omega = 2.0 * PI * get(&run, r, "frequency_hz"), lost[2] = {0.0, 0.0};
        CHECK_SCALED(get(&run, r, "force_pad_mean"), -k * get(&run, r, "m_mean"), 3.0, NEAR);
        for (int i = 0; i < 4; i++) {
            int h = harmonics[i];
            char name[4][40];
            snprintf(name[0], sizeof name[0], "m_h%d", h);
            snprintf(name[1], sizeof name[1], "m_h%d_phase_deg", h);
            double x = get(&run, r, name[0]), at = degree * get(&run, r, name[1]);
            for (int j = 0; j < 2; j++) {
                snprintf(name[2], sizeof name[2], "force_%s_h%d", joints[j], h);
                snprintf(name[3], sizeof name[3], "force_%s_h%d_phase_deg", joints[j], h);
                double f = get(&run, r, name[2]), phase = degree * get(&run, r, name[3]);
                CHECK(phase > -PI * (1.0 + 1e-15) && phase <= PI * (1.0 + 1e-15));
                double sign = j == 0 ? -1.0 : 1.0; /* the pad's displacement is -m */
                lost[j] += PI * h * f * x * sign * sin(phase - at);
                if (j == 0) {
                    CHECK_SCALED(f, x * hypot(k, h * omega * c), 20.0, NEAR);
                    double away = phase - at - atan2(-h * omega * c, -k);
                    CHECK_SCALED(f * remainder(away, 2.0 * PI), 0.0, 20.0, NEAR);
                }
            }
        }
        CHECK_SCALED(lost[0], get(&run, r, "loss_pad"), get(&run, r, "energy_lost"), NEAR);
        CHECK_SCALED(lost[1], get(&run, r, "loss_stop"), get(&run, r, "energy_lost"), NEAR);
    }
    run_clear(&run);
}

/* A curved backbone slips beyond its reach: twice that on each way there and back. */
static void a_curved_backbone_slips_beyond_its_reach(void)
{
    char *text = oscillator("harmonics: 5\nsamples: 512\n",
                            "law: mindlin, slip_force: 10, slip_displacement: 4e-4");
    struct run run;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK);
    double reach = 4e-4, largest = 0.0;
    for (int r = 0; r < run.rows.n_rows; r++) {
        double x = get(&run, r, "pad_displacement_amp");
        double way = get(&run, r, "slip_distance_pad");
        CHECK_SCALED(way, 4.0 * fmax(0.0, x - reach), x, 1e-4);
        largest = fmax(largest, way);
    }
    CHECK(largest > reach);
    run_clear(&run);
    free(text);
}

static void laws_without_a_slider_have_no_way(void)
{
    char *text = oscillator("harmonics: 3\n", "law: cubic_spring, coefficient: 1e9");
    struct run run;
    run_text(&run, text, NULL, 0);
    CHECK(run.status == MASING_OK && run.rows.n_rows > 5);
    for (int r = 0; r < run.rows.n_rows; r++) {
        CHECK(isnan(get(&run, r, "slip_distance_pad")));
        CHECK_SCALED(get(&run, r, "loss_pad"), 0.0, get(&run, r, "energy_lost"), 1e-10);
    }
    run_clear(&run);
    free(text);
}

/* ---- contacts under prescribed motion ---- */

static struct contact_case contact(double k_t, double mu, double preload)
{
    struct contact_case test = {.law = masing_law_find("contact"), .axes = 7u, .n_axes = 3};
    test.parameters = calloc(1, test.law->parameters_size);
    masing_fields_reset(test.law->fields, test.law->n_fields, test.parameters);
    contact_set(test.law, test.parameters, "normal_stiffness", 0, 1e5);
    contact_set(test.law, test.parameters, "tangential_stiffness", 0, k_t);
    contact_set(test.law, test.parameters, "friction", 0, mu);
    contact_set(test.law, test.parameters, "preload", 0, preload);
    CHECK(masing_law_check(test.law, test.parameters, NULL) == MASING_OK);
    return test;
}

enum { N = 2048 };

/* Way of the slider where normal and tangential motions are cosines of some phases. */
static double way_of(const struct contact_case *test, const double size[3],
                     const double phase[3])
{
    static double x[3 * N], f[3 * N];
    for (int i = 0; i < N; i++) {
        for (int a = 0; a < 3; a++) {
            x[3 * i + a] = size[a] * cos(2.0 * PI * (i + 0.37) / N - phase[a]);
        }
    }
    const struct masing_path path = {.n_samples = N,
                                     .n_axes = 3,
                                     .is_periodic = true,
                                     .time_step = 1.0 / N,
                                     .x = x,
                                     .origin = test->origin};
    struct masing_forces forces = {.f = f};
    CHECK(contact_march(test, &path, NULL, &forces) == MASING_OK);
    return forces.slip_distance;
}

static void a_circle_slips_all_the_way(void)
{
    struct contact_case test = contact(2e4, 0.4, 50.0);
    double reach = 0.4 * 50.0 / 2e4;
    for (double part = 0.5; part < 100.0; part *= 1.7) {
        double radius = part * reach;
        double expected = part > 1.0 ? 2.0 * PI * sqrt(radius * radius - reach * reach) : 0.0;
        double way =
            way_of(&test, (double[]){0.0, radius, radius}, (double[]){0.0, 0.0, 0.5 * PI});
        CHECK_SCALED(way, expected, radius, 3e-5);
    }
    contact_case_clear(&test);
}

/* Stiff sideways it slides while it is closed, for half a period: 2 X, whichever half it is. */
static void an_open_contact_does_not_slide(void)
{
    struct contact_case test = contact(1e12, 0.4, 0.0);
    const double side = 3e-3;
    for (int p = -1; p <= 1; p++) {
        double phase = 0.5 * PI + 0.3 * p;
        double way = way_of(&test, (double[]){1e-3, side, 0.0}, (double[]){0.0, phase, 0.0});
        CHECK_RELATIVE(way, 2.0 * side, 1e-4);
    }
    contact_case_clear(&test);
}

static const struct tap_test tests[] = {
    {"a slider goes as far as it loses", a_slider_goes_as_far_as_it_loses},
    {"equivalents are the closed form", equivalents_are_the_closed_form},
    {"forces of joints are the closed form", forces_of_joints_are_the_closed_form},
    {"a curved backbone slips beyond its reach", a_curved_backbone_slips_beyond_its_reach},
    {"laws without a slider have no way", laws_without_a_slider_have_no_way},
    {"a circle slips all the way", a_circle_slips_all_the_way},
    {"an open contact does not slide", an_open_contact_does_not_slide},
};

TAP_MAIN(tests)
