/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that uses OpenBLAS itself, with threads of its own, and calls the library from
 * several threads: the same bits as alone, and its number of threads afterwards.
 */
#include <cblas.h>
#include <pthread.h>

#include "response.h"

static const char text[] = "masing: 1\n"
                           "structure:\n"
                           "  masses: {m1: 1.0, m2: 1.0}\n"
                           "  springs: [{from: ground, to: m1, stiffness: 41339}]\n"
                           "  damping: {modal_ratio: 0.02}\n"
                           "joints:\n"
                           "  - {name: damper, law: jenkins, from: ground, to: m1,\n"
                           "     stiffness: 40000, slip_force: 15}\n"
                           "loads: [{dof: m2, amplitude: 10}]\n"
                           "frequency: [20, 22]\n"
                           "harmonics: 3\n"
                           "outputs: [m2]\n";

/* Enough DOFs for products that OpenBLAS shares among its threads. */
static struct masing_model *large_model(void)
{
    enum { N = 150 };
    struct masing_spec spec;
    struct masing_model *large = NULL;
    struct masing_error error = {0};
    struct masing_document *document = NULL;
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    CHECK(masing_document_spec(document, NULL, 0, &spec, &error) == MASING_OK);
    masing_document_destroy(document);
    struct masing_structure_spec *structure = &spec.structure;
    for (int i = 0; i < structure->n_dofs; i++) {
        free(structure->dof_names[i]);
    }
    free(structure->dof_names);
    structure->dof_names = NULL;
    structure->n_dofs = N;
    structure->mass = realloc(structure->mass, N * N * sizeof(double));
    structure->stiffness = realloc(structure->stiffness, N * N * sizeof(double));
    free(spec.loads[0].pattern);
    spec.loads[0].pattern = calloc(N, sizeof(double));
    spec.loads[0].pattern[1] = 10;
    memset(structure->mass, 0, N * N * sizeof(double));
    memset(structure->stiffness, 0, N * N * sizeof(double));
    for (int i = 0; i < N; i++) {
        structure->mass[i * N + i] = 1;
        structure->stiffness[i * N + i] = 8e4 + 31.0 * i;
        if (i) {
            structure->stiffness[i * N + i - 1] = structure->stiffness[(i - 1) * N + i] = -4e4;
        }
    }
    if (!CHECK(masing_model_create(&spec, &large, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return large;
}

static void respond(struct table *rows)
{
    struct masing_model *large = large_model();
    struct masing_sink to = table_sink(rows);
    CHECK(masing_frf(large, NULL, &to, NULL, NULL, NULL) == MASING_OK);
    masing_model_destroy(large);
}

static bool are_equal(const struct table *a, const struct table *b)
{
    size_t bytes = sizeof(double) * (size_t)a->n_rows * (size_t)a->n_columns;
    return a->n_rows > 10 && a->n_rows == b->n_rows && a->n_columns == b->n_columns &&
           memcmp(a->numbers, b->numbers, bytes) == 0;
}

static void *respond_beside(void *rows)
{
    respond(rows);
    return NULL;
}

static void bits_do_not_depend_on_threads_of_the_host(void)
{
    struct table one, two, beside[2];
    pthread_t thread;
    openblas_set_num_threads(1);
    respond(&one);
    openblas_set_num_threads(2);
    int before = openblas_get_num_threads();
    respond(&two);
    CHECK(are_equal(&one, &two));
    CHECK(openblas_get_num_threads() == before);
    CHECK(pthread_create(&thread, NULL, respond_beside, &beside[0]) == 0);
    respond(&beside[1]);
    pthread_join(thread, NULL);
    CHECK(are_equal(&one, &beside[0]) && are_equal(&one, &beside[1]));
    CHECK(openblas_get_num_threads() == before);
    openblas_set_num_threads(1);
    table_clear(&one);
    table_clear(&two);
    table_clear(&beside[0]);
    table_clear(&beside[1]);
}

static const struct tap_test tests[] = {
    {"bits do not depend on threads of the host", bits_do_not_depend_on_threads_of_the_host},
};

TAP_MAIN(tests)
