/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded, deterministic fuzz run: seeds changed at random places, the same in every run.
 * A finding ends the program (FUZZ_DEMAND, a sanitizer); its input is left in a file that
 * LLVMFuzzerTestOneInput takes: PROGRAM FILE runs that alone.
 */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "robust/fuzz.h"
#include "scratch.h"
#include "tap.h"

enum { MOST_SEEDS = 64, MOST_BYTES = 6000, RUNS = 8000, LEAST_RUNS = 200 };
static const double most_seconds = 2.0;

struct input {
    size_t size;
    char bytes[2 * MOST_BYTES];
};

static struct input seeds[MOST_SEEDS], current;
static int n_seeds;
static uint64_t state = 0x9E3779B97F4A7C15u;

static size_t draw(size_t below)
{
    state ^= state << 13; /* Marsaglia (2003), xorshift */
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (size_t)(state >> 11) % below : 0;
}

static void add_seed(const char *bytes, size_t size)
{
    if (n_seeds < MOST_SEEDS) {
        seeds[n_seeds].size = size < MOST_BYTES ? size : MOST_BYTES;
        memcpy(seeds[n_seeds].bytes, bytes, seeds[n_seeds].size);
        n_seeds++;
    }
}

static int has_ending(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), ending = strlen(fuzz_ending);
    return length > ending && !strcmp(entry->d_name + length - ending, fuzz_ending);
}

static void collect_seeds(void)
{
    char folder[SCRATCH_PATH], file[2 * SCRATCH_PATH];
    struct dirent **entries = NULL;
    const char *root = getenv("MASING_SOURCE_ROOT");
    for (const char *const *seed = fuzz_seeds; *seed; seed++) {
        add_seed(*seed, strlen(*seed));
    }
    snprintf(folder, sizeof folder, "%s/%s", root ? root : ".", fuzz_folder);
    int n = scandir(folder, &entries, has_ending, alphasort);
    for (int i = 0; i < n; i++) {
        size_t length;
        snprintf(file, sizeof file, "%s/%.200s", folder, entries[i]->d_name);
        char *text = scratch_read(file, &length);
        if (text) {
            add_seed(text, length);
        }
        free(text);
        free(entries[i]);
    }
    free(entries);
}

/* Put bytes in the place of @p removed others. */
static void replace(struct input *input, size_t at, size_t removed, const char *bytes,
                    size_t size)
{
    if (input->size - removed + size > MOST_BYTES) {
        return;
    }
    memmove(input->bytes + at + size, input->bytes + at + removed, input->size - at - removed);
    memcpy(input->bytes + at, bytes, size);
    input->size += size - removed;
}

static void mutate(struct input *input)
{
    char piece[256];
    size_t at = draw(input->size + 1), left = input->size - at, n_words = 0;
    size_t length = draw(left < sizeof piece ? left + 1 : sizeof piece);
    const struct input *other = &seeds[draw((size_t)n_seeds)];
    while (fuzz_words[n_words]) {
        n_words++;
    }
    const char *word = fuzz_words[draw(n_words)];
    switch (draw(8)) {
    case 0: /* a bit */
        if (left) {
            input->bytes[at] = (char)(input->bytes[at] ^ (1 << draw(8)));
        }
        break;
    case 1: /* a byte */
        piece[0] = (char)draw(256);
        replace(input, at, left > 0, piece, 1);
        break;
    case 2: /* a word more */
    case 3:
        replace(input, at, 0, word, strlen(word));
        break;
    case 4: /* a word instead */
        replace(input, at, length < 12 ? length : 12 * (left > 12), word, strlen(word));
        break;
    case 5: /* a piece less */
        replace(input, at, length, "", 0);
        break;
    case 6: /* a piece twice */
        memcpy(piece, input->bytes + at, length);
        replace(input, draw(input->size + 1), 0, piece, length);
        break;
    default: /* a piece of another seed */
        length = draw(other->size < sizeof piece ? other->size + 1 : sizeof piece);
        replace(input, at, 0, other->bytes + draw(other->size - length + 1), length);
        break;
    }
}

static void run(const struct input *input)
{
    uint8_t *copy = malloc(input->size ? input->size : 1); /* its end is watched */
    if (copy) {
        memcpy(copy, input->bytes, input->size);
        LLVMFuzzerTestOneInput(copy, input->size);
    }
    free(copy);
}

static char folder[SCRATCH_PATH], last[SCRATCH_PATH + 16];

/* The input stays behind if the run does not come back. */
static void keep(int descriptor, const struct input *input)
{
    if (ftruncate(descriptor, 0) != 0 ||
        pwrite(descriptor, input->bytes, input->size, 0) != (ssize_t)input->size) {
        perror(last);
        exit(99);
    }
}

static void mutated_seeds(void)
{
    int count = 0, descriptor = open(last, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    clock_t start = clock();
    while (count < RUNS && (double)(clock() - start) < most_seconds * CLOCKS_PER_SEC) {
        current = seeds[draw((size_t)n_seeds)];
        for (size_t n = draw(4) + 1; n > 0; n--) {
            mutate(&current);
        }
        keep(descriptor, &current);
        run(&current);
        count++;
    }
    close(descriptor);
    printf("# %d runs from %d seeds\n", count, n_seeds);
    CHECK(count >= LEAST_RUNS);
}

static void the_seeds_themselves(void)
{
    for (int i = 0; i < n_seeds; i++) {
        run(&seeds[i]);
    }
    CHECK(n_seeds > 0);
}

static const struct tap_test tests[] = {
    {"the seeds themselves", the_seeds_themselves},
    {"mutated seeds", mutated_seeds},
};

int main(int count, char **arguments)
{
    if (count > 1) {
        size_t length;
        char *text = scratch_read(arguments[1], &length);
        if (text) {
            LLVMFuzzerTestOneInput((const uint8_t *)text, length);
        }
        free(text);
        return text ? 0 : 1;
    }
    collect_seeds();
    scratch_make(folder);
    snprintf(last, sizeof last, "%s/last-input", folder);
    fprintf(stderr, "input of a finding: %s\n", last);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    remove(last);
    rmdir(folder);
    return result;
}
