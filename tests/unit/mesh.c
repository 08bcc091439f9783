/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Meshes: what decks and gmsh's files say, faces of all elements, areas and normals, and what
 * is opposite to a node. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/box_tree.h"
#include "data/mesh/mesh_patch.h"
#include "scratch.h"
#include "tap.h"

static bool parse(const char *text, struct mesh *mesh)
{
    struct masing_error error = {0};
    bool is_good = CHECK(mesh_parse(text, strlen(text), "m.inp", mesh, &error) == MASING_OK);
    if (!is_good) {
        printf("# %s\n", error.message);
    }
    return is_good;
}

/* The set has the nodes of these numbers and no others. */
static bool has_nodes(const struct mesh *mesh, const struct mesh_set *set, int n,
                      const int *numbers)
{
    bool is_good = set && set->n == n;
    for (int i = 0; is_good && i < n; i++) {
        is_good = mesh->node_numbers[set->members[i]] == numbers[i];
    }
    return is_good;
}

#define NODES(mesh, name, ...)                                                                 \
    has_nodes((mesh), mesh_find_node_set((mesh), (name)),                                      \
              (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)), (const int[]){__VA_ARGS__})

#define BRICK                                                                                  \
    "*Heading\n a brick, and 1, 2, 3\n** a comment\n*NODE, nset=ALL\n"                         \
    "10, 0., 0., 0.\n20, 2, 0, 0\n30, 2, 1.0D0, 0\n40, 0, 1,\n"                                \
    "50, 0, 0, 1e0\r\n60, 2, 0, 1\n\n70, 2, 1, +1\n80, 0, 1, 10.E-1\n"                         \
    "*Element, Type = C3D8I,\n Elset = Body\n5, 10, 20, 30, 40,\n50, 60, 70, 80\n"

static void decks_of_all_keywords_are_read(void)
{
    struct mesh mesh;
    if (!parse(BRICK
               "*ELEMENT,TYPE=CPS4,ELSET=SKIN\n6,50,60,70,80\n"
               "*ELEMENT,TYPE=MASS,ELSET=LUMP\n9,10\n"
               "*NSET, NSET=\"Low side\"\n10,20,\n30\n40,\n*NSET,NSET=odd,GENERATE\n"
               "10,70,20\n*NSET,NSET=BOTH\nODD, Low side, 80\n*nset,nset=both\n60\n"
               "*NSET,NSET=OFSKIN,ELSET=SKIN\n*ELSET,ELSET=MIX\nBODY,6\n"
               "*SURFACE,NAME=UP\nBODY,S2\n*SURFACE, NAME=ENDS, TYPE=ELEMENT\n5,s4\n5,S6\n"
               "*SURFACE,NAME=POINTS,TYPE=NODE\nodd\n20,1.\n*SURFACE,NAME=SHELL\nSKIN,SPOS\n"
               "*MATERIAL,NAME=M\n*ELASTIC\n2e11,.3\n*BOUNDARY\nLOW SIDE,1,2\n10,3,3,0.\n"
               "20,PINNED\n*EQUATION\n2\n50,3,1.,60,3,-1.\n3\n60,1,1.,70,1,2.\n80,1,1.\n"
               "*RIGID BODY,NSET=ODD,REF NODE=10\n*TRANSFORM,NSET=BOTH\n1,0,0,0,1,0\n"
               "*STEP\n*NODE FILE\nU\n*END STEP\n",
               &mesh)) {
        return;
    }
    CHECK(mesh.n_nodes == 8 && mesh.n_elements == 3 && mesh.n_surfaces == 4);
    CHECK(NODES(&mesh, "all", 10, 20, 30, 40, 50, 60, 70, 80));
    CHECK(NODES(&mesh, "LOW SIDE", 10, 20, 30, 40) && NODES(&mesh, "Odd", 10, 30, 50, 70));
    CHECK(NODES(&mesh, "BOTH", 10, 20, 30, 40, 50, 60, 70, 80));
    CHECK(NODES(&mesh, "OFSKIN", 50, 60, 70, 80));
    CHECK(mesh.points[3 * mesh_find_node(&mesh, 30) + 1] == 1);
    CHECK(mesh.points[3 * mesh_find_node(&mesh, 80) + 2] == 1);
    CHECK(mesh_find_node(&mesh, 45) == -1 && mesh_find_node(&mesh, 5000000) == -1);
    CHECK(mesh_find_element_set(&mesh, "mix")->n == 2);
    CHECK(mesh_find_surface(&mesh, "ends")->n_faces == 2);
    CHECK(mesh_find_surface(&mesh, "points")->n_nodes == 5);
    CHECK(mesh.states[mesh_find_node(&mesh, 10)].held == 7);
    CHECK(mesh.states[mesh_find_node(&mesh, 40)].held == 3);
    CHECK(mesh.states[mesh_find_node(&mesh, 20)].held == 7);
    CHECK(mesh.states[mesh_find_node(&mesh, 60)].dependent == 1);
    CHECK(mesh.states[mesh_find_node(&mesh, 80)].dependent == 0);
    CHECK(mesh.states[mesh_find_node(&mesh, 50)].dependent == 7);
    CHECK(mesh.states[mesh_find_node(&mesh, 80)].is_turned);
    CHECK_RELATIVE(mesh_extent(&mesh), 2, 1e-15);
    mesh_clear(&mesh);
}

