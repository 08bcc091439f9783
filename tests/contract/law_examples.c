/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The example of every law is accepted as it would stand in a model, and what is derived from
 * it is finite. */
#include <stdlib.h>
#include <string.h>

#include "masing/law.h"
#include "masing/model.h"
#include "tap.h"

enum { MODEL_TEXT = 4000 };

/* A mass on a spring and the example's lines, indented, as its joint. */
static void write_model(const struct masing_law *law, char text[MODEL_TEXT])
{
    int used = snprintf(text, MODEL_TEXT,
                        "masing: 1\n"
                        "structure:\n"
                        "  masses: {m: 1}\n"
                        "  springs: [{from: ground, to: m, stiffness: 40000}]\n"
                        "loads: [{dof: m, amplitude: 1}]\n"
                        "frequency: [20, 40]\n"
                        "outputs: [m]\n"
                        "joints:\n"
                        "  - name: joint\n"
                        "    law: %s\n"
                        "    from: ground\n"
                        "    to: m\n",
                        law->name);
    for (const char *line = law->example; *line;) {
        size_t length = strcspn(line, "\n");
        used +=
            snprintf(text + used, (size_t)(MODEL_TEXT - used), "    %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static struct masing_model *make(const char *text, const char *name)
{
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_error error = {0};
    enum masing_status status =
        masing_document_parse(text, strlen(text), name, &document, &error);
    status = status ? status : masing_document_model(document, NULL, 0, &model, &error);
    if (!CHECK(status == MASING_OK)) {
        printf("# %s: %s\n%s", name, error.message, text);
    }
    masing_document_destroy(document);
    return model;
}

static void check_constants(const struct masing_law *law, const void *parameters)
{
    for (int i = 0; i < law->n_constants; i++) {
        const void *place = (const char *)parameters + law->constants[i].offset;
        if (!CHECK(isfinite(*(const double *)place))) {
            printf("# %s: %s\n", law->name, law->constants[i].name);
        }
    }
}

static void every_example_is_accepted(void)
{
    for (const struct masing_law *const *each = masing_laws(); *each; each++) {
        const struct masing_law *law = *each;
        char text[MODEL_TEXT];
        if (!CHECK(law->example != NULL)) {
            printf("# %s has no example\n", law->name);
            continue;
        }
        if (law->n_axes != 1) {
            continue; /* its axes are written otherwise */
        }
        write_model(law, text);
        struct masing_model *model = make(text, law->name);
        if (model) {
            check_constants(law, masing_model_spec(model)->joints[0].parameters);
        }
        masing_model_destroy(model);
    }
}

static const struct tap_test tests[] = {
    {"every example is accepted", every_example_is_accepted},
};

TAP_MAIN(tests)
