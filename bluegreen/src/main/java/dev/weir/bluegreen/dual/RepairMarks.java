package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * The progress of a repair within the files of a log: beside each of them, a file with the suffix
 * {@code .repaired} has a line for each repaired entry, its offset and the CRC-32C of its line. A
 * mark counts only if it is whole and fits the entry, so what a crash leaves of one marks nothing.
 * Marks survive the end of the process at once, and a power failure after {@link #sync}. Safe on
 * any thread; blocks.
 */
final class RepairMarks {
  private static final String SUFFIX = ".repaired";
  private static final long SYNC_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Set<Path> unsynced = new LinkedHashSet<>();
  private long lastSyncNanos = System.nanoTime();

  /**
   * An entry of a file.
   *
   * @param offset of its first byte
   * @param checksum the CRC-32C of its line, without the line feed
   */
  record Position(RepairLogFile file, long offset, int checksum) {}

  private static Path marksOf(Path logFile) {
    return logFile.resolveSibling(logFile.getFileName() + SUFFIX);
  }

  /** The length of a log file's marks in bytes; 0 for none. */
  static long length(Path logFile) throws IOException {
    Path marks = marksOf(logFile);
    if (!Files.exists(marks)) {
      return 0;
    }
    try (FileChannel file = FileChannel.open(marks, StandardOpenOption.READ)) {
      return file.size();
    }
  }

  /** Reads the first bytes of a log file's marks: checksums by offset. */
  static Map<Long, Integer> read(Path logFile, long length) throws IOException {
    Map<Long, Integer> marks = new HashMap<>();
    if (length == 0) {
      return marks;
    }
    ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(length));
    try (FileChannel file = FileChannel.open(marksOf(logFile), StandardOpenOption.READ)) {
      while (bytes.hasRemaining() && file.read(bytes) >= 0) {
        // until the end
      }
    }
    String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.ISO_8859_1);
    text.lines().forEach(line -> parse(line, marks));
    return marks;
  }

  private static void parse(String line, Map<Long, Integer> marks) {
    int blank = line.indexOf(' ');
    if (blank > 0 && line.length() - blank == 9) {
      try {
        marks.put(
            Long.parseLong(line, 0, blank, 10),
            HexFormat.fromHexDigits(line, blank + 1, line.length()));
      } catch (IllegalArgumentException torn) {
        return; // a crash tore it, and the entry counts as unrepaired
      }
    }
  }

  static int checksum(byte[] line) {
    CRC32C sum = new CRC32C();
    sum.update(line);
    return (int) sum.getValue();
  }

  /** Marks entries that are repaired now. */
  synchronized void mark(List<Position> repaired) throws IOException {
    Map<Path, List<Position>> byFile = new LinkedHashMap<>();
    for (Position position : repaired) {
      byFile.computeIfAbsent(position.file().path(), absent -> new ArrayList<>()).add(position);
    }
    for (Map.Entry<Path, List<Position>> file : byFile.entrySet()) {
      append(marksOf(file.getKey()), file.getValue());
    }
    if (System.nanoTime() - lastSyncNanos > SYNC_INTERVAL_NANOS) {
      sync();
    }
  }

  private void append(Path marks, List<Position> positions) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (Position position : positions) {
      lines.append('\n'); // ends what a crash left of a line
      lines.append(position.offset()).append(' ');
      lines.append(HexFormat.of().toHexDigits(position.checksum())).append('\n');
    }
    ByteBuffer bytes = StandardCharsets.US_ASCII.encode(lines.toString());
    unsynced.add(marks);
    try (FileChannel file =
        FileChannel.open(marks, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    }
  }

  /** Syncs all marks to disk. */
  synchronized void sync() throws IOException {
    Set<Path> directories = new LinkedHashSet<>();
    for (Path marks : unsynced) {
      try (FileChannel file = FileChannel.open(marks, StandardOpenOption.WRITE)) {
        file.force(true);
      }
      directories.add(
          Objects.requireNonNull(marks.toAbsolutePath().getParent(), "a file has a directory"));
    }
    for (Path directory : directories) {
      RollingRepairLogFile.forceDirectory(directory);
    }
    unsynced.clear();
    lastSyncNanos = System.nanoTime();
  }

  /** Deletes the marks of a file whose entries all count as repaired. */
  synchronized void delete(Path logFile) throws IOException {
    Path marks = marksOf(logFile);
    unsynced.remove(marks);
    Files.deleteIfExists(marks);
  }
}
