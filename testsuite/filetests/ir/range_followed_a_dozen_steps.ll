; Values that are asked about before those that they are computed from, for the blocks stand in another order than they run in: a
; dozen steps are followed. What is further away is taken to be anything of its type.
; analysis: range

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %out) {
entry:
  br label %first
last:
  %end = add i64 %s10, 1                   ; range: 11 to 2147483658
  ret void
second:
  %t14 = add i64 %t13, 1
  br label %last
first:
  %x = call i64 @_Z13get_global_idj(i32 0) ; range: 0 to 2147483647
  %s1 = add i64 %x, 1                      ; range: 1 to 2147483648
  %s2 = add i64 %s1, 1                     ; range: 2 to 2147483649
  %s3 = add i64 %s2, 1                     ; range: 3 to 2147483650
  %s4 = add i64 %s3, 1                     ; range: 4 to 2147483651
  %s5 = add i64 %s4, 1                     ; range: 5 to 2147483652
  %s6 = add i64 %s5, 1                     ; range: 6 to 2147483653
  %s7 = add i64 %s6, 1                     ; range: 7 to 2147483654
  %s8 = add i64 %s7, 1                     ; range: 8 to 2147483655
  %s9 = add i64 %s8, 1                     ; range: 9 to 2147483656
  %s10 = add i64 %s9, 1                    ; range: 10 to 2147483657
  %t1 = mul i64 %x, 2                      ; range: 0 to 4294967294
  %t2 = add i64 %t1, 1                     ; range: 1 to 4294967295
  %t3 = add i64 %t2, 1
  %t4 = add i64 %t3, 1
  %t5 = add i64 %t4, 1
  %t6 = add i64 %t5, 1
  %t7 = add i64 %t6, 1
  %t8 = add i64 %t7, 1
  %t9 = add i64 %t8, 1
  %t10 = add i64 %t9, 1
  %t11 = add i64 %t10, 1
  %t12 = add i64 %t11, 1
  %t13 = add i64 %t12, 1
  br label %second
}
