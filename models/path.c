// SPDX-License-Identifier: Apache-2.0
#include "models/path.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/message.h"

enum { PATH_SIZE = 4096 };

// Length of the directory part of a path, its last slash included.
static size_t directory_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

// Whether a relative path stays below where it starts, at every step of the way.
static bool stays_below(const char* path) {
  if (path[0] == '/' || strchr(path, '\\')) return false;
  int depth = 0;
  while (*path) {
    size_t length = strcspn(path, "/");
    if (length == 2 && path[0] == '.' && path[1] == '.') {
      if (--depth < 0) return false;
    } else if (length > 0 && !(length == 1 && path[0] == '.')) {
      ++depth;
    }
    path += length + (path[length] == '/');
  }
  return true;
}

static bool is_file(const char* path) {
  FILE* stream = fopen(path, "rb");
  if (!stream) return false;
  // Directories open on some systems, and do not read.
  bool readable = fgetc(stream) != EOF || !ferror(stream);
  fclose(stream);
  return readable;
}

// Takes directory (its first `length` characters) / rest, if that file exists.
static const char* try_path(TriboPool* pool, const char* directory, size_t length,
                            const char* rest) {
  char path[PATH_SIZE];
  const char* slash = length > 0 && directory[length - 1] != '/' ? "/" : "";
  if (length >= PATH_SIZE) return NULL;
  int size = snprintf(path, sizeof path, "%.*s%s%s", (int)length, directory, slash, rest);
  if (size < 0 || size >= PATH_SIZE || !is_file(path)) return NULL;
  return tribo_pool_text(pool, path, (size_t)size);
}

// Whether the last component of a directory (its first `length` characters) is `name`.
static bool is_called(const char* directory, size_t length, const char* name, size_t name_length) {
  while (length > 0 && directory[length - 1] == '/') --length;
  return length >= name_length &&
         strncmp(directory + length - name_length, name, name_length) == 0 &&
         (length == name_length || directory[length - name_length - 1] == '/');
}

// package://NAME/REST: in the directory NAME that the file itself is in, or on the search path.
static const char* find_in_package(const TriboLoadOptions* o, TriboPool* pool, const char* base,
                                   const char* name) {
  size_t name_length = strcspn(name, "/");
  if (name[name_length] != '/') return NULL;
  const char* rest = name + name_length + 1;
  for (size_t length = directory_length(base); length > 0;) {
    if (is_called(base, length, name, name_length)) {
      const char* path = try_path(pool, base, length, rest);
      if (path) return path;
    }
    while (length > 0 && base[length - 1] == '/') --length;
    while (length > 0 && base[length - 1] != '/') --length;
  }
  for (int i = 0; i < o->search_path_count; ++i) {
    const char* directory = o->search_paths[i];
    const char* path = try_path(pool, directory, strlen(directory), name);
    if (!path && is_called(directory, strlen(directory), name, name_length)) {
      path = try_path(pool, directory, strlen(directory), rest);
    }
    if (path) return path;
  }
  return NULL;
}

static const char* find_relative(const TriboLoadOptions* o, TriboPool* pool, const char* base,
                                 const char* name) {
  const char* path = base[0] ? try_path(pool, base, directory_length(base), name) : NULL;
  for (int i = 0; !path && i < o->search_path_count; ++i) {
    path = try_path(pool, o->search_paths[i], strlen(o->search_paths[i]), name);
  }
  return path;
}

TriboStatus tribo_path_find(const TriboLoadOptions* options, TriboPool* pool, const char* base,
                            const char* folder, const char* name, const char** path,
                            TriboMessage* message) {
  if (!base) base = "";
  *path = NULL;
  bool package = strncmp(name, "package://", 10) == 0;
  const char* plain = package ? name + 10 : strncmp(name, "file://", 7) == 0 ? name + 7 : name;
  char joined[PATH_SIZE];
  const char* slash = folder && folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";
  bool in_folder = folder && folder[0] && !package && plain[0] != '/';
  int size = snprintf(joined, sizeof joined, "%s%s%s", in_folder ? folder : "",
                      in_folder ? slash : "", plain);
  if (size < 0 || size >= PATH_SIZE || plain[0] == '\0') {
    return tribo_message_set(message, TRIBO_ERROR_FILE, "no usable file name: '%.80s'", name);
  }
  if (!options->allow_path_escape && !stays_below(joined)) {
    return tribo_message_set(message, TRIBO_ERROR_FILE,
                             "'%.200s' lies outside of the directory of the file; put its "
                             "directory on the search path, or allow path escapes",
                             joined);
  }
  if (package) {
    *path = find_in_package(options, pool, base, joined);
    if (!*path) *path = find_relative(options, pool, base, joined);
  } else if (joined[0] == '/') {
    *path = try_path(pool, "", 0, joined);
  } else {
    *path = find_relative(options, pool, base, joined);
  }
  if (*path) return TRIBO_OK;
  return tribo_message_set(message, TRIBO_ERROR_FILE,
                           "there is no file '%.200s'; check the name and the search path", name);
}
