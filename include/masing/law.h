/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file
 * What a joint law is: a table of constant data and functions that follow a path.
 *
 * A law has no Fourier coefficients, no frequency and no structure. It follows the relative
 * displacement of its joint and differentiates itself along whatever directions it is handed.
 * A law belongs to a family; the family is the engine that turns what the theory gives (f(x,
 * v); a backbone; ...) into a march along a path. A user's own law is a pointer to a struct of
 * theirs: nothing registers at run time.
 *
 * Signs: the displacement is that of `to` minus that of `from`; the force is positive when it
 * resists positive displacement.
 */
#ifndef MASING_LAW_H
#define MASING_LAW_H

#include <stdbool.h>
#include <stddef.h>

#include "masing/event.h"
#include "masing/field.h"
#include "masing/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct masing_law;

/* ---- motions as laws take them, and what they return ---- */

/** Axes that a law has at most. */
enum { MASING_MAX_AXES = 6 };

/**
 * Motion as a law takes it: samples of one period (`is_periodic`: sample n_samples is sample 0
 * again) or of an open path. Arrays are row-major in the order given.
 */
struct masing_path {
    int n_samples;
    int n_axes;
    int n_directions; /**< 0: forces only */
    bool is_periodic;
    double time_step;     /**< s between samples; 0 where the law is rate independent */
    const double *x;      /**< [n_samples][n_axes] relative displacement, m */
    const double *v;      /**< [n_samples][n_axes] velocity, m/s; NULL if the law needs none */
    const double *dx;     /**< [n_samples][n_axes][n_directions] */
    const double *dv;     /**< [n_samples][n_axes][n_directions]; NULL if the law needs none */
    const double *origin; /**< [n_axes] where sliders stand before the motion, m */
    /** Periodic paths of contacts, or NULL: [state_size] a state whose sliders stand there, in
     * place of origin (elements of one joint move apart). */
    const double *origin_state;
    /** 0: the exact law; else laws that can_smooth round their transitions off over about
     * this length, m, on the way to a solution (a homotopy that ends at 0). */
    double smoothing;
    int n_parameters; /**< 0: no derivative with respect to parameters */
    /** [n_parameters] tangents of the parameter struct, see masing_law_tangent. */
    const void *const *dp;
    /** Of several elements that are added up: these alone, so that threads can share them; 0
     * elements: all. Only where the family has parts. */
    int first_element, n_elements;
};

/** One contact element over a period; what is neither open nor slip is stick. */
struct masing_element {
    double open, slip; /**< shares of the period, 0..1 */
    double loss;       /**< J per period; only where the path has velocities */
};

/** What comes back from a march. */
struct masing_forces {
    double *f;         /**< [n_samples][n_axes], N */
    double *df;        /**< [n_samples][n_axes][n_directions]; untouched if n_directions is 0 */
    double *dfp;       /**< [n_samples][n_axes][n_parameters] at a held path; untouched if 0 */
    double slip_share; /**< share of the samples in slip, 0..1; NAN where the law has no slip */
    double open_share; /**< share of the samples at which a contact is open; laws that can open,
                            see masing_law_can_open, alone write it */
    /** Periodic paths of laws of several axes: largest share of the slip limit, were the slider
     * to stay at the origin, less one (one less its inverse where that is positive). */
    double slip_margin;
    /** Likewise, of laws in a ring: the smallest distance from its middle less its gap, in
     * parts of gap and motion; slip_margin is that of the largest. */
    double nearest_margin;
    /** Periodic paths: way of the slider over its surface in one period, m, the mean of the
     * elements where there are several; NAN, or left alone, where the law has no slider. */
    double slip_distance;
    struct masing_element *elements; /**< [n_elements of the law] or NULL: none are returned */
};

/** Number of samples that a turning point may be interpolated from. */
enum { MASING_TURNING_WEIGHTS = 4 };

