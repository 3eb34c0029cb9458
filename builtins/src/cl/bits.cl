// Fields of bits and their reversal (cl_khr_extended_bit_ops).

#define BODY "bits.inc"
#define TYPE_BODY "for_widths.h"
#include "for_integers.h"
