// SPDX-License-Identifier: Apache-2.0
//
// URDF in three passes: read every element into descriptions, check the tree that the joints make,
// and only then add to the builder. The joint frame of URDF is the child link's frame, so
// pose_child is the identity.
#include <math.h>
#include <string.h>

#include "engine/base/message.h"
#include "engine/base/rotation.h"
#include "models/inertia.h"
#include "models/number.h"
#include "models/report.h"
#include "models/urdf.h"

// What a moving link without mass gets, and the radius of the sphere that stands for a missing
// inertia.
static const double MASSLESS_MASS = 1e-3, MASSLESS_INERTIA = 1e-6, POINT_RADIUS = 0.01;

// ---------------------------------------------------------------------------------------------------
// Attributes
// ---------------------------------------------------------------------------------------------------

TriboStatus tribo_urdf_fail(TriboUrdf* r, TriboStatus status, const TriboXmlElement* e,
                            const char* what, const char* name) {
  tribo_message_set(r->message, status, "<%s>: %s%s%s%s", e->name, what, name ? " '" : "",
                    name ? name : "", name ? "'" : "");
  tribo_message_set_place(r->message, e->file, e->line);
  return status;
}

void tribo_urdf_warn(TriboUrdf* r, const TriboXmlElement* e, const char* name, const char* text) {
  tribo_report_add(r->scene->report, TRIBO_REPORT_WARNING, e->file, e->line, name, "%s", text);
}

// Reads `count` numbers of an attribute; where it is missing the values stay as they are.
TriboStatus tribo_urdf_numbers(TriboUrdf* r, TriboXmlElement* e, const char* name, int count,
                               double* values) {
  const char* text = e ? tribo_xml_attribute(e, name) : NULL;
  if (!text) return TRIBO_OK;
  double parsed[4];
  if (tribo_numbers_parse(text, count, parsed) != count) {
    return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, e,
                           "wrong number, or wrong count of numbers, in attribute", name);
  }
  memcpy(values, parsed, (size_t)count * sizeof *values);
  return TRIBO_OK;
}

// The first failure of a list of reads is what the list returns.
static TriboStatus first(TriboStatus a, TriboStatus b) { return a != TRIBO_OK ? a : b; }

TriboStatus tribo_urdf_origin(TriboUrdf* r, TriboXmlElement* parent, TriboPose* pose) {
  *pose = tribo_pose_identity();
  TriboXmlElement* origin = tribo_xml_child(parent, "origin");
  double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
  TriboStatus status = first(tribo_urdf_numbers(r, origin, "xyz", 3, xyz),  //
                             tribo_urdf_numbers(r, origin, "rpy", 3, rpy));
  pose->p = tribo_vec3(xyz[0], xyz[1], xyz[2]);
  pose->q = tribo_quat_from_rpy(rpy[0], rpy[1], rpy[2]);
  return status;
}

static TriboStatus read_name(TriboUrdf* r, TriboXmlElement* e, const char** name) {
  *name = tribo_xml_attribute(e, "name");
  if (*name && **name) return TRIBO_OK;
  return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, e, "missing attribute", "name");
}

// ---------------------------------------------------------------------------------------------------
// Names
// ---------------------------------------------------------------------------------------------------

// Adds a name to a table; two of one kind may not have the same.
static TriboStatus add_name(TriboUrdf* r, TriboNames* names, TriboXmlElement* e, const char* name,
                            int number) {
  TriboNamesResult result = tribo_names_add(names, r->pool, name, number);
  if (result == TRIBO_NAMES_ADDED) return TRIBO_OK;
  if (result == TRIBO_NAMES_TWICE)
    return tribo_urdf_fail(r, TRIBO_ERROR_MODEL, e, "two elements of a kind have the name", name);
  return tribo_urdf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory", NULL);
}

// The link or joint that attribute `attribute` of `e` names.
static TriboStatus resolve(TriboUrdf* r, TriboXmlElement* e, const char* attribute,
                           const TriboNames* names, int* index) {
  const char* text = e ? tribo_xml_attribute(e, attribute) : NULL;
  if (!text)
    return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, e ? e : tribo_xml_root(r->xml), "missing",
                           attribute);
  *index = tribo_names_find(names, text);
  return *index >= 0 ? TRIBO_OK
                     : tribo_urdf_fail(r, TRIBO_ERROR_MODEL, e, "nothing has the name", text);
}

