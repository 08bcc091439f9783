/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/sparse.h"
#include "linalg/sparse_modes.h"
#include "linalg/symmetric.h"
#include "model/structure/beam_element.h"
#include "model/joints.h"
#include "model/message.h"
#include "model/structure/modes.h"
#include "model/structure/singular_mass.h"
#include "model/structure/spinning.h"

/* --- matrices of the specification -------------------------------------------------------- */

/* Numbers printed with 9 digits differ by this; noise beside large diagonals by the second. */
static const double RELATIVE_DIFFERENCE = 1e-8;
static const double DIAGONAL_DIFFERENCE = 1e-12;

/*
 * A copy of a [n_dofs * n_dofs], exactly symmetric; refused with the two entries that differ
 * where it is not symmetric to within rounding, or not finite.
 */
static enum masing_status copy_symmetric(const struct masing_spec *spec, const char *name,
                                         struct masing_place place, const double *a,
                                         struct arena *arena, double **copy,
                                         struct masing_error *error)
{
    size_t n = (size_t)spec->structure.n_dofs;
    NEED_ALLOCATED(*copy = arena_doubles(arena, n * n));
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(a[i])) {
            return model_refuse(spec, place, error,
                                "%s: entry (%d,%d) is %g, expected a finite number", name,
                                (int)(i % n) + 1, (int)(i / n) + 1, a[i]);
        }
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i <= j; i++) {
            double upper = a[i + j * n], lower = a[j + i * n];
            double allowed = RELATIVE_DIFFERENCE * fmax(fabs(upper), fabs(lower)) +
                             DIAGONAL_DIFFERENCE * sqrt(fabs(a[i + i * n] * a[j + j * n]));
            if (!(fabs(upper - lower) <= allowed)) {
                return model_refuse(spec, place, error,
                                    "%s: expected a symmetric matrix: entry (%d,%d) is %.10g, "
                                    "(%d,%d) is %.10g",
                                    name, (int)i + 1, (int)j + 1, upper, (int)j + 1, (int)i + 1,
                                    lower);
            }
            (*copy)[i + j * n] = (*copy)[j + i * n] = 0.5 * upper + 0.5 * lower;
        }
    }
    return MASING_OK;
}

/* --- condensation ------------------------------------------------------------------------- */

/*
 * Exact static condensation of the DOFs without mass (zero rows and columns of M):
 *   x_m = recovery x_r + flexibility f_m,  recovery = -K_mm^-1 K_mr,  flexibility = K_mm^-1.
 */
struct condensed {
    struct arena arena; /* of all arrays */
    const double *turn; /* [n_dofs * n_dofs] the coordinates, by columns; NULL: DOFs */
    int weak;           /* kept coordinate where the mass is not positive definite, or -1 */
    int n_kept, n_massless;
    int *kept, *massless; /* DOFs, ascending */
    double *mass;         /* [n_kept * n_kept] */
    double *stiffness;    /* [n_kept * n_kept] K_rr + K_rm recovery */
    double *recovery;     /* [n_massless * n_kept] */
    double *flexibility;  /* [n_massless * n_massless] */
};

/* part [n_rows * n_columns] = a(rows, columns) */
static void take(int n, const double *a, int n_rows, const int *rows, int n_columns,
                 const int *columns, double *part)
{
    for (int j = 0; j < n_columns; j++) {
        const double *column = a + (size_t)columns[j] * (size_t)n;
        for (int i = 0; i < n_rows; i++) {
            *part++ = column[rows[i]];
        }
    }
}

/* Pivots of the mass matrix, and of the stiffness of massless DOFs, up to this part of the
 * diagonal are zero: all that rounding leaves of them. */
static const double WEAK_MASS = 16 * DBL_EPSILON;
static const double WEAK_STIFFNESS = 1e-13;

/* The DOF that a coordinate is, or in which it is largest. */
static int dof_of(const struct condensed *condensed, int n_dofs, int coordinate)
{
    return condensed->turn
               ? dense_largest(n_dofs, condensed->turn + (size_t)coordinate * (size_t)n_dofs)
               : coordinate;
}

