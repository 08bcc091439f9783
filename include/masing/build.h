/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * Specifications built by a program, piece by piece, without a model file.
 *
 *     masing_spec_create, then masing_spec_add_mass for each DOF, springs, dampers, joints,
 *     loads, outputs, masing_spec_set for every other number, then masing_model_create.
 *
 * Every text is copied. DOFs are named; `ground` is the fixed frame. What is added is checked
 * as far as it can be by itself (MASING_INVALID: a name that is taken or unknown, a number that
 * cannot be), the rest by masing_model_create. A function that fails leaves the specification
 * as it was. What has no function here (matrices, modes, axes of contacts, tables of loads) is
 * filled in struct masing_spec itself, before or after.
 */
#ifndef MASING_BUILD_H
#define MASING_BUILD_H

#include "masing/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A specification with the defaults of masing_spec_init, in memory of the library's, so that a
 * program does not depend on the size of struct masing_spec.
 */
MASING_API enum masing_status masing_spec_create(struct masing_spec **spec,
                                                 struct masing_error *error);
/** Clear and free one of masing_spec_create, also after masing_model_create. NULL is fine. */
MASING_API void masing_spec_destroy(struct masing_spec *spec);

/**
 * One more DOF.
 * @param mass kg, >= 0
 */
MASING_API enum masing_status masing_spec_add_mass(struct masing_spec *spec, const char *name,
                                                   double mass, struct masing_error *error);

/**
 * A spring between two DOFs, or a DOF and `ground`.
 * @param stiffness N/m; negative ones are allowed
 */
MASING_API enum masing_status masing_spec_add_spring(struct masing_spec *spec, const char *from,
                                                     const char *to, double stiffness,
                                                     struct masing_error *error);

/**
 * A viscous damper, beside the damping that masing_spec_set gives.
 * @param damping N s/m, >= 0; any where the structure of @p spec `is_active`
 */
MASING_API enum masing_status masing_spec_add_damper(struct masing_spec *spec, const char *from,
                                                     const char *to, double damping,
                                                     struct masing_error *error);

/**
 * A joint of a law with one axis, its numbers at their defaults; masing_spec_set(spec,
 * "NAME.KEY", ...) gives them.
 * @param law one of the library, `masing_law_find("jenkins")`, or the program's own, which
 *        lives as long as the model
 * @return MASING_UNSUPPORTED for laws of several axes
 */
MASING_API enum masing_status masing_spec_add_joint(struct masing_spec *spec, const char *name,
                                                    const struct masing_law *law,
                                                    const char *from, const char *to,
                                                    struct masing_error *error);

/**
 * A force amplitude cos(Omega t) on a DOF; "NAME.phase" and "NAME.harmonic" change the rest.
 * @param name      may be NULL: "loads.0", "loads.1", ... then reach it
 * @param amplitude N
 */
MASING_API enum masing_status masing_spec_add_load(struct masing_spec *spec, const char *name,
                                                   const char *dof, double amplitude,
                                                   struct masing_error *error);

/**
 * A constant force on a DOF.
 * @param force N
 */
MASING_API enum masing_status masing_spec_add_static_load(struct masing_spec *spec,
                                                          const char *dof, double force,
                                                          struct masing_error *error);

/**
 * An output; the first one defines the peak.
 * @param from, to displacement of `to` less that of `from`; to NULL: of the DOF called @p name;
 *        from NULL: of the ground
 */
MASING_API enum masing_status masing_spec_add_output(struct masing_spec *spec, const char *name,
                                                     const char *from, const char *to,
                                                     enum masing_quantity quantity,
                                                     struct masing_error *error);

/**
 * A number by its path, as `--set` has it:
 *   NAME.KEY, joints.N.KEY    of a joint's law; replaces keys that it stands for (slip_force:
 *                             friction and preload); KEY.N in a list, the first that is not
 *                             there is added; NAN takes a number away that need not be given
 *   NAME.KEY, loads.N.KEY     amplitude, phase (degrees), harmonic; where the load is of that
 *                             kind also imbalance and base_acceleration
 *   frequency.0, frequency.1  the ends of the range, Hz
 *   harmonics                 0 up to this one
 *   structure.damping.KEY     modal_ratio (of all modes), structural, rayleigh.0, rayleigh.1
 *   load_factor, samples, mode.number, mode.amplitude.0, mode.amplitude.1, solver.KEY,
 *   integration.KEY
 * Where a key takes a word, the value is the index of the word in the field's choices. Masses,
 * springs and dampers are sums of matrices by now and have no paths.
 * Errors: MASING_INVALID "PATH: ..." where there is no such number or it cannot have the value.
 */
MASING_API enum masing_status masing_spec_set(struct masing_spec *spec, const char *path,
                                              double value, struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
