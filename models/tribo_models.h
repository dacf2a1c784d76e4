// SPDX-License-Identifier: Apache-2.0
//
// Reading models from files: the public API of models/. A reader never prints; what it met on the
// way and the caller should know stands in a TriboReport.
#ifndef TRIBO_MODELS_TRIBO_MODELS_H_
#define TRIBO_MODELS_TRIBO_MODELS_H_

#include <stdio.h>

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboReportKind {
  TRIBO_REPORT_WARNING = 0,  // wrong but common; the text says what was assumed instead
  TRIBO_REPORT_UNUSED,       // read, but nothing in Tribo uses it: no effect on motion
  TRIBO_REPORT_UNSUPPORTED,  // would change the motion, and Tribo does not do it
} TriboReportKind;

enum {
  TRIBO_REPORT_FILE_SIZE = 256,
  TRIBO_REPORT_ELEMENT_SIZE = 96,
  TRIBO_REPORT_TEXT_SIZE = 256,
  TRIBO_REPORT_DEFAULT_CAPACITY = 256,
  TRIBO_REPORT_PLACES = 16,  // kept per entry of a full list, shared by all entries
};

// One line of a report. Texts that do not fit are cut. Findings of one kind with the same file and
// text are one entry; of what a reader does not use, those about the same element or attribute.
typedef struct TriboReportEntry {
  TriboReportKind kind;
  char file[TRIBO_REPORT_FILE_SIZE];        // empty for a buffer without a name
  int line;                                 // 1-based, of the first occurrence
  int occurrences;                          // >= 1
  char element[TRIBO_REPORT_ELEMENT_SIZE];  // of the first occurrence
  char text[TRIBO_REPORT_TEXT_SIZE];        // why, and what was done
} TriboReportEntry;

// A list of findings with room for `capacity` entries, all allocated at creation.
typedef struct TriboReport TriboReport;

// capacity > 0. Statuses: TRIBO_ERROR_ARGUMENT, TRIBO_ERROR_MEMORY.
TRIBO_API TriboStatus tribo_report_create(int capacity, const TriboAllocator* allocator,
                                          TriboReport** report) TRIBO_CHECKED;
TRIBO_API void tribo_report_destroy(TriboReport* report);
TRIBO_API void tribo_report_clear(TriboReport* report);

TRIBO_API int tribo_report_count(const TriboReport* report);
// NULL where the index is out of range; owned by the report, valid until it changes.
TRIBO_API const TriboReportEntry* tribo_report_entry(const TriboReport* report, int index);
// The places of an entry, in the order they were found, the first included. FALSE where the index
// is out of range or there was no room to keep so many. O(place).
typedef struct TriboReportPlace {
  int line;
  const char* element;  // owned by the report, as the entry is
} TriboReportPlace;
TRIBO_API bool tribo_report_place(const TriboReport* report, int entry, int place,
                                  TriboReportPlace* result);
// Findings that found the list full.
TRIBO_API int tribo_report_dropped(const TriboReport* report);

// How the root of a robot hangs on the world.
typedef enum TriboRootType {
  TRIBO_ROOT_AUTO = 0,  // URDF: fixed where the root is named "world" or has no mass of its own or
                        // welded to it, free otherwise. MJCF: as the file says
  TRIBO_ROOT_FREE,      // MJCF: bodies of the world without a joint, but with joints below them
  TRIBO_ROOT_FIXED,     // URDF only
} TriboRootType;

typedef struct TriboLoadOptions {
  TriboRootType root;
  bool strict;  // anything unused or unsupported is TRIBO_ERROR_UNSUPPORTED, not an entry
  // What would change the motion and Tribo does not do (tendons, muscles, ...) is left out and
  // reported as TRIBO_REPORT_UNSUPPORTED, instead of TRIBO_ERROR_UNSUPPORTED.
  bool allow_unsupported;
  // Files that a file names (meshes, height fields, includes) may lie anywhere. Otherwise they are
  // below the directory of the file itself, below its package, or below a search path; links of the
  // file system are followed.
  bool allow_path_escape;
  // Directories where relative names are looked for after the directory of the file; and
  // package://NAME/REST as DIRECTORY/NAME/REST and, where DIRECTORY is called NAME, DIRECTORY/REST.
  int search_path_count;
  const char* const* search_paths;
  const TriboAllocator* allocator;  // NULL: the C library
  // A horizontal plane of the default material is added to the world, floor_gap (m) below the
  // lowest point of all shapes on links where the scene starts (its first keyframe, if any).
  bool floor;
  double floor_gap;
} TriboLoadOptions;
TRIBO_API TriboLoadOptions tribo_load_options_default(void);

// What a file describes: a builder, filled; the report; and what is no part of a model.
typedef struct TriboScene TriboScene;

