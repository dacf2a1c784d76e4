// SPDX-License-Identifier: Apache-2.0
//
// The same model file in Tribo and in MuJoCo: masses, poses and mass matrices of random
// configurations, compared by name.
//
//   models FILE...
//
// A file goes three ways until one agrees to 1e-9, each with a line:
//
//   as it is    both read the file. URDF roots are fixed, as MuJoCo has them
//   adapted     MuJoCo reads a copy without the attributes that its version 2.2.2 does not know,
//   and
//               with its own extension to URDF in it, which says that mesh files are where the URDF
//               says, that what is only seen does not matter, and to mend inertias that are none
//   converted   it reads what Tribo made of the file (tribo_mjcf_write): every inertia is given,
//   along
//               principal axes, so that only what both compute from it is compared
//
// Exit code 1 where a file agrees in no way.
#include <mujoco/mujoco.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "models/tribo_models.h"

namespace {

// What differs: masses relatively, positions in m, matrices relative to their largest number.
struct Differences {
  double mass = 0, position = 0, rotation = 0, matrix = 0;
  int bodies = 0, dofs = 0;
  std::string heaviest;  // the body whose mass differs most
};

struct Tribo {
  TriboScene* scene = nullptr;
  TriboModel* model = nullptr;
  TriboState* state = nullptr;
  TriboWorkspace* workspace = nullptr;
  TriboMessage message = {};
  bool load(const char* file, TriboRootType root) {
    TriboLoadOptions options = tribo_load_options_default();
    options.root = root;
    options.allow_unsupported = true;
    return tribo_scene_load(file, &options, &scene, &message) == TRIBO_OK &&
           tribo_model_create(tribo_scene_builder(scene), nullptr, &model, &message) == TRIBO_OK &&
           tribo_state_create(model, nullptr, &state) == TRIBO_OK &&
           tribo_workspace_create(model, nullptr, nullptr, &workspace) == TRIBO_OK;
  }
  ~Tribo() {
    tribo_workspace_destroy(workspace);
    tribo_state_destroy(state);
    tribo_model_destroy(model);
    tribo_scene_destroy(scene);
  }
};

// Where MuJoCo's coordinates are in ours: by the names of joints, and where a joint has none, as
// they are.
struct Coordinates {
  std::vector<int> q, v;
};

Coordinates match(const mjModel* m, const TriboModel* model) {
  Coordinates at = {std::vector<int>(m->nq), std::vector<int>(m->nv)};
  static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
  for (int j = 0; j < m->njnt; ++j) {
    const char* name = mj_id2name(m, mjOBJ_JOINT, j);
    const int joint = name != nullptr ? tribo_model_find(model, TRIBO_KIND_JOINT, name) : -1;
    const int q = joint >= 0 ? tribo_model_joint_q(model, joint) : m->jnt_qposadr[j];
    const int v = joint >= 0 ? tribo_model_joint_v(model, joint) : m->jnt_dofadr[j];
    for (int i = 0; i < nq[m->jnt_type[j]]; ++i) at.q[m->jnt_qposadr[j] + i] = q + i;
    for (int i = 0; i < nv[m->jnt_type[j]]; ++i) at.v[m->jnt_dofadr[j] + i] = v + i;
  }
  return at;
}

// Mass of a link with all that hangs on it.
double carried_mass(const TriboModel* model, int link) {
  double sum = 0;
  TriboLinkDesc desc;
  for (int i = 0; tribo_model_link(model, i, &desc); ++i) {
    int at = i;
    TriboJointDesc joint;
    while (at != link && at != TRIBO_WORLD &&
           tribo_model_joint(model, tribo_model_link_joint(model, at), &joint)) {
      at = joint.parent;
    }
    if (at == link) sum += desc.mass;
  }
  return sum;
}

// Masses with what hangs on them, by name: MuJoCo makes one body of what fixed joints of a URDF
// hold together.
void compare_masses(const mjModel* m, const TriboModel* model, Differences* d) {
  for (int i = 1; i < m->nbody; ++i) {
    const char* name = mj_id2name(m, mjOBJ_BODY, i);
    const int link = name != nullptr ? tribo_model_find(model, TRIBO_KIND_LINK, name) : -1;
    if (link < 0) continue;
    const double theirs = m->body_subtreemass[i];
    const double off = std::fabs(carried_mass(model, link) - theirs) / theirs;
    if (off > d->mass) d->heaviest = name;
    d->mass = std::fmax(d->mass, off);
    ++d->bodies;
  }
}

void compare_poses(const mjModel* m, const mjData* data, Tribo* t, Differences* d) {
  for (int i = 1; i < m->nbody; ++i) {
    const char* name = mj_id2name(m, mjOBJ_BODY, i);
    const int link = name != nullptr ? tribo_model_find(t->model, TRIBO_KIND_LINK, name) : -1;
    TriboPose pose;
    if (link < 0 || tribo_link_pose(t->model, t->state, t->workspace, link, &pose) != TRIBO_OK)
      continue;
    const double* p = data->xpos + 3 * i;
    const double* q = data->xquat + 4 * i;
    const double dot = pose.q.w * q[0] + pose.q.x * q[1] + pose.q.y * q[2] + pose.q.z * q[3];
    const double sign = dot < 0 ? -1 : 1;
    const double turned[] = {pose.q.w - sign * q[0], pose.q.x - sign * q[1], pose.q.y - sign * q[2],
                             pose.q.z - sign * q[3]};
    for (double x : turned) d->rotation = std::fmax(d->rotation, std::fabs(x));
    const double moved[] = {pose.p.x - p[0], pose.p.y - p[1], pose.p.z - p[2]};
    for (double x : moved) d->position = std::fmax(d->position, std::fabs(x));
  }
}

void compare_matrices(const mjModel* m, const mjData* data, const Coordinates& at, Tribo* t,
                      Differences* d) {
  const int nv = m->nv;
  std::vector<double> theirs(nv * nv), ours(nv * nv);
  mj_fullM(m, theirs.data(), data->qM);
  if (tribo_mass_matrix(t->model, t->state, t->workspace, ours.data()) != TRIBO_OK) std::abort();
  double most = 0;
  for (double x : theirs) most = std::fmax(most, std::fabs(x));
  for (int i = 0; i < nv; ++i) {
    for (int j = 0; j < nv; ++j) {
      const double off = theirs[i * nv + j] - ours[at.v[i] * nv + at.v[j]];
      d->matrix = std::fmax(d->matrix, std::fabs(off) / most);
    }
  }
}

// Numbers in -1 .. 1, always the same ones.
double next_number(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return 2.0 * static_cast<double>(*seed >> 11) / 9007199254740992.0 - 1;
}

void compare(const mjModel* m, mjData* data, Tribo* t, Differences* d) {
  const Coordinates at = match(m, t->model);
  unsigned long long seed = 1;
  std::vector<double> q(m->nq);
  d->dofs = m->nv;
  compare_masses(m, t->model, d);
  if (m->nv == 0) return;
  for (int sample = 0; sample < 20; ++sample) {
    for (int i = 0; i < m->nq; ++i) data->qpos[i] = next_number(&seed);
    mj_normalizeQuat(m, data->qpos);
    for (int i = 0; i < m->nq; ++i) q[at.q[i]] = data->qpos[i];
    if (tribo_state_set_q(t->model, t->state, q.data()) != TRIBO_OK) std::abort();
    mj_kinematics(m, data);
    mj_comPos(m, data);
    mj_crb(m, data);
    compare_poses(m, data, t, d);
    compare_matrices(m, data, at, t, d);
  }
}

// ---- ways

namespace fs = std::filesystem;

enum Way { AS_IT_IS, ADAPTED, CONVERTED, WAYS };
const char* const kWay[] = {"as it is", "adapted", "converted"};

std::string read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What MuJoCo 2.2.2 does not know left out, and what it wants to know of a URDF put in.
std::string adapt(std::string text) {
  static const std::regex unknown(" (integrator=\"implicitfast\"|actuatorfrcrange=\"[^\"]*\")");
  text = std::regex_replace(text, unknown, "");
  const size_t robot = text.find("<robot");
  if (robot != std::string::npos && text.find("<mujoco>") == std::string::npos) {
    text.insert(text.find('>', robot) + 1,
                "<mujoco><compiler strippath='false' discardvisual='true' balanceinertia='true'/>"
                "</mujoco>");
  }
  return text;
}

// Writes the text adapted in a copy of the file's folder, so that what it names is beside it.
fs::path adapt_copy(const fs::path& file, const fs::path& room) {
  fs::copy(fs::absolute(file).parent_path(), room, fs::copy_options::recursive);
  const fs::path copy = room / file.filename();
  fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
  std::ofstream(copy, std::ios::binary) << adapt(read_text(file));
  return copy;
}

bool convert(const Tribo& t, const fs::path& to) {
  FILE* out = std::fopen(to.c_str(), "w");
  TriboMessage message;
  const bool fine =
      out != nullptr && tribo_mjcf_write(t.model, t.scene, out, nullptr, &message) == TRIBO_OK;
  if (out != nullptr) std::fclose(out);
  if (fine) {
    const std::string text = adapt(read_text(to));
    std::ofstream(to, std::ios::binary) << text;
  }
  return fine;
}

bool report(const mjModel* m, Tribo* t) {
  mjData* data = mj_makeData(m);
  Differences d;
  compare(m, data, t, &d);
  mj_deleteData(data);
  std::printf("%5d %5d %9.1e %9.1e %9.1e %9.1e  %s\n", d.bodies, d.dofs, d.mass, d.position,
              d.rotation, d.matrix, d.mass > 1e-9 ? d.heaviest.c_str() : "");
  return d.bodies > 0 && d.mass <= 1e-9 && d.position <= 1e-9 && d.rotation <= 1e-9 &&
         d.matrix <= 1e-9;
}

// Whether the two agree; false where a file cannot be compared.
bool compare_file(const char* file, Way way, const fs::path& room) {
  Tribo t;
  if (!t.load(file, way == CONVERTED ? TRIBO_ROOT_AUTO : TRIBO_ROOT_FIXED)) {
    std::printf("not compared: %s\n", t.message.text);
    return false;
  }
  fs::path path = file;
  if (way == ADAPTED) path = adapt_copy(file, room / "adapted");
  if (way == CONVERTED) path = room / "converted.xml";
  char error[1000] = "";
  mjModel* m = way == CONVERTED && !convert(t, path)
                   ? nullptr
                   : mj_loadXML(path.c_str(), nullptr, error, sizeof error);
  if (m == nullptr) {
    error[std::strcspn(error, "\n")] = 0;
    std::printf("not compared: MuJoCo: %s\n", error);
    return false;
  }
  bool same = false;
  if (m->nq != tribo_model_nq(t.model) || m->nv != tribo_model_nv(t.model)) {
    std::printf("nq, nv are %d, %d in MuJoCo and %d, %d in Tribo\n", m->nq, m->nv,
                tribo_model_nq(t.model), tribo_model_nv(t.model));
  } else {
    same = report(m, &t);
  }
  mj_deleteModel(m);
  return same;
}

// In a process of its own: MuJoCo's reader does not survive every file.
bool survive(const char* file, Way way, const fs::path& room) {
  std::printf("%-36s %-10s ", fs::path(file).filename().c_str(), kWay[way]);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const bool agree = compare_file(file, way, room);
    std::fflush(stdout);
    _exit(agree ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("not compared: a crash\n");
  return status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%-36s %-10s %5s %5s %9s %9s %9s %9s  %s\n", "file", "way", "links", "dofs", "mass",
              "position", "rotation", "matrix", "mass differs most");
  int agree = 0;
  for (int i = 1; i < argc; ++i) {
    std::string room = fs::temp_directory_path() / "tribo_models_XXXXXX";
    if (mkdtemp(room.data()) == nullptr) return 2;
    bool same = false;
    const std::string text = read_text(argv[i]);
    for (int way = AS_IT_IS; way < WAYS && !same; ++way) {
      if (way != ADAPTED || adapt(text) != text)
        same = survive(argv[i], static_cast<Way>(way), room);
    }
    agree += same;
    fs::remove_all(room);
  }
  std::printf("%d of %d agree to 1e-9 in some way\n", agree, argc - 1);
  return argc > 1 && agree == argc - 1 ? 0 : 1;
}
