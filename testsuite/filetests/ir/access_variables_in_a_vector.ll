; The addresses of variables as the parts of one constant.
; analysis: access

@one = internal addrspace(1) global i32 0
@two = internal addrspace(1) global i32 0

declare <2 x i32> @llvm.masked.gather.v2i32.v2p1(<2 x ptr addrspace(1)>, <2 x i1>, <2 x i32>)

define void @k(ptr addrspace(1) %out, <2 x i1> %mask) {
; access: %out untouched
; access: %mask untouched
; access: globals
entry:
  %both = call <2 x i32> @llvm.masked.gather.v2i32.v2p1(<2 x ptr addrspace(1)> <ptr addrspace(1) @one, ptr addrspace(1) @two>, <2 x i1> %mask, <2 x i32> poison)
  ret void
}
