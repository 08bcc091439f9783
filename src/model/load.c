/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "base/pi.h"
#include "model/model.h"

/* Row of the table at which the segment that holds (or lies next to) a frequency begins */
static int find_segment(const struct load *load, double frequency_hz)
{
    int low = 0, high = load->n_table - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (load->table[3 * middle] <= frequency_hz) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * Amplitude and phase between two rows are linear in frequency, the phase going the shorter way
 * round. slopes are by Omega.
 */
static void interpolate(const struct load *load, double omega, double values[2],
                        double slopes[2])
{
    double frequency_hz = omega / (2 * PI);
    const double *from = load->table + (size_t)3 * (size_t)find_segment(load, frequency_hz);
    const double *to = from + 3;
    double width = to[0] - from[0], part = (frequency_hz - from[0]) / width;
    double turn = remainder(to[2] - from[2], 360);
    values[0] = from[1] + part * (to[1] - from[1]);
    values[1] = (from[2] + part * turn) * PI / 180;
    slopes[0] = (to[1] - from[1]) / (width * 2 * PI);
    slopes[1] = turn * PI / 180 / (width * 2 * PI);
}

void load_amplitude(const struct load *load, double omega, double amplitude[2],
                    double derivative[2])
{
    double size = load->amplitude, phase = load->phase, d_size = 0, d_phase = 0;
    if (load->kind == MASING_LOAD_IMBALANCE) {
        d_size = 2 * omega * size;
        size *= omega * omega;
    } else if (load->kind == MASING_LOAD_TABLE) {
        double values[2], slopes[2];
        interpolate(load, omega, values, slopes);
        d_size = size * slopes[0];
        size *= values[0];
        phase += values[1];
        d_phase = slopes[1];
    }
    double c = cos(phase), s = sin(phase);
    amplitude[0] = size * c;
    amplitude[1] = size * s;
    derivative[0] = d_size * c - size * s * d_phase;
    derivative[1] = d_size * s + size * c * d_phase;
}
