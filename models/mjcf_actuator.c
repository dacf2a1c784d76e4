// SPDX-License-Identifier: Apache-2.0
//
// Actuators. MuJoCo's force is affine in control, length and velocity,
//
//   f = g u + b0 + b1 l + b2 l',   l = G q + l0,   effort at the joint = G f,
//
// and becomes an effort (b1 = b2 = 0), a position (b1 < 0) or a velocity (b1 = 0, b2 < 0) actuator
// of Tribo with a mapped control. A fixed tendon over joints that equality constraints couple to
// one joint is that joint, with l linear in its position: by virtual work the same, as the coupling
// is rigid.
#include <math.h>
#include <string.h>

#include "models/mjcf.h"

// l = G q + l0 of a joint's coordinate.
typedef struct Transmission {
  int joint, axis;
  double gear, offset;
} Transmission;

typedef struct Law {
  double gain, bias[3];
} Law;

// ---------------------------------------------------------------------------------------------------
// Tendons
// ---------------------------------------------------------------------------------------------------

// A tendon acts by itself where it is limited or has a spring, damper, friction or inertia.
static bool acts(TriboMjcf* r, TriboMjcfItem* item) {
  static const char* const NAMES[] = {"stiffness", "damping", "frictionloss", "armature", NULL};
  bool found = false;
  for (int i = 0; NAMES[i]; ++i) {
    double value[3] = {0, 0, 0};
    tribo_mjcf_numbers(r, item, NAMES[i], 1, 3, value);
    found = found || value[0] != 0;
  }
  double range[2] = {0, 0};
  return tribo_mjcf_limited(r, item, "limited", "range", range) || found;
}

void tribo_mjcf_read_tendons(TriboMjcf* r) {
  TriboXmlElement* section = tribo_xml_child(r->root, "tendon");
  for (; section && r->status == TRIBO_OK; section = tribo_xml_sibling(section, "tendon")) {
    for (TriboXmlElement* e = section->first_child; e && r->status == TRIBO_OK; e = e->next) {
      e->used = true;
      TriboMjcfTendon* tendon = tribo_mjcf_append(r, (void**)&r->tendons, &r->tendon_count,
                                                  &r->tendon_capacity, sizeof *tendon);
      if (!tendon) return;
      tendon->element = e;
      tendon->is_fixed = strcmp(e->name, "fixed") == 0;
      tribo_mjcf_name(r, e, &r->tendon_names, r->tendon_count - 1);
      TriboMjcfItem item = tribo_mjcf_item(r, e, "tendon", 0);
      if (acts(r, &item)) {
        tribo_mjcf_refuse(r, e,
                          "tendons with limits, stiffness, damping or friction are not supported");
      } else if (!tendon->is_fixed) {
        tribo_mjcf_skip(r, e, "a spatial tendon that does nothing by itself is left out");
        for (TriboXmlElement* c = e->first_child; c; c = c->next) {
          c->used = true;
          for (int i = 0; i < c->attribute_count; ++i) c->attributes[i].used = true;
        }
      }
    }
  }
}

// For every joint the first equality constraint that makes it follow another.
static void index_loops(TriboMjcf* r) {
  r->joint_loop = tribo_pool_take(r->pool, (size_t)r->joint_count + 1, sizeof *r->joint_loop);
  if (!r->joint_loop) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, r->root, "out of memory");
    return;
  }
  for (int i = 0; i < r->joint_count; ++i) r->joint_loop[i] = -1;
  for (int i = r->loop_count - 1; i >= 0; --i) {
    const TriboLoopDesc* loop = &r->loops[i];
    if (loop->type == TRIBO_LOOP_GEAR && loop->joint0 >= 0) r->joint_loop[loop->joint1] = i;
  }
}

// Follows equality constraints between joints: q = ratio q_leader + offset. Long chains and cycles
// end after some steps, with a joint that is as good as any.
static void find_leader(const TriboMjcf* r, int* joint, double* ratio, double* offset) {
  *ratio = 1, *offset = 0;
  for (int steps = 0; steps < 32 && r->joint_loop[*joint] >= 0; ++steps) {
    const TriboLoopDesc* loop = &r->loops[r->joint_loop[*joint]];
    *offset += *ratio * loop->offset;
    *ratio *= loop->ratio;
    *joint = loop->joint0;
  }
}

