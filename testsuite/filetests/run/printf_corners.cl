// Corners of printf: strings that are chosen when the kernel runs, also by way of a table of pointers, vectors in structures, flags of
// vectors, the ends of integer types, percent signs, and values that are no numbers.
// test: run
// options: -cl-std=CL3.0
// prints: |[even][odd][ev][odd]|
// prints: |s=(1,2,3,4) t=0x1p+1,-0x1.8p+0|
// prints: |+1,+2,+3|001,002,ff|
// prints: |-1,127|65535,0|1,-1|
// prints: |100%|%d|c=a|
// prints: |18446744073709551615 -9223372036854775808 ffffffffffffffff|
// prints: |inf -inf nan|
// run: show global=1 (n=2)
typedef struct { char tag; int4 s; struct { float2 t; } in; } pair_t;
constant char even[] = "even";
constant char odd[] = "odd";
constant char *constant names[] = {even, odd};
void tell(const pair_t *p) {
  printf("s=(%v4hld) t=%v2hla\n", p->s, p->in.t);
}
kernel void show(int n) {
  constant char *chosen = n % 2 ? odd : even;
  printf("[%s][%s][%.2s][%s]\n", chosen, n > 1 ? odd : even, chosen, names[n / 2]);
  pair_t p = {'a', (int4)(1, 2, 3, 4), {(float2)(2.0f, -1.5f)}};
  tell(&p);
  printf("%+v3hld|%03v2hld,%hhx\n", (int3)(1, 2, 3), (int2)(1, 2), (uchar)255);
  printf("%v2hhd|%v2hu|%v2ld\n", (char2)(-1, 127), (ushort2)(65535, 0), (long2)(1, -1));
  printf("100%%|%%d|%c=%c\n", 'c', p.tag);
  printf("%lu %ld %lx\n", ~0UL, (long)1 << 63, ~0UL);
  float zero = n - 2;
  printf("%f %f %f\n", 1 / zero, -1 / zero, fabs(zero / zero));
}
