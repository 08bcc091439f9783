/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws whose state follows a map of the travel: where a leg leads against the integral of dz
 * over the rate, by a quadrature in extended precision with rates of its own; legs in pieces;
 * small travels; and the steady state of a period against marching until nothing changes.
 */
#include <float.h>

#include "joint_text.h"
#include "law_paths.h"
#include "laws/evolution/omega_map.h"
#include "response.h"

/* d(s z)/d|x| at w = s z, and where it is not smooth. */
struct flow {
    enum { DAHL, BOUC_WEN, VALANIS } kind;
    long double a, b, c, n; /* as each takes them */
};

static long double rate_of(const struct flow *flow, long double w)
{
    if (flow->kind == DAHL) { /* stiffness, limit, -, alpha */
        long double rest = 1.0L - w / flow->b;
        return rest == 0.0L ? 0.0L : flow->a * copysignl(powl(fabsl(rest), flow->n), rest);
    }
    if (flow->kind == BOUC_WEN) { /* a, beta, gamma, n */
        return flow->a - (flow->c + copysignl(flow->b, w)) * powl(fabsl(w), flow->n);
    }
    /* initial stiffness, lambda, slope, kappa */
    return flow->a * (1.0L - flow->b * w) / (1.0L - flow->n * flow->b * w) - flow->c;
}

/* The way from one state to another, by the rule of Takahasi and Mori. */
static long double way_between(const struct flow *flow, long double from, long double to)
{
    if (flow->kind == BOUC_WEN && from < 0.0L && to > 0.0L) {
        return way_between(flow, from, 0.0L) + way_between(flow, 0.0L, to);
    }
    static const long double STEP = 1.0L / 64.0L;
    long double sum = 0.0L, half = 0.5L * (to - from);
    for (int k = -280; k <= 280; k++) {
        long double t = k * STEP, u = 1.5707963267948966192L * sinhl(t);
        long double rest = 2.0L * half * expl(-fabsl(u)) / (2.0L * coshl(u)); /* from the end */
        long double w = t < 0.0L ? from + rest : to - rest;
        long double weight = 1.5707963267948966192L * coshl(t) / (coshl(u) * coshl(u));
        if (w != from && w != to) {
            sum += weight / rate_of(flow, w);
        }
    }
    return sum * half * STEP;
}

struct map_case {
    const char *law;
    char keys[200];
    struct flow flow;
    long double limit; /* of s z */
};

/* Part of a rate that the last digit of a state is worth, near a limit. */
static long double rounding_at(const struct map_case *test, long double w)
{
    long double distance = fmaxl(fabsl(test->limit - fabsl(w)), DBL_EPSILON * test->limit);
    long double n = test->flow.n, sharp = test->flow.kind == VALANIS ? 1.0L / (1.0L - n) : n;
    return 8.0L * DBL_EPSILON * fmaxl(sharp, 1.0L) * test->limit / distance;
}

static void check_travel(const struct map_case *test, const struct joint_text *joint, double w,
                         double length, double sign)
{
    const struct masing_evolution *evolution = joint->law->evolution;
    struct masing_leg leg = {.sign = sign, .half = sign, .z = sign * w};
    struct masing_travel end;
    if (!CHECK(evolution->begin(joint->parameters, &leg))) {
        printf("# no map: %s {%s} from %g\n", test->law, test->keys, w);
        return;
    }
    evolution->travel(joint->parameters, &leg, length, &end);
    long double before = rate_of(&test->flow, w), after = rate_of(&test->flow, sign * end.z);
    long double stuck = rate_of(&test->flow, 0.0L), size = fmaxl(fabsl(w), test->limit);
    long double rounding = rounding_at(test, sign * end.z);
    bool good = CHECK(fabsl(end.rate - after) <= 2e-13L * stuck + rounding * fabsl(after));
    if (fabsl(test->limit - sign * end.z) > 1e-11L * test->limit && w != sign * end.z) {
        long double way = way_between(&test->flow, w, sign * end.z);
        long double kept = after / before, error = 1e-12L + rounding + rounding_at(test, w);
        good = CHECK(fabsl((way - length) * after) <=
                     1e-14L * size + 1e-12L * fabsl(length * after)) &&
               good;
        good = CHECK(fabsl(end.kept - kept) <= error * fabsl(kept)) && good;
    } else if (w != sign * end.z && test->flow.n >= 1.0L) { /* as good as at the limit */
        long double near = test->limit * (1.0L - copysignl(1e-9L, test->limit - w));
        good = CHECK(fabsl(sign * end.z - test->limit) <= 1e-9L * test->limit) &&
               CHECK(way_between(&test->flow, w, near) <= length) && good;
    }
    good = CHECK(fabs(end.kept + end.faded - 1.0) <= 1e-15 * (1.0 + fabs(end.kept))) && good;
    if (!good) {
        printf("# %s {%s}: from %.17g over %g: %.17g, rate %g (%Lg), kept %g (%Lg)\n",
               test->law, test->keys, w, length, sign * end.z, end.rate, after, end.kept,
               after / before);
    }
}

