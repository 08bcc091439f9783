/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/law_example.h"

#include <string.h>

/* Where the joint of an example acts. */
static const char *place_of(const struct masing_law *law)
{
    if (!law->axis_names) {
        return "    from: ground\n    to: m1\n";
    }
    return strcmp(law->axis_names[0], "normal") == 0
               ? "    normal: {from: ground, to: node.x}\n"
                 "    tangential: [{from: ground, to: node.y}, {from: ground, to: node.z}]\n"
               : "    from: ground\n    to: node\n";
}

const char *law_example_entry(struct pool *pool, const struct masing_law *law)
{
    const char *entry =
        pool_format(pool, "  - name: joint\n    law: %s\n%s", law->name, place_of(law));
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