// Reads a URDF robot (root element <robot>) or an MJCF model (<mujoco>). docs/urdf.md and
// docs/mjcf.md say what is read, what is reported and what is refused. options and message may be
// NULL. On failure *scene is NULL and the message names file, line, element and remedy. Statuses:
// TRIBO_ERROR_FILE (this file or one that it names), _PARSE (XML, numbers, missing attributes),
// _MODEL (duplicate names, unknown names, cycles), _UNSUPPORTED, _CAPACITY, _MEMORY, _ARGUMENT.
TRIBO_API TriboStatus tribo_scene_load(const char* file, const TriboLoadOptions* options,
                                       TriboScene** scene, TriboMessage* message) TRIBO_CHECKED;
// The same from `size` bytes of text. `name` stands for the file in messages, and its directory is
// where relative names are looked for; NULL: only the search paths are.
TRIBO_API TriboStatus tribo_scene_load_string(const char* text, size_t size, const char* name,
                                              const TriboLoadOptions* options, TriboScene** scene,
                                              TriboMessage* message) TRIBO_CHECKED;
TRIBO_API void tribo_scene_destroy(TriboScene* scene);

typedef enum TriboFormat {
  TRIBO_FORMAT_URDF = 0,
  TRIBO_FORMAT_MJCF,
} TriboFormat;
TRIBO_API TriboFormat tribo_scene_format(const TriboScene* scene);
TRIBO_API const char* tribo_scene_name(const TriboScene* scene);  // of the robot or model, or ""

// The description, owned by the scene. More may be added before a model is made of it.
TRIBO_API TriboBuilder* tribo_scene_builder(TriboScene* scene);
TRIBO_API const TriboReport* tribo_scene_report(const TriboScene* scene);
// The file's time step, s; 0 where it says none.
TRIBO_API double tribo_scene_timestep(const TriboScene* scene);

// A state that the file gives a name. Numbered as the model's q (quaternions w x y z), v and
// controls are.
typedef struct TriboKeyframe {
  const char* name;  // or ""
  double time;
  int nq, nv, nu;
  const double* q;
  const double* v;
  const double* control;
} TriboKeyframe;
TRIBO_API int tribo_scene_key_count(const TriboScene* scene);
// NULL where the index is out of range, as below.
TRIBO_API const TriboKeyframe* tribo_scene_key(const TriboScene* scene, int key);

// Something to be seen that does not collide.
typedef struct TriboVisual {
  TriboShapeDesc shape;  // type, link, pose, size, and of a mesh its vertices and triangles
  double rgba[4];        // 0..1
} TriboVisual;
TRIBO_API int tribo_scene_visual_count(const TriboScene* scene);
TRIBO_API const TriboVisual* tribo_scene_visual(const TriboScene* scene, int visual);

typedef enum TriboSensorType {
  TRIBO_SENSOR_JOINT_POSITION = 0,  // of a hinge or slide joint: q                               1
  TRIBO_SENSOR_JOINT_VELOCITY,      // v                                                          1
  TRIBO_SENSOR_BALL_ROTATION,       // of a ball joint: w x y z                                   4
  TRIBO_SENSOR_BALL_VELOCITY,       // angular velocity, child axes                               3
  TRIBO_SENSOR_ACCELEROMETER,       // of a frame: specific force, own axes (tribo_imu)           3
  TRIBO_SENSOR_GYRO,                // angular velocity, own axes (tribo_imu)                     3
  TRIBO_SENSOR_VELOCIMETER,         // linear velocity, own axes                                  3
  TRIBO_SENSOR_POSITION,            // world position                                             3
  TRIBO_SENSOR_ROTATION,            // world orientation w x y z                                  4
  TRIBO_SENSOR_LINEAR_VELOCITY,     // world axes                                                 3
  TRIBO_SENSOR_ANGULAR_VELOCITY,    // world axes                                                 3
} TriboSensorType;

typedef struct TriboSensor {
  const char* name;
  TriboSensorType type;
  int joint;  // of joint and ball sensors, else -1
  int frame;  // of the others, a frame of the model, else -1
} TriboSensor;
TRIBO_API int tribo_scene_sensor_count(const TriboScene* scene);
TRIBO_API const TriboSensor* tribo_scene_sensor(const TriboScene* scene, int sensor);
// What a sensor says of the state, and an accelerometer of the last step in this workspace: up to
// four numbers, `count` of them. TRIBO_ERROR_ARGUMENT: a sensor of another model, or an
// accelerometer before the first step.
TRIBO_API TriboStatus tribo_sensor_read(const TriboSensor* sensor, const TriboModel* model,
                                        const TriboState* state, TriboWorkspace* workspace,
                                        double values[4], int* count) TRIBO_CHECKED;

// Writes a model as MJCF, with the same coordinates q and v: links, joints, shapes, loops,
// actuators, frames, and from `scene` (which may be NULL) name, time step, keyframes and visuals.
// What MJCF cannot say is added to `report` (may be NULL): combination rules of materials, hinge
// loops, compliance, meshes of the world that are not convex. Exclusions of links are not written.
// TRIBO_ERROR_FILE: out does not take the text.
TRIBO_API TriboStatus tribo_mjcf_write(const TriboModel* model, const TriboScene* scene, FILE* out,
                                       TriboReport* report, TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_TRIBO_MODELS_H_
