/* SPDX-License-Identifier: GPL-2.0-or-later */
/* YAML into a tree with places, and back into text. */
#include <stdlib.h>
#include <string.h>

#include "data/suggest.h"
#include "model_file/tree.h"
#include "tap.h"

static struct tree *parse(const char *text)
{
    struct tree *tree = NULL;
    struct masing_error error = {0};
    if (!CHECK(tree_parse(text, strlen(text), "t", &tree, &error) == MASING_OK)) {
        printf("# %s\n", error.message);
    }
    return tree;
}

static bool is_at(const struct tree_node *node, int line, int column)
{
    return node && node->place.line == line && node->place.column == column;
}

static void places_are_kept(void)
{
    struct tree *tree = parse("# comment\na: 1\nb:\n  - {x: 2, y: 'ü', z: 3}\n  - [4]\n");
    if (!tree) {
        return;
    }
    const struct tree_node *root = tree->root, *b = tree_find(root, "b");
    CHECK(root->kind == TREE_MAPPING && root->count == 2);
    CHECK(is_at(tree_find(root, "a"), 2, 4));
    CHECK(b && b->kind == TREE_SEQUENCE && b->count == 2);
    CHECK(b && b->key_place.line == 3 && b->key_place.column == 1);
    CHECK(is_at(tree_find(tree_at(b, 0), "x"), 4, 9));
    CHECK(is_at(tree_find(tree_at(b, 0), "z"), 4, 23)); /* columns count characters */
    CHECK(is_at(tree_at(tree_at(b, 1), 0), 5, 6));
    CHECK(!tree_at(b, 2) && !tree_at(b, -1) && !tree_find(b, "x") && !tree_find(root, "c"));
    tree_destroy(tree);
}

static void scalars_keep_their_text(void)
{
    struct tree *tree = parse("a: 1.50\nb: '1.50'\nc:\nd: ~\ne: 'null'\nf: null\n");
    if (!tree) {
        return;
    }
    const struct tree_node *root = tree->root;
    CHECK(!strcmp(tree_find(root, "a")->text, "1.50") && tree_find(root, "a")->is_plain);
    CHECK(!strcmp(tree_find(root, "b")->text, "1.50") && !tree_find(root, "b")->is_plain);
    CHECK(tree_is_null(tree_find(root, "c")) && tree_is_null(tree_find(root, "d")));
    CHECK(!tree_is_null(tree_find(root, "e")) && tree_is_null(tree_find(root, "f")));
    tree_destroy(tree);
}

static void line_ends_and_a_mark_change_no_place(void)
{
    struct tree *tree = parse("\xEF\xBB\xBF"
                              "a: 1\r\nb: 2\r\n");
    if (!tree) {
        return;
    }
    CHECK(is_at(tree_find(tree->root, "a"), 1, 4));
    CHECK(is_at(tree_find(tree->root, "b"), 2, 4));
    CHECK(!strcmp(tree_find(tree->root, "a")->text, "1"));
    tree_destroy(tree);
}

static bool is_same(const struct tree_node *a, const struct tree_node *b)
{
    bool is_null = tree_is_null(a) && tree_is_null(b);
    bool has_texts = a->text && b->text && !is_null;
    if (a->kind != b->kind || a->count != b->count ||
        (!is_null && (a->text || b->text) != has_texts) ||
        (has_texts && strcmp(a->text, b->text)) || (a->key != NULL) != (b->key != NULL) ||
        (a->key && strcmp(a->key, b->key)) || tree_is_null(a) != tree_is_null(b)) {
        return false;
    }
    a = a->first;
    for (b = b->first; a && b; a = a->next, b = b->next) {
        if (!is_same(a, b)) {
            return false;
        }
    }
    return !a && !b;
}

static const char *const texts[] = {
    "a: 1",
    "a: {}\nb: []\nc: ~\nd:\n",
    "- - 1\n  - [2, 3]\n- {a: [1], b: {c: {d: [[1, 2], []]}}}\n- x\n",
    "a: 'it''s: \"quoted\" # not a comment'\n'b: c': \"line\\nbreak\\ttab\\\\\"\n",
    "t: \"\\u2028\\u0085\\uFEFF\\x01 end \"\nu: '  blanks  '\nv: 'null'\nw: '~'\nx: ''\n",
    "a: two\n  lines\nb: |\n  kept\n  lines\nc: \"\"\n'-': '- x'\n'?': '?'\n",
    "a: -1\nb: '-'\nc: '- a'\nd: '?'\ne: '---'\nf: '...'\ng: --- text\n",
    ("long: [1000000, 2000000, 3000000, 4000000, 5000000, 6000000, 7000000, 8000000, 9000000, "
     "1000000, 2000000, 3000000, 4000000]\nümlaut: größer\n"),
    "plain scalar",
    "[a, [b, [c, {d: e}]]]",
};

static void written_trees_read_back_the_same(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tree *tree = NULL, *copy = NULL, *again = NULL;
        char *text = NULL;
        if (tree_parse(texts[i], strlen(texts[i]), "t", &tree, NULL) == MASING_OK) {
            CHECK(tree_copy(tree, &copy, NULL) == MASING_OK && is_same(tree->root, copy->root));
            CHECK(tree_write(copy, &text, NULL) == MASING_OK);
            again = parse(text);
            if (!again || !CHECK(is_same(tree->root, again->root))) {
                printf("# %s\n# became\n# %s\n", texts[i], text);
            }
        } else {
            bool is_yaml = false;
            CHECK(is_yaml);
            printf("# %s\n", texts[i]);
        }
        free(text);
        tree_destroy(tree);
        tree_destroy(copy);
        tree_destroy(again);
    }
}

static void children_can_be_taken_out(void)
{
    struct tree *tree = parse("{a: 1, b: 2, c: 3}");
    if (!tree) {
        return;
    }
    struct tree_node *root = tree->root;
    tree_remove(root, tree_find(root, "c"));
    CHECK(root->count == 2 && root->last == tree_find(root, "b") && !root->last->next);
    tree_remove(root, tree_find(root, "a"));
    CHECK(root->count == 1 && root->first == root->last);
    tree_remove(root, tree_find(root, "b"));
    CHECK(root->count == 0 && !root->first && !root->last);
    CHECK(tree_append_text(tree, root, "d", "4") && tree_find(root, "d") == root->first);
    tree_destroy(tree);
}

static void near_names_are_found(void)
{
    CHECK(suggest_distance("preload", "prelaod") == 2); /* one swap, in halves */
    CHECK(suggest_distance("Ground", "ground") == 1);
    CHECK(suggest_distance("kitten", "sitting") == 6);
    CHECK(suggest_distance("", "abc") == 6 && suggest_distance("abc", "") == 6);
    struct masing_suggestion suggestion = masing_suggest_begin("prelaod");
    masing_suggest_consider(&suggestion, "friction");
    CHECK(!suggestion.nearest);
    masing_suggest_consider(&suggestion, "preload");
    masing_suggest_consider(&suggestion, "prelude");
    CHECK(suggestion.nearest && !strcmp(suggestion.nearest, "preload"));
    suggestion = masing_suggest_begin("x");
    masing_suggest_consider(&suggestion, "y");
    CHECK(!suggestion.nearest);
}

static const struct tap_test tests[] = {
    {"places are kept", places_are_kept},
    {"scalars keep their text", scalars_keep_their_text},
    {"line ends and a byte order mark change no place", line_ends_and_a_mark_change_no_place},
    {"written trees read back the same", written_trees_read_back_the_same},
    {"children can be taken out", children_can_be_taken_out},
    {"near names are found", near_names_are_found},
};

TAP_MAIN(tests)
