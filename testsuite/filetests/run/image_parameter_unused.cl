// An image parameter is refused by name, although the kernel does not use it.
// test: diagnostics
// expect: fail OX0224
kernel void show(global int *out, read_only image2d_t picture) { out[0] = 1; }
