// The Mandelbrot set, coloured by how soon a point escapes.

// Contraction would change when a point near the border escapes, from one CPU to the next.
#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global uchar4 *picture, float left, float top, float step, int limit) {
  int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0);
  float cr = left + step * (float)x;
  float ci = top - step * (float)y;
  float zr = 0.0f, zi = 0.0f;
  int count = 0;
  while (count < limit) {
    float rr = zr * zr, ii = zi * zi;
    if (rr + ii > 4.0f)
      break;
    zi = 2.0f * zr * zi + ci;
    zr = rr - ii + cr;
    count++;
  }
  // Three waves of different length through the counts; the set itself is black.
  int red = abs(((count * 5 + 60) & 511) - 255), green = abs(((count * 9 + 200) & 511) - 255);
  int blue = abs(((count * 14 + 300) & 511) - 255);
  uchar4 colour = (uchar4)((uchar)red, (uchar)green, (uchar)blue, 255);
  picture[y * width + x] = count == limit ? (uchar4)(0, 0, 0, 255) : colour;
}
