// No device has sub-groups of five work-items.
// test: diagnostics
// options: -cl-std=CL3.0
// expect: fail OX0226
__attribute__((intel_reqd_sub_group_size(5))) kernel void five(global int *out) { out[0] = get_sub_group_size(); }
