/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/loop_print.h"

#include <stdio.h>

#include "cli/text_table.h"

static void add_heads(struct text_table *table)
{
    static const char *const heads[] = {"amplitude/m", "max. force/N", "secant/(N/m)",
                                        "loss/J",      "K1/(N/m)",     "c1 omega/(N/m)",
                                        "loss factor", "slip",         "cycles"};
    table->n_columns = sizeof heads / sizeof *heads;
    for (int i = 0; i < table->n_columns; i++) {
        text_table_add(table, "%s", heads[i]);
    }
}

static void print_cycles(struct pool *pool, const struct masing_loop_summary *summary)
{
    struct text_table table = {.pool = pool};
    add_heads(&table);
    for (int i = 0; i < summary->n_loops; i++) {
        const struct masing_loop_measures *m = &summary->loops[i];
        const double numbers[] = {
            m->amplitude,
            m->max_force,
            m->secant_stiffness,
            m->energy_lost,
            m->first_harmonic_stiffness,
            m->first_harmonic_damping,
            m->loss_factor,
        };
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            text_table_number(&table, "%.6g", numbers[k]);
        }
        text_table_number(&table, "%.3f", m->slip_share);
        text_table_number(&table, "%.0f", m->cycles);
    }
    text_table_print(&table, stderr);
}

void loop_print(struct pool *pool, const struct masing_spec *spec,
                const struct masing_joint_spec *joint,
                const struct masing_loop_summary *summary, bool is_of_points)
{
    fprintf(stderr, "%s%sjoint %s (%s)\n", spec->title ? spec->title : "",
            spec->title ? ", " : "", joint->name, joint->law->name);
    if (summary->n_loops > 0 && is_of_points) {
        const struct masing_loop_measures *m = summary->loops;
        fprintf(stderr,
                "  largest displacement %.6g m, largest force %.6g N, work %.6g J (stored "
                "energy included)\n",
                m->largest_displacement, m->max_force, m->work);
    } else if (summary->n_loops > 0) {
        print_cycles(pool, summary);
    }
}
