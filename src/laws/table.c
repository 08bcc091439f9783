/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/laws.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const struct masing_law *const laws[] = {
#define LAW(family, name) &law_##name,
#include "laws/laws.def"
#undef LAW
    NULL,
};

const struct masing_law *const *masing_laws(void)
{
    return laws;
}

const struct masing_law *masing_law_find(const char *name)
{
    for (int i = 0; name && laws[i]; i++) {
        if (strcmp(laws[i]->name, name) == 0) {
            return laws[i];
        }
    }
    return NULL;
}

/* Words that people look for */
static const struct {
    const char *words, *laws; /* words between blanks */
} meanings[] = {
    {" friction coulomb dry_friction slider macroslip elastoplastic bilinear ",
     "jenkins, tanh_friction, iwan4, contact"},
    {" microslip bolt bolted lap_joint preisach iwan ", "iwan4, valanis, rough_interface"},
    {" hysteresis hysteretic ", "jenkins, iwan4, bouc_wen, valanis"},
    {" gap stop clearance play backlash impact rub ", "unilateral_spring, contact"},
    {" spring elastic stiffness ",
     "linear, cubic_spring, polynomial_spring, unilateral_spring"},
    {" cubic duffing ", "cubic_spring, polynomial_spring"},
    {" polynomial nonlinear_spring ", "polynomial_spring, cubic_spring"},
    {" damper dashpot viscous damping ", "linear, quadratic_damper"},
    {" quadratic drag ", "quadratic_damper"},
    {" contact_element interface underplatform separation normal ", "contact, contact_patch"},
    {" hertz sphere ", "mindlin, mindlin_dahl"},
    {" stribeck stick_slip bristle ", "lugre"},
    {" plastic yielding plasticity ", "ramberg_osgood, backbone_table"},
    {" table measured backbone masing ", "backbone_table"},
    {" rough roughness topography ", "rough_interface"},
};

const char *masing_law_meant(const char *word)
{
    size_t length = word ? strlen(word) : 0;
    for (size_t i = 0; length > 0 && i < sizeof meanings / sizeof *meanings; i++) {
        for (const char *at = meanings[i].words; at[1]; at += 1 + strcspn(at + 1, " ")) {
            if (strcspn(at + 1, " ") == length && strncasecmp(at + 1, word, length) == 0) {
                return meanings[i].laws;
            }
        }
    }
    return NULL;
}

enum masing_status masing_law_check(const struct masing_law *law, void *parameters,
                                    struct masing_error *error)
{
    masing_error_clear(error);
    if (!law || !parameters) {
        return masing_error_set(error, MASING_INVALID, "%s: NULL was given",
                                law ? "parameters" : "law");
    }
    return law->check ? law->check(parameters, error) : MASING_OK;
}

bool masing_law_needs_velocity(const struct masing_law *law, const void *parameters)
{
    return law->needs_velocity &&
           (!law->is_rate_dependent || law->is_rate_dependent(parameters));
}

bool masing_law_can_open(const struct masing_law *law)
{
    return law->n_elements != NULL;
}

void masing_law_stiffness(const struct masing_law *law, const void *parameters,
                          const double *at, bool is_stuck, double *tangent)
{
    static const double origin[MASING_MAX_AXES];
    double f, fv;
    at = at ? at : origin;
    if (law->stiffness) {
        law->stiffness(parameters, at, is_stuck, tangent);
    } else if (is_stuck && law->family == &masing_family_memoryless && at[0] != 0.0) {
        law->force(parameters, at[0], 0.0, &f, tangent, &fv);
    } else {
        double (*value)(const void *) = is_stuck ? law->stuck_stiffness : law->free_stiffness;
        tangent[0] = value ? value(parameters) : 0.0;
    }
}

double masing_law_zero_stiffness(const void *parameters)
{
    (void)parameters;
    return 0.0;
}

enum masing_restraint masing_law_restraint(const struct masing_law *law, const void *parameters)
{
    if (law->restraint) {
        return law->restraint(parameters);
    }
    if (law->free_stiffness && law->free_stiffness(parameters) != 0.0) {
        return MASING_RESTRAINT_SPRING;
    }
    return law->family == &masing_family_masing ? MASING_RESTRAINT_START
                                                : MASING_RESTRAINT_NONE;
}

void masing_law_tangent(const struct masing_law *law, const void *parameters, size_t offset,
                        void *tangent)
{
    static const double one = 1.0;
    memset(tangent, 0, law->parameters_size);
    memcpy((char *)tangent + offset, &one, sizeof one);
    if (law->derive) {
        law->derive(parameters, tangent);
    }
}

const char *law_extreme(const struct law_number *numbers, int n)
{
    const char *key = numbers[0].key;
    double farthest = -1.0;
    for (int i = 0; i < n; i++) {
        double distance = fabs(log10(fabs(numbers[i].value)));
        if (distance > farthest) {
            farthest = distance;
            key = numbers[i].key;
        }
    }
    return key;
}
