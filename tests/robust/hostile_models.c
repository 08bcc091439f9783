/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that want to be slow, large or misunderstood: a clean refusal with a place, quickly.
 * Right ones in unusual clothes are taken.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "masing/model.h"
#include "scratch.h"
#include "tap.h"

enum { REPETITIONS = 100000 };

static const double most_seconds = 5.0; /* with sanitizers on a busy machine */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The message of a text that must be refused; NULL if it was taken or took too long. */
static const char *refuse(const char *text, size_t length)
{
    static struct masing_error error;
    struct masing_document *document = NULL;
    struct masing_spec spec;
    memset(&error, 0, sizeof error);
    double start = seconds();
    enum masing_status status =
        masing_document_parse(text, length, "m.yaml", &document, &error);
    if (status == MASING_OK) {
        status = masing_document_spec(document, NULL, 0, &spec, &error);
        if (status == MASING_OK) {
            masing_spec_clear(&spec);
        }
    }
    masing_document_destroy(document);
    double used = seconds() - start;
    if (used > most_seconds) {
        printf("# took %.2f s\n", used);
    }
    return status != MASING_OK && used <= most_seconds ? error.message : NULL;
}

static void check_refused(const char *text, size_t length, const char *expected)
{
    const char *message = refuse(text, length);
    if (!CHECK(message && !strncmp(message, expected, strlen(expected)))) {
        printf("# expected %s\n# got      %s\n", expected, message ? message : "nothing");
    }
}

/* head, a piece many times, tail */
static char *repeat(const char *head, const char *piece, int times, const char *tail)
{
    size_t n = strlen(piece);
    char *text = malloc(strlen(head) + n * (size_t)times + strlen(tail) + 1);
    if (!text) {
        exit(99);
    }
    char *end = text + strlen(strcpy(text, head));
    for (int i = 0; i < times; i++, end += n) {
        memcpy(end, piece, n);
    }
    strcpy(end, tail);
    return text;
}

static void check_repeated(const char *head, const char *piece, int times, const char *tail,
                           const char *expected)
{
    char *text = repeat(head, piece, times, tail);
    check_refused(text, strlen(text), expected);
    free(text);
}

static void deep_nesting(void)
{
    check_repeated("masing: ", "[", REPETITIONS, "", "m.yaml:1:72: nested more than 64 levels");
    check_repeated("masing: ", "{a: ", REPETITIONS, "", "m.yaml:1:261: nested more than 64");
    check_repeated("masing:\n  ", "- ", REPETITIONS, "x\n",
                   "m.yaml:2:129: nested more than 64");
    check_repeated("? ", "? ", REPETITIONS, "x\n", "m.yaml:1:3: a key must be a single word");
    check_repeated("", "[[[[\n", REPETITIONS / 4, "", "m.yaml:17:1: nested more than 64");
}

static void aliases_anchors_and_tags(void)
{
    static const char bomb[] = "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\n";
    check_refused(bomb, strlen(bomb), "m.yaml:1:4: anchors (&name) are not allowed");
    check_repeated("a: [", "*a, ", REPETITIONS, "]", "m.yaml:1:5: aliases (*name) are not");
    check_repeated("a: ", "!", REPETITIONS, " x", "m.yaml:1:");
    check_refused("!t {a: 1}", 9, "m.yaml:1:1: tags (!name) are not allowed");
    check_refused("%TAG ! tag:x,2000:\n---\na: 1\n", 27, "m.yaml:1:1: tags are not allowed");
}

static void many_values_and_long_lines(void)
{
    check_repeated("a: [", "1,", 1100000, "1]", "m.yaml:1:2000001: more than a million values");
    check_repeated("masing: '", "x", 3000000, "'", "m.yaml:1:9: masing: 'xxx");
    check_repeated("masing: ", "9", 300000, "", "m.yaml:1:9: masing: '999");
    check_repeated("", "k", 300000, ": 1", "m.yaml:1:300001: not YAML: mapping values are");
    check_repeated("masing: 1\n", "#\n", 300000, "x: 1", "m.yaml:300002:1: unknown key 'x'");
}

/* Keys are compared by sorting, names by searching: neither is quadratic. */
static void many_names(void)
{
    enum { MOST = 32 };
    const int n = 60000;
    char *text = malloc((size_t)n * MOST);
    char *end = text + sprintf(text, "masing: 1\nfrequency: [1, 2]\nparameters:\n");
    for (int i = 0; i < n; i++) {
        end += sprintf(end, "  p%d: 1\n", (i * 7919) % n);
    }
    check_refused(text, (size_t)(end - text), "m.yaml:4:3: parameters: more than 1000");
    end = text + sprintf(text, "masing: 1\nfrequency: [1, 2]\nstructure:\n  masses:\n");
    for (int i = 0; i < n; i++) {
        end += sprintf(end, "    m%d: %d\n", i, i < n - 1 ? 1 : -1);
    }
    check_refused(text, (size_t)(end - text),
                  "m.yaml:60004:13: m59999: a mass cannot be negative");
    end = text + sprintf(text, "masing: 1\nfrequency: [1, 2]\nstructure:\n  masses: {a: 1}\n"
                               "  springs:\n");
    for (int i = 0; i < n; i++) {
        end += sprintf(end, "    - {from: a, to: b}\n");
    }
    check_refused(text, (size_t)(end - text), "m.yaml:6:21: to: unknown DOF 'b'");
    end = text + sprintf(text, "masing: 1\nfrequency: [1, 2]\nparameters:\n");
    for (int i = 0; i < n; i++) {
        end += sprintf(end, "  %d:\n", i);
    }
    check_refused(text, (size_t)(end - text), "m.yaml:4:3: parameters: more than 1000");
    free(text);
}

