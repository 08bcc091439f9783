/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * A model: first a plain specification that anybody may fill, then sealed and `const`.
 *
 * The specification is what the model file says, with numbers resolved and names turned into
 * indices; `masing_model_create` checks it, computes the modal form and derives the constants
 * of the joints. A sealed model never changes and may be used by many threads at once.
 *
 * Frequencies are rad/s in every field whose name begins with `omega` and hertz in every name
 * that ends in `_hz`. Matrices are dense, column-major.
 */
#ifndef MASING_MODEL_H
#define MASING_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/field.h"
#include "masing/law.h"
#include "masing/sparse.h"
#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MASING_GROUND = -1 };

/** Where something stands in the model file; 0 where unknown. */
struct masing_place {
    int line, column;
};

/**
 * Says where the parts of a specification stand in the file that it was read from, so that
 * refusals name the place. Whoever fills a specification may give one.
 */
struct masing_locator {
    /**
     * @param part as masing_error.part, e.g. "joints.2.preload"
     * @param text [size] receives the place, e.g. "model.yaml:12:5", of the part or of what it
     *             belongs to
     * @return whether there is any
     */
    bool (*find)(const struct masing_locator *locator, const char *part, char *text,
                 size_t size);
};

/** One DOF's share in an axis, a load or an output. Ground never appears. */
struct masing_term {
    int dof;
    double weight;
};

/** Weighted sum of DOFs: displacement = sum weight x[dof]. Owned array. */
struct masing_combination {
    int n_terms;
    struct masing_term *terms;
};

enum masing_damping_kind {
    MASING_DAMPING_NONE,
    MASING_DAMPING_MODAL,      /**< ratios, one for all modes or one per mode */
    MASING_DAMPING_RAYLEIGH,   /**< alpha M + beta K */
    MASING_DAMPING_STRUCTURAL, /**< K (1 + i eta) */
};

struct masing_damping_spec {
    enum masing_damping_kind kind;
    bool modes_are_stuck; /**< ratios belong to the modes with the joints stuck */
    bool are_of_modes;    /**< ratios stand beside the modes in a file, for messages */
    int n_ratios;
    double *ratios;
    double alpha; /**< 1/s */
    double beta;  /**< s */
    double loss_factor;
    struct masing_place place;
};

/** An Euler-Bernoulli beam element among the DOFs: deflections (m) and rotations (rad). */
struct masing_beam_element {
    int dofs[4];              /**< w and r at the start, w and r at the end; < 0: held */
    double bending_stiffness; /**< N m^2 */
    double mass_per_length;   /**< kg/m */
    double length;            /**< m */
};

/**
 * A structure that `masing reduce` made: the matrices of the specification belong to a few
 * coordinates, and a DOF moves as its row of the shapes combines them. Arrays are owned.
 */
struct masing_reduced_structure {
    int n;                /**< coordinates */
    int n_rigid;          /**< rigid-body modes, whose stiffness is rounding */
    char **names;         /**< [n] of the coordinates: those of DOFs, modal.1, modal.2, ... */
    int *dofs;            /**< [n] the DOF that a coordinate is, -1: a mode */
    double *shapes;       /**< [n_dofs][n] by rows; unit rows for the DOFs that were kept */
    int n_combinations;   /**< sums of DOFs that stand for kept ones, and directions: */
    double *combinations; /**< [n_combinations][n_dofs] weights, or directions of the base */
    int *are_directions;  /**< [n_combinations] 0 or 1 */
    double *inertias;     /**< [n_combinations][n] M times the direction in the coordinates */
};

/**
 * Equal sectors around an axis, of which the specification describes one. DOFs from n_dofs on
 * are those of the following sector, which joints and outputs may contain beside its own.
 * Arrays are owned.
 */
struct masing_cyclic_spec {
    int n_sectors; /**< 0: the structure is not cyclic */
    /** [n_dofs * n_dofs] between a sector (rows) and the following one (columns); NULL: none */
    double *mass, *stiffness, *damping;
    double *per_speed_squared; /**< likewise, of the structure's matrix of this name */
    struct masing_place place;
};

/** Where the mesh of a structure is that of one of equal sectors: the others are copies of it,
 * turned about an axis. */
