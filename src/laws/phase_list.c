/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/phase_list.h"

#include "base/pi.h"

void phase_list_add(struct phase_list *list, const struct masing_phase *phase)
{
    if (!(phase->end > phase->start)) {
        return;
    }
    if (list->n == list->max) {
        list->is_full = true;
        return;
    }
    list->phases[list->n++] = *phase;
}

int phase_list_count(const struct phase_list *list)
{
    return list->is_full ? -1 : list->n;
}

double phase_list_angle(const struct masing_smooth_path *path, int index)
{
    int n = path->n_extrema;
    return index < n ? path->extrema[index].angle : path->extrema[index - n].angle + TWO_PI;
}
