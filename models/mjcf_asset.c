// SPDX-License-Identifier: Apache-2.0
//
// Meshes (files, or vertices in the XML) and height fields (numbers in the XML, a PNG image, or
// MuJoCo's binary file: rows, columns as 32-bit integers, then 32-bit floats row by row, row 0 at
// the smallest y).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"
#include "engine/base/rotation.h"
#include "models/mesh_file.h"
#include "models/mjcf.h"
#include "models/path.h"
#include "models/png.h"

enum { MAX_CELLS = 1 << 22, MAX_PNG_BYTES = 32 << 20 };

// The file name without directories and ending, which names an asset that has no name.
static const char* base_name(TriboMjcf* r, const char* file) {
  const char* slash = strrchr(file, '/');
  const char* start = slash ? slash + 1 : file;
  const char* dot = strrchr(start, '.');
  return tribo_pool_text(r->pool, start, dot ? (size_t)(dot - start) : strlen(start));
}

static void add_name(TriboMjcf* r, TriboXmlElement* e, TriboNames* names, const char* file,
                     int number) {
  if (tribo_mjcf_name(r, e, names, number) || !file) return;
  const char* name = base_name(r, file);
  if (!name || tribo_names_add(names, r->pool, name, number) == TRIBO_NAMES_NO_MEMORY) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
  }
}

// The path of an asset's file: in `folder`, else in the general asset folder.
static const char* find_file(TriboMjcf* r, const TriboXmlElement* e, const char* folder,
                             const char* file) {
  if (r->strip_path && strrchr(file, '/')) file = strrchr(file, '/') + 1;
  const char* path;
  TriboStatus status = tribo_path_find(r->options, r->pool, tribo_xml_file(r->xml),
                                       folder ? folder : r->asset_folder, file, &path, r->message);
  return tribo_mjcf_check(r, status, e) ? path : NULL;
}

// scale, then the pose that refpos and refquat give is taken as the mesh's frame.
static void place_vertices(TriboMjcf* r, TriboMjcfItem* item, TriboMjcfMesh* mesh) {
  double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0};
  int given = tribo_mjcf_numbers(r, item, "refpos", 3, 3, p);
  given += tribo_mjcf_numbers(r, item, "refquat", 4, 4, q);
  if (!given) return;
  TriboQuat back = tribo_quat_conjugate(tribo_quat_normalize(tribo_quat(q[0], q[1], q[2], q[3])));
  for (int i = 0; i < mesh->vertex_count; ++i) {
    double* x = mesh->vertices + 3 * (size_t)i;
    TriboVec3 v = tribo_quat_rotate(back, tribo_vec3(x[0] - p[0], x[1] - p[1], x[2] - p[2]));
    x[0] = v.x, x[1] = v.y, x[2] = v.z;
  }
}

static void read_vertices(TriboMjcf* r, TriboMjcfItem* item, const double scale[3],
                          TriboMjcfMesh* mesh) {
  int count, faces;
  double* vertices = tribo_mjcf_number_list(r, item->element, "vertex", &count);
  double* face = tribo_mjcf_number_list(r, item->element, "face", &faces);
  if (!vertices || count < 12 || count % 3 != 0 || faces % 3 != 0) {
    tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, item->element,
                    "a mesh needs a file, or four vertices and more, and faces in threes");
    return;
  }
  mesh->vertex_count = count / 3;
  mesh->vertices = vertices;
  for (int i = 0; i < count; ++i) vertices[i] *= scale[i % 3];
  mesh->triangle_count = faces / 3;
  mesh->triangles = faces > 0 ? tribo_pool_take(r->pool, (size_t)faces, sizeof(int)) : NULL;
  bool mirrored = scale[0] * scale[1] * scale[2] < 0;
  for (int i = 0; i < faces && mesh->triangles; ++i) {
    // A mirror turns triangles round; their outside stays outside.
    double index = face[mirrored && i % 3 > 0 ? i - i % 3 + 3 - i % 3 : i];
    if (!(index >= 0 && index < mesh->vertex_count && index == floor(index))) {
      tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "a face names vertex %g of %d", index,
                      mesh->vertex_count);
      return;
    }
    mesh->triangles[i] = (int)index;
  }
}

