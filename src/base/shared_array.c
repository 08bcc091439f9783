/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/shared_array.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

struct owners {
    alignas(max_align_t) atomic_size_t n;
};

static struct owners *owners_of(double *array)
{
    return (struct owners *)(void *)array - 1;
}

double *shared_array_create(size_t count)
{
    size_t most = (SIZE_MAX - sizeof(struct owners)) / sizeof(double);
    struct owners *made =
        count > most ? NULL : memory_array(sizeof *made + count * sizeof(double), 1);
    if (!made) {
        return NULL;
    }
    atomic_init(&made->n, 1);
    return (double *)(void *)(made + 1);
}

double *shared_array_hold(double *array)
{
    if (array) {
        atomic_fetch_add(&owners_of(array)->n, 1);
    }
    return array;
}

void shared_array_release(double *array)
{
    if (array && atomic_fetch_sub(&owners_of(array)->n, 1) == 1) {
        free(owners_of(array));
    }
}
