#ifndef OXCL_STDIO_H
#define OXCL_STDIO_H
#include <stddef.h>
#define EOF (-1)
int putchar(int character);
int puts(const char *text);
_Noreturn void exit(int status);
#endif
