// 64-bit atomics of the extensions, on global and local memory.
// test: run
// run: mix global=64 local=16 (sum=[0], least=[4294967296000], most=[-1], bits=[0,-1,0], swaps=zeros:64) -> sum=[8796093022560], least=[4294967296], most=[274877906944], bits=[270582939648,0,0]
// compare: sum least most bits
#ifndef cl_khr_int64_base_atomics
#error
#endif
#ifndef cl_khr_int64_extended_atomics
#error
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void mix(global long *sum, global long *least, global long *most, global long *bits, global ulong *swaps) {
  local ulong cell;
  long i = get_global_id(0);
  if (get_local_id(0) == 0)
    cell = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atom_add(sum, (1L << 32) * 31 + (i & 1) * (1L << 33) + (i < 32 ? 11 : 0));
  atom_min(least, (i + 1) << 32);
  atom_max(most, (i + 1) << 32);
  atom_or(&bits[0], i << 32);
  atom_and(&bits[1], i << 32);
  atom_xor(&bits[2], 0);
  swaps[i] = atom_xchg(&cell, (ulong)i << 40);
}
