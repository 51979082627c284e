// What benchmarks of a device launch: operations on columns in memory, and chains of operations in
// registers.

#include "vendor.h"
#include "bench_field.h"
#include "bench_point.h"
