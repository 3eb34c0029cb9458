; No window: without barriers every work-item is gone through once, and the comparison costs as little as a bound of the loop.
; analysis: regions

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out, i64 %n) {
; regions: kernel k: 1 region, 0 barriers, regular, width 1
; regions: region 0: entry work exit
; regions:   -> end
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %inside = icmp slt i64 %x, %n
  br i1 %inside, label %work, label %exit
work:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 7, ptr addrspace(1) %p
  br label %exit
exit:
  ret void
}
