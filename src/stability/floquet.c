/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/floquet.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "model/joints.h"

/* A solution at the steps of a period. */
struct solution {
    const struct balance *balance;
    double *functions; /* [n_c] of the basis at the place */
    double omega;
    int n_steps, n_kept; /* of a period; coefficients that the motion has */
};

/* Displacement and velocity of one axis, given by its coefficients; functions [n_c]. */
static void axis_motion(const struct solution *solution, const double *c, double *x, double *v)
{
    const struct basis *basis = solution->balance->basis;
    *x = *v = 0.0;
    for (int k = 0; k < basis->n_harmonics; k++) {
        int h = basis->harmonics[k];
        const double *part = c + basis->position[k];
        const double *wave = solution->functions + basis->position[k];
        *x += part[0] * wave[0] + (h > 0 ? part[1] * wave[1] : 0.0);
        *v += h > 0 ? solution->omega * h * (part[1] * wave[0] - part[0] * wave[1]) : 0.0;
    }
}

static void motion_at(const void *context, double step, double *x, double *v)
{
    const struct solution *solution = context;
    const struct balance *balance = solution->balance;
    size_t n_c = (size_t)balance->n_coefficients;
    basis_functions(balance->basis, TWO_PI * step / solution->n_steps, solution->functions);
    memset(solution->functions + solution->n_kept, 0,
           (n_c - (size_t)solution->n_kept) * sizeof(double));
    for (int j = 0; j < balance->n_joints; j++) {
        const struct joint_response *response = balance->joints[j];
        int first = response->joint->first_axis;
        for (int a = 0; a < response->n_axes; a++) {
            axis_motion(solution, response->x + (size_t)a * n_c, &x[first + a], &v[first + a]);
        }
    }
}

enum masing_status floquet_create(const struct balance *balance, int n_modes, int most_states,
                                  struct arena *arena, struct floquet **floquet,
                                  struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct floquet *made = arena_array(arena, 1, sizeof *made);
    TRY_ALLOCATED(made);
    made->functions = arena_doubles(arena, (size_t)balance->n_coefficients);
    TRY_ALLOCATED(made->functions);
    TRY(variation_create(balance->model, n_modes, most_states, arena, &made->variation, error));
    *floquet = made;
done:
    return status;
}

/* States at the beginning of the period: where the balance found them, or, for laws that are
 * steady after so many periods, by following the motion from rest. */
static enum masing_status settle(struct variation *variation, const struct balance *balance,
                                 const struct variation_motion *motion)
{
    int n_periods = 0;
    for (int j = 0; j < variation->n_joints; j++) {
        const struct joint *joint = &variation->model->joints[j];
        const struct masing_family *family = joint->law->family;
        const struct joint_response *response = balance->joints[j];
        if (response->state && family->settling_periods < 0) {
            memcpy(variation->state[j], response->state, variation->size[j] * sizeof(double));
        } else if (variation->size[j] > 0) {
            masing_law_rest(joint->law, joint->parameters, balance->origin + joint->first_axis,
                            variation->state[j]);
            n_periods =
                family->settling_periods > n_periods ? family->settling_periods : n_periods;
        }
    }
    enum masing_status status = MASING_OK;
    for (int i = 0; n_periods > 0 && i <= n_periods * motion->n_steps && status == MASING_OK;
         i++) {
        status = progress_is_cancelled(motion->progress)
                     ? MASING_NOT_FINITE
                     : variation_move(variation, motion, i, true);
    }
    return status;
}

enum masing_status floquet_evaluate(struct floquet *floquet, const struct balance *balance,
                                    double omega, int n_steps, int n_kept)
{
    const struct solution solution = {balance, floquet->functions, omega, n_steps, n_kept};
    const struct variation_motion motion = {.context = &solution,
                                            .place = motion_at,
                                            .time_step = TWO_PI / (omega * n_steps),
                                            .n_steps = n_steps,
                                            .progress = balance->progress};
    enum masing_status status = settle(floquet->variation, balance, &motion);
    floquet->variation->is_periodic = true;
    return status == MASING_OK ? variation_follow(floquet->variation, &motion) : status;
}

