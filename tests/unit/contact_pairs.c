/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of pairs: what becomes of their rows, and what is refused where. */
#include "contact_text.h"
#include "spec_equal.h"

/* Three axes as columns of weights on a's DOFs: orthonormal, the first along the normal. */
static void check_frame(const struct masing_joint_spec *joint, const double normal[3])
{
    for (int i = 0; i < 3; i++) {
        CHECK_SCALED(weight(joint, 0, DOF_AX + i), -normal[i], 1, 1e-15);
        for (int j = 0; j < 3; j++) {
            double dot = 0;
            for (int k = 0; k < 3; k++) {
                dot += weight(joint, i, DOF_AX + k) * weight(joint, j, DOF_AX + k);
            }
            CHECK_SCALED(dot, i == j, 1, 1e-15);
        }
    }
}

static void pairs_of_nodes_get_a_frame(void)
{
    static const double normals[][3] = {
        {1, 0, 0}, {0, 1, 0}, {0, 0, -1}, {0.48, -0.6, 0.64}, {2 / 3.0, 1 / 3.0, 2 / 3.0}};
    struct masing_spec spec;
    write_pairs("from, to, normal_x, normal_y, normal_z, area\n"
                "a, b, 1, 0, 0, 2\na, b, 0, 5, 0, 3\na, b, 0, 0, -1e-9, 1\n"
                "a, b, 0.48, -0.6, 0.64, 1\na, ground, 2, 1, 2, 1\n"
                "d, ground, 0.6, 0.8, 0, 1\nground, c, 1, 2, 2, 1\nground, d, 0, 3, 4, 1\n");
    if (!take("  - {name: before, law: linear, from: a.x, to: b.x, stiffness: 1}\n"
              "  - {name: c, law: contact, pairs: pairs.csv, " SURFACE ", preload: 3}\n",
              NULL, &spec)) {
        return;
    }
    CHECK(spec.n_joints == 9 && spec.n_groups == 2);
    CHECK(spec.groups[1].first == 1 && spec.groups[1].n_joints == 8);
    CHECK(!strcmp(spec.groups[1].name, "c") && !strcmp(spec.groups[0].name, "before"));
    CHECK(!strcmp(spec.joints[8].name, "c[8]") && spec.joints[2].area == 3);
    for (int i = 0; i < 5; i++) {
        check_frame(&spec.joints[1 + i], normals[i]);
    }
    /* in the plane of two directions there is one across the normal */
    const struct masing_joint_spec *plane = &spec.joints[6];
    CHECK(masing_joint_spec_axes(plane) == 2);
    CHECK_SCALED(weight(plane, 0, DOF_DX), -0.6, 1, 1e-15);
    CHECK_SCALED(fabs(weight(plane, 1, DOF_DX)), 0.8, 1, 1e-15);
    CHECK_SCALED(weight(plane, 1, DOF_DX) * 0.6 + weight(plane, 1, DOF_DY) * 0.8, 0, 1, 1e-15);
    /* one direction moves along the normal and along one other */
    CHECK(masing_joint_spec_axes(&spec.joints[7]) == 2);
    CHECK_SCALED(weight(&spec.joints[7], 0, DOF_CX), 1 / 3.0, 1, 1e-15);
    CHECK_SCALED(weight(&spec.joints[7], 1, DOF_CX), sqrt(8) / 3, 1, 1e-15);
    /* out of the plane of two there are both */
    CHECK(masing_joint_spec_axes(&spec.joints[8]) == 3);
    masing_spec_clear(&spec);
}

static void pairs_of_dofs_have_their_own_numbers(void)
{
    struct masing_spec spec;
    static const struct masing_override preload = {"c.preload", "7"};
    write_pairs("normal_from,normal_to,tangential_from,tangential_to,tangential2_from,"
                "tangential2_to,area,preload,gap\n"
                "a.x,b.x,a.y,b.y,a.z,b.z,2,11,\n"
                "ground,c.x,a.y,ground,,,4,,\n"
                "a.x,b.x,a.y,b.y,,,1,,0.5\n");
    static const char joints[] =
        "  - {name: c, law: contact, pairs: pairs.csv, per_area: true, " SURFACE
        ", preload: 3}\n";
    if (!take(joints, &preload, &spec)) {
        return;
    }
    const struct masing_joint_spec *joint = spec.joints;
    CHECK(spec.n_joints == 3 && masing_joint_spec_axes(&joint[0]) == 3);
    CHECK(masing_joint_spec_axes(&joint[1]) == 2);
    CHECK(weight(&joint[0], 2, DOF_BZ) == 1 && weight(&joint[1], 1, DOF_AY) == -1);
    CHECK(number(&joint[0], "preload") == 22 && number(&joint[1], "preload") == 28);
    CHECK(number(&joint[0], "normal_stiffness") == 8e4);
    CHECK(number(&joint[1], "tangential_stiffness") == 12e4);
    CHECK(number(&joint[1], "friction") == 0.5);
    CHECK(number(&joint[2], "gap") == 0.5 && isnan(number(&joint[2], "preload")));
    masing_spec_clear(&spec);
}

