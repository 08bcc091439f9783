/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that hold all tables of a run: what goes in comes back bit for bit, by the libraries
 * themselves; texts stay texts. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "data/libraries/hdf5_library.h"
#include "data/libraries/matio_library.h"
#include "data/tree/tree.h"
#include "masing/report.h"
#include "masing/response.h"
#include "scratch.h"
#include "tap.h"

/* Three curves of 2, 1 and 3 rows, of which the second has another number of harmonics. Names
 * that become equal, or are no names of MATLAB. */
enum { PARAMETER, SLASH, SCORE, EVENT, HIGHEST, ORDERS, FIRST, SECOND, N_COLUMNS, N_ROWS = 6 };

static const struct masing_column columns[N_COLUMNS] = {
    [PARAMETER] = {"k/m", MASING_COLUMN_REAL},
    [SLASH] = {"a/b", MASING_COLUMN_REAL},
    [SCORE] = {"a_b", MASING_COLUMN_REAL},
    [EVENT] = {"event", MASING_COLUMN_TEXT},
    [HIGHEST] = {"harmonics", MASING_COLUMN_INTEGER},
    [ORDERS] = {MASING_COLUMN_ORDERS, MASING_COLUMN_LIST},
    [FIRST] = {MASING_COLUMN_COEFFICIENTS "x", MASING_COLUMN_COMPLEX},
    [SECOND] = {MASING_COLUMN_COEFFICIENTS "\xC3\xBC/y", MASING_COLUMN_COMPLEX},
};

static const double orders[3] = {0, 1, 3};

static int curve_of(int row)
{
    return row < 2 ? 0 : row < 3 ? 1 : 2;
}

static int harmonics_of(int row)
{
    return curve_of(row) == 1 ? 3 : 2;
}

/* Part 0 or 1 of a coefficient. */
static double coefficient(int row, int signal, int k, int part)
{
    return (part ? -1.0 : 1.0) / (3.0 + row + 10 * signal + 100 * k);
}

static void put_row(const struct masing_sink *sink, int row)
{
    double values[2][6];
    int n = harmonics_of(row);
    struct masing_error error = {0};
    for (int i = 0; i < 2 * 2 * n; i++) {
        values[i / (2 * n)][i % (2 * n)] =
            coefficient(row, i / (2 * n), i % (2 * n) / 2, i % 2);
    }
    const struct masing_cell cells[N_COLUMNS] = {
        [PARAMETER] = {.number = 0.1 * (1 + curve_of(row))},
        [SLASH] = {.number = 1.0 / (3 + row)},
        [SCORE] = {.number = row == 4 ? NAN : -1.0 * row},
        [EVENT] = {.text = row == 1 ? "\xC3\xBC, \xF0\x9D\x84\x9E" : NULL},
        [HIGHEST] = {.number = 7 + row},
        [ORDERS] = {.number = n, .values = orders},
        [FIRST] = {.number = 2.0 * n, .values = values[0]},
        [SECOND] = {.number = 2.0 * n, .values = values[1]},
    };
    CHECK(sink->row(sink->context, cells, &error) == MASING_OK);
}

/* The second half of the rows through a part, as curves of a study come. */
static struct masing_report *make_report(void)
{
    struct masing_report *report = NULL;
    struct masing_error error = {0};
    struct masing_sink sink, part, peaks;
    const struct masing_report_table table = {.name = "curves", .parameter = "k/m"};
    CHECK(masing_report_create(&report, &error) == MASING_OK);
    CHECK(masing_report_add(report, &table, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, N_COLUMNS, &error) == MASING_OK);
    for (int row = 0; row < 3; row++) {
        put_row(&sink, row);
    }
    CHECK(sink.fork(sink.context, &part, &error) == MASING_OK);
    for (int row = 3; row < N_ROWS; row++) {
        put_row(&part, row);
    }
    CHECK(sink.join(sink.context, &part, &error) == MASING_OK);
    part.destroy(part.context);
    CHECK(masing_report_add(report, &(struct masing_report_table){.name = "peaks"}, &peaks,
                            &error) == MASING_OK);
    CHECK(peaks.open(peaks.context, columns, 2, &error) == MASING_OK);
    return report;
}

static const char *unit(void *context, const char *column)
{
    (void)context;
    return strcmp(column, "a/b") == 0 ? "m" : NULL;
}

static const struct masing_report_run described = {
    .command = "masing study", .model = "masing: 1\n", .unit = unit};