// A fixed tendon as one joint's coordinate; false, with a refusal, where it is not.
static bool reduce_tendon(TriboMjcf* r, TriboXmlElement* e, int tendon, Transmission* t) {
  t->joint = -1;
  t->axis = 0;
  t->gear = t->offset = 0;
  TriboXmlElement* c = tribo_xml_child(r->tendons[tendon].element, "joint");
  for (; c && r->status == TRIBO_OK; c = tribo_xml_sibling(c, "joint")) {
    TriboMjcfItem item = tribo_mjcf_plain_item(c);
    double coefficient = tribo_mjcf_number(r, &item, "coef", 0), ratio, offset;
    int joint = tribo_mjcf_find(r, c, "joint", &r->joint_names);
    if (r->status != TRIBO_OK) return false;
    find_leader(r, &joint, &ratio, &offset);
    if (t->joint >= 0 && joint != t->joint) {
      tribo_mjcf_refuse(r, e, "drives a tendon over joints that move independently; left out");
      return false;
    }
    t->joint = joint;
    t->gear += coefficient * ratio;
    t->offset += coefficient * offset;
  }
  bool fixed = r->tendons[tendon].is_fixed && t->joint >= 0 && t->gear != 0;
  if (!fixed) tribo_mjcf_refuse(r, e, "drives a tendon that is not supported; left out");
  return fixed;
}

// ---------------------------------------------------------------------------------------------------
// Transmission and law
// ---------------------------------------------------------------------------------------------------

static bool read_transmission(TriboMjcf* r, TriboMjcfItem* item, Transmission* t) {
  TriboXmlElement* e = item->element;
  double gear[6] = {1, 0, 0, 0, 0, 0};
  tribo_mjcf_numbers(r, item, "gear", 1, 6, gear);
  if (tribo_xml_attribute(e, "tendon")) {
    int tendon = tribo_mjcf_find(r, e, "tendon", &r->tendon_names);
    if (tendon < 0 || !reduce_tendon(r, e, tendon, t)) return false;
    t->gear *= gear[0];
    t->offset *= gear[0];
    return true;
  }
  bool in_parent = tribo_xml_attribute(e, "jointinparent") != NULL;
  if (!tribo_xml_attribute(e, "joint") && !in_parent) {
    tribo_mjcf_refuse(r, e, "drives neither a joint nor a fixed tendon; left out");
    return false;
  }
  t->joint = tribo_mjcf_find(r, e, in_parent ? "jointinparent" : "joint", &r->joint_names);
  if (t->joint < 0) return false;
  TriboJointType type = r->joints[t->joint].desc.type;
  int axes = type == TRIBO_JOINT_FREE ? 6 : type == TRIBO_JOINT_BALL ? 3 : 1;
  t->axis = 0;
  t->offset = 0;
  int driven = 0;
  for (int i = 0; i < axes; ++i) {
    if (gear[i] == 0) continue;
    t->axis = i;
    ++driven;
  }
  t->gear = gear[t->axis];
  if (driven != 1 || (in_parent && axes > 1)) {
    tribo_mjcf_refuse(r, e, "drives several directions of a joint, or none; left out");
    return false;
  }
  return true;
}

static bool is_default(const char* text, const char* word) {
  return !text || strcmp(text, word) == 0;
}

static bool read_law(TriboMjcf* r, TriboMjcfItem* item, Law* law) {
  TriboXmlElement* e = item->element;
  *law = (Law){1, {0, 0, 0}};
  if (strcmp(e->name, "motor") == 0) return true;
  if (strcmp(e->name, "position") == 0) {
    law->gain = tribo_mjcf_number(r, item, "kp", 1);
    law->bias[1] = -law->gain;
    law->bias[2] = -tribo_mjcf_number(r, item, "kv", 0);
    if (tribo_mjcf_number(r, item, "timeconst", 0) != 0 ||
        tribo_mjcf_number(r, item, "dampratio", 0) != 0) {
      tribo_mjcf_refuse(r, e, "timeconst and dampratio are not supported");
    }
    return true;
  }
  if (strcmp(e->name, "velocity") == 0) {
    law->gain = tribo_mjcf_number(r, item, "kv", 1);
    law->bias[2] = -law->gain;
    return true;
  }
  const char* dynamics = tribo_mjcf_text(item, "dyntype");
  const char* gain = tribo_mjcf_text(item, "gaintype");
  const char* bias = tribo_mjcf_text(item, "biastype");
  double gains[3] = {1, 0, 0}, biases[3] = {0, 0, 0};
  tribo_mjcf_numbers(r, item, "gainprm", 1, 10, (double[10]){0});
  double all[10] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  tribo_mjcf_numbers(r, item, "gainprm", 1, 10, all);
  memcpy(gains, all, sizeof gains);
  memset(all, 0, sizeof all);
  tribo_mjcf_numbers(r, item, "biasprm", 1, 10, all);
  memcpy(biases, all, sizeof biases);
  tribo_mjcf_text(item, "dynprm");
  bool affine_gain = gain && strcmp(gain, "affine") == 0 && gains[1] == 0 && gains[2] == 0;
  bool affine_bias = bias && strcmp(bias, "affine") == 0;
  if (strcmp(e->name, "general") != 0 || !is_default(dynamics, "none") ||
      (!is_default(gain, "fixed") && !affine_gain) || (!is_default(bias, "none") && !affine_bias)) {
    tribo_mjcf_refuse(r, e, "<%.40s> with dynamics or a law that is not affine is not supported",
                      e->name);
    return false;
  }
  law->gain = gains[0];
  if (affine_bias) memcpy(law->bias, biases, sizeof biases);
  return true;
}