static void thousands_of_pairs_are_read(void)
{
    enum { N = 10000 };
    static const char head[] = "from,to,normal_x,normal_y,normal_z\n", row[] = "a,d,1,1,0\n";
    size_t length = sizeof head - 1;
    char *text = malloc(sizeof head + (N + 1) * (sizeof row - 1));
    struct masing_spec spec;
    struct masing_error error = {0};
    if (!CHECK(text != NULL)) {
        return;
    }
    memcpy(text, head, sizeof head);
    for (int i = 0; i <= N; i++, length += sizeof row - 1) {
        memcpy(text + length, row, sizeof row);
        if (i == N - 1) {
            write_pairs(text);
        }
    }
    static const char joints[] =
        "  - {name: c, law: contact, pairs: pairs.csv, " SURFACE ", preload: 3}\n";
    if (take(joints, NULL, &spec)) {
        CHECK(spec.n_joints == N && !strcmp(spec.joints[N - 1].name, "c[10000]"));
        masing_spec_clear(&spec);
    }
    write_pairs(text);
    CHECK(read_model(joints, NULL, &spec, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "pairs.csv:10002:1: expected 1 to 10000 rows, found 10001"));
    free(text);
}

static void resolved_pairs_are_read_again(void)
{
    char text[4096];
    struct masing_document *document = NULL, *again = NULL;
    struct masing_spec first, second;
    struct masing_error error = {0};
    char *resolved = NULL;
    static const struct masing_override override = {"c.friction.static", "0.75"};
    write_pairs("from,to,normal_x,normal_y,normal_z,preload\na,b,1,2,3,\nd,b,1,1,0,5\n");
    snprintf(
        text, sizeof text,
        "%s  - {name: c, law: contact, pairs: pairs.csv, normal_stiffness: 4e4, "
        "tangential_stiffness: 3e4, friction: {static: 0.5, hyperbolic_decay: 2}, preload: "
        "3}\n"
        "  - {name: p, law: contact_patch, from: c, to: a, size: [1, 1], elements: [2, "
        "2], " SURFACE ", preload: 3, preload_moment: [0.1, 0]}\n"
        "loads: [{dof: a.x, amplitude: 1}]\n",
        structure);
    CHECK(masing_document_parse(text, strlen(text), model_file, &document, NULL) == MASING_OK);
    CHECK(masing_document_resolved(document, &override, 1, &resolved, &error) == MASING_OK);
    if (resolved && CHECK(masing_document_parse(resolved, strlen(resolved), model_file, &again,
                                                NULL) == MASING_OK)) {
        CHECK(strstr(resolved, "pairs: pairs.csv") && strstr(resolved, "per_area: false"));
        CHECK(masing_document_spec(document, &override, 1, &first, NULL) == MASING_OK);
        if (CHECK(masing_document_spec(again, NULL, 0, &second, NULL) == MASING_OK)) {
            CHECK(spec_same(&first, &second) && second.n_groups == 2);
            CHECK(number(&second.joints[0], "friction.static") == 0.75);
            masing_spec_clear(&second);
        }
        masing_spec_clear(&first);
    }
    free(resolved);
    masing_document_destroy(again);
    masing_document_destroy(document);
}

#define NODES "from,to,normal_x,normal_y,normal_z"
#define DOFS "normal_from,normal_to,tangential_from,tangential_to"