/*
 * ---- Hill's equation ----
 *
 * Of laws without memory: q'' + D q' + omega^2 q + A^T (k(t) A q + c(t) A q') = 0 with the
 * tangents k and c of the joints, by collocation at the points of Gauss and Legendre in
 * elements of a period, which is of order 12 (Hairer, Norsett and Wanner 1993, section II.7).
 * What the structure does in an element is found once; the forces of the joints at its points
 * follow from a small system.
 */
enum { STAGES = 6, FEWEST_ELEMENTS = 8 };
static const double POINTS[STAGES + 1] = {0.033765242898423986094,
                                          0.16939530676686774317,
                                          0.38069040695840154568,
                                          0.61930959304159845432,
                                          0.83060469323313225683,
                                          0.96623475710157601391,
                                          1.0};
/* Elements are parted where a tangent jumps by this part of the largest so far; the place is
 * found to that part of an element. */
static const double TANGENT_JUMP = 0.25, KINK_WIDTH = 1e-9;
/* So many pieces, one within another, are not of a law with a few kinks. */
enum { DEEPEST_PIECE = 8 };
/* Products of so few factors cost less here than on their way to the BLAS. */
enum { SMALL_PRODUCT = 1000 };

/* An element of a length h, all column-major; r = STAGES n_axes, the axes of a point side by
 * side, after which velocities follow. */
struct hill_level {
    double h;
    double *seen, *complying; /* [2 r][2 n], [2 r][r]: the axes' motion per q, v; per force */
    double *free, *forced;    /* [2 n][2 n], [2 n][r]: q and v at the end likewise */
};

struct hill {
    const struct masing_model *model; /* lent */
    size_t n, n_axes, r;
    double a[STAGES + 1][STAGES];  /* integrals of Lagrange's polynomials up to the points */
    double aa[STAGES + 1][STAGES]; /* and of those */
    double *axes;                  /* [n_axes][n] */
    struct hill_level whole, part;
    double *matrix, *stages; /* [STAGES n][STAGES n], [STAGES n][2 n + r] accelerations */
    int *pivots;
    double *functions;            /* [n_c] of the basis */
    double *x, *v;                /* [n_axes] of the motion */
    double *tangents;             /* [2 r] by displacement, by velocity */
    double *now, *last, *largest; /* [2 n_axes] at a place; before it; of all so far */
    double *motion, *force;       /* [2 r][2 n], [r][2 n] of the axes */
    double *system;               /* [r][r] of the forces */
    double *scratch, *map;        /* [2 n][2 n] */
    bool has_kinks;               /* there are laws whose tangents may jump */
};

static enum masing_status refuse_hill(const struct balance *balance, struct masing_error *error)
{
    const struct masing_model *model = balance->model;
    for (int j = 0; j < model->spec.n_joints; j++) {
        const struct joint *joint = &model->joints[j];
        if (masing_law_state_size(joint->law, joint->parameters) > 0 || joint->n_axes > 1) {
            return masing_error_set(error, MASING_UNSUPPORTED,
                                    "Hill's equation needs forces without memory, and joint %s "
                                    "(%s) has one: Floquet multipliers are found for any law",
                                    joint->name, joint->law->name);
        }
    }
    if (balance->structure->flexibility) {
        return masing_error_set(error, MASING_UNSUPPORTED,
                                "Hill's equation with massless DOFs is not supported");
    }
    return MASING_OK;
}

