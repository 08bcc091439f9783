/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/corrector.h"

#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "base/check.h"
#include "base/memory.h"
#include "continuation/metric.h"
#include "linalg/dense.h"

/* ---- the policy of Newton's method ---- */

/*
 * What an iteration has shown so far, and what follows from it: whether the next residual
 * should bring its Jacobian, whether old factors do, whether to go on. The Jacobian is
 * evaluated together with the residual while the last correction is above `chord` and the next
 * residual is not expected to be within the tolerance; after that the residual only verifies,
 * and old factors do for what is left.
 */
struct newton {
    double tolerance;
    double chord;     /* corrections below this are left to old factors */
    double quadratic; /* correction / correction before^2, kept from solve to solve */

    /* of the solve under way */
    double residual, residual_before, residual_earlier;
    double residual_first; /* at the guess */
    double correction;
    int evaluations;
    int stalled;   /* corrections in a row that hardly shrank */
    bool is_chord; /* the factors in use are older than the last residual */
    bool is_kept;  /* and come from another point */
    int n_kept;    /* steps by those before they were given up */
    int n_solved;  /* linear systems */
};

static const double LARGEST_CHORD = 1e-4;
/* Old factors serve again only if the residual fell at least by this. */
static const double CHORD_CONTRACTION = 0.2;
/* Kept factors do as long as the residual falls at least by this in two steps. */
static const double KEPT_CONTRACTION = 0.5;
static const double STALLED_CONTRACTION = 0.9;
enum { MAX_STALLED = 2 };

/* A correction was made; false where going on is a waste. */
static bool newton_correct(struct newton *newton, double correction)
{
    double before = newton->correction;
    newton->correction = correction;
    newton->residual_earlier = newton->residual_before;
    newton->residual_before = newton->residual;
    if (newton->evaluations < 2) {
        return true;
    }
    bool is_stalled = correction > STALLED_CONTRACTION * before;
    newton->stalled = is_stalled ? newton->stalled + 1 : 0;
    if (!newton->is_chord && before > 0.0 && !is_stalled) {
        newton->quadratic = correction / (before * before);
    }
    return newton->stalled < MAX_STALLED;
}

/* By iteration the first step, whose error is that of the linearisation, is solved for as
 * exactly as the first number tells, the others by the second; and none more exactly than this
 * part of the tolerance. */
static const double FIRST_FORCING = 1e-2, FORCING = 1e-3, EXACT_ENOUGH = 0.1;

static struct linear_accuracy newton_accuracy(struct newton *newton)
{
    return (struct linear_accuracy){.relative =
                                        newton->n_solved++ == 0 ? FIRST_FORCING : FORCING,
                                    .absolute = EXACT_ENOUGH * newton->tolerance};
}

static bool newton_has_diverged(const struct newton *newton)
{
    return newton->residual > newton->residual_first;
}

/* Whether old factors do for the next step. Those from another point, and what steps have shown
 * since, may do little at the first step, and at one in two. */
static bool newton_goes_on(const struct newton *newton)
{
    if (newton->is_kept) {
        double before = fmax(newton->residual_before, newton->residual_earlier);
        return newton->residual <= KEPT_CONTRACTION * before && !newton_has_diverged(newton);
    }
    return newton->residual <= CHORD_CONTRACTION * newton->residual_before;
}

/* Whether the residual that comes next should bring its Jacobian. */
static bool newton_needs_jacobian(const struct newton *newton)
{
    if (newton->evaluations == 0) {
        return true;
    }
    double correction = newton->correction;
    if (correction <= newton->chord) {
        return false;
    }
    /* the next correction, and the residual that belongs to it */
    double next = newton->quadratic * correction * correction;
    return next * newton->residual_before / correction > 0.3 * newton->tolerance;
}

/* ---- many unknowns: factors that are kept, and what steps have shown since ---- */

/*
 * Broyden's update of the inverse matrix, B_(k+1) s_k = f_(k+1) - f_k, in the form that needs
 * the steps s_k alone (C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations,
 * SIAM 1995, section 7.3), in the inner product of the arc length.
 */
enum { MOST_UPDATES = 12 };
/* A step that an update would lengthen by more than the inverse of this is not updated. */
static const double LEAST_DENOMINATOR = 0.2;

