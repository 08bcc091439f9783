/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/ringdown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/single_run.h"
#include "cli/text_table.h"
#include "masing/mode.h"
#include "masing/result.h"

struct ringdown_settings {
    struct common_settings common;
    struct real_list amplitudes, modes;
    struct text_list modal; /* N=FILE */
    const char *history, *record, *shapes, *quantity;
    struct given_real from, to;
    int n_segments;
    bool is_uncorrected;
};

struct ringdown_run {
    struct single_run single;
    const struct ringdown_settings *settings;
    struct masing_record record;
    struct masing_record_shapes shapes;
    bool has_shapes;
    int n_modal;
    struct masing_modal_model *modal; /* [n_modal] */
    struct masing_sink history;
    struct masing_result *table; /* the rows once more, for pictures */
    struct masing_ringdown_summary summary;
};

static enum masing_status check_usage(const struct ringdown_run *run,
                                      struct masing_error *error)
{
    const struct ringdown_settings *settings = run->settings;
    const char *only_record =
        command_given(run->single.call, "--shapes --quantity --from --to --modes --segments");
    const char *only_model =
        command_given(run->single.call, "--amplitudes --history --uncorrected --modal");
    if (!settings->record && run->single.call->operands.count == 0) {
        return command_refuse(run->single.call, error,
                              "MODEL is missing, or a measured record: --record FILE.csv");
    }
    if (!settings->record && only_record) {
        return command_refuse(
            run->single.call, error,
            "%s goes with --record; of a model it is 'ringdown:' that says what is looked at",
            only_record);
    }
    if (settings->record && only_model) {
        return command_refuse(run->single.call, error,
                              "%s goes with a model that is integrated, not with --record",
                              only_model);
    }
    return MASING_OK;
}

/* Its last dot, or its end; NULL: there is no file. */
static const char *ending_of(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *dot = file ? strrchr(slash ? slash : file, '.') : NULL;
    return dot || !file ? dot : file + strlen(file);
}

/* What is read, and the file of its own that is written: neither goes over the other. */
static enum masing_status note_files(struct ringdown_run *run, struct masing_error *error)
{
    const struct ringdown_settings *settings = run->settings;
    const struct output history = {.file = settings->history,
                                   .ending = ending_of(settings->history)};
    single_run_reads(&run->single, "--record", settings->record);
    single_run_reads(&run->single, "--shapes", settings->shapes);
    for (int i = 0; settings->history && i < run->single.outputs.count; i++) {
        const char *file = run->single.outputs.values[i].file;
        if (output_is_same_file(file, settings->history)) {
            return command_refuse(run->single.call, error,
                                  "-o %s would be written over --history %s", file,
                                  settings->history);
        }
    }
    if (settings->history) {
        run->single.others_option = "--history";
        run->single.others.count = 1;
        run->single.others.values = pool_take(run->single.call->pool, 1, sizeof history);
        run->single.others.values[0] = history;
    }
    return MASING_OK;
}

/* ---- models of single modes, of --modal ---- */

/* Steps of the curve along which a modal model is known, in parts of its range: fine enough to
 * look up values between the points. */
static const double FINE_STEP = 0.01;

static enum masing_status make_model(const char *file, struct masing_model **model,
                                     struct masing_error *error)
{
    struct masing_document *document = NULL;
    struct masing_spec spec = {0};
    enum masing_status status = masing_document_read(file, &document, error);
    status = status ? status : masing_document_spec(document, NULL, 0, &spec, error);
    if (status == MASING_OK) {
        spec.solver.step_max = fmin(spec.solver.step_max, FINE_STEP);
        spec.solver.step_initial = fmin(spec.solver.step_initial, FINE_STEP);
        status = masing_model_create(&spec, model, error);
    }
    masing_spec_clear(&spec);
    masing_document_destroy(document);
    return status;
}

