// SPDX-License-Identifier: Apache-2.0
//
// Joint limits, dry friction, motors with effort limits and loops, against statics and by hand.
#include <cmath>

#include "tests/engine/scene.h"
#include "tests/scale.h"

namespace {

constexpr double kG = 9.81;
constexpr double kCertificate = 1e-9;

// A mass on a vertical slide.
int Slider(Scene* scene, int* joint, const std::function<void(TriboJointDesc*)>& change = {}) {
  const int link = scene->Link(2, {0.01, 0.01, 0.01});
  *joint = scene->Joint(TRIBO_JOINT_SLIDE, TRIBO_WORLD, link, change);
  return link;
}

TEST(Joints, SlideComesToRestExactlyAtItsLimit) {
  Scene scene;
  int joint;
  Slider(&scene, &joint, [](TriboJointDesc* d) {
    d->limited = true;
    d->lower = -0.3;
    d->upper = 0.4;
  });
  for (int i = 0; i < 1000; ++i) {
    scene.Step();
    EXPECT_GE(scene.Q(joint), -0.3 - 1e-12);
  }
  EXPECT_NEAR(scene.Q(joint), -0.3, 1e-12);
  EXPECT_NEAR(scene.V(joint), 0, 1e-12);
  EXPECT_LE(scene.worst, kCertificate);
}

TEST(Joints, UpperLimitHoldsAgainstAPush) {
  Scene scene;
  int joint;
  Slider(&scene, &joint, [](TriboJointDesc* d) {
    d->limited = true;
    d->lower = -0.3;
    d->upper = 0.4;
  });
  const double up[] = {100};
  scene.input.effort = up;
  scene.Run(1000);
  EXPECT_NEAR(scene.Q(joint), 0.4, 1e-12);
}

TEST(Joints, ALimitDoesNotHoldBackWhatLeavesIt) {
  for (double speed : {0.0, 1.0}) {
    Scene scene;
    int joint;
    Slider(&scene, &joint, [](TriboJointDesc* d) {
      d->limited = true;
      d->upper = 1;
    });
    ASSERT_EQ(tribo_state_set_v(scene.model(), scene.state(), &speed), TRIBO_OK);
    double a = NAN;
    TriboForwardInfo info;
    ASSERT_EQ(tribo_forward(scene.model(), nullptr, &scene.input, scene.state(), scene.workspace(),
                            &a, &info),
              TRIBO_OK);
    EXPECT_NEAR(a, speed > 0 ? -kG : 0, 1e-12);
  }
}

TEST(Joints, DryFrictionHoldsBelowItsBoundAndBrakesAboveIt) {
  for (double effort : {19.9, 40.0}) {
    Scene scene;
    scene.Gravity({0, 0, 0});
    int joint;
    Slider(&scene, &joint, [](TriboJointDesc* d) { d->friction = 20; });
    const double push[] = {effort};
    scene.input.effort = push;
    scene.Run(500);
    // a = (effort - friction)/m once it moves.
    EXPECT_NEAR(scene.V(joint), effort < 20 ? 0 : (effort - 20) / 2 * 0.5, 1e-9);
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Joints, LimitedServoGivesItsLimitAndNoMore) {
  for (double limit : {10.0, 30.0}) {
    Scene scene;
    int joint;
    Slider(&scene, &joint);
    scene.Actuator(TRIBO_ACTUATOR_VELOCITY, joint, [limit](TriboActuatorDesc* d) {
      d->kd = 1e4;
      d->effort_limit = limit;
    });
    const double stay[] = {0};
    scene.input.control = stay;
    scene.Run(500);
    // 30 N carry 2 kg at the servo's own sag m g / kd; 10 N let it fall with g - 10/2.
    const double sag = -2 * kG / 1e4;
    EXPECT_NEAR(scene.V(joint), limit > 2 * kG ? sag : -(kG - limit / 2) * 0.5, 1e-9);
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Joints, PositionServoArrivesThroughSaturation) {
  Scene scene;
  scene.Gravity({0, 0, 0});
  int joint;
  Slider(&scene, &joint);
  scene.Actuator(TRIBO_ACTUATOR_POSITION, joint, [](TriboActuatorDesc* d) {
    d->kp = 1e4;
    d->kd = 4000;
    d->effort_limit = 4;
  });
  const double goal[] = {1};
  scene.input.control = goal;
  scene.Run(100);
  EXPECT_NEAR(scene.V(joint), 4.0 / 2 * 0.1, 1e-9);  // at full effort
  scene.Run(10000);
  EXPECT_NEAR(scene.Q(joint), 1, 1e-6);
  EXPECT_LE(scene.worst, kCertificate);
}

// A four-bar linkage in the xz plane: crank at the origin, rocker at (0.5, 0, 0), coupler between;
// all hinges about y. The loop closes the coupler's end on the rocker.
struct FourBar {
  Scene scene;
  int crank, coupler, rocker, loop;
  explicit FourBar(TriboLoopType type, double crank_limit = INFINITY) {
    const TriboQuat about_y = tribo_quat_from_axis_angle({1, 0, 0}, -M_PI / 2);  // z of joint: y
    auto hinge = [&](int parent, int child, TriboVec3 at, double angle) {
      return scene.Joint(TRIBO_JOINT_HINGE, parent, child, [&](TriboJointDesc* d) {
        d->pose_parent = {at, about_y};
        d->pose_child = {{0, 0, 0}, about_y};
        d->initial[0] = angle;
        d->limited = child == crank && std::isfinite(crank_limit);
        d->lower = -M_PI;
        d->upper = crank_limit;
      });
    };
    // Lengths 0.2, 0.5, 0.4 over a base of 0.5: the crank turns all the way. A link runs along its
    // z; at rest it is turned about y.
    crank = scene.Link(0.2, {1e-3, 1e-3, 1e-4});
    coupler = scene.Link(0.5, {1e-2, 1e-2, 1e-4});
    rocker = scene.Link(0.4, {5e-3, 5e-3, 1e-4});
    // Crank up: A = (0, 0.2). The coupler's end B is 0.5 from A and 0.4 from (0.5, 0).
    const double d = std::hypot(0.5, 0.2), a = (0.25 - 0.16 + d * d) / (2 * d);
    const double hgt = std::sqrt(0.25 - a * a);
    const double ex = 0.5 / d, ez = -0.2 / d;  // from A to the rocker's pivot
    const double Bx = a * ex - hgt * ez, Bz = 0.2 + a * ez + hgt * ex;
    const double coupler_angle = std::atan2(Bx, Bz - 0.2), rocker_angle = std::atan2(Bx - 0.5, Bz);
    hinge(TRIBO_WORLD, crank, {0, 0, 0}, 0);
    hinge(crank, coupler, {0, 0, 0.2}, coupler_angle);
    hinge(TRIBO_WORLD, rocker, {0.5, 0, 0}, rocker_angle);
    loop = scene.Loop(type, [&](TriboLoopDesc* l) {
      l->link0 = coupler;
      l->link1 = rocker;
      l->pose0 = {{0, 0, 0.5}, about_y};
      l->pose1 = {{0, 0, 0.4}, about_y};
    });
  }
  double Opening() {
    const TriboVec3 p0 = tribo_pose_mul(scene.Pose(coupler), {{0, 0, 0.5}, {1, 0, 0, 0}}).p;
    const TriboVec3 p1 = tribo_pose_mul(scene.Pose(rocker), {{0, 0, 0.4}, {1, 0, 0, 0}}).p;
    return tribo_vec3_distance(p0, p1);
  }
};

TEST(Loops, FourBarStaysClosedWhileItTurns) {
  for (TriboLoopType type : {TRIBO_LOOP_CONNECT, TRIBO_LOOP_HINGE}) {
    FourBar bar(type);
    bar.scene.Build();
    ASSERT_LT(bar.Opening(), 1e-9);
    const double effort[] = {1, 0, 0};
    bar.scene.input.effort = effort;
    double worst = 0;
    const int steps = tribo_test_count(100000);
    for (int i = 0; i < steps; ++i) {
      bar.scene.Step();
      // Pushed until it turns at about 6 rad/s.
      if (std::fabs(tribo_state_v(bar.scene.state())[0]) > 6) bar.scene.input.effort = nullptr;
      worst = std::fmax(worst, bar.Opening());
    }
    EXPECT_LT(worst, 1e-9) << "loop type " << type;
    EXPECT_LE(bar.scene.worst, kCertificate);
    // It went round: the plane of the loop has redundant rows all the way.
    EXPECT_GT(std::fabs(tribo_state_q(bar.scene.state())[0]), 6.3);
  }
}

// Where the closed linkage has its rocker's end when the crank stands at an angle, by triangles.
TriboVec3 EndOfRocker(double crank) {
  const double ax = 0.2 * std::sin(crank), az = 0.2 * std::cos(crank);
  const double dx = 0.5 - ax, dz = -az, d = std::hypot(dx, dz);
  const double a = (0.25 - 0.16 + d * d) / (2 * d), height = std::sqrt(0.25 - a * a);
  return {ax + (a * dx - height * dz) / d, 0, az + (a * dz + height * dx) / d};
}

// A gripper's finger: the crank is driven, the loop is closed twice over (8 rows for the 2 that the
// plane needs), and the rocker's end presses a pad on a wall that slopes. The crank's limit comes
// before the wall, after it, or at the same angle; then the two share the load as they like, and
// virtual work still says what they carry together.
TEST(Loops, AFourBarPressesOnAWallAndOnItsLimitAsVirtualWorkSays) {
  const double torque = 2, radius = 0.05;
  const TriboVec3 normal = {-0.8, 0, 0.6};
  const double wall_angle = 0.3;  // of the crank where the pad touches the wall
  for (double limit : {0.2, wall_angle, 0.4}) {
    FourBar bar(TRIBO_LOOP_HINGE, limit);
    Scene& scene = bar.scene;
    scene.Gravity({0, 0, 0});
    scene.Loop(TRIBO_LOOP_CONNECT, [&](TriboLoopDesc* l) {
      l->link0 = bar.coupler;
      l->link1 = bar.rocker;
      l->pose0 = At(0, 0, 0.5);
      l->pose1 = At(0, 0, 0.4);
    });
    const int smooth = scene.Material(0);
    scene.Shape(bar.rocker, TRIBO_SHAPE_SPHERE, {radius, 0, 0}, At(0, 0, 0.4), smooth);
    const TriboVec3 touch =
        tribo_vec3_sub(EndOfRocker(wall_angle), tribo_vec3_scale(radius, normal));
    scene.Plane({touch, tribo_quat_from_axis_angle({0, 1, 0}, std::atan2(normal.x, normal.z))},
                smooth);
    const double effort[] = {torque, 0, 0};
    scene.input.effort = effort;
    scene.Run(2000);
    EXPECT_LE(scene.worst, kCertificate);
    EXPECT_EQ(scene.relaxed_steps, 0);
    EXPECT_LT(bar.Opening(), 1e-9);
    const double crank = std::fmin(limit, wall_angle);
    EXPECT_NEAR(scene.Q(0), crank, 1e-9);
    EXPECT_NEAR(scene.V(0), 0, 1e-9);

    // torque + limit's torque + f_n d(normal . end)/d(crank) = 0
    const double d = 1e-5;
    const double rate = (tribo_vec3_dot(normal, EndOfRocker(crank + d)) -
                         tribo_vec3_dot(normal, EndOfRocker(crank - d))) /
                        (2 * d);
    ASSERT_LT(rate, -0.05);  // towards the wall
    TriboVec3 force, moment;
    ASSERT_EQ(tribo_contact_wrench(scene.workspace(), bar.rocker, &force, &moment), TRIBO_OK);
    const double pressing = tribo_vec3_dot(normal, force);
    ASSERT_EQ(
        tribo_joint_reaction(scene.model(), scene.state(), scene.workspace(), 0, &force, &moment),
        TRIBO_OK);
    const double stop = moment.y - torque;
    EXPECT_NEAR(torque + stop + rate * pressing, 0, 1e-8);
    EXPECT_LE(stop, 1e-9);
    EXPECT_GE(pressing, 0);
    if (limit < wall_angle) {
      EXPECT_EQ(pressing, 0);
    } else if (limit > wall_angle) {
      EXPECT_NEAR(stop, 0, 1e-9);
    }
  }
}

// Two fingers that slide along each other on a box: they touch across a normal along which neither
// can move, and their contact rows are what rounding leaves of zero. Beside a gap over such a row
// all velocities once looked like none, and the box fell into the floor.
TEST(Joints, FingersThatCannotApproachEachOtherDoNotHideTheFloor) {
  for (TriboContactModel contact :
       {TRIBO_MODEL_FRICTIONLESS, TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP, TRIBO_MODEL_VISCOUS}) {
    SCOPED_TRACE(contact);
    Scene scene;
    scene.Plane();
    const int box = scene.Box({0.1, 0.1, 0.05}, 1,
                              {{0, 0, 0.3}, tribo_quat_from_axis_angle({0.6, 0.64, 0.48}, 0.7)});
    for (double side : {-1.0, 1.0}) {
      const int finger = scene.Link(0.1, {1e-4, 1e-4, 1e-4});
      scene.Shape(finger, TRIBO_SHAPE_BOX, {0.01, 0.03, 0.02});
      scene.Joint(TRIBO_JOINT_SLIDE, box, finger, [side](TriboJointDesc* d) {
        d->axis = {0, 1, 0};
        d->pose_parent = At(0.0105 * side, 0, 0.08);
        d->damping = 1;
      });
    }
    scene.options.model = contact;
    scene.options.energy = true;
    for (int i = 0; i < 3000; ++i) {
      scene.Step();
      EXPECT_GT(scene.info.deepest, -1e-4) << i;
    }
    EXPECT_NEAR(scene.Position(box).z, 0.05, 1e-6);
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Loops, WeldedBodiesFallAsOneAndGearedJointsTurnTogether) {
  Scene scene;
  const int a = scene.Sphere(0.1, 1, {0, 0, 1}), b = scene.Box({0.1, 0.1, 0.1}, 3, At(0.5, 0, 1));
  scene.Loop(TRIBO_LOOP_WELD, [&](TriboLoopDesc* l) {
    l->link0 = a;
    l->link1 = b;
    l->pose0 = At(0.5, 0, 0);
  });
  scene.Build();
  scene.SetVelocity(a, {0, 0, 2});
  const TriboEnergy before = scene.Energy();
  scene.Run(1000);
  const TriboEnergy after = scene.Energy();
  const TriboPose pose = tribo_pose_mul(scene.Pose(a), At(0.5, 0, 0));
  EXPECT_LT(tribo_vec3_distance(pose.p, scene.Position(b)), 1e-9);
  EXPECT_NEAR(after.linear_momentum.z, before.linear_momentum.z - 4 * kG, 1e-9);
  // The impulse of the weld is inside, so spin stays but for the projection, which shortens the arm
  // by (w h)^2/2 a step: first order in h over a second at w = 2 rad/s.
  EXPECT_NEAR(after.angular_momentum.y, before.angular_momentum.y, 5e-3);
  EXPECT_LE(scene.worst, kCertificate);
}

TEST(Loops, GearMultipliesTorque) {
  Scene scene;
  scene.Gravity({0, 0, 0});
  const int a = scene.Link(1, {0.1, 0.1, 0.1}), b = scene.Link(1, {0.3, 0.3, 0.4});
  const int first = scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, a);
  const int second = scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, b);
  scene.Loop(TRIBO_LOOP_GEAR, [&](TriboLoopDesc* l) {
    l->joint0 = first;
    l->joint1 = second;
    l->ratio = -3;
    l->offset = 0.2;
  });
  const double push[] = {2, 0};
  scene.input.effort = push;
  // The offset is not met at the start: the projection turns the joints there, no faster than 1
  // rad/s.
  scene.Run(1000);
  EXPECT_NEAR(scene.Q(second), 0.2 - 3 * scene.Q(first), 1e-9);
  // (I0 + ratio^2 I1) a = torque
  EXPECT_NEAR(scene.V(first), 2 / (0.1 + 9 * 0.4) * 1.0, 1e-9);
  EXPECT_LE(scene.worst, kCertificate);
}

TEST(Loops, ReactionsAreThoseOfStatics) {
  // A bar of 2 m and 3 kg on a hinge at its left end, held by a loop at its right end: half the
  // weight each. A load of 5 kg that is welded to the world through a loop: all of its weight, and
  // the moment of its arm.
  Scene scene;
  const int bar = scene.Link(3, {1, 1, 0.1});
  scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, bar, [](TriboJointDesc* d) {
    const TriboQuat about_y = tribo_quat_from_axis_angle({1, 0, 0}, -M_PI / 2);
    d->pose_parent = {{0, 0, 0}, about_y};
    d->pose_child = {{-1, 0, 0}, about_y};
  });
  const int held = scene.Loop(TRIBO_LOOP_CONNECT, [&](TriboLoopDesc* l) {
    l->link0 = TRIBO_WORLD;
    l->link1 = bar;
    l->pose0 = At(2, 0, 0);
    l->pose1 = At(1, 0, 0);
  });
  const int load = scene.Sphere(0.1, 5, {0, 3, 1});
  const int welded = scene.Loop(TRIBO_LOOP_WELD, [&](TriboLoopDesc* l) {
    l->link0 = TRIBO_WORLD;
    l->link1 = load;
    l->pose0 = At(-0.4, 3, 1);
    l->pose1 = At(-0.4, 0, 0);
  });
  scene.Run(20);
  TriboVec3 force, torque;
  ASSERT_EQ(tribo_loop_reaction(scene.workspace(), held, &force, &torque), TRIBO_OK);
  EXPECT_NEAR(force.z, 1.5 * kG, 1e-9);
  EXPECT_NEAR(force.y, 0, 1e-9);
  ASSERT_EQ(tribo_loop_reaction(scene.workspace(), welded, &force, &torque), TRIBO_OK);
  EXPECT_NEAR(force.z, 5 * kG, 1e-9);
  // About the loop's point the weight has the moment (0.4, 0, 0) x (0, 0, -5 g).
  EXPECT_NEAR(torque.y, -0.4 * 5 * kG, 1e-9);
  EXPECT_EQ(tribo_loop_reaction(scene.workspace(), 2, &force, &torque), TRIBO_ERROR_ARGUMENT);
}

TEST(Loops, CompliantLoopIsASpring) {
  Scene scene;
  const int a = scene.Sphere(0.1, 1, {0, 0, 1});
  scene.Loop(TRIBO_LOOP_CONNECT, [&](TriboLoopDesc* l) {
    l->link0 = TRIBO_WORLD;
    l->link1 = a;
    l->pose0 = At(0, 0, 1);
    l->compliance = 1e-3;
  });
  scene.Run(20000);
  EXPECT_NEAR(scene.Position(a).z, 1 - kG * 1e-3, 1e-6);
}

TEST(Loops, GearsOfDifferentRatiosLockBothJoints) {
  Scene scene;
  const int a = scene.Link(1, {0.1, 0.1, 0.1});
  const int joint = scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, a);
  const int b = scene.Link(1, {0.1, 0.1, 0.1});
  const int other = scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, b);
  // Two gears with different ratios between the same joints: the only motion left is none.
  for (double ratio : {1.0, 2.0}) {
    scene.Loop(TRIBO_LOOP_GEAR, [&](TriboLoopDesc* l) {
      l->joint0 = joint;
      l->joint1 = other;
      l->ratio = ratio;
    });
  }
  const double push[] = {1, 0};
  scene.input.effort = push;
  scene.Run(100);
  EXPECT_NEAR(scene.V(joint), 0, 1e-12);
  EXPECT_NEAR(scene.V(other), 0, 1e-12);
}

