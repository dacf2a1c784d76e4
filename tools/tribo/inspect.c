// SPDX-License-Identifier: Apache-2.0
#include "tools/tribo/inspect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Names, or the number where there is none.
typedef struct Label {
  char text[96];
} Label;

static Label label(const TriboModel* model, TriboKind kind, int index) {
  Label l;
  const char* name = tribo_model_name(model, kind, index);
  if (kind == TRIBO_KIND_LINK && index == TRIBO_WORLD) name = "world";
  if (name[0]) {
    snprintf(l.text, sizeof l.text, "%s", name);
  } else {
    snprintf(l.text, sizeof l.text, "#%d", index);
  }
  return l;
}

// Infinity is no JSON: null.
static json_t* number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t* tribo_inspect_summary(const TriboScene* scene, const TriboModel* model) {
  const char* format = tribo_scene_format(scene) == TRIBO_FORMAT_URDF ? "URDF" : "MJCF";
  return json_pack(
      "{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f}", "model",
      tribo_scene_name(scene), "format", format, "links", tribo_model_count(model, TRIBO_KIND_LINK),
      "joints", tribo_model_count(model, TRIBO_KIND_JOINT), "nq", tribo_model_nq(model), "dofs",
      tribo_model_nv(model), "shapes", tribo_model_count(model, TRIBO_KIND_SHAPE), "actuators",
      tribo_model_nu(model), "loops", tribo_model_count(model, TRIBO_KIND_LOOP), "sensors",
      tribo_scene_sensor_count(scene), "keyframes", tribo_scene_key_count(scene), "total_mass",
      tribo_model_total_mass(model), "timestep", tribo_scene_timestep(scene));
}

json_t* tribo_inspect_links(const TriboModel* model) {
  json_t* rows = json_array();
  TriboLinkDesc d;
  for (int i = 0; tribo_model_link(model, i, &d); ++i) {
    char com[80], inertia[160];
    TriboJointDesc joint = tribo_joint_default();
    (void)tribo_model_joint(model, tribo_model_link_joint(model, i), &joint);
    snprintf(com, sizeof com, "%.4g %.4g %.4g", d.com.x, d.com.y, d.com.z);
    snprintf(inertia, sizeof inertia, "%.4g %.4g %.4g %.4g %.4g %.4g", d.inertia[0], d.inertia[1],
             d.inertia[2], d.inertia[3], d.inertia[4], d.inertia[5]);
    json_array_append_new(
        rows, json_pack("{s:s, s:s, s:f, s:s, s:s}", "link", label(model, TRIBO_KIND_LINK, i).text,
                        "on", label(model, TRIBO_KIND_LINK, joint.parent).text, "mass", d.mass,
                        "com", com, "inertia (xx yy zz xy xz yz)", inertia));
  }
  return rows;
}

json_t* tribo_inspect_joints(const TriboModel* model) {
  static const char* const TYPES[] = {"free", "ball", "hinge", "slide", "planar", "fixed"};
  json_t* rows = json_array();
  TriboJointDesc d;
  for (int i = 0; tribo_model_joint(model, i, &d); ++i) {
    json_t* row =
        json_pack("{s:s, s:s, s:s, s:s}", "joint", label(model, TRIBO_KIND_JOINT, i).text, "type",
                  TYPES[d.type], "from", label(model, TRIBO_KIND_LINK, d.parent).text, "to",
                  label(model, TRIBO_KIND_LINK, d.child).text);
    json_object_set_new(row, "lower", d.limited ? number(d.lower) : json_null());
    json_object_set_new(row, "upper", d.limited ? number(d.upper) : json_null());
    json_object_set_new(row, "effort", number(d.effort_limit));
    json_object_set_new(row, "damping", number(d.damping));
    json_object_set_new(row, "friction", number(d.friction));
    json_object_set_new(row, "armature", number(d.armature));
    json_array_append_new(rows, row);
  }
  return rows;
}

