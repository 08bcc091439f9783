/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contacts in a model file: directions and nodes, and what is refused where. */
#include "contact_text.h"

static void directions_are_axes(void)
{
    struct masing_spec spec;
    if (!take("  - {name: c, law: contact, normal: {from: a.x, to: b.x}, tangential: [{from: "
              "a.y, to: b.y}, {from: a.z, to: b.z}], " SURFACE ", preload: 3}\n"
              "  - {name: d, law: contact, normal: {c.x: -2}, tangential: [{a.y: 0.6, a.z: "
              "0.8}], " SURFACE ", gap: 1e-3}\n"
              "  - {name: e, law: contact, normal: {from: ground, to: c.x}, tangential: [{a.y: "
              "0.6, a.z: 0.8}, {a.y: -0.8, a.z: 0.6}], " SURFACE ", gap: 1e-3}\n",
              NULL, &spec)) {
        return;
    }
    CHECK(spec.n_joints == 3 && spec.n_groups == 0);
    const struct masing_joint_spec *joint = spec.joints;
    CHECK(masing_joint_spec_axes(&joint[0]) == 3 && masing_joint_spec_axes(&joint[1]) == 2);
    CHECK(joint[0].present == 7 && joint[1].present == 3);
    CHECK(weight(&joint[0], 0, DOF_AX) == -1 && weight(&joint[0], 0, DOF_BX) == 1);
    CHECK(weight(&joint[0], 1, DOF_AY) == -1 && weight(&joint[0], 2, DOF_BZ) == 1);
    CHECK(weight(&joint[1], 0, DOF_CX) == -2 && weight(&joint[1], 1, DOF_AZ) == 0.8);
    CHECK(weight(&joint[2], 2, DOF_AY) == -0.8);
    CHECK(!strcmp(masing_joint_spec_axis_name(&joint[1], 0), "normal"));
    CHECK(number(&joint[0], "preload") == 3 && isnan(number(&joint[1], "preload")));
    masing_spec_clear(&spec);
}

static void patches_have_the_dofs_that_their_nodes_have(void)
{
    struct masing_spec spec;
    if (!take("  - {name: p, law: contact_patch, from: c, to: a, size: [1, 1], elements: [2, "
              "2], " SURFACE ", preload: 3}\n"
              "  - {name: q, law: contact_patch, from: d, to: ground, size: [1, 1], elements: "
              "[2, 2], " SURFACE ", preload: 3}\n",
              NULL, &spec)) {
        return;
    }
    const struct masing_joint_spec *joint = spec.joints;
    static const char *const names[] = {"x", "y", "z", "rz"};
    CHECK(masing_joint_spec_axes(&joint[0]) == 4 && joint[0].present == 0x27);
    for (int a = 0; a < 4; a++) {
        CHECK(!strcmp(masing_joint_spec_axis_name(&joint[0], a), names[a]));
    }
    CHECK(weight(&joint[0], 0, DOF_CX) == -1 && weight(&joint[0], 0, DOF_AX) == 1);
    CHECK(joint[0].axes[1].n_terms == 1 && weight(&joint[0], 1, DOF_AY) == 1);
    CHECK(joint[0].axes[3].n_terms == 1 && weight(&joint[0], 3, DOF_CRZ) == -1);
    CHECK(joint[1].present == 3 && weight(&joint[1], 1, DOF_DY) == -1);
    masing_spec_clear(&spec);
}

/* A number becomes a mapping and the other way round; a gap takes a preload's place. */
static void numbers_are_replaced_from_outside(void)
{
    static const char as_number[] = "  - {name: c, law: contact, normal: {from: a.x, to: b.x}, "
                                    "tangential: [{from: a.y, to: "
                                    "b.y}], " SURFACE ", preload: 3}\n";
    static const char as_mapping[] =
        "  - {name: c, law: contact, normal: {from: a.x, to: b.x}, tangential: [{from: a.y, "
        "to: "
        "b.y}], normal_stiffness: 1, tangential_stiffness: 1, friction: {static: 0.5, kinetic: "
        "0.25, decay: 3}, preload: 3}\n";
    static const struct masing_override to_number = {"c.friction", "0.125"};
    static const struct masing_override in_mapping = {"c.friction.kinetic", "0.375"};
    static const struct masing_override gap = {"c.gap", "0.01"};
    static const struct masing_override to_mapping = {"c.friction.static", "0.6"};
    static const struct masing_override wrong = {"c.friction.statc", "0.6"};
    struct masing_spec spec;
    struct masing_error error = {0};
    if (take(as_mapping, &to_number, &spec)) {
        CHECK(number(spec.joints, "friction") == 0.125);
        CHECK(isnan(number(spec.joints, "friction.static")));
        masing_spec_clear(&spec);
    }
    if (take(as_mapping, &in_mapping, &spec)) {
        CHECK(isnan(number(spec.joints, "friction")));
        CHECK(number(spec.joints, "friction.kinetic") == 0.375);
        CHECK(number(spec.joints, "friction.static") == 0.5);
        masing_spec_clear(&spec);
    }
    if (take(as_number, &gap, &spec)) {
        CHECK(number(spec.joints, "gap") == 0.01 && isnan(number(spec.joints, "preload")));
        masing_spec_clear(&spec);
    }
    /* the rest of the mapping is missing */
    CHECK(read_model(as_number, &to_mapping, &spec, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "--set c.friction.static: joint 'c': friction is incomplete"));
    error = (struct masing_error){0};
    CHECK(read_model(as_mapping, &wrong, &spec, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "did you mean c.friction.static?"));
}

