/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stability of a travelling wave by one sector: multipliers are those of the whole disk,
 * and the motion of the largest one is named by its nodal diameter.
 */
#include <complex.h>
#include <math.h>

#include "beside.h"
#include "response.h"

enum { MOST = 200 };

/* Multipliers at the one frequency of a model. */
struct found {
    enum masing_stability_method method;
    int n, verdict, diameter;
    double complex multipliers[MOST];
};

static enum masing_status judge(void *context, const struct response_curve *curve,
                                const struct continuation_point *point,
                                struct masing_error *error)
{
    struct found *found = context;
    const struct stability_result *result = NULL;
    struct stability *stability = NULL;
    enum masing_status status =
        stability_create(curve->balance, found->method, &stability, error);
    status = status ? status : balance_settle(curve->balance, point->y, point->lambda, false);
    status =
        status ? status : stability_evaluate(stability, curve->balance, point->lambda, &result);
    if (CHECK(status == MASING_OK) && CHECK(result->n <= MOST)) {
        found->n = result->n;
        found->verdict = result->verdict;
        for (int i = 0; i < result->n; i++) {
            found->multipliers[i] = result->real[i] + I * result->imaginary[i];
        }
        found->diameter = stability_diameter(stability, point->lambda);
    }
    stability_destroy(stability);
    return status;
}

static void find(struct found *found, const char *text)
{
    const struct masing_response_options options = {.stability = MASING_STABILITY_NONE};
    struct masing_response_summary summary = {0};
    struct response_curve *curve = NULL;
    struct masing_error error = {0};
    struct masing_model *model = beside_model(text);
    const struct response_curve_settings settings = {
        .model = model, .options = &options, .point_context = found, .point = judge};
    bool is_good = model &&
                   response_curve_create(&settings, &summary, &curve, &error) == MASING_OK &&
                   response_curve_follow(curve, &error) == MASING_OK;
    if (!CHECK(is_good) || !CHECK(found->n > 0)) {
        printf("# %s of %s\n", error.message, text);
    }
    response_curve_destroy(curve);
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
}

static char *text_for(const char *joint, int order, const char *hz, bool is_whole)
{
    return text_of("masing: 1\n"
                   "structure:\n"
                   "  cyclic: {sectors: 5, unroll: %s}\n"
                   "  masses: {disk: 1.0, blade: 0.3}\n"
                   "  springs:\n"
                   "    - {from: ground, to: disk, stiffness: 1e5}\n"
                   "    - {from: disk, to: blade, stiffness: 4e5}\n"
                   "    - {from: disk, to: next.disk, stiffness: 2e5}\n"
                   "  damping: {modal_ratio: 0.01}\n"
                   "joints:\n%s"
                   "loads: [{dof: blade, amplitude: 10, engine_order: %d}]\n"
                   "frequency: %s\n"
                   "harmonics: 7\n"
                   "solver: {tolerance: 1e-12}\n"
                   "outputs: [blade]\n",
                   is_whole ? "true" : "false", joint, order, hz);
}

/* Each multiplier that is not next to zero is one of the whole disk's. */
static void compare(const char *joint, int order, const char *hz,
                    enum masing_stability_method method, double tolerance)
{
    static struct found sector, whole;
    char *texts[2] = {text_for(joint, order, hz, false), text_for(joint, order, hz, true)};
    double worst = 0.0;
    sector = whole = (struct found){.method = method};
    find(&sector, texts[0]);
    find(&whole, texts[1]);
    CHECK(sector.n == whole.n && sector.verdict == whole.verdict);
    CHECK(sector.diameter >= 0 && sector.diameter <= 2 && whole.diameter == -1);
    for (int i = 0; i < sector.n; i++) {
        double off = INFINITY;
        for (int k = 0; k < whole.n; k++) {
            off = fmin(off, cabs(sector.multipliers[i] - whole.multipliers[k]));
        }
        worst = fmax(worst, cabs(sector.multipliers[i]) > 1e-3 ? off : 0.0);
    }
    if (!CHECK(worst <= tolerance)) {
        printf("# %g of %s", worst, texts[0]);
    }
    free(texts[0]);
    free(texts[1]);
}

static const char cubic[] =
    "  - {name: root, law: cubic_spring, from: disk, to: blade, coefficient: 1e13}\n";
static const char damper[] = "  - {name: damper, law: jenkins, from: blade, to: next.blade, "
                             "stiffness: 5e4, slip_force: 2}\n";

static void smooth(void)
{
    for (int order = -1; order <= 2; order++) {
        compare(cubic, order, "200", MASING_STABILITY_HILL, 1e-8);
    }
    compare(cubic, 2, "121", MASING_STABILITY_FLOQUET, 1e-8);
    compare(cubic, 2, "258", MASING_STABILITY_HILL, 1e-8);
}