static void included_files_go_on(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16], inner[SCRATCH_PATH + 16];
    struct mesh mesh;
    struct masing_error error = {0};
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/a.inp", folder);
    snprintf(inner, sizeof inner, "%s/b.inc", folder);
    FILE *stream = fopen(file, "w");
    fputs("*NODE\n1,0,0,0\n*INCLUDE, INPUT=b.inc\n3,0,0,3\n", stream);
    fclose(stream);
    stream = fopen(inner, "w");
    fputs("2,0,0,2\n", stream);
    fclose(stream);
    CHECK(mesh_read(file, &mesh, &error) == MASING_OK);
    CHECK(mesh.n_nodes == 3 && mesh.n_files == 2 && strcmp(mesh.files[1], inner) == 0);
    mesh_clear(&mesh);
    stream = fopen(inner, "w");
    fputs("2,0,x,2\n", stream);
    fclose(stream);
    CHECK(mesh_read(file, &mesh, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "b.inc:1:5: coordinate: 'x' is not a number"));
    remove(inner);
    error = (struct masing_error){0};
    CHECK(mesh_read(file, &mesh, &error) == MASING_IO);
    CHECK(strstr(error.message, "a.inp:3:1: *INCLUDE: "));
    remove(file);
    remove(folder);
}

static void wrong_decks_are_refused_with_their_place(void)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"*HEADING\nnothing\n", "m.inp:1:1: the file has no nodes"},
        {"*NODE\n1,0,0\n1,0,1\n", "m.inp:3:1: node 1 stands here again, at another place"},
        {"*NODE\n1.5,0,0\n", "m.inp:2:1: node: expected a whole number"},
        {"*NODE\n1,0,0,1e99\n", "m.inp:2:1: node 1: a coordinate beyond 1e+60"},
        {"*NODE,SYSTEM=C\n1,0,0\n", "m.inp:1:1: *NODE: coordinates that are not rectangular"},
        {BRICK "*ELEMENT,TYPE=C3D4\n7,10,20,30,90\n",
         "m.inp:19:1: element 7 has node 90, which the mesh does not have"},
        {BRICK "*ELEMENT,TYPE=C3D4\n7,10,20,30\n*NSET,NSET=A\n",
         "m.inp:20:1: element 7: expected 4 nodes, found 3"},
        {BRICK "*ELEMENT,TYPE=C3D4\n7,10,20,30,40,50\n",
         "m.inp:19:15: element 7: more than its 4 nodes"},
        {BRICK "*ELEMENT\n", "m.inp:18:1: *ELEMENT: expected TYPE=NAME"},
        {BRICK "*NSET\n1\n", "m.inp:18:1: *NSET: expected NSET=NAME"},
        {BRICK "*NSET,NSET=A\n10,\n11\n", "m.inp:20:1: 'A': the mesh has no node 11"},
        {BRICK "*NSET,NSET=A\n10, B\n", "m.inp:19:5: no node set 'B' stands above this line"},
        {BRICK "*NSET,NSET=A,GENERATE\n10\n", "m.inp:19:1: GENERATE: expected 'first, last"},
        {BRICK "*SURFACE,NAME=A\nBODY,S7\n",
         "m.inp:19:6: expected a face S1 to S6, found 'S7'"},
        {BRICK "*SURFACE,NAME=A\nBODY\n",
         "m.inp:19:1: surface 'A': element 5 has the faces S1 to S6"},
        {BRICK "*SURFACE,NAME=A\nBODI,S1\n", "m.inp:19:1: no element set 'BODI'"},
        {BRICK "*INCLUDE\n", "m.inp:18:1: *INCLUDE: expected INPUT=FILE"},
        {BRICK "*BOUNDARY\n10\n", "m.inp:19:1: *BOUNDARY: expected 'node, first, last'"},
        {"*Part, name=P\n",
         "m.inp:1:1: *Part: decks of parts and assemblies are not supported"},
        {"*NODE\n1\n*NGEN\n1,2\n", "m.inp:3:1: *NGEN: nodes and elements that the program gen"},
        {"$MeshFormat\n2.2 1 8\n$EndMeshFormat\n",
         "m.inp:2:1: gmsh's format 2.2 in binary is not supported: expected 2.2 or 4.1 in "
         "ASCII"},
        {"$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "m.inp:2:1: gmsh's format 4.0 is not"},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n",
         "m.inp:6:1: expected the number of a node: the file is cut short"},
        {"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n1 99 0 1\n",
         "m.inp:6:1: elements of gmsh's type 99 are not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mesh mesh;
        struct masing_error error = {0};
        enum masing_status status =
            mesh_parse(cases[i].text, strlen(cases[i].text), "m.inp", &mesh, &error);
        if (!CHECK(status != MASING_OK &&
                   strncmp(error.message, cases[i].expected, strlen(cases[i].expected)) == 0)) {
            printf("# expected %s\n# got %s\n", cases[i].expected, error.message);
        }
        mesh_clear(&mesh);
    }
}

