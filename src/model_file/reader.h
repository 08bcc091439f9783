/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a tree strictly: what all sections share.
 *
 * A reader owns a private copy of the tree with overrides applied. Reading a number notes it in
 * the tree, and where defaults are to be filled in they are appended to it, so that after a
 * model was read its tree is the model as resolved.
 */
#ifndef MASING_MODEL_FILE_READER_H
#define MASING_MODEL_FILE_READER_H

#include <stdbool.h>

#include "model_file/expression.h"
#include "data/table_csv.h"
#include "linalg/sparse.h"
#include "model_file/tree.h"
#include "masing/model.h"
#include "model/names.h"
#include "model/seal.h"

/* A name that is no DOF, and why it is none. */
struct reader_absent {
    const char *name, *why;
    struct reader_absent *next;
};

/* A DOF's name and where it comes from. */
struct dof_entry {
    const char *name;
    const struct tree_node *at;
    int line; /* of a file that the node names */
};

/* Entries of a sparse matrix, as they come. */
struct element_list {
    struct sparse_entry *entries;
    size_t n, capacity;
};

struct joined_dof;

/* Factors of a number, one for each sector, all in the tree's memory. */
struct reader_mistuning {
    const char *path;
    double *factors;            /* [n_sectors] */
    int column;                 /* of the rows that `at` keeps, -1: it has none */
    const struct tree_node *at; /* for messages */
    struct reader_mistuning *next;
    const char *target; /* path as overrides have it, and the number there: */
    double value;
};

/* `structure.cyclic` as far as the specification has none of it. */
struct reader_cyclic {
    int n_sectors;
    bool is_unrolled; /* the whole disk is wanted */
    struct reader_mistuning *mistuning;
    int n_high;                /* DOFs of matrices that are those of the following sector: */
    const char **high_names;   /* [n_high] in the tree's memory */
    int *low;                  /* [n_high] what they are there */
    struct joined_dof *joined; /* [n_dofs] what is to be done when all is read; NULL: nothing */
};

struct mesh;

struct reader {
    const char *file;
    struct tree *tree;
    struct masing_spec *spec; /* being filled */
    bool fills_defaults;
    bool needs_joints_only; /* nothing else has to be there */
    bool is_of_sector;      /* of a disk, which is not made of this */
    bool has_structure;     /* else keys that need one are not read */
    int n_parameters;
    struct parameter *parameters;
    struct names dofs;
    const struct mesh *mesh;      /* kept by the document; NULL: there is none */
    struct reader_absent *absent; /* in the tree's memory */
    bool has_nodes;               /* DOFs are directions of a finite element program's nodes */
    bool has_rows;                /* or numbers of its rows, as its files tell no more */
    struct element_list masses, stiffnesses; /* of a lumped structure that is sparse */
    struct reader_cyclic cyclic;
    struct masing_error *error;
};

enum { READER_PLACE = 512 };

/* "FILE:LINE:COLUMN" of a node, or "--set PATH" where it comes from an override. */
const char *tree_place(const char *file, const struct tree_node *node, char text[READER_PLACE]);
/* The same of its key, of the node itself where it has none. */
const char *reader_key_place(const struct reader *reader, const struct tree_node *node,
                             char text[READER_PLACE]);

/* "PLACE: ..."; returns MASING_INVALID. */
enum masing_status reader_fail(struct reader *reader, const struct tree_node *node,
                               const char *format, ...) MASING_PRINTF(3, 4);
enum masing_status reader_fail_key(struct reader *reader, const struct tree_node *node,
                                   const char *format, ...) MASING_PRINTF(3, 4);

/* The same where something is wrong, else MASING_OK. */
enum masing_status reader_refuse(struct reader *reader, bool is_wrong,
                                 const struct tree_node *node, const char *format, ...)
    MASING_PRINTF(4, 5);

/* "a list", "a mapping", "a single value", "nothing" */
const char *reader_kind_name(const struct tree_node *node);

/* --- kinds -------------------------------------------------------------------------------- */

enum masing_status reader_mapping(struct reader *reader, const struct tree_node *node);
enum masing_status reader_sequence(struct reader *reader, const struct tree_node *node);

/* A mapping whose keys are names of the user's, not of the format. */
enum masing_status reader_open_mapping(struct reader *reader, const struct tree_node *node);

/* A mapping with keys from NULL-terminated lists only (@p more may be NULL). */
enum masing_status reader_keys(struct reader *reader, const struct tree_node *map,
                               const char *const *keys, const char *const *more);

