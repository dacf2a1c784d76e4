// SPDX-License-Identifier: Apache-2.0
//
// Tribo: time-stepping multibody dynamics with exact contact. This is the whole public API of the
// simulator; models/tribo_models.h reads URDF and MJCF files, solvers/tribo_solvers.h solves
// contact problems given as matrices.
//
// Conventions. SI units, radians, right-handed frames, z up; quaternions in the order w x y z. A
// contact's normal points from shape 0 to shape 1, a negative gap is penetration, and the reported
// force acts on shape 1. W is the world frame.
//
// Objects. A TriboModel never changes after creation and may be shared by all threads. A TriboState
// is exactly what decides the next step. A TriboWorkspace is scratch memory: what it holds between
// two steps changes no bit of the result, and it owns the threads that share the islands of a step
// where TriboWorkspaceOptions asks for them. One thread of the caller uses a state or a workspace
// at a time. There is no global state. TriboSim owns one of each for the ten-line program.
//
// Failure. What can fail returns a TriboStatus and then has changed nothing: a failed step leaves
// the state as it was. Creating and loading also fill a TriboMessage (which may be NULL) that says
// what is wrong, where, and what to do. Nothing here exits, prints or, after creation, allocates.
//
// Every struct of options or descriptions is made by its `_default` function; fields added in later
// versions then have values that keep the old behaviour.
#ifndef TRIBO_ENGINE_TRIBO_H_
#define TRIBO_ENGINE_TRIBO_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/contact_types.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Version
// ---------------------------------------------------------------------------------------------------

#define TRIBO_VERSION_MAJOR 0
#define TRIBO_VERSION_MINOR 1
#define TRIBO_VERSION_PATCH 0

// The version of the library that runs, "major.minor.patch"; compare with the macros it was
// compiled against.
TRIBO_API const char* tribo_version(void);

// ---------------------------------------------------------------------------------------------------
// Describing a model
// ---------------------------------------------------------------------------------------------------

// The fixed frame that everything hangs on, wherever a link is asked for.
enum { TRIBO_WORLD = -1 };

// Collects descriptions; tribo_model_create checks them and compiles them. Elements are numbered
// from 0 in the order they are added, by kind. Names must be unique within a kind; NULL or "" is no
// name. Every add copies what it is given, and rejects with TRIBO_ERROR_NOT_FINITE or
// TRIBO_ERROR_ARGUMENT only what is meaningless by itself; rules that need the whole model are
// checked by tribo_model_create.
typedef struct TriboBuilder TriboBuilder;

TRIBO_API TriboStatus tribo_builder_create(const TriboAllocator* allocator,
                                           TriboBuilder** builder) TRIBO_CHECKED;
TRIBO_API void tribo_builder_destroy(TriboBuilder* builder);
// What was wrong with the last element that an add or set refused, naming it; an empty text where
// none was. Owned by the builder, valid until the next add or set.
TRIBO_API const TriboMessage* tribo_builder_message(const TriboBuilder* builder);

// A rigid body.
typedef struct TriboLinkDesc {
  const char* name;
  double mass;        // kg, > 0 (0 only for a link that a fixed joint welds to one that has mass,
                      // or that lies between joints which together move one that has)
  TriboVec3 com;      // centre of mass in the link frame, m
  double inertia[6];  // about the centre of mass, in link axes: xx yy zz xy xz yz, kg m^2
} TriboLinkDesc;
TRIBO_API TriboLinkDesc tribo_link_default(void);  // no name, 1 kg, a sphere of radius 0.1 m
TRIBO_API TriboStatus tribo_builder_add_link(TriboBuilder* builder, const TriboLinkDesc* desc,
                                             int* link) TRIBO_CHECKED;

typedef enum TriboJointType {
  TRIBO_JOINT_FREE =
      0,               // q: x y z of the child frame in the parent frame, w x y z       nq 7, nv 6
  TRIBO_JOINT_BALL,    // q: w x y z                                                     nq 4, nv 3
  TRIBO_JOINT_HINGE,   // q: angle about the axis                                        nq 1, nv 1
  TRIBO_JOINT_SLIDE,   // q: distance along the axis                                     nq 1, nv 1
  TRIBO_JOINT_PLANAR,  // q: x y in the plane across the axis, angle about the axis      nq 3, nv 3
  TRIBO_JOINT_FIXED,   // the child is welded to the parent                              nq 0, nv 0
} TriboJointType;

