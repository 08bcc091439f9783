/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both boundaries of a sector by the nodes of its mesh: those of `high` are those of `low`
 * turned about the axis of the disk by the angle of a sector. In the axes of the following
 * sector, which are turned as well, x_high = R x_low.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "model_file/reader_cyclic.h"
#include "model_file/reader_mesh.h"

/* Nodes meet within this part of the mesh's extent, unless `match` says otherwise: decks have
 * six digits at least. */
static const double DEFAULT_MATCH = 1e-5;
/* Entries of a rotation that rounding leaves of 0; those that would mix held directions. */
static const double ROUNDING = 1e-14, MIXED = 1e-9;

struct boundary {
    const struct tree_node *at;
    const char *name;
    int n;
    const int *nodes; /* indices */
};

struct matching {
    struct reader *reader;
    const struct mesh *mesh;
    double point[3], direction[3], turn[3][3];
    double step, match; /* rad, m */
    struct boundary low, high;
    struct joined_dof *joined;
};

/* --- the axis ----------------------------------------------------------------------------- */

static const struct reader_key axis_keys[] = {{.name = "point"}, {.name = "direction"}, {0}};

static enum masing_status read_point(struct reader *reader, struct tree_node *node,
                                     double point[3])
{
    NEED(reader_refuse(reader, node->kind != TREE_SEQUENCE || node->count != 3, node,
                       "point: expected [x, y, z]"));
    for (int k = 0; k < 3; k++) {
        NEED(reader_number(reader, tree_at(node, k), "point", &point[k]));
        NEED(
            reader_refuse(reader, !isfinite(point[k]), node, "point: expected finite numbers"));
    }
    return MASING_OK;
}

/* R = c + (1 - c) d d^T + s [d x], exact for quarters of a turn */
static void set_turn(struct matching *m, int n_sectors)
{
    double c = n_sectors == 4 ? 0.0 : cos(m->step), s = sin(m->step);
    const double *d = m->direction;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j; /* the third one */
            double cross = i == j ? 0.0 : ((j - i + 3) % 3 == 1 ? -1.0 : 1.0) * d[k];
            m->turn[i][j] = (i == j ? c : 0.0) + (1.0 - c) * d[i] * d[j] + s * cross;
        }
    }
}

static enum masing_status read_axis(struct reader *reader, struct tree_node *section,
                                    struct matching *m)
{
    struct tree_node *axis, *direction, *point, *match = tree_find(section, "match");
    NEED(reader_required(reader, section, "axis", &axis));
    NEED(reader_mapping(reader, axis));
    NEED(reader_check_keys(reader, axis, axis_keys, 0, NULL));
    NEED(reader_required(reader, axis, "direction", &direction));
    NEED(reader_direction(reader, direction, m->direction));
    point = tree_find(axis, "point");
    NEED(point ? read_point(reader, point, m->point) : MASING_OK);
    m->step = TWO_PI / reader->cyclic.n_sectors;
    set_turn(m, reader->cyclic.n_sectors);
    m->match = DEFAULT_MATCH * reader->spec->structure.mesh_extent;
    return match ? reader_positive(reader, match, "match", &m->match) : MASING_OK;
}

/* --- places ------------------------------------------------------------------------------- */

static const double *place_of(const struct matching *m, int node)
{
    return m->mesh->points + 3 * (size_t)node;
}

static double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* A place turned by the angle of a sector. */
static void turn_place(const struct matching *m, const double from[3], double to[3])
{
    for (int i = 0; i < 3; i++) {
        to[i] = m->point[i];
        for (int j = 0; j < 3; j++) {
            to[i] += m->turn[i][j] * (from[j] - m->point[j]);
        }
    }
}

/* What of a place is across the axis, and how far along it it is. */
static double split_place(const struct matching *m, const double place[3], double across[3])
{
    double along = 0.0;
    for (int k = 0; k < 3; k++) {
        along += m->direction[k] * (place[k] - m->point[k]);
    }
    for (int k = 0; k < 3; k++) {
        across[k] = place[k] - m->point[k] - along * m->direction[k];
    }
    return along;
}

static double radius_of(const struct matching *m, int node)
{
    double across[3];
    split_place(m, place_of(m, node), across);
    return hypot(hypot(across[0], across[1]), across[2]);
}

static void center_of(const struct matching *m, const struct boundary *boundary,
                      double center[3])
{
    for (int k = 0; k < 3; k++) {
        center[k] = 0.0;
        for (int i = 0; i < boundary->n; i++) {
            center[k] += place_of(m, boundary->nodes[i])[k] / boundary->n;
        }
    }
}

static enum masing_status refuse_angle(const struct matching *m, double angle)
{
    int n = m->reader->cyclic.n_sectors;
    double others = fabs(angle) > 0.0 ? TWO_PI / fabs(angle) : 0.0;
    char hint[80] = "";
    if (fabs(angle + m->step) < 1e-3 * m->step) {
        snprintf(hint, sizeof hint,
                 ": are 'low' and 'high', or the axis, the wrong way round?");
    } else if (fabs(others - round(others)) < 1e-3 * others) {
        snprintf(hint, sizeof hint, ": that is one of %.0f sectors", others);
    }
    return reader_fail(m->reader, m->high.at,
                       "high: '%.60s' lies %.6g degrees about the axis from '%.60s', expected "
                       "%.6g (360 / %d)%s",
                       m->high.name, angle * 360.0 / TWO_PI, m->low.name,
                       m->step * 360.0 / TWO_PI, n, hint);
}

