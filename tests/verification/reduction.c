/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reduced structures respond as the full ones do: finite elements with friction in a joint, a
 * chain of masses with a slider, motions of the base. What was not kept is expanded again.
 */
#include "masing/reduce.h"
#include "response.h"
#include "scratch.h"

static char folder[SCRATCH_PATH];

/* A response of a model text whose files stand in a folder. */
static void run_in(struct run *run, const char *where, const char *text)
{
    const struct masing_response_options options = {.columns = MASING_COLUMNS_HARMONICS,
                                                    .stability = MASING_STABILITY_NONE};
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_sink sink = table_sink(&run->rows);
    char *file = text_of("%s/model.yaml", where);
    memset(&run->summary, 0, sizeof run->summary);
    memset(&run->error, 0, sizeof run->error);
    run->status = masing_document_parse(text, strlen(text), file, &document, &run->error);
    run->status = run->status ? run->status
                              : masing_document_model(document, NULL, 0, &model, &run->error);
    run->status = run->status
                      ? run->status
                      : masing_frf(model, &options, &sink, NULL, &run->summary, &run->error);
    if (!CHECK(run->status == MASING_OK)) {
        printf("# %s\n", run->error.message);
    }
    masing_model_destroy(model);
    masing_document_destroy(document);
    free(file);
}

/* Reduce a model text to rom.h5 in the scratch folder. */
static enum masing_status reduce(const char *where, const char *text,
                                 const struct masing_reduce_options *options,
                                 struct masing_reduction **reduction,
                                 struct masing_error *error)
{
    struct masing_document *document = NULL;
    char *file = text_of("%s/model.yaml", where), *rom = text_of("%s/rom.h5", folder);
    enum masing_status status =
        masing_document_parse(text, strlen(text), file, &document, error);
    status = status ? status : masing_reduce(document, NULL, 0, options, reduction, error);
    status = status ? status : masing_reduction_write(*reduction, rom, "masing reduce", error);
    masing_document_destroy(document);
    free(file);
    free(rom);
    return status;
}

static int peak_row(const struct run *run)
{
    int row = table_find(&run->rows, "peak", run->summary.peak.frequency_hz);
    CHECK(row >= 0);
    return row < 0 ? 0 : row;
}

/*
 * head, structure and rest make up a model; outputs of the rest that are listed (with NULL at
 * the end) agree at the peak, the first of them and its frequency closer.
 */
