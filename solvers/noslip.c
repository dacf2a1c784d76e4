// SPDX-License-Identifier: Apache-2.0
//
// Builds the problem of noslip.h and repeats it until the tangents fit the contacts that press.
// [Drumwright] sections IV and VI; his explicit viscous force is taken implicitly here, as a
// compliance, so that it is stable for every mu_v. A compliance is one more entry sqrt(c) in a
// coordinate of the row's own (problem.h).
#include "solvers/noslip.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Whether a group's tangents take part.
typedef enum TangentState {
  TANGENT_OUT = 0,  // not yet, or not any more
  TANGENT_IN,
  TANGENT_GONE,  // for good
} TangentState;

struct TriboNoslipSolver {
  TriboNoslipSizes sizes;
  TriboPsdSolver* psd;
  TangentState* state;  // (ng)
  bool* was_in;         // whether they took part in this round  (ng)
  int* drops;           // times that a group's tangents were dropped  (ng)
  TriboRows X;          // equality rows and tangents
  double* b_X;          // (X + T)
  double* k;            // (ny + T)
  double* y;            // (ny + T)
  double* x;            // (X + T)
  bool* known;          // rows that depend on those before them, as the last round found; equality
                        // rows, then all tangents                  (X + T)
  bool* dependent;      // the same of this round's rows            (X + T)
  TriboMode* mode;      // the warm start of the next round  (N)
};

static void layout(TriboNoslipSolver* s, TriboArena* arena) {
  TriboNoslipSizes z = s->sizes;
  s->state = tribo_arena_take(arena, (size_t)z.ng, sizeof *s->state);
  s->was_in = tribo_arena_take(arena, (size_t)z.ng, sizeof *s->was_in);
  s->drops = tribo_arena_ints(arena, z.ng);
  s->X.start = tribo_arena_ints(arena, z.X + z.T + 1);
  s->X.index = tribo_arena_ints(arena, z.entries + z.T);
  s->X.value = tribo_arena_doubles(arena, z.entries + z.T);
  s->b_X = tribo_arena_doubles(arena, z.X + z.T);
  s->k = tribo_arena_doubles(arena, z.ny + z.T);
  s->y = tribo_arena_doubles(arena, z.ny + z.T);
  s->x = tribo_arena_doubles(arena, z.X + z.T);
  s->known = tribo_arena_take(arena, (size_t)(z.X + z.T), sizeof *s->known);
  s->dependent = tribo_arena_take(arena, (size_t)(z.X + z.T), sizeof *s->dependent);
  s->mode = tribo_arena_take(arena, (size_t)z.N, sizeof *s->mode);
}

TriboNoslipSolver* tribo_noslip_init(TriboArena* arena, TriboPsdSolver* psd,
                                     TriboNoslipSizes sizes) {
  TriboNoslipSolver made = {.sizes = sizes, .psd = psd};
  TriboNoslipSolver* solver = tribo_arena_take(arena, 1, sizeof *solver);
  layout(&made, arena);
  if (solver == NULL || arena->overflowed) return NULL;
  *solver = made;
  return solver;
}

static bool fits(const TriboNoslipSolver* s, const TriboContactProblem* p) {
  return p->ny <= s->sizes.ny && p->X.count <= s->sizes.X && p->N.count <= s->sizes.N &&
         p->T.count <= s->sizes.T && p->ng <= s->sizes.ng &&
         p->X.start[p->X.count] + p->T.start[p->T.count] <= s->sizes.entries;
}

static bool touches(const TriboContactProblem* p, int group, double touching) {
  int normal = p->group[group].normal;
  return normal >= 0 && p->b_N[normal] >= -touching;
}

static double compliance_of(const TriboNoslipLaw* law, int group) {
  return law->compliance == NULL ? 0 : law->compliance[group];
}

static bool is_kept(const TriboNoslipLaw* law, int group) {
  return law->kept != NULL && law->kept[group];
}

