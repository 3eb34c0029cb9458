#ifndef OXCL_MALLOC_H
#define OXCL_MALLOC_H
#include <stdlib.h>
#endif
