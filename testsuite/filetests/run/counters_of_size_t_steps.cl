// Counters of 32 bits that grow by what get_local_size and get_global_size give, a bound that is divided by a number of groups,
// and barriers inside: all go round together.
// test: run regions
// run: strided global=32 local=8 (a=random:200:1, n=200, out=zeros:32)
// run: strided global=33 local=11 (a=random:200:2, n=197, out=zeros:33)
// run: windows global=32 local=8 (a=random:200:3, n=200, out=zeros:200)
// run: windows global=48 local=16 (a=random:200:4, n=192, out=zeros:200)
kernel void strided(global const int *a, int n, global int *out) {
  int sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum = sum * 3 + a[i];
  for (int i = get_local_id(0); i < n; i += 2 * get_local_size(0) + 1)
    sum ^= a[i] >> 1;
  out[get_global_id(0)] = sum;
}
kernel void windows(global const int *a, int n, global int *out) {
  local int cells[16];
  int share = n / get_num_groups(0);
  int begin = get_group_id(0) * share, end = begin + share;
  int i = begin + get_local_id(0), l = get_local_id(0);
  unsigned window = begin;
  while (window < end) {
    cells[l] = i < end ? a[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < end)
      out[i] = cells[l] - cells[get_local_size(0) - 1 - l] * (i - window);
    barrier(CLK_LOCAL_MEM_FENCE);
    window += get_local_size(0);
    i += get_local_size(0);
  }
}