// ---------------------------------------------------------------------------------------------------
// Links
// ---------------------------------------------------------------------------------------------------

static TriboStatus read_inertial(TriboUrdf* r, TriboUrdfLink* link) {
  TriboLinkDesc* d = &link->desc;
  d->mass = 0;
  memset(d->inertia, 0, sizeof d->inertia);
  TriboXmlElement* inertial = tribo_xml_child(link->element, "inertial");
  if (!inertial) return TRIBO_OK;

  TriboPose pose;
  TriboXmlElement* mass = tribo_xml_child(inertial, "mass");
  TriboXmlElement* inertia = tribo_xml_child(inertial, "inertia");
  static const char* const NAMES[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  TriboStatus status = first(tribo_urdf_origin(r, inertial, &pose),  //
                             tribo_urdf_numbers(r, mass, "value", 1, &d->mass));
  for (int i = 0; i < 6; ++i) {
    status = first(status, tribo_urdf_numbers(r, inertia, NAMES[i], 1, &d->inertia[i]));
  }
  if (status != TRIBO_OK) return status;
  if (d->mass < 0)
    return tribo_urdf_fail(r, TRIBO_ERROR_MODEL, mass, "negative mass of link", d->name);
  d->com = pose.p;
  if (d->mass == 0) {
    memset(d->inertia, 0, sizeof d->inertia);
    return TRIBO_OK;
  }

  // What no body can have is mended; what is missing becomes a small sphere.
  tribo_inertia_rotate(pose.q, d->inertia);
  if (tribo_inertia_mend(d->inertia)) {
    tribo_urdf_warn(
        r, inertia ? inertia : inertial, d->name,
        "the inertia breaks the triangle inequality or is negative; negative second moments set "
        "to 0");
  }
  if (!(d->inertia[0] + d->inertia[1] + d->inertia[2] > 0)) {
    d->inertia[0] = d->inertia[1] = d->inertia[2] = 0.4 * d->mass * POINT_RADIUS * POINT_RADIUS;
    tribo_urdf_warn(r, inertial, d->name,
                    "mass without inertia; taken as a sphere of radius 0.01 m");
  }
  return TRIBO_OK;
}

// ---------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------

static TriboStatus read_joint_type(TriboUrdf* r, TriboXmlElement* e, TriboJointType* type,
                                   bool* limited) {
  // "spherical" is an extension that several simulators share.
  static const struct {
    const char* name;
    TriboJointType type;
    bool limited;
  } TYPES[] = {{"revolute", TRIBO_JOINT_HINGE, true},  {"continuous", TRIBO_JOINT_HINGE, false},
               {"prismatic", TRIBO_JOINT_SLIDE, true}, {"fixed", TRIBO_JOINT_FIXED, false},
               {"floating", TRIBO_JOINT_FREE, false},  {"planar", TRIBO_JOINT_PLANAR, false},
               {"spherical", TRIBO_JOINT_BALL, false}};
  const char* text = tribo_xml_attribute(e, "type");
  if (!text) return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, e, "missing attribute", "type");
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; ++i) {
    if (strcmp(text, TYPES[i].name) == 0) {
      *type = TYPES[i].type;
      *limited = TYPES[i].limited;
      return TRIBO_OK;
    }
  }
  return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, e, "there is no joint type", text);
}

