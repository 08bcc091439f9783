/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws with a backbone against independent computations: loops, nested memory, derived
 * constants and losses per cycle.
 */
#include "joint_text.h"
#include "law_paths.h"
#include "response.h"

static const char IWAN[] = "slip_force: 10, stiffness: 1, chi: -0.5, beta: 5";
static const char TABLE_1[] =
    "topography: {height_std: 5e-7, summit_radius: 1.5e-4, summit_density: 5e8, area: 5e-4, "
    "youngs_modulus: 200e9, poisson_ratio: 0.3}, friction: 0.3, preload: 50";

/* Numbers of one line of a CSV file; returns how many. */
static int read_numbers(FILE *file, double *numbers, int max)
{
    char line[4096];
    int n = 0;
    if (!file || !fgets(line, sizeof line, file)) {
        return 0;
    }
    for (char *at = line, *end = line; n < max && *at; at = *end ? end + 1 : end) {
        numbers[n++] = strtod(at, &end);
        end += strcspn(end, ",\r\n");
        if (*end != ',') {
            break;
        }
    }
    return n;
}

static void skip_heading(FILE *file)
{
    char line[4096];
    CHECK(file && fgets(line, sizeof line, file));
}

/* Loss of a symmetric cycle by Masing's rule, 8 integral B - 4 X B(X), in panels that crowd
 * at both ends, where backbones may have half powers. */
static double loss_of(const struct joint_text *joint, double amplitude)
{
    enum { PANELS = 4000 };
    double sum = 0.0;
    for (int i = 0; i < PANELS; i++) {
        for (int k = -1; k <= 1; k++) { /* Gauss, three points */
            double t = (i + 0.5 + 0.5 * k * sqrt(0.6)) / PANELS;
            double u = t * t * t * (10.0 - 15.0 * t + 6.0 * t * t);
            double weight =
                (k ? 5.0 : 8.0) / 18.0 / PANELS * 30.0 * t * t * (1.0 - t) * (1.0 - t);
            sum += weight * amplitude * joint_text_backbone(joint, amplitude * u);
        }
    }
    return 8.0 * sum - 4.0 * amplitude * joint_text_backbone(joint, amplitude);
}

/* By the forces of a sampled cycle. */
static double sampled_loss(const struct joint_text *joint, double amplitude)
{
    enum { N = 4096 };
    static double x[N], f[N];
    double loss = 0.0;
    for (int i = 0; i < N; i++) {
        x[i] = amplitude * sin(TEST_TWO_PI * (i + 0.3) / N);
    }
    joint_text_march(joint, x, N, f);
    for (int i = 0; i < N; i++) {
        loss += f[i] * amplitude * cos(TEST_TWO_PI * (i + 0.3) / N) * TEST_TWO_PI / N;
    }
    return loss;
}

static void iwan_backbone(void)
{
    struct joint_text joint = joint_text_open("iwan4", IWAN);
    FILE *file = open_reference("iwan4_backbone.csv");
    double row[6];
    int n = 0;
    skip_heading(file);
    while (read_numbers(file, row, 6) == 6) {
        CHECK_RELATIVE(joint_text_backbone(&joint, row[0]), row[1], 2e-9);
        bool is_corner = row[0] == 11.25; /* tangents differ from side to side */
        CHECK_SCALED(joint_text_tangent(&joint, row[0]), is_corner ? 0.0 : row[2], 1.0, 2e-9);
        double scale = fmax(row[5], 1e-6 * row[0] * row[1]);
        CHECK_SCALED(loss_of(&joint, row[0]), row[5], scale, 1e-6);
        n++;
    }
    CHECK(n > 80);
    fclose(file);
    joint_text_close(&joint);
}

static void iwan_memory(void)
{
    struct joint_text joint = joint_text_open("iwan4", IWAN);
    FILE *file = open_reference("iwan4_memory_path.csv");
    double row[3], x = 0.0, *state = joint_text_rest(&joint);
    int n = 0;
    skip_heading(file);
    while (read_numbers(file, row, 3) == 3) {
        CHECK_SCALED(joint_text_step(&joint, state, x, row[0]), row[1], 10.0, 1e-8);
        x = row[0];
        n++;
    }
    CHECK(n >= 20);
    free(state);
    fclose(file);
    joint_text_close(&joint);
}

/* Closed forms of the loss in micro- and macroslip (Lacayo et al. 2017, eqs 8, 9, corrected).
 */
