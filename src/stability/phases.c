/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stability/phases.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/pi.h"
#include "linalg/dense.h"
#include "linalg/eigen.h"
#include "stability/changes.h"
#include "stability/map_pattern.h"

/* More axes have too many patterns. */
enum { MOST_AXES = 8 };
/* Changes of state nearer than this are one, rad. */
static const double TIE = 1e-12;
/* Halves of a period whose changes differ by no more than this, rad, are the same. */
static const double SAME_ANGLE = 1e-10;
/* Few modes: those up to so many times the highest harmonic, so many at least, and half of
 * them to tell what the others do. */
static const double MODE_CUTOFF = 2.0;
enum { FEWEST_MODES = 10 };

/* Between changes of state. */
struct segment {
    double length; /* rad */
    int pattern;
    int first, n_changes; /* that it begins with */
    int n_sliders;        /* that rest for a while */
};

struct phases {
    const struct masing_model *model;
    struct changes *changes;
    struct map_patterns *fine, *coarse; /* may be the same */
    double *key;                        /* of the present state */
    struct segment *segments;           /* [most changes] */
    int n_segments;
    double *y, *next, *s, *update; /* [n_columns][n] twice, [n_columns][n_joints], [n_joints] */
    double *scale; /* [n] of y where the product begins: both parts as velocities */
    double *map;   /* [n_columns^2] */
    struct eigen_general *eigen;
    int n_free;               /* modes that are left out */
    double *real, *imaginary; /* [capacity] of the coarse solution */
};

int phases_capacity(const struct phases *phases)
{
    return phases->fine->n + phases->fine->n_joints + 2 * phases->n_free;
}

static bool is_of_kind(const struct balance *balance)
{
    const struct structure *structure = balance->structure;
    return !structure->flexibility && structure->n_rigid == 0 && structure->n_modes > 0 &&
           structure->loss_factor == 0.0 && balance->n_axes > 0 && balance->n_axes <= MOST_AXES;
}

static int count_modes(const struct balance *balance, int n)
{
    const struct masing_spec *spec = &balance->model->spec;
    double highest = balance->basis->highest * fmax(spec->omega_from, spec->omega_to);
    while (n > FEWEST_MODES && balance->structure->omega[n - 1] > MODE_CUTOFF * highest) {
        n--;
    }
    return n;
}

static enum masing_status allocate(struct phases *made, const struct balance *balance,
                                   struct arena *arena, struct masing_error *error)
{
    size_t n = (size_t)made->fine->n, n_joints = (size_t)balance->n_joints;
    size_t n_columns = n + n_joints;
    made->segments = arena_array(arena, (size_t)made->changes->max, sizeof *made->segments);
    made->key = arena_doubles(arena, made->fine->table.key_size);
    made->y = arena_doubles(arena, n * n_columns);
    made->next = arena_doubles(arena, n * n_columns);
    made->s = arena_doubles(arena, n_joints * n_columns);
    made->update = arena_doubles(arena, n_joints);
    made->scale = arena_doubles(arena, n);
    made->map = arena_doubles(arena, n_columns * n_columns);
    made->real = arena_doubles(arena, (size_t)phases_capacity(made));
    made->imaginary = arena_doubles(arena, (size_t)phases_capacity(made));
    NEED_ALLOCATED(!arena->has_failed);
    return eigen_general_create((int)n_columns, false, &made->eigen, error);
}

void phases_destroy(struct phases *phases)
{
    if (phases) {
        if (phases->coarse != phases->fine) {
            map_patterns_destroy(phases->coarse);
        }
        map_patterns_destroy(phases->fine);
        changes_destroy(phases->changes);
        eigen_general_destroy(phases->eigen);
    }
}

