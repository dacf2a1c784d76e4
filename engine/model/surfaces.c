// SPDX-License-Identifier: Apache-2.0
//
// What every two materials give together, computed once (docs/materials.md).
//
//   friction, viscosity   geometric mean: 0 where one of the two is 0
//   restitution           the larger
//   torsional, rolling    the larger: lengths of the contact patch, which the softer of the two
//   makes
//
// A pair that was set by tribo_builder_set_material_pair is taken as it is; the last one set wins.
#include <math.h>

#include "engine/model/model.h"

static size_t entry(int a, int b) {
  const size_t row = (size_t)(a > b ? a : b), column = (size_t)(a > b ? b : a);
  return row * (row + 1) / 2 + column;
}

size_t tribo_model_surface_count(const TriboBuilder* builder) {
  const int last = builder->count[TRIBO_KIND_MATERIAL];  // the default material
  return entry(last, last) + 1;
}

static TriboSurface combine(const TriboMaterialDesc* a, const TriboMaterialDesc* b) {
  TriboSurface surface;
  surface.friction = sqrt(a->friction) * sqrt(b->friction);
  surface.restitution = fmax(a->restitution, b->restitution);
  surface.viscosity = sqrt(a->viscosity) * sqrt(b->viscosity);
  surface.torsional = fmax(a->torsional, b->torsional);
  surface.rolling = fmax(a->rolling, b->rolling);
  return surface;
}

void tribo_model_compile_surfaces(TriboModel* model) {
  const TriboBuilder* b = model->source;
  const int count = b->count[TRIBO_KIND_MATERIAL];
  const TriboMaterialDesc fallback = tribo_material_default();
  for (int i = 0; i <= count; ++i) {
    const TriboMaterialDesc* first = i < count ? &b->material[i] : &fallback;
    for (int j = 0; j <= i; ++j) {
      const TriboMaterialDesc* second = j < count ? &b->material[j] : &fallback;
      TriboSurface* surface = &model->surface[entry(i, j)];
      *surface = combine(first, second);
      // A material on itself keeps its own value exactly.
      if (i == j) surface->friction = first->friction, surface->viscosity = first->viscosity;
    }
  }
  for (int i = 0; i < b->pair_count; ++i) {
    const TriboMaterialPair* p = &b->pair[i];
    const int first = p->material0 >= 0 ? p->material0 : count;
    const int second = p->material1 >= 0 ? p->material1 : count;
    TriboSurface* surface = &model->surface[entry(first, second)];
    surface->friction = p->desc.friction;
    surface->restitution = p->desc.restitution;
    surface->viscosity = p->desc.viscosity;
    surface->torsional = p->desc.torsional;
    surface->rolling = p->desc.rolling;
  }
  for (int i = 0; i < b->count[TRIBO_KIND_SHAPE]; ++i) {
    const int material = b->shape[i].material;
    model->shape_material[i] = material >= 0 ? material : count;
  }
}
