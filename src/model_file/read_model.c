/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All sections of a model file, in the order in which they need each other. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pi.h"
#include "data/number.h"
#include "model/seal.h"
#include "model_file/reader_mesh.h"

enum { FORMAT_VERSION = 1, MAX_PARAMETERS = 1000, MAX_LOADS = 10000, MAX_OUTPUTS = 10000 };
enum { MAX_MODE = 100000 };

/* `harmonics: auto` */
enum { AUTOMATIC_HIGHEST = 31 };
static const double AUTOMATIC_TOLERANCE = 1e-3;

/* `ringdown`; segments as in masing_ringdown_settings */
enum { MAX_STEPS = 2000000000, MIN_SEGMENTS = 3, DEFAULT_SEGMENTS = 20, MAX_SEGMENTS = 100000 };

/* --- parameters: names for numbers, each computed from those above it --------------------- */

static enum masing_status read_parameters(struct reader *reader, struct tree_node *section,
                                          void *object)
{
    struct masing_error *error = reader->error;
    (void)object;
    if (tree_is_null(section)) {
        return MASING_OK;
    }
    NEED(reader_open_mapping(reader, section));
    NEED(reader_refuse(reader, section->count > MAX_PARAMETERS, section,
                       "parameters: more than %d", MAX_PARAMETERS));
    NEED_ALLOCATED(reader->parameters =
                       arena_array(&reader->tree->arena, (size_t)section->count,
                                   sizeof *reader->parameters));
    for (struct tree_node *node = section->first; node; node = node->next) {
        struct parameter *parameter = &reader->parameters[reader->n_parameters];
        const char *fault =
            !expression_is_name(node->key)
                ? ": a parameter's name is a letter or _, then letters, digits and _ (at most "
                  "63)"
            : reader_find_key(model_keys, node->key)
                ? " is a key of the model and cannot be a parameter's name"
                : NULL;
        NEED(fault ? reader_fail_key(reader, node, "'%.60s'%s", node->key, fault) : MASING_OK);
        parameter->name = node->key;
        NEED(reader_number(reader, node, node->key, &parameter->value));
        reader->n_parameters++; /* only now: it cannot be computed from itself */
    }
    return MASING_OK;
}

/* --- title, frequency, harmonics, samples ------------------------------------------------- */

static enum masing_status read_title(struct reader *reader, struct tree_node *node,
                                     void *object)
{
    struct masing_spec *spec = object;
    return tree_is_null(node) ? MASING_OK
                              : reader_text_copy(reader, node, "title", &spec->title);
}

/* [from, to] */
static enum masing_status read_pair(struct reader *reader, struct tree_node *node, double *from,
                                    double *to)
{
    if (node->kind != TREE_SEQUENCE || node->count != 2) {
        return reader_fail(reader, node, "%s: expected [from, to]", node->key);
    }
    NEED(reader_number(reader, node->first, node->key, from));
    return reader_number(reader, node->last, node->key, to);
}

/* A range or one frequency, in the unit of the file. */
static enum masing_status read_frequency(struct reader *reader, struct tree_node *node,
                                         void *object)
{
    struct masing_spec *spec = object;
    spec->frequency_unit = 1.0;
    if (node->kind == TREE_SCALAR) {
        spec->sweep = MASING_SWEEP_POINT;
        return reader_number(reader, node, node->key, &spec->omega_from);
    }
    spec->sweep = MASING_SWEEP_RANGE;
    return read_pair(reader, node, &spec->omega_from, &spec->omega_to);
}

static enum masing_status read_frequency_unit(struct reader *reader, struct tree_node *node,
                                              void *object)
{
    static const char *const units[] = {"hz", "rad_s", "rpm", NULL};
    static const double radians[] = {TWO_PI, 1.0, TWO_PI / 60.0};
    struct masing_spec *spec = object;
    int unit = 0;
    NEED(node ? reader_choice(reader, node, "frequency_unit", units, &unit)
              : reader_default(reader, reader->tree->root, "frequency_unit", units[unit]));
    spec->frequency_unit *= radians[unit];
    spec->omega_from *= radians[unit];
    spec->omega_to *= radians[unit];
    return MASING_OK;
}

static const char *const frequencies_of[] = {"vibration", "shaft", NULL};