/**
 * Memory of a single-axis law in structured form: the turning point that a branch starts from.
 * Its displacement is x_r = sum_m weights[m] x[sample - 1 + m], indices periodic: 0, 1, 0, 0
 * for a sample itself, or, where the point lies inside the step from `sample` to the next, the
 * values of the cubic's Lagrange polynomials there. (Three points would not do: the parabola
 * changes when two neighbouring samples are equal, and the force would jump with it.)
 * The weights may be held while differentiating, because the slope is zero at the point.
 */
struct masing_turning {
    int sample;
    double weights[MASING_TURNING_WEIGHTS];
    int parent;     /**< branch on which this turning point lies, -1: the virgin curve; always
                         below the own index */
    double tangent; /**< tangent df/dx of the parent branch at this point */
};

/**
 * Derivative of the force in structured form, for a path of one axis:
 *   df[i] = fx[i] (dx[i] - dx(r)) + fv[i] dv[i] + df(r),  r = branch[i],
 *   df(r) = tangent_r (dx(r) - dx(parent_r)) + df(parent_r),
 * where a branch -1 has dx(r) = df(r) = 0.
 */
struct masing_tangents {
    double *fx;                      /**< [n_samples] */
    double *fv;                      /**< [n_samples]; zero for rate-independent laws */
    int *branch;                     /**< [n_samples] index into turnings, or -1 */
    struct masing_turning *turnings; /**< [max_turnings]; n_samples always suffice */
    int max_turnings;
    int n_turnings;
};

/** A turning point of a smooth periodic path. */
struct masing_extremum {
    double angle; /**< rad in [0, 2 pi) */
    double x;     /**< m */
};

/**
 * A smooth periodic path of one axis, for laws that have their phases in closed form. The law
 * calls for values and roots; the representation of the path is hidden.
 */
struct masing_smooth_path {
    const void *context;
    double (*value)(const void *context, double angle);
    /** The angle in [from, to] at which x = level; x is monotone there and encloses level. */
    double (*root)(const void *context, double from, double to, double level);
    int n_extrema; /**< 0 for a constant path, else even; maxima and minima alternate */
    const struct masing_extremum *extrema; /**< by ascending angle */
    double constant;                       /**< x where n_extrema is 0 */
    double origin;                         /**< where the slider stands before the motion */
};

/**
 * A phase of a piecewise-linear force: f = tangent x + level for angles in [start, end].
 * The level belongs to the turning point @p extremum (-1: to none, it is a constant):
 * d(level) = -tangent dx(extremum).
 */
struct masing_phase {
    double start, end; /**< rad; end > start, end - start <= 2 pi; phases cover one period, each
                            starts where the one before ends, the first in [0, 2 pi) */
    double tangent;    /**< N/m */
    double level;      /**< N */
    int extremum;
    bool is_slip;
    /** The same by a parameter at a held path, where a tangent was given: d(f) by the parameter
     * is tangent_change x + level_change. */
    double tangent_change, level_change;
};

/** Largest and smallest displacement of one period, and where the slider started. */
struct masing_range {
    double maximum, minimum, origin;
    /** of the first axis: as masing_forces has them for the joint */
    double slip_margin, nearest_margin;
};

/* ---- joints as part of ordinary differential equations ---- */

/*
 * A joint as part of ordinary differential equations: for time integration that is exact up to
 * the solver's tolerance.
 *
 * Between events the forces of a joint are smooth functions of displacements, velocities and
 * continuous internal states. An event is a reversal, the beginning of slip, a loop that
 * closes, a stop that is met: whatever gives force or rate a corner. An interval between two
 * events has a regime, numbers that mean something to its family only. A joint that consists
 * of elements has an interval of each; an event ends the intervals whose monitors it is, the
 * others go on.
 */

/** What a joint adds to the equations. */
struct masing_flow_size {
    int n_states; /**< continuous internal states */
    int n_monitors;
    int n_regime;                  /**< numbers of the regime */
    bool monitors_by_acceleration; /**< monitors and enter read masing_flow_point.a */
    /** Size of a state: it is followed to parts of it; 0: the largest so far. */
    double state_size;
};