/* The entry called @p key; an error where it is missing. */
enum masing_status reader_required(struct reader *reader, const struct tree_node *map,
                                   const char *key, struct tree_node **node);

/* Append a default to a mapping, if defaults are to be filled in. */
enum masing_status reader_default(struct reader *reader, struct tree_node *map, const char *key,
                                  const char *text);

/* --- values (the node's key, or @p what where it has none, is named in messages) ---------- */

enum masing_status reader_number(struct reader *reader, struct tree_node *node,
                                 const char *what, double *value);
/* Greater than 0. */
enum masing_status reader_positive(struct reader *reader, struct tree_node *node,
                                   const char *what, double *value);
enum masing_status reader_integer(struct reader *reader, struct tree_node *node,
                                  const char *what, int minimum, int maximum, int *value);
enum masing_status reader_text(struct reader *reader, const struct tree_node *node,
                               const char *what, const char **text);
/* *copy, which is replaced, is owned by the caller. */
enum masing_status reader_text_copy(struct reader *reader, const struct tree_node *node,
                                    const char *what, char **copy);
/* One of a NULL-terminated list. */
enum masing_status reader_choice(struct reader *reader, struct tree_node *node,
                                 const char *what, const char *const *choices, int *index);
/* One number or a list; *values is owned by the caller, after a failure as well. */
enum masing_status reader_numbers(struct reader *reader, struct tree_node *node,
                                  const char *what, int *count, double **values);

/* --- tables of keys (reader_keys.c) ------------------------------------------------------- */

enum key_kind {
    KEY_OTHER, /* by `read`; without one it is read together with other keys */
    KEY_NUMBER,
    KEY_POSITIVE, /* a number greater than 0 */
    KEY_DEGREES,  /* a number, kept in rad; its default is 0 */
    KEY_INTEGER,
    KEY_CHOICE,       /* int, index into the choices; an enum whose first value is 0 fits */
    KEY_SWITCH,       /* bool, whether it is the second of two choices */
    KEY_TEXT,         /* char *, owned by the object */
    KEY_DISPLACEMENT, /* struct masing_combination: a DOF or a node set, never ground */
    KEY_VALUES,       /* struct masing_combination: a value at each DOF */
    KEY_PATTERN,      /* double *, [n_dofs]: a direction */
    KEY_UNIT_PATTERN, /* double *, [n_dofs], 1 at a DOF, or in all over a node set */
    KEY_FIELDS,       /* a mapping read by a field table */
    KEY_SECTION,      /* a mapping read by a table of keys */
    KEY_LIST,         /* an array owned by the object; `read` reads a member */
};

/*
 * A key of a section: what its value is and where in the object of the section it goes. To add
 * a key to the format is to add a row. A table ends with a row without a name; keys are read in
 * its order.
 */
struct reader_key {
    const char *name;
    enum key_kind kind;
    unsigned variants; /* bits of the section's variants that have the key; 0: all */
    bool is_required;
    bool has_default;           /* of an absent key is said what it becomes: `read` gets NULL */
    bool needs_structure;       /* at the top: means nothing without a structure */
    int minimum, maximum;       /* of an integer; of the members of a list, 0: any */
    const char *const *choices; /* NULL-terminated */
    size_t offset;
    size_t place; /* where in the object the value's struct masing_place goes; 0: nowhere */
    const struct reader_key *keys;     /* of a section */
    const struct masing_field *fields; /* [*n_fields] */
    const int *n_fields;
    size_t count, size; /* of a list: where the number of its members goes; of a member */
    /* of a list: makes one of what stands in its place, NULL: nothing may */
    enum masing_status (*expand)(struct reader *reader, struct tree_node *node);
    /* target: what the offset leads to, the object itself where there is none */
    enum masing_status (*read)(struct reader *reader, struct tree_node *node, void *target);
};

/* A row: name, offset, kind, and what else it has. */
#define KEY(key_name, key_offset, ...)                                                         \
    {                                                                                          \
        .name = (key_name), .offset = (key_offset), .kind = __VA_ARGS__                        \
    }

/* Refuses what is not in the table, or not for the variant (0: any), nor in @p more (names,
 * NULL-terminated; may be NULL). */
enum masing_status reader_check_keys(struct reader *reader, const struct tree_node *map,
                                     const struct reader_key *keys, unsigned variant,
                                     const char *const *more);

