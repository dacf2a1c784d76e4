// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a mesh file. The first byte chooses format and options; the rest is the file.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "models/mesh_file.h"

// What the header promises; a broken promise is a crash that the fuzzer sees.
static void Check(bool promise) {
  if (!promise) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  TriboMeshFileOptions options = tribo_mesh_file_options_default();
  options.format = data[0] & 1 ? TRIBO_MESH_FORMAT_STL : TRIBO_MESH_FORMAT_OBJ;
  options.hull = (data[0] & 2) != 0;
  options.weld = data[0] & 4 ? 1e-3 : 0;
  if (data[0] & 8) options.scale = {-0.001, 1e3, 1};
  TriboMeshData* mesh = nullptr;
  TriboMessage message = {};
  const TriboStatus status =
      tribo_mesh_file_parse(data + 1, size - 1, "fuzz", &options, &mesh, &message);
  Check((status == TRIBO_OK) == (mesh != nullptr));
  Check((status == TRIBO_OK) == (message.text[0] == '\0'));
  if (mesh == nullptr) return 0;
  Check(mesh->triangle_count > 0 && mesh->vertex_count >= 3);
  for (int k = 0; k < 3 * mesh->vertex_count; ++k) Check(std::isfinite(mesh->vertices[k]));
  for (int t = 0; t < mesh->triangle_count; ++t) {
    const int* c = mesh->triangles + 3 * t;
    for (int k = 0; k < 3; ++k) Check(c[k] >= 0 && c[k] < mesh->vertex_count);
    Check(c[0] != c[1] && c[1] != c[2] && c[2] != c[0]);
  }
  tribo_mesh_data_destroy(mesh);
  return 0;
}
