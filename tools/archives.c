/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Not part of the program: the build links it to learn whether the archives fit together. */
#include <cblas.h>
#include <cvode/cvode.h>
#include <fftw3.h>
#include <kinsol/kinsol.h>
#include <lapacke.h>
#include <yaml.h>

int main(void)
{
    int major = 0, minor = 0, patch = 0;
    double matrix = 1, value = 0;
    void *kinsol = KINCreate(NULL);
    KINFree(&kinsol);
    CVodeFree(&kinsol);
    fftw_cleanup();
    yaml_get_version(&major, &minor, &patch);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1, &matrix, 1, &matrix, 1,
                0, &value, 1);
    return (int)LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', 1, &matrix, 1, &value);
}
