// SPDX-License-Identifier: Apache-2.0
//
// A model as MJCF. Body frames are link frames; with P and C a joint's frame on the parent's and
// the child's side, the body stands at P C^-1 where q is 0, and the joint is at C in the body's
// frame. Numbers are written with 17 digits, so that reading them back gives the same bits.
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/message.h"
#include "engine/base/rotation.h"
#include "models/inertia.h"
#include "models/report.h"
#include "models/tribo_models.h"

typedef struct Writer {
  const TriboModel* model;
  const TriboScene* scene;  // may be NULL
  FILE* out;
  TriboReport* report;  // may be NULL
  int indent;
} Writer;

// ---------------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------------

static void lose(Writer* w, const char* element, const char* why) {
  if (w->report) tribo_report_add(w->report, TRIBO_REPORT_UNSUPPORTED, "", 0, element, "%s", why);
}

__attribute__((format(printf, 2, 3))) static void line(Writer* w, const char* format, ...) {
  fprintf(w->out, "%*s", 2 * w->indent, "");
  va_list arguments;
  va_start(arguments, format);
  vfprintf(w->out, format, arguments);
  va_end(arguments);
}

static void put_escaped(Writer* w, const char* text) {
  for (; *text; ++text) {
    switch (*text) {
      case '&':
        fputs("&amp;", w->out);
        break;
      case '<':
        fputs("&lt;", w->out);
        break;
      case '"':
        fputs("&quot;", w->out);
        break;
      default:
        fputc(*text, w->out);
    }
  }
}

// The name of an element, or one by its kind and number.
static void put_name(Writer* w, const char* attribute, TriboKind kind, int index) {
  static const char* const KINDS[] = {"link",     "joint", "shape", "material",
                                      "actuator", "loop",  "frame"};
  const char* name = tribo_model_name(w->model, kind, index);
  fprintf(w->out, " %s=\"", attribute);
  if (name[0]) {
    put_escaped(w, name);
  } else {
    fprintf(w->out, "%s_%d", KINDS[kind], index);
  }
  fputc('"', w->out);
}

static void put_numbers(Writer* w, const char* attribute, int count, const double* values) {
  fprintf(w->out, " %s=\"", attribute);
  for (int i = 0; i < count; ++i) fprintf(w->out, "%s%.17g", i ? " " : "", values[i]);
  fputc('"', w->out);
}

static void put_number(Writer* w, const char* attribute, double value, double otherwise) {
  if (value != otherwise) put_numbers(w, attribute, 1, &value);
}

static void put_vector(Writer* w, const char* attribute, TriboVec3 v) {
  const double x[3] = {v.x, v.y, v.z};
  put_numbers(w, attribute, 3, x);
}

static void put_pose(Writer* w, TriboPose pose) {
  const double q[4] = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
  if (tribo_vec3_norm(pose.p) > 0) put_vector(w, "pos", pose.p);
  if (q[0] != 1) put_numbers(w, "quat", 4, q);
}

static TriboPose inverse(TriboPose X) {
  TriboQuat q = tribo_quat_conjugate(X.q);
  return (TriboPose){tribo_vec3_neg(tribo_quat_rotate(q, X.p)), q};
}

// ---------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------

static void put_dynamics(Writer* w, const TriboJointDesc* d, bool first) {
  put_number(w, "damping", d->damping, 0);
  put_number(w, "frictionloss", d->friction, 0);
  put_number(w, "armature", d->armature, 0);
  put_number(w, "stiffness", d->stiffness, 0);
  put_number(w, "springref", d->rest, 0);
  bool one = d->type == TRIBO_JOINT_HINGE || d->type == TRIBO_JOINT_SLIDE;
  if (one) put_number(w, "ref", d->initial[0], 0);
  const double range[2] = {d->lower, d->upper};
  if (d->limited) put_numbers(w, "range", 2, range);
  const double effort[2] = {-d->effort_limit, d->effort_limit};
  if (isfinite(d->effort_limit) && first) put_numbers(w, "actuatorfrcrange", 2, effort);
  fputs("/>\n", w->out);
}

