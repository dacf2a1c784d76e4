// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/project.h"

#include <math.h>
#include <string.h>

#include "solvers/factor.h"
#include "solvers/psd.h"

// A gap above -NOISE is what rounding leaves of a contact that is exactly closed; the same for an
// error of a loop. m, rad.
static const double NOISE = 1e-12;
// Compliance of a row, relative to its squared length: one part in 1e9 of the depth stays. A row of
// hardly any length (the normal direction of a linkage in a plane) cannot repair anything and must
// not try: it counts as one of a thousandth of the longest.
static const double COMPLIANCE = 1e-9;
static const double SHORTEST = 1e-3;
// Loops that are open by more than this (m, rad) and cannot come nearer contradict each other. Less
// is shared between them: it is what models of real linkages have.
static const double CONTRADICTION = 1e-3;

void tribo_defects_layout(TriboDefects* defects, TriboArena* arena, const TriboProblemSet* set) {
  defects->gap = tribo_arena_doubles(arena, set->N.capacity);
  defects->error = tribo_arena_doubles(arena, set->X.capacity);
}

// ---- what is wrong

// Where an island's rows are in the pools.
static int first_N(const TriboProblemSet* set, int island) {
  return (int)(set->island[island].problem.b_N - set->N.target);
}
static int first_X(const TriboProblemSet* set, int island) {
  return (int)(set->island[island].problem.b_X - set->X.target);
}

void tribo_project_predict(const TriboProblemSet* set, const TriboDetection* detection, double h,
                           TriboDefects* defects) {
  for (int i = 0; i < set->islands.count; ++i) {
    const TriboIslandProblem* p = &set->island[i];
    double* gap = defects->gap + first_N(set, i);
    for (int j = 0; j < p->joints; ++j) {
      const TriboJointRow* row = &set->joint.row[set->joint_order[p->first_joint + j]];
      if (row->kind <= TRIBO_JOINT_ROW_UPPER) gap[row->row] = row->gap;
    }
    for (int c = 0; c < p->contacts; ++c) {
      const int contact = set->contact_order[p->first_contact + c];
      gap[set->contact[contact].normal] = detection->contact[contact].gap;
    }
    for (int r = 0; r < p->problem.N.count; ++r) {
      gap[r] += h * tribo_row_dot(&p->problem.N, r, p->solution.y);
    }
    double* error = defects->error + first_X(set, i);
    for (int r = 0; r < p->problem.X.count; ++r) error[r] = 0;
  }
}

void tribo_project_loops(const TriboProblemSet* set, const TriboModel* model, const TriboTree* tree,
                         const double* q, TriboDefects* defects) {
  for (int l = 0; l < set->loops; ++l) {
    const TriboLoopRows* loop = &set->loop[l];
    if (!loop->rigid || loop->island < 0) continue;
    const TriboLoopFrame frame = tribo_loop_evaluate(model, tree, q, l);
    double* error = defects->error + first_X(set, loop->island) + loop->row;
    for (int r = 0; r < frame.rows; ++r) error[r] = frame.error[r];
  }
}

bool tribo_project_has_loops(const TriboProblemSet* set) {
  for (int l = 0; l < set->loops; ++l) {
    if (set->loop[l].rigid && set->loop[l].island >= 0) return true;
  }
  return false;
}

bool tribo_project_needed(const TriboProblemSet* set, int island, const TriboStepOptions* options,
                          const TriboDefects* defects) {
  const TriboContactProblem* problem = &set->island[island].problem;
  const double* gap = defects->gap + first_N(set, island);
  const double* error = defects->error + first_X(set, island);
  for (int i = 0; i < problem->N.count; ++i) {
    if (gap[i] < -options->slop - NOISE) return true;
  }
  for (int i = 0; i < problem->X.count; ++i) {
    if (fabs(error[i]) > NOISE) return true;
  }
  return false;
}

// ---- the problem

// Rows with private coordinates, and the solver's memory.
typedef struct Projection {
  TriboContactProblem problem;
  TriboContactSolution solution;
  double *k, *b_X, *b_N;
  TriboPsdSolver* solver;
} Projection;

