/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Static states of stops and contacts that are much stiffer than what bears them, of many that
 * share a load, and the linear modes about them: closed forms, and for random chains the
 * equations of the state that was found, which is the only one since stops are convex.
 */
#include <math.h>

#include "example.h"
#include "linalg/lu.h"
#include "masing/mode.h"
#include "ringdown.h"
#include "specimen.h"
#include "static_check.h"

/* --- one stop, one contact ---------------------------------------------------------------- */

/* Position of a mass on a spring ks that a force brings to a stop of stiffness k. */
static double at_stop(double force, double ks, double k, double gap, bool two_sided)
{
    double free = force / ks;
    return free > gap                 ? (force + k * gap) / (ks + k)
           : two_sided && free < -gap ? (force - k * gap) / (ks + k)
                                      : free;
}

static void a_stop(double force, double ks, double k, double gap, bool two_sided)
{
    struct masing_check_result result = {0};
    struct masing_error error;
    char *text =
        text_of("masing: 1\nstructure: {masses: {x: 1}, springs: [{from: ground, to: x, "
                "stiffness: %.17g}]}\n"
                "joints: [{name: s, law: unilateral_spring, from: ground, to: x, "
                "stiffness: %.17g, gap: %.17g, two_sided: %s}]\n"
                "static_loads: [{dof: x, force: %.17g}]\n"
                "frequency: [5, 40]\noutputs: [x]\n",
                ks, k, gap, two_sided ? "true" : "false", force);
    if (!CHECK(check_text(text, &result, &error) == MASING_OK)) {
        printf("# stiffness %g, gap %g, force %g: %s\n", k, gap, force, error.message);
        return;
    }
    double x = at_stop(force, ks, k, gap, two_sided);
    double closed = x > gap || (two_sided && x < -gap) ? k : 0;
    CHECK_RELATIVE(result.static_displacement[0], x, 1e-12);
    /* a displacement's last digit is so many newtons */
    CHECK_SCALED(result.static_force[0], force - ks * x, fabs(force) + 4e-4 * k * fabs(x),
                 1e-12);
    CHECK_RELATIVE(result.stuck_hz[0] * 2 * acos(-1.0), sqrt(ks + closed), 1e-12);
    masing_check_clear(&result);
}

static void stops_of_any_stiffness(void)
{
    static const double ratios[] = {1, 1e2, 1e4, 1e6, 1e8, 1e10},
                        gaps[] = {-1e-4, 1e-6, 1e-4, 1e-2};
    static const double forces[] = {5, 500, -5}, units[] = {1, 1e-3};
    for (size_t i = 0; i < 6 * 4 * 3 * 2; i++) {
        double unit = units[i % 2], force = forces[i / 2 % 3], gap = gaps[i / 6 % 4] / unit;
        double ks = 1e4 * unit, k = ks * ratios[i / 24];
        a_stop(force, ks, k, gap, false);
        if (gap > 0) {
            a_stop(force, ks, k, gap, true);
        }
    }
}

/* A model of the field; overrides may be NULL. */
static struct masing_check_result field(const char *name, const struct masing_override *list,
                                        int n)
{
    char path[200];
    struct masing_check_result result = {0};
    snprintf(path, sizeof path, "../tests/reference/field/%s.yaml", name);
    struct masing_model *model = example_open(path, list, n);
    CHECK(masing_check(model, NULL, &result, NULL) == MASING_OK);
    masing_model_destroy(model);
    return result;
}

static void stiff_stop_and_contact(void)
{
    struct masing_check_result stop = field("static_stiff_stop", NULL, 0);
    struct masing_check_result contact = field("static_stiff_contact", NULL, 0);
    CHECK_RELATIVE(stop.static_displacement[0], 5 / 1.0001e8, 1e-12);
    CHECK_RELATIVE(contact.static_displacement[0], (5 + 1e8 * 1e-5) / 1.0001e8, 1e-12);
    CHECK_SCALED(contact.static_displacement[1], 0.0, 1e-5, 1e-12);
    masing_check_clear(&stop);
    masing_check_clear(&contact);
}

