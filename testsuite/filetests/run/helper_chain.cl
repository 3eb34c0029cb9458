// Work-item functions deep inside helpers.
// test: run
// run: chain global=6 local=3 (out=zeros:6) -> out=[0,11,22,3,14,25]
int third(void) { return get_local_id(0) * 10; }
int second(int x) { return third() + x; }
int first(void) { return second(get_global_id(0)); }
kernel void chain(global int *out) { out[get_global_id(0)] = first(); }
