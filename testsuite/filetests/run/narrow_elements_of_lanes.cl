// test: run
// run: bytes global=40 local=20 (in=range:600, out=zeros:40, n=7) -> out=[10338,22361,34384,46407,58430,70453,82476,94499,106522,118545,130568,142591,154614,166637,178660,190683,202450,214473,225728,235447,240558,231845,181660,7059,19082,31105,43128,55151,67174,79197,91220,103243,115266,127289,139312,151335,163358,175381,187404,199427]
// run: signs global=40 local=20 (in=range:600, out=zeros:40, n=7) -> out=[1156,15188,29115,9112,55019,68946,16812,86914,-91159,-14912,-65255,-51328,-6956,-25424,-11497,1000,14407,28334,8956,54238,68165,16912,86133,-91940,-15068,-66036,-52109,-7112,-26205,-12278,844,13626,27553,8800,52935,53812,3184,25341,39268,11140]
// run: shorts global=40 local=20 (in=range:600, out=zeros:40, n=7) -> out=[4046979,6013286,7979593,9945900,11912207,13878514,15844821,17811128,19777435,21743742,23710049,25676356,27577127,29543434,31509741,33476048,35245747,37212054,39178361,41144668,42521151,44487458,46453765,48420072,50386379,50583214,52549521,54515828,56482135,53140026,55106333,57072640,59038947,45080006,47046313,49012620,50978927,5169490,7135797,9102104]
// Lanes that each read a byte or a short from a place of its own, at any distance from a word's beginning, in branches and out of them. The
// kernels copy their numbers into memory of the narrow type first. The results were computed apart, from the source, by another program.

kernel void bytes(global const int *in, global int *out, int n) {
  local uchar t[600];
  int i = get_global_id(0), s = 0;
  for (int j = get_local_id(0); j < 600; j += get_local_size(0)) t[j] = in[j];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < n; j++) s = s * 3 + t[(i * 11 + j * 13 + 3) % 599];
  out[i] = s;
}

kernel void signs(global const int *in, global int *out, int n) {
  local char t[600];
  int i = get_global_id(0), s = 0;
  for (int j = get_local_id(0); j < 600; j += get_local_size(0)) t[j] = in[j];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < n; j++)
    if ((i + j) % 3) s = s * 5 + t[(i * 17 + j * 5 + 1) % 599];
  out[i] = s;
}

kernel void shorts(global const int *in, global int *out, int n) {
  local ushort t[600];
  int i = get_global_id(0), s = 0;
  for (int j = get_local_id(0); j < 600; j += get_local_size(0)) t[j] = in[j] * 257;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < n; j++) s = s * 3 + t[(i * 7 + j * 29) % 599];
  out[i] = s;
}
