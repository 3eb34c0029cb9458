// A name longer than the 59 characters that paths keep.
kernel void a_kernel_whose_name_is_longer_than_the_fifty_nine_characters_that_paths_keep(global int *out) {
  out[get_global_id(0)] = (int)get_global_id(0) + 1;
}
