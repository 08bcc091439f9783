/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Jacobian as an operator: whatever allocation fails while it is made, the balance remains
 * and nothing leaks; once made, nothing is allocated.
 */
#include "grid_model.h"

#include "harmonic/balance/balance_operator.h"
#include "tap.h"
#include "wrapped_memory.h"

static const char rest[] =
    "joints:\n"
    "  - {name: j, law: jenkins, from: m8, to: m35, stiffness: 3e4, slip_force: 0.5}\n"
    "  - {name: k, law: dahl, from: ground, to: m53, stiffness: 2e4, slip_force: 0.7}\n"
    "loads:\n  - {dof: m26, amplitude: 5}\n"
    "frequency: [2, 9]\n"
    "harmonics: [0, 1, 3]\n"
    "outputs: [{name: a, dof: m26}]\n";

static struct masing_model *open_model(bool is_sparse)
{
    char *text = grid_text(true, -1, "structural: 0.03", rest);
    struct masing_document *document = NULL;
    struct masing_model *model = NULL;
    struct masing_spec spec;
    struct masing_error error = {0};
    if (!CHECK(masing_document_parse(text, strlen(text), "m", &document, &error) == MASING_OK &&
               masing_document_spec(document, NULL, 0, &spec, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    if (is_sparse) {
        make_structure_sparse(&spec.structure);
    }
    if (!CHECK(masing_model_create(&spec, &model, &error) == MASING_OK)) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    masing_document_destroy(document);
    free(text);
    return model;
}

static void create(const struct masing_model *model, struct balance **balance)
{
    const struct balance_settings settings = {.n_threads = 1, .is_matrix_free = true};
    CHECK(balance_create(model, &settings, balance, NULL) == MASING_OK);
}

static void each_allocation_fails(void)
{
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        struct masing_model *model = open_model(is_sparse);
        struct balance *balance = NULL;
        enum masing_status status = MASING_NO_MEMORY;
        long n_failed = 0;
        create(model, &balance);
        for (; status == MASING_NO_MEMORY && n_failed < 1000; n_failed++) {
            struct masing_error error = {0};
            fails_at = n_allocations + n_failed + 1;
            status = balance_operator_create(balance, &error);
            fails_at = 0;
            CHECK((status == MASING_OK) == (balance->linear != NULL));
        }
        CHECK(status == MASING_OK && n_failed > 3);
        balance_destroy(balance);
        masing_model_destroy(model);
    }
}

static void nothing_is_allocated_later(void)
{
    for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
        struct masing_model *model = open_model(is_sparse);
        struct balance *balance = NULL;
        create(model, &balance);
        CHECK(balance_operator_create(balance, NULL) == MASING_OK);
        size_t n = (size_t)balance->n_unknowns;
        double *y = specimen_array(4 * n, sizeof *y), *x = y + n;
        long before = n_allocations;
        for (int i = 0; i < 3; i++) {
            y[0] = x[0] = 1e-5 * (i + 1);
            CHECK(balance_linearize(balance, BALANCE_LAWS, y, 20.0 + i, x + n, x + 2 * n) ==
                  MASING_OK);
            CHECK(balance_apply(balance, x, x + n) == MASING_OK);
            CHECK(balance_precondition(balance, x) == MASING_OK);
            CHECK(balance_linear_response(balance, 20.0, x + n, x + 2 * n) == MASING_OK);
        }
        CHECK(n_allocations == before && before > 20);
        free(y);
        balance_destroy(balance);
        masing_model_destroy(model);
    }
}

static const struct tap_test tests[] = {
    {"each allocation fails once", each_allocation_fails},
    {"nothing is allocated later", nothing_is_allocated_later},
};

TAP_MAIN(tests)
