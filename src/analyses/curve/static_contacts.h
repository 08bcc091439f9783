/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_ANALYSES_CURVE_STATIC_CONTACTS_H
#define MASING_ANALYSES_CURVE_STATIC_CONTACTS_H

#include "masing/check.h"
#include "model/model.h"

/* contacts [n_joints]: what each joint that can open does in the static state of the model. */
enum masing_status static_contacts_fill(const struct masing_model *model,
                                        struct masing_static_contact *contacts,
                                        struct masing_error *error);

/* What a contact is pressed with at zero displacement, N; 0 where its law knows no such thing.
 */
double static_contact_preload(const struct joint *joint);

#endif
