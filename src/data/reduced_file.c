/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/reduced_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/result_file.h"
#include "data/libraries/hdf5_writer.h"
#include "data/number.h"
#include "data/text_file.h"

enum { FORMAT = 1, MOST_DOFS = 5000000, MOST_COORDINATES = 20000 };
#define TITLE "masing reduced structure, format "

/* --- the sum over the bytes --------------------------------------------------------------- */

static enum masing_status fail_to_read(const char *file, struct masing_error *error)
{
    return masing_error_set(error, MASING_IO, "%s: cannot be read: %s", file, strerror(errno));
}

/* Fowler, Noll and Vo's hash of eight bytes at a time, the last ones filled up with zeros: any
 * one of them that is another changes it. */
static uint64_t add_bytes(uint64_t sum, const unsigned char *bytes, size_t count)
{
    for (size_t at = 0; at < count; at += sizeof sum) {
        uint64_t word = 0;
        size_t left = count - at < sizeof word ? count - at : sizeof word;
        memcpy(&word, bytes + at, left);
        sum = (sum ^ word) * 1099511628211u;
        sum ^= sum >> 32;
    }
    return sum;
}

enum masing_status reduced_file_seal(const char *file, char block[REDUCED_FILE_BLOCK],
                                     struct masing_error *error)
{
    enum { BUFFER = 1 << 16 };
    unsigned char *buffer = memory_array(BUFFER, 1);
    FILE *stream = fopen(file, "rb");
    uint64_t sum = 14695981039346656037u, count = 0;
    enum masing_status status = MASING_OK;
    size_t got;
    TRY_ALLOCATED(buffer);
    if (!stream || fseek(stream, REDUCED_FILE_BLOCK, SEEK_SET) != 0) {
        TRY(fail_to_read(file, error));
    }
    while ((got = fread(buffer, 1, BUFFER, stream)) > 0) {
        sum = add_bytes(sum, buffer, got);
        count += got;
    }
    TRY(ferror(stream) ? fail_to_read(file, error) : MASING_OK);
    memset(block, 0, REDUCED_FILE_BLOCK);
    snprintf(block, REDUCED_FILE_BLOCK,
             TITLE "%d\nbytes %" PRIu64 "\nsum %016" PRIx64 "\nread by masing; HDF5 follows\n",
             FORMAT, count + REDUCED_FILE_BLOCK, sum);
done:
    if (stream) {
        fclose(stream);
    }
    free(buffer);
    return status;
}

/* What is wrong with a file whose block is not the one that it should have. */
static enum masing_status refuse_block(const char *file, const char *found, const char *right,
                                       struct masing_error *error)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    uint64_t bytes = 0, there = 0;
    int format = 0, length = 0;
    if (memcmp(found, signature, sizeof signature - 1) == 0) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: an HDF5 file that 'masing reduce' did not write, expected "
                                "one of its own",
                                file);
    }
    if (strncmp(found, TITLE, strlen(TITLE)) != 0) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: byte 1: not a file that 'masing reduce' wrote", file);
    }
    if (sscanf(found, TITLE "%d\nbytes %" SCNu64 "%n", &format, &bytes, &length) == 2 &&
        format != FORMAT) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "%s: format %d of a reduced structure, this version reads "
                                "format %d: reduce the structure again",
                                file, format, FORMAT);
    }
    sscanf(right, TITLE "%d\nbytes %" SCNu64, &format, &there);
    return length > 0 && there != bytes
               ? masing_error_set(error, MASING_INVALID,
                                  "%s: byte %" PRIu64 ": the file ends there, expected %" PRIu64
                                  " bytes: it is %s",
                                  file, there, bytes,
                                  there < bytes ? "cut short" : "longer than it was written")
               : masing_error_set(error, MASING_INVALID,
                                  "%s: damaged, or changed by another program: the sum over "
                                  "its bytes is not the one that was written with them",
                                  file);
}

