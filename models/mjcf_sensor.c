// SPDX-License-Identifier: Apache-2.0
//
// Sensors that Tribo has, and keyframes.
#include <string.h>

#include "engine/base/rotation.h"
#include "models/mjcf.h"

typedef struct Known {
  const char* name;
  TriboSensorType type;
  const char* attribute;  // what it is on
} Known;

static const Known KNOWN[] = {
    {"jointpos", TRIBO_SENSOR_JOINT_POSITION, "joint"},
    {"jointvel", TRIBO_SENSOR_JOINT_VELOCITY, "joint"},
    {"ballquat", TRIBO_SENSOR_BALL_ROTATION, "joint"},
    {"ballangvel", TRIBO_SENSOR_BALL_VELOCITY, "joint"},
    {"accelerometer", TRIBO_SENSOR_ACCELEROMETER, "site"},
    {"gyro", TRIBO_SENSOR_GYRO, "site"},
    {"velocimeter", TRIBO_SENSOR_VELOCIMETER, "site"},
    {"framepos", TRIBO_SENSOR_POSITION, "objname"},
    {"framequat", TRIBO_SENSOR_ROTATION, "objname"},
    {"framelinvel", TRIBO_SENSOR_LINEAR_VELOCITY, "objname"},
    {"frameangvel", TRIBO_SENSOR_ANGULAR_VELOCITY, "objname"},
};

static void skip(TriboMjcf* r, TriboXmlElement* e, const char* why) {
  tribo_mjcf_skip(r, e, "%s", why);
  for (int i = 0; i < e->attribute_count; ++i) e->attributes[i].used = true;
}

// A frame for a body, geom or site; -1 where there is none of that kind.
static int find_frame(TriboMjcf* r, TriboXmlElement* e) {
  const char* kind = tribo_xml_attribute(e, "objtype");
  if (kind && strcmp(kind, "site") == 0) return tribo_mjcf_find(r, e, "objname", &r->site_names);
  TriboFrameDesc d = tribo_frame_default();
  if (kind && (strcmp(kind, "xbody") == 0 || strcmp(kind, "body") == 0)) {
    int body = tribo_mjcf_find(r, e, "objname", &r->body_names);
    if (body < 0) return -1;
    d.link = r->bodies[body].link;
    // "body" is the frame of the inertia: its place is known, its axes are MuJoCo's affair.
    if (kind[0] == 'b' && d.link >= 0) d.pose.p = r->links[d.link].com;
  } else if (kind && strcmp(kind, "geom") == 0) {
    int geom = tribo_mjcf_find(r, e, "objname", &r->geom_names);
    if (geom < 0) return -1;
    d.link = r->geoms[geom].desc.link;
    d.pose = r->geoms[geom].desc.pose;
  } else {
    return -1;
  }
  TriboFrameDesc* frame =
      tribo_mjcf_append(r, (void**)&r->frames, &r->frame_count, &r->frame_capacity, sizeof *frame);
  if (!frame) return -1;
  *frame = d;
  return r->frame_count - 1;
}

static void read_sensor(TriboMjcf* r, TriboXmlElement* e, const Known* known) {
  TriboSensor sensor = {tribo_xml_attribute(e, "name"), known->type, -1, -1};
  if (tribo_xml_attribute(e, "reftype")) {
    skip(r, e, "relative to another frame; left out");
    return;
  }
  const char* kind = tribo_xml_attribute(e, "objtype");
  if (strcmp(known->attribute, "joint") == 0) {
    sensor.joint = tribo_mjcf_find(r, e, "joint", &r->joint_names);
    if (sensor.joint < 0) return;
    TriboJointType type = r->joints[sensor.joint].desc.type;
    bool ball =
        known->type == TRIBO_SENSOR_BALL_ROTATION || known->type == TRIBO_SENSOR_BALL_VELOCITY;
    bool fits =
        ball ? type == TRIBO_JOINT_BALL : type == TRIBO_JOINT_HINGE || type == TRIBO_JOINT_SLIDE;
    if (!fits) tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "is on a joint of another type");
  } else if (strcmp(known->attribute, "site") == 0) {
    sensor.frame = tribo_mjcf_find(r, e, "site", &r->site_names);
  } else if (known->type == TRIBO_SENSOR_ROTATION && kind && strcmp(kind, "body") == 0) {
    skip(r, e, "the axes of inertia as a frame; left out (objtype xbody is the body's frame)");
    return;
  } else {
    sensor.frame = find_frame(r, e);
    if (sensor.frame < 0 && r->status == TRIBO_OK) {
      skip(r, e, "on an object that is no body, geom or site; left out");
      return;
    }
  }
  if (r->status != TRIBO_OK) return;
  if (tribo_scene_add_sensor(r->scene, &sensor) != TRIBO_OK) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
  }
}

