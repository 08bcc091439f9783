/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "continuation/corrector.h"

#include <kinsol/kinsol.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "base/check.h"
#include "base/memory.h"
#include "continuation/metric.h"

/*
 * Policy "modified at the end": the Jacobian is evaluated together with the residual while the
 * last correction is above the chord's and the next residual is not expected to be within
 * the tolerance; otherwise the residual only verifies, and the old factors do for what is left.
 */
static const double LARGEST_CHORD = 1e-4;
static const double CHORD_CONTRACTION = 0.2; /* a chord that does worse gets a new Jacobian */
static const double STALLED_CONTRACTION = 0.9;
enum { MAX_STALLED = 2 };

struct corrector {
    struct bordered *bordered; /* lent */
    double tolerance;
    double chord; /* largest correction that is left to old factors */
    SUNContext sundials;
    void *kinsol;
    N_Vector solution, u_scale, f_scale;
    SUNMatrix matrix;
    SUNLinearSolver solver;

    /* of the solve under way */
    const struct corrector_request *request;
    double *start, *last;   /* [size] guess; where the residual was evaluated last */
    double *work;           /* [size] */
    double residual;        /* there */
    double correction[2];   /* the last two Newton corrections, the newest first */
    double residual_before; /* that the newest correction answered */
    double quadratic;       /* correction / previous correction^2, kept between solves */
    int evaluations;
    int stalled;            /* corrections in a row that hardly shrank */
    bool has_jacobian;      /* evaluated at `last` */
    bool is_chord;          /* the factors in use are older than `last` */
    enum masing_status why; /* what made a callback fail */
};

/* A callback's answer to KINSOL: positive asks for a shorter Newton step, negative gives up. */
static int answer(struct corrector *c, enum masing_status status)
{
    if (status == MASING_OK) {
        return 0;
    }
    c->why = status;
    return status > 0 && c->request->is_line_search ? 1 : -1;
}

static bool is_jacobian_due(const struct corrector *c)
{
    if (c->request->is_line_search) {
        return c->evaluations == 0;
    }
    if (c->request->is_exact || c->evaluations == 0) {
        return true;
    }
    double correction = c->correction[0];
    double next = c->quadratic * correction * correction;
    double residual = correction > 0.0 ? next * c->residual_before / correction : 0.0;
    return correction > c->chord && residual > 0.3 * c->tolerance;
}

/* Follow the corrections; MASING_NOT_CONVERGED where going on is a waste. */
static enum masing_status judge_correction(struct corrector *c, const double *u)
{
    const struct bordered *b = c->bordered;
    double correction = metric_distance(b->size, b->metric, u, c->last);
    if (!isfinite(correction)) {
        return MASING_NOT_FINITE;
    }
    c->correction[1] = c->correction[0];
    c->correction[0] = correction;
    c->residual_before = c->residual;
    if (c->request->is_line_search) {
        return MASING_OK;
    }
    if (metric_distance(b->size, b->metric, u, c->start) > c->request->limit) {
        return MASING_NOT_CONVERGED;
    }
    if (c->evaluations >= 2) {
        bool is_stalled = correction > STALLED_CONTRACTION * c->correction[1];
        c->stalled = is_stalled ? c->stalled + 1 : 0;
        if (!c->is_chord && c->correction[1] > 0.0 && !is_stalled) {
            c->quadratic = correction / (c->correction[1] * c->correction[1]);
        }
    }
    return c->stalled >= MAX_STALLED ? MASING_NOT_CONVERGED : MASING_OK;
}

static int evaluate(N_Vector u_vector, N_Vector f_vector, void *context)
{
    struct corrector *c = context;
    const double *u = NV_DATA_S(u_vector);
    double *f = NV_DATA_S(f_vector);
    enum masing_status status = MASING_OK;
    if (c->evaluations > 0) {
        TRY(judge_correction(c, u));
    }
    bool with_jacobian = is_jacobian_due(c);
    c->has_jacobian = false;
    memcpy(c->last, u, (size_t)c->bordered->size * sizeof *u);
    c->residual = INFINITY;
    double residual = INFINITY;
    TRY(bordered_evaluate(c->bordered, u, with_jacobian, f, &residual));
    c->residual = residual;
    c->has_jacobian = with_jacobian;
    c->evaluations++;
done:
    return answer(c, status);
}