/* Left of A t = e where tangents come by iteration. */
static const double TANGENT_RESIDUAL = 1e-9;

struct broyden {
    int n;
    double *steps[MOST_UPDATES];   /* [size] s_k, and below what the inverse makes of them: */
    double *changes[MOST_UPDATES]; /* [size] B_(k+1)^-1 = (I + changes s_k^T / s_k^2) B_k^-1 */
    double square[MOST_UPDATES];   /* s_k^2 */
    double *last;                  /* [size] the step that the next residual shows */
    bool is_pending;               /* there is one */
};

/* The residual that comes next is not that behind the last step. */
static void broyden_interrupt(struct broyden *broyden)
{
    broyden->is_pending = false;
}

static void broyden_reset(struct broyden *broyden)
{
    broyden->n = 0;
    broyden->is_pending = false;
}

static void add_multiple(int size, double factor, const double *x, double *sum)
{
    for (int i = 0; i < size; i++) {
        sum[i] += factor * x[i];
    }
}

/* step [size] is what the factors alone make of the residual. */
static void broyden_update(struct broyden *broyden, int size, const double *metric,
                           double *step)
{
    size_t bytes = (size_t)size * sizeof *step;
    for (int k = 0; k < broyden->n; k++) {
        double part = metric_dot(size, metric, broyden->steps[k], step) / broyden->square[k];
        add_multiple(size, part, broyden->changes[k], step);
    }
    double square =
        broyden->is_pending ? metric_dot(size, metric, broyden->last, broyden->last) : 0.0;
    double part = square > 0.0 ? metric_dot(size, metric, broyden->last, step) / square : 1.0;
    if (part < 1.0 - LEAST_DENOMINATOR) {
        add_multiple(size, part / (1.0 - part), step, step);
        if (broyden->n < MOST_UPDATES) {
            memcpy(broyden->steps[broyden->n], broyden->last, bytes);
            memcpy(broyden->changes[broyden->n], step, bytes);
            broyden->square[broyden->n++] = square;
        }
    }
    memcpy(broyden->last, step, bytes);
    broyden->is_pending = true;
}

/* ---- a bordered matrix as SUNDIALS has it ---- */

/* An empty SUNMatrix, and a SUNLinearSolver that solves with the factors at hand. They are made
 * where KINSOL needs the Jacobian. */
struct linear_solver {
    const struct bordered *bordered;
    struct newton *newton;
    struct broyden *broyden;   /* NULL: few unknowns */
    enum masing_status status; /* of the last failure */
    SUNMatrix matrix;
    SUNLinearSolver solver;
};

/* x [size]: the residual becomes the step by which it may vanish. */
static enum masing_status newton_step(const struct linear_solver *linear,
                                      struct linear_accuracy accuracy, double *x)
{
    enum masing_status status = bordered_solve_to(linear->bordered, accuracy, x);
    if (linear->broyden && status == MASING_OK) {
        broyden_update(linear->broyden, linear->bordered->size, linear->bordered->metric, x);
    }
    return status;
}

static SUNLinearSolver_Type linear_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

/* b is KINSOL's own and stays as it is: a line search needs it afterwards. */
static int linear_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                        realtype tolerance)
{
    (void)matrix;
    (void)tolerance;
    struct linear_solver *linear = solver->content;
    memcpy(NV_DATA_S(x), NV_DATA_S(b), (size_t)linear->bordered->size * sizeof(double));
    linear->status = newton_step(linear, newton_accuracy(linear->newton), NV_DATA_S(x));
    return linear->status == MASING_OK ? SUNLS_SUCCESS : SUNLS_PACKAGE_FAIL_UNREC;
}

static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

/* Every Jacobian is complete: there is nothing to clear before. */
static int matrix_zero(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMAT_SUCCESS;
}

/* ---- the corrector ---- */

/* A residual this far within the tolerance needs no polish. */
static const double POLISHED = 1e-3;
/* Nearer to the plane of the last row than this, which is linear, nothing comes. */
static const double ON_PLANE = 1e-12;
/* KINSOL's line search looks for a step that is neither too long nor too short; where the
 * residual jumps there is none, and it halves an interval down to nothing. A step that needs
 * more than ten halvings is 1e-3 of Newton's, and leads nowhere. */
