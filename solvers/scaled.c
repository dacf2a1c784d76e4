// SPDX-License-Identifier: Apache-2.0
#include "solvers/scaled.h"

#include <math.h>

TriboSolverCapacity tribo_solver_capacity_of(const TriboContactProblem* problem) {
  TriboSolverCapacity capacity = {
      problem->ny, problem->X.count, problem->N.count, problem->T.count, problem->ng, 0, 2};
  const TriboRows* blocks[] = {&problem->X, &problem->N, &problem->T};
  for (int b = 0; b < 3; ++b) {
    if (blocks[b]->count > 0) {
      capacity.entries += blocks[b]->start[blocks[b]->count] - blocks[b]->start[0];
    }
  }
  for (int g = 0; g < problem->ng; ++g) {
    if (problem->group[g].facets > capacity.facets) capacity.facets = problem->group[g].facets;
  }
  return capacity;
}

void tribo_scaled_init(TriboScaled* scaled, TriboArena* arena, TriboSolverCapacity capacity) {
  scaled->capacity = capacity;
  scaled->X.value = tribo_arena_doubles(arena, capacity.entries);
  scaled->N.value = tribo_arena_doubles(arena, capacity.entries);
  scaled->T_value = tribo_arena_doubles(arena, 4 * capacity.entries);
  scaled->T_index = tribo_arena_ints(arena, 2 * capacity.entries);
  scaled->b_X = tribo_arena_doubles(arena, capacity.x);
  scaled->b_N = tribo_arena_doubles(arena, capacity.n);
  scaled->scale_X = tribo_arena_doubles(arena, capacity.x);
  scaled->scale_N = tribo_arena_doubles(arena, capacity.n);
  scaled->group =
      (TriboScaledGroup*)tribo_arena_take(arena, (size_t)capacity.groups, sizeof(TriboScaledGroup));
  scaled->first_group = tribo_arena_ints(arena, capacity.n + 1);
  scaled->group_of = tribo_arena_ints(arena, capacity.groups);
}

static double length_of(const TriboRows* rows, int i) {
  double sum = 0;
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) sum += rows->value[e] * rows->value[e];
  return sqrt(sum);
}

// Rows of X or N, with the problem's own index lists.
static void scale_rows(const TriboRows* from, const double* target, TriboRows* to, double* b,
                       double* scale, double* velocity) {
  to->count = from->count;
  to->start = from->start;
  to->index = from->index;
  for (int i = 0; i < from->count; ++i) {
    const double length = length_of(from, i);
    scale[i] = length > 0 ? length : 1;
    const double factor = 1 / scale[i];
    for (int e = from->start[i]; e < from->start[i + 1]; ++e)
      to->value[e] = from->value[e] * factor;
    b[i] = target[i] * factor;
    *velocity = fmax(*velocity, fabs(b[i]));
  }
}

// Both rows of a group over the union of their coordinates; returns the entries used.
static int scale_group(const TriboContactProblem* problem, const TriboFrictionGroup* from,
                       const double* scale_N, int* index, double* value, TriboScaledGroup* to) {
  const TriboRows* T = &problem->T;
  const int a = from->tangent, b = from->rows == 2 ? a + 1 : -1;
  to->normal = from->normal;
  to->rows = from->rows;
  to->facets = from->facets;
  const double longer = fmax(length_of(T, a), b >= 0 ? length_of(T, b) : 0);
  to->scale = longer > 0 ? longer : 1;
  const double factor = 1 / to->scale;
  to->mu = from->normal < 0 ? 0 : from->mu * to->scale / scale_N[from->normal];
  to->bound = from->bound * to->scale;
  to->target[0] = problem->b_T[a] * factor;
  to->target[1] = b >= 0 ? problem->b_T[b] * factor : 0;

  int p = T->start[a], q = b >= 0 ? T->start[b] : 0, count = 0;
  const int p_end = T->start[a + 1], q_end = b >= 0 ? T->start[b + 1] : 0;
  const int most = (p_end - p) + (q_end - q);
  while (p < p_end || q < q_end) {
    const int at =
        q >= q_end || (p < p_end && T->index[p] <= T->index[q]) ? T->index[p] : T->index[q];
    index[count] = at;
    value[count] = p < p_end && T->index[p] == at ? T->value[p++] * factor : 0;
    value[most + count] = q < q_end && T->index[q] == at ? T->value[q++] * factor : 0;
    ++count;
  }
  to->count = count;
  to->index = index;
  to->row[0] = value;
  to->row[1] = b >= 0 ? value + most : NULL;
  return most;
}

