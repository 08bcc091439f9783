/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured tables as laboratories write them: separators, decimal commas, units, names. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "masing/identify.h"
#include "masing/ringdown.h"
#include "scratch.h"
#include "tap.h"

static char folder[SCRATCH_PATH], file[SCRATCH_PATH + 16];

enum { ROWS = 12 };

/* The same loop in any form, in m, N and s. */
static double x_of(int i)
{
    return 1.25e-3 * (i - 5);
}

static double f_of(int i)
{
    return 10.5 * i * i - 7.5;
}

static double t_of(int i)
{
    return 0.25 * i;
}

static void put_number(FILE *stream, double value, char sign)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    for (char *at = text; *at; at++) {
        fputc(*at == '.' ? sign : *at, stream);
    }
}

/* columns: 'x', 'f', 't' and 'n' for a counter, parted by a separator. */
static void write_loop(const char *header, const char *columns, const char *separator,
                       char sign, double x_scale, double f_scale, double t_scale)
{
    FILE *stream = fopen(file, "wb");
    fputs(header, stream);
    for (int i = 0; i < ROWS; i++) {
        for (const char *c = columns; *c; c++) {
            double value = *c == 'x'   ? x_of(i) * x_scale
                           : *c == 'f' ? f_of(i) * f_scale
                           : *c == 't' ? t_of(i) * t_scale
                                       : i + 1;
            fputs(c == columns ? "" : separator, stream);
            put_number(stream, value, sign);
        }
        fputs("\r\n", stream);
    }
    fclose(stream);
}

static void expect_loop(const char *what, const char *choice, bool has_time)
{
    struct masing_measurement *loops = NULL;
    struct masing_error error = {0};
    int n = 0;
    bool is_read =
        CHECK(masing_measurements_read_columns(file, choice, &loops, &n, &error) == MASING_OK);
    if (is_read && CHECK(n == 1 && loops[0].n_samples == ROWS)) {
        CHECK((loops[0].time != NULL) == has_time);
        for (int i = 0; i < ROWS; i++) {
            CHECK(fabs(loops[0].displacement[i] - x_of(i)) < 1e-15);
            CHECK(fabs(loops[0].force[i] - f_of(i)) < 1e-9);
            CHECK(!has_time || fabs(loops[0].time[i] - t_of(i)) < 1e-12);
        }
    }
    if (!is_read) {
        printf("# %s: %s\n", what, error.message);
    }
    masing_measurements_free(loops, n);
}

static void loops_of_laboratories_are_read(void)
{
    static const struct {
        const char *header, *columns, *separator;
        char sign;
        double x_scale, f_scale, t_scale;
        const char *choice;
    } forms[] = {
        {"displacement,force\n", "xf", ",", '.', 1, 1, 1, NULL},
        {"displacement;force;time\n", "xft", ";", '.', 1, 1, 1, NULL},
        {"Weg [mm];Kraft (kN);Zeit [ms]\n", "xft", ";", ',', 1e3, 1e-3, 1e3, NULL},
        {"x [\xC2\xB5m]\tF / N\n", "xf", "\t", ',', 1e6, 1, 1, NULL},
        {"# rig 3\n  x      f\n", "xf", "   ", ',', 1, 1, 1, NULL},
        {"\"Displacement, mm\",\"Force, N\"\n", "xf", ",", '.', 1e3, 1, 1, NULL},
        {"x in mm;F in N\n", "xf", ";", ',', 1e3, 1, 1, NULL},
        {"t;x;F\ns;mm;N\n", "txf", ";", ',', 1e3, 1, 1, NULL},
        {"T,X,F\n[s],[mm],[N]\n", "txf", ",", '.', 1e3, 1, 1, NULL},
        {"no,x [mm],T [C],F\n", "nxnf", ",", '.', 1e3, 1, 1, "x=2,f=4"},
        {"LVDT 1 [mm];Cell [kN]\n", "xf", ";", ',', 1e3, 1e-3, 1, "x=LVDT 1,f=Cell"},
        {"force;displacement\n", "xf", ";", ',', 1, 1, 1, "displacement=1,force=2"},
        {"", "nxf", ",", '.', 1, 1, 1, "x=2,f=3"},
        {"", "txf", "\t", ',', 1e3, 1, 1e3, "t=1[ms],x=2[mm],f=3"},
        {"\xEF\xBB\xBFx;F\n", "xf", ";", ',', 1, 1, 1, NULL},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        write_loop(forms[i].header, forms[i].columns, forms[i].separator, forms[i].sign,
                   forms[i].x_scale, forms[i].f_scale, forms[i].t_scale);
        expect_loop(forms[i].header, forms[i].choice, strchr(forms[i].columns, 't') != NULL);
    }
}

