/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model as resolved, written and read again, is the same model to the last bit. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "masing/model.h"
#include "scratch.h"
#include "spec_equal.h"
#include "tap.h"

static const char everything[] =
    "masing: 1\n"
    "title: 'A title: with \"quotes\", # no comment and $N'\n"
    "parameters: {N: 30, third: $N/90, name: 2}\n"
    "structure:\n"
    "  dofs: [1, node.x, 'm 3']\n"
    "  mass: [[1, 0, 0], [0, $third, 0], [0, 0, 2.5e-1]]\n"
    "  stiffness: [[4e4, -1e4, 0], [-1e4, 3e4, -$N*1000/3], [0, -$N*1000/3, 1e4]]\n"
    "  damping: {modal_ratio: [0.01, $third/7, 0.03], modes: stuck}\n"
    "joints:\n"
    "  - {name: damper, law: jenkins, from: ground, to: 1, stiffness: $N*1300, friction: 0.5, "
    "preload: $N}\n"
    "  - name: poly\n"
    "    law: polynomial_spring\n"
    "    axis: {1: -1, node.x: $third, 'm 3': 1}\n"
    "    coefficients: [1, 0, $N*1e5/7]\n"
    "  - {name: stop, law: unilateral_spring, from: 1, to: node.x, stiffness: 1e3, gap: 1e-3}\n"
    "  - name: rough\n"
    "    law: rough_interface\n"
    "    from: 1\n"
    "    to: node.x\n"
    "    topography: {height_std: [3e-7, $third*1e-6], summit_radius: 1.5e-4, summit_density: "
    "5e8, area: 5e-4, youngs_modulus: 2e11, poisson_ratio: 0.3}\n"
    "    friction: 0.3\n"
    "    preload: $N\n"
    "  - {name: curve, law: backbone_table, from: 1, to: node.x, file: [[0, 0], [1e-6, "
    "$third], "
    "[3e-6, 0.5]]}\n"
    "load_factor: $third*0.7\n"
    "loads:\n"
    "  - {name: shaker, dof: 'm 3', amplitude: 10, harmonic: 2, phase: -90}\n"
    "  - {base_acceleration: 9.81, direction: {1: 1, node.x: 1}}\n"
    "  - {pattern: [1, 2, $third], amplitude: 1}\n"
    "static_loads: [{dof: 1, force: 3}, {acceleration: 9.81, direction: {node.x: -1}}]\n"
    "frequency: [28, 18]\n"
    "frequency_unit: rad_s\n"
    "harmonics: [0, 1, 2, 3]\n"
    "outputs:\n"
    "  - node.x\n"
    "  - {name: strain, weights: {1: $third, 'm 3': -1}, quantity: velocity}\n"
    "  - {name: gap, from: 1, to: 'm 3'}\n"
    "peak: {output: gap, measure: amp}\n"
    "solver: {step: {max: 0.05}, tolerance: 1e-9}\n"
    "integration: {cycles: 500}\n"
    "start: static\n"
    "mode: {number: 2, amplitude: [$third, 10]}\n"
    "ringdown: {initial: {velocities: {1: $third}}, step: 0.1, steps: 10, modes: [1, 2]}\n";

