// SPDX-License-Identifier: Apache-2.0
//
// Which geoms touch and how rough they are. MuJoCo combines two surfaces by the larger number of
// each kind of friction, or takes those of the geom with the higher priority; that is written out
// as one override for every pair of different materials.
#include <math.h>
#include <string.h>

#include "models/mjcf.h"

enum { MAX_MATERIALS = 512 };

// ---------------------------------------------------------------------------------------------------
// The contact section
// ---------------------------------------------------------------------------------------------------

// MuJoCo's coefficients of torsion and rolling times the normal force are torques; Tribo's lengths
// are multiplied by the sliding friction too.
static TriboMaterialDesc make_material(const TriboMjcf* r, int condim, const double friction[3]) {
  TriboMaterialDesc d = tribo_material_default();
  d.friction = condim >= 3 ? friction[0] : 0;
  d.torsional = condim >= 4 && d.friction > 0 ? friction[1] / d.friction : 0;
  d.restitution = r->restitution;
  d.viscosity = r->viscosity;
  d.rolling = condim >= 6 && d.friction > 0 ? friction[2] / d.friction : 0;
  return d;
}

static TriboMaterialDesc combine(const TriboMjcf* r, const TriboMjcfGeom* a,
                                 const TriboMjcfGeom* b) {
  if (a->priority != b->priority) {
    const TriboMjcfGeom* first = a->priority > b->priority ? a : b;
    return make_material(r, first->condim, first->friction);
  }
  double friction[3];
  for (int i = 0; i < 3; ++i) friction[i] = fmax(a->friction[i], b->friction[i]);
  return make_material(r, a->condim > b->condim ? a->condim : b->condim, friction);
}

static void read_pair(TriboMjcf* r, TriboXmlElement* e) {
  tribo_xml_attribute(e, "name");
  int a = tribo_mjcf_find(r, e, "geom1", &r->geom_names);
  int b = tribo_mjcf_find(r, e, "geom2", &r->geom_names);
  if (r->status != TRIBO_OK) return;
  if (a == b) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "a geom cannot touch itself");
    return;
  }
  int body0 = r->geoms[a].body, body1 = r->geoms[b].body;
  bool parent = r->bodies[body0].parent == body1 || r->bodies[body1].parent == body0;
  bool world = r->bodies[body0].is_static || r->bodies[body1].is_static;
  if (body0 == body1 || (parent && !world && !r->allow_parent_child)) {
    tribo_mjcf_refuse(r, e, "a pair on one body, or on a body and its parent; left out");
    return;
  }
  TriboMjcfPair* pair =
      tribo_mjcf_append(r, (void**)&r->pairs, &r->pair_count, &r->pair_capacity, sizeof *pair);
  if (!pair) return;
  pair->geom0 = a, pair->geom1 = b;
  pair->desc = combine(r, &r->geoms[a], &r->geoms[b]);
  // Friction: two tangents, torsion, two rolling directions.
  TriboMjcfItem item = tribo_mjcf_item(r, e, "pair", 0);
  const TriboMjcfGeom* larger =
      r->geoms[a].condim > r->geoms[b].condim ? &r->geoms[a] : &r->geoms[b];
  int condim = tribo_mjcf_integer(r, &item, "condim", larger->condim);
  double f[5] = {1, 1, 0.005, 0.0001, 0.0001};
  int given = tribo_mjcf_numbers(r, &item, "friction", 1, 5, f);
  if (given == 1) f[1] = f[0];
  bool changed = given > 0 || tribo_mjcf_text(&item, "condim");
  if (given == 0) {
    for (int i = 0; i < 3; ++i) {
      double value = fmax(r->geoms[a].friction[i], r->geoms[b].friction[i]);
      f[i == 0 ? 0 : i + 1] = value;
    }
    f[1] = f[0];
  }
  if (f[0] != f[1]) {
    tribo_mjcf_refuse(r, e,
                      "friction that differs by direction is not supported; the first counts");
  }
  const double friction[3] = {f[0], f[2], f[3]};
  for (int i = 0; i < 3; ++i) {
    if (friction[i] < 0) tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "negative friction");
  }
  if (changed) pair->desc = make_material(r, condim, friction);
}

