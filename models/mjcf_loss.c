// SPDX-License-Identifier: Apache-2.0
//
// Why something that stands in a file is not used.
#include <string.h>

#include "models/mjcf.h"

static bool is_in(const char* name, const char* const* list) {
  for (int i = 0; list[i]; ++i) {
    if (strcmp(name, list[i]) == 0) return true;
  }
  return false;
}

// What the reader asks of elements that default classes may hold.
static const char* const GEOM[] = {
    "type",    "size",        "pos",    "quat", "axisangle",    "euler",    "xyaxes", "zaxis",
    "fromto",  "mesh",        "hfield", "mass", "density",      "friction", "condim", "priority",
    "contype", "conaffinity", "group",  "rgba", "shellinertia", NULL};
static const char* const JOINT[] = {"type",
                                    "pos",
                                    "axis",
                                    "range",
                                    "limited",
                                    "damping",
                                    "armature",
                                    "frictionloss",
                                    "stiffness",
                                    "springref",
                                    "ref",
                                    "springdamper",
                                    "actuatorfrcrange",
                                    "actuatorfrclimited",
                                    NULL};
static const char* const SITE[] = {"pos",    "quat",  "axisangle", "euler",
                                   "xyaxes", "zaxis", "fromto",    NULL};
static const char* const MESH[] = {"scale", "refpos", "refquat", "inertia", NULL};
static const char* const PAIR[] = {"condim", "friction", NULL};
static const char* const EQUALITY[] = {"active", NULL};
static const char* const TENDON[] = {"limited",      "range",    "stiffness", "damping",
                                     "frictionloss", "armature", NULL};
static const char* const ACTUATOR[] = {
    "ctrllimited", "ctrlrange", "forcelimited", "forcerange",   "gear",     "kp",
    "kv",          "timeconst", "dampratio",    "dyntype",      "gaintype", "biastype",
    "gainprm",     "biasprm",   "dynprm",       "inheritrange", "actdim",   NULL};

static const struct {
  const char* kind;
  const char* const* attributes;
} KINDS[] = {{"geom", GEOM},         {"joint", JOINT},      {"site", SITE},
             {"mesh", MESH},         {"pair", PAIR},        {"equality", EQUALITY},
             {"tendon", TENDON},     {"general", ACTUATOR}, {"motor", ACTUATOR},
             {"position", ACTUATOR}, {"velocity", ACTUATOR}};

// A class that nothing uses loses nothing.
static void mark_defaults(TriboXmlElement* e) {
  for (TriboXmlElement* c = e->first_child; c; c = c->next) {
    if (strcmp(c->name, "default") == 0) mark_defaults(c);
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; ++k) {
      if (strcmp(c->name, KINDS[k].kind) != 0) continue;
      c->used = true;
      for (int i = 0; i < c->attribute_count; ++i) {
        if (is_in(c->attributes[i].name, KINDS[k].attributes)) c->attributes[i].used = true;
      }
    }
  }
}

static const char* explain_attribute(const TriboXmlElement* e, const char* name) {
  static const char* const SOFT[] = {"solref",         "solimp",      "solmix",   "solreflimit",
                                     "solimplimit",    "margin",      "gap",      "solreffriction",
                                     "solimpfriction", "torquescale", "adhereto", NULL};
  static const char* const SEEN[] = {"rgba", "material",     "group",       "texture",  "size",
                                     "type", "smoothnormal", "maxhullvert", "texcoord", "normal",
                                     NULL};
  static const char* const SENSOR[] = {"cutoff", "noise", NULL};
  if (is_in(name, SOFT)) {
    return "softness of MuJoCo's constraints; Tribo's are rigid, and contacts start at the surface";
  }
  if (strcmp(name, "user") == 0) return "data of the user";
  if (strcmp(name, "fluidshape") == 0 || strcmp(name, "fluidcoef") == 0) {
    return "for a medium, which there is not";
  }
  if (is_in(name, SENSOR)) return "sensors are exact";
  if (strcmp(e->name, "option") == 0 || strcmp(e->name, "flag") == 0) {
    return "a setting of MuJoCo's solver; Tribo's are in TriboStepOptions";
  }
  if (strcmp(e->name, "compiler") == 0) return "without effect here";
  if (is_in(name, SEEN)) return "for viewing only";
  if (strcmp(e->name, "key") == 0) return "a state that Tribo does not have";
  if (strcmp(name, "nohull") == 0 || strcmp(name, "lengthrange") == 0) return "without effect here";
  return "not an attribute that the reader knows here";
}

static const char* explain(const TriboXmlElement* e, const char* attribute, TriboReportKind* kind) {
  (void)kind;
  static const char* const SEEN[] = {"visual",   "statistic", "light", "camera", "texture",
                                     "material", "skin",      "rgba",  "map",    "quality",
                                     "global",   "headlight", "scale", NULL};
  if (attribute) return explain_attribute(e, attribute);
  if (is_in(e->name, SEEN)) return "for viewing only";
  if (strcmp(e->name, "size") == 0) return "sizes of MuJoCo's buffers";
  if (strcmp(e->name, "custom") == 0 || (e->parent && strcmp(e->parent->name, "custom") == 0)) {
    return "data of the user";
  }
  if (strcmp(e->name, "lengthrange") == 0) return "for muscles, which are not supported";
  if (e->parent && strcmp(e->parent->name, "default") == 0) {
    return "defaults of elements that are not read";
  }
  return "not an element that the reader knows here";
}

void tribo_mjcf_report_losses(TriboMjcf* r) {
  for (TriboXmlElement* e = r->root->first_child; e; e = e->next) {
    if (strcmp(e->name, "default") == 0) mark_defaults(e);
  }
  tribo_report_add_unused(r->scene->report, r->xml, explain);
}