/* A leg in two pieces is the leg, and so are its derivatives. */
static void check_pieces(const struct map_case *test, const struct joint_text *joint, double w,
                         double length, double part)
{
    const struct masing_evolution *evolution = joint->law->evolution;
    struct masing_leg leg = {.sign = 1.0, .half = 1.0, .z = w}, second = leg;
    struct masing_travel whole, first, rest;
    CHECK(evolution->begin(joint->parameters, &leg));
    evolution->travel(joint->parameters, &leg, length, &whole);
    evolution->travel(joint->parameters, &leg, part * length, &first);
    second.z = first.z;
    CHECK(evolution->begin(joint->parameters, &second));
    evolution->travel(joint->parameters, &second, (1.0 - part) * length, &rest);
    double rounding = (double)rounding_at(test, first.z);
    CHECK_SCALED(rest.z, whole.z, fabs(w) + fabs(whole.z), 2e-14);
    CHECK(fabs(rest.kept * first.kept - whole.kept) <=
          (1e-13 + rounding) * fabs(whole.kept) + 1e-12);
}

static void check_case(const struct map_case *test, const double *starts, int n_starts)
{
    static const double lengths[] = {1e-9, 1e-4, 1e-2, 0.1, 0.3, 0.8, 1.5, 3.0, 7.0, 20.0, 1e3};
    struct joint_text joint = joint_text_open(test->law, test->keys);
    double unit = joint.law->evolution->length(joint.parameters);
    for (int i = 0; i < n_starts; i++) {
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            double w = starts[i] * (double)test->limit, length = lengths[k] * unit;
            check_travel(test, &joint, w, length, k % 2 ? -1.0 : 1.0);
            check_pieces(test, &joint, w, length, 0.37);
        }
    }
    joint_text_close(&joint);
}

static const double inside[] = {-1.0, -0.999, -0.8, -0.3, -1e-3, -1e-9,  0.0,        1e-9,
                                1e-3, 0.2,    0.5,  0.71, 0.9,   0.9999, 1.0 - 1e-9, 1.0};
enum { N_INSIDE = sizeof inside / sizeof *inside };

static void dahl(void)
{
    static const double exponents[] = {0.3, 0.5, 1.0, 1.0 + 1e-9, 1.5, 2.0, 7.0};
    static const double beyond[] = {1.0 + 1e-6, 1.3, 2.0, -1.7};
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        struct map_case test = {
            .law = "dahl", .flow = {DAHL, 2e6L, 3.0L, 0.0L, exponents[k]}, .limit = 3.0L};
        snprintf(test.keys, sizeof test.keys, "stiffness: 2e6, slip_force: 3, exponent: %.17g",
                 exponents[k]);
        check_case(&test, inside, N_INSIDE);
        check_case(&test, beyond, 4);
    }
}

