// SPDX-License-Identifier: Apache-2.0
//
// bench collision: what a pair of shapes costs in the narrow phase, by nanoseconds and
// instructions, for each method that serves it; the same pairs by libccd's MPR alone, which gives
// one point and often another direction; feet on terrain; the pairs of a pile; and how the broad
// phase grows with the number of moving boxes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collision/broad_phase.h"
#include "collision/convex.h"
#include "collision/height_field.h"
#include "collision/hull.h"
#include "collision/libccd.h"
#include "collision/narrow.h"
#include "engine/base/random.h"
#include "engine/base/rotation.h"
#include "tools/tribo/bench.h"

enum { POSES = 64, CONTACTS = 256 };

// One pair of shapes in many poses, called one after the other.
typedef struct Pair {
  TriboShape a, b;
  TriboTransform X_WA[POSES], X_WB[POSES];
  double margin;
  int next, contacts;
  TriboContact contact[CONTACTS];
  bool failed;
} Pair;

static void collide(void* data) {
  Pair* pair = data;
  const int i = pair->next;
  pair->next = (i + 1) % POSES;
  int count = 0;
  pair->failed |= tribo_collide(&pair->a, &pair->X_WA[i], &pair->b, &pair->X_WB[i], pair->margin,
                                pair->contact, CONTACTS, &count) != TRIBO_OK;
  pair->contacts = count;
}

static void collide_all(void* data) {
  for (int i = 0; i < POSES; ++i) collide(data);
}

// The same by libccd's MPR alone, to 1e-9 of the size.
static void overlap_by_libccd(void* data) {
  Pair* pair = data;
  const int i = pair->next;
  pair->next = (i + 1) % POSES;
  const TriboConvex a = tribo_convex_from_shape(&pair->a, &pair->X_WA[i]);
  const TriboConvex b = tribo_convex_from_shape(&pair->b, &pair->X_WB[i]);
  double depth;
  TriboVec3 d;
  pair->contacts += tribo_libccd_overlap(&a, &b, 1e-9, 200, &depth, &d);
}

static void overlap_all_by_libccd(void* data) {
  for (int i = 0; i < POSES; ++i) overlap_by_libccd(data);
}

static TriboVec3 random_vector(TriboRandom* random, double scale) {
  return tribo_vec3(tribo_random_in(random, -scale, scale), tribo_random_in(random, -scale, scale),
                    tribo_random_in(random, -scale, scale));
}

// Puts b at a random place and orientation beside a, then so near that they overlap by 1 mm.
static bool place(Pair* pair, TriboRandom* random, int i) {
  pair->X_WA[i] = tribo_transform_identity();
  if (pair->a.type != TRIBO_SHAPE_PLANE && tribo_shape_is_convex(&pair->a)) {
    pair->X_WA[i].R = tribo_quat_to_mat3(tribo_quat_exp(random_vector(random, 2)));
  }
  pair->X_WB[i].R = tribo_quat_to_mat3(tribo_quat_exp(random_vector(random, 2)));
  pair->X_WB[i].p = random_vector(random, 0.3);
  pair->X_WB[i].p.z = 2;
  TriboClosestPoints closest;
  for (int k = 0; k < 3; ++k) {
    if (tribo_distance(&pair->a, &pair->X_WA[i], &pair->b, &pair->X_WB[i], &closest) != TRIBO_OK)
      return false;
    pair->X_WB[i].p = tribo_vec3_madd(pair->X_WB[i].p, -(closest.distance + 1e-3), closest.normal);
  }
  return true;
}

// Of one call, the mean over some of the poses.
static double instructions_each(const TriboBenchOptions* options, Pair* pair, void (*call)(void*)) {
  const int few = options->quick ? 1 : 8;
  double instructions = 0;
  for (int i = 0; i < few; ++i) {
    pair->next = i * POSES / few;
    instructions += tribo_bench_instructions(call, pair, 1000000) / few;
  }
  return instructions;
}

static bool bench_pair(const TriboBenchOptions* options, TriboBenchReport* report, Pair* pair,
                       const char* label, bool with_libccd) {
  TriboRandom random = tribo_random(7);
  pair->margin = 1e-3;
  pair->failed = false;
  pair->next = 0;
  for (int i = 0; i < POSES; ++i) {
    if (!place(pair, &random, i)) return false;
  }
  double contacts = 0;
  for (int i = 0; i < POSES; ++i) {
    collide(pair);
    contacts += (double)pair->contacts / POSES;
  }
  tribo_bench_row(report, "%s", label);
  tribo_bench_figure(report, "pair_ns", 1e9 * tribo_bench_time(options, collide_all, pair) / POSES);
  tribo_bench_figure(report, "instructions", instructions_each(options, pair, collide));
  tribo_bench_figure(report, "contacts", contacts);
  if (with_libccd) {
    const double libccd = tribo_bench_time(options, overlap_all_by_libccd, pair) / POSES;
    tribo_bench_figure(report, "libccd_mpr_ns", 1e9 * libccd);
    tribo_bench_figure(report, "libccd_mpr_instructions",
                       instructions_each(options, pair, overlap_by_libccd));
  }
  return !pair->failed && contacts > 0;
}

