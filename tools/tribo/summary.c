// SPDX-License-Identifier: Apache-2.0
//
// How a run went, for programs and for people.
#include <math.h>
#include <stdio.h>

#include "tools/tribo/run.h"

static double per_second(const TriboRunSummary* s, double what) {
  return s->wall > 0 ? what / s->wall : 0;
}

static const char* end_of(const TriboRunSummary* s) {
  if (s->status != TRIBO_OK) return tribo_status_text(s->status);
  return s->interrupted ? "interrupted" : "done";
}

static unsigned long long hash_of(const TriboRun* run) {
  return (unsigned long long)tribo_state_hash(run->state);
}

json_t* tribo_run_summary_json(const TriboRun* run, const TriboRunSummary* s) {
  json_t* object = json_object();
  char hash[32];
  snprintf(hash, sizeof hash, "%016llx", hash_of(run));
  json_object_set_new(object, "steps", json_integer(s->steps));
  json_object_set_new(object, "simulated_s", json_real(s->simulated));
  json_object_set_new(object, "wall_s", json_real(s->wall));
  json_object_set_new(object, "steps_per_s", json_real(per_second(s, (double)s->steps)));
  json_object_set_new(object, "times_real_time", json_real(per_second(s, s->simulated)));
  json_object_set_new(object, "nv", json_integer(tribo_model_nv(run->model)));
  json_object_set_new(object, "most_contacts_found", json_integer(s->most_found));
  json_object_set_new(object, "most_contacts_with_force", json_integer(s->most_touching));
  json_object_set_new(object, "worst_certificate", json_real(s->worst_certificate));
  json_object_set_new(object, "penetration_at_start_m", json_real(fmax(0, -s->deepest_start)));
  json_object_set_new(object, "deepest_penetration_m", json_real(fmax(0, -s->deepest)));
  json_object_set_new(object, "slip_of_sticking_m_per_s", json_real(s->stick_slip));
  json_object_set_new(object, "fastest_sliding_m_per_s", json_real(s->slide_speed));
  json_object_set_new(object, "energy_start_J", json_real(s->energy_start));
  json_object_set_new(object, "energy_end_J", json_real(s->energy_end));
  json_object_set_new(object, "speed_end", json_real(s->speed_end));
  json_object_set_new(object, "fallbacks", json_integer(s->fallbacks));
  json_object_set_new(object, "stopped_by_budget", json_integer(s->budget_stops));
  json_object_set_new(object, "relaxed", json_integer(s->relaxed));
  json_object_set_new(object, "warnings", json_integer(run->warnings));
  json_object_set_new(object, "state_hash", json_string(hash));
  json_object_set_new(object, "ended", json_string(end_of(s)));
  return object;
}

void tribo_run_summary_print(const TriboRun* run, const TriboRunSummary* s) {
  printf("steps        %ld of %.6g s: %.6g s, %d degrees of freedom\n", s->steps, run->options.h,
         s->simulated, tribo_model_nv(run->model));
  printf("wall time    %.3g s: %.0f steps/s, %.3g times real time\n", s->wall,
         per_second(s, (double)s->steps), per_second(s, s->simulated));
  printf("contacts     up to %d found near, up to %d that carry force\n", s->most_found,
         s->most_touching);
  printf("certificate  %.2g, the worst violation of any condition in any step\n",
         s->worst_certificate);
  printf("penetration  %.2g m at most after a step (%.2g m in the scene at the start)\n",
         fmax(0, -s->deepest), fmax(0, -s->deepest_start));
  printf("slip         %.2g m/s at most where contacts stick; sliding at up to %.3g m/s\n",
         s->stick_slip, s->slide_speed);
  printf("energy       %.6g J at the start, %.6g J at the end\n", s->energy_start, s->energy_end);
  printf("fallbacks    %ld steps; %ld relaxed, %ld stopped by the budget\n", s->fallbacks,
         s->relaxed, s->budget_stops);
  printf("warnings     %d by the reader of the model\n", run->warnings);
  printf("state hash   %016llx\n", hash_of(run));
  printf("ended        %s\n", end_of(s));
}
