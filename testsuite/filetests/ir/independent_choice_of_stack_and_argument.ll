; An address that may be on the stack by way of a choice.
; analysis: independent

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr %out, i32 %n) {
; independent: region 0: no, a private variable on the stack
entry:
  %v = alloca i32
  %l = call i64 @_Z12get_local_idj(i32 0)
  %yes = icmp sgt i32 %n, 4
  %p = select i1 %yes, ptr %v, ptr %out
  br label %next
next:
  store i32 1, ptr %p
  ret void
}
