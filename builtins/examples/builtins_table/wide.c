// Functions of one float in double precision: exact enough to judge a float by (a unit of the last place of a double is 2^-29
// of a float's), and fast enough for all floats. Special cases are those of OpenCL C where they differ from C's.

#define _GNU_SOURCE
#include <math.h>

static double reduced(double x) { return x - 2 * rint(x / 2); }

static double sinpi_of(double x) {
  double r = reduced(x);
  if (r == 0 || fabs(r) == 1)
    return copysign(0, x);
  if (fabs(r) > 0.5)
    r = copysign(1 - fabs(r), r);
  return sin(r * M_PI);
}

static double cospi_of(double x) {
  double r = fabs(reduced(x));
  return r == 0.5 ? 0 : sin((0.5 - r) * M_PI);
}

static double tanpi_of(double x) {
  double s = sinpi_of(x), c = cospi_of(x);
  if (c == 0)
    return copysign(HUGE_VAL, reduced(x));
  return s == 0 ? copysign(0, fabs(reduced(x)) == 1 ? -x : x) : s / c;
}

static double gamma_of(double x) { return x < 0 && floor(x) == x ? NAN : tgamma(x); }

// Values just below an integer that is no float's neighbour come out as the largest float below one.
static double fract_of(double x) {
  return isnan(x) ? x : isinf(x) ? copysign(0, x) : fmin(x - floor(x), 0x1.fffffep-1);
}

static double mantissa_of(double x) {
  int n;
  return frexp(x, &n);
}

static double part_of(double x) {
  double whole;
  return modf(x, &whole);
}

static double lgamma_of(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

#define WIDE(name, value)                                                     \
  void wide_##name(const float *xs, double *exact, unsigned long count) {     \
    for (unsigned long i = 0; i < count; i++) {                               \
      double x = xs[i];                                                       \
      exact[i] = value;                                                       \
    }                                                                         \
  }

WIDE(acos, acos(x))
WIDE(acosh, acosh(x))
WIDE(acospi, acos(x) / M_PI)
WIDE(asin, asin(x))
WIDE(asinh, asinh(x))
WIDE(asinpi, asin(x) / M_PI)
WIDE(atan, atan(x))
WIDE(atanh, atanh(x))
WIDE(atanpi, atan(x) / M_PI)
WIDE(cbrt, cbrt(x))
WIDE(ceil, ceil(x))
WIDE(cos, cos(x))
WIDE(cosh, cosh(x))
WIDE(cospi, cospi_of(x))
WIDE(erf, erf(x))
WIDE(erfc, erfc(x))
WIDE(exp, exp(x))
WIDE(exp10, exp10(x))
WIDE(exp2, exp2(x))
WIDE(expm1, expm1(x))
WIDE(fabs, fabs(x))
WIDE(floor, floor(x))
WIDE(fract, fract_of(x))
WIDE(frexp, mantissa_of(x))
WIDE(lgamma, lgamma_of(x))
WIDE(log, log(x))
WIDE(log10, log10(x))
WIDE(log1p, log1p(x))
WIDE(log2, log2(x))
WIDE(logb, logb(x))
WIDE(modf, part_of(x))
WIDE(rint, rint(x))
WIDE(round, round(x))
WIDE(rsqrt, 1 / sqrt(x))
WIDE(sin, sin(x))
WIDE(sinh, sinh(x))
WIDE(sinpi, sinpi_of(x))
WIDE(sqrt, sqrt(x))
WIDE(tan, tan(x))
WIDE(tanh, tanh(x))
WIDE(tanpi, tanpi_of(x))
WIDE(tgamma, gamma_of(x))
WIDE(trunc, trunc(x))