/* sum over j of a_ij c_j^k = c_i^(k + 1) / (k + 1) */
static enum masing_status fill_rule(struct hill *hill)
{
    double powers[STAGES * STAGES];
    int pivots[STAGES];
    for (int i = 0; i < STAGES * STAGES; i++) {
        powers[i] = pow(POINTS[i / STAGES], i % STAGES);
    }
    enum masing_status status = lu_factor(STAGES, powers, pivots);
    for (int i = 0; i <= STAGES && status == MASING_OK; i++) {
        for (int k = 0; k < STAGES; k++) {
            hill->a[i][k] = pow(POINTS[i], k + 1) / (k + 1);
        }
        lu_solve(STAGES, powers, pivots, hill->a[i], 1);
    }
    for (int i = 0; i <= STAGES; i++) {
        for (int k = 0; k < STAGES; k++) {
            for (int j = 0; j < STAGES; j++) {
                hill->aa[i][k] += hill->a[i][j] * hill->a[j][k];
            }
        }
    }
    return status;
}

enum masing_status hill_create(const struct balance *balance, struct arena *arena,
                               struct hill **hill, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY(refuse_hill(balance, error));
    struct hill *made = arena_array(arena, 1, sizeof *made);
    TRY_ALLOCATED(made);
    size_t n = (size_t)balance->structure->n_modes, n_axes = (size_t)balance->n_axes;
    size_t r = STAGES * n_axes;
    *made = (struct hill){.model = balance->model,
                          .n = n,
                          .n_axes = n_axes,
                          .r = r,
                          .axes = arena_doubles(arena, n_axes * n),
                          .matrix = arena_doubles(arena, STAGES * n * STAGES * n),
                          .stages = arena_doubles(arena, STAGES * n * (2 * n + r)),
                          .pivots = arena_array(arena, STAGES * n + r, sizeof(int)),
                          .functions = arena_doubles(arena, (size_t)balance->n_coefficients),
                          .x = arena_doubles(arena, n_axes),
                          .v = arena_doubles(arena, n_axes),
                          .tangents = arena_doubles(arena, 2 * r),
                          .now = arena_doubles(arena, 2 * n_axes),
                          .last = arena_doubles(arena, 2 * n_axes),
                          .largest = arena_doubles(arena, 2 * n_axes),
                          .motion = arena_doubles(arena, 4 * n * r),
                          .force = arena_doubles(arena, 2 * n * r),
                          .system = arena_doubles(arena, r * r),
                          .scratch = arena_doubles(arena, 4 * n * n),
                          .map = arena_doubles(arena, 4 * n * n)};
    struct hill_level *levels[] = {&made->whole, &made->part};
    for (int l = 0; l < 2; l++) {
        *levels[l] = (struct hill_level){.seen = arena_doubles(arena, 4 * n * r),
                                         .complying = arena_doubles(arena, 2 * r * r),
                                         .free = arena_doubles(arena, 4 * n * n),
                                         .forced = arena_doubles(arena, 2 * n * r)};
    }
    for (int j = 0; j < balance->n_joints; j++) {
        made->has_kinks =
            made->has_kinks || balance->joints[j]->joint->law->is_piecewise_linear;
    }
    TRY_ALLOCATED(!arena->has_failed);
    axis_shapes(balance->model, (int)n, balance->structure->shapes, made->axes);
    status = fill_rule(made);
    *hill = made;
done:
    return status;
}

/* Accelerations at the points of an element of m modes that damping couples to no others,
 * [STAGES m][2 m + r]: per q, per v, per force of a joint. */