// A joint is held at two angles at once: no motion closes both loops, and the step says which one
// stays open. Below a thousandth of a radian they share the difference, as real linkages do; with a
// compliance they always do; and a stop that holds a loop open is no contradiction.
TEST(Loops, LoopsThatContradictEachOtherAreNamed) {
  for (double apart : {0.1, 1e-4}) {
    for (double compliance : {0.0, 1e-3}) {
      Scene scene;
      scene.Box({0.1, 0.1, 0.1}, 1, At(5, 0, 0));
      const int arm = scene.Link(1, {0.1, 0.1, 0.1});
      const int joint = scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, arm);
      int loop = -1;
      for (double offset : {0.0, apart}) {
        loop = scene.Loop(TRIBO_LOOP_GEAR, [&](TriboLoopDesc* l) {
          l->joint0 = -1;
          l->joint1 = joint;
          l->offset = offset;
          l->compliance = compliance;
        });
      }
      scene.Build();
      const uint64_t before = tribo_state_hash(scene.state());
      if (apart < 0.01 || compliance > 0) {
        scene.Run(1000);
        EXPECT_NEAR(scene.Q(joint), 0.5 * apart, 1e-3 * apart);
        continue;
      }
      EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_INFEASIBLE);
      const TriboStepInfo info = tribo_step_info(scene.workspace());
      EXPECT_EQ(info.kind, TRIBO_KIND_LOOP);
      EXPECT_EQ(info.element, loop);
      EXPECT_EQ(tribo_state_hash(scene.state()), before);
    }
  }
  Scene scene;
  const int arm = scene.Link(1, {0.1, 0.1, 0.1});
  const int joint = scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, arm, [](TriboJointDesc* d) {
    d->limited = true;
    d->lower = -1;
    d->upper = 0.05;
  });
  scene.Loop(TRIBO_LOOP_GEAR, [&](TriboLoopDesc* l) {
    l->joint0 = -1;
    l->joint1 = joint;
    l->offset = 0.1;
  });
  scene.Run(1000);
  EXPECT_GT(scene.Q(joint), 0.049);
}