enum { EVALUATIONS_PER_STEP = 12, EVALUATIONS_PER_ITERATION = 10 };

const struct corrector_request corrector_newton = {.limit = INFINITY, .max_iterations = 20};
const struct corrector_request corrector_line_search = {
    .limit = INFINITY, .max_iterations = 100, .is_line_search = true};

/* A line search that has not found a solution close by after so many finds none, where forces
 * are sampled, and takes ten times as long to see it. */
enum { ITERATIONS_CLOSE_BY = 20 };

struct corrector {
    struct arena arena;        /* of its arrays */
    struct bordered *bordered; /* lent */
    struct newton newton;
    SUNContext sundials;
    void *kinsol;
    N_Vector solution, u_scale, f_scale;
    struct linear_solver linear;
    struct broyden broyden; /* where there are many unknowns */

    /* of the solve under way */
    const struct corrector_request *request;
    double *start, *last;   /* [size] guess; where the residual was evaluated last */
    double *f;              /* [size] the residual there */
    double *work;           /* [size] */
    int n_requested;        /* residuals that KINSOL requested, see most_evaluations */
    int n_steps;            /* Newton's, or of the line search */
    int n_unhalved;         /* of the line search since the residual was halved */
    double halved;          /* the residual then */
    bool has_jacobian;      /* evaluated at `last` */
    enum masing_status why; /* what made a callback fail */
};

/* The step that was made to u. */
static enum masing_status judge_step(struct corrector *c, const double *u)
{
    const struct bordered *b = c->bordered;
    double correction = metric_distance(b->size, b->metric, u, c->last);
    if (!isfinite(correction)) {
        return MASING_NOT_FINITE;
    }
    bool goes_on = newton_correct(&c->newton, correction);
    if (c->request->is_line_search) {
        return MASING_OK;
    }
    bool is_near = metric_distance(b->size, b->metric, u, c->start) <= c->request->limit;
    return goes_on && is_near ? MASING_OK : MASING_NOT_CONVERGED;
}

static bool is_jacobian_due(const struct corrector *c)
{
    if (c->request->is_line_search) {
        return c->newton.evaluations == 0;
    }
    if (c->linear.broyden) {
        return c->newton.evaluations == 0 && !c->newton.is_kept;
    }
    return c->request->is_exact || newton_needs_jacobian(&c->newton);
}

/* Whether a guess is taken for a solution as it is. */
static bool is_guess_accepted(const struct corrector *c, const double *f)
{
    return c->request->accepts_guess && c->newton.evaluations == 1 &&
           c->newton.residual <= c->newton.tolerance && fabs(f[c->bordered->n]) <= ON_PLANE;
}

/* f [size] at u, with its Jacobian where that is due. */
static enum masing_status evaluate_at(struct corrector *c, const double *u, double *f)
{
    if (c->newton.evaluations > 0) {
        NEED(judge_step(c, u));
    }
    bool with_jacobian = is_jacobian_due(c);
    double residual;
    c->has_jacobian = false;
    c->newton.residual = INFINITY;
    memcpy(c->last, u, (size_t)c->bordered->size * sizeof *u);
    NEED(bordered_evaluate(c->bordered, u, with_jacobian, f, &residual));
    c->newton.residual = residual;
    c->newton.residual_first = c->newton.evaluations == 0 ? residual : c->newton.residual_first;
    c->newton.evaluations++;
    c->has_jacobian = with_jacobian;
    return MASING_OK;
}

/* Factors for the step from u, where the residual was evaluated last: those at hand where they
 * do, else of the Jacobian there. */
static enum masing_status provide_step(struct corrector *c, const double *u)
{
    bool has_old = c->bordered->has_factors && !c->has_jacobian;
    c->newton.is_chord = has_old && !c->request->is_line_search && newton_goes_on(&c->newton);
    if (c->newton.is_chord) {
        return MASING_OK;
    }
    if (c->newton.is_kept && newton_has_diverged(&c->newton)) {
        return MASING_NOT_CONVERGED;
    }
    c->newton.n_kept = c->newton.is_kept ? c->newton.evaluations - 1 : c->newton.n_kept;
    c->newton.is_kept = false;
    broyden_reset(&c->broyden);
    size_t bytes = (size_t)c->bordered->size * sizeof *u;
    if (!c->has_jacobian || memcmp(u, c->last, bytes) != 0) {
        double norm;
        NEED(bordered_evaluate(c->bordered, u, true, c->work, &norm));
        c->has_jacobian = memcmp(u, c->last, bytes) == 0;
    }
    return bordered_factor(c->bordered);
}

