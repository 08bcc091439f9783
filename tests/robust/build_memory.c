/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every allocation of a model built by a program fails once in turn: said so, nothing lost. */
#include "failing_memory.h"

#include "masing/build.h"
#include "masing/result.h"
#include "tap.h"

static enum masing_status build(struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = masing_spec_add_mass(spec, "m1", 1, error);
    status = status ? status : masing_spec_add_damper(spec, "ground", "m1", 1, error);
    status = status ? status : masing_spec_add_load(spec, "shaker", "m1", 1, error);
    status = status ? status : masing_spec_add_static_load(spec, "m1", 1, error);
    status = status ? status : masing_spec_add_mass(spec, "m2", 1, error);
    status = status ? status : masing_spec_add_spring(spec, "ground", "m1", 10, error);
    status =
        status ? status
               : masing_spec_add_joint(spec, "j", masing_law_find("linear"), "m1", "m2", error);
    status = status ? status : masing_spec_set(spec, "j.stiffness", 1, error);
    status = status
                 ? status
                 : masing_spec_add_output(spec, "m2", NULL, NULL, MASING_DISPLACEMENT, error);
    status = status ? status : masing_spec_set(spec, "harmonics", 3, error);
    return status ? status : masing_spec_set(spec, "structure.damping.modal_ratio", 0.1, error);
}

static enum masing_status fill(const struct masing_sink *sink, struct masing_error *error)
{
    static const struct masing_column columns[] = {{"x", MASING_COLUMN_REAL},
                                                   {"event", MASING_COLUMN_TEXT}};
    enum masing_status status = sink->open(sink->context, columns, 2, error);
    for (int i = 0; i < 100 && status == MASING_OK; i++) {
        const struct masing_cell cells[] = {{.number = i}, {.text = i % 50 ? NULL : "fold"}};
        status = sink->row(sink->context, cells, error);
    }
    return status;
}

static enum masing_status run(struct masing_error *error)
{
    struct masing_spec *spec = NULL;
    struct masing_result *result = NULL;
    enum masing_status status = masing_spec_create(&spec, error);
    status = status ? status : build(spec, error);
    status = status ? status : masing_result_create(&result, error);
    status = status ? status : fill(masing_result_sink(result), error);
    masing_result_destroy(result);
    masing_spec_destroy(spec);
    return status;
}

static void each_allocation_fails_once(void)
{
    struct masing_error error = {0};
    long n = 0;
    bool has_failed = true;
    CHECK(run(&error) == MASING_OK);
    for (; has_failed; n++) {
        masing_error_clear(&error);
        failing_memory_arm(n);
        enum masing_status status = run(&error);
        has_failed = failing_memory_disarm();
        CHECK(status == (has_failed ? MASING_NO_MEMORY : MASING_OK));
        CHECK(error.status == status);
    }
    CHECK(n > 30);
}

static const struct tap_test tests[] = {
    {"each allocation fails once", each_allocation_fails_once},
};

TAP_MAIN(tests)