enum masing_status phases_create(const struct balance *balance, int n_modes, bool few_modes,
                                 struct arena *arena, struct phases **phases,
                                 struct masing_error *error)
{
    const struct structure *structure = balance->structure;
    if (!is_of_kind(balance)) {
        return MASING_OK;
    }
    struct phases *made = arena_array(arena, 1, sizeof *made);
    NEED_ALLOCATED(made);
    *phases = made;
    made->model = balance->model;
    NEED(changes_create(balance, arena, &made->changes, error));
    const struct changes *changes = made->changes;
    if (!changes || (changes->has_dashpots && n_modes < structure->n_modes)) {
        phases_destroy(made);
        *phases = NULL;
        return MASING_OK;
    }
    few_modes = few_modes && !changes->has_dashpots && !structure->damping_matrix;
    int n_fine = few_modes ? count_modes(balance, n_modes) : n_modes;
    int n_coarse = n_fine < n_modes ? n_fine / 2 : n_fine;
    made->n_free = n_modes - n_fine;
    NEED(map_patterns_create(balance->model, n_fine, changes->damping, arena, &made->fine,
                             error));
    made->coarse = made->fine;
    if (n_coarse < n_fine) {
        NEED(map_patterns_create(balance->model, n_coarse, changes->damping, arena,
                                 &made->coarse, error));
    }
    return allocate(made, balance, arena, error);
}

/* The force of a joint in the key. */
static void apply(struct phases *phases, int j, const struct change_force *force)
{
    size_t n_axes = (size_t)phases->fine->n_axes, n_joints = (size_t)phases->fine->n_joints;
    const struct joint *joint = &phases->model->joints[j];
    for (size_t a = 0; a < (size_t)joint->n_axes; a++) {
        size_t axis = (size_t)joint->first_axis + a;
        for (size_t b = 0; b < (size_t)joint->n_axes; b++) {
            phases->key[axis * n_axes + (size_t)joint->first_axis + b] = force->k[a][b];
        }
        phases->key[n_axes * n_axes + axis * n_joints + (size_t)j] = force->l[a];
    }
}

/* Whether a joint's slider rests in a pattern, for a while. */
static bool has_slider(const struct phases *phases, const double *key, int j)
{
    int n_axes = phases->fine->n_axes, n_joints = phases->fine->n_joints;
    const struct joint *joint = &phases->model->joints[j];
    bool has = false;
    for (int a = joint->first_axis; a < joint->first_axis + joint->n_axes; a++) {
        has = has || key[n_axes * n_axes + a * n_joints + j] != 0.0;
    }
    return has;
}

/* The period in segments of one pattern each. Where several joints change at once, in whatever
 * order, the first segment has no length and is none. */
static enum masing_status divide(struct phases *phases, struct map_patterns *patterns)
{
    const struct changes *changes = phases->changes;
    int n = changes->n;
    phases->n_segments = 0;
    map_patterns_begin(patterns);
    memset(phases->key, 0, patterns->table.key_size * sizeof(double));
    for (int j = 0; j < patterns->n_joints; j++) {
        apply(phases, j, &changes->constant[j]);
    }
    for (int i = 0; i < n; i++) { /* as the period before left them */
        apply(phases, changes->list[i].joint, &changes->list[i].force);
    }
    for (int i = 0; i < n;) {
        struct segment *segment = &phases->segments[phases->n_segments++];
        *segment = (struct segment){.first = i};
        double angle = changes->list[i].angle;
        for (; i < n && changes->list[i].angle - angle <= TIE; i++) {
            apply(phases, changes->list[i].joint, &changes->list[i].force);
            segment->n_changes++;
        }
        for (int j = 0; j < patterns->n_joints; j++) {
            segment->n_sliders += has_slider(phases, phases->key, j);
        }
        double next = i < n ? changes->list[i].angle : changes->list[0].angle + TWO_PI;
        segment->length = next - angle;
        NEED(map_patterns_find(patterns, phases->key, &segment->pattern));
    }
    return MASING_OK;
}

static const struct segment *segment_at(const struct phases *phases, int index)
{
    return &phases->segments[index % phases->n_segments];
}

/* Both halves of the period are the same: that of a symmetric motion is the square of the
 * first. */