static void valanis(void)
{
    static const double kappas[] = {0.0, 0.1, 0.5, 0.9, 0.999};
    static const double slopes[] = {0.0, 100.0, -50.0};
    for (int k = 0; k < 15; k++) {
        double kappa = kappas[k / 3], slope = slopes[k % 3];
        double lambda = 1.0 / (2.0 * (1.0 - kappa * slope / 3000.0));
        struct map_case test = {.law = "valanis",
                                .flow = {VALANIS, 3000.0L, lambda, slope, kappa}};
        test.limit = (3000.0L - slope) / (lambda * (3000.0L - kappa * slope));
        snprintf(test.keys, sizeof test.keys,
                 "initial_stiffness: 3000, slip_stiffness: %.17g, stick_limit: 2, "
                 "transition: %.17g",
                 slope, kappa);
        check_case(&test, inside, N_INSIDE);
    }
}

/* beta and gamma whose sum is 3, by rho = (gamma - beta) / 3 */
static struct map_case bouc_wen_case(double rho, double n)
{
    double beta = 1.5 * (1.0 - rho), gamma = 1.5 * (1.0 + rho);
    struct map_case test = {.law = "bouc_wen", .flow = {BOUC_WEN, 0.7L, beta, gamma, n}};
    test.limit = powl(0.7L / 3.0L, 1.0L / test.flow.n);
    snprintf(test.keys, sizeof test.keys,
             "hysteretic_stiffness: 5, a: 0.7, beta: %.17g, gamma: %.17g, n: %.17g", beta,
             gamma, n);
    return test;
}

static const double exponents[] = {1.0, 1.05, 1.5, 2.0, 3.7, 20.0};

static void bouc_wen(void)
{
    static const double rhos[] = {-3.0, -2.0, -1.0, -0.6, -1e-6, 0.0, 1e-6, 0.6, 1.0};
    for (int k = 0; k < 6; k++) {
        for (int j = 0; j < 9; j++) {
            struct map_case test = bouc_wen_case(rhos[j], exponents[k]);
            bool is_repelled = rhos[j] == 1.0; /* the limit left behind holds what is on it */
            check_case(&test, inside + is_repelled, N_INSIDE - is_repelled);
        }
    }
}

/* The change of z less a dx, of small motions, which z itself has no digits of. */
static void small_travels_keep_their_digits(void)
{
    for (int k = 0; k < 6; k++) {
        struct map_case test = bouc_wen_case(-0.6, exponents[k]);
        struct joint_text joint = joint_text_open(test.law, test.keys);
        for (double size = 1e-6; size < 0.9; size *= 7.0) {
            double w = -size * (double)test.limit;
            struct masing_leg leg = {.sign = -1.0, .half = -1.0, .z = -w};
            CHECK(joint.law->evolution->begin(joint.parameters, &leg));
            double length = 2.3 * size * (double)test.limit / 0.7;
            double shift = joint.law->evolution->shift(joint.parameters, &leg, length);
            /* to lowest orders: the integral of the lag along w = a l + w_0 and on */
            struct masing_travel end;
            joint.law->evolution->travel(joint.parameters, &leg, length, &end);
            long double lost = 0.0L, from = w, to = -end.z, n = test.flow.n;
            /* int lag / rate dw = int (1 / (1 - lag / a) - 1) dw, term by term */
            for (int i = 1; i < 400; i++) {
                long double behind = (test.flow.c + test.flow.b) / 0.7L;
                long double ahead = (test.flow.c - test.flow.b) / 0.7L;
                lost += powl(behind, i) * powl(to, n * i + 1.0L) / (n * i + 1.0L) +
                        powl(ahead, i) * powl(-from, n * i + 1.0L) / (n * i + 1.0L);
            }
            CHECK_RELATIVE(shift, (double)lost, 1e-11);
        }
        joint_text_close(&joint);
    }
}

