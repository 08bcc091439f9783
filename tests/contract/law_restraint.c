/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every listed law says about the mean of a motion, against shifted motions. */
#include "law_cases.h"

enum { N_CASES = 100, N = 32 };

/* Steady forces along the case's path, moved by `shift`; false where there are none. */
static bool steady_forces(const struct law_case *test, double shift, struct law_run *run)
{
    double x[N], v[N];
    test_path_sample(&test->path, N, 0.0, test->omega, x, v);
    for (int i = 0; i < N; i++) {
        x[i] += shift;
    }
    struct masing_path path = {.n_samples = N,
                               .n_axes = 1,
                               .is_periodic = true,
                               .time_step = TEST_TWO_PI / (N * test->omega),
                               .x = x,
                               .v = v,
                               .origin = &test->origin};
    return case_march(test, &path, NULL, false, run) == MASING_OK &&
           isfinite(case_largest(run->f, N));
}

/* Largest change of a force between two runs, in parts of the forces; without memory only the
 * mean counts, which a damper that feels the place does not change. */
static double difference(const struct masing_law *law, const struct law_run *a,
                         const struct law_run *b)
{
    double largest = 0.0, sum = 0.0;
    double scale = fmax(case_largest(a->f, N), case_largest(b->f, N));
    for (int i = 0; i < N; i++) {
        largest = fmax(largest, fabs(a->f[i] - b->f[i]));
        sum += a->f[i] - b->f[i];
    }
    largest = law->family == &masing_family_memoryless ? fabs(sum) / N : largest;
    return scale > 0.0 ? largest / scale : 0.0;
}

static void check_hold(struct law_case *test)
{
    static struct law_run here, there;
    enum masing_restraint restraint = masing_law_restraint(test->law, test->parameters);
    double shift = 20.0 * test->amplitude;
    bool are_equal = true;
    if (!CHECK(steady_forces(test, 0.0, &here)) || restraint == MASING_RESTRAINT_START) {
        return;
    }
    for (int side = -1; side <= 1; side += 2) {
        /* what grows beyond all bounds elsewhere depends on the place, too */
        are_equal = steady_forces(test, side * shift, &there) &&
                    difference(test->law, &here, &there) < 1e-7 && are_equal;
    }
    CHECK(are_equal == (restraint == MASING_RESTRAINT_NONE));
}

static void laws_know_what_holds_the_mean(void)
{
    for_each_case(N_CASES, check_hold);
}

static void memory_of_the_start_belongs_to_masing_laws(void)
{
    for (int l = 0; masing_laws()[l]; l++) {
        struct law_case test;
        const struct masing_law *law = masing_laws()[l];
        if (law->n_axes == 1 && case_create(&test, law, 0)) {
            bool has_memory = law->family == &masing_family_masing;
            enum masing_restraint restraint = masing_law_restraint(law, test.parameters);
            CHECK(!has_memory || restraint != MASING_RESTRAINT_NONE);
            CHECK(restraint != MASING_RESTRAINT_START || has_memory || law->restraint);
            case_destroy(&test);
        }
    }
}

static const struct tap_test tests[] = {
    {"laws know what holds the mean", laws_know_what_holds_the_mean},
    {"only laws with memory know their start", memory_of_the_start_belongs_to_masing_laws},
};

TAP_MAIN(tests)
