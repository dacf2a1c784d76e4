// SPDX-License-Identifier: Apache-2.0
//
// `tribo solve`: solves a problem given by matrices in files.
#include "tools/tribo/solve.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/tribo/command.h"
#include "tools/tribo/output.h"

enum { KEY_LCP = 256, KEY_CONTACT, KEY_MATRIX, KEY_Q, KEY_MU, KEY_CONE, KEY_SOLVER, KEY_OUT };

typedef struct Arguments {
  bool lcp, contact, json;
  int facets;
  const char *matrix, *q, *mu, *out;
} Arguments;

// polygon:D, D even from 4 to 64; 0 when it is something else.
static int facets_of(const char* text) {
  int facets = 0, length = 0;
  if (sscanf(text, "polygon:%3d%n", &facets, &length) != 1 || text[length] != '\0') return 0;
  return facets >= 4 && facets <= 64 && facets % 2 == 0 ? facets : 0;
}

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  switch (key) {
    case KEY_LCP:
      arguments->lcp = true;
      return 0;
    case KEY_MATRIX:
      arguments->matrix = text;
      return 0;
    case KEY_Q:
      arguments->q = text;
      return 0;
    case KEY_CONTACT:
      arguments->contact = true;
      return 0;
    case KEY_MU:
      arguments->mu = text;
      return 0;
    case KEY_CONE:
      arguments->facets = facets_of(text);
      if (arguments->facets == 0) {
        argp_error(state, "--cone wants polygon:D with D even from 4 to 64, not '%s'", text);
      }
      return 0;
    case KEY_SOLVER:
      if (strcmp(text, "lemke") != 0) argp_error(state, "no such solver: %s", text);
      return 0;
    case KEY_OUT:
      arguments->out = text;
      return 0;
    case 'j':
      arguments->json = true;
      return 0;
    case ARGP_KEY_END:
      if (arguments->lcp == arguments->contact) {
        argp_error(state, "say what kind of problem it is: --lcp or --contact");
      }
      if (arguments->contact != (arguments->mu != NULL)) {
        argp_error(state, "--mu FILE goes with --contact");
      }
      if (arguments->matrix == NULL) argp_error(state, "--matrix FILE is missing");
      if (arguments->q == NULL) argp_error(state, "--q FILE is missing");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static bool read_file(const char* path, TriboMatrix* matrix) {
  TriboMessage message;
  if (tribo_matrix_read(path, matrix, &message) == TRIBO_OK) return true;
  if (message.line > 0) {
    tribo_complain("solve", "%s, line %d: %s", path, message.line, message.text);
  } else {
    tribo_complain("solve", "%s: %s", path, message.text);
  }
  return false;
}

// Reads the matrix, q and mu and compares their sizes.
static bool read_problem(const Arguments* arguments, TriboMatrix* matrix, TriboMatrix* q,
                         TriboMatrix* mu) {
  if (!read_file(arguments->matrix, matrix) || !read_file(arguments->q, q)) return false;
  if (matrix->rows != matrix->columns) {
    tribo_complain("solve", "%s: the matrix must be square, not %d by %d", arguments->matrix,
                   matrix->rows, matrix->columns);
    return false;
  }
  if (q->columns != 1 || q->rows != matrix->rows) {
    tribo_complain("solve", "%s: q must be %d by 1 as the matrix has %d rows, not %d by %d",
                   arguments->q, matrix->rows, matrix->rows, q->rows, q->columns);
    return false;
  }
  if (!arguments->contact) return true;
  if (!read_file(arguments->mu, mu)) return false;
  if (mu->columns != 1 || (matrix->rows != 2L * mu->rows && matrix->rows != 3L * mu->rows)) {
    tribo_complain("solve", "%s: mu must be a half or a third of %d by 1, not %d by %d",
                   arguments->mu, matrix->rows, mu->rows, mu->columns);
    return false;
  }
  return true;
}

static const char* status_name(TriboStatus status) {
  switch (status) {
    case TRIBO_OK:
      return "solved";
    case TRIBO_ERROR_INFEASIBLE:
      return "infeasible";
    case TRIBO_ERROR_RAY:
      return "ray";
    case TRIBO_ERROR_SINGULAR:
      return "singular";
    default:
      return "limit";
  }
}

// Prints the report and writes the answer. The certificate goes into the report's own object.
static TriboExit show(const Arguments* arguments, int n, TriboSolveReport* report) {
  json_t* figures =
      json_pack("{s:s, s:s, s:i, s:i, s:i, s:f}", "status", status_name(report->status), "solver",
                report->solver, "n", n, "attempts", report->attempts, "pivots", report->pivots,
                "seconds", report->seconds);
  int failed = 0;
  if (arguments->json) {
    json_t* object = tribo_json_begin("solve");
    json_object_update(object, figures);
    json_object_set(object, "certificate",
                    report->certificate != NULL ? report->certificate : json_null());
    failed = tribo_json_print(stdout, object);
  } else {
    json_object_set(figures, "certificate", json_object_get(report->certificate, "worst"));
    json_t* rows = json_pack("[O]", figures);
    tribo_table_print(stdout, rows);
    json_decref(rows);
  }
  json_decref(figures);
  TriboMessage message;
  if (arguments->out != NULL && report->answer.value != NULL &&
      tribo_matrix_write(arguments->out, &report->answer, &message) != TRIBO_OK) {
    tribo_complain("solve", "%s: %s", arguments->out, message.text);
    failed = -1;
  }
  if (failed != 0) return TRIBO_EXIT_USAGE;
  return report->status == TRIBO_OK ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"lcp", KEY_LCP, NULL, 0, "Find z with w = M z + q, z >= 0, w >= 0, z.w = 0", 0},
      {"contact", KEY_CONTACT, NULL, 0,
       "Find impulses r with u = W r + q by Coulomb's law; per contact the normal first, then one "
       "tangent (planar) or two, by the length of mu",
       0},
      {"matrix", KEY_MATRIX, "FILE", 0, "The matrix M or W, n by n", 0},
      {"q", KEY_Q, "FILE", 0, "The vector q, n by 1", 0},
      {"mu", KEY_MU, "FILE", 0, "Coefficients of friction, n/2 or n/3 by 1", 0},
      {"cone", KEY_CONE, "polygon:D", 0,
       "The friction cone has D sides, even, 4 to 64 (default 8); ignored for planar contacts", 0},
      {"solver", KEY_SOLVER, "NAME", 0, "lemke (default): Lemke's pivoting algorithm", 0},
      {"out", KEY_OUT, "FILE", 0, "Write what was found to FILE, n by 1", 0},
      {"json", 'j', NULL, 0, "Print one JSON object instead of a table", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "",
      .doc =
          "Solves a linear complementarity or a friction-contact problem given by Matrix Market "
          "files."
          "\v"
          "Files are array or coordinate, real or integer, general or symmetric.\n"
          "Status: solved (--out gets z or r); infeasible (--out gets the proof: v >= 0 with M^T v "
          "<= 0 "
          "and q.v < 0); ray (--out gets the direction z >= 0 on which the pivoting ended; unless "
          "M "
          "is copositive-plus a solution may exist all the same; for contacts there is none); "
          "limit, "
          "singular (no accepted answer; --out gets the best one of a contact problem).\n"
          "W may be rank-deficient and a little unsymmetric; a contact problem counts as solved "
          "with a certificate up to 1e-8.\n"
          "The certificate is the largest violation of any condition, relative, computed from the "
          "files' numbers.\n"
          "Exit code: 0 solved, 1 not solved, 2 bad file or usage.",
  };
  Arguments arguments = {.facets = 8};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  TriboMatrix matrix = {0, 0, NULL}, q = {0, 0, NULL}, mu = {0, 0, NULL};
  TriboSolveReport report = {0};
  TriboExit result = TRIBO_EXIT_USAGE;
  if (read_problem(&arguments, &matrix, &q, &mu)) {
    const TriboStatus status =
        arguments.lcp ? tribo_solve_lcp(&matrix, &q, &report)
                      : tribo_solve_contact(&matrix, &q, &mu, arguments.facets, &report);
    if (status == TRIBO_OK) {
      result = show(&arguments, matrix.rows, &report);
    } else if (status == TRIBO_ERROR_MEMORY) {
      tribo_complain("solve", "not enough memory for %d unknowns", matrix.rows);
    } else {
      tribo_complain("solve", "%s or %s: W has a negative diagonal, or a mu is negative",
                     arguments.matrix, arguments.mu);
    }
  }
  json_decref(report.certificate);
  tribo_matrix_free(&report.answer);
  tribo_matrix_free(&matrix);
  tribo_matrix_free(&q);
  tribo_matrix_free(&mu);
  return result;
}

const TriboCommand tribo_command_solve = {
    .name = "solve",
    .summary = "solve a complementarity or contact problem given by Matrix Market files",
    .run = run,
};