/* A state far from those that a motion leads to has no map, and says so at once. */
static void far_states_have_no_map(void)
{
    for (int k = 0; k < 12; k++) {
        struct map_case test = bouc_wen_case(k % 2 ? 0.3 : -0.6, exponents[k / 2]);
        struct joint_text joint = joint_text_open(test.law, test.keys);
        for (double size = 10.0; size < 1e200; size *= 1e9) {
            for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
                struct masing_leg leg = {
                    .sign = sign, .half = 1.0, .z = size * (double)test.limit};
                CHECK(!joint.law->evolution->begin(joint.parameters, &leg));
            }
        }
        joint_text_close(&joint);
    }
}

/* On its limit z stays, and changes of it fade as the linearised flow has it. */
static void a_state_stays_on_its_limit(void)
{
    for (int k = 0; k < 6; k++) {
        struct joint_text joint =
            joint_text_open("bouc_wen", bouc_wen_case(0.3, exponents[k]).keys);
        const struct masing_evolution *evolution = joint.law->evolution;
        double limit = evolution->limit(joint.parameters), length = 0.4 * limit;
        double faded = -expm1(-exponents[k] * 0.7 * 0.4);
        for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
            struct masing_leg leg = {.sign = sign, .half = sign, .z = sign * limit};
            struct masing_travel end;
            CHECK(evolution->begin(joint.parameters, &leg));
            evolution->travel(joint.parameters, &leg, length, &end);
            CHECK(end.z == leg.z && end.rate == 0.0);
            CHECK_RELATIVE(end.faded, faded, 1e-14);
            CHECK_RELATIVE(end.kept, 1.0 - faded, 1e-13);
            CHECK_RELATIVE(evolution->shift(joint.parameters, &leg, length),
                           -sign * 0.7 * length, 1e-15);
        }
        joint_text_close(&joint);
    }
}

enum { N = 256 };

static enum masing_status march_period(const struct joint_text *joint, const double *x,
                                       double *state, const void *tangent, double *f)
{
    double origin = 0.0, dfp[N];
    struct masing_path path = {.n_samples = N,
                               .n_axes = 1,
                               .is_periodic = true,
                               .time_step = 0.1,
                               .x = x,
                               .n_parameters = tangent ? 1 : 0,
                               .dp = &tangent,
                               .origin = &origin};
    struct masing_forces forces = {.f = f, .dfp = dfp};
    const struct masing_law *law = joint->law;
    double *workspace =
        calloc(law->family->workspace_size(law, N, 0, 1) + 1, sizeof *workspace);
    enum masing_status status =
        masing_law_march(law, joint->parameters, &path, state, &forces, NULL, workspace);
    free(workspace);
    return status;
}

/* A period that turns at samples, about a place of its own, with a loop inside its loop. */
static void move(double *x, double amplitude)
{
    for (int i = 0; i < N; i++) {
        double t = TEST_TWO_PI * i / N;
        x[i] = amplitude * (0.3 + cos(t) + 0.9 * cos(2.0 * t));
    }
    /* the minima at cos t = -1 / 3.6 come to lie on a sample */
    int least = 0;
    for (int i = 0; i <= N / 2; i++) {
        least = x[i] < x[least] ? i : least;
    }
    x[least + 1] = x[least - 1];
    x[N - least - 1] = x[N - least + 1] = x[least - 1];
    x[least + 2] = x[least - 2];
    x[N - least - 2] = x[N - least + 2] = x[least - 2];
}

/* Step by step from rest until nothing changes, as a time integration does. */
static void check_steady(const char *law, const char *keys, double size)
{
    struct joint_text joint = joint_text_open(law, keys);
    double x[N], f[N], marched[N], state[16], again[N], origin = 0.0, v = 0.0, fx, fv;
    move(x, size * joint.law->evolution->length(joint.parameters));
    CHECK(march_period(&joint, x, NULL, NULL, f) == MASING_OK);
    masing_law_rest(joint.law, joint.parameters, &origin, state);
    for (int i = 0; i < 300 * N; i++) {
        CHECK(masing_law_step(joint.law, joint.parameters, &x[i % N], &v, state, state,
                              &marched[i % N], &fx, &fv) == MASING_OK);
    }
    double scale = 0.0;
    for (int i = 0; i < N; i++) {
        scale = fmax(scale, fabs(f[i]));
    }
    bool good = true;
    for (int i = 0; i < N; i++) {
        good = CHECK_SCALED(marched[i], f[i], scale, 1e-12) && good;
    }
    /* from what was found, and from beyond the limit */
    for (int k = 0; k < 2; k++) {
        CHECK(march_period(&joint, x, state, NULL, again) == MASING_OK);
        for (int i = 0; i < N; i++) {
            good = CHECK_SCALED(again[i], f[i], scale, 1e-13) && good;
        }
        state[3] = 1e3 * scale; /* z */
    }
    if (!good) {
        printf("# ^ %s {%s}, %g\n", law, keys, size);
    }
    joint_text_close(&joint);
}

