/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts that stability is made of: the matrix exponential, the structure over a step, and
 * the multipliers of systems whose multipliers are known.
 */
#include "analyses/response/curve.h"
#include "linalg/exponential.h"
#include "response.h"
#include "transient/periodic/propagator.h"
#include "stability/stability.h"

static const double TWO_PI = 6.28318530717958647692;

static void exponential(void)
{
    double scratch[4 * 9];
    int pivots[3];
    /* damped rotation beside a nilpotent block: exp known in closed form */
    for (int k = 0; k < 6; k++) {
        double t = pow(10.0, k - 4), decay = -0.3 * t, turn = 2.0 * t;
        double a[4] = {decay, turn, -turn, decay};
        CHECK(matrix_exponential(2, a, scratch, pivots) == MASING_OK);
        double size = exp(decay);
        CHECK_SCALED(a[0], size * cos(turn), size, 1e-13 * fmax(1.0, turn));
        CHECK_SCALED(a[1], size * sin(turn), size, 1e-13 * fmax(1.0, turn));
    }
    double n[9] = {0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 5.0, 7.0, 0.0};
    CHECK(matrix_exponential(3, n, scratch, pivots) == MASING_OK);
    CHECK_RELATIVE(n[3], 3.0, 1e-14);
    CHECK_RELATIVE(n[6], 5.0 + 0.5 * 3.0 * 7.0, 1e-14);
    CHECK_RELATIVE(n[7], 7.0, 1e-14);
    double wrong[1] = {NAN};
    CHECK(matrix_exponential(1, wrong, scratch, pivots) == MASING_NOT_FINITE);
}