/** A joint at one time. */
struct masing_flow_point {
    const struct masing_law *law;
    const void *parameters;
    double *state;       /**< [state_size] of the family; enter and leave alone change it */
    double *regime;      /**< [n_regime] of its intervals; enter alone changes it */
    const double *x, *v; /**< [n_axes] relative displacement, m, and velocity, m/s */
    const double *a;     /**< [n_axes] acceleration, m/s^2; NULL in rate and leave */
    const double *z;     /**< [n_states]; NULL in enter */
    /** [n_axes] sizes that the displacements may have, roughly, m; in enter only, NULL: not
     * known */
    const double *size;
    /** [n_monitors] in enter only: not 0 for the monitors that ended an interval; NULL: all
     * intervals begin */
    const int *ended;
};

/** Most monitors of a law that has lines; it has one axis, one number of regime and no states.
 */
enum { MASING_FLOW_MONITORS = 4 };

/** The force of a joint of one axis and what it changes by with the displacement. */
struct masing_flow_tangent {
    double force;
    double partial; /**< with the continuous states fixed, N/m */
    double along;   /**< along the interval, with what the motion does to those states, N/m */
};

/** An interval of a law that is piecewise linear: f = stiffness x + damping v + level. */
struct masing_flow_line {
    double stiffness, damping, level;
    /** What each monitor changes by with the displacement, or, the first where it is a
     * reversal, with the velocity: such monitors are linear. 0: a monitor that never ends this
     * interval. */
    double monitor_slope[MASING_FLOW_MONITORS];
};

struct masing_flow {
    /** Laws of one axis: the first monitor has the velocity's sign. */
    bool first_is_reversal;
    struct masing_flow_size size;
    /** Sizes that depend on the law and its parameters; NULL: none does. */
    void (*measure)(const struct masing_law *law, const void *parameters,
                    struct masing_flow_size *size);
    /**
     * Begin intervals: the state may change, e.g. remember a reversal. At a reversal the
     * velocity is exactly 0; then the sign of the acceleration decides. The regime of intervals
     * that go on stays, and so do their continuous states z [n_states].
     */
    void (*enter)(const struct masing_flow_point *at, double *z);
    /** Forces [n_axes] and rates of the continuous states [n_states]. */
    enum masing_status (*rate)(const struct masing_flow_point *at, double *f, double *dz);
    /** Where the force does not depend on velocity (see masing_law_needs_velocity), for joints
     * on DOFs without mass: NULL: none can be there. The velocity means nothing. */
    void (*tangent)(const struct masing_flow_point *at, struct masing_flow_tangent *tangent);
    /** Functions [n_monitors] that are positive within the interval; it ends where one is not.
     */
    void (*monitors)(const struct masing_flow_point *at, double *monitors);
    /** The state becomes what is remembered here, where all intervals end or may go on. */
    void (*leave)(const struct masing_flow_point *at);
    /** The interval that enter began, for laws that are piecewise linear; NULL: none is. */
    void (*line)(const struct masing_flow_point *at, struct masing_flow_line *line);
};

/* ---- laws and families ---- */

/**
 * A change of contact state, as a function that changes sign along a curve of solutions
 * (e.g. amplitude / reach - 1). The response has a kink there, so the curve is landed on it.
 */
struct masing_law_event {
    enum masing_event rising;  /**< when the value becomes positive */
    enum masing_event falling; /**< when it becomes negative */
    double (*value)(const struct masing_law *law, const void *parameters,
                    const struct masing_range *range /* [n_axes] */);
    /** Depends on where the slider starts; means nothing where sliders are carried along a
     * curve. */
    bool is_about_origin;
};

/** A constant that `check` derives from the parameters, for `masing law` and `masing check`. */
struct masing_constant {
    const char *name, *unit, *help;
    size_t offset; /**< of a `double` in the parameter struct */
};

/** A number with its derivatives. */
struct masing_rate {
    double value;
    double x, v, z; /**< by displacement, velocity and state */
};

/** A point on a branch, on which the functions of a law are smooth. */
struct masing_branch_point {
    double sign; /**< +-1, direction of motion */
    double side; /**< +-1, of the law's kink in z; beyond it the rate goes on smoothly */
    double half; /**< +-1, of the axis x: likewise where x = 0 is a kink */
    double x;    /**< displacement from the origin, m */
    double v;    /**< velocity, m/s; means nothing where the law is rate independent */
    double z;    /**< state */
};

