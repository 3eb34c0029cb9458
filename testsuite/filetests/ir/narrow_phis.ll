; What comes together behind branches is as narrow as all that comes. A number that a loop carries has no known range, so the loop's sum
; stays; where only its low bits are asked for it does not.
; analysis: range
; step: narrow
; width: 8

declare i64 @_Z13get_global_idj(i32) memory(none)

define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %n) {
entry:
  %x = call i64 @_Z13get_global_idj(i32 0)
  %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
  %va = load i8, ptr addrspace(1) %pa
  %ca = zext i8 %va to i32
  %large = icmp ugt i8 %va, 9
  br i1 %large, label %yes, label %no

yes:
  %s = sub nsw i32 255, %ca
  br label %join

no:
  %t = add nsw i32 %ca, 7
  %t2 = shl nsw i32 %t, 1
  br label %join

join:
  %m = phi i32 [ %s, %yes ], [ %t2, %no ]
  %m2 = add nsw i32 %m, %ca
  br label %loop

loop:
  %i = phi i64 [ 0, %join ], [ %i.next, %loop ]
  %sum = phi i32 [ %m2, %join ], [ %sum.next, %loop ]
  %low = phi i32 [ 0, %join ], [ %low.next, %loop ]
  %pi = getelementptr i8, ptr addrspace(1) %pa, i64 %i
  %vi = load i8, ptr addrspace(1) %pi
  %ci = zext i8 %vi to i32
  %sum.next = add i32 %sum, %ci
  %ck = zext i8 %vi to i32
  %low.next = add i32 %low, %ck
  %i.next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %i.next, %n
  br i1 %again, label %loop, label %exit

exit:
  %sum.out = phi i32 [ %sum.next, %loop ]
  %low.out = phi i32 [ %low.next, %loop ]
  %po = getelementptr i32, ptr addrspace(1) %out, i64 %x
  store i32 %sum.out, ptr addrspace(1) %po
  %tl = trunc i32 %low.out to i8
  store i8 %tl, ptr addrspace(1) %pa
  ret void
}

; ---- after the steps:
; define void @k(ptr addrspace(1) %a, ptr addrspace(1) %out, i64 %n) {
; entry:
;   %x = call i64 @_Z13get_global_idj(i32 0)      ; range: 0 to 2147483647
;   %pa = getelementptr i8, ptr addrspace(1) %a, i64 %x
;   %va = load i8, ptr addrspace(1) %pa, align 1
;   %ca4 = zext i8 %va to i16                     ; range: 0 to 255
;   %large = icmp ugt i8 %va, 9
;   br i1 %large, label %yes, label %no
;
; yes:
;   %s7 = sub i16 255, %ca4                       ; range: 0 to 255
;   br label %join
;
; no:
;   %t5 = add i16 %ca4, 7                         ; range: 7 to 262
;   %t26 = shl i16 %t5, 1                         ; range: 14 to 524
;   br label %join
;
; join:
;   %m8 = phi i16 [ %s7, %yes ], [ %t26, %no ]    ; range: 0 to 524
;   %m29 = add i16 %m8, %ca4                      ; range: 0 to 779
;   %m210 = zext i16 %m29 to i32                  ; range: 0 to 779
;   br label %loop
;
; loop:
;   %i = phi i64 [ 0, %join ], [ %i.next, %loop ] ; range: 0 to 9223372036854775807
;   %sum = phi i32 [ %m210, %join ], [ %sum.next, %loop ]
;   %low1 = phi i8 [ 0, %join ], [ %low.next2, %loop ]
;   %pi = getelementptr i8, ptr addrspace(1) %pa, i64 %i
;   %vi = load i8, ptr addrspace(1) %pi, align 1
;   %ci = zext i8 %vi to i32                      ; range: 0 to 255
;   %sum.next = add i32 %sum, %ci
;   %low.next2 = add i8 %low1, %vi
;   %i.next = add nuw nsw i64 %i, 1               ; range: 1 to 9223372036854775807
;   %again = icmp ult i64 %i.next, %n
;   br i1 %again, label %loop, label %exit
;
; exit:
;   %sum.next.lcssa = phi i32 [ %sum.next, %loop ]
;   %low.next2.lcssa = phi i8 [ %low.next2, %loop ]
;   %po = getelementptr i32, ptr addrspace(1) %out, i64 %x
;   store i32 %sum.next.lcssa, ptr addrspace(1) %po, align 4
;   store i8 %low.next2.lcssa, ptr addrspace(1) %pa, align 1
;   ret void
; }
