/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/evolution/radau_step.h"

#include <math.h>

#define SQRT6 2.449489742783178098197284074705891391965947480656670128432692567250960377

const double radau_nodes[RADAU_STAGES] = {(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0};

static const double A[RADAU_STAGES][RADAU_STAGES] = {
    {(88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0,
     (-2.0 + 3.0 * SQRT6) / 225.0},
    {(296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0,
     (-2.0 - 3.0 * SQRT6) / 225.0},
    {(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0},
};

/* Inverse of a 3 x 3 matrix by cofactors; its condition is of order one here. */
static void invert(double m[RADAU_STAGES][RADAU_STAGES],
                   double inverse[RADAU_STAGES][RADAU_STAGES])
{
    for (int r = 0; r < RADAU_STAGES; r++) {
        int a = (r + 1) % RADAU_STAGES, b = (r + 2) % RADAU_STAGES;
        for (int c = 0; c < RADAU_STAGES; c++) {
            int d = (c + 1) % RADAU_STAGES, e = (c + 2) % RADAU_STAGES;
            inverse[c][r] = m[a][d] * m[b][e] - m[a][e] * m[b][d];
        }
    }
    double determinant =
        m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
    for (int r = 0; r < RADAU_STAGES; r++) {
        for (int c = 0; c < RADAU_STAGES; c++) {
            inverse[r][c] /= determinant;
        }
    }
}

static void evaluate(const struct masing_evolution *evolution, const void *parameters,
                     struct radau_output *output)
{
    for (int k = 0; k < RADAU_STAGES; k++) {
        evolution->rate(parameters, &output->at[k], &output->rate[k]);
    }
}

/* (1 - A diag(travel rate_z))^-1 */
static void invert_newton_matrix(const struct radau_input *input,
                                 const struct radau_output *output,
                                 double inverse[RADAU_STAGES][RADAU_STAGES])
{
    double m[RADAU_STAGES][RADAU_STAGES];
    for (int r = 0; r < RADAU_STAGES; r++) {
        for (int c = 0; c < RADAU_STAGES; c++) {
            m[r][c] = (r == c ? 1.0 : 0.0) - A[r][c] * input->travel[c] * output->rate[c].z;
        }
    }
    invert(m, inverse);
}

/* One Newton iteration; returns the largest change. */
static double iterate(const struct radau_input *input, double z,
                      double inverse[RADAU_STAGES][RADAU_STAGES], struct radau_output *output)
{
    double residual[RADAU_STAGES], largest = 0.0;
    for (int j = 0; j < RADAU_STAGES; j++) {
        residual[j] = z - output->at[j].z;
        for (int k = 0; k < RADAU_STAGES; k++) {
            residual[j] += A[j][k] * input->travel[k] * output->rate[k].value;
        }
    }
    for (int j = 0; j < RADAU_STAGES; j++) {
        double change = 0.0;
        for (int k = 0; k < RADAU_STAGES; k++) {
            change += inverse[j][k] * residual[k];
        }
        output->at[j].z += change;
        largest = fabs(change) <= largest ? largest : fabs(change); /* NAN, too */
    }
    return largest;
}

/* The quadratic convergence of Newton's method has left nothing of an error of 1e-9. */
static void finish(const struct radau_input *input, double inverse[RADAU_STAGES][RADAU_STAGES],
                   struct radau_output *output)
{
    output->z = output->at[RADAU_STAGES - 1].z;
    output->decay = 0.0;
    for (int k = 0; k < RADAU_STAGES; k++) {
        output->weight[k] = 0.0;
        for (int j = 0; j < RADAU_STAGES; j++) {
            output->weight[k] += inverse[RADAU_STAGES - 1][j] * A[j][k];
        }
        output->decay -= output->weight[k] * input->travel[k] * output->rate[k].z;
    }
}

/* weight_k - A_3k = sum_j weight_j D_j A_jk with D = travel rate_z */
static void add_lag(const struct masing_evolution *evolution, const void *parameters,
                    const struct radau_input *input, struct radau_output *output)
{
    output->shift = output->excess = 0.0;
    for (int k = 0; k < RADAU_STAGES; k++) {
        double lag = evolution->lag(parameters, &output->at[k]);
        double beyond = 0.0;
        for (int j = 0; j < RADAU_STAGES; j++) {
            beyond += output->weight[j] * input->travel[j] * output->rate[j].z * A[j][k];
        }
        output->shift -= A[RADAU_STAGES - 1][k] * input->travel[k] * lag;
        output->excess += beyond * output->rate[k].value - A[RADAU_STAGES - 1][k] * lag;
    }
}

static double size_of(double z, const struct radau_output *output)
{
    double size = fabs(z);
    for (int k = 0; k < RADAU_STAGES; k++) {
        size = fmax(size, fabs(output->at[k].z));
    }
    return size;
}

static bool has_rates(const struct radau_output *output)
{
    double sum = 0.0;
    for (int k = 0; k < RADAU_STAGES; k++) {
        sum += output->rate[k].value;
    }
    return isfinite(sum);
}

/*
 * Where an iteration has left the range of states in which the law is finite, go back half the
 * way. The solution is the same, while a shorter step instead would let the force jump with its
 * length.
 */
static void back_off(const struct masing_evolution *evolution, const void *parameters,
                     const double *before, struct radau_output *output)
{
    enum { MAX_HALVINGS = 60 };
    for (int i = 0; i < MAX_HALVINGS && !has_rates(output); i++) {
        for (int k = 0; k < RADAU_STAGES; k++) {
            output->at[k].z = 0.5 * (output->at[k].z + before[k]);
        }
        evaluate(evolution, parameters, output);
    }
}

enum masing_status radau_step(const struct masing_evolution *evolution, const void *parameters,
                              const struct radau_input *input, double z, bool with_gradient,
                              struct radau_output *output)
{
    enum { MAX_ITERATIONS = 60 };
    /* the quadratic convergence of Newton's method leaves nothing of such an error */
    static const double LAST_NEWTON_CHANGE = 1e-9;
    double inverse[RADAU_STAGES][RADAU_STAGES], before[RADAU_STAGES];
    for (int k = 0; k < RADAU_STAGES; k++) {
        output->at[k] = (struct masing_branch_point){input->branch.sign, input->branch.side,
                                                     input->branch.half, input->x[k],
                                                     input->v[k],        z};
    }
    evaluate(evolution, parameters, output);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        for (int k = 0; k < RADAU_STAGES; k++) {
            before[k] = output->at[k].z;
        }
        invert_newton_matrix(input, output, inverse);
        double change = iterate(input, z, inverse, output);
        if (!isfinite(change)) {
            return MASING_NOT_FINITE;
        }
        bool is_done = change <= LAST_NEWTON_CHANGE * size_of(z, output);
        if (!is_done || with_gradient) {
            evaluate(evolution, parameters, output);
        }
        if (!is_done) {
            back_off(evolution, parameters, before, output);
        }
        if (is_done) {
            finish(input, inverse, output);
            if (evolution->lag) {
                add_lag(evolution, parameters, input, output);
            }
            return MASING_OK;
        }
    }
    return MASING_NOT_FINITE;
}