static enum masing_status open_modal(struct ringdown_run *run, struct masing_error *error)
{
    const struct text_list *list = &run->settings->modal;
    run->modal = pool_take(run->single.call->pool, (size_t)list->count + 1, sizeof *run->modal);
    for (int i = 0; i < list->count; i++) {
        char *end;
        long mode = strtol(list->values[i], &end, 10);
        struct masing_model *model = NULL;
        if (mode < 1 || mode > 100000 || *end != '=' || end[1] == '\0') {
            return command_refuse(
                run->single.call, error,
                "--modal: '%.80s' is not of the form N=FILE.yaml, as 2=mode2.yaml",
                list->values[i]);
        }
        single_run_reads(&run->single, "--modal", end + 1);
        NEED(make_model(end + 1, &model, error));
        single_run_reads_files_of(&run->single, masing_model_spec(model));
        run->modal[run->n_modal++] = (struct masing_modal_model){(int)mode, model};
    }
    return MASING_OK;
}

/* ---- pictures: decays as dots, modal models as curves ---- */

/* The rows of one mode as dots, or, where mode is 0, a modal model in the range of amplitudes.
 * Columns are those of `ringdown` and `mode`. */
static enum masing_status put_points(const struct masing_result *table, int mode,
                                     const double range[2], const struct masing_sink *sink,
                                     struct masing_error *error)
{
    const double *modes = masing_result_column(table, "mode");
    const double *amplitude = masing_result_column(table, "amplitude");
    const double *frequency = masing_result_column(table, "frequency_hz");
    const double *damping = masing_result_column(table, "damping_ratio");
    const double *impulse = masing_result_column(table, "impulse");
    for (int i = 0; i < masing_result_n_rows(table); i++) {
        const struct masing_modal_point point = {amplitude[i], frequency[i], damping[i]};
        bool has_impulse = mode > 0 && impulse && !isnan(impulse[i]);
        char number[48];
        snprintf(number, sizeof number, "%.6g", has_impulse ? impulse[i] : NAN);
        const char *series = has_impulse ? number : mode > 0 ? "decay" : "modal model";
        if (mode > 0 ? modes[i] == mode
                     : point.amplitude >= range[0] && point.amplitude <= range[1]) {
            NEED(output_mode_point(sink, series, mode > 0, &point, error));
        }
    }
    return MASING_OK;
}

/* The curve of a modal model in the range of the decays. */
static enum masing_status put_model(const struct masing_model *model, const double range[2],
                                    const struct masing_sink *sink, struct masing_error *error)
{
    struct masing_mode_summary summary = {0};
    struct masing_result *curve = NULL;
    enum masing_status status = masing_result_create(&curve, error);
    status =
        status ? status : masing_mode(model, NULL, masing_result_sink(curve), &summary, error);
    status = status ? status : put_points(curve, 0, range, sink, error);
    masing_mode_summary_clear(&summary);
    masing_result_destroy(curve);
    return status;
}

/* What a picture of one mode shows. */
struct mode_picture {
    const struct ringdown_run *run;
    const struct masing_ringdown_mode *mode;
};

static struct masing_plot_settings picture_of(const struct mode_picture *drawn)
{
    const struct ringdown_run *run = drawn->run;
    struct pool *pool = run->single.call->pool;
    const char *model =
        run->single.input.spec ? run->single.input.spec->title : run->settings->record;
    bool has_impulses = run->settings->amplitudes.count > 0;
    struct masing_plot_settings picture =
        output_mode_picture(pool_format(pool, "%s%s-down of mode %d", model ? model : "",
                                        model ? ", ring" : "Ring", drawn->mode->number),
                            run->settings->common.is_log_y);
    picture.group_column = has_impulses || run->n_modal > 0 ? "series" : NULL;
    picture.group_label = has_impulses ? "Impulse" : "";
    return picture;
}

static enum masing_status draw(const void *context, const struct masing_sink *sink,
                               struct masing_error *error)
{
    const struct mode_picture *drawn = context;
    const struct ringdown_run *run = drawn->run;
    const double range[2] = {drawn->mode->amplitude_from, drawn->mode->amplitude_to};
    NEED(output_mode_open(sink, error));
    NEED(put_points(run->table, drawn->mode->number, NULL, sink, error));
    for (int i = 0; i < run->n_modal; i++) {
        if (run->modal[i].mode == drawn->mode->number) {
            NEED(put_model(run->modal[i].model, range, sink, error));
        }
    }
    return sink->finish(sink->context, error);
}