/* --- gmsh --------------------------------------------------------------------------------- */

static const double corners[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {0, 1, 1}};

/* Edges in gmsh's order (documentation of gmsh, "Node ordering") */
struct gmsh_element {
    int type, n_corners, n_edges;
    int corners[8], edges[12][2];
    enum mesh_shape shape;
};

static const struct gmsh_element gmsh_elements[] = {
    {11,
     4,
     6,
     {0, 1, 2, 4},
     {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}},
     MESH_TETRAHEDRON_10},
    {17,
     8,
     12,
     {0, 1, 2, 3, 4, 5, 6, 7},
     {{0, 1},
      {0, 3},
      {0, 4},
      {1, 2},
      {1, 5},
      {2, 3},
      {2, 6},
      {3, 7},
      {4, 5},
      {4, 7},
      {5, 6},
      {6, 7}},
     MESH_HEXAHEDRON_20},
    {18,
     6,
     9,
     {0, 1, 2, 4, 5, 6},
     {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}},
     MESH_WEDGE_15},
};

/* One element in format 2.2, middles of its edges at their middles */
static void write_element(const struct gmsh_element *element, char *text)
{
    int n = element->n_corners + element->n_edges;
    char *at = text;
    at += sprintf(at, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", n);
    for (int i = 0; i < n; i++) {
        const int *edge =
            i < element->n_corners ? NULL : element->edges[i - element->n_corners];
        const double *a = corners[element->corners[edge ? edge[0] : i]];
        const double *b = corners[element->corners[edge ? edge[1] : i]];
        at += sprintf(at, "%d %g %g %g\n", i + 1, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2,
                      (a[2] + b[2]) / 2);
    }
    at += sprintf(at, "$EndNodes\n$Elements\n1\n1 %d 2 4 1", element->type);
    for (int i = 0; i < n; i++) {
        at += sprintf(at, " %d", i + 1);
    }
    sprintf(at, "\n$EndElements\n");
}

/* The middle of each edge of each face lies between its corners, and the faces close. */
static void check_faces(const struct mesh *mesh)
{
    const struct mesh_form *form = mesh_form((enum mesh_shape)mesh->shapes[0]);
    double sum[3] = {0}, points[3 * MESH_FACE_NODES], areas[MESH_FACE_NODES];
    double vectors[3 * MESH_FACE_NODES];
    for (int f = 0; f < form->n_faces; f++) {
        int nodes[MESH_FACE_NODES];
        enum mesh_shape shape = mesh_face_nodes(mesh, (struct mesh_face){0, f}, nodes);
        int n = mesh_form(shape)->n_nodes, n_corners = mesh_form(shape)->n_corners;
        for (int i = 0; i < n; i++) {
            memcpy(points + 3 * i, mesh->points + 3 * nodes[i], 3 * sizeof *points);
        }
        for (int i = n_corners; i < n; i++) {
            int a = i - n_corners, b = (a + 1) % n_corners;
            for (int k = 0; k < 3; k++) {
                double middle = (points[3 * a + k] + points[3 * b + k]) / 2;
                CHECK(points[3 * i + k] == middle);
            }
        }
        mesh_face_shares(shape, points, areas, vectors);
        for (int i = 0; i < n; i++) {
            CHECK(areas[i] > 0);
            for (int k = 0; k < 3; k++) {
                sum[k] += vectors[3 * i + k];
            }
        }
    }
    CHECK(fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) < 1e-14);
}

