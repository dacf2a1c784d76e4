// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the MJCF reader share. The first failure sticks in `status`; everything after
// it does nothing, so that callers look at it once in a while. Internal.
//
//   mjcf.c           the file: includes, settings, the order of reading, into the builder
//   mjcf_attribute.c default classes; numbers, words and poses of an element
//   mjcf_asset.c     meshes and height fields
//   mjcf_body.c      bodies, joints, inertias, sites
//   mjcf_geom.c      geoms: shape, mass, surface
//   mjcf_contact.c   pairs, exclusions, and what surfaces give together
//   mjcf_equality.c  equality constraints
//   mjcf_actuator.c  actuators, on joints and on fixed tendons
//   mjcf_sensor.c    sensors and keyframes
//   mjcf_loss.c      why something is not used
#ifndef TRIBO_MODELS_MJCF_H_
#define TRIBO_MODELS_MJCF_H_

#include "models/names.h"
#include "models/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// A default class; number 0 is the one that everything starts from.
typedef struct TriboMjcfClass {
  const char* name;
  int parent;                // -1 for class 0
  TriboXmlElement* element;  // NULL for class 0, which may stand in several sections
} TriboMjcfClass;

typedef struct TriboMjcfMesh {
  TriboXmlElement* element;
  const char* file;  // NULL: inline vertices
  int vertex_count, triangle_count;
  double* vertices;  // in the frame that geoms place
  int* triangles;    // NULL for inline vertices without faces
  bool loaded;
} TriboMjcfMesh;

typedef struct TriboMjcfHeightField {
  int rows, columns;
  double size[4];   // half lengths x and y, greatest height, depth of the base, m
  double* heights;  // m, row 0 at the smallest y
} TriboMjcfHeightField;

// Number 0 is the world.
typedef struct TriboMjcfBody {
  TriboXmlElement* element;
  int link, parent;  // parent: body
  TriboPose X_W;     // in the configuration of the file
  bool is_static;    // fixed to the world
  // Summed over its geoms: mass, first moment and inertia about the body frame's origin.
  double mass, moment[3], inertia[6];
} TriboMjcfBody;

typedef struct TriboMjcfJoint {
  TriboXmlElement* element;
  TriboJointDesc desc;
  double reference;  // its position in the configuration of the file (hinge, slide)
  int q, v;          // where its coordinates start
  bool freed;        // by TriboLoadOptions.root: the file knows nothing of it
} TriboMjcfJoint;

typedef struct TriboMjcfGeom {
  TriboXmlElement* element;
  TriboShapeDesc desc;
  int body;
  double rgba[4];
  // The surface: sliding, torsional and rolling friction, as MuJoCo has them.
  int condim, priority;
  double friction[3];
} TriboMjcfGeom;

// What two geoms give together, by name.
typedef struct TriboMjcfPair {
  int geom0, geom1;
  TriboMaterialDesc desc;
} TriboMjcfPair;

typedef struct TriboMjcfTendon {
  TriboXmlElement* element;
  bool is_fixed;
} TriboMjcfTendon;

typedef enum TriboMjcfInertia {
  TRIBO_MJCF_INERTIA_AUTO = 0,  // from the geoms where a body gives none
  TRIBO_MJCF_INERTIA_GEOMS,
  TRIBO_MJCF_INERTIA_GIVEN,
} TriboMjcfInertia;

typedef struct TriboMjcf {
  TriboScene* scene;
  TriboXml* xml;
  TriboPool* pool;  // of the document
  const TriboLoadOptions* options;
  TriboMessage* message;
  TriboStatus status;
  TriboXmlElement* root;

  // <compiler> and <option>
  bool degrees, autolimits, balance_inertia, strip_path, exact_mesh_inertia;
  char euler[4];
  const char *mesh_folder, *asset_folder;
  TriboMjcfInertia inertia;
  int inertia_group[2];
  double bound_mass, bound_inertia, total_mass;
  bool allow_parent_child;
  double restitution, viscosity;  // of all surfaces, from <custom>

  int class_count, class_capacity;
  TriboMjcfClass* classes;
  TriboNames class_names;
  int section_count, section_capacity;  // <default> sections of class 0
  TriboXmlElement** sections;

  int mesh_count, mesh_capacity;
  TriboMjcfMesh* meshes;
  TriboNames mesh_names;
  int height_field_count, height_field_capacity;
  TriboMjcfHeightField* height_fields;
  TriboNames height_field_names;

  int body_count, body_capacity;
  TriboMjcfBody* bodies;
  TriboNames body_names;
  int link_count, link_capacity;
  TriboLinkDesc* links;
  int joint_count, joint_capacity;
  TriboMjcfJoint* joints;
  TriboNames joint_names;
  int nq, nv;
  int geom_count, geom_capacity;
  TriboMjcfGeom* geoms;
  TriboNames geom_names;
  int frame_count, frame_capacity;
  TriboFrameDesc* frames;
  TriboNames site_names;
  int pair_count, pair_capacity;
  TriboMjcfPair* pairs;
  int loop_count, loop_capacity;
  TriboLoopDesc* loops;
  int* joint_loop;  // per joint: the first loop that makes it follow another, -1: none
  int tendon_count, tendon_capacity;
  TriboMjcfTendon* tendons;
  TriboNames tendon_names;
  int actuator_count, actuator_capacity;  // of the file
  int* actuator_number;                   // in the builder, -1: left out
  int actuators_added;
} TriboMjcf;

#define TRIBO_MJCF_DEGREE (3.14159265358979323846 / 180)

