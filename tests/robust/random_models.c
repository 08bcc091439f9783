/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random models: chains of masses with springs across, joints of most laws, loads from far
 * below to far above what the joints hold. Each is followed upwards and downwards. What holds
 * for all: a curve is complete, or the reason why it ends is not one that a shorter step
 * refutes; each frequency that a row was asked for at has one; where neither sweep meets a fold
 * both are the same response; the energies balance. Once more with a thousandth of the damping,
 * where resonances are far narrower than steps.
 *
 *     test_robust_random_models [FIRST COUNT]     seeds; failures are printed with theirs
 *     test_robust_random_models --print SEED      the model
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "masing/event.h"
#include "masing/model.h"
#include "masing/response.h"
#include "masing/result.h"
#include "tap.h"

enum { FIRST_SEED = 1, N_MODELS = 300, N_SANITIZED = 40, N_AT = 3, HARDLY_DAMPED = 3 };
/* Processor time after which a curve is given up, s; the command line's users wait so long. */
static const double most_seconds = 20.0;
/* Of all curves so many may end early (with a reason). */
static const double most_incomplete = 0.03;
/* Relative difference of the two sweeps at the same frequency, and of energies. */
static const double same_response = 1e-6, same_energy = 1e-6;

/* ---- the model of a seed ---- */

struct random_model {
    uint64_t state; /* of splitmix64 */
    char text[8192];
    size_t length;
    double from, to; /* Hz */
    double at[N_AT];
    double damping; /* part of the structure's that is left */
};

