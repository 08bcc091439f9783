/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/law_example.h"

#include <string.h>

const char *law_example_entry(struct pool *pool, const struct masing_law *law)
{
    const char *entry = pool_format(
        pool, "  - name: joint\n    law: %s\n    from: ground\n    to: m1\n", law->name);
    for (const char *line = law->example ? law->example : ""; *line;) {
        size_t length = strcspn(line, "\n");
        entry = pool_format(pool, "%s    %.*s\n", entry, (int)length, line);
        line += length + (line[length] == '\n');
    }
    return entry;
}

struct law_example law_example_open(struct pool *pool, const struct masing_law *law)
{
    struct law_example example = {0};
    struct masing_document *document = NULL;
    const char *text =
        pool_format(pool, "masing: 1\njoints:\n%s", law_example_entry(pool, law));
    if (masing_document_parse(text, strlen(text), law->name, &document, NULL) == MASING_OK &&
        masing_document_joints(document, NULL, 0, &example.spec, NULL) == MASING_OK) {
        example.parameters = example.spec.joints[0].parameters;
    }
    masing_document_destroy(document);
    return example;
}

void law_example_close(struct law_example *example)
{
    masing_spec_clear(&example->spec);
    example->parameters = NULL;
}