/** A rate free + fade z at points of a branch: arrays, with derivatives by x and v. */
struct masing_linear_rates {
    double *free, *free_x, *free_v, *fade, *fade_v;
};

/** Motion in one direction from a state z, on one half of the axis x. */
struct masing_leg {
    double sign, half; /**< +-1, as in masing_branch_point */
    double z;
    double numbers[6]; /**< the law's own */
};

/** The end of a way along a leg. */
struct masing_travel {
    double z, rate; /**< rate: dz/dx */
    double kept;    /**< dz by z at the beginning of the leg */
    double faded;   /**< 1 - kept without loss of digits */
    double lag;     /**< laws with a lag: it, there */
};

/**
 * What an evolution law consists of: one state z that changes with the travel of the joint,
 * dz/dx = rate at a point, and a force that follows from it.
 */
struct masing_evolution {
    void (*rate)(const void *parameters, const struct masing_branch_point *at,
                 struct masing_rate *rate);
    /** Change of the rate with the parameters along a tangent. */
    double (*rate_change)(const void *parameters, const void *tangent,
                          const struct masing_branch_point *at);
    /** Laws whose rate is free + fade z, which makes it cheaper: both at n points in one
     * direction, by x and v. Nowhere on a branch is fade smaller in size than where v = 0.
     * NULL: the rate is not linear in z. */
    void (*linear)(const void *parameters, double sign, int n, const double *x, const double *v,
                   const struct masing_linear_rates *rates);
    /**
     * Rate independent laws whose rate approaches a constant E faster than linearly as the
     * motion becomes small: E - rate without loss of digits (NULL: none). The steady state is
     * found from how little fades in a period, which the elastic part would hide.
     */
    double (*lag)(const void *parameters, const struct masing_branch_point *at);
    double (*elastic_rate)(const void *parameters); /**< E, where there is a lag */
    /** Force at a point, by its sign, x, v and z; NULL: the state is the force. The rate is
     * what it is there, NULL where the caller does not know it. */
    void (*force)(const void *parameters, const struct masing_branch_point *at,
                  const struct masing_rate *rate, struct masing_rate *force);
    double (*force_change)(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at);
    /**
     * Laws whose rate depends on branch and z alone: z along a leg is a map of its travel.
     * begin fills the numbers of a leg whose branch and z are set; false: no map with these
     * parameters or from this state. NULL: none at all, nor the functions after it.
     */
    bool (*begin)(const void *parameters, struct masing_leg *leg);
    /** Where a leg leads after so long a way, m >= 0. */
    void (*travel)(const void *parameters, const struct masing_leg *leg, double length,
                   struct masing_travel *end);
    /** Laws with a lag: the change of z less E dx, without loss of digits. */
    double (*shift)(const void *parameters, const struct masing_leg *leg, double length);
    /** Change of z there along a tangent of the parameters; NULL: not along a map. */
    double (*travel_change)(const void *parameters, const void *tangent,
                            const struct masing_leg *leg, double length);
    /** Size that no state of a steady motion exceeds, where it is known; NULL: it is not. */
    double (*limit)(const void *parameters);
    /** A state at which the rate has a kink, like a broken power; NULL: none. */
    double (*kink)(const void *parameters);
    bool has_kink_at_origin; /**< the rate has a kink at x = 0 */
    /** Displacement over which the memory of the state fades, m: sets how fine a path is
     * followed. */
    double (*length)(const void *parameters);
    /** Laws that can_smooth: parameters with which the memory fades over a length that is
     * larger by the smoothing, m, or, with a tangent of the parameters, their change. */
    void (*soften)(const void *parameters, const void *tangent, double smoothing,
                   void *softened);
};

/**
 * Constants of one contact element; an element that a law's parameters change has the changes
 * in the same struct.
 */
