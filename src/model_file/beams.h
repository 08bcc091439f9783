/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Beams of a model file, read in three steps: what each is made of (read_beam_section.c), where
 * its nodes are (read_beam_nodes.c), how they are held and joined (read_beam_ends.c).
 * Everything lives in the tree's memory.
 */
#ifndef MASING_MODEL_FILE_BEAMS_H
#define MASING_MODEL_FILE_BEAMS_H

#include "model_file/reader.h"

enum { BEAM_W, BEAM_R, BEAM_NODE_DOFS };

enum { BEAM_NODE_FREE = -1, BEAM_NODE_HELD = -2 };

struct beam_node {
    const char *name;
    const struct tree_node *at; /* where messages about it point to */
    double position;            /* m from the start */
    int dofs[BEAM_NODE_DOFS];   /* index, HELD, or FREE: not numbered yet */
    const struct beam *joined;  /* the node is one of this beam's, called ... */
    const char *joined_name;
};

struct beam {
    const char *name;
    struct tree_node *entry;
    double bending_stiffness; /* N m^2 */
    double mass_per_length;   /* kg/m */
    double length;            /* m */
    int n_nodes;
    struct beam_node *nodes; /* from start to end */
};

/* A node by its name or number; NULL where there is none. */
struct beam_node *beam_find_node(const struct beam *beam, const char *name);

enum masing_status read_beam_section(struct reader *reader, struct beam *beam);
/* @p most: nodes that there may be */
enum masing_status read_beam_nodes(struct reader *reader, struct beam *beam, int most);
/* `supports` and `join`, the latter to beams [n_before] that come before. */
enum masing_status read_beam_ends(struct reader *reader, struct beam *beam,
                                  const struct beam *before, int n_before);

/* A number that must be there and greater than 0. */
enum masing_status read_beam_number(struct reader *reader, const struct tree_node *map,
                                    const char *key, double *value);

#endif
