; A guard by every relation, with the work where it holds and where it does not: what is different has no bounds.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n) {
; regions: kernel k: 20 regions, 19 barriers, regular, width 1
; regions: region 0: entry work0 end0
; regions:   only 1*local0 < %n
; regions:   -> region 1
; regions: region 1: after.barrier work1 end1
; regions:   only 1*local0 >= %n
; regions:   -> region 2
; regions: region 2: after.barrier1 work2 end2
; regions:   only 1*local0 <= %n
; regions:   -> region 3
; regions: region 3: after.barrier2 work3 end3
; regions:   only 1*local0 > %n
; regions:   -> region 4
; regions: region 4: after.barrier3 work4 end4
; regions:   only 1*local0 > %n
; regions:   -> region 5
; regions: region 5: after.barrier4 work5 end5
; regions:   only 1*local0 <= %n
; regions:   -> region 6
; regions: region 6: after.barrier5 work6 end6
; regions:   only 1*local0 >= %n
; regions:   -> region 7
; regions: region 7: after.barrier6 work7 end7
; regions:   only 1*local0 < %n
; regions:   -> region 8
; regions: region 8: after.barrier7 work8 end8
; regions:   only 1*local0 < %n, unsigned
; regions:   -> region 9
; regions: region 9: after.barrier8 work9 end9
; regions:   only 1*local0 >= %n, unsigned
; regions:   -> region 10
; regions: region 10: after.barrier9 work10 end10
; regions:   only 1*local0 <= %n, unsigned
; regions:   -> region 11
; regions: region 11: after.barrier10 work11 end11
; regions:   only 1*local0 > %n, unsigned
; regions:   -> region 12
; regions: region 12: after.barrier11 work12 end12
; regions:   only 1*local0 > %n, unsigned
; regions:   -> region 13
; regions: region 13: after.barrier12 work13 end13
; regions:   only 1*local0 <= %n, unsigned
; regions:   -> region 14
; regions: region 14: after.barrier13 work14 end14
; regions:   only 1*local0 >= %n, unsigned
; regions:   -> region 15
; regions: region 15: after.barrier14 work15 end15
; regions:   only 1*local0 < %n, unsigned
; regions:   -> region 16
; regions: region 16: after.barrier15 work16 end16
; regions:   only 1*local0 == %n
; regions:   -> region 17
; regions: region 17: after.barrier16 work17 end17
; regions:   -> region 18
; regions: region 18: after.barrier17 work18 end18
; regions:   -> region 19
; regions: region 19: after.barrier18 work19 end19
; regions:   only 1*local0 == %n
; regions:   -> end
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %l
  %slt.yes = icmp slt i64 %l, %n
  br i1 %slt.yes, label %work0, label %end0
work0:
  store i32 0, ptr addrspace(1) %p
  br label %end0
end0:
  call void @_Z7barrierj(i32 1)
  %slt.no = icmp slt i64 %l, %n
  br i1 %slt.no, label %end1, label %work1
work1:
  store i32 1, ptr addrspace(1) %p
  br label %end1
end1:
  call void @_Z7barrierj(i32 1)
  %sle.yes = icmp sle i64 %l, %n
  br i1 %sle.yes, label %work2, label %end2
work2:
  store i32 2, ptr addrspace(1) %p
  br label %end2
end2:
  call void @_Z7barrierj(i32 1)
  %sle.no = icmp sle i64 %l, %n
  br i1 %sle.no, label %end3, label %work3
work3:
  store i32 3, ptr addrspace(1) %p
  br label %end3
end3:
  call void @_Z7barrierj(i32 1)
  %sgt.yes = icmp sgt i64 %l, %n
  br i1 %sgt.yes, label %work4, label %end4
work4:
  store i32 4, ptr addrspace(1) %p
  br label %end4
end4:
  call void @_Z7barrierj(i32 1)
  %sgt.no = icmp sgt i64 %l, %n
  br i1 %sgt.no, label %end5, label %work5
work5:
  store i32 5, ptr addrspace(1) %p
  br label %end5
end5:
  call void @_Z7barrierj(i32 1)
  %sge.yes = icmp sge i64 %l, %n
  br i1 %sge.yes, label %work6, label %end6
work6:
  store i32 6, ptr addrspace(1) %p
  br label %end6
end6:
  call void @_Z7barrierj(i32 1)
  %sge.no = icmp sge i64 %l, %n
  br i1 %sge.no, label %end7, label %work7
work7:
  store i32 7, ptr addrspace(1) %p
  br label %end7
end7:
  call void @_Z7barrierj(i32 1)
  %ult.yes = icmp ult i64 %l, %n
  br i1 %ult.yes, label %work8, label %end8
work8:
  store i32 8, ptr addrspace(1) %p
  br label %end8
end8:
  call void @_Z7barrierj(i32 1)
  %ult.no = icmp ult i64 %l, %n
  br i1 %ult.no, label %end9, label %work9
work9:
  store i32 9, ptr addrspace(1) %p
  br label %end9
end9:
  call void @_Z7barrierj(i32 1)
  %ule.yes = icmp ule i64 %l, %n
  br i1 %ule.yes, label %work10, label %end10
work10:
  store i32 10, ptr addrspace(1) %p
  br label %end10
end10:
  call void @_Z7barrierj(i32 1)
  %ule.no = icmp ule i64 %l, %n
  br i1 %ule.no, label %end11, label %work11
work11:
  store i32 11, ptr addrspace(1) %p
  br label %end11
end11:
  call void @_Z7barrierj(i32 1)
  %ugt.yes = icmp ugt i64 %l, %n
  br i1 %ugt.yes, label %work12, label %end12
work12:
  store i32 12, ptr addrspace(1) %p
  br label %end12
end12:
  call void @_Z7barrierj(i32 1)
  %ugt.no = icmp ugt i64 %l, %n
  br i1 %ugt.no, label %end13, label %work13
work13:
  store i32 13, ptr addrspace(1) %p
  br label %end13
end13:
  call void @_Z7barrierj(i32 1)
  %uge.yes = icmp uge i64 %l, %n
  br i1 %uge.yes, label %work14, label %end14
work14:
  store i32 14, ptr addrspace(1) %p
  br label %end14
end14:
  call void @_Z7barrierj(i32 1)
  %uge.no = icmp uge i64 %l, %n
  br i1 %uge.no, label %end15, label %work15
work15:
  store i32 15, ptr addrspace(1) %p
  br label %end15
end15:
  call void @_Z7barrierj(i32 1)
  %eq.yes = icmp eq i64 %l, %n
  br i1 %eq.yes, label %work16, label %end16
work16:
  store i32 16, ptr addrspace(1) %p
  br label %end16
end16:
  call void @_Z7barrierj(i32 1)
  %eq.no = icmp eq i64 %l, %n
  br i1 %eq.no, label %end17, label %work17
work17:
  store i32 17, ptr addrspace(1) %p
  br label %end17
end17:
  call void @_Z7barrierj(i32 1)
  %ne.yes = icmp ne i64 %l, %n
  br i1 %ne.yes, label %work18, label %end18
work18:
  store i32 18, ptr addrspace(1) %p
  br label %end18
end18:
  call void @_Z7barrierj(i32 1)
  %ne.no = icmp ne i64 %l, %n
  br i1 %ne.no, label %end19, label %work19
work19:
  store i32 19, ptr addrspace(1) %p
  br label %end19
end19:
  ret void
}