struct masing_turned_mesh {
    int n_sectors;                 /**< 0: the mesh is that of the whole structure */
    double point[3], direction[3]; /**< of the axis, the direction of length 1 */
    int n_nodes;                   /**< of the mesh */
    /** [n_nodes] by their indices: the node which one of the far boundary is in the following
     * sector; -1: it is none of that. Owned. */
    int *partners;
};

struct structure_cache;
struct condensed_structure;
struct mesh;

struct masing_structure_spec {
    int n_dofs;
    int n_given; /**< DOFs before masing_model_create condensed them to these; 0: it did not */
    char **dof_names;
    /* Either matrices ... */
    double *mass;      /**< [n_dofs * n_dofs], kg */
    double *stiffness; /**< [n_dofs * n_dofs], N/m */
    double *damping;   /**< [n_dofs * n_dofs], N s/m, added to the form below; or NULL */
    /** [n_dofs * n_dofs], N s^2/m, or NULL: times the square of the shaft's speed, beside the
     * stiffness (centrifugal stiffening, spin softening) */
    double *per_speed_squared;
    /** Beam elements whose mass and stiffness the matrices contain, or NULL. With them low
     * frequencies of many elements keep the digits that the sums of the matrix lose. */
    int n_beam_elements;
    struct masing_beam_element *beam_elements;
    /* ... or modal data of the structure without joints (mass == NULL) */
    int n_modes;
    double *omega_modes; /**< [n_modes] rad/s, ascending not required */
    double *mode_shapes; /**< [n_dofs * n_modes], mass-normalised */
    double *rest;        /**< [n_modes] (rad/s)^2 of modes with omega 0 in motion, or NULL */
    /** Of modes that are not there: their receptance at rest and, as a power series, at a
     * frequency: sum over t of (Omega^2 / far_scale)^t far[t] without damping, which was cut
     * as a series in Omega^2 + far_shift; n_far 0 where there are none. */
    int n_far;
    double far_shift, far_scale; /**< rad^2/s^2 */
    double *far; /**< triangles of n_dofs rows; the library's own, shared by models */
    /* ... or sparse matrices [n_dofs], from which masing_model_create makes the modal data: the
     * DOFs are then those at which joints, loads and outputs act, and sums that these take;
     * of a cyclic structure [2 n_dofs], the following sector's behind its own, with what is
     * between the two in the rows below */
    struct masing_sparse sparse_mass, sparse_stiffness; /**< sparse_mass.n == 0: none */
    /** that of sparse or reduced structures the motion of all DOFs can be found
     * (motion_field.h), which takes the memory of their matrices or shapes; set where a file
     * gives a mesh */
    bool keeps_motion;
    struct condensed_structure *condensed; /**< the library's own: what it was, or NULL */
    const struct mesh *mesh;               /**< the library's own: lent by the cache, or NULL */
    /** the matrices are in the axes of the mesh also where nodes have axes of their own */
    bool has_global_axes;
    struct masing_turned_mesh turned;
    double mesh_extent; /**< largest extent of the mesh along a coordinate; 0: there is none */
    /** A node whose DOFs the mesh has and the matrices have not, taken as fixed although the
     * mesh does not say why; 0: none. */
    int unexplained_node;
    /* ... or matrices of coordinates: mass, stiffness and damping are [n * n] of these, which
     * masing_model_create makes the DOFs */
    struct masing_reduced_structure *reduced; /**< NULL: none */
    int n_rigid; /**< rigid-body modes that matrices are known to have; 0: they are found */
    struct masing_cyclic_spec cyclic;
    struct structure_cache *cache; /**< the library's own: of what a document keeps, or NULL */
    struct masing_damping_spec form;
    bool is_active; /**< damping may put energy in */
    bool has_spin;  /**< the shaft has a speed of its own, whatever the frequency */
    double spin;    /**< rad/s */
    struct masing_place place, mass_place, stiffness_place, damping_place, speed_place;
};

struct masing_joint_spec {
    char *name;
    const struct masing_law *law;
    void *parameters; /**< law->parameters_size bytes, fields stored, not yet checked; owned */
    int n_axes;       /**< 0: law->n_axes; see masing_law.choose_axes */
    unsigned present; /**< bit a: axis a of the law is there; 0: the first n_axes are */
    struct masing_combination *axes; /**< [n_axes] */
    double area;                     /**< weight in shares of its group; 0 counts as 1 */
    struct masing_place place;
};

