/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strict numbers, and expressions of parameters. */
#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "model_file/expression.h"
#include "data/number.h"
#include "tap.h"

static void whole_numbers_are_taken(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"0", 0.0},         {"-0", -0.0},         {"7", 7.0},
        {"+7", 7.0},        {"0.3", 0.3},         {".5", 0.5},
        {"5.", 5.0},        {"-2.5e-3", -2.5e-3}, {"1E+06", 1e6},
        {"8.0e+7", 8e7},    {"1e308", 1e308},     {"5e-324", 5e-324},
        {"007", 7.0},       {"0e999", 0.0},       {"0.1e1", 1.0},
        {"1e-320", 1e-320}, {"41339", 41339.0},   {"123456789012345678", 123456789012345678.0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = NAN;
        if (!CHECK(number_parse(good[i].text, &value) == NULL && value == good[i].value)) {
            printf("# '%s'\n", good[i].text);
        }
    }
}

static void anything_else_is_refused_with_a_reason(void)
{
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", "decimal number"},
        {"-", "decimal number"},
        {".", "decimal number"},
        {"e5", "decimal number"},
        {"abc", "decimal number"},
        {" 1", "decimal number"},
        {"0,3", "comma"},
        {"1,000.5", "comma"},
        {"nan", "finite"},
        {"NaN", "finite"},
        {"-inf", "finite"},
        {".inf", "finite"},
        {"Infinity", "finite"},
        {"1e999", "too large"},
        {"-1e999", "too large"},
        {"1e-999", "too small"},
        {"2e4 N/m", "unit"},
        {"2e4N", "unit"},
        {"3 %", "unit"},
        {"0x10", "unit"},
        {"1 ", "unit"},
        {"1d5", "exponent"},
        {"1D+5", "exponent"},
        {"1 000", "thousands"},
        {"1_000", "thousands"},
        {"1.2.3", "one decimal"},
        {"2*3", "$parameter"},
        {"1e", "unit"},
        {"1e+", "unit"},
        {"--1", "decimal number"},
        {"\xE2\x88\x92"
         "1",
         "decimal number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value;
        const char *reason = number_parse(bad[i].text, &value);
        if (!CHECK(reason && strstr(reason, bad[i].reason))) {
            printf("# '%s': %s\n", bad[i].text, reason ? reason : "taken");
        }
    }
}

static void long_numbers_are_refused(void)
{
    char text[2000];
    double value;
    memset(text, '1', sizeof text);
    text[sizeof text - 1] = 0;
    CHECK(number_parse(text, &value) && strstr(number_parse(text, &value), "digits"));
    text[300] = 0;
    CHECK(number_parse(text, &value) == NULL);
}

/* Bits of any finite number survive being printed and read. */
static void printed_numbers_read_back_the_same(void)
{
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        double value, again = NAN;
        char text[NUMBER_TEXT];
        bits ^= bits << 13; /* Marsaglia (2003), xorshift */
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        CHECK(number_parse(number_print(value, text), &again) == NULL && again == value);
    }
    char text[NUMBER_TEXT];
    CHECK(!strcmp(number_print(0.1, text), "0.1"));
    CHECK(!strcmp(number_print(41339.0, text), "41339"));
    CHECK(!strcmp(number_print(1.0 / 3.0, text), "0.3333333333333333"));
}

/* The locale may be missing on the machine; then the test says so and repeats the plain one. */
static void a_locale_with_decimal_commas_changes_nothing(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "cs_CZ.UTF-8", "C"};
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++) {
        found = setlocale(LC_ALL, names[i]);
    }
    printf("# locale %s\n", found ? found : "none");
    double value = NAN;
    char text[NUMBER_TEXT];
    CHECK(number_parse("0.25", &value) == NULL && value == 0.25);
    CHECK(number_parse("0,25", &value) != NULL);
    CHECK(!strcmp(number_print(0.25, text), "0.25"));
    setlocale(LC_ALL, "C");
}

