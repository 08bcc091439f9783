/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finite_element_response [STEM FROM_HZ TO_HZ BETA]: the response of two bodies that CalculiX
 * exported, with springs between all nodes that lie on each other, against a direct solution
 * of all equations at ten frequencies. Without arguments: the decks of the reference folder.
 */
#include <complex.h>

#include "base/check.h"
#include "model/model.h"
#include "model/structure/sparse_structure.h"
#include "response.h"

enum { N_AT = 10 };
static const double spring[3] = {2e6, 3e6, 5e7}, alpha = 4.0;
static double beta = 2e-6;

/* What CalculiX wrote, and the nodes of its deck. */
struct deck {
    const char *stem;
    int n, n_nodes, n_pairs, loaded; /* DOFs; the loaded one */
    int (*dofs)[2];                  /* [n] node, direction from 0 */
    double *stiffness, *mass;        /* [n * n] */
    struct node {
        int number;
        double at[3];
    } * nodes;
    int (*pairs)[2]; /* nodes */
};

static FILE *open_part(const struct deck *deck, const char *ending)
{
    char *path = text_of("%s.%s", deck->stem, ending);
    FILE *file = fopen(path, "r");
    if (!CHECK(file != NULL)) {
        printf("# %s cannot be read\n", path);
        exit(1);
    }
    free(path);
    return file;
}

static double *read_matrix(const struct deck *deck, const char *ending)
{
    FILE *file = open_part(deck, ending);
    int row, column;
    double value, *a = calloc((size_t)deck->n * (size_t)deck->n, sizeof *a);
    while (fscanf(file, "%d %d %lf", &row, &column, &value) == 3) {
        a[(row - 1) + (column - 1) * deck->n] = a[(column - 1) + (row - 1) * deck->n] = value;
    }
    fclose(file);
    return a;
}

static void read_dofs(struct deck *deck)
{
    FILE *file = open_part(deck, "dof");
    int node, direction;
    while (fscanf(file, "%d.%d", &node, &direction) == 2) {
        deck->dofs = realloc(deck->dofs, (size_t)(deck->n + 1) * sizeof *deck->dofs);
        deck->dofs[deck->n][0] = node;
        deck->dofs[deck->n++][1] = direction - 1;
    }
    fclose(file);
}

static void read_nodes(struct deck *deck)
{
    FILE *file = open_part(deck, "inp");
    char line[256];
    bool are_nodes = false;
    while (fgets(line, sizeof line, file)) {
        struct node node;
        are_nodes = *line == '*' ? strncmp(line, "*NODE", 5) == 0 : are_nodes;
        if (are_nodes && sscanf(line, "%d , %lf , %lf , %lf", &node.number, &node.at[0],
                                &node.at[1], &node.at[2]) == 4) {
            deck->nodes =
                realloc(deck->nodes, (size_t)(deck->n_nodes + 1) * sizeof *deck->nodes);
            deck->nodes[deck->n_nodes++] = node;
        }
    }
    fclose(file);
}

static int row_of(const struct deck *deck, int node, int direction)
{
    for (int i = 0; i < deck->n; i++) {
        if (deck->dofs[i][0] == node && deck->dofs[i][1] == direction) {
            return i;
        }
    }
    return -1;
}

/* Nodes that lie on each other, and the load at the farthest one. */
static void find_places(struct deck *deck)
{
    double farthest = 0.0;
    for (int a = 0; a < deck->n_nodes; a++) {
        const struct node *own = &deck->nodes[a];
        for (int b = 0; b < a; b++) {
            const struct node *other = &deck->nodes[b];
            double apart = fabs(own->at[0] - other->at[0]) + fabs(own->at[1] - other->at[1]) +
                           fabs(own->at[2] - other->at[2]);
            if (apart < 1e-6) {
                deck->pairs =
                    realloc(deck->pairs, (size_t)(deck->n_pairs + 1) * sizeof *deck->pairs);
                deck->pairs[deck->n_pairs][0] = other->number;
                deck->pairs[deck->n_pairs++][1] = own->number;
            }
        }
        if (own->at[0] >= farthest && row_of(deck, own->number, 2) >= 0) {
            farthest = own->at[0];
            deck->loaded = row_of(deck, own->number, 2);
        }
    }
}

static void read_deck(const char *stem, struct deck *deck)
{
    *deck = (struct deck){.stem = stem};
    read_dofs(deck);
    read_nodes(deck);
    find_places(deck);
    deck->stiffness = read_matrix(deck, "sti");
    deck->mass = read_matrix(deck, "mas");
}