enum { MASING_PAIR_NODES = 8 };

/** A contact between surfaces of a mesh: a node, and what is opposite to it. */
struct masing_surface_pair {
    int from;                          /**< number of the node */
    int n_to, to[MASING_PAIR_NODES];   /**< numbers of nodes; none: the ground */
    double weights[MASING_PAIR_NODES]; /**< of these, with the sum 1 */
    double normal[3];                  /**< in which `to` moves against `from` to close */
    double point[3];                   /**< of the node, in the mesh's unit */
    double area;                       /**< 0: not known */
};

/** Joints that belong together, as the contacts of one entry of the model file: results speak
 * of them as one. */
struct masing_joint_group {
    char *name; /**< as in the model file */
    int first, n_joints;
    struct masing_surface_pair *pairs; /**< [n_joints] of surfaces of a mesh, else NULL */
    int n_unmatched;                   /**< nodes that nothing is opposite to */
    int *unmatched;                    /**< [n_unmatched] their numbers */
};

enum masing_load_kind {
    MASING_LOAD_FORCE,             /**< amplitude times the pattern, N */
    MASING_LOAD_IMBALANCE,         /**< amplitude (m e, kg m) times Omega^2 times the pattern */
    MASING_LOAD_BASE_ACCELERATION, /**< -M direction amplitude (m/s^2) */
    MASING_LOAD_TABLE,             /**< amplitude and phase over frequency, linear in between */
};

/** Force = amplitude cos(harmonic Omega t + phase) times the pattern. */
struct masing_load_spec {
    char *name; /**< may be NULL */
    enum masing_load_kind kind;
    int harmonic; /**< >= 1 */
    /** of a cyclic structure: on sector s of N the load lags by 2 pi s engine_order / N */
    int engine_order;
    double amplitude;
    double phase;              /**< rad, leading */
    double *pattern;           /**< [n_dofs] real part, or the direction of the base */
    double *pattern_imaginary; /**< [n_dofs] or NULL */
    double *inertia; /**< [n_dofs] M times the direction of the base, or NULL: from the mass */
    int n_table;
    double *table; /**< [n_table][3]: frequency_hz ascending, amplitude, phase_deg */
    struct masing_place place;
};

struct masing_static_load_spec {
    double *pattern;      /**< [n_dofs] force, N; or direction of the acceleration */
    bool is_acceleration; /**< force = M direction acceleration */
    double acceleration;
    struct masing_place place;
};

enum masing_quantity {
    MASING_DISPLACEMENT,
    MASING_VELOCITY,
    MASING_ACCELERATION,
    /** Absolute acceleration over the amplitude of the base's; needs one load that moves it. */
    MASING_TRANSMISSIBILITY,
};

struct masing_output_spec {
    char *name;
    struct masing_combination combination;
    enum masing_quantity quantity;
    bool is_absolute; /**< with the motion of the base, else relative to it */
    struct masing_place place;
};

enum masing_forces_choice { MASING_FORCES_AUTO, MASING_FORCES_SAMPLED, MASING_FORCES_EXACT };
enum masing_start_choice { MASING_START_ZERO, MASING_START_STATIC, MASING_START_PREVIOUS };
enum masing_measure { MASING_MEASURE_MAX, MASING_MEASURE_AMP, MASING_MEASURE_H1 };

/** Ways to solve with a Jacobian, the choices of `solver.linear`. */
enum masing_linear_choice {
    MASING_LINEAR_AUTO,   /**< as the number of unknowns has it */
    MASING_LINEAR_DENSE,  /**< a matrix */
    MASING_LINEAR_KRYLOV, /**< its products with vectors alone, by iteration */
};

/** `solver:` in the model file; described by masing_solver_fields. */
struct masing_solver_settings {
    double tolerance;    /**< residual, relative to the load */
    double step_initial; /**< parts of the frequency range */
    double step_min, step_max;
    int max_points;
    int linear;              /**< enum masing_linear_choice */
    double krylov_tolerance; /**< of tangents, where systems are solved by iteration */
    int landed_contacts;     /**< largest group whose changes of state are points of a curve */
};