static void bytes_that_are_no_text(void)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *expected;
    } cases[] = {
        {"", 0, "m.yaml:1:1: the file is empty"},
        {"\n\n  \t\r\n", 7, "m.yaml:1:1: the file is empty"},
        {"# comment only\n", 15, "m.yaml:2:1: the file is empty"},
        {"---\n", 4, "m.yaml:2:1: expected a mapping"},
        {"\xEF\xBB\xBF", 3, "m.yaml:1:1: the file is empty"},
        {"\xFF\xFE"
         "a\0",
         4, "m.yaml:1:1: the text is UTF-16; save it as UTF-8"},
        {"\xFE\xFF\0a", 4, "m.yaml:1:1: the text is UTF-16; save it as UTF-8"},
        {"masing: 1\nti\0tle: x\n", 21, "m.yaml:2:3: not a text file: a control character"},
        {"\x7F"
         "ELF\x02\x01\x01\0",
         8, "m.yaml:1:1: not a text file"},
        {"a: \x1B[31m", 8, "m.yaml:1:4: not a text file: a control character (byte 0x1B)"},
        {"a: b\n\xC3\x28", 7, "m.yaml:2:1: not a text file: not UTF-8 (byte 0xC3)"},
        {"a: \xC0\x80", 5, "m.yaml:1:4: not a text file: not UTF-8 (byte 0xC0)"},
        {"a: \xED\xA0\x80", 6, "m.yaml:1:4: not a text file: not UTF-8 (byte 0xED)"},
        {"a: \xF5\x80\x80\x80", 7, "m.yaml:1:4: not a text file: not UTF-8 (byte 0xF5)"},
        {"a: \xE2\x82", 5, "m.yaml:1:4: not a text file: not UTF-8 (byte 0xE2)"},
        {"a: \x80", 4, "m.yaml:1:4: not a text file: not UTF-8 (byte 0x80)"},
        {"a: \xEF\xBF\xBF", 6, "m.yaml:1:4: not YAML: control characters are not allowed"},
        {"a:\n\t- 1\n", 8, "m.yaml:2:1: not YAML: a tab cannot indent"},
        {"1", 1, "m.yaml:1:1: expected a mapping"},
        {"[a]", 3, "m.yaml:1:1: expected a mapping"},
        {"a: 1\n---\nb: 1\n", 14, "m.yaml:2:1: a second document begins here"},
        {"a: 1\n...\nb: 1\n", 14, "m.yaml:3:1: not YAML: did not find expected <document"},
        {"? {a: b}\n: c\n", 13, "m.yaml:1:3: a key must be a single word"},
        {": c\n", 4, "m.yaml:1:1: not YAML: did not find expected key"},
        {"'': c\n", 6, "m.yaml:1:1: a key is missing here"},
        {"\"a\\0b\": c\n", 10, "m.yaml:1:1: a key is missing here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *copy = malloc(cases[i].length + 1); /* so that reading beyond it is found */
        memcpy(copy, cases[i].bytes, cases[i].length);
        copy[cases[i].length] = 0;
        check_refused(copy, cases[i].length, cases[i].expected);
        free(copy);
    }
}

static void files_that_are_no_models(void)
{
    struct masing_document *document;
    struct masing_error error = {0};
    CHECK(masing_document_read("no/such.yaml", &document, &error) == MASING_IO && !document);
    CHECK(!strncmp(error.message, "no/such.yaml: cannot be read: No such file", 42));
    error.status = MASING_OK;
    CHECK(masing_document_read(".", &document, &error) == MASING_IO && !document);
    CHECK(!strncmp(error.message, ".: cannot be read: ", 19));
    error.status = MASING_OK;
    CHECK(masing_document_read("/dev/zero", &document, &error) == MASING_INVALID && !document);
    CHECK(strstr(error.message, "larger than the limit of 64 MiB"));
}

static void unusual_clothes_are_no_mistake(void)
{
    static const char *const texts[] = {
        "\xEF\xBB\xBF"
        "masing: 1\r\nfrequency: [1, 2]\r\nstructure: {masses: {a: 1}, springs: "
        "[{from: a, to: ground, stiffness: 1}]}\r\noutputs: [a]\r\n",
        "%YAML 1.1\n---\n{masing: 1, frequency: [1, 2], structure: {masses: {\"a\": \"1\"}, "
        "springs: [{from: a, to: ground, stiffness: '1'}]}, outputs: [a]}\n...\n",
        "# c\n\n'masing' : 1\nfrequency:\n- 1\n- 2\nstructure:\n    masses:\n        a: 1\n"
        "    springs:\n    - from: a\n      to: ground\n      stiffness:\n        1\noutputs: "
        "[a]\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *message = refuse(texts[i], strlen(texts[i]));
        if (!CHECK(!message)) {
            printf("# %s\n", message);
        }
    }
}

static const struct tap_test tests[] = {
    {"deep nesting", deep_nesting},
    {"aliases, anchors and tags", aliases_anchors_and_tags},
    {"many values and long lines", many_values_and_long_lines},
    {"many names", many_names},
    {"bytes that are no text", bytes_that_are_no_text},
    {"files that are no models", files_that_are_no_models},
    {"unusual clothes are no mistake", unusual_clothes_are_no_mistake},
};

TAP_MAIN(tests)