/* Also a DOF of nothing but joints: where they slip, no force balance says where it is. */
static enum masing_status refuse_loose(const struct masing_spec *spec, int dof,
                                       struct masing_error *error)
{
    const char *first = "";
    int n_joints = 0;
    for (int j = 0; j < spec->n_joints; j++) {
        const struct masing_joint_spec *joint = &spec->joints[j];
        bool is_at = false;
        for (int a = 0; joint->axes && joint->law && a < masing_joint_spec_axes(joint); a++) {
            for (int t = 0; t < joint->axes[a].n_terms; t++) {
                is_at = is_at || joint->axes[a].terms[t].dof == dof;
            }
        }
        first = is_at && n_joints == 0 ? joint->name : first;
        n_joints += is_at;
    }
    char held_by[160] = "";
    if (n_joints > 0) {
        snprintf(
            held_by, sizeof held_by,
            " (the joint%s at it, '%.60s'%s, cannot: where they slip or open, nothing says "
            "where it is)",
            n_joints > 1 ? "s" : "", first, n_joints > 1 ? " and others" : "");
    }
    return model_refuse(
        spec, spec->structure.stiffness_place, error,
        "DOF %s has neither mass nor a stiffness that holds it, expected one of "
        "them%s",
        model_dof_text(spec, dof).text, held_by);
}

/* Flexibility and recovery; stiffness += K_rm recovery, made exactly symmetric. */
static enum masing_status condense_massless(const struct masing_spec *spec,
                                            const double *stiffness,
                                            struct condensed *condensed,
                                            struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    int n = spec->structure.n_dofs, massless = condensed->n_massless, kept = condensed->n_kept;
    size_t n_m = (size_t)massless, n_kept = (size_t)kept;
    double *factor = arena_doubles(&scratch, n_m * n_m);
    double *diagonal = arena_doubles(&scratch, n_m);
    double *coupling = arena_doubles(&scratch, n_m * n_kept);
    double *product = arena_doubles(&scratch, n_kept * n_kept);
    condensed->flexibility = arena_doubles(&condensed->arena, n_m * n_m);
    condensed->recovery = arena_doubles(&condensed->arena, n_m * n_kept);
    TRY_ALLOCATED(!scratch.has_failed && !condensed->arena.has_failed);
    take(n, stiffness, massless, condensed->massless, massless, condensed->massless, factor);
    int weak = cholesky_weak_row(massless, factor, WEAK_STIFFNESS, diagonal);
    TRY(weak < 0 ? MASING_OK
                 : refuse_loose(spec, dof_of(condensed, n, condensed->massless[weak]), error));
    for (size_t i = 0; i < n_m; i++) {
        condensed->flexibility[i * (n_m + 1)] = 1;
    }
    cholesky_solve(massless, factor, condensed->flexibility, massless);
    take(n, stiffness, massless, condensed->massless, kept, condensed->kept, coupling);
    memcpy(condensed->recovery, coupling, n_m * n_kept * sizeof *coupling);
    cholesky_solve(massless, factor, condensed->recovery, kept);
    for (size_t i = 0; i < n_m * n_kept; i++) {
        condensed->recovery[i] = -condensed->recovery[i];
    }
    dense_multiply_transposed(kept, kept, massless, coupling, condensed->recovery, product);
    for (size_t j = 0; j < n_kept; j++) {
        for (size_t i = 0; i < n_kept; i++) {
            condensed->stiffness[i + j * n_kept] +=
                0.5 * (product[i + j * n_kept] + product[j + i * n_kept]);
        }
    }
done:
    arena_clear(&scratch);
    return status;
}

/* Whether masses are larger than stiffnesses: no unit makes a structure that slow. */
static bool may_be_swapped(int n, const double *mass, const double *stiffness)
{
    double sums[2] = {0.0, 0.0};
    for (size_t i = 0; i < (size_t)n; i++) {
        sums[0] += mass[i + i * (size_t)n];
        sums[1] += stiffness[i + i * (size_t)n];
    }
    return sums[0] > sums[1] && sums[1] > 0.0;
}