static void read_file(TriboMjcf* r, TriboMjcfItem* item, const double scale[3],
                      TriboMjcfMesh* mesh) {
  const char* path = find_file(r, item->element, r->mesh_folder, mesh->file);
  if (!path) return;
  TriboMeshFileOptions options = tribo_mesh_file_options_default();
  options.scale = tribo_vec3(scale[0], scale[1], scale[2]);
  options.allocator = r->options->allocator;
  TriboMeshData* data;
  if (!tribo_mjcf_check(r, tribo_mesh_file_read(path, &options, &data, r->message),
                        item->element)) {
    return;
  }
  mesh->vertex_count = data->vertex_count;
  mesh->triangle_count = data->triangle_count;
  mesh->vertices = tribo_pool_take(r->pool, 3 * (size_t)data->vertex_count, sizeof(double));
  mesh->triangles = tribo_pool_take(r->pool, 3 * (size_t)data->triangle_count, sizeof(int));
  if (mesh->vertices && mesh->triangles) {
    memcpy(mesh->vertices, data->vertices, 3 * (size_t)data->vertex_count * sizeof(double));
    memcpy(mesh->triangles, data->triangles, 3 * (size_t)data->triangle_count * sizeof(int));
  } else {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, item->element, "out of memory");
  }
  tribo_mesh_data_destroy(data);
}

void tribo_mjcf_load_mesh(TriboMjcf* r, TriboMjcfMesh* mesh, const TriboXmlElement* user) {
  (void)user;
  if (mesh->loaded || r->status != TRIBO_OK) return;
  mesh->loaded = true;
  TriboMjcfItem item = tribo_mjcf_item(r, mesh->element, "mesh", 0);
  double scale[3] = {1, 1, 1};
  tribo_mjcf_numbers(r, &item, "scale", 3, 3, scale);
  if (scale[0] == 0 || scale[1] == 0 || scale[2] == 0) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, mesh->element, "a scale of 0 leaves nothing");
    return;
  }
  if (mesh->file) {
    read_file(r, &item, scale, mesh);
  } else {
    read_vertices(r, &item, scale, mesh);
  }
  if (r->status == TRIBO_OK) place_vertices(r, &item, mesh);
}

static void read_mesh(TriboMjcf* r, TriboXmlElement* e) {
  TriboMjcfMesh* mesh =
      tribo_mjcf_append(r, (void**)&r->meshes, &r->mesh_count, &r->mesh_capacity, sizeof *mesh);
  if (!mesh) return;
  mesh->element = e;
  mesh->file = tribo_xml_attribute(e, "file");
  tribo_xml_attribute(e, "content_type");
  add_name(r, e, &r->mesh_names, mesh->file, r->mesh_count - 1);
}

// ---------------------------------------------------------------------------------------------------
// Height fields
// ---------------------------------------------------------------------------------------------------

static unsigned long read_word(const unsigned char* b) {
  return b[0] | (unsigned long)b[1] << 8 | (unsigned long)b[2] << 16 | (unsigned long)b[3] << 24;
}

static double read_float(const unsigned char* b) {
  unsigned bits = (unsigned)read_word(b);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

// Takes rows that go from the far side to the near one; NULL: all 0.
static void set_rows(TriboMjcf* r, const TriboXmlElement* e, int rows, int columns,
                     const double* values, TriboMjcfHeightField* field) {
  field->rows = rows, field->columns = columns;
  size_t width = (size_t)columns;
  field->heights = tribo_pool_take(r->pool, (size_t)rows * width, sizeof(double));
  if (!field->heights) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
    return;
  }
  for (int row = 0; values && row < rows; ++row) {
    memcpy(field->heights + (size_t)(rows - 1 - row) * width, values + (size_t)row * width,
           width * sizeof *values);
  }
}

static void read_cells(TriboMjcf* r, TriboXmlElement* e, FILE* stream,
                       TriboMjcfHeightField* field) {
  unsigned char word[4];
  int size[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    if (fread(word, 1, 4, stream) == 4 && read_word(word) < 1 << 16) size[i] = (int)read_word(word);
  }
  field->rows = size[0], field->columns = size[1];
  long cells = (long)size[0] * size[1];
  if (size[0] < 2 || size[1] < 2 || cells > MAX_CELLS) {
    tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e, "the file does not start with rows and columns");
    return;
  }
  field->heights = tribo_pool_take(r->pool, (size_t)cells, sizeof(double));
  for (long i = 0; i < cells && field->heights; ++i) {
    if (fread(word, 1, 4, stream) != 4 || !isfinite(read_float(word))) {
      tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e, "the file ends early, or holds what is no number");
      return;
    }
    field->heights[i] = read_float(word);
  }
  if (!field->heights) tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
}

// The whole of a file, in the pool; NULL after a failure.
static unsigned char* read_bytes(TriboMjcf* r, TriboXmlElement* e, FILE* stream, size_t* size) {
  size_t capacity = 64 << 10;
  unsigned char* bytes = tribo_pool_take(r->pool, capacity, 1);
  *size = 0;
  while (bytes && (*size += fread(bytes + *size, 1, capacity - *size, stream)) == capacity) {
    if (capacity > MAX_PNG_BYTES) {
      tribo_mjcf_fail(r, TRIBO_ERROR_CAPACITY, e, "the image is larger than 32 MiB");
      return NULL;
    }
    unsigned char* larger = tribo_pool_take(r->pool, 2 * capacity, 1);
    if (larger) memcpy(larger, bytes, capacity);
    bytes = larger;
    capacity *= 2;
  }
  if (!bytes) tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
  return bytes;
}

