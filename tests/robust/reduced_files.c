/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of reduced structures that are cut short, damaged, or hold what cannot be: all are
 * refused, none does harm. */
#include "data/reduced_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "masing/reduce.h"
#include "scratch.h"
#include "specimen.h"
#include "tap.h"

static char folder[SCRATCH_PATH], good[SCRATCH_PATH + 16], bad[SCRATCH_PATH + 16];
static unsigned char *bytes;
static size_t n_bytes;

/* Three masses with a damper, of which the ends are kept, and a load on all of them. */
static const char model[] =
    "masing: 1\nstructure:\n  masses: {a: 1, b: 2, c: 3}\n"
    "  springs: [{from: ground, to: a, stiffness: 101}, {from: a, to: b, stiffness: 102},\n"
    "            {from: b, to: c, stiffness: 103}]\n"
    "  dampers: [{from: a, to: c, damping: 1}]\n"
    "loads: [{base_acceleration: 1, direction: {a: 1, b: 1, c: 1}}, {dof: a, amplitude: 1}]\n"
    "outputs: [c]\n";

static void write_bytes(const unsigned char *from, size_t count)
{
    FILE *stream = fopen(bad, "wb");
    if (CHECK(stream != NULL)) {
        fwrite(from, 1, count, stream);
        fclose(stream);
    }
}

static enum masing_status read_bad(struct masing_error *error)
{
    struct masing_spec spec = {0};
    masing_error_clear(error);
    enum masing_status status = reduced_file_read(bad, &spec.structure, error);
    masing_spec_clear(&spec);
    return status;
}

/* Refused, with a sentence that begins with the file. */
static void check_refused(void)
{
    struct masing_error error;
    enum masing_status status = read_bad(&error);
    if (!CHECK(status == MASING_INVALID || status == MASING_UNSUPPORTED) ||
        !CHECK(strncmp(error.message, bad, strlen(bad)) == 0)) {
        printf("# %d: %s\n", (int)status, error.message);
    }
}

static void the_file_is_read(void)
{
    struct masing_spec spec = {0};
    struct masing_error error = {0};
    const struct masing_structure_spec *structure = &spec.structure;
    if (CHECK(reduced_file_read(good, &spec.structure, &error) == MASING_OK)) {
        CHECK(structure->n_dofs == 3 && structure->reduced->n == 3);
        CHECK(strcmp(structure->dof_names[1], "b") == 0);
        CHECK(structure->reduced->dofs[0] == 0 && structure->reduced->dofs[1] == 2 &&
              structure->reduced->dofs[2] == -1);
        CHECK(structure->reduced->n_combinations == 1 &&
              structure->reduced->are_directions[0] == 1);
        CHECK(structure->damping != NULL && structure->reduced->n_rigid == 0);
        /* a motion of all masses by 1 has the mass of all, 6 kg */
        const double *inertia = structure->reduced->inertias;
        const double *b = structure->reduced->shapes + 3;
        double modal = (1.0 - b[0] - b[1]) / b[2];
        CHECK_RELATIVE(inertia[0] + inertia[1] + modal * inertia[2], 6.0, 1e-12);
    } else {
        printf("# %s\n", error.message);
    }
    masing_spec_clear(&spec);
}

static void files_that_are_cut_short_are_refused(void)
{
    for (size_t length = 0; length < n_bytes; length += length < 1100 ? 7 : 37) {
        write_bytes(bytes, length);
        check_refused();
    }
}

static void damaged_files_are_refused(void)
{
    unsigned char *copy = malloc(n_bytes);
    uint64_t seed = 7;
    for (int i = 0; i < tap_most(4000, 300); i++) {
        memcpy(copy, bytes, n_bytes);
        int n_changes = 1 + i % 5;
        for (int c = 0; c < n_changes; c++) {
            size_t at = (size_t)((specimen_draw(&seed) + 1.0) / 2.0 * (double)(n_bytes - 1));
            copy[at] ^= (unsigned char)(1u << (i + c) % 8);
        }
        write_bytes(copy, n_bytes);
        if (memcmp(copy, bytes, n_bytes) != 0) {
            check_refused();
        }
    }
    free(copy);
}

/* A number of the file takes another value, and the sum over the bytes with it. */
static void replace_number(double from, double to)
{
    unsigned char *copy = malloc(n_bytes);
    char block[REDUCED_FILE_BLOCK];
    int n_found = 0;
    memcpy(copy, bytes, n_bytes);
    for (size_t at = REDUCED_FILE_BLOCK; at + sizeof from <= n_bytes; at++) {
        double value;
        memcpy(&value, copy + at, sizeof value);
        if (value == from) {
            memcpy(copy + at, &to, sizeof to);
            n_found++;
        }
    }
    CHECK(n_found > 0);
    write_bytes(copy, n_bytes);
    CHECK(reduced_file_seal(bad, block, NULL) == MASING_OK);
    memcpy(copy, block, sizeof block);
    write_bytes(copy, n_bytes);
    free(copy);
}

