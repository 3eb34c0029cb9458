// test: run
// run: ids global=4,3,2 local=2,3,1 (out=zeros:24) -> out=[0,1,100,101,10,11,110,111,20,21,120,121,1000,1001,1100,1101,1010,1011,1110,1111,1020,1021,1120,1121]
kernel void ids(global int *out) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int at = (z * 3 + y) * 4 + x;
  out[at] = get_group_id(2) * 1000 + get_group_id(0) * 100 + get_local_id(1) * 10 + get_local_id(0);
}
