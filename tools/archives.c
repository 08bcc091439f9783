/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Not part of the program: the build links it to learn whether the archives fit together. */
#include <arpack/arpack.h>
#undef I
#include <cblas.h>
#include <cvode/cvode.h>
#include <fftw3.h>
#include <gsl/gsl_cdf.h>
#include <kinsol/kinsol.h>
#include <lapacke.h>
#include <suitesparse/cholmod.h>
#include <yaml.h>

int main(void)
{
    a_int ido = 99, places[14] = {0}, parameters[11] = {0}, info = 0;
    cholmod_common common;
    int major = 0, minor = 0, patch = 0;
    double matrix = 1, value = 0;
    void *kinsol = KINCreate(NULL);
    KINFree(&kinsol);
    CVodeFree(&kinsol);
    cholmod_l_start(&common);
    cholmod_l_solve2(CHOLMOD_A, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &common);
    cholmod_l_analyze(NULL, &common);
    cholmod_l_factorize(NULL, NULL, &common);
    cholmod_l_finish(&common);
    dsaupd_c(&ido, "I", 0, "LM", 0, 0.0, NULL, 0, NULL, 0, parameters, places, NULL, NULL, 0,
             &info);
    fftw_cleanup();
    value = gsl_cdf_ugaussian_Pinv(0.5);
    yaml_get_version(&major, &minor, &patch);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1, &matrix, 1, &matrix, 1,
                0, &value, 1);
    return (int)LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', 1, &matrix, 1, &value);
}
