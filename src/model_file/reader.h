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
#include "model_file/tree.h"
#include "masing/model.h"
#include "model/names.h"

/* A name that is no DOF, and why it is none. */
struct reader_absent {
    const char *name, *why;
    struct reader_absent *next;
};

/* A DOF's name and where it comes from. */
struct dof_entry {
    const char *name;
    const struct tree_node *at;
};

struct reader {
    const char *file;
    struct tree *tree;
    struct masing_spec *spec; /* being filled */
    bool fills_defaults;
    bool needs_joints_only; /* nothing else has to be there */
    int n_parameters;
    struct parameter *parameters;
    struct names dofs;
    struct reader_absent *absent; /* in the tree's memory */
    struct masing_error *error;
};

enum { READER_PLACE = 512 };

/* "FILE:LINE:COLUMN" of a node, or "--set PATH" where it comes from an override. */
const char *tree_place(const char *file, const struct tree_node *node, char text[READER_PLACE]);
const char *reader_place(const struct reader *reader, const struct tree_node *node,
                         char text[READER_PLACE]);

/* "PLACE: ..."; returns MASING_INVALID. */
enum masing_status reader_fail(struct reader *reader, const struct tree_node *node,
                               const char *format, ...) MASING_PRINTF(3, 4);

/* "PLACE: WHAT is not supported yet"; returns MASING_UNSUPPORTED. */
enum masing_status reader_fail_unsupported(struct reader *reader, const struct tree_node *node,
                                           const char *what);

/* "a list", "a mapping", "a single value", "nothing" */
const char *reader_kind_name(const struct tree_node *node);

/* --- kinds ----------------------------------------------------------------------------- */

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

/* A section at the top, NULL where it is absent; if defaults are filled in it is made. */
enum masing_status reader_section(struct reader *reader, const char *key,
                                  struct tree_node **section);

/* --- values (the node's key, or @p what where it has none, is named in messages) --------- */

enum masing_status reader_number(struct reader *reader, struct tree_node *node,
                                 const char *what, double *value);
enum masing_status reader_integer(struct reader *reader, struct tree_node *node,
                                  const char *what, int minimum, int maximum, int *value);
enum masing_status reader_boolean(struct reader *reader, struct tree_node *node,
                                  const char *what, bool *value);
enum masing_status reader_text(struct reader *reader, const struct tree_node *node,
                               const char *what, const char **text);
/* One of a NULL-terminated list. */
enum masing_status reader_choice(struct reader *reader, struct tree_node *node,
                                 const char *what, const char *const *choices, int *index);
/* One number or a list; *values is owned by the caller. */
enum masing_status reader_numbers(struct reader *reader, struct tree_node *node,
                                  const char *what, int *count, double **values);

/* --- optional entries of a mapping ------------------------------------------------------- */

/* As above where the key is there; else *value is left alone and becomes the default. */
enum masing_status reader_optional_number(struct reader *reader, struct tree_node *map,
                                          const char *key, double *value);
enum masing_status reader_optional_integer(struct reader *reader, struct tree_node *map,
                                           const char *key, int minimum, int maximum,
                                           int *value);
enum masing_status reader_optional_choice(struct reader *reader, struct tree_node *map,
                                          const char *key, const char *const *choices,
                                          int *index);

/* --- field tables (reader_fields.c) ------------------------------------------------------ */

/* All fields of a table from a mapping whose keys have been checked. A field `step.initial`
 * stands in the file as `step: {initial: ...}`. */
enum masing_status reader_fields(struct reader *reader, struct tree_node *map,
                                 const struct masing_field *fields, int n_fields, void *object);

/* Whether a key is that of a field, or of a mapping in which fields stand. */
bool reader_field_is_key(const struct masing_field *fields, int n_fields, const char *key);

/* Whether a key can be both: a number, or a mapping of numbers in its place. */
bool reader_field_is_either(const struct masing_field *fields, int n_fields, const char *key);

/* A number into a field; a refusal carries the node's place. */
enum masing_status reader_field_store(struct reader *reader, const struct tree_node *node,
                                      const struct masing_field *field, double value,
                                      void *object);

/* Fields of several numbers (reader_lists.c): a list, where a number is a list of one; a list
 * of mappings; a CSV file with the columns `displacement, force` or such pairs. */
enum masing_status reader_field_list(struct reader *reader, struct tree_node *node,
                                     const struct masing_field *field, void *object);