json_t* tribo_inspect_shapes(const TriboModel* model) {
  static const char* const TYPES[] = {"plane",     "sphere", "capsule",      "box", "cylinder",
                                      "ellipsoid", "hull",   "height field", "mesh"};
  static const int SIZES[] = {0, 1, 2, 3, 2, 3, 0, 2, 0};
  json_t* rows = json_array();
  TriboShapeDesc d;
  for (int i = 0; tribo_model_shape(model, i, &d); ++i) {
    char size[80] = "-";
    if (d.vertex_count > 0) snprintf(size, sizeof size, "%d points", d.vertex_count);
    if (SIZES[d.type] == 1) snprintf(size, sizeof size, "%.4g", d.size[0]);
    if (SIZES[d.type] == 2) snprintf(size, sizeof size, "%.4g %.4g", d.size[0], d.size[1]);
    if (SIZES[d.type] == 3) {
      snprintf(size, sizeof size, "%.4g %.4g %.4g", d.size[0], d.size[1], d.size[2]);
    }
    TriboMaterialDesc material = tribo_material_default();
    (void)tribo_model_material(model, d.material, &material);
    json_array_append_new(
        rows,
        json_pack("{s:s, s:s, s:s, s:s, s:f}", "shape", label(model, TRIBO_KIND_SHAPE, i).text,
                  "type", TYPES[d.type], "on", label(model, TRIBO_KIND_LINK, d.link).text, "size",
                  size, "friction", material.friction));
  }
  return rows;
}

json_t* tribo_inspect_actuators(const TriboModel* model) {
  static const char* const TYPES[] = {"effort", "position", "velocity"};
  json_t* rows = json_array();
  TriboActuatorDesc d;
  for (int i = 0; tribo_model_actuator(model, i, &d); ++i) {
    json_t* row = json_pack(
        "{s:s, s:s, s:s, s:f, s:f, s:f}", "actuator", label(model, TRIBO_KIND_ACTUATOR, i).text,
        "type", TYPES[d.type], "joint", label(model, TRIBO_KIND_JOINT, d.joint).text, "gear",
        d.gear * (d.type == TRIBO_ACTUATOR_EFFORT ? d.scale : 1), "kp", d.kp, "kd", d.kd);
    json_object_set_new(row, "lower", number(d.control_lower));
    json_object_set_new(row, "upper", number(d.control_upper));
    json_object_set_new(row, "limit", number(d.effort_limit));
    json_array_append_new(rows, row);
  }
  return rows;
}

// ---------------------------------------------------------------------------------------------------
// Suspicions
// ---------------------------------------------------------------------------------------------------

static void suspect(json_t* rows, const char* kind, const char* element, const char* what) {
  json_array_append_new(
      rows, json_pack("{s:s, s:s, s:s}", "element", element, "kind", kind, "what", what));
}

