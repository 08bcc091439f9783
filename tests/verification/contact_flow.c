/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contacts integrated to a tolerance, with events: against Newmark's steps as these become
 * small, against closed forms, and against other laws and methods.
 */
#include <complex.h>

#include "example.h"
#include "masing/compare.h"
#include "masing/integrate.h"

enum { MOST = 24 };

/* A body on a foot, or another joint, that normal and tangential loads move. */
#define BODY(joint)                                                                            \
    "masing: 1\n"                                                                              \
    "structure:\n"                                                                             \
    "  masses: {n.x: 0.5, n.y: 1, n.z: 1}\n"                                                   \
    "  springs:\n"                                                                             \
    "    - {from: ground, to: n.x, stiffness: 20000}\n"                                        \
    "    - {from: ground, to: n.y, stiffness: 20000}\n"                                        \
    "    - {from: ground, to: n.z, stiffness: 20000}\n"                                        \
    "    - {from: n.x, to: n.y, stiffness: $coupling}\n"                                       \
    "  damping: {modal_ratio: 0.01}\n"                                                         \
    "parameters: {coupling: 3000}\n"                                                           \
    "joints:\n" joint "loads:\n"                                                               \
    "  - {name: x, dof: n.x, amplitude: 14, phase: 30, harmonic: 2}\n"                         \
    "  - {name: y, dof: n.y, amplitude: 10}\n"                                                 \
    "  - {name: z, dof: n.z, amplitude: 10, phase: -90}\n"                                     \
    "frequency: [15, 45]\n"                                                                    \
    "outputs: [n.y, n.z, n.x]\n"

#define FOOT(tangential)                                                                       \
    "  - name: foot\n"                                                                         \
    "    law: contact\n"                                                                       \
    "    normal: {from: ground, to: n.x}\n"                                                    \
    "    tangential: [" tangential "]\n"                                                       \
    "    normal_stiffness: 50000\n"                                                            \
    "    tangential_stiffness: 30000\n"                                                        \
    "    friction: 0.3\n"                                                                      \
    "    preload: 10\n"

static const char plane[] = BODY(FOOT("{from: ground, to: n.y}, {from: ground, to: n.z}"));
static const char line[] = BODY(FOOT("{from: ground, to: n.y}"));

