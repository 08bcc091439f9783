/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cblas.h>

#include "linalg/one_thread.h"
#include "tap.h"

/* 1 where BLAS is built without threads */
static int ask_for_two(void)
{
    openblas_set_num_threads(2);
    return openblas_get_num_threads();
}

static void the_last_release_gives_the_number_back(void)
{
    int before = ask_for_two();
    limit_blas_to_one_thread();
    CHECK(openblas_get_num_threads() == 1);
    limit_blas_to_one_thread();
    release_blas();
    CHECK(openblas_get_num_threads() == 1);
    release_blas();
    CHECK(openblas_get_num_threads() == before);
}

/* Whoever else uses BLAS in the same process may have asked for more threads meanwhile. */
static void what_others_set_meanwhile_stays(void)
{
    openblas_set_num_threads(3);
    limit_blas_to_one_thread();
    int meanwhile = ask_for_two();
    release_blas();
    CHECK(openblas_get_num_threads() == meanwhile);
}

static const struct tap_test tests[] = {
    {"the last release gives the number back", the_last_release_gives_the_number_back},
    {"what others set meanwhile stays", what_others_set_meanwhile_stays},
};

TAP_MAIN(tests)
