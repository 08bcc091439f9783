/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A modal Iwan model as a model file. */
#include <math.h>
#include <stdio.h>

#include "base/check.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/number.h"
#include "masing/modal_iwan.h"

/* Periods of full slip after the blow, and the most of the amplitude's logarithm that the
 * structure's damping takes meanwhile. Below LEAST_RATE a period the damping takes nothing, and
 * below LEAST_DECAY in all its formula is 0 / 0. */
static const double SLIPPING_PERIODS = 90.0, MOST_NEPERS = 4.0;
static const double LEAST_RATE = 1e-9, LEAST_DECAY = 1e-6;

enum { N_NUMBERS = 11, N_COMMENTS = 4, COMMENT = 64 };

/*
 * A blow after which the whole element slips for some segments of a ring-down. A period of
 * macroslip takes 4 F_S / K and 2 pi zeta_0 times the amplitude from it; half a sine at
 * resonance leaves the amplitude p pi / (2 omega^2).
 */
static double impulse(const struct masing_modal_iwan *modal, double omega)
{
    double slip = 4.0 * modal->slip_force / (omega * omega);
    double rate = TWO_PI * modal->damping_ratio;
    double n = fmin(SLIPPING_PERIODS, MOST_NEPERS / fmax(rate, LEAST_RATE));
    double growth = exp(rate * n);
    double lost = rate * n > LEAST_DECAY ? slip * (growth - 1.0) / rate : slip * n;
    return 4.0 * omega * omega / TWO_PI * (modal->phi_max * growth + lost);
}

/* What the data say of a number, as a comment; nothing where it was given. */
static const char *comment(double interval, bool is_assumed, char text[COMMENT])
{
    *text = '\0';
    if (isinf(interval)) {
        snprintf(text, COMMENT, "  # not determined by the data%s",
                 is_assumed ? ": an assumption" : ": other values fit as well");
    } else if (interval > 0.0) {
        snprintf(text, COMMENT, "  # +- %.2g", interval);
    }
    return text;
}

/* Owned by the caller; NULL: out of memory. */
static char *write_model(const struct masing_modal_iwan *modal, int mode, double amplitude_from,
                         double amplitude_to)
{
    char number[N_NUMBERS][NUMBER_TEXT], text[N_COMMENTS][COMMENT];
    double omega = TWO_PI * modal->stuck_hz;
    return memory_format(
        "# One mode of a structure with friction joints as an oscillator of unit mass with an "
        "Iwan\n"
        "# element (modal Iwan model). q is the modal coordinate, m sqrt(kg); the element "
        "slips as a\n"
        "# whole from %.6g on.\n"
        "masing: 1\n"
        "title: Modal Iwan model of mode %d\n\n"
        "structure:\n"
        "  masses: {q: 1}\n"
        "  springs:\n"
        "    - {from: ground, to: q, stiffness: %s}\n"
        "  dampers:\n"
        "    - {from: ground, to: q, damping: %s}%s\n\n"
        "joints:\n"
        "  - name: iwan\n"
        "    law: iwan4\n"
        "    from: ground\n"
        "    to: q\n"
        "    slip_force: %s%s\n"
        "    stiffness: %s\n"
        "    chi: %s%s\n"
        "    beta: %s%s\n\n"
        "loads:\n"
        "  - {name: force, dof: q, amplitude: 1}\n\n"
        "frequency: [%s, %s]\n"
        "outputs: [q]\n"
        "mode: {number: 1, amplitude: [%s, %s]}\n"
        "# After this blow the element slips as a whole at first; masing ringdown "
        "--amplitudes: others.\n"
        "ringdown: {impulse: {mode: 1, amplitude: %s}}\n",
        modal->phi_max, mode, number_print(modal->spring, number[0]),
        number_print(2.0 * modal->damping_ratio * omega, number[1]),
        comment(modal->damping_interval, false, text[0]),
        number_print(modal->slip_force, number[2]),
        comment(modal->slip_force_interval, false, text[1]),
        number_print(modal->stiffness, number[3]), number_print(modal->chi, number[4]),
        comment(modal->chi_interval, modal->chi_is_assumed, text[2]),
        number_print(modal->beta, number[5]),
        comment(modal->beta_interval, modal->beta_is_assumed, text[3]),
        number_print(0.9 * sqrt(modal->spring) / TWO_PI, number[6]),
        number_print(1.1 * modal->stuck_hz, number[7]), number_print(amplitude_from, number[8]),
        number_print(amplitude_to, number[9]), number_print(impulse(modal, omega), number[10]));
}

enum masing_status masing_modal_iwan_text(const struct masing_modal_iwan *modal, int mode,
                                          double amplitude_from, double amplitude_to,
                                          char **text, struct masing_error *error)
{
    struct masing_error own;
    error = entry_begin(error, &own);
    NEED(entry_need(text, "text", error));
    *text = NULL;
    NEED(entry_need(modal, "modal", error));
    NEED_ALLOCATED(*text = write_model(modal, mode, amplitude_from, amplitude_to));
    return MASING_OK;
}
