/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a model file: refused with a place, or taken; and what was taken is the same
 * model after it was resolved, written and read again.
 */
#include <string.h>

#include "masing/model.h"
#include "robust/fuzz.h"
#include "spec_equal.h"

const char *const fuzz_seeds[] = {
    "masing: 1\nparameters: {N: 30}\nstructure:\n  masses: {a: 1, b: 2}\n  springs:\n"
    "    - {from: ground, to: a, stiffness: 4e4}\n    - {from: a, to: b, stiffness: 3e4}\n"
    "  damping: {modal_ratio: [0.01, 0.02], modes: stuck}\njoints:\n"
    "  - {name: d, law: jenkins, from: a, to: b, stiffness: $N*1300, friction: .5, preload: "
    "$N}\n  - {name: s, law: polynomial_spring, axis: {a: 1, b: -2}, coefficients: [1, 2]}\n"
    "loads: [{name: l, dof: b, amplitude: 1, harmonic: 2, phase: 90}]\n"
    "frequency: [18, 28]\nharmonics: [1, 2, 3]\noutputs: [a]\n",
    "masing: 1\nfrequency: [1, 2]\nfrequency_unit: rad_s\nstructure:\n  modes:\n"
    "    frequencies: [20, 50]\n    shapes: {x: [0.5, -0.2], y: [0.7, 0.1]}\n"
    "    damping_ratio: 0.02\nstatic_loads: [{dof: x, force: 3}]\nsamples: 64\n"
    "outputs: [{name: g, from: x, to: y, quantity: velocity}]\npeak: {measure: amp}\n"
    "mode: {number: 1, amplitude: [1, 2]}\nsolver: {step: {max: 0.1}}\n",
    "{masing: 1, frequency: [2, 1], structure: {dofs: [x, y], mass: [[1, 0], [0, 1]], "
    "stiffness: [[2, -1], [-1, 2]], damping: {rayleigh: [0.1, 0]}}, loads: [{pattern: [1, 2], "
    "amplitude: 3}, {base_acceleration: 1, direction: {x: 1}}], outputs: [x]}",
    "masing: 1\nstructure:\n  masses: {n.x: 1, n.y: 1, n.z: 1}\n  springs:\n"
    "    - {from: ground, to: n.x, stiffness: 4e4}\n"
    "    - {from: ground, to: n.y, stiffness: 4e4}\njoints:\n"
    "  - {name: c, law: contact, normal: {n.x: 1}, tangential: [{from: ground, to: n.y}, {n.z: "
    "1}],\n    normal_stiffness: 3e4, tangential_stiffness: 2e4, friction: {static: .5, "
    "kinetic: 0.3, decay: 1}, gap: 1e-3}\n"
    "  - {name: p, law: contact_patch, from: ground, to: n, size: [1, 2], elements: [2, 3],\n"
    "    normal_stiffness: 3e4, tangential_stiffness: 2e4, friction: 0.5, preload: 3}\n"
    "start: static\nfrequency: [18, 28]\noutputs: [n.x]\n",
    NULL,
};
const char *const fuzz_words[] = {
    "$N",      "$N*2",       "-",      "- ",      ": ",       "\n",     "\n  ",     "\n    ",
    "[",       "]",          "{",      "}",       ",",        "'",      "\"",       "#",
    "&a ",     "*a",         "!t ",    "---\n",   "...\n",    "? ",     "| \n",     "> \n",
    "0",       "-1",         "1e999",  "nan",     "0,3",      "null",   "~",        "true",
    "ground",  "from",       "to",     "dof",     "name",     "law",    "axis",     "linear",
    "jenkins", "preload",    "masses", "modes",   "weights",  "column", "file",     "step",
    "normal",  "tangential", "pairs",  "contact", "friction", "\t",     "\xC3\xBC", "\\0",
    "\r\n",    "%YAML",      "<<",     NULL,
};
const char *const fuzz_folder = "examples", *const fuzz_ending = ".yaml";

static const char file[] = "no-such-folder/fuzz.yaml";

static bool has_place(const char *message)
{
    int line, column;
    size_t length = strlen(file);
    return !strncmp(message, file, length) &&
           sscanf(message + length, ":%d:%d: ", &line, &column) == 2 && line > 0 && column > 0;
}

static void check_round_trip(const struct masing_document *document,
                             const struct masing_spec *spec)
{
    struct masing_document *again = NULL;
    struct masing_spec other;
    char *text = NULL;
    if (masing_document_resolved(document, NULL, 0, &text, NULL) != MASING_OK) {
        return; /* read, but not a model that can be sealed */
    }
    FUZZ_DEMAND(masing_document_parse(text, strlen(text), file, &again, NULL) == MASING_OK);
    FUZZ_DEMAND(masing_document_spec(again, NULL, 0, &other, NULL) == MASING_OK);
    FUZZ_DEMAND(spec_same(spec, &other));
    masing_spec_clear(&other);
    masing_document_destroy(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct masing_override override = {"N", "20"};
    struct masing_document *document = NULL;
    struct masing_error error = {0};
    struct masing_spec spec;
    enum masing_status status =
        masing_document_parse((const char *)data, size, file, &document, &error);
    if (status == MASING_OK) {
        status = masing_document_spec(document, NULL, 0, &spec, &error);
    }
    if (status == MASING_OK) {
        check_round_trip(document, &spec);
        masing_spec_clear(&spec);
        if (masing_document_spec(document, &override, 1, &spec, NULL) == MASING_OK) {
            masing_spec_clear(&spec);
        }
    } else {
        FUZZ_DEMAND(status == MASING_INVALID || status == MASING_UNSUPPORTED);
        FUZZ_DEMAND(has_place(error.message));
    }
    masing_document_destroy(document);
    return 0;
}
