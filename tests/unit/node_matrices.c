/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matrices of finite element programs: one structure of three DOFs in every format, and what is
 * wrong with files that are refused.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/matrices/abaqus.h"
#include "data/matrices/calculix.h"
#include "data/matrices/nastran.h"
#include "scratch.h"
#include "tap.h"

enum program { CALCULIX, ABAQUS, NASTRAN };

static char folder[SCRATCH_PATH];

static void put(const char *name, const char *text)
{
    char path[SCRATCH_PATH + 16];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        fputs(text, file);
        fclose(file);
    }
}

/* mass NULL: the same file; names NULL: none */
static enum masing_status read_texts(enum program program, const char *stiffness,
                                     const char *mass, const char *const *names,
                                     struct node_matrices *matrices, struct masing_error *error)
{
    char k[SCRATCH_PATH + 16], m[SCRATCH_PATH + 16], d[SCRATCH_PATH + 16];
    snprintf(k, sizeof k, "%s/k", folder);
    snprintf(m, sizeof m, "%s/%s", folder, mass ? "m" : "k");
    snprintf(d, sizeof d, "%s/d", folder);
    put("k", stiffness);
    if (mass) {
        put("m", mass);
    }
    put("d", "3.1\n3.3\n7.1\n");
    const struct nastran_source sources[] = {{k, names ? names[0] : NULL},
                                             {m, names ? names[1] : NULL}};
    enum masing_status status = program == CALCULIX ? calculix_read(d, k, m, matrices, error)
                                : program == ABAQUS
                                    ? abaqus_read(k, m, matrices, error)
                                    : nastran_read(&sources[0], &sources[1], matrices, error);
    remove(k);
    remove(d);
    if (mass) {
        remove(m);
    }
    return status;
}

/* ---- one structure in every format ---- */

static const double stiffness_values[3][3] = {{40, 1, -10}, {1, 50, 0}, {-10, 0, 20}};
static const double mass_values[3][3] = {{1, 0, 0.25}, {0, 2, 0}, {0.25, 0, 3}};

static bool holds(const struct masing_sparse *sparse, const double values[3][3])
{
    double a[9];
    if (sparse->n != 3) {
        return false;
    }
    sparse_expand(sparse, a);
    for (int i = 0; i < 9; i++) {
        if (fabs(a[i] - values[i / 3][i % 3]) > 1e-14 * fabs(values[i / 3][i % 3])) {
            return false;
        }
    }
    return true;
}

#define ELEMENT                                                                                \
    "**\n** GENERATION OF SUBSTRUCTURE\n*User Element, Nodes=  2,Linear\n** ELEMENT NODES\n"   \
    "**         3,         7,\n         1,         3\n         2,         1\n"
/* a node a row, as CalculiX has it */
#define ROWS                                                                                   \
    "*USER ELEMENT,NODES=          3,LINEAR\n** ELEMENT NODES\n**        3,        3,\n"       \
    "**        7,\n         1\n         2,         3\n         3,         1\n"
#define DMIG_HEADERS                                                                           \
    "$TITLE\nPARAM   POST    0\nDMIG    KAAX           0       6       2       0\n"
#define DMIG_STIFFNESS                                                                         \
    "DMIG*   KAAX                           3               1\n"                               \
    "*                      3               1 4.000000000D+01\n"                               \
    "*                      3               3 1.000000000D+00\n"                               \
    "*                      7               1-1.000000000D+01\n"                               \
    "DMIG*   KAAX                           3               3\n"                               \
    "*                      3               3 5.000000000D+01\n"                               \
    "DMIG*   KAAX                           7               1\n"                               \
    "*                      7               1 2.000000000D+01\n"
#define DMIG_MASS                                                                              \
    "DMIG    MAAX    0       6       2       0                               3\n"              \
    "DMIG    MAAX    3       1               3       1       1.\n"                             \
    "        7       1       .25\n"                                                            \
    "DMIG    MAAX    3       3               3       3       2.\n"                             \
    "DMIG    MAAX    7       1               7       1       3.\n"
#define DMIG_FREE                                                                              \
    "DMIG,MAAX,0,1,2\nDMIG,MAAX,3,1,,3,1,1.\n+,7,1,2.5-1\nDMIG,MAAX,3,3,,3,3,2.+0\n"           \
    "DMIG,MAAX,7,1,,3,1,.25,,+\n+,7,1,3.\n"

