// SPDX-License-Identifier: Apache-2.0
//
// `tribo solve --contact`: both forms of a contact problem, by the public solver.
#include <stdlib.h>

#include "tools/tribo/bench.h"
#include "tools/tribo/output.h"
#include "tools/tribo/solve.h"

static TriboMatrixView view_of(const TriboSparseMatrix* m) {
  const TriboMatrixView view = {m->rows, m->columns, m->start, m->index, m->value};
  return view;
}

// Shows an answer, or says why there is none.
static TriboExit finish(const TriboSolveArguments* arguments, TriboStatus status,
                        const TriboMatrixInfo* info, double seconds, double* r, int n) {
  switch (status) {
    case TRIBO_OK:
    case TRIBO_ERROR_LIMIT:
    case TRIBO_ERROR_RAY:
    case TRIBO_ERROR_INFEASIBLE:
      break;
    case TRIBO_ERROR_SINGULAR:
      tribo_complain("solve", "%s: the mass matrix is not positive definite", arguments->mass);
      return TRIBO_EXIT_USAGE;
    case TRIBO_ERROR_MEMORY:
    case TRIBO_ERROR_CAPACITY:
      tribo_complain("solve", "not enough memory for %d rows", n);
      return TRIBO_EXIT_USAGE;
    default:
      tribo_complain("solve", "%s: a mu is negative, or W has a negative diagonal", arguments->mu);
      return TRIBO_EXIT_USAGE;
  }
  const bool answered = info->rung != TRIBO_RUNG_COUNT;
  json_t* figures = json_pack(
      "{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:f}", "solver", tribo_solver_name(info->solver), "rung",
      tribo_rung_name(info->rung), "n", n, "fallbacks", info->fallbacks, "pivots", info->pivots,
      "iterations", info->iterations, "sweeps", info->sweeps, "seconds", seconds);
  return tribo_solve_show(arguments, status, figures,
                          answered ? tribo_certificate_json(&info->certificate) : NULL,
                          answered ? r : NULL, n);
}

// mu, by whose length n rows are 2 or 3 per contact.
static bool read_mu(const TriboSolveArguments* arguments, int n, TriboMatrix* mu, int* size) {
  if (!tribo_solve_read(arguments->mu, 0, 1, mu)) return false;
  *size = n / mu->rows;
  if ((*size == 2 || *size == 3) && *size * mu->rows == n) return true;
  tribo_complain("solve", "%s: mu must be a half or a third of %d by 1, not %d by 1", arguments->mu,
                 n, mu->rows);
  return false;
}

TriboExit tribo_solve_contact(const TriboSolveArguments* arguments) {
  TriboSparseMatrix W = {0, 0, NULL, NULL, NULL};
  TriboMatrix q = {0, 0, NULL}, mu = {0, 0, NULL};
  TriboExit result = TRIBO_EXIT_USAGE;
  double* r = NULL;
  int size = 0;
  if (!tribo_solve_read_sparse(arguments->matrix, &W)) return result;
  if (W.rows != W.columns) {
    tribo_complain("solve", "%s: the matrix must be square, not %d by %d", arguments->matrix,
                   W.rows, W.columns);
  } else if (tribo_solve_read(arguments->q, W.rows, 1, &q) &&
             read_mu(arguments, W.rows, &mu, &size) &&
             (r = calloc((size_t)W.rows, sizeof(double))) != NULL) {
    const TriboDelassusProblem problem = {mu.rows, size, view_of(&W), q.value, mu.value};
    TriboMatrixInfo info;
    const double start = tribo_bench_clock();
    const TriboStatus status = tribo_delassus_solve(&problem, &arguments->options, NULL, r, &info);
    result = finish(arguments, status, &info, tribo_bench_clock() - start, r, W.rows);
  }
  free(r);
  tribo_sparse_free(&W);
  tribo_matrix_free(&q);
  tribo_matrix_free(&mu);
  return result;
}

TriboExit tribo_solve_global(const TriboSolveArguments* arguments) {
  TriboSparseMatrix M = {0, 0, NULL, NULL, NULL}, H = {0, 0, NULL, NULL, NULL};
  TriboMatrix f = {0, 0, NULL}, b = {0, 0, NULL}, mu = {0, 0, NULL};
  TriboExit result = TRIBO_EXIT_USAGE;
  double* r = NULL;
  int size = 0;
  if (tribo_solve_read_sparse(arguments->mass, &M) &&
      tribo_solve_read_sparse(arguments->jacobian, &H)) {
    if (M.rows != M.columns || H.rows != M.rows) {
      tribo_complain("solve",
                     "%s and %s: M must be square and H have its rows, not %d by %d and "
                     "%d by %d",
                     arguments->mass, arguments->jacobian, M.rows, M.columns, H.rows, H.columns);
    } else if (tribo_solve_read(arguments->f, M.rows, 1, &f) &&
               tribo_solve_read(arguments->b, H.columns, 1, &b) &&
               read_mu(arguments, H.columns, &mu, &size) &&
               (r = calloc((size_t)H.columns, sizeof(double))) != NULL) {
      const TriboGlobalProblem problem = {mu.rows, size,    view_of(&M), view_of(&H),
                                          f.value, b.value, mu.value};
      TriboMatrixInfo info;
      const double start = tribo_bench_clock();
      const TriboStatus status =
          tribo_global_solve(&problem, &arguments->options, NULL, r, NULL, &info);
      result = finish(arguments, status, &info, tribo_bench_clock() - start, r, H.columns);
    }
  }
  free(r);
  tribo_sparse_free(&M);
  tribo_sparse_free(&H);
  tribo_matrix_free(&f);
  tribo_matrix_free(&b);
  tribo_matrix_free(&mu);
  return result;
}
