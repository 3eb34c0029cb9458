// Local memory in both forms: an argument, and two automatic variables of different sizes.
kernel void exchange(global const int *in, global int *out, local int *turned, int bias) {
  local int doubled[64];
  local int group;
  size_t item = get_local_id(0);
  size_t items = get_local_size(0);
  if (item == 0)
    group = (int)get_group_id(0) * 1000;
  turned[item] = in[get_global_id(0)];
  doubled[item] = in[get_global_id(0)] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = turned[items - 1 - item] + doubled[(item + 1) % items] + group + bias;
}
