/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steady loops of laws with a state against quadratures of their differential equations. */
#include <stdlib.h>
#include <string.h>

#include "masing/loop.h"
#include "masing/model.h"
#include "tap.h"

enum { MOST_FIELDS = 16, LINE = 512 };

/* A row of a reference table, cut at its commas. */
struct row {
    int n_fields;
    char *fields[MOST_FIELDS];
    char text[LINE];
};

static bool next_row(FILE *stream, struct row *row)
{
    if (!stream || !fgets(row->text, sizeof row->text, stream)) {
        return false;
    }
    row->text[strcspn(row->text, "\r\n")] = '\0';
    row->n_fields = 0;
    for (char *field = row->text; field && row->n_fields < MOST_FIELDS;) {
        row->fields[row->n_fields++] = field;
        field = strchr(field, ',');
        if (field) {
            *field++ = '\0';
        }
    }
    return true;
}

static double number(const struct row *row, int index)
{
    double value = index < row->n_fields ? strtod(row->fields[index], NULL) : (double)NAN;
    return strcmp(row->fields[index], "1/3") == 0 ? 1.0 / 3.0 : value;
}

/* Behind the header. */
static FILE *open_reference(const char *name)
{
    char file[1024];
    struct row header;
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(file, sizeof file, "%s/tests/reference/%s", root ? root : ".", name);
    FILE *stream = fopen(file, "r");
    CHECK(next_row(stream, &header));
    return stream;
}

static void check_loop(const char *keys, double amplitude, double max_force, double loss,
                       double tolerance)
{
    struct masing_document *document = NULL;
    struct masing_spec spec = {0};
    struct masing_loop_summary summary = {0};
    struct masing_error error = {0};
    const struct masing_loop_options options = {.n_amplitudes = 1, .amplitudes = &amplitude};
    char text[1024];
    snprintf(text, sizeof text, "masing: 1\njoints:\n  - {name: j, %s}\n", keys);
    enum masing_status status =
        masing_document_parse(text, strlen(text), "m", &document, &error);
    status = status ? status : masing_document_joints(document, NULL, 0, &spec, &error);
    status = status ? status
                    : masing_loop(spec.joints[0].law, spec.joints[0].parameters, &options, NULL,
                                  NULL, &summary, &error);
    int before = tap_failures;
    if (CHECK(status == MASING_OK && summary.n_loops == 1)) {
        const struct masing_loop_measures *m = &summary.loops[0];
        CHECK_RELATIVE(m->max_force, max_force, tolerance);
        CHECK_RELATIVE(m->energy_lost, loss, tolerance);
        CHECK(m->distance <= 1e-6 || summary.n_warnings > 0);
    }
    if (tap_failures > before) {
        printf("# %s, amplitude %g: %s\n", keys, amplitude, error.message);
    }
    masing_loop_summary_clear(&summary);
    masing_spec_clear(&spec);
    masing_document_destroy(document);
}

/* amplitudes over T_c / sigma, losses over T_c^2 / sigma */
static void dahl(void)
{
    FILE *stream = open_reference("dahl_loops.csv");
    for (struct row row; next_row(stream, &row);) {
        char keys[256];
        snprintf(keys, sizeof keys, "law: dahl, stiffness: 4, slip_force: 2, exponent: %.17g",
                 number(&row, 0));
        check_loop(keys, 0.5 * number(&row, 1), 2 * number(&row, 2), number(&row, 3), 1e-9);
    }
    fclose(stream);
}

static void bouc_wen(void)
{
    FILE *stream = open_reference("bouc_wen_loops.csv");
    for (struct row row; next_row(stream, &row);) {
        char keys[256];
        snprintf(keys, sizeof keys,
                 "law: bouc_wen, linear_stiffness: 0, hysteretic_stiffness: 1, a: %.17g, beta: "
                 "%.17g, gamma: %.17g, n: %.17g",
                 number(&row, 0), number(&row, 1), number(&row, 2), number(&row, 3));
        check_loop(keys, number(&row, 4), number(&row, 5), number(&row, 6), 2e-8);
    }
    fclose(stream);
}

static void lugre(void)
{
    FILE *stream = open_reference("lugre_loops.csv");
    for (struct row row; next_row(stream, &row);) {
        char keys[512];
        snprintf(keys, sizeof keys,
                 "law: lugre, sigma0: %.17g, sigma1: %.17g, sigma2: %.17g, coulomb_force: "
                 "%.17g, static_force: %.17g, stribeck_velocity: %.17g",
                 number(&row, 1), number(&row, 2), number(&row, 3), number(&row, 4),
                 number(&row, 5), number(&row, 6));
        check_loop(keys, number(&row, 7), number(&row, 9), number(&row, 11), 1e-7);
    }
    fclose(stream);
}

/* E_0 = 3000, E_t = 100, alpha_0 = 1, kappa = 0.1; the generalized ones with E_2 = 20 */
static void valanis(void)
{
    static const struct {
        const char *model, *keys;
    } models[] = {
        {"Valanis I (g1=g2=Et x)", "law: valanis, initial_stiffness: 3000, slip_stiffness: "
                                   "100, stick_limit: 1, transition: 0.1"},
        {"Valanis II (g2=F; g1=Et x)", "law: valanis, initial_stiffness: 3000, slip_stiffness: "
                                       "100, stick_limit: 1, transition: 0.1, form: reduced"},
        {"gen.Valanis E1=10 alpha=5 E2=20",
         "law: generalized_valanis, e1: 10, e2: 20, terms: [{coefficient: 5, power: 1}]"},
        {"gen.Valanis E1=10 alpha=30 beta=1400(sgn v) E2=20",
         "law: generalized_valanis, e1: 10, e2: 20, terms: [{coefficient: 30, power: 1}, "
         "{coefficient: 1400, power: 2, velocity: sign}]"},
    };
    FILE *stream = open_reference("valanis_loops.csv");
    int n_known = 0;
    for (struct row row; next_row(stream, &row);) {
        for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
            if (strcmp(row.fields[0], models[i].model) == 0) {
                bool is_rounded = strlen(row.fields[1]) == strlen("0.164104");
                check_loop(models[i].keys, number(&row, 1), number(&row, 2), number(&row, 3),
                           is_rounded ? 1e-5 : 1e-9);
                n_known++;
            }
        }
    }
    CHECK(n_known == 15);
    fclose(stream);
}

static const struct tap_test tests[] = {
    {"Dahl", dahl},
    {"Bouc and Wen", bouc_wen},
    {"LuGre", lugre},
    {"Valanis, and generalized", valanis},
};

TAP_MAIN(tests)
