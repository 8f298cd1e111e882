package dev.weir.bluegreen.dual;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
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
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A file of the repair log for a repair. A file of the same name with the suffix {@code .done}
 * holds the offset up to which it is repaired; {@link RepairMarks} has what is repaired beyond.
 *
 * @param startOffset the first byte to read
 * @param endOffset the byte after the last complete line; a gateway may append further lines
 * @param marksEnd the length of the marks that count: those of earlier repairs
 */
record RepairLogFile(Path path, long startOffset, long endOffset, long marksEnd) {
  private static final String DONE_SUFFIX = ".done";
  private static final int PIECE_BYTES = 1 << 16;

  /** What is read at a time from the end, to find the last complete line. */
  static final int TAIL_BLOCK_BYTES = 8 << 10;

  /** Many times the length of an entry: names, ids and reasons are bounded. */
  private static final int MAX_LINE_BYTES = 1 << 20;

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
      RepairLogFile file =
          new RepairLogFile(
              path, readProgress(path), completeLinesEnd(path), RepairMarks.length(path));
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
      ByteBuffer block = ByteBuffer.allocate(TAIL_BLOCK_BYTES);
      for (long end = file.size(); end > 0; end -= TAIL_BLOCK_BYTES) {
        long start = Math.max(0, end - TAIL_BLOCK_BYTES);
        block.clear().limit(Math.toIntExact(end - start));
        int read;
        do {
          read = file.read(block, start + block.position());
        } while (read > 0 && block.hasRemaining());
        for (int i = block.position() - 1; i >= 0; i--) {
          if (block.get(i) == '\n') {
            return start + i + 1;
          }
        }
      }
    }
    return 0;
  }

  /** Receives an entry and where it is. */
  interface EntryConsumer {
    void accept(RepairEntry entry, RepairMarks.Position position);
  }

  /**
   * Reads the entries one by one, without those that earlier repairs have marked.
   *
   * @param onUnreadable receives each line that is no entry
   */
  void forEachEntry(EntryConsumer onEntry, Consumer<String> onUnreadable) throws IOException {
    Map<Long, Integer> marks = RepairMarks.read(path, marksEnd);
    byte[] piece = new byte[PIECE_BYTES];
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      long at = startOffset;
      long lineOffset = at;
      while (at < endOffset) {
        int length = Math.toIntExact(Math.min(piece.length, endOffset - at));
        int read = file.read(ByteBuffer.wrap(piece, 0, length), at);
        if (read < 0) {
          throw new EOFException(
              "got the end of " + path + " at byte " + at + " (expected: at " + endOffset + ")");
        }
        int start = 0;
        for (int i = 0; i < read; i++) {
          if (piece[i] == '\n') {
            append(line, piece, start, i);
            start = i + 1;
            parse(line.toByteArray(), lineOffset, marks, onEntry, onUnreadable);
            line.reset();
            lineOffset = at + start;
          }
        }
        append(line, piece, start, read);
        at += read;
      }
    }
  }

  /** Leaves out what a line has beyond the bound; the rest of such a line is unreadable. */
  private static void append(ByteArrayOutputStream line, byte[] piece, int start, int end) {
    line.write(piece, start, Math.min(end - start, MAX_LINE_BYTES - line.size()));
  }

  private void parse(
      byte[] line,
      long offset,
      Map<Long, Integer> marks,
      EntryConsumer onEntry,
      Consumer<String> onUnreadable) {
    int checksum = RepairMarks.checksum(line);
    Integer mark = marks.get(offset);
    if (mark != null && mark == checksum) {
      return;
    }
    String text = new String(line, StandardCharsets.UTF_8);
    RepairEntry entry;
    try {
      entry = RepairEntry.parse(text);
    } catch (IllegalArgumentException e) {
      onUnreadable.accept(text);
      return;
    }
    onEntry.accept(entry, new RepairMarks.Position(this, offset, checksum));
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
