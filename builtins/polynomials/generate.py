"""Makes src/cl/polynomials.h: minimax polynomials of the mathematics, and prints the constants that are split into parts.

Needs mpmath (`pip install mpmath`). Not part of the build: the header is committed. Run: python3 generate.py
"""
import re as regex
from pathlib import Path

from remez import *
from mpmath import *
mp.dps=70
out=[]
def poly(name, doc, specs, *forms):
    """specs: list of (FP, g, a, b, deg, weight); forms: HORNER, PAIR or ESTRIN of each, the last for all further ones"""
    errs=[]; lines=[]
    for i,(FP,g,a,b,n,w) in enumerate(specs):
        form=forms[min(i,len(forms)-1)] if forms else "HORNER"
        p,e=remez(g,a,b,n,w)
        errs.append(f"2^{float(log(e,2)):.1f}")
        lits=[lit(c,FP) for c in p]
        cur=f"#define {name}_{FP}(t)"
        body=f"{form}{n+1}(t, "+", ".join(lits)+")"
        # wrap to 120
        words=body.split(" ")
        ls=[]; cl="  "
        for w_ in words:
            if len(cl)+len(w_)+1>116: ls.append(cl.rstrip()); cl="    "
            cl+=w_+" "
        ls.append(cl.rstrip())
        full=[cur]+ls
        full=[l.ljust(118)+"\\" for l in full[:-1]]+[full[-1]]
        lines+=full
    print(name, errs, flush=True)
    out.append("\n// "+doc+" Error "+(" and ".join(errs))+".")
    out.extend(lines)
    out.append(f"#define {name}(t) JOIN({name}_, FP)(t)")
L=log(2)/2*mpf('1.0005')
tiny=mpf('1e-20')
em1r=lambda r: (expm1(r)-r)/r**2 if abs(r)>mpf('1e-15') else mpf(1)/2+r/6
poly("EXP_Q","e^t = 1 + t + t^2 EXP_Q(t) for |t| <= ln(2)/2.",[(32,em1r,-L,L,4,lambda r:r**2),(64,em1r,-L,L,9,lambda r:r**2)],"PAIR")
H=mpf('0.5005')
ex2=lambda r:(expm1(r*log(2)))/r if abs(r)>tiny else log(2)
# Of a result below one a unit in the last place is half as large.
poly("EXP2_P","2^t = 1 + t EXP2_P(t) for |t| <= 1/2.",[(32,ex2,-H,H,5,lambda r:abs(r)),(64,ex2,-H,H,9,lambda r:abs(r)*(2 if r<0 else 1))],"HORNER","PAIR")
# Where 1 - 2^t is the result, and where half of it and a half are.
def one_less(r):
    if abs(r)<tiny: return 1/log(2)
    return abs(r)/(1-mpf(2)**r) if r<0 else abs(r)/(2-mpf(2)**r)
poly("EXP2_N","2^t = 1 + t EXP2_N(t) in the same range; the error is relative to 1 - 2^t.",[(32,ex2,-H,H,5,one_less),(64,ex2,-H,H,9,one_less)],"HORNER","PAIR")
T=log10(2)/2*mpf('1.0005')
ex10=lambda r:(expm1(r*log(10)))/r if abs(r)>tiny else log(10)
poly("EXP10_P","10^t = 1 + t EXP10_P(t) for |t| <= log10(2)/2.",[(32,ex10,-T,T,5,lambda r:abs(r)),(64,ex10,-T,T,10,lambda r:abs(r))],"HORNER","PAIR")
a=sqrt(mpf(1)/2)-1; b=sqrt(mpf(2))-1
def lgf(f):
    if abs(f)<mpf('1e-15'): return mpf(1)/3-f/4
    return (log1p(f)-f+f*f/2)/f**3
poly("LOG_R","log(1 + t) = t - t^2/2 + t^3 LOG_R(t) for 1 + t from sqrt(1/2) to sqrt(2).",[(32,lgf,a,b,8,lambda f:abs(f**3/log1p(f)) if f!=0 else mpf(0))])
def lgs(z):
    s=sqrt(z)
    if s<mpf('1e-15'): return mpf(2)/3+z*2/5
    return (2*atanh(s)-2*s)/s**3
