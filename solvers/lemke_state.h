// SPDX-License-Identifier: Apache-2.0
//
// What the parts of Lemke's algorithm share: which variables are basic, the values of all of them,
// and the constant terms of the rows. Internal to them; the names are those of lemke.c.
#ifndef TRIBO_SOLVERS_LEMKE_STATE_H_
#define TRIBO_SOLVERS_LEMKE_STATE_H_

#include "engine/base/twofold.h"
#include "solvers/lemke.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_PHI = 4, MAX_BASIS = 1200, MAX_WHOLE = 24, MAX_FINE = 64 };

// Friction rows are covered by so much more than normals; above it paths get no shorter.
enum { FRICTION_COVER = 10 };

typedef enum Kind { NONE, NU, THETA, SIGMA, PHI, GAMMA, LAM, Z0 } Kind;

typedef struct Var {
  Kind kind;
  int i;  // normal (NU, THETA) or group
  int k;  // facet (SIGMA, PHI)
} Var;

// Which variables of a group are basic.
typedef struct GroupState {
  bool open;         // its variables exist
  bool always;       // and never cease to
  bool lam;          // lam is basic, gamma is not
  int facets;        // of its polygon
  int count;         // basic phi
  int phi[MAX_PHI];  // their facets; phi[0] is the eliminated one while lam is basic
} GroupState;

// An unknown of the small system together with its row.
typedef struct Unknown {
  Kind kind;  // NONE for an equality row
  int i, k;
  int x;         // facet subtracted, or -1
  int from, to;  // first and last coordinate that its row and its column can touch
} Unknown;

// The same values as those of a Point, in twice the precision.
typedef struct FinePoint {
  TriboTwofold *y, *theta, *phi, *lam;
  TriboTwofold z0;
} FinePoint;

// Values of all variables: a basic solution, or its derivative by the driving variable.
typedef struct Point {
  double* y;      // velocity                    (ny)
  double* x;      // equality impulses           (X)
  double* theta;  //                             (N)
  double* phi;    // by group and facet          (ng x facets)
  double* lam;    //                             (ng)
  double z0;
  FinePoint fine;  // where l->fine
} Point;

struct TriboLemke {
  TriboSolverCapacity capacity;
  int largest;  // capacity of the small system
  const TriboScaled* scaled;
  TriboLemkeOptions options;

  bool* theta_basic;
  GroupState* group;
  double* facet;  // (cos, sin) of every facet of every group
  double* c_nu;   // covering vector
  double* c_sg;
  bool z0_basic;
  Var drive;

  int* x_row;  // independent equality rows
  int nx;
  double* basis_X;  // their orthonormal basis

  Unknown* unknown;
  int size;
  bool whole;  // the velocity is an unknown too
  double* lu;
  int* swap;
  double* rhs;
  double *right, *left;       // of the factored system
  double* push;               // ny, zero between uses
  bool fine;                  // solved in twice the precision from here on (lemke_fine.c)
  double noise;               // of the last solution, relative to its largest value
  int largest_fine;           // capacity of the system then
  TriboTwofold* fine_matrix;  // factored
  TriboTwofold* fine_answer;
  TriboTwofold* fine_push;  // ny, zero between uses

  Point q, m;
  Var* var;  // basic variables with their values
  double* var_q;
  double* var_m;
};

static inline const double* tribo_lemke_facet(const TriboLemke* l, int g, int k) {
  return l->facet + 2 * (g * l->capacity.facets + k);
}

// Whether facet k of a group is basic.
static inline bool tribo_lemke_has_phi(const GroupState* state, int k) {
  for (int e = 0; e < state->count; ++e) {
    if (state->phi[e] == k) return true;
  }
  return false;
}

// The pair (driving, complement) shares one row, and the same place in these.
static inline Kind tribo_lemke_complement(Kind kind) {
  switch (kind) {
    case NU:
      return THETA;
    case THETA:
      return NU;
    case SIGMA:
      return PHI;
    case PHI:
      return SIGMA;
    case GAMMA:
      return LAM;
    case LAM:
      return GAMMA;
    default:
      return NONE;
  }
}

// ---- constant terms of the rows: of the problem (drive NONE), or of a unit of the driving
// variable.

static inline double tribo_lemke_const_nu(const TriboLemke* l, Var drive, int i) {
  switch (drive.kind) {
    case NONE:
      return -l->scaled->b_N[i];
    case NU:
      return drive.i == i ? -1 : 0;
    case THETA:
      return drive.i == i ? l->options.compliance : 0;
    case Z0:
      return l->c_nu[i];
    default:
      return 0;
  }
}

