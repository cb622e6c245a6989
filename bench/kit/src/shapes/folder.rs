//! Where parameter files are while they are proved with.

use std::path::{Path, PathBuf};

/// A folder of this process, which goes with all that is in it.
pub struct Folder(PathBuf);

impl Folder {
    /// A new one called `name` in the system's temporary folder.
    ///
    /// # Errors
    /// That it cannot be made.
    pub fn new(name: &str) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("interlock-kit-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).map_err(|error| format!("{} cannot be made: {error}", path.display()))?;
        Ok(Self(path))
    }

    /// Writes a file.
    ///
    /// # Errors
    /// That it cannot be written.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        std::fs::write(&path, content).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        Ok(path)
    }

    /// Removes a file that was written.
    ///
    /// # Errors
    /// That it cannot be removed.
    pub fn remove(&self, path: &Path) -> Result<(), String> {
        std::fs::remove_file(path).map_err(|error| format!("{} cannot be removed: {error}", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("{} cannot be removed: {error}", self.0.display());
        }
    }
}
