// Polynomials of the mathematics, low order first: minimax approximations by Remez exchange in high precision, then
// rounded to the type. NAME(t) chooses by FP. The error is the largest of the exact polynomial, relative to the function.

// Horner's scheme.
#define HORNER1(t, a) ((GT)(a))
#define HORNER2(t, a, ...) multiply_add(t, HORNER1(t, __VA_ARGS__), (GT)(a))
#define HORNER3(t, a, ...) multiply_add(t, HORNER2(t, __VA_ARGS__), (GT)(a))
#define HORNER4(t, a, ...) multiply_add(t, HORNER3(t, __VA_ARGS__), (GT)(a))
#define HORNER5(t, a, ...) multiply_add(t, HORNER4(t, __VA_ARGS__), (GT)(a))
#define HORNER6(t, a, ...) multiply_add(t, HORNER5(t, __VA_ARGS__), (GT)(a))
#define HORNER7(t, a, ...) multiply_add(t, HORNER6(t, __VA_ARGS__), (GT)(a))
#define HORNER8(t, a, ...) multiply_add(t, HORNER7(t, __VA_ARGS__), (GT)(a))
#define HORNER9(t, a, ...) multiply_add(t, HORNER8(t, __VA_ARGS__), (GT)(a))
#define HORNER10(t, a, ...) multiply_add(t, HORNER9(t, __VA_ARGS__), (GT)(a))
#define HORNER11(t, a, ...) multiply_add(t, HORNER10(t, __VA_ARGS__), (GT)(a))
#define HORNER12(t, a, ...) multiply_add(t, HORNER11(t, __VA_ARGS__), (GT)(a))
#define HORNER13(t, a, ...) multiply_add(t, HORNER12(t, __VA_ARGS__), (GT)(a))
#define HORNER14(t, a, ...) multiply_add(t, HORNER13(t, __VA_ARGS__), (GT)(a))
#define HORNER15(t, a, ...) multiply_add(t, HORNER14(t, __VA_ARGS__), (GT)(a))
#define HORNER16(t, a, ...) multiply_add(t, HORNER15(t, __VA_ARGS__), (GT)(a))
#define HORNER17(t, a, ...) multiply_add(t, HORNER16(t, __VA_ARGS__), (GT)(a))
#define HORNER18(t, a, ...) multiply_add(t, HORNER17(t, __VA_ARGS__), (GT)(a))
#define HORNER19(t, a, ...) multiply_add(t, HORNER18(t, __VA_ARGS__), (GT)(a))
#define HORNER20(t, a, ...) multiply_add(t, HORNER19(t, __VA_ARGS__), (GT)(a))
#define HORNER21(t, a, ...) multiply_add(t, HORNER20(t, __VA_ARGS__), (GT)(a))
#define HORNER22(t, a, ...) multiply_add(t, HORNER21(t, __VA_ARGS__), (GT)(a))
#define HORNER23(t, a, ...) multiply_add(t, HORNER22(t, __VA_ARGS__), (GT)(a))
#define HORNER24(t, a, ...) multiply_add(t, HORNER23(t, __VA_ARGS__), (GT)(a))

// The same by even and odd powers, in two chains half as long: a processor computes them at once.
#define PAIR3(t, c0, c1, c2)                                                                                          \
  multiply_add(t, HORNER1((t) * (t), c1), HORNER2((t) * (t), c0, c2))
#define PAIR4(t, c0, c1, c2, c3)                                                                                      \
  multiply_add(t, HORNER2((t) * (t), c1, c3), HORNER2((t) * (t), c0, c2))
#define PAIR5(t, c0, c1, c2, c3, c4)                                                                                  \
  multiply_add(t, HORNER2((t) * (t), c1, c3), HORNER3((t) * (t), c0, c2, c4))
#define PAIR6(t, c0, c1, c2, c3, c4, c5)                                                                              \
  multiply_add(t, HORNER3((t) * (t), c1, c3, c5), HORNER3((t) * (t), c0, c2, c4))
#define PAIR7(t, c0, c1, c2, c3, c4, c5, c6)                                                                          \
  multiply_add(t, HORNER3((t) * (t), c1, c3, c5), HORNER4((t) * (t), c0, c2, c4, c6))
#define PAIR8(t, c0, c1, c2, c3, c4, c5, c6, c7)                                                                      \
  multiply_add(t, HORNER4((t) * (t), c1, c3, c5, c7), HORNER4((t) * (t), c0, c2, c4, c6))
#define PAIR9(t, c0, c1, c2, c3, c4, c5, c6, c7, c8)                                                                  \
  multiply_add(t, HORNER4((t) * (t), c1, c3, c5, c7), HORNER5((t) * (t), c0, c2, c4, c6, c8))
