/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * What every fallible function returns, and the record that takes the sentence.
 *
 * Zero is success. A positive status means that this attempt failed and that a shorter step or
 * another start may succeed; a negative one means that trying again cannot help. (SUNDIALS
 * KINSOL uses the same convention, so that a residual's status passes through it unchanged.)
 *
 * NULL. An error record, options, a summary, a sink and each function of a sink or of
 * masing_progress may be NULL: the sentence, the numbers, the rows are then lost, options have
 * their defaults. A function that frees or clears takes NULL. Any other pointer of a fallible
 * function is needed, unless its description says otherwise: NULL is refused with
 * MASING_INVALID. So is a NULL array with members. Functions that cannot fail need what they
 * are handed.
 *
 * Structs that will grow. Options, requests and summaries begin with their `size`, which the
 * caller sets to sizeof of the struct: `struct masing_response_options options = {.size =
 * sizeof options}`. New members are added at the end and mean nothing where they are zero, so
 * that a program compiled against an older header runs with a newer library, which reads and
 * writes no more than this size; a program that sets members which an older library does not
 * know is refused with MASING_UNSUPPORTED. A size of zero stands for the members that version
 * 0.1 had. The rest of the struct is zero, too, where it is not set: also a summary, which is
 * zeroed before its first use. Members, not functions to set them, because such structs are
 * filled by designated initialisers; a size, not memory of the library's, because they stand on
 * the caller's stack and in arrays. What a program does not fill is opaque (masing_model,
 * masing_document, masing_result).
 */
#ifndef MASING_STATUS_H
#define MASING_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MASING_API __attribute__((visibility("default")))
#define MASING_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define MASING_API
#define MASING_PRINTF(text, first)
#endif

enum masing_status {
    MASING_OK = 0,
    MASING_NOT_CONVERGED = 1, /**< the iteration ran out of steps */
    MASING_NOT_FINITE = 2,    /**< a number overflowed or is not a number */
    MASING_SINGULAR = 3,      /**< a matrix could not be factorised */
    MASING_STOPPED = 4,       /**< the analysis ended early; what was computed is kept */
    MASING_INVALID = -1,      /**< the input is wrong; the message says where */
    MASING_NO_MEMORY = -2,
    MASING_IO = -3,          /**< a file cannot be read or written */
    MASING_UNSUPPORTED = -4, /**< understood, but not supported yet */
    MASING_INTERNAL = -5,    /**< a defect of this library */
};

enum { MASING_MESSAGE_LENGTH = 1024, MASING_PART_LENGTH = 160 };

/**
 * Owned by the caller. Every function that takes one clears it first, so that a record may be
 * used again and, after a call, tells of this call alone: MASING_OK and "" where nothing went
 * wrong. A callback (of a sink, ...) is handed the record of the call that is under way: it
 * may set it, and takes one of its own for calls into the library. It has no size and does not
 * grow.
 */
struct masing_error {
    enum masing_status status;
    char message[MASING_MESSAGE_LENGTH];
    /**
     * Which part of what was given is wrong: of a law's parameters the key of a field
     * ("preload", "friction.static"), of a specification its path ("joints.0.preload",
     * "loads.1.table.3"; all are counted from 0). Empty where it is no single part.
     */
    char part[MASING_PART_LENGTH];
};

/** Forget what is recorded. NULL is fine. */
MASING_API void masing_error_clear(struct masing_error *error);

/**
 * Record a failure, unless one is recorded already: the first writer wins.
 * @param error  may be NULL
 * @param status what is returned, also when the record is full
 */
MASING_API enum masing_status masing_error_set(struct masing_error *error,
                                               enum masing_status status, const char *format,
                                               ...) MASING_PRINTF(3, 4);

/**
 * Record that one part of what was given is wrong, unless a failure is recorded already.
 * @param error may be NULL
 * @param part  as masing_error.part
 * @return MASING_INVALID
 */
MASING_API enum masing_status masing_error_refuse(struct masing_error *error, const char *part,
                                                  const char *format, ...) MASING_PRINTF(3, 4);

enum { MASING_WARNING_VALUES = 8 };

/**
 * A sentence with its numbers: its text with a conversion of printf, of a double, in the place
 * of each value ("%%" is a per cent sign). Those of one kind about the same joint or mode have
 * equal patterns, so that many can be told as one.
 */
struct masing_warning {
    const char *pattern; /**< at most MASING_WARNING_VALUES conversions */
    double values[MASING_WARNING_VALUES];
};

/** The text of @p n sentences with equal patterns, in @p text and cut to its @p size: a value
 * that differs stands as "LEAST to MOST". Returns @p text. */
MASING_API const char *masing_warning_text(const struct masing_warning *const *alike, int n,
                                           char *text, size_t size);

/** A word for a status, e.g. "not converged". Never NULL. */
MASING_API const char *masing_status_name(enum masing_status status);

/** "MAJOR.MINOR.PATCH" of the library at run time. */
MASING_API const char *masing_version(void);

/** Which of its kernels OpenBLAS has chosen for this processor, e.g. "Haswell". */
MASING_API const char *masing_blas_kernels(void);

#ifdef __cplusplus
}
#endif
#endif