static enum masing_status check_block(const char *file, struct masing_error *error)
{
    char found[REDUCED_FILE_BLOCK + 1] = {0}, right[REDUCED_FILE_BLOCK] = {0};
    FILE *stream = fopen(file, "rb");
    if (!stream) {
        return fail_to_read(file, error);
    }
    size_t got = fread(found, 1, REDUCED_FILE_BLOCK, stream);
    fclose(stream);
    if (got < REDUCED_FILE_BLOCK) {
        return masing_error_set(error, MASING_INVALID,
                                "%s: byte %zu: the file ends there: not a file that 'masing "
                                "reduce' wrote, or cut short",
                                file, got);
    }
    NEED(reduced_file_seal(file, right, error));
    return memcmp(found, right, REDUCED_FILE_BLOCK) == 0
               ? MASING_OK
               : refuse_block(file, found, right, error);
}

/* --- writing ------------------------------------------------------------------------------ */

/* An array [rows][columns], columns 0: [rows] */
static void put(struct hdf5_writer *writer, const char *name, int rows, int columns,
                hid_t file_type, hid_t type, const void *values)
{
    const hsize_t sizes[] = {(hsize_t)rows, (hsize_t)columns};
    hdf5_writer_put(writer, writer->file, name, columns ? 2 : 1, sizes, file_type, type, values,
                    NULL);
}

static void put_doubles(struct hdf5_writer *writer, const char *name, int rows, int columns,
                        const double *values)
{
    put(writer, name, rows, columns, writer->library.file_double, writer->library.native_double,
        values);
}

static void put_ints(struct hdf5_writer *writer, const char *name, int n, const int *values)
{
    put(writer, name, n, 0, writer->library.file_int, writer->library.native_int, values);
}

static void put_texts(struct hdf5_writer *writer, const char *name, int n, char **values)
{
    put(writer, name, n, 0, writer->text, writer->text, values);
}

static void put_attribute(struct hdf5_writer *writer, const char *name, const char *value)
{
    hdf5_writer_text(writer, writer->file, name, value);
}

static void put_all(struct hdf5_writer *h5, const struct masing_structure_spec *structure,
                    const struct reduced_file_text *text)
{
    const struct masing_reduced_structure *reduced = structure->reduced;
    int n = reduced->n, n_sums = reduced->n_combinations;
    put_attribute(h5, "masing", masing_version());
    put_attribute(h5, "command", text->command);
    put_attribute(h5, "source", text->source);
    put_attribute(h5, "basis", text->basis);
    put_texts(h5, "dofs", n, reduced->names);
    put_texts(h5, "all_dofs", structure->n_dofs, structure->dof_names);
    put_ints(h5, "places", n, reduced->dofs);
    put_ints(h5, "n_rigid", 1, &reduced->n_rigid);
    put_doubles(h5, "stiffness", n, n, structure->stiffness);
    put_doubles(h5, "mass", n, n, structure->mass);
    if (structure->damping) {
        put_doubles(h5, "damping", n, n, structure->damping);
    }
    put_doubles(h5, "basis", structure->n_dofs, n, reduced->shapes);
    if (n_sums > 0) {
        put_ints(h5, "are_directions", n_sums, reduced->are_directions);
        put_doubles(h5, "combinations", n_sums, structure->n_dofs, reduced->combinations);
        put_doubles(h5, "inertias", n_sums, n, reduced->inertias);
    }
}

static enum masing_status write_hdf5(FILE *stream,
                                     const struct masing_structure_spec *structure,
                                     const struct reduced_file_text *text, const char *file,
                                     struct masing_error *error)
{
    struct hdf5_writer writer;
    hdf5_writer_open(&writer, file, REDUCED_FILE_BLOCK, error);
    put_all(&writer, structure, text);
    return hdf5_writer_close(&writer, stream);
}