zm=((sqrt(2)-1)/(sqrt(2)+1))**2*mpf('1.001')
poly("ATANH_R","2 atanh(s) = 2 s + s^3 ATANH_R(s^2) for |s| <= (sqrt(2) - 1) / (sqrt(2) + 1).",[(32,lgs,0,zm,3,lambda z:z),(64,lgs,0,zm,6,lambda z:z)])
def lgs2(z):
    s=sqrt(z)
    if s<mpf('1e-10'): return mpf(2)/5+z*2/7
    return (2*atanh(s)-2*s-2*s**3/3)/s**5
poly("ATANH_R2","2 atanh(s) = 2 s + 2/3 s^3 + s^5 ATANH_R2(s^2) in the same range.",[(32,lgs2,0,zm,2,lambda z:z**2),(64,lgs2,0,zm,6,lambda z:z**2)])
zt=(pi/4*mpf('1.001'))**2
sn=lambda z: (sin(sqrt(z))-sqrt(z))/sqrt(z)**3 if z>mpf('1e-18') else -mpf(1)/6+z/120
cs=lambda z: (cos(sqrt(z))-1+z/2)/z**2 if z>mpf('1e-12') else mpf(1)/24-z/720
poly("SIN_S","sin(t) = t + t^3 SIN_S(t^2) for |t| <= pi/4.",[(32,sn,0,zt,2,lambda z:z),(64,sn,0,zt,5,lambda z:z)])
poly("COS_C","cos(t) = 1 - t^2/2 + t^4 COS_C(t^2) for |t| <= pi/4.",[(32,cs,0,zt,2,lambda z:z**2),(64,cs,0,zt,5,lambda z:z**2)])
# inverse
za=(sqrt(mpf(2))-1)**2*mpf('1.001')
at=lambda z: (atan(sqrt(z))-sqrt(z))/sqrt(z)**3 if z>mpf('1e-18') else -mpf(1)/3+z/5
poly("ATAN_A","atan(t) = t + t^3 ATAN_A(t^2) for |t| <= tan(pi/8).",[(32,at,0,za,3,lambda z:z),(64,at,0,za,9,lambda z:z)])
asn=lambda z: (asin(sqrt(z))-sqrt(z))/sqrt(z)**3 if z>mpf('1e-18') else mpf(1)/6+3*z/40
zs=mpf('0.2505')
poly("ASIN_A","asin(t) = t + t^3 ASIN_A(t^2) for |t| <= 1/2.",[(32,asn,0,zs,4,lambda z:z),(64,asn,0,zs,11,lambda z:z)])
# erfc(x) = exp(-x^2) t F(1 - 2 K t) with t = 1/(x + K)
def erfcx(x):
    if x>40:
        # asymptotic
        s=mpf(0); t=mpf(1)
        for k in range(0,40):
            s+=t; t*=-(2*k+1)/(2*x*x)
        return s/(x*sqrt(pi))
    return erfc(x)*exp(x*x)
def fu(K):
    def f(u):
        x=K*(1+u)/(1-u)
        return erfcx(x)*(x+K)
    return f
def up_to(K,x): return (x-K)/(x+K)
poly("ERFC_F","erfc(x) = exp(-x^2) t ERFC_F(1 - 2 K t) with t = 1 / (x + K) from 0 to where it vanishes; K is 3 and 4.",[(32,fu(mpf(3)),mpf(-1),up_to(3,mpf('10.2')),9,lambda u:mpf(1)),(64,fu(mpf(4)),mpf(-1),up_to(4,mpf('27.5')),22,lambda u:mpf(1))],"PAIR")
# Stirling: log gamma(x) = (x-.5) log x - x + log(2pi)/2 + S(1/x^2)/x
def st(z):
    if z<mpf('1e-8'): return mpf(1)/12-z/360+z*z/1260-z**3/1680
    x=1/sqrt(z)
    return (loggamma(x)-((x-mpf(1)/2)*log(x)-x+log(2*pi)/2))*x