/* --- a wedge between two blades ----------------------------------------------------------- */

/* What the wedge carries along the load, and friction within its limit. */
static void check_wedge(const char *load, const char *normal, const char *tangential,
                        const char *friction, const char *roughness)
{
    const struct masing_override list[] = {{"FC", load},
                                           {"left.normal_stiffness", normal},
                                           {"right.normal_stiffness", normal},
                                           {"left.tangential_stiffness", tangential},
                                           {"right.tangential_stiffness", tangential},
                                           {"left.friction", friction},
                                           {"right.friction", friction},
                                           {"left.roughness", roughness},
                                           {"right.roughness", roughness}};
    const double c = 0.70710678, force = strtod(load, NULL), mu = strtod(friction, NULL);
    struct masing_check_result result =
        field("wedge_static_normal", list, sizeof list / sizeof *list);
    const double *f = result.static_force;
    CHECK_RELATIVE(c * (f[0] + f[1] + f[2] - f[3]), force, 1e-9);
    CHECK_RELATIVE(f[0], f[2], 1e-9);
    CHECK_RELATIVE(f[1], -f[3], 1e-9);
    CHECK(fabs(f[1]) <= mu * f[0] * (1 + 1e-9));
    masing_check_clear(&result);
}

static void contacts_share_the_load_of_a_wedge(void)
{
    static const char *const loads[] = {"1e-6", "100", "1e5"};
    static const char *const stiff[] = {"2e5", "2e9", "2e12"};
    for (size_t i = 0; i < 9; i++) {
        check_wedge(loads[i % 3], stiff[i / 3], "1.5e7", "0.3", "0");
        check_wedge(loads[i % 3], stiff[i / 3], stiff[i / 3], "0.9", "1e-6");
        check_wedge(loads[i % 3], stiff[i / 3], "1.5e5", "0", "1e-4");
    }
}

/* --- random chains of masses and stops ---------------------------------------------------- */

enum { MOST_DOFS = 6, MOST_STOPS = 8 };

struct chain {
    int n, n_stops, from[MOST_STOPS], to[MOST_STOPS];
    double k[MOST_STOPS], gap[MOST_STOPS], force[MOST_DOFS];
    bool two_sided[MOST_STOPS];
    double stiffness[MOST_DOFS * MOST_DOFS];
};

static double uniform(uint64_t *seed, double from, double to)
{
    return from + 0.5 * (to - from) * (specimen_draw(seed) + 1);
}

static int pick(uint64_t *seed, int n)
{
    int i = (int)uniform(seed, 0, n);
    return i < n ? i : n - 1;
}

static const char *name_of(int dof, char *text)
{
    snprintf(text, 16, dof < 0 ? "ground" : "x%d", dof);
    return text;
}

static size_t add_springs(struct chain *chain, uint64_t *seed, bool is_free, char *text)
{
    char a[16], b[16];
    size_t length = (size_t)sprintf(text, "masing: 1\nstructure:\n  masses: {");
    for (int i = 0; i < chain->n; i++) {
        length += (size_t)sprintf(text + length, "%sx%d: 1", i ? ", " : "", i);
    }
    length += (size_t)sprintf(text + length, "}\n  springs:%s\n",
                              is_free && chain->n == 1 ? " []" : "");
    for (int i = is_free ? 1 : 0; i < chain->n; i++) {
        double k = pow(10, uniform(seed, 3, 5));
        specimen_add_between(chain->n, chain->stiffness, i - 1, i, k);
        length += (size_t)sprintf(text + length, "    - {from: %s, to: %s, stiffness: %.17g}\n",
                                  name_of(i - 1, a), name_of(i, b), k);
    }
    return length;
}