// How a link hangs on its parent. A link without a joint gets a free joint to the world.
//
// The joint frame is fixed to the parent at pose_parent and to the child at pose_child; at q = 0
// (identity) the two coincide. Velocities v: of a free joint the child frame's linear velocity in
// parent axes, then its angular velocity in child axes; of a ball joint the angular velocity in
// child axes; of a planar joint the rates of x, y and angle.
typedef struct TriboJointDesc {
  const char* name;
  TriboJointType type;
  int parent, child;  // links; parent may be TRIBO_WORLD
  TriboPose pose_parent;
  TriboPose pose_child;
  TriboVec3 axis;  // unit, in the joint frame (hinge, slide; the normal of planar). Default z
  bool limited;    // hinge and slide: lower <= q <= upper; ball: turned by no more than upper from
                   // the identity, lower 0 (upper >= pi: no limit)
  double lower, upper;
  double velocity_limit;  // |v| <= this; infinity: none. What the maker allows, for controllers and
                          // planners: no force holds it (docs/urdf.md)
  double effort_limit;  // |torque or force| of all actuators on the joint together; infinity: none
  double damping;       // N m s/rad or N s/m, >= 0, taken implicitly
  double friction;      // dry friction torque or force, >= 0
  double armature;      // rotor inertia added to every diagonal of the joint, >= 0
  double stiffness;     // spring to rest, >= 0, taken implicitly (hinge, slide, ball, planar)
  double rest;          // rest position of the spring (hinge, slide)
  double initial[7];    // q where a new state starts, as many numbers as the type has; a
                        // quaternion of zeros is the identity. Default 0
} TriboJointDesc;
TRIBO_API TriboJointDesc tribo_joint_default(void);  // hinge about z, unlimited, no friction
TRIBO_API TriboStatus tribo_builder_add_joint(TriboBuilder* builder, const TriboJointDesc* desc,
                                              int* joint) TRIBO_CHECKED;

// What a surface is made of. Pairs combine by the rule in docs/materials.md (friction: the
// geometric mean, restitution: the larger, viscosity: the geometric mean, torsional and rolling:
// the larger), unless an override names the pair.
typedef struct TriboMaterialDesc {
  const char* name;
  double friction;     // Coulomb's mu, >= 0
  double restitution;  // e in [0, 1]
  double viscosity;    // mu_v of the viscous model, N s/m, >= 0
  double torsional;    // torsional friction, m: torque bound = torsional * mu * f_n
  double rolling;      // rolling friction, m: torque bound = rolling * mu * f_n
} TriboMaterialDesc;
TRIBO_API TriboMaterialDesc tribo_material_default(void);  // mu 0.8, inelastic
TRIBO_API TriboStatus tribo_builder_add_material(TriboBuilder* builder,
                                                 const TriboMaterialDesc* desc,
                                                 int* material) TRIBO_CHECKED;
// Overrides what two materials give together (-1: the default material); the name in `desc` is
// ignored, and what was set last for a pair counts.
TRIBO_API TriboStatus tribo_builder_set_material_pair(TriboBuilder* builder, int material0,
                                                      int material1,
                                                      const TriboMaterialDesc* desc) TRIBO_CHECKED;

typedef struct TriboShapeDesc {
  const char* name;
  TriboShapeType type;
  int link;        // or TRIBO_WORLD
  TriboPose pose;  // of the shape's frame in the link's
  double size[3];  // m, see TriboShapeType
  int material;    // -1: the default material
  // Bits: two shapes collide where (a.group & b.mask) or (b.group & a.mask) is not 0.
  uint32_t group, mask;
  // Hull and mesh: vertex_count points x y z; mesh: triangle_count triples of vertices,
  // counter-clockwise seen from outside. Copied by add.
  int vertex_count;
  const double* vertices;
  int triangle_count;
  const int* triangles;
  // Height field: rows x columns heights, row-major, row along y and column along x, over a
  // rectangle of half lengths size[0] (x) and size[1] (y) about the frame's origin; solid below.
  int rows, columns;
  const double* heights;
} TriboShapeDesc;
TRIBO_API TriboShapeDesc
tribo_shape_default(void);  // sphere of 0.1 m on the world, group 1, mask all
TRIBO_API TriboStatus tribo_builder_add_shape(TriboBuilder* builder, const TriboShapeDesc* desc,
                                              int* shape) TRIBO_CHECKED;
// Two links whose shapes never collide. Links joined by a joint do not collide anyway (links welded
// together by fixed joints count as one, but for those fixed to the world), unless
// tribo_builder_allow_parent_child was called. Shapes of the world itself are nobody's neighbours.
TRIBO_API TriboStatus tribo_builder_exclude(TriboBuilder* builder, int link0,
                                            int link1) TRIBO_CHECKED;
TRIBO_API void tribo_builder_allow_parent_child(TriboBuilder* builder, bool allow);

typedef enum TriboActuatorType {
  TRIBO_ACTUATOR_EFFORT = 0,  // gear * c is the torque or force
  TRIBO_ACTUATOR_POSITION,    // kp (c - q) - kd v, taken implicitly
  TRIBO_ACTUATOR_VELOCITY,    // kd (c - v), taken implicitly
} TriboActuatorType;

