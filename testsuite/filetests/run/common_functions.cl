// test: run
// run: common global=1 local=1 (out=zeros:8) -> out=[1,2.5,0,1,0.5,-1,180,0]
kernel void common(global float *out) {
  out[0] = clamp(5.0f, 0.0f, 1.0f);
  out[1] = mix(2.0f, 3.0f, 0.5f);
  out[2] = step(1.0f, 0.5f);
  out[3] = smoothstep(0.0f, 1.0f, 2.0f);
  out[4] = smoothstep(0.0f, 1.0f, 0.5f);
  out[5] = sign(-3.0f);
  out[6] = degrees(3.14159265358979f);
  out[7] = radians(0.0f);
}