static void what_is_not_clear_is_named(void)
{
    static const struct {
        const char *text, *choice, *message;
    } bad[] = {
        {"no,F\n1,2\n", NULL,
         ":1:1: unknown column 'no'; expected displacement or x, force or f, time or t "
         "(optional)"},
        {"no,F\n1,2\n", NULL, "; --columns x=1,f=2 says which columns hold what"},
        {"F\n1\n", NULL, ":1:1: column 'displacement' is missing; expected displacement or x"},
        {"1,2\n3,4\n", NULL, ":1:1: numbers without a header line; the columns need names"},
        {"x [ell],F\n1,2\n", NULL,
         ":1:4: unknown unit 'ell' of displacement; expected one of m, cm, mm"},
        {"x [N],F\n1,2\n", NULL, ":1:4: unknown unit 'N' of displacement"},
        {"x;F (lb)\n1;2\n", NULL, ":1:6: unknown unit 'lb' of force; expected one of N, mN"},
        {"x,F\n1,5,2,5\n", NULL, ":2:5: more fields than the 2 of the header (write decimal "},
        {"x;F\n1,5;2\n1.5;2\n", NULL, ":3:1: numbers with points and numbers with commas"},
        {"x;F\n1,5;2\n1;2.000,5\n", NULL, ":3:1: numbers with points and numbers with commas"},
        {"x;F\n1,5;2,000,5\n", NULL, ":2:5: force: '2.000.5' is not a number"},
        {"x,u,F\n1,2,3\n", NULL, ":1:3: column 'displacement' stands here twice"},
        {"x,F\n1,2\n", "x=1,f=3", ":1:1: --columns: there is no column 3, but 2 columns"},
        {"x,F\n1,2\n", "x=0,f=1", ":1:1: --columns: there is no column 0, but 2 columns"},
        {"x,F\n1,2\n", "x=way,f=2", "there is no column way"},
        {"a,b\n1,2\n", "x=1", ":1:1: column 'force' is missing"},
        {"x,F\n1,2\n", "y=1,f=2", "'y=1' is not of the form x=2 or f=NAME"},
        {"x,F\n1,2\n", "x=1[N],f=2", "unknown unit 'N' of displacement"},
        {"a,b\n1,x\n", "x=1,f=2", ":2:3: force: 'x' is not a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct masing_measurement *loops = NULL;
        struct masing_error error = {0};
        int n = 0;
        FILE *stream = fopen(file, "wb");
        fputs(bad[i].text, stream);
        fclose(stream);
        CHECK(masing_measurements_read_columns(file, bad[i].choice, &loops, &n, &error) ==
              MASING_INVALID);
        if (!CHECK(strstr(error.message, bad[i].message))) {
            printf("# '%s' instead of '%s'\n", error.message, bad[i].message);
        }
        masing_measurements_free(loops, n);
    }
}

static void records_and_responses_have_units_too(void)
{
    struct masing_record record;
    struct masing_measured_response response;
    struct masing_error error = {0};
    FILE *stream = fopen(file, "wb");
    fputs("Time (ms);tip [mm/s];hub/1;base (left)\n", stream);
    for (int i = 0; i < 70; i++) {
        fprintf(stream, "%d,5;%d;1,5;2\n", i, i);
    }
    fclose(stream);
    if (CHECK(masing_record_read(file, &record, &error) == MASING_OK)) {
        CHECK(record.n_channels == 3 && !strcmp(record.names[0], "tip"));
        CHECK(!strcmp(record.names[1], "hub/1") && !strcmp(record.names[2], "base (left)"));
        CHECK(fabs(record.step - 1e-3) < 1e-12 && fabs(record.start - 0.5e-3) < 1e-12);
        CHECK(fabs(record.samples[69] - 0.069) < 1e-15 && record.samples[70] == 1.5);
    } else {
        printf("# %s\n", error.message);
    }
    masing_record_clear(&record);
    stream = fopen(file, "wb");
    fputs("Frequency [kHz]\tamplitude [mm]\tPhase [rad]\n0,01\t2\t0\n0,02\t4\t3,14159265\n",
          stream);
    fclose(stream);
    if (CHECK(masing_measured_response_read(file, 1.0, &response, &error) == MASING_OK)) {
        CHECK(fabs(response.frequency_hz[1] - 20.0) < 1e-12);
        CHECK(fabs(response.amplitude[1] - 4e-3) < 1e-15);
        CHECK(response.phase_deg && fabs(response.phase_deg[1] - 180.0) < 1e-6);
    } else {
        printf("# %s\n", error.message);
    }
    masing_measured_response_clear(&response);
}

static const struct tap_test tests[] = {
    {"loops of laboratories are read", loops_of_laboratories_are_read},
    {"what is not clear is named", what_is_not_clear_is_named},
    {"records and responses have units too", records_and_responses_have_units_too},
};

int main(void)
{
    scratch_make(folder);
    snprintf(file, sizeof file, "%s/x.csv", folder);
    int status = tap_run(tests, (int)(sizeof tests / sizeof *tests));
    remove(file);
    rmdir(folder);
    return status;
}
