//! dev
use std::time::Instant;
fn main() {
    let mut a = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap());
    let (first, count) = (a.next().unwrap_or(1), a.next().unwrap_or(1));
    let t = Instant::now();
    let mut bytes = 0;
    for seed in first..first + count {
        let case = oxcl_oracle::generate(seed);
        let text = case.program.text();
        bytes += text.len();
        if count <= 3 { println!("// seed {seed} {}\n{text}", case.program.standard); 
          for l in &case.program.launches { println!("// {:?} {:?} {:?}", l.global, l.local, l.offset);} }
        else if let Some(dir) = std::env::var_os("DIR") {
            std::fs::write(std::path::Path::new(&dir).join(format!("{seed}.cl")), text).unwrap();
        }
    }
    println!("// {:?} each, {} bytes each", t.elapsed() / count as u32, bytes / count as usize);
}
