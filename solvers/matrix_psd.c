// SPDX-License-Identifier: Apache-2.0
//
// No-slip, viscous and frictionless problems by matrices. The law of a contact with the compliance
// c of its tangents (0 no-slip, 1/mu_v viscous, infinite frictionless), u = W r + q:
//
//   0 <= f _|_ u_n >= 0
//   f > 0        u_t + c t = 0         what presses does not slip
//   u_n > 0      t = 0                 what separates is not pulled
//   f = u_n = 0  u_t + c' t = 0 for some c' >= c
//
// The last line is needed: with all of its tangents a contact may separate and without them press,
// so that neither choice holds; one contact is enough. In between is a c' with which it grazes. It
// is what Coulomb's law leaves as mu grows (f = |t|/mu). With it there is a solution wherever c > 0
// and the normals can be met: the share c/c' of the friction is 1 where f - u_n > 0, 0 where it is
// < 0 and anything between at 0, a closed map with convex values (Kakutani's theorem).
//
// Solved by the dual active set on rows J with W = J J^T (noslip.h), again with targets corrected
// for what J J^T misses of W. Contacts that neither choice fits get a compliance that is moved by
// steps and secants until f - u_n vanishes. That usually ends, and is labelled where it does not.
#include <math.h>

#include "solvers/matrix_psd_state.h"

enum { CORRECTIONS = 6, SOFT_CORRECTIONS = 30, GRAZING_ROUNDS = 400, GRAZING_IDLE = 80 };

// The widest range of the logarithm of a share, beyond which it is whole or none; and grazing is
// given up after so many rows of solves, all together.
static const double kWidest = 24, kGrazingWork = 4e5;

// ---- The judge ----

// How far a contact is from the law of its tangents, relative. `push` and `gap` are its relative
// normal impulse and velocity.
static double judge_tangents(const TriboMatrixTask* task, int contact, double compliance,
                             double push, double gap, double velocity, double impulse) {
  const TriboDelassus* p = task->problem;
  double speed = 0, pull = 0, slip = 0, along = 0, size = 0;
  for (int row = contact * p->size + 1; row < (contact + 1) * p->size; ++row) {
    const double u = task->scratch[row], t = task->trial[row];
    size = fmax(size, sqrt(tribo_delassus_diagonal(&p->W, row)));
    speed = hypot(speed, u);
    pull = hypot(pull, t);
    slip = hypot(slip, u + compliance * t);
    along += u * t;
  }
  if (size == 0) size = 1;
  // Friction that is not against the slip, or more than the compliance gives.
  double off = speed > 0 ? pull + along / speed : 0;
  if (compliance > 0) off = fmax(off, pull - speed / compliance);
  const double moving = speed / (size * velocity), pulling = pull * size / impulse;
  const double pressing = fmin(push, slip / (size * velocity));
  const double separating = fmin(gap, pulling);
  return fmax(fmax(pressing, separating), fmin(moving, off * size / impulse));
}

// The law by W and q, in the units of the certificate: normals as without friction, tangents in
// `equality`. u stays in task->scratch.
static TriboCertificate judge(TriboMatrixTask* task, double compliance) {
  const TriboDelassus* p = task->problem;
  TriboCertificate result = tribo_delassus_certify(p, task->trial, task->scratch);
  result.cone = result.stick = result.direction = 0;
  double velocity = 0, impulse = 0;
  for (int i = 0; i < p->W.count; ++i) {
    const double size = sqrt(tribo_delassus_diagonal(&p->W, i));
    velocity = fmax(velocity, fabs(p->q[i]) / (size > 0 ? size : 1));
    impulse = fmax(impulse, size * fabs(task->trial[i]));
  }
  impulse = fmax(impulse, velocity);
  for (int c = 0; c < p->contacts && velocity > 0 && isfinite(compliance); ++c) {
    const int i = c * p->size;
    const double size = sqrt(tribo_delassus_diagonal(&p->W, i));
    const double push = task->trial[i] * size / impulse;
    const double gap = task->scratch[i] / ((size > 0 ? size : 1) * velocity);
    const double off = judge_tangents(task, c, compliance, push, gap, velocity, impulse);
    result.equality = fmax(result.equality, off);
  }
  result.worst =
      fmax(fmax(result.penetration, result.sign), fmax(result.complementarity, result.equality));
  return result;
}

