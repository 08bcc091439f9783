/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/contacts.h"

#include <math.h>
#include <stdio.h>

#include "analyses/response/curve.h"
#include "base/check.h"
#include "base/sink.h"

static const struct masing_column contact_columns[] = {
    {"frequency_hz", MASING_COLUMN_REAL},
    {"event", MASING_COLUMN_TEXT},
    {"joint", MASING_COLUMN_TEXT},
    {"element", MASING_COLUMN_INTEGER},
    {"y", MASING_COLUMN_REAL},
    {"z", MASING_COLUMN_REAL},
    {"area", MASING_COLUMN_REAL},
    {"open", MASING_COLUMN_REAL},
    {"stick", MASING_COLUMN_REAL},
    {"slip", MASING_COLUMN_REAL},
    {"loss", MASING_COLUMN_REAL},
};

enum { N_COLUMNS = sizeof contact_columns / sizeof *contact_columns };

int response_contacts_columns(const char *parameter,
                              struct masing_column columns[RESPONSE_CONTACT_COLUMNS])
{
    int n = 0;
    if (parameter) {
        snprintf(columns[n].name, sizeof columns[n].name, "%s", parameter);
        columns[n++].type = MASING_COLUMN_REAL;
    }
    for (int i = 0; i < N_COLUMNS; i++) {
        columns[n++] = contact_columns[i];
    }
    return n;
}

/* One element as a row. */
struct contact_row {
    double hertz;
    struct event_row events;
    const char *group;
    int number; /* within the group, from 1 */
    double position[2], area;
    struct masing_element state;
};

static enum masing_status write_row(struct response_curve *curve, const struct contact_row *row,
                                    struct masing_error *error)
{
    const struct masing_sink *sink = curve->settings.contacts;
    const struct masing_element *state = &row->state;
    struct masing_cell cells[RESPONSE_CONTACT_COLUMNS], *cell = cells;
    if (curve->settings.parameter) {
        *cell++ = (struct masing_cell){.number = curve->settings.value};
    }
    *cell++ = (struct masing_cell){.number = row->hertz};
    *cell++ = event_row_cell(&row->events);
    *cell++ = (struct masing_cell){.text = row->group};
    *cell++ = (struct masing_cell){.number = row->number};
    *cell++ = (struct masing_cell){.number = row->position[0]};
    *cell++ = (struct masing_cell){.number = row->position[1]};
    *cell++ = (struct masing_cell){.number = row->area};
    *cell++ = (struct masing_cell){.number = state->open};
    *cell++ = (struct masing_cell){.number = fmax(0.0, 1.0 - state->open - state->slip)};
    *cell++ = (struct masing_cell){.number = state->slip};
    *cell++ = (struct masing_cell){.number = state->loss};
    return sink_row(sink, cells, error);
}

/* Where an element stands is known within a patch, not where a contact of a group stands among
 * the others. */
static void place(const struct joint *joint, bool is_alone, int element,
                  struct contact_row *row)
{
    double area = 0.0;
    row->position[0] = row->position[1] = NAN;
    if (joint->law->element_place) {
        joint->law->element_place(joint->parameters, element, row->position, &area);
    }
    if (!is_alone) {
        row->position[0] = row->position[1] = NAN;
    }
    area = area > 0.0 ? area : joint->spec->area;
    row->area = area > 0.0 ? area : NAN;
}

static enum masing_status write_group(struct response_curve *curve, int index, double omega,
                                      enum masing_event event, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct balance *balance = curve->balance;
    const struct masing_joint_group *group = &curve->model->spec.groups[index];
    struct joint_elements *elements = curve->elements;
    struct contact_row row = {.hertz = curve_driver_value(curve->driver, omega),
                              .events = event_row_of_kinds(MASING_EVENT_BIT(event)),
                              .group = group->name};
    for (int j = group->first; j < group->first + group->n_joints; j++) {
        const struct joint *joint = &curve->model->joints[j];
        if (joint_elements_count(joint) == 0) {
            continue;
        }
        TRY(joint_elements_evaluate(elements, balance->joints[j], omega,
                                    balance->origin + joint->first_axis));
        for (int e = 0; e < elements->n; e++) {
            row.number++;
            row.state = elements->elements[e];
            place(joint, group->n_joints == 1, e, &row);
            TRY(write_row(curve, &row, error));
        }
    }
done:
    return status;
}

enum masing_status response_contacts_write(struct response_curve *curve, double omega,
                                           enum masing_event event, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int g = 0; curve->elements && g < curve->model->spec.n_groups; g++) {
        TRY(write_group(curve, g, omega, event, error));
    }
done:
    return status;
}

enum masing_status response_contacts_peak(struct response_curve *curve,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    if (!curve->elements || curve->best.measure < 0.0) {
        return MASING_OK;
    }
    TRY(balance_settle(curve->balance, curve->best.y, curve->best.omega, false));
    TRY(response_contacts_write(curve, curve->best.omega, MASING_EVENT_PEAK, error));
done:
    return status;
}
