/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/single_run.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/processes.h"
#include "cli/unit.h"
#include "masing/text.h"

/* ---- the model ---- */

enum masing_status model_input_open(const struct call *call,
                                    const struct common_settings *settings,
                                    enum model_kind kind, struct model_input *input,
                                    struct masing_error *error)
{
    const struct override_list *overrides = &settings->overrides;
    *input = (struct model_input){.file = call->operands.values[0], .overrides = overrides};
    enum masing_status status = masing_document_read(input->file, &input->document, error);
    input->file = strcmp(input->file, "-") == 0 ? "standard input" : input->file;
    NEED(status);
    if (kind == MODEL_JOINTS ||
        (kind == MODEL_EITHER && masing_document_is_of_joints(input->document))) {
        input->has_joints_only = true;
        input->spec = &input->keys;
        return masing_document_joints(input->document, overrides->values, overrides->count,
                                      &input->keys, error);
    }
    if (kind == MODEL_UNSEALED) {
        input->spec = &input->keys;
        return masing_document_spec(input->document, overrides->values, overrides->count,
                                    &input->keys, error);
    }
    status = masing_document_model(input->document, overrides->values, overrides->count,
                                   &input->model, error);
    if (kind == MODEL_VARIED && status == MASING_INVALID &&
        masing_document_joints(input->document, overrides->values, overrides->count,
                               &input->keys, NULL) == MASING_OK) {
        input->spec = &input->keys;
        masing_error_clear(error);
        return MASING_OK;
    }
    input->spec = status == MASING_OK ? masing_model_spec(input->model) : NULL;
    return status;
}

static void model_input_close(struct model_input *input)
{
    masing_spec_clear(&input->keys);
    masing_model_destroy(input->model);
    masing_document_destroy(input->document);
}

/* Of an end of the range on its way from Hz to rad/s and back. */
static const double ROUNDING = 1e-12;

enum masing_status model_input_contains(const struct model_input *input, const char *option,
                                        const struct real_list *at_hz,
                                        struct masing_error *error)
{
    const double radians = 2 * acos(-1.0);
    bool is_bounded = input->spec->sweep != MASING_SWEEP_NONE;
    double low = fmin(input->spec->omega_from, input->spec->omega_to) / radians;
    double high = fmax(input->spec->omega_from, input->spec->omega_to) / radians;
    for (int i = 0; i < at_hz->count; i++) {
        if (!(at_hz->values[i] > 0.0)) {
            return masing_error_set(error, MASING_INVALID, "%s: %g is not above zero", option,
                                    at_hz->values[i]);
        }
        if (is_bounded && (at_hz->values[i] < low * (1 - ROUNDING) ||
                           at_hz->values[i] > high * (1 + ROUNDING))) {
            return masing_error_set(error, MASING_INVALID,
                                    "%s: %.10g Hz lies outside the range %.10g .. %.10g Hz",
                                    option, at_hz->values[i], low, high);
        }
    }
    return MASING_OK;
}

/* Whether a load acts on rotations alone. */
static bool turns(const struct masing_spec *spec, const struct masing_load_spec *load)
{
    bool does = load->pattern != NULL, has_any = false;
    for (int i = 0; does && i < spec->structure.n_dofs; i++) {
        struct masing_term term = {.dof = i};
        bool acts = load->pattern[i] != 0.0;
        has_any = has_any || acts;
        does = !acts || unit_turns(spec, &(struct masing_combination){1, &term});
    }
    return does && has_any;
}

const char *model_input_unit(const struct masing_spec *spec, const char *path)
{
    const char *last = strrchr(path, '.');
    if (!last) {
        return "";
    }
    size_t length = (size_t)(last - path);
    for (int i = 0; i < spec->n_joints; i++) {
        const struct masing_joint_spec *joint = &spec->joints[i];
        if (strlen(joint->name) == length && strncmp(joint->name, path, length) == 0) {
            int field = masing_field_find(joint->law->fields, joint->law->n_fields, last + 1);
            return field >= 0
                       ? unit_of(joint->law->fields[field].unit, unit_joint_turns(spec, joint))
                       : "";
        }
    }
    for (int i = 0; i < spec->n_loads; i++) {
        const struct masing_load_spec *load = &spec->loads[i];
        if (load->name && strlen(load->name) == length &&
            strncmp(load->name, path, length) == 0 && strcmp(last + 1, "amplitude") == 0) {
            return load->kind == MASING_LOAD_FORCE ? unit_of("N", turns(spec, load)) : "";
        }
    }
    return "";
}

