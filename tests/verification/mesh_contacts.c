/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contacts of surfaces and node sets against the same by hand: pairs of nodes that were read
 * off the mesh, patterns and weights over DOFs.
 */
#include "response.h"
#include "scratch.h"

static char folder[SCRATCH_PATH];

static char *in_folder(const char *name)
{
    return text_of("%s/%s", folder, name);
}

static void put(const char *name, const char *text)
{
    char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL)) {
        fputs(text, file);
        fclose(file);
    }
    free(path);
}

/* The lap's faces: the top of the lower beam's last elements, the bottom of the upper's first.
 */
static void put_deck(void)
{
    const char *root = getenv("MASING_SOURCE_ROOT");
    char *text = text_of("*INCLUDE, INPUT=%s/tests/reference/fe/t8.inp\n"
                         "*ELSET, ELSET=ENDA\n4, 5\n*ELSET, ELSET=ENDB, GENERATE\n6, 7, 1\n"
                         "*SURFACE, NAME=LOWER\nENDA, S2\n*SURFACE, NAME=UPPER\nENDB, S1\n"
                         "*NSET, NSET=TIP\n45, 46,\n47, 48\n"
                         "*NSET, NSET=MIDDLE\n18, 20\n*NSET, NSET=OTHER\n29, 31\n",
                         root ? root : ".");
    put("lap.inp", text);
    free(text);
}

