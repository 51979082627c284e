// Sums of products on a device, and the terms of one equation for many rows. Each kernel has one
// work item a row, or a part of a sum, in groups of 128.

#include "vendor.h"
#include "terms.h"
#include "bucket.h"
#include "equation.h"