static bool is_twice(const struct phases *phases)
{
    int half = phases->n_segments / 2;
    bool is = phases->n_segments % 2 == 0 && half > 0;
    for (int i = 0; i < half && is; i++) {
        const struct segment *one = &phases->segments[i], *other = one + half;
        is = one->pattern == other->pattern && one->n_changes == other->n_changes &&
             fabs(one->length - other->length) < SAME_ANGLE;
        for (int k = 0; k < one->n_changes && is; k++) {
            const struct change *a = &phases->changes->list[one->first + k];
            const struct change *b = &phases->changes->list[other->first + k];
            is = a->joint == b->joint && a->comes_to_rest == b->comes_to_rest &&
                 fabs(a->rest[0] - b->rest[0]) <= SAME_ANGLE * fabs(a->rest[0]);
        }
    }
    return is;
}

/* Sliders come to rest where the motion is. */
static void rest_sliders(struct phases *phases, const struct map_patterns *patterns,
                         int pattern, const struct segment *next, int n_columns)
{
    size_t n = (size_t)patterns->n, n_joints = (size_t)patterns->n_joints;
    for (size_t column = 0; column < (size_t)n_columns; column++) {
        const double *y = phases->y + column * n;
        double *s = phases->s + column * n_joints;
        memcpy(phases->update, s, n_joints * sizeof *s);
        for (int i = next->first; i < next->first + next->n_changes; i++) {
            const struct change *change = &phases->changes->list[i];
            const struct joint *joint = &phases->model->joints[change->joint];
            if (change->comes_to_rest) {
                phases->update[change->joint] = 0.0;
            }
            for (int a = 0; change->comes_to_rest && a < joint->n_axes; a++) {
                phases->update[change->joint] +=
                    change->rest[a] *
                    map_pattern_seen(patterns, pattern, joint->first_axis + a, y, s);
            }
        }
        memcpy(s, phases->update, n_joints * sizeof *s);
    }
}

/* The segment with the fewest sliders at rest: the others are no states where it begins. */
static int choose_start(const struct phases *phases)
{
    int best = 0;
    for (int i = 1; i < phases->n_segments; i++) {
        best = phases->segments[i].n_sliders < phases->segments[best].n_sliders ? i : best;
    }
    return best;
}

/* Unit columns of y, and of the sliders that rest in a segment; their number. */
static int begin(struct phases *phases, const struct map_patterns *patterns, int start,
                 int sliders[MOST_AXES])
{
    size_t n = (size_t)patterns->n, n_joints = (size_t)patterns->n_joints;
    const struct pattern_entry *entry = &patterns->table.kept[phases->segments[start].pattern];
    const struct pattern_basis *basis = &entry->basis;
    int n_columns = patterns->n;
    for (int j = 0; j < patterns->n_joints; j++) {
        if (has_slider(phases, entry->key, j)) {
            sliders[n_columns++ - patterns->n] = j;
        }
    }
    memset(phases->y, 0, (size_t)n_columns * n * sizeof(double));
    memset(phases->s, 0, (size_t)n_columns * n_joints * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        bool is_velocity = 2 * i >= n || basis->square[i] == 0.0;
        phases->scale[i] = is_velocity ? 1.0 : sqrt(fabs(basis->square[i]));
        phases->y[i * (n + 1)] = 1.0 / phases->scale[i];
    }
    for (size_t i = n; i < (size_t)n_columns; i++) {
        phases->s[i * n_joints + (size_t)sliders[i - n]] = 1.0;
    }
    return n_columns;
}

/* Eigenvalues of the product of segments. */
static enum masing_status multiply(struct phases *phases, struct map_patterns *patterns,
                                   double omega, struct phases_result *result)
{
    bool is_square = is_twice(phases);
    int sliders[MOST_AXES], start = choose_start(phases), n = patterns->n;
    int n_segments = is_square ? phases->n_segments / 2 : phases->n_segments;
    result->n = begin(phases, patterns, start, sliders);
    for (int i = start; i < start + n_segments; i++) {
        const struct segment *segment = segment_at(phases, i),
                             *next = segment_at(phases, i + 1);
        map_patterns_advance(patterns, segment->pattern, segment->length / omega, result->n,
                             phases->y, phases->s);
        rest_sliders(phases, patterns, segment->pattern, next, result->n);
        dense_multiply(n, result->n, n,
                       map_patterns_transfer(patterns, segment->pattern, next->pattern),
                       phases->y, phases->next);
        double *y = phases->y;
        phases->y = phases->next;
        phases->next = y;
    }
    for (int column = 0; column < result->n; column++) {
        double *to = phases->map + column * result->n;
        for (int i = 0; i < n; i++) {
            to[i] = phases->scale[i] * phases->y[column * n + i];
        }
        for (int i = n; i < result->n; i++) {
            to[i] = phases->s[column * patterns->n_joints + sliders[i - n]];
        }
    }
    NEED(eigen_general_solve(phases->eigen, result->n, phases->map, result->real,
                             result->imaginary, NULL));
    for (int i = 0; i < result->n && is_square; i++) {
        double real = result->real[i], imaginary = result->imaginary[i];
        result->real[i] = real * real - imaginary * imaginary;
        result->imaginary[i] = 2.0 * real * imaginary;
    }
    return MASING_OK;
}

