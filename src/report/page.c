/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page for a browser that needs nothing but itself. Scripts draw what readers look into; for
 * readers without them stand still pictures and tables. It allows the two scripts that it was
 * written with, by their hashes, and no others, and no connection to anywhere.
 */
#include <locale.h>
#include <stdio.h>

#include "report/page.h"
#include "report/page_data.h"

static void put_bytes(FILE *stream, const unsigned char *bytes, size_t size)
{
    fwrite(bytes, 1, size, stream);
}

static void put_head(FILE *stream, const char *title)
{
    fprintf(stream,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'sha256-%s' 'sha256-%s'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
            uplot_iife_min_js_hash, page_js_hash);
    page_text(stream, title);
    fputs("</title>\n<style>\n", stream);
    put_bytes(stream, uplot_min_css, uplot_min_css_size);
    fputc('\n', stream);
    put_bytes(stream, page_css, page_css_size);
    fputs("</style>\n</head>\n<body>\n<main>\n", stream);
}

static void put_warnings(FILE *stream, const struct masing_report_run *run)
{
    if (run->ending) {
        fputs("<p class=\"ending\">The run ended ", stream);
        page_text(stream, run->ending);
        fputs("</p>\n", stream);
    }
    if (run->n_warnings == 0) {
        return;
    }
    fputs("<section class=\"warnings\">\n<h2>Warnings</h2>\n<ul>\n", stream);
    for (int i = 0; i < run->n_warnings; i++) {
        fputs("<li>", stream);
        page_text(stream, run->warnings[i]);
        fputs("</li>\n", stream);
    }
    fputs("</ul>\n</section>\n", stream);
}

static void put_model(FILE *stream, const struct masing_report_run *run)
{
    if (run->model) {
        fputs("<section class=\"model\">\n<h2>Model</h2>\n<details open>\n"
              "<summary>with all values that were used</summary>\n<pre>",
              stream);
        page_text(stream, run->model);
        fputs("</pre>\n</details>\n</section>\n", stream);
    }
}

static void put_scripts(FILE *stream, const struct masing_report *report,
                        const struct masing_report_run *run)
{
    fputs("<script type=\"application/json\" id=\"data\">", stream);
    page_charts(stream, report, run);
    fputs("</script>\n<script>", stream);
    put_bytes(stream, uplot_iife_min_js, uplot_iife_min_js_size);
    fputs("</script>\n<script>", stream);
    put_bytes(stream, page_js, page_js_size);
    fputs("</script>\n", stream);
}

static enum masing_status put_page(const struct masing_report *report,
                                   const struct masing_report_run *run, FILE *stream,
                                   struct masing_error *error)
{
    const char *title = run->title ? run->title : "masing";
    put_head(stream, title);
    fputs("<header>\n<h1>", stream);
    page_text(stream, title);
    fprintf(stream, "</h1>\n<p class=\"command\">masing %s%s<code>", masing_version(),
            run->command ? ": " : "");
    page_text(stream, run->command);
    fputs("</code></p>\n</header>\n", stream);
    put_warnings(stream, run);
    enum masing_status status = page_stills(stream, report, run, error);
    page_tables(stream, report, run);
    put_model(stream, run);
    fputs("</main>\n", stream);
    put_scripts(stream, report, run);
    fputs("</body>\n</html>\n", stream);
    return status;
}

/* With a decimal point, whatever the locale. */
enum masing_status report_write_page(const struct masing_report *report,
                                     const struct masing_report_run *run, FILE *stream,
                                     struct masing_error *error)
{
    locale_t points = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(points);
    enum masing_status status = put_page(report, run, stream, error);
    uselocale(before);
    if (points) {
        freelocale(points);
    }
    return status;
}
