; The limit may stand in front: the relation is turned round.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n) {
; regions: kernel k: 10 regions, 9 barriers, regular, width 1
; regions: region 0: entry work0 end0
; regions:   only 1*local0 > %n
; regions:   -> region 1
; regions: region 1: after.barrier work1 end1
; regions:   only 1*local0 >= %n
; regions:   -> region 2
; regions: region 2: after.barrier1 work2 end2
; regions:   only 1*local0 < %n
; regions:   -> region 3
; regions: region 3: after.barrier2 work3 end3
; regions:   only 1*local0 <= %n
; regions:   -> region 4
; regions: region 4: after.barrier3 work4 end4
; regions:   only 1*local0 > %n, unsigned
; regions:   -> region 5
; regions: region 5: after.barrier4 work5 end5
; regions:   only 1*local0 >= %n, unsigned
; regions:   -> region 6
; regions: region 6: after.barrier5 work6 end6
; regions:   only 1*local0 < %n, unsigned
; regions:   -> region 7
; regions: region 7: after.barrier6 work7 end7
; regions:   only 1*local0 <= %n, unsigned
; regions:   -> region 8
; regions: region 8: after.barrier7 work8 end8
; regions:   only 1*local0 == %n
; regions:   -> region 9
; regions: region 9: after.barrier8 work9 end9
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %slt = icmp slt i64 %n, %l
  br i1 %slt, label %work0, label %end0
work0:
  store i32 0, ptr addrspace(1) %p
  br label %end0
end0:
  call void @_Z7barrierj(i32 1)
  %sle = icmp sle i64 %n, %l
  br i1 %sle, label %work1, label %end1
work1:
  store i32 1, ptr addrspace(1) %p
  br label %end1
end1:
  call void @_Z7barrierj(i32 1)
  %sgt = icmp sgt i64 %n, %l
  br i1 %sgt, label %work2, label %end2
work2:
  store i32 2, ptr addrspace(1) %p
  br label %end2
end2:
  call void @_Z7barrierj(i32 1)
  %sge = icmp sge i64 %n, %l
  br i1 %sge, label %work3, label %end3
work3:
  store i32 3, ptr addrspace(1) %p
  br label %end3
end3:
  call void @_Z7barrierj(i32 1)
  %ult = icmp ult i64 %n, %l
  br i1 %ult, label %work4, label %end4
work4:
  store i32 4, ptr addrspace(1) %p
  br label %end4
end4:
  call void @_Z7barrierj(i32 1)
  %ule = icmp ule i64 %n, %l
  br i1 %ule, label %work5, label %end5
work5:
  store i32 5, ptr addrspace(1) %p
  br label %end5
end5:
  call void @_Z7barrierj(i32 1)
  %ugt = icmp ugt i64 %n, %l
  br i1 %ugt, label %work6, label %end6
work6:
  store i32 6, ptr addrspace(1) %p
  br label %end6
end6:
  call void @_Z7barrierj(i32 1)
  %uge = icmp uge i64 %n, %l
  br i1 %uge, label %work7, label %end7
work7:
  store i32 7, ptr addrspace(1) %p
  br label %end7
end7:
  call void @_Z7barrierj(i32 1)
  %eq = icmp eq i64 %n, %l
  br i1 %eq, label %work8, label %end8
work8:
  store i32 8, ptr addrspace(1) %p
  br label %end8
end8:
  call void @_Z7barrierj(i32 1)
  %ne = icmp ne i64 %n, %l
  br i1 %ne, label %work9, label %end9
work9:
  store i32 9, ptr addrspace(1) %p
  br label %end9
end9:
  ret void
}
