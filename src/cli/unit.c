/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/unit.h"

#include <string.h>

static bool is_rotation(const char *dof)
{
    static const char *const names[] = {"r", "rx", "ry", "rz"};
    const char *point = strrchr(dof, '.');
    bool is_one = false;
    for (size_t i = point ? 0 : 1; i < sizeof names / sizeof *names; i++) {
        is_one = is_one || strcmp(point ? point + 1 : dof, names[i]) == 0;
    }
    return is_one;
}

bool unit_turns(const struct masing_spec *spec, const struct masing_combination *combination)
{
    char **names = spec->structure.dof_names;
    bool turns = names && combination->n_terms > 0;
    for (int t = 0; turns && t < combination->n_terms; t++) {
        const char *name = names[combination->terms[t].dof];
        turns = name && is_rotation(name);
    }
    return turns;
}

bool unit_joint_turns(const struct masing_spec *spec, const struct masing_joint_spec *joint)
{
    return masing_joint_spec_axes(joint) == 1 && joint->axes &&
           unit_turns(spec, &joint->axes[0]);
}

bool unit_joints_turn(const struct masing_spec *spec, const char *name)
{
    bool do_all = spec->n_joints > 0;
    for (int j = 0; j < spec->n_joints; j++) {
        bool counts = !name || strcmp(spec->joints[j].name, name) == 0;
        do_all = do_all && (!counts || unit_joint_turns(spec, &spec->joints[j]));
    }
    return do_all;
}

const char *unit_of(const char *unit, bool turns)
{
    static const char *const units[][2] = {
        {"m", "rad"},
        {"m/s", "rad/s"},
        {"m/s\u00b2", "rad/s\u00b2"},
        {"N", "N m"},
        {"N/m", "N m/rad"},
        {"N s/m", "N m s/rad"},
        {"N/m^2", "N m/rad^2"},
        {"N/m^3", "N m/rad^3"},
        {"N/m^p", "N m/rad^p"},
        {"N s^2/m^2", "N m s^2/rad^2"},
        {"N/m^(1+power)", "N m/rad^(1+power)"},
        {"N/m^(chi+2)", "N m/rad^(chi+2)"},
        {"1/m", "1/rad"},
        {"1/m^2", "1/rad^2"},
        {"1/m^n", "1/rad^n"},
        {"m, N", "rad, N m"},
    };
    for (size_t i = 0; turns && i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i][0]) == 0) {
            return units[i][1];
        }
    }
    return unit;
}