poly("STIRLING_S","log gamma(x) = (x - 1/2) log(x) - x + log(2 pi)/2 + STIRLING_S(1/x^2)/x for x >= 8.",[(32,st,0,mpf(1)/64,1,lambda z:mpf(1)/8),(64,st,0,mpf(1)/64,6,lambda z:mpf(1)/8)])
lg2=lambda t: loggamma(2+t)/t if abs(t)>mpf('1e-30') else 1-euler
poly("LGAMMA_2","log gamma(2 + t) = t LGAMMA_2(t) for |t| <= 1/2.",[(32,lg2,-H,H,8,lambda t:1/abs(lg2(t))),(64,lg2,-H,H,18,lambda t:1/abs(lg2(t)))])
cb=lambda t: 1/cbrt(t)
poly("CBRT_INVERSE","1 / cbrt(t), coarse, for t from sqrt(1/2) to sqrt(2).",[(32,cb,sqrt(mpf(1)/2),sqrt(mpf(2)),5,lambda t:mpf(1)),(64,cb,sqrt(mpf(1)/2),sqrt(mpf(2)),8,lambda t:mpf(1))],"PAIR")
# Of numbers near 1 by one polynomial, for functions that take few operations.
poly("LOG_Q","log(1 + t) = t + t^2 LOG_Q(t) for 1 + t from sqrt(1/2) to sqrt(2).",[(32,lambda f:(log1p(f)-f)/f**2 if abs(f)>mpf('1e-12') else -mpf(1)/2+f/3,a,b,8,lambda f:abs(f**2/log1p(f)) if f!=0 else mpf(0))],"PAIR")
fine=mpf(2)**(mpf('.2549')*mpf('1.0005'))
def lgq(base,a,b,n,FP):
    g=lambda f:((log1p(f)-f)/f**2 if abs(f)>mpf('1e-15') else -mpf(1)/2+f/3)/log(base)
    return (FP,g,a,b,n,lambda f:abs(f**2*log(base)/log1p(f)) if f!=0 else mpf(0))
for base in (2,10):
    poly(f"LOG{base}_Q",f"log{base}(1 + t) = t / log({base}) + t^2 LOG{base}_Q(t) in the same range, doubles for 1 + t from 2^-0.2549 to 2^0.2549.",[lgq(base,a,b,7,32),lgq(base,1/fine-1,fine-1,13,64)],"PAIR")
