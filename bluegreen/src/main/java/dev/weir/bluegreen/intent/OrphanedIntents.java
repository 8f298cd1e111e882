package dev.weir.bluegreen.intent;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The intents that processes left open when they ended: those in files that no live process has
 * locked. Blocks. Several processes may look at the same time: each file goes to one of them.
 */
public final class OrphanedIntents {
  private static final Duration MAX_INCOMPLETE = Duration.ofMinutes(1);

  private OrphanedIntents() {}

  /** Takes over the open intents of an ended process. */
  @FunctionalInterface
  public interface Recipient {
    /**
     * Takes over.
     *
     * @param payloads as they were recorded, the oldest first; not empty
     * @throws IOException if it can't: the intents stay for the next time
     */
    void accept(List<byte[]> payloads) throws IOException;
  }

  /**
   * Hands over the intents of ended processes, file by file, and deletes the files.
   *
   * @return how many intents were handed over
   */
  public static int takeOver(Path directory, Recipient recipient) throws IOException {
    return visit(directory, recipient, true);
  }

  /** How many intents of ended processes are there. Changes nothing. */
  public static int count(Path directory) throws IOException {
    return visit(directory, payloads -> {}, false);
  }

  private static int visit(Path directory, Recipient recipient, boolean delete) throws IOException {
    if (!Files.isDirectory(directory)) {
      return 0;
    }
    List<Path> paths;
    try (Stream<Path> all = Files.list(directory.toRealPath())) {
      paths = all.filter(OrphanedIntents::isIntentFile).sorted().toList();
    }
    int count = 0;
    IOException first = null;
    for (Path path : paths) {
      try {
        count += IntentFile.isOwn(path) ? 0 : visitFile(path, recipient, delete);
      } catch (IOException e) { // the others are to be taken over all the same
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
    return count;
  }

  private static boolean isIntentFile(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(IntentFile.SUFFIX) || name.endsWith(IntentFile.INCOMPLETE_SUFFIX);
  }

  private static int visitFile(Path path, Recipient recipient, boolean delete) throws IOException {
    try (FileChannel file =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = file.tryLock()) {
      if (lock == null || !Files.exists(path)) { // of a live process, or taken over meanwhile
        return 0;
      }
      if (!path.getFileName().toString().endsWith(IntentFile.SUFFIX)) {
        deleteIncomplete(path, delete);
        return 0;
      }
      List<byte[]> payloads = readOpen(file);
      if (!payloads.isEmpty()) {
        recipient.accept(payloads);
      }
      if (delete) {
        Files.deleteIfExists(path);
      }
      return payloads.size();
    } catch (NoSuchFileException gone) {
      return 0;
    }
  }

  /** An incomplete file has no intent that another file lacks; a new one may not be locked yet. */
  private static void deleteIncomplete(Path path, boolean delete) throws IOException {
    Instant before = Instant.now().minus(MAX_INCOMPLETE);
    if (delete && Files.getLastModifiedTime(path).toInstant().isBefore(before)) {
      Files.deleteIfExists(path);
    }
  }

  /** Leaves out an incomplete last line, and what a crash of the machine made unreadable. */
  private static List<byte[]> readOpen(FileChannel file) throws IOException {
    Map<Long, byte[]> open = new LinkedHashMap<>();
    InputStream bytes = new BufferedInputStream(Channels.newInputStream(file), 1 << 16);
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = bytes.read(); next >= 0; next = bytes.read()) {
      if (next == '\n') {
        apply(line.toByteArray(), open);
        line.reset();
      } else {
        line.write(next);
      }
    }
    return List.copyOf(open.values());
  }

  private static void apply(byte[] line, Map<Long, byte[]> open) {
    if (line.length == 0) {
      return;
    }
    if (line[0] == '+') {
      int blank = 1;
      while (blank < line.length && line[blank] != ' ') {
        blank++;
      }
      Long number = parse(new String(line, 1, blank - 1, StandardCharsets.US_ASCII));
      if (number != null && blank < line.length) {
        open.put(number, Arrays.copyOfRange(line, blank + 1, line.length));
      }
    } else if (line[0] == '-') {
      for (String one :
          new String(line, 1, line.length - 1, StandardCharsets.US_ASCII).split(" ", -1)) {
        Long number = parse(one);
        if (number != null) {
          open.remove(number);
        }
      }
    }
  }

  private static @Nullable Long parse(String number) {
    try {
      return Long.valueOf(number);
    } catch (NumberFormatException unreadable) {
      return null;
    }
  }
}
