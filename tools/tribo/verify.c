// SPDX-License-Identifier: Apache-2.0
//
// `tribo record` and `tribo verify`: golden trajectories of a folder of cases, or of one file.
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE  // argp
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/trajectory/report.h"
#include "tools/tribo/command.h"
#include "tools/tribo/compare.h"
#include "tools/tribo/golden.h"
#include "tools/tribo/output.h"

typedef struct Arguments {
  const char* command;  // "record" or "verify"
  const char* path;
  const char* only;  // this case alone
  const char *model, *controller, *tolerances;
  bool update, widen, json;
  const char* reason;
  const char* report;
  const char* xml;
} Arguments;

// What all cases come to.
typedef struct Tally {
  int passed, failed, bad;
  json_t* results;
  FILE* xml;
} Tally;

static void write_xml_case(FILE* xml, const char* name, const char* fault) {
  if (xml == NULL) return;
  fprintf(xml,
          "    <testcase name=\"%s\" status=\"run\" result=\"completed\" time=\"0\" "
          "classname=\"Trajectory\"",
          name);
  if (fault == NULL)
    fputs(" />\n", xml);
  else
    fprintf(xml, ">\n      <failure message=\"%s\" type=\"\"></failure>\n    </testcase>\n", fault);
}

// Twice the measured difference, rounded up to one digit: a tolerance that says where it is from.
static double tolerance_for(double worst) {
  if (worst == 0 || !isfinite(worst)) return worst;
  double power = pow(10, floor(log10(2 * worst)));
  return ceil(2 * worst / power) * power;
}

// Only what was exceeded gets another tolerance, and never a smaller one.
static void widen_case(const Arguments* arguments, const TriboCase* c, const TriboVerdict* verdict,
                       json_t* entry) {
  char text[512] = "";
  for (int i = 0; i < TRIBO_QUANTITY_COUNT; ++i) {
    const TriboDifference* d = &verdict->comparison->quantity[i];
    TriboTolerance tolerance = c->options.tolerance[i];
    if (d->exceeded) tolerance.absolute = fmax(tolerance.absolute, tolerance_for(d->worst));
    if (tolerance.absolute == 0 && tolerance.relative == 0) continue;
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%s=%g", used > 0 ? "," : "",
             tribo_quantity_name((TriboQuantity)i), tolerance.absolute);
    used = strlen(text);
    if (tolerance.relative > 0)
      snprintf(text + used, sizeof text - used, ":%g", tolerance.relative);
  }
  json_object_set_new(entry, "tolerances", json_string(text));
  json_object_set_new(entry, "reason", json_string(arguments->reason));
  if (!arguments->json) printf("  tolerances are now %s\n", text);
}

static bool replace_file(const char* from, const char* to) {
  if (rename(from, to) == 0) return true;
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  char buffer[1 << 16];
  size_t count;
  bool fine = in != NULL && out != NULL;
  while (fine && (count = fread(buffer, 1, sizeof buffer, in)) > 0)
    fine = fwrite(buffer, 1, count, out) == count;
  if (in != NULL) fclose(in);
  if (out != NULL) fine = fclose(out) == 0 && fine;
  return fine;
}

// Shows a difference, and where told to accepts it.
static void settle(const Arguments* arguments, const TriboCase* c, const char* now,
                   const TriboVerdict* verdict, json_t* entry, Tally* tally) {
  if (!arguments->json)
    tribo_comparison_print(verdict->golden, verdict->now, &c->options, verdict->comparison);
  TriboMessage message;
  if (arguments->report != NULL &&
      tribo_report_write_comparison(verdict->golden, c->golden, verdict->now, "now", &c->options,
                                    verdict->comparison, arguments->report, &message) != TRIBO_OK)
    tribo_complain(arguments->command, "%s", message.text);
  if (arguments->widen && entry != NULL) widen_case(arguments, c, verdict, entry);
  bool accepted = arguments->widen && entry != NULL;
  if (arguments->update && !arguments->widen) {
    accepted = replace_file(now, c->golden);
    if (!arguments->json)
      printf("  %s %s\n", accepted ? "accepted as the new" : "could not write", c->golden);
  }
  ++*(accepted ? &tally->passed : &tally->failed);
  write_xml_case(tally->xml, c->name, accepted ? NULL : verdict->comparison->reason);
}