const char *model_input_label(struct pool *pool, const struct masing_spec *spec,
                              const char *path)
{
    const char *unit = path ? model_input_unit(spec, path) : "";
    return *unit ? pool_format(pool, "%s (%s)", path, unit) : path;
}

const char *model_input_loop_name(struct pool *pool, const struct masing_joint_spec *joint)
{
    bool has_first = !joint->present || (joint->present & 1u);
    int axis = has_first && masing_joint_spec_axes(joint) > 1 ? 1 : 0;
    const char *name = masing_joint_spec_axis_name(joint, axis);
    return *name ? pool_format(pool, "%s_%s", joint->name, name) : joint->name;
}

const struct masing_joint_spec *model_input_loop_joint(const struct masing_spec *spec,
                                                       const char *name)
{
    for (int g = 0; g < spec->n_groups; g++) {
        const struct masing_joint_group *group = &spec->groups[g];
        if (group->n_joints == 1 && (!name || strcmp(group->name, name) == 0)) {
            return &spec->joints[group->first];
        }
    }
    return NULL;
}

/* ---- progress ---- */

/* By which an analysis is asked to end. */
static const int signals[N_SIGNALS] = {SIGINT, SIGTERM};

/* The only thing that a signal handler may touch. */
static volatile sig_atomic_t is_interrupted;

static void on_signal(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool single_run_is_interrupted(void)
{
    return is_interrupted != 0;
}

static bool is_cancelled(void *context)
{
    (void)context;
    return single_run_is_interrupted();
}

static void format_seconds(double seconds, char *text, size_t size)
{
    if (seconds < 100) {
        snprintf(text, size, "%.0f s", ceil(seconds));
    } else if (seconds < 6000) {
        snprintf(text, size, "%.0f min", ceil(seconds / 60));
    } else {
        snprintf(text, size, "%.1f h", seconds / 3600);
    }
}

static void draw(struct progress *progress, double fraction, int points, double time)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1], left[32];
    int filled = (int)(fraction * WIDTH);
    memset(bar, '#', (size_t)filled);
    memset(bar + filled, '.', (size_t)(WIDTH - filled));
    bar[WIDTH] = '\0';
    format_seconds((time - progress->started) * (1 - fraction) / fmax(fraction, 1e-3), left,
                   sizeof left);
    fprintf(stderr, "\r[%s] %3.0f %%  %d points  %s left\x1b[K", bar, 100 * fraction, points,
            left);
    progress->is_drawn = true;
}

/* Quiet during the first half second, then ten times a second. */
static void report(void *context, double fraction, int points)
{
    const double patience = 0.5, pause = 0.1;
    struct progress *progress = context;
    double time = now();
    if (progress->has_bar && time - progress->started > patience &&
        time - progress->last > pause) {
        draw(progress, fmin(fmax(fraction, 0), 1), points, time);
        progress->last = time;
    }
}

static void log_line(void *context, const char *line)
{
    struct progress *progress = context;
    option_store_texts(progress->pool, pool_format(progress->pool, "%s", line), &progress->log,
                       NULL);
}

/* From here on Ctrl-C or a request to terminate ends the analysis and keeps what was computed;
 * a second one ends the program at once. */
