/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "masing/status.h"

int main(void)
{
    printf("masing %s\n", masing_version());
    return 0;
}
