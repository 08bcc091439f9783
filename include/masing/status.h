/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * What every fallible function returns, and the record that takes the sentence.
 *
 * Zero is success. A positive status means that this attempt failed and that a shorter step or
 * another start may succeed; a negative one means that trying again cannot help. (SUNDIALS
 * KINSOL uses the same convention, so that a residual's status passes through it unchanged.)
 */
#ifndef MASING_STATUS_H
#define MASING_STATUS_H

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

/** Owned by the caller, zero-initialised; the first writer wins. */
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

/**
 * Record a failure, unless one is recorded already.
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

/** A word for a status, e.g. "not converged". Never NULL. */
MASING_API const char *masing_status_name(enum masing_status status);

/** "MAJOR.MINOR.PATCH" of the library at run time. */
MASING_API const char *masing_version(void);

#ifdef __cplusplus
}
#endif
#endif
