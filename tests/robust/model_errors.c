/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model with one line replaced, and the sentence that must come out: exact place, beginning
 * of the message. The cases stand in model_errors.txt.
 */
#include <stdlib.h>
#include <string.h>

#include "masing/model.h"
#include "scratch.h"
#include "tap.h"

enum { TEXT = 4096, LEAST_CASES = 180 };

struct wrong {
    int line; /* that is replaced */
    char text[TEXT];
    enum masing_status status;
    char message[256]; /* "LINE:COLUMN: ..." */
};

static char *read_beside(const char *name)
{
    char file[SCRATCH_PATH];
    const char *root = getenv("MASING_SOURCE_ROOT");
    snprintf(file, sizeof file, "%s/tests/robust/%s", root ? root : ".", name);
    return scratch_read(file, NULL);
}

/* The model with one of its lines replaced; the first line of the file does not count. */
static void compose(const char *model, const struct wrong *wrong, char *text, size_t size)
{
    const char *rest = strchr(model, '\n') + 1;
    text[0] = 0;
    for (int line = 1; *rest; line++) {
        size_t length = strcspn(rest, "\n"), used = strlen(text);
        if (line == wrong->line) {
            snprintf(text + used, size - used, "%s\n", wrong->text);
        } else {
            snprintf(text + used, size - used, "%.*s\n", (int)length, rest);
        }
        rest += length + 1;
    }
}

static void check(const char *model, const struct wrong *wrong)
{
    char text[2 * TEXT], expected[300];
    struct masing_document *document = NULL;
    struct masing_model *sealed = NULL;
    struct masing_error error = {0};
    compose(model, wrong, text, sizeof text);
    snprintf(expected, sizeof expected, "model.yaml:%s", wrong->message);
    enum masing_status status =
        masing_document_parse(text, strlen(text), "model.yaml", &document, &error);
    if (status == MASING_OK) {
        status = masing_document_model(document, NULL, 0, &sealed, &error);
    }
    bool is_status = CHECK(status == wrong->status && error.status == status);
    if (!CHECK(!strncmp(error.message, expected, strlen(expected))) || !is_status) {
        printf("# line %d: %s\n#   expected %s\n#   got      %s\n", wrong->line, wrong->text,
               expected, error.message);
    }
    CHECK(!sealed);
    masing_model_destroy(sealed);
    masing_document_destroy(document);
}

static void copy_line(char *target, size_t size, const char *line)
{
    snprintf(target, size, "%.*s", (int)strcspn(line, "\n"), line);
}

/* Take a line of the table into @p wrong; true when the case is complete. */
static bool take(struct wrong *wrong, const char *line)
{
    size_t used = strlen(wrong->text);
    if (line[0] == '=') {
        wrong->status = line[1] == '?' ? MASING_UNSUPPORTED : MASING_INVALID;
        copy_line(wrong->message, sizeof wrong->message, line + 3);
        return true;
    }
    if (line[0] == '|') {
        wrong->text[used] = '\n';
        copy_line(wrong->text + used + 1, TEXT - used - 1, line + 2);
    } else if (line[0] >= '0' && line[0] <= '9') {
        const char *text = strchr(line, ':') + 1;
        wrong->line = atoi(line);
        copy_line(wrong->text, TEXT, text + (text[0] == ' '));
    }
    return false;
}

static void every_case(void)
{
    char *model = read_beside("model_errors.yaml"), *table = read_beside("model_errors.txt");
    struct wrong wrong = {0};
    int count = 0;
    if (CHECK(model && table)) {
        for (const char *line = table; *line; line += strcspn(line, "\n") + 1) {
            if (take(&wrong, line)) {
                check(model, &wrong);
                count++;
            }
        }
    }
    printf("# %d wrong models\n", count);
    CHECK(count >= LEAST_CASES);
    free(model);
    free(table);
}

static void the_model_itself_is_right(void)
{
    char *model = read_beside("model_errors.yaml");
    struct masing_document *document = NULL;
    struct masing_model *sealed = NULL;
    struct masing_error error = {0};
    if (CHECK(model)) {
        CHECK(masing_document_parse(model, strlen(model), "model.yaml", &document, &error) ==
              MASING_OK);
        CHECK(masing_document_model(document, NULL, 0, &sealed, &error) == MASING_OK);
    }
    masing_model_destroy(sealed);
    masing_document_destroy(document);
    free(model);
}

static const struct tap_test tests[] = {
    {"the model without a mistake is taken", the_model_itself_is_right},
    {"every mistake is refused with its place and reason", every_case},
};

TAP_MAIN(tests)