static enum masing_status find_accelerations(struct hill *hill, double h, size_t first,
                                             size_t m)
{
    const struct structure *structure = hill->model->structure;
    size_t n = hill->n, rows = STAGES * m, columns = 2 * m + hill->r;
    memset(hill->stages, 0, rows * columns * sizeof(double));
    for (size_t at = 0; at < rows * m; at++) {
        size_t j = at / (m * m), k = at / m % m, l = at % m; /* a point, two modes */
        double omega = structure->omega[first + k], square = k == l ? omega * omega : 0.0;
        double damping = structure->damping_matrix
                             ? structure->damping_matrix[first + k + (first + l) * n]
                             : structure->modal_damping[first + k];
        for (size_t i = 0; i < STAGES; i++) {
            hill->matrix[i * m + k + (j * m + l) * rows] = (i == j && k == l ? 1.0 : 0.0) +
                                                           h * hill->a[i][j] * damping +
                                                           h * h * hill->aa[i][j] * square;
        }
        hill->stages[j * m + k + l * rows] = -square;
        hill->stages[j * m + k + (m + l) * rows] = -square * POINTS[j] * h - damping;
    }
    for (size_t f = 0; f < hill->r; f++) {
        for (size_t k = 0; k < m; k++) {
            hill->stages[f / hill->n_axes * m + k + (2 * m + f) * rows] =
                -hill->axes[f % hill->n_axes * n + first + k];
        }
    }
    enum masing_status status = lu_factor((int)rows, hill->matrix, hill->pivots);
    if (status == MASING_OK) {
        lu_solve((int)rows, hill->matrix, hill->pivots, hill->stages, (int)columns);
    }
    return status;
}

/* What m modes take part in of all that an element does. */
static void add_modes(const struct hill *hill, struct hill_level *level, size_t first, size_t m)
{
    size_t n = hill->n, r = hill->r, n_axes = hill->n_axes;
    double h = level->h;
    for (size_t c = 0; c < 2 * m + r; c++) {
        const double *acceleration = hill->stages + c * STAGES * m;
        size_t column = c < m ? first + c : c < 2 * m ? n + first + c - m : c - 2 * m;
        double *end = (c < 2 * m ? level->free : level->forced) + column * 2 * n + first;
        double *seen = (c < 2 * m ? level->seen : level->complying) + column * 2 * r;
        for (size_t at = 0; at < (STAGES + 1) * m; at++) {
            size_t i = at / m, k = at % m;
            double q = c == k ? 1.0 : c == m + k ? POINTS[i] * h : 0.0, v = c == m + k;
            for (size_t j = 0; j < STAGES; j++) {
                q += h * h * hill->aa[i][j] * acceleration[j * m + k];
                v += h * hill->a[i][j] * acceleration[j * m + k];
            }
            for (size_t a = 0; i < STAGES && a < n_axes; a++) {
                seen[i * n_axes + a] += hill->axes[a * n + first + k] * q;
                seen[r + i * n_axes + a] += hill->axes[a * n + first + k] * v;
            }
            end[k] = q; /* the last point's stays */
            end[n + k] = v;
        }
    }
}

static enum masing_status set_level(struct hill *hill, struct hill_level *level, double h)
{
    enum masing_status status = MASING_OK;
    size_t n = hill->n, r = hill->r, lead = structure_uncoupled_modes(hill->model->structure);
    if (level->h == h) {
        return MASING_OK;
    }
    level->h = h;
    memset(level->seen, 0, 4 * n * r * sizeof(double));
    memset(level->complying, 0, 2 * r * r * sizeof(double));
    for (size_t first = 0, m = 1; first < n; first += m) {
        m = first < lead ? 1 : n - first;
        TRY(find_accelerations(hill, h, first, m));
        add_modes(hill, level, first, m);
    }
done:
    return status;
}

/* Tangents at a place of the motion go to `now`; whether one is beyond a jump. */
static bool look_at(struct hill *hill, const struct solution *solution, double place)
{
    bool has_jumped = false;
    motion_at(solution, place, hill->x, hill->v);
    for (int j = 0; j < hill->model->spec.n_joints; j++) {
        const struct joint *joint = &hill->model->joints[j];
        size_t axis = (size_t)joint->first_axis;
        const struct masing_branch_point at = {.x = hill->x[axis], .v = hill->v[axis]};
        struct masing_rate force;
        joint->law->force(joint->parameters, 1, &at, &force);
        hill->now[axis] = force.x;
        hill->now[hill->n_axes + axis] = force.v;
        for (size_t i = axis; i < 2 * hill->n_axes; i += hill->n_axes) {
            hill->largest[i] = fmax(hill->largest[i], fabs(hill->now[i]));
            has_jumped = has_jumped ||
                         (joint->law->is_piecewise_linear &&
                          fabs(hill->now[i] - hill->last[i]) > TANGENT_JUMP * hill->largest[i]);
        }
    }
    return has_jumped;
}

