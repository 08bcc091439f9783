/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A modal Iwan model as a model file. */
#include <math.h>

#include "base/memory.h"
#include "io/number.h"
#include "masing/modal_iwan.h"

static const double two_pi = 6.28318530717958647692;

/* Numbers of the file, each in a text of its own. */
enum { SPRING, DASHPOT, FORCE, STIFFNESS, CHI, BETA, LOW_HZ, HIGH_HZ, FROM, TO, IMPULSE, N };

enum masing_status masing_modal_iwan_text(const struct masing_modal_iwan *modal, int mode,
                                          double amplitude_from, double amplitude_to,
                                          char **text, struct masing_error *error)
{
    char number[N][NUMBER_TEXT];
    double omega = two_pi * modal->stuck_hz;
    const double values[N] = {
        [SPRING] = modal->spring,
        [DASHPOT] = 2.0 * modal->damping_ratio * omega,
        [FORCE] = modal->slip_force,
        [STIFFNESS] = modal->stiffness,
        [CHI] = modal->chi,
        [BETA] = modal->beta,
        [LOW_HZ] = 0.9 * sqrt(modal->spring) / two_pi,
        [HIGH_HZ] = 1.1 * modal->stuck_hz,
        [FROM] = amplitude_from,
        [TO] = amplitude_to,
        /* half a sine at resonance leaves the amplitude p pi / (2 omega^2) */
        [IMPULSE] = modal->phi_max * omega * omega / two_pi,
    };
    for (int i = 0; i < N; i++) {
        number_print(values[i], number[i]);
    }
    *text =
        memory_format("# One mode of a structure with friction joints as an oscillator of "
                      "unit mass with an Iwan\n"
                      "# element (modal Iwan model). q is the modal coordinate, m sqrt(kg); "
                      "the element slips as a\n"
                      "# whole from %.6g on.\n"
                      "masing: 1\n"
                      "title: Modal Iwan model of mode %d\n\n"
                      "structure:\n"
                      "  masses: {q: 1}\n"
                      "  springs:\n"
                      "    - {from: ground, to: q, stiffness: %s}\n"
                      "  dampers:\n"
                      "    - {from: ground, to: q, damping: %s}\n\n"
                      "joints:\n"
                      "  - name: iwan\n"
                      "    law: iwan4\n"
                      "    from: ground\n"
                      "    to: q\n"
                      "    slip_force: %s\n"
                      "    stiffness: %s\n"
                      "    chi: %s\n"
                      "    beta: %s\n\n"
                      "loads:\n"
                      "  - {name: force, dof: q, amplitude: 1}\n\n"
                      "frequency: [%s, %s]\n"
                      "outputs: [q]\n"
                      "mode: {number: 1, amplitude: [%s, %s]}\n"
                      "ringdown: {impulse: {mode: 1, amplitude: %s}}\n",
                      modal->phi_max, mode, number[SPRING], number[DASHPOT], number[FORCE],
                      number[STIFFNESS], number[CHI], number[BETA], number[LOW_HZ],
                      number[HIGH_HZ], number[FROM], number[TO], number[IMPULSE]);
    return *text ? MASING_OK : masing_error_set(error, MASING_NO_MEMORY, "out of memory");
}