// One of the MJCF joints that make a joint, with the axis in the joint frame.
static void put_part(Writer* w, int joint, const TriboJointDesc* d, const char* type,
                     const char* suffix, TriboVec3 axis) {
  line(w, "<joint type=\"%s\"", type);
  if (suffix[0]) {
    const char* name = tribo_model_name(w->model, TRIBO_KIND_JOINT, joint);
    fputs(" name=\"", w->out);
    put_escaped(w, name[0] ? name : "joint");
    fprintf(w->out, "_%d%s\"", joint, suffix);
  } else {
    put_name(w, "name", TRIBO_KIND_JOINT, joint);
  }
  if (tribo_vec3_norm(d->pose_child.p) > 0) put_vector(w, "pos", d->pose_child.p);
  if (strcmp(type, "ball") != 0) put_vector(w, "axis", tribo_quat_rotate(d->pose_child.q, axis));
  put_dynamics(w, d, !suffix[0]);
}

static bool is_identity(TriboPose pose) {
  return tribo_vec3_norm(pose.p) == 0 && fabs(pose.q.w) == 1;
}

static void put_joint(Writer* w, int joint, const TriboJointDesc* d) {
  const TriboVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  TriboVec3 across[2];
  switch (d->type) {
    case TRIBO_JOINT_HINGE:
      put_part(w, joint, d, "hinge", "", d->axis);
      break;
    case TRIBO_JOINT_SLIDE:
      put_part(w, joint, d, "slide", "", d->axis);
      break;
    case TRIBO_JOINT_BALL:
      put_part(w, joint, d, "ball", "", z);
      break;
    case TRIBO_JOINT_PLANAR:
      tribo_vec3_tangents(d->axis, &across[0], &across[1]);
      put_part(w, joint, d, "slide", "_x", across[0]);
      put_part(w, joint, d, "slide", "_y", across[1]);
      put_part(w, joint, d, "hinge", "_turn", d->axis);
      break;
    case TRIBO_JOINT_FREE:
      if (d->parent == TRIBO_WORLD && is_identity(d->pose_parent) && is_identity(d->pose_child)) {
        line(w, "<joint type=\"free\"");
        put_name(w, "name", TRIBO_KIND_JOINT, joint);
        put_dynamics(w, d, false);
        break;
      }
      // Beneath another body, or with a frame of its own: the same coordinates one by one.
      put_part(w, joint, d, "slide", "_x", x);
      put_part(w, joint, d, "slide", "_y", y);
      put_part(w, joint, d, "slide", "_z", z);
      put_part(w, joint, d, "ball", "_turn", z);
      break;
    case TRIBO_JOINT_FIXED:
      break;
  }
  bool turned = fabs(d->pose_child.q.w) != 1;
  if (turned && (d->type == TRIBO_JOINT_BALL || d->type == TRIBO_JOINT_FREE)) {
    lose(w, tribo_model_name(w->model, TRIBO_KIND_JOINT, joint),
         "its frame is turned in the child: MJCF counts its rotation in the body's axes");
  }
}

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

static void put_surface(Writer* w, int material) {
  TriboMaterialDesc m = tribo_material_default();
  (void)tribo_model_material(w->model, material, &m);
  const double friction[3] = {m.friction, m.torsional * m.friction, m.rolling * m.friction};
  int condim = m.rolling > 0 ? 6 : m.torsional > 0 ? 4 : m.friction > 0 ? 3 : 1;
  put_numbers(w, "friction", 3, friction);
  if (condim != 3) fprintf(w->out, " condim=\"%d\"", condim);
}

// What shapes and visuals share; meshes are assets called `asset`_`number`.
static void put_geometry(Writer* w, const TriboShapeDesc* d, const char* asset, int number) {
  static const char* const TYPES[] = {"plane",     "sphere", "capsule", "box", "cylinder",
                                      "ellipsoid", "mesh",   "hfield",  "mesh"};
  static const int SIZES[] = {0, 1, 2, 3, 2, 3, 0, 0, 0};
  fprintf(w->out, " type=\"%s\"", TYPES[d->type]);
  TriboPose pose = d->pose;
  if (d->type == TRIBO_SHAPE_PLANE) fputs(" size=\"1 1 1\"", w->out);
  if (SIZES[d->type] > 0) put_numbers(w, "size", SIZES[d->type], d->size);
  if (d->type == TRIBO_SHAPE_HULL || d->type == TRIBO_SHAPE_MESH) {
    fprintf(w->out, " mesh=\"%s_%d\"", asset, number);
  }
  if (d->type == TRIBO_SHAPE_HEIGHT_FIELD) {
    double low = INFINITY;
    for (int i = 0; i < d->rows * d->columns; ++i) low = fmin(low, d->heights[i]);
    pose.p = tribo_vec3_add(pose.p, tribo_quat_rotate(pose.q, tribo_vec3(0, 0, low)));
    fprintf(w->out, " hfield=\"%s_%d\"", asset, number);
  }
  put_pose(w, pose);
}