static struct masing_model *open_model(const char *text)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    if (!CHECK(masing_document_parse(text, strlen(text), "model.yaml", &document, &error) ==
                   MASING_OK &&
               masing_document_model(document, NULL, 0, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    return model;
}

/* Three masses, of which the last hangs on nothing but the second; `dampers` couple the modes.
 */
static char *chain(const char *damping)
{
    return text_of(
        "masing: 1\n"
        "structure:\n"
        "  masses: {a: 1, b: 2, c: 0.5}\n"
        "  springs:\n"
        "    - {from: ground, to: a, stiffness: 100}\n"
        "    - {from: a, to: b, stiffness: 50}\n"
        "    - {from: b, to: c, stiffness: 400}\n"
        "  %s\n"
        "joints:\n"
        "  - {name: first, law: linear, from: a, to: c, stiffness: 30, damping: 0.4}\n"
        "  - {name: second, law: linear, from: ground, to: b, stiffness: 7000}\n"
        "loads: [{dof: c, amplitude: 1}]\n"
        "frequency: [0.5, 3]\n"
        "harmonics: 3\n"
        "outputs: [c]\n",
        damping);
}

/* Free motion over a step is that over two halves; a constant force shifts its centre. */
static void steps(void)
{
    static const char *const kinds[] = {"damping: {modal_ratio: 0.1}",
                                        "dampers: [{from: ground, to: a, damping: 1.5}]"};
    for (int k = 0; k < 2; k++) {
        char *text = chain(kinds[k]);
        struct masing_model *model = open_model(text);
        struct arena arena = {0};
        struct propagator *propagator = NULL;
        struct masing_error error = {0};
        CHECK(propagator_create(model, 3, &arena, &propagator, &error) == MASING_OK);
        CHECK(propagator->is_coupled == (k == 1));
        double whole[6], half[6], scratch[6], none[2] = {0.0, 0.0}, force[2] = {0.7, -0.2};
        double centre[6] = {0.0};
        for (int i = 0; i < 6; i++) {
            whole[i] = half[i] = 1.0 + 0.3 * i;
        }
        for (int i = 0; i < 3; i++) {
            centre[i] = -(propagator->axes[i] * force[0] + propagator->axes[3 + i] * force[1]) /
                        (propagator->omega[i] * propagator->omega[i]);
        }
        CHECK(propagator_set(propagator, 0.2) == MASING_OK);
        propagator_free(propagator, 1, whole, force, scratch);
        propagator_force(propagator, 1, force, whole);
        CHECK(propagator_set(propagator, 0.1) == MASING_OK);
        for (int i = 0; i < 6; i++) {
            half[i] -= centre[i];
        }
        propagator_free(propagator, 1, half, none, scratch);
        propagator_free(propagator, 1, half, none, scratch);
        for (int i = 0; i < 6; i++) {
            CHECK_SCALED(whole[i], half[i] + centre[i], 1.0, 1e-12);
        }
        arena_clear(&arena);
        masing_model_destroy(model);
        free(text);
    }
}

/* What a curve's points are asked for. */
struct judged {
    enum masing_stability_method method;
    struct stability *stability;
    void (*check)(struct judged *judged, const struct response_curve *curve,
                  const struct stability_result *result, unsigned events);
    double decay; /* 1/s: half the trace of the damping */
    int n_unstable, n_points;
};

static enum masing_status judge(void *context, const struct response_curve *curve,
                                const struct continuation_point *point,
                                struct masing_error *error)
{
    struct judged *judged = context;
    const struct stability_result *result = NULL;
    enum masing_status status = MASING_OK;
    if (!judged->stability) {
        status = stability_create(curve->balance, judged->method, &judged->stability, error);
    }
    if (CHECK(status == MASING_OK)) {
        CHECK(balance_settle(curve->balance, point->y, point->lambda, false) == MASING_OK);
        CHECK(stability_evaluate(judged->stability, curve->balance, point->lambda, &result) ==
              MASING_OK);
        judged->n_points++;
        judged->n_unstable += result->verdict == 0;
        judged->check(judged, curve, result, point->events.kinds);
    }
    return status;
}

static void judge_text(const char *text, struct judged *judged)
{
    struct masing_model *model = open_model(text);
    struct masing_response_options options = {0};
    struct masing_response_summary summary = {0};
    struct masing_error error = {0};
    struct response_curve *curve = NULL;
    const struct response_curve_settings settings = {
        .model = model, .options = &options, .point_context = judged, .point = judge};
    CHECK(response_curve_create(&settings, &summary, &curve, &error) == MASING_OK);
    CHECK(response_curve_follow(curve, &error) == MASING_OK);
    response_curve_destroy(curve);
    stability_destroy(judged->stability);
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
}

/* A linear joint: exp(s T) with the roots s of the structure that has it built in. The chain
 * with the joints is conservative but for one dashpot, so that all lie inside the circle. */
static void check_linear(struct judged *judged, const struct response_curve *curve,
                         const struct stability_result *result, unsigned events)
{
    (void)events;
    double period = TWO_PI / curve->balance->last_omega, product = 1.0;
    CHECK(result->verdict == 1);
    CHECK(judged->method == MASING_STABILITY_HILL || result->n >= 6);
    for (int i = 0; i < result->n && i < 6; i++) {
        product *= hypot(result->real[i], result->imaginary[i]);
    }
    CHECK_RELATIVE(product, exp(-judged->decay * period), 1e-9);
    CHECK(result->error < 1e-2);
}

static void linear(void)
{
    /* trace of M^-1 C: modal ratios 0.1 of all three, and the joint's dashpot over both masses
     */
    char *text = chain("damping: {rayleigh: [0.3, 0]}");
    double decay = 3 * 0.3 + 0.4 / 1.0 + 0.4 / 0.5;
    struct judged hill = {
        .method = MASING_STABILITY_HILL, .check = check_linear, .decay = decay};
    judge_text(text, &hill);
    CHECK(hill.n_points > 5);
    free(text);
}

/* A load at the damped natural frequency: both exponents lie a load's frequency away from the
 * real axis, and both multipliers are the same real number. */
static void check_resonance(struct judged *judged, const struct response_curve *curve,
                            const struct stability_result *result, unsigned events)
{
    double period = TWO_PI / curve->balance->last_omega;
    (void)events;
    CHECK(result->n == 2);
    CHECK_RELATIVE(hypot(result->real[0], result->imaginary[0]) *
                       hypot(result->real[1], result->imaginary[1]),
                   exp(-judged->decay * period), 1e-9);
    if (judged->n_points == 1) {
        CHECK_RELATIVE(result->real[0], exp(-0.5 * judged->decay * period), 1e-9);
        CHECK_RELATIVE(result->real[1], result->real[0], 1e-9);
    }
}

static void resonance(void)
{
    double natural = 10.0, ratio = 0.05;
    struct judged hill = {.method = MASING_STABILITY_HILL,
                          .check = check_resonance,
                          .decay = 2.0 * ratio * natural};
    char *text = text_of("masing: 1\n"
                         "structure:\n"
                         "  masses: {m: 1}\n"
                         "  springs: [{from: ground, to: m, stiffness: 100}]\n"
                         "  damping: {modal_ratio: %.17g}\n"
                         "joints: [{name: none, law: linear, from: ground, to: m,\n"
                         "  stiffness: 0}]\n"
                         "loads: [{dof: m, amplitude: 1}]\n"
                         "frequency_unit: rad_s\n"
                         "frequency: [%.17g, 14]\n"
                         "harmonics: 3\n"
                         "outputs: [m]\n",
                         ratio, natural * sqrt(1.0 - ratio * ratio));
    judge_text(text, &hill);
    CHECK(hill.n_points > 2);
    free(text);
}

/* Liouville: the product of all multipliers is exp of minus the damping, whatever the spring.
 */
static void check_duffing(struct judged *judged, const struct response_curve *curve,
                          const struct stability_result *result, unsigned events)
{
    double period = TWO_PI / curve->balance->last_omega;
    double product = hypot(result->real[0], result->imaginary[0]) *
                     hypot(result->real[1], result->imaginary[1]);
    bool is_hill = judged->method == MASING_STABILITY_HILL;
    CHECK_RELATIVE(product, exp(-judged->decay * period), is_hill ? 1e-9 : 1e-3);
    if (masing_events_have(events, MASING_EVENT_FOLD)) {
        CHECK_SCALED(result->largest, 1.0, 1.0, is_hill ? 1e-6 : 1e-4);
    } else {
        CHECK(result->verdict >= 0);
        CHECK(result->verdict == (result->largest < 1.0));
    }
}

static void duffing(void)
{
    static const enum masing_stability_method methods[] = {MASING_STABILITY_FLOQUET,
                                                           MASING_STABILITY_HILL};
    int n_unstable[2];
    for (int k = 0; k < 2; k++) {
        struct judged judged = {
            .method = methods[k], .check = check_duffing, .decay = 2.0 * 0.05};
        judge_text("masing: 1\n"
                   "structure:\n"
                   "  masses: {m: 1}\n"
                   "  springs: [{from: ground, to: m, stiffness: 1}]\n"
                   "  damping: {modal_ratio: 0.05}\n"
                   "joints: [{name: duffing, law: cubic_spring, from: ground, to: m,\n"
                   "  coefficient: 0.1}]\n"
                   "loads: [{dof: m, amplitude: 0.3}]\n"
                   "frequency_unit: rad_s\n"
                   "frequency: [0.8, 2]\n"
                   "harmonics: 5\n"
                   "outputs: [m]\n",
                   &judged);
        n_unstable[k] = judged.n_unstable;
    }
    CHECK(n_unstable[0] > 3);
    CHECK(n_unstable[0] == n_unstable[1]);
}

static const char *refusal(const char *text, enum masing_stability_method method,
                           struct masing_error *error)
{
    struct masing_model *model = open_model(text);
    struct balance *balance = NULL;
    struct stability *stability = NULL;
    const struct balance_settings settings = {.n_threads = 1};
    CHECK(balance_create(model, &settings, &balance, error) == MASING_OK);
    CHECK(stability_create(balance, method, &stability, error) == MASING_UNSUPPORTED);
    CHECK(stability == NULL);
    balance_destroy(balance);
    masing_model_destroy(model);
    return error->message;
}

static void refusals(void)
{
    struct masing_error error = {0}, other = {0};
    char *text = chain("damping: {structural: 0.01}");
    CHECK(strstr(refusal(text, MASING_STABILITY_AUTO, &error), "loss factor") != NULL);
    free(text);
    CHECK(strstr(refusal("masing: 1\n"
                         "structure:\n"
                         "  masses: {m: 1}\n"
                         "  springs: [{from: ground, to: m, stiffness: 1}]\n"
                         "joints: [{name: j, law: jenkins, from: ground, to: m, stiffness: 1,\n"
                         "  slip_force: 1}]\n"
                         "loads: [{dof: m, amplitude: 1}]\n"
                         "frequency: [0.1, 1]\n"
                         "outputs: [m]\n",
                         MASING_STABILITY_HILL, &other),
                 "joint j (jenkins)") != NULL);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"the exponential of a matrix", exponential},
        {"the structure over a step", steps},
        {"multipliers of a linear system", linear},
        {"multipliers that coincide", resonance},
        {"Duffing: Liouville's formula, both ways agree", duffing},
        {"what has no multipliers", refusals},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
