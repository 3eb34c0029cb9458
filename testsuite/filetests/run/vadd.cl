// test: run args
// run: vadd global=8 local=4 (a=[1,2,3,4,5,6,7,8], b=[10,20,30,40,50,60,70,80], c=zeros:8) -> c=[11,22,33,44,55,66,77,88]
// run: vadd global=1 local=1 (a=[1], b=[2], c=zeros:1) -> c=[3]
// run: vadd global=1021 (a=random:1021:1, b=random:1021:2, c=zeros:1021)
kernel void vadd(global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