static void sliders(void)
{
    for (int order = -1; order <= 2; order++) {
        compare(damper, order, order == 2 ? "119" : "90", MASING_STABILITY_FLOQUET, 1e-8);
    }
}

/* What joints remember at the beginning of the period differs from sector to sector; so do the
 * samples of 5 sectors, and with them the whole disk's solution. */
static void states(void)
{
    compare("  - {name: damper, law: bouc_wen, from: blade, to: next.blade,\n"
            "     hysteretic_stiffness: 2e4, beta: 4e3, gamma: 1e3, n: 1}\n",
            2, "119", MASING_STABILITY_FLOQUET, 1e-5);
}

/* The least damped motions have sectors alike, or as unlike as can be: 3 of 7. */
static void diameters(void)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        struct found found = {.method = MASING_STABILITY_FLOQUET};
        char *text = text_of("masing: 1\n"
                             "structure:\n"
                             "  cyclic: {sectors: 7}\n"
                             "  masses: {x: 1.0}\n"
                             "  springs:\n"
                             "    - {from: ground, to: x, stiffness: 1e4}\n"
                             "    - {from: x, to: next.x, stiffness: 3e3}\n"
                             "  damping: {rayleigh: [1, 0]}\n"
                             "joints:\n"
                             "  - {name: j, law: linear, axis: {x: 1, next.x: %d},\n"
                             "     stiffness: 0, damping: 5}\n"
                             "loads: [{dof: x, amplitude: 1, engine_order: 2}]\n"
                             "frequency: 14\n"
                             "outputs: [x]\n",
                             sign);
        find(&found, text);
        if (!CHECK(found.diameter == (sign < 0 ? 0 : 3))) {
            printf("# %d of %s", found.diameter, text);
        }
        free(text);
    }
}

/* The verdicts of a curve, and what is said where there are none. */
static void verdicts(void)
{
    struct run run = {0};
    struct masing_response_options options = {
        .size = sizeof options, .stability = MASING_STABILITY_HILL, .n_search = -1};
    char *text = text_for(cubic, 2, "[250, 260]", false);
    run_with(&run, text, &options);
    const struct masing_stability_summary *stability = &run.summary.stability;
    CHECK(run.status == MASING_OK && stability->n_ranges == 1);
    CHECK(stability->neimark_sackers.n == 1);
    CHECK_RELATIVE(stability->neimark_sackers.at[0], 255.139, 1e-4);
    CHECK_RELATIVE(stability->from[0], 255.139, 1e-4);
    CHECK(stability->diameters[0] == 0 && stability->to[0] == 260.0);
    run_clear(&run);
    free(text);
}

static void check_reason(int n_sectors, enum masing_stability_method method, const char *reason)
{
    struct run run = {0};
    struct masing_response_options options = {.size = sizeof options, .stability = method};
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  cyclic: {sectors: %d}\n"
                         "  masses: {x: 1.0}\n"
                         "  springs:\n"
                         "    - {from: ground, to: x, stiffness: 1e4}\n"
                         "    - {from: x, to: next.x, stiffness: 3e3}\n"
                         "  damping: {modal_ratio: 0.01}\n"
                         "joints: [{name: j, law: jenkins, from: x, to: next.x,\n"
                         "     stiffness: 1e3, slip_force: 1}]\n"
                         "loads: [{dof: x, amplitude: 1, engine_order: 2}]\n"
                         "frequency: 14\n"
                         "outputs: [x]\n",
                         n_sectors);
    run_with(&run, text, &options);
    CHECK(run.status == MASING_OK && run.summary.stability.n_points == 0);
    if (!CHECK(strstr(run.summary.stability.reason, reason))) {
        printf("# %s\n", run.summary.stability.reason);
    }
    run_clear(&run);
    free(text);
}

static void large_disks(void)
{
    check_reason(9, MASING_STABILITY_AUTO,
                 "9 joint axes of the whole disk would take long: ask for it by name");
    check_reason(300, MASING_STABILITY_FLOQUET,
                 "300 joint axes of the whole disk would take hours: Floquet multipliers are "
                 "found for at most 200");
    check_reason(3000, MASING_STABILITY_HILL,
                 "the whole disk has 3000 DOFs: multipliers are found for at most 2000");
}

static const struct tap_test tests[] = {
    {"multipliers of smooth joints", smooth},
    {"of sliders", sliders},
    {"of states", states},
    {"nodal diameters of motions", diameters},
    {"a wave that breaks", verdicts},
    {"large disks", large_disks},
};

TAP_MAIN(tests)
