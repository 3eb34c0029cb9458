; A group takes its work from a queue: one work-item stores the number, a barrier, all read it. The atomic is before the
; barrier and the store too, so the loop is left together.
; analysis: shape

declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare void @_Z7barrierj(i32) convergent

@shared = internal addrspace(3) global i32 undef

define spir_kernel void @k(ptr addrspace(1) %queue, ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0)                       ; shape: varying
  %id = trunc i64 %g to i32                                      ; shape: varying
  br label %head
head:
  %l = call i64 @_Z12get_local_idj(i32 0)                        ; shape: varying
  %first = icmp eq i64 %l, 0                                     ; shape: varying
  br i1 %first, label %take, label %meet                         ; shape: divergent
take:
  %number = atomicrmw add ptr addrspace(1) %queue, i32 1 seq_cst ; shape: varying
  store i32 %number, ptr addrspace(3) @shared
  br label %meet
meet:                                                            ; shape: join
  call void @_Z7barrierj(i32 1)
  %mine = load i32, ptr addrspace(3) @shared                     ; shape: uniform
  %more = icmp slt i32 %mine, %n                                 ; shape: uniform
  br i1 %more, label %work, label %exit                          ; shape: uniform
work:
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %mine        ; shape: uniform
  store i32 %id, ptr addrspace(1) %p
  call void @_Z7barrierj(i32 1)
  br label %head
exit:
  ret void
}