static void elements_of_gmsh_get_the_order_of_decks(void)
{
    for (size_t i = 0; i < sizeof gmsh_elements / sizeof *gmsh_elements; i++) {
        char text[4096];
        struct mesh mesh;
        write_element(&gmsh_elements[i], text);
        if (parse(text, &mesh)) {
            CHECK(mesh.shapes[0] == gmsh_elements[i].shape);
            check_faces(&mesh);
            CHECK(mesh_find_node_set(&mesh, "PhysicalVolume4")->n == mesh.n_nodes);
            mesh_clear(&mesh);
        }
    }
}

static void linear_elements_have_closed_faces(void)
{
    struct mesh mesh;
    static const char *const lines[] = {"C3D8\n1,1,2,3,4,5,6,7,8\n", "C3D4\n1,1,2,3,5\n",
                                        "C3D6\n1,1,2,3,5,6,7\n"};
    for (int i = 0; i < 3; i++) {
        char text[1024], *at = text + sprintf(text, "*NODE\n");
        for (int k = 0; k < 8; k++) {
            at += sprintf(at, "%d,%g,%g,%g\n", k + 1, corners[k][0], corners[k][1],
                          corners[k][2]);
        }
        sprintf(at, "*ELEMENT,TYPE=%s", lines[i]);
        if (parse(text, &mesh)) {
            check_faces(&mesh);
            mesh_clear(&mesh);
        }
    }
}

#define OLD_HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NEW_HEAD "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NAMES                                                                                  \
    "$PhysicalNames\n3\n1 5 \"edge\"\n2 1 \"low side\"\n3 2 \"body\"\n$EndPhysicalNames\n"

static void check_groups(const char *text)
{
    struct mesh mesh;
    struct mesh_patch patch = {0};
    if (!parse(text, &mesh)) {
        return;
    }
    CHECK(mesh.n_nodes == 5 && mesh.n_elements == 3);
    CHECK(NODES(&mesh, "edge", 1, 2) && NODES(&mesh, "low side", 1, 2, 3));
    CHECK(NODES(&mesh, "body", 1, 2, 3, 4));
    CHECK(mesh.shapes[0] == MESH_OTHER && mesh.shapes[2] == MESH_TETRAHEDRON_4);
    /* the plane element takes its normal from the body */
    struct masing_error error = {0};
    if (CHECK(mesh_patch_create(&mesh, "LOW SIDE", &patch, &error) == MASING_OK)) {
        CHECK(patch.has_areas && patch.n_nodes == 3 && patch.n_faces == 1);
        CHECK_RELATIVE(patch.areas[0] + patch.areas[1] + patch.areas[2], 1, 1e-15);
        CHECK(patch.normals[2] == -1 && patch.normals[5] == -1 && patch.normals[0] == 0);
        mesh_patch_clear(&patch);
    }
    mesh_clear(&mesh);
}