static void iwan_losses(void)
{
    static const double chis[] = {-0.9, -0.5, -0.23, 0.0}, betas[] = {0.0, 0.46, 5.0};
    for (int i = 0; i < 12; i++) {
        char keys[200];
        double chi = chis[i % 4], beta = betas[i / 4];
        snprintf(keys, sizeof keys, "slip_force: 30.7, stiffness: 4.73e8, chi: %g, beta: %g",
                 chi, beta);
        struct joint_text joint = joint_text_open("iwan4", keys);
        double reach = joint_text_constant(&joint, "phi_max");
        double density = joint_text_constant(&joint, "R");
        double mean = joint_text_constant(&joint, "phi_bar");
        for (double a = 0.125; a < 8.0; a *= 2.0) {
            double amplitude = a * reach;
            double micro =
                4.0 * density * pow(amplitude, chi + 3.0) / ((chi + 2.0) * (chi + 3.0));
            double loss = a <= 1.0 ? micro : 4.0 * 30.7 * (amplitude - mean);
            CHECK_RELATIVE(loss_of(&joint, amplitude), loss, 1e-6);
            CHECK_RELATIVE(sampled_loss(&joint, amplitude), loss, 1e-3);
        }
        joint_text_close(&joint);
    }
}

static void iwan_constants(void)
{
    struct joint_text joint = joint_text_open("iwan4", IWAN);
    CHECK_RELATIVE(joint_text_constant(&joint, "phi_max"), 11.25, 1e-14);
    CHECK_RELATIVE(joint_text_constant(&joint, "R"), 0.0248451997, 4e-9);
    CHECK_RELATIVE(joint_text_constant(&joint, "S"), 0.833333333, 1e-9);
    CHECK_RELATIVE(joint_text_constant(&joint, "phi_bar"), 10.96875, 1e-14);
    joint_text_close(&joint);
}

static void rough_constants(void)
{
    static const char *const names[] = {
        NULL, "E*",    NULL,       NULL,        "h",  "y_c", "slip_force",
        NULL, NULL,    NULL,       "stiffness", "xi", NULL,  "slip_displacement",
        "q",  "Omega", "Lambda_1", "Lambda_0"};
    enum { N_COLUMNS = sizeof names / sizeof *names };
    struct joint_text joint = joint_text_open("rough_interface", TABLE_1);
    FILE *file = open_reference("rough_interface_parameters.csv");
    double row[N_COLUMNS] = {0.0};
    skip_heading(file);
    CHECK(read_numbers(file, row, N_COLUMNS) == N_COLUMNS);
    for (int i = 1; i < N_COLUMNS; i++) {
        if (names[i]) {
            CHECK_RELATIVE(joint_text_constant(&joint, names[i]), row[i], 2e-11);
        }
    }
    CHECK_RELATIVE(1.0 / joint_text_constant(&joint, "G*"), row[2],
                   2e-11); /* a modulus there */
    fclose(file);
    CHECK_RELATIVE(joint_text_constant(&joint, "h"), 2.571425646, 1e-9);
    CHECK_RELATIVE(joint_text_constant(&joint, "stiffness"), 8.235294118e7, 1e-9);
    CHECK_RELATIVE(joint_text_constant(&joint, "Lambda_0"), 1.285431613e7, 1e-9);
    joint_text_close(&joint);
}

static void rough_shapes(void)
{
    FILE *file = open_reference("rough_interface_q_omega.csv");
    double row[5];
    int n = 0;
    skip_heading(file);
    while (read_numbers(file, row, 5) == 5) {
        char keys[200];
        snprintf(keys, sizeof keys, "stiffness: 1, slip_displacement: 1, slip_force: %.17g",
                 row[0]);
        struct joint_text joint = joint_text_open("rough_interface", keys);
        CHECK_SCALED(joint_text_constant(&joint, "Omega"), row[1], fmax(fabs(row[1]), 1e-2),
                     1e-12);
        if (fabs(row[1]) > 1e-6) {
            CHECK_RELATIVE(joint_text_constant(&joint, "Lambda_1"), row[2], 1e-11);
            CHECK_RELATIVE(joint_text_constant(&joint, "Lambda_0"), row[3], 1e-11);
        }
        CHECK_RELATIVE(loss_of(&joint, 1.0) / row[0], row[4], 1e-9);
        joint_text_close(&joint);
        n++;
    }
    CHECK(n > 10);
    fclose(file);
}