static enum masing_status refuse_mass(const struct masing_spec *spec,
                                      const struct condensed *condensed,
                                      struct masing_error *error)
{
    bool are_swapped = may_be_swapped(condensed->n_kept, condensed->mass, condensed->stiffness);
    return model_refuse(spec, spec->structure.mass_place, error,
                        "mass: the matrix is not positive definite at DOF %s, expected "
                        "positive masses (a DOF without mass has a row of zeros)%s",
                        model_dof_text(spec, condensed->weak).text,
                        are_swapped ? ": were stiffness and mass swapped?" : "");
}

/* mass, stiffness [n_dofs * n_dofs]. Also refuses massless DOFs without stiffness of their own;
 * nothing is condensed where the mass is weak. Cleared by the caller also after a failure. */
static enum masing_status condensed_create(const struct masing_spec *spec, const double *mass,
                                           const double *stiffness, struct condensed *condensed,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena *arena = &condensed->arena, scratch = {0};
    int n = spec->structure.n_dofs;
    condensed->kept = arena_array(arena, (size_t)n, sizeof *condensed->kept);
    condensed->massless = arena_array(arena, (size_t)n, sizeof *condensed->massless);
    TRY_ALLOCATED(!arena->has_failed);
    for (int i = 0; i < n; i++) {
        if (dense_is_zero((size_t)n, mass + (size_t)i * (size_t)n)) {
            condensed->massless[condensed->n_massless++] = i;
        } else {
            condensed->kept[condensed->n_kept++] = i;
        }
    }
    int n_kept = condensed->n_kept, *kept = condensed->kept;
    if (n_kept == 0) {
        TRY(model_refuse(spec, spec->structure.mass_place, error,
                         "mass: no DOF has mass, expected at least one"));
    }
    size_t square = (size_t)n_kept * (size_t)n_kept;
    condensed->mass = arena_doubles(arena, square);
    condensed->stiffness = arena_doubles(arena, square);
    double *factor = arena_doubles(&scratch, square);
    double *diagonal = arena_doubles(&scratch, (size_t)n_kept);
    TRY_ALLOCATED(!arena->has_failed && !scratch.has_failed);
    take(n, mass, n_kept, kept, n_kept, kept, condensed->mass);
    take(n, stiffness, n_kept, kept, n_kept, kept, condensed->stiffness);
    memcpy(factor, condensed->mass, square * sizeof *factor);
    condensed->weak = cholesky_weak_row(n_kept, factor, WEAK_MASS, diagonal);
    if (condensed->weak >= 0) {
        condensed->weak = kept[condensed->weak];
        goto done;
    }
    TRY(condensed->n_massless > 0 ? condense_massless(spec, stiffness, condensed, error)
                                  : MASING_OK);
done:
    arena_clear(&scratch);
    return status;
}

/* As condensed_create, also of a singular mass; turned is filled there. */
static enum masing_status condense(const struct masing_spec *spec, const double *mass,
                                   const double *stiffness, struct singular_mass *turned,
                                   struct condensed *condensed, struct masing_error *error)
{
    NEED(condensed_create(spec, mass, stiffness, condensed, error));
    if (condensed->weak < 0) {
        return MASING_OK;
    }
    if (may_be_swapped(condensed->n_kept, condensed->mass, condensed->stiffness)) {
        return refuse_mass(spec, condensed, error);
    }
    enum masing_status status =
        singular_mass_turn(spec->structure.n_dofs, mass, stiffness, turned, error);
    if (status == MASING_SINGULAR) {
        return refuse_mass(spec, condensed, error);
    }
    NEED(status);
    arena_clear(&condensed->arena);
    *condensed = (struct condensed){.turn = turned->turn};
    return condensed_create(spec, turned->mass, turned->stiffness, condensed, error);
}

