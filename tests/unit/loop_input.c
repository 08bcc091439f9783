/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a loop is made from: models that are joints alone, paths of points. */
#include <stdlib.h>
#include <string.h>

#include "masing/loop.h"
#include "masing/model.h"
#include "scratch.h"
#include "tap.h"

static char folder[SCRATCH_PATH];

/* ---- models that are joints alone ---- */

static enum masing_status read_joints(const char *text, struct masing_spec *spec,
                                      struct masing_error *error)
{
    struct masing_document *document = NULL;
    *error = (struct masing_error){0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), "m.yaml", &document, error);
    status = status ? status : masing_document_joints(document, NULL, 0, spec, error);
    masing_document_destroy(document);
    return status;
}

#define JOINT "joints:\n  - {name: j, law: jenkins, stiffness: 2, slip_force: $F"

static void joints_need_no_structure(void)
{
    static const char *const good[] = {
        "masing: 1\nparameters: {F: 3}\n" JOINT "}\n",
        "masing: 1\nparameters: {F: 3}\n" JOINT ", from: nowhere, to: ground}\n",
        "masing: 1\nparameters: {F: 3}\n" JOINT ", axis: {a: $F, b: 2}}\n",
        "masing: 1\nparameters: {F: 3}\n" JOINT "}\nloads: [{dof: a, amplitude: 1}]\n",
        "masing: 1\nparameters: {F: 3}\nstructure: {masses: {a: 1}}\n" JOINT
        ", from: ground, to: a}\n",
    };
    struct masing_spec spec;
    struct masing_error error;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!CHECK(read_joints(good[i], &spec, &error) == MASING_OK)) {
            printf("# %zu: %s\n", i, error.message);
            continue;
        }
        CHECK(spec.n_joints == 1 && strcmp(spec.joints[0].law->name, "jenkins") == 0);
        masing_spec_clear(&spec);
    }
}

static void joints_alone_are_read_strictly(void)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"masing: 1\n", "missing key 'joints'"},
        {"joints: []\n", "missing key 'masing'"},
        {"masing: 1\njoints: [{name: j, law: jenkins, stiffness: -2, slip_force: 1}]\n",
         "m.yaml:2:"},
        {"masing: 1\njoints: [{name: j, law: jenkins, stiffness: 2, slip_force: 1, frm: a}]\n",
         "did you mean 'from'?"},
        {"masing: 1\njoints: [{name: j, law: jenkins, stiffness: 2, slip_force: 1, axis: {a: "
         "x}}]\n",
         "m.yaml:2:"},
        {"masing: 1\njoints: [{name: j, law: jenkins, stiffness: 2}]\n", "m.yaml:2:"},
        {"masing: 1\nstructure: {masses: {a: 1}}\njoints: [{name: j, law: jenkins, stiffness: "
         "2, slip_force: 1, from: ground, to: b}]\n",
         "unknown DOF 'b'"},
        {"masing: 1\nstructure: {masses: {a: 1}}\njoints: [{name: j, law: jenkins, stiffness: "
         "2, slip_force: 1}]\n",
         "missing keys 'from' and 'to'"},
        {"masing: 1\nstructure: {masses: {a: 1}}\noutputs: [b]\njoints: [{name: j, law: "
         "jenkins, stiffness: 2, slip_force: 1, from: ground, to: a}]\n",
         "unknown DOF 'b'"},
    };
    struct masing_spec spec;
    struct masing_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(read_joints(wrong[i].text, &spec, &error) == MASING_INVALID);
        if (!CHECK(strstr(error.message, wrong[i].message) != NULL)) {
            printf("# %zu: %s\n", i, error.message);
        }
    }
}