#define PAIR10(t, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9)                                                             \
  multiply_add(t, HORNER5((t) * (t), c1, c3, c5, c7, c9), HORNER5((t) * (t), c0, c2, c4, c6, c8))
#define PAIR11(t, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10)                                                        \
  multiply_add(t, HORNER5((t) * (t), c1, c3, c5, c7, c9), HORNER6((t) * (t), c0, c2, c4, c6, c8, c10))
#define PAIR12(t, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11)                                                   \
  multiply_add(t, HORNER6((t) * (t), c1, c3, c5, c7, c9, c11), HORNER6((t) * (t), c0, c2, c4, c6, c8, c10))
#define PAIR14(t, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13)                                         \
  multiply_add(t, PAIR7((t) * (t), c1, c3, c5, c7, c9, c11, c13), PAIR7((t) * (t), c0, c2, c4, c6, c8, c10, c12))
#define PAIR23(t, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20,      \
    c21, c22)                                                                                                         \
  multiply_add(t, PAIR11((t) * (t), c1, c3, c5, c7, c9, c11, c13, c15, c17, c19, c21), PAIR12((t) * (t), c0, c2,      \
    c4, c6, c8, c10, c12, c14, c16, c18, c20, c22))

// Estrin's scheme: the shortest chains, for some products more.
#define ESTRIN2(t, c0, c1)                                                                                            \
  multiply_add(t, (GT)(c1), (GT)(c0))
#define ESTRIN3(t, c0, c1, c2)                                                                                        \
  ESTRIN2((t) * (t), multiply_add(t, (GT)(c1), (GT)(c0)), (GT)(c2))
#define ESTRIN6(t, c0, c1, c2, c3, c4, c5)                                                                            \
  ESTRIN3((t) * (t), multiply_add(t, (GT)(c1), (GT)(c0)), multiply_add(t, (GT)(c3), (GT)(c2)), multiply_add(t,        \
    (GT)(c5), (GT)(c4)))
#define ESTRIN11(t, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10)                                                      \
  ESTRIN6((t) * (t), multiply_add(t, (GT)(c1), (GT)(c0)), multiply_add(t, (GT)(c3), (GT)(c2)), multiply_add(t,        \
    (GT)(c5), (GT)(c4)), multiply_add(t, (GT)(c7), (GT)(c6)), multiply_add(t, (GT)(c9), (GT)(c8)), (GT)(c10))
#define ESTRIN21(t, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20)    \
  ESTRIN11((t) * (t), multiply_add(t, (GT)(c1), (GT)(c0)), multiply_add(t, (GT)(c3), (GT)(c2)), multiply_add(t,       \
    (GT)(c5), (GT)(c4)), multiply_add(t, (GT)(c7), (GT)(c6)), multiply_add(t, (GT)(c9), (GT)(c8)), multiply_add(t,    \
    (GT)(c11), (GT)(c10)), multiply_add(t, (GT)(c13), (GT)(c12)), multiply_add(t, (GT)(c15), (GT)(c14)),              \
    multiply_add(t, (GT)(c17), (GT)(c16)), multiply_add(t, (GT)(c19), (GT)(c18)), (GT)(c20))

// e^t = 1 + t + t^2 EXP_Q(t) for |t| <= ln(2)/2. Error 2^-28.2 and 2^-58.0.
#define EXP_Q_32(t)                                                                                                   \
  PAIR5(t, 0x1p-1f, 0x1.55548ep-3f, 0x1.55545ep-5f, 0x1.123b92p-7f, 0x1.6db458p-10f)
#define EXP_Q_64(t)                                                                                                   \
  PAIR10(t, 0x1.000000000000cp-1, 0x1.5555555555561p-3, 0x1.555555554ffe9p-5, 0x1.111111110d611p-7,                   \
    0x1.6c16c185b73c6p-10, 0x1.a01a01baf07a3p-13, 0x1.a019966772e6fp-16, 0x1.71dddfaad3eddp-19,                       \
    0x1.28b0731497fbfp-22, 0x1.af85bdeb51238p-26)
#define EXP_Q(t) JOIN(EXP_Q_, FP)(t)

// 2^t = 1 + t EXP2_P(t) for |t| <= 1/2. Error 2^-29.0 and 2^-51.4.
#define EXP2_P_32(t)                                                                                                  \
  HORNER6(t, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6aecep-5f, 0x1.3b29aap-7f, 0x1.5f4894p-10f, 0x1.44907ep-13f)