static void put_shapes(Writer* w, int link) {
  TriboShapeDesc d;
  for (int i = 0; tribo_model_shape(w->model, i, &d); ++i) {
    if (d.link != link) continue;
    line(w, "<geom");
    if (d.name[0]) put_name(w, "name", TRIBO_KIND_SHAPE, i);
    put_geometry(w, &d, "shape", i);
    if (d.group != 1) fprintf(w->out, " contype=\"%d\"", (int)(int32_t)d.group);
    if (d.mask != 1) fprintf(w->out, " conaffinity=\"%d\"", (int)(int32_t)d.mask);
    put_surface(w, d.material);
    fputs("/>\n", w->out);
    if (d.type == TRIBO_SHAPE_MESH) {
      lose(w, "mesh", "a mesh of the world collides as its convex hull in MJCF");
    }
  }
  for (int i = 0; w->scene && i < tribo_scene_visual_count(w->scene); ++i) {
    const TriboVisual* visual = tribo_scene_visual(w->scene, i);
    if (visual->shape.link != link) continue;
    line(w, "<geom contype=\"0\" conaffinity=\"0\"");
    put_geometry(w, &visual->shape, "visual", i);
    put_numbers(w, "rgba", 4, visual->rgba);
    fputs("/>\n", w->out);
  }
}

static void put_asset(Writer* w, const TriboShapeDesc* d, const char* asset, int number) {
  if (d->type == TRIBO_SHAPE_HEIGHT_FIELD) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < d->rows * d->columns; ++i) {
      low = fmin(low, d->heights[i]), high = fmax(high, d->heights[i]);
    }
    const double size[4] = {d->size[0], d->size[1], high > low ? high - low : 1, 1};
    line(w, "<hfield name=\"%s_%d\" nrow=\"%d\" ncol=\"%d\"", asset, number, d->rows, d->columns);
    put_numbers(w, "size", 4, size);
    fputs(" elevation=\"", w->out);
    // Rows from the far side to the near one.
    for (int row = d->rows - 1; row >= 0; --row) {
      for (int column = 0; column < d->columns; ++column) {
        fprintf(w->out, "%.17g ", d->heights[(size_t)row * (size_t)d->columns + (size_t)column]);
      }
    }
    fputs("\"/>\n", w->out);
  } else if (d->type == TRIBO_SHAPE_HULL || d->type == TRIBO_SHAPE_MESH) {
    line(w, "<mesh name=\"%s_%d\"", asset, number);
    put_numbers(w, "vertex", 3 * d->vertex_count, d->vertices);
    if (d->triangle_count > 0) {
      fputs(" face=\"", w->out);
      for (int i = 0; i < 3 * d->triangle_count; ++i) fprintf(w->out, "%d ", d->triangles[i]);
      fputc('"', w->out);
    }
    fputs("/>\n", w->out);
  }
}

static void put_assets(Writer* w) {
  TriboShapeDesc d;
  line(w, "<asset>\n");
  ++w->indent;
  for (int i = 0; tribo_model_shape(w->model, i, &d); ++i) put_asset(w, &d, "shape", i);
  for (int i = 0; w->scene && i < tribo_scene_visual_count(w->scene); ++i) {
    put_asset(w, &tribo_scene_visual(w->scene, i)->shape, "visual", i);
  }
  --w->indent;
  line(w, "</asset>\n");
}

// ---------------------------------------------------------------------------------------------------
// The tree
// ---------------------------------------------------------------------------------------------------