struct masing_contact_element {
    double normal_stiffness;     /**< N/m */
    double tangential_stiffness; /**< N/m */
    double preload;              /**< N, at zero displacement */
    double position;             /**< approach at zero displacement, m; negative: a gap */
    double roughness;            /**< m; 0: a linear contact */
    /** mu = kinetic + (static - kinetic) exp(-decay |v|), or static / (1 + hyperbolic |v|) */
    double friction_static, friction_kinetic, decay, hyperbolic_decay;
    double y, z; /**< place in the contact plane, m */
};

/**
 * What a law of the contact family consists of: elements between two bodies that move by
 * x, y, z and rx, ry, rz relative to each other, x being the normal, closing positive. An
 * element at y, z approaches by x + z ry - y rz and moves by y - z rx, z + y rx.
 */
struct masing_contact {
    /** Which of the six are there, one bit each; the others are fixed. */
    unsigned (*axes)(const void *parameters);
    /** An element, or, with a tangent of the parameters, its change. */
    void (*element)(const void *parameters, const void *tangent, int index,
                    struct masing_contact_element *element);
};

/**
 * One step of a time integration, exact along the straight path from the displacement of the
 * state to the end, with its derivatives along any directions. Laws whose engine needs memory
 * for this take it from the stack, a bounded amount.
 */
struct masing_step {
    const struct masing_law *law;
    const void *parameters;
    const double *x;     /**< [n_axes] displacement at the end */
    const double *v;     /**< [n_axes] velocity there; NULL if the law needs none */
    const double *state; /**< [state_size], read only */
    double *next_state;  /**< [state_size], may equal @p state */
    double *f;           /**< [n_axes] receives the force at the end */
    int n;               /**< directions; 0: none, the members below mean nothing */
    const double *dx;    /**< [n_axes][n] of the displacement at the end */
    const double *dv;    /**< [n_axes][n] of the velocity there; NULL if the law needs none */
    double *dstate;      /**< [state_size][n] of the state before; receives that of the next
                              one; only the doubles in use, see masing_law_state_used, are read
                              and written. NULL: the state is held */
    double *df;          /**< [n_axes][n] receives that of the force at the end */
};

/**
 * The engine shared by all laws of a family, behind masing_law_march and the functions after
 * it. Everything is reentrant; memory comes from the caller.
 */
struct masing_family {
    const char *name;
    const char *summary;
    /** march fills masing_tangents for laws of one axis. */
    bool has_tangents;
    /** Periods from rest after which a periodic motion is steady, -1: only in the limit. */
    int settling_periods;
    /** `double`s of internal state at one time, of a joint or of each of its elements (0:
     * none), or a function that tells it for a joint. */
    size_t n_state;
    size_t (*state_size)(const struct masing_law *law, const void *parameters);
    /** Number of `double`s of scratch that a march over this many samples needs. */
    size_t (*workspace_size)(const struct masing_law *law, int n_samples, int n_directions,
                             int n_parameters);
    /** NULL where there is no state. */
    void (*rest)(const struct masing_law *law, const void *parameters, const double *origin,
                 double *state);
    enum masing_status (*march)(const struct masing_law *law, const void *parameters,
                                const struct masing_path *path, double *state,
                                struct masing_forces *forces, struct masing_tangents *tangents,
                                double *workspace);
    enum masing_status (*step)(const struct masing_step *step); /**< see masing_law_step */
    /** NULL: all of a state is in use. */
    size_t (*state_used)(const double *state);
    /** NULL where there is no state. */
    void (*state_moved)(const struct masing_law *law, const void *parameters, int n,
                        const double *dx, const double *dv, double *dstate);
    /** Joints as differential equations; NULL: not available. */
    const struct masing_flow *flow;
    /** march adds up elements, and does so for some of them alone where the path says so. */
    bool has_parts;
};

/** f(x, v) of any engine without memory, e.g. a spring. */
MASING_API extern const struct masing_family masing_family_memoryless;
/** A backbone with return-point memory (Masing's rules). */
MASING_API extern const struct masing_family masing_family_masing;
/** One internal state whose rate depends on the direction of motion. */
MASING_API extern const struct masing_family masing_family_evolution;
/** Elements with a normal force and friction in one or two directions that may separate. */
MASING_API extern const struct masing_family masing_family_contact;