// Two bars in one line whose end should be nearer: no motion brings it nearer this moment, whatever
// the line's direction. That is no contradiction, and steps go on, whether the loop closes or not.
TEST(Loops, ADeadPointIsNoContradiction) {
  for (double direction : {0.0, 0.7, 1.3}) {
    Scene scene;
    scene.Gravity({0, 0, 0});
    const TriboQuat turn = tribo_quat_from_axis_angle({0, 1, 0}, direction);
    const TriboQuat about_y = tribo_quat_from_axis_angle({1, 0, 0}, -M_PI / 2);
    const int first = scene.Link(1, {0.01, 0.01, 0.01}), second = scene.Link(1, {0.01, 0.01, 0.01});
    scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, first, [&](TriboJointDesc* d) {
      d->pose_parent.q = tribo_quat_mul(turn, about_y);
      d->pose_child = {{-0.5, 0, 0}, about_y};
    });
    scene.Joint(TRIBO_JOINT_HINGE, first, second, [&](TriboJointDesc* d) {
      d->pose_parent = {{0, 0, 0}, about_y};
      d->pose_child = {{-0.5, 0, 0}, about_y};
    });
    const TriboVec3 end = tribo_quat_rotate(turn, {0.95, 0, 0});
    scene.Loop(TRIBO_LOOP_CONNECT, [&](TriboLoopDesc* l) {
      l->link0 = TRIBO_WORLD;
      l->link1 = second;
      l->pose0.p = end;
    });
    scene.Run(100);
    EXPECT_LE(scene.worst, kCertificate);
  }
}

}  // namespace
