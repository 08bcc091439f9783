/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of laws and what users read in it. */
#include "masing/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void laws_are_listed_in_order(void)
{
    const struct masing_law *const *laws = masing_laws();
    CHECK(laws[0] != NULL);
    for (int i = 0; laws[i]; i++) {
        CHECK(masing_law_find(laws[i]->name) == laws[i]);
        CHECK(i == 0 || strcmp(laws[i - 1]->name, laws[i]->name) < 0);
    }
    CHECK(masing_law_find("jenkin") == NULL);
    CHECK(masing_law_find("") == NULL);
}

static void every_law_is_complete(void)
{
    for (int i = 0; masing_laws()[i]; i++) {
        const struct masing_law *law = masing_laws()[i];
        CHECK(law->summary && *law->summary && law->equation && *law->equation);
        CHECK(law->source && *law->source && law->family && law->n_axes >= 1);
        CHECK(law->parameters_size > 0 && law->n_fields > 0);
        CHECK(law->n_axes > 1 ? law->stiffness && law->axis_names
                              : law->stuck_stiffness && law->free_stiffness);
        CHECK((law->family == &masing_family_memoryless) == (law->force != NULL));
        CHECK((law->family == &masing_family_masing) == (law->backbone && law->reach));
        CHECK(law->n_events == 0 || law->events);
        for (int e = 0; e < law->n_events; e++) {
            CHECK(law->events[e].rising && law->events[e].falling && law->events[e].value);
        }
    }
}

static void every_number_is_explained(void)
{
    for (int i = 0; masing_laws()[i]; i++) {
        const struct masing_law *law = masing_laws()[i];
        for (int k = 0; k < law->n_fields; k++) {
            const struct masing_field *field = &law->fields[k];
            CHECK(field->name && *field->name && field->unit && field->help && *field->help);
            CHECK(masing_field_find(law->fields, law->n_fields, field->name) == k);
            CHECK(field->minimum < field->maximum);
            CHECK(!field->is_required || isnan(field->fallback));
            CHECK(field->offset < law->parameters_size);
        }
        for (int k = 0; k < law->n_constants; k++) {
            const struct masing_constant *constant = &law->constants[k];
            CHECK(constant->name && constant->unit && constant->help);
            CHECK(constant->offset + sizeof(double) <= law->parameters_size);
        }
    }
}

struct given {
    const char *name;
    double value;
};

/* A field's name, or what several names begin with. */
static bool is_key(const struct masing_law *law, const char *key)
{
    size_t length = strlen(key);
    for (int k = 0; k < law->n_fields; k++) {
        const char *name = law->fields[k].name;
        if (length > 0 && strncmp(name, key, length) == 0 &&
            (!name[length] || name[length] == '.')) {
            return true;
        }
    }
    return false;
}

/* NULL where the law accepts; else the message. */
static const char *verdict(const char *name, const struct given *given, int n,
                           struct masing_error *error)
{
    const struct masing_law *law = masing_law_find(name);
    void *parameters = calloc(1, law->parameters_size);
    memset(error, 0, sizeof *error);
    masing_fields_reset(law->fields, law->n_fields, parameters);
    for (int i = 0; i < n && error->status == MASING_OK; i++) {
        int field = masing_field_find(law->fields, law->n_fields, given[i].name);
        CHECK(field >= 0);
        masing_field_store(&law->fields[field], given[i].value, parameters, error);
    }
    if (error->status == MASING_OK) {
        CHECK(masing_law_check(law, parameters, error) == error->status);
        CHECK(error->status == MASING_OK || is_key(law, error->part));
    }
    free(parameters);
    return error->status == MASING_OK ? NULL : error->message;
}

static bool says(const char *message, const char *part)
{
    bool good = message && strstr(message, part);
    if (!good) {
        printf("# message: %s\n", message ? message : "(accepted)");
    }
    return good;
}

static void slip_forces_are_given_in_exactly_one_way(void)
{
    struct masing_error error;
    const struct given all[] = {
        {"stiffness", 2.0}, {"slip_force", 3.0}, {"friction", 0.5}, {"preload", 4.0}};
    const struct given friction_only[] = {{"stiffness", 2.0}, {"friction", 0.5}};
    const struct given preload_only[] = {{"stiffness", 2.0}, {"preload", 0.5}};
    const struct given mixed[] = {{"stiffness", 2.0}, {"slip_force", 1.0}, {"preload", 0.5}};
    const struct given pair[] = {{"stiffness", 2.0}, {"friction", 0.5}, {"preload", 0.0}};
    const struct given huge[] = {{"stiffness", 2.0}, {"friction", 1e200}, {"preload", 1e200}};
    CHECK(verdict("jenkins", all, 2, &error) == NULL);
    CHECK(verdict("jenkins", pair, 3, &error) == NULL);
    CHECK(says(verdict("jenkins", all, 1, &error), "the slip force is missing"));
    CHECK(says(verdict("jenkins", all, 3, &error), "'slip_force' and 'friction' are both"));
    CHECK(says(verdict("jenkins", all, 4, &error), "'slip_force' and 'friction' are both"));
    CHECK(says(verdict("jenkins", mixed, 3, &error), "'slip_force' and 'preload' are both"));
    CHECK(says(verdict("jenkins", friction_only, 2, &error), "'preload' is missing"));
    CHECK(says(verdict("jenkins", preload_only, 2, &error), "'friction' is missing"));
    CHECK(says(verdict("jenkins", huge, 3, &error), "not a finite force"));
}

