// SPDX-License-Identifier: Apache-2.0
//
// `tribo solve`: solves a problem given by matrices in files.
#include "tools/tribo/solve.h"

#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tribo/output.h"

enum {
  KEY_LCP = 256,
  KEY_CONTACT,
  KEY_MATRIX,
  KEY_Q,
  KEY_MU,
  KEY_MASS,
  KEY_JACOBIAN,
  KEY_F,
  KEY_B,
  KEY_CAPSULE,
  KEY_CONE,
  KEY_MODEL,
  KEY_SOLVER,
  KEY_OUT
};

// ---- Names ----

static const char* const kSolver[] = {"auto", "lemke", "dantzig", "energy",
                                      "pgs",  "ppm",   "dual",    "newton"};
static const char* const kRung[] = {"warm",   "cold", "compliance", "hash",
                                    "harris", "pgs",  "ladder",     "none"};
enum { SOLVERS = sizeof kSolver / sizeof kSolver[0], RUNGS = sizeof kRung / sizeof kRung[0] };

const char* tribo_solver_name(TriboSolver solver) {
  return (int)solver < SOLVERS ? kSolver[solver] : "?";
}

const char* tribo_rung_name(TriboRung rung) { return (int)rung < RUNGS ? kRung[rung] : "?"; }

const char* tribo_solve_status_name(TriboStatus status) {
  switch (status) {
    case TRIBO_OK:
      return "solved";
    case TRIBO_ERROR_INFEASIBLE:
      return "infeasible";
    case TRIBO_ERROR_RAY:
      return "ray";
    default:
      return "limit";
  }
}

json_t* tribo_certificate_json(const TriboCertificate* c) {
  return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "dynamics", c->dynamics,
                   "equality", c->equality, "penetration", c->penetration, "sign", c->sign,
                   "complementarity", c->complementarity, "cone", c->cone, "stick", c->stick,
                   "direction", c->direction, "worst", c->worst);
}

// ---- Arguments ----

// round, or polygon:D with D even from 4 to 64.
static bool parse_cone(const char* text, TriboMatrixOptions* options) {
  if (strcmp(text, "round") == 0) {
    options->cone = TRIBO_CONE_ROUND;
    return true;
  }
  int facets = 0, length = 0;
  if (sscanf(text, "polygon:%3d%n", &facets, &length) != 1 || text[length] != '\0') return false;
  options->cone = TRIBO_CONE_POLYGON;
  options->facets = facets;
  return facets >= 4 && facets <= 64 && facets % 2 == 0;
}

static bool parse_model(const char* text, TriboMatrixOptions* options) {
  static const char* const names[] = {"coulomb", "noslip", NULL, "frictionless"};
  for (int m = 0; m < 4; ++m) {
    if (names[m] == NULL || strcmp(text, names[m]) != 0) continue;
    options->model = (TriboContactModel)m;
    return true;
  }
  if (strncmp(text, "viscous:", 8) != 0) return false;
  char* end;
  options->model = TRIBO_MODEL_VISCOUS;
  options->viscosity = strtod(text + 8, &end);
  return text[8] != '\0' && *end == '\0' && options->viscosity >= 0 && isfinite(options->viscosity);
}

static bool parse_solver(const char* text, TriboMatrixOptions* options) {
  for (int s = 0; s < SOLVERS; ++s) {
    if (strcmp(text, kSolver[s]) != 0) continue;
    options->solver = (TriboSolver)s;
    return true;
  }
  return false;
}

// Whether the solver is one of the model's.
static bool solver_fits(const TriboMatrixOptions* options) {
  switch (options->solver) {
    case TRIBO_SOLVER_AUTO:
      return true;
    case TRIBO_SOLVER_PPM:
    case TRIBO_SOLVER_DUAL:
      return options->model != TRIBO_MODEL_COULOMB;
    case TRIBO_SOLVER_DANTZIG:
      return options->model == TRIBO_MODEL_COULOMB || options->model == TRIBO_MODEL_FRICTIONLESS;
    default:
      return options->model == TRIBO_MODEL_COULOMB;
  }
}

