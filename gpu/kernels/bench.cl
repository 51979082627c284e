// What benchmarks of a device launch: operations on columns in memory, chains of operations in
// registers, and the rates of the device's instructions and memory.

#include "vendor.h"
#include "bench_field.h"
#include "bench_point.h"
#include "bench_rate.h"
