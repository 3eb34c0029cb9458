// test: run args
// run: unused global=2 local=1 (a=zeros:4, b=3, c=local:8, out=zeros:2) -> out=[5,5]
kernel void unused(global float *a, int b, local int *c, global int *out) { out[get_global_id(0)] = 5; }
