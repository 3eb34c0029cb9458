//! Records as kernels write them, and the text that C would print.

use super::text;
use oxcl_binary::abi::{PRINT_DOUBLES, PRINT_FLOATS, PRINT_FORMAT_POINTER, PRINT_SIZE_SHIFT};

/// A record with an inline format.
fn inline(format: &str, arguments: &[u8]) -> Vec<u8> {
    let size = 4 + format.len() + 1 + arguments.len();
    let mut record = ((size as u32) << PRINT_SIZE_SHIFT | PRINT_DOUBLES).to_le_bytes().to_vec();
    record.extend(format.bytes());
    record.push(0);
    record.extend(arguments);
    record
}

fn shown(format: &str, arguments: &[u8]) -> String {
    String::from_utf8(text(&inline(format, arguments), &|_| None)).unwrap()
}

fn int(format: &str, value: i64) -> String {
    shown(format, &value.to_le_bytes())
}

fn float(format: &str, value: f64) -> String {
    shown(format, &value.to_le_bytes())
}

#[test]
fn integers_have_the_size_that_the_format_says() {
    assert_eq!(int("%d|", -1), "-1|");
    assert_eq!(int("%d", i64::from(u32::MAX)), "-1");
    assert_eq!(int("%hhd", 0x1ff), "-1");
    // OpenCL C 3.1: sizes and distances.
    assert_eq!(int("%5zd", 10), "   10");
    assert_eq!(int("%zu", -1), "18446744073709551615");
    assert_eq!(int("%+td", -3), "-3");
    assert_eq!(int("%hu", -1), "65535");
    assert_eq!(int("%lx", -1), "ffffffffffffffff");
    assert_eq!(int("%#X", 255), "0XFF");
    assert_eq!(int("%#x", 0), "0");
    assert_eq!(int("%#o", 8), "010");
    assert_eq!(int("[%+5d]", 42), "[  +42]");
    assert_eq!(int("[%-5d]", 42), "[42   ]");
    assert_eq!(int("[%05d]", -42), "[-0042]");
    assert_eq!(int("[%5.3d]", 7), "[  007]");
    assert_eq!(int("[%.0d]", 0), "[]");
    assert_eq!(int("[% d]", 5), "[ 5]");
    assert_eq!(int("%c%%", i64::from(b'x')), "x%");
    assert_eq!(int("%p", 0xabc), "0xabc");
}

#[test]
fn floats_are_written_as_c_writes_them() {
    assert_eq!(float("%f", 1.5), "1.500000");
    assert_eq!(float("%.0f|%%", 2.5), "2|%");
    assert_eq!(float("%#.0f", 3.0), "3.");
    assert_eq!(float("%e", 12345.678), "1.234568e+04");
    assert_eq!(float("%.3E", 1e-10), "1.000E-10");
    assert_eq!(float("%g", 100_000.0), "100000");
    assert_eq!(float("%g", 1_000_000.0), "1e+06");
    assert_eq!(float("%g", 0.0001), "0.0001");
    assert_eq!(float("%g", 0.00001), "1e-05");
    assert_eq!(float("%.3g", 999.9), "1e+03");
    assert_eq!(float("%#g", 1.0), "1.00000");
    assert_eq!(float("%G", 1e-7), "1E-07");
    assert_eq!(float("%a", 1.0), "0x1p+0");
    assert_eq!(float("%a", 0.1), "0x1.999999999999ap-4");
    assert_eq!(float("%.2a", 1.999), "0x2.00p+0");
    assert_eq!(float("%A", -0.5), "-0X1P-1");
    assert_eq!(float("%a", 0.0), "0x0p+0");
    assert_eq!(float("[%08.3f]", -1.5), "[-001.500]");
    assert_eq!(float("[%8f]", f64::INFINITY), "[     inf]");
    assert_eq!(float("[%05F]", f64::NAN), "[  NAN]");
    assert_eq!(float("%+f", f64::NEG_INFINITY), "-inf");
}

#[test]
fn vectors_are_lists() {
    let ints: Vec<u8> = [1, -2, 3, 4].into_iter().flat_map(i32::to_le_bytes).collect();
    assert_eq!(shown("%v4hld", &ints), "1,-2,3,4");
    assert_eq!(shown("%v3hld.", &ints), "1,-2,3.");
    assert_eq!(shown("%v2hhx|%d", &[0x0f, 0xff, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0]), "f,ff|9");
    let floats: Vec<u8> = [0.5_f32, 1.0].into_iter().flat_map(f32::to_le_bytes).collect();
    assert_eq!(shown("[%5.1v2hlf]", &floats), "[  0.5,  1.0]");
    assert_eq!(shown("%v2hf", &[0x00, 0x3c, 0x00, 0xc0, 0, 0, 0, 0]), "1.000000,-2.000000");
}

#[test]
fn floats_of_32_bit_devices_are_in_the_lower_half_of_their_cells() {
    let mut record = inline("%.2f|%d", &[]);
    let size = record.len() as u32 + 16;
    record[..4].copy_from_slice(&(size << PRINT_SIZE_SHIFT | PRINT_FLOATS).to_le_bytes());
    record.extend(u64::from(1.25_f32.to_bits()).to_le_bytes());
    record.extend(7_u64.to_le_bytes());
    assert_eq!(text(&record, &|_| None), b"1.25|7");
}

#[test]
fn sizes_of_32_bit_devices_have_32_bits() {
    let mut record = inline("%td|%zu", &[]);
    let size = record.len() as u32 + 16;
    record[..4].copy_from_slice(&(size << PRINT_SIZE_SHIFT | PRINT_FLOATS).to_le_bytes());
    record.extend(u64::from(u32::MAX - 2).to_le_bytes());
    record.extend(u64::from(u32::MAX).to_le_bytes());
    assert_eq!(text(&record, &|_| None), b"-3|4294967295");
}

#[test]
fn strings_and_formats_come_from_where_they_are() {
    assert_eq!(shown("[%5s][%-5.2s]", b"abc\0xyz\0"), "[  abc][xy   ]");
    let mut record =
        (12_u32 << PRINT_SIZE_SHIFT | PRINT_DOUBLES | PRINT_FORMAT_POINTER).to_le_bytes().to_vec();
    record.extend(77_u64.to_le_bytes());
    let found = text(&record, &|address| (address == 77).then_some(b"here".into()));
    assert_eq!(found, b"here");
    assert_eq!(text(&record, &|_| None), b"");
}

#[test]
fn records_that_do_not_hold_what_they_say_end_early() {
    assert_eq!(shown("a%d", &[1, 2]), "a");
    assert_eq!(shown("a%s", b"no end"), "a");
    assert_eq!(shown("a%v16ld", &[0; 8]), "a");
    assert_eq!(shown("a%", &[]), "a");
    assert_eq!(shown("a%v99999999hhd", &[0; 8]), "a");
    for cut in 0..20 {
        let mut records = inline("%d\n", &5_i64.to_le_bytes());
        records.extend(inline("%d\n", &6_i64.to_le_bytes()));
        records.truncate(16 + cut);
        assert!(text(&records, &|_| None).starts_with(b"5\n"));
    }
    assert_eq!(text(&[0xff; 64], &|_| None), b"");
    assert_eq!(text(&[0; 64], &|_| None), b"");
}
