/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of a joint law from lines of a model file, as a user gives them. */
#ifndef MASING_TESTS_JOINT_TEXT_H
#define MASING_TESTS_JOINT_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "masing/law.h"
#include "masing/model.h"
#include "tap.h"

struct joint_text {
    struct masing_model *model;
    const struct masing_law *law;
    const void *parameters; /* NULL where the text is refused */
    struct masing_error error;
};

/* `keys` as between braces: "stiffness: 1, slip_force: 2" */
static inline struct joint_text joint_text_read(const char *law, const char *keys)
{
    struct joint_text joint = {.law = masing_law_find(law)};
    struct masing_document *document = NULL;
    char text[4096];
    snprintf(text, sizeof text,
             "masing: 1\n"
             "structure: {masses: {m: 1}, springs: [{from: ground, to: m, stiffness: 1}]}\n"
             "joints: [{name: j, law: %s, from: ground, to: m, %s}]\n"
             "loads: [{dof: m, amplitude: 1}]\n"
             "frequency: [1, 2]\n"
             "outputs: [m]\n",
             law, keys);
    if (masing_document_parse(text, strlen(text), "model.yaml", &document, &joint.error) ==
            MASING_OK &&
        masing_document_model(document, NULL, 0, &joint.model, &joint.error) == MASING_OK) {
        joint.parameters = masing_model_spec(joint.model)->joints[0].parameters;
    }
    masing_document_destroy(document);
    return joint;
}

static inline struct joint_text joint_text_open(const char *law, const char *keys)
{
    struct joint_text joint = joint_text_read(law, keys);
    if (!CHECK(joint.parameters != NULL)) {
        printf("Bail out! %s: %s\n", law, joint.error.message);
        exit(1);
    }
    return joint;
}

static inline void joint_text_close(struct joint_text *joint)
{
    masing_model_destroy(joint->model);
    joint->model = NULL;
    joint->parameters = NULL;
}

static inline double joint_text_constant(const struct joint_text *joint, const char *name)
{
    for (int i = 0; i < joint->law->n_constants; i++) {
        if (strcmp(joint->law->constants[i].name, name) == 0) {
            const char *at = (const char *)joint->parameters + joint->law->constants[i].offset;
            return *(const double *)(const void *)at;
        }
    }
    tap_check(false, __FILE__, __LINE__, name); /* no such constant */
    return 0.0;
}

static inline double joint_text_backbone(const struct joint_text *joint, double u)
{
    double b, db;
    joint->law->backbone(joint->parameters, u, &b, &db);
    return b;
}

static inline double joint_text_tangent(const struct joint_text *joint, double u)
{
    double b, db;
    joint->law->backbone(joint->parameters, u, &b, &db);
    return db;
}

/* Steady forces at n samples of a periodic path. */
static inline double joint_text_march(const struct joint_text *joint, const double *x, int n,
                                      double *f)
{
    const struct masing_law *law = joint->law;
    double origin = 0.0;
    struct masing_path path = {
        .n_samples = n, .n_axes = 1, .is_periodic = true, .x = x, .origin = &origin};
    struct masing_forces forces = {.f = f};
    double *workspace = calloc(law->family->workspace_size(law, n, 0, 0) + 1, sizeof(double));
    CHECK(masing_law_march(law, joint->parameters, &path, NULL, &forces, NULL, workspace) ==
          MASING_OK);
    free(workspace);
    return forces.slip_share;
}

/* A motion step by step; the state belongs to the caller: free it. */
static inline double *joint_text_rest(const struct joint_text *joint)
{
    double origin = 0.0;
    double *state =
        calloc(masing_law_state_size(joint->law, joint->parameters) + 1, sizeof *state);
    masing_law_rest(joint->law, joint->parameters, &origin, state);
    return state;
}

/* A step to x_old and one from there to x. */
static inline double joint_text_step(const struct joint_text *joint, double *state,
                                     double x_old, double x)
{
    double f, fx, fv, v = 0.0;
    CHECK(masing_law_step(joint->law, joint->parameters, &x_old, &v, state, state, &f, &fx,
                          &fv) == MASING_OK);
    CHECK(masing_law_step(joint->law, joint->parameters, &x, &v, state, state, &f, &fx, &fv) ==
          MASING_OK);
    return f;
}

#endif
