// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a trajectory file, which its writer and its reader both go by. Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_COLUMNS_H_
#define TRIBO_TOOLS_TRAJECTORY_COLUMNS_H_

#include <stdbool.h>

#include "tools/trajectory/npy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboColumn {
  TRIBO_COLUMN_TIME = 0,
  TRIBO_COLUMN_Q,
  TRIBO_COLUMN_V,
  TRIBO_COLUMN_CONTROL,
  TRIBO_COLUMN_EFFORT,
  TRIBO_COLUMN_CERTIFICATE,
  TRIBO_COLUMN_ENERGY,
  TRIBO_COLUMN_MOMENTUM,
  TRIBO_COLUMN_DEEPEST,
  TRIBO_COLUMN_SOLVER,
  TRIBO_COLUMN_CONTACT_END,
  TRIBO_COLUMN_CONTACT_ID,
  TRIBO_COLUMN_CONTACT_SHAPES,
  TRIBO_COLUMN_CONTACT_MODE,
  TRIBO_COLUMN_CONTACT_POINT,
  TRIBO_COLUMN_CONTACT_NORMAL,
  TRIBO_COLUMN_CONTACT_FORCE,
  TRIBO_COLUMN_CONTACT_GAP,
  TRIBO_COLUMN_CONTACT_SLIP,
  TRIBO_COLUMN_EVENT_TIME,
  TRIBO_COLUMN_EVENT_TYPE,
  TRIBO_COLUMN_EVENT_ID,
  TRIBO_COLUMN_EVENT_SHAPES,
  TRIBO_COLUMN_WRENCH_ROW,
  TRIBO_COLUMN_WRENCH_LINK,
  TRIBO_COLUMN_WRENCH,
  TRIBO_COLUMN_INITIAL_STATE,
  TRIBO_COLUMN_META,
  TRIBO_COLUMN_COUNT,
} TriboColumn;

// What counts an array's rows.
typedef enum TriboColumnScope {
  TRIBO_SCOPE_ROW = 0,
  TRIBO_SCOPE_CONTACT,
  TRIBO_SCOPE_EVENT,
  TRIBO_SCOPE_WRENCH,
  TRIBO_SCOPE_BYTES,  // as many as there are
  TRIBO_SCOPE_TEXT,   // one string
} TriboColumnScope;

// Elements of a row: a number, or one of these.
enum { TRIBO_WIDTH_NQ = -1, TRIBO_WIDTH_NV = -2, TRIBO_WIDTH_NU = -3 };

typedef struct TriboColumnInfo {
  const char* name;
  char type;
  int size;
  int width;  // 0: one-dimensional
  TriboColumnScope scope;
  bool optional;
} TriboColumnInfo;

extern const TriboColumnInfo tribo_columns[TRIBO_COLUMN_COUNT];

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_COLUMNS_H_