enum masing_status reader_field_records(struct reader *reader, struct tree_node *node,
                                        const struct masing_field *field, void *object);
enum masing_status reader_field_points(struct reader *reader, struct tree_node *node,
                                       const struct masing_field *field, void *object);

/* The keys of the fields as a NULL-terminated list, NULL without memory; the list (not the
 * keys) is owned by the caller. */
const char **reader_field_keys(struct reader *reader, const struct masing_field *fields,
                               int n_fields);

/* --- DOFs (reader_dofs.c) ---------------------------------------------------------------- */

/* A DOF by name. Ground is MASING_GROUND where allowed, else an error. */
enum masing_status reader_dof(struct reader *reader, const struct tree_node *node,
                              const char *what, bool may_be_ground, int *dof);
/* The same for a name that stands at a place of another file. */
enum masing_status reader_dof_at(struct reader *reader, const char *place, const char *what,
                                 const char *name, bool may_be_ground, int *dof);
/* The DOF that is the key of a mapping's entry; never ground. */
enum masing_status reader_key_dof(struct reader *reader, const struct tree_node *child,
                                  const char *what, int *dof);
/* `{from, to}`: displacement of `to` minus that of `from`. */
enum masing_status reader_from_to(struct reader *reader, const struct tree_node *map,
                                  struct masing_combination *combination);
/* `{dof: weight, ...}` */
enum masing_status reader_weights(struct reader *reader, const struct tree_node *node,
                                  struct masing_combination *combination);
/* `{dof: weight, ...}` as a vector over all DOFs; owned by the caller. */
enum masing_status reader_pattern(struct reader *reader, const struct tree_node *node,
                                  double **pattern);
/* A unit vector; owned by the caller. */
enum masing_status reader_unit_pattern(struct reader *reader, const struct tree_node *node,
                                       double **pattern);

/* --- files ------------------------------------------------------------------------------- */

/* A file named by a node, as seen from the model's folder; owned by the caller. */
enum masing_status reader_file(struct reader *reader, const struct tree_node *node,
                               const char *what, char **file);

/* Keeps where the rows of a file stand that a node names, for messages about them. */
enum masing_status reader_keep_rows(struct reader *reader, struct tree_node *node,
                                    const char *file, const struct csv_table *table);

/* --- sections (one file each) ------------------------------------------------------------ */

enum masing_status read_parameters(struct reader *reader); /* parameters */
enum masing_status read_structure(struct reader *reader);  /* structure */
enum masing_status read_lumped(struct reader *reader, struct tree_node *structure);
enum masing_status read_matrices(struct reader *reader, struct tree_node *structure);
enum masing_status read_modes(struct reader *reader, struct tree_node *structure);
enum masing_status read_dof_names(struct reader *reader, const struct tree_node *node);
enum masing_status read_dof_list(struct reader *reader, const struct tree_node *node,
                                 const struct dof_entry *entries, int n);
/* `beams`: names of DOFs, those of @p masses (may be NULL) included; mass and stiffness of the
 * beams alone. */
enum masing_status read_beams(struct reader *reader, const struct tree_node *node,
                              const struct tree_node *masses);
/* A square symmetric matrix over the DOFs, rows or a file; *matrix owned by the caller. */
enum masing_status read_symmetric(struct reader *reader, struct tree_node *node,
                                  double **matrix);
bool read_is_matrix(const struct tree_node *node);
enum masing_status read_damping_form(struct reader *reader, struct tree_node *node);
enum masing_status read_joints(struct reader *reader);
/* The law of a joint's entry, NULL where it has none or names no law. */
const struct masing_law *reader_law_of(const struct tree_node *node);
enum masing_status read_loads(struct reader *reader);
enum masing_status read_static_loads(struct reader *reader);
enum masing_status read_outputs(struct reader *reader); /* and peak */
enum masing_status read_range(struct reader *reader);   /* frequency, harmonics, samples */
enum masing_status read_settings(struct reader *reader);
enum masing_status read_nonlinear_mode(struct reader *reader); /* mode */
enum masing_status read_ringdown(struct reader *reader);       /* ringdown */

/* One of the keys at the top of a model file. */
bool read_is_model_key(const char *key);
extern const char *const read_model_keys[]; /* NULL-terminated */

/* Sections that mean nothing without a structure; NULL-terminated. */
extern const char *const read_structure_keys[];

/* All sections in order. */
enum masing_status read_model(struct reader *reader);

#endif