static TriboStatus read_limits(TriboUrdf* r, TriboUrdfJoint* joint, bool limited) {
  TriboJointDesc* d = &joint->desc;
  TriboXmlElement* e = tribo_xml_child(joint->element, "limit");
  if (!e) {
    if (limited)
      tribo_urdf_warn(r, joint->element, d->name, "no limits are given; the joint is unlimited");
    return TRIBO_OK;
  }
  TriboStatus status = first(tribo_urdf_numbers(r, e, "lower", 1, &d->lower),  //
                             tribo_urdf_numbers(r, e, "upper", 1, &d->upper));
  status = first(status, tribo_urdf_numbers(r, e, "effort", 1, &d->effort_limit));
  status = first(status, tribo_urdf_numbers(r, e, "velocity", 1, &d->velocity_limit));
  if (status != TRIBO_OK) return status;
  bool given = tribo_xml_attribute(e, "lower") || tribo_xml_attribute(e, "upper");
  if (limited && !given) {
    tribo_urdf_warn(r, e, d->name, "neither lower nor upper is given; the joint is unlimited");
    limited = false;
  }
  d->limited = limited;
  if (limited && d->lower > d->upper) {
    return tribo_urdf_fail(r, TRIBO_ERROR_MODEL, e, "lower is above upper in joint", d->name);
  }
  if (!limited) d->lower = d->upper = 0;
  if (!(d->effort_limit > 0)) {
    d->effort_limit = INFINITY;
    tribo_urdf_warn(r, e, d->name, "an effort limit that is not positive is taken as none");
  }
  if (!(d->velocity_limit > 0)) {
    d->velocity_limit = INFINITY;
    tribo_urdf_warn(r, e, d->name, "a velocity limit that is not positive is taken as none");
  }
  return TRIBO_OK;
}

static TriboStatus read_axis(TriboUrdf* r, TriboUrdfJoint* joint) {
  double xyz[3] = {1, 0, 0};  // URDF's default
  TriboXmlElement* e = tribo_xml_child(joint->element, "axis");
  TriboStatus status = tribo_urdf_numbers(r, e, "xyz", 3, xyz);
  if (status != TRIBO_OK) return status;
  TriboVec3 axis = tribo_vec3(xyz[0], xyz[1], xyz[2]);
  TriboVec3 unit = tribo_vec3_normalize_or(axis, tribo_vec3_zero());
  TriboJointType type = joint->desc.type;
  bool has_axis =
      type == TRIBO_JOINT_HINGE || type == TRIBO_JOINT_SLIDE || type == TRIBO_JOINT_PLANAR;
  if (!has_axis) return TRIBO_OK;
  if (!(tribo_vec3_norm(unit) > 0.5)) {
    return tribo_urdf_fail(r, TRIBO_ERROR_MODEL, e, "the axis has no direction in joint",
                           joint->desc.name);
  }
  joint->desc.axis = unit;
  return TRIBO_OK;
}

static TriboStatus read_joint(TriboUrdf* r, TriboUrdfJoint* joint) {
  TriboXmlElement* e = joint->element;
  TriboJointDesc* d = &joint->desc;
  bool limited = false;
  TriboStatus status = first(read_joint_type(r, e, &d->type, &limited),  //
                             tribo_urdf_origin(r, e, &d->pose_parent));
  if (status == TRIBO_OK) status = read_axis(r, joint);
  if (status == TRIBO_OK) {
    status = resolve(r, tribo_xml_child(e, "parent"), "link", &r->link_names, &d->parent);
  }
  if (status == TRIBO_OK) {
    status = resolve(r, tribo_xml_child(e, "child"), "link", &r->link_names, &d->child);
  }
  if (status == TRIBO_OK) status = read_limits(r, joint, limited);
  TriboXmlElement* dynamics = tribo_xml_child(e, "dynamics");
  status = first(status, tribo_urdf_numbers(r, dynamics, "damping", 1, &d->damping));
  status = first(status, tribo_urdf_numbers(r, dynamics, "friction", 1, &d->friction));
  if (status != TRIBO_OK) return status;
  if (d->damping < 0 || d->friction < 0) {
    return tribo_urdf_fail(r, TRIBO_ERROR_MODEL, dynamics, "negative damping or friction in joint",
                           d->name);
  }
  return TRIBO_OK;
}

static bool has_one_coordinate(const TriboUrdfJoint* joint) {
  return joint->desc.type == TRIBO_JOINT_HINGE || joint->desc.type == TRIBO_JOINT_SLIDE;
}

