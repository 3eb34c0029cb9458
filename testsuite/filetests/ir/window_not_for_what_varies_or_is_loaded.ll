; No window: the limit is loaded in the region, a row's first number differs from row to row, the id counts backwards, the comparison is of
; numbers that may wrap around.
; analysis: regions

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out, i64 %n, i32 %m) {
; regions: kernel k: 2 regions, 1 barrier, regular, width 1
; regions: region 0: entry a b c work exit
; regions:   -> region 1
; regions: region 1: after.barrier
; regions:   -> end
entry:
  %x = call i64 @_Z12get_local_idj(i32 0)
  %y = call i64 @_Z12get_local_idj(i32 1)
  %limit = load i64, ptr addrspace(1) %out
  %loaded = icmp slt i64 %x, %limit
  br i1 %loaded, label %a, label %exit
a:
  %rows = shl nsw i64 %y, 4
  %linear = add nsw i64 %rows, %x
  %in.rows = icmp slt i64 %linear, %n
  br i1 %in.rows, label %b, label %exit
b:
  %back = sub nsw i64 5, %x
  %backwards = icmp sgt i64 %back, %n
  br i1 %backwards, label %c, label %exit
c:
  %cut = trunc i64 %x to i32
  %sum = add i32 %cut, %m
  %wraps = icmp ult i32 %sum, 10
  br i1 %wraps, label %work, label %exit
work:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 7, ptr addrspace(1) %p
  br label %exit
exit:
  call void @_Z7barrierj(i32 1)
  ret void
}