/* Whether the factors at hand do for the next correction. */
static bool is_chord_good(const struct corrector *c)
{
    if (c->request->is_line_search || !c->bordered->has_factors || c->has_jacobian) {
        return false;
    }
    return c->residual <= CHORD_CONTRACTION * c->residual_before;
}

/* KINSOL asks for a Jacobian before every step; whether one is made is decided here. */
static int jacobian(N_Vector u_vector, N_Vector f_vector, SUNMatrix matrix, void *context,
                    N_Vector work_1, N_Vector work_2)
{
    (void)matrix;
    (void)work_1;
    struct corrector *c = context;
    const double *u = NV_DATA_S(u_vector);
    (void)f_vector;
    c->is_chord = is_chord_good(c);
    if (c->is_chord) {
        return 0;
    }
    enum masing_status status = MASING_OK;
    size_t bytes = (size_t)c->bordered->size * sizeof *u;
    if (!c->has_jacobian || memcmp(u, c->last, bytes) != 0) {
        double norm;
        TRY(bordered_evaluate(c->bordered, u, true, NV_DATA_S(work_2), &norm));
        c->has_jacobian = memcmp(u, c->last, bytes) == 0;
    }
    TRY(bordered_factor(c->bordered));
done:
    return answer(c, status);
}

/* SUNLinearSolver over the bordered matrix; the factors are made where its Jacobian is. */
static SUNLinearSolver_Type solver_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static int solver_do_nothing(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLS_SUCCESS;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    (void)solver;
    (void)matrix;
    return SUNLS_SUCCESS;
}

static int solver_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                        realtype tolerance)
{
    (void)matrix;
    (void)tolerance;
    struct corrector *c = solver->content;
    memcpy(NV_DATA_S(x), NV_DATA_S(b), (size_t)c->bordered->size * sizeof(double));
    return answer(c, bordered_solve(c->bordered, NV_DATA_S(x)));
}

static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int matrix_zero(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMAT_SUCCESS;
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
    enum masing_status status = MASING_OK;
    int size = c->bordered->size;
    TRY_ALLOCATED(c->start = memory_array((size_t)size, sizeof(double)));
    TRY_ALLOCATED(c->last = memory_array((size_t)size, sizeof(double)));
    TRY_ALLOCATED(c->work = memory_array((size_t)size, sizeof(double)));
    TRY_ALLOCATED(c->solution = N_VNew_Serial(size, c->sundials));
    TRY_ALLOCATED(c->u_scale = N_VNew_Serial(size, c->sundials));
    TRY_ALLOCATED(c->f_scale = N_VNew_Serial(size, c->sundials));
    N_VConst(1.0, c->f_scale);
    TRY_ALLOCATED(c->matrix = SUNMatNewEmpty(c->sundials));
    c->matrix->ops->getid = matrix_id;
    c->matrix->ops->zero = matrix_zero;
    TRY_ALLOCATED(c->solver = SUNLinSolNewEmpty(c->sundials));
    c->solver->content = c;
    c->solver->ops->gettype = solver_type;
    c->solver->ops->getid = solver_id;
    c->solver->ops->initialize = solver_do_nothing;
    c->solver->ops->setup = solver_setup;
    c->solver->ops->solve = solver_solve;
done:
    return status;
}

/* KINSOL's defaults that do not suit: see the comments. */
static enum masing_status create_kinsol(struct corrector *c, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    TRY_ALLOCATED(c->kinsol = KINCreate(c->sundials));
    bool good = KINSetErrHandlerFn(c->kinsol, be_silent, NULL) == KIN_SUCCESS &&
                KINSetUserData(c->kinsol, c) == KIN_SUCCESS &&
                KINInit(c->kinsol, evaluate, c->solution) == KIN_SUCCESS &&
                KINSetLinearSolver(c->kinsol, c->solver, c->matrix) == KIN_SUCCESS &&
                KINSetJacFn(c->kinsol, jacobian) == KIN_SUCCESS &&
                KINSetFuncNormTol(c->kinsol, c->tolerance) == KIN_SUCCESS &&
                /* ask before every step; no monitoring of stale Jacobians of its own */
                KINSetMaxSetupCalls(c->kinsol, 1) == KIN_SUCCESS &&
                KINSetNoResMon(c->kinsol, SUNTRUE) == KIN_SUCCESS &&
                /* small steps are no convergence; large ones are judged here */
                KINSetScaledStepTol(c->kinsol, 1e-30) == KIN_SUCCESS &&
                KINSetMaxNewtonStep(c->kinsol, 1e15) == KIN_SUCCESS;
    TRY_ALLOCATED(good ? c->kinsol : NULL);
done:
    return status;
}

