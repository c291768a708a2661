//! QEMU's programs and their arguments.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;
use tokio::process::Command;

use super::machine::{DISK, LOG, Locked, Machine, NEW_DISK, SOCKET};
use super::process::PID_FILE;
use super::{Accelerator, QemuOptions};
use crate::driver::DriverError;

const MIB: u64 = 1 << 20;

/// A base image for new disks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    path: PathBuf,
    format: String,
    /// The minimum size of a disk based on it.
    pub(super) size: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ImageInfo {
    format: String,
    virtual_size: u64,
}

/// The paths of the programs.
pub(super) struct Programs {
    qemu: PathBuf,
    qemu_img: PathBuf,
    /// The arguments that all machines share.
    common: Vec<OsString>,
    pub(super) image: Option<Image>,
}

impl Programs {
    /// Finds the programs and the image.
    pub(super) async fn find(options: &QemuOptions) -> Result<Self, DriverError> {
        let qemu = check(&options.qemu, "qemu-system-x86").await?;
        let qemu_img = check(&options.qemu_img, "qemu-utils").await?;
        let image = match &options.image {
            Some(path) => Some(image(&qemu_img, path).await?),
            None => None,
        };
        Ok(Self {
            qemu,
            qemu_img,
            common: common(options),
            image,
        })
    }

    /// Creates the disk of a machine with `size` bytes, under a temporary name until it is
    /// complete.
    pub(super) async fn make_disk(&self, locked: &Locked, size: u64) -> Result<(), DriverError> {
        let machine = &locked.machine;
        let mut arguments: Vec<OsString> = ["create", "-q", "-f", "qcow2"].map(Into::into).into();
        if let Some(image) = &self.image {
            arguments.extend(["-F".into(), image.format.clone().into()]);
            arguments.extend(["-b".into(), image.path.clone().into()]);
        }
        arguments.extend([NEW_DISK.into(), whole_sectors(size).to_string().into()]);
        match fs::remove_file(machine.path(NEW_DISK)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(machine.failed(error));
            }
            _ => {}
        }
        self.image_tool(locked, &arguments).await?;
        fs::rename(machine.path(NEW_DISK), machine.path(DISK))
            .map_err(|error| machine.failed(error))
    }

    /// Grows the disk of a stopped machine to `size` bytes.
    pub(super) async fn grow_disk(&self, locked: &Locked, size: u64) -> Result<(), DriverError> {
        let size = whole_sectors(size).to_string();
        let arguments = ["resize", "-q", "-f", "qcow2", DISK, &size].map(Into::into);
        self.image_tool(locked, &arguments).await
    }

    async fn image_tool(&self, locked: &Locked, arguments: &[OsString]) -> Result<(), DriverError> {
        let machine = &locked.machine;
        // The tool inherits the lock: if this process is killed, the machine stays locked until the
        // tool has ended.
        let output = Command::new(&self.qemu_img)
            .args(arguments)
            .current_dir(&machine.folder)
            .stdin(Stdio::from(locked.lend()?))
            .process_group(0)
            .kill_on_drop(true)
            .output()
            .await
            .map_err(|error| DriverError::failed(self.qemu_img.display(), error))?;
        locked.take_back();
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        Err(machine.failed(message.trim()))
    }

    /// Starts a machine. Returns when it runs, or QEMU has failed.
    ///
    /// QEMU daemonizes once it has created the machine, and outlives this process. Until then it
    /// holds the lock.
    pub(super) async fn start(
        &self,
        locked: &Locked,
        cpus: u32,
        memory: u64,
    ) -> Result<(), DriverError> {
        let machine = &locked.machine;
        let status = {
            let mut command = Command::new(&self.qemu);
            command
                .args(arguments(machine, cpus, memory))
                .args(&self.common)
                .current_dir(&machine.folder)
                .stdin(Stdio::from(locked.lend()?))
                .stdout(Stdio::null())
                .stderr(Stdio::from(new_log(machine)?))
                .process_group(0);
            let mut child = command
                .spawn()
                .map_err(|error| DriverError::failed(self.qemu.display(), error))?;
            drop(command);
            child.wait().await.map_err(|error| machine.failed(error))?
        };
        locked.take_back();
        if status.success() {
            return Ok(());
        }
        let log = machine.log_end();
        let reason = if log.is_empty() {
            status.to_string()
        } else {
            log
        };
        Err(DriverError::failed("QEMU does not start", reason))
    }
}

/// Whether a program could not open the disk because another process uses it. QEMU has no error
/// code for this, so the message is matched.
pub(super) fn disk_is_held(error: &DriverError) -> bool {
    matches!(error, DriverError::Failed(message) if message.contains("Is another process using the image"))
}

fn new_log(machine: &Machine) -> Result<File, DriverError> {
    let path = machine.path(LOG);
    let empty = File::create(&path).and_then(|_| OpenOptions::new().append(true).open(&path));
    empty.map_err(|error| machine.failed(error))
}