// ---- Solving ----

// The model's compliance of tangents: u_t + c t = 0.
static double model_compliance(const TriboMatrixOptions* o) {
  if (o->model == TRIBO_MODEL_FRICTIONLESS) return INFINITY;
  return o->model == TRIBO_MODEL_VISCOUS ? 1 / o->viscosity : 0;
}

// |T|^2 of a group, the mean of its rows.
static double tangent_square(const TriboContactProblem* p, int g) {
  double square = 0;
  for (int row = p->group[g].tangent; row < p->group[g].tangent + p->group[g].rows; ++row) {
    for (int e = p->T.start[row]; e < p->T.start[row + 1]; ++e) {
      square += p->T.value[e] * p->T.value[e];
    }
  }
  return square / p->group[g].rows;
}

// The targets as they were given.
static void reset_targets(const TriboMatrixTask* task, Psd* psd) {
  const TriboDelassus* p = task->problem;
  for (int i = 0; i < p->W.count; ++i) {
    const int c = i / p->size, r = i % p->size;
    psd->targets[r == 0 ? c : p->contacts + c * (p->size - 1) + r - 1] = -p->q[i];
  }
}

// The impulses by contact.
static void write_impulses(TriboMatrixTask* task, const Psd* psd) {
  const TriboDelassus* p = task->problem;
  for (int i = 0; i < p->W.count; ++i) {
    const int c = i / p->size, r = i % p->size;
    task->trial[i] = r == 0 ? psd->solution.f[c] : psd->solution.t[c * (p->size - 1) + r - 1];
  }
}

// The impulses judged; then targets that say what W makes of them: with the row's own
// velocity J y they are J y - u, and with soft tangents what their compliance takes is taken back.
static TriboCertificate judge_and_correct(TriboMatrixTask* task, Psd* psd, double compliance,
                                          double soft) {
  const TriboDelassus* p = task->problem;
  const TriboContactProblem* problem = &psd->problem;
  const int tangents = p->size - 1;
  write_impulses(task, psd);
  const TriboCertificate certificate = judge(task, compliance);
  for (int i = 0; i < p->W.count; ++i) {
    const int c = i / p->size, r = i % p->size, t = c * tangents + r - 1;
    const double moved = r == 0 ? tribo_row_dot(&problem->N, c, psd->solution.y)
                                : tribo_row_dot(&problem->T, t, psd->solution.y);
    double* target = &psd->targets[r == 0 ? c : p->contacts + t];
    *target = moved - task->scratch[i];
    if (r > 0 && soft > 0 && psd->part[c] != PART_GRAZING) {
      *target += soft * tangent_square(problem, c) * psd->solution.t[t];
    }
  }
  return certificate;
}

// One solve of the model.
typedef struct Way {
  double compliance, soft;
  int returns;
  bool fixed;  // by psd->part
  TriboPsdOptions options;
  TriboSolver by;
  TriboRung rung;
} Way;

static TriboStatus solve_once(TriboMatrixTask* task, Psd* psd, const Way* way, bool warm) {
  const TriboContactProblem* p = &psd->problem;
  for (int g = 0; g < p->ng; ++g) {
    const Part part = way->fixed ? psd->part[g] : PART_WHOLE;
    psd->compliance[g] = part == PART_NONE ? INFINITY
                         : part == PART_GRAZING
                             ? 1 / psd->share[g]
                             : way->compliance + way->soft * tangent_square(p, g);
    psd->kept[g] = way->fixed;
  }
  const TriboNoslipLaw law = {psd->compliance, INFINITY, way->returns, psd->kept};
  TriboNoslipInfo info;
  const TriboStatus status =
      tribo_noslip_solve(psd->noslip, p, &law, &way->options, warm ? psd->solution.mode_N : NULL,
                         &psd->solution, &info);
  task->info->pivots += info.psd.pivots;
  return status;
}

// ---- Contacts that graze ----

