// An int index made from a global id must not cost correctness at any size.
// test: run
// run: scale global=64 local=16 (a=range:64, k=3) -> a=[0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,51,54,57,60,63,66,69,72,75,78,81,84,87,90,93,96,99,102,105,108,111,114,117,120,123,126,129,132,135,138,141,144,147,150,153,156,159,162,165,168,171,174,177,180,183,186,189]
kernel void scale(global int *a, int k) {
  int i = get_global_id(0);
  a[i] *= k;
}
