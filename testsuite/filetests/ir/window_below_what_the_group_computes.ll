; The group computes a limit itself where that takes at most eight cheap steps: not nine, no division, and not from ids that differ.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n) {
; regions: kernel k: 7 regions, 6 barriers, regular, width 1
; regions: region 0: entry work0 end0
; regions:   only 1*local0 < %a8
; regions:   -> region 1
; regions: region 1: after.barrier work1 end1
; regions:   -> region 2
; regions: region 2: after.barrier1 work2 end2
; regions:   only 1*local0 < %half, unsigned
; regions:   -> region 3
; regions: region 3: after.barrier2 work3 end3
; regions:   -> region 4
; regions: region 4: after.barrier3 work4 end4
; regions:   -> region 5
; regions: region 5: after.barrier4 work5 end5
; regions:   only 1*local0 < 5, unsigned
; regions:   -> region 6
; regions: region 6: after.barrier5 work6 end6
; regions:   only 1*local0 == %gx
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %a1 = add i64 %n, 1
  %a2 = xor i64 %a1, 2
  %a3 = xor i64 %a2, 3
  %a4 = xor i64 %a3, 4
  %a5 = xor i64 %a4, 5
  %a6 = xor i64 %a5, 6
  %a7 = xor i64 %a6, 7
  %a8 = xor i64 %a7, 8
  %c.a = icmp slt i64 %l, %a8
  br i1 %c.a, label %work0, label %end0
work0:
  store i32 0, ptr addrspace(1) %p
  br label %end0
end0:
  call void @_Z7barrierj(i32 1)
  %b1 = add i64 %n, 1
  %b2 = xor i64 %b1, 2
  %b3 = xor i64 %b2, 3
  %b4 = xor i64 %b3, 4
  %b5 = xor i64 %b4, 5
  %b6 = xor i64 %b5, 6
  %b7 = xor i64 %b6, 7
  %b8 = xor i64 %b7, 8
  %b9 = xor i64 %b8, 9
  %c.b = icmp slt i64 %l, %b9
  br i1 %c.b, label %work1, label %end1
work1:
  store i32 1, ptr addrspace(1) %p
  br label %end1
end1:
  call void @_Z7barrierj(i32 1)
  %size = call i64 @_Z14get_local_sizej(i32 0)
  %half = lshr i64 %size, 1
  %c.size = icmp ult i64 %l, %half
  br i1 %c.size, label %work2, label %end2
work2:
  store i32 2, ptr addrspace(1) %p
  br label %end2
end2:
  call void @_Z7barrierj(i32 1)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %c.y = icmp ult i64 %l, %y
  br i1 %c.y, label %work3, label %end3
work3:
  store i32 3, ptr addrspace(1) %p
  br label %end3
end3:
  call void @_Z7barrierj(i32 1)
  %quotient = sdiv i64 %n, 3
  %c.q = icmp slt i64 %l, %quotient
  br i1 %c.q, label %work4, label %end4
work4:
  store i32 4, ptr addrspace(1) %p
  br label %end4
end4:
  call void @_Z7barrierj(i32 1)
  %c.const = icmp ult i64 %l, 5
  br i1 %c.const, label %work5, label %end5
work5:
  store i32 5, ptr addrspace(1) %p
  br label %end5
end5:
  call void @_Z7barrierj(i32 1)
  %gx = call i64 @_Z12get_group_idj(i32 0)
  %c.group = icmp eq i64 %l, %gx
  br i1 %c.group, label %work6, label %end6
work6:
  store i32 6, ptr addrspace(1) %p
  br label %end6
end6:
  ret void
}