static void verify_case(const Arguments* arguments, const TriboCase* c, const char* now,
                        json_t* entry, Tally* tally) {
  TriboMessage message = {0};
  TriboVerdict verdict;
  if (tribo_case_verify(c, now, &verdict, &message) != TRIBO_OK) {
    tribo_complain(arguments->command, "%s: %s", c->name, message.text);
    write_xml_case(tally->xml, c->name, "it could not be simulated or compared; see the log");
    ++tally->bad;
    return;
  }
  if (!arguments->json) printf("%s: %s\n", c->name, verdict.same ? "the same" : "different");
  json_t* result =
      tribo_comparison_json(verdict.golden, verdict.now, &c->options, verdict.comparison);
  json_object_set_new(result, "case", json_string(c->name));
  json_array_append_new(tally->results, result);
  if (verdict.same) {
    ++tally->passed;
    write_xml_case(tally->xml, c->name, NULL);
  } else {
    settle(arguments, c, now, &verdict, entry, tally);
  }
  tribo_verdict_destroy(&verdict);
}

// Records what has no golden file yet; the others are left to `verify --update`.
static void record_case(const TriboCase* c, const char* now, Tally* tally) {
  if (access(c->golden, F_OK) == 0) {
    printf("%s: is there; tribo verify --update accepts changes\n", c->name);
    ++tally->passed;
    return;
  }
  TriboRunSpec spec = c->spec;
  spec.out = now;
  TriboMessage message = {0};
  TriboRun run;
  TriboRunSummary summary = {0};
  TriboStatus status = tribo_run_create(&spec, &run, &message);
  if (status == TRIBO_OK) {
    status = tribo_run_simulate(&spec, &run, &summary, &message);
    tribo_run_destroy(&run);
  }
  if (status != TRIBO_OK || summary.status != TRIBO_OK || summary.interrupted ||
      !replace_file(now, c->golden)) {
    tribo_complain("record", "%s: %s", c->name,
                   message.text[0] != '\0' ? message.text : "not recorded");
    ++tally->bad;
    return;
  }
  printf("%s: recorded %ld steps, worst certificate %.3g\n", c->name, summary.steps,
         summary.worst_certificate);
  ++tally->passed;
}

static void handle_case(const Arguments* arguments, TriboCase* c, json_t* entry, Tally* tally) {
  char folder[4096], now[4200];
  if (!tribo_scratch_create(folder)) {
    tribo_complain(arguments->command, "no folder for passing files can be made in TMPDIR");
    ++tally->bad;
    return;
  }
  snprintf(now, sizeof now, "%s/now.npz", folder);
  if (strcmp(arguments->command, "record") == 0)
    record_case(c, now, tally);
  else
    verify_case(arguments, c, now, entry, tally);
  tribo_scratch_destroy(folder);
}

// All cases of FOLDER/cases.json.
static TriboStatus handle_folder(const Arguments* arguments, Tally* tally, TriboMessage* message) {
  char path[4096];
  snprintf(path, sizeof path, "%.4000s/cases.json", arguments->path);
  json_error_t error;
  json_t* manifest = json_load_file(path, 0, &error);
  json_t* cases = json_object_get(manifest, "cases");
  if (!json_is_array(cases)) {
    snprintf(message->text, sizeof message->text, "%.300s: %s", path,
             manifest == NULL ? error.text : "there is no list \"cases\"");
    json_decref(manifest);
    return TRIBO_ERROR_PARSE;
  }
  TriboStatus status = TRIBO_OK;
  size_t i;
  json_t* entry;
  json_array_foreach(cases, i, entry) {
    TriboCase c;
    status = tribo_case_read(entry, arguments->path, &c, message);
    if (status != TRIBO_OK) break;
    if (arguments->only != NULL && strcmp(arguments->only, c.name) != 0) continue;
    handle_case(arguments, &c, entry, tally);
  }
  if (status == TRIBO_OK && arguments->widen &&
      json_dump_file(manifest, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) != 0) {
    snprintf(message->text, sizeof message->text, "%.400s cannot be written", path);
    status = TRIBO_ERROR_FILE;
  }
  json_decref(manifest);
  return status;
}