// Solves for the parts and shares as they are, and judges; balances of all contacts.
static bool balance(TriboMatrixTask* task, Psd* psd, const Way* way) {
  const TriboDelassus* p = task->problem;
  const TriboStatus status = solve_once(task, psd, way, true);
  if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return false;
  const TriboCertificate c = judge_and_correct(task, psd, way->compliance, way->soft);
  psd->worst = c.worst;
  (void)tribo_matrix_consider(task, task->trial, c, way->by, way->rung);
  double largest = 0;
  for (int g = 0; g < p->contacts; ++g) {
    const int i = g * p->size;
    const double push = task->trial[i] * tribo_delassus_diagonal(&p->W, i);
    psd->balance[g] = push - task->scratch[i];
    largest = fmax(largest, fmax(push, fabs(task->scratch[i])));
  }
  psd->noise = 1e-12 * largest;
  return true;
}

// The largest logarithm of a share: that of all friction that the model has.
static double upper_place(double natural, double compliance) {
  return compliance > 0 ? fmin(kWidest, -log(compliance * natural)) : kWidest;
}

// A contact that pulls what separates, or slips where it presses, begins to graze: the first time
// not far from where most do, later from the very bound.
static void begin_grazing(Psd* psd, int c, double upper) {
  Grazing* g = &psd->grazing[c];
  const double far = g->times > 0 ? kWidest : kWidest / 4;
  const double place = psd->part[c] == PART_WHOLE ? fmin(far, upper - 0.5) : -far;
  *g = (Grazing){.place = place, .step = 1, .times = g->times + 1};
  psd->part[c] = PART_GRAZING;
}

// A step of the share's logarithm, in the direction of its balance: longer while that keeps its
// sign and half as long where it changed, as in [RiedmillerBraun1993]; the secant where that is
// shorter. Beyond the bounds the share is whole or none.
static void move_grazing(Psd* psd, int c, double upper) {
  Grazing* g = &psd->grazing[c];
  const double now = psd->balance[c];
  const bool crossed = g->last * now < 0;
  g->step = crossed ? 0.5 * g->step : fmin(1.2 * g->step, 4);
  double move = now > 0 ? g->step : -g->step;
  const double secant = -(now / (now - g->last)) * g->moved;
  if (secant * move > 0 && fabs(secant) < g->step) move = secant;
  // To a bound that it has left before it goes by halves.
  if (g->times > 1 && g->place + move > upper && upper - g->place > 1e-9) {
    move = 0.5 * (upper - g->place);
  }
  g->last = now;
  g->moved = move;
  g->place += move;
  if (g->place > upper) psd->part[c] = PART_WHOLE;
  if (g->place < -kWidest) psd->part[c] = PART_NONE;
}

static void move_share(Psd* psd, int c, double compliance) {
  const double natural = 1 / tangent_square(&psd->problem, c), now = psd->balance[c];
  const double upper = upper_place(natural, compliance);
  if (!isfinite(natural)) return;
  if (psd->part[c] == PART_GRAZING) {
    move_grazing(psd, c, upper);
  } else {
    const bool whole = psd->part[c] == PART_WHOLE;
    if (whole ? now >= -psd->noise : now <= psd->noise) return;
    begin_grazing(psd, c, upper);
  }
  psd->share[c] = natural * exp(psd->grazing[c].place);
}

// From the last solution, every contact with all of its friction or none. All of them move at once;
// a single contact's balance falls as its share grows, and few depend on each other.
static void graze(TriboMatrixTask* task, Psd* psd, Way way) {
  const int contacts = task->problem->contacts;
  for (int c = 0; c < contacts; ++c) {
    const bool out = psd->solution.mode_g[c] == TRIBO_MODE_SEPARATE;
    psd->part[c] = out ? PART_NONE : PART_WHOLE;
    psd->grazing[c] = (Grazing){.times = 0};
  }
  way.fixed = true;
  int idle = 0;
  for (int round = 0; round < GRAZING_ROUNDS && idle < GRAZING_IDLE; ++round) {
    const double before = task->info->certificate.worst;
    psd->work += task->problem->W.count;
    // Impulses beyond all bounds lead nowhere.
    if (!balance(task, psd, &way) || tribo_matrix_solved(task) || !(psd->worst < 1) ||
        psd->work > kGrazingWork) {
      break;
    }
    for (int c = 0; c < contacts; ++c) move_share(psd, c, way.compliance);
    idle = task->info->certificate.worst < 0.9 * before ? 0 : idle + 1;
  }
  for (int c = 0; c < contacts; ++c) psd->part[c] = PART_WHOLE;
}