static bool bench_convex(const TriboBenchOptions* options, TriboBenchReport* report, Pair* pair) {
  TriboRandom random = tribo_random(3);
  TriboVec3 points[24];
  for (int i = 0; i < 24; ++i) points[i] = random_vector(&random, 0.15);
  TriboHull* hull;
  if (tribo_hull_create(points, 24, NULL, &hull, NULL) != TRIBO_OK) return false;
  const TriboShape plane = tribo_shape_plane(), sphere = tribo_shape_sphere(0.1);
  const TriboShape capsule = tribo_shape_capsule(0.08, 0.15);
  const TriboShape box = tribo_shape_box(tribo_vec3(0.1, 0.15, 0.2));
  const TriboShape cylinder = tribo_shape_cylinder(0.1, 0.15), mesh = tribo_shape_hull(hull);
  const TriboShape ellipsoid = tribo_shape_ellipsoid(tribo_vec3(0.1, 0.15, 0.2));
  const struct {
    const char* label;
    TriboShape a, b;
  } pairs[] = {
      {"plane-sphere", plane, sphere},
      {"plane-box", plane, box},
      {"plane-hull", plane, mesh},
      {"sphere-sphere", sphere, sphere},
      {"sphere-capsule", sphere, capsule},
      {"capsule-capsule", capsule, capsule},
      {"sphere-box", sphere, box},
      {"capsule-box", capsule, box},
      {"box-box", box, box},
      {"sphere-hull", sphere, mesh},
      {"box-hull", box, mesh},
      {"hull-hull", mesh, mesh},
      {"cylinder-box", cylinder, box},
      {"cylinder-cylinder", cylinder, cylinder},
      {"ellipsoid-box", ellipsoid, box},
      {"ellipsoid-ellipsoid", ellipsoid, ellipsoid},
      {"cylinder-hull", cylinder, mesh},
  };
  bool fine = true;
  for (size_t i = 0; fine && i < sizeof pairs / sizeof *pairs; ++i) {
    pair->a = pairs[i].a;
    pair->b = pairs[i].b;
    fine = bench_pair(options, report, pair, pairs[i].label, pair->a.type != TRIBO_SHAPE_PLANE);
  }
  tribo_hull_destroy(hull);
  return fine;
}

// Rough ground, cells of 5 cm: a foot and a body of a quadruped.
static bool bench_terrain(const TriboBenchOptions* options, TriboBenchReport* report, Pair* pair) {
  enum { N = 81 };
  double* heights = malloc(N * N * sizeof(double));
  TriboHeightField* field = NULL;
  if (heights == NULL) return false;
  TriboRandom random = tribo_random(4);
  for (int i = 0; i < N * N; ++i) heights[i] = tribo_random_in(&random, 0, 0.02);
  bool fine = tribo_height_field_create(heights, N, N, 2, 2, NULL, &field, NULL) == TRIBO_OK;
  free(heights);
  if (!fine) return false;
  const TriboShape bodies[] = {tribo_shape_sphere(0.02), tribo_shape_capsule(0.02, 0.1),
                               tribo_shape_box(tribo_vec3(0.1, 0.05, 0.05))};
  const char* const labels[] = {"height field-sphere", "height field-capsule", "height field-box"};
  pair->a = tribo_shape_height_field(field);
  for (int i = 0; fine && i < 3; ++i) {
    pair->b = bodies[i];
    fine = bench_pair(options, report, pair, labels[i], false);
  }
  tribo_height_field_destroy(field);
  return fine;
}

// ---- many bodies

// Boxes of 0.2 m in a cube where they just have room, moving by a hundredth of their size a step.
typedef struct Crowd {
  int n;
  TriboShape shape;
  TriboTransform* X;
  TriboVec3* v;
  TriboAabb* box;
  TriboPairFilter* filter;
  TriboBroadPhase broad;
  int contacts;
  TriboContact contact[CONTACTS];
  TriboStatus status;
} Crowd;

static void lay_out_crowd(Crowd* crowd, TriboArena* arena) {
  const size_t n = (size_t)crowd->n;
  crowd->X = tribo_arena_take(arena, n, sizeof(TriboTransform));
  crowd->v = tribo_arena_take(arena, n, sizeof(TriboVec3));
  crowd->box = tribo_arena_take(arena, n, sizeof(TriboAabb));
  tribo_broad_phase_layout(&crowd->broad, arena, crowd->filter, 16 * crowd->n);
}