/* Seven multiples of every engine order, and the mean: what a blade counts as its harmonics. */
enum { MULTIPLES = 7 };

static void add_harmonic(struct masing_spec *spec, long long harmonic)
{
    for (int i = 0; i < spec->n_harmonics; i++) {
        if (spec->harmonics[i] == harmonic) {
            return;
        }
    }
    if (harmonic <= MAX_HARMONIC) {
        spec->harmonics[spec->n_harmonics++] = (int)harmonic;
    }
}

static int compare(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

/* `harmonics: auto` */
struct automatic_harmonics {
    double tolerance;
    int highest;
};

static const struct reader_key automatic_keys[] = {
    KEY("tolerance", offsetof(struct automatic_harmonics, tolerance), KEY_NUMBER,
        .has_default = true),
    KEY("max", offsetof(struct automatic_harmonics, highest), KEY_INTEGER, .has_default = true,
        .minimum = 1, .maximum = MAX_HARMONIC),
    {0},
};

/* `auto`, or `{tolerance: ..., max: ...}`. */
static enum masing_status read_automatic(struct reader *reader, struct tree_node *node,
                                         int *highest)
{
    struct automatic_harmonics automatic = {AUTOMATIC_TOLERANCE, AUTOMATIC_HIGHEST};
    if (node->kind == TREE_MAPPING) {
        NEED(reader_section(reader, node, automatic_keys, 0, &automatic));
    }
    NEED(reader_refuse(reader, !(automatic.tolerance > 0.0 && automatic.tolerance < 1.0),
                       tree_find(node, "tolerance"),
                       "tolerance: expected a part between 0 and 1, found %g",
                       automatic.tolerance));
    *highest = automatic.highest;
    reader->spec->harmonics_tolerance = automatic.tolerance;
    return MASING_OK;
}

/* The list of a shaft's frequency, where none is given. */
static enum masing_status choose_orders(struct reader *reader, const struct tree_node *loads)
{
    struct masing_spec *spec = reader->spec;
    struct masing_error *error = reader->error;
    free(spec->harmonics);
    spec->n_harmonics = 0;
    spec->harmonics =
        memory_array(1 + MULTIPLES * (size_t)loads->count, sizeof *spec->harmonics);
    NEED_ALLOCATED(spec->harmonics);
    add_harmonic(spec, 0);
    for (const struct tree_node *load = loads->first; load; load = load->next) {
        struct tree_node *node = tree_find(load, "engine_order");
        int order = 1;
        node = node ? node : tree_find(load, "harmonic");
        NEED(node ? reader_integer(reader, node, node->key, 1, MAX_HARMONIC, &order)
                  : MASING_OK);
        for (int m = 1; m <= MULTIPLES; m++) {
            add_harmonic(spec, (long long)m * order);
        }
    }
    qsort(spec->harmonics, (size_t)spec->n_harmonics, sizeof *spec->harmonics, compare);
    return MASING_OK;
}

/* A list, the highest one, or `auto` in one of its ways. */
static enum masing_status read_harmonics(struct reader *reader, struct tree_node *node,
                                         void *object)
{
    struct masing_spec *spec = object;
    struct masing_error *error = reader->error;
    if (!node && spec->is_of_shaft) {
        const struct tree_node *loads = tree_find(reader->tree->root, "loads");
        bool has_loads = loads && loads->kind == TREE_SEQUENCE && loads->count > 0;
        return has_loads ? choose_orders(reader, loads) : MASING_OK;
    }
    if (!node) {
        char text[NUMBER_TEXT];
        int n = spec->n_harmonics;
        return reader_default(reader, reader->tree->root, "harmonics",
                              number_print(n ? spec->harmonics[n - 1] : 0.0, text));
    }
    size_t most = (size_t)(node->count > MAX_HARMONIC ? node->count : MAX_HARMONIC) + 1;
    free(spec->harmonics);
    spec->n_harmonics = 0;
    NEED_ALLOCATED(spec->harmonics = memory_array(most, sizeof *spec->harmonics));
    if (node->kind == TREE_SEQUENCE) {
        for (struct tree_node *child = node->first; child; child = child->next) {
            NEED(reader_integer(reader, child, "harmonics", 0, MAX_HARMONIC,
                                &spec->harmonics[spec->n_harmonics++]));
        }
        qsort(spec->harmonics, (size_t)spec->n_harmonics, sizeof *spec->harmonics, compare);
    } else {
        bool is_automatic = node->kind == TREE_MAPPING || strcmp(node->text, "auto") == 0;
        int highest;
        NEED(is_automatic
                 ? read_automatic(reader, node, &highest)
                 : reader_integer(reader, node, "harmonics", 1, MAX_HARMONIC, &highest));
        while (spec->n_harmonics <= highest) {
            spec->harmonics[spec->n_harmonics] = spec->n_harmonics;
            spec->n_harmonics++;
        }
    }
    return MASING_OK;
}

/* --- mode --------------------------------------------------------------------------------- */

static enum masing_status read_amplitudes(struct reader *reader, struct tree_node *node,
                                          void *object)
{
    struct masing_mode_settings *mode = object;
    double *from = &mode->amplitude_from, *to = &mode->amplitude_to;
    NEED(read_pair(reader, node, from, to));
    NEED(reader_positive(reader, node->first, node->key, from));
    NEED(reader_positive(reader, node->last, node->key, to));
    return reader_refuse(reader, *from >= *to, node,
                         "amplitude: from %g to %g, expected the smaller one first: a mode is "
                         "followed from where the joints stick",
                         *from, *to);
}

static const struct reader_key mode_keys[] = {
    KEY("number", offsetof(struct masing_mode_settings, number), KEY_INTEGER,
        .is_required = true, .minimum = 1, .maximum = MAX_MODE,
        .place = offsetof(struct masing_mode_settings, number_place)),
    {.name = "amplitude", .is_required = true, .read = read_amplitudes},
    {0},
};

/* --- ringdown ----------------------------------------------------------------------------- */

#define RINGDOWN(member) offsetof(struct masing_ringdown_settings, member)

enum { OF_DOF = 1, OF_MODE = 2 };

static const char *const shapes[] = {"stuck", "free", NULL};

static const struct reader_key impulse_keys[] = {
    KEY("dof", RINGDOWN(hit), KEY_DISPLACEMENT, .variants = OF_DOF, .is_required = true),
    KEY("mode", RINGDOWN(mode), KEY_INTEGER, .variants = OF_MODE, .place = RINGDOWN(mode_place),
        .is_required = true, .minimum = 1, .maximum = MAX_MODE),
    KEY("amplitude", RINGDOWN(amplitude), KEY_NUMBER, .is_required = true),
    KEY("frequency", RINGDOWN(impulse_hz), KEY_POSITIVE),
    KEY("shape", RINGDOWN(is_free_shape), KEY_SWITCH, .variants = OF_MODE, .has_default = true,
        .choices = shapes),
    {0},
};

static enum masing_status read_impulse(struct reader *reader, struct tree_node *impulse,
                                       void *object)
{
    struct masing_ringdown_settings *ringdown = object;
    bool is_of_mode = tree_find(impulse, "mode") != NULL;
    struct tree_node *frequency;
    NEED(reader_fold_set(reader, impulse));
    ringdown->start = is_of_mode ? MASING_DECAY_MODE : MASING_DECAY_DOF;
    enum masing_status status =
        reader_section(reader, impulse, impulse_keys, is_of_mode ? OF_MODE : OF_DOF, object);
    return status || is_of_mode ? status
                                : reader_required(reader, impulse, "frequency", &frequency);
}

static enum masing_status read_initial(struct reader *reader, struct tree_node *initial,
                                       const struct reader_key *keys, void *object)
{
    enum masing_status status = reader_section(reader, initial, keys, 0, object);
    return status || initial->count
               ? status
               : reader_fail(reader, initial, "initial: expected displacements or velocities");
}

static const struct reader_key decay_keys[] = {
    KEY("displacements", RINGDOWN(displacements), KEY_VALUES),
    KEY("velocities", RINGDOWN(velocities), KEY_VALUES),
    {0},
};

static enum masing_status read_decay(struct reader *reader, struct tree_node *initial,
                                     void *object)
{
    struct masing_ringdown_settings *ringdown = object;
    ringdown->start = MASING_DECAY_INITIAL;
    return read_initial(reader, initial, decay_keys, object);
}

static const struct reader_key start_keys[] = {
    KEY("displacements", offsetof(struct masing_initial_state, displacements), KEY_VALUES),
    KEY("velocities", offsetof(struct masing_initial_state, velocities), KEY_VALUES),
    {0},
};

static enum masing_status read_start(struct reader *reader, struct tree_node *initial,
                                     void *object)
{
    return read_initial(reader, initial, start_keys, object);
}

static enum masing_status read_mode_list(struct reader *reader, struct tree_node *list,
                                         void *object)
{
    struct masing_ringdown_settings *ringdown = object;
    struct masing_error *error = reader->error;
    NEED(reader_sequence(reader, list));
    NEED(reader_refuse(reader, !list->count, list, "modes: expected at least one number"));
    NEED_ALLOCATED(ringdown->modes =
                       memory_array((size_t)list->count, sizeof *ringdown->modes));
    for (struct tree_node *child = list->first; child; child = child->next) {
        int *mode = &ringdown->modes[ringdown->n_modes];
        NEED(reader_integer(reader, child, "modes", 1, MAX_MODE, mode));
        for (int i = 0; i < ringdown->n_modes; i++) {
            NEED(reader_refuse(reader, ringdown->modes[i] == *mode, child,
                               "modes: %d stands here twice", *mode));
        }
        ringdown->n_modes++;
    }
    return MASING_OK;
}

static const struct reader_key ringdown_keys[] = {
    {.name = "impulse", .read = read_impulse},
    {.name = "initial", .read = read_decay},
    KEY("step", RINGDOWN(step), KEY_POSITIVE),
    KEY("steps", RINGDOWN(steps), KEY_INTEGER, .minimum = 1, .maximum = MAX_STEPS),
    KEY("segments", RINGDOWN(segments), KEY_INTEGER, .has_default = true,
        .minimum = MIN_SEGMENTS, .maximum = MAX_SEGMENTS),
    {.name = "modes", .place = RINGDOWN(modes_place), .read = read_mode_list},
    {0},
};

static enum masing_status read_ringdown(struct reader *reader, struct tree_node *section,
                                        void *object)
{
    struct masing_spec *spec = object;
    enum masing_status status = reader_check_keys(reader, section, ringdown_keys, 0, NULL);
    if (!status && !tree_find(section, "impulse") == !tree_find(section, "initial")) {
        return reader_fail(reader, section, "ringdown: expected one of impulse and initial");
    }
    spec->ringdown.segments = DEFAULT_SEGMENTS;
    return status ? status
                  : reader_read_keys(reader, section, ringdown_keys, 0, &spec->ringdown);
}

/* --- all sections ------------------------------------------------------------------------- */

#define SPEC(member) offsetof(struct masing_spec, member)

static const char *const forces[] = {"auto", "sampled", "exact", NULL};
static const char *const starts[] = {"zero", "static", "previous", NULL};

/* What a section needs is read before it, and before all the rest what no file of the structure
 * can change: they may be large, and a mistake beside them is told at once. */
enum { BEFORE_STRUCTURE = 1, FROM_STRUCTURE = 2 };

const struct reader_key model_keys[] = {
    {.name = "masing"},
    {.name = "title", .variants = BEFORE_STRUCTURE, .read = read_title},
    {.name = "parameters", .variants = BEFORE_STRUCTURE, .read = read_parameters},
    KEY("uncertain", 0, KEY_OTHER, .variants = BEFORE_STRUCTURE, .read = read_uncertain),
    KEY("structure", 0, KEY_OTHER, .variants = FROM_STRUCTURE, .is_required = true,
        .needs_structure = true, .place = SPEC(structure.place), .read = read_structure),
    {.name = "joints", .variants = FROM_STRUCTURE, .read = read_joints},
    KEY("loads", SPEC(loads), KEY_LIST, .variants = FROM_STRUCTURE, .needs_structure = true,
        .maximum = MAX_LOADS, .count = SPEC(n_loads), .size = sizeof(struct masing_load_spec),
        .read = read_load),
    KEY("load_factor", SPEC(load_factor), KEY_NUMBER, .variants = BEFORE_STRUCTURE,
        .has_default = true, .needs_structure = true),
    KEY("static_loads", SPEC(static_loads), KEY_LIST, .variants = FROM_STRUCTURE,
        .needs_structure = true, .count = SPEC(n_static_loads),
        .size = sizeof(struct masing_static_load_spec), .read = read_static_load),
    {.name = "frequency",
     .variants = BEFORE_STRUCTURE,
     .place = SPEC(frequency_place),
     .read = read_frequency},
    {.name = "frequency_unit",
     .variants = BEFORE_STRUCTURE,
     .has_default = true,
     .read = read_frequency_unit},
    KEY("frequency_of", SPEC(is_of_shaft), KEY_SWITCH, .variants = BEFORE_STRUCTURE,
        .choices = frequencies_of),
    KEY("harmonics", 0, KEY_OTHER, .variants = BEFORE_STRUCTURE, .has_default = true,
        .place = SPEC(harmonics_place), .read = read_harmonics),
    KEY("samples", SPEC(n_samples), KEY_INTEGER, .variants = BEFORE_STRUCTURE,
        .place = SPEC(samples_place), .minimum = 4, .maximum = MAX_SAMPLES),
    KEY("outputs", SPEC(outputs), KEY_LIST, .variants = FROM_STRUCTURE, .needs_structure = true,
        .minimum = 1, .maximum = MAX_OUTPUTS, .count = SPEC(n_outputs),
        .size = sizeof(struct masing_output_spec), .expand = expand_outputs,
        .read = read_output),
    KEY("peak", 0, KEY_SECTION, .variants = FROM_STRUCTURE, .has_default = true,
        .needs_structure = true, .keys = peak_keys),
    KEY("forces", SPEC(forces), KEY_CHOICE, .variants = BEFORE_STRUCTURE, .has_default = true,
        .choices = forces),
    KEY("start", SPEC(start), KEY_CHOICE, .variants = BEFORE_STRUCTURE, .has_default = true,
        .choices = starts),
    KEY("solver", SPEC(solver), KEY_FIELDS, .variants = BEFORE_STRUCTURE, .has_default = true,
        .fields = masing_solver_fields, .n_fields = &masing_n_solver_fields),
    KEY("integration", SPEC(integration), KEY_FIELDS, .variants = BEFORE_STRUCTURE,
        .has_default = true, .fields = masing_integration_fields,
        .n_fields = &masing_n_integration_fields),
    KEY("mode", SPEC(mode), KEY_SECTION, .variants = BEFORE_STRUCTURE, .needs_structure = true,
        .keys = mode_keys, .place = SPEC(mode.place)),
    KEY("initial", SPEC(initial), KEY_OTHER, .variants = FROM_STRUCTURE,
        .needs_structure = true, .read = read_start),
    KEY("ringdown", 0, KEY_OTHER, .variants = FROM_STRUCTURE, .needs_structure = true,
        .place = SPEC(ringdown.place), .read = read_ringdown),
    {0},
};

/* Before anything else: a later version may have other keys. */
static enum masing_status check_version(struct reader *reader)
{
    struct tree_node *root = reader->tree->root, *node = tree_find(root, "masing");
    double version;
    NEED(reader_mapping(reader, root));
    NEED(reader_refuse(reader, !node, root,
                       "missing key 'masing', the version of the format; begin a model with "
                       "'masing: %d'",
                       FORMAT_VERSION));
    NEED(reader_number(reader, node, "masing", &version));
    return reader_refuse(reader, version != FORMAT_VERSION, node,
                         "masing: expected version %d of the format, found %g", FORMAT_VERSION,
                         version);
}

enum masing_status read_model(struct reader *reader)
{
    struct masing_error *error = reader->error;
    struct tree_node *root = reader->tree->root, *required;
    NEED_ALLOCATED(reader->spec->file = memory_text(reader->file));
    NEED(check_version(reader));
    NEED(reader_check_keys(reader, root, model_keys, 0, NULL));
    reader->has_structure = !reader->needs_joints_only || tree_find(root, "structure");
    if (reader->needs_joints_only) {
        NEED(reader_required(reader, root, "joints", &required));
    }
    NEED(check_joints(reader, tree_find(root, "joints")));
    reader->spec->sweep = MASING_SWEEP_NONE; /* until a frequency is read */
    NEED(reader_read_keys(reader, root, model_keys, BEFORE_STRUCTURE, reader->spec));
    NEED(reader_read_keys(reader, root, model_keys, FROM_STRUCTURE, reader->spec));
    NEED(join_at_end(reader));
    return reader->cyclic.is_unrolled && !reader->is_of_sector ? read_disk(reader) : MASING_OK;
}
