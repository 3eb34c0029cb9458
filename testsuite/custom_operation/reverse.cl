// Mirrors the bits of words, as Fourier transforms and checksums do. Built with -DREFLECT it uses the operation `reflect32` of
// the machine `reflecting.adf`; without, shifts and masks.

#ifdef REFLECT
uint __tta_op_reflect32(uint word) __attribute__((const));
#define reflected(word) __tta_op_reflect32(word)
#else
static uint reflected(uint word) {
  word = (word & 0x55555555) << 1 | (word >> 1 & 0x55555555);
  word = (word & 0x33333333) << 2 | (word >> 2 & 0x33333333);
  word = (word & 0x0f0f0f0f) << 4 | (word >> 4 & 0x0f0f0f0f);
  word = (word & 0x00ff00ff) << 8 | (word >> 8 & 0x00ff00ff);
  return word << 16 | word >> 16;
}
#endif

kernel void reverse(global const uint *in, global uint *out) {
  size_t i = get_global_id(0);
  out[i] = reflected(in[i]) ^ reflected(in[i] * 2654435761u);
}