static void make_chain(struct chain *chain, uint64_t *seed, bool is_free, char *text)
{
    static const double gaps[] = {0, 1e-6, 1e-4, 1e-3};
    char a[16], b[16];
    *chain =
        (struct chain){.n = 1 + pick(seed, MOST_DOFS), .n_stops = 1 + pick(seed, MOST_STOPS)};
    size_t length = add_springs(chain, seed, is_free, text);
    length += (size_t)sprintf(text + length, "joints:\n");
    for (int j = 0; j < chain->n_stops; j++) {
        chain->from[j] = pick(seed, chain->n + 1) - 1;
        chain->to[j] = pick(seed, chain->n) - 1;
        chain->to[j] += chain->to[j] >= chain->from[j];
        chain->k[j] = pow(10, uniform(seed, 3, 12));
        chain->gap[j] = gaps[pick(seed, 4)];
        chain->two_sided[j] = pick(seed, 3) == 0;
        length +=
            (size_t)sprintf(text + length,
                            "  - {name: s%d, law: unilateral_spring, from: %s, to: %s, "
                            "stiffness: %.17g, gap: %.17g, two_sided: %s}\n",
                            j, name_of(chain->from[j], a), name_of(chain->to[j], b),
                            chain->k[j], chain->gap[j], chain->two_sided[j] ? "true" : "false");
    }
    length += (size_t)sprintf(text + length, "static_loads:\n");
    for (int i = 0; i < chain->n; i++) {
        chain->force[i] = specimen_draw(seed) * pow(10, uniform(seed, 0, 3));
        length += (size_t)sprintf(text + length, "  - {dof: x%d, force: %.17g}\n", i,
                                  chain->force[i]);
    }
    sprintf(text + length, "frequency: [5, 40]\noutputs: [x0]\n");
}

/* 1, -1 or 0: which stop of a joint is closed at w. */
static int side_of(const struct chain *chain, int j, double w)
{
    return w > chain->gap[j] ? 1 : chain->two_sided[j] && w < -chain->gap[j] ? -1 : 0;
}

/* The linear structure with the stops that are closed in a state has it as its solution. */
static void verify(const struct chain *chain, const double *w)
{
    int n = chain->n, pivots[MOST_DOFS];
    double matrix[MOST_DOFS * MOST_DOFS], x[MOST_DOFS];
    memcpy(matrix, chain->stiffness, sizeof matrix);
    memcpy(x, chain->force, sizeof x);
    for (int j = 0; j < chain->n_stops; j++) {
        int side = side_of(chain, j, w[j]), from = chain->from[j], to = chain->to[j];
        double push = side * chain->k[j] * chain->gap[j];
        specimen_add_between(n, matrix, from, to, side ? chain->k[j] : 0);
        if (from >= 0) {
            x[from] -= push;
        }
        if (to >= 0) {
            x[to] += push;
        }
    }
    CHECK(lu_factor(n, matrix, pivots) == MASING_OK);
    lu_solve(n, matrix, pivots, x, 1);
    double largest = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    for (int j = 0; j < chain->n_stops; j++) {
        double from = chain->from[j] < 0 ? 0 : x[chain->from[j]];
        double to = chain->to[j] < 0 ? 0 : x[chain->to[j]];
        CHECK_SCALED(w[j], to - from, largest, 1e-7);
    }
}

/* A free chain moves as a whole: whether a stop at the ground is on its way. */
static bool can_be_carried(const struct chain *chain)
{
    double push = 0;
    bool is_held = false;
    for (int i = 0; i < chain->n; i++) {
        push += chain->force[i];
    }
    for (int j = 0; j < chain->n_stops; j++) {
        bool is_ahead = push > 0 ? chain->from[j] < 0 : chain->to[j] < 0;
        bool is_behind = push > 0 ? chain->to[j] < 0 : chain->from[j] < 0;
        is_held = is_held || is_ahead || (chain->two_sided[j] && is_behind);
    }
    return is_held;
}

