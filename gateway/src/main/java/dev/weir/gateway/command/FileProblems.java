package dev.weir.gateway.command;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What is wrong with a file or directory that an option names. */
public final class FileProblems {
  private FileProblems() {}

  /** The file is missing, or can't be read. */
  public static UsageException unreadable(String option, Path file, IOException cause) {
    return new UsageException(
        option + ": got " + file + " (expected: a file that exists and can be read)", cause);
  }

  /** The directory is missing and can't be created, or can't be written to. */
  private static UsageException unwritable(String option, Path directory, IOException cause) {
    return new UsageException(
        option
            + ": got "
            + directory
            + " (expected: a directory that exists or can be created, and can be written to)",
        cause);
  }

  /** Creates a directory that will be written to, unless it exists. */
  public static void createDirectory(String option, Path directory) throws UsageException {
    try {
      Files.createDirectories(directory);
      if (!Files.isWritable(directory)) {
        throw new AccessDeniedException(directory.toString());
      }
    } catch (IOException e) {
      throw unwritable(option, directory, e);
    }
  }
}
