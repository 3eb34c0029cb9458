//! The debugger of `oxcl sim`: commands from standard input, one a line or separated by `;`.

use super::sim::fault_error;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use oxcl_tta::asm::print_instruction;
use oxcl_ttasim::debug::{Debugger, Pause, Place, parse_instruction, trace_line};
use std::io::{self, BufRead as _, IsTerminal as _};

const HELP: &str = "\
step [N]        execute N cycles (1)
run             execute until a breakpoint, a watch, or the end
break PLACE     pause before an instruction: a label, label+n, or a number
watch PLACE     pause when a register, a port or memory changes: r.1, alu.r1, table, data+0x40:2
print PLACE     print its value
regs            print every register that is not zero
where           print the cycle and the next instruction
trace [N]       execute N cycles (1) and print what every bus carried
core N          the core that the commands are about (0)
help, quit
";

/// A debugger and the core it looks at.
struct Session {
    debugger: Debugger,
    core: usize,
    max: u64,
    watched: Vec<String>,
}

/// Reads and executes commands until `quit` or the end of the input.
pub(crate) fn run(debugger: Debugger, max: u64, ui: &mut Ui) -> Result<Outcome, CliError> {
    let mut session = Session { debugger, core: 0, max, watched: Vec::new() };
    let prompt = io::stdin().is_terminal();
    let show_prompt = |ui: &mut Ui| if prompt { ui.result("(sim) ") } else { Ok(()) };
    show_prompt(ui)?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|source| CliError::Read { path: "standard input".into(), source })?;
        for command in line.split(';').map(str::trim).filter(|c| !c.is_empty()) {
            if command == "quit" || command == "q" {
                return Ok(Outcome::Ok);
            }
            let answer = session.execute(command)?;
            ui.result(&answer)?;
            for core in 0..session.debugger.system.cores() {
                let written = session.debugger.system.take_output(core);
                ui.result_bytes(&written)?;
            }
        }
        show_prompt(ui)?;
    }
    Ok(Outcome::Ok)
}

impl Session {
    /// Does what a command says; what it asks in vain is answered, not an error.
    fn execute(&mut self, command: &str) -> Result<String, CliError> {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        let rest = rest.trim();
        let count = || rest.parse::<u64>().unwrap_or(1);
        Ok(match verb {
            "step" | "s" => self.run(self.debugger.system.cycle() + count())?,
            "run" | "r" | "continue" | "c" => self.run(self.max)?,
            "trace" | "t" => self.trace(count())?,
            "where" | "w" => self.place(),
            "regs" => self.registers(),
            "core" => match rest.parse().ok().filter(|core| *core < self.debugger.system.cores()) {
                Some(core) => {
                    self.core = core;
                    self.place()
                }
                None => format!("there is no core '{rest}'\n"),
            },
            "break" | "b" => match parse_instruction(self.debugger.system.image(self.core), rest) {
                Some(at) => {
                    self.debugger.break_at(self.core, at);
                    format!("breakpoint at instruction {at}\n")
                }
                None => format!("there is no instruction '{rest}'\n"),
            },
            "watch" => match Place::parse(self.debugger.system.image(self.core), rest) {
                Some(place) => {
                    self.debugger.watch(self.core, place);
                    self.watched.push(rest.to_owned());
                    format!("watching {rest}\n")
                }
                None => format!("there is no place '{rest}'\n"),
            },
            "print" | "p" => match Place::parse(self.debugger.system.image(self.core), rest) {
                Some(place) => {
                    let value = self.debugger.value(self.core, place);
                    format!("{rest} = {value:#x} ({})\n", value as u32 as i32)
                }
                None => format!("there is no place '{rest}'\n"),
            },
            "help" | "h" | "?" => HELP.to_owned(),
            _ => format!("there is no command '{verb}'; 'help' lists them\n"),
        })
    }

    fn run(&mut self, until: u64) -> Result<String, CliError> {
        let pause = self.debugger.run(until, |_| {}).map_err(|fault| fault_error(&fault))?;
        let why = match pause {
            Pause::Ended => "the programs have ended\n".to_owned(),
            Pause::Limit => String::new(),
            Pause::Breakpoint { core, instruction } => {
                self.core = core;
                format!("breakpoint at instruction {instruction}\n")
            }
            Pause::Changed { watch, old, new } => {
                format!("{} changed from {old:#x} to {new:#x}\n", self.watched[watch])
            }
        };
        Ok(why + &self.place())
    }

    fn trace(&mut self, count: u64) -> Result<String, CliError> {
        let mut lines = String::new();
        let core = self.core;
        for _ in 0..count {
            if self.debugger.system.halted(core) {
                break;
            }
            let at = self.debugger.system.program_counter(core);
            let until = self.debugger.system.cycle() + 1;
            self.debugger.run(until, |_| {}).map_err(|fault| fault_error(&fault))?;
            let line = trace_line(&self.debugger.system, core, at);
            if line.is_empty() {
                return Ok("only the strict engine traces\n".to_owned());
            }
            lines.push_str(&line);
            lines.push('\n');
        }
        Ok(lines)
    }

    fn place(&self) -> String {
        let system = &self.debugger.system;
        let image = system.image(self.core);
        let at = system.program_counter(self.core);
        let text = match image.program.instructions.get(at) {
            Some(instruction) if !system.halted(self.core) => print_instruction(&image.machine, instruction),
            _ => "ended".to_owned(),
        };
        let label = u32::try_from(at).ok().and_then(|at| image.program.place(at));
        let label = label.map_or_else(String::new, |(name, distance)| format!(" {name}+{distance}"));
        format!("cycle {}, core {}, instruction {at}{label}: {text}\n", system.cycle(), self.core)
    }

    fn registers(&self) -> String {
        let system = &self.debugger.system;
        let mut text = String::new();
        for (file, facts) in system.image(self.core).machine.register_files() {
            let shown: Vec<String> = (0..facts.size)
                .map(|index| (index, system.register(self.core, file, index)))
                .filter(|(_, value)| *value != 0)
                .map(|(index, value)| format!("{}.{index}={value:#x}", facts.name))
                .collect();
            if !shown.is_empty() {
                text.push_str(&shown.join(" "));
                text.push('\n');
            }
        }
        text
    }
}
