/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sealed model and its structure: constant after masing_model_create. */
#ifndef MASING_MODEL_MODEL_H
#define MASING_MODEL_MODEL_H

#include <stddef.h>

#include "base/arena.h"
#include "masing/model.h"

struct structure {
    struct arena arena; /* of all arrays */
    int n_dofs;
    int n_modes;        /* n_dofs less massless ones, or as given */
    int n_rigid;        /* the first n_rigid modes have omega == 0 exactly */
    int n_nearly_rigid; /* rigid modes whose omega was more than rounding explains */
    double *omega;      /* [n_modes] ascending, rad/s */
    double *rest; /* [n_rigid] (rad/s)^2 that the matrices have in these modes, of either sign,
                     felt at harmonics above 0; or NULL */
    double *shapes; /* [n_dofs * n_modes] column-major; massless DOFs follow the others */
    double *modal_damping;  /* [n_modes] diagonal of phi^T C phi, 1/s (2 zeta omega) */
    double *damping_matrix; /* [n_modes * n_modes] all of it where it is coupled, else NULL */
    double *stiffening; /* [n_modes * n_modes] phi^T B phi, times Omega^2 beside omega^2; NULL:
                           there is none, or it is in the modes */
    double loss_factor; /* structural: K (1 + i eta); 0 otherwise */
    double *mass;       /* [n_dofs * n_dofs] or NULL for modal data; for base accelerations */
    const double *flexibility;   /* of massless DOFs, or of modes that are not there, without
                                    their inertia: tiles of linalg/symmetric.h; or NULL */
    int n_far;                   /* terms of the series of modes that are not there, or 0: */
    double far_shift, far_scale; /* rad^2/s^2: where it was cut; of its powers */
    double far_alpha, far_beta;  /* their damping, 1/s and s: alpha M + beta K */
    struct far_ratio *far_ratio; /* one ratio for all of them instead, or NULL */
    const double *far;           /* [n_far][symmetric_size(n_dofs)] lent by the specification */
    double shift;        /* for modes_create: of the size of the eigenvalues, rad^2/s^2 */
    double *omega_stuck; /* [n_modes] with the joints' stuck stiffness added, ascending */
    double *omega_free;  /* [n_modes] with their free one; both 0 in an unstable motion */
    double *cross_stuck, *cross_free; /* [n_modes] the same at the speed at which an engine
                                         order excites them; NULL: they do not depend on it */
};

/* Modes of the structure, its mass and flexibility: what a static state needs. */
enum masing_status structure_create(const struct masing_spec *spec,
                                    struct structure **structure, struct masing_error *error);

/* The rest: damping (`modes: stuck` by the joints' tangents), omega_stuck and omega_free.
 * Parameters of joints must be checked before. at [n_axes]: the joints' static displacements,
 * or NULL for zero. */
enum masing_status structure_couple(const struct masing_spec *spec, const double *at,
                                    struct structure *structure, struct masing_error *error);
/*
 * Fills modal_damping, damping_matrix and loss_factor where the modes are known. damping:
 * [n_dofs * n_dofs], symmetric, overwritten; NULL: none. at as for structure_couple.
 */
enum masing_status damping_create(const struct masing_spec *spec, const double *at,
                                  double *damping, struct structure *structure,
                                  struct masing_error *error);

void structure_destroy(struct structure *structure);

/* (rad/s)^2 that a mode has beside the square of its omega, at harmonics above 0. */
static inline double structure_rest(const struct structure *structure, size_t mode)
{
    return structure->rest && mode < (size_t)structure->n_rigid ? structure->rest[mode] : 0.0;
}

/* Natural frequencies [n_modes], rad/s, at which a response is to be expected. */
static inline const double *structure_natural(const struct structure *structure, bool is_stuck)
{
    const double *crossing = is_stuck ? structure->cross_stuck : structure->cross_free;
    return crossing ? crossing : is_stuck ? structure->omega_stuck : structure->omega_free;
}

/* How many of the first modes the damping leaves to themselves: all, or those before the first
 * that it couples to another. */
size_t structure_uncoupled_modes(const struct structure *structure);

/* Modes up to a frequency, rad/s, none of equal ones parted; rigid-body modes always. */
int structure_count_modes(const struct structure *structure, double omega);

/* M d, for base and static accelerations: [n_dofs]. MASING_INVALID where the mass is unknown.
 */
enum masing_status structure_inertia(const struct structure *structure, const double *direction,
                                     double *force, struct masing_error *error);

/* Motion of a combination when a unit force acts on another, by the flexibility; 0 without. */
double structure_flexibility_between(const struct structure *structure,
                                     const struct masing_combination *a,
                                     const struct masing_combination *b);

/* One joint with the place of its axes among all axes of the model. */
struct joint {
    const char *name;
    const struct masing_joint_spec *spec;
    const struct masing_law *law;
    const void *parameters; /* checked */
    int first_axis;
    int n_axes;
    int group;   /* of the specification */
    double area; /* weight within its group, > 0 */
    const double
        *static_displacement;   /* [n_axes] lent from the model; NULL before it is known */
    const double *static_force; /* [n_axes] likewise */
};

/* A load reduced to what the balance needs: force = a(Omega) e^(i phase) (re + i im). */
struct load {
    enum masing_load_kind kind;
    int harmonic;
    double amplitude, phase;        /* load factor included */
    const double *real, *imaginary; /* [n_dofs] force pattern; imaginary may be NULL */
    int n_table;
    const double *table; /* [n_table][3] */
};

struct cyclic;

struct masing_model {
    struct masing_spec spec; /* owned; defaults resolved */
    struct structure *structure;
    struct masing_model *tuned; /* of a mistuned disk its tuned sector, if that has a wave */
    struct cyclic *cyclic;      /* see cyclic.h; NULL: the structure is whole */
    struct arena arena;         /* of the arrays that are not lent, the warnings' excepted */
    int order; /* harmonic of the loads that results compare with linear ones: 1, or the least
                  engine order where the frequency is the shaft's */
    bool is_speed_dependent; /* stiffness or preloads go with the frequency, the shaft's */
    int n_axes;
    struct masing_combination *axes; /* [n_axes], lent from the spec */
    struct joint *joints;            /* [spec.n_joints] */
    struct load *loads;              /* [spec.n_loads] */
    double *static_force;            /* [n_dofs] sum of static loads, load factor NOT applied */
    double *static_displacement;     /* [n_axes] of the joints, sliders as `start` says */
    double *static_reaction;         /* [n_axes] the joints' forces there */
    double *static_rigid;            /* [structure->n_rigid] coordinates of its modes there */
    char **warnings;
    struct masing_warning *numbered; /* the warnings with their numbers */
    int n_warnings;
};

/* MASING_UNSUPPORTED where stiffness or preloads go with the frequency: "WHAT not supported
 * ...", with its verb. */
enum masing_status speed_refuse(const struct masing_model *model, const char *what,
                                struct masing_error *error);

/* Whether the parameters of a joint depend on the shaft's speed. */
bool joint_spec_has_speed(const struct masing_joint_spec *joint);

static inline bool joint_needs_velocity(const struct joint *joint)
{
    return masing_law_needs_velocity(joint->law, joint->parameters);
}

/* Complex amplitude of a load at Omega and its derivative; harmonic force = re(a e^(i h Omega
 * t)). amplitude[2], derivative[2]: real and imaginary part, times the pattern. */
void load_amplitude(const struct load *load, double omega, double amplitude[2],
                    double derivative[2]);

#endif
