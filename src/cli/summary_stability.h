/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said about the stability of a curve, and about branch points. */
#ifndef MASING_CLI_SUMMARY_STABILITY_H
#define MASING_CLI_SUMMARY_STABILITY_H

#include "cli/command.h"
#include "masing/response.h"

/* unit: of the places, with the blank before it, or "". */
void summary_print_stability(const struct masing_stability_summary *stability,
                             const char *unit);
void summary_print_branches(const struct masing_places *branch_points, int n_branches,
                            const char *unit);

/* All curves of a study in a line or two. */
void summary_print_study_stability(const struct variation *variation,
                                   const struct masing_response_summary *summaries);

#endif
