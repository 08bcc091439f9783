/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "masing/table.h"
#include "scratch.h"
#include "tap.h"

static const struct masing_column columns[] = {
    {"x, with comma", MASING_COLUMN_REAL},
    {"event", MASING_COLUMN_TEXT},
    {"n", MASING_COLUMN_INTEGER},
};
enum { N_COLUMNS = 3 };

static void make_name(char *file, const char *folder, const char *name)
{
    snprintf(file, SCRATCH_PATH + 32, "%s/%s", folder, name);
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* xorshift64: any bit pattern, so that subnormal and huge numbers are met too */
static double any_double(uint64_t *state)
{
    double number;
    do {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        memcpy(&number, state, sizeof number);
    } while (!isfinite(number));
    return number;
}

static void numbers_come_back_bit_for_bit(void)
{
    enum { N_ROWS = 2000 };
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_sink sink;
    struct masing_error error = {0};
    uint64_t state = 88172645463325252u;
    scratch_make(folder);
    make_name(file, folder, "numbers.csv");
    CHECK(masing_csv_create(file, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, N_COLUMNS, &error) == MASING_OK);
    for (int i = 0; i < N_ROWS; i++) {
        struct masing_cell cells[] = {
            {.number = any_double(&state)}, {.text = "at"}, {.number = i}};
        CHECK(sink.row(sink.context, cells, &error) == MASING_OK);
    }
    CHECK(sink.finish(sink.context, &error) == MASING_OK);
    sink.destroy(sink.context);

    char *text = scratch_read(file, NULL), *at = text;
    CHECK(text && strncmp(text, "\"x, with comma\",event,n\n", 24) == 0);
    state = 88172645463325252u;
    for (int i = 0; at && i < N_ROWS; i++) {
        at = strchr(at, '\n') + 1;
        char *end;
        CHECK(bits_of(strtod(at, &end)) == bits_of(any_double(&state)));
        CHECK(strncmp(end, ",at,", 4) == 0 && atoi(end + 4) == i);
    }
    free(text);
    remove(file);
    rmdir(folder);
}

static void texts_are_quoted_and_gaps_are_empty(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_sink sink;
    struct masing_error error = {0};
    scratch_make(folder);
    make_name(file, folder, "texts.csv");
    CHECK(masing_csv_create(file, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, N_COLUMNS, &error) == MASING_OK);
    const struct masing_cell rows[][N_COLUMNS] = {
        {{.number = 0.5}, {.text = "fold, slip onset"}, {.number = 3}},
        {{.number = NAN}, {.number = 0}, {.number = INFINITY}},
        {{.number = -0.0}, {.text = "say \"so\"\nhere"}, {.number = -7}},
    };
    for (int i = 0; i < 3; i++) {
        CHECK(sink.row(sink.context, rows[i], &error) == MASING_OK);
    }
    sink.abandon(sink.context);
    sink.destroy(sink.context);
    char *text = scratch_read(file, NULL);
    const char *expected = "\"x, with comma\",event,n\n0.5,\"fold, slip onset\",3\n,,\n"
                           "-0,\"say \"\"so\"\"\nhere\",-7\n";
    CHECK(text && strcmp(text, expected) == 0);
    free(text);
    remove(file);
    rmdir(folder);
}

static void put(const char *file, const char *text)
{
    FILE *stream = fopen(file, "w");
    if (CHECK(stream != NULL)) {
        fputs(text, stream);
        fclose(stream);
    }
}

static bool holds(const char *file, const char *expected)
{
    char *text = scratch_read(file, NULL);
    bool is_it = text && strcmp(text, expected) == 0;
    free(text);
    return is_it;
}

/* It is under its own name in the same folder until the end, and the earlier file stays. */
static void a_row_that_took_a_while_is_on_disk_at_once(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32], own[SCRATCH_PATH + 96];
    struct masing_sink sink;
    struct masing_error error = {0};
    const struct timespec pause = {.tv_nsec = 2000000};
    scratch_make(folder);
    make_name(file, folder, "slow.csv");
    snprintf(own, sizeof own, "%s.unfinished-%ld-0", file, (long)getpid());
    put(file, "earlier\n");
    CHECK(masing_csv_create(file, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 1, &error) == MASING_OK);
    for (int i = 0; i < 3; i++) {
        struct masing_cell cell = {.number = i};
        nanosleep(&pause, NULL);
        CHECK(sink.row(sink.context, &cell, &error) == MASING_OK);
        CHECK(holds(file, "earlier\n"));
        char *text = scratch_read(own, NULL), *line = text ? strchr(text, '\n') : NULL;
        for (int j = 0; line && j < i; j++) {
            line = strchr(line + 1, '\n');
        }
        CHECK(line && atoi(line + 1) == i && strchr(line + 1, '\n'));
        free(text);
    }
    sink.abandon(sink.context);
    char *text = scratch_read(file, NULL);
    CHECK(text && strstr(text, "\n0\n1\n2\n"));
    free(text);
    CHECK(access(own, F_OK) != 0);
    sink.destroy(sink.context);
    remove(file);
    CHECK(rmdir(folder) == 0);
}