typedef struct TriboActuatorDesc {
  const char* name;
  TriboActuatorType type;
  int joint;  // hinge or slide, or a free, ball or planar joint with `axis` telling the coordinate
  int axis;   // velocity coordinate within the joint, 0 for hinge and slide
  double gear;          // effort at the joint per unit of control, or of output of a servo
  double kp, kd;        // gains, >= 0
  double effort_limit;  // |effort at the joint| <= this; infinity: none
  double control_lower, control_upper;  // the control is clamped to this range; +-infinity: none
  double scale, offset;                 // then c = scale * control + offset. Default 1 and 0
} TriboActuatorDesc;
TRIBO_API TriboActuatorDesc tribo_actuator_default(void);
TRIBO_API TriboStatus tribo_builder_add_actuator(TriboBuilder* builder,
                                                 const TriboActuatorDesc* desc,
                                                 int* actuator) TRIBO_CHECKED;

typedef enum TriboLoopType {
  TRIBO_LOOP_WELD = 0,  // frame 0 and frame 1 coincide: 6 rows
  TRIBO_LOOP_CONNECT,   // their origins coincide: 3 rows
  TRIBO_LOOP_HINGE,     // origins coincide and the z axes are parallel: 5 rows
  TRIBO_LOOP_GEAR,      // q1 = offset + ratio q0 of two hinge or slide joints (mimic): 1 row
} TriboLoopType;

// A constraint beside the tree.
typedef struct TriboLoopDesc {
  const char* name;
  TriboLoopType type;
  int link0, link1;        // weld, connect, hinge; either may be TRIBO_WORLD
  TriboPose pose0, pose1;  // of the two frames in their links
  int joint0, joint1;      // gear; joint0 = -1: joint1 is held at `offset`
  double ratio, offset;    // gear
  double compliance;       // 0: rigid. Position error per impulse and step is compliance / h; m/N
                           // or rad/(N m)
} TriboLoopDesc;
TRIBO_API TriboLoopDesc tribo_loop_default(void);
TRIBO_API TriboStatus tribo_builder_add_loop(TriboBuilder* builder, const TriboLoopDesc* desc,
                                             int* loop) TRIBO_CHECKED;

// A named frame on a link, for queries and sensors.
typedef struct TriboFrameDesc {
  const char* name;
  int link;
  TriboPose pose;  // in the link frame
} TriboFrameDesc;
TRIBO_API TriboFrameDesc tribo_frame_default(void);
TRIBO_API TriboStatus tribo_builder_add_frame(TriboBuilder* builder, const TriboFrameDesc* desc,
                                              int* frame) TRIBO_CHECKED;

TRIBO_API TriboStatus tribo_builder_set_gravity(TriboBuilder* builder,
                                                TriboVec3 gravity) TRIBO_CHECKED;

// How many elements of a kind were added.
typedef enum TriboKind {
  TRIBO_KIND_LINK = 0,
  TRIBO_KIND_JOINT,
  TRIBO_KIND_SHAPE,
  TRIBO_KIND_MATERIAL,
  TRIBO_KIND_ACTUATOR,
  TRIBO_KIND_LOOP,
  TRIBO_KIND_FRAME,
} TriboKind;
TRIBO_API int tribo_builder_count(const TriboBuilder* builder, TriboKind kind);

// ---------------------------------------------------------------------------------------------------
// The compiled model
// ---------------------------------------------------------------------------------------------------

typedef struct TriboModel TriboModel;

// Checks every rule and compiles. On TRIBO_ERROR_MODEL the message names the element and the
// remedy. The builder is not changed and may be destroyed afterwards.
TRIBO_API TriboStatus tribo_model_create(const TriboBuilder* builder,
                                         const TriboAllocator* allocator, TriboModel** model,
                                         TriboMessage* message) TRIBO_CHECKED;
TRIBO_API void tribo_model_destroy(TriboModel* model);

TRIBO_API int tribo_model_nq(const TriboModel* model);  // position coordinates
TRIBO_API int tribo_model_nv(const TriboModel* model);  // velocity coordinates, degrees of freedom
TRIBO_API int tribo_model_nu(const TriboModel* model);  // controls, one per actuator
TRIBO_API int tribo_model_count(const TriboModel* model, TriboKind kind);
// Number of the element with this name, or -1. O(1) expected.
TRIBO_API int tribo_model_find(const TriboModel* model, TriboKind kind, const char* name);
// Name of an element, "" where it has none or the index is out of range.
TRIBO_API const char* tribo_model_name(const TriboModel* model, TriboKind kind, int index);
// The description that an element was added with, strings and arrays owned by the model. FALSE
// where the index is out of range.
TRIBO_API bool tribo_model_link(const TriboModel* model, int link, TriboLinkDesc* desc);
TRIBO_API bool tribo_model_joint(const TriboModel* model, int joint, TriboJointDesc* desc);
TRIBO_API bool tribo_model_shape(const TriboModel* model, int shape, TriboShapeDesc* desc);
TRIBO_API bool tribo_model_material(const TriboModel* model, int material, TriboMaterialDesc* desc);
TRIBO_API bool tribo_model_actuator(const TriboModel* model, int actuator, TriboActuatorDesc* desc);
TRIBO_API bool tribo_model_loop(const TriboModel* model, int loop, TriboLoopDesc* desc);
TRIBO_API bool tribo_model_frame(const TriboModel* model, int frame, TriboFrameDesc* desc);
// Where a joint's coordinates start in q and v, or -1; and the joint that a link hangs on.
TRIBO_API int tribo_model_joint_q(const TriboModel* model, int joint);
TRIBO_API int tribo_model_joint_v(const TriboModel* model, int joint);
TRIBO_API int tribo_model_link_joint(const TriboModel* model, int link);
TRIBO_API double tribo_model_total_mass(const TriboModel* model);
TRIBO_API TriboVec3 tribo_model_gravity(const TriboModel* model);  // m/s^2, world axes
// A hash of everything that decides motion; the same for equal models on every machine.
TRIBO_API uint64_t tribo_model_hash(const TriboModel* model);