static struct masing_document *parse(const char *text, const char *file)
{
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    if (!CHECK(masing_document_parse(text, strlen(text), file, &document, &error) ==
               MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return document;
}

/* The text of the caller's in *text: NULL after a failure. */
static void resolve(const struct masing_document *document,
                    const struct masing_override *overrides, int n, char **text)
{
    struct masing_error error = {0};
    if (!CHECK(masing_document_resolved(document, overrides, n, text, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
}

/* Nothing is left to be computed; the title may say what it likes. */
static bool is_plain(const char *text)
{
    const char *body = text ? strstr(text, "structure:") : NULL;
    return body && !strchr(body, '$') && !strstr(text, "parameters:");
}

/* The specification of the resolved text equals that of the document, and resolving it once
 * more gives the same text. */
static void check_round_trip(const struct masing_document *document, const char *file,
                             const struct masing_override *overrides, int n)
{
    struct masing_spec first, second;
    char *text = NULL, *again = NULL;
    resolve(document, overrides, n, &text);
    struct masing_document *resolved = text ? parse(text, file) : NULL;
    if (resolved && CHECK(masing_document_spec(document, overrides, n, &first, NULL) == 0)) {
        if (CHECK(masing_document_spec(resolved, NULL, 0, &second, NULL) == 0)) {
            CHECK(spec_same(&first, &second));
            CHECK(second.n_samples > 0);
            masing_spec_clear(&second);
        }
        masing_spec_clear(&first);
        resolve(resolved, NULL, 0, &again);
        if (again && !CHECK(!strcmp(text, again))) {
            printf("# %s\n# became\n# %s\n", text, again);
        }
    }
    CHECK(is_plain(text));
    masing_document_destroy(resolved);
    free(text);
    free(again);
}

/* The same for a file of joints alone. */
static void check_joints_round_trip(const struct masing_document *document, const char *file)
{
    struct masing_spec first, second;
    char *text = NULL;
    CHECK(masing_document_joints_resolved(document, NULL, 0, &text, NULL) == MASING_OK);
    struct masing_document *resolved = text ? parse(text, file) : NULL;
    if (resolved && CHECK(masing_document_joints(document, NULL, 0, &first, NULL) == 0)) {
        if (CHECK(masing_document_joints(resolved, NULL, 0, &second, NULL) == 0)) {
            CHECK(first.n_joints > 0 && spec_same(&first, &second));
            masing_spec_clear(&second);
        }
        masing_spec_clear(&first);
    }
    masing_document_destroy(resolved);
    free(text);
}

static bool has_structure(const char *file)
{
    char *text = scratch_read(file, NULL);
    bool found = text && strstr(text, "\nstructure:");
    free(text);
    return found;
}

static void a_model_of_everything(void)
{
    struct masing_document *document = parse(everything, "m.yaml");
    static const struct masing_override overrides[] = {
        {"N", "17"},
        {"damper.slip_force", "$third"},
        {"harmonics", "[1, 2]"},
        {"structure.damping.modal_ratio.1", "0.07"},
        {"solver.step.min", "1e-7"},
        {"static_loads.0.force", "0"}};
    if (document) {
        check_round_trip(document, "m.yaml", NULL, 0);
        check_round_trip(document, "m.yaml", overrides, 2);
        check_round_trip(document, "m.yaml", overrides + 3, 3);
    }
    masing_document_destroy(document);
}

static void modal_data_and_lumped_elements(void)
{
    static const char *const texts[] = {
        "masing: 1\nfrequency: [10, 30]\nstructure:\n  modes:\n    frequencies: [20, 52.5]\n"
        "    shapes: {a: [0.5, -0.25], b: [0.75, 0.125]}\n    damping_ratio: 0.01\noutputs: "
        "[b]\n",
        "masing: 1\nfrequency: [10, 30]\nstructure:\n  masses: {a: 1}\n"
        "  springs: [{from: a, to: ground, stiffness: 3}]\n"
        "  dampers: [{from: a, to: ground, damping: 0.1}]\noutputs: [a]\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct masing_document *document = parse(texts[i], "m.yaml");
        if (document) {
            check_round_trip(document, "m.yaml", NULL, 0);
        }
        masing_document_destroy(document);
    }
}

static void overrides_and_defaults_stand_in_it(void)
{
    struct masing_document *document = parse(everything, "m.yaml");
    static const struct masing_override override = {"N", "17"};
    char *text = NULL;
    if (document) {
        resolve(document, &override, 1, &text);
    }
    if (text) {
        CHECK(strstr(text, "preload: 17") && strstr(text, "stiffness: 22100"));
        CHECK(strstr(text, "samples: 256") && strstr(text, "two_sided: false"));
        CHECK(strstr(text, "phase: 0") && strstr(text, "quantity: displacement"));
        CHECK(strstr(text, "max_points:") && strstr(text, "forces: auto"));
    }
    free(text);
    masing_document_destroy(document);
}

static int is_model(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && !strcmp(entry->d_name + length - 5, ".yaml");
}

static void every_example(void)
{
    char folder[SCRATCH_PATH], file[2 * SCRATCH_PATH];
    const char *root = getenv("MASING_SOURCE_ROOT");
    struct dirent **entries = NULL;
    snprintf(folder, sizeof folder, "%s/examples", root ? root : ".");
    int n = scandir(folder, &entries, is_model, alphasort);
    CHECK(n >= 5);
    for (int i = 0; i < n; i++) {
        struct masing_document *document = NULL;
        struct masing_error error = {0};
        snprintf(file, sizeof file, "%s/%.200s", folder, entries[i]->d_name);
        if (CHECK(masing_document_read(file, &document, &error) == MASING_OK)) {
            if (has_structure(file)) {
                check_round_trip(document, file, NULL, 0);
            } else {
                check_joints_round_trip(document, file);
            }
        } else {
            printf("# %s\n", error.message);
        }
        masing_document_destroy(document);
        free(entries[i]);
    }
    free(entries);
}

static const struct tap_test tests[] = {
    {"a model of everything", a_model_of_everything},
    {"modal data and lumped elements", modal_data_and_lumped_elements},
    {"overrides and defaults stand in it", overrides_and_defaults_stand_in_it},
    {"every example", every_example},
};

TAP_MAIN(tests)