enum masing_status corrector_create(struct bordered *bordered, double tolerance,
                                    struct corrector **corrector, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    struct corrector *c = NULL;
    TRY_ALLOCATED(c = memory_array(1, sizeof *c));
    c->bordered = bordered;
    c->tolerance = tolerance;
    c->chord = LARGEST_CHORD;
    c->quadratic = INFINITY;
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
    if (c->solver) {
        SUNLinSolFreeEmpty(c->solver);
    }
    if (c->matrix) {
        SUNMatFreeEmpty(c->matrix);
    }
    N_VDestroy(c->f_scale);
    N_VDestroy(c->u_scale);
    N_VDestroy(c->solution);
    if (c->sundials) {
        SUNContext_Free(&c->sundials);
    }
    free(c->start);
    free(c->last);
    free(c->work);
    free(c);
}

void corrector_set_chord(struct corrector *c, double chord)
{
    c->chord = fmin(chord, LARGEST_CHORD);
}

static void begin(struct corrector *c, const struct corrector_request *request, const double *u)
{
    const struct bordered *b = c->bordered;
    c->request = request;
    memcpy(c->start, u, (size_t)b->size * sizeof *u);
    memcpy(NV_DATA_S(c->solution), u, (size_t)b->size * sizeof *u);
    for (int i = 0; i < b->size; i++) {
        NV_DATA_S(c->u_scale)[i] = sqrt(b->metric[i]);
    }
    c->correction[0] = c->correction[1] = INFINITY;
    c->evaluations = 0;
    c->stalled = 0;
    c->residual = INFINITY;
    c->has_jacobian = c->is_chord = false;
    c->bordered->has_factors = false;
    c->why = MASING_NOT_CONVERGED;
    KINSetNumMaxIters(c->kinsol, request->max_iterations);
}

/* KINSOL's word is not taken for it: the residual at exactly this u counts. */
static enum masing_status verify(struct corrector *c, int code, const double *u)
{
    if (code != KIN_SUCCESS && code != KIN_INITIAL_GUESS_OK) {
        return c->why;
    }
    enum masing_status status = MASING_OK;
    if (memcmp(u, c->last, (size_t)c->bordered->size * sizeof *u) != 0) {
        c->has_jacobian = false;
        TRY(bordered_evaluate(c->bordered, u, false, c->work, &c->residual));
    }
    if (!(c->residual <= c->tolerance)) {
        status = MASING_NOT_CONVERGED;
    }
done:
    return status;
}

/* Factors for the tangent: those of the last step, or of the Jacobian at the solution. */
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
    TRY(bordered_factor(c->bordered));
done:
    return status;
}

enum masing_status corrector_solve(struct corrector *c, const struct corrector_request *request,
                                   double *u, struct corrector_result *result)
{
    enum masing_status status = MASING_OK;
    const struct bordered *b = c->bordered;
    const double *solution = NV_DATA_S(c->solution);
    begin(c, request, u);
    int strategy = request->is_line_search ? KIN_LINESEARCH : KIN_NONE;
    int code = KINSol(c->kinsol, c->solution, strategy, c->u_scale, c->f_scale);
    TRY(verify(c, code, solution));
    result->residual = c->residual;
    result->correction = metric_distance(b->size, b->metric, solution, c->start);
    long iterations = 0;
    KINGetNumNonlinSolvIters(c->kinsol, &iterations);
    result->iterations = (int)iterations;
    TRY(provide_factors(c, request->is_exact, solution));
    memcpy(u, solution, (size_t)b->size * sizeof *u);
done:
    return status;
}
