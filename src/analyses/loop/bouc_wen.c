/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jamshidi and Koochakinejad (2021), eqs 44, 46-48 and appendix B:
 *   Q = k_l x + K_T z,  dz/dx = [A - B sign(x' z) |z|] h,
 *   A = Lambda_1 (Gamma_1 + Gamma_2) / (2 K_T) - Lambda_0 / K_T
 *       - sign(x') Lambda_0 Omega x / (2 K_T x_L),  B = Omega / (2 x_L),
 *   Gamma_1 = (1 + exp(-Omega x_o / x_L)) H(x_L - x_o),
 *   Gamma_2 = (1 + exp(-Omega) + Lambda_0 Omega (1 - x_o / x_L) / Lambda_1) H(x_o - x_L),
 *   h = H(2 x_L - x_o - x sign(x')).
 * Gamma_1 is printed without its step function, with which alone the two states of motion
 * exclude each other as appendix B has them. For a given direction the equation is linear:
 * y = z + Lambda_0 x / K_T obeys dy/dx = growth - sign(x') B y.
 */
#include "analyses/loop/bouc_wen.h"

#include <math.h>
#include <string.h>

static double number_at(const void *parameters, size_t offset)
{
    double number;
    memcpy(&number, (const char *)parameters + offset, sizeof number);
    return number;
}

static double constant(const struct masing_law *law, const void *parameters, const char *name)
{
    for (int i = 0; i < law->n_constants; i++) {
        if (strcmp(law->constants[i].name, name) == 0) {
            return number_at(parameters, law->constants[i].offset);
        }
    }
    return NAN;
}

enum masing_status loop_bouc_wen_create(const struct masing_law *law, const void *parameters,
                                        double amplitude, struct loop_bouc_wen *element,
                                        struct masing_error *error)
{
    double stiffness = constant(law, parameters, "stiffness");
    double x_l = constant(law, parameters, "slip_displacement");
    double omega = constant(law, parameters, "Omega");
    double lambda_0 = constant(law, parameters, "Lambda_0");
    double lambda_1 = constant(law, parameters, "Lambda_1");
    int spring = masing_field_find(law->fields, law->n_fields, "parallel_stiffness");
    if (!(lambda_1 > 0.0 && lambda_0 > 0.0 && omega > 0.0 && x_l > 0.0) || spring < 0) {
        return masing_error_set(error, MASING_INVALID,
                                "the equivalent Bouc-Wen element belongs to a rough_interface "
                                "with Omega > 0 (q < 1/2) and a slip force above zero");
    }
    double ratio = amplitude / x_l;
    double gamma = ratio <= 1.0
                       ? 1.0 + exp(-omega * ratio)
                       : 1.0 + exp(-omega) + lambda_0 * omega / lambda_1 * (1.0 - ratio);
    *element = (struct loop_bouc_wen){
        .linear_stiffness = masing_field_value(&law->fields[spring], parameters),
        .hysteretic_stiffness = stiffness,
        .growth = lambda_1 * gamma / (2.0 * stiffness),
        .slope = lambda_0 / stiffness,
        .decay = omega / (2.0 * x_l),
        .bound = 2.0 * x_l - amplitude,
    };
    return MASING_OK;
}

double loop_bouc_wen_move(struct loop_bouc_wen *element, double x)
{
    double sign = x > element->x ? 1.0 : -1.0;
    double end = sign * fmin(sign * x, element->bound); /* z rests from there on */
    double travel = sign * (end - element->x);
    if (travel > 0.0) {
        double decay = exp(-element->decay * travel);
        double y = element->z + element->slope * element->x;
        y = decay * y +
            sign * element->growth * -expm1(-element->decay * travel) / element->decay;
        element->z = y - element->slope * end;
    }
    element->x = x;
    return element->linear_stiffness * x + element->hysteretic_stiffness * element->z;
}

static double state_after(const struct loop_bouc_wen *element, const double *x, int n,
                          int stride, double z)
{
    struct loop_bouc_wen copy = *element;
    copy.x = x[0];
    copy.z = z;
    for (int i = stride; i <= n; i += stride) {
        loop_bouc_wen_move(&copy, x[i]);
    }
    return copy.z;
}

void loop_bouc_wen_settle(struct loop_bouc_wen *element, const double *x, int n, int stride)
{
    double scale = fabs(element->bound) + fabs(x[n / 4]); /* the map is affine: any will do */
    double from_zero = state_after(element, x, n, stride, 0.0);
    double share = (state_after(element, x, n, stride, scale) - from_zero) / scale;
    element->x = x[0];
    element->z = from_zero / (1.0 - share);
}
