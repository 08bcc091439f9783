/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A joint under periodic motion: the three ways of evaluating it agree with each other, and the
 * derivative of each is that of its force.
 */
#include <math.h>
#include <string.h>

#include "harmonic/joints/joint_scratch.h"
#include "law_paths.h"
#include "tap.h"

enum { N_HARMONICS = 6, N_C = 11, MAX_PARAMETERS = 512 };

static const int harmonics[N_HARMONICS] = {0, 1, 2, 3, 4, 5};

struct set_up {
    struct basis *basis;
    struct joint_shared *shared;
    struct joint_scratch *scratch;
    struct joint joint;
    union {
        double align;
        char bytes[MAX_PARAMETERS];
    } parameters;
    struct joint_response *response;
};

static void set_field(struct set_up *set, const char *name, double value)
{
    const struct masing_law *law = set->joint.law;
    int f = masing_field_find(law->fields, law->n_fields, name);
    CHECK(f >= 0);
    CHECK(masing_field_store(&law->fields[f], value, &set->parameters, NULL) == MASING_OK);
}

static void open_law(struct set_up *set, const char *name, int n_samples)
{
    memset(set, 0, sizeof *set);
    const struct masing_law *law = masing_law_find(name);
    CHECK(law != NULL && law->parameters_size <= MAX_PARAMETERS);
    CHECK(basis_create(harmonics, N_HARMONICS, n_samples, &set->basis, NULL) == MASING_OK);
    CHECK(joint_shared_create(set->basis, &set->shared, NULL) == MASING_OK);
    set->joint = (struct joint){
        .name = "joint", .law = law, .parameters = &set->parameters, .n_axes = 1};
    masing_fields_reset(law->fields, law->n_fields, &set->parameters);
}

static void close_law(struct set_up *set)
{
    joint_scratch_destroy(set->scratch);
    joint_response_destroy(set->response);
    joint_shared_destroy(set->shared);
    basis_destroy(set->basis);
}

static void respond(struct set_up *set, enum masing_forces_choice choice)
{
    CHECK(joint_response_create(&set->joint, set->shared, choice, &set->response, NULL) ==
          MASING_OK);
    CHECK(joint_scratch_create(set->shared, &set->response, 1, &set->scratch, NULL) ==
          MASING_OK);
}

static void start(struct set_up *set, enum masing_forces_choice choice)
{
    CHECK(masing_law_check(set->joint.law, &set->parameters, NULL) == MASING_OK);
    respond(set, choice);
}

static void open_jenkins(struct set_up *set, int n_samples, enum masing_forces_choice choice)
{
    open_law(set, "jenkins", n_samples);
    set_field(set, "stiffness", 3.0);
    set_field(set, "slip_force", 1.2);
    start(set, choice);
}

static void random_motion(uint64_t *seed, double *x)
{
    double size = test_uniform(seed, 0.2, 2.0);
    for (int c = 0; c < N_C; c++) {
        int h = (c + 1) / 2;
        x[c] = size * test_uniform(seed, -1.0, 1.0) / (1 + h * h);
    }
}

static void evaluate(struct set_up *set, const double *x, double omega, bool with_derivative)
{
    const double origin[1] = {0.0};
    memcpy(set->response->x, x, sizeof(double) * N_C);
    CHECK(joint_response_evaluate(set->response, set->scratch, omega, origin,
                                  with_derivative) == MASING_OK);
}

/* Central differences along a random direction (and the frequency), five points. */
static void check_derivative(struct set_up *set, uint64_t *seed, double step, double tolerance)
{
    static const double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double shifts[] = {-2.0, -1.0, 1.0, 2.0};
    double x[N_C], direction[N_C], df[N_C], dense[N_C * N_C], difference[N_C] = {0};
    double omega = 1.7, d_omega = test_uniform(seed, -1.0, 1.0);
    random_motion(seed, x);
    random_motion(seed, direction);
    for (int i = 0; i < 4; i++) {
        double moved[N_C];
        for (int c = 0; c < N_C; c++) {
            moved[c] = x[c] + shifts[i] * step * direction[c];
        }
        evaluate(set, moved, omega + shifts[i] * step * d_omega, false);
        for (int c = 0; c < N_C; c++) {
            difference[c] += weights[i] / step * set->response->f[c];
        }
    }
    evaluate(set, x, omega, true);
    joint_response_apply(set->response, direction, d_omega, df);
    for (int c = 0; c < N_C; c++) {
        CHECK_SCALED(df[c], difference[c], 3.0, tolerance);
    }
    joint_response_apply(set->response, direction, 0.0, df);
    joint_response_matrix(set->response, dense);
    for (int r = 0; r < N_C; r++) {
        double sum = 0.0;
        for (int c = 0; c < N_C; c++) {
            sum += dense[c * N_C + r] * direction[c];
        }
        CHECK_SCALED(sum, df[r], 3.0, 1e-12);
    }
}

