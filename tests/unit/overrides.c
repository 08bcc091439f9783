/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of a model file replaced by path. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "masing/model.h"
#include "tap.h"

static const char model_text[] =
    "masing: 1\n"
    "parameters: {N: 30, k: $N*1000, spare: 1}\n"
    "structure:\n"
    "  masses: {m1: 1, m2: 1, node.x: 1}\n"
    "  springs:\n"
    "    - {from: ground, to: m1, stiffness: 41339}\n"
    "    - {from: m1, to: m2, stiffness: 41328}\n"
    "    - {from: m2, to: node.x, stiffness: 41328}\n"
    "  damping: {modal_ratio: 0.02}\n"
    "joints:\n"
    "  - {name: damper, law: jenkins, from: ground, to: m1, stiffness: $k, friction: 0.5, "
    "preload: $N}\n"
    "  - {name: damper.2, law: jenkins, from: m1, to: m2, stiffness: 4, slip_force: 5}\n"
    "  - {name: twice, law: linear, from: m1, to: m2, stiffness: 4}\n"
    "loads:\n"
    "  - {name: shaker, dof: m2, amplitude: 10}\n"
    "  - {name: twice, dof: m1, amplitude: 1}\n"
    "  - {dof: m1, imbalance: 1}\n"
    "frequency: [18, 28]\n"
    "outputs: [m2]\n";

static struct masing_document *document;

/* "path=value" */
static enum masing_status read_with(const char *const *settings, int n,
                                    struct masing_spec *spec, struct masing_error *error)
{
    struct masing_override overrides[4];
    char paths[4][256];
    for (int i = 0; i < n; i++) {
        const char *equals = strchr(settings[i], '=');
        snprintf(paths[i], sizeof paths[i], "%.*s", (int)(equals - settings[i]), settings[i]);
        overrides[i].path = paths[i];
        overrides[i].value = equals + 1;
    }
    return masing_document_spec(document, overrides, n, spec, error);
}

static double field(const struct masing_spec *spec, int index, const char *name)
{
    const struct masing_joint_spec *joint = &spec->joints[index];
    int i = masing_field_find(joint->law->fields, joint->law->n_fields, name);
    return masing_field_value(&joint->law->fields[i], joint->parameters);
}

static double damper_preload(const struct masing_spec *spec)
{
    return field(spec, 0, "preload");
}

static double damper_stiffness(const struct masing_spec *spec)
{
    return field(spec, 0, "stiffness");
}

/* Given instead of friction and preload, which are no longer there. */
static double damper_slip_force(const struct masing_spec *spec)
{
    bool is_alone = isnan(field(spec, 0, "friction")) && isnan(field(spec, 0, "preload"));
    return is_alone ? field(spec, 0, "slip_force") : -1.0;
}

static double second_friction(const struct masing_spec *spec)
{
    return isnan(field(spec, 1, "slip_force")) ? field(spec, 1, "friction") : -1.0;
}

static double second_stiffness(const struct masing_spec *spec)
{
    return field(spec, 1, "stiffness");
}

static double shaker_amplitude(const struct masing_spec *spec)
{
    return spec->loads[0].amplitude;
}

static double shaker_harmonic(const struct masing_spec *spec)
{
    return spec->loads[0].harmonic;
}

static double last_imbalance(const struct masing_spec *spec)
{
    return spec->loads[2].amplitude;
}

static double second_ratio(const struct masing_spec *spec)
{
    const struct masing_damping_spec *form = &spec->structure.form;
    return form->ratios[form->n_ratios - 1];
}

static double load_factor(const struct masing_spec *spec)
{
    return spec->load_factor;
}

static double n_harmonics(const struct masing_spec *spec)
{
    return spec->n_harmonics;
}

static double samples(const struct masing_spec *spec)
{
    return spec->n_samples;
}

static double step_max(const struct masing_spec *spec)
{
    return spec->solver.step_max;
}

static double last_mass(const struct masing_spec *spec)
{
    return spec->structure.mass[8];
}

static double first_spring(const struct masing_spec *spec)
{
    return spec->structure.stiffness[0];
}

static double upper_end(const struct masing_spec *spec)
{
    return spec->omega_to / 6.283185307179586476925286766559;
}

static double forces(const struct masing_spec *spec)
{
    return spec->forces;
}