static void rows_layout(TriboRows* rows, TriboArena* arena, int count, int entries) {
  rows->start = tribo_arena_ints(arena, count + 1);
  rows->index = tribo_arena_ints(arena, entries + count);
  rows->value = tribo_arena_doubles(arena, entries + count);
}

static Projection layout(TriboArena* arena, int ny, int x, int n, int entries_X, int entries_N) {
  Projection p;
  memset(&p, 0, sizeof p);
  const int all = ny + x + n;
  rows_layout(&p.problem.X, arena, x, entries_X);
  rows_layout(&p.problem.N, arena, n, entries_N);
  p.problem.T.start = tribo_arena_ints(arena, 1);
  p.k = tribo_arena_doubles(arena, all);
  p.b_X = tribo_arena_doubles(arena, x);
  p.b_N = tribo_arena_doubles(arena, n);
  p.solution.y = tribo_arena_doubles(arena, all);
  p.solution.x = tribo_arena_doubles(arena, x);
  p.solution.f = tribo_arena_doubles(arena, n);
  p.solution.mode_N = (TriboMode*)tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  TriboFactor* factor = tribo_factor_init_dense(arena, all, x + n);
  p.solver = tribo_psd_init(arena, factor, all, x, n);
  return p;
}

size_t tribo_project_scratch(const TriboProblemSet* set, const TriboModel* model) {
  TriboArena arena = tribo_arena_measure();
  (void)layout(&arena, model->nv, set->X.capacity, set->N.capacity,
               set->X.capacity * (set->max_path + 1), set->N.capacity * set->max_path);
  return arena.used;
}

// Copies rows, each with a coordinate of its own. Entries beyond `dofs` are the private ones of
// compliant rows and stay out.
static void copy_rows(const TriboRows* from, int dofs, double longest, TriboRows* to, int* ny) {
  to->count = from->count;
  to->start[0] = 0;
  for (int i = 0, at = 0; i < from->count; ++i) {
    double square = 0;
    for (int e = from->start[i]; e < from->start[i + 1]; ++e) {
      if (from->index[e] >= dofs) continue;
      to->index[at] = from->index[e];
      to->value[at++] = from->value[e];
      square += from->value[e] * from->value[e];
    }
    to->index[at] = (*ny)++;
    to->value[at++] = sqrt(COMPLIANCE) * fmax(sqrt(square), SHORTEST * longest);
    to->start[i + 1] = at;
  }
}

static double longest_row(const TriboRows* rows) {
  double longest2 = 0;
  for (int i = 0; i < rows->count; ++i) {
    double square = 0;
    for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
      square += rows->value[e] * rows->value[e];
    }
    longest2 = fmax(longest2, square);
  }
  return sqrt(longest2);
}

static void fill(Projection* p, const TriboIslandProblem* island, int dofs,
                 const TriboStepOptions* options, const double* gap, const double* error) {
  const TriboContactProblem* from = &island->problem;
  int ny = dofs;
  const double longest = fmax(longest_row(&from->X), longest_row(&from->N));
  copy_rows(&from->X, dofs, longest, &p->problem.X, &ny);
  copy_rows(&from->N, dofs, longest, &p->problem.N, &ny);
  p->problem.T.start[0] = 0;
  const double most = options->h * options->repair_speed;
  for (int i = 0; i < from->X.count; ++i) p->b_X[i] = fmax(-most, fmin(-error[i], most));
  for (int i = 0; i < from->N.count; ++i) p->b_N[i] = fmin(-gap[i] - options->slop, most);
  memset(p->k, 0, (size_t)ny * sizeof *p->k);
  p->problem.ny = ny;
  p->problem.k = p->k;
  p->problem.b_X = p->b_X;
  p->problem.b_N = p->b_N;
  p->problem.id_N = from->id_N;
}

static bool has_row(const TriboLoopRows* loop, int row) {
  return row >= loop->row && row < loop->row + loop->frame.rows;
}

