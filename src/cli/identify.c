/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/identify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/identify.h"
#include "cli/law_text.h"
#include "cli/text_table.h"

struct identification {
    struct single_run single; /* without a model of its own */
    const struct identify_settings *settings;
    const struct masing_law *law; /* the first one */
    int n_added;
    const struct masing_law **added; /* [n_added] in parallel with it */
    struct masing_measurements data;
    struct masing_measurement *loops;
    struct masing_identification result;
    /* of responses */
    struct masing_document *document;
    struct masing_measured_response *responses;
    struct masing_response_fit_request response_request;
};

static enum masing_status store_tikhonov(struct pool *pool, const char *text, void *target,
                                         struct masing_error *error)
{
    (void)pool;
    char *end;
    double *value = target;
    *value = strcmp(text, "auto") == 0 ? NAN : strtod(text, &end);
    bool is_good = isnan(*value) ? *text == 'a' : *text && !*end && *value >= 0 && *value < 1;
    return is_good ? MASING_OK
                   : masing_error_set(error, MASING_INVALID,
                                      "'%.80s' is neither 'auto' nor a number in [0, 1)", text);
}

/* "jenkins+linear", the laws that were fitted. */
static const char *law_names(const struct identification *run)
{
    const char *text = run->result.law->name;
    for (int i = 0; i < run->result.n_added; i++) {
        text =
            pool_format(run->single.call->pool, "%s+%s", text, run->result.added[i].law->name);
    }
    return text;
}

/* "a,b,c" cut up. */
static const char *const *names(struct pool *pool, const char *text, int *n)
{
    char *copy = pool_format(pool, "%s", text ? text : "");
    const char **list = pool_take(pool, strlen(copy) + 1, sizeof *list);
    char *rest = NULL;
    *n = 0;
    for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        list[(*n)++] = word;
    }
    return list;
}

/* ---- responses: a joint of a model ---- */

/* "f.csv:2": what follows the last colon, where it is a number, is the load factor. */
static enum masing_status read_response(struct single_run *single, const char *text,
                                        struct masing_measured_response *response,
                                        struct masing_error *error)
{
    const struct call *call = single->call;
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    double factor = colon && colon[1] ? strtod(colon + 1, &end) : NAN;
    bool has_factor = end && !*end;
    if (has_factor && !(factor > 0 && isfinite(factor))) {
        return command_refuse(call, error, "--response %s: a load factor is above zero", text);
    }
    const char *file =
        has_factor ? pool_format(call->pool, "%.*s", (int)(colon - text), text) : text;
    single_run_reads(single, "--response", file);
    return masing_measured_response_read(file, has_factor ? factor : NAN, response, error);
}

/* The model and what it names; a model that is wrong is refused later. */
static void note_model(struct identification *run)
{
    const struct override_list *overrides = &run->settings->common.overrides;
    struct masing_spec spec = {0};
    single_run_reads(&run->single, "--model", run->settings->model);
    if (masing_document_spec(run->document, overrides->values, overrides->count, &spec, NULL) ==
        MASING_OK) {
        single_run_reads_files_of(&run->single, &spec);
    }
    masing_spec_clear(&spec);
}

static enum masing_status begin_response(struct identification *run, struct masing_error *error)
{
    const struct identify_settings *settings = run->settings;
    struct pool *pool = run->single.call->pool;
    struct masing_response_fit_request *request = &run->response_request;
    const struct call *call = run->single.call;
    const char *wrong = command_given(call, "--law --terms --branches --ends --tikhonov --open "
                                            "--steady --frequency --columns");
    int n = settings->responses.count, measure = MASING_MEASURE_H1;
    if (wrong) {
        return command_refuse(call, error, "%s is for loops, not for --model", wrong);
    }
    if (call->operands.count > 0) {
        return command_refuse(call, error,
                              "'%.80s': with --model data come from --response FILE:FACTOR",
                              call->operands.values[0]);
    }
    if (n == 0) {
        return command_refuse(call, error, "--response FILE:FACTOR is missing");
    }
    NEED(
        command_choose(call, "--measure", settings->measure, option_measures, &measure, error));
    request->measure = (enum masing_measure)measure;
    NEED(masing_document_read(settings->model, &run->document, error));
    note_model(run);
    run->responses = pool_take(pool, (size_t)n + 1, sizeof *run->responses);
    for (int i = 0; i < n; i++) {
        request->n_responses = i + 1;
        NEED(read_response(&run->single, settings->responses.values[i], &run->responses[i],
                           error));
    }
    request->document = run->document;
    request->overrides = settings->common.overrides.values;
    request->n_overrides = settings->common.overrides.count;
    request->joint = settings->joint;
    request->responses = run->responses;
    request->n_fixed = settings->fixed.count;
    request->fixed = settings->fixed.values;
    request->n_starts = settings->starts.count;
    request->starts = settings->starts.values;
    request->varied = names(pool, settings->varied, &request->n_varied);
    request->n_trials = settings->n_trials;
    request->progress = &run->single.progress.hooks;
    return MASING_OK;
}