static void wrong_rows_are_refused_with_their_place(void)
{
    static const struct refusal refusals[] = {
        {"", "pairs.csv:1:1: the file is empty"},
        {NODES "\n", "pairs.csv:1:1: expected 1 to 10000 rows, found 0"},
        {"from,to\na,b\n",
         "pairs.csv:1:1: a column is missing; expected 'from, to, normal_x, "},
        {DOFS ",tangential2_from\na.x,b.x,a.y,b.y,a.z\n", "pairs.csv:1:1: a column is missing"},
        {NODES ",normal_from\na,b,1,0,0,a.x\n",
         "pairs.csv:1:1: columns of nodes and of DOFs side by side"},
        {NODES ",aera\n", "pairs.csv:1:36: unknown column 'aera' (did you mean 'area'?)"},
        {NODES "\na,b,1,0\n", "pairs.csv:2:8: expected 5 fields as in the header, found 4"},
        {NODES "\na,b,1,0,0,5\n", "pairs.csv:2:11: more fields than the 5 of the header"},
        {NODES "\na,b,1,zero,0\n", "pairs.csv:2:7: normal_y: 'zero' is not a number"},
        {NODES "\na,b,1,,0\n", "pairs.csv:2:1: a component of the normal is missing"},
        {NODES ",gap\na,b,1,0,0,1\na,b,0,0,0,1\n",
         "pairs.csv:3:5: normal_x, normal_y and normal_z are all 0"},
        {NODES "\na,bb,1,0,0\n",
         "pairs.csv:2:3: to: node 'bb' has no DOF, expected one or more "
         "of .x .y .z behind its name (did you mean 'b'?)"},
        {NODES "\na,a,1,0,0\n", "pairs.csv:2:3: 'from' and 'to' are the same node"},
        {NODES "\nground,c,0,1,0\n",
         "pairs.csv:2:10: the nodes have no DOF that moves along the normal"},
        {NODES "\nground,c,1,0,0\n",
         "pairs.csv:2:10: the nodes have no DOF that moves across the normal"},
        {NODES ",area\na,b,1,0,0,0\n",
         "pairs.csv:2:11: area: expected a number greater than 0"},
        {NODES ",preload,gap\na,b,1,0,0,1,1\n",
         "pairs.csv:2:13: gap: the row has a preload already"},
        {NODES ",preload\na,b,1,0,0,-1\n", "pairs.csv:2:11: 'preload' must be >= 0 N, not -1"},
        {NODES "\na,b,1,0,0\n", "pairs.csv:2:1: joint 'c[1]': missing key 'preload'"},
        {DOFS "\na.x,b.w,a.y,b.y\n", "pairs.csv:2:5: to: unknown DOF 'b.w' (did you mean"},
        {DOFS "\na.x,b.x,a.y,a.y\n", "pairs.csv:2:13: 'from' and 'to' are the same DOF"},
        {DOFS "\na.x,b.x,b.x,a.x\n", "pairs.csv:2:9: the direction is parallel to the normal"},
        {DOFS ",tangential2_from,tangential2_to\na.x,b.x,a.y,b.y,b.y,a.y\n",
         "pairs.csv:2:17: the two directions are parallel to each other"},
    };
    check_refusals(refusals, sizeof refusals / sizeof *refusals,
                   "  - {name: c, law: contact, pairs: pairs.csv, " SURFACE "}\n");
}

static void areas_and_studies_need_something_to_act_on(void)
{
    static const char per_area[] =
        "  - {name: c, law: contact, pairs: pairs.csv, per_area: true, " SURFACE
        ", preload: 1}\n";
    static const char own[] =
        "  - {name: c, law: contact, pairs: pairs.csv, " SURFACE ", preload: 1}\n";
    static const struct masing_override preload = {"c.preload", "7"};
    struct masing_spec spec;
    struct masing_error error = {0};
    write_pairs(NODES ",preload\na,b,1,0,0,5\na,b,1,0,0,4\n");
    CHECK(read_model(per_area, NULL, &spec, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "pairs.csv:1:1: column 'area' is missing, which 'per_area'"));
    error = (struct masing_error){0};
    CHECK(read_model(own, &preload, &spec, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "--set c.preload: no contact uses this number"));
}

/* The name of a row is taken by another joint. */
static void names_of_rows_are_names(void)
{
    struct masing_spec spec;
    struct masing_error error = {0};
    write_pairs(NODES "\na,b,1,0,0\n");
    CHECK(read_model("  - {name: c, law: contact, pairs: pairs.csv, " SURFACE ", preload: 1}\n"
                     "  - {name: 'c[1]', law: linear, from: a.x, to: b.x, stiffness: 1}\n",
                     NULL, &spec, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "m.yaml:9:12: a joint 'c[1]' stands in line 8 already"));
    error = (struct masing_error){0};
    CHECK(read_model("  - {name: c, law: contact, pairs: pairs.csv, " SURFACE ", preload: 1}\n"
                     "  - {name: c, law: linear, from: a.x, to: b.x, stiffness: 1}\n",
                     NULL, &spec, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "m.yaml:9:12: a joint 'c' stands in line 8 already"));
}

static const struct tap_test tests[] = {
    {"pairs of nodes get a frame", pairs_of_nodes_get_a_frame},
    {"pairs of DOFs have their own numbers", pairs_of_dofs_have_their_own_numbers},
    {"thousands of pairs are read", thousands_of_pairs_are_read},
    {"resolved pairs are read again", resolved_pairs_are_read_again},
    {"wrong rows are refused with their place", wrong_rows_are_refused_with_their_place},
    {"areas and studies need something to act on", areas_and_studies_need_something_to_act_on},
    {"names of rows are names", names_of_rows_are_names},
};

int main(void)
{
    return contact_run(tests, (int)(sizeof tests / sizeof *tests));
}