static void put_frames(Writer* w, int link) {
  TriboFrameDesc frame;
  for (int i = 0; tribo_model_frame(w->model, i, &frame); ++i) {
    if (frame.link != link) continue;
    line(w, "<site");
    put_name(w, "name", TRIBO_KIND_FRAME, i);
    put_pose(w, frame.pose);
    fputs("/>\n", w->out);
  }
  // The two ends of loops.
  TriboLoopDesc loop;
  for (int i = 0; tribo_model_loop(w->model, i, &loop); ++i) {
    if (loop.type != TRIBO_LOOP_WELD && loop.type != TRIBO_LOOP_CONNECT) continue;
    for (int end = 0; end < 2; ++end) {
      if ((end == 0 ? loop.link0 : loop.link1) != link) continue;
      line(w, "<site name=\"loop_%d_%d\"", i, end);
      put_pose(w, end == 0 ? loop.pose0 : loop.pose1);
      fputs("/>\n", w->out);
    }
  }
}

static TriboPose initial_pose(const TriboJointDesc* d) {
  const double* q = d->initial;
  TriboQuat turn = tribo_quat_normalize(tribo_quat(q[3], q[4], q[5], q[6]));
  return (TriboPose){tribo_vec3(q[0], q[1], q[2]), turn};
}

// A hinge or slide joint moved to where it starts, which MJCF calls ref.
static TriboPose moved_to_start(const TriboJointDesc* d) {
  TriboPose moved = tribo_pose_identity();
  if (d->type == TRIBO_JOINT_HINGE) {
    moved.q = tribo_quat_from_axis_angle(d->axis, d->initial[0]);
  } else if (d->type == TRIBO_JOINT_SLIDE) {
    moved.p = tribo_vec3_scale(d->initial[0], d->axis);
  }
  return moved;
}

// The next joint after `after` whose parent is `link`, -1: none.
static int next_joint(const Writer* w, int link, int after, TriboJointDesc* d) {
  for (int j = after + 1; tribo_model_joint(w->model, j, d); ++j) {
    if (d->parent == link) return j;
  }
  return -1;
}

static bool has_things(const Writer* w, int link) {
  TriboShapeDesc shape;
  for (int i = 0; tribo_model_shape(w->model, i, &shape); ++i) {
    if (shape.link == link) return true;
  }
  for (int i = 0; w->scene && i < tribo_scene_visual_count(w->scene); ++i) {
    if (tribo_scene_visual(w->scene, i)->shape.link == link) return true;
  }
  TriboFrameDesc frame;
  for (int i = 0; tribo_model_frame(w->model, i, &frame); ++i) {
    if (frame.link == link) return true;
  }
  TriboLoopDesc loop;
  for (int i = 0; tribo_model_loop(w->model, i, &loop); ++i) {
    if (loop.type != TRIBO_LOOP_GEAR && (loop.link0 == link || loop.link1 == link)) return true;
  }
  return false;
}

// A link without mass that only joins two joints is no body of MJCF: the body below it has both.
static bool is_between(const Writer* w, int link) {
  TriboLinkDesc d;
  TriboJointDesc joint, below;
  if (!tribo_model_link(w->model, link, &d) || d.mass > 0) return false;
  (void)tribo_model_joint(w->model, tribo_model_link_joint(w->model, link), &joint);
  if (joint.type == TRIBO_JOINT_FIXED || joint.type == TRIBO_JOINT_FREE) return false;
  int first = next_joint(w, link, -1, &below);
  if (first < 0 || below.type == TRIBO_JOINT_FREE) return false;
  return next_joint(w, link, first, &below) < 0 && !has_things(w, link);
}

// The child's frame in the parent's, where the model starts.
static TriboPose start_pose(const TriboJointDesc* d) {
  return tribo_pose_mul(tribo_pose_mul(d->pose_parent, moved_to_start(d)), inverse(d->pose_child));
}

// Along principal axes: MuJoCo's own way to them stops at some 1e-8 of a moment.
static void put_inertial(Writer* w, const TriboLinkDesc* link) {
  if (!(link->mass > 0)) return;
  line(w, "<inertial");
  put_numbers(w, "mass", 1, &link->mass);
  put_vector(w, "pos", link->com);
  double moments[3];
  const TriboQuat turn = tribo_inertia_principal(link->inertia, moments);
  const double q[4] = {turn.w, turn.x, turn.y, turn.z};
  if (turn.w != 1) put_numbers(w, "quat", 4, q);
  put_numbers(w, "diaginertia", 3, moments);
  fputs("/>\n", w->out);
}