static void random_chains(void)
{
    uint64_t seed = 14;
    int n_found = 0;
    enum { N = 400 };
    for (int i = 0; i < N; i++) {
        struct chain chain;
        struct masing_check_result result = {0};
        struct masing_error error;
        char *text = malloc(4000);
        bool is_free = i % 3 == 0;
        make_chain(&chain, &seed, is_free, text);
        bool is_found = check_text(text, &result, &error) == MASING_OK;
        bool is_right = CHECK(is_found == (!is_free || can_be_carried(&chain))) &&
                        CHECK(is_found || strstr(error.message, "motion"));
        if (is_found) {
            verify(&chain, result.static_displacement);
            n_found++;
        } else if (!is_right) {
            printf("# chain %d: %s\n", i, error.message);
        }
        masing_check_clear(&result);
    }
    printf("# %d of %d chains have a static state\n", n_found, N);
    CHECK(n_found > N * 3 / 4 && n_found < N);
}

/* --- modes about the static state --------------------------------------------------------- */

static void stuck_is_stuck_in_the_static_state(void)
{
    static const char *const wedges[] = {"wedge_static_normal", "wedge_static_mode"};
    static const double wedge[] = {310.63, 2106.87, 9420.8, 9648.5};
    struct masing_check_result pressed = field("pressed_contact", NULL, 0);
    CHECK_RELATIVE(pressed.stuck_hz[0], 200 / (2 * acos(-1.0)), 1e-12);
    CHECK_RELATIVE(pressed.stuck_hz[1], sqrt(1.01e6) / (2 * acos(-1.0)), 1e-12);
    masing_check_clear(&pressed);
    const struct masing_override preload[] = {
        {"FC", "0"}, {"left.preload", "54.392"}, {"right.preload", "54.392"}};
    struct masing_check_result same = field(wedges[0], preload, 3);
    for (size_t i = 0; i < 2; i++) {
        struct masing_check_result found = field(wedges[i], NULL, 0);
        for (int k = 0; k < 4; k++) {
            CHECK_RELATIVE(found.stuck_hz[k], wedge[k], 2e-5);
            CHECK_RELATIVE(found.stuck_hz[k], same.stuck_hz[k], 1e-9);
            CHECK_RELATIVE(found.free_hz[k], same.free_hz[k], 1e-9);
        }
        masing_check_clear(&found);
    }
    masing_check_clear(&same);
}

/* A DOF without mass between two springs gives way to the joint at it, in the shape, too. */
static void shapes_of_massless_dofs(void)
{
    struct masing_check_result result;
    struct masing_error error;
    CHECK(check_text(text_of("masing: 1\nstructure: {masses: {b: 0, a: 4}, springs: [{from: "
                             "ground, to: b, stiffness: 100}, {from: b, to: a, stiffness: "
                             "300}]}\n"
                             "joints: [{name: j, law: jenkins, from: ground, to: b, stiffness: "
                             "200, slip_force: 1}]\nfrequency: [0.1, 4]\noutputs: [a]\n"),
                     &result, &error) == MASING_OK);
    CHECK_RELATIVE(result.free_shapes[0], 0.5 * 300 / 400, 1e-12);
    CHECK_RELATIVE(result.stuck_shapes[0], 0.5 * 300 / 600, 1e-12);
    CHECK_RELATIVE(result.free_shapes[1], 0.5, 1e-12);
    CHECK_RELATIVE(result.stuck_shapes[1], 0.5, 1e-12);
    CHECK_RELATIVE(result.stuck_motion[0], 300.0 / 600, 1e-12);
    masing_check_clear(&result);
}

