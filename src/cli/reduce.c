/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masing/reduce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/single_run.h"
#include "cli/text_table.h"

struct reduce_settings {
    struct common_settings common;
    int n_modes;
    double up_to_hz;
    struct text_list keep;
    const char *basis;
};

struct reduce_run {
    struct single_run single;
    struct masing_reduce_options options;
    struct masing_reduction *reduction;
};

static const char *const bases[] = {"fixed", "free", NULL};

/* Entries of all --keep, which are parted by commas. */
static enum masing_status read_keep(struct reduce_run *run, const struct text_list *keep,
                                    struct masing_error *error)
{
    struct pool *pool = run->single.call->pool;
    struct text_list all = {0};
    for (int i = 0; i < keep->count; i++) {
        const struct text_list entries = option_split(pool, keep->values[i], ',');
        for (int j = 0; j < entries.count; j++) {
            if (!*entries.values[j]) {
                return command_refuse(run->single.call, error,
                                      "--keep: an empty name in '%.80s'", keep->values[i]);
            }
            option_store_texts(pool, entries.values[j], &all, error);
        }
    }
    run->options.n_keep = all.count;
    run->options.keep = all.values;
    return MASING_OK;
}

static enum masing_status read_options(struct reduce_run *run, struct masing_error *error)
{
    const struct call *call = run->single.call;
    const struct reduce_settings *settings = run->single.given;
    int basis = MASING_BASIS_FIXED;
    run->options.size = sizeof run->options;
    run->options.n_modes = settings->n_modes;
    run->options.up_to_hz = settings->up_to_hz;
    if (settings->n_modes > 0 && settings->up_to_hz > 0.0) {
        return command_refuse(call, error, "--modes and --up-to do not go together");
    }
    NEED(command_choose(call, "--basis", settings->basis, bases, &basis, error));
    run->options.basis = (enum masing_reduction_basis)basis;
    return read_keep(run, &settings->keep, error);
}

/* The files that stand for a STEM.mtx. */
static void note_parts(struct single_run *single, const char *stem)
{
    static const char *const parts[] = {"stiffness.mtx", "mass.mtx", "damping.mtx", "dofs.txt"};
    struct pool *pool = single->call->pool;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *file = pool_format(pool, "%.*s_%s", (int)strlen(stem) - 4, stem, parts[i]);
        single->others.values = option_grow(pool, single->others.values, single->others.count,
                                            sizeof *single->others.values);
        single->others.values[single->others.count++] =
            (struct output){.file = file, .ending = strrchr(file, '.')};
    }
}

/* Told before anything is computed: the folder takes no file. */
static enum masing_status check_folder(struct pool *pool, const char *file,
                                       struct masing_error *error)
{
    const char *slash = strrchr(file, '/');
    const char *folder = slash ? pool_format(pool, "%.*s", (int)(slash - file) + 1, file) : ".";
    return access(file, W_OK) == 0 || access(folder, W_OK | X_OK) == 0
               ? MASING_OK
               : masing_error_set(error, MASING_IO, "%s: cannot write: %s", file,
                                  strerror(errno));
}

static enum masing_status begin(void *context, struct masing_error *error)
{
    static const char *const endings[] = {".h5", ".mtx", NULL};
    struct reduce_run *run = context;
    struct single_run *single = &run->single;
    const struct text_list *files = &single->settings->outputs;
    NEED(read_options(run, error));
    if (files->count == 0) {
        return command_refuse(single->call, error,
                              "-o is missing: where the reduced structure goes, as in '-o "
                              "rom.h5'");
    }
    NEED(output_parse_others(single->call->pool, files, endings, &single->outputs, error));
    single->others_option = "-o";
    for (int i = 0; i < single->outputs.count; i++) {
        const struct output *output = &single->outputs.values[i];
        NEED(check_folder(single->call->pool, output->file, error));
        if (strcmp(output->ending, ".mtx") == 0) {
            note_parts(single, output->file);
        }
    }
    return model_input_open(single->call, single->settings, MODEL_UNSEALED, &single->input,
                            error);
}

static enum masing_status compute(void *context, struct masing_error *error)
{
    struct reduce_run *run = context;
    struct single_run *single = &run->single;
    const struct override_list *overrides = single->input.overrides;
    NEED(masing_reduce(single->input.document, overrides->values, overrides->count,
                       &run->options, &run->reduction, error));
    const struct masing_reduction_summary *summary = masing_reduction_summary(run->reduction);
    single->warnings.count = summary->n_warnings;
    single->warnings.values = (const char **)(void *)summary->warnings;
    return MASING_OK;
}

/* ---- summary ---- */

