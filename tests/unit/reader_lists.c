/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of several numbers, read by a table that no law has: lists, lists of mappings, curves
 * from files, and mappings inside a mapping. */
#include <stdlib.h>
#include <string.h>

#include "field_specimen.h"
#include "model_file/reader.h"
#include "model/seal.h"
#include "scratch.h"
#include "tap.h"

static char folder[SCRATCH_PATH];

/* The table from `joints:`, where overrides find it as `j`; *resolved may be NULL. */
static enum masing_status read_thing(const char *entries, const char *path, const char *value,
                                     struct thing *thing, char **resolved,
                                     struct masing_error *error)
{
    struct masing_override override = {path, value};
    struct tree *tree = NULL;
    char text[2000], file[SCRATCH_PATH + 20];
    snprintf(text, sizeof text, "joints:\n  - name: j\n    law: none\n%s", entries);
    snprintf(file, sizeof file, "%s/model.yaml", folder);
    enum masing_status status = tree_parse(text, strlen(text), file, &tree, error);
    struct masing_spec spec = {0};
    struct reader reader = {.file = file, .tree = tree, .spec = &spec, .error = error};
    reader.fills_defaults = resolved != NULL;
    status = status ? status : overrides_apply(tree, &override, path ? 1 : 0, NULL, error);
    if (status == MASING_OK) {
        static const char *const keys[] = {"name", "law", NULL};
        struct tree_node *map = tree_at(tree_find(tree->root, "joints"), 0);
        const char **field_keys = reader_field_keys(&reader, fields, N_FIELDS);
        status = reader_keys(&reader, map, keys, field_keys);
        status = status ? status : reader_fields(&reader, map, fields, N_FIELDS, thing);
    }
    if (resolved) {
        *resolved = NULL;
        status = status ? status : tree_write(tree, resolved, error);
    }
    tree_destroy(tree);
    masing_spec_clear(&spec);
    return status;
}

static bool reads(const char *entries, const char *path, const char *value, struct thing *thing)
{
    struct masing_error error = {0};
    bool good = read_thing(entries, path, value, thing, NULL, &error) == MASING_OK;
    if (!good) {
        printf("# %s\n", error.message);
    }
    return good;
}

static void check_refusal(const char *entries, const char *path, const char *value,
                          const char *expected)
{
    struct thing thing;
    struct masing_error error = {0};
    CHECK(read_thing(entries, path, value, &thing, NULL, &error) == MASING_INVALID);
    size_t length = strlen(error.message), wanted = strlen(expected);
    if (!CHECK(length >= wanted && !strcmp(error.message + length - wanted, expected))) {
        printf("# got:      %s\n# expected: %s\n", error.message, expected);
    }
}

static const char full[] = "    pair: 7\n"
                           "    long_list: [1, -2, 3e5]\n"
                           "    terms:\n"
                           "      - {coefficient: 5}\n"
                           "      - {coefficient: -3, power: 2, velocity: abs, rate: 0.5}\n"
                           "    loading: {e1: 10, terms: [{coefficient: 1, power: 3}]}\n"
                           "    topography:\n"
                           "      height_std: [1e-6, 2e-6]\n";

static void lists_and_records_are_read(void)
{
    static struct thing thing;
    if (!CHECK(reads(full, NULL, NULL, &thing))) {
        return;
    }
    CHECK(thing.pair.count == 1 && thing.pair.values[0] == 7);
    CHECK(thing.long_list.count == 3 && thing.long_list.values[2] == 3e5);
    CHECK(thing.terms.count == 2 && thing.terms.term[0].coefficient == 5);
    CHECK(thing.terms.term[0].power == 1 && thing.terms.term[0].velocity == 0);
    CHECK(thing.terms.term[1].coefficient == -3 && thing.terms.term[1].power == 2);
    CHECK(thing.terms.term[1].velocity == 2 && thing.terms.term[1].rate == 0.5);
    CHECK(thing.loading_e1 == 10 && thing.loading_terms.count == 1);
    CHECK(thing.loading_terms.term[0].power == 3);
    CHECK(thing.height.count == 2 && thing.height.values[1] == 2e-6);
    CHECK(thing.cutoff == 3 && thing.area == 2 && thing.curve.count == 0);
}

static void absent_fields_are_empty(void)
{
    static struct thing thing;
    CHECK(reads("    pair: [1, 2]\n", NULL, NULL, &thing));
    CHECK(thing.pair.count == 2 && thing.long_list.count == 0 && thing.terms.count == 0);
    CHECK(thing.loading_terms.count == 0 && isnan(thing.loading_e1) && thing.cutoff == 3);
}