static void derivative_of_phases(void)
{
    uint64_t seed = 21;
    struct set_up set;
    open_jenkins(&set, 64, MASING_FORCES_EXACT);
    CHECK(set.response->method == JOINT_PHASES);
    for (int trial = 0; trial < 200; trial++) {
        check_derivative(&set, &seed, 1e-4, 1e-5);
    }
    close_law(&set);
}

/* A stop is exact phase by phase, and sampled while it is rounded off. */
static void derivative_of_smoothed_stops(void)
{
    struct set_up set;
    open_law(&set, "unilateral_spring", 1024);
    set_field(&set, "stiffness", 3.0);
    set_field(&set, "gap", 0.1);
    start(&set, MASING_FORCES_AUTO);
    CHECK(set.response->method == JOINT_PHASES);
    double worst[3] = {0.0, 0.0, 0.0};
    for (int level = 0; level < 3; level++) {
        uint64_t seed = 26;
        for (int trial = 0; trial < 50; trial++) {
            double x[N_C], exact[N_C];
            set.response->smoothing = pow(0.1, level);
            check_derivative(&set, &seed, 1e-3 * set.response->smoothing, 1e-6);
            random_motion(&seed, x);
            evaluate(&set, x, 1.0, false);
            memcpy(exact, set.response->f, sizeof exact);
            set.response->smoothing = 0.0;
            evaluate(&set, x, 1.0, false);
            for (int c = 0; c < N_C; c++) {
                worst[level] = fmax(worst[level], fabs(exact[c] - set.response->f[c]));
            }
        }
    }
    CHECK(worst[0] > 0.1);
    CHECK(worst[1] < 0.2 * worst[0]);
    CHECK(worst[2] < 0.2 * worst[1]);
    close_law(&set);
}

/* By each number of the law that is given, against central differences over what check makes of
 * it: rounded off and not, phase by phase and sampled. */
static void check_parameters(struct set_up *set, uint64_t *seed, double smoothing, double step,
                             double tolerance)
{
    const struct masing_law *law = set->joint.law;
    double origin[2] = {0.0, 0.0}, x[2 * N_C], f[2][2 * N_C], change[2 * N_C];
    size_t n = (size_t)set->joint.n_axes * N_C;
    for (int a = 0; a < set->joint.n_axes; a++) {
        random_motion(seed, x + a * N_C);
    }
    set->response->smoothing = smoothing;
    for (int i = 0; i < law->n_fields; i++) {
        char tangent[MAX_PARAMETERS], kept[MAX_PARAMETERS];
        double value;
        memcpy(kept, &set->parameters, sizeof kept);
        memcpy(&value, kept + law->fields[i].offset, sizeof value);
        if (law->fields[i].type != MASING_FIELD_REAL || !isfinite(value) || value == 0.0) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            double moved = value + (side ? step : -step);
            memcpy(set->parameters.bytes + law->fields[i].offset, &moved, sizeof moved);
            CHECK(masing_law_check(law, &set->parameters, NULL) == MASING_OK);
            memcpy(set->response->x, x, n * sizeof *x);
            CHECK(joint_response_evaluate(set->response, set->scratch, 1.7, origin, false) ==
                  MASING_OK);
            memcpy(f[side], set->response->f, n * sizeof *x);
            memcpy(&set->parameters, kept, sizeof kept);
        }
        masing_law_tangent(law, &set->parameters, law->fields[i].offset, tangent);
        CHECK(joint_response_evaluate(set->response, set->scratch, 1.7, origin, false) ==
              MASING_OK);
        CHECK(joint_response_parameter(set->response, set->scratch, origin, tangent, change) ==
              MASING_OK);
        for (size_t c = 0; c < n; c++) {
            CHECK_SCALED(change[c], (f[1][c] - f[0][c]) / (2.0 * step), 3.0, tolerance);
        }
    }
}

/* Bristles that are softer: numbers of the law and their tangents are replaced. */
static void smoothed_bristles(void)
{
    static const double smoothings[] = {0.5, 0.05, 0.0};
    uint64_t seed = 27;
    struct set_up set;
    open_law(&set, "lugre", 256);
    set_field(&set, "sigma0", 30.0);
    set_field(&set, "sigma1", 0.5);
    set_field(&set, "sigma2", 0.4);
    set_field(&set, "coulomb_force", 1.0);
    set_field(&set, "static_force", 1.5);
    set_field(&set, "stribeck_velocity", 0.5);
    start(&set, MASING_FORCES_AUTO);
    for (int trial = 0; trial < 30; trial++) {
        check_parameters(&set, &seed, smoothings[trial % 3], 1e-4, 1e-6);
        check_derivative(&set, &seed, 1e-6, 1e-6);
    }
    double x[N_C], exact[N_C], distance[2] = {0.0, 0.0};
    random_motion(&seed, x);
    set.response->smoothing = 0.0;
    evaluate(&set, x, 1.0, false);
    memcpy(exact, set.response->f, sizeof exact);
    for (int i = 0; i < 2; i++) {
        set.response->smoothing = i ? 1e-4 : 1e-2;
        evaluate(&set, x, 1.0, false);
        for (int c = 0; c < N_C; c++) {
            distance[i] = fmax(distance[i], fabs(exact[c] - set.response->f[c]));
        }
    }
    CHECK(distance[0] > 1e-3);
    CHECK(distance[1] < 0.02 * distance[0]);
    close_law(&set);
}

