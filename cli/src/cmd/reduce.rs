//! `oxcl reduce`: a smaller kernel that still fails.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;

use crate::error::CliError;
use crate::exit::Outcome;
use crate::reduce::reduce;
use crate::ui::Ui;
use crate::ui::progress::Progress;

/// How long a test that is waited for may sleep between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Make a kernel smaller for as long as a command still ends in the same way
///
/// The command is run again and again on smaller and smaller texts. It is given the file's place as {}, or as its last
/// argument where it has no {}. A text is kept if the command ends with the status that --status names. The source itself
/// is never changed; the smallest text so far is always in the output, so that it is there if the command is interrupted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  oxcl reduce crash.cl --status 70 -- oxcl compile {} -o /dev/null\n  \
    oxcl reduce wrong.cl -- ./still_wrong.sh")]
pub(crate) struct ReduceArgs {
    /// OpenCL C, or any other text
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where the smallest text goes [default: FILE with .reduced before its extension]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The exit status that says that a text still shows what is looked for; 128 and the signal's number for a command
    /// that is killed
    #[arg(long, value_name = "N", default_value_t = 0)]
    status: i32,
    /// Seconds after which the command is ended, and the text not kept
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// The command that tries a text
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Reduces the file; exit code 1 if the command does not end as it should on the whole file.
pub(crate) fn run(args: &ReduceArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let read = |source| CliError::Read { path: args.file.clone(), source };
    let text = fs::read_to_string(&args.file).map_err(read)?;
    let output = args.output.clone().unwrap_or_else(|| reduced_name(&args.file));
    if same_file(&output, &args.file) {
        return Err(CliError::usage("the output would replace the source"));
    }
    let test = Test::new(args)?;
    let ended = test.status(&text)?;
    if ended != Some(args.status) {
        let how = ended.map_or_else(
            || format!("does not end within {} s", args.timeout),
            |status| format!("ends with status {status}"),
        );
        ui.message(&format!(
            "oxcl: on '{}' the command {how}, not with status {}: there is nothing to reduce",
            args.file.display(),
            args.status
        ));
        return Ok(Outcome::Negative);
    }
    let progress = Progress::new(ui);
    let mut tries = 1_u64;
    let mut holds = |candidate: &str| {
        tries += 1;
        // How many more it takes nobody knows, but how much is left of the text.
        progress.step(&format!("{tries} tries, {} bytes of {} tried", candidate.len(), text.len()));
        Ok::<_, CliError>(test.status(candidate)? == Some(args.status))
    };
    let mut better = |candidate: &str| save(&output, candidate);
    save(&output, &text)?;
    let smallest = reduce(&text, &mut holds, &mut better)?;
    drop(progress);
    if ui.json {
        let data = serde_json::json!({
            "output": output, "bytes_before": text.len(), "bytes": smallest.len(), "tries": tries,
        });
        ui.json("reduce", &data)?;
    } else {
        ui.result(&format!(
            "{}: {} bytes instead of {}, after {tries} tries\n",
            output.display(),
            smallest.len(),
            text.len()
        ))?;
    }
    Ok(Outcome::Ok)
}

/// `kernel.cl` gives `kernel.reduced.cl`.
fn reduced_name(file: &Path) -> PathBuf {
    match file.extension() {
        Some(extension) => file.with_extension(format!("reduced.{}", extension.to_string_lossy())),
        None => file.with_extension("reduced"),
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// Replaces the output as a whole, so that it is never half a text.
fn save(output: &Path, text: &str) -> Result<(), CliError> {
    let write = |source| CliError::Write { path: output.to_owned(), source };
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(write)?;
    file.write_all(text.as_bytes()).map_err(write)?;
    file.persist(output).map_err(|error| write(error.error))?;
    Ok(())
}

/// The user's test, and the place where it finds a text.
struct Test<'a> {
    args: &'a ReduceArgs,
    /// Goes away with this.
    _folder: tempfile::TempDir,
    candidate: PathBuf,
}

impl<'a> Test<'a> {
    fn new(args: &'a ReduceArgs) -> Result<Self, CliError> {
        let write = |source| CliError::Write { path: std::env::temp_dir(), source };
        let folder = tempfile::tempdir().map_err(write)?;
        // The same name as the source has, for those whose messages count.
        let candidate = folder.path().join(args.file.file_name().unwrap_or_default());
        Ok(Self { args, _folder: folder, candidate })
    }

    /// The status that the command ends with on a text; none if it takes too long.
    fn status(&self, text: &str) -> Result<Option<i32>, CliError> {
        let write = |source| CliError::Write { path: self.candidate.clone(), source };
        fs::write(&self.candidate, text).map_err(write)?;
        let place = self.candidate.display().to_string();
        let mut words: Vec<String> =
            self.args.command.iter().map(|word| word.replace("{}", &place)).collect();
        if words == self.args.command {
            words.push(place);
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| {
            CliError::usage_with_help(
                format!("cannot run '{}': {error}", words[0]),
                "the command stands behind --, for example: -- oxcl compile {}",
            )
        })?;
        let end = Instant::now() + Duration::from_secs(self.args.timeout);
        loop {
            let ended =
                child.try_wait().map_err(|error| CliError::Internal { message: error.to_string() })?;
            if let Some(status) = ended {
                return Ok(Some(number(status)));
            }
            if Instant::now() >= end {
                // It may have ended in this moment.
                drop(child.kill());
                drop(child.wait());
                return Ok(None);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// A status as a shell shows it.
fn number(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