// Radius of the sphere about the shape's origin that holds it; 0 where it has none.
static double reach(const TriboShapeDesc* d) {
  double r2 = 0;
  switch (d->type) {
    case TRIBO_SHAPE_SPHERE:
      return d->size[0];
    case TRIBO_SHAPE_CAPSULE:
      return d->size[0] + d->size[1];
    case TRIBO_SHAPE_CYLINDER:
      return hypot(d->size[0], d->size[1]);
    case TRIBO_SHAPE_BOX:
    case TRIBO_SHAPE_ELLIPSOID:
      return sqrt(d->size[0] * d->size[0] + d->size[1] * d->size[1] + d->size[2] * d->size[2]);
    default:
      for (int i = 0; i < d->vertex_count; ++i) {
        const double* x = d->vertices + 3 * (size_t)i;
        r2 = fmax(r2, x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
      }
      return sqrt(r2);
  }
}

// The farthest that any shape of a link reaches from its centre of mass, 0: it has none.
static double reach_of_link(const TriboModel* model, int link, const TriboLinkDesc* d) {
  TriboShapeDesc shape;
  double far = 0;
  for (int i = 0; tribo_model_shape(model, i, &shape); ++i) {
    if (shape.link != link) continue;
    double x = shape.pose.p.x - d->com.x, y = shape.pose.p.y - d->com.y;
    double z = shape.pose.p.z - d->com.z;
    far = fmax(far, sqrt(x * x + y * y + z * z) + reach(&shape));
  }
  return far;
}

static void suspect_link(json_t* rows, const TriboModel* model, int i, const TriboLinkDesc* d) {
  char what[160];
  Label name = label(model, TRIBO_KIND_LINK, i);
  if (d->mass > 1000 || (d->mass > 0 && d->mass < 1e-4)) {
    snprintf(what, sizeof what, "a mass of %.3g kg: are the units right?", d->mass);
    suspect(rows, "mass", name.text, what);
  }
  if (!(d->mass > 0)) return;
  // The radius of gyration belongs to the size of what one sees.
  double gyration = sqrt((d->inertia[0] + d->inertia[1] + d->inertia[2]) / 2 / d->mass);
  double size = reach_of_link(model, i, d);
  if (size > 0 && gyration > 1.5 * size) {
    snprintf(what, sizeof what,
             "the inertia is that of a body of %.3g m, its shapes reach %.3g m from the centre of "
             "mass",
             gyration, size);
    suspect(rows, "large inertia", name.text, what);
  }
  if (size > 0 && gyration < 0.02 * size) {
    snprintf(what, sizeof what, "the inertia is tiny: that of a body of %.3g m, its shapes %.3g m",
             gyration, size);
    suspect(rows, "small inertia", name.text, what);
  }
}

// Where a hinge or slide joint starts: in the first keyframe, if there is one.
// What is limited: the position, or how far a ball is turned.
static double start_of(const TriboScene* scene, const TriboModel* model, int joint,
                       const TriboJointDesc* d) {
  const TriboKeyframe* key = tribo_scene_key(scene, 0);
  const double* q = key ? key->q + tribo_model_joint_q(model, joint) : d->initial;
  if (d->type != TRIBO_JOINT_BALL) return q[0];
  const double turned = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  return 2 * atan2(turned, fabs(q[0]));
}

static void suspect_joint(json_t* rows, const TriboScene* scene, const TriboModel* model, int i,
                          const TriboJointDesc* d) {
  char what[160];
  Label name = label(model, TRIBO_KIND_JOINT, i);
  TriboLinkDesc parent, child;
  if (d->limited && d->lower == d->upper)
    suspect(rows, "limits", name.text, "limits leave no room to move");
  const bool turns = d->type == TRIBO_JOINT_HINGE || d->type == TRIBO_JOINT_BALL;
  if (d->limited && turns && d->upper - d->lower > 100) {
    suspect(rows, "limits", name.text, "limits of more than 100 rad: degrees taken for radians?");
  }
  double start = d->limited ? start_of(scene, model, i, d) : 0;
  if (d->limited && (start < d->lower - 1e-9 || start > d->upper + 1e-9)) {
    suspect(rows, "start", name.text, "it starts outside of its limits");
  }
  if (tribo_model_link(model, d->parent, &parent) && tribo_model_link(model, d->child, &child) &&
      parent.mass > 0 && child.mass > 1e4 * parent.mass) {
    snprintf(what, sizeof what, "it carries %.3g times the mass of what it hangs on",
             child.mass / parent.mass);
    suspect(rows, "mass ratio", name.text, what);
  }
}

// Shapes that overlap by more than a millimetre where the model starts: at the first keyframe, if
// there is one.
static void suspect_overlaps(json_t* rows, const TriboScene* scene, const TriboModel* model) {
  TriboState* state = NULL;
  TriboWorkspace* workspace = NULL;
  TriboStepOptions options = tribo_step_options_default();
  options.h = 1e-9;
  options.model = TRIBO_MODEL_FRICTIONLESS;
  const TriboKeyframe* key = tribo_scene_key(scene, 0);
  TriboStatus status = tribo_state_create(model, NULL, &state);
  if (!status) status = tribo_workspace_create(model, NULL, NULL, &workspace);
  if (!status && key) status = tribo_state_set_q(model, state, key->q);
  if (!status) status = tribo_step(model, &options, NULL, state, workspace);
  TriboContactResult contact;
  int last[2] = {-1, -1};
  for (int i = 0; !status && tribo_contact_get(workspace, i, &contact); ++i) {
    if (contact.gap > -1e-3 || (contact.shape0 == last[0] && contact.shape1 == last[1])) continue;
    char element[200], what[160];
    snprintf(element, sizeof element, "%s, %s", label(model, TRIBO_KIND_LINK, contact.link0).text,
             label(model, TRIBO_KIND_LINK, contact.link1).text);
    snprintf(what, sizeof what, "shapes overlap by %.3g m %s", -contact.gap,
             key ? "in the first keyframe" : "where the model starts");
    suspect(rows, "overlap", element, what);
    last[0] = contact.shape0, last[1] = contact.shape1;
  }
  tribo_workspace_destroy(workspace);
  tribo_state_destroy(state);
}

json_t* tribo_inspect_suspicions(const TriboScene* scene, const TriboModel* model) {
  json_t* rows = json_array();
  TriboLinkDesc link;
  for (int i = 0; tribo_model_link(model, i, &link); ++i) suspect_link(rows, model, i, &link);
  TriboJointDesc joint;
  for (int i = 0; tribo_model_joint(model, i, &joint); ++i)
    suspect_joint(rows, scene, model, i, &joint);
  suspect_overlaps(rows, scene, model);
  return rows;
}