TriboStatus tribo_scaled_load(TriboScaled* scaled, const TriboContactProblem* problem) {
  const TriboSolverCapacity need = tribo_solver_capacity_of(problem);
  const TriboSolverCapacity* have = &scaled->capacity;
  if (need.ny > have->ny || need.x > have->x || need.n > have->n || need.t > have->t ||
      need.groups > have->groups || need.entries > have->entries || need.facets > have->facets) {
    return TRIBO_ERROR_CAPACITY;
  }
  scaled->problem = problem;
  double square = 0, target = 0;
  for (int i = 0; i < problem->ny; ++i) square += problem->k[i] * problem->k[i];
  scale_rows(&problem->X, problem->b_X, &scaled->X, scaled->b_X, scaled->scale_X, &target);
  scale_rows(&problem->N, problem->b_N, &scaled->N, scaled->b_N, scaled->scale_N, &target);
  int used = 0;
  for (int g = 0; g < problem->ng; ++g) {
    TriboScaledGroup* group = &scaled->group[g];
    used += scale_group(problem, &problem->group[g], scaled->scale_N, scaled->T_index + used,
                        scaled->T_value + 2 * used, group);
    target = fmax(target, fmax(fabs(group->target[0]), fabs(group->target[1])));
  }
  scaled->velocity = sqrt(square) + target;

  // The groups of every normal.
  for (int i = 0; i <= problem->N.count; ++i) scaled->first_group[i] = 0;
  for (int g = 0; g < problem->ng; ++g) {
    if (scaled->group[g].normal >= 0) ++scaled->first_group[scaled->group[g].normal + 1];
  }
  for (int i = 0; i < problem->N.count; ++i) scaled->first_group[i + 1] += scaled->first_group[i];
  for (int g = problem->ng - 1; g >= 0; --g) {
    const int normal = scaled->group[g].normal;
    if (normal >= 0) scaled->group_of[--scaled->first_group[normal + 1]] = g;
  }
  // Filling backwards left first_group[i + 1] at the start of normal i: shift it back by one place.
  for (int i = 0; i < problem->N.count; ++i) scaled->first_group[i] = scaled->first_group[i + 1];
  int total = 0;
  for (int g = 0; g < problem->ng; ++g) total += scaled->group[g].normal >= 0;
  scaled->first_group[problem->N.count] = total;
  return TRIBO_OK;
}

void tribo_scaled_slip(const TriboScaledGroup* group, const double* y, double slip[2]) {
  double a = 0, b = 0;
  if (group->rows == 2) {
    for (int e = 0; e < group->count; ++e) {
      const double v = y[group->index[e]];
      a += group->row[0][e] * v;
      b += group->row[1][e] * v;
    }
  } else {
    for (int e = 0; e < group->count; ++e) a += group->row[0][e] * y[group->index[e]];
  }
  slip[0] = a - group->target[0];
  slip[1] = b - group->target[1];
}

void tribo_scaled_push(const TriboScaledGroup* group, double a, double b, double* y) {
  if (group->rows == 2) {
    for (int e = 0; e < group->count; ++e) {
      y[group->index[e]] += a * group->row[0][e] + b * group->row[1][e];
    }
  } else {
    for (int e = 0; e < group->count; ++e) y[group->index[e]] += a * group->row[0][e];
  }
}
