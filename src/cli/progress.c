/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The only thing that a signal handler may touch. */
static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool is_cancelled(void *context)
{
    (void)context;
    return is_interrupted != 0;
}

static void format_seconds(double seconds, char *text, size_t size)
{
    if (seconds < 100) {
        snprintf(text, size, "%.0f s", ceil(seconds));
    } else if (seconds < 6000) {
        snprintf(text, size, "%.0f min", ceil(seconds / 60));
    } else {
        snprintf(text, size, "%.1f h", seconds / 3600);
    }
}

static void draw(struct progress *progress, double fraction, int points, double time)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1], left[32];
    int filled = (int)(fraction * WIDTH);
    memset(bar, '#', (size_t)filled);
    memset(bar + filled, '.', (size_t)(WIDTH - filled));
    bar[WIDTH] = '\0';
    format_seconds((time - progress->started) * (1 - fraction) / fmax(fraction, 1e-3), left,
                   sizeof left);
    fprintf(stderr, "\r[%s] %3.0f %%  %d points  %s left\x1b[K", bar, 100 * fraction, points,
            left);
    progress->is_drawn = true;
}

/* Quiet during the first half second, then ten times a second. */
static void report(void *context, double fraction, int points)
{
    const double patience = 0.5, pause = 0.1;
    struct progress *progress = context;
    double time = now();
    if (progress->has_bar && time - progress->started > patience &&
        time - progress->last > pause) {
        draw(progress, fmin(fmax(fraction, 0), 1), points, time);
        progress->last = time;
    }
}

static void log_line(void *context, const char *line)
{
    struct progress *progress = context;
    option_store_texts(progress->pool, pool_format(progress->pool, "%s", line), &progress->log,
                       NULL);
}

void progress_begin(struct progress *progress, struct pool *pool, bool is_quiet)
{
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    *progress = (struct progress){
        .hooks = {progress, report, log_line, is_cancelled},
        .pool = pool,
        .has_bar = !is_quiet && isatty(STDERR_FILENO),
        .started = now(),
    };
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
    sigaction(SIGINT, NULL, &before);
    progress->is_ignored = before.sa_handler == SIG_IGN; /* as for jobs in the background */
    if (!progress->is_ignored) {
        sigaction(SIGINT, &action, NULL);
    }
}

void progress_end(struct progress *progress)
{
    if (progress->is_drawn) {
        fputs("\r\x1b[K", stderr);
        progress->is_drawn = false;
    }
    if (!progress->is_ignored) {
        signal(SIGINT, SIG_DFL);
    }
}
