/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/laws.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/pi.h"

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
    {" gap stop clearance play backlash impact ", "unilateral_spring, contact"},
    {" rub rotor_rub casing seal annular ", "annular_contact, unilateral_spring"},
    {" spring elastic stiffness ",
     "linear, cubic_spring, polynomial_spring, power_spring, elastic_table, unilateral_spring"},
    {" cubic duffing ", "cubic_spring, polynomial_spring"},
    {" polynomial nonlinear_spring ", "polynomial_spring, cubic_spring"},
    {" damper dashpot viscous damping ", "linear, quadratic_damper, polynomial_damper"},
    {" quadratic drag ", "quadratic_damper, polynomial_damper"},
    {" self_excited flutter negative_damping active limit_cycle ",
     "van_der_pol, polynomial_damper, linear"},
    {" contact_element interface underplatform separation normal ", "contact, contact_patch"},
    {" hertz sphere ", "mindlin, mindlin_dahl, power_spring"},
    {" stribeck stick_slip bristle ", "lugre"},
    {" plastic yielding plasticity ", "ramberg_osgood, backbone_table"},
    {" backbone masing ", "backbone_table"},
    {" table measured ", "backbone_table, elastic_table"},
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

static const struct masing_law *form_of(const struct masing_law *law, const void *parameters)
{
    return law->form ? law->form(parameters) : law;
}

size_t masing_law_state_size(const struct masing_law *law, const void *parameters)
{
    const struct masing_law *form = form_of(law, parameters);
    if (form->family->state_size) {
        return form->family->state_size(form, parameters);
    }
    int n_elements = form->n_elements ? form->n_elements(parameters) : 1;
    return form->family->n_state * (size_t)n_elements;
}

void masing_law_rest(const struct masing_law *law, const void *parameters, const double *origin,
                     double *state)
{
    const struct masing_law *form = form_of(law, parameters);
    if (form->family->rest) {
        form->family->rest(form, parameters, origin, state);
    }
}

enum masing_status masing_law_march(const struct masing_law *law, const void *parameters,
                                    const struct masing_path *path, double *state,
                                    struct masing_forces *forces,
                                    struct masing_tangents *tangents, double *workspace)
{
    const struct masing_law *form = form_of(law, parameters);
    return form->family->march(form, parameters, path, state, forces, tangents, workspace);
}

enum masing_status masing_law_take(const struct masing_step *step)
{
    if (!step->law->form) {
        return step->law->family->step(step);
    }
    struct masing_step taken = *step;
    taken.law = form_of(step->law, step->parameters);
    return taken.law->family->step(&taken);
}

void masing_law_directions(int n_axes, double *dx, double *dv)
{
    int n = 2 * n_axes;
    memset(dx, 0, (size_t)(n_axes * n) * sizeof *dx);
    memset(dv, 0, (size_t)(n_axes * n) * sizeof *dv);
    for (int a = 0; a < n_axes; a++) {
        dx[a * n + a] = dv[a * n + n_axes + a] = 1.0;
    }
}

enum masing_status masing_law_step(const struct masing_law *law, const void *parameters,
                                   const double *x, const double *v, const double *state,
                                   double *next_state, double *f, double *fx, double *fv)
{
    enum { MOST = 2 * MASING_MAX_AXES * MASING_MAX_AXES };
    double dx[MOST], dv[MOST], df[MOST];
    unsigned axes = law->contact ? law->contact->axes(parameters) : (1u << law->n_axes) - 1u;
    size_t n_axes = 0;
    for (; axes; axes &= axes - 1u) {
        n_axes++;
    }
    size_t n = 2 * n_axes;
    masing_law_directions((int)n_axes, dx, dv);
    const struct masing_step step = {.law = law,
                                     .parameters = parameters,
                                     .x = x,
                                     .v = v,
                                     .state = state,
                                     .next_state = next_state,
                                     .f = f,
                                     .n = (int)n,
                                     .dx = dx,
                                     .dv = dv,
                                     .df = df};
    enum masing_status status = masing_law_take(&step);
    for (size_t a = 0; a < n_axes && status == MASING_OK; a++) {
        memcpy(fx + a * n_axes, df + a * n, n_axes * sizeof *fx);
        memcpy(fv + a * n_axes, df + a * n + n_axes, n_axes * sizeof *fv);
    }
    return status;
}

size_t masing_law_state_used(const struct masing_law *law, const void *parameters,
                             const double *state)
{
    const struct masing_family *family = form_of(law, parameters)->family;
    return family->state_used ? family->state_used(state)
                              : masing_law_state_size(law, parameters);
}

void masing_law_state_moved(const struct masing_law *law, const void *parameters, int n,
                            const double *dx, const double *dv, double *dstate)
{
    const struct masing_law *form = form_of(law, parameters);
    if (form->family->state_moved) {
        form->family->state_moved(form, parameters, n, dx, dv, dstate);
    }
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
    at = at ? at : origin;
    if (law->stiffness) {
        law->stiffness(parameters, at, is_stuck, tangent);
    } else if (is_stuck && law->family == &masing_family_memoryless && at[0] != 0.0) {
        const struct masing_branch_point point = {.x = at[0]};
        struct masing_rate force;
        law->force(parameters, 1, &point, &force);
        tangent[0] = force.x;
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

double law_endless(const void *parameters)
{
    (void)parameters;
    return INFINITY;
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

void phase_list_add(struct phase_list *list, const struct masing_phase *phase)
{
    if (!(phase->end > phase->start)) {
        return;
    }
    if (list->n == list->max) {
        list->is_full = true;
        return;
    }
    list->phases[list->n++] = *phase;
}

int phase_list_count(const struct phase_list *list)
{
    return list->is_full ? -1 : list->n;
}

double phase_list_angle(const struct masing_smooth_path *path, int index)
{
    int n = path->n_extrema;
    return index < n ? path->extrema[index].angle : path->extrema[index - n].angle + TWO_PI;
}
