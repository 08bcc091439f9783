/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "masing/status.h"
#include "masing/suggest.h"

/* Not the kernels for AVX2; "Unknown" until it has chosen. */
static bool has_chosen_otherwise(void)
{
    const char *kernels = masing_blas_kernels();
    return strcmp(kernels, "Unknown") != 0 && strcmp(kernels, "Haswell") != 0 &&
           strcmp(kernels, "Zen") != 0;
}

static bool has_avx2(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/*
 * OpenBLAS reads its environment variables while it is loaded; what the user has set stays.
 * It starts a worker for each further processor, and a worker spins for some 20 ms before it
 * first sleeps, on matrices that one thread handles faster. On a processor that is newer than
 * itself it takes kernels for SSE3, half as fast, or those for AVX-512, which compute wrong
 * results on some: those for AVX2 are right. Where OpenBLAS is part of the program its
 * constructors follow this one; where it is a shared library it has read them, and the program
 * starts once more.
 */
__attribute__((constructor(101))) static void prepare_blas(int n_arguments, char **arguments)
{
    char path[PATH_MAX] = "";
    (void)n_arguments;
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    if (getenv("OPENBLAS_CORETYPE") || !has_avx2() ||
        setenv("OPENBLAS_CORETYPE", "Haswell", 1) != 0) {
        return;
    }
    /* by its own name, which a list of processes shows */
    if (has_chosen_otherwise() && readlink("/proc/self/exe", path, sizeof path - 1) > 0) {
        execv(path, arguments); /* goes on as it is where that fails */
    }
}

/* A result file must not land on the number of a standard stream that the caller has closed:
 * such a stream gets a descriptor that cannot be written to, so that writing fails. */
static int reserve_standard_streams(void)
{
    int file = 0;
    while (file <= STDERR_FILENO) {
        if (fcntl(file, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != file) {
            return -1;
        }
        file++;
    }
    return 0;
}

static enum exit_status refuse_command(const char *name)
{
    char text[MASING_SUGGESTION_LENGTH];
    struct masing_suggestion suggestion = masing_suggest_begin(name);
    for (const struct command *const *command = command_list(); *command; command++) {
        masing_suggest_consider(&suggestion, (*command)->name);
    }
    command_say(NULL, "unknown %s '%.80s'%s; 'masing --help' lists the commands",
                name[0] == '-' ? "option" : "command", name,
                masing_suggest_text(&suggestion, text, sizeof text));
    return EXIT_WRONG;
}

static enum exit_status dispatch(int n_arguments, char **arguments)
{
    if (n_arguments < 2) {
        command_say(NULL, "a command is missing; 'masing --help' lists the commands");
        return EXIT_WRONG;
    }
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        command_help();
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("masing %s\nOpenBLAS kernels: %s\n", masing_version(), masing_blas_kernels());
        return EXIT_DONE;
    }
    for (const struct command *const *command = command_list(); *command; command++) {
        if (strcmp((*command)->name, name) == 0) {
            return command_call(*command, n_arguments - 2, arguments + 2);
        }
    }
    return refuse_command(name);
}

/* What one curve of a study has freed serves the next: handed back to the system after each,
 * with its pages fetched anew, it took a third of the time of short curves. */
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    enum { KEPT = 1 << 26 };
    mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

int main(int n_arguments, char **arguments)
{
    if (reserve_standard_streams() != 0) {
        return EXIT_STOPPED;
    }
    keep_freed_memory();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error that is reported */
    enum exit_status result = dispatch(n_arguments, arguments);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (result == EXIT_DONE) {
            command_say(NULL, "standard output: cannot write: %s", strerror(errno));
            result = EXIT_STOPPED;
        }
    }
    return (int)result;
}