// First guess: the contacts that touch and that the free velocity does not separate.
static void guess_tangents(TriboNoslipSolver* s, const TriboContactProblem* p,
                           const TriboNoslipLaw* law, TriboNoslipInfo* info) {
  for (int g = 0; g < p->ng; ++g) {
    int normal = p->group[g].normal;
    if (normal < 0) ++info->left_out;
    bool in = touches(p, g, law->touching) && tribo_row_dot(&p->N, normal, p->k) <= p->b_N[normal];
    s->state[g] = in ? TANGENT_IN : TANGENT_OUT;
    if (is_kept(law, g)) s->state[g] = TANGENT_IN;
    // Infinitely compliant tangents carry nothing.
    if (isinf(compliance_of(law, g))) s->state[g] = TANGENT_GONE;
    s->drops[g] = 0;
  }
}

// Appends row i of `rows` to X, with an entry sqrt(c) in the next private coordinate when c > 0.
static void append_row(TriboNoslipSolver* s, const TriboRows* rows, int i, double target, double c,
                       int* ny) {
  TriboRows* X = &s->X;
  int at = X->start[X->count];
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e, ++at) {
    X->index[at] = rows->index[e];
    X->value[at] = rows->value[e];
  }
  if (c > 0) {
    X->index[at] = *ny;
    X->value[at++] = sqrt(c);
    s->k[(*ny)++] = 0;
  }
  s->b_X[X->count++] = target;
  X->start[X->count] = at;
}

// The problem of this round.
static TriboContactProblem build(TriboNoslipSolver* s, const TriboContactProblem* p,
                                 const TriboNoslipLaw* law) {
  int ny = p->ny;
  memcpy(s->k, p->k, sizeof(double) * (size_t)ny);
  s->X.count = 0;
  s->X.start[0] = 0;
  for (int i = 0; i < p->X.count; ++i) {
    s->dependent[i] = s->known[i];
    append_row(s, &p->X, i, p->b_X[i], 0, &ny);
  }
  for (int g = 0; g < p->ng; ++g) {
    s->was_in[g] = s->state[g] == TANGENT_IN;
    if (!s->was_in[g]) continue;
    for (int j = 0; j < p->group[g].rows; ++j) {
      int row = p->group[g].tangent + j;
      s->dependent[s->X.count] = s->known[p->X.count + row];
      append_row(s, &p->T, row, p->b_T[row], compliance_of(law, g), &ny);
    }
  }
  return (TriboContactProblem){
      .ny = ny, .k = s->k, .X = s->X, .b_X = s->b_X, .N = p->N, .b_N = p->b_N, .id_N = p->id_N};
}

static double row_length(const TriboRows* rows, int i) {
  double length2 = 0;
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
    length2 += rows->value[e] * rows->value[e];
  }
  return sqrt(length2);
}

// What velocities are compared with: |k|, or what the targets ask for where that is more.
static double velocity_scale(const TriboContactProblem* p) {
  double size2 = 0;
  for (int i = 0; i < p->ny; ++i) size2 += p->k[i] * p->k[i];
  double size = sqrt(size2);
  for (int i = 0; i < p->N.count; ++i) {
    if (p->b_N[i] <= 0) continue;
    const double length = row_length(&p->N, i);
    if (length > 0) size = fmax(size, p->b_N[i] / length);
  }
  return size;
}

static void forget_rows(TriboNoslipSolver* s, const TriboContactProblem* p) {
  memset(s->known, 0, sizeof *s->known * (size_t)(p->X.count + p->T.count));
}

// Keeps which rows of the round depend on those before them: they will again, also beside more
// rows, up to the first of those taken that goes.
static void keep_rows(TriboNoslipSolver* s, const TriboContactProblem* p) {
  forget_rows(s, p);
  int at = 0;
  for (; at < p->X.count; ++at) s->known[at] = !tribo_psd_took(s->psd, at);
  for (int g = 0; g < p->ng; ++g) {
    if (!s->was_in[g]) continue;
    for (int j = 0; j < p->group[g].rows; ++j, ++at) {
      const bool took = tribo_psd_took(s->psd, at);
      if (took && s->state[g] != TANGENT_IN) return;
      s->known[p->X.count + p->group[g].tangent + j] = !took;
    }
  }
}

