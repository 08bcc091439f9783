/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sealing: what it refuses and with which words, defaults, loads, static state. */
#include "model/model.h"

#include <string.h>

#include "specimen.h"
#include "tap.h"

static const double PI = 3.14159265358979323846;

static struct masing_model *seal(struct masing_spec *spec)
{
    struct masing_error error = {0};
    struct masing_model *model = NULL;
    if (!CHECK(masing_model_create(spec, &model, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
        fflush(stdout);
        abort();
    }
    return model;
}

static void refused(struct masing_spec *spec, const char *text)
{
    struct masing_error error = {0};
    struct masing_model *model = NULL;
    CHECK(masing_model_create(spec, &model, &error) == MASING_INVALID);
    CHECK(model == NULL && spec->structure.mass == NULL && spec->joints == NULL);
    if (!CHECK(strstr(error.message, text) != NULL)) {
        printf("# message: %s\n", error.message);
    }
}

/* Two masses with a Jenkins element on the first and a load on the second */
static struct masing_joint_spec *damper(struct masing_spec *spec)
{
    specimen_init(spec, 2);
    specimen_mass(spec, 0, 1);
    specimen_mass(spec, 1, 1);
    specimen_spring(spec, MASING_GROUND, 0, 41339);
    specimen_spring(spec, 0, 1, 41328);
    specimen_load(spec, 1, 10);
    struct masing_joint_spec *joint =
        specimen_joint(spec, "damper", "jenkins", MASING_GROUND, 0);
    specimen_field(joint, "stiffness", 40000);
    specimen_field(joint, "slip_force", 15);
    return joint;
}

static void defaults_are_resolved(void)
{
    static const int highest[] = {1, 7, 16, 17, 63};
    static const int samples[] = {256, 256, 256, 512, 1024};
    for (int i = 0; i < 5; i++) {
        struct masing_spec spec;
        damper(&spec);
        spec.n_harmonics = 2;
        spec.harmonics[0] = i % 2;
        spec.harmonics[1] = highest[i];
        if (highest[i] == 1) {
            spec.harmonics[0] = 0;
        } else {
            spec.harmonics[0] = 1;
        }
        struct masing_model *model = seal(&spec);
        CHECK(masing_model_spec(model)->n_samples == samples[i]);
        CHECK(masing_model_n_warnings(model) == 0);
        CHECK(masing_model_warning(model, 0) == NULL);
        CHECK(model->joints[0].law->stuck_stiffness(model->joints[0].parameters) == 40000);
        masing_model_destroy(model);
    }
}

static void wrong_settings_are_refused(void)
{
    struct masing_spec spec;
    damper(&spec);
    spec.file = specimen_text("m.yaml");
    spec.frequency_place = (struct masing_place){12, 4};
    spec.omega_to = spec.omega_from;
    refused(&spec, "m.yaml:12:4: frequency: the range is empty, both ends are 1");
    damper(&spec);
    spec.omega_from = -3;
    refused(&spec, "frequency: must be greater than 0, found -3");
    damper(&spec);
    spec.omega_from = NAN;
    refused(&spec, "frequency: must be greater than 0, found nan");
    damper(&spec);
    spec.harmonics[3] = 2;
    refused(&spec, "harmonics: 2 stands here twice");
    damper(&spec);
    spec.harmonics[3] = 1;
    refused(&spec, "harmonics: 1 follows 2, expected an ascending list");
    damper(&spec);
    spec.harmonics[0] = -1;
    refused(&spec, "harmonics: -1 in the list");
    damper(&spec);
    spec.n_harmonics = 1;
    refused(&spec, "harmonics: expected at least one from 1");
    damper(&spec);
    spec.n_samples = 16;
    refused(&spec, "samples: 16 are too few samples for harmonic 7; expected at least 28");
    damper(&spec);
    spec.n_samples = 100;
    refused(&spec, "samples: expected a power of two, found 100");
    damper(&spec);
    spec.solver.step_min = 0.5;
    refused(&spec, "solver: steps are");
    damper(&spec);
    spec.solver.tolerance = 0;
    refused(&spec, "solver: 'tolerance' must be");
    damper(&spec);
    spec.load_factor = INFINITY;
    refused(&spec, "load_factor");
}

static void wrong_joints_are_refused(void)
{
    struct masing_spec spec;
    struct masing_joint_spec *joint;
    damper(&spec);
    joint = specimen_joint(&spec, "damper", "jenkins", 0, 1);
    refused(&spec, "joint 'damper': the name is taken already");
    joint = damper(&spec);
    joint->axes[0].terms[0].dof = 2;
    refused(&spec, "joint 'damper': DOF 3, expected 1 to 2");
    joint = damper(&spec);
    joint->axes[0].n_terms = 0;
    refused(&spec, "joint 'damper': all weights are zero or cancel");
    joint = damper(&spec);
    free(joint->axes[0].terms);
    joint->axes[0] = specimen_axis(1, 1);
    refused(&spec, "joint 'damper': all weights are zero or cancel");
    joint = damper(&spec);
    joint->axes[0].terms[0].weight = NAN;
    refused(&spec, "the weight of DOF 1 is nan");
    joint = damper(&spec);
    *(double *)((char *)joint->parameters + joint->law->fields[0].offset) = -5;
    joint->place = (struct masing_place){9, 5};
    refused(&spec, "model:9:5: joint 'damper': ");
    damper(&spec);
    specimen_field(specimen_joint(&spec, "stop", "cubic_spring", 0, 1), "coefficient", 10);
    spec.forces = MASING_FORCES_EXACT;
    refused(&spec, "joint 'stop': law 'cubic_spring' has no phases in closed form");
}

static void wrong_loads_are_refused(void)
{
    struct masing_spec spec;
    damper(&spec);
    spec.n_harmonics = 2;
    spec.loads[0].harmonic = 3;
    refused(&spec, "harmonic: 3 is not among the harmonics of the model, 0, 1");
    damper(&spec);
    spec.loads[0].harmonic = 0;
    refused(&spec, "load 1: harmonic 0, expected a number >= 1");
    damper(&spec);
    spec.loads[0].pattern[1] = 0;
    spec.loads[0].name = specimen_text("shaker");
    refused(&spec, "load 'shaker': acts on no DOF");
    damper(&spec);
    spec.loads[0].amplitude = NAN;
    refused(&spec, "amplitude or phase is not finite");
    damper(&spec);
    spec.harmonics[0] = 1;
    spec.n_harmonics = 1;
    specimen_static_load(&spec, 0, 2);
    refused(&spec, "harmonics: 0 is loaded but the list has 1");
}

static void wrong_outputs_are_refused(void)
{
    struct masing_spec spec;
    for (int i = 0; i < 3; i++) {
        damper(&spec);
        spec.outputs = specimen_array(2, sizeof *spec.outputs);
        spec.n_outputs = 2;
        spec.outputs[0].name = specimen_text("tip");
        spec.outputs[1].name = specimen_text(i == 0 ? "tip" : "root");
        spec.outputs[0].combination = specimen_axis(MASING_GROUND, 0);
        spec.outputs[1].combination = specimen_axis(MASING_GROUND, i == 1 ? 5 : 1);
        spec.peak_output = i == 2 ? 2 : 0;
        refused(&spec, i == 0   ? "output 'tip': the name is taken already"
                       : i == 1 ? "output 'root': DOF 6, expected 1 to 2"
                                : "peak: output 3, expected 1 to 2");
    }
}

/* A program that fills the specification itself is told the same, and which part it is. */
static void refused_part(struct masing_spec *spec, const char *text, const char *part)
{
    struct masing_error error = {0};
    struct masing_model *model = NULL;
    CHECK(masing_model_create(spec, &model, &error) == MASING_INVALID);
    if (!CHECK(strstr(error.message, text) && strcmp(error.part, part) == 0)) {
        printf("# part: %s, message: %s\n", error.part, error.message);
    }
}

static void the_part_that_is_wrong_is_named(void)
{
    struct masing_spec spec;
    struct masing_joint_spec *joint;
    specimen_joint((damper(&spec), &spec), "damper", "jenkins", 0, 1);
    refused_part(&spec, "the name is taken already", "joints.1.name");
    damper(&spec);
    free(spec.joints[0].name);
    spec.joints[0].name = specimen_text("a=b");
    refused_part(&spec, "'a=b' cannot name a joint: ", "joints.0.name");
    damper(&spec);
    spec.structure.dof_names = specimen_array(2, sizeof *spec.structure.dof_names);
    spec.structure.dof_names[0] = specimen_text("tip");
    spec.structure.dof_names[1] = specimen_text("tip");
    refused_part(&spec, "the name is taken already", "structure.dof_names.1");
    damper(&spec);
    spec.loads = realloc(spec.loads, 2 * sizeof *spec.loads);
    spec.loads[1] = (struct masing_load_spec){.harmonic = 1, .amplitude = 1};
    spec.loads[1].pattern = specimen_array(2, sizeof(double));
    spec.loads[1].pattern[0] = 1;
    spec.loads[0].name = specimen_text("shaker");
    spec.loads[1].name = specimen_text("shaker");
    spec.n_loads = 2;
    refused_part(&spec, "load 'shaker': the name is taken already", "loads.1.name");
    damper(&spec);
    spec.loads[0].harmonic = 9;
    refused_part(&spec, "harmonic: 9 is not among", "loads.0.harmonic");
    joint = damper(&spec);
    *(double *)((char *)joint->parameters + joint->law->fields[0].offset) = -5;
    refused_part(&spec, "'stiffness' must be > 0", "joints.0.stiffness");
    joint = damper(&spec);
    *(double *)((char *)joint->parameters + joint->law->fields[0].offset) = 1e-320;
    refused_part(&spec, "slip force / stiffness", "joints.0.stiffness");
    damper(&spec);
    spec.solver.tolerance = 0;
    refused_part(&spec, "'tolerance' must be", "solver.tolerance");
}

/* amplitude[2] of load 0 at Omega, with its derivative checked against a difference */
static void amplitude_at(const struct masing_model *model, double omega, double amplitude[2])
{
    double slope[2], above[2], below[2], ignored[2], step = 1e-5 * omega;
    const struct load *load = &model->loads[0];
    load_amplitude(load, omega + step, above, ignored);
    load_amplitude(load, omega - step, below, ignored);
    load_amplitude(load, omega, amplitude, slope);
    for (int i = 0; i < 2; i++) {
        double scale = fabs(amplitude[0] / omega) + fabs(amplitude[1] / omega) + fabs(slope[i]);
        CHECK_SCALED(slope[i], (above[i] - below[i]) / (2 * step), scale, 1e-8);
    }
}

static void loads_have_their_amplitudes(void)
{
    struct masing_spec spec;
    double a[2];
    damper(&spec);
    spec.load_factor = 3;
    spec.loads[0].phase = PI / 6;
    struct masing_model *model = seal(&spec);
    amplitude_at(model, 5, a);
    CHECK_RELATIVE(a[0], 30 * sqrt(0.75), 1e-14);
    CHECK_RELATIVE(a[1], 15, 1e-14);
    CHECK(model->loads[0].real[1] == 1 && model->loads[0].imaginary == NULL);
    masing_model_destroy(model);
    damper(&spec);
    spec.loads[0].kind = MASING_LOAD_IMBALANCE;
    spec.loads[0].phase = -PI / 2;
    model = seal(&spec);
    amplitude_at(model, 5, a);
    CHECK_SCALED(a[0], 0, 1, 1e-12);
    CHECK_RELATIVE(a[1], -250, 1e-14);
    masing_model_destroy(model);
}

static void bases_accelerate_all_masses(void)
{
    struct masing_spec spec;
    double a[2];
    damper(&spec);
    specimen_mass(&spec, 1, 2);
    spec.structure.mass[1] = spec.structure.mass[2] = 0.5;
    spec.loads[0].kind = MASING_LOAD_BASE_ACCELERATION;
    spec.loads[0].pattern[0] = 1;
    struct masing_model *model = seal(&spec);
    amplitude_at(model, 5, a);
    CHECK(a[0] == 10 && a[1] == 0);
    CHECK_RELATIVE(model->loads[0].real[0], -1.5, 1e-15);
    CHECK_RELATIVE(model->loads[0].real[1], -3.5, 1e-15);
    masing_model_destroy(model);
}

static void set_table(struct masing_spec *spec, int n, const double *rows)
{
    struct masing_load_spec *load = &spec->loads[0];
    load->kind = MASING_LOAD_TABLE;
    load->n_table = n;
    load->table = specimen_array(3 * (size_t)n, sizeof(double));
    memcpy(load->table, rows, 3 * (size_t)n * sizeof(double));
}

static void tables_are_interpolated(void)
{
    static const double rows[] = {1, 2, 0, 3, 4, 90, 4, 8, 170, 8, 8, -170};
    struct masing_spec spec;
    double a[2];
    damper(&spec);
    set_table(&spec, 4, rows);
    spec.omega_from = 2 * PI;
    spec.omega_to = 16 * PI;
    struct masing_model *model = seal(&spec);
    amplitude_at(model, 2 * PI * 2, a);
    CHECK_RELATIVE(a[0], 30 * cos(PI / 4), 1e-14);
    CHECK_RELATIVE(a[1], 30 * sin(PI / 4), 1e-14);
    amplitude_at(model, 2 * PI * 3.5, a);
    CHECK_RELATIVE(hypot(a[0], a[1]), 60, 1e-14);
    CHECK_RELATIVE(atan2(a[1], a[0]), 130 * PI / 180, 1e-14);
    /* from 170 to -170 degrees by 180, not by 0 */
    amplitude_at(model, 2 * PI * 6, a);
    CHECK_RELATIVE(a[0], -80, 1e-14);
    masing_model_destroy(model);
    damper(&spec);
    set_table(&spec, 4, rows);
    spec.omega_from = 1.9 * PI;
    spec.omega_to = 16 * PI;
    refused(&spec, "the table covers 1 to 8 Hz, expected the whole frequency range 0.95 to 8 "
                   "Hz");
    damper(&spec);
    set_table(&spec, 1, rows);
    refused(&spec, "the table has 1 row, expected at least two");
}

/* Sum of static force, structure and joint at the mass must vanish. */
static void static_loads_follow_the_virgin_curve(void)
{
    static const double forces[] = {3, -3, 14.9, 30, -60, 1e5};
    for (int i = 0; i < 6; i++) {
        struct masing_spec spec;
        damper(&spec);
        spec.load_factor = 7; /* not for static loads */
        specimen_static_load(&spec, 1, forces[i]);
        struct masing_model *model = seal(&spec);
        double stuck = forces[i] / (41339 + 40000), slipping = (fabs(forces[i]) - 15) / 41339;
        double expected = fabs(stuck * 40000) < 15 ? stuck : copysign(slipping, forces[i]);
        CHECK_RELATIVE(model->static_displacement[0], expected, 1e-12);
        masing_model_destroy(model);
    }
}

/* A free mass held by a joint only: the joint carries the load, or nothing does. */
static void joints_hold_what_floats(void)
{
    for (int i = 0; i < 3; i++) {
        struct masing_spec spec;
        specimen_init(&spec, 2);
        specimen_mass(&spec, 0, 2);
        specimen_mass(&spec, 1, 3);
        specimen_spring(&spec, 0, 1, 100);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, "j", "jenkins", MASING_GROUND, 0);
        specimen_field(joint, "stiffness", 50);
        specimen_field(joint, "slip_force", 1);
        specimen_static_load(&spec, 1, i == 0 ? 0.75 : 1.5);
        if (i == 1) {
            refused(&spec,
                    "no static equilibrium was found: the joints cannot carry the static "
                    "loads");
            continue;
        }
        if (i == 2) {
            free(joint->axes[0].terms);
            joint->axes[0] = specimen_axis(0, 1);
            refused(&spec, "rigid-body motion that no joint holds");
            continue;
        }
        struct masing_model *model = seal(&spec);
        CHECK_RELATIVE(model->static_displacement[0], 0.75 / 50, 1e-12);
        masing_model_destroy(model);
    }
}

/* A free mass falls through a gap of 2 m onto a stop. */
static void gaps_close_under_static_loads(void)
{
    struct masing_spec spec;
    specimen_init(&spec, 1);
    specimen_mass(&spec, 0, 2);
    struct masing_joint_spec *stop =
        specimen_joint(&spec, "stop", "unilateral_spring", MASING_GROUND, 0);
    specimen_field(stop, "stiffness", 1e4);
    specimen_field(stop, "gap", 2);
    struct masing_static_load_spec *weight = specimen_static_load(&spec, 0, 1);
    weight->is_acceleration = true;
    weight->acceleration = 9.81;
    struct masing_model *model = seal(&spec);
    CHECK_RELATIVE(model->static_displacement[0], 2 + 2 * 9.81 / 1e4, 1e-12);
    masing_model_destroy(model);
}

/* Two stops press on a mass from both sides at rest: k1 (x - g1) = k2 (-x - g2) */
static void joints_find_their_own_equilibrium(void)
{
    struct masing_spec spec;
    specimen_init(&spec, 1);
    specimen_mass(&spec, 0, 2);
    specimen_spring(&spec, 0, MASING_GROUND, 100);
    struct masing_joint_spec *left =
        specimen_joint(&spec, "left", "unilateral_spring", MASING_GROUND, 0);
    specimen_field(left, "stiffness", 300);
    specimen_field(left, "gap", -0.1);
    struct masing_joint_spec *cubic =
        specimen_joint(&spec, "cubic", "cubic_spring", MASING_GROUND, 0);
    specimen_field(cubic, "coefficient", 1e5);
    struct masing_model *model = seal(&spec);
    double x = model->static_displacement[0];
    CHECK_RELATIVE(model->static_displacement[1], x, 1e-14);
    CHECK(x < 0);
    CHECK_SCALED(100 * x + 300 * (x + 0.1) + 1e5 * x * x * x, 0, 30, 1e-12);
    masing_model_destroy(model);
}

/* Many sliders in a row, some of which slip: node by node equilibrium */
static void chains_of_sliders_find_their_equilibrium(void)
{
    enum { N = 12 };
    struct masing_spec spec;
    char name[8];
    specimen_init(&spec, N);
    for (int i = 0; i < N; i++) {
        specimen_mass(&spec, i, 1);
        specimen_spring(&spec, i, i + 1 < N ? i + 1 : MASING_GROUND, 1000);
        specimen_static_load(&spec, i, i % 3 ? 2.5 : -7);
        snprintf(name, sizeof name, "j%d", i);
        struct masing_joint_spec *joint =
            specimen_joint(&spec, name, "jenkins", MASING_GROUND, i);
        specimen_field(joint, "stiffness", 500 * (1 + i % 4));
        specimen_field(joint, "slip_force", 0.5 + i % 5);
    }
    struct masing_model *model = seal(&spec);
    const double *w = model->static_displacement;
    int n_slipping = 0;
    for (int i = 0; i < N; i++) {
        double force = 500 * (1 + i % 4) * w[i], limit = 0.5 + i % 5;
        n_slipping += fabs(force) > limit;
        force = fabs(force) > limit ? copysign(limit, w[i]) : force;
        force += i + 1 < N ? 1000 * (w[i] - w[i + 1]) : 1000 * w[i];
        force += i > 0 ? 1000 * (w[i] - w[i - 1]) : 0;
        CHECK_SCALED(force, i % 3 ? 2.5 : -7, 7, 1e-11);
    }
    CHECK(n_slipping > 1 && n_slipping < N);
    masing_model_destroy(model);
}

static void joints_that_cannot_move_are_warned_of(void)
{
    struct masing_spec spec;
    damper(&spec);
    free(spec.structure.mass);
    free(spec.structure.stiffness);
    spec.structure.mass = spec.structure.stiffness = NULL;
    spec.structure.n_modes = 1;
    spec.structure.omega_modes = specimen_array(1, sizeof(double));
    spec.structure.mode_shapes = specimen_array(2, sizeof(double));
    spec.structure.omega_modes[0] = 3;
    spec.structure.mode_shapes[1] = 1;
    struct masing_model *model = seal(&spec);
    CHECK(masing_model_n_warnings(model) == 1);
    CHECK(strstr(masing_model_warning(model, 0), "joint 'damper' moves in no mode") != NULL);
    masing_model_destroy(model);
    masing_model_destroy(NULL);
    masing_spec_clear(NULL);
}

static const struct tap_test tests[] = {
    {"defaults are resolved", defaults_are_resolved},
    {"wrong settings are refused", wrong_settings_are_refused},
    {"wrong joints are refused", wrong_joints_are_refused},
    {"wrong loads are refused", wrong_loads_are_refused},
    {"wrong outputs are refused", wrong_outputs_are_refused},
    {"the part that is wrong is named", the_part_that_is_wrong_is_named},
    {"loads have their amplitudes", loads_have_their_amplitudes},
    {"bases accelerate all masses", bases_accelerate_all_masses},
    {"tables are interpolated", tables_are_interpolated},
    {"static loads follow the virgin curve", static_loads_follow_the_virgin_curve},
    {"joints hold what floats", joints_hold_what_floats},
    {"gaps close under static loads", gaps_close_under_static_loads},
    {"joints find their own equilibrium", joints_find_their_own_equilibrium},
    {"chains of sliders find their equilibrium", chains_of_sliders_find_their_equilibrium},
    {"joints that cannot move are warned of", joints_that_cannot_move_are_warned_of},
};

TAP_MAIN(tests)