#define EXP2_P_64(t)                                                                                                  \
  PAIR10(t, 0x1.62e42fefa3a08p-1, 0x1.ebfbdff82c375p-3, 0x1.c6b08d703f86ep-5, 0x1.3b2ab6fbed7fep-7,                   \
    0x1.5d87fe9986a91p-10, 0x1.430912324cd99p-13, 0x1.ffcb5d55d6065p-17, 0x1.62c1bf876dd66p-20,                       \
    0x1.b66e30f5bda8bp-24, 0x1.e2f93fba91a87p-28)
#define EXP2_P(t) JOIN(EXP2_P_, FP)(t)

// 2^t = 1 + t EXP2_N(t) in the same range; the error is relative to 1 - 2^t. Error 2^-27.2 and 2^-50.4.
#define EXP2_N_32(t)                                                                                                  \
  HORNER6(t, 0x1.62e43p-1f, 0x1.ebfbd4p-3f, 0x1.c6af74p-5f, 0x1.3b3224p-7f, 0x1.5f0d1ep-10f, 0x1.3eefa2p-13f)
#define EXP2_N_64(t)                                                                                                  \
  PAIR10(t, 0x1.62e42fefa39ebp-1, 0x1.ebfbdff82c1a3p-3, 0x1.c6b08d7044571p-5, 0x1.3b2ab6fc2ac4fp-7,                   \
    0x1.5d87fe92108ecp-10, 0x1.4309118dbdc7cp-13, 0x1.ffcb6f43c9ec3p-17, 0x1.62c323239606p-20,                        \
    0x1.b65f70f55b95ap-24, 0x1.e0df15a57f7c1p-28)
#define EXP2_N(t) JOIN(EXP2_N_, FP)(t)

// 10^t = 1 + t EXP10_P(t) for |t| <= log10(2)/2. Error 2^-29.0 and 2^-58.0.
#define EXP10_P_32(t)                                                                                                 \
  HORNER6(t, 0x1.26bb1cp1f, 0x1.53524ep1f, 0x1.046f5ap1f, 0x1.2bd66p0f, 0x1.158c12p-1f, 0x1.a9ee98p-3f)
#define EXP10_P_64(t)                                                                                                 \
  PAIR11(t, 0x1.26bb1bbb55516p1, 0x1.53524c73cea78p1, 0x1.0470591de2cb2p1, 0x1.2bd7609fd4d2ep0,                       \
    0x1.1429ffd1d06f5p-1, 0x1.a7ed70a272bb9p-3, 0x1.16e4dfd6b6fecp-4, 0x1.41165d744b178p-6, 0x1.48977092e51d6p-8,     \
    0x1.2f7577e8ac376p-10, 0x1.fc29e723cf64ep-13)
#define EXP10_P(t) JOIN(EXP10_P_, FP)(t)

// log(1 + t) = t - t^2/2 + t^3 LOG_R(t) for 1 + t from sqrt(1/2) to sqrt(2). Error 2^-30.3.
#define LOG_R_32(t)                                                                                                   \
  HORNER9(t, 0x1.555548p-2f, -0x1.000006p-2f, 0x1.99a4b6p-3f, -0x1.555c4ep-3f, 0x1.233768p-3f, -0x1.fc21fcp-4f,       \
    0x1.e6f05ep-4f, -0x1.de3c4ep-4f, 0x1.145802p-4f)
#define LOG_R(t) JOIN(LOG_R_, FP)(t)

// 2 atanh(s) = 2 s + s^3 ATANH_R(s^2) for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1). Error 2^-36.6 and 2^-58.5.
#define ATANH_R_32(t)                                                                                                 \
  HORNER4(t, 0x1.555554p-1f, 0x1.999a7cp-2f, 0x1.2438a8p-2f, 0x1.e2fdcep-3f)
#define ATANH_R_64(t)                                                                                                 \
  HORNER7(t, 0x1.5555555555593p-1, 0x1.999999997fb34p-2, 0x1.2492494217931p-2, 0x1.c71c51e7fa84ap-3,                  \
    0x1.7466462d2b51ep-3, 0x1.39a0f4d99803dp-3, 0x1.2f0d90f521452p-3)
#define ATANH_R(t) JOIN(ATANH_R_, FP)(t)

// 2 atanh(s) = 2 s + 2/3 s^3 + s^5 ATANH_R2(s^2) in the same range. Error 2^-35.8 and 2^-65.3.
#define ATANH_R2_32(t)                                                                                                \
  HORNER3(t, 0x1.999ap-2f, 0x1.245278p-2f, 0x1.dfa346p-3f)