static void write_file(char *file, const char *folder, const char *name)
{
    struct masing_error error = {0};
    struct masing_report *report = make_report();
    snprintf(file, SCRATCH_PATH + 32, "%s/%s", folder, name);
    if (!CHECK(masing_report_write(report, file, &described, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    masing_report_destroy(report);
}

/* The last file, and the folder where it was the only one. */
static void scratch_remove(const char *folder, const char *file)
{
    remove(file);
    rmdir(folder);
}

/* ---- HDF5 ---- */

static void read_set(const struct hdf5_library *l, hid_t file, const char *name, hid_t type,
                     size_t n, void *values)
{
    hid_t set = l->Dopen2(file, name, H5P_DEFAULT);
    hid_t space = l->Dget_space(set);
    hsize_t sizes[8] = {0};
    size_t count = 1;
    int rank = l->Sget_simple_extent_ndims(space);
    l->Sget_simple_extent_dims(space, sizes, NULL);
    for (int i = 0; i < rank; i++) {
        count *= sizes[i];
    }
    if (CHECK(set >= 0 && count == n)) {
        CHECK(l->Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    l->Sclose(space);
    l->Dclose(set);
}

static void check_curve(const struct hdf5_library *l, hid_t file, int curve, int first, int end)
{
    char name[64];
    double numbers[8] = {0}, complex[64] = {0};
    int harmonics[4] = {0}, n = harmonics_of(first);
    size_t n_rows = (size_t)(end - first);
    hid_t pair = l->Tcreate(H5T_COMPOUND, 16);
    l->Tinsert(pair, "r", 0, l->native_double);
    l->Tinsert(pair, "i", 8, l->native_double);
    snprintf(name, sizeof name, "/curves/%04d/a_b", curve);
    read_set(l, file, name, l->native_double, n_rows, numbers);
    CHECK(numbers[0] == 1.0 / (3 + first));
    snprintf(name, sizeof name, "/curves/%04d/a_b_2", curve);
    read_set(l, file, name, l->native_double, n_rows, numbers);
    CHECK(numbers[0] == -first && (curve != 2 || isnan(numbers[1])));
    snprintf(name, sizeof name, "/curves/%04d/harmonics", curve);
    read_set(l, file, name, l->native_int, (size_t)n, harmonics);
    CHECK(harmonics[0] == 0 && harmonics[1] == 1 && (n < 3 || harmonics[2] == 3));
    snprintf(name, sizeof name, "/curves/%04d/harmonics_2", curve);
    read_set(l, file, name, l->native_double, n_rows, numbers);
    CHECK(numbers[n_rows - 1] == 7 + end - 1);
    snprintf(name, sizeof name, "/curves/%04d/coefficients", curve);
    read_set(l, file, name, pair, n_rows * 2 * (size_t)n, complex);
    for (int i = 0; i < (int)n_rows * 2 * n * 2; i++) {
        int row = first + i / (4 * n), signal = i / (2 * n) % 2, k = i / 2 % n;
        CHECK(complex[i] == coefficient(row, signal, k, i % 2));
    }
    l->Tclose(pair);
}

static void hdf5_holds_every_bit(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct hdf5_library l;
    struct masing_error error = {0};
    char *texts[2] = {0};
    scratch_make(folder);
    write_file(file, folder, "a.h5");
    if (CHECK(hdf5_library_hold(&l, &error) == MASING_OK)) {
        hid_t h5 = l.Fopen(file, HDF5_READ, H5P_DEFAULT), text = l.Tcopy(l.c_string);
        l.Tset_size(text, H5T_VARIABLE);
        l.Tset_cset(text, H5T_CSET_UTF8);
        check_curve(&l, h5, 0, 0, 2);
        check_curve(&l, h5, 1, 2, 3);
        check_curve(&l, h5, 2, 3, 6);
        CHECK(l.Lexists(h5, "/curves/0003", H5P_DEFAULT) <= 0);
        CHECK(l.Lexists(h5, "/peaks/k_m", H5P_DEFAULT) > 0);
        read_set(&l, h5, "/curves/0000/event", text, 2, texts);
        CHECK(texts[0] && !*texts[0] && strcmp(texts[1], "\xC3\xBC, \xF0\x9D\x84\x9E") == 0);
        free(texts[0]);
        free(texts[1]);
        read_set(&l, h5, "/signals", text, 2, texts);
        CHECK(strcmp(texts[0], "x") == 0 && strcmp(texts[1], "\xC3\xBC/y") == 0);
        free(texts[0]);
        free(texts[1]);
        l.Tclose(text);
        l.Fclose(h5);
        hdf5_library_release(&l);
    }
    scratch_remove(folder, file);
}

static void the_same_bytes_come_again(void)
{
    static const char *const names[] = {"a.h5", "b.h5", "a.mat", "b.mat", "a.html", "b.html"};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    char *bytes[6];
    size_t lengths[6] = {0};
    scratch_make(folder);
    for (int i = 0; i < 6; i++) {
        write_file(file, folder, names[i]);
        bytes[i] = scratch_read(file, &lengths[i]);
        remove(file);
    }
    for (int i = 0; i < 6; i += 2) {
        CHECK(lengths[i] > 100 && lengths[i] == lengths[i + 1] &&
              memcmp(bytes[i], bytes[i + 1], lengths[i]) == 0);
    }
    for (int i = 0; i < 6; i++) {
        free(bytes[i]);
    }
    scratch_remove(folder, file);
}

/* ---- MATLAB ---- */

static matvar_t *field_of(matvar_t *whole, size_t index, const char *name)
{
    char *const *names = Mat_VarGetStructFieldnames(whole);
    size_t n = Mat_VarGetNumberOfFields(whole);
    for (size_t f = 0; f < n; f++) {
        if (strcmp(names[f], name) == 0) {
            return ((matvar_t *const *)whole->data)[index * n + f];
        }
    }
    printf("# there is no field %s\n", name);
    return NULL;
}

static void matlab_holds_every_bit(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    scratch_make(folder);
    write_file(file, folder, "a.mat");
    mat_t *mat = Mat_Open(file, MAT_ACC_RDONLY);
    matvar_t *curves = mat ? Mat_VarRead(mat, "curves") : NULL;
    if (CHECK(curves && curves->class_type == MAT_C_STRUCT && curves->dims[1] == 3)) {
        matvar_t *score = field_of(curves, 2, "a_b_2");
        matvar_t *c = field_of(curves, 2, "coefficients");
        matvar_t *value = field_of(field_of(curves, 1, "attributes"), 0, "k_m");
        CHECK(field_of(curves, 0, "k_m") && field_of(curves, 0, "harmonics_2"));
        CHECK(value && *(double *)value->data == 0.2);
        CHECK(score && ((double *)score->data)[0] == -3 && isnan(((double *)score->data)[1]));
        CHECK(c && c->rank == 3 && c->dims[0] == 3 && c->dims[1] == 2 && c->dims[2] == 2);
        const mat_complex_split_t *parts = c ? c->data : NULL;
        for (size_t i = 0; parts && i < 12; i++) { /* the first index runs fastest */
            int row = 3 + (int)(i % 3), signal = (int)(i / 3 % 2), k = (int)(i / 6);
            CHECK(((double *)parts->Re)[i] == coefficient(row, signal, k, 0));
            CHECK(((double *)parts->Im)[i] == coefficient(row, signal, k, 1));
        }
    }
    Mat_VarFree(curves);
    Mat_Close(mat);
    scratch_remove(folder, file);
}

static void what_matlab_cannot_hold_is_refused(void)
{
    static const double values[100];
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_error error = {0};
    struct tree_array array = {
        .name = "x", .type = TREE_REAL, .rank = 1, .sizes = {100}, .values = values};
    struct tree_group group = {.name = "curves", .n_arrays = 1, .arrays = &array};
    struct tree_group root = {.name = "/", .n_groups = 1, .groups = &group};
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/a.mat", folder);
    CHECK(tree_write_matlab(&root, file, "a.mat", 800, &error) == MASING_UNSUPPORTED);
    CHECK(strstr(error.message, "a.mat: 'curves' takes") != NULL);
    CHECK(access(file, F_OK) != 0);
    CHECK(tree_write_matlab(&root, file, "a.mat", 8000, NULL) == MASING_OK);
    array.sizes[0] = 1u << 30; /* nothing of it is touched */
    CHECK(tree_write_matlab(&root, file, "a.mat", 0, NULL) == MASING_UNSUPPORTED);
    scratch_remove(folder, file);
}

static void leave_name(char *name)
{
    (void)name;
}

static void names_stay_apart(void)
{
    struct tree_array arrays[4] = {
        {.name = "abcdef"}, {.name = "abcdeg"}, {.name = "abcde"}, {.name = "abcdeh"}};
    struct arena arena = {0};
    const char **names = NULL;
    CHECK(tree_names(arrays, 4, leave_name, 5, &arena, &names, NULL) == MASING_OK);
    CHECK(strcmp(names[0], "abcde") == 0 && strcmp(names[1], "abc_2") == 0);
    CHECK(strcmp(names[2], "abc_3") == 0 && strcmp(names[3], "abc_4") == 0);
    CHECK(tree_digits(3) == 4 && tree_digits(10000) == 4 && tree_digits(10001) == 5);
    arena_clear(&arena);
}

/* ---- pages ---- */

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++) {
        n++;
    }
    return n;
}

static void texts_stay_texts(void)
{
    static const char bad[] = "</script><script>alert(1)</script><img src=x onerror=a>\"'&\x01";
    static const struct masing_column of_page[] = {{"x", MASING_COLUMN_REAL},
                                                   {"<script>y", MASING_COLUMN_REAL},
                                                   {"event", MASING_COLUMN_TEXT}};
    static const struct masing_plot_settings picture = {.title = bad,
                                                        .x_column = "x",
                                                        .y_column = "<script>y",
                                                        .x_label = bad,
                                                        .y_label = bad,
                                                        .event_column = "event",
                                                        .group_label = bad};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    const char *const warnings[] = {bad};
    const struct masing_report_run run = {.command = bad,
                                          .model = bad,
                                          .title = bad,
                                          .ending = bad,
                                          .n_warnings = 1,
                                          .warnings = warnings};
    const struct masing_report_table table = {.name = "curves", .picture = &picture};
    struct masing_report *report = NULL;
    struct masing_error error = {0};
    struct masing_sink sink;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/a.html", folder);
    CHECK(masing_report_create(&report, &error) == MASING_OK);
    CHECK(masing_report_add(report, &table, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, of_page, 3, &error) == MASING_OK);
    for (int i = 0; i < 3; i++) {
        const struct masing_cell cells[] = {
            {.number = i}, {.number = i * i}, {.text = bad, .events = 1}};
        CHECK(sink.row(sink.context, cells, &error) == MASING_OK);
    }
    CHECK(masing_report_write(report, file, &run, &error) == MASING_OK);
    size_t length = 0;
    char *page = scratch_read(file, &length);
    if (CHECK(page != NULL)) {
        CHECK(count(page, "<script") == 3 && count(page, "</script") == 3);
        CHECK(count(page, "<img") == 0 && count(page, "alert(1)") > 3);
        CHECK(count(page, "\x01") == 0);
        CHECK(count(page, "http") == count(page, "http://www.w3.org/") +
                                         count(page, "https://github.com/leeoniya/uPlot") +
                                         count(page, "http-equiv"));
    }
    free(page);
    masing_report_destroy(report);
    scratch_remove(folder, file);
}

static void what_is_needed_is_refused(void)
{
    struct masing_error error = {0};
    struct masing_report *report = NULL;
    struct masing_sink sink;
    const struct masing_report_table table = {.name = "curves"};
    CHECK(masing_report_create(NULL, &error) == MASING_INVALID);
    CHECK(masing_report_create(&report, NULL) == MASING_OK);
    CHECK(masing_report_add(NULL, &table, &sink, &error) == MASING_INVALID);
    CHECK(masing_report_add(report, NULL, &sink, &error) == MASING_INVALID);
    CHECK(masing_report_add(report, &table, NULL, &error) == MASING_INVALID);
    CHECK(masing_report_write(report, NULL, NULL, &error) == MASING_INVALID);
    CHECK(masing_report_write(NULL, "x.h5", NULL, &error) == MASING_INVALID);
    CHECK(masing_report_write(report, "x.txt", NULL, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "x.txt: expected .h5, .mat or .html") != NULL);
    CHECK(masing_report_check("no/such/x.h5", &error) == MASING_IO);
    CHECK(masing_report_check(NULL, NULL) == MASING_INVALID);
    masing_report_destroy(report);
    masing_report_destroy(NULL);
}

static const struct tap_test tests[] = {
    {"HDF5 holds every bit", hdf5_holds_every_bit},
    {"the same bytes come again", the_same_bytes_come_again},
    {"a file of MATLAB holds every bit", matlab_holds_every_bit},
    {"what a file of MATLAB cannot hold is refused", what_matlab_cannot_hold_is_refused},
    {"names stay apart", names_stay_apart},
    {"texts of a page stay texts", texts_stay_texts},
    {"what is needed is refused", what_is_needed_is_refused},
};

TAP_MAIN(tests)