// ---------------------------------------------------------------------------------------------------
// State and workspace
// ---------------------------------------------------------------------------------------------------

typedef struct TriboState TriboState;
typedef struct TriboWorkspace TriboWorkspace;

// At the joints' initial positions, at rest, time 0.
TRIBO_API TriboStatus tribo_state_create(const TriboModel* model, const TriboAllocator* allocator,
                                         TriboState** state) TRIBO_CHECKED;
TRIBO_API void tribo_state_destroy(TriboState* state);
TRIBO_API void tribo_state_reset(const TriboModel* model, TriboState* state);
TRIBO_API TriboStatus tribo_state_copy(const TriboState* from, TriboState* to) TRIBO_CHECKED;

TRIBO_API double tribo_state_time(const TriboState* state);
TRIBO_API const double* tribo_state_q(const TriboState* state);  // nq, quaternions w x y z
TRIBO_API const double* tribo_state_v(const TriboState* state);  // nv
// Setting forgets the warm start. Quaternions are normalized; zero ones and non-finite values are
// refused.
TRIBO_API TriboStatus tribo_state_set_q(const TriboModel* model, TriboState* state,
                                        const double* q) TRIBO_CHECKED;
TRIBO_API TriboStatus tribo_state_set_v(const TriboModel* model, TriboState* state,
                                        const double* v) TRIBO_CHECKED;
TRIBO_API TriboStatus tribo_state_set_time(TriboState* state, double time) TRIBO_CHECKED;
// Puts the frame of a link that hangs on the world by a free joint at `pose` in the world; forgets
// the warm start.
TRIBO_API TriboStatus tribo_state_set_free_pose(const TriboModel* model, TriboState* state,
                                                int link, TriboPose pose) TRIBO_CHECKED;

// On the manifold: result (nv) is the velocity that leads from q0 to q1 in unit time, and q1 = q0
// (+) dv.
TRIBO_API void tribo_q_difference(const TriboModel* model, const double* q0, const double* q1,
                                  double* dv);
TRIBO_API void tribo_q_add(const TriboModel* model, const double* q0, const double* dv, double* q1);

// The same bits in time, q, v and warm start give the same hash, and the same future.
TRIBO_API uint64_t tribo_state_hash(const TriboState* state);
// TRUE where every bit of the same model's time, q, v and warm start is the same.
TRIBO_API bool tribo_state_equal(const TriboState* a, const TriboState* b);
// Bytes: versioned, little-endian, with the model's hash; any machine may restore them.
TRIBO_API size_t tribo_state_saved_size(const TriboState* state);
TRIBO_API TriboStatus tribo_state_save(const TriboState* state, void* bytes,
                                       size_t size) TRIBO_CHECKED;
TRIBO_API TriboStatus tribo_state_restore(const TriboModel* model, const void* bytes, size_t size,
                                          TriboState* state) TRIBO_CHECKED;

enum { TRIBO_MAX_THREADS = 64 };
typedef struct TriboWorkspaceOptions {
  int max_contacts;  // 0: chosen from the model's shapes
  int threads;       // that a step may use, 0..TRIBO_MAX_THREADS; 0 or 1: the caller's alone. The
                     // workspace owns the others, each with memory for the largest island
} TriboWorkspaceOptions;
TRIBO_API TriboWorkspaceOptions tribo_workspace_options_default(void);
// TRIBO_ERROR_MEMORY: also where the system gives no thread. A child of fork has none of the
// threads: it may step with options.threads 1 only.
TRIBO_API TriboStatus tribo_workspace_create(const TriboModel* model,
                                             const TriboWorkspaceOptions* options,
                                             const TriboAllocator* allocator,
                                             TriboWorkspace** workspace) TRIBO_CHECKED;
TRIBO_API void tribo_workspace_destroy(TriboWorkspace* workspace);

// ---------------------------------------------------------------------------------------------------
// Kinematics and dynamics of the tree. Each is a pure function of model, q, v; the workspace is
// scratch.
// ---------------------------------------------------------------------------------------------------

