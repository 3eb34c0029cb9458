; Nobody but the thread that runs the group uses its local memory: an atomic operation there locks nothing. On global memory it
; stays what it is.
; step: emit
; local: 8,1,1
; uniform: yes

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(3) %l, ptr addrspace(1) %g) {
entry:
  %x = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(3) %l, i64 %x
  %old = atomicrmw volatile add ptr addrspace(3) %p, i32 1 monotonic
  %generic = addrspacecast ptr addrspace(3) %p to ptr addrspace(4)
  %least = atomicrmw umin ptr addrspace(4) %generic, i32 %old acq_rel
  %pair = cmpxchg ptr addrspace(3) %p, i32 %least, i32 7 monotonic monotonic
  %was = extractvalue { i32, i1 } %pair, 0
  %next = getelementptr i32, ptr addrspace(4) %generic, i64 1
  %after = getelementptr i32, ptr addrspace(4) %next, i64 %x
  %far = atomicrmw add ptr addrspace(4) %after, i32 %was monotonic
  %n = atomicrmw add ptr addrspace(1) %g, i32 %was monotonic
  ret void
}

; ---- after the steps:
; define internal void @oxcl_body_k(ptr addrspace(3) %l, ptr addrspace(1) %g, ptr noalias readonly %ctx, i64 %gx, i64 %gy, i64 %gz, i32 %work_dim, ptr noalias align 128 %scratch) {
; entry:
;   %0 = getelementptr inbounds i8, ptr %ctx, i64 0
;   %groups.0 = load i64, ptr %0, align 8
;   %1 = getelementptr inbounds i8, ptr %ctx, i64 8
;   %groups.1 = load i64, ptr %1, align 8
;   %2 = getelementptr inbounds i8, ptr %ctx, i64 16
;   %groups.2 = load i64, ptr %2, align 8
;   %3 = getelementptr inbounds i8, ptr %ctx, i64 24
;   %offset.0 = load i64, ptr %3, align 8
;   %4 = getelementptr inbounds i8, ptr %ctx, i64 32
;   %offset.1 = load i64, ptr %4, align 8
;   %5 = getelementptr inbounds i8, ptr %ctx, i64 40
;   %offset.2 = load i64, ptr %5, align 8
;   %6 = mul nuw nsw i64 %gx, 8
;   %7 = mul nuw nsw i64 %gy, 1
;   %8 = mul nuw nsw i64 %gz, 1
;   %first.0 = add nuw nsw i64 %6, %offset.0
;   %first.1 = add nuw nsw i64 %7, %offset.1
;   %first.2 = add nuw nsw i64 %8, %offset.2
;   %9 = mul nuw nsw i64 %groups.0, 8
;   %10 = mul nuw nsw i64 %groups.1, 1
;   %11 = mul nuw nsw i64 %groups.2, 1
;   %print = getelementptr inbounds i8, ptr %ctx, i64 72
;   br label %r0
; r0:
;   br label %r0.z
; exit:
;   ret void
; r0.z:
;   %l1 = phi i64 [ 0, %r0 ], [ %13, %r0.z.next ]
;   %12 = mul nuw nsw i64 %l1, 1
;   br label %r0.y
; r0.z.next:
;   %13 = add nuw nsw i64 %l1, 1
;   %14 = icmp ult i64 %13, 1
;   br i1 %14, label %r0.z, label %r0.z.done, !llvm.loop !0
; r0.z.done:
;   br label %exit
; r0.y:
;   %l2 = phi i64 [ 0, %r0.z ], [ %16, %r0.y.next ]
;   %15 = add nuw nsw i64 %12, %l2
;   %row = mul nuw nsw i64 %15, 8
;   br label %r0.x
; r0.y.next:
;   %16 = add nuw nsw i64 %l2, 1
;   %17 = icmp ult i64 %16, 1
;   br i1 %17, label %r0.y, label %r0.y.done, !llvm.loop !3
; r0.y.done:
;   br label %r0.z.next
; r0.x:
;   %l3 = phi i64 [ 0, %r0.y ], [ %18, %r0.x.next ]
;   %linear = add nuw nsw i64 %row, %l3
;   br label %r0.items
; r0.x.next:
;   %18 = add nuw nsw i64 %l3, 1
;   %19 = icmp ult i64 %18, 8
;   br i1 %19, label %r0.x, label %r0.x.done, !llvm.loop !4
; r0.x.done:
;   br label %r0.y.next
; r0.items:
;   br label %r0.entry
; r0.entry:
;   %p = getelementptr i32, ptr addrspace(3) %l, i64 %l3
;   %20 = load atomic i32, ptr addrspace(3) %p monotonic, align 4
;   %new = add i32 %20, 1
;   store atomic i32 %new, ptr addrspace(3) %p monotonic, align 4
;   %generic = addrspacecast ptr addrspace(3) %p to ptr addrspace(4)
;   %21 = load atomic i32, ptr addrspace(4) %generic monotonic, align 4
;   %22 = icmp ule i32 %21, %20
;   %new4 = select i1 %22, i32 %21, i32 %20
;   store atomic i32 %new4, ptr addrspace(4) %generic monotonic, align 4
;   %23 = load atomic i32, ptr addrspace(3) %p monotonic, align 4
;   %24 = icmp eq i32 %23, %21
;   %25 = select i1 %24, i32 7, i32 %23
;   store atomic i32 %25, ptr addrspace(3) %p monotonic, align 4
;   %26 = insertvalue { i32, i1 } poison, i32 %23, 0
;   %27 = insertvalue { i32, i1 } %26, i1 %24, 1
;   %was = extractvalue { i32, i1 } %27, 0
;   %next = getelementptr i32, ptr addrspace(4) %generic, i64 1
;   %after = getelementptr i32, ptr addrspace(4) %next, i64 %l3
;   %28 = load atomic i32, ptr addrspace(4) %after monotonic, align 4
;   %new5 = add i32 %28, %was
;   store atomic i32 %new5, ptr addrspace(4) %after monotonic, align 4
;   %n = atomicrmw add ptr addrspace(1) %g, i32 %was monotonic, align 4
;   br label %r0.x.next
; }
;
; !0 = distinct !{!0, !1, !2}
; !1 = !{!"llvm.loop.mustprogress"}
; !2 = !{!"llvm.loop.unroll.runtime.disable"}
; !3 = distinct !{!3, !1, !2}
; !4 = distinct !{!4, !1}