static const char output4_dense[] =
    "       3       3       6       2KAA     1P,3E23.16\n"
    "       1       1       6\n"
    " 4.0000000000000000E+01 1.0000000000000000E+00-1.0000000000000000E+01\n"
    "       2       1       4\n"
    " 1.0000000000000000E+00 5.0000000000000000E+01\n"
    "       3       1       6\n"
    "-1.0000000000000000E+01 0.0000000000000000E+00 2.0000000000000000E+01\n"
    "       4       1       2\n 1.0000000000000000E+00\n";
/* single precision, strings with long headers, wide integers */
static const char output4_big[] =
    "               3              -3               6               1MAA     1P,2E12.4\n"
    "               1               0               6\n"
    "               2               1\n  1.0000E+00\n"
    "               2               3\n  2.5000E-01\n"
    "               2               0               3\n"
    "               2               2\n  2.0000E+00\n"
    "               3               0               6\n"
    "               2               1\n  2.5000E-01\n"
    "               2               3\n  3.0000E+00\n"
    "               4               1               1\n  1.0000E+00\n";
/* one integer before each string: row + 65536 (words + 1) */
static const char output4_small[] =
    "       3       3       6       2KAA1P,3D23.16\n" /* the name touches the format */
    "       1       0       7\n"
    "  458753\n" /* 1 + 65536 * 7 */
    " 4.0000000000000000D+01 1.0000000000000000D+00-1.0000000000000000D+01\n"
    "       2       1       4\n"
    " 1.0000000000000000D+00 5.0000000000000000D+01\n"
    "       3       0       6\n"
    "  196609\n-1.0000000000000000D+01\n"
    "  196611\n 2.0000000000000000D+01\n"
    "       4       1       2\n 1.0000000000000000D+00\n";

static const struct {
    const char *what;
    enum program program;
    bool has_rows; /* which have numbers only */
    const char *stiffness, *mass, *names[2];
} good[] = {
    {"CalculiX",
     CALCULIX,
     false,
     "1 1  4.0000000000000e+01\n1 2  1.0e+00\n2 2 50\n1 3 -10\n3 3 20\n",
     "1 1 1\n1 2 0.0000000000000e+00\n2 2 2\n1 3 .25\n3 3 3\n",
     {NULL}},
    {"MATRIX INPUT",
     ABAQUS,
     false,
     "** a comment\n3,1, 3,1,  4.000000000000000e+01\n3,3, 3,1, 1\n3,3, 3,3, 50.\n"
     "7,1, 3,1, -1.e+01\n7,1, 7,1, 20\n",
     "7,1, 7,1, 3\n3,1, 7,1, .25\n3,1, 3,1, 1\n3,3, 3,3, 2\n",
     {NULL}},
    {"MATRIX INPUT with both triangles",
     ABAQUS,
     false,
     "3,1,3,1,40\n3,3,3,1,1\n3,1,3,3,1\n3,3,3,3,50\n7,1,3,1,-10\n3,1,7,1,-10\n7,1,7,1,20\n",
     "7,1,7,1,3\n3,1,7,1,.25\n3,1,3,1,1\n3,3,3,3,2\n",
     {NULL}},
    {"MATRIX INPUT with a DOF that is held",
     ABAQUS,
     false,
     "1,1,1,1,1.000000000000000e+36\n3,1,1,1,-30\n3,1,3,1,40\n3,3,3,1,1\n3,3,3,3,50\n"
     "7,1,3,1,-10\n7,1,7,1,20\n",
     "1,1,1,1,1\n3,1,1,1,.1\n7,1,7,1,3\n3,1,7,1,.25\n3,1,3,1,1\n3,3,3,3,2\n",
     {NULL}},
    {"COORDINATE",
     ABAQUS,
     true,
     "1  1  40\n2  1  1.\n2  2  50\n3  1  -10\n3  3  20\n",
     "1  1  1\n2  2  2\n3  1  .25\n3  3  3\n",
     {NULL}},
    {"a substructure by rows, upper triangle",
     ABAQUS,
     false,
     ROWS
     "*MATRIX,TYPE=STIFFNESS\n 40.,\n 1., 50.\n-10.,0., 20.\n*MATRIX,TYPE=MASS\n1.\n0.,2.\n"
     ".25,0.,3.\n",
     NULL,
     {NULL}},
    {"a substructure by nodes, lower triangle",
     ABAQUS,
     false,
     ELEMENT "*Matrix, type=Stiffness\n 40., 1.,\n-10.,\n50., 0.\n20.\n*Matrix, type=Mass\n"
             "1., 0., .25\n2., 0.\n3.\n",
     NULL,
     {NULL}},
    {"DMIG in large fields, small ones and between commas",
     NASTRAN,
     false,
     DMIG_HEADERS DMIG_STIFFNESS,
     DMIG_MASS,
     {NULL}},
    {"DMIG between commas", NASTRAN, false, DMIG_HEADERS DMIG_STIFFNESS, DMIG_FREE, {NULL}},
    {"DMIG in one file",
     NASTRAN,
     false,
     DMIG_HEADERS DMIG_MASS DMIG_STIFFNESS,
     NULL,
     {"kaax", "MAAX"}},
    {"OUTPUT4", NASTRAN, true, output4_dense, output4_big, {NULL}},
    {"OUTPUT4 of short strings", NASTRAN, true, output4_small, output4_big, {"KAA", NULL}},
};

