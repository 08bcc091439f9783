/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is put into a packing and a log comes back, as far as it is whole. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/journal.h"
#include "scratch.h"
#include "tap.h"

static char folder[SCRATCH_PATH], file[SCRATCH_PATH + 32];

static const char header[] = "version: 1\nfile MODEL a:b.yaml: 12\noption --vary: x=1,2\n";

/* ---- packings ---- */

struct thing {
    double number;
    char word[8];
    char *text, *none;
    const char *lasting;
    int n;
    double *list; /* [n] */
    struct masing_cell cells[4];
};

static void walk(struct packing *packing, struct thing *thing)
{
    static const char *const words[] = {"zero", "static", NULL};
    PACK(packing, thing->number);
    packing_string(packing, thing->word, sizeof thing->word);
    packing_text(packing, &thing->text);
    packing_text(packing, &thing->none);
    packing_word(packing, &thing->lasting, words);
    thing->n = packing_count(packing, thing->n, sizeof *thing->list);
    packing_array(packing, (void **)&thing->list, thing->n, sizeof *thing->list);
    packing_row(packing, thing->cells, 4);
}

static struct thing specimen(double *list)
{
    return (struct thing){
        .number = -0.0,
        .word = "seven77",
        .text = (char *)"a\nb",
        .lasting = "static",
        .n = 2,
        .list = list,
        .cells = {{.number = 1.0 / 3.0},
                  {.number = NAN, .text = "peak; at", .events = 5, .joint = 3},
                  {.number = NAN, .text = "", .joint = -1},
                  {.number = INFINITY}},
    };
}

static void check_thing(const struct thing *thing)
{
    CHECK(thing->number == 0.0 && signbit(thing->number));
    CHECK(strcmp(thing->word, "seven77") == 0);
    CHECK(thing->text && strcmp(thing->text, "a\nb") == 0 && !thing->none);
    CHECK(thing->lasting && strcmp(thing->lasting, "static") == 0);
    CHECK(thing->n == 2 && thing->list && thing->list[1] == 0.1);
    CHECK(thing->cells[0].number == 1.0 / 3.0 && !thing->cells[0].text);
    CHECK(thing->cells[0].joint == 0 && thing->cells[0].events == 0);
    CHECK(thing->cells[1].text && strcmp(thing->cells[1].text, "peak; at") == 0);
    CHECK(isnan(thing->cells[1].number) && thing->cells[1].events == 5 &&
          thing->cells[1].joint == 3);
    CHECK(thing->cells[2].text && thing->cells[2].text[0] == '\0' &&
          thing->cells[2].joint == -1);
    CHECK(isinf(thing->cells[3].number));
}

static void clear_thing(struct thing *thing)
{
    free(thing->text);
    free(thing->none);
    free(thing->list);
}

static void what_is_put_is_taken(void)
{
    double list[2] = {1e300, 0.1};
    struct thing put = specimen(list), taken = {0};
    struct packing packing = {0};
    struct masing_error error = {0};
    walk(&packing, &put);
    CHECK(packing_end(&packing, &error) == MASING_OK);
    packing.is_taking = true;
    walk(&packing, &taken);
    CHECK(packing_end(&packing, &error) == MASING_OK && packing.at == packing.n);
    check_thing(&taken);
    clear_thing(&taken);
    packing_clear(&packing);
}

static void what_is_cut_is_refused(void)
{
    double list[2] = {1e300, 0.1};
    struct thing put = specimen(list);
    struct packing packing = {0};
    walk(&packing, &put);
    size_t n = packing.n;
    for (size_t cut = 0; cut < n; cut++) {
        struct thing taken = {0};
        struct masing_error error = {0};
        packing.n = cut;
        packing.at = 0;
        packing.is_taking = true;
        packing.status = MASING_OK;
        walk(&packing, &taken);
        CHECK(packing_end(&packing, &error) == MASING_INVALID && error.message[0]);
        clear_thing(&taken);
    }
    packing_clear(&packing);
}

/* ---- logs ---- */

static enum masing_status open_log(bool is_resumed, const char *text, const char *kernels,
                                   struct masing_journal **journal, struct masing_error *error)
{
    const struct masing_journal_request request = {.size = sizeof request,
                                                   .file = file,
                                                   .header = text,
                                                   .kernels = kernels,
                                                   .is_resumed = is_resumed};
    *journal = NULL;
    return masing_journal_open(&request, journal, error);
}