// Compliant loops have no error to repair: their rows must not hold the island together rigidly.
// With a row given, all loops but the one that has it let go.
static void release_loops(Projection* p, const TriboProblemSet* set, int island, int row) {
  for (int l = 0; l < set->loops; ++l) {
    const TriboLoopRows* loop = &set->loop[l];
    if (loop->island != island || (loop->rigid && (row < 0 || has_row(loop, row)))) continue;
    for (int r = loop->row; r < loop->row + loop->frame.rows; ++r) {
      const int end = p->problem.X.start[r + 1];
      for (int e = p->problem.X.start[r]; e < end - 1; ++e) p->problem.X.value[e] = 0;
      p->problem.X.value[end - 1] = 1;
    }
  }
}

// Whether row r of X is open and hardly closes by what was solved. A row whose own length is next
// to nothing cannot close and says nothing.
static bool stays_open(const Projection* p, int r, const double* error, double shortest) {
  const TriboRows* X = &p->problem.X;
  double moved = 0, square = 0;
  for (int e = X->start[r]; e < X->start[r + 1] - 1; ++e) {
    moved += X->value[e] * p->solution.y[X->index[e]];
    square += X->value[e] * X->value[e];
  }
  return fabs(error[r]) > CONTRADICTION && sqrt(square) > shortest &&
         fabs(moved - p->b_X[r]) > 0.5 * fabs(p->b_X[r]);
}

// A row of a rigid loop that stays open, -1: there is none.
static int open_row(const Projection* p, const TriboProblemSet* set, int island,
                    const double* error) {
  const double shortest = SHORTEST * longest_row(&p->problem.X);
  for (int l = 0; l < set->loops; ++l) {
    const TriboLoopRows* loop = &set->loop[l];
    if (!loop->rigid || loop->island != island) continue;
    for (int r = loop->row; r < loop->row + loop->frame.rows; ++r) {
      if (stays_open(p, r, error, shortest)) return r;
    }
  }
  return -1;
}

// A row that stays open because of other loops, -1: there is none. Contacts and limits may hold a
// loop open, and a linkage at a dead point cannot close this moment: neither is a contradiction.
static int contradicted_row(Projection* p, const TriboProblemSet* set, int island,
                            const double* error) {
  int row = open_row(p, set, island, error);
  if (row < 0) return -1;
  const TriboPsdOptions choice = tribo_psd_options_default();
  TriboPsdInfo info;
  p->problem.N.count = 0;
  if (tribo_psd_solve(p->solver, &p->problem, &choice, NULL, &p->solution, &info) != TRIBO_OK ||
      (row = open_row(p, set, island, error)) < 0) {
    return -1;
  }
  release_loops(p, set, island, row);
  const bool alone =
      tribo_psd_solve(p->solver, &p->problem, &choice, NULL, &p->solution, &info) == TRIBO_OK &&
      !stays_open(p, row, error, 0);
  return alone ? row : -1;
}

TriboStatus tribo_project(const TriboProblemSet* set, int island, const TriboStepOptions* options,
                          TriboDefects* defects, TriboArena* scratch, double* shift, int* row) {
  const TriboIslandProblem* from = &set->island[island];
  const TriboRows *X = &from->problem.X, *N = &from->problem.N;
  const int dofs = from->dofs;
  double* gap = defects->gap + first_N(set, island);
  const double* error = defects->error + first_X(set, island);
  const size_t mark = tribo_arena_mark(scratch);
  Projection p = layout(scratch, dofs, X->count, N->count, X->start[X->count], N->start[N->count]);
  TriboStatus status = TRIBO_ERROR_CAPACITY;
  if (p.solver != NULL) {
    fill(&p, from, dofs, options, gap, error);
    release_loops(&p, set, island, -1);
    const TriboPsdOptions choice = tribo_psd_options_default();
    TriboPsdInfo info;
    status = tribo_psd_solve(p.solver, &p.problem, &choice, NULL, &p.solution, &info);
    if (status == TRIBO_OK) {
      tribo_island_scatter(set, island, p.solution.y, shift);
      for (int i = 0; i < N->count; ++i) gap[i] += tribo_row_dot(N, i, p.solution.y);
      *row = contradicted_row(&p, set, island, error);
      if (*row >= 0) status = TRIBO_ERROR_INFEASIBLE;
    }
  }
  tribo_arena_reset(scratch, mark);
  return status;
}
