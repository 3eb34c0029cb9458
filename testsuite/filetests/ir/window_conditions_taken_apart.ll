; Conditions of which all parts must hold, five deep; where one is enough nothing is known.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6) {
; regions: kernel k: 10 regions, 9 barriers, regular, width 1
; regions: region 0: entry work0 end0
; regions:   only 1*local0 < %n1
; regions:   only 1*local0 < %n2
; regions:   only 1*local0 < %n3
; regions:   only 1*local0 < %n4
; regions:   -> region 1
; regions: region 1: after.barrier work1 end1
; regions:   only 1*local0 >= %n1
; regions:   only 1*local0 >= %n2
; regions:   -> region 2
; regions: region 2: after.barrier1 work2 end2
; regions:   -> region 3
; regions: region 3: after.barrier2 work3 end3
; regions:   -> region 4
; regions: region 4: after.barrier3 work4 end4
; regions:   only 1*local0 >= %n1
; regions:   only 1*local0 >= %n2
; regions:   -> region 5
; regions: region 5: after.barrier4 work5 end5
; regions:   -> region 6
; regions: region 6: after.barrier5 work6 end6
; regions:   only 1*local0 < %n1
; regions:   only 1*local0 < %n2
; regions:   -> region 7
; regions: region 7: after.barrier6 work7 end7
; regions:   -> region 8
; regions: region 8: after.barrier7 work8 end8
; regions:   -> region 9
; regions: region 9: after.barrier8 work9 end9
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %a1 = icmp slt i64 %l, %n1
  %a2 = icmp slt i64 %l, %n2
  %a3 = icmp slt i64 %l, %n3
  %a4 = icmp slt i64 %l, %n4
  %a5 = icmp slt i64 %l, %n5
  %a6 = icmp slt i64 %l, %n6
  %a.5 = and i1 %a5, %a6
  %a.4 = and i1 %a4, %a.5
  %a.3 = and i1 %a3, %a.4
  %a.2 = and i1 %a2, %a.3
  %a = and i1 %a1, %a.2
  br i1 %a, label %work0, label %end0
work0:
  store i32 0, ptr addrspace(1) %p
  br label %end0
end0:
  call void @_Z7barrierj(i32 1)
  %o1 = icmp slt i64 %l, %n1
  %o2 = icmp slt i64 %l, %n2
  %o = or i1 %o1, %o2
  br i1 %o, label %end1, label %work1
work1:
  store i32 1, ptr addrspace(1) %p
  br label %end1
end1:
  call void @_Z7barrierj(i32 1)
  %w1 = icmp slt i64 %l, %n1
  %w2 = icmp slt i64 %l, %n2
  %w = or i1 %w1, %w2
  br i1 %w, label %work2, label %end2
work2:
  store i32 2, ptr addrspace(1) %p
  br label %end2
end2:
  call void @_Z7barrierj(i32 1)
  %v1 = icmp slt i64 %l, %n1
  %v2 = icmp slt i64 %l, %n2
  %v = and i1 %v1, %v2
  br i1 %v, label %end3, label %work3
work3:
  store i32 3, ptr addrspace(1) %p
  br label %end3
end3:
  call void @_Z7barrierj(i32 1)
  %s1 = icmp slt i64 %l, %n1
  %s2 = icmp slt i64 %l, %n2
  %s = select i1 %s1, i1 true, i1 %s2
  br i1 %s, label %end4, label %work4
work4:
  store i32 4, ptr addrspace(1) %p
  br label %end4
end4:
  call void @_Z7barrierj(i32 1)
  %t1 = icmp slt i64 %l, %n1
  %t2 = icmp slt i64 %l, %n2
  %t = select i1 %t1, i1 true, i1 %t2
  br i1 %t, label %work5, label %end5
work5:
  store i32 5, ptr addrspace(1) %p
  br label %end5
end5:
  call void @_Z7barrierj(i32 1)
  %u1 = icmp slt i64 %l, %n1
  %u2 = icmp slt i64 %l, %n2
  %u = select i1 %u1, i1 %u2, i1 false
  br i1 %u, label %work6, label %end6
work6:
  store i32 6, ptr addrspace(1) %p
  br label %end6
end6:
  call void @_Z7barrierj(i32 1)
  %q1 = icmp slt i64 %l, %n1
  %q2 = icmp slt i64 %l, %n2
  %q = select i1 %q1, i1 %q2, i1 false
  br i1 %q, label %end7, label %work7
work7:
  store i32 7, ptr addrspace(1) %p
  br label %end7
end7:
  call void @_Z7barrierj(i32 1)
  %x1 = icmp slt i64 %l, %n1
  %x2 = icmp slt i64 %l, %n2
  %x = xor i1 %x1, %x2
  br i1 %x, label %work8, label %end8
work8:
  store i32 8, ptr addrspace(1) %p
  br label %end8
end8:
  call void @_Z7barrierj(i32 1)
  %y1 = icmp slt i64 %l, %n1
  %y2 = icmp slt i64 %l, %n2
  %y = select i1 %y1, i1 %y2, i1 true
  br i1 %y, label %work9, label %end9
work9:
  store i32 9, ptr addrspace(1) %p
  br label %end9
end9:
  ret void
}