/* A body with all its rotations on a patch that tilts. */
static const char pad[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {b.x: 1, b.y: 1, b.z: 1, b.rx: 0.002, b.ry: 0.0015, b.rz: 0.0012}\n"
    "  springs:\n"
    "    - {from: ground, to: b.x, stiffness: 20000}\n"
    "    - {from: ground, to: b.y, stiffness: 20000}\n"
    "    - {from: ground, to: b.z, stiffness: 25000}\n"
    "    - {from: ground, to: b.rx, stiffness: 40}\n"
    "    - {from: ground, to: b.ry, stiffness: 50}\n"
    "    - {from: ground, to: b.rz, stiffness: 40}\n"
    "  damping: {modal_ratio: 0.01}\n"
    "joints:\n"
    "  - name: pad\n"
    "    law: contact_patch\n"
    "    from: ground\n"
    "    to: b\n"
    "    normal_stiffness: 60000\n"
    "    tangential_stiffness: 50000\n"
    "    friction: 0.4\n"
    "    preload: 20\n"
    "    preload_moment: [0.2, -0.1]\n"
    "    size: [0.1, 0.08]\n"
    "    elements: [3, 2]\n"
    "loads:\n"
    "  - {name: x, dof: b.x, amplitude: 12, phase: 30}\n"
    "  - {name: y, dof: b.y, amplitude: 9}\n"
    "  - {name: z, dof: b.z, amplitude: 6, phase: -70}\n"
    "  - {name: t, dof: b.rx, amplitude: 0.2, phase: 50}\n"
    "  - {name: r, dof: b.rz, amplitude: 0.5, phase: 10}\n"
    "frequency: [15, 45]\n"
    "outputs: [b.y, b.z, b.x, b.rx]\n";

/* A model with overrides "path=value path=value". */
static struct masing_model *model_of(const char *text, const char *settings)
{
    struct masing_override overrides[MOST];
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    char words[512];
    int n = 0;
    snprintf(words, sizeof words, "%s", settings);
    for (char *word = strtok(words, " "); word && CHECK(n < MOST); word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        overrides[n++] = (struct masing_override){word, value};
    }
    if (!CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) ==
                   MASING_OK &&
               masing_document_model(document, overrides, n, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    return model;
}

/* Rows of the second period from rest. */
static void run_on(const char *text, const char *settings, double hz, const char *method,
                   int steps, struct table *rows)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_sink sink = table_sink(rows);
    char all[512];
    snprintf(all, sizeof all,
             "integration.cycles=2 integration.tolerance=1e-300 integration.accuracy=1e-12 "
             "integration.method=%s integration.steps_per_cycle=%d %s",
             method, steps, settings);
    struct masing_model *model = model_of(text, all);
    CHECK(masing_integrate(model, hz, NULL, &sink, &summary, &error) == MASING_STOPPED);
    if (!CHECK(strstr(error.message, "no steady state") && rows->n_rows == steps)) {
        printf("# %s: %s\n", method, error.message);
    }
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

/* Until steady; settings are further words. */
static struct masing_integrate_summary settle(const char *text, const char *settings, double hz)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = model_of(text, settings);
    if (!CHECK(masing_integrate(model, hz, NULL, NULL, &summary, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    masing_model_destroy(model);
    return summary;
}

#define SHOOTING                                                                               \
    "integration.method=accurate integration.steady=shooting integration.tolerance=1e-9 "      \
    "integration.accuracy=1e-12 "                                                              \
    "integration.steps_per_cycle=2048 "

/* Largest difference of any column in parts of its size; b may have more rows per period. */
static double difference(const struct table *a, const struct table *b)
{
    double worst = 0.0;
    int stride = b->n_rows / a->n_rows;
    for (int c = 1; c < a->n_columns; c++) {
        double size = 0.0, off = 0.0;
        for (int r = 0; r < a->n_rows; r++) {
            double value = a->numbers[r * a->n_columns + c];
            size = fmax(size, fabs(value));
            off = fmax(off, fabs(b->numbers[r * stride * b->n_columns + c] - value));
        }
        worst = fmax(worst, size > 0.0 ? off / size : off);
    }
    return worst;
}

/* ---- steps that become small ---- */

static void newmark_converges(const char *text, double hz, const char *settings)
{
    struct table accurate, rows;
    double error[2];
    run_on(text, settings, hz, "accurate", 256, &accurate);
    for (int i = 0; i < 2; i++) {
        run_on(text, settings, hz, "newmark", i == 0 ? 1024 : 4096, &rows);
        error[i] = difference(&accurate, &rows);
        table_clear(&rows);
    }
    table_clear(&accurate);
    printf("# %s: %.1e, %.1e\n", settings, error[0], error[1]);
    CHECK(error[1] < 3e-5);
    CHECK_SCALED(error[0] / error[1], 16.0, 16.0, 0.3);
}

#define FALLING(joint)                                                                         \
#joint ".friction.static=0.4 " #joint ".friction.kinetic=0.1 " #joint ".friction.decay=40 "

static void steps_become_small_on_a_line(void)
{
    newmark_converges(line, 25.0, "foot.preload=9");
    newmark_converges(line, 25.0, "foot.roughness=5e-4");
    newmark_converges(line, 25.0, FALLING(foot));
}

static void steps_become_small_in_the_plane(void)
{
    newmark_converges(plane, 25.0, "x.amplitude=3");  /* an orbit */
    newmark_converges(plane, 25.0, "x.amplitude=14"); /* that leaves the ground */
    newmark_converges(plane, 25.0, "foot.roughness=5e-4");
    newmark_converges(plane, 25.0, FALLING(foot));
    newmark_converges(plane, 25.0, FALLING(foot) "z.amplitude=0");
}

static void steps_become_small_on_a_patch(void)
{
    newmark_converges(pad, 22.0, "pad.preload=20");
    newmark_converges(pad, 22.0, FALLING(pad) "pad.roughness=5e-4");
}

/* Surfaces that just touch at rest, and friction that is none. */
static void steps_become_small_from_nothing(void)
{
    newmark_converges(plane, 25.0, "foot.preload=0");
    newmark_converges(plane, 25.0, "foot.preload=0 x.amplitude=0");
    newmark_converges(plane, 25.0, "foot.friction=0");
}

/* ---- other laws, methods and closed forms ---- */

/* Two models from rest, over the periods up to the second. */
static double apart(const char *a, const char *settings_a, const char *method_a, const char *b,
                    const char *settings_b, const char *method_b, const char *column)
{
    struct table rows_a, rows_b;
    double off = 0.0, size = 0.0;
    run_on(a, settings_a, 25.0, method_a, 256, &rows_a);
    run_on(b, settings_b, 25.0, method_b, 256, &rows_b);
    for (int r = 0; r < rows_a.n_rows; r++) {
        double value = table_get(&rows_a, r, column);
        size = fmax(size, fabs(value));
        off = fmax(off, fabs(table_get(&rows_b, r, column) - value));
    }
    table_clear(&rows_a);
    table_clear(&rows_b);
    printf("# %s: %.1e\n", column, off / size);
    CHECK(size > 0.0);
    return off / size;
}

static void other_laws_agree(void)
{
    static const char jenkins[] =
        BODY("  - {name: foot, law: jenkins, from: ground, to: n.y, stiffness: 30000, "
             "slip_force: 3}\n");
    static const char stop[] =
        BODY("  - {name: foot, law: unilateral_spring, from: ground, to: n.x, "
             "stiffness: 50000, gap: 0}\n");
    const char *alone = "coupling=0 x.amplitude=0";
    CHECK(apart(line, alone, "accurate", jenkins, alone, "accurate", "n.y") < 1e-9);
    CHECK(apart(line, alone, "accurate", jenkins, alone, "exact", "n.y") < 1e-9);
    /* a smooth foot whose surfaces touch */
    CHECK(apart(line, "foot.preload=0 foot.friction=0", "accurate", stop, "x.amplitude=14",
                "exact", "n.x") < 1e-8);
    CHECK(apart(plane, "foot.preload=0 foot.friction=0", "accurate", stop, "x.amplitude=14",
                "exact", "n.x") < 1e-8);
}

/* The plane has no directions: what slides askew slides as on a line. */
static void a_line_in_the_plane_is_a_line(void)
{
    static const char *const settings[] = {"coupling=0", "coupling=0 foot.roughness=5e-4",
                                           "coupling=0 " FALLING(foot)};
    for (int i = 0; i < 3; i++) {
        char askew[256];
        struct table rows, other;
        snprintf(askew, sizeof askew, "%s y.amplitude=6 z.amplitude=8 z.phase=0", settings[i]);
        run_on(line, settings[i], 25.0, "accurate", 256, &rows);
        run_on(plane, askew, 25.0, "accurate", 256, &other);
        double off = 0.0, size = 0.0;
        for (int r = 0; r < rows.n_rows; r++) {
            double value = table_get(&rows, r, "n.y");
            double y = table_get(&other, r, "n.y"), z = table_get(&other, r, "n.z");
            size = fmax(size, fabs(value));
            off = fmax(off, fmax(fabs(y - 0.6 * value), fabs(z - 0.8 * value)));
        }
        printf("# askew: %.1e\n", off / size);
        CHECK(off < 1e-8 * size);
        table_clear(&rows);
        table_clear(&other);
    }
}

/*
 * A node that circles: its slider circles inside, at the distance d = mu N/k from it. With the
 * radius R the force is k d^2/R towards the centre and k d sqrt(1 - d^2/R^2) against the
 * motion.
 */
static void a_circle_is_what_it_must_be(void)
{
    struct masing_integrate_summary summary =
        settle(plane, SHOOTING "coupling=0 x.amplitude=0", 25.0);
    double omega = 2.0 * acos(-1.0) * 25.0, k = 20000.0, c = 2.0 * 0.01 * sqrt(k);
    double d = 0.3 * 10.0 / 30000.0, R = summary.outputs[0].h1;
    double square = sqrt(1.0 - d * d / (R * R));
    double complex force = k - omega * omega + 30000.0 * d * d / (R * R) +
                           I * (c * omega + 30000.0 * d / R * square);
    CHECK(R > 2.0 * d);
    CHECK_RELATIVE(summary.outputs[1].h1, R, 1e-9);
    CHECK_RELATIVE(cabs(force) * R, 10.0, 1e-9);
    CHECK_RELATIVE(summary.energy_joints, 2.0 * acos(-1.0) * 3.0 * R * square, 1e-9);
    masing_integrate_summary_clear(&summary);
}

/* What the loads put in is lost in joints and damping. */
static void energy_is_lost_and_found(void)
{
    static const struct {
        const char *text, *settings;
        double hz;
    } cases[] = {{line, SHOOTING "foot.preload=9", 25.0},
                 {plane, SHOOTING FALLING(foot), 25.0},
                 {pad,
                  SHOOTING "x.amplitude=4 pad.elements=[2,2] integration.steps_per_cycle=1024",
                  26.0}};
    int n = tap_most(3, 2);
    for (int i = 0; i < n; i++) {
        struct masing_integrate_summary summary =
            settle(cases[i].text, cases[i].settings, cases[i].hz);
        CHECK(summary.energy_joints > 0.1 * summary.energy_in);
        CHECK_RELATIVE(summary.energy_lost, summary.energy_in, 1e-5);
        printf("# %d cycles\n", summary.cycles);
        CHECK(summary.cycles < 50);
        masing_integrate_summary_clear(&summary);
    }
}

static void shooting_and_marching_agree(void)
{
#define DAMPED FALLING(foot) "structure.damping.modal_ratio=0.2 "
    struct masing_integrate_summary shot = settle(plane, SHOOTING DAMPED, 25.0);
    struct masing_integrate_summary marched = settle(
        plane,
        DAMPED
        "integration.method=accurate integration.tolerance=1e-6 integration.accuracy=1e-9 "
        "integration.steps_per_cycle=64",
        25.0);
    for (int o = 0; o < 3; o++) {
        CHECK_RELATIVE(marched.outputs[o].h1, shot.outputs[o].h1, 1e-5);
    }
    masing_integrate_summary_clear(&shot);
    masing_integrate_summary_clear(&marched);
}

/* A slider that a transient left just at its limit: by steps of any length it passes it for
 * moments only, or not at all, and what is lost there dies out. */
static void a_touched_limit_is_seen(void)
{
    const double hz = 24.0;
    for (int i = 0; i < 2; i++) {
        const struct masing_override overrides[] = {
            {"harmonics", "31"},
            {"integration.method", "accurate"},
            {"frequency", "[23, 29]"},
            {"integration.steady", i == 0 ? "shooting" : "marching"}};
        struct masing_model *model = example_open("lift_off.yaml", overrides, 4);
        const struct masing_compare_options options = {
            .n_frequencies = 1, .frequencies_hz = &hz, .tolerance = 1e-3};
        struct masing_compare_summary summary = {0};
        struct masing_error error = {0};
        CHECK(masing_compare(model, &options, NULL, &summary, &error) == MASING_OK);
        printf("# %s\n", error.message);
        CHECK(summary.n_stuck == 1 && summary.n_passed == 1);
        masing_compare_summary_clear(&summary);
        masing_model_destroy(model);
    }
}

/* What few harmonics do not tell is all that is between the balance and the integration. */
static void the_balance_agrees(void)
{
    static const char *const harmonics[] = {"7", "31"};
    const double hz[] = {26.0, 28.0};
    double worst[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        const struct masing_override overrides[] = {{"harmonics", harmonics[i]},
                                                    {"integration.method", "accurate"},
                                                    {"integration.steady", "shooting"},
                                                    {"frequency", "[23, 29]"}};
        struct masing_model *model = example_open("lift_off.yaml", overrides, 4);
        struct masing_compare_options options = {.n_frequencies = 2, .frequencies_hz = hz};
        struct masing_compare_summary summary = {0};
        struct masing_error error = {0};
        struct table rows;
        struct masing_sink sink = table_sink(&rows);
        CHECK(masing_compare(model, &options, &sink, &summary, &error) == MASING_OK);
        CHECK(summary.n_steady == 2 && rows.n_rows == 2);
        for (int r = 0; r < rows.n_rows; r++) {
            worst[i] = fmax(worst[i], table_get(&rows, r, "joint_loss_difference"));
            worst[i] = fmax(worst[i], table_get(&rows, r, "y_h1_difference"));
        }
        masing_compare_summary_clear(&summary);
        masing_model_destroy(model);
        table_clear(&rows);
    }
    printf("# 7 harmonics: %.1e, 31: %.1e\n", worst[0], worst[1]);
    CHECK(worst[1] < 1e-4 && worst[1] < 0.2 * worst[0]);
}

static void expect(const char *text, const char *settings, double hz,
                   enum masing_status expected, const char *message)
{
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = model_of(text, settings);
    CHECK(masing_integrate(model, hz, NULL, NULL, &summary, &error) == expected);
    if (!CHECK(strstr(error.message, message))) {
        printf("# %s\n", error.message);
    }
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A light body that is pressed down slowly bounces for ever. */
static void what_cannot_be_done_is_said(void)
{
    expect("masing: 1\nstructure: {masses: {n.x: 1e-6, n.y: 1}}\n"
           "joints:\n"
           "  - {name: floor, law: contact, normal: {from: ground, to: n.x}, tangential: "
           "[{from: ground, to: n.y}], normal_stiffness: 1e6, tangential_stiffness: 1e3, "
           "friction: 0.1, gap: 1e-4}\n"
           "loads: [{dof: n.x, amplitude: 1}]\nfrequency: [1e-3, 1]\noutputs: [n.x]\n",
           "integration.method=accurate integration.steps_per_cycle=16 "
           "integration.accuracy=1e-6",
           1e-3, MASING_STOPPED, "chatter");
    expect(pad, "integration.method=exact", 22.0, MASING_UNSUPPORTED,
           "'pad' has the law contact_patch: accurate or newmark may do");
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"steps become small: a line", steps_become_small_on_a_line},
        {"steps become small: the plane", steps_become_small_in_the_plane},
        {"steps become small: a patch", steps_become_small_on_a_patch},
        {"steps become small: from nothing", steps_become_small_from_nothing},
        {"other laws agree", other_laws_agree},
        {"a line in the plane is a line", a_line_in_the_plane_is_a_line},
        {"a circle is what it must be", a_circle_is_what_it_must_be},
        {"energy is lost and found", energy_is_lost_and_found},
        {"shooting and marching agree", shooting_and_marching_agree},
        {"a limit that is touched is seen", a_touched_limit_is_seen},
        {"the balance agrees", the_balance_agrees},
        {"what cannot be done is said", what_cannot_be_done_is_said},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