/** What restrains the mean of a steady motion of the joint. */
enum masing_restraint {
    MASING_RESTRAINT_NONE,  /**< nothing: its memory fades, or it depends on velocity alone
                             */
    MASING_RESTRAINT_START, /**< where the slider stood before, until full slip erases it
                             */
    MASING_RESTRAINT_SPRING /**< the mean force, which depends on the mean displacement */
};

struct masing_law {
    const char *name;     /**< as in the model file */
    const char *summary;  /**< one line */
    const char *equation; /**< plain text, one or a few lines */
    const char *source;   /**< author, year, equation numbers */
    /** Accepted parameters as they stand in a model file, lines of YAML without indentation,
     * e.g. "stiffness: 40000\nslip_force: 15"; shown with the constants derived from them. */
    const char *example;
    const struct masing_family *family;
    /** The law that these parameters make of it, which alone its engine gets to see, with the
     * same parameters; NULL: itself. */
    const struct masing_law *(*form)(const void *parameters);
    int n_axes;                    /**< at most; see choose_axes */
    const char *const *axis_names; /**< [n_axes], e.g. "normal"; NULL for laws of one axis */
    bool needs_velocity;           /**< rate dependent; see also masing_law_needs_velocity */
    bool can_smooth;               /**< masing_path.smoothing means something */
    bool is_piecewise_linear; /**< a force k x + c v + level in between events, see masing_flow
                               */
    bool may_create_energy;   /**< a steady cycle's loss can be negative, see energy_limit */
    bool gain_is_meant;       /**< with may_create_energy: what puts energy in does so by its
                                   nature, and nobody is warned */
    size_t parameters_size;   /**< bytes of the parameter struct (fields and constants) */
    /** Laws with a field `preload_per_speed_squared`: where in the parameters a `double` takes
     * the square of the shaft's speed, rad^2/s^2, before check, which may then be called again
     * for another speed. 0: there is none. */
    size_t speed_offset;
    const struct masing_field *fields;
    int n_fields;
    const struct masing_constant *constants;
    int n_constants;
    /**
     * Derive constants and refuse what the field ranges cannot: called once, after the fields
     * are stored and before anything else. A refusal names the key of the field that is wrong
     * (masing_error_refuse); its message has no place, the caller adds it. NULL: all that the
     * ranges permit is accepted, and nothing is derived. See masing_law_check.
     */
    enum masing_status (*check)(void *parameters, struct masing_error *error);
    /**
     * The derivative of what check derives: @p tangent holds a change of every given number and
     * zeros; fills the changes of the derived ones. NULL where nothing is derived.
     */
    void (*derive)(const void *parameters, void *tangent);
    /** Laws of several axes of which a joint may lack some: bit a of @p axes says that axis a
     * is there, the others are fixed. Called before check; without it all n_axes are there.
     * Paths and forces have the axes that are there, in their order. */
    void (*choose_axes)(void *parameters, unsigned axes);
    /** With needs_velocity: whether these parameters make it so. NULL: always. */
    bool (*is_rate_dependent)(const void *parameters);
    /** Whether there is a warning about accepted parameters, and what it says: the pattern is
     * the law's own. */
    bool (*caution)(const void *parameters, struct masing_warning *warning);
    /** Largest |x| of a motion that cannot create energy, m (INFINITY: any; 0: no limit is
     * known). NULL: none can, or, with may_create_energy, no limit is known. */
    double (*energy_limit)(const void *parameters);
    /** Displacements, m, between which the law is known; a motion beyond is warned of. NULL:
     * any. */
    void (*known_range)(const void *parameters, double *from, double *to);
    /** Tangent at the origin, N/m (joint stuck). Memoryless laws: elsewhere that of `force`. */
    double (*stuck_stiffness)(const void *parameters);
    /** Tangent far from the origin or in full slip, N/m (joint free). */
    double (*free_stiffness)(const void *parameters);
    /** Laws of several axes, in place of the two above: tangent [n_axes][n_axes] over the axes
     * that are there, symmetric, at the displacements @p at [n_axes], m; joint stuck or in full
     * slip. */
    void (*stiffness)(const void *parameters, const double *at, bool is_stuck, double *tangent);
    /** What restrains the mean of a motion. NULL: a spring where free_stiffness is not zero,
     * else the start for laws of the Masing family, and nothing for others. */
    enum masing_restraint (*restraint)(const void *parameters);
    /** Memoryless: forces at n points, by their x and v, which alone mean something. */
    void (*force)(const void *parameters, int n, const struct masing_branch_point *at,
                  struct masing_rate *force);
    /** Memoryless laws that can_smooth: a smooth force that tends to the one above as the
     * smoothing, m, falls to 0. */
    void (*smooth_force)(const void *parameters, double smoothing,
                         const struct masing_branch_point *at, struct masing_rate *force);
    /** Change of that force along a tangent of the parameters. */
    double (*smooth_force_change)(const void *parameters, const void *tangent, double smoothing,
                                  const struct masing_branch_point *at);
    /** Memoryless: displacements at which the force has a corner, at most 4; returns how many.
     * NULL: none. */
    int (*corners)(const void *parameters, double *x);
    /** Memoryless: change of the force along a tangent of the parameters. */
    double (*force_change)(const void *parameters, const void *tangent,
                           const struct masing_branch_point *at);
    /** Masing: virgin curve B(u) and B'(u) for u >= 0. */
    void (*backbone)(const void *parameters, double u, double *b, double *db);
    /** Masing: change of B(u) along a tangent of the parameters, at fixed u. */
    double (*backbone_change)(const void *parameters, const void *tangent, double u);
    /** Masing: u beyond which B is constant for any parameters near these; INFINITY if none.
     * NULL for other families. */
    double (*reach)(const void *parameters);
    /** Masing: u beyond which the joint slips, where that is not the reach, e.g. because a
     * spring in parallel lets B rise for ever; INFINITY: it never does. NULL: the reach. */
    double (*slip_onset)(const void *parameters);
    /**
     * Closed-form phases of a periodic path in steady state, in order, covering one period.
     * NULL where a law has none. Returns the count; -1 if more than @p max_phases.
     * @param tangent of the parameters, for the changes of each phase; NULL: none are computed
     */
    int (*phases)(const void *parameters, const void *tangent,
                  const struct masing_smooth_path *path, struct masing_phase *phases,
                  int max_phases);
    /** Where the slider stands after such motion (`start: previous`); NULL: stays at origin. */
    double (*settle)(const struct masing_law *law, const void *parameters,
                     const struct masing_range *range);
    /** Contacts: how many elements a joint consists of (NULL: the law is none), */
    int (*n_elements)(const void *parameters);
    /** and where one stands in the contact plane, m from the centre, with its area, m^2 (0: not
     * known). */
    void (*element_place)(const void *parameters, int element, double position[2],
                          double *area);
    const struct masing_law_event *events;
    int n_events;
    const struct masing_evolution *evolution; /**< evolution laws only */
    const struct masing_contact *contact;     /**< contact laws only */
    /** The force does not fall with displacement or velocity but by their multiples, and its
     * memory, if any, is that of sliders side by side, each with a spring: the difference of
     * two motions gains no energy in the joint. A linear structure under loads with such joints
     * settles to one motion, up to where sliders rest; unless energy_limit has one. */
    bool is_monotone;
};