static void numbers_are_reached_by_path(void)
{
    static const struct {
        const char *settings[4];
        double (*value)(const struct masing_spec *spec);
        double expected;
    } good[] = {
        {{"N=10"}, damper_preload, 10},
        {{"N=10"}, damper_stiffness, 10000},
        {{"N=10", "k=7"}, damper_stiffness, 7},
        {{"k=$N/3"}, damper_stiffness, 10},
        {{"damper.preload=12"}, damper_preload, 12},
        {{"damper.preload=12", "damper.preload=13"}, damper_preload, 13},
        {{"damper.preload= $N*2 "}, damper_preload, 60},
        {{"joints.0.preload=12"}, damper_preload, 12},
        {{"joints.damper.preload=12"}, damper_preload, 12},
        {{"damper.slip_force=20"}, damper_slip_force, 20},
        {{"damper.2.friction=0.25", "damper.2.preload=8"}, second_friction, 0.25},
        {{"damper.2.stiffness=9"}, second_stiffness, 9},
        {{"shaker.amplitude=3"}, shaker_amplitude, 3},
        {{"loads.0.amplitude=3"}, shaker_amplitude, 3},
        {{"shaker.harmonic=2"}, shaker_harmonic, 2},
        {{"loads.2.imbalance=1e-3"}, last_imbalance, 1e-3},
        {{"structure.damping.modal_ratio=0.05"}, second_ratio, 0.05},
        {{"structure.damping.modal_ratio=[0.01, 0.02, 0.03]"}, second_ratio, 0.03},
        {{"load_factor=0.5"}, load_factor, 0.5},
        {{"harmonics=3"}, n_harmonics, 4},
        {{"harmonics=[1,3]"}, n_harmonics, 2},
        {{"samples=512"}, samples, 512},
        {{"solver.step.max=0.5"}, step_max, 0.5},
        {{"structure.masses.node.x=2"}, last_mass, 2},
        {{"structure.springs.0.stiffness=1"}, first_spring, 41329},
        {{"frequency.1=30"}, upper_end, 30},
        {{"frequency=[20,31]"}, upper_end, 31},
        {{"forces=exact"}, forces, MASING_FORCES_EXACT},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct masing_spec spec;
        struct masing_error error = {0};
        int n = 0;
        while (good[i].settings[n]) {
            n++;
        }
        if (!CHECK(read_with(good[i].settings, n, &spec, &error) == MASING_OK)) {
            printf("# %s: %s\n", good[i].settings[0], error.message);
            continue;
        }
        double value = good[i].value(&spec);
        if (!CHECK(fabs(value - good[i].expected) <= 1e-14 * fabs(good[i].expected))) {
            printf("# %s: %g\n", good[i].settings[0], value);
        }
        masing_spec_clear(&spec);
    }
}