static struct parameter parameters[] = {
    {.name = "N", .value = 30.0}, {.name = "mu", .value = 0.5}, {.name = "k_1", .value = 4e4}};

static void expressions_follow_the_rules_of_arithmetic(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"$N", 30.0},         {"$N*1300", 39000.0},
        {"$N/4", 7.5},        {"2*$N", 60.0},
        {"-$N", -30.0},       {"+$N", 30.0},
        {"$N*$mu", 15.0},     {"$N * $mu + 1", 16.0},
        {"1+$N*2", 61.0},     {"(1+$N)*2", 62.0},
        {"$N-1-1", 28.0},     {"$N/3/2", 5.0},
        {"-(-$N)", 30.0},     {"$k_1/(2*$N+20)", 500.0},
        {"$N*-1", -30.0},     {"2e-1*$N", 6.0},
        {" $N ", 30.0},       {"$N-$N", 0.0},
        {"(((($N))))", 30.0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = NAN;
        struct expression_fault fault = {""};
        bool is_good = expression_evaluate(good[i].text, parameters, 3, &value, &fault);
        if (!CHECK(is_good && fabs(value - good[i].value) <= 1e-13 * fabs(good[i].value))) {
            printf("# '%s': %g %s\n", good[i].text, value, fault.message);
        }
    }
}

static void wrong_expressions_say_what_is_expected(void)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"$", "a parameter's name at its end"},
        {"$M", "unknown parameter 'M'"},
        {"$mv", "did you mean 'mu'?"},
        {"$N*", "expected a number"},
        {"*$N", "expected a number"},
        {"$N $N", "expected an operator"},
        {"$N)", "expected an operator"},
        {"($N", "expected ')'"},
        {"$N/0", "divides by zero"},
        {"$N/($N-30)", "divides by zero"},
        {"$N*1e308*1e10", "not finite"},
        {"$N*1e999", "too large"},
        {"$N^2", "expected an operator"},
        {"$N,5", "expected an operator"},
        {"--$N", "expected a number"},
        {"$ N", "a parameter's name"},
        {"$1", "a parameter's name"},
        {"2 $N", "expected an operator"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value;
        struct expression_fault fault = {""};
        bool is_good = expression_evaluate(bad[i].text, parameters, 3, &value, &fault);
        if (!CHECK(!is_good && strstr(fault.message, bad[i].message))) {
            printf("# '%s': '%s'\n", bad[i].text, fault.message);
        }
    }
}

static void deep_brackets_are_refused(void)
{
    char text[20001];
    double value;
    struct expression_fault fault;
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = 0;
    CHECK(!expression_evaluate(text, parameters, 3, &value, &fault));
    CHECK(strstr(fault.message, "too many brackets"));
}

static void used_parameters_are_marked(void)
{
    struct parameter own[] = {{.name = "a", .value = 1.0}, {.name = "b", .value = 2.0}};
    double value;
    struct expression_fault fault;
    CHECK(expression_evaluate("$b*2", own, 2, &value, &fault));
    CHECK(!own[0].is_used && own[1].is_used);
}

static const struct tap_test tests[] = {
    {"whole numbers are taken", whole_numbers_are_taken},
    {"anything else is refused with a reason", anything_else_is_refused_with_a_reason},
    {"long numbers are refused", long_numbers_are_refused},
    {"printed numbers read back the same", printed_numbers_read_back_the_same},
    {"a locale with decimal commas changes nothing",
     a_locale_with_decimal_commas_changes_nothing},
    {"expressions follow the rules of arithmetic", expressions_follow_the_rules_of_arithmetic},
    {"wrong expressions say what is expected", wrong_expressions_say_what_is_expected},
    {"deep brackets are refused", deep_brackets_are_refused},
    {"used parameters are marked", used_parameters_are_marked},
};

TAP_MAIN(tests)