TRIBO_API TriboStatus tribo_link_pose(const TriboModel* model, const TriboState* state,
                                      TriboWorkspace* workspace, int link,
                                      TriboPose* pose) TRIBO_CHECKED;
TRIBO_API TriboStatus tribo_frame_pose(const TriboModel* model, const TriboState* state,
                                       TriboWorkspace* workspace, int frame,
                                       TriboPose* pose) TRIBO_CHECKED;
// Linear velocity of the link frame's origin and angular velocity, in world axes.
TRIBO_API TriboStatus tribo_link_velocity(const TriboModel* model, const TriboState* state,
                                          TriboWorkspace* workspace, int link, TriboVec3* linear,
                                          TriboVec3* angular) TRIBO_CHECKED;
TRIBO_API TriboStatus tribo_frame_velocity(const TriboModel* model, const TriboState* state,
                                           TriboWorkspace* workspace, int frame, TriboVec3* linear,
                                           TriboVec3* angular) TRIBO_CHECKED;
// The same of the accelerations when the velocities' rates are a (nv; NULL: 0).
TRIBO_API TriboStatus tribo_link_acceleration(const TriboModel* model, const TriboState* state,
                                              TriboWorkspace* workspace, int link, const double* a,
                                              TriboVec3* linear, TriboVec3* angular) TRIBO_CHECKED;
TRIBO_API TriboStatus tribo_frame_acceleration(const TriboModel* model, const TriboState* state,
                                               TriboWorkspace* workspace, int frame,
                                               const double* a, TriboVec3* linear,
                                               TriboVec3* angular) TRIBO_CHECKED;
// 6 x nv, row-major: linear velocity of the point fixed to the link at `point` (link frame), then
// angular velocity, in world axes, per velocity coordinate.
TRIBO_API TriboStatus tribo_link_jacobian(const TriboModel* model, const TriboState* state,
                                          TriboWorkspace* workspace, int link, TriboVec3 point,
                                          double* jacobian) TRIBO_CHECKED;
// The same of a frame's origin.
TRIBO_API TriboStatus tribo_frame_jacobian(const TriboModel* model, const TriboState* state,
                                           TriboWorkspace* workspace, int frame,
                                           double* jacobian) TRIBO_CHECKED;
// M, nv x nv.
TRIBO_API TriboStatus tribo_mass_matrix(const TriboModel* model, const TriboState* state,
                                        TriboWorkspace* workspace, double* M) TRIBO_CHECKED;
// tau = M a + bias(q, v) - external wrenches; wrench: per link force then torque about the link
// frame's origin in world axes (6 x links), or NULL.
TRIBO_API TriboStatus tribo_inverse_dynamics(const TriboModel* model, const TriboState* state,
                                             TriboWorkspace* workspace, const double* a,
                                             const double* wrench, double* tau) TRIBO_CHECKED;
// a for joint efforts tau (NULL: none), without contacts, limits, loops, damping, springs or
// friction.
TRIBO_API TriboStatus tribo_forward_dynamics(const TriboModel* model, const TriboState* state,
                                             TriboWorkspace* workspace, const double* tau,
                                             const double* wrench, double* a) TRIBO_CHECKED;

typedef struct TriboEnergy {
  double kinetic, potential;   // J; potential of gravity and joint springs
  TriboVec3 com;               // of all links, world, m
  TriboVec3 linear_momentum;   // N s
  TriboVec3 angular_momentum;  // about the centre of mass, N m s
} TriboEnergy;
TRIBO_API TriboStatus tribo_energy(const TriboModel* model, const TriboState* state,
                                   TriboWorkspace* workspace, TriboEnergy* energy) TRIBO_CHECKED;

// ---------------------------------------------------------------------------------------------------
// Questions about the shapes, where the state puts them. Pure functions of model and q; the
// workspace is scratch.
// ---------------------------------------------------------------------------------------------------

typedef struct TriboRay {
  TriboVec3 origin;     // world, m
  TriboVec3 direction;  // of any length but 0
  double reach;         // m, >= 0; infinity: as far as there is something
} TriboRay;

typedef struct TriboRayOptions {
  uint32_t mask;    // bits: only shapes whose group has one of them are seen; all
  bool see_world;   // shapes fixed to the world are seen; true
  int transparent;  // shapes of this link are not seen; -1: none is transparent
} TriboRayOptions;
TRIBO_API TriboRayOptions tribo_ray_options_default(void);

// What a ray meets first, with the smallest shape number among equals.
typedef struct TriboRayHit {
  int shape;         // -1: nothing within reach; the rest is then 0
  int link;          // of the shape, or TRIBO_WORLD
  double distance;   // from the origin, m; 0 where the ray begins inside a solid
  TriboVec3 point;   // world, m
  TriboVec3 normal;  // out of the shape, unit, world; against the ray where it begins inside
} TriboRayHit;