// An image has its far side (greatest y) on top.
static void read_image(TriboMjcf* r, TriboXmlElement* e, FILE* stream,
                       TriboMjcfHeightField* field) {
  size_t size;
  TriboPng png;
  const unsigned char* bytes = read_bytes(r, e, stream, &size);
  if (!bytes || !tribo_mjcf_check(r, tribo_png_read(bytes, size, r->pool, &png, r->message), e)) {
    return;
  }
  if (png.rows < 2 || png.columns < 2) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "a height field needs 2 x 2 pixels and more");
    return;
  }
  set_rows(r, e, png.rows, png.columns, png.values, field);
}

static void read_file_heights(TriboMjcf* r, TriboXmlElement* e, const char* file,
                              TriboMjcfHeightField* field) {
  const char* path = find_file(r, e, NULL, file);
  if (!path) return;
  FILE* stream = fopen(path, "rb");
  if (!stream) {
    tribo_mjcf_fail(r, TRIBO_ERROR_FILE, e, "'%.100s' cannot be opened", path);
    return;
  }
  int first = fgetc(stream), second = fgetc(stream);
  rewind(stream);
  if (first == 0x89 && second == 'P') {
    read_image(r, e, stream, field);
  } else {
    read_cells(r, e, stream, field);
  }
  fclose(stream);
}

// The attribute lists rows from the far side (greatest y) to the near one.
static void read_elevation(TriboMjcf* r, TriboXmlElement* e, TriboMjcfHeightField* field) {
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  field->rows = tribo_mjcf_integer(r, &item, "nrow", 0);
  field->columns = tribo_mjcf_integer(r, &item, "ncol", 0);
  int count;
  const double* values = tribo_mjcf_number_list(r, e, "elevation", &count);
  long cells = (long)field->rows * field->columns;
  if (r->status != TRIBO_OK) return;
  if (field->rows < 2 || field->columns < 2 || cells > MAX_CELLS || (values && count != cells)) {
    tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e,
                    "a height field needs nrow and ncol of 2 or more, and as many numbers in "
                    "'elevation'");
    return;
  }
  set_rows(r, e, field->rows, field->columns, values, field);
}

static void read_height_field(TriboMjcf* r, TriboXmlElement* e) {
  TriboMjcfHeightField* field =
      tribo_mjcf_append(r, (void**)&r->height_fields, &r->height_field_count,
                        &r->height_field_capacity, sizeof *field);
  if (!field) return;
  const char* file = tribo_xml_attribute(e, "file");
  tribo_xml_attribute(e, "content_type");
  add_name(r, e, &r->height_field_names, file, r->height_field_count - 1);
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  if (tribo_mjcf_numbers(r, &item, "size", 4, 4, field->size) == 0) {
    tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e, "missing attribute 'size'");
  }
  for (int i = 0; i < 4; ++i) {
    if (!(field->size[i] > 0)) tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "sizes must be positive");
  }
  if (r->status != TRIBO_OK) return;
  if (file) {
    read_file_heights(r, e, file, field);
  } else {
    read_elevation(r, e, field);
  }
  if (r->status != TRIBO_OK) return;

  // Heights are normalized to 0..1, then scaled.
  int cells = field->rows * field->columns;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < cells; ++i) {
    low = fmin(low, field->heights[i]);
    high = fmax(high, field->heights[i]);
  }
  double scale = high > low ? field->size[2] / (high - low) : 0;
  for (int i = 0; i < cells; ++i) field->heights[i] = scale * (field->heights[i] - low);
}

void tribo_mjcf_read_assets(TriboMjcf* r) {
  TriboXmlElement* section = tribo_xml_child(r->root, "asset");
  for (; section && r->status == TRIBO_OK; section = tribo_xml_sibling(section, "asset")) {
    for (TriboXmlElement* e = section->first_child; e && r->status == TRIBO_OK; e = e->next) {
      if (strcmp(e->name, "mesh") == 0) {
        e->used = true;
        read_mesh(r, e);
      } else if (strcmp(e->name, "hfield") == 0) {
        e->used = true;
        read_height_field(r, e);
      } else if (strcmp(e->name, "model") == 0) {
        tribo_mjcf_refuse(r, e, "models as assets are not read");
        e->used = true;
      }
    }
  }
}