static void parameters_of_smoothed_laws(void)
{
    static const double smoothings[] = {0.5, 0.05};
    uint64_t seed = 23;
    for (int exact = 0; exact < 2; exact++) {
        for (int sides = 1; sides <= 2; sides++) {
            struct set_up set;
            open_law(&set, "unilateral_spring", 256);
            set_field(&set, "stiffness", 3.0);
            set_field(&set, "gap", 0.2);
            set_field(&set, "two_sided", sides - 1);
            start(&set, exact ? MASING_FORCES_EXACT : MASING_FORCES_SAMPLED);
            for (int trial = 0; trial < 40; trial++) {
                check_parameters(&set, &seed, smoothings[trial % 2], 1e-5, 1e-7);
            }
            if (exact) { /* the law itself, phase by phase */
                check_parameters(&set, &seed, 0.0, 1e-5, 1e-6);
            }
            close_law(&set);
        }
    }
    struct set_up set;
    open_law(&set, "contact", 256);
    set_field(&set, "normal_stiffness", 3.0);
    set_field(&set, "tangential_stiffness", 2.0);
    set_field(&set, "friction", 1e3); /* it sticks: there are no corners but the opening */
    set_field(&set, "preload", 1.0);
    set.joint.n_axes = 2;
    set.joint.law->choose_axes(&set.parameters, 3u);
    start(&set, MASING_FORCES_SAMPLED);
    for (int trial = 0; trial < 20; trial++) {
        check_parameters(&set, &seed, smoothings[trial % 2], 1e-5, 1e-6);
    }
    close_law(&set);
}

static void derivative_of_samples(void)
{
    uint64_t seed = 22;
    struct set_up set;
    open_jenkins(&set, 256, MASING_FORCES_SAMPLED);
    CHECK(set.response->method == JOINT_TANGENTS);
    int n_good = 0;
    for (int trial = 0; trial < 100; trial++) {
        int before = tap_failures;
        check_derivative(&set, &seed, 1e-9, 2e-6);
        n_good += tap_failures == before;
        tap_failures = before; /* a sample may change its state within the step */
    }
    CHECK(n_good > 95);
    close_law(&set);
}

static void derivative_of_velocity_laws(void)
{
    static const struct {
        const char *law, *field[2];
        double value[2];
    } cases[] = {
        {"linear", {"stiffness", "damping"}, {2.0, 0.7}},
        {"tanh_friction", {"slip_force", "regularization"}, {1.5, 0.9}},
        {"quadratic_damper", {"coefficient", NULL}, {0.8, 0.0}},
        {"cubic_spring", {"coefficient", NULL}, {0.8, 0.0}},
    };
    uint64_t seed = 23;
    for (int i = 0; i < 4; i++) {
        struct set_up set;
        open_law(&set, cases[i].law, 128);
        for (int f = 0; f < 2 && cases[i].field[f]; f++) {
            set_field(&set, cases[i].field[f], cases[i].value[f]);
        }
        start(&set, MASING_FORCES_AUTO);
        for (int trial = 0; trial < 40; trial++) {
            check_derivative(&set, &seed, 1e-5, 1e-6);
        }
        close_law(&set);
    }
}

/* The samples' error falls with the square of their number or faster; seed directions give the
 * same sampled derivative as the structured form. */
static void samples_converge_to_phases(void)
{
    double worst[3] = {0.0, 0.0, 0.0};
    for (int level = 0; level < 3; level++) {
        uint64_t seed = 24;
        struct set_up exact, sampled;
        open_jenkins(&exact, 64, MASING_FORCES_EXACT);
        open_jenkins(&sampled, 256 << (2 * level), MASING_FORCES_SAMPLED);
        for (int trial = 0; trial < 50; trial++) {
            double x[N_C];
            random_motion(&seed, x);
            evaluate(&exact, x, 1.0, false);
            evaluate(&sampled, x, 1.0, false);
            for (int c = 0; c < N_C; c++) {
                worst[level] =
                    fmax(worst[level], fabs(exact.response->f[c] - sampled.response->f[c]));
            }
        }
        close_law(&exact);
        close_law(&sampled);
    }
    printf("# largest error of a coefficient at 256, 1024, 4096 samples: %.2e %.2e %.2e\n",
           worst[0], worst[1], worst[2]);
    CHECK(worst[0] < 1e-3);
    CHECK(worst[1] < worst[0] / 10.0);
    CHECK(worst[2] < worst[1] / 10.0);
}

