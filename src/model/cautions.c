/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the laws say about parameters that they accept: the same sentence once for all joints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "model/seal.h"

enum { MAX_CAUTIONS = 16, CAUTION_TEXT = 400 };

struct caution {
    const char *joint; /* the first */
    int n_joints;
    char text[CAUTION_TEXT];
};

static void add_caution(struct caution *cautions, int *n_cautions, const char *joint,
                        const char *text)
{
    for (int i = 0; i < *n_cautions; i++) {
        if (strcmp(cautions[i].text, text) == 0) {
            cautions[i].n_joints++;
            return;
        }
    }
    if (*n_cautions < MAX_CAUTIONS) {
        struct caution *caution = &cautions[(*n_cautions)++];
        caution->joint = joint;
        caution->n_joints = 1;
        snprintf(caution->text, sizeof caution->text, "%s", text);
    }
}

enum masing_status seal_cautions(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = 0;
    struct caution *cautions = memory_array(MAX_CAUTIONS, sizeof *cautions);
    TRY_ALLOCATED(cautions);
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        char text[CAUTION_TEXT] = "";
        const char *sentence = joint->law->caution
                                   ? joint->law->caution(joint->parameters, text, sizeof text)
                                   : NULL;
        if (sentence) {
            add_caution(cautions, &n, joint->name, sentence);
        }
    }
    for (int i = 0; i < n; i++) {
        const struct caution *caution = &cautions[i];
        int n_others = caution->n_joints - 1;
        TRY(n_others == 0
                ? model_warn(model, error, "joint '%s': %s", caution->joint, caution->text)
                : model_warn(model, error, "joint '%s' and %d other%s: %s", caution->joint,
                             n_others, n_others == 1 ? "" : "s", caution->text));
    }
done:
    free(cautions);
    return status;
}
