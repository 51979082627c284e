// The programs of a device. Each has one work item a row, in groups of 128.

#include "vendor.h"
#include "ecdsa.h"
#include "schnorr.h"
#include "keys.h"
#include "prepared.h"
#include "table.h"