static void wrong_parameters_are_refused(void)
{
    struct masing_error error;
    const struct given zero[] = {{"stiffness", 0.0}};
    const struct given negative[] = {{"stiffness", -1.0}};
    const struct given damping[] = {{"damping", -1.0}};
    const struct given flat[] = {{"coefficient", 1.0}, {"exponent", 0.5}};
    const struct given preload[] = {{"preload", -1.0}};
    const struct given sides[] = {{"stiffness", 1.0}, {"gap", -1.0}, {"two_sided", 1.0}};
    const struct given tiny[] = {{"slip_force", 1e300}, {"regularization", 1e-300}};
    const struct given spread[] = {{"stiffness", 1e300}, {"slip_force", 1e-300}};
    CHECK(says(verdict("jenkins", zero, 1, &error), "'stiffness' must be > 0 N/m"));
    CHECK(says(verdict("jenkins", preload, 1, &error), "'preload' must be >= 0 N"));
    CHECK(says(verdict("jenkins", spread, 2, &error), "out of range"));
    CHECK(verdict("linear", damping, 1, &error) == NULL);
    CHECK(says(verdict("power_spring", flat, 2, &error), "'exponent' must be >= 1"));
    CHECK(says(verdict("polynomial_damper", NULL, 0, &error), "'coefficients' is empty"));
    CHECK(says(verdict("linear", NULL, 0, &error), "neither"));
    CHECK(verdict("linear", negative, 1, &error) == NULL);
    CHECK(verdict("linear", zero, 1, &error) == NULL);
    CHECK(verdict("unilateral_spring", negative, 1, &error) == NULL);
    CHECK(says(verdict("unilateral_spring", sides, 3, &error), "'gap' must be >= 0 m"));
    CHECK(verdict("unilateral_spring", sides, 2, &error) == NULL);
    CHECK(says(verdict("tanh_friction", tiny, 2, &error), "too small"));
    CHECK(says(verdict("polynomial_spring", NULL, 0, &error), "'coefficients' is empty"));
}

/* The range of its field says all about a law's number: no check of its own. */
static void laws_without_a_check_accept_what_the_ranges_permit(void)
{
    struct masing_error error = {0};
    const struct given coefficient[] = {{"coefficient", 2.0}};
    struct masing_law law = *masing_law_find("jenkins");
    double parameters[16] = {0};
    CHECK(masing_law_find("cubic_spring")->check == NULL);
    CHECK(verdict("cubic_spring", coefficient, 1, &error) == NULL);
    CHECK(verdict("quadratic_damper", coefficient, 1, &error) == NULL);
    CHECK(law.parameters_size <= sizeof parameters);
    law.check = NULL;
    CHECK(masing_law_check(&law, parameters, &error) == MASING_OK && !error.part[0]);
}

static void alternatives_are_fields_of_the_law(void)
{
    int n_alternatives = 0;
    for (int i = 0; masing_laws()[i]; i++) {
        const struct masing_law *law = masing_laws()[i];
        for (int k = 0; k < law->n_fields; k++) {
            const struct masing_field *field = &law->fields[k];
            for (const char *const *other = field->alternatives; other && *other; other++) {
                CHECK(masing_field_find(law->fields, law->n_fields, *other) >= 0);
                CHECK(!field->is_required && strcmp(*other, field->name) != 0);
                n_alternatives++;
            }
        }
    }
    CHECK(n_alternatives > 0);
}

static void derived_constants_are_found_by_their_tables(void)
{
    const struct masing_law *law = masing_law_find("jenkins");
    void *parameters = calloc(1, law->parameters_size);
    const struct given given[] = {{"stiffness", 4e4}, {"friction", 0.5}, {"preload", 30.0}};
    masing_fields_reset(law->fields, law->n_fields, parameters);
    for (int i = 0; i < 3; i++) {
        int field = masing_field_find(law->fields, law->n_fields, given[i].name);
        masing_field_store(&law->fields[field], given[i].value, parameters, NULL);
    }
    CHECK(masing_law_check(law, parameters, NULL) == MASING_OK);
    CHECK(law->n_constants == 2);
    CHECK(*(double *)(void *)((char *)parameters + law->constants[0].offset) == 15.0);
    CHECK(*(double *)(void *)((char *)parameters + law->constants[1].offset) == 15.0 / 4e4);
    free(parameters);
}

static const struct tap_test tests[] = {
    {"laws are listed in alphabetical order", laws_are_listed_in_order},
    {"every law is complete", every_law_is_complete},
    {"every number is explained", every_number_is_explained},
    {"slip forces are given in exactly one way", slip_forces_are_given_in_exactly_one_way},
    {"wrong parameters are refused with a reason", wrong_parameters_are_refused},
    {"laws without a check accept what the ranges permit",
     laws_without_a_check_accept_what_the_ranges_permit},
    {"alternatives are fields of the law", alternatives_are_fields_of_the_law},
    {"derived constants are found by their tables",
     derived_constants_are_found_by_their_tables},
};

TAP_MAIN(tests)