#define ATANH_R2_64(t)                                                                                                \
  HORNER7(t, 0x1.9999999999b33p-2, 0x1.24924924577fcp-2, 0x1.c71c722de424cp-3, 0x1.745ce9b688448p-3,                  \
    0x1.3b1ef46af2849p-3, 0x1.0f7f1fdca5bbcp-3, 0x1.0e4a374717626p-3)
#define ATANH_R2(t) JOIN(ATANH_R2_, FP)(t)

// sin(t) = t + t^3 SIN_S(t^2) for |t| <= pi/4. Error 2^-28.0 and 2^-58.0.
#define SIN_S_32(t)                                                                                                   \
  HORNER3(t, -0x1.555546p-3f, 0x1.110756p-7f, -0x1.994b3ep-13f)
#define SIN_S_64(t)                                                                                                   \
  HORNER6(t, -0x1.5555555555549p-3, 0x1.111111110f842p-7, -0x1.a01a019c0a315p-13, 0x1.71de357103aep-19,               \
    -0x1.ae5e60c8c051dp-26, 0x1.5d915f1cad70fp-33)
#define SIN_S(t) JOIN(SIN_S_, FP)(t)

// cos(t) = 1 - t^2/2 + t^4 COS_C(t^2) for |t| <= pi/4. Error 2^-33.3 and 2^-64.2.
#define COS_C_32(t)                                                                                                   \
  HORNER3(t, 0x1.55554ap-5f, -0x1.6c0c82p-10f, 0x1.99ff4p-16f)
#define COS_C_64(t)                                                                                                   \
  HORNER6(t, 0x1.555555555554cp-5, -0x1.6c16c16c1514p-10, 0x1.a01a019cab6d2p-16, -0x1.27e4f8052f1e1p-22,              \
    0x1.1ee9e88dd715fp-29, -0x1.8faccff6bf30cp-37)
#define COS_C(t) JOIN(COS_C_, FP)(t)

// atan(t) = t + t^3 ATAN_A(t^2) for |t| <= tan(pi/8). Error 2^-25.6 and 2^-54.7.
#define ATAN_A_32(t)                                                                                                  \
  HORNER4(t, -0x1.555456p-2f, 0x1.99259p-3f, -0x1.1c3ebep-3f, 0x1.4a0d06p-4f)
#define ATAN_A_64(t)                                                                                                  \
  HORNER10(t, -0x1.555555555531fp-2, 0x1.999999994a327p-3, -0x1.24924905b46e7p-3, 0x1.c71c65df4fbcfp-4,               \
    -0x1.745bc4712dcddp-4, 0x1.3afc44b22cd2ap-4, -0x1.1005a10e1231bp-4, 0x1.d258ecc709823p-5, -0x1.6521af8272cp-5,    \
    0x1.5c638286f1d19p-6)
#define ATAN_A(t) JOIN(ATAN_A_, FP)(t)

// asin(t) = t + t^3 ASIN_A(t^2) for |t| <= 1/2. Error 2^-27.6 and 2^-55.8.
#define ASIN_A_32(t)                                                                                                  \
  HORNER5(t, 0x1.5555ccp-3f, 0x1.3300d4p-4f, 0x1.749974p-5f, 0x1.8b1792p-6f, 0x1.5a586ep-5f)
#define ASIN_A_64(t)                                                                                                  \
  HORNER12(t, 0x1.555555555537ap-3, 0x1.333333337121p-4, 0x1.6db6db40c374ep-5, 0x1.f1c72cc7afc55p-6,                  \
    0x1.6e89e6c981a04p-6, 0x1.1c6caddf2c8ap-6, 0x1.c6edeb521567p-7, 0x1.8f2b6d1653597p-7, 0x1.a844576b2eb97p-8,       \
    0x1.426397cd67654p-6, -0x1.0da84f56d43b2p-6, 0x1.06beed307e59fp-5)
#define ASIN_A(t) JOIN(ASIN_A_, FP)(t)

// erfc(x) = exp(-x^2) t ERFC_F(1 - 2 K t) with t = 1 / (x + K) from 0 to where it vanishes; K is 3 and 4. Error 2^-28.6 and 2^-57.5.
#define ERFC_F_32(t)                                                                                                  \
  PAIR10(t, 0x1.12f21ep0f, -0x1.c44c48p-1f, 0x1.2e326ap-1f, -0x1.3deac8p-2f, 0x1.e996acp-4f, -0x1.b7c16cp-6f,         \
    -0x1.410024p-10f, 0x1.94072ap-9f, -0x1.fc2b52p-12f, -0x1.56d8aap-12f)