static void every_format_gives_the_same_matrices(void)
{
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct node_matrices matrices;
        struct masing_error error = {0};
        char text[NODE_DOF_TEXT];
        enum masing_status status = read_texts(good[i].program, good[i].stiffness, good[i].mass,
                                               good[i].names, &matrices, &error);
        bool is_good = CHECK(status == MASING_OK && matrices.n == 3);
        if (is_good) {
            static const struct node_dof dofs[] = {{3, 1}, {3, 3}, {7, 1}};
            is_good = CHECK(holds(&matrices.stiffness, stiffness_values)) &&
                      CHECK(holds(&matrices.mass, mass_values)) &&
                      CHECK((matrices.n_rows == 3) == good[i].has_rows);
            for (int d = 0; d < 3; d++) {
                struct node_dof expected = dofs[d];
                expected = good[i].has_rows ? (struct node_dof){d + 1, 0} : expected;
                CHECK(matrices.dofs[d].node == expected.node);
                CHECK(matrices.dofs[d].direction == expected.direction);
            }
            CHECK(
                !strcmp(node_dof_text(matrices.dofs[1], text), good[i].has_rows ? "2" : "3.z"));
            CHECK(matrices.n_held == (strstr(good[i].what, "held") ? 1 : 0));
        }
        if (!is_good) {
            printf("# %s: %s\n", good[i].what, error.message);
        }
        node_matrices_clear(&matrices);
    }
}

static void internal_nodes_come_last(void)
{
    struct node_matrices matrices;
    struct masing_error error = {0};
    char text[NODE_DOF_TEXT];
    CHECK(read_texts(ABAQUS, "-1,6, -1,6, 9\n5,1,-1,6,2\n5,1,5,1,9\n2,4,2,4,8\n",
                     "-1,6,-1,6,.1\n5,1,5,1,1\n2,4,2,4,1\n", NULL, &matrices,
                     &error) == MASING_OK);
    if (CHECK(matrices.n == 3)) {
        CHECK(!strcmp(node_dof_text(matrices.dofs[0], text), "2.rx"));
        CHECK(!strcmp(node_dof_text(matrices.dofs[2], text), "internal1.rz"));
    }
    node_matrices_clear(&matrices);
}

/* ---- what is refused ---- */

#define NODES_K "3,1,3,1,40\n7,1,7,1,20\n"
#define NODES_M "3,1,3,1,1\n7,1,7,1,2\n"
#define LARGE "DMIG    K              0       6       2       0\nDMIG*   K               "
#define OP4 "       2       2       6       2K       1P,3E23.16\n"
#define OP4_END "       3       1       2\n 1.0000000000000000E+00\n"
#define V1 " 1.0000000000000000E+00"

