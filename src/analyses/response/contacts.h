/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each contact element does at the peak and at frequencies that were asked for. */
#ifndef MASING_ANALYSES_RESPONSE_CONTACTS_H
#define MASING_ANALYSES_RESPONSE_CONTACTS_H

#include "analyses/response/curve.h"

enum { RESPONSE_CONTACT_COLUMNS = 12 };

/* Columns of the table; returns how many. @p parameter NULL: a single curve. */
int response_contacts_columns(const char *parameter,
                              struct masing_column columns[RESPONSE_CONTACT_COLUMNS]);

/* Rows for a point that the curve's joints are settled at, if a sink wants them. */
enum masing_status response_contacts_write(struct response_curve *curve, double omega,
                                           enum masing_event event, struct masing_error *error);

/* Rows for the peak, after the curve was followed. */
enum masing_status response_contacts_peak(struct response_curve *curve,
                                          struct masing_error *error);

#endif