static enum masing_status draw_file(const struct mode_picture *drawn, const char *file,
                                    struct masing_error *error)
{
    const struct masing_plot_settings picture = picture_of(drawn);
    struct masing_sink sink;
    NEED(masing_plot_create(file, &picture, &sink, error));
    enum masing_status status = draw(drawn, &sink, error);
    sink.destroy(sink.context);
    return status;
}

/* One picture per file, or per file and mode. */
static enum masing_status draw_all(const void *context, struct masing_error *error)
{
    const struct ringdown_run *run = context;
    enum masing_status first = MASING_OK;
    struct pool *pool = run->single.call->pool;
    int n_modes = run->summary.n_modes;
    for (int i = 0; i < run->single.outputs.count; i++) {
        const struct output *output = &run->single.outputs.values[i];
        bool is_picture = output->format == OUTPUT_PICTURE;
        for (int j = 0; is_picture && j < n_modes; j++) {
            const struct masing_ringdown_mode *mode = &run->summary.modes[j];
            const struct mode_picture drawn = {run, mode};
            const char *part = pool_format(pool, "mode%d", mode->number);
            const char *file =
                n_modes == 1 ? output->file : output_file_of_part(pool, output, part);
            enum masing_status status = output_keeps_earlier(&run->single.outputs, file)
                                            ? MASING_OK
                                            : draw_file(&drawn, file, error);
            first = first == MASING_OK ? status : first;
        }
    }
    for (int j = 0; j < n_modes; j++) {
        const struct mode_picture drawn = {run, &run->summary.modes[j]};
        const struct masing_plot_settings picture = picture_of(&drawn);
        enum masing_status status =
            output_fill_picture(&run->single.outputs, &picture, draw, &drawn, error);
        first = first == MASING_OK ? status : first;
    }
    return first;
}

/* ---- the command ---- */

static enum masing_status begin(void *context, struct masing_error *error)
{
    struct ringdown_run *run = context;
    const struct ringdown_settings *settings = run->settings;
    NEED(check_usage(run, error));
    NEED(output_parse(run->single.call->pool, &settings->common.outputs, OUTPUT_HAS_PICTURES,
                      &run->single.outputs, error));
    NEED(note_files(run, error));
    if (run->single.call->operands.count > 0) {
        NEED(model_input_open(run->single.call, &settings->common, MODEL_WHOLE,
                              &run->single.input, error));
    }
    NEED(open_modal(run, error));
    if (settings->record) {
        const struct masing_model *model = run->single.input.model;
        NEED(masing_record_read(settings->record, &run->record, error));
        run->has_shapes = settings->shapes || model;
        if (run->has_shapes) {
            NEED(settings->shapes
                     ? masing_record_shapes_read(settings->shapes, &run->shapes, error)
                     : masing_record_shapes_of(model, &run->record, &run->shapes, error));
        }
    }
    if (settings->history) {
        NEED(masing_csv_create(settings->history, &run->history, error));
    }
    NEED(masing_result_create(&run->table, error));
    NEED(single_run_rows(&run->single, NULL, error));
    output_sink_add(&run->single.rows, masing_result_sink(run->table));
    return MASING_OK;
}

static enum masing_status compute_record(struct ringdown_run *run, struct masing_error *error)
{
    static const char *const quantities[] = {"displacement", "velocity", "acceleration", NULL};
    const struct ringdown_settings *settings = run->settings;
    int quantity = MASING_VELOCITY;
    int *modes =
        pool_take(run->single.call->pool, (size_t)settings->modes.count + 1, sizeof *modes);
    NEED(command_choose(run->single.call, "--quantity", settings->quantity, quantities,
                        &quantity, error));
    for (int i = 0; i < settings->modes.count; i++) {
        double number = settings->modes.values[i];
        modes[i] = number <= 1e6 ? (int)number : 0;
        if (modes[i] != number) {
            return command_refuse(run->single.call, error, "--modes: %.10g is no mode number",
                                  number);
        }
    }
    const struct masing_record_options options = {
        .quantity = (enum masing_quantity)quantity,
        .has_from = settings->from.is_given,
        .from = settings->from.value,
        .has_to = settings->to.is_given,
        .to = settings->to.value,
        .segments = settings->n_segments,
        .n_modes = settings->modes.count,
        .modes = modes,
        .progress = &run->single.progress.hooks,
    };
    return masing_ringdown_record(&run->record, run->has_shapes ? &run->shapes : NULL, &options,
                                  output_sink_rows(&run->single.rows), &run->summary, error);
}