#define CONTACT                                                                                \
    "  - name: c\n    law: contact\n    preload: 3\n    normal_stiffness: 4\n"                 \
    "    tangential_stiffness: 3\n    friction: 0.5\n"
#define PATCH                                                                                  \
    "  - name: c\n    law: contact_patch\n    preload: 3\n    normal_stiffness: 4\n"           \
    "    tangential_stiffness: 3\n    friction: 0.5\n    size: [1, 1]\n"                       \
    "    elements: [2, 2]\n"

static void wrong_directions_are_refused_with_their_place(void)
{
    static const struct refusal refusals[] = {
        {CONTACT, "m.yaml:8:5: missing key 'normal'"},
        {CONTACT "    normal: {from: ground, to: a.x}\n",
         "m.yaml:8:5: missing key 'tangential'"},
        {CONTACT "    normal: {from: ground, to: a.x}\n    tangential: {from: a.y, to: b.y}\n",
         "m.yaml:15:17: tangential: expected a list, found a mapping"},
        {CONTACT "    normal: {from: ground, to: a.x}\n    tangential: []\n",
         "m.yaml:15:17: tangential: expected one or two directions, found 0"},
        {CONTACT "    normal: {a.x: 1}\n    tangential: [{a.y: 1}, {a.z: 1}, {b.x: 1}]\n",
         "m.yaml:15:17: tangential: expected one or two directions, found 3"},
        {CONTACT "    normal: {from: a.x, to: b.x}\n    tangential: [{a.x: 2, b.x: -2}]\n",
         "m.yaml:15:18: joint 'c': tangential: the direction is parallel to the normal"},
        {CONTACT "    normal: {a.x: 1, a.y: 1}\n    tangential: [{a.y: 1}, {a.x: 3, a.y: 3}]\n",
         "m.yaml:15:28: joint 'c': tangential: the direction is parallel to the normal"},
        {CONTACT
         "    normal: {a.x: 1}\n    tangential: [{a.y: 1, a.z: 2}, {a.y: -2, a.z: -4}]\n",
         "m.yaml:15:36: joint 'c': tangential: the two directions are parallel to each other"},
        {CONTACT "    normal: {a.x: 1}\n    tangential: [{a.y: 1}, {a.y: 1, a.z: 1}]\n",
         "m.yaml:15:28: joint 'c': tangential: the two directions are at 45 degrees, expected "
         "90: the slip limit is a circle"},
        {CONTACT "    normal: {a.x: 1}\n    tangential: [{a.y: 1}, {a.z: 2}]\n",
         "m.yaml:15:28: joint 'c': tangential: the weights of the two directions have the "
         "lengths 1 and 2, expected equal ones"},
        {CONTACT "    normal: {a.x: 1}\n    tangential: [{from: a.q, to: b.y}]\n",
         "m.yaml:15:25: from: unknown DOF 'a.q' (did you mean "},
        {CONTACT "    normal: {a.x: 1}\n    tangential: [{a.y: 1}]\n    per_area: true\n",
         "m.yaml:16:15: per_area: belongs to 'pairs'"},
        {CONTACT "    normal: {a.x: 1}\n    tangential: [{a.y: 1}]\n    gap: 1\n",
         "m.yaml:10:14: joint 'c': preload and gap are both given"},
        {CONTACT "    from: ground\n    to: a.x\n", "m.yaml:14:5: unknown key 'from'"},
        {CONTACT "    normal: {a.x: 1}\n    pairs: pairs.csv\n",
         "m.yaml:14:13: normal: 'pairs' gives the directions already"},
        {PATCH "    from: ground\n    to: bb\n",
         "m.yaml:17:9: to: node 'bb' has no DOF, expected one or more of .x .y .z .rx .ry .rz "
         "behind its name (did you mean 'b'?)"},
        {PATCH "    from: a\n    to: a\n", "m.yaml:17:9: 'from' and 'to' are both 'a'"},
        {PATCH "    to: a\n", "m.yaml:8:5: missing key 'from'"},
        {PATCH "    axis: {a.x: 1}\n", "m.yaml:16:5: unknown key 'axis'"},
        {PATCH "    from: ground\n    to: a\n    preload_moment: [9, 0]\n",
         "m.yaml:18:21: joint 'c': no static equilibrium: 'preload_moment' has M_y = 9 N m"},
    };
    write_pairs("");
    check_refusals(refusals, sizeof refusals / sizeof *refusals, NULL);
}

static const struct tap_test tests[] = {
    {"directions are axes", directions_are_axes},
    {"patches have the DOFs that their nodes have",
     patches_have_the_dofs_that_their_nodes_have},
    {"numbers are replaced from outside", numbers_are_replaced_from_outside},
    {"wrong directions are refused with their place",
     wrong_directions_are_refused_with_their_place},
};

int main(void)
{
    return contact_run(tests, (int)(sizeof tests / sizeof *tests));
}
