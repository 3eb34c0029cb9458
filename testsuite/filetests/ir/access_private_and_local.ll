; Private and local variables are the kernel's own; a variable at program scope is everybody's unless it is constant.
; analysis: access

@tile = internal addrspace(3) global [16 x i32] undef
@shared = internal addrspace(1) global i32 0
@table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]

define void @k(ptr addrspace(1) %out, i64 %i) {
; access: %out written
; access: %i untouched
; access: globals
entry:
  %own = alloca [4 x i32]
  %at = getelementptr [4 x i32], ptr %own, i64 0, i64 %i
  store i32 1, ptr %at
  %cell = getelementptr [16 x i32], ptr addrspace(3) @tile, i64 0, i64 %i
  store i32 2, ptr addrspace(3) %cell
  %entry.at = getelementptr [2 x i32], ptr addrspace(2) @table, i64 0, i64 %i
  %constant = load i32, ptr addrspace(2) %entry.at
  %s = load i32, ptr addrspace(1) @shared
  store i32 %s, ptr addrspace(1) %out
  ret void
}
