/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every page holds, as it stands in the files that embed.c makes this of; of each the
 * SHA-256 in base64. */
#ifndef MASING_REPORT_PAGE_DATA_H
#define MASING_REPORT_PAGE_DATA_H

#include <stddef.h>

#define PAGE_DATA(name)                                                                        \
    extern const unsigned char name[];                                                         \
    extern const size_t name##_size;                                                           \
    extern const char name##_hash[];

PAGE_DATA(page_css)
PAGE_DATA(page_js)
PAGE_DATA(uplot_min_css)
PAGE_DATA(uplot_iife_min_js)

#endif
