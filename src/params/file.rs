//! A parameter file that is open: that it is a regular file, which one it is, and whether it stays as it was.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::failure::Failure;
use crate::error::ParamsFault;

/// A file system's clock ticks this often or oftener: two writes within one tick leave the same time of modification.
const TICK: Duration = Duration::from_millis(20);

/// What makes a file's content the same as another's: the file itself, whatever it is called, and when it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    pub(super) modified: (i64, i64),
}

impl FileId {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }

    /// Whether `other` is the same file, perhaps at another time.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// An open parameter file.
#[derive(Debug)]
pub(super) struct ParamsFile {
    pub(super) file: File,
    pub(super) id: FileId,
}

impl ParamsFile {
    /// Opens the regular file at `path`. Anything else is refused before it is opened, and opening never blocks.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let cannot_open = |source| Failure::File { operation: "open", source };
        check_type(std::fs::metadata(path).map_err(cannot_open)?.file_type())?;
        // The path may lead to a pipe by now; to open one without O_NONBLOCK waits for a writer.
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(cannot_open)?;
        let metadata = settled_metadata(&file).map_err(cannot_inspect)?;
        check_type(metadata.file_type())?;
        Ok(Self { id: FileId::of(&metadata), file })
    }

    /// Fails if the file has been written to since it was opened.
    pub(super) fn check_unchanged(&self) -> Result<(), Failure> {
        if FileId::of(&self.file.metadata().map_err(cannot_inspect)?) == self.id {
            return Ok(());
        }
        Err(ParamsFault::Changed.into())
    }
}

fn cannot_inspect(source: io::Error) -> Failure {
    Failure::File { operation: "inspect", source }
}

/// The metadata once the tick of the last write is over, so that a write from now on cannot go unseen.
fn settled_metadata(file: &File) -> io::Result<Metadata> {
    let metadata = file.metadata()?;
    let age = metadata.modified()?.elapsed();
    match age.ok().and_then(|age| TICK.checked_sub(age)) {
        Some(rest) => {
            sleep(rest);
            file.metadata()
        }
        None => Ok(metadata),
    }
}

fn check_type(file_type: FileType) -> Result<(), ParamsFault> {
    let what = match file_type {
        t if t.is_file() => return Ok(()),
        t if t.is_dir() => "a directory",
        t if t.is_fifo() => "a named pipe",
        t if t.is_socket() => "a socket",
        t if t.is_char_device() => "a character device",
        t if t.is_block_device() => "a block device",
        _ => "a special file",
    };
    Err(ParamsFault::NotAFile { what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_identified_once_the_tick_of_its_last_write_is_over() {
        let path = std::env::temp_dir().join(format!("interlock-tick-{}", std::process::id()));
        std::fs::write(&path, "written just now").unwrap();
        let file = ParamsFile::open(&path).unwrap();
        let age = file.file.metadata().unwrap().modified().unwrap().elapsed().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(age >= TICK, "{age:?}");
    }
}
