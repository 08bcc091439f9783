/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a mesh: refused with a place, or whatever names a node or an element names one
 * that is there, and every part of the boundary can be met. */
#include <math.h>
#include <string.h>

#include "data/mesh/mesh.h"
#include "data/mesh/mesh_patch.h"
#include "robust/fuzz.h"

const char *const fuzz_seeds[] = {
    "*NODE, NSET=ALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
    "11,0,0,1\n12,1,0,1\n13,1,1,1.D0\n14,0,1,1\n"
    "*ELEMENT, TYPE=C3D8R, ELSET=E\n1,1,2,3,4,\n5,6,7,8\n*Element,type=CPS4,elset=P\n"
    "2,11,12,13,14\n*ELEMENT, TYPE=B31, ELSET=O\n3,1,2\n"
    "*NSET,NSET=A,GENERATE\n1,8,2\n*NSET,NSET=B\nA,2,\n** comment\n4\n*NSET,NSET=C,ELSET=P\n"
    "*SURFACE,NAME=S\nE,S2\n1,S1\n*SURFACE,NAME=T,TYPE=NODE\nB\n11,1.\n*SURFACE,NAME=U\nP\n"
    "*BOUNDARY\nA,1,3\n2,2\nB,ENCASTRE\n*EQUATION\n2\n3,1,1.,4,1,-1.\n*TIE,NAME=X\nS,U\n"
    "*RIGID BODY,NSET=A,REF NODE=1\n*TRANSFORM,NSET=B\n1,0,0,0,1,0\n*STEP\n*END STEP\n",
    "*NODE\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,1,0,0\n6,2,.5,0\n7,1,1,0\n8,0,.5,0\n"
    "*ELEMENT,TYPE=CPS8,ELSET=Q\n1,1,2,3,4,5,6,7,8\n*ELEMENT,TYPE=S6,ELSET=R\n2,1,2,3,5,6,7\n"
    "*NSET,NSET=N\n1,2,3,4\n",
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"low\"\n3 2 \"body\"\n"
    "$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
    "$Elements\n4\n1 15 2 0 1 1\n2 1 2 5 1 1 2\n3 2 2 1 1 1 3 2\n4 4 2 2 1 1 2 3 4\n"
    "$EndElements\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 1 1\n1 0 0 0 1 7 \n"
    "1 0 0 0 1 1 0 1 3 0 \n1 0 0 0 1 1 1 1 4 1 1 \n$EndEntities\n$Nodes\n2 4 1 4\n"
    "2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n3 1 1 1\n4\n0 0 1 .1 .1 .1\n$EndNodes\n"
    "$Elements\n3 3 1 3\n0 1 15 1\n1 1\n2 1 2 1\n2 1 3 2\n3 1 4 1\n3 1 2 3 4\n$EndElements\n"
    "$Other\n1 2\n$EndOther\n",
    NULL,
};
const char *const fuzz_words[] = {
    "\n",
    ",",
    " ",
    "*",
    "**",
    "=",
    "1",
    "-1",
    "0",
    "2000000000",
    "99999999999",
    "1e999",
    "1e60",
    "nan",
    "S7",
    "S1",
    "A",
    "B",
    "C",
    "E",
    "GENERATE",
    "*NSET,NSET=A\nA,B\n",
    "*NODE",
    "*ELEMENT,TYPE=C3D10\n",
    "*ELEMENT,TYPE=C3D20\n",
    "*INCLUDE,INPUT=f\n",
    "*PART",
    "*SURFACE,NAME=S\n",
    "$Nodes\n",
    "$Elements\n",
    "$EndNodes\n",
    "$",
    "4.1",
    "2.2",
    "17",
    "11",
    NULL,
};
const char *const fuzz_folder = "tests/reference/fe", *const fuzz_ending = ".inp";

static void check_list(const int *list, int n, int below)
{
    for (int i = 0; i < n; i++) {
        FUZZ_DEMAND(list[i] >= 0 && list[i] < below && (i == 0 || list[i] > list[i - 1]));
    }
}