/* A stop behind a gap, a hardening spring, a patch of which one half is open. */
static void tangents_of_other_laws(void)
{
    const struct masing_override gap = {"s.gap", "1e-4"};
    struct masing_check_result stop = field("static_stiff_stop", &gap, 1), cubic, patch;
    struct masing_error error;
    CHECK_RELATIVE(stop.stuck_hz[0] * 2 * acos(-1.0), sqrt(1.0001e8), 1e-12);
    masing_check_clear(&stop);
    /* 100 x + 1e6 x^3 = 1100 at x = 0.1 is wrong by 0: slope 100 + 3e6 x^2 */
    CHECK(check_text(text_of("masing: 1\nstructure: {masses: {x: 1}, springs: [{from: ground, "
                             "to: x, stiffness: 1000}]}\n"
                             "joints: [{name: c, law: cubic_spring, from: ground, to: x, "
                             "coefficient: 1e6}]\nstatic_loads: [{dof: x, force: 1100}]\n"
                             "frequency: [5, 40]\noutputs: [x]\n"),
                     &cubic, &error) == MASING_OK);
    CHECK_RELATIVE(cubic.static_displacement[0], 0.1, 1e-12);
    CHECK_RELATIVE(cubic.stuck_hz[0] * 2 * acos(-1.0), sqrt(31000.0), 1e-12);
    masing_check_clear(&cubic);
    CHECK(
        check_text(text_of("masing: 1\n"
                           "structure: {masses: {m.ry: 1}, springs: [{from: ground, to: m.ry, "
                           "stiffness: 50}]}\n"
                           "joints: [{name: c, law: contact_patch, from: ground, to: m, size: "
                           "[0.1, 0.1], elements: [2, 2], normal_stiffness: 4e4, "
                           "tangential_stiffness: 3e4, friction: 0.5, preload: 30}]\n"
                           "static_loads: [{dof: m.ry, force: 3}]\n"
                           "frequency: [1, 2]\noutputs: [m.ry]\n"),
                   &patch, &error) == MASING_OK);
    CHECK_RELATIVE(patch.stuck_hz[0] * 2 * acos(-1.0), sqrt(50 + 2e4 * 0.025 * 0.025), 1e-12);
    masing_check_clear(&patch);
}

/* Damping ratios of the stuck modes are those of the modes about the static state, and `mode`
 * begins there. */
static void modes_begin_about_the_static_state(void)
{
    static const char *const names[] = {"pressed_contact", "wedge_static_mode"};
    static const double hz[] = {200 / (2 * 3.14159265358979323846), 2106.867199};
    for (int i = 0; i < 2; i++) {
        char path[200];
        struct masing_mode_summary summary = {0};
        struct table rows = {0};
        struct masing_sink sink = table_sink(&rows);
        const struct masing_mode_options options = {0};
        const struct masing_override stuck[] = {{"structure.damping.modal_ratio", "0.01"},
                                                {"structure.damping.modes", "stuck"}};
        snprintf(path, sizeof path, "../tests/reference/field/%s.yaml", names[i]);
        struct masing_model *model = example_open(path, stuck, i == 0 ? 2 : 0);
        CHECK(masing_mode(model, &options, &sink, &summary, NULL) == MASING_OK);
        CHECK(summary.is_complete);
        CHECK_RELATIVE(summary.stuck_hz, hz[i], 1e-8);
        CHECK_RELATIVE(summary.first.frequency_hz, hz[i], 1e-8);
        if (i == 0) {
            CHECK_RELATIVE(summary.first.damping_ratio, 0.01, 1e-9);
        }
        masing_mode_summary_clear(&summary);
        table_clear(&rows);
        masing_model_destroy(model);
    }
}

/* Static displacement of the second mass of pressed_springs under a force, and the slope there
 * of what acts on it beside the structure: of a stop, or of a cubic spring. */
static double pressed_slope(double force, double stop, double gap, double cubic, double *x)
{
    double held = 1e4 * 2e4 / 3e4, low = -1.0, high = 1.0; /* both springs in series */
    for (int i = 0; i < 200; i++) {
        *x = 0.5 * (low + high);
        double sum = held * *x + stop * fmax(0.0, *x - gap) + cubic * *x * *x * *x;
        *(sum > force ? &high : &low) = *x;
    }
    return (*x > gap ? stop : 0.0) + 3 * cubic * *x * *x;
}

/* Modes about springs and stops that static loads press, also where they change their order:
 * two masses of 1 and 2 kg, whose frequencies solve a quadratic equation. */
