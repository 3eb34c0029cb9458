; A function that was not inlined, and calls itself: pointers that it keeps on its own stack, numbers that it loads and constants
; make nothing opaque.
; kernel: k
; analysis: access

@table = internal addrspace(2) constant [2 x i32] [i32 1, i32 2]
@tile = internal addrspace(3) global [16 x i32] undef

define internal i32 @sums(ptr addrspace(1) %p, i32 %n) noinline {
entry:
  %cell = alloca ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %cell
  %q = load ptr addrspace(1), ptr %cell
  %v = load i32, ptr addrspace(1) %q
  %c = load i32, ptr addrspace(2) @table
  store i32 %c, ptr addrspace(3) @tile
  %last = icmp eq i32 %n, 0
  br i1 %last, label %end, label %more
more:
  %rest = call i32 @sums(ptr addrspace(1) %p, i32 %v)
  br label %end
end:
  ret i32 %c
}

define void @k(ptr addrspace(1) %in) {
; access: %in read and written
entry:
  %sum = call i32 @sums(ptr addrspace(1) %in, i32 3)
  ret void
}