static struct run respond(const char *joint, const char *loads_and_outputs)
{
    const char *root = getenv("MASING_SOURCE_ROOT");
    static const double at_hz[] = {100, 135, 142, 150};
    const struct masing_response_options options = {
        .n_at = 4, .at_hz = at_hz, .stability = MASING_STABILITY_NONE};
    char *text = text_of("masing: 1\nstructure: {calculix: %s/tests/reference/fe/t8, "
                         "mesh: lap.inp, damping: {structural: 0.01}}\njoints:\n%s"
                         "frequency: [90, 155]\nharmonics: [0, 1, 3]\nsamples: 64\n%s",
                         root ? root : ".", joint, loads_and_outputs);
    char *file = in_folder("m.yaml");
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct run run = {.summary = {0}};
    struct masing_sink sink = table_sink(&run.rows);
    run.status = masing_document_parse(text, strlen(text), file, &document, &run.error);
    run.status =
        run.status ? run.status : masing_document_model(document, NULL, 0, &model, &run.error);
    run.status = run.status
                     ? run.status
                     : masing_frf(model, &options, &sink, NULL, &run.summary, &run.error);
    if (!CHECK(run.status == MASING_OK)) {
        printf("# %s\n", run.error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(file);
    free(text);
    return run;
}

/* The same response at the frequencies that both have, and the same loss there. */
static void check_same(const struct run *a, const struct run *b, double tolerance)
{
    static const char *const columns[] = {"tip_max", "tip_h1", "energy_lost"};
    static const double at_hz[] = {100, 135, 142, 150};
    for (int i = 0; i < 4; i++) {
        int left = table_find(&a->rows, "at", at_hz[i]);
        int right = table_find(&b->rows, "at", at_hz[i]);
        for (int c = 0; c < 3 && CHECK(left >= 0 && right >= 0); c++) {
            CHECK_RELATIVE(table_get(&a->rows, left, columns[c]),
                           table_get(&b->rows, right, columns[c]), tolerance);
        }
    }
}

#define LAW                                                                                    \
    "per_area: true, normal_stiffness: 2e11, tangential_stiffness: 1e11, friction: 0.3, "      \
    "preload: 5e6}\n"
#define BY_SETS                                                                                \
    "loads: [{dof: {set: TIP, direction: y}, amplitude: 10}]\n"                                \
    "outputs: [{name: tip, set: TIP, direction: y}]\n"
#define BY_HAND                                                                                \
    "loads: [{pattern: {45.y: 0.25, 46.y: 0.25, 47.y: 0.25, 48.y: 0.25}, amplitude: 10}]\n"    \
    "outputs: [{name: tip, weights: {45.y: 0.25, 46.y: 0.25, 47.y: 0.25, 48.y: 0.25}}]\n"

static void surfaces_are_pairs(void)
{
    /* nodes 30 mm apart along the beams, 25 mm across: a quarter of each face */
    put("pairs.csv", "from,to,normal_x,normal_y,normal_z,area\n"
                     "14,25,0,0,-1,1.875e-4\n16,27,0,0,-1,1.875e-4\n18,29,0,0,-1,3.75e-4\n"
                     "20,31,0,0,-1,3.75e-4\n22,33,0,0,-1,1.875e-4\n24,35,0,0,-1,1.875e-4\n");
    struct run by_hand =
        respond("  - {name: lap, law: contact, pairs: pairs.csv, " LAW, BY_HAND);
    struct run surfaces = respond("  - {name: lap, law: contact, surfaces: {from: LOWER, "
                                  "to: UPPER, match: 1e-4}, " LAW,
                                  BY_SETS);
    check_same(&surfaces, &by_hand, 1e-9);
    CHECK(by_hand.summary.energy_mismatch < 1e-6);
    run_clear(&surfaces);
    run_clear(&by_hand);
}

/* The other way round the normal comes out of the upper body. */
static void sides_can_be_exchanged(void)
{
    struct run one = respond("  - {name: lap, law: contact, surfaces: {from: LOWER, to: UPPER, "
                             "match: 1e-4}, " LAW,
                             BY_SETS);
    struct run other =
        respond("  - {name: lap, law: contact, surfaces: {from: UPPER, to: LOWER, "
                "match: 1e-4}, " LAW,
                BY_SETS);
    check_same(&one, &other, 1e-6);
    run_clear(&one);
    run_clear(&other);
}

/* Node sets of the deck have equal shares of the area. */
static void node_sets_share_an_area(void)
{
    put("pairs.csv", "from,to,normal_x,normal_y,normal_z,area\n"
                     "14,25,0,0,-1,2.5e-4\n16,27,0,0,-1,2.5e-4\n18,29,0,0,-1,2.5e-4\n"
                     "20,31,0,0,-1,2.5e-4\n22,33,0,0,-1,2.5e-4\n24,35,0,0,-1,2.5e-4\n");
    struct run by_hand =
        respond("  - {name: lap, law: contact, pairs: pairs.csv, " LAW, BY_HAND);
    struct run sets = respond("  - {name: lap, law: contact, surfaces: {from: LAPA, to: LAPB, "
                              "match: 1e-4, area: 1.5e-3}, " LAW,
                              BY_SETS);
    check_same(&sets, &by_hand, 1e-9);
    run_clear(&sets);
    run_clear(&by_hand);
}

/* A joint between the means of two sets is the axis of these weights. */
static void joints_can_end_in_sets(void)
{
    struct run sets = respond("  - {name: lap, law: jenkins, from: {set: MIDDLE, direction: "
                              "[0, 1, 0]}, to: {set: OTHER, direction: y}, stiffness: 5e6, "
                              "slip_force: 20}\n"
                              "  - {name: hold, law: linear, from: ground, to: {set: TIP, "
                              "direction: [1, 0, 1]}, stiffness: 1e4}\n",
                              BY_SETS);
    struct run by_hand = respond(
        "  - {name: lap, law: jenkins, axis: {18.y: -0.5, 20.y: -0.5, 29.y: 0.5, 31.y: 0.5}, "
        "stiffness: 5e6, slip_force: 20}\n"
        "  - {name: hold, law: linear, stiffness: 5e3, axis: {45.x: 0.25, 46.x: 0.25, 47.x: "
        "0.25, 48.x: 0.25, 45.z: 0.25, 46.z: 0.25, 47.z: 0.25, 48.z: 0.25}}\n",
        BY_HAND);
    check_same(&sets, &by_hand, 1e-9);
    run_clear(&sets);
    run_clear(&by_hand);
}

/* A point of a face in a file of pairs moves with the weights of its nodes. */
static void ends_of_pairs_can_lie_between_nodes(void)
{
    put("pairs.csv", "from,to,normal_x,normal_y,normal_z,area\n"
                     "14,25,0,0,-1,2e-4\n22,33,0,0,-1,2e-4\n24,35,0,0,-1,2e-4\n"
                     "18,29:0.25 31:0.75,0,0,-1,2e-4\n");
    struct run pairs = respond(
        "  - {name: lap, law: contact, pairs: pairs.csv, per_area: true, normal_stiffness: "
        "2e11, tangential_stiffness: 1e11, friction: 0.3, preload: 1e7}\n",
        BY_SETS);
    struct run axes = respond(
        "  - {name: a, law: contact, normal: {14.z: 1, 25.z: -1}, tangential: [{14.x: -1, "
        "25.x: "
        "1}, {14.y: -1, 25.y: 1}], normal_stiffness: 4e7, tangential_stiffness: 2e7, friction: "
        "0.3, preload: 2e3}\n"
        "  - {name: b, law: contact, normal: {22.z: 1, 33.z: -1}, tangential: [{22.x: -1, "
        "33.x: "
        "1}, {22.y: -1, 33.y: 1}], normal_stiffness: 4e7, tangential_stiffness: 2e7, friction: "
        "0.3, preload: 2e3}\n"
        "  - {name: c, law: contact, normal: {24.z: 1, 35.z: -1}, tangential: [{24.x: -1, "
        "35.x: "
        "1}, {24.y: -1, 35.y: 1}], normal_stiffness: 4e7, tangential_stiffness: 2e7, friction: "
        "0.3, preload: 2e3}\n"
        "  - {name: d, law: contact, normal: {18.z: 1, 29.z: -0.25, 31.z: -0.75}, tangential: "
        "[{18.x: -1, 29.x: 0.25, 31.x: 0.75}, {18.y: -1, 29.y: 0.25, 31.y: 0.75}], "
        "normal_stiffness: 4e7, tangential_stiffness: 2e7, friction: 0.3, preload: 2e3}\n",
        BY_HAND);
    check_same(&pairs, &axes, 1e-6);
    run_clear(&pairs);
    run_clear(&axes);
}

/* A base that moves all nodes along a vector moves each DOF by its component. */
static void directions_are_those_of_all_nodes(void)
{
    char *text = malloc(1 << 14), *at = text;
    at += sprintf(at, "loads: [{base_acceleration: 2, direction: {");
    for (int node = 5; node <= 48; node++) {
        at += sprintf(at, "%s%d.y: 0.6, %d.z: 0.8", node > 5 ? ", " : "", node, node);
    }
    sprintf(at, "}}]\noutputs: [{name: tip, dof: 45.y}]\n");
    static const char joint[] = "  - {name: lap, law: contact, surfaces: {from: LOWER, to: "
                                "UPPER, match: 1e-4}, " LAW;
    struct run by_hand = respond(joint, text);
    struct run vector = respond(joint, "loads: [{base_acceleration: 2, direction: [0, 3, 4]}]\n"
                                       "outputs: [{name: tip, dof: 45.y}]\n");
    check_same(&vector, &by_hand, 1e-9);
    run_clear(&vector);
    run_clear(&by_hand);
    free(text);
}

static const struct tap_test tests[] = {
    {"surfaces are pairs", surfaces_are_pairs},
    {"sides can be exchanged", sides_can_be_exchanged},
    {"node sets share an area", node_sets_share_an_area},
    {"joints can end in sets", joints_can_end_in_sets},
    {"ends of pairs can lie between nodes", ends_of_pairs_can_lie_between_nodes},
    {"directions are those of all nodes", directions_are_those_of_all_nodes},
};

int main(void)
{
    scratch_make(folder);
    put_deck();
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    for (const char *const *name = (const char *const[]){"lap.inp", "pairs.csv", NULL}; *name;
         name++) {
        char *path = in_folder(*name);
        remove(path);
        free(path);
    }
    remove(folder);
    return result;
}