/**
 * Derive a law's constants and refuse what its field ranges cannot, see masing_law.check.
 * @param parameters fields stored, each within its range
 * @param error      may be NULL; its part is the key of the field that is wrong
 * @return MASING_OK, or MASING_INVALID
 */
MASING_API enum masing_status masing_law_check(const struct masing_law *law, void *parameters,
                                               struct masing_error *error);

/** Number of `double`s of internal state at one time (0: none). */
MASING_API size_t masing_law_state_size(const struct masing_law *law, const void *parameters);

/** The state [state_size] before any motion, sliders at @p origin [n_axes]. */
MASING_API void masing_law_rest(const struct masing_law *law, const void *parameters,
                                const double *origin, double *state);

/**
 * Follow a whole path. Periodic: forces of the steady state; the path is smooth and turns
 * between its samples. @p state may be NULL; else it holds a first guess of the state at
 * sample 0, where a family has to search for it (NAN: none), and receives what was found,
 * so that a caller can stay on one branch of several steady states, or step on from there:
 * it is the whole state.
 * Open: starts from @p state and leaves the final one there; the path is straight from the
 * displacement of the state to the first sample and from each sample to the next.
 * @param tangents NULL, or where the structured derivative goes (one axis only)
 * @param workspace [family->workspace_size]
 */
