/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "base/check.h"
#include "model/message.h"
#include "model/seal.h"

static enum masing_status check_output(const struct masing_spec *spec, int index,
                                       struct masing_error *error)
{
    const struct masing_output_spec *output = &spec->outputs[index];
    struct model_part part = model_part(output->place, "outputs.%d", index);
    char what[128];
    snprintf(what, sizeof what, "output '%.100s'", output->name);
    return seal_combination(spec, &part, what, &output->combination, error);
}

enum masing_status seal_outputs(const struct masing_spec *spec, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    for (int i = 0; i < spec->n_outputs; i++) {
        TRY(check_output(spec, i, error));
    }
    if (spec->n_outputs > 0 &&
        (spec->peak_output < 0 || spec->peak_output >= spec->n_outputs)) {
        struct model_part part = model_part((struct masing_place){0}, "peak.output");
        status = model_refuse_part(spec, &part, error, "peak: output %d, expected 1 to %d",
                                   spec->peak_output + 1, spec->n_outputs);
    }
done:
    return status;
}