static inline double tribo_lemke_const_sigma(const TriboLemke* l, Var drive, int g, int k) {
  switch (drive.kind) {
    case NONE: {
      const double* d = tribo_lemke_facet(l, g, k);
      const double* b = l->scaled->group[g].target;
      return -(d[0] * b[0] + d[1] * b[1]);
    }
    case SIGMA:
      return drive.i == g && drive.k == k ? -1 : 0;
    case LAM:
      return drive.i == g ? 1 : 0;
    case Z0:
      return l->c_sg[g * l->capacity.facets + k];
    default:
      return 0;
  }
}

static inline double tribo_lemke_const_gamma(const TriboLemke* l, Var drive, int g) {
  switch (drive.kind) {
    case NONE:
      return l->scaled->group[g].bound;
    case THETA:
      return drive.i == l->scaled->group[g].normal ? l->scaled->group[g].mu : 0;
    case PHI:
      return drive.i == g ? -1 : 0;
    case GAMMA:
      return drive.i == g ? -1 : 0;
    default:
      return 0;
  }
}

// ---- rows of the small system

// The row that belongs to an unknown; to z0 belongs the row whose pair is non-basic.
static inline Unknown tribo_lemke_row_of(const TriboLemke* l, const Unknown* u) {
  if (u->kind != Z0) return *u;
  Unknown row = {.kind = NONE, .i = l->drive.i, .k = l->drive.k, .x = -1};
  switch (l->drive.kind) {
    case NU:
    case THETA:
      row.kind = THETA;
      break;
    case SIGMA:
    case PHI:
      row.kind = PHI;
      if (l->group[row.i].lam) row.x = l->group[row.i].phi[0];
      break;
    default:
      row.kind = LAM;
      break;
  }
  return row;
}

static inline double tribo_lemke_row_constant(const TriboLemke* l, const Unknown* row, Var drive) {
  switch (row->kind) {
    case NONE:
      return drive.kind == NONE ? -l->scaled->b_X[row->i] : 0;
    case THETA:
      return tribo_lemke_const_nu(l, drive, row->i);
    case PHI:
      return tribo_lemke_const_sigma(l, drive, row->i, row->k) -
             (row->x >= 0 ? tribo_lemke_const_sigma(l, drive, row->i, row->x) : 0);
    default:
      return tribo_lemke_const_gamma(l, drive, row->i);
  }
}

// Entry of row and unknown beside the velocities.
static inline double tribo_lemke_row_extra(const TriboLemke* l, const Unknown* row,
                                           const Unknown* u) {
  if (u->kind == Z0) {
    const Var z0 = {Z0, 0, 0};
    return tribo_lemke_row_constant(l, row, z0);
  }
  if (row->kind == THETA && u->kind == THETA && row->i == u->i) return l->options.compliance;
  if (row->kind == LAM) {  // gamma = mu theta + s - sum phi
    if (u->kind == THETA && u->i == l->scaled->group[row->i].normal) {
      return l->scaled->group[row->i].mu;
    }
    if (u->kind == PHI && u->i == row->i) return -1;
  }
  return 0;
}

// ---- lemke_warm.c

// Makes the basis and the covering vector of l->options.warm over the cold ones. False when it is
// none.
bool tribo_lemke_start_warm(TriboLemke* l, const TriboContactSolution* warm) TRIBO_CHECKED;

// ---- lemke_basis.c

// Fills and factors the system of the basis. False when it is singular to working precision.
bool tribo_lemke_factor_basis(TriboLemke* l) TRIBO_CHECKED;

// The basic solution (drive NONE) or the column of the driving variable.
void tribo_lemke_solve_basis(TriboLemke* l, Var drive, Point* point);

// Where the rows and columns of the unknowns have entries.
void tribo_lemke_find_spans(TriboLemke* l);

// ---- lemke_fine.c

void tribo_lemke_fine_init(TriboLemke* l, TriboArena* arena);

// The two above where l->fine. False also when the basis is larger than l->largest_fine.
bool tribo_lemke_factor_fine(TriboLemke* l) TRIBO_CHECKED;
void tribo_lemke_solve_fine(TriboLemke* l, Var drive, Point* point);

// The value of a basic variable, or its derivative by `drive`.
double tribo_lemke_fine_value(const TriboLemke* l, Var drive, const Point* point, Var var);

// ---- lemke_ratio.c

// Lists the basic variables in l->var with their values and derivatives by `drive`.
int tribo_lemke_list_basic(TriboLemke* l, Var drive);

// Harris' test: the longest step that lets nothing fall below -slack, then the largest pivot within
// it; z0 before all others. Its place in l->var; -1 on a ray.
int tribo_lemke_ratio_test(const TriboLemke* l, int count, double slack, double* longest);

// The variable at `leaving`, or the theta that leaves in its place.
Var tribo_lemke_leaving(const TriboLemke* l, int count, int leaving, double limit);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_LEMKE_STATE_H_
