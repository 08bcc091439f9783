/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/settings.h"

#define AT(member) offsetof(struct common_settings, member)

const struct option model_options[] = {
    {"--set", "NAME=VALUE",
     "override a number of the model by its path, e.g.\n"
     "damper.preload=30, shaker.amplitude=5, load_factor=2,\n"
     "structure.damping.modal_ratio=0.01; repeatable",
     option_store_override, AT(overrides)},
    {0},
};

const struct option output_options[] = {
    {"-o", "FILE",
     "write results; the ending picks the format: .csv,\n"
     ".svg, .png; repeatable. Without it, CSV goes to\n"
     "standard output. Beside it: FILE.run.yaml",
     option_store_texts, AT(outputs)},
    {"--quiet", NULL, "no summary and no progress; warnings and errors stay", option_store_flag,
     AT(is_quiet)},
    {0},
};

const struct option single_options[] = {
    {"--columns", "GROUP,GROUP,...", "more columns (not supported yet for this command)",
     option_refuse_columns, AT(columns)},
    {"--threads", "N", "taken for every analysis; this one computes in one thread",
     option_store_count, AT(n_threads)},
    {0},
};

const struct option response_options[] = {
    {"--at", "HZ,HZ,...",
     "rows exactly at these frequencies too, one for each\n"
     "time the curve passes them",
     option_store_numbers, AT(at)},
    {"--columns", "GROUP,GROUP,...",
     "more columns: harmonics, energy, joints, slopes,\n"
     "stability",
     option_store_columns, AT(columns)},
    {"--threads", "N",
     "curves, or joints of a single one, computed at the same\n"
     "time; the results are the same bits for any number\n"
     "(default: all processors)",
     option_store_count, AT(n_threads)},
    {"--check-harmonics", NULL,
     "solve the peak and a sample of points again with more\n"
     "harmonics and samples, and tell how wrong the outputs\n"
     "are; the points go to x.check.csv",
     option_store_flag, AT(is_checked)},
    {"--check-tolerance", "PART",
     "likewise; more harmonics are taken until no output\n"
     "changes by more than this part of it, and larger errors\n"
     "are warned about (default: 1e-3)",
     option_store_positive, AT(check_tolerance)},
    {"--starts", "N",
     "solve the response at the peak's frequency for N states\n"
     "that the sliders may have been left in, and tell its\n"
     "range; two of them are the extremes",
     option_store_count, AT(n_starts)},
    {"--stability", "METHOD",
     "of each point: auto (Floquet multipliers where they are\n"
     "quick to find; the default), floquet, hill (smooth laws)\n"
     "or none",
     option_store_stability, AT(stability)},
    {"--branches", NULL,
     "follow also the curves that branch off at branch points,\n"
     "20 at most, each with a number of its own",
     option_store_flag, AT(has_branches)},
    {"--log-y", NULL, "pictures: logarithmic response axis", option_store_flag, AT(is_log_y)},
    {"--joint", "NAME",
     "pictures: the joint whose loops are shown (default: the\n"
     "first one)",
     option_store_text, AT(joint)},
    {0},
};

int settings_branches(const struct common_settings *settings)
{
    enum { MOST_BRANCHES = 20 };
    return settings->has_branches ? MOST_BRANCHES : 0;
}