static void progress_begin(struct progress *progress, struct pool *pool, bool is_quiet)
{
    struct sigaction action = {.sa_handler = on_signal}, before;
    *progress = (struct progress){
        .hooks = {progress, report, log_line, is_cancelled},
        .pool = pool,
        .has_bar = !is_quiet && isatty(STDERR_FILENO),
        .started = now(),
    };
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
    for (int i = 0; i < N_SIGNALS; i++) {
        sigaction(signals[i], NULL, &before);
        progress->is_ignored[i] = before.sa_handler == SIG_IGN; /* as for background jobs */
        if (!progress->is_ignored[i]) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

/* Take the bar away. */
static void progress_end(struct progress *progress)
{
    if (progress->is_drawn) {
        fputs("\r\x1b[K", stderr);
        progress->is_drawn = false;
    }
    for (int i = 0; i < N_SIGNALS; i++) {
        if (!progress->is_ignored[i]) {
            signal(signals[i], SIG_DFL);
        }
    }
}

/* ---- the record ---- */

/* The text of a record. */
struct record {
    const struct single_run *single;
    char *text;
    size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) static void put(struct record *record, const char *format,
                                                      ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t room = record->capacity - record->length;
    size_t more =
        (size_t)vsnprintf(room ? record->text + record->length : NULL, room, format, arguments);
    if (more >= room) {
        record->capacity = 2 * (record->length + more + 1);
        char *larger = pool_take(record->single->call->pool, record->capacity, 1);
        memcpy(larger, record->text, record->length);
        record->text = larger;
        vsnprintf(record->text + record->length, more + 1, format, again);
    }
    record->length += more;
    va_end(again);
    va_end(arguments);
}

/* Double-quoted YAML scalar; bytes that are not UTF-8 as if they were Latin-1. */
const char *record_quoted(struct pool *pool, const char *text)
{
    enum { LONGEST_ESCAPE = 8, PER_BYTE = 4 };
    size_t left = strlen(text), step;
    char *whole = pool_take(pool, PER_BYTE * left + LONGEST_ESCAPE, 1);
    char *end = whole;
    *end++ = '"';
    for (const char *c = text; left > 0; c += step, left -= step) {
        unsigned code;
        step = masing_text_next(c, left, &code);
        if (*c == '"' || *c == '\\') {
            end += snprintf(end, LONGEST_ESCAPE, "\\%c", *c);
        } else if (*c == '\n' || (step == 1 && !masing_text_is_printable(code))) {
            end += snprintf(end, LONGEST_ESCAPE, "\\x%02x", (unsigned)(unsigned char)*c);
        } else if (!masing_text_is_printable(code)) {
            end += snprintf(end, LONGEST_ESCAPE, "\\u%04x", code);
        } else {
            memcpy(end, c, step);
            end += step;
        }
    }
    *end = '"';
    return whole;
}

static const char *quoted(const struct record *record, const char *text)
{
    return record_quoted(record->single->call->pool, text);
}

static void put_list(struct record *record, const char *indent, const char *key, int n,
                     const char *const *texts)
{
    put(record, "%s%s:%s\n", indent, key, n == 0 ? " []" : "");
    for (int i = 0; i < n; i++) {
        put(record, "%s  - %s\n", indent, quoted(record, texts[i]));
    }
}

/* UTC; SOURCE_DATE_EPOCH makes records reproducible (reproducible-builds.org). */
static void put_date(struct record *record)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t moment = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm parts;
    char text[64] = "unknown";
    if (gmtime_r(&moment, &parts)) {
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    put(record, "date: %s\n", text);
}

static void put_number(struct record *record, const char *key, double number)
{
    if (isfinite(number)) {
        put(record, "    %s: %.17g\n", key, number);
    }
}

static void put_contact_changes(struct record *record,
                                const struct masing_contact_changes *changes)
{
    if (changes->slip + changes->stick + changes->open + changes->close > 0) {
        put(record, "    contact_changes: {slip: %d, stick: %d, open: %d, close: %d}\n",
            changes->slip, changes->stick, changes->open, changes->close);
    }
}

static void put_strategies(struct record *record, const struct masing_response_summary *curve)
{
    const char *between = "";
    put(record, "    strategies: {");
    for (int i = 0; i < MASING_N_STRATEGIES; i++) {
        if (curve->strategies[i] > 0) {
            put(record, "%s%s: %d", between, masing_strategy_name((enum masing_strategy)i),
                curve->strategies[i]);
            between = ", ";
        }
    }
    put(record, "}\n");
}

static void put_check(struct record *record, const struct masing_harmonics_check *check,
                      const struct masing_spec *spec)
{
    if (!(check->tolerance > 0)) {
        return;
    }
    put(record,
        "    check_points: %d\n    check_unsolved: %d\n"
        "    check_harmonics: %d\n    check_samples: %d\n",
        check->n_points, check->n_unsolved, check->harmonics, check->samples);
    put_number(record, "check_tolerance", check->tolerance);
    put_number(record, "peak_error", check->peak_error);
    put_number(record, "peak_refined_hz", check->peak_hz);
    put(record, "    errors:\n");
    for (int o = 0; o < check->n_outputs && check->n_points > check->n_unsolved; o++) {
        put(record, "      %s: %.17g\n", quoted(record, spec->outputs[o].name),
            check->errors[o]);
    }
}

static void put_starts(struct record *record, const struct masing_starts *starts)
{
    if (starts->n > 0) {
        put(record, "    starts: %d\n    starts_solved: %d\n", starts->n, starts->n_solved);
        put_number(record, "starts_lowest", starts->lowest);
        put_number(record, "starts_highest", starts->highest);
    }
}

static void put_places(struct record *record, const char *key,
                       const struct masing_places *places)
{
    for (int i = 0; i < places->n && i < MASING_MAX_PLACES; i++) {
        if (i == 0) {
            put(record, "    %s: [", key);
        }
        put(record, "%s%.17g", i == 0 ? "" : ", ", places->at[i]);
    }
    put(record, "%s", places->n > 0 ? "]\n" : "");
}

static void put_stability(struct record *record,
                          const struct masing_stability_summary *stability)
{
    if (stability->n_points > 0) {
        put(record, "    stability_points: %d\n    unstable: %d\n    undecided: %d\n",
            stability->n_points, stability->n_unstable, stability->n_undecided);
        put_number(record, "largest_multiplier", stability->largest);
        put_number(record, "multiplier_error", stability->error);
    }
    for (int i = 0; i < stability->n_ranges && i < MASING_MAX_PLACES; i++) {
        put(record, "%s[%.17g, %.17g]", i == 0 ? "    unstable_ranges: [" : ", ",
            stability->from[i], stability->to[i]);
    }
    put(record, "%s", stability->n_ranges > 0 ? "]\n" : "");
    put_places(record, "period_doublings", &stability->period_doublings);
    put_places(record, "neimark_sackers", &stability->neimark_sackers);
}

static void put_curve(struct record *record, int index)
{
    const struct single_run *single = record->single;
    const struct masing_response_summary *curve = &single->curves[index];
    put(record, "  - is_complete: %s\n", curve->is_complete ? "true" : "false");
    const struct parameter_range *parameter = single->parameter;
    if (parameter && parameter->words) {
        put(record, "    value: %s\n", quoted(record, parameter->words[index]));
    } else if (parameter) {
        put_number(record, "value", parameter->values.values[index]);
    }
    if (curve->reason[0]) {
        put(record, "    reason: %s\n", quoted(record, curve->reason));
    }
    put(record, "    start: %s\n    forces: %s\n    points: %d\n",
        curve->start ? curve->start : "zero", curve->forces ? curve->forces : "none",
        curve->points);
    put_number(record, "worst_residual", curve->residual);
    put_number(record, "worst_energy_mismatch", curve->energy_mismatch);
    put(record,
        "    residuals: %ld\n    jacobians: %ld\n    factorisations: %ld\n"
        "    event_residuals: %ld\n",
        curve->residuals, curve->jacobians, curve->factorisations, curve->event_residuals);
    if (curve->krylov_solves > 0) {
        put(record, "    krylov_solves: %ld\n    krylov_iterations: %ld\n",
            curve->krylov_solves, curve->krylov_iterations);
    }
    put_contact_changes(record, &curve->contact_changes);
    put_number(record, "blade_largest", curve->blades.largest);
    put_number(record, "amplification", curve->blades.amplification);
    put_strategies(record, curve);
    put_check(record, &curve->check, single->input.spec);
    put_starts(record, &curve->starts);
    put_stability(record, &curve->stability);
    put_places(record, "branch_points", &curve->branch_points);
    put_list(record, "    ", "warnings", curve->n_warnings,
             (const char *const *)curve->warnings);
}

/* YAML text (the resolved model) as a literal block, indented by two. */
static void put_block(struct record *record, const char *key, const char *text)
{
    put(record, "%s: |2\n", key);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        put(record, "%s%.*s\n", length > 0 ? "  " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* The tables that were written, each column with its unit, and fields. */
static void put_files(struct record *record)
{
    const char *file;
    const struct output_sink *first = output_first(&record->single->outputs);
    while (first && !output_sink_table(first, 0)) {
        first = first->next;
    }
    const struct output_list *outputs = &record->single->outputs;
    const struct text_list *fields = &outputs->fields;
    bool has_any = first || fields->count > 0 || outputs->report;
    put(record, "%s", has_any ? "files:\n" : "files: []\n");
    for (const struct output_sink *sink = first; sink; sink = sink->next) {
        for (int i = 0; (file = output_sink_table(sink, i)) != NULL; i++) {
            put(record, "  - file: %s\n    columns:\n", quoted(record, file));
            for (int c = 0; c < sink->n_columns; c++) {
                const char *name = sink->columns[c].name;
                const char *unit = column_unit(record->single, name);
                if (masing_column_is_plain(&sink->columns[c])) { /* else it is not there */
                    put(record, "      %s: %s\n", quoted(record, name),
                        quoted(record, unit ? unit : "unknown"));
                }
            }
        }
    }
    for (int i = 0; i < fields->count; i++) {
        put(record, "  - file: %s\n", quoted(record, fields->values[i]));
    }
    for (int i = 0; i < outputs->count; i++) {
        if (outputs->values[i].format == OUTPUT_REPORT) {
            put(record, "  - file: %s\n", quoted(record, outputs->values[i].file));
        }
    }
}

static const char *record_text(const struct single_run *single, const char *ending,
                               bool is_complete, const char *model)
{
    struct record whole = {.single = single, .text = ""}, *record = &whole;
    put(record, "masing_version: %s\n", masing_version());
    put_date(record);
    put_list(record, "", "command", single->call->arguments.count,
             single->call->arguments.values);
    if (single->header) {
        const struct text_list lines = option_split(single->call->pool, single->header, '\n');
        put_list(record, "", RECORD_DEPENDS, lines.count - 1, lines.values);
    }
    if (model) {
        put(record, "model_file: %s\n", quoted(record, single->input.file));
    }
    put(record, "ended: %s\ncomplete: %s\n", quoted(record, ending),
        is_complete ? "true" : "false");
    put_files(record);
    if (single->curves && single->parameter) {
        put(record, "parameter: %s\n", quoted(record, single->parameter->name));
    }
    if (single->curves) {
        put(record, "curves:\n");
        for (int i = 0; i < single->n_curves; i++) {
            put_curve(record, i);
        }
    } else {
        put_list(record, "", "warnings", single->warnings.count, single->warnings.values);
    }
    put_list(record, "", "log", single->progress.log.count, single->progress.log.values);
    if (!model || single->result) {
        put_block(record, "result", single->result ? single->result : "");
    }
    if (model) {
        put_block(record, "model", model);
    }
    return record->text;
}

/* FILE.run.yaml beside every file of -o: how its rows came about. */
static void write_records(struct single_run *single, enum masing_status ended,
                          const char *ending, const char *model)
{
    struct pool *pool = single->call->pool;
    bool is_complete = ended == MASING_OK && single->outputs.failures.count == 0;
    const char *text = record_text(single, ending, is_complete, model);
    for (int i = 0; i < single->outputs.count; i++) {
        const char *file = single->outputs.values[i].file;
        if (strcmp(file, "-") != 0) {
            struct masing_error failure = {0};
            if (masing_text_write(pool_format(pool, "%s.run.yaml", file), text, &failure)) {
                output_note_failure(&single->outputs, failure.message);
            }
        }
    }
}

/* The model as it was understood; NULL: there is none. */
static enum masing_status model_text(const struct single_run *single, char **text,
                                     struct masing_error *error)
{
    const struct override_list *overrides = single->input.overrides;
    *text = NULL;
    return !single->input.document
               ? MASING_OK
               : (single->input.has_joints_only ? masing_document_joints_resolved
                                                : masing_document_resolved)(
                     single->input.document, overrides->values, overrides->count, text, error);
}

/* Files that hold all tables, and the records. */
static enum masing_status write_last(struct single_run *single, enum masing_status ended,
                                     const struct masing_error *reason,
                                     struct masing_error *error)
{
    char *model = NULL;
    const char *why = *reason->message ? reason->message : masing_status_name(ended);
    const char *ending =
        ended == MASING_OK ? "done" : pool_format(single->call->pool, "early: %s", why);
    enum masing_status status = model_text(single, &model, error);
    output_write_reports(single, ended, ending, model);
    if (status == MASING_OK) {
        write_records(single, ended, ending, model);
    }
    free(model);
    return status;
}

/* ---- what is read stays ---- */

void single_run_reads(struct single_run *single, const char *what, const char *file)
{
    struct input_list *inputs = &single->inputs;
    bool is_file = file && strcmp(file, "-") != 0;
    if (is_file) {
        inputs->values = option_grow(single->call->pool, inputs->values, inputs->count,
                                     sizeof *inputs->values);
        inputs->values[inputs->count++] = (struct input_file){what, file};
    }
}

void single_run_reads_files_of(struct single_run *single, const struct masing_spec *spec)
{
    for (int i = 0; i < spec->n_files; i++) {
        single_run_reads(single, "a file of the model,",
                         pool_format(single->call->pool, "%s", spec->files[i]));
    }
}

static enum masing_status check_inputs(struct single_run *single, struct masing_error *error)
{
    const struct call *call = single->call;
    const char *what = single->input.document ? "MODEL" : "DATA";
    for (int i = 0; i < call->operands.count; i++) {
        single_run_reads(single, what, call->operands.values[i]);
    }
    if (single->input.spec) {
        single_run_reads_files_of(single, single->input.spec);
    }
    NEED(output_check_inputs(call, "-o", &single->outputs, &single->inputs, error));
    return output_check_inputs(call, single->others_option, &single->others, &single->inputs,
                               error);
}

/* ---- the run ---- */

enum masing_status single_run_open(struct single_run *single, enum model_kind kind,
                                   struct masing_error *error)
{
    unsigned kinds = OUTPUT_HAS_PICTURES | (single->takes_fields ? OUTPUT_HAS_FIELDS : 0u);
    NEED(output_parse(single->call->pool, &single->settings->outputs, kinds, &single->outputs,
                      error));
    single->outputs.are_elsewhere = !processes_are_led(single->call->processes);
    return model_input_open(single->call, single->settings, kind, &single->input, error);
}

enum masing_status single_run_rows(struct single_run *single,
                                   const struct masing_plot_settings *picture,
                                   struct masing_error *error)
{
    const struct output_table table = {
        .is_on_stdout = true, .picture = picture, .parameter = single->curve_parameter};
    return output_sink_create(&single->outputs, &table, &single->rows, error);
}

/* The summary, the warnings, files and their records. Where rows could not be written, as when
 * the reader of a pipe has gone, nothing is known about the rest: no summary. */
static enum masing_status finish(const struct single_steps *steps, struct single_run *single,
                                 enum masing_status ended, const struct masing_error *reason,
                                 struct masing_error *error)
{
    bool is_told = ended != MASING_IO;
    struct masing_error failure = {0};
    if (is_told && !single->settings->is_quiet) {
        steps->print(single);
    }
    if (is_told && single->summary_warnings) {
        single->warnings.count = *single->n_summary_warnings;
        single->warnings.values = (const char **)(void *)*single->summary_warnings;
    }
    for (int i = 0; is_told && i < single->warnings.count; i++) {
        const char *text = single->warnings.values[i], *end = strchr(text, '\n');
        if (end) {
            fprintf(stderr, "warning (%.*s): %s\n", (int)(end - text), text, end + 1);
        } else {
            fprintf(stderr, "warning: %s\n", text);
        }
    }
    if (steps->write && steps->write(single, &failure)) {
        output_note_failure(&single->outputs, failure.message);
    }
    return write_last(single, ended, reason, error);
}

/* Columns that were asked for and that there are not. */
static enum masing_status check_columns(const struct single_run *single, unsigned has,
                                        struct masing_error *error)
{
    const char *known = "", *missing = NULL;
    for (int i = 0; option_groups[i]; i++) {
        if (has & (1u << i)) {
            known = pool_format(single->call->pool, "%s%s%s", known,
                                *known ? ", " : "; known: ", option_groups[i]);
        } else if (single->settings->columns & (1u << i)) {
            missing = option_groups[i];
        }
    }
    return !missing ? MASING_OK
                    : command_refuse(single->call, error,
                                     "--columns: '%s' is not supported yet for this command%s",
                                     missing, known);
}

/* A launcher hands standard input to one process alone. */
static enum masing_status check_processes(const struct call *call, struct masing_error *error)
{
    bool are_several = call->processes && masing_team_size(call->processes->team) > 1;
    return are_several && strcmp(call->operands.values[0], "-") == 0
               ? command_refuse(call, error,
                                "processes cannot share a model from standard input: expected "
                                "a file")
               : MASING_OK;
}

/* The first process tells. */
static void note_failure(struct processes *processes, enum masing_status status,
                         const struct masing_error *error)
{
    if (status != MASING_OK && status != MASING_STOPPED) {
        snprintf(processes->failure, sizeof processes->failure, "%s",
                 error->message[0] ? error->message : masing_status_name(status));
    }
}

/* Close everything. */
static enum exit_status end_run(const struct single_steps *steps, struct single_run *single,
                                enum exit_status result)
{
    run_log_close(single);
    output_end(&single->outputs);
    model_input_close(&single->input);
    if (steps->end) {
        steps->end(single);
    }
    return result;
}

enum exit_status single_run(const struct call *call, const void *settings,
                            const struct single_steps *steps, void *run)
{
    struct masing_error error = {0}, write_error = {0};
    run = run ? run : pool_take(call->pool, 1, steps->run_size);
    struct single_run *single = run;
    single->call = call;
    single->given = single->settings = settings;
    single->takes_fields = steps->has_fields;
    enum masing_status written = MASING_OK;
    bool is_done = false;
    enum masing_status status = check_processes(call, &error);
    status = status ? status : check_columns(single, steps->columns, &error);
    status = status ? status : steps->begin(run, &error);
    status = status ? status : check_inputs(single, &error);
    status = status ? status : output_check_reports(&single->outputs, &error);
    if (status == MASING_OK && steps->is_logged) {
        status = run_log_open(single, &is_done, &error);
    }
    if (is_done) {
        return end_run(steps, single, single->earlier);
    }
    if (status == MASING_OK && !steps->is_short) {
        progress_begin(&single->progress, call->pool, single->settings->is_quiet);
        status = steps->compute(run, &error);
        progress_end(&single->progress);
    } else if (status == MASING_OK) {
        status = steps->compute(run, &error);
    }
    if (!processes_are_led(call->processes)) {
        note_failure(call->processes, status, &error);
        return end_run(steps, single, EXIT_DONE);
    }
    bool has_rows = single->rows.n_rows > 0 || single->outputs.fields.count > 0;
    output_close(&single->outputs, status, has_rows);
    if (status == MASING_OK || has_rows) {
        written = finish(steps, single, status, &error, &write_error);
    }
    enum exit_status result = steps->report ? steps->report(run, status, &error)
                                            : command_report(call, status, &error, has_rows);
    if (written != MASING_OK && result == EXIT_DONE) {
        result = command_report(call, written, &write_error, true);
    }
    for (int i = 0; i < single->outputs.failures.count; i++) { /* each file by itself */
        command_say(call->command, "%s", single->outputs.failures.values[i]);
        result = result == EXIT_DONE ? EXIT_STOPPED : result;
    }
    run_log_finish(single, status, result);
    return end_run(steps, single, result);
}
