package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A file of the repair log for a repair. A file of the same name with the suffix {@code .done}
 * holds the offset up to which it is repaired.
 *
 * @param startOffset the first byte to read
 * @param endOffset the byte after the last complete line; a gateway may append further lines
 */
record RepairLogFile(Path path, long startOffset, long endOffset) {
  private static final String DONE_SUFFIX = ".done";

  /** The entries of a file. */
  record Contents(List<RepairEntry> entries, List<String> unreadable) {}

  /** The files with unrepaired entries, the oldest first. */
  static List<RepairLogFile> listPending(Path directory) throws IOException {
    List<Path> paths;
    try (Stream<Path> all = Files.list(directory)) {
      paths =
          all.filter(path -> path.getFileName().toString().endsWith(RollingRepairLogFile.SUFFIX))
              .sorted()
              .toList();
    }
    List<RepairLogFile> files = new ArrayList<>();
    for (Path path : paths) {
      RepairLogFile file = new RepairLogFile(path, readProgress(path), completeLinesEnd(path));
      if (file.startOffset < file.endOffset) {
        files.add(file);
      }
    }
    return files;
  }

  private static Path progressFile(Path path) {
    return path.resolveSibling(path.getFileName() + DONE_SUFFIX);
  }

  private static long readProgress(Path path) throws IOException {
    Path done = progressFile(path);
    if (!Files.exists(done)) {
      return 0;
    }
    try {
      return Long.parseLong(Files.readString(done).strip());
    } catch (NumberFormatException e) {
      throw new IOException("got " + done + " without a number (expected: repaired bytes)", e);
    }
  }

  /** Ignores an incomplete last line, which was never acknowledged. */
  private static long completeLinesEnd(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      for (long end = file.size(); end > 0; end--) {
        one.clear();
        if (file.read(one, end - 1) == 1 && one.get(0) == '\n') {
          return end;
        }
      }
    }
    return 0;
  }

  /** Reads all entries, at most one full file. */
  Contents readEntries() throws IOException {
    byte[] bytes;
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer buffer = ByteBuffer.allocate(Math.toIntExact(endOffset - startOffset));
      while (buffer.hasRemaining() && file.read(buffer, startOffset + buffer.position()) >= 0) {
        // until the buffer is full
      }
      bytes = buffer.array();
    }
    List<RepairEntry> entries = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        String line = new String(bytes, start, i - start, StandardCharsets.UTF_8);
        start = i + 1;
        try {
          entries.add(RepairEntry.parse(line));
        } catch (IllegalArgumentException e) {
          unreadable.add(line);
        }
      }
    }
    return new Contents(entries, unreadable);
  }

  /**
   * Marks all entries that were read as repaired. A crash leaves the mark before or this one, never
   * a part of it: the content reaches the disk before the name, and both before the return.
   */
  void markDone() throws IOException {
    Path done = progressFile(path);
    Path next = done.resolveSibling(done.getFileName() + ".tmp");
    ByteBuffer progress = StandardCharsets.US_ASCII.encode(endOffset + "\n");
    try (FileChannel file =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      while (progress.hasRemaining()) {
        file.write(progress);
      }
      file.force(true);
    }
    Files.move(next, done, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    RollingRepairLogFile.forceDirectory(
        Objects.requireNonNull(done.toAbsolutePath().getParent(), "a file has a directory"));
  }
}