/* ---- Newton's steps ---- */

/* Of the size that KINSOL asks of a guess, in tolerances. */
static const double GOOD_GUESS = 0.01;

/* From u [size] to the solution; a chord, where the policy has it. */
static enum masing_status take_steps(struct corrector *c, double *u)
{
    const struct bordered *b = c->bordered;
    double tolerance = GOOD_GUESS * c->newton.tolerance;
    c->n_steps = 0;
    NEED(evaluate_at(c, u, c->f));
    while (fmax(c->newton.residual, fabs(c->f[b->n])) > tolerance &&
           !is_guess_accepted(c, c->f)) {
        /* a step of nothing leads nowhere */
        if (c->n_steps++ == c->request->max_iterations || c->newton.correction == 0.0) {
            return MASING_NOT_CONVERGED;
        }
        NEED(provide_step(c, u));
        for (int i = 0; i < b->size; i++) {
            c->work[i] = -c->f[i];
        }
        NEED(newton_step(&c->linear, newton_accuracy(&c->newton), c->work));
        for (int i = 0; i < b->size; i++) {
            u[i] += c->work[i];
        }
        NEED(evaluate_at(c, u, c->f));
        tolerance = c->newton.tolerance;
    }
    return MASING_OK;
}

/* ---- the line search, by KINSOL ---- */

/* A callback's answer to KINSOL: positive: a shorter step, negative: stop. */
static int answer(struct corrector *c, enum masing_status status)
{
    if (status == MASING_OK) {
        return 0;
    }
    c->why = status;
    return status > 0 ? 1 : -1;
}

/* Of a step near a solution; of all steps otherwise. */
static int most_evaluations(const struct corrector_request *request)
{
    return request->steps_to_halve > 0 ? EVALUATIONS_PER_STEP
                                       : EVALUATIONS_PER_ITERATION * request->max_iterations;
}

static int evaluate(N_Vector u_vector, N_Vector f_vector, void *context)
{
    struct corrector *c = context;
    size_t bytes = (size_t)c->bordered->size * sizeof *c->f;
    double *f = NV_DATA_S(f_vector);
    enum masing_status status = MASING_OK;
    if (++c->n_requested > most_evaluations(c->request)) {
        c->why = MASING_NOT_CONVERGED;
        return -1;
    }
    TRY(evaluate_at(c, NV_DATA_S(u_vector), f));
    memcpy(c->f, f, bytes);
    memcpy(NV_DATA_S(c->f_scale), c->bordered->scale, bytes);
    if (is_guess_accepted(c, f)) {
        memset(f, 0, bytes); /* KINSOL believes it where it sees zeros */
    }
done:
    return answer(c, status);
}

/* Whether the residual has halved within the last steps. */
static bool line_search_converges(struct corrector *c)
{
    if (c->newton.residual <= 0.5 * c->halved) {
        c->halved = c->newton.residual;
        c->n_unhalved = 0;
    }
    return c->request->steps_to_halve == 0 || c->n_unhalved++ < c->request->steps_to_halve;
}

/* KINSOL requests a Jacobian before every step. */
static int jacobian(N_Vector u_vector, N_Vector f_vector, SUNMatrix matrix, void *context,
                    N_Vector work_1, N_Vector work_2)
{
    (void)f_vector;
    (void)matrix;
    (void)work_1;
    (void)work_2;
    struct corrector *c = context;
    c->n_requested = c->request->steps_to_halve > 0 ? 0 : c->n_requested;
    return line_search_converges(c) ? answer(c, provide_step(c, NV_DATA_S(u_vector))) : -1;
}

static void be_silent(int code, const char *module, const char *function, char *message,
                      void *context)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)context;
}