#define ERFC_F_64(t)                                                                                                  \
  PAIR23(t, 0x1.18932bf08e154p0, -0x1.f3fe31ecb49cp-1, 0x1.8be202d26c70cp-1, -0x1.14eacb1ad02c5p-1,                   \
    0x1.52cac2370fe77p-2, -0x1.645fd8a4c0297p-3, 0x1.38dbd2c8f1951p-4, -0x1.b00c052a1d172p-6, 0x1.908f4719f8c1ep-8,   \
    -0x1.269b56e90079ap-12, -0x1.dd284147dd73ap-12, 0x1.72cddc4cce168p-13, -0x1.e7f085e2162d4p-19,                    \
    -0x1.3c7480580ceb8p-16, 0x1.3b12802449f79p-18, 0x1.7f144e4b05ee5p-20, -0x1.c696299ca8dfp-21,                      \
    -0x1.5539bb947bc77p-24, 0x1.0ad7f98293f61p-23, 0x1.073313a25d7c2p-28, -0x1.0588ec53e8b31p-26,                     \
    -0x1.c057df04ae22ep-31, 0x1.d2dbd4f027ce2p-31)
#define ERFC_F(t) JOIN(ERFC_F_, FP)(t)

// log gamma(x) = (x - 1/2) log(x) - x + log(2 pi)/2 + STIRLING_S(1/x^2)/x for x >= 8. Error 2^-28.3 and 2^-63.6.
#define STIRLING_S_32(t)                                                                                              \
  HORNER2(t, 0x1.55554ep-4f, -0x1.6a7b6ep-9f)
#define STIRLING_S_64(t)                                                                                              \
  HORNER7(t, 0x1.5555555555555p-4, -0x1.6c16c16c14af7p-9, 0x1.a01a017e8adc5p-11, -0x1.38134e166afcdp-11,              \
    0x1.b92c938d403d2p-11, -0x1.ef980c25087d8p-10, 0x1.4c3829132c98bp-8)
#define STIRLING_S(t) JOIN(STIRLING_S_, FP)(t)

// log gamma(2 + t) = t LGAMMA_2(t) for |t| <= 1/2. Error 2^-28.7 and 2^-59.4.
#define LGAMMA_2_32(t)                                                                                                \
  HORNER9(t, 0x1.b0ee6p-2f, 0x1.4a34ccp-2f, -0x1.13dfecp-4f, 0x1.513584p-6f, -0x1.e424aap-8f, 0x1.795b82p-9f,         \
    -0x1.34bf2cp-10f, 0x1.2ad17ep-11f, -0x1.1b12fep-12f)
#define LGAMMA_2_64(t)                                                                                                \
  HORNER19(t, 0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa7p-2, -0x1.13e001a557616p-4, 0x1.51322ac7d7ff6p-6,                \
    -0x1.e404fc21886d1p-8, 0x1.7add6eae57e5bp-9, -0x1.38ac5c30ae075p-10, 0x1.0b36af357d7a9p-11,                       \
    -0x1.d3fd49394363fp-13, 0x1.a127dc9d63f03p-14, -0x1.78deff5f0a015p-15, 0x1.5806e61c03139p-16,                     \
    -0x1.3ca91586a3568p-17, 0x1.263fbdb0f1cecp-18, -0x1.131f54222b1c5p-19, 0x1.ee0240e5c447cp-21,                     \
    -0x1.c2e19c072c8d4p-22, 0x1.2b31d3d9155cp-22, -0x1.33ef9c38aa132p-23)
#define LGAMMA_2(t) JOIN(LGAMMA_2_, FP)(t)

// 1 / cbrt(t), coarse, for t from sqrt(1/2) to sqrt(2). Error 2^-17.4 and 2^-25.4.
#define CBRT_INVERSE_32(t)                                                                                            \
  PAIR6(t, 0x1.002e0ep1f, -0x1.3fa0ecp1f, 0x1.6839p1f, -0x1.eb653ap0f, 0x1.6c0392p-1f, -0x1.c2884ap-4f)
#define CBRT_INVERSE_64(t)                                                                                            \
  PAIR9(t, 0x1.26e6115ed7281p1, -0x1.26a997e23f242p2, 0x1.2434328960904p3, -0x1.929efdbd78767p3,                      \
    0x1.7a2c11cb8fefbp3, -0x1.dcb09a4bdbdc9p2, 0x1.82636133bf6acp1, -0x1.6c7301a0b3fd1p-1, 0x1.3052f4cac0fc4p-4)
#define CBRT_INVERSE(t) JOIN(CBRT_INVERSE_, FP)(t)

// log(1 + t) = t + t^2 LOG_Q(t) for 1 + t from sqrt(1/2) to sqrt(2). Error 2^-27.9.
#define LOG_Q_32(t)                                                                                                   \
  PAIR9(t, -0x1.fffff8p-2f, 0x1.55555p-2f, -0x1.000426p-2f, 0x1.99a3f4p-3f, -0x1.54276cp-3f, 0x1.227196p-3f,          \
    -0x1.0f3764p-3f, 0x1.08488ap-3f, -0x1.38308ap-4f)
