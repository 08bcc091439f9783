/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A structure is reduced, written and read again while each of the library's allocations fails
 * once in turn. */
#include <stdlib.h>
#include <string.h>

#include "masing/reduce.h"
#include "scratch.h"
#include "tap.h"
#include "wrapped_memory.h"

static const char text[] =
    "masing: 1\n"
    "structure:\n"
    "  masses: {m1: 1, m2: 1, m3: 2, m4: 1, m5: 1}\n"
    "  springs:\n"
    "    - {from: ground, to: m1, stiffness: 41339}\n"
    "    - {from: m1, to: m2, stiffness: 41328}\n"
    "    - {from: m2, to: m3, stiffness: 41328}\n"
    "    - {from: m3, to: m4, stiffness: 41328}\n"
    "    - {from: m4, to: m5, stiffness: 41328}\n"
    "  dampers: [{from: m2, to: m4, damping: 3}]\n"
    "joints:\n"
    "  - {name: damper, law: jenkins, from: ground, to: m1, stiffness: 40000, slip_force: 3}\n"
    "loads: [{dof: m5, amplitude: 1}]\n"
    "static_loads: [{acceleration: 1, direction: {m1: 1, m2: 1, m3: 1, m4: 1, m5: 1}}]\n"
    "frequency: [10, 24]\n"
    "harmonics: 2\n"
    "outputs: [m5, m1]\n";

static char folder[SCRATCH_PATH], rom[SCRATCH_PATH + 16], stem[SCRATCH_PATH + 16];

static enum masing_status reduce_with(const struct masing_reduce_options *options,
                                      struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_reduction *reduction = NULL;
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, error);
    status = status ? status : masing_reduce(document, NULL, 0, options, &reduction, error);
    status = status ? status : masing_reduction_write(reduction, rom, "reduce", error);
    status = status ? status : masing_reduction_write(reduction, stem, "reduce", error);
    masing_reduction_destroy(reduction);
    masing_document_destroy(document);
    return status;
}

static enum masing_status reduce_fixed(struct masing_error *error)
{
    static const char *const keep[] = {"m3"};
    const struct masing_reduce_options options = {.n_modes = 1, .n_keep = 1, .keep = keep};
    return reduce_with(&options, error);
}

static enum masing_status reduce_free(struct masing_error *error)
{
    const struct masing_reduce_options options = {.basis = MASING_BASIS_FREE};
    return reduce_with(&options, error);
}

static enum masing_status read_again(struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    char small[2048], where[SCRATCH_PATH + 16];
    snprintf(where, sizeof where, "%s/m.yaml", folder);
    snprintf(small, sizeof small, "masing: 1\nstructure: {reduced: rom.h5}\n%s",
             strstr(text, "joints:"));
    enum masing_status status =
        masing_document_parse(small, strlen(small), where, &document, error);
    status = status ? status : masing_document_model(document, NULL, 0, &model, error);
    masing_model_destroy(model);
    masing_document_destroy(document);
    return status;
}

static void reducing_without_memory(void)
{
    sweep(reduce_fixed, tap_most(1, 7));
    sweep(reduce_free, tap_most(3, 11));
}

static void reading_without_memory(void)
{
    struct masing_error error = {0};
    CHECK(reduce_fixed(&error) == MASING_OK);
    sweep(read_again, tap_most(1, 7));
}

static const struct tap_test tests[] = {
    {"allocations of a reduction fail", reducing_without_memory},
    {"allocations fail where it is read", reading_without_memory},
};

int main(void)
{
    scratch_make(folder);
    snprintf(rom, sizeof rom, "%s/rom.h5", folder);
    snprintf(stem, sizeof stem, "%s/rom.mtx", folder);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    static const char *const names[] = {"rom.h5", "rom_mass.mtx", "rom_stiffness.mtx",
                                        "rom_damping.mtx", "rom_dofs.txt"};
    for (int i = 0; i < 5; i++) {
        char file[SCRATCH_PATH + 32];
        snprintf(file, sizeof file, "%s/%s", folder, names[i]);
        remove(file);
    }
    remove(folder);
    return result;
}