static enum masing_status create_vectors(struct corrector *c, struct masing_error *error)
{
    int size = c->bordered->size;
    double **arrays[] = {&c->start, &c->last, &c->f, &c->work};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = arena_doubles(&c->arena, (size_t)size);
    }
    for (int k = 0; c->bordered->keeps_factors && k < MOST_UPDATES; k++) {
        c->broyden.steps[k] = arena_doubles(&c->arena, (size_t)size);
        c->broyden.changes[k] = arena_doubles(&c->arena, (size_t)size);
    }
    c->broyden.last = arena_doubles(&c->arena, (size_t)size);
    c->linear.broyden = c->bordered->keeps_factors ? &c->broyden : NULL;
    NEED_ALLOCATED(!c->arena.has_failed);
    NEED_ALLOCATED(c->solution = N_VNew_Serial(size, c->sundials));
    NEED_ALLOCATED(c->u_scale = N_VNew_Serial(size, c->sundials));
    NEED_ALLOCATED(c->f_scale = N_VNew_Serial(size, c->sundials));
    N_VConst(1.0, c->f_scale);
    NEED_ALLOCATED(c->linear.matrix = SUNMatNewEmpty(c->sundials));
    c->linear.matrix->ops->getid = matrix_id;
    c->linear.matrix->ops->zero = matrix_zero;
    NEED_ALLOCATED(c->linear.solver = SUNLinSolNewEmpty(c->sundials));
    c->linear.solver->content = &c->linear;
    c->linear.solver->ops->gettype = linear_type;
    c->linear.solver->ops->solve = linear_solve;
    return MASING_OK;
}

/* KINSOL's defaults that do not suit: see the comments. */
static enum masing_status create_kinsol(struct corrector *c, struct masing_error *error)
{
    NEED_ALLOCATED(c->kinsol = KINCreate(c->sundials));
    bool good =
        KINSetErrHandlerFn(c->kinsol, be_silent, NULL) == KIN_SUCCESS &&
        KINSetUserData(c->kinsol, c) == KIN_SUCCESS &&
        KINInit(c->kinsol, evaluate, c->solution) == KIN_SUCCESS &&
        KINSetLinearSolver(c->kinsol, c->linear.solver, c->linear.matrix) == KIN_SUCCESS &&
        KINSetJacFn(c->kinsol, jacobian) == KIN_SUCCESS &&
        KINSetFuncNormTol(c->kinsol, c->newton.tolerance) == KIN_SUCCESS &&
        /* a request before every step; KINSOL does not monitor stale Jacobians */
        KINSetMaxSetupCalls(c->kinsol, 1) == KIN_SUCCESS &&
        KINSetNoResMon(c->kinsol, SUNTRUE) == KIN_SUCCESS &&
        /* small steps are no convergence; large ones are judged here */
        KINSetScaledStepTol(c->kinsol, 1e-30) == KIN_SUCCESS &&
        KINSetMaxNewtonStep(c->kinsol, 1e15) == KIN_SUCCESS;
    NEED_ALLOCATED(good ? c->kinsol : NULL);
    return MASING_OK;
}

enum masing_status corrector_create(struct bordered *bordered, double tolerance,
                                    struct corrector **corrector, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct corrector *c = NULL;
    TRY_ALLOCATED(c = memory_array(1, sizeof *c));
    c->bordered = bordered;
    bordered->tolerance = tolerance;
    c->linear.bordered = bordered;
    c->linear.newton = &c->newton;
    c->newton.tolerance = tolerance;
    corrector_reset(c);
    if (SUNContext_Create(NULL, &c->sundials) != 0) {
        c->sundials = NULL;
    }
    TRY_ALLOCATED(c->sundials);
    TRY(create_vectors(c, error));
    TRY(create_kinsol(c, error));
    *corrector = c;
    c = NULL;
done:
    corrector_destroy(c);
    return status;
}

void corrector_destroy(struct corrector *c)
{
    if (!c) {
        return;
    }
    if (c->kinsol) {
        KINFree(&c->kinsol);
    }
    if (c->linear.solver) {
        SUNLinSolFreeEmpty(c->linear.solver);
    }
    if (c->linear.matrix) {
        SUNMatFreeEmpty(c->linear.matrix);
    }
    N_VDestroy(c->f_scale);
    N_VDestroy(c->u_scale);
    N_VDestroy(c->solution);
    if (c->sundials) {
        SUNContext_Free(&c->sundials);
    }
    arena_clear(&c->arena);
    free(c);
}