static const struct {
    enum program program;
    const char *stiffness, *mass, *expected;
} bad[] = {
    /* CalculiX */
    {CALCULIX, "1 1 1\n6 6 1\n", "1 1 1\n2 2 1\n3 3 1\n", "k: has 6 rows, twice as many"},
    {CALCULIX, "1 1 1\n2 2 1\n3 3 1\n", "1 1 0\n3 3 0\n", "m: the mass is zero at every DOF"},
    {CALCULIX, "1 1 1\n2 2 1\n3 3 1\n", "1 1 1e9\n2 2 1e12\n3 3 1e12\n", "were stiffness"},
    {CALCULIX, "1 1 1\n2 2 1\n3 3 1\n", "1 1 1\n2 2 1\n3 3 1\n", "m: the mass is the same"},
    {CALCULIX, "1 1 1\n2 2 1\n3 3 1\n", "1 1 1\n2 2 1\n1 3 1.1\n3 3 1\n",
     "m: the mass of DOFs 7.x and 3.x in common (1.1) is more than"},
    {CALCULIX, "1 1 1\n2 2 1\n3 3 1\n", "1 1 1\n2 2 1\n1 3 -1\n3 3 1\n",
     "m: the mass does not resist a translation along x"},
    {CALCULIX, "1 1 1\n2 2 0\n2 3 1\n3 3 1\n", "1 1 1\n2 2 1\n3 3 2\n",
     "k: DOF 3.z has no stiffness of its own"},
    {CALCULIX, NODES_K, NODES_M, "k:1:11: expected 'row column value'"},
    /* Abaqus */
    {ABAQUS, NODES_K, "3,1,3,1,1\n7,1,7,1\n", "m:2:8: expected 'node,direction,node,direction"},
    {ABAQUS, NODES_K, "3,1,3,1,1\n7,1,7,1,1,1\n", "m:2:11: expected 'node"},
    {ABAQUS, NODES_K, "3,1,3,1,1\n7,8,7,1,1\n", "m:2:3: direction 8 is neither"},
    {ABAQUS, NODES_K, "3,1,3,1,1\n0,1,7,1,1\n", "m:2:1: there is no node 0"},
    {ABAQUS, NODES_K, "3,1,3,1,1\n7,1,7,1,x\n", "m:2:9: value"},
    {ABAQUS, NODES_K, "3,1,3,1,1\n7,1,7,1,1", "m: the last line has no end"},
    {ABAQUS, NODES_K, "3,1,3,1,1\n*CLOAD\n", "m:2:1: expected entries only"},
    {ABAQUS, NODES_K "7,1,7,1,20\n", NODES_M,
     "k:3:1: entry (7.x, 7.x) is given twice (first in "
     "line 2)"},
    {ABAQUS, NODES_K "7,1,3,1,2\n3,1,7,1,3\n", NODES_M, "k:3:1: entry (7.x, 3.x) differs from"},
    {ABAQUS, NODES_K, NODES_M "9,1,9,1,1\n9,1,7,1,.1\n", "m:4:1: DOF 9.x shares its mass"},
    {ABAQUS, NODES_K, "1 1 1\n2 2 1\n", "m: has nodes where"},
    {ABAQUS, "1 1 1\n-2 2 1\n", "1 1 1\n", "k:2:1: row -2 is that of a node within"},
    {ABAQUS, "3,1,3,1,1e36\n", "3,1,3,1,1\n", "k: the stiffness has no entry"},
    {ABAQUS, "*HEADING\n", NODES_M, "k: is an input deck"},
    {ABAQUS, "%%MatrixMarket matrix\n", NODES_M, "k: is a Matrix Market file"},
    {ABAQUS, "$MeshFormat\n2.2 0 8\n", NODES_M, "k: is a mesh of Gmsh"},
    {ABAQUS, "word\n", NODES_M, "k: is of no known format"},
    {ABAQUS, ROWS "*MATRIX,TYPE=STIFFNESS\n1\n0,1\n0,0,1\n", NULL,
     "k: the substructure has no *MATRIX, TYPE=MASS: without a mass nothing vibrates"},
    {ABAQUS, ROWS "*MATRIX,TYPE=STIFFNESS\n1\n0,1\n0,0\n", NULL,
     "k:8:1: the matrix of 3 rows has 5 values"},
    {ABAQUS, ROWS "*MATRIX,TYPE=STIFFNESS\n1,0,1,0\n0,1\n", NULL,
     "k:8:1: a line does not begin with each of the 3 columns"},
    {ABAQUS,
     "*USER ELEMENT,NODES=3,LINEAR\n** ELEMENT NODES\n** 3, 7\n1\n*MATRIX,TYPE=MASS\n1\n", NULL,
     "k:5:1: the substructure has 2 nodes"},
    {ABAQUS, "*USER ELEMENT,NODES=2,UNSYMM\n", NULL, "k:1:1: expected *USER ELEMENT, NODES"},
    {ABAQUS,
     "*USER ELEMENT,NODES=2,LINEAR\n** ELEMENT NODES\n** 3, 3\n1\n*MATRIX,TYPE=STIFFNESS\n1\n",
     NULL, "k:5:1: DOF 3.x stands here twice"},
    /* Nastran */
    {NASTRAN,
     LARGE "               3               1\n*                      3               1\n", NULL,
     "k:3:41: value"},
    {NASTRAN, LARGE "               3               7\n", NULL, "k:2:56: direction"},
    {NASTRAN,
     LARGE "               3               1\n*                      3               1 "
           "1.\n*                      3               1 1.\n",
     NULL, "k:4:1: entry (3.x, 3.x) is given twice"},
    {NASTRAN, "DMIG,K,0,2,2\n", NULL, "k:1:10: matrix K is of form 2"},
    {NASTRAN, "DMIG,K,0,6,3\n", NULL, "k:1:12: matrix K is complex"},
    {NASTRAN, "DMIG,K,3,1,,3,1,1.,2.\n", NULL, "k:1:20: expected a real value"},
    {NASTRAN, "DMIG,K,0,1,2\nDMIG,K,3,1,,7,1,1.\nDMIG,K,7,1,,7,1,2.\n", "DMIG,M,7,1,,7,1,1.\n",
     "k:2:1: entry (7.x, 3.x) differs from its mirror image"},
    {NASTRAN, "DMIG,K,3,1,,3,1,1.\nDMIG,M,3,1,,3,1,1.\n", NULL,
     "k:2:6: the file has more than one matrix (K, M)"},
    {NASTRAN, "DMIG,K,3,1,,3,1,1.\n", OP4 "       1       1       2\n" V1 "\n" OP4_END,
     "m: is one of DMIG and OUTPUT4"},
    {NASTRAN, OP4 "       1       1       2\n" V1 "\n", NULL,
     "k:3:1: the file ends within a matrix"},
    {NASTRAN, OP4 "       1       1       4\n" V1 "\n" OP4_END, NULL,
     "k:3:1: expected 2 values"},
    {NASTRAN, OP4 "       1       1       2\n" V1 V1 "\n" OP4_END, NULL,
     "k:3:1: expected 1 values"},
    {NASTRAN, OP4 "       1       2       4\n" V1 V1 "\n" OP4_END, NULL,
     "k:2:1: column 1: 4 words from row 2 on do not fit"},
    {NASTRAN, OP4 "       2       1       2\n" V1 "\n       1       1       2\n" V1 "\n", NULL,
     "k:4:1: column 1 (first row 1) is out of order"},
    {NASTRAN, OP4 "       4       1       2\n" V1 "\n", NULL, "k:2:1: column 4 of 2"},
    {NASTRAN, "       2       3       6       2K       1P,3E23.16\n", NULL,
     "k:1:1: the matrix is 3 x 2"},
    {NASTRAN, "       2       2       6       4K       1P,3E23.16\n", NULL,
     "k:1:1: the matrix is complex"},
    {NASTRAN, "       2       2       6       2K       rubbish\n", NULL,
     "k:1:41: expected a format"},
    {NASTRAN, OP4 "       1       1       2\n" V1 "\n" OP4_END,
     "       3       3       6       2K       1P,3E23.16\n       1       1       2\n" V1
     "\n       4       1       2\n" V1 "\n",
     "m: the mass has 3 rows, the stiffness"},
    {NASTRAN, "GRID,1\n", NULL, "k: is an input deck"},
    {NASTRAN, NODES_K, NULL,
     "k: is a list of 'node,direction,node,direction,value'; expected "
     "DMIG"},
};