/* ---- loops ---- */

/* "jenkins+linear" */
static enum masing_status find_laws(struct identification *run, struct masing_error *error)
{
    const char *text = run->settings->law ? run->settings->law : "generalized_valanis";
    struct pool *pool = run->single.call->pool;
    const struct text_list words = option_split(pool, text, '+');
    struct masing_error reason = {0};
    const struct masing_law **laws = pool_take(pool, (size_t)words.count, sizeof *laws);
    for (int i = 0; i < words.count; i++) {
        laws[i] = law_text_find(words.values[i], &reason);
        if (!laws[i]) {
            return command_refuse(run->single.call, error, "%s", reason.message);
        }
    }
    run->law = laws[0];
    run->added = laws + 1;
    run->n_added = words.count - 1;
    return MASING_OK;
}

static bool is_valanis(const struct identification *run)
{
    return run->n_added == 0 && strcmp(run->law->name, "generalized_valanis") == 0;
}

enum { MOST_TRIALS = 10000 };

/* Of a name that needs no quotes in YAML. */
static const char NAME_CHARACTERS[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

/* Options of one way of identifying that mean nothing in the other. */
static enum masing_status check_options(const struct identification *run,
                                        struct masing_error *error)
{
    const struct identify_settings *s = run->settings;
    const struct call *call = run->single.call;
    const char *linear = command_given(call, "--terms --branches --ends --tikhonov");
    const char *nonlinear = command_given(call, "--fix --start --vary --trials");
    if (s->is_open && s->is_steady) {
        return command_refuse(call, error, "--open and --steady exclude each other");
    }
    if (s->n_trials > MOST_TRIALS) {
        return command_refuse(call, error, "--trials: more than %d", MOST_TRIALS);
    }
    if (s->name && strspn(s->name, NAME_CHARACTERS) != strlen(s->name)) {
        return command_refuse(
            call, error, "--name '%.60s': expected letters, digits, '_', '-' and '.'", s->name);
    }
    if (is_valanis(run) && nonlinear) {
        return command_refuse(
            call, error, "%s is for other laws than generalized_valanis; name one with --law",
            nonlinear);
    }
    if (!is_valanis(run) && linear) {
        return command_refuse(call, error,
                              "%s is for the law generalized_valanis, not for '%s'", linear,
                              run->law->name);
    }
    return MASING_OK;
}

static enum masing_status begin_loops(struct identification *run, struct masing_error *error)
{
    const struct identify_settings *settings = run->settings;
    const struct call *call = run->single.call;
    int n = call->operands.count;
    const char *modal = command_given(call, "--stuck --free --damping --printed --leave-out");
    const char *alone = command_given(call, "--joint --measure --response --set");
    if (alone) {
        return command_refuse(call, error, "%s needs --model MODEL.yaml", alone);
    }
    if (modal) {
        return command_refuse(call, error, "%s needs --modal-iwan N", modal);
    }
    if (n == 0) {
        return command_refuse(
            call, error,
            "DATA.csv... is missing; usage: masing identify DATA.csv... [OPTIONS]");
    }
    NEED(find_laws(run, error));
    NEED(check_options(run, error));
    run->data = (struct masing_measurements){
        .motion = settings->is_open     ? MASING_MEASURED_OPEN
                  : settings->is_steady ? MASING_MEASURED_STEADY
                                        : MASING_MEASURED_DETECT,
        .frequency_hz = settings->frequency_hz,
    };
    for (int i = 0; i < n; i++) {
        NEED(masing_measurements_read_columns(call->operands.values[i], settings->columns,
                                              &run->loops, &run->data.n_loops, error));
    }
    run->data.loops = run->loops;
    return MASING_OK;
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct identification *run = context;
    const struct identify_settings *settings = run->settings;
    NEED(output_parse(run->single.call->pool, &settings->common.outputs, OUTPUT_HAS_PICTURES,
                      &run->single.outputs, error));
    if (settings->common.outputs.count == 0) {
        run->single.outputs.count = 0; /* standard output is for the joint */
    }
    return settings->model ? begin_response(run, error) : begin_loops(run, error);
}

static enum masing_status identify_linear(struct identification *run,
                                          struct masing_error *error)
{
    const struct identify_settings *settings = run->settings;
    struct masing_valanis_term terms[MASING_MOST_TERMS];
    struct masing_error reason = {0};
    struct masing_valanis_request request = {
        .data = run->data,
        .terms = terms,
        .end_share = settings->end_share.is_given ? settings->end_share.value : 0.02,
        .tikhonov = settings->tikhonov,
    };
    const char *text = settings->terms ? settings->terms : "x";
    if (masing_valanis_terms_parse(text, terms, &request.n_terms, &reason) != MASING_OK) {
        return command_refuse(run->single.call, error, "--terms: %s", reason.message);
    }
    static const char *const words[] = {"both", "separate", "loading", "unloading", NULL};
    int branches = MASING_BRANCHES_BOTH;
    NEED(command_choose(run->single.call, "--branches", settings->branches, words, &branches,
                        error));
    request.branches = (enum masing_branches)branches;
    return masing_identify_valanis(&request, &run->result, error);
}

static enum masing_status identify_nonlinear(struct identification *run,
                                             struct masing_error *error)
{
    const struct identify_settings *settings = run->settings;
    struct pool *pool = run->single.call->pool;
    struct masing_fit_request request = {
        .data = run->data,
        .law = run->law,
        .n_fixed = settings->fixed.count,
        .fixed = settings->fixed.values,
        .n_starts = settings->starts.count,
        .starts = settings->starts.values,
        .n_trials = settings->n_trials,
        .n_added = run->n_added,
        .added = run->added,
        .progress = &run->single.progress.hooks,
    };
    request.varied = names(pool, settings->varied, &request.n_varied);
    return masing_identify_law(&request, &run->result, error);
}

/* An entry goes behind those that are there, without its line `joints:`. */
static enum masing_status add_entry(struct identification *run, const struct masing_law *law,
                                    const void *parameters,
                                    const struct masing_joint_place *place,
                                    struct masing_error *error)
{
    struct pool *pool = run->single.call->pool;
    char *entry = NULL;
    enum masing_status status = masing_joint_entry(law, parameters, place, &entry, error);
    if (status == MASING_OK) {
        const char *before = run->single.result;
        run->single.result = before ? pool_format(pool, "%s%s", before, strchr(entry, '\n') + 1)
                                    : pool_format(pool, "%s", entry);
    }
    free(entry);
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
    struct masing_spec spec = {0};
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
        status = add_entry(run, joint->law, run->result.parameters, &place, error);
        break;
    }
    masing_spec_clear(&spec);
    return status;
}

