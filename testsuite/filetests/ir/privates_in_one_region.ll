; One region uses the array, once: it stays on the stack.
; analysis: homes

declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

define void @k(ptr addrspace(1) %out) {
; homes: 0 bytes for each work-item
entry:
  %w = alloca [4 x i32]
  %l = call i64 @_Z12get_local_idj(i32 0) ; homes: computed again by each work-item
  call void @_Z7barrierj(i32 1)
  %place = getelementptr [4 x i32], ptr %w, i64 0, i64 %l
  store i32 1, ptr %place
  %kept = load i32, ptr %w
  store i32 %kept, ptr addrspace(1) %out
  ret void
}
