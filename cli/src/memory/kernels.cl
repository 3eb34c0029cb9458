// The kernel of `oxcl bench memory`: a chain of multiplications and additions on every element, in place.
kernel void step(global uint *data, uint factor, uint addend, uint rounds) {
  size_t i = get_global_id(0);
  uint value = data[i];
  for (uint round = 0; round < rounds; round++)
    value = value * factor + addend;
  data[i] = value;
}