// Casts `count` rays at once: the bodies are placed once for all of them. Meshes are met from
// outside only. options NULL: the defaults. TRIBO_ERROR_ARGUMENT: a direction of length 0, a
// negative reach; TRIBO_ERROR_NOT_FINITE.
TRIBO_API TriboStatus tribo_ray_cast(const TriboModel* model, const TriboState* state,
                                     TriboWorkspace* workspace, const TriboRay* rays, int count,
                                     const TriboRayOptions* options,
                                     TriboRayHit* hits) TRIBO_CHECKED;

typedef struct TriboShapeDistance {
  double distance;   // between the surfaces, m; < 0: how far shape 1 must move along the normal to
                     // just touch
  TriboVec3 normal;  // unit, from shape 0 to shape 1, world
  TriboVec3 point0;  // on shape 0, world, m
  TriboVec3 point1;  // on shape 1, world, m
} TriboShapeDistance;

// Signed distance and closest points of two shapes, whether or not they may collide.
// TRIBO_ERROR_ARGUMENT: an index; TRIBO_ERROR_UNSUPPORTED: two of plane, height field and mesh;
// TRIBO_ERROR_INFEASIBLE: no triangle of a height field or mesh looks at the other shape.
TRIBO_API TriboStatus tribo_shape_distance(const TriboModel* model, const TriboState* state,
                                           TriboWorkspace* workspace, int shape0, int shape1,
                                           TriboShapeDistance* result) TRIBO_CHECKED;

// ---------------------------------------------------------------------------------------------------
// Stepping
// ---------------------------------------------------------------------------------------------------

// What acts on the system during a step. Every array may be NULL: zeros.
typedef struct TriboInput {
  const double* control;  // per actuator                                               (nu)
  const double* effort;   // generalized forces on top of the actuators                 (nv)
  const double* wrench;   // per link, force then torque about the link frame's origin, in world
                          // axes                                                       (6 links)
} TriboInput;
TRIBO_API TriboInput tribo_input_default(void);

typedef enum TriboAssembly {
  TRIBO_ASSEMBLY_STEWART_TRINKLE = 0,  // contacts ahead of closing, N v+ >= -gap/h
  TRIBO_ASSEMBLY_ANITESCU_POTRA,       // contacts that touch, N v+ >= 0
} TriboAssembly;

typedef enum TriboRestitution {
  TRIBO_RESTITUTION_POISSON = 0,  // two phases, always solvable
  TRIBO_RESTITUTION_NEWTON,       // where it certifies, Poisson elsewhere
} TriboRestitution;

// How motion is integrated (docs/integration.md). SEMI_IMPLICIT: order one for what rows hold,
// order two for trees that nothing holds, momentum of floating ones kept to rounding. Contacts,
// limits, loops and dry friction need SEMI_IMPLICIT; RK4 is for smooth motion, and with any of
// those active a step is TRIBO_ERROR_UNSUPPORTED.
typedef enum TriboIntegrator {
  TRIBO_INTEGRATOR_SEMI_IMPLICIT = 0,
  TRIBO_INTEGRATOR_RK4,
} TriboIntegrator;

typedef struct TriboStepOptions {
  double h;  // step, s, > 0; 0.001
  TriboContactModel model;
  TriboAssembly assembly;
  TriboSolver solver;
  TriboCone cone;  // Coulomb; round
  int facets;      // directions of the polygon, even, 4..32; 8
  TriboRestitution restitution;
  TriboIntegrator integrator;
  double impact_speed;  // approach below this does not bounce, m/s; 0.01
  double margin;        // contacts nearer than this are taken up, m, on top of the distance that
                        // the step's speeds cover; 1e-3
  double touching;  // a gap up to this touches (Anitescu-Potra, no-slip and viscous), m; 1e-4. A
                    // foot that rolls or turns leaves gaps of the order h^2 v^2 / length
  double slop;      // penetration left alone by the projection, m; 0
  double repair_speed;  // penetration is removed no faster than this, m/s; 1
  double tolerance;     // the certificate's worst figure must not exceed this; 1e-9
  int budget;  // most pivots and iterations for each island, 0: no limit. Where they run out,
               // at most as many sweeps of Gauss-Seidel end in the best feasible answer,
               // labelled by its certificate (deadline mode)
  double speed_limit;  // a velocity coordinate beyond this is TRIBO_ERROR_DIVERGED; 1e6
  bool cold;           // ignore the warm start
  bool canonical;      // report minimum-norm forces, the same for any order of contacts
  bool energy;         // fill the energies of the step info
  int threads;         // most that work on the islands, >= 1; 1. No more than the workspace was
                       // made for take part, and the bits do not depend on it
} TriboStepOptions;
TRIBO_API TriboStepOptions tribo_step_options_default(void);