static void wrong_paths_and_values_say_why(void)
{
    static const struct {
        const char *setting, *message;
    } bad[] = {
        {"damper.prelaod=3",
         "--set damper.prelaod: no such number; did you mean damper.preload?"},
        {"dampr.preload=3",
         "--set dampr.preload: no such number; did you mean damper.preload?"},
        {"preload=3", "--set preload: no such number; did you mean damper.preload?"},
        {"prelaod=3", "--set prelaod: no such number; did you mean damper.preload?"},
        {"imbalance=3", "--set imbalance: no such number; did you mean loads.2.imbalance?"},
        {"ampltude=3", "--set ampltude: no such number; did you mean shaker.amplitude?"},
        {"M=3", "--set M: no such number; a number is named by"},
        {"n=3", "--set n: no such number; did you mean N?"},
        {"harmonic=3", "--set harmonic: no such number; did you mean harmonics?"},
        {"harmoncs=3", "--set harmoncs: no such number; did you mean harmonics?"},
        {"joints.3.stiffness=1", "--set joints.3.stiffness: no such number: '3' is no member"},
        {"joints.dampr.stiffness=1",
         "--set joints.dampr.stiffness: no such number: 'dampr' is"},
        {"loads.-1.amplitude=1", "--set loads.-1.amplitude: no such number: '-1' is no member"},
        {"loads.0=1", "--set loads.0: this is a section; name a number in it"},
        {"structure=1", "--set structure: this is a section; name a number in it"},
        {"damper=1", "--set damper: this is a joint, not a number; write damper.KEY"},
        {"shaker=1", "--set shaker: this is a load, not a number; write shaker.KEY"},
        {"twice.amplitude=1", "--set twice.amplitude: the name is used twice"},
        {"damper.preload.x=1", "--set damper.preload.x: no such number: the path leads beyond"},
        {"solver.stpe.max=1",
         "--set solver.stpe.max: no such number; did you mean solver.step.m"},
        {"structure.masses.m3=1",
         "--set structure.masses.m3: no such number: unknown name 'm3'"},
        {"damper.preload=3 N", "--set damper.preload: preload: '3 N' is not a number"},
        {"damper.preload=0,3", "--set damper.preload: preload: '0,3' is not a number"},
        {"damper.preload=nan", "--set damper.preload: preload: 'nan' is not a number"},
        {"damper.preload=-3", "--set damper.preload: 'preload' must be >= 0 N, not -3"},
        {"damper.preload=", "--set damper.preload: a value is missing"},
        {"damper.preload=[1]",
         "--set damper.preload: preload: expected a number, found a list"},
        {"damper.preload=[1", "--set damper.preload: expected a number or a list of numbers"},
        {"damper.preload=[[1]]",
         "--set damper.preload: expected a number or a list of numbers"},
        {"damper.preload=$M", "--set damper.preload: preload: '$M': unknown parameter 'M'"},
        {"structure.masses.m1=-1", "--set structure.masses.m1: m1: a mass cannot be negative"},
        {"samples=100", "--set samples: samples: expected a power of two, found 100"},
        {"harmonics=7.5", "--set harmonics: harmonics: expected a whole number, found 7.5"},
        {"forces=exat",
         "--set forces: forces: expected one of auto, sampled, exact; found 'exat'"},
        {"spare=2", "--set spare: no number of the model uses this parameter"},
        {"=3", "--set : expected names of a number"},
        {"..=3", "--set ..: expected names of a number"},
        {"damper.=3", "--set damper.: expected names of a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct masing_spec spec;
        struct masing_error error = {0};
        bool is_refused = CHECK(read_with(&bad[i].setting, 1, &spec, &error) == MASING_INVALID);
        bool says_why = CHECK(!strncmp(error.message, bad[i].message, strlen(bad[i].message)));
        if (!is_refused || !says_why) {
            printf("# %s\n#   expected %s\n#   got      %s\n", bad[i].setting, bad[i].message,
                   error.message);
        }
        if (!is_refused) {
            masing_spec_clear(&spec);
        }
    }
}

/* --- the document is shared ----------------------------------------------------------------
 */

static void *read_often(void *argument)
{
    double *sum = argument, preload = *sum;
    char setting[64];
    const char *settings[] = {setting};
    snprintf(setting, sizeof setting, "damper.preload=%g", preload);
    *sum = 0.0;
    for (int i = 0; i < 50; i++) {
        struct masing_spec spec;
        if (read_with(settings, 1, &spec, NULL) != MASING_OK) {
            *sum = NAN;
            break;
        }
        *sum += damper_preload(&spec);
        masing_spec_clear(&spec);
    }
    return NULL;
}

static void threads_may_share_a_document(void)
{
    enum { N = 4 };
    pthread_t threads[N];
    double sums[N];
    for (int i = 0; i < N; i++) {
        sums[i] = i + 1;
        if (!CHECK(pthread_create(&threads[i], NULL, read_often, &sums[i]) == 0)) {
            return;
        }
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        CHECK(sums[i] == 50.0 * (i + 1));
    }
}

static void a_document_is_not_changed_by_overrides(void)
{
    struct masing_spec spec;
    static const char *const settings[] = {"damper.slip_force=1", "N=5"};
    if (CHECK(read_with(settings, 1, &spec, NULL) == MASING_OK)) {
        masing_spec_clear(&spec);
    }
    if (CHECK(read_with(NULL, 0, &spec, NULL) == MASING_OK)) {
        CHECK(damper_preload(&spec) == 30 && isnan(field(&spec, 0, "slip_force")));
        masing_spec_clear(&spec);
    }
}

static const struct tap_test tests[] = {
    {"numbers are reached by path", numbers_are_reached_by_path},
    {"wrong paths and values say why", wrong_paths_and_values_say_why},
    {"threads may share a document", threads_may_share_a_document},
    {"a document is not changed by overrides", a_document_is_not_changed_by_overrides},
};

int main(void)
{
    struct masing_error error = {0};
    if (masing_document_parse(model_text, strlen(model_text), "model.yaml", &document,
                              &error) != MASING_OK) {
        printf("Bail out! %s\n", error.message);
        return 99;
    }
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    masing_document_destroy(document);
    return result;
}
