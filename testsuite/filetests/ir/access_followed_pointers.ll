; Pointers are followed through address arithmetic, casts, selects and PHI nodes; what is only compared is not touched.
; analysis: access

declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)

define void @k(ptr addrspace(1) %read, ptr addrspace(1) %written, ptr addrspace(1) %either, ptr addrspace(1) %other, ptr addrspace(1) %compared, ptr addrspace(1) %from, ptr addrspace(1) %to, ptr addrspace(1) %counter, ptr addrspace(1) %left, ptr addrspace(1) %right, i1 %c) {
; access: %read read
; access: %written written
; access: %either written
; access: %other written
; access: %compared untouched
; access: %from read
; access: %to written
; access: %counter read and written
; access: %left written
; access: %right written
; access: %c untouched
entry:
  %second = getelementptr i32, ptr addrspace(1) %read, i64 1
  %generic = addrspacecast ptr addrspace(1) %second to ptr addrspace(4)
  %v = load i32, ptr addrspace(4) %generic
  store i32 %v, ptr addrspace(1) %written
  %one = select i1 %c, ptr addrspace(1) %either, ptr addrspace(1) %other
  br i1 %c, label %then, label %join
then:
  %null = icmp eq ptr addrspace(1) %compared, null
  br label %join
join:
  %p = phi ptr addrspace(1) [ %one, %entry ], [ %either, %then ]
  store i32 0, ptr addrspace(1) %p
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %to, ptr addrspace(1) %from, i64 16, i1 false)
  %pair.left = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %left, i32 0
  %pair = insertelement <2 x ptr addrspace(1)> %pair.left, ptr addrspace(1) %right, i32 1
  %of.pair = extractelement <2 x ptr addrspace(1)> %pair, i32 1
  store i32 1, ptr addrspace(1) %of.pair
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  ret void
}