// Which files and options go together.
static void check(const TriboSolveArguments* a, struct argp_state* state) {
  if (a->capsule != NULL) {
    if (a->lcp || a->contact || a->matrix != NULL || a->mass != NULL || a->out != NULL) {
      argp_error(state, "--capsule FILE stands alone, with --json at most");
    }
    return;
  }
  if (a->lcp + a->contact != 1) {
    argp_error(state, "say what kind of problem it is: --lcp, --contact or --capsule");
  }
  const bool global = a->mass != NULL || a->jacobian != NULL || a->f != NULL || a->b != NULL;
  if (a->contact != (a->mu != NULL)) argp_error(state, "--mu FILE goes with --contact");
  if (global && !(a->contact && a->mass != NULL && a->jacobian != NULL && a->f != NULL &&
                  a->b != NULL && a->matrix == NULL && a->q == NULL)) {
    argp_error(state, "the global form wants --contact with --mass, --jacobian, --f, --b and --mu");
  }
  if (!global && a->matrix == NULL) argp_error(state, "--matrix FILE is missing");
  if (!global && a->q == NULL) argp_error(state, "--q FILE is missing");
  if (a->lcp && a->options.solver != TRIBO_SOLVER_AUTO && a->options.solver != TRIBO_SOLVER_LEMKE) {
    argp_error(state, "--lcp is solved by lemke only");
  }
  if (a->contact && !solver_fits(&a->options)) {
    argp_error(state, "the solver %s does not solve that --model (see --help)",
               tribo_solver_name(a->options.solver));
  }
}