// Advances the state by one step of h. options NULL: the defaults; input NULL: nothing acts.
// TRIBO_ERROR_ARGUMENT: options that make no sense; TRIBO_ERROR_NOT_FINITE: in the input or the
// result; TRIBO_ERROR_CAPACITY: more contacts than the workspace holds, tribo_step_info tells how
// many; TRIBO_ERROR_INFEASIBLE: rigid loops contradict each other; TRIBO_ERROR_LIMIT: no
// solver met the tolerance (never with a budget); TRIBO_ERROR_DIVERGED. tribo_step_info names the
// element. The state is then as it was.
TRIBO_API TriboStatus tribo_step(const TriboModel* model, const TriboStepOptions* options,
                                 const TriboInput* input, TriboState* state,
                                 TriboWorkspace* workspace) TRIBO_CHECKED;

// How the last step went; of a failed one as far as it came.
typedef struct TriboStepInfo {
  TriboStatus status;
  TriboKind kind;  // with element: what a failure is about
  int element;     // -1: nothing in particular
  int contacts;    // found within the margin
  int touching;    // of those, the ones that carry force
  int rows;        // equality, unilateral and tangential rows of all islands
  int islands;
  int largest_island;      // in rows
  int pivots, iterations;  // of all islands; iterations of Newton, sweeps of PGS and energy
  TriboRung rung;          // the last one that any island needed
  bool stopped_by_budget;  // an anytime answer: judge it by its certificate
  bool relaxed;  // an island certified only with gaps up to 1e-4 m counted as closed, or with a
                 // compliance of up to 1e-5 on rows of length 1: the certificate is of that problem
  TriboCertificate certificate;        // the worst of all islands
  double deepest;                      // most negative gap before the step, m (0: none)
  double energy_before, energy_after;  // kinetic and potential, J; 0 unless options.energy
  double energy_lifted;  // of the difference, what the projection added by moving apart what
                         // penetrated, J; likewise. The rest is no gain where nothing drives
  size_t peak_contacts, peak_pairs;  // largest ever in this workspace
  size_t peak_bytes;                 // of the workspace's per-step memory
} TriboStepInfo;
TRIBO_API TriboStepInfo tribo_step_info(const TriboWorkspace* workspace);

// A contact of the last step. Frame: column 0 the normal, columns 1 and 2 the tangents, in world
// axes. Impulses act on shape 1, and their opposite on shape 0; a force is its impulse / h.
typedef struct TriboContactResult {
  uint64_t id;          // the same from step to step while the same features touch
  int shape0, shape1;   // in the model's numbering
  int link0, link1;     // or TRIBO_WORLD
  TriboVec3 point;      // world, m
  TriboMat3 frame;      // world axes of normal, tangent 1, tangent 2 as columns
  double gap;           // before the step, m; < 0 is penetration
  TriboMode mode;       // what holds at the end of the step
  double mu;            // of this pair of materials
  double impulse[3];    // in the contact frame: normal, tangents, N s
  TriboVec3 impulse_W;  // the same in world axes, N s
  TriboVec3 force_W;    // impulse_W / h, N
  double torsion;       // impulse about the normal, N m s
  double rolling[2];    // impulse about the tangents, N m s
  double slip[2];       // tangential velocity after the step, m/s
  double margin;        // mu f_n - |f_t|: impulse left to the cone, N s
} TriboContactResult;
TRIBO_API int tribo_contact_count(const TriboWorkspace* workspace);
// FALSE where the index is out of range.
TRIBO_API bool tribo_contact_get(const TriboWorkspace* workspace, int contact,
                                 TriboContactResult* result);

// Two shapes that touch: the resultant of all their contacts.
typedef struct TriboPairResult {
  int shape0, shape1, link0, link1;
  int contacts;        // that carry force
  TriboVec3 force_W;   // on shape 1, N
  TriboVec3 center;    // of pressure: the mean of the points, weighted by normal force; world, m
  TriboVec3 torque_W;  // about the centre of pressure, N m
} TriboPairResult;
TRIBO_API int tribo_contact_pair_count(const TriboWorkspace* workspace);
TRIBO_API bool tribo_contact_pair_get(const TriboWorkspace* workspace, int pair,
                                      TriboPairResult* result);
// Net force of all contacts on a link, and torque about its frame's origin, world axes, in the last
// step.
TRIBO_API TriboStatus tribo_contact_wrench(const TriboWorkspace* workspace, int link,
                                           TriboVec3* force, TriboVec3* torque) TRIBO_CHECKED;

// What changed at a contact between the last step and the one before it.
typedef enum TriboEventType {
  TRIBO_EVENT_BEGIN = 0,  // it carries force, and did not
  TRIBO_EVENT_END,        // it did, and does not any more
  TRIBO_EVENT_STICK,      // it slid, and sticks
  TRIBO_EVENT_SLIP,       // it stuck, and slides
} TriboEventType;
typedef struct TriboEvent {
  TriboEventType type;
  uint64_t id;
  int shape0, shape1;
} TriboEvent;
TRIBO_API int tribo_event_count(const TriboWorkspace* workspace);
TRIBO_API bool tribo_event_get(const TriboWorkspace* workspace, int event, TriboEvent* result);

