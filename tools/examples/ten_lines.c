// SPDX-License-Identifier: Apache-2.0
//
// A box falls on the ground: the whole of Tribo in ten lines.
#include <stdio.h>

#include "engine/tribo.h"

int main(void) {
  TriboBuilder* builder = NULL;
  TriboSim* sim = NULL;
  TriboLinkDesc link = tribo_link_default();
  TriboShapeDesc ground = tribo_shape_default(), box = tribo_shape_default();
  TriboPose start = {{0, 0, 0.5}, {1, 0, 0, 0}};
  TriboStatus status = tribo_builder_create(NULL, &builder);

  ground.type = TRIBO_SHAPE_PLANE;
  box.type = TRIBO_SHAPE_BOX;
  box.size[0] = box.size[1] = box.size[2] = 0.1;
  if (!status) status = tribo_builder_add_link(builder, &link, &box.link);
  if (!status) status = tribo_builder_add_shape(builder, &ground, NULL);
  if (!status) status = tribo_builder_add_shape(builder, &box, NULL);
  if (!status) status = tribo_sim_create(builder, NULL, &sim, NULL);
  if (!status)
    status = tribo_state_set_free_pose(tribo_sim_model(sim), tribo_sim_state(sim), 0, start);
  for (int i = 0; i < 1000 && !status; ++i) status = tribo_sim_step(sim);

  if (status) {
    fprintf(stderr, "%s\n", tribo_status_text(status));
  } else {
    printf("after %.3f s the box is at z = %.6f m\n", tribo_state_time(tribo_sim_state(sim)),
           tribo_state_q(tribo_sim_state(sim))[2]);
  }
  tribo_sim_destroy(sim);
  tribo_builder_destroy(builder);
  return status != TRIBO_OK;
}