static void numbers_that_cannot_be_are_refused(void)
{
    struct masing_spec spec = {0};
    struct masing_error error;
    if (CHECK(reduced_file_read(good, &spec.structure, NULL) == MASING_OK)) {
        const struct masing_structure_spec *structure = &spec.structure;
        replace_number(structure->stiffness[0], NAN);
        CHECK(read_bad(&error) == MASING_INVALID && strstr(error.message, "/stiffness: holds"));
        replace_number(structure->mass[8], -INFINITY);
        CHECK(read_bad(&error) == MASING_INVALID && strstr(error.message, "not finite"));
        replace_number(structure->reduced->shapes[0], 2.0); /* 1 where a DOF is itself */
        CHECK(read_bad(&error) == MASING_INVALID && strstr(error.message, "/basis: does not"));
        replace_number(structure->mass[0], structure->mass[0] * 1.5);
        CHECK(read_bad(&error) == MASING_OK);
    }
    masing_spec_clear(&spec);
}

/* Spoilt without a trace, or with one in its time */
static void spoil(const struct stat *state, time_t seconds)
{
    const struct timespec times[] = {state->st_atim,
                                     {state->st_mtim.tv_sec + seconds, state->st_mtim.tv_nsec}};
    FILE *stream = fopen(bad, "r+b");
    if (CHECK(stream != NULL)) {
        fputs("rubbish", stream);
        fclose(stream);
        CHECK(utimensat(AT_FDCWD, bad, times, 0) == 0);
    }
}

static enum masing_status specify(const struct masing_document *document,
                                  struct masing_spec *spec)
{
    struct masing_error error = {0};
    enum masing_status status = masing_document_spec(document, NULL, 0, spec, &error);
    if (status == MASING_OK) {
        CHECK(spec->structure.reduced && spec->structure.reduced->n == spec->structure.n_dofs);
    }
    return status;
}

/* Models of one document share what was read, as long as the file is as it was. */
static void a_document_reads_its_file_once(void)
{
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    struct masing_spec first = {0}, second = {0}, third = {0};
    struct stat state;
    char text[SCRATCH_PATH + 100];
    snprintf(text, sizeof text, "masing: 1\nstructure: {reduced: %s}\noutputs: [c]\n", bad);
    write_bytes(bytes, n_bytes);
    CHECK(stat(bad, &state) == 0);
    CHECK(masing_document_parse(text, strlen(text), "m.yaml", &document, &error) == MASING_OK);
    CHECK(specify(document, &first) == MASING_OK);
    spoil(&state, 0);
    if (CHECK(specify(document, &second) == MASING_OK)) {
        size_t n = (size_t)second.structure.reduced->n;
        CHECK(first.structure.mass != second.structure.mass);
        CHECK(!memcmp(first.structure.mass, second.structure.mass, n * n * sizeof(double)));
        CHECK(
            !memcmp(first.structure.damping, second.structure.damping, n * n * sizeof(double)));
        CHECK(!strcmp(first.structure.reduced->names[0], second.structure.reduced->names[0]));
    }
    spoil(&state, 1);
    CHECK(specify(document, &third) == MASING_INVALID);
    masing_spec_clear(&first);
    masing_spec_clear(&second);
    masing_spec_clear(&third);
    masing_document_destroy(document);
}

static const struct tap_test tests[] = {
    {"the file is read", the_file_is_read},
    {"files that are cut short", files_that_are_cut_short_are_refused},
    {"damaged files", damaged_files_are_refused},
    {"a document reads its file once", a_document_reads_its_file_once},
    {"numbers that cannot be", numbers_that_cannot_be_are_refused},
};

int main(void)
{
    struct masing_document *document = NULL;
    struct masing_reduction *reduction = NULL;
    struct masing_error error = {0};
    const struct masing_reduce_options options = {.n_modes = 1};
    scratch_make(folder);
    snprintf(good, sizeof good, "%s/good.h5", folder);
    snprintf(bad, sizeof bad, "%s/bad.h5", folder);
    if (masing_document_parse(model, strlen(model), "m.yaml", &document, &error) ||
        masing_reduce(document, NULL, 0, &options, &reduction, &error) ||
        masing_reduction_write(reduction, good, NULL, &error)) {
        printf("Bail out! %s\n", error.message);
        return 1;
    }
    bytes = (unsigned char *)scratch_read(good, &n_bytes);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    masing_reduction_destroy(reduction);
    masing_document_destroy(document);
    free(bytes);
    remove(good);
    remove(bad);
    remove(folder);
    return result;
}