static void move_and_find(void* data) {
  Crowd* crowd = data;
  for (int i = 0; i < crowd->n; ++i) {
    crowd->X[i].p = tribo_vec3_add(crowd->X[i].p, crowd->v[i]);
    crowd->v[i] = tribo_vec3_neg(crowd->v[i]);  // to and fro: the density stays
    crowd->box[i] = tribo_aabb_inflate(tribo_shape_bounds(&crowd->shape, &crowd->X[i]), 1e-3);
  }
  crowd->status = tribo_broad_phase_find(&crowd->broad, crowd->filter, crowd->box, NULL);
}

static void find_and_collide(void* data) {
  Crowd* crowd = data;
  move_and_find(data);
  crowd->contacts = 0;
  for (int p = 0; p < crowd->broad.pair_count && crowd->status == TRIBO_OK; ++p) {
    const int* s = crowd->broad.pairs[p].shape;
    int count = 0;
    crowd->status = tribo_collide(&crowd->shape, &crowd->X[s[0]], &crowd->shape, &crowd->X[s[1]],
                                  1e-3, crowd->contact, CONTACTS, &count);
    crowd->contacts += count;
  }
}

static bool bench_crowd(const TriboBenchOptions* options, TriboBenchReport* report, int n,
                        bool with_narrow, double* seconds) {
  Crowd crowd = {.n = n, .shape = tribo_shape_box(tribo_vec3(0.1, 0.1, 0.1))};
  TriboFilterShape* shapes = calloc((size_t)n, sizeof *shapes);
  if (shapes == NULL) return false;
  for (int i = 0; i < n; ++i) shapes[i] = (TriboFilterShape){i, -1, i, 1, 1, false};
  const TriboStatus status =
      tribo_pair_filter_create(shapes, n, n, NULL, 0, NULL, &crowd.filter, NULL);
  free(shapes);
  if (status != TRIBO_OK) return false;
  TriboArena arena = tribo_arena_measure();
  lay_out_crowd(&crowd, &arena);
  const size_t size = arena.used;
  void* memory = tribo_allocate(NULL, size);
  if (memory == NULL) {
    tribo_pair_filter_destroy(crowd.filter);
    return false;
  }
  arena = tribo_arena_over(memory, size);
  lay_out_crowd(&crowd, &arena);
  // The pile: a grid whose neighbours just touch, disturbed; the crowd: anywhere in a cube.
  TriboRandom random = tribo_random(5);
  const int side = (int)ceil(cbrt(n));
  for (int i = 0; i < n; ++i) {
    const TriboVec3 grid =
        tribo_vec3(0.2 * (i % side), 0.2 * (i / side % side), 0.2 * (i / side / side));
    crowd.X[i].p = with_narrow ? tribo_vec3_add(grid, random_vector(&random, 1e-4))
                               : tribo_vec3_add(random_vector(&random, 0.15 * side), grid);
    crowd.X[i].R = with_narrow ? tribo_mat3_identity()
                               : tribo_quat_to_mat3(tribo_quat_exp(random_vector(&random, 2)));
    crowd.v[i] = random_vector(&random, with_narrow ? 1e-5 : 2e-3);
  }
  void (*work)(void*) = with_narrow ? find_and_collide : move_and_find;
  *seconds = tribo_bench_time(options, work, &crowd);
  tribo_bench_row(report, with_narrow ? "pile of %d boxes" : "broad phase, %d moving boxes", n);
  tribo_bench_figure(report, "step_us", 1e6 * *seconds);
  tribo_bench_figure(report, "pairs", crowd.broad.pair_count);
  if (with_narrow) {
    tribo_bench_figure(report, "contacts", crowd.contacts);
    tribo_bench_figure(report, "pair_ns", 1e9 * *seconds / crowd.broad.pair_count);
  } else {
    // Ten thousand boxes take too many to be counted one by one.
    tribo_bench_figure(report, "comparisons", (double)crowd.broad.comparisons);
    if (n <= 1000) {
      tribo_bench_figure(report, "instructions", tribo_bench_instructions(work, &crowd, 4000000));
    }
  }
  tribo_pair_filter_destroy(crowd.filter);
  tribo_release(NULL, memory, size);
  return crowd.status == TRIBO_OK;
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  Pair* pair = calloc(1, sizeof *pair);
  if (pair == NULL) return TRIBO_EXIT_NO;
  bool fine = bench_convex(options, report, pair) && bench_terrain(options, report, pair);
  free(pair);
  double seconds, before = 0;
  fine = fine && bench_crowd(options, report, options->quick ? 64 : 1000, true, &seconds);
  const int largest = options->quick ? 200 : 10000;
  for (int n = 100; fine && n <= largest; n *= 10) {
    fine = bench_crowd(options, report, n, false, &seconds);
    // The exponent of n since the row before.
    if (n > 100) tribo_bench_figure(report, "growth", log10(seconds / before));
    before = seconds;
  }
  return fine ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
}

const TriboBenchmark tribo_benchmark_collision = {
    .name = "collision",
    .summary = "narrow phase per pair beside libccd, terrain, a pile, growth of the broad phase",
    .run = run,
};
