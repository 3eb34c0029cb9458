// test: run args
// run: nothing global=64 local=8 ()
kernel void nothing(void) {}
