; Sixteen guards one behind another are looked at.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n0, i64 %n1, i64 %n2, i64 %n3, i64 %n4, i64 %n5, i64 %n6, i64 %n7, i64 %n8, i64 %n9, i64 %n10, i64 %n11, i64 %n12, i64 %n13, i64 %n14, i64 %n15, i64 %n16, i64 %n17) {
; regions: kernel k: 2 regions, 1 barrier, regular, width 1
; regions: region 0: entry g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 g10 g11 g12 g13 g14 g15 g16 g17 end
; regions:   only 1*local0 < %n0
; regions:   only 1*local0 < %n1
; regions:   only 1*local0 < %n2
; regions:   only 1*local0 < %n3
; regions:   only 1*local0 < %n4
; regions:   only 1*local0 < %n5
; regions:   only 1*local0 < %n6
; regions:   only 1*local0 < %n7
; regions:   only 1*local0 < %n8
; regions:   only 1*local0 < %n9
; regions:   only 1*local0 < %n10
; regions:   only 1*local0 < %n11
; regions:   only 1*local0 < %n12
; regions:   only 1*local0 < %n13
; regions:   only 1*local0 < %n14
; regions:   only 1*local0 < %n15
; regions:   -> region 1
; regions: region 1: after.barrier
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %c0 = icmp slt i64 %l, %n0
  br i1 %c0, label %g0, label %end
g0:
  %c1 = icmp slt i64 %l, %n1
  br i1 %c1, label %g1, label %end
g1:
  %c2 = icmp slt i64 %l, %n2
  br i1 %c2, label %g2, label %end
g2:
  %c3 = icmp slt i64 %l, %n3
  br i1 %c3, label %g3, label %end
g3:
  %c4 = icmp slt i64 %l, %n4
  br i1 %c4, label %g4, label %end
g4:
  %c5 = icmp slt i64 %l, %n5
  br i1 %c5, label %g5, label %end
g5:
  %c6 = icmp slt i64 %l, %n6
  br i1 %c6, label %g6, label %end
g6:
  %c7 = icmp slt i64 %l, %n7
  br i1 %c7, label %g7, label %end
g7:
  %c8 = icmp slt i64 %l, %n8
  br i1 %c8, label %g8, label %end
g8:
  %c9 = icmp slt i64 %l, %n9
  br i1 %c9, label %g9, label %end
g9:
  %c10 = icmp slt i64 %l, %n10
  br i1 %c10, label %g10, label %end
g10:
  %c11 = icmp slt i64 %l, %n11
  br i1 %c11, label %g11, label %end
g11:
  %c12 = icmp slt i64 %l, %n12
  br i1 %c12, label %g12, label %end
g12:
  %c13 = icmp slt i64 %l, %n13
  br i1 %c13, label %g13, label %end
g13:
  %c14 = icmp slt i64 %l, %n14
  br i1 %c14, label %g14, label %end
g14:
  %c15 = icmp slt i64 %l, %n15
  br i1 %c15, label %g15, label %end
g15:
  %c16 = icmp slt i64 %l, %n16
  br i1 %c16, label %g16, label %end
g16:
  %c17 = icmp slt i64 %l, %n17
  br i1 %c17, label %g17, label %end
g17:
  store i32 1, ptr addrspace(1) %p
  br label %end
end:
  call void @_Z7barrierj(i32 1)
  ret void
}