// The tolerances that the manifest beside a golden file has for it, where there is one.
static TriboStatus read_own_tolerances(const char* path, TriboCase* c, TriboMessage* message) {
  char folder[4096], manifest_path[4200];
  snprintf(folder, sizeof folder, "%.4000s", path);
  char* slash = strrchr(folder, '/');
  if (slash != NULL)
    *slash = '\0';
  else
    strcpy(folder, ".");
  snprintf(manifest_path, sizeof manifest_path, "%s/cases.json", folder);
  json_t* manifest = json_load_file(manifest_path, 0, NULL);
  TriboStatus status = TRIBO_OK;
  size_t i;
  json_t* entry;
  json_array_foreach(json_object_get(manifest, "cases"), i, entry) {
    TriboCase other;
    status = tribo_case_read(entry, folder, &other, message);
    if (status != TRIBO_OK) break;
    size_t length = strlen(other.name);
    if (strncmp(c->name, other.name, length) == 0 && strcmp(c->name + length, ".npz") == 0)
      c->options = other.options;
  }
  json_decref(manifest);
  return status;
}

// One golden file, which says itself how it was made.
static TriboStatus handle_file(const Arguments* arguments, Tally* tally, TriboMessage* message) {
  TriboTrajectory* t;
  TriboStatus status = tribo_trajectory_open(arguments->path, &t, message);
  if (status != TRIBO_OK) return status;
  json_t* meta = json_loads(t->meta, 0, NULL);
  bool energy = t->energy != NULL;
  tribo_trajectory_close(t);
  TriboCase c;
  status = tribo_case_of_file(arguments->path, meta, &c, message);
  c.spec.energy = energy;
  const char* bad;
  if (status == TRIBO_OK) status = read_own_tolerances(arguments->path, &c, message);
  if (status == TRIBO_OK) {
    if (arguments->model != NULL) c.spec.model = arguments->model;
    if (arguments->controller != NULL) c.spec.controller = arguments->controller;
    if (arguments->tolerances != NULL)
      (void)tribo_tolerances_parse(arguments->tolerances, &c.options, &bad);
    handle_case(arguments, &c, NULL, tally);
  }
  json_decref(meta);
  return status;
}

static TriboExit finish(const Arguments* arguments, Tally* tally) {
  if (arguments->json) {
    json_t* object = tribo_json_begin(arguments->command);
    json_object_set(object, "cases", tally->results);
    (void)tribo_json_print(stdout, object);
  } else {
    printf("%d of %d cases are fine\n", tally->passed, tally->passed + tally->failed + tally->bad);
  }
  if (tally->bad + tally->passed + tally->failed == 0)
    tribo_complain(arguments->command, "there is no such case");
  if (tally->bad > 0 || tally->passed + tally->failed == 0) return TRIBO_EXIT_USAGE;
  return tally->failed > 0 ? TRIBO_EXIT_NO : TRIBO_EXIT_FINE;
}

static TriboExit handle(const Arguments* arguments) {
  Tally tally = {.results = json_array()};
  TriboMessage message = {0};
  if (arguments->xml != NULL) {
    tally.xml = fopen(arguments->xml, "w");
    // The form of GoogleTest's results, so that whoever counts those counts these.
    if (tally.xml != NULL)
      fputs(
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"AllTests\">\n"
          "  <testsuite name=\"Trajectory\">\n",
          tally.xml);
  }
  struct stat info;
  bool folder = stat(arguments->path, &info) == 0 && S_ISDIR(info.st_mode);
  TriboStatus status = folder ? handle_folder(arguments, &tally, &message)
                              : handle_file(arguments, &tally, &message);
  if (tally.xml != NULL) {
    if (status != TRIBO_OK) write_xml_case(tally.xml, "all", "bad input; see the log");
    fputs("  </testsuite>\n</testsuites>\n", tally.xml);
    fclose(tally.xml);
  }
  if (status != TRIBO_OK) tribo_complain_at(arguments->command, &message);
  TriboExit result = status != TRIBO_OK ? TRIBO_EXIT_USAGE : finish(arguments, &tally);
  json_decref(tally.results);
  return result;
}