enum masing_status reduced_file_write(const char *file,
                                      const struct masing_structure_spec *structure,
                                      const struct reduced_file_text *text,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct result_file result = {0};
    char block[REDUCED_FILE_BLOCK];
    TRY(result_file_open(file, &result, error));
    if (!result.temporary) {
        TRY(masing_error_set(error, MASING_IO,
                             "%s: cannot write: it needs a regular file in a folder that "
                             "takes new ones",
                             file));
    }
    TRY(write_hdf5(result.stream, structure, text, file, error));
    TRY(reduced_file_seal(result.temporary, block, error));
    if (fseek(result.stream, 0, SEEK_SET) != 0 ||
        fwrite(block, 1, sizeof block, result.stream) != sizeof block) {
        TRY(result_file_fail(file, error));
    }
    TRY(result_file_keep(file, &result, error));
done:
    result_file_drop(&result);
    return status;
}

/* --- Matrix Market ------------------------------------------------------------------------ */

static void put_matrix(FILE *stream, int n, const double *matrix)
{
    size_t rows = (size_t)n;
    fprintf(stream, "%%%%MatrixMarket matrix array real symmetric\n%d %d\n", n, n);
    for (size_t j = 0; j < rows; j++) {
        for (size_t i = j; i < rows; i++) {
            char number[NUMBER_TEXT];
            fprintf(stream, "%s\n", number_print(matrix[i + j * rows], number));
        }
    }
}

/* STEM_mass.mtx and the like; matrix NULL: the names. */
static enum masing_status write_part(const char *stem, const char *part, int n,
                                     const double *matrix, char **names,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct result_file result = {0};
    char *file = memory_format("%.*s_%s", (int)strlen(stem) - 4, stem, part);
    TRY_ALLOCATED(file);
    TRY(result_file_open(file, &result, error));
    if (matrix) {
        put_matrix(result.stream, n, matrix);
    }
    for (int k = 0; !matrix && k < n; k++) {
        fprintf(result.stream, "%s\n", names[k]);
    }
    if (ferror(result.stream) || fflush(result.stream) != 0) {
        TRY(result_file_fail(file, error));
    }
    TRY(result_file_keep(file, &result, error));
done:
    result_file_drop(&result);
    free(file);
    return status;
}

enum masing_status reduced_file_write_matrices(const char *file,
                                               const struct masing_structure_spec *structure,
                                               struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int n = structure->reduced->n;
    char **names = structure->reduced->names;
    TRY(write_part(file, "stiffness.mtx", n, structure->stiffness, names, error));
    TRY(write_part(file, "mass.mtx", n, structure->mass, names, error));
    TRY(structure->damping
            ? write_part(file, "damping.mtx", n, structure->damping, names, error)
            : MASING_OK);
    TRY(write_part(file, "dofs.txt", n, NULL, names, error));
done:
    return status;
}

/* --- reading ------------------------------------------------------------------------------ */

/* A file that is open, and what of it failed first. */
struct h5 {
    struct hdf5_library library;
    const char *name; /* for messages */
    hid_t file, text; /* variable-length UTF-8 */
    enum masing_status status;
    struct masing_error *error;
};