static void check_mesh(const struct mesh *mesh)
{
    FUZZ_DEMAND(mesh->n_nodes > 0);
    check_list(mesh->node_numbers, mesh->n_nodes, MESH_LARGEST_NUMBER + 1);
    check_list(mesh->element_numbers, mesh->n_elements, MESH_LARGEST_NUMBER + 1);
    for (int i = 0; i < mesh->n_nodes; i++) {
        FUZZ_DEMAND(mesh_find_node(mesh, mesh->node_numbers[i]) == i);
        FUZZ_DEMAND(isfinite(mesh->points[3 * i]));
    }
    for (int e = 0; e < mesh->n_elements; e++) {
        size_t n = (size_t)mesh_form((enum mesh_shape)mesh->shapes[e])->n_nodes;
        FUZZ_DEMAND(mesh->starts[e + 1] == mesh->starts[e] + n);
        for (size_t k = mesh->starts[e]; k < mesh->starts[e + 1]; k++) {
            FUZZ_DEMAND(mesh->nodes[k] >= 0 && mesh->nodes[k] < mesh->n_nodes);
        }
    }
    for (int i = 0; i < mesh->n_node_sets; i++) {
        check_list(mesh->node_sets[i].members, mesh->node_sets[i].n, mesh->n_nodes);
    }
    for (int i = 0; i < mesh->n_element_sets; i++) {
        check_list(mesh->element_sets[i].members, mesh->element_sets[i].n, mesh->n_elements);
    }
}

static void check_pairs(const struct mesh_patch *from, const struct mesh_patch *to)
{
    int n_pairs, n_unmatched;
    struct mesh_pair *pairs = calloc((size_t)from->n_nodes, sizeof *pairs);
    int *unmatched = calloc((size_t)from->n_nodes, sizeof *unmatched);
    FUZZ_DEMAND(pairs && unmatched);
    FUZZ_DEMAND(mesh_patch_match(from, to, 0.75, &n_pairs, pairs, &n_unmatched, unmatched,
                                 NULL) == MASING_OK);
    FUZZ_DEMAND(n_pairs + n_unmatched == from->n_nodes);
    for (int i = 0; i < n_pairs; i++) {
        double sum = 0;
        for (int k = 0; k < pairs[i].n_to; k++) {
            sum += pairs[i].weights[k];
            FUZZ_DEMAND(pairs[i].to[k] >= 0 && pairs[i].to[k] < from->mesh->n_nodes);
        }
        FUZZ_DEMAND(fabs(sum - 1) < 1e-9);
    }
    free(pairs);
    free(unmatched);
}

static void check_patches(const struct mesh *mesh)
{
    struct mesh_patch patches[8];
    struct masing_error error = {0};
    int n = 0;
    for (int i = 0; i < mesh->n_surfaces + mesh->n_node_sets && n < 8; i++) {
        const char *name = i < mesh->n_surfaces ? mesh->surfaces[i].name
                                                : mesh->node_sets[i - mesh->n_surfaces].name;
        enum masing_status status = mesh_patch_create(mesh, name, &patches[n], &error);
        FUZZ_DEMAND(status == MASING_OK || status == MASING_INVALID);
        n += status == MASING_OK ? 1 : 0;
    }
    for (int i = 0; i < n; i++) {
        check_pairs(&patches[i], &patches[(i + 1) % n]);
    }
    while (n-- > 0) {
        mesh_patch_clear(&patches[n]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mesh mesh;
    struct masing_error error = {0};
    char *text = malloc(size + 1);
    int line, column;
    FUZZ_DEMAND(text);
    if (size) {
        memcpy(text, data, size);
    }
    text[size] = 0;
    enum masing_status status = mesh_parse(text, size, "f", &mesh, &error);
    if (status == MASING_OK) {
        check_mesh(&mesh);
        check_patches(&mesh);
    } else {
        FUZZ_DEMAND(status == MASING_INVALID || status == MASING_UNSUPPORTED ||
                    status == MASING_IO || status == MASING_NO_MEMORY);
        FUZZ_DEMAND(sscanf(error.message, "f:%d:%d: ", &line, &column) == 2 && line > 0);
    }
    mesh_clear(&mesh);
    free(text);
    return 0;
}
