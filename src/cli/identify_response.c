/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `identify --model`: a joint of a model from measured frequency responses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/identify_run.h"

static enum masing_status check_options(const struct identification *run,
                                        struct masing_error *error)
{
    const struct identify_settings *s = run->settings;
    const char *wrong = s->law                ? "--law"
                        : s->terms            ? "--terms"
                        : s->branches         ? "--branches"
                        : s->has_end_share    ? "--ends"
                        : s->tikhonov != 0.0  ? "--tikhonov"
                        : s->is_open          ? "--open"
                        : s->is_steady        ? "--steady"
                        : s->frequency_hz > 0 ? "--frequency"
                                              : NULL;
    if (wrong) {
        return masing_error_set(error, MASING_INVALID,
                                "masing identify: %s is for loops, not for --model", wrong);
    }
    if (run->single.call->operands.count > 0) {
        return masing_error_set(error, MASING_INVALID,
                                "masing identify: '%.80s': with --model data come from "
                                "--response FILE:FACTOR",
                                run->single.call->operands.values[0]);
    }
    return s->responses.count > 0
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "masing identify: --response FILE:FACTOR is missing");
}

/* "f.csv:2": what follows the last colon, where it is a number, is the load factor. */
static enum masing_status read_response(struct pool *pool, const char *text,
                                        struct masing_measured_response *response,
                                        struct masing_error *error)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    double factor = colon && colon[1] ? strtod(colon + 1, &end) : NAN;
    bool has_factor = end && !*end;
    if (has_factor && !(factor > 0 && isfinite(factor))) {
        return masing_error_set(error, MASING_INVALID,
                                "masing identify: --response %s: a load factor is above zero",
                                text);
    }
    const char *file = has_factor ? pool_format(pool, "%.*s", (int)(colon - text), text) : text;
    return masing_measured_response_read(file, has_factor ? factor : NAN, response, error);
}

static enum masing_status choose_measure(const char *text, enum masing_measure *measure,
                                         struct masing_error *error)
{
    static const struct {
        const char *word;
        enum masing_measure measure;
    } words[] = {
        {"h1", MASING_MEASURE_H1}, {"amp", MASING_MEASURE_AMP}, {"max", MASING_MEASURE_MAX}};
    *measure = MASING_MEASURE_H1;
    for (int i = 0; text && i < 3; i++) {
        if (strcmp(text, words[i].word) == 0) {
            *measure = words[i].measure;
            return MASING_OK;
        }
    }
    return !text
               ? MASING_OK
               : masing_error_set(error, MASING_INVALID,
                                  "masing identify: --measure: '%.40s' is none of h1, amp, max",
                                  text);
}

enum masing_status identify_response_begin(struct identification *run,
                                           struct masing_error *error)
{
    const struct identify_settings *settings = run->settings;
    struct pool *pool = run->single.call->pool;
    struct masing_response_fit_request *request = &run->response_request;
    int n = settings->responses.count;
    enum masing_status status = check_options(run, error);
    status = status ? status : choose_measure(settings->measure, &request->measure, error);
    status = status ? status : masing_document_read(settings->model, &run->document, error);
    run->responses = pool_take(pool, (size_t)n + 1, sizeof *run->responses);
    for (int i = 0; status == MASING_OK && i < n; i++) {
        request->n_responses = i + 1;
        status = read_response(pool, settings->responses.values[i], &run->responses[i], error);
    }
    request->document = run->document;
    request->overrides = settings->common.overrides.values;
    request->n_overrides = settings->common.overrides.count;
    request->joint = settings->joint;
    request->responses = run->responses;
    request->n_fixed = settings->fixed.count;
    request->fixed = identify_assignments(pool, &settings->fixed);
    request->n_starts = settings->starts.count;
    request->starts = identify_assignments(pool, &settings->starts);
    request->varied = identify_names(pool, settings->varied, &request->n_varied);
    request->n_trials = settings->n_trials;
    return status;
}

/* from and to where the axis is a difference of two DOFs or one of them, else its weights. */
static void describe_axis(struct pool *pool, const struct masing_spec *spec,
                          const struct masing_combination *axis,
                          struct masing_joint_place *place)
{
    const char *text = "{";
    int n_plus = 0, n_minus = 0;
    place->from = place->to = "ground";
    for (int i = 0; i < axis->n_terms; i++) {
        const struct masing_term *term = &axis->terms[i];
        const char *name = spec->structure.dof_names[term->dof];
        text = pool_format(pool, "%s%s%s: %.17g", text, i ? ", " : "", name, term->weight);
        if (term->weight == 1.0) {
            place->to = name;
            n_plus++;
        } else if (term->weight == -1.0) {
            place->from = name;
            n_minus++;
        }
    }
    if (n_plus > 1 || n_minus > 1 || n_plus + n_minus != axis->n_terms) {
        place->axis = pool_format(pool, "%s}", text);
    }
}

static enum masing_status write_entry(struct identification *run, struct masing_error *error)
{
    const struct masing_response_fit_request *request = &run->response_request;
    const struct identify_settings *settings = run->settings;
    struct masing_spec spec;
    enum masing_status status = masing_document_spec(request->document, request->overrides,
                                                     request->n_overrides, &spec, error);
    for (int j = 0; status == MASING_OK && j < spec.n_joints; j++) {
        const struct masing_joint_spec *joint = &spec.joints[j];
        if (request->joint && strcmp(joint->name, request->joint) != 0) {
            continue;
        }
        struct masing_joint_place place = {.name =
                                               settings->name ? settings->name : joint->name};
        describe_axis(run->single.call->pool, &spec, joint->axes, &place);
        place.axis = settings->from || settings->to ? NULL : place.axis;
        place.from = settings->from ? settings->from : place.from;
        place.to = settings->to ? settings->to : place.to;
        status =
            masing_joint_entry(joint->law, run->result.parameters, &place, &run->entry, error);
        break;
    }
    masing_spec_clear(&spec);
    return status;
}

enum masing_status identify_response_compute(struct identification *run,
                                             struct masing_error *error)
{
    enum masing_status status =
        masing_identify_response(&run->response_request, &run->result, error);
    return status ? status : write_entry(run, error);
}

void identify_response_end(struct identification *run)
{
    for (int i = 0; i < run->response_request.n_responses; i++) {
        masing_measured_response_clear(&run->responses[i]);
    }
    masing_document_destroy(run->document);
}
