/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A grid of masses and springs, large enough that its sparse matrices are not taken as dense
 * ones. */
#ifndef GRID_MODEL_H
#define GRID_MODEL_H

#include <stdio.h>
#include <stdlib.h>

#include "model/model.h"
#include "response.h"
#include "specimen.h"

enum { ROWS = 6, COLUMNS = 9, N = ROWS * COLUMNS };

/* A grid, held at one side or free, of unlike springs; 0: the mass of this DOF vanishes. */
static inline char *grid_text(bool is_held, int light, const char *damping, const char *rest)
{
    char *text = malloc(1 << 16);
    size_t used = (size_t)sprintf(text, "masing: 1\nstructure:\n  masses:\n");
    uint64_t seed = 11;
    for (int i = 0; i < N; i++) {
        double mass = i == light ? 0.0 : 1.0 + 0.3 * specimen_draw(&seed);
        used += (size_t)sprintf(text + used, "    m%d: %.17g\n", i, mass);
    }
    used += (size_t)sprintf(text + used, "  springs:\n");
    for (int i = 0; i < N; i++) {
        int r = i / COLUMNS, c = i % COLUMNS;
        double k = 1e5 * (1.0 + 0.5 * specimen_draw(&seed));
        if (c + 1 < COLUMNS) {
            used += (size_t)sprintf(text + used, "  - {from: m%d, to: m%d, stiffness: %.17g}\n",
                                    i, i + 1, k);
        }
        if (r + 1 < ROWS) {
            used += (size_t)sprintf(text + used, "  - {from: m%d, to: m%d, stiffness: %.17g}\n",
                                    i, i + COLUMNS, 0.7 * k);
        }
        if (c == 0 && is_held) {
            used += (size_t)sprintf(text + used,
                                    "  - {from: ground, to: m%d, stiffness: %.17g}\n", i, k);
        }
    }
    sprintf(text + used, "  damping: {%s}\n%s", damping, rest);
    return text;
}

/* The matrices of a specification become sparse. */
static inline void make_sparse(const double *dense, struct masing_sparse *sparse)
{
    sparse->n = N;
    sparse->start = specimen_array(N + 1, sizeof *sparse->start);
    sparse->rows = specimen_array((size_t)N * N, sizeof *sparse->rows);
    sparse->values = specimen_array((size_t)N * N, sizeof *sparse->values);
    int64_t n = 0;
    for (int j = 0; j < N; j++) {
        for (int i = j; i < N; i++) {
            if (dense[i + j * N] != 0.0) {
                sparse->rows[n] = i;
                sparse->values[n++] = dense[i + j * N];
            }
        }
        sparse->start[j + 1] = n;
    }
}

/* Those of a whole specification. */
static inline void make_structure_sparse(struct masing_structure_spec *structure)
{
    make_sparse(structure->mass, &structure->sparse_mass);
    make_sparse(structure->stiffness, &structure->sparse_stiffness);
    free(structure->mass);
    free(structure->stiffness);
    structure->mass = structure->stiffness = NULL;
}

/* The response of a grid's text, of sparse matrices or of dense ones. */
static inline void grid_run(struct run *run, const char *text, bool is_sparse,
                            bool keeps_motion, const struct masing_response_options *options)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_spec spec;
    struct masing_sink sink = table_sink(&run->rows);
    memset(&run->summary, 0, sizeof run->summary);
    run->status = masing_document_parse(text, strlen(text), "m", &document, &run->error);
    run->status =
        run->status ? run->status : masing_document_spec(document, NULL, 0, &spec, &run->error);
    if (run->status == MASING_OK) {
        if (is_sparse) {
            make_structure_sparse(&spec.structure);
        }
        spec.structure.keeps_motion = keeps_motion;
        run->status = masing_model_create(&spec, &model, &run->error);
    }
    run->status = run->status
                      ? run->status
                      : masing_frf(model, options, &sink, NULL, &run->summary, &run->error);
    if (!CHECK(run->status == MASING_OK)) {
        printf("# %s\n", run->error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
}

#endif