static TriboStatus read_mimic(TriboUrdf* r, int index) {
  TriboUrdfJoint* joint = &r->joints[index];
  joint->leader = -1;
  TriboXmlElement* e = tribo_xml_child(joint->element, "mimic");
  if (!e) return TRIBO_OK;
  int leader;
  joint->multiplier = 1;
  TriboStatus status = resolve(r, e, "joint", &r->joint_names, &leader);
  status = first(status, tribo_urdf_numbers(r, e, "multiplier", 1, &joint->multiplier));
  status = first(status, tribo_urdf_numbers(r, e, "offset", 1, &joint->offset));
  if (status != TRIBO_OK) return status;
  if (leader == index || !has_one_coordinate(joint) || !has_one_coordinate(&r->joints[leader])) {
    tribo_urdf_warn(r, e, joint->desc.name,
                    "mimic is between two hinge or slide joints only; ignored");
    return TRIBO_OK;
  }
  joint->leader = leader;
  return TRIBO_OK;
}

// A transmission is an effort actuator: control times the mechanical reduction is the joint's
// effort.
static TriboStatus read_transmission(TriboUrdf* r, TriboXmlElement* e) {
  tribo_xml_attribute(e, "name");
  TriboXmlElement* joint = tribo_xml_child(e, "joint");
  TriboXmlElement* actuator = tribo_xml_child(e, "actuator");
  if (!joint || !actuator) {
    tribo_urdf_warn(r, e, "transmission", "without joint or actuator; ignored");
    return TRIBO_OK;
  }
  TriboActuatorDesc d = tribo_actuator_default();
  TriboStatus status = resolve(r, joint, "name", &r->joint_names, &d.joint);
  if (status != TRIBO_OK) return status;
  if (!has_one_coordinate(&r->joints[d.joint])) {
    tribo_urdf_warn(r, e, "transmission", "on a joint that is neither hinge nor slide; ignored");
    return TRIBO_OK;
  }
  d.type = TRIBO_ACTUATOR_EFFORT;
  d.name = tribo_xml_attribute(actuator, "name");
  d.gear = 1;
  d.effort_limit = r->joints[d.joint].desc.effort_limit;
  TriboXmlElement* reduction = tribo_xml_child(actuator, "mechanicalReduction");
  if (reduction && !tribo_number_parse(reduction->text, &d.gear)) {
    return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, reduction, "wrong number", reduction->text);
  }
  r->actuators[r->actuator_count++] = d;
  return TRIBO_OK;
}

// ---------------------------------------------------------------------------------------------------
// The file
// ---------------------------------------------------------------------------------------------------

static int count_children(const TriboXmlElement* e, const char* name) {
  int count = 0;
  for (const TriboXmlElement* c = e->first_child; c; c = c->next) {
    count += strcmp(c->name, name) == 0;
  }
  return count;
}

static TriboStatus allocate(TriboUrdf* r, const TriboXmlElement* robot) {
  size_t links = (size_t)count_children(robot, "link");
  size_t joints = (size_t)count_children(robot, "joint");
  size_t shapes = 0, visuals = 0;
  for (const TriboXmlElement* c = robot->first_child; c; c = c->next) {
    if (strcmp(c->name, "link") != 0) continue;
    shapes += (size_t)count_children(c, "collision");
    visuals += (size_t)count_children(c, "visual");
  }
  size_t actuators = (size_t)count_children(robot, "transmission");
  size_t colors = (size_t)count_children(robot, "material");
  r->links = tribo_pool_take(r->pool, links, sizeof *r->links);
  r->joints = tribo_pool_take(r->pool, joints, sizeof *r->joints);
  r->shapes = tribo_pool_take(r->pool, shapes, sizeof *r->shapes);
  r->visuals = tribo_pool_take(r->pool, visuals, sizeof *r->visuals);
  r->actuators = tribo_pool_take(r->pool, actuators, sizeof *r->actuators);
  r->colors = tribo_pool_take(r->pool, colors, sizeof *r->colors);
  if (r->links && r->joints && r->shapes && r->visuals && r->actuators && r->colors) {
    return TRIBO_OK;
  }
  return tribo_message_set(r->message, TRIBO_ERROR_MEMORY, "out of memory while reading URDF");
}