/* shapes [n_dofs * n_modes] of all DOFs from those of the kept ones, [n_kept * n_modes] */
static void condensed_expand(const struct condensed *condensed, int n_dofs, int n_modes,
                             const double *kept_shapes, double *shapes)
{
    int n_kept = condensed->n_kept, n_m = condensed->n_massless;
    for (int k = 0; k < n_modes; k++) {
        const double *from = kept_shapes + (size_t)k * (size_t)n_kept;
        double *to = shapes + (size_t)k * (size_t)n_dofs;
        for (int i = 0; i < n_kept; i++) {
            to[condensed->kept[i]] = from[i];
        }
        for (int i = 0; i < n_m; i++) {
            double sum = 0;
            for (int j = 0; j < n_kept; j++) {
                sum += condensed->recovery[(size_t)j * (size_t)n_m + (size_t)i] * from[j];
            }
            to[condensed->massless[i]] = sum;
        }
    }
}

/* --- modes given instead of matrices ------------------------------------------------------ */

static enum masing_status check_modal_data(const struct masing_spec *spec,
                                           struct masing_error *error)
{
    const struct masing_structure_spec *given = &spec->structure;
    if (given->n_modes < 1 || !given->omega_modes || !given->mode_shapes) {
        return model_refuse(spec, given->place, error,
                            "structure: expected mass and stiffness, or at least one mode");
    }
    for (int k = 0; k < given->n_modes; k++) {
        double omega = given->omega_modes[k];
        struct model_part part = model_part(given->place, "structure.modes.frequencies.%d", k);
        if (omega < 0 || !isfinite(omega)) {
            return model_refuse_part(spec, &part, error, "frequencies: cannot be %s, found %g",
                                     omega < 0 ? "negative" : "infinite", omega / TWO_PI);
        }
    }
    for (size_t i = 0; i < (size_t)given->n_modes * (size_t)given->n_dofs; i++) {
        if (!isfinite(given->mode_shapes[i])) {
            return model_refuse(spec, given->place, error,
                                "modes: the shape of mode %d is not finite at DOF %s",
                                (int)(i / (size_t)given->n_dofs) + 1,
                                model_dof_text(spec, (int)(i % (size_t)given->n_dofs)).text);
        }
    }
    return MASING_OK;
}

/* Shapes are independent where no pivot is below this part of the largest. */
static const double REGULAR = 1e-10;

/* M = phi^-T phi^-1 where the shapes are square and regular; else the mass stays unknown. */
static enum masing_status mass_from_shapes(struct structure *structure,
                                           struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct arena scratch = {0};
    int n = structure->n_dofs;
    size_t order = (size_t)n, square = order * order;
    double *lu = arena_doubles(&scratch, square), *inverse = arena_doubles(&scratch, square);
    int *pivots = arena_array(&scratch, order, sizeof *pivots);
    TRY_ALLOCATED(!scratch.has_failed);
    memcpy(lu, structure->shapes, square * sizeof *lu);
    if (lu_factor(n, lu, pivots) != MASING_OK) {
        goto done;
    }
    double smallest = INFINITY, largest = 0;
    for (size_t i = 0; i < order; i++) {
        inverse[i + i * order] = 1;
        smallest = fmin(smallest, fabs(lu[i + i * order]));
        largest = fmax(largest, fabs(lu[i + i * order]));
    }
    if (smallest > REGULAR * largest) {
        lu_solve(n, lu, pivots, inverse, n);
        TRY_ALLOCATED(structure->mass = arena_doubles(&structure->arena, square));
        dense_multiply_transposed(n, n, n, inverse, inverse, structure->mass);
    }
done:
    arena_clear(&scratch);
    return status;
}

double structure_flexibility_between(const struct structure *structure,
                                     const struct masing_combination *a,
                                     const struct masing_combination *b)
{
    size_t n = (size_t)structure->n_dofs;
    double sum = 0.0;
    for (int i = 0; structure->flexibility && i < a->n_terms; i++) {
        for (int j = 0; j < b->n_terms; j++) {
            size_t place = symmetric_place(n, (size_t)a->terms[i].dof, (size_t)b->terms[j].dof);
            sum += a->terms[i].weight * b->terms[j].weight * structure->flexibility[place];
        }
    }
    return sum;
}

