// SPDX-License-Identifier: Apache-2.0
#include "tools/tribo/output.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "engine/tribo.h"

json_t* tribo_json_begin(const char* command) {
  return json_pack("{s:s, s:s}", "tribo", tribo_version(), "command", command);
}

int tribo_json_print(FILE* out, json_t* object) {
  int failed = json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(object);
  return failed != 0 || fputc('\n', out) == EOF ? -1 : 0;
}

enum { CELL_SIZE = 128 };

// Writes a value as a table shows it; returns whether it is a number.
static bool format_cell(const json_t* value, char cell[CELL_SIZE]) {
  switch (json_typeof(value)) {
    case JSON_STRING:
      snprintf(cell, CELL_SIZE, "%s", json_string_value(value));
      return false;
    case JSON_INTEGER:
      snprintf(cell, CELL_SIZE, "%lld", (long long)json_integer_value(value));
      return true;
    case JSON_REAL:
      snprintf(cell, CELL_SIZE, "%.6g", json_real_value(value));
      return true;
    case JSON_TRUE:
    case JSON_FALSE:
      snprintf(cell, CELL_SIZE, "%s", json_is_true(value) ? "yes" : "no");
      return false;
    default:
      snprintf(cell, CELL_SIZE, "-");
      return false;
  }
}

// The keys of all rows, in the order in which they first appear, each with its column's width.
static json_t* measure_columns(const json_t* rows) {
  json_t* widths = json_object();
  char cell[CELL_SIZE];
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    const char* key;
    json_t* value;
    json_object_foreach(row, key, value) {
      format_cell(value, cell);
      json_int_t width = (json_int_t)strlen(key);
      if ((json_int_t)strlen(cell) > width) width = (json_int_t)strlen(cell);
      json_int_t known = json_integer_value(json_object_get(widths, key));
      if (width > known) json_object_set_new(widths, key, json_integer(width));
    }
  }
  return widths;
}

void tribo_table_print(FILE* out, const json_t* rows) {
  json_t* widths = measure_columns(rows);
  const char* key;
  json_t* width;
  const char* gap = "";
  json_object_foreach(widths, key, width) {
    fprintf(out, "%s%-*s", gap, (int)json_integer_value(width), key);
    gap = "  ";
  }
  fputc('\n', out);
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    gap = "";
    json_object_foreach(widths, key, width) {
      char cell[CELL_SIZE] = "-";
      const json_t* value = json_object_get(row, key);
      bool number = value != NULL && format_cell(value, cell);
      int columns = (int)json_integer_value(width);
      fprintf(out, "%s%*s", gap, number ? columns : -columns, cell);
      gap = "  ";
    }
    fputc('\n', out);
  }
  json_decref(widths);
}

void tribo_complain(const char* command, const char* format, ...) {
  fprintf(stderr, "tribo %s: ", command);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

void tribo_complain_at(const char* command, const TriboMessage* message) {
  if (message->file[0] != '\0' && message->line > 0)
    tribo_complain(command, "%s:%d: %s", message->file, message->line, message->text);
  else if (message->file[0] != '\0')
    tribo_complain(command, "%s: %s", message->file, message->text);
  else
    tribo_complain(command, "%s", message->text);
}
