/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "laws/elastic_pair.h"

/* Where the number of a body stands: one number is that of both. */
static int place(const struct masing_list *list, int body)
{
    return body < list->count ? body : list->count - 1;
}

void elastic_pair_check(struct elastic_pair *pair)
{
    pair->plane_modulus = pair->shear_compliance = NAN;
    if (pair->youngs_modulus.count == 0 || pair->poisson_ratio.count == 0) {
        return;
    }
    double compression = 0.0, shear = 0.0;
    for (int i = 0; i < 2; i++) {
        double e = pair->youngs_modulus.values[place(&pair->youngs_modulus, i)];
        double nu = pair->poisson_ratio.values[place(&pair->poisson_ratio, i)];
        compression += (1.0 - nu) * (1.0 + nu) / e;
        shear += 2.0 * (2.0 - nu) * (1.0 + nu) / e;
    }
    pair->plane_modulus = 1.0 / compression;
    pair->shear_compliance = shear;
}

void elastic_pair_derive(const struct elastic_pair *pair, struct elastic_pair *tangent)
{
    double compression = 0.0, shear = 0.0;
    if (pair->youngs_modulus.count == 0 || pair->poisson_ratio.count == 0) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        int ie = place(&pair->youngs_modulus, i), inu = place(&pair->poisson_ratio, i);
        double e = pair->youngs_modulus.values[ie], nu = pair->poisson_ratio.values[inu];
        double relative = tangent->youngs_modulus.values[ie] / e;
        double nu_change = tangent->poisson_ratio.values[inu];
        compression += (-2.0 * nu * nu_change - (1.0 - nu) * (1.0 + nu) * relative) / e;
        shear += 2.0 * ((1.0 - 2.0 * nu) * nu_change - (2.0 - nu) * (1.0 + nu) * relative) / e;
    }
    tangent->plane_modulus = -pair->plane_modulus * pair->plane_modulus * compression;
    tangent->shear_compliance = shear;
}

double elastic_pair_radius(const struct masing_list *radius)
{
    if (radius->count == 0) {
        return NAN;
    }
    double a = radius->values[0], b = radius->count > 1 ? radius->values[1] : INFINITY;
    return 1.0 / (1.0 / a + 1.0 / b);
}

double elastic_pair_radius_change(const struct masing_list *radius,
                                  const struct masing_list *tangent)
{
    double change = 0.0, combined = elastic_pair_radius(radius);
    for (int i = 0; i < radius->count; i++) {
        double ratio = combined / radius->values[i];
        change += ratio * ratio * tangent->values[i];
    }
    return change;
}

double elastic_pair_height(const struct masing_list *height)
{
    if (height->count == 0) {
        return NAN;
    }
    return height->count > 1 ? hypot(height->values[0], height->values[1]) : height->values[0];
}

double elastic_pair_height_change(const struct masing_list *height,
                                  const struct masing_list *tangent)
{
    double change = 0.0, combined = elastic_pair_height(height);
    for (int i = 0; i < height->count; i++) {
        change += height->values[i] / combined * tangent->values[i];
    }
    return change;
}
