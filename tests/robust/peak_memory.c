/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of followed peaks and of their map: the library's allocations fail in turn. */
#include <stdlib.h>
#include <string.h>

#include "masing/peak.h"
#include "scratch.h"
#include "tap.h"
#include "wrapped_memory.h"

static const char text[] = "masing: 1\n"
                           "structure:\n"
                           "  masses: {a: 1.0, b: 1.0}\n"
                           "  springs:\n"
                           "    - {from: ground, to: a, stiffness: 16000}\n"
                           "    - {from: ground, to: b, stiffness: 40000}\n"
                           "    - {from: a, to: b, stiffness: 3000}\n"
                           "  damping: {modal_ratio: 0.02}\n"
                           "joints:\n"
                           "  - {name: damper, law: jenkins, from: ground, to: a,\n"
                           "     stiffness: 20000, slip_force: 3}\n"
                           "loads:\n"
                           "  - {name: one, dof: a, amplitude: 2}\n"
                           "  - {name: other, dof: b, amplitude: 3}\n"
                           "frequency: [15, 40]\n"
                           "harmonics: [1]\n"
                           "outputs: [{name: sum, weights: {a: 1, b: 1}}]\n";

/* Two maxima that cross, the lowest peak, and numbers of the structure where nothing moves. */
static enum masing_status follow_to(const char *parameter, double from, double to,
                                    const char *other, const struct masing_sink *rows,
                                    struct masing_error *error)
{
    const double values[] = {from, 0.5 * (from + to), to}, others[] = {0.9, 1.0};
    struct masing_document *document = NULL;
    struct masing_peak_summary summary = {0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, error);
    if (status == MASING_OK) {
        const struct masing_peak_request request = {.document = document,
                                                    .parameter = parameter,
                                                    .from = from,
                                                    .to = to,
                                                    .n_values = 3,
                                                    .values = values,
                                                    .n_guards = 1,
                                                    .other = other,
                                                    .n_others = 2,
                                                    .others = others,
                                                    .is_minimized = true};
        const struct masing_response_options options = {0};
        status = masing_peak_follow(&request, &options, rows, &summary, error);
    }
    masing_peak_summary_clear(&summary);
    masing_document_destroy(document);
    return status;
}

static enum masing_status follow_map(struct masing_error *error)
{
    static const struct masing_plot_settings settings = {.kind = MASING_PLOT_MAP,
                                                         .title = "Map",
                                                         .x_column = "damper.slip_force",
                                                         .y_column = "load_factor",
                                                         .value_column = "sum_max",
                                                         .value_label = "Peak",
                                                         .event_column = "event"};
    char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];
    struct masing_sink picture;
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.svg", folder);
    enum masing_status status = masing_plot_create(file, &settings, &picture, error);
    if (status == MASING_OK) {
        status = follow_to("damper.slip_force", 4.0, 12.0, "load_factor", &picture, error);
        picture.destroy(picture.context);
    }
    remove(file);
    rmdir(folder);
    return status;
}

static enum masing_status follow_structure(struct masing_error *error)
{
    return follow_to("structure.springs.2.stiffness", 3000.0, 3600.0, NULL, NULL, error);
}

static void map_without_memory(void)
{
    sweep(follow_map, tap_most(61, 509));
}

static void structure_without_memory(void)
{
    sweep(follow_structure, tap_most(487, 4001));
}

static const struct tap_test tests[] = {
    {"allocations of a map fail", map_without_memory},
    {"allocations along a number of the structure fail", structure_without_memory},
};

TAP_MAIN(tests)
