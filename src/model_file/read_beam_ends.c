/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a beam's nodes are held (`supports`) and joined to nodes of other beams (`join`). */
#include <string.h>

#include "base/check.h"
#include "model_file/beams.h"
#include "data/suggest.h"

static enum masing_status find_node(struct reader *reader, const struct beam *beam,
                                    const struct tree_node *child, struct beam_node **node)
{
    char hint[100];
    struct masing_suggestion suggestion = masing_suggest_begin(child->key);
    struct tree_node at_key = *child;
    at_key.place = child->key_place;
    *node = beam_find_node(beam, child->key);
    if (*node) {
        return MASING_OK;
    }
    for (int i = 0; i < beam->n_nodes; i++) {
        masing_suggest_consider(&suggestion, beam->nodes[i].name);
    }
    return reader_fail(reader, &at_key, "beam '%.60s' has no node '%.60s'%s", beam->name,
                       child->key, masing_suggest_text(&suggestion, hint, sizeof hint));
}

static enum masing_status read_supports(struct reader *reader, struct beam *beam,
                                        const struct tree_node *supports)
{
    static const char *const choices[] = {"free", "pinned", "guided", "clamped", NULL};
    enum { PINNED = 1, GUIDED = 2 }; /* and both: clamped */
    enum masing_status status = MASING_OK;
    struct beam_node *node;
    int choice;
    TRY(reader_open_mapping(reader, supports));
    for (struct tree_node *child = supports->first; child; child = child->next) {
        TRY(find_node(reader, beam, child, &node));
        TRY(reader_choice(reader, child, child->key, choices, &choice));
        node->dofs[BEAM_W] = choice & PINNED ? BEAM_NODE_HELD : BEAM_NODE_FREE;
        node->dofs[BEAM_R] = choice & GUIDED ? BEAM_NODE_HELD : BEAM_NODE_FREE;
    }
done:
    return status;
}

/* BEAM.NODE of an earlier beam. */
static enum masing_status find_other(struct reader *reader, const struct tree_node *child,
                                     const struct beam *before, int n_before,
                                     const struct beam **beam, const struct beam_node **node)
{
    enum masing_status status = MASING_OK;
    const char *text = NULL;
    TRY(reader_text(reader, child, child->key, &text));
    const char *dot = strchr(text, '.');
    size_t length = dot ? (size_t)(dot - text) : 0;
    *node = NULL;
    for (int i = 0; i < n_before && !*node; i++) {
        if (strlen(before[i].name) == length && !strncmp(before[i].name, text, length)) {
            *beam = &before[i];
            *node = beam_find_node(*beam, dot + 1);
        }
    }
    if (!*node) {
        TRY(reader_fail(reader, child,
                        "%s: expected BEAM.NODE, a node of a beam that stands before this one, "
                        "found '%.60s'",
                        child->key, text));
    }
done:
    return status;
}

static bool is_held(const struct beam_node *node)
{
    return node->dofs[BEAM_W] == BEAM_NODE_HELD || node->dofs[BEAM_R] == BEAM_NODE_HELD;
}

static enum masing_status read_join(struct reader *reader, struct beam *beam,
                                    const struct tree_node *join, const struct beam *before,
                                    int n_before)
{
    enum masing_status status = MASING_OK;
    struct beam_node *node;
    const struct beam *other = NULL;
    const struct beam_node *other_node;
    TRY(reader_open_mapping(reader, join));
    for (const struct tree_node *child = join->first; child; child = child->next) {
        TRY(find_node(reader, beam, child, &node));
        TRY(find_other(reader, child, before, n_before, &other, &other_node));
        if (is_held(node)) {
            TRY(reader_fail(reader, child,
                            "%s: is joined to another beam's node and cannot have a support "
                            "here; give it there",
                            child->key));
        }
        node->joined = other_node->joined ? other_node->joined : other;
        node->joined_name = other_node->joined ? other_node->joined_name : other_node->name;
        memcpy(node->dofs, other_node->dofs, sizeof node->dofs);
    }
done:
    return status;
}

enum masing_status read_beam_ends(struct reader *reader, struct beam *beam,
                                  const struct beam *before, int n_before)
{
    enum masing_status status = MASING_OK;
    const struct tree_node *supports = tree_find(beam->entry, "supports");
    const struct tree_node *join = tree_find(beam->entry, "join");
    TRY(supports ? read_supports(reader, beam, supports) : MASING_OK);
    TRY(join ? read_join(reader, beam, join, before, n_before) : MASING_OK);
done:
    return status;
}
