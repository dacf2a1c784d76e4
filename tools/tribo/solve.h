// SPDX-License-Identifier: Apache-2.0
//
// What the parts of `tribo solve` share: the arguments, and one function per kind of problem.
#ifndef TRIBO_TOOLS_TRIBO_SOLVE_H_
#define TRIBO_TOOLS_TRIBO_SOLVE_H_

#include <jansson.h>
#include <stdbool.h>

#include "solvers/tribo_solvers.h"
#include "tools/tribo/command.h"
#include "tools/tribo/matrix_market.h"

typedef struct TriboSolveArguments {
  bool lcp, contact, json;
  const char *matrix, *q, *mu, *mass, *jacobian, *f, *b, *capsule, *out;
  TriboMatrixOptions options;
} TriboSolveArguments;

// Reads the files, solves and shows. What is wrong with the files is said on stderr.
TriboExit tribo_solve_lcp(const TriboSolveArguments* arguments);
TriboExit tribo_solve_contact(const TriboSolveArguments* arguments);
TriboExit tribo_solve_global(const TriboSolveArguments* arguments);
TriboExit tribo_solve_capsule(const TriboSolveArguments* arguments);

// Says on stderr what is wrong with a file.
void tribo_solve_complain(const char* path, const TriboMessage* message);

// Reading with the complaint done; false on failure. `rows` and `columns` must match unless 0.
bool tribo_solve_read(const char* path, int rows, int columns, TriboMatrix* matrix);
bool tribo_solve_read_sparse(const char* path, TriboSparseMatrix* matrix);

// Prints `figures` (given up), adds `certificate` (given up, or NULL) and the status; writes the
// answer (n by 1, or NULL) to --out.
TriboExit tribo_solve_show(const TriboSolveArguments* arguments, TriboStatus status,
                           json_t* figures, json_t* certificate, double* answer, int n);

// Names as the command line and the JSON have them.
const char* tribo_solve_status_name(TriboStatus status);
const char* tribo_solver_name(TriboSolver solver);
const char* tribo_rung_name(TriboRung rung);
json_t* tribo_certificate_json(const TriboCertificate* certificate);

#endif  // TRIBO_TOOLS_TRIBO_SOLVE_H_
