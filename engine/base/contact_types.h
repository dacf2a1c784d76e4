// SPDX-License-Identifier: Apache-2.0
//
// What the solvers and the engine both say of contact: the cone, the modes, who answered, and how
// well the answer holds.
#ifndef TRIBO_ENGINE_BASE_CONTACT_TYPES_H_
#define TRIBO_ENGINE_BASE_CONTACT_TYPES_H_

// The shape of a friction cone.
typedef enum TriboCone {
  TRIBO_CONE_ROUND = 0,  // Coulomb's circle
  TRIBO_CONE_POLYGON,    // a polygon inscribed in it, as [StewartTrinkle1996] has it
} TriboCone;

// What holds at a contact, a limit or a friction group after a solve; the memory of a warm start.
typedef enum TriboMode {
  TRIBO_MODE_SEPARATE = 0,  // no impulse
  TRIBO_MODE_STICK,         // impulse, no relative velocity
  TRIBO_MODE_SLIDE,         // at the cone, opposing the sliding velocity
} TriboMode;

// What friction is.
typedef enum TriboContactModel {
  TRIBO_MODEL_COULOMB = 0,   // Coulomb friction, exact
  TRIBO_MODEL_NOSLIP,        // contacts that carry force never slide [Drumwright]
  TRIBO_MODEL_VISCOUS,       // friction impulse -h mu_v s, taken implicitly [Drumwright]
  TRIBO_MODEL_FRICTIONLESS,  // normals only
} TriboContactModel;

// Who solves the contact problem. AUTO: the ladder of solvers/solve.h for Coulomb, the dual active
// set for the other models. A solver that does not fit the contact model is TRIBO_ERROR_ARGUMENT.
typedef enum TriboSolver {
  TRIBO_SOLVER_AUTO = 0,
  TRIBO_SOLVER_LEMKE,    // every model; no-slip and viscous tangents as equality rows
  TRIBO_SOLVER_DANTZIG,  // Coulomb and frictionless [Baraff1994]; spatial sliding by Newton from
                         // there
  TRIBO_SOLVER_ENERGY,   // Coulomb, anytime [Faure1996]
  TRIBO_SOLVER_PGS,      // Coulomb, anytime
  TRIBO_SOLVER_PPM,      // no-slip, viscous, frictionless [Drumwright]
  TRIBO_SOLVER_DUAL,     // no-slip, viscous, frictionless
  TRIBO_SOLVER_NEWTON,   // Coulomb, problems given by matrices only (solvers/tribo_solvers.h)
} TriboSolver;

// Which rung of the ladder gave an island's answer, in the order they are tried.
typedef enum TriboRung {
  TRIBO_RUNG_WARM = 0,    // the modes of the last step, as they are or after the homotopy
  TRIBO_RUNG_COLD,        // from nothing
  TRIBO_RUNG_COMPLIANCE,  // with compliance 1e-12 on the normals
  TRIBO_RUNG_HASH,        // with another covering vector
  TRIBO_RUNG_HARRIS,      // with another slack in the ratio test
  TRIBO_RUNG_PGS,         // projected Gauss-Seidel from the best answer so far
  TRIBO_RUNG_LADDER,      // another solver than the one asked for: the rungs above, from nothing
  TRIBO_RUNG_COUNT,       // none certified
} TriboRung;

// Largest violation of each condition, relative. Both scales are norms in mass coordinates, so a
// velocity is divided by |row| V and an impulse by S/|row|:
//   V = max(|k|, |y+|, |b_i|/|row_i|, 4.4e-7 S)      S = max(|k|, |y+|, |b_i|/|row_i|, |row_i|
//   |f_i|)
// (4.4e-7 S: what rounding of such impulses moves is no violation, see solvers/certificate.h).
// Of unilateral rows b_i counts where it is positive and asks for motion: a gap asks for nothing,
// and across it a row may be next to nothing long.
// A number that is not finite makes every figure infinite.
typedef struct TriboCertificate {
  double dynamics;         // |y+ - (k + X^T x + N^T f + T^T t)|
  double equality;         // |X y+ - b|
  double penetration;      // -(N y+ - b) where negative
  double sign;             // -f where negative
  double complementarity;  // min(f, N y+ - b), both relative
  double cone;             // (|t| - R) where positive
  double stick;            // sliding although |t| < R: min of both, relative
  double direction;  // |t + R s/|s||, or |s| if that is smaller, relative. Polygon: R + t.s/lambda
  double worst;      // the largest of them
} TriboCertificate;

#endif  // TRIBO_ENGINE_BASE_CONTACT_TYPES_H_