enum { OPTION_CASE = 256, OPTION_MODEL, OPTION_WIDEN, OPTION_REASON, OPTION_XML };

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  TriboCompareOptions tolerances;
  const char* bad;
  switch (key) {
    case OPTION_CASE:
      arguments->only = text;
      return 0;
    case OPTION_MODEL:
      arguments->model = text;
      return 0;
    case 'c':
      arguments->controller = text;
      return 0;
    case 't':
      if (!tribo_tolerances_parse(text, &tolerances, &bad))
        argp_error(state, "--tol wants QUANTITY=ABSOLUTE[:RELATIVE],..., not '%s'", bad);
      arguments->tolerances = text;
      return 0;
    case 'u':
      arguments->update = true;
      return 0;
    case OPTION_WIDEN:
      arguments->widen = true;
      return 0;
    case OPTION_REASON:
      arguments->reason = text;
      return 0;
    case 'R':
      arguments->report = text;
      return 0;
    case OPTION_XML:
      arguments->xml = text;
      return 0;
    case 'j':
      arguments->json = true;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->path != NULL) argp_error(state, "one folder or file is enough");
      arguments->path = text;
      return 0;
    case ARGP_KEY_END:
      if (arguments->path == NULL) argp_error(state, "which folder or file?");
      if (arguments->widen && (!arguments->update || arguments->reason == NULL))
        argp_error(state, "--widen goes with --update and --reason TEXT: why may it differ?");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const char kManifest[] =
    "\v"
    "FOLDER/cases.json: {\"cases\": [{\"name\": .., \"model\": .., \"duration\": s, "
    "\"controller\": .., "
    "\"key\": .., \"load\": {\"root\": \"free\", \"search_paths\": [..]}, \"set\": [\"dt=0.01\", "
    "..], \"every\": n, \"energy\": true, \"tolerances\": "
    "\"q=1e-9,..\", \"by\": \"points\" or \"invariants\", \"reason\": ..}]}; the golden file of a "
    "case is "
    "FOLDER/NAME.npz.\n"
    "Exit code: 0 all fine, 1 a case differs, 2 bad input or usage.";

static TriboExit run_verify(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"case", OPTION_CASE, "NAME", 0, "This case only", 0},
      {"model", OPTION_MODEL, "MODEL", 0, "Of a single file: another model than it names", 0},
      {"controller", 'c', "NAME", 0, "Of a single file: another controller", 0},
      {"tol", 't', "LIST", 0,
       "Of a single file: tolerances, as for tribo compare, on top of those of the cases.json "
       "beside it",
       0},
      {"update", 'u', NULL, 0, "Accept what is different as the new golden file", 0},
      {"widen", OPTION_WIDEN, NULL, 0,
       "With --update: keep the file, and set tolerances of twice the measured difference", 0},
      {"reason", OPTION_REASON, "TEXT", 0, "With --widen: why, for the manifest", 0},
      {"report", 'R', "FILE.html", 0, "Write a report of a case that differs", 0},
      {"xml", OPTION_XML, "FILE", 0, "Write the results as GoogleTest does", 0},
      {"json", 'j', NULL, 0, "Print one JSON object instead of tables", 0},
      {0},
  };
  static char doc[2048];
  snprintf(doc, sizeof doc, "%s%s",
           "Simulates cases again and compares them with their golden trajectories: those of a "
           "folder, or a single file as its header says.",
           kManifest);
  const struct argp argp = {options, parse, "FOLDER|FILE.npz", doc, NULL, NULL, NULL};
  Arguments arguments = {.command = "verify"};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  return handle(&arguments);
}

static TriboExit run_record(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"case", OPTION_CASE, "NAME", 0, "This case only", 0},
      {0},
  };
  static char doc[2048];
  snprintf(doc, sizeof doc, "%s%s",
           "Records the golden trajectories of a folder of cases that have none yet.", kManifest);
  const struct argp argp = {options, parse, "FOLDER", doc, NULL, NULL, NULL};
  Arguments arguments = {.command = "record"};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  struct stat info;
  if (stat(arguments.path, &info) != 0 || !S_ISDIR(info.st_mode)) {
    tribo_complain("record", "%s is no folder", arguments.path);
    return TRIBO_EXIT_USAGE;
  }
  return handle(&arguments);
}

const TriboCommand tribo_command_verify = {
    .name = "verify",
    .summary = "simulate again and compare with golden trajectories",
    .run = run_verify,
};

const TriboCommand tribo_command_record = {
    .name = "record",
    .summary = "record the golden trajectories of a folder of cases",
    .run = run_record,
};