/* What a measured record gives as a whole, for the run's record. */
static const char *record_text(const struct ringdown_run *run)
{
    const struct masing_ringdown_summary *summary = &run->summary;
    const char *text = "modes:\n";
    for (int i = 0; i < summary->n_modes; i++) {
        const struct masing_ringdown_mode *mode = &summary->modes[i];
        if (!isnan(mode->record_frequency)) {
            text = pool_format(run->single.call->pool,
                               "%s  - {mode: %d, frequency_hz: %.10g, frequency_interval_hz: "
                               "%.3g, damping_ratio: %.8g, damping_interval: %.3g}\n",
                               text, mode->number, mode->record_frequency,
                               mode->record_frequency_interval, mode->record_damping,
                               mode->record_damping_interval);
        }
    }
    return text;
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct ringdown_run *run = context;
    const struct ringdown_settings *settings = run->settings;
    if (settings->record) {
        enum masing_status status = compute_record(run, error);
        bool has_modes = status == MASING_OK || status == MASING_STOPPED;
        run->single.result = has_modes ? record_text(run) : NULL;
        return status;
    }
    const struct masing_ringdown_options options = {
        .n_amplitudes = settings->amplitudes.count,
        .amplitudes = settings->amplitudes.values,
        .keeps_period_error = settings->is_uncorrected,
        .n_modal_models = run->n_modal,
        .modal_models = run->modal,
        .history = run->history.open ? &run->history : NULL,
        .progress = &run->single.progress.hooks,
    };
    return masing_ringdown(run->single.input.model, &options,
                           output_sink_rows(&run->single.rows), &run->summary, error);
}

static void print_modes(const struct ringdown_run *run)
{
    const struct masing_ringdown_summary *summary = &run->summary;
    struct text_table table = {.pool = run->single.call->pool, .n_columns = 8};
    text_table_add(&table, "mode\trows\tleft out\tamplitude\tHz\tdamping ratio\tmost damped\t"
                           "at amplitude");
    for (int i = 0; i < summary->n_modes; i++) {
        const struct masing_ringdown_mode *mode = &summary->modes[i];
        int n_left_out = mode->n_overshadowed + mode->n_bent + mode->n_silent + mode->n_noisy +
                         mode->n_short + mode->n_crowded;
        text_table_add(&table, "%d\t%d\t%d", mode->number, mode->n_rows, n_left_out);
        if (mode->n_rows == 0) {
            text_table_add(&table, "-\t-\t-\t-\t-");
            continue;
        }
        text_table_add(&table, "%.4g .. %.4g\t%.7g .. %.7g\t%.4g .. %.4g\t%.5g\t%.4g",
                       mode->amplitude_from, mode->amplitude_to, mode->frequency_from,
                       mode->frequency_to, mode->damping_from, mode->damping_to,
                       mode->damping_most, mode->damping_most_at);
    }
    text_table_print(&table, stderr);
}

static void print(const void *context)
{
    const struct ringdown_run *run = context;
    const struct masing_ringdown_summary *summary = &run->summary;
    const char *title = run->single.input.spec ? run->single.input.spec->title : NULL;
    fprintf(stderr, "%s%s", title ? title : "", title ? ": " : "");
    fprintf(stderr, "%ld %s of %.6g s, %d segments of %.4g s, in %.3g s\n", summary->steps,
            run->settings->record ? "samples" : "steps", summary->step, summary->segments,
            summary->duration / summary->segments, summary->seconds);
    if (run->settings->record) {
        char *const *names = run->has_shapes ? run->shapes.names : run->record.names;
        int n = run->has_shapes ? run->shapes.n_channels : run->record.n_channels;
        for (int i = 0; i < n; i++) {
            fprintf(stderr, "%s %s", i > 0 ? "," : "  channels", names[i]);
        }
        fprintf(stderr, "\n");
    }
    print_modes(run);
    for (int i = 0; i < summary->n_modes; i++) {
        const struct masing_ringdown_mode *mode = &summary->modes[i];
        if (!isnan(mode->stuck_hz)) {
            fprintf(stderr,
                    "  mode %d: %.8g Hz with the joints stuck (damping ratio %.5g), "
                    "%.8g Hz free\n",
                    mode->number, mode->stuck_hz, mode->stuck_damping, mode->free_hz);
        }
        if (!isnan(mode->record_frequency)) {
            fprintf(stderr,
                    "  mode %d over the record: %.8g Hz +- %.2g, damping ratio %.5g +- %.2g "
                    "(95 %%)\n",
                    mode->number, mode->record_frequency, mode->record_frequency_interval,
                    mode->record_damping, mode->record_damping_interval);
        }
        if (mode->n_compared > 0) {
            fprintf(stderr,
                    "  mode %d, modal model against %d rows: frequency within %.2g %%; damping "
                    "%+.3g %% on average, at worst %+.3g %% (amplitude %.4g)\n",
                    mode->number, mode->n_compared, 100 * fabs(mode->worst_frequency),
                    100 * mode->mean_damping, 100 * mode->worst_damping,
                    mode->worst_damping_at);
        }
    }
}