// Names first, since elements refer to each other in any order.
static TriboStatus collect_names(TriboUrdf* r, TriboXmlElement* robot) {
  for (TriboXmlElement* e = tribo_xml_child(robot, "link"); e; e = tribo_xml_sibling(e, "link")) {
    int i = r->link_count++;
    r->links[i].element = e;
    r->links[i].joint = -1;
    r->links[i].desc = tribo_link_default();
    TriboStatus status = read_name(r, e, &r->links[i].desc.name);
    if (status == TRIBO_OK) status = add_name(r, &r->link_names, e, r->links[i].desc.name, i);
    if (status != TRIBO_OK) return status;
  }
  for (TriboXmlElement* e = tribo_xml_child(robot, "joint"); e; e = tribo_xml_sibling(e, "joint")) {
    int i = r->joint_count++;
    r->joints[i].element = e;
    r->joints[i].desc = tribo_joint_default();
    TriboStatus status = read_name(r, e, &r->joints[i].desc.name);
    if (status == TRIBO_OK) status = add_name(r, &r->joint_names, e, r->joints[i].desc.name, i);
    if (status != TRIBO_OK) return status;
  }
  return TRIBO_OK;
}

static TriboStatus read_elements(TriboUrdf* r, TriboXmlElement* robot) {
  TriboStatus status = tribo_urdf_read_colors(r, robot);
  for (int i = 0; i < r->link_count && status == TRIBO_OK; ++i) {
    status = read_inertial(r, &r->links[i]);
    if (status == TRIBO_OK) status = tribo_urdf_read_geometry(r, i);
  }
  for (int i = 0; i < r->joint_count && status == TRIBO_OK; ++i) {
    status = read_joint(r, &r->joints[i]);
  }
  for (int i = 0; i < r->joint_count && status == TRIBO_OK; ++i) status = read_mimic(r, i);
  TriboXmlElement* e = tribo_xml_child(robot, "transmission");
  for (; e && status == TRIBO_OK; e = tribo_xml_sibling(e, "transmission")) {
    status = read_transmission(r, e);
  }
  return status;
}

// ---------------------------------------------------------------------------------------------------
// The tree
// ---------------------------------------------------------------------------------------------------

// Every link hangs on at most one joint, exactly one on none, and all hang on that one: a walk
// upwards from a link that takes more steps than there are links goes round. Links that are known
// to reach the root end a walk.
static TriboStatus check_tree(TriboUrdf* r) {
  for (int j = 0; j < r->joint_count; ++j) {
    TriboUrdfLink* child = &r->links[r->joints[j].desc.child];
    if (child->joint >= 0) {
      return tribo_urdf_fail(r, TRIBO_ERROR_MODEL, r->joints[j].element,
                             "a second joint has as its child the link", child->desc.name);
    }
    child->joint = j;
  }
  r->root = -1;
  for (int i = 0; i < r->link_count; ++i) {
    if (r->links[i].joint >= 0) continue;
    if (r->root >= 0) {
      return tribo_urdf_fail(r, TRIBO_ERROR_MODEL, r->links[i].element,
                             "a robot has one root, and no joint leads to the second one",
                             r->links[i].desc.name);
    }
    r->root = i;
  }
  char* reached = tribo_pool_take(r->pool, (size_t)r->link_count, 1);
  if (!reached) return tribo_message_set(r->message, TRIBO_ERROR_MEMORY, "out of memory");
  if (r->root >= 0) reached[r->root] = 1;
  for (int i = 0; i < r->link_count; ++i) {
    int steps = 0, top = i;
    while (!reached[top] && steps++ <= r->link_count) {
      top = r->joints[r->links[top].joint].desc.parent;
    }
    if (!reached[top]) {
      return tribo_urdf_fail(r, TRIBO_ERROR_MODEL, r->links[i].element,
                             "the joints go round at link", r->links[i].desc.name);
    }
    for (int k = i; !reached[k]; k = r->joints[r->links[k].joint].desc.parent) reached[k] = 1;
  }
  return TRIBO_OK;
}

static bool is_welded(const TriboUrdf* r, int link) {
  int joint = r->links[link].joint;
  return joint >= 0 && r->joints[joint].desc.type == TRIBO_JOINT_FIXED;
}