MASING_API enum masing_status
masing_law_march(const struct masing_law *law, const void *parameters,
                 const struct masing_path *path, double *state, struct masing_forces *forces,
                 struct masing_tangents *tangents, double *workspace);

/**
 * Directions along the axes, first of x and then of v, with which a step gives the tangents: n
 * is 2 n_axes, and row a of df [n_axes][n] is fx [n_axes], fv [n_axes] of axis a.
 * @param dx, dv [n_axes][n]
 */
MASING_API void masing_law_directions(int n_axes, double *dx, double *dv);

/** One step of a time integration. */
MASING_API enum masing_status masing_law_take(const struct masing_step *step);

/**
 * One step of a time integration with its consistent tangents.
 * @param f  [n_axes] force at the end; @p fx, @p fv [n_axes][n_axes] its derivatives by x and v
 */
MASING_API enum masing_status masing_law_step(const struct masing_law *law,
                                              const void *parameters, const double *x,
                                              const double *v, const double *state,
                                              double *next_state, double *f, double *fx,
                                              double *fv);

/** How many leading doubles of a state mean something; the others are never read. */
MASING_API size_t masing_law_state_used(const struct masing_law *law, const void *parameters,
                                        const double *state);

/**
 * A state repeats the displacement and velocity that it was reached with: where these
 * change by dx, dv [n_axes][n], set their copies' rows of dstate [state_size][n]; other
 * rows are left alone.
 */
MASING_API void masing_law_state_moved(const struct masing_law *law, const void *parameters,
                                       int n, const double *dx, const double *dv,
                                       double *dstate);

/** Whether the law needs velocities with these parameters. */
MASING_API bool masing_law_needs_velocity(const struct masing_law *law, const void *parameters);

/** Whether contacts of this law can open: whether masing_forces.open_share is written. */
MASING_API bool masing_law_can_open(const struct masing_law *law);

/**
 * Tangent of a joint that sticks or slips, for a law of one axis or several. A joint at its
 * limit counts as stuck: its sliders stay where they are.
 * @param at [n_axes] displacements of the static state, m; NULL: zero
 * @param tangent [n_axes][n_axes] over the axes that are there
 */
MASING_API void masing_law_stiffness(const struct masing_law *law, const void *parameters,
                                     const double *at, bool is_stuck, double *tangent);

/** 0, for laws whose stuck_stiffness or free_stiffness is zero whatever the parameters. */
MASING_API double masing_law_zero_stiffness(const void *parameters);

/** What restrains the mean of a motion: law->restraint, or what stands for it. */
MASING_API enum masing_restraint masing_law_restraint(const struct masing_law *law,
                                                      const void *parameters);

/** All laws of the library, in alphabetical order of their names; NULL-terminated. */
MASING_API const struct masing_law *const *masing_laws(void);

/** The law called @p name, or NULL. */
MASING_API const struct masing_law *masing_law_find(const char *name);

/**
 * The laws that a word of the trade may mean which is no law's name, whatever its case, the
 * simplest first: "unilateral_spring, contact" for "gap". NULL: none.
 */
MASING_API const char *masing_law_meant(const char *word);

/**
 * Derivative of a parameter struct by one of its numbers: zeros, a one at @p offset (of a
 * `double` that a field stores), and the changes of all that check derives.
 * @param tangent [law->parameters_size bytes], receives the result
 */
MASING_API void masing_law_tangent(const struct masing_law *law, const void *parameters,
                                   size_t offset, void *tangent);

#ifdef __cplusplus
}
#endif
#endif
