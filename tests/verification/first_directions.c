/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joints that rest at first without acceleration: where a motion reaches them through others,
 * only its higher derivatives tell which way they go. Integration to a tolerance against the
 * exact one and against ever smaller steps.
 */
#include <math.h>
#include <string.h>

#include "masing/integrate.h"

#include "response.h"

static struct masing_model *model_from(const char *network, const char *integration)
{
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "%s"
                         "frequency: [1, 5]\n"
                         "integration: {cycles: 1, tolerance: 1e-14, %s}\n"
                         "outputs: [m1, m2, m3]\n",
                         network, integration);
    return model_of_text(text);
}

/* A chain of which the first mass is pushed; a and b are the joints along it. */
static struct masing_model *chain_of(const char *law, const char *load, bool is_backwards,
                                     const char *integration)
{
    bool is_contact = strstr(law, "contact");
    const char *a = is_contact     ? "normal: {from: ground, to: n}, tangential: "
                                     "[{from: m1, to: m2}]"
                    : is_backwards ? "from: m2, to: m1"
                                   : "from: m1, to: m2";
    const char *b = is_contact     ? "normal: {from: ground, to: n}, tangential: "
                                     "[{from: m2, to: m3}]"
                    : is_backwards ? "from: m3, to: m2"
                                   : "from: m2, to: m3";
    char *network = text_of("  masses: {m1: 1, m2: 0.4, m3: 2, n: 1}\n"
                            "  springs:\n"
                            "    - {from: ground, to: m1, stiffness: 900}\n"
                            "    - {from: ground, to: m3, stiffness: 100}\n"
                            "    - {from: ground, to: n, stiffness: 100}\n"
                            "joints:\n"
                            "  - {name: a, %s, %s}\n"
                            "  - {name: b, %s, %s}\n"
                            "loads: [{dof: m1, amplitude: 5, %s}]\n",
                            a, law, b, law, load);
    struct masing_model *model = model_from(network, integration);
    free(network);
    return model;
}

enum { N_OUTPUTS = 3, N_TIMES = 16 };

struct history {
    double x[N_OUTPUTS][N_TIMES + 1];
};

/* The first period from rest; the model is destroyed. */
static void run_model(struct masing_model *model, struct history *history)
{
    static const char *const names[N_OUTPUTS] = {"m1", "m2", "m3"};
    const struct masing_integrate_options options = {.all_history = true};
    struct masing_integrate_summary summary = {0};
    struct masing_error error = {0};
    struct table rows;
    struct masing_sink sink = table_sink(&rows);
    enum masing_status status =
        model ? masing_integrate(model, 3.0, &options, &sink, &summary, &error)
              : MASING_INTERNAL;
    bool is_good = CHECK(status == MASING_STOPPED && rows.n_rows % N_TIMES == 1);
    for (int i = 0; i < N_OUTPUTS; i++) {
        for (int k = 0; k <= N_TIMES; k++) {
            history->x[i][k] =
                is_good ? table_get(&rows, k * (rows.n_rows / N_TIMES), names[i]) : NAN;
        }
    }
    if (!is_good) {
        printf("# %s\n", error.message);
    }
    if (model) {
        table_clear(&rows);
    }
    masing_integrate_summary_clear(&summary);
    masing_model_destroy(model);
}

static void run(const char *law, const char *load, bool is_backwards, const char *integration,
                struct history *history)
{
    run_model(chain_of(law, load, is_backwards, integration), history);
}

/* Each output's worst difference is a part of its own size, for the last hardly moves. */
static double distance(const struct history *a, const struct history *b)
{
    double worst = 0.0;
    for (int i = 0; i < N_OUTPUTS; i++) {
        double size = 0.0, off = 0.0;
        for (int k = 0; k <= N_TIMES; k++) {
            size = fmax(size, fabs(a->x[i][k]));
            off = fmax(off, fabs(b->x[i][k] - a->x[i][k]));
        }
        worst = fmax(worst, off / size);
    }
    return worst;
}

static const char *const loads[] = {"phase: 0", "phase: 180", "phase: -90", "phase: 90"};
static const char accurately[] = "steps_per_cycle: 16, method: accurate, accuracy: 1e-11";

static void sliders_go_as_they_must(void)
{
    static const char *const laws[] = {"law: jenkins, stiffness: 2500, slip_force: 0.6",
                                       "law: unilateral_spring, stiffness: 2500, gap: 0"};
    for (int i = 0; i < 16; i++) {
        struct history exact, accurate;
        const char *load = loads[i % 4], *law = laws[i / 8];
        bool is_backwards = i / 4 % 2;
        run(law, load, is_backwards, "steps_per_cycle: 16, method: exact", &exact);
        run(law, load, is_backwards, accurately, &accurate);
        double off = distance(&exact, &accurate);
        printf("# %.14s, %s: off by %.1e\n", law, load, off);
        CHECK(off < 1e-8);
    }
}

