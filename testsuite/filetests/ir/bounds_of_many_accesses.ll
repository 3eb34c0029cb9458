; Of one parameter 32 accesses are kept.
; analysis: bounds

define void @k(ptr addrspace(1) %out) {
; bounds: 4 bytes at %out + 8
; bounds: 4 bytes at %out + 16
; bounds: 4 bytes at %out + 24
; bounds: 4 bytes at %out + 32
; bounds: 4 bytes at %out + 40
; bounds: 4 bytes at %out + 48
; bounds: 4 bytes at %out + 56
; bounds: 4 bytes at %out + 64
; bounds: 4 bytes at %out + 72
; bounds: 4 bytes at %out + 80
; bounds: 4 bytes at %out + 88
; bounds: 4 bytes at %out + 96
; bounds: 4 bytes at %out + 104
; bounds: 4 bytes at %out + 112
; bounds: 4 bytes at %out + 120
; bounds: 4 bytes at %out + 128
; bounds: 4 bytes at %out + 136
; bounds: 4 bytes at %out + 144
; bounds: 4 bytes at %out + 152
; bounds: 4 bytes at %out + 160
; bounds: 4 bytes at %out + 168
; bounds: 4 bytes at %out + 176
; bounds: 4 bytes at %out + 184
; bounds: 4 bytes at %out + 192
; bounds: 4 bytes at %out + 200
; bounds: 4 bytes at %out + 208
; bounds: 4 bytes at %out + 216
; bounds: 4 bytes at %out + 224
; bounds: 4 bytes at %out + 232
; bounds: 4 bytes at %out + 240
; bounds: 4 bytes at %out + 248
; bounds: 4 bytes at %out + 256
entry:
  %p1 = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 1, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %out, i64 4
  store i32 2, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %out, i64 6
  store i32 3, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %out, i64 8
  store i32 4, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %out, i64 10
  store i32 5, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %out, i64 12
  store i32 6, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %out, i64 14
  store i32 7, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %out, i64 16
  store i32 8, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %out, i64 18
  store i32 9, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %out, i64 20
  store i32 10, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %out, i64 22
  store i32 11, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %out, i64 24
  store i32 12, ptr addrspace(1) %p12
  %p13 = getelementptr i32, ptr addrspace(1) %out, i64 26
  store i32 13, ptr addrspace(1) %p13
  %p14 = getelementptr i32, ptr addrspace(1) %out, i64 28
  store i32 14, ptr addrspace(1) %p14
  %p15 = getelementptr i32, ptr addrspace(1) %out, i64 30
  store i32 15, ptr addrspace(1) %p15
  %p16 = getelementptr i32, ptr addrspace(1) %out, i64 32
  store i32 16, ptr addrspace(1) %p16
  %p17 = getelementptr i32, ptr addrspace(1) %out, i64 34
  store i32 17, ptr addrspace(1) %p17
  %p18 = getelementptr i32, ptr addrspace(1) %out, i64 36
  store i32 18, ptr addrspace(1) %p18
  %p19 = getelementptr i32, ptr addrspace(1) %out, i64 38
  store i32 19, ptr addrspace(1) %p19
  %p20 = getelementptr i32, ptr addrspace(1) %out, i64 40
  store i32 20, ptr addrspace(1) %p20
  %p21 = getelementptr i32, ptr addrspace(1) %out, i64 42
  store i32 21, ptr addrspace(1) %p21
  %p22 = getelementptr i32, ptr addrspace(1) %out, i64 44
  store i32 22, ptr addrspace(1) %p22
  %p23 = getelementptr i32, ptr addrspace(1) %out, i64 46
  store i32 23, ptr addrspace(1) %p23
  %p24 = getelementptr i32, ptr addrspace(1) %out, i64 48
  store i32 24, ptr addrspace(1) %p24
  %p25 = getelementptr i32, ptr addrspace(1) %out, i64 50
  store i32 25, ptr addrspace(1) %p25
  %p26 = getelementptr i32, ptr addrspace(1) %out, i64 52
  store i32 26, ptr addrspace(1) %p26
  %p27 = getelementptr i32, ptr addrspace(1) %out, i64 54
  store i32 27, ptr addrspace(1) %p27
  %p28 = getelementptr i32, ptr addrspace(1) %out, i64 56
  store i32 28, ptr addrspace(1) %p28
  %p29 = getelementptr i32, ptr addrspace(1) %out, i64 58
  store i32 29, ptr addrspace(1) %p29
  %p30 = getelementptr i32, ptr addrspace(1) %out, i64 60
  store i32 30, ptr addrspace(1) %p30
  %p31 = getelementptr i32, ptr addrspace(1) %out, i64 62
  store i32 31, ptr addrspace(1) %p31
  %p32 = getelementptr i32, ptr addrspace(1) %out, i64 64
  store i32 32, ptr addrspace(1) %p32
  %p33 = getelementptr i32, ptr addrspace(1) %out, i64 66
  store i32 33, ptr addrspace(1) %p33
  ret void
}