/* By the centers of both, where there is an angle between them. */
static enum masing_status check_angle(const struct matching *m)
{
    double low[3], high[3], turned[3], a[3], b[3], dot = 0.0, cross = 0.0;
    center_of(m, &m->low, low);
    center_of(m, &m->high, high);
    turn_place(m, low, turned);
    double along = split_place(m, low, a) - split_place(m, high, b);
    double r_low = hypot(hypot(a[0], a[1]), a[2]), r_high = hypot(hypot(b[0], b[1]), b[2]);
    bool is_turned = fabs(along) <= m->match && fabs(r_low - r_high) <= m->match &&
                     r_low > m->match && m->low.n == m->high.n;
    if (!is_turned || distance(turned, high) <= m->match) {
        return MASING_OK; /* node by node, then */
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        dot += a[k] * b[k];
        cross += m->direction[k] * (a[i] * b[j] - a[j] * b[i]);
    }
    return refuse_angle(m, atan2(cross, dot));
}

/* --- nodes -------------------------------------------------------------------------------- */

static enum masing_status refuse_unmatched(const struct matching *m, bool is_high, int node,
                                           int nearest, double apart)
{
    const struct boundary *own = is_high ? &m->high : &m->low;
    const struct boundary *other = is_high ? &m->low : &m->high;
    const double *x = place_of(m, node);
    return reader_fail(
        m->reader, own->at,
        "%s: node %d of '%.60s' at (%.6g, %.6g, %.6g) has no partner in '%.60s' %s "
        "about the axis: the nearest, node %d, is %.3g away, expected at most %.3g ('match')",
        is_high ? "high" : "low", m->mesh->node_numbers[node], own->name, x[0], x[1], x[2],
        other->name, is_high ? "a sector behind it" : "a sector before it",
        m->mesh->node_numbers[nearest], apart, m->match);
}

/* Where a node of `low` comes to, or one of `high` came from, is another node. */
static enum masing_status find_partner(const struct matching *m, int node, int *partner)
{
    double turned[3], least = INFINITY;
    int n_near = 0;
    turn_place(m, place_of(m, node), turned);
    for (int i = 0; i < m->high.n; i++) {
        double apart = distance(turned, place_of(m, m->high.nodes[i]));
        n_near += apart <= m->match;
        if (apart < least) {
            least = apart;
            *partner = m->high.nodes[i];
        }
    }
    NEED(n_near == 0 ? refuse_unmatched(m, false, node, *partner, least) : MASING_OK);
    return reader_refuse(m->reader, n_near > 1, m->high.at,
                         "high: %d nodes of '%.60s' are within %.3g of where node %d of "
                         "'%.60s' comes to: expected one, or lists of DOFs in 'low' and 'high'",
                         n_near, m->high.name, m->match, m->mesh->node_numbers[node],
                         m->low.name);
}

/* Nodes of `high` to which none came. */
static enum masing_status check_others(const struct matching *m)
{
    for (int i = 0; i < m->high.n; i++) {
        double turned[3], least = INFINITY;
        int nearest = m->low.nodes[0];
        for (int j = 0; j < m->low.n; j++) {
            turn_place(m, place_of(m, m->low.nodes[j]), turned);
            double apart = distance(turned, place_of(m, m->high.nodes[i]));
            nearest = apart < least ? m->low.nodes[j] : nearest;
            least = fmin(least, apart);
        }
        NEED(least > m->match ? refuse_unmatched(m, true, m->high.nodes[i], nearest, least)
                              : MASING_OK);
    }
    return MASING_OK;
}

/* DOFs of a node: displacements, or rotations, MASING_GROUND where it is held. */
static enum masing_status find_dofs(const struct matching *m, const struct boundary *boundary,
                                    int node, bool are_rotations, int dofs[3])
{
    static const char *const rotations[] = {"rx", "ry", "rz"};
    char place[READER_PLACE], name[32];
    if (!are_rotations) {
        return reader_mesh_dofs(m->reader, tree_place(m->reader->file, boundary->at, place),
                                boundary->at->key, node, dofs);
    }
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%d.%s", m->mesh->node_numbers[node], rotations[k]);
        int dof = names_find(&m->reader->dofs, name);
        dofs[k] = dof >= 0 ? dof : MASING_GROUND;
    }
    return MASING_OK;
}