// Finds the topmost link of every weld group. Each walk upwards ends at a link that is known, and
// tells all on its way, so that long chains cost no more than their length.
static void find_weld_tops(TriboUrdf* r) {
  for (int i = 0; i < r->link_count; ++i) r->links[i].weld_top = is_welded(r, i) ? -1 : i;
  for (int i = 0; i < r->link_count; ++i) {
    int known = i;
    while (r->links[known].weld_top < 0) known = r->joints[r->links[known].joint].desc.parent;
    int top = r->links[known].weld_top;
    for (int k = i; k != known; k = r->joints[r->links[k].joint].desc.parent) {
      r->links[k].weld_top = top;
    }
  }
}

// Groups of welded links that move need mass. Decides also how the root hangs.
static void check_masses(TriboUrdf* r) {
  find_weld_tops(r);
  for (int i = 0; i < r->link_count; ++i) {
    r->links[r->links[i].weld_top].weld_mass += r->links[i].desc.mass;
  }
  for (int j = 0; j < r->joint_count; ++j) {
    if (r->joints[j].desc.type == TRIBO_JOINT_FIXED) continue;
    ++r->links[r->links[r->joints[j].desc.parent].weld_top].below;
  }
  TriboUrdfLink* root = &r->links[r->root];
  if (r->options.root == TRIBO_ROOT_AUTO) {
    bool fixed = strcmp(root->desc.name, "world") == 0 || root->weld_mass == 0;
    r->options.root = fixed ? TRIBO_ROOT_FIXED : TRIBO_ROOT_FREE;
  }
  for (int i = 0; i < r->link_count; ++i) {
    TriboUrdfLink* link = &r->links[i];
    bool moves = i == r->root ? r->options.root == TRIBO_ROOT_FREE : link->weld_top == i;
    // Between two joints a link may do without: several joints in one place are written that way.
    if (!moves || link->weld_mass > 0 || (link->below == 1 && i != r->root)) continue;
    link->desc.mass = MASSLESS_MASS;
    for (int k = 0; k < 3; ++k) link->desc.inertia[k] = MASSLESS_INERTIA;
    tribo_urdf_warn(r, link->element, link->desc.name,
                    "a link that moves has no mass; given 1e-3 kg");
  }
}

// ---------------------------------------------------------------------------------------------------
// Into the builder
// ---------------------------------------------------------------------------------------------------

static TriboStatus add_tree(TriboUrdf* r) {
  TriboBuilder* builder = r->scene->builder;
  TriboStatus status = TRIBO_OK;
  bool is_world =
      r->options.root == TRIBO_ROOT_FIXED && strcmp(r->links[r->root].desc.name, "world") == 0;
  for (int i = 0; i < r->link_count && status == TRIBO_OK; ++i) {
    if (i == r->root && is_world) {
      r->links[i].added = TRIBO_WORLD;
    } else {
      status = tribo_builder_add_link(builder, &r->links[i].desc, &r->links[i].added);
    }
  }
  if (status == TRIBO_OK && !is_world) {
    TriboJointDesc d = tribo_joint_default();
    d.type = r->options.root == TRIBO_ROOT_FIXED ? TRIBO_JOINT_FIXED : TRIBO_JOINT_FREE;
    d.parent = TRIBO_WORLD;
    d.child = r->links[r->root].added;
    status = tribo_builder_add_joint(builder, &d, NULL);
  }
  for (int i = 0; i < r->joint_count && status == TRIBO_OK; ++i) {
    TriboJointDesc d = r->joints[i].desc;
    d.parent = r->links[d.parent].added;
    d.child = r->links[d.child].added;
    status = tribo_builder_add_joint(builder, &d, &r->joints[i].added);
  }
  return status;
}