void tribo_mjcf_read_sensors(TriboMjcf* r) {
  TriboXmlElement* section = tribo_xml_child(r->root, "sensor");
  for (; section && r->status == TRIBO_OK; section = tribo_xml_sibling(section, "sensor")) {
    for (TriboXmlElement* e = section->first_child; e && r->status == TRIBO_OK; e = e->next) {
      e->used = true;
      const Known* known = NULL;
      for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; ++i) {
        if (strcmp(e->name, KNOWN[i].name) == 0) known = &KNOWN[i];
      }
      if (known) {
        read_sensor(r, e, known);
      } else {
        skip(r, e, "a sensor that Tribo does not have; left out");
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------
// Keyframes
// ---------------------------------------------------------------------------------------------------

// A list of exactly `count` numbers, or NULL where the attribute is not there.
static const double* read_list(TriboMjcf* r, TriboXmlElement* e, const char* name, int count) {
  int given;
  const double* values = tribo_mjcf_number_list(r, e, name, &given);
  if (values && given != count) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "%s has %d numbers, the model needs %d", name, given,
                    count);
  }
  return values;
}

static void read_key(TriboMjcf* r, TriboXmlElement* e) {
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  TriboKeyframe key = {tribo_xml_attribute(e, "name"),
                       tribo_mjcf_number(r, &item, "time", 0),
                       r->nq,
                       r->nv,
                       r->actuators_added,
                       NULL,
                       NULL,
                       NULL};
  int freed = 0;
  for (int i = 0; i < r->joint_count; ++i) freed += r->joints[i].freed;
  const double* qpos = read_list(r, e, "qpos", r->nq - 7 * freed);
  const double* qvel = read_list(r, e, "qvel", r->nv - 6 * freed);
  const double* ctrl = read_list(r, e, "ctrl", r->actuator_count);
  double* q = tribo_pool_take(r->pool, (size_t)r->nq + 1, sizeof *q);
  double* v = tribo_pool_take(r->pool, (size_t)r->nv + 1, sizeof *v);
  double* u = tribo_pool_take(r->pool, (size_t)r->actuators_added + 1, sizeof *u);
  if (!q || !v || !u) tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
  if (r->status != TRIBO_OK) return;

  // What is not given is as the file places it, at rest, without control.
  static const int NQ[] = {7, 4, 1, 1, 3, 0}, NV[] = {6, 3, 1, 1, 3, 0};
  for (int i = 0; i < r->joint_count; ++i) {
    const TriboMjcfJoint* joint = &r->joints[i];
    const int nq = NQ[joint->desc.type], nv = NV[joint->desc.type];
    const bool given = !joint->freed;
    memcpy(q + joint->q, qpos && given ? qpos : joint->desc.initial, (size_t)nq * sizeof *q);
    if (qvel && given) memcpy(v + joint->v, qvel, (size_t)nv * sizeof *v);
    if (qpos && given) qpos += nq;
    if (qvel && given) qvel += nv;
  }
  for (int i = 0; i < r->actuator_count; ++i) {
    if (ctrl && r->actuator_number[i] >= 0) u[r->actuator_number[i]] = ctrl[i];
  }
  key.q = q, key.v = v, key.control = u;
  if (tribo_scene_add_key(r->scene, &key) != TRIBO_OK) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
  }
}

void tribo_mjcf_read_keyframes(TriboMjcf* r) {
  TriboXmlElement* section = tribo_xml_child(r->root, "keyframe");
  for (; section && r->status == TRIBO_OK; section = tribo_xml_sibling(section, "keyframe")) {
    TriboXmlElement* e = tribo_xml_child(section, "key");
    for (; e && r->status == TRIBO_OK; e = tribo_xml_sibling(e, "key")) read_key(r, e);
  }
}
