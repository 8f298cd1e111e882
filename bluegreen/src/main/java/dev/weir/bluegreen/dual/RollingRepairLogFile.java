package dev.weir.bluegreen.dual;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one gateway's repair log: one since its start, and the next one when that is full.
 * Several gateways may write to one directory. Used by one thread.
 */
public final class RollingRepairLogFile {
  /** How their names end. */
  static final String SUFFIX = ".jsonl";

  /** A file that has so many bytes is full. */
  public static final long MAX_FILE_BYTES = 16L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(RollingRepairLogFile.class);
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Path directory;
  private final String namePrefix;
  private final long maxFileBytes;
  private int filesCreated;
  private @Nullable FileChannel file;
  private @Nullable Path path;
  private long durableBytes;

  /**
   * Makes none yet.
   *
   * @param started when the gateway was, which names tell
   * @param random keeps apart those that were started in the same second
   * @param fullBytes after so many bytes the next file is begun
   */
  public RollingRepairLogFile(Path directory, Instant started, int random, long fullBytes) {
    this.directory = directory;
    this.namePrefix = "repair-" + STAMP.format(started) + "-" + String.format("%08x", random);
    this.maxFileBytes = fullBytes;
  }

  Path directory() {
    return directory;
  }

  /** Writes lines so that they survive the machine, or fails and has written none of them. */
  void write(List<byte[]> batches) throws IOException {
    FileChannel to = currentFile();
    try {
      long end = durableBytes;
      for (byte[] lines : batches) {
        ByteBuffer left = ByteBuffer.wrap(lines);
        while (left.hasRemaining()) {
          end += to.write(left, end);
        }
      }
      to.force(false);
      durableBytes = end;
    } catch (IOException | RuntimeException e) {
      rollBack(to);
      throw e;
    }
    if (durableBytes >= maxFileBytes) {
      close();
    }
  }

  private FileChannel currentFile() throws IOException {
    FileChannel open = file;
    if (open != null) {
      return open;
    }
    Files.createDirectories(directory);
    Path next =
        directory.resolve(namePrefix + "-" + String.format("%04d", ++filesCreated) + SUFFIX);
    FileChannel begun =
        FileChannel.open(next, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    file = begun;
    path = next;
    durableBytes = 0;
    try {
      forceDirectory();
    } catch (IOException e) {
      rollBack(begun);
      throw e;
    }
    return begun;
  }

  /** The file's name must survive too. */
  private void forceDirectory() throws IOException {
    try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
      entries.force(true);
    }
  }

  /** Whatever is written after this goes to another file: nobody knows what this one has. */
  private void rollBack(FileChannel failed) {
    try {
      failed.truncate(durableBytes);
    } catch (IOException e) {
      LOG.warn("can't cut half a line off the repair log: {}", e.getMessage());
    }
    close();
    Path empty = durableBytes == 0 ? path : null;
    if (empty != null) {
      try {
        Files.deleteIfExists(empty);
      } catch (IOException e) {
        LOG.warn("can't delete an empty file of the repair log: {}", e.getMessage());
      }
    }
  }

  void close() {
    FileChannel open = file;
    file = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.warn("can't close the repair log: {}", e.getMessage());
      }
    }
  }
}