static void clear_deck(struct deck *deck)
{
    free(deck->dofs);
    free(deck->nodes);
    free(deck->pairs);
    free(deck->stiffness);
    free(deck->mass);
}

static void swap(double *a, int p, int q)
{
    double kept = a[p];
    a[p] = a[q];
    a[q] = kept;
}

/* The last column of [A b], n rows, by elimination with pivots: x at one row. Real and
 * imaginary parts [n * (n + 1)] by columns, overwritten. */
static double complex solve(int n, double *re, double *im, int at)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = hypot(re[i + k * n], im[i + k * n]) >
                            hypot(re[pivot + k * n], im[pivot + k * n])
                        ? i
                        : pivot;
        }
        for (int j = 0; pivot != k && j <= n; j++) {
            swap(re + j * n, k, pivot);
            swap(im + j * n, k, pivot);
        }
        double complex own = re[k + k * n] + I * im[k + k * n];
        for (int j = k + 1; j <= n; j++) {
            double complex factor = (re[k + j * n] + I * im[k + j * n]) / own;
            double c = creal(factor), d = cimag(factor);
            const double *x = re + k * n, *y = im + k * n;
            double *to_re = re + j * n, *to_im = im + j * n;
            for (int i = k + 1; i < n && factor != 0.0; i++) {
                to_re[i] -= c * x[i] - d * y[i];
                to_im[i] -= c * y[i] + d * x[i];
            }
        }
    }
    double *b = re + n * n, *c = im + n * n;
    for (int k = n; k-- > at;) {
        double complex own = (b[k] + I * c[k]) / (re[k + k * n] + I * im[k + k * n]);
        b[k] = creal(own);
        c[k] = cimag(own);
        for (int i = at; i < k; i++) {
            double complex part = (re[i + k * n] + I * im[i + k * n]) * own;
            b[i] -= creal(part);
            c[i] -= cimag(part);
        }
    }
    return b[at] + I * c[at];
}

/* |x| of the loaded DOF with unit force and springs over the lap. */
static double direct(const struct deck *deck, double hz)
{
    size_t n = (size_t)deck->n;
    double *re = calloc(n * (n + 1), sizeof *re), *im = calloc(n * (n + 1), sizeof *im);
    double omega = 2.0 * acos(-1.0) * hz;
    for (size_t i = 0; i < n * n; i++) {
        re[i] = deck->stiffness[i] - omega * omega * deck->mass[i];
        im[i] = omega * (beta * deck->stiffness[i] + alpha * deck->mass[i]);
    }
    for (int p = 0; p < deck->n_pairs * 3; p++) {
        size_t i = (size_t)row_of(deck, deck->pairs[p / 3][0], p % 3);
        size_t j = (size_t)row_of(deck, deck->pairs[p / 3][1], p % 3);
        re[i + i * n] += spring[p % 3];
        re[j + j * n] += spring[p % 3];
        re[i + j * n] -= spring[p % 3];
        re[j + i * n] -= spring[p % 3];
    }
    re[n * n + (size_t)deck->loaded] = 1.0;
    double size = cabs(solve(deck->n, re, im, deck->loaded));
    free(re);
    free(im);
    return size;
}

static char *write_model(const struct deck *deck, double from_hz, double to_hz)
{
    char *text = malloc((size_t)deck->n_pairs * 400 + 4000);
    const char *name = strrchr(deck->stem, '/');
    const int *load = deck->dofs[deck->loaded];
    size_t used = (size_t)sprintf(text,
                                  "masing: 1\nstructure:\n  calculix: %s\n"
                                  "  damping: {rayleigh: [%g, %g]}\njoints:\n",
                                  name ? name + 1 : deck->stem, alpha, beta);
    for (int p = 0; p < deck->n_pairs * 3; p++) {
        const int *pair = deck->pairs[p / 3];
        used += (size_t)sprintf(text + used,
                                "  - {name: j%d, law: linear, from: %d.%c, to: %d.%c, "
                                "stiffness: %.9g}\n",
                                p, pair[0], "xyz"[p % 3], pair[1], "xyz"[p % 3], spring[p % 3]);
    }
    sprintf(text + used,
            "loads: [{dof: %d.z, amplitude: 1}]\nfrequency: [%.9g, %.9g]\n"
            "harmonics: [1]\noutputs: [{name: tip, dof: %d.z}]\n",
            load[0], from_hz, to_hz, load[0]);
    return text;
}

/* The matrices of the files as dense ones, which sparse ones of this size are not handled as.
 */
static enum masing_status make_dense(struct masing_structure_spec *structure,
                                     struct masing_error *error)
{
    CHECK(structure->sparse_mass.n == structure->n_dofs);
    NEED(sparse_structure_expand(&structure->sparse_mass, &structure->mass, error));
    return sparse_structure_expand(&structure->sparse_stiffness, &structure->stiffness, error);
}