// Into Tribo's three types.
static bool apply_law(TriboMjcf* r, TriboXmlElement* e, const Transmission* t, const Law* law,
                      TriboActuatorDesc* d) {
  double G = t->gear, b0 = law->bias[0] + law->bias[1] * t->offset;
  double b1 = law->bias[1], b2 = law->bias[2];
  const TriboMjcfJoint* joint = &r->joints[t->joint];
  bool one = joint->desc.type == TRIBO_JOINT_HINGE || joint->desc.type == TRIBO_JOINT_SLIDE;
  if (b1 > 0 || b2 > 0 || (b1 != 0 && !one)) {
    tribo_mjcf_refuse(r, e, "a law that pushes away from rest is not supported; left out");
    return false;
  }
  if (b1 == 0 && b2 == 0) {
    d->type = TRIBO_ACTUATOR_EFFORT;
    d->gear = G;
    d->scale = law->gain;
    d->offset = b0;
  } else {
    double k = b1 != 0 ? -b1 * G : -b2 * G;
    d->type = b1 != 0 ? TRIBO_ACTUATOR_POSITION : TRIBO_ACTUATOR_VELOCITY;
    d->gear = 1;
    d->kp = -b1 * G * G;
    d->kd = -b2 * G * G;
    d->scale = law->gain / k;
    d->offset = b0 / k;
  }
  return true;
}

static void read_actuator(TriboMjcf* r, TriboXmlElement* e) {
  int* number = tribo_mjcf_append(r, (void**)&r->actuator_number, &r->actuator_count,
                                  &r->actuator_capacity, sizeof *number);
  if (!number) return;
  *number = -1;
  TriboMjcfItem item = tribo_mjcf_item(r, e, NULL, 0);
  TriboActuatorDesc d = tribo_actuator_default();
  Transmission t;
  Law law;
  d.name = tribo_xml_attribute(e, "name");
  double control[2] = {0, 0}, force[2] = {0, 0};
  if (tribo_mjcf_limited(r, &item, "ctrllimited", "ctrlrange", control)) {
    d.control_lower = control[0], d.control_upper = control[1];
  }
  bool limited = tribo_mjcf_limited(r, &item, "forcelimited", "forcerange", force);
  double inherit = tribo_mjcf_number(r, &item, "inheritrange", 0);
  if (tribo_mjcf_text(&item, "actdim") || tribo_mjcf_text(&item, "plugin")) {
    tribo_mjcf_refuse(r, e, "activations and plugins are not supported; left out");
    return;
  }
  bool understood = read_law(r, &item, &law);
  if (!understood || !read_transmission(r, &item, &t) || r->status != TRIBO_OK ||
      !apply_law(r, e, &t, &law, &d)) {
    for (int i = 0; i < e->attribute_count; ++i) e->attributes[i].used = true;
    return;
  }
  d.joint = t.joint;
  d.axis = t.axis;
  // A share of the joint's own range, about its middle.
  const TriboJointDesc* joint = &r->joints[t.joint].desc;
  if (inherit > 0 && joint->limited && joint->type != TRIBO_JOINT_BALL &&
      !isfinite(d.control_upper)) {
    double middle = (joint->lower + joint->upper) / 2, half = (joint->upper - joint->lower) / 2;
    d.control_lower = middle - inherit * half;
    d.control_upper = middle + inherit * half;
  }
  if (limited) {
    d.effort_limit = fabs(t.gear) * fmax(fabs(force[0]), fabs(force[1]));
    if (force[0] != -force[1]) {
      tribo_mjcf_refuse(r, e, "forcerange is not symmetric; taken so, by its larger side");
    }
  }
  TriboStatus status = tribo_builder_add_actuator(r->scene->builder, &d, NULL);
  if (!tribo_mjcf_built(r, status, e)) return;
  *number = r->actuators_added++;
}

void tribo_mjcf_read_actuators(TriboMjcf* r) {
  index_loops(r);
  TriboXmlElement* section = tribo_xml_child(r->root, "actuator");
  for (; section && r->status == TRIBO_OK; section = tribo_xml_sibling(section, "actuator")) {
    for (TriboXmlElement* e = section->first_child; e && r->status == TRIBO_OK; e = e->next) {
      e->used = true;
      read_actuator(r, e);
    }
  }
}
