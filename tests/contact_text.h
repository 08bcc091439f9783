/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models with contacts and files of pairs in a folder of their own. */
#ifndef MASING_TESTS_CONTACT_TEXT_H
#define MASING_TESTS_CONTACT_TEXT_H

#include <stdlib.h>
#include <string.h>

#include "masing/model.h"
#include "scratch.h"
#include "tap.h"

enum { DOF_AX, DOF_AY, DOF_AZ, DOF_BX, DOF_BY, DOF_BZ, DOF_CX, DOF_CRZ, DOF_DX, DOF_DY };

static const char structure[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {a.x: 1, a.y: 1, a.z: 1, b.x: 1, b.y: 1, b.z: 1, c.x: 1, c.rz: 1, d.x: 1, "
    "d.y: 1}\n"
    "  springs: [{from: ground, to: a.x, stiffness: 1}]\n"
    "frequency: [1, 2]\n"
    "outputs: [a.x]\n"
    "joints:\n"; /* line 7 */

/* "normal_stiffness ... ", line 8 of the model on */
#define SURFACE "normal_stiffness: 4e4, tangential_stiffness: 3e4, friction: 0.5"

static char folder[SCRATCH_PATH], model_file[SCRATCH_PATH + 16], pairs_file[SCRATCH_PATH + 16];

static inline void write_pairs(const char *text)
{
    FILE *stream = fopen(pairs_file, "wb");
    if (!stream || fputs(text, stream) < 0 || fclose(stream)) {
        perror(pairs_file);
        exit(99);
    }
}

static inline enum masing_status read_model(const char *joints,
                                            const struct masing_override *override,
                                            struct masing_spec *spec,
                                            struct masing_error *error)
{
    char text[4096];
    struct masing_document *document = NULL;
    snprintf(text, sizeof text, "%s%s", structure, joints);
    enum masing_status status =
        masing_document_parse(text, strlen(text), model_file, &document, error);
    status = status ? status
                    : masing_document_spec(document, override, override ? 1 : 0, spec, error);
    masing_document_destroy(document);
    return status;
}

/* A model that must be taken; cleared by the caller. */
static inline bool take(const char *joints, const struct masing_override *override,
                        struct masing_spec *spec)
{
    struct masing_error error = {0};
    bool is_taken = CHECK(read_model(joints, override, spec, &error) == MASING_OK);
    if (!is_taken) {
        printf("# %s\n", error.message);
    }
    return is_taken;
}

static inline double weight(const struct masing_joint_spec *joint, int axis, int dof)
{
    double sum = 0;
    for (int t = 0; t < joint->axes[axis].n_terms; t++) {
        sum += joint->axes[axis].terms[t].dof == dof ? joint->axes[axis].terms[t].weight : 0;
    }
    return sum;
}

static inline double number(const struct masing_joint_spec *joint, const char *name)
{
    int i = masing_field_find(joint->law->fields, joint->law->n_fields, name);
    return masing_field_value(&joint->law->fields[i], joint->parameters);
}

struct refusal {
    const char *text, *message;
};

static inline void check_refusals(const struct refusal *refusals, size_t n, const char *joints)
{
    for (size_t i = 0; i < n; i++) {
        struct masing_spec spec;
        struct masing_error error = {0};
        if (joints) {
            write_pairs(refusals[i].text);
        }
        enum masing_status status =
            read_model(joints ? joints : refusals[i].text, NULL, &spec, &error);
        const char *rest = strrchr(error.message, '/');
        size_t length = strlen(refusals[i].message);
        bool is_good = CHECK(status == MASING_INVALID) &&
                       CHECK(rest && !strncmp(rest + 1, refusals[i].message, length));
        if (!is_good) {
            printf("# %s\n#   got %s\n", refusals[i].text, error.message);
        }
        if (status == MASING_OK) {
            masing_spec_clear(&spec);
        }
    }
}

static inline int contact_run(const struct tap_test *tests, int n)
{
    scratch_make(folder);
    snprintf(model_file, sizeof model_file, "%s/m.yaml", folder);
    snprintf(pairs_file, sizeof pairs_file, "%s/pairs.csv", folder);
    int result = tap_run(tests, n);
    remove(pairs_file);
    rmdir(folder);
    return result;
}

#endif