/* Bytes of a task that tell which it is; many zeros among them. */
static void add(struct masing_journal *journal, int task)
{
    struct packing entry = {0};
    double numbers[40] = {[3] = 1.0 / 3.0, [39] = task};
    packing_bytes(&entry, numbers, sizeof numbers);
    journal_add(journal, task, &entry);
    packing_clear(&entry);
}

static bool has(const struct masing_journal *journal, int task)
{
    struct packing entry;
    double numbers[40] = {0};
    bool is_found = false;
    CHECK(journal_find(journal, task, &entry, &is_found, NULL) == MASING_OK);
    if (is_found) {
        packing_bytes(&entry, numbers, sizeof numbers);
        CHECK(entry.status == MASING_OK && entry.at == entry.n);
        CHECK(numbers[3] == 1.0 / 3.0 && numbers[4] == 0.0 && numbers[39] == task);
    }
    packing_clear(&entry);
    return is_found;
}

/* A log of tasks 2, 0 and 5. */
static void make_log(void)
{
    struct masing_journal *journal;
    CHECK(open_log(false, header, "A", &journal, NULL) == MASING_OK);
    if (journal) {
        add(journal, 2);
        add(journal, 0);
        add(journal, 5);
        CHECK(masing_journal_check(journal, NULL) == MASING_OK);
    }
    masing_journal_close(journal);
}

static void write_file(const char *text, size_t length)
{
    FILE *stream = fopen(file, "wb");
    CHECK(stream && fwrite(text, 1, length, stream) == length);
    if (stream) {
        fclose(stream);
    }
}

static void tasks_are_found_again(void)
{
    struct masing_journal *journal;
    make_log();
    CHECK(open_log(true, header, "A", &journal, NULL) == MASING_OK);
    CHECK(masing_journal_tasks(journal) == 3 && !masing_journal_other_kernels(journal) &&
          !masing_journal_finished(journal));
    CHECK(has(journal, 0) && has(journal, 2) && has(journal, 5));
    CHECK(!has(journal, 1) && !has(journal, 6) && !has(journal, -1));
    CHECK(masing_journal_finish(journal, "all", NULL) == MASING_OK);
    masing_journal_close(journal);
    CHECK(open_log(true, header, "B", &journal, NULL) == MASING_OK);
    CHECK(strcmp(masing_journal_finished(journal), "all") == 0 && has(journal, 5));
    CHECK(strcmp(masing_journal_other_kernels(journal), "A") == 0);
    CHECK(masing_journal_finish(journal, NULL, NULL) == MASING_OK);
    masing_journal_close(journal);
    CHECK(access(file, F_OK) != 0);
}

/* The last line counts when all of it is there; what is appended then is whole again. */
static void a_cut_line_counts_as_not_written(void)
{
    size_t length = 0;
    make_log();
    char *text = scratch_read(file, &length);
    size_t last = length - 1;
    while (text && last > 0 && text[last - 1] != '\n') {
        last--;
    }
    for (size_t cut = 0; text && cut <= length; cut++) {
        struct masing_journal *journal;
        int n = cut == length ? 3 : 2;
        write_file(text, cut);
        CHECK(open_log(true, header, "A", &journal, NULL) == MASING_OK);
        CHECK(cut < last || masing_journal_tasks(journal) == n);
        CHECK(has(journal, 5) == (cut == length));
        add(journal, 5);
        masing_journal_close(journal);
        CHECK(open_log(true, header, "A", &journal, NULL) == MASING_OK);
        CHECK(has(journal, 5) && (cut < last || (has(journal, 0) && has(journal, 2))));
        masing_journal_close(journal);
    }
    free(text);
}

static void a_damaged_line_is_left_out(void)
{
    struct masing_journal *journal;
    size_t length = 0;
    make_log();
    char *text = scratch_read(file, &length);
    char *line = text ? strstr(text, "task 0 ") : NULL;
    if (CHECK(line)) {
        line[9] = line[9] == '1' ? '2' : '1';
        write_file(text, length);
        CHECK(open_log(true, header, "A", &journal, NULL) == MASING_OK);
        CHECK(masing_journal_tasks(journal) == 2 && !has(journal, 0) && has(journal, 5));
        masing_journal_close(journal);
    }
    free(text);
}

