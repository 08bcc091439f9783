/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyses/response/rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/joints.h"

/* ---- hysteresis loops ---- */

enum { LOOP_SAMPLES = 512 };

int joint_rows_samples(const struct balance *balance)
{
    int n_samples = balance->basis->n_samples;
    return n_samples > LOOP_SAMPLES ? n_samples : LOOP_SAMPLES;
}

/* Displacements x and velocities v [n_samples][n_axes] of a joint. The polynomials are summed
 * directly: planning a transform would cost more than this one use of it. */
static void sample_axes(const struct joint_response *response, double omega, int n_samples,
                        double *x, double *v)
{
    size_t n_axes = (size_t)response->n_axes;
    size_t n_coefficients = (size_t)response->basis->n_coefficients;
    for (size_t a = 0; a < n_axes; a++) {
        trigonometric_path_set(response->path, response->x + a * n_coefficients, 0.0);
        for (size_t i = 0; i < (size_t)n_samples; i++) {
            double values[4];
            trigonometric_path_evaluate(response->path, TWO_PI * (double)i / n_samples, values);
            x[i * n_axes + a] = values[0];
            v[i * n_axes + a] = omega * values[1];
        }
    }
}

/* Where the joint was found steady, so that its loop is that of the solution. */
static double *copy_state(const struct joint_response *response)
{
    const struct joint *joint = response->joint;
    size_t n = masing_law_state_size(joint->law, joint->parameters);
    double *state = memory_array(n + 1, sizeof(double));
    for (size_t i = 0; state && i < n; i++) {
        state[i] = response->state ? response->state[i] : NAN;
    }
    return state;
}

enum masing_status joint_rows_march(const struct balance *balance,
                                    const struct joint_response *response, double omega,
                                    int n_samples, struct masing_element *elements,
                                    struct joint_march *march, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_law *law = response->joint->law;
    size_t size = (size_t)n_samples * (size_t)response->n_axes;
    double *x = memory_array(3 * size, sizeof(double));
    double *workspace =
        memory_array(law->family->workspace_size(law, n_samples, 0, 0), sizeof(double));
    double *state = copy_state(response);
    *march = (struct joint_march){.n_samples = n_samples, .x = x};
    TRY_ALLOCATED(x && workspace && state);
    double *f = march->f = x + size, *v = f + size;
    sample_axes(response, omega, n_samples, x, v);
    struct masing_path path = {
        .n_samples = n_samples,
        .n_axes = response->n_axes,
        .is_periodic = true,
        .time_step = TWO_PI / (omega * n_samples),
        .x = x,
        .v = v,
        .origin = balance->origin + response->joint->first_axis,
        .origin_state = response->is_carried ? response->carried : NULL,
    };
    struct masing_forces forces = {.f = f, .elements = elements};
    TRY(masing_law_march(law, response->joint->parameters, &path, state, &forces, NULL,
                         workspace));
done:
    free(state);
    free(workspace);
    return status;
}

static enum masing_status write_loops(struct response_rows *rows, const struct balance *balance,
                                      const struct joint_response *response, double omega,
                                      struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *joint = response->joint;
    int n_samples = joint_rows_samples(balance);
    struct joint_march loop;
    TRY(joint_rows_march(balance, response, omega, n_samples, NULL, &loop, error));
    for (int a = 0; a < joint->n_axes; a++) {
        char name[MASING_COLUMN_NAME];
        joint_axis_text(joint->spec, a, name, sizeof name);
        for (int i = 0; i <= n_samples; i++) {
            int at = i % n_samples * joint->n_axes + a;
            const struct response_loop_row row = {name, loop.x[at], loop.f[at]};
            TRY(response_rows_write(rows, RESPONSE_LOOPS, &row, error));
        }
    }
done:
    free(loop.x);
    return status;
}

enum masing_status joint_rows_loops(struct response_rows *rows, const struct balance *balance,
                                    double omega, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int j = 0; rows->tables[RESPONSE_LOOPS].sink && j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        if (rows->model->spec.groups[response->joint->group].n_joints > 1) {
            continue; /* a loop for each of a thousand contacts is of no use */
        }
        TRY(write_loops(rows, balance, response, omega, error));
    }
done:
    return status;
}

/* ---- contact elements ---- */

/* The place of an element is known within a patch. That of a contact of a group among the
 * others is not. */
static void place(const struct joint *joint, bool is_alone, int element,
                  struct response_contact_row *row)
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

/* The elements of one joint; row: what all of the group share, and the last number. */
static enum masing_status write_elements(struct response_rows *rows,
                                         const struct balance *balance,
                                         const struct joint_response *response, double omega,
                                         bool is_alone, struct response_contact_row *row,
                                         struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct joint *joint = response->joint;
    int n = joint->law->n_elements ? joint->law->n_elements(joint->parameters) : 0;
    struct joint_march march = {0};
    struct masing_element *elements = NULL;
    if (n == 0) {
        return MASING_OK;
    }
    TRY_ALLOCATED(elements = memory_array((size_t)n, sizeof *elements));
    TRY(joint_rows_march(balance, response, omega, balance->basis->n_samples, elements, &march,
                         error));
    for (int e = 0; e < n; e++) {
        row->number++;
        row->state = elements[e];
        place(joint, is_alone, e, row);
        TRY(response_rows_write(rows, RESPONSE_CONTACTS, row, error));
    }
done:
    free(march.x);
    free(elements);
    return status;
}

enum masing_status joint_rows_contacts(struct response_rows *rows,
                                       const struct balance *balance, double omega,
                                       double hertz, enum masing_event event,
                                       struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_spec *spec = &rows->model->spec;
    for (int g = 0; rows->tables[RESPONSE_CONTACTS].sink && g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        struct response_contact_row row = {.hertz = hertz,
                                           .events =
                                               event_row_of_kinds(MASING_EVENT_BIT(event)),
                                           .group = group->name};
        for (int j = group->first; j < group->first + group->n_joints; j++) {
            TRY(write_elements(rows, balance, balance->joints[j], omega, group->n_joints == 1,
                               &row, error));
        }
    }
done:
    return status;
}
