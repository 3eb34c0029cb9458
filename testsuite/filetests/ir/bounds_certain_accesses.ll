; Only accesses that no branch can pass by are certain; each is told once.
; analysis: bounds

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
; bounds: 4 bytes at %in + 4*global0
; bounds: 8 bytes at %out + 8*global0
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %at = getelementptr i32, ptr addrspace(1) %in, i64 %x
  %v = load i32, ptr addrspace(1) %at
  %again = load i32, ptr addrspace(1) %at
  %c = icmp slt i32 %v, %n
  br i1 %c, label %then, label %join
then:
  store i32 %v, ptr addrspace(1) %out
  br label %join
join:
  %to = getelementptr i64, ptr addrspace(1) %out, i64 %x
  store i64 0, ptr addrspace(1) %to
  ret void
}
