// SPDX-License-Identifier: Apache-2.0
//
// `tribo solve --lcp`.
#include <stdlib.h>

#include "tools/tribo/bench.h"
#include "tools/tribo/output.h"
#include "tools/tribo/solve.h"

static json_t* certificate_json(TriboLcpCertificate certificate) {
  return json_pack("{s:f, s:f, s:f, s:f}", "sign_z", certificate.sign_z, "sign_w",
                   certificate.sign_w, "complementarity", certificate.complementarity, "worst",
                   certificate.worst);
}

static TriboExit solve(const TriboSolveArguments* arguments, const TriboLcp* lcp, double* z) {
  TriboLcpInfo info;
  const double start = tribo_bench_clock();
  const TriboStatus status = tribo_lcp_solve(lcp, NULL, z, &info);
  const double seconds = tribo_bench_clock() - start;
  if (status == TRIBO_ERROR_MEMORY) {
    tribo_complain("solve", "not enough memory for %d unknowns", lcp->n);
    return TRIBO_EXIT_USAGE;
  }
  json_t* figures =
      json_pack("{s:s, s:i, s:i, s:i, s:i, s:f}", "solver",
                status == TRIBO_OK && info.enumerated ? "enumeration" : "lemke", "n", lcp->n,
                "attempts", info.attempts, "fallbacks", info.attempts - 1 + info.enumerated,
                "pivots", info.pivots, "seconds", seconds);
  return tribo_solve_show(arguments, status, figures,
                          status == TRIBO_OK ? certificate_json(info.certificate) : NULL,
                          status == TRIBO_ERROR_LIMIT ? NULL : z, lcp->n);
}

TriboExit tribo_solve_lcp(const TriboSolveArguments* arguments) {
  TriboMatrix M = {0, 0, NULL}, q = {0, 0, NULL};
  TriboExit result = TRIBO_EXIT_USAGE;
  if (tribo_solve_read(arguments->matrix, 0, 0, &M)) {
    if (M.rows != M.columns) {
      tribo_complain("solve", "%s: the matrix must be square, not %d by %d", arguments->matrix,
                     M.rows, M.columns);
    } else if (tribo_solve_read(arguments->q, M.rows, 1, &q)) {
      double* z = calloc((size_t)M.rows, sizeof(double));
      const TriboLcp lcp = {M.rows, M.value, q.value};
      if (z != NULL) result = solve(arguments, &lcp, z);
      free(z);
    }
  }
  tribo_matrix_free(&M);
  tribo_matrix_free(&q);
  return result;
}
