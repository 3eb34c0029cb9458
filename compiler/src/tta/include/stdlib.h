#ifndef OXCL_STDLIB_H
#define OXCL_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
_Noreturn void exit(int status);
_Noreturn void abort(void);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *place);
int abs(int value);
long labs(long value);
#endif
