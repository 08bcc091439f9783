/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refusals with their place, "file:line:column: what is wrong, what was expected"; warnings. */
#ifndef MASING_MODEL_MESSAGE_H
#define MASING_MODEL_MESSAGE_H

#include "base/packing.h"
#include "masing/model.h"

/* A part of a specification, and where it begins if nobody knows better. */
struct model_part {
    char path[MASING_PART_LENGTH]; /* as masing_error.part */
    struct masing_place place;
};

struct model_part model_part(struct masing_place place, const char *path, ...)
    MASING_PRINTF(2, 3);

/* A part of that part. */
struct model_part model_part_of(const struct model_part *whole, const char *key);

/* Always MASING_INVALID, with the part named in the error, too. */
enum masing_status model_refuse_part(const struct masing_spec *spec,
                                     const struct model_part *part, struct masing_error *error,
                                     const char *format, ...) MASING_PRINTF(4, 5);

/* Always MASING_INVALID. The place is left out as far as it is unknown. */
enum masing_status model_refuse(const struct masing_spec *spec, struct masing_place place,
                                struct masing_error *error, const char *format, ...)
    MASING_PRINTF(4, 5);

/* What is checked: refusals name it, "WHAT: ...", and its part. */
struct subject {
    const struct masing_spec *spec;
    struct model_part part;
    const char *what;
    struct masing_error *error;
};

/* Always MASING_INVALID. key: of what is wrong within the part, or "". */
enum masing_status model_refuse_subject(const struct subject *subject, const char *key,
                                        const char *format, ...) MASING_PRINTF(3, 4);

/* An analysis needs something to look at: refuses a model without outputs. */
enum masing_status model_need_outputs(const struct masing_spec *spec,
                                      struct masing_error *error);
/* What sweeps refuses a model without frequencies; needs_range: and one with a single one. */
enum masing_status model_need_sweep(const struct masing_spec *spec, bool needs_range,
                                    struct masing_error *error);

/* An analysis needs something that drives the structure: refuses a model without loads. */
enum masing_status model_need_loads(const struct masing_spec *spec, struct masing_error *error);

/* "'name'" of a DOF for messages, or its number (from 1) where it has no name. */
struct dof_text {
    char text[80];
};
struct dof_text model_dof_text(const struct masing_spec *spec, int dof);

/* "'a', 'b' and others": the DOFs that move most in a motion [n_dofs]. */
struct motion_text {
    char text[240];
};
struct motion_text model_motion_text(const struct masing_spec *spec, const double *motion);

/* --- warnings of a model or a summary: texts that grow in number --- */

/* Where a summary keeps its warnings: an owned array of owned texts, and their number. */
struct warning_list {
    char ***texts;
    int *count;
    struct masing_warning **numbered; /* the same with their numbers; NULL: they are not kept */
};

/* A warning that is put together. */
struct warning_text {
    char pattern[MASING_MESSAGE_LENGTH];
    int n_values;
    double values[MASING_WARNING_VALUES];
};

/* More of it. What %d, %g, %e and %f convert are values; %i is for a number that is a name, as
 * of a mode. There are these and %s. */
void warning_put(struct warning_text *warning, const char *format, ...) MASING_PRINTF(2, 3);
/* More of it, with the values of a sentence. */
void warning_put_sentence(struct warning_text *warning, const struct masing_warning *sentence);

/* Add it to a list. */
enum masing_status warning_end(const struct warning_list *list,
                               const struct warning_text *warning, struct masing_error *error);

/* Put together and add in one. */
enum masing_status warning_add(const struct warning_list *list, struct masing_error *error,
                               const char *format, ...) MASING_PRINTF(3, 4);

/* Add what was found while the model was sealed. */
enum masing_status warnings_add_model(const struct warning_list *list,
                                      const struct masing_model *model,
                                      struct masing_error *error);

/* So many names are told, the others are counted. */
enum { NAMES_TOLD = 3 };

/* Joints of which the same is said once: "'a', 'b', 'c' and 21 more". */
struct name_list {
    char text[240];
    int n;
};
void name_list_add(struct name_list *list, const char *name);
/* The text, with how many more there are than it names. */
const char *name_list_text(struct name_list *list);

/* Put the list into a packing, or take one that is empty before. */
void warnings_pack(struct packing *packing, const struct warning_list *list);

/* Free the texts and empty the list. */
void warnings_clear(const struct warning_list *list);

#endif
