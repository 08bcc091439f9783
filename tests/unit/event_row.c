/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds, joint and text of what happens at a point. */
#include "analyses/curve/event_row.h"

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "response.h"

static struct masing_model *two_dampers(const char *second)
{
    return model_of_text(text_of("masing: 1\n"
                                 "structure:\n"
                                 "  masses: {a: 1, b: 1}\n"
                                 "  springs:\n"
                                 "    - {from: ground, to: a, stiffness: 1e4}\n"
                                 "    - {from: a, to: b, stiffness: 1e4}\n"
                                 "joints:\n"
                                 "  - {name: peak, law: jenkins, from: ground, to: a, "
                                 "stiffness: 1e4, slip_force: 1}\n%s"
                                 "loads: [{dof: b, amplitude: 1}]\n"
                                 "frequency: [5, 30]\n"
                                 "harmonics: 3\n"
                                 "outputs: [b]\n",
                                 second));
}

static const char fold[] = "  - {name: fold, law: jenkins, from: a, to: b, stiffness: 1e4, "
                           "slip_force: 2}\n";

static void kinds_have_names(void)
{
    CHECK(strcmp(masing_event_name(MASING_EVENT_NONE), "") == 0);
    for (int i = 1; i < MASING_N_EVENTS; i++) {
        const char *name = masing_event_name((enum masing_event)i);
        if (!CHECK(name && *name)) {
            continue;
        }
        for (int j = 1; j < i; j++) {
            CHECK(strcmp(name, masing_event_name((enum masing_event)j)) != 0);
        }
    }
}

static void sets_are_written_in_order(void)
{
    const struct event_row none = event_row_of_kinds(0);
    CHECK(none.kinds == 0 && none.joint == -1 && none.text[0] == '\0');
    const unsigned kinds =
        MASING_EVENT_BIT(MASING_EVENT_CROSSING) | MASING_EVENT_BIT(MASING_EVENT_MINIMUM);
    const struct event_row two = event_row_of_kinds(kinds);
    CHECK(two.kinds == kinds && strcmp(two.text, "minimum; crossing") == 0);
    const struct masing_cell cell = event_row_cell(&two);
    CHECK(cell.text == two.text && cell.events == kinds && cell.joint == -1);
}

/* A list of the continuation, of which the joints' events begin behind the peak's. */
static void check_point(const char *second, const char *expected)
{
    static const struct continuation_met met[] = {{CONTINUATION_BRANCH_POINT, -1},
                                                  {MASING_EVENT_PEAK, 0},
                                                  {MASING_EVENT_SLIP_ONSET, 1},
                                                  {MASING_EVENT_SLIP_ONSET, 3},
                                                  {MASING_EVENT_PERIOD_DOUBLING, 5},
                                                  {CONTINUATION_FOLD, -1},
                                                  {CONTINUATION_AT, -1}};
    struct joint_events *joints = NULL;
    struct continuation_event all[8];
    struct masing_model *model = two_dampers(second);
    const struct continuation_events events = {.n = 7, .met = met};
    if (CHECK(model) && CHECK(joint_events_create(model, NULL, &joints, NULL) == MASING_OK)) {
        joint_events_fill(joints, all, 1);
        CHECK(all[1].rising == MASING_EVENT_SLIP_ONSET && all[1].falling == MASING_EVENT_STICK);
        CHECK(joint_events_joint(joints, -1) == -1 && joint_events_joint(joints, 0) == -1);
        CHECK(joint_events_joint(joints, 1 + joints->n) == -1);
        const struct event_row row = event_row_of_point(joints, &events);
        CHECK(row.joint == 0 && strcmp(row.text, expected) == 0);
        for (int i = 0; i < events.n; i++) {
            CHECK(masing_events_have(row.kinds, (enum masing_event)met[i].kind));
        }
        CHECK(!masing_events_have(row.kinds, MASING_EVENT_STICK));
    }
    joint_events_destroy(joints);
    masing_model_destroy(model);
}

static void joints_are_named_where_there_are_several(void)
{
    check_point(fold, "branch point; peak; slip onset (peak); slip onset (fold); "
                      "period doubling; fold; at");
    check_point("", "branch point; peak; slip onset; slip onset; period doubling; fold; at");
}

/* What a sink sees. */
struct seen {
    int column;
    int n_onsets[2]; /* of each joint */
    int n_peaks, n_folds;
};

static enum masing_status see_columns(void *context, const struct masing_column *columns,
                                      int n_columns, struct masing_error *error)
{
    struct seen *seen = context;
    (void)error;
    for (int c = 0; c < n_columns; c++) {
        seen->column = strcmp(columns[c].name, "event") == 0 ? c : seen->column;
    }
    return MASING_OK;
}

static enum masing_status see_row(void *context, const struct masing_cell *cells,
                                  struct masing_error *error)
{
    struct seen *seen = context;
    const struct masing_cell *cell = &cells[seen->column];
    (void)error;
    seen->n_peaks += masing_events_have(cell->events, MASING_EVENT_PEAK);
    seen->n_folds += masing_events_have(cell->events, MASING_EVENT_FOLD);
    if (masing_events_have(cell->events, MASING_EVENT_SLIP_ONSET) &&
        CHECK(cell->joint == 0 || cell->joint == 1)) {
        seen->n_onsets[cell->joint]++;
        CHECK(strstr(cell->text, cell->joint == 0 ? "slip onset (peak)" : "slip onset (fold)"));
    } else if (cell->events == MASING_EVENT_BIT(MASING_EVENT_PEAK)) {
        CHECK(cell->joint == -1);
    }
    return MASING_OK;
}

static void rows_carry_kinds_and_joint(void)
{
    struct seen seen = {.column = -1};
    struct masing_sink sink = {.context = &seen,
                               .open = see_columns,
                               .row = see_row,
                               .finish = table_finish,
                               .abandon = table_abandon};
    const struct masing_response_options options = {.stability = MASING_STABILITY_NONE};
    struct masing_response_summary summary = {0};
    struct masing_error error = {0};
    struct masing_model *model = two_dampers(fold);
    if (CHECK(model) &&
        CHECK(masing_frf(model, &options, &sink, NULL, &summary, &error) == MASING_OK)) {
        CHECK(seen.column >= 0 && seen.n_onsets[0] > 0 && seen.n_onsets[1] > 0);
        CHECK(seen.n_peaks > 0);
        CHECK(seen.n_folds == summary.n_jumps_up + summary.n_jumps_down);
    }
    masing_response_summary_clear(&summary);
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"kinds have names of their own", kinds_have_names},
    {"sets are written in order", sets_are_written_in_order},
    {"joints are named where there are several", joints_are_named_where_there_are_several},
    {"rows carry kinds and joint", rows_carry_kinds_and_joint},
};

TAP_MAIN(tests)
