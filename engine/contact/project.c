// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/project.h"

#include <math.h>
#include <string.h>

#include "solvers/factor.h"
#include "solvers/psd.h"

// A gap above -NOISE is what rounding leaves of a contact that is exactly closed, m.
static const double NOISE = 1e-12;
// Compliance of a row, relative to its squared length: one part in 1e9 of the depth stays.
static const double COMPLIANCE = 1e-9;

// Rows with private coordinates, and the solver's memory.
typedef struct Projection {
  TriboContactProblem problem;
  TriboContactSolution solution;
  double *k, *b_N;
  TriboPsdSolver* solver;
} Projection;

static Projection layout(TriboArena* arena, int ny, int rows, int entries) {
  Projection p;
  memset(&p, 0, sizeof p);
  const int all = ny + rows;
  p.problem.N.start = tribo_arena_ints(arena, rows + 1);
  p.problem.X.start = tribo_arena_ints(arena, 1);
  p.problem.T.start = tribo_arena_ints(arena, 1);
  p.problem.N.index = tribo_arena_ints(arena, entries + rows);
  p.problem.N.value = tribo_arena_doubles(arena, entries + rows);
  p.k = tribo_arena_doubles(arena, all);
  p.b_N = tribo_arena_doubles(arena, rows);
  p.solution.y = tribo_arena_doubles(arena, all);
  p.solution.f = tribo_arena_doubles(arena, rows);
  p.solution.mode_N = (TriboMode*)tribo_arena_take(arena, (size_t)rows, sizeof(TriboMode));
  TriboFactor* factor = tribo_factor_init_dense(arena, all, rows);
  p.solver = tribo_psd_init(arena, factor, all, 0, rows);
  return p;
}

size_t tribo_project_scratch(const TriboProblemSet* set, const TriboModel* model) {
  const int rows = set->max_contacts + set->joint.capacity;
  TriboArena arena = tribo_arena_measure();
  (void)layout(&arena, model->nv, rows, rows * set->max_path);
  return arena.used;
}

bool tribo_project_needed(const TriboProblemSet* set, const TriboDetection* detection, int island,
                          const TriboStepOptions* options, double* gap) {
  const TriboIslandProblem* p = &set->island[island];
  for (int j = 0; j < p->joints; ++j) {
    const TriboJointRow* row = &set->joint.row[set->joint_order[p->first_joint + j]];
    if (row->kind != TRIBO_JOINT_ROW_FRICTION) gap[row->row] = row->gap;
  }
  for (int c = 0; c < p->contacts; ++c) {
    const int contact = set->contact_order[p->first_contact + c];
    gap[set->contact[contact].normal] = detection->contact[contact].gap;
  }
  bool needed = false;
  for (int i = 0; i < p->problem.N.count; ++i) {
    gap[i] += options->h * tribo_row_dot(&p->problem.N, i, p->solution.y);
    needed = needed || gap[i] < -options->slop - NOISE;
  }
  return needed;
}

// The island's normals, each with a coordinate of its own, and the distances to repair.
static void fill(Projection* p, const TriboIslandProblem* island, const TriboStepOptions* options,
                 const double* gap) {
  const TriboRows* from = &island->problem.N;
  TriboRows* to = &p->problem.N;
  int ny = island->problem.ny;
  to->count = from->count;
  to->start[0] = p->problem.X.start[0] = p->problem.T.start[0] = 0;
  for (int i = 0, at = 0; i < from->count; ++i) {
    double square = 0;
    for (int e = from->start[i]; e < from->start[i + 1]; ++e, ++at) {
      to->index[at] = from->index[e];
      to->value[at] = from->value[e];
      square += from->value[e] * from->value[e];
    }
    to->index[at] = ny++;
    to->value[at++] = sqrt(COMPLIANCE * square);
    to->start[i + 1] = at;
    const double excess = -gap[i] - options->slop;
    p->b_N[i] = fmin(excess, options->h * options->repair_speed);
  }
  memset(p->k, 0, (size_t)ny * sizeof *p->k);
  p->problem.ny = ny;
  p->problem.k = p->k;
  p->problem.b_N = p->b_N;
  p->problem.id_N = island->problem.id_N;
}

TriboStatus tribo_project(const TriboProblemSet* set, int island, const TriboStepOptions* options,
                          const double* gap, TriboArena* scratch, double* dy) {
  const TriboIslandProblem* from = &set->island[island];
  const TriboRows* N = &from->problem.N;
  const int ny = from->problem.ny;
  const size_t mark = tribo_arena_mark(scratch);
  Projection p = layout(scratch, ny, N->count, N->start[N->count]);
  TriboStatus status = TRIBO_ERROR_CAPACITY;
  if (p.solver != NULL) {
    fill(&p, from, options, gap);
    const TriboPsdOptions choice = tribo_psd_options_default();
    TriboPsdInfo info;
    status = tribo_psd_solve(p.solver, &p.problem, &choice, NULL, &p.solution, &info);
  }
  if (status == TRIBO_OK) {
    memcpy(dy, p.solution.y, (size_t)ny * sizeof *dy);
  } else {
    memset(dy, 0, (size_t)ny * sizeof *dy);
  }
  tribo_arena_reset(scratch, mark);
  return status;
}