static TriboStatus add_rest(TriboUrdf* r) {
  TriboBuilder* builder = r->scene->builder;
  TriboStatus status = TRIBO_OK;
  for (int i = 0; i < r->shape_count && status == TRIBO_OK; ++i) {
    TriboShapeDesc d = r->shapes[i];
    d.link = r->links[d.link].added;
    status = tribo_builder_add_shape(builder, &d, NULL);
  }
  for (int i = 0; i < r->visual_count && status == TRIBO_OK; ++i) {
    TriboVisual visual = r->visuals[i];
    visual.shape.link = r->links[visual.shape.link].added;
    status = tribo_scene_add_visual(r->scene, &visual);
  }
  for (int i = 0; i < r->actuator_count && status == TRIBO_OK; ++i) {
    TriboActuatorDesc d = r->actuators[i];
    d.joint = r->joints[d.joint].added;
    status = tribo_builder_add_actuator(builder, &d, NULL);
  }
  for (int i = 0; i < r->joint_count && status == TRIBO_OK; ++i) {
    const TriboUrdfJoint* joint = &r->joints[i];
    if (joint->leader < 0) continue;
    TriboLoopDesc d = tribo_loop_default();
    d.type = TRIBO_LOOP_GEAR;
    d.joint0 = r->joints[joint->leader].added;
    d.joint1 = joint->added;
    d.ratio = joint->multiplier;
    d.offset = joint->offset;
    status = tribo_builder_add_loop(builder, &d, NULL);
  }
  return status;
}

// Bullet's extension: what is read of it is in tribo_urdf_read_geometry.
static const char* explain_contact(const char* name, TriboReportKind* kind) {
  static const char* const soft[] = {"stiffness", "damping", "contact_cfm", "contact_erp"};
  for (int i = 0; i < 4; ++i) {
    if (strcmp(name, soft[i]) == 0) return "softness of another simulator; contacts are rigid here";
  }
  if (strcmp(name, "friction_anchor") == 0) return "against creep, which there is none of here";
  *kind = TRIBO_REPORT_UNSUPPORTED;
  return "a surface setting of another simulator";
}

static const char* explain_unused(const TriboXmlElement* e, const char* attribute,
                                  TriboReportKind* kind) {
  if (attribute && strncmp(attribute, "xmlns", 5) == 0) return "a namespace, without effect";
  if (attribute) return "not an attribute that the reader knows here";
  if (strcmp(e->name, "texture") == 0) return "for viewing only";
  if (strcmp(e->name, "gazebo") == 0 || strcmp(e->name, "mujoco") == 0 ||
      strcmp(e->name, "drake") == 0) {
    return "settings of another simulator";
  }
  if (strcmp(e->name, "safety_controller") == 0 || strcmp(e->name, "calibration") == 0 ||
      strcmp(e->name, "hardwareInterface") == 0 || strcmp(e->name, "type") == 0) {
    return "for a robot's controller, without effect on motion";
  }
  if (e->parent && strcmp(e->parent->name, "contact") == 0) return explain_contact(e->name, kind);
  return "not an element that the reader knows here";
}

TriboStatus tribo_urdf_read(TriboScene* scene, TriboXml* xml, const TriboLoadOptions* options,
                            TriboMessage* message) {
  TriboUrdf reader = {.scene = scene,
                      .xml = xml,
                      .pool = tribo_xml_pool(xml),
                      .options = *options,
                      .message = message};
  TriboUrdf* r = &reader;
  TriboXmlElement* robot = tribo_xml_root(xml);
  const char* name = tribo_xml_attribute(robot, "name");
  tribo_xml_attribute(robot, "version");
  if (name) scene->name = tribo_pool_text(&scene->pool, name, strlen(name));
  if (!scene->name) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  TriboStatus status = allocate(r, robot);
  if (status == TRIBO_OK) status = collect_names(r, robot);
  if (status == TRIBO_OK && r->link_count == 0) {
    status = tribo_urdf_fail(r, TRIBO_ERROR_MODEL, robot, "the robot has no links", NULL);
  }
  if (status == TRIBO_OK) status = read_elements(r, robot);
  if (status == TRIBO_OK) status = check_tree(r);
  if (status != TRIBO_OK) return status;
  check_masses(r);
  tribo_report_add_unused(scene->report, xml, explain_unused);
  status = add_tree(r);
  if (status == TRIBO_OK) status = add_rest(r);
  if (status == TRIBO_OK) return TRIBO_OK;
  return tribo_urdf_fail(r, status, robot, tribo_builder_message(scene->builder)->text, NULL);
}