static void respond(const struct deck *deck, const char *text, const double *at_hz,
                    bool is_dense, struct run *run)
{
    const struct masing_response_options options = {
        .n_at = N_AT, .at_hz = at_hz, .stability = MASING_STABILITY_NONE};
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_spec spec = {0};
    struct masing_sink sink = table_sink(&run->rows);
    char *file = text_of("%s.yaml", deck->stem);
    run->status = masing_document_parse(text, strlen(text), file, &document, &run->error);
    run->status =
        run->status ? run->status : masing_document_spec(document, NULL, 0, &spec, &run->error);
    run->status =
        run->status || !is_dense ? run->status : make_dense(&spec.structure, &run->error);
    run->status = run->status ? run->status : masing_model_create(&spec, &model, &run->error);
    CHECK(run->status || (model->structure->n_far == 0) == is_dense);
    run->status = run->status
                      ? run->status
                      : masing_frf(model, &options, &sink, NULL, &run->summary, &run->error);
    if (!CHECK(run->status == MASING_OK)) {
        printf("# %s\n", run->error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(file);
}

static double tip(const struct run *run, double hz)
{
    int row = table_find(&run->rows, "at", hz);
    CHECK(row >= 0);
    return table_get(&run->rows, row < 0 ? 0 : row, "tip_amp");
}

static void check_response(const char *stem, double from_hz, double to_hz)
{
    struct deck deck;
    struct run sparse = {.summary = {0}}, dense = {.summary = {0}};
    double at_hz[N_AT], worst = 0.0, apart = 0.0;
    for (int i = 0; i < N_AT; i++) {
        at_hz[i] = from_hz * pow(to_hz / from_hz, (i + 0.5) / N_AT);
    }
    read_deck(stem, &deck);
    char *text = write_model(&deck, from_hz, to_hz);
    respond(&deck, text, at_hz, false, &sparse);
    CHECK(deck.n_pairs > 5 && sparse.summary.energy_mismatch < 1e-6);
    respond(&deck, text, at_hz, true, &dense);
    for (int i = 0; !sparse.status && !dense.status && i < tap_most(N_AT, 2); i++) {
        double expected = direct(&deck, at_hz[i]), own = tip(&sparse, at_hz[i]);
        worst = fmax(worst, fabs(own / expected - 1.0));
        apart = fmax(apart, fabs(tip(&dense, at_hz[i]) / own - 1.0));
    }
    CHECK(worst < 1e-7 && apart < 1e-8);
    printf("# %s: %d DOFs, %d pairs, largest difference %.1e, of dense from sparse %.1e\n",
           stem, deck.n, deck.n_pairs, worst, apart);
    run_clear(&sparse);
    run_clear(&dense);
    clear_deck(&deck);
    free(text);
}

static void check_reference(const char *name, double from_hz, double to_hz)
{
    const char *root = getenv("MASING_SOURCE_ROOT");
    char *stem = text_of("%s/tests/reference/fe/%s", root ? root : ".", name);
    check_response(stem, from_hz, to_hz);
    free(stem);
}

static void linear_elements(void)
{
    check_reference("t8", 40.0, 1500.0);
}

/* Dense, motions without inertia have no damping in proportion to their stiffness. */
static void hidden_nodes(void)
{
    beta = 0.0;
    check_reference("ccx_c3d8i_s1", 15.0, 800.0);
}

/* The stiffness leaves 0.02 Hz in the motions of the second beam as a rigid body. */
static void quadratic_elements(void)
{
    beta = 2e-6;
    check_reference("lap_c3d20", 20.0, 1500.0);
}

/* Their mass is singular, too. */
static void quadratic_tetrahedra(void)
{
    beta = 0.0;
    check_reference("lap_c3d10", 300.0, 6000.0);
}

static const struct tap_test tests[] = {
    {"linear elements", linear_elements},
    {"hidden nodes without mass", hidden_nodes},
    {"quadratic elements", quadratic_elements},
    {"quadratic tetrahedra around a hole", quadratic_tetrahedra},
};

static char **arguments;

static void a_deck_of_its_own(void)
{
    beta = atof(arguments[4]);
    check_response(arguments[1], atof(arguments[2]), atof(arguments[3]));
}

static const struct tap_test own_test[] = {{"a deck", a_deck_of_its_own}};

int main(int argc, char **argv)
{
    arguments = argv;
    return argc > 4 ? tap_run(own_test, 1)
                    : tap_run(tests, (int)(sizeof tests / sizeof *tests));
}
