/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_TRANSIENT_WORK_H
#define MASING_TRANSIENT_WORK_H

/* Work done since something began, J: of the loads (of those on DOFs without mass that through
 * the joints' displacements, equal to theirs over a period), on the joints and on the damping.
 */
struct work {
    double loads, joints, damping;
};

#endif
