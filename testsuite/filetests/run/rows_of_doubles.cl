// test: run
// bits: 64, processors with addresses of 32 bits have no doubles
// run: doubles global=40 local=20 (in=range:824, out=zeros:40, n=19) -> out=[9,-4718573,-9961444,-14680026,-19922897,-24641479,-29884350,-34602932,-39845803,-44564385,-49807256,-54525838,-59768709,-64487291,-69730162,-74448744,-79691615,-84410197,-89653068,-94371650,-99614521,-104333103,-109575974,-114294556,-119537427,-124256009,-129498880,-134217462,-139460333,-144178915,-149421786,-154140368,-159383239,-164101821,-169344692,-174063274,-179306145,-184024727,-189267598,-193986180]
// Lanes that go through rows of doubles, and gather others. The results were computed apart, from the source, by another program.

kernel void doubles(global const double *in, global double *out, int n) {
  int i = get_global_id(0);
  double s = 0;
  for (int j = 0; j < n; j++) s = s * 2 + in[i * n + j] - 3 * in[(i * n + j) / 2];
  out[i] = s;
}
