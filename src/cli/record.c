/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/record.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Double-quoted YAML scalar. */
static void put_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(stream, "\\%c", *c);
        } else if (*c == '\n') {
            fputs("\\n", stream);
        } else if (*c < 0x20 || *c == 0x7f) {
            fprintf(stream, "\\x%02x", *c);
        } else {
            fputc(*c, stream);
        }
    }
    fputc('"', stream);
}

static void put_entry(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, "%s: ", key);
    put_text(stream, text);
    fputc('\n', stream);
}

static void put_list(FILE *stream, const char *indent, const char *key, int n,
                     const char *const *texts)
{
    fprintf(stream, "%s%s:%s\n", indent, key, n == 0 ? " []" : "");
    for (int i = 0; i < n; i++) {
        fprintf(stream, "%s  - ", indent);
        put_text(stream, texts[i]);
        fputc('\n', stream);
    }
}

/* UTC; SOURCE_DATE_EPOCH makes records reproducible (reproducible-builds.org). */
static void put_date(FILE *stream)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t moment = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm parts;
    char text[64] = "unknown";
    if (gmtime_r(&moment, &parts)) {
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    fprintf(stream, "date: %s\n", text);
}

static void put_number(FILE *stream, const char *key, double number)
{
    if (isfinite(number)) {
        fprintf(stream, "    %s: %.17g\n", key, number);
    }
}

static void put_strategies(FILE *stream, const struct masing_response_summary *curve)
{
    const char *between = "";
    fputs("    strategies: {", stream);
    for (int i = 0; i < MASING_N_STRATEGIES; i++) {
        if (curve->strategies[i] > 0) {
            fprintf(stream, "%s%s: %d", between, masing_strategy_name((enum masing_strategy)i),
                    curve->strategies[i]);
            between = ", ";
        }
    }
    fputs("}\n", stream);
}

static void put_check(FILE *stream, const struct masing_harmonics_check *check,
                      const struct masing_spec *spec)
{
    if (!(check->tolerance > 0)) {
        return;
    }
    fprintf(stream, "    check_points: %d\n    check_unsolved: %d\n", check->n_points,
            check->n_unsolved);
    fprintf(stream, "    check_harmonics: %d\n    check_samples: %d\n", check->harmonics,
            check->samples);
    put_number(stream, "check_tolerance", check->tolerance);
    put_number(stream, "peak_error", check->peak_error);
    put_number(stream, "peak_refined_hz", check->peak_hz);
    fputs("    errors:\n", stream);
    for (int o = 0; o < check->n_outputs; o++) {
        fputs("      ", stream);
        put_text(stream, spec->outputs[o].name);
        fprintf(stream, ": %.17g\n", check->errors[o]);
    }
}

static void put_starts(FILE *stream, const struct masing_starts *starts)
{
    if (starts->n > 0) {
        fprintf(stream, "    starts: %d\n    starts_solved: %d\n", starts->n, starts->n_solved);
        put_number(stream, "starts_lowest", starts->lowest);
        put_number(stream, "starts_highest", starts->highest);
    }
}

static void put_places(FILE *stream, const char *key, const struct masing_places *places)
{
    for (int i = 0; i < places->n && i < MASING_MAX_PLACES; i++) {
        if (i == 0) {
            fprintf(stream, "    %s: [", key);
        }
        fprintf(stream, "%s%.17g", i == 0 ? "" : ", ", places->at[i]);
    }
    fputs(places->n > 0 ? "]\n" : "", stream);
}

static void put_stability(FILE *stream, const struct masing_stability_summary *stability)
{
    if (stability->n_points > 0) {
        fprintf(stream, "    stability_points: %d\n    unstable: %d\n    undecided: %d\n",
                stability->n_points, stability->n_unstable, stability->n_undecided);
        put_number(stream, "largest_multiplier", stability->largest);
        put_number(stream, "multiplier_error", stability->error);
    }
    for (int i = 0; i < stability->n_ranges && i < MASING_MAX_PLACES; i++) {
        fprintf(stream, "%s[%.17g, %.17g]", i == 0 ? "    unstable_ranges: [" : ", ",
                stability->from[i], stability->to[i]);
    }
    fputs(stability->n_ranges > 0 ? "]\n" : "", stream);
    put_places(stream, "period_doublings", &stability->period_doublings);
    put_places(stream, "neimark_sackers", &stability->neimark_sackers);
}