#define LOG_Q(t) JOIN(LOG_Q_, FP)(t)

// log2(1 + t) = t / log(2) + t^2 LOG2_Q(t) in the same range, doubles for 1 + t from 2^-0.2549 to 2^0.2549. Error 2^-25.0 and 2^-55.4.
#define LOG2_Q_32(t)                                                                                                  \
  PAIR8(t, -0x1.715472p-1f, 0x1.ec72f4p-2f, -0x1.715b1ap-2f, 0x1.26e754p-2f, -0x1.e99948p-3f, 0x1.b8c5b8p-3f,         \
    -0x1.a6bc72p-3f, 0x1.021582p-3f)
#define LOG2_Q_64(t)                                                                                                  \
  PAIR14(t, -0x1.71547652b8303p-1, 0x1.ec709dc39ff7cp-2, -0x1.71547652b4999p-2, 0x1.2776c50fbf1b6p-2,                 \
    -0x1.ec709dcf94896p-3, 0x1.a6176141f76fep-3, -0x1.71546d803cf85p-3, 0x1.484ba78f9bad1p-3,                         \
    -0x1.277a226b2c8b5p-3, 0x1.0c7c42b26799ep-3, -0x1.eb109f94ec8b2p-4, 0x1.cc549ad4f9e74p-4,                         \
    -0x1.ca64dc0c191ccp-4, 0x1.6124c3df26e39p-4)
#define LOG2_Q(t) JOIN(LOG2_Q_, FP)(t)

// log10(1 + t) = t / log(10) + t^2 LOG10_Q(t) in the same range, doubles for 1 + t from 2^-0.2549 to 2^0.2549. Error 2^-25.0 and 2^-55.4.
#define LOG10_Q_32(t)                                                                                                 \
  PAIR8(t, -0x1.bcb7acp-3f, 0x1.287bdep-3f, -0x1.bcbfbp-4f, 0x1.63196ep-4f, -0x1.26c49p-4f, 0x1.095f14p-4f,           \
    -0x1.fd0666p-5f, 0x1.36c39ep-5f)
#define LOG10_Q_64(t)                                                                                                 \
  PAIR14(t, -0x1.bcb7b1526e514p-3, 0x1.287a7636f40a8p-3, -0x1.bcb7b15269ff2p-4, 0x1.63c6277612b1dp-4,                 \
    -0x1.287a763e26afep-4, 0x1.fc3fa46655afcp-5, -0x1.bcb7a6b2f2ccdp-5, 0x1.8b4ea4d2c4aa8p-5,                         \
    -0x1.63ca34a37908cp-5, 0x1.4349e36bc1d25p-5, -0x1.27a68a7aa0836p-5, 0x1.152585917e853p-5,                         \
    -0x1.13fb0da993e47p-5, 0x1.a93a2f2892e1dp-6)
#define LOG10_Q(t) JOIN(LOG10_Q_, FP)(t)

// atanh(s) = s + s^3 ATANH_W(s^2) for |s| <= (w - 1) / (w + 1) with w = 2^0.586. Error 2^-28.4 and 2^-55.8.
#define ATANH_W_32(t)                                                                                                 \
  PAIR3(t, 0x1.5555b4p-2f, 0x1.992a1ap-3f, 0x1.36f8aep-3f)
#define ATANH_W_64(t)                                                                                                 \
  PAIR7(t, 0x1.5555555555786p-2, 0x1.99999998ec765p-3, 0x1.249249b523ce3p-3, 0x1.c71bff7a5ec38p-4,                    \
    0x1.747530f7c9b36p-4, 0x1.384cbc830f449p-4, 0x1.3aed8ae6e685fp-4)
#define ATANH_W(t) JOIN(ATANH_W_, FP)(t)

// sinh(t) = t + t^3 SINH_S(t^2) for |t| <= ln(2)/2. Error 2^-26.2 and 2^-61.7.
#define SINH_S_32(t)                                                                                                  \
  HORNER2(t, 0x1.5554bp-3f, 0x1.12283cp-7f)
#define SINH_S_64(t)                                                                                                  \
  HORNER5(t, 0x1.5555555555559p-3, 0x1.111111110f699p-7, 0x1.a01a01afef031p-13, 0x1.71ddf83825f5bp-19,                \
    0x1.af5ef31da6816p-26)
#define SINH_S(t) JOIN(SINH_S_, FP)(t)

