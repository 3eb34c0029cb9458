; A row and a column of an index are the index again: by one divisor, by shifts and masks; not with another divisor, or a sign that
; only one of them has.
; analysis: shape
; among: row
; step: prepare

declare i64 @_Z12get_local_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out, i32 %w) {
entry:
  %l = call i64 @_Z12get_local_idj(i32 0)
  %i = trunc i64 %l to i32
  %q = sdiv i32 %i, %w
  %r = srem i32 %i, %w
  %p = mul nsw i32 %q, %w
  %same = add nsw i32 %p, %r
  %h = ashr i32 %i, 3
  %m = mul nsw i32 8, %h
  %b = and i32 %i, 7
  %again = or i32 %b, %m
  %b15 = and i32 %i, 15
  %other = add i32 %m, %b15
  %u = udiv i32 %i, %w
  %pu = mul i32 %u, %w
  %mixed = add i32 %pu, %r
  %at0 = getelementptr i32, ptr addrspace(1) %out, i32 %same
  store i32 %again, ptr addrspace(1) %at0
  %at1 = getelementptr i32, ptr addrspace(1) %out, i32 %other
  store i32 %mixed, ptr addrspace(1) %at1
  ret void
}

; ---- after the steps:
; ; Function Attrs: memory(argmem: write)
; define void @k(ptr addrspace(1) writeonly captures(none) %out, i32 %w) #1 {
; entry:
;   %l = call i64 @_Z12get_local_idj(i32 0)                     ; shape: strided 1 signed
;   %i = trunc i64 %l to i32                                    ; shape: strided 1 signed
;   %divisor = freeze i32 %w                                    ; shape: uniform
;   %is.zero = icmp eq i32 %divisor, 0                          ; shape: uniform
;   %is.minus = icmp eq i32 %divisor, -1                        ; shape: uniform
;   %0 = or i1 %is.zero, %is.minus                              ; shape: uniform
;   %safe = select i1 %0, i32 1, i32 %divisor                   ; shape: uniform
;   %r1 = srem i32 %i, %safe                                    ; shape: varying
;   %r2 = select i1 %is.minus, i32 0, i32 %r1                   ; shape: varying
;   %h = ashr i32 %i, 3                                         ; shape: varying
;   %m = mul nsw i32 8, %h                                      ; shape: varying
;   %b15 = and i32 %i, 15                                       ; shape: varying
;   %other = add i32 %m, %b15                                   ; shape: varying
;   %divisor3 = freeze i32 %w                                   ; shape: uniform
;   %is.zero4 = icmp eq i32 %divisor3, 0                        ; shape: uniform
;   %safe5 = select i1 %is.zero4, i32 1, i32 %divisor3          ; shape: uniform
;   %u = udiv i32 %i, %safe5                                    ; shape: varying
;   %pu = mul i32 %u, %w                                        ; shape: varying
;   %mixed = add i32 %pu, %r2                                   ; shape: varying
;   %at0 = getelementptr i32, ptr addrspace(1) %out, i32 %i     ; shape: strided 4 signed
;   store i32 %i, ptr addrspace(1) %at0, align 4
;   %at1 = getelementptr i32, ptr addrspace(1) %out, i32 %other ; shape: varying
;   store i32 %mixed, ptr addrspace(1) %at1, align 4
;   ret void
; }
