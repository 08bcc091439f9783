/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every law is identified from its own loops: those of its example at three amplitudes, with
 * starts beside the truth. Where the data cannot tell a number, that has to be said.
 */
#include <stdio.h>

#include "masing/model.h"
#include "measured.h"

enum { N = 256, LOOPS = 3, MOST_STARTS = 16 };

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
    enum masing_status status =
        masing_document_parse(text, strlen(text), law->name, &document, NULL);
    status = status ? status : masing_document_joints(document, NULL, 0, spec, NULL);
    masing_document_destroy(document);
    return status;
}

static double length_of(const struct masing_law *law, const void *parameters)
{
    double reach = law->reach ? law->reach(parameters) : INFINITY;
    if (law->evolution) {
        return law->evolution->length(parameters);
    }
    for (int i = 0; i < law->n_constants && !isfinite(reach); i++) {
        if (strstr(law->constants[i].name, "_displacement")) {
            reach = *(const double *)(const void *)((const char *)parameters +
                                                    law->constants[i].offset);
        }
    }
    return isfinite(reach) && reach > 0.0 ? reach : 1e-3;
}

/* The example's numbers as starts, each off by some percent; choices are fixed. */
struct wishes {
    struct masing_override starts[MOST_STARTS], fixed[MOST_STARTS];
    char texts[2 * MOST_STARTS][200];
    int n_starts, n_fixed, n_texts;
};

static bool add_wish(const struct masing_field *field, const void *given, struct wishes *wishes)
{
    const void *at = (const char *)given + field->offset;
    char *text = wishes->texts[wishes->n_texts];
    const struct masing_list *list = at;
    double factor = 1.0 + 0.03 * (wishes->n_texts % 3 - 1);
    int length = 0;
    switch (field->type) {
    case MASING_FIELD_REAL:
        if (isnan(*(const double *)at)) {
            return true;
        }
        snprintf(text, sizeof wishes->texts[0], "%.17g", *(const double *)at * factor);
        break;
    case MASING_FIELD_LIST:
        for (int i = 0; i < list->count; i++) {
            length += snprintf(text + length, sizeof wishes->texts[0] - (size_t)length,
                               "%s%.17g", i ? "," : "", list->values[i] * factor);
        }
        if (list->count == 0) {
            return true;
        }
        break;
    case MASING_FIELD_CHOICE:
        snprintf(text, sizeof wishes->texts[0], "%s", field->choices[*(const int *)at]);
        wishes->fixed[wishes->n_fixed++] = (struct masing_override){field->name, text};
        wishes->n_texts++;
        return true;
    case MASING_FIELD_RECORDS:
    case MASING_FIELD_POINTS:
        return *(const int *)at == 0; /* cannot be given by a text */
    case MASING_FIELD_INTEGER:
    case MASING_FIELD_BOOLEAN:
        return true;
    }
    wishes->n_texts++;
    wishes->starts[wishes->n_starts++] = (struct masing_override){field->name, text};
    return true;
}

static void make_loops(const struct masing_law *law, const void *parameters,
                       struct masing_measurement *loops)
{
    static const double shares[LOOPS] = {0.5, 1.3, 3.0};
    double length = length_of(law, parameters);
    for (int i = 0; i < LOOPS; i++) {
        measured_create(N, &loops[i]);
        measured_sine(&loops[i], shares[i] * length, 1.0, 0.2);
        if (law->needs_velocity) {
            loops[i].time = calloc(N, sizeof(double));
            for (int j = 0; j < N; j++) {
                loops[i].time[j] = (j + 1) * 0.2 / N;
            }
        }
        measured_forces(law, parameters, true, &loops[i]);
    }
}

/* The misfit is gone, and each number is right or said not to be determined. */
static void check_result(const struct masing_law *law, const void *given,
                         const struct masing_identification *result)
{
    int n_open = 0;
    for (int i = 0; i < result->n_estimates; i++) {
        n_open += !isfinite(result->estimates[i].interval);
    }
    CHECK(result->relative_rms < (law->needs_velocity ? 1e-4 : 1e-7));
    for (int i = 0; i < result->n_estimates && n_open == 0; i++) {
        int index = masing_field_find(law->fields, law->n_fields, result->estimates[i].name);
        double truth = index < 0 ? NAN : masing_field_value(&law->fields[index], given);
        if (!isnan(truth)) {
            CHECK_SCALED(result->estimates[i].value, truth, fmax(fabs(truth), 1e-3),
                         law->needs_velocity ? 1e-2 : 1e-5);
        }
    }
    CHECK(n_open == 0 || measured_warns(result, "do not determine"));
}

static void identify(const struct masing_law *law)
{
    struct masing_spec spec = {0};
    struct wishes wishes = {.n_texts = 0};
    struct masing_measurement loops[LOOPS] = {{0}};
    struct masing_identification result = {0};
    struct masing_error error = {0};
    bool can_be_given = true;
    if (!CHECK(read_example(law, &spec) == MASING_OK)) {
        return;
    }
    void *given = spec.joints[0].parameters;
    void *parameters = malloc(law->parameters_size);
    memcpy(parameters, given, law->parameters_size);
    CHECK(masing_law_check(law, parameters, NULL) == MASING_OK);
    for (int i = 0; i < law->n_fields; i++) {
        can_be_given = can_be_given && add_wish(&law->fields[i], given, &wishes);
    }
    if (can_be_given) {
        int failures = tap_failures;
        make_loops(law, parameters, loops);
        const struct masing_fit_request request = {.data = {.n_loops = LOOPS, .loops = loops},
                                                   .law = law,
                                                   .n_fixed = wishes.n_fixed,
                                                   .fixed = wishes.fixed,
                                                   .n_starts = wishes.n_starts,
                                                   .starts = wishes.starts,
                                                   .n_trials = 1};
        CHECK(masing_identify_law(&request, &result, &error) == MASING_OK);
        check_result(law, given, &result);
        if (tap_failures > failures) {
            printf("# %s: misfit %g %s\n", law->name, result.relative_rms, error.message);
            for (int i = 0; i < wishes.n_starts; i++) {
                printf("#   start %s = %s\n", wishes.starts[i].path, wishes.starts[i].value);
            }
            for (int i = 0; i < result.n_estimates; i++) {
                printf("#   %s = %.10g +- %.3g\n", result.estimates[i].name,
                       result.estimates[i].value, result.estimates[i].interval);
            }
        }
        masing_identification_clear(&result);
    }
    for (int i = 0; i < LOOPS; i++) {
        masing_measurement_clear(&loops[i]);
    }
    free(parameters);
    masing_spec_clear(&spec);
}

static void laws_are_identified_from_their_own_loops(void)
{
    for (const struct masing_law *const *law = masing_laws(); *law; law++) {
        if ((*law)->n_axes == 1) {
            identify(*law);
        }
    }
}

static const struct tap_test tests[] = {
    {"laws are identified from their own loops", laws_are_identified_from_their_own_loops},
};

TAP_MAIN(tests)