wide=mpf(2)**mpf('.5862')
zw=((wide-1)/(wide+1))**2
poly("ATANH_W","atanh(s) = s + s^3 ATANH_W(s^2) for |s| <= (w - 1) / (w + 1) with w = 2^0.586.",[(32,lambda z:lgs(z)/2,0,zw,2,lambda z:z),(64,lambda z:lgs(z)/2,0,zw,6,lambda z:z)],"PAIR")
zh=L**2
poly("SINH_S","sinh(t) = t + t^3 SINH_S(t^2) for |t| <= ln(2)/2.",[(32,lambda z:(sinh(sqrt(z))-sqrt(z))/sqrt(z)**3 if z>mpf('1e-18') else mpf(1)/6+z/120,0,zh,1,lambda z:z),(64,lambda z:(sinh(sqrt(z))-sqrt(z))/sqrt(z)**3 if z>mpf('1e-18') else mpf(1)/6+z/120,0,zh,4,lambda z:z)])
poly("COSH_C","cosh(t) = 1 + t^2 COSH_C(t^2) for |t| <= ln(2)/2.",[(32,lambda z:(cosh(sqrt(z))-1)/z if z>mpf('1e-18') else mpf(1)/2+z/24,0,zh,2,lambda z:z),(64,lambda z:(cosh(sqrt(z))-1)/z if z>mpf('1e-18') else mpf(1)/2+z/24,0,zh,4,lambda z:z)])
erf_w=lambda x: erfc(x)*x*log(2)/erf(x) if x>tiny else sqrt(pi)*log(2)/2
erf_g=lambda x: log(erfc(x))/x/log(2) if x>tiny else -2/sqrt(pi)/log(2)
poly("ERF_G","erf(t) = 1 - 2^(t ERF_G(t)) for t from 0 to 3.95 and 5.95.",[(32,erf_g,0,mpf('3.95'),8,erf_w),(64,erf_g,0,mpf('5.95'),20,erf_w)],"PAIR","ESTRIN")
# Of floats that are halves: a result is rounded to 11 bits.
poly("EXP2_H","2^t = 1 + t EXP2_H(t) for |t| <= 1/2, for halves.",[(32,ex2,-H,H,3,lambda r:abs(r))],"PAIR")
poly("EXP_H","e^t = 1 + t + t^2 EXP_H(t) for |t| <= ln(2)/2, for halves.",[(32,em1r,-L,L,2,lambda r:abs(r))])
poly("LOG_H","log(1 + t) = t LOG_H(t) for 1 + t from sqrt(1/2) to sqrt(2), for halves.",[(32,lambda f:log1p(f)/f if abs(f)>tiny else mpf(1),a,b,5,lambda f:abs(f/log1p(f)) if f!=0 else mpf(1))],"PAIR")
poly("LOG2_H","log2(1 + t) = t LOG2_H(t) in the same range, for halves.",[(32,lambda f:log1p(f)/f/log(2) if abs(f)>tiny else 1/log(2),a,b,5,lambda f:abs(f/log1p(f)) if f!=0 else mpf(1))],"PAIR")
poly("LOG10_H","log10(1 + t) = t LOG10_H(t) in the same range, for halves.",[(32,lambda f:log1p(f)/f/log(10) if abs(f)>tiny else 1/log(10),a,b,5,lambda f:abs(f/log1p(f)) if f!=0 else mpf(1))],"PAIR")
poly("ATAN_H","atan(t) = t + t^3 ATAN_H(t^2) for |t| <= 1, for halves.",[(32,at,0,mpf(1),4,lambda z:z)],"PAIR")
poly("ASIN_H","asin(t) = t + t^3 ASIN_H(t^2) for |t| <= 1/2, for halves.",[(32,asn,0,zs,2,lambda z:z)])
poly("SIN_H","sin(t) = t + t^3 SIN_H(t^2) for |t| <= pi/4, for halves.",[(32,sn,0,zt,1,lambda z:z)])
poly("COS_H","cos(t) = 1 + t^2 COS_H(t^2) for |t| <= pi/4, for halves.",[(32,lambda z:(cos(sqrt(z))-1)/z if z>mpf('1e-18') else -mpf(1)/2+z/24,0,zt,1,lambda z:z)])
zq=H**2
poly("SINH_H","sinh(t log(2)) = t SINH_H(t^2) for |t| <= 1/2, for halves.",[(32,lambda z:sinh(sqrt(z)*log(2))/sqrt(z) if z>mpf('1e-30') else log(2),0,zq,1,lambda z:mpf(1))])
poly("COSH_H","cosh(t log(2)) = 1 + t^2 COSH_H(t^2) for |t| <= 1/2, for halves.",[(32,lambda z:(cosh(sqrt(z)*log(2))-1)/z if z>mpf('1e-18') else log(2)**2/2,0,zq,1,lambda z:z)])
poly("ERF_H","erf(t) = 1 - 2^(t ERF_H(t)) for t from 0 to 3, for halves.",[(32,erf_g,0,mpf(3),4,erf_w)],"PAIR")
# Of the native functions, of floats alone. Turns rather than radians; the zeros are factors, so that they are exact.
turn_s=lambda z: sin(2*pi*sqrt(z))/(sqrt(z)*(mpf(1)/4-z)) if mpf('1e-18')<z<mpf(1)/4-mpf('1e-18') else 8*pi if z<mpf(1)/8 else 4*pi
def turn_c(z):
    d=mpf(1)/16-z
    return cos(2*pi*sqrt(z))/d if abs(d)>mpf('1e-18') else 4*pi