static void physical_groups_are_sets(void)
{
    check_groups(OLD_HEAD NAMES
                 "$Nodes\n5\n1 0 0 0\n2 2 0 0\n3 0 1 0\n4 0 0 1\n9 5 5 5\n$EndNodes\n"
                 "$Elements\n3\n1 1 2 5 1 1 2\n2 2 3 1 1 7 1 2 3\n3 4 2 2 1 1 2 3 4\n"
                 "$EndElements\n$NodeData\n1\n\"x\"\n$EndNodeData\n");
    check_groups(NEW_HEAD NAMES
                 "$Entities\n1 1 1 1\n1 0 0 0 0\n7 0 0 0 2 0 0 1 5 2 1 -1\n"
                 "3 0 0 0 2 1 0 1 1 0\n4 0 0 0 2 1 1 1 2 1 3\n$EndEntities\n"
                 "$Nodes\n3 5 1 9\n1 7 1 2\n1\n2\n0 0 0 0.\n2 0 0 1.\n2 3 0 1\n3\n0 1 0\n"
                 "3 4 0 2\n4\n9\n0 0 1\n5 5 5\n$EndNodes\n"
                 "$Elements\n3 3 1 3\n1 7 1 1\n1 1 2\n2 3 2 1\n2 1 2 3\n3 4 4 1\n3 1 2 3 4\n"
                 "$EndElements\n");
}

/* --- areas, normals, opposite points ------------------------------------------------------ */

/* A face of 3, 4, 6 or 8 nodes in a plane, of a known area */
static void areas_sum_to_the_area(void)
{
    static const double points[4][24] = {
        {0, 0, 0, 4, 0, 0, 1, 3, 0},
        {0, 0, 0, 4, 0, 0, 5, 3, 0, 0, 2, 0}, /* a general quadrangle */
        {0, 0, 0, 4, 0, 0, 1, 3, 0, 2, 0, 0, 2.5, 1.5, 0, 0.5, 1.5, 0},
        {0, 0, 0, 4, 0, 0, 5, 3, 0, 0, 2, 0, 2, 0, 0, 4.5, 1.5, 0, 2.5, 2.5, 0, 0, 1, 0},
    };
    static const double expected[] = {6, 11, 6, 11};
    static const enum mesh_shape shapes[] = {MESH_TRIANGLE_3, MESH_QUADRANGLE_4,
                                             MESH_TRIANGLE_6, MESH_QUADRANGLE_8};
    for (int i = 0; i < 4; i++) {
        double areas[MESH_FACE_NODES], vectors[3 * MESH_FACE_NODES], sum = 0, vector = 0;
        mesh_face_shares(shapes[i], points[i], areas, vectors);
        for (int k = 0; k < mesh_form(shapes[i])->n_nodes; k++) {
            CHECK(areas[k] > 0);
            sum += areas[k];
            vector += vectors[3 * k + 2];
        }
        CHECK_RELATIVE(sum, expected[i], 1e-14);
        CHECK_RELATIVE(vector, expected[i], 1e-14);
    }
}