// The joints of a body whose own is `joint`, those of links between first. below: the body's frame
// in that of the joint's child, where the model starts.
static void put_chain(Writer* w, int joint, TriboPose below) {
  TriboJointDesc d;
  (void)tribo_model_joint(w->model, joint, &d);
  TriboPose X = tribo_pose_mul(start_pose(&d), below);
  if (is_between(w, d.parent)) put_chain(w, tribo_model_link_joint(w->model, d.parent), X);
  d.pose_child = tribo_pose_mul(inverse(below), d.pose_child);
  put_joint(w, joint, &d);
}

static void open_body(Writer* w, int joint, const TriboJointDesc* d) {
  TriboLinkDesc link;
  (void)tribo_model_link(w->model, d->child, &link);
  TriboPose X = start_pose(d);
  TriboJointDesc above = *d;
  while (is_between(w, above.parent)) {
    (void)tribo_model_joint(w->model, tribo_model_link_joint(w->model, above.parent), &above);
    X = tribo_pose_mul(start_pose(&above), X);
  }
  bool loose = d->type == TRIBO_JOINT_FREE && d->parent == TRIBO_WORLD &&
               is_identity(d->pose_parent) && is_identity(d->pose_child);
  line(w, "<body");
  put_name(w, "name", TRIBO_KIND_LINK, d->child);
  put_pose(w, loose ? initial_pose(d) : X);
  fputs(">\n", w->out);
  ++w->indent;
  put_chain(w, joint, tribo_pose_identity());
  put_inertial(w, &link);
  put_shapes(w, d->child);
  put_frames(w, d->child);
}

// Depth first without recursion; siblings by joint number, which is the order of coordinates.
static void put_tree(Writer* w) {
  TriboJointDesc d;
  line(w, "<worldbody>\n");
  ++w->indent;
  put_shapes(w, TRIBO_WORLD);
  put_frames(w, TRIBO_WORLD);
  int link = TRIBO_WORLD, joint = next_joint(w, TRIBO_WORLD, -1, &d);
  while (joint >= 0 || link != TRIBO_WORLD) {
    if (joint >= 0) {
      if (!is_between(w, d.child)) open_body(w, joint, &d);
      link = d.child;
      joint = next_joint(w, link, -1, &d);
      continue;
    }
    if (!is_between(w, link)) {
      --w->indent;
      line(w, "</body>\n");
    }
    int back = tribo_model_link_joint(w->model, link);
    (void)tribo_model_joint(w->model, back, &d);
    link = d.parent;
    joint = next_joint(w, link, back, &d);
  }
  --w->indent;
  line(w, "</worldbody>\n");
}

// ---------------------------------------------------------------------------------------------------
// The rest
// ---------------------------------------------------------------------------------------------------

static void put_loops(Writer* w) {
  TriboLoopDesc d;
  line(w, "<equality>\n");
  ++w->indent;
  for (int i = 0; tribo_model_loop(w->model, i, &d); ++i) {
    const double coefficients[5] = {d.offset, d.ratio, 0, 0, 0};
    if (d.compliance > 0) lose(w, "loop", "compliance is not written");
    switch (d.type) {
      case TRIBO_LOOP_WELD:
      case TRIBO_LOOP_CONNECT:
        line(w, "<%s", d.type == TRIBO_LOOP_WELD ? "weld" : "connect");
        if (d.name[0]) put_name(w, "name", TRIBO_KIND_LOOP, i);
        fprintf(w->out, " site1=\"loop_%d_0\" site2=\"loop_%d_1\"/>\n", i, i);
        break;
      case TRIBO_LOOP_GEAR:
        line(w, "<joint");
        if (d.name[0]) put_name(w, "name", TRIBO_KIND_LOOP, i);
        put_name(w, "joint1", TRIBO_KIND_JOINT, d.joint1);
        if (d.joint0 >= 0) put_name(w, "joint2", TRIBO_KIND_JOINT, d.joint0);
        put_numbers(w, "polycoef", d.joint0 >= 0 ? 5 : 1, coefficients);
        fputs("/>\n", w->out);
        break;
      case TRIBO_LOOP_HINGE:
        lose(w, "loop", "hinge loops are not written");
        break;
    }
  }
  --w->indent;
  line(w, "</equality>\n");
}

