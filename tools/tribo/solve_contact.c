// SPDX-License-Identifier: Apache-2.0
//
// `tribo solve --contact`: the reduced Lemke on rows made from the Delassus matrix, repeated with
// corrected targets until the certificate of the matrix itself no longer improves.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/expand.h"
#include "solvers/lemke.h"
#include "tools/tribo/bench.h"
#include "tools/tribo/solve.h"

// What is tried in turn: another covering vector, other slack in the ratio test, a trace of
// compliance.
static const TriboLemkeOptions kAttempts[] = {
    {.hash = 0, .harris = 1e-10},
    {.hash = 1, .harris = 1e-10},
    {.hash = 2, .harris = 1e-12},
    {.hash = 3, .harris = 1e-10, .compliance = 1e-12},
};
enum { kAttemptCount = sizeof kAttempts / sizeof kAttempts[0], kCorrections = 6 };

// The largest certificate that counts as solved, and the one at which corrections stop.
static const double kAccepted = 1e-8, kGoal = 1e-12;

typedef struct Solver {
  TriboExpansion expansion;
  TriboScaled scaled;
  TriboLemke* lemke;
  void* memory[2];
  size_t size[2];
} Solver;

static void release(Solver* solver) {
  for (int i = 0; i < 2; ++i) tribo_release(NULL, solver->memory[i], solver->size[i]);
}

static bool make_expansion(Solver* solver, int contacts, int size) {
  TriboArena arena = tribo_arena_measure();
  tribo_expansion_init(&solver->expansion, &arena, contacts, size);
  solver->size[0] = arena.used;
  solver->memory[0] = tribo_allocate(NULL, arena.used);
  if (solver->memory[0] == NULL) return false;
  arena = tribo_arena_over(solver->memory[0], solver->size[0]);
  tribo_expansion_init(&solver->expansion, &arena, contacts, size);
  return true;
}

static bool make_lemke(Solver* solver) {
  const TriboSolverCapacity capacity = tribo_solver_capacity_of(&solver->expansion.problem);
  TriboArena arena = tribo_arena_measure();
  tribo_scaled_init(&solver->scaled, &arena, capacity);
  tribo_lemke_init(&arena, capacity);
  solver->size[1] = arena.used;
  solver->memory[1] = tribo_allocate(NULL, arena.used);
  if (solver->memory[1] == NULL) return false;
  arena = tribo_arena_over(solver->memory[1], solver->size[1]);
  tribo_scaled_init(&solver->scaled, &arena, capacity);
  solver->lemke = tribo_lemke_init(&arena, capacity);
  return solver->lemke != NULL;
}

static TriboStatus solve_once(Solver* solver, const TriboLemkeOptions* options,
                              TriboSolveReport* report) {
  TriboLemkeResult result = {0, 0, 0};
  TriboStatus status = tribo_scaled_load(&solver->scaled, &solver->expansion.problem);
  if (status != TRIBO_OK) return status;
  status = tribo_lemke_solve(solver->lemke, &solver->scaled, options, &solver->expansion.solution,
                             &result);
  report->pivots += result.pivots;
  return status;
}

// Runs through the attempts; r and best keep the best answer.
static TriboStatus climb(Solver* solver, TriboSolveReport* report, double* r,
                         TriboCertificate* best) {
  TriboStatus failure = TRIBO_ERROR_LIMIT;
  best->worst = INFINITY;
  for (int attempt = 0; attempt < kAttemptCount; ++attempt) {
    ++report->attempts;
    for (int round = 0; round < kCorrections && best->worst > kGoal; ++round) {
      const TriboStatus status = solve_once(solver, &kAttempts[attempt], report);
      if (status != TRIBO_OK) {
        failure = status;
        break;
      }
      const TriboCertificate now = tribo_expansion_certify(&solver->expansion, TRIBO_CONE_POLYGON);
      const bool better = now.worst < 0.5 * best->worst;
      if (now.worst < best->worst) {
        *best = now;
        tribo_expansion_impulse(&solver->expansion, r);
      }
      if (!better) break;
    }
    if (best->worst <= kAccepted) return TRIBO_OK;
  }
  return isfinite(best->worst) ? TRIBO_ERROR_LIMIT : failure;
}

static json_t* certificate_json(const TriboCertificate* c) {
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "dynamics", c->dynamics,
                   "penetration", c->penetration, "sign", c->sign, "complementarity",
                   c->complementarity, "cone", c->cone, "stick", c->stick, "direction",
                   c->direction, "worst", c->worst);
}

TriboStatus tribo_solve_contact(const TriboMatrix* W, const TriboMatrix* q, const TriboMatrix* mu,
                                int facets, TriboSolveReport* report) {
  const int n = W->rows;
  Solver solver;
  memset(&solver, 0, sizeof solver);
  double* r = calloc((size_t)n, sizeof(double));
  TriboStatus status = TRIBO_ERROR_MEMORY;
  if (r != NULL && make_expansion(&solver, mu->rows, n / mu->rows)) {
    const double start = tribo_bench_clock();
    status = tribo_expansion_load(&solver.expansion, W->value, q->value, mu->value, facets);
    if (status == TRIBO_OK && !make_lemke(&solver)) status = TRIBO_ERROR_MEMORY;
    if (status == TRIBO_OK) {
      TriboCertificate certificate = {0};
      report->status = climb(&solver, report, r, &certificate);
      report->seconds = tribo_bench_clock() - start;
      report->solver = "lemke";
      if (isfinite(certificate.worst)) {
        report->certificate = certificate_json(&certificate);
        report->answer = (TriboMatrix){n, 1, r};
      }
    }
  }
  release(&solver);
  if (report->answer.value == NULL) free(r);
  return status;
}