void corrector_reset(struct corrector *c)
{
    c->newton.chord = LARGEST_CHORD;
    c->newton.quadratic = INFINITY;
}

void corrector_set_chord(struct corrector *c, double chord)
{
    c->newton.chord = fmin(chord, LARGEST_CHORD);
}

double corrector_rate(const struct corrector *c)
{
    return c->newton.quadratic;
}

void corrector_set_rate(struct corrector *c, double rate)
{
    c->newton.quadratic = rate;
}

static void begin(struct corrector *c, const struct corrector_request *request, const double *u,
                  bool is_kept)
{
    const struct bordered *b = c->bordered;
    c->request = request;
    memcpy(c->start, u, (size_t)b->size * sizeof *u);
    memcpy(NV_DATA_S(c->solution), u, (size_t)b->size * sizeof *u);
    c->newton = (struct newton){.tolerance = c->newton.tolerance,
                                .chord = c->newton.chord,
                                .quadratic = c->newton.quadratic,
                                .residual = INFINITY,
                                .residual_before = INFINITY,
                                .residual_earlier = INFINITY,
                                .correction = INFINITY,
                                .is_kept = is_kept};
    if (request->continues && is_kept) {
        broyden_interrupt(&c->broyden);
    } else {
        broyden_reset(&c->broyden);
    }
    c->n_requested = c->n_unhalved = c->n_steps = 0;
    c->halved = INFINITY;
    c->has_jacobian = false;
    c->bordered->has_factors = is_kept;
    c->why = MASING_NOT_CONVERGED;
    c->linear.status = MASING_OK;
}

/* From u [size], and KINSOL's word is not taken for it: the residual at exactly the u that it
 * ends with counts. */
static enum masing_status search_line(struct corrector *c, double *u)
{
    const struct bordered *b = c->bordered;
    long n_steps = 0;
    for (int i = 0; i < b->size; i++) {
        NV_DATA_S(c->u_scale)[i] = sqrt(b->metric[i]);
    }
    KINSetNumMaxIters(c->kinsol, c->request->max_iterations);
    int code = KINSol(c->kinsol, c->solution, KIN_LINESEARCH, c->u_scale, c->f_scale);
    KINGetNumNonlinSolvIters(c->kinsol, &n_steps);
    c->n_steps = (int)n_steps;
    if (code != KIN_SUCCESS && code != KIN_INITIAL_GUESS_OK) {
        return c->linear.status != MASING_OK ? c->linear.status : c->why;
    }
    if (memcmp(u, c->last, (size_t)b->size * sizeof *u) != 0) {
        c->has_jacobian = false;
        NEED(bordered_evaluate(c->bordered, u, false, c->f, &c->newton.residual));
    }
    return c->newton.residual <= c->newton.tolerance ? MASING_OK : MASING_NOT_CONVERGED;
}

static enum masing_status solve_from(struct corrector *c,
                                     const struct corrector_request *request, const double *u,
                                     bool is_kept)
{
    begin(c, request, u, is_kept);
    double *solution = NV_DATA_S(c->solution);
    return request->is_line_search ? search_line(c, solution) : take_steps(c, solution);
}

/* Factors for the tangent: those of the last step, or of the Jacobian at the solution. Where
 * there are none, as at a fold with lambda given, the solution stands all the same. */
static enum masing_status provide_factors(struct corrector *c, bool is_exact, const double *u)
{
    if (c->bordered->has_factors && !is_exact) {
        return MASING_OK;
    }
    enum masing_status status = MASING_OK;
    if (!c->has_jacobian) {
        double norm;
        TRY(bordered_evaluate(c->bordered, u, true, c->work, &norm));
    }
    status = bordered_factor(c->bordered);
done:
    return status < 0 ? status : MASING_OK;
}

/* One more correction of u, where the residual is `f`, by the factors at hand; kept where the
 * residual falls. */