static void modes_of_pressed_springs(void)
{
    static const struct {
        double force, stop, gap, cubic;
    } cases[] = {{200, 1e6, 1e-4, 0},  {200, 1e9, 1e-4, 0},    {0.5, 1e6, 1e-4, 0},
                 {200, 0, 1e-4, 1e10}, {-200, 1e6, 1e-4, 1e9}, {20, 5e4, -1e-3, 1e12}};
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        double force = cases[i / 2].force, stop = cases[i / 2].stop, gap = cases[i / 2].gap, x;
        double slope = pressed_slope(force, stop, gap, cases[i / 2].cubic, &x);
        double a = 3e4, b = 0.5 * (2e4 + slope), coupling = 4e8 / 2;
        double mean = 0.5 * (a + b), half = sqrt(0.25 * (a - b) * (a - b) + coupling);
        double hz = sqrt(mean + (i % 2 ? half : -half)) / (2 * acos(-1.0));
        char text[5][32];
        const double values[] = {stop, gap, cases[i / 2].cubic, force, 1.0 + (double)(i % 2)};
        static const char *const names[] = {"stop.stiffness", "stop.gap", "spring.coefficient",
                                            "static_loads.0.force", "mode.number"};
        struct masing_override overrides[6] = {[5] = {"structure.damping.modes", "stuck"}};
        for (int k = 0; k < 5; k++) {
            snprintf(text[k], sizeof text[k], "%.17g", values[k]);
            overrides[k] = (struct masing_override){names[k], text[k]};
        }
        struct masing_mode_summary mode = {0};
        const struct masing_mode_options options = {0};
        struct masing_check_result check = {0};
        struct masing_model *model =
            example_open("../tests/reference/field/pressed_springs.yaml", overrides, 6);
        CHECK(masing_check(model, NULL, &check, NULL) == MASING_OK);
        CHECK_RELATIVE(check.static_displacement[0], x, 1e-9);
        CHECK_RELATIVE(check.stuck_hz[i % 2], hz, 1e-9);
        CHECK(masing_mode(model, &options, NULL, &mode, NULL) == MASING_OK);
        CHECK(mode.is_complete);
        CHECK_RELATIVE(mode.stuck_hz, hz, 1e-9);
        CHECK_RELATIVE(mode.first.frequency_hz, hz, 1e-7); /* all but linear there */
        CHECK_RELATIVE(mode.first.damping_ratio, 1e-3, 1e-7);
        masing_mode_summary_clear(&mode);
        masing_check_clear(&check);
        masing_model_destroy(model);
    }
}

/* Where a mode begins a little nonlinear it is still the one that was asked for, and not one
 * that the structure has without the press. */
static void a_mode_that_begins_nonlinear(void)
{
    for (int number = 1; number <= 3; number++) {
        static const char *const numbers[] = {"1", "2", "3"};
        const struct masing_override override = {"mode.number", numbers[number - 1]};
        const struct masing_mode_options options = {0};
        struct masing_mode_summary mode = {0};
        struct masing_model *model =
            example_open("../tests/reference/field/pressed_cubic.yaml", &override, 1);
        CHECK(masing_mode(model, &options, NULL, &mode, NULL) == MASING_OK);
        CHECK_RELATIVE(mode.first.frequency_hz, mode.stuck_hz, 2e-4);
        masing_mode_summary_clear(&mode);
        masing_model_destroy(model);
    }
}

/* A vibration about them is of the same modes: ring-down in time. */
static void free_vibration_of_pressed_springs(void)
{
    struct decay decay;
    const struct masing_ringdown_options options = {0};
    decay_example(&decay, "../tests/reference/field/pressed_springs.yaml", NULL, 0, &options);
    CHECK_RELATIVE(decay.summary.modes[0].stuck_hz, 27.374509, 1e-6);
    CHECK_RELATIVE(decay.summary.modes[1].stuck_hz, 113.70574, 1e-6);
    decay_clear(&decay);
}