static void accept_tangents(struct hill *hill)
{
    memcpy(hill->last, hill->now, 2 * hill->n_axes * sizeof(double));
}

/* A piece of an element: up to its end, or to where a tangent jumps before. */
struct piece {
    double from, to;
    double kink[2]; /* beside the first jump; INFINITY: there is none */
};

/* Tangents at the points of a piece. Its end is looked at where there may be jumps: the next
 * one begins with what is found there. */
static void find_tangents(struct hill *hill, const struct solution *solution,
                          struct piece *piece)
{
    double before = piece->from;
    piece->kink[0] = piece->kink[1] = INFINITY;
    for (size_t i = 0; i < STAGES + (hill->has_kinks ? 1 : 0); i++) {
        double place = piece->from + POINTS[i] * (piece->to - piece->from);
        if (look_at(hill, solution, place) && piece->kink[1] == INFINITY) {
            piece->kink[0] = before;
            piece->kink[1] = place;
        }
        for (size_t a = 0; i < STAGES && a < hill->n_axes; a++) {
            hill->tangents[i * hill->n_axes + a] = hill->now[a];
            hill->tangents[hill->r + i * hill->n_axes + a] = hill->now[hill->n_axes + a];
        }
        before = place;
    }
}

static void narrow_kink(struct hill *hill, const struct solution *solution, double kink[2])
{
    while (kink[1] - kink[0] > KINK_WIDTH) {
        double middle = 0.5 * (kink[0] + kink[1]);
        kink[look_at(hill, solution, middle) ? 1 : 0] = middle;
    }
}

/* z = free z, each mode for itself where damping couples none. */
static void cross_freely(struct hill *hill, const struct hill_level *level)
{
    size_t n = hill->n, width = 2 * n;
    const double *free = level->free;
    if (hill->model->structure->damping_matrix) {
        dense_multiply((int)width, (int)width, (int)width, free, hill->map, hill->scratch);
        memcpy(hill->map, hill->scratch, width * width * sizeof(double));
        return;
    }
    for (double *z = hill->map; z < hill->map + width * width; z += width) {
        for (size_t k = 0, at = 0; k < n; k++, at += width + 1) {
            double q = z[k], v = z[n + k];
            z[k] = free[at] * q + free[at + n * width] * v;
            z[n + k] = free[at + n] * q + free[at + n + n * width] * v;
        }
    }
}

/* c [m * n] = a b, b [k * n], the others parts of larger matrices */
static void multiply(size_t m, size_t n, size_t k, const double *a, size_t a_rows,
                     const double *b, double *c, size_t c_rows)
{
    if (m * n * k > SMALL_PRODUCT) {
        dense_multiply_parts((int)m, (int)n, (int)k, a, (int)a_rows, b, (int)k, c, (int)c_rows);
        return;
    }
    for (size_t column = 0; column < n; column++) {
        double *out = c + column * c_rows;
        memset(out, 0, m * sizeof *out);
        for (size_t l = 0; l < k; l++) {
            double factor = b[column * k + l];
            for (size_t i = 0; i < m; i++) {
                out[i] += factor * a[l * a_rows + i];
            }
        }
    }
}

/* The forces of the joints at the points, (1 - k C_x - c C_v) f = k x + c v, and what they do
 * up to the end. */
