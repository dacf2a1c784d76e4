// SPDX-License-Identifier: Apache-2.0
//
// The table of benchmarks. To add one: write its file with a TriboBenchmark, name it here twice.
#include <stddef.h>

#include "tools/tribo/bench.h"

extern const TriboBenchmark tribo_benchmark_base;
extern const TriboBenchmark tribo_benchmark_collision;
extern const TriboBenchmark tribo_benchmark_dantzig;
extern const TriboBenchmark tribo_benchmark_dynamics;
extern const TriboBenchmark tribo_benchmark_factor;
extern const TriboBenchmark tribo_benchmark_grasp;
extern const TriboBenchmark tribo_benchmark_load;
extern const TriboBenchmark tribo_benchmark_lloyd;
extern const TriboBenchmark tribo_benchmark_ppm;
extern const TriboBenchmark tribo_benchmark_quadruped;
extern const TriboBenchmark tribo_benchmark_record;
extern const TriboBenchmark tribo_benchmark_step;

const TriboBenchmark* const tribo_benchmarks[] = {
    &tribo_benchmark_base,
    &tribo_benchmark_collision,
    &tribo_benchmark_dantzig,
    &tribo_benchmark_dynamics,
    &tribo_benchmark_factor,
    &tribo_benchmark_load,
    &tribo_benchmark_lloyd,
    &tribo_benchmark_ppm,
    &tribo_benchmark_step,
    &tribo_benchmark_grasp,
    &tribo_benchmark_quadruped,
    &tribo_benchmark_record,
    NULL,
};
