// SPDX-License-Identifier: Apache-2.0
//
// Reading models from files: the public API of models/. A reader never prints; what it met on the
// way and the caller should know stands in a TriboReport.
#ifndef TRIBO_MODELS_TRIBO_MODELS_H_
#define TRIBO_MODELS_TRIBO_MODELS_H_

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
};

// One line of a report. Texts that do not fit are cut. Findings of one kind with the same file,
// element and text are one entry.
typedef struct TriboReportEntry {
  TriboReportKind kind;
  char file[TRIBO_REPORT_FILE_SIZE];  // empty for a buffer without a name
  int line;                           // 1-based, of the first occurrence
  int occurrences;                    // >= 1
  char element[TRIBO_REPORT_ELEMENT_SIZE];
  char text[TRIBO_REPORT_TEXT_SIZE];  // why, and what was done
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
// Findings that found the list full.
TRIBO_API int tribo_report_dropped(const TriboReport* report);

// How the root of a robot hangs on the world.
typedef enum TriboRootType {
  TRIBO_ROOT_AUTO = 0,  // fixed where the root is named "world" or has no mass of its own or welded
                        // to it, free otherwise
  TRIBO_ROOT_FREE,
  TRIBO_ROOT_FIXED,
} TriboRootType;

typedef struct TriboLoadOptions {
  TriboRootType root;
  bool strict;  // anything unused or unsupported is TRIBO_ERROR_UNSUPPORTED instead of an entry
  const TriboAllocator* allocator;  // memory while loading; NULL: the C library
} TriboLoadOptions;
TRIBO_API TriboLoadOptions tribo_load_options_default(void);

// Reads a URDF robot into a builder: links, joints, limits, dynamics, mimic (gear loops), collision
// boxes, cylinders, spheres and capsules, and an effort actuator per transmission. A root link
// named "world" becomes TRIBO_WORLD itself. Links that move and have no mass get 1e-3 kg and 1e-6
// kg m^2, with a warning. options, report and message may be NULL.
//
// The file is checked before the builder is touched; only TRIBO_ERROR_MEMORY may leave part of the
// robot in it. Statuses: TRIBO_ERROR_FILE, _PARSE (XML, numbers, missing attributes), _MODEL
// (duplicate names, unknown links, cycles), _UNSUPPORTED (strict), _CAPACITY, _MEMORY, _ARGUMENT.
TRIBO_API TriboStatus tribo_load_urdf(TriboBuilder* builder, const char* file,
                                      const TriboLoadOptions* options, TriboReport* report,
                                      TriboMessage* message) TRIBO_CHECKED;
TRIBO_API TriboStatus tribo_load_urdf_string(TriboBuilder* builder, const char* text,
                                             const TriboLoadOptions* options, TriboReport* report,
                                             TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_TRIBO_MODELS_H_