static enum masing_status cross_element(struct hill *hill, const struct hill_level *level)
{
    size_t r = hill->r, width = 2 * hill->n;
    const double *by_x = hill->tangents, *by_v = by_x + r;
    if (r == 0) {
        cross_freely(hill, level);
        return MASING_OK;
    }
    size_t n_seen = dense_is_zero(r, by_v) ? r : 2 * r; /* velocities, if they count */
    multiply(n_seen, width, width, level->seen, 2 * r, hill->map, hill->motion, 2 * r);
    cross_freely(hill, level);
    for (size_t c = 0; c < width; c++) {
        const double *x = hill->motion + c * 2 * r, *v = x + r;
        for (size_t i = 0; i < r; i++) {
            hill->force[c * r + i] = by_x[i] * x[i] + (n_seen > r ? by_v[i] * v[i] : 0.0);
        }
    }
    for (size_t c = 0; c < r; c++) {
        const double *x = level->complying + c * 2 * r, *v = x + r;
        for (size_t i = 0; i < r; i++) {
            hill->system[c * r + i] = (i == c ? 1.0 : 0.0) - by_x[i] * x[i] - by_v[i] * v[i];
        }
    }
    NEED(lu_factor((int)r, hill->system, hill->pivots));
    lu_solve((int)r, hill->system, hill->pivots, hill->force, (int)width);
    multiply(width, width, r, level->forced, width, hill->force, hill->scratch, width);
    for (size_t i = 0; i < width * width; i++) {
        hill->map[i] += hill->scratch[i];
    }
    return MASING_OK;
}

static enum masing_status cross_piece(struct hill *hill, const struct solution *solution,
                                      const struct piece *piece)
{
    double parts = piece->to - piece->from; /* of an element */
    struct hill_level *level = parts == 1.0 ? &hill->whole : &hill->part;
    NEED(set_level(hill, level, parts * TWO_PI / (solution->omega * solution->n_steps)));
    return cross_element(hill, level);
}

/* From one place of the motion to another, in pieces between jumps of tangents. */
static enum masing_status cross(struct hill *hill, const struct solution *solution, double from,
                                double to, int depth)
{
    struct piece piece = {.from = from, .to = to};
    if (progress_is_cancelled(solution->balance->progress)) {
        return MASING_NOT_FINITE;
    }
    find_tangents(hill, solution, &piece);
    if (piece.kink[0] == INFINITY || depth == DEEPEST_PIECE) {
        accept_tangents(hill);
        return cross_piece(hill, solution, &piece);
    }
    narrow_kink(hill, solution, piece.kink);
    if (piece.kink[0] > from) {
        NEED(cross(hill, solution, from, piece.kink[0], depth + 1));
    }
    look_at(hill, solution, piece.kink[1]);
    accept_tangents(hill);
    return cross(hill, solution, piece.kink[0], to, depth + 1);
}

enum masing_status hill_evaluate(struct hill *hill, const struct balance *balance, double omega,
                                 int n_elements, int n_kept)
{
    enum masing_status status = MASING_OK;
    const struct solution solution = {balance, hill->functions, omega, n_elements, n_kept};
    size_t width = 2 * hill->n;
    memset(hill->map, 0, width * width * sizeof(double));
    for (size_t i = 0; i < width; i++) {
        hill->map[i * (width + 1)] = 1.0;
    }
    memset(hill->largest, 0, 2 * hill->n_axes * sizeof(double));
    look_at(hill, &solution, 0.0);
    accept_tangents(hill);
    for (int e = 0; e < n_elements; e++) {
        TRY(cross(hill, &solution, e, e + 1, 0));
    }
done:
    return status;
}

int hill_fewest_elements(const struct hill *hill, int highest, double omega)
{
    const double *modes = hill->model->structure->omega;
    int n = FEWEST_ELEMENTS;
    while (2 * n < highest) {
        n *= 2;
    }
    bool is_fast = hill->n > 0 && modes[hill->n - 1] > n * omega;
    return hill->has_kinks || is_fast ? 2 * n : n;
}

double *hill_map(struct hill *hill)
{
    return hill->map;
}
