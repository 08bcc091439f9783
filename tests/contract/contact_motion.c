/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every listed law of several axes promises about the motion that it follows. */
#include "contact_cases.h"

static long n_all;

/* Periods followed from rest end in what the periodic march found, where it does not depend on
 * the start: as soon as it slips or opens. A rest that is admissible is one of many. */
static void check_long_run(struct contact_case *test)
{
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES], g[N * MOST_AXES];
    int rows = N * test->n_axes;
    struct masing_forces forces, open = {.f = g};
    contact_steady(test, 0.0, f, &forces);
    contact_sample(test, N, 0.0, x, v);
    struct masing_path path = contact_path_of(test, N, x, v);
    path.is_periodic = false;
    double *state =
        calloc(masing_law_state_size(test->law, test->parameters) + 1, sizeof *state);
    masing_law_rest(test->law, test->parameters, test->origin, state);
    for (int period = 0; period < 150; period++) {
        CHECK(contact_march(test, &path, state, &open) == MASING_OK);
    }
    bool is_one_element =
        !test->law->n_elements || test->law->n_elements(test->parameters) == 1;
    if (is_one_element && forces.slip_share + forces.open_share > 0.1) {
        double scale = contact_largest(f, rows);
        for (int i = 0; i < rows; i++) {
            CHECK_SCALED(g[i], f[i], scale, 1e-6);
        }
        n_all++;
    }
    free(state);
}

static void long_runs(void)
{
    n_all = 0;
    contact_for_each(check_long_run);
    CHECK(n_all > N_CASES / 20);
}

static void check_shift(struct contact_case *test)
{
    double f[N * MOST_AXES], g[N * MOST_AXES];
    struct masing_forces forces, shifted;
    int n_axes = test->n_axes, by = 37;
    contact_steady(test, 0.0, f, &forces);
    contact_steady(test, TEST_TWO_PI * by / N, g, &shifted);
    double scale = contact_largest(f, N * n_axes);
    for (int i = 0; i < N * n_axes; i++) {
        CHECK_SCALED(g[i], f[(i + by * n_axes) % (N * n_axes)], scale, 1e-8);
    }
    CHECK_SCALED(forces.slip_margin, shifted.slip_margin, 1.0, 1e-8);
}

static void a_shifted_start_changes_nothing(void)
{
    contact_for_each(check_shift);
}

static void check_pieces(struct contact_case *test)
{
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES], g[N * MOST_AXES];
    int n_axes = test->n_axes, cut = 41, rows = N * n_axes;
    size_t size = masing_law_state_size(test->law, test->parameters) + 1;
    double *state = calloc(size, sizeof *state), *other = calloc(size, sizeof *other);
    contact_sample(test, N, 0.0, x, v);
    struct masing_path path = contact_path_of(test, N, x, v), part = path;
    struct masing_forces forces = {.f = f}, piece = {.f = g};
    path.is_periodic = part.is_periodic = false;
    masing_law_rest(test->law, test->parameters, test->origin, state);
    memcpy(other, state, sizeof *state * size);
    CHECK(contact_march(test, &path, state, &forces) == MASING_OK);
    part.n_samples = cut;
    CHECK(contact_march(test, &part, other, &piece) == MASING_OK);
    part.n_samples = N - cut;
    part.x += cut * n_axes;
    part.v += cut * n_axes;
    piece.f += cut * n_axes;
    CHECK(contact_march(test, &part, other, &piece) == MASING_OK);
    CHECK(memcmp(f, g, sizeof *f * (size_t)rows) == 0);
    CHECK(memcmp(state, other, sizeof *state * size) == 0);
    free(state);
    free(other);
}

static void a_path_in_pieces_is_the_path(void)
{
    contact_for_each(check_pieces);
}

/* A steady cycle never gains energy up to the known limit of its motion. */
static void check_energy(struct contact_case *test)
{
    double x[N * MOST_AXES], v[N * MOST_AXES], f[N * MOST_AXES];
    struct masing_forces forces;
    if (!(test->law->energy_limit(test->parameters) > 0.0)) {
        return;
    }
    contact_steady(test, 0.0, f, &forces);
    contact_sample(test, N, 0.0, x, v);
    double loss = contact_loss(N, test->n_axes, x, f);
    CHECK(loss >=
          -1e-2 * contact_largest(f, N * test->n_axes) * contact_largest(x, N * test->n_axes));
    n_all++;
}

static void energy(void)
{
    n_all = 0;
    contact_for_each(check_energy);
    CHECK(n_all > N_CASES / 20);
}

int main(void)
{
    static const struct tap_test tests[] = {
        {"long runs end in the steady state", long_runs},
        {"a shifted start changes nothing", a_shifted_start_changes_nothing},
        {"a path in pieces is the path", a_path_in_pieces_is_the_path},
        {"a steady cycle gains no energy", energy},
    };
    return tap_run(tests, sizeof tests / sizeof *tests);
}