/* Where a structure was forgotten, what wanted it is still there. */
static void a_model_of_joints_is_known_from_a_broken_one(void)
{
    static const char *const broken[] = {"", "loads: [{dof: a, amplitude: 1}]\n",
                                         "frequency: [1, 2]\n", "outputs: [a]\n",
                                         "structure: {masses: {a: 1}}\n"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char text[256];
        struct masing_document *document = NULL;
        snprintf(text, sizeof text, "masing: 1\njoints: []\n%s", broken[i]);
        CHECK(masing_document_parse(text, strlen(text), "m", &document, NULL) == MASING_OK);
        CHECK(document && masing_document_is_of_joints(document) == (i == 0));
        masing_document_destroy(document);
    }
}

static void joints_alone_are_resolved(void)
{
    const char text[] = "masing: 1\nparameters: {F: 3}\n" JOINT
                        ", axis: {a: $F}}\nloads: [{dof: a, amplitude: $F}]\n";
    struct masing_document *document = NULL;
    char *resolved = NULL;
    const struct masing_override override = {"F", "7"};
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, NULL) == MASING_OK);
    CHECK(masing_document_joints_resolved(document, &override, 1, &resolved, NULL) ==
          MASING_OK);
    CHECK(resolved && strstr(resolved, "slip_force: 7") && strstr(resolved, "a: 7"));
    CHECK(resolved && !strstr(resolved, "loads") && !strstr(resolved, "$F"));
    masing_document_destroy(document);
    struct masing_spec spec;
    struct masing_error error;
    CHECK(resolved && read_joints(resolved, &spec, &error) == MASING_OK);
    masing_spec_clear(&spec);
    free(resolved);
}

/* ---- paths of points ---- */

static enum masing_status read_points(const char *text, struct masing_loop_points *points,
                                      struct masing_error *error)
{
    char file[SCRATCH_PATH + 32];
    snprintf(file, sizeof file, "%s/p.csv", folder);
    FILE *stream = fopen(file, "wb");
    if (!stream || fputs(text, stream) < 0 || fclose(stream)) {
        perror(file);
        exit(99);
    }
    *error = (struct masing_error){0};
    return masing_loop_points_read(file, points, error);
}

static void points_are_read_and_refused(void)
{
    struct masing_loop_points points;
    struct masing_error error;
    CHECK(read_points("time,force,displacement\n0,5,1\n# no point\n1,6,2e-3\n", &points,
                      &error) == MASING_OK);
    CHECK(points.n_points == 2 && points.displacement[1] == 2e-3 && points.time[1] == 1);
    masing_loop_points_clear(&points);
    CHECK(points.displacement == NULL);
    CHECK(read_points("displacement\n1\n2\n3\n", &points, &error) == MASING_OK);
    CHECK(points.n_points == 3 && !points.time);
    masing_loop_points_clear(&points);
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"displacement\n1\n", "p.csv:2:1: 1 points, expected at least 2"},
        {"displacement\n", "p.csv:1:1: 0 points"},
        {"displacement,time\n1,0\n2,1\n3,1\n", "p.csv:4:1: time 1 does not come after 1"},
        {"displacement\n1\n2,3\n", "p.csv:3:3: more fields"},
        {"displacement\n1\nx\n", "p.csv:3:1: displacement: 'x' is not a number"},
        {"displacement\n1\nnan\n", "p.csv:3:1: displacement: 'nan'"},
        {"dislacement\n1\n2\n", "did you mean 'displacement'"},
        {"time\n1\n2\n", "column 'displacement' is missing"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(read_points(wrong[i].text, &points, &error) == MASING_INVALID);
        if (!CHECK(strstr(error.message, wrong[i].message) != NULL)) {
            printf("# %s\n", error.message);
        }
        CHECK(points.n_points == 0 && !points.displacement);
    }
}

static const struct tap_test tests[] = {
    {"joints need no structure", joints_need_no_structure},
    {"joints alone are read strictly", joints_alone_are_read_strictly},
    {"a model of joints is known from a broken one",
     a_model_of_joints_is_known_from_a_broken_one},
    {"joints alone are resolved", joints_alone_are_resolved},
    {"points are read and refused", points_are_read_and_refused},
};

int main(void)
{
    scratch_make(folder);
    return tap_run(tests, (int)(sizeof tests / sizeof *tests));
}