/* The joints of all laws, called NAME, or NAME_LAW where there are several. */
static enum masing_status write_joints(struct identification *run, struct masing_error *error)
{
    const struct identify_settings *settings = run->settings;
    const struct masing_identification *result = &run->result;
    struct pool *pool = run->single.call->pool;
    const char *name = settings->name ? settings->name : "joint";
    struct masing_joint_place place = {
        .name = run->n_added == 0 ? name : pool_format(pool, "%s_%s", name, run->law->name),
        .from = settings->from ? settings->from : "ground",
        .to = settings->to ? settings->to : "m1",
    };
    NEED(add_entry(run, run->law, result->parameters, &place, error));
    for (int i = 0; i < result->n_added; i++) {
        const struct masing_fitted_law *added = &result->added[i];
        int turn = 1 + (added->law == run->law);
        for (int j = 0; j < i; j++) {
            turn += result->added[j].law == added->law;
        }
        const char *number = turn > 1 ? pool_format(pool, "%d", turn) : "";
        place.name = pool_format(pool, "%s_%s%s", name, added->law->name, number);
        NEED(add_entry(run, added->law, added->parameters, &place, error));
    }
    return MASING_OK;
}

/* With the joint on standard output. */
static enum masing_status compute(void *context, struct masing_error *error)
{
    struct identification *run = context;
    const struct masing_identification *result = &run->result;
    bool is_response = run->settings->model != NULL;
    NEED(is_response ? masing_identify_response(&run->response_request, &run->result, error)
         : is_valanis(run) ? identify_linear(run, error)
                           : identify_nonlinear(run, error));
    NEED(is_response ? write_entry(run, error) : write_joints(run, error));
    for (int i = 0; i < result->n_estimates; i++) {
        if (isinf(result->estimates[i].interval)) {
            printf("# the data do not determine %s\n", result->estimates[i].name);
        }
    }
    if (result->offset != 0.0) {
        printf("# beside it the measured force has an offset of %.6g N\n", result->offset);
    }
    fputs(run->single.result, stdout);
    return MASING_OK;
}

