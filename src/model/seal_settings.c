/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/check.h"
#include "model/message.h"
#include "model/seal.h"

enum { MAX_HARMONIC = 2000, MAX_SAMPLES = 1 << 20 };
/* A power of two not below either serves forces that turn a few times a period to about 1e-4;
 * 4 H is what products of two harmonics need not to be mistaken for others. */
enum { DEFAULT_SAMPLES = 256, DEFAULT_PER_HARMONIC = 16, LEAST_PER_HARMONIC = 4 };
enum { MOST_BY_DEFAULT = 1024, SAMPLES_OF_CONTACTS = 4096, ELEMENTS_OF_PATCH = 16 };

static const struct masing_place nowhere = {0};

static enum masing_status refuse(const struct masing_spec *spec, struct masing_place place,
                                 const char *section, struct masing_error *error,
                                 const char *format, ...) MASING_PRINTF(5, 6);

static enum masing_status refuse(const struct masing_spec *spec, struct masing_place place,
                                 const char *section, struct masing_error *error,
                                 const char *format, ...)
{
    char text[MASING_MESSAGE_LENGTH / 2];
    struct model_part part = model_part(place, "%s", section);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return model_refuse_part(spec, &part, error, "%s", text);
}

static enum masing_status check_frequency(const struct masing_spec *spec,
                                          struct masing_error *error)
{
    double from = spec->omega_from, to = spec->omega_to;
    if (!(from > 0 && to > 0 && isfinite(from) && isfinite(to))) {
        return refuse(spec, spec->frequency_place, "frequency", error,
                      "frequency: the range is %g to %g rad/s, expected two numbers > 0", from,
                      to);
    }
    if (from == to) {
        return refuse(spec, spec->frequency_place, "frequency", error,
                      "frequency: both ends are %g rad/s, expected different ones", from);
    }
    return MASING_OK;
}

static enum masing_status check_harmonics(const struct masing_spec *spec,
                                          struct masing_error *error)
{
    struct masing_place place = spec->harmonics_place;
    if (spec->n_harmonics < 1 || spec->harmonics[spec->n_harmonics - 1] < 1) {
        return refuse(spec, place, "harmonics", error,
                      "harmonics: expected at least one from 1");
    }
    for (int i = 0; i < spec->n_harmonics; i++) {
        int h = spec->harmonics[i];
        if (h < 0 || h > MAX_HARMONIC) {
            return refuse(spec, place, "harmonics", error,
                          "harmonics: %d in the list, expected numbers in [0, %d]", h,
                          MAX_HARMONIC);
        }
        if (i > 0 && h == spec->harmonics[i - 1]) {
            return refuse(spec, place, "harmonics", error, "harmonics: %d stands here twice",
                          h);
        }
        if (i > 0 && h < spec->harmonics[i - 1]) {
            return refuse(spec, place, "harmonics", error,
                          "harmonics: %d follows %d, expected an ascending list", h,
                          spec->harmonics[i - 1]);
        }
    }
    return MASING_OK;
}

/* 0: chosen when the model is sealed */
static enum masing_status check_samples(const struct masing_spec *spec,
                                        struct masing_error *error)
{
    int n = spec->n_samples, highest = spec->harmonics[spec->n_harmonics - 1];
    if (n == 0) {
        return MASING_OK;
    }
    if (n < 2 || n > MAX_SAMPLES) {
        return refuse(spec, spec->samples_place, "samples", error,
                      "samples: expected 2 to %d, found %d", MAX_SAMPLES, n);
    }
    if ((n & (n - 1)) != 0) {
        return refuse(spec, spec->samples_place, "samples", error,
                      "samples: expected a power of two, found %d", n);
    }
    if (n < LEAST_PER_HARMONIC * highest) {
        return refuse(spec, spec->samples_place, "samples", error,
                      "samples: %d are too few samples for harmonic %d; expected at least %d",
                      n, highest, LEAST_PER_HARMONIC * highest);
    }
    return MASING_OK;
}

enum masing_status seal_check_harmonics(const struct masing_spec *spec,
                                        struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(check_harmonics(spec, error));
    TRY(check_samples(spec, error));
done:
    return status;
}

/*
 * Contacts open and close suddenly, which a few of them show in the curve as ripples of the
 * samples; many of them smooth each other.
 */
static int default_samples(const struct masing_spec *spec)
{
    int n_contacts = 0, n_samples = DEFAULT_SAMPLES;
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_law *law = spec->joints[j].law;
        bool is_patch = law && law->n_axes > 3; /* of many elements */
        n_contacts += law && masing_law_can_open(law) ? (is_patch ? ELEMENTS_OF_PATCH : 1) : 0;
    }
    while (n_contacts > 0 && n_samples < MOST_BY_DEFAULT &&
           2 * n_samples * n_contacts <= SAMPLES_OF_CONTACTS) {
        n_samples *= 2;
    }
    return n_samples;
}

static enum masing_status settle_samples(struct masing_spec *spec, struct masing_error *error)
{
    int highest = spec->harmonics[spec->n_harmonics - 1];
    if (spec->n_samples == 0) {
        spec->n_samples = default_samples(spec);
        while (spec->n_samples < DEFAULT_PER_HARMONIC * highest) {
            spec->n_samples *= 2;
        }
    }
    return check_samples(spec, error);
}

static enum masing_status check_steps(const struct masing_spec *spec,
                                      struct masing_error *error)
{
    const struct masing_solver_settings *solver = &spec->solver;
    if (solver->step_min > solver->step_max || solver->step_initial > solver->step_max ||
        solver->step_initial < solver->step_min) {
        return refuse(spec, nowhere, "solver.step", error,
                      "solver: steps are min %g, initial %g, max %g, expected them in "
                      "ascending order",
                      solver->step_min, solver->step_initial, solver->step_max);
    }
    return MASING_OK;
}

enum masing_status seal_settings(struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct model_part solver = model_part(nowhere, "solver");
    struct model_part integration = model_part(nowhere, "integration");
    TRY(check_frequency(spec, error));
    TRY(check_harmonics(spec, error));
    TRY(settle_samples(spec, error));
    TRY(seal_fields(spec, &solver, "solver", masing_solver_fields, masing_n_solver_fields,
                    &spec->solver, error));
    TRY(check_steps(spec, error));
    TRY(seal_fields(spec, &integration, "integration", masing_integration_fields,
                    masing_n_integration_fields, &spec->integration, error));
    if (!isfinite(spec->load_factor)) {
        status = refuse(spec, nowhere, "load_factor", error,
                        "load_factor: %g, expected a finite number", spec->load_factor);
    }
done:
    return status;
}
