; What meets in a PHI node or a select is between the least and the greatest.
; analysis: range

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)       ; range: 0 to 2147483647
  %small = and i32 %n, 15                        ; range: 0 to 15
  %c = icmp eq i32 %small, 3
  %s = select i1 %c, i32 %small, i32 -4          ; range: -4 to 15
  br i1 %c, label %yes, label %end
yes:
  br label %end
end:
  %p = phi i32 [ %small, %yes ], [ 100, %entry ] ; range: 0 to 100
  %q = phi i32 [ %n, %yes ], [ 100, %entry ]
  ret void
}