/* ---- the summary and the files ---- */

static void print_data(const struct identification *run)
{
    const struct masing_identification *result = &run->result;
    for (int i = 0; i < run->data.n_loops; i++) {
        fprintf(stderr, "%s: %d samples, %s\n", run->data.loops[i].name,
                run->data.loops[i].n_samples,
                result->is_steady[i] ? "steady cycles" : "from the unloaded joint on");
    }
    for (int i = 0; i < run->response_request.n_responses; i++) {
        const struct masing_measured_response *response = &run->responses[i];
        fprintf(stderr, "%s: %d frequencies%s", response->name, response->n_points,
                response->phase_deg ? ", with phases" : "");
        if (!isnan(response->load_factor)) {
            fprintf(stderr, ", load factor %.6g", response->load_factor);
        }
        fputc('\n', stderr);
    }
}

static void print(const void *context)
{
    const struct identification *run = context;
    const struct masing_identification *result = &run->result;
    struct pool *pool = run->single.call->pool;
    struct text_table table = {.pool = pool, .n_columns = 4};
    print_data(run);
    if (isnan(result->rms)) {
        fprintf(stderr, "%s: rms misfit %.3g of the largest amplitude of each response\n",
                law_names(run), result->relative_rms);
    } else {
        fprintf(stderr, "%s: rms misfit %.4g N over %d samples (%.3g of the largest force)\n",
                law_names(run), result->rms, result->n_data, result->relative_rms);
    }
    text_table_add(&table, "parameter\tvalue\tunit\t95 %% interval");
    for (int i = 0; i < result->n_estimates; i++) {
        const struct masing_estimate *estimate = &result->estimates[i];
        double interval = estimate->interval;
        const char *text = estimate->is_at_limit ? "at the end of its range"
                           : isinf(interval)     ? "not determined"
                           : isnan(interval)     ? "-"
                                                 : pool_format(pool, "+- %.3g", interval);
        text_table_add(&table, "%s\t%.8g\t%s\t%s", estimate->name, estimate->value,
                       *estimate->unit ? estimate->unit : "-", text);
    }
    text_table_print(&table, stderr);
    fprintf(stderr, "condition number %.3g, columns of equal length", result->condition);
    if (result->condition_unscaled > 0) {
        fprintf(stderr, "; %.3g in SI units", result->condition_unscaled);
    }
    if (result->tikhonov > 0) {
        fprintf(stderr, "; regularisation %.3g", result->tikhonov);
    }
    fputc('\n', stderr);
    if (result->n_starts > 1) {
        fprintf(stderr, "%d of %d starts led here\n", result->n_agreeing, result->n_starts);
    }
}

enum { CURVE, PART, IS_MEASURED, IS_CLOSED, X, Y, N_PICTURE_COLUMNS };

static const struct masing_column picture_columns[N_PICTURE_COLUMNS] = {
    [CURVE] = {"curve", MASING_COLUMN_TEXT},
    [PART] = {"part", MASING_COLUMN_INTEGER},
    [IS_MEASURED] = {"is_measured", MASING_COLUMN_INTEGER},
    [IS_CLOSED] = {"is_closed", MASING_COLUMN_INTEGER},
    [X] = {"x", MASING_COLUMN_REAL},
    [Y] = {"y", MASING_COLUMN_REAL},
};