// Sensors, of the last step.
// Force and torque that the parent's side of a joint exerts on the child's side, in world axes
// about the joint frame's origin.
TRIBO_API TriboStatus tribo_joint_reaction(const TriboModel* model, const TriboState* state,
                                           TriboWorkspace* workspace, int joint, TriboVec3* force,
                                           TriboVec3* torque) TRIBO_CHECKED;
// Specific force (acceleration less gravity: +9.81 along z at rest) and angular velocity of a
// frame, in the frame's own axes.
TRIBO_API TriboStatus tribo_imu(const TriboModel* model, const TriboState* state,
                                TriboWorkspace* workspace, int frame, TriboVec3* specific_force,
                                TriboVec3* angular_velocity) TRIBO_CHECKED;

// Force and torque that a loop exerts on link 1 (and their opposite on link 0), in world axes about
// the point midway between its two frames; of a gear force->x is the effort on joint 1. Of the last
// step; TRIBO_ERROR_ARGUMENT before the first and after a failed one.
TRIBO_API TriboStatus tribo_loop_reaction(const TriboWorkspace* workspace, int loop,
                                          TriboVec3* force, TriboVec3* torque) TRIBO_CHECKED;

// A file that holds a contact problem of the last step alone, to be replayed by
// `tribo solve --capsule`: the island that needed the highest rung or failed. TRIBO_ERROR_FILE.
TRIBO_API TriboStatus tribo_capsule_write(const TriboWorkspace* workspace,
                                          const char* path) TRIBO_CHECKED;

// ---------------------------------------------------------------------------------------------------
// Acceleration level: what holds now
// ---------------------------------------------------------------------------------------------------

typedef enum TriboForwardModel {
  TRIBO_FORWARD_FRICTIONLESS = 0,  // normal forces only
  TRIBO_FORWARD_DANTZIG,           // static and dynamic friction [Baraff1994]
  TRIBO_FORWARD_COPING,            // dynamic friction by Lemke; a ray becomes impulses [Baraff1991]
  TRIBO_FORWARD_ENERGY,            // [Faure1996]
  TRIBO_FORWARD_VISCOUS,           // friction force -mu_v s at the present velocity [Drumwright]
} TriboForwardModel;

typedef struct TriboForwardOptions {
  TriboForwardModel model;
  double touching;  // a gap up to this touches, m; 1e-6
  double still;     // a sliding or separating speed below this is none, m/s; 1e-6
  double tolerance;
  int iterations;  // most iterations of the energy model; 1000
} TriboForwardOptions;
TRIBO_API TriboForwardOptions tribo_forward_options_default(void);

typedef struct TriboForwardInfo {
  bool inconsistent;  // no finite forces exist; the contacts hold impulses instead
  int contacts, pivots, iterations;
  double residual;  // of the conditions, relative
} TriboForwardInfo;

// Accelerations (nv) and contact forces for the present state; the state does not change. Contacts
// are then read with tribo_contact_get, where `impulse` holds forces (N) or, when the configuration
// is inconsistent, the impulses (N s) that take its place: `a` then holds the change of velocity.
TRIBO_API TriboStatus tribo_forward(const TriboModel* model, const TriboForwardOptions* options,
                                    const TriboInput* input, const TriboState* state,
                                    TriboWorkspace* workspace, double* a,
                                    TriboForwardInfo* info) TRIBO_CHECKED;
// Generalized forces (nv) that give the accelerations a with the contact forces of the last
// tribo_forward or tribo_step in this workspace.
TRIBO_API TriboStatus tribo_inverse(const TriboModel* model, const TriboState* state,
                                    TriboWorkspace* workspace, const double* a,
                                    double* effort) TRIBO_CHECKED;

// ---------------------------------------------------------------------------------------------------
// Model, state and workspace in one
// ---------------------------------------------------------------------------------------------------

// For the ten-line program. Owns a model, a state, a workspace, options and controls.
typedef struct TriboSim TriboSim;

// Compiles the builder, which may be destroyed afterwards. options->threads are also the
// workspace's.
TRIBO_API TriboStatus tribo_sim_create(const TriboBuilder* builder, const TriboStepOptions* options,
                                       TriboSim** sim, TriboMessage* message) TRIBO_CHECKED;
TRIBO_API void tribo_sim_destroy(TriboSim* sim);
TRIBO_API TriboStatus tribo_sim_step(TriboSim* sim) TRIBO_CHECKED;
TRIBO_API const TriboModel* tribo_sim_model(const TriboSim* sim);
TRIBO_API TriboState* tribo_sim_state(TriboSim* sim);
TRIBO_API TriboWorkspace* tribo_sim_workspace(TriboSim* sim);
TRIBO_API TriboStepOptions* tribo_sim_options(TriboSim* sim);
TRIBO_API double* tribo_sim_control(TriboSim* sim);  // nu, to be written by the controller
TRIBO_API double* tribo_sim_effort(TriboSim* sim);   // nv, likewise

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_TRIBO_H_