/* Three DOFs of each of two nodes: x_high = R x_low, held alike. */
static enum masing_status join_vector(const struct matching *m, int low, int high,
                                      bool are_rotations)
{
    int from[3], to[3], n_from = 0, n_to = 0;
    bool is_mixed = false;
    NEED(find_dofs(m, &m->low, low, are_rotations, from));
    NEED(find_dofs(m, &m->high, high, are_rotations, to));
    for (int i = 0; i < 3; i++) {
        struct joined_dof joined = {.is_next = true};
        n_from += from[i] != MASING_GROUND;
        n_to += to[i] != MASING_GROUND;
        for (int j = 0; j < 3; j++) {
            double r = m->turn[i][j];
            bool is_one_held = (from[j] == MASING_GROUND) != (to[i] == MASING_GROUND);
            is_mixed = is_mixed || (is_one_held && fabs(r) > MIXED);
            if (from[j] != MASING_GROUND && fabs(r) > ROUNDING) {
                joined.dofs[joined.n] = from[j];
                joined.weights[joined.n++] = r;
            }
        }
        if (to[i] != MASING_GROUND) {
            m->joined[to[i]] = joined;
        }
    }
    return reader_refuse(m->reader, is_mixed || n_from != n_to, m->high.at,
                         "high: node %d of '%.60s' and node %d of '%.60s', its partner, are "
                         "not held alike: expected all %s of both, none, or those along and "
                         "across the axis",
                         m->mesh->node_numbers[high], m->high.name, m->mesh->node_numbers[low],
                         m->low.name, are_rotations ? "rotations" : "displacements");
}

static bool has_dofs(const struct matching *m, int node)
{
    static const char *const directions[] = {"x", "y", "z", "rx", "ry", "rz"};
    char name[32];
    for (int k = 0; k < 6; k++) {
        snprintf(name, sizeof name, "%d.%s", m->mesh->node_numbers[node], directions[k]);
        if (names_find(&m->reader->dofs, name) >= 0) {
            return true;
        }
    }
    return false;
}

static enum masing_status check_axis(const struct matching *m, const struct tree_node *section)
{
    for (int i = 0; i < m->mesh->n_nodes; i++) {
        bool is_wrong = radius_of(m, i) <= m->match && has_dofs(m, i);
        NEED(reader_refuse(m->reader, is_wrong, tree_find(section, "axis"),
                           "axis: node %d lies on it, where all sectors have the same node: "
                           "expected that it is held, or none there",
                           m->mesh->node_numbers[i]));
    }
    return MASING_OK;
}

static enum masing_status read_set(struct reader *reader, struct tree_node *section,
                                   const char *key, struct boundary *boundary)
{
    struct tree_node *node;
    NEED(reader_required(reader, section, key, &node));
    NEED(reader_refuse(reader, node->kind != TREE_SCALAR, node,
                       "%s: expected a set of nodes, as the other boundary is", key));
    NEED(reader_set_nodes(reader, node, &boundary->n, &boundary->nodes));
    boundary->at = node;
    boundary->name = node->text;
    return reader_refuse(reader, boundary->n == 0, node, "%s: '%.60s' has no nodes", key,
                         node->text);
}

/* For fields over all sectors. */
static enum masing_status begin_turned(const struct matching *m)
{
    struct masing_error *error = m->reader->error;
    struct masing_turned_mesh *turned = &m->reader->spec->structure.turned;
    turned->n_sectors = m->reader->cyclic.n_sectors;
    memcpy(turned->point, m->point, sizeof turned->point);
    memcpy(turned->direction, m->direction, sizeof turned->direction);
    turned->n_nodes = m->mesh->n_nodes;
    turned->partners = memory_array((size_t)m->mesh->n_nodes, sizeof *turned->partners);
    NEED_ALLOCATED(turned->partners);
    for (int i = 0; i < m->mesh->n_nodes; i++) {
        turned->partners[i] = -1;
    }
    return MASING_OK;
}

enum masing_status match_boundaries(struct reader *reader, struct tree_node *section,
                                    struct joined_dof *joined)
{
    struct matching m = {.reader = reader, .mesh = reader->mesh, .joined = joined};
    NEED(read_set(reader, section, "low", &m.low));
    NEED(read_set(reader, section, "high", &m.high));
    NEED(read_axis(reader, section, &m));
    NEED(check_axis(&m, section));
    NEED(check_angle(&m));
    NEED(begin_turned(&m));
    for (int i = 0; i < m.low.n; i++) {
        int low = m.low.nodes[i], high = -1;
        NEED(find_partner(&m, low, &high));
        if (low != high) { /* else on the axis, and held */
            reader->spec->structure.turned.partners[high] = low;
            NEED(join_vector(&m, low, high, false));
            NEED(join_vector(&m, low, high, true));
        }
    }
    for (int i = 0; i < m.low.n; i++) {
        int dofs[3];
        NEED(find_dofs(&m, &m.low, m.low.nodes[i], false, dofs));
        for (int k = 0; k < 3; k++) {
            NEED(reader_refuse(
                reader, dofs[k] != MASING_GROUND && joined[dofs[k]].n > 0, m.low.at,
                "low: node %d of '%.60s' stands in '%.60s' as well, expected "
                "boundaries apart",
                reader->mesh->node_numbers[m.low.nodes[i]], m.low.name, m.high.name));
        }
    }
    return check_others(&m);
}