/** `integration:` in the model file; described by masing_integration_fields. */
enum masing_integration_method {
    MASING_INTEGRATION_NEWMARK,  /**< average acceleration */
    MASING_INTEGRATION_ACCURATE, /**< to a tolerance, with events */
    MASING_INTEGRATION_HHT,      /**< average acceleration with numerical damping */
    MASING_INTEGRATION_EXACT,    /**< joints that are piecewise linear, between events */
};

/** Ways to a periodic motion, the choices of `integration.steady`. */
enum masing_steady { MASING_STEADY_MARCHING, MASING_STEADY_SHOOTING };

/** Modes that take part in time, the choices of `integration.modes`. */
enum masing_integration_modes {
    MASING_MODES_AUTO,  /**< fewer where there are many, else all */
    MASING_MODES_FEWER, /**< what the steps can show, and residual modes */
    MASING_MODES_ALL,
};

struct masing_integration_settings {
    int method; /**< enum masing_integration_method, the choices of its field */
    int steady; /**< enum masing_steady */
    int steps_per_cycle;
    int cycles; /**< at most, until the steady state */
    double tolerance;
    double accuracy; /**< of one step, where the method chooses its steps */
    double alpha;    /**< hht: in [-1/3, 0] */
    int modes;       /**< enum masing_integration_modes */
};

/** `mode:` in the model file: which nonlinear mode, and how far it is followed. */
struct masing_mode_settings {
    int number; /**< from 1, rigid-body modes not counted; 0: the section is not there */
    double amplitude_from, amplitude_to; /**< of the modal coordinate, m sqrt(kg) */
    struct masing_place place, number_place;
};

/** `initial:` in the model file: where time integration starts, beside the static state;
 * weights are m and m/s. */
struct masing_initial_state {
    struct masing_combination displacements, velocities;
};

enum masing_decay_start {
    MASING_DECAY_NONE,    /**< the section is not there */
    MASING_DECAY_DOF,     /**< half-sine force on a DOF, or shared by those of a node set */
    MASING_DECAY_MODE,    /**< half-sine force with the shape of a mode, mass times shape */
    MASING_DECAY_INITIAL, /**< displacements and velocities */
};

/** `ringdown:` in the model file: how a free decay begins, and what is made of it. */
struct masing_ringdown_settings {
    enum masing_decay_start start;
    struct masing_combination hit; /**< DOFs that are hit, weights are parts of the force */
    int mode; /**< whose shape the impulse has, counted as masing_mode_settings.number */
    bool is_free_shape; /**< shape with the joints free, not stuck */
    double amplitude;   /**< of the half sine: N, or with a shape in N/sqrt(kg) */
    double impulse_hz;  /**< of the half sine; 0: that of the stuck mode */
    struct masing_combination displacements, velocities; /**< weights are m and m/s */
    double step;                                         /**< s; 0: chosen from the modes */
    int steps;                                           /**< 0: chosen from the modes */
    int segments; /**< of the record, the first and the last of which are dropped; 0: 20 */
    int n_modes;  /**< 0: chosen */
    int *modes;   /**< [n_modes] that are looked at */
    struct masing_place place, mode_place, modes_place;
};

/** Distributions of `uncertain:`; what their numbers are. */
enum masing_distribution {
    MASING_NORMAL,     /**< mean, deviation */
    MASING_UNIFORM,    /**< low, high */
    MASING_LOGNORMAL,  /**< median, deviation of the logarithm */
    MASING_TRIANGULAR, /**< low, mode, high */
};

/** A number of the model that is not known for certain. */
struct masing_uncertain_number {
    char *path; /**< as an override has it; owned */
    enum masing_distribution distribution;
    double numbers[3];
    bool has_bounds;
    double bounds[2]; /**< what lies outside is cut off */
    struct masing_place place;
};

/** `uncertain:` in the model file. Arrays are owned. */
struct masing_uncertainty {
    int n; /**< 0: the section is not there */
    struct masing_uncertain_number *numbers;
    /** [n * n] of the normal variables that stand behind the numbers; NULL: independent */
    double *correlation;
    struct masing_place place;
};