/// Checks that the program can be run, and returns a path that works in any directory.
async fn check(program: &Path, package: &str) -> Result<PathBuf, DriverError> {
    let shown = program.display();
    // A path is relative to this process's directory; a bare name is searched in PATH.
    let found = match program.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => {
            std::path::absolute(program).unwrap_or_else(|_| program.to_owned())
        }
        _ => program.to_owned(),
    };
    let output = Command::new(&found)
        .arg("--version")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await;
    match output {
        Ok(output) if output.status.success() => Ok(found),
        Ok(output) => {
            let message = String::from_utf8_lossy(&output.stderr);
            let message = format!("{shown} --version: {}: {}", output.status, message.trim());
            Err(DriverError::Refused(message))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(DriverError::Refused(
            format!("{shown} is missing: install the package {package} (Debian, Ubuntu)"),
        )),
        Err(error) => Err(DriverError::Refused(format!("{shown}: {error}"))),
    }
}

async fn image(qemu_img: &Path, path: &Path) -> Result<Image, DriverError> {
    let refused = |cause: &dyn std::fmt::Display| {
        DriverError::Refused(format!("the image {}: {cause}", path.display()))
    };
    let path = fs::canonicalize(path).map_err(|error| refused(&error))?;
    let output = Command::new(qemu_img)
        .args(["info", "--output=json"])
        .arg(&path)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| refused(&error))?;
    if !output.status.success() {
        return Err(refused(&String::from_utf8_lossy(&output.stderr).trim()));
    }
    let info: ImageInfo =
        serde_json::from_slice(&output.stdout).map_err(|error| refused(&error))?;
    Ok(Image {
        path,
        format: info.format,
        size: info.virtual_size,
    })
}

/// Rounds up to whole disk sectors.
pub(super) fn whole_sectors(size: u64) -> u64 {
    size.checked_next_multiple_of(512).unwrap_or(size)
}

/// Returns the arguments specific to a machine. QEMU starts in the machine's folder, so file names
/// are short and the same for each.
fn arguments(machine: &Machine, cpus: u32, memory: u64) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec![
        "-name".into(),
        format!("guest={}", machine.id).into(),
        PID_FILE.into(),
        machine.pid_file().into(),
        "-smp".into(),
        cpus.to_string().into(),
        "-m".into(),
        format!("{}M", memory.div_ceil(MIB)).into(),
    ];
    let file = format!("driver=file,node-name=file0,filename={DISK}");
    let disk = "driver=qcow2,node-name=disk0,file=file0,discard=unmap";
    let socket = format!("socket,id=qmp,server=on,wait=off,path={SOCKET}");
    arguments.extend(["-blockdev", &file, "-blockdev", disk].map(Into::into));
    arguments.extend(["-device", "virtio-blk-pci,id=root,drive=disk0"].map(Into::into));
    arguments.extend(["-chardev", &socket, "-mon", "chardev=qmp,mode=control"].map(Into::into));
    arguments.extend(["-D", LOG].map(Into::into));
    arguments
}

/// Returns the arguments that all machines share.
fn common(options: &QemuOptions) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ["-no-user-config", "-nodefaults", "-daemonize"]
        .map(Into::into)
        .into();
    let kvm = OpenOptions::new().read(true).write(true).open("/dev/kvm");
    // QEMU uses the first one that works.
    let accelerators: &[&str] = match options.accelerator {
        Accelerator::Auto if kvm.is_ok() => &["kvm", "tcg"],
        Accelerator::Auto | Accelerator::Tcg => &["tcg"],
        Accelerator::Kvm => &["kvm"],
    };
    for name in accelerators {
        arguments.extend(["-accel", name].map(Into::into));
    }
    arguments.extend(["-machine", "pc", "-cpu", "max"].map(Into::into));
    arguments.extend(["-display", "none", "-serial", "null", "-nic", "none"].map(Into::into));
    if options.sandbox {
        // The other restrictions do not work with -daemonize, which starts a session and a process.
        arguments.extend(["-sandbox", "on,obsolete=deny,resourcecontrol=deny"].map(Into::into));
    }
    arguments.extend(options.arguments.iter().cloned());
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_become_numbers_that_qemu_takes() {
        assert_eq!(whole_sectors(1), 512);
        assert_eq!(whole_sectors(512), 512);
        assert_eq!(whole_sectors(u64::MAX), u64::MAX);
        let machine = Machine {
            id: "vm-1".to_owned(),
            folder: PathBuf::from("/state, with=commas/vm-1"),
        };
        let arguments = arguments(&machine, 2, 64 * MIB + 1);
        let text: Vec<_> = arguments.iter().filter_map(|it| it.to_str()).collect();
        assert_eq!(
            text.get(..8).unwrap(),
            [
                "-name",
                "guest=vm-1",
                "-pidfile",
                "/state, with=commas/vm-1/pid",
                "-smp",
                "2",
                "-m",
                "65M"
            ]
        );
        // The folder's own name may contain any character, so it must not appear in an argument
        // that QEMU parses.
        let naming = text.iter().filter(|it| it.contains("/state")).count();
        assert_eq!(naming, 1);
    }

    #[tokio::test]
    async fn what_is_missing_is_named_with_its_package() {
        let mut options = QemuOptions::new("state");
        options.qemu = PathBuf::from("/nowhere/qemu-system-x86_64");
        let error = Programs::find(&options).await.err().unwrap();
        assert_eq!(
            error.to_string(),
            "/nowhere/qemu-system-x86_64 is missing: install the package qemu-system-x86 (Debian, Ubuntu)"
        );
        assert!(!error.is_retriable());
    }
}
