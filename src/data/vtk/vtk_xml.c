/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "base/check.h"
#include "base/result_file.h"
#include "data/vtk/vtk.h"

/* Arrays behind the text, each with its bytes as an integer of 64 bits before it. */
struct appended {
    FILE *stream;
    uint64_t offset; /* of the next array */
};

static size_t bytes_of_places(const struct vtk_grid *grid)
{
    return (size_t)grid->offsets[grid->n_cells] * sizeof *grid->connectivity;
}

static size_t bytes_of_array(const struct vtk_grid *grid, int n_components)
{
    return grid->n_points * (size_t)n_components * sizeof(double);
}

static void announce(struct appended *to, const char *type, const char *name, int n_components,
                     size_t bytes)
{
    fprintf(to->stream,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
            "format=\"appended\" offset=\"%llu\"/>\n",
            type, name, n_components, (unsigned long long)to->offset);
    to->offset += sizeof(uint64_t) + bytes;
}

static void append(const struct appended *to, const void *values, size_t bytes)
{
    const uint64_t size = bytes;
    fwrite(&size, sizeof size, 1, to->stream);
    fwrite(values, 1, bytes, to->stream);
}

static void put_text(struct appended *to, const struct vtk_grid *grid)
{
    const union {
        uint16_t word;
        unsigned char bytes[2];
    } order = {.word = 1};
    fprintf(to->stream,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
            "byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n"
            "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<Points>\n",
            order.bytes[0] ? "LittleEndian" : "BigEndian", grid->n_points, grid->n_cells);
    announce(to, "Float64", "Points", 3, bytes_of_array(grid, 3));
    fputs("</Points>\n<Cells>\n", to->stream);
    announce(to, "Int64", "connectivity", 1, bytes_of_places(grid));
    announce(to, "Int64", "offsets", 1, grid->n_cells * sizeof *grid->offsets);
    announce(to, "UInt8", "types", 1, grid->n_cells);
    fputs("</Cells>\n<PointData>\n", to->stream);
    for (int a = 0; a < grid->n_arrays; a++) {
        const struct vtk_array *array = &grid->arrays[a];
        announce(to, "Float64", array->name, array->n_components,
                 bytes_of_array(grid, array->n_components));
    }
    fputs("</PointData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
          to->stream);
}

static void put_arrays(const struct appended *to, const struct vtk_grid *grid)
{
    append(to, grid->points, bytes_of_array(grid, 3));
    append(to, grid->connectivity, bytes_of_places(grid));
    append(to, grid->offsets + 1, grid->n_cells * sizeof *grid->offsets);
    append(to, grid->types, grid->n_cells);
    for (int a = 0; a < grid->n_arrays; a++) {
        append(to, grid->arrays[a].values, bytes_of_array(grid, grid->arrays[a].n_components));
    }
    fputs("\n</AppendedData>\n</VTKFile>\n", to->stream);
}

static enum masing_status keep(const char *file, struct result_file *result,
                               struct masing_error *error)
{
    NEED(ferror(result->stream) ? result_file_fail(file, error) : MASING_OK);
    return result_file_keep(file, result, error);
}

enum masing_status vtk_write_xml(const char *file, const struct vtk_grid *grid,
                                 struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct result_file result = {0};
    TRY(result_file_open(file, &result, error));
    struct appended to = {.stream = result.stream};
    put_text(&to, grid);
    put_arrays(&to, grid);
    TRY(keep(file, &result, error));
done:
    result_file_drop(&result);
    return status;
}

/* A name as an attribute's value. */
static void put_escaped(FILE *stream, const char *text)
{
    for (; *text; text++) {
        const char *word = *text == '&'   ? "&amp;"
                           : *text == '<' ? "&lt;"
                           : *text == '"' ? "&quot;"
                                          : NULL;
        if (word) {
            fputs(word, stream);
        } else {
            fputc(*text, stream);
        }
    }
}

enum masing_status vtk_write_collection(const char *file, int n, const double *times,
                                        char *const *files, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct result_file result = {0};
    TRY(result_file_open(file, &result, error));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
          "<Collection>\n",
          result.stream);
    for (int i = 0; i < n; i++) {
        fprintf(result.stream, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"", times[i]);
        put_escaped(result.stream, files[i]);
        fputs("\"/>\n", result.stream);
    }
    fputs("</Collection>\n</VTKFile>\n", result.stream);
    TRY(keep(file, &result, error));
done:
    result_file_drop(&result);
    return status;
}