static void overrides_reach_inside(void)
{
    static struct thing thing;
    CHECK(reads(full, "j.terms.1.coefficient", "8", &thing));
    CHECK(thing.terms.term[1].coefficient == 8 && thing.terms.term[0].coefficient == 5);
    CHECK(reads(full, "j.terms.0.velocity", "linear", &thing));
    CHECK(thing.terms.term[0].velocity == 1);
    CHECK(reads(full, "j.terms.0.rate", "2", &thing) && thing.terms.term[0].rate == 2);
    CHECK(reads(full, "j.loading.e1", "11", &thing) && thing.loading_e1 == 11);
    CHECK(reads(full, "j.loading.terms.0.power", "4", &thing));
    CHECK(thing.loading_terms.term[0].power == 4);
    CHECK(reads(full, "j.topography.height_std", "4e-6", &thing));
    CHECK(thing.height.count == 1 && thing.height.values[0] == 4e-6);
    CHECK(reads(full, "j.topography.height_std.1", "5e-6", &thing));
    CHECK(thing.height.values[0] == 1e-6 && thing.height.values[1] == 5e-6);
    CHECK(reads(full, "j.topography.cutoff", "4", &thing) && thing.cutoff == 4);
    CHECK(reads("    pair: 7\n", "j.topography.cutoff", "4", &thing) && thing.cutoff == 4);
    CHECK(reads(full, "j.pair", "[8, 9]", &thing) && thing.pair.values[1] == 9);
    CHECK(reads("    pair: 7\n", "j.loading.e1", "3", &thing) && thing.loading_e1 == 3);
}

/* {entries, override, value, end of the message} */
static const char *const refusals[][4] = {
    {"    pair: [1, 2, 3]\n", 0, 0, "model.yaml:4:11: pair: expected 1 or 2 numbers, found 3"},
    {"    pair: []\n", 0, 0, "model.yaml:4:11: pair: expected 1 or 2 numbers, found 0"},
    {"    pair: {a: 1}\n", 0, 0,
     "model.yaml:4:11: pair: expected 1 or 2 numbers, found a mapping"},
    {"    pair:\n", 0, 0, "pair: expected 1 or 2 numbers, found nothing"},
    {"    pair: [1, -2]\n", 0, 0, "model.yaml:4:15: 'pair' must be > 0 Pa, not -2"},
    {"    pair: [1, [2]]\n", 0, 0, "model.yaml:4:15: pair: expected a number, found a list"},
    {"    pair: 0\n", 0, 0, "model.yaml:4:11: 'pair' must be > 0 Pa, not 0"},
    {"    pair: one\n", 0, 0, "not a number: expected a decimal number such as 0.3 or 2e4"},
    {"    long_list: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]\n", 0, 0,
     "long_list: expected 1 to 16 numbers, found 17"},
    {"    terms: 3\n", 0, 0,
     "model.yaml:4:12: terms: expected a list of 1 to 3 mappings, found a single value"},
    {"    terms: {coefficient: 3}\n", 0, 0,
     "terms: expected a list of 1 to 3 mappings, found a mapping"},
    {"    terms: []\n", 0, 0, "model.yaml:4:12: terms: expected 1 to 3 mappings, found 0"},
    {"    terms: [{coefficient: 1}, {coefficient: 1}, {coefficient: 1}, {coefficient: 1}]\n", 0,
     0, "terms: expected 1 to 3 mappings, found 4"},
    {"    terms: [1]\n", 0, 0,
     "model.yaml:4:13: expected a mapping ('key: value'), found a single value"},
    {"    terms: [{power: 1}]\n", 0, 0, "model.yaml:4:13: missing key 'coefficient' (factor)"},
    {"    terms: [{coefficient: 1, powre: 2}]\n", 0, 0,
     "model.yaml:4:30: unknown key 'powre' (did you mean 'power'?)"},
    {"    terms: [{coefficient: 1, power: 10}]\n", 0, 0,
     "model.yaml:4:37: 'power' must be in [0, 9], not 10"},
    {"    terms: [{coefficient: 1, power: 1.5}]\n", 0, 0,
     "model.yaml:4:37: 'power' must be an integer, not 1.5"},
    {"    terms: [{coefficient: 1, rate: 100}]\n", 0, 0,
     "model.yaml:4:36: 'rate' must be in [0, 100) 1/m, not 100"},
    {"    terms: [{coefficient: 1, velocity: line}]\n", 0, 0,
     "model.yaml:4:40: velocity: expected one of none, linear, abs; found 'line'"},
    {"    loading: {e2: 1}\n", 0, 0, "model.yaml:4:15: unknown key 'e2' (did you mean 'e1'?)"},
    {"    loading: 4\n", 0, 0,
     "model.yaml:4:14: loading: expected a mapping ('key: value'), found a single value"},
    {"    loading: {terms: [{coefficient: 1, rate: -1}]}\n", 0, 0,
     "model.yaml:4:46: 'rate' must be in [0, 100) 1/m, not -1"},
    {"    lodaing: {e1: 1}\n", 0, 0,
     "model.yaml:4:5: unknown key 'lodaing' (did you mean 'loading'?)"},
    {"    x: 1\n", 0, 0,
     "model.yaml:4:5: unknown key 'x', expected one of name, law, pair, long_list, terms, "
     "loading, topography, size, curve"},
    {full, "j.terms.2.coefficient", "1",
     "--set j.terms.2.coefficient: no such number: '2' is no member of a list of 2 (they are "
     "counted from 0)"},
    {full, "j.terms.0.coeficient", "1",
     "--set j.terms.0.coeficient: no such number; did you mean j.terms.0.coefficient?"},
    {full, "j.terms.0.power", "-1", "--set j.terms.0.power: 'power' must be in [0, 9], not -1"},
    {full, "j.terms.0", "1", "--set j.terms.0: this is a section; name a number in it"},
    {full, "j.terms", "1",
     "--set j.terms: terms: expected a list of 1 to 3 mappings, found a single value"},
    {full, "j.terms", "[1]",
     "--set j.terms: expected a mapping ('key: value'), found a single value"},
    {full, "j.topography.height_std.1", "0",
     "--set j.topography.height_std.1: 'topography.height_std' must be > 0 m, not 0"},
    {full, "j.topography.cutof", "1",
     "--set j.topography.cutof: no such number; did you mean j.topography.cutoff?"},
    {full, "j.loading", "1", "--set j.loading: this is a section; name a number in it"},
};