static const char *const curved[] = {
    "law: bouc_wen, hysteretic_stiffness: 2500, beta: 2500, gamma: 1600",
    "law: lugre, sigma0: 2500, coulomb_force: 0.6",
    "law: dahl, stiffness: 2500, slip_force: 0.6, exponent: 1",
    "law: iwan4, stiffness: 2500, slip_force: 0.6, chi: -0.3, beta: 0.5",
    "law: contact, normal_stiffness: 1000, tangential_stiffness: 2500, friction: 0.3, "
    "preload: 2"};

static void curved_laws_go_as_small_steps_do(void)
{
    int n_laws = (int)(sizeof curved / sizeof *curved);
    for (int i = 0; i < n_laws * tap_most(4, 1); i++) {
        const char *law = curved[i % n_laws], *load = loads[(i / n_laws + 2) % 4];
        struct history accurate, coarse, fine;
        run(law, load, i % 2, accurately, &accurate);
        run(law, load, i % 2, "steps_per_cycle: 2000", &coarse);
        run(law, load, i % 2, "steps_per_cycle: 8000", &fine);
        double far = distance(&accurate, &coarse), near = distance(&accurate, &fine);
        printf("# %.14s, %s: off by %.1e, %.1e\n", law, load, far, near);
        CHECK(near < 5e-6 && near < 0.2 * far);
    }
}

/*
 * Joints that stand at their corners, turn and turn back at once, or wait for others on DOFs
 * without mass: round-off must not decide.
 */
static const char *const networks[] = {
    /* nothing has come to these sliders and stops before the first closes */
    "  masses: {m1: 1, m2: 0.9663, m3: 0.2612, p: 0, q: 0}\n"
    "  springs:\n"
    "    - {from: ground, to: m1, stiffness: 1302.739}\n"
    "    - {from: m2, to: m3, stiffness: 2973.553}\n"
    "    - {from: m3, to: p, stiffness: 253.493}\n"
    "    - {from: p, to: q, stiffness: 5009.537}\n"
    "joints:\n"
    "  - {name: a, from: m1, to: m2, law: unilateral_spring, stiffness: 12457.9, gap: 0}\n"
    "  - {name: b, from: p, to: q, law: jenkins, stiffness: 4361.01, slip_force: 3.19791}\n"
    "  - {name: c, from: ground, to: q, law: unilateral_spring, stiffness: 1027.15, gap: 0}\n"
    "loads: [{dof: m1, amplitude: 11.898, phase: 30}]\n",
    /* a slider turns and turns back where it stands */
    "  masses: {m1: 1, m2: 0, m3: 1.015, p: 0}\n"
    "  springs:\n"
    "    - {from: ground, to: m1, stiffness: 194.087}\n"
    "    - {from: m1, to: m2, stiffness: 276.744}\n"
    "    - {from: m2, to: m3, stiffness: 112.082}\n"
    "    - {from: m3, to: p, stiffness: 2630.367}\n"
    "    - {from: ground, to: p, stiffness: 108.47}\n"
    "  damping: {modal_ratio: 0.02}\n"
    "joints:\n"
    "  - {name: a, from: m1, to: m2, law: unilateral_spring, stiffness: 2962.31, "
    "gap: -0.00115417}\n"
    "  - {name: b, from: m2, to: m3, law: jenkins, stiffness: 5557.52, slip_force: 8.57057}\n"
    "  - {name: c, from: ground, to: m1, law: jenkins, stiffness: 7558.6, "
    "slip_force: 0.577785}\n"
    "loads: [{dof: m2, amplitude: 9.275, phase: -90}]\n",
    /* a slider that a load pulls to its limit at once goes back */
    "  masses: {m1: 1, m2: 3.2688, m3: 0, p: 0}\n"
    "  springs:\n"
    "    - {from: ground, to: m1, stiffness: 683.981}\n"
    "    - {from: m1, to: m2, stiffness: 247}\n"
    "    - {from: m2, to: m3, stiffness: 137.239}\n"
    "    - {from: m3, to: p, stiffness: 9467.941}\n"
    "joints:\n"
    "  - {name: a, from: m2, to: m3, law: jenkins, stiffness: 6456.54, slip_force: 4.77263}\n"
    "  - {name: b, from: ground, to: p, law: jenkins, stiffness: 4415.06, "
    "slip_force: 20.6511}\n"
    "loads: [{dof: m3, amplitude: 16.495}, {dof: m2, amplitude: 8.2475, harmonic: 3, "
    "phase: -90}]\n",
};

static void round_off_does_not_decide(void)
{
    for (int i = 0; i < (int)(sizeof networks / sizeof *networks); i++) {
        struct history exact, accurate;
        run_model(model_from(networks[i], "steps_per_cycle: 64, method: exact"), &exact);
        run_model(
            model_from(networks[i], "steps_per_cycle: 64, method: accurate, accuracy: 1e-11"),
            &accurate);
        double off = distance(&exact, &accurate);
        printf("# network %d: off by %.1e\n", i + 1, off);
        CHECK(off < 1e-7);
    }
}

static const struct tap_test tests[] = {
    {"sliders go as they must", sliders_go_as_they_must},
    {"curved laws go as small steps do", curved_laws_go_as_small_steps_do},
    {"round-off does not decide", round_off_does_not_decide},
};

TAP_MAIN(tests)