static void print_size(const struct reduce_run *run,
                       const struct masing_reduction_summary *summary)
{
    fprintf(stderr, "reduced: %d DOFs to %d coordinates: %d DOFs kept, %d modes",
            summary->n_dofs, summary->n_coordinates, summary->n_kept, summary->n_modes);
    if (summary->highest_hz > 0.0) {
        fprintf(stderr, " up to %.6g Hz with these %s", summary->highest_hz,
                run->options.basis == MASING_BASIS_FREE ? "free" : "held");
    }
    if (summary->n_residual > 0) {
        fprintf(stderr, ", %d for what acts over many DOFs", summary->n_residual);
    }
    fputs("\n", stderr);
}

static void print_frequencies(struct pool *pool, const struct masing_reduction_summary *summary)
{
    struct text_table table = {.pool = pool, .n_columns = 7};
    text_table_add(&table, "mode\tfree/Hz\treduced\tdifference\tstuck/Hz\treduced\tdifference");
    for (int k = 0; k < summary->n_compared; k++) {
        text_table_add(&table, "%d", k + 1);
        for (int state = 0; state < 2; state++) {
            const double *full = summary->full_hz[state];
            double own = summary->reduced_hz[state][k];
            if (!full) {
                text_table_add(&table, "-\t%.6g\t-", own);
                continue;
            }
            text_table_add(&table, "%.6g\t%.6g", full[k], own);
            if (full[k] > 0.0) {
                text_table_add(&table, "%.1e", own / full[k] - 1.0);
            } else {
                text_table_add(&table, "-");
            }
        }
    }
    text_table_print(&table, stderr);
}

static void print(const void *context)
{
    const struct reduce_run *run = context;
    const struct masing_reduction_summary *summary = masing_reduction_summary(run->reduction);
    print_size(run, summary);
    fputs("natural frequencies of the full and of the reduced structure, joints free (full "
          "slip)\nand stuck\n",
          stderr);
    print_frequencies(run->single.call->pool, summary);
    if (summary->worst_mode > 0) {
        fprintf(stderr, "largest difference");
        if (summary->limit_hz > 0.0) {
            fprintf(stderr, " up to %.6g Hz, the highest harmonic", summary->limit_hz);
        }
        fprintf(stderr, ": %.1e, mode %d with the joints %s\n", summary->difference,
                summary->worst_mode, summary->worst_is_stuck ? "stuck" : "free");
    }
}

/* ---- files ---- */

static enum masing_status write_files(const void *context, struct masing_error *error)
{
    const struct reduce_run *run = context;
    const struct call *call = run->single.call;
    const char *command = "masing";
    for (int i = 0; i < call->arguments.count; i++) {
        command = pool_format(call->pool, "%s %s", command, call->arguments.values[i]);
    }
    for (int i = 0; i < run->single.outputs.count; i++) {
        NEED(masing_reduction_write(run->reduction, run->single.outputs.values[i].file, command,
                                    error));
    }
    return MASING_OK;
}

static void end(void *context)
{
    struct reduce_run *run = context;
    masing_reduction_destroy(run->reduction);
}

static const struct single_steps steps = {
    .run_size = sizeof(struct reduce_run),
    .is_short = true,
    .begin = begin,
    .compute = compute,
    .print = print,
    .write = write_files,
    .end = end,
};

#define AT(member) offsetof(struct reduce_settings, member)

static const struct option reduce_options[] = {
    {"-o", "FILE",
     "where the reduced structure goes: rom.h5, which a model\n"
     "takes as structure: {reduced: rom.h5}; or rom.mtx, for\n"
     "rom_stiffness.mtx, rom_mass.mtx and rom_dofs.txt;\n"
     "repeatable. Beside it: FILE.run.yaml",
     option_store_texts, AT(common.outputs)},
    {"--modes", "N", "so many modes", option_store_count, AT(n_modes)},
    {"--up-to", "HZ",
     "modes up to this frequency (default: three times the\n"
     "highest harmonic of the range, and 60 modes at least)",
     option_store_positive, AT(up_to_hz)},
    {"--keep", "NAME,NAME,...",
     "keep these DOFs, too: 17.z, 17 (all of a node), 17-20 or\n"
     "17-20.z (of numbered nodes), TIP or TIP.z (of a node set of\n"
     "the mesh); repeatable",
     option_store_texts, AT(keep)},
    {"--basis", "fixed|free",
     "modes with the kept DOFs held (Craig and Bampton; the\n"
     "default), or of the free structure (MacNeal and Rubin)",
     option_store_text, AT(basis)},
    {"--quiet", NULL, "no summary; warnings and errors stay", option_store_flag,
     AT(common.is_quiet)},
    {0},
};

const struct command command_reduce = {
    .name = "reduce",
    .operands = "MODEL",
    .summary = "reduce a large linear structure to what a model needs of it",
    .details = "Keeps the DOFs that joints, loads and outputs of the model need, and modes.\n"
               "Compares natural frequencies with those of the full structure.",
    .options = {reduce_options, model_options, single_options},
    .settings_size = sizeof(struct reduce_settings),
    .steps = &steps,
};
