// Sums of products on a device. Each kernel has one work item a row, in groups of 128.

#include "vendor.h"
#include "terms.h"
#include "bucket.h"
