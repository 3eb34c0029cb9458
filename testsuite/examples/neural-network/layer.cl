// A layer of neurons: each work-item is one neuron and one picture of the batch.
kernel void layer(global const float *in, global const float *weights, global const float *bias, global float *out,
                  int inputs, int last) {
  size_t neuron = get_global_id(0), neurons = get_global_size(0), picture = get_global_id(1);
  float sum = bias[neuron];
  for (int i = 0; i < inputs; i++)
    sum += in[picture * inputs + i] * weights[i * neurons + neuron];
  out[picture * neurons + neuron] = last ? sum : fmax(sum, 0.0f);
}