/* Reads what the table says of a mapping whose keys have been checked. */
enum masing_status reader_read_keys(struct reader *reader, struct tree_node *map,
                                    const struct reader_key *keys, unsigned variant,
                                    void *object);

/* Both. */
enum masing_status reader_section(struct reader *reader, struct tree_node *map,
                                  const struct reader_key *keys, unsigned variant,
                                  void *object);

/* The row of a key, NULL where there is none. */
const struct reader_key *reader_find_key(const struct reader_key *keys, const char *name);

/* --- field tables (reader_fields.c) ------------------------------------------------------- */

/* All fields of a table from a mapping whose keys have been checked. A field `step.initial`
 * stands in the file as `step: {initial: ...}`. */
enum masing_status reader_fields(struct reader *reader, struct tree_node *map,
                                 const struct masing_field *fields, int n_fields, void *object);

/* Whether a key is that of a field, or of a mapping in which fields stand. */
bool reader_field_is_key(const struct masing_field *fields, int n_fields, const char *key);

/* Whether a key can be both: a number, or a mapping of numbers in its place. */
bool reader_field_is_either(const struct masing_field *fields, int n_fields, const char *key);

/* The keys of the fields as a NULL-terminated list in the tree's memory, NULL without memory.
 */
const char **reader_field_keys(struct reader *reader, const struct masing_field *fields,
                               int n_fields);

/* A mapping that has no other keys than those of the fields. */
enum masing_status reader_field_section(struct reader *reader, struct tree_node *map,
                                        const struct masing_field *fields, int n_fields,
                                        void *object);

/* --- DOFs (reader_dofs.c) ----------------------------------------------------------------- */

/* A DOF by name. Ground is MASING_GROUND where allowed, else an error. */
enum masing_status reader_dof(struct reader *reader, const struct tree_node *node,
                              const char *what, bool may_be_ground, int *dof);
/* The same for a name that stands at a place of another file. */
enum masing_status reader_dof_at(struct reader *reader, const char *place, const char *what,
                                 const char *name, bool may_be_ground, int *dof);
/* The DOF that is the key of a mapping's entry; never ground. */
enum masing_status reader_key_dof(struct reader *reader, const struct tree_node *child,
                                  const char *what, int *dof);
/* A weighted sum of DOFs without the terms of the ground. */
enum masing_status reader_combination(struct reader *reader, const struct masing_term *terms,
                                      int n, struct masing_combination *combination);
/* A DOF, or the mean of a node set along a direction. */
enum masing_status reader_displacement(struct reader *reader, const struct tree_node *node,
                                       const char *what, bool may_be_ground,
                                       struct masing_combination *combination);
/* `{from, to}`: displacement of `to` minus that of `from`. */
enum masing_status reader_from_to(struct reader *reader, const struct tree_node *map,
                                  struct masing_combination *combination);
/* What a number beside a node set belongs to. */
enum weights_meaning {
    WEIGHTS_OF_SUM, /* the mean of its displacements, in a weighted sum or for a force */
    WEIGHTS_OF_EACH /* the motion of each of its nodes: `value` in the place of `weight` */
};
/* `{dof: weight, ...}`, or a list of `{dof or set and direction, weight}`, or one such set. */
enum masing_status reader_weights(struct reader *reader, struct tree_node *node,
                                  enum weights_meaning meaning,
                                  struct masing_combination *combination);
/* Such a list; its members are mappings, as those of no other list are. */
bool reader_is_weight_list(const struct tree_node *node);
/* Zeros, [n_dofs][n_columns] by columns; owned by the caller. */
enum masing_status reader_matrix(struct reader *reader, int n_columns, double **matrix);
/* Weights, with a mesh also a direction of all nodes, as a vector over all DOFs; owned by the
 * caller. */
enum masing_status reader_pattern(struct reader *reader, struct tree_node *node,
                                  enum weights_meaning meaning, double **pattern);
/* A DOF by name, or the mean of a node set, as a vector over all DOFs; owned by the caller. */
enum masing_status reader_unit_pattern(struct reader *reader, const struct tree_node *node,
                                       double **pattern);

/* --- files -------------------------------------------------------------------------------- */

/* A file named by a node, as seen from the model's folder; owned by the caller, after a failure
 * as well. */
enum masing_status reader_file_named(struct reader *reader, const struct tree_node *node,
                                     const char *what, const char *name, char **file);
enum masing_status reader_file(struct reader *reader, const struct tree_node *node,
                               const char *what, char **file);
/* A file that was read, for the specification's list. */
enum masing_status reader_note_file(struct reader *reader, const char *file);