/* The series of modes that are not there, of which the first term is their flexibility. */
static void take_far(const struct masing_structure_spec *given, struct structure *structure)
{
    structure->n_far = given->n_far;
    structure->far_shift = given->far_shift;
    structure->far_scale = given->far_scale;
    structure->far = structure->flexibility = given->n_far > 0 ? given->far : NULL;
}

/* Fills modes, shift and, where the shapes determine it, the mass. */
static enum masing_status take_modal_data(const struct masing_spec *spec,
                                          struct structure *structure,
                                          struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_structure_spec *given = &spec->structure;
    size_t n = (size_t)given->n_dofs, n_modes = (size_t)given->n_modes;
    int *order = NULL; /* [n_modes] by ascending frequency, equal ones as given */
    TRY(check_modal_data(spec, error));
    TRY_ALLOCATED(order = memory_array(n_modes, sizeof *order));
    for (int k = 0; k < given->n_modes; k++) {
        int place = k;
        for (; place > 0 && given->omega_modes[order[place - 1]] > given->omega_modes[k];
             place--) {
            order[place] = order[place - 1];
        }
        order[place] = k;
    }
    structure->n_modes = given->n_modes;
    structure->omega = arena_doubles(&structure->arena, n_modes);
    structure->shapes = arena_doubles(&structure->arena, n * n_modes);
    structure->rest = given->rest ? arena_doubles(&structure->arena, n_modes) : NULL;
    TRY_ALLOCATED(!structure->arena.has_failed);
    for (size_t k = 0; k < n_modes; k++) {
        size_t from = (size_t)order[k];
        structure->omega[k] = given->omega_modes[from];
        if (structure->rest) {
            structure->rest[k] = given->rest[from];
        }
        structure->n_rigid += structure->omega[k] == 0;
        memcpy(structure->shapes + k * n, given->mode_shapes + from * n,
               n * sizeof *structure->shapes);
    }
    take_far(given, structure);
    double sweep = fmax(spec->omega_from, spec->omega_to);
    structure->shift =
        sweep > 0 ? sweep * sweep : fmax(pow(structure->omega[n_modes - 1], 2), 1);
    if (n_modes == n && given->n_far == 0) {
        TRY(mass_from_shapes(structure, error));
    }
done:
    free(order);
    return status;
}

/* --- the structure ------------------------------------------------------------------------ */

/* Modes are wanted most accurately where the sweep is; but never beyond the structure's own. */
static double spectral_shift(const struct masing_spec *spec, int n, const double *mass,
                             const double *stiffness)
{
    double highest = 0, sweep = fmax(spec->omega_from, spec->omega_to);
    for (int i = 0; i < n; i++) {
        size_t diagonal = (size_t)i * (size_t)(n + 1);
        highest = fmax(highest, stiffness[diagonal] / mass[diagonal]);
    }
    if (!(highest > 0)) {
        return sweep > 0 ? sweep * sweep : 1;
    }
    return sweep > 0 ? fmin(sweep * sweep, highest) : 1e-6 * highest;
}

/* DOF with the largest share of a shape's gross stiffness, to say where something is wrong */
static int largest_dof(int n, const double *stiffness, const double *shape)
{
    int largest = 0;
    double most = 0;
    for (int i = 0; i < n; i++) {
        double share = fabs(stiffness[(size_t)i * (size_t)(n + 1)]) * shape[i] * shape[i];
        largest = share > most ? i : largest;
        most = fmax(share, most);
    }
    return largest;
}

static enum masing_status refuse_unstable(const struct masing_spec *spec, int dof,
                                          double omega_squared, struct masing_error *error)
{
    return model_refuse(spec, spec->structure.stiffness_place, error,
                        "stiffness: negative (eigenvalue %.6g (rad/s)^2) in a motion that is "
                        "largest at DOF %s, expected a positive semidefinite matrix",
                        omega_squared, model_dof_text(spec, dof).text);
}