static enum masing_status polish(struct corrector *c, double *u)
{
    const struct bordered *b = c->bordered;
    const struct linear_accuracy accuracy = {.relative = FORCING,
                                             .absolute = POLISHED * c->newton.tolerance};
    enum masing_status status = MASING_OK;
    double residual;
    if (c->newton.residual <= POLISHED * c->newton.tolerance) {
        return MASING_OK;
    }
    for (int i = 0; i < b->size; i++) {
        c->work[i] = -c->f[i];
    }
    TRY(newton_step(&c->linear, accuracy, c->work));
    for (int i = 0; i < b->size; i++) {
        c->last[i] = u[i] + c->work[i];
    }
    TRY(bordered_evaluate(c->bordered, c->last, false, c->work, &residual));
    if (residual < c->newton.residual) {
        memcpy(u, c->last, (size_t)b->size * sizeof *u);
        c->newton.residual = residual;
    }
done:
    return status < 0 ? status : MASING_OK;
}

enum masing_status corrector_solve(struct corrector *c, const struct corrector_request *request,
                                   double *u, struct corrector_result *result)
{
    const struct bordered *b = c->bordered;
    double *solution = NV_DATA_S(c->solution);
    bool is_kept = !request->is_line_search && bordered_keep_factors(c->bordered);
    enum masing_status status = solve_from(c, request, u, is_kept);
    if (is_kept && status > 0) {
        status = solve_from(c, request, u, false);
    }
    NEED(status);
    NEED(provide_factors(c, request->is_exact, solution));
    if (request->is_polished) {
        NEED(polish(c, solution));
    }
    result->residual = c->newton.residual;
    result->correction = metric_distance(b->size, b->metric, solution, c->start);
    result->iterations = c->n_steps;
    result->effort = c->newton.is_kept ? 0 : result->iterations - c->newton.n_kept;
    memcpy(u, solution, (size_t)b->size * sizeof *u);
    return MASING_OK;
}

/* x [size] becomes the solution of matrix x = e_(size - 1), in Broyden's way, too. */
static enum masing_status iterate_tangent(struct corrector *c, double *x)
{
    const struct bordered *b = c->bordered;
    const struct linear_accuracy accuracy = {.relative = TANGENT_RESIDUAL};
    size_t bytes = (size_t)b->size * sizeof *x;
    broyden_reset(&c->broyden);
    memset(x, 0, bytes);
    memset(c->work, 0, bytes);
    c->work[b->n] = -1.0;
    for (int k = 0; k < MOST_UPDATES; k++) {
        NEED(newton_step(&c->linear, accuracy, c->work));
        for (int i = 0; i < b->size; i++) {
            x[i] -= c->work[i];
        }
        NEED(bordered_multiply(b, x, c->work));
        c->work[b->n] -= 1.0;
        if (dense_max_norm((size_t)b->size, c->work) <= TANGENT_RESIDUAL) {
            return MASING_OK;
        }
    }
    return MASING_NOT_CONVERGED;
}

enum masing_status corrector_tangent(struct corrector *c, const double *u, double *tangent)
{
    struct bordered *b = c->bordered;
    double norm;
    NEED(bordered_evaluate(b, u, true, c->f, &norm));
    c->has_jacobian = false;
    enum masing_status status = MASING_NOT_CONVERGED;
    if (bordered_keep_factors(b)) {
        status = iterate_tangent(c, tangent);
    }
    if (status == MASING_OK) {
        norm = metric_normalise(b->size, b->metric, tangent);
        return norm > 0.0 && isfinite(norm) ? MASING_OK : MASING_SINGULAR;
    }
    NEED(bordered_factor(b));
    return bordered_tangent(b, tangent);
}

enum masing_status corrector_solve_close_by(struct corrector *c, bool is_exact, double *u,
                                            struct corrector_result *result)
{
    const struct corrector_request requests[] = {corrector_newton, corrector_line_search};
    enum masing_status status = MASING_NOT_CONVERGED;
    for (size_t i = 0; i < sizeof requests / sizeof *requests && status > 0; i++) {
        struct corrector_request request = requests[i];
        request.max_iterations = ITERATIONS_CLOSE_BY;
        request.steps_to_halve = CORRECTOR_STEPS_TO_HALVE;
        request.is_exact = is_exact;
        request.accepts_guess = true;
        status = corrector_solve(c, &request, u, result);
    }
    return status;
}