/* The measured points of all loops or responses, then what was fitted over them. */
static enum masing_status draw(const void *context, const struct masing_sink *sink,
                               struct masing_error *error)
{
    const struct identification *run = context;
    const struct masing_identification *result = &run->result;
    bool is_response = run->settings->model != NULL;
    int n = result->n_loops;
    NEED(sink->open(sink->context, picture_columns, N_PICTURE_COLUMNS, error));
    for (int i = 0; i < 2 * n; i++) {
        bool is_measured = i < n;
        int part = i % n;
        const struct masing_measured_response *response = &run->responses[part];
        const struct masing_measurement *loop = &run->loops[part];
        int n_points = is_response ? response->n_points : loop->n_samples;
        const double *x = is_response ? response->frequency_hz : loop->displacement;
        const double *y = is_response ? response->amplitude : loop->force;
        bool is_closed = !is_response && result->is_steady[part];
        for (int j = 0; j < n_points; j++) {
            const struct masing_cell cells[N_PICTURE_COLUMNS] = {
                [CURVE] = {.text = is_measured ? "measured" : "fitted"},
                [PART] = {.number = is_measured ? -1 - part : part},
                [IS_MEASURED] = {.number = is_measured},
                [IS_CLOSED] = {.number = is_closed ? 1 : NAN},
                [X] = {.number = x[j]},
                [Y] = {.number = is_measured ? y[j] : result->fitted[part][j]},
            };
            NEED(sink->row(sink->context, cells, error));
        }
    }
    return sink->finish(sink->context, error);
}

static enum masing_status put_rows(const void *context, const struct masing_sink *sink,
                                   struct masing_error *error)
{
    const struct identification *run = context;
    return run->settings->model
               ? masing_response_fit_rows(&run->response_request, &run->result, sink, error)
               : masing_identification_rows(&run->data, &run->result, sink, error);
}

static enum masing_status write_files(const void *context, struct masing_error *error)
{
    const struct identification *run = context;
    const struct masing_identification *result = &run->result;
    bool is_response = run->settings->model != NULL;
    const struct masing_plot_settings picture = {
        .kind = is_response ? MASING_PLOT_CURVES : MASING_PLOT_LOOPS,
        .title = pool_format(run->single.call->pool, "%s, misfit %.2g of the largest %s",
                             law_names(run), result->relative_rms,
                             is_response ? "amplitude" : "force"),
        .is_coarse = is_response, /* only the measured frequencies are there */
        .x_column = "x",
        .y_column = "y",
        .group_column = "curve",
        .segment_column = "part",
        .closed_column = "is_closed",
        .dots_column = "is_measured",
        .x_label = is_response ? "Frequency (Hz)" : "Displacement (m)",
        .y_label = is_response ? "Amplitude" : "Force (N)",
        .group_label = law_names(run),
    };
    return output_fill(&run->single.outputs, &picture, draw, put_rows, run, error);
}

/* ---- the command ---- */

static enum exit_status run_identify(const struct call *call, const void *settings)
{
    static const struct single_steps steps = {
        .begin = begin, .compute = compute, .print = print, .write = write_files};
    struct identification run = {.settings = settings};
    if (run.settings->modal_iwan > 0) {
        return identify_modal(call, settings);
    }
    run.single.n_summary_warnings = &run.result.n_warnings;
    run.single.summary_warnings = &run.result.warnings;
    enum exit_status result = single_run(call, settings, &steps, &run);
    masing_identification_clear(&run.result);
    masing_measurements_free(run.loops, run.data.n_loops);
    for (int i = 0; i < run.response_request.n_responses; i++) {
        masing_measured_response_clear(&run.responses[i]);
    }
    masing_document_destroy(run.document);
    return result;
}

#define AT(member) offsetof(struct identify_settings, member)

