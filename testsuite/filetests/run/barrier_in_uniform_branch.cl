// test: run regions
// run: branch global=8 local=4 (out=zeros:8, flag=1) -> out=[3,2,1,0,7,6,5,4]
// run: branch global=8 local=4 (out=zeros:8, flag=0) -> out=[0,10,20,30,40,50,60,70]
kernel void branch(global int *out, int flag) {
  local int tile[4];
  int g = get_global_id(0), l = get_local_id(0), v;
  if (flag) {
    tile[l] = g;
    barrier(CLK_LOCAL_MEM_FENCE);
    v = tile[3 - l];
  } else {
    v = g * 10;
  }
  out[g] = v;
}