static void put_curve(FILE *stream, const struct record *record, int index)
{
    const struct masing_response_summary *curve = &record->curves[index];
    fprintf(stream, "  - is_complete: %s\n", curve->is_complete ? "true" : "false");
    if (record->values) {
        put_number(stream, "value", record->values[index]);
    }
    if (curve->reason[0]) {
        fputs("    reason: ", stream);
        put_text(stream, curve->reason);
        fputc('\n', stream);
    }
    fprintf(stream, "    start: %s\n    forces: %s\n    points: %d\n",
            curve->start ? curve->start : "zero", curve->forces ? curve->forces : "none",
            curve->points);
    put_number(stream, "worst_residual", curve->residual);
    put_number(stream, "worst_energy_mismatch", curve->energy_mismatch);
    fprintf(stream,
            "    residuals: %ld\n    jacobians: %ld\n    factorisations: %ld\n"
            "    event_residuals: %ld\n",
            curve->residuals, curve->jacobians, curve->factorisations, curve->event_residuals);
    put_strategies(stream, curve);
    put_check(stream, &curve->check, record->input->spec);
    put_starts(stream, &curve->starts);
    put_stability(stream, &curve->stability);
    put_places(stream, "branch_points", &curve->branch_points);
    put_list(stream, "    ", "warnings", curve->n_warnings,
             (const char *const *)curve->warnings);
}

/* YAML text (the resolved model) as a literal block, indented by two. */
static void put_block(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, "%s: |2\n", key);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (length > 0) {
            fprintf(stream, "  %.*s", (int)length, line);
        }
        fputc('\n', stream);
        line += length + (line[length] == '\n');
    }
}

static void put_ending(FILE *stream, const struct record *record)
{
    const char *reason = record->reason ? record->reason->message : "";
    fputs("ended: ", stream);
    if (record->ended == MASING_OK) {
        put_text(stream, "done");
    } else {
        put_text(stream, pool_format(record->call->pool, "early: %s",
                                     *reason ? reason : masing_status_name(record->ended)));
    }
    fputc('\n', stream);
}

static void put_all(FILE *stream, const struct record *record, const char *model)
{
    fprintf(stream, "masing_version: %s\n", masing_version());
    put_date(stream);
    put_list(stream, "", "command", record->call->arguments.count,
             record->call->arguments.values);
    if (record->input) {
        put_entry(stream, "model_file", record->input->file);
    }
    put_ending(stream, record);
    if (!record->curves) {
        put_list(stream, "", "warnings", record->warnings.count, record->warnings.values);
    } else {
        if (record->parameter) {
            put_entry(stream, "parameter", record->parameter);
        }
        fputs("curves:\n", stream);
        for (int i = 0; i < record->n_curves; i++) {
            put_curve(stream, record, i);
        }
    }
    put_list(stream, "", "log", record->log ? record->log->count : 0,
             record->log ? record->log->values : NULL);
    if (record->result) {
        put_block(stream, "result", record->result);
    }
    if (model) {
        put_block(stream, "model", model);
    }
}

static enum masing_status write_file(const struct record *record, const char *file,
                                     const char *model, struct masing_error *error)
{
    FILE *stream = fopen(file, "w");
    bool is_good = stream != NULL;
    if (stream) {
        put_all(stream, record, model);
        is_good = !ferror(stream);
        is_good = fclose(stream) == 0 && is_good;
    }
    return is_good ? MASING_OK
                   : masing_error_set(error, MASING_IO, "%s: cannot write: %s", file,
                                      strerror(errno));
}

enum masing_status record_write(const struct record *record, const struct output_list *outputs,
                                struct masing_error *error)
{
    char *model = NULL;
    enum masing_status status = MASING_OK;
    if (record->input) {
        const struct override_list *overrides = record->input->overrides;
        status = (record->input->has_joints_only ? masing_document_joints_resolved
                                                 : masing_document_resolved)(
            record->input->document, overrides->values, overrides->count, &model, error);
    }
    for (int i = 0; status == MASING_OK && i < outputs->count; i++) {
        const char *file = outputs->values[i].file;
        if (strcmp(file, "-") != 0) {
            status = write_file(record, pool_format(record->call->pool, "%s.run.yaml", file),
                                model, error);
        }
    }
    free(model);
    return status;
}
