// Native functions (OpenCL C 3.0, section 6.15.2): of floats, as accurate as suits the machine, and half_ functions that go by them. Those
// that are not here are the accurate ones: a native root or reciprocal root is no faster than they are.

#include "polynomials.h"

#define BODY "native_functions.inc"
#define TYPE_BODY "for_widths.h"
#include "for_float.h"