/* Far beyond the press a mode goes on from the springs and stops as they are at rest; its
 * amplitude means the same with the load and without. Reference: harmonic balance of other
 * hands, tests/reference/field. */
static void a_mode_far_beyond_the_press(void)
{
    static const double at[] = {1e-3};
    struct masing_mode_summary summary = {0};
    struct table rows = {0};
    struct masing_sink sink = table_sink(&rows);
    const struct masing_mode_options options = {.n_at = 1, .at = at};
    struct masing_model *model =
        example_open("../tests/reference/field/mode_static.yaml", NULL, 0);
    CHECK(masing_mode(model, &options, &sink, &summary, NULL) == MASING_OK);
    CHECK(summary.is_complete);
    CHECK_RELATIVE(summary.stuck_hz, 34.0565301, 1e-8); /* by hand */
    int row = 0;
    while (row + 1 < rows.n_rows && table_get(&rows, row, "amplitude") != at[0]) {
        row++;
    }
    CHECK_RELATIVE(table_get(&rows, row, "frequency_hz"), 27.46153058, 1e-9);
    CHECK_RELATIVE(table_get(&rows, row, "damping_ratio"), 0.0487095, 1e-6);
    masing_mode_summary_clear(&summary);
    table_clear(&rows);
    masing_model_destroy(model);
}

/* A mass that joints alone hold is a rigid body whatever its digits are. */
static void masses_that_joints_hold(void)
{
    for (int i = 0; i < 200; i++) {
        char text[1000];
        struct masing_document *document = NULL;
        struct masing_model *model = NULL;
        struct masing_check_result result = {0};
        double mass = 1.0 + 0.00713 * i, k = 1.1e4 + 37.0 * i;
        snprintf(text, sizeof text,
                 "masing: 1\nstructure:\n  masses: {a: 1.565, b: %.17g, c: 0.7375, d: 1.681}\n"
                 "  springs:\n    - {from: ground, to: a, stiffness: 38325.2}\n"
                 "    - {from: ground, to: c, stiffness: 59892.3}\n"
                 "    - {from: ground, to: d, stiffness: 32003.6}\n"
                 "    - {from: d, to: a, stiffness: 20069.4}\n"
                 "    - {from: c, to: d, stiffness: 50763}\n"
                 "joints:\n  - {name: j, law: linear, stiffness: %.17g, from: c, to: b}\n"
                 "static_loads: [{dof: b, force: 2.91}]\nfrequency: 49.5\n",
                 mass, k);
        CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, NULL) ==
                  MASING_OK &&
              masing_document_model(document, NULL, 0, &model, NULL) == MASING_OK);
        if (CHECK(model && masing_check(model, NULL, &result, NULL) == MASING_OK)) {
            CHECK(result.n_rigid == 1 && masing_model_n_warnings(model) == 0);
            CHECK_RELATIVE(result.static_displacement[0], 2.91 / k, 1e-9);
        }
        masing_check_clear(&result);
        masing_model_destroy(model);
        masing_document_destroy(document);
    }
}

static const struct tap_test tests[] = {
    {"stops of any stiffness", stops_of_any_stiffness},
    {"a stiff stop and a stiff contact", stiff_stop_and_contact},
    {"contacts share the load of a wedge", contacts_share_the_load_of_a_wedge},
    {"random chains", random_chains},
    {"masses that joints hold", masses_that_joints_hold},
    {"stuck is stuck in the static state", stuck_is_stuck_in_the_static_state},
    {"shapes of massless DOFs", shapes_of_massless_dofs},
    {"tangents of other laws", tangents_of_other_laws},
    {"modes begin about the static state", modes_begin_about_the_static_state},
    {"modes of pressed springs", modes_of_pressed_springs},
    {"a mode that begins nonlinear", a_mode_that_begins_nonlinear},
    {"free vibration of pressed springs", free_vibration_of_pressed_springs},
    {"a mode far beyond the press", a_mode_far_beyond_the_press},
};

int main(void)
{
    return tap_run(tests, (int)(sizeof tests / sizeof *tests));
}