// Drops the tangents of contacts that separate and takes up those of contacts that do not. True
// when any changed. The velocity decides, not f_n: it is unique, while redundant contacts share
// force in many ways; and f_n = 0 wherever a contact separates.
static bool revise_tangents(TriboNoslipSolver* s, const TriboContactProblem* p,
                            const TriboNoslipLaw* law, const TriboContactSolution* round) {
  const double size = velocity_scale(p);
  bool changed = false;
  for (int g = 0; g < p->ng; ++g) {
    int normal = p->group[g].normal;
    if (normal < 0 || s->state[g] == TANGENT_GONE || is_kept(law, g)) continue;
    double speed = tribo_row_dot(&p->N, normal, round->y) - p->b_N[normal];
    bool separates = speed > 0 && speed > 1e-10 * row_length(&p->N, normal) * size;
    if (s->state[g] == TANGENT_IN && separates) {
      s->state[g] = ++s->drops[g] <= law->returns ? TANGENT_OUT : TANGENT_GONE;
      changed = true;
    } else if (s->state[g] == TANGENT_OUT && !separates && touches(p, g, law->touching)) {
      s->state[g] = TANGENT_IN;
      changed = true;
    }
  }
  return changed;
}

// Tangential impulses back to the rows of T, and the groups' modes.
static void write_tangents(const TriboNoslipSolver* s, const TriboContactProblem* p,
                           const TriboNoslipLaw* law, TriboContactSolution* solution) {
  memcpy(solution->y, s->y, sizeof(double) * (size_t)p->ny);
  for (int i = 0; i < p->X.count; ++i) solution->x[i] = s->x[i];
  for (int i = 0; i < p->T.count; ++i) solution->t[i] = 0;
  int at = p->X.count;
  for (int g = 0; g < p->ng; ++g) {
    solution->mode_g[g] = TRIBO_MODE_SEPARATE;
    if (s->state[g] != TANGENT_IN) continue;
    solution->mode_g[g] = compliance_of(law, g) > 0 ? TRIBO_MODE_SLIDE : TRIBO_MODE_STICK;
    for (int j = 0; j < p->group[g].rows; ++j) solution->t[p->group[g].tangent + j] = s->x[at++];
  }
}

TriboStatus tribo_noslip_solve(TriboNoslipSolver* solver, const TriboContactProblem* problem,
                               const TriboNoslipLaw* law, const TriboPsdOptions* options,
                               const TriboMode* warm, TriboContactSolution* solution,
                               TriboNoslipInfo* info) {
  *info = (TriboNoslipInfo){.psd = {.row = -1}};
  if (!fits(solver, problem)) return TRIBO_ERROR_CAPACITY;
  guess_tangents(solver, problem, law, info);
  forget_rows(solver, problem);
  int pivots = 0;
  TriboPsdOptions left = *options;
  left.dependent = solver->dependent;
  for (;;) {
    TriboContactProblem built = build(solver, problem, law);
    TriboContactSolution round = {
        .y = solver->y, .x = solver->x, .f = solution->f, .mode_N = solution->mode_N};
    TriboStatus status = tribo_psd_solve(solver->psd, &built, &left, warm, &round, &info->psd);
    pivots += info->psd.pivots;
    info->psd.pivots = pivots;
    ++info->rounds;
    bool again = status == TRIBO_OK && revise_tangents(solver, problem, law, &round);
    if (again && options->pivots > 0) {
      // The next round has what this one leaves of them.
      left.pivots = options->pivots - pivots;
      again = left.pivots > 0;
      if (!again) status = TRIBO_ERROR_LIMIT;
    }
    if (!again) {
      write_tangents(solver, problem, law, solution);
      return status;
    }
    // A second look of the solver took rows by another threshold.
    if (info->psd.fallback) {
      forget_rows(solver, problem);
    } else {
      keep_rows(solver, problem);
    }
    memcpy(solver->mode, solution->mode_N, sizeof(TriboMode) * (size_t)problem->N.count);
    warm = solver->mode;
  }
}
