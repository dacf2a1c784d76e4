// SPDX-License-Identifier: Apache-2.0
//
// `tribo solve --lcp`: Lemke's algorithm on the matrix as it stands.
#include <stdlib.h>

#include "solvers/lemke_standard.h"
#include "tools/tribo/bench.h"
#include "tools/tribo/solve.h"

static json_t* certificate_json(TriboLcpCertificate certificate) {
  return json_pack("{s:f, s:f, s:f, s:f}", "sign_z", certificate.sign_z, "sign_w",
                   certificate.sign_w, "complementarity", certificate.complementarity, "worst",
                   certificate.worst);
}

TriboStatus tribo_solve_lcp(const TriboMatrix* M, const TriboMatrix* q, TriboSolveReport* report) {
  const int n = M->rows;
  const TriboLcp lcp = {n, M->value, q->value};
  TriboArena measure = tribo_arena_measure();
  tribo_lemke_standard_init(&measure, n);
  void* memory = tribo_allocate(NULL, measure.used);
  double* z = calloc((size_t)n, sizeof(double));
  if (memory == NULL || z == NULL) {
    tribo_release(NULL, memory, measure.used);
    free(z);
    return TRIBO_ERROR_MEMORY;
  }
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboLemkeStandard* solver = tribo_lemke_standard_init(&arena, n);
  const TriboLemkeStandardOptions options = tribo_lemke_standard_options_default();
  TriboLemkeStandardStats stats;

  const double start = tribo_bench_clock();
  report->status = tribo_lemke_standard_solve(solver, &lcp, &options, z, &stats);
  report->seconds = tribo_bench_clock() - start;
  report->solver = "lemke";
  report->attempts = stats.attempts;
  report->pivots = stats.pivots;
  if (report->status == TRIBO_OK) report->certificate = certificate_json(stats.certificate);
  tribo_release(NULL, memory, measure.used);
  if (report->status == TRIBO_OK || report->status == TRIBO_ERROR_INFEASIBLE ||
      report->status == TRIBO_ERROR_RAY) {
    report->answer = (TriboMatrix){n, 1, z};
  } else {
    free(z);
  }
  return TRIBO_OK;
}
