/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "data/libraries/hdf5_writer.h"

#include "base/result_file.h"

static void note(struct hdf5_writer *writer, bool is_good)
{
    if (!is_good && writer->status == MASING_OK) {
        writer->status = masing_error_set(writer->error, MASING_IO,
                                          "%s: cannot write: HDF5 failed", writer->name);
    }
}

static void make_types(struct hdf5_writer *writer)
{
    const struct hdf5_library *l = &writer->library;
    writer->text = l->Tcopy(l->c_string);
    l->Tset_size(writer->text, H5T_VARIABLE);
    l->Tset_cset(writer->text, H5T_CSET_UTF8);
    writer->complex = l->Tcreate(H5T_COMPOUND, 2 * sizeof(double));
    l->Tinsert(writer->complex, "r", 0, l->native_double);
    l->Tinsert(writer->complex, "i", sizeof(double), l->native_double);
    writer->timeless = l->Pcreate(l->set_create);
    l->Pset_obj_track_times(writer->timeless, 0);
}

void hdf5_writer_open(struct hdf5_writer *writer, const char *name, hsize_t block,
                      struct masing_error *error)
{
    enum { STEP = 1 << 20 }; /* by which its memory grows, bytes */
    *writer = (struct hdf5_writer){.name = name, .error = error};
    const struct hdf5_library *l = &writer->library;
    writer->status = hdf5_library_hold(&writer->library, error);
    writer->is_held = writer->status == MASING_OK;
    if (writer->is_held) {
        hid_t settings = l->Pcreate(l->file_create);
        writer->access = l->Pcreate(l->file_access);
        l->Pset_userblock(settings, block);
        l->Pset_fapl_core(writer->access, STEP, false);
        writer->file = l->Fcreate(name, HDF5_ANEW, settings, writer->access);
        l->Pclose(settings);
        make_types(writer);
        note(writer, writer->file >= 0);
    }
}

static void write_image(struct hdf5_writer *writer, FILE *stream)
{
    const struct hdf5_library *l = &writer->library;
    void *image = NULL;
    hsize_t size = 0;
    note(writer, l->Fflush(writer->file, H5F_SCOPE_GLOBAL) >= 0);
    note(writer, l->Fget_filesize(writer->file, &size) >= 0);
    note(writer, l->Fget_vfd_handle(writer->file, writer->access, &image) >= 0);
    if (writer->status == MASING_OK &&
        (fwrite(*(void **)image, 1, size, stream) != size || fflush(stream) != 0)) {
        writer->status = result_file_fail(writer->name, writer->error);
    }
}

enum masing_status hdf5_writer_close(struct hdf5_writer *writer, FILE *stream)
{
    const struct hdf5_library *l = &writer->library;
    if (writer->is_held) {
        if (writer->status == MASING_OK) {
            write_image(writer, stream);
        }
        note(writer, writer->file < 0 || l->Fclose(writer->file) >= 0);
        l->Tclose(writer->text);
        l->Tclose(writer->complex);
        l->Pclose(writer->timeless);
        l->Pclose(writer->access);
        hdf5_library_release(&writer->library);
    }
    return writer->status;
}

hid_t hdf5_writer_group(struct hdf5_writer *writer, hid_t place, const char *name)
{
    hid_t group = -1;
    if (writer->status == MASING_OK) {
        group = writer->library.Gcreate2(place, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        note(writer, group >= 0);
    }
    return group;
}

void hdf5_writer_end_group(struct hdf5_writer *writer, hid_t group)
{
    note(writer, group < 0 || writer->library.Gclose(group) >= 0);
}

void hdf5_writer_put(struct hdf5_writer *writer, hid_t place, const char *name, int rank,
                     const hsize_t *sizes, hid_t file_type, hid_t type, const void *values,
                     const char *unit)
{
    const struct hdf5_library *l = &writer->library;
    bool is_empty = false;
    if (writer->status != MASING_OK) {
        return;
    }
    for (int i = 0; i < rank; i++) {
        is_empty = is_empty || sizes[i] == 0;
    }
    hid_t space = l->Screate_simple(rank, sizes, NULL);
    hid_t set =
        l->Dcreate2(place, name, file_type, space, H5P_DEFAULT, writer->timeless, H5P_DEFAULT);
    note(writer, set >= 0);
    if (set >= 0) {
        note(writer,
             is_empty || l->Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        if (unit) {
            hdf5_writer_text(writer, set, "unit", unit);
        }
        note(writer, l->Dclose(set) >= 0);
    }
    l->Sclose(space);
}

void hdf5_writer_attribute(struct hdf5_writer *writer, hid_t place, const char *name, hsize_t n,
                           hid_t type, const void *values)
{
    const struct hdf5_library *l = &writer->library;
    if (writer->status != MASING_OK) {
        return;
    }
    hid_t space = n ? l->Screate_simple(1, &n, NULL) : l->Screate(H5S_SCALAR);
    hid_t attribute = l->Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    note(writer, attribute >= 0);
    if (attribute >= 0) {
        note(writer, l->Awrite(attribute, type, values) >= 0);
        note(writer, l->Aclose(attribute) >= 0);
    }
    l->Sclose(space);
}

void hdf5_writer_text(struct hdf5_writer *writer, hid_t place, const char *name,
                      const char *text)
{
    hdf5_writer_attribute(writer, place, name, 0, writer->text, &text);
}