// cosh(t) = 1 + t^2 COSH_C(t^2) for |t| <= ln(2)/2. Error 2^-34.3 and 2^-58.0.
#define COSH_C_32(t)                                                                                                  \
  HORNER3(t, 0x1p-1f, 0x1.55547ep-5f, 0x1.6d97ep-10f)
#define COSH_C_64(t)                                                                                                  \
  HORNER5(t, 0x1.000000000000cp-1, 0x1.555555554ff48p-5, 0x1.6c16c185d2901p-10, 0x1.a019962a5f44ep-16,                \
    0x1.28b0a3692014ap-22)
#define COSH_C(t) JOIN(COSH_C_, FP)(t)

// erf(t) = 1 - 2^(t ERF_G(t)) for t from 0 to 3.95 and 5.95. Error 2^-27.9 and 2^-51.8.
#define ERF_G_32(t)                                                                                                   \
  PAIR9(t, -0x1.a0be84p0f, -0x1.d63ec4p-1f, -0x1.2fabe2p-3f, 0x1.c4b924p-6f, 0x1.e546a4p-13f, -0x1.3b3a96p-9f,        \
    0x1.deaadep-11f, -0x1.63ed14p-13f, 0x1.c013c4p-17f)
#define ERF_G_64(t)                                                                                                   \
  ESTRIN21(t, -0x1.a0be83d8d032bp0, -0x1.d63ed74995dcp-1, -0x1.2fa7eecae0d16p-3, 0x1.c4242cd42eb9ep-6,                \
    0x1.3c778b4c757d1p-12, -0x1.40bfe3bfe534cp-9, 0x1.be67b85e04fccp-11, -0x1.3b6c4f13d1058p-15,                      \
    -0x1.837e7ff46ed37p-14, 0x1.5d84e45aed22dp-15, -0x1.aadc2fb6287b2p-19, -0x1.944ba5fdb81cap-18,                    \
    0x1.1b07a3fb91a39p-18, -0x1.c3e4e8fe19597p-20, 0x1.ffed5528733e9p-22, -0x1.afb9abae66ad6p-24,                     \
    0x1.0f5e79ee93724p-26, -0x1.ef83a6e5eaeafp-30, 0x1.3691b2959b845p-33, -0x1.dd650bdf2c2e5p-38,                     \
    0x1.525cfa119c874p-43)
#define ERF_G(t) JOIN(ERF_G_, FP)(t)

// 2^t = 1 + t EXP2_H(t) for |t| <= 1/2, for halves. Error 2^-18.5.
#define EXP2_H_32(t)                                                                                                  \
  PAIR4(t, 0x1.62e0dp-1f, 0x1.ebf89p-3f, 0x1.ca19d4p-5f, 0x1.3d42bap-7f)
#define EXP2_H(t) JOIN(EXP2_H_, FP)(t)

// e^t = 1 + t + t^2 EXP_H(t) for |t| <= ln(2)/2, for halves. Error 2^-15.6.
#define EXP_H_32(t)                                                                                                   \
  HORNER3(t, 0x1.fffddp-2f, 0x1.57099ep-3f, 0x1.57459ep-5f)
#define EXP_H(t) JOIN(EXP_H_, FP)(t)

// log(1 + t) = t LOG_H(t) for 1 + t from sqrt(1/2) to sqrt(2), for halves. Error 2^-17.0.
#define LOG_H_32(t)                                                                                                   \
  PAIR6(t, 0x1.00004cp0f, -0x1.ffe65ap-2f, 0x1.548fe8p-2f, -0x1.042128p-2f, 0x1.c3b4acp-3f, -0x1.24b392p-3f)
#define LOG_H(t) JOIN(LOG_H_, FP)(t)

// log2(1 + t) = t LOG2_H(t) in the same range, for halves. Error 2^-16.5.
#define LOG2_H_32(t)                                                                                                  \
  PAIR6(t, 0x1.7154e4p0f, -0x1.7141f6p-1f, 0x1.eb53ccp-2f, -0x1.77499ep-2f, 0x1.45d63ap-2f, -0x1.a64768p-3f)
#define LOG2_H(t) JOIN(LOG2_H_, FP)(t)

// log10(1 + t) = t LOG10_H(t) in the same range, for halves. Error 2^-18.3.
#define LOG10_H_32(t)                                                                                                 \
  PAIR6(t, 0x1.bcb836p-2f, -0x1.bca16cp-3f, 0x1.27cefcp-3f, -0x1.c3e42ap-4f, 0x1.8858bcp-4f, -0x1.fc7978p-5f)
#define LOG10_H(t) JOIN(LOG10_H_, FP)(t)

