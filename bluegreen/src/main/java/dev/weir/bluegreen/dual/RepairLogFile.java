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
import java.util.stream.Stream;

/**
 * A file of the repair log as a repair reads it. Beside it lies, once something of it was repaired,
 * a file of the same name with {@code .done} after it: up to which byte that is.
 *
 * @param startOffset the byte that is read from
 * @param endOffset the byte after the last whole line: more may be written to it meanwhile
 */
record RepairLogFile(Path path, long startOffset, long endOffset) {
  private static final String DONE_SUFFIX = ".done";

  /** What was read. */
  record Contents(List<RepairEntry> entries, List<String> unreadable) {}

  /** The files that have something to repair, the oldest first. */
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

  /** A line without an end was never confirmed to anybody. */
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

  /** Reads it all: at most what a file has when it is full. */
  Contents readEntries() throws IOException {
    byte[] bytes;
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer buffer = ByteBuffer.allocate(Math.toIntExact(endOffset - startOffset));
      while (buffer.hasRemaining() && file.read(buffer, startOffset + buffer.position()) >= 0) {
        // until it is full
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

  /** All that was read is repaired. */
  void markDone() throws IOException {
    Path done = progressFile(path);
    Path next = done.resolveSibling(done.getFileName() + ".tmp");
    Files.writeString(next, endOffset + "\n");
    Files.move(next, done, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
