// The processor's counter (cl_khr_kernel_clock), which all processors of one machine have in common; on 64-bit devices.

#if __SIZEOF_POINTER__ == 8

#define CLOCK(scope)                                                                                                   \
  OVERLOAD ulong clock_read_##scope(void) { return __builtin_readcyclecounter(); }                                     \
  OVERLOAD uint2 clock_read_hilo_##scope(void) { return __builtin_astype(clock_read_##scope(), uint2); }
CLOCK(device)
CLOCK(work_group)
#endif
