; Pointers in vectors are followed, and so are frozen ones; what an intrinsic touches is behind its operands.
; analysis: access

declare <2 x i32> @llvm.masked.gather.v2i32.v2p1(<2 x ptr addrspace(1)>, <2 x i1>, <2 x i32>)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)

define void @k(ptr addrspace(1) %gathered, ptr addrspace(1) %shuffled, ptr addrspace(1) %frozen, ptr addrspace(1) %swapped, ptr addrspace(1) %from, ptr addrspace(1) %to, <2 x i1> %mask, <2 x i64> %ids) {
; access: %gathered read
; access: %shuffled written
; access: %frozen written
; access: %swapped read and written
; access: %from read
; access: %to written
; access: %mask untouched
; access: %ids untouched
entry:
  %all = getelementptr i32, ptr addrspace(1) %gathered, <2 x i64> %ids
  %values = call <2 x i32> @llvm.masked.gather.v2i32.v2p1(<2 x ptr addrspace(1)> %all, <2 x i1> %mask, <2 x i32> poison)
  %one = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %shuffled, i32 0
  %both = shufflevector <2 x ptr addrspace(1)> %one, <2 x ptr addrspace(1)> poison, <2 x i32> zeroinitializer
  %second = extractelement <2 x ptr addrspace(1)> %both, i32 1
  store i32 0, ptr addrspace(1) %second
  %sure = freeze ptr addrspace(1) %frozen
  store i32 0, ptr addrspace(1) %sure
  %old = cmpxchg ptr addrspace(1) %swapped, i32 0, i32 1 monotonic monotonic
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 16, i1 false)
  ret void
}