static void mistakes_are_refused_with_their_place(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        check_refusal(refusals[i][0], refusals[i][1], refusals[i][2], refusals[i][3]);
    }
}

static void write_file(const char *name, const char *text)
{
    char file[SCRATCH_PATH + 40];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    FILE *stream = fopen(file, "w");
    if (CHECK(stream != NULL)) {
        fputs(text, stream);
        fclose(stream);
    }
}

static void write_rows(const char *name, int n)
{
    char text[20000] = "# measured\nforce, displacement\n";
    size_t used = strlen(text);
    for (int i = 0; i < n; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%d, %d\n", 10 * i, i);
    }
    write_file(name, text);
}

static void curves_are_read_from_files(void)
{
    static struct thing thing;
    write_rows("most.csv", MASING_POINTS_LENGTH);
    CHECK(reads("    curve: most.csv\n", NULL, NULL, &thing));
    CHECK(thing.curve.count == MASING_POINTS_LENGTH);
    CHECK(thing.curve.x[511] == 511 && thing.curve.y[511] == 5110);
    write_rows("many.csv", MASING_POINTS_LENGTH + 1);
    check_refusal("    curve: many.csv\n", NULL, NULL,
                  "many.csv:515:1: expected 2 to 512 points, found 513");
    write_rows("one.csv", 1);
    check_refusal("    curve: one.csv\n", NULL, NULL,
                  "one.csv:3:1: expected 2 to 512 points, found 1");
    write_rows("none.csv", 0);
    check_refusal("    curve: none.csv\n", NULL, NULL,
                  "none.csv:1:1: expected 2 to 512 points, found 0");
    write_file("word.csv", "displacement,force\n0,0\n1,two\n");
    check_refusal("    curve: word.csv\n", NULL, NULL,
                  "word.csv:3:3: force: 'two' is not a number: expected a decimal number such "
                  "as 0.3 or 2e4");
    write_file("name.csv", "displacement,forc\n0,0\n1,2\n");
    check_refusal("    curve: name.csv\n", NULL, NULL,
                  "name.csv:1:14: unknown column 'forc' (did you mean 'force'?)");
    check_refusal(
        "    curve: {a: 2}\n", NULL, NULL,
        "curve: expected a CSV file or a list of pairs [displacement, force], found a "
        "mapping");
    check_refusal("    curve: absent.csv\n", NULL, NULL, "absent.csv' that can be read");
}

