; A call through a pointer, which OpenCL C has not.
; step: prepare
; expect: fail OX0303

define void @k(ptr %f) {
entry:
  call void %f()
  ret void
}
