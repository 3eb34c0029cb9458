; One id alone with factor 1, besides what the group knows, in 32 or 64 bits and not far from 0; as an unsigned number only if it is
; never negative.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n, i32 %m, i16 %s, float %f) {
; regions: kernel k: 17 regions, 16 barriers, regular, width 1
; regions: region 0: entry work0 end0
; regions:   only 1*local0 + 3 < %n
; regions:   -> region 1
; regions: region 1: after.barrier work1 end1
; regions:   -> region 2
; regions: region 2: after.barrier1 work2 end2
; regions:   -> region 3
; regions: region 3: after.barrier2 work3 end3
; regions:   only 1*local0 + 64*group0 < %n
; regions:   -> region 4
; regions: region 4: after.barrier3 work4 end4
; regions:   -> region 5
; regions: region 5: after.barrier4 work5 end5
; regions:   only 1*global2 < %n
; regions:   -> region 6
; regions: region 6: after.barrier5 work6 end6
; regions:   only 1*local0 < %m
; regions:   -> region 7
; regions: region 7: after.barrier6 work7 end7
; regions:   -> region 8
; regions: region 8: after.barrier7 work8 end8
; regions:   -> region 9
; regions: region 9: after.barrier8 work9 end9
; regions:   only 1*local0 + -1 < %n
; regions:   -> region 10
; regions: region 10: after.barrier9 work10 end10
; regions:   only 1*local0 + 576460752303423488 < %n
; regions:   -> region 11
; regions: region 11: after.barrier10 work11 end11
; regions:   -> region 12
; regions: region 12: after.barrier11 work12 end12
; regions:   -> region 13
; regions: region 13: after.barrier12 work13 end13
; regions:   -> region 14
; regions: region 14: after.barrier13 work14 end14
; regions:   -> region 15
; regions: region 15: after.barrier14 work15 end15
; regions:   -> region 16
; regions: region 16: after.barrier15 work16 end16
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %plus = add nsw i64 %l, 3
  %c0 = icmp slt i64 %plus, %n
  br i1 %c0, label %work0, label %end0
work0:
  store i32 0, ptr addrspace(1) %p
  br label %end0
end0:
  call void @_Z7barrierj(i32 1)
  %twice = mul nsw i64 %l, 2
  %c1 = icmp slt i64 %twice, %n
  br i1 %c1, label %work1, label %end1
work1:
  store i32 1, ptr addrspace(1) %p
  br label %end1
end1:
  call void @_Z7barrierj(i32 1)
  %minus = sub nsw i64 0, %l
  %c2 = icmp slt i64 %minus, %n
  br i1 %c2, label %work2, label %end2
work2:
  store i32 2, ptr addrspace(1) %p
  br label %end2
end2:
  call void @_Z7barrierj(i32 1)
  %g = call i64 @_Z12get_group_idj(i32 0)
  %row = mul nsw i64 %g, 64
  %in.all = add nsw i64 %row, %l
  %c3 = icmp slt i64 %in.all, %n
  br i1 %c3, label %work3, label %end3
work3:
  store i32 3, ptr addrspace(1) %p
  br label %end3
end3:
  call void @_Z7barrierj(i32 1)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %both = add nsw i64 %y, %l
  %c4 = icmp slt i64 %both, %n
  br i1 %c4, label %work4, label %end4
work4:
  store i32 4, ptr addrspace(1) %p
  br label %end4
end4:
  call void @_Z7barrierj(i32 1)
  %z = call i64 @_Z13get_global_idj(i32 2)
  %c5 = icmp slt i64 %z, %n
  br i1 %c5, label %work5, label %end5
work5:
  store i32 5, ptr addrspace(1) %p
  br label %end5
end5:
  call void @_Z7barrierj(i32 1)
  %cut = trunc i64 %l to i32
  %c6 = icmp slt i32 %cut, %m
  br i1 %c6, label %work6, label %end6
work6:
  store i32 6, ptr addrspace(1) %p
  br label %end6
end6:
  call void @_Z7barrierj(i32 1)
  %short = trunc i64 %l to i16
  %c7 = icmp slt i16 %short, %s
  br i1 %c7, label %work7, label %end7
work7:
  store i32 7, ptr addrspace(1) %p
  br label %end7
end7:
  call void @_Z7barrierj(i32 1)
  %before = add nsw i64 %l, -1
  %c8 = icmp ult i64 %before, %n
  br i1 %c8, label %work8, label %end8
work8:
  store i32 8, ptr addrspace(1) %p
  br label %end8
end8:
  call void @_Z7barrierj(i32 1)
  %c9 = icmp slt i64 %before, %n
  br i1 %c9, label %work9, label %end9
work9:
  store i32 9, ptr addrspace(1) %p
  br label %end9
end9:
  call void @_Z7barrierj(i32 1)
  %far = add nsw i64 %l, 576460752303423488
  %c10 = icmp slt i64 %far, %n
  br i1 %c10, label %work10, label %end10
work10:
  store i32 10, ptr addrspace(1) %p
  br label %end10
end10:
  call void @_Z7barrierj(i32 1)
  %too.far = add nsw i64 %l, 1152921504606846976
  %c11 = icmp slt i64 %too.far, %n
  br i1 %c11, label %work11, label %end11
work11:
  store i32 11, ptr addrspace(1) %p
  br label %end11
end11:
  call void @_Z7barrierj(i32 1)
  %too.near = add nsw i64 %l, -1152921504606846977
  %c12 = icmp slt i64 %too.near, %n
  br i1 %c12, label %work12, label %end12
work12:
  store i32 12, ptr addrspace(1) %p
  br label %end12
end12:
  call void @_Z7barrierj(i32 1)
  %x = call i64 @_Z13get_global_idj(i32 0)
  %mixed = add nsw i64 %x, %l
  %c13 = icmp slt i64 %mixed, %n
  br i1 %c13, label %work13, label %end13
work13:
  store i32 13, ptr addrspace(1) %p
  br label %end13
end13:
  call void @_Z7barrierj(i32 1)
  %loaded = load i64, ptr addrspace(1) %p
  %c14 = icmp slt i64 %loaded, %n
  br i1 %c14, label %work14, label %end14
work14:
  store i32 14, ptr addrspace(1) %p
  br label %end14
end14:
  call void @_Z7barrierj(i32 1)
  %c15 = icmp eq ptr addrspace(1) %p, %out
  br i1 %c15, label %work15, label %end15
work15:
  store i32 15, ptr addrspace(1) %p
  br label %end15
end15:
  call void @_Z7barrierj(i32 1)
  %real = sitofp i64 %l to float
  %c16 = fcmp olt float %real, %f
  br i1 %c16, label %work16, label %end16
work16:
  store i32 16, ptr addrspace(1) %p
  br label %end16
end16:
  ret void
}