/* The same of a file of one matrix: with the variable of a MATLAB file behind a colon. */
enum masing_status reader_matrix_file(struct reader *reader, const struct tree_node *node,
                                      const char *what, char **file);

/* Keeps the rows of a file that a node names, for messages about them: the table lives as long
 * as the tree from then on. */
enum masing_status reader_keep_rows(struct reader *reader, struct tree_node *node,
                                    struct csv_table *table);

/* --- sections (one file each) ------------------------------------------------------------- */

/* Matrices of finite element programs; object: the structure. */
enum masing_status read_calculix(struct reader *reader, struct tree_node *node, void *object);
enum masing_status read_abaqus(struct reader *reader, struct tree_node *node, void *object);
enum masing_status read_nastran(struct reader *reader, struct tree_node *node, void *object);

/* Why a name is no DOF although it could be taken for one, as the structure told; NULL: it did
 * not. */
const char *reader_why_absent(const struct reader *reader, const char *name);
enum { READER_REASON = 300 };
/* Why a program's matrices may lack a DOF; false: nothing is known. */
bool reader_missing_dof(const struct reader *reader, const char *name,
                        char reason[READER_REASON]);

/* --- cyclic structures (read_cyclic.c, read_disk.c) ----------------------------------------
 */

enum cyclic_form { CYCLIC_OTHER, CYCLIC_LUMPED, CYCLIC_MATRICES };
/* `structure.cyclic`, before the structure itself. */
enum masing_status read_cyclic(struct reader *reader, struct tree_node *section,
                               enum cyclic_form form);
/* Of matrices the DOFs of `high` become those of `low` of the following sector: now, or with a
 * mesh at the end. */
enum masing_status join_boundaries(struct reader *reader, struct tree_node *section);
enum masing_status join_at_end(struct reader *reader);
/* An entry of a matrix between DOFs of a sector and the following one: what is within one of
 * them goes to own [n_dofs * n_dofs], the rest to the coupling, which is made where there is
 * none yet. */
enum masing_status cyclic_add(struct reader *reader, int row, int column, double value,
                              double *own, double **coupling);
/* Refuses sums [n] with DOFs of other sectors than one and the following one. */
enum masing_status cyclic_check(struct reader *reader, const struct tree_node *node, int n,
                                const struct masing_combination *sums);
/* Index of a DOF by its name, `next.NAME` of the following sector, `3.NAME` of sector 3 of a
 * whole disk; -1: there is none. */
int reader_find_dof(const struct reader *reader, const char *name);
/* Whether a name says that it is of the following sector. */
bool reader_is_next(const struct reader *reader, const char *name);
/* Of a DOF's name what is left without its sector, "next." or, in a cyclic structure, "3.",
 * which goes to prefix [size]. */
const char *reader_own_name(const struct reader *reader, const char *name, char *prefix,
                            size_t size);
/* Patterns that are read are [reach n_dofs]: where boundaries are lists of DOFs, those of
 * `high` are behind the others, as DOFs of the following sector. */
int cyclic_reach(const struct reader *reader);
bool cyclic_is_high(const struct reader *reader, int dof);
/* What stands behind goes to the others: forces, with the lag of an engine order, for which
 * imaginary may be NULL where that is 0; or of a motion of all sectors alike. */
enum masing_status cyclic_fold_pattern(struct reader *reader, const struct tree_node *node,
                                       bool is_motion, int order, double *pattern,
                                       double **imaginary);
/* `engine_order` of a load, which a cyclic structure asks for; where the frequency is that of
 * the shaft its harmonic as well. Before the other keys. */
enum masing_status read_engine_order(struct reader *reader, struct tree_node *map,
                                     struct masing_load_spec *load);
/* `mistuning` of it: factors of numbers of the sectors. */
enum masing_status read_mistuning(struct reader *reader, struct tree_node *node, void *object);
/* The specification of one sector becomes that of the whole disk. */
enum masing_status read_disk(struct reader *reader);

/* Each is the `read` of a row of model_keys; object: the specification. */
enum masing_status read_structure(struct reader *reader, struct tree_node *section,
                                  void *object);
enum masing_status read_joints(struct reader *reader, struct tree_node *list, void *object);
/* Laws, keys and names of its joints, before anything large is read; list: NULL where there is
 * none. */