static enum exit_status run_ringdown(const struct call *call, const void *settings)
{
    static const struct single_steps steps = {
        .begin = begin, .compute = compute, .print = print, .write = draw_all};
    struct ringdown_run run = {.settings = settings};
    run.single.n_summary_warnings = &run.summary.n_warnings;
    run.single.summary_warnings = &run.summary.warnings;
    enum exit_status result = single_run(call, settings, &steps, &run);
    masing_ringdown_summary_clear(&run.summary);
    masing_result_destroy(run.table);
    if (run.history.destroy) {
        run.history.destroy(run.history.context);
    }
    masing_record_clear(&run.record);
    masing_record_shapes_clear(&run.shapes);
    for (int i = 0; i < run.n_modal; i++) {
        masing_model_destroy((struct masing_model *)run.modal[i].model);
    }
    return result;
}

#define AT(member) offsetof(struct ringdown_settings, member)

static const struct option ringdown_options[] = {
    {"--amplitudes", "SPEC", "a decay for each of these amplitudes of the impulse",
     option_store_values, AT(amplitudes)},
    {"--modal", "N=FILE", "compare mode N with this model of it; repeatable",
     option_store_texts, AT(modal)},
    {"--history", "FILE.csv", "outputs and joints at all steps of the first decay",
     option_store_text, AT(history)},
    {"--uncorrected", NULL, "frequencies and damping as the time steps distort them",
     option_store_flag, AT(is_uncorrected)},
    {"--record", "FILE.csv",
     "a measured record, time and channels; shapes from\n"
     "MODEL, or",
     option_store_text, AT(record)},
    {"--shapes", "FILE.csv", "channel, mode1, mode2, ... of the record", option_store_text,
     AT(shapes)},
    {"--quantity", "WHICH",
     "what the record holds: velocity (default),\n"
     "displacement, acceleration",
     option_store_text, AT(quantity)},
    {"--from", "S", "where the record begins to count", option_store_given, AT(from)},
    {"--to", "S", "where it ends", option_store_given, AT(to)},
    {"--segments", "N", "of the record (default: 20)", option_store_count, AT(n_segments)},
    {"--modes", "N,N,...", "that are looked for in the record (default: all)",
     option_store_reals, AT(modes)},
    {"--log-y", NULL, "pictures: logarithmic axis of the damping ratio", option_store_flag,
     AT(common.is_log_y)},
    {0},
};

const struct command command_ringdown = {
    .name = "ringdown",
    .operands = "[MODEL]",
    .summary = "free decay: frequency and damping of each mode over amplitude",
    .details = "How the decay begins stands in the model under `ringdown:`. Rows: mode, time,\n"
               "amplitude of the modal coordinate, frequency and damping ratio at the middle\n"
               "of each segment of time. Pictures: frequency and damping over amplitude, of\n"
               "several modes one each (x.mode1.svg). Of a record half the widths of the\n"
               "95 % intervals, too: frequency_interval_hz, damping_interval.",
    .options = {model_options, output_options, single_options, ringdown_options},
    .settings_size = sizeof(struct ringdown_settings),
    .run = run_ringdown,
};