MASING_API extern const struct masing_field masing_solver_fields[];
MASING_API extern const int masing_n_solver_fields;
MASING_API extern const struct masing_field masing_integration_fields[];
MASING_API extern const int masing_n_integration_fields;

/** What `frequency:` asks for. */
enum masing_sweep {
    MASING_SWEEP_RANGE, /**< from omega_from to omega_to */
    MASING_SWEEP_POINT, /**< omega_from alone: a response is one point */
    /** Nothing. What sweeps refuses the model; for the scales that others need, the ends are
     * chosen from the structure's modes when the model is sealed. */
    MASING_SWEEP_NONE,
};

/** All of a model, as plain data. Owned by whoever holds it; free with masing_spec_clear. */
struct masing_spec {
    char *file; /**< for messages; may be NULL */
    /** Lent for as long as it takes to seal; NULL: places are those in here. */
    const struct masing_locator *locator;
    char *title;
    struct masing_structure_spec structure;
    int n_joints;
    struct masing_joint_spec *joints;
    int n_groups; /**< 0: each joint is a group of its own, made when the model is sealed */
    struct masing_joint_group *groups; /**< in the order of the joints, covering all */
    int n_loads;
    struct masing_load_spec *loads;
    double load_factor;
    int n_static_loads;
    struct masing_static_load_spec *static_loads;
    int n_outputs;
    struct masing_output_spec *outputs;
    /** Of a mistuned disk: the peak's output in each sector, sector 0 first, as indices into
     * outputs; and the tuned sector, which a disk of small equal sectors has as well: curves
     * begin with its travelling wave. NULL: it is none. Owned. */
    int n_blades;
    int *blades;
    struct masing_spec *tuned;
    int peak_output; /**< index into outputs */
    enum masing_measure peak_measure;
    enum masing_sweep sweep;
    double omega_from, omega_to; /**< sweep from .. to; from > to sweeps downwards */
    double frequency_unit;       /**< rad/s, of the ends in messages; 0: 1 rad/s */
    bool is_of_shaft;            /**< the frequency is the speed of the shaft */
    struct masing_place frequency_place;
    int n_harmonics; /**< length of the list */
    int *harmonics;  /**< ascending, each >= 0 */
    /** 0: the list; else, in frequency responses, as many of its first ones at each point as
     * the outputs need to be right to this part */
    double harmonics_tolerance;
    struct masing_place harmonics_place;
    int n_samples; /**< per period, power of two; 0: chosen from the harmonics */
    struct masing_place samples_place;
    enum masing_forces_choice forces;
    enum masing_start_choice start;
    struct masing_solver_settings solver;
    struct masing_integration_settings integration;
    struct masing_mode_settings mode;
    struct masing_ringdown_settings ringdown;
    struct masing_initial_state initial;
    struct masing_uncertainty uncertain;
    int n_files;
    char **files; /**< that were read for it, beside `file`: matrices, tables, contacts */
};

/** Number of axes of a joint. */
MASING_API int masing_joint_spec_axes(const struct masing_joint_spec *joint);

/** Name of one of the axes that are there: "normal"; "" where the law has but one axis. */
MASING_API const char *masing_joint_spec_axis_name(const struct masing_joint_spec *joint,
                                                   int axis);

/**
 * A joint, counted from 0; NULL where there is none. For programs that do not know the layout
 * of struct masing_spec: the name, the law and its parameters stand first in that of a joint.
 */
MASING_API const struct masing_joint_spec *masing_spec_joint(const struct masing_spec *spec,
                                                             int index);

/** Fill defaults (harmonics 0..7, load factor 1, ...). Call before filling. */
MASING_API enum masing_status masing_spec_init(struct masing_spec *spec,
                                               struct masing_error *error);
/** Free everything inside and zero it. NULL is fine. */
MASING_API void masing_spec_clear(struct masing_spec *spec);

/** A sealed model. */
struct masing_model;

/**
 * Check a specification and seal it. The model takes over everything in @p spec (which is left
 * cleared) whether or not it succeeds.
 * Errors: MASING_INVALID with "file:line:column: what, expected what", and in the error's part
 * which part of the specification it is; MASING_NO_MEMORY.
 */
