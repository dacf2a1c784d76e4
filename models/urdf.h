// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the URDF reader share. Internal.
//
//   urdf.c           links, joints, transmissions; the tree; into the builder
//   urdf_geometry.c  collision and visual geometry, meshes, colours
#ifndef TRIBO_MODELS_URDF_H_
#define TRIBO_MODELS_URDF_H_

#include "models/names.h"
#include "models/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboUrdfLink {
  TriboXmlElement* element;
  TriboLinkDesc desc;
  int joint;         // that it hangs on, -1: a root
  int weld_top;      // topmost link of its weld group
  double weld_mass;  // of the group, at its topmost link
  int below;         // joints that move on the group, at its topmost link
  int added;         // number in the builder
} TriboUrdfLink;

typedef struct TriboUrdfJoint {
  TriboXmlElement* element;
  TriboJointDesc desc;  // parent and child are numbers of links here
  int leader;           // of mimic, -1: none
  double multiplier, offset;
  int added;
} TriboUrdfJoint;

typedef struct TriboUrdfColor {
  double rgba[4];
} TriboUrdfColor;

typedef struct TriboUrdf {
  TriboScene* scene;
  TriboXml* xml;
  TriboPool* pool;  // of the document
  TriboLoadOptions options;
  TriboMessage* message;
  int link_count, joint_count, shape_count, visual_count, actuator_count, color_count;
  TriboUrdfLink* links;
  TriboUrdfJoint* joints;
  TriboShapeDesc* shapes;  // link is a number of links here, as below
  TriboVisual* visuals;
  TriboActuatorDesc* actuators;  // joint is a number of joints here
  TriboUrdfColor* colors;
  TriboNames link_names, joint_names, color_names;
  int root;
} TriboUrdf;

// Fails with a message that names the element, and `name` where it is not NULL.
TriboStatus tribo_urdf_fail(TriboUrdf* r, TriboStatus status, const TriboXmlElement* e,
                            const char* what, const char* name);
void tribo_urdf_warn(TriboUrdf* r, const TriboXmlElement* e, const char* name, const char* text);

// Reads `count` numbers of an attribute; where element or attribute are missing the values stay as
// they are.
TriboStatus tribo_urdf_numbers(TriboUrdf* r, TriboXmlElement* e, const char* name, int count,
                               double* values) TRIBO_CHECKED;
TriboStatus tribo_urdf_origin(TriboUrdf* r, TriboXmlElement* parent, TriboPose* pose) TRIBO_CHECKED;

// Colours that materials of the robot name.
TriboStatus tribo_urdf_read_colors(TriboUrdf* r, TriboXmlElement* robot) TRIBO_CHECKED;
// Collision and visual geometry of a link, into `shapes` and `visuals`, which have the room.
TriboStatus tribo_urdf_read_geometry(TriboUrdf* r, int link) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_URDF_H_