poly("SIN_N","sin(2 pi t) = t (1/4 - t^2) SIN_N(t^2) for |t| <= 1/2, for native functions.",[(32,turn_s,0,mpf(1)/4,5,lambda z:1/abs(turn_s(z)))],"PAIR")
poly("COS_N","cos(2 pi t) = (1/16 - t^2) COS_N(t^2) in the same range.",[(32,turn_c,0,mpf(1)/4,5,lambda z:1/abs(turn_c(z)))],"PAIR")
poly("EXP2_T","2 2^t = 2 + t EXP2_T(t) for |t| <= 1/2, for native functions.",[(32,lambda t:2*ex2(t),-H,H,4,lambda t:abs(t)*mpf(2)**(-t)/2)],"PAIR")
poly("LOG2_T","log2(1 + t) = t LOG2_T(t) for 1 + t from sqrt(1/2) to sqrt(2), for native functions.",[(32,lambda f:log1p(f)/f/log(2) if abs(f)>tiny else 1/log(2),a,b,8,lambda f:abs(f/log1p(f)) if f!=0 else mpf(1))],"PAIR")
head="""// Polynomials of the mathematics, low order first: minimax approximations by Remez exchange in high precision, then
// rounded to the type. NAME(t) chooses by FP. The error is the largest of the exact polynomial, relative to the function.

"""
def h(n):
    if n==1: return "#define HORNER1(t, a) ((GT)(a))"
    return f"#define HORNER{n}(t, a, ...) multiply_add(t, HORNER{n-1}(t, __VA_ARGS__), (GT)(a))"
maxn=24
def define(head, body):
    """a macro in lines of 120"""
    ls=[]
    for text in ("#define "+head, body):
        cl="  " if ls else ""
        for w_ in text.split(" "):
            if len(cl)+len(w_)+1>116: ls.append(cl.rstrip()); cl="    "
            cl+=w_+" "
        ls.append(cl.rstrip())
    return "\n".join([l.ljust(118)+"\\" for l in ls[:-1]]+[ls[-1]])
def pair(n):
    names=[f"c{i}" for i in range(n)]
    odd=f"HORNER{n//2}((t) * (t), {', '.join(names[1::2])})"
    even=f"HORNER{(n+1)//2}((t) * (t), {', '.join(names[0::2])})"
    if n > 12:
        # Of each again the even and odd ones.
        odd,even=(f"PAIR{len(c)}((t) * (t), {', '.join(c)})" for c in (names[1::2],names[0::2]))
    return define(f"PAIR{n}(t, {', '.join(names)})", f"multiply_add(t, {odd}, {even})")
def estrin(n):
    names=[f"c{i}" for i in range(n)]
    sums=[f"multiply_add(t, (GT)({names[i+1]}), (GT)({names[i]}))" if i+1<n else f"(GT)({names[i]})" for i in range(0,n,2)]
    text=sums[0] if n<3 else f"ESTRIN{len(sums)}((t) * (t), {', '.join(sums)})"
    return define(f"ESTRIN{n}(t, {', '.join(names)})", text)
estrins=set()
for n in {int(n) for n in regex.findall(r"ESTRIN(\d+)\(t", "\n".join(out))}:
    while n>1:
        estrins.add(n)
        n=(n+1)//2 if n>2 else 0
used={int(n) for n in regex.findall(r"PAIR(\d+)\(t", "\n".join(out))}
used|={m for n in used if n>12 for m in (n//2,(n+1)//2)}
hs="\n".join(h(i) for i in range(1,maxn+1))
hs+="\n\n// The same by even and odd powers, in two chains half as long: a processor computes them at once.\n"+"\n".join(pair(n) for n in sorted(used))
hs+="\n\n// Estrin's scheme: the shortest chains, for some products more.\n"+"\n".join(estrin(n) for n in sorted(estrins))
open(Path(__file__).resolve().parent.parent / "src/cl/polynomials.h", "w").write(head+"// Horner's scheme.\n"+hs+"\n"+"\n".join(out)+"\n")
def consts(name, v, parts, FP):
    """split v into parts with given bit counts"""
    r=[]; 
    for b in parts:
        p=rnd(v,b); r.append(lit(p,FP)); v-=p
    print(name,FP,r)
consts("LN2",log(2),[15,24],32); consts("LN2",log(2),[40,53],64)
consts("LOG10_2",log10(2),[15,24],32); consts("LOG10_2",log10(2),[40,53],64)
consts("PIO2",pi/2,[10,11,11,24],32); consts("PIO2",pi/2,[32,32,32,53],64)
for nm,v in (("log2e",1/log(2)),("log2(10)",log(10)/log(2)),("log10e",1/log(10)),("2/pi",2/pi),("ln2",log(2)),("pi",pi),("1/pi",1/pi),("pi/4",pi/4),("pi/2",pi/2)):
    consts(nm,v,[24,24,24],32); consts(nm,v,[53,53,53],64)