static enum masing_status take_modes(const struct condensed *condensed,
                                     const struct modes *modes, struct structure *structure,
                                     struct masing_error *error)
{
    size_t n = (size_t)structure->n_dofs, n_modes = (size_t)modes->n;
    size_t n_m = (size_t)condensed->n_massless;
    structure->n_modes = modes->n;
    structure->n_rigid = modes->n_rigid;
    structure->n_nearly_rigid = modes->n_nearly_rigid;
    structure->omega = arena_doubles(&structure->arena, n_modes);
    structure->shapes = arena_doubles(&structure->arena, n * n_modes);
    double *flexibility = n_m > 0 ? arena_doubles(&structure->arena, symmetric_size(n)) : NULL;
    structure->flexibility = flexibility;
    NEED_ALLOCATED(!structure->arena.has_failed);
    for (size_t k = 0; k < n_modes; k++) {
        structure->omega[k] = sqrt(modes->omega_squared[k]);
    }
    condensed_expand(condensed, (int)n, modes->n, modes->shapes, structure->shapes);
    for (size_t i = 0; i < n_m * n_m; i++) {
        if (i % n_m >= i / n_m) {
            symmetric_add_entry(n, flexibility, (size_t)condensed->massless[i % n_m],
                                (size_t)condensed->massless[i / n_m],
                                condensed->flexibility[i]);
        }
    }
    return MASING_OK;
}

/*
 * Rigid-body modes keep the squares that the matrices have in them, as those of sparse matrices
 * do: where the matrices were given, and not so coarsely that they count as nearly rigid.
 */
static enum masing_status keep_rest(const struct masing_structure_spec *given,
                                    const double *stiffness, struct structure *structure,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct masing_sparse sparse = {0};
    struct sparse_modes rigid = {.n = structure->n_rigid, .shapes = structure->shapes};
    if (structure->n_rigid == 0 || given->n_rigid > 0 || given->n_beam_elements > 0) {
        return MASING_OK;
    }
    rigid.omega_squared = arena_doubles(&structure->arena, (size_t)rigid.n);
    TRY_ALLOCATED(rigid.omega_squared);
    TRY(sparse_from_dense(structure->n_dofs, stiffness, &sparse, error));
    TRY(sparse_modes_settle(&sparse, &rigid, error));
    structure->n_nearly_rigid = 0;
    double highest = structure->omega[structure->n_modes - 1];
    double floor = DBL_EPSILON * highest * highest; /* as in modes.c */
    for (int k = 0; k < rigid.n; k++) {
        const double *shape = rigid.shapes + (size_t)k * (size_t)structure->n_dofs;
        structure->n_nearly_rigid += fabs(rigid.omega_squared[k]) >
                                     MODES_ROUND_OFF * (floor + sparse_gross(&sparse, shape));
    }
    bool is_kept =
        structure->n_nearly_rigid == 0 && !dense_is_zero((size_t)rigid.n, rigid.omega_squared);
    structure->rest = is_kept ? rigid.omega_squared : NULL;
done:
    sparse_clear(&sparse);
    return status;
}

/* Modal form of M and K (both checked symmetric). */
static enum masing_status solve_modes(const struct masing_spec *spec, const double *stiffness,
                                      struct structure *structure, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct condensed condensed = {0};
    struct singular_mass turned = {0};
    struct modes modes = {0};
    TRY(condense(spec, structure->mass, stiffness, &turned, &condensed, error));
    int n = condensed.n_kept;
    structure->shift = spectral_shift(spec, n, condensed.mass, condensed.stiffness);
    TRY(modes_create(n, condensed.mass, condensed.stiffness, structure->shift, true, &modes,
                     error));
    modes_set_rigid(&modes, spec->structure.n_rigid);
    if (modes.omega_squared[0] < 0) {
        int dof = largest_dof(n, condensed.stiffness, modes.shapes);
        TRY(refuse_unstable(spec, dof_of(&condensed, structure->n_dofs, condensed.kept[dof]),
                            modes.omega_squared[0], error));
    }
    TRY(take_modes(&condensed, &modes, structure, error));
    TRY(turned.turn ? singular_mass_turn_back(&turned, structure, error) : MASING_OK);
    TRY(keep_rest(&spec->structure, stiffness, structure, error));
    if (spec->structure.n_beam_elements > 0) {
        TRY(beam_element_frequencies(&spec->structure, stiffness, structure, error));
    }
done:
    if (status == MASING_SINGULAR) {
        int failed = condensed.kept[modes.failed_dof];
        status = refuse_unstable(spec, dof_of(&condensed, structure->n_dofs, failed), -INFINITY,
                                 error);
    }
    arena_clear(&condensed.arena);
    arena_clear(&turned.arena);
    modes_clear(&modes);
    return status;
}

