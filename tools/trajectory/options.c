// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { REAL, WHOLE, FLAG, CHOICE } Kind;

typedef struct Option {
  const char* name;
  Kind kind;
  size_t offset;
  const char* choices;  // in the order of the enum
} Option;

#define FIELD(name, kind, field, choices) \
  { name, kind, offsetof(TriboStepOptions, field), choices }

static const Option kOptions[] = {
    FIELD("dt", REAL, h, NULL),
    FIELD("model", CHOICE, model, "coulomb|noslip|viscous|frictionless"),
    FIELD("assembly", CHOICE, assembly, "stewart-trinkle|anitescu-potra"),
    FIELD("solver", CHOICE, solver, "auto|lemke|dantzig|energy|pgs|ppm|dual"),
    FIELD("cone", CHOICE, cone, "round|polygon"),
    FIELD("facets", WHOLE, facets, NULL),
    FIELD("restitution", CHOICE, restitution, "poisson|newton"),
    FIELD("integrator", CHOICE, integrator, "semi-implicit|rk4"),
    FIELD("impact_speed", REAL, impact_speed, NULL),
    FIELD("margin", REAL, margin, NULL),
    FIELD("touching", REAL, touching, NULL),
    FIELD("slop", REAL, slop, NULL),
    FIELD("repair_speed", REAL, repair_speed, NULL),
    FIELD("tolerance", REAL, tolerance, NULL),
    FIELD("budget", WHOLE, budget, NULL),
    FIELD("speed_limit", REAL, speed_limit, NULL),
    FIELD("cold", FLAG, cold, "no|yes"),
    FIELD("canonical", FLAG, canonical, "no|yes"),
    FIELD("threads", WHOLE, threads, NULL),
};

int tribo_option_count(void) { return (int)(sizeof kOptions / sizeof kOptions[0]); }
const char* tribo_option_name(int option) { return kOptions[option].name; }
const char* tribo_option_choices(int option) { return kOptions[option].choices; }

// The place of `word` among choices separated by |, or -1.
static int find_choice(const char* choices, const char* word) {
  size_t length = strlen(word);
  for (int i = 0; choices != NULL; ++i) {
    const char* bar = strchr(choices, '|');
    size_t size = bar != NULL ? (size_t)(bar - choices) : strlen(choices);
    if (size == length && length > 0 && strncmp(choices, word, length) == 0) return i;
    choices = bar != NULL ? bar + 1 : NULL;
  }
  return -1;
}

static void copy_choice(const char* choices, int index, char text[64]) {
  for (; index > 0 && choices != NULL; --index) {
    choices = strchr(choices, '|');
    if (choices != NULL) ++choices;
  }
  snprintf(text, 64, "%.*s", choices != NULL ? (int)strcspn(choices, "|") : 0,
           choices != NULL ? choices : "");
}

void tribo_option_show(int option, const TriboStepOptions* step, char text[64]) {
  const Option* o = &kOptions[option];
  const char* field = (const char*)step + o->offset;
  int whole = 0;
  double real = 0;
  bool flag = false;
  switch (o->kind) {
    case REAL:
      memcpy(&real, field, sizeof real);
      // The shortest text that is read back as the same number.
      for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, 64, "%.*g", digits, real);
        if (strtod(text, NULL) == real) break;
      }
      break;
    case WHOLE:
      memcpy(&whole, field, sizeof whole);
      snprintf(text, 64, "%d", whole);
      break;
    case FLAG:
      memcpy(&flag, field, sizeof flag);
      copy_choice(o->choices, flag, text);
      break;
    case CHOICE:  // every enum has the size of an int
      memcpy(&whole, field, sizeof whole);
      copy_choice(o->choices, whole, text);
      break;
  }
}

bool tribo_option_set(const char* name, const char* value, TriboStepOptions* step, int* option) {
  *option = -1;
  for (int i = 0; i < tribo_option_count(); ++i) {
    if (strcmp(kOptions[i].name, name) == 0) *option = i;
  }
  if (*option < 0) return false;
  const Option* o = &kOptions[*option];
  char* field = (char*)step + o->offset;
  char* end = NULL;
  if (o->kind == REAL) {
    double real = strtod(value, &end);
    if (*value == '\0' || *end != '\0' || !isfinite(real)) return false;
    memcpy(field, &real, sizeof real);
    return true;
  }
  if (o->kind == WHOLE) {
    errno = 0;
    long number = strtol(value, &end, 10);
    if (*value == '\0' || *end != '\0' || errno != 0 || number < 0 || number > 1000000000)
      return false;
    int whole = (int)number;
    memcpy(field, &whole, sizeof whole);
    return true;
  }
  int choice = find_choice(o->choices, value);
  if (choice < 0) return false;
  bool flag = choice == 1;
  if (o->kind == FLAG) memcpy(field, &flag, sizeof flag);
  if (o->kind == CHOICE) memcpy(field, &choice, sizeof choice);
  return true;
}