// atan(t) = t + t^3 ATAN_H(t^2) for |t| <= 1, for halves. Error 2^-17.8.
#define ATAN_H_32(t)                                                                                                  \
  PAIR5(t, -0x1.55199cp-2f, 0x1.921cb4p-3f, -0x1.f7cffap-4f, 0x1.e630c2p-5f, -0x1.d113p-7f)
#define ATAN_H(t) JOIN(ATAN_H_, FP)(t)

// asin(t) = t + t^3 ASIN_H(t^2) for |t| <= 1/2, for halves. Error 2^-19.1.
#define ASIN_H_32(t)                                                                                                  \
  HORNER3(t, 0x1.559d56p-3f, 0x1.26584p-4f, 0x1.071134p-4f)
#define ASIN_H(t) JOIN(ASIN_H_, FP)(t)

// sin(t) = t + t^3 SIN_H(t^2) for |t| <= pi/4, for halves. Error 2^-19.1.
#define SIN_H_32(t)                                                                                                   \
  HORNER2(t, -0x1.554472p-3f, 0x1.0b86e4p-7f)
#define SIN_H(t) JOIN(SIN_H_, FP)(t)

// cos(t) = 1 + t^2 COS_H(t^2) for |t| <= pi/4, for halves. Error 2^-16.3.
#define COS_H_32(t)                                                                                                   \
  HORNER2(t, -0x1.ffc52p-2f, 0x1.4baa9p-5f)
#define COS_H(t) JOIN(COS_H_, FP)(t)

// sinh(t log(2)) = t SINH_H(t^2) for |t| <= 1/2, for halves. Error 2^-16.5.
#define SINH_H_32(t)                                                                                                  \
  HORNER2(t, 0x1.62e2dp-1f, 0x1.c96f06p-5f)
#define SINH_H(t) JOIN(SINH_H_, FP)(t)

// cosh(t log(2)) = 1 + t^2 COSH_H(t^2) for |t| <= 1/2, for halves. Error 2^-23.3.
#define COSH_H_32(t)                                                                                                  \
  HORNER2(t, 0x1.ebf9bp-3f, 0x1.3cee82p-7f)
#define COSH_H(t) JOIN(COSH_H_, FP)(t)

// erf(t) = 1 - 2^(t ERF_H(t)) for t from 0 to 3, for halves. Error 2^-20.4.
#define ERF_H_32(t)                                                                                                   \
  PAIR5(t, -0x1.a0be98p0f, -0x1.d63574p-1f, -0x1.3105bep-3f, 0x1.e831d4p-6f, -0x1.88b1dep-9f)
#define ERF_H(t) JOIN(ERF_H_, FP)(t)

// sin(2 pi t) = t (1/4 - t^2) SIN_N(t^2) for |t| <= 1/2, for native functions. Error 2^-27.9.
#define SIN_N_32(t)                                                                                                   \
  PAIR6(t, 0x1.921fb6p4f, -0x1.0357ep6f, 0x1.0c4e4cp6f, -0x1.33f3d8p5f, 0x1.c1543ep3f, -0x1.930b5ep1f)
#define SIN_N(t) JOIN(SIN_N_, FP)(t)

// cos(2 pi t) = (1/16 - t^2) COS_N(t^2) in the same range. Error 2^-25.7.
#define COS_N_32(t)                                                                                                   \
  PAIR6(t, 0x1p4f, -0x1.de9e3ep5f, 0x1.4728cp6f, -0x1.d499dcp5f, 0x1.995bb6p4f, -0x1.a4812p2f)
#define COS_N(t) JOIN(COS_N_, FP)(t)

// 2 2^t = 2 + t EXP2_T(t) for |t| <= 1/2, for native functions. Error 2^-23.4.
#define EXP2_T_32(t)                                                                                                  \
  PAIR5(t, 0x1.62e42ap0f, 0x1.ebf9bap-2f, 0x1.c6b75ap-4f, 0x1.3ceb6cp-6f, 0x1.5bb93ep-9f)
#define EXP2_T(t) JOIN(EXP2_T_, FP)(t)

// log2(1 + t) = t LOG2_T(t) for 1 + t from sqrt(1/2) to sqrt(2), for native functions. Error 2^-24.7.
#define LOG2_T_32(t)                                                                                                  \
  PAIR9(t, 0x1.715476p0f, -0x1.71547p-1f, 0x1.ec73d6p-2f, -0x1.715c4ep-2f, 0x1.26d384p-2f, -0x1.e95be8p-3f,           \
    0x1.b9c90ep-3f, -0x1.a87dp-3f, 0x1.01b6eep-3f)
#define LOG2_T(t) JOIN(LOG2_T_, FP)(t)