enum masing_status structure_create(const struct masing_spec *spec, struct structure **result,
                                    struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_structure_spec *given = &spec->structure;
    struct arena scratch = {0};
    double *stiffness = NULL;
    struct structure *structure = memory_array(1, sizeof *structure);
    TRY_ALLOCATED(structure);
    if (given->n_dofs < 1) {
        TRY(model_refuse(spec, given->place, error,
                         "structure: no DOFs, expected at least one"));
    }
    if (given->mass && !given->stiffness) {
        TRY(model_refuse(spec, given->place, error,
                         "structure: mass without stiffness, expected both"));
    }
    structure->n_dofs = given->n_dofs;
    if (given->mass) {
        TRY(copy_symmetric(spec, "mass", given->mass_place, given->mass, &structure->arena,
                           &structure->mass, error));
        TRY(copy_symmetric(spec, "stiffness", given->stiffness_place, given->stiffness,
                           &scratch, &stiffness, error));
        spinning_stiffen(spec, stiffness);
        TRY(solve_modes(spec, stiffness, structure, error));
    } else {
        TRY(take_modal_data(spec, structure, error));
    }
done:
    arena_clear(&scratch);
    if (status != MASING_OK) {
        structure_destroy(structure);
        structure = NULL;
    }
    *result = structure;
    return status;
}

enum masing_status structure_couple(const struct masing_spec *spec, const double *at,
                                    struct structure *structure, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    const struct masing_structure_spec *given = &spec->structure;
    struct arena scratch = {0};
    double *damping = NULL;
    if (given->damping) {
        TRY(copy_symmetric(spec, "damping", given->damping_place, given->damping, &scratch,
                           &damping, error));
    }
    TRY(spinning_has_speed(given) ? spinning_damping(spec, at, damping, structure, error)
                                  : damping_create(spec, at, damping, structure, error));
    TRY(spinning_couple(spec, structure, error));
    size_t n = (size_t)structure->n_modes;
    structure->omega_stuck = arena_doubles(&structure->arena, n);
    structure->omega_free = arena_doubles(&structure->arena, n);
    TRY_ALLOCATED(!structure->arena.has_failed);
    TRY(joint_frequencies(spec, structure, at, JOINT_STUCK, structure->omega_stuck, error));
    TRY(joint_frequencies(spec, structure, at, JOINT_FREE, structure->omega_free, error));
done:
    arena_clear(&scratch);
    return status;
}

void structure_destroy(struct structure *structure)
{
    if (structure) {
        arena_clear(&structure->arena);
        free(structure);
    }
}

size_t structure_uncoupled_modes(const struct structure *structure)
{
    size_t n = (size_t)structure->n_modes, first = n;
    for (size_t j = 0; structure->damping_matrix && j < n; j++) {
        for (size_t i = 0; i < j && i < first; i++) {
            if (structure->damping_matrix[j * n + i] != 0.0 ||
                structure->damping_matrix[i * n + j] != 0.0) {
                first = i;
            }
        }
    }
    return first;
}

int structure_count_modes(const struct structure *structure, double omega)
{
    int n = structure->n_rigid;
    while (n < structure->n_modes && structure->omega[n] <= omega) {
        n++;
    }
    return n;
}

enum masing_status structure_inertia(const struct structure *structure, const double *direction,
                                     double *force, struct masing_error *error)
{
    if (!structure->mass) {
        return masing_error_set(error, MASING_INVALID,
                                "an acceleration needs the mass matrix, which modal data give "
                                "only with as many independent shapes as DOFs");
    }
    dense_multiply(structure->n_dofs, 1, structure->n_dofs, structure->mass, direction, force);
    return MASING_OK;
}