enum masing_status check_joints(struct reader *reader, const struct tree_node *list);
/* The same for a member of a list. */
enum masing_status read_load(struct reader *reader, struct tree_node *map, void *object);
enum masing_status read_static_load(struct reader *reader, struct tree_node *map, void *object);
enum masing_status read_output(struct reader *reader, struct tree_node *node, void *object);
/* `all` becomes the list of all DOFs. */
enum masing_status expand_outputs(struct reader *reader, struct tree_node *node);
extern const struct reader_key peak_keys[]; /* of the specification */

/* Most joints, and most rows of a file of `pairs`. */
enum { JOINT_LIMIT = 10000 };

/* `uncertain`: distributions of numbers by their paths, and their correlation. */
enum masing_status read_uncertain(struct reader *reader, struct tree_node *section,
                                  void *object);

/* `structure.mesh`; object: the structure. */
enum masing_status read_mesh(struct reader *reader, struct tree_node *node, void *object);

/* `pairs` or `surfaces` of a joint's entry: joints in place of the last one, @p index, which is
 * their common entry. There is room for as many joints as the file has entries, before and
 * after. */
enum masing_status read_pairs(struct reader *reader, struct tree_node *node, int index);

/* --- where joints act: what single joints and those of `pairs` share (read_joints.c) --------
 */

/* Empty axes for those of the mask. */
enum masing_status joint_axes_create(struct reader *reader, unsigned mask,
                                     struct masing_joint_spec *joint);

/* DOFs NODE.AXIS of a node, MASING_GROUND where it has none or is the ground; whether it has
 * any. */
bool joint_axes_find_node(struct reader *reader, const char *node,
                          const char *const *axis_names, int n_axes, int *dofs);
/* What is wrong with a node that has none. */
enum masing_status joint_axes_refuse_node(struct reader *reader, const char *place,
                                          const char *what, const char *node,
                                          const char *const *axis_names, int n_axes);

/* The key of an entry that stands for many joints, NULL: it is one. */
struct tree_node *joint_rows(const struct tree_node *entry);

enum { JOINT_AXES_FAULT = 300 };
/*
 * What is wrong with the directions of a contact, axes [n_axes], the normal first; NULL where
 * nothing is. *axis is the one to blame.
 * @param are_from_to both tangential axes are {from, to}, and of one scale whatever they join
 */
const char *joint_axes_fault(const struct masing_joint_spec *joint, bool are_from_to, int *axis,
                             char text[JOINT_AXES_FAULT]);

/* --- names -------------------------------------------------------------------------------- */

/* Names of DOFs: the keys of a mapping, the members of a list or the lines of a file. */
enum masing_status read_dof_names(struct reader *reader, const struct tree_node *node);
/* 1, 2, ..., n; the node stands for them. */
enum masing_status read_dof_numbers(struct reader *reader, const struct tree_node *node, int n);
enum masing_status read_dof_list(struct reader *reader, const struct tree_node *node,
                                 const struct dof_entry *entries, int n);
/* `beams`: names of DOFs, those of @p masses (may be NULL) included; mass and stiffness of the
 * beams alone. */
enum masing_status read_beams(struct reader *reader, struct tree_node *node,
                              const struct tree_node *masses);

/* The law of a joint's entry, NULL where it has none or names no law. */
const struct masing_law *reader_law_of(const struct tree_node *node);
/* The fields of its law that can stand in place of one, NULL-terminated; NULL: none. */
const char *const *reader_alternatives(const struct tree_node *joint, const char *key);

/* The keys at the top of a model file. */
extern const struct reader_key model_keys[];

/* Whether a row at the top is a section that asks for a structure: a number alone does not. */
static inline bool reader_is_of_structure(const struct reader_key *key)
{
    return key->needs_structure && key->kind != KEY_NUMBER;
}

/* All sections in order. */
enum masing_status read_model(struct reader *reader);

/*
 * Numbers replaced from outside, by path: a parameter's name, KEY.KEY..., NAME.KEY for a joint
 * or load of that name; members of a list by their number from 0 or by their name. In order;
 * the last of two for one path holds. targets [n_overrides]: where each was put; or NULL.
 * Errors: MASING_INVALID "--set PATH: ...".
 */
enum masing_status overrides_apply(struct tree *tree, const struct masing_override *overrides,
                                   int n_overrides, const struct tree_node **targets,
                                   struct masing_error *error);
/* Where the path of a number leads, of which all has to be there; nothing is changed. */
enum masing_status overrides_find(struct tree *tree, const char *path,
                                  const struct tree_node **node, struct masing_error *error);

#endif
