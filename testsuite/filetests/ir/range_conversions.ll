; Extension of what is never negative changes nothing; of what may be, without its sign, it is as large as its type. Cutting
; keeps what fits.
; analysis: range

declare i64 @_Z13get_global_idj(i32) memory(none)

define spir_kernel void @k(ptr addrspace(1) %in, i32 noundef %n) {
entry:
  %g = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
  %id = trunc i64 %g to i32                ; range: 0 to 2147483647
  %s = sext i32 %id to i64                 ; range: 0 to 2147483647
  %z = zext i32 %id to i64                 ; range: 0 to 2147483647
  %n.s = sext i32 %n to i64                ; range: -2147483648 to 2147483647
  %n.z = zext i32 %n to i64                ; range: 0 to 4294967295
  %byte = trunc i32 %n to i8
  %byte.z = zext i8 %byte to i32           ; range: 0 to 255
  %byte.s = sext i8 %byte to i32           ; range: -128 to 127
  %back = trunc i32 %byte.z to i16         ; range: 0 to 255
  %too.small = trunc i32 %byte.z to i8
  %frozen = freeze i32 %byte.z             ; range: 0 to 255
  ret void
}