static const struct option identify_options[] = {
    {"--law", "NAME[+NAME...]",
     "the joint law (default: generalized_valanis), or laws\n"
     "side by side whose forces add up, as jenkins+linear;\n"
     "their numbers are jenkins.stiffness, linear.stiffness",
     option_store_text, AT(law)},
    {"--terms", "TERM,TERM,...",
     "generalized_valanis: terms of P(x, v), products of 1,\n"
     "x, x^N, exp(A*x), v, abs(v), sgn(v), v^2, v^3 (default: x)",
     option_store_text, AT(terms)},
    {"--branches", "WHICH",
     "generalized_valanis: both (default), separate\n"
     "constants for loading and unloading, or one alone:\n"
     "loading, unloading",
     option_store_text, AT(branches)},
    {"--ends", "SHARE",
     "generalized_valanis: share of each branch that is left\n"
     "out at both ends (default: 0.02)",
     option_store_given, AT(end_share)},
    {"--tikhonov", "VALUE",
     "generalized_valanis: regularisation relative to the\n"
     "largest singular value, or auto",
     store_tikhonov, AT(tikhonov)},
    {"--fix", "NAME=VALUE", "other laws: hold a parameter; repeatable", option_store_override,
     AT(fixed)},
    {"--start", "NAME=VALUE", "other laws: start a parameter there; repeatable",
     option_store_override, AT(starts)},
    {"--vary", "NAME,NAME,...",
     "other laws: vary these and nothing else (default: what\n"
     "the law requires, defaults that the data can tell, and\n"
     "offset, a constant force, where the data show one)",
     option_store_text, AT(varied)},
    {"--trials", "N", "other laws: number of starts (default: 16)", option_store_count,
     AT(n_trials)},
    {"--open", NULL, "the loops begin at the unloaded joint", option_store_flag, AT(is_open)},
    {"--steady", NULL, "the loops are whole steady cycles (default: if they close)",
     option_store_flag, AT(is_steady)},
    {"--frequency", "HZ", "of steady cycles without a column 'time'", option_store_positive,
     AT(frequency_hz)},
    {"--columns", "x=2,f=3",
     "which columns of the data, by number or name, hold\n"
     "displacement (x), force (f) and time (t); x=2[mm] with\n"
     "a unit; then no header is needed",
     option_store_text, AT(columns)},
    {"--model", "MODEL.yaml", "fit a joint of this model to measured responses",
     option_store_text, AT(model)},
    {"--joint", "NAME", "of the model, with --model", option_store_text, AT(joint)},
    {"--response", "FILE[:FACTOR]",
     "frequency_hz, amplitude[, phase_deg] of the model's\n"
     "output, measured at this load_factor; repeatable",
     option_store_texts, AT(responses)},
    {"--measure", "WHICH", "what the amplitudes of responses are: h1 (default), amp, max",
     option_store_text, AT(measure)},
    {"--modal-iwan", "N",
     "a model of mode N with an Iwan element, from rows of\n"
     "mode or ringdown; --model gives the linear modes",
     option_store_count, AT(modal_iwan)},
    {"--stuck", "HZ", "instead: frequency with the joints stuck", option_store_positive,
     AT(stuck_hz)},
    {"--free", "HZ", "and without the joints", option_store_positive, AT(free_hz)},
    {"--damping", "RATIO", "of the structure (default: of the model, or found)",
     option_store_given, AT(damping)},
    {"--leave-out", "A,A",
     "amplitudes around the onset of full slip to leave out\n"
     "(default: 0.8 to 10 times the onset)",
     option_store_reals, AT(left_out)},
    {"--printed", NULL, "macroslip as the paper prints it", option_store_flag, AT(is_printed)},
    {"--name", "NAME", "of the joint that is printed (default: joint)", option_store_text,
     AT(name)},
    {"--from", "DOF", "of the joint that is printed (default: ground)", option_store_text,
     AT(from)},
    {"--to", "DOF", "of the joint that is printed (default: m1)", option_store_text, AT(to)},
    {0},
};

const struct command command_identify = {
    .name = "identify",
    .operands = "[DATA.csv...]",
    .max_operands = 1000,
    .summary = "joint parameters from measured loops, responses or decays",
    .details =
        "Loops: CSV files displacement, force[, time], with units as in x [mm]. Responses: "
        "--model, --response.\n"
        "Decays: --modal-iwan N, CSV files amplitude, frequency_hz, damping_ratio.\n"
        "A joints: entry (a model) goes to standard output. With -o x.csv measured and fitted\n"
        "points are written, with -o x.svg or x.png they are drawn.",
    .options = {identify_options, model_options, output_options, single_options},
    .settings_size = sizeof(struct identify_settings),
    .run = run_identify,
};