static void directions_equal_tangents(void)
{
    static struct masing_family plain; /* the same engine, said to have no structured form */
    static struct masing_law law;
    uint64_t seed = 25;
    struct set_up structured, seeded;
    open_jenkins(&structured, 256, MASING_FORCES_SAMPLED);
    open_jenkins(&seeded, 256, MASING_FORCES_SAMPLED);
    plain = masing_family_masing;
    plain.has_tangents = false;
    law = *seeded.joint.law;
    law.family = &plain;
    seeded.joint.law = &law;
    joint_scratch_destroy(seeded.scratch);
    joint_response_destroy(seeded.response);
    respond(&seeded, MASING_FORCES_SAMPLED);
    CHECK(seeded.response->method == JOINT_DIRECTIONS);
    for (int trial = 0; trial < 50; trial++) {
        double x[N_C], first[N_C * N_C], second[N_C * N_C];
        random_motion(&seed, x);
        evaluate(&structured, x, 1.0, true);
        evaluate(&seeded, x, 1.0, true);
        joint_response_matrix(structured.response, first);
        joint_response_matrix(seeded.response, second);
        for (int i = 0; i < N_C * N_C; i++) {
            CHECK_SCALED(second[i], first[i], 3.0, 1e-12);
        }
        for (int c = 0; c < N_C; c++) {
            CHECK_SCALED(seeded.response->f[c], structured.response->f[c], 1.0, 1e-13);
        }
    }
    close_law(&structured);
    close_law(&seeded);
}

/* First harmonic of the Jenkins element in closed form (LAWS, section 2). */
static void jenkins_has_its_closed_form(void)
{
    struct set_up set;
    open_jenkins(&set, 64, MASING_FORCES_EXACT);
    for (double amplitude = 0.1; amplitude < 4.0; amplitude += 0.17) {
        double x[N_C] = {0.0, amplitude}, k = 3.0, limit = 1.2;
        evaluate(&set, x, 1.0, false);
        double stiffness = k, damping = 0.0;
        if (k * amplitude > limit) {
            double angle = acos(1.0 - 2.0 * limit / (k * amplitude));
            stiffness = k * (angle - 0.5 * sin(2.0 * angle)) / (0.5 * TEST_TWO_PI);
            damping =
                4.0 * limit / (0.5 * TEST_TWO_PI * amplitude) * (1.0 - limit / (k * amplitude));
        }
        CHECK_SCALED(set.response->f[1], stiffness * amplitude, limit, 1e-14);
        /* force in phase with velocity -sin: -(c omega) A sin */
        CHECK_SCALED(set.response->f[2], -damping * amplitude, limit, 1e-14);
    }
    close_law(&set);
}

/* To the last bit, so that it couples no harmonics. */
static void a_joint_that_sticks_is_a_spring(void)
{
    struct set_up set;
    uint64_t seed = 11;
    double x[N_C], block[N_C * N_C];
    open_jenkins(&set, 64, MASING_FORCES_EXACT);
    random_motion(&seed, x);
    for (int i = 0; i < N_C; i++) {
        x[i] *= i == 0 ? 0.0 : 1e-3;
    }
    evaluate(&set, x, 1.0, true);
    joint_response_matrix(set.response, block);
    for (int i = 0; i < N_C; i++) {
        CHECK(set.response->f[i] == 3.0 * x[i]);
        for (int k = 0; k < N_C; k++) {
            CHECK(block[k * N_C + i] == (i == k ? 3.0 : 0.0));
        }
    }
    close_law(&set);
}

static const struct tap_test tests[] = {
    {"a joint that sticks is a spring", a_joint_that_sticks_is_a_spring},
    {"the Jenkins element has its closed form", jenkins_has_its_closed_form},
    {"derivative of forces phase by phase", derivative_of_phases},
    {"derivative of stops that are rounded off", derivative_of_smoothed_stops},
    {"derivative by parameters of what is rounded off", parameters_of_smoothed_laws},
    {"derivatives of bristles that are softened", smoothed_bristles},
    {"derivative of sampled forces", derivative_of_samples},
    {"derivative of rate-dependent laws", derivative_of_velocity_laws},
    {"samples converge to phases", samples_converge_to_phases},
    {"seed directions give the structured derivative", directions_equal_tangents},
};

TAP_MAIN(tests)
