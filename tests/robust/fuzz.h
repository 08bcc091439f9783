/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzz target is one file with the entry point that libFuzzer knows, so that it works with
 * both drivers:
 *   clang -fsanitize=fuzzer,address -Iinclude -Isrc -Itests tests/robust/fuzz_model.c ...
 *   fuzz_driver.c, a short deterministic run in the test suite.
 */
#ifndef MASING_TESTS_ROBUST_FUZZ_H
#define MASING_TESTS_ROBUST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* For fuzz_driver.c: texts to begin with (NULL-terminated), and words that mean something. */
extern const char *const fuzz_seeds[];
extern const char *const fuzz_words[];
/* Folder below the source root and ending of further seeds; NULL: none. */
extern const char *const fuzz_folder, *const fuzz_ending;

/* What must hold for any input. */
#define FUZZ_DEMAND(condition)                                                                 \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                           \
        }                                                                                      \
    } while (0)

#endif