/* Points off a face, bent ones too: the weights reproduce the nearest point. */
static void faces_are_met_by_their_shape_functions(void)
{
    static const double flat[] = {0, 0, 0, 4,   0,   0, 5,   3,   0, 0, 2, 0,
                                  2, 0, 0, 4.5, 1.5, 0, 2.5, 2.5, 0, 0, 1, 0};
    static const double triangle[] = {0, 0, 0, 4,   0,   0, 1,   3,   0,
                                      2, 0, 0, 2.5, 1.5, 0, 0.5, 1.5, 0};
    static const struct {
        enum mesh_shape shape;
        const double *points;
        double point[3], nearest[3];
    } cases[] = {
        {MESH_QUADRANGLE_4, flat, {1.3, 1.1, 0.2}, {1.3, 1.1, 0}},
        {MESH_QUADRANGLE_8, flat, {1.3, 1.1, -0.2}, {1.3, 1.1, 0}},
        {MESH_TRIANGLE_3, triangle, {1.3, 0.9, 0.2}, {1.3, 0.9, 0}},
        {MESH_TRIANGLE_6, triangle, {1.3, 0.9, 0.2}, {1.3, 0.9, 0}},
        {MESH_QUADRANGLE_4, flat, {2, -0.3, 0.4}, {2, 0, 0}},
        {MESH_QUADRANGLE_8, flat, {-1, -1, 0}, {0, 0, 0}},
        {MESH_TRIANGLE_6, triangle, {4, 2, 0}, {3, 1, 0}},
        {MESH_TRIANGLE_3, triangle, {1, 5, 1}, {1, 3, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double weights[MESH_FACE_NODES], sum = 0, square = 0;
        double found =
            mesh_face_nearest(cases[i].shape, cases[i].points, cases[i].point, weights);
        for (int n = 0; n < mesh_form(cases[i].shape)->n_nodes; n++) {
            sum += weights[n];
        }
        CHECK_RELATIVE(sum, 1, 1e-13);
        for (int k = 0; k < 3; k++) {
            double at = 0;
            for (int n = 0; n < mesh_form(cases[i].shape)->n_nodes; n++) {
                at += weights[n] * cases[i].points[3 * n + k];
            }
            CHECK_SCALED(at, cases[i].nearest[k], 1, 1e-9);
            square += pow(cases[i].point[k] - cases[i].nearest[k], 2);
        }
        CHECK_SCALED(found, square, 1, 1e-9);
    }
}

/* Two layers of bricks; the upper one stands on the lower one and is split otherwise. */
static char *two_layers(void)
{
    char *text = malloc(1 << 14), *at = text + sprintf(text, "*NODE\n");
    static const double x[2][4] = {{0, 1, 3, 0}, {0, 1, 1.5, 3}};
    static const int n_x[2] = {3, 4};
    for (int layer = 0; layer < 2; layer++) {
        for (int i = 0; i < n_x[layer] * 4; i++) {
            at += sprintf(at, "%d,%g,%g,%g\n", 100 * layer + i + 1, x[layer][i / 4],
                          (double)(i / 2 % 2), layer + (double)(i % 2));
        }
    }
    at += sprintf(at, "*ELEMENT,TYPE=C3D8,ELSET=LOW\n");
    for (int layer = 0; layer < 2; layer++) {
        for (int e = 0; e + 1 < n_x[layer]; e++) {
            int a = 100 * layer + 4 * e + 1;
            at +=
                sprintf(at, "%s%d,%d,%d,%d,%d,%d,%d,%d,%d\n",
                        layer && !e ? "*ELEMENT,TYPE=C3D8,ELSET=HIGH\n" : "",
                        10 * layer + e + 1, a, a + 4, a + 6, a + 2, a + 1, a + 5, a + 7, a + 3);
        }
    }
    sprintf(at, "*SURFACE,NAME=TOP\nLOW,S2\n*SURFACE,NAME=BOTTOM\nHIGH,S1\n"
                "*NSET,NSET=TOPNODES\n2,4,6,8,10,12\n*NSET,NSET=LINE\n2,6\n"
                "*NSET,NSET=BLOCK,ELSET=LOW\n");
    return text;
}

static void nodes_meet_nodes_and_faces(void)
{
    char *text = two_layers();
    struct mesh mesh;
    struct mesh_patch top = {0}, bottom = {0}, nodes = {0}, line = {0}, block = {0};
    struct mesh_pair pairs[8];
    int n_pairs = 0, n_unmatched = 0, unmatched[8];
    if (parse(text, &mesh) && CHECK(!mesh_patch_create(&mesh, "TOP", &top, NULL)) &&
        CHECK(!mesh_patch_create(&mesh, "BOTTOM", &bottom, NULL)) &&
        CHECK(!mesh_patch_create(&mesh, "TOPNODES", &nodes, NULL)) &&
        CHECK(!mesh_patch_create(&mesh, "LINE", &line, NULL)) &&
        CHECK(!mesh_patch_create(&mesh, "BLOCK", &block, NULL))) {
        CHECK(top.n_nodes == 6 && top.n_faces == 2 && top.has_areas);
        for (int i = 0; i < 6; i++) {
            CHECK(top.normals[3 * i + 2] == 1 && nodes.normals[3 * i + 2] == 1);
        }
        for (int i = 0; i < 8; i++) {
            CHECK(bottom.normals[3 * i + 2] == -1);
        }
        CHECK_RELATIVE(top.areas[0], 0.25, 1e-14);
        CHECK_RELATIVE(top.areas[2], 0.75, 1e-14);
        CHECK(!nodes.has_areas && nodes.n_faces == 2 && line.n_faces == 0);
        CHECK(line.normals[0] == 0 && line.normals[1] == 0 && line.normals[2] == 0);
        CHECK(block.n_faces == 10); /* not the one inside */
        CHECK(!mesh_patch_match(&bottom, &top, 1e-6, &n_pairs, pairs, &n_unmatched, unmatched,
                                NULL));
        CHECK(n_pairs == 8 && n_unmatched == 0);
        /* the nodes at x = 1.5 lie on the second face, a quarter behind x = 1 */
        CHECK(pairs[0].n_to == 1 && mesh.node_numbers[pairs[0].to[0]] == 2);
        CHECK(pairs[4].n_to == 2);
        for (int k = 0; k < pairs[4].n_to; k++) {
            int number = mesh.node_numbers[pairs[4].to[k]];
            CHECK(number == 6 || number == 10);
            CHECK_RELATIVE(pairs[4].weights[k], number == 6 ? 0.75 : 0.25, 1e-12);
        }
        /* a node within the distance comes before a face that is nearer */
        CHECK(!mesh_patch_match(&bottom, &top, 0.6, &n_pairs, pairs, &n_unmatched, unmatched,
                                NULL));
        CHECK(pairs[4].n_to == 1 && mesh.node_numbers[pairs[4].to[0]] == 6);
        CHECK(!mesh_patch_match(&top, &line, 1e-6, &n_pairs, pairs, &n_unmatched, unmatched,
                                NULL));
        CHECK(n_pairs == 2 && n_unmatched == 4 && unmatched[0] == 1);
    }
    mesh_patch_clear(&top);
    mesh_patch_clear(&bottom);
    mesh_patch_clear(&nodes);
    mesh_patch_clear(&line);
    mesh_patch_clear(&block);
    mesh_clear(&mesh);
    free(text);
}

/* --- the search --------------------------------------------------------------------------- */

static double distance_to(const void *context, int item, const double point[3])
{
    const struct box *box = (const struct box *)context + item;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        square += pow(box->low[k] - point[k], 2);
    }
    return square;
}

static void the_tree_finds_what_a_walk_finds(void)
{
    enum { N = 500 };
    static struct box boxes[N];
    struct box_tree tree;
    unsigned state = 7;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) {
            state = state * 1103515245u + 12345u;
            boxes[i].low[k] = boxes[i].high[k] = (double)(state >> 16 & 31); /* with ties */
        }
    }
    for (int n = 0; n <= N; n = n < 20 ? n + 1 : n + 120) {
        CHECK(box_tree_create(boxes, n, &tree));
        for (int q = 0; q < 200; q++) {
            double point[3], square = 40, least = 40;
            int expected = -1;
            for (int k = 0; k < 3; k++) {
                state = state * 1103515245u + 12345u;
                point[k] = (double)(state >> 16 & 63) * 0.5;
            }
            for (int i = 0; i < n; i++) {
                double own = distance_to(boxes, i, point);
                if (own < least || (own == least && expected < 0)) {
                    least = own;
                    expected = i;
                }
            }
            CHECK(box_tree_nearest(&tree, point, distance_to, boxes, &square) == expected);
            CHECK(square == least);
        }
        box_tree_clear(&tree);
    }
}

static const struct tap_test tests[] = {
    {"decks of all keywords are read", decks_of_all_keywords_are_read},
    {"included files go on", included_files_go_on},
    {"wrong decks are refused with their place", wrong_decks_are_refused_with_their_place},
    {"elements of gmsh get the order of decks", elements_of_gmsh_get_the_order_of_decks},
    {"linear elements have closed faces", linear_elements_have_closed_faces},
    {"physical groups are sets", physical_groups_are_sets},
    {"areas sum to the area", areas_sum_to_the_area},
    {"faces are met by their shape functions", faces_are_met_by_their_shape_functions},
    {"nodes meet nodes and faces", nodes_meet_nodes_and_faces},
    {"the tree finds what a walk finds", the_tree_finds_what_a_walk_finds},
};

TAP_MAIN(tests)
