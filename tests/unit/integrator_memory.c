/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps of a time integration allocate nothing, and every allocation of the analysis may fail
 * without a leak. The C library's functions are replaced for this, as sanitizers do
 * themselves: with one, this test has little to check.
 */
#include <stdlib.h>

#include "integrated.h"
#include "transient/exact/exact_solver.h"
#include "transient/newmark/newmark.h"
#include "transient/record.h"
#include "transient/reduction.h"
#include "transient/periodic/periodic.h"
#include "transient/start.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

static long n_allocations, n_alive;
static long n_own;    /* by calloc */
static long fails_at; /* the own allocation of this number fails; 0: none */

#ifndef HAS_SANITIZER
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void __libc_free(void *pointer);

static void *count(void *pointer)
{
    n_allocations++;
    n_alive += pointer != NULL;
    return pointer;
}

void *malloc(size_t size)
{
    return count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    return ++n_own == fails_at ? NULL : count(__libc_calloc(number, size));
}

void *realloc(void *pointer, size_t size)
{
    n_alive -= pointer != NULL;
    return count(__libc_realloc(pointer, size));
}

void free(void *pointer)
{
    n_alive -= pointer != NULL;
    __libc_free(pointer);
}
#endif

/* Four masses, one of them free of springs; coupled damping, friction, a rigid body, and
 * velocity where the method takes it. */
static struct masing_model *model_of(bool is_coupled, int method)
{
    struct masing_spec spec;
    const double masses[] = {1.0, 2.0, 1.5, 1.0};
    integrated_begin(&spec, 4, masses);
    specimen_spring(&spec, 0, 1, 900.0);
    specimen_spring(&spec, 1, 2, 700.0);
    specimen_spring(&spec, 2, 3, 800.0);
    if (is_coupled) {
        specimen_damper(&spec, 0, 1, 2.0);
        specimen_damper(&spec, 2, 3, 1.0);
    } else {
        specimen_ratio(&spec, 0.05);
    }
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "slider%d", i);
        struct masing_joint_spec *joint = specimen_joint(&spec, name, "jenkins", i, i + 1);
        specimen_field(joint, "stiffness", 500.0);
        specimen_field(joint, "slip_force", 0.3);
    }
    bool is_exact = method == MASING_INTEGRATION_EXACT;
    struct masing_joint_spec *joint =
        specimen_joint(&spec, "damper", is_exact ? "unilateral_spring" : "tanh_friction", 0, 2);
    specimen_field(joint, is_exact ? "stiffness" : "slip_force", 0.2);
    specimen_field(joint, is_exact ? "gap" : "regularization", 0.1);
    spec.integration.method = method;
    specimen_load(&spec, 3, 5.0);
    specimen_load(&spec, 0, 2.0)->harmonic = 3;
    spec.integration.steps_per_cycle = 100;
    spec.integration.cycles = 20;
    return integrated_seal(&spec);
}

static void steps_allocate_nothing(void)
{
    for (int i = 0; i < 4; i++) {
        int method = i < 2 ? MASING_INTEGRATION_NEWMARK : MASING_INTEGRATION_EXACT;
        struct masing_model *model = model_of(i % 2, method);
        struct integrator *integrator = NULL;
        struct record *record = NULL;
        CHECK(model && integrator_create(model, 12.0, 100, &integrator, NULL) == MASING_OK);
        CHECK(integrator && record_create(integrator, &record, NULL) == MASING_OK);
        if (record) {
            CHECK(start_at_rest(integrator, NULL) == MASING_OK);
            CHECK(integrator_step(integrator) == MASING_OK);
            CHECK(record_begin(record, integrator) == MASING_OK);
            long before = n_allocations;
            for (int step = 0; step < 1000; step++) {
                CHECK(integrator_step(integrator) == MASING_OK);
                record_step(record, integrator);
            }
            CHECK(n_allocations == before);
            CHECK(i < 2 ? newmark_stepper_iterations(&integrator->stepper) > 1000
                        : exact_solver_events(&integrator->stepper) > 100);
        }
        integrator_destroy(integrator);
        masing_model_destroy(model);
    }
}

static void every_allocation_may_fail(int method)
{
    struct masing_model *model = model_of(true, method);
    struct masing_integrate_summary summary = {0};
    enum masing_status status = MASING_NO_MEMORY;
    CHECK(masing_integrate(model, 2.0, NULL, NULL, &summary, NULL) == MASING_STOPPED);
    masing_integrate_summary_clear(&summary);
    long before = n_alive, n_failed = 0;
    for (long number = 1; number < 1000 && status != MASING_STOPPED; number++) {
        struct masing_error error = {0};
        n_own = 0;
        fails_at = number;
        status = masing_integrate(model, 2.0, NULL, NULL, &summary, &error);
        fails_at = 0;
        n_failed += status == MASING_NO_MEMORY;
        CHECK(status == MASING_STOPPED || status == MASING_NO_MEMORY);
        CHECK(error.status == status);
        masing_integrate_summary_clear(&summary);
        CHECK(n_alive == before);
    }
    CHECK(status == MASING_STOPPED);
#ifndef HAS_SANITIZER
    CHECK(n_failed == n_own && n_own > 20); /* all that the last run made */
#endif
    masing_model_destroy(model);
}

static void every_allocation_of_the_rule_may_fail(void)
{
    every_allocation_may_fail(MASING_INTEGRATION_NEWMARK);
}

static void every_allocation_of_the_exact_method_may_fail(void)
{
    every_allocation_may_fail(MASING_INTEGRATION_EXACT);
}

static void every_allocation_of_fewer_modes_may_fail(void)
{
    struct masing_spec spec;
    struct reduction reduction;
    enum masing_status status = MASING_NO_MEMORY;
    specimen_chain(&spec, 80, 1.0, 100.0, true);
    specimen_damper(&spec, 3, 9, 1.0);
    specimen_load(&spec, 40, 1.0);
    spec.integration.steps_per_cycle = 64;
    struct masing_model *model = integrated_seal(&spec);
    CHECK(reduction_create(model, 0.1, &reduction, NULL) == MASING_OK && reduction.is_reduced);
    reduction_clear(&reduction);
    long before = n_alive, n_failed = 0;
    for (long number = 1; number < 1000 && status != MASING_OK; number++) {
        n_own = 0;
        fails_at = number;
        status = reduction_create(model, 0.1, &reduction, NULL);
        fails_at = 0;
        n_failed += status == MASING_NO_MEMORY;
        CHECK(status == MASING_OK || status == MASING_NO_MEMORY);
        reduction_clear(&reduction);
        CHECK(n_alive == before);
    }
    CHECK(status == MASING_OK);
#ifndef HAS_SANITIZER
    CHECK(n_failed == n_own && n_own > 10);
#endif
    masing_model_destroy(model);
}

static const struct tap_test tests[] = {
    {"every allocation of fewer modes may fail", every_allocation_of_fewer_modes_may_fail},
    {"steps allocate nothing", steps_allocate_nothing},
    {"every allocation may fail", every_allocation_of_the_rule_may_fail},
    {"every allocation of the exact method may fail",
     every_allocation_of_the_exact_method_may_fail},
};

TAP_MAIN(tests)