static error_t parse(int key, char* text, struct argp_state* state) {
  TriboSolveArguments* a = state->input;
  const struct {
    int key;
    const char** file;
  } files[] = {{KEY_MATRIX, &a->matrix}, {KEY_Q, &a->q},     {KEY_MU, &a->mu},
               {KEY_MASS, &a->mass},     {KEY_F, &a->f},     {KEY_JACOBIAN, &a->jacobian},
               {KEY_B, &a->b},           {KEY_OUT, &a->out}, {KEY_CAPSULE, &a->capsule}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
    if (files[i].key != key) continue;
    *files[i].file = text;
    return 0;
  }
  switch (key) {
    case KEY_LCP:
      a->lcp = true;
      return 0;
    case KEY_CONTACT:
      a->contact = true;
      return 0;
    case KEY_CONE:
      if (!parse_cone(text, &a->options)) {
        argp_error(state, "--cone wants round, or polygon:D with D even from 4 to 64, not '%s'",
                   text);
      }
      return 0;
    case KEY_MODEL:
      if (!parse_model(text, &a->options)) {
        argp_error(state, "--model wants coulomb, noslip, viscous:MUV or frictionless, not '%s'",
                   text);
      }
      return 0;
    case KEY_SOLVER:
      if (!parse_solver(text, &a->options)) argp_error(state, "no such solver: %s", text);
      return 0;
    case 'j':
      a->json = true;
      return 0;
    case ARGP_KEY_END:
      check(a, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// ---- Files and output ----

void tribo_solve_complain(const char* path, const TriboMessage* message) {
  if (message->line > 0) {
    tribo_complain("solve", "%s, line %d: %s", path, message->line, message->text);
  } else {
    tribo_complain("solve", "%s: %s", path, message->text);
  }
}

bool tribo_solve_read(const char* path, int rows, int columns, TriboMatrix* matrix) {
  TriboMessage message;
  if (tribo_matrix_read(path, matrix, &message) != TRIBO_OK) {
    tribo_solve_complain(path, &message);
    return false;
  }
  if ((rows > 0 && matrix->rows != rows) || (columns > 0 && matrix->columns != columns)) {
    tribo_complain("solve", "%s: must be %d by %d as the other files have it, not %d by %d", path,
                   rows > 0 ? rows : matrix->rows, columns > 0 ? columns : matrix->columns,
                   matrix->rows, matrix->columns);
    tribo_matrix_free(matrix);
    return false;
  }
  return true;
}

bool tribo_solve_read_sparse(const char* path, TriboSparseMatrix* matrix) {
  TriboMessage message;
  if (tribo_sparse_read(path, matrix, &message) == TRIBO_OK) return true;
  tribo_solve_complain(path, &message);
  return false;
}

TriboExit tribo_solve_show(const TriboSolveArguments* arguments, TriboStatus status,
                           json_t* figures, json_t* certificate, double* answer, int n) {
  int failed = 0;
  json_t* row = json_pack("{s:s}", "status", tribo_solve_status_name(status));
  json_object_update(row, figures);
  json_decref(figures);
  if (arguments->json) {
    json_t* object = tribo_json_begin("solve");
    json_object_update(object, row);
    json_object_set(object, "certificate", certificate != NULL ? certificate : json_null());
    failed = tribo_json_print(stdout, object);
  } else {
    json_object_set(row, "certificate", json_object_get(certificate, "worst"));
    json_t* rows = json_pack("[O]", row);
    tribo_table_print(stdout, rows);
    json_decref(rows);
  }
  json_decref(row);
  json_decref(certificate);
  TriboMessage message;
  const TriboMatrix out = {n, 1, answer};
  if (arguments->out != NULL && answer != NULL &&
      tribo_matrix_write(arguments->out, &out, &message) != TRIBO_OK) {
    tribo_solve_complain(arguments->out, &message);
    failed = -1;
  }
  if (failed != 0) return TRIBO_EXIT_USAGE;
  return status == TRIBO_OK ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
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
      {"mass", KEY_MASS, "FILE", 0,
       "The global form, M v = H r + f and u = H^T v + b: M, symmetric positive definite", 1},
      {"jacobian", KEY_JACOBIAN, "FILE", 0, "The global form's H, rows of M by n", 1},
      {"f", KEY_F, "FILE", 0, "The global form's f, rows of M by 1", 1},
      {"b", KEY_B, "FILE", 0, "The global form's b, n by 1", 1},
      {"capsule", KEY_CAPSULE, "FILE", 0,
       "Replay a contact problem saved by tribo_capsule_write on every solver; the exit code is "
       "the "
       "ladder's",
       1},
      {"cone", KEY_CONE, "CONE", 0,
       "round (default), or polygon:D with D sides, even, 4 to 64; no matter for planar contacts",
       2},
      {"model", KEY_MODEL, "MODEL", 0,
       "coulomb (default), noslip, viscous:MUV (t = -MUV u_t) or frictionless", 2},
      {"solver", KEY_SOLVER, "NAME", 0,
       "auto (default), lemke, newton, pgs, dantzig, energy; noslip, viscous and frictionless: "
       "dual, "
       "ppm; frictionless: dantzig; --lcp: lemke",
       2},
      {"out", KEY_OUT, "FILE", 0, "Write what was found to FILE, n by 1", 3},
      {"json", 'j', NULL, 0, "Print one JSON object instead of a table", 3},
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
          "Status: solved (--out gets z or r); infeasible (--out gets the proof of an LCP: v >= 0 "
          "with M^T v <= 0 and q.v < 0); ray (--out gets the direction z >= 0 on which the "
          "pivoting ended; unless M is copositive-plus a solution may exist all the same); limit "
          "(no accepted answer). A contact problem that is not solved gets its best answer into "
          "--out.\n"
          "W may be rank-deficient and a little unsymmetric; a contact problem counts as solved "
          "with a certificate up to 1e-8.\n"
          "The certificate is the largest violation of any condition, relative, computed from the "
          "files' numbers.\n"
          "Exit code: 0 solved, 1 not solved, 2 bad file or usage.",
  };
  TriboSolveArguments arguments = {.options = tribo_matrix_options_default()};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  if (arguments.capsule != NULL) return tribo_solve_capsule(&arguments);
  if (arguments.lcp) return tribo_solve_lcp(&arguments);
  return arguments.mass != NULL ? tribo_solve_global(&arguments) : tribo_solve_contact(&arguments);
}

const TriboCommand tribo_command_solve = {
    .name = "solve",
    .summary = "solve a complementarity or contact problem given by Matrix Market files",
    .run = run,
};