static void rough_loops(void)
{
    struct joint_text joint = joint_text_open("rough_interface", TABLE_1);
    FILE *file = open_reference("rough_interface_loops.csv");
    double row[5], reach = joint_text_constant(&joint, "slip_displacement");
    int n = 0;
    skip_heading(file);
    while (read_numbers(file, row, 5) == 5) {
        double amplitude = row[0] * reach;
        CHECK_RELATIVE(joint_text_backbone(&joint, amplitude), row[2], 1e-9);
        CHECK_RELATIVE(loss_of(&joint, amplitude), row[4], 1e-9);
        CHECK_RELATIVE(sampled_loss(&joint, amplitude), row[4], 1e-4);
        n++;
    }
    CHECK(n == 7);
    fclose(file);
    joint_text_close(&joint);
}

/* P1 = (sin t + sin 3t) / 2, P4 = 0.8 sin t */
static double path_at(int path, double angle)
{
    return path == 0 ? 0.5 * sin(angle) + 0.5 * sin(3.0 * angle) : 0.8 * sin(angle);
}

/* Two periods from the virgin state; the motion is straight from row to row. */
static void nested_loops(void)
{
    struct joint_text joints[2] = {
        joint_text_open("rough_interface", TABLE_1),
        joint_text_open("mindlin", "slip_force: 3, slip_displacement: 2e-6")};
    FILE *file = open_reference("masing_paths.csv");
    double row[7], x[4] = {0.0}, *states[4];
    double limits[2] = {15.0, 3.0}, reach[2];
    int n = 0;
    for (int j = 0; j < 4; j++) { /* path 2 p + law */
        states[j] = joint_text_rest(&joints[j % 2]);
        reach[j % 2] = joint_text_constant(&joints[j % 2], "slip_displacement");
    }
    skip_heading(file);
    while (read_numbers(file, row, 7) == 7) {
        for (int j = 0; j < 4; j++) {
            double next = reach[j % 2] * path_at(j / 2, row[0]);
            double f = joint_text_step(&joints[j % 2], states[j], x[j], next);
            CHECK_SCALED(f / limits[j % 2], row[1 + 3 * (j / 2) + j % 2], 1.0, 1e-6);
            x[j] = next;
        }
        n++;
    }
    CHECK(n > 790);
    for (int j = 0; j < 4; j++) {
        free(states[j]);
    }
    fclose(file);
    joint_text_close(&joints[0]);
    joint_text_close(&joints[1]);
}

/* Steady losses of the same paths, in units of limit times reach. */
static void nested_losses(void)
{
    enum { N = 4096 };
    static const double losses[2][2] = {{1.360261551, 0.3643817932},
                                        {1.100981869, 0.343460041}};
    static double x[N], f[N];
    struct joint_text joints[2] = {
        joint_text_open("rough_interface", TABLE_1),
        joint_text_open("mindlin", "slip_force: 3, slip_displacement: 2e-6")};
    const double limits[2] = {15.0, 3.0};
    for (int j = 0; j < 4; j++) {
        struct joint_text *joint = &joints[j % 2];
        double reach = joint_text_constant(joint, "slip_displacement"), loss = 0.0;
        for (int i = 0; i < N; i++) {
            x[i] = reach * path_at(j / 2, TEST_TWO_PI * i / N);
        }
        joint_text_march(joint, x, N, f);
        for (int i = 0; i < N; i++) {
            double angle = TEST_TWO_PI * i / N;
            double slope = j / 2 ? 0.8 * cos(angle) : 0.5 * cos(angle) + 1.5 * cos(3.0 * angle);
            loss += f[i] / limits[j % 2] * slope * TEST_TWO_PI / N;
        }
        CHECK_RELATIVE(loss, losses[j / 2][j % 2], 1e-5);
    }
    joint_text_close(&joints[0]);
    joint_text_close(&joints[1]);
}

static const struct tap_test tests[] = {
    {"the Iwan backbone and its losses", iwan_backbone},
    {"an Iwan joint remembers nested loops", iwan_memory},
    {"an Iwan joint loses what the closed forms say", iwan_losses},
    {"the Iwan joint's published constants", iwan_constants},
    {"a rough interface's constants from its topography", rough_constants},
    {"shapes of the exponential backbone", rough_shapes},
    {"loops of a rough interface", rough_loops},
    {"nested loops of several harmonics", nested_loops},
    {"their losses per cycle", nested_losses},
};

TAP_MAIN(tests)