static hid_t make_text_type(const struct h5 *h5)
{
    hid_t type = h5->library.Tcopy(h5->library.c_string);
    h5->library.Tset_size(type, H5T_VARIABLE);
    h5->library.Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static enum masing_status fail(struct h5 *h5, const char *set, const char *what)
{
    h5->status = h5->status ? h5->status
                            : masing_error_set(h5->error, MASING_INVALID, "%s: /%s: %s",
                                               h5->name, set, what);
    return h5->status;
}

/* A data set of this class; sizes [2]: 0 are filled, others expected. Negative: there is none
 * that would do. */
static hid_t open_set(struct h5 *h5, const char *name, H5T_class_t class, int n_dimensions,
                      hsize_t *sizes)
{
    const struct hdf5_library *l = &h5->library;
    hsize_t found[2] = {0};
    if (h5->status || l->Lexists(h5->file, name, H5P_DEFAULT) <= 0) {
        fail(h5, name, "missing");
        return -1;
    }
    hid_t set = l->Dopen2(h5->file, name, H5P_DEFAULT);
    hid_t space = set < 0 ? -1 : l->Dget_space(set), type = set < 0 ? -1 : l->Dget_type(set);
    bool is_right = space >= 0 && type >= 0 && l->Tget_class(type) == class &&
                    (class != H5T_STRING || l->Tis_variable_str(type) > 0) &&
                    l->Sget_simple_extent_ndims(space) == n_dimensions &&
                    l->Sget_simple_extent_dims(space, found, NULL) == n_dimensions;
    for (int i = 0; is_right && i < n_dimensions; i++) {
        is_right = sizes[i] == 0 ? found[i] > 0 && found[i] <= MOST_DOFS : found[i] == sizes[i];
        sizes[i] = found[i];
    }
    if (space >= 0) {
        l->Sclose(space);
    }
    if (type >= 0) {
        l->Tclose(type);
    }
    if (!is_right) {
        fail(h5, name, "not of the size or kind that it should have");
        if (set >= 0) {
            l->Dclose(set);
        }
        return -1;
    }
    return set;
}

static void *read_numbers(struct h5 *h5, const char *name, hsize_t rows, hsize_t columns,
                          bool is_real)
{
    const struct hdf5_library *l = &h5->library;
    hsize_t sizes[] = {rows, columns};
    hid_t set = open_set(h5, name, is_real ? H5T_FLOAT : H5T_INTEGER, columns ? 2 : 1, sizes);
    if (set < 0) {
        return NULL;
    }
    size_t count = (size_t)rows * (size_t)(columns ? columns : 1);
    void *values = memory_array(count, is_real ? sizeof(double) : sizeof(int));
    hid_t type = is_real ? l->native_double : l->native_int;
    if (!values) {
        h5->status = masing_error_set(h5->error, MASING_NO_MEMORY, "out of memory");
    } else if (l->Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        fail(h5, name, "cannot be read");
    }
    l->Dclose(set);
    for (size_t i = 0; !h5->status && is_real && i < count; i++) {
        if (!isfinite(((const double *)values)[i])) {
            fail(h5, name, "holds a number that is not finite");
        }
    }
    return values;
}

/* Names of DOFs, *n of them (0: any number), owned by the caller. */
static char **read_names(struct h5 *h5, const char *name, int *n)
{
    const struct hdf5_library *l = &h5->library;
    hsize_t sizes[] = {(hsize_t)*n};
    hid_t set = open_set(h5, name, H5T_STRING, 1, sizes);
    if (set < 0) {
        return NULL;
    }
    *n = (int)sizes[0];
    hid_t space = l->Dget_space(set);
    char **read = memory_array((size_t)*n, sizeof *read);
    char **names = memory_array((size_t)*n, sizeof *names);
    bool is_good =
        read && names && l->Dread(set, h5->text, H5S_ALL, H5S_ALL, H5P_DEFAULT, read) >= 0;
    bool has_memory = read && names;
    for (int i = 0; is_good && i < *n; i++) {
        is_good = read[i] != NULL;
        names[i] = memory_text(read[i]);
        has_memory = has_memory && (names[i] || !is_good);
    }
    if (!has_memory && !h5->status) {
        h5->status = masing_error_set(h5->error, MASING_NO_MEMORY, "out of memory");
    }
    if (read) {
        l->Dvlen_reclaim(h5->text, space, H5P_DEFAULT, read);
    }
    free(read);
    l->Sclose(space);
    l->Dclose(set);
    if (!is_good) {
        fail(h5, name, "cannot be read");
    }
    return names;
}

static void read_combinations(struct h5 *h5, struct masing_structure_spec *structure)
{
    struct masing_reduced_structure *reduced = structure->reduced;
    hsize_t sizes[] = {0, (hsize_t)structure->n_dofs}, n = (hsize_t)reduced->n;
    if (h5->status || h5->library.Lexists(h5->file, "combinations", H5P_DEFAULT) <= 0) {
        return;
    }
    hid_t set = open_set(h5, "combinations", H5T_FLOAT, 2, sizes);
    if (set >= 0) {
        h5->library.Dclose(set);
        reduced->n_combinations = (int)sizes[0];
        reduced->combinations = read_numbers(h5, "combinations", sizes[0], sizes[1], true);
        reduced->are_directions = read_numbers(h5, "are_directions", sizes[0], 0, false);
        reduced->inertias = read_numbers(h5, "inertias", sizes[0], n, true);
    }
}

/* Each DOF is at most one coordinate, which has a row of its own. */
static void check_places(struct h5 *h5, const struct masing_structure_spec *structure)
{
    const struct masing_reduced_structure *reduced = structure->reduced;
    size_t n = (size_t)reduced->n;
    for (size_t k = 0; !h5->status && k < n; k++) {
        int dof = reduced->dofs[k];
        if (dof < -1 || dof >= structure->n_dofs) {
            fail(h5, "places", "names a DOF that there is not");
        }
        for (size_t j = 0; !h5->status && dof >= 0 && j < n; j++) {
            if (reduced->shapes[(size_t)dof * n + j] != (j == k)) {
                fail(h5, "basis", "does not fit the places of the DOFs");
            }
        }
    }
}

static void read_all(struct h5 *h5, struct masing_structure_spec *structure)
{
    struct masing_reduced_structure *reduced = structure->reduced;
    reduced->names = read_names(h5, "dofs", &reduced->n);
    structure->dof_names = read_names(h5, "all_dofs", &structure->n_dofs);
    if (!h5->status && reduced->n > MOST_COORDINATES) {
        fail(h5, "dofs", "more than can be handled");
    }
    hsize_t n = (hsize_t)reduced->n, n_dofs = (hsize_t)structure->n_dofs;
    reduced->dofs = read_numbers(h5, "places", n, 0, false);
    int *n_rigid = read_numbers(h5, "n_rigid", 1, 0, false);
    reduced->n_rigid = n_rigid ? *n_rigid : 0;
    free(n_rigid);
    if (!h5->status && (reduced->n_rigid < 0 || reduced->n_rigid > reduced->n)) {
        fail(h5, "n_rigid", "not a number of modes");
    }
    structure->stiffness = read_numbers(h5, "stiffness", n, n, true);
    structure->mass = read_numbers(h5, "mass", n, n, true);
    if (!h5->status && h5->library.Lexists(h5->file, "damping", H5P_DEFAULT) > 0) {
        structure->damping = read_numbers(h5, "damping", n, n, true);
    }
    reduced->shapes = read_numbers(h5, "basis", n_dofs, n, true);
    read_combinations(h5, structure);
    check_places(h5, structure);
}

enum masing_status reduced_file_read(const char *file, struct masing_structure_spec *structure,
                                     struct masing_error *error)
{
    struct h5 h5 = {.name = file, .error = error};
    NEED(check_block(file, error));
    NEED_ALLOCATED(structure->reduced = memory_array(1, sizeof *structure->reduced));
    NEED(hdf5_library_hold(&h5.library, error));
    h5.file = h5.library.Fopen(file, HDF5_READ, H5P_DEFAULT);
    h5.text = make_text_type(&h5);
    if (h5.file < 0) {
        h5.status = masing_error_set(error, MASING_INVALID, "%s: no HDF5 file", file);
    } else {
        read_all(&h5, structure);
        h5.library.Fclose(h5.file);
    }
    h5.library.Tclose(h5.text);
    hdf5_library_release(&h5.library);
    return h5.status;
}
