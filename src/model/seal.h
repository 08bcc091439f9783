/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps of masing_model_create, in this order; each refuses what it cannot use. */
#ifndef MASING_MODEL_SEAL_H
#define MASING_MODEL_SEAL_H

#include "model/message.h"
#include "model/model.h"

/* Largest harmonic; samples per period. */
/* The shaft's own speed into parameters of a joint's law that depend on it; where the frequency
 * is that speed that of the middle of the range, at which joints count as stuck or free. */
void joint_spec_set_speed(const struct masing_spec *spec, const struct masing_joint_spec *joint,
                          void *parameters);

enum { MAX_HARMONIC = 2000, MAX_SAMPLES = 1 << 20 };
/* Most DOFs, also with matrices that are not sparse; most joints of all kinds. */
enum { MAX_DOFS = 5000000, MAX_DENSE_DOFS = 5000, JOINT_TOTAL = 50000 };

/* Frequency range, harmonics, samples, solver; resolves the default of the samples. */
enum masing_status seal_settings(struct masing_spec *spec, struct masing_error *error);

/* A joint that belongs to no group is one. */
enum masing_status seal_groups(struct masing_spec *spec, struct masing_error *error);

/* Joints' parameters are checked (constants derived); fills joints and, when the DOFs of the
 * specification are those of the structure, axes. */
enum masing_status seal_joints(struct masing_model *model, struct masing_error *error);
enum masing_status seal_axes(struct masing_model *model, struct masing_error *error);

/* Every joint, load, output and DOF has a fitting name of its own? Those that may have none are
 * loads and DOFs. */
enum masing_status seal_names(const struct masing_spec *spec, struct masing_error *error);

/* Outputs and the choice of the peak. */
enum masing_status seal_outputs(const struct masing_spec *spec, struct masing_error *error);

/* Fills loads, base_patterns and static_force; needs the structure. */
enum masing_status seal_loads(struct masing_model *model, struct masing_error *error);

/* What can be said of a load without the structure's modal form. */
enum masing_status seal_check_load(const struct masing_spec *spec, int index,
                                   struct masing_error *error);

/* Names, the frequency range where it has a unit, harmonics, joints and loads of a
 * specification that is not sealed. It is not changed. */
enum masing_status seal_check(const struct masing_spec *spec, struct masing_error *error);

/* Static equilibrium under the static loads for the joints' parameters as they are now: the
 * displacements of the joints' axes and the joints' forces, [n_axes] each, sliders as `start`
 * says; rigid [n_rigid of the structure]: coordinates of its rigid-body modes, or NULL. Refused
 * where there is none, or where none is found. Needs all of the above. */
enum masing_status seal_find_static_state(const struct masing_model *model,
                                          double *displacement, double *reaction, double *rigid,
                                          struct masing_error *error);

/* Fills static_displacement and static_reaction with it. */
enum masing_status seal_static_state(struct masing_model *model, struct masing_error *error);

/* Adds what the joints' laws say about their parameters to the model's warnings. */
enum masing_status seal_cautions(struct masing_model *model, struct masing_error *error);

/* Everything that the fields hold within its range? */
enum masing_status seal_fields(const struct subject *subject, const struct masing_field *fields,
                               int n_fields, void *object);

#endif