static void check_reduced(const char *where, const char *structure, const char *damping,
                          const char *rest, const struct masing_reduce_options *options,
                          const char *const *outputs)
{
    size_t size = strlen(structure) + strlen(damping) + 2 * strlen(rest) + 200;
    char *full = malloc(size), *small = malloc(size);
    struct masing_reduction *reduction = NULL;
    struct masing_error error = {0};
    struct run a, b;
    sprintf(full, "masing: 1\nstructure:\n%s  damping: {%s}\n%s", structure, damping, rest);
    sprintf(small, "masing: 1\nstructure:\n  reduced: rom.h5\n  damping: {%s}\n%s", damping,
            rest);
    if (!CHECK(reduce(where, full, options, &reduction, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    run_in(&a, where, full);
    run_in(&b, folder, small);
    if (a.status == MASING_OK && b.status == MASING_OK) {
        const struct masing_reduction_summary *summary = masing_reduction_summary(reduction);
        int row = peak_row(&a), own = peak_row(&b);
        printf("# %d of %d; frequencies %.1e, peak %.1e, its frequency %.1e\n",
               summary->n_coordinates, summary->n_dofs, summary->difference,
               b.summary.peak.max / a.summary.peak.max - 1.0,
               b.summary.peak.frequency_hz / a.summary.peak.frequency_hz - 1.0);
        CHECK(summary->difference < 1e-4 && summary->worst_mode > 0);
        CHECK_RELATIVE(b.summary.peak.frequency_hz, a.summary.peak.frequency_hz, 1e-5);
        CHECK_RELATIVE(b.summary.peak.max, a.summary.peak.max, 1e-4);
        for (int o = 0; outputs[o]; o++) {
            CHECK_RELATIVE(table_get(&b.rows, own, outputs[o]),
                           table_get(&a.rows, row, outputs[o]), 1e-4);
        }
    }
    run_clear(&a);
    run_clear(&b);
    masing_reduction_destroy(reduction);
    free(full);
    free(small);
}

/* ---- finite elements ---- */

static char *lap_text(const char *frequency, const char *outputs)
{
    static const int pairs[6][2] = {{14, 25}, {16, 27}, {18, 29}, {20, 31}, {22, 33}, {24, 35}};
    char *text = malloc(1 << 14);
    size_t used = (size_t)sprintf(text, "joints:\n");
    for (int p = 0; p < 6; p++) {
        int a = pairs[p][0], b = pairs[p][1];
        used += (size_t)sprintf(
            text + used,
            "  - {name: x%d, law: jenkins, from: %d.x, to: %d.x, stiffness: 5e6, "
            "slip_force: 6}\n"
            "  - {name: y%d, law: linear, from: %d.y, to: %d.y, stiffness: 5e6}\n"
            "  - {name: z%d, law: linear, from: %d.z, to: %d.z, stiffness: 5e7}\n",
            p, a, b, p, a, b, p, a, b);
    }
    sprintf(text + used,
            "loads: [{dof: 48.z, amplitude: 1}]\nfrequency: [%s]\n"
            "harmonics: [1, 3, 5]\noutputs: [{name: tip, dof: 48.z}%s]\n",
            frequency, outputs);
    return text;
}

static void check_lap(const char *stem, const char *damping, const char *frequency,
                      enum masing_reduction_basis basis, int n_modes)
{
    static const char *const outputs[] = {"tip_h1", "tip_h3", NULL};
    const struct masing_reduce_options options = {.basis = basis, .n_modes = n_modes};
    const char *root = getenv("MASING_SOURCE_ROOT");
    char *where = text_of("%s/tests/reference/fe", root ? root : ".");
    char *structure = text_of("  calculix: %s\n", stem), *rest = lap_text(frequency, "");
    check_reduced(where, structure, damping, rest, &options, outputs);
    free(where);
    free(structure);
    free(rest);
}

static void finite_elements_respond_alike(void)
{
    check_lap("t8", "rayleigh: [3, 1e-7]", "110, 150", MASING_BASIS_FIXED, 0);
    check_lap("t8", "rayleigh: [3, 1e-7]", "110, 150", MASING_BASIS_FREE, 30);
}

/* Of all modes, also those that neither structure computes. */
static void modal_ratios_respond_alike(void)
{
    check_lap("t8", "modal_ratio: 0.02", "110, 150", MASING_BASIS_FIXED, 0);
    check_lap("t8", "modal_ratio: 0.02", "110, 150", MASING_BASIS_FREE, 30);
}

static void hidden_nodes_without_mass_do_no_harm(void)
{
    check_lap("ccx_c3d8i_s1", "rayleigh: [3, 1e-7]", "20, 40", MASING_BASIS_FIXED, 0);
    check_lap("ccx_c3d8i_s1", "rayleigh: [3, 1e-7]", "20, 40", MASING_BASIS_FREE, 30);
}

/* ---- a chain ---- */

/* n masses in a row: sparse ones from 1,000 on */
static char *chain_text(int n, bool is_held)
{
    char *text = malloc((size_t)n * 120 + 200);
    size_t used = (size_t)sprintf(text, "  masses:\n");
    for (int i = 0; i < n; i++) {
        used += (size_t)sprintf(text + used, "    m%d: %.17g\n", i, 1.0 / n);
    }
    used += (size_t)sprintf(text + used, "  springs:\n");
    for (int i = is_held ? 0 : 1; i < n; i++) {
        used += i ? (size_t)sprintf(text + used, "  - {from: m%d, to: m%d, stiffness: %.17g}\n",
                                    i - 1, i, 1e4 * n)
                  : (size_t)sprintf(text + used,
                                    "  - {from: ground, to: m0, stiffness: %.17g}\n", 1e4 * n);
    }
    return text;
}

static void a_chain_responds_alike_at_every_mass(void)
{
    enum { N = 3000 };
    static const char *const outputs[] = {"tip_h1",    "m20_h1",   "m1234_h1",
                                          "m1234_max", "apart_h1", NULL};
    static const char rest[] =
        "joints:\n"
        "  - {name: damper, law: jenkins, from: ground, to: m2999, stiffness: 4e3, "
        "slip_force: 0.3}\n"
        "loads: [{dof: m1500, amplitude: 1}]\nfrequency: [20, 35]\nharmonics: [1, 3]\n"
        "outputs: [{name: tip, dof: m2999}, m20, m1234, {name: apart, from: m700, to: "
        "m2100}]\n";
    /* without those outputs nothing of them is kept */
    static const char seen[] =
        "joints:\n"
        "  - {name: damper, law: jenkins, from: ground, to: m2999, stiffness: 4e3, "
        "slip_force: 0.3}\n"
        "loads: [{dof: m1500, amplitude: 1}]\nfrequency: [20, 35]\nharmonics: [1, 3]\n"
        "outputs: [{name: tip, dof: m2999}]\n";
    const struct masing_reduce_options options = {.n_modes = 0};
    struct masing_reduction *reduction = NULL;
    struct masing_error error = {0};
    struct run a, b;
    char *structure = chain_text(N, true), *full = malloc(strlen(structure) + 2000);
    sprintf(full, "masing: 1\nstructure:\n%s  damping: {modal_ratio: 0.005}\n%s", structure,
            seen);
    CHECK(reduce(folder, full, &options, &reduction, &error) == MASING_OK);
    CHECK(reduction && masing_reduction_summary(reduction)->n_kept == 2);
    sprintf(full, "masing: 1\nstructure:\n%s  damping: {modal_ratio: 0.005}\n%s", structure,
            rest);
    run_in(&a, folder, full);
    sprintf(full, "masing: 1\nstructure: {reduced: rom.h5, damping: {modal_ratio: 0.005}}\n%s",
            rest);
    run_in(&b, folder, full);
    if (a.status == MASING_OK && b.status == MASING_OK) {
        int row = peak_row(&a), own = peak_row(&b);
        CHECK_RELATIVE(b.summary.peak.frequency_hz, a.summary.peak.frequency_hz, 1e-5);
        CHECK_RELATIVE(b.summary.peak.max, a.summary.peak.max, 1e-4);
        for (int o = 0; outputs[o]; o++) {
            CHECK_RELATIVE(table_get(&b.rows, own, outputs[o]),
                           table_get(&a.rows, row, outputs[o]), 1e-4);
        }
    }
    run_clear(&a);
    run_clear(&b);
    masing_reduction_destroy(reduction);
    free(structure);
    free(full);
}

/* A structure that floats, of matrices that are dense. */
static void a_free_chain_responds_alike(void)
{
    static const char *const outputs[] = {"tip_h1", NULL};
    static const char rest[] =
        "joints:\n"
        "  - {name: j, law: jenkins, from: m40, to: m160, stiffness: 4e3, slip_force: 0.3}\n"
        "loads: [{dof: m0, amplitude: 1}]\nfrequency: [40, 60]\nharmonics: [1, 3]\n"
        "outputs: [{name: tip, dof: m199}]\n";
    const struct masing_reduce_options options[] = {{.basis = MASING_BASIS_FIXED},
                                                    {.basis = MASING_BASIS_FREE}};
    char *structure = chain_text(200, false);
    for (int i = 0; i < 2; i++) {
        check_reduced(folder, structure, "rayleigh: [0.5, 1e-5]", rest, &options[i], outputs);
    }
    free(structure);
}

/* ---- what acts everywhere ---- */

static char *list_of(int from, int to, double weight)
{
    char *text = malloc((size_t)(to - from) * 32 + 1);
    size_t used = 0;
    text[0] = '\0';
    for (int i = from; i < to; i++) {
        used += (size_t)sprintf(text + used, "%sm%d: %.9g", i > from ? ", " : "", i, weight);
    }
    return text;
}

static void loads_everywhere_and_dampers_are_reduced(void)
{
    enum { N = 150 };
    static const char *const outputs[] = {"tip_h1",  "tip_mean",  "mean_h1",
                                          "mean_h2", "mean_mean", NULL};
    char *all = list_of(0, N, 1.0), *half = list_of(0, N, 0.5), *some = list_of(20, 90, 0.01);
    char *chain = chain_text(N, true), *structure = malloc(strlen(chain) + 200);
    char *rest = malloc(3 * strlen(all) + 3 * strlen(some) + 2000);
    sprintf(structure,
            "%s  dampers: [{from: m3, to: m70, damping: 2}, "
            "{from: ground, to: m30, damping: 0.5}]\n",
            chain);
    sprintf(rest,
            "joints:\n"
            "  - {name: stop, law: unilateral_spring, from: ground, to: m149, stiffness: 900, "
            "gap: 1e-4}\n"
            "  - {name: j, law: jenkins, from: m20, to: m90, stiffness: 3e3, slip_force: 0.2}\n"
            "loads:\n  - {name: b, base_acceleration: 2, direction: {%s}}\n"
            "  - {name: p, pattern: {%s}, amplitude: 0.3, harmonic: 2, phase: 30}\n"
            "static_loads: [{acceleration: -3, direction: {%s}}, {dof: m60, force: 0.7}]\n"
            "frequency: [20, 40]\nharmonics: 5\n"
            "outputs: [{name: tip, dof: m149, frame: absolute}, {name: mean, weights: {%s}}]\n",
            all, some, half, some);
    const struct masing_reduce_options options[] = {
        {.n_modes = 60}, {.basis = MASING_BASIS_FREE, .n_modes = 40}};
    for (int i = 0; i < 2; i++) {
        check_reduced(folder, structure, "rayleigh: [1, 1e-6]", rest, &options[i], outputs);
    }
    free(all);
    free(half);
    free(some);
    free(chain);
    free(structure);
    free(rest);
}

/* ---- an interface that holds a part loosely ---- */

static void a_part_that_can_still_move_is_told(void)
{
    static const char text[] =
        "masing: 1\nstructure: {calculix: t8}\njoints:\n"
        "  - {name: a, law: linear, from: ground, to: 36.z, stiffness: 1e5}\n"
        "  - {name: b, law: linear, from: ground, to: 38.z, stiffness: 1e5}\n"
        "loads: [{dof: 48.z, amplitude: 1}]\nfrequency: [100, 200]\nharmonics: 1\n"
        "outputs: [48.z]\n";
    const struct masing_reduce_options options = {.n_modes = 0};
    const char *root = getenv("MASING_SOURCE_ROOT");
    char *where = text_of("%s/tests/reference/fe", root ? root : ".");
    struct masing_reduction *reduction = NULL;
    struct masing_error error = {0};
    if (CHECK(reduce(where, text, &options, &reduction, &error) == MASING_OK)) {
        const struct masing_reduction_summary *summary = masing_reduction_summary(reduction);
        CHECK(summary->n_rigid == 4);
        CHECK(summary->n_warnings == 1 &&
              strstr(summary->warnings[0], "can still move in 3 rigid-body motions"));
        CHECK(summary->difference < 1e-6);
        for (int k = 0; k < summary->n_compared; k++) {
            CHECK(isfinite(summary->reduced_hz[0][k]) && isfinite(summary->reduced_hz[1][k]));
        }
    } else {
        printf("# %s\n", error.message);
    }
    masing_reduction_destroy(reduction);
    free(where);
}

static const struct tap_test tests[] = {
    {"finite elements", finite_elements_respond_alike},
    {"modal ratios", modal_ratios_respond_alike},
    {"hidden nodes without mass", hidden_nodes_without_mass_do_no_harm},
    {"a chain, at every mass", a_chain_responds_alike_at_every_mass},
    {"a free chain of dense matrices", a_free_chain_responds_alike},
    {"loads everywhere, and dampers", loads_everywhere_and_dampers_are_reduced},
    {"a part that can still move", a_part_that_can_still_move_is_told},
};

int main(void)
{
    scratch_make(folder);
    int result = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    char *rom = text_of("%s/rom.h5", folder);
    remove(rom);
    free(rom);
    remove(folder);
    return result;
}