/* Derivatives by parameters come with the implicit rule's forces, which are as good as that. */
static void the_implicit_rule_agrees(void)
{
    for (int k = 0; k < 10; k++) {
        struct map_case test = bouc_wen_case(k % 2 ? 0.5 : -0.6, exponents[k / 2]);
        struct joint_text joint = joint_text_open(test.law, test.keys);
        double x[N], f[N], other[N], scale = 0.0;
        void *tangent = calloc(1, joint.law->parameters_size);
        move(x, 3.0 * joint.law->evolution->length(joint.parameters));
        CHECK(march_period(&joint, x, NULL, NULL, f) == MASING_OK);
        CHECK(march_period(&joint, x, NULL, tangent, other) == MASING_OK);
        for (int i = 0; i < N; i++) {
            scale = fmax(scale, fabs(f[i]));
        }
        for (int i = 0; i < N; i++) {
            CHECK_SCALED(other[i], f[i], scale, 1e-6);
        }
        free(tangent);
        joint_text_close(&joint);
    }
}

static void steady_states_are_where_marching_ends(void)
{
    for (double size = 1.25; size < 40.0; size *= 2.5) {
        check_steady("dahl", "stiffness: 2e6, slip_force: 3, exponent: 0.5", size);
        check_steady("dahl", "stiffness: 2e6, slip_force: 3, exponent: 1", size);
        check_steady("dahl", "stiffness: 2e6, slip_force: 3, exponent: 1.5", size);
        check_steady("valanis",
                     "initial_stiffness: 3000, slip_stiffness: 100, stick_limit: 1, "
                     "transition: 0.5",
                     size);
        check_steady("valanis",
                     "initial_stiffness: 3000, slip_stiffness: 100, negative_stiffness: 700, "
                     "stick_limit: 1, transition: 0.5",
                     size);
        for (int k = 0; k < 5; k++) {
            check_steady("bouc_wen", bouc_wen_case(-0.6, exponents[k]).keys, size);
            check_steady("bouc_wen", bouc_wen_case(0.5, exponents[k]).keys, size);
        }
    }
}

/* Its digits are those that log V leaves of s. */
static void omega_is_the_root(void)
{
    static struct omega_map map;
    double worst = 0.0;
    omega_map_make(&map);
    for (double s = -40.0; s <= OMEGA_HIGHEST; s += 1.0 / 300.0) {
        long double v = omega_map_value(&map, s), off = v + logl(v) - s;
        worst = fmax(worst, (double)fabsl(off / (1.0L + v)) / fmax(1.0, fabs(s)));
    }
    CHECK(worst < 3e-15);
    CHECK(isnan(omega_map_value(&map, NAN))); /* and reads no table */
}

static const struct tap_test tests[] = {
    {"Dahl's map", dahl},
    {"omega is the root", omega_is_the_root},
    {"Valanis' map", valanis},
    {"the map of Bouc-Wen", bouc_wen},
    {"far states have no map", far_states_have_no_map},
    {"a state stays on its limit", a_state_stays_on_its_limit},
    {"steady states are where marching ends", steady_states_are_where_marching_ends},
    {"the implicit rule agrees", the_implicit_rule_agrees},
    {"small travels keep their digits", small_travels_keep_their_digits},
};

TAP_MAIN(tests)
