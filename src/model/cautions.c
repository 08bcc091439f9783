/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the laws say about parameters that they accept: the same sentence once for all joints.
 * And what more elements of beams than are of use cost.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/seal.h"

enum { MAX_CAUTIONS = 16, CAUTION_TEXT = 400 };

/* Structures of so many DOFs take a while; elements so many times more than are of use. */
enum { MANY_DOFS = 1000, TOO_MANY = 4 };

/* Relative error of frequencies that is of no use to lower, (beta h)^4 / 1440. */
static const double FINE_ENOUGH = 1e-6;

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

/* The elements of a structure are all short enough, by a factor, for its highest harmonic. */
static enum masing_status caution_of_elements(struct masing_model *model,
                                              struct masing_error *error)
{
    const struct masing_spec *spec = &model->spec;
    const struct masing_structure_spec *structure = &spec->structure;
    double omega = fmax(spec->omega_from, spec->omega_to), longest = 0.0;
    for (int i = 0; i < spec->n_harmonics; i++) {
        omega = fmax(omega, spec->harmonics[i] * fmax(spec->omega_from, spec->omega_to));
    }
    for (int i = 0; i < structure->n_beam_elements; i++) {
        const struct masing_beam_element *e = &structure->beam_elements[i];
        double beta4 = e->mass_per_length * omega * omega / e->bending_stiffness;
        longest = fmax(longest, e->length * pow(beta4, 0.25));
    }
    double enough = structure->n_beam_elements * longest / pow(1440.0 * FINE_ENOUGH, 0.25);
    if (structure->n_dofs < MANY_DOFS || structure->n_beam_elements < TOO_MANY * enough) {
        return MASING_OK;
    }
    return model_warn(model, error,
                      "%d beam elements: the time goes with the third power of their number; "
                      "%.0f follow frequencies up to %.4g Hz, the highest harmonic, to %.0e",
                      structure->n_beam_elements, ceil(fmax(enough, 1.0)), omega / TWO_PI,
                      FINE_ENOUGH);
}

enum masing_status seal_cautions(struct masing_model *model, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = 0;
    struct caution *cautions = memory_array(MAX_CAUTIONS, sizeof *cautions);
    TRY_ALLOCATED(cautions);
    TRY(caution_of_elements(model, error));
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