// --- failures and reports
// --------------------------------------------------------------------------

// Fails, unless something has failed before; names the element and its place. printf rules.
void tribo_mjcf_fail(TriboMjcf* r, TriboStatus status, const TriboXmlElement* e, const char* format,
                     ...) __attribute__((format(printf, 4, 5)));
void tribo_mjcf_warn(TriboMjcf* r, const TriboXmlElement* e, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// For what has no effect on motion.
void tribo_mjcf_skip(TriboMjcf* r, const TriboXmlElement* e, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// For what changes the motion: an error, or with allow_unsupported an entry in the report.
void tribo_mjcf_refuse(TriboMjcf* r, const TriboXmlElement* e, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// Keeps a status that is not OK from a call that has filled the message; adds the place.
bool tribo_mjcf_check(TriboMjcf* r, TriboStatus status, const TriboXmlElement* e);
// The same for a call that adds to the builder, which says why it refuses.
bool tribo_mjcf_built(TriboMjcf* r, TriboStatus status, const TriboXmlElement* e);

// array[count++], zeroed; NULL after a failure. ARRAY is a member with _count and _capacity beside.
void* tribo_mjcf_append(TriboMjcf* r, void** array, int* count, int* capacity, size_t size);
// Adds the name of an element, where it has one, to a table; fails where it stands there already.
const char* tribo_mjcf_name(TriboMjcf* r, TriboXmlElement* e, TriboNames* names, int number);
// The element that an attribute names, -1 after a failure.
int tribo_mjcf_find(TriboMjcf* r, TriboXmlElement* e, const char* attribute,
                    const TriboNames* names);

// --- attributes, with default classes
// -------------------------------------------------------------

enum { TRIBO_MJCF_MAX_SOURCES = 64 };

// An element and where its attributes may stand: in itself, then in its default classes.
typedef struct TriboMjcfItem {
  TriboXmlElement* element;
  int count;
  TriboXmlElement* source[TRIBO_MJCF_MAX_SOURCES];
} TriboMjcfItem;

void tribo_mjcf_read_defaults(TriboMjcf* r);
// The class called `name`, -1 after a failure.
int tribo_mjcf_class(TriboMjcf* r, const TriboXmlElement* e, const char* name);
// kind: the name of the element in a default class; NULL: any actuator's. inherited: the class
// where the element names none.
TriboMjcfItem tribo_mjcf_item(TriboMjcf* r, TriboXmlElement* e, const char* kind, int inherited);
TriboMjcfItem tribo_mjcf_plain_item(TriboXmlElement* e);  // without classes

// The value of an attribute, or NULL; all places where it stands are marked used.
const char* tribo_mjcf_text(TriboMjcfItem* item, const char* name);
// Up to `count` numbers. Fewer leave the rest as the classes or `values` have them, and fewer than
// `least` fail. Returns how many the last place that has the attribute gives, 0: none does.
int tribo_mjcf_numbers(TriboMjcf* r, TriboMjcfItem* item, const char* name, int least, int count,
                       double* values);
double tribo_mjcf_number(TriboMjcf* r, TriboMjcfItem* item, const char* name, double otherwise);
int tribo_mjcf_integer(TriboMjcf* r, TriboMjcfItem* item, const char* name, int otherwise);
bool tribo_mjcf_bool(TriboMjcf* r, TriboMjcfItem* item, const char* name, bool otherwise);
// Index of the value in a list of words that ends with NULL.
int tribo_mjcf_word(TriboMjcf* r, TriboMjcfItem* item, const char* name, const char* const* words,
                    int otherwise);
// All numbers of an attribute of the element itself, in the pool; NULL and 0 where it is not there.
double* tribo_mjcf_number_list(TriboMjcf* r, TriboXmlElement* e, const char* name, int* count);
// pos, and orientation in any of its forms.
TriboPose tribo_mjcf_pose(TriboMjcf* r, TriboMjcfItem* item);
bool tribo_mjcf_orientation(TriboMjcf* r, TriboMjcfItem* item, TriboQuat* q);
// The rotation that takes z to a direction, the shortest way.
TriboQuat tribo_mjcf_quat_from_z(TriboVec3 direction);
// Whether a range counts: `limited` true, or auto and the range is there.
bool tribo_mjcf_limited(TriboMjcf* r, TriboMjcfItem* item, const char* limited, const char* range,
                        double values[2]);

// --- sections
// ---------------------------------------------------------------------------------------

void tribo_mjcf_read_assets(TriboMjcf* r);
// Reads the mesh's file, where it has not been read yet.
void tribo_mjcf_load_mesh(TriboMjcf* r, TriboMjcfMesh* mesh, const TriboXmlElement* user);
void tribo_mjcf_read_bodies(TriboMjcf* r);
void tribo_mjcf_read_geom(TriboMjcf* r, TriboXmlElement* e, int body, int inherited,
                          TriboPose frame);
void tribo_mjcf_read_contacts(TriboMjcf* r);
// Materials of all geoms, then the geoms as shapes or visuals.
void tribo_mjcf_add_geoms(TriboMjcf* r);
void tribo_mjcf_read_equalities(TriboMjcf* r);
void tribo_mjcf_read_tendons(TriboMjcf* r);
void tribo_mjcf_read_actuators(TriboMjcf* r);
void tribo_mjcf_read_sensors(TriboMjcf* r);
void tribo_mjcf_read_keyframes(TriboMjcf* r);
// Marks what default classes hold and a reader knows, then lists the rest.
void tribo_mjcf_report_losses(TriboMjcf* r);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_MJCF_H_
