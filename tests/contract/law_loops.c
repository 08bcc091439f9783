/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops of every registered law, with the parameters of its example: what is marched leads to
 * what is solved for, and energy, harmonics and rows tell the same story. */
#include <stdlib.h>
#include <string.h>

#include "masing/loop.h"
#include "masing/model.h"
#include "tap.h"

static const double pi = 3.14159265358979323846;

enum { N_FACTORS = 4 };
static const double factors[N_FACTORS] = {0.1, 0.7, 1.0, 4.0};

/* Rows of the last cycle, added up: work by the trapezoidal rule, and how far it is closed. */
struct tally {
    int n_rows, last_cycle;
    double amplitude;
    double x, f, x_first, f_first, work, largest;
};

static enum masing_status take_columns(void *context, const struct masing_column *columns,
                                       int n_columns, struct masing_error *error)
{
    (void)context;
    (void)columns;
    (void)error;
    return n_columns == 6 ? MASING_OK : MASING_INTERNAL;
}

static enum masing_status take_row(void *context, const struct masing_cell *cells,
                                   struct masing_error *error)
{
    struct tally *tally = context;
    double x = cells[2].number, f = cells[3].number;
    (void)error;
    if (cells[1].number != tally->last_cycle) {
        *tally = (struct tally){
            .n_rows = tally->n_rows, .last_cycle = (int)cells[1].number, .x_first = x};
        tally->f_first = f;
    } else {
        tally->work += 0.5 * (f + tally->f) * (x - tally->x);
    }
    tally->largest = fmax(tally->largest, fabs(f));
    tally->x = x;
    tally->f = f;
    tally->n_rows++;
    return MASING_OK;
}

static enum masing_status finish(void *context, struct masing_error *error)
{
    (void)context;
    (void)error;
    return MASING_OK;
}

static void nothing(void *context)
{
    (void)context;
}

static enum masing_status read_example(const struct masing_law *law, struct masing_spec *spec)
{
    struct masing_document *document = NULL;
    char text[4096];
    int length = snprintf(text, sizeof text, "masing: 1\njoints:\n  - name: j\n    law: %s\n",
                          law->name);
    for (const char *line = law->example; *line && length < (int)sizeof text;) {
        int n = (int)strcspn(line, "\n");
        length += snprintf(text + length, sizeof text - (size_t)length, "    %.*s\n", n, line);
        line += n + (line[n] == '\n');
    }
    struct masing_error error = {0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), law->name, &document, &error);
    status = status ? status : masing_document_joints(document, NULL, 0, spec, &error);
    if (status != MASING_OK) {
        printf("# %s\n", error.message);
    }
    masing_document_destroy(document);
    return status;
}

/* A displacement at which something happens in this law. */
static double length_of(const struct masing_law *law, const void *parameters)
{
    double reach = law->reach ? law->reach(parameters) : INFINITY;
    if (law->evolution) {
        return law->evolution->length(parameters);
    }
    return isfinite(reach) && reach > 0.0 ? reach : 1e-3;
}

/* D = 8 int_0^X B du - 4 X B(X) (Masing's rules), by Simpson's rule on each side of the reach,
 * where B has a corner, over a parameter that takes the edge off both ends. */
static double loss_of_backbone(const struct masing_law *law, const void *p, double amplitude)
{
    enum { N = 40000 };
    double reach = law->reach(p), ends[3] = {0.0, fmin(reach, amplitude), amplitude};
    double sum = 0.0, b, db;
    for (int part = 0; part < 2; part++) {
        double from = ends[part], length = ends[part + 1] - from;
        for (int i = 0; i <= N && length > 0.0; i++) {
            double s = (double)i / N, weight = i == 0 || i == N ? 1.0 : i % 2 ? 4.0 : 2.0;
            law->backbone(p, from + length * s * s * s * (10.0 - s * (15.0 - 6.0 * s)), &b,
                          &db);
            sum += weight / (3.0 * N) * b * 30.0 * s * s * (1.0 - s) * (1.0 - s) * length;
        }
    }
    law->backbone(p, amplitude, &b, &db);
    return 8.0 * sum - 4.0 * amplitude * b;
}

static void check_loop(const struct masing_law *law, const void *parameters, double amplitude)
{
    const struct masing_loop_options options = {.n_amplitudes = 1, .amplitudes = &amplitude};
    struct tally tally = {0};
    const struct masing_sink sink = {.context = &tally,
                                     .open = take_columns,
                                     .row = take_row,
                                     .finish = finish,
                                     .abandon = nothing,
                                     .destroy = nothing};
    struct masing_loop_summary summary = {0};
    struct masing_error error = {0};
    enum masing_status status =
        masing_loop(law, parameters, &options, &sink, NULL, &summary, &error);
    if (CHECK(status == MASING_OK && summary.n_loops == 1)) {
        const struct masing_loop_measures *m = &summary.loops[0];
        double scale = m->max_force * amplitude;
        CHECK(law->may_create_energy || m->energy_lost >= -1e-12 * scale);
        CHECK_SCALED(tally.x, tally.x_first, amplitude, 0.0);
        CHECK_SCALED(tally.f, tally.f_first, m->max_force, 1e-9);
        CHECK_SCALED(tally.work, m->energy_lost, scale, 2e-3);
        CHECK_SCALED(tally.largest, m->max_force, m->max_force, 1e-3);
        /* the other harmonics of the force do no work on a sine */
        CHECK_SCALED(pi * m->first_harmonic_damping * amplitude * amplitude, m->energy_lost,
                     scale, 1e-7);
        CHECK(tally.n_rows == 513 * m->cycles && tally.last_cycle == m->cycles);
        CHECK(m->distance <= 1e-6 || summary.n_warnings > 0);
        if (law->family == &masing_family_masing) {
            CHECK_SCALED(m->energy_lost, loss_of_backbone(law, parameters, amplitude), scale,
                         3e-9);
            CHECK(m->cycles <= 2);
        }
    } else {
        printf("# %s, amplitude %g: %s\n", law->name, amplitude, error.message);
    }
    masing_loop_summary_clear(&summary);
}

static void loops_of_every_law_hold_together(void)
{
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        struct masing_spec spec = {0};
        if ((*law)->n_axes != 1) {
            continue;
        }
        int before = tap_failures;
        if (CHECK((*law)->example != NULL) && CHECK(read_example(*law, &spec) == MASING_OK)) {
            const void *parameters = spec.joints[0].parameters;
            double length = length_of(*law, parameters);
            for (int i = 0; i < N_FACTORS; i++) {
                check_loop(*law, parameters, factors[i] * length);
            }
        }
        if (tap_failures > before) {
            printf("# law %s\n", (*law)->name);
        }
        masing_spec_clear(&spec);
    }
}

static const struct tap_test tests[] = {
    {"loops of every law hold together", loops_of_every_law_hold_together},
};

TAP_MAIN(tests)
