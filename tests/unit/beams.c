/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What beams are called and what stands beside them. */
#include <math.h>

#include "beam_text.h"
#include "model/seal.h"

static const char *const two = "  beams:\n"
                               "    - {name: a, bending_stiffness: 3, mass_per_length: 0.7, "
                               "length: 2, elements: 4, nodes: {pad: 1.5, gauge: 0.7}, "
                               "supports: {start: clamped, 2: pinned, pad: guided}}\n"
                               "    - {name: b, bending_stiffness: 3, mass_per_length: 0.7, "
                               "length: 1, elements: 1, join: {start: a.end}}\n"
                               "  masses: {a.end.w: 2, absorber: 0.5, b.end.r: 0.25}\n"
                               "  springs:\n"
                               "    - {from: b.end.w, to: absorber, stiffness: 100}\n"
                               "  dampers:\n"
                               "    - {from: absorber, to: ground, damping: 0.125}\n";

static void dofs_have_readable_names(void)
{
    static const char *const names[] = {"a.1.w",   "a.1.r",   "a.gauge.w", "a.gauge.r",
                                        "a.2.r",   "a.pad.w", "a.end.w",   "a.end.r",
                                        "b.end.w", "b.end.r", "absorber"};
    struct masing_spec spec = beam_spec(two, "absorber");
    int n = spec.structure.n_dofs;
    CHECK(n == 11);
    for (int i = 0; i < n && i < 11; i++) {
        CHECK(strcmp(spec.structure.dof_names[i], names[i]) == 0);
    }
    masing_spec_clear(&spec);
}

static void masses_springs_and_dampers_are_added(void)
{
    struct masing_spec with = beam_spec(two, "absorber");
    char text[1000];
    snprintf(text, sizeof text, "%.*s  masses: {absorber: 0}\n",
             (int)(strstr(two, "  masses") - two), two);
    struct masing_spec without = beam_spec(text, "absorber");
    size_t n = (size_t)with.structure.n_dofs;
    size_t tip = (size_t)beam_dof(&with, "b.end.w");
    size_t absorber = (size_t)beam_dof(&with, "absorber");
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t k = i + j * n;
            const char *name = with.structure.dof_names[i];
            double mass = i != j                         ? 0
                          : strcmp(name, "a.end.w") == 0 ? 2
                          : strcmp(name, "b.end.r") == 0 ? 0.25
                          : i == absorber                ? 0.5
                                                         : 0;
            bool is_tip = i == tip || i == absorber, has_both = j == tip || j == absorber;
            double spring = is_tip && has_both ? (i == j ? 100 : -100) : 0;
            CHECK_SCALED(with.structure.mass[k] - without.structure.mass[k], mass, 1, 1e-12);
            CHECK_SCALED(with.structure.stiffness[k] - without.structure.stiffness[k], spring,
                         1000, 1e-12);
            CHECK(with.structure.damping[k] == (i == absorber && j == absorber ? 0.125 : 0));
        }
    }
    masing_spec_clear(&with);
    masing_spec_clear(&without);
}

/* Sections, moments and products all say the same. */
static void properties_are_given_in_several_ways(void)
{
    static const char *const ways[] = {
        "bending_stiffness: 50, mass_per_length: 6",
        "youngs_modulus: 200, second_moment: 0.25, density: 5, area: 1.2",
        "youngs_modulus: 25000, section: {width: 3, height: 0.2}, density: 10",
        "bending_stiffness: 50, section: {width: 3, height: 0.2}, density: 10",
        "youngs_modulus: 25000, section: {width: 3, height: 0.2}, mass_per_length: 6"};
    struct masing_spec specs[5];
    for (int i = 0; i < 5; i++) {
        char text[1000];
        snprintf(text, sizeof text, "  beams: [{name: b, length: 3, elements: 2, %s}]\n",
                 ways[i]);
        specs[i] = beam_spec(text, "b.1.w");
        for (int k = 0; k < 36; k++) {
            CHECK_SCALED(specs[i].structure.mass[k], specs[0].structure.mass[k], 6, 1e-13);
            CHECK_SCALED(specs[i].structure.stiffness[k], specs[0].structure.stiffness[k], 100,
                         1e-13);
        }
    }
    for (int i = 0; i < 5; i++) {
        masing_spec_clear(&specs[i]);
    }
}

/* A number of a beam is reached by the beam's name, and the resolved model is read again. */
static void numbers_are_set_from_outside(void)
{
    char text[2000], *resolved = NULL;
    const struct masing_override override = {"structure.beams.b.elements", "3"};
    struct masing_document *document = NULL, *again = NULL;
    struct masing_spec spec = {0};
    struct masing_error error = {0};
    snprintf(text, sizeof text,
             "masing: 1\nstructure:\n%sfrequency: [1, 2]\noutputs: [b.2.w]\n", two);
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    CHECK(masing_document_resolved(document, &override, 1, &resolved, &error) == MASING_OK);
    CHECK(resolved && masing_document_parse(resolved, strlen(resolved), "r.yaml", &again,
                                            &error) == MASING_OK);
    CHECK(masing_document_spec(again, NULL, 0, &spec, &error) == MASING_OK);
    CHECK(spec.structure.n_dofs == 15);
    masing_spec_clear(&spec);
    masing_document_destroy(document);
    masing_document_destroy(again);
    free(resolved);
}

/* What is said of n elements; "" for nothing. */
static void caution(int n, char *text, size_t size)
{
    char form[300];
    struct masing_error error = {0};
    snprintf(form, sizeof form,
             "  beams:\n    - {name: b, bending_stiffness: 10, mass_per_length: 1, length: 1, "
             "elements: %d, supports: {start: clamped}}\n",
             n);
    struct masing_model model = {.spec = beam_spec(form, "b.end.w")};
    CHECK(seal_cautions(&model, &error) == MASING_OK && model.n_warnings <= 1);
    snprintf(text, size, "%s", model.n_warnings > 0 ? model.warnings[0] : "");
    warnings_clear(&(struct warning_list){&model.warnings, &model.n_warnings, &model.numbered});
    masing_spec_clear(&model.spec);
}

/* 14 Hz, the 7th harmonic of 2 Hz: beta = 5.27 / m; elements of beta h = 0.195 err by 1e-6. */
static void more_elements_than_are_of_use_are_spoken_of(void)
{
    char text[400];
    caution(400, text, sizeof text);
    CHECK(strcmp(text, "") == 0);
    caution(520, text, sizeof text);
    CHECK(strstr(text, "520 beam elements") &&
          strstr(text, "28 follow frequencies up to 14 Hz"));
}

static void nothing_is_said_of_beams_where_there_are_none(void)
{
    struct masing_error error = {0};
    int harmonic = 7;
    struct masing_model model = {.spec = {.structure = {.n_dofs = 2000},
                                          .omega_from = 1.0,
                                          .omega_to = 2.0,
                                          .n_harmonics = 1,
                                          .harmonics = &harmonic}};
    CHECK(seal_cautions(&model, &error) == MASING_OK);
    CHECK(model.n_warnings == 0);
}

static const struct tap_test tests[] = {
    {"DOFs have readable names", dofs_have_readable_names},
    {"masses, springs and dampers are added", masses_springs_and_dampers_are_added},
    {"properties are given in several ways", properties_are_given_in_several_ways},
    {"more elements than are of use are spoken of",
     more_elements_than_are_of_use_are_spoken_of},
    {"nothing is said of beams where there are none",
     nothing_is_said_of_beams_where_there_are_none},
    {"numbers are set from outside", numbers_are_set_from_outside},
};
TAP_MAIN(tests)
