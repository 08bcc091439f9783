/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The laws of the library, one file each; table.c lists them. */
#ifndef MASING_LAWS_LAWS_H
#define MASING_LAWS_LAWS_H

#include "masing/law.h"

extern const struct masing_law law_backbone_table;
extern const struct masing_law law_bouc_wen;
extern const struct masing_law law_contact;
extern const struct masing_law law_contact_patch;
extern const struct masing_law law_cubic_spring;
extern const struct masing_law law_dahl;
extern const struct masing_law law_generalized_valanis;
extern const struct masing_law law_iwan4;
extern const struct masing_law law_jenkins;
extern const struct masing_law law_linear;
extern const struct masing_law law_lugre;
extern const struct masing_law law_mindlin;
extern const struct masing_law law_mindlin_dahl;
extern const struct masing_law law_polynomial_spring;
extern const struct masing_law law_quadratic_damper;
extern const struct masing_law law_ramberg_osgood;
extern const struct masing_law law_rough_interface;
extern const struct masing_law law_tanh_friction;
extern const struct masing_law law_unilateral_spring;
extern const struct masing_law law_valanis;

#endif