static void put_actuators(Writer* w) {
  TriboActuatorDesc d;
  line(w, "<actuator>\n");
  ++w->indent;
  for (int i = 0; tribo_model_actuator(w->model, i, &d); ++i) {
    bool effort = d.type == TRIBO_ACTUATOR_EFFORT;
    double k = effort ? 1 : d.gear * (d.type == TRIBO_ACTUATOR_POSITION ? d.kp : d.kd);
    double kp = d.type == TRIBO_ACTUATOR_POSITION ? d.gear * d.kp : 0;
    double kd = effort ? 0 : d.gear * d.kd;
    const double gain = k * d.scale, bias[3] = {k * d.offset, -kp, -kd};
    double gear[6] = {0};
    gear[d.axis] = effort ? d.gear : 1;
    line(w, "<general");
    put_name(w, "name", TRIBO_KIND_ACTUATOR, i);
    put_name(w, "joint", TRIBO_KIND_JOINT, d.joint);
    put_numbers(w, "gear", 6, gear);
    put_numbers(w, "gainprm", 1, &gain);
    fputs(" biastype=\"affine\"", w->out);
    put_numbers(w, "biasprm", 3, bias);
    const double control[2] = {d.control_lower, d.control_upper};
    if (isfinite(control[0]) && isfinite(control[1])) put_numbers(w, "ctrlrange", 2, control);
    double force = d.effort_limit / (effort ? fabs(d.gear) : 1);
    const double range[2] = {-force, force};
    if (isfinite(force)) put_numbers(w, "forcerange", 2, range);
    fputs("/>\n", w->out);
  }
  --w->indent;
  line(w, "</actuator>\n");
}

static void put_keyframes(Writer* w) {
  line(w, "<keyframe>\n");
  ++w->indent;
  for (int i = 0; i < tribo_scene_key_count(w->scene); ++i) {
    const TriboKeyframe* key = tribo_scene_key(w->scene, i);
    line(w, "<key name=\"");
    put_escaped(w, key->name);
    fputc('"', w->out);
    put_number(w, "time", key->time, 0);
    if (key->nq > 0) put_numbers(w, "qpos", key->nq, key->q);
    if (key->nv > 0) put_numbers(w, "qvel", key->nv, key->v);
    if (key->nu > 0) put_numbers(w, "ctrl", key->nu, key->control);
    fputs("/>\n", w->out);
  }
  --w->indent;
  line(w, "</keyframe>\n");
}

TriboStatus tribo_mjcf_write(const TriboModel* model, const TriboScene* scene, FILE* out,
                             TriboReport* report, TriboMessage* message) {
  tribo_message_clear(message);
  if (!model || !out) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "no model, or no file to write to");
  }
  Writer writer = {model, scene, out, report, 0};
  Writer* w = &writer;
  fputs("<mujoco model=\"", out);
  put_escaped(w, scene ? tribo_scene_name(scene) : "");
  fputs("\">\n", out);
  w->indent = 1;
  line(w, "<compiler angle=\"radian\" autolimits=\"true\" inertiafromgeom=\"false\"/>\n");
  line(w, "<option");
  put_vector(w, "gravity", tribo_model_gravity(model));
  if (scene && tribo_scene_timestep(scene) > 0) {
    put_number(w, "timestep", tribo_scene_timestep(scene), 0);
  }
  fputs("/>\n", out);
  put_assets(w);
  put_tree(w);
  put_loops(w);
  put_actuators(w);
  if (scene) put_keyframes(w);
  fputs("</mujoco>\n", out);
  if (tribo_model_count(model, TRIBO_KIND_MATERIAL) > 1) {
    lose(w, "materials", "pairs of materials combine by MJCF's rule, the larger friction");
  }
  if (ferror(out)) {
    return tribo_message_set(message, TRIBO_ERROR_FILE, "the file could not be written");
  }
  return TRIBO_OK;
}