static void wrong_files_are_refused_where_they_are_wrong(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct node_matrices matrices;
        struct masing_error error = {0};
        enum masing_status status =
            read_texts(bad[i].program, bad[i].stiffness, bad[i].mass, NULL, &matrices, &error);
        const char *message = error.message;
        size_t length = strlen(folder);
        message += !strncmp(message, folder, length) ? length + 1 : 0;
        if (!CHECK(status == MASING_INVALID && strstr(message, bad[i].expected))) {
            printf("# expected %s\n# got      %s\n", bad[i].expected, message);
        }
        CHECK(matrices.n == 0 && !matrices.dofs && !matrices.stiffness.start);
        node_matrices_clear(&matrices);
    }
}

static void a_name_that_is_not_there_is_told_from_those_that_are(void)
{
    static const char *const names[] = {"KGG", "MAAX"};
    struct node_matrices matrices;
    struct masing_error error = {0};
    CHECK(read_texts(NASTRAN, DMIG_HEADERS DMIG_MASS DMIG_STIFFNESS, NULL, names, &matrices,
                     &error) == MASING_INVALID);
    CHECK(strstr(error.message, "has no matrix called 'KGG', but KAAX, MAAX"));
}

/* ---- what no reader takes ---- */

static void other_formats_are_called_by_their_names(void)
{
    static const struct {
        const char *bytes;
        size_t length;
        enum matrix_format format;
    } cases[] = {
        {"\x18\0\0\0\2\0\0\0\2\0\0\0\6\0\0\0", 16, MATRIX_BINARY_OUTPUT4},
        {"\0\0\0\x18\0\0\0\2\0\0\0\2\0\0\0\6", 16, MATRIX_BINARY_OUTPUT4},
        {"\4\0\0\0\3\0\0\0\4\0\0\0\x0c\0\0\0", 16, MATRIX_OUTPUT2},
        {"\x89HDF\r\n\x1a\n", 8, MATRIX_HDF5},
        {"\x1f\x8b\x08\x00", 4, MATRIX_COMPRESSED},
        {"MATLAB 5.0 MAT-file, Platform", 29, MATRIX_MATLAB},
        {"$MeshFormat\n", 12, MATRIX_GMSH},
        {"\0\0\0\0\3\0\0\0\3\0\0\0\0\0\0\0\2\0\0\0K\0@@", 24, MATRIX_MATLAB_4},
        {"\0\0\3\xe8\0\0\0\3\0\0\0\3\0\0\0\0\0\0\0\2K\0@@", 24, MATRIX_MATLAB_4},
        {"\0\0\0\0\3\0\0\0\3\0\0\0\0\0\0\0\2\0\0\0Kx@@", 24, MATRIX_UNKNOWN},
        {"Octave-1-L\0\1", 12, MATRIX_OCTAVE},
        {"# Created by Octave 7.3.0\n# name: K\n# type: matrix\n", 50, MATRIX_OCTAVE},
        {"    -1\n   151\nmodel\n    -1\n", 27, MATRIX_UNIVERSAL},
        {"stiffness\n 9 1 2 6\nRSA                       3\n", 45, MATRIX_HARWELL_BOEING},
        {"stiffness\n 9 1 2 6\nRSA of three\n", 32, MATRIX_UNKNOWN},
        {"5.1\n5.2\n", 8, MATRIX_CALCULIX_DOFS},
        {"1 1 2.5\n", 8, MATRIX_COORDINATE},
        {"", 0, MATRIX_UNKNOWN},
    };
    static const char *const files[] = {"j.eig", "j.odb",  "j.SIM", "j.op2",
                                        "j.frd", "j.full", "j.rst", "j.sub"};
    struct masing_error error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(matrix_format_of(cases[i].bytes, cases[i].length) == cases[i].format);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        masing_error_clear(&error);
        CHECK(matrix_format_refuse(files[i], NULL, 0, &error) == MASING_INVALID);
        CHECK(strstr(error.message, ": is ") && strstr(error.message, "; write "));
    }
    CHECK(matrix_format_refuse("j.mtx", NULL, 0, &error) == MASING_OK);
}

static const struct tap_test tests[] = {
    {"every format gives the same matrices", every_format_gives_the_same_matrices},
    {"internal nodes come last", internal_nodes_come_last},
    {"wrong files are refused where they are wrong",
     wrong_files_are_refused_where_they_are_wrong},
    {"a name that is not there is told from those that are",
     a_name_that_is_not_there_is_told_from_those_that_are},
    {"other formats are called by their names", other_formats_are_called_by_their_names},
};

int main(void)
{
    scratch_make(folder);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    rmdir(folder);
    return result;
}
