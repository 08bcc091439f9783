/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beams against Euler's and Bernoulli's closed forms and published frequencies. */
#include <math.h>

#include "beam_text.h"
#include "coupled_structure.h"
#include "example.h"
#include "linalg/cholesky.h"
#include "masing/check.h"

static const double PI = 3.14159265358979323846;

/* EI = 3, rho A = 0.7, L = 1.9, given in ways that must come to the same */
static const char *const beam = "  beams:\n"
                                "    - {name: b, youngs_modulus: 2, second_moment: 1.5, "
                                "density: 7, area: 0.1, length: 1.9, elements: %d%s}\n";
static const double EI = 3, RHO_A = 0.7, LENGTH = 1.9;

/* of omega in sqrt(EI / (rho A L^4)) units: (beta L)^2 */
static double scale(void)
{
    return sqrt(EI / (RHO_A * LENGTH * LENGTH * LENGTH * LENGTH));
}

static struct structure *create(struct masing_spec *spec)
{
    struct masing_error error = {0};
    struct structure *structure = NULL;
    if (!CHECK(coupled_structure_create(spec, &structure, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    return structure;
}

/* omega [count] of the elastic modes; gives the number of rigid-body modes */
static int frequencies(const char *form, int n_elements, const char *rest, const char *output,
                       int count, double *omega)
{
    char text[1000];
    snprintf(text, sizeof text, form, n_elements, rest);
    struct masing_spec spec = beam_spec(text, output);
    struct structure *structure = create(&spec);
    int n_rigid = structure->n_rigid;
    memcpy(omega, structure->omega + n_rigid, (size_t)count * sizeof *omega);
    structure_destroy(structure);
    masing_spec_clear(&spec);
    return n_rigid;
}

/* Errors of omega by elements of length h: (beta h)^4 / 1440 and smaller. */
static void check_convergence(const char *supports, const char *output, const double *roots,
                              int n_rigid)
{
    double coarse[3], fine[3], finest[3];
    CHECK(frequencies(beam, 12, supports, output, 3, coarse) == n_rigid);
    CHECK(frequencies(beam, 24, supports, output, 3, fine) == n_rigid);
    CHECK(frequencies(beam, 64, supports, output, 3, finest) == n_rigid);
    for (int k = 0; k < 3; k++) {
        double exact = roots[k] * roots[k] * scale(), step = roots[k] / 24;
        double order = log2((coarse[k] - exact) / (fine[k] - exact));
        CHECK(order > 3.9 && order < 4.1);
        CHECK_RELATIVE((fine[k] / exact - 1) * 1440 / (step * step * step * step), 1, 0.1);
        CHECK_RELATIVE(finest[k], exact, 1e-6);
    }
}

static void frequencies_converge_with_order_four(void)
{
    static const double clamped_free[] = {1.8751040687119611, 4.6940911329741746,
                                          7.8547574382376126};
    static const double free_free[] = {4.7300407448627040, 7.8532046240958376,
                                       10.995607838001671};
    static const double clamped_pinned[] = {3.9266023120479189, 7.0685827456287323,
                                            10.210176122813033};
    const double pinned[] = {PI, 2 * PI, 3 * PI}, guided[] = {PI / 2, 3 * PI / 2, 5 * PI / 2};
    check_convergence(", supports: {start: clamped}", "b.end.w", clamped_free, 0);
    check_convergence(", supports: {start: pinned, end: pinned}", "b.1.w", pinned, 0);
    check_convergence(", supports: {start: guided, end: pinned}", "b.start.w", guided, 0);
    check_convergence(", supports: {start: clamped, end: pinned}", "b.1.w", clamped_pinned, 0);
    check_convergence("", "b.end.w", free_free, 2);
}

/* 1 + cos cosh + mu b (cos sinh - sin cosh) = 0, mu = M / (rho A L), b = beta L */
static void mass_at_the_tip_lowers_the_frequency(void)
{
    const char *form = "  beams:\n"
                       "    - {name: b, bending_stiffness: 3, mass_per_length: 0.7, "
                       "length: 1.9, elements: %d, supports: {start: clamped}}\n%s";
    double omega, mu = 2.5 / (RHO_A * LENGTH);
    frequencies(form, 24, "  masses: {b.end.w: 2.5}", "b.end.w", 1, &omega);
    double b = sqrt(omega / scale());
    double value = 1 + cos(b) * cosh(b) + mu * b * (cos(b) * sinh(b) - sin(b) * cosh(b));
    double slope = mu * b * b * b; /* about; the equation is 2 - 2/3 mu b^4 + ... */
    CHECK(fabs(value) < 1e-7 * slope * b);
}

/* Halves that are joined are a whole; a spring holds like a support when it is stiff, and a
 * rotational spring makes a clamp of a pin. */
static void parts_make_a_whole(void)
{
    const char *halves =
        "  beams:\n"
        "    - {name: a, bending_stiffness: 3, mass_per_length: 0.7, length: 0.95, "
        "elements: %d, supports: {start: clamped}}\n"
        "    - {name: b, bending_stiffness: 3, mass_per_length: 0.7, length: 0.95, "
        "elements: 4, join: {start: a.end}}\n%s";
    double whole[4], joined[4], sprung[4];
    frequencies(beam, 8, ", supports: {start: clamped}", "b.end.w", 4, whole);
    frequencies(halves, 4, "", "b.end.w", 4, joined);
    frequencies(beam, 8,
                ", supports: {start: pinned}}\n"
                "  springs: [{from: ground, to: b.start.r, stiffness: 1e8}]\n#",
                "b.end.w", 4, sprung);
    for (int k = 0; k < 4; k++) {
        CHECK_RELATIVE(joined[k], whole[k], 1e-11);
        CHECK_RELATIVE(sprung[k], whole[k], 1e-6);
        CHECK(sprung[k] < whole[k]);
    }
}

/* Fine elements lose no digits: sums of K's entries would, 1e-8 already of 200. */
static void fine_elements_keep_their_digits(void)
{
    static const double roots[] = {1.8751040687119611, 4.6940911329741746};
    double omega[2];
    int n = 160;
    CHECK(frequencies(beam, n, ", supports: {start: clamped}", "b.end.w", 2, omega) == 0);
    for (int k = 0; k < 2; k++) {
        double exact = roots[k] * roots[k] * scale(), step = roots[k] / n;
        CHECK_RELATIVE(omega[k] / exact - 1, step * step * step * step / 1440, 0.05);
    }
}

/* Cubic elements, here of unequal length, are exact where forces act. */
static void static_deflections_are_exact(void)
{
    char text[1000];
    snprintf(text, sizeof text, beam, 5, ", nodes: {gauge: 1.3}, supports: {start: clamped}");
    struct masing_spec spec = beam_spec(text, "b.gauge.w");
    int n = spec.structure.n_dofs, tip = beam_dof(&spec, "b.end.w");
    double right[20] = {0}, scratch[20];
    CHECK(n == 12);
    right[tip] = 11;
    CHECK(cholesky_weak_row(n, spec.structure.stiffness, 1e-14, scratch) < 0);
    cholesky_solve(n, spec.structure.stiffness, right, 1);
    CHECK_RELATIVE(right[tip], 11 * LENGTH * LENGTH * LENGTH / (3 * EI), 1e-11);
    CHECK_RELATIVE(right[tip + 1], 11 * LENGTH * LENGTH / (2 * EI), 1e-11);
    CHECK_RELATIVE(right[beam_dof(&spec, "b.gauge.w")],
                   11 * 1.3 * 1.3 * (3 * LENGTH - 1.3) / (6 * EI), 1e-11);
    CHECK_RELATIVE(right[beam_dof(&spec, "b.gauge.r")],
                   11 * 1.3 * (2 * LENGTH - 1.3) / (2 * EI), 1e-11);
    masing_spec_clear(&spec);
}

/* v^T A v for v = (1, 0) or (x, 1) at all nodes, which `positions` [n] tell */
static double product(const struct masing_spec *spec, const double *a, const double *positions,
                      bool turns)
{
    int n = spec->structure.n_dofs;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double left = i % 2 ? turns : turns ? positions[i / 2] : 1;
            double right = j % 2 ? turns : turns ? positions[j / 2] : 1;
            sum += left * a[i + j * n] * right;
        }
    }
    return sum;
}

static void rigid_motions_have_mass_and_no_stiffness(void)
{
    static const double positions[] = {0, 0.475, 0.95, 1.2, 1.425, 1.9};
    char text[1000];
    snprintf(text, sizeof text, beam, 4, ", nodes: {here: 1.2, there: 0.475}");
    struct masing_spec spec = beam_spec(text, "b.there.w");
    const double *mass = spec.structure.mass, *stiffness = spec.structure.stiffness;
    double stiffest = 12 * EI / pow(1.425 - 1.2, 3);
    CHECK(spec.structure.n_dofs == 12);
    CHECK_RELATIVE(product(&spec, mass, positions, false), RHO_A * LENGTH, 1e-13);
    CHECK_RELATIVE(product(&spec, mass, positions, true), RHO_A * pow(LENGTH, 3) / 3, 1e-13);
    CHECK_SCALED(product(&spec, stiffness, positions, false), 0, stiffest, 1e-13);
    CHECK_SCALED(product(&spec, stiffness, positions, true), 0, stiffest, 1e-13);
    masing_spec_clear(&spec);
}

static struct masing_check_result check(const char *example, const char *path,
                                        const char *value)
{
    const struct masing_override override = {path, value};
    struct masing_check_result result = {0};
    struct masing_error error = {0};
    struct masing_model *model = example_open(example, &override, path ? 1 : 0);
    CHECK(masing_check(model, NULL, &result, &error) == MASING_OK);
    masing_model_destroy(model);
    return result;
}

/* rad/s as printed where the benchmark is used */
static void benchmark_has_its_frequencies(void)
{
    struct masing_check_result result = check("friction_beam.yaml", "pad.stiffness", "1e15");
    CHECK(fabs(2 * PI * result.free_hz[0] - 123.3406) < 5e-5);
    CHECK(fabs(2 * PI * result.stuck_hz[0] - 248.9732) < 5e-5);
    masing_check_clear(&result);
    struct masing_spec spec =
        beam_spec("  beams:\n"
                  "    - {name: beam, youngs_modulus: 185e9, density: 7830, length: 2, "
                  "elements: 8, section: {width: 0.3, height: 0.1}, nodes: {pad: 0.75}, "
                  "supports: {start: clamped, pad: pinned}}\n",
                  "beam.end.w");
    struct structure *structure = create(&spec);
    CHECK(fabs(structure->omega[0] - 248.9732) < 5e-5);
    structure_destroy(structure);
    masing_spec_clear(&spec);
}

/* Jalali et al. (2022), table 8, the joint stuck */
static void flange_has_its_frequencies(void)
{
    struct masing_check_result result = check("flange.yaml", NULL, NULL);
    CHECK_RELATIVE(result.stuck_hz[0], 34.60, 1e-3);
    CHECK_RELATIVE(result.stuck_hz[1], 197.2, 1e-3);
    CHECK_RELATIVE(result.stuck_hz[2], 590.08, 1e-3);
    CHECK(result.n_rigid == 1 && result.free_hz[0] == 0);
    masing_check_clear(&result);
}

static const struct tap_test tests[] = {
    {"frequencies converge with order four", frequencies_converge_with_order_four},
    {"a mass at the tip lowers the frequency", mass_at_the_tip_lowers_the_frequency},
    {"parts make a whole", parts_make_a_whole},
    {"fine elements keep their digits", fine_elements_keep_their_digits},
    {"static deflections are exact", static_deflections_are_exact},
    {"rigid motions have mass and no stiffness", rigid_motions_have_mass_and_no_stiffness},
    {"the benchmark has its frequencies", benchmark_has_its_frequencies},
    {"the flange has its frequencies", flange_has_its_frequencies},
};
TAP_MAIN(tests)