// Solves, judges by W, and again with corrected targets while that helps. With soft > 0 tangents
// have that much compliance more, relative, and targets that take it back for the impulses so far
// (a proximal point iteration): redundant tangents whose targets contradict each other then have an
// answer, and those that do not lose the compliance.
static TriboStatus correct(TriboMatrixTask* task, Psd* psd, double soft, int returns) {
  const TriboMatrixOptions* o = task->options;
  Way way = {.compliance = model_compliance(o),
             .soft = soft,
             .returns = returns,
             .options = tribo_psd_options_default(),
             .by = o->solver == TRIBO_SOLVER_AUTO ? TRIBO_SOLVER_DUAL : o->solver,
             .rung = soft > 0 ? TRIBO_RUNG_COMPLIANCE : TRIBO_RUNG_COLD};
  if (o->solver == TRIBO_SOLVER_PPM) way.options.method = TRIBO_PSD_PPM;
  if (o->solver == TRIBO_SOLVER_DANTZIG) way.options.method = TRIBO_PSD_DANTZIG;
  int idle = 0;
  for (int round = 0; round < (soft > 0 ? SOFT_CORRECTIONS : CORRECTIONS); ++round) {
    const TriboStatus status = solve_once(task, psd, &way, soft > 0 && round > 0);
    // Corrected targets of redundant rows may contradict each other: then the last answer stays.
    if (status == TRIBO_ERROR_INFEASIBLE && round > 0) break;
    if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return status;
    const double before = task->info->certificate.worst;
    const TriboCertificate certificate = judge_and_correct(task, psd, way.compliance, soft);
    (void)tribo_matrix_consider(task, task->trial, certificate, way.by, way.rung);
    idle = task->info->certificate.worst < 0.5 * before ? 0 : idle + 1;
    if (task->info->certificate.worst <= (soft > 0 ? 1e-2 * o->tolerance : 1e-13)) break;
    if (idle > (soft > 0 ? 3 : 0)) break;
  }
  if (!tribo_matrix_solved(task) && isfinite(way.compliance)) graze(task, psd, way);
  return TRIBO_OK;
}

// Rigid, and then softer. Where contacts that press again find no answer with their tangents, there
// may be one in which those that separated once graze at once.
static TriboStatus solve_rows(TriboMatrixTask* task, Psd* psd) {
  static const struct {
    double soft;
    int returns;
  } rungs[] = {{1e-8, 2}, {1e-5, 2}, {1e-8, 0}, {1e-5, 0}};
  reset_targets(task, psd);
  const TriboStatus rigid = correct(task, psd, 0, 2);
  const bool tangents = task->options->model != TRIBO_MODEL_FRICTIONLESS;
  if (!tangents || (rigid != TRIBO_OK && rigid != TRIBO_ERROR_INFEASIBLE)) return rigid;
  for (int i = 0; i < (int)(sizeof rungs / sizeof rungs[0]) && !tribo_matrix_solved(task); ++i) {
    ++task->info->fallbacks;
    reset_targets(task, psd);
    const TriboStatus status = correct(task, psd, rungs[i].soft, rungs[i].returns);
    if (status != TRIBO_OK) return rigid != TRIBO_OK ? rigid : status;
  }
  return TRIBO_OK;
}

TriboStatus tribo_matrix_psd(TriboMatrixTask* task) {
  Psd psd = {.cholmod = NULL};
  TriboStatus status = tribo_matrix_open_rows(task, &psd);
  for (int g = 0; status == TRIBO_OK && g < psd.problem.ng; ++g) psd.part[g] = PART_WHOLE;
  if (status == TRIBO_OK) status = solve_rows(task, &psd);
  tribo_matrix_close_rows(task, &psd);
  return status;
}
