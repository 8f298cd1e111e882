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
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of one gateway's repair log: the first since its start, and a new one when a file is
 * full. Several gateways may share a directory. Used by one thread.
 */
public final class RollingRepairLogFile {
  /** The suffix of file names. */
  static final String SUFFIX = ".jsonl";

  /** The size in bytes from which a file is full. */
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
   * Creates no file before the first entry.
   *
   * @param started the start time of the gateway, part of the file names
   * @param random distinguishes gateways that started in the same second
   * @param fullBytes the size from which a new file starts
   */
  public RollingRepairLogFile(Path directory, Instant started, int random, long fullBytes) {
    this.directory = directory;
    this.namePrefix = "repair-" + STAMP.format(started) + "-" + String.format("%08x", random);
    this.maxFileBytes = fullBytes;
  }

  /** Creates the files of a process that writes a log of its own, from now on. */
  public static RollingRepairLogFile startNow(Path directory) {
    return new RollingRepairLogFile(
        directory, Instant.now(), ThreadLocalRandom.current().nextInt(), MAX_FILE_BYTES);
  }

  Path directory() {
    return directory;
  }

  /** Writes lines and syncs them to disk, or fails and leaves none of them. */
  public void write(List<byte[]> batches) throws IOException {
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
      forceDirectory(directory);
    } catch (IOException e) {
      rollBack(begun);
      throw e;
    }
    return begun;
  }

  /** Syncs a directory, so that the names of its files survive a crash too. */
  static void forceDirectory(Path directory) throws IOException {
    try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
      entries.force(true);
    }
  }

  /** Starts a new file for the next write, since the contents of this one are unknown. */
  private void rollBack(FileChannel failed) {
    try {
      failed.truncate(durableBytes);
    } catch (IOException e) {
      LOG.warn("can't truncate an incomplete line of the repair log: {}", e.getMessage());
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

  public void close() {
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