static void add(struct phases_result *result, double real, double imaginary)
{
    result->real[result->n] = real;
    result->imaginary[result->n++] = imaginary;
}

/* Both of an oscillator over a time. */
static void add_oscillator(struct phases_result *result, double square, double damping,
                           double time)
{
    double decay = 0.5 * damping, discriminant = square - decay * decay;
    double root = sqrt(fabs(discriminant));
    if (discriminant >= 0.0) {
        double size = exp(-decay * time), turn = root * time;
        double real = size * cos(turn), imaginary = size * sin(turn);
        add(result, real, imaginary);
        add(result, real, -imaginary);
    } else {
        double fast = decay + copysign(root, decay);
        add(result, exp(-square / fast * time), 0.0);
        add(result, exp(-fast * time), 0.0);
    }
}

/* The modes that are left out, as if they were alone. */
static void add_free(const struct phases *phases, const struct map_patterns *patterns,
                     double omega, struct phases_result *result)
{
    const struct structure *structure = phases->model->structure;
    int from = patterns->n_modes, to = phases->fine->n_modes + phases->n_free;
    for (int k = from; k < to; k++) {
        add_oscillator(result, structure->omega[k] * structure->omega[k],
                       structure->modal_damping[k], TWO_PI / omega);
    }
}

static enum masing_status find_multipliers(struct phases *phases, struct map_patterns *patterns,
                                           enum change_motion motion, double omega,
                                           struct phases_result *result)
{
    result->n = 0;
    NEED(changes_find(phases->changes, motion));
    NEED(divide(phases, patterns));
    result->n_changes = phases->changes->n;
    if (phases->n_segments > 0) {
        NEED(multiply(phases, patterns, omega, result));
    } else {
        int index = 0;
        NEED(map_patterns_find(patterns, phases->key, &index));
        const struct pattern_basis *basis = &patterns->table.kept[index].basis;
        for (int i = 0; i < basis->n; i++) {
            add_oscillator(result, basis->square[i], basis->damping[i], TWO_PI / omega);
        }
    }
    add_free(phases, patterns, omega, result);
    return MASING_OK;
}

/* Of the largest modulus. */
static double difference(const struct phases_result *one, const struct phases_result *other)
{
    double size[2] = {0.0, 0.0};
    for (int i = 0; i < one->n; i++) {
        size[0] = fmax(size[0], hypot(one->real[i], one->imaginary[i]));
    }
    for (int i = 0; i < other->n; i++) {
        size[1] = fmax(size[1], hypot(other->real[i], other->imaginary[i]));
    }
    return fabs(size[1] - size[0]);
}

enum masing_status phases_evaluate(struct phases *phases, double omega,
                                   struct phases_result *result)
{
    struct phases_result other = {.real = phases->real, .imaginary = phases->imaginary};
    struct map_patterns *both[] = {phases->fine, phases->coarse};
    NEED(find_multipliers(phases, both[0], CHANGES_OF_ALL, omega, result));
    bool is_at_corner = phases->changes->has_short_slips;
    NEED(find_multipliers(phases, both[1], CHANGES_OF_FIRST_HARMONICS, omega, &other));
    result->error = difference(result, &other);
    if (is_at_corner) {
        NEED(find_multipliers(phases, both[0], CHANGES_WITHOUT_SHORT_SLIPS, omega, &other));
        result->error += difference(result, &other);
    }
    return MASING_OK;
}
