"""Remez exchange in high precision, and numbers rounded to a type and written as C literals."""
from mpmath import mp, mpf, matrix, lu_solve, cos, pi, findroot
mp.dps = 60
def remez(g, a, b, n, w0=lambda t: mpf(1), iters=12):
    w=lambda t: max(w0(t), mpf("1e-19"))
    """polynomial p (low order first) of degree n minimising max |w (g - p)| on [a,b]"""
    a, b = mpf(a), mpf(b)
    N = n + 2
    xs = [(a+b)/2 + (b-a)/2*cos(pi*(N-1-i)/(N-1)) for i in range(N)]
    last=None
    for it in range(iters):
        A = matrix(N, N); B = matrix(N, 1)
        c=(a+b)/2; h=(b-a)/2
        for i, x in enumerate(xs):
            u=(x-c)/h
            for j in range(n+1): A[i, j] = u**j
            A[i, n+1] = (-1)**i / w(x)
            B[i] = g(x)
        s = lu_solve(A, B)
        p = [s[j] for j in range(n+1)]
        E = abs(s[n+1])
        def err(x):
            u=(x-c)/h; v=mpf(0)
            for q in reversed(p): v=v*u+q
            return w(x)*(g(x)-v)
        # grid extremes
        M = 60*N
        gx = [c + h*cos(pi*(M-1-i)/(M-1)) for i in range(M)]
        ge = [err(x) for x in gx]
        ext=[]
        for i in range(M):
            l = ge[i-1] if i>0 else None; r = ge[i+1] if i<M-1 else None
            e=ge[i]
            if (l is None or abs(e)>=abs(l) or (l>0)!=(e>0)) and (r is None or abs(e)>=abs(r) or (r>0)!=(e>0)):
                ext.append((gx[i],e))
        # alternate
        alt=[]
        for x,e in ext:
            if alt and (alt[-1][1]>0)==(e>0):
                if abs(e)>abs(alt[-1][1]): alt[-1]=(x,e)
            else: alt.append((x,e))
        while len(alt)>N:
            if abs(alt[0][1])<abs(alt[-1][1]): alt.pop(0)
            else: alt.pop()
        mx=max(abs(e) for x,e in ext) if ext else E
        if len(alt)<N: break
        xs=[x for x,e in alt]
        if E!=0 and mx/E-1 < mpf('1e-3'): break
    # convert to monomial in x from u=(x-c)/h
    poly=[mpf(0)]
    for q in reversed(p):
        # poly = poly*u + q
        new=[mpf(0)]*(len(poly)+1)
        for i,cf in enumerate(poly):
            new[i+1]+=cf/h; new[i]-=cf*c/h
        new[0]+=q
        poly=new
    return poly[:n+1], mx
def rnd(x, bits):
    from mpmath import frexp, ldexp, nint
    if x==0: return mpf(0)
    m,e=frexp(x)
    return ldexp(nint(ldexp(m,bits)),e-bits)
def lit(x, FP):
    x=rnd(x, 24 if FP==32 else 53)
    f=float(x)
    s=f.hex()
    # trim zeros
    import re
    m=re.match(r'(-?)0x([01])\.([0-9a-f]+)p([+-]\d+)',s)
    if not m: return s
    fr=m.group(3).rstrip('0')
    e=int(m.group(4))
    return f"{m.group(1)}0x{m.group(2)}{'.'+fr if fr else ''}p{e}"+("f" if FP==32 else "")
