/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HDF5 files written from beginning to end: groups, arrays, attributes; the first failure is
 * kept, and what comes after it does nothing. The library puts them together in memory, and we
 * write them: it crashes when the process ends where it could not write a file to a full disk
 * (1.10), and does not tell why it could not.
 */
#ifndef MASING_DATA_HDF5_WRITER_H
#define MASING_DATA_HDF5_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "data/libraries/hdf5_library.h"

struct hdf5_writer {
    struct hdf5_library library;
    bool is_held;
    const char *name; /* for messages */
    hid_t access;     /* how the file is kept */
    hid_t file;       /* the root group as well */
    hid_t text;       /* variable-length UTF-8 */
    hid_t complex;    /* two doubles r and i, as NumPy has them */
    hid_t timeless;   /* data sets without a time: the same bytes again */
    enum masing_status status;
    struct masing_error *error; /* lent */
};

/*
 * Hold the library and begin a file. block: bytes in front of the HDF5 data, or 0. name: of the
 * file in messages. What fails is told when it is closed.
 */
void hdf5_writer_open(struct hdf5_writer *writer, const char *name, hsize_t block,
                      struct masing_error *error);
/* Write all of it to a stream, if nothing failed; the first failure. */
enum masing_status hdf5_writer_close(struct hdf5_writer *writer, FILE *stream);

/* A group in another one, which is ended with the next; -1 after a failure. */
hid_t hdf5_writer_group(struct hdf5_writer *writer, hid_t place, const char *name);
void hdf5_writer_end_group(struct hdf5_writer *writer, hid_t group);

/* An array [sizes[0]]... of so many dimensions; unit: its attribute, or NULL. */
void hdf5_writer_put(struct hdf5_writer *writer, hid_t place, const char *name, int rank,
                     const hsize_t *sizes, hid_t file_type, hid_t type, const void *values,
                     const char *unit);

/* n 0: one value */
void hdf5_writer_attribute(struct hdf5_writer *writer, hid_t place, const char *name, hsize_t n,
                           hid_t type, const void *values);
void hdf5_writer_text(struct hdf5_writer *writer, hid_t place, const char *name,
                      const char *text);

#endif
