// A format that only run time knows is refused.
// test: diagnostics
// expect: fail OX0221
kernel void show(constant char *format) { printf(format); }