void tribo_mjcf_read_contacts(TriboMjcf* r) {
  TriboXmlElement* section = tribo_xml_child(r->root, "contact");
  for (; section && r->status == TRIBO_OK; section = tribo_xml_sibling(section, "contact")) {
    for (TriboXmlElement* e = section->first_child; e && r->status == TRIBO_OK; e = e->next) {
      if (strcmp(e->name, "exclude") == 0) {
        e->used = true;
        tribo_xml_attribute(e, "name");
        int a = tribo_mjcf_find(r, e, "body1", &r->body_names);
        int b = tribo_mjcf_find(r, e, "body2", &r->body_names);
        if (r->status != TRIBO_OK) return;
        tribo_mjcf_built(
            r, tribo_builder_exclude(r->scene->builder, r->bodies[a].link, r->bodies[b].link), e);
      } else if (strcmp(e->name, "pair") == 0) {
        e->used = true;
        read_pair(r, e);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------
// Materials and shapes
// ---------------------------------------------------------------------------------------------------

static bool collides(const TriboShapeDesc* a, const TriboShapeDesc* b) {
  return (a->group & b->mask) != 0 || (b->group & a->mask) != 0;
}

static bool same_surface(const TriboMjcfGeom* a, const TriboMjcfGeom* b) {
  return a->condim == b->condim && a->priority == b->priority && a->friction[0] == b->friction[0] &&
         a->friction[1] == b->friction[1] && a->friction[2] == b->friction[2];
}

// A pair that contype and conaffinity keep apart gets a bit of its own.
static void let_touch(TriboMjcf* r, const TriboMjcfPair* pair, uint32_t* used) {
  TriboShapeDesc *a = &r->geoms[pair->geom0].desc, *b = &r->geoms[pair->geom1].desc;
  if (collides(a, b)) return;
  uint32_t bit = 1;
  while (bit && (*used & bit)) bit <<= 1;
  if (bit == 0) {
    tribo_mjcf_refuse(r, r->geoms[pair->geom0].element,
                      "there are more contact pairs than free bits; a pair is left out");
    return;
  }
  *used |= bit;
  a->group |= bit;
  b->mask |= bit;
}

// Numbers the materials: geoms of one surface share one, those of named pairs have their own.
// first[m] is a geom that has material m.
static int number_materials(TriboMjcf* r, int* first) {
  bool* own = tribo_pool_take(r->pool, (size_t)r->geom_count + 1, sizeof *own);
  if (!own) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, r->root, "out of memory");
    return 0;
  }
  for (int i = 0; i < r->pair_count; ++i) own[r->pairs[i].geom0] = own[r->pairs[i].geom1] = true;
  int count = 0;
  for (int i = 0; i < r->geom_count; ++i) {
    TriboMjcfGeom* geom = &r->geoms[i];
    if (geom->desc.group == 0 && geom->desc.mask == 0) continue;
    int m = own[i] ? count : 0;
    while (m < count && (own[first[m]] || !same_surface(geom, &r->geoms[first[m]]))) ++m;
    if (m == MAX_MATERIALS) {
      tribo_mjcf_fail(r, TRIBO_ERROR_CAPACITY, geom->element, "more than 512 different surfaces");
      return 0;
    }
    if (m == count) first[count++] = i;
    geom->desc.material = m;
  }
  return count;
}

static void add_materials(TriboMjcf* r) {
  int first[MAX_MATERIALS];
  int count = number_materials(r, first);
  for (int i = 0; i < count && r->status == TRIBO_OK; ++i) {
    const TriboMjcfGeom* a = &r->geoms[first[i]];
    TriboMaterialDesc d = make_material(r, a->condim, a->friction);
    tribo_mjcf_built(r, tribo_builder_add_material(r->scene->builder, &d, NULL), a->element);
    for (int j = 0; j < i && r->status == TRIBO_OK; ++j) {
      d = combine(r, a, &r->geoms[first[j]]);
      tribo_mjcf_built(r, tribo_builder_set_material_pair(r->scene->builder, j, i, &d), a->element);
    }
  }
  for (int i = 0; i < r->pair_count && r->status == TRIBO_OK; ++i) {
    const TriboMjcfGeom *a = &r->geoms[r->pairs[i].geom0], *b = &r->geoms[r->pairs[i].geom1];
    tribo_mjcf_built(r,
                     tribo_builder_set_material_pair(r->scene->builder, a->desc.material,
                                                     b->desc.material, &r->pairs[i].desc),
                     a->element);
  }
}

static void add_visual(TriboMjcf* r, const TriboMjcfGeom* geom) {
  TriboVisual visual;
  visual.shape = geom->desc;
  if (geom->desc.type == TRIBO_SHAPE_HULL) visual.shape.type = TRIBO_SHAPE_MESH;
  memcpy(visual.rgba, geom->rgba, sizeof visual.rgba);
  if (tribo_scene_add_visual(r->scene, &visual) != TRIBO_OK) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, geom->element, "out of memory");
  }
}

void tribo_mjcf_add_geoms(TriboMjcf* r) {
  uint32_t used = 0;
  for (int i = 0; i < r->geom_count; ++i) used |= r->geoms[i].desc.group | r->geoms[i].desc.mask;
  for (int i = 0; i < r->pair_count; ++i) let_touch(r, &r->pairs[i], &used);
  add_materials(r);
  for (int i = 0; i < r->geom_count && r->status == TRIBO_OK; ++i) {
    TriboMjcfGeom* geom = &r->geoms[i];
    if (geom->desc.group == 0 && geom->desc.mask == 0) {
      add_visual(r, geom);
      continue;
    }
    TriboShapeDesc d = geom->desc;
    if (d.type == TRIBO_SHAPE_HULL) d.triangle_count = 0, d.triangles = NULL;
    tribo_mjcf_built(r, tribo_builder_add_shape(r->scene->builder, &d, NULL), geom->element);
  }
}