static void curves_are_read_from_pairs(void)
{
    static struct thing thing;
    static const char pairs[] = "    curve: [[0, 0], [1e-3, 5], [2e-3, 8]]\n";
    CHECK(reads(pairs, "j.curve.2.1", "7", &thing));
    CHECK(thing.curve.count == 3 && thing.curve.x[2] == 2e-3 && thing.curve.y[2] == 7);
    check_refusal("    curve: [1, 2]\n", NULL, NULL,
                  "model.yaml:4:13: curve: expected a pair [displacement, force]");
    check_refusal("    curve: [[0, 0]]\n", NULL, NULL,
                  "curve: expected 2 to 512 points, found 1");
    check_refusal("    curve: [[0, 0], [1, x]]\n", NULL, NULL,
                  "model.yaml:4:25: force: 'x' is not a number: expected a decimal number such "
                  "as 0.3 or 2e4");
}

/* What was read stands in the record, defaults as well; a mapping that is another way of
 * giving the same is not made up. */
static void the_record_says_what_was_read(void)
{
    static struct thing first, second;
    struct masing_error error = {0};
    char *text = NULL, *again = NULL;
    CHECK(read_thing(full, "j.terms.0.coefficient", "6", &first, &text, &error) == MASING_OK);
    if (CHECK(text != NULL)) {
        const char *entries = strstr(text, "    pair");
        CHECK(strstr(text, "{coefficient: 6, power: 1, velocity: none, rate: 0}") != NULL);
        CHECK(strstr(text, "cutoff: 3") && strstr(text, "size: {area: 2}"));
        if (CHECK(entries != NULL)) {
            CHECK(read_thing(entries, NULL, NULL, &second, &again, &error) == MASING_OK);
            CHECK(again && !strcmp(text, again));
            CHECK(second.terms.term[0].coefficient == 6 && second.cutoff == first.cutoff);
        }
    }
    free(text);
    free(again);
    CHECK(read_thing("    pair: 7\n", NULL, NULL, &first, &text, &error) == MASING_OK);
    CHECK(text && !strstr(text, "topography") && !strstr(text, "loading"));
    free(text);
}

/* --- a specification that a program made ------------------------------------------------- */

static void check_sealed(struct thing *thing, const char *expected)
{
    struct masing_spec spec = {.file = NULL};
    struct masing_error error = {0};
    const struct subject joint = {&spec, {.path = "joints.0"}, "joint 'j'", &error};
    enum masing_status status = seal_fields(&joint, fields, N_FIELDS, thing);
    if (!CHECK(expected ? status == MASING_INVALID && !strcmp(error.message, expected)
                        : status == MASING_OK)) {
        printf("# %s\n", error.message);
    }
}

static void a_program_is_checked_as_well(void)
{
    static struct thing good, bad;
    reads(full, NULL, NULL, &good);
    check_sealed(&good, NULL);
    bad = good;
    bad.pair.values[0] = -1;
    check_sealed(&bad, "model: joint 'j': 'pair' must be > 0 Pa, not -1");
    bad = good;
    bad.pair.count = 3;
    check_sealed(&bad, "model: joint 'j': 'pair' holds 3, expected 1 to 2");
    bad = good;
    bad.long_list.count = -1;
    check_sealed(&bad, "model: joint 'j': 'long_list' holds -1, expected 1 to 16");
    bad = good;
    bad.terms.term[1].rate = NAN;
    check_sealed(&bad, "model: joint 'j': terms.1: 'rate' must be a finite number, not nan");
    bad = good;
    bad.loading_terms.term[0].velocity = 3;
    check_sealed(&bad, "model: joint 'j': loading.terms.0: 'velocity' is choice 3, expected 0 "
                       "to 2");
    bad = good;
    bad.terms.count = 4;
    check_sealed(&bad, "model: joint 'j': 'terms' holds 4, expected 1 to 3");
    bad = good;
    bad.curve.count = 1;
    check_sealed(&bad, "model: joint 'j': 'curve' holds 1, expected 2 to 512");
    bad.curve.count = 2;
    bad.curve.y[1] = INFINITY;
    check_sealed(&bad, "model: joint 'j': point 2 of 'curve' is (0, inf), expected finite "
                       "numbers");
}

static const struct tap_test tests[] = {
    {"lists and records are read", lists_and_records_are_read},
    {"absent fields are empty", absent_fields_are_empty},
    {"overrides reach inside", overrides_reach_inside},
    {"mistakes are refused with their place", mistakes_are_refused_with_their_place},
    {"curves are read from files", curves_are_read_from_files},
    {"curves are read from pairs", curves_are_read_from_pairs},
    {"the record says what was read", the_record_says_what_was_read},
    {"a program is checked as well", a_program_is_checked_as_well},
};

int main(void)
{
    scratch_make(folder);
    return tap_run(tests, (int)(sizeof tests / sizeof *tests));
}