/* What was there stays, byte for byte. */
static void check_refused(const char *other, const char *message)
{
    struct masing_journal *journal;
    struct masing_error error = {0};
    char *before = scratch_read(file, NULL);
    CHECK(open_log(true, other, "A", &journal, &error) == MASING_INVALID && !journal);
    if (!CHECK(strstr(error.message, message))) {
        printf("# %s\n", error.message);
    }
    char *after = scratch_read(file, NULL);
    CHECK(before && after && strcmp(before, after) == 0);
    free(before);
    free(after);
}

static void another_run_is_refused(void)
{
    make_log();
    check_refused("version: 1\nfile MODEL a:b.yaml: 13\noption --vary: x=1,2\n",
                  "MODEL a:b.yaml has changed");
    check_refused("version: 2\nfile MODEL a:b.yaml: 12\noption --vary: x=1,2\n",
                  "then version: 1, now version: 2");
    check_refused("version: 1\nfile MODEL a:b.yaml: 12\noption --vary: x=1,3\n",
                  "then option --vary: x=1,2, now option --vary: x=1,3");
    check_refused("version: 1\nfile MODEL a:b.yaml: 12\noption --at: 1\noption --vary: x=1,2\n",
                  "then nothing, now option --at: 1");
    check_refused("version: 1\nfile MODEL a:b.yaml: 12\n",
                  "then option --vary: x=1,2, now nothing");
}

static void a_file_of_something_else_stays(void)
{
    struct masing_journal *journal;
    struct masing_error error = {0};
    write_file("my notes\n", 9);
    CHECK(open_log(false, header, "A", &journal, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "no log of masing"));
    check_refused(header, "no log of masing");
    remove(file);
}

/* Lines that are there stay whole, and nothing more is written. */
static void a_full_disk_is_told(void)
{
    struct masing_journal *journal;
    struct masing_error error = {0};
    struct rlimit before, limit;
    size_t length = 0;
    make_log();
    free(scratch_read(file, &length));
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = length + 20;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(open_log(true, header, "A", &journal, NULL) == MASING_OK);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    add(journal, 7);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    add(journal, 8);
    CHECK(masing_journal_check(journal, &error) == MASING_IO);
    CHECK(strstr(error.message, "x.csv.log: cannot write: "));
    masing_journal_close(journal);
    CHECK(open_log(true, header, "A", &journal, NULL) == MASING_OK);
    CHECK(masing_journal_tasks(journal) == 3 && !has(journal, 7) && !has(journal, 8));
    masing_journal_close(journal);
}

/* A process that has the log for so long, in seconds; at most a minute. */
static pid_t hold(double seconds)
{
    int ends[2];
    char is_open = 0;
    CHECK(pipe(ends) == 0);
    pid_t process = fork();
    if (process == 0) {
        struct masing_journal *journal;
        is_open = open_log(true, header, "A", &journal, NULL) == MASING_OK;
        const struct timespec pause = {(time_t)seconds,
                                       (long)(1e9 * (seconds - floor(seconds)))};
        is_open = write(ends[1], &is_open, 1) == 1;
        nanosleep(&pause, NULL);
        _exit(!is_open);
    }
    CHECK(read(ends[0], &is_open, 1) == 1 && is_open);
    close(ends[0]);
    close(ends[1]);
    return process;
}

static void a_process_that_is_ending_is_waited_for(void)
{
    struct masing_journal *journal;
    struct masing_error error = {0};
    pid_t process = hold(0.3);
    CHECK(open_log(true, header, "A", &journal, NULL) == MASING_OK);
    masing_journal_close(journal);
    CHECK(waitpid(process, NULL, 0) == process);
    process = hold(60.0);
    CHECK(open_log(true, header, "A", &journal, &error) == MASING_INVALID);
    CHECK(strstr(error.message, "another run is writing this log"));
    CHECK(open_log(false, header, "A", &journal, NULL) == MASING_INVALID);
    CHECK(kill(process, SIGKILL) == 0 && waitpid(process, NULL, 0) == process);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"what is put is taken", what_is_put_is_taken},
        {"what is cut is refused", what_is_cut_is_refused},
        {"tasks are found again", tasks_are_found_again},
        {"a cut line counts as not written", a_cut_line_counts_as_not_written},
        {"a damaged line is left out", a_damaged_line_is_left_out},
        {"another run is refused", another_run_is_refused},
        {"a file of something else stays", a_file_of_something_else_stays},
        {"a full disk is told", a_full_disk_is_told},
        {"a process that is ending is waited for", a_process_that_is_ending_is_waited_for},
    };
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.csv.log", folder);
    int result = tap_run(tests, sizeof tests / sizeof *tests);
    remove(file);
    rmdir(folder);
    return result;
}