MASING_API enum masing_status masing_model_create(struct masing_spec *spec,
                                                  struct masing_model **model,
                                                  struct masing_error *error);
/** NULL is fine. */
MASING_API void masing_model_destroy(struct masing_model *model);

/** The specification inside, with defaults resolved and joint parameters checked. */
MASING_API const struct masing_spec *masing_model_spec(const struct masing_model *model);

/** Number of warnings found while sealing, and their texts. */
MASING_API int masing_model_n_warnings(const struct masing_model *model);
MASING_API const char *masing_model_warning(const struct masing_model *model, int index);

/** A number of the model file replaced from outside (`--set`, `--vary`); where a law is fitted,
 * one of its parameters by name. */
struct masing_override {
    const char *path;  /**< "damper.preload", "loads.0.amplitude", "load_factor", ... */
    const char *value; /**< as it would stand in the file */
};

/** A model file, read and kept as text so that models can be made from it again and again. */
struct masing_document;

/**
 * Read and parse a YAML model file (syntax, limits, no schema yet); "-" is standard input.
 * Errors: MASING_INVALID, MASING_IO with "file:line:column: ...".
 */
MASING_API enum masing_status masing_document_read(const char *file,
                                                   struct masing_document **document,
                                                   struct masing_error *error);
/** As masing_document_read from memory; @p file is used for messages and relative paths. */
MASING_API enum masing_status masing_document_parse(const char *text, size_t length,
                                                    const char *file,
                                                    struct masing_document **document,
                                                    struct masing_error *error);
MASING_API void masing_document_destroy(struct masing_document *document);

/** Whether there are joints and nothing that wants a structure, see masing_document_joints. */
MASING_API bool masing_document_is_of_joints(const struct masing_document *document);

/**
 * Fill a specification from a document with numbers overridden. @p document is not changed,
 * so that several threads may do this at once.
 * Errors: MASING_INVALID with a place, or with "--set NAME: ..." for an override.
 */
MASING_API enum masing_status masing_document_spec(const struct masing_document *document,
                                                   const struct masing_override *overrides,
                                                   int n_overrides, struct masing_spec *spec,
                                                   struct masing_error *error);

/**
 * The joints of a document, for what asks nothing of a structure: their parameters are checked
 * and their constants derived. Nothing but `joints` has to be there; what else there is is read
 * as well, except that without a structure joints have no axes and the sections that belong to
 * one (loads, outputs, ...) are not looked at. Not for masing_model_create.
 */
MASING_API enum masing_status masing_document_joints(const struct masing_document *document,
                                                     const struct masing_override *overrides,
                                                     int n_overrides, struct masing_spec *spec,
                                                     struct masing_error *error);

/** masing_document_spec and masing_model_create in one. */
MASING_API enum masing_status masing_document_model(const struct masing_document *document,
                                                    const struct masing_override *overrides,
                                                    int n_overrides,
                                                    struct masing_model **model,
                                                    struct masing_error *error);

/** What an override gives. */
struct masing_override_target {
    int first;      /**< index of the first override of the same number; often its own */
    bool is_number; /**< what stands there is a number, not a text */
};

/** targets [n_overrides]: what each of them gives, by whatever path. Errors: as
 * masing_document_spec. */
MASING_API enum masing_status masing_document_targets(const struct masing_document *document,
                                                      const struct masing_override *overrides,
                                                      int n_overrides,
                                                      struct masing_override_target *targets,
                                                      struct masing_error *error);

/**
 * The model as resolved (parameters and overrides applied, defaults filled in) as YAML text
 * that can itself be read as a model. *text is owned by the caller (free).
 */
MASING_API enum masing_status masing_document_resolved(const struct masing_document *document,
                                                       const struct masing_override *overrides,
                                                       int n_overrides, char **text,
                                                       struct masing_error *error);
/** Likewise as masing_document_joints reads it; sections that it does not look at are left out.
 */
MASING_API enum masing_status
masing_document_joints_resolved(const struct masing_document *document,
                                const struct masing_override *overrides, int n_overrides,
                                char **text, struct masing_error *error);

#ifdef __cplusplus
}
#endif
#endif