/* Nothing was computed: what an earlier run left is better than nothing. */
static void an_earlier_file_stays_where_there_are_no_rows(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_sink sink;
    struct masing_error error = {0};
    scratch_make(folder);
    make_name(file, folder, "none.csv");
    put(file, "earlier\n");
    CHECK(masing_csv_create(file, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 1, &error) == MASING_OK);
    sink.abandon(sink.context);
    CHECK(holds(file, "earlier\n"));
    sink.destroy(sink.context);
    CHECK(masing_csv_create(file, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 1, &error) == MASING_OK);
    CHECK(sink.finish(sink.context, &error) == MASING_OK); /* complete, though empty */
    CHECK(!holds(file, "earlier\n"));
    sink.destroy(sink.context);
    remove(file);
    CHECK(rmdir(folder) == 0);
}

/* The file behind the link is replaced and keeps its permissions; the link stays a link. */
static void links_and_permissions_stay(void)
{
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32], link[SCRATCH_PATH + 32];
    struct masing_sink sink;
    struct masing_error error = {0};
    struct stat found;
    scratch_make(folder);
    make_name(file, folder, "real.csv");
    make_name(link, folder, "link.csv");
    put(file, "earlier\n");
    CHECK(chmod(file, 0640) == 0 && symlink("real.csv", link) == 0);
    CHECK(masing_csv_create(link, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 1, &error) == MASING_OK);
    CHECK(sink.finish(sink.context, &error) == MASING_OK);
    sink.destroy(sink.context);
    CHECK(!holds(file, "earlier\n"));
    CHECK(lstat(link, &found) == 0 && S_ISLNK(found.st_mode));
    CHECK(stat(file, &found) == 0 && (found.st_mode & 0777) == 0640);
    remove(link);
    remove(file);
    CHECK(rmdir(folder) == 0);
}

static void failures_are_reported(void)
{
    struct masing_sink sink;
    struct masing_error missing = {0}, full = {0};
    CHECK(masing_csv_create("/no/such/folder/x.csv", &sink, &missing) == MASING_OK);
    CHECK(sink.open(sink.context, columns, N_COLUMNS, &missing) == MASING_IO);
    CHECK(strstr(missing.message, "/no/such/folder/x.csv") != NULL);
    sink.abandon(sink.context);
    sink.destroy(sink.context);

    CHECK(masing_csv_create("/dev/full", &sink, &full) == MASING_OK);
    CHECK(sink.open(sink.context, columns, N_COLUMNS, &full) == MASING_IO);
    CHECK(strstr(full.message, "/dev/full") != NULL);
    sink.abandon(sink.context);
    sink.destroy(sink.context);
}

/* Row i of a table whose texts are short, or of many thousand bytes here and there. */
static enum masing_status put_row(const struct masing_sink *sink, int i, const char *length,
                                  struct masing_error *error)
{
    const struct masing_cell cells[] = {{.number = 1.0 / (i / 3 + 1)},
                                        {.text = i % 997 == 0 ? length : "a \"word\"\n"},
                                        {.number = i}};
    return sink->row(sink->context, cells, error);
}

/* Parts are filled in another order than they are taken, with rows of the table between them;
 * one stays empty and one is lost. */
