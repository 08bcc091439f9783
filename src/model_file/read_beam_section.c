/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A beam's bending stiffness, mass per length and length, each in one of several ways. */
#include "base/check.h"
#include "model_file/beams.h"

static const char *const stiffness_ways =
    "give bending_stiffness, or youngs_modulus with second_moment or section";
static const char *const mass_ways = "give mass_per_length, or density with area or section";

enum masing_status read_beam_number(struct reader *reader, const struct tree_node *map,
                                    const char *key, double *value)
{
    enum masing_status status = MASING_OK;
    struct tree_node *node;
    TRY(reader_required(reader, map, key, &node));
    TRY(reader_number(reader, node, key, value));
    if (!(*value > 0.0)) {
        TRY(reader_fail(reader, node, "%s: must be greater than 0, found %g", key, *value));
    }
done:
    return status;
}

static enum masing_status refuse_both(struct reader *reader, const struct beam *beam,
                                      const char *key, const char *other, const char *ways)
{
    const struct tree_node *node = tree_find(beam->entry, key);
    if (!node || !tree_find(beam->entry, other)) {
        return MASING_OK;
    }
    struct tree_node at_key = *node;
    at_key.place = node->key_place;
    return reader_fail(reader, &at_key, "beam '%.60s': '%s' does not go with '%s'; %s",
                       beam->name, key, other, ways);
}

static enum masing_status refuse_contradictions(struct reader *reader, const struct beam *beam)
{
    enum masing_status status = MASING_OK;
    TRY(refuse_both(reader, beam, "youngs_modulus", "bending_stiffness", stiffness_ways));
    TRY(refuse_both(reader, beam, "second_moment", "bending_stiffness", stiffness_ways));
    TRY(refuse_both(reader, beam, "second_moment", "section", stiffness_ways));
    TRY(refuse_both(reader, beam, "density", "mass_per_length", mass_ways));
    TRY(refuse_both(reader, beam, "area", "mass_per_length", mass_ways));
    TRY(refuse_both(reader, beam, "area", "section", mass_ways));
    if (tree_find(beam->entry, "bending_stiffness") &&
        tree_find(beam->entry, "mass_per_length")) {
        TRY(refuse_both(reader, beam, "section", "bending_stiffness",
                        "beside mass_per_length it has no use"));
    }
done:
    return status;
}

/* `section: {width, height}`, a rectangle; height in the plane of bending. */
static enum masing_status read_rectangle(struct reader *reader, const struct beam *beam,
                                         double *area, double *second_moment)
{
    static const char *const keys[] = {"width", "height", NULL};
    enum masing_status status = MASING_OK;
    const struct tree_node *section = tree_find(beam->entry, "section");
    double width, height;
    if (!section) {
        return MASING_OK;
    }
    TRY(reader_keys(reader, section, keys, NULL));
    TRY(read_beam_number(reader, section, "width", &width));
    TRY(read_beam_number(reader, section, "height", &height));
    *area = width * height;
    *second_moment = width * height * height * height / 12.0;
done:
    return status;
}

/* @p whole, or @p factor times what is @p known or given as @p other. */
static enum masing_status read_product(struct reader *reader, const struct beam *beam,
                                       const char *whole, const char *factor, const char *other,
                                       const char *ways, double known, double *value)
{
    enum masing_status status = MASING_OK;
    const struct tree_node *entry = beam->entry;
    double first, second = known;
    if (tree_find(entry, whole)) {
        return read_beam_number(reader, entry, whole, value);
    }
    if (!tree_find(entry, factor) || !(known > 0.0 || tree_find(entry, other))) {
        TRY(reader_fail(reader, entry, "beam '%.60s': %s is missing; %s", beam->name,
                        tree_find(entry, factor) ? other : whole, ways));
    }
    TRY(read_beam_number(reader, entry, factor, &first));
    if (!(known > 0.0)) {
        TRY(read_beam_number(reader, entry, other, &second));
    }
    *value = first * second;
done:
    return status;
}

enum masing_status read_beam_section(struct reader *reader, struct beam *beam)
{
    enum masing_status status = MASING_OK;
    double area = 0.0, second_moment = 0.0;
    TRY(refuse_contradictions(reader, beam));
    TRY(read_rectangle(reader, beam, &area, &second_moment));
    TRY(read_product(reader, beam, "bending_stiffness", "youngs_modulus", "second_moment",
                     stiffness_ways, second_moment, &beam->bending_stiffness));
    TRY(read_product(reader, beam, "mass_per_length", "density", "area", mass_ways, area,
                     &beam->mass_per_length));
    TRY(read_beam_number(reader, beam->entry, "length", &beam->length));
done:
    return status;
}