static double draw(struct random_model *model)
{
    uint64_t z = model->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int draw_integer(struct random_model *model, int from, int to)
{
    return from + (int)(draw(model) * (to - from + 1));
}

/* Log-uniform. */
static double draw_size(struct random_model *model, double from, double to)
{
    return from * pow(to / from, draw(model));
}

static void add(struct random_model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct random_model *model, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(model->text + model->length, sizeof model->text - model->length, format,
                      arguments);
    va_end(arguments);
    model->length += (size_t)n;
    if (model->length >= sizeof model->text) {
        exit(99);
    }
}

/* Masses around 1 kg, springs around 4e4 N/m: a chain from the ground, and springs across. */
static void add_structure(struct random_model *model, int n)
{
    add(model, "structure:\n  masses: {");
    for (int i = 1; i <= n; i++) {
        add(model, "%sm%d: %.6g", i > 1 ? ", " : "", i, draw_size(model, 0.3, 3.0));
    }
    add(model, "}\n  springs:\n    - {from: ground, to: m1, stiffness: %.6g}\n",
        draw_size(model, 1e4, 1e5));
    for (int i = 2; i <= n; i++) {
        add(model, "    - {from: m%d, to: m%d, stiffness: %.6g}\n", i - 1, i,
            draw_size(model, 1e4, 1e5));
        if (draw(model) < 0.3) {
            add(model, "    - {from: ground, to: m%d, stiffness: %.6g}\n", i,
                draw_size(model, 3e3, 3e4));
        }
    }
    add(model, "  damping: {modal_ratio: %.4g, modes: free}\n", draw_size(model, 2e-3, 5e-2));
}

/* Forces of the order of 10 N at displacements of the order of a millimetre. */
static void add_law(struct random_model *model)
{
    double limit = draw_size(model, 1.0, 100.0), stiffness = draw_size(model, 5e3, 3e5);
    switch (draw_integer(model, 0, 8)) {
    case 0:
    case 1:
        add(model, "law: jenkins, stiffness: %.6g, slip_force: %.6g", stiffness, limit);
        break;
    case 2:
        add(model, "law: cubic_spring, coefficient: %.6g", draw_size(model, 1e8, 1e10));
        break;
    case 3:
        add(model, "law: unilateral_spring, stiffness: %.6g, gap: %.6g", stiffness,
            draw_size(model, 1e-5, 1e-3));
        break;
    case 4:
        add(model, "law: dahl, stiffness: %.6g, slip_force: %.6g, exponent: 1", stiffness,
            limit);
        break;
    case 5:
        add(model, "law: iwan4, slip_force: %.6g, stiffness: %.6g, chi: %.3g, beta: %.3g",
            limit, stiffness, -0.9 + 0.8 * draw(model), draw_size(model, 0.1, 5.0));
        break;
    case 6:
        add(model, "law: tanh_friction, friction: 0.3, preload: %.6g, regularization: %.3g",
            limit, draw_size(model, 1e-3, 1e-2));
        break;
    case 7:
        add(model, "law: linear, stiffness: %.6g, damping: %.6g", stiffness,
            draw_size(model, 1.0, 30.0));
        break;
    default:
        add(model, "law: quadratic_damper, coefficient: %.6g", draw_size(model, 10.0, 1e3));
        break;
    }
}

static void add_joints(struct random_model *model, int n)
{
    int n_joints = draw_integer(model, 1, 4);
    add(model, "joints:\n");
    for (int j = 0; j < n_joints; j++) {
        int to = draw_integer(model, 1, n), from = draw_integer(model, 0, n);
        add(model, "  - {name: j%d, ", j + 1);
        if (from == to || from == 0) {
            add(model, "from: ground, to: m%d, ", to);
        } else {
            add(model, "from: m%d, to: m%d, ", from, to);
        }
        add_law(model);
        add(model, "}\n");
    }
}

static void make(struct random_model *model, unsigned seed, double damping)
{
    static const char *const harmonics[] = {"[1]",       "[1, 3]", "[0, 1, 2, 3]",
                                            "[1, 3, 5]", "5",      "7"};
    *model =
        (struct random_model){.state = 0x5851f42d4c957f2du * (seed + 1u), .damping = damping};
    int n = draw_integer(model, 1, 5);
    add(model, "masing: 1\ntitle: random %u\n", seed);
    add_structure(model, n);
    add_joints(model, n);
    add(model, "loads:\n  - {dof: m%d, amplitude: %.6g}\n", draw_integer(model, 1, n),
        draw_size(model, 0.3, 100.0));
    model->from = draw_size(model, 5.0, 30.0);
    model->to = model->from * (1.3 + 1.7 * draw(model));
    add(model, "frequency: [%.17g, %.17g]\n", model->from, model->to);
    add(model, "harmonics: %s\noutputs: [m%d%s]\n",
        harmonics[draw_integer(model, 0, sizeof harmonics / sizeof *harmonics - 1)], n,
        n > 1 ? ", m1" : "");
    for (int i = 0; i < N_AT; i++) {
        model->at[i] = model->from + (model->to - model->from) * (0.1 + 0.8 * draw(model));
    }
}

/* ---- a curve of it ---- */

struct curve {
    enum masing_status status;
    struct masing_error error;
    struct masing_response_summary summary;
    struct masing_result *result;
    double seconds;
    bool has_folds;
};

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_late(void *context)
{
    const double *until = context;
    return processor_time() > *until;
}

static void follow(const struct random_model *model, const struct masing_override *overrides,
                   int n_overrides, struct curve *curve)
{
    double began = processor_time(), until = began + most_seconds;
    struct masing_progress progress = {.context = &until, .is_cancelled = is_late};
    struct masing_response_options options = {.size = sizeof options,
                                              .n_at = N_AT,
                                              .at_hz = model->at,
                                              .n_threads = 1,
                                              .progress = &progress,
                                              .stability = MASING_STABILITY_NONE};
    struct masing_document *document = NULL;
    struct masing_model *made = NULL;
    *curve = (struct curve){.summary.size = sizeof curve->summary};
    curve->status = masing_document_parse(model->text, model->length, "random.yaml", &document,
                                          &curve->error);
    if (curve->status == MASING_OK) {
        curve->status =
            masing_document_model(document, overrides, n_overrides, &made, &curve->error);
    }
    if (curve->status == MASING_OK) {
        curve->status = masing_result_create(&curve->result, &curve->error);
    }
    if (curve->status == MASING_OK) {
        curve->status = masing_frf(made, &options, masing_result_sink(curve->result), NULL,
                                   &curve->summary, &curve->error);
    }
    masing_model_destroy(made);
    masing_document_destroy(document);
    curve->seconds = processor_time() - began;
    const unsigned *events = masing_result_events(curve->result);
    for (int i = 0; events && i < masing_result_n_rows(curve->result); i++) {
        curve->has_folds |= masing_events_have(events[i], MASING_EVENT_FOLD);
    }
}

static void clear(struct curve *curve)
{
    masing_response_summary_clear(&curve->summary);
    masing_result_destroy(curve->result);
}

static bool is_complete(const struct curve *curve)
{
    return curve->status == MASING_OK && curve->summary.is_complete;
}

/* The first output's amplitude at a frequency of the model's `at`; NAN: no such row. */
static double value_at(const struct curve *curve, double hz)
{
    const double *frequency = masing_result_column(curve->result, "frequency_hz");
    const unsigned *events = masing_result_events(curve->result);
    for (int i = 0; frequency && i < masing_result_n_rows(curve->result); i++) {
        if (masing_events_have(events[i], MASING_EVENT_AT) &&
            fabs(frequency[i] - hz) <= 1e-9 * hz) {
            const char *name = masing_result_name(curve->result, 4);
            return masing_result_column(curve->result, name)[i];
        }
    }
    return NAN;
}

/* ---- what holds ---- */

static bool check_rows(const struct random_model *model, const struct curve *curve)
{
    bool good = CHECK(curve->summary.energy_mismatch <= same_energy);
    for (int i = 0; i < N_AT; i++) {
        good &= CHECK(isfinite(value_at(curve, model->at[i])));
    }
    return good;
}

static bool check_sweeps(const struct random_model *model, const struct curve *up,
                         const struct curve *down)
{
    bool good = true;
    for (int i = 0; i < N_AT && !up->has_folds && !down->has_folds; i++) {
        double value = value_at(up, model->at[i]);
        good &= CHECK_RELATIVE(value_at(down, model->at[i]), value, same_response);
    }
    return good;
}

/* An end that a curve with shorter steps does not have was none. */
static bool is_refuted(const struct random_model *model, const struct masing_override *range,
                       int n_range)
{
    struct masing_override overrides[2] = {{"solver.step.max", "0.03"}};
    struct curve shorter;
    for (int i = 0; i < n_range; i++) {
        overrides[1 + i] = range[i];
    }
    follow(model, overrides, 1 + n_range, &shorter);
    bool result = is_complete(&shorter);
    clear(&shorter);
    return result;
}

/* Curves of this seed that are not complete: 0 to 2. */
static int check_model(unsigned seed, double damping)
{
    struct random_model model;
    struct curve curves[2];
    char backwards[80];
    bool good = true;
    int n_incomplete = 0;
    make(&model, seed, damping);
    snprintf(backwards, sizeof backwards, "[%.17g, %.17g]", model.to, model.from);
    const struct masing_override range = {"frequency", backwards};
    for (int i = 0; i < 2; i++) {
        follow(&model, &range, i, &curves[i]);
        if (is_complete(&curves[i])) {
            good &= check_rows(&model, &curves[i]);
            continue;
        }
        n_incomplete++;
        printf("# seed %u, %s: %s (%.1f s)\n", seed, i == 0 ? "upwards" : "downwards",
               curves[i].error.message, curves[i].seconds);
        good &= CHECK(curves[i].status == MASING_STOPPED);
        good &= CHECK(!is_refuted(&model, &range, i));
    }
    if (n_incomplete == 0) {
        good &= check_sweeps(&model, &curves[0], &curves[1]);
    }
    if (!good) {
        printf("# seed %u\n", seed);
    }
    clear(&curves[0]);
    clear(&curves[1]);
    return n_incomplete;
}

static unsigned first_seed = FIRST_SEED;
static int n_models;

static void check_models(int count, double damping)
{
    int n_incomplete = 0;
    for (int i = 0; i < count; i++) {
        n_incomplete += check_model(first_seed + (unsigned)i, damping);
    }
    printf("# %d of %d curves incomplete\n", n_incomplete, 2 * count);
    CHECK(n_incomplete <= most_incomplete * 2.0 * count);
}

static void test_random_models(void)
{
    check_models(n_models, 1.0);
}

static void test_hardly_damped_models(void)
{
    check_models(n_models / HARDLY_DAMPED, 1e-3);
}

int main(int n_arguments, char **arguments)
{
    static const struct tap_test tests[] = {{"random models", test_random_models},
                                            {"hardly damped", test_hardly_damped_models}};
    n_models = tap_most(N_MODELS, N_SANITIZED);
    if (n_arguments == 3 && strcmp(arguments[1], "--print") == 0) {
        struct random_model model;
        make(&model, (unsigned)strtoul(arguments[2], NULL, 10), 1.0);
        fputs(model.text, stdout);
        return 0;
    }
    if (n_arguments == 3) {
        first_seed = (unsigned)strtoul(arguments[1], NULL, 10);
        n_models = atoi(arguments[2]);
    }
    return tap_run(tests, sizeof tests / sizeof *tests);
}
