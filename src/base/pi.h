/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MASING_BASE_PI_H
#define MASING_BASE_PI_H

#define PI 3.14159265358979323846
#define TWO_PI (2.0 * PI)

#endif
