#!/usr/bin/env python3
"""Functions of OpenCV on an OpenCL device beside its own path on the CPU: how far results are apart, and the times.

    OCL_ICD_VENDORS=FOLDER OPENCV_OPENCL_DEVICE=:CPU: python3 testsuite/peers/opencv.py [NAME...]

OpenCV falls back on the CPU in silence: the library's trace between BEGIN and END of a function, which are written to the
standard error, shows whether its kernels ran. It does not judge: some functions round in another way on every device.
"""

import sys
import time

import cv2
import numpy as np

cv2.ocl.setUseOpenCL(True)
d = cv2.ocl.Device_getDefault()
print("device", d.name(), d.vendorName(), d.version(), "ocl", cv2.ocl.useOpenCL(), "images", d.imageSupport(), cv2.__version__)
rng = np.random.default_rng(1)
g = cv2.GaussianBlur(rng.integers(0,256,(480,640),np.uint8),(0,0),3)
g = cv2.normalize(g,None,0,255,cv2.NORM_MINMAX)
c = cv2.merge([g, np.roll(g,5,0), np.roll(g,9,1)])
g2 = cv2.warpAffine(g, np.float32([[1,0.01,2.3],[-0.01,1,1.7]]), (640,480), borderMode=cv2.BORDER_REPLICATE)
A = np.float32([[0.9,0.2,10],[-0.15,1.05,5]])
mx, my = np.meshgrid(np.arange(640,dtype=np.float32), np.arange(480,dtype=np.float32))
mx2 = mx+5*np.sin(my/20); my2 = my+4*np.cos(mx/30)
pts = cv2.goodFeaturesToTrack(g, 200, 0.01, 8)
H=np.float32([[1,0.05,3],[0.02,0.98,4],[1e-5,2e-5,1]])
tests = {
 "resize_linear": lambda u: cv2.resize(u(c),(801,333),interpolation=cv2.INTER_LINEAR),
 "resize_area": lambda u: cv2.resize(u(c),(320,240),interpolation=cv2.INTER_AREA),
 "resize_area_f": lambda u: cv2.resize(u(c),(301,211),interpolation=cv2.INTER_AREA),
 "resize_nearest": lambda u: cv2.resize(u(c),(801,333),interpolation=cv2.INTER_NEAREST),
 "resize_linear_f32": lambda u: cv2.resize(u(g.astype(np.float32)),(801,333),interpolation=cv2.INTER_LINEAR),
 "GaussianBlur": lambda u: cv2.GaussianBlur(u(c),(5,5),1.2),
 "GaussianBlur3": lambda u: cv2.GaussianBlur(u(g),(3,3),0),
 "GaussianBlur_f": lambda u: cv2.GaussianBlur(u(g.astype(np.float32)),(9,9),2.0),
 "bilateral": lambda u: cv2.bilateralFilter(u(g),9,40,40),
 "bilateral_c": lambda u: cv2.bilateralFilter(u(c),7,40,40),
 "warpAffine": lambda u: cv2.warpAffine(u(c),A,(640,480),flags=cv2.INTER_LINEAR),
 "warpAffine_cubic": lambda u: cv2.warpAffine(u(g),A,(640,480),flags=cv2.INTER_CUBIC),
 "warpAffine_nn": lambda u: cv2.warpAffine(u(g),A,(640,480),flags=cv2.INTER_NEAREST),
 "warpPerspective": lambda u: cv2.warpPerspective(u(g),H,(640,480),flags=cv2.INTER_LINEAR),
 "remap": lambda u: cv2.remap(u(c),u(mx2),u(my2),cv2.INTER_LINEAR),
 "remap_nn": lambda u: cv2.remap(u(c),u(mx2),u(my2),cv2.INTER_NEAREST),
 "Canny": lambda u: cv2.Canny(u(g),50,120),
 "Canny_c5": lambda u: cv2.Canny(u(g),500,1200,apertureSize=5,L2gradient=True),
 "pyrDown": lambda u: cv2.pyrDown(u(c)),
 "pyrUp": lambda u: cv2.pyrUp(u(c)),
 "Sobel": lambda u: cv2.Sobel(u(g),cv2.CV_16S,1,0),
 "Laplacian": lambda u: cv2.Laplacian(u(g),cv2.CV_16S,ksize=3),
 "medianBlur": lambda u: cv2.medianBlur(u(g),5),
 "dilate": lambda u: cv2.dilate(u(g),np.ones((5,5),np.uint8)),
 "cvtColor_Lab": lambda u: cv2.cvtColor(u(c),cv2.COLOR_BGR2Lab),
 "cvtColor_HSV": lambda u: cv2.cvtColor(u(c),cv2.COLOR_BGR2HSV),
 "cvtColor_gray": lambda u: cv2.cvtColor(u(c),cv2.COLOR_BGR2GRAY),
 "threshold": lambda u: cv2.threshold(u(g),100,255,cv2.THRESH_BINARY)[1],
 "equalizeHist": lambda u: cv2.equalizeHist(u(g)),
 "CLAHE": lambda u: cv2.createCLAHE(2.0,(8,8)).apply(u(g)),
 "integral": lambda u: cv2.integral(u(g)),
 "matchTemplate": lambda u: cv2.matchTemplate(u(g),u(g[100:140,100:150]),cv2.TM_CCOEFF_NORMED),
 "Farneback": lambda u: cv2.calcOpticalFlowFarneback(u(g),u(g2),None,0.5,3,13,3,5,1.1,0),
 "PyrLK": lambda u: cv2.calcOpticalFlowPyrLK(u(g),u(g2),u(pts),None,winSize=(21,21),maxLevel=3)[0],
 "DIS": lambda u: cv2.DISOpticalFlow_create(1).calc(u(g),u(g2),None),
 "fastNlMeans": lambda u: cv2.fastNlMeansDenoising(u(g),None,7,5,11),
 "gemm": lambda u: cv2.gemm(u(g.astype(np.float32)),u(g.T.astype(np.float32).copy()),1,None,0),
}
only = sys.argv[1:]
for name, f in tests.items():
    if only and name not in only:
        continue
    cv2.ocl.setUseOpenCL(False)
    t=time.time(); want = f(lambda a: a); tc=time.time()-t
    cv2.ocl.setUseOpenCL(True)
    print("BEGIN", name, file=sys.stderr, flush=True)
    try:
        got = f(cv2.UMat); got = got.get(); best=9
        for _ in range(3):
            t=time.time(); x = f(cv2.UMat); x.get(); best=min(best,time.time()-t)
    except Exception as e:
        print(f"{name:20} ERROR {str(e)[:150]}"); continue
    print("END", name, file=sys.stderr, flush=True)
    if want.shape != got.shape: got = got.reshape(want.shape)
    diff = np.abs(want.astype(np.float64)-got.astype(np.float64))
    print(f"{name:20} max {diff.max():10.4g} mean {diff.mean():10.4g} differ {100*np.mean(diff>0):7.3f}%  cpu {tc*1e3:8.1f} ms ocl {best*1e3:8.1f} ms", flush=True)
