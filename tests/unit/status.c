/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/status.h"

#include <string.h>

#include "tap.h"

static void first_writer_wins(void)
{
    struct masing_error error = {0};
    CHECK(masing_error_set(&error, MASING_INVALID, "first %d", 1) == MASING_INVALID);
    CHECK(masing_error_set(&error, MASING_IO, "second") == MASING_IO);
    CHECK(error.status == MASING_INVALID);
    CHECK(strcmp(error.message, "first 1") == 0);
    CHECK(masing_error_set(NULL, MASING_IO, "nobody listens") == MASING_IO);
}

static void every_status_has_a_name(void)
{
    for (int status = MASING_INTERNAL; status <= MASING_STOPPED; status++) {
        CHECK(strcmp(masing_status_name((enum masing_status)status), "unknown status") != 0);
    }
}

static const struct tap_test tests[] = {
    {"the first writer of an error record wins", first_writer_wins},
    {"every status has a name", every_status_has_a_name},
};

TAP_MAIN(tests)
