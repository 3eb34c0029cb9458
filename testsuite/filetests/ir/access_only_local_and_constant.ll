; Without variables that can change and are shared there is no `globals`.
; analysis: access

@tile = internal addrspace(3) global [16 x i32] undef
@table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]

define void @k(ptr addrspace(1) %out, i64 %i) {
; access: %out untouched
; access: %i untouched
entry:
  %at = getelementptr [2 x i32], ptr addrspace(2) @table, i64 0, i64 %i
  %v = load i32, ptr addrspace(2) %at
  store i32 %v, ptr addrspace(3) @tile
  ret void
}
