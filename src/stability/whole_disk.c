/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/whole_disk.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model/cyclic.h"
#include "model/unroll.h"

static enum masing_status unroll(const struct masing_model *sector, struct masing_model **whole,
                                 struct masing_error *error)
{
    struct masing_error inner = {0};
    enum masing_status status = unroll_model(sector, whole, &inner);
    return status == MASING_OK
               ? MASING_OK
               : masing_error_set(error, status == MASING_INVALID ? MASING_UNSUPPORTED : status,
                                  "the whole disk: %s", inner.message);
}

enum masing_status whole_disk_create(const struct balance *sector, struct whole_disk **disk,
                                     struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    /* nothing is solved: the compliance is not used */
    const struct balance_settings settings = {
        .n_threads = 1, .is_matrix_free = true, .progress = sector->progress};
    struct whole_disk *made = memory_array(1, sizeof *made);
    TRY_ALLOCATED(made);
    TRY(unroll(sector->model, &made->model, error));
    TRY(balance_create(made->model, &settings, &made->balance, error));
    made->y = memory_array((size_t)made->balance->n_unknowns, sizeof *made->y);
    TRY_ALLOCATED(made->y);
    *disk = made;
    made = NULL;
done:
    whole_disk_destroy(made);
    return status;
}

void whole_disk_destroy(struct whole_disk *disk)
{
    if (disk) {
        balance_destroy(disk->balance);
        masing_model_destroy(disk->model);
        free(disk->y);
        free(disk);
    }
}

enum masing_status whole_disk_settle(struct whole_disk *disk, const struct balance *sector,
                                     double omega)
{
    struct balance *whole = disk->balance;
    size_t n_axes = (size_t)sector->n_axes;
    for (int s = 0; s < sector->model->cyclic->n_sectors; s++) {
        memcpy(whole->origin + (size_t)s * n_axes, sector->origin,
               n_axes * sizeof *whole->origin);
    }
    balance_spread_wave(sector, sector->last_y, whole, disk->y);
    whole->has_last = false;
    return balance_settle(whole, disk->y, omega, false);
}

/* Part of a nodal diameter, in one direction, in displacements or velocities of the modes. */
static double part_of(const struct masing_model *model, int n_sectors, int diameter,
                      int n_modes, const double *real, const double *imaginary)
{
    const struct structure *structure = model->structure;
    size_t n = (size_t)structure->n_dofs, own = n / (size_t)n_sectors;
    double part = 0.0;
    for (size_t d = 0; d < own; d++) {
        double complex sum = 0.0;
        for (size_t s = 0; s < (size_t)n_sectors; s++) {
            double complex x = 0.0;
            for (size_t k = 0; k < (size_t)n_modes; k++) {
                x += structure->shapes[k * n + s * own + d] * (real[k] + I * imaginary[k]);
            }
            sum += x * cexp(I * TWO_PI * (double)((size_t)diameter * s % (size_t)n_sectors) /
                            n_sectors);
        }
        part += model->spec.structure.mass[d + d * n] *
                (creal(sum) * creal(sum) + cimag(sum) * cimag(sum));
    }
    return part;
}

int whole_disk_diameter(const struct whole_disk *disk, int n_sectors, int n_modes, double omega,
                        const double *real, const double *imaginary)
{
    double largest = 0.0;
    int found = -1;
    for (int n = 0; n < n_sectors && disk->model->spec.structure.mass; n++) {
        double part =
            part_of(disk->model, n_sectors, n, n_modes, real, imaginary) +
            part_of(disk->model, n_sectors, n, n_modes, real + n_modes, imaginary + n_modes) /
                (omega * omega);
        if (part > largest) {
            largest = part;
            found = n < n_sectors - n ? n : n_sectors - n;
        }
    }
    return found;
}