static void rows_of_parts_are_those_of_the_table(void)
{
    enum { N_PARTS = 5, N_ROWS = 3000, LONG = 100000 };
    static char length[LONG + 1];
    char folder[SCRATCH_PATH], files[2][SCRATCH_PATH + 32];
    struct masing_sink one, all, parts[N_PARTS] = {{0}};
    struct masing_error error = {0};
    memset(length, 'l', LONG);
    scratch_make(folder);
    make_name(files[0], folder, "one.csv");
    make_name(files[1], folder, "all.csv");
    CHECK(masing_csv_create(files[0], &one, &error) == MASING_OK);
    CHECK(masing_csv_create(files[1], &all, &error) == MASING_OK);
    CHECK(one.open(one.context, columns, N_COLUMNS, &error) == MASING_OK);
    CHECK(all.open(all.context, columns, N_COLUMNS, &error) == MASING_OK);
    for (int p = N_PARTS - 1; p >= 0; p--) {
        CHECK(all.fork(all.context, &parts[p], &error) == MASING_OK);
        for (int i = 0; p != 2 && i < N_ROWS; i++) {
            CHECK(put_row(&parts[p], p * N_ROWS + i, length, &error) == MASING_OK);
        }
    }
    for (int p = 0; p < N_PARTS; p++) {
        CHECK(p == 3 || all.join(all.context, &parts[p], &error) == MASING_OK);
        parts[p].destroy(parts[p].context);
        CHECK(put_row(&all, -p, length, &error) == MASING_OK);
        for (int i = 0; p != 2 && p != 3 && i < N_ROWS; i++) {
            CHECK(put_row(&one, p * N_ROWS + i, length, &error) == MASING_OK);
        }
        CHECK(put_row(&one, -p, length, &error) == MASING_OK);
    }
    CHECK(one.finish(one.context, &error) == MASING_OK);
    CHECK(all.finish(all.context, &error) == MASING_OK);
    one.destroy(one.context);
    all.destroy(all.context);
    char *expected = scratch_read(files[0], NULL);
    CHECK(expected && strlen(expected) > 10 * LONG && holds(files[1], expected));
    free(expected);
    remove(files[0]);
    remove(files[1]);
    rmdir(folder);
}

/* The system takes some of the part and no more: whole lines of it stay. */
static void a_part_that_does_not_fit_is_reported(void)
{
    enum { N_ROWS = 20000, MOST = 150000 };
    struct rlimit before, limit;
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_sink sink, part;
    struct masing_error error = {0};
    scratch_make(folder);
    make_name(file, folder, "full.csv");
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = MOST;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(masing_csv_create(file, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 1, &error) == MASING_OK);
    CHECK(sink.fork(sink.context, &part, &error) == MASING_OK);
    for (int i = 0; i < N_ROWS; i++) {
        struct masing_cell cell = {.number = 0.1 * i};
        CHECK(part.row(part.context, &cell, &error) == MASING_OK);
    }
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(sink.join(sink.context, &part, &error) == MASING_IO);
    CHECK(strstr(error.message, "full.csv: cannot write: ") != NULL);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    part.destroy(part.context);
    sink.abandon(sink.context);
    sink.destroy(sink.context);
    char *text = scratch_read(file, NULL);
    size_t size = text ? strlen(text) : 0;
    CHECK(size > MOST / 2 && size <= MOST && text[size - 1] == '\n');
    free(text);
    remove(file);
    rmdir(folder);
}

static void a_comma_locale_changes_nothing(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "cs_CZ.UTF-8"};
    const char *found = NULL;
    for (int i = 0; i < 4 && !found; i++) {
        found = setlocale(LC_NUMERIC, names[i]);
    }
    if (!found) {
        printf("# no locale with a decimal comma is installed: checked in the C locale\n");
    }
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];
    struct masing_sink sink;
    struct masing_error error = {0};
    scratch_make(folder);
    make_name(file, folder, "locale.csv");
    CHECK(masing_csv_create(file, &sink, &error) == MASING_OK);
    CHECK(sink.open(sink.context, columns, 1, &error) == MASING_OK);
    struct masing_cell cell = {.number = 1.5};
    CHECK(sink.row(sink.context, &cell, &error) == MASING_OK);
    CHECK(sink.finish(sink.context, &error) == MASING_OK);
    sink.destroy(sink.context);
    setlocale(LC_NUMERIC, "C");
    char *text = scratch_read(file, NULL);
    CHECK(text && strstr(text, "\n1.5\n") != NULL);
    free(text);
    remove(file);
    rmdir(folder);
}

static const struct tap_test tests[] = {
    {"numbers come back bit for bit", numbers_come_back_bit_for_bit},
    {"texts are quoted and gaps are empty", texts_are_quoted_and_gaps_are_empty},
    {"a row that took a while is on disk at once", a_row_that_took_a_while_is_on_disk_at_once},
    {"an earlier file stays where there are no rows",
     an_earlier_file_stays_where_there_are_no_rows},
    {"links and permissions stay", links_and_permissions_stay},
    {"failures are reported with the file's name", failures_are_reported},
    {"rows of parts are those of the table", rows_of_parts_are_those_of_the_table},
    {"a part that does not fit is reported, whole lines stay",
     a_part_that_does_not_fit_is_reported},
    {"a decimal comma of the locale changes nothing", a_comma_locale_changes_nothing},
};

TAP_MAIN(tests)
